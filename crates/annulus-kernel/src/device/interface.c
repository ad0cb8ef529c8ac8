/* What handlers see of the runtime, the same in all dialects. */

/* Where a call runs. */
typedef struct {
    u32 block_index;
    u32 grid_size;
    u32 thread_index;
} ann_cx;

/* Where a call's outputs go: payloads `stride` bytes apart from `first` on, at the places (ticket + i) & mask. */
typedef struct {
    GLOBAL u8 *first;
    u64 ticket;
    u64 mask;
    u64 stride;
    u32 limit;
    u32 sent;
    u32 refused;
} ann_outbox;

/* Where the next output goes; null, and the message fails, beyond what the kernel may send. */
ANN_FUNCTION GLOBAL u8 *ann_outbox_next(PRIVATE ann_outbox *outbox)
{
    if (outbox->sent >= outbox->limit) {
        outbox->refused = 1;
        return 0;
    }
    GLOBAL u8 *place = outbox->first + ((outbox->ticket + outbox->sent) & outbox->mask) * outbox->stride;
    outbox->sent += 1;
    return place;
}
