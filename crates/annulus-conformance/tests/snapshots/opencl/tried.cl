// The handler of kernel `tried`, written from crates/annulus-conformance/src/kernels/compared.rs:+0 (module annulus_conformance::kernels::compared).
#pragma OPENCL FP_CONTRACT OFF

typedef struct i8_x3 { i8 at[3]; } i8_x3;

typedef struct Level {
    u16 price;
    u8 open;
    i8_x3 sizes;
} Level;
typedef char ann_size_of_Level[sizeof(Level) == 6 ? 1 : -1];

typedef union Command {
    u8 tag; // 0 Idle, 1 Move, 9 Set, 10 Stop
    struct {
        u8 ann_tag;
        u8 ann_pad0[1];
        i16 field_0;
        f32 field_1;
        u8 ann_pad1[4];
    } Move;
    struct {
        u8 ann_tag;
        u8 ann_pad0[1];
        Level level;
        u8 on;
        u8 ann_pad1[3];
    } Set;
} Command;
typedef char ann_size_of_Command[sizeof(Command) == 12 ? 1 : -1];
typedef char ann_size_of_Command_Move[sizeof(((PRIVATE Command *)0)->Move) == 12 ? 1 : -1];
typedef char ann_size_of_Command_Set[sizeof(((PRIVATE Command *)0)->Set) == 12 ? 1 : -1];

typedef struct Nothing {
    u8 ann_nothing;
} Nothing;

typedef union Light {
    u16 tag; // 3 Red, 4 Green, 5 Blinking
    struct {
        u16 ann_tag;
    } Blinking;
} Light;
typedef char ann_size_of_Light[sizeof(Light) == 2 ? 1 : -1];
typedef char ann_size_of_Light_Blinking[sizeof(((PRIVATE Light *)0)->Blinking) == 2 ? 1 : -1];

typedef struct Light_x2 { Light at[2]; } Light_x2;

typedef struct Level_x2 { Level at[2]; } Level_x2;

typedef struct i16_x2 { i16 at[2]; } i16_x2;

typedef struct Twice {
    i16 field_0;
    i16_x2 field_1;
} Twice;
typedef char ann_size_of_Twice[sizeof(Twice) == 6 ? 1 : -1];

typedef struct u32_x4 { u32 at[4]; } u32_x4;

typedef struct Pair {
    u32 key;
    Command command;
    Command other;
    Light_x2 lights;
    Level_x2 levels;
    Twice twice;
    u8 ann_pad0[6];
    i64 wide;
    i8 small;
    u8 ann_pad1[3];
    u32_x4 words;
    u8 ann_pad2[4];
} Pair;
typedef char ann_size_of_Pair[sizeof(Pair) == 88 ? 1 : -1];

typedef struct u32_x8 { u32 at[8]; } u32_x8;

typedef struct Answer {
    u32_x8 words;
    i64 sum;
    f32 x;
    u8 on;
    u8 ann_pad0[3];
} Answer;
typedef char ann_size_of_Answer[sizeof(Answer) == 48 ? 1 : -1];

typedef struct Option_i16 { u8 tag; i16 some; } Option_i16;

typedef struct Result_u16_void { u8 tag; u16 ok; } Result_u16_void;

// compared.rs:-7: narrowed
static Option_i16 fn_narrowed(i64 wide) {
    // compared.rs:-6
    if (!((wide >= (-32768l)) && (wide <= 32767l))) {
        Option_i16 given;
        given.tag = 0; // None
        return given;
    }
    i16 narrow = (i16)wide;
    // compared.rs:-5
    Option_i16 option;
    if (!rs_overflows_add_i16(narrow, 1)) {
        option.tag = 1; // Some
        option.some = rs_add_i16(narrow, 1);
    } else {
        option.tag = 0; // None
    }
    return option;
}

