// The handler of kernel `does`, written from crates/annulus-conformance/src/kernels.rs:+0 (module annulus_conformance::kernels).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Number {
    u64 value;
} Number;
typedef char ann_size_of_Number[sizeof(Number) == 8 ? 1 : -1];

typedef struct Done {
    u8 ann_nothing;
} Done;

static u32 handle_does(GLOBAL const Number *message, PRIVATE ann_outbox *replies) {
    // kernels.rs:+1
    if (message->value != 0ul) {
        // kernels.rs:+2
        Done done;
        ann_outbox_next(replies);
    }
    return 0u;
}

#define ANN_MESSAGE Number
#define ANN_MESSAGE_BYTES 8
#define ANN_OUTPUT Done
#define ANN_OUTPUT_BYTES 0
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_does(message, outbox)
