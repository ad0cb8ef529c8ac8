/* The block: messages between kernels of one device. The protocol is described in `PROTOCOL.md`. */

#if ANN_LAUNCH_CONNECTABLE

/* Number of looks at the device-local ring for each look at the host's words, while both are empty. */
#define ANN_DEVICE_LOCAL_LOOKS 4
/* Number of turns in a row that may take from other kernels before the block looks at the host's words again.
   */
#define ANN_DEVICE_LOCAL_TURNS 8

/* By the leader of a block that found nothing: tells the host how many messages it has taken, after
   everything that it has done. */
/* TWIN: rest */
ANN_FUNCTION void ann_rest(const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    if (b->rested == b->state.taken)
        return;
    b->rested = b->state.taken;
    /* SYNC: rested (release) */
    ann_store_release_u64(ANN_U64(v->shard, ANN_CONTROL_RESTED), b->rested);
    ann_tell(v, 0);
}

#ifdef ANN_OUTPUT

ANN_FUNCTION GLOBAL u8 *ann_ring_of(const ann_view *v, u32 block)
{
    LOCAL ann_link *l = &v->shared->link;
    return ann_device_local_at(v->device_heap, l->rings + block * l->stride);
}

/* Takes up to `want` tickets, from *first on, in a ring of the connected kernel. Returns how many, or
   ANN_DEVICE_LOCAL_CLOSED if the ring is closed. */
ANN_FUNCTION u32 ann_device_local_reserve(const ann_view *v, GLOBAL u8 *ring, u32 want, PRIVATE u32 *first)
{
    u32 capacity = (u32)1 << v->shared->link.shift;
    GLOBAL u32 *word = ANN_U32(ring, ANN_DEVICE_LOCAL_RESERVED);
    u32 reserved = ann_device_local_load_relaxed_u32(word);
    for (;;) {
        if ((reserved & ANN_DEVICE_LOCAL_CLOSED) != 0)
            return ANN_DEVICE_LOCAL_CLOSED;
        /* SYNC: device-local-returned (acquire) */
        u32 consumed = ann_device_local_load_acquire_u32(ANN_U32(ring, ANN_DEVICE_LOCAL_CONSUMED));
        u32 used = (reserved - consumed) & ANN_DEVICE_LOCAL_TICKETS;
        if (used > capacity) {
            /* Since `reserved` was read, others have taken tickets, and their messages were consumed. */
            reserved = ann_device_local_load_relaxed_u32(word);
            continue;
        }
        u32 room = capacity - used;
        u32 granted = want < room ? want : room;
        if (granted == 0)
            return 0;
        u32 found = ann_device_local_swap_if_u32(word, reserved, (reserved + granted) & ANN_DEVICE_LOCAL_TICKETS);
        if (found == reserved) {
            *first = reserved;
            return granted;
        }
        reserved = found;
    }
}

ANN_FUNCTION GLOBAL u8 *ann_device_local_slot(const ann_view *v, GLOBAL u8 *ring, u32 ticket)
{
    LOCAL ann_link *l = &v->shared->link;
    return ring + ANN_RING_SLOTS + (ticket & (((u32)1 << l->shift) - 1)) * l->slot_stride;
}

/* Writes all of a slot except its payload and its commit word. */
ANN_FUNCTION void ann_device_local_envelope(const ann_view *v, GLOBAL u8 *slot, u64 now)
{
    LOCAL ann_link *l = &v->shared->link;
    if (l->time != 0)
        *ANN_U64(slot, l->time) = now;
    if (l->correlation != 0)
        *ANN_U64(slot, l->correlation) = 0;
    *ANN_U32(slot, 4) = ANN_KIND_MESSAGE << 24 | ANN_OUTPUT_BYTES;
}

