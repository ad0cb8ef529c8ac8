// The handler of kernel `add_to_43`, written from crates/annulus-conformance/src/kernels/slots.rs:+0 (module annulus_conformance::kernels::slots).
#pragma OPENCL FP_CONTRACT OFF

typedef struct u64_x43 { u64 at[43]; } u64_x43;

typedef struct Words43 {
    u64_x43 words;
} Words43;
typedef char ann_size_of_Words43[sizeof(Words43) == 344 ? 1 : -1];

static u32 handle_add_to_43(GLOBAL const Words43 *message, PRIVATE ann_outbox *out) {
    u32 ann_budget = 16777216u;
    // slots.rs:-18
    Words43 answer = (*message);
    // slots.rs:-17
    for (u64 i = 1ul; i < 43ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // slots.rs:-16
        answer.words.at[i] = answer.words.at[i] + message->words.at[0];
    }
    // slots.rs:-14
    {
        GLOBAL Words43 *ann_slot = (GLOBAL Words43 *)ann_outbox_next(out);
        if (ann_slot) *ann_slot = answer;
    }
    return 0u;
}

#define ANN_MESSAGE Words43
#define ANN_MESSAGE_BYTES 344
#define ANN_OUTPUT Words43
#define ANN_OUTPUT_BYTES 344
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_add_to_43(message, outbox)
