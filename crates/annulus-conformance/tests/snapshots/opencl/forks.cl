// The handler of kernel `forks`, written from crates/annulus-conformance/src/kernels/stamps.rs:+0 (module annulus_conformance::kernels::stamps).
#pragma OPENCL FP_CONTRACT OFF

/* Where the next output of one of several outboxes goes; null, and the message fails, beyond what this one may
   send. `sent` counts the outputs of each. */
RS_FN GLOBAL u8 *ann_port_next(PRIVATE ann_outbox *outbox, PRIVATE u32 *sent, u32 port, u32 limit)
{
    if (sent[port] >= limit) {
        outbox->refused = 1;
        return 0;
    }
    sent[port] += 1;
    return ann_outbox_next(outbox);
}

typedef struct Step {
    u32 actor;
    u32 hops;
    u64 cause;
} Step;
typedef char ann_size_of_Step[sizeof(Step) == 16 ? 1 : -1];

typedef union outputs_of_forks {
    u64 tag; // 0ul left, 1ul right
    struct {
        u64 ann_tag;
        Step field_0;
    } left;
    struct {
        u64 ann_tag;
        Step field_0;
    } right;
} outputs_of_forks;
typedef char ann_size_of_outputs_of_forks[sizeof(outputs_of_forks) == 24 ? 1 : -1];
typedef char ann_size_of_outputs_of_forks_left[sizeof(((PRIVATE outputs_of_forks *)0)->left) == 24 ? 1 : -1];
typedef char ann_size_of_outputs_of_forks_right[sizeof(((PRIVATE outputs_of_forks *)0)->right) == 24 ? 1 : -1];

typedef struct Total {
    u64 sum;
} Total;
typedef char ann_size_of_Total[sizeof(Total) == 8 ? 1 : -1];

static u32 handle_forks(ann_cx cx, GLOBAL const Step *step_, PRIVATE Total *total, PRIVATE ann_outbox *outbox, u64 ann_message_stamp) {
    u32 ann_sent[2] = { 0u, 0u };
    // stamps.rs:+7
    if (ann_message_stamp <= step_->cause) {
        // stamps.rs:+8
        return 81u;
    }
    // stamps.rs:+10
    total->sum = total->sum + 1ul;
    // stamps.rs:+11
    Step next;
    next.actor = (step_->actor + 1u) % 4u;
    next.hops = step_->hops + 1u;
    next.cause = ann_message_stamp;
    // stamps.rs:+12
    {
        GLOBAL outputs_of_forks *ann_slot = (GLOBAL outputs_of_forks *)ann_port_next(outbox, ann_sent, 0u, 1u);
        if (ann_slot) {
            ann_slot->tag = 0ul;
            ann_slot->left.field_0 = next;
        }
    }
    // stamps.rs:+13
    if (rs_is_multiple_of_u64(total->sum, 3ul)) {
        // stamps.rs:+14
        {
            GLOBAL outputs_of_forks *ann_slot = (GLOBAL outputs_of_forks *)ann_port_next(outbox, ann_sent, 1u, 1u);
            if (ann_slot) {
                ann_slot->tag = 1ul;
                ann_slot->right.field_0 = next;
            }
        }
    }
    // stamps.rs:+16
    return 0u;
}

#define ANN_MESSAGE Step
#define ANN_MESSAGE_BYTES 16
#define ANN_OUTPUT outputs_of_forks
#define ANN_OUTPUT_BYTES 24
#define ANN_PORTS 2
#define ANN_PORT_OFFSET(port) ((port) == 0u ? 8u : 8u)
#define ANN_PORT_BYTES(port) ((port) == 0u ? 16u : 16u)
#define ANN_PORT_IS_KEYED(port) ((port) == 0u ? 1u : 1u)
#define ANN_PORT_KEY_0(message) ((u64)(message)->actor)
#define ANN_PORT_KEY_1(message) ((u64)(message)->actor)
#define ANN_PORT_KEY(port, output) ((port) == 0u ? ANN_PORT_KEY_0((GLOBAL const Step *)((output) + 8u)) : ANN_PORT_KEY_1((GLOBAL const Step *)((output) + 8u)))
#define ANN_STATE Total
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->actor)
#define ANN_MAX_OUTPUTS 2
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_ASKS_STAMP 1
#define ANN_CALL(cx, message, state, outbox) handle_forks(cx, message, state, outbox, stamp)
