// The handler of kernel `equal_values`, written from crates/annulus-conformance/src/kernels/compared.rs:+0 (module annulus_conformance::kernels::compared).
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

typedef struct Option_Command { u8 tag; Command some; } Option_Command;

typedef struct Tuple_Level_i8 { Level field_0; i8 field_1; } Tuple_Level_i8;

CONSTANT const Nothing Nothing_2 = {  };

// compared.rs:-6: same::<annulus_conformance::kernels::compared::Command>
static bool fn_same_Command(Command a, Command b) {
    // compared.rs:-5
    bool same = (a.tag == b.tag) && ((a.tag != 1) || ((a.Move.field_0 == b.Move.field_0) && (a.Move.field_1 == b.Move.field_1)));
    if (same && (a.tag == 9)) {
        bool same_2 = true;
        for (u64 i = 0ul; i < 3ul; i += 1) {
            if (a.Set.level.sizes.at[i] != b.Set.level.sizes.at[i]) {
                same_2 = false;
                break;
            }
        }
        same = (((a.Set.level.price == b.Set.level.price) && (a.Set.level.open == b.Set.level.open)) && same_2) && (a.Set.on == b.Set.on);
    }
    return same;
}

// compared.rs:-6: same::<annulus_conformance::kernels::compared::Light>
static bool fn_same_Light(Light a, Light b) {
    // compared.rs:-5
    return (a.tag == b.tag) && ((a.tag != 5) || true);
}

// compared.rs:-6: same::<annulus_conformance::kernels::compared::Pair>
static bool fn_same_Pair(Pair a, Pair b) {
    // compared.rs:-5
    bool same = (a.command.tag == b.command.tag) && ((a.command.tag != 1) || ((a.command.Move.field_0 == b.command.Move.field_0) && (a.command.Move.field_1 == b.command.Move.field_1)));
    if (same && (a.command.tag == 9)) {
        bool same_2 = true;
        for (u64 i = 0ul; i < 3ul; i += 1) {
            if (a.command.Set.level.sizes.at[i] != b.command.Set.level.sizes.at[i]) {
                same_2 = false;
                break;
            }
        }
        same = (((a.command.Set.level.price == b.command.Set.level.price) && (a.command.Set.level.open == b.command.Set.level.open)) && same_2) && (a.command.Set.on == b.command.Set.on);
    }
    bool same_2 = (a.other.tag == b.other.tag) && ((a.other.tag != 1) || ((a.other.Move.field_0 == b.other.Move.field_0) && (a.other.Move.field_1 == b.other.Move.field_1)));
    if (same_2 && (a.other.tag == 9)) {
        bool same_3 = true;
        for (u64 i = 0ul; i < 3ul; i += 1) {
            if (a.other.Set.level.sizes.at[i] != b.other.Set.level.sizes.at[i]) {
                same_3 = false;
                break;
            }
        }
        same_2 = (((a.other.Set.level.price == b.other.Set.level.price) && (a.other.Set.level.open == b.other.Set.level.open)) && same_3) && (a.other.Set.on == b.other.Set.on);
    }
    bool same_3 = true;
    for (u64 i = 0ul; i < 2ul; i += 1) {
        if (!((a.lights.at[i].tag == b.lights.at[i].tag) && ((a.lights.at[i].tag != 5) || true))) {
            same_3 = false;
            break;
        }
    }
    bool same_4 = true;
    for (u64 i = 0ul; i < 2ul; i += 1) {
        bool same_5 = true;
        for (u64 i_2 = 0ul; i_2 < 3ul; i_2 += 1) {
            if (a.levels.at[i].sizes.at[i_2] != b.levels.at[i].sizes.at[i_2]) {
                same_5 = false;
                break;
            }
        }
        if (!(((a.levels.at[i].price == b.levels.at[i].price) && (a.levels.at[i].open == b.levels.at[i].open)) && same_5)) {
            same_4 = false;
            break;
        }
    }
    bool same_5 = true;
    for (u64 i = 0ul; i < 2ul; i += 1) {
        if (a.twice.field_1.at[i] != b.twice.field_1.at[i]) {
            same_5 = false;
            break;
        }
    }
    bool same_6 = true;
    for (u64 i = 0ul; i < 4ul; i += 1) {
        if (a.words.at[i] != b.words.at[i]) {
            same_6 = false;
            break;
        }
    }
    return ((((((((a.key == b.key) && same) && same_2) && same_3) && same_4) && ((a.twice.field_0 == b.twice.field_0) && same_5)) && (a.wide == b.wide)) && (a.small == b.small)) && same_6;
}

