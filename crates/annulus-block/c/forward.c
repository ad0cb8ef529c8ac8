/* The block: how one thread sends outputs to the connected kernel, by one outbox. */

#if ANN_LAUNCH_CONNECTABLE && defined(ANN_OUTPUT) && !defined(ANN_PORTS) && !defined(ANN_ROWS) \
    && (ANN_LAUNCH_THREADS == 1 || ANN_ALONE)

/* The block of the connected kernel that an output is for. */
ANN_FUNCTION u32 ann_addressee(PRIVATE const ann_view *v, GLOBAL const u8 *output)
{
    if (ANN_PORT_IS_KEYED(0))
        return (u32)(ANN_PORT_KEY(0, output) % v->shared->link.grid);
    /* The kernel may have been connected before to a kernel with more blocks. */
    return v->shared->state.dealt % v->shared->link.grid;
}

#if !ANN_SEALS_IMAGES
#define ann_row_stride(v) ANN_OUTPUT_STRIDE
#else

/* Distance between outputs of the leader that are for the connected kernel. If its slots are sealed, they lie in
   their slots' images. */
ANN_FUNCTION u32 ann_row_stride(PRIVATE const ann_view *v)
{
    u32 units = v->shared->link.units;
    return units != 0 ? (units * 12 + 15) / 16 * 16 : ANN_OUTPUT_STRIDE;
}

/* By the leader: completes the image that an output lies in. Nobody stamps what another kernel sends. */
ANN_FUNCTION GLOBAL u8 *ann_complete_image(LOCAL const ann_link *l, GLOBAL const u8 *output, u64 now)
{
    GLOBAL u8 *image = (GLOBAL u8 *)output - l->payload;
    *ANN_U32(image, 0) = 0;
    ann_device_local_envelope(l, image, ANN_OUTPUT_BYTES, now);
    return image;
}

/* By the leader: completes the image that an output lies in, and stores its units. */
ANN_FUNCTION void ann_seal_image(LOCAL const ann_link *l, GLOBAL u8 *ring, u32 ticket, GLOBAL const u8 *output, u64 now)
{
    GLOBAL u8 *image = ann_complete_image(l, output, now);
    GLOBAL u8 *slot = ann_device_local_slot(l, ring, ticket);
    u32 lap = ann_device_local_lap(l, ticket);
    for (u32 done = 0; done < l->units; done += ANN_FIRST_UNITS)
        ann_seal_units(slot + done * 16, image + done * 12, l->units - done, lap, 1);
}

#endif

#if ANN_LAUNCH_SEALS

/* Publishes so many outputs that have tickets from `first` on. `is_told` says that something was told before that who
   takes one must see before it rests. */
ANN_FUNCTION void ann_seal_row(
    PRIVATE const ann_view *v, GLOBAL u8 *ring, GLOBAL const u8 *next, u32 first, u32 granted, u64 now, u32 is_told)
{
    LOCAL const ann_link *l = ANN_LINK(v, 0);
    if (is_told) {
        /* SYNC: unrested (release) */
        ann_device_fence_release();
    }
    for (u32 i = 0; i < granted; i++) {
        GLOBAL const u8 *output = next + (u64)i * ann_row_stride(v);
#if ANN_SEALS_IMAGES
        ann_seal_image(l, ring, first + i, output, now);
#elif ANN_LAUNCH_THROUGH
        ann_seal_for(l, ring, first + i, output, ANN_OUTPUT_BYTES, now, ANN_CARRIED(output));
#else
        ann_seal_for(l, ring, first + i, output, ANN_OUTPUT_BYTES, now, 0);
#endif
    }
}

#endif

#if ANN_SEALS_IMAGES

/* By the leader, before the first look of a turn: what is known of the tickets of the connected kernel's ring, if it has one block.
   Behind its own last ticket it knows them, unless others send there, too, which the next swap finds out; then it looks, and so it
   does when it has rested, or when what it knows leaves less than half of the ring. */
ANN_FUNCTION void ann_know_tickets(PRIVATE const ann_view *v, u32 is_near)
{
    LOCAL ann_shared *b = v->shared;
    b->knows_tickets = is_near && b->link.grid == 1;
    if (!b->knows_tickets)
        return;
    u32 used = (b->tickets.reserved - b->tickets.consumed) & ANN_DEVICE_LOCAL_TICKETS;
    if (!b->keeps_tickets || used >= (((u32)1 << b->link.shift) + 1) / 2)
        b->tickets = ann_look_at_tickets(ann_ring_of(v, &b->link, 0));
}

