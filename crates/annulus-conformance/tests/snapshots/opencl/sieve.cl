// The handler of kernel `sieve`, written from crates/annulus-conformance/src/kernels/through.rs:+0 (module annulus_conformance::kernels::through).
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

typedef union outputs_of_sieve {
    u64 tag; // 0ul good, 1ul bad
    struct {
        u64 ann_tag;
        Query field_0;
    } good;
    struct {
        u64 ann_tag;
        Query field_0;
    } bad;
} outputs_of_sieve;
typedef char ann_size_of_outputs_of_sieve[sizeof(outputs_of_sieve) == 40 ? 1 : -1];
typedef char ann_size_of_outputs_of_sieve_good[sizeof(((PRIVATE outputs_of_sieve *)0)->good) == 40 ? 1 : -1];
typedef char ann_size_of_outputs_of_sieve_bad[sizeof(((PRIVATE outputs_of_sieve *)0)->bad) == 40 ? 1 : -1];

typedef struct Total {
    u64 sum;
} Total;
typedef char ann_size_of_Total[sizeof(Total) == 8 ? 1 : -1];

static u32 handle_sieve(GLOBAL const Query *query, PRIVATE Total *taken, PRIVATE ann_outbox *outbox) {
    u32 ann_sent[2] = { 0u, 0u };
    // through.rs:+6
    taken->sum = taken->sum + 1ul;
    // through.rs:+7
    u32 act = (query->hops == query->after) ? query->act : 0u;
    // through.rs:+8
    if ((act == 4u) || (act == 5u)) {
        // through.rs:+9
        {
            GLOBAL outputs_of_sieve *ann_slot = (GLOBAL outputs_of_sieve *)ann_port_next(outbox, ann_sent, 1u, 1u);
            if (ann_slot) {
                ann_slot->tag = 1ul;
                ann_slot->bad.field_0 = (*query);
            }
        }
    }
    // through.rs:+11
    if ((act != 2u) && (act != 4u)) {
        // through.rs:+12
        Query query_2 = (*query);
        query_2.hops = query->hops + 1u;
        query_2.taken = query->taken + taken->sum;
        {
            GLOBAL outputs_of_sieve *ann_slot = (GLOBAL outputs_of_sieve *)ann_port_next(outbox, ann_sent, 0u, 2u);
            if (ann_slot) {
                ann_slot->tag = 0ul;
                ann_slot->good.field_0 = query_2;
            }
        }
    }
    // through.rs:+14
    if (act == 3u) {
        // through.rs:+15
        Query query_2 = (*query);
        query_2.caller = 0u;
        query_2.hops = query->hops + 1u;
        query_2.act = 0u;
        {
            GLOBAL outputs_of_sieve *ann_slot = (GLOBAL outputs_of_sieve *)ann_port_next(outbox, ann_sent, 0u, 2u);
            if (ann_slot) {
                ann_slot->tag = 0ul;
                ann_slot->good.field_0 = query_2;
            }
        }
    }
    // through.rs:+17
    if (act == 1u) {
        // through.rs:+18
        return 79u;
    }
    // through.rs:+20
    return 0u;
}

#define ANN_MESSAGE Query
#define ANN_MESSAGE_BYTES 32
#define ANN_OUTPUT outputs_of_sieve
#define ANN_OUTPUT_BYTES 40
#define ANN_PORTS 2
#define ANN_PORT_OFFSET(port) ((port) == 0u ? 8u : 8u)
#define ANN_PORT_BYTES(port) ((port) == 0u ? 32u : 32u)
#define ANN_PORT_IS_KEYED(port) ((port) == 0u ? 1u : 1u)
#define ANN_PORT_KEY_0(message) ((u64)(message)->actor)
#define ANN_PORT_KEY_1(message) ((u64)(message)->actor)
#define ANN_PORT_KEY(port, output) ((port) == 0u ? ANN_PORT_KEY_0((GLOBAL const Query *)((output) + 8u)) : ANN_PORT_KEY_1((GLOBAL const Query *)((output) + 8u)))
#define ANN_STATE Total
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->actor)
#define ANN_MAX_OUTPUTS 3
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_sieve(message, state, outbox)
