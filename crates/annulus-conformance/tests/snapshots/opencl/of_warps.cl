// The handler of kernel `of_warps`, written from crates/annulus-conformance/src/kernels/warps.rs:+0 (module annulus_conformance::kernels::warps).
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

#define ANN_WARP_WORD u64
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

typedef struct u64_x256 { u64 at[256]; } u64_x256;

// warps.rs:-20: word_of
static u64 fn_word_of(u64 value, u32 thread_) {
    // warps.rs:-19
    return rs_rotate_left_u64((value ^ (((u64)thread_) * 11400714819323198485ul)) * 13787848793156543929ul, 31u);
}

// warps.rs:-6: also
static u64 fn_also(u64 hash, u64 word) {
    // warps.rs:-5
    return (rs_rotate_left_u64(hash, 7u) ^ word) * 1099511628211ul;
}

// warps.rs:-12: part_of
static f32 fn_part_of(u64 word, u32 thread_) {
    // warps.rs:-11
    return (((f32)(word % 1000ul)) / (((f32)thread_) + 3.0f)) * ((f32)rs_shl_u32(1u, thread_ % 13u));
}

// What the threads of a block share while they work on a message.
typedef struct {
    ann_meeting meeting;
    ANN_WARP_MEMORY
    u64_x256 part_0;
    f32 part_1[ANN_LAUNCH_THREADS];
    f32 part_2[32];
    f32 part_3[32];
    f32 part_4[32];
    f32 part_5[ANN_LAUNCH_THREADS];
    i8 part_6[32];
    i8 part_7[32];
    i8 part_8[ANN_LAUNCH_THREADS];
    i8 part_9[ANN_LAUNCH_THREADS];
    u64 part_10[ANN_LAUNCH_THREADS];
    u64 part_11;
} ann_block_memory;

