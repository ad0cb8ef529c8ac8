/* The block: how one thread sends what is held of several outboxes, each to its kernel. What is for one kernel goes
   together, in order; what lies in a row for one of its blocks takes one ticket, as by one outbox (`forward.c`). */

#if ANN_LAUNCH_CONNECTABLE && defined(ANN_OUTPUT) && defined(ANN_PORTS)

/* Stands in front of an output that has gone, in place of its outbox's number. */
#define ANN_HAS_GONE(output) (*(GLOBAL const u64 *)(output) == ~(u64)0)

/* By the leader, at a turn's begin, or before a pass. */
ANN_FUNCTION void ann_begin_ports(PRIVATE const ann_view *v)
{
    for (u32 i = 0; i < ANN_PORTS; i++) {
        LOCAL ann_port *port = &v->shared->ports[i];
        port->granted = 0;
        port->lost = 0;
        port->left = 0;
        port->wanted = 0;
    }
#if defined(ANN_TOPICS) && ANN_LAUNCH_THREADS > 1
    v->shared->heard = 0;
#elif defined(ANN_ANY) && ANN_LAUNCH_THREADS > 1
    v->shared->any = 0;
    v->shared->any_granted = 0;
    v->shared->any_round = 0;
    v->shared->counted = 0;
#endif
}

/* By the leader: what the outboxes have sent so far. */
ANN_FUNCTION void ann_load_ports(PRIVATE const ann_view *v)
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
ANN_FUNCTION u32 ann_port_has_room(PRIVATE const ann_view *v, u32 port, GLOBAL const u8 *output)
{
    LOCAL const ann_link *l = ANN_LINK(v, port);
#ifdef ANN_TOPICS
    if (l->grid == 0)
        return 1;
#endif
#ifdef ANN_ANY
    /* By no place may it wait: so it is about to be lost. */
    if (port == ANN_PEERS && ANN_IS_FOR_ANY(output))
        return ann_look_around(v, output) != ANN_SOME_WAITS;
#endif
    u32 block = ANN_PORT_IS_KEYED(port) ? (u32)(ANN_PORT_KEY(port, output) % l->grid) : 0;
    u32 end = ANN_PORT_IS_KEYED(port) ? block + 1 : l->grid;
    for (; block < end; block++)
        if (ann_has_room(v, l, block))
            return 1;
    return 0;
}

/* Whether an output that is held would go now by this place, or to the host. */
ANN_FUNCTION u32 ann_would_go(PRIVATE const ann_view *v, u32 port, GLOBAL const u8 *output)
{
    return ann_goes_on(v, output) ? ann_port_has_room(v, port, output) : ann_would_return(v);
}

#ifdef ANN_TOPICS

/* By one thread: gives the host its copy of an output of this turn, if it takes the topic. There is room: a message is
   taken when there is credit for all that it sends. Returns whether no kernel takes it. */
/* TWIN: tell_host */
ANN_FUNCTION u32 ann_tell_host(PRIVATE const ann_view *v, u32 place)
{
    GLOBAL u8 *output = v->outputs + (u64)place * ANN_OUTPUT_STRIDE;
    GLOBAL u64 *front = (GLOBAL u64 *)output;
    u64 marked = *front;
    if (!ann_is_heard(output))
        return 0;
    ann_forget_places(output);
    ann_return(v, place);
    v->shared->ports[ANN_PEERS].forwarded += 1;
    *front = marked;
    return ann_places_of(output) == 0;
}

/* By the leader: an output is held that stays here, for no kernel is connected any more. Returns whether that is done with,
   since the host has it. If not, it is for the host, and names no places. */
ANN_FUNCTION u32 ann_has_been_heard(PRIVATE const ann_view *v, GLOBAL u8 *output)
{
    if (!ann_is_heard(output)) {
        ann_forget_places(output);
        return 0;
    }
    v->shared->granted += 1;
    return 1;
}

#endif

#if ANN_LAUNCH_THREADS == 1

ANN_FUNCTION GLOBAL u8 *ann_held_at(PRIVATE const ann_view *v, u32 k)
{
    return v->outputs + (u64)k * ANN_OUTPUT_STRIDE;
}

