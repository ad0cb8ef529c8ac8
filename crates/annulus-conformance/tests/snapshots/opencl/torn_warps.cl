// The handler of kernel `torn_warps`, written from crates/annulus-conformance/src/kernels/warps.rs:+0 (module annulus_conformance::kernels::warps).
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

#define ANN_WARP_WORD u32
/* What the threads of a warp give each other. A warp has 32 threads, and the block's last one may have fewer.
   All threads of the block come to each of these. */

/* The lane of this number, or the thread's own if its warp has none. */
ANN_FUNCTION u32 ann_lane_at(PRIVATE const ann_round *round, u32 lane)
{
    u32 own = ann_thread(round) & 31u;
    u32 rest = (u32)ANN_LAUNCH_THREADS - (ann_thread(round) - own);
    return lane < 32u && lane < rest ? lane : own;
}

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
/* Instructions of the warp, which need no memory. */
#define ANN_HAS_WARPS 1
#define ANN_WARP_MEMORY
ANN_FUNCTION u32 ann_warp_lanes(PRIVATE const ann_round *round)
{
    u32 rest = (u32)ANN_LAUNCH_THREADS - (ann_thread(round) & ~31u);
    return rest < 32u ? (1u << rest) - 1u : 0xFFFFFFFFu;
}
#define ann_warp_barrier(round) __syncwarp(ann_warp_lanes(round))
#define ann_shuffle_u32(memory, round, side, value, lane) __shfl_sync(ann_warp_lanes(round), value, (i32)ann_lane_at(round, lane))
#define ann_shuffle_u64(memory, round, side, value, lane) __shfl_sync(ann_warp_lanes(round), value, (i32)ann_lane_at(round, lane))
#define ann_ballot(memory, round, side, answer) __ballot_sync(ann_warp_lanes(round), (i32)(answer))
#else
/* Through the block's memory. It has two sides, which take turns: whoever still reads one has not come to the
   barrier behind which it is written again. */
#define ANN_HAS_WARPS 0
#define ANN_WARP_MEMORY ANN_WARP_WORD warps[2][ANN_LAUNCH_THREADS];
#define ann_warp_barrier(round) ann_barrier()
#define ann_shuffle_u32(memory, round, side, value, lane) ((u32)ann_shuffle(memory, round, side, value, lane))
#define ann_shuffle_u64(memory, round, side, value, lane) ((u64)ann_shuffle(memory, round, side, value, lane))

ANN_FUNCTION ANN_WARP_WORD ann_shuffle(
    LOCAL ANN_WARP_WORD (*memory)[ANN_LAUNCH_THREADS], PRIVATE const ann_round *round, PRIVATE u32 *side, ANN_WARP_WORD value, u32 lane)
{
    LOCAL ANN_WARP_WORD *words = memory[*side];
    *side ^= 1u;
    words[ann_thread(round)] = value;
    ann_barrier();
    return words[(ann_thread(round) & ~31u) + ann_lane_at(round, lane)];
}

/* The first thread of each warp counts, and tells the others. */
ANN_FUNCTION u32 ann_ballot(LOCAL ANN_WARP_WORD (*memory)[ANN_LAUNCH_THREADS], PRIVATE const ann_round *round, PRIVATE u32 *side, u32 answer)
{
    LOCAL ANN_WARP_WORD *words = memory[*side];
    u32 first = ann_thread(round) & ~31u;
    *side ^= 1u;
    words[ann_thread(round)] = answer != 0u ? 1u : 0u;
    ann_barrier();
    if (ann_thread(round) == first) {
        u32 rest = (u32)ANN_LAUNCH_THREADS - first;
        u32 votes = 0u;
        for (u32 lane = 0u; lane < 32u && lane < rest; lane++) votes |= (u32)words[first + lane] << lane;
        words[first] = votes;
    }
    ann_barrier();
    return (u32)words[first];
}
#endif

typedef struct Number {
    u64 value;
} Number;
typedef char ann_size_of_Number[sizeof(Number) == 8 ? 1 : -1];

typedef struct u32_x4 { u32 at[4]; } u32_x4;

// What the threads of a block share while they work on a message.
typedef struct {
    ann_meeting meeting;
    ANN_WARP_MEMORY
    u32_x4 part_0;
    u32 part_1[ANN_LAUNCH_THREADS];
    u32 part_2[32];
} ann_block_memory;

