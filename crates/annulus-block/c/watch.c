/* The block: how it looks for work where the leader is alone and slots are sealed. The threads of the leader's warp
   load a unit of the next slot each, in one instruction, again and again; what else an idle block does, the leader
   does when it is due. `PROTOCOL.md` argues why this is correct. */

#if ANN_ALONE

/* Distance between outputs in the block's own memory; where answers are sealed, distance between images. */
ANN_FUNCTION u32 ann_output_stride(PRIVATE const ann_view *v)
{
#if ANN_LAUNCH_SEALED
    if (v->shared->launch.out_units != 0)
        return (v->shared->launch.out_units * 12 + 15) / 16 * 16;
#endif
    return ANN_OUTPUT_STRIDE;
}

/* By the leader: whether a message and what its handler may send fit into the block's own memory. */
ANN_FUNCTION u32 ann_fits_one(PRIVATE const ann_view *v)
{
    if (ANN_IMAGE_STRIDE(&v->shared->launch) > ANN_BLOCK_IMAGE)
        return 0;
#if ANN_LAUNCH_CONNECTABLE && (defined(ANN_PORTS) || defined(ANN_ROWS))
    /* All threads sort what goes to the host from what goes on; or it goes along rows, which takes its time. */
    if (ANN_IS_LINKED(v))
        return 0;
#endif
    u32 stride = ann_output_stride(v);
#if ANN_SEALS_IMAGES && ANN_FORWARDS_ONE
    u32 row = ann_row_stride(v);
    stride = row > stride ? row : stride;
#endif
    return (ANN_LIMIT > 1 ? ANN_LIMIT : 1) * stride <= ANN_BLOCK_OUTPUTS;
}

#endif

#if ANN_WATCHES

/* By the leader: how many looks may find nothing, one behind the other, before there is more to do than to
   look (`ann_idle`). */
ANN_FUNCTION u32 ann_looks_in_a_row(PRIVATE const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    u32 idle = b->idle;
    /* What the host asks is answered behind the look that carries it. */
    if (b->launch.epoch_polls != 0 || !b->state.looked || (b->state.command & ANN_ACTIVE) == 0 || b->state.stalled
        || b->attends || idle > b->launch.idle_polls)
        return 1;
#if ANN_LAUNCH_CONNECTABLE
    /* It has sent what was held since it rested last. */
    if (idle >= ANN_OWED_LOOKS && b->rested != b->state.taken)
        return 1;
#endif
    u32 looks = idle < ANN_OWED_LOOKS ? ANN_OWED_LOOKS - idle : 16 - (idle & 15);
    return looks <= b->launch.idle_polls - idle ? looks : b->launch.idle_polls - idle + 1;
}

/* By the leader: whether it would handle a single message without asking anything more: one of another
   kernel, or one of the host under the command that is in force. */
ANN_FUNCTION u32 ann_is_ready_for_one(PRIVATE const ann_view *v)
{
    LOCAL ann_launch *l = &v->shared->launch;
    LOCAL ann_state *s = &v->shared->state;
    u32 ready = s->looked && (s->command & (ANN_ACTIVE | ANN_TERMINATE)) == ANN_ACTIVE && !s->stalled
        && l->in_units <= ANN_LOOKED_UNITS;
#if ANN_LAUNCH_CONNECTABLE
    ready = ready && s->pending == 0;
#endif
    return ready && ann_fits_one(v) && s->next_out + l->credit - s->out_seen <= (u64)1 << l->out_shift;
}

/* By the leader, which is ready for one and has seen the next message: whether the turn takes this one alone,
   by the tickets that were taken. These may be older than the slot. */
ANN_FUNCTION u32 ann_takes_one(PRIVATE const ann_view *v, u64 waiting)
{
    LOCAL ann_launch *l = &v->shared->launch;
    u32 is_one = waiting <= 1 || waiting > (u64)1 << l->in_shift;
#if ANN_LAUNCH_ADAPTIVE
    if (is_one)
        ann_adapt(v, 1);
    return is_one;
#else
    return is_one || l->limit == 1;
#endif
}

/* Whether this thread looks: those of the leader's warp do where there is a whole warp, and else the leader alone. */
ANN_FUNCTION u32 ann_looks(u32 leader)
{
#if ANN_LOOKS_TOGETHER
    return ann_thread() < ANN_WARP;
#else
    return leader;
#endif
}

