// The handler of kernel `put_off`, written from crates/annulus-conformance/src/kernels/stamps.rs:+0 (module annulus_conformance::kernels::stamps).
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

typedef struct Step {
    u32 actor;
    u32 hops;
    u64 cause;
} Step;
typedef char ann_size_of_Step[sizeof(Step) == 16 ? 1 : -1];

static u32 handle_put_off(ann_cx cx, GLOBAL const Step *step_, PRIVATE ann_outbox *out, PRIVATE ann_later *later, u64 ann_message_stamp) {
    // stamps.rs:+1
    if (ann_message_stamp <= step_->cause) {
        // stamps.rs:+2
        return 81u;
    }
    // stamps.rs:+4
    Step next;
    next.actor = step_->actor;
    next.hops = step_->hops + 1u;
    next.cause = ann_message_stamp;
    // stamps.rs:+5
    if (rs_is_multiple_of_u32(step_->hops, 2u)) {
        // stamps.rs:+6
        {
            GLOBAL Step *ann_slot = (GLOBAL Step *)ann_later_next(later, 1000ul);
            if (ann_slot) *ann_slot = next;
        }
    } else {
        // stamps.rs:+8
        {
            GLOBAL Step *ann_slot = (GLOBAL Step *)ann_outbox_next(out);
            if (ann_slot) *ann_slot = next;
        }
    }
    // stamps.rs:+10
    return 0u;
}

#define ANN_MESSAGE Step
#define ANN_MESSAGE_BYTES 16
#define ANN_OUTPUT Step
#define ANN_OUTPUT_BYTES 16
#define ANN_OUTPUT_KEY(message) ((u64)(message)->actor)
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->actor)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_TIMERS 64u
#define ANN_MAX_TIMERS 1u
#define ANN_ASKS_TIME 1
#define ANN_ASKS_STAMP 1
#define ANN_CALL(cx, message, state, outbox) handle_put_off(cx, message, outbox, later, stamp)
