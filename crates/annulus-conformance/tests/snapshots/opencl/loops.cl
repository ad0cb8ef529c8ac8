// The handler of kernel `loops`, written from crates/annulus-conformance/src/kernels/constructs.rs:+0 (module annulus_conformance::kernels::constructs).
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

static u32 handle_loops(GLOBAL const Small *small, PRIVATE ann_outbox *answers) {
    u32 ann_budget = 16777216u;
    // constructs.rs:+1
    u8 n = small->a % 40;
    // constructs.rs:+2
    u32_x8 words;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        words.at[i] = 0u;
    }
    // constructs.rs:+3
    for (u8 i = 0; i < n; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // constructs.rs:+4
        words.at[0] = (words.at[0] * 3u) + ((u32)i);
        // constructs.rs:+5
        if (i == 20) {
            // constructs.rs:+6
            break;
        }
        // constructs.rs:+8
        if ((i % 3) == 0) {
            // constructs.rs:+9
            continue;
        }
        // constructs.rs:+11
        words.at[0] = words.at[0] ^ 1u;
    }
    // constructs.rs:+13
    bool more = 250 <= 255;
    u8 next = 250;
    for (;;) {
        if (!more) {
            break;
        }
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u8 i = next;
        more = rs_distance_u8(next, 255) >= 1ul;
        next = rs_advance_u8(next, 1ul);
        // constructs.rs:+14
        words.at[1] = (words.at[1] * 31u) + ((u32)i);
    }
    // constructs.rs:+16
    bool more_2 = (-128) <= 127;
    i8 next_2 = 127;
    for (;;) {
        if (!more_2) {
            break;
        }
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        i8 i = next_2;
        more_2 = rs_distance_i8((-128), next_2) >= 50ul;
        next_2 = rs_retreat_i8(next_2, 50ul);
        // constructs.rs:+17
        words.at[2] = (words.at[2] * 31u) + ((u32)((u8)i));
    }
    // constructs.rs:+19
    i32 end = small->b % 100;
    bool more_3 = 0 < end;
    i32 last = rs_before_i32(end);
    i32 next_3 = 0;
    for (;;) {
        if (!more_3) {
            break;
        }
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        i32 i = next_3;
        more_3 = rs_distance_i32(next_3, last) >= 7ul;
        next_3 = rs_advance_i32(next_3, 7ul);
        // constructs.rs:+20
        words.at[3] = words.at[3] + ((u32)i);
    }
    // constructs.rs:+22
    u64 end_2 = (u64)n;
    bool more_4 = 0ul < end_2;
    u64 next_4 = rs_before_u64(end_2);
    for (;;) {
        if (!more_4) {
            break;
        }
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u64 i = next_4;
        more_4 = rs_distance_u64(0ul, next_4) >= 1ul;
        next_4 = rs_retreat_u64(next_4, 1ul);
        // constructs.rs:+23
        words.at[4] = (words.at[4] * 5u) + ((u32)i);
    }
    // constructs.rs:+25
    i32 left = small->b;
    // constructs.rs:+26
    i32 found;
    for (;;) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // constructs.rs:+27
        left = left / 3;
        // constructs.rs:+28
        if (left == 0) {
            // constructs.rs:+29
            found = 1000;
            break;
        }
        // constructs.rs:+31
        if ((left % 5) == 0) {
            // constructs.rs:+32
            found = left;
            break;
        }
    }
    // constructs.rs:+35
    u8 turns = 0;
    // constructs.rs:+36
    for (;;) {
        if (!((turns < n) && ((words.at[0] % 7u) != 3u))) {
            break;
        }
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // constructs.rs:+37
        turns = rs_add_u8(turns, 1);
        // constructs.rs:+38
        words.at[0] = words.at[0] + 1u;
    }
    // constructs.rs:+40
    u32 leave = 0u;
    for (u32 y = 0u; y < 8u; y += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // constructs.rs:+41
        u32 x = 0u;
        // constructs.rs:+42
        for (;;) {
            if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
            // constructs.rs:+43
            x = x + 1u;
            // constructs.rs:+44
            if ((x + y) == ((u32)n)) {
                // constructs.rs:+45
                leave = 1u;
                break;
            }
            // constructs.rs:+47
            if (x > y) {
                // constructs.rs:+48
                leave = 2u;
                break;
            }
            // constructs.rs:+50
            for (u32 z = 0u; z < 4u; z += 1) {
                if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
                // constructs.rs:+51
                if ((z == 2u) && (x == 5u)) {
                    // constructs.rs:+52
                    leave = 2u;
                    break;
                }
                // constructs.rs:+54
                if ((z * y) == 21u) {
                    // constructs.rs:+55
                    break;
                }
                // constructs.rs:+57
                words.at[5] = words.at[5] + (z + x);
            }
            if (leave != 0u) {
                break;
            }
            // constructs.rs:+59
            words.at[6] = words.at[6] + 1u;
        }
        if (leave == 1u) {
            break;
        }
        if (leave == 2u) {
            leave = 0u;
            continue;
        }
    }
    // constructs.rs:+62
    u32 end_3 = (u32)n;
    bool more_5 = 0u < end_3;
    u32 last_2 = rs_before_u32(end_3);
    u32 next_5 = 0u;
    for (;;) {
        if (!more_5) {
            break;
        }
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u32 i = next_5;
        more_5 = rs_distance_u32(next_5, last_2) >= 1ul;
        next_5 = rs_advance_u32(next_5, 1ul);
        // constructs.rs:+63
        i = i * 2u;
        // constructs.rs:+64
        words.at[7] = words.at[7] + i;
    }
    // constructs.rs:+66
    for (i32 i = 5; i < 3; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // constructs.rs:+67
        words.at[7] = 0u;
    }
    // constructs.rs:+69
    Answer answer;
    answer.words = words;
    answer.sum = (i64)found;
    answer.x = (f32)turns;
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
#define ANN_CALL(cx, message, state, outbox) handle_loops(message, outbox)
