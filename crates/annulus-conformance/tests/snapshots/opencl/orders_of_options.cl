// The handler of kernel `orders_of_options`, written from crates/annulus-conformance/src/kernels/values.rs:+0 (module annulus_conformance::kernels::values).
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

typedef struct Option_u32 { u8 tag; u32 some; } Option_u32;

typedef struct u32_x4 { u32 at[4]; } u32_x4;

typedef struct Tuple_u32_u32 { u32 field_0; u32 field_1; } Tuple_u32_u32;

static u32 handle_orders_of_options(GLOBAL const Small *small, PRIVATE ann_outbox *answers) {
    u32 ann_budget = 16777216u;
    // values.rs:+1
    u32 n = (u32)small->a;
    // values.rs:+2
    Option_u32 slot;
    if (small->on) {
        slot.tag = 1; // Some
        slot.some = n;
    } else {
        slot.tag = 0; // None
    }
    // values.rs:+3
    u32_x8 words;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        words.at[i] = 0u;
    }
    // values.rs:+5
    bool before = slot.tag == 1;
    u32 before_2 = slot.some;
    Option_u32 option;
    option.tag = 1; // Some
    option.some = 1u;
    slot = option;
    // values.rs:+6
    n = n + 1u;
    // values.rs:+7
    words.at[0] = (before ? before_2 : n) + n;
    // values.rs:+9
    if (slot.tag != 1) return 0xFF01u; // panicked
    u32 before_3 = slot.some;
    // values.rs:+10
    Option_u32 option_2;
    option_2.tag = 0; // None
    slot = option_2;
    // values.rs:+11
    n = n + 3u;
    // values.rs:+12
    words.at[1] = before_3 + n;
    // values.rs:+16
    u32 before_4 = (u32)(slot.tag == 1);
    Option_u32 option_3;
    option_3.tag = 1; // Some
    option_3.some = n;
    slot = option_3;
    // values.rs:+17
    words.at[2] = (before_4 + 5u) + ((u32)(slot.tag == 1));
    // values.rs:+21
    u32 before_5 = n;
    n = n + 10u;
    // values.rs:+22
    Tuple_u32_u32 pair;
    pair.field_0 = before_5;
    pair.field_1 = n;
    // values.rs:+24
    words.at[3] = (pair.field_0 * 3u) + pair.field_1;
    // values.rs:+26
    u32 before_6 = n;
    n = n * 2u;
    // values.rs:+27
    u32 first = before_6;
    u32 second = n;
    // values.rs:+29
    words.at[4] = first + (second * 7u);
    // values.rs:+30
    u32 low = 1u;
    u32 high = 2u;
    // values.rs:+31
    u32 turn = 0u;
    // values.rs:+32
    for (;;) {
        if (turn >= (n % 7u)) {
            break;
        }
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // values.rs:+33
        u32 part_0 = high;
        u32 part_1 = low + high;
        low = part_0;
        high = part_1;
        // values.rs:+34
        turn = turn + 1u;
    }
    // values.rs:+36
    words.at[5] = (low * 1000u) + high;
    // values.rs:+37
    u32_x4 list;
    list.at[0] = 1u;
    list.at[1] = 2u;
    list.at[2] = 3u;
    list.at[3] = 4u;
    // values.rs:+38
    u64 at = 0ul;
    // values.rs:+39
    u32 part_0 = list.at[3] + 10u;
    u64 part_1 = 2ul;
    if (at >= 4ul) return 0xFF04u; // index out of bounds
    list.at[at] = part_0;
    at = part_1;
    // values.rs:+40
    u32 part_0_2 = list.at[0];
    u32 part_1_2 = n;
    if (at >= 4ul) return 0xFF04u; // index out of bounds
    list.at[at] = part_0_2;
    u64 at_2 = at + 1ul;
    if (at_2 >= 4ul) return 0xFF04u; // index out of bounds
    list.at[at_2] = part_1_2;
    // values.rs:+41
    words.at[6] = ((list.at[0] + (list.at[2] * 3u)) + (list.at[3] * 5u)) + ((u32)at);
    // values.rs:+42
    Option_u32 subject = slot;
    u32 subject_2 = n;
    u32 kept;
    if (subject.tag == 1) {
        // values.rs:+43
        u32 s = subject.some;
        u32 m = subject_2;
        // values.rs:+44
        n = 0u;
        // values.rs:+45
        Option_u32 option_4;
        option_4.tag = 0; // None
        slot = option_4;
        // values.rs:+46
        kept = s + m;
    } else {
        // values.rs:+48
        u32 m = subject_2;
        kept = m;
    }
    // values.rs:+50
    words.at[7] = (kept + n) + ((u32)(slot.tag != 1));
    // values.rs:+51
    Answer answer;
    answer.words = words;
    answer.sum = 0l;
    answer.x = 0.0f;
    answer.on = false;
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
#define ANN_CALL(cx, message, state, outbox) handle_orders_of_options(message, outbox)