static u32 handle_torn_warps(ann_cx cx, GLOBAL const Number *message, PRIVATE ann_outbox *replies, volatile GLOBAL u32 *acted, u64 acted_len, LOCAL ann_block_memory *ann_together, PRIVATE ann_round *ann_rounds, u32 ann_first) {
    u32 ann_code = ann_first; // of this thread
    u32 ann_end = ann_first; // the same in all threads
    u32 ann_side = 0u; // of the warps' memory
    for (u32 ann_i = cx.thread_index; ann_i < 4u; ann_i += ANN_LAUNCH_THREADS)
        ann_together->part_0.at[ann_i] = 0;
    ann_barrier();
    // warps.rs:+7
    u32 me = cx.thread_index;
    // warps.rs:+8
    if (message->value == 1ul) {
        // warps.rs:+11
        bool ann_answer_41;
        ann_answer_41 = me < 3u;
        ann_code = ann_agree(&ann_together->meeting, ann_rounds, ann_code, ann_answer_41);
        ann_end = ann_code;
        if ((ann_end == 0u) && ann_answer_41) {
            // warps.rs:+12
            ann_warp_barrier(ann_rounds);
        }
    } else if (message->value == 2ul) {
        // warps.rs:+17
        bool ann_answer_42;
        ann_answer_42 = (cx.thread_index / 32u) == 0u;
        ann_code = ann_agree(&ann_together->meeting, ann_rounds, ann_code, ann_answer_42);
        ann_end = ann_code;
        if ((ann_end == 0u) && ann_answer_42) {
            // warps.rs:+18
            u32 given = me;
            u32 from = 7u;
            u32 got = ann_shuffle_u32(ann_together->warps, ann_rounds, &ann_side, given, from);
            ann_together->part_0.at[0] = got;
        }
    } else {
    }
    // warps.rs:+23
    u32 given;
    u32 from;
    while (ann_code == 0u) {
        if ((message->value == 3ul) && (me == 5u)) {
            // warps.rs:+24
            ann_code = ANN_RETURNED;
            break;
        } else if (message->value == 4ul) {
            // warps.rs:+25
            ann_code = ANN_RETURNED;
            break;
        } else if ((message->value == 5ul) && (me == 33u)) {
            // warps.rs:+26
            ann_code = 77u;
            if (ann_code == 0u) ann_code = ANN_RETURNED;
            break;
        } else if ((message->value == 5ul) && (me == 35u)) {
            // warps.rs:+27
            u64 at = (u64)me;
            if (at >= 4ul) { ann_code = 0xFF04u; break; } // index out of bounds
            ann_together->part_0.at[at] = 1u;
        } else {
        }
        // warps.rs:+30
        given = me;
        from = (1u < 32u) ? ((cx.thread_index % 32u) + 1u) : 32u;
        break;
    }
    ann_code = ann_meet(&ann_together->meeting, ann_rounds, ann_code);
    ann_end = ann_code;
    u32 got = ann_shuffle_u32(ann_together->warps, ann_rounds, &ann_side, given, from);
    u32 next;
    while (ann_code == 0u) {
        next = got;
        // warps.rs:+31
        if (0ul >= acted_len) { ann_code = 0xFF04u; break; } // index out of bounds
        break;
    }
    u32 seen;
    u32 reduced;
    while (ann_code == 0u) {
        seen = rs_atomic_fetch_add_u32(&acted[0], 1u, RS_RELAXED);
        // warps.rs:+33
        reduced = next;
        ann_together->part_1[(u64)cx.thread_index] = reduced;
        break;
    }
    ann_code = ann_meet(&ann_together->meeting, ann_rounds, ann_code);
    ann_end = ann_code;
    while (ann_code == 0u) {
        if ((cx.thread_index % 32u) == 0u) {
            u32 count = ((((u32)ANN_LAUNCH_THREADS) - cx.thread_index) >= 32u) ? 32u : (((u32)ANN_LAUNCH_THREADS) - cx.thread_index);
            u32 distance_ = 16u;
            for (;;) {
                if (distance_ == 0u) {
                    break;
                }
                for (u32 index_ = 0u; index_ < distance_; index_ += 1) {
                    if ((index_ + distance_) < count) {
                        u32 a = ann_together->part_1[(u64)((u64)(cx.thread_index + index_))];
                        u32 b = ann_together->part_1[(u64)((u64)(cx.thread_index + (index_ + distance_)))];
                        u32 a_2 = a;
                        u32 b_2 = b;
                        u32 chosen;
                        if (message->value == 6ul) {
                            // warps.rs:+34
                            u32 divisor = (a_2 - 1u) ^ 1u;
                            if (divisor == 0u) { ann_code = 0xFF05u; break; } // division by zero
                            u64 at = (((u64)a_2) - 1ul) * 2ul;
                            if (at >= 4ul) { ann_code = 0xFF04u; break; } // index out of bounds
                            u32 element = ann_together->part_0.at[at];
                            chosen = (a_2 / divisor) + element;
                        } else {
                            // warps.rs:+35
                            chosen = rs_max_u32(a_2, b_2);
                        }
                        ann_together->part_1[(u64)((u64)(cx.thread_index + index_))] = chosen;
                    }
                }
                if (ann_code != 0u) break;
                distance_ = distance_ / 2u;
            }
            if (ann_code != 0u) break;
            ann_together->part_2[(u64)(cx.thread_index / 32u)] = ann_together->part_1[(u64)cx.thread_index];
        }
        break;
    }
    ann_code = ann_meet(&ann_together->meeting, ann_rounds, ann_code);
    ann_end = ann_code;
    reduced = ann_together->part_2[(u64)(cx.thread_index / 32u)];
    u32 most = reduced;
    // warps.rs:+37
    ann_barrier();
    // warps.rs:+38
    while (ann_code == 0u) {
        if ((cx.thread_index == 0u) && (most == 31u)) {
            // warps.rs:+39
            if (0ul >= acted_len) { ann_code = 0xFF04u; break; } // index out of bounds
            u32 seen_2;
            seen_2 = rs_atomic_load_u32(&acted[0], RS_RELAXED);
            Number number;
            number.value = (u64)seen_2;
            {
                GLOBAL Number *ann_slot = (GLOBAL Number *)ann_outbox_next(replies);
                if (ann_slot) *ann_slot = number;
            }
        }
        // warps.rs:+41
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
#define ANN_BINDING_PARAMETERS , volatile GLOBAL u32 *bind_acted, u64 len_of_bind_acted
#define ANN_BINDING_ENTRY , volatile GLOBAL u32 *bind_acted ANN_BUFFER, ANN_NUMBER len_of_bind_acted ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_acted, len_of_bind_acted
#define ANN_BLOCK_WIDE 1
#define ANN_CALL(cx, message, state, outbox) handle_torn_warps(cx, message, outbox, bind_acted, len_of_bind_acted, v->together, v->rounds, first)
