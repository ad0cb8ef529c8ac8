// The handler of kernel `sizes_in_memory`, written from crates/annulus-conformance/src/kernels/sizes.rs:+0 (module annulus_conformance::kernels::sizes).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Entry {
    u32 key;
    u8 ann_pad0[4];
    u64 at;
    i64 by;
    u16 value;
    u8 ann_pad1[6];
} Entry;
typedef char ann_size_of_Entry[sizeof(Entry) == 32 ? 1 : -1];

typedef struct u32_x8 { u32 at[8]; } u32_x8;

typedef struct Answer {
    u32_x8 words;
    i64 sum;
    f32 x;
    u8 on;
    u8 ann_pad0[3];
} Answer;
typedef char ann_size_of_Answer[sizeof(Answer) == 48 ? 1 : -1];

typedef struct u16_x5 { u16 at[5]; } u16_x5;

typedef struct u64_x2 { u64 at[2]; } u64_x2;

typedef struct Queue {
    u64 first;
    i64 drift;
    u16_x5 values;
    u8 ann_pad0[6];
    u64_x2 ends;
} Queue;
typedef char ann_size_of_Queue[sizeof(Queue) == 48 ? 1 : -1];

static u32 handle_sizes_in_memory(GLOBAL const Entry *entry, PRIVATE Queue *queue, PRIVATE ann_outbox *answers) {
    u32 ann_budget = 16777216u;
    // sizes.rs:+1
    u64 len = 5ul;
    // sizes.rs:+2
    if (len == 0ul) return 0xFF05u; // division by zero
    u64 at = entry->at % len;
    // sizes.rs:+3
    if (at >= 5ul) return 0xFF04u; // index out of bounds
    queue->values.at[at] = entry->value;
    // sizes.rs:+4
    if (len == 0ul) return 0xFF05u; // division by zero
    queue->first = (queue->first + at) % len;
    // sizes.rs:+5
    queue->drift = rs_mul_i64(rs_sub_i64(queue->drift, entry->by), 3l);
    // sizes.rs:+6
    u64 at_2 = at % 2ul;
    if (at_2 >= 2ul) return 0xFF04u; // index out of bounds
    u64 at_3 = at % 2ul;
    if (at_3 >= 2ul) return 0xFF04u; // index out of bounds
    queue->ends.at[at_3] = queue->ends.at[at_2] + entry->at;
    // sizes.rs:+7
    u64 at_4 = queue->first;
    if (at_4 >= 5ul) return 0xFF04u; // index out of bounds
    u16 first = queue->values.at[at_4];
    // sizes.rs:+8
    u64 start = queue->first;
    if (start > 5ul) return 0xFF04u; // index out of bounds
    u64 len_2 = 5ul - start;
    u32 sum = 0u;
    for (u64 i = 0ul; i < len_2; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u64 at_5 = start + i;
        sum = sum + ((u32)queue->values.at[at_5]);
    }
    u32_x8 words;
    words.at[0] = (u32)first;
    words.at[1] = (u32)queue->ends.at[0];
    words.at[2] = (u32)(queue->ends.at[0] >> 32u);
    words.at[3] = (u32)rs_shr_i64(queue->drift, 7u);
    words.at[4] = (u32)(queue->ends.at[0] < queue->ends.at[1]);
    words.at[5] = rs_leading_zeros_u64(queue->ends.at[1]);
    words.at[6] = sum;
    words.at[7] = (u32)(64u == 64u);
    // sizes.rs:+18
    Answer answer;
    answer.words = words;
    answer.sum = (i64)queue->drift;
    answer.x = 0.0f;
    answer.on = queue->drift < entry->by;
    {
        GLOBAL Answer *ann_slot = (GLOBAL Answer *)ann_outbox_next(answers);
        if (ann_slot) *ann_slot = answer;
    }
    return 0u;
}

#define ANN_MESSAGE Entry
#define ANN_MESSAGE_BYTES 32
#define ANN_OUTPUT Answer
#define ANN_OUTPUT_BYTES 48
#define ANN_STATE Queue
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->key)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_sizes_in_memory(message, state, outbox)
