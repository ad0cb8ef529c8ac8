/* The block: how all threads send a turn's outputs to the connected kernel. */

#if ANN_LAUNCH_CONNECTABLE && defined(ANN_OUTPUT) && ANN_LAUNCH_THREADS > 1

/* The state of a pending output. */
typedef struct {
    u32 source; /* its place among the turn's outputs; ANN_GONE once it has gone, or was lost */
    u32 block;  /* of the connected kernel */
    u32 rank;   /* how many before it are for the same block */
    u32 last;   /* the last of those for the same block, which asks for all of them; */
    u32 first;  /* it has their first ticket */
    u32 granted; /* and how many there are, or ANN_DEVICE_LOCAL_CLOSED */
#ifdef ANN_ANY
    u32 number; /* how many of those for any are in front of it when a pass begins */
#endif
} ann_parcel;

#define ANN_GONE 0xFFFFFFFFu

/* Of several outboxes, the number of an output's own stands in the upper bits of its block; and in the lower ones
   that it goes to the host, for its outbox is connected no more, or that it is not for the place that all are sent by
   now. */
#ifdef ANN_PORTS
#define ANN_FOR_THE_HOST 0xFFFFFFu
#define ANN_PARCEL_PORT(parcel) ((parcel)->block >> 24)
#define ANN_PARCEL_BLOCK(parcel) ((parcel)->block & ANN_FOR_THE_HOST)
#define ANN_STAYS(parcel) (ANN_PARCEL_BLOCK(parcel) == ANN_FOR_THE_HOST)
#else
#define ANN_PARCEL_PORT(parcel) 0
#define ANN_PARCEL_BLOCK(parcel) ((parcel)->block)
#define ANN_STAYS(parcel) 0
#endif

ANN_FUNCTION GLOBAL ann_parcel *ann_parcel_at(PRIVATE const ann_view *v, u32 i)
{
    return (GLOBAL ann_parcel *)v->parcels + i;
}

#ifdef ANN_TOPICS

/* By any thread: an output has gone by this place. Returns whether nobody waits for it. In the turn in which it was sent,
   the host may: it comes last. */
ANN_FUNCTION u32 ann_is_done(PRIVATE const ann_view *v, GLOBAL u8 *output, u32 place)
{
    return ann_take_from(output, place) && !(v->shared->heard != 0 && ann_is_heard(output));
}

#endif

#ifndef ANN_ROWS

/* Each thread finds the receiving blocks for its share of the outputs. Of those that are for several places, it does so
   for this one; of those for any, in rounds. */
ANN_FUNCTION void ann_address(PRIVATE const ann_view *v, u32 pending, u32 place)
{
    LOCAL ann_shared *b = v->shared;
#ifndef ANN_PORTS
    u32 grid = b->link.grid;
    if (grid == 0)
        return;
    u32 run = (pending + grid - 1) / grid;
#endif
    for (u32 k = ann_thread(v); k < pending; k += ANN_LAUNCH_THREADS) {
        GLOBAL ann_parcel *parcel = ann_parcel_at(v, k);
        if (parcel->source == ANN_GONE)
            continue;
#ifdef ANN_PORTS
        GLOBAL const u8 *output = v->outputs + (u64)parcel->source * ANN_OUTPUT_STRIDE;
#ifdef ANN_TOPICS
        u32 port = place;
        u32 takes = ann_places_of(output) >> place & 1;
        u32 grid = takes ? ANN_LINK(v, port)->grid : 0;
        /* A place that takes a topic, and has no kernel any more, is as one whose kernel has ended. */
        if (takes && grid == 0 && ann_goes_on(v, output)) {
            ann_count_up_by(&b->lost, 1);
            ann_count_up_by(&b->ports[port].lost, 1);
            if (ann_is_done(v, v->outputs + (u64)parcel->source * ANN_OUTPUT_STRIDE, port)) {
                parcel->source = ANN_GONE;
                continue;
            }
        }
#elif defined(ANN_ANY)
        u32 port = ann_place_in_round(v, output, k, place);
        u32 grid = port < ANN_PORTS ? ANN_LINK(v, port)->grid : 0;
#else
        u32 port = ANN_PORT_OF(output);
        u32 grid = ANN_LINK(v, port)->grid;
#endif
        u32 block = ANN_FOR_THE_HOST;
        if (grid != 0 && ANN_PORT_IS_KEYED(port))
            block = (u32)(ANN_PORT_KEY(port, output) % grid);
        else if (grid != 0)
            block = (b->ports[port].dealt + k / ((pending + grid - 1) / grid)) % grid;
        parcel->block = port << 24 | block;
#else
        if (ANN_PORT_IS_KEYED(0)) {
            GLOBAL const u8 *output = v->outputs + (u64)parcel->source * ANN_OUTPUT_STRIDE;
            parcel->block = (u32)(ANN_PORT_KEY(0, output) % grid);
        } else {
            parcel->block = (b->state.dealt + k / run) % grid;
        }
#endif
    }
}

