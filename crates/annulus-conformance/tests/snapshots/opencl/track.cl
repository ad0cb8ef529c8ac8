// The handler of kernel `track`, written from crates/annulus-conformance/src/kernels.rs:+0 (module annulus_conformance::kernels).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Item {
    u32 key;
    u32 producer;
    u64 sequence;
} Item;
typedef char ann_size_of_Item[sizeof(Item) == 16 ? 1 : -1];

typedef struct Tracked {
    u32 key;
    u32 producer;
    u64 sequence;
    u64 count;
} Tracked;
typedef char ann_size_of_Tracked[sizeof(Tracked) == 24 ? 1 : -1];

typedef struct Total {
    u64 sum;
} Total;
typedef char ann_size_of_Total[sizeof(Total) == 8 ? 1 : -1];

static u32 handle_track(GLOBAL const Item *item, PRIVATE Total *count, PRIVATE ann_outbox *replies) {
    // kernels.rs:+1
    count->sum = count->sum + 1ul;
    // kernels.rs:+2
    Tracked tracked;
    tracked.key = item->key;
    tracked.producer = item->producer;
    tracked.sequence = item->sequence;
    tracked.count = count->sum;
    {
        GLOBAL Tracked *ann_slot = (GLOBAL Tracked *)ann_outbox_next(replies);
        if (ann_slot) *ann_slot = tracked;
    }
    return 0u;
}

#define ANN_MESSAGE Item
#define ANN_MESSAGE_BYTES 16
#define ANN_OUTPUT Tracked
#define ANN_OUTPUT_BYTES 24
#define ANN_STATE Total
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->key)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_track(message, state, outbox)
