// The handler of kernel `add_to_10`, written from crates/annulus-conformance/src/kernels/slots.rs:+0 (module annulus_conformance::kernels::slots).
#pragma OPENCL FP_CONTRACT OFF

typedef struct u64_x10 { u64 at[10]; } u64_x10;

typedef struct Words10 {
    u64_x10 words;
} Words10;
typedef char ann_size_of_Words10[sizeof(Words10) == 80 ? 1 : -1];

static u32 handle_add_to_10(GLOBAL const Words10 *message, PRIVATE ann_outbox *out) {
    u32 ann_budget = 16777216u;
    // slots.rs:-13
    Words10 answer = (*message);
    // slots.rs:-12
    for (u64 i = 1ul; i < 10ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // slots.rs:-11
        answer.words.at[i] = answer.words.at[i] + message->words.at[0];
    }
    // slots.rs:-9
    {
        GLOBAL Words10 *ann_slot = (GLOBAL Words10 *)ann_outbox_next(out);
        if (ann_slot) *ann_slot = answer;
    }
    return 0u;
}

#define ANN_MESSAGE Words10
#define ANN_MESSAGE_BYTES 80
#define ANN_OUTPUT Words10
#define ANN_OUTPUT_BYTES 80
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_add_to_10(message, outbox)
