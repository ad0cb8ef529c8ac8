// The handler of kernel `multiply`, written from crates/annulus-conformance/src/kernels/rounds.rs:+0 (module annulus_conformance::kernels::rounds).
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

typedef struct Spark {
    u32 to;
    u32 left;
    u64 sent_in;
    u64 path;
} Spark;
typedef char ann_size_of_Spark[sizeof(Spark) == 24 ? 1 : -1];

typedef struct Lit {
    u64 round_;
    u64 sent_in;
    u64 path;
    u32 at;
    u32 before;
} Lit;
typedef char ann_size_of_Lit[sizeof(Lit) == 32 ? 1 : -1];

typedef union outputs_of_multiply {
    u64 tag; // 0ul onward, 1ul lit
    struct {
        u64 ann_tag;
        Spark field_0;
        u8 ann_pad0[8];
    } onward;
    struct {
        u64 ann_tag;
        Lit field_0;
    } lit;
} outputs_of_multiply;
typedef char ann_size_of_outputs_of_multiply[sizeof(outputs_of_multiply) == 40 ? 1 : -1];
typedef char ann_size_of_outputs_of_multiply_onward[sizeof(((PRIVATE outputs_of_multiply *)0)->onward) == 40 ? 1 : -1];
typedef char ann_size_of_outputs_of_multiply_lit[sizeof(((PRIVATE outputs_of_multiply *)0)->lit) == 40 ? 1 : -1];

typedef struct Sparks {
    u32 count;
    u8 ann_pad0[4];
    u64 last;
} Sparks;
typedef char ann_size_of_Sparks[sizeof(Sparks) == 16 ? 1 : -1];

static u32 handle_multiply(ann_cx cx, GLOBAL const Spark *spark, PRIVATE Sparks *sparks, PRIVATE ann_outbox *outbox, u64 ann_round_number) {
    u32 ann_budget = 16777216u;
    u32 ann_sent[2] = { 0u, 0u };
    // rounds.rs:+1
    u64 round_ = ann_round_number + 1ul;
    // rounds.rs:+2
    Lit lit;
    lit.round_ = round_;
    lit.sent_in = spark->sent_in;
    lit.path = spark->path;
    lit.at = spark->to;
    lit.before = sparks->count;
    {
        GLOBAL outputs_of_multiply *ann_slot = (GLOBAL outputs_of_multiply *)ann_port_next(outbox, ann_sent, 1u, 1u);
        if (ann_slot) {
            ann_slot->tag = 1ul;
            ann_slot->lit.field_0 = lit;
        }
    }
    // rounds.rs:+3
    sparks->count = sparks->count + 1u;
    // rounds.rs:+4
    sparks->last = round_;
    // rounds.rs:+5
    if (spark->left > 0u) {
        // rounds.rs:+6
        u32 turn = 0u;
        // rounds.rs:+7
        for (;;) {
            if (turn >= 2u) {
                break;
            }
            if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
            // rounds.rs:+8
            u64 path = (spark->path * 2ul) + ((u64)turn);
            // rounds.rs:+9
            u32 to = ((u32)((path * 11400714819323198485ul) >> 40u)) % 64u;
            // rounds.rs:+10
            Spark spark_2;
            spark_2.to = to;
            spark_2.left = spark->left - 1u;
            spark_2.sent_in = round_;
            spark_2.path = path;
            {
                GLOBAL outputs_of_multiply *ann_slot = (GLOBAL outputs_of_multiply *)ann_port_next(outbox, ann_sent, 0u, 2u);
                if (ann_slot) {
                    ann_slot->tag = 0ul;
                    ann_slot->onward.field_0 = spark_2;
                }
            }
            // rounds.rs:+11
            turn = turn + 1u;
        }
    }
    return 0u;
}

#define ANN_MESSAGE Spark
#define ANN_MESSAGE_BYTES 24
#define ANN_OUTPUT outputs_of_multiply
#define ANN_OUTPUT_BYTES 40
#define ANN_PORTS 2
#define ANN_PORT_OFFSET(port) ((port) == 0u ? 8u : 8u)
#define ANN_PORT_BYTES(port) ((port) == 0u ? 24u : 32u)
#define ANN_PORT_IS_KEYED(port) ((port) == 0u ? 1u : 0u)
#define ANN_PORT_KEY_0(message) ((u64)(message)->to)
#define ANN_PORT_KEY(port, output) ((port) == 0u ? ANN_PORT_KEY_0((GLOBAL const Spark *)((output) + 8u)) : (u64)0)
#define ANN_STATE Sparks
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->to)
#define ANN_MAX_OUTPUTS 3
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ARGUMENTS
#define ANN_ASKS_ROUND 1
#define ANN_CALL(cx, message, state, outbox) handle_multiply(cx, message, state, outbox, round)