/* Publishes a slot, after this thread has fenced. */
ANN_FUNCTION void ann_device_local_commit(const ann_view *v, GLOBAL u8 *slot, u32 ticket)
{
    u32 lap = ((ticket & ANN_DEVICE_LOCAL_TICKETS) >> v->shared->link.shift) + 1;
    ann_device_local_store_relaxed_u32(ANN_U32(slot, 0), lap);
}

/* Called before messages are published, so whoever sees that one was taken sees it counted here. A block that
   has said that it waits is about to go on, although the word that says so is still set. So it first takes
   back that it rests: whoever sees these messages counted does not believe that the block waits. */
/* TWIN: begin_to_move */
ANN_FUNCTION void ann_count_forwarded(const ann_view *v, u32 count)
{
    LOCAL ann_shared *b = v->shared;
    LOCAL ann_state *s = &b->state;
    s->forwarded += count;
    if (!s->stalled) {
        ann_store_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_FORWARDED), s->forwarded);
        return;
    }
    b->rested = s->taken - 1;
    ann_store_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_RESTED), b->rested);
    /* SYNC: unrested (release) */
    ann_store_release_u64(ANN_U64(v->shard, ANN_CONTROL_FORWARDED), s->forwarded);
}

ANN_FUNCTION void ann_count_unforwarded(const ann_view *v, u32 count)
{
    v->shared->state.unforwarded += count;
    ann_store_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_UNFORWARDED), v->shared->state.unforwarded);
}

/* Whether a block of the connected kernel has room for an output now, or is closed. */
ANN_FUNCTION u32 ann_has_room(const ann_view *v, u32 block)
{
    GLOBAL u8 *ring = ann_ring_of(v, block);
    u32 reserved = ann_device_local_load_relaxed_u32(ANN_U32(ring, ANN_DEVICE_LOCAL_RESERVED));
    u32 consumed = ann_device_local_load_relaxed_u32(ANN_U32(ring, ANN_DEVICE_LOCAL_CONSUMED));
    u32 capacity = (u32)1 << v->shared->link.shift;
    return (reserved & ANN_DEVICE_LOCAL_CLOSED) != 0 || ((reserved - consumed) & ANN_DEVICE_LOCAL_TICKETS) < capacity;
}

/* Whether the host has room for a pending output of a kernel that is disconnected. */
ANN_FUNCTION u32 ann_would_return(const ann_view *v)
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
ANN_FUNCTION void ann_publish_pending(const ann_view *v)
{
    LOCAL ann_state *s = &v->shared->state;
    u32 stalled = s->pending != 0;
    if (stalled == (s->stalled != 0))
        return;
    s->stalled = stalled;
    /* Who sees that nothing is held any more sees it counted as forwarded; who sees that something is, sees
       what was taken. SYNC: stalled-after-taken (release) */
    ann_store_release_u32(ANN_U32(v->shard, ANN_CONTROL_STALLED), stalled ? ANN_STALLED_BY_KERNEL : 0);
}

/* By the leader: keeps the `left` outputs pending after all pending outputs were offered. */
ANN_FUNCTION void ann_hold(const ann_view *v, u32 left)
{
    LOCAL ann_state *s = &v->shared->state;
    if (left == 0) {
        s->pending = 0;
        s->pending_from = 0;
    }
    /* Otherwise this is done when the turn has counted what it took. */
    if (v->shared->taken == 0)
        ann_publish_pending(v);
}

/* By the leader of a disconnected kernel: puts a pending output into the ring to the host, if there is room.
   */
ANN_FUNCTION u32 ann_return(const ann_view *v, u32 place)
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
        *ANN_U32(slot, 4) = meta;
        /* SYNC: slot-published (release) */
        ann_store_release_u32(ANN_U32(slot, 0), (u32)(s->next_out >> l->out_shift) + 1);
    }
    s->next_out += 1;
    /* SYNC: gauge (release) */
    ann_store_release_u64(ANN_U64(v->outbound, ANN_RING_RESERVED), s->next_out);
    v->shared->granted += 1;
    ann_tell(v, 0);
    return 1;
}

#if ANN_LAUNCH_THREADS == 1

