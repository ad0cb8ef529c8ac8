// The handler of kernel `slices`, written from crates/annulus-conformance/src/kernels/items.rs:+0 (module annulus_conformance::kernels::items).
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

typedef struct u32_x10 { u32 at[10]; } u32_x10;

static u32 handle_slices(GLOBAL const Small *small, PRIVATE ann_outbox *answers, GLOBAL const u32 *table, u64 table_len) {
    u32 ann_budget = 16777216u;
    // items.rs:+1
    u64 n = (u64)(small->a % 18);
    // items.rs:+2
    u64 k = ((u64)small->key) % 18ul;
    // items.rs:+3
    u32_x8 words;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        words.at[i] = 0u;
    }
    // items.rs:+4
    u32_x10 local_;
    local_.at[0] = (u32)small->b;
    local_.at[1] = 5u;
    local_.at[2] = 6u;
    local_.at[3] = 7u;
    local_.at[4] = 8u;
    local_.at[5] = 9u;
    local_.at[6] = 10u;
    local_.at[7] = 11u;
    local_.at[8] = 12u;
    local_.at[9] = 13u;
    // items.rs:+5
    bool there = n < table_len;
    u32 copy;
    if (there) {
        copy = table[n];
    }
    words.at[0] = there ? copy : 1u;
    // items.rs:+6
    u32 value = 2u;
    u32 value_2 = (table_len != 0ul) ? table[0] : value;
    u64 at = table_len - 1ul;
    bool there_2 = table_len != 0ul;
    u32 copy_2;
    if (there_2) {
        copy_2 = table[at];
    }
    words.at[1] = value_2 ^ (there_2 ? copy_2 : 3u);
    // items.rs:+7
    u64 len = n - k;
    bool there_3 = (k <= n) && (n <= table_len);
    if (there_3) {
        // items.rs:+8
        bool there_4 = len != 0ul;
        u32 copy_3;
        if (there_4) {
            copy_3 = table[k];
        }
        words.at[2] = ((u32)len) + (there_4 ? copy_3 : 100u);
        // items.rs:+9
        for (u64 at_2 = 0ul; at_2 < len; at_2 += 1) {
            if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
            u64 at_3 = k + at_2;
            // items.rs:+10
            words.at[3] = words.at[3] ^ rs_rotate_left_u32(table[at_3], (u32)at_2);
        }
    }
    // items.rs:+13
    bool there_4 = n < 10ul;
    if (!there_4) {
        return 31u;
    }
    u32 element = local_.at[n];
    // items.rs:+14
    words.at[4] = element;
    // items.rs:+15
    u64 start = k % 11ul;
    if (start > 10ul) return 0xFF04u; // index out of bounds
    u64 len_2 = 10ul - start;
    // items.rs:+16
    words.at[5] = (u32)len_2;
    // items.rs:+17
    u64 end = len_2 / 2ul;
    if (0ul > end) return 0xFF04u; // index out of bounds
    if (end > len_2) return 0xFF04u; // index out of bounds
    // items.rs:+18
    words.at[5] = words.at[5] + (((u32)(end == 0ul)) * 100u);
    // items.rs:+20
    if (n > 10ul) return 0xFF01u; // panicked
    u64 len_3 = 10ul - n;
    // items.rs:+21
    u64 at_2 = n - 1ul;
    bool there_5 = n != 0ul;
    u32 copy_3;
    if (there_5) {
        copy_3 = local_.at[at_2];
    }
    bool there_6 = len_3 != 0ul;
    u32 copy_4;
    if (there_6) {
        copy_4 = local_.at[n];
    }
    words.at[6] = (there_5 ? copy_3 : 3u) + (there_6 ? copy_4 : 4u);
    // items.rs:+22
    u64 end_2 = k + 1ul;
    if (k >= 10ul) return 0xFF04u; // index out of bounds
    if (n > end_2) return 0xFF04u; // index out of bounds
    if (end_2 > 10ul) return 0xFF04u; // index out of bounds
    u64 len_4 = end_2 - n;
    words.at[7] = (u32)len_4;
    // items.rs:+23
    u64 at_3 = start + 1ul;
    bool there_7 = 1ul < end;
    u64 end_3 = n + 1ul;
    u64 len_5 = end_3 - 1ul;
    bool there_8 = (n < table_len) && ((1ul <= end_3) && (end_3 <= table_len));
    if (there_7 && there_8) {
        // items.rs:+24
        words.at[7] = words.at[7] + (local_.at[at_3] + ((u32)len_5));
    }
    // items.rs:+26
    u32 value_3 = 7u;
    bool contains = false;
    for (u64 i = 0ul; i < 10ul; i += 1) {
        if (local_.at[i] == value_3) {
            contains = true;
            break;
        }
    }
    u32 value_4 = (u32)n;
    bool contains_2 = false;
    for (u64 i = 0ul; i < table_len; i += 1) {
        if (table[i] == value_4) {
            contains_2 = true;
            break;
        }
    }
    Answer answer;
    answer.words = words;
    answer.sum = 0l;
    answer.x = 0.0f;
    answer.on = contains != contains_2;
    {
        GLOBAL Answer *ann_slot = (GLOBAL Answer *)ann_outbox_next(answers);
        if (ann_slot) *ann_slot = answer;
    }
    // items.rs:+27
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
#define ANN_BINDING_PARAMETERS , GLOBAL u32 *bind_table, u64 len_of_bind_table
#define ANN_BINDING_ENTRY , GLOBAL u32 *bind_table ANN_BUFFER, ANN_NUMBER len_of_bind_table ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_table, len_of_bind_table
#define ANN_CALL(cx, message, state, outbox) handle_slices(message, outbox, bind_table, len_of_bind_table)
