/* The block: commands of the host, and its end. */

#if ANN_ASKS
ANN_FUNCTION void ann_lead_asks(PRIVATE const ann_view *v);
ANN_FUNCTION void ann_tell_if_freed(PRIVATE const ann_view *v);
#endif

/* Acknowledges a new command: telemetry first, then the state, then the command itself (SYNC: state). */
/* TWIN: obey */
ANN_FUNCTION void ann_obey(PRIVATE const ann_view *v, u32 command)
{
    LOCAL ann_state *s = &v->shared->state;
    u32 epoch = command >> ANN_EPOCH_SHIFT;
    if (!s->looked || epoch != s->shown_epoch) {
        s->shown_processed = 0;
        s->shown_dropped = 0;
        s->shown_last = 0;
        s->shown_total = 0;
        s->shown_max = 0;
        s->shown_min = 0xFFFFFFFFFFFFFFFFul;
        s->shown_depth = 0;
        s->shown_unmeasured = 0;
        s->shown_error = 0;
        s->shown_epoch = epoch;
    }
    s->looked = 1;
    s->command = command;
    ann_write_telemetry(v);
    u32 state = ANN_STATE_INACTIVE;
#if ANN_LAUNCH_CONNECTABLE
    /* This sees what the host wrote before the command. */
    ann_load_link(v);
#if ANN_ASKS
    ann_lead_asks(v);
#endif
    if ((command & ANN_TERMINATE) != 0) {
        ann_unlink(v);
#if ANN_ASKS
        ann_tell_if_freed(v);
#endif
    }
#endif
    if ((command & ANN_TERMINATE) != 0) {
        /* SYNC: gauge (release) */
        ann_store_release_u64(ANN_U64(v->outbound, ANN_RING_RESERVED), s->next_out | ANN_CLOSED);
        state = ANN_STATE_TERMINATED;
    } else if ((command & ANN_ACTIVE) != 0) {
        state = ANN_STATE_ACTIVE;
    }
    ann_at_command(v, command);
    /* SYNC: state (release) */
    ann_store_release_u32(ANN_U32(v->shard, ANN_CONTROL_STATE), state);
    ann_store_release_u32(ANN_U32(v->shard, ANN_CONTROL_ACKNOWLEDGED), command);
    /* SYNC: obeyed (release) */
    ann_store_release_u32(&v->record->obeyed, ann_load_relaxed_u32(&v->record->obeyed) + 1);
    ann_tell(v, 0);
}

/* Ends the block without a command, since there is no host to give one. */
ANN_FUNCTION void ann_give_up(PRIVATE const ann_view *v)
{
    ann_settle_up(v);
#if ANN_LAUNCH_CONNECTABLE
    ann_unlink(v);
    v->shared->state.command |= ANN_TERMINATE;
#endif
    /* SYNC: gauge (release) */
    ann_store_release_u64(ANN_U64(v->outbound, ANN_RING_RESERVED), v->shared->state.next_out | ANN_CLOSED);
    ann_at_command(v, ANN_TERMINATE);
    /* SYNC: state (release) */
    ann_store_release_u32(ANN_U32(v->shard, ANN_CONTROL_STATE), ANN_STATE_TERMINATED);
    v->shared->ending = 1;
}

/* By the leader of a block that stays: whether the host asks it to leave for a while. */
ANN_FUNCTION u32 ann_is_asked_to_leave(PRIVATE const ann_view *v)
{
    return ann_load_relaxed_u32(&v->record->leave) == v->record->epoch;
}
