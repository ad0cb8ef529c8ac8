/* The block: outputs that go into sealed slots of another kernel. `PROTOCOL.md` argues why this is correct. */

#if ANN_LAUNCH_CONNECTABLE && ANN_LAUNCH_SEALS && defined(ANN_OUTPUT)

/* Four of an output's bytes, from `at` on, which may lie in front of it. What lies beside it is 0. */
ANN_FUNCTION u32 ann_four_of(GLOBAL const u8 *output, u32 bytes, u32 at)
{
    if ((at & 3) == 0 && at < bytes && bytes - at >= 4)
        return *(GLOBAL const u32 *)(output + at);
    u32 word = 0;
    for (u32 j = 0; j < 4; j++)
        if (at + j < bytes)
            word |= (u32)output[at + j] << j * 8;
    return word;
}

/* The word at an offset of the image that an output has in another kernel's slot. */
ANN_FUNCTION u32 ann_word_for(
    LOCAL const ann_link *l, u32 at, GLOBAL const u8 *output, u32 bytes, u64 now, u64 call)
{
    u32 shift = (at & 4) * 8;
#if ANN_LAUNCH_VARIANTS
    u32 length = l->tag_bytes != 0 ? l->bytes : bytes;
#else
    u32 length = bytes;
#endif
    if (at < 8)
        return at == 4 ? ANN_KIND_MESSAGE << 24 | length : 0;
    if (l->time != 0 && (at & ~4u) == (u32)l->time)
        return (u32)(now >> shift);
    if (l->correlation != 0 && (at & ~4u) == (u32)l->correlation)
        return (u32)(call >> shift);
    u32 word = ann_four_of(output, bytes, at - (u32)l->payload);
#if ANN_LAUNCH_VARIANTS
    for (u32 j = 0; j < 4; j++) {
        u32 of_tag = at + j - l->tag_place;
        if (of_tag < l->tag_bytes)
            word |= (l->tag >> of_tag * 8 & 0xFF) << j * 8;
    }
#endif
    return word;
}

/* Stores a unit of the slot of `ticket`. It carries its lap, so it needs no order. */
ANN_FUNCTION void ann_seal_unit_for(
    LOCAL const ann_link *l, GLOBAL u8 *ring, u32 ticket, u32 unit, GLOBAL const u8 *output, u32 bytes, u64 now,
    u64 call)
{
    u32 words[3];
    for (u32 j = 0; j < 3; j++)
        words[j] = ann_word_for(l, unit * 12 + j * 4, output, bytes, now, call);
    ann_device_store_unit(
        ann_device_local_slot(l, ring, ticket) + unit * 16, words[0], words[1], words[2],
        ann_device_local_lap(l, ticket));
}

/* The same for all units of the slot. */
ANN_FUNCTION void ann_seal_for(
    LOCAL const ann_link *l, GLOBAL u8 *ring, u32 ticket, GLOBAL const u8 *output, u32 bytes, u64 now, u64 call)
{
    for (u32 unit = 0; unit < l->units; unit++)
        ann_seal_unit_for(l, ring, ticket, unit, output, bytes, now, call);
}

#endif
