// The handler of kernel `torn`, written from crates/annulus-conformance/src/kernels/together.rs:+0 (module annulus_conformance::kernels::together).
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

typedef struct Number {
    u64 value;
} Number;
typedef char ann_size_of_Number[sizeof(Number) == 8 ? 1 : -1];

typedef struct Total {
    u64 sum;
} Total;
typedef char ann_size_of_Total[sizeof(Total) == 8 ? 1 : -1];

typedef struct u32_x8 { u32 at[8]; } u32_x8;

// What the threads of a block share while they work on a message.
typedef struct {
    ann_meeting meeting;
    Total state;
    u32_x8 part_0;
} ann_block_memory;

static u32 handle_torn(ann_cx cx, GLOBAL const Number *message, LOCAL Total *total, PRIVATE ann_outbox *replies, LOCAL ann_block_memory *ann_together, PRIVATE ann_round *ann_rounds, u32 ann_first) {
    u32 ann_budget = 16777216u;
    u32 ann_code = ann_first; // of this thread
    u32 ann_end = ann_first; // the same in all threads
    for (u32 ann_i = cx.thread_index; ann_i < 8u; ann_i += ANN_LAUNCH_THREADS)
        ann_together->part_0.at[ann_i] = 0;
    ann_barrier();
    // together.rs:+7
    u32 me;
    u32 zero;
    while (ann_code == 0u) {
        me = cx.thread_index;
        // together.rs:+8
        zero = rs_saturating_sub_u32(me, me);
        // together.rs:+9
        if (cx.thread_index == 0u) {
            // together.rs:+10
            Total state_now = (*total);
            Total total_2;
            total_2.sum = state_now.sum + 1ul;
            if (cx.thread_index != 0u) { ann_code = 0xFF0Au; break; } // not the leader
            (*total) = total_2;
            // together.rs:+11
            {
                GLOBAL Number *ann_slot = (GLOBAL Number *)ann_outbox_next(replies);
                if (ann_slot) *ann_slot = (*message);
            }
        }
        break;
    }
    // together.rs:+14
    if (message->value == 1ul) {
        // together.rs:+17
        bool ann_answer_8;
        while (ann_code == 0u) {
            ann_answer_8 = me < 3u;
            break;
        }
        ann_code = ann_agree(&ann_together->meeting, ann_rounds, ann_code, ann_answer_8);
        ann_end = ann_code;
        if ((ann_end == 0u) && ann_answer_8) {
            // together.rs:+18
            ann_barrier();
        }
    } else if (message->value == 8ul) {
        // together.rs:+23
        u32 round_ = 0u;
        // together.rs:+24
        while (ann_end == 0u) {
            bool ann_answer_9;
            while (ann_code == 0u) {
                ann_answer_9 = round_ >= me;
                break;
            }
            ann_code = ann_agree(&ann_together->meeting, ann_rounds, ann_code, ann_answer_9);
            ann_end = ann_code;
            if ((ann_end == 0u) && ann_answer_9) {
                break;
            }
            while (ann_code == 0u) {
                if (ann_budget-- == 0u) { ann_code = 0xFF07u; break; } // loop budget exhausted
                break;
            }
            // together.rs:+25
            ann_code = ann_meet(&ann_together->meeting, ann_rounds, ann_code);
            ann_end = ann_code;
            // together.rs:+26
            round_ = round_ + 1u;
        }
    } else if (message->value == 9ul) {
        // together.rs:+31
        ann_code = ann_meet(&ann_together->meeting, ann_rounds, ann_code);
        ann_end = ann_code;
        // together.rs:+32
        while (ann_code == 0u) {
            if ((me + 1u) == ((u32)ANN_LAUNCH_THREADS)) {
                // together.rs:+33
                ann_code = 77u;
                if (ann_code == 0u) ann_code = ANN_RETURNED;
                break;
            }
            // together.rs:+35
            ann_code = ANN_RETURNED;
            break;
            break;
        }
        ann_end = ann_code;
    } else {
    }
    // together.rs:+39
    while (ann_code == 0u) {
        if ((message->value == 2ul) && (me == 5u)) {
            // together.rs:+41
            ann_code = ANN_RETURNED;
            break;
        } else if ((message->value == 3ul) && (me == 6u)) {
            // together.rs:+43
            u64 at = 8ul + ((u64)me);
            if (at >= 8ul) { ann_code = 0xFF04u; break; } // index out of bounds
            ann_together->part_0.at[at] = 1u;
        } else if ((message->value == 3ul) && (me == 4u)) {
            // together.rs:+44
            if (zero == 0u) { ann_code = 0xFF05u; break; } // division by zero
            ann_together->part_0.at[0] = 1u / zero;
        } else if ((message->value == 4ul) && (me == 1u)) {
            // together.rs:+45
            Total total_2;
            total_2.sum = 99ul;
            if (cx.thread_index != 0u) { ann_code = 0xFF0Au; break; } // not the leader
            (*total) = total_2;
        } else if ((message->value == 5ul) && (me == 1u)) {
            // together.rs:+46
            {
                GLOBAL Number *ann_slot = (GLOBAL Number *)ann_outbox_next(replies);
                if (ann_slot) *ann_slot = (*message);
            }
        } else if ((message->value == 6ul) && (me == 2u)) {
            // together.rs:+47
            ann_code = 77u;
            if (ann_code == 0u) ann_code = ANN_RETURNED;
            break;
        } else if (message->value == 7ul) {
            // together.rs:+49
            ann_code = ANN_RETURNED;
            break;
        } else {
        }
        break;
    }
    // together.rs:+52
    ann_code = ann_meet(&ann_together->meeting, ann_rounds, ann_code);
    ann_end = ann_code;
    // together.rs:+53
    while (ann_code == 0u) {
        if (me < 8u) {
            // together.rs:+54
            u64 at = (u64)me;
            if (at >= 8ul) { ann_code = 0xFF04u; break; } // index out of bounds
            ann_together->part_0.at[at] = me;
        }
        // together.rs:+56
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
#define ANN_STATE Total
#define ANN_SHAPE ANN_WHOLE
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_BLOCK_WIDE 1
#define ANN_CALL(cx, message, state, outbox) handle_torn(cx, message, state, outbox, v->together, v->rounds, first)
