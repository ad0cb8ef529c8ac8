// The handler of kernel `bound_slices`, written from crates/annulus-conformance/src/kernels/items.rs:+0 (module annulus_conformance::kernels::items).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Number {
    u64 value;
} Number;
typedef char ann_size_of_Number[sizeof(Number) == 8 ? 1 : -1];

typedef struct u16_x3 { u16 at[3]; } u16_x3;

typedef struct u16_x3_x4 { u16_x3 at[4]; } u16_x3_x4;

typedef struct i32_x6 { i32 at[6]; } i32_x6;

typedef struct bool_x5 { u8 at[5]; } bool_x5;

typedef struct Grid {
    u16_x3_x4 rows;
    i32_x6 weights;
    bool_x5 flags;
    u8 ann_pad0[3];
    u32 turns;
} Grid;
typedef char ann_size_of_Grid[sizeof(Grid) == 60 ? 1 : -1];

static u32 handle_bound_slices(GLOBAL const Number *message, GLOBAL u64 *memory, u64 memory_len, volatile GLOBAL u32 *counters, u64 counters_len, GLOBAL const Grid *grids, u64 grids_len) {
    u32 ann_budget = 16777216u;
    // items.rs:+1
    for (u64 i = 0ul; i < memory_len; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // items.rs:+2
        memory[i] = memory[i] + ((u64)i);
    }
    // items.rs:+4
    u64 count = rs_min_u64(counters_len, 1ul);
    u64 count_2 = counters_len - count;
    u64 count_3 = (count_2 == 0ul) ? 0ul : (((count_2 - 1ul) / 4ul) + 1ul);
    for (u64 i = 0ul; i < count_3; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u64 at = i * 4ul;
        u64 at_2 = count + at;
        // items.rs:+5
        u32 seen;
        seen = rs_atomic_fetch_add_u32(&counters[at_2], 3u, RS_RELAXED);
    }
    // items.rs:+7
    u64 half_ = memory_len / 2ul;
    // items.rs:+8
    if (half_ > memory_len) return 0xFF01u; // panicked
    u64 len = memory_len - half_;
    // items.rs:+9
    u64 count_4 = rs_min_u64(half_, len);
    for (u64 i = 0ul; i < count_4; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u64 at = half_ + i;
        // items.rs:+10
        memory[i] = memory[i] ^ memory[at];
        // items.rs:+11
        memory[at] = rs_rotate_left_u64(memory[at], 7u);
    }
    // items.rs:+13
    if (3ul > len) return 0xFF04u; // index out of bounds
    u64 start = half_ + 1ul;
    for (u64 i = 0ul; i < 2ul; i += 1) {
        memory[start + i] = 9ul;
    }
    // items.rs:+14
    if (0ul >= half_) return 0xFF04u; // index out of bounds
    if (2ul >= half_) return 0xFF04u; // index out of bounds
    u64 before = memory[0];
    memory[0] = memory[2];
    memory[2] = before;
    // items.rs:+15
    u64 count_5 = rs_min_u64(grids_len, half_);
    for (u64 i = 0ul; i < count_5; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // items.rs:+16
        for (u64 i_2 = 0ul; i_2 < 3ul; i_2 += 1) {
            if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
            u64 at = 1ul + i_2;
            // items.rs:+17
            for (u64 i_3 = 0ul; i_3 < 3ul; i_3 += 1) {
                if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
                // items.rs:+18
                memory[i] = (memory[i] * 31ul) + ((u64)grids[i].rows.at[at].at[i_3]);
            }
        }
        // items.rs:+21
        u64 at = ((u64)memory[i]) % 8ul;
        bool there = at < 5ul;
        if (there && grids[i].flags.at[at]) {
            // items.rs:+22
            memory[i] = memory[i] + 1ul;
        }
    }
    // items.rs:+25
    if (2ul > counters_len) return 0xFF04u; // index out of bounds
    for (u64 i = 0ul; i < 2ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // items.rs:+26
        u32 seen;
        seen = rs_atomic_fetch_xor_u32(&counters[i], 5u, RS_RELAXED);
    }
    return 0u;
}

#define ANN_MESSAGE Number
#define ANN_MESSAGE_BYTES 8
#define ANN_SHAPE ANN_WHOLE
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 0
#define ANN_BINDING_PARAMETERS , GLOBAL u64 *bind_memory, u64 len_of_bind_memory, volatile GLOBAL u32 *bind_counters, u64 len_of_bind_counters, GLOBAL Grid *bind_grids, u64 len_of_bind_grids
#define ANN_BINDING_ENTRY , GLOBAL u64 *bind_memory ANN_BUFFER, ANN_NUMBER len_of_bind_memory ANN_BUFFER, volatile GLOBAL u32 *bind_counters ANN_BUFFER, ANN_NUMBER len_of_bind_counters ANN_BUFFER, GLOBAL Grid *bind_grids ANN_BUFFER, ANN_NUMBER len_of_bind_grids ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_memory, len_of_bind_memory, bind_counters, len_of_bind_counters, bind_grids, len_of_bind_grids
#define ANN_CALL(cx, message, state, outbox) handle_bound_slices(message, bind_memory, len_of_bind_memory, bind_counters, len_of_bind_counters, bind_grids, len_of_bind_grids)
