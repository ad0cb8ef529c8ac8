// The handler of kernel `least_recent`, written from crates/annulus-conformance/src/kernels/real/memory.rs:+0 (module annulus_conformance::kernels::real::memory).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Lookup {
    u64 key;
} Lookup;
typedef char ann_size_of_Lookup[sizeof(Lookup) == 8 ? 1 : -1];

typedef struct Known {
    u64 key;
    u8 known;
    u8 ann_pad0[7];
} Known;
typedef char ann_size_of_Known[sizeof(Known) == 16 ? 1 : -1];

typedef struct u64_x4 { u64 at[4]; } u64_x4;

typedef struct u32_x4 { u32 at[4]; } u32_x4;

typedef struct Recent {
    u64_x4 keys;
    u32_x4 used;
    u32 clock;
    u8 ann_pad0[4];
} Recent;
typedef char ann_size_of_Recent[sizeof(Recent) == 56 ? 1 : -1];

static u32 handle_least_recent(GLOBAL const Lookup *lookup, PRIVATE Recent *recent, PRIVATE ann_outbox *answers) {
    u32 ann_budget = 16777216u;
    // memory.rs:+1
    recent->clock = rs_saturating_add_u32(recent->clock, 1u);
    // memory.rs:+2
    u64 oldest = 0ul;
    // memory.rs:+3
    u64 i = 0ul;
    // memory.rs:+4
    u64 place;
    for (;;) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // memory.rs:+5
        bool both = i == 4ul;
        if (!both) {
            if (i >= 4ul) return 0xFF04u; // index out of bounds
            both = recent->keys.at[i] == lookup->key;
            if (both) {
                if (i >= 4ul) return 0xFF04u; // index out of bounds
                both = recent->used.at[i] != 0u;
            }
        }
        if (both) {
            // memory.rs:+6
            place = i;
            break;
        }
        // memory.rs:+8
        if (i >= 4ul) return 0xFF04u; // index out of bounds
        if (oldest >= 4ul) return 0xFF04u; // index out of bounds
        if (recent->used.at[i] < recent->used.at[oldest]) {
            // memory.rs:+9
            oldest = i;
        }
        // memory.rs:+11
        i = i + 1ul;
    }
    // memory.rs:+13
    bool known = place < 4ul;
    // memory.rs:+14
    u64 place_2 = known ? place : oldest;
    // memory.rs:+15
    if (place_2 >= 4ul) return 0xFF04u; // index out of bounds
    recent->keys.at[place_2] = lookup->key;
    // memory.rs:+16
    if (place_2 >= 4ul) return 0xFF04u; // index out of bounds
    recent->used.at[place_2] = recent->clock;
    // memory.rs:+17
    Known known_2;
    known_2.key = lookup->key;
    known_2.known = known;
    {
        GLOBAL Known *ann_slot = (GLOBAL Known *)ann_outbox_next(answers);
        if (ann_slot) *ann_slot = known_2;
    }
    return 0u;
}

#define ANN_MESSAGE Lookup
#define ANN_MESSAGE_BYTES 8
#define ANN_OUTPUT Known
#define ANN_OUTPUT_BYTES 16
#define ANN_STATE Recent
#define ANN_SHAPE ANN_WHOLE
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_least_recent(message, state, outbox)
