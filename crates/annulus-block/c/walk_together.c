/* The block: how the leader of several threads walks the rows of a turn's outputs. The others wait at their barrier. */

#if ANN_LAUNCH_CONNECTABLE && defined(ANN_OUTPUT) && defined(ANN_ROWS) && ANN_LAUNCH_THREADS > 1

ANN_FUNCTION GLOBAL u8 *ann_held_at(PRIVATE const ann_view *v, u32 k)
{
    return v->outputs + (u64)ann_parcel_at(v, k)->source * ANN_OUTPUT_STRIDE;
}

/* Copies that have not gone. */
ANN_FUNCTION u64 ann_on_the_way(PRIVATE const ann_view *v)
{
    u64 copies = 0;
    for (u32 k = 0; k < v->shared->state.pending; k++)
        if (ann_parcel_at(v, k)->source != ANN_GONE)
            copies += ann_copies_of(v, ann_held_at(v, k));
    return copies;
}

/* By the leader: sends as many copies as there is room for, one output after the other. */
ANN_FUNCTION void ann_walk_rows(PRIVATE const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    /* Of an inactive block nothing leaves: the host may be about to say where it goes. Nor of one that ends. */
    u32 pending = (b->state.command & ANN_ACTIVE) != 0 && !b->ending ? b->state.pending : 0;
    for (u32 k = 0; k < pending && ANN_IS_LINKED(v); k++) {
        GLOBAL ann_parcel *parcel = ann_parcel_at(v, k);
        if (parcel->source == ANN_GONE)
            continue;
        if (b->left == 0 && ann_walk_row(v, ann_held_at(v, k)))
            parcel->source = ANN_GONE;
        else
            b->left += 1;
    }
}

/* The leader sends the pending outputs, as far as there is room. Ends with a barrier. */
ANN_FUNCTION void ann_forward_together(PRIVATE const ann_view *v, u32 leader, u32 count)
{
    (void)count;
    if (leader)
        ann_walk_rows(v);
    ann_barrier();
}

/* Whether something that is held would go to the connected kernel now. */
ANN_FUNCTION u32 ann_has_room_for_pending(PRIVATE const ann_view *v)
{
    for (u32 k = 0; k < v->shared->state.pending; k++)
        if (ann_parcel_at(v, k)->source != ANN_GONE)
            return ann_would_walk(v, ann_held_at(v, k));
    return 0;
}

/* By the leader: updates which outputs are pending now. */
ANN_FUNCTION void ann_settle(PRIVATE const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    if (b->state.pending == 0)
        return;
    if (!ANN_IS_LINKED(v))
        ann_return_pending(v);
    ann_store_waiting(v, ANN_IS_LINKED(v) ? ann_on_the_way(v) : 0);
    ann_keep_pending(v, b->left);
}

#endif
