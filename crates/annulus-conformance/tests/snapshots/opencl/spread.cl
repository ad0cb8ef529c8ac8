// The handler of kernel `spread`, written from crates/annulus-conformance/src/kernels/rows.rs:+0 (module annulus_conformance::kernels::rows).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Order {
    u32 sender;
    u32 row;
    u32 from;
    u32 sequence;
    u32 times;
    u32 fails;
} Order;
typedef char ann_size_of_Order[sizeof(Order) == 24 ? 1 : -1];

typedef struct Hop {
    u32 row;
    u32 sequence;
    u32 to;
    i32 weight;
    u32 time;
} Hop;
typedef char ann_size_of_Hop[sizeof(Hop) == 20 ? 1 : -1];

typedef struct Along {
    u32 row;
    u32 from;
    Hop message_;
} Along;
typedef char ann_size_of_Along[sizeof(Along) == 28 ? 1 : -1];

static u32 handle_spread(GLOBAL const Order *order, PRIVATE ann_outbox *out) {
    u32 ann_budget = 16777216u;
    // rows.rs:+1
    u32 end = order->times;
    for (u32 time = 0u; time < end; time += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // rows.rs:+2
        u32 row = order->row + time;
        // rows.rs:+3
        Hop message;
        message.row = row;
        message.sequence = order->sequence;
        message.to = 7u;
        message.weight = (-5);
        message.time = time;
        // rows.rs:+4
        Along along;
        along.row = row;
        along.from = order->from;
        along.message_ = message;
        {
            GLOBAL Along *ann_slot = (GLOBAL Along *)ann_outbox_next(out);
            if (ann_slot) *ann_slot = along;
        }
    }
    // rows.rs:+6
    if (order->fails != 0u) {
        // rows.rs:+7
        return 81u;
    }
    // rows.rs:+9
    return 0u;
}

#define ANN_MESSAGE Order
#define ANN_MESSAGE_BYTES 24
#define ANN_OUTPUT Along
#define ANN_OUTPUT_BYTES 28
#define ANN_ROWS
#define ANN_ROW_OFFSET 8u
#define ANN_ROW_BYTES 20u
#define ANN_ROW_STORE_KEY(copy, key) (*(GLOBAL u32 *)((copy) + 8u) = (u32)(key))
#define ANN_ROW_STORE_EDGE(copy, value) (*(GLOBAL u32 *)((copy) + 12u) = (u32)(value))
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->sender)
#define ANN_MAX_OUTPUTS 3
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_spread(message, outbox)
