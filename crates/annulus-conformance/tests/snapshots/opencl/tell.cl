// The handler of kernel `tell`, written from crates/annulus-conformance/src/kernels/topics.rs:+0 (module annulus_conformance::kernels::topics).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Topic {
    u64 bits;
} Topic;
typedef char ann_size_of_Topic[sizeof(Topic) == 8 ? 1 : -1];

typedef struct Item {
    u32 key;
    u32 producer;
    u64 sequence;
} Item;
typedef char ann_size_of_Item[sizeof(Item) == 16 ? 1 : -1];

typedef struct Note {
    u32 sender;
    u32 times;
    Topic topic;
    Item item;
} Note;
typedef char ann_size_of_Note[sizeof(Note) == 32 ? 1 : -1];

typedef struct Published {
    Topic topic;
    Item message_;
} Published;
typedef char ann_size_of_Published[sizeof(Published) == 24 ? 1 : -1];

static u32 handle_tell(GLOBAL const Note *note, PRIVATE ann_outbox *out) {
    u32 ann_budget = 16777216u;
    // topics.rs:+1
    u32 end = note->times;
    for (u32 time = 0u; time < end; time += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // topics.rs:+2
        Item item = note->item;
        item.producer = time;
        Published published;
        published.topic = note->topic;
        published.message_ = item;
        {
            GLOBAL Published *ann_slot = (GLOBAL Published *)ann_outbox_next(out);
            if (ann_slot) *ann_slot = published;
        }
    }
    return 0u;
}

#define ANN_MESSAGE Note
#define ANN_MESSAGE_BYTES 32
#define ANN_OUTPUT Published
#define ANN_OUTPUT_BYTES 24
#define ANN_PORTS 16
#define ANN_PEERS 15
#define ANN_TOPICS
#define ANN_PORT_OFFSET(port) 8u
#define ANN_PORT_BYTES(port) 16u
#define ANN_PORT_IS_KEYED(port) 1u
#define ANN_PEER_KEY(message) ((u64)(message)->key)
#define ANN_PORT_KEY(port, output) (ANN_PEER_KEY((GLOBAL const Item *)((output) + 8u)))
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->sender)
#define ANN_MAX_OUTPUTS 3
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_tell(message, outbox)