/* All of them come here. What the leader wrote before it, the others see after it, and the other way round. */
ANN_FUNCTION void ann_meet_lookers(void)
{
#if ANN_LOOKS_TOGETHER
    ann_meet_warp();
#endif
}

/* What a look has loaded: each thread its unit, or the leader all. */
typedef struct {
    ann_unit units[ANN_LOOKS_TOGETHER ? 1 : ANN_FIRST_UNITS];
} ann_loaded;

/* Other words that a look brings along: so many at least, and what the host asks now and then. */
#define ANN_BRINGS 2u
#define ANN_BRINGS_ASKED 3u

#if ANN_LOOKS_TOGETHER

/* Where a thread behind those that look at units finds such words: they are 16 bytes as units are. */
ANN_FUNCTION GLOBAL const u8 *ann_words_to_bring(PRIVATE const ann_view *v, u32 number)
{
    if (number == 0)
        return v->shard + ANN_CONTROL_COMMAND;
    if (number == 1)
        return v->inbound + ANN_RING_RESERVED;
    return (GLOBAL const u8 *)&v->record->leave;
}

#endif

/* By those who look: loads the units from `slot` on, and says whether all carry the lap. A look at the host's slot may bring
   other words along, in the same instruction: a GPU lets loads of one thread from one line wait for each other, and here
   nothing waits for anything. */
ANN_FUNCTION u32 ann_look_at_units(
    PRIVATE const ann_view *v, GLOBAL const u8 *slot, u32 units, u32 lap, u32 brings, u32 is_near, PRIVATE ann_loaded *loaded)
{
#if ANN_LOOKS_TOGETHER
    u32 thread_index = ann_thread(v);
    GLOBAL const u8 *place = slot + thread_index * 16;
    u32 brought = thread_index - ANN_LOOKED_UNITS;
    if (brought < brings)
        place = ann_words_to_bring(v, brought);
    if (thread_index < units || brought < brings) {
#if ANN_LAUNCH_CONNECTABLE
        loaded->units[0] = is_near ? ann_device_load_unit(place) : ann_load_unit(place);
#else
        loaded->units[0] = ann_load_unit(place);
#endif
    }
    return ann_all_of_warp(thread_index >= units || loaded->units[0].lap == lap);
#else
    LOCAL ann_row *r = &v->shared->row;
    u32 others = 0;
    /* All loads are under way before the first is waited for. */
    ann_asked asked;
    u32 command;
    u64 reserved;
    if (brings >= ANN_BRINGS_ASKED)
        asked = ann_look_at_asked(v);
    if (brings != 0) {
        command = ann_load_relaxed_u32(ANN_U32(v->shard, ANN_CONTROL_COMMAND));
        reserved = ann_load_relaxed_u64(ANN_U64(v->inbound, ANN_RING_RESERVED));
    }
    for (u32 i = 0; i < ANN_FIRST_UNITS; i++) {
        if (i >= units)
            continue;
#if ANN_LAUNCH_CONNECTABLE
        loaded->units[i] = is_near ? ann_device_load_unit(slot + i * 16) : ann_load_unit(slot + i * 16);
#else
        loaded->units[i] = ann_load_unit(slot + i * 16);
#endif
        others |= loaded->units[i].lap ^ lap;
    }
    if (brings >= ANN_BRINGS_ASKED) {
        r->brought[2][0] = asked.leave;
        r->brought[2][1] = asked.question;
        r->brought[2][2] = (u32)asked.origin;
        r->brought[2][3] = (u32)(asked.origin >> 32);
    }
    if (brings != 0) {
        r->brought[0][0] = command;
        r->brought[1][0] = (u32)reserved;
        r->brought[1][1] = (u32)(reserved >> 32);
    }
    return others == 0;
#endif
}

/* By those who look: tells the leader the words that a look has brought along. */
ANN_FUNCTION void ann_keep_brought(PRIVATE const ann_view *v, u32 brings, PRIVATE const ann_loaded *loaded)
{
#if ANN_LOOKS_TOGETHER
    u32 brought = ann_thread(v) - ANN_LOOKED_UNITS;
    if (brought < brings) {
        LOCAL u32 *words = v->shared->row.brought[brought];
        words[0] = loaded->units[0].a;
        words[1] = loaded->units[0].b;
        words[2] = loaded->units[0].c;
        words[3] = loaded->units[0].lap;
    }
#endif
}

