/* Where the next output of one of several outboxes goes; null, and the message fails, beyond what this one may
   send. `sent` counts the outputs of each. */
RS_FN GLOBAL u8 *ann_port_next(PRIVATE ann_outbox *outbox, PRIVATE u32 *sent, u32 port, u32 limit)
{
    if (sent[port] >= limit) {
        outbox->refused = 1;
        return 0;
    }
    sent[port] += 1;
    return ann_outbox_next(outbox);
}
