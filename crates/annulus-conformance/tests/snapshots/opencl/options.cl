// The handler of kernel `options`, written from crates/annulus-conformance/src/kernels/values.rs:+0 (module annulus_conformance::kernels::values).
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

typedef struct Option_i32 { u8 tag; i32 some; } Option_i32;

typedef struct Option_Option_i32 { u8 tag; Option_i32 some; } Option_Option_i32;

typedef struct Spot {
    i16 x;
    u8 ann_pad0[6];
    u64 y;
} Spot;
typedef char ann_size_of_Spot[sizeof(Spot) == 16 ? 1 : -1];

typedef struct Option_Spot { u8 tag; Spot some; } Option_Spot;

typedef struct Option_Spot_x3 { Option_Spot at[3]; } Option_Spot_x3;

typedef union Shade {
    u8 tag; // 0 Dark, 1 Grey, 2 Spotted
    struct {
        u8 ann_tag;
        u8 field_0;
        u8 ann_pad0[22];
    } Grey;
    struct {
        u8 ann_tag;
        u8 ann_pad0[7];
        Spot at;
    } Spotted;
} Shade;
typedef char ann_size_of_Shade[sizeof(Shade) == 24 ? 1 : -1];
typedef char ann_size_of_Shade_Grey[sizeof(((PRIVATE Shade *)0)->Grey) == 24 ? 1 : -1];
typedef char ann_size_of_Shade_Spotted[sizeof(((PRIVATE Shade *)0)->Spotted) == 24 ? 1 : -1];

typedef struct Option_Shade { u8 tag; Shade some; } Option_Shade;

typedef struct Tuple_u8_bool { u8 field_0; u8 field_1; } Tuple_u8_bool;

typedef struct Option_Tuple_u8_bool { u8 tag; Tuple_u8_bool some; } Option_Tuple_u8_bool;

typedef struct Option_Tuple_u8_bool_x4 { Option_Tuple_u8_bool at[4]; } Option_Tuple_u8_bool_x4;

typedef struct Result_u8_bool { u8 tag; u8 ok; u8 err; } Result_u8_bool;

typedef struct Result_void_u8 { u8 tag; u8 err; } Result_void_u8;

typedef struct Option_f32 { u8 tag; f32 some; } Option_f32;

typedef struct Result_u8_u16 { u8 tag; u8 ok; u16 err; } Result_u8_u16;

CONSTANT const Option_Tuple_u8_bool_x4 LIMITS = { { { .tag = 0 }, { .tag = 1, .some = { .field_0 = 7, .field_1 = true } }, { .tag = 1, .some = { .field_0 = 200, .field_1 = false } }, { .tag = 0 } } };

