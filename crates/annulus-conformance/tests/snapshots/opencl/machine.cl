// The handler of kernel `machine`, written from crates/annulus-conformance/src/kernels/corners.rs:+0 (module annulus_conformance::kernels::corners).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Small {
    u16 key;
    u8 a;
    u8 ann_pad0[1];
    i32 b;
    u8 on;
    u8 ann_pad1[3];
    f32 x;
} Small;
typedef char ann_size_of_Small[sizeof(Small) == 16 ? 1 : -1];

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

typedef struct Kind_x3 { Kind at[3]; } Kind_x3;

typedef union Phase {
    u8 tag; // 0 Idle, 1 Counting, 2 Holding
    struct {
        u8 ann_tag;
        u8 left;
        i16 step_;
        u8 ann_pad0[16];
    } Counting;
    struct {
        u8 ann_tag;
        u8 ann_pad0[3];
        Point field_0;
        Kind_x3 field_1;
        u8 ann_pad1[1];
    } Holding;
} Phase;
typedef char ann_size_of_Phase[sizeof(Phase) == 20 ? 1 : -1];
typedef char ann_size_of_Phase_Counting[sizeof(((PRIVATE Phase *)0)->Counting) == 20 ? 1 : -1];
typedef char ann_size_of_Phase_Holding[sizeof(((PRIVATE Phase *)0)->Holding) == 20 ? 1 : -1];

typedef struct Phase_x3 { Phase at[3]; } Phase_x3;

typedef struct Machine {
    Phase phase;
    Phase_x3 history;
    u16 turns;
    u8 ann_pad0[2];
} Machine;
typedef char ann_size_of_Machine[sizeof(Machine) == 84 ? 1 : -1];

static u32 handle_machine(GLOBAL const Small *message, PRIVATE Machine *machine, PRIVATE ann_outbox *events) {
    u32 ann_budget = 16777216u;
    // corners.rs:+6
    Phase before = machine->phase;
    // corners.rs:+7
    if (machine->phase.tag == 0) {
        // corners.rs:+9
        Phase phase;
        phase.tag = 1; // Counting
        phase.Counting.left = message->a % 20;
        phase.Counting.step_ = (i16)message->b;
        machine->phase = phase;
    } else if ((machine->phase.tag == 1) && (machine->phase.Counting.left == 0)) {
        // corners.rs:+12
        Point point;
        point.x = message->x;
        point.y = 1.0f;
        point.z = message->a;
        // corners.rs:+13
        Kind kind;
        kind.tag = (-2); // Busy
        Kind_x3 items;
        for (u64 i = 0ul; i < 3ul; i += 1) {
            items.at[i] = kind;
        }
        Phase phase;
        phase.tag = 2; // Holding
        phase.Holding.field_0 = point;
        phase.Holding.field_1 = items;
        machine->phase = phase;
    } else if ((machine->phase.tag == 1) && message->on) {
        // corners.rs:+16
        machine->phase.Counting.left = rs_sub_u8(machine->phase.Counting.left, 1);
        // corners.rs:+17
        machine->phase.Counting.step_ = rs_mul_i16(machine->phase.Counting.step_, 3);
        // corners.rs:+18
        if (machine->phase.Counting.step_ == 0) {
            // corners.rs:+19
            return 9u;
        }
    } else if (machine->phase.tag == 1) {
        // corners.rs:+22
        Event event;
        event.tag = 2; // Closed
        {
            GLOBAL Event *ann_slot = (GLOBAL Event *)ann_outbox_next(events);
            if (ann_slot) *ann_slot = event;
        }
    } else {
        // corners.rs:+24
        machine->phase.Holding.field_0.x = machine->phase.Holding.field_0.x + 1.0f;
        // corners.rs:+25
        for (u64 i = 0ul; i < 3ul; i += 1) {
            if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
            // corners.rs:+26
            Kind chosen_2;
            if (machine->phase.Holding.field_1.at[i].tag == (-3)) {
                // corners.rs:+27
                chosen_2.tag = (-2); // Busy
            } else if ((machine->phase.Holding.field_1.at[i].tag == (-2)) && (i == 1ul)) {
                // corners.rs:+28
                chosen_2.tag = (-3); // Idle
            } else if (machine->phase.Holding.field_1.at[i].tag == (-2)) {
                // corners.rs:+29
                chosen_2.tag = 7; // Done
            } else {
                // corners.rs:+30
                continue;
            }
            machine->phase.Holding.field_1.at[i] = chosen_2;
        }
        // corners.rs:+33
        u64 at = ((u64)message->a) % 3ul;
        if (at >= 3ul) return 0xFF04u; // index out of bounds
        Event event;
        event.tag = 0; // Moved
        event.Moved.to = machine->phase.Holding.field_0;
        event.Moved.kind = machine->phase.Holding.field_1.at[at];
        {
            GLOBAL Event *ann_slot = (GLOBAL Event *)ann_outbox_next(events);
            if (ann_slot) *ann_slot = event;
        }
    }
    // corners.rs:+36
    machine->history.at[2] = machine->history.at[1];
    // corners.rs:+37
    machine->history.at[1] = machine->history.at[0];
    // corners.rs:+38
    machine->history.at[0] = before;
    // corners.rs:+39
    machine->turns = rs_add_u16(machine->turns, 1);
    // corners.rs:+40
    u64 at = ((u64)message->a) % 3ul;
    if (at >= 3ul) return 0xFF04u; // index out of bounds
    if (machine->history.at[at].tag != 1) {
        // corners.rs:+41
        machine->turns = rs_add_u16(machine->turns, 100);
        // corners.rs:+42
        return 0u;
    }
    u8 left = machine->history.at[at].Counting.left;
    i16 step_ = machine->history.at[at].Counting.step_;
    // corners.rs:+44
    Phase phase = machine->phase;
    // corners.rs:+45
    for (;;) {
        if (!((phase.tag == 1) && (phase.Counting.left >= 2))) {
            break;
        }
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // corners.rs:+46
        phase.Counting.step_ = rs_sub_i16(phase.Counting.step_, 1);
        // corners.rs:+47
        if ((phase.Counting.step_ % 5) == 0) {
            // corners.rs:+48
            Phase phase_2;
            phase_2.tag = 0; // Idle
            phase = phase_2;
        }
    }
    // corners.rs:+51
    if (phase.tag == 0) {
        // corners.rs:+52
        Event event;
        event.tag = 1; // Balance
        event.Balance.field_0 = rs_mul_i64((i64)left, (i64)step_);
        {
            GLOBAL Event *ann_slot = (GLOBAL Event *)ann_outbox_next(events);
            if (ann_slot) *ann_slot = event;
        }
    } else if ((machine->phase.tag == 2) && ((machine->phase.Holding.field_0.z >= 1) && (machine->phase.Holding.field_0.z <= 200))) {
        u8 z = machine->phase.Holding.field_0.z;
        // corners.rs:+54
        Event event;
        event.tag = 1; // Balance
        event.Balance.field_0 = (i64)z;
        {
            GLOBAL Event *ann_slot = (GLOBAL Event *)ann_outbox_next(events);
            if (ann_slot) *ann_slot = event;
        }
    }
    // corners.rs:+56
    return 0u;
}

#define ANN_MESSAGE Small
#define ANN_MESSAGE_BYTES 16
#define ANN_OUTPUT Event
#define ANN_OUTPUT_BYTES 24
#define ANN_STATE Machine
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->key)
#define ANN_MAX_OUTPUTS 2
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_machine(message, state, outbox)
