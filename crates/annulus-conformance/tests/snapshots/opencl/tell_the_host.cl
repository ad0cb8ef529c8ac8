// The handler of kernel `tell_the_host`, written from crates/annulus-runtime/src/barrier/kernel.rs:+0 (module annulus_runtime::barrier::kernel).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Passed {
    u32 actor;
    u32 barrier_;
    u64 generation;
    u64 missing;
} Passed;
typedef char ann_size_of_Passed[sizeof(Passed) == 24 ? 1 : -1];

static u32 handle_tell_the_host(GLOBAL const Passed *passed, PRIVATE ann_outbox *out) {
    // kernel.rs:+1
    {
        GLOBAL Passed *ann_slot = (GLOBAL Passed *)ann_outbox_next(out);
        if (ann_slot) *ann_slot = (*passed);
    }
    return 0u;
}

#define ANN_MESSAGE Passed
#define ANN_MESSAGE_BYTES 24
#define ANN_OUTPUT Passed
#define ANN_OUTPUT_BYTES 24
#define ANN_OUTPUT_KEY(message) ((u64)(message)->actor)
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->actor)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_tell_the_host(message, outbox)