/* The block of the connected kernel that the pending output at `place` is for. */
ANN_FUNCTION u32 ann_addressee(const ann_view *v, u32 place)
{
#ifdef ANN_OUTPUT_KEY
    GLOBAL const ANN_OUTPUT *output =
        (GLOBAL const ANN_OUTPUT *)(v->outputs + (u64)place * ANN_OUTPUT_STRIDE);
    return (u32)(ANN_OUTPUT_KEY(output) % v->shared->link.grid);
#else
    /* The kernel may have been connected before to a kernel with more blocks. */
    return v->shared->state.dealt % v->shared->link.grid;
#endif
}

/* Sends as many pending outputs as there is room for, in order. Outputs in a row for the same block go in one
   step. */
/* TWIN: deliver */
ANN_FUNCTION void ann_forward(const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    LOCAL ann_state *s = &b->state;
    u32 grid = b->link.grid;
    u32 full = 0; /* blocks in a row that did not take outputs without a key; */
    u32 closed = 0; /* those of them that never will */
    /* Of an inactive block nothing leaves: the host may be about to say where it goes. */
    if (s->pending == 0 || (s->command & ANN_ACTIVE) == 0)
        return;
    u64 now = b->link.time != 0 ? ann_now(v) : 0;
    while (s->pending_from < s->pending) {
        if (grid == 0) {
            if (!ann_return(v, s->pending_from))
                break;
            s->pending_from += 1;
            continue;
        }
        u32 left = s->pending - s->pending_from;
        u32 block = ann_addressee(v, s->pending_from);
#ifdef ANN_OUTPUT_KEY
        u32 want = 1;
        while (want < left && ann_addressee(v, s->pending_from + want) == block)
            want++;
#else
        u32 want = (left + grid - 1) / grid;
        s->dealt = block + 1 < grid ? block + 1 : 0;
#endif
        u32 first = 0;
        GLOBAL u8 *ring = ann_ring_of(v, block);
        u32 granted = ann_device_local_reserve(v, ring, want, &first);
        if (granted == 0 || granted == ANN_DEVICE_LOCAL_CLOSED) {
#ifndef ANN_OUTPUT_KEY
            /* Another block may have room for it. */
            full += 1;
            closed += granted == ANN_DEVICE_LOCAL_CLOSED;
            if (full < grid)
                continue;
            want = left;
            granted = closed == grid ? ANN_DEVICE_LOCAL_CLOSED : 0;
            full = 0;
            closed = 0;
#endif
            if (granted == 0 && b->link.waits)
                break;
            ann_count_unforwarded(v, want);
            s->pending_from += want;
            b->lost += want;
            continue;
        }
        full = 0;
        closed = 0;
        ann_count_forwarded(v, granted);
        for (u32 i = 0; i < granted; i++) {
            GLOBAL u8 *slot = ann_device_local_slot(v, ring, first + i);
            GLOBAL const u8 *output = v->outputs + (u64)(s->pending_from + i) * ANN_OUTPUT_STRIDE;
            if (ANN_OUTPUT_BYTES != 0)
                *(GLOBAL ANN_OUTPUT *)(slot + b->link.payload) = *(GLOBAL const ANN_OUTPUT *)output;
            ann_device_local_envelope(v, slot, now);
        }
        /* SYNC: device-local-published (release) */
        ann_device_local_fence_release();
        for (u32 i = 0; i < granted; i++)
            ann_device_local_commit(v, ann_device_local_slot(v, ring, first + i), first + i);
        s->pending_from += granted;
        b->granted += granted;
    }
    ann_hold(v, s->pending - s->pending_from);
}

/* Whether the connected kernel has room for a pending output. */
ANN_FUNCTION u32 ann_has_room_for_held(const ann_view *v)
{
#ifdef ANN_OUTPUT_KEY
    return ann_has_room(v, ann_addressee(v, v->shared->state.pending_from));
#else
    for (u32 block = 0; block < v->shared->link.grid; block++)
        if (ann_has_room(v, block))
            return 1;
    return 0;
#endif
}

