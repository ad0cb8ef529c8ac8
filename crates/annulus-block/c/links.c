/* The block: messages between kernels of one device. The protocol is described in `PROTOCOL.md`. */

#if ANN_LAUNCH_CONNECTABLE

/* Number of looks at the device-local ring for each look at the host's words, while both are empty. A block
   that watches has shorter ones: so many take about as long as four otherwise. */
#if ANN_WATCHES
#define ANN_DEVICE_LOCAL_LOOKS 6
#else
#define ANN_DEVICE_LOCAL_LOOKS 4
#endif
/* Number of turns in a row that may take from other kernels before the block looks at the host's words again.
   */
#define ANN_DEVICE_LOCAL_TURNS 8

/* By the leader of a block that found nothing: tells the host how many messages it has taken, after
   everything that it has done. */
/* TWIN: rest */
ANN_FUNCTION void ann_rest(PRIVATE const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    if (b->rested == b->state.taken)
        return;
    b->rested = b->state.taken;
#if ANN_DEFERS
    b->rests = 1;
#endif
#if ANN_LAUNCH_SEALED
    /* Units that were taken acquired nothing. SYNC: unrested (acquire) */
    ann_device_fence_acquire();
#endif
    /* SYNC: rested (release) */
    ann_store_release_u64(ANN_U64(v->shard, ANN_CONTROL_RESTED), b->rested);
    ann_tell(v, 0);
}

#ifdef ANN_OUTPUT

#if ANN_LAUNCH_HOLD
ANN_FUNCTION u32 ann_is_held_up(PRIVATE const ann_view *v);
#endif

/* Where what an outbox sends goes, and what of an output that is. Of several outboxes, an output begins with the
   number of its own, and what was sent is a part of it. */
#if defined(ANN_TOPICS)
/* An output begins with a topic: see `topics.c`. */
#elif defined(ANN_PEERS)
/* What is for any of the connected kernels has this address, which is no kernel's own: `Peer::ANY`. */
#define ANN_ANY ((u64)1 << 63)
#define ANN_IS_FOR_ANY(output) (*(GLOBAL const u64 *)(output) == ANN_ANY)

/* Of the kernels that may take such an output, some has room for it now; and for some, which is not closed, it may wait. */
#define ANN_SOME_HAS_ROOM 1u
#define ANN_SOME_WAITS 2u
ANN_FUNCTION u32 ann_look_around(PRIVATE const ann_view *v, GLOBAL const u8 *output);
#if ANN_LAUNCH_THREADS == 1
ANN_FUNCTION u32 ann_send_to_any(PRIVATE const ann_view *v);
#else
ANN_FUNCTION u32 ann_linked_places(PRIVATE const ann_view *v);
ANN_FUNCTION u32 ann_place_in_turn(PRIVATE const ann_view *v, u32 number);
ANN_FUNCTION u32 ann_place_in_round(PRIVATE const ann_view *v, GLOBAL const u8 *output, u32 k, u32 round);
#endif

/* An output begins with an address. Its place is that of the kernel with this address, or the last one, which stands
   for nobody. There also waits what is for any, until another place takes it. */
/* TWIN: place_of */
ANN_FUNCTION u32 ann_place_of(PRIVATE const ann_view *v, GLOBAL const u8 *output)
{
    u64 to = *(GLOBAL const u64 *)output;
    for (u32 i = 0; i < ANN_PEERS; i++)
        if (to != 0 && v->shared->peers[i] == to)
            return i;
    return ANN_PEERS;
}
#define ANN_PORT_OF(output) ann_place_of(v, output)
#elif defined(ANN_PORTS)
#define ANN_PORT_OF(output) ((u32) * (GLOBAL const u64 *)(output))
#endif
#if defined(ANN_PORTS)
#define ANN_LINK(v, port) (&(v)->shared->links[port])
#define ANN_IS_LINKED(v) ((v)->shared->linked)
#else
#define ANN_LINK(v, port) (&(v)->shared->link)
#define ANN_IS_LINKED(v) ((v)->shared->link.grid != 0)
#define ANN_PORT_BYTES(port) ANN_OUTPUT_BYTES
#define ANN_PORT_OFFSET(port) 0
#ifdef ANN_OUTPUT_KEY
#define ANN_PORT_IS_KEYED(port) 1
#define ANN_PORT_KEY(port, output) ANN_OUTPUT_KEY((GLOBAL const ANN_OUTPUT *)(output))
#else
#define ANN_PORT_IS_KEYED(port) 0
#define ANN_PORT_KEY(port, output) ((u64)0)
#endif
#endif

