// The handler of kernel `lz4`, written from crates/annulus-conformance/src/kernels/real/codes.rs:+0 (module annulus_conformance::kernels::real::codes).
#pragma OPENCL FP_CONTRACT OFF

typedef struct u8_x31 { u8 at[31]; } u8_x31;

typedef struct Bytes {
    u8 len;
    u8_x31 bytes;
} Bytes;
typedef char ann_size_of_Bytes[sizeof(Bytes) == 32 ? 1 : -1];

typedef struct u8_x64 { u8 at[64]; } u8_x64;

typedef struct Unpacked {
    u8 len;
    u8 whole;
    u8_x64 bytes;
} Unpacked;
typedef char ann_size_of_Unpacked[sizeof(Unpacked) == 66 ? 1 : -1];

typedef struct Option_void { u8 tag; } Option_void;

typedef struct u8_x2 { u8 at[2]; } u8_x2;

typedef struct Option_u64 { u8 tag; u64 some; } Option_u64;

// codes.rs:-42: lz4_length
static u32 fn_lz4_length(GLOBAL const u8 *bytes, u64 bytes_len, PRIVATE u64 *at, u8 bits, PRIVATE Option_u64 *ann_result, PRIVATE u32 *ann_budget) {
    // codes.rs:-41
    u64 length_ = (u64)bits;
    // codes.rs:-40
    bool more = bits == 15;
    // codes.rs:-39
    for (;;) {
        if (!more) {
            break;
        }
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        // codes.rs:-38
        u64 at_2 = (*at);
        bool there = at_2 < bytes_len;
        u8 copy;
        if (there) {
            copy = bytes[at_2];
        }
        if (!there) {
            Option_u64 given;
            given.tag = 0; // None
            *ann_result = given;
            return 0u;
        }
        u8 byte = copy;
        // codes.rs:-37
        (*at) = (*at) + 1ul;
        // codes.rs:-36
        length_ = length_ + ((u64)byte);
        // codes.rs:-35
        more = byte == 255;
    }
    // codes.rs:-33
    Option_u64 option;
    option.tag = 1; // Some
    option.some = length_;
    *ann_result = option;
    return 0u;
}

// codes.rs:-52: Unpacked::push
static Option_void fn_Unpacked_push(PRIVATE Unpacked *self, u8 byte) {
    // codes.rs:-51
    u64 at = (u64)self->len;
    if (at >= 64ul) {
        Option_void given;
        given.tag = 0; // None
        return given;
    }
    // codes.rs:-50
    self->bytes.at[at] = byte;
    // codes.rs:-49
    self->len = rs_add_u8(self->len, 1);
    // codes.rs:-48
    Option_void option;
    option.tag = 1; // Some
    return option;
}

