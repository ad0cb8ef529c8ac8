/* The block: the table of its actors, of a kernel whose keys are sparse. `annulus_abi::actors` says what lies where, and
   who writes when. */

#if ANN_BEGINS_ANEW

/* A state as it begins: it follows those of all blocks. */
ANN_FUNCTION GLOBAL const ANN_STATE *ann_new_state(PRIVATE const ann_view *v)
{
    u64 blocks = v->shared->launch.grid - ann_block(v);
    return (GLOBAL const ANN_STATE *)v->states + blocks * v->shared->launch.actors_per_block;
}

#endif

#if ANN_LAUNCH_SPARSE

/* Words in front of the entries, and which is which: places that were given, the hand, the first free place, and how many are
   free. */
#define ANN_ACTORS_HEAD 4
#define ANN_ACTORS_GIVEN 0
#define ANN_ACTORS_HAND 1
#define ANN_ACTORS_FREE 2
#define ANN_ACTORS_BACK 3

/* Entries of a table for so many places. */
/* TWIN: entries */
ANN_FUNCTION u64 ann_actor_entries(u64 places)
{
    u64 entries = 4;
    while (entries / 4 * 3 < places)
        entries *= 2;
    return entries;
}

/* Words of a table for so many places. */
/* TWIN: words */
ANN_FUNCTION u64 ann_table_words(u64 places)
{
    return ANN_ACTORS_HEAD + 2 * ann_actor_entries(places) + (ANN_BEGINS_ANEW ? 2 * places : 0);
}

/* Where a block's table begins: behind the states of all blocks, and one as it begins if actors go, aligned to an entry; in
   front of it those of others. */
