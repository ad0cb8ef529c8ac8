// The handler of kernel `chime`, written from crates/annulus-conformance/src/kernels/rows.rs:+0 (module annulus_conformance::kernels::rows).
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

typedef union Chime {
    u32 tag; // 0u Ring, 1u Tick, 2u Stop
    struct {
        u32 ann_tag;
        u32 behind;
    } Ring;
} Chime;
typedef char ann_size_of_Chime[sizeof(Chime) == 8 ? 1 : -1];
typedef char ann_size_of_Chime_Ring[sizeof(((PRIVATE Chime *)0)->Ring) == 8 ? 1 : -1];

typedef struct Hop {
    u32 row;
    u32 sequence;
    u32 to;
    i32 weight;
    u32 time;
} Hop;
typedef char ann_size_of_Hop[sizeof(Hop) == 20 ? 1 : -1];

typedef struct Along {
    u32 row;
    u32 from;
    Hop message_;
} Along;
typedef char ann_size_of_Along[sizeof(Along) == 28 ? 1 : -1];

typedef struct Rung {
    u32 rings;
    u32 ticks;
} Rung;
typedef char ann_size_of_Rung[sizeof(Rung) == 8 ? 1 : -1];

typedef struct Tuple_u32_u32 { u32 field_0; u32 field_1; } Tuple_u32_u32;

static u32 handle_chime(GLOBAL const Chime *message, PRIVATE Rung *rung, PRIVATE ann_outbox *out, PRIVATE ann_later *later) {
    // rows.rs:+1
    Tuple_u32_u32 chosen;
    if (message->tag == 0u) {
        // rows.rs:+3
        rung->rings = rung->rings + 1u;
        // rows.rs:+4
        if (message->Ring.behind != 0u) {
            // rows.rs:+5
            Chime chime;
            chime.tag = 0u; // Ring
            chime.Ring.behind = message->Ring.behind - 1u;
            {
                GLOBAL Chime *ann_slot = (GLOBAL Chime *)ann_later_next(later, 1000ul);
                if (ann_slot) *ann_slot = chime;
            }
        }
        // rows.rs:+7
        chosen.field_0 = 0u;
        chosen.field_1 = rung->rings;
    } else if (message->tag == 1u) {
        // rows.rs:+10
        rung->ticks = rung->ticks + 1u;
        // rows.rs:+11
        chosen.field_0 = 1u;
        chosen.field_1 = rung->ticks;
    } else {
        // rows.rs:+13
        chosen.field_0 = 2u;
        chosen.field_1 = 1u;
    }
    u32 row = chosen.field_0;
    u32 sequence = chosen.field_1;
    // rows.rs:+15
    Hop hop;
    hop.row = row;
    hop.sequence = sequence;
    hop.to = 7u;
    hop.weight = (-5);
    hop.time = 0u;
    Along along;
    along.row = row;
    along.from = 0u;
    along.message_ = hop;
    {
        GLOBAL Along *ann_slot = (GLOBAL Along *)ann_outbox_next(out);
        if (ann_slot) *ann_slot = along;
    }
    return 0u;
}

#define ANN_MESSAGE Chime
#define ANN_MESSAGE_BYTES 8
#define ANN_OUTPUT Along
#define ANN_OUTPUT_BYTES 28
#define ANN_ROWS
#define ANN_ROW_OFFSET 8u
#define ANN_ROW_BYTES 20u
#define ANN_ROW_STORE_KEY(copy, key) (*(GLOBAL u32 *)((copy) + 8u) = (u32)(key))
#define ANN_ROW_STORE_EDGE(copy, value) (*(GLOBAL u32 *)((copy) + 12u) = (u32)(value))
#define ANN_STATE Rung
#define ANN_SHAPE ANN_WHOLE
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_TIMERS 2u
#define ANN_MAX_TIMERS 1u
#define ANN_TICK 5000000ul
#define ANN_TICK_TAG 1u
#define ANN_STOP_TAG 2u
#define ANN_ASKS_TIME 1
#define ANN_CALL(cx, message, state, outbox) handle_chime(message, state, outbox, later)
