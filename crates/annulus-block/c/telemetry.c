/* The block: its line of telemetry, and latencies. */

/* How many messages wait. Where the gauge may be far away, blocks of several threads have loaded it with the
   turn's first look. */
/* TWIN: depth */
ANN_FUNCTION u32 ann_depth(PRIVATE const ann_view *v)
{
#if ANN_LAUNCH_THREADS == 1 || ANN_HOSTED
    /* SYNC: gauge (acquire) */
    u64 reserved = ann_load_acquire_u64(ANN_U64(v->inbound, ANN_RING_RESERVED)) & ~ANN_CLOSED;
#else
    u64 reserved = v->shared->reserved;
#endif
    u64 depth = reserved - v->shared->state.next_in;
    /* The gauge may be older than a slot that was seen. */
    if ((i64)depth < 0)
        depth = 0;
#if ANN_LAUNCH_CONNECTABLE
    depth += ann_device_local_waiting(v);
#endif
    return depth < 0x7FFFFFFFul ? (u32)depth : 0x7FFFFFFFu;
}

/* Writes the line, if telemetry is on and there is one. The words are in any order; the check tells which
   belong together. */
/* TWIN: write_telemetry */
ANN_FUNCTION void ann_write_telemetry(PRIVATE const ann_view *v)
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
/* TWIN: note_depth */
ANN_FUNCTION void ann_note_depth(PRIVATE const ann_view *v)
{
    LOCAL ann_state *s = &v->shared->state;
    if ((s->command & ANN_TELEMETRY) != 0 && s->shown_depth != ann_depth(v))
        ann_write_telemetry(v);
}

/* Counts a latency in the histogram, which has 32 buckets for each doubling. */
/* TWIN: count_latencies */
ANN_FUNCTION void ann_count_latency(PRIVATE const ann_view *v, u64 nanos)
{
    u64 bucket = nanos;
    if (nanos >= 32) {
        u32 exponent = 63 - ann_leading_zeros_u64(nanos);
        bucket = ((u64)(exponent - 4) << 5) + ((nanos >> (exponent - 5)) & 31);
    }
    GLOBAL u64 *count = ANN_U64(v->shard, v->shared->launch.histogram + 8 * bucket);
    ann_store_relaxed_u64(count, ann_load_relaxed_u64(count) + 1);
}

/* TWIN: count_telemetry */
ANN_FUNCTION void ann_count_telemetry(PRIVATE const ann_view *v)
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
            s->shown_unmeasured + b->processed < s->shown_unmeasured
                ? 0xFFFFFFFFu
                : s->shown_unmeasured + b->processed;
    if (!on)
        return;
    if (b->processed != 0) {
        /* The clock is read once per turn: a message's latency ends with its turn's last handler. */
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
#if !ANN_DEFERS
    ann_write_telemetry(v);
#endif
}