ANN_FUNCTION GLOBAL u64 *ann_actors_of(GLOBAL u8 *states, GLOBAL const ann_launch *l, u64 block)
{
    u64 bytes = (((u64)l->grid * l->actors_per_block + ANN_BEGINS_ANEW) * sizeof(ANN_STATE) + 15) / 16 * 16;
    return (GLOBAL u64 *)(states + bytes) + block * ann_table_words(l->actors_per_block);
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
ANN_FUNCTION GLOBAL u64 *ann_find_actor(PRIVATE const ann_view *v, u64 key)
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
ANN_FUNCTION u64 ann_known_actor(PRIVATE const ann_view *v, u64 key)
{
    u64 place = ann_find_actor(v, key)[1];
    return place != 0 ? place - 1 : ANN_NO_ACTOR;
}

/* A word of the shard's `ActorCounts`. */
ANN_FUNCTION GLOBAL u64 *ann_actor_count(PRIVATE const ann_view *v, u32 word)
{
    return ANN_U64(v->shard + v->shared->launch.shard_stride - ANN_PORTS_END - ANN_ACTOR_COUNTS, word);
}

#if ANN_BEGINS_ANEW

/* A place's record: its key, and its mark. */
ANN_FUNCTION GLOBAL u64 *ann_place_record(PRIVATE const ann_view *v, u64 place)
{
    return v->actors + ANN_ACTORS_HEAD + 2 * v->shared->entries + 2 * place;
}

/* By the thread that handles its message. */
ANN_FUNCTION void ann_mark_actor(PRIVATE const ann_view *v, u64 place)
{
    GLOBAL u64 *mark = &ann_place_record(v, place)[1];
#if ANN_LAUNCH_EVICTS
    *mark = *mark == ANN_ACTOR_NEW || *mark == ANN_ACTOR_ENDED ? 0 : ANN_ACTOR_SEEN;
#else
    *mark = 0;
#endif
}

/* By the leader: takes the entry of this key away, and closes the gap. */
/* TWIN: remove_actor */
ANN_FUNCTION void ann_remove_actor(PRIVATE const ann_view *v, u64 key)
{
    GLOBAL u64 *first = v->actors + ANN_ACTORS_HEAD;
    u64 mask = v->shared->entries - 1;
    u64 gap = (u64)(ann_find_actor(v, key) - first) / 2;
    u64 next = (gap + 1) & mask;
    while (first[2 * next + 1] != 0) {
        /* How far it lies from where it would lie, and from the gap. If it would lie behind the gap, it stays. */
        u64 pushed = (next - ann_first_entry(first[2 * next], mask + 1)) & mask;
        if (pushed >= ((next - gap) & mask)) {
            first[2 * gap] = first[2 * next];
            first[2 * gap + 1] = first[2 * next + 1];
            gap = next;
        }
        next = (next + 1) & mask;
    }
    first[2 * gap + 1] = 0;
}

#ifdef ANN_ENDS

/* How many places are in use, for the host. */
ANN_FUNCTION void ann_tell_actors(PRIVATE const ann_view *v)
{
    u64 used = v->actors[ANN_ACTORS_GIVEN] - v->actors[ANN_ACTORS_BACK];
    ann_store_relaxed_u64(ann_actor_count(v, ANN_ACTORS_USED), used);
}

/* By the leader, when no thread handles a message of this actor: if it has ended, its place is free. */
/* TWIN: free_actor */
ANN_FUNCTION void ann_free_actor(PRIVATE const ann_view *v, u64 place)
{
    GLOBAL u64 *record = ann_place_record(v, place);
    if (record[1] != ANN_ACTOR_ENDED)
        return;
    ann_remove_actor(v, record[0]);
    record[0] = v->actors[ANN_ACTORS_FREE];
    record[1] = 0;
    v->actors[ANN_ACTORS_FREE] = place + 1;
    v->actors[ANN_ACTORS_BACK] += 1;
    ann_tell_actors(v);
}

/* By the thread that handles the actor's message: it has ended. */
/* TWIN: end_actor */
ANN_FUNCTION void ann_end_actor(PRIVATE const ann_view *v, u64 place)
{
    ann_place_record(v, place)[1] = ANN_ACTOR_ENDED;
#if ANN_LAUNCH_THREADS > 1
    ann_count_up_by(&v->shared->ended, 1);
#else
    v->shared->ended += 1;
#endif
}

/* By the leader: tells the host how many times actors have ended. */
ANN_FUNCTION void ann_tell_ended(PRIVATE const ann_view *v)
{
    GLOBAL u64 *ended = ann_actor_count(v, ANN_ACTORS_ENDED);
    ann_store_relaxed_u64(ended, ann_load_relaxed_u64(ended) + v->shared->ended);
    v->shared->ended = 0;
}

#endif

#if ANN_LAUNCH_EVICTS

/* By the leader: takes the entry of the actor away that the hand finds without a mark, and says which place that was;
   ANN_NO_ACTOR if all of them have a message in this turn. */
/* TWIN: evict_actor */
ANN_FUNCTION u64 ann_evict_actor(PRIVATE const ann_view *v)
{
    u64 places = v->shared->own;
    for (u64 i = 0; i < 2 * places; i++) {
        u64 place = v->actors[ANN_ACTORS_HAND];
        v->actors[ANN_ACTORS_HAND] = place + 1 < places ? place + 1 : 0;
        GLOBAL u64 *record = ann_place_record(v, place);
        if (record[1] == 0) {
            ann_remove_actor(v, record[0]);
            return place;
        }
        if (record[1] == ANN_ACTOR_SEEN)
            record[1] = 0;
    }
    return ANN_NO_ACTOR;
}

#endif
#endif

/* By the leader: the place of this key, which is given one if it has none; ANN_NO_ACTOR if all are in use, and none is
   evicted. Its mark is set when it is handled. */
/* TWIN: place */
ANN_FUNCTION u64 ann_place_actor(PRIVATE const ann_view *v, u64 key)
{
    GLOBAL u64 *at = ann_find_actor(v, key);
    if (at[1] != 0)
        return at[1] - 1;
    u64 place = v->actors[ANN_ACTORS_GIVEN];
#ifdef ANN_ENDS
    if (v->actors[ANN_ACTORS_FREE] != 0) {
        place = v->actors[ANN_ACTORS_FREE] - 1;
        v->actors[ANN_ACTORS_FREE] = ann_place_record(v, place)[0];
        v->actors[ANN_ACTORS_BACK] -= 1;
        ann_tell_actors(v);
    } else
#endif
    if (place < v->shared->own) {
        v->actors[ANN_ACTORS_GIVEN] = place + 1;
#ifdef ANN_ENDS
        ann_tell_actors(v);
#else
        ann_store_relaxed_u64(ann_actor_count(v, ANN_ACTORS_USED), place + 1);
#endif
    } else {
#if ANN_LAUNCH_EVICTS
        place = ann_evict_actor(v);
        if (place == ANN_NO_ACTOR)
            return ANN_NO_ACTOR;
        GLOBAL u64 *evicted = ann_actor_count(v, ANN_ACTORS_EVICTED);
        ann_store_relaxed_u64(evicted, ann_load_relaxed_u64(evicted) + 1);
        ((GLOBAL ANN_STATE *)v->states)[place] = *ann_new_state(v);
        /* Entries may have moved. */
        at = ann_find_actor(v, key);
#else
        return ANN_NO_ACTOR;
#endif
    }
    at[0] = key;
    at[1] = place + 1;
#if ANN_BEGINS_ANEW
    GLOBAL u64 *record = ann_place_record(v, place);
    record[0] = key;
    record[1] = ANN_ACTOR_NEW;
#endif
    return place;
}

#endif
