/* The block: how one thread sends what is held of several outboxes, each to its kernel. */

#if ANN_LAUNCH_CONNECTABLE && defined(ANN_OUTPUT) && defined(ANN_PORTS)

/* Stands in front of an output that has gone, in place of its outbox's number. */
#define ANN_HAS_GONE(output) (*(GLOBAL const u64 *)(output) == ~(u64)0)

/* By the leader, at a turn's begin, or before a pass. */
ANN_FUNCTION void ann_begin_ports(const ann_view *v)
{
    for (u32 i = 0; i < ANN_PORTS; i++) {
        LOCAL ann_port *port = &v->shared->ports[i];
        port->granted = 0;
        port->lost = 0;
        port->left = 0;
#ifdef ANN_TOPICS
        port->wanted = 0;
#endif
    }
}

/* By the leader: what the outboxes have sent so far. */
ANN_FUNCTION void ann_load_ports(const ann_view *v)
{
    ann_begin_ports(v);
    for (u32 i = 0; i < ANN_PORTS; i++) {
        LOCAL ann_port *port = &v->shared->ports[i];
        GLOBAL u8 *counts = ann_port_counts(v, i);
        port->forwarded = ann_load_relaxed_u64(ANN_U64(counts, ANN_PORT_FORWARDED));
        port->unforwarded = ann_load_relaxed_u64(ANN_U64(counts, ANN_PORT_UNFORWARDED));
        port->held = (u32)ann_load_relaxed_u64(ANN_U64(counts, ANN_PORT_HELD));
        port->told = port->forwarded;
        port->dealt = (u32)port->forwarded;
    }
}

/* Whether the kernel of a place has room for this output now, or is closed. */
ANN_FUNCTION u32 ann_port_has_room(const ann_view *v, u32 port, GLOBAL const u8 *output)
{
    LOCAL const ann_link *l = ANN_LINK(v, port);
#ifdef ANN_TOPICS
    if (l->grid == 0)
        return 1;
#endif
    u32 block = ANN_PORT_IS_KEYED(port) ? (u32)(ANN_PORT_KEY(port, output) % l->grid) : 0;
    u32 end = ANN_PORT_IS_KEYED(port) ? block + 1 : l->grid;
    for (; block < end; block++)
        if (ann_has_room(v, l, block))
            return 1;
    return 0;
}

/* Whether an output that is held would go now by this place, or to the host. */
ANN_FUNCTION u32 ann_would_go(const ann_view *v, u32 port, GLOBAL const u8 *output)
{
    return ann_goes_on(v, output) ? ann_port_has_room(v, port, output) : ann_would_return(v);
}

#if ANN_LAUNCH_THREADS == 1

ANN_FUNCTION GLOBAL u8 *ann_held_at(const ann_view *v, u32 k)
{
    return v->outputs + (u64)k * ANN_OUTPUT_STRIDE;
}

/* Sends an output on, if there is room for it. Returns 0 if it has to wait. */
ANN_FUNCTION u32 ann_send_parted(const ann_view *v, u32 number, GLOBAL const u8 *output)
{
    LOCAL ann_shared *b = v->shared;
    LOCAL const ann_link *l = ANN_LINK(v, number);
    LOCAL ann_port *port = &b->ports[number];
    u32 keyed = ANN_PORT_IS_KEYED(number);
#ifdef ANN_TOPICS
    /* A place that takes a topic, and has no kernel any more, is as one whose kernel has ended. */
    u32 grid = l->grid != 0 ? l->grid : 1;
    u32 most = l->grid == 0 ? 0 : (keyed ? 1 : grid);
#else
    u32 grid = l->grid;
    u32 most = keyed ? 1 : grid;
#endif
    u32 block = keyed ? (u32)(ANN_PORT_KEY(number, output) % grid) : port->dealt % grid;
    u32 closed = 0;
    for (u32 tried = 0; tried < most; tried++) {
        u32 first = 0;
        GLOBAL u8 *ring = ann_ring_of(v, l, block);
        u32 granted = ann_device_local_reserve(l, ring, ann_look_at_tickets(ring), 1, &first);
        u32 after = block + 1 < l->grid ? block + 1 : 0;
        if (granted == 0 || granted == ANN_DEVICE_LOCAL_CLOSED) {
            /* Without a key, another block may have room for it. */
            closed += granted != 0;
            block = after;
            continue;
        }
        port->dealt = after;
        port->forwarded += 1;
        ann_count_forwarded(v, 1);
        GLOBAL u8 *slot = ann_device_local_slot(l, ring, first);
        for (u32 at = 0; at < ANN_PORT_BYTES(number); at += 8)
            ANN_COPY_PART(
                l, slot + l->payload + at, output + ANN_PORT_OFFSET(number) + at, ANN_PORT_BYTES(number) - at);
        ann_device_local_envelope(
            l, slot, ANN_PORT_BYTES(number), l->time != 0 ? ann_now(v) : 0 ANN_TRACE_ARGUMENT(output));
#if ANN_LAUNCH_THROUGH
        if (l->correlation != 0)
            *ANN_U64(slot, l->correlation) = ANN_CARRIED(output);
#endif
        /* SYNC: device-local-published (release) */
        ann_device_fence_release();
        ann_device_local_commit(l, slot, first);
        b->granted += 1;
        return 1;
    }
    if (closed < most && l->waits)
        return 0;
#if ANN_LAUNCH_THROUGH
    ann_lose(v, output);
#endif
    ann_count_unforwarded_of(v, number, 1);
    ann_count_unforwarded(v, 1);
    b->lost += 1;
    return 1;
}

