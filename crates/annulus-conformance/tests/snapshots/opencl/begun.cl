// The handler of kernel `begun`, written from crates/annulus-conformance/src/kernels/events.rs:+0 (module annulus_conformance::kernels::events).
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

typedef union Begun {
    u8 tag; // 0 Take, 200 Start
    struct {
        u8 ann_tag;
        u8 field_0;
    } Take;
} Begun;
typedef char ann_size_of_Begun[sizeof(Begun) == 2 ? 1 : -1];
typedef char ann_size_of_Begun_Take[sizeof(((PRIVATE Begun *)0)->Take) == 2 ? 1 : -1];

typedef struct Number {
    u64 value;
} Number;
typedef char ann_size_of_Number[sizeof(Number) == 8 ? 1 : -1];

static u32 handle_begun(GLOBAL const Begun *message, PRIVATE ann_outbox *out) {
    // events.rs:+1
    if (message->tag == 0) {
        // events.rs:+2
        Number number;
        number.value = (u64)message->Take.field_0;
        {
            GLOBAL Number *ann_slot = (GLOBAL Number *)ann_outbox_next(out);
            if (ann_slot) *ann_slot = number;
        }
    } else {
        // events.rs:+3
        Number number;
        number.value = 1000ul;
        {
            GLOBAL Number *ann_slot = (GLOBAL Number *)ann_outbox_next(out);
            if (ann_slot) *ann_slot = number;
        }
    }
    return 0u;
}

#define ANN_MESSAGE Begun
#define ANN_MESSAGE_BYTES 2
#define ANN_OUTPUT Number
#define ANN_OUTPUT_BYTES 8
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_TIMERS 0u
#define ANN_MAX_TIMERS 0u
#define ANN_START_TAG 200
#define ANN_ASKS_TIME 1
#define ANN_CALL(cx, message, state, outbox) handle_begun(message, outbox)
