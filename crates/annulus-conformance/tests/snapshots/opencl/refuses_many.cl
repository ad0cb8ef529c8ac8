// The handler of kernel `refuses_many`, written from crates/annulus-conformance/src/kernels/bodies.rs:+0 (module annulus_conformance::kernels::bodies).
#pragma OPENCL FP_CONTRACT OFF

/* How the threads of a block meet while they work on a message together. No barrier stands under a condition:
   some compilers take minutes for those. */

/* A thread has returned and not failed. No failure has this code. */
#define ANN_RETURNED 0xFFFFu

/* What the threads need to meet. Messages take turns with the three sets: while one is used, nobody reads the
   one that is cleared for the next message. Within a message, meetings take turns with two flags, so that a
   thread that fails early does not raise the flag that a late one still reads.

   Two words are volatile, since threads may access them at the same time. Several raise a flag. And where a meeting
   has failed, a thread that comes to the next one tells its failure while others still look for the first one: they
   find the same code in both places. */
typedef struct {
    volatile u32 raised[3][2]; /* a thread has ended */
    volatile u16 codes[3][ANN_LAUNCH_THREADS];
    u32 answer; /* what the leader says */
} ann_meeting;

/* A thread's own count of messages and of meetings; the same in all threads of the block. */
typedef struct {
    u32 set;
    u32 met;
    ANN_PLACE
} ann_round;

/* All threads come, each with what it has failed with, ANN_RETURNED or 0. Returns the same in all threads: 0
   if all go on, ANN_RETURNED if all have returned, else the failure of the first thread that has one. */
ANN_FUNCTION u32 ann_meet(LOCAL ann_meeting *meeting, PRIVATE ann_round *round, u32 code)
{
    u32 set = round->set;
    u32 now = round->met & 1u;
    round->met += 1u;
    if (code != 0u) {
        meeting->codes[set][ann_thread(round)] = (u16)code;
        meeting->raised[set][now] = 1u;
    }
    ann_barrier();
    u32 failed = 0u;
    u32 returned = 0u;
    u32 others = meeting->raised[set][now] != 0u ? ANN_LAUNCH_THREADS : 0u;
    for (u32 i = 0u; i < others; i++) {
        u32 other = meeting->codes[set][i];
        returned += other == ANN_RETURNED ? 1u : 0u;
        if (failed == 0u && other != ANN_RETURNED)
            failed = other;
    }
    if (failed == 0u && returned != 0u)
        failed = returned == ANN_LAUNCH_THREADS ? ANN_RETURNED : 0xFF09u; /* not reached by all threads */
    return failed;
}

/* As `ann_meet`; and all threads fail unless they give the same answer. */
ANN_FUNCTION u32 ann_agree(LOCAL ann_meeting *meeting, PRIVATE ann_round *round, u32 code, u32 answer)
{
    if (ann_thread(round) == 0u)
        meeting->answer = answer;
    code = ann_meet(meeting, round, code);
    if (code == 0u && meeting->answer != answer)
        code = 0xFF09u; /* barrier not reached by all threads */
    return ann_meet(meeting, round, code);
}

/* Before the kernel's first message; a barrier follows. */
ANN_FUNCTION void ann_begin_meeting(LOCAL ann_meeting *meeting, PRIVATE ann_round *round)
{
    round->set = 0u;
    round->met = 0u;
    for (u32 set = 0u; set < 3u; set++) {
        meeting->codes[set][ann_thread(round)] = 0u;
        if (ann_thread(round) == 0u) {
            meeting->raised[set][0] = 0u;
            meeting->raised[set][1] = 0u;
        }
    }
}

/* The end of a message: its result, the same in all threads. */
ANN_FUNCTION u32 ann_end_meeting(LOCAL ann_meeting *meeting, PRIVATE ann_round *round, u32 code)
{
    /* That set's message ended before the last one did, at a barrier that this thread has passed. */
    u32 next = round->set == 2u ? 0u : round->set + 1u;
    meeting->codes[next][ann_thread(round)] = 0u;
    if (ann_thread(round) == 0u) {
        meeting->raised[next][0] = 0u;
        meeting->raised[next][1] = 0u;
    }
    /* To have returned earlier, and to have come to the end, is the same. */
    code = ann_meet(meeting, round, code == ANN_RETURNED ? 0u : code);
    round->set = next;
    return code == ANN_RETURNED ? 0u : code;
}

/* A thread's view of the messages that a turn has found. The block defines what stands behind it. */
typedef struct {
    PRIVATE const void *view;   /* the thread's, of the block's memory */
    PRIVATE ann_outbox *outbox; /* the thread's: it leads to the outputs of the message that was taken last */
    u32 found;                  /* messages of the turn */
    u32 at; /* the message that the thread took last, by its place in the turn; ANN_NONE_TAKEN before */
} ann_inbox;

#define ANN_NONE_TAKEN 0xFFFFFFFFu

/* The next message that no thread has taken; null if there is none. */
ANN_FUNCTION GLOBAL const void *ann_take_message(PRIVATE ann_inbox *inbox);

/* The kernel ends if the body succeeds. */
ANN_FUNCTION void ann_end_kernel(PRIVATE const ann_inbox *inbox);

typedef struct Number {
    u64 value;
} Number;
typedef char ann_size_of_Number[sizeof(Number) == 8 ? 1 : -1];

// What the threads of a block share while they work on a message.
typedef struct {
    ann_meeting meeting;
} ann_block_memory;

static u32 handle_refuses_many(ann_cx cx, PRIVATE ann_inbox *inbox, PRIVATE ann_outbox *out, LOCAL ann_block_memory *ann_together, PRIVATE ann_round *ann_rounds, u32 ann_first) {
    u32 ann_code = ann_first; // of this thread
    u32 ann_end = ann_first; // the same in all threads
    // bodies.rs:+1
    while (ann_code == 0u) {
        if (inbox->found > 1u) {
            // bodies.rs:+2
            ann_code = 7u;
            if (ann_code == 0u) ann_code = ANN_RETURNED;
            break;
        }
        // bodies.rs:+4
        for (;;) {
            if (cx.thread_index == 0u) {
                // bodies.rs:+5
                bool took;
                Number taken;
                {
                    GLOBAL const Number *ann_slot = (GLOBAL const Number *)ann_take_message(inbox);
                    took = ann_slot != 0;
                    if (took) taken = *ann_slot;
                }
                bool there = took;
                Number subject = taken;
                if (there) {
                    Number message = subject;
                    // bodies.rs:+7
                    {
                        GLOBAL Number *ann_slot = (GLOBAL Number *)ann_outbox_next(out);
                        if (ann_slot) *ann_slot = message;
                    }
                    break;
                }
            }
            break;
        }
        // bodies.rs:+9
        ann_code = ANN_RETURNED;
        break;
        break;
    }
    ann_end = ann_code;
    return ann_code;
}

#define ANN_MESSAGE Number
#define ANN_MESSAGE_BYTES 8
#define ANN_OUTPUT Number
#define ANN_OUTPUT_BYTES 8
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_BLOCK_WIDE 1
#define ANN_BODY 1
#define ANN_CALL(cx, message, state, outbox) handle_refuses_many(cx, message, outbox, v->together, v->rounds, first)