#ifdef ANN_PORTS
/* Whether an output is of an outbox that is connected. */
ANN_FUNCTION u32 ann_goes_on(PRIVATE const ann_view *v, GLOBAL const u8 *output)
{
#ifdef ANN_TOPICS
    /* Nobody is connected together with the others. */
    return ANN_LINK(v, ANN_PEERS)->grid != 0;
#else
    return ANN_LINK(v, ANN_PORT_OF(output))->grid != 0;
#endif
}

/* The counts of an outbox in the shard's memory, of which they are the last. */
ANN_FUNCTION GLOBAL u8 *ann_port_counts(PRIVATE const ann_view *v, u32 port)
{
    return v->shard + v->shared->launch.shard_stride - ANN_PORT_COUNTS_BYTES + port * ANN_PORT_COUNTS;
}

/* By the leader: stores what outboxes have sent on, before the sum of all of them is stored. */
ANN_FUNCTION void ann_store_ports(PRIVATE const ann_view *v)
{
    for (u32 i = 0; i < ANN_PORTS; i++) {
        LOCAL ann_port *port = &v->shared->ports[i];
        if (port->told == port->forwarded)
            continue;
        port->told = port->forwarded;
        ann_store_relaxed_u64(ANN_U64(ann_port_counts(v, i), ANN_PORT_FORWARDED), port->told);
    }
}

/* By the leader: stores how many outputs of each outbox are held, before it says that the block waits. */
ANN_FUNCTION void ann_store_held(PRIVATE const ann_view *v)
{
    for (u32 i = 0; i < ANN_PORTS; i++) {
        LOCAL ann_port *port = &v->shared->ports[i];
        if (port->held == port->left)
            continue;
        port->held = port->left;
#if ANN_LAUNCH_HOLD
        /* Raised before what it came of is told, and lowered behind what has gone. SYNC: held (release) */
        ann_store_release_u64(ANN_U64(ann_port_counts(v, i), ANN_PORT_HELD), port->held);
#else
        ann_store_relaxed_u64(ANN_U64(ann_port_counts(v, i), ANN_PORT_HELD), port->held);
#endif
    }
}
#endif

ANN_FUNCTION GLOBAL u8 *ann_ring_of(PRIVATE const ann_view *v, LOCAL const ann_link *l, u32 block)
{
    return ann_device_local_at(v->device_heap, l->rings + block * l->stride);
}

/* Loads both words in one wait. */
ANN_FUNCTION ann_tickets ann_look_at_tickets(GLOBAL u8 *ring)
{
    ann_tickets seen;
    seen.reserved = ann_device_load_relaxed_u32(ANN_U32(ring, ANN_DEVICE_LOCAL_RESERVED));
    /* The last, for what comes behind it waits for it. SYNC: device-local-returned (acquire) */
    seen.consumed = ann_device_load_acquire_u32(ANN_U32(ring, ANN_DEVICE_LOCAL_CONSUMED));
    return seen;
}

/* Takes up to `want` tickets, from *first on, in a ring of the connected kernel. `seen` may be old. Returns
   how many, or ANN_DEVICE_LOCAL_CLOSED if the ring is closed. */
