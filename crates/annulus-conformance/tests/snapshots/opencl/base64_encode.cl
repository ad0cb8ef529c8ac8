// The handler of kernel `base64_encode`, written from crates/annulus-conformance/src/kernels/real/codes.rs:+0 (module annulus_conformance::kernels::real::codes).
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

typedef struct u8_x64 { u8 at[64]; } u8_x64;

CONSTANT const u8_x64 BASE_64 = { { 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 43, 47 } };

static u32 handle_base64_encode(GLOBAL const Bytes *bytes, PRIVATE ann_outbox *texts) {
    u32 ann_budget = 16777216u;
    // codes.rs:+1
    u64 end = (u64)bytes->len;
    bool there = (0ul <= end) && (end <= 31ul);
    if (!there) {
        return 110u;
    }
    // codes.rs:+2
    u8_x44 letters;
    for (u64 i = 0ul; i < 44ul; i += 1) {
        letters.at[i] = 0;
    }
    // codes.rs:+3
    u64 len = 0ul;
    // codes.rs:+4
    u64 count = (end == 0ul) ? 0ul : (((end - 1ul) / 3ul) + 1ul);
    for (u64 i = 0ul; i < count; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u64 first = i * 3ul;
        u64 count_2 = rs_min_u64(3ul, end - first);
        // codes.rs:+5
        u32 word = 0u;
        // codes.rs:+6
        for (u64 i_2 = 0ul; i_2 < count_2; i_2 += 1) {
            if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
            u64 at = first + i_2;
            // codes.rs:+7
            word = word | rs_shl_u32((u32)bytes->bytes.at[at], (u32)(16ul - (8ul * i_2)));
        }
        // codes.rs:+9
        for (u64 i_2 = 0ul; i_2 < 4ul; i_2 += 1) {
            if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
            // codes.rs:+10
            u64 at = (u64)(rs_shr_u32(word, (u32)(18ul - (6ul * i_2))) & 63u);
            if (at >= 64ul) return 0xFF04u; // index out of bounds
            u8 letter = BASE_64.at[at];
            // codes.rs:+11
            if (len >= 44ul) return 0xFF04u; // index out of bounds
            letters.at[len] = (i_2 <= count_2) ? letter : 61;
            // codes.rs:+12
            len = len + 1ul;
        }
    }
    // codes.rs:+15
    Letters letters_2;
    letters_2.len = (u8)len;
    letters_2.letters = letters;
    {
        GLOBAL Letters *ann_slot = (GLOBAL Letters *)ann_outbox_next(texts);
        if (ann_slot) *ann_slot = letters_2;
    }
    // codes.rs:+16
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
#define ANN_CALL(cx, message, state, outbox) handle_base64_encode(message, outbox)
