// The handler of kernel `tuples`, written from crates/annulus-conformance/src/kernels/values.rs:+0 (module annulus_conformance::kernels::values).
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

typedef struct u32_x2 { u32 at[2]; } u32_x2;

typedef struct Tuple_u8_i64 { u8 field_0; i64 field_1; } Tuple_u8_i64;

typedef struct Tuple_u8_i64_x3 { Tuple_u8_i64 at[3]; } Tuple_u8_i64_x3;

typedef struct Option_f32 { u8 tag; f32 some; } Option_f32;

typedef struct Tuple_i8_void { i8 field_0; } Tuple_i8_void;

typedef struct Tuple_u32_Option_f32_Tuple_i8_void { u32 field_0; Option_f32 field_1; Tuple_i8_void field_2; } Tuple_u32_Option_f32_Tuple_i8_void;

typedef struct Tuple_u32_bool { u32 field_0; u8 field_1; } Tuple_u32_bool;

typedef struct Tuple_u8_i32 { u8 field_0; i32 field_1; } Tuple_u8_i32;

typedef struct Tuple_f32_u32_x2 { f32 field_0; u32_x2 field_1; } Tuple_f32_u32_x2;

typedef struct Tuple_Tuple_u8_i32_Tuple_f32_u32_x2_void { Tuple_u8_i32 field_0; Tuple_f32_u32_x2 field_1; } Tuple_Tuple_u8_i32_Tuple_f32_u32_x2_void;

typedef struct Tuple_u32_u32 { u32 field_0; u32 field_1; } Tuple_u32_u32;

typedef struct Tuple_u32 { u32 field_0; } Tuple_u32;

CONSTANT const Tuple_u32_Option_f32_Tuple_i8_void START = { .field_0 = 9u, .field_1 = { .tag = 1, .some = (-RS_INFINITY_F32) }, .field_2 = { .field_0 = (-3) } };

