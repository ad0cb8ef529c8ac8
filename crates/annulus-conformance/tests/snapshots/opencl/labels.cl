// The handler of kernel `labels`, written from crates/annulus-conformance/src/kernels/items.rs:+0 (module annulus_conformance::kernels::items).
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

typedef struct u32_x6 { u32 at[6]; } u32_x6;

typedef struct Tuple_u32_u32 { u32 field_0; u32 field_1; } Tuple_u32_u32;

typedef struct Option_Tuple_u32_u32 { u8 tag; Tuple_u32_u32 some; } Option_Tuple_u32_u32;

typedef struct u32_x2 { u32 at[2]; } u32_x2;

typedef struct u32_x2_x2 { u32_x2 at[2]; } u32_x2_x2;

typedef struct Option_u32 { u8 tag; u32 some; } Option_u32;

CONSTANT const u32_x6 PRIMES = { { 2u, 3u, 5u, 7u, 11u, 13u } };

static u32 handle_labels(GLOBAL const Small *small, PRIVATE ann_outbox *answers) {
    u32 ann_budget = 16777216u;
    // items.rs:+1
    u32 n = (u32)small->a;
    // items.rs:+2
    u32_x8 words;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        words.at[i] = 0u;
    }
    // items.rs:+3
    u32 found;
    u32 leave = 0u;
    for (;;) {
        // items.rs:+4
        if (n < 10u) {
            // items.rs:+5
            found = n;
            break;
        }
        // items.rs:+7
        for (u64 i = 0ul; i < 6ul; i += 1) {
            if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
            // items.rs:+8
            u32 divisor = PRIMES.at[i];
            if (divisor == 0u) return 0xFF05u; // division by zero
            if ((n % divisor) == 0u) {
                // items.rs:+9
                found = ((u32)i) + 1000u;
                leave = 1u;
                break;
            }
        }
        if (leave == 1u) {
            break;
        }
        if (leave == 2u) {
            leave = 0u;
            continue;
        }
        // items.rs:+12
        found = 77u;
        break;
    }
    words.at[0] = found;
    // items.rs:+14
    u32 i = 0u;
    // items.rs:+15
    Option_Tuple_u32_u32 pair;
    u32 leave_2 = 0u;
    for (;;) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // items.rs:+16
        i = i + 1u;
        // items.rs:+17
        u32 step_;
        u32 leave_4 = 0u;
        for (;;) {
            // items.rs:+18
            if ((i % 7u) == 0u) {
                // items.rs:+19
                leave_2 = 2u;
                break;
            }
            // items.rs:+21
            if (i > (40u + n)) {
                // items.rs:+22
                Option_Tuple_u32_u32 option;
                option.tag = 0; // None
                pair = option;
                leave_2 = 1u;
                break;
            }
            // items.rs:+24
            if ((i % 3u) == 0u) {
                // items.rs:+25
                step_ = 2u;
                break;
            }
            // items.rs:+27
            u32 end = i;
            u32 leave_3 = 0u;
            for (u32 j = 0u; j < end; j += 1) {
                if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
                // items.rs:+28
                words.at[1] = words.at[1] + 1u;
                // items.rs:+29
                for (;;) {
                    // items.rs:+30
                    if (j == 4u) {
                        // items.rs:+31
                        break;
                    }
                    // items.rs:+33
                    if (j == 9u) {
                        // items.rs:+34
                        leave_3 = 1u;
                        break;
                    }
                    // items.rs:+36
                    if ((j * i) > (200u + n)) {
                        // items.rs:+37
                        Tuple_u32_u32 tuple;
                        tuple.field_0 = i;
                        tuple.field_1 = j;
                        Option_Tuple_u32_u32 option;
                        option.tag = 1; // Some
                        option.some = tuple;
                        pair = option;
                        leave_2 = 1u;
                        break;
                    }
                    // items.rs:+39
                    if (j > 11u) {
                        // items.rs:+40
                        step_ = 5u;
                        leave_4 = 1u;
                        break;
                    }
                    // items.rs:+42
                    words.at[2] = words.at[2] + 1u;
                    // items.rs:+43
                    leave_3 = 2u;
                    break;
                }
                if (leave_3 == 1u) {
                    break;
                }
                if (leave_3 == 2u) {
                    leave_3 = 0u;
                    continue;
                }
                if (leave_2 != 0u) {
                    break;
                }
                if (leave_4 != 0u) {
                    break;
                }
                // items.rs:+45
                words.at[3] = words.at[3] + 1u;
            }
            if (leave_2 != 0u) {
                break;
            }
            if (leave_4 == 1u) {
                break;
            }
            if (leave_4 == 2u) {
                leave_4 = 0u;
                continue;
            }
            // items.rs:+47
            step_ = 1u;
            break;
        }
        if (leave_2 == 1u) {
            break;
        }
        if (leave_2 == 2u) {
            leave_2 = 0u;
            continue;
        }
        // items.rs:+49
        words.at[4] = words.at[4] + step_;
        // items.rs:+50
        if (words.at[4] > 150u) {
            // items.rs:+51
            Option_Tuple_u32_u32 option;
            option.tag = 0; // None
            pair = option;
            break;
        }
    }
    // items.rs:+54
    u32 chosen;
    if (pair.tag == 1) {
        // items.rs:+55
        u32 i_2 = pair.some.field_0;
        u32 j = pair.some.field_1;
        chosen = (i_2 * 100u) + j;
    } else {
        // items.rs:+56
        chosen = 1u;
    }
    words.at[5] = chosen;
    // items.rs:+58
    for (;;) {
        // items.rs:+59
        if (small->on) {
            // items.rs:+60
            break;
        }
        // items.rs:+62
        words.at[6] = 5u;
        break;
    }
    // items.rs:+64
    Option_u32 kept;
    u32 leave_3 = 0u;
    for (;;) {
        // items.rs:+65
        u32_x2 items;
        items.at[0] = 1u;
        items.at[1] = 2u;
        u32_x2 items_2;
        items_2.at[0] = n;
        items_2.at[1] = 4u;
        u32_x2_x2 items_3;
        items_3.at[0] = items;
        items_3.at[1] = items_2;
        for (u64 i_2 = 0ul; i_2 < 2ul; i_2 += 1) {
            if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
            u32_x2 row = items_3.at[i_2];
            // items.rs:+66
            for (u64 at = 0ul; at < 2ul; at += 1) {
                if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
                u32 cell = row.at[at];
                // items.rs:+67
                if ((cell == 4u) && (at == 1ul)) {
                    // items.rs:+68
                    Option_u32 option;
                    option.tag = 0; // None
                    kept = option;
                    leave_3 = 1u;
                    break;
                }
                // items.rs:+70
                if (cell > 100u) {
                    // items.rs:+71
                    Option_u32 option;
                    option.tag = 1; // Some
                    option.some = cell;
                    kept = option;
                    leave_3 = 1u;
                    break;
                }
            }
            if (leave_3 != 0u) {
                break;
            }
        }
        if (leave_3 == 1u) {
            break;
        }
        if (leave_3 == 2u) {
            leave_3 = 0u;
            continue;
        }
        // items.rs:+75
        Option_u32 option;
        option.tag = 1; // Some
        option.some = 0u;
        kept = option;
        break;
    }
    // items.rs:+77
    if (kept.tag != 1) {
        return 31u;
    }
    words.at[7] = kept.some;
    // items.rs:+78
    for (;;) {
        // items.rs:+79
        if (n > 200u) {
            // items.rs:+80
            break;
        }
        // items.rs:+82
        Answer answer;
        answer.words = words;
        answer.sum = 0l;
        answer.x = 0.0f;
        answer.on = small->on;
        {
            GLOBAL Answer *ann_slot = (GLOBAL Answer *)ann_outbox_next(answers);
            if (ann_slot) *ann_slot = answer;
        }
        // items.rs:+83
        return 0u;
    }
    // items.rs:+85
    words.at[7] = words.at[7] + 1u;
    // items.rs:+86
    Answer answer;
    answer.words = words;
    answer.sum = 1l;
    answer.x = 0.0f;
    answer.on = small->on;
    {
        GLOBAL Answer *ann_slot = (GLOBAL Answer *)ann_outbox_next(answers);
        if (ann_slot) *ann_slot = answer;
    }
    // items.rs:+87
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
#define ANN_CALL(cx, message, state, outbox) handle_labels(message, outbox)