/* By those who look, and have seen a slot: puts its units' content into the block's own memory, where an image of a
   message is. */
ANN_FUNCTION void ann_keep_units(PRIVATE const ann_view *v, u32 units, PRIVATE const ann_loaded *loaded)
{
    LOCAL u32 *image = (LOCAL u32 *)v->shared->image;
    for (u32 i = 0; i < (ANN_LOOKS_TOGETHER ? 1 : ANN_FIRST_UNITS); i++) {
        u32 unit = ANN_LOOKS_TOGETHER ? ann_thread(v) : i;
        if (unit >= units)
            continue;
        LOCAL u32 *words = image + unit * 3;
        words[0] = loaded->units[i].a;
        words[1] = loaded->units[i].b;
        words[2] = loaded->units[i].c;
    }
}

/* What looks have found, as the leader knows it: it is the first thread, which loads the first unit. */
typedef struct {
    u32 seen;       /* ANN_SEEN_…; what is in the slot, only the leader says */
    u32 looks;      /* at the host's slot, or begun there */
    u32 near_looks; /* since the last one at the host's slot */
    u32 stamp;      /* the first unit's first word: the command that was in force when the message was sent */
} ann_sight;

/* By those who look: looks at the next slots, as often as the leader asks, until one is seen. */
ANN_FUNCTION ann_sight ann_look_in_a_row(PRIVATE const ann_view *v)
{
    LOCAL ann_row *r = &v->shared->row;
    GLOBAL const u8 *slot = (GLOBAL const u8 *)r->slot;
    u32 units = r->units, lap = r->lap, most = r->most, known = r->known, brings = r->brings;
    ann_loaded loaded;
    u32 looks = 0, near_looks = 0, seen = 0;
#if ANN_LAUNCH_CONNECTABLE
    GLOBAL const u8 *near = (GLOBAL const u8 *)r->near;
    u32 near_lap = r->near_lap;
    u32 most_near = r->most_near;
#endif
    for (;;) {
        looks++;
#if ANN_LAUNCH_CONNECTABLE
        for (near_looks = 0; near_looks < most_near && !seen;) {
            near_looks++;
            if (ann_look_at_units(v, near, units, near_lap, 0, 1, &loaded))
                seen = ANN_SEEN_NEAR;
        }
        if (seen)
            break;
#endif
        if (ann_look_at_units(v, slot, units, lap, brings, 0, &loaded))
            seen = ann_thread(v) == 0 && loaded.units[0].a == known && loaded.units[0].b >> 24 == ANN_KIND_MESSAGE
                ? ANN_SEEN_HOST | ANN_SEEN_MESSAGE
                : ANN_SEEN_HOST;
        ann_keep_brought(v, brings, &loaded);
        brings = 0;
        if (seen || looks >= most)
            break;
    }
    if (seen)
        ann_keep_units(v, units, &loaded);
    ann_sight looked;
    looked.seen = seen;
    looked.looks = looks;
    looked.near_looks = near_looks;
    looked.stamp = loaded.units[0].a;
    return looked;
}

/* The leader's words that all who look load behind a meeting, in one wait. */
typedef struct {
    u32 most;      /* looks; 0: none any more, and there may be an answer: */
    u32 units;     /* so many, */
    u32 lap;
    u64 slot;
    u32 content[3]; /* and this thread's of them */
} ann_told;

ANN_FUNCTION ann_told ann_hear(PRIVATE const ann_view *v)
{
    LOCAL const ann_row *r = &v->shared->row;
    ann_told told;
    told.most = r->most;
#if ANN_LOOKS_TOGETHER
    LOCAL const u32 *words = (LOCAL const u32 *)v->shared->outputs + ann_thread(v) % ANN_WARP * 3;
    told.units = r->answer_units;
    told.lap = r->answer_lap;
    told.slot = r->answer;
    for (u32 i = 0; i < 3; i++)
        told.content[i] = words[i];
#endif
    return told;
}

