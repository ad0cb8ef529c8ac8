// The handler of kernel `failures`, written from crates/annulus-conformance/src/kernels/constructs.rs:+0 (module annulus_conformance::kernels::constructs).
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

typedef struct u32_x4 { u32 at[4]; } u32_x4;

typedef union Kind {
    i8 tag; // (-3) Idle, (-2) Busy, 7 Done
} Kind;
typedef char ann_size_of_Kind[sizeof(Kind) == 1 ? 1 : -1];

static u32 handle_failures(GLOBAL const Small *small, PRIVATE u32_x4 *state, PRIVATE ann_outbox *answers) {
    u32 ann_budget = 16777216u;
    // constructs.rs:+1
    state->at[0] = state->at[0] + 1u;
    // constructs.rs:+2
    u32 item = state->at[0];
    u32_x8 items;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        items.at[i] = item;
    }
    Answer answer;
    answer.words = items;
    answer.sum = 1l;
    answer.x = 0.5f;
    answer.on = true;
    // constructs.rs:+3
    if (small->a <= 3) {
        // constructs.rs:+4
        u64 at = (u64)small->b;
        if (at >= 4ul) return 0xFF04u; // index out of bounds
        state->at[at] = state->at[at] + 1u;
    } else if (small->a == 4) {
        // constructs.rs:+5
        u32 divisor = state->at[3];
        if (divisor == 0u) return 0xFF05u; // division by zero
        state->at[1] = state->at[2] % divisor;
    } else if (small->a == 5) {
        // constructs.rs:+6
        u16 code = small->key;
        if ((code == 0) || (code >= 65280)) return 0xFF01u; // panicked
        return (u32)code;
    } else if (small->a == 6) {
        // constructs.rs:+7
        if (!small->on) return 0xFF01u; // panicked
    } else if ((small->a == 7) && small->on) {
        // constructs.rs:+8
        return 0xFF01u; // panicked
    } else if (small->a == 8) {
        // constructs.rs:+10
        i32 end = small->b;
        for (i32 i = 0; i < end; i += 1) {
            if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
            // constructs.rs:+11
            {
                GLOBAL Answer *ann_slot = (GLOBAL Answer *)ann_outbox_next(answers);
                if (ann_slot) *ann_slot = answer;
            }
            // constructs.rs:+12
            if ((state->at[0] == 0u) || (state->at[1] > 3u)) {
                // constructs.rs:+13
                break;
            }
            // constructs.rs:+15
            state->at[1] = state->at[1] + 1u;
        }
    } else if (small->a == 9) {
        // constructs.rs:+18
        if (small->key != 3) return 0xFF01u; // panicked
    } else if (small->a == 10) {
        // constructs.rs:+20
        Kind chosen_2;
        if (small->on) {
            chosen_2.tag = (-2); // Busy
        } else {
            chosen_2.tag = 7; // Done
        }
        if (chosen_2.tag != (-2)) {
            return 77u;
        }
        // constructs.rs:+21
        {
            GLOBAL Answer *ann_slot = (GLOBAL Answer *)ann_outbox_next(answers);
            if (ann_slot) *ann_slot = answer;
        }
    } else {
        // constructs.rs:+24
        {
            GLOBAL Answer *ann_slot = (GLOBAL Answer *)ann_outbox_next(answers);
            if (ann_slot) *ann_slot = answer;
        }
        // constructs.rs:+25
        u32 chosen_2;
        if (rs_is_nan_f32(small->x)) {
            chosen_2 = 77u;
        } else {
            chosen_2 = 0u;
        }
        return chosen_2;
    }
    // constructs.rs:+28
    return 0u;
}

#define ANN_MESSAGE Small
#define ANN_MESSAGE_BYTES 16
#define ANN_OUTPUT Answer
#define ANN_OUTPUT_BYTES 48
#define ANN_STATE u32_x4
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->key)
#define ANN_MAX_OUTPUTS 2
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_failures(message, state, outbox)
