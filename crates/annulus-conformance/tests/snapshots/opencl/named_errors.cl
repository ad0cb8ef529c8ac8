// The handler of kernel `named_errors`, written from crates/annulus-conformance/src/kernels/codes.rs:+0 (module annulus_conformance::kernels::codes).
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

typedef struct u32_x4 { u32 at[4]; } u32_x4;

typedef struct Option_u32 { u8 tag; u32 some; } Option_u32;

typedef struct Result_u8_u32 { u8 tag; u8 ok; u32 err; } Result_u8_u32;

CONSTANT const u32_x4 ALL = { { 3u, 4u, 4660u, 65279u } };

// codes.rs:-29: byte
static Result_u8_u32 fn_byte(i32 value) {
    // codes.rs:-28
    Result_u8_u32 chosen;
    if (value == 13) {
        // codes.rs:-27
        chosen.tag = 1; // Err
        chosen.err = 4660u;
    } else if (value < 0) {
        // codes.rs:-26
        chosen.tag = 1; // Err
        chosen.err = 3u;
    } else if ((value >= 0) && (value <= 255)) {
        // codes.rs:-25
        chosen.tag = 0; // Ok
        chosen.ok = (u8)value;
    } else if ((value % 7) == 0) {
        // codes.rs:-24
        chosen.tag = 1; // Err
        chosen.err = 65279u;
    } else {
        // codes.rs:-23
        chosen.tag = 1; // Err
        chosen.err = 4u;
    }
    return chosen;
}

// codes.rs:-18: checked
static u32 fn_checked(i32 value) {
    // codes.rs:-17
    Result_u8_u32 byte = fn_byte(value);
    if (byte.tag != 0) {
        return byte.err;
    }
    // codes.rs:-16
    return 0u;
}

// codes.rs:-49: Refusal::is_unlucky
static bool fn_Refusal_is_unlucky(PRIVATE const u32 *self) {
    // codes.rs:-48
    return (*self) == 4660u;
}

// codes.rs:-57: Refusal::severity
static u32 fn_Refusal_severity(u32 self) {
    // codes.rs:-56
    u32 chosen;
    if (self == 3u) {
        // codes.rs:-55
        chosen = 1u;
    } else if ((self == 4u) || (self == 4660u)) {
        // codes.rs:-54
        chosen = 2u;
    } else {
        // codes.rs:-53
        chosen = 9u;
    }
    return chosen;
}

// codes.rs:-6: halved
static Result_u8_u32 fn_halved(i32 value) {
    // codes.rs:-5
    Result_u8_u32 byte = fn_byte(value);
    if (byte.tag != 0) {
        Result_u8_u32 given;
        given.tag = 1; // Err
        given.err = byte.err;
        return given;
    }
    Result_u8_u32 result;
    result.tag = 0; // Ok
    result.ok = byte.ok / 2;
    return result;
}

// codes.rs:-35: Stopped::from
static u32 fn_Stopped_from(u32 refusal) {
    // codes.rs:-34
    u32 severity = fn_Refusal_severity(refusal);
    u32 chosen;
    if (severity > 1u) {
        chosen = 2u;
    } else {
        chosen = 1u;
    }
    return chosen;
}

// codes.rs:-12: first_of
static u32 fn_first_of(GLOBAL const i32 *numbers, u64 numbers_len, PRIVATE Result_u8_u32 *ann_result) {
    // codes.rs:-11
    if (0ul >= numbers_len) return 0xFF04u; // index out of bounds
    Result_u8_u32 byte = fn_byte(numbers[0]);
    if (byte.tag != 0) {
        u32 from = fn_Stopped_from(byte.err);
        Result_u8_u32 given;
        given.tag = 1; // Err
        given.err = from;
        *ann_result = given;
        return 0u;
    }
    u8 first = byte.ok;
    // codes.rs:-10
    if (1ul >= numbers_len) return 0xFF04u; // index out of bounds
    Result_u8_u32 byte_2 = fn_byte(numbers[1]);
    if (byte_2.tag != 0) {
        u32 from_2 = fn_Stopped_from(byte_2.err);
        Result_u8_u32 given_2;
        given_2.tag = 1; // Err
        given_2.err = from_2;
        *ann_result = given_2;
        return 0u;
    }
    Result_u8_u32 result;
    result.tag = 0; // Ok
    result.ok = first ^ byte_2.ok;
    *ann_result = result;
    return 0u;
}

