/* The block: how it ends what it has to do with other kernels. */

#if ANN_LAUNCH_CONNECTABLE

/* By the leader: where outputs go from now on. */
ANN_FUNCTION void ann_load_link(PRIVATE const ann_view *v)
{
#if defined(ANN_OUTPUT) && defined(ANN_PORTS)
    v->shared->linked = 0;
    for (u32 i = 0; i < ANN_PORTS; i++) {
        v->shared->links[i] = v->link[i];
        v->shared->linked |= v->shared->links[i].grid != 0;
#if ANN_LAUNCH_HOLD
        v->shared->returns = v->shared->state.pending != 0;
#endif
#ifdef ANN_PEERS
        v->shared->peers[i] = ((GLOBAL const u64 *)(v->link + ANN_PORTS))[i];
#endif
    }
#else
    v->shared->link = *v->link;
#if ANN_SEALS_IMAGES && ANN_FORWARDS_ONE
    v->shared->keeps_tickets = 0;
#endif
#if ANN_LAUNCH_HOLD
    v->shared->returns = v->shared->state.pending != 0;
#endif
#endif
}

#ifdef ANN_OUTPUT

/* Whether a pending output would go now. */
ANN_FUNCTION u32 ann_would_forward(PRIVATE const ann_view *v)
{
#ifdef ANN_PORTS
    return ann_has_room_for_pending(v);
#else
    return v->shared->link.grid == 0 ? ann_would_return(v) : ann_has_room_for_pending(v);
#endif
}

#endif

/* By the leader: from now on no message is taken from the device-local ring, and none is sent. */
/* TWIN: abandon */
ANN_FUNCTION void ann_unlink(PRIVATE const ann_view *v)
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
#if defined(ANN_OUTPUT) && defined(ANN_PORTS)
#if ANN_LAUNCH_THREADS == 1
    ann_return_parted(v);
#else
    ann_return_parted(v, 1);
#endif
    ann_begin_ports(v);
    ann_store_held(v);
    s->unforwarded += ann_on_the_way(v);
#elif defined(ANN_OUTPUT)
    if (v->shared->link.grid == 0)
        ann_return_pending(v);
    s->unforwarded += ann_on_the_way(v);
#ifdef ANN_ROWS
    ann_end_rows(v);
#endif
#endif
#if ANN_LAUNCH_THROUGH
#ifdef ANN_OUTPUT
    for (u32 k = s->pending_from; k < s->pending; k++) {
        GLOBAL u8 *output = v->outputs + (u64)k * ANN_OUTPUT_STRIDE;
#ifdef ANN_PORTS
        if (ANN_HAS_GONE(output))
            continue;
#endif
        ann_lose(v, output);
    }
#endif
    ann_end_unread(v, unread);
#endif
    s->pending = 0;
    s->pending_from = 0;
#if ANN_LAUNCH_SEALED
    /* As before it rests. SYNC: unrested (acquire) */
    ann_device_fence_acquire();
#endif
    ann_store_relaxed_u32(ANN_U32(v->shard, ANN_CONTROL_UNREAD), unread);
    ann_store_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_UNFORWARDED), s->unforwarded);
    ann_store_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_RESTED), s->taken);
}

#endif