ANN_FUNCTION u32 ann_device_local_reserve(
    LOCAL const ann_link *l, GLOBAL u8 *ring, ann_tickets seen, u32 want, PRIVATE u32 *first)
{
    u32 capacity = (u32)1 << l->shift;
    GLOBAL u32 *word = ANN_U32(ring, ANN_DEVICE_LOCAL_RESERVED);
    u32 is_new = 0;
    for (;;) {
        if ((seen.reserved & ANN_DEVICE_LOCAL_CLOSED) != 0)
            return ANN_DEVICE_LOCAL_CLOSED;
        u32 used = (seen.reserved - seen.consumed) & ANN_DEVICE_LOCAL_TICKETS;
        /* More than a whole ring: since `reserved` was read, others have taken tickets, and their messages
           were consumed. */
        if (used > capacity || (used == capacity && !is_new)) {
            seen = ann_look_at_tickets(ring);
            is_new = 1;
            continue;
        }
        u32 room = capacity - used;
        u32 granted = want < room ? want : room;
        if (granted == 0)
            return 0;
        u32 found = ann_device_local_swap_if_u32(word, seen.reserved, (seen.reserved + granted) & ANN_DEVICE_LOCAL_TICKETS);
        if (found == seen.reserved) {
            *first = found;
            return granted;
        }
        seen.reserved = found;
        is_new = 0;
    }
}

ANN_FUNCTION GLOBAL u8 *ann_device_local_slot(LOCAL const ann_link *l, GLOBAL u8 *ring, u32 ticket)
{
    return ring + ANN_RING_SLOTS + (ticket & (((u32)1 << l->shift) - 1)) * l->slot_stride;
}

#if ANN_LAUNCH_VARIANTS

/* Says which variant of the connected kernel's message takes the output: an enum begins with its tag, and is
   aligned for it. */
ANN_FUNCTION void ann_store_tag(GLOBAL u8 *place, u32 tag, u32 bytes)
{
    if (bytes == 4)
        *(GLOBAL u32 *)place = tag;
    else if (bytes == 2)
        *(GLOBAL u16 *)place = (u16)tag;
    else
        *place = (u8)tag;
}

/* Copies eight bytes of an output, or as many as are left of it. What a variant holds is aligned for itself alone,
   and need not end with a word. */
ANN_FUNCTION void ann_copy_part(LOCAL const ann_link *l, GLOBAL u8 *to, GLOBAL const u8 *from, u32 left)
{
    if (left >= 8 && (l->payload & 7) == 0) {
        ann_store_word(to, ann_load_word(from));
        return;
    }
    u32 count = left < 8 ? left : 8;
    if (((l->payload | count) & 3) == 0) {
        for (u32 at = 0; at < count; at += 4)
            *(GLOBAL u32 *)(to + at) = *(GLOBAL const u32 *)(from + at);
        return;
    }
    for (u32 at = 0; at < count; at++)
        to[at] = from[at];
}

#define ANN_COPY_PART(l, to, from, left) ann_copy_part(l, to, from, left)

#else

#define ANN_COPY_PART(l, to, from, left) ann_store_word(to, ann_load_word(from))

#endif

#if ANN_LAUNCH_TRACED
#define ANN_TRACE_PARAMETER , u64 trace
#define ANN_TRACE_ARGUMENT(output) , ANN_TRACE_OF(output)
#else
#define ANN_TRACE_PARAMETER
#define ANN_TRACE_ARGUMENT(output)
#endif
#if ANN_LAUNCH_CAUSAL
#define ANN_CARRIED_PARAMETERS ANN_TRACE_PARAMETER, u64 stamp
#define ANN_CARRIED_ARGUMENTS(output) ANN_TRACE_ARGUMENT(output), ANN_STAMP_OF(output)
#else
#define ANN_CARRIED_PARAMETERS ANN_TRACE_PARAMETER
#define ANN_CARRIED_ARGUMENTS(output) ANN_TRACE_ARGUMENT(output)
#endif

