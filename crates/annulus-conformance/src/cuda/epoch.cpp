
#include <sched.h>
#include <string.h>

// Runs one launch beside a host that takes at its word whatever the block says. The first file has the bytes
// behind each of the entry's pointers, after their number, and then those of the late shard; the second gets
// those behind the first pointer when all threads have ended. The third argument is the seed.
static u8 *arguments[8];

// The words that a look of a warp brings along.
static void name_words(size_t block, const u8 *shard, const ann_launch *l, const ann_block_record *record)
{
    const u8 *places[] = {shard + ANN_CONTROL_COMMAND, shard + l->inbound + ANN_RING_RESERVED, (const u8 *)&record->leave};
    memcpy(ann_word_places[block], places, sizeof places);
}

static void *run(void *thread)
{
    place = {{(u32)(size_t)thread, 0, 0}, {0, 0, 0}, {ANN_LAUNCH_THREADS, 1, 1}, {1, 1, 1}};
    ann_main(arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5], arguments[6]);
    return 0;
}

static u32 has_ended;
static volatile u64 sum;

// What the late shard has where a slot is.
static const u8 *late_slot(const ann_launch *l, u64 ticket)
{
    return arguments[7] + l->inbound + ANN_RING_SLOTS + (ticket & (((u64)1 << l->in_shift) - 1)) * l->in_stride;
}

// Late messages are those from this ticket up to the other one.
static u64 first_late, end_late;

// The command that is given before a message is sent.
static u32 command_before(u64 ticket)
{
    return ANN_ACTIVE | ANN_TELEMETRY | (ticket < first_late ? 0 : (u32)(ticket - first_late + 1) << ANN_EPOCH_SHIFT);
}

#if ANN_LAUNCH_SEALED
// One store, as a host's producer does it, and unseen by the sanitizer.
static void store_unit(u8 *to, const u8 *from)
{
    asm volatile("movdqu (%1), %%xmm0\n\tmovdqa %%xmm0, (%0)" : : "r"(to), "r"(from) : "xmm0", "memory");
}

// Waits until so many more looks at units have begun.
static void await_looks(u32 more)
{
    u32 begun = __atomic_load_n(&looks_at_units, __ATOMIC_RELAXED);
    while (__atomic_load_n(&looks_at_units, __ATOMIC_RELAXED) - begun < more && !ann_load_acquire_u32(&has_ended)) sched_yield();
}
#endif

// Publishes the late messages, each after a command; two when all others have been handled, of which with
// sealed slots the first comes all at once, within a look, and of the second a unit with each turn, in an
// order by the seed.
static void *sender(void *)
{
    place.thread.x = 100;
    const ann_launch *l = (const ann_launch *)arguments[3];
    u8 *shard = arguments[0];
    for (u64 ticket = first_late; ticket < end_late; ticket += 1) {
        bool is_slow = ticket % 2 != 0;
        if (!is_slow) {
            while (ann_load_acquire_u64((const u64 *)(shard + l->inbound + ANN_RING_CONSUMED)) < ticket)
                if (ann_load_acquire_u32(&has_ended)) return 0;
                else sched_yield();
            dawdle(3000);
        }
        const u8 *from = late_slot(l, ticket);
        u8 *to = shard + (from - arguments[7]);
#if ANN_LAUNCH_SEALED
        if (!is_slow) await_looks(1);
#else
        if (is_slow) dawdle(300);
#endif
        ann_store_release_u32((u32 *)(shard + ANN_CONTROL_COMMAND), command_before(ticket));
        ann_store_relaxed_u64((u64 *)(shard + l->inbound + ANN_RING_RESERVED), ticket + 1);
#if ANN_LAUNCH_SEALED
        for (u32 i = 0; i < l->in_units; i += 1) {
            // As they lie, the other way round, or the first one first, and then the other way round.
            u32 unit = seed % 3 == 0 || (seed % 3 == 2 && i == 0) ? i : l->in_units - i - (seed % 3 == 1);
            store_unit(to + unit * 16, from + unit * 16);
            if (is_slow) await_looks(2 * l->in_units + 1);
        }
#else
        for (size_t i = 4; i < l->in_payload + sizeof(ANN_MESSAGE); i += 1) to[i] = from[i];
        ann_store_release_u32((u32 *)to, *(const u32 *)from);
#endif
    }
    return 0;
}

