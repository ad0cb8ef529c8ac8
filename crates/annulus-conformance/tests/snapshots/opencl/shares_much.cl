// The handler of kernel `shares_much`, written from crates/annulus-conformance/src/kernels/shared.rs:+0 (module annulus_conformance::kernels::shared).
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

typedef struct u64_x12800 { u64 at[12800]; } u64_x12800;

// What the threads of a block share while they work on a message.
typedef struct {
    ann_meeting meeting;
    u64_x12800 part_0;
    u64 part_1[ANN_LAUNCH_THREADS];
    u64 part_2;
} ann_block_memory;

static u32 handle_shares_much(ann_cx cx, GLOBAL const Number *message, PRIVATE ann_outbox *replies, LOCAL ann_block_memory *ann_together, PRIVATE ann_round *ann_rounds, u32 ann_first) {
    u32 ann_budget = 16777216u;
    u32 ann_code = ann_first; // of this thread
    u32 ann_end = ann_first; // the same in all threads
    for (u32 ann_i = cx.thread_index; ann_i < 12800u; ann_i += ANN_LAUNCH_THREADS)
        ann_together->part_0.at[ann_i] = 0;
    ann_barrier();
    // shared.rs:+2
    u64 at;
    u64 before;
    while (ann_code == 0u) {
        at = (u64)cx.thread_index;
        // shared.rs:+3
        before = 0ul;
        // shared.rs:+4
        for (;;) {
            if (at >= 12800ul) {
                break;
            }
            if (ann_budget-- == 0u) { ann_code = 0xFF07u; break; } // loop budget exhausted
            // shared.rs:+6
            if (at >= 12800ul) { ann_code = 0xFF04u; break; } // index out of bounds
            u64 element = ann_together->part_0.at[at];
            before = before | element;
            // shared.rs:+7
            if (at >= 12800ul) { ann_code = 0xFF04u; break; } // index out of bounds
            ann_together->part_0.at[at] = message->value * (((u64)at) + 1ul);
            // shared.rs:+8
            at = at + ((u64)((u32)ANN_LAUNCH_THREADS));
        }
        if (ann_code != 0u) break;
        break;
    }
    // shared.rs:+10
    ann_code = ann_meet(&ann_together->meeting, ann_rounds, ann_code);
    ann_end = ann_code;
    // shared.rs:+11
    u64 sum;
    u64 at_2;
    while (ann_code == 0u) {
        sum = before;
        // shared.rs:+12
        at_2 = (u64)cx.thread_index;
        // shared.rs:+13
        for (;;) {
            if (at_2 >= 12800ul) {
                break;
            }
            if (ann_budget-- == 0u) { ann_code = 0xFF07u; break; } // loop budget exhausted
            // shared.rs:+14
            u64 far = (12800ul - 1ul) - at_2;
            // shared.rs:+15
            if (far >= 12800ul) { ann_code = 0xFF04u; break; } // index out of bounds
            u64 element = ann_together->part_0.at[far];
            sum = sum + (element * ((u64)far));
            // shared.rs:+16
            at_2 = at_2 + ((u64)((u32)ANN_LAUNCH_THREADS));
        }
        if (ann_code != 0u) break;
        // shared.rs:+18
        ann_together->part_1[cx.thread_index] = sum;
        break;
    }
    ann_code = ann_meet(&ann_together->meeting, ann_rounds, ann_code);
    ann_end = ann_code;
    if ((cx.thread_index % 32u) == 0u) {
        u32 count = ((((u32)ANN_LAUNCH_THREADS) - cx.thread_index) >= 32u) ? 32u : (((u32)ANN_LAUNCH_THREADS) - cx.thread_index);
        u32 distance_ = 16u;
        for (;;) {
            if (distance_ == 0u) {
                break;
            }
            for (u32 index_ = 0u; index_ < distance_; index_ += 1) {
                if ((index_ + distance_) < count) {
                    u64 a = ann_together->part_1[(u64)(cx.thread_index + index_)];
                    u64 b = ann_together->part_1[(u64)(cx.thread_index + (index_ + distance_))];
                    u64 a_2 = a;
                    u64 b_2 = b;
                    ann_together->part_1[(u64)(cx.thread_index + index_)] = a_2 + b_2;
                }
            }
            distance_ = distance_ / 2u;
        }
    }
    ann_barrier();
    if (cx.thread_index == 0u) {
        u32 count = (((u32)ANN_LAUNCH_THREADS) + 31u) / 32u;
        u32 distance_ = 16u;
        for (;;) {
            if (distance_ == 0u) {
                break;
            }
            for (u32 index_ = 0u; index_ < distance_; index_ += 1) {
                if ((index_ + distance_) < count) {
                    u64 a = ann_together->part_1[(u64)(0u + (index_ * 32u))];
                    u64 b = ann_together->part_1[(u64)(0u + ((index_ + distance_) * 32u))];
                    u64 a_2 = a;
                    u64 b_2 = b;
                    ann_together->part_1[(u64)(0u + (index_ * 32u))] = a_2 + b_2;
                }
            }
            distance_ = distance_ / 2u;
        }
        ann_together->part_2 = ann_together->part_1[0];
    }
    ann_barrier();
    u64 reduced = ann_together->part_2;
    u64 sum_2 = reduced;
    // shared.rs:+19
    while (ann_code == 0u) {
        if (cx.thread_index == 0u) {
            // shared.rs:+20
            Number number;
            number.value = sum_2;
            {
                GLOBAL Number *ann_slot = (GLOBAL Number *)ann_outbox_next(replies);
                if (ann_slot) *ann_slot = number;
            }
        }
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
#define ANN_CALL(cx, message, state, outbox) handle_shares_much(cx, message, outbox, v->together, v->rounds, first)
