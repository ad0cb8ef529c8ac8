// The handler of kernel `quantile`, written from crates/annulus-conformance/src/kernels/real/series.rs:+0 (module annulus_conformance::kernels::real::series).
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

typedef struct f32_x5 { f32 at[5]; } f32_x5;

typedef struct Markers {
    f32_x5 heights;
    f32_x5 positions;
    u32 count;
} Markers;
typedef char ann_size_of_Markers[sizeof(Markers) == 44 ? 1 : -1];

typedef struct f32_x3 { f32 at[3]; } f32_x3;

// series.rs:-30: Markers::insert
static u32 fn_Markers_insert(PRIVATE Markers *self, f32 value, PRIVATE u32 *ann_budget) {
    // series.rs:-29
    u64 at = (u64)self->count;
    // series.rs:-28
    for (;;) {
        bool both = at > 0ul;
        if (both) {
            u64 at_2 = at - 1ul;
            if (at_2 >= 5ul) return 0xFF04u; // index out of bounds
            both = self->heights.at[at_2] > value;
        }
        if (!both) {
            break;
        }
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        // series.rs:-27
        u64 at_2 = at - 1ul;
        if (at_2 >= 5ul) return 0xFF04u; // index out of bounds
        if (at >= 5ul) return 0xFF04u; // index out of bounds
        self->heights.at[at] = self->heights.at[at_2];
        // series.rs:-26
        at = at - 1ul;
    }
    // series.rs:-24
    if (at >= 5ul) return 0xFF04u; // index out of bounds
    self->heights.at[at] = value;
    // series.rs:-23
    u64 at_2 = (u64)self->count;
    if (at_2 >= 5ul) return 0xFF04u; // index out of bounds
    self->positions.at[at_2] = (f32)self->count;
    return 0u;
}

// series.rs:-19: Markers::moved
static u32 fn_Markers_moved(PRIVATE const Markers *self, u64 i, f32 by, PRIVATE f32 *ann_result) {
    // series.rs:-18
    u64 at = i - 1ul;
    if (at >= 5ul) return 0xFF04u; // index out of bounds
    if (i >= 5ul) return 0xFF04u; // index out of bounds
    u64 at_2 = i + 1ul;
    if (at_2 >= 5ul) return 0xFF04u; // index out of bounds
    f32 left = self->positions.at[at];
    f32 here = self->positions.at[i];
    f32 right = self->positions.at[at_2];
    // series.rs:-17
    u64 at_3 = i - 1ul;
    if (at_3 >= 5ul) return 0xFF04u; // index out of bounds
    if (i >= 5ul) return 0xFF04u; // index out of bounds
    u64 at_4 = i + 1ul;
    if (at_4 >= 5ul) return 0xFF04u; // index out of bounds
    f32 low = self->heights.at[at_3];
    f32 height = self->heights.at[i];
    f32 high = self->heights.at[at_4];
    // series.rs:-16
    f32 up = (((here - left) + by) * (high - height)) / (right - here);
    // series.rs:-15
    f32 down = (((right - here) - by) * (height - low)) / (here - left);
    // series.rs:-14
    f32 curved = height + ((by / (right - left)) * (up + down));
    // series.rs:-13
    if ((low < curved) && (curved < high)) {
        // series.rs:-12
        *ann_result = curved;
        return 0u;
    }
    // series.rs:-10
    *ann_result = (by > 0.0f) ? (height + ((high - height) / (right - here))) : (height - ((low - height) / (left - here)));
    return 0u;
}

