// The handler of kernel `neural_net`, written from crates/annulus-conformance/src/kernels/real/learning.rs:+0 (module annulus_conformance::kernels::real::learning).
#pragma OPENCL FP_CONTRACT OFF

typedef struct f32_x4 { f32 at[4]; } f32_x4;

typedef struct Features {
    f32_x4 values;
} Features;
typedef char ann_size_of_Features[sizeof(Features) == 16 ? 1 : -1];

typedef struct f32_x3 { f32 at[3]; } f32_x3;

typedef struct Classified {
    u32 class_;
    f32_x3 scores;
} Classified;
typedef char ann_size_of_Classified[sizeof(Classified) == 16 ? 1 : -1];

typedef struct f32_x4_x8 { f32_x4 at[8]; } f32_x4_x8;

typedef struct f32_x8 { f32 at[8]; } f32_x8;

typedef struct f32_x8_x3 { f32_x8 at[3]; } f32_x8_x3;

typedef struct Net {
    f32_x4_x8 hidden;
    f32_x8 hidden_bias;
    f32_x8_x3 out;
    f32_x3 out_bias;
} Net;
typedef char ann_size_of_Net[sizeof(Net) == 268 ? 1 : -1];

// learning.rs:-10: weighted
static u32 fn_weighted(GLOBAL const f32 *weights, u64 weights_len, GLOBAL const f32 *values, u64 values_len, f32 bias, PRIVATE f32 *ann_result, PRIVATE u32 *ann_budget) {
    // learning.rs:-9
    f32 sum = bias;
    // learning.rs:-8
    u64 count = rs_min_u64(weights_len, values_len);
    for (u64 i = 0ul; i < count; i += 1) {
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        // learning.rs:-7
        sum = sum + (weights[i] * values[i]);
    }
    // learning.rs:-5
    *ann_result = sum;
    return 0u;
}

// learning.rs:-10: weighted
static u32 fn_weighted_2(GLOBAL const f32 *weights, u64 weights_len, PRIVATE const f32 *values, u64 values_len, f32 bias, PRIVATE f32 *ann_result, PRIVATE u32 *ann_budget) {
    // learning.rs:-9
    f32 sum = bias;
    // learning.rs:-8
    u64 count = rs_min_u64(weights_len, values_len);
    for (u64 i = 0ul; i < count; i += 1) {
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        // learning.rs:-7
        sum = sum + (weights[i] * values[i]);
    }
    // learning.rs:-5
    *ann_result = sum;
    return 0u;
}

static u32 handle_neural_net(GLOBAL const Features *features, PRIVATE ann_outbox *classified, GLOBAL const Net *net) {
    u32 ann_budget = 16777216u;
    // learning.rs:+1
    f32_x8 hidden;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        hidden.at[i] = 0.0f;
    }
    // learning.rs:+2
    for (u64 i = 0ul; i < 8ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // learning.rs:+3
        f32 weighted;
        RS_TRY(fn_weighted(net->hidden.at[i].at, 4ul, features->values.at, 4ul, net->hidden_bias.at[i], &weighted, &ann_budget));
        hidden.at[i] = rs_max_f32(weighted, 0.0f);
    }
    // learning.rs:+5
    f32_x3 scores;
    for (u64 i = 0ul; i < 3ul; i += 1) {
        scores.at[i] = 0.0f;
    }
    // learning.rs:+6
    u64 class_ = 0ul;
    // learning.rs:+7
    for (u64 i = 0ul; i < 3ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // learning.rs:+8
        f32 weighted;
        RS_TRY(fn_weighted_2(net->out.at[i].at, 8ul, hidden.at, 8ul, net->out_bias.at[i], &weighted, &ann_budget));
        scores.at[i] = weighted;
        // learning.rs:+9
        if (class_ >= 3ul) return 0xFF04u; // index out of bounds
        if (scores.at[i] > scores.at[class_]) {
            // learning.rs:+10
            class_ = i;
        }
    }
    // learning.rs:+13
    Classified classified_2;
    classified_2.class_ = (u32)class_;
    classified_2.scores = scores;
    {
        GLOBAL Classified *ann_slot = (GLOBAL Classified *)ann_outbox_next(classified);
        if (ann_slot) *ann_slot = classified_2;
    }
    return 0u;
}

#define ANN_MESSAGE Features
#define ANN_MESSAGE_BYTES 16
#define ANN_OUTPUT Classified
#define ANN_OUTPUT_BYTES 16
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS , GLOBAL Net *bind_net, u64 len_of_bind_net
#define ANN_BINDING_ENTRY , GLOBAL Net *bind_net ANN_BUFFER, ANN_NUMBER len_of_bind_net ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_net, len_of_bind_net
#define ANN_CALL(cx, message, state, outbox) handle_neural_net(message, outbox, bind_net)