// The message of a slot that was given back was handled after the command that it was sent after, and is
// counted.
static void obeyed_before(const u8 *shard, u64 ticket)
{
    u32 command = ann_load_acquire_u32((const u32 *)(shard + ANN_CONTROL_ACKNOWLEDGED));
    u32 before = command_before(ticket);
    if (command >> ANN_EPOCH_SHIFT < before >> ANN_EPOCH_SHIFT) {
        fprintf(stderr, "message %llu was sent after command %#x, and handled before it\n", (unsigned long long)ticket, before);
        exit(3);
    }
    u64 counted = 0;
    const u32 words[] = {ANN_CONTROL_PROCESSED, ANN_CONTROL_FAILED, ANN_CONTROL_UNKNOWN};
    for (u32 word : words)
        counted += ann_load_acquire_u64((const u64 *)(shard + word));
    if (counted <= ticket) {
        fprintf(stderr, "message %llu was given back, and %llu are counted\n", (unsigned long long)ticket, (unsigned long long)counted);
        exit(3);
    }
}

static void read_bytes(const void *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 1) sum += ((const u8 *)from)[i];
}

#if ANN_LAUNCH_SEALED
// Reads an answer, if all of its units have the lap; what they hold is then whole.
static bool read_sealed(const ann_launch *l, const u8 *slot, u32 lap)
{
    u32 image[64] = {};
    for (u32 unit = 0; unit < l->out_units; unit += 1) {
        u32 words[4];
        asm volatile("movdqa (%1), %%xmm0\n\tmovdqu %%xmm0, (%0)" : : "r"(words), "r"(slot + unit * 16) : "xmm0", "memory");
        if (words[3] != lap) return false;
        __tsan_acquire((void *)(slot + unit * 16));
        __tsan_read16((void *)(slot + unit * 16));
        memcpy(image + unit * 3, words, 12);
    }
    u32 kind = image[1] >> 24;
    // Whose second word is 1, as that of all messages.
    bool is_right = kind == ANN_KIND_MESSAGE ? image[l->out_payload / 4 + 1] == 1 : kind == ANN_KIND_NO_REPLY || kind == ANN_KIND_FAILED;
    if (!is_right) {
        fprintf(stderr, "an answer is not whole: its kind is %u\n", kind);
        exit(3);
    }
    return true;
}
#endif

