// The handler of kernel `fading`, written from crates/annulus-conformance/src/kernels/real/series.rs:+0 (module annulus_conformance::kernels::real::series).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Sample {
    u32 series;
    f32 value;
} Sample;
typedef char ann_size_of_Sample[sizeof(Sample) == 8 ? 1 : -1];

typedef struct Spread {
    u32 series;
    f32 mean;
    f32 deviation;
} Spread;
typedef char ann_size_of_Spread[sizeof(Spread) == 12 ? 1 : -1];

typedef struct Fading {
    f32 mean;
    f32 variance;
    u8 started;
    u8 ann_pad0[3];
} Fading;
typedef char ann_size_of_Fading[sizeof(Fading) == 12 ? 1 : -1];

static u32 handle_fading(GLOBAL const Sample *sample, PRIVATE Fading *fading, PRIVATE ann_outbox *spreads, GLOBAL const f32 *weight) {
    // series.rs:+1
    if (!fading->started) {
        // series.rs:+2
        Fading fading_2;
        fading_2.mean = sample->value;
        fading_2.variance = 0.0f;
        fading_2.started = true;
        (*fading) = fading_2;
    }
    // series.rs:+4
    f32 delta = sample->value - fading->mean;
    // series.rs:+5
    fading->mean = fading->mean + ((*weight) * delta);
    // series.rs:+6
    fading->variance = (1.0f - (*weight)) * (fading->variance + (((*weight) * delta) * delta));
    // series.rs:+7
    Spread spread;
    spread.series = sample->series;
    spread.mean = fading->mean;
    spread.deviation = rs_sqrt_f32(fading->variance);
    {
        GLOBAL Spread *ann_slot = (GLOBAL Spread *)ann_outbox_next(spreads);
        if (ann_slot) *ann_slot = spread;
    }
    return 0u;
}

#define ANN_MESSAGE Sample
#define ANN_MESSAGE_BYTES 8
#define ANN_OUTPUT Spread
#define ANN_OUTPUT_BYTES 12
#define ANN_STATE Fading
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->series)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS , GLOBAL f32 *bind_weight, u64 len_of_bind_weight
#define ANN_BINDING_ENTRY , GLOBAL f32 *bind_weight ANN_BUFFER, ANN_NUMBER len_of_bind_weight ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_weight, len_of_bind_weight
#define ANN_CALL(cx, message, state, outbox) handle_fading(message, state, outbox, bind_weight)
