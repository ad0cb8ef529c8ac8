// The handler of kernel `traits`, written from crates/annulus-conformance/src/kernels/traits.rs:+0 (module annulus_conformance::kernels::traits).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Square {
    u8 side;
    u8 ann_pad0[1];
    u16 tall;
} Square;
typedef char ann_size_of_Square[sizeof(Square) == 4 ? 1 : -1];

typedef struct Square_x3 { Square at[3]; } Square_x3;

typedef union Round {
    u8 tag; // 0 Point, 1 Disc
    struct {
        u8 ann_tag;
        u8 ann_pad0[1];
        u16 radius;
    } Disc;
} Round;
typedef char ann_size_of_Round[sizeof(Round) == 4 ? 1 : -1];
typedef char ann_size_of_Round_Disc[sizeof(((PRIVATE Round *)0)->Disc) == 4 ? 1 : -1];

typedef struct Round_x2 { Round at[2]; } Round_x2;

typedef struct Framed {
    Round inner;
    u32 width;
} Framed;
typedef char ann_size_of_Framed[sizeof(Framed) == 8 ? 1 : -1];

typedef struct Framed_2 {
    Framed inner;
    u32 width;
} Framed_2;
typedef char ann_size_of_Framed_2[sizeof(Framed_2) == 12 ? 1 : -1];

typedef struct Shapes {
    u32 key;
    Square_x3 squares;
    Round_x2 rounds;
    Framed_2 framed;
    u8 by;
    u8 ann_pad0[3];
} Shapes;
typedef char ann_size_of_Shapes[sizeof(Shapes) == 40 ? 1 : -1];

typedef struct u32_x8 { u32 at[8]; } u32_x8;

typedef struct Answer {
    u32_x8 words;
    i64 sum;
    f32 x;
    u8 on;
    u8 ann_pad0[3];
} Answer;
typedef char ann_size_of_Answer[sizeof(Answer) == 48 ? 1 : -1];

typedef struct Framed_2_x2 { Framed_2 at[2]; } Framed_2_x2;

// traits.rs:-117: Square::area
static u32 fn_Square_area(PRIVATE const Square *self) {
    // traits.rs:-116
    return ((u32)self->side) * ((u32)self->side);
}

// traits.rs:-176: Shape::scaled::<annulus_conformance::kernels::traits::Square>
static u32 fn_Shape_scaled_Square(PRIVATE const Square *self, u32 by) {
    // traits.rs:-175
    u32 area = fn_Square_area(self);
    return (area * by) + 4u;
}

// traits.rs:-93: Round::area
static u32 fn_Round_area(PRIVATE const Round *self) {
    // traits.rs:-92
    u32 chosen;
    if (self->tag == 0) {
        // traits.rs:-91
        chosen = 0u;
    } else {
        // traits.rs:-90
        chosen = ((3u * ((u32)self->Disc.radius)) * ((u32)self->Disc.radius)) / 4u;
    }
    return chosen;
}

// traits.rs:-71: Round::scaled
static u32 fn_Round_scaled(PRIVATE const Round *self, u32 by) {
    // traits.rs:-70
    u32 area = fn_Round_area(self);
    return area ^ by;
}

// traits.rs:-117: Square::area
static u32 fn_Square_area_2(GLOBAL const Square *self) {
    // traits.rs:-116
    return ((u32)self->side) * ((u32)self->side);
}

// traits.rs:-176: Shape::scaled::<annulus_conformance::kernels::traits::Square>
static u32 fn_Shape_scaled_Square_2(GLOBAL const Square *self, u32 by) {
    // traits.rs:-175
    u32 area = fn_Square_area_2(self);
    return (area * by) + 4u;
}

// traits.rs:-163: Shape::abs::<annulus_conformance::kernels::traits::Square>
static u32 fn_Shape_abs_Square(GLOBAL const Square *self) {
    // traits.rs:-162
    u32 area = fn_Square_area_2(self);
    return area / 7u;
}

// traits.rs:-36: total::<annulus_conformance::kernels::traits::Square>
static u32 fn_total_Square(GLOBAL const Square *shapes, u64 shapes_len, u32 by, PRIVATE u32 *ann_result, PRIVATE u32 *ann_budget) {
    // traits.rs:-35
    u32 sum = 0u;
    // traits.rs:-34
    for (u64 i = 0ul; i < shapes_len; i += 1) {
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        // traits.rs:-33
        u32 scaled = fn_Shape_scaled_Square_2(&shapes[i], by);
        u32 abs_ = fn_Shape_abs_Square(&shapes[i]);
        sum = (sum + scaled) + abs_;
    }
    // traits.rs:-31
    *ann_result = sum;
    return 0u;
}

