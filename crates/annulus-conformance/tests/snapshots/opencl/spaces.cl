// The handler of kernel `spaces`, written from crates/annulus-conformance/src/kernels/own.rs:+0 (module annulus_conformance::kernels::own).
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

typedef struct Ledger {
    u32_x6 sums;
    Point point;
    u8 seen;
    u8 ann_pad0[3];
    u32 calls;
} Ledger;
typedef char ann_size_of_Ledger[sizeof(Ledger) == 40 ? 1 : -1];

CONSTANT const u32_x6 PRIMES = { { 2u, 3u, 5u, 7u, 11u, 13u } };

// own.rs:-18: sum
static u32 fn_sum(GLOBAL const u32 *values, u64 values_len, PRIVATE u32 *ann_result, PRIVATE u32 *ann_budget) {
    // own.rs:-17
    u32 sum = 0u;
    // own.rs:-16
    for (u64 i = 0ul; i < values_len; i += 1) {
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        // own.rs:-15
        sum = sum + values[i];
    }
    // own.rs:-13
    *ann_result = sum;
    return 0u;
}

// own.rs:-18: sum
static u32 fn_sum_2(PRIVATE const u32 *values, u64 values_len, PRIVATE u32 *ann_result, PRIVATE u32 *ann_budget) {
    // own.rs:-17
    u32 sum = 0u;
    // own.rs:-16
    for (u64 i = 0ul; i < values_len; i += 1) {
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        // own.rs:-15
        sum = sum + values[i];
    }
    // own.rs:-13
    *ann_result = sum;
    return 0u;
}

// own.rs:-18: sum
static u32 fn_sum_3(RS_CONSTANT const u32 *values, u64 values_len, PRIVATE u32 *ann_result, PRIVATE u32 *ann_budget) {
    // own.rs:-17
    u32 sum = 0u;
    // own.rs:-16
    for (u64 i = 0ul; i < values_len; i += 1) {
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        // own.rs:-15
        sum = sum + values[i];
    }
    // own.rs:-13
    *ann_result = sum;
    return 0u;
}

// own.rs:-39: sum
static u32 fn_sum_4(PRIVATE const u32 *values, u64 values_len, PRIVATE u32 *ann_result, PRIVATE u32 *ann_budget) {
    // own.rs:-38
    u32 sum;
    RS_TRY(fn_sum_2(values, values_len, &sum, ann_budget));
    *ann_result = sum * 2u;
    return 0u;
}

// own.rs:-9: sum_of_six
static u32 fn_sum_of_six(RS_CONSTANT const u32_x6 *values, PRIVATE u32 *ann_result, PRIVATE u32 *ann_budget) {
    // own.rs:-8
    u32 sum;
    RS_TRY(fn_sum_3(values->at, 6ul, &sum, ann_budget));
    *ann_result = sum + 6u;
    return 0u;
}

// own.rs:-9: sum_of_six
static u32 fn_sum_of_six_2(GLOBAL const u32_x6 *values, PRIVATE u32 *ann_result, PRIVATE u32 *ann_budget) {
    // own.rs:-8
    u32 sum;
    RS_TRY(fn_sum(values->at, 6ul, &sum, ann_budget));
    *ann_result = sum + 6u;
    return 0u;
}

// own.rs:-9: sum_of_six
static u32 fn_sum_of_six_3(PRIVATE const u32_x6 *values, PRIVATE u32 *ann_result, PRIVATE u32 *ann_budget) {
    // own.rs:-8
    u32 sum;
    RS_TRY(fn_sum_2(values->at, 6ul, &sum, ann_budget));
    *ann_result = sum + 6u;
    return 0u;
}

// own.rs:-54: mix
static u64 fn_mix(u64 value) {
    // own.rs:-53
    u64 value_2 = (value ^ (value >> 30u)) * 13787848793156543929ul;
    // own.rs:-52
    u64 value_3 = (value_2 ^ (value_2 >> 27u)) * 10723151780598845931ul;
    // own.rs:-51
    return value_3 ^ (value_3 >> 31u);
}

// own.rs:-46: mix_twice
static u64 fn_mix_twice(u64 value) {
    // own.rs:-44
    u64 mix_ = fn_mix(value);
    u64 mix__2 = fn_mix(mix_ ^ 11400714819323198485ul);
    return mix__2;
}

static u32 handle_spaces(GLOBAL const Batch *batch, PRIVATE Ledger *ledger, PRIVATE ann_outbox *answers, GLOBAL const u32 *table, u64 table_len) {
    u32 ann_budget = 16777216u;
    // own.rs:+1
    u32_x6 mine;
    mine.at[0] = batch->values.at[0];
    mine.at[1] = 1u;
    mine.at[2] = ledger->calls;
    mine.at[3] = 7u;
    mine.at[4] = 8u;
    mine.at[5] = 9u;
    // own.rs:+2
    u32 sum;
    RS_TRY(fn_sum(batch->values.at, 6ul, &sum, &ann_budget));
    u32 sum_2;
    RS_TRY(fn_sum_2(ledger->sums.at, 6ul, &sum_2, &ann_budget));
    u32 sum_3;
    RS_TRY(fn_sum(table, table_len, &sum_3, &ann_budget));
    u32 sum_4;
    RS_TRY(fn_sum_2(mine.at, 6ul, &sum_4, &ann_budget));
    u32 sum_5;
    RS_TRY(fn_sum_3(PRIMES.at, 6ul, &sum_5, &ann_budget));
    u32 sum_6;
    RS_TRY(fn_sum_4(mine.at, 6ul, &sum_6, &ann_budget));
    u32 sum_of_six;
    RS_TRY(fn_sum_of_six(&PRIMES, &sum_of_six, &ann_budget));
    u32 sum_of_six_2;
    RS_TRY(fn_sum_of_six_2(&batch->values, &sum_of_six_2, &ann_budget));
    u32 sum_of_six_3;
    RS_TRY(fn_sum_of_six_3(&ledger->sums, &sum_of_six_3, &ann_budget));
    u32_x8 words;
    words.at[0] = sum;
    words.at[1] = sum_2;
    words.at[2] = sum_3;
    words.at[3] = sum_4;
    words.at[4] = sum_5;
    words.at[5] = sum_6;
    words.at[6] = sum_of_six + sum_of_six_2;
    words.at[7] = sum_of_six_3;
    // own.rs:+12
    ledger->sums = batch->values;
    // own.rs:+13
    ledger->calls = ledger->calls + 1u;
    // own.rs:+14
    u64 mix_twice = fn_mix_twice((u64)words.at[0]);
    Answer answer;
    answer.words = words;
    answer.sum = (i64)mix_twice;
    answer.x = 0.0f;
    answer.on = batch->on;
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
#define ANN_STATE Ledger
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->key)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS , GLOBAL u32 *bind_table, u64 len_of_bind_table
#define ANN_BINDING_ENTRY , GLOBAL u32 *bind_table ANN_BUFFER, ANN_NUMBER len_of_bind_table ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_table, len_of_bind_table
#define ANN_CALL(cx, message, state, outbox) handle_spaces(message, state, outbox, bind_table, len_of_bind_table)
