// The handler of kernel `taken_apart`, written from crates/annulus-conformance/src/kernels/items.rs:+0 (module annulus_conformance::kernels::items).
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

typedef struct u16_x3 { u16 at[3]; } u16_x3;

typedef struct u16_x3_x4 { u16_x3 at[4]; } u16_x3_x4;

typedef struct i32_x6 { i32 at[6]; } i32_x6;

typedef struct bool_x5 { u8 at[5]; } bool_x5;

typedef struct Grid {
    u16_x3_x4 rows;
    i32_x6 weights;
    bool_x5 flags;
    u8 ann_pad0[3];
    u32 turns;
} Grid;
typedef char ann_size_of_Grid[sizeof(Grid) == 60 ? 1 : -1];

typedef struct u8_x2 { u8 at[2]; } u8_x2;

typedef struct i32_x2 { i32 at[2]; } i32_x2;

typedef struct Tuple_i32_bool { i32 field_0; u8 field_1; } Tuple_i32_bool;

typedef struct Tuple_i32_bool_x2 { Tuple_i32_bool at[2]; } Tuple_i32_bool_x2;

typedef struct i32_x3 { i32 at[3]; } i32_x3;

// items.rs:-7: volume
static i32 fn_volume(i32_x3 argument, PRIVATE const i32_x6 *argument_2) {
    i32 a = argument.at[0];
    i32 b = argument.at[1];
    i32 c = argument.at[2];
    i32 d = argument_2->at[0];
    i32 e = argument_2->at[1];
    // items.rs:-6
    e = rs_mul_i32(e, a);
    // items.rs:-5
    return rs_add_i32(rs_mul_i32(b, c), d) ^ e;
}

static u32 handle_taken_apart(GLOBAL const Small *small, PRIVATE Grid *grid, PRIVATE ann_outbox *answers) {
    u32 ann_budget = 16777216u;
    // items.rs:+1
    u32_x8 words;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        words.at[i] = 0u;
    }
    // items.rs:+2
    i32 first = grid->weights.at[0];
    i32 second = grid->weights.at[1];
    // items.rs:+3
    second = rs_add_i32(second, first);
    // items.rs:+4
    words.at[0] = (u32)second;
    // items.rs:+6
    grid->rows.at[1].at[0] = rs_add_u16(grid->rows.at[1].at[0], grid->rows.at[1].at[2]);
    // items.rs:+7
    grid->rows.at[0].at[1] = grid->rows.at[0].at[1] ^ grid->rows.at[1].at[0];
    // items.rs:+8
    for (u64 i = 0ul; i < 4ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // items.rs:+9
        words.at[1] = (words.at[1] * 31u) + ((((u32)(grid->rows.at[i].at[0] ^ rs_rotate_left_u16(grid->rows.at[i].at[1], 3u))) * ((u32)i)) + ((u32)grid->rows.at[i].at[2]));
    }
    // items.rs:+13
    u8_x2 items;
    items.at[0] = small->a % 3;
    items.at[1] = ((u8)small->key) % 3;
    u32 chosen;
    if ((items.at[0] == 0) && (items.at[1] == 0)) {
        // items.rs:+14
        chosen = 1u;
    } else if ((items.at[0] == 1) && (items.at[1] >= 1)) {
        // items.rs:+15
        u8 n = items.at[1];
        chosen = ((u32)n) + 10u;
    } else if ((items.at[1] == 2) && (items.at[0] > 0)) {
        // items.rs:+16
        u8 n = items.at[0];
        chosen = 20u;
    } else {
        // items.rs:+17
        chosen = 3u;
    }
    words.at[2] = chosen;
    // items.rs:+19
    i32_x2 items_2;
    items_2.at[0] = small->b;
    items_2.at[1] = (i32)small->a;
    i32 x = items_2.at[0];
    i32 y = items_2.at[1];
    // items.rs:+20
    Tuple_i32_bool tuple;
    tuple.field_0 = x;
    tuple.field_1 = small->on;
    Tuple_i32_bool tuple_2;
    tuple_2.field_0 = y;
    tuple_2.field_1 = grid->flags.at[0];
    Tuple_i32_bool_x2 pairs;
    pairs.at[0] = tuple;
    pairs.at[1] = tuple_2;
    // items.rs:+21
    i32 a = pairs.at[0].field_0;
    bool on = pairs.at[0].field_1;
    i32 b = pairs.at[1].field_0;
    bool off = pairs.at[1].field_1;
    // items.rs:+22
    i32_x3 items_3;
    items_3.at[0] = a;
    items_3.at[1] = b;
    items_3.at[2] = 5;
    i32 volume = fn_volume(items_3, &grid->weights);
    words.at[3] = (u32)volume;
    // items.rs:+23
    i32_x2 items_4;
    items_4.at[0] = x;
    items_4.at[1] = y;
    if (on) {
        i32 p = items_4.at[0];
        i32 q = items_4.at[1];
        // items.rs:+24
        words.at[4] = (u32)rs_sub_i32(p, q);
    }
    // items.rs:+26
    i32_x2 items_5;
    items_5.at[0] = second;
    items_5.at[1] = y;
    i32 low = items_5.at[0];
    i32 high = items_5.at[1];
    i32 shift = 3;
    // items.rs:+27
    words.at[5] = rs_shl_u32((u32)rs_mul_i32(low, high), (u32)shift);
    // items.rs:+28
    if (grid->flags.at[0] || ((!grid->flags.at[0]) && grid->flags.at[1])) {
        // items.rs:+29
        words.at[6] = 1u;
    }
    // items.rs:+32
    grid->weights.at[0] = rs_add_i32(grid->weights.at[0], 1);
    // items.rs:+33
    i32_x2 swapped;
    swapped.at[0] = x;
    swapped.at[1] = y;
    // items.rs:+34
    if ((swapped.at[0] >= 1) && ((swapped.at[1] >= 0) && (swapped.at[1] <= 50))) {
        // items.rs:+35
        i32 a_2 = swapped.at[0];
        i32 b_2 = swapped.at[1];
        // items.rs:+36
        i32_x2 items_6;
        items_6.at[0] = b_2;
        items_6.at[1] = a_2;
        swapped = items_6;
    }
    // items.rs:+39
    Answer answer;
    answer.words = words;
    answer.sum = rs_sub_i64(rs_mul_i64((i64)swapped.at[0], 3l), (i64)swapped.at[1]);
    answer.x = 0.0f;
    answer.on = off;
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
#define ANN_STATE Grid
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->key)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_taken_apart(message, state, outbox)
