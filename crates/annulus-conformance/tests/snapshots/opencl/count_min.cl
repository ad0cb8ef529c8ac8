// The handler of kernel `count_min`, written from crates/annulus-conformance/src/kernels/real/memory.rs:+0 (module annulus_conformance::kernels::real::memory).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Lookup {
    u64 key;
} Lookup;
typedef char ann_size_of_Lookup[sizeof(Lookup) == 8 ? 1 : -1];

typedef struct Frequency {
    u64 key;
    u32 count;
    u8 ann_pad0[4];
} Frequency;
typedef char ann_size_of_Frequency[sizeof(Frequency) == 16 ? 1 : -1];

// memory.rs:-8: scatter
static u64 fn_scatter(u64 key) {
    // memory.rs:-7
    u64 key_2 = (key ^ (key >> 33u)) * 18397679294719823053ul;
    // memory.rs:-6
    u64 key_3 = (key_2 ^ (key_2 >> 33u)) * 14181476777654086739ul;
    // memory.rs:-5
    return key_3 ^ (key_3 >> 33u);
}

static u32 handle_count_min(GLOBAL const Lookup *lookup, PRIVATE ann_outbox *answers, volatile GLOBAL u32 *counts, u64 counts_len) {
    u32 ann_budget = 16777216u;
    // memory.rs:+1
    u64 width = counts_len / 4ul;
    // memory.rs:+2
    u64 hash = lookup->key;
    // memory.rs:+3
    u32 least = 4294967295u;
    // memory.rs:+4
    if (width == 0ul) return 0xFF01u; // panicked
    u64 count = counts_len / width;
    for (u64 i = 0ul; i < count; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u64 first = i * width;
        u64 count_2 = rs_min_u64(width, counts_len - first);
        // memory.rs:+5
        u64 scatter = fn_scatter(hash + 1ul);
        hash = scatter;
        // memory.rs:+6
        if (width == 0ul) return 0xFF05u; // division by zero
        u64 at = ((u64)hash) % width;
        if (at >= count_2) return 0xFF04u; // index out of bounds
        u64 at_2 = first + at;
        u32 before;
        before = rs_atomic_fetch_add_u32(&counts[at_2], 1u, RS_RELAXED);
        // memory.rs:+7
        least = rs_min_u32(least, rs_saturating_add_u32(before, 1u));
    }
    // memory.rs:+9
    Frequency frequency;
    frequency.key = lookup->key;
    frequency.count = least;
    {
        GLOBAL Frequency *ann_slot = (GLOBAL Frequency *)ann_outbox_next(answers);
        if (ann_slot) *ann_slot = frequency;
    }
    return 0u;
}

#define ANN_MESSAGE Lookup
#define ANN_MESSAGE_BYTES 8
#define ANN_OUTPUT Frequency
#define ANN_OUTPUT_BYTES 16
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS , volatile GLOBAL u32 *bind_counts, u64 len_of_bind_counts
#define ANN_BINDING_ENTRY , volatile GLOBAL u32 *bind_counts ANN_BUFFER, ANN_NUMBER len_of_bind_counts ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_counts, len_of_bind_counts
#define ANN_CALL(cx, message, state, outbox) handle_count_min(message, outbox, bind_counts, len_of_bind_counts)
