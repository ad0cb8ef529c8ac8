/* The block: turns in step, where the launch asks for supersteps. Its protocol is described in `PROTOCOL.md`.
   */

#ifdef ANN_LAUNCH_SUPERSTEPS

/* A block's vote. The result of all votes uses the same bits. */
#define ANN_STEP_END 1u  /* it wants to end; all do */
#define ANN_STEP_BUSY 2u /* it has done something, or is about to; somebody has */
#define ANN_STEP_LOST 4u /* its host is gone; somebody's is */
#ifdef ANN_LAUNCH_ROUNDS
#define ANN_STEP_NEXT 32u
#else
#define ANN_STEP_NEXT 8u
#endif

/* What the blocks of a kernel share. Twin of `StepRecord`. */
typedef struct {
    u32 arrived; /* blocks that have come since it was opened last */
    u32 goes_on; /* one of them does not want to end */
    u32 busy;    /* one of them has done something */
    u32 lost;    /* one of them has no host */
    u32 open;    /* the part of one of them of the round is open */
    u32 more;    /* one of them has something for the next round */
    u32 arrived_padding[26];
    u32 opened; /* in steps of ANN_STEP_NEXT, and what came of the votes */
    u32 opened_padding[31];
} ann_step_record;

typedef char ann_step_record_is_256_bytes[sizeof(ann_step_record) == 256 ? 1 : -1];

/* By the leader, before its block's first turn. No barrier can open meanwhile, whatever other blocks do. */
ANN_FUNCTION void ann_begin_steps(PRIVATE const ann_view *v, GLOBAL ann_step_record *steps)
{
    LOCAL ann_shared *b = v->shared;
    b->opened = ann_device_load_relaxed_u32(&steps->opened);
    b->gone = 0;
    b->over = 0;
#ifdef ANN_LAUNCH_ROUNDS
    ann_load_round(v);
#endif
}

/* By the leader: ends the block without its host. */
ANN_FUNCTION void ann_end_without_host(PRIVATE const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    b->gone = 1;
    if ((b->state.command & ANN_TERMINATE) == 0)
        ann_give_up(v);
}

/* By the leader, for its block: comes to the barrier, waits for all others, and returns the result of all
   votes. If the host says that others do not run, the block gives up. */
ANN_FUNCTION u32 ann_grid_barrier(PRIVATE const ann_view *v, GLOBAL ann_step_record *steps, u32 vote)
{
    LOCAL ann_shared *b = v->shared;
    u32 before = b->opened;
    if (b->launch.grid == 1)
        ann_at_nothing(v);
    else
        ann_at_barrier(v);
    if ((vote & ANN_STEP_END) == 0)
        ann_device_store_relaxed_u32(&steps->goes_on, 1);
    if ((vote & ANN_STEP_BUSY) != 0)
        ann_device_store_relaxed_u32(&steps->busy, 1);
    if ((vote & ANN_STEP_LOST) != 0)
        ann_device_store_relaxed_u32(&steps->lost, 1);
#ifdef ANN_LAUNCH_ROUNDS
    if ((vote & ANN_STEP_OPEN) != 0)
        ann_device_store_relaxed_u32(&steps->open, 1);
    if ((vote & ANN_STEP_MORE) != 0)
        ann_device_store_relaxed_u32(&steps->more, 1);
#endif
    /* SYNC: arrived (release, and acquire by the last) */
    if (ann_arrive_grid(&steps->arrived) + 1 == b->launch.grid) {
        u32 outcome = ann_device_load_relaxed_u32(&steps->goes_on) != 0 ? 0 : ANN_STEP_END;
        if (ann_device_load_relaxed_u32(&steps->busy) != 0)
            outcome |= ANN_STEP_BUSY;
        if (ann_device_load_relaxed_u32(&steps->lost) != 0)
            outcome |= ANN_STEP_LOST;
        ann_device_store_relaxed_u32(&steps->arrived, 0);
        ann_device_store_relaxed_u32(&steps->goes_on, 0);
        ann_device_store_relaxed_u32(&steps->busy, 0);
#ifdef ANN_LAUNCH_ROUNDS
        if (ann_device_load_relaxed_u32(&steps->open) != 0)
            outcome |= ANN_STEP_OPEN;
        else if (ann_device_load_relaxed_u32(&steps->more) != 0)
            outcome |= ANN_STEP_MORE | ANN_STEP_BUSY;
        ann_device_store_relaxed_u32(&steps->open, 0);
        ann_device_store_relaxed_u32(&steps->more, 0);
#endif
        b->opened = ((before & ~(ANN_STEP_NEXT - 1)) + ANN_STEP_NEXT) | outcome;
        /* SYNC: opened (release) */
        ann_device_store_release_u32(&steps->opened, b->opened);
        return outcome;
    }
    u32 looks = 0;
    do {
        looks += 1;
        ann_pause();
        if ((looks & 15) == 0)
            ann_yield();
        if ((looks & 1023) == 0 && ann_load_relaxed_u32(&v->record->abandoned) == v->record->epoch) {
            ann_end_without_host(v);
            return ANN_STEP_END;
        }
        /* SYNC: opened (acquire) */
        b->opened = ann_device_load_acquire_u32(&steps->opened);
    } while (b->opened == before);
    return b->opened & (ANN_STEP_NEXT - 1);
}

