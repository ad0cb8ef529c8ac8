// The handler of kernel `take_apart`, written from crates/annulus-conformance/src/kernels/parsing.rs:+0 (module annulus_conformance::kernels::parsing).
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

typedef struct i32_x4 { i32 at[4]; } i32_x4;

typedef struct i32_x4_x3 { i32_x4 at[3]; } i32_x4_x3;

typedef struct u8_x11 { u8 at[11]; } u8_x11;

typedef struct u8_x1 { u8 at[1]; } u8_x1;

typedef struct u8_x2 { u8 at[2]; } u8_x2;

typedef struct i32_x3 { i32 at[3]; } i32_x3;

typedef struct Result_i32_u32 { u8 tag; i32 ok; u32 err; } Result_i32_u32;

typedef struct Tuple_u64_u64 { u64 field_0; u64 field_1; } Tuple_u64_u64;

typedef struct Option_i32 { u8 tag; i32 some; } Option_i32;

CONSTANT const u8_x11 TEXT = { { 45, 50, 49, 52, 55, 52, 56, 51, 54, 52, 55 } };

CONSTANT const u8_x11 TEXT_2 = { { 57, 57, 57, 57, 57, 57, 57, 57, 57, 57, 57 } };

CONSTANT const u8_x1 TEXT_3 = { { 45 } };

// parsing.rs:-47: kind_of
static u32 fn_kind_of(GLOBAL const u8 *bytes, u64 bytes_len, PRIVATE u32 *ann_result, PRIVATE u32 *ann_budget) {
    // parsing.rs:-46
    u32 chosen;
    bool taken = false;
    if ((!taken) && (bytes_len == 0ul)) {
        taken = true;
        // parsing.rs:-45
        chosen = 0u;
    }
    if ((!taken) && (((((bytes_len == 3ul) && (bytes[0] == 71)) && (bytes[1] == 69)) && (bytes[2] == 84)) || ((((bytes_len == 3ul) && (bytes[0] == 80)) && (bytes[1] == 85)) && (bytes[2] == 84)))) {
        taken = true;
        // parsing.rs:-44
        chosen = 1u;
    }
    if ((!taken) && ((bytes_len == 1ul) && (bytes[0] == 0))) {
        taken = true;
        // parsing.rs:-43
        chosen = 2u;
    }
    if ((!taken) && (bytes_len == 1ul)) {
        taken = true;
        // parsing.rs:-42
        u8 one = bytes[0];
        chosen = 3u + ((u32)(one % 2));
    }
    if ((!taken) && (((bytes_len >= 2ul) && ((bytes[0] >= 48) && (bytes[0] <= 57))) && ((bytes[bytes_len - 1ul] >= 48) && (bytes[bytes_len - 1ul] <= 57)))) {
        taken = true;
        // parsing.rs:-41
        chosen = 5u;
    }
    if ((!taken) && (bytes_len >= 2ul)) {
        u64 len = bytes_len - 2ul;
        if (bytes[0] == bytes[bytes_len - 1ul]) {
            taken = true;
            // parsing.rs:-40
            u64 len = bytes_len - 2ul;
            chosen = 6u + ((u32)len);
        }
    }
    if ((!taken) && ((bytes_len >= 2ul) && (bytes[0] == 1))) {
        taken = true;
        // parsing.rs:-39
        u64 len = bytes_len - 2ul;
        // parsing.rs:-38
        u32 sum = 0u;
        for (u64 i = 0ul; i < len; i += 1) {
            if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
            u64 at = 2ul + i;
            sum = sum + ((u32)bytes[at]);
        }
        chosen = 100u + sum;
    }
    if ((!taken) && ((bytes_len >= 3ul) && (bytes[1] == 1))) {
        taken = true;
        // parsing.rs:-39
        u64 len = bytes_len - 3ul;
        // parsing.rs:-38
        u32 sum = 0u;
        for (u64 i = 0ul; i < len; i += 1) {
            if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
            u64 at = 2ul + i;
            sum = sum + ((u32)bytes[at]);
        }
        chosen = 100u + sum;
    }
    if ((!taken) && ((bytes_len >= 1ul) && (bytes[bytes_len - 1ul] == 7))) {
        taken = true;
        // parsing.rs:-36
        chosen = 20u;
    }
    if ((!taken) && (bytes_len >= 2ul)) {
        taken = true;
        // parsing.rs:-35
        u8 a = bytes[0];
        u8 b = bytes[1];
        chosen = 30u + ((u32)(a ^ b));
    }
    *ann_result = chosen;
    return 0u;
}

