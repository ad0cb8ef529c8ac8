/* The block: how the leader sends outputs along rows, a copy to each actor that a row names. */

#if ANN_LAUNCH_CONNECTABLE && defined(ANN_OUTPUT) && defined(ANN_ROWS)

/* How many copies take their tickets together at most, */
#define ANN_ROW_RUN 64
/* and after how many such steps the leader looks whether the host commands something. */
#define ANN_ROW_STEPS 16

/* The copies that an output still stands for. Without a row it stands for one, which will be lost. */
/* TWIN: copies_of */
ANN_FUNCTION u64 ann_copies_of(PRIVATE const ann_view *v, GLOBAL const u8 *output)
{
    ann_entries of;
    return ann_entries_of(v, output, &of) ? of.end - of.next : 1;
}

/* So many copies are lost, of which one is astray, or none. The parts are stored in front of the sum. */
/* TWIN: lose_copies */
ANN_FUNCTION void ann_lose_copies(PRIVATE const ann_view *v, u32 count, u32 astray)
{
    LOCAL ann_shared *b = v->shared;
    b->lost += count;
    b->astray += astray;
    u64 there = b->state.unforwarded + count - b->astray;
    ann_store_relaxed_u64(ANN_U64(ann_row_counts(v, 0), ANN_PORT_UNFORWARDED), there);
    if (astray != 0)
        ann_store_relaxed_u64(ANN_U64(ann_row_counts(v, 1), ANN_PORT_UNFORWARDED), b->astray);
    ann_count_unforwarded(v, count);
}

/* Writes an entry's key and its value, if there is one, into a copy for it. */
ANN_FUNCTION void ann_mark_copy(PRIVATE const ann_view *v, GLOBAL u8 *copy, u64 entry)
{
    ANN_ROW_STORE_KEY(copy, ann_key_of_entry(v, entry));
#ifdef ANN_ROW_STORE_EDGE
    if (ANN_ROWS_VALUED(v) != 0)
        ANN_ROW_STORE_EDGE(copy, ann_key_of_entry(v, entry + ANN_ROWS_ENTRIES(v)));
#endif
}

/* Writes the copy for an entry into a slot that this block has the ticket of. */
/* TWIN: write_copy */
ANN_FUNCTION void ann_write_copy(
    PRIVATE const ann_view *v, LOCAL const ann_link *l, GLOBAL u8 *slot, GLOBAL const u8 *output, u64 entry, u64 now)
{
    GLOBAL u8 *copy = slot + l->payload;
    for (u32 at = 0; at < ANN_ROW_BYTES; at += 8)
        ANN_COPY_PART(l, copy + at, output + ANN_ROW_OFFSET + at, ANN_ROW_BYTES - at);
    ann_mark_copy(v, copy, entry);
    ann_device_local_envelope(l, slot, ANN_ROW_BYTES, now ANN_CARRIED_ARGUMENTS(output));
}

#if ANN_LAUNCH_SEALS && ANN_ROW_BYTES <= ANN_SEALED_MOST

/* The same for a sealed slot. Its units are put together from a copy of the block's own. */
ANN_FUNCTION void ann_seal_copy(
    PRIVATE const ann_view *v, LOCAL const ann_link *l, GLOBAL u8 *ring, u32 ticket, GLOBAL const u8 *output, u64 place,
    u64 now)
{
    u64 own[(ANN_ROW_BYTES + 7) / 8];
    GLOBAL u8 *copy = (GLOBAL u8 *)own;
    for (u32 at = 0; at < ANN_ROW_BYTES; at++)
        copy[at] = output[ANN_ROW_OFFSET + at];
    ann_mark_copy(v, copy, place);
    ann_seal_for(l, ring, ticket, copy, ANN_ROW_BYTES, now, 0);
}

#define ANN_SEALS_COPIES 1

#else
#define ANN_SEALS_COPIES 0
#endif

/* Writes and publishes copies from an entry on, into slots that this block has the tickets of. */
ANN_FUNCTION void ann_send_copies(
    PRIVATE const ann_view *v, GLOBAL u8 *ring, u32 first, u32 granted, GLOBAL const u8 *output, u64 entry, u64 now)
{
    LOCAL const ann_link *l = ANN_LINK(v, 0);
#if ANN_SEALS_COPIES
    if (l->units != 0) {
        /* SYNC: unrested (release) */
        ann_device_fence_release();
        for (u32 i = 0; i < granted; i++)
            ann_seal_copy(v, l, ring, first + i, output, entry + i, now);
        return;
    }
#endif
    for (u32 i = 0; i < granted; i++)
        ann_write_copy(v, l, ann_device_local_slot(l, ring, first + i), output, entry + i, now);
    /* SYNC: device-local-published (release) */
    ann_device_fence_release();
    for (u32 i = 0; i < granted; i++)
        ann_device_local_commit(l, ann_device_local_slot(l, ring, first + i), first + i);
}

