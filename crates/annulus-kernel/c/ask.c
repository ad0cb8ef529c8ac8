/* Stands in place of a timer's number while its message is that of an ask. */
#define ANN_IS_ASK 1u

/* Where the message goes that comes of an ask; null, and the message fails, beyond what there is room for. */
RS_FN GLOBAL u8 *ann_ask_next(PRIVATE ann_later *later, u64 nanos)
{
    GLOBAL u8 *place = ann_later_next(later, nanos);
    if (place)
        later->next[later->set - 1].number = ANN_IS_ASK;
    return place;
}
