// The handler of kernel `moving_average`, written from crates/annulus-conformance/src/kernels/real/series.rs:+0 (module annulus_conformance::kernels::real::series).
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

typedef struct f32_x8 { f32 at[8]; } f32_x8;

typedef struct Window {
    f32_x8 values;
    u8 next;
    u8 filled;
    u8 ann_pad0[2];
} Window;
typedef char ann_size_of_Window[sizeof(Window) == 36 ? 1 : -1];

static u32 handle_moving_average(GLOBAL const Sample *sample, PRIVATE Window *window, PRIVATE ann_outbox *means) {
    u32 ann_budget = 16777216u;
    // series.rs:+1
    u64 at = (u64)window->next;
    if (at >= 8ul) return 0xFF04u; // index out of bounds
    window->values.at[at] = sample->value;
    // series.rs:+2
    window->next = rs_add_u8(window->next, 1) % 8;
    // series.rs:+3
    window->filled = rs_min_u8(rs_add_u8(window->filled, 1), 8);
    // series.rs:+4
    f32 sum = 0.0f;
    // series.rs:+5
    u64 end = (u64)window->filled;
    for (u64 i = 0ul; i < end; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // series.rs:+6
        if (i >= 8ul) return 0xFF04u; // index out of bounds
        sum = sum + window->values.at[i];
    }
    // series.rs:+8
    Level level;
    level.series = sample->series;
    level.value = sum / ((f32)window->filled);
    {
        GLOBAL Level *ann_slot = (GLOBAL Level *)ann_outbox_next(means);
        if (ann_slot) *ann_slot = level;
    }
    return 0u;
}

#define ANN_MESSAGE Sample
#define ANN_MESSAGE_BYTES 8
#define ANN_OUTPUT Level
#define ANN_OUTPUT_BYTES 8
#define ANN_STATE Window
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->series)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_moving_average(message, state, outbox)
