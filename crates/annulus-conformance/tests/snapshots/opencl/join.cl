// The handler of kernel `join`, written from crates/annulus-conformance/src/kernels/variants.rs:+0 (module annulus_conformance::kernels::variants).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Number {
    u64 value;
} Number;
typedef char ann_size_of_Number[sizeof(Number) == 8 ? 1 : -1];

typedef struct Joined {
    u16 weight;
    u16 worker;
    u16 round_;
} Joined;
typedef char ann_size_of_Joined[sizeof(Joined) == 6 ? 1 : -1];

static u32 handle_join(GLOBAL const Number *number, PRIVATE ann_outbox *out) {
    // variants.rs:+1
    u16 round_ = (u16)number->value;
    // variants.rs:+2
    u16 worker = (number->value == (18446744073709551615ul - 1ul)) ? 999 : ((u16)(number->value % 7ul));
    // variants.rs:+3
    Joined joined;
    joined.weight = (number->value == 18446744073709551615ul) ? 65535 : 5;
    joined.worker = worker;
    joined.round_ = round_;
    {
        GLOBAL Joined *ann_slot = (GLOBAL Joined *)ann_outbox_next(out);
        if (ann_slot) *ann_slot = joined;
    }
    return 0u;
}

#define ANN_MESSAGE Number
#define ANN_MESSAGE_BYTES 8
#define ANN_OUTPUT Joined
#define ANN_OUTPUT_BYTES 6
#define ANN_OUTPUT_KEY(message) ((u64)(message)->worker)
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_join(message, outbox)
