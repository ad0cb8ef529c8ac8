// The handler of kernel `generic`, written from crates/annulus-conformance/src/kernels/own.rs:+0 (module annulus_conformance::kernels::own).
#pragma OPENCL FP_CONTRACT OFF

typedef struct u32_x6 { u32 at[6]; } u32_x6;

typedef struct Point {
    i32 x;
    i32 y;
} Point;
typedef char ann_size_of_Point[sizeof(Point) == 8 ? 1 : -1];

typedef struct Batch {
    u16 key;
    u8 on;
    u8 at;
    u32_x6 values;
    Point point;
} Batch;
typedef char ann_size_of_Batch[sizeof(Batch) == 36 ? 1 : -1];

typedef struct u32_x8 { u32 at[8]; } u32_x8;

typedef struct Answer {
    u32_x8 words;
    i64 sum;
    f32 x;
    u8 on;
    u8 ann_pad0[3];
} Answer;
typedef char ann_size_of_Answer[sizeof(Answer) == 48 ? 1 : -1];

typedef struct Pair {
    u32 first;
    u32 second;
} Pair;
typedef char ann_size_of_Pair[sizeof(Pair) == 8 ? 1 : -1];

typedef struct Pair_2 {
    i32 first;
    i32 second;
} Pair_2;
typedef char ann_size_of_Pair_2[sizeof(Pair_2) == 8 ? 1 : -1];

typedef struct f32_x3 { f32 at[3]; } f32_x3;

typedef struct i64_x2 { i64 at[2]; } i64_x2;

typedef struct bool_x2 { u8 at[2]; } bool_x2;

typedef struct u32_x3 { u32 at[3]; } u32_x3;

// own.rs:-37: limited::<u32>
static u32 fn_limited_u32(u32 value, u32 low, u32 high) {
    // own.rs:-33
    if (value < low) {
        // own.rs:-32
        return low;
    }
    // own.rs:-30
    return (value > high) ? high : value;
}

// own.rs:-8: Pair::put::<u32>
static void fn_Pair_put_u32(PRIVATE Pair *self, u32 value) {
    // own.rs:-7
    self->first = self->second;
    // own.rs:-6
    u32 limited = fn_limited_u32(value, self->first, value);
    self->second = limited;
}

// own.rs:-37: limited::<i32>
static i32 fn_limited_i32(i32 value, i32 low, i32 high) {
    // own.rs:-33
    if (value < low) {
        // own.rs:-32
        return low;
    }
    // own.rs:-30
    return (value > high) ? high : value;
}

// own.rs:-8: Pair::put::<i32>
static void fn_Pair_put_i32(PRIVATE Pair_2 *self, i32 value) {
    // own.rs:-7
    self->first = self->second;
    // own.rs:-6
    i32 limited = fn_limited_i32(value, self->first, value);
    self->second = limited;
}

// own.rs:-12: Pair::ordered::<i32>
static Pair_2 fn_Pair_ordered_i32(Pair_2 self) {
    // own.rs:-11
    Pair_2 chosen;
    if (self.first > self.second) {
        chosen.first = self.second;
        chosen.second = self.first;
    } else {
        chosen = self;
    }
    return chosen;
}

// own.rs:-26: zeroed::<u32, 8>
static u32_x8 fn_zeroed_u32_8(void) {
    // own.rs:-25
    u32_x8 items;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        items.at[i] = 0u;
    }
    return items;
}

// own.rs:-48: largest::<u32, 6>
static u32 fn_largest_u32_6(GLOBAL const u32_x6 *values, u32 least, PRIVATE u32 *ann_result, PRIVATE u32 *ann_budget) {
    // own.rs:-47
    u32 largest = least;
    // own.rs:-46
    for (u64 i = 0ul; i < 6ul; i += 1) {
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        // own.rs:-45
        if (values->at[i] > largest) {
            // own.rs:-44
            largest = values->at[i];
        }
    }
    // own.rs:-41
    *ann_result = largest;
    return 0u;
}

// own.rs:-26: zeroed::<u32, 3>
static u32_x3 fn_zeroed_u32_3(void) {
    // own.rs:-25
    u32_x3 items;
    for (u64 i = 0ul; i < 3ul; i += 1) {
        items.at[i] = 0u;
    }
    return items;
}

// own.rs:-12: Pair::ordered::<u32>
static Pair fn_Pair_ordered_u32(Pair self) {
    // own.rs:-11
    Pair chosen;
    if (self.first > self.second) {
        chosen.first = self.second;
        chosen.second = self.first;
    } else {
        chosen = self;
    }
    return chosen;
}