/* By those who look: stores the answer's units, of which the leader has made the image in the block's own memory. */
ANN_FUNCTION void ann_seal_together(ann_told told)
{
#if ANN_LOOKS_TOGETHER
    u32 unit = ann_thread();
    if (unit < told.units)
        ann_store_unit((GLOBAL u8 *)told.slot + unit * 16, told.content[0], told.content[1], told.content[2], told.lap);
#endif
}

/* What the leader knows while the block looks. */
typedef struct {
    u64 next_in;  /* the ticket of the host's slot */
    u32 known;    /* the command that it obeys */
    u32 most;     /* looks of this turn at the host's words, */
    u32 looks;    /* those that were made, */
    u32 more;     /* and how many of them follow now */
    u32 idle;     /* turns that found nothing before */
    u32 is_ready; /* for a single message */
    u32 stays;    /* the kernel does, and runs in no epochs */
    u32 shows_depth;
    u32 says;    /* it has not said yet that it looks */
    u32 attends; /* the first look brings what the host asks now and then; behind it: something is asked */
    ann_asked asked;
    u32 brings;  /* so many of the host's words does the first look bring */
    u32 command; /* what the first look has brought */
    u64 reserved;
#if ANN_LAUNCH_CONNECTABLE
    u32 is_near;    /* it looks at the ring between kernels, too */
    u32 near_turns; /* turns in a row that took from there */
#endif
} ann_watcher;

/* By the leader: begins a turn, and says at what to look first: once, with the host's other words. Later looks of the turn
   bring none of these. */
ANN_FUNCTION void ann_begin_watch(PRIVATE const ann_view *v, PRIVATE ann_watcher *w)
{
    LOCAL ann_shared *b = v->shared;
    LOCAL ann_state *s = &b->state;
    LOCAL ann_row *r = &b->row;
    ann_clear_turn(v);
    r->most = 0;
    r->answer_units = 0;
    if (b->ending)
        return;
    w->known = s->command;
    w->idle = b->idle;
    w->looks = 0;
    w->stays = b->launch.epoch_polls == 0;
#if ANN_LAUNCH_CONNECTABLE
    if ((w->known & ANN_TERMINATE) != 0) {
        /* The block ended in an earlier epoch, and was launched again because of other blocks. */
        b->ending = 1;
        return;
    }
    w->near_turns = b->device_local_turns;
    u32 is_due = w->near_turns >= ANN_DEVICE_LOCAL_TURNS;
    w->is_near = !is_due && (w->known & ANN_ACTIVE) != 0 && s->pending == 0;
    u32 ticket = ann_device_local_next(v);
    r->near_lap = (ticket >> b->launch.in_shift) + 1;
    r->near = (u64)ann_device_local_in_slot(v, ticket);
    r->most_near = w->is_near ? ANN_DEVICE_LOCAL_LOOKS : 0;
#if ANN_SEALS_IMAGES && ANN_FORWARDS_ONE
    ann_know_tickets(v, w->is_near);
#endif
#endif
    w->most = ann_looks_in_a_row(v);
#if ANN_LAUNCH_CONNECTABLE
    if (!w->is_near) {
        /* That the host has nothing does not mean that there is nothing. */
        b->again = is_due;
        b->device_local_turns = 0;
        w->most = 1;
    }
#endif
    w->attends = b->attends;
    w->brings = w->attends ? ANN_BRINGS_ASKED : ANN_BRINGS;
    r->brings = w->brings;
    w->next_in = s->next_in;
    r->slot = (u64)ann_in_slot(v, w->next_in);
    r->lap = ann_in_lap(v, w->next_in);
    r->units = ann_looked_units(b->launch.in_units);
    r->known = w->known;
    r->most = 1;
    w->is_ready = ann_is_ready_for_one(v);
    w->shows_depth = (w->known & ANN_TELEMETRY) != 0;
    w->says = b->said != ANN_AT_LOOKING;
}

#if ANN_LAUNCH_CONNECTABLE

