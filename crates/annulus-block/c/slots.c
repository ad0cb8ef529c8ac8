/* The block: where messages are, and whether they are published. */

ANN_FUNCTION GLOBAL u8 *ann_in_slot(PRIVATE const ann_view *v, u64 ticket)
{
    LOCAL ann_launch *l = &v->shared->launch;
    return v->inbound + ANN_RING_SLOTS + (ticket & (((u64)1 << l->in_shift) - 1)) * l->in_stride;
}

ANN_FUNCTION GLOBAL u8 *ann_out_slot(PRIVATE const ann_view *v, u64 ticket)
{
    LOCAL ann_launch *l = &v->shared->launch;
    return v->outbound + ANN_RING_SLOTS + (ticket & (((u64)1 << l->out_shift) - 1)) * l->out_stride;
}

#if ANN_LAUNCH_THROUGH

/* A bit of a call's address: the call goes through a pipeline. Below it is the number of the call's place. */
#define ANN_THROUGH 0x80000000ul

ANN_FUNCTION u32 ann_is_through(u64 call)
{
    return (call & ANN_THROUGH) != 0;
}

/* A bit of such an address: another kernel of the device made the call. */
#define ANN_ASK 0x40000000ul

#if ANN_LAUNCH_CONNECTABLE

/* The slot of what another kernel asks: behind the rings between kernels, where that kernel sees it. */
ANN_FUNCTION GLOBAL u8 *ann_ask_landing(PRIVATE const ann_view *v, u64 call)
{
    LOCAL ann_launch *l = &v->shared->launch;
    GLOBAL u8 *first = v->device_local + (u64)(l->grid - ann_block(v)) * l->device_local_stride;
    return first + (call & (ANN_ASK - 1)) * l->out_stride;
}

#endif

/* The slot of such a call: places are dealt to the kernel's shards, and follow the slots of replies. Slots are open. */
ANN_FUNCTION GLOBAL u8 *ann_landing(PRIVATE const ann_view *v, u64 call)
{
    LOCAL ann_launch *l = &v->shared->launch;
    u64 place = call & (ANN_ASK - 1);
    GLOBAL u8 *first = v->shard - ann_block(v) * l->shard_stride;
    u64 replies = ANN_RING_SLOTS + ((u64)1 << l->in_shift) * l->out_stride;
    return first + place % l->grid * l->shard_stride + l->replies + replies + ANN_RING_SLOTS
        + place / l->grid * l->out_stride;
}

#endif

/* The slot of the reply to a call, by its address: the slot's number in the low half. */
ANN_FUNCTION GLOBAL u8 *ann_reply_slot(PRIVATE const ann_view *v, u64 call)
{
    LOCAL ann_launch *l = &v->shared->launch;
#if ANN_LAUNCH_THROUGH
#if ANN_LAUNCH_CONNECTABLE
    if ((call & (ANN_THROUGH | ANN_ASK)) == (ANN_THROUGH | ANN_ASK))
        return ann_ask_landing(v, call);
#endif
    if (ann_is_through(call))
        return ann_landing(v, call);
#endif
    return v->shard + l->replies + ANN_RING_SLOTS + (call & 0xFFFFFFFFul) * l->out_stride;
}

/* The lap that this slot is published with: the generation in the address's high half. */
ANN_FUNCTION u32 ann_reply_lap(u64 call)
{
    return (u32)(call >> 32);
}

/* The call that a message belongs to; 0 if it belongs to none. */
ANN_FUNCTION u64 ann_caller(PRIVATE const ann_view *v, GLOBAL const u8 *slot)
{
#if ANN_LAUNCH_THREADS > 1
    u64 offset = v->in_correlation;
#else
    u64 offset = v->shared->launch.in_correlation;
#endif
    return offset != 0 ? *(GLOBAL const u64 *)(slot + offset) : 0;
}

/* The offset of the lap in a slot of the host's ring (a sealed slot has it in its first unit), and the
   distance between messages in scratch memory. */
