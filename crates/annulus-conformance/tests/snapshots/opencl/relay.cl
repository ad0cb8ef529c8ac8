// The handler of kernel `relay`, written from crates/annulus-conformance/src/kernels/through.rs:+0 (module annulus_conformance::kernels::through).
#pragma OPENCL FP_CONTRACT OFF

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

typedef struct Total {
    u64 sum;
} Total;
typedef char ann_size_of_Total[sizeof(Total) == 8 ? 1 : -1];

static u32 handle_relay(GLOBAL const Query *query, PRIVATE Total *taken, PRIVATE ann_outbox *out) {
    // through.rs:+1
    taken->sum = taken->sum + 1ul;
    // through.rs:+2
    u32 act = (query->hops == query->after) ? query->act : 0u;
    // through.rs:+3
    if (act != 2u) {
        // through.rs:+4
        Query query_2 = (*query);
        query_2.hops = query->hops + 1u;
        query_2.taken = query->taken + taken->sum;
        {
            GLOBAL Query *ann_slot = (GLOBAL Query *)ann_outbox_next(out);
            if (ann_slot) *ann_slot = query_2;
        }
    }
    // through.rs:+6
    if (act == 3u) {
        // through.rs:+7
        Query query_2 = (*query);
        query_2.caller = 0u;
        query_2.hops = query->hops + 1u;
        query_2.act = 0u;
        {
            GLOBAL Query *ann_slot = (GLOBAL Query *)ann_outbox_next(out);
            if (ann_slot) *ann_slot = query_2;
        }
    }
    // through.rs:+9
    if (act == 1u) {
        // through.rs:+10
        return 79u;
    }
    // through.rs:+12
    return 0u;
}

#define ANN_MESSAGE Query
#define ANN_MESSAGE_BYTES 32
#define ANN_OUTPUT Query
#define ANN_OUTPUT_BYTES 32
#define ANN_OUTPUT_KEY(message) ((u64)(message)->actor)
#define ANN_STATE Total
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->actor)
#define ANN_MAX_OUTPUTS 2
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_relay(message, state, outbox)