// traits.rs:-93: Round::area
static u32 fn_Round_area_2(GLOBAL const Round *self) {
    // traits.rs:-92
    u32 chosen;
    if (self->tag == 0) {
        // traits.rs:-91
        chosen = 0u;
    } else {
        // traits.rs:-90
        chosen = ((3u * ((u32)self->Disc.radius)) * ((u32)self->Disc.radius)) / 4u;
    }
    return chosen;
}

// traits.rs:-71: Round::scaled
static u32 fn_Round_scaled_2(GLOBAL const Round *self, u32 by) {
    // traits.rs:-70
    u32 area = fn_Round_area_2(self);
    return area ^ by;
}

// traits.rs:-163: Shape::abs::<annulus_conformance::kernels::traits::Round>
static u32 fn_Shape_abs_Round(GLOBAL const Round *self) {
    // traits.rs:-162
    u32 area = fn_Round_area_2(self);
    return area / 7u;
}

// traits.rs:-36: total::<annulus_conformance::kernels::traits::Round>
static u32 fn_total_Round(GLOBAL const Round *shapes, u64 shapes_len, u32 by, PRIVATE u32 *ann_result, PRIVATE u32 *ann_budget) {
    // traits.rs:-35
    u32 sum = 0u;
    // traits.rs:-34
    for (u64 i = 0ul; i < shapes_len; i += 1) {
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        // traits.rs:-33
        u32 scaled = fn_Round_scaled_2(&shapes[i], by);
        u32 abs_ = fn_Shape_abs_Round(&shapes[i]);
        sum = (sum + scaled) + abs_;
    }
    // traits.rs:-31
    *ann_result = sum;
    return 0u;
}

// traits.rs:-62: Framed::area::<annulus_conformance::kernels::traits::Round>
static u32 fn_Framed_area_Round_2(GLOBAL const Framed *self) {
    // traits.rs:-61
    u32 area = fn_Round_area_2(&self->inner);
    return area + self->width;
}

// traits.rs:-62: Framed::area::<annulus_conformance::kernels::traits::Framed<annulus_conformance::kernels::traits::Round>>
static u32 fn_Framed_area_Round(GLOBAL const Framed_2 *self) {
    // traits.rs:-61
    u32 area = fn_Framed_area_Round_2(&self->inner);
    return area + self->width;
}

// traits.rs:-176: Shape::scaled::<annulus_conformance::kernels::traits::Framed<annulus_conformance::kernels::traits::Framed<annulus_conformance::kernels::traits::Round>>>
static u32 fn_Shape_scaled_Round(GLOBAL const Framed_2 *self, u32 by) {
    // traits.rs:-175
    u32 area = fn_Framed_area_Round(self);
    return (area * by) + 2u;
}

// traits.rs:-79: Round::of
static u32 fn_Round_of(u8 side, PRIVATE Round *ann_result) {
    // traits.rs:-78
    if (side == 9) {
        // traits.rs:-77
        return 0xFF01u; // panicked
    }
    // traits.rs:-75
    Round chosen;
    if (side == 0) {
        chosen.tag = 0; // Point
    } else {
        chosen.tag = 1; // Disc
        chosen.Disc.radius = (u16)side;
    }
    *ann_result = chosen;
    return 0u;
}

// traits.rs:-54: Framed::of::<annulus_conformance::kernels::traits::Round>
static u32 fn_Framed_of_Round_2(u8 side, PRIVATE Framed *ann_result) {
    // traits.rs:-53
    Round of;
    RS_TRY(fn_Round_of(side, &of));
    Framed framed;
    framed.inner = of;
    framed.width = (u32)side;
    *ann_result = framed;
    return 0u;
}

// traits.rs:-54: Framed::of::<annulus_conformance::kernels::traits::Framed<annulus_conformance::kernels::traits::Round>>
static u32 fn_Framed_of_Round(u8 side, PRIVATE Framed_2 *ann_result) {
    // traits.rs:-53
    Framed of;
    RS_TRY(fn_Framed_of_Round_2(side, &of));
    Framed_2 framed;
    framed.inner = of;
    framed.width = (u32)side;
    *ann_result = framed;
    return 0u;
}

