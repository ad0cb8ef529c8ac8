// The handler of kernel `i32_numbers`, written from crates/annulus-conformance/src/kernels/numbers.rs:+0 (module annulus_conformance::kernels::numbers).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Pair {
    i32 a;
    i32 b;
    u32 n;
} Pair;
typedef char ann_size_of_Pair[sizeof(Pair) == 12 ? 1 : -1];

typedef struct i32_x32 { i32 at[32]; } i32_x32;

typedef struct u32_x4 { u32 at[4]; } u32_x4;

typedef struct bool_x8 { u8 at[8]; } bool_x8;

typedef struct Results {
    i32_x32 same;
    u32_x4 counts;
    bool_x8 answers;
} Results;
typedef char ann_size_of_Results[sizeof(Results) == 152 ? 1 : -1];

static u32 handle_i32_numbers(GLOBAL const Pair *pair, PRIVATE ann_outbox *results) {
    // numbers.rs:-105
    i32 a = pair->a;
    i32 b = pair->b;
    u32 n = pair->n;
    // numbers.rs:-104
    i32_x32 same;
    for (u64 i = 0ul; i < 32ul; i += 1) {
        same.at[i] = 0;
    }
    // numbers.rs:-103
    same.at[0] = rs_add_i32(a, b);
    // numbers.rs:-102
    same.at[1] = rs_sub_i32(a, b);
    // numbers.rs:-101
    same.at[2] = rs_mul_i32(a, b);
    // numbers.rs:-100
    same.at[3] = a & b;
    // numbers.rs:-99
    same.at[4] = a | b;
    // numbers.rs:-98
    same.at[5] = a ^ b;
    // numbers.rs:-97
    same.at[6] = (i32)~a;
    // numbers.rs:-96
    same.at[7] = rs_shl_i32(a, n & 7u);
    // numbers.rs:-95
    same.at[8] = rs_shr_i32(a, n & 7u);
    // numbers.rs:-94
    same.at[9] = rs_shl_i32(a, n);
    // numbers.rs:-93
    same.at[10] = rs_shr_i32(a, n);
    // numbers.rs:-92
    same.at[11] = rs_mul_i32(rs_sub_i32(rs_add_i32(a, b), 3), 5);
    // numbers.rs:-91
    same.at[12] = rs_neg_i32(a);
    // numbers.rs:-90
    same.at[13] = rs_min_i32(a, b);
    // numbers.rs:-89
    same.at[14] = rs_max_i32(a, b);
    // numbers.rs:-88
    same.at[15] = rs_rotate_left_i32(a, n);
    // numbers.rs:-87
    same.at[16] = rs_rotate_right_i32(b, n);
    // numbers.rs:-86
    same.at[17] = rs_swap_bytes_i32(a);
    // numbers.rs:-85
    same.at[18] = rs_pow_i32(a, n & 15u);
    // numbers.rs:-84
    same.at[19] = rs_pow_i32(a, n & 63u);
    // numbers.rs:-83
    same.at[20] = rs_saturating_add_i32(a, b);
    // numbers.rs:-82
    same.at[21] = rs_saturating_sub_i32(a, b);
    // numbers.rs:-81
    same.at[22] = rs_saturating_mul_i32(a, b);
    // numbers.rs:-80
    same.at[23] = rs_min_i32(a, 2147483647 / 2);
    // numbers.rs:-79
    same.at[24] = rs_max_i32(a, 7);
    // numbers.rs:-78
    if (3 > 100) return 0xFF01u; // panicked
    same.at[25] = rs_min_i32(rs_max_i32(a, 3), 100);
    // numbers.rs:-77
    same.at[26] = rs_add_i32(a / 7, a % 10);
    // numbers.rs:-76
    same.at[27] = rs_add_i32(same.at[27], a);
    // numbers.rs:-75
    same.at[27] = rs_sub_i32(same.at[27], 2);
    // numbers.rs:-74
    same.at[27] = rs_mul_i32(same.at[27], b);
    // numbers.rs:-73
    same.at[27] = same.at[27] ^ a;
    // numbers.rs:-72
    same.at[27] = same.at[27] | 1;
    // numbers.rs:-71
    same.at[27] = same.at[27] & 127;
    // numbers.rs:-70
    same.at[27] = rs_shl_i32(same.at[27], 2u);
    // numbers.rs:-69
    same.at[27] = rs_shr_i32(same.at[27], n & 3u);
    // numbers.rs:-68
    same.at[28] = (a < b) ? a : (b / 3);
    // numbers.rs:-67
    same.at[29] = (-2147483647 - 1);
    // numbers.rs:-66
    same.at[30] = 2147483647;
    // numbers.rs:-65
    same.at[31] = (-1);
    // numbers.rs:-64
    u32_x4 counts;
    counts.at[0] = rs_count_ones_i32(a) + rs_count_ones_i32((i32)~a);
    counts.at[1] = rs_leading_zeros_i32(a);
    counts.at[2] = rs_trailing_zeros_i32(a);
    counts.at[3] = rs_leading_zeros_i32((i32)~a) + rs_trailing_zeros_i32((i32)~b);
    // numbers.rs:-63
    bool_x8 answers;
    answers.at[0] = a == b;
    answers.at[1] = a != b;
    answers.at[2] = a < b;
    answers.at[3] = a <= b;
    answers.at[4] = a > b;
    answers.at[5] = a >= b;
    answers.at[6] = (a > 3) && (b > 3);
    answers.at[7] = (a > 3) || (b <= 3);
    // numbers.rs:-62
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
#define ANN_CALL(cx, message, state, outbox) handle_i32_numbers(message, outbox)
