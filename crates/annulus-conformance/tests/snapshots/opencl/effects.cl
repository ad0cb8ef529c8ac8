// The handler of kernel `effects`, written from crates/annulus-conformance/src/kernels/own.rs:+0 (module annulus_conformance::kernels::own).
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

// own.rs:-24: count
static u32 fn_count(volatile GLOBAL u32 *counts, u64 counts_len, u64 at, PRIVATE u32 *ann_result) {
    // own.rs:-23
    if (at >= counts_len) return 0xFF04u; // index out of bounds
    u32 seen;
    seen = rs_atomic_fetch_add_u32(&counts[at], 1u, RS_RELAXED);
    *ann_result = seen;
    return 0u;
}

// own.rs:-19: raise
static void fn_raise(volatile GLOBAL u32 *count, u32 to) {
    // own.rs:-18
    u32 seen;
    seen = rs_atomic_fetch_max_u32(&(*count), to, RS_ACQ_REL);
}

// own.rs:-14: report
static void fn_report(ann_cx cx, PRIVATE ann_outbox *answers, u32 word) {
    // own.rs:-13
    u32_x8 items;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        items.at[i] = word;
    }
    Answer answer;
    answer.words = items;
    answer.sum = (i64)cx.grid_size;
    answer.x = 1.5f;
    answer.on = true;
    {
        GLOBAL Answer *ann_slot = (GLOBAL Answer *)ann_outbox_next(answers);
        if (ann_slot) *ann_slot = answer;
    }
}

// own.rs:-9: report_twice
static void fn_report_twice(ann_cx cx, PRIVATE ann_outbox *answers, u32 word) {
    // own.rs:-8
    fn_report(cx, answers, word);
    // own.rs:-7
    if ((word % 5u) != 0u) {
        // own.rs:-6
        fn_report(cx, answers, cx.block_index);
    }
}

static u32 handle_effects(ann_cx cx, GLOBAL const Batch *batch, PRIVATE ann_outbox *answers, volatile GLOBAL u32 *counts, u64 counts_len) {
    // own.rs:+1
    u32 before;
    RS_TRY(fn_count(counts, counts_len, ((u64)batch->at) % 17ul, &before));
    // own.rs:+2
    u64 at = ((u64)batch->at) % 5ul;
    if (at >= counts_len) return 0xFF04u; // index out of bounds
    fn_raise(&counts[at], batch->values.at[0] % 100u);
    // own.rs:+3
    fn_report_twice(cx, answers, before);
    // own.rs:+4
    if ((before % 7u) == 3u) {
        // own.rs:+5
        fn_report_twice(cx, answers, 1u);
    }
    return 0u;
}

#define ANN_MESSAGE Batch
#define ANN_MESSAGE_BYTES 36
#define ANN_OUTPUT Answer
#define ANN_OUTPUT_BYTES 48
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->key)
#define ANN_MAX_OUTPUTS 3
#define ANN_BINDING_PARAMETERS , volatile GLOBAL u32 *bind_counts, u64 len_of_bind_counts
#define ANN_BINDING_ENTRY , volatile GLOBAL u32 *bind_counts ANN_BUFFER, ANN_NUMBER len_of_bind_counts ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_counts, len_of_bind_counts
#define ANN_CALL(cx, message, state, outbox) handle_effects(cx, message, outbox, bind_counts, len_of_bind_counts)
