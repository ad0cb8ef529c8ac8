// The handler of kernel `remind_by_two`, written from crates/annulus-conformance/src/kernels/timers.rs:+0 (module annulus_conformance::kernels::timers).
#pragma OPENCL FP_CONTRACT OFF

/* Where the next output of one of several outboxes goes; null, and the message fails, beyond what this one may
   send. `sent` counts the outputs of each. */
RS_FN GLOBAL u8 *ann_port_next(PRIVATE ann_outbox *outbox, PRIVATE u32 *sent, u32 port, u32 limit)
{
    if (sent[port] >= limit) {
        outbox->refused = 1;
        return 0;
    }
    sent[port] += 1;
    return ann_outbox_next(outbox);
}

/* A message of a block to itself, or the place of one. The heap of those that wait is in front; what is behind it
   names the places that are free. */
typedef struct {
    u64 due; /* on the runtime's clock */
    u32 number; /* in the order in which timers were set, wrapping */
    u32 place;
} ann_timer;

/* Where the timers go that a call sets. */
typedef struct {
    GLOBAL ann_timer *next; /* those that it sets, with the places of their messages */
    GLOBAL u8 *first; /* the message in place 0, */
    u64 stride;       /* and the distance to the next */
    u64 now;
    u32 limit;
    u32 set;
    u32 refused;
} ann_later;

/* Where the message of the next timer goes; null, and the message fails, beyond what there is room for. */
RS_FN GLOBAL u8 *ann_later_next(PRIVATE ann_later *later, u64 nanos)
{
    if (later->set >= later->limit) {
        later->refused = 1;
        return 0;
    }
    GLOBAL ann_timer *timer = later->next + later->set;
    later->set += 1;
    u64 due = later->now + nanos;
    timer->due = due < nanos ? 0xFFFFFFFFFFFFFFFFul : due;
    return later->first + timer->place * later->stride;
}

typedef struct Remind {
    u32 actor;
    u32 to;
    u32 id;
    u32 sets;
    u32 repeats;
    u32 fails;
    u64 after;
    u64 set_at;
} Remind;
typedef char ann_size_of_Remind[sizeof(Remind) == 40 ? 1 : -1];

typedef struct Reminded {
    u32 id;
    u32 actor;
    u64 count;
    u64 set_at;
    u64 due;
    u64 now;
} Reminded;
typedef char ann_size_of_Reminded[sizeof(Reminded) == 40 ? 1 : -1];

typedef struct Number {
    u64 value;
} Number;
typedef char ann_size_of_Number[sizeof(Number) == 8 ? 1 : -1];

typedef union outputs_of_remind_by_two {
    u64 tag; // 0ul reminded, 1ul numbers
    struct {
        u64 ann_tag;
        Reminded field_0;
    } reminded;
    struct {
        u64 ann_tag;
        Number field_0;
        u8 ann_pad0[32];
    } numbers;
} outputs_of_remind_by_two;
typedef char ann_size_of_outputs_of_remind_by_two[sizeof(outputs_of_remind_by_two) == 48 ? 1 : -1];
typedef char ann_size_of_outputs_of_remind_by_two_reminded[sizeof(((PRIVATE outputs_of_remind_by_two *)0)->reminded) == 48 ? 1 : -1];
typedef char ann_size_of_outputs_of_remind_by_two_numbers[sizeof(((PRIVATE outputs_of_remind_by_two *)0)->numbers) == 48 ? 1 : -1];

typedef struct Total {
    u64 sum;
} Total;
typedef char ann_size_of_Total[sizeof(Total) == 8 ? 1 : -1];

static u32 handle_remind_by_two(ann_cx cx, GLOBAL const Remind *message, PRIVATE Total *total, PRIVATE ann_outbox *outbox, PRIVATE ann_later *later, u64 ann_time) {
    u32 ann_sent[2] = { 0u, 0u };
    // timers.rs:+8
    total->sum = total->sum + 1ul;
    // timers.rs:+9
    u64 due = 0ul;
    // timers.rs:+10
    if (message->set_at != 0ul) {
        // timers.rs:+11
        due = message->set_at + message->after;
    }
    // timers.rs:+13
    Number number;
    number.value = (u64)message->id;
    {
        GLOBAL outputs_of_remind_by_two *ann_slot = (GLOBAL outputs_of_remind_by_two *)ann_port_next(outbox, ann_sent, 1u, 1u);
        if (ann_slot) {
            ann_slot->tag = 1ul;
            ann_slot->numbers.field_0 = number;
        }
    }
    // timers.rs:+14
    Reminded reminded;
    reminded.id = message->id;
    reminded.actor = message->actor;
    reminded.count = total->sum;
    reminded.set_at = message->set_at;
    reminded.due = due;
    reminded.now = ann_time;
    {
        GLOBAL outputs_of_remind_by_two *ann_slot = (GLOBAL outputs_of_remind_by_two *)ann_port_next(outbox, ann_sent, 0u, 1u);
        if (ann_slot) {
            ann_slot->tag = 0ul;
            ann_slot->reminded.field_0 = reminded;
        }
    }
    // timers.rs:+22
    if (message->sets != 0u) {
        // timers.rs:+23
        Remind next = (*message);
        // timers.rs:+24
        next.id = next.id + 1u;
        // timers.rs:+25
        next.sets = (u32)(message->repeats != 0u);
        // timers.rs:+26
        next.repeats = rs_saturating_sub_u32(message->repeats, 1u);
        // timers.rs:+27
        next.set_at = ann_time;
        // timers.rs:+28
        {
            GLOBAL Remind *ann_slot = (GLOBAL Remind *)ann_later_next(later, message->after);
            if (ann_slot) *ann_slot = next;
        }
    }
    return 0u;
}

#define ANN_MESSAGE Remind
#define ANN_MESSAGE_BYTES 40
#define ANN_OUTPUT outputs_of_remind_by_two
#define ANN_OUTPUT_BYTES 48
#define ANN_PORTS 2
#define ANN_PORT_OFFSET(port) ((port) == 0u ? 8u : 8u)
#define ANN_PORT_BYTES(port) ((port) == 0u ? 40u : 8u)
#define ANN_PORT_IS_KEYED(port) ((port) == 0u ? 0u : 0u)
#define ANN_PORT_KEY(port, output) ((port) == 0u ? (u64)0 : (u64)0)
#define ANN_STATE Total
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->actor)
#define ANN_MAX_OUTPUTS 2
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_TIMERS 8u
#define ANN_MAX_TIMERS 1u
#define ANN_ASKS_TIME 1
#define ANN_CALL(cx, message, state, outbox) handle_remind_by_two(cx, message, state, outbox, later, time)
