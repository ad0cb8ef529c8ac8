// The handler of kernel `biquad`, written from crates/annulus-conformance/src/kernels/real/signals.rs:+0 (module annulus_conformance::kernels::real::signals).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Sample {
    u32 series;
    f32 value;
} Sample;
typedef char ann_size_of_Sample[sizeof(Sample) == 8 ? 1 : -1];

typedef struct Level {
    u32 series;
    f32 value;
} Level;
typedef char ann_size_of_Level[sizeof(Level) == 8 ? 1 : -1];

typedef struct Delays {
    f32 first;
    f32 second;
} Delays;
typedef char ann_size_of_Delays[sizeof(Delays) == 8 ? 1 : -1];

typedef struct f32_x3 { f32 at[3]; } f32_x3;

typedef struct f32_x2 { f32 at[2]; } f32_x2;

typedef struct Biquad {
    f32_x3 b;
    f32_x2 a;
} Biquad;
typedef char ann_size_of_Biquad[sizeof(Biquad) == 20 ? 1 : -1];

static u32 handle_biquad(GLOBAL const Sample *sample, PRIVATE Delays *delays, PRIVATE ann_outbox *filtered, GLOBAL const Biquad *filter) {
    // signals.rs:+1
    f32 x = sample->value;
    // signals.rs:+2
    f32 y = (filter->b.at[0] * x) + delays->first;
    // signals.rs:+3
    delays->first = ((filter->b.at[1] * x) - (filter->a.at[0] * y)) + delays->second;
    // signals.rs:+4
    delays->second = (filter->b.at[2] * x) - (filter->a.at[1] * y);
    // signals.rs:+5
    Level level;
    level.series = sample->series;
    level.value = y;
    {
        GLOBAL Level *ann_slot = (GLOBAL Level *)ann_outbox_next(filtered);
        if (ann_slot) *ann_slot = level;
    }
    return 0u;
}

#define ANN_MESSAGE Sample
#define ANN_MESSAGE_BYTES 8
#define ANN_OUTPUT Level
#define ANN_OUTPUT_BYTES 8
#define ANN_STATE Delays
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->series)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS , GLOBAL Biquad *bind_filter, u64 len_of_bind_filter
#define ANN_BINDING_ENTRY , GLOBAL Biquad *bind_filter ANN_BUFFER, ANN_NUMBER len_of_bind_filter ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_filter, len_of_bind_filter
#define ANN_CALL(cx, message, state, outbox) handle_biquad(message, state, outbox, bind_filter)
