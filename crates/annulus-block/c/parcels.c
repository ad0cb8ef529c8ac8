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
        if (ANN_LINK_IS_KEYED(v)) {
            GLOBAL const u8 *output = v->outputs + (u64)parcel->source * ANN_OUTPUT_STRIDE;
            parcel->block = (u32)(ANN_LINK_KEY(v, output) % grid);
        } else {
            parcel->block = (b->state.dealt + k / run) % grid;
        }
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
        GLOBAL u8 *ring = ann_ring_of(v, parcel->block);
        u32 granted = ann_device_local_reserve(v, ring, ann_look_at_tickets(ring), rank + 1, &first);
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
    u32 own = (ANN_LINK_BYTES(v) + 7) / 8;
    u32 words = own != 0 ? own : 1;
    u32 all = pending * own;
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
        ann_store_word(slot + b->link.payload + at, ann_load_word(output + ANN_LINK_OFFSET(v) + at));
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
        ann_device_fence_release();
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
ANN_FUNCTION void ann_return_pending(const ann_view *v)
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
        ann_return_pending(v);
    if (b->lost != 0)
        ann_count_unforwarded(v, b->lost);
    /* Outputs that are left are offered to other blocks. */
    if (!ANN_LINK_IS_KEYED(v) && b->link.grid != 0)
        s->dealt = (s->dealt + (b->left != 0 ? 1 : b->granted)) % b->link.grid;
    ann_keep_pending(v, b->left);
}

/* Whether the connected kernel has room for a pending output. */
ANN_FUNCTION u32 ann_has_room_for_pending(const ann_view *v)
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
