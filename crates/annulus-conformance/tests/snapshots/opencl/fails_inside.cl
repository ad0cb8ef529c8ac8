// The handler of kernel `fails_inside`, written from crates/annulus-conformance/src/kernels/own.rs:+0 (module annulus_conformance::kernels::own).
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

// own.rs:-18: only_if
static u32 fn_only_if(bool on, PRIVATE u32 *values, u64 values_len) {
    // own.rs:-17
    if (!on) {
        // own.rs:-16
        return 0u;
    }
    // own.rs:-14
    if (5ul >= values_len) return 0xFF04u; // index out of bounds
    if (0ul >= values_len) return 0xFF04u; // index out of bounds
    values[0] = values[5];
    return 0u;
}

// own.rs:-21: nothing
static void fn_nothing(void) {
}

// own.rs:-47: find
static u32 fn_find(GLOBAL const u32 *values, u64 values_len, u32 wanted, PRIVATE u64 *ann_result, PRIVATE u32 *ann_budget) {
    // own.rs:-46
    for (u64 i = 0ul; i < values_len; i += 1) {
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        // own.rs:-45
        if (values[i] == wanted) {
            // own.rs:-44
            *ann_result = i;
            return 0u;
        }
        // own.rs:-42
        if (values[i] > 1000000u) {
            // own.rs:-41
            continue;
        }
        // own.rs:-39
        u32 k = 0u;
        // own.rs:-38
        for (;;) {
            if (k >= 3u) {
                break;
            }
            if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
            // own.rs:-37
            k = k + 1u;
            // own.rs:-36
            if ((values[i] + k) == wanted) {
                // own.rs:-35
                *ann_result = i + 100ul;
                return 0u;
            }
        }
    }
    // own.rs:-31
    *ann_result = values_len;
    return 0u;
}

// own.rs:-195: wrapped
static u32 fn_wrapped(u32 a, u32 b) {
    // own.rs:-193
    return rs_shl_u32(((a + b) * 3u) - rs_pow_u32(a, 2u), b % 40u);
}

// own.rs:-188: quotient
static u32 fn_quotient(u32 a, u32 b, PRIVATE u32 *ann_result) {
    // own.rs:-187
    if (b == 0u) return 0xFF05u; // division by zero
    *ann_result = a / b;
    return 0u;
}

// own.rs:-27: checked
static u32 fn_checked(GLOBAL const u32_x6 *values, u64 at, u32 by, PRIVATE u32 *ann_result) {
    // own.rs:-26
    if (by == 13u) return 0xFF01u; // panicked
    // own.rs:-25
    if (at >= 6ul) return 0xFF04u; // index out of bounds
    u32 quotient;
    RS_TRY(fn_quotient(values->at[at], by, &quotient));
    *ann_result = quotient;
    return 0u;
}

// own.rs:-27: checked
static u32 fn_checked_2(PRIVATE const u32_x6 *values, u64 at, u32 by, PRIVATE u32 *ann_result) {
    // own.rs:-26
    if (by == 13u) return 0xFF01u; // panicked
    // own.rs:-25
    if (at >= 6ul) return 0xFF04u; // index out of bounds
    u32 quotient;
    RS_TRY(fn_quotient(values->at[at], by, &quotient));
    *ann_result = quotient;
    return 0u;
}

// own.rs:-10: never_even
static u32 fn_never_even(u32 n, PRIVATE u32 *ann_result) {
    // own.rs:-9
    u32 subject = n % 4u;
    u32 chosen;
    if ((subject == 0u) || (subject == 2u)) {
        // own.rs:-8
        return 0xFF01u; // panicked
    } else if (subject == 1u) {
        // own.rs:-7
        chosen = n;
    } else {
        // own.rs:-6
        return 0xFF01u; // panicked
    }
    *ann_result = chosen;
    return 0u;
}

static u32 handle_fails_inside(GLOBAL const Batch *batch, PRIVATE Ledger *ledger, PRIVATE ann_outbox *answers) {
    u32 ann_budget = 16777216u;
    // own.rs:+1
    ledger->calls = ledger->calls + 1u;
    // own.rs:+2
    RS_TRY(fn_only_if(batch->on, ledger->sums.at, 6ul));
    // own.rs:+3
    fn_nothing();
    // own.rs:+4
    u64 found;
    RS_TRY(fn_find(batch->values.at, 6ul, 7u, &found, &ann_budget));
    // own.rs:+5
    u32 item = (u32)found;
    u32_x8 words;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        words.at[i] = item;
    }
    // own.rs:+7
    u32 wrapped = fn_wrapped(batch->values.at[0], batch->values.at[1]);
    words.at[7] = wrapped;
    // own.rs:+8
    u32 checked;
    RS_TRY(fn_checked(&batch->values, (u64)(batch->at % 8), batch->values.at[1], &checked));
    words.at[1] = checked;
    // own.rs:+9
    if (batch->values.at[2] == 9u) {
        // own.rs:+10
        return 9u;
    }
    // own.rs:+12
    bool both = batch->at > 3;
    if (both) {
        u32 checked_2;
        RS_TRY(fn_checked_2(&ledger->sums, 5ul, words.at[1] | 1u, &checked_2));
        both = checked_2 > 2u;
    }
    u32 chosen;
    if (both) {
        // own.rs:+13
        RS_TRY(fn_quotient(9u, batch->values.at[3], &chosen));
    } else {
        // own.rs:+15
        chosen = 4u;
    }
    words.at[2] = chosen;
    // own.rs:+17
    if ((batch->values.at[4] % 8u) < 2u) {
        // own.rs:+18
        u32 never_even;
        RS_TRY(fn_never_even(batch->values.at[4], &never_even));
        words.at[3] = never_even;
    }
    // own.rs:+20
    Answer answer;
    answer.words = words;
    answer.sum = 0l;
    answer.x = 0.0f;
    answer.on = false;
    {
        GLOBAL Answer *ann_slot = (GLOBAL Answer *)ann_outbox_next(answers);
        if (ann_slot) *ann_slot = answer;
    }
    // own.rs:+21
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
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_fails_inside(message, state, outbox)
