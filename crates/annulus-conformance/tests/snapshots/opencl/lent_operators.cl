// The handler of kernel `lent_operators`, written from crates/annulus-conformance/src/kernels/lent.rs:+0 (module annulus_conformance::kernels::lent).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Vector {
    i32 x;
    i32 y;
} Vector;
typedef char ann_size_of_Vector[sizeof(Vector) == 8 ? 1 : -1];

typedef struct Vector_x4 { Vector at[4]; } Vector_x4;

typedef struct Low {
    u32 field_0;
} Low;
typedef char ann_size_of_Low[sizeof(Low) == 4 ? 1 : -1];

typedef struct Low_x2 { Low at[2]; } Low_x2;

typedef struct Pair {
    f32 left;
    f32 right;
} Pair;
typedef char ann_size_of_Pair[sizeof(Pair) == 8 ? 1 : -1];

typedef struct Pair_x2 { Pair at[2]; } Pair_x2;

typedef struct Moves {
    u32 key;
    Vector_x4 vectors;
    Low_x2 lows;
    i32 factor;
    Pair_x2 shorts;
} Moves;
typedef char ann_size_of_Moves[sizeof(Moves) == 64 ? 1 : -1];

typedef struct u32_x8 { u32 at[8]; } u32_x8;

typedef struct Answer {
    u32_x8 words;
    i64 sum;
    f32 x;
    u8 on;
    u8 ann_pad0[3];
} Answer;
typedef char ann_size_of_Answer[sizeof(Answer) == 48 ? 1 : -1];

typedef struct Vector_x8 { Vector at[8]; } Vector_x8;

// lent.rs:-119: Vector::add
static Vector fn_Vector_add(GLOBAL const Vector *self, GLOBAL const Vector *other) {
    // lent.rs:-118
    Vector vector;
    vector.x = rs_add_i32(self->x, other->x);
    vector.y = rs_add_i32(self->y, other->y);
    return vector;
}

// lent.rs:-109: Vector::sub
static u32 fn_Vector_sub(GLOBAL const Vector *self, GLOBAL const Vector *other, PRIVATE Vector *ann_result, PRIVATE u32 *ann_budget) {
    // lent.rs:-108
    Vector given = (*self);
    // lent.rs:-107
    for (i32 turn = 0; turn < 3; turn += 1) {
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        // lent.rs:-106
        if (turn == 1) {
            // lent.rs:-105
            break;
        }
        // lent.rs:-103
        given.x = rs_sub_i32(given.x, other->x);
        // lent.rs:-102
        given.y = given.y ^ other->y;
    }
    // lent.rs:-100
    *ann_result = given;
    return 0u;
}

// lent.rs:-92: Vector::add
static Vector fn_Vector_add_2(Vector self, GLOBAL const Vector *other) {
    // lent.rs:-91
    Vector vector;
    vector.x = rs_sub_i32(self.x, other->y);
    vector.y = self.y;
    return vector;
}

// lent.rs:-83: Vector::add
static Vector fn_Vector_add_3(GLOBAL const Vector *self, Vector other) {
    // lent.rs:-82
    Vector vector;
    vector.x = self->x ^ other.x;
    vector.y = other.y;
    return vector;
}

// lent.rs:-74: Vector::mul
static Vector fn_Vector_mul(GLOBAL const Vector *self, i32 factor) {
    // lent.rs:-73
    Vector vector;
    vector.x = rs_mul_i32(self->x, factor);
    vector.y = rs_add_i32(self->y, factor);
    return vector;
}

// lent.rs:-65: Vector::mul
static Vector fn_Vector_mul_2(GLOBAL const Vector *self, GLOBAL const i32 *factor) {
    // lent.rs:-64
    Vector vector;
    vector.x = rs_mul_i32(self->x, (*factor));
    vector.y = self->y;
    return vector;
}

// lent.rs:-56: Vector::neg
static Vector fn_Vector_neg(GLOBAL const Vector *self) {
    // lent.rs:-55
    Vector vector;
    vector.x = self->y;
    vector.y = self->x;
    return vector;
}

// lent.rs:-119: Vector::add
static Vector fn_Vector_add_4(PRIVATE const Vector *self, GLOBAL const Vector *other) {
    // lent.rs:-118
    Vector vector;
    vector.x = rs_add_i32(self->x, other->x);
    vector.y = rs_add_i32(self->y, other->y);
    return vector;
}

// lent.rs:-49: Vector::add_assign
static void fn_Vector_add_assign(PRIVATE Vector *self, GLOBAL const Vector *other) {
    // lent.rs:-48
    self->x = rs_add_i32(self->x, other->y);
}

// lent.rs:-11: sum
static u32 fn_sum(GLOBAL const Vector *vectors, u64 vectors_len, PRIVATE Vector *ann_result, PRIVATE u32 *ann_budget) {
    // lent.rs:-10
    Vector sum;
    sum.x = 0;
    sum.y = 0;
    // lent.rs:-9
    for (u64 i = 0ul; i < vectors_len; i += 1) {
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        // lent.rs:-8
        Vector add = fn_Vector_add_4(&sum, &vectors[i]);
        sum = add;
        // lent.rs:-7
        fn_Vector_add_assign(&sum, &vectors[i]);
    }
    // lent.rs:-5
    *ann_result = sum;
    return 0u;
}

// lent.rs:+21: Vector::clone_of
static Vector fn_Vector_clone_of(PRIVATE const Vector *self) {
    // lent.rs:+22
    return (*self);
}