// traits.rs:-62: Framed::area::<annulus_conformance::kernels::traits::Round>
static u32 fn_Framed_area_Round_4(PRIVATE const Framed *self) {
    // traits.rs:-61
    u32 area = fn_Round_area(&self->inner);
    return area + self->width;
}

// traits.rs:-62: Framed::area::<annulus_conformance::kernels::traits::Framed<annulus_conformance::kernels::traits::Round>>
static u32 fn_Framed_area_Round_3(PRIVATE const Framed_2 *self) {
    // traits.rs:-61
    u32 area = fn_Framed_area_Round_4(&self->inner);
    return area + self->width;
}

// traits.rs:-176: Shape::scaled::<annulus_conformance::kernels::traits::Framed<annulus_conformance::kernels::traits::Framed<annulus_conformance::kernels::traits::Round>>>
static u32 fn_Shape_scaled_Round_2(PRIVATE const Framed_2 *self, u32 by) {
    // traits.rs:-175
    u32 area = fn_Framed_area_Round_3(self);
    return (area * by) + 2u;
}

// traits.rs:-163: Shape::abs::<annulus_conformance::kernels::traits::Framed<annulus_conformance::kernels::traits::Framed<annulus_conformance::kernels::traits::Round>>>
static u32 fn_Shape_abs_Round_2(PRIVATE const Framed_2 *self) {
    // traits.rs:-162
    u32 area = fn_Framed_area_Round_3(self);
    return area / 7u;
}

// traits.rs:-36: total::<annulus_conformance::kernels::traits::Framed<annulus_conformance::kernels::traits::Framed<annulus_conformance::kernels::traits::Round>>>
static u32 fn_total_Round_2(PRIVATE const Framed_2 *shapes, u64 shapes_len, u32 by, PRIVATE u32 *ann_result, PRIVATE u32 *ann_budget) {
    // traits.rs:-35
    u32 sum = 0u;
    // traits.rs:-34
    for (u64 i = 0ul; i < shapes_len; i += 1) {
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        // traits.rs:-33
        u32 scaled = fn_Shape_scaled_Round_2(&shapes[i], by);
        u32 abs_ = fn_Shape_abs_Round_2(&shapes[i]);
        sum = (sum + scaled) + abs_;
    }
    // traits.rs:-31
    *ann_result = sum;
    return 0u;
}

// traits.rs:-113: Square::grow
static void fn_Square_grow(PRIVATE Square *self, u8 by) {
    // traits.rs:-112
    self->side = rs_add_u8(self->side, by);
}

// traits.rs:-109: Square::of
static Square fn_Square_of(u8 side) {
    // traits.rs:-108
    Square square;
    square.side = side;
    square.tall = 3;
    return square;
}

// traits.rs:-27: grown::<annulus_conformance::kernels::traits::Square>
static Square fn_grown_Square(Square shape, u8 by) {
    // traits.rs:-26
    Square shape_2 = shape;
    // traits.rs:-25
    fn_Square_grow(&shape_2, by);
    // traits.rs:-24
    u32 area = fn_Square_area(&shape_2);
    Square chosen;
    if (area > 1000u) {
        chosen = fn_Square_of(by);
    } else {
        chosen = shape_2;
    }
    return chosen;
}

// traits.rs:-86: Round::grow
static u32 fn_Round_grow(PRIVATE Round *self, u8 by) {
    // traits.rs:-85
    Round chosen;
    if (self->tag == 0) {
        // traits.rs:-84
        RS_TRY(fn_Round_of(by, &chosen));
    } else {
        // traits.rs:-83
        u16 radius = self->Disc.radius;
        chosen.tag = 1; // Disc
        chosen.Disc.radius = rs_add_u16(radius, (u16)by);
    }
    (*self) = chosen;
    return 0u;
}

// traits.rs:-27: grown::<annulus_conformance::kernels::traits::Round>
static u32 fn_grown_Round(Round shape, u8 by, PRIVATE Round *ann_result) {
    // traits.rs:-26
    Round shape_2 = shape;
    // traits.rs:-25
    RS_TRY(fn_Round_grow(&shape_2, by));
    // traits.rs:-24
    u32 area = fn_Round_area(&shape_2);
    Round chosen;
    if (area > 1000u) {
        RS_TRY(fn_Round_of(by, &chosen));
    } else {
        chosen = shape_2;
    }
    *ann_result = chosen;
    return 0u;
}

