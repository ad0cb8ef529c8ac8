// The handler of kernel `shout`, written from crates/annulus-conformance/src/kernels/stamps.rs:+0 (module annulus_conformance::kernels::stamps).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Step {
    u32 actor;
    u32 hops;
    u64 cause;
} Step;
typedef char ann_size_of_Step[sizeof(Step) == 16 ? 1 : -1];

typedef struct Topic {
    u64 bits;
} Topic;
typedef char ann_size_of_Topic[sizeof(Topic) == 8 ? 1 : -1];

typedef struct Published {
    Topic topic;
    Step message_;
} Published;
typedef char ann_size_of_Published[sizeof(Published) == 24 ? 1 : -1];

CONSTANT const Topic STEPS = { .bits = 9175609996289441792ul };

static u32 handle_shout(ann_cx cx, GLOBAL const Step *step_, PRIVATE ann_outbox *out, u64 ann_message_stamp) {
    // stamps.rs:+1
    Step next;
    next.actor = step_->actor;
    next.hops = step_->hops + 1u;
    next.cause = ann_message_stamp;
    // stamps.rs:+2
    Published published;
    published.topic = STEPS;
    published.message_ = next;
    {
        GLOBAL Published *ann_slot = (GLOBAL Published *)ann_outbox_next(out);
        if (ann_slot) *ann_slot = published;
    }
    return 0u;
}

#define ANN_MESSAGE Step
#define ANN_MESSAGE_BYTES 16
#define ANN_OUTPUT Published
#define ANN_OUTPUT_BYTES 24
#define ANN_PORTS 16
#define ANN_PEERS 15
#define ANN_TOPICS
#define ANN_PORT_OFFSET(port) 8u
#define ANN_PORT_BYTES(port) 16u
#define ANN_PORT_IS_KEYED(port) 1u
#define ANN_PEER_KEY(message) ((u64)(message)->actor)
#define ANN_PORT_KEY(port, output) (ANN_PEER_KEY((GLOBAL const Step *)((output) + 8u)))
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->actor)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_ASKS_STAMP 1
#define ANN_CALL(cx, message, state, outbox) handle_shout(cx, message, outbox, stamp)
