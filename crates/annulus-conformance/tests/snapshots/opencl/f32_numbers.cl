// The handler of kernel `f32_numbers`, written from crates/annulus-conformance/src/kernels/numbers.rs:242 (module annulus_conformance::kernels::numbers).
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
    // numbers.rs:171
    f32 a = pair->a;
    f32 b = pair->b;
    u32 n = pair->n;
    // numbers.rs:172
    f32_x32 same;
    for (u64 i = 0ul; i < 32ul; i += 1) {
        same.at[i] = 0.0f;
    }
    // numbers.rs:173
    same.at[0] = a + b;
    // numbers.rs:174
    same.at[1] = a - b;
    // numbers.rs:175
    same.at[2] = a * b;
    // numbers.rs:176
    same.at[3] = a / b;
    // numbers.rs:177
    same.at[4] = rs_rem_f32(a, b);
    // numbers.rs:178
    same.at[5] = - a;
    // numbers.rs:179
    same.at[6] = rs_abs_f32(a);
    // numbers.rs:180
    same.at[7] = rs_sqrt_f32(a);
    // numbers.rs:181
    same.at[8] = rs_mul_add_f32(a, b, 1.25f);
    // numbers.rs:182
    same.at[9] = rs_floor_f32(a) + rs_ceil_f32(b);
    // numbers.rs:183
    same.at[10] = rs_trunc_f32(a);
    // numbers.rs:184
    same.at[11] = rs_round_f32(a);
    // numbers.rs:185
    same.at[12] = rs_fract_f32(a);
    // numbers.rs:186
    same.at[13] = rs_signum_f32(a);
    // numbers.rs:187
    same.at[14] = rs_copysign_f32(a, b);
    // numbers.rs:188
    same.at[15] = rs_recip_f32(a);
    // numbers.rs:189
    same.at[16] = (a != b) ? rs_min_f32(a, b) : 0.0f;
    // numbers.rs:190
    same.at[17] = (a != b) ? rs_max_f32(a, b) : 0.0f;
    // numbers.rs:191
    if (!((-1.5f) <= 2.5f)) return 0xFF01u; // panicked
    same.at[18] = rs_clamp_f32(a, (-1.5f), 2.5f);
    // numbers.rs:192
    same.at[19] = ((a * b) + a) - (b * 3.0f);
    // numbers.rs:193
    same.at[20] = (f32)n;
    // numbers.rs:194
    same.at[21] = (f32)rs_i32_from_f32(a);
    // numbers.rs:195
    same.at[22] = 1.1920929e-7f + ((f32)3.141592653589793);
    // numbers.rs:196
    same.at[23] = rs_from_bits_f32(rs_to_bits_f32(a) ^ 1u);
    // numbers.rs:197
    same.at[24] = rs_rem_euclid_f32(a, b);
    // numbers.rs:198
    same.at[25] = rs_abs_f32(b) > 0.001f ? rs_div_euclid_f32(a, b) : 0.0f;
    // numbers.rs:199
    same.at[26] = same.at[26] + a;
    // numbers.rs:200
    same.at[26] = same.at[26] * 2.0f;
    // numbers.rs:201
    same.at[26] = same.at[26] / 3.0f;
    // numbers.rs:202
    same.at[26] = same.at[26] - b;
    // numbers.rs:203
    same.at[27] = (-0.0f);
    // numbers.rs:204
    same.at[28] = rs_from_bits_f32(0x7f800000u);
    // numbers.rs:205
    same.at[29] = rs_from_bits_f32(0x7fc00000u);
    // numbers.rs:206
    same.at[30] = 1e-39f;
    // numbers.rs:207
    same.at[31] = rs_to_radians_f32(a);
    // numbers.rs:208
    u32_x4 counts;
    counts.at[0] = rs_u32_from_f32(a);
    counts.at[1] = (u32)rs_u8_from_f32(a);
    counts.at[2] = (u32)rs_i16_from_f32(b);
    counts.at[3] = rs_to_bits_f32(a) >> 3u;
    // numbers.rs:209
    bool_x8 answers;
    answers.at[0] = a == b;
    answers.at[1] = a < b;
    answers.at[2] = a <= b;
    answers.at[3] = rs_is_nan_f32(a);
    answers.at[4] = rs_is_finite_f32(a);
    answers.at[5] = rs_is_infinite_f32(a);
    answers.at[6] = rs_is_sign_negative_f32(a);
    answers.at[7] = !(a > b);
    // numbers.rs:210
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
#define ANN_OUTPUT Results
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_f32_numbers(message, outbox)
