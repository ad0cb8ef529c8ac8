// The handler of kernel `detect`, written from crates/annulus-conformance/src/kernels/real/series.rs:+0 (module annulus_conformance::kernels::real::series).
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

typedef struct Stats {
    u32 n;
    f32 mean;
    f32 m2;
} Stats;
typedef char ann_size_of_Stats[sizeof(Stats) == 12 ? 1 : -1];

static u32 handle_detect(GLOBAL const Sample *sample, PRIVATE Stats *stats, PRIVATE ann_outbox *alerts) {
    // series.rs:+1
    f32 n = (f32)stats->n;
    // series.rs:+2
    f32 delta = sample->value - stats->mean;
    // series.rs:+3
    f32 z = delta / rs_sqrt_f32(stats->m2 / n);
    // series.rs:+4
    if ((n >= 30.0f) && (rs_abs_f32(z) > 3.0f)) {
        // series.rs:+5
        Level level;
        level.series = sample->series;
        level.value = z;
        {
            GLOBAL Level *ann_slot = (GLOBAL Level *)ann_outbox_next(alerts);
            if (ann_slot) *ann_slot = level;
        }
    }
    // series.rs:+7
    stats->n = stats->n + 1u;
    // series.rs:+8
    stats->mean = stats->mean + (delta / (n + 1.0f));
    // series.rs:+9
    stats->m2 = stats->m2 + (delta * (sample->value - stats->mean));
    return 0u;
}

#define ANN_MESSAGE Sample
#define ANN_MESSAGE_BYTES 8
#define ANN_OUTPUT Level
#define ANN_OUTPUT_BYTES 8
#define ANN_STATE Stats
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->series)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_detect(message, state, outbox)
