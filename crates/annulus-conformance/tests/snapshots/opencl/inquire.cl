// The handler of kernel `inquire`, written from crates/annulus-conformance/src/kernels/stamps.rs:+0 (module annulus_conformance::kernels::stamps).
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

/* Stands in place of a timer's number while its message is that of an ask. */
#define ANN_IS_ASK 1u

/* Where the message goes that comes of an ask; null, and the message fails, beyond what there is room for. */
RS_FN GLOBAL u8 *ann_ask_next(PRIVATE ann_later *later, u64 nanos)
{
    GLOBAL u8 *place = ann_later_next(later, nanos);
    if (place)
        later->next[later->set - 1].number = ANN_IS_ASK;
    return place;
}

typedef struct Number {
    u64 value;
} Number;
typedef char ann_size_of_Number[sizeof(Number) == 8 ? 1 : -1];

typedef struct Answer {
    u32 ended;
    u32 code;
    Number value;
} Answer;
typedef char ann_size_of_Answer[sizeof(Answer) == 16 ? 1 : -1];

typedef struct Informed {
    u64 cause;
    Answer told;
} Informed;
typedef char ann_size_of_Informed[sizeof(Informed) == 24 ? 1 : -1];

typedef union Inquiry {
    u32 tag; // 0u Number, 1u Informed
    struct {
        u32 ann_tag;
        u8 ann_pad0[4];
        Number field_0;
        u8 ann_pad1[16];
    } Number;
    struct {
        u32 ann_tag;
        u8 ann_pad0[4];
        Informed field_0;
    } Informed;
} Inquiry;
typedef char ann_size_of_Inquiry[sizeof(Inquiry) == 32 ? 1 : -1];
typedef char ann_size_of_Inquiry_Number[sizeof(((PRIVATE Inquiry *)0)->Number) == 32 ? 1 : -1];
typedef char ann_size_of_Inquiry_Informed[sizeof(((PRIVATE Inquiry *)0)->Informed) == 32 ? 1 : -1];

typedef union outputs_of_inquire {
    u64 tag; // 0ul out, 1ul ask
    struct {
        u64 ann_tag;
        Number field_0;
    } out;
    struct {
        u64 ann_tag;
        Number field_0;
    } ask;
} outputs_of_inquire;
typedef char ann_size_of_outputs_of_inquire[sizeof(outputs_of_inquire) == 16 ? 1 : -1];
typedef char ann_size_of_outputs_of_inquire_out[sizeof(((PRIVATE outputs_of_inquire *)0)->out) == 16 ? 1 : -1];
typedef char ann_size_of_outputs_of_inquire_ask[sizeof(((PRIVATE outputs_of_inquire *)0)->ask) == 16 ? 1 : -1];

static u32 handle_inquire(ann_cx cx, GLOBAL const Inquiry *inquiry, PRIVATE ann_outbox *outbox, PRIVATE ann_later *later, u64 ann_message_stamp) {
    u32 ann_sent[2] = { 0u, 0u };
    // stamps.rs:+6
    if (inquiry->tag == 0u) {
        // stamps.rs:+8
        Number number;
        number.value = 0ul;
        Answer told;
        told.ended = 0u;
        told.code = 0u;
        told.value = number;
        // stamps.rs:+9
        Informed informed;
        informed.cause = ann_message_stamp;
        informed.told = told;
        {
            GLOBAL outputs_of_inquire *ann_slot = (GLOBAL outputs_of_inquire *)ann_port_next(outbox, ann_sent, 1u, 1u);
            if (ann_slot) {
                ann_slot->tag = 1ul;
                ann_slot->ask.field_0 = inquiry->Number.field_0;
            }
        }
        {
            GLOBAL Inquiry *ann_slot = (GLOBAL Inquiry *)ann_ask_next(later, 60000000000ul);
            if (ann_slot) {
                ann_slot->tag = 1u;
                ann_slot->Informed.field_0 = informed;
            }
        }
    } else {
        // stamps.rs:+12
        if ((ann_message_stamp <= inquiry->Informed.field_0.cause) || (ann_message_stamp <= inquiry->Informed.field_0.told.value.value)) {
            // stamps.rs:+13
            return 81u;
        }
        // stamps.rs:+15
        Number number;
        number.value = inquiry->Informed.field_0.told.value.value;
        {
            GLOBAL outputs_of_inquire *ann_slot = (GLOBAL outputs_of_inquire *)ann_port_next(outbox, ann_sent, 0u, 1u);
            if (ann_slot) {
                ann_slot->tag = 0ul;
                ann_slot->out.field_0 = number;
            }
        }
    }
    // stamps.rs:+18
    return 0u;
}

#define ANN_MESSAGE Inquiry
#define ANN_MESSAGE_BYTES 32
#define ANN_OUTPUT outputs_of_inquire
#define ANN_OUTPUT_BYTES 16
#define ANN_PORTS 2
#define ANN_PORT_OFFSET(port) ((port) == 0u ? 8u : 8u)
#define ANN_PORT_BYTES(port) ((port) == 0u ? 8u : 8u)
#define ANN_PORT_IS_KEYED(port) ((port) == 0u ? 0u : 0u)
#define ANN_ASK_PORT 1u
#define ANN_ANSWER 16u
#define ANN_ANSWER_VALUE 24u
#define ANN_ANSWER_BYTES 8u
#define ANN_PORT_KEY(port, output) ((port) == 0u ? (u64)0 : (u64)0)
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 2
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_TIMERS 64u
#define ANN_MAX_TIMERS 1u
#define ANN_ASKS_TIME 1
#define ANN_ASKS_STAMP 1
#define ANN_CALL(cx, message, state, outbox) handle_inquire(cx, message, outbox, later, stamp)
