// The handler of kernel `ends_of_ranges`, written from crates/annulus-conformance/src/kernels/corners.rs:+0 (module annulus_conformance::kernels::corners).
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

static u32 handle_ends_of_ranges(GLOBAL const Small *small, PRIVATE ann_outbox *answers) {
    u32 ann_budget = 16777216u;
    // corners.rs:+1
    u32_x8 words;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        words.at[i] = 0u;
    }
    // corners.rs:+2
    bool more = 0 <= 255;
    u8 next = 0;
    for (;;) {
        if (!more) {
            break;
        }
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u8 i = next;
        more = rs_distance_u8(next, 255) >= 1ul;
        next = rs_advance_u8(next, 1ul);
        // corners.rs:+3
        words.at[0] = words.at[0] + ((u32)i);
    }
    // corners.rs:+5
    i32 first = rs_sub_i32(2147483647, 2);
    bool more_2 = first <= 2147483647;
    i32 next_2 = first;
    for (;;) {
        if (!more_2) {
            break;
        }
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        i32 i = next_2;
        more_2 = rs_distance_i32(next_2, 2147483647) >= 1ul;
        next_2 = rs_advance_i32(next_2, 1ul);
        // corners.rs:+6
        words.at[1] = words.at[1] ^ ((u32)i);
    }
    // corners.rs:+8
    i64 end = rs_add_i64((-9223372036854775807l - 1l), 3l);
    bool more_3 = (-9223372036854775807l - 1l) < end;
    i64 next_3 = rs_before_i64(end);
    for (;;) {
        if (!more_3) {
            break;
        }
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        i64 i = next_3;
        more_3 = rs_distance_i64((-9223372036854775807l - 1l), next_3) >= 1ul;
        next_3 = rs_retreat_i64(next_3, 1ul);
        // corners.rs:+9
        words.at[2] = (words.at[2] * 7u) + ((u32)i);
    }
    // corners.rs:+11
    u64 first_2 = 18446744073709551615ul - 10ul;
    bool more_4 = first_2 < 18446744073709551615ul;
    u64 last = rs_before_u64(18446744073709551615ul);
    u64 next_4 = first_2;
    for (;;) {
        if (!more_4) {
            break;
        }
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u64 i = next_4;
        more_4 = rs_distance_u64(next_4, last) >= 18446744073709551615ul;
        next_4 = rs_advance_u64(next_4, 18446744073709551615ul);
        // corners.rs:+12
        words.at[3] = words.at[3] + ((u32)i);
    }
    // corners.rs:+14
    u8 first_3 = small->a;
    u64 step_ = ((u64)(small->key % 40)) + 1ul;
    if (step_ == 0ul) return 0xFF01u; // panicked
    bool more_5 = first_3 <= 250;
    u8 next_5 = 250;
    for (;;) {
        if (!more_5) {
            break;
        }
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u8 i = next_5;
        more_5 = rs_distance_u8(first_3, next_5) >= step_;
        next_5 = rs_retreat_u8(next_5, step_);
        // corners.rs:+15
        words.at[4] = (words.at[4] * 3u) + ((u32)i);
    }
    // corners.rs:+17
    u8 first_4 = small->a;
    u8 end_2 = small->a;
    bool more_6 = first_4 < end_2;
    u8 next_6 = rs_before_u8(end_2);
    for (;;) {
        if (!more_6) {
            break;
        }
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u8 i = next_6;
        more_6 = rs_distance_u8(first_4, next_6) >= 1ul;
        next_6 = rs_retreat_u8(next_6, 1ul);
        // corners.rs:+18
        words.at[5] = words.at[5] + (((u32)i) + 1u);
    }
    // corners.rs:+20
    i32 first_5 = small->b;
    i32 end_3 = small->b;
    bool more_7 = first_5 <= end_3;
    i32 next_7 = first_5;
    for (;;) {
        if (!more_7) {
            break;
        }
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        i32 i = next_7;
        more_7 = rs_distance_i32(next_7, end_3) >= 9ul;
        next_7 = rs_advance_i32(next_7, 9ul);
        // corners.rs:+21
        words.at[6] = words.at[6] + ((u32)i);
    }
    // corners.rs:+23
    u32 end_4 = 5u;
    // corners.rs:+24
    u32 end_5 = end_4;
    for (u32 i = 0u; i < end_5; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // corners.rs:+25
        end_4 = end_4 + i;
    }
    // corners.rs:+27
    words.at[7] = end_4;
    // corners.rs:+28
    Answer answer;
    answer.words = words;
    answer.sum = 0l;
    answer.x = 0.0f;
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
#define ANN_CALL(cx, message, state, outbox) handle_ends_of_ranges(message, outbox)
