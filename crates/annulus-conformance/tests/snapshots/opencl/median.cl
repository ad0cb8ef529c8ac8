// The handler of kernel `median`, written from crates/annulus-conformance/src/kernels/real/series.rs:+0 (module annulus_conformance::kernels::real::series).
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

typedef struct f32_x7 { f32 at[7]; } f32_x7;

typedef struct Ring {
    f32_x7 values;
    u32 next;
    u32 filled;
} Ring;
typedef char ann_size_of_Ring[sizeof(Ring) == 36 ? 1 : -1];

static u32 handle_median(GLOBAL const Sample *sample, PRIVATE Ring *ring, PRIVATE ann_outbox *medians) {
    u32 ann_budget = 16777216u;
    // series.rs:+1
    u64 len = 7ul;
    // series.rs:+2
    if (len == 0ul) return 0xFF05u; // division by zero
    u64 at = ((u64)ring->next) % len;
    if (at >= 7ul) return 0xFF04u; // index out of bounds
    ring->values.at[at] = sample->value;
    // series.rs:+3
    u32 divisor = (u32)len;
    if (divisor == 0u) return 0xFF05u; // division by zero
    ring->next = (ring->next + 1u) % divisor;
    // series.rs:+4
    ring->filled = rs_min_u32(ring->filled + 1u, (u32)len);
    // series.rs:+5
    f32_x7 sorted = ring->values;
    // series.rs:+6
    u64 end = (u64)ring->filled;
    if (0ul > end) return 0xFF04u; // index out of bounds
    if (end > 7ul) return 0xFF04u; // index out of bounds
    // series.rs:+7
    for (u64 i = 1ul; i < end; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // series.rs:+8
        u64 at_2 = i;
        // series.rs:+9
        for (;;) {
            bool both = at_2 > 0ul;
            if (both) {
                u64 at_3 = at_2 - 1ul;
                if (at_3 >= end) return 0xFF04u; // index out of bounds
                if (at_2 >= end) return 0xFF04u; // index out of bounds
                both = sorted.at[at_3] > sorted.at[at_2];
            }
            if (!both) {
                break;
            }
            if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
            // series.rs:+10
            u64 a = at_2 - 1ul;
            u64 b = at_2;
            if (a >= end) return 0xFF04u; // index out of bounds
            if (b >= end) return 0xFF04u; // index out of bounds
            f32 before = sorted.at[a];
            sorted.at[a] = sorted.at[b];
            sorted.at[b] = before;
            // series.rs:+11
            at_2 = at_2 - 1ul;
        }
    }
    // series.rs:+14
    u64 at_2 = end / 2ul;
    if (at_2 >= end) return 0xFF04u; // index out of bounds
    Level level;
    level.series = sample->series;
    level.value = sorted.at[at_2];
    {
        GLOBAL Level *ann_slot = (GLOBAL Level *)ann_outbox_next(medians);
        if (ann_slot) *ann_slot = level;
    }
    return 0u;
}

#define ANN_MESSAGE Sample
#define ANN_MESSAGE_BYTES 8
#define ANN_OUTPUT Level
#define ANN_OUTPUT_BYTES 8
#define ANN_STATE Ring
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->series)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_median(message, state, outbox)