// parsing.rs:-64: sum_of
static u32 fn_sum_of(GLOBAL const u8 *bytes, u64 bytes_len, u64 most, PRIVATE Tuple_u64_u64 *ann_result, PRIVATE u32 *ann_budget) {
    u64 bytes_start = 0ul;
    u64 bytes_len_2 = bytes_len;
    // parsing.rs:-63
    u64 start = bytes_start;
    u64 len = bytes_len_2;
    u64 all_ = len;
    // parsing.rs:-62
    u64 sum = 0ul;
    // parsing.rs:-61
    for (u64 i = 0ul; i < most; i += 1) {
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        // parsing.rs:-60
        u64 start_2 = bytes_start;
        u64 len_2 = bytes_len_2;
        u64 rest = len_2 - 1ul;
        u64 start_3 = start_2 + 1ul;
        bool there = len_2 != 0ul;
        if (!there) {
            break;
        }
        u8 first = bytes[start_2];
        // parsing.rs:-59
        u64 size = (u64)(first % 4);
        // parsing.rs:-58
        if (rest < size) {
            // parsing.rs:-57
            break;
        }
        // parsing.rs:-55
        if (size > rest) return 0xFF01u; // panicked
        u64 start_4 = start_3 + size;
        u64 len_3 = rest - size;
        // parsing.rs:-54
        u64 folded = 0ul;
        for (u64 i_2 = 0ul; i_2 < size; i_2 += 1) {
            if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
            u64 at = start_3 + i_2;
            u64 sum_2 = folded;
            folded = (sum_2 << 8u) | ((u64)bytes[at]);
        }
        sum = (sum * 3ul) + folded;
        // parsing.rs:-53
        bytes_start = start_4;
        bytes_len_2 = len_3;
    }
    // parsing.rs:-51
    u64 start_2 = bytes_start;
    u64 len_2 = bytes_len_2;
    Tuple_u64_u64 tuple;
    tuple.field_0 = sum;
    tuple.field_1 = all_ - len_2;
    *ann_result = tuple;
    return 0u;
}

// parsing.rs:-22: number_of
static u32 fn_number_of(RS_CONSTANT const u8 *text, u64 text_len, PRIVATE Result_i32_u32 *ann_result, PRIVATE u32 *ann_budget) {
    // parsing.rs:-21
    bool ann_part_1;
    u64 ann_start_2;
    u64 ann_len_3;
    if ((text_len >= 1ul) && (text[0] == 45)) {
        // parsing.rs:-20
        u64 len = text_len - 1ul;
        ann_part_1 = true;
        ann_start_2 = 1ul;
        ann_len_3 = len;
    } else {
        // parsing.rs:-19
        ann_part_1 = false;
        ann_start_2 = 0ul;
        ann_len_3 = text_len;
    }
    u64 digits_start = ann_start_2;
    u64 digits_len = ann_len_3;
    // parsing.rs:-17
    u64 start = digits_start;
    u64 len = digits_len;
    if (len == 0ul) {
        // parsing.rs:-16
        Result_i32_u32 result;
        result.tag = 1; // Err
        result.err = 1u;
        *ann_result = result;
        return 0u;
    }
    // parsing.rs:-14
    i32 value = 0;
    // parsing.rs:-13
    for (;;) {
        u64 start_2 = digits_start;
        u64 len_2 = digits_len;
        if (len_2 < 1ul) {
            break;
        }
        u64 start_3 = start_2 + 1ul;
        u64 len_3 = len_2 - 1ul;
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        // parsing.rs:-12
        i32 digit;
        if ((text[start_2] >= 48) && (text[start_2] <= 57)) {
            // parsing.rs:-11
            digit = (i32)rs_sub_u8(text[start_2], 48);
        } else {
            // parsing.rs:-10
            Result_i32_u32 result;
            result.tag = 1; // Err
            result.err = 2u;
            *ann_result = result;
            return 0u;
        }
        // parsing.rs:-8
        bool there = !rs_overflows_mul_i32(value, 10);
        i32 subject = rs_mul_i32(value, 10);
        Option_i32 mapped;
        if (there) {
            i32 value_2 = subject;
            if (!rs_overflows_add_i32(value_2, digit)) {
                mapped.tag = 1; // Some
                mapped.some = rs_add_i32(value_2, digit);
            } else {
                mapped.tag = 0; // None
            }
        } else {
            mapped.tag = 0; // None
        }
        if (mapped.tag != 1) {
            Result_i32_u32 given;
            given.tag = 1; // Err
            given.err = 3u;
            *ann_result = given;
            return 0u;
        }
        value = mapped.some;
        // parsing.rs:-7
        digits_start = start_3;
        digits_len = len_3;
    }
    // parsing.rs:-5
    Result_i32_u32 result;
    result.tag = 0; // Ok
    result.ok = ann_part_1 ? rs_neg_i32(value) : value;
    *ann_result = result;
    return 0u;
}

