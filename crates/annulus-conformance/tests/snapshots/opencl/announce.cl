// The handler of kernel `announce`, written from crates/annulus-conformance/src/kernels/topics.rs:+0 (module annulus_conformance::kernels::topics).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Number {
    u64 value;
} Number;
typedef char ann_size_of_Number[sizeof(Number) == 8 ? 1 : -1];

typedef struct Topic {
    u64 bits;
} Topic;
typedef char ann_size_of_Topic[sizeof(Topic) == 8 ? 1 : -1];

typedef struct Published {
    Topic topic;
    Number message_;
} Published;
typedef char ann_size_of_Published[sizeof(Published) == 16 ? 1 : -1];

CONSTANT const Topic THREES = { .bits = 15678172646828802048ul };

CONSTANT const Topic OTHERS = { .bits = 12913296494183251968ul };

static u32 handle_announce(GLOBAL const Number *number, PRIVATE ann_outbox *out) {
    // topics.rs:+1
    Topic topic;
    if (rs_is_multiple_of_u64(number->value, 3ul)) {
        topic = THREES;
    } else {
        topic = OTHERS;
    }
    // topics.rs:+2
    Published published;
    published.topic = topic;
    published.message_ = (*number);
    {
        GLOBAL Published *ann_slot = (GLOBAL Published *)ann_outbox_next(out);
        if (ann_slot) *ann_slot = published;
    }
    return 0u;
}

#define ANN_MESSAGE Number
#define ANN_MESSAGE_BYTES 8
#define ANN_OUTPUT Published
#define ANN_OUTPUT_BYTES 16
#define ANN_PORTS 16
#define ANN_PEERS 15
#define ANN_TOPICS
#define ANN_PORT_OFFSET(port) 8u
#define ANN_PORT_BYTES(port) 8u
#define ANN_PORT_IS_KEYED(port) 0u
#define ANN_PORT_KEY(port, output) ((u64)0)
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_announce(message, outbox)
