// The handler of kernel `checks_that_hold`, written from crates/annulus-conformance/src/kernels/corners.rs:+0 (module annulus_conformance::kernels::corners).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Small {
    u16 key;
    u8 a;
    u8 ann_pad0[1];
    i32 b;
    u8 on;
    u8 ann_pad1[3];
    f32 x;
} Small;
typedef char ann_size_of_Small[sizeof(Small) == 16 ? 1 : -1];

typedef struct u32_x8 { u32 at[8]; } u32_x8;

typedef struct Answer {
    u32_x8 words;
    i64 sum;
    f32 x;
    u8 on;
    u8 ann_pad0[3];
} Answer;
typedef char ann_size_of_Answer[sizeof(Answer) == 48 ? 1 : -1];

static u32 handle_checks_that_hold(GLOBAL const Small *small, PRIVATE ann_outbox *answers) {
    // corners.rs:+1
    bool on = small->on;
    u32 seven = 7u;
    // corners.rs:+2
    if (!(((!(true & small->on)) || small->on) || (262144u != seven))) return 0xFF01u; // panicked
    // corners.rs:+3
    if (!((on || small->on) || (((u32)small->on) != 7u))) return 0xFF01u; // panicked
    // corners.rs:+4
    u32_x8 items;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        items.at[i] = 0u;
    }
    Answer answer;
    answer.words = items;
    answer.sum = 1l;
    answer.x = 0.0f;
    answer.on = on;
    {
        GLOBAL Answer *ann_slot = (GLOBAL Answer *)ann_outbox_next(answers);
        if (ann_slot) *ann_slot = answer;
    }
    return 0u;
}

#define ANN_MESSAGE Small
#define ANN_MESSAGE_BYTES 16
#define ANN_OUTPUT Answer
#define ANN_OUTPUT_BYTES 48
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->key)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_checks_that_hold(message, outbox)