static u32 handle_tried(GLOBAL const Pair *pair, PRIVATE ann_outbox *answers) {
    // compared.rs:+2
    u32_x8 words;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        words.at[i] = 0u;
    }
    // compared.rs:+3
    i64 wide = pair->wide;
    // compared.rs:+4
    words.at[0] = (u32)(((wide >= 0l) && (wide <= 255l)) ? ((u8)wide) : 3);
    // compared.rs:+5
    words.at[1] = ((wide >= 0l) && (wide <= 4294967295l)) ? ((u32)wide) : 7u;
    // compared.rs:+6
    u32 value = pair->words.at[0];
    u64 value_2 = (u64)wide;
    i8 value_3 = pair->small;
    u64 value_4 = (u64)wide;
    i8 value_5 = pair->small;
    i8 value_6 = pair->small;
    i16 value_7 = pair->twice.field_0;
    u16 value_8 = pair->levels.at[0].price;
    words.at[2] = (((((((((u32)(value <= 127u)) | (((u32)(value_2 > 32767ul)) << 1u)) | (((u32)(value_3 >= 0)) << 2u)) | (((u32)(value_4 <= 9223372036854775807ul)) << 3u)) | (((u32)(value_5 >= 0)) << 4u)) | (((u32)((wide >= (-2147483648l)) && (wide <= 2147483647l))) << 5u)) | (((u32)true) << 6u)) | (((u32)((value_7 >= 0) && (value_7 <= 255))) << 7u)) | (((u32)(value_8 <= 127)) << 8u);
    // compared.rs:+15
    i16 value_9 = pair->twice.field_0;
    bool there = (value_9 >= (-128)) && (value_9 <= 127);
    i8 subject = (i8)value_9;
    if (there) {
        i8 narrow = subject;
        // compared.rs:+16
        words.at[3] = (u32)rs_unsigned_abs_i8(narrow);
    }
    // compared.rs:+18
    i8 value_10 = pair->small;
    bool there_2 = value_10 >= 0;
    u64 subject_2 = (u64)value_10;
    if (!there_2) {
        return 7u;
    }
    u64 index_ = subject_2;
    // compared.rs:+19
    u64 at = index_ % 4ul;
    if (at >= 4ul) return 0xFF04u; // index out of bounds
    words.at[4] = pair->words.at[at];
    // compared.rs:+20
    u32 value_11 = pair->words.at[1];
    bool there_3 = value_11 <= 2147483647u;
    i32 subject_3 = (i32)value_11;
    u32 chosen;
    if (there_3 && (subject_3 == 0)) {
        // compared.rs:+21
        chosen = 1u;
    } else if (there_3) {
        // compared.rs:+22
        i32 positive = subject_3;
        chosen = ((u32)positive) ^ 5u;
    } else {
        // compared.rs:+23
        chosen = 9u;
    }
    words.at[5] = chosen;
    // compared.rs:+25
    u32 value_12 = pair->words.at[2];
    Result_u16_void kept;
    if (value_12 <= 65535u) {
        kept.tag = 0; // Ok
        kept.ok = (u16)value_12;
    } else {
        kept.tag = 1; // Err
    }
    // compared.rs:+26
    words.at[6] = ((u32)(kept.tag == 0)) + ((u32)((kept.tag == 0) ? kept.ok : 2));
    // compared.rs:+27
    Option_i16 narrowed = fn_narrowed(wide);
    words.at[7] = (u32)((u16)((narrowed.tag == 1) ? narrowed.some : (-1)));
    // compared.rs:+28
    u32 value_13 = pair->words.at[3];
    if (value_13 > 255u) {
        return 7u;
    }
    i64 sum = (i64)((u8)value_13);
    // compared.rs:+29
    i64 value_14 = wide % 1000l;
    if (!((value_14 >= 0l) && (value_14 <= 65535l))) return 0xFF01u; // panicked
    Answer answer;
    answer.words = words;
    answer.sum = sum;
    answer.x = 0.0f;
    answer.on = ((u16)value_14) > 3;
    {
        GLOBAL Answer *ann_slot = (GLOBAL Answer *)ann_outbox_next(answers);
        if (ann_slot) *ann_slot = answer;
    }
    // compared.rs:+30
    return 0u;
}

#define ANN_MESSAGE Pair
#define ANN_MESSAGE_BYTES 88
#define ANN_OUTPUT Answer
#define ANN_OUTPUT_BYTES 48
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->key)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_tried(message, outbox)
