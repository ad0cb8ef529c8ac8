// The handler of kernel `first_fit`, written from crates/annulus-conformance/src/kernels/real/business.rs:+0 (module annulus_conformance::kernels::real::business).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Parcel {
    u32 depot;
    u16 size;
    u8 ann_pad0[2];
} Parcel;
typedef char ann_size_of_Parcel[sizeof(Parcel) == 8 ? 1 : -1];

typedef struct Placed {
    u32 container;
    u16 filled;
    u8 ann_pad0[2];
} Placed;
typedef char ann_size_of_Placed[sizeof(Placed) == 8 ? 1 : -1];

typedef struct u16_x16 { u16 at[16]; } u16_x16;

typedef struct Containers {
    u16_x16 filled;
} Containers;
typedef char ann_size_of_Containers[sizeof(Containers) == 32 ? 1 : -1];

static u32 handle_first_fit(GLOBAL const Parcel *parcel, PRIVATE Containers *containers, PRIVATE ann_outbox *placed) {
    u32 ann_budget = 16777216u;
    // business.rs:+5
    for (u64 container = 0ul; container < 16ul; container += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // business.rs:+6
        u16 with = rs_saturating_add_u16(containers->filled.at[container], parcel->size);
        // business.rs:+7
        if (with <= 1000) {
            // business.rs:+8
            containers->filled.at[container] = with;
            // business.rs:+9
            Placed placed_2;
            placed_2.container = (u32)container;
            placed_2.filled = with;
            {
                GLOBAL Placed *ann_slot = (GLOBAL Placed *)ann_outbox_next(placed);
                if (ann_slot) *ann_slot = placed_2;
            }
            // business.rs:+10
            return 0u;
        }
    }
    // business.rs:+13
    return 137u;
}

#define ANN_MESSAGE Parcel
#define ANN_MESSAGE_BYTES 8
#define ANN_OUTPUT Placed
#define ANN_OUTPUT_BYTES 8
#define ANN_STATE Containers
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->depot)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_first_fit(message, state, outbox)
