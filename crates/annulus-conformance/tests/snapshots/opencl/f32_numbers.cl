// The handler of kernel `f32_numbers`, written from crates/annulus-conformance/src/kernels/numbers.rs:+0 (module annulus_conformance::kernels::numbers).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Pair {
    f32 a;
    f32 b;
    u32 n;
} Pair;
typedef char ann_size_of_Pair[sizeof(Pair) == 12 ? 1 : -1];

typedef struct f32_x32 { f32 at[32]; } f32_x32;

typedef struct u32_x4 { u32 at[4]; } u32_x4;

typedef struct bool_x8 { u8 at[8]; } bool_x8;

typedef struct Results {
    f32_x32 same;
    u32_x4 counts;
    bool_x8 answers;
} Results;
typedef char ann_size_of_Results[sizeof(Results) == 152 ? 1 : -1];

static u32 handle_f32_numbers(GLOBAL const Pair *pair, PRIVATE ann_outbox *results) {
    // numbers.rs:-71
    f32 a = pair->a;
    f32 b = pair->b;
    u32 n = pair->n;
    // numbers.rs:-70
    f32_x32 same;
    for (u64 i = 0ul; i < 32ul; i += 1) {
        same.at[i] = 0.0f;
    }
    // numbers.rs:-69
    same.at[0] = a + b;
    // numbers.rs:-68
    same.at[1] = a - b;
    // numbers.rs:-67
    same.at[2] = a * b;
    // numbers.rs:-66
    same.at[3] = a / b;
    // numbers.rs:-65
    same.at[4] = rs_rem_f32(a, b);
    // numbers.rs:-64
    same.at[5] = - a;
    // numbers.rs:-63
    same.at[6] = rs_abs_f32(a);
    // numbers.rs:-62
    same.at[7] = rs_sqrt_f32(a);
    // numbers.rs:-61
    same.at[8] = rs_mul_add_f32(a, b, 1.25f);
    // numbers.rs:-60
    same.at[9] = rs_floor_f32(a) + rs_ceil_f32(b);
    // numbers.rs:-59
    same.at[10] = rs_trunc_f32(a);
    // numbers.rs:-58
    same.at[11] = rs_round_f32(a);
    // numbers.rs:-57
    same.at[12] = rs_fract_f32(a);
    // numbers.rs:-56
    same.at[13] = rs_signum_f32(a);
    // numbers.rs:-55
    same.at[14] = rs_copysign_f32(a, b);
    // numbers.rs:-54
    same.at[15] = rs_recip_f32(a);
    // numbers.rs:-53
    same.at[16] = (a != b) ? rs_min_f32(a, b) : 0.0f;
    // numbers.rs:-52
    same.at[17] = (a != b) ? rs_max_f32(a, b) : 0.0f;
    // numbers.rs:-51
    if (!((-1.5f) <= 2.5f)) return 0xFF01u; // panicked
    same.at[18] = rs_clamp_f32(a, (-1.5f), 2.5f);
    // numbers.rs:-50
    same.at[19] = ((a * b) + a) - (b * 3.0f);
    // numbers.rs:-49
    same.at[20] = (f32)n;
    // numbers.rs:-48
    same.at[21] = (f32)rs_i32_from_f32(a);
    // numbers.rs:-47
    same.at[22] = 1.1920929e-7f + ((f32)3.141592653589793);
    // numbers.rs:-46
    same.at[23] = rs_from_bits_f32(rs_to_bits_f32(a) ^ 1u);
    // numbers.rs:-45
    same.at[24] = rs_rem_euclid_f32(a, b);
    // numbers.rs:-44
    same.at[25] = (rs_abs_f32(b) > 0.001f) ? rs_div_euclid_f32(a, b) : 0.0f;
    // numbers.rs:-43
    same.at[26] = same.at[26] + a;
    // numbers.rs:-42
    same.at[26] = same.at[26] * 2.0f;
    // numbers.rs:-41
    same.at[26] = same.at[26] / 3.0f;
    // numbers.rs:-40
    same.at[26] = same.at[26] - b;
    // numbers.rs:-39
    same.at[27] = (-0.0f);
    // numbers.rs:-38
    same.at[28] = rs_from_bits_f32(0x7f800000u);
    // numbers.rs:-37
    same.at[29] = rs_from_bits_f32(0x7fc00000u);
    // numbers.rs:-36
    same.at[30] = 1e-39f;
    // numbers.rs:-35
    same.at[31] = rs_to_radians_f32(a);
    // numbers.rs:-34
    u32_x4 counts;
    counts.at[0] = rs_u32_from_f32(a);
    counts.at[1] = (u32)rs_u8_from_f32(a);
    counts.at[2] = (u32)rs_i16_from_f32(b);
    counts.at[3] = rs_to_bits_f32(a) >> 3u;
    // numbers.rs:-33
    bool_x8 answers;
    answers.at[0] = a == b;
    answers.at[1] = a < b;
    answers.at[2] = a <= b;
    answers.at[3] = rs_is_nan_f32(a);
    answers.at[4] = rs_is_finite_f32(a);
    answers.at[5] = rs_is_infinite_f32(a);
    answers.at[6] = rs_is_sign_negative_f32(a);
    answers.at[7] = !(a > b);
    // numbers.rs:-32
    Results results_2;
    results_2.same = same;
    results_2.counts = counts;
    results_2.answers = answers;
    {
        GLOBAL Results *ann_slot = (GLOBAL Results *)ann_outbox_next(results);
        if (ann_slot) *ann_slot = results_2;
    }
    return 0u;
}

#define ANN_MESSAGE Pair
#define ANN_MESSAGE_BYTES 12
#define ANN_OUTPUT Results
#define ANN_OUTPUT_BYTES 152
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_f32_numbers(message, outbox)