static u32 handle_quantile(GLOBAL const Sample *sample, PRIVATE Markers *markers, PRIVATE ann_outbox *quantiles, GLOBAL const f32 *part) {
    u32 ann_budget = 16777216u;
    // series.rs:+1
    f32 value = sample->value;
    // series.rs:+2
    if (markers->count < 5u) {
        // series.rs:+3
        RS_TRY(fn_Markers_insert(markers, value, &ann_budget));
        // series.rs:+4
        markers->count = markers->count + 1u;
        // series.rs:+5
        u64 at = (u64)(markers->count / 2u);
        if (at >= 5ul) return 0xFF04u; // index out of bounds
        Level level;
        level.series = sample->series;
        level.value = markers->heights.at[at];
        {
            GLOBAL Level *ann_slot = (GLOBAL Level *)ann_outbox_next(quantiles);
            if (ann_slot) *ann_slot = level;
        }
        // series.rs:+6
        return 0u;
    }
    // series.rs:+8
    markers->count = rs_saturating_add_u32(markers->count, 1u);
    // series.rs:+9
    markers->heights.at[0] = rs_min_f32(markers->heights.at[0], value);
    // series.rs:+10
    markers->heights.at[4] = rs_max_f32(markers->heights.at[4], value);
    // series.rs:+11
    for (u64 i = 0ul; i < 4ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u64 at = 1ul + i;
        u64 i_2 = at;
        // series.rs:+12
        bool both = i_2 == 4ul;
        if (!both) {
            if (i_2 >= 5ul) return 0xFF04u; // index out of bounds
            both = value < markers->heights.at[i_2];
        }
        if (both) {
            // series.rs:+13
            markers->positions.at[at] = markers->positions.at[at] + 1.0f;
        }
    }
    // series.rs:+16
    f32 last = (f32)(markers->count - 1u);
    // series.rs:+17
    f32_x3 items;
    items.at[0] = (*part) / 2.0f;
    items.at[1] = (*part);
    items.at[2] = (1.0f + (*part)) / 2.0f;
    for (u64 i = 0ul; i < 3ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        f32 share = items.at[i];
        // series.rs:+18
        u64 i_2 = i + 1ul;
        // series.rs:+19
        if (i_2 >= 5ul) return 0xFF04u; // index out of bounds
        f32 off = (share * last) - markers->positions.at[i_2];
        // series.rs:+20
        u64 at = i_2 + 1ul;
        if (at >= 5ul) return 0xFF04u; // index out of bounds
        if (i_2 >= 5ul) return 0xFF04u; // index out of bounds
        bool room_above = (markers->positions.at[at] - markers->positions.at[i_2]) > 1.0f;
        // series.rs:+21
        if (i_2 >= 5ul) return 0xFF04u; // index out of bounds
        u64 at_2 = i_2 - 1ul;
        if (at_2 >= 5ul) return 0xFF04u; // index out of bounds
        bool room_below = (markers->positions.at[i_2] - markers->positions.at[at_2]) > 1.0f;
        // series.rs:+22
        if (((off >= 1.0f) && room_above) || ((off <= (-1.0f)) && room_below)) {
            // series.rs:+23
            f32 by = rs_signum_f32(off);
            // series.rs:+24
            f32 moved;
            RS_TRY(fn_Markers_moved(markers, i_2, by, &moved));
            if (i_2 >= 5ul) return 0xFF04u; // index out of bounds
            markers->heights.at[i_2] = moved;
            // series.rs:+25
            if (i_2 >= 5ul) return 0xFF04u; // index out of bounds
            markers->positions.at[i_2] = markers->positions.at[i_2] + by;
        }
    }
    // series.rs:+28
    Level level;
    level.series = sample->series;
    level.value = markers->heights.at[2];
    {
        GLOBAL Level *ann_slot = (GLOBAL Level *)ann_outbox_next(quantiles);
        if (ann_slot) *ann_slot = level;
    }
    return 0u;
}

#define ANN_MESSAGE Sample
#define ANN_MESSAGE_BYTES 8
#define ANN_OUTPUT Level
#define ANN_OUTPUT_BYTES 8
#define ANN_STATE Markers
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->series)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS , GLOBAL f32 *bind_part, u64 len_of_bind_part
#define ANN_BINDING_ENTRY , GLOBAL f32 *bind_part ANN_BUFFER, ANN_NUMBER len_of_bind_part ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_part, len_of_bind_part
#define ANN_CALL(cx, message, state, outbox) handle_quantile(message, state, outbox, bind_part)
