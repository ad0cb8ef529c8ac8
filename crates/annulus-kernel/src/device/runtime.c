/* The device runtime: the dispatch loop around ANN_CALL, the same in all dialects. Its protocol is described in `device/mod.rs`. */

#define ANN_ACTIVE 1u
#define ANN_TERMINATE 2u
#define ANN_TELEMETRY 4u
#define ANN_EPOCH_SHIFT 16
#define ANN_STATE_ACTIVE 1u
#define ANN_STATE_INACTIVE 2u
#define ANN_STATE_TERMINATED 3u
#define ANN_CLOSED 0x8000000000000000ul
#define ANN_KIND_MESSAGE 1u
#define ANN_KIND_NO_REPLY 3u
#define ANN_KIND_FAILED 4u
#define ANN_KIND_LETTER 5u
#define ANN_TOO_MANY_OUTPUTS 0xFF02u
#define ANN_UNKNOWN_ACTOR 0xFF03u
#define ANN_STATELESS 0
#define ANN_PER_ACTOR 1
#define ANN_WHOLE 2
#define ANN_NO_ACTOR 0xFFFFFFFFFFFFFFFFul

/* Words of a control block and of a ring's header, by their offsets in bytes. */
#define ANN_CONTROL_COMMAND 0
#define ANN_CONTROL_HEARTBEAT 8
#define ANN_CONTROL_STATE 128
#define ANN_CONTROL_ERROR 132
#define ANN_CONTROL_PROCESSED 136
#define ANN_CONTROL_FAILED 144
#define ANN_CONTROL_UNKNOWN 152
#define ANN_CONTROL_SENT 160
#define ANN_CONTROL_STALLED 168
#define ANN_CONTROL_ACKNOWLEDGED 172
#define ANN_CONTROL_LETTERS_LOST 176
#define ANN_RING_RESERVED 0
#define ANN_RING_CONSUMED 128
#define ANN_RING_SLOTS 256

/* What a launch fixes. Twin of `LaunchRecord`. */
typedef struct {
    u64 shard_stride;
    u64 inbound;
    u64 outbound;
    u64 letters;   /* 0 if there are none */
    u64 histogram; /* 0 if there is none */
    u64 in_stride;
    u64 in_time;        /* 0 if messages carry none */
    u64 in_correlation; /* 0 if messages carry none */
    u64 in_payload;
    u64 out_stride;
    u64 out_correlation; /* 0 exactly if in_correlation is */
    u64 out_payload;
    u64 out_bytes;
    u64 letter_stride;
    u64 letter_payload;
    u64 actors;
    u64 actors_per_block; /* places for states in each block's part */
    u64 clock_origin;     /* what the device's clock shows when the runtime's shows 0 */
    u64 scratch_stride;
    u32 in_shift; /* the capacity is 1 << in_shift */
    u32 out_shift;
    u32 letter_shift;
    u32 grid;
    u32 limit;          /* messages in one turn */
    u32 credit;         /* outbound slots that a message may need */
    u32 idle_polls;     /* looks for something to do before a nap */
    u32 epoch_messages; /* 0 for a kernel that stays; else an epoch ends after so many */
    u32 epoch_polls;    /* or after so many looks that found nothing */
    u32 nap_micros;
    u32 patience; /* whole naps without a heartbeat after which the kernel ends itself */
    u32 patience_polls; /* looks that count as a nap where there are no naps */
} ann_launch;

/* What a block keeps from turn to turn, and from epoch to epoch. */
typedef struct {
    u64 next_in;
    u64 next_out;
    u64 out_seen; /* a copy of the outbound ring's `consumed`, never ahead of it */
    u64 next_letter;
    u64 letters_seen; /* the same of the ring of letters */
    u64 letters_lost;
    u64 processed;
    u64 failed;
    u64 unknown_actor;
    u64 sent;
    u64 shown_processed;
    u64 shown_dropped;
    u64 shown_last;
    u64 shown_total;
    u64 shown_max;
    u64 shown_min;
    u64 heartbeat;
    u32 shown_depth;
    u32 shown_unmeasured;
    u32 shown_error;
    u32 shown_epoch;
    u32 command;
    u32 looked; /* whether it has looked at a command yet */
    u32 stalled;
    u32 strikes; /* whole naps since the heartbeat changed */
} ann_state;

/* What host and block tell each other besides the control block. Twin of `BlockRecord`. */
typedef struct {
    ann_state state; /* while no epoch runs */
    u64 reserved_state[9];
    u32 obeyed; /* written by the block: how many commands it has acknowledged, wrapping */
    u32 reserved;
    u32 asleep; /* written by the block: it naps, or is about to */
    u32 ended;  /* written by the block, last of all: the epoch that it has ended */
    u32 wake; /* written by the host: changes when a nap must end */
    u32 epoch;
    u64 telemetry; /* from the arena's start to the shard's line; ANN_NO_ACTOR for none */
    u64 host_padding[14];
} ann_block_record;

