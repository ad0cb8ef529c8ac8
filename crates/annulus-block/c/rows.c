/* The block: outputs that begin with a row of a graph, and where the graph lies. */

#if ANN_LAUNCH_CONNECTABLE && defined(ANN_OUTPUT) && defined(ANN_ROWS)

/* The graph: how many rows there are, how many entries, whether they have values, and a word that means nothing. Behind
   them where each row begins, and the last one ends; the keys; the values. */
#define ANN_ROWS_HEAD 4
#define ANN_ROWS_ALL(v) ((v)->rows[0])
#define ANN_ROWS_ENTRIES(v) ((v)->rows[1])
#define ANN_ROWS_VALUED(v) ((v)->rows[2])

/* The counts of the place that outputs go to, and of that of outputs without a row. */
ANN_FUNCTION GLOBAL u8 *ann_row_counts(PRIVATE const ann_view *v, u32 place)
{
    return v->shard + v->shared->launch.shard_stride - ANN_PORT_COUNTS_BYTES + place * ANN_PORT_COUNTS;
}

/* By the leader, when it is launched. */
ANN_FUNCTION void ann_load_rows(PRIVATE const ann_view *v)
{
    v->shared->astray = ann_load_relaxed_u64(ANN_U64(ann_row_counts(v, 1), ANN_PORT_UNFORWARDED));
    v->shared->told_held = ann_load_relaxed_u64(ANN_U64(ann_row_counts(v, 0), ANN_PORT_HELD));
#if ANN_LAUNCH_THREADS == 1
    v->shared->copies = v->shared->told_held;
    v->shared->counted = v->shared->state.pending;
#endif
}

/* Before the sum is stored: what was sent on, which is all. */
ANN_FUNCTION void ann_store_copies(PRIVATE const ann_view *v)
{
    ann_store_relaxed_u64(ANN_U64(ann_row_counts(v, 0), ANN_PORT_FORWARDED), v->shared->state.forwarded);
}

/* By the leader, before it says that the block waits: how many copies wait for room in the connected kernel. */
/* TWIN: tell_waiting */
ANN_FUNCTION void ann_store_waiting(PRIVATE const ann_view *v, u64 held)
{
    if (held == v->shared->told_held)
        return;
    v->shared->told_held = held;
#if ANN_LAUNCH_HOLD
    /* Raised before what it came of is told, and lowered behind what has gone. SYNC: held (release) */
    ann_store_release_u64(ANN_U64(ann_row_counts(v, 0), ANN_PORT_HELD), held);
#else
    ann_store_relaxed_u64(ANN_U64(ann_row_counts(v, 0), ANN_PORT_HELD), held);
#endif
}

/* By the leader of a block that ends, before the sum is stored: copies that wait are lost. */
/* TWIN: abandon_rows */
ANN_FUNCTION void ann_end_rows(PRIVATE const ann_view *v)
{
    LOCAL ann_shared *b = v->shared;
    ann_store_waiting(v, 0);
    ann_store_relaxed_u64(ANN_U64(ann_row_counts(v, 0), ANN_PORT_UNFORWARDED), b->state.unforwarded - b->astray);
}

/* Part of a row: entries by their numbers. */
typedef struct {
    u64 next;
    u64 end;
} ann_entries;

/* The entries that an output has not gone to yet. Returns 0 if there is no such row, or if it has not so many. */
/* TWIN: entries_of */
ANN_FUNCTION u32 ann_entries_of(PRIVATE const ann_view *v, GLOBAL const u8 *output, PRIVATE ann_entries *of)
{
    u32 row = ((GLOBAL const u32 *)output)[0];
    u32 from = ((GLOBAL const u32 *)output)[1];
    if (row >= ANN_ROWS_ALL(v))
        return 0;
    u32 begin = v->rows[ANN_ROWS_HEAD + (u64)row];
    u32 end = v->rows[ANN_ROWS_HEAD + (u64)row + 1];
    if (from > end - begin)
        return 0;
    of->next = (u64)begin + from;
    of->end = end;
    return 1;
}

ANN_FUNCTION u32 ann_key_of_entry(PRIVATE const ann_view *v, u64 entry)
{
    return v->rows[ANN_ROWS_HEAD + (u64)ANN_ROWS_ALL(v) + 1 + entry];
}

#endif
