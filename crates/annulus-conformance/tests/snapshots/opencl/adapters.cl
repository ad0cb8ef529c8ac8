// The handler of kernel `adapters`, written from crates/annulus-conformance/src/kernels/items.rs:+0 (module annulus_conformance::kernels::items).
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

typedef struct i32_x11 { i32 at[11]; } i32_x11;

static u32 handle_adapters(GLOBAL const Small *small, PRIVATE ann_outbox *answers) {
    u32 ann_budget = 16777216u;
    // items.rs:+1
    u64 n = (u64)(small->a % 16);
    // items.rs:+2
    u64 k = ((u64)small->key) % 9ul;
    // items.rs:+3
    i32_x11 list;
    list.at[0] = small->b;
    list.at[1] = 1;
    list.at[2] = (-2);
    list.at[3] = 3;
    list.at[4] = (-4);
    list.at[5] = 5;
    list.at[6] = (-6);
    list.at[7] = 7;
    list.at[8] = (-8);
    list.at[9] = 9;
    list.at[10] = (-2147483647 - 1);
    // items.rs:+4
    u32_x8 words;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        words.at[i] = 0u;
    }
    // items.rs:+5
    u64 count = rs_min_u64(11ul, k);
    u64 count_2 = 11ul - count;
    u64 count_3 = rs_min_u64(count_2, n);
    for (u64 i = 0ul; i < count_3; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u64 at = (count_3 - 1ul) - i;
        u64 at_2 = count + at;
        // items.rs:+6
        words.at[0] = (words.at[0] * 31u) + ((u32)list.at[at_2]);
    }
    // items.rs:+8
    u64 count_4 = rs_min_u64(11ul, k);
    u64 count_5 = (count_4 == 0ul) ? 0ul : (((count_4 - 1ul) / 2ul) + 1ul);
    for (u64 i = 0ul; i < count_5; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u64 at = i * 2ul;
        u64 at_2 = 10ul - at;
        // items.rs:+9
        words.at[1] = (words.at[1] * 31u) + ((u32)list.at[at_2]);
    }
    // items.rs:+11
    u64 step_ = k + 1ul;
    if (step_ == 0ul) return 0xFF01u; // panicked
    u64 count_6 = (9ul / step_) + 1ul;
    for (u64 i = 0ul; i < count_6; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u64 at = (count_6 - 1ul) - i;
        u64 at_2 = at * step_;
        u64 at_3 = 1ul + at_2;
        u64 i_2 = at_3;
        // items.rs:+12
        words.at[2] = (words.at[2] * 31u) + (((u32)list.at[at_3]) + ((u32)i_2));
    }
    // items.rs:+14
    u64 count_7 = rs_min_u64(11ul, n);
    for (u64 i = 0ul; i < count_7; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u64 at = 10ul - i;
        i32 x = list.at[i];
        // items.rs:+15
        words.at[3] = (words.at[3] * 31u) + (((u32)x) ^ rs_shl_u32((u32)list.at[at], (u32)i));
    }
    // items.rs:+17
    u64 count_8 = (n == 0ul) ? 0ul : (((n - 1ul) / 3ul) + 1ul);
    for (u64 i = 0ul; i < count_8; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u64 at = (count_8 - 1ul) - i;
        u64 at_2 = at * 3ul;
        u64 i_2 = at_2;
        // items.rs:+18
        words.at[4] = (words.at[4] * 7u) + ((u32)i_2);
    }
    // items.rs:+20
    u8 end = small->a;
    u64 count_9 = (3 <= end) ? rs_saturating_add_u64(rs_distance_u8(3, end), 1ul) : 0ul;
    u32 end_2 = (u32)small->key;
    u64 count_10 = (0u < end_2) ? rs_distance_u32(0u, end_2) : 0ul;
    u64 count_11 = rs_min_u64(count_9, count_10);
    u64 count_12 = rs_min_u64(count_11, 5ul);
    for (u64 i = 0ul; i < count_12; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u64 at = (count_10 - 1ul) - i;
        u8 i_2 = rs_advance_u8(3, i);
        u32 j = rs_advance_u32(0u, at);
        // items.rs:+21
        words.at[5] = (words.at[5] * 31u) + (((u32)i_2) * j);
    }
    // items.rs:+23
    u64 skip = 20ul - n;
    u64 count_13 = rs_min_u64(11ul, skip);
    u64 count_14 = 11ul - count_13;
    u64 count_15 = rs_min_u64(18446744073709551615ul, count_14);
    for (u64 i = 0ul; i < count_15; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u64 at = count_13 + i;
        i8 i_2 = rs_advance_i8(1, i);
        // items.rs:+24
        words.at[6] = words.at[6] + (((u32)list.at[at]) * ((u32)i_2));
    }
    // items.rs:+26
    u64 count_16 = (0 <= 255) ? rs_saturating_add_u64(rs_distance_u8(0, 255), 1ul) : 0ul;
    u64 count_17 = rs_min_u64(count_16, n);
    u64 count_18 = count_16 - count_17;
    u64 count_19 = (count_18 == 0ul) ? 0ul : (((count_18 - 1ul) / 50ul) + 1ul);
    u64 count_20 = rs_min_u64(count_19, k);
    for (u64 i = 0ul; i < count_20; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u64 at = i * 50ul;
        u64 at_2 = count_17 + at;
        u64 at_3 = (count_16 - 1ul) - at_2;
        u8 i_2 = rs_advance_u8(0, at_3);
        // items.rs:+27
        words.at[6] = (words.at[6] * 3u) + ((u32)i_2);
    }
    // items.rs:+29
    i64 first = (i64)small->b;
    u64 count_21 = (first < 9223372036854775807l) ? rs_distance_i64(first, 9223372036854775807l) : 0ul;
    u64 count_22 = rs_min_u64(count_21, n);
    u64 count_23 = count_21 - count_22;
    u64 count_24 = rs_min_u64(count_23, k);
    for (u64 i = 0ul; i < count_24; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u64 at = count_22 + i;
        i64 i_2 = rs_advance_i64(first, at);
        // items.rs:+30
        words.at[7] = (words.at[7] * 3u) + ((u32)i_2);
    }
    // items.rs:+32
    i64 sum = 0l;
    // items.rs:+33
    u64 len = (k % 4ul) + 1ul;
    if (len == 0ul) return 0xFF01u; // panicked
    u64 count_25 = (11ul < len) ? 0ul : ((11ul - len) + 1ul);
    for (u64 w = 0ul; w < count_25; w += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u64 count_26 = rs_min_u64(len, 11ul - w);
        // items.rs:+34
        if (0ul >= count_26) return 0xFF04u; // index out of bounds
        sum = rs_add_i64(sum, rs_add_i64(rs_mul_i64((i64)list.at[w], (i64)w), (i64)count_26));
    }
    // items.rs:+36
    u64 len_2 = (n % 5ul) + 1ul;
    if (len_2 == 0ul) return 0xFF01u; // panicked
    u64 count_26 = (10ul / len_2) + 1ul;
    for (u64 i = 0ul; i < count_26; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u64 at = (count_26 - 1ul) - i;
        u64 first_2 = at * len_2;
        u64 count_27 = rs_min_u64(len_2, 11ul - first_2);
        // items.rs:+37
        sum = rs_mul_i64(sum, 3l);
        // items.rs:+38
        for (u64 i_2 = 0ul; i_2 < count_27; i_2 += 1) {
            if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
            u64 at_2 = first_2 + i_2;
            // items.rs:+39
            sum = sum ^ rs_shl_i64((i64)list.at[at_2], (u32)i_2);
        }
    }
    // items.rs:+42
    u64 len_3 = n + 1ul;
    if (len_3 == 0ul) return 0xFF01u; // panicked
    u64 count_27 = 11ul / len_3;
    for (u64 i = 0ul; i < count_27; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u64 first_2 = i * len_3;
        u64 count_28 = rs_min_u64(len_3, 11ul - first_2);
        // items.rs:+43
        if (n >= count_28) return 0xFF04u; // index out of bounds
        sum = rs_add_i64(sum, (i64)list.at[first_2 + n]);
    }
    // items.rs:+45
    Answer answer;
    answer.words = words;
    answer.sum = sum;
    answer.x = 0.0f;
    answer.on = small->on;
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
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->key)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_adapters(message, outbox)
