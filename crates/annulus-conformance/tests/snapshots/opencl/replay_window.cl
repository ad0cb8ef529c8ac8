// The handler of kernel `replay_window`, written from crates/annulus-conformance/src/kernels/real/memory.rs:+0 (module annulus_conformance::kernels::real::memory).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Packet {
    u32 sender;
    u32 number;
} Packet;
typedef char ann_size_of_Packet[sizeof(Packet) == 8 ? 1 : -1];

typedef struct Received {
    u32 highest;
    u8 ann_pad0[4];
    u64 bits;
} Received;
typedef char ann_size_of_Received[sizeof(Received) == 16 ? 1 : -1];

static u32 handle_replay_window(GLOBAL const Packet *packet, PRIVATE Received *received, PRIVATE ann_outbox *fresh) {
    // memory.rs:+1
    if (received->bits == 0ul) {
        // memory.rs:+2
        Received received_2;
        received_2.highest = packet->number;
        received_2.bits = 0ul;
        (*received) = received_2;
    }
    // memory.rs:+4
    if (packet->number > received->highest) {
        // memory.rs:+5
        u32 ahead = packet->number - received->highest;
        // memory.rs:+6
        u64 operand = received->bits;
        received->bits = (ahead < 64u) ? rs_shl_u64(operand, ahead) : 0ul;
        // memory.rs:+7
        received->highest = packet->number;
    }
    // memory.rs:+9
    u32 behind = received->highest - packet->number;
    // memory.rs:+10
    if ((behind >= 64u) || ((rs_shr_u64(received->bits, behind) & 1ul) == 1ul)) {
        // memory.rs:+11
        return 0u;
    }
    // memory.rs:+13
    received->bits = received->bits | rs_shl_u64(1ul, behind);
    // memory.rs:+14
    {
        GLOBAL Packet *ann_slot = (GLOBAL Packet *)ann_outbox_next(fresh);
        if (ann_slot) *ann_slot = (*packet);
    }
    return 0u;
}

#define ANN_MESSAGE Packet
#define ANN_MESSAGE_BYTES 8
#define ANN_OUTPUT Packet
#define ANN_OUTPUT_BYTES 8
#define ANN_OUTPUT_KEY(message) ((u64)(message)->sender)
#define ANN_STATE Received
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->sender)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_replay_window(message, state, outbox)
