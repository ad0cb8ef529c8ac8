// The handler of kernel `teller`, written from crates/annulus-conformance/src/kernels/asks.rs:+0 (module annulus_conformance::kernels::asks).
#pragma OPENCL FP_CONTRACT OFF

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

typedef struct Total {
    u64 sum;
} Total;
typedef char ann_size_of_Total[sizeof(Total) == 8 ? 1 : -1];

static u32 handle_teller(GLOBAL const Query *query, PRIVATE Total *taken, PRIVATE ann_outbox *out) {
    // asks.rs:+1
    taken->sum = taken->sum + 1ul;
    // asks.rs:+2
    Price price;
    price.item = query->item;
    price.cents = (query->item * 3u) + 1u;
    // asks.rs:+3
    if (query->act != 2u) {
        // asks.rs:+4
        {
            GLOBAL Price *ann_slot = (GLOBAL Price *)ann_outbox_next(out);
            if (ann_slot) *ann_slot = price;
        }
    }
    // asks.rs:+6
    if (query->act == 1u) {
        // asks.rs:+7
        Price price_2;
        price_2.item = query->item;
        price_2.cents = 0u;
        {
            GLOBAL Price *ann_slot = (GLOBAL Price *)ann_outbox_next(out);
            if (ann_slot) *ann_slot = price_2;
        }
    }
    // asks.rs:+9
    if (query->act == 3u) {
        // asks.rs:+10
        return 79u;
    }
    // asks.rs:+12
    return 0u;
}

#define ANN_MESSAGE Query
#define ANN_MESSAGE_BYTES 12
#define ANN_OUTPUT Price
#define ANN_OUTPUT_BYTES 8
#define ANN_STATE Total
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->desk)
#define ANN_MAX_OUTPUTS 2
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_teller(message, state, outbox)
