// The handler of kernel `nested_values`, written from crates/annulus-conformance/src/kernels/corners.rs:+0 (module annulus_conformance::kernels::corners).
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

typedef struct u32_x3 { u32 at[3]; } u32_x3;

static u32 handle_nested_values(GLOBAL const Small *small, PRIVATE ann_outbox *answers) {
    u32 ann_budget = 16777216u;
    // corners.rs:+2
    u32 n = (u32)(small->a % 12);
    // corners.rs:+4
    u32 total = 0u;
    // corners.rs:+5
    u32 i = 0u;
    // corners.rs:+6
    u32 total_2;
    for (;;) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // corners.rs:+7
        i = i + 1u;
        // corners.rs:+8
        u32 subject = i % 4u;
        u32 chosen;
        if (subject == 0u) {
            // corners.rs:+9
            continue;
        } else if (subject == 1u) {
            // corners.rs:+10
            chosen = 3u;
        } else if ((subject == 2u) && small->on) {
            // corners.rs:+12
            if (total > 40u) {
                // corners.rs:+13
                total_2 = total * 2u;
                break;
            }
            // corners.rs:+15
            chosen = i;
        } else {
            // corners.rs:+17
            u32 rest = subject;
            // corners.rs:+18
            u32 inner;
            for (;;) {
                if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
                // corners.rs:+19
                if (rest > n) {
                    // corners.rs:+20
                    inner = rest;
                    break;
                }
                // corners.rs:+22
                if (i > 20u) {
                    // corners.rs:+23
                    inner = 1u;
                    break;
                }
                // corners.rs:+25
                i = i + rest;
            }
            // corners.rs:+27
            chosen = inner + 1u;
        }
        total = total + chosen;
        // corners.rs:+30
        if (i > n) {
            // corners.rs:+31
            total_2 = total;
            break;
        }
    }
    // corners.rs:+35
    u32_x4 a;
    a.at[0] = total_2;
    a.at[1] = n;
    a.at[2] = 3u;
    a.at[3] = 4u;
    // corners.rs:+36
    u32_x4 b = a;
    // corners.rs:+37
    u32 chosen;
    if (a.at[1] > 5u) {
        // corners.rs:+38
        b.at[1] = 100u;
        // corners.rs:+39
        chosen = a.at[0];
    } else {
        // corners.rs:+41
        chosen = b.at[2];
    }
    b.at[0] = chosen;
    // corners.rs:+43
    u32_x8 words;
    if (small->on) {
        // corners.rs:+44
        words.at[0] = a.at[0];
        words.at[1] = b.at[0];
        words.at[2] = a.at[1];
        words.at[3] = b.at[1];
        words.at[4] = a.at[2];
        words.at[5] = b.at[2];
        words.at[6] = 0u;
        words.at[7] = 1u;
    } else {
        // corners.rs:+46
        u32_x8 words_2;
        for (u64 i_2 = 0ul; i_2 < 8ul; i_2 += 1) {
            words_2.at[i_2] = n;
        }
        // corners.rs:+47
        u32 chosen_2;
        if (small->b < 0) {
            // corners.rs:+48
            chosen_2 = 1u;
        } else {
            // corners.rs:+49
            if (n <= 3u) {
                // corners.rs:+51
                words_2.at[4] = 77u;
                // corners.rs:+52
                chosen_2 = words_2.at[5];
            } else {
                // corners.rs:+54
                chosen_2 = words_2.at[6] + 1u;
            }
        }
        words_2.at[3] = chosen_2;
        // corners.rs:+57
        words = words_2;
    }
    // corners.rs:+59
    u64 at = 0ul;
    // corners.rs:+60
    u32_x3 list;
    list.at[0] = 1u;
    list.at[1] = 2u;
    list.at[2] = 3u;
    // corners.rs:+62
    at = 2ul;
    // corners.rs:+63
    list.at[0] = list.at[0] + 10u;
    // corners.rs:+64
    if (at >= 3ul) return 0xFF04u; // index out of bounds
    list.at[at] = list.at[at] + list.at[1];
    // corners.rs:+66
    if (at >= 3ul) return 0xFF04u; // index out of bounds
    list.at[at] = list.at[at] - list.at[0];
    // corners.rs:+67
    i64 sum = rs_sub_i64((i64)list.at[0], (i64)rs_max_i32(small->b, 3));
    // corners.rs:+68
    Answer answer;
    answer.words = words;
    answer.sum = sum;
    answer.x = - (- small->x);
    answer.on = small->on;
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
#define ANN_CALL(cx, message, state, outbox) handle_nested_values(message, outbox)
