
// A host that lets tokens be published, changes who takes a topic between rounds, and another topic all the time, takes
// what it is told itself, and counts the copies.
struct token {
    u32 key, left;
    u64 topic;
    u32 takes, none;
};
struct published {
    u64 topic;
    token message;
};

#define PLACES 16
#define PLACES_MASK (((u64)1 << PLACES) - 1)

static u64 *table;
static u64 heard;

static u64 topic_of(const char *name)
{
    u64 hash = 0xcbf29ce484222325ull;
    for (; *name; name += 1) hash = (hash ^ (u8)*name) * 0x100000001b3ull;
    return (hash ^ hash << 48) & ~PLACES_MASK;
}

// Where a topic's entry lies, which is there.
static u64 *entry_of(u64 topic)
{
    u64 last = table[0] - 1;
    for (u64 at = topic >> PLACES & last, looked = 0; looked <= last; at = (at + 1) & last, looked += 1)
        if ((__atomic_load_n(table + 1 + at, __ATOMIC_RELAXED) & ~PLACES_MASK) == topic) return table + 1 + at;
    wrong("a topic has no entry", topic);
}

static void take(u64 topic, u64 places) { __atomic_store_n(entry_of(topic), topic | places, __ATOMIC_RELAXED); }

static void hear(u64 told)
{
    published p;
    for (size_t block = 0; block < kernels[0].blocks; block += 1)
        while (receive(kernels[0], block, &p)) {
            if (p.topic != told || p.message.topic != told) wrong("the host hears of another topic", p.topic, told);
            heard += 1;
        }
}

static void enter(u8 **a) { publishes::ann_main(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8]); }

int main(int argc, char **argv)
{
    load_scene(argc, argv);
    kernel &k = kernels[0];
    k.entry = enter;
    table = (u64 *)(k.arguments[8] + PLACES * (64 + 8));
    const u64 one = topic_of("one"), both = topic_of("both"), host = topic_of("host"), set = topic_of("set"),
              flips = topic_of("flips");
    if (sizeof(token) != k.message || sizeof(published) != k.output) wrong("sizes", k.message, k.output);
    launch(k);
    u64 handled = 0, told = 0, lost = 0, sent = 0, flip = 0;
    for (u64 round = 0; round < 12; round += 1) {
        // Nobody takes it, one place, the other one, or both.
        u64 places = (round + seed) % 4;
        take(set, places);
        struct {
            u64 topic;
            u32 left, handled;
        } tokens[] = {
            {one, 5, 6}, {flips, 6, 7}, {both, 2, 7}, {set, 1, 1 + (u32)__builtin_popcountll(places)},
            {host, 4, 5}, {flips, 3, 4},
        };
        for (const auto &t : tokens) {
            u32 key = (u32)(sent + round) % 4;
            token message = {key, t.left, t.topic, (round * 7 + sent) % 9 == 0 ? 1500u : 0u, 0};
            for (; !try_send(k, key % k.blocks, &message); wait_for("a token finds no room")) hear(host);
            sent += 1;
            handled += t.handled;
        }
        told += 4;
        lost += places == 0;
        for (; !is_at_rest(k, PLACES); wait_for("it does not come to rest")) {
            hear(host);
            flip += 1;
            take(flips, 1 + flip % 2);
        }
        hear(host);
        if (heard != told) wrong("the host has not heard all", heard, told);
        if (sum_of(k, ANN_CONTROL_PROCESSED) != handled)
            wrong("drained, and handled are not all", sum_of(k, ANN_CONTROL_PROCESSED), handled);
    }
    terminate(k);
    u64 taken = sum_of(k, ANN_CONTROL_TAKEN), forwarded = sum_of(k, ANN_CONTROL_FORWARDED);
    if (taken + sent != handled || forwarded != taken) wrong("copies were taken, and sent", taken, forwarded);
    if (sum_of(k, ANN_CONTROL_UNFORWARDED) != lost) wrong("copies are lost", sum_of(k, ANN_CONTROL_UNFORWARDED), lost);
    return 0;
}