/* Where blocks wake the host. Twin of `BellRecord`. */
typedef struct {
    u32 asleep; /* written by the host: it sleeps, and wants to hear of progress (1), or of dead letters alone (2) */
    u32 rung;
} ann_bell;

typedef char ann_launch_is_200_bytes[sizeof(ann_launch) == 200 ? 1 : -1];
typedef char ann_block_record_is_384_bytes[sizeof(ann_block_record) == 384 ? 1 : -1];

/* The block's own memory. */
typedef struct {
    ann_launch launch;
    ann_state state;
    /* The turn. */
    u32 count; /* messages to handle, from state.next_in on */
    u32 command;
    u32 again;  /* nothing was taken, and yet there is something to do */
    u32 ending; /* the block ends with this turn */
    /* Since the kernel or the epoch began. */
    u32 idle; /* turns in a row that found nothing */
    u32 handled;
    /* What the turn has done. */
    u32 taken;
    u32 processed;
    u32 dropped;
    u32 produced;
    u32 letters;
    u32 error;
    u64 first_time; /* of the processed messages' enqueue times */
    u64 earliest;
    u64 latest;
    u64 sum; /* of the enqueue times less `first_time`, wrapping */
    u64 own; /* actors of this block */
} ann_shared;

/* One block's view of memory. */
typedef struct {
    GLOBAL u8 *shard;
    GLOBAL u8 *inbound;
    GLOBAL u8 *outbound;
    GLOBAL ann_block_record *record;
    GLOBAL u8 *arena;
    GLOBAL u8 *states;
    GLOBAL u8 *scratch;
    GLOBAL ann_bell *bell;
    LOCAL ann_shared *shared;
} ann_view;

#define ANN_U32(base, offset) ((GLOBAL u32 *)((base) + (offset)))
#define ANN_U64(base, offset) ((GLOBAL u64 *)((base) + (offset)))

ANN_FUNCTION GLOBAL u8 *ann_in_slot(const ann_view *v, u64 ticket)
{
    LOCAL ann_launch *l = &v->shared->launch;
    return v->inbound + ANN_RING_SLOTS + (ticket & (((u64)1 << l->in_shift) - 1)) * l->in_stride;
}

ANN_FUNCTION GLOBAL u8 *ann_out_slot(const ann_view *v, u64 ticket)
{
    LOCAL ann_launch *l = &v->shared->launch;
    return v->outbound + ANN_RING_SLOTS + (ticket & (((u64)1 << l->out_shift) - 1)) * l->out_stride;
}

/* Whether the slot of `ticket` is published. The caller fences before it reads the slot (SYNC: slot-published). */
ANN_FUNCTION u32 ann_published(const ann_view *v, u64 ticket)
{
    u32 lap = (u32)(ticket >> v->shared->launch.in_shift) + 1;
    return ann_load_relaxed_u32(ANN_U32(ann_in_slot(v, ticket), 0)) == lap;
}

/* The time on the runtime's clock: the device's own where it has one, else the host's last heartbeat. */
ANN_FUNCTION u64 ann_now(const ann_view *v)
{
    u64 clock = ann_clock();
    if (clock != 0)
        return clock - v->shared->launch.clock_origin;
    return ann_load_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_HEARTBEAT));
}

/* Tells the host, if it sleeps and wants to hear of it, that something is new (SYNC: bell). */
ANN_FUNCTION void ann_tell(const ann_view *v, u32 letters)
{
#if ANN_SYSTEM
    ann_fence_all();
    u32 asleep = ann_load_relaxed_u32(&v->bell->asleep);
    if (asleep == 1 || (asleep == 2 && letters != 0)) {
        ann_store_release_u32(&v->bell->rung, 1);
        ann_ring(&v->bell->rung);
    }
#endif
}

/* ---- telemetry ---- */

ANN_FUNCTION u32 ann_depth(const ann_view *v)
{
    u64 reserved = ann_load_acquire_u64(ANN_U64(v->inbound, ANN_RING_RESERVED)) & ~ANN_CLOSED;
    u64 depth = reserved - v->shared->state.next_in;
    return depth < 0x7FFFFFFFul ? (u32)depth : 0x7FFFFFFFu;
}

