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
