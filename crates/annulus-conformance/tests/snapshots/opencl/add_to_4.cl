// The handler of kernel `add_to_4`, written from crates/annulus-conformance/src/kernels/slots.rs:+0 (module annulus_conformance::kernels::slots).
#pragma OPENCL FP_CONTRACT OFF

typedef struct u64_x4 { u64 at[4]; } u64_x4;

typedef struct Words4 {
    u64_x4 words;
} Words4;
typedef char ann_size_of_Words4[sizeof(Words4) == 32 ? 1 : -1];

static u32 handle_add_to_4(GLOBAL const Words4 *message, PRIVATE ann_outbox *out) {
    u32 ann_budget = 16777216u;
    // slots.rs:-11
    Words4 answer = (*message);
    // slots.rs:-10
    for (u64 i = 1ul; i < 4ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // slots.rs:-9
        answer.words.at[i] = answer.words.at[i] + message->words.at[0];
    }
    // slots.rs:-7
    {
        GLOBAL Words4 *ann_slot = (GLOBAL Words4 *)ann_outbox_next(out);
        if (ann_slot) *ann_slot = answer;
    }
    return 0u;
}

#define ANN_MESSAGE Words4
#define ANN_MESSAGE_BYTES 32
#define ANN_OUTPUT Words4
#define ANN_OUTPUT_BYTES 32
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_add_to_4(message, outbox)