/* Writes the line, if telemetry is on and there is one: words in any order, whose check tells which belong together. */
ANN_FUNCTION void ann_write_telemetry(const ann_view *v)
{
    LOCAL ann_state *s = &v->shared->state;
    if ((s->command & ANN_TELEMETRY) == 0)
        return;
    s->shown_depth = ann_depth(v);
    if (v->record->telemetry == ANN_NO_ACTOR)
        return;
    u64 words[8];
    words[0] = s->shown_processed;
    words[1] = s->shown_dropped;
    words[2] = s->shown_last;
    words[3] = (u64)s->shown_depth | (u64)s->shown_unmeasured << 32;
    words[4] = s->shown_total;
    words[5] = s->shown_max;
    words[6] = s->shown_min;
    words[7] = (u64)s->shown_error | (u64)s->shown_epoch << 16;
    u64 sum = words[7] * 0x9E3779B97F4A7C15ul;
    sum += words[0] * 0x9E3779B185EBCA87ul;
    sum += words[1] * 0xC2B2AE3D27D4EB4Ful;
    sum += words[2] * 0x165667B19E3779F9ul;
    sum += words[3] * 0x85EBCA77C2B2AE63ul;
    sum += words[4] * 0x27D4EB2F165667C5ul;
    sum += words[5] * 0x5851F42D4C957F2Dul;
    sum += words[6] * 0xD6E8FEB86659FD93ul;
    words[7] |= (u64)((u32)(sum >> 32) ^ (u32)sum) << 32;
    GLOBAL u8 *line = v->arena + v->record->telemetry;
    for (u32 i = 0; i < 8; i++)
        ann_store_relaxed_u64(ANN_U64(line, 8 * i), words[i]);
}

/* Shows what came while nothing was consumed. */
ANN_FUNCTION void ann_note_depth(const ann_view *v)
{
    LOCAL ann_state *s = &v->shared->state;
    if ((s->command & ANN_TELEMETRY) != 0 && s->shown_depth != ann_depth(v))
        ann_write_telemetry(v);
}

/* Counts a latency in the histogram, whose buckets are 32 to each doubling. */
ANN_FUNCTION void ann_count_latency(const ann_view *v, u64 nanos)
{
    u64 bucket = nanos;
    if (nanos >= 32) {
        u32 exponent = 63 - ann_leading_zeros_u64(nanos);
        bucket = ((u64)(exponent - 4) << 5) + ((nanos >> (exponent - 5)) & 31);
    }
    GLOBAL u64 *count = ANN_U64(v->shard, v->shared->launch.histogram + 8 * bucket);
    ann_store_relaxed_u64(count, ann_load_relaxed_u64(count) + 1);
}

/* A message's handler succeeded. */
ANN_FUNCTION void ann_note_success(const ann_view *v, GLOBAL u8 *slot)
{
    LOCAL ann_shared *b = v->shared;
    b->processed += 1;
    if (b->launch.in_time == 0)
        return;
    u64 enqueued = *ANN_U64(slot, b->launch.in_time);
    if (b->launch.histogram != 0) {
        u64 now = ann_now(v);
        ann_count_latency(v, now > enqueued ? now - enqueued : 0);
    }
    if ((b->command & ANN_TELEMETRY) != 0) {
        if (b->processed == 1) {
            b->first_time = enqueued;
            b->earliest = enqueued;
        }
        if (enqueued < b->earliest)
            b->earliest = enqueued;
        if (enqueued > b->latest)
            b->latest = enqueued;
        b->sum += enqueued - b->first_time;
    }
}

/* Puts the message of a failed call into the ring of letters; counts it if there is no room. */
ANN_FUNCTION void ann_bury(const ann_view *v, GLOBAL u8 *message, u32 code)
{
    LOCAL ann_launch *l = &v->shared->launch;
    LOCAL ann_state *s = &v->shared->state;
    if (l->letters == 0)
        return;
    GLOBAL u8 *ring = v->shard + l->letters;
    u64 capacity = (u64)1 << l->letter_shift;
    if (s->next_letter - s->letters_seen >= capacity) {
        /* SYNC: slots-returned (acquire) */
        s->letters_seen = ann_load_acquire_u64(ANN_U64(ring, ANN_RING_CONSUMED));
        if (s->next_letter - s->letters_seen >= capacity) {
            s->letters_lost += 1;
            ann_store_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_LETTERS_LOST), s->letters_lost);
            return;
        }
    }
    GLOBAL u8 *slot = ring + ANN_RING_SLOTS + (s->next_letter & (capacity - 1)) * l->letter_stride;
    *(GLOBAL ANN_MESSAGE *)(slot + l->letter_payload) = *(GLOBAL const ANN_MESSAGE *)message;
    *ANN_U32(slot, 4) = ANN_KIND_LETTER << 24 | code;
    /* SYNC: slot-published (release) */
    ann_store_release_u32(ANN_U32(slot, 0), (u32)(s->next_letter >> l->letter_shift) + 1);
    s->next_letter += 1;
    v->shared->letters += 1;
}

