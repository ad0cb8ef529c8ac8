// The handler of kernel `own_gates`, written from crates/annulus-conformance/src/kernels/everyday.rs:+0 (module annulus_conformance::kernels::everyday).
#pragma OPENCL FP_CONTRACT OFF

typedef union Shape {
    u8 tag; // 0 Round, 1 Square, 2 Line, 3 Point
    struct {
        u8 ann_tag;
        u8 ann_pad0[3];
        u32 size;
        u8 ann_pad1[4];
    } Round;
    struct {
        u8 ann_tag;
        u8 ann_pad0[3];
        u32 size;
        u8 tilted;
        u8 ann_pad1[3];
    } Square;
    struct {
        u8 ann_tag;
        u8 ann_pad0[3];
        u32 field_0;
        i32 field_1;
    } Line;
} Shape;
typedef char ann_size_of_Shape[sizeof(Shape) == 12 ? 1 : -1];
typedef char ann_size_of_Shape_Round[sizeof(((PRIVATE Shape *)0)->Round) == 12 ? 1 : -1];
typedef char ann_size_of_Shape_Square[sizeof(((PRIVATE Shape *)0)->Square) == 12 ? 1 : -1];
typedef char ann_size_of_Shape_Line[sizeof(((PRIVATE Shape *)0)->Line) == 12 ? 1 : -1];

typedef struct u8_x8 { u8 at[8]; } u8_x8;

typedef struct i32_x8 { i32 at[8]; } i32_x8;

typedef struct u16_x6 { u16 at[6]; } u16_x6;

typedef struct List {
    u32 len;
    u16_x6 items;
} List;
typedef char ann_size_of_List[sizeof(List) == 16 ? 1 : -1];

typedef struct u8_x12 { u8 at[12]; } u8_x12;

typedef struct Text {
    u32 len;
    u8_x12 items;
} Text;
typedef char ann_size_of_Text[sizeof(Text) == 16 ? 1 : -1];

typedef struct Asked {
    u32 key;
    u32 a;
    i32 b;
    u8 on;
    u8 ann_pad0[3];
    Shape shape;
    u8_x8 bytes;
    i32_x8 numbers;
    List list;
    Text text;
} Asked;
typedef char ann_size_of_Asked[sizeof(Asked) == 100 ? 1 : -1];

typedef struct Told {
    i64 x;
    i64 y;
} Told;
typedef char ann_size_of_Told[sizeof(Told) == 16 ? 1 : -1];

typedef struct Gate {
    u32 open;
    i32 least;
} Gate;
typedef char ann_size_of_Gate[sizeof(Gate) == 8 ? 1 : -1];

typedef union Mode {
    u8 tag; // 0 Even, 1 Above
    struct {
        u8 ann_tag;
        u8 ann_pad0[3];
        i32 field_0;
    } Above;
} Mode;
typedef char ann_size_of_Mode[sizeof(Mode) == 8 ? 1 : -1];
typedef char ann_size_of_Mode_Above[sizeof(((PRIVATE Mode *)0)->Above) == 8 ? 1 : -1];

// everyday.rs:-32: Gate::retain
static bool fn_Gate_retain(PRIVATE Gate *self, Mode mode) {
    // everyday.rs:-31
    self->open = self->open + 1u;
    // everyday.rs:-30
    bool chosen;
    if (mode.tag == 0) {
        // everyday.rs:-29
        chosen = (self->least % 2) == 0;
    } else {
        // everyday.rs:-28
        i32 limit = mode.Above.field_0;
        chosen = self->least > limit;
    }
    return chosen;
}

// everyday.rs:-24: Gate::filter
static i32 fn_Gate_filter(PRIVATE const Gate *self, Mode mode) {
    // everyday.rs:-23
    return (mode.tag == 0) ? (self->least & ((i32)~1)) : self->least;
}

// everyday.rs:-20: Gate::then
static Gate fn_Gate_then(Gate self, Mode mode) {
    // everyday.rs:-19
    i32 least;
    if (mode.tag == 1) {
        i32 limit = mode.Above.field_0;
        least = limit;
    } else {
        least = 0;
    }
    // everyday.rs:-18
    Gate gate = self;
    gate.least = least;
    return gate;
}

// everyday.rs:-11: Gate::flatten
static i32 fn_Gate_flatten(Gate self) {
    // everyday.rs:-10
    return rs_abs_i32(self.least);
}

// everyday.rs:-15: Gate::zip
static i64 fn_Gate_zip(PRIVATE const Gate *self, i32 other) {
    // everyday.rs:-14
    return rs_mul_i64((i64)self->least, (i64)other);
}

// everyday.rs:-7: Gate::midpoint
static i32 fn_Gate_midpoint(PRIVATE const Gate *self) {
    // everyday.rs:-6
    return self->least / 2;
}

static u32 handle_own_gates(GLOBAL const Asked *asked, PRIVATE Gate *gate, PRIVATE ann_outbox *told) {
    // everyday.rs:+1
    gate->least = asked->numbers.at[0];
    // everyday.rs:+2
    Mode mode;
    mode.tag = 0; // Even
    bool even = fn_Gate_retain(gate, mode);
    // everyday.rs:+3
    Mode mode_2;
    mode_2.tag = 1; // Above
    mode_2.Above.field_0 = asked->b;
    bool above = fn_Gate_retain(gate, mode_2);
    // everyday.rs:+4
    Mode mode_3;
    mode_3.tag = 0; // Even
    i32 filter = fn_Gate_filter(gate, mode_3);
    Mode mode_4;
    mode_4.tag = 1; // Above
    mode_4.Above.field_0 = 3;
    i32 filter_2 = fn_Gate_filter(gate, mode_4);
    i64 x = rs_add_i64((i64)filter, (i64)filter_2);
    // everyday.rs:+5
    Mode mode_5;
    mode_5.tag = 0; // Even
    Gate then = fn_Gate_then((*gate), mode_5);
    Mode mode_6;
    mode_6.tag = 1; // Above
    mode_6.Above.field_0 = asked->b;
    Gate then_3 = fn_Gate_then(then, mode_6);
    // everyday.rs:+6
    i32 flatten = fn_Gate_flatten(then_3);
    i64 zip = fn_Gate_zip(gate, flatten / 2);
    i32 midpoint = fn_Gate_midpoint(gate);
    i64 y = rs_add_i64(zip, (i64)midpoint);
    // everyday.rs:+7
    Told told_2;
    told_2.x = rs_add_i64(rs_add_i64(rs_mul_i64(x, 4l), rs_mul_i64((i64)even, 2l)), (i64)above);
    told_2.y = rs_add_i64(y, (i64)gate->open);
    {
        GLOBAL Told *ann_slot = (GLOBAL Told *)ann_outbox_next(told);
        if (ann_slot) *ann_slot = told_2;
    }
    return 0u;
}

#define ANN_MESSAGE Asked
#define ANN_MESSAGE_BYTES 100
#define ANN_OUTPUT Told
#define ANN_OUTPUT_BYTES 16
#define ANN_STATE Gate
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->key)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_own_gates(message, state, outbox)