#if ANN_LAUNCH_SEALED
#define ANN_IN_LAP 12
#define ANN_IMAGE_STRIDE(launch) (((u64)(launch)->in_units * 12 + 63) / 64 * 64)
#else
#define ANN_IN_LAP 0
#define ANN_IMAGE_STRIDE(launch) ((launch)->in_stride)
#endif

/* The lap of `ticket` in the host's ring. */
ANN_FUNCTION u32 ann_in_lap(PRIVATE const ann_view *v, u64 ticket)
{
    return (u32)(ticket >> v->shared->launch.in_shift) + 1;
}

/* Whether the slot of `ticket` in the host's ring is published, or at least begun to be if it is sealed. Who
   has seen that an open one is fences before anybody reads it (SYNC: slot-published). */
ANN_FUNCTION u32 ann_published(PRIVATE const ann_view *v, u64 ticket)
{
    return ann_load_relaxed_u32(ANN_U32(ann_in_slot(v, ticket), ANN_IN_LAP)) == ann_in_lap(v, ticket);
}

#if ANN_LAUNCH_THREADS > 1

/* The place of a message of the turn in scratch memory. A bridged message is not copied: its head leads to
   its archive by an offset. It stays in its slot, which is given back after the turn's handlers have
   returned. */
ANN_FUNCTION GLOBAL u8 *ann_message_at(PRIVATE const ann_view *v, u32 i)
{
#ifdef ANN_BRIDGED
    return ann_in_slot(v, v->shared->state.next_in + i);
#else
    return i == 0 ? v->first : v->messages + (u64)i * v->message_stride;
#endif
}

#endif

#if ANN_LAUNCH_CONNECTABLE

/* Tickets of device-local rings have 31 bits; the last bit closes the ring. */
#define ANN_DEVICE_LOCAL_TICKETS 0x7FFFFFFFu
#define ANN_DEVICE_LOCAL_CLOSED 0x80000000u
/* Words of such a ring's header, by their offsets in bytes. */
#define ANN_DEVICE_LOCAL_RESERVED 0
#define ANN_DEVICE_LOCAL_CONSUMED 128

/* The block's next ticket of its device-local ring. */
ANN_FUNCTION u32 ann_device_local_next(PRIVATE const ann_view *v)
{
    return ((u32)v->shared->state.taken + v->shared->launch.device_local_first) & ANN_DEVICE_LOCAL_TICKETS;
}

/* The slot of a ticket in the device-local ring. */
ANN_FUNCTION GLOBAL u8 *ann_device_local_in_slot(PRIVATE const ann_view *v, u32 ticket)
{
    LOCAL ann_launch *l = &v->shared->launch;
    return v->device_local + ANN_RING_SLOTS + (u64)(ticket & (((u32)1 << l->in_shift) - 1)) * l->device_local_slot;
}

/* Whether the slot of the i-th ticket from the next one on is published, or at least begun to be if it is sealed.
   Who has seen that an open one is fences before anybody reads it (SYNC: device-local-published). */
ANN_FUNCTION u32 ann_device_local_published(PRIVATE const ann_view *v, u32 i)
{
    u32 ticket = (ann_device_local_next(v) + i) & ANN_DEVICE_LOCAL_TICKETS;
    u32 lap = (ticket >> v->shared->launch.in_shift) + 1;
    return ann_device_load_relaxed_u32(ANN_U32(ann_device_local_in_slot(v, ticket), ANN_IN_LAP)) == lap;
}

/* How many tickets other kernels have taken whose messages this block has not taken. */
ANN_FUNCTION u32 ann_device_local_waiting(PRIVATE const ann_view *v)
{
    u32 reserved = ann_device_load_relaxed_u32(ANN_U32(v->device_local, ANN_DEVICE_LOCAL_RESERVED));
    return (reserved - ann_device_local_next(v)) & ANN_DEVICE_LOCAL_TICKETS;
}

#endif

/* Whether the turn takes from the device-local ring. */
ANN_FUNCTION u32 ann_is_device_local(PRIVATE const ann_view *v)
{
#if ANN_LAUNCH_CONNECTABLE
    return v->shared->device_local;
#else
    return 0;
#endif
}