/* A message failed: its state and its sends are forgotten. */
ANN_FUNCTION void ann_note_failure(const ann_view *v, GLOBAL u8 *slot, u32 code)
{
    LOCAL ann_shared *b = v->shared;
    ann_bury(v, slot + b->launch.in_payload, code);
    b->dropped += 1;
    b->error = code;
    if (code == ANN_UNKNOWN_ACTOR)
        b->state.unknown_actor += 1;
    else
        b->state.failed += 1;
}

ANN_FUNCTION void ann_count_telemetry(const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    LOCAL ann_state *s = &b->state;
    u32 on = (b->command & ANN_TELEMETRY) != 0;
    u32 measured = on && b->launch.in_time != 0;
    s->shown_processed += b->processed;
    s->shown_dropped += b->dropped;
    if (b->error != 0)
        s->shown_error = b->error;
    if (!measured)
        s->shown_unmeasured =
            s->shown_unmeasured + b->processed < s->shown_unmeasured ? 0xFFFFFFFFu : s->shown_unmeasured + b->processed;
    if (!on)
        return;
    if (b->processed != 0) {
        /* One stamp for the turn: a message's latency ends with its turn's last handler. */
        u64 now = ann_now(v);
        s->shown_last = now;
        if (measured) {
            u64 total = (now - b->first_time) * b->processed - b->sum;
            s->shown_total += (i64)total > 0 ? total : 0;
            u64 longest = now > b->earliest ? now - b->earliest : 0;
            u64 shortest = now > b->latest ? now - b->latest : 0;
            if (longest > s->shown_max)
                s->shown_max = longest;
            if (shortest < s->shown_min)
                s->shown_min = shortest;
        }
    }
    ann_write_telemetry(v);
}

/* ---- commands ---- */

/* Acknowledges a new command: telemetry first, then the state, then the command itself (SYNC: state). */
ANN_FUNCTION void ann_obey(const ann_view *v, u32 command)
{
    LOCAL ann_state *s = &v->shared->state;
    u32 epoch = command >> ANN_EPOCH_SHIFT;
    if (!s->looked || epoch != s->shown_epoch) {
        s->shown_processed = 0;
        s->shown_dropped = 0;
        s->shown_last = 0;
        s->shown_total = 0;
        s->shown_max = 0;
        s->shown_min = 0xFFFFFFFFFFFFFFFFul;
        s->shown_depth = 0;
        s->shown_unmeasured = 0;
        s->shown_error = 0;
        s->shown_epoch = epoch;
    }
    s->looked = 1;
    s->command = command;
    ann_write_telemetry(v);
    u32 state = ANN_STATE_INACTIVE;
    if ((command & ANN_TERMINATE) != 0) {
        ann_store_release_u64(ANN_U64(v->outbound, ANN_RING_RESERVED), s->next_out | ANN_CLOSED);
        state = ANN_STATE_TERMINATED;
    } else if ((command & ANN_ACTIVE) != 0) {
        state = ANN_STATE_ACTIVE;
    }
    ann_store_release_u32(ANN_U32(v->shard, ANN_CONTROL_STATE), state);
    ann_store_release_u32(ANN_U32(v->shard, ANN_CONTROL_ACKNOWLEDGED), command);
    ann_store_release_u32(&v->record->obeyed, ann_load_relaxed_u32(&v->record->obeyed) + 1);
    ann_tell(v, 0);
}

/* Ends the block without a command: nobody is there to give one. */
ANN_FUNCTION void ann_give_up(const ann_view *v)
{
    ann_store_release_u64(ANN_U64(v->outbound, ANN_RING_RESERVED), v->shared->state.next_out | ANN_CLOSED);
    ann_store_release_u32(ANN_U32(v->shard, ANN_CONTROL_STATE), ANN_STATE_TERMINATED);
    v->shared->ending = 1;
}

/* Messages that there is credit for, of `want`; with a fresh look at the ring only if the last one does not suffice. */
ANN_FUNCTION u32 ann_credit(const ann_view *v, u32 want)
{
    LOCAL ann_shared *b = v->shared;
    LOCAL ann_state *s = &b->state;
    u64 need = (u64)want * b->launch.credit;
    u64 capacity = (u64)1 << b->launch.out_shift;
    if (s->next_out + need - s->out_seen <= capacity)
        return want;
    /* SYNC: slots-returned (acquire) */
    s->out_seen = ann_load_acquire_u64(ANN_U64(v->outbound, ANN_RING_CONSUMED));
    u64 room = (capacity - (s->next_out - s->out_seen)) / b->launch.credit;
    return room < want ? (u32)room : want;
}

