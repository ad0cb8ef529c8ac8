// The handler of kernel `unwraps`, written from crates/annulus-conformance/src/kernels/values.rs:+0 (module annulus_conformance::kernels::values).
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

typedef struct Option_u32 { u8 tag; u32 some; } Option_u32;

typedef struct Result_u32_i8 { u8 tag; u32 ok; i8 err; } Result_u32_i8;

typedef struct Result_u8_u32 { u8 tag; u8 ok; u32 err; } Result_u8_u32;

static u32 handle_unwraps(GLOBAL const Small *small, PRIVATE u32 *count, PRIVATE ann_outbox *answers, volatile GLOBAL u32 *words, u64 words_len) {
    // values.rs:+1
    u32 n = (u32)small->a;
    // values.rs:+2
    (*count) = (*count) + 1u;
    // values.rs:+3
    Option_u32 some;
    if ((n % 5u) == 1u) {
        some.tag = 0; // None
    } else {
        some.tag = 1; // Some
        some.some = n;
    }
    // values.rs:+4
    Result_u32_i8 fine;
    if ((n % 7u) == 1u) {
        fine.tag = 1; // Err
        fine.err = (-1);
    } else {
        fine.tag = 0; // Ok
        fine.ok = n;
    }
    // values.rs:+5
    Result_u8_u32 bad;
    if ((n % 11u) == 1u) {
        bad.tag = 0; // Ok
        bad.ok = 1;
    } else {
        bad.tag = 1; // Err
        bad.err = n;
    }
    // values.rs:+6
    if (0ul >= words_len) return 0xFF04u; // index out of bounds
    u32 expected = n % 3u;
    u32 expected_2 = expected;
    u32 before;
    before = rs_atomic_compare_exchange_u32(&words[0], expected_2, 5u, RS_RELAXED);
    bool succeeded = before == expected_2;
    // values.rs:+7
    u32 now = succeeded ? before : 99u;
    // values.rs:+8
    if (1ul >= words_len) return 0xFF04u; // index out of bounds
    u32 seen;
    seen = rs_atomic_fetch_add_u32(&words[1], 1u, RS_RELAXED);
    // values.rs:+9
    if (some.tag != 1) return 0xFF01u; // panicked
    // values.rs:+10
    if (2ul >= words_len) return 0xFF04u; // index out of bounds
    u32 seen_2;
    seen_2 = rs_atomic_fetch_add_u32(&words[2], 1u, RS_RELAXED);
    // values.rs:+11
    if (fine.tag != 0) return 0xFF01u; // panicked
    u32 sum = some.some + fine.ok;
    // values.rs:+13
    if (3ul >= words_len) return 0xFF04u; // index out of bounds
    if (bad.tag == 0) return 0xFF01u; // panicked
    u32 seen_3;
    seen_3 = rs_atomic_fetch_add_u32(&words[3], bad.err, RS_RELAXED);
    // values.rs:+14
    u32_x8 items;
    items.at[0] = sum;
    items.at[1] = now;
    items.at[2] = 0u;
    items.at[3] = 0u;
    items.at[4] = 0u;
    items.at[5] = 0u;
    items.at[6] = 0u;
    items.at[7] = (*count);
    Answer answer;
    answer.words = items;
    answer.sum = 0l;
    answer.x = 0.0f;
    answer.on = !succeeded;
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
#define ANN_STATE u32
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->key)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS , volatile GLOBAL u32 *bind_words, u64 len_of_bind_words
#define ANN_BINDING_ENTRY , volatile GLOBAL u32 *bind_words ANN_BUFFER, ANN_NUMBER len_of_bind_words ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_words, len_of_bind_words
#define ANN_CALL(cx, message, state, outbox) handle_unwraps(message, state, outbox, bind_words, len_of_bind_words)
