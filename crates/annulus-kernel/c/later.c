/* A message of a block to itself, or the place of one. The heap of those that wait is in front; what is behind it
   names the places that are free. */
typedef struct {
    u64 due; /* on the runtime's clock */
    u32 number; /* in the order in which timers were set, wrapping */
    u32 place;
} ann_timer;

/* Where the timers go that a call sets. */
typedef struct {
    GLOBAL ann_timer *next; /* those that it sets, with the places of their messages */
    GLOBAL u8 *first; /* the message in place 0, */
    u64 stride;       /* and the distance to the next */
    u64 now;
    u32 limit;
    u32 set;
    u32 refused;
} ann_later;

/* Where the message of the next timer goes; null, and the message fails, beyond what there is room for. */
RS_FN GLOBAL u8 *ann_later_next(PRIVATE ann_later *later, u64 nanos)
{
    if (later->set >= later->limit) {
        later->refused = 1;
        return 0;
    }
    GLOBAL ann_timer *timer = later->next + later->set;
    later->set += 1;
    u64 due = later->now + nanos;
    timer->due = due < nanos ? 0xFFFFFFFFFFFFFFFFul : due;
    return later->first + timer->place * later->stride;
}
