// The handler of kernel `stroll`, written from crates/annulus-conformance/src/kernels/barriers.rs:+0 (module annulus_conformance::kernels::barriers).
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

typedef struct Passed {
    u32 actor;
    u32 barrier_;
    u64 generation;
    u64 missing;
} Passed;
typedef char ann_size_of_Passed[sizeof(Passed) == 24 ? 1 : -1];

typedef union Walk {
    u32 tag; // 0u Begin, 1u Passed
    struct {
        u32 ann_tag;
        u32 walker;
        u64 rounds;
        u8 ann_pad0[16];
    } Begin;
    struct {
        u32 ann_tag;
        u8 ann_pad0[4];
        Passed field_0;
    } Passed;
} Walk;
typedef char ann_size_of_Walk[sizeof(Walk) == 32 ? 1 : -1];
typedef char ann_size_of_Walk_Begin[sizeof(((PRIVATE Walk *)0)->Begin) == 32 ? 1 : -1];
typedef char ann_size_of_Walk_Passed[sizeof(((PRIVATE Walk *)0)->Passed) == 32 ? 1 : -1];

typedef struct Arrive {
    u32 barrier_;
    u32 party;
    u64 generation;
} Arrive;
typedef char ann_size_of_Arrive[sizeof(Arrive) == 16 ? 1 : -1];

typedef struct Step {
    u32 party;
    u32 barrier_;
    u64 generation;
    u64 missing;
    u64 nth;
} Step;
typedef char ann_size_of_Step[sizeof(Step) == 32 ? 1 : -1];

typedef union outputs_of_stroll {
    u64 tag; // 0ul at, 1ul steps
    struct {
        u64 ann_tag;
        Arrive field_0;
        u8 ann_pad0[16];
    } at;
    struct {
        u64 ann_tag;
        Step field_0;
    } steps;
} outputs_of_stroll;
typedef char ann_size_of_outputs_of_stroll[sizeof(outputs_of_stroll) == 40 ? 1 : -1];
typedef char ann_size_of_outputs_of_stroll_at[sizeof(((PRIVATE outputs_of_stroll *)0)->at) == 40 ? 1 : -1];
typedef char ann_size_of_outputs_of_stroll_steps[sizeof(((PRIVATE outputs_of_stroll *)0)->steps) == 40 ? 1 : -1];

typedef struct Walked {
    u64 rounds;
    u64 steps;
} Walked;
typedef char ann_size_of_Walked[sizeof(Walked) == 16 ? 1 : -1];

static u32 handle_stroll(GLOBAL const Walk *walk, PRIVATE Walked *walked, PRIVATE ann_outbox *outbox, GLOBAL const Arrive *me) {
    u32 ann_sent[2] = { 0u, 0u };
    // barriers.rs:+1
    if (walk->tag == 0u) {
        // barriers.rs:+3
        walked->rounds = walk->Begin.rounds;
        // barriers.rs:+4
        Arrive arrive = (*me);
        arrive.party = me->party + walk->Begin.walker;
        {
            GLOBAL outputs_of_stroll *ann_slot = (GLOBAL outputs_of_stroll *)ann_port_next(outbox, ann_sent, 0u, 1u);
            if (ann_slot) {
                ann_slot->tag = 0ul;
                ann_slot->at.field_0 = arrive;
            }
        }
    } else {
        // barriers.rs:+7
        walked->steps = walked->steps + 1ul;
        // barriers.rs:+8
        u32 party = me->party + walk->Passed.field_0.actor;
        // barriers.rs:+9
        Step step_;
        step_.party = party;
        step_.barrier_ = walk->Passed.field_0.barrier_;
        step_.generation = walk->Passed.field_0.generation;
        step_.missing = walk->Passed.field_0.missing;
        step_.nth = walked->steps;
        {
            GLOBAL outputs_of_stroll *ann_slot = (GLOBAL outputs_of_stroll *)ann_port_next(outbox, ann_sent, 1u, 1u);
            if (ann_slot) {
                ann_slot->tag = 1ul;
                ann_slot->steps.field_0 = step_;
            }
        }
        // barriers.rs:+16
        u64 generation = walk->Passed.field_0.generation + 1ul;
        // barriers.rs:+17
        if (generation < walked->rounds) {
            // barriers.rs:+18
            Arrive arrive;
            arrive.barrier_ = walk->Passed.field_0.barrier_;
            arrive.party = party;
            arrive.generation = generation;
            {
                GLOBAL outputs_of_stroll *ann_slot = (GLOBAL outputs_of_stroll *)ann_port_next(outbox, ann_sent, 0u, 1u);
                if (ann_slot) {
                    ann_slot->tag = 0ul;
                    ann_slot->at.field_0 = arrive;
                }
            }
        }
    }
    return 0u;
}

#define ANN_MESSAGE Walk
#define ANN_MESSAGE_BYTES 32
#define ANN_OUTPUT outputs_of_stroll
#define ANN_OUTPUT_BYTES 40
#define ANN_PORTS 2
#define ANN_PORT_OFFSET(port) ((port) == 0u ? 8u : 8u)
#define ANN_PORT_BYTES(port) ((port) == 0u ? 16u : 32u)
#define ANN_PORT_IS_KEYED(port) ((port) == 0u ? 1u : 0u)
#define ANN_PORT_KEY_0(message) ((u64)(message)->barrier_)
#define ANN_PORT_KEY(port, output) ((port) == 0u ? ANN_PORT_KEY_0((GLOBAL const Arrive *)((output) + 8u)) : (u64)0)
#define ANN_STATE Walked
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((message)->tag == 0u ? (u64)(message)->Begin.walker : ((u64)(&(message)->Passed.field_0)->actor))
#define ANN_MAX_OUTPUTS 2
#define ANN_BINDING_PARAMETERS , GLOBAL Arrive *bind_me, u64 len_of_bind_me
#define ANN_BINDING_ENTRY , GLOBAL Arrive *bind_me ANN_BUFFER, ANN_NUMBER len_of_bind_me ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_me, len_of_bind_me
#define ANN_CALL(cx, message, state, outbox) handle_stroll(message, state, outbox, bind_me)