static u32 handle_equal_values(GLOBAL const Pair *pair, PRIVATE Command *last, PRIVATE ann_outbox *answers) {
    // compared.rs:+1
    u32_x8 words;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        words.at[i] = 0u;
    }
    // compared.rs:+2
    Command chosen;
    if ((pair->small % 2) == 0) {
        chosen = pair->command;
    } else {
        chosen = pair->other;
    }
    // compared.rs:+3
    bool same = (chosen.tag == pair->command.tag) && ((chosen.tag != 1) || ((chosen.Move.field_0 == pair->command.Move.field_0) && (chosen.Move.field_1 == pair->command.Move.field_1)));
    if (same && (chosen.tag == 9)) {
        bool same_2 = true;
        for (u64 i = 0ul; i < 3ul; i += 1) {
            if (chosen.Set.level.sizes.at[i] != pair->command.Set.level.sizes.at[i]) {
                same_2 = false;
                break;
            }
        }
        same = (((chosen.Set.level.price == pair->command.Set.level.price) && (chosen.Set.level.open == pair->command.Set.level.open)) && same_2) && (chosen.Set.on == pair->command.Set.on);
    }
    bool same_2 = (chosen.tag == last->tag) && ((chosen.tag != 1) || ((chosen.Move.field_0 == last->Move.field_0) && (chosen.Move.field_1 == last->Move.field_1)));
    if (same_2 && (chosen.tag == 9)) {
        bool same_3 = true;
        for (u64 i = 0ul; i < 3ul; i += 1) {
            if (chosen.Set.level.sizes.at[i] != last->Set.level.sizes.at[i]) {
                same_3 = false;
                break;
            }
        }
        same_2 = (((chosen.Set.level.price == last->Set.level.price) && (chosen.Set.level.open == last->Set.level.open)) && same_3) && (chosen.Set.on == last->Set.on);
    }
    words.at[0] = ((u32)same) | (((u32)(!same_2)) << 1u);
    // compared.rs:+4
    Level level = pair->levels.at[0];
    // compared.rs:+5
    bool same_3 = true;
    for (u64 i = 0ul; i < 3ul; i += 1) {
        if (level.sizes.at[i] != pair->levels.at[0].sizes.at[i]) {
            same_3 = false;
            break;
        }
    }
    bool same_4 = true;
    for (u64 i = 0ul; i < 3ul; i += 1) {
        if (pair->levels.at[0].sizes.at[i] != pair->levels.at[1].sizes.at[i]) {
            same_4 = false;
            break;
        }
    }
    words.at[1] = ((u32)(((level.price == pair->levels.at[0].price) && (level.open == pair->levels.at[0].open)) && same_3)) | (((u32)(((pair->levels.at[0].price == pair->levels.at[1].price) && (pair->levels.at[0].open == pair->levels.at[1].open)) && same_4)) << 1u);
    // compared.rs:+6
    u64 at = ((u64)pair->words.at[0]) % 3ul;
    if (at >= 3ul) return 0xFF04u; // index out of bounds
    level.sizes.at[at] = pair->small;
    // compared.rs:+7
    bool same_5 = true;
    for (u64 i = 0ul; i < 3ul; i += 1) {
        if (pair->levels.at[0].sizes.at[i] != level.sizes.at[i]) {
            same_5 = false;
            break;
        }
    }
    Level_x2 items;
    for (u64 i = 0ul; i < 2ul; i += 1) {
        items.at[i] = level;
    }
    bool same_6 = true;
    for (u64 i = 0ul; i < 2ul; i += 1) {
        bool same_7 = true;
        for (u64 i_2 = 0ul; i_2 < 3ul; i_2 += 1) {
            if (items.at[i].sizes.at[i_2] != pair->levels.at[i].sizes.at[i_2]) {
                same_7 = false;
                break;
            }
        }
        if (!(((items.at[i].price == pair->levels.at[i].price) && (items.at[i].open == pair->levels.at[i].open)) && same_7)) {
            same_6 = false;
            break;
        }
    }
    words.at[2] = ((u32)(((pair->levels.at[0].price == level.price) && (pair->levels.at[0].open == level.open)) && same_5)) | (((u32)same_6) << 1u);
    // compared.rs:+8
    Light light;
    light.tag = 3; // Red
    Light light_2;
    light_2.tag = 5; // Blinking
    words.at[3] = (((u32)((pair->lights.at[0].tag == light.tag) && ((pair->lights.at[0].tag != 5) || true))) | (((u32)((pair->lights.at[0].tag == pair->lights.at[1].tag) && ((pair->lights.at[0].tag != 5) || true))) << 1u)) | (((u32)((pair->lights.at[1].tag == light_2.tag) && ((pair->lights.at[1].tag != 5) || true))) << 2u);
    // compared.rs:+11
    Twice twice = pair->twice;
    // compared.rs:+12
    twice.field_1.at[1] = twice.field_0;
    // compared.rs:+13
    bool same_7 = true;
    for (u64 i = 0ul; i < 2ul; i += 1) {
        if (twice.field_1.at[i] != pair->twice.field_1.at[i]) {
            same_7 = false;
            break;
        }
    }
    i16_x2 items_2;
    items_2.at[0] = 1;
    items_2.at[1] = 1;
    Twice twice_2;
    twice_2.field_0 = 1;
    twice_2.field_1 = items_2;
    bool same_8 = true;
    for (u64 i = 0ul; i < 2ul; i += 1) {
        if (twice.field_1.at[i] != twice_2.field_1.at[i]) {
            same_8 = false;
            break;
        }
    }
    words.at[4] = ((u32)((twice.field_0 == pair->twice.field_0) && same_7)) | (((u32)(!((twice.field_0 == twice_2.field_0) && same_8))) << 1u);
    // compared.rs:+14
    Option_Command option;
    option.tag = 1; // Some
    option.some = chosen;
    Option_Command option_2;
    if (pair->small > 3) {
        option_2.tag = 1; // Some
        option_2.some = pair->command;
    } else {
        option_2.tag = 0; // None
    }
    bool same_9 = option.tag == option_2.tag;
    if (same_9 && (option.tag == 1)) {
        bool same_10 = (option.some.tag == option_2.some.tag) && ((option.some.tag != 1) || ((option.some.Move.field_0 == option_2.some.Move.field_0) && (option.some.Move.field_1 == option_2.some.Move.field_1)));
        if (same_10 && (option.some.tag == 9)) {
            bool same_11 = true;
            for (u64 i = 0ul; i < 3ul; i += 1) {
                if (option.some.Set.level.sizes.at[i] != option_2.some.Set.level.sizes.at[i]) {
                    same_11 = false;
                    break;
                }
            }
            same_10 = (((option.some.Set.level.price == option_2.some.Set.level.price) && (option.some.Set.level.open == option_2.some.Set.level.open)) && same_11) && (option.some.Set.on == option_2.some.Set.on);
        }
        same_9 = same_10;
    }
    Tuple_Level_i8 tuple;
    tuple.field_0 = level;
    tuple.field_1 = pair->small;
    Tuple_Level_i8 tuple_2;
    tuple_2.field_0 = pair->levels.at[1];
    tuple_2.field_1 = 3;
    bool same_10 = true;
    for (u64 i = 0ul; i < 3ul; i += 1) {
        if (tuple.field_0.sizes.at[i] != tuple_2.field_0.sizes.at[i]) {
            same_10 = false;
            break;
        }
    }
    words.at[5] = ((u32)same_9) | (((u32)((((tuple.field_0.price == tuple_2.field_0.price) && (tuple.field_0.open == tuple_2.field_0.open)) && same_10) && (tuple.field_1 == tuple_2.field_1))) << 1u);
    // compared.rs:+16
    Command command;
    command.tag = 9; // Set
    command.Set.level = level;
    command.Set.on = true;
    bool same_11 = fn_same_Command(chosen, command);
    Light light_3;
    light_3.tag = 4; // Green
    bool same_12 = fn_same_Light(pair->lights.at[0], light_3);
    u32_x4 items_3;
    for (u64 i = 0ul; i < 4ul; i += 1) {
        items_3.at[i] = 1u;
    }
    Pair pair_2 = (*pair);
    pair_2.words = items_3;
    bool same_13 = fn_same_Pair((*pair), pair_2);
    words.at[6] = (((u32)same_11) | (((u32)same_12) << 1u)) | (((u32)same_13) << 2u);
    // compared.rs:+19
    Command command_2;
    command_2.tag = 1; // Move
    command_2.Move.field_0 = 1;
    command_2.Move.field_1 = 0.5f;
    bool same_14 = (chosen.tag == command_2.tag) && ((chosen.tag != 1) || ((chosen.Move.field_0 == command_2.Move.field_0) && (chosen.Move.field_1 == command_2.Move.field_1)));
    if (same_14 && (chosen.tag == 9)) {
        bool same_15 = true;
        for (u64 i = 0ul; i < 3ul; i += 1) {
            if (chosen.Set.level.sizes.at[i] != command_2.Set.level.sizes.at[i]) {
                same_15 = false;
                break;
            }
        }
        same_14 = (((chosen.Set.level.price == command_2.Set.level.price) && (chosen.Set.level.open == command_2.Set.level.open)) && same_15) && (chosen.Set.on == command_2.Set.on);
    }
    Command command_3;
    command_3.tag = 0; // Idle
    bool same_15 = (chosen.tag == command_3.tag) && ((chosen.tag != 1) || ((chosen.Move.field_0 == command_3.Move.field_0) && (chosen.Move.field_1 == command_3.Move.field_1)));
    if (same_15 && (chosen.tag == 9)) {
        bool same_16 = true;
        for (u64 i = 0ul; i < 3ul; i += 1) {
            if (chosen.Set.level.sizes.at[i] != command_3.Set.level.sizes.at[i]) {
                same_16 = false;
                break;
            }
        }
        same_15 = (((chosen.Set.level.price == command_3.Set.level.price) && (chosen.Set.level.open == command_3.Set.level.open)) && same_16) && (chosen.Set.on == command_3.Set.on);
    }
    words.at[7] = ((u32)same_14) | (((u32)same_15) << 1u);
    // compared.rs:+20
    if (chosen.tag == 9) {
        bool on = chosen.Set.on;
        // compared.rs:+21
        Command command_4;
        command_4.tag = 9; // Set
        command_4.Set.level = level;
        command_4.Set.on = on;
        Command command_5;
        command_5.tag = 10; // Stop
        bool same_16 = (command_4.tag == command_5.tag) && ((command_4.tag != 1) || ((command_4.Move.field_0 == command_5.Move.field_0) && (command_4.Move.field_1 == command_5.Move.field_1)));
        if (same_16 && (command_4.tag == 9)) {
            bool same_17 = true;
            for (u64 i = 0ul; i < 3ul; i += 1) {
                if (command_4.Set.level.sizes.at[i] != command_5.Set.level.sizes.at[i]) {
                    same_17 = false;
                    break;
                }
            }
            same_16 = (((command_4.Set.level.price == command_5.Set.level.price) && (command_4.Set.level.open == command_5.Set.level.open)) && same_17) && (command_4.Set.on == command_5.Set.on);
        }
        if (same_16) return 0xFF01u; // panicked
        // compared.rs:+22
        bool same_17 = (chosen.tag == chosen.tag) && ((chosen.tag != 1) || ((chosen.Move.field_0 == chosen.Move.field_0) && (chosen.Move.field_1 == chosen.Move.field_1)));
        if (same_17 && (chosen.tag == 9)) {
            bool same_18 = true;
            for (u64 i = 0ul; i < 3ul; i += 1) {
                if (chosen.Set.level.sizes.at[i] != chosen.Set.level.sizes.at[i]) {
                    same_18 = false;
                    break;
                }
            }
            same_17 = (((chosen.Set.level.price == chosen.Set.level.price) && (chosen.Set.level.open == chosen.Set.level.open)) && same_18) && (chosen.Set.on == chosen.Set.on);
        }
        if (!same_17) return 0xFF01u; // panicked
    }
    // compared.rs:+24
    (*last) = chosen;
    // compared.rs:+25
    bool same_16 = (chosen.tag == last->tag) && ((chosen.tag != 1) || ((chosen.Move.field_0 == last->Move.field_0) && (chosen.Move.field_1 == last->Move.field_1)));
    if (same_16 && (chosen.tag == 9)) {
        bool same_17 = true;
        for (u64 i = 0ul; i < 3ul; i += 1) {
            if (chosen.Set.level.sizes.at[i] != last->Set.level.sizes.at[i]) {
                same_17 = false;
                break;
            }
        }
        same_16 = (((chosen.Set.level.price == last->Set.level.price) && (chosen.Set.level.open == last->Set.level.open)) && same_17) && (chosen.Set.on == last->Set.on);
    }
    Answer answer;
    answer.words = words;
    answer.sum = 0l;
    answer.x = 0.0f;
    answer.on = same_16;
    {
        GLOBAL Answer *ann_slot = (GLOBAL Answer *)ann_outbox_next(answers);
        if (ann_slot) *ann_slot = answer;
    }
    // compared.rs:+26
    return 0u;
}

#define ANN_MESSAGE Pair
#define ANN_MESSAGE_BYTES 88
#define ANN_OUTPUT Answer
#define ANN_OUTPUT_BYTES 48
#define ANN_STATE Command
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->key)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_equal_values(message, state, outbox)