// parsing.rs:-22: number_of
static u32 fn_number_of_2(PRIVATE const u8 *text, u64 text_len, PRIVATE Result_i32_u32 *ann_result, PRIVATE u32 *ann_budget) {
    // parsing.rs:-21
    bool ann_part_1;
    u64 ann_start_2;
    u64 ann_len_3;
    if ((text_len >= 1ul) && (text[0] == 45)) {
        // parsing.rs:-20
        u64 len = text_len - 1ul;
        ann_part_1 = true;
        ann_start_2 = 1ul;
        ann_len_3 = len;
    } else {
        // parsing.rs:-19
        ann_part_1 = false;
        ann_start_2 = 0ul;
        ann_len_3 = text_len;
    }
    u64 digits_start = ann_start_2;
    u64 digits_len = ann_len_3;
    // parsing.rs:-17
    u64 start = digits_start;
    u64 len = digits_len;
    if (len == 0ul) {
        // parsing.rs:-16
        Result_i32_u32 result;
        result.tag = 1; // Err
        result.err = 1u;
        *ann_result = result;
        return 0u;
    }
    // parsing.rs:-14
    i32 value = 0;
    // parsing.rs:-13
    for (;;) {
        u64 start_2 = digits_start;
        u64 len_2 = digits_len;
        if (len_2 < 1ul) {
            break;
        }
        u64 start_3 = start_2 + 1ul;
        u64 len_3 = len_2 - 1ul;
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        // parsing.rs:-12
        i32 digit;
        if ((text[start_2] >= 48) && (text[start_2] <= 57)) {
            // parsing.rs:-11
            digit = (i32)rs_sub_u8(text[start_2], 48);
        } else {
            // parsing.rs:-10
            Result_i32_u32 result;
            result.tag = 1; // Err
            result.err = 2u;
            *ann_result = result;
            return 0u;
        }
        // parsing.rs:-8
        bool there = !rs_overflows_mul_i32(value, 10);
        i32 subject = rs_mul_i32(value, 10);
        Option_i32 mapped;
        if (there) {
            i32 value_2 = subject;
            if (!rs_overflows_add_i32(value_2, digit)) {
                mapped.tag = 1; // Some
                mapped.some = rs_add_i32(value_2, digit);
            } else {
                mapped.tag = 0; // None
            }
        } else {
            mapped.tag = 0; // None
        }
        if (mapped.tag != 1) {
            Result_i32_u32 given;
            given.tag = 1; // Err
            given.err = 3u;
            *ann_result = given;
            return 0u;
        }
        value = mapped.some;
        // parsing.rs:-7
        digits_start = start_3;
        digits_len = len_3;
    }
    // parsing.rs:-5
    Result_i32_u32 result;
    result.tag = 0; // Ok
    result.ok = ann_part_1 ? rs_neg_i32(value) : value;
    *ann_result = result;
    return 0u;
}

