// The handler of kernel `add_to_41`, written from crates/annulus-conformance/src/kernels/slots.rs:+0 (module annulus_conformance::kernels::slots).
#pragma OPENCL FP_CONTRACT OFF

typedef struct u64_x41 { u64 at[41]; } u64_x41;

typedef struct Words41 {
    u64_x41 words;
} Words41;
typedef char ann_size_of_Words41[sizeof(Words41) == 328 ? 1 : -1];

static u32 handle_add_to_41(GLOBAL const Words41 *message, PRIVATE ann_outbox *out) {
    u32 ann_budget = 16777216u;
    // slots.rs:-16
    Words41 answer = (*message);
    // slots.rs:-15
    for (u64 i = 1ul; i < 41ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // slots.rs:-14
        answer.words.at[i] = answer.words.at[i] + message->words.at[0];
    }
    // slots.rs:-12
    {
        GLOBAL Words41 *ann_slot = (GLOBAL Words41 *)ann_outbox_next(out);
        if (ann_slot) *ann_slot = answer;
    }
    return 0u;
}

#define ANN_MESSAGE Words41
#define ANN_MESSAGE_BYTES 328
#define ANN_OUTPUT Words41
#define ANN_OUTPUT_BYTES 328
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_add_to_41(message, outbox)
