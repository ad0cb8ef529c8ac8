// The handler of kernel `numbers_matched`, written from crates/annulus-conformance/src/kernels/constructs.rs:+0 (module annulus_conformance::kernels::constructs).
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

typedef struct i32_x3 { i32 at[3]; } i32_x3;

static u32 handle_numbers_matched(GLOBAL const Small *small, PRIVATE ann_outbox *answers) {
    // constructs.rs:+2
    u32 kind;
    if ((small->b >= (-2147483647 - 1)) && (small->b <= (-1))) {
        // constructs.rs:+3
        kind = 1u;
    } else if (small->b == 0) {
        // constructs.rs:+4
        kind = 2u;
    } else if (((small->b == 1) || (small->b == 3)) || (small->b == 5)) {
        // constructs.rs:+5
        kind = 3u;
    } else if (((small->b >= 6) && (small->b <= 12)) && ((small->b % 2) == 0)) {
        // constructs.rs:+6
        i32 n = small->b;
        kind = (u32)n;
    } else if (small->b == 12) {
        // constructs.rs:+7
        kind = 99u;
    } else if ((small->b > 1000) && small->on) {
        // constructs.rs:+8
        i32 n = small->b;
        kind = (u32)(n / 100);
    } else {
        // constructs.rs:+9
        kind = 4u;
    }
    // constructs.rs:+11
    bool on;
    if (small->a == 3) {
        // constructs.rs:+12
        on = false;
    } else {
        // constructs.rs:+13
        bool on_2 = small->on;
        on = on_2;
    }
    // constructs.rs:+15
    u32 checked;
    bool taken = false;
    if ((!taken) && (small->a == 0)) {
        taken = true;
        // constructs.rs:+16
        checked = 0u;
    }
    if (!taken) {
        u8 divisor = rs_sub_u8(small->a, 1);
        if (divisor == 0) return 0xFF05u; // division by zero
        if ((100 / divisor) > 20) {
            taken = true;
            // constructs.rs:+17
            u8 n = small->a;
            checked = 1u;
        }
    }
    if (!taken) {
        i32_x3 items;
        items.at[0] = 5;
        items.at[1] = 6;
        items.at[2] = 7;
        u64 at = ((u64)small->a) % 4ul;
        if (at >= 3ul) return 0xFF04u; // index out of bounds
        if (items.at[at] == 6) {
            taken = true;
            // constructs.rs:+18
            u8 n = small->a;
            checked = 2u;
        }
    }
    if (!taken) {
        taken = true;
        // constructs.rs:+19
        checked = 3u;
    }
    // constructs.rs:+21
    u32 shape;
    if (small->x == 0.0f) {
        // constructs.rs:+22
        shape = 1u;
    } else if (small->x < 0.0f) {
        // constructs.rs:+23
        f32 x = small->x;
        shape = 2u;
    } else if ((small->x >= 1.0f) && (small->x < 2.0f)) {
        // constructs.rs:+24
        shape = 3u;
    } else {
        // constructs.rs:+25
        shape = 4u;
    }
    // constructs.rs:+27
    u32 word;
    if (small->on) {
        // constructs.rs:+28
        word = 7u;
    } else {
        // constructs.rs:+30
        if (small->b == 0) {
            // constructs.rs:+31
            return 0u;
        }
        // constructs.rs:+33
        word = 8u;
    }
    // constructs.rs:+36
    u32_x8 words;
    words.at[0] = kind;
    words.at[1] = checked;
    words.at[2] = shape;
    words.at[3] = word;
    words.at[4] = 0u;
    words.at[5] = 0u;
    words.at[6] = 0u;
    words.at[7] = 0u;
    // constructs.rs:+37
    Answer answer;
    answer.words = words;
    answer.sum = 0l;
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
#define ANN_CALL(cx, message, state, outbox) handle_numbers_matched(message, outbox)
