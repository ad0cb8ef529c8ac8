// The handler of kernel `in_turn`, written from crates/annulus-conformance/src/kernels/peers.rs:+0 (module annulus_conformance::kernels::peers).
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

static u32 handle_in_turn(GLOBAL const Number *number, PRIVATE ann_outbox *out, GLOBAL const Peer *known, u64 known_len) {
    // peers.rs:+1
    u64 divisor = (u64)known_len;
    if (divisor == 0ul) return 0xFF05u; // division by zero
    u64 at = (u64)(number->value % divisor);
    if (at >= known_len) return 0xFF04u; // index out of bounds
    Peer to = known[at];
    // peers.rs:+2
    Addressed addressed;
    addressed.to = to;
    addressed.message_ = (*number);
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
#define ANN_PORT_BYTES(port) 8u
#define ANN_PORT_IS_KEYED(port) 0u
#define ANN_PORT_KEY(port, output) ((u64)0)
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS , GLOBAL Peer *bind_known, u64 len_of_bind_known
#define ANN_BINDING_ENTRY , GLOBAL Peer *bind_known ANN_BUFFER, ANN_NUMBER len_of_bind_known ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_known, len_of_bind_known
#define ANN_CALL(cx, message, state, outbox) handle_in_turn(message, outbox, bind_known, len_of_bind_known)