/* By the leader: sends a single output to the connected kernel's only block, by the tickets that it knows.
   Does what `ann_send_row` does, with what it knows in registers: a word of the block's own memory that is waited for
   costs as much as thirty instructions. Returns 0 if it has sent nothing: then the other way must be taken. */
ANN_FUNCTION u32 ann_send_single(PRIVATE const ann_view *v, GLOBAL const u8 *output, ann_tickets seen)
{
    LOCAL ann_shared *b = v->shared;
    ann_link link = b->link;
    u32 rests = b->rests;
    if (link.units > ANN_FIRST_UNITS || link.units == 0 || b->state.stalled)
        return 0;
    u32 used = (seen.reserved - seen.consumed) & ANN_DEVICE_LOCAL_TICKETS;
    if ((seen.reserved & ANN_DEVICE_LOCAL_CLOSED) != 0 || used >= (u32)1 << link.shift)
        return 0;
    GLOBAL u8 *ring = ann_ring_of(v, &link, 0);
    u32 ticket = seen.reserved;
    u32 found = ann_device_local_swap_if_u32(
        ANN_U32(ring, ANN_DEVICE_LOCAL_RESERVED), ticket, (ticket + 1) & ANN_DEVICE_LOCAL_TICKETS);
    /* Done while the swap is under way. */
    u64 words[ANN_IMAGE_WORDS];
    ann_load_image(ann_complete_image(&link, output, link.time != 0 ? ann_now(v) : 0), link.units, words);
    b->keeps_tickets = found == ticket;
    GLOBAL u8 *slot = ann_device_local_slot(&link, ring, ticket);
    if (found != ticket)
        return 0;
    b->tickets.reserved = (ticket + 1) & ANN_DEVICE_LOCAL_TICKETS;
    if (rests) {
        ann_count_forwarded(v, 1);
        /* It rests no more. SYNC: unrested (release) */
        ann_device_fence_release();
    }
    ann_store_image(slot, words, link.units, ann_device_local_lap(&link, ticket), 1);
    /* Tells nothing now, for the block does not rest. */
    if (!rests)
        ann_count_forwarded(v, 1);
    b->granted += 1;
    return 1;
}

#endif

/* Sends outputs that lie in a row, from number `from` up to `end`, as many as there is room for, in order.
   Outputs in a row for the same block go in one step. `known`, if it is not 0, is what is known of the only
   block's ring. Returns the number of the first that has to wait. */
