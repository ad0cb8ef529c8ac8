// The handler of kernel `huffman`, written from crates/annulus-conformance/src/kernels/real/codes.rs:+0 (module annulus_conformance::kernels::real::codes).
#pragma OPENCL FP_CONTRACT OFF

typedef struct u8_x31 { u8 at[31]; } u8_x31;

typedef struct Bytes {
    u8 len;
    u8_x31 bytes;
} Bytes;
typedef char ann_size_of_Bytes[sizeof(Bytes) == 32 ? 1 : -1];

typedef struct u8_x44 { u8 at[44]; } u8_x44;

typedef struct Letters {
    u8 len;
    u8_x44 letters;
} Letters;
typedef char ann_size_of_Letters[sizeof(Letters) == 45 ? 1 : -1];

typedef struct u8_x6 { u8 at[6]; } u8_x6;

typedef struct u8_x8 { u8 at[8]; } u8_x8;

CONSTANT const u8_x6 CODES = { { 0, 0, 2, 3, 1, 2 } };

CONSTANT const u8_x8 SYMBOLS = { { 32, 101, 97, 105, 110, 116, 114, 115 } };

static u32 handle_huffman(GLOBAL const Bytes *bytes, PRIVATE ann_outbox *texts) {
    u32 ann_budget = 16777216u;
    // codes.rs:+1
    u8_x44 items;
    for (u64 i = 0ul; i < 44ul; i += 1) {
        items.at[i] = 0;
    }
    Letters text;
    text.len = 0;
    text.letters = items;
    // codes.rs:+2
    u32 code = 0u;
    u32 first = 0u;
    u32 index_ = 0u;
    u64 length_ = 0ul;
    // codes.rs:+3
    u64 end = rs_min_u64((u64)bytes->len, 31ul);
    if (0ul > end) return 0xFF04u; // index out of bounds
    if (end > 31ul) return 0xFF04u; // index out of bounds
    u32 leave = 0u;
    for (u64 i = 0ul; i < end; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // codes.rs:+4
        bool more = 0 < 8;
        i32 next = rs_before_i32(8);
        for (;;) {
            if (!more) {
                break;
            }
            if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
            i32 bit = next;
            more = rs_distance_i32(0, next) >= 1ul;
            next = rs_retreat_i32(next, 1ul);
            // codes.rs:+5
            length_ = length_ + 1ul;
            // codes.rs:+6
            u64 at = length_;
            bool there = at < 6ul;
            if (!there) {
                leave = 1u;
                break;
            }
            u8 count = CODES.at[at];
            // codes.rs:+7
            code = code | ((u32)(rs_shr_u8(bytes->bytes.at[i], (u32)bit) & 1));
            // codes.rs:+8
            if (code < (first + ((u32)count))) {
                // codes.rs:+9
                if (((u64)text.len) == 44ul) {
                    // codes.rs:+10
                    leave = 1u;
                    break;
                }
                // codes.rs:+12
                u64 at_2 = (u64)((index_ + code) - first);
                if (at_2 >= 8ul) return 0xFF04u; // index out of bounds
                u64 at_3 = (u64)text.len;
                if (at_3 >= 44ul) return 0xFF04u; // index out of bounds
                text.letters.at[at_3] = SYMBOLS.at[at_2];
                // codes.rs:+13
                text.len = rs_add_u8(text.len, 1);
                // codes.rs:+14
                u32 part_0 = 0u;
                u32 part_1 = 0u;
                u32 part_2 = 0u;
                u64 part_3 = 0ul;
                code = part_0;
                first = part_1;
                index_ = part_2;
                length_ = part_3;
                // codes.rs:+15
                continue;
            }
            // codes.rs:+17
            index_ = index_ + ((u32)count);
            // codes.rs:+18
            first = (first + ((u32)count)) << 1u;
            // codes.rs:+19
            code = code << 1u;
        }
        if (leave == 1u) {
            break;
        }
        if (leave == 2u) {
            leave = 0u;
            continue;
        }
    }
    // codes.rs:+22
    {
        GLOBAL Letters *ann_slot = (GLOBAL Letters *)ann_outbox_next(texts);
        if (ann_slot) *ann_slot = text;
    }
    return 0u;
}

#define ANN_MESSAGE Bytes
#define ANN_MESSAGE_BYTES 32
#define ANN_OUTPUT Letters
#define ANN_OUTPUT_BYTES 45
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_huffman(message, outbox)
