/* The block: an inbound ring whose slots are sealed, for blocks of several threads. `PROTOCOL.md` argues why
   this is correct. */

#if ANN_LAUNCH_SEALED

/* So many units one thread loads or stores at a time. Eight hold a message of 64 bytes with an envelope. */
#define ANN_FIRST_UNITS 8
/* A look loads the whole next slot if it has at most this many units. Those of a warp are as many as a sealed slot has at
   most; three threads are left for other words. */
#define ANN_LOOKED_UNITS (ANN_LOOKS_TOGETHER ? 29u : ANN_FIRST_UNITS)
/* How many units of its share a thread loads at a time. */
#define ANN_UNDER_WAY 16

/* Puts a unit's content where it belongs in a message's image. */
ANN_FUNCTION void ann_keep_unit(PRIVATE const ann_view *v, u32 message, u32 place, const ann_unit *unit)
{
    GLOBAL u32 *words = (GLOBAL u32 *)(ann_message_at(v, message) + place * 12);
    words[0] = unit->a;
    words[1] = unit->b;
    words[2] = unit->c;
}

#if ANN_WATCHES

/* Of how many units of a slot that has so many a look asks for the lap: of all of them, or of the first one. */
ANN_FUNCTION u32 ann_looked_units(u32 units)
{
    return units <= ANN_LOOKED_UNITS ? units : 1;
}

/* By the leader, by whose looks the next slot is published, or may be if it has many units: whether the block has
   it whole, in its own memory. `stamp` is the message's, `command` what the look has seen. */
ANN_FUNCTION void ann_keep_first(PRIVATE const ann_view *v, u32 stamp, u32 command)
{
    LOCAL ann_shared *b = v->shared;
    b->kept = b->launch.in_units <= ANN_LOOKED_UNITS;
    b->agreed = 0xFFFFFFFFu;
    if (b->kept && stamp != command) {
        /* SYNC: command (acquire) */
        ann_fence_acquire();
        b->agreed = 0;
    }
}

#endif

/* Which unit of which message. */
typedef struct {
    u32 message;
    u32 unit;
} ann_unit_at;

/* The one behind it by a step that is given in the same way. */
ANN_FUNCTION ann_unit_at ann_step_units(ann_unit_at at, ann_unit_at step, u32 units)
{
    at.message += step.message;
    at.unit += step.unit;
    if (at.unit >= units) {
        at.unit -= units;
        at.message += 1;
    }
    return at;
}

/* Each thread loads its share of the units of the slots that may be published, in one wait, whatever their
   number. `is_near` says that they are of the ring between kernels, whose tickets have 31 bits, and whose messages come
   under any command. */
ANN_FUNCTION void ann_bring_units(PRIVATE const ann_view *v, u32 is_near)
{
    LOCAL ann_shared *b = v->shared;
    u32 window = b->window;
    u32 units = b->launch.in_units;
    u32 kept = b->kept;
    /* Kept in registers: an access to the block's own memory between two loads might wait for one of them. */
    u32 command = b->command;
    u32 shift = b->launch.in_shift;
    u64 mask = ((u64)1 << shift) - 1;
    u64 stride = b->launch.in_stride;
    u64 next = b->state.next_in;
    GLOBAL const u8 *slots = v->inbound + ANN_RING_SLOTS;
    u64 tickets = ~(u64)0;
#if ANN_LAUNCH_CONNECTABLE
    if (is_near) {
        next = ann_device_local_next(v);
        slots = v->device_local + ANN_RING_SLOTS;
        tickets = ANN_DEVICE_LOCAL_TICKETS;
    }
#endif
    u32 all = window > kept ? (window - kept) * units : 0;
    u32 gap = window;
    u32 stale = window;
    /* The thread's units come after each other at the same distance, so there is one division, and not one for each. */
    ann_unit_at at, step;
    at.message = kept + ann_thread(v) / units;
    at.unit = ann_thread(v) % units;
    step.message = ANN_LAUNCH_THREADS / units;
    step.unit = ANN_LAUNCH_THREADS % units;
    for (u32 begin = ann_thread(v); begin < all; begin += ANN_UNDER_WAY * ANN_LAUNCH_THREADS) {
        ann_unit loaded[ANN_UNDER_WAY];
        ann_unit_at from = at;
        for (u32 j = 0; j < ANN_UNDER_WAY; j++, from = ann_step_units(from, step, units)) {
            if (begin + j * ANN_LAUNCH_THREADS >= all)
                continue;
            GLOBAL const u8 *place = slots + ((next + from.message) & mask) * stride + from.unit * 16;
#if ANN_LAUNCH_CONNECTABLE
            if (is_near) {
                loaded[j] = ann_device_load_unit(place);
                continue;
            }
#endif
            loaded[j] = ann_load_unit(place);
        }
        for (u32 j = 0; j < ANN_UNDER_WAY; j++, at = ann_step_units(at, step, units)) {
            if (begin + j * ANN_LAUNCH_THREADS >= all)
                continue;
            u32 message = at.message;
            u32 lap = (u32)(((next + message) & tickets) >> shift) + 1;
            if (loaded[j].lap != lap) {
                gap = message < gap ? message : gap;
                continue;
            }
            ann_keep_unit(v, message, at.unit, &loaded[j]);
            if (!is_near && at.unit == 0 && loaded[j].a != command)
                stale = message < stale ? message : stale;
        }
    }
    if (stale < window) {
        /* SYNC: command (acquire) */
        ann_fence_acquire();
        ann_shared_min(&b->agreed, stale);
    }
    if (gap < window)
        ann_shared_min(&b->found, gap);
}