static u32 handle_tuples(GLOBAL const Small *small, PRIVATE ann_outbox *answers) {
    u32 ann_budget = 16777216u;
    // values.rs:+1
    u8 a = small->a;
    i32 b = small->b;
    bool on = small->on;
    f32 x = small->x;
    // values.rs:+2
    Tuple_u32_bool pair;
    pair.field_0 = (u32)a;
    pair.field_1 = on;
    // values.rs:+3
    pair.field_0 = pair.field_0 + 1u;
    // values.rs:+4
    pair.field_1 = !pair.field_1;
    // values.rs:+5
    Tuple_u32_bool copy = pair;
    // values.rs:+6
    pair.field_0 = 0u;
    // values.rs:+7
    u32 n = copy.field_0;
    bool flag = copy.field_1;
    // values.rs:+8
    u32_x2 items;
    items.at[0] = n;
    items.at[1] = n + 1u;
    Tuple_u8_i32 tuple;
    tuple.field_0 = a;
    tuple.field_1 = b;
    Tuple_f32_u32_x2 tuple_2;
    tuple_2.field_0 = x;
    tuple_2.field_1 = items;
    Tuple_Tuple_u8_i32_Tuple_f32_u32_x2_void nested;
    nested.field_0 = tuple;
    nested.field_1 = tuple_2;
    // values.rs:+9
    i32 inner = nested.field_0.field_1;
    f32 y = nested.field_1.field_0;
    // values.rs:+10
    Tuple_u32_u32 chosen;
    if (n > 100u) {
        chosen.field_0 = n - 100u;
        chosen.field_1 = 100u;
    } else {
        chosen.field_0 = 0u;
        chosen.field_1 = n;
    }
    u32 low = chosen.field_0;
    u32 high = chosen.field_1;
    // values.rs:+11
    u32 q;
    // values.rs:+12
    u32 r;
    // values.rs:+13
    u32 part_0 = n / 7u;
    u32 part_1 = n % 7u;
    q = part_0;
    r = part_1;
    // values.rs:+14
    Tuple_u8_i64 tuple_3;
    tuple_3.field_0 = 0;
    tuple_3.field_1 = 0l;
    Tuple_u8_i64_x3 table;
    for (u64 i = 0ul; i < 3ul; i += 1) {
        table.at[i] = tuple_3;
    }
    // values.rs:+15
    Tuple_u8_i64 tuple_4;
    tuple_4.field_0 = a;
    tuple_4.field_1 = (i64)b;
    u64 at = ((u64)a) % 3ul;
    if (at >= 3ul) return 0xFF04u; // index out of bounds
    table.at[at] = tuple_4;
    // values.rs:+16
    table.at[1].field_1 = rs_add_i64(table.at[1].field_1, 5l);
    // values.rs:+17
    i64 sum = 0l;
    // values.rs:+18
    for (u64 i = 0ul; i < 3ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // values.rs:+19
        u8 small_2 = table.at[i].field_0;
        i64 large = table.at[i].field_1;
        // values.rs:+20
        sum = rs_add_i64(sum, rs_add_i64((i64)small_2, large));
        // values.rs:+22
        table.at[i].field_0 = rs_add_u8(table.at[i].field_0, 1);
        // values.rs:+23
        sum = rs_add_i64(sum, (i64)table.at[i].field_0);
    }
    // values.rs:+25
    Tuple_u32_u32 found;
    for (;;) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // values.rs:+26
        pair.field_0 = pair.field_0 + 3u;
        // values.rs:+27
        if (pair.field_0 > n) {
            // values.rs:+28
            Tuple_u32_u32 tuple_5;
            tuple_5.field_0 = pair.field_0;
            tuple_5.field_1 = pair.field_0 - n;
            found = tuple_5;
            break;
        }
    }
    // values.rs:+32
    u32 a_2 = found.field_0;
    u32 b_2 = found.field_1;
    // values.rs:+33
    Tuple_u32_u32 swapped;
    swapped.field_0 = b_2;
    swapped.field_1 = a_2;
    // values.rs:+35
    Tuple_u32_u32 tuple_5;
    tuple_5.field_0 = n;
    tuple_5.field_1 = 5u;
    Tuple_u32_u32 parts = tuple_5;
    // values.rs:+36
    parts.field_0 = parts.field_0 + parts.field_1;
    // values.rs:+37
    Tuple_u32 one;
    one.field_0 = n;
    // values.rs:+38
    u32 subject = n % 3u;
    u32 matched;
    if ((subject == 0u) && flag) {
        // values.rs:+39
        matched = 1u;
    } else if (((subject == 0u) && (!flag)) && (swapped.field_0 == 1u)) {
        // values.rs:+40
        matched = 2u;
    } else if ((((subject >= 1u) && (subject <= 2u)) && ((swapped.field_0 == 1u) || (swapped.field_0 == 2u))) && (swapped.field_1 > 50u)) {
        // values.rs:+41
        u32 k = subject;
        u32 big = swapped.field_1;
        matched = k + big;
    } else {
        // values.rs:+42
        u32 k = subject;
        matched = k + 10u;
    }
    // values.rs:+44
    u32 copied = n;
    // values.rs:+45
    u32 subject_2 = copied;
    u32 subject_3 = 1u;
    // values.rs:+46
    u32 copy_2 = subject_2;
    u32 one_2 = subject_3;
    // values.rs:+47
    copy_2 = copy_2 + one_2;
    // values.rs:+48
    copied = copied + copy_2;
    // values.rs:+51
    u32 first = START.field_0;
    Option_f32 second = START.field_1;
    i8 third = START.field_2.field_0;
    // values.rs:+52
    u32_x8 items_2;
    items_2.at[0] = (low + (high * 2u)) + nested.field_1.field_1.at[1];
    items_2.at[1] = (q * 10u) + r;
    items_2.at[2] = found.field_0 + (swapped.field_0 * 3u);
    items_2.at[3] = parts.field_0 + one.field_0;
    items_2.at[4] = matched;
    items_2.at[5] = copied;
    items_2.at[6] = (first + ((u32)third)) + ((u32)(second.tag == 1));
    items_2.at[7] = ((pair.field_0 + ((u32)pair.field_1)) + ((u32)nested.field_0.field_0)) + ((u32)inner);
    Answer answer;
    answer.words = items_2;
    answer.sum = sum;
    answer.x = y + ((second.tag == 1) ? second.some : 0.0f);
    answer.on = flag;
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
#define ANN_CALL(cx, message, state, outbox) handle_tuples(message, outbox)
