// The handler of kernel `tell_stamp`, written from crates/annulus-conformance/src/kernels/stamps.rs:+0 (module annulus_conformance::kernels::stamps).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Number {
    u64 value;
} Number;
typedef char ann_size_of_Number[sizeof(Number) == 8 ? 1 : -1];

static u32 handle_tell_stamp(ann_cx cx, GLOBAL const Number *number, PRIVATE ann_outbox *out, u64 ann_message_stamp) {
    // stamps.rs:+2
    Number number_2;
    number_2.value = ann_message_stamp;
    {
        GLOBAL Number *ann_slot = (GLOBAL Number *)ann_outbox_next(out);
        if (ann_slot) *ann_slot = number_2;
    }
    return 0u;
}

#define ANN_MESSAGE Number
#define ANN_MESSAGE_BYTES 8
#define ANN_OUTPUT Number
#define ANN_OUTPUT_BYTES 8
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_ASKS_STAMP 1
#define ANN_CALL(cx, message, state, outbox) handle_tell_stamp(cx, message, outbox, stamp)