// traits.rs:-171: Shape::joined::<annulus_conformance::kernels::traits::Square>
static u32 fn_Shape_joined_Square(Square self, Square other) {
    // traits.rs:-167
    u32 scaled = fn_Shape_scaled_Square(&self, 2u);
    u32 scaled_2 = fn_Shape_scaled_Square(&other, 3u);
    return (scaled + scaled_2) % 1000u;
}

// traits.rs:-171: Shape::joined::<annulus_conformance::kernels::traits::Framed<annulus_conformance::kernels::traits::Framed<annulus_conformance::kernels::traits::Round>>>
static u32 fn_Shape_joined_Round(Framed_2 self, Framed_2 other) {
    // traits.rs:-167
    u32 scaled = fn_Shape_scaled_Round_2(&self, 2u);
    u32 scaled_2 = fn_Shape_scaled_Round_2(&other, 3u);
    return (scaled + scaled_2) % 1000u;
}

// traits.rs:-102: Square::height
static u32 fn_Square_height(PRIVATE const Square *self) {
    // traits.rs:-101
    return (u32)self->tall;
}

// traits.rs:-148: Solid::volume::<annulus_conformance::kernels::traits::Square>
static u32 fn_Solid_volume_Square(PRIVATE const Square *self) {
    // traits.rs:-147
    u32 area = fn_Square_area(self);
    u32 height = fn_Square_height(self);
    u32 scaled = fn_Shape_scaled_Square(self, 1u);
    return (area * height) ^ scaled;
}

// traits.rs:-20: of_solids::<annulus_conformance::kernels::traits::Square>
static u32 fn_of_solids_Square(PRIVATE const Square *solid) {
    // traits.rs:-16
    u32 volume = fn_Solid_volume_Square(solid);
    return (volume / 2u) + 4u;
}

// traits.rs:-42: Square::doubled
static u32 fn_Square_doubled(PRIVATE const Square *self) {
    // traits.rs:-41
    u32 area = fn_Square_area(self);
    return area * 2u;
}

// traits.rs:-163: Shape::abs::<annulus_conformance::kernels::traits::Square>
static u32 fn_Shape_abs_Square_2(PRIVATE const Square *self) {
    // traits.rs:-162
    u32 area = fn_Square_area(self);
    return area / 7u;
}

// traits.rs:-58: Framed::grow::<annulus_conformance::kernels::traits::Round>
static u32 fn_Framed_grow_Round_2(PRIVATE Framed *self, u8 by) {
    // traits.rs:-57
    RS_TRY(fn_Round_grow(&self->inner, by));
    return 0u;
}

// traits.rs:-58: Framed::grow::<annulus_conformance::kernels::traits::Framed<annulus_conformance::kernels::traits::Round>>
static u32 fn_Framed_grow_Round(PRIVATE Framed_2 *self, u8 by) {
    // traits.rs:-57
    RS_TRY(fn_Framed_grow_Round_2(&self->inner, by));
    return 0u;
}

// traits.rs:-27: grown::<annulus_conformance::kernels::traits::Framed<annulus_conformance::kernels::traits::Framed<annulus_conformance::kernels::traits::Round>>>
static u32 fn_grown_Round_2(Framed_2 shape, u8 by, PRIVATE Framed_2 *ann_result) {
    // traits.rs:-26
    Framed_2 shape_2 = shape;
    // traits.rs:-25
    RS_TRY(fn_Framed_grow_Round(&shape_2, by));
    // traits.rs:-24
    u32 area = fn_Framed_area_Round_3(&shape_2);
    Framed_2 chosen;
    if (area > 1000u) {
        RS_TRY(fn_Framed_of_Round(by, &chosen));
    } else {
        chosen = shape_2;
    }
    *ann_result = chosen;
    return 0u;
}

// traits.rs:-163: Shape::abs::<annulus_conformance::kernels::traits::Round>
static u32 fn_Shape_abs_Round_3(PRIVATE const Round *self) {
    // traits.rs:-162
    u32 area = fn_Round_area(self);
    return area / 7u;
}

