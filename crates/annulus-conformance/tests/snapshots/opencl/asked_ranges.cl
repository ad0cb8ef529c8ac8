// The handler of kernel `asked_ranges`, written from crates/annulus-conformance/src/kernels/everyday.rs:+0 (module annulus_conformance::kernels::everyday).
#pragma OPENCL FP_CONTRACT OFF

typedef union Shape {
    u8 tag; // 0 Round, 1 Square, 2 Line, 3 Point
    struct {
        u8 ann_tag;
        u8 ann_pad0[3];
        u32 size;
        u8 ann_pad1[4];
    } Round;
    struct {
        u8 ann_tag;
        u8 ann_pad0[3];
        u32 size;
        u8 tilted;
        u8 ann_pad1[3];
    } Square;
    struct {
        u8 ann_tag;
        u8 ann_pad0[3];
        u32 field_0;
        i32 field_1;
    } Line;
} Shape;
typedef char ann_size_of_Shape[sizeof(Shape) == 12 ? 1 : -1];
typedef char ann_size_of_Shape_Round[sizeof(((PRIVATE Shape *)0)->Round) == 12 ? 1 : -1];
typedef char ann_size_of_Shape_Square[sizeof(((PRIVATE Shape *)0)->Square) == 12 ? 1 : -1];
typedef char ann_size_of_Shape_Line[sizeof(((PRIVATE Shape *)0)->Line) == 12 ? 1 : -1];

typedef struct u8_x8 { u8 at[8]; } u8_x8;

typedef struct i32_x8 { i32 at[8]; } i32_x8;

typedef struct u16_x6 { u16 at[6]; } u16_x6;

typedef struct List {
    u32 len;
    u16_x6 items;
} List;
typedef char ann_size_of_List[sizeof(List) == 16 ? 1 : -1];

typedef struct u8_x12 { u8 at[12]; } u8_x12;

typedef struct Text {
    u32 len;
    u8_x12 items;
} Text;
typedef char ann_size_of_Text[sizeof(Text) == 16 ? 1 : -1];

typedef struct Asked {
    u32 key;
    u32 a;
    i32 b;
    u8 on;
    u8 ann_pad0[3];
    Shape shape;
    u8_x8 bytes;
    i32_x8 numbers;
    List list;
    Text text;
} Asked;
typedef char ann_size_of_Asked[sizeof(Asked) == 100 ? 1 : -1];

typedef struct Told {
    i64 x;
    i64 y;
} Told;
typedef char ann_size_of_Told[sizeof(Told) == 16 ? 1 : -1];

typedef struct bool_x15 { u8 at[15]; } bool_x15;

typedef struct Tuple_u32_i32 { u32 field_0; i32 field_1; } Tuple_u32_i32;