/* Writes all of a slot except its payload and its commit word. */
ANN_FUNCTION void ann_device_local_envelope(
    LOCAL const ann_link *l, GLOBAL u8 *slot, u32 bytes, u64 now ANN_CARRIED_PARAMETERS)
{
    if (l->time != 0)
        *ANN_U64(slot, l->time) = now;
    if (l->correlation != 0)
        *ANN_U64(slot, l->correlation) = 0;
#if ANN_LAUNCH_TRACED
    if (l->trace != 0)
        *ANN_U64(slot, l->trace) = trace;
#endif
#if ANN_LAUNCH_CAUSAL
    if (l->stamp != 0)
        *ANN_U64(slot, l->stamp) = stamp;
#endif
#if ANN_LAUNCH_VARIANTS
    if (l->tag_bytes != 0) {
        bytes = l->bytes;
        ann_store_tag(slot + l->tag_place, l->tag, l->tag_bytes);
    }
#endif
    *ANN_U32(slot, 4) = ANN_KIND_MESSAGE << 24 | bytes;
}

/* The lap of a ticket in a ring of the connected kernel. */
ANN_FUNCTION u32 ann_device_local_lap(LOCAL const ann_link *l, u32 ticket)
{
    return ((ticket & ANN_DEVICE_LOCAL_TICKETS) >> l->shift) + 1;
}

/* Publishes an open slot, after this thread has fenced. */
ANN_FUNCTION void ann_device_local_commit(LOCAL const ann_link *l, GLOBAL u8 *slot, u32 ticket)
{
    ann_device_store_relaxed_u32(ANN_U32(slot, 0), ann_device_local_lap(l, ticket));
}

/* Units of the connected kernel's slots, if they are sealed; else 0. */
#if ANN_LAUNCH_SEALS
#define ANN_SEALED_UNITS(link) ((link)->units)
#else
#define ANN_SEALED_UNITS(link) 0
#endif

/* Called before messages are published. A block that tells late takes back that it rests, and tells the count
   with its other counts (`books.c`); else the count is told here. A block that has said that it waits is
   about to go on, although the word that says so is still set. So it takes back that it rests, and then tells
   the count: whoever sees these messages counted does not believe that the block waits. Returns whether something
   was told that who takes a message must see before it rests itself. */
/* TWIN: begin_to_move */
ANN_FUNCTION u32 ann_count_forwarded(PRIVATE const ann_view *v, u32 count)
{
    LOCAL ann_shared *b = v->shared;
    LOCAL ann_state *s = &b->state;
    s->forwarded += count;
#if ANN_DEFERS
    u32 rests = b->rests;
    b->rests = 0;
    if (!s->stalled) {
        /* Before the messages are published: whoever sees that they were taken sees it. */
        if (rests) {
            b->rested -= 1;
            ann_store_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_RESTED), b->rested);
        }
        return rests;
    }
#else
    if (!s->stalled) {
#if defined(ANN_PORTS) && ANN_LAUNCH_THREADS == 1
        ann_store_ports(v);
#elif defined(ANN_ROWS)
        ann_store_copies(v);
#endif
        ann_store_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_FORWARDED), s->forwarded);
        return 1;
    }
#endif
    b->rested = s->taken - 1;
    ann_store_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_RESTED), b->rested);
#if defined(ANN_PORTS) && ANN_LAUNCH_THREADS == 1
    /* SYNC: unrested (release) */
    ann_fence_release();
    ann_store_ports(v);
#elif defined(ANN_ROWS)
    /* SYNC: unrested (release) */
    ann_fence_release();
    ann_store_copies(v);
#endif
    /* SYNC: unrested (release) */
    ann_store_release_u64(ANN_U64(v->shard, ANN_CONTROL_FORWARDED), s->forwarded);
    return 1;
}

