// The handler of kernel `bound_sizes`, written from crates/annulus-conformance/src/kernels/sizes.rs:+0 (module annulus_conformance::kernels::sizes).
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

static u32 handle_bound_sizes(GLOBAL const Entry *entry, PRIVATE ann_outbox *answers, GLOBAL const u64 *places, u64 places_len, GLOBAL const u64 *step_) {
    u32 ann_budget = 16777216u;
    // sizes.rs:+1
    u64 at = entry->at;
    // sizes.rs:+2
    u32_x8 words;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        words.at[i] = 0u;
    }
    // sizes.rs:+3
    for (u64 i = 0ul; i < 8ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // sizes.rs:+4
        if (places_len == 0ul) return 0xFF05u; // division by zero
        u64 at_2 = at % places_len;
        if (at_2 >= places_len) return 0xFF04u; // index out of bounds
        at = places[at_2] + (*step_);
        // sizes.rs:+5
        words.at[i] = (u32)at;
    }
    // sizes.rs:+7
    Answer answer;
    answer.words = words;
    answer.sum = (i64)at;
    answer.x = 0.0f;
    answer.on = at == (*step_);
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
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->key)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS , GLOBAL u64 *bind_places, u64 len_of_bind_places, GLOBAL u64 *bind_step, u64 len_of_bind_step
#define ANN_BINDING_ENTRY , GLOBAL u64 *bind_places ANN_BUFFER, ANN_NUMBER len_of_bind_places ANN_BUFFER, GLOBAL u64 *bind_step ANN_BUFFER, ANN_NUMBER len_of_bind_step ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_places, len_of_bind_places, bind_step, len_of_bind_step
#define ANN_CALL(cx, message, state, outbox) handle_bound_sizes(message, outbox, bind_places, len_of_bind_places, bind_step)
