/* The block: outputs that begin with a topic, and go to all places that take it. */

#if ANN_LAUNCH_CONNECTABLE && defined(ANN_OUTPUT) && defined(ANN_TOPICS)

/* Where in the front of an output the places stand that it is still for, a bit for each. The rest is its topic. */
#define ANN_TOPIC_PLACES 16
#define ANN_TOPIC_MASK (((u64)1 << ANN_TOPIC_PLACES) - 1)

/* In the place of nobody's bit: the host takes it, too. The host gets its copy when the output is marked; the bit stays, and
   says that it has it. */
#define ANN_TOPIC_HOST ((u64)1 << ANN_PEERS)

/* Behind the records of the places, and their addresses. */
#define ANN_TOPIC_TABLE (ANN_PORTS * (sizeof(ann_link) + 8))

/* By any thread, once, after an output was sent: finds the entry of its topic in the table, which the host
   may be changing, and notes who takes it. */
/* TWIN: mark_apart */
ANN_FUNCTION void ann_mark_apart(PRIVATE const ann_view *v, GLOBAL u8 *output)
{
    GLOBAL u64 *table = (GLOBAL u64 *)((GLOBAL u8 *)v->link + ANN_TOPIC_TABLE);
    /* How many entries there are stands in front of them. */
    u64 last = table[0] - 1;
    GLOBAL u64 *front = (GLOBAL u64 *)output;
    u64 topic = *front & ~ANN_TOPIC_MASK;
    /* As `first_entry` in Rust. */
    u64 at = topic >> ANN_TOPIC_PLACES & last;
    u64 places = 0;
    for (u64 looked = 0; looked <= last; looked++) {
        u64 entry = ann_load_relaxed_u64(table + 1 + at);
        if (entry == 0)
            break;
        if ((entry & ~ANN_TOPIC_MASK) == topic) {
            places = entry & ANN_TOPIC_MASK;
            break;
        }
        at = (at + 1) & last;
    }
    *front = topic | places;
}

/* Whether the host takes an output, which was marked. */
/* TWIN: is_heard */
ANN_FUNCTION u32 ann_is_heard(GLOBAL const u8 *output)
{
    return (*(GLOBAL const u64 *)output & ANN_TOPIC_HOST) != 0;
}

/* The places of kernels that an output is still for. What nobody takes is for the last one, which stands for nobody. */
/* TWIN: places_of */
ANN_FUNCTION u32 ann_places_of(GLOBAL const u8 *output)
{
    u64 places = *(GLOBAL const u64 *)output & ANN_TOPIC_MASK;
    return places != 0 ? (u32)(places & ~ANN_TOPIC_HOST) : (u32)1 << ANN_PEERS;
}

/* The first of them from this one on; ANN_PORTS if there is none. */
ANN_FUNCTION u32 ann_place_from(u32 places, u32 from)
{
    if (from >= ANN_PORTS || places >> from == 0)
        return ANN_PORTS;
    while ((places >> from & 1) == 0)
        from += 1;
    return from;
}

/* An output has gone by this place. Returns whether it has gone by all that are places of kernels. */
/* TWIN: take_from */
ANN_FUNCTION u32 ann_take_from(GLOBAL u8 *output, u32 place)
{
    GLOBAL u64 *front = (GLOBAL u64 *)output;
    u64 left = *front & ANN_TOPIC_MASK & ~((u64)1 << place);
    if (left == 0)
        return 1;
    *front = (*front & ~ANN_TOPIC_MASK) | left;
    return left == ANN_TOPIC_HOST;
}

/* Before an output goes to the host: who takes it is no part of the topic. */
ANN_FUNCTION void ann_forget_places(GLOBAL u8 *output)
{
    *(GLOBAL u64 *)output &= ~ANN_TOPIC_MASK;
}

/* The places of an output, one after the other. */
#define ANN_PLACES_OF(v, output) ann_places_of(output)
#define ANN_FIRST_OF(places) ann_place_from(places, 0)
#define ANN_NEXT_OF(places, place) ann_place_from(places, (place) + 1)

#elif ANN_LAUNCH_CONNECTABLE && defined(ANN_OUTPUT) && defined(ANN_PORTS)

/* There is one. */
#define ANN_PLACES_OF(v, output) ANN_PORT_OF(output)
#define ANN_FIRST_OF(places) (places)
#define ANN_NEXT_OF(places, place) ANN_PORTS

#endif
