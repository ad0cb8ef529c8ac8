// The handler of kernel `varints`, written from crates/annulus-conformance/src/kernels/real/codes.rs:+0 (module annulus_conformance::kernels::real::codes).
#pragma OPENCL FP_CONTRACT OFF

typedef struct u8_x31 { u8 at[31]; } u8_x31;

typedef struct Bytes {
    u8 len;
    u8_x31 bytes;
} Bytes;
typedef char ann_size_of_Bytes[sizeof(Bytes) == 32 ? 1 : -1];

typedef struct Decimal {
    u64 value;
} Decimal;
typedef char ann_size_of_Decimal[sizeof(Decimal) == 8 ? 1 : -1];

typedef struct Result_u64_u32 { u8 tag; u64 ok; u32 err; } Result_u64_u32;

// codes.rs:-20: leb128
static u32 fn_leb128(GLOBAL const u8 *bytes, u64 bytes_len, PRIVATE u64 *at, PRIVATE Result_u64_u32 *ann_result, PRIVATE u32 *ann_budget) {
    // codes.rs:-19
    u64 value = 0ul;
    // codes.rs:-18
    i32 shift = 0;
    // codes.rs:-17
    for (;;) {
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        // codes.rs:-16
        u64 at_2 = (*at);
        if (at_2 >= bytes_len) {
            Result_u64_u32 given;
            given.tag = 1; // Err
            given.err = 111u;
            *ann_result = given;
            return 0u;
        }
        u8 byte = bytes[at_2];
        // codes.rs:-15
        (*at) = (*at) + 1ul;
        // codes.rs:-14
        u64 bits = (u64)(byte & 127);
        // codes.rs:-13
        if ((shift > 63) || (rs_shr_u64(rs_shl_u64(bits, (u32)shift), (u32)shift) != bits)) {
            // codes.rs:-12
            Result_u64_u32 result;
            result.tag = 1; // Err
            result.err = 112u;
            *ann_result = result;
            return 0u;
        }
        // codes.rs:-10
        value = value | rs_shl_u64(bits, (u32)shift);
        // codes.rs:-9
        if ((byte & 128) == 0) {
            // codes.rs:-8
            Result_u64_u32 result;
            result.tag = 0; // Ok
            result.ok = value;
            *ann_result = result;
            return 0u;
        }
        // codes.rs:-6
        shift = rs_add_i32(shift, 7);
    }
}

static u32 handle_varints(GLOBAL const Bytes *bytes, PRIVATE ann_outbox *numbers) {
    u32 ann_budget = 16777216u;
    // codes.rs:+1
    u64 end = rs_min_u64((u64)bytes->len, 31ul);
    if (0ul > end) return 0xFF04u; // index out of bounds
    if (end > 31ul) return 0xFF04u; // index out of bounds
    // codes.rs:+2
    u64 at = 0ul;
    // codes.rs:+3
    for (;;) {
        if (at >= end) {
            break;
        }
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // codes.rs:+4
        Result_u64_u32 leb128;
        RS_TRY(fn_leb128(&bytes->bytes.at[0], end, &at, &leb128, &ann_budget));
        if (leb128.tag != 0) {
            return leb128.err;
        }
        Decimal decimal;
        decimal.value = leb128.ok;
        {
            GLOBAL Decimal *ann_slot = (GLOBAL Decimal *)ann_outbox_next(numbers);
            if (ann_slot) *ann_slot = decimal;
        }
    }
    // codes.rs:+6
    return 0u;
}

#define ANN_MESSAGE Bytes
#define ANN_MESSAGE_BYTES 32
#define ANN_OUTPUT Decimal
#define ANN_OUTPUT_BYTES 8
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 31
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_varints(message, outbox)