static u32 handle_options(GLOBAL const Small *small, PRIVATE ann_outbox *answers) {
    u32 ann_budget = 16777216u;
    // values.rs:+1
    u8 a = small->a;
    i32 b = small->b;
    bool on = small->on;
    f32 x = small->x;
    // values.rs:+2
    u32_x8 words;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        words.at[i] = 0u;
    }
    // values.rs:+3
    Option_u32 best;
    best.tag = 0; // None
    // values.rs:+4
    u32 turns = 0u;
    // values.rs:+5
    for (;;) {
        if (turns >= 4u) {
            break;
        }
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // values.rs:+6
        Option_u32 found;
        if ((rs_shr_u32((u32)a, turns) & 1u) == 1u) {
            found.tag = 1; // Some
            found.some = (turns * 10u) + 1u;
        } else {
            found.tag = 0; // None
        }
        // values.rs:+7
        if (found.tag == 1) {
            u32 found_2 = found.some;
            // values.rs:+8
            Option_u32 chosen_2;
            if ((best.tag == 1) && (best.some > found_2)) {
                // values.rs:+9
                u32 best_2 = best.some;
                chosen_2.tag = 1; // Some
                chosen_2.some = best_2 + 1u;
            } else if (best.tag == 1) {
                // values.rs:+10
                u32 best_2 = best.some;
                chosen_2.tag = 1; // Some
                chosen_2.some = best_2 + found_2;
            } else {
                // values.rs:+11
                chosen_2.tag = 1; // Some
                chosen_2.some = found_2;
            }
            best = chosen_2;
        }
        // values.rs:+14
        if (best.tag == 1) {
            // values.rs:+15
            best.some = best.some + 100u;
        }
        // values.rs:+17
        turns = turns + 1u;
    }
    // values.rs:+19
    words.at[0] = (best.tag == 1) ? best.some : 7u;
    // values.rs:+20
    u32 chosen;
    if (best.tag == 0) {
        // values.rs:+21
        chosen = 0u;
    } else if ((best.tag == 1) && (best.some <= 100u)) {
        // values.rs:+22
        chosen = 1u;
    } else if ((best.tag == 1) && (((best.some == 101u) || (best.some == 201u)) || (best.some == 301u))) {
        // values.rs:+23
        u32 n = best.some;
        chosen = n;
    } else {
        // values.rs:+24
        u32 n = best.some;
        chosen = n + 5u;
    }
    words.at[1] = chosen;
    // values.rs:+26
    Option_u32 before = best;
    best.tag = 0; // None
    // values.rs:+27
    words.at[2] = ((u32)(best.tag != 1)) + (((u32)(before.tag == 1)) * 2u);
    // values.rs:+28
    u32 new_ = ((u32)a) + 1u;
    Option_u32 before_2 = best;
    best.tag = 1; // Some
    best.some = new_;
    // values.rs:+29
    if (best.tag != 1) return 0xFF01u; // panicked
    words.at[2] = words.at[2] + ((((u32)(before_2.tag != 1)) * 4u) + best.some);
    // values.rs:+30
    Option_Option_i32 nested;
    if (on) {
        Option_i32 chosen_2;
        if (b < 0) {
            chosen_2.tag = 0; // None
        } else {
            chosen_2.tag = 1; // Some
            chosen_2.some = b;
        }
        nested.tag = 1; // Some
        nested.some = chosen_2;
    } else {
        nested.tag = 0; // None
    }
    // values.rs:+31
    i64 sum;
    if (((nested.tag == 1) && (nested.some.tag == 1)) && (nested.some.some > 10)) {
        // values.rs:+32
        i32 n = nested.some.some;
        sum = rs_mul_i64((i64)n, 3l);
    } else if ((nested.tag == 1) && (nested.some.tag == 1)) {
        // values.rs:+33
        i32 n = nested.some.some;
        sum = (i64)n;
    } else if ((nested.tag == 1) && (nested.some.tag == 0)) {
        // values.rs:+34
        sum = (-1l);
    } else {
        // values.rs:+35
        sum = (-2l);
    }
    // values.rs:+37
    Spot spot;
    spot.x = (i16)b;
    spot.y = (u64)a;
    Option_Spot spot_2;
    spot_2.tag = 1; // Some
    spot_2.some = spot;
    // values.rs:+38
    if (spot_2.tag != 1) {
        return 0xFF01u; // panicked
    }
    i16 across = spot_2.some.x;
    u64 y = spot_2.some.y;
    // values.rs:+39
    words.at[3] = ((u32)across) ^ ((u32)y);
    // values.rs:+40
    Option_Spot_x3 copies;
    for (u64 i = 0ul; i < 3ul; i += 1) {
        copies.at[i] = spot_2;
    }
    // values.rs:+41
    Option_Spot option;
    option.tag = 0; // None
    copies.at[1] = option;
    // values.rs:+42
    u64 at = ((u64)a) % 3ul;
    if (at >= 3ul) return 0xFF04u; // index out of bounds
    if (copies.at[at].tag == 1) {
        // values.rs:+43
        copies.at[at].some.y = copies.at[at].some.y + 77ul;
    }
    // values.rs:+45
    Spot spot_3;
    spot_3.x = 0;
    spot_3.y = 1ul;
    Spot chosen_2;
    if (copies.at[0].tag == 1) {
        chosen_2 = copies.at[0].some;
    } else {
        chosen_2 = spot_3;
    }
    if (copies.at[2].tag != 1) return 0xFF01u; // panicked
    Spot copy = copies.at[2].some;
    words.at[4] = ((u32)chosen_2.y) + ((u32)copy.y);
    // values.rs:+47
    words.at[4] = words.at[4] + (((u32)(copies.at[1].tag == 0)) + ((u32)((spot_2.tag == 1) && (spot_2.some.x >= 0))));
    // values.rs:+48
    Option_Shade shade;
    if (a < 50) {
        // values.rs:+49
        Shade shade_2;
        shade_2.tag = 1; // Grey
        shade_2.Grey.field_0 = a;
        shade.tag = 1; // Some
        shade.some = shade_2;
    } else if (a < 100) {
        // values.rs:+51
        Spot spot_4;
        spot_4.x = 1;
        spot_4.y = 2ul;
        Shade shade_2;
        shade_2.tag = 2; // Spotted
        shade_2.Spotted.at = spot_4;
        shade.tag = 1; // Some
        shade.some = shade_2;
    } else if (a < 150) {
        // values.rs:+53
        Shade shade_2;
        shade_2.tag = 0; // Dark
        shade.tag = 1; // Some
        shade.some = shade_2;
    } else {
        // values.rs:+55
        shade.tag = 0; // None
    }
    // values.rs:+57
    u32 chosen_3;
    if ((shade.tag == 1) && ((shade.some.tag == 1) && ((shade.some.Grey.field_0 >= 10) && (shade.some.Grey.field_0 <= 20)))) {
        // values.rs:+58
        u8 grey = shade.some.Grey.field_0;
        chosen_3 = (u32)grey;
    } else if ((shade.tag == 1) && (shade.some.tag == 1)) {
        // values.rs:+59
        chosen_3 = 1u;
    } else if ((shade.tag == 1) && (shade.some.tag == 2)) {
        // values.rs:+60
        u64 y_2 = shade.some.Spotted.at.y;
        chosen_3 = ((u32)y_2) + 2u;
    } else if ((shade.tag == 1) && (shade.some.tag == 0)) {
        // values.rs:+61
        chosen_3 = 3u;
    } else {
        // values.rs:+62
        chosen_3 = 4u;
    }
    words.at[5] = chosen_3;
    // values.rs:+64
    u64 at_2 = ((u64)a) & 3ul;
    if (at_2 >= 4ul) return 0xFF04u; // index out of bounds
    Option_Tuple_u8_bool limit = LIMITS.at[at_2];
    // values.rs:+65
    u32 chosen_4;
    if (((limit.tag == 1) && limit.some.field_1) && (limit.some.field_0 > 3)) {
        // values.rs:+66
        u8 n = limit.some.field_0;
        chosen_4 = (u32)n;
    } else if ((limit.tag == 1) && on) {
        // values.rs:+67
        u8 n = limit.some.field_0;
        chosen_4 = ((u32)n) * 2u;
    } else if ((limit.tag == 1) && (!on)) {
        // values.rs:+68
        chosen_4 = 500u;
    } else {
        // values.rs:+69
        bool on_2 = on;
        chosen_4 = 600u + ((u32)on_2);
    }
    words.at[6] = chosen_4;
    // values.rs:+71
    Tuple_u8_bool tuple;
    tuple.field_0 = 9;
    tuple.field_1 = on;
    Option_Tuple_u8_bool option_2;
    option_2.tag = 1; // Some
    option_2.some = tuple;
    Option_Tuple_u8_bool option_3;
    if (limit.tag == 1) {
        option_3.tag = 1; // Some
        option_3.some = limit.some;
    } else {
        option_3.tag = 0; // None
    }
    Option_Tuple_u8_bool chosen_5;
    if (option_3.tag == 1) {
        chosen_5 = option_3;
    } else {
        chosen_5 = option_2;
    }
    if (chosen_5.tag != 1) return 0xFF01u; // panicked
    Tuple_u8_bool copy_2 = chosen_5.some;
    // values.rs:+72
    words.at[7] = (((u32)copy_2.field_0) * 2u) + ((u32)copy_2.field_1);
    // values.rs:+74
    Result_u8_bool second;
    if (on) {
        second.tag = 0; // Ok
        second.ok = a;
    } else {
        second.tag = 1; // Err
        second.err = a > 9;
    }
    // values.rs:+75
    bool there = limit.tag == 1;
    Tuple_u8_bool subject = limit.some;
    u8 mapped;
    if (there) {
        Tuple_u8_bool subject_2 = subject;
        u8 n = subject_2.field_0;
        mapped = n;
    }
    Result_u8_u16 option_4;
    if (there) {
        option_4.tag = 0; // Ok
        option_4.ok = mapped;
    } else {
        option_4.tag = 1; // Err
        option_4.err = small->key;
    }
    bool there_2 = (option_4.tag == 0) || (second.tag == 0);
    u8 subject_2 = (option_4.tag == 0) ? option_4.ok : second.ok;
    bool subject_3 = second.err;
    u32 chosen_6;
    if (there_2) {
        // values.rs:+76
        u8 n = subject_2;
        chosen_6 = ((u32)n) * 100u;
    } else {
        // values.rs:+77
        bool large = subject_3;
        chosen_6 = 70000u + ((u32)large);
    }
    words.at[7] = words.at[7] + chosen_6;
    // values.rs:+79
    Result_void_u8 checked;
    if (a > 80) {
        checked.tag = 1; // Err
        checked.err = a;
    } else {
        checked.tag = 0; // Ok
    }
    // values.rs:+80
    Result_void_u8 option_5;
    if (checked.tag == 0) {
        option_5.tag = 0; // Ok
    } else {
        option_5.tag = 1; // Err
        option_5.err = checked.err;
    }
    words.at[7] = words.at[7] + (((u32)((option_5.tag == 0) || (2u == 0u))) * 100000u);
    // values.rs:+81
    Option_f32 late;
    // values.rs:+82
    Option_f32 chosen_7;
    if (x > 0.0f) {
        chosen_7.tag = 1; // Some
        chosen_7.some = x;
    } else {
        chosen_7.tag = 0; // None
    }
    late = chosen_7;
    // values.rs:+83
    Answer answer;
    answer.words = words;
    answer.sum = sum;
    answer.x = (late.tag == 1) ? late.some : (-1.0f);
    answer.on = (late.tag == 1) && (nested.tag == 1);
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
#define ANN_CALL(cx, message, state, outbox) handle_options(message, outbox)
