// The handler of kernel `whole`, written from crates/annulus-conformance/src/kernels/own.rs:+0 (module annulus_conformance::kernels::own).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Slot {
    u8 at;
    u8 ann_pad0[3];
    u32 value;
} Slot;
typedef char ann_size_of_Slot[sizeof(Slot) == 8 ? 1 : -1];

typedef struct Point {
    i32 x;
    i32 y;
} Point;
typedef char ann_size_of_Point[sizeof(Point) == 8 ? 1 : -1];

typedef struct u32_x3 { u32 at[3]; } u32_x3;

// own.rs:-12: shuffle
static u32 fn_shuffle(GLOBAL u32 *memory, u64 memory_len, PRIVATE u32 *ann_budget) {
    // own.rs:-11
    for (u64 i = 1ul; i < memory_len; i += 1) {
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        // own.rs:-10
        u64 at = i - 1ul;
        if (at >= memory_len) return 0xFF04u; // index out of bounds
        if (memory[at] > memory[i]) {
            // own.rs:-9
            u32 kept = memory[i];
            // own.rs:-8
            u64 at_2 = i - 1ul;
            if (at_2 >= memory_len) return 0xFF04u; // index out of bounds
            memory[i] = memory[at_2];
            // own.rs:-7
            u64 at_3 = i - 1ul;
            if (at_3 >= memory_len) return 0xFF04u; // index out of bounds
            memory[at_3] = kept;
        }
    }
    return 0u;
}

// own.rs:-18: store
static u32 fn_store(GLOBAL u32 *memory, u64 memory_len, u64 at, u32 value, PRIVATE u32 *ann_budget) {
    // own.rs:-17
    if (at >= memory_len) return 0xFF04u; // index out of bounds
    memory[at] = value;
    // own.rs:-16
    RS_TRY(fn_shuffle(memory, memory_len, ann_budget));
    return 0u;
}

// own.rs:+9: points_as
static u32_x3 fn_points_as(u32 value) {
    // own.rs:+10
    u32_x3 items;
    for (u64 i = 0ul; i < 3ul; i += 1) {
        items.at[i] = value;
    }
    return items;
}

// own.rs:-413: fill
static u32 fn_fill(PRIVATE u32 *values, u64 values_len, u32 value, PRIVATE u32 *ann_budget) {
    // own.rs:-412
    for (u64 i = 0ul; i < values_len; i += 1) {
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        // own.rs:-411
        values[i] = value + ((u32)i);
    }
    return 0u;
}

// own.rs:-469: sum
static u32 fn_sum(GLOBAL const u32 *values, u64 values_len, PRIVATE u32 *ann_result, PRIVATE u32 *ann_budget) {
    // own.rs:-468
    u32 sum = 0u;
    // own.rs:-467
    for (u64 i = 0ul; i < values_len; i += 1) {
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        // own.rs:-466
        sum = sum + values[i];
    }
    // own.rs:-464
    *ann_result = sum;
    return 0u;
}

// own.rs:-343: shift
static void fn_shift(GLOBAL Point *point, Point by) {
    // own.rs:-342
    point->x = rs_add_i32(point->x, by.x);
    // own.rs:-341
    point->y = rs_add_i32(point->y, by.y);
}

// own.rs:-234: Point::shift
static void fn_Point_shift(GLOBAL Point *self, Point by) {
    // own.rs:-233
    fn_shift(self, by);
}

// own.rs:-259: Point::new
static Point fn_Point_new(i32 x, i32 y) {
    // own.rs:-258
    Point point;
    point.x = x;
    point.y = y;
    return point;
}

static u32 handle_whole(GLOBAL const Slot *slot, GLOBAL u32 *memory, u64 memory_len, GLOBAL Point *points, u64 points_len) {
    u32 ann_budget = 16777216u;
    // own.rs:+1
    RS_TRY(fn_store(memory, memory_len, ((u64)slot->at) % 16ul, slot->value, &ann_budget));
    // own.rs:+2
    u32_x3 points_as = fn_points_as(slot->value);
    u32_x3 value = points_as;
    RS_TRY(fn_fill(value.at, 3ul, 1u, &ann_budget));
    // own.rs:+3
    u64 last = points_len - 1ul;
    // own.rs:+4
    if (last >= points_len) return 0xFF04u; // index out of bounds
    u32 sum;
    RS_TRY(fn_sum(memory, memory_len, &sum, &ann_budget));
    Point point;
    point.x = (i32)sum;
    point.y = 1;
    fn_Point_shift(&points[last], point);
    // own.rs:+5
    u64 at = ((u64)slot->at) % 16ul;
    if (at >= points_len) return 0xFF04u; // index out of bounds
    Point new_ = fn_Point_new(1, 2);
    fn_shift(&points[at], new_);
    return 0u;
}

#define ANN_MESSAGE Slot
#define ANN_MESSAGE_BYTES 8
#define ANN_SHAPE ANN_WHOLE
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 0
#define ANN_BINDING_PARAMETERS , GLOBAL u32 *bind_memory, u64 len_of_bind_memory, GLOBAL Point *bind_points, u64 len_of_bind_points
#define ANN_BINDING_ENTRY , GLOBAL u32 *bind_memory ANN_BUFFER, ANN_NUMBER len_of_bind_memory ANN_BUFFER, GLOBAL Point *bind_points ANN_BUFFER, ANN_NUMBER len_of_bind_points ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_memory, len_of_bind_memory, bind_points, len_of_bind_points
#define ANN_CALL(cx, message, state, outbox) handle_whole(message, bind_memory, len_of_bind_memory, bind_points, len_of_bind_points)
