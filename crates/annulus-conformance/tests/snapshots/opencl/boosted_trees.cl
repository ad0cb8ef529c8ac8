// The handler of kernel `boosted_trees`, written from crates/annulus-conformance/src/kernels/real/learning.rs:+0 (module annulus_conformance::kernels::real::learning).
#pragma OPENCL FP_CONTRACT OFF

typedef struct f32_x4 { f32 at[4]; } f32_x4;

typedef struct Features {
    f32_x4 values;
} Features;
typedef char ann_size_of_Features[sizeof(Features) == 16 ? 1 : -1];

typedef struct Predicted {
    f32 value;
} Predicted;
typedef char ann_size_of_Predicted[sizeof(Predicted) == 4 ? 1 : -1];

typedef union Split {
    u32 tag; // 0u At, 1u Leaf
    struct {
        u32 ann_tag;
        u32 feature;
        f32 limit;
        u32 right;
    } At;
    struct {
        u32 ann_tag;
        f32 value;
        u8 ann_pad0[8];
    } Leaf;
} Split;
typedef char ann_size_of_Split[sizeof(Split) == 16 ? 1 : -1];
typedef char ann_size_of_Split_At[sizeof(((PRIVATE Split *)0)->At) == 16 ? 1 : -1];
typedef char ann_size_of_Split_Leaf[sizeof(((PRIVATE Split *)0)->Leaf) == 16 ? 1 : -1];

static u32 handle_boosted_trees(GLOBAL const Features *features, PRIVATE ann_outbox *predicted, GLOBAL const u32 *roots, u64 roots_len, GLOBAL const Split *nodes, u64 nodes_len) {
    u32 ann_budget = 16777216u;
    // learning.rs:+1
    f32 sum = 0.0f;
    // learning.rs:+2
    for (u64 i = 0ul; i < roots_len; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // learning.rs:+3
        u64 at = (u64)roots[i];
        // learning.rs:+5
        for (u64 i_2 = 0ul; i_2 < nodes_len; i_2 += 1) {
            if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
            // learning.rs:+6
            u64 at_2 = at;
            bool there = at_2 < nodes_len;
            if (there && (nodes[at_2].tag == 0u)) {
                // learning.rs:+8
                u64 at_3 = ((u64)nodes[at_2].At.feature) % 4ul;
                if (at_3 >= 4ul) return 0xFF04u; // index out of bounds
                bool below = features->values.at[at_3] < nodes[at_2].At.limit;
                // learning.rs:+9
                at = below ? (at + 1ul) : ((u64)nodes[at_2].At.right);
            } else if (there && (nodes[at_2].tag == 1u)) {
                // learning.rs:+12
                sum = sum + nodes[at_2].Leaf.value;
                // learning.rs:+13
                break;
            } else {
                // learning.rs:+15
                break;
            }
        }
    }
    // learning.rs:+19
    Predicted predicted_2;
    predicted_2.value = sum;
    {
        GLOBAL Predicted *ann_slot = (GLOBAL Predicted *)ann_outbox_next(predicted);
        if (ann_slot) *ann_slot = predicted_2;
    }
    return 0u;
}

#define ANN_MESSAGE Features
#define ANN_MESSAGE_BYTES 16
#define ANN_OUTPUT Predicted
#define ANN_OUTPUT_BYTES 4
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS , GLOBAL u32 *bind_roots, u64 len_of_bind_roots, GLOBAL Split *bind_nodes, u64 len_of_bind_nodes
#define ANN_BINDING_ENTRY , GLOBAL u32 *bind_roots ANN_BUFFER, ANN_NUMBER len_of_bind_roots ANN_BUFFER, GLOBAL Split *bind_nodes ANN_BUFFER, ANN_NUMBER len_of_bind_nodes ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_roots, len_of_bind_roots, bind_nodes, len_of_bind_nodes
#define ANN_CALL(cx, message, state, outbox) handle_boosted_trees(message, outbox, bind_roots, len_of_bind_roots, bind_nodes, len_of_bind_nodes)
