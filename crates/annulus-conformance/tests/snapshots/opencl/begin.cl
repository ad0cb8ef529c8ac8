// The handler of kernel `begin`, written from crates/annulus-conformance/src/kernels/stamps.rs:+0 (module annulus_conformance::kernels::stamps).
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
    u32 tag; // 0u Say, 1u Start
    struct {
        u32 ann_tag;
        u8 ann_pad0[4];
        u64 word;
    } Say;
} Begun;
typedef char ann_size_of_Begun[sizeof(Begun) == 16 ? 1 : -1];
typedef char ann_size_of_Begun_Say[sizeof(((PRIVATE Begun *)0)->Say) == 16 ? 1 : -1];

typedef struct Number {
    u64 value;
} Number;
typedef char ann_size_of_Number[sizeof(Number) == 8 ? 1 : -1];

static u32 handle_begin(ann_cx cx, GLOBAL const Begun *begun, PRIVATE ann_outbox *out, u64 ann_message_stamp) {
    // stamps.rs:+1
    if (begun->tag == 0u) {
        // stamps.rs:+2
        Number number;
        number.value = ann_message_stamp + begun->Say.word;
        {
            GLOBAL Number *ann_slot = (GLOBAL Number *)ann_outbox_next(out);
            if (ann_slot) *ann_slot = number;
        }
    } else {
        // stamps.rs:+3
        Number number;
        number.value = ann_message_stamp;
        {
            GLOBAL Number *ann_slot = (GLOBAL Number *)ann_outbox_next(out);
            if (ann_slot) *ann_slot = number;
        }
    }
    return 0u;
}

#define ANN_MESSAGE Begun
#define ANN_MESSAGE_BYTES 16
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
#define ANN_START_TAG 1u
#define ANN_ASKS_TIME 1
#define ANN_ASKS_STAMP 1
#define ANN_CALL(cx, message, state, outbox) handle_begin(cx, message, outbox, stamp)