/* As above, and says in the control block when there is none, so that the host that makes room wakes this block. */
ANN_FUNCTION u32 ann_credit_or_stall(const ann_view *v, u32 want)
{
    LOCAL ann_state *s = &v->shared->state;
    u32 credit = ann_credit(v, want);
    if ((credit == 0) == (s->stalled != 0))
        return credit;
    if (credit == 0) {
        ann_store_relaxed_u32(ANN_U32(v->shard, ANN_CONTROL_STALLED), 1);
        /* SYNC: stalled */
        ann_fence_all();
        credit = ann_credit(v, want);
    }
    if (credit != 0)
        ann_store_relaxed_u32(ANN_U32(v->shard, ANN_CONTROL_STALLED), 0);
    s->stalled = credit == 0;
    return credit;
}

/* ---- a turn ---- */

/* By the leader: what this turn has to do. */
ANN_FUNCTION void ann_begin_turn(const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    LOCAL ann_state *s = &b->state;
    b->count = 0;
    b->again = 0;
    b->taken = 0;
    b->processed = 0;
    b->dropped = 0;
    b->produced = 0;
    b->letters = 0;
    b->error = 0;
    b->latest = 0;
    b->sum = 0;
    if (b->ending)
        return;
    /* SYNC: command (acquire) */
    u32 command = ann_load_acquire_u32(ANN_U32(v->shard, ANN_CONTROL_COMMAND));
    b->command = command;
    if (!s->looked || command != s->command) {
        ann_obey(v, command);
        b->again = 1;
    }
    if ((command & ANN_TERMINATE) != 0) {
        b->ending = 1;
        return;
    }
    if ((command & ANN_ACTIVE) == 0) {
        ann_note_depth(v);
        return;
    }
    u32 ready = 0;
    while (ready < b->launch.limit && ann_published(v, s->next_in + ready))
        ready++;
    if (ready != 0) {
        /* SYNC: slot-published (acquire) */
        ann_fence_acquire();
        /* A message that was sent after a command is handled after it. */
        if (ann_load_relaxed_u32(ANN_U32(v->shard, ANN_CONTROL_COMMAND)) != command) {
            b->again = 1;
            return;
        }
        ready = ann_credit_or_stall(v, ready);
    }
    b->count = ready;
    if (ready == 0)
        ann_note_depth(v);
}

/* By the leader, of a block that found nothing: whether a turn would find something now. */
ANN_FUNCTION u32 ann_has_work(const ann_view *v)
{
    LOCAL ann_state *s = &v->shared->state;
    u32 command = ann_load_relaxed_u32(ANN_U32(v->shard, ANN_CONTROL_COMMAND));
    if (command != s->command)
        return 1;
    if ((command & ANN_ACTIVE) == 0 || !ann_published(v, s->next_in))
        return 0;
    return !s->stalled || ann_credit(v, 1) != 0;
}

/* By the leader, of a block that found nothing: waits a little, and sees whether the host still lives. */
ANN_FUNCTION void ann_idle(const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    LOCAL ann_state *s = &b->state;
    b->idle += 1;
    if (b->launch.epoch_messages != 0) {
        u32 active = (s->command & ANN_ACTIVE) != 0;
        if (!active || s->stalled || b->idle >= b->launch.epoch_polls)
            b->ending = 1;
        ann_pause();
        return;
    }
    u32 nap = ANN_SYSTEM && (b->idle > b->launch.idle_polls || (s->command & ANN_ACTIVE) == 0);
    if (!nap) {
        ann_pause();
        if (b->idle > b->launch.idle_polls / 4 && (b->idle & 63) == 0)
            ann_yield();
        if (ANN_SYSTEM || b->idle < b->launch.patience_polls)
            return;
        b->idle = 0;
    } else {
        u32 seen = ann_load_relaxed_u32(&v->record->wake);
        ann_store_relaxed_u32(&v->record->asleep, 1);
        /* SYNC: asleep */
        ann_fence_all();
        u32 undisturbed = !ann_has_work(v) && ann_nap(&v->record->wake, seen, b->launch.nap_micros);
        ann_store_relaxed_u32(&v->record->asleep, 0);
        if (!undisturbed)
            return;
    }
    u64 heartbeat = ann_load_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_HEARTBEAT));
    s->strikes = heartbeat == s->heartbeat ? s->strikes + 1 : 0;
    s->heartbeat = heartbeat;
    if (s->strikes > b->launch.patience)
        ann_give_up(v);
}