// lent.rs:-49: Vector::add_assign
static void fn_Vector_add_assign_2(PRIVATE Vector *self, PRIVATE const Vector *other) {
    // lent.rs:-48
    self->x = rs_add_i32(self->x, other->y);
}

// lent.rs:-37: Low::eq
static bool fn_Low_eq(GLOBAL const Low *self, GLOBAL const Low *other) {
    // lent.rs:-36
    return (self->field_0 & 3u) == (other->field_0 & 3u);
}

// lent.rs:-28: Pair::add::<f32>
static Pair fn_Pair_add_f32(GLOBAL const Pair *self, GLOBAL const Pair *other) {
    // lent.rs:-27
    Pair pair;
    pair.left = self->left + other->right;
    pair.right = other->left;
    return pair;
}

static u32 handle_lent_operators(GLOBAL const Moves *moves, PRIVATE Vector *place, PRIVATE ann_outbox *answers) {
    u32 ann_budget = 16777216u;
    // lent.rs:+2
    Vector add = fn_Vector_add(&moves->vectors.at[0], &moves->vectors.at[1]);
    Vector sub;
    RS_TRY(fn_Vector_sub(&moves->vectors.at[0], &moves->vectors.at[1], &sub, &ann_budget));
    Vector add_2 = fn_Vector_add_2(moves->vectors.at[0], &moves->vectors.at[1]);
    Vector add_3 = fn_Vector_add_3(&moves->vectors.at[0], moves->vectors.at[1]);
    Vector mul = fn_Vector_mul(&moves->vectors.at[0], moves->factor);
    Vector mul_2 = fn_Vector_mul_2(&moves->vectors.at[0], &moves->factor);
    Vector neg = fn_Vector_neg(&moves->vectors.at[0]);
    Vector sum;
    RS_TRY(fn_sum(moves->vectors.at, 4ul, &sum, &ann_budget));
    Vector_x8 all_;
    all_.at[0] = add;
    all_.at[1] = sub;
    all_.at[2] = add_2;
    all_.at[3] = add_3;
    all_.at[4] = mul;
    all_.at[5] = mul_2;
    all_.at[6] = neg;
    all_.at[7] = sum;
    // lent.rs:+4
    Vector clone_of = fn_Vector_clone_of(&all_.at[2]);
    Vector value = clone_of;
    fn_Vector_add_assign_2(&all_.at[7], &value);
    // lent.rs:+5
    u32_x8 words;
    for (u64 i = 0ul; i < 8ul; i += 1) {
        words.at[i] = 0u;
    }
    // lent.rs:+6
    for (u64 i = 0ul; i < 8ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // lent.rs:+7
        words.at[i] = (((u32)all_.at[i].x) * 31u) ^ ((u32)all_.at[i].y);
    }
    // lent.rs:+10
    bool eq = fn_Low_eq(&moves->lows.at[0], &moves->lows.at[1]);
    bool eq_2 = fn_Low_eq(&moves->lows.at[0], &moves->lows.at[1]);
    words.at[6] = words.at[6] ^ ((((u32)eq) | (((u32)(!eq_2)) << 1u)) | (((u32)((moves->vectors.at[0].x == moves->vectors.at[1].x) && (moves->vectors.at[0].y == moves->vectors.at[1].y))) << 2u));
    // lent.rs:+11
    i8 order = 0;
    order = (moves->vectors.at[0].x < moves->vectors.at[1].x) ? (-1) : ((moves->vectors.at[0].x > moves->vectors.at[1].x) ? 1 : 0);
    if (order == 0) {
        order = (moves->vectors.at[0].y < moves->vectors.at[1].y) ? (-1) : ((moves->vectors.at[0].y > moves->vectors.at[1].y) ? 1 : 0);
    }
    i8 order_2 = 0;
    order_2 = (moves->vectors.at[0].x < moves->vectors.at[1].x) ? (-1) : ((moves->vectors.at[0].x > moves->vectors.at[1].x) ? 1 : 0);
    if (order_2 == 0) {
        order_2 = (moves->vectors.at[0].y < moves->vectors.at[1].y) ? (-1) : ((moves->vectors.at[0].y > moves->vectors.at[1].y) ? 1 : 0);
    }
    i32 value_2 = 3;
    words.at[6] = words.at[6] ^ (((((u32)(order < 0)) << 3u) | (((u32)((order_2 == 0) || (order_2 == 1))) << 4u)) | (((u32)(moves->factor == value_2)) << 5u));
    // lent.rs:+13
    i32 value_3 = 255;
    words.at[5] = words.at[5] ^ (((u32)(moves->factor & value_3)) ^ ((u32)((i32)~moves->factor)));
    // lent.rs:+14
    Pair joined = fn_Pair_add_f32(&moves->shorts.at[0], &moves->shorts.at[1]);
    // lent.rs:+15
    Vector add_4 = fn_Vector_add_4(place, &moves->vectors.at[0]);
    (*place) = add_4;
    // lent.rs:+16
    Answer answer;
    answer.words = words;
    answer.sum = (i64)place->x;
    answer.x = joined.left;
    answer.on = joined.right > 0.5f;
    {
        GLOBAL Answer *ann_slot = (GLOBAL Answer *)ann_outbox_next(answers);
        if (ann_slot) *ann_slot = answer;
    }
    return 0u;
}

#define ANN_MESSAGE Moves
#define ANN_MESSAGE_BYTES 64
#define ANN_OUTPUT Answer
#define ANN_OUTPUT_BYTES 48
#define ANN_STATE Vector
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->key)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_lent_operators(message, state, outbox)