/* Each thread numbers its share of the outputs among those for the same block. The thread that has the last
   output for a block takes the tickets for all of them. */
ANN_FUNCTION void ann_ask(PRIVATE const ann_view *v, u32 pending)
{
    LOCAL ann_shared *b = v->shared;
    if (!ANN_IS_LINKED(v))
        return;
    for (u32 k = ann_thread(v); k < pending; k += ANN_LAUNCH_THREADS) {
        GLOBAL ann_parcel *parcel = ann_parcel_at(v, k);
        if (parcel->source == ANN_GONE || ANN_STAYS(parcel))
            continue;
        u32 rank = 0;
        u32 last = k;
        for (u32 j = 0; j < pending; j++) {
            GLOBAL const ann_parcel *other = ann_parcel_at(v, j);
            if (other->source == ANN_GONE || other->block != parcel->block)
                continue;
            rank += j < k;
            last = j > last ? j : last;
        }
        parcel->rank = rank;
        parcel->last = last;
        if (last != k)
            continue;
        u32 first = 0;
        LOCAL const ann_link *l = ANN_LINK(v, ANN_PARCEL_PORT(parcel));
        GLOBAL u8 *ring = ann_ring_of(v, l, ANN_PARCEL_BLOCK(parcel));
        u32 granted = ann_device_local_reserve(l, ring, ann_look_at_tickets(ring), rank + 1, &first);
        parcel->first = first;
        parcel->granted = granted;
        if (granted != ANN_DEVICE_LOCAL_CLOSED)
            ann_count_up_by(&b->granted, granted);
#ifdef ANN_PORTS
        if (granted != ANN_DEVICE_LOCAL_CLOSED)
            ann_count_up_by(&b->ports[ANN_PARCEL_PORT(parcel)].granted, granted);
#endif
    }
}

/* Whether the output has a ticket. */
ANN_FUNCTION u32 ann_has_ticket(GLOBAL const ann_parcel *parcel, GLOBAL const ann_parcel *last)
{
    return last->granted != ANN_DEVICE_LOCAL_CLOSED && parcel->rank < last->granted;
}

#if ANN_LAUNCH_SEALS

/* Each thread stores its share of the units of outputs that have tickets in sealed slots, and publishes them by that.
   What the leader has told comes before, by the barrier. */
ANN_FUNCTION void ann_seal_share(PRIVATE const ann_view *v, u32 pending, u64 now)
{
    u32 most = 0;
#ifdef ANN_PORTS
    for (u32 i = 0; i < ANN_PORTS; i++)
        most = ANN_LINK(v, i)->units > most ? ANN_LINK(v, i)->units : most;
#else
    most = v->shared->link.units;
#endif
    if (pending == 0 || most == 0)
        return;
    /* SYNC: unrested (release) */
    ann_device_fence_release();
    for (u32 i = ann_thread(v); i < pending * most; i += ANN_LAUNCH_THREADS) {
        GLOBAL const ann_parcel *parcel = ann_parcel_at(v, i / most);
        if (parcel->source == ANN_GONE || ANN_STAYS(parcel))
            continue;
        GLOBAL const ann_parcel *last = ann_parcel_at(v, parcel->last);
        LOCAL const ann_link *l = ANN_LINK(v, ANN_PARCEL_PORT(parcel));
        if (i % most >= l->units || !ann_has_ticket(parcel, last))
            continue;
        ann_seal_unit_for(
            l, ann_ring_of(v, l, ANN_PARCEL_BLOCK(parcel)), last->first + parcel->rank, i % most,
            v->outputs + (u64)parcel->source * ANN_OUTPUT_STRIDE + ANN_PORT_OFFSET(ANN_PARCEL_PORT(parcel)),
            ANN_PORT_BYTES(ANN_PARCEL_PORT(parcel)), now, 0);
    }
}