static u32 handle_named_errors(GLOBAL const Asked *asked, PRIVATE u32 *last, PRIVATE ann_outbox *told) {
    u32 ann_budget = 16777216u;
    // codes.rs:+1
    i32 first = asked->numbers.at[0];
    i32 second = asked->numbers.at[1];
    // codes.rs:+2
    Result_u8_u32 byte = fn_byte(first);
    i64 x;
    if (byte.tag == 0) {
        // codes.rs:+3
        u8 byte_2 = byte.ok;
        x = (i64)byte_2;
    } else if ((byte.tag == 1) && (byte.err == 3u)) {
        // codes.rs:+4
        x = (-1l);
    } else if ((byte.tag == 1) && (byte.err == 4u)) {
        // codes.rs:+5
        x = (-2l);
    } else {
        // codes.rs:+6
        u32 refusal = byte.err;
        x = rs_neg_i64((i64)refusal);
    }
    // codes.rs:+8
    i64 y = 0l;
    // codes.rs:+9
    u32 checked = fn_checked(second);
    if (checked != 0u) {
        u32 refusal = checked;
        // codes.rs:+10
        (*last) = refusal;
        // codes.rs:+11
        y = rs_add_i64(y, rs_add_i64(rs_add_i64((i64)((u8)refusal), rs_mul_i64((i64)((u16)refusal), 3l)), (i64)(((i32)refusal) == 4)));
        // codes.rs:+12
        y = rs_add_i64(rs_mul_i64(y, 2l), (i64)(refusal == 4u));
        // codes.rs:+13
        y = rs_add_i64(rs_mul_i64(y, 2l), (i64)(4660u != refusal));
        // codes.rs:+14
        bool is_unlucky = fn_Refusal_is_unlucky(&refusal);
        y = rs_add_i64(rs_mul_i64(y, 2l), (i64)is_unlucky);
        // codes.rs:+15
        u32 severity = fn_Refusal_severity(refusal);
        y = rs_add_i64(rs_mul_i64(y, 16l), (i64)severity);
        // codes.rs:+16
        y = rs_add_i64(rs_mul_i64(y, 5l), (i64)((u16)refusal));
        // codes.rs:+17
        u32 failure = refusal;
        // codes.rs:+18
        u32 checked_2 = fn_checked(first);
        y = rs_add_i64(y, rs_add_i64((i64)(failure == 4u), (i64)(checked_2 == refusal)));
        // codes.rs:+19
        bool contains = false;
        for (u64 i = 0ul; i < 4ul; i += 1) {
            if (ALL.at[i] == refusal) {
                contains = true;
                break;
            }
        }
        u64 at = ((u64)asked->a) % 4ul;
        if (at >= 4ul) return 0xFF04u; // index out of bounds
        y = rs_add_i64(y, rs_add_i64((i64)contains, (i64)(ALL.at[at] == refusal)));
        // codes.rs:+20
        bool found = false;
        u32 best;
        u32 kept;
        for (u64 i = 0ul; i < 4ul; i += 1) {
            if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
            u32 severity_2 = fn_Refusal_severity(ALL.at[i]);
            u32 key = severity_2 ^ (asked->a % 4u);
            if ((!found) || (key >= best)) {
                kept = ALL.at[i];
                best = key;
                found = true;
            }
        }
        Option_u32 worst;
        if (found) {
            worst.tag = 1; // Some
            worst.some = kept;
        } else {
            worst.tag = 0; // None
        }
        // codes.rs:+21
        bool there = worst.tag == 1;
        u32 subject = worst.some;
        i64 mapped;
        if (there) {
            u32 worst_2 = subject;
            mapped = (i64)worst_2;
        } else {
            mapped = 0l;
        }
        y = rs_add_i64(rs_mul_i64(y, 3l), mapped);
        // codes.rs:+22
        Option_u32 option;
        option.tag = 1; // Some
        option.some = refusal;
        if ((worst.tag == option.tag) && ((worst.tag != 1) || (worst.some == option.some))) {
            // codes.rs:+23
            y = rs_add_i64(y, 1l);
        }
    }
    // codes.rs:+26
    Result_u8_u32 halved = fn_halved(first);
    bool subject = asked->on;
    if (halved.tag == 0) {
        // codes.rs:+27
        u8 half_ = halved.ok;
        y = rs_add_i64(y, (i64)half_);
    } else if ((halved.tag == 1) && subject) {
        // codes.rs:+28
        u32 failure = halved.err;
        y = rs_sub_i64(y, (i64)((u16)failure));
    } else {
    }
    // codes.rs:+31
    Result_u8_u32 first_of;
    RS_TRY(fn_first_of(&asked->numbers.at[2], 6ul, &first_of));
    Option_u32 reason;
    if (first_of.tag != 0) {
        reason.tag = 1; // Some
        reason.some = first_of.err;
    } else {
        reason.tag = 0; // None
    }
    // codes.rs:+32
    bool there = reason.tag == 1;
    u32 subject_2 = reason.some;
    i64 mapped;
    if (there) {
        u32 stopped = subject_2;
        mapped = (i64)stopped;
    } else {
        mapped = 3l;
    }
    Told told_2;
    told_2.x = x;
    told_2.y = rs_add_i64(rs_mul_i64(y, 4l), mapped);
    {
        GLOBAL Told *ann_slot = (GLOBAL Told *)ann_outbox_next(told);
        if (ann_slot) *ann_slot = told_2;
    }
    // codes.rs:+33
    Option_u32 option;
    option.tag = 1; // Some
    option.some = 2u;
    if (((reason.tag == option.tag) && ((reason.tag != 1) || (reason.some == option.some))) && rs_is_multiple_of_u32(asked->a, 3u)) {
        // codes.rs:+34
        return 2u;
    }
    // codes.rs:+36
    Result_u8_u32 byte_2 = fn_byte(asked->b);
    if (byte_2.tag != 0) {
        u32 from = fn_Stopped_from(byte_2.err);
        return from;
    }
    u8 kept = byte_2.ok;
    // codes.rs:+37
    (*last) = (*last) ^ ((u32)kept);
    // codes.rs:+38
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
#define ANN_CALL(cx, message, state, outbox) handle_named_errors(message, state, outbox)
