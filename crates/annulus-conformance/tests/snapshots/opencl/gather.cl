// The handler of kernel `gather`, written from crates/annulus-conformance/src/kernels/slots.rs:+0 (module annulus_conformance::kernels::slots).
#pragma OPENCL FP_CONTRACT OFF

typedef struct u64_x36 { u64 at[36]; } u64_x36;

typedef struct Parcel {
    u32 to;
    u32 number;
    u64_x36 words;
} Parcel;
typedef char ann_size_of_Parcel[sizeof(Parcel) == 296 ? 1 : -1];

static u32 handle_gather(GLOBAL const Parcel *message, PRIVATE ann_outbox *out) {
    // slots.rs:+1
    {
        GLOBAL Parcel *ann_slot = (GLOBAL Parcel *)ann_outbox_next(out);
        if (ann_slot) *ann_slot = (*message);
    }
    return 0u;
}

#define ANN_MESSAGE Parcel
#define ANN_MESSAGE_BYTES 296
#define ANN_OUTPUT Parcel
#define ANN_OUTPUT_BYTES 296
#define ANN_OUTPUT_KEY(message) ((u64)(message)->to)
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->to)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_gather(message, outbox)
