// The handler of kernel `priced`, written from crates/annulus-conformance/src/kernels/replied.rs:+0 (module annulus_conformance::kernels::replied).
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

typedef struct Answer {
    u32 caller;
    u32 number;
    u32 hops;
} Answer;
typedef char ann_size_of_Answer[sizeof(Answer) == 12 ? 1 : -1];

typedef struct Total {
    u64 sum;
} Total;
typedef char ann_size_of_Total[sizeof(Total) == 8 ? 1 : -1];

static u32 handle_priced(GLOBAL const Query *query, PRIVATE Total *taken, PRIVATE ann_outbox *out) {
    // replied.rs:+1
    taken->sum = taken->sum + 1ul;
    // replied.rs:+2
    if ((query->hops != query->after) || (query->act != 5u)) {
        // replied.rs:+3
        Answer answer;
        answer.caller = query->caller;
        answer.number = query->number;
        answer.hops = query->hops + 1u;
        {
            GLOBAL Answer *ann_slot = (GLOBAL Answer *)ann_outbox_next(out);
            if (ann_slot) *ann_slot = answer;
        }
    }
    return 0u;
}

#define ANN_MESSAGE Query
#define ANN_MESSAGE_BYTES 32
#define ANN_OUTPUT Answer
#define ANN_OUTPUT_BYTES 12
#define ANN_STATE Total
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->actor)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_priced(message, state, outbox)
