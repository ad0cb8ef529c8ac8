// The handler of kernel `track_together`, written from crates/annulus-conformance/src/kernels/together.rs:+0 (module annulus_conformance::kernels::together).
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

typedef struct Item {
    u32 key;
    u32 producer;
    u64 sequence;
} Item;
typedef char ann_size_of_Item[sizeof(Item) == 16 ? 1 : -1];

typedef struct Tracked {
    u32 key;
    u32 producer;
    u64 sequence;
    u64 count;
} Tracked;
typedef char ann_size_of_Tracked[sizeof(Tracked) == 24 ? 1 : -1];

typedef struct Total {
    u64 sum;
} Total;
typedef char ann_size_of_Total[sizeof(Total) == 8 ? 1 : -1];

// What the threads of a block share while they work on a message.
typedef struct {
    ann_meeting meeting;
    Total state;
    u32 part_0[ANN_LAUNCH_THREADS];
    u32 part_1;
    u64 part_2[ANN_LAUNCH_THREADS];
    u64 part_3;
} ann_block_memory;

static u32 handle_track_together(ann_cx cx, GLOBAL const Item *item, LOCAL Total *count, PRIVATE ann_outbox *replies, LOCAL ann_block_memory *ann_together, PRIVATE ann_round *ann_rounds, u32 ann_first) {
    u32 ann_code = ann_first; // of this thread
    u32 ann_end = ann_first; // the same in all threads
    ann_barrier();
    // together.rs:+1
    ann_together->part_0[cx.thread_index] = 1u;
    ann_barrier();
    if ((cx.thread_index % 32u) == 0u) {
        u32 count_2 = ((((u32)ANN_LAUNCH_THREADS) - cx.thread_index) >= 32u) ? 32u : (((u32)ANN_LAUNCH_THREADS) - cx.thread_index);
        u32 distance_ = 16u;
        for (;;) {
            if (distance_ == 0u) {
                break;
            }
            for (u32 index_ = 0u; index_ < distance_; index_ += 1) {
                if ((index_ + distance_) < count_2) {
                    u32 a = ann_together->part_0[(u64)(cx.thread_index + index_)];
                    u32 b = ann_together->part_0[(u64)(cx.thread_index + (index_ + distance_))];
                    u32 a_2 = a;
                    u32 b_2 = b;
                    ann_together->part_0[(u64)(cx.thread_index + index_)] = a_2 + b_2;
                }
            }
            distance_ = distance_ / 2u;
        }
    }
    ann_barrier();
    if (cx.thread_index == 0u) {
        u32 count_2 = (((u32)ANN_LAUNCH_THREADS) + 31u) / 32u;
        u32 distance_ = 16u;
        for (;;) {
            if (distance_ == 0u) {
                break;
            }
            for (u32 index_ = 0u; index_ < distance_; index_ += 1) {
                if ((index_ + distance_) < count_2) {
                    u32 a = ann_together->part_0[(u64)(0u + (index_ * 32u))];
                    u32 b = ann_together->part_0[(u64)(0u + ((index_ + distance_) * 32u))];
                    u32 a_2 = a;
                    u32 b_2 = b;
                    ann_together->part_0[(u64)(0u + (index_ * 32u))] = a_2 + b_2;
                }
            }
            distance_ = distance_ / 2u;
        }
        ann_together->part_1 = ann_together->part_0[0];
    }
    ann_barrier();
    u32 reduced = ann_together->part_1;
    u32 threads = reduced;
    // together.rs:+3
    while (ann_code == 0u) {
        if (cx.thread_index == 0u) {
            // together.rs:+4
            Total state_now = (*count);
            if (((u32)ANN_LAUNCH_THREADS) == 0u) { ann_code = 0xFF05u; break; } // division by zero
            Total total;
            total.sum = state_now.sum + ((u64)(threads / ((u32)ANN_LAUNCH_THREADS)));
            if (cx.thread_index != 0u) { ann_code = 0xFF0Au; break; } // not the leader
            (*count) = total;
        }
        break;
    }
    // together.rs:+6
    ann_code = ann_meet(&ann_together->meeting, ann_rounds, ann_code);
    ann_end = ann_code;
    // together.rs:+7
    Total state_now = (*count);
    ann_together->part_2[cx.thread_index] = state_now.sum;
    ann_barrier();
    if ((cx.thread_index % 32u) == 0u) {
        u32 count_2 = ((((u32)ANN_LAUNCH_THREADS) - cx.thread_index) >= 32u) ? 32u : (((u32)ANN_LAUNCH_THREADS) - cx.thread_index);
        u32 distance_ = 16u;
        for (;;) {
            if (distance_ == 0u) {
                break;
            }
            for (u32 index_ = 0u; index_ < distance_; index_ += 1) {
                if ((index_ + distance_) < count_2) {
                    u64 a = ann_together->part_2[(u64)(cx.thread_index + index_)];
                    u64 b = ann_together->part_2[(u64)(cx.thread_index + (index_ + distance_))];
                    u64 a_2 = a;
                    u64 b_2 = b;
                    ann_together->part_2[(u64)(cx.thread_index + index_)] = (a_2 == b_2) ? a_2 : 0ul;
                }
            }
            distance_ = distance_ / 2u;
        }
    }
    ann_barrier();
    if (cx.thread_index == 0u) {
        u32 count_2 = (((u32)ANN_LAUNCH_THREADS) + 31u) / 32u;
        u32 distance_ = 16u;
        for (;;) {
            if (distance_ == 0u) {
                break;
            }
            for (u32 index_ = 0u; index_ < distance_; index_ += 1) {
                if ((index_ + distance_) < count_2) {
                    u64 a = ann_together->part_2[(u64)(0u + (index_ * 32u))];
                    u64 b = ann_together->part_2[(u64)(0u + ((index_ + distance_) * 32u))];
                    u64 a_2 = a;
                    u64 b_2 = b;
                    ann_together->part_2[(u64)(0u + (index_ * 32u))] = (a_2 == b_2) ? a_2 : 0ul;
                }
            }
            distance_ = distance_ / 2u;
        }
        ann_together->part_3 = ann_together->part_2[0];
    }
    ann_barrier();
    u64 reduced_2 = ann_together->part_3;
    u64 seen = reduced_2;
    // together.rs:+8
    while (ann_code == 0u) {
        if (cx.thread_index == 0u) {
            // together.rs:+9
            u32 key = item->key;
            u32 producer = item->producer;
            u64 sequence = item->sequence;
            // together.rs:+10
            Tracked tracked;
            tracked.key = key;
            tracked.producer = producer;
            tracked.sequence = sequence;
            tracked.count = seen;
            {
                GLOBAL Tracked *ann_slot = (GLOBAL Tracked *)ann_outbox_next(replies);
                if (ann_slot) *ann_slot = tracked;
            }
        }
        ann_code = ANN_RETURNED;
        break;
        break;
    }
    ann_end = ann_code;
    return ann_code;
}

#define ANN_MESSAGE Item
#define ANN_MESSAGE_BYTES 16
#define ANN_OUTPUT Tracked
#define ANN_OUTPUT_BYTES 24
#define ANN_STATE Total
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->key)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_BLOCK_WIDE 1
#define ANN_CALL(cx, message, state, outbox) handle_track_together(cx, message, state, outbox, v->together, v->rounds, first)
