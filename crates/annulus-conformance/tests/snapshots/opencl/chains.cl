// The handler of kernel `chains`, written from crates/annulus-conformance/src/kernels/values.rs:+0 (module annulus_conformance::kernels::values).
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

typedef struct Tuple_u8_i32 { u8 field_0; i32 field_1; } Tuple_u8_i32;

typedef struct Option_Tuple_u8_i32 { u8 tag; Tuple_u8_i32 some; } Option_Tuple_u8_i32;

typedef struct u8_x8 { u8 at[8]; } u8_x8;

static u32 handle_chains(GLOBAL const Small *small, PRIVATE ann_outbox *answers) {
    u32 ann_budget = 16777216u;
    // values.rs:+1
    u8 a = small->a;
    i32 b = small->b;
    bool on = small->on;
    // values.rs:+2
    u32_x8 words;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        words.at[i] = 0u;
    }
    // values.rs:+3
    Option_Tuple_u8_i32 some;
    if (on) {
        Tuple_u8_i32 tuple;
        tuple.field_0 = a;
        tuple.field_1 = b;
        some.tag = 1; // Some
        some.some = tuple;
    } else {
        some.tag = 0; // None
    }
    // values.rs:+4
    u8_x8 list;
    list.at[0] = 3;
    list.at[1] = 7;
    list.at[2] = a;
    list.at[3] = 20;
    list.at[4] = 31;
    list.at[5] = 40;
    list.at[6] = 50;
    list.at[7] = 60;
    // values.rs:+5
    u32 found;
    for (;;) {
        if (a > 10) {
            // values.rs:+6
            if (some.tag == 1) {
                u8 n = some.some.field_0;
                i32 m = some.some.field_1;
                // values.rs:+7
                if (m > 0) {
                    // values.rs:+8
                    u64 at = (u64)(n % 11);
                    bool there = at < 8ul;
                    if (there) {
                        // values.rs:+9
                        if ((list.at[at] > 5) || (n < 30)) {
                            // values.rs:+11
                            found = ((u32)list.at[at]) + ((u32)n);
                            break;
                        }
                    }
                }
            }
        }
        // values.rs:+12
        u32 found_2;
        for (;;) {
            if (some.tag == 1) {
                u8 n = some.some.field_0;
                // values.rs:+13
                if (n > 200) {
                    // values.rs:+15
                    found_2 = 7u;
                    break;
                }
            }
            // values.rs:+17
            u32 n = 5u;
            // values.rs:+18
            found_2 = n;
            break;
        }
        found = found_2;
        break;
    }
    words.at[0] = found;
    // values.rs:+20
    u64 at = 0ul;
    // values.rs:+21
    u32 steps = 0u;
    // values.rs:+22
    u32 leave = 0u;
    for (;;) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        if (at < 8ul) {
            // values.rs:+23
            u64 at_2 = at;
            bool there = at_2 < 8ul;
            if (there) {
                u8 x = list.at[at_2];
                // values.rs:+24
                if (x < 45) {
                    // values.rs:+26
                    at = at + 1ul;
                    // values.rs:+27
                    steps = steps + 10u;
                    // values.rs:+28
                    if (x == 7) {
                        // values.rs:+29
                        continue;
                    }
                    // values.rs:+31
                    for (;;) {
                        if (x == 9) {
                            // values.rs:+32
                            if (some.tag == 1) {
                                // values.rs:+34
                                leave = 1u;
                                break;
                            }
                        }
                        break;
                    }
                    if (leave == 1u) {
                        break;
                    }
                    if (leave == 2u) {
                        leave = 0u;
                        continue;
                    }
                    // values.rs:+36
                    steps = steps + 1u;
                    // values.rs:+22
                    continue;
                }
            }
        }
        break;
    }
    // values.rs:+38
    words.at[1] = steps;
    // values.rs:+39
    u32 leave_2 = 0u;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u8 n = list.at[i];
        // values.rs:+40
        for (;;) {
            if (n > 6) {
                // values.rs:+41
                if (some.tag == 1) {
                    u8 m = some.some.field_0;
                    // values.rs:+42
                    if (m > 100) {
                        // values.rs:+44
                        if (m > 180) {
                            // values.rs:+45
                            leave_2 = 1u;
                            break;
                        }
                        // values.rs:+47
                        words.at[2] = words.at[2] + 1u;
                        // values.rs:+48
                        leave_2 = 2u;
                        break;
                    }
                }
            }
            break;
        }
        if (leave_2 == 1u) {
            break;
        }
        if (leave_2 == 2u) {
            leave_2 = 0u;
            continue;
        }
        // values.rs:+50
        words.at[3] = words.at[3] + ((u32)i);
    }
    // values.rs:+52
    Option_Tuple_u8_i32 shadow = some;
    // values.rs:+53
    for (;;) {
        if (shadow.tag == 1) {
            Tuple_u8_i32 shadow_2 = shadow.some;
            // values.rs:+54
            if (shadow_2.field_1 >= 0) {
                u8 m = shadow_2.field_0;
                // values.rs:+56
                words.at[4] = (u32)m;
                break;
            }
        }
        break;
    }
    // values.rs:+58
    Answer answer;
    answer.words = words;
    answer.sum = 0l;
    answer.x = 0.0f;
    answer.on = (shadow.tag == some.tag) && ((shadow.tag != 1) || ((shadow.some.field_0 == some.some.field_0) && (shadow.some.field_1 == some.some.field_1)));
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
#define ANN_CALL(cx, message, state, outbox) handle_chains(message, outbox)