#endif

/* Each thread copies its share of the words of outputs that have tickets, and writes its share of their
   envelopes. */
ANN_FUNCTION void ann_load_up(PRIVATE const ann_view *v, u32 pending)
{
    if (!ANN_IS_LINKED(v))
        return;
#ifdef ANN_PORTS
    /* As many as the largest of them has. */
    u32 own = ANN_OUTPUT_SPAN / 8;
#else
    u32 own = (ANN_OUTPUT_BYTES + 7) / 8;
#endif
    u32 words = own != 0 ? own : 1;
    u32 all = pending * own;
#ifndef ANN_PORTS
    if (ANN_SEALED_UNITS(&v->shared->link) != 0)
        all = 0;
#endif
    for (u32 word = ann_thread(v); word < all; word += ANN_LAUNCH_THREADS) {
        GLOBAL const ann_parcel *parcel = ann_parcel_at(v, word / words);
        if (parcel->source == ANN_GONE || ANN_STAYS(parcel))
            continue;
        GLOBAL const ann_parcel *last = ann_parcel_at(v, parcel->last);
        if (!ann_has_ticket(parcel, last))
            continue;
        u64 at = word % words * 8;
        LOCAL const ann_link *l = ANN_LINK(v, ANN_PARCEL_PORT(parcel));
#ifdef ANN_PORTS
        if (at >= ANN_PORT_BYTES(ANN_PARCEL_PORT(parcel)) || ANN_SEALED_UNITS(l) != 0)
            continue;
#endif
        GLOBAL u8 *slot = ann_device_local_slot(
            l, ann_ring_of(v, l, ANN_PARCEL_BLOCK(parcel)), last->first + parcel->rank);
        GLOBAL const u8 *output = v->outputs + (u64)parcel->source * ANN_OUTPUT_STRIDE;
        ANN_COPY_PART(
            l, slot + l->payload + at, output + ANN_PORT_OFFSET(ANN_PARCEL_PORT(parcel)) + at,
            (u32)(ANN_PORT_BYTES(ANN_PARCEL_PORT(parcel)) - at));
    }
#ifdef ANN_PORTS
    u64 now = pending != 0 ? ann_now(v) : 0;
#else
    u64 now = pending != 0 && v->shared->link.time != 0 ? ann_now(v) : 0;
#endif
    for (u32 k = ann_thread(v); k < pending; k += ANN_LAUNCH_THREADS) {
        GLOBAL const ann_parcel *parcel = ann_parcel_at(v, k);
        if (parcel->source == ANN_GONE || ANN_STAYS(parcel))
            continue;
        GLOBAL const ann_parcel *last = ann_parcel_at(v, parcel->last);
        LOCAL const ann_link *l = ANN_LINK(v, ANN_PARCEL_PORT(parcel));
        if (ann_has_ticket(parcel, last) && ANN_SEALED_UNITS(l) == 0)
            ann_device_local_envelope(
                l,
                ann_device_local_slot(
                    l, ann_ring_of(v, l, ANN_PARCEL_BLOCK(parcel)), last->first + parcel->rank),
                ANN_PORT_BYTES(ANN_PARCEL_PORT(parcel)),
                now ANN_CARRIED_ARGUMENTS(v->outputs + (u64)parcel->source * ANN_OUTPUT_STRIDE));
    }
#if ANN_LAUNCH_SEALS
    ann_seal_share(v, pending, now);
#endif
}

/* Each thread publishes its share of the outputs that have tickets, and counts what is lost and what is left.
   */
