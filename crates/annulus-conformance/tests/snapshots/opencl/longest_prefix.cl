// The handler of kernel `longest_prefix`, written from crates/annulus-conformance/src/kernels/real/places.rs:+0 (module annulus_conformance::kernels::real::places).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Addressed {
    u32 address;
} Addressed;
typedef char ann_size_of_Addressed[sizeof(Addressed) == 4 ? 1 : -1];

typedef struct Routed {
    u32 address;
    u16 route;
    u16 bits;
} Routed;
typedef char ann_size_of_Routed[sizeof(Routed) == 8 ? 1 : -1];

typedef struct u16_x2 { u16 at[2]; } u16_x2;

typedef struct Node {
    u16_x2 children;
    u16 route;
} Node;
typedef char ann_size_of_Node[sizeof(Node) == 6 ? 1 : -1];

static u32 handle_longest_prefix(GLOBAL const Addressed *packet, PRIVATE ann_outbox *routed, GLOBAL const Node *tree, u64 tree_len) {
    u32 ann_budget = 16777216u;
    // places.rs:+1
    Routed found;
    found.address = packet->address;
    found.route = 0;
    found.bits = 0;
    // places.rs:+2
    u64 at = 0ul;
    // places.rs:+3
    bool more = 0 <= 32;
    u16 next = 0;
    for (;;) {
        if (!more) {
            break;
        }
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        u16 bits = next;
        more = rs_distance_u16(next, 32) >= 1ul;
        next = rs_advance_u16(next, 1ul);
        // places.rs:+4
        u64 at_2 = at;
        bool there = at_2 < tree_len;
        if (!there) {
            break;
        }
        // places.rs:+5
        if (tree[at_2].route != 0) {
            // places.rs:+6
            Routed routed_2 = found;
            routed_2.route = tree[at_2].route;
            routed_2.bits = bits;
            found = routed_2;
        }
        // places.rs:+8
        if (bits == 32) {
            // places.rs:+9
            break;
        }
        // places.rs:+11
        u32 bit = rs_shr_u32(packet->address, (u32)rs_sub_u16(31, bits)) & 1u;
        // places.rs:+12
        u64 at_3 = (u64)bit;
        if (at_3 >= 2ul) return 0xFF04u; // index out of bounds
        if (tree[at_2].children.at[at_3] == 0) {
            // places.rs:+13
            break;
        } else {
            // places.rs:+14
            u16 child = tree[at_2].children.at[at_3];
            at = (u64)child;
        }
    }
    // places.rs:+17
    if (found.route != 0) {
        // places.rs:+18
        {
            GLOBAL Routed *ann_slot = (GLOBAL Routed *)ann_outbox_next(routed);
            if (ann_slot) *ann_slot = found;
        }
    }
    return 0u;
}

#define ANN_MESSAGE Addressed
#define ANN_MESSAGE_BYTES 4
#define ANN_OUTPUT Routed
#define ANN_OUTPUT_BYTES 8
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS , GLOBAL Node *bind_tree, u64 len_of_bind_tree
#define ANN_BINDING_ENTRY , GLOBAL Node *bind_tree ANN_BUFFER, ANN_NUMBER len_of_bind_tree ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_tree, len_of_bind_tree
#define ANN_CALL(cx, message, state, outbox) handle_longest_prefix(message, outbox, bind_tree, len_of_bind_tree)
