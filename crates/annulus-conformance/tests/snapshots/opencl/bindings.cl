// The handler of kernel `bindings`, written from crates/annulus-conformance/src/kernels/constructs.rs:+0 (module annulus_conformance::kernels::constructs).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Number {
    u32 value;
} Number;
typedef char ann_size_of_Number[sizeof(Number) == 4 ? 1 : -1];

typedef struct u32_x8 { u32 at[8]; } u32_x8;

typedef struct Answer {
    u32_x8 words;
    i64 sum;
    f32 x;
    u8 on;
    u8 ann_pad0[3];
} Answer;
typedef char ann_size_of_Answer[sizeof(Answer) == 48 ? 1 : -1];

typedef struct f32_x3 { f32 at[3]; } f32_x3;

typedef struct Settings {
    i32 factor;
    f32_x3 weights;
} Settings;
typedef char ann_size_of_Settings[sizeof(Settings) == 16 ? 1 : -1];

typedef struct Point {
    f32 x;
    f32 y;
    u8 z;
    u8 ann_pad0[3];
} Point;
typedef char ann_size_of_Point[sizeof(Point) == 12 ? 1 : -1];

static u32 handle_bindings(ann_cx cx, GLOBAL const Number *call, PRIVATE ann_outbox *answers, GLOBAL const Settings *settings, GLOBAL const f32_x3 *weights, GLOBAL const Point *table, u64 table_len, GLOBAL i32 *memory, u64 memory_len, GLOBAL const u8 *flags, u64 flags_len) {
    u32 ann_budget = 16777216u;
    // constructs.rs:+10
    u64 divisor = table_len + 1ul;
    if (divisor == 0ul) return 0xFF05u; // division by zero
    u64 at = ((u64)call->value) % divisor;
    // constructs.rs:+11
    if (memory_len == 0ul) return 0xFF05u; // division by zero
    u64 at_2 = at % memory_len;
    if (at_2 >= memory_len) return 0xFF04u; // index out of bounds
    memory[at_2] = rs_add_i32(memory[at_2], settings->factor);
    // constructs.rs:+12
    if (1ul >= memory_len) return 0xFF04u; // index out of bounds
    if (2ul >= memory_len) return 0xFF04u; // index out of bounds
    if (memory_len == 0ul) return 0xFF05u; // division by zero
    u64 at_3 = at % memory_len;
    if (at_3 >= memory_len) return 0xFF04u; // index out of bounds
    if (0ul >= memory_len) return 0xFF04u; // index out of bounds
    memory[0] = rs_sub_i32(rs_max_i32(memory[1], memory[2]), memory[at_3]);
    // constructs.rs:+13
    if (at >= table_len) return 0xFF04u; // index out of bounds
    Point point = table[at];
    // constructs.rs:+14
    i64 sum = 0l;
    // constructs.rs:+15
    for (u64 i = 0ul; i < memory_len; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // constructs.rs:+16
        sum = rs_add_i64(sum, (i64)memory[i]);
    }
    // constructs.rs:+18
    u32_x8 words;
    words.at[0] = cx.block_index;
    words.at[1] = cx.grid_size;
    words.at[2] = cx.thread_index;
    words.at[3] = (u32)table_len;
    words.at[4] = 0u;
    words.at[5] = 0u;
    words.at[6] = 0u;
    words.at[7] = 0u;
    // constructs.rs:+19
    u64 at_4 = at % 3ul;
    if (at_4 >= 3ul) return 0xFF04u; // index out of bounds
    f32 x = (weights->at[at_4] + settings->weights.at[0]) + point.x;
    // constructs.rs:+20
    if (at >= flags_len) return 0xFF04u; // index out of bounds
    Answer answer;
    answer.words = words;
    answer.sum = sum;
    answer.x = x;
    answer.on = flags[at];
    {
        GLOBAL Answer *ann_slot = (GLOBAL Answer *)ann_outbox_next(answers);
        if (ann_slot) *ann_slot = answer;
    }
    return 0u;
}

#define ANN_MESSAGE Number
#define ANN_MESSAGE_BYTES 4
#define ANN_OUTPUT Answer
#define ANN_OUTPUT_BYTES 48
#define ANN_SHAPE ANN_WHOLE
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS , GLOBAL Settings *bind_settings, u64 len_of_bind_settings, GLOBAL f32_x3 *bind_weights, u64 len_of_bind_weights, GLOBAL Point *bind_table, u64 len_of_bind_table, GLOBAL i32 *bind_memory, u64 len_of_bind_memory, GLOBAL u8 *bind_flags, u64 len_of_bind_flags
#define ANN_BINDING_ENTRY , GLOBAL Settings *bind_settings ANN_BUFFER, ANN_NUMBER len_of_bind_settings ANN_BUFFER, GLOBAL f32_x3 *bind_weights ANN_BUFFER, ANN_NUMBER len_of_bind_weights ANN_BUFFER, GLOBAL Point *bind_table ANN_BUFFER, ANN_NUMBER len_of_bind_table ANN_BUFFER, GLOBAL i32 *bind_memory ANN_BUFFER, ANN_NUMBER len_of_bind_memory ANN_BUFFER, GLOBAL u8 *bind_flags ANN_BUFFER, ANN_NUMBER len_of_bind_flags ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_settings, len_of_bind_settings, bind_weights, len_of_bind_weights, bind_table, len_of_bind_table, bind_memory, len_of_bind_memory, bind_flags, len_of_bind_flags
#define ANN_CALL(cx, message, state, outbox) handle_bindings(cx, message, outbox, bind_settings, bind_weights, bind_table, len_of_bind_table, bind_memory, len_of_bind_memory, bind_flags, len_of_bind_flags)