/* By the leader: makes the turn's results visible; whoever sees that a message was consumed sees it counted. */
ANN_FUNCTION void ann_end_turn(const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    LOCAL ann_state *s = &b->state;
    if (b->ending)
        return;
    if (b->taken == 0) {
        if (!b->again)
            ann_idle(v);
        return;
    }
    b->idle = 0;
    s->next_in += b->taken;
    s->processed += b->processed;
    ann_store_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_PROCESSED), s->processed);
    if (b->dropped != 0) {
        ann_store_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_FAILED), s->failed);
        ann_store_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_UNKNOWN), s->unknown_actor);
        ann_store_relaxed_u32(ANN_U32(v->shard, ANN_CONTROL_ERROR), b->error);
    }
    if (b->letters != 0)
        ann_store_release_u64(ANN_U64(v->shard + b->launch.letters, ANN_RING_RESERVED), s->next_letter);
    if (b->produced != 0) {
        ann_store_relaxed_u64(ANN_U64(v->shard, ANN_CONTROL_SENT), s->sent);
        ann_store_release_u64(ANN_U64(v->outbound, ANN_RING_RESERVED), s->next_out);
    }
    ann_count_telemetry(v);
    /* SYNC: slots-returned (release) */
    ann_store_release_u64(ANN_U64(v->inbound, ANN_RING_CONSUMED), s->next_in);
    ann_tell(v, b->letters);
    if (b->launch.epoch_messages != 0) {
        b->handled += b->taken;
        if (b->handled >= b->launch.epoch_messages)
            b->ending = 1;
    }
}

/* ---- messages ---- */

/* The place of the message's state in the block's part; ANN_NO_ACTOR if its key names none of this block's actors. */
ANN_FUNCTION u64 ann_actor(const ann_view *v, GLOBAL const ANN_MESSAGE *message)
{
#if ANN_SHAPE == ANN_PER_ACTOR
    u64 key = ANN_KEY(message);
    u64 grid = v->shared->launch.grid;
    u64 place = grid == 1 ? key : key / grid;
    return place < v->shared->own ? place : ANN_NO_ACTOR;
#else
    return 0;
#endif
}

/* Calls the handler as a transaction: the state is a copy, committed on success. */
ANN_FUNCTION u32 ann_transact(
    const ann_view *v, GLOBAL const ANN_MESSAGE *message, u64 actor, PRIVATE ann_outbox *outbox ANN_BINDING_PARAMETERS)
{
    ann_cx cx;
    cx.block_index = ann_block();
    cx.grid_size = v->shared->launch.grid;
    cx.thread_index = ann_thread();
    if (actor == ANN_NO_ACTOR)
        return ANN_UNKNOWN_ACTOR;
#ifdef ANN_STATE
    GLOBAL ANN_STATE *cell = (GLOBAL ANN_STATE *)v->states + actor;
    ANN_STATE state = *cell;
    u32 code = ANN_CALL(cx, message, &state, outbox);
#else
    u32 code = ANN_CALL(cx, message, (PRIVATE u8 *)0, outbox);
#endif
    if (code == 0 && outbox->refused)
        code = ANN_TOO_MANY_OUTPUTS;
#ifdef ANN_STATE
    if (code == 0)
        *cell = state;
#endif
    return code;
}

/* Publishes the outbound slot of `ticket`, whose payload is written. */
ANN_FUNCTION void ann_publish(const ann_view *v, u64 ticket, u32 kind, u32 length, u64 correlation)
{
    LOCAL ann_launch *l = &v->shared->launch;
    GLOBAL u8 *slot = ann_out_slot(v, ticket);
    if (l->out_correlation != 0)
        *ANN_U64(slot, l->out_correlation) = correlation;
    *ANN_U32(slot, 4) = kind << 24 | length;
    /* SYNC: slot-published (release) */
    ann_store_release_u32(ANN_U32(slot, 0), (u32)(ticket >> l->out_shift) + 1);
}

#ifdef ANN_OUTPUT
#define ANN_LIMIT ANN_MAX_OUTPUTS
#else
#define ANN_LIMIT 0
#endif

/* Slots that a handled message takes in the outbound ring: its outputs, or the notice to its caller. */
ANN_FUNCTION u32 ann_answers(u32 code, u32 sent, u64 caller)
{
    u32 outputs = code == 0 ? sent : 0;
    return outputs == 0 && caller != 0 ? 1 : outputs;
}

/* Publishes what a handled message sent, from `ticket` on; the payloads lie there already. */
ANN_FUNCTION void ann_answer(const ann_view *v, u64 ticket, u32 code, u32 sent, u64 caller)
{
    if (code == 0 && sent != 0) {
        for (u32 i = 0; i < sent; i++)
            ann_publish(v, ticket + i, ANN_KIND_MESSAGE, (u32)v->shared->launch.out_bytes, i == 0 ? caller : 0);
    } else if (caller != 0) {
        ann_publish(v, ticket, code == 0 ? ANN_KIND_NO_REPLY : ANN_KIND_FAILED, code, caller);
    }
}

