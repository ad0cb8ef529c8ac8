// The handler of kernel `push`, written from crates/annulus-conformance/src/kernels/rows.rs:+0 (module annulus_conformance::kernels::rows).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Number {
    u64 value;
} Number;
typedef char ann_size_of_Number[sizeof(Number) == 8 ? 1 : -1];

typedef struct Push {
    u64 to;
    f32 share;
    u32 from;
} Push;
typedef char ann_size_of_Push[sizeof(Push) == 16 ? 1 : -1];

typedef struct Along {
    u32 row;
    u32 from;
    Push message_;
} Along;
typedef char ann_size_of_Along[sizeof(Along) == 24 ? 1 : -1];

static u32 handle_push(GLOBAL const Number *number, PRIVATE ann_outbox *out) {
    // rows.rs:+1
    u32 row = (u32)number->value;
    // rows.rs:+2
    Push push;
    push.from = row;
    push.to = 0ul;
    push.share = 0.5f;
    Along along;
    along.row = row;
    along.from = 0u;
    along.message_ = push;
    {
        GLOBAL Along *ann_slot = (GLOBAL Along *)ann_outbox_next(out);
        if (ann_slot) *ann_slot = along;
    }
    return 0u;
}

#define ANN_MESSAGE Number
#define ANN_MESSAGE_BYTES 8
#define ANN_OUTPUT Along
#define ANN_OUTPUT_BYTES 24
#define ANN_ROWS
#define ANN_ROW_OFFSET 8u
#define ANN_ROW_BYTES 16u
#define ANN_ROW_STORE_KEY(copy, key) (*(GLOBAL u64 *)((copy) + 0u) = (u64)(key))
#define ANN_ROW_STORE_EDGE(copy, value) (*(GLOBAL u32 *)((copy) + 8u) = (u32)(value))
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_push(message, outbox)