static u32 handle_asked_ranges(GLOBAL const Asked *asked, PRIVATE u32 *order, PRIVATE ann_outbox *told) {
    u32 ann_budget = 16777216u;
    // everyday.rs:+1
    u32 a = asked->a;
    i32 b = asked->b;
    // everyday.rs:+2
    u64 n = ((u64)asked->a) % 8ul;
    // everyday.rs:+3
    i64 x = 0l;
    // everyday.rs:+4
    bool chosen;
    if ((asked->shape.tag == 0) && (asked->shape.Round.size > 9u)) {
        // everyday.rs:+5
        u32 size = asked->shape.Round.size;
        chosen = true;
    } else {
        chosen = false;
    }
    bool chosen_2;
    if (((asked->shape.tag == 2) && (asked->shape.Line.field_1 == 3)) && rs_is_power_of_two_u32(asked->shape.Line.field_0)) {
        // everyday.rs:+6
        u32 size = asked->shape.Line.field_0;
        chosen_2 = true;
    } else if ((asked->shape.tag == 1) && rs_is_power_of_two_u32(asked->shape.Square.size)) {
        u32 size = asked->shape.Square.size;
        chosen_2 = true;
    } else {
        chosen_2 = false;
    }
    bool there = n < 8ul;
    bool chosen_3;
    bool taken = false;
    if ((!taken) && there) {
        i32 value = asked->numbers.at[n];
        if ((value >= 0) && (value < 100)) {
            taken = true;
            // everyday.rs:+7
            i32 number = asked->numbers.at[n];
            chosen_3 = true;
        }
    }
    if (!taken) {
        taken = true;
        chosen_3 = false;
    }
    bool chosen_4;
    if ((asked->shape.tag == 3) && asked->on) {
        // everyday.rs:+8
        chosen_4 = true;
    } else {
        chosen_4 = false;
    }
    bool chosen_5;
    bool taken_2 = false;
    if ((!taken_2) && ((a >= 3u) && (a <= 900u))) {
        if (n >= 8ul) return 0xFF04u; // index out of bounds
        if (((asked->numbers.at[n] / 3) != 0) && (b < 40)) {
            taken_2 = true;
            // everyday.rs:+9
            chosen_5 = true;
        }
    }
    if (!taken_2) {
        taken_2 = true;
        chosen_5 = false;
    }
    bool there_2 = a <= 255u;
    u8 subject = (u8)a;
    bool chosen_6;
    if (there_2 && ((subject % 2) == 0)) {
        // everyday.rs:+10
        u8 small = subject;
        chosen_6 = true;
    } else {
        chosen_6 = false;
    }
    u32 value = 77u;
    bool both = a < 100u;
    if (both) {
        i32 value_2 = 3;
        both = value_2 >= b;
    }
    bool both_2 = both;
    if (!both_2) {
        u32 value_2 = asked->key;
        both_2 = value_2 <= 7u;
    }
    i32 value_2 = asked->numbers.at[2];
    f32 value_3 = ((f32)asked->b) / 100.0f;
    f32 value_4 = 0.5f;
    Tuple_u32_i32 tuple;
    tuple.field_0 = 0u;
    tuple.field_1 = 5;
    Tuple_u32_i32 tuple_2;
    tuple_2.field_0 = a % 4u;
    tuple_2.field_1 = b;
    if (n >= 8ul) return 0xFF04u; // index out of bounds
    Tuple_u32_i32 tuple_3;
    tuple_3.field_0 = 2u;
    tuple_3.field_1 = asked->numbers.at[n];
    Tuple_u32_i32 value_5 = tuple_3;
    bool all_ = true;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        i32 value_6 = asked->numbers.at[i];
        if (!((value_6 >= (-1000)) && (value_6 < 1000))) {
            all_ = false;
            break;
        }
    }
    bool_x15 items;
    items.at[0] = chosen;
    items.at[1] = chosen_2;
    items.at[2] = chosen_3;
    items.at[3] = chosen_4;
    items.at[4] = chosen_5;
    items.at[5] = chosen_6;
    items.at[6] = (a >= 1u) && (a <= 10u);
    items.at[7] = (b >= (-5)) && (b < 5);
    items.at[8] = (value >= a) && (value <= asked->key);
    items.at[9] = both_2;
    items.at[10] = !((value_2 >= asked->numbers.at[0]) && (value_2 < asked->numbers.at[1]));
    items.at[11] = (value_3 >= 0.25f) && (value_3 < 0.75f);
    items.at[12] = (value_4 >= rs_from_bits_f32(0x7fc00000u)) && (value_4 <= 1.0f);
    items.at[13] = ((value_5.field_0 > tuple.field_0) || ((value_5.field_0 == tuple.field_0) && (value_5.field_1 >= tuple.field_1))) && ((value_5.field_0 < tuple_2.field_0) || ((value_5.field_0 == tuple_2.field_0) && (value_5.field_1 <= tuple_2.field_1)));
    items.at[14] = all_;
    for (u64 i = 0ul; i < 15ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        bool holds = items.at[i];
        // everyday.rs:+21
        x = rs_add_i64(rs_mul_i64(x, 2l), (i64)holds);
    }
    // everyday.rs:+24
    (*order) = (*order) + 1u;
    // everyday.rs:+26
    (*order) = (*order) * 3u;
    // everyday.rs:+29
    u32 before = (*order) % 50u;
    (*order) = (*order) ^ a;
    // everyday.rs:+33
    u32 before_2 = (*order) % 90u;
    (*order) = (*order) - 5u;
    // everyday.rs:+34
    u32 value_6 = (*order) % 70u;
    bool inside = (value_6 >= before) && (value_6 < before_2);
    // everyday.rs:+36
    Told told_2;
    told_2.x = x;
    told_2.y = rs_add_i64(rs_mul_i64((i64)(*order), 2l), (i64)inside);
    {
        GLOBAL Told *ann_slot = (GLOBAL Told *)ann_outbox_next(told);
        if (ann_slot) *ann_slot = told_2;
    }
    return 0u;
}

#define ANN_MESSAGE Asked
#define ANN_MESSAGE_BYTES 100
#define ANN_OUTPUT Told
#define ANN_OUTPUT_BYTES 16
#define ANN_STATE u32
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->key)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_asked_ranges(message, state, outbox)
