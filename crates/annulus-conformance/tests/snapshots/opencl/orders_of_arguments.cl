// The handler of kernel `orders_of_arguments`, written from crates/annulus-conformance/src/kernels/own.rs:+0 (module annulus_conformance::kernels::own).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Small {
    u16 key;
    u8 a;
    u8 ann_pad0[1];
    i32 b;
    u8 on;
    u8 ann_pad1[3];
    f32 x;
} Small;
typedef char ann_size_of_Small[sizeof(Small) == 16 ? 1 : -1];

typedef struct u32_x8 { u32 at[8]; } u32_x8;

typedef struct Answer {
    u32_x8 words;
    i64 sum;
    f32 x;
    u8 on;
    u8 ann_pad0[3];
} Answer;
typedef char ann_size_of_Answer[sizeof(Answer) == 48 ? 1 : -1];

typedef struct u32_x6 { u32 at[6]; } u32_x6;

typedef struct Point {
    i32 x;
    i32 y;
} Point;
typedef char ann_size_of_Point[sizeof(Point) == 8 ? 1 : -1];

typedef struct Ledger {
    u32_x6 sums;
    Point point;
    u8 seen;
    u8 ann_pad0[3];
    u32 calls;
} Ledger;
typedef char ann_size_of_Ledger[sizeof(Ledger) == 40 ? 1 : -1];

// own.rs:-42: bump
static u32 fn_bump(PRIVATE u32 *count, u32 by) {
    // own.rs:-41
    u32 before = (*count);
    // own.rs:-40
    (*count) = before + by;
    // own.rs:-39
    return before;
}

// own.rs:-6: three
static u32 fn_three(u32 a, u32 b, u32 c) {
    // own.rs:-5
    return ((a * 100u) + (b * 10u)) + c;
}

// own.rs:-22: fill
static u32 fn_fill(PRIVATE u32 *values, u64 values_len, u32 value, PRIVATE u32 *ann_budget) {
    // own.rs:-21
    for (u64 i = 0ul; i < values_len; i += 1) {
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        // own.rs:-20
        values[i] = value + ((u32)i);
    }
    return 0u;
}

// own.rs:-15: reverse
static u32 fn_reverse(PRIVATE u32_x6 *values, PRIVATE u32 *ann_budget) {
    // own.rs:-14
    for (u64 i = 0ul; i < 3ul; i += 1) {
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        // own.rs:-13
        u32 kept = values->at[i];
        // own.rs:-12
        u64 at = 5ul - i;
        if (at >= 6ul) return 0xFF04u; // index out of bounds
        values->at[i] = values->at[at];
        // own.rs:-11
        u64 at_2 = 5ul - i;
        if (at_2 >= 6ul) return 0xFF04u; // index out of bounds
        values->at[at_2] = kept;
    }
    return 0u;
}

// own.rs:-35: flip
static bool fn_flip(PRIVATE u8 *flag) {
    // own.rs:-34
    (*flag) = !(*flag);
    // own.rs:-33
    return !(*flag);
}

// own.rs:-29: exchange
static void fn_exchange(PRIVATE u32 *a, PRIVATE u32 *b) {
    // own.rs:-28
    u32 kept = (*a);
    // own.rs:-27
    (*a) = (*b);
    // own.rs:-26
    (*b) = kept;
}

// own.rs:+48: shift
static void fn_shift(PRIVATE Point *point, Point by) {
    // own.rs:+49
    point->x = rs_add_i32(point->x, by.x);
    // own.rs:+50
    point->y = rs_add_i32(point->y, by.y);
}

static u32 handle_orders_of_arguments(GLOBAL const Small *small, PRIVATE Ledger *ledger, PRIVATE ann_outbox *answers) {
    u32 ann_budget = 16777216u;
    // own.rs:+1
    u32 n = (u32)small->a;
    // own.rs:+2
    u32_x6 list;
    list.at[0] = n;
    list.at[1] = 2u;
    list.at[2] = 3u;
    list.at[3] = 4u;
    list.at[4] = 5u;
    list.at[5] = 6u;
    // own.rs:+3
    u32 before = n;
    u32 bump = fn_bump(&n, 3u);
    u32 three = fn_three(before, bump, n);
    u32 bump_2 = fn_bump(&n, 1u);
    u32 bump_3 = fn_bump(&n, 1u);
    // own.rs:+6
    u32 bump_4 = fn_bump(&n, 2u);
    // own.rs:+7
    u32 three_2 = fn_three(bump_2, bump_3, n);
    u32 before_2 = n;
    u32 bump_5 = fn_bump(&n, 5u);
    u32 bump_6 = fn_bump(&n, 1u);
    u32 before_3 = list.at[0];
    // own.rs:+13
    RS_TRY(fn_fill(list.at, 6ul, n, &ann_budget));
    // own.rs:+14
    u32 three_3 = fn_three(before_3, list.at[1], list.at[0]);
    u64 at = ((u64)n) % 6ul;
    if (at >= 6ul) return 0xFF04u; // index out of bounds
    u32 bump_7 = fn_bump(&list.at[at], n);
    u64 at_2 = ((u64)n) % 6ul;
    if (at_2 >= 6ul) return 0xFF04u; // index out of bounds
    u32 before_4 = list.at[at_2];
    // own.rs:+21
    RS_TRY(fn_reverse(&list, &ann_budget));
    // own.rs:+22
    u64 at_3 = (u64)(small->a % 8);
    if (at_3 >= 6ul) return 0xFF04u; // index out of bounds
    // own.rs:+25
    n = n + 9u;
    // own.rs:+26
    u32 bump_8 = fn_bump(&ledger->sums.at[at_3], n);
    u32_x8 words;
    words.at[0] = three;
    words.at[1] = three_2;
    words.at[2] = (before_2 + bump_5) * bump_6;
    words.at[3] = three_3;
    words.at[4] = bump_7;
    words.at[5] = before_4;
    words.at[6] = list.at[0];
    words.at[7] = bump_8;
    // own.rs:+29
    u8 flag = small->on;
    // own.rs:+30
    bool was = fn_flip(&flag);
    // own.rs:+31
    bool flip = fn_flip(&ledger->seen);
    bool both = flip;
    if (both) {
        both = fn_flip(&flag);
    }
    bool both_2 = both;
    if (!both_2) {
        both_2 = fn_flip(&flag);
    }
    // own.rs:+32
    u32 low = 1u;
    // own.rs:+33
    u32 high = 2u;
    // own.rs:+34
    fn_exchange(&low, &high);
    // own.rs:+35
    fn_exchange(&ledger->calls, &low);
    // own.rs:+37
    ledger->point.x = 3;
    // own.rs:+38
    Point point;
    point.x = (i32)high;
    point.y = 1;
    fn_shift(&ledger->point, point);
    // own.rs:+39
    Answer answer;
    answer.words = words;
    answer.sum = rs_add_i64(rs_add_i64((i64)n, rs_mul_i64((i64)low, 7l)), rs_mul_i64((i64)high, 31l));
    answer.x = flag ? 1.0f : 0.0f;
    answer.on = was != both_2;
    {
        GLOBAL Answer *ann_slot = (GLOBAL Answer *)ann_outbox_next(answers);
        if (ann_slot) *ann_slot = answer;
    }
    return 0u;
}

#define ANN_MESSAGE Small
#define ANN_MESSAGE_BYTES 16
#define ANN_OUTPUT Answer
#define ANN_OUTPUT_BYTES 48
#define ANN_STATE Ledger
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->key)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_orders_of_arguments(message, state, outbox)
