// The handler of kernel `elements`, written from crates/annulus-conformance/src/kernels/items.rs:+0 (module annulus_conformance::kernels::items).
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

typedef struct u32_x6 { u32 at[6]; } u32_x6;

typedef struct i32_x3 { i32 at[3]; } i32_x3;

CONSTANT const u32_x6 PRIMES = { { 2u, 3u, 5u, 7u, 11u, 13u } };

static u32 handle_elements(GLOBAL const Small *small, PRIVATE Grid *grid, PRIVATE ann_outbox *answers) {
    u32 ann_budget = 16777216u;
    // items.rs:+1
    u32_x8 words;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        words.at[i] = 0u;
    }
    // items.rs:+2
    for (u64 i = 0ul; i < 4ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // items.rs:+3
        for (u64 i_2 = 0ul; i_2 < 3ul; i_2 += 1) {
            if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
            // items.rs:+4
            grid->rows.at[i].at[i_2] = rs_add_u16(grid->rows.at[i].at[i_2], (u16)small->a);
        }
        // items.rs:+6
        for (u64 i_2 = 0ul; i_2 < 3ul; i_2 += 1) {
            if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
            // items.rs:+7
            grid->rows.at[i].at[i_2] = grid->rows.at[i].at[i_2] ^ 1;
        }
    }
    // items.rs:+10
    for (u64 i = 0ul; i < 4ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // items.rs:+11
        for (u64 i_2 = 0ul; i_2 < 3ul; i_2 += 1) {
            if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
            u16 cell = grid->rows.at[i].at[i_2];
            // items.rs:+12
            words.at[0] = words.at[0] + ((u32)cell);
        }
    }
    // items.rs:+15
    for (u64 i = 0ul; i < 4ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // items.rs:+16
        for (u64 i_2 = 0ul; i_2 < 3ul; i_2 += 1) {
            if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
            u64 at = 2ul - i_2;
            u64 j = at;
            // items.rs:+17
            words.at[1] = (words.at[1] * 3u) + (((u32)grid->rows.at[i].at[at]) * ((u32)((i * 3ul) + j)));
        }
    }
    // items.rs:+20
    i32_x6 items = grid->weights;
    for (u64 i = 0ul; i < 6ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        i32 value = items.at[i];
        // items.rs:+21
        grid->weights.at[0] = rs_add_i32(grid->weights.at[0], value);
    }
    // items.rs:+23
    i32_x6 copy = grid->weights;
    // items.rs:+24
    for (u64 i = 0ul; i < 6ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        i32 value = copy.at[i];
        // items.rs:+25
        value = value / 3;
        // items.rs:+26
        words.at[2] = words.at[2] + ((u32)value);
    }
    // items.rs:+28
    for (u64 i = 0ul; i < 3ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u64 at = 1ul + i;
        // items.rs:+29
        grid->weights.at[at] = rs_sub_i32(grid->weights.at[at], 1);
        // items.rs:+30
        if (grid->weights.at[at] > 100) {
            // items.rs:+31
            continue;
        }
        // items.rs:+33
        words.at[3] = words.at[3] + 1u;
    }
    // items.rs:+35
    for (u64 i = 0ul; i < 5ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u32 prime = PRIMES.at[i];
        // items.rs:+36
        grid->flags.at[i] = (!grid->flags.at[i]) && (prime != 5u);
        // items.rs:+37
        if (grid->flags.at[i]) {
            // items.rs:+38
            words.at[4] = words.at[4] + prime;
        }
    }
    // items.rs:+41
    for (u64 i = 0ul; i < 6ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u32 prime = PRIMES.at[i];
        // items.rs:+42
        words.at[5] = (words.at[5] * 2u) + prime;
    }
    // items.rs:+44
    for (u64 i = 0ul; i < 3ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u64 at = i * 2ul;
        u64 at_2 = 1ul + at;
        // items.rs:+45
        words.at[6] = words.at[6] + (PRIMES.at[at_2] * ((u32)grid->weights.at[at_2]));
    }
    // items.rs:+47
    i32_x3 items_2;
    items_2.at[0] = small->b;
    items_2.at[1] = 7;
    items_2.at[2] = rs_mul_i32(small->b, 2);
    for (u64 i = 0ul; i < 3ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // items.rs:+48
        words.at[7] = words.at[7] + ((u32)items_2.at[i]);
    }
    // items.rs:+50
    bool_x5 items_3 = grid->flags;
    for (u64 i = 0ul; i < 5ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // items.rs:+51
        grid->turns = grid->turns + 1u;
    }
    // items.rs:+53
    Answer answer;
    answer.words = words;
    answer.sum = (i64)grid->turns;
    answer.x = 0.0f;
    answer.on = grid->flags.at[4];
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
#define ANN_CALL(cx, message, state, outbox) handle_elements(message, state, outbox)
