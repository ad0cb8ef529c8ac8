// The handler of kernel `filled_options`, written from crates/annulus-conformance/src/kernels/everyday.rs:+0 (module annulus_conformance::kernels::everyday).
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

typedef union Maybe {
    u8 tag; // 0 Nothing, 1 Just
    struct {
        u8 ann_tag;
        u8 ann_pad0[3];
        i32 field_0;
    } Just;
} Maybe;
typedef char ann_size_of_Maybe[sizeof(Maybe) == 8 ? 1 : -1];
typedef char ann_size_of_Maybe_Just[sizeof(((PRIVATE Maybe *)0)->Just) == 8 ? 1 : -1];

typedef struct Option_u8 { u8 tag; u8 some; } Option_u8;

typedef struct Option_Option_u8 { u8 tag; Option_u8 some; } Option_Option_u8;

typedef struct Option_i32 { u8 tag; i32 some; } Option_i32;

typedef struct Tuple_u32_u32_u32 { u32 field_0; u32 field_1; u32 field_2; } Tuple_u32_u32_u32;

typedef struct Option_u32 { u8 tag; u32 some; } Option_u32;

// everyday.rs:+107: n_of
static u64 fn_n_of(u32 value) {
    // everyday.rs:+108
    return ((u64)value) % 9ul;
}

// maybe.rs:-232: Maybe::get::<i32>
static Option_i32 fn_Maybe_get_i32(PRIVATE const Maybe *self) {
    // maybe.rs:-231
    Option_i32 chosen;
    if (self->tag == 0) {
        // maybe.rs:-230
        chosen.tag = 0; // None
    } else {
        // maybe.rs:-229
        i32 value = self->Just.field_0;
        chosen.tag = 1; // Some
        chosen.some = value;
    }
    return chosen;
}

// maybe.rs:-217: Maybe::set::<i32>
static void fn_Maybe_set_i32(PRIVATE Maybe *self, Option_i32 value) {
    // maybe.rs:-216
    Maybe chosen;
    if (value.tag == 0) {
        // maybe.rs:-215
        chosen.tag = 0; // Nothing
    } else {
        // maybe.rs:-214
        i32 value_2 = value.some;
        chosen.tag = 1; // Just
        chosen.Just.field_0 = value_2;
    }
    (*self) = chosen;
}

