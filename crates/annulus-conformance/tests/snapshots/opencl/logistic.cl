// The handler of kernel `logistic`, written from crates/annulus-conformance/src/kernels/real/learning.rs:+0 (module annulus_conformance::kernels::real::learning).
#pragma OPENCL FP_CONTRACT OFF

typedef struct f32_x4 { f32 at[4]; } f32_x4;

typedef struct Example {
    f32_x4 values;
    u8 positive;
    u8 ann_pad0[3];
} Example;
typedef char ann_size_of_Example[sizeof(Example) == 20 ? 1 : -1];

typedef struct Predicted {
    f32 value;
} Predicted;
typedef char ann_size_of_Predicted[sizeof(Predicted) == 4 ? 1 : -1];

typedef struct Weights {
    f32_x4 weights;
    f32 bias;
} Weights;
typedef char ann_size_of_Weights[sizeof(Weights) == 20 ? 1 : -1];

// learning.rs:-90: weighted
static u32 fn_weighted(PRIVATE const f32 *weights, u64 weights_len, GLOBAL const f32 *values, u64 values_len, f32 bias, PRIVATE f32 *ann_result, PRIVATE u32 *ann_budget) {
    // learning.rs:-89
    f32 sum = bias;
    // learning.rs:-88
    u64 count = rs_min_u64(weights_len, values_len);
    for (u64 i = 0ul; i < count; i += 1) {
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        // learning.rs:-87
        sum = sum + (weights[i] * values[i]);
    }
    // learning.rs:-85
    *ann_result = sum;
    return 0u;
}

static u32 handle_logistic(GLOBAL const Example *example, PRIVATE Weights *learned, PRIVATE ann_outbox *predicted, GLOBAL const f32 *rate) {
    u32 ann_budget = 16777216u;
    // learning.rs:+1
    f32 logit;
    RS_TRY(fn_weighted(learned->weights.at, 4ul, example->values.at, 4ul, learned->bias, &logit, &ann_budget));
    // learning.rs:+2
    f32 probability = 1.0f / (1.0f + rs_exp_f32(- logit));
    // learning.rs:+3
    f32 error = ((f32)((u8)example->positive)) - probability;
    // learning.rs:+4
    for (u64 i = 0ul; i < 4ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // learning.rs:+5
        learned->weights.at[i] = learned->weights.at[i] + (((*rate) * error) * example->values.at[i]);
    }
    // learning.rs:+7
    learned->bias = learned->bias + ((*rate) * error);
    // learning.rs:+8
    Predicted predicted_2;
    predicted_2.value = probability;
    {
        GLOBAL Predicted *ann_slot = (GLOBAL Predicted *)ann_outbox_next(predicted);
        if (ann_slot) *ann_slot = predicted_2;
    }
    return 0u;
}

#define ANN_MESSAGE Example
#define ANN_MESSAGE_BYTES 20
#define ANN_OUTPUT Predicted
#define ANN_OUTPUT_BYTES 4
#define ANN_STATE Weights
#define ANN_SHAPE ANN_WHOLE
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS , GLOBAL f32 *bind_rate, u64 len_of_bind_rate
#define ANN_BINDING_ENTRY , GLOBAL f32 *bind_rate ANN_BUFFER, ANN_NUMBER len_of_bind_rate ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_rate, len_of_bind_rate
#define ANN_CALL(cx, message, state, outbox) handle_logistic(message, state, outbox, bind_rate)