ANN_FUNCTION u32 ann_send_row(
    PRIVATE const ann_view *v, GLOBAL const u8 *row, u32 from, u32 end, PRIVATE const ann_tickets *known)
{
    LOCAL ann_shared *b = v->shared;
    LOCAL const ann_link *l = ANN_LINK(v, 0);
    u32 stride = ann_row_stride(v);
    u32 grid = b->link.grid;
    u32 full = 0; /* blocks in a row that did not take outputs without a key; */
    u32 closed = 0; /* those of them that never will */
    u64 now = from < end && b->link.time != 0 ? ann_now(v) : 0;
    while (from < end) {
        u32 left = end - from;
        GLOBAL const u8 *next = row + (u64)from * stride;
        u32 block = ann_addressee(v, next);
        u32 want = 1;
        if (ANN_PORT_IS_KEYED(0)) {
            while (want < left && ann_addressee(v, next + (u64)want * stride) == block)
                want++;
        } else {
            want = (left + grid - 1) / grid;
            b->state.dealt = block + 1 < grid ? block + 1 : 0;
        }
        u32 first = 0;
        GLOBAL u8 *ring = ann_ring_of(v, l, block);
        ann_tickets seen = known != 0 ? *known : ann_look_at_tickets(ring);
        u32 granted = ann_device_local_reserve(l, ring, seen, want, &first);
        if (granted == 0 || granted == ANN_DEVICE_LOCAL_CLOSED) {
            if (!ANN_PORT_IS_KEYED(0)) {
                /* Another block may have room for it. */
                full += 1;
                closed += granted == ANN_DEVICE_LOCAL_CLOSED;
                if (full < grid)
                    continue;
                want = left;
                granted = closed == grid ? ANN_DEVICE_LOCAL_CLOSED : 0;
                full = 0;
                closed = 0;
            }
            if (granted == 0 && b->link.waits)
                break;
#if ANN_LAUNCH_THROUGH
            for (u32 i = 0; i < want; i++)
                ann_lose(v, v->outputs + (u64)(from + i) * ANN_OUTPUT_STRIDE);
#endif
            ann_count_unforwarded(v, want);
            from += want;
            b->lost += want;
            continue;
        }
        full = 0;
        closed = 0;
        u32 is_told = ann_count_forwarded(v, granted);
#if ANN_LAUNCH_SEALS
        if (l->units != 0) {
            ann_seal_row(v, ring, next, first, granted, now, is_told);
            from += granted;
            b->granted += granted;
            continue;
        }
#endif
        (void)is_told;
        for (u32 i = 0; i < granted; i++) {
            GLOBAL u8 *slot = ann_device_local_slot(l, ring, first + i);
            GLOBAL const u8 *output = next + (u64)i * stride;
            if (ANN_OUTPUT_BYTES != 0)
                *(GLOBAL ANN_OUTPUT *)(slot + b->link.payload) = *(GLOBAL const ANN_OUTPUT *)output;
            ann_device_local_envelope(l, slot, ANN_OUTPUT_BYTES, now ANN_CARRIED_ARGUMENTS(output));
#if ANN_LAUNCH_THROUGH
            if (l->correlation != 0)
                *ANN_U64(slot, l->correlation) = ANN_CARRIED(output);
#endif
        }
        /* SYNC: device-local-published (release) */
        ann_device_fence_release();
        for (u32 i = 0; i < granted; i++)
            ann_device_local_commit(l, ann_device_local_slot(l, ring, first + i), first + i);
        from += granted;
        b->granted += granted;
    }
    return from;
}

#if ANN_LAUNCH_THREADS == 1

/* Sends as many pending outputs as there is room for, in order. */
/* TWIN: deliver */
ANN_FUNCTION void ann_forward(PRIVATE const ann_view *v)
{
    LOCAL ann_state *s = &v->shared->state;
    /* Of an inactive block nothing leaves: the host may be about to say where it goes. */
    if (s->pending == 0 || (s->command & ANN_ACTIVE) == 0)
        return;
    if (v->shared->link.grid != 0)
        s->pending_from = ann_send_row(v, v->outputs, s->pending_from, s->pending, 0);
    while (v->shared->link.grid == 0 && s->pending_from < s->pending && ann_return(v, s->pending_from))
        s->pending_from += 1;
    ann_keep_pending(v, s->pending - s->pending_from);
}

/* Whether the connected kernel has room for a pending output. */
ANN_FUNCTION u32 ann_has_room_for_pending(PRIVATE const ann_view *v)
{
    LOCAL const ann_link *l = ANN_LINK(v, 0);
    GLOBAL const u8 *next = v->outputs + (u64)v->shared->state.pending_from * ANN_OUTPUT_STRIDE;
    u32 block = ANN_PORT_IS_KEYED(0) ? ann_addressee(v, next) : 0;
    u32 end = ANN_PORT_IS_KEYED(0) ? block + 1 : l->grid;
    for (; block < end; block++)
        if (ann_has_room(v, l, block))
            return 1;
    return 0;
}

/* Outputs that have not gone. */
ANN_FUNCTION u32 ann_on_the_way(PRIVATE const ann_view *v)
{
    return v->shared->state.pending - v->shared->state.pending_from;
}

#endif

#endif

#if ANN_LAUNCH_CONNECTABLE && defined(ANN_OUTPUT) && !defined(ANN_PORTS) && ANN_LAUNCH_THREADS == 1

/* By the leader of a kernel that is connected no more: what is held goes to the host, as far as it has room.
   */
/* TWIN: publish_rest */
ANN_FUNCTION void ann_return_pending(PRIVATE const ann_view *v)
{
    LOCAL ann_state *s = &v->shared->state;
    while (s->pending_from < s->pending && ann_return(v, s->pending_from))
        s->pending_from += 1;
}

#endif
