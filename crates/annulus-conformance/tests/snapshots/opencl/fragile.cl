// The handler of kernel `fragile`, written from crates/annulus-conformance/src/kernels.rs:121 (module annulus_conformance::kernels).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Number {
    u64 value;
} Number;
typedef char ann_size_of_Number[sizeof(Number) == 8 ? 1 : -1];

typedef struct Total {
    u64 sum;
} Total;
typedef char ann_size_of_Total[sizeof(Total) == 8 ? 1 : -1];

static u32 handle_fragile(GLOBAL const Number *message, PRIVATE Total *total, PRIVATE ann_outbox *replies) {
    // kernels.rs:122
    total->sum = total->sum + message->value;
    // kernels.rs:123
    Number number;
    number.value = total->sum;
    {
        GLOBAL Number *ann_slot = (GLOBAL Number *)ann_outbox_next(replies);
        if (ann_slot) *ann_slot = number;
    }
    // kernels.rs:124
    if (message->value == 18446744073709551615ul) {
        // kernels.rs:125
        return 418u;
    }
    // kernels.rs:127
    if (message->value == 18446744073709551614ul) {
        // kernels.rs:128
        return 0xFF01u; // panicked
    }
    // kernels.rs:130
    return 0u;
}

#define ANN_MESSAGE Number
#define ANN_OUTPUT Number
#define ANN_STATE Total
#define ANN_SHAPE ANN_WHOLE
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 2
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_fragile(message, state, outbox)