static u32 handle_traits(GLOBAL const Shapes *shapes, PRIVATE Square *largest, PRIVATE ann_outbox *answers) {
    u32 ann_budget = 16777216u;
    // traits.rs:+1
    u32 by = (u32)shapes->by;
    // traits.rs:+2
    Square square = shapes->squares.at[0];
    Square other = shapes->squares.at[1];
    // traits.rs:+3
    Round round_ = shapes->rounds.at[0];
    // traits.rs:+4
    u32 area = fn_Square_area(&square);
    u32 scaled = fn_Shape_scaled_Square(&square, by);
    u32 area_2 = fn_Round_area(&round_);
    u32 scaled_2 = fn_Round_scaled(&round_, by);
    u32 total;
    RS_TRY(fn_total_Square(shapes->squares.at, 3ul, by, &total, &ann_budget));
    u32 total_2;
    RS_TRY(fn_total_Round(shapes->rounds.at, 2ul, by, &total_2, &ann_budget));
    u32 scaled_3 = fn_Shape_scaled_Round(&shapes->framed, by);
    Framed_2 of;
    RS_TRY(fn_Framed_of_Round(shapes->by, &of));
    Framed_2_x2 items;
    items.at[0] = shapes->framed;
    items.at[1] = of;
    Framed_2_x2 value = items;
    u32 total_3;
    RS_TRY(fn_total_Round_2(value.at, 2ul, 3u, &total_3, &ann_budget));
    Square grown = fn_grown_Square(square, shapes->by);
    Square value_2 = grown;
    u32 scaled_4 = fn_Shape_scaled_Square(&value_2, 1u);
    Round grown_2;
    RS_TRY(fn_grown_Round(round_, shapes->by, &grown_2));
    Round value_3 = grown_2;
    u32 scaled_5 = fn_Round_scaled(&value_3, 1u);
    u32 joined = fn_Shape_joined_Square(square, other);
    u32 joined_2 = fn_Shape_joined_Round(shapes->framed, shapes->framed);
    u32 of_solids = fn_of_solids_Square(&other);
    u32 volume = fn_Solid_volume_Square(&other);
    u32 doubled = fn_Square_doubled(&square);
    u32 abs_ = fn_Shape_abs_Square_2(&square);
    Framed_2 grown_3;
    RS_TRY(fn_grown_Round_2(shapes->framed, 3, &grown_3));
    Framed_2 value_4 = grown_3;
    u32 abs__2 = fn_Shape_abs_Round_2(&value_4);
    Square of_2 = fn_Square_of(shapes->by);
    Square value_5 = of_2;
    u32 abs__3 = fn_Shape_abs_Square_2(&value_5);
    Round of_3;
    RS_TRY(fn_Round_of(2, &of_3));
    Round value_6 = of_3;
    u32 abs__4 = fn_Shape_abs_Round_3(&value_6);
    u32_x8 words;
    words.at[0] = area ^ (scaled << 8u);
    words.at[1] = area_2 ^ scaled_2;
    words.at[2] = total ^ total_2;
    words.at[3] = scaled_3 ^ total_3;
    words.at[4] = scaled_4 ^ scaled_5;
    words.at[5] = joined ^ (joined_2 << 16u);
    words.at[6] = (of_solids ^ volume) ^ (doubled << 16u);
    words.at[7] = ((abs_ + abs__2) + abs__3) + abs__4;
    // traits.rs:+17
    fn_Square_grow(largest, 1);
    // traits.rs:+18
    u32 area_3 = fn_Square_area(&square);
    u32 area_4 = fn_Square_area(largest);
    if (area_3 > area_4) {
        // traits.rs:+19
        (*largest) = square;
    }
    // traits.rs:+21
    u32 area_5 = fn_Square_area(largest);
    Answer answer;
    answer.words = words;
    answer.sum = (i64)area_5;
    answer.x = 0.0f;
    answer.on = false;
    {
        GLOBAL Answer *ann_slot = (GLOBAL Answer *)ann_outbox_next(answers);
        if (ann_slot) *ann_slot = answer;
    }
    return 0u;
}

#define ANN_MESSAGE Shapes
#define ANN_MESSAGE_BYTES 40
#define ANN_OUTPUT Answer
#define ANN_OUTPUT_BYTES 48
#define ANN_STATE Square
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->key)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_traits(message, state, outbox)