/* Whether an output is still for this place, which some output is for. */
ANN_FUNCTION u32 ann_waits_for(PRIVATE const ann_view *v, GLOBAL const u8 *output, u32 place)
{
#if defined(ANN_TOPICS)
    return !ANN_HAS_GONE(output) && (ann_places_of(output) >> place & 1) != 0;
#elif defined(ANN_PEERS)
    if (place == ANN_PEERS)
        return !ANN_HAS_GONE(output) && ann_place_of(v, output) == place;
    return *(GLOBAL const u64 *)output == v->shared->peers[place];
#else
    return *(GLOBAL const u64 *)output == place;
#endif
}

/* The first output from number `k` on that is for this place. There is one: so it is the last, if none before that. */
ANN_FUNCTION u32 ann_next_for(PRIVATE const ann_view *v, u32 place, u32 k)
{
    u32 last = v->shared->state.pending - 1;
    for (; k < last; k++)
        if (ann_waits_for(v, ann_held_at(v, k), place))
            return k;
    return last;
}

/* An output has gone by this place. */
ANN_FUNCTION void ann_has_left(GLOBAL u8 *output, u32 place)
{
#ifdef ANN_TOPICS
    if (!ann_take_from(output, place))
        return;
#endif
    *(GLOBAL u64 *)output = ~(u64)0;
}

#ifdef ANN_TOPICS

/* A message's outputs have been put aside, from number `k` up to `end`: the host gets its copies. */
ANN_FUNCTION void ann_tell_host_row(PRIVATE const ann_view *v, u32 k, u32 end)
{
    for (; k < end; k++) {
        GLOBAL u64 *front = (GLOBAL u64 *)ann_held_at(v, k);
        if (ann_tell_host(v, k))
            *front = ~(u64)0;
    }
    /* It may be that nothing goes to another kernel, which would store all of these. */
    LOCAL ann_port *port = &v->shared->ports[ANN_PEERS];
    if (port->told != port->forwarded) {
        port->told = port->forwarded;
        ann_store_relaxed_u64(ANN_U64(ann_port_counts(v, ANN_PEERS), ANN_PORT_FORWARDED), port->told);
    }
}

#endif

/* How many outputs in a row are for the same block of a place's kernel, the first of which has number `k`; of those
   that are left for this place. */
ANN_FUNCTION u32 ann_row_for(PRIVATE const ann_view *v, u32 number, u32 k, u32 left, u32 block)
{
    u32 grid = ANN_LINK(v, number)->grid;
    if (grid == 1)
        return left;
    if (!ANN_PORT_IS_KEYED(number))
        return (left + grid - 1) / grid;
    u32 want = 1;
    while (want < left) {
        k = ann_next_for(v, number, k + 1);
        if ((u32)(ANN_PORT_KEY(number, ann_held_at(v, k)) % grid) != block)
            break;
        want += 1;
    }
    return want;
}

/* `count` outputs for a place are lost, from number `k` on. Returns where the next one may be. They are counted behind
   the ends of their calls: who sees the count sees these. */
ANN_FUNCTION u32 ann_lose_row(PRIVATE const ann_view *v, u32 number, u32 k, u32 count)
{
    for (u32 i = 0; i < count; i++) {
        k = ann_next_for(v, number, k);
#if ANN_LAUNCH_THROUGH
        ann_lose(v, ann_held_at(v, k));
#endif
        ann_has_left(ann_held_at(v, k), number);
        k += 1;
    }
    ann_count_unforwarded_of(v, number, count);
    ann_count_unforwarded(v, count);
    v->shared->lost += count;
    return k;
}

#if ANN_LAUNCH_SEALS

/* As below, into sealed slots. */
ANN_FUNCTION u32 ann_seal_row_for(
    PRIVATE const ann_view *v, u32 number, u32 k, GLOBAL u8 *ring, u32 first, u32 granted, u64 now)
{
    v->shared->ports[number].forwarded += granted;
    ann_count_forwarded(v, granted);
    /* SYNC: unrested (release) */
    ann_device_fence_release();
    for (u32 i = 0; i < granted; i++) {
        k = ann_next_for(v, number, k);
        GLOBAL u8 *output = ann_held_at(v, k);
        u64 call = 0;
#if ANN_LAUNCH_THROUGH
        call = ANN_CARRIED(output);
#endif
        ann_seal_for(
            ANN_LINK(v, number), ring, first + i, output + ANN_PORT_OFFSET(number), ANN_PORT_BYTES(number), now,
            call);
        ann_has_left(output, number);
        k += 1;
    }
    v->shared->granted += granted;
    return k;
}

