// The handler of kernel `methods`, written from crates/annulus-conformance/src/kernels/own.rs:+0 (module annulus_conformance::kernels::own).
#pragma OPENCL FP_CONTRACT OFF

typedef struct u32_x6 { u32 at[6]; } u32_x6;

typedef struct Point {
    i32 x;
    i32 y;
} Point;
typedef char ann_size_of_Point[sizeof(Point) == 8 ? 1 : -1];

typedef struct Batch {
    u16 key;
    u8 on;
    u8 at;
    u32_x6 values;
    Point point;
} Batch;
typedef char ann_size_of_Batch[sizeof(Batch) == 36 ? 1 : -1];

typedef struct u32_x8 { u32 at[8]; } u32_x8;

typedef struct Answer {
    u32_x8 words;
    i64 sum;
    f32 x;
    u8 on;
    u8 ann_pad0[3];
} Answer;
typedef char ann_size_of_Answer[sizeof(Answer) == 48 ? 1 : -1];

typedef struct Ledger {
    u32_x6 sums;
    Point point;
    u8 seen;
    u8 ann_pad0[3];
    u32 calls;
} Ledger;
typedef char ann_size_of_Ledger[sizeof(Ledger) == 40 ? 1 : -1];

typedef union Shape {
    u32 tag; // 0u Empty, 1u Round, 2u Square
    struct {
        u32 ann_tag;
        u8 radius;
        u8 ann_pad0[3];
    } Round;
    struct {
        u32 ann_tag;
        u8 field_0;
        u8 ann_pad0[3];
    } Square;
} Shape;
typedef char ann_size_of_Shape[sizeof(Shape) == 8 ? 1 : -1];
typedef char ann_size_of_Shape_Round[sizeof(((PRIVATE Shape *)0)->Round) == 8 ? 1 : -1];
typedef char ann_size_of_Shape_Square[sizeof(((PRIVATE Shape *)0)->Square) == 8 ? 1 : -1];

CONSTANT const Point ORIGIN = { .x = 0, .y = 0 };

CONSTANT const Point UNIT_POINT = { .x = 1, .y = (-1) };

// own.rs:-177: shift
static void fn_shift(PRIVATE Point *point, Point by) {
    // own.rs:-176
    point->x = rs_add_i32(point->x, by.x);
    // own.rs:-175
    point->y = rs_add_i32(point->y, by.y);
}

// own.rs:-68: Point::shift
static void fn_Point_shift(PRIVATE Point *self, Point by) {
    // own.rs:-67
    fn_shift(self, by);
}

// own.rs:-77: Point::len
static i32 fn_Point_len(PRIVATE const Point *self) {
    // own.rs:-76
    return rs_add_i32(rs_abs_i32(self->x), rs_abs_i32(self->y));
}

// own.rs:-51: Point::is_far
static bool fn_Point_is_far(PRIVATE const Point *self) {
    // own.rs:-50
    i32 len = fn_Point_len(self);
    bool both = len > rs_mul_i32(40, 1);
    if (!both) {
        i32 len_2 = fn_Point_len(self);
        both = len_2 < 0;
    }
    return both;
}

// own.rs:-47: Point::clear
static void fn_Point_clear(PRIVATE Point *self) {
    // own.rs:-46
    (*self) = ORIGIN;
}

// own.rs:-63: Point::walk
static u32 fn_Point_walk(PRIVATE Point *self, u32 steps, PRIVATE i32 *ann_result, PRIVATE u32 *ann_budget) {
    // own.rs:-62
    i32 before = fn_Point_len(self);
    // own.rs:-61
    for (u32 step_ = 0u; step_ < steps; step_ += 1) {
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        // own.rs:-60
        Point point = ORIGIN;
        point.x = (i32)step_;
        fn_Point_shift(self, point);
        // own.rs:-59
        bool is_far = fn_Point_is_far(self);
        if (is_far) {
            // own.rs:-58
            fn_Point_clear(self);
            // own.rs:-57
            break;
        }
    }
    // own.rs:-54
    i32 len = fn_Point_len(self);
    *ann_result = rs_sub_i32(len, before);
    return 0u;
}

// own.rs:-93: Point::new
static Point fn_Point_new(i32 x, i32 y) {
    // own.rs:-92
    Point point;
    point.x = x;
    point.y = y;
    return point;
}

// own.rs:-89: Point::from
static Point fn_Point_from(i32 diagonal) {
    // own.rs:-88
    Point new_ = fn_Point_new(diagonal, diagonal);
    return new_;
}

// own.rs:-73: Point::add
static Point fn_Point_add(Point self, Point other) {
    // own.rs:-72
    fn_Point_shift(&self, other);
    // own.rs:-71
    return self;
}

// own.rs:-85: Point::abs
static Point fn_Point_abs(Point self) {
    // own.rs:-84
    Point point;
    point.x = rs_abs_i32(self.x);
    point.y = rs_abs_i32(self.y);
    return point;
}

// own.rs:-81: Point::min
static Point fn_Point_min(Point self, Point other) {
    // own.rs:-80
    Point point;
    point.x = rs_min_i32(self.x, other.x);
    point.y = rs_min_i32(self.y, other.y);
    return point;
}

