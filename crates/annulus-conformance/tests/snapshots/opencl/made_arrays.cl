// The handler of kernel `made_arrays`, written from crates/annulus-conformance/src/kernels/everyday.rs:+0 (module annulus_conformance::kernels::everyday).
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

typedef struct u32_x0 { u32 at[1]; } u32_x0;

typedef struct List_2 {
    u32 len;
} List_2;
typedef char ann_size_of_List_2[sizeof(List_2) == 4 ? 1 : -1];

typedef struct i64_x8 { i64 at[8]; } i64_x8;

typedef struct u16_x2 { u16 at[2]; } u16_x2;

typedef struct u16_x2_x3 { u16_x2 at[3]; } u16_x2_x3;

typedef struct u32_x5 { u32 at[5]; } u32_x5;

typedef struct u32_x3 { u32 at[3]; } u32_x3;

typedef struct Result_u32_u32 { u8 tag; u32 ok; u32 err; } Result_u32_u32;

CONSTANT const List_2 List______u32__0__ = { .len = 0u };

// everyday.rs:+43: power
static u32 fn_power(u64 exponent) {
    // everyday.rs:+44
    return rs_pow_u32(7u, (u32)exponent);
}

static u32 handle_made_arrays(GLOBAL const Asked *asked, PRIVATE List_2 *nothing, PRIVATE ann_outbox *told) {
    u32 ann_budget = 16777216u;
    // everyday.rs:+1
    i32_x8 numbers = asked->numbers;
    // everyday.rs:+2
    i64_x8 mapped;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        u64 i_2 = i;
        if (i_2 >= 8ul) return 0xFF04u; // index out of bounds
        if (i_2 >= 8ul) return 0xFF04u; // index out of bounds
        mapped.at[i] = rs_mul_i64((i64)numbers.at[i_2], (i64)numbers.at[i_2]);
    }
    // everyday.rs:+4
    u32 asks = 0u;
    // everyday.rs:+5
    u16_x2_x3 mapped_3;
    for (u64 i = 0ul; i < 3ul; i += 1) {
        u64 row = i;
        // everyday.rs:+6
        u16_x2 mapped_2;
        for (u64 i_2 = 0ul; i_2 < 2ul; i_2 += 1) {
            u64 column = i_2;
            // everyday.rs:+7
            asks = asks + 1u;
            // everyday.rs:+8
            u64 at = (row * 2ul) + column;
            if (at >= 8ul) return 0xFF04u; // index out of bounds
            mapped_2.at[i_2] = rs_rotate_left_u16((u16)numbers.at[at], (u32)row) ^ ((u16)asks);
        }
        mapped_3.at[i] = mapped_2;
    }
    // everyday.rs:+11
    u16_x2_x3 table = mapped_3;
    // everyday.rs:+12
    u32_x5 mapped_2;
    for (u64 i = 0ul; i < 5ul; i += 1) {
        u64 item_0 = i;
        u32 power = fn_power(item_0);
        mapped_2.at[i] = power;
    }
    // everyday.rs:+13
    i64 sum = 0l;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        i32 value = numbers.at[i];
        if (!((value >= 0) && (value <= 255))) {
            continue;
        }
        u8 item_0 = (u8)value;
        sum = rs_add_i64(sum, (i64)item_0);
    }
    i64 bytes = sum;
    // everyday.rs:+14
    u32_x3 items;
    items.at[0] = asked->a;
    items.at[1] = asked->key;
    items.at[2] = 7u;
    u32 folded = 1u;
    for (u64 i = 0ul; i < 3ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u32 number = items.at[i];
        Result_u32_u32 chosen;
        if ((number % 3u) == 0u) {
            // everyday.rs:+16
            chosen.tag = 1; // Err
            chosen.err = 3u;
        } else {
            chosen.tag = 0; // Ok
            chosen.ok = number;
        }
        if (chosen.tag != 0) {
            continue;
        }
        u32 all_ = folded;
        u32 number_2 = chosen.ok;
        folded = (all_ * 31u) + number_2;
    }
    u32 small = folded;
    // everyday.rs:+19
    i64 folded_2 = 0l;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        i64 all_ = folded_2;
        folded_2 = rs_add_i64(rs_mul_i64(all_, 3l), mapped.at[i]);
    }
    i64 x = folded_2;
    // everyday.rs:+20
    for (u64 i = 0ul; i < 3ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u16 a = table.at[i].at[0];
        u16 b = table.at[i].at[1];
        // everyday.rs:+21
        x = rs_sub_i64(rs_add_i64(rs_mul_i64(x, 5l), (i64)a), (i64)b);
    }
    // everyday.rs:+23
    i64 sum_2 = 0l;
    for (u64 i = 0ul; i < 5ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        sum_2 = rs_add_i64(sum_2, (i64)mapped_2.at[i]);
    }
    x = rs_add_i64(x, sum_2);
    // everyday.rs:+24
    u32 pushed = asked->a;
    u64 len = rs_min_u64((u64)nothing->len, 0ul);
    u32_x0 value;
    if (len < 0ul) {
        value.at[len] = pushed;
        nothing->len = (u32)(len + 1ul);
    }
    bool refused = len >= 0ul;
    // everyday.rs:+25
    u64 len_2 = rs_min_u64((u64)nothing->len, 0ul);
    u32_x0 value_2;
    u32 popped;
    if (len_2 != 0ul) {
        popped = value_2.at[len_2 - 1ul];
        nothing->len = (u32)(len_2 - 1ul);
    }
    bool both = len_2 == 0ul;
    if (both) {
        u64 len_3 = rs_min_u64((u64)nothing->len, 0ul);
        u32_x0 value_3;
        both = len_3 == 0ul;
    }
    bool both_2 = both;
    if (both_2) {
        u64 len_3 = rs_min_u64((u64)nothing->len, 0ul);
        u32_x0 value_3;
        both_2 = len_3 == 0ul;
    }
    // everyday.rs:+26
    u64 len_3 = rs_min_u64((u64)nothing->len, 0ul);
    u32_x0 value_3;
    u64 kept = 0ul;
    for (u64 i = 0ul; i < len_3; i += 1) {
        if (value_3.at[i] > 3u) {
            value_3.at[kept] = value_3.at[i];
            kept = kept + 1ul;
        }
    }
    nothing->len = (u32)kept;
    // everyday.rs:+27
    u64 len_4 = rs_min_u64((u64)nothing->len, 0ul);
    u32_x0 value_4;
    nothing->len = 0u;
    // everyday.rs:+28
    u64 len_5 = rs_min_u64((u64)nothing->len, 0ul);
    u32_x0 value_5;
    u32 sum_3 = 0u;
    for (u64 i = 0ul; i < len_5; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        sum_3 = sum_3 + value_5.at[i];
    }
    u32 sum_4 = sum_3;
    // everyday.rs:+29
    u64 len_6 = rs_min_u64((u64)nothing->len, 0ul);
    u32_x0 value_6;
    u64 len_7 = rs_min_u64((u64)List______u32__0__.len, 0ul);
    u32_x0 value_7;
    bool same = len_6 == len_7;
    if (same) {
        for (u64 i = 0ul; i < len_7; i += 1) {
            if (value_6.at[i] != value_7.at[i]) {
                same = false;
                break;
            }
        }
    }
    bool both_3 = same;
    if (both_3) {
        u64 len_8 = rs_min_u64((u64)nothing->len, 0ul);
        u32_x0 value_8;
        both_3 = len_8 == 0ul;
    }
    bool both_4 = both_3;
    if (both_4) {
        u64 len_8 = rs_min_u64((u64)nothing->len, 0ul);
        u32_x0 value_8;
        u32 wanted = asked->a;
        bool contains = false;
        for (u64 i = 0ul; i < len_8; i += 1) {
            if (value_8.at[i] == wanted) {
                contains = true;
                break;
            }
        }
        both_4 = !contains;
    }
    // everyday.rs:+31
    i64 y = rs_add_i64(rs_add_i64(rs_mul_i64(bytes, 64l), rs_mul_i64((i64)small, 16l)), (i64)asks);
    // everyday.rs:+32
    u64 len_8 = rs_min_u64((u64)nothing->len, 0ul);
    u32_x0 value_8;
    Told told_2;
    told_2.x = x;
    told_2.y = rs_add_i64(rs_add_i64(rs_add_i64(rs_add_i64(rs_add_i64(y, rs_mul_i64((i64)refused, 4l)), rs_mul_i64((i64)both_2, 2l)), (i64)both_4), (i64)sum_4), (i64)len_8);
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
#define ANN_STATE List_2
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->key)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_made_arrays(message, state, outbox)
