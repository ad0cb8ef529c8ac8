/* The block: messages that carry a causal stamp. `PROTOCOL.md` describes it. */

#if ANN_LAUNCH_CAUSAL

#if ANN_LAUNCH_SEALED
#error "slots that carry a stamp are open"
#endif

#define ANN_STAMP_COUNT_BITS 16

/* The stamp that an output in scratch memory carries. */
#define ANN_STAMP_OF(output) (*ANN_U64(output, ANN_OUTPUT_SPAN + ANN_LAUNCH_TRACED * 8))

/* The stamp of a slot's message, or of its copy; 0 for none. */
ANN_FUNCTION u64 ann_stamp(PRIVATE const ann_view *v, GLOBAL const u8 *slot)
{
    return *(GLOBAL const u64 *)(slot + v->shared->launch.in_stamp);
}

/* By the leader: an event that comes of a message with this stamp, or of none, in this turn. What it sends carries
   `shared.stamp`. */
/* TWIN: begin_event */
ANN_FUNCTION void ann_begin_event(PRIVATE const ann_view *v, u64 stamp)
{
    LOCAL ann_shared *b = v->shared;
    u64 now = b->now / 1000u << ANN_STAMP_COUNT_BITS;
    u64 last = b->stamp > stamp ? b->stamp : stamp;
    b->stamp = (last > now ? last : now) + 1;
}

/* By the leader: the slot of a message is about to be given back. Into one of a ring between kernels a kernel may write
   next that knows of no stamps, so it is left without one. */
ANN_FUNCTION void ann_clear_stamp(PRIVATE const ann_view *v, GLOBAL u8 *slot)
{
#if ANN_LAUNCH_CONNECTABLE
    if (v->shared->device_local)
        *ANN_U64(slot, v->shared->launch.in_stamp) = 0;
#endif
}

#ifdef ANN_OUTPUT

/* Outputs in scratch memory, from number `first` on, up to `end`, carry this stamp. */
ANN_FUNCTION void ann_stamp_outputs(GLOBAL u8 *outputs, u32 first, u32 end, u64 stamp)
{
    for (u32 k = first; k < end; k++)
        ANN_STAMP_OF(outputs + (u64)k * ANN_OUTPUT_STRIDE) = stamp;
}

#else

ANN_FUNCTION void ann_stamp_outputs(GLOBAL u8 *outputs, u32 first, u32 end, u64 stamp) {}

#endif

#endif
