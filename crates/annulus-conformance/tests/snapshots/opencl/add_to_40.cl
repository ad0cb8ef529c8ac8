// The handler of kernel `add_to_40`, written from crates/annulus-conformance/src/kernels/slots.rs:+0 (module annulus_conformance::kernels::slots).
#pragma OPENCL FP_CONTRACT OFF

typedef struct u64_x40 { u64 at[40]; } u64_x40;

typedef struct Words40 {
    u64_x40 words;
} Words40;
typedef char ann_size_of_Words40[sizeof(Words40) == 320 ? 1 : -1];

static u32 handle_add_to_40(GLOBAL const Words40 *message, PRIVATE ann_outbox *out) {
    u32 ann_budget = 16777216u;
    // slots.rs:-15
    Words40 answer = (*message);
    // slots.rs:-14
    for (u64 i = 1ul; i < 40ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // slots.rs:-13
        answer.words.at[i] = answer.words.at[i] + message->words.at[0];
    }
    // slots.rs:-11
    {
        GLOBAL Words40 *ann_slot = (GLOBAL Words40 *)ann_outbox_next(out);
        if (ann_slot) *ann_slot = answer;
    }
    return 0u;
}

#define ANN_MESSAGE Words40
#define ANN_MESSAGE_BYTES 320
#define ANN_OUTPUT Words40
#define ANN_OUTPUT_BYTES 320
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_add_to_40(message, outbox)
