// The handler of kernel `advisor`, written from crates/annulus-conformance/src/kernels/asks.rs:+0 (module annulus_conformance::kernels::asks).
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

typedef struct Query {
    u32 desk;
    u32 item;
    u32 act;
} Query;
typedef char ann_size_of_Query[sizeof(Query) == 12 ? 1 : -1];

typedef struct Price {
    u32 item;
    u32 cents;
} Price;
typedef char ann_size_of_Price[sizeof(Price) == 8 ? 1 : -1];

typedef union outputs_of_advisor {
    u64 tag; // 0ul told, 1ul reply
    struct {
        u64 ann_tag;
        Query field_0;
        u8 ann_pad0[4];
    } told;
    struct {
        u64 ann_tag;
        Price field_0;
        u8 ann_pad0[8];
    } reply;
} outputs_of_advisor;
typedef char ann_size_of_outputs_of_advisor[sizeof(outputs_of_advisor) == 24 ? 1 : -1];
typedef char ann_size_of_outputs_of_advisor_told[sizeof(((PRIVATE outputs_of_advisor *)0)->told) == 24 ? 1 : -1];
typedef char ann_size_of_outputs_of_advisor_reply[sizeof(((PRIVATE outputs_of_advisor *)0)->reply) == 24 ? 1 : -1];

typedef struct Total {
    u64 sum;
} Total;
typedef char ann_size_of_Total[sizeof(Total) == 8 ? 1 : -1];

static u32 handle_advisor(GLOBAL const Query *query, PRIVATE Total *taken, PRIVATE ann_outbox *outbox) {
    u32 ann_sent[2] = { 0u, 0u };
    // asks.rs:+6
    taken->sum = taken->sum + 1ul;
    // asks.rs:+7
    if (query->act == 1u) {
        // asks.rs:+8
        {
            GLOBAL outputs_of_advisor *ann_slot = (GLOBAL outputs_of_advisor *)ann_port_next(outbox, ann_sent, 0u, 1u);
            if (ann_slot) {
                ann_slot->tag = 0ul;
                ann_slot->told.field_0 = (*query);
            }
        }
    }
    // asks.rs:+10
    if (query->act != 2u) {
        // asks.rs:+11
        Price price;
        price.item = query->item;
        price.cents = (query->item * 3u) + 1u;
        {
            GLOBAL outputs_of_advisor *ann_slot = (GLOBAL outputs_of_advisor *)ann_port_next(outbox, ann_sent, 1u, 1u);
            if (ann_slot) {
                ann_slot->tag = 1ul;
                ann_slot->reply.field_0 = price;
            }
        }
    }
    // asks.rs:+13
    if (query->act == 3u) {
        // asks.rs:+14
        return 79u;
    }
    // asks.rs:+16
    return 0u;
}

#define ANN_MESSAGE Query
#define ANN_MESSAGE_BYTES 12
#define ANN_OUTPUT outputs_of_advisor
#define ANN_OUTPUT_BYTES 24
#define ANN_PORTS 2
#define ANN_PORT_OFFSET(port) ((port) == 0u ? 8u : 8u)
#define ANN_PORT_BYTES(port) ((port) == 0u ? 12u : 8u)
#define ANN_PORT_IS_KEYED(port) ((port) == 0u ? 1u : 0u)
#define ANN_REPLY_PORT 1u
#define ANN_PORT_KEY_0(message) ((u64)(message)->desk)
#define ANN_PORT_KEY(port, output) ((port) == 0u ? ANN_PORT_KEY_0((GLOBAL const Query *)((output) + 8u)) : (u64)0)
#define ANN_STATE Total
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->desk)
#define ANN_MAX_OUTPUTS 2
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_advisor(message, state, outbox)
