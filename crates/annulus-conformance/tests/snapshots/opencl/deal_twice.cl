// The handler of kernel `deal_twice`, written from crates/annulus-conformance/src/kernels/peers.rs:+0 (module annulus_conformance::kernels::peers).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Number {
    u64 value;
} Number;
typedef char ann_size_of_Number[sizeof(Number) == 8 ? 1 : -1];

typedef struct Peer {
    u64 bits;
} Peer;
typedef char ann_size_of_Peer[sizeof(Peer) == 8 ? 1 : -1];

typedef struct Addressed {
    Peer to;
    Number message_;
} Addressed;
typedef char ann_size_of_Addressed[sizeof(Addressed) == 16 ? 1 : -1];

CONSTANT const Peer ANY = { .bits = 9223372036854775808ul };

static u32 handle_deal_twice(GLOBAL const Number *number, PRIVATE ann_outbox *out) {
    u32 ann_budget = 16777216u;
    // peers.rs:+1
    for (i32 i = 0; i < 2; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // peers.rs:+2
        Number number_2;
        number_2.value = number->value + 1ul;
        Addressed addressed;
        addressed.to = ANY;
        addressed.message_ = number_2;
        {
            GLOBAL Addressed *ann_slot = (GLOBAL Addressed *)ann_outbox_next(out);
            if (ann_slot) *ann_slot = addressed;
        }
    }
    return 0u;
}

#define ANN_MESSAGE Number
#define ANN_MESSAGE_BYTES 8
#define ANN_OUTPUT Addressed
#define ANN_OUTPUT_BYTES 16
#define ANN_PORTS 16
#define ANN_PEERS 15
#define ANN_PORT_OFFSET(port) 8u
#define ANN_PORT_BYTES(port) 8u
#define ANN_PORT_IS_KEYED(port) 0u
#define ANN_PORT_KEY(port, output) ((u64)0)
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 2
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_deal_twice(message, outbox)