// parsing.rs:-22: number_of
static u32 fn_number_of_3(GLOBAL const u8 *text, u64 text_len, PRIVATE Result_i32_u32 *ann_result, PRIVATE u32 *ann_budget) {
    // parsing.rs:-21
    bool ann_part_1;
    u64 ann_start_2;
    u64 ann_len_3;
    if ((text_len >= 1ul) && (text[0] == 45)) {
        // parsing.rs:-20
        u64 len = text_len - 1ul;
        ann_part_1 = true;
        ann_start_2 = 1ul;
        ann_len_3 = len;
    } else {
        // parsing.rs:-19
        ann_part_1 = false;
        ann_start_2 = 0ul;
        ann_len_3 = text_len;
    }
    u64 digits_start = ann_start_2;
    u64 digits_len = ann_len_3;
    // parsing.rs:-17
    u64 start = digits_start;
    u64 len = digits_len;
    if (len == 0ul) {
        // parsing.rs:-16
        Result_i32_u32 result;
        result.tag = 1; // Err
        result.err = 1u;
        *ann_result = result;
        return 0u;
    }
    // parsing.rs:-14
    i32 value = 0;
    // parsing.rs:-13
    for (;;) {
        u64 start_2 = digits_start;
        u64 len_2 = digits_len;
        if (len_2 < 1ul) {
            break;
        }
        u64 start_3 = start_2 + 1ul;
        u64 len_3 = len_2 - 1ul;
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        // parsing.rs:-12
        i32 digit;
        if ((text[start_2] >= 48) && (text[start_2] <= 57)) {
            // parsing.rs:-11
            digit = (i32)rs_sub_u8(text[start_2], 48);
        } else {
            // parsing.rs:-10
            Result_i32_u32 result;
            result.tag = 1; // Err
            result.err = 2u;
            *ann_result = result;
            return 0u;
        }
        // parsing.rs:-8
        bool there = !rs_overflows_mul_i32(value, 10);
        i32 subject = rs_mul_i32(value, 10);
        Option_i32 mapped;
        if (there) {
            i32 value_2 = subject;
            if (!rs_overflows_add_i32(value_2, digit)) {
                mapped.tag = 1; // Some
                mapped.some = rs_add_i32(value_2, digit);
            } else {
                mapped.tag = 0; // None
            }
        } else {
            mapped.tag = 0; // None
        }
        if (mapped.tag != 1) {
            Result_i32_u32 given;
            given.tag = 1; // Err
            given.err = 3u;
            *ann_result = given;
            return 0u;
        }
        value = mapped.some;
        // parsing.rs:-7
        digits_start = start_3;
        digits_len = len_3;
    }
    // parsing.rs:-5
    Result_i32_u32 result;
    result.tag = 0; // Ok
    result.ok = ann_part_1 ? rs_neg_i32(value) : value;
    *ann_result = result;
    return 0u;
}