/* Offers each of the held outputs to its kernel, or to the host, and passes over those whose outbox was found
   full. */
/* TWIN: deliver_parted */
ANN_FUNCTION void ann_forward_parted(const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    LOCAL ann_state *s = &b->state;
    /* Of an inactive block nothing leaves: the host may be about to say where it goes. */
    if (s->pending == 0 || (s->command & ANN_ACTIVE) == 0)
        return;
    u32 full = 0; /* a bit for each outbox */
    u32 left = 0;
    ann_begin_ports(v);
    for (u32 k = s->pending_from; k < s->pending; k++) {
        GLOBAL u8 *output = ann_held_at(v, k);
        if (ANN_HAS_GONE(output))
            continue;
#ifdef ANN_TOPICS
        if (!ann_goes_on(v, output))
            ann_forget_places(output);
#endif
        u32 places = ANN_PLACES_OF(v, output);
        for (u32 port = ANN_FIRST_OF(places); port < ANN_PORTS; port = ANN_NEXT_OF(places, port)) {
            u32 goes = 0;
            if ((full >> port & 1) == 0)
                goes = ann_goes_on(v, output) ? ann_send_parted(v, port, output) : ann_return(v, k);
            if (goes) {
#ifdef ANN_TOPICS
                if (ann_take_from(output, port))
#endif
                    *(GLOBAL u64 *)output = ~(u64)0;
                continue;
            }
            full |= (u32)1 << port;
            b->ports[port].left += 1;
            left += 1;
        }
    }
    while (s->pending_from < s->pending && ANN_HAS_GONE(ann_held_at(v, s->pending_from)))
        s->pending_from += 1;
    ann_keep_pending(v, left);
}

/* Whether an output that is held would go now: of each outbox the first. */
ANN_FUNCTION u32 ann_has_room_for_pending(const ann_view *v)
{
    LOCAL ann_state *s = &v->shared->state;
    u32 looked = 0;
    for (u32 k = s->pending_from; k < s->pending; k++) {
        GLOBAL const u8 *output = ann_held_at(v, k);
        if (ANN_HAS_GONE(output))
            continue;
        u32 places = ANN_PLACES_OF(v, output);
        for (u32 port = ANN_FIRST_OF(places); port < ANN_PORTS; port = ANN_NEXT_OF(places, port)) {
            if ((looked >> port & 1) != 0)
                continue;
            looked |= (u32)1 << port;
            if (ann_would_go(v, port, output))
                return 1;
        }
    }
    return 0;
}

/* Outputs that have not gone. */
ANN_FUNCTION u32 ann_on_the_way(const ann_view *v)
{
    LOCAL ann_state *s = &v->shared->state;
    u32 count = 0;
    for (u32 k = s->pending_from; k < s->pending; k++) {
        if (ANN_HAS_GONE(ann_held_at(v, k)))
            continue;
        u32 places = ANN_PLACES_OF(v, ann_held_at(v, k));
        for (u32 port = ANN_FIRST_OF(places); port < ANN_PORTS; port = ANN_NEXT_OF(places, port))
            count += 1;
    }
    return count;
}

/* By the leader of a block that ends: what is held of outboxes that are connected no more goes to the host, up to
   the first that finds no room; everything else is lost. */
/* TWIN: return_parted */
ANN_FUNCTION void ann_return_parted(const ann_view *v)
{
    LOCAL ann_state *s = &v->shared->state;
    u32 full = 0;
    for (u32 k = s->pending_from; k < s->pending; k++) {
        GLOBAL u8 *output = ann_held_at(v, k);
        if (ANN_HAS_GONE(output))
            continue;
        u32 stays = !ann_goes_on(v, output);
#ifdef ANN_TOPICS
        if (stays)
            ann_forget_places(output);
#endif
        u32 goes = stays && !full && ann_return(v, k);
        full |= stays && !goes;
        if (goes) {
            *(GLOBAL u64 *)output = ~(u64)0;
            continue;
        }
        u32 places = ANN_PLACES_OF(v, output);
        for (u32 port = ANN_FIRST_OF(places); port < ANN_PORTS; port = ANN_NEXT_OF(places, port))
            ann_count_unforwarded_of(v, port, 1);
    }
}

#endif

#endif