/* Outputs that have not gone. */
ANN_FUNCTION u32 ann_on_the_way(const ann_view *v)
{
    return v->shared->state.pending - v->shared->state.pending_from;
}

/* By the leader of a kernel that is connected no more: what is held goes to the host, as far as it has room.
   */
/* TWIN: publish_rest */
ANN_FUNCTION void ann_return_held(const ann_view *v)
{
    LOCAL ann_state *s = &v->shared->state;
    while (s->pending_from < s->pending && ann_return(v, s->pending_from))
        s->pending_from += 1;
}

#else

/* The state of a pending output. */
typedef struct {
    u32 source; /* its place among the turn's outputs; ANN_GONE once it has gone, or was lost */
    u32 block;  /* of the connected kernel */
    u32 rank;   /* how many before it are for the same block */
    u32 last;   /* the last of those for the same block, which asks for all of them; */
    u32 first;  /* it has their first ticket */
    u32 granted; /* and how many there are, or ANN_DEVICE_LOCAL_CLOSED */
} ann_parcel;

#define ANN_GONE 0xFFFFFFFFu

ANN_FUNCTION GLOBAL ann_parcel *ann_parcel_at(const ann_view *v, u32 i)
{
    return (GLOBAL ann_parcel *)v->parcels + i;
}

/* Each thread finds the receiving blocks for its share of the outputs. */
ANN_FUNCTION void ann_address(const ann_view *v, u32 pending)
{
    LOCAL ann_shared *b = v->shared;
    u32 grid = b->link.grid;
    if (grid == 0)
        return;
    u32 run = (pending + grid - 1) / grid;
    for (u32 k = ann_thread(); k < pending; k += ANN_LAUNCH_THREADS) {
        GLOBAL ann_parcel *parcel = ann_parcel_at(v, k);
        if (parcel->source == ANN_GONE)
            continue;
#ifdef ANN_OUTPUT_KEY
        GLOBAL const ANN_OUTPUT *output =
            (GLOBAL const ANN_OUTPUT *)(v->outputs + (u64)parcel->source * ANN_OUTPUT_STRIDE);
        parcel->block = (u32)(ANN_OUTPUT_KEY(output) % grid);
#else
        parcel->block = (b->state.dealt + k / run) % grid;
#endif
    }
}

/* Each thread numbers its share of the outputs among those for the same block. The thread that has the last
   output for a block takes the tickets for all of them. */
ANN_FUNCTION void ann_ask(const ann_view *v, u32 pending)
{
    LOCAL ann_shared *b = v->shared;
    if (b->link.grid == 0)
        return;
    for (u32 k = ann_thread(); k < pending; k += ANN_LAUNCH_THREADS) {
        GLOBAL ann_parcel *parcel = ann_parcel_at(v, k);
        if (parcel->source == ANN_GONE)
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
        u32 granted = ann_device_local_reserve(v, ann_ring_of(v, parcel->block), rank + 1, &first);
        parcel->first = first;
        parcel->granted = granted;
        if (granted != ANN_DEVICE_LOCAL_CLOSED)
            ann_count_up_by(&b->granted, granted);
    }
}

/* Whether the output has a ticket. */
ANN_FUNCTION u32 ann_has_ticket(GLOBAL const ann_parcel *parcel, GLOBAL const ann_parcel *last)
{
    return last->granted != ANN_DEVICE_LOCAL_CLOSED && parcel->rank < last->granted;
}

/* Each thread copies its share of the words of outputs that have tickets, and writes its share of their
   envelopes. */
