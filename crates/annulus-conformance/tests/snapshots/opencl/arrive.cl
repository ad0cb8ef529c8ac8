// The handler of kernel `arrive`, written from crates/annulus-conformance/src/kernels/rows.rs:+0 (module annulus_conformance::kernels::rows).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Hop {
    u32 row;
    u32 sequence;
    u32 to;
    i32 weight;
    u32 time;
} Hop;
typedef char ann_size_of_Hop[sizeof(Hop) == 20 ? 1 : -1];

static u32 handle_arrive(GLOBAL const Hop *hop, PRIVATE ann_outbox *out) {
    // rows.rs:+1
    {
        GLOBAL Hop *ann_slot = (GLOBAL Hop *)ann_outbox_next(out);
        if (ann_slot) *ann_slot = (*hop);
    }
    return 0u;
}

#define ANN_MESSAGE Hop
#define ANN_MESSAGE_BYTES 20
#define ANN_OUTPUT Hop
#define ANN_OUTPUT_BYTES 20
#define ANN_OUTPUT_KEY(message) ((u64)(message)->to)
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->to)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_arrive(message, outbox)