ANN_FUNCTION void ann_send_off(PRIVATE const ann_view *v, u32 pending, u32 round)
{
#ifdef ANN_ANY
    u32 is_last = round >= ann_linked_places(v);
#else
    (void)round;
#endif
    LOCAL ann_shared *b = v->shared;
    if (!ANN_IS_LINKED(v))
        return;
    /* SYNC: device-local-published (release): of all that threads of the block wrote before the barrier. */
    if (pending != 0)
        ann_device_fence_release();
    for (u32 k = ann_thread(v); k < pending; k += ANN_LAUNCH_THREADS) {
        GLOBAL ann_parcel *parcel = ann_parcel_at(v, k);
        if (parcel->source == ANN_GONE || ANN_STAYS(parcel))
            continue;
        GLOBAL const ann_parcel *last = ann_parcel_at(v, parcel->last);
        LOCAL const ann_link *l = ANN_LINK(v, ANN_PARCEL_PORT(parcel));
        if (ann_has_ticket(parcel, last)) {
            u32 ticket = last->first + parcel->rank;
            if (ANN_SEALED_UNITS(l) == 0)
                ann_device_local_commit(
                    l, ann_device_local_slot(l, ann_ring_of(v, l, ANN_PARCEL_BLOCK(parcel)), ticket), ticket);
#ifdef ANN_ANY
            if (round != 0) {
                ann_count_up_by(&b->any, (u32)-1);
                ann_count_up_by(&b->any_granted, 1);
                /* All that get here store the same. */
                b->any_round = round;
            }
        } else if (round != 0 && !is_last) {
            continue;
        } else if (round != 0) {
            /* No kernel has taken it. The last place counts it. */
            GLOBAL const u8 *output = v->outputs + (u64)parcel->source * ANN_OUTPUT_STRIDE;
            u32 waits = (ann_look_around(v, output) & ANN_SOME_WAITS) != 0;
            ann_count_up_by(&b->any, (u32)-1);
            ann_count_up_by(waits ? &b->left : &b->lost, 1);
            ann_count_up_by(waits ? &b->ports[ANN_PEERS].left : &b->ports[ANN_PEERS].lost, 1);
            if (waits)
                continue;
#endif
        } else if (last->granted == ANN_DEVICE_LOCAL_CLOSED || !l->waits) {
            ann_count_up_by(&b->lost, 1);
#ifdef ANN_PORTS
            ann_count_up_by(&b->ports[ANN_PARCEL_PORT(parcel)].lost, 1);
#endif
        } else {
            ann_count_up_by(&b->left, 1);
#ifdef ANN_PORTS
            ann_count_up_by(&b->ports[ANN_PARCEL_PORT(parcel)].left, 1);
#endif
            continue;
        }
#ifdef ANN_TOPICS
        if (!ann_is_done(v, v->outputs + (u64)parcel->source * ANN_OUTPUT_STRIDE, ANN_PARCEL_PORT(parcel)))
            continue;
#endif
        parcel->source = ANN_GONE;
    }
}

/* By the leader: counts what is about to be sent. It has its own condition, because PoCL 3.1 lets all threads
   do what stands behind `leader && ...` here. */
ANN_FUNCTION void ann_count_granted(PRIVATE const ann_view *v, u32 place)
{
#ifdef ANN_TOPICS
    u32 granted = v->shared->ports[place].granted;
#else
    u32 granted = v->shared->granted;
#endif
#ifdef ANN_ANY
    granted -= v->shared->counted;
    v->shared->counted += granted;
#endif
    if (granted != 0 && ANN_IS_LINKED(v))
        ann_count_forwarded(v, granted);
}

/* All threads send the pending outputs, or those of them that are for this place, as far as there is room. Ends with a
   barrier. */
ANN_FUNCTION void ann_send_by(PRIVATE const ann_view *v, u32 leader, u32 pending, u32 place)
{
    ann_address(v, pending, place);
    ann_barrier();
    ann_ask(v, pending);
    ann_barrier();
    if (leader)
        ann_count_granted(v, place);
#if ANN_LAUNCH_SEALS
    /* Units are published as they are stored. */
    ann_barrier();
#endif
    ann_load_up(v, pending);
    ann_barrier();
    ann_send_off(v, pending, place);
    ann_barrier();
}

#ifdef ANN_TOPICS

/* Each thread counts which places its share of the outputs is for. Outputs of this turn are marked first: there are no
   others then, since a block that holds some takes no message. */