ANN_FUNCTION u64 ann_caller(const ann_view *v, GLOBAL u8 *slot)
{
    u64 offset = v->shared->launch.in_correlation;
    return offset != 0 ? *ANN_U64(slot, offset) : 0;
}

/* By the leader: counts what became of a message. */
ANN_FUNCTION void ann_account(const ann_view *v, GLOBAL u8 *slot, u32 code, u32 sent, u64 caller)
{
    LOCAL ann_shared *b = v->shared;
    u32 answers = ann_answers(code, sent, caller);
    b->produced += answers;
    b->state.next_out += answers;
    if (code == 0) {
        b->state.sent += sent;
        ann_note_success(v, slot);
    } else {
        ann_note_failure(v, slot, code);
    }
}

#if ANN_LAUNCH_THREADS == 1

/* All messages of the turn one after the other; outputs go straight into their slots. */
ANN_FUNCTION void ann_handle(const ann_view *v ANN_BINDING_PARAMETERS)
{
    LOCAL ann_shared *b = v->shared;
    LOCAL ann_launch *l = &b->launch;
    for (u32 i = 0; i < b->count; i++) {
        /* Between any two messages: a batch is no reason to obey late. */
        if (i != 0 && ann_load_relaxed_u32(ANN_U32(v->shard, ANN_CONTROL_COMMAND)) != b->command)
            return;
        GLOBAL u8 *slot = ann_in_slot(v, b->state.next_in + i);
        b->taken += 1;
        if (*ANN_U32(slot, 4) >> 24 != ANN_KIND_MESSAGE)
            continue;
        GLOBAL const ANN_MESSAGE *message = (GLOBAL const ANN_MESSAGE *)(slot + l->in_payload);
        u64 caller = ann_caller(v, slot);
        ann_outbox outbox;
        outbox.first = v->outbound + ANN_RING_SLOTS + l->out_payload;
        outbox.ticket = b->state.next_out;
        outbox.mask = ((u64)1 << l->out_shift) - 1;
        outbox.stride = l->out_stride;
        outbox.limit = ANN_LIMIT;
        outbox.sent = 0;
        outbox.refused = 0;
        u32 code = ann_transact(v, message, ann_actor(v, message), &outbox ANN_BINDING_ARGUMENTS);
        ann_answer(v, outbox.ticket, code, outbox.sent, caller);
        ann_account(v, slot, code, outbox.sent, caller);
    }
}

#else

/* A message of the turn, in scratch memory. */
typedef struct {
    u64 actor;
    u64 ticket; /* of its first answer */
    u32 code;
    u32 sent;
    u32 kind;
    u32 padding;
} ann_job;

ANN_FUNCTION GLOBAL ann_job *ann_job_at(const ann_view *v, u32 i)
{
    return (GLOBAL ann_job *)v->scratch + i;
}

/* Where message i's outputs wait until all of the turn's are known. */
ANN_FUNCTION GLOBAL u8 *ann_staged(const ann_view *v, u32 i)
{
    LOCAL ann_launch *l = &v->shared->launch;
    return v->scratch + (u64)l->limit * sizeof(ann_job) + (u64)i * ANN_LIMIT * l->out_bytes;
}

/* Each thread looks up the actors of its share of the messages. */
ANN_FUNCTION void ann_look_up(const ann_view *v, u32 count)
{
    for (u32 i = ann_thread(); i < count; i += ANN_LAUNCH_THREADS) {
        GLOBAL u8 *slot = ann_in_slot(v, v->shared->state.next_in + i);
        GLOBAL ann_job *job = ann_job_at(v, i);
        job->kind = *ANN_U32(slot, 4) >> 24;
        job->code = 0;
        job->sent = 0;
        job->actor = 0;
        if (job->kind == ANN_KIND_MESSAGE)
            job->actor = ann_actor(v, (GLOBAL const ANN_MESSAGE *)(slot + v->shared->launch.in_payload));
    }
}

/* Each thread handles the messages that are dealt to it: every Tth, or those of every Tth actor, in order. */
ANN_FUNCTION void ann_handle(const ann_view *v, u32 count ANN_BINDING_PARAMETERS)
{
    LOCAL ann_launch *l = &v->shared->launch;
    for (u32 i = 0; i < count; i++) {
        GLOBAL ann_job *job = ann_job_at(v, i);
#if ANN_SHAPE == ANN_PER_ACTOR
        u32 owner = (u32)(job->actor % ANN_LAUNCH_THREADS);
#elif ANN_SHAPE == ANN_WHOLE
        u32 owner = 0;
#else
        u32 owner = i % ANN_LAUNCH_THREADS;
#endif
        if (owner != ann_thread() || job->kind != ANN_KIND_MESSAGE)
            continue;
        GLOBAL u8 *slot = ann_in_slot(v, v->shared->state.next_in + i);
        ann_outbox outbox;
        outbox.first = ann_staged(v, i);
        outbox.ticket = 0;
        outbox.mask = ~(u64)0;
        outbox.stride = l->out_bytes;
        outbox.limit = ANN_LIMIT;
        outbox.sent = 0;
        outbox.refused = 0;
        job->code = ann_transact(
            v, (GLOBAL const ANN_MESSAGE *)(slot + l->in_payload), job->actor, &outbox ANN_BINDING_ARGUMENTS);
        job->sent = outbox.sent;
    }
}