#ifdef ANN_PORTS
ANN_FUNCTION void ann_count_unforwarded_of(PRIVATE const ann_view *v, u32 port, u32 count)
{
    LOCAL ann_port *p = &v->shared->ports[port];
    p->unforwarded += count;
    ann_store_relaxed_u64(ANN_U64(ann_port_counts(v, port), ANN_PORT_UNFORWARDED), p->unforwarded);
}
#endif

ANN_FUNCTION void ann_count_unforwarded(PRIVATE const ann_view *v, u32 count)
{
    v->shared->state.unforwarded += count;
#if ANN_LAUNCH_THROUGH
    /* It may be all that tells of a call that was lost with them: who sees it sees how the call has ended.
       SYNC: unforwarded (release) */
    ann_store_release_u64(ANN_U64(v->shard, ANN_CONTROL_UNFORWARDED), v->shared->state.unforwarded);
    ann_tell(v, 0);
#else
    ann_store_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_UNFORWARDED), v->shared->state.unforwarded);
#endif
}

/* Whether a block of the connected kernel has room for an output now, or is closed. */
ANN_FUNCTION u32 ann_has_room(PRIVATE const ann_view *v, LOCAL const ann_link *l, u32 block)
{
    GLOBAL u8 *ring = ann_ring_of(v, l, block);
    u32 reserved = ann_device_load_relaxed_u32(ANN_U32(ring, ANN_DEVICE_LOCAL_RESERVED));
    u32 consumed = ann_device_load_relaxed_u32(ANN_U32(ring, ANN_DEVICE_LOCAL_CONSUMED));
    u32 capacity = (u32)1 << l->shift;
    return (reserved & ANN_DEVICE_LOCAL_CLOSED) != 0 || ((reserved - consumed) & ANN_DEVICE_LOCAL_TICKETS) < capacity;
}

/* Whether the host has room for a pending output of a kernel that is disconnected. */
ANN_FUNCTION u32 ann_would_return(PRIVATE const ann_view *v)
{
    LOCAL ann_state *s = &v->shared->state;
    /* SYNC: slots-returned (acquire) */
    s->out_seen = ann_load_acquire_u64(ANN_U64(v->outbound, ANN_RING_CONSUMED));
    return s->next_out - s->out_seen < (u64)1 << v->shared->launch.out_shift;
}

/* By the leader: says in the control block whether outputs wait for room, so that a host that sees room wakes
   this block. Not before what the turn has taken is counted: a host that sees the block wait sees how full
   its ring is (SYNC: stalled-after-taken). */
/* TWIN: publish_pending */
ANN_FUNCTION void ann_publish_pending(PRIVATE const ann_view *v)
{
    LOCAL ann_state *s = &v->shared->state;
#if ANN_LAUNCH_HOLD
    u32 by = s->pending == 0 ? 0 : ann_is_held_up(v) ? ANN_STALLED_BY_KERNEL : ANN_STALLED_HOLDS;
    /* The host's room is looked for when a message is there. */
    if (by == s->stalled || (ANN_WAITS_FOR_HOST(s) && by != ANN_STALLED_BY_KERNEL && v->shared->taken == 0))
        return;
    s->stalled = by;
    if (by == ANN_STALLED_BY_KERNEL)
        ann_at_stall(v, by);
    /* As below. SYNC: stalled-after-taken (release) */
    ann_store_release_u32(ANN_U32(v->shard, ANN_CONTROL_STALLED), by);
    if (v->shared->taken == 0)
        ann_tell(v, 0);
#else
    u32 stalled = s->pending != 0;
    if (stalled == (s->stalled != 0))
        return;
    s->stalled = stalled;
    if (stalled)
        ann_at_stall(v, ANN_STALLED_BY_KERNEL);
    /* Who sees that nothing is held any more sees it counted as forwarded; who sees that something is, sees
       what was taken. SYNC: stalled-after-taken (release) */
    ann_store_release_u32(ANN_U32(v->shard, ANN_CONTROL_STALLED), stalled ? ANN_STALLED_BY_KERNEL : 0);
#endif
}