/* By the leader, when a message of another kernel was seen: whether the turn takes from there. */
ANN_FUNCTION u32 ann_take_near(PRIVATE const ann_view *v, PRIVATE ann_watcher *w, ann_sight looked, PRIVATE u32 *takes_one)
{
    LOCAL ann_shared *b = v->shared;
    /* A block that has just been idle takes the first message at once, and the next turn sees how many others
       came. All looks of an epoch count as idle ones, so they say nothing of the turn before. */
    u32 is_first = w->is_ready && w->stays && w->idle + w->looks + looked.near_looks > 2;
    u32 waiting = is_first ? 1 : ann_device_local_waiting(v);
    b->command = w->known;
    b->idle = w->idle + w->looks - 1;
    *takes_one = is_first || (w->is_ready && ann_takes_one(v, waiting));
    if (*takes_one) {
        b->device_local = 1;
        b->device_local_turns = w->near_turns + 1;
        b->kept = 1;
        b->agreed = 0xFFFFFFFFu;
        return 1;
    }
    ann_window_device_local(v, waiting);
    b->device_local_turns = b->device_local ? w->near_turns + 1 : 0;
    if (b->device_local)
        ann_keep_first(v, looked.stamp, looked.stamp);
    return b->device_local;
}

#endif

/* By the leader, after looks: decides what the turn has to do, or how often is looked again (`more`). Returns 1 if it is a
   single message, which the leader handles without asking anything more. */
ANN_FUNCTION u32 ann_end_row(PRIVATE const ann_view *v, PRIVATE ann_watcher *w, ann_sight looked)
{
    LOCAL ann_shared *b = v->shared;
    LOCAL ann_row *r = &b->row;
    u32 seen = looked.seen;
    w->more = 0;
    w->looks += looked.looks;
#if ANN_LAUNCH_CONNECTABLE
    if ((seen & ANN_SEEN_NEAR) != 0) {
        u32 takes_one;
        if (ann_take_near(v, w, looked, &takes_one))
            return takes_one;
        /* There is no room for its answers. The look at the host's slot is still to come. */
        r->most_near = 0;
        w->most = w->looks;
        w->looks -= 1;
        w->more = 1;
        return 0;
    }
#endif
    if (w->brings != 0) {
        w->brings = 0;
        r->brings = 0;
        w->command = r->brought[0][0];
        w->reserved = ((u64)r->brought[1][1] << 32 | r->brought[1][0]) & ~ANN_CLOSED;
        if (w->attends) {
            b->attends = 0;
            w->asked.leave = r->brought[2][0];
            w->asked.question = r->brought[2][1];
            w->asked.origin = (u64)r->brought[2][3] << 32 | r->brought[2][2];
            /* Mostly nothing is asked, and then a message is not held up. */
            w->attends = ann_asks_something(v, &w->asked);
        }
    }
    u64 reserved = w->reserved;
    u32 command = w->command;
    if (!seen && w->looks < w->most && command == w->known && !(w->shows_depth && reserved != b->reserved)) {
        if (w->says)
            ann_at_nothing(v);
        w->says = 0;
        w->more = w->most - w->looks;
        return 0;
    }
    b->idle = w->idle + w->looks - 1;
#if ANN_LAUNCH_CONNECTABLE
    b->device_local_turns = 0;
#endif
    b->reserved = reserved;
    b->command = command;
    /* Of a message under another command, of a tombstone, and if the host asks for something, not all is known. The gauge
       was loaded with the first look: a message that a later one has seen is the first of what has come since. */
    if ((seen & ANN_SEEN_MESSAGE) != 0 && w->is_ready && command == w->known && !w->attends
        && (w->looks > 1 || ann_takes_one(v, reserved - w->next_in))) {
        b->kept = 1;
        b->agreed = 0xFFFFFFFFu;
        return 1;
    }
    /* Another thread has loaded it. What the host wrote before a new command is acquired by who has loaded the command and
       fences. */
    if (command != w->known || !b->state.looked)
        command = ann_load_relaxed_u32(ANN_U32(v->shard, ANN_CONTROL_COMMAND));
    b->command = command;
    /* How many have come with what a later look has seen. */
    if (seen && w->looks > 1)
        b->reserved = ann_load_relaxed_u64(ANN_U64(v->inbound, ANN_RING_RESERVED)) & ~ANN_CLOSED;
    if (seen)
        ann_keep_first(v, looked.stamp, command);
    else
        b->kept = 0;
    if (w->attends) {
        ann_attend_to(v, &w->asked);
        if (w->asked.leave == b->epoch) {
            b->ending = 1;
            return 0;
        }
    }
    ann_weigh(v, command, seen != 0);
    return 0;
}

#endif
