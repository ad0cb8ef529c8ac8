/* The block: how it ends what it has to do with other kernels. */

#if ANN_LAUNCH_CONNECTABLE

#if defined(ANN_OUTPUT) && defined(ANN_PORTS)

/* The first output that is held. All that are held are of one outbox. */
ANN_FUNCTION GLOBAL const u8 *ann_first_pending(const ann_view *v)
{
    LOCAL ann_state *s = &v->shared->state;
    u32 place = s->pending_from;
#if ANN_LAUNCH_THREADS > 1
    for (u32 k = 0; k < s->pending; k++) {
        place = ann_parcel_at(v, k)->source;
        if (place != ANN_GONE)
            break;
    }
#endif
    return v->outputs + (u64)place * ANN_OUTPUT_STRIDE;
}

#endif

/* By the leader: where outputs go from now on. What is held of another outbox goes to the host first. */
ANN_FUNCTION void ann_load_link(const ann_view *v)
{
    v->shared->link = *v->link;
#if defined(ANN_OUTPUT) && defined(ANN_PORTS)
    if (v->shared->state.pending != 0 && !ann_goes_on(v, ann_first_pending(v)))
        v->shared->link.grid = 0;
#endif
}

#ifdef ANN_OUTPUT

/* Whether a pending output would go now. */
ANN_FUNCTION u32 ann_would_forward(const ann_view *v)
{
    return v->shared->link.grid == 0 ? ann_would_return(v) : ann_has_room_for_pending(v);
}

#endif

/* By the leader: from now on no message is taken from the device-local ring, and none is sent. */
/* TWIN: abandon */
ANN_FUNCTION void ann_unlink(const ann_view *v)
{
    LOCAL ann_state *s = &v->shared->state;
    GLOBAL u32 *word = ANN_U32(v->device_local, ANN_DEVICE_LOCAL_RESERVED);
    u32 reserved = ann_device_load_relaxed_u32(word);
    for (;;) {
        u32 found = ann_device_local_swap_if_u32(word, reserved, reserved | ANN_DEVICE_LOCAL_CLOSED);
        if (found == reserved)
            break;
        reserved = found;
    }
    u32 unread = (reserved - ann_device_local_next(v)) & ANN_DEVICE_LOCAL_TICKETS;
#ifdef ANN_OUTPUT
    if (v->shared->link.grid == 0)
        ann_return_pending(v);
    s->unforwarded += ann_on_the_way(v);
#endif
    s->pending = 0;
    s->pending_from = 0;
    ann_store_relaxed_u32(ANN_U32(v->shard, ANN_CONTROL_UNREAD), unread);
    ann_store_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_UNFORWARDED), s->unforwarded);
    ann_store_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_RESTED), s->taken);
}

#endif
