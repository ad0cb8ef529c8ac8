// The handler of kernel `reed_solomon`, written from crates/annulus-conformance/src/kernels/real/codes.rs:+0 (module annulus_conformance::kernels::real::codes).
#pragma OPENCL FP_CONTRACT OFF

typedef struct u8_x31 { u8 at[31]; } u8_x31;

typedef struct Bytes {
    u8 len;
    u8_x31 bytes;
} Bytes;
typedef char ann_size_of_Bytes[sizeof(Bytes) == 32 ? 1 : -1];

typedef struct u8_x4 { u8 at[4]; } u8_x4;

typedef struct Syndromes {
    u8_x4 values;
} Syndromes;
typedef char ann_size_of_Syndromes[sizeof(Syndromes) == 4 ? 1 : -1];

// codes.rs:-14: gf_product
static u32 fn_gf_product(u8 a, u8 b, PRIVATE u8 *ann_result, PRIVATE u32 *ann_budget) {
    // codes.rs:-13
    u8 product = 0;
    // codes.rs:-12
    for (;;) {
        if (b == 0) {
            break;
        }
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        // codes.rs:-11
        if ((b & 1) != 0) {
            // codes.rs:-10
            product = product ^ a;
        }
        // codes.rs:-8
        a = rs_shl_u8(a, 1u) ^ rs_mul_u8(rs_shr_u8(a, 7u), 29);
        // codes.rs:-7
        b = rs_shr_u8(b, 1u);
    }
    // codes.rs:-5
    *ann_result = product;
    return 0u;
}

static u32 handle_reed_solomon(GLOBAL const Bytes *word, PRIVATE ann_outbox *syndromes) {
    u32 ann_budget = 16777216u;
    // codes.rs:+1
    u64 end = (u64)word->len;
    bool there = (0ul <= end) && (end <= 31ul);
    if (!there) {
        return 110u;
    }
    // codes.rs:+2
    u8_x4 values;
    for (u64 i = 0ul; i < 4ul; i += 1) {
        values.at[i] = 0;
    }
    // codes.rs:+3
    u8 root = 1;
    // codes.rs:+4
    for (u64 i = 0ul; i < 4ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // codes.rs:+5
        for (u64 i_2 = 0ul; i_2 < end; i_2 += 1) {
            if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
            // codes.rs:+6
            u8 gf_product;
            RS_TRY(fn_gf_product(values.at[i], root, &gf_product, &ann_budget));
            values.at[i] = gf_product ^ word->bytes.at[i_2];
        }
        // codes.rs:+8
        u8 gf_product;
        RS_TRY(fn_gf_product(root, 2, &gf_product, &ann_budget));
        root = gf_product;
    }
    // codes.rs:+10
    Syndromes syndromes_2;
    syndromes_2.values = values;
    {
        GLOBAL Syndromes *ann_slot = (GLOBAL Syndromes *)ann_outbox_next(syndromes);
        if (ann_slot) *ann_slot = syndromes_2;
    }
    // codes.rs:+11
    return 0u;
}

#define ANN_MESSAGE Bytes
#define ANN_MESSAGE_BYTES 32
#define ANN_OUTPUT Syndromes
#define ANN_OUTPUT_BYTES 4
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_reed_solomon(message, outbox)
