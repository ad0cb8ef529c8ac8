// The handler of kernel `matrix_vector`, written from crates/annulus-conformance/src/kernels/real/learning.rs:+0 (module annulus_conformance::kernels::real::learning).
#pragma OPENCL FP_CONTRACT OFF

typedef struct f32_x8 { f32 at[8]; } f32_x8;

typedef struct Column {
    f32_x8 values;
} Column;
typedef char ann_size_of_Column[sizeof(Column) == 32 ? 1 : -1];

typedef struct f32_x8_x8 { f32_x8 at[8]; } f32_x8_x8;

// learning.rs:-110: weighted
static u32 fn_weighted(GLOBAL const f32 *weights, u64 weights_len, GLOBAL const f32 *values, u64 values_len, f32 bias, PRIVATE f32 *ann_result, PRIVATE u32 *ann_budget) {
    // learning.rs:-109
    f32 sum = bias;
    // learning.rs:-108
    u64 count = rs_min_u64(weights_len, values_len);
    for (u64 i = 0ul; i < count; i += 1) {
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        // learning.rs:-107
        sum = sum + (weights[i] * values[i]);
    }
    // learning.rs:-105
    *ann_result = sum;
    return 0u;
}

static u32 handle_matrix_vector(GLOBAL const Column *column, PRIVATE ann_outbox *products, GLOBAL const f32_x8_x8 *matrix_) {
    u32 ann_budget = 16777216u;
    // learning.rs:+1
    f32_x8 values;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        values.at[i] = 0.0f;
    }
    // learning.rs:+2
    for (u64 i = 0ul; i < 8ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // learning.rs:+3
        f32 weighted;
        RS_TRY(fn_weighted(matrix_->at[i].at, 8ul, column->values.at, 8ul, 0.0f, &weighted, &ann_budget));
        values.at[i] = weighted;
    }
    // learning.rs:+5
    Column column_2;
    column_2.values = values;
    {
        GLOBAL Column *ann_slot = (GLOBAL Column *)ann_outbox_next(products);
        if (ann_slot) *ann_slot = column_2;
    }
    return 0u;
}

#define ANN_MESSAGE Column
#define ANN_MESSAGE_BYTES 32
#define ANN_OUTPUT Column
#define ANN_OUTPUT_BYTES 32
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS , GLOBAL f32_x8_x8 *bind_matrix, u64 len_of_bind_matrix
#define ANN_BINDING_ENTRY , GLOBAL f32_x8_x8 *bind_matrix ANN_BUFFER, ANN_NUMBER len_of_bind_matrix ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_matrix, len_of_bind_matrix
#define ANN_CALL(cx, message, state, outbox) handle_matrix_vector(message, outbox, bind_matrix)
