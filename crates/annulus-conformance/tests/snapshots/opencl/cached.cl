// The handler of kernel `cached`, written from crates/annulus-conformance/src/kernels/replied.rs:+0 (module annulus_conformance::kernels::replied).
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
    u32 actor;
    u32 caller;
    u32 number;
    u32 hops;
    u32 after;
    u32 act;
    u64 taken;
} Query;
typedef char ann_size_of_Query[sizeof(Query) == 32 ? 1 : -1];

typedef struct Answer {
    u32 caller;
    u32 number;
    u32 hops;
} Answer;
typedef char ann_size_of_Answer[sizeof(Answer) == 12 ? 1 : -1];

typedef union outputs_of_cached {
    u64 tag; // 0ul miss, 1ul told, 2ul reply
    struct {
        u64 ann_tag;
        Query field_0;
    } miss;
    struct {
        u64 ann_tag;
        Query field_0;
    } told;
    struct {
        u64 ann_tag;
        Answer field_0;
        u8 ann_pad0[20];
    } reply;
} outputs_of_cached;
typedef char ann_size_of_outputs_of_cached[sizeof(outputs_of_cached) == 40 ? 1 : -1];
typedef char ann_size_of_outputs_of_cached_miss[sizeof(((PRIVATE outputs_of_cached *)0)->miss) == 40 ? 1 : -1];
typedef char ann_size_of_outputs_of_cached_told[sizeof(((PRIVATE outputs_of_cached *)0)->told) == 40 ? 1 : -1];
typedef char ann_size_of_outputs_of_cached_reply[sizeof(((PRIVATE outputs_of_cached *)0)->reply) == 40 ? 1 : -1];

typedef struct Total {
    u64 sum;
} Total;
typedef char ann_size_of_Total[sizeof(Total) == 8 ? 1 : -1];

static u32 handle_cached(GLOBAL const Query *query, PRIVATE Total *taken, PRIVATE ann_outbox *outbox) {
    u32 ann_sent[3] = { 0u, 0u, 0u };
    // replied.rs:+7
    taken->sum = taken->sum + 1ul;
    // replied.rs:+8
    u32 hops = query->hops + 1u;
    // replied.rs:+9
    Answer answer;
    answer.caller = query->caller;
    answer.number = query->number;
    answer.hops = hops;
    // replied.rs:+10
    Query next = (*query);
    next.hops = hops;
    // replied.rs:+11
    u32 act = (query->hops == query->after) ? query->act : 0u;
    // replied.rs:+12
    if ((act == 4u) || (act == 2u)) {
        // replied.rs:+13
        Query query_2 = (*query);
        query_2.act = 0u;
        {
            GLOBAL outputs_of_cached *ann_slot = (GLOBAL outputs_of_cached *)ann_port_next(outbox, ann_sent, 1u, 2u);
            if (ann_slot) {
                ann_slot->tag = 1ul;
                ann_slot->told.field_0 = query_2;
            }
        }
    }
    // replied.rs:+15
    if (act == 2u) {
        // replied.rs:+16
        Query query_2 = (*query);
        query_2.act = 0u;
        {
            GLOBAL outputs_of_cached *ann_slot = (GLOBAL outputs_of_cached *)ann_port_next(outbox, ann_sent, 1u, 2u);
            if (ann_slot) {
                ann_slot->tag = 1ul;
                ann_slot->told.field_0 = query_2;
            }
        }
    }
    // replied.rs:+18
    if ((act == 0u) || (act == 3u)) {
        // replied.rs:+19
        {
            GLOBAL outputs_of_cached *ann_slot = (GLOBAL outputs_of_cached *)ann_port_next(outbox, ann_sent, 0u, 2u);
            if (ann_slot) {
                ann_slot->tag = 0ul;
                ann_slot->miss.field_0 = next;
            }
        }
    }
    // replied.rs:+21
    if ((((act == 1u) || (act == 2u)) || (act == 3u)) || (act == 6u)) {
        // replied.rs:+22
        {
            GLOBAL outputs_of_cached *ann_slot = (GLOBAL outputs_of_cached *)ann_port_next(outbox, ann_sent, 2u, 1u);
            if (ann_slot) {
                ann_slot->tag = 2ul;
                ann_slot->reply.field_0 = answer;
            }
        }
    }
    // replied.rs:+24
    if (act == 3u) {
        // replied.rs:+25
        {
            GLOBAL outputs_of_cached *ann_slot = (GLOBAL outputs_of_cached *)ann_port_next(outbox, ann_sent, 0u, 2u);
            if (ann_slot) {
                ann_slot->tag = 0ul;
                ann_slot->miss.field_0 = next;
            }
        }
    }
    // replied.rs:+27
    if (act == 6u) {
        // replied.rs:+28
        return 79u;
    }
    // replied.rs:+30
    return 0u;
}

#define ANN_MESSAGE Query
#define ANN_MESSAGE_BYTES 32
#define ANN_OUTPUT outputs_of_cached
#define ANN_OUTPUT_BYTES 40
#define ANN_PORTS 3
#define ANN_PORT_OFFSET(port) ((port) == 0u ? 8u : (port) == 1u ? 8u : 8u)
#define ANN_PORT_BYTES(port) ((port) == 0u ? 32u : (port) == 1u ? 32u : 12u)
#define ANN_PORT_IS_KEYED(port) ((port) == 0u ? 1u : (port) == 1u ? 1u : 0u)
#define ANN_REPLY_PORT 2u
#define ANN_PORT_KEY_0(message) ((u64)(message)->actor)
#define ANN_PORT_KEY_1(message) ((u64)(message)->actor)
#define ANN_PORT_KEY(port, output) ((port) == 0u ? ANN_PORT_KEY_0((GLOBAL const Query *)((output) + 8u)) : (port) == 1u ? ANN_PORT_KEY_1((GLOBAL const Query *)((output) + 8u)) : (u64)0)
#define ANN_STATE Total
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->actor)
#define ANN_MAX_OUTPUTS 5
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_cached(message, state, outbox)
