// The handler of kernel `print_actors`, written from crates/annulus-conformance/src/kernels/prints.rs:+0 (module annulus_conformance::kernels::prints).
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

static u32 handle_print_actors(GLOBAL const Item *item, PRIVATE Total *count, PRIVATE ann_outbox *replies, PRIVATE ann_printer *ann_print_to) {
    // prints.rs:+1
    count->sum = count->sum + 1ul;
    // prints.rs:+2
    {
        GLOBAL u64 *ann_words = ann_print_next(ann_print_to);
        if (ann_words) {
            ann_words[0] = (u64)item->key;
            ann_words[1] = item->sequence;
            ann_words[2] = count->sum;
            ann_print(ann_print_to, 0u);
        }
    }
    // prints.rs:+3
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
#define ANN_PRINTS 1
#define ANN_CALL(cx, message, state, outbox) handle_print_actors(message, state, outbox, printer)