ANN_FUNCTION void ann_count_wanted(PRIVATE const ann_view *v, u32 pending, u32 are_new)
{
    LOCAL ann_shared *b = v->shared;
    for (u32 k = ann_thread(v); k < pending; k += ANN_LAUNCH_THREADS) {
        GLOBAL const ann_parcel *parcel = ann_parcel_at(v, k);
        if (parcel->source == ANN_GONE)
            continue;
        GLOBAL u8 *output = v->outputs + (u64)parcel->source * ANN_OUTPUT_STRIDE;
        if (are_new) {
            ann_mark_apart(v, output);
            ann_count_up_by(&b->heard, ann_is_heard(output));
        }
        u32 places = ann_places_of(output);
        for (u32 place = ANN_FIRST_OF(places); place < ANN_PORTS; place = ANN_NEXT_OF(places, place))
            ann_count_up_by(&b->ports[place].wanted, 1);
    }
}

/* By the leader: the host gets its copies of the turn's outputs, in their order. */
ANN_FUNCTION void ann_tell_host_all(PRIVATE const ann_view *v)
{
    for (u32 k = 0; k < v->shared->state.pending; k++) {
        GLOBAL ann_parcel *parcel = ann_parcel_at(v, k);
        if (parcel->source != ANN_GONE && ann_tell_host(v, parcel->source))
            parcel->source = ANN_GONE;
    }
}

#endif

/* All threads send the pending outputs, as far as there is room, after a turn of so many messages. Ends with a barrier. */
ANN_FUNCTION void ann_forward_together(PRIVATE const ann_view *v, u32 leader, u32 count)
{
    LOCAL ann_shared *b = v->shared;
    /* Of an inactive block nothing leaves: the host may be about to say where it goes. Nor of one that ends.
       */
    u32 pending = (b->state.command & ANN_ACTIVE) != 0 && !b->ending ? b->state.pending : 0;
#ifdef ANN_TOPICS
    /* One place after the other: so each gets what is for it in order, and waits for none. */
    ann_count_wanted(v, pending, count != 0);
    ann_barrier();
    for (u32 place = 0; place < ANN_PORTS; place++)
        if (b->ports[place].wanted != 0)
            ann_send_by(v, leader, pending, place);
#elif defined(ANN_ANY)
    (void)count;
    u32 rounds = ann_linked_places(v);
    rounds = rounds != 0 ? rounds : 1;
    for (u32 round = 0; round == 0 || (round <= rounds && b->any != 0); round++)
        ann_send_by(v, leader, pending, round);
#else
    (void)count;
    ann_send_by(v, leader, pending, 0);
#endif
}

#endif

#ifdef ANN_PORTS

/* By the leader: what is held of outboxes that are connected no more goes to the host, up to the first that finds
   no room: the host may make room meanwhile, and what comes later must not overtake it. Of a block that ends
   everything else is lost. */
ANN_FUNCTION void ann_return_parted(PRIVATE const ann_view *v, u32 ends)
{
    LOCAL ann_shared *b = v->shared;
    u32 full = 0;
    for (u32 k = 0; k < b->state.pending; k++) {
        GLOBAL ann_parcel *parcel = ann_parcel_at(v, k);
        if (parcel->source == ANN_GONE)
            continue;
        GLOBAL u8 *output = v->outputs + (u64)parcel->source * ANN_OUTPUT_STRIDE;
        u32 stays = !ann_goes_on(v, output);
#ifdef ANN_TOPICS
        if (stays && ann_has_been_heard(v, output)) {
            parcel->source = ANN_GONE;
            continue;
        }
#endif
        u32 goes = stays && !full && ann_return(v, parcel->source);
        full |= stays && !goes;
        if (goes) {
            parcel->source = ANN_GONE;
            continue;
        }
        if (!ends && !stays)
            continue;
        u32 places = ANN_PLACES_OF(v, output);
        for (u32 port = ANN_FIRST_OF(places); port < ANN_PORTS; port = ANN_NEXT_OF(places, port)) {
            if (ends) {
                ann_count_unforwarded_of(v, port, 1);
            } else {
                b->ports[port].left += 1;
                b->left += 1;
            }
        }
    }
}

#else

/* By the leader of a kernel that is connected no more: what is held goes to the host, as far as it has room.
   */
ANN_FUNCTION void ann_return_pending(PRIVATE const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    for (u32 k = 0; k < b->state.pending && b->left == 0; k++) {
        GLOBAL ann_parcel *parcel = ann_parcel_at(v, k);
        if (parcel->source == ANN_GONE)
            continue;
        if (ann_return(v, parcel->source))
            parcel->source = ANN_GONE;
        else
            b->left = 1;
    }
}

