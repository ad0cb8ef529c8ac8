// The handler of kernel `add_to_42`, written from crates/annulus-conformance/src/kernels/slots.rs:+0 (module annulus_conformance::kernels::slots).
#pragma OPENCL FP_CONTRACT OFF

typedef struct u64_x42 { u64 at[42]; } u64_x42;

typedef struct Words42 {
    u64_x42 words;
} Words42;
typedef char ann_size_of_Words42[sizeof(Words42) == 336 ? 1 : -1];

static u32 handle_add_to_42(GLOBAL const Words42 *message, PRIVATE ann_outbox *out) {
    u32 ann_budget = 16777216u;
    // slots.rs:-17
    Words42 answer = (*message);
    // slots.rs:-16
    for (u64 i = 1ul; i < 42ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // slots.rs:-15
        answer.words.at[i] = answer.words.at[i] + message->words.at[0];
    }
    // slots.rs:-13
    {
        GLOBAL Words42 *ann_slot = (GLOBAL Words42 *)ann_outbox_next(out);
        if (ann_slot) *ann_slot = answer;
    }
    return 0u;
}

#define ANN_MESSAGE Words42
#define ANN_MESSAGE_BYTES 336
#define ANN_OUTPUT Words42
#define ANN_OUTPUT_BYTES 336
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_add_to_42(message, outbox)
