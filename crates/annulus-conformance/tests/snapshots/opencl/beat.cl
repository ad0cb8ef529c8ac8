// The handler of kernel `beat`, written from crates/annulus-conformance/src/kernels/events.rs:+0 (module annulus_conformance::kernels::events).
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

typedef union Pulse {
    u32 tag; // 0u Set, 1u Tick, 2u Start, 3u Fail
    struct {
        u32 ann_tag;
        u32 timers;
        u32 fails;
    } Set;
    struct {
        u32 ann_tag;
        u32 ticks;
        u8 ann_pad0[4];
    } Fail;
} Pulse;
typedef char ann_size_of_Pulse[sizeof(Pulse) == 12 ? 1 : -1];
typedef char ann_size_of_Pulse_Set[sizeof(((PRIVATE Pulse *)0)->Set) == 12 ? 1 : -1];
typedef char ann_size_of_Pulse_Fail[sizeof(((PRIVATE Pulse *)0)->Fail) == 12 ? 1 : -1];

typedef struct Beat {
    u32 of;
    u32 block;
    u64 number;
    u64 now;
} Beat;
typedef char ann_size_of_Beat[sizeof(Beat) == 24 ? 1 : -1];

typedef struct Beats {
    u64 number;
} Beats;
typedef char ann_size_of_Beats[sizeof(Beats) == 8 ? 1 : -1];

static u32 handle_beat(ann_cx cx, GLOBAL const Pulse *message, PRIVATE Beats *beats, PRIVATE ann_outbox *out, PRIVATE ann_later *later, GLOBAL u32 *failing, u64 failing_len, u64 ann_time) {
    u32 ann_budget = 16777216u;
    // events.rs:+8
    u32 of;
    if (message->tag == 0u) {
        // events.rs:+10
        u32 end = message->Set.timers;
        for (u32 i = 0u; i < end; i += 1) {
            if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
            // events.rs:+11
            Pulse pulse;
            pulse.tag = 0u; // Set
            pulse.Set.timers = 0u;
            pulse.Set.fails = 0u;
            {
                GLOBAL Pulse *ann_slot = (GLOBAL Pulse *)ann_later_next(later, 3600000000000ul);
                if (ann_slot) *ann_slot = pulse;
            }
        }
        // events.rs:+13
        if (message->Set.fails != 0u) {
            // events.rs:+14
            return 5u;
        }
        // events.rs:+16
        of = 0u;
    } else if (message->tag == 3u) {
        // events.rs:+20
        if (0ul >= failing_len) return 0xFF04u; // index out of bounds
        failing[0] = message->Fail.ticks;
        // events.rs:+21
        of = 3u;
    } else if (message->tag == 1u) {
        // events.rs:+23
        of = 1u;
    } else {
        // events.rs:+24
        of = 2u;
    }
    // events.rs:+26
    Beat beat;
    beat.of = of;
    beat.block = cx.block_index;
    beat.number = beats->number;
    beat.now = ann_time;
    {
        GLOBAL Beat *ann_slot = (GLOBAL Beat *)ann_outbox_next(out);
        if (ann_slot) *ann_slot = beat;
    }
    // events.rs:+27
    beats->number = beats->number + 1ul;
    // events.rs:+28
    bool both = of == 1u;
    if (both) {
        if (0ul >= failing_len) return 0xFF04u; // index out of bounds
        both = failing[0] != 0u;
    }
    if (both) {
        // events.rs:+29
        if (0ul >= failing_len) return 0xFF04u; // index out of bounds
        failing[0] = failing[0] - 1u;
        // events.rs:+30
        return 6u;
    }
    // events.rs:+32
    return 0u;
}

#define ANN_MESSAGE Pulse
#define ANN_MESSAGE_BYTES 12
#define ANN_OUTPUT Beat
#define ANN_OUTPUT_BYTES 24
#define ANN_STATE Beats
#define ANN_SHAPE ANN_WHOLE
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS , GLOBAL u32 *bind_failing, u64 len_of_bind_failing
#define ANN_BINDING_ENTRY , GLOBAL u32 *bind_failing ANN_BUFFER, ANN_NUMBER len_of_bind_failing ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_failing, len_of_bind_failing
#define ANN_TIMERS 2u
#define ANN_MAX_TIMERS 2u
#define ANN_TICK 20000000ul
#define ANN_TICK_TAG 1u
#define ANN_START_TAG 2u
#define ANN_ASKS_TIME 1
#define ANN_CALL(cx, message, state, outbox) handle_beat(cx, message, state, outbox, later, bind_failing, len_of_bind_failing, time)
