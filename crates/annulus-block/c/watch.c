/* The block: how the leader looks for work where it is alone and slots are sealed. Its looks follow each
   other with all that decides in registers; what else an idle block does is done when it is due.
   `PROTOCOL.md` argues why this is correct. */

#if ANN_ALONE

/* Distance between outputs in the block's own memory; where answers are sealed, distance between images. */
ANN_FUNCTION u32 ann_output_stride(const ann_view *v)
{
#if ANN_LAUNCH_SEALED
    if (v->shared->launch.out_units != 0)
        return (v->shared->launch.out_units * 12 + 15) / 16 * 16;
#endif
    return ANN_OUTPUT_STRIDE;
}

/* By the leader: whether a message and what its handler may send fit into the block's own memory. */
ANN_FUNCTION u32 ann_fits_one(const ann_view *v)
{
    if (ANN_IMAGE_STRIDE(&v->shared->launch) > ANN_BLOCK_IMAGE)
        return 0;
#if ANN_LAUNCH_CONNECTABLE && (defined(ANN_PORTS) || defined(ANN_ROWS))
    /* All threads sort what goes to the host from what goes on; or it goes along rows, which takes its time. */
    if (ANN_IS_LINKED(v))
        return 0;
#endif
    u32 stride = ann_output_stride(v);
#if ANN_SEALS_IMAGES && ANN_FORWARDS_ONE
    u32 row = ann_row_stride(v);
    stride = row > stride ? row : stride;
#endif
    return (ANN_LIMIT > 1 ? ANN_LIMIT : 1) * stride <= ANN_BLOCK_OUTPUTS;
}

#endif

#if ANN_WATCHES

/* By the leader: how many looks may find nothing, one behind the other, before there is more to do than to
   look (`ann_idle`). */
ANN_FUNCTION u32 ann_looks_in_a_row(const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    u32 idle = b->idle;
    /* What the host asks is answered behind the look that carries it. */
    if (b->launch.epoch_polls != 0 || !b->state.looked || (b->state.command & ANN_ACTIVE) == 0 || b->state.stalled
        || b->attends || idle > b->launch.idle_polls)
        return 1;
#if ANN_LAUNCH_CONNECTABLE
    /* It has sent what was held since it rested last. */
    if (idle >= ANN_OWED_LOOKS && b->rested != b->state.taken)
        return 1;
#endif
    u32 looks = idle < ANN_OWED_LOOKS ? ANN_OWED_LOOKS - idle : 16 - (idle & 15);
    return looks <= b->launch.idle_polls - idle ? looks : b->launch.idle_polls - idle + 1;
}

/* By the leader: whether it would handle a single message without asking anything more: one of another
   kernel, or one of the host under the command that is in force. */
ANN_FUNCTION u32 ann_is_ready_for_one(const ann_view *v)
{
    LOCAL ann_launch *l = &v->shared->launch;
    LOCAL ann_state *s = &v->shared->state;
    u32 ready = s->looked && (s->command & (ANN_ACTIVE | ANN_TERMINATE)) == ANN_ACTIVE && !s->stalled
        && l->in_units <= ANN_FIRST_UNITS;
#if ANN_LAUNCH_CONNECTABLE
    ready = ready && s->pending == 0;
#endif
    return ready && ann_fits_one(v) && s->next_out + l->credit - s->out_seen <= (u64)1 << l->out_shift;
}

/* By the leader, which is ready for one and has seen the next message: whether the turn takes this one alone,
   by the tickets that were taken. These may be older than the slot. */
ANN_FUNCTION u32 ann_takes_one(const ann_view *v, u64 waiting)
{
    LOCAL ann_launch *l = &v->shared->launch;
    u32 is_one = waiting <= 1 || waiting > (u64)1 << l->in_shift;
#if ANN_LAUNCH_ADAPTIVE
    if (is_one)
        ann_adapt(v, 1);
    return is_one;
#else
    return is_one || l->limit == 1;
#endif
}

/* By the leader: looks until this turn has something to do, or something else is due. Returns 1 if that is a
   single message, which the leader handles without asking anything more. */
