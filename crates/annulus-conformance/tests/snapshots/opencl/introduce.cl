// The handler of kernel `introduce`, written from crates/annulus-conformance/src/kernels/peers.rs:+0 (module annulus_conformance::kernels::peers).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Number {
    u64 value;
} Number;
typedef char ann_size_of_Number[sizeof(Number) == 8 ? 1 : -1];

typedef struct Peer {
    u64 bits;
} Peer;
typedef char ann_size_of_Peer[sizeof(Peer) == 8 ? 1 : -1];

typedef struct Joined {
    u16 weight;
    u16 worker;
    u16 round_;
} Joined;
typedef char ann_size_of_Joined[sizeof(Joined) == 6 ? 1 : -1];

typedef struct Addressed {
    Peer to;
    Joined message_;
    u8 ann_pad0[2];
} Addressed;
typedef char ann_size_of_Addressed[sizeof(Addressed) == 16 ? 1 : -1];

static u32 handle_introduce(GLOBAL const Number *number, PRIVATE ann_outbox *out, GLOBAL const Peer *coordinator) {
    // peers.rs:+1
    Joined message;
    message.weight = 5;
    message.worker = (u16)(number->value % 7ul);
    message.round_ = (u16)number->value;
    // peers.rs:+2
    Addressed addressed;
    addressed.to = (*coordinator);
    addressed.message_ = message;
    {
        GLOBAL Addressed *ann_slot = (GLOBAL Addressed *)ann_outbox_next(out);
        if (ann_slot) *ann_slot = addressed;
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
#define ANN_PORT_BYTES(port) 6u
#define ANN_PORT_IS_KEYED(port) 1u
#define ANN_PEER_KEY(message) ((u64)(message)->worker)
#define ANN_PORT_KEY(port, output) (ANN_PEER_KEY((GLOBAL const Joined *)((output) + 8u)))
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS , GLOBAL Peer *bind_coordinator, u64 len_of_bind_coordinator
#define ANN_BINDING_ENTRY , GLOBAL Peer *bind_coordinator ANN_BUFFER, ANN_NUMBER len_of_bind_coordinator ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_coordinator, len_of_bind_coordinator
#define ANN_CALL(cx, message, state, outbox) handle_introduce(message, outbox, bind_coordinator)
