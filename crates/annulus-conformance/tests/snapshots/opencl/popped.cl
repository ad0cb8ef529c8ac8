// The handler of kernel `popped`, written from crates/annulus-conformance/src/kernels/values.rs:+0 (module annulus_conformance::kernels::values).
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

typedef struct Tuple_u8_u32 { u8 field_0; u32 field_1; } Tuple_u8_u32;

typedef struct Tuple_u8_u32_x8 { Tuple_u8_u32 at[8]; } Tuple_u8_u32_x8;

typedef struct Option_Tuple_u8_u32 { u8 tag; Tuple_u8_u32 some; } Option_Tuple_u8_u32;

typedef struct Option_u32 { u8 tag; u32 some; } Option_u32;

static u32 handle_popped(GLOBAL const Small *small, PRIVATE ann_outbox *answers) {
    u32 ann_budget = 16777216u;
    // values.rs:+1
    Tuple_u8_u32 tuple;
    tuple.field_0 = 0;
    tuple.field_1 = 0u;
    Tuple_u8_u32_x8 stack;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        stack.at[i] = tuple;
    }
    // values.rs:+2
    u64 depth = 0ul;
    // values.rs:+3
    u32 seed = ((u32)small->a) + 1u;
    // values.rs:+4
    for (;;) {
        if (depth >= 8ul) {
            break;
        }
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // values.rs:+5
        Tuple_u8_u32 tuple_2;
        tuple_2.field_0 = (u8)seed;
        tuple_2.field_1 = seed * 3u;
        if (depth >= 8ul) return 0xFF04u; // index out of bounds
        stack.at[depth] = tuple_2;
        // values.rs:+6
        seed = ((seed * 75u) + 74u) % 251u;
        // values.rs:+7
        depth = depth + 1ul;
    }
    // values.rs:+9
    u32_x8 words;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        words.at[i] = 0u;
    }
    // values.rs:+10
    Option_Tuple_u8_u32 popped;
    popped.tag = 0; // None
    // values.rs:+11
    for (;;) {
        // values.rs:+12
        Option_Tuple_u8_u32 chosen;
        if (depth == 0ul) {
            // values.rs:+13
            chosen.tag = 0; // None
        } else {
            // values.rs:+15
            depth = depth - 1ul;
            // values.rs:+16
            if (depth >= 8ul) return 0xFF04u; // index out of bounds
            chosen.tag = 1; // Some
            chosen.some = stack.at[depth];
        }
        popped = chosen;
        // values.rs:+18
        Option_Tuple_u8_u32 copy = popped;
        if (copy.tag != 1) {
            break;
        }
        u8 small_2 = copy.some.field_0;
        u32 large = copy.some.field_1;
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // values.rs:+20
        if (small_2 == 7) {
            // values.rs:+21
            continue;
        }
        // values.rs:+23
        if (large > 700u) {
            // values.rs:+24
            break;
        }
        // values.rs:+26
        if (depth >= 8ul) return 0xFF04u; // index out of bounds
        words.at[depth] = large + ((u32)small_2);
    }
    // values.rs:+28
    words.at[0] = words.at[0] + ((u32)(popped.tag == 1));
    // values.rs:+29
    Option_u32 next;
    next.tag = 1; // Some
    next.some = seed;
    // values.rs:+30
    for (;;) {
        if (next.tag != 1) {
            break;
        }
        u32 n = next.some;
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // values.rs:+31
        words.at[1] = words.at[1] + n;
        // values.rs:+32
        Option_u32 chosen;
        if (n > 100u) {
            // values.rs:+33
            chosen.tag = 1; // Some
            chosen.some = n / 2u;
        } else if ((n % 2u) == 1u) {
            // values.rs:+35
            chosen.tag = 1; // Some
            chosen.some = n - 1u;
        } else {
            // values.rs:+37
            chosen.tag = 0; // None
        }
        next = chosen;
    }
    // values.rs:+40
    Answer answer;
    answer.words = words;
    answer.sum = 0l;
    answer.x = 0.0f;
    answer.on = small->on;
    {
        GLOBAL Answer *ann_slot = (GLOBAL Answer *)ann_outbox_next(answers);
        if (ann_slot) *ann_slot = answer;
    }
    // values.rs:+41
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
#define ANN_CALL(cx, message, state, outbox) handle_popped(message, outbox)