// own.rs:-10: Shape::of
static Shape fn_Shape_of(u8 width, bool round_) {
    // own.rs:-9
    if (width == 77) {
        // own.rs:-8
        Shape shape;
        shape.tag = 0u; // Empty
        return shape;
    }
    // own.rs:-6
    Shape chosen;
    if (round_) {
        chosen.tag = 1u; // Round
        chosen.Round.radius = width;
    } else {
        chosen.tag = 2u; // Square
        chosen.Square.field_0 = width;
    }
    return chosen;
}

// own.rs:-77: Point::len
static i32 fn_Point_len_2(GLOBAL const Point *self) {
    // own.rs:-76
    return rs_add_i32(rs_abs_i32(self->x), rs_abs_i32(self->y));
}

// own.rs:-19: Shape::area
static u32 fn_Shape_area(PRIVATE const Shape *self, PRIVATE u32 *ann_result) {
    // own.rs:-18
    u32 chosen;
    if (self->tag == 0u) {
        // own.rs:-17
        chosen = 0u;
    } else if (self->tag == 1u) {
        // own.rs:-16
        chosen = (((u32)self->Round.radius) * ((u32)self->Round.radius)) * 3u;
    } else if ((self->tag == 2u) && (self->Square.field_0 == 0)) {
        // own.rs:-15
        return 0xFF01u; // panicked
    } else {
        // own.rs:-14
        chosen = ((u32)self->Square.field_0) * ((u32)self->Square.field_0);
    }
    *ann_result = chosen;
    return 0u;
}

static u32 handle_methods(GLOBAL const Batch *batch, PRIVATE Ledger *ledger, PRIVATE ann_outbox *answers, GLOBAL const Point *origin, GLOBAL const Point *points, u64 points_len) {
    u32 ann_budget = 16777216u;
    // own.rs:+7
    fn_Point_shift(&ledger->point, batch->point);
    // own.rs:+8
    i32 far;
    RS_TRY(fn_Point_walk(&ledger->point, ((u32)batch->at) % 12u, &far, &ann_budget));
    // own.rs:+9
    Point from = fn_Point_from(batch->point.x);
    Point add = fn_Point_add(from, (*origin));
    Point here = fn_Point_abs(add);
    // own.rs:+10
    u64 at = ((u64)batch->at) % 16ul;
    if (at >= points_len) return 0xFF04u; // index out of bounds
    Point min_ = fn_Point_min(here, points[at]);
    Point new_ = fn_Point_new(3, 4);
    Point least = fn_Point_min(min_, new_);
    // own.rs:+11
    fn_Point_shift(&here, least);
    // own.rs:+13
    fn_Point_shift(&here, UNIT_POINT);
    // own.rs:+14
    Shape shape = fn_Shape_of(batch->at, batch->on);
    // own.rs:+15
    i32 len = fn_Point_len_2(&batch->point);
    Point abs_ = fn_Point_abs((*origin));
    Point value = abs_;
    i32 len_2 = fn_Point_len(&value);
    u32 area;
    RS_TRY(fn_Shape_area(&shape, &area));
    Shape of = fn_Shape_of(3, batch->on);
    Shape value_2 = of;
    u32 area_2;
    RS_TRY(fn_Shape_area(&value_2, &area_2));
    Shape of_2 = fn_Shape_of(5, false);
    Shape value_3 = of_2;
    u32 area_3;
    RS_TRY(fn_Shape_area(&value_3, &area_3));
    u32_x8 words;
    words.at[0] = (u32)least.x;
    words.at[1] = (u32)least.y;
    words.at[2] = (u32)len;
    words.at[3] = (u32)len_2;
    words.at[4] = area;
    words.at[5] = area_2;
    words.at[6] = area_3;
    words.at[7] = (u32)(((u64)rs_min_u32(batch->values.at[0], 5u)) + 6ul);
    // own.rs:+26
    i32 steps = 1;
    // own.rs:+27
    if (2 > 6) return 0xFF01u; // panicked
    steps = rs_min_i32(rs_max_i32(rs_max_i32(steps, 4), 2), 6);
    // own.rs:+28
    i64 sum = rs_add_i64(rs_add_i64((i64)far, rs_mul_i64((i64)here.x, rs_sub_i64((i64)steps, 1l))), (i64)here.y);
    // own.rs:+29
    bool is_far = fn_Point_is_far(&ledger->point);
    Answer answer;
    answer.words = words;
    answer.sum = sum;
    answer.x = 0.0f;
    answer.on = is_far;
    {
        GLOBAL Answer *ann_slot = (GLOBAL Answer *)ann_outbox_next(answers);
        if (ann_slot) *ann_slot = answer;
    }
    return 0u;
}

#define ANN_MESSAGE Batch
#define ANN_MESSAGE_BYTES 36
#define ANN_OUTPUT Answer
#define ANN_OUTPUT_BYTES 48
#define ANN_STATE Ledger
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->key)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS , GLOBAL Point *bind_origin, u64 len_of_bind_origin, GLOBAL Point *bind_points, u64 len_of_bind_points
#define ANN_BINDING_ENTRY , GLOBAL Point *bind_origin ANN_BUFFER, ANN_NUMBER len_of_bind_origin ANN_BUFFER, GLOBAL Point *bind_points ANN_BUFFER, ANN_NUMBER len_of_bind_points ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_origin, len_of_bind_origin, bind_points, len_of_bind_points
#define ANN_CALL(cx, message, state, outbox) handle_methods(message, state, outbox, bind_origin, bind_points, len_of_bind_points)
