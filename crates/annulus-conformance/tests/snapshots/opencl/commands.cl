// The handler of kernel `commands`, written from crates/annulus-conformance/src/kernels/constructs.rs:+0 (module annulus_conformance::kernels::constructs).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Point {
    f32 x;
    f32 y;
    u8 z;
    u8 ann_pad0[3];
} Point;
typedef char ann_size_of_Point[sizeof(Point) == 12 ? 1 : -1];

typedef union Kind {
    i8 tag; // (-3) Idle, (-2) Busy, 7 Done
} Kind;
typedef char ann_size_of_Kind[sizeof(Kind) == 1 ? 1 : -1];

typedef union Command {
    u16 tag; // 0 Add, 1 Scale, 2 Move, 3 Close
    struct {
        u16 ann_tag;
        u8 ann_pad0[2];
        u32 account;
        i64 amount;
        u8 ann_pad1[8];
    } Add;
    struct {
        u16 ann_tag;
        u8 field_0;
        u8 ann_pad0[1];
        f32 field_1;
        u8 ann_pad1[16];
    } Scale;
    struct {
        u16 ann_tag;
        u8 ann_pad0[2];
        Point point;
        u16 account;
        Kind kind;
        u8 ann_pad1[5];
    } Move;
    struct {
        u16 ann_tag;
        u8 ann_pad0[6];
        u64 field_0;
        u8 ann_pad1[8];
    } Close;
} Command;
typedef char ann_size_of_Command[sizeof(Command) == 24 ? 1 : -1];
typedef char ann_size_of_Command_Add[sizeof(((PRIVATE Command *)0)->Add) == 24 ? 1 : -1];
typedef char ann_size_of_Command_Scale[sizeof(((PRIVATE Command *)0)->Scale) == 24 ? 1 : -1];
typedef char ann_size_of_Command_Move[sizeof(((PRIVATE Command *)0)->Move) == 24 ? 1 : -1];
typedef char ann_size_of_Command_Close[sizeof(((PRIVATE Command *)0)->Close) == 24 ? 1 : -1];

typedef union Event {
    u8 tag; // 0 Moved, 1 Balance, 2 Closed
    struct {
        u8 ann_tag;
        u8 ann_pad0[3];
        Point to;
        Kind kind;
        u8 ann_pad1[7];
    } Moved;
    struct {
        u8 ann_tag;
        u8 ann_pad0[7];
        i64 field_0;
        u8 ann_pad1[8];
    } Balance;
} Event;
typedef char ann_size_of_Event[sizeof(Event) == 24 ? 1 : -1];
typedef char ann_size_of_Event_Moved[sizeof(((PRIVATE Event *)0)->Moved) == 24 ? 1 : -1];
typedef char ann_size_of_Event_Balance[sizeof(((PRIVATE Event *)0)->Balance) == 24 ? 1 : -1];

typedef struct i16_x3 { i16 at[3]; } i16_x3;

typedef struct i16_x3_x2 { i16_x3 at[2]; } i16_x3_x2;

typedef struct Inner {
    i8 low;
    u8 ann_pad0[7];
    u64 wide;
    i16_x3_x2 grid;
    u8 ann_pad1[4];
} Inner;
typedef char ann_size_of_Inner[sizeof(Inner) == 32 ? 1 : -1];

typedef struct u32_x5 { u32 at[5]; } u32_x5;

typedef struct Inner_x2 { Inner at[2]; } Inner_x2;

typedef struct Outer {
    u8 flag;
    u8 ann_pad0[7];
    Inner inner;
    u32_x5 list;
    u8 ann_pad1[4];
    Inner_x2 parts;
    Kind kind;
    u8 ann_pad2[7];
    f64 ratio;
} Outer;
typedef char ann_size_of_Outer[sizeof(Outer) == 144 ? 1 : -1];

CONSTANT const Point ORIGIN = { .x = (-0.0f), .y = (-RS_INFINITY_F32), .z = 9 };

static u32 handle_commands(GLOBAL const Command *command, PRIVATE Outer *state, PRIVATE ann_outbox *events) {
    // constructs.rs:+1
    if ((command->tag == 0) && (command->Add.amount < 0l)) {
        // constructs.rs:+2
        return 77u;
    } else if (command->tag == 0) {
        // constructs.rs:+4
        state->inner.wide = state->inner.wide + rs_unsigned_abs_i64(command->Add.amount);
        // constructs.rs:+5
        u64 at = ((u64)command->Add.account) % 5ul;
        if (at >= 5ul) return 0xFF04u; // index out of bounds
        state->list.at[at] = state->list.at[at] + 1u;
        // constructs.rs:+6
        Event event;
        event.tag = 1; // Balance
        event.Balance.field_0 = command->Add.amount;
        {
            GLOBAL Event *ann_slot = (GLOBAL Event *)ann_outbox_next(events);
            if (ann_slot) *ann_slot = event;
        }
    } else if (command->tag == 1) {
        // constructs.rs:+9
        state->ratio = ((f64)command->Scale.field_1) * ((f64)command->Scale.field_0);
        // constructs.rs:+10
        Kind kind;
        kind.tag = (-2); // Busy
        state->kind = kind;
    } else if (command->tag == 2) {
        // constructs.rs:+12
        f32 x = command->Move.point.x;
        f32 y = command->Move.point.y;
        Kind kind = command->Move.kind;
        u16 account = command->Move.account;
        // constructs.rs:+13
        Kind kind_2;
        if (kind.tag == (-3)) {
            // constructs.rs:+14
            kind_2.tag = 7; // Done
        } else if ((kind.tag == (-2)) && (account > 3)) {
            // constructs.rs:+15
            kind_2 = state->kind;
        } else {
            // constructs.rs:+16
            Kind other = kind;
            kind_2 = other;
        }
        // constructs.rs:+18
        state->kind = kind_2;
        // constructs.rs:+19
        Point point = ORIGIN;
        point.x = y;
        point.y = x;
        Event event;
        event.tag = 0; // Moved
        event.Moved.to = point;
        event.Moved.kind = kind_2;
        {
            GLOBAL Event *ann_slot = (GLOBAL Event *)ann_outbox_next(events);
            if (ann_slot) *ann_slot = event;
        }
        // constructs.rs:+20
        if (kind_2.tag == 7) {
            // constructs.rs:+21
            Event event_2;
            event_2.tag = 2; // Closed
            {
                GLOBAL Event *ann_slot = (GLOBAL Event *)ann_outbox_next(events);
                if (ann_slot) *ann_slot = event_2;
            }
        }
    } else {
        // constructs.rs:+24
        Event event;
        event.tag = 2; // Closed
        {
            GLOBAL Event *ann_slot = (GLOBAL Event *)ann_outbox_next(events);
            if (ann_slot) *ann_slot = event;
        }
    }
    // constructs.rs:+26
    state->flag = ((command->tag == 3) && (command->Close.field_0 <= 9ul)) || (command->tag == 1);
    // constructs.rs:+27
    return 0u;
}

#define ANN_MESSAGE Command
#define ANN_MESSAGE_BYTES 24
#define ANN_OUTPUT Event
#define ANN_OUTPUT_BYTES 24
#define ANN_STATE Outer
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((message)->tag == 0 ? (u64)(message)->Add.account : (message)->tag == 1 ? (u64)(message)->Scale.field_0 : (message)->tag == 2 ? (u64)(message)->Move.account : (u64)(message)->Close.field_0)
#define ANN_MAX_OUTPUTS 2
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_commands(message, state, outbox)