#endif

/* Sends so many outputs for a place that have tickets, from number `k` on. Returns where the next one may be. */
ANN_FUNCTION u32 ann_send_row_for(PRIVATE const ann_view *v, u32 number, u32 k, GLOBAL u8 *ring, u32 first, u32 granted)
{
    LOCAL const ann_link *l = ANN_LINK(v, number);
    u64 now = l->time != 0 ? ann_now(v) : 0;
#if ANN_LAUNCH_SEALS
    if (l->units != 0)
        return ann_seal_row_for(v, number, k, ring, first, granted, now);
#endif
    v->shared->ports[number].forwarded += granted;
    ann_count_forwarded(v, granted);
    for (u32 i = 0; i < granted; i++) {
        k = ann_next_for(v, number, k);
        GLOBAL u8 *slot = ann_device_local_slot(l, ring, first + i);
        GLOBAL u8 *output = ann_held_at(v, k);
        for (u32 at = 0; at < ANN_PORT_BYTES(number); at += 8)
            ANN_COPY_PART(
                l, slot + l->payload + at, output + ANN_PORT_OFFSET(number) + at, ANN_PORT_BYTES(number) - at);
        ann_device_local_envelope(l, slot, ANN_PORT_BYTES(number), now ANN_CARRIED_ARGUMENTS(output));
#if ANN_LAUNCH_THROUGH
        if (l->correlation != 0)
            *ANN_U64(slot, l->correlation) = ANN_CARRIED(output);
#endif
        ann_has_left(output, number);
        k += 1;
    }
    /* SYNC: device-local-published (release) */
    ann_device_fence_release();
    for (u32 i = 0; i < granted; i++)
        ann_device_local_commit(l, ann_device_local_slot(l, ring, first + i), first + i);
    v->shared->granted += granted;
    return k;
}

/* Sends what is for a place, in order, as far as there is room. What lies in a row for one block takes one ticket.
   Returns how many have to wait. */
ANN_FUNCTION u32 ann_send_for(PRIVATE const ann_view *v, u32 number)
{
#ifdef ANN_ANY
    if (number == ANN_PEERS)
        return ann_send_to_any(v);
#endif
    LOCAL const ann_link *l = ANN_LINK(v, number);
    LOCAL ann_port *port = &v->shared->ports[number];
    u32 keyed = ANN_PORT_IS_KEYED(number);
    u32 grid = l->grid;
    u32 left = port->wanted;
    u32 k = v->shared->state.pending_from;
    u32 full = 0;   /* blocks in a row that did not take outputs without a key; */
    u32 closed = 0; /* those of them that never will */
    while (left != 0) {
#ifdef ANN_TOPICS
        /* A place that takes a topic, and has no kernel any more, is as one whose kernel has ended. */
        if (grid == 0) {
            ann_lose_row(v, number, k, left);
            return 0;
        }
#endif
        k = ann_next_for(v, number, k);
        u32 block = keyed ? (u32)(ANN_PORT_KEY(number, ann_held_at(v, k)) % grid) : port->dealt % grid;
        u32 want = ann_row_for(v, number, k, left, block);
        u32 first = 0;
        GLOBAL u8 *ring = ann_ring_of(v, l, block);
        u32 granted = ann_device_local_reserve(l, ring, ann_look_at_tickets(ring), want, &first);
        port->dealt = block + 1 < grid ? block + 1 : 0;
        if (granted != 0 && granted != ANN_DEVICE_LOCAL_CLOSED) {
            full = 0;
            closed = 0;
            k = ann_send_row_for(v, number, k, ring, first, granted);
            left -= granted;
            continue;
        }
        if (!keyed) {
            /* Another block may have room for it. */
            full += 1;
            closed += granted != 0;
            if (full < grid)
                continue;
            granted = closed == grid ? ANN_DEVICE_LOCAL_CLOSED : 0;
            want = left;
            full = 0;
            closed = 0;
        }
        if (granted == 0 && l->waits)
            break;
        k = ann_lose_row(v, number, k, want);
        left -= want;
    }
    return left;
}

