// The handler of kernel `results`, written from crates/annulus-conformance/src/kernels/values.rs:+0 (module annulus_conformance::kernels::values).
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

typedef struct Result_u32_u32 { u8 tag; u32 ok; u32 err; } Result_u32_u32;

typedef struct Spot {
    i16 x;
    u8 ann_pad0[6];
    u64 y;
} Spot;
typedef char ann_size_of_Spot[sizeof(Spot) == 16 ? 1 : -1];

typedef struct Result_Spot_i64 { u8 tag; Spot ok; i64 err; } Result_Spot_i64;

typedef struct Option_Spot { u8 tag; Spot some; } Option_Spot;

typedef struct Result_void_i8 { u8 tag; i8 err; } Result_void_i8;

static u32 handle_results(GLOBAL const Small *small, PRIVATE u32 *total, PRIVATE ann_outbox *answers) {
    // values.rs:+1
    u8 a = small->a;
    i32 b = small->b;
    bool on = small->on;
    // values.rs:+2
    (*total) = (*total) + 1u;
    // values.rs:+3
    Result_u32_u32 checked;
    if (b < (-1000)) {
        checked.tag = 1; // Err
        checked.err = 4u;
    } else {
        checked.tag = 0; // Ok
        checked.ok = rs_unsigned_abs_i32(b);
    }
    // values.rs:+4
    u32 verdict;
    if (a == 200) {
        verdict = 3u;
    } else {
        verdict = 0u;
    }
    // values.rs:+5
    u32 kept = verdict;
    // values.rs:+6
    if (checked.tag != 0) {
        return checked.err;
    }
    u32 n = checked.ok;
    // values.rs:+7
    if (verdict != 0u) {
        return verdict;
    }
    // values.rs:+8
    (*total) = (*total) + n;
    // values.rs:+9
    Result_Spot_i64 spot;
    if (on) {
        // values.rs:+10
        Spot spot_2;
        spot_2.x = (i16)a;
        spot_2.y = (u64)n;
        spot.tag = 0; // Ok
        spot.ok = spot_2;
    } else {
        spot.tag = 1; // Err
        spot.err = rs_sub_i64((i64)b, 1l);
    }
    // values.rs:+11
    u32_x8 words;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        words.at[i] = 0u;
    }
    // values.rs:+12
    words.at[0] = n;
    // values.rs:+13
    u32 chosen;
    if ((spot.tag == 0) && ((spot.ok.x >= 0) && (spot.ok.x <= 9))) {
        // values.rs:+14
        u64 y = spot.ok.y;
        chosen = (u32)y;
    } else if ((spot.tag == 0) && (spot.ok.y > 100ul)) {
        // values.rs:+15
        Spot spot_2 = spot.ok;
        chosen = 1u;
    } else if (spot.tag == 0) {
        // values.rs:+16
        i16 x = spot.ok.x;
        chosen = ((u32)x) + 2u;
    } else if ((spot.tag == 1) && (spot.err <= 0l)) {
        // values.rs:+17
        i64 error = spot.err;
        chosen = (u32)error;
    } else {
        // values.rs:+18
        chosen = 9u;
    }
    words.at[1] = chosen;
    // values.rs:+20
    words.at[2] = (((u32)(spot.tag == 0)) + (((u32)(kept != 0u)) * 2u)) + (((u32)(checked.tag == 0)) * 4u);
    // values.rs:+21
    Spot spot_2;
    spot_2.x = 5;
    spot_2.y = 6ul;
    Spot chosen_2;
    if (spot.tag == 0) {
        chosen_2 = spot.ok;
    } else {
        chosen_2 = spot_2;
    }
    words.at[3] = (u32)chosen_2.y;
    // values.rs:+22
    words.at[4] = (u32)((spot.tag != 0) ? spot.err : (-5l));
    // values.rs:+23
    if (spot.tag != 0) {
        // values.rs:+24
        if (spot.tag == 0) return 0xFF01u; // panicked
        Answer answer;
        answer.words = words;
        answer.sum = spot.err;
        answer.x = 0.0f;
        answer.on = on;
        {
            GLOBAL Answer *ann_slot = (GLOBAL Answer *)ann_outbox_next(answers);
            if (ann_slot) *ann_slot = answer;
        }
        // values.rs:+25
        return kept;
    }
    Spot inside = spot.ok;
    // values.rs:+27
    Option_Spot inside_2;
    inside_2.tag = 1; // Some
    inside_2.some = inside;
    // values.rs:+29
    if (inside_2.tag != 1) {
        return 3u;
    }
    Spot copy = inside_2.some;
    // values.rs:+30
    words.at[5] = (u32)copy.x;
    // values.rs:+32
    if (a > 250) {
        // values.rs:+33
        Option_Spot option;
        option.tag = 0; // None
        inside_2 = option;
    }
    // values.rs:+35
    u16 code = rs_add_u16((u16)a, 10);
    if ((code == 0) || (code >= 65280)) return 0xFF01u; // panicked
    if (inside_2.tag != 1) {
        return (u32)code;
    }
    Spot copy_2 = inside_2.some;
    u64 y = copy_2.y;
    // values.rs:+36
    words.at[6] = ((u32)y) + (*total);
    // values.rs:+37
    Result_void_i8 fails;
    if (a < 20) {
        fails.tag = 1; // Err
        fails.err = (i8)a;
    } else {
        fails.tag = 0; // Ok
    }
    // values.rs:+38
    u32 chosen_3;
    if (fails.tag == 0) {
        // values.rs:+39
        chosen_3 = 1u;
    } else {
        // values.rs:+40
        i8 code_2 = fails.err;
        chosen_3 = ((u32)code_2) + 2u;
    }
    words.at[7] = chosen_3;
    // values.rs:+42
    if ((a % 16) == 3) {
        // values.rs:+43
        if (fails.tag != 0) return 0xFF01u; // panicked
    }
    // values.rs:+45
    Answer answer;
    answer.words = words;
    answer.sum = 0l;
    answer.x = 1.0f;
    answer.on = on;
    {
        GLOBAL Answer *ann_slot = (GLOBAL Answer *)ann_outbox_next(answers);
        if (ann_slot) *ann_slot = answer;
    }
    // values.rs:+46
    u32 chosen_4;
    if ((a % 16) == 5) {
        chosen_4 = 3u;
    } else {
        chosen_4 = 0u;
    }
    return chosen_4;
}

#define ANN_MESSAGE Small
#define ANN_MESSAGE_BYTES 16
#define ANN_OUTPUT Answer
#define ANN_OUTPUT_BYTES 48
#define ANN_STATE u32
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->key)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_results(message, state, outbox)
