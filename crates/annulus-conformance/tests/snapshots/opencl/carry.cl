// The handler of kernel `carry`, written from crates/annulus-conformance/src/kernels/peers.rs:+0 (module annulus_conformance::kernels::peers).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Peer {
    u64 bits;
} Peer;
typedef char ann_size_of_Peer[sizeof(Peer) == 8 ? 1 : -1];

typedef struct Item {
    u32 key;
    u32 producer;
    u64 sequence;
} Item;
typedef char ann_size_of_Item[sizeof(Item) == 16 ? 1 : -1];

typedef struct Parcel {
    u32 sender;
    u32 copies;
    Peer to;
    Item item;
} Parcel;
typedef char ann_size_of_Parcel[sizeof(Parcel) == 32 ? 1 : -1];

typedef struct Addressed {
    Peer to;
    Item message_;
} Addressed;
typedef char ann_size_of_Addressed[sizeof(Addressed) == 24 ? 1 : -1];

static u32 handle_carry(GLOBAL const Parcel *parcel, PRIVATE ann_outbox *out) {
    u32 ann_budget = 16777216u;
    // peers.rs:+1
    u32 end = parcel->copies;
    for (u32 copy = 0u; copy < end; copy += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // peers.rs:+2
        Item item = parcel->item;
        item.producer = copy;
        Addressed addressed;
        addressed.to = parcel->to;
        addressed.message_ = item;
        {
            GLOBAL Addressed *ann_slot = (GLOBAL Addressed *)ann_outbox_next(out);
            if (ann_slot) *ann_slot = addressed;
        }
    }
    return 0u;
}

#define ANN_MESSAGE Parcel
#define ANN_MESSAGE_BYTES 32
#define ANN_OUTPUT Addressed
#define ANN_OUTPUT_BYTES 24
#define ANN_PORTS 16
#define ANN_PEERS 15
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
#define ANN_CALL(cx, message, state, outbox) handle_carry(message, outbox)
