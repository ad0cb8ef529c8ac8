/* The block: messages that carry a trace. `PROTOCOL.md` describes it. */

#if ANN_LAUNCH_TRACED

#if ANN_LAUNCH_SEALED
#error "slots that carry a trace are open"
#endif

#define ANN_KIND_RECORD 9u
#define ANN_RING_LOST 16

/* The trace that an output in scratch memory carries; 0 for none. */
#define ANN_TRACE_OF(output) (*ANN_U64(output, ANN_OUTPUT_SPAN))

/* The trace of a slot's message, or of its copy. */
ANN_FUNCTION u64 ann_trace(PRIVATE const ann_view *v, GLOBAL const u8 *slot)
{
    return *(GLOBAL const u64 *)(slot + v->shared->launch.in_trace);
}

/* By the leader, when the block is launched: goes on where the last epoch ended. */
ANN_FUNCTION void ann_load_records(PRIVATE const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    GLOBAL u8 *ring = v->shard + b->launch.records;
    b->next_record = ann_load_relaxed_u64(ANN_U64(ring, ANN_RING_RESERVED));
    /* SYNC: slots-returned (acquire) */
    b->records_seen = ann_load_acquire_u64(ANN_U64(ring, ANN_RING_CONSUMED));
    b->records_lost = ann_load_relaxed_u64(ANN_U64(ring, ANN_RING_LOST));
    b->sampled = 0;
    b->trace = 0;
}

/* By the leader: what the handler's call is, of a message that carries a trace: its span. Twin of `trace::span`. */
ANN_FUNCTION u32 ann_span(PRIVATE const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    u32 number = (u32)(b->next_record + b->records_lost);
    u32 span = b->launch.trace_seed + ann_block(v) * 0x9E3779B1u + number;
    return span != 0 ? span : 1;
}

/* By the leader: writes the record of a message, or counts it as lost. Returns the word of what its handler has sent.
   It waits for nobody. */
/* TWIN: record */
ANN_FUNCTION u64 ann_record(
    PRIVATE const ann_view *v, u64 word, GLOBAL const u8 *image, u32 code, u32 sent, u64 taken, u64 done, u32 together)
{
    LOCAL ann_shared *b = v->shared;
    LOCAL ann_launch *l = &b->launch;
    GLOBAL u8 *ring = v->shard + l->records;
    u32 span = ann_span(v);
    u64 own = (word & 0xFFFFFFFF00000000ul) | span;
    u64 capacity = (u64)1 << l->record_shift;
    if (b->next_record - b->records_seen >= capacity) {
        /* SYNC: slots-returned (acquire) */
        b->records_seen = ann_load_acquire_u64(ANN_U64(ring, ANN_RING_CONSUMED));
        if (b->next_record - b->records_seen >= capacity) {
            b->records_lost += 1;
            ann_store_relaxed_u64(ANN_U64(ring, ANN_RING_LOST), b->records_lost);
            return own;
        }
    }
    GLOBAL u8 *slot = ring + ANN_RING_SLOTS + (b->next_record & (capacity - 1)) * l->record_stride;
    /* Behind the slot's header of 8 bytes. */
    *ANN_U64(slot, 8) = word;
    *ANN_U32(slot, 16) = span;
    *ANN_U32(slot, 20) = code;
    *ANN_U64(slot, 24) = *(GLOBAL const u64 *)(image + l->in_time);
    *ANN_U64(slot, 32) = taken;
    *ANN_U64(slot, 40) = done;
    *ANN_U32(slot, 48) = code == 0 ? sent : 0;
    *ANN_U32(slot, 52) = together;
    *ANN_U32(slot, 4) = ANN_KIND_RECORD << 24 | 48;
    /* SYNC: slot-published (release) */
    ann_store_release_u32(ANN_U32(slot, 0), (u32)(b->next_record >> l->record_shift) + 1);
    b->next_record += 1;
    /* SYNC: gauge (release) */
    ann_store_release_u64(ANN_U64(ring, ANN_RING_RESERVED), b->next_record);
    b->noted = 1;
    return own;
}

/* By the leader: the slot of a message that carries a trace is about to be given back. Into one of a ring between kernels
   a kernel may write next that knows of no traces, so it is left without one. */
ANN_FUNCTION void ann_clear_trace(PRIVATE const ann_view *v, GLOBAL u8 *slot)
{
#if ANN_LAUNCH_CONNECTABLE
    if (v->shared->device_local)
        *ANN_U64(slot, v->shared->launch.in_trace) = 0;
#endif
}

#ifdef ANN_OUTPUT

/* Outputs in scratch memory, from number `first` on, up to `end`, carry this trace, or none. */
ANN_FUNCTION void ann_mark(GLOBAL u8 *outputs, u32 first, u32 end, u64 trace)
{
    for (u32 k = first; k < end; k++)
        ANN_TRACE_OF(outputs + (u64)k * ANN_OUTPUT_STRIDE) = trace;
}

#else

ANN_FUNCTION void ann_mark(GLOBAL u8 *outputs, u32 first, u32 end, u64 trace) {}

#endif

#endif
