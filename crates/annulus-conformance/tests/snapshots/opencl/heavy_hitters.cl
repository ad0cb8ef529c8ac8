// The handler of kernel `heavy_hitters`, written from crates/annulus-conformance/src/kernels/real/memory.rs:+0 (module annulus_conformance::kernels::real::memory).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Arrival {
    u32 stream;
    u32 item;
} Arrival;
typedef char ann_size_of_Arrival[sizeof(Arrival) == 8 ? 1 : -1];

typedef struct Frequency {
    u64 key;
    u32 count;
    u8 ann_pad0[4];
} Frequency;
typedef char ann_size_of_Frequency[sizeof(Frequency) == 16 ? 1 : -1];

typedef struct u32_x8 { u32 at[8]; } u32_x8;

typedef struct Candidates {
    u32_x8 items;
    u32_x8 counts;
} Candidates;
typedef char ann_size_of_Candidates[sizeof(Candidates) == 64 ? 1 : -1];

typedef struct Option_u64 { u8 tag; u64 some; } Option_u64;

static u32 handle_heavy_hitters(GLOBAL const Arrival *arrival, PRIVATE Candidates *candidates, PRIVATE ann_outbox *answers) {
    u32 ann_budget = 16777216u;
    // memory.rs:+1
    Option_u64 free;
    free.tag = 0; // None
    // memory.rs:+2
    for (u64 place = 0ul; place < 8ul; place += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // memory.rs:+3
        if (candidates->counts.at[place] == 0u) {
            // memory.rs:+4
            Option_u64 option;
            option.tag = 1; // Some
            option.some = place;
            free = option;
        } else if (candidates->items.at[place] == arrival->item) {
            // memory.rs:+6
            candidates->counts.at[place] = rs_saturating_add_u32(candidates->counts.at[place], 1u);
            // memory.rs:+7
            Frequency frequency;
            frequency.key = (u64)arrival->item;
            frequency.count = candidates->counts.at[place];
            {
                GLOBAL Frequency *ann_slot = (GLOBAL Frequency *)ann_outbox_next(answers);
                if (ann_slot) *ann_slot = frequency;
            }
            // memory.rs:+8
            return 0u;
        }
    }
    // memory.rs:+11
    if (free.tag == 1) {
        u64 place = free.some;
        // memory.rs:+12
        if (place >= 8ul) return 0xFF04u; // index out of bounds
        candidates->items.at[place] = arrival->item;
        // memory.rs:+13
        if (place >= 8ul) return 0xFF04u; // index out of bounds
        candidates->counts.at[place] = 1u;
        // memory.rs:+14
        Frequency frequency;
        frequency.key = (u64)arrival->item;
        frequency.count = 1u;
        {
            GLOBAL Frequency *ann_slot = (GLOBAL Frequency *)ann_outbox_next(answers);
            if (ann_slot) *ann_slot = frequency;
        }
        // memory.rs:+15
        return 0u;
    }
    // memory.rs:+17
    for (u64 i = 0ul; i < 8ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // memory.rs:+18
        candidates->counts.at[i] = candidates->counts.at[i] - 1u;
    }
    return 0u;
}

#define ANN_MESSAGE Arrival
#define ANN_MESSAGE_BYTES 8
#define ANN_OUTPUT Frequency
#define ANN_OUTPUT_BYTES 16
#define ANN_STATE Candidates
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->stream)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_heavy_hitters(message, state, outbox)
