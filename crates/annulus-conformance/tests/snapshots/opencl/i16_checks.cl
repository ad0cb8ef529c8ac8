// The handler of kernel `i16_checks`, written from crates/annulus-conformance/src/kernels/checks.rs:+0 (module annulus_conformance::kernels::checks).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Pair {
    i16 a;
    i16 b;
    u32 n;
} Pair;
typedef char ann_size_of_Pair[sizeof(Pair) == 8 ? 1 : -1];

typedef struct i16_x32 { i16 at[32]; } i16_x32;

typedef struct u32_x4 { u32 at[4]; } u32_x4;

typedef struct bool_x8 { u8 at[8]; } bool_x8;

typedef struct Results {
    i16_x32 same;
    u32_x4 counts;
    bool_x8 answers;
} Results;
typedef char ann_size_of_Results[sizeof(Results) == 88 ? 1 : -1];

static u32 handle_i16_checks(GLOBAL const Pair *pair, PRIVATE ann_outbox *results) {
    // checks.rs:-102
    i16 a = pair->a;
    i16 b = pair->b;
    u32 n = pair->n;
    // checks.rs:-101
    i16_x32 same;
    for (u64 i = 0ul; i < 32ul; i += 1) {
        same.at[i] = 0;
    }
    // checks.rs:-100
    bool_x8 answers;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        answers.at[i] = false;
    }
    // checks.rs:-99
    same.at[0] = (!rs_overflows_add_i16(a, b)) ? rs_add_i16(a, b) : 1;
    // checks.rs:-98
    same.at[1] = (!rs_overflows_sub_i16(a, b)) ? rs_sub_i16(a, b) : 2;
    // checks.rs:-97
    same.at[2] = (!rs_overflows_mul_i16(a, b)) ? rs_mul_i16(a, b) : 3;
    // checks.rs:-96
    same.at[3] = (!((b == 0) || ((a == (-32768)) && (b == (-1))))) ? rs_wrapping_div_i16(a, (b == 0) ? 1 : b) : 4;
    // checks.rs:-95
    same.at[4] = (!((b == 0) || ((a == (-32768)) && (b == (-1))))) ? rs_wrapping_rem_i16(a, (b == 0) ? 1 : b) : 5;
    // checks.rs:-94
    same.at[5] = (!((b == 0) || ((a == (-32768)) && (b == (-1))))) ? rs_div_euclid_i16(a, (b == 0) ? 1 : b) : 6;
    // checks.rs:-93
    same.at[6] = (!((b == 0) || ((a == (-32768)) && (b == (-1))))) ? rs_rem_euclid_i16(a, (b == 0) ? 1 : b) : 7;
    // checks.rs:-92
    same.at[7] = (a != (-32768)) ? rs_neg_i16(a) : 8;
    // checks.rs:-91
    same.at[8] = (n < 16u) ? rs_shl_i16(a, n) : 9;
    // checks.rs:-90
    u32 operand = n & 127u;
    same.at[9] = (operand < 16u) ? rs_shr_i16(a, operand) : 10;
    // checks.rs:-89
    u32 operand_2 = n & 15u;
    same.at[10] = (!rs_overflows_pow_i16(a, operand_2)) ? rs_pow_i16(a, operand_2) : 11;
    // checks.rs:-88
    same.at[11] = (!rs_overflows_pow_i16(b, n)) ? rs_pow_i16(b, n) : 12;
    // checks.rs:-87
    i16 part_0 = rs_add_i16(a, b);
    bool part_1 = rs_overflows_add_i16(a, b);
    same.at[12] = part_0;
    answers.at[0] = part_1;
    // checks.rs:-86
    i16 part_0_2 = rs_sub_i16(a, b);
    bool part_1_2 = rs_overflows_sub_i16(a, b);
    same.at[13] = part_0_2;
    answers.at[1] = part_1_2;
    // checks.rs:-85
    i16 part_0_3 = rs_mul_i16(a, b);
    bool part_1_3 = rs_overflows_mul_i16(a, b);
    same.at[14] = part_0_3;
    answers.at[2] = part_1_3;
    // checks.rs:-84
    i16 part_0_4 = rs_neg_i16(a);
    bool part_1_4 = a == (-32768);
    same.at[15] = part_0_4;
    answers.at[3] = part_1_4;
    // checks.rs:-83
    i16 part_0_5 = rs_shl_i16(a, n);
    bool part_1_5 = n >= 16u;
    same.at[16] = part_0_5;
    answers.at[4] = part_1_5;
    // checks.rs:-82
    i16 part_0_6 = rs_shr_i16(a, n);
    bool part_1_6 = n >= 16u;
    same.at[17] = part_0_6;
    answers.at[5] = part_1_6;
    // checks.rs:-81
    u32 operand_3 = n & 31u;
    i16 part_0_7 = rs_pow_i16(b, operand_3);
    bool part_1_7 = rs_overflows_pow_i16(b, operand_3);
    same.at[18] = part_0_7;
    answers.at[6] = part_1_7;
    // checks.rs:-80
    i16 operand_4 = b | 1;
    if (operand_4 == 0) return 0xFF05u; // division by zero
    i16 quotient = rs_wrapping_div_i16(a, (operand_4 == 0) ? 1 : operand_4);
    bool overflows = (a == (-32768)) && (operand_4 == (-1));
    // checks.rs:-79
    same.at[19] = quotient;
    // checks.rs:-78
    i16 operand_5 = b | 1;
    if (operand_5 == 0) return 0xFF05u; // division by zero
    i16 operand_6 = b | 1;
    i16 operand_7 = a | 1;
    if (operand_7 == 0) return 0xFF05u; // division by zero
    answers.at[7] = (overflows ^ ((a == (-32768)) && (operand_5 == (-1)))) ^ ((operand_6 == (-32768)) && (operand_7 == (-1)));
    // checks.rs:-77
    i16 operand_8 = b | 1;
    if (operand_8 == 0) return 0xFF05u; // division by zero
    same.at[20] = rs_rem_euclid_i16(a, (operand_8 == 0) ? 1 : operand_8);
    // checks.rs:-76
    u32 operand_9 = n & 15u;
    same.at[21] = rs_overflows_pow_i16(a, operand_9) ? (((a < 0) && ((operand_9 & 1u) != 0u)) ? (-32768) : 32767) : rs_pow_i16(a, operand_9);
    // checks.rs:-75
    same.at[22] = rs_overflows_pow_i16(b, n) ? (((b < 0) && ((n & 1u) != 0u)) ? (-32768) : 32767) : rs_pow_i16(b, n);
    // checks.rs:-74
    i16 operand_10 = b | 1;
    if (operand_10 == 0) return 0xFF05u; // division by zero
    same.at[23] = ((a == (-32768)) && (operand_10 == (-1))) ? 32767 : rs_wrapping_div_i16(a, (operand_10 == 0) ? 1 : operand_10);
    // checks.rs:-73
    same.at[24] = rs_saturating_mul_i16(rs_saturating_sub_i16(rs_saturating_add_i16((-32768), a), b), 3);
    // checks.rs:-72
    i16 operand_11 = b | 1;
    if (operand_11 == 0) return 0xFF05u; // division by zero
    same.at[25] = rs_div_euclid_i16(a, (operand_11 == 0) ? 1 : operand_11);
    // checks.rs:-71
    i16 operand_12 = b | 1;
    if (operand_12 == 0) return 0xFF05u; // division by zero
    same.at[26] = rs_rem_euclid_i16(a, (operand_12 == 0) ? 1 : operand_12);
    // checks.rs:-70
    bool there = !rs_overflows_add_i16(a, b);
    i16 subject = rs_add_i16(a, b);
    i16 sum;
    if (there && (subject == 0)) {
        // checks.rs:-69
        sum = 5;
    } else if (there && (subject > 100)) {
        // checks.rs:-68
        i16 sum_2 = subject;
        sum = sum_2 / 2;
    } else if (there) {
        // checks.rs:-67
        i16 sum_2 = subject;
        sum = sum_2;
    } else {
        // checks.rs:-66
        sum = a ^ b;
    }
    // checks.rs:-64
    same.at[27] = sum;
    // checks.rs:-63
    bool there_2 = !rs_overflows_mul_i16(sum, 3);
    i16 subject_2 = rs_mul_i16(sum, 3);
    if (!there_2) {
        return 77u;
    }
    i16 product = subject_2;
    // checks.rs:-62
    same.at[28] = product;
    // checks.rs:-61
    if (rs_overflows_sub_i16(a, b)) {
        return 77u;
    }
    i16 operand_13 = rs_sub_i16(a, b);
    if (rs_overflows_add_i16(operand_13, 7)) {
        return 77u;
    }
    i16 total = rs_add_i16(operand_13, 7);
    // checks.rs:-60
    same.at[29] = total;
    // checks.rs:-59
    u32_x4 items;
    for (u64 i = 0ul; i < 4ul; i += 1) {
        items.at[i] = 0u;
    }
    Results results_2;
    results_2.same = same;
    results_2.counts = items;
    results_2.answers = answers;
    {
        GLOBAL Results *ann_slot = (GLOBAL Results *)ann_outbox_next(results);
        if (ann_slot) *ann_slot = results_2;
    }
    // checks.rs:-58
    return 0u;
}

#define ANN_MESSAGE Pair
#define ANN_MESSAGE_BYTES 8
#define ANN_OUTPUT Results
#define ANN_OUTPUT_BYTES 88
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_i16_checks(message, outbox)
