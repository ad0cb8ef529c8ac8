// The handler of kernel `add_to_9`, written from crates/annulus-conformance/src/kernels/slots.rs:+0 (module annulus_conformance::kernels::slots).
#pragma OPENCL FP_CONTRACT OFF

typedef struct u64_x9 { u64 at[9]; } u64_x9;

typedef struct Words9 {
    u64_x9 words;
} Words9;
typedef char ann_size_of_Words9[sizeof(Words9) == 72 ? 1 : -1];

static u32 handle_add_to_9(GLOBAL const Words9 *message, PRIVATE ann_outbox *out) {
    u32 ann_budget = 16777216u;
    // slots.rs:-12
    Words9 answer = (*message);
    // slots.rs:-11
    for (u64 i = 1ul; i < 9ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // slots.rs:-10
        answer.words.at[i] = answer.words.at[i] + message->words.at[0];
    }
    // slots.rs:-8
    {
        GLOBAL Words9 *ann_slot = (GLOBAL Words9 *)ann_outbox_next(out);
        if (ann_slot) *ann_slot = answer;
    }
    return 0u;
}

#define ANN_MESSAGE Words9
#define ANN_MESSAGE_BYTES 72
#define ANN_OUTPUT Words9
#define ANN_OUTPUT_BYTES 72
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_add_to_9(message, outbox)
