// The handler of kernel `fragile`, written from crates/annulus-conformance/src/kernels.rs:+0 (module annulus_conformance::kernels).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Number {
    u64 value;
} Number;
typedef char ann_size_of_Number[sizeof(Number) == 8 ? 1 : -1];

typedef struct Total {
    u64 sum;
} Total;
typedef char ann_size_of_Total[sizeof(Total) == 8 ? 1 : -1];

typedef struct u64_x3 { u64 at[3]; } u64_x3;

static u32 handle_fragile(GLOBAL const Number *message, PRIVATE Total *total, PRIVATE ann_outbox *replies) {
    // kernels.rs:+1
    total->sum = total->sum + message->value;
    // kernels.rs:+2
    Number number;
    number.value = total->sum;
    {
        GLOBAL Number *ann_slot = (GLOBAL Number *)ann_outbox_next(replies);
        if (ann_slot) *ann_slot = number;
    }
    // kernels.rs:+3
    if (message->value == 18446744073709551615ul) {
        // kernels.rs:+4
        return 418u;
    }
    // kernels.rs:+6
    if (message->value == 18446744073709551614ul) {
        // kernels.rs:+7
        return 0xFF01u; // panicked
    }
    // kernels.rs:+9
    if (message->value == 18446744073709551613ul) {
        // kernels.rs:+10
        u64_x3 powers;
        powers.at[0] = 1ul;
        powers.at[1] = 10ul;
        powers.at[2] = 100ul;
        // kernels.rs:+11
        u64 at = (u64)message->value;
        if (at >= 3ul) return 0xFF04u; // index out of bounds
        total->sum = total->sum + powers.at[at];
    }
    // kernels.rs:+13
    if (message->value == 18446744073709551612ul) {
        // kernels.rs:+14
        u64 divisor = message->value - 18446744073709551612ul;
        if (divisor == 0ul) return 0xFF05u; // division by zero
        total->sum = total->sum / divisor;
    }
    // kernels.rs:+16
    return 0u;
}

#define ANN_MESSAGE Number
#define ANN_MESSAGE_BYTES 8
#define ANN_OUTPUT Number
#define ANN_OUTPUT_BYTES 8
#define ANN_STATE Total
#define ANN_SHAPE ANN_WHOLE
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 2
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_fragile(message, state, outbox)