/* Sends the copies of an output from where it stands in its row, in order, as far as there is room, and as the host
   commands nothing. Where it stands then is written into it. Returns whether it has gone to all. */
/* TWIN: walk_row */
ANN_FUNCTION u32 ann_walk_row(PRIVATE const ann_view *v, GLOBAL u8 *output)
{
    LOCAL ann_shared *b = v->shared;
    LOCAL const ann_link *l = ANN_LINK(v, 0);
    u32 grid = l->grid;
    ann_entries of;
    if (!ann_entries_of(v, output, &of)) {
        ann_lose_copies(v, 1, 1);
        return 1;
    }
    u64 now = l->time != 0 && of.next < of.end ? ann_now(v) : 0;
    for (u32 step = 1; of.next < of.end; step++) {
        if (step % ANN_ROW_STEPS == 0
            && ann_load_relaxed_u32(ANN_U32(v->shard, ANN_CONTROL_COMMAND)) != b->state.command)
            break;
        u32 most = of.end - of.next < ANN_ROW_RUN ? (u32)(of.end - of.next) : ANN_ROW_RUN;
        u32 block = ann_key_of_entry(v, of.next) % grid;
        u32 want = grid == 1 ? most : 1;
        while (want < most && ann_key_of_entry(v, of.next + want) % grid == block)
            want++;
        u32 first = 0;
        GLOBAL u8 *ring = ann_ring_of(v, l, block);
        u32 granted = ann_device_local_reserve(l, ring, ann_look_at_tickets(ring), want, &first);
        if (granted == 0 && l->waits)
            break;
        if (granted == 0 || granted == ANN_DEVICE_LOCAL_CLOSED) {
            ann_lose_copies(v, want, 0);
            granted = want;
        } else {
            ann_count_forwarded(v, granted);
            ann_send_copies(v, ring, first, granted, output, of.next, now);
            b->granted += granted;
        }
        of.next += granted;
        ((GLOBAL u32 *)output)[1] += granted;
    }
    return of.next == of.end;
}

/* Whether the next copy of an output would go now. */
ANN_FUNCTION u32 ann_would_walk(PRIVATE const ann_view *v, GLOBAL const u8 *output)
{
    LOCAL const ann_link *l = ANN_LINK(v, 0);
    ann_entries of;
    return !ann_entries_of(v, output, &of) || of.next == of.end
        || ann_has_room(v, l, ann_key_of_entry(v, of.next) % l->grid);
}

#if ANN_LAUNCH_THREADS == 1

ANN_FUNCTION GLOBAL u8 *ann_held_at(PRIVATE const ann_view *v, u32 k)
{
    return v->outputs + (u64)k * ANN_OUTPUT_STRIDE;
}

/* Copies that have not gone. */
ANN_FUNCTION u64 ann_on_the_way(PRIVATE const ann_view *v)
{
    LOCAL ann_state *s = &v->shared->state;
    u64 copies = 0;
    for (u32 k = s->pending_from; k < s->pending; k++)
        copies += ann_copies_of(v, ann_held_at(v, k));
    return copies;
}

/* Outputs that were sent since the last pass: their copies are on the way from now on. */
/* TWIN: count_copies */
ANN_FUNCTION void ann_count_copies(PRIVATE const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    for (; b->counted < b->state.pending; b->counted++)
        b->copies += ann_copies_of(v, ann_held_at(v, b->counted));
}

/* Sends as many copies as there is room for, one output after the other; or, of a kernel that is connected no more, gives
   the outputs to the host. */
/* TWIN: deliver_rows */
ANN_FUNCTION void ann_forward(PRIVATE const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    LOCAL ann_state *s = &b->state;
    /* Of an inactive block nothing leaves: the host may be about to say where it goes. */
    if (s->pending == 0 || (s->command & ANN_ACTIVE) == 0)
        return;
    u32 linked = b->link.grid != 0;
    ann_count_copies(v);
    while (s->pending_from < s->pending) {
        GLOBAL u8 *output = ann_held_at(v, s->pending_from);
        u64 before = ann_copies_of(v, output);
        u32 has_gone = linked ? ann_walk_row(v, output) : ann_return(v, s->pending_from);
        if (!has_gone) {
            b->copies -= before - ann_copies_of(v, output);
            break;
        }
        b->copies -= before;
        s->pending_from += 1;
    }
    u32 left = s->pending - s->pending_from;
    if (left == 0) {
        b->counted = 0;
        b->copies = 0;
    }
    u64 held = b->copies;
#if ANN_LAUNCH_HOLD
    b->returns = linked ? 0 : left;
    /* Who is drained holds nothing: also no output without copies that waits for the host. */
    if (held == 0 && left != 0)
        held = 1;
#endif
    ann_store_waiting(v, held);
    ann_keep_pending(v, left);
}

/* Whether something that is held would go to the connected kernel now. */
ANN_FUNCTION u32 ann_has_room_for_pending(PRIVATE const ann_view *v)
{
    return ann_would_walk(v, ann_held_at(v, v->shared->state.pending_from));
}

#endif

#endif