/* By the leader that holds outputs of an earlier turn: counts what is for each place. What is of a disconnected outbox it
   offers to the host. Returns how much of that has to wait. */
ANN_FUNCTION u32 ann_count_held(PRIVATE const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    LOCAL ann_state *s = &b->state;
    u32 full = 0; /* the host may make room meanwhile, and nothing must overtake */
    u32 left = 0;
    ann_begin_ports(v);
    for (u32 k = s->pending_from; k < s->pending; k++) {
        GLOBAL u8 *output = ann_held_at(v, k);
        if (ANN_HAS_GONE(output))
            continue;
        u32 stays = !ann_goes_on(v, output);
#ifdef ANN_TOPICS
        if (stays && ann_has_been_heard(v, output)) {
            *(GLOBAL u64 *)output = ~(u64)0;
            continue;
        }
#endif
        if (stays && !full && ann_return(v, k)) {
            *(GLOBAL u64 *)output = ~(u64)0;
            continue;
        }
        full |= stays;
        u32 places = ANN_PLACES_OF(v, output);
        for (u32 port = ANN_FIRST_OF(places); port < ANN_PORTS; port = ANN_NEXT_OF(places, port)) {
            if (stays) {
                b->ports[port].left += 1;
                left += 1;
            } else {
                b->ports[port].wanted += 1;
            }
        }
    }
#if ANN_LAUNCH_HOLD
    b->returns = left;
#endif
    return left;
}

/* Offers the held outputs to their kernels, those of each outbox together. */
/* TWIN: deliver_parted */
ANN_FUNCTION void ann_forward_parted(PRIVATE const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    LOCAL ann_state *s = &b->state;
    /* Of an inactive block nothing leaves: the host may be about to say where it goes. */
    if (s->pending == 0 || (s->command & ANN_ACTIVE) == 0)
        return;
    /* What this turn's messages have sent is counted (`ann_part`). */
#if ANN_LAUNCH_HOLD
    u32 left = ann_count_held(v);
#else
    u32 left = b->taken == 0 ? ann_count_held(v) : 0;
#endif
    for (u32 port = 0; port < ANN_PORTS; port++) {
        if (b->ports[port].wanted == 0)
            continue;
        u32 waits = ann_send_for(v, port);
        b->ports[port].wanted = 0;
        b->ports[port].left += waits;
        left += waits;
    }
    while (left != 0 && s->pending_from < s->pending && ANN_HAS_GONE(ann_held_at(v, s->pending_from)))
        s->pending_from += 1;
    ann_keep_pending(v, left);
}

/* Whether an output that is held would go now: of each outbox the first; and of those for any. */
ANN_FUNCTION u32 ann_has_room_for_pending(PRIVATE const ann_view *v)
{
    LOCAL ann_state *s = &v->shared->state;
    u32 looked = 0;
    for (u32 k = s->pending_from; k < s->pending; k++) {
        GLOBAL const u8 *output = ann_held_at(v, k);
        if (ANN_HAS_GONE(output))
            continue;
        u32 places = ANN_PLACES_OF(v, output);
        for (u32 port = ANN_FIRST_OF(places); port < ANN_PORTS; port = ANN_NEXT_OF(places, port)) {
            u32 way = port;
#ifdef ANN_ANY
            if (ANN_IS_FOR_ANY(output))
                way = ANN_PORTS;
#endif
            if ((looked >> way & 1) != 0)
                continue;
            looked |= (u32)1 << way;
            if (ann_would_go(v, port, output))
                return 1;
        }
    }
    return 0;
}

/* Outputs that have not gone. */
ANN_FUNCTION u32 ann_on_the_way(PRIVATE const ann_view *v)
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
ANN_FUNCTION void ann_return_parted(PRIVATE const ann_view *v)
{
    LOCAL ann_state *s = &v->shared->state;
    u32 full = 0;
    for (u32 k = s->pending_from; k < s->pending; k++) {
        GLOBAL u8 *output = ann_held_at(v, k);
        if (ANN_HAS_GONE(output))
            continue;
        u32 stays = !ann_goes_on(v, output);
#ifdef ANN_TOPICS
        if (stays && ann_has_been_heard(v, output)) {
            *(GLOBAL u64 *)output = ~(u64)0;
            continue;
        }
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