static u32 handle_take_apart(GLOBAL const Asked *asked, PRIVATE i32_x4_x3 *grid, PRIVATE ann_outbox *told) {
    u32 ann_budget = 16777216u;
    // parsing.rs:+1
    u64 n = ((u64)asked->a) % 9ul;
    // parsing.rs:+2
    if (0ul > n) return 0xFF04u; // index out of bounds
    if (n > 8ul) return 0xFF04u; // index out of bounds
    u32 kind_of;
    RS_TRY(fn_kind_of(&asked->bytes.at[0], n, &kind_of, &ann_budget));
    u64 len = rs_min_u64((u64)asked->text.len, 12ul);
    u32 kind_of_2;
    RS_TRY(fn_kind_of(&asked->text.items.at[0], len, &kind_of_2, &ann_budget));
    i64 x = rs_add_i64((i64)kind_of, (i64)kind_of_2);
    // parsing.rs:+3
    Tuple_u64_u64 sum_of;
    RS_TRY(fn_sum_of(asked->bytes.at, 8ul, n, &sum_of, &ann_budget));
    u64 sum = sum_of.field_0;
    u64 taken = sum_of.field_1;
    // parsing.rs:+4
    x = rs_add_i64(rs_mul_i64(x, 31l), ((i64)sum) ^ ((i64)taken));
    // parsing.rs:+6
    u64 len_2 = rs_min_u64((u64)asked->text.len, 12ul);
    u64 rest_start = 0ul;
    u64 rest_len = len_2;
    // parsing.rs:+7
    i64 commas = 0l;
    // parsing.rs:+8
    for (;;) {
        u64 start = rest_start;
        u64 len_3 = rest_len;
        if (len_3 == 0ul) {
            break;
        }
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // parsing.rs:+9
        u64 start_2 = rest_start;
        u64 len_4 = rest_len;
        u64 position = 0ul;
        bool found = false;
        for (u64 i = 0ul; i < len_4; i += 1) {
            if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
            u64 at = start_2 + i;
            if ((asked->text.items.at[at] % 4) == 0) {
                found = true;
                break;
            }
            position = position + 1ul;
        }
        u64 start_3 = rest_start;
        u64 len_5 = rest_len;
        u64 at = found ? position : len_5;
        // parsing.rs:+10
        u64 start_4 = rest_start;
        u64 len_6 = rest_len;
        if (0ul > at) return 0xFF04u; // index out of bounds
        if (at > len_6) return 0xFF04u; // index out of bounds
        // parsing.rs:+11
        u64 start_5 = rest_start;
        u64 len_7 = rest_len;
        u64 ann_start_34;
        u64 ann_len_35;
        if (at < len_7) {
            u64 start_6 = rest_start;
            u64 len_8 = rest_len;
            u64 start_7 = at + 1ul;
            if (start_7 > len_8) return 0xFF04u; // index out of bounds
            u64 start_8 = start_6 + start_7;
            u64 len_9 = len_8 - start_7;
            ann_start_34 = start_8;
            ann_len_35 = len_9;
        } else {
            u64 start_6 = rest_start;
            u64 len_8 = rest_len;
            if (0ul > len_8) return 0xFF04u; // index out of bounds
            ann_start_34 = start_6;
            ann_len_35 = 0ul;
        }
        rest_start = ann_start_34;
        rest_len = ann_len_35;
        // parsing.rs:+12
        bool there = at != 0ul;
        i64 mapped;
        if (there) {
            mapped = (i64)asked->text.items.at[start_4];
        } else {
            mapped = 0l;
        }
        commas = rs_add_i64(rs_add_i64(rs_mul_i64(commas, 5l), (i64)at), mapped);
        // parsing.rs:+13
        if ((at >= 1ul) && ((asked->text.items.at[start_4 + (at - 1ul)] >= 97) && (asked->text.items.at[start_4 + (at - 1ul)] <= 122))) {
            // parsing.rs:+14
            continue;
        }
        // parsing.rs:+16
        u64 start_6 = rest_start;
        u64 len_8 = rest_len;
        commas = rs_add_i64(commas, (i64)len_8);
    }
    // parsing.rs:+18
    u32 subject = asked->key % 5u;
    Result_i32_u32 number;
    if (subject == 0u) {
        // parsing.rs:+19
        RS_TRY(fn_number_of(TEXT.at, 11ul, &number, &ann_budget));
    } else if (subject == 1u) {
        // parsing.rs:+20
        RS_TRY(fn_number_of(TEXT_2.at, 11ul, &number, &ann_budget));
    } else if (subject == 2u) {
        // parsing.rs:+21
        RS_TRY(fn_number_of(TEXT_3.at, 1ul, &number, &ann_budget));
    } else if (subject == 3u) {
        // parsing.rs:+22
        u8_x2 items;
        items.at[0] = rs_add_u8(48, asked->bytes.at[0] % 11);
        items.at[1] = 55;
        u8_x2 value = items;
        RS_TRY(fn_number_of_2(value.at, 2ul, &number, &ann_budget));
    } else {
        // parsing.rs:+23
        if (n > 8ul) return 0xFF04u; // index out of bounds
        u64 len_3 = 8ul - n;
        RS_TRY(fn_number_of_3(&asked->bytes.at[n], len_3, &number, &ann_budget));
    }
    // parsing.rs:+25
    i64 chosen;
    if (number.tag == 0) {
        // parsing.rs:+26
        i32 number_2 = number.ok;
        chosen = (i64)number_2;
    } else if ((number.tag == 1) && (number.err == 2u)) {
        // parsing.rs:+27
        chosen = (-1l);
    } else {
        // parsing.rs:+28
        u32 other = number.err;
        chosen = rs_mul_i64(rs_neg_i64((i64)other), 1000l);
    }
    i64 y = rs_add_i64(rs_mul_i64(commas, 7l), chosen);
    // parsing.rs:+31
    i32 first = asked->numbers.at[0];
    i32 last = asked->numbers.at[7];
    // parsing.rs:+32
    i32 second = asked->numbers.at[1];
    i32_x4 rest;
    for (u64 i = 0ul; i < 4ul; i += 1) {
        rest.at[i] = asked->numbers.at[2ul + i];
    }
    i32_x4 middle = rest;
    i32 before = asked->numbers.at[7];
    // parsing.rs:+33
    u8 head = asked->bytes.at[0];
    // parsing.rs:+34
    y = rs_add_i64(rs_mul_i64(y, 3l), ((i64)first) ^ rs_shl_i64((i64)last, 3u));
    // parsing.rs:+35
    bool found = false;
    i64 best;
    i64 kept;
    for (u64 i = 0ul; i < 4ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        i64 value = (i64)middle.at[i];
        if ((!found) || (value >= best)) {
            kept = value;
            best = value;
            found = true;
        }
    }
    y = rs_add_i64(y, rs_add_i64((i64)rs_sub_i32(second, before), found ? kept : 0l));
    // parsing.rs:+38
    y = rs_add_i64(y, rs_add_i64(rs_mul_i64((i64)head, 7l), 4l));
    // parsing.rs:+40
    u64 end = rs_min_u64(n, 4ul);
    if (0ul > end) return 0xFF04u; // index out of bounds
    if (end > 4ul) return 0xFF04u; // index out of bounds
    if (end >= 2ul) {
        // parsing.rs:+41
        u64 at = end - 1ul;
        i32 before_2 = grid->at[0].at[0];
        grid->at[0].at[0] = grid->at[0].at[at];
        grid->at[0].at[at] = before_2;
        // parsing.rs:+42
        grid->at[0].at[0] = rs_add_i32(grid->at[0].at[0], 1);
    }
    // parsing.rs:+45
    u64 at = (n + 1ul) % 2ul;
    if (at >= 2ul) return 0xFF04u; // index out of bounds
    u64 at_2 = 1ul + at;
    // parsing.rs:+46
    u64 at_3 = n % 3ul;
    if (at_3 >= 3ul) return 0xFF04u; // index out of bounds
    u64 at_4 = n % 3ul;
    if (at_4 >= 3ul) return 0xFF04u; // index out of bounds
    grid->at[at_2].at[1ul + at_4] = rs_add_i32(grid->at[at_2].at[1ul + at_3], 5);
    // parsing.rs:+47
    i32_x3 pair;
    pair.at[0] = asked->numbers.at[0];
    pair.at[1] = asked->numbers.at[1];
    pair.at[2] = 3;
    // parsing.rs:+49
    pair.at[0] = rs_add_i32(pair.at[0], pair.at[1]);
    // parsing.rs:+50
    y = rs_add_i64(rs_mul_i64(y, 3l), ((i64)pair.at[0]) ^ ((i64)pair.at[2]));
    // parsing.rs:+52
    u64 at_5 = n % 2ul;
    if (at_5 >= 2ul) return 0xFF04u; // index out of bounds
    u64 at_6 = 1ul + at_5;
    u64 cells_start = 0ul;
    u64 cells_len = 4ul;
    // parsing.rs:+53
    i32 turns = 0;
    // parsing.rs:+54
    for (;;) {
        u64 start = cells_start;
        u64 len_3 = cells_len;
        if (len_3 < 1ul) {
            break;
        }
        u64 start_2 = start + 1ul;
        u64 len_4 = len_3 - 1ul;
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // parsing.rs:+55
        turns = rs_add_i32(turns, 1);
        // parsing.rs:+56
        grid->at[at_6].at[start] = rs_add_i32(rs_mul_i32(grid->at[at_6].at[start], 2), turns);
        // parsing.rs:+57
        u64 ann_start_86;
        u64 ann_len_87;
        if (turns == 2) {
            if (1ul > len_4) return 0xFF04u; // index out of bounds
            u64 start_3 = start_2 + 1ul;
            u64 len_5 = len_4 - 1ul;
            ann_start_86 = start_3;
            ann_len_87 = len_5;
        } else {
            ann_start_86 = start_2;
            ann_len_87 = len_4;
        }
        cells_start = ann_start_86;
        cells_len = ann_len_87;
    }
    // parsing.rs:+59
    u64 window_start = 0ul;
    u64 window_len = 8ul;
    // parsing.rs:+61
    u64 start = window_start;
    u64 len_3 = window_len;
    // parsing.rs:+62
    u64 start_2 = window_start;
    u64 len_4 = window_len;
    u64 at_7 = n % 8ul;
    if (at_7 >= len_4) return 0xFF04u; // index out of bounds
    u64 at_8 = start_2 + at_7;
    // parsing.rs:+63
    u64 start_3 = window_start;
    u64 len_5 = window_len;
    u64 start_4 = rs_min_u64(n, 3ul);
    if (start_4 > len_5) return 0xFF04u; // index out of bounds
    u64 start_5 = start_3 + start_4;
    u64 len_6 = len_5 - start_4;
    window_start = start_5;
    window_len = len_6;
    // parsing.rs:+64
    u64 start_6 = window_start;
    u64 len_7 = window_len;
    u64 start_7 = window_start;
    u64 len_8 = window_len;
    u64 middle_2 = len_8 / 2ul;
    if (middle_2 > len_7) return 0xFF01u; // panicked
    u64 start_8 = start_6 + middle_2;
    u64 len_9 = len_7 - middle_2;
    u64 left_start = start_6;
    u64 left_len = middle_2;
    u64 right_start = start_8;
    u64 right_len = len_9;
    // parsing.rs:+65
    u64 start_9 = right_start;
    u64 len_10 = right_len;
    u64 start_10 = left_start;
    u64 len_11 = left_len;
    left_start = start_9;
    left_len = len_10;
    right_start = start_10;
    right_len = len_11;
    // parsing.rs:+66
    if (0ul >= len_3) return 0xFF04u; // index out of bounds
    u64 start_11 = left_start;
    u64 len_12 = left_len;
    if (0ul >= len_12) return 0xFF04u; // index out of bounds
    u64 start_12 = right_start;
    u64 len_13 = right_len;
    y = rs_add_i64(rs_add_i64(rs_add_i64(rs_mul_i64(y, 5l), (i64)asked->numbers.at[start]), (i64)asked->numbers.at[at_8]), rs_mul_i64((i64)asked->numbers.at[start_11], (i64)len_13));
    // parsing.rs:+67
    for (u64 i = 0ul; i < 4ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u64 first_2 = i * 2ul;
        u64 count = rs_min_u64(2ul, 8ul - first_2);
        // parsing.rs:+68
        if (count != 2ul) {
            continue;
        }
        i32 a = asked->numbers.at[first_2];
        i32 b = asked->numbers.at[first_2 + 1ul];
        // parsing.rs:+69
        y = rs_add_i64(y, rs_sub_i64((i64)a, (i64)b));
    }
    // parsing.rs:+71
    for (u64 i = 0ul; i < 6ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u64 count = rs_min_u64(3ul, 8ul - i);
        // parsing.rs:+72
        for (;;) {
            if (count == 3ul) {
                // parsing.rs:+73
                if (asked->bytes.at[i] <= asked->bytes.at[i + 1ul]) {
                    // parsing.rs:+74
                    if (asked->bytes.at[i + 1ul] <= asked->bytes.at[i + 2ul]) {
                        // parsing.rs:+76
                        y = rs_add_i64(y, 1l);
                        break;
                    }
                }
            }
            break;
        }
    }
    // parsing.rs:+79
    Told told_2;
    told_2.x = x;
    told_2.y = y;
    {
        GLOBAL Told *ann_slot = (GLOBAL Told *)ann_outbox_next(told);
        if (ann_slot) *ann_slot = told_2;
    }
    // parsing.rs:+80
    return 0u;
}

#define ANN_MESSAGE Asked
#define ANN_MESSAGE_BYTES 100
#define ANN_OUTPUT Told
#define ANN_OUTPUT_BYTES 16
#define ANN_STATE i32_x4_x3
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->key)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_take_apart(message, state, outbox)