// The host. It writes to every place that it gets back, and reads every answer, dead letter, print and record
// as soon as it is there. Whoever still reads, or still writes, is in a race. And it finds every answer that
// the gauge counts.
static void *host(void *)
{
    const ann_launch *l = (const ann_launch *)arguments[3];
    u8 *shard = arguments[0];
    u8 *inbound = shard + l->inbound, *outbound = shard + l->outbound, *dead_letters = shard + l->dead_letters, *prints = shard + l->prints;
    const ann_block_record *record = (const ann_block_record *)arguments[2];
    u64 given_back = 0, answers = 0, buried = 0, shown = 0;
    u8 replied[1 << 8] = {};
    u32 record_is_read = 0;
    for (u32 last = 0;; sched_yield()) {
        u64 consumed = ann_load_acquire_u64((const u64 *)(inbound + ANN_RING_CONSUMED));
        for (; given_back < consumed; given_back += 1) {
            u8 *slot = inbound + ANN_RING_SLOTS + (given_back & (((u64)1 << l->in_shift) - 1)) * l->in_stride;
            obeyed_before(shard, given_back);
#if ANN_LAUNCH_SEALED
            for (size_t i = 0; i < l->in_stride; i += 1) slot[i] = 0xAA;
#else
            for (size_t i = 0; i < sizeof(ANN_MESSAGE); i += 1) slot[l->in_payload + i] = 0xAA;
            *(u64 *)(slot + l->in_correlation) = 0xAAAAAAAAAAAAAAAA;
#endif
        }
        u64 counted = ann_load_acquire_u64((const u64 *)(outbound + ANN_RING_RESERVED)) & ~ANN_CLOSED;
        for (;; answers += 1) {
            u8 *slot = outbound + ANN_RING_SLOTS + (answers & (((u64)1 << l->out_shift) - 1)) * l->out_stride;
#if ANN_LAUNCH_SEALED
            if (!read_sealed(l, slot, (u32)(answers >> l->out_shift) + 1)) break;
#else
            if (ann_load_acquire_u32((const u32 *)slot) != (u32)(answers >> l->out_shift) + 1) break;
            read_bytes(slot + 4, 4);
            if (*(u32 *)(slot + 4) >> 24 == ANN_KIND_MESSAGE) read_bytes(slot + l->out_payload, l->out_bytes);
#endif
        }
        for (u32 i = 0; i < (u32)1 << l->in_shift; i += 1) {
            const u8 *slot = shard + l->replies + ANN_RING_SLOTS + i * l->out_stride;
            if (replied[i]) continue;
#if ANN_LAUNCH_SEALED
            replied[i] = read_sealed(l, slot, 1);
#else
            if (ann_load_acquire_u32((const u32 *)slot) != 1) continue;
            replied[i] = 1;
            read_bytes(slot + 4, 4);
            if (*(u32 *)(slot + 4) >> 24 == ANN_KIND_MESSAGE) read_bytes(slot + l->out_payload, l->out_bytes);
#endif
        }
        if (answers < counted) {
            fprintf(stderr, "%llu answers are counted, and %llu are there\n", (unsigned long long)counted, (unsigned long long)answers);
            exit(3);
        }
        for (;; buried += 1) {
            u8 *slot = dead_letters + ANN_RING_SLOTS + (buried & (((u64)1 << l->dead_letter_shift) - 1)) * l->dead_letter_stride;
            if (ann_load_acquire_u32((const u32 *)slot) != (u32)(buried >> l->dead_letter_shift) + 1) break;
            read_bytes(slot + 4, 4);
            read_bytes(slot + l->dead_letter_payload, sizeof(ANN_MESSAGE));
        }
        for (;; shown += 1) {
            u8 *slot = prints + ANN_RING_SLOTS + (shown & (((u64)1 << l->print_shift) - 1)) * l->print_stride;
            if (ann_load_acquire_u32((const u32 *)slot) != (u32)(shown >> l->print_shift) + 1) break;
            read_bytes(slot + 4, 4);
            read_bytes(slot + 8, 24);
        }
        if (!record_is_read && ann_load_acquire_u32(&record->ended) == 1) {
            read_bytes(&record->state, sizeof record->state);
            record_is_read = 1;
        }
        if (last) return 0;
        last = ann_load_acquire_u32(&has_ended);
    }
}

int main(int argc, char **argv)
{
    FILE *from = argc == 4 ? fopen(argv[1], "rb") : 0;
    seed = argc == 4 ? (u32)atoi(argv[3]) : 0;
    u64 first = 0, late = 0;
    for (int i = 0; i < 8; i += 1) {
        u64 bytes = 0;
        if (!from || fread(&bytes, sizeof bytes, 1, from) != 1) return 2;
        arguments[i] = (u8 *)aligned_alloc(128, (bytes + 127) / 128 * 128);
        if (fread(arguments[i], 1, bytes, from) != bytes) return 2;
        if (i == 0) first = bytes;
        late = bytes;
    }
    const ann_launch *l = (const ann_launch *)arguments[3];
    u64 *gauge = (u64 *)(arguments[0] + l->inbound + ANN_RING_RESERVED);
    first_late = end_late = *gauge;
    if (late != 0) {
        while (*(const u32 *)(arguments[0] + (late_slot(l, first_late - 1) - arguments[7]) + ANN_IN_LAP) == 0) first_late -= 1;
        *gauge = first_late;
    }
    name_words(0, arguments[0], l, (const ann_block_record *)arguments[2]);
    pthread_barrier_init(&barriers[0], 0, ANN_LAUNCH_THREADS);
    pthread_t threads[ANN_LAUNCH_THREADS];
    for (size_t i = 0; i < ANN_LAUNCH_THREADS; i += 1) pthread_create(&threads[i], 0, run, (void *)i);
    pthread_t reader;
    pthread_create(&reader, 0, host, 0);
    pthread_t writer;
    pthread_create(&writer, 0, sender, 0);
    for (size_t i = 0; i < ANN_LAUNCH_THREADS; i += 1) pthread_join(threads[i], 0);
    ann_store_release_u32(&has_ended, 1);
    pthread_join(reader, 0);
    pthread_join(writer, 0);
    FILE *to = fopen(argv[2], "wb");
    return to && fwrite(arguments[0], 1, first, to) == first && fclose(to) == 0 ? 0 : 2;
}