#endif

#ifndef ANN_ROWS

/* By the leader: updates which outputs are pending now. */
ANN_FUNCTION void ann_settle(PRIVATE const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    LOCAL ann_state *s = &b->state;
    if (s->pending == 0)
        return;
#ifdef ANN_TOPICS
    if (b->heard != 0)
        ann_tell_host_all(v);
#endif
#ifdef ANN_PORTS
    for (u32 i = 0; i < ANN_PORTS; i++) {
        LOCAL ann_port *port = &b->ports[i];
        u32 grid = ANN_LINK(v, i)->grid;
        port->forwarded += port->granted;
        if (port->lost != 0)
            ann_count_unforwarded_of(v, i, port->lost);
        /* Outputs that are left are offered to other blocks. */
        u32 some_left = port->left;
#ifdef ANN_ANY
        some_left |= b->ports[ANN_PEERS].left;
#endif
        if (grid != 0)
            port->dealt = (port->dealt + (some_left != 0 ? 1 : port->granted)) % grid;
    }
#ifdef ANN_ANY
    /* Behind the place that has taken the last of those for any. */
    if (b->any_granted != 0)
        s->dealt = (ann_place_in_turn(v, b->any_granted + b->any_round - 2) + 1) % ANN_PEERS;
#endif
    /* Before it is said that nothing waits any more, and before what they came of is told. */
    if (!ANN_DEFERS || s->stalled)
        ann_store_ports(v);
    ann_return_parted(v, 0);
    if (b->lost != 0)
        ann_count_unforwarded(v, b->lost);
#else
    if (b->link.grid == 0)
        ann_return_pending(v);
    if (b->lost != 0)
        ann_count_unforwarded(v, b->lost);
    /* Outputs that are left are offered to other blocks. */
    if (!ANN_PORT_IS_KEYED(0) && b->link.grid != 0)
        s->dealt = (s->dealt + (b->left != 0 ? 1 : b->granted)) % b->link.grid;
#endif
    ann_keep_pending(v, b->left);
}

/* Whether the connected kernel has room for a pending output. */
ANN_FUNCTION u32 ann_has_room_for_pending(PRIVATE const ann_view *v)
{
    for (u32 k = 0; k < v->shared->state.pending; k++) {
        GLOBAL const ann_parcel *parcel = ann_parcel_at(v, k);
#ifdef ANN_TOPICS
        if (parcel->source == ANN_GONE)
            continue;
        GLOBAL const u8 *output = v->outputs + (u64)parcel->source * ANN_OUTPUT_STRIDE;
        u32 places = ann_places_of(output);
        for (u32 port = ANN_FIRST_OF(places); port < ANN_PORTS; port = ANN_NEXT_OF(places, port))
            if (ann_would_go(v, port, output))
                return 1;
        continue;
#elif defined(ANN_ANY)
        if (parcel->source == ANN_GONE)
            continue;
        GLOBAL const u8 *output = v->outputs + (u64)parcel->source * ANN_OUTPUT_STRIDE;
        if (ann_would_go(v, ANN_PORT_OF(output), output))
            return 1;
        continue;
#elif defined(ANN_PORTS)
        if (parcel->source != ANN_GONE && ANN_STAYS(parcel)) {
            if (ann_would_return(v))
                return 1;
            continue;
        }
#endif
        if (parcel->source != ANN_GONE
            && ann_has_room(v, ANN_LINK(v, ANN_PARCEL_PORT(parcel)), ANN_PARCEL_BLOCK(parcel)))
            return 1;
    }
    return 0;
}

/* Outputs that have not gone. */
ANN_FUNCTION u32 ann_on_the_way(PRIVATE const ann_view *v)
{
    u32 count = 0;
    for (u32 k = 0; k < v->shared->state.pending; k++) {
        GLOBAL const ann_parcel *parcel = ann_parcel_at(v, k);
        if (parcel->source == ANN_GONE)
            continue;
#ifdef ANN_TOPICS
        u32 places = ann_places_of(v->outputs + (u64)parcel->source * ANN_OUTPUT_STRIDE);
        for (u32 port = ANN_FIRST_OF(places); port < ANN_PORTS; port = ANN_NEXT_OF(places, port))
            count += 1;
#else
        count += 1;
#endif
    }
    return count;
}

#endif

#endif
