// The handler of kernel `scatter`, written from crates/annulus-conformance/src/kernels/slots.rs:+0 (module annulus_conformance::kernels::slots).
#pragma OPENCL FP_CONTRACT OFF

typedef struct u64_x36 { u64 at[36]; } u64_x36;

typedef struct Parcel {
    u32 to;
    u32 number;
    u64_x36 words;
} Parcel;
typedef char ann_size_of_Parcel[sizeof(Parcel) == 296 ? 1 : -1];

typedef struct Along {
    u32 row;
    u32 from;
    Parcel message_;
} Along;
typedef char ann_size_of_Along[sizeof(Along) == 304 ? 1 : -1];

static u32 handle_scatter(GLOBAL const Parcel *message, PRIVATE ann_outbox *out) {
    // slots.rs:+1
    Along along;
    along.row = message->number % 4u;
    along.from = 0u;
    along.message_ = (*message);
    {
        GLOBAL Along *ann_slot = (GLOBAL Along *)ann_outbox_next(out);
        if (ann_slot) *ann_slot = along;
    }
    return 0u;
}

#define ANN_MESSAGE Parcel
#define ANN_MESSAGE_BYTES 296
#define ANN_OUTPUT Along
#define ANN_OUTPUT_BYTES 304
#define ANN_ROWS
#define ANN_ROW_OFFSET 8u
#define ANN_ROW_BYTES 296u
#define ANN_ROW_STORE_KEY(copy, key) (*(GLOBAL u32 *)((copy) + 0u) = (u32)(key))
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->to)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_scatter(message, outbox)