// own.rs:-48: largest::<i64, 2>
static u32 fn_largest_i64_2(PRIVATE const i64_x2 *values, i64 least, PRIVATE i64 *ann_result, PRIVATE u32 *ann_budget) {
    // own.rs:-47
    i64 largest = least;
    // own.rs:-46
    for (u64 i = 0ul; i < 2ul; i += 1) {
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        // own.rs:-45
        if (values->at[i] > largest) {
            // own.rs:-44
            largest = values->at[i];
        }
    }
    // own.rs:-41
    *ann_result = largest;
    return 0u;
}

// own.rs:-48: largest::<f32, 3>
static u32 fn_largest_f32_3(PRIVATE const f32_x3 *values, f32 least, PRIVATE f32 *ann_result, PRIVATE u32 *ann_budget) {
    // own.rs:-47
    f32 largest = least;
    // own.rs:-46
    for (u64 i = 0ul; i < 3ul; i += 1) {
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        // own.rs:-45
        if (values->at[i] > largest) {
            // own.rs:-44
            largest = values->at[i];
        }
    }
    // own.rs:-41
    *ann_result = largest;
    return 0u;
}

// own.rs:-48: largest::<bool, 2>
static u32 fn_largest_bool_2(PRIVATE const bool_x2 *values, bool least, PRIVATE u8 *ann_result, PRIVATE u32 *ann_budget) {
    // own.rs:-47
    bool largest = least;
    // own.rs:-46
    for (u64 i = 0ul; i < 2ul; i += 1) {
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        // own.rs:-45
        if (values->at[i] > largest) {
            // own.rs:-44
            largest = values->at[i];
        }
    }
    // own.rs:-41
    *ann_result = largest;
    return 0u;
}

static u32 handle_generic_(GLOBAL const Batch *batch, PRIVATE Pair *pair, PRIVATE ann_outbox *answers) {
    u32 ann_budget = 16777216u;
    // own.rs:+1
    fn_Pair_put_u32(pair, batch->values.at[0]);
    // own.rs:+2
    Pair_2 point;
    point.first = batch->point.x;
    point.second = 5;
    // own.rs:+3
    fn_Pair_put_i32(&point, batch->point.y);
    // own.rs:+4
    Pair_2 point_3 = fn_Pair_ordered_i32(point);
    // own.rs:+5
    f32_x3 floats;
    floats.at[0] = 0.5f;
    floats.at[1] = (f32)batch->values.at[1];
    floats.at[2] = (-3.0f);
    // own.rs:+6
    u32_x8 none = fn_zeroed_u32_8();
    // own.rs:+7
    u32 largest;
    RS_TRY(fn_largest_u32_6(&batch->values, 9u, &largest, &ann_budget));
    none.at[7] = largest;
    // own.rs:+8
    u32_x3 zeroed = fn_zeroed_u32_3();
    none.at[6] = zeroed.at[2];
    // own.rs:+9
    u32 limited = fn_limited_u32(batch->values.at[2], 10u, 1000u);
    none.at[5] = limited;
    // own.rs:+10
    i32 limited_2 = fn_limited_i32(batch->point.x, (-10), point_3.second);
    none.at[4] = (u32)limited_2;
    // own.rs:+11
    Pair ordered = fn_Pair_ordered_u32((*pair));
    none.at[3] = ordered.first;
    // own.rs:+12
    i64_x2 items;
    items.at[0] = (i64)point_3.first;
    items.at[1] = (i64)point_3.second;
    i64_x2 value = items;
    i64 largest_2;
    RS_TRY(fn_largest_i64_2(&value, (-9223372036854775807l - 1l), &largest_2, &ann_budget));
    f32 largest_3;
    RS_TRY(fn_largest_f32_3(&floats, 1.0f, &largest_3, &ann_budget));
    bool_x2 items_2;
    items_2.at[0] = batch->on;
    items_2.at[1] = false;
    bool_x2 value_2 = items_2;
    u8 largest_4;
    RS_TRY(fn_largest_bool_2(&value_2, false, &largest_4, &ann_budget));
    Answer answer;
    answer.words = none;
    answer.sum = largest_2;
    answer.x = largest_3;
    answer.on = largest_4;
    {
        GLOBAL Answer *ann_slot = (GLOBAL Answer *)ann_outbox_next(answers);
        if (ann_slot) *ann_slot = answer;
    }
    return 0u;
}

#define ANN_MESSAGE Batch
#define ANN_MESSAGE_BYTES 36
#define ANN_OUTPUT Answer
#define ANN_OUTPUT_BYTES 48
#define ANN_STATE Pair
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->key)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_generic_(message, state, outbox)
