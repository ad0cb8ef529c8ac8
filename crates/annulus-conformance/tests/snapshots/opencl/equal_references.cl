// The handler of kernel `equal_references`, written from crates/annulus-conformance/src/kernels/compared.rs:+0 (module annulus_conformance::kernels::compared).
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

typedef struct Option_u32 { u8 tag; u32 some; } Option_u32;

typedef struct Option_Level { u8 tag; Level some; } Option_Level;

static u32 handle_equal_references(GLOBAL const Pair *pair, PRIVATE ann_outbox *answers) {
    // compared.rs:+1
    u32_x4 words = pair->words;
    // compared.rs:+2
    u64 at = ((u64)pair->small) % 6ul;
    // compared.rs:+3
    bool there = at < 4ul;
    u32 copy;
    if (there) {
        copy = words.at[at];
    }
    Option_u32 option;
    if (there) {
        option.tag = 1; // Some
        option.some = copy;
    } else {
        option.tag = 0; // None
    }
    Option_u32 option_2;
    option_2.tag = 1; // Some
    option_2.some = 3u;
    u32 copy_2;
    if (true) {
        copy_2 = words.at[0];
    }
    Option_u32 option_3;
    if (true) {
        option_3.tag = 1; // Some
        option_3.some = copy_2;
    } else {
        option_3.tag = 0; // None
    }
    u32 copy_3;
    if (true) {
        copy_3 = words.at[3];
    }
    Option_u32 option_4;
    if (true) {
        option_4.tag = 1; // Some
        option_4.some = copy_3;
    } else {
        option_4.tag = 0; // None
    }
    u32 bits = ((u32)((option.tag == option_2.tag) && ((option.tag != 1) || (option.some == option_2.some)))) | (((u32)((option_3.tag == option_4.tag) && ((option_3.tag != 1) || (option_3.some == option_4.some)))) << 1u);
    // compared.rs:+4
    u32 copy_4;
    if (true) {
        copy_4 = words.at[1];
    }
    Option_u32 option_5;
    if (true) {
        option_5.tag = 1; // Some
        option_5.some = copy_4;
    } else {
        option_5.tag = 0; // None
    }
    Option_u32 option_6;
    option_6.tag = 1; // Some
    option_6.some = words.at[0];
    bits = bits | (((u32)(!((option_5.tag == option_6.tag) && ((option_5.tag != 1) || (option_5.some == option_6.some))))) << 2u);
    // compared.rs:+5
    Option_Level option_7;
    option_7.tag = 1; // Some
    option_7.some = pair->levels.at[0];
    bool there_2 = at < 2ul;
    Level copy_5;
    if (there_2) {
        copy_5 = pair->levels.at[at];
    }
    Option_Level option_8;
    if (there_2) {
        option_8.tag = 1; // Some
        option_8.some = copy_5;
    } else {
        option_8.tag = 0; // None
    }
    bool same = option_7.tag == option_8.tag;
    if (same && (option_7.tag == 1)) {
        bool same_2 = true;
        for (u64 i = 0ul; i < 3ul; i += 1) {
            if (option_7.some.sizes.at[i] != option_8.some.sizes.at[i]) {
                same_2 = false;
                break;
            }
        }
        same = ((option_7.some.price == option_8.some.price) && (option_7.some.open == option_8.some.open)) && same_2;
    }
    bits = bits | (((u32)same) << 3u);
    // compared.rs:+6
    bool there_3 = at < 4ul;
    u32 copy_6;
    if (there_3) {
        copy_6 = words.at[at];
    }
    Option_u32 option_9;
    if (there_3) {
        option_9.tag = 1; // Some
        option_9.some = copy_6;
    } else {
        option_9.tag = 0; // None
    }
    u64 at_2 = 1ul + at;
    bool there_4 = at < 3ul;
    u32 copy_7;
    if (there_4) {
        copy_7 = pair->words.at[at_2];
    }
    Option_u32 option_10;
    if (there_4) {
        option_10.tag = 1; // Some
        option_10.some = copy_7;
    } else {
        option_10.tag = 0; // None
    }
    bits = bits | (((u32)((option_9.tag == option_10.tag) && ((option_9.tag != 1) || (option_9.some == option_10.some)))) << 4u);
    // compared.rs:+8
    u32 copy_8;
    if (true) {
        copy_8 = words.at[2];
    }
    Option_u32 option_11;
    if (true) {
        option_11.tag = 1; // Some
        option_11.some = copy_8;
    } else {
        option_11.tag = 0; // None
    }
    // compared.rs:+11
    words.at[2] = words.at[2] + 1u;
    // compared.rs:+12
    Option_u32 option_12;
    option_12.tag = 1; // Some
    option_12.some = words.at[2];
    bits = bits | (((u32)((option_11.tag == option_12.tag) && ((option_11.tag != 1) || (option_11.some == option_12.some)))) << 5u);
    // compared.rs:+15
    if (at < 4ul) {
        // compared.rs:+16
        bool there_5 = at < 4ul;
        u32 copy_9;
        if (there_5) {
            copy_9 = pair->words.at[at];
        }
        Option_u32 option_13;
        if (there_5) {
            option_13.tag = 1; // Some
            option_13.some = copy_9;
        } else {
            option_13.tag = 0; // None
        }
        if (at >= 4ul) return 0xFF04u; // index out of bounds
        Option_u32 option_14;
        option_14.tag = 1; // Some
        option_14.some = pair->words.at[at];
        if (!((option_13.tag == option_14.tag) && ((option_13.tag != 1) || (option_13.some == option_14.some)))) return 0xFF01u; // panicked
    }
    // compared.rs:+18
    u32_x8 items;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        items.at[i] = bits;
    }
    bool there_5 = at < 4ul;
    u32 copy_9;
    if (there_5) {
        copy_9 = pair->words.at[at];
    }
    Option_u32 option_13;
    if (there_5) {
        option_13.tag = 1; // Some
        option_13.some = copy_9;
    } else {
        option_13.tag = 0; // None
    }
    u64 at_3 = at % 4ul;
    if (at_3 >= 4ul) return 0xFF04u; // index out of bounds
    Option_u32 option_14;
    option_14.tag = 1; // Some
    option_14.some = words.at[at_3];
    Answer answer;
    answer.words = items;
    answer.sum = 0l;
    answer.x = 0.0f;
    answer.on = (option_13.tag == option_14.tag) && ((option_13.tag != 1) || (option_13.some == option_14.some));
    {
        GLOBAL Answer *ann_slot = (GLOBAL Answer *)ann_outbox_next(answers);
        if (ann_slot) *ann_slot = answer;
    }
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
#define ANN_CALL(cx, message, state, outbox) handle_equal_references(message, outbox)
