// The handler of kernel `fir`, written from crates/annulus-conformance/src/kernels/real/series.rs:+0 (module annulus_conformance::kernels::real::series).
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

static u32 handle_fir(GLOBAL const Sample *sample, PRIVATE Window *window, PRIVATE ann_outbox *filtered, GLOBAL const f32_x8 *taps) {
    u32 ann_budget = 16777216u;
    // series.rs:+1
    bool more = 1ul < 8ul;
    u64 next = rs_before_u64(8ul);
    for (;;) {
        if (!more) {
            break;
        }
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u64 i = next;
        more = rs_distance_u64(1ul, next) >= 1ul;
        next = rs_retreat_u64(next, 1ul);
        // series.rs:+2
        u64 at = i - 1ul;
        if (at >= 8ul) return 0xFF04u; // index out of bounds
        if (i >= 8ul) return 0xFF04u; // index out of bounds
        window->values.at[i] = window->values.at[at];
    }
    // series.rs:+4
    window->values.at[0] = sample->value;
    // series.rs:+5
    f32 value = 0.0f;
    // series.rs:+6
    for (u64 i = 0ul; i < 8ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // series.rs:+7
        value = rs_mul_add_f32(window->values.at[i], taps->at[i], value);
    }
    // series.rs:+9
    Level level;
    level.series = sample->series;
    level.value = value;
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
#define ANN_STATE Window
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->series)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS , GLOBAL f32_x8 *bind_taps, u64 len_of_bind_taps
#define ANN_BINDING_ENTRY , GLOBAL f32_x8 *bind_taps ANN_BUFFER, ANN_NUMBER len_of_bind_taps ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_taps, len_of_bind_taps
#define ANN_CALL(cx, message, state, outbox) handle_fir(message, state, outbox, bind_taps)
