// The handler of kernel `atomics`, written from crates/annulus-conformance/src/kernels/constructs.rs:+0 (module annulus_conformance::kernels::constructs).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Number {
    u32 value;
} Number;
typedef char ann_size_of_Number[sizeof(Number) == 4 ? 1 : -1];

typedef struct u32_x8 { u32 at[8]; } u32_x8;

typedef struct Answer {
    u32_x8 words;
    i64 sum;
    f32 x;
    u8 on;
    u8 ann_pad0[3];
} Answer;
typedef char ann_size_of_Answer[sizeof(Answer) == 48 ? 1 : -1];

static u32 handle_atomics(GLOBAL const Number *call, PRIVATE ann_outbox *answers, volatile GLOBAL u32 *a, u64 a_len, volatile GLOBAL i32 *b, u64 b_len, volatile GLOBAL u64 *c, u64 c_len, volatile GLOBAL i64 *d, u64 d_len) {
    u32 ann_budget = 16777216u;
    // constructs.rs:+8
    u32 v = call->value;
    // constructs.rs:+9
    u32_x8 words;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        words.at[i] = 0u;
    }
    // constructs.rs:+10
    if (0ul >= a_len) return 0xFF04u; // index out of bounds
    u32 seen;
    seen = rs_atomic_fetch_add_u32(&a[0], v, RS_RELAXED);
    if (0ul >= a_len) return 0xFF04u; // index out of bounds
    u32 seen_2;
    seen_2 = rs_atomic_load_u32(&a[0], RS_ACQUIRE);
    words.at[0] = seen + seen_2;
    // constructs.rs:+11
    if (1ul >= a_len) return 0xFF04u; // index out of bounds
    u32 seen_3;
    seen_3 = rs_atomic_fetch_sub_u32(&a[1], v, RS_SEQ_CST);
    words.at[1] = seen_3;
    // constructs.rs:+12
    if (2ul >= a_len) return 0xFF04u; // index out of bounds
    u32 seen_4;
    seen_4 = rs_atomic_fetch_and_u32(&a[2], v, RS_ACQ_REL);
    if (3ul >= a_len) return 0xFF04u; // index out of bounds
    u32 seen_5;
    seen_5 = rs_atomic_fetch_or_u32(&a[3], v, RS_RELEASE);
    words.at[2] = seen_4 ^ seen_5;
    // constructs.rs:+13
    if (4ul >= a_len) return 0xFF04u; // index out of bounds
    u32 seen_6;
    seen_6 = rs_atomic_fetch_xor_u32(&a[4], v, RS_RELAXED);
    words.at[3] = seen_6;
    // constructs.rs:+14
    if (0ul >= b_len) return 0xFF04u; // index out of bounds
    i32 seen_7;
    seen_7 = rs_atomic_fetch_min_i32(&b[0], (i32)v, RS_RELAXED);
    words.at[4] = (u32)seen_7;
    // constructs.rs:+15
    if (1ul >= b_len) return 0xFF04u; // index out of bounds
    i32 seen_8;
    seen_8 = rs_atomic_fetch_max_i32(&b[1], (i32)v, RS_RELAXED);
    words.at[5] = (u32)seen_8;
    // constructs.rs:+16
    if (5ul >= a_len) return 0xFF04u; // index out of bounds
    u32 seen_9;
    seen_9 = rs_atomic_swap_u32(&a[5], v, RS_RELAXED);
    words.at[6] = seen_9;
    // constructs.rs:+17
    if (2ul >= b_len) return 0xFF04u; // index out of bounds
    rs_atomic_store_i32(&b[2], (-1), RS_RELEASE);
    // constructs.rs:+18
    if (0ul >= c_len) return 0xFF04u; // index out of bounds
    u64 seen_10;
    seen_10 = rs_atomic_fetch_add_u64(&c[0], (u64)v, RS_RELAXED);
    i64 sum = (i64)seen_10;
    // constructs.rs:+19
    if (0ul >= d_len) return 0xFF04u; // index out of bounds
    i64 seen_11;
    seen_11 = rs_atomic_fetch_max_i64(&d[0], sum, RS_RELAXED);
    sum = rs_add_i64(sum, seen_11);
    // constructs.rs:+20
    if (6ul >= a_len) return 0xFF04u; // index out of bounds
    u32 expected = v;
    u32 before;
    before = rs_atomic_compare_exchange_u32(&a[6], expected, 5u, RS_ACQ_REL);
    bool succeeded = before == expected;
    bool on = succeeded;
    // constructs.rs:+21
    if (7ul >= a_len) return 0xFF04u; // index out of bounds
    u32 before_2;
    before_2 = rs_atomic_compare_exchange_u32(&a[7], 0u, v, RS_RELAXED);
    bool succeeded_2 = before_2 == 0u;
    if (succeeded_2) {
        // constructs.rs:+22
        words.at[7] = 1u;
    } else {
        // constructs.rs:+23
        u32 now = before_2;
        words.at[7] = now;
    }
    // constructs.rs:+25
    if (1ul >= d_len) return 0xFF04u; // index out of bounds
    i64 expected_2;
    expected_2 = rs_atomic_load_i64(&d[1], RS_RELAXED);
    // constructs.rs:+26
    for (;;) {
        if (1ul >= d_len) return 0xFF04u; // index out of bounds
        i64 expected_3 = expected_2;
        i64 before_3;
        before_3 = rs_atomic_compare_exchange_i64(&d[1], expected_3, rs_add_i64(expected_2, 2l), RS_RELAXED);
        bool succeeded_3 = before_3 == expected_3;
        if (succeeded_3) {
            break;
        }
        i64 now = before_3;
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // constructs.rs:+29
        expected_2 = now;
    }
    // constructs.rs:+31
    Answer answer;
    answer.words = words;
    answer.sum = sum;
    answer.x = 0.0f;
    answer.on = on;
    {
        GLOBAL Answer *ann_slot = (GLOBAL Answer *)ann_outbox_next(answers);
        if (ann_slot) *ann_slot = answer;
    }
    return 0u;
}

#define ANN_MESSAGE Number
#define ANN_MESSAGE_BYTES 4
#define ANN_OUTPUT Answer
#define ANN_OUTPUT_BYTES 48
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS , volatile GLOBAL u32 *bind_a, u64 len_of_bind_a, volatile GLOBAL i32 *bind_b, u64 len_of_bind_b, volatile GLOBAL u64 *bind_c, u64 len_of_bind_c, volatile GLOBAL i64 *bind_d, u64 len_of_bind_d
#define ANN_BINDING_ENTRY , volatile GLOBAL u32 *bind_a ANN_BUFFER, ANN_NUMBER len_of_bind_a ANN_BUFFER, volatile GLOBAL i32 *bind_b ANN_BUFFER, ANN_NUMBER len_of_bind_b ANN_BUFFER, volatile GLOBAL u64 *bind_c ANN_BUFFER, ANN_NUMBER len_of_bind_c ANN_BUFFER, volatile GLOBAL i64 *bind_d ANN_BUFFER, ANN_NUMBER len_of_bind_d ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_a, len_of_bind_a, bind_b, len_of_bind_b, bind_c, len_of_bind_c, bind_d, len_of_bind_d
#define ANN_CALL(cx, message, state, outbox) handle_atomics(message, outbox, bind_a, len_of_bind_a, bind_b, len_of_bind_b, bind_c, len_of_bind_c, bind_d, len_of_bind_d)