ANN_FUNCTION u32 ann_watch(const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    LOCAL ann_state *s = &b->state;
    ann_clear_turn(v);
    if (b->ending)
        return 0;
    u32 known = s->command;
#if ANN_LAUNCH_CONNECTABLE
    if ((known & ANN_TERMINATE) != 0) {
        /* The block ended in an earlier epoch, and was launched again because of other blocks. */
        b->ending = 1;
        return 0;
    }
    u32 is_due = b->device_local_turns >= ANN_DEVICE_LOCAL_TURNS;
    u32 is_near = !is_due && (known & ANN_ACTIVE) != 0 && s->pending == 0;
    u32 ticket = ann_device_local_next(v);
    u32 device_local_lap = (ticket >> b->launch.in_shift) + 1;
    GLOBAL u8 *near = ann_computed(ann_device_local_in_slot(v, ticket));
#if ANN_SEALS_IMAGES && ANN_FORWARDS_ONE
    /* Looked up with the first look there, for whoever sends. */
    ann_tickets tickets;
    tickets.reserved = 0;
    tickets.consumed = 0;
    u32 looks_on = is_near && b->link.grid == 1;
    b->knows_tickets = looks_on;
    GLOBAL u8 *next_ring = ann_ring_of(v, &b->link, 0);
#endif
#endif
    /* An access to the block's own memory between two loads might wait for one of them, so all is known
       before. */
    u32 idle = b->idle;
    u32 most = ann_looks_in_a_row(v);
#if ANN_LAUNCH_CONNECTABLE
    if (!is_near) {
        /* That the host has nothing does not mean that there is nothing. */
        b->again = is_due;
        b->device_local_turns = 0;
        most = 1;
    }
#endif
    u32 is_ready = ann_is_ready_for_one(v);
#if ANN_LAUNCH_CONNECTABLE
    /* All looks of an epoch count as idle ones, so they say nothing of the turn before. */
    u32 may_be_first = is_ready && b->launch.epoch_polls == 0;
#endif
    u64 next_in = s->next_in;
    u32 lap = ann_in_lap(v, next_in);
    u32 units = b->launch.in_units;
    u32 shows_depth = (known & ANN_TELEMETRY) != 0;
    u64 shown = b->reserved;
    u32 is_wide = ann_is_wide(units);
    u32 counts[ANN_FIRST_UNITS];
    ann_count_units(units, counts);
    u32 says = b->said != ANN_AT_LOOKING;
    u32 attends = b->attends;
    GLOBAL u8 *slot = ann_computed(ann_in_slot(v, next_in));
    ann_asked asked;
    /* A look that carries it is a row of one. */
#if !ANN_LAUNCH_CONNECTABLE
    if (attends)
        asked = ann_look_at_asked(v);
#endif
    u32 command;
    u64 reserved;
    ann_first first;
    u32 proved;
    for (u32 looks = 1;; looks++) {
#if ANN_LAUNCH_CONNECTABLE
        for (u32 look = 0; is_near && look < ANN_DEVICE_LOCAL_LOOKS; look++) {
            ann_load_first_near(near, is_wide, &first);
#if ANN_SEALS_IMAGES && ANN_FORWARDS_ONE
            if (looks_on)
                tickets = ann_look_at_tickets(next_ring);
            looks_on = 0;
#endif
            if (!ann_prove_first(&first, counts, device_local_lap))
                continue;
            /* A block that has just been idle takes the first message at once, and the next turn sees how
               many others came. So the tickets need not be loaded with each look. */
            u32 is_first = may_be_first && idle + looks + look > 1;
            u32 waiting = is_first ? 1 : ann_device_local_waiting(v);
            b->command = known;
            u32 takes_one = is_first || (is_ready && ann_takes_one(v, waiting));
            if (takes_one)
                b->device_local = 1;
            else
                ann_window_device_local(v, waiting);
            is_near = b->device_local;
            b->device_local_turns = is_near ? b->device_local_turns + 1 : 0;
            if (is_near) {
                b->idle = idle + looks - 1;
#if ANN_SEALS_IMAGES && ANN_FORWARDS_ONE
                b->tickets = tickets;
#endif
                ann_keep_first(v, &first, units, 1, first.units[0].a);
                return takes_one;
            }
        }
#endif
        /* The loads follow each other without waiting, since the host's memory may be far away. */
#if ANN_LAUNCH_CONNECTABLE
        if (attends)
            asked = ann_look_at_asked(v);
#endif
        command = ann_load_relaxed_u32(ANN_U32(v->shard, ANN_CONTROL_COMMAND));
        reserved = ann_load_relaxed_u64(ANN_U64(v->inbound, ANN_RING_RESERVED));
        ann_load_first(slot, is_wide, &first);
        /* Of all units, also where the first one decides: no look is under way when the next begins. */
        proved = ann_prove_first(&first, counts, lap);
        if (looks >= most || proved || command != known || (shows_depth && (reserved & ~ANN_CLOSED) != shown)) {
            b->idle = idle + looks - 1;
            break;
        }
        if (says) {
            ann_at_nothing(v);
            says = 0;
        }
        ann_pause();
    }
#if ANN_LAUNCH_CONNECTABLE
    b->device_local_turns = 0;
#endif
    reserved &= ~ANN_CLOSED;
    b->reserved = reserved;
    b->command = command;
    /* Of a message under another command, of a tombstone, and if the host asks for something, not all is
       known. */
#if ANN_LAUNCH_CONNECTABLE && ANN_SEALS_IMAGES && ANN_FORWARDS_ONE
    b->tickets = tickets;
#endif
    is_ready &= proved & (command == known) & (first.units[0].a == command)
        & (first.units[0].b >> 24 == ANN_KIND_MESSAGE) & !attends;
    if (is_ready && ann_takes_one(v, reserved - next_in)) {
        ann_keep_units(v, &first, units);
        return 1;
    }
    proved = ann_keep_first(v, &first, units, proved, command);
    if (attends) {
        b->attends = 0;
        ann_attend_to(v, &asked);
        if (asked.leave == b->epoch) {
            b->ending = 1;
            return 0;
        }
    }
    ann_weigh(v, command, proved);
    return 0;
}

#endif
