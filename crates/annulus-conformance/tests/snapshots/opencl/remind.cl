// The handler of kernel `remind`, written from crates/annulus-conformance/src/kernels/timers.rs:+0 (module annulus_conformance::kernels::timers).
#pragma OPENCL FP_CONTRACT OFF

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

typedef struct Total {
    u64 sum;
} Total;
typedef char ann_size_of_Total[sizeof(Total) == 8 ? 1 : -1];

static u32 handle_remind(ann_cx cx, GLOBAL const Remind *message, PRIVATE Total *total, PRIVATE ann_outbox *out, PRIVATE ann_later *later, u64 ann_time) {
    u32 ann_budget = 16777216u;
    // timers.rs:+7
    total->sum = total->sum + 1ul;
    // timers.rs:+8
    u64 due = 0ul;
    // timers.rs:+9
    if (message->set_at != 0ul) {
        // timers.rs:+10
        due = message->set_at + message->after;
    }
    // timers.rs:+12
    Reminded reminded;
    reminded.id = message->id;
    reminded.actor = message->actor;
    reminded.count = total->sum;
    reminded.set_at = message->set_at;
    reminded.due = due;
    reminded.now = ann_time;
    {
        GLOBAL Reminded *ann_slot = (GLOBAL Reminded *)ann_outbox_next(out);
        if (ann_slot) *ann_slot = reminded;
    }
    // timers.rs:+20
    u32 end = message->sets;
    for (u32 i = 0u; i < end; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // timers.rs:+21
        Remind next = (*message);
        // timers.rs:+22
        next.actor = message->to;
        // timers.rs:+23
        next.id = next.id + (i + 1u);
        // timers.rs:+24
        next.sets = 0u;
        // timers.rs:+25
        if (message->repeats != 0u) {
            // timers.rs:+26
            next.sets = 1u;
            // timers.rs:+27
            next.repeats = message->repeats - 1u;
        }
        // timers.rs:+29
        next.set_at = ann_time;
        // timers.rs:+30
        {
            GLOBAL Remind *ann_slot = (GLOBAL Remind *)ann_later_next(later, message->after);
            if (ann_slot) *ann_slot = next;
        }
    }
    // timers.rs:+32
    if (message->fails != 0u) {
        // timers.rs:+33
        return 9u;
    }
    // timers.rs:+35
    return 0u;
}

#define ANN_MESSAGE Remind
#define ANN_MESSAGE_BYTES 40
#define ANN_OUTPUT Reminded
#define ANN_OUTPUT_BYTES 40
#define ANN_STATE Total
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->actor)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_TIMERS 8u
#define ANN_MAX_TIMERS 8u
#define ANN_ASKS_TIME 1
#define ANN_CALL(cx, message, state, outbox) handle_remind(cx, message, state, outbox, later, time)
