// The handler of kernel `asker`, written from crates/annulus-conformance/src/kernels/asks.rs:+0 (module annulus_conformance::kernels::asks).
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

typedef struct Order {
    u32 actor;
    u32 number;
    u32 act;
    u32 more;
    u64 limit;
} Order;
typedef char ann_size_of_Order[sizeof(Order) == 24 ? 1 : -1];

typedef struct Price {
    u32 item;
    u32 cents;
} Price;
typedef char ann_size_of_Price[sizeof(Price) == 8 ? 1 : -1];

typedef struct Answer {
    u32 ended;
    u32 code;
    Price value;
} Answer;
typedef char ann_size_of_Answer[sizeof(Answer) == 16 ? 1 : -1];

typedef struct Priced {
    u32 actor;
    u32 order;
    Answer price;
} Priced;
typedef char ann_size_of_Priced[sizeof(Priced) == 24 ? 1 : -1];

typedef union Event {
    u32 tag; // 0u Order, 1u Priced
    struct {
        u32 ann_tag;
        u8 ann_pad0[4];
        Order field_0;
    } Order;
    struct {
        u32 ann_tag;
        Priced field_0;
        u8 ann_pad0[4];
    } Priced;
} Event;
typedef char ann_size_of_Event[sizeof(Event) == 32 ? 1 : -1];
typedef char ann_size_of_Event_Order[sizeof(((PRIVATE Event *)0)->Order) == 32 ? 1 : -1];
typedef char ann_size_of_Event_Priced[sizeof(((PRIVATE Event *)0)->Priced) == 32 ? 1 : -1];

typedef struct Done {
    u32 actor;
    u32 order;
    u32 ended;
    u32 code;
    Price price;
} Done;
typedef char ann_size_of_Done[sizeof(Done) == 24 ? 1 : -1];

typedef struct Query {
    u32 desk;
    u32 item;
    u32 act;
} Query;
typedef char ann_size_of_Query[sizeof(Query) == 12 ? 1 : -1];

typedef union outputs_of_asker {
    u64 tag; // 0ul done, 1ul price
    struct {
        u64 ann_tag;
        Done field_0;
    } done;
    struct {
        u64 ann_tag;
        Query field_0;
        u8 ann_pad0[12];
    } price;
} outputs_of_asker;
typedef char ann_size_of_outputs_of_asker[sizeof(outputs_of_asker) == 32 ? 1 : -1];
typedef char ann_size_of_outputs_of_asker_done[sizeof(((PRIVATE outputs_of_asker *)0)->done) == 32 ? 1 : -1];
typedef char ann_size_of_outputs_of_asker_price[sizeof(((PRIVATE outputs_of_asker *)0)->price) == 32 ? 1 : -1];

typedef struct Total {
    u64 sum;
} Total;
typedef char ann_size_of_Total[sizeof(Total) == 8 ? 1 : -1];

static u32 handle_asker(GLOBAL const Event *event, PRIVATE Total *taken, PRIVATE ann_outbox *outbox, PRIVATE ann_later *later) {
    u32 ann_sent[2] = { 0u, 0u };
    // asks.rs:+7
    if (event->tag == 0u) {
        // asks.rs:+9
        taken->sum = taken->sum + 1ul;
        // asks.rs:+10
        if (event->Order.field_0.act == 5u) {
            // asks.rs:+11
            Price price;
            price.item = 0u;
            price.cents = 0u;
            Done done;
            done.actor = event->Order.field_0.actor;
            done.order = event->Order.field_0.number;
            done.ended = 0u;
            done.code = 0u;
            done.price = price;
            {
                GLOBAL outputs_of_asker *ann_slot = (GLOBAL outputs_of_asker *)ann_port_next(outbox, ann_sent, 0u, 1u);
                if (ann_slot) {
                    ann_slot->tag = 0ul;
                    ann_slot->done.field_0 = done;
                }
            }
        }
        // asks.rs:+19
        Price price;
        price.item = 77u;
        price.cents = 0u;
        Answer answer;
        answer.ended = 0u;
        answer.code = 0u;
        answer.value = price;
        Priced awaited;
        awaited.actor = event->Order.field_0.actor;
        awaited.order = event->Order.field_0.number;
        awaited.price = answer;
        // asks.rs:+24
        Query query;
        query.desk = event->Order.field_0.number % 4u;
        query.item = event->Order.field_0.number;
        query.act = event->Order.field_0.act;
        {
            GLOBAL outputs_of_asker *ann_slot = (GLOBAL outputs_of_asker *)ann_port_next(outbox, ann_sent, 1u, 1u);
            if (ann_slot) {
                ann_slot->tag = 1ul;
                ann_slot->price.field_0 = query;
            }
        }
        {
            GLOBAL Event *ann_slot = (GLOBAL Event *)ann_ask_next(later, event->Order.field_0.limit);
            if (ann_slot) {
                ann_slot->tag = 1u;
                ann_slot->Priced.field_0 = awaited;
            }
        }
        // asks.rs:+29
        if (event->Order.field_0.more != 0u) {
            // asks.rs:+30
            Order next = event->Order.field_0;
            next.number = event->Order.field_0.number + 1u;
            next.more = event->Order.field_0.more - 1u;
            // asks.rs:+31
            Event event_2;
            event_2.tag = 0u; // Order
            event_2.Order.field_0 = next;
            {
                GLOBAL Event *ann_slot = (GLOBAL Event *)ann_later_next(later, 0ul);
                if (ann_slot) *ann_slot = event_2;
            }
        }
        // asks.rs:+33
        if (event->Order.field_0.act == 4u) {
            // asks.rs:+34
            return 79u;
        }
    } else {
        // asks.rs:+39
        Done done;
        done.actor = event->Priced.field_0.actor;
        done.order = event->Priced.field_0.order;
        done.ended = event->Priced.field_0.price.ended;
        done.code = event->Priced.field_0.price.code;
        done.price = event->Priced.field_0.price.value;
        {
            GLOBAL outputs_of_asker *ann_slot = (GLOBAL outputs_of_asker *)ann_port_next(outbox, ann_sent, 0u, 1u);
            if (ann_slot) {
                ann_slot->tag = 0ul;
                ann_slot->done.field_0 = done;
            }
        }
    }
    // asks.rs:+48
    return 0u;
}

#define ANN_MESSAGE Event
#define ANN_MESSAGE_BYTES 32
#define ANN_OUTPUT outputs_of_asker
#define ANN_OUTPUT_BYTES 32
#define ANN_PORTS 2
#define ANN_PORT_OFFSET(port) ((port) == 0u ? 8u : 8u)
#define ANN_PORT_BYTES(port) ((port) == 0u ? 24u : 12u)
#define ANN_PORT_IS_KEYED(port) ((port) == 0u ? 0u : 1u)
#define ANN_ASK_PORT 1u
#define ANN_ANSWER 12u
#define ANN_ANSWER_VALUE 20u
#define ANN_ANSWER_BYTES 8u
#define ANN_PORT_KEY_1(message) ((u64)(message)->desk)
#define ANN_PORT_KEY(port, output) ((port) == 0u ? (u64)0 : ANN_PORT_KEY_1((GLOBAL const Query *)((output) + 8u)))
#define ANN_STATE Total
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((message)->tag == 0u ? ((u64)(&(message)->Order.field_0)->actor) : ((u64)(&(message)->Priced.field_0)->actor))
#define ANN_MAX_OUTPUTS 2
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_TIMERS 32u
#define ANN_MAX_TIMERS 2u
#define ANN_ASKS_TIME 1
#define ANN_CALL(cx, message, state, outbox) handle_asker(message, state, outbox, later)
