// The handler of kernel `equal`, written from crates/annulus-conformance/src/kernels/values.rs:+0 (module annulus_conformance::kernels::values).
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

typedef struct Option_u8 { u8 tag; u8 some; } Option_u8;

typedef struct Tuple_i32_f32 { i32 field_0; f32 field_1; } Tuple_i32_f32;

typedef struct Option_Tuple_i32_f32 { u8 tag; Tuple_i32_f32 some; } Option_Tuple_i32_f32;

typedef struct Result_u8_bool { u8 tag; u8 ok; u8 err; } Result_u8_bool;

typedef struct Tuple_u8_bool { u8 field_0; u8 field_1; } Tuple_u8_bool;

typedef struct Tuple_u8_bool_x3 { Tuple_u8_bool at[3]; } Tuple_u8_bool_x3;

typedef struct bool_x8 { u8 at[8]; } bool_x8;

typedef struct Tuple_u8_Option_Tuple_i32_f32_void { u8 field_0; Option_Tuple_i32_f32 field_1; } Tuple_u8_Option_Tuple_i32_f32_void;

typedef struct Tuple_u8_i32 { u8 field_0; i32 field_1; } Tuple_u8_i32;

typedef struct Tuple_Option_u8_i32_Tuple_u8_bool_x3 { Option_u8 field_0; i32 field_1; Tuple_u8_bool_x3 field_2; } Tuple_Option_u8_i32_Tuple_u8_bool_x3;

