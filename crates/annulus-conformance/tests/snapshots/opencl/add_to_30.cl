// The handler of kernel `add_to_30`, written from crates/annulus-conformance/src/kernels/slots.rs:+0 (module annulus_conformance::kernels::slots).
#pragma OPENCL FP_CONTRACT OFF

typedef struct u64_x30 { u64 at[30]; } u64_x30;

typedef struct Words30 {
    u64_x30 words;
} Words30;
typedef char ann_size_of_Words30[sizeof(Words30) == 240 ? 1 : -1];

static u32 handle_add_to_30(GLOBAL const Words30 *message, PRIVATE ann_outbox *out) {
    u32 ann_budget = 16777216u;
    // slots.rs:-14
    Words30 answer = (*message);
    // slots.rs:-13
    for (u64 i = 1ul; i < 30ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // slots.rs:-12
        answer.words.at[i] = answer.words.at[i] + message->words.at[0];
    }
    // slots.rs:-10
    {
        GLOBAL Words30 *ann_slot = (GLOBAL Words30 *)ann_outbox_next(out);
        if (ann_slot) *ann_slot = answer;
    }
    return 0u;
}

#define ANN_MESSAGE Words30
#define ANN_MESSAGE_BYTES 240
#define ANN_OUTPUT Words30
#define ANN_OUTPUT_BYTES 240
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_add_to_30(message, outbox)
