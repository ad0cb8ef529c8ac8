// The handler of kernel `monte_carlo`, written from crates/annulus-conformance/src/kernels/real/physics.rs:+0 (module annulus_conformance::kernels::real::physics).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Throws {
    u64 seed;
    u16 count;
    u8 ann_pad0[6];
} Throws;
typedef char ann_size_of_Throws[sizeof(Throws) == 16 ? 1 : -1];

typedef struct Inside {
    u32 thrown;
    u32 inside;
} Inside;
typedef char ann_size_of_Inside[sizeof(Inside) == 8 ? 1 : -1];

// memory.rs:-138: scatter
static u64 fn_scatter(u64 key) {
    // memory.rs:-137
    u64 key_2 = (key ^ (key >> 33u)) * 18397679294719823053ul;
    // memory.rs:-136
    u64 key_3 = (key_2 ^ (key_2 >> 33u)) * 14181476777654086739ul;
    // memory.rs:-135
    return key_3 ^ (key_3 >> 33u);
}

// memory.rs:-44: xorshift
static u64 fn_xorshift(PRIVATE u64 *state) {
    // memory.rs:-43
    (*state) = (*state) ^ ((*state) << 13u);
    // memory.rs:-42
    (*state) = (*state) ^ ((*state) >> 7u);
    // memory.rs:-41
    (*state) = (*state) ^ ((*state) << 17u);
    // memory.rs:-40
    return (*state);
}

static u32 handle_monte_carlo(GLOBAL const Throws *throws, PRIVATE ann_outbox *results) {
    u32 ann_budget = 16777216u;
    // physics.rs:+1
    u64 scatter = fn_scatter(throws->seed);
    u64 state = scatter | 1ul;
    // physics.rs:+2
    u32 inside = 0u;
    // physics.rs:+3
    u16 end = throws->count;
    for (u16 i = 0; i < end; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // physics.rs:+4
        u64 drawn = fn_xorshift(&state);
        // physics.rs:+5
        u64 x = drawn >> 34u;
        u64 y = drawn & 1073741823ul;
        // physics.rs:+6
        if (((x * x) + (y * y)) < (1ul << 60u)) {
            // physics.rs:+7
            inside = inside + 1u;
        }
    }
    // physics.rs:+10
    Inside inside_2;
    inside_2.thrown = (u32)throws->count;
    inside_2.inside = inside;
    {
        GLOBAL Inside *ann_slot = (GLOBAL Inside *)ann_outbox_next(results);
        if (ann_slot) *ann_slot = inside_2;
    }
    return 0u;
}

#define ANN_MESSAGE Throws
#define ANN_MESSAGE_BYTES 16
#define ANN_OUTPUT Inside
#define ANN_OUTPUT_BYTES 8
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_monte_carlo(message, outbox)