ANN_FUNCTION void ann_load_up(const ann_view *v, u32 pending)
{
    LOCAL ann_shared *b = v->shared;
    if (b->link.grid == 0)
        return;
    u32 words = ANN_OUTPUT_STRIDE != 0 ? ANN_OUTPUT_STRIDE / 8 : 1;
    u32 all = pending * (ANN_OUTPUT_STRIDE / 8);
    for (u32 word = ann_thread(); word < all; word += ANN_LAUNCH_THREADS) {
        GLOBAL const ann_parcel *parcel = ann_parcel_at(v, word / words);
        if (parcel->source == ANN_GONE)
            continue;
        GLOBAL const ann_parcel *last = ann_parcel_at(v, parcel->last);
        if (!ann_has_ticket(parcel, last))
            continue;
        u64 at = word % words * 8;
        GLOBAL u8 *slot = ann_device_local_slot(v, ann_ring_of(v, parcel->block), last->first + parcel->rank);
        GLOBAL const u8 *output = v->outputs + (u64)parcel->source * ANN_OUTPUT_STRIDE;
        ann_store_word(slot + b->link.payload + at, ann_load_word(output + at));
    }
    u64 now = pending != 0 && b->link.time != 0 ? ann_now(v) : 0;
    for (u32 k = ann_thread(); k < pending; k += ANN_LAUNCH_THREADS) {
        GLOBAL const ann_parcel *parcel = ann_parcel_at(v, k);
        if (parcel->source == ANN_GONE)
            continue;
        GLOBAL const ann_parcel *last = ann_parcel_at(v, parcel->last);
        if (ann_has_ticket(parcel, last))
            ann_device_local_envelope(
                v, ann_device_local_slot(v, ann_ring_of(v, parcel->block), last->first + parcel->rank), now);
    }
}

/* Each thread publishes its share of the outputs that have tickets, and counts what is lost and what is left.
   */
ANN_FUNCTION void ann_send_off(const ann_view *v, u32 pending)
{
    LOCAL ann_shared *b = v->shared;
    if (b->link.grid == 0)
        return;
    /* SYNC: device-local-published (release): of all that threads of the block wrote before the barrier. */
    if (pending != 0)
        ann_device_local_fence_release();
    for (u32 k = ann_thread(); k < pending; k += ANN_LAUNCH_THREADS) {
        GLOBAL ann_parcel *parcel = ann_parcel_at(v, k);
        if (parcel->source == ANN_GONE)
            continue;
        GLOBAL const ann_parcel *last = ann_parcel_at(v, parcel->last);
        if (ann_has_ticket(parcel, last)) {
            u32 ticket = last->first + parcel->rank;
            ann_device_local_commit(v, ann_device_local_slot(v, ann_ring_of(v, parcel->block), ticket), ticket);
        } else if (last->granted == ANN_DEVICE_LOCAL_CLOSED || !b->link.waits) {
            ann_count_up_by(&b->lost, 1);
        } else {
            ann_count_up_by(&b->left, 1);
            continue;
        }
        parcel->source = ANN_GONE;
    }
}

/* By the leader: counts what is about to be sent. It has its own condition, because PoCL 3.1 lets all threads
   do what stands behind `leader && ...` here. */
ANN_FUNCTION void ann_count_granted(const ann_view *v)
{
    u32 granted = v->shared->granted;
    if (granted != 0 && v->shared->link.grid != 0)
        ann_count_forwarded(v, granted);
}

/* All threads send the pending outputs, as far as there is room. Ends with a barrier. */
ANN_FUNCTION void ann_forward_together(const ann_view *v, u32 leader)
{
    LOCAL ann_shared *b = v->shared;
    /* Of an inactive block nothing leaves: the host may be about to say where it goes. Nor of one that ends.
       */
    u32 pending = (b->state.command & ANN_ACTIVE) != 0 && !b->ending ? b->state.pending : 0;
    ann_address(v, pending);
    ann_barrier();
    ann_ask(v, pending);
    ann_barrier();
    if (leader)
        ann_count_granted(v);
    ann_load_up(v, pending);
    ann_barrier();
    ann_send_off(v, pending);
    ann_barrier();
}

/* By the leader of a kernel that is connected no more: what is held goes to the host, as far as it has room.
   */
