// The handler of kernel `places`, written from crates/annulus-conformance/src/kernels/constructs.rs:+0 (module annulus_conformance::kernels::constructs).
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

typedef struct i16_x3 { i16 at[3]; } i16_x3;

typedef struct i16_x3_x2 { i16_x3 at[2]; } i16_x3_x2;

typedef struct Inner {
    i8 low;
    u8 ann_pad0[7];
    u64 wide;
    i16_x3_x2 grid;
    u8 ann_pad1[4];
} Inner;
typedef char ann_size_of_Inner[sizeof(Inner) == 32 ? 1 : -1];

typedef struct u32_x5 { u32 at[5]; } u32_x5;

typedef struct Inner_x2 { Inner at[2]; } Inner_x2;

typedef union Kind {
    i8 tag; // (-3) Idle, (-2) Busy, 7 Done
} Kind;
typedef char ann_size_of_Kind[sizeof(Kind) == 1 ? 1 : -1];

typedef struct Outer {
    u8 flag;
    u8 ann_pad0[7];
    Inner inner;
    u32_x5 list;
    u8 ann_pad1[4];
    Inner_x2 parts;
    Kind kind;
    u8 ann_pad2[7];
    f64 ratio;
} Outer;
typedef char ann_size_of_Outer[sizeof(Outer) == 144 ? 1 : -1];

typedef struct u16_x4 { u16 at[4]; } u16_x4;

typedef struct u16_x4_x3 { u16_x4 at[3]; } u16_x4_x3;

typedef struct i8_x4 { i8 at[4]; } i8_x4;

typedef struct Point {
    f32 x;
    f32 y;
    u8 z;
    u8 ann_pad0[3];
} Point;
typedef char ann_size_of_Point[sizeof(Point) == 12 ? 1 : -1];

typedef struct Some_ {
    f32 value;
} Some_;
typedef char ann_size_of_Some_[sizeof(Some_) == 4 ? 1 : -1];

CONSTANT const u16_x4_x3 TABLE = { { { { 1, 2, 3, 4 } }, { { 50, 60, 70, 80 } }, { { 65535, 0, 9, 1000 } } } };

CONSTANT const i8_x4 STEPS = { { 1, (-1), 2, (-2) } };

CONSTANT const Point ORIGIN = { .x = (-0.0f), .y = (-RS_INFINITY_F32), .z = 9 };

static u32 handle_places(GLOBAL const Small *small, PRIVATE Outer *state, PRIVATE ann_outbox *answers) {
    u32 ann_budget = 16777216u;
    // constructs.rs:+1
    u64 at = ((u64)small->a) % 2ul;
    // constructs.rs:+2
    if (at >= 2ul) return 0xFF04u; // index out of bounds
    // constructs.rs:+3
    state->parts.at[at].low = (i8)small->b;
    // constructs.rs:+4
    if (at >= 2ul) return 0xFF04u; // index out of bounds
    u64 at_2 = ((u64)small->key) % 3ul;
    if (at_2 >= 3ul) return 0xFF04u; // index out of bounds
    state->parts.at[at].grid.at[at].at[at_2] = rs_sub_i16(state->parts.at[at].grid.at[at].at[at_2], 5);
    // constructs.rs:+5
    Inner copy = state->parts.at[at];
    // constructs.rs:+6
    Inner inner = copy;
    inner.low = rs_add_i8(copy.low, 1);
    u64 at_3 = 1ul - at;
    if (at_3 >= 2ul) return 0xFF04u; // index out of bounds
    state->parts.at[at_3] = inner;
    // constructs.rs:+7
    state->inner = copy;
    // constructs.rs:+8
    u64 wide = state->inner.wide;
    f64 ratio = state->ratio;
    // constructs.rs:+9
    i64 sum = rs_add_i64((i64)state->inner.grid.at[0].at[1], (i64)wide);
    // constructs.rs:+10
    for (u64 row = 0ul; row < 2ul; row += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // constructs.rs:+11
        for (u64 column = 0ul; column < 3ul; column += 1) {
            if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
            // constructs.rs:+12
            sum = rs_add_i64(sum, rs_mul_i64((i64)state->inner.grid.at[row].at[column], rs_add_i64((i64)column, 1l)));
        }
    }
    // constructs.rs:+15
    state->ratio = ratio + 0.5;
    // constructs.rs:+17
    if (at >= 4ul) return 0xFF04u; // index out of bounds
    u64 at_4 = ((u64)small->key) % 3ul;
    if (at_4 >= 3ul) return 0xFF04u; // index out of bounds
    u64 at_5 = ((u64)small->a) % 4ul;
    if (at_5 >= 4ul) return 0xFF04u; // index out of bounds
    if (at >= 4ul) return 0xFF04u; // index out of bounds
    u32_x8 words;
    words.at[0] = state->list.at[0];
    words.at[1] = 5u;
    words.at[2] = (u32)state->kind.tag;
    words.at[3] = (u32)TABLE.at[1].at[at];
    words.at[4] = (u32)TABLE.at[at_4].at[at_5];
    words.at[5] = (u32)STEPS.at[at];
    words.at[6] = ((u32)ORIGIN.z) << 2u;
    words.at[7] = (u32)(5ul == 0ul);
    // constructs.rs:+27
    Some_ some_;
    some_.value = 3.1415927f;
    f32 value = some_.value;
    // constructs.rs:+28
    Answer answer;
    answer.words = words;
    answer.sum = sum;
    answer.x = value * ORIGIN.x;
    answer.on = state->flag;
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
#define ANN_STATE Outer
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->key)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_places(message, state, outbox)