static u32 handle_equal(GLOBAL const Small *small, PRIVATE ann_outbox *answers) {
    u32 ann_budget = 16777216u;
    // values.rs:+1
    u8 a = small->a;
    i32 b = small->b;
    bool on = small->on;
    f32 x = small->x;
    // values.rs:+2
    Option_u8 some;
    if (on) {
        some.tag = 1; // Some
        some.some = a;
    } else {
        some.tag = 0; // None
    }
    // values.rs:+3
    Option_u8 last = some;
    // values.rs:+4
    if (a > 200) {
        // values.rs:+5
        Option_u8 option;
        option.tag = 1; // Some
        option.some = 7;
        last = option;
    }
    // values.rs:+7
    Tuple_i32_f32 tuple;
    tuple.field_0 = b;
    tuple.field_1 = x;
    Option_Tuple_i32_f32 option;
    option.tag = 1; // Some
    option.some = tuple;
    Tuple_u8_Option_Tuple_i32_f32_void pair;
    pair.field_0 = a;
    pair.field_1 = option;
    // values.rs:+8
    Option_Tuple_i32_f32 chosen;
    if (b < 0) {
        chosen.tag = 0; // None
    } else {
        Tuple_i32_f32 tuple_2;
        tuple_2.field_0 = b;
        tuple_2.field_1 = x;
        chosen.tag = 1; // Some
        chosen.some = tuple_2;
    }
    Tuple_u8_Option_Tuple_i32_f32_void other;
    other.field_0 = (a > 128) ? 3 : a;
    other.field_1 = chosen;
    // values.rs:+9
    Result_u8_bool result;
    if (a < 64) {
        result.tag = 0; // Ok
        result.ok = a;
    } else {
        result.tag = 1; // Err
        result.err = on;
    }
    // values.rs:+10
    u32 verdict;
    if (a < 64) {
        verdict = 0u;
    } else {
        verdict = 3u;
    }
    // values.rs:+11
    Tuple_u8_bool tuple_2;
    tuple_2.field_0 = a;
    tuple_2.field_1 = on;
    Tuple_u8_bool tuple_3;
    tuple_3.field_0 = 7;
    tuple_3.field_1 = true;
    Tuple_u8_bool tuple_4;
    tuple_4.field_0 = 3;
    tuple_4.field_1 = false;
    Tuple_u8_bool_x3 list;
    list.at[0] = tuple_2;
    list.at[1] = tuple_3;
    list.at[2] = tuple_4;
    // values.rs:+12
    Tuple_u8_bool_x3 changed = list;
    // values.rs:+13
    u64 at = ((u64)a) % 3ul;
    if (at >= 3ul) return 0xFF04u; // index out of bounds
    changed.at[at].field_1 = true;
    // values.rs:+14
    Tuple_u8_bool tuple_5;
    tuple_5.field_0 = 3;
    tuple_5.field_1 = a == 9;
    changed.at[2] = tuple_5;
    // values.rs:+15
    Option_u8 option_2;
    option_2.tag = 0; // None
    Option_u8 option_3;
    option_3.tag = 1; // Some
    option_3.some = 7;
    Tuple_u8_i32 tuple_6;
    tuple_6.field_0 = a;
    tuple_6.field_1 = b;
    Tuple_u8_i32 tuple_7;
    tuple_7.field_0 = 3;
    tuple_7.field_1 = 4;
    Result_u8_bool result_2;
    result_2.tag = 0; // Ok
    result_2.ok = 5;
    bool both = ((result.tag == result_2.tag) && ((result.tag != 0) || (result.ok == result_2.ok))) && ((result.tag != 1) || (result.err == result_2.err));
    if (!both) {
        Result_u8_bool result_3;
        result_3.tag = 1; // Err
        result_3.err = true;
        both = ((result.tag == result_3.tag) && ((result.tag != 0) || (result.ok == result_3.ok))) && ((result.tag != 1) || (result.err == result_3.err));
    }
    u32 value = 4u;
    bool both_2 = verdict == value;
    if (!both_2) {
        u32 value_2 = 0u;
        both_2 = verdict != value_2;
    }
    bool same = true;
    for (u64 i = 0ul; i < 3ul; i += 1) {
        if (!((list.at[i].field_0 == changed.at[i].field_0) && (list.at[i].field_1 == changed.at[i].field_1))) {
            same = false;
            break;
        }
    }
    bool_x8 answers_of;
    answers_of.at[0] = (some.tag == option_2.tag) && ((some.tag != 1) || (some.some == option_2.some));
    answers_of.at[1] = !((some.tag == last.tag) && ((some.tag != 1) || (some.some == last.some)));
    answers_of.at[2] = (some.tag == option_3.tag) && ((some.tag != 1) || (some.some == option_3.some));
    answers_of.at[3] = ((pair.field_0 == other.field_0) && ((pair.field_1.tag == other.field_1.tag) && ((pair.field_1.tag != 1) || ((pair.field_1.some.field_0 == other.field_1.some.field_0) && (pair.field_1.some.field_1 == other.field_1.some.field_1))))) && true;
    answers_of.at[4] = !((tuple_6.field_0 == tuple_7.field_0) && (tuple_6.field_1 == tuple_7.field_1));
    answers_of.at[5] = both;
    answers_of.at[6] = both_2;
    answers_of.at[7] = same;
    // values.rs:+25
    u32_x8 words;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        words.at[i] = 0u;
    }
    // values.rs:+26
    for (u64 i = 0ul; i < 8ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        bool answer = answers_of.at[i];
        // values.rs:+27
        words.at[i] = (u32)answer;
    }
    // values.rs:+29
    Tuple_Option_u8_i32_Tuple_u8_bool_x3 tuple_8;
    tuple_8.field_0 = some;
    tuple_8.field_1 = b;
    tuple_8.field_2 = list;
    Option_u8 before = last;
    // values.rs:+37
    Option_u8 option_4;
    option_4.tag = 0; // None
    last = option_4;
    // values.rs:+38
    Tuple_Option_u8_i32_Tuple_u8_bool_x3 tuple_9;
    tuple_9.field_0 = before;
    tuple_9.field_1 = b;
    tuple_9.field_2 = changed;
    bool same_2 = true;
    for (u64 i = 0ul; i < 3ul; i += 1) {
        if (!((tuple_8.field_2.at[i].field_0 == tuple_9.field_2.at[i].field_0) && (tuple_8.field_2.at[i].field_1 == tuple_9.field_2.at[i].field_1))) {
            same_2 = false;
            break;
        }
    }
    bool both_3 = (((tuple_8.field_0.tag == tuple_9.field_0.tag) && ((tuple_8.field_0.tag != 1) || (tuple_8.field_0.some == tuple_9.field_0.some))) && (tuple_8.field_1 == tuple_9.field_1)) && same_2;
    if (both_3) {
        Option_u8 option_5;
        option_5.tag = 0; // None
        both_3 = (last.tag == option_5.tag) && ((last.tag != 1) || (last.some == option_5.some));
    }
    Answer answer;
    answer.words = words;
    answer.sum = 0l;
    answer.x = 0.0f;
    answer.on = both_3;
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
#define ANN_CALL(cx, message, state, outbox) handle_equal(message, outbox)
