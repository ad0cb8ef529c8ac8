// The handler of kernel `levenshtein`, written from crates/annulus-conformance/src/kernels/real/text.rs:+0 (module annulus_conformance::kernels::real::text).
#pragma OPENCL FP_CONTRACT OFF

typedef struct u8_x2 { u8 at[2]; } u8_x2;

typedef struct u8_x15 { u8 at[15]; } u8_x15;

typedef struct Words {
    u8_x2 lens;
    u8_x15 first;
    u8_x15 second;
} Words;
typedef char ann_size_of_Words[sizeof(Words) == 32 ? 1 : -1];

typedef struct Checksum {
    u32 value;
} Checksum;
typedef char ann_size_of_Checksum[sizeof(Checksum) == 4 ? 1 : -1];

typedef struct u32_x16 { u32 at[16]; } u32_x16;

static u32 handle_levenshtein(GLOBAL const Words *words, PRIVATE ann_outbox *distances) {
    u32 ann_budget = 16777216u;
    // text.rs:+1
    u64 end = rs_min_u64((u64)words->lens.at[0], 15ul);
    if (0ul > end) return 0xFF04u; // index out of bounds
    if (end > 15ul) return 0xFF04u; // index out of bounds
    // text.rs:+2
    u64 end_2 = rs_min_u64((u64)words->lens.at[1], 15ul);
    if (0ul > end_2) return 0xFF04u; // index out of bounds
    if (end_2 > 15ul) return 0xFF04u; // index out of bounds
    // text.rs:+3
    u32_x16 row;
    for (u64 i = 0ul; i < 16ul; i += 1) {
        row.at[i] = 0u;
    }
    // text.rs:+4
    for (u64 i = 0ul; i < 16ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // text.rs:+5
        row.at[i] = (u32)i;
    }
    // text.rs:+7
    for (u64 i = 0ul; i < end; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // text.rs:+8
        u32 diagonal = row.at[0];
        // text.rs:+9
        row.at[0] = ((u32)i) + 1u;
        // text.rs:+10
        for (u64 j = 0ul; j < end_2; j += 1) {
            if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
            // text.rs:+11
            u32 replaced = diagonal + ((u32)(words->first.at[i] != words->second.at[j]));
            // text.rs:+12
            u64 at = j + 1ul;
            if (at >= 16ul) return 0xFF04u; // index out of bounds
            diagonal = row.at[at];
            // text.rs:+13
            if (j >= 16ul) return 0xFF04u; // index out of bounds
            u64 at_2 = j + 1ul;
            if (at_2 >= 16ul) return 0xFF04u; // index out of bounds
            row.at[at_2] = rs_min_u32(rs_min_u32(replaced, diagonal + 1u), row.at[j] + 1u);
        }
    }
    // text.rs:+16
    if (end_2 >= 16ul) return 0xFF04u; // index out of bounds
    Checksum checksum;
    checksum.value = row.at[end_2];
    {
        GLOBAL Checksum *ann_slot = (GLOBAL Checksum *)ann_outbox_next(distances);
        if (ann_slot) *ann_slot = checksum;
    }
    return 0u;
}

#define ANN_MESSAGE Words
#define ANN_MESSAGE_BYTES 32
#define ANN_OUTPUT Checksum
#define ANN_OUTPUT_BYTES 4
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_levenshtein(message, outbox)