/* Each thread loads its share of the units of the turn's slots. */
ANN_FUNCTION void ann_bring_sealed(PRIVATE const ann_view *v)
{
    if (ann_is_device_local(v))
        ann_bring_units(v, 1);
    else
        ann_bring_units(v, 0);
}

#if ANN_ALONE

/* Words of eight bytes that hold the content of as many units as a look loads. */
#define ANN_IMAGE_WORDS (ANN_FIRST_UNITS * 3 / 2)

/* By the leader: loads the content of up to eight units from their image, by fours of units, which are a whole
   number of eight bytes. */
ANN_FUNCTION void ann_load_image(LOCAL const u8 *image, u32 units, PRIVATE u64 *words)
{
    LOCAL const u64 *from = (LOCAL const u64 *)image;
    for (u32 i = 0; i < ANN_IMAGE_WORDS; i++)
        if (i < ANN_IMAGE_WORDS / 2 || units > ANN_FIRST_UNITS / 2)
            words[i] = from[i];
}

/* By the leader: stores them, into a slot of the host or of another kernel (`is_near`). */
ANN_FUNCTION void ann_store_image(GLOBAL u8 *slot, PRIVATE const u64 *words, u32 units, u32 lap, u32 is_near)
{
    for (u32 i = 0; i < ANN_FIRST_UNITS; i++) {
        u64 low = words[i * 3 / 2], high = words[i * 3 / 2 + 1];
        u32 a = i % 2 == 0 ? (u32)low : (u32)(low >> 32);
        u32 b = i % 2 == 0 ? (u32)(low >> 32) : (u32)high;
        u32 c = i % 2 == 0 ? (u32)high : (u32)(high >> 32);
        if (i >= units)
            continue;
#if ANN_LAUNCH_SEALS
        if (is_near) {
            ann_device_store_unit(slot + i * 16, a, b, c, lap);
            continue;
        }
#endif
        ann_store_unit(slot + i * 16, a, b, c, lap);
    }
}

/* By the leader: does both. All words are loaded before the first is stored. */
ANN_FUNCTION void ann_seal_units(GLOBAL u8 *slot, LOCAL const u8 *image, u32 units, u32 lap, u32 is_near)
{
    u64 words[ANN_IMAGE_WORDS];
    ann_load_image(image, units, words);
    ann_store_image(slot, words, units, lap, is_near);
}

#endif

/* By the leader: the command that is in force for the messages found. If their stamps equal the command that
   this turn has seen, it is that command. If a thread found another stamp, it has fenced, and the command is
   loaded once more. */
ANN_FUNCTION u32 ann_command_after(PRIVATE const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    if (b->agreed >= b->found)
        return b->command;
    return ann_load_relaxed_u32(ANN_U32(v->shard, ANN_CONTROL_COMMAND));
}

/* The word at an offset in an answer's image. */
ANN_FUNCTION u32 ann_answer_word(PRIVATE const ann_view *v, u32 at, u32 meta, GLOBAL const u8 *output)
{
    LOCAL ann_launch *l = &v->shared->launch;
    if (at == 4)
        return meta;
    if (at < (u32)l->out_payload || at - (u32)l->out_payload >= ANN_OUTPUT_SPAN || meta >> 24 != ANN_KIND_MESSAGE)
        return 0;
    return *(GLOBAL const u32 *)(output + (at - (u32)l->out_payload));
}

/* Stores a unit of the outbound slot of `ticket`. The unit carries its lap, so it needs no ordering. */
ANN_FUNCTION void ann_store_out_unit(PRIVATE const ann_view *v, u64 ticket, u32 unit, u32 a, u32 b, u32 c)
{
    u32 lap = (u32)(ticket >> v->shared->launch.out_shift) + 1;
    ann_store_unit(ann_out_slot(v, ticket) + unit * 16, a, b, c, lap);
}

/* The same for an answer whose words are in different places. */
ANN_FUNCTION void ann_store_answer_unit(
    PRIVATE const ann_view *v, u64 ticket, u32 unit, u32 meta, GLOBAL const u8 *output)
{
    u32 words[3];
    for (u32 j = 0; j < 3; j++)
        words[j] = ann_answer_word(v, unit * 12 + j * 4, meta, output);
    ann_store_out_unit(v, ticket, unit, words[0], words[1], words[2]);
}

#else

/* There are no sealed slots. */
ANN_FUNCTION void ann_bring_sealed(PRIVATE const ann_view *v) {}
ANN_FUNCTION u32 ann_command_after(PRIVATE const ann_view *v)
{
    return 0;
}

#endif