// codes.rs:-28: lz4_unpack
static u32 fn_lz4_unpack(GLOBAL const u8 *bytes, u64 bytes_len, PRIVATE Unpacked *out, PRIVATE Option_void *ann_result, PRIVATE u32 *ann_budget) {
    // codes.rs:-27
    u64 at = 0ul;
    // codes.rs:-26
    for (;;) {
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        // codes.rs:-25
        u64 at_2 = at;
        bool there = at_2 < bytes_len;
        u8 copy;
        if (there) {
            copy = bytes[at_2];
        }
        if (!there) {
            Option_void given;
            given.tag = 0; // None
            *ann_result = given;
            return 0u;
        }
        u8 token = copy;
        // codes.rs:-24
        at = at + 1ul;
        // codes.rs:-23
        Option_u64 lz4_length;
        RS_TRY(fn_lz4_length(bytes, bytes_len, &at, rs_shr_u8(token, 4u), &lz4_length, ann_budget));
        if (lz4_length.tag != 1) {
            Option_void given_2;
            given_2.tag = 0; // None
            *ann_result = given_2;
            return 0u;
        }
        u64 literals = lz4_length.some;
        // codes.rs:-22
        for (u64 i = 0ul; i < literals; i += 1) {
            if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
            // codes.rs:-21
            u64 at_3 = at;
            bool there_2 = at_3 < bytes_len;
            u8 copy_2;
            if (there_2) {
                copy_2 = bytes[at_3];
            }
            if (!there_2) {
                Option_void given_3;
                given_3.tag = 0; // None
                *ann_result = given_3;
                return 0u;
            }
            Option_void push = fn_Unpacked_push(out, copy_2);
            if (push.tag != 1) {
                Option_void given_4;
                given_4.tag = 0; // None
                *ann_result = given_4;
                return 0u;
            }
            // codes.rs:-20
            at = at + 1ul;
        }
        // codes.rs:-18
        if (at == bytes_len) {
            // codes.rs:-17
            Option_void option;
            option.tag = 1; // Some
            *ann_result = option;
            return 0u;
        }
        // codes.rs:-15
        u64 at_3 = at;
        bool there_2 = at_3 < bytes_len;
        u8 copy_2;
        if (there_2) {
            copy_2 = bytes[at_3];
        }
        if (!there_2) {
            Option_void given_3;
            given_3.tag = 0; // None
            *ann_result = given_3;
            return 0u;
        }
        u64 at_4 = at + 1ul;
        bool there_3 = at_4 < bytes_len;
        u8 copy_3;
        if (there_3) {
            copy_3 = bytes[at_4];
        }
        if (!there_3) {
            Option_void given_4;
            given_4.tag = 0; // None
            *ann_result = given_4;
            return 0u;
        }
        u8_x2 items;
        items.at[0] = copy_2;
        items.at[1] = copy_3;
        u16 offset = ((u16)items.at[0]) | rs_shl_u16((u16)items.at[1], 8u);
        // codes.rs:-14
        at = at + 2ul;
        // codes.rs:-13
        Option_u64 lz4_length_2;
        RS_TRY(fn_lz4_length(bytes, bytes_len, &at, token & 15, &lz4_length_2, ann_budget));
        if (lz4_length_2.tag != 1) {
            Option_void given_5;
            given_5.tag = 0; // None
            *ann_result = given_5;
            return 0u;
        }
        u64 matched = lz4_length_2.some + 4ul;
        // codes.rs:-12
        u64 operand = (u64)out->len;
        u64 operand_2 = (u64)offset;
        if (rs_overflows_sub_u64(operand, operand_2)) {
            Option_void given_6;
            given_6.tag = 0; // None
            *ann_result = given_6;
            return 0u;
        }
        u64 from = operand - operand_2;
        // codes.rs:-11
        if (offset == 0) {
            // codes.rs:-10
            Option_void option;
            option.tag = 0; // None
            *ann_result = option;
            return 0u;
        }
        // codes.rs:-8
        u64 end = from + matched;
        for (u64 i = from; i < end; i += 1) {
            if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
            // codes.rs:-7
            bool there_4 = i < 64ul;
            u8 copy_4;
            if (there_4) {
                copy_4 = out->bytes.at[i];
            }
            if (!there_4) {
                Option_void given_7;
                given_7.tag = 0; // None
                *ann_result = given_7;
                return 0u;
            }
            Option_void push = fn_Unpacked_push(out, copy_4);
            if (push.tag != 1) {
                Option_void given_8;
                given_8.tag = 0; // None
                *ann_result = given_8;
                return 0u;
            }
        }
    }
}

static u32 handle_lz4(GLOBAL const Bytes *bytes, PRIVATE ann_outbox *blocks) {
    u32 ann_budget = 16777216u;
    // codes.rs:+1
    u8_x64 items;
    for (u64 i = 0ul; i < 64ul; i += 1) {
        items.at[i] = 0;
    }
    Unpacked out;
    out.len = 0;
    out.whole = false;
    out.bytes = items;
    // codes.rs:+2
    u64 end = rs_min_u64((u64)bytes->len, 31ul);
    if (0ul > end) return 0xFF04u; // index out of bounds
    if (end > 31ul) return 0xFF04u; // index out of bounds
    Option_void lz4_unpack;
    RS_TRY(fn_lz4_unpack(&bytes->bytes.at[0], end, &out, &lz4_unpack, &ann_budget));
    out.whole = lz4_unpack.tag == 1;
    // codes.rs:+3
    {
        GLOBAL Unpacked *ann_slot = (GLOBAL Unpacked *)ann_outbox_next(blocks);
        if (ann_slot) *ann_slot = out;
    }
    return 0u;
}

#define ANN_MESSAGE Bytes
#define ANN_MESSAGE_BYTES 32
#define ANN_OUTPUT Unpacked
#define ANN_OUTPUT_BYTES 66
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_lz4(message, outbox)
