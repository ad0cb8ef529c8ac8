// The handler of kernel `slices_changed`, written from crates/annulus-conformance/src/kernels/items.rs:+0 (module annulus_conformance::kernels::items).
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

typedef struct u64_x2 { u64 at[2]; } u64_x2;

typedef struct Tuple_u64_u64 { u64 field_0; u64 field_1; } Tuple_u64_u64;

static u32 handle_slices_changed(GLOBAL const Small *small, PRIVATE Grid *grid, PRIVATE ann_outbox *answers) {
    u32 ann_budget = 16777216u;
    // items.rs:+1
    u64 n = (u64)(small->a % 8);
    // items.rs:+2
    u64 k = ((u64)small->key) % 7ul;
    // items.rs:+3
    u32_x8 words;
    words.at[0] = 1u;
    words.at[1] = 2u;
    words.at[2] = 3u;
    words.at[3] = 4u;
    words.at[4] = 5u;
    words.at[5] = 6u;
    words.at[6] = 7u;
    words.at[7] = 8u;
    // items.rs:+4
    if (0ul > n) return 0xFF04u; // index out of bounds
    if (n > 8ul) return 0xFF04u; // index out of bounds
    u32 item = (u32)small->b;
    for (u64 i = 0ul; i < n; i += 1) {
        words.at[i] = item;
    }
    // items.rs:+5
    if (k >= 8ul) return 0xFF04u; // index out of bounds
    if (n >= 8ul) return 0xFF04u; // index out of bounds
    u32 before = words.at[k];
    words.at[k] = words.at[n];
    words.at[n] = before;
    // items.rs:+6
    u32_x8 other;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        other.at[i] = 0u;
    }
    // items.rs:+7
    if (k > 8ul) return 0xFF04u; // index out of bounds
    u64 len = 8ul - k;
    if (k > 8ul) return 0xFF04u; // index out of bounds
    u64 len_2 = 8ul - k;
    if (len != len_2) return 0xFF01u; // panicked
    for (u64 i = 0ul; i < len; i += 1) {
        other.at[k + i] = words.at[k + i];
    }
    // items.rs:+8
    if (0ul > k) return 0xFF04u; // index out of bounds
    if (k > 8ul) return 0xFF04u; // index out of bounds
    u64 count = k / 2ul;
    for (u64 i = 0ul; i < count; i += 1) {
        u32 before_2 = other.at[i];
        other.at[i] = other.at[(k - 1ul) - i];
        other.at[(k - 1ul) - i] = before_2;
    }
    // items.rs:+9
    u64 b = k % 6ul;
    if (n >= 6ul) return 0xFF04u; // index out of bounds
    if (b >= 6ul) return 0xFF04u; // index out of bounds
    i32 before_2 = grid->weights.at[n];
    grid->weights.at[n] = grid->weights.at[b];
    grid->weights.at[b] = before_2;
    // items.rs:+10
    u64 at = k % 4ul;
    if (at >= 4ul) return 0xFF04u; // index out of bounds
    u16 item_2 = (u16)n;
    for (u64 i = 0ul; i < 3ul; i += 1) {
        grid->rows.at[at].at[i] = item_2;
    }
    // items.rs:+11
    for (u64 i = 0ul; i < 2ul; i += 1) {
        bool before_3 = grid->flags.at[1ul + i];
        grid->flags.at[1ul + i] = grid->flags.at[1ul + (3ul - i)];
        grid->flags.at[1ul + (3ul - i)] = before_3;
    }
    // items.rs:+12
    bool there = n < 4ul;
    if (there) {
        // items.rs:+13
        u64 at_2 = k % 3ul;
        if (at_2 >= 3ul) return 0xFF04u; // index out of bounds
        grid->rows.at[n].at[at_2] = 77;
        // items.rs:+14
        if (true) {
            // items.rs:+15
            grid->rows.at[n].at[2] = rs_add_u16(grid->rows.at[n].at[2], 1);
        }
    }
    // items.rs:+19
    for (u64 i = 0ul; i < 4ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u64 at_2 = 3ul - i;
        u64 at_3 = 4ul + at_2;
        // items.rs:+20
        if (words.at[i] < words.at[at_3]) {
            // items.rs:+21
            words.at[i] = words.at[at_3];
            // items.rs:+22
            words.at[at_3] = 1u;
        }
    }
    // items.rs:+25
    u64 at_2 = n % 4ul;
    if (at_2 >= 4ul) return 0xFF04u; // index out of bounds
    words.at[4] = words.at[4] + words.at[at_2];
    // items.rs:+27
    for (u64 i = 0ul; i < 2ul; i += 1) {
        u32 before_3 = other.at[1ul + i];
        other.at[1ul + i] = other.at[1ul + (3ul - i)];
        other.at[1ul + (3ul - i)] = before_3;
    }
    // items.rs:+28
    u64_x2 items;
    items.at[0] = 1ul;
    items.at[1] = 2ul;
    for (u64 i = 0ul; i < 2ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u64 window = items.at[i];
        // items.rs:+29
        if (window >= 4ul) return 0xFF04u; // index out of bounds
        other.at[1ul + window] = other.at[1ul + window] ^ ((u32)window);
    }
    // items.rs:+31
    Tuple_u64_u64 lengths;
    lengths.field_0 = 4ul;
    lengths.field_1 = 4ul;
    // items.rs:+32
    if (small->a > 250) {
        // items.rs:+33
        if (0ul > n) return 0xFF04u; // index out of bounds
        if (n > 8ul) return 0xFF04u; // index out of bounds
        if (4ul != n) return 0xFF01u; // panicked
        for (u64 i = 0ul; i < 4ul; i += 1) {
            words.at[i] = other.at[i];
        }
    }
    // items.rs:+35
    u64 at_3 = 0ul;
    // items.rs:+36
    for (;;) {
        u64 at_4 = at_3;
        bool there_2 = at_4 < 8ul;
        if (!there_2) {
            break;
        }
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // items.rs:+37
        at_3 = at_3 + 1ul;
        // items.rs:+38
        other.at[7] = (other.at[7] * 5u) + words.at[at_4];
    }
    // items.rs:+40
    Answer answer;
    answer.words = other;
    answer.sum = (i64)((lengths.field_0 * 10ul) + lengths.field_1);
    answer.x = 0.0f;
    answer.on = grid->flags.at[1];
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
#define ANN_CALL(cx, message, state, outbox) handle_slices_changed(message, state, outbox)
