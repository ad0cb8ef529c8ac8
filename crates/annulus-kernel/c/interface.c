/* What handlers see of the runtime, the same in all dialects. */

/* Where a call runs. */
typedef struct {
    u32 block_index;
    u32 grid_size;
    u32 thread_index;
} ann_cx;

/* Where a call's outputs go: payloads `stride` bytes apart from `first` on, at the places (ticket + i) &
   mask. */
typedef struct {
    GLOBAL u8 *first;
    u64 ticket;
    u64 mask;
    u64 stride;
    u32 limit;
    u32 sent;
    u32 refused;
} ann_outbox;

/* What a block prints in a turn, for all of its threads. */
typedef struct {
    u64 first; /* the ticket of the turn's first print */
    u32 room;  /* how many find room */
    u32 count; /* how many there were; from 2 to the power of 31 on no more are counted */
} ann_print_turn;

/* Where a call's prints go: the slots of a ring. */
typedef struct {
    LOCAL ann_print_turn *turn;
    GLOBAL u8 *slots;
    u64 stride;
    u32 shift; /* the capacity is 1 << shift */
    u32 lap;
    GLOBAL u8 *slot; /* of the print that is being written */
} ann_printer;

/* Where the arguments of the next print go; null, and the print is lost, if there is no room. */
ANN_FUNCTION GLOBAL u64 *ann_print_next(PRIVATE ann_printer *printer)
{
    LOCAL ann_print_turn *turn = printer->turn;
    u32 number = ann_count_up(&turn->count);
    if (number >= turn->room) {
        if (number >= 0x80000000u)
            ann_count_down(&turn->count);
        return 0;
    }
    u64 ticket = turn->first + number;
    printer->lap = (u32)(ticket >> printer->shift) + 1;
    printer->slot = printer->slots + (ticket & (((u64)1 << printer->shift) - 1)) * printer->stride;
    return (GLOBAL u64 *)(printer->slot + 8);
}

/* Publishes the print, whose arguments are written. */
ANN_FUNCTION void ann_print(PRIVATE ann_printer *printer, u32 number)
{
    *(GLOBAL u32 *)(printer->slot + 4) = 6u << 24 | number; /* a print, by its number */
    /* SYNC: slot-published (release) */
    ann_store_release_u32((GLOBAL u32 *)printer->slot, printer->lap);
}

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