/* Naps until the host ends the nap, another block has come to the barrier, or other kernels have something
   for the block. Returns 1 if the nap ran its whole time. */
ANN_FUNCTION u32 ann_nap_among(PRIVATE const ann_view *v, GLOBAL ann_step_record *steps, u32 seen, u32 micros)
{
    u32 alone = v->shared->launch.grid == 1;
    u32 part = micros;
#if ANN_LAUNCH_CONNECTABLE
    if ((v->shared->state.command & ANN_ACTIVE) != 0)
        part = ANN_DEVICE_LOCAL_NAP;
#endif
    for (u32 passed = 0; passed < micros; passed += part) {
        u32 whole = alone ? ann_nap(&v->record->wake, seen, part)
                          : ann_nap_beside(&v->record->wake, seen, &steps->arrived, part);
        if (!whole)
            return 0;
#if ANN_LAUNCH_CONNECTABLE
        if (ann_has_device_local_work(v))
            return 0;
#endif
    }
    return 1;
}

/* By the leader of a staying block that found nothing: waits until it is called, another block has come to
   the barrier, or the time is up. Returns whether the block has something to do after all. */
ANN_FUNCTION u32 ann_nap_in_step(PRIVATE const ann_view *v, GLOBAL ann_step_record *steps)
{
    LOCAL ann_shared *b = v->shared;
    u32 seen = ann_load_relaxed_u32(&v->record->wake);
    ann_at_rest(v);
    ann_store_relaxed_u32(&v->record->asleep, 1);
    /* SYNC: asleep, nap-ended (acquire) */
    ann_fence_all();
    /* The first block is the first to wake by itself, and checks whether the host lives. The others' naps end
       with its own. */
    u32 micros = b->launch.nap_micros * (ann_block(v) == 0 ? 1 : 2);
    u32 work = !b->ending && ann_has_work(v);
    u32 undisturbed = 0;
    if (!work)
        undisturbed = ann_nap_among(v, steps, seen, micros);
    ann_store_relaxed_u32(&v->record->asleep, 0);
    if (undisturbed && ann_host_is_gone(v))
        ann_end_without_host(v);
#if ANN_LAUNCH_CONNECTABLE
    work = work || ann_has_device_local_work(v);
#endif
    return work || ann_load_relaxed_u32(&v->record->wake) != seen;
}

/* By the leader of a block that found nothing: waits a little, unless others do something. Returns its vote.
   */
ANN_FUNCTION u32 ann_idle_in_step(PRIVATE const ann_view *v, GLOBAL ann_step_record *steps)
{
    LOCAL ann_shared *b = v->shared;
    LOCAL ann_state *s = &b->state;
    if (b->launch.epoch_polls != 0) {
        /* All blocks count the same turns, so an epoch is over for all at once. A block that has nothing to
           wait for ends if all others do. */
        u32 waits = (s->command & ANN_ACTIVE) == 0 || s->stalled;
#ifdef ANN_LAUNCH_ROUNDS
        waits |= ann_has_no_part(v);
#endif
        if (b->idle >= b->launch.epoch_polls)
            b->ending = 1;
        return waits ? ANN_STEP_END : 0;
    }
    b->busy += 1;
    u32 nap = ANN_SYSTEM && b->idle > b->launch.idle_polls;
    if (!b->ending && (nap || (b->busy & 15) == 0)) {
        ann_attend(v);
        b->ending = ann_is_asked_to_leave(v);
    }
    if (nap)
        return ann_nap_in_step(v, steps) ? ANN_STEP_BUSY : 0;
    if (!ANN_SYSTEM && b->idle >= b->launch.patience_polls) {
        b->idle = 0;
        if (ann_host_is_gone(v))
            ann_end_without_host(v);
    }
    return 0;
}

/* By the leader, at a turn's end: all blocks end it together, and see what came of it (SYNC: arrived,
   opened). */
ANN_FUNCTION void ann_end_step(PRIVATE const ann_view *v, GLOBAL ann_step_record *steps)
{
    LOCAL ann_shared *b = v->shared;
#ifdef ANN_LAUNCH_ROUNDS
    if (b->notes) {
        ann_note_round(v);
        b->again = 1;
    }
#endif
    u32 vote = b->taken != 0 || b->again ? ANN_STEP_BUSY : ann_idle_in_step(v, steps);
    if (b->ending)
        vote |= ANN_STEP_END;
    if (b->gone)
        vote |= ANN_STEP_LOST;
#ifdef ANN_LAUNCH_ROUNDS
    vote |= b->notes ? ANN_STEP_OPEN : ann_round_vote(v);
#endif
    u32 outcome = ann_grid_barrier(v, steps, vote);
    if ((outcome & ANN_STEP_BUSY) == 0)
        b->idle += 1;
    else if (b->launch.epoch_polls == 0)
        b->idle = 0;
#ifdef ANN_LAUNCH_ROUNDS
    b->round_is_open = (outcome & ANN_STEP_OPEN) != 0;
    if (b->notes)
        ann_begin_round(v);
    else
        b->notes = (outcome & ANN_STEP_MORE) != 0;
#endif
    if ((outcome & ANN_STEP_LOST) != 0 && !b->gone)
        ann_end_without_host(v);
    if ((outcome & ANN_STEP_END) != 0) {
        b->ending = 1;
        b->over = 1;
    }
}

#endif