/* By the leader: keeps the `left` outputs pending after all pending outputs were offered. */
ANN_FUNCTION void ann_keep_pending(PRIVATE const ann_view *v, u32 left)
{
    LOCAL ann_state *s = &v->shared->state;
    if (left == 0) {
        s->pending = 0;
        s->pending_from = 0;
    }
#ifdef ANN_PORTS
    ann_store_held(v);
#endif
    /* Otherwise this is done when the turn has counted what it took. */
    if (v->shared->taken == 0)
        ann_publish_pending(v);
}

/* By the leader of a disconnected kernel: puts a pending output into the ring to the host, if there is room.
   */
ANN_FUNCTION u32 ann_return(PRIVATE const ann_view *v, u32 place)
{
    LOCAL ann_launch *l = &v->shared->launch;
    LOCAL ann_state *s = &v->shared->state;
    u64 capacity = (u64)1 << l->out_shift;
    if (s->next_out - s->out_seen >= capacity) {
        /* SYNC: slots-returned (acquire) */
        s->out_seen = ann_load_acquire_u64(ANN_U64(v->outbound, ANN_RING_CONSUMED));
        if (s->next_out - s->out_seen >= capacity)
            return 0;
    }
    GLOBAL u8 *slot = ann_out_slot(v, s->next_out);
    GLOBAL const u8 *output = v->outputs + (u64)place * ANN_OUTPUT_STRIDE;
    u32 meta = ANN_KIND_MESSAGE << 24 | ANN_OUTPUT_BYTES;
#if ANN_LAUNCH_SEALED
    for (u32 unit = 0; unit < l->out_units; unit++)
        ann_store_answer_unit(v, s->next_out, unit, meta, output);
#endif
    if (!ANN_LAUNCH_SEALED || l->out_units == 0) {
        if (ANN_OUTPUT_BYTES != 0)
            *(GLOBAL ANN_OUTPUT *)(slot + l->out_payload) = *(GLOBAL const ANN_OUTPUT *)output;
#if ANN_LAUNCH_TRACED
        *ANN_U64(slot, l->out_trace) = *(GLOBAL const u64 *)(output + ANN_OUTPUT_SPAN);
#endif
#if ANN_LAUNCH_CAUSAL
        *ANN_U64(slot, l->out_stamp) = *(GLOBAL const u64 *)(output + ANN_OUTPUT_SPAN + ANN_LAUNCH_TRACED * 8);
#endif
        *ANN_U32(slot, 4) = meta;
        /* SYNC: slot-published (release) */
        ann_store_release_u32(ANN_U32(slot, 0), (u32)(s->next_out >> l->out_shift) + 1);
    }
#if ANN_LAUNCH_THROUGH
    ann_lose(v, v->outputs + (u64)place * ANN_OUTPUT_STRIDE);
#endif
    s->next_out += 1;
    /* SYNC: gauge (release) */
    ann_store_release_u64(ANN_U64(v->outbound, ANN_RING_RESERVED), s->next_out);
    v->shared->granted += 1;
    ann_tell(v, 0);
    return 1;
}

#endif

#endif

/* Distance between slots of the ring that the turn takes from. */
ANN_FUNCTION u64 ann_turn_stride(PRIVATE const ann_view *v)
{
#if ANN_LAUNCH_CONNECTABLE
    if (v->shared->device_local)
        return v->shared->launch.device_local_slot;
#endif
    return v->shared->launch.in_stride;
}

/* The slot of the turn's i-th message. */
ANN_FUNCTION GLOBAL u8 *ann_turn_slot(PRIVATE const ann_view *v, u32 i)
{
#if ANN_LAUNCH_CONNECTABLE
    if (v->shared->device_local)
        return ann_device_local_in_slot(v, ann_device_local_next(v) + i);
#endif
    return ann_in_slot(v, v->shared->state.next_in + i);
}
