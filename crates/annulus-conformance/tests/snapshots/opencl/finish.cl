// The handler of kernel `finish`, written from crates/annulus-conformance/src/kernels/variants.rs:+0 (module annulus_conformance::kernels::variants).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Number {
    u64 value;
} Number;
typedef char ann_size_of_Number[sizeof(Number) == 8 ? 1 : -1];

typedef struct Finished {
    u32 result;
    u32 worker;
    u32 round_;
} Finished;
typedef char ann_size_of_Finished[sizeof(Finished) == 12 ? 1 : -1];

static u32 handle_finish(GLOBAL const Number *number, PRIVATE ann_outbox *out) {
    // variants.rs:+1
    u32 worker = (u32)(number->value % 7ul);
    u32 round_ = (u32)number->value;
    // variants.rs:+2
    Finished finished;
    finished.result = round_ * 3u;
    finished.worker = worker;
    finished.round_ = round_;
    {
        GLOBAL Finished *ann_slot = (GLOBAL Finished *)ann_outbox_next(out);
        if (ann_slot) *ann_slot = finished;
    }
    // variants.rs:+3
    Finished finished_2;
    finished_2.result = (round_ * 3u) + 1u;
    finished_2.worker = worker;
    finished_2.round_ = round_;
    {
        GLOBAL Finished *ann_slot = (GLOBAL Finished *)ann_outbox_next(out);
        if (ann_slot) *ann_slot = finished_2;
    }
    return 0u;
}

#define ANN_MESSAGE Number
#define ANN_MESSAGE_BYTES 8
#define ANN_OUTPUT Finished
#define ANN_OUTPUT_BYTES 12
#define ANN_OUTPUT_KEY(message) ((u64)(message)->worker)
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 2
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_finish(message, outbox)
