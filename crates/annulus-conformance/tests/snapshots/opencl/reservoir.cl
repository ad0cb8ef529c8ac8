// The handler of kernel `reservoir`, written from crates/annulus-conformance/src/kernels/real/memory.rs:+0 (module annulus_conformance::kernels::real::memory).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Arrival {
    u32 stream;
    u32 item;
} Arrival;
typedef char ann_size_of_Arrival[sizeof(Arrival) == 8 ? 1 : -1];

typedef struct Chosen {
    u32 item;
    u32 place;
} Chosen;
typedef char ann_size_of_Chosen[sizeof(Chosen) == 8 ? 1 : -1];

typedef struct u32_x8 { u32 at[8]; } u32_x8;

typedef struct Reservoir {
    u32_x8 items;
    u32 seen;
    u8 ann_pad0[4];
    u64 random;
} Reservoir;
typedef char ann_size_of_Reservoir[sizeof(Reservoir) == 48 ? 1 : -1];

// memory.rs:-103: scatter
static u64 fn_scatter(u64 key) {
    // memory.rs:-102
    u64 key_2 = (key ^ (key >> 33u)) * 18397679294719823053ul;
    // memory.rs:-101
    u64 key_3 = (key_2 ^ (key_2 >> 33u)) * 14181476777654086739ul;
    // memory.rs:-100
    return key_3 ^ (key_3 >> 33u);
}

// memory.rs:-9: xorshift
static u64 fn_xorshift(PRIVATE u64 *state) {
    // memory.rs:-8
    (*state) = (*state) ^ ((*state) << 13u);
    // memory.rs:-7
    (*state) = (*state) ^ ((*state) >> 7u);
    // memory.rs:-6
    (*state) = (*state) ^ ((*state) << 17u);
    // memory.rs:-5
    return (*state);
}

static u32 handle_reservoir(GLOBAL const Arrival *arrival, PRIVATE Reservoir *reservoir, PRIVATE ann_outbox *chosen) {
    // memory.rs:+2
    if (reservoir->seen == 0u) {
        // memory.rs:+3
        u64 scatter = fn_scatter(reservoir->random ^ ((u64)arrival->stream));
        reservoir->random = scatter;
    }
    // memory.rs:+5
    reservoir->seen = rs_saturating_add_u32(reservoir->seen, 1u);
    // memory.rs:+6
    u64 xorshift = fn_xorshift(&reservoir->random);
    u64 random = xorshift >> 32u;
    // memory.rs:+7
    u64 drawn = (random * ((u64)reservoir->seen)) >> 32u;
    // memory.rs:+8
    u32 place = (reservoir->seen <= 8u) ? (reservoir->seen - 1u) : ((u32)drawn);
    // memory.rs:+9
    u64 at = (u64)place;
    bool there = at < 8ul;
    if (there) {
        // memory.rs:+10
        reservoir->items.at[at] = arrival->item;
        // memory.rs:+11
        Chosen chosen_3;
        chosen_3.item = arrival->item;
        chosen_3.place = place;
        {
            GLOBAL Chosen *ann_slot = (GLOBAL Chosen *)ann_outbox_next(chosen);
            if (ann_slot) *ann_slot = chosen_3;
        }
    }
    return 0u;
}

#define ANN_MESSAGE Arrival
#define ANN_MESSAGE_BYTES 8
#define ANN_OUTPUT Chosen
#define ANN_OUTPUT_BYTES 8
#define ANN_STATE Reservoir
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->stream)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_reservoir(message, state, outbox)