ANN_FUNCTION void ann_return_held(const ann_view *v)
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

/* By the leader: updates which outputs are pending now. */
ANN_FUNCTION void ann_settle(const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    LOCAL ann_state *s = &b->state;
    if (s->pending == 0)
        return;
    if (b->link.grid == 0)
        ann_return_held(v);
    if (b->lost != 0)
        ann_count_unforwarded(v, b->lost);
#ifndef ANN_OUTPUT_KEY
    /* Outputs that are left are offered to other blocks. */
    if (b->link.grid != 0)
        s->dealt = (s->dealt + (b->left != 0 ? 1 : b->granted)) % b->link.grid;
#endif
    ann_hold(v, b->left);
}

/* Whether the connected kernel has room for a pending output. */
ANN_FUNCTION u32 ann_has_room_for_held(const ann_view *v)
{
    for (u32 k = 0; k < v->shared->state.pending; k++) {
        GLOBAL const ann_parcel *parcel = ann_parcel_at(v, k);
        if (parcel->source != ANN_GONE && ann_has_room(v, parcel->block))
            return 1;
    }
    return 0;
}

/* Outputs that have not gone. */
ANN_FUNCTION u32 ann_on_the_way(const ann_view *v)
{
    u32 count = 0;
    for (u32 k = 0; k < v->shared->state.pending; k++)
        count += ann_parcel_at(v, k)->source != ANN_GONE;
    return count;
}

#endif

/* Whether a pending output would go now. */
ANN_FUNCTION u32 ann_would_forward(const ann_view *v)
{
    return v->shared->link.grid == 0 ? ann_would_return(v) : ann_has_room_for_held(v);
}

#endif

/* By the leader: from now on no message is taken from the device-local ring, and none is sent. */
/* TWIN: abandon */
ANN_FUNCTION void ann_unlink(const ann_view *v)
{
    LOCAL ann_state *s = &v->shared->state;
    GLOBAL u32 *word = ANN_U32(v->device_local, ANN_DEVICE_LOCAL_RESERVED);
    u32 reserved = ann_device_local_load_relaxed_u32(word);
    for (;;) {
        u32 found = ann_device_local_swap_if_u32(word, reserved, reserved | ANN_DEVICE_LOCAL_CLOSED);
        if (found == reserved)
            break;
        reserved = found;
    }
    u32 unread = (reserved - ann_device_local_next(v)) & ANN_DEVICE_LOCAL_TICKETS;
#ifdef ANN_OUTPUT
    if (v->shared->link.grid == 0)
        ann_return_held(v);
    s->unforwarded += ann_on_the_way(v);
#endif
    s->pending = 0;
    s->pending_from = 0;
    ann_store_relaxed_u32(ANN_U32(v->shard, ANN_CONTROL_UNREAD), unread);
    ann_store_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_UNFORWARDED), s->unforwarded);
    ann_store_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_RESTED), s->taken);
}

#endif

/* Whether the turn takes from the device-local ring. */
ANN_FUNCTION u32 ann_is_device_local(const ann_view *v)
{
#if ANN_LAUNCH_CONNECTABLE
    return v->shared->device_local;
#else
    return 0;
#endif
}

/* Distance between slots of the ring that the turn takes from. Its slots are open. */
ANN_FUNCTION u64 ann_turn_stride(const ann_view *v)
{
#if ANN_LAUNCH_CONNECTABLE
    if (v->shared->device_local)
        return v->shared->launch.device_local_slot;
#endif
    return v->shared->launch.in_stride;
}

/* The slot of the turn's i-th message. */
ANN_FUNCTION GLOBAL u8 *ann_turn_slot(const ann_view *v, u32 i)
{
#if ANN_LAUNCH_CONNECTABLE
    if (v->shared->device_local)
        return ann_device_local_in_slot(v, ann_device_local_next(v) + i);
#endif
    return ann_in_slot(v, v->shared->state.next_in + i);
}
