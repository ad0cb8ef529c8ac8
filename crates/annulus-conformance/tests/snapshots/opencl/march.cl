// The handler of kernel `march`, written from crates/annulus-conformance/src/kernels.rs:+0 (module annulus_conformance::kernels).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Item {
    u32 key;
    u32 producer;
    u64 sequence;
} Item;
typedef char ann_size_of_Item[sizeof(Item) == 16 ? 1 : -1];

typedef struct u32_x4 { u32 at[4]; } u32_x4;

typedef struct Marched {
    u32 key;
    u32 strayed;
    u32_x4 first;
    u32_x4 second;
} Marched;
typedef char ann_size_of_Marched[sizeof(Marched) == 40 ? 1 : -1];

static u32 handle_march(GLOBAL const Item *item, PRIVATE ann_outbox *replies, volatile GLOBAL u32 *counts, u64 counts_len) {
    u32 ann_budget = 16777216u;
    // kernels.rs:+1
    u64 key = (u64)item->key;
    // kernels.rs:+2
    u32_x4 first;
    for (u64 i = 0ul; i < 4ul; i += 1) {
        first.at[i] = 0u;
    }
    // kernels.rs:+3
    u32_x4 second;
    for (u64 i = 0ul; i < 4ul; i += 1) {
        second.at[i] = 0u;
    }
    // kernels.rs:+4
    for (u64 other = 0ul; other < 4ul; other += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // kernels.rs:+5
        if (other >= counts_len) return 0xFF04u; // index out of bounds
        u32 seen;
        seen = rs_atomic_load_u32(&counts[other], RS_RELAXED);
        first.at[other] = seen;
    }
    // kernels.rs:+7
    if (key >= counts_len) return 0xFF04u; // index out of bounds
    if (key >= 4ul) return 0xFF04u; // index out of bounds
    u32 own;
    own = rs_atomic_swap_u32(&counts[key], first.at[key] + 1u, RS_RELAXED);
    // kernels.rs:+8
    for (u64 other = 0ul; other < 4ul; other += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // kernels.rs:+9
        if (other >= counts_len) return 0xFF04u; // index out of bounds
        u32 seen_2;
        seen_2 = rs_atomic_load_u32(&counts[other], RS_RELAXED);
        second.at[other] = seen_2;
    }
    // kernels.rs:+11
    if (key >= 4ul) return 0xFF04u; // index out of bounds
    bool both = own != first.at[key];
    if (!both) {
        if (key >= 4ul) return 0xFF04u; // index out of bounds
        both = second.at[key] != (own + 1u);
    }
    u32 strayed = (u32)both;
    // kernels.rs:+12
    Marched marched;
    marched.key = item->key;
    marched.strayed = strayed;
    marched.first = first;
    marched.second = second;
    {
        GLOBAL Marched *ann_slot = (GLOBAL Marched *)ann_outbox_next(replies);
        if (ann_slot) *ann_slot = marched;
    }
    return 0u;
}

#define ANN_MESSAGE Item
#define ANN_MESSAGE_BYTES 16
#define ANN_OUTPUT Marched
#define ANN_OUTPUT_BYTES 40
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->key)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS , volatile GLOBAL u32 *bind_counts, u64 len_of_bind_counts
#define ANN_BINDING_ENTRY , volatile GLOBAL u32 *bind_counts ANN_BUFFER, ANN_NUMBER len_of_bind_counts ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_counts, len_of_bind_counts
#define ANN_CALL(cx, message, state, outbox) handle_march(message, outbox, bind_counts, len_of_bind_counts)