/* By the leader: counts, and gives each message its tickets in the outbound ring, in the messages' order. */
ANN_FUNCTION void ann_number(const ann_view *v, u32 count)
{
    for (u32 i = 0; i < count; i++) {
        GLOBAL ann_job *job = ann_job_at(v, i);
        job->ticket = v->shared->state.next_out;
        if (job->kind != ANN_KIND_MESSAGE)
            continue;
        GLOBAL u8 *slot = ann_in_slot(v, v->shared->state.next_in + i);
        ann_account(v, slot, job->code, job->sent, ann_caller(v, slot));
    }
    v->shared->taken = count;
}

/* Each thread publishes the answers of its share of the messages. */
ANN_FUNCTION void ann_send_staged(const ann_view *v, u32 count)
{
    for (u32 i = ann_thread(); i < count; i += ANN_LAUNCH_THREADS) {
        GLOBAL ann_job *job = ann_job_at(v, i);
        if (job->kind != ANN_KIND_MESSAGE)
            continue;
#ifdef ANN_OUTPUT
        if (job->code == 0) {
            GLOBAL const ANN_OUTPUT *staged = (GLOBAL const ANN_OUTPUT *)ann_staged(v, i);
            for (u32 j = 0; j < job->sent; j++) {
                GLOBAL u8 *slot = ann_out_slot(v, job->ticket + j);
                *(GLOBAL ANN_OUTPUT *)(slot + v->shared->launch.out_payload) = staged[j];
            }
        }
#endif
        u64 caller = ann_caller(v, ann_in_slot(v, v->shared->state.next_in + i));
        ann_answer(v, job->ticket, job->code, job->sent, caller);
    }
}

#endif

ANN_KERNEL void ann_main(
    GLOBAL u8 *memory, GLOBAL u8 *arena, GLOBAL u8 *records, GLOBAL const u8 *launch, GLOBAL u8 *states,
    GLOBAL u8 *scratch, GLOBAL u8 *bell ANN_BINDING_PARAMETERS)
{
    ANN_SHARED ann_shared shared;
    u32 leader = ann_thread() == 0;
    u32 block = ann_block();
    ann_view view;
    {
        GLOBAL const ann_launch *l = (GLOBAL const ann_launch *)launch;
        view.shard = memory + block * l->shard_stride;
        view.inbound = view.shard + l->inbound;
        view.outbound = view.shard + l->outbound;
        view.record = (GLOBAL ann_block_record *)records + block;
        view.arena = arena;
#ifdef ANN_STATE
        view.states = states + block * l->actors_per_block * sizeof(ANN_STATE);
#else
        view.states = states;
#endif
        view.scratch = scratch + block * l->scratch_stride;
        view.bell = (GLOBAL ann_bell *)bell;
        view.shared = &shared;
        if (leader) {
            shared.launch = *l;
            shared.state = view.record->state;
            shared.ending = 0;
            shared.idle = 0;
            shared.handled = 0;
            shared.own = l->actors > block ? (l->actors - block + l->grid - 1) / l->grid : 0;
        }
    }
    ann_barrier();
    for (;;) {
        if (leader)
            ann_begin_turn(&view);
        ann_barrier();
        u32 ending = shared.ending;
        if (ending)
            break;
#if ANN_LAUNCH_THREADS == 1
        ann_handle(&view ANN_BINDING_ARGUMENTS);
#else
        u32 count = shared.count;
        ann_look_up(&view, count);
        ann_barrier();
        ann_handle(&view, count ANN_BINDING_ARGUMENTS);
        ann_barrier();
        if (leader)
            ann_number(&view, count);
        ann_barrier();
        ann_send_staged(&view, count);
        ann_barrier();
#endif
        if (leader)
            ann_end_turn(&view);
        ann_barrier();
    }
    if (leader) {
        /* A block that has terminated leaves only this behind: rings and states are not its own any more. */
        view.record->state = shared.state;
        ann_store_release_u32(&view.record->ended, view.record->epoch);
        ann_tell(&view, 0);
    }
}