static u32 handle_filled_options(GLOBAL const Asked *asked, PRIVATE Maybe *kept, PRIVATE ann_outbox *told) {
    // everyday.rs:+1
    u32 a = asked->a;
    i32 b = asked->b;
    u32 key = asked->key;
    // everyday.rs:+2
    i32 first = asked->numbers.at[0];
    i32 second = asked->numbers.at[1];
    i32 third = asked->numbers.at[2];
    // everyday.rs:+3
    i32 floor_ = rs_add_i32(rs_shr_i32(b ^ first, 1u), b & first);
    i64 x = rs_add_i64((i64)(((a ^ key) >> 1u) + (a & key)), (i64)rs_add_i32(floor_, (floor_ < 0) ? ((b ^ first) & 1) : 0));
    // everyday.rs:+4
    i8 b_2 = (i8)first;
    i8 a_2 = (i8)b;
    i8 floor__2 = rs_add_i8(rs_shr_i8(a_2 ^ b_2, 1u), a_2 & b_2);
    x = rs_add_i64(rs_mul_i64(x, 3l), (i64)rs_add_i8(floor__2, (floor__2 < 0) ? ((a_2 ^ b_2) & 1) : 0));
    // everyday.rs:+5
    u8 b_3 = (u8)key;
    u8 a_3 = (u8)a;
    u64 b_4 = (u64)a;
    x = rs_add_i64(rs_add_i64(rs_mul_i64(x, 3l), (i64)rs_add_u8(rs_shr_u8(a_3 ^ b_3, 1u), a_3 & b_3)), (i64)(((18446744073709551615ul ^ b_4) >> 1u) + (18446744073709551615ul & b_4)));
    // everyday.rs:+8
    i64 b_5 = (i64)b;
    i64 a_4 = rs_add_i64((-9223372036854775807l - 1l), (i64)a);
    i64 floor__3 = rs_add_i64(rs_shr_i64(a_4 ^ b_5, 1u), a_4 & b_5);
    x = rs_add_i64(rs_mul_i64(x, 3l), rs_add_i64(floor__3, (floor__3 < 0l) ? ((a_4 ^ b_5) & 1l) : 0l));
    // everyday.rs:+9
    u64 n_of = fn_n_of(key);
    u64 a_5 = (u64)a;
    x = rs_add_i64(rs_mul_i64(x, 3l), (i64)(((a_5 ^ n_of) >> 1u) + (a_5 & n_of)));
    // everyday.rs:+10
    u32 number = rs_max_u32(a, 1u);
    if (number <= 0u) return 0xFF01u; // panicked
    u64 number_2 = (((u64)a) << 32u) | 1ul;
    if (number_2 <= 0ul) return 0xFF01u; // panicked
    u8 number_3 = ((u8)a) | 1;
    if (number_3 <= 0) return 0xFF01u; // panicked
    Tuple_u32_u32_u32 logs;
    logs.field_0 = ((((((((0u + ((number >= 10u) ? 1u : 0u)) + ((number >= 100u) ? 1u : 0u)) + ((number >= 1000u) ? 1u : 0u)) + ((number >= 10000u) ? 1u : 0u)) + ((number >= 100000u) ? 1u : 0u)) + ((number >= 1000000u) ? 1u : 0u)) + ((number >= 10000000u) ? 1u : 0u)) + ((number >= 100000000u) ? 1u : 0u)) + ((number >= 1000000000u) ? 1u : 0u);
    logs.field_1 = ((((((((((((((((((0u + ((number_2 >= 10ul) ? 1u : 0u)) + ((number_2 >= 100ul) ? 1u : 0u)) + ((number_2 >= 1000ul) ? 1u : 0u)) + ((number_2 >= 10000ul) ? 1u : 0u)) + ((number_2 >= 100000ul) ? 1u : 0u)) + ((number_2 >= 1000000ul) ? 1u : 0u)) + ((number_2 >= 10000000ul) ? 1u : 0u)) + ((number_2 >= 100000000ul) ? 1u : 0u)) + ((number_2 >= 1000000000ul) ? 1u : 0u)) + ((number_2 >= 10000000000ul) ? 1u : 0u)) + ((number_2 >= 100000000000ul) ? 1u : 0u)) + ((number_2 >= 1000000000000ul) ? 1u : 0u)) + ((number_2 >= 10000000000000ul) ? 1u : 0u)) + ((number_2 >= 100000000000000ul) ? 1u : 0u)) + ((number_2 >= 1000000000000000ul) ? 1u : 0u)) + ((number_2 >= 10000000000000000ul) ? 1u : 0u)) + ((number_2 >= 100000000000000000ul) ? 1u : 0u)) + ((number_2 >= 1000000000000000000ul) ? 1u : 0u)) + ((number_2 >= 10000000000000000000ul) ? 1u : 0u);
    logs.field_2 = (0u + ((number_3 >= 10) ? 1u : 0u)) + ((number_3 >= 100) ? 1u : 0u);
    // everyday.rs:+11
    x = rs_add_i64(rs_mul_i64(x, 9l), (i64)(((logs.field_0 * 400u) + (logs.field_1 * 20u)) + logs.field_2));
    // everyday.rs:+12
    if (b > 0) {
        // everyday.rs:+13
        if (b <= 0) return 0xFF01u; // panicked
        i8 number_4 = rs_max_i8(((i8)b) & 127, 1);
        if (number_4 <= 0) return 0xFF01u; // panicked
        x = rs_add_i64(rs_add_i64(rs_mul_i64(x, 9l), (i64)(((((((((0u + ((b >= 10) ? 1u : 0u)) + ((b >= 100) ? 1u : 0u)) + ((b >= 1000) ? 1u : 0u)) + ((b >= 10000) ? 1u : 0u)) + ((b >= 100000) ? 1u : 0u)) + ((b >= 1000000) ? 1u : 0u)) + ((b >= 10000000) ? 1u : 0u)) + ((b >= 100000000) ? 1u : 0u)) + ((b >= 1000000000) ? 1u : 0u))), (i64)((0u + ((number_4 >= 10) ? 1u : 0u)) + ((number_4 >= 100) ? 1u : 0u)));
    } else if ((key % 16u) == 3u) {
        // everyday.rs:+16
        if (b <= 0) return 0xFF01u; // panicked
        x = rs_add_i64(x, (i64)(((((((((0u + ((b >= 10) ? 1u : 0u)) + ((b >= 100) ? 1u : 0u)) + ((b >= 1000) ? 1u : 0u)) + ((b >= 10000) ? 1u : 0u)) + ((b >= 100000) ? 1u : 0u)) + ((b >= 1000000) ? 1u : 0u)) + ((b >= 10000000) ? 1u : 0u)) + ((b >= 100000000) ? 1u : 0u)) + ((b >= 1000000000) ? 1u : 0u)));
    }
    // everyday.rs:+18
    Option_i32 even;
    if ((first % 2) == 0) {
        even.tag = 1; // Some
        even.some = first;
    } else {
        even.tag = 0; // None
    }
    // everyday.rs:+19
    Option_u8 byte;
    if ((second >= 0) && (second <= 255)) {
        byte.tag = 1; // Some
        byte.some = (u8)second;
    } else {
        byte.tag = 0; // None
    }
    // everyday.rs:+20
    bool there = (even.tag == 1) && (byte.tag == 1);
    i32 subject = even.some;
    u8 subject_2 = byte.some;
    i64 y;
    if (there) {
        // everyday.rs:+21
        i32 even_2 = subject;
        u8 byte_2 = subject_2;
        y = rs_mul_i64((i64)even_2, (i64)byte_2);
    } else {
        // everyday.rs:+22
        y = (-1l);
    }
    // everyday.rs:+24
    u64 n_of_2 = fn_n_of(a);
    if (0ul > n_of_2) return 0xFF04u; // index out of bounds
    if (n_of_2 > 8ul) return 0xFF04u; // index out of bounds
    u64 len = rs_min_u64((u64)asked->list.len, 6ul);
    u64 at = len - 1ul;
    bool there_2 = (n_of_2 != 0ul) && (len != 0ul);
    if (there_2) {
        // everyday.rs:+25
        y = rs_add_i64(y, rs_sub_i64((i64)asked->numbers.at[0], (i64)asked->list.items.at[at]));
    }
    // everyday.rs:+27
    bool there_3 = even.tag == 1;
    i32 subject_3 = even.some;
    Option_u8 mapped;
    if (there_3) {
        i32 even_2 = subject_3;
        i32 value = even_2 / 2;
        if ((value >= 0) && (value <= 255)) {
            mapped.tag = 1; // Some
            mapped.some = (u8)value;
        } else {
            mapped.tag = 0; // None
        }
    }
    Option_Option_u8 nested;
    if (there_3) {
        nested.tag = 1; // Some
        nested.some = mapped;
    } else {
        nested.tag = 0; // None
    }
    // everyday.rs:+28
    bool there_4 = (nested.tag == 1) && (nested.some.tag == 1);
    u8 subject_4 = nested.some.some;
    i64 mapped_2;
    if (there_4) {
        u8 item_0 = subject_4;
        mapped_2 = (i64)item_0;
    } else {
        mapped_2 = 7l;
    }
    y = rs_add_i64(rs_mul_i64(y, 3l), mapped_2);
    // everyday.rs:+29
    Option_Option_u8 option;
    option.tag = 1; // Some
    option.some = byte;
    y = rs_add_i64(rs_mul_i64(y, 3l), (i64)((option.tag == 1) && (option.some.tag == 1)));
    // everyday.rs:+30
    Option_i32 option_2;
    if (third > 0) {
        option_2.tag = 1; // Some
        option_2.some = third;
    } else {
        option_2.tag = 0; // None
    }
    // everyday.rs:+31
    if (option_2.tag != 1) {
        option_2.tag = 1; // Some
        option_2.some = b;
    }
    option_2.some = option_2.some ^ 5;
    // everyday.rs:+32
    y = rs_add_i64(rs_mul_i64(y, 3l), (i64)((option_2.tag == 1) ? option_2.some : 0));
    // everyday.rs:+34
    bool there_5 = byte.tag == 1;
    u8 subject_5 = byte.some;
    u32 mapped_3;
    if (there_5) {
        u8 item_0 = subject_5;
        mapped_3 = (u32)item_0;
    }
    Option_u32 count;
    if (there_5) {
        count.tag = 1; // Some
        count.some = mapped_3;
    } else {
        count.tag = 0; // None
    }
    // everyday.rs:+35
    u32 new_ = ((count.tag == 1) ? count.some : 9u) + 1u;
    Option_u32 before = count;
    count.tag = 1; // Some
    count.some = new_;
    // everyday.rs:+36
    y = rs_sub_i64(rs_add_i64(rs_mul_i64(y, 3l), (i64)((count.tag == 1) ? count.some : 0u)), (i64)(before.tag == 1));
    // everyday.rs:+37
    Option_u8 own = byte;
    // everyday.rs:+38
    bool there_6 = own.tag == 1;
    u8 subject_6 = own.some;
    u8 mapped_4;
    if (there_6) {
        u8 byte_2 = subject_6;
        mapped_4 = byte_2 / 2;
    } else {
        mapped_4 = 77;
    }
    if (own.tag != 1) {
        own.tag = 1; // Some
        own.some = mapped_4;
    }
    u8 kept_own = own.some;
    // everyday.rs:+39
    y = rs_add_i64(rs_mul_i64(y, 3l), (i64)kept_own);
    // everyday.rs:+40
    u32 calls = 0u;
    // everyday.rs:+41
    Option_u8 other = byte;
    // everyday.rs:+42
    bool absent = other.tag != 1;
    if (absent) {
        // everyday.rs:+43
        calls = calls + 1u;
        // everyday.rs:+44
        other.tag = 1; // Some
        other.some = (u8)key;
    }
    // everyday.rs:+46
    other.some = rs_add_u8(other.some, 1);
    // everyday.rs:+47
    Option_u8 option_3;
    option_3.tag = 1; // Some
    option_3.some = ((u8)key) ^ 1;
    if (other.tag != 1) return 0xFF01u; // panicked
    y = rs_add_i64(rs_add_i64(rs_add_i64(rs_mul_i64(y, 3l), (i64)((other.tag == option_3.tag) && ((other.tag != 1) || (other.some == option_3.some)))), (i64)other.some), (i64)calls);
    // everyday.rs:+51
    Option_i32 before_3 = fn_Maybe_get_i32(kept);
    // everyday.rs:+52
    bool absent_2 = before_3.tag != 1;
    if (absent_2) {
        before_3.tag = 1; // Some
        before_3.some = first;
    }
    i32 last = before_3.some;
    // everyday.rs:+53
    Option_i32 chosen;
    if ((a % 3u) == 0u) {
        chosen.tag = 0; // None
    } else {
        chosen.tag = 1; // Some
        chosen.some = rs_add_i32(last, b);
    }
    fn_Maybe_set_i32(kept, chosen);
    // everyday.rs:+54
    Told told_2;
    told_2.x = x;
    told_2.y = rs_add_i64(rs_mul_i64(y, 3l), (i64)last);
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
#define ANN_STATE Maybe
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->key)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_filled_options(message, state, outbox)