static u32 handle_of_warps(ann_cx cx, GLOBAL const Number *message, PRIVATE ann_outbox *replies, LOCAL ann_block_memory *ann_together, PRIVATE ann_round *ann_rounds, u32 ann_first) {
    u32 ann_budget = 16777216u;
    u32 ann_code = ann_first; // of this thread
    u32 ann_end = ann_first; // the same in all threads
    u32 ann_side = 0u; // of the warps' memory
    for (u32 ann_i = cx.thread_index; ann_i < 256u; ann_i += ANN_LAUNCH_THREADS)
        ann_together->part_0.at[ann_i] = 0;
    ann_barrier();
    // warps.rs:+2
    u32 me = cx.thread_index;
    // warps.rs:+3
    u64 own = fn_word_of(message->value, me);
    // warps.rs:+4
    u32 by = (u32)message->value;
    // warps.rs:+5
    u64 given = own;
    u32 from = by;
    u64 got = ann_shuffle_u64(ann_together->warps, ann_rounds, &ann_side, given, from);
    u64 hash = got;
    // warps.rs:+6
    u32 given_2 = (u32)own;
    u32 from_2 = (by <= (cx.thread_index % 32u)) ? ((cx.thread_index % 32u) - by) : 32u;
    u32 got_2 = ann_shuffle_u32(ann_together->warps, ann_rounds, &ann_side, given_2, from_2);
    u64 also = fn_also(hash, (u64)got_2);
    hash = also;
    // warps.rs:+7
    u32 given_3 = (u32)((i16)own);
    u32 from_3 = (by < 32u) ? ((cx.thread_index % 32u) + by) : 32u;
    u32 got_3 = ann_shuffle_u32(ann_together->warps, ann_rounds, &ann_side, given_3, from_3);
    u64 also_2 = fn_also(hash, (u64)((i16)got_3));
    hash = also_2;
    // warps.rs:+8
    u32 given_4 = rs_to_bits_f32((f32)own);
    u32 from_4 = (cx.thread_index % 32u) ^ by;
    u32 got_4 = ann_shuffle_u32(ann_together->warps, ann_rounds, &ann_side, given_4, from_4);
    u64 also_3 = fn_also(hash, (u64)rs_to_bits_f32(rs_from_bits_f32(got_4)));
    hash = also_3;
    // warps.rs:+9
    bool answer = (own % 3ul) == 0ul;
    u32 votes = ann_ballot(ann_together->warps, ann_rounds, &ann_side, answer);
    u64 also_4 = fn_also(hash, (u64)votes);
    hash = also_4;
    // warps.rs:+10
    bool answer_2 = (own % 64ul) == 0ul;
    u32 votes_2 = ann_ballot(ann_together->warps, ann_rounds, &ann_side, answer_2);
    u64 also_5 = fn_also(hash, (u64)(votes_2 != 0u));
    hash = also_5;
    // warps.rs:+11
    bool answer_3 = (own % 16ul) == 0ul;
    u32 votes_3 = ann_ballot(ann_together->warps, ann_rounds, &ann_side, answer_3);
    u64 also_6;
    u64 at;
    while (ann_code == 0u) {
        also_6 = fn_also(hash, (u64)(votes_3 == 0u));
        hash = also_6;
        // warps.rs:+13
        at = (u64)me;
        if (at >= 256ul) { ann_code = 0xFF04u; break; } // index out of bounds
        ann_together->part_0.at[at] = hash;
        break;
    }
    // warps.rs:+14
    ann_code = ann_meet(&ann_together->meeting, ann_rounds, ann_code);
    ann_end = ann_code;
    // warps.rs:+15
    u64 at_2;
    u64 element;
    while (ann_code == 0u) {
        at_2 = (u64)(me ^ (me % 2u));
        if (at_2 >= 256ul) { ann_code = 0xFF04u; break; } // index out of bounds
        element = ann_together->part_0.at[at_2];
        break;
    }
    u64 also_7;
    u64 sum;
    while (ann_code == 0u) {
        also_7 = fn_also(hash, element);
        hash = also_7;
        // warps.rs:+17
        sum = own;
        break;
    }
    // warps.rs:+18
    u32 mask = 1u;
    // warps.rs:+19
    while (ann_end == 0u) {
        if (mask >= 32u) {
            break;
        }
        u64 given_5;
        u32 from_5;
        while (ann_code == 0u) {
            if (ann_budget-- == 0u) { ann_code = 0xFF07u; break; } // loop budget exhausted
            // warps.rs:+20
            given_5 = sum;
            from_5 = (cx.thread_index % 32u) ^ mask;
            break;
        }
        ann_code = ann_meet(&ann_together->meeting, ann_rounds, ann_code);
        ann_end = ann_code;
        u64 got_5 = ann_shuffle_u64(ann_together->warps, ann_rounds, &ann_side, given_5, from_5);
        sum = sum + got_5;
        // warps.rs:+21
        mask = mask * 2u;
    }
    // warps.rs:+23
    u64 also_8;
    while (ann_code == 0u) {
        also_8 = fn_also(hash, sum);
        hash = also_8;
        break;
    }
    // warps.rs:+25
    f32 part;
    f32 reduced;
    while (ann_code == 0u) {
        part = fn_part_of(own, me);
        // warps.rs:+26
        reduced = part;
        break;
    }
    if (ANN_HAS_WARPS) {
        ann_code = ann_meet(&ann_together->meeting, ann_rounds, ann_code);
        ann_end = ann_code;
        for (u32 step_ = 0u; step_ < 5u && ann_end == 0u; step_ += 1) {
            u32 distance_ = rs_shr_u32(16u, step_);
            u32 given_5 = rs_to_bits_f32(reduced);
            u32 from_5 = (distance_ < 32u) ? ((cx.thread_index % 32u) + distance_) : 32u;
            u32 got_5 = ann_shuffle_u32(ann_together->warps, ann_rounds, &ann_side, given_5, from_5);
            if (((cx.thread_index % 32u) < distance_) && ((cx.thread_index + distance_) < ((u32)ANN_LAUNCH_THREADS))) {
                f32 part_2 = reduced;
                f32 part_3 = rs_from_bits_f32(got_5);
                f32 a = part_2;
                f32 b = part_3;
                reduced = a + b;
            }
        }
        u32 given_5 = rs_to_bits_f32(reduced);
        u32 from_5 = 0u;
        u32 got_5 = ann_shuffle_u32(ann_together->warps, ann_rounds, &ann_side, given_5, from_5);
        reduced = rs_from_bits_f32(got_5);
    } else {
        while (ann_code == 0u) {
            ann_together->part_1[(u64)cx.thread_index] = reduced;
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
                        f32 a = ann_together->part_1[(u64)((u64)(cx.thread_index + index_))];
                        f32 b = ann_together->part_1[(u64)((u64)(cx.thread_index + (index_ + distance_)))];
                        f32 a_2 = a;
                        f32 b_2 = b;
                        ann_together->part_1[(u64)((u64)(cx.thread_index + index_))] = a_2 + b_2;
                    }
                }
                distance_ = distance_ / 2u;
            }
            ann_together->part_2[(u64)(cx.thread_index / 32u)] = ann_together->part_1[(u64)cx.thread_index];
        }
        ann_barrier();
        reduced = ann_together->part_2[(u64)(cx.thread_index / 32u)];
    }
    u64 also_9 = fn_also(hash, (u64)rs_to_bits_f32(reduced));
    hash = also_9;
    // warps.rs:+27
    f32 scanned = part;
    if (ANN_HAS_WARPS) {
        for (u32 step_ = 0u; step_ < 5u && ann_end == 0u; step_ += 1) {
            u32 distance_ = rs_shl_u32(1u, step_);
            u32 given_5 = rs_to_bits_f32(scanned);
            u32 from_5 = (distance_ <= (cx.thread_index % 32u)) ? ((cx.thread_index % 32u) - distance_) : 32u;
            u32 got_5 = ann_shuffle_u32(ann_together->warps, ann_rounds, &ann_side, given_5, from_5);
            if ((cx.thread_index % 32u) >= distance_) {
                f32 part_2 = rs_from_bits_f32(got_5);
                f32 part_3 = scanned;
                f32 a = part_2;
                f32 b = part_3;
                scanned = a + b;
            }
        }
        if (((cx.thread_index % 32u) == 31u) || ((cx.thread_index + 1u) == ((u32)ANN_LAUNCH_THREADS))) {
            ann_together->part_4[(u64)(cx.thread_index / 32u)] = scanned;
        }
        ann_barrier();
        f32 total = scanned;
        if (cx.thread_index < ((((u32)ANN_LAUNCH_THREADS) + 31u) / 32u)) {
            total = ann_together->part_4[(u64)cx.thread_index];
        }
        for (u32 step_ = 0u; step_ < 5u && ann_end == 0u; step_ += 1) {
            u32 distance_ = rs_shl_u32(1u, step_);
            u32 given_5 = rs_to_bits_f32(total);
            u32 from_5 = (distance_ <= (cx.thread_index % 32u)) ? ((cx.thread_index % 32u) - distance_) : 32u;
            u32 got_5 = ann_shuffle_u32(ann_together->warps, ann_rounds, &ann_side, given_5, from_5);
            if (((cx.thread_index % 32u) >= distance_) && (cx.thread_index < ((((u32)ANN_LAUNCH_THREADS) + 31u) / 32u))) {
                f32 part_2 = rs_from_bits_f32(got_5);
                f32 part_3 = total;
                f32 a = part_2;
                f32 b = part_3;
                total = a + b;
            }
        }
        if (cx.thread_index < ((((u32)ANN_LAUNCH_THREADS) + 31u) / 32u)) {
            ann_together->part_3[(u64)cx.thread_index] = total;
        }
        ann_barrier();
    } else {
        ann_together->part_5[(u64)cx.thread_index] = scanned;
        ann_barrier();
        if ((cx.thread_index % 32u) == 0u) {
            u32 count = ((((u32)ANN_LAUNCH_THREADS) - cx.thread_index) >= 32u) ? 32u : (((u32)ANN_LAUNCH_THREADS) - cx.thread_index);
            for (u32 step_ = 0u; step_ < 5u; step_ += 1) {
                u32 distance_ = rs_shl_u32(1u, step_);
                u32 end = (count > distance_) ? (count - distance_) : 0u;
                for (u32 index_ = 0u; index_ < end; index_ += 1) {
                    u32 at_3 = count - (index_ + 1u);
                    f32 result = ann_together->part_5[(u64)(cx.thread_index + at_3)];
                    f32 part_2 = ann_together->part_5[(u64)(cx.thread_index + (at_3 - distance_))];
                    f32 part_3 = ann_together->part_5[(u64)(cx.thread_index + at_3)];
                    f32 a = part_2;
                    f32 b = part_3;
                    result = a + b;
                    ann_together->part_5[(u64)(cx.thread_index + at_3)] = result;
                }
            }
            ann_together->part_3[(u64)(cx.thread_index / 32u)] = ann_together->part_5[(u64)(cx.thread_index + ((((((u32)ANN_LAUNCH_THREADS) - cx.thread_index) >= 32u) ? 32u : (((u32)ANN_LAUNCH_THREADS) - cx.thread_index)) - 1u))];
        }
        ann_barrier();
        if (cx.thread_index == 0u) {
            u32 count = (((u32)ANN_LAUNCH_THREADS) + 31u) / 32u;
            for (u32 step_ = 0u; step_ < 5u; step_ += 1) {
                u32 distance_ = rs_shl_u32(1u, step_);
                u32 end = (count > distance_) ? (count - distance_) : 0u;
                for (u32 index_ = 0u; index_ < end; index_ += 1) {
                    u32 at_3 = count - (index_ + 1u);
                    f32 result = ann_together->part_3[(u64)(0u + at_3)];
                    f32 part_2 = ann_together->part_3[(u64)(0u + (at_3 - distance_))];
                    f32 part_3 = ann_together->part_3[(u64)(0u + at_3)];
                    f32 a = part_2;
                    f32 b = part_3;
                    result = a + b;
                    ann_together->part_3[(u64)(0u + at_3)] = result;
                }
            }
        }
        ann_barrier();
        scanned = ann_together->part_5[(u64)cx.thread_index];
    }
    if (cx.thread_index >= 32u) {
        f32 part_2 = ann_together->part_3[(u64)((cx.thread_index / 32u) - 1u)];
        f32 part_3 = scanned;
        f32 a = part_2;
        f32 b = part_3;
        scanned = a + b;
    }
    u64 also_10 = fn_also(hash, (u64)rs_to_bits_f32(scanned));
    hash = also_10;
    // warps.rs:+28
    i8 first = (-7);
    i8 scanned_2 = (i8)own;
    if (ANN_HAS_WARPS) {
        for (u32 step_ = 0u; step_ < 5u && ann_end == 0u; step_ += 1) {
            u32 distance_ = rs_shl_u32(1u, step_);
            u32 given_5 = (u32)scanned_2;
            u32 from_5 = (distance_ <= (cx.thread_index % 32u)) ? ((cx.thread_index % 32u) - distance_) : 32u;
            u32 got_5 = ann_shuffle_u32(ann_together->warps, ann_rounds, &ann_side, given_5, from_5);
            if ((cx.thread_index % 32u) >= distance_) {
                i8 part_2 = (i8)got_5;
                i8 part_3 = scanned_2;
                i8 a = part_2;
                i8 b = part_3;
                scanned_2 = rs_rotate_left_i8(rs_add_i8(a, b), 1u);
            }
        }
        if (((cx.thread_index % 32u) == 31u) || ((cx.thread_index + 1u) == ((u32)ANN_LAUNCH_THREADS))) {
            ann_together->part_7[(u64)(cx.thread_index / 32u)] = scanned_2;
        }
        ann_barrier();
        i8 total = scanned_2;
        if (cx.thread_index < ((((u32)ANN_LAUNCH_THREADS) + 31u) / 32u)) {
            total = ann_together->part_7[(u64)cx.thread_index];
        }
        for (u32 step_ = 0u; step_ < 5u && ann_end == 0u; step_ += 1) {
            u32 distance_ = rs_shl_u32(1u, step_);
            u32 given_5 = (u32)total;
            u32 from_5 = (distance_ <= (cx.thread_index % 32u)) ? ((cx.thread_index % 32u) - distance_) : 32u;
            u32 got_5 = ann_shuffle_u32(ann_together->warps, ann_rounds, &ann_side, given_5, from_5);
            if (((cx.thread_index % 32u) >= distance_) && (cx.thread_index < ((((u32)ANN_LAUNCH_THREADS) + 31u) / 32u))) {
                i8 part_2 = (i8)got_5;
                i8 part_3 = total;
                i8 a = part_2;
                i8 b = part_3;
                total = rs_rotate_left_i8(rs_add_i8(a, b), 1u);
            }
        }
        if (cx.thread_index < ((((u32)ANN_LAUNCH_THREADS) + 31u) / 32u)) {
            ann_together->part_6[(u64)cx.thread_index] = total;
        }
        ann_barrier();
    } else {
        ann_together->part_8[(u64)cx.thread_index] = scanned_2;
        ann_barrier();
        if ((cx.thread_index % 32u) == 0u) {
            u32 count = ((((u32)ANN_LAUNCH_THREADS) - cx.thread_index) >= 32u) ? 32u : (((u32)ANN_LAUNCH_THREADS) - cx.thread_index);
            for (u32 step_ = 0u; step_ < 5u; step_ += 1) {
                u32 distance_ = rs_shl_u32(1u, step_);
                u32 end = (count > distance_) ? (count - distance_) : 0u;
                for (u32 index_ = 0u; index_ < end; index_ += 1) {
                    u32 at_3 = count - (index_ + 1u);
                    i8 result = ann_together->part_8[(u64)(cx.thread_index + at_3)];
                    i8 part_2 = ann_together->part_8[(u64)(cx.thread_index + (at_3 - distance_))];
                    i8 part_3 = ann_together->part_8[(u64)(cx.thread_index + at_3)];
                    i8 a = part_2;
                    i8 b = part_3;
                    result = rs_rotate_left_i8(rs_add_i8(a, b), 1u);
                    ann_together->part_8[(u64)(cx.thread_index + at_3)] = result;
                }
            }
            ann_together->part_6[(u64)(cx.thread_index / 32u)] = ann_together->part_8[(u64)(cx.thread_index + ((((((u32)ANN_LAUNCH_THREADS) - cx.thread_index) >= 32u) ? 32u : (((u32)ANN_LAUNCH_THREADS) - cx.thread_index)) - 1u))];
        }
        ann_barrier();
        if (cx.thread_index == 0u) {
            u32 count = (((u32)ANN_LAUNCH_THREADS) + 31u) / 32u;
            for (u32 step_ = 0u; step_ < 5u; step_ += 1) {
                u32 distance_ = rs_shl_u32(1u, step_);
                u32 end = (count > distance_) ? (count - distance_) : 0u;
                for (u32 index_ = 0u; index_ < end; index_ += 1) {
                    u32 at_3 = count - (index_ + 1u);
                    i8 result = ann_together->part_6[(u64)(0u + at_3)];
                    i8 part_2 = ann_together->part_6[(u64)(0u + (at_3 - distance_))];
                    i8 part_3 = ann_together->part_6[(u64)(0u + at_3)];
                    i8 a = part_2;
                    i8 b = part_3;
                    result = rs_rotate_left_i8(rs_add_i8(a, b), 1u);
                    ann_together->part_6[(u64)(0u + at_3)] = result;
                }
            }
        }
        ann_barrier();
        scanned_2 = ann_together->part_8[(u64)cx.thread_index];
    }
    if (cx.thread_index >= 32u) {
        i8 part_2 = ann_together->part_6[(u64)((cx.thread_index / 32u) - 1u)];
        i8 part_3 = scanned_2;
        i8 a = part_2;
        i8 b = part_3;
        scanned_2 = rs_rotate_left_i8(rs_add_i8(a, b), 1u);
    }
    ann_together->part_9[(u64)cx.thread_index] = scanned_2;
    ann_barrier();
    i8 exclusive = first;
    if (cx.thread_index > 0u) {
        exclusive = ann_together->part_9[(u64)(cx.thread_index - 1u)];
    }
    u64 also_11 = fn_also(hash, (u64)exclusive);
    hash = also_11;
    // warps.rs:+29
    ann_together->part_10[cx.thread_index] = hash * ((u64)((2u * me) + 1u));
    ann_barrier();
    if ((cx.thread_index % 32u) == 0u) {
        u32 count = ((((u32)ANN_LAUNCH_THREADS) - cx.thread_index) >= 32u) ? 32u : (((u32)ANN_LAUNCH_THREADS) - cx.thread_index);
        u32 distance_ = 16u;
        for (;;) {
            if (distance_ == 0u) {
                break;
            }
            for (u32 index_ = 0u; index_ < distance_; index_ += 1) {
                if ((index_ + distance_) < count) {
                    u64 a = ann_together->part_10[(u64)(cx.thread_index + index_)];
                    u64 b = ann_together->part_10[(u64)(cx.thread_index + (index_ + distance_))];
                    u64 a_2 = a;
                    u64 b_2 = b;
                    ann_together->part_10[(u64)(cx.thread_index + index_)] = a_2 ^ b_2;
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
                    u64 a = ann_together->part_10[(u64)(0u + (index_ * 32u))];
                    u64 b = ann_together->part_10[(u64)(0u + ((index_ + distance_) * 32u))];
                    u64 a_2 = a;
                    u64 b_2 = b;
                    ann_together->part_10[(u64)(0u + (index_ * 32u))] = a_2 ^ b_2;
                }
            }
            distance_ = distance_ / 2u;
        }
        ann_together->part_11 = ann_together->part_10[0];
    }
    ann_barrier();
    u64 reduced_2 = ann_together->part_11;
    u64 all_ = reduced_2;
    // warps.rs:+30
    while (ann_code == 0u) {
        if (cx.thread_index == 0u) {
            // warps.rs:+31
            Number number;
            number.value = all_;
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
#define ANN_CALL(cx, message, state, outbox) handle_of_warps(cx, message, outbox, v->together, v->rounds, first)
