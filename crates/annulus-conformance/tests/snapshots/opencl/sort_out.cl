// The handler of kernel `sort_out`, written from crates/annulus-conformance/src/kernels/ports.rs:+0 (module annulus_conformance::kernels::ports).
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

typedef struct Item {
    u32 key;
    u32 producer;
    u64 sequence;
} Item;
typedef char ann_size_of_Item[sizeof(Item) == 16 ? 1 : -1];

typedef struct Number {
    u64 value;
} Number;
typedef char ann_size_of_Number[sizeof(Number) == 8 ? 1 : -1];

typedef struct Done {
    u8 ann_nothing;
} Done;

typedef union outputs_of_sort_out {
    u64 tag; // 0ul numbers, 1ul kept, 2ul marks
    struct {
        u64 ann_tag;
        Number field_0;
        u8 ann_pad0[8];
    } numbers;
    struct {
        u64 ann_tag;
        Item field_0;
    } kept;
    struct {
        u64 ann_tag;
        u8 ann_pad0[16];
    } marks;
} outputs_of_sort_out;
typedef char ann_size_of_outputs_of_sort_out[sizeof(outputs_of_sort_out) == 24 ? 1 : -1];
typedef char ann_size_of_outputs_of_sort_out_numbers[sizeof(((PRIVATE outputs_of_sort_out *)0)->numbers) == 24 ? 1 : -1];
typedef char ann_size_of_outputs_of_sort_out_kept[sizeof(((PRIVATE outputs_of_sort_out *)0)->kept) == 24 ? 1 : -1];
typedef char ann_size_of_outputs_of_sort_out_marks[sizeof(((PRIVATE outputs_of_sort_out *)0)->marks) == 24 ? 1 : -1];

typedef struct Total {
    u64 sum;
} Total;
typedef char ann_size_of_Total[sizeof(Total) == 8 ? 1 : -1];

// ports.rs:-8: twice
static void fn_twice(u64 value, u64 more, PRIVATE ann_outbox *out, PRIVATE u32 *ann_sent) {
    // ports.rs:-7
    Number number;
    number.value = value;
    {
        GLOBAL outputs_of_sort_out *ann_slot = (GLOBAL outputs_of_sort_out *)ann_port_next(out, ann_sent, 0u, 2u);
        if (ann_slot) {
            ann_slot->tag = 0ul;
            ann_slot->numbers.field_0 = number;
        }
    }
    // ports.rs:-6
    Number number_2;
    number_2.value = value + more;
    {
        GLOBAL outputs_of_sort_out *ann_slot = (GLOBAL outputs_of_sort_out *)ann_port_next(out, ann_sent, 0u, 2u);
        if (ann_slot) {
            ann_slot->tag = 0ul;
            ann_slot->numbers.field_0 = number_2;
        }
    }
}

static u32 handle_sort_out(GLOBAL const Item *item, PRIVATE Total *handled, PRIVATE ann_outbox *outbox) {
    u32 ann_sent[3] = { 0u, 0u, 0u };
    // ports.rs:+7
    handled->sum = handled->sum + 1ul;
    // ports.rs:+8
    u64 subject = item->sequence % 4ul;
    if (subject == 0ul) {
        // ports.rs:+9
        fn_twice(handled->sum, 1000ul, outbox, ann_sent);
    } else if (subject == 1ul) {
        // ports.rs:+10
        {
            GLOBAL outputs_of_sort_out *ann_slot = (GLOBAL outputs_of_sort_out *)ann_port_next(outbox, ann_sent, 1u, 1u);
            if (ann_slot) {
                ann_slot->tag = 1ul;
                ann_slot->kept.field_0 = (*item);
            }
        }
    } else {
        // ports.rs:+12
        Done done;
        {
            GLOBAL outputs_of_sort_out *ann_slot = (GLOBAL outputs_of_sort_out *)ann_port_next(outbox, ann_sent, 2u, 1u);
            if (ann_slot) ann_slot->tag = 2ul;
        }
        // ports.rs:+13
        {
            GLOBAL outputs_of_sort_out *ann_slot = (GLOBAL outputs_of_sort_out *)ann_port_next(outbox, ann_sent, 1u, 1u);
            if (ann_slot) {
                ann_slot->tag = 1ul;
                ann_slot->kept.field_0 = (*item);
            }
        }
        // ports.rs:+14
        if (item->sequence == 18446744073709551614ul) {
            // ports.rs:+15
            {
                GLOBAL outputs_of_sort_out *ann_slot = (GLOBAL outputs_of_sort_out *)ann_port_next(outbox, ann_sent, 1u, 1u);
                if (ann_slot) {
                    ann_slot->tag = 1ul;
                    ann_slot->kept.field_0 = (*item);
                }
            }
        }
        // ports.rs:+17
        Number number;
        number.value = handled->sum;
        {
            GLOBAL outputs_of_sort_out *ann_slot = (GLOBAL outputs_of_sort_out *)ann_port_next(outbox, ann_sent, 0u, 2u);
            if (ann_slot) {
                ann_slot->tag = 0ul;
                ann_slot->numbers.field_0 = number;
            }
        }
    }
    // ports.rs:+20
    if ((item->sequence % 4ul) == 3ul) {
        // ports.rs:+21
        return 78u;
    }
    // ports.rs:+23
    return 0u;
}

#define ANN_MESSAGE Item
#define ANN_MESSAGE_BYTES 16
#define ANN_OUTPUT outputs_of_sort_out
#define ANN_OUTPUT_BYTES 24
#define ANN_PORTS 3
#define ANN_PORT_OFFSET(port) ((port) == 0u ? 8u : (port) == 1u ? 8u : 8u)
#define ANN_PORT_BYTES(port) ((port) == 0u ? 8u : (port) == 1u ? 16u : 0u)
#define ANN_PORT_IS_KEYED(port) ((port) == 0u ? 0u : (port) == 1u ? 1u : 0u)
#define ANN_PORT_KEY_1(message) ((u64)(message)->key)
#define ANN_PORT_KEY(port, output) ((port) == 0u ? (u64)0 : (port) == 1u ? ANN_PORT_KEY_1((GLOBAL const Item *)((output) + 8u)) : (u64)0)
#define ANN_STATE Total
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->key)
#define ANN_MAX_OUTPUTS 4
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_sort_out(message, state, outbox)
