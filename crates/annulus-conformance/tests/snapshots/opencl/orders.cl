// The handler of kernel `orders`, written from crates/annulus-conformance/src/kernels/constructs.rs:+0 (module annulus_conformance::kernels::constructs).
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

static u32 handle_orders(GLOBAL const Small *small, PRIVATE ann_outbox *answers) {
    // constructs.rs:+1
    u32 x = (u32)small->a;
    // constructs.rs:+4
    u32 before = x;
    x = x + 1u;
    // constructs.rs:+5
    u32 first = (before + (x * 2u)) + x;
    // constructs.rs:+7
    u32 x_before = x;
    // constructs.rs:+8
    u32 x_2 = small->on ? x : (x_before + 100u);
    // constructs.rs:+9
    u32 n = 0u;
    // constructs.rs:+10
    bool both = small->b > 3;
    if (both) {
        // constructs.rs:+11
        n = n + 1u;
        // constructs.rs:+12
        both = n > 0u;
    }
    // constructs.rs:+14
    bool both_2 = small->b > 3;
    if (!both_2) {
        // constructs.rs:+15
        n = n + 10u;
        // constructs.rs:+16
        both_2 = small->on;
    }
    // constructs.rs:+18
    u32 chosen;
    if (both) {
        // constructs.rs:+19
        chosen = n + 5u;
    } else if (both_2) {
        // constructs.rs:+21
        u32 t = n * 3u;
        // constructs.rs:+22
        chosen = t + 1u;
    } else {
        // constructs.rs:+24
        n = n + 2u;
        // constructs.rs:+25
        chosen = n;
    }
    // constructs.rs:+27
    u32_x4 list;
    list.at[0] = x_2;
    list.at[1] = 2u;
    list.at[2] = 3u;
    list.at[3] = chosen;
    // constructs.rs:+28
    u64 i = 1ul;
    // constructs.rs:+30
    i = i + 1ul;
    // constructs.rs:+31
    if (i >= 4ul) return 0xFF04u; // index out of bounds
    list.at[i] = first;
    // constructs.rs:+34
    i = 0ul;
    // constructs.rs:+35
    if (i >= 4ul) return 0xFF04u; // index out of bounds
    list.at[i] = list.at[i] + list.at[1];
    // constructs.rs:+38
    i = i + 1ul;
    // constructs.rs:+39
    if (i >= 4ul) return 0xFF04u; // index out of bounds
    list.at[i] = list.at[i] ^ 255u;
    // constructs.rs:+41
    i64 late;
    // constructs.rs:+42
    if (small->on) {
        // constructs.rs:+43
        late = (-1l);
    } else {
        // constructs.rs:+45
        late = (i64)small->b;
    }
    // constructs.rs:+49
    u32_x8 words;
    words.at[0] = first;
    words.at[1] = x_2;
    words.at[2] = n;
    words.at[3] = chosen;
    words.at[4] = list.at[0];
    words.at[5] = list.at[1];
    words.at[6] = list.at[2];
    words.at[7] = list.at[3];
    // constructs.rs:+50
    Answer answer;
    answer.sum = rs_add_i64(late, (i64)n);
    answer.words = words;
    answer.on = both != both_2;
    answer.x = small->x;
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
#define ANN_CALL(cx, message, state, outbox) handle_orders(message, outbox)
