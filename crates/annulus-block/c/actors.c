/* The block: the table of its actors, of a kernel whose keys are sparse. `annulus_abi::actors` says what lies where, and
   who writes when. */

#if ANN_LAUNCH_SPARSE

/* Words in front of the entries. */
#define ANN_ACTORS_HEAD 2

/* Entries of a table for so many places. */
ANN_FUNCTION u64 ann_entries(u64 places)
{
    u64 entries = 4;
    while (entries / 4 * 3 < places)
        entries *= 2;
    return entries;
}

/* Where a block's table begins: behind the states of all blocks, aligned to an entry, in front of it those of others. */
ANN_FUNCTION GLOBAL u64 *ann_actors_of(GLOBAL u8 *states, GLOBAL const ann_launch *l, u64 block)
{
    u64 bytes = ((u64)l->grid * l->actors_per_block * sizeof(ANN_STATE) + 15) / 16 * 16;
    return (GLOBAL u64 *)(states + bytes) + block * (ANN_ACTORS_HEAD + 2 * ann_entries(l->actors_per_block));
}

/* Where a key's entry lies at the earliest. */
/* TWIN: first_entry */
ANN_FUNCTION u64 ann_first_entry(u64 key, u64 entries)
{
    key = (key ^ key >> 33) * 0xFF51AFD7ED558CCDul;
    key = (key ^ key >> 33) * 0xC4CEB9FE1A85EC53ul;
    return (key ^ key >> 33) & (entries - 1);
}

/* The key's entry, or the empty one that ends the search. */
/* TWIN: find_actor */
ANN_FUNCTION GLOBAL u64 *ann_find_actor(const ann_view *v, u64 key)
{
    u64 entries = v->shared->entries;
    u64 entry = ann_first_entry(key, entries);
    for (;;) {
        GLOBAL u64 *at = v->actors + ANN_ACTORS_HEAD + 2 * entry;
        if (at[1] == 0 || at[0] == key)
            return at;
        entry = (entry + 1) & (entries - 1);
    }
}

/* The place of this key; ANN_NO_ACTOR if it has none. */
ANN_FUNCTION u64 ann_known_actor(const ann_view *v, u64 key)
{
    u64 place = ann_find_actor(v, key)[1];
    return place != 0 ? place - 1 : ANN_NO_ACTOR;
}

/* By the leader: the place of this key, which is given one if it has none; ANN_NO_ACTOR if all are in use. */
/* TWIN: place_actor */
ANN_FUNCTION u64 ann_place_actor(const ann_view *v, u64 key)
{
    GLOBAL u64 *at = ann_find_actor(v, key);
    if (at[1] != 0)
        return at[1] - 1;
    u64 place = v->actors[0];
    if (place == v->shared->own)
        return ANN_NO_ACTOR;
    at[0] = key;
    at[1] = place + 1;
    v->actors[0] = place + 1;
    ann_store_relaxed_u64(ANN_U64(v->shard + v->shared->launch.shard_stride - ANN_PORTS_END - ANN_ACTOR_COUNTS, ANN_ACTORS_USED), place + 1);
    return place;
}

#endif
