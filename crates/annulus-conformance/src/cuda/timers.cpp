
// A host that sends messages which are to come again, and launches an epoch of a block when a message of its ring waits, a
// timer is due, or the command is new. It hears of each, in order, of the start before all, and of the last message after all. Two
// threads take turns with the epochs of a block, so that nothing but its words orders them.
struct reminder {
    u32 tag, number, times, none;
    u64 after;
};
struct told {
    u32 of, number, times;
};

#define REMINDERS 96
#define WAITING 0x1FFFFu
#define TAKEN_SHIFT 24

static u32 epochs[4]; // that were launched, of each block
static const u32 over = 0xFFFFFFFFu;

static void *work(void *of)
{
    u32 block = (u32)(size_t)of / 2;
    place = {{0, 0, 0}, {block, 0, 0}, {1, 1, 1}, {(u32)kernels[0].blocks, 1, 1}};
    for (u32 epoch = 1 + (u32)(size_t)of % 2;; epoch += 2) {
        u32 launched;
        while ((launched = __atomic_load_n(&epochs[block], __ATOMIC_ACQUIRE)) < epoch) sched_yield();
        if (launched == over) return 0;
        u8 **a = kernels[0].arguments;
        reminds::ann_main(a[0], a[1], a[2], a[3], a[4], a[5], a[6]);
    }
}

static reminds::ann_block_record &record_of(size_t block)
{
    return ((reminds::ann_block_record *)kernels[0].arguments[2])[block];
}

// Of each block: how many of its first messages set a timer; which epoch runs; how many chains have not ended.
static u32 setting[4][REMINDERS + 1];
static u32 epoch_of[4], open_chains[4];
static bool is_running[4];
// What comes next of each number, and of each block: 0 the start, 1 messages, 2 nothing.
static u32 left[REMINDERS], stage[4];
static u32 finished;

static void hear()
{
    told t;
    for (size_t block = 0; block < kernels[0].blocks; block += 1)
        while (receive(kernels[0], block, &t)) {
            if (t.of == 1 || t.of == 2) {
                if (stage[block] != t.of - 1) wrong("the start, or the last message, comes at another time", t.of, stage[block]);
                stage[block] += 1;
                continue;
            }
            if (stage[block] != 1 || t.of != 0 || t.number >= REMINDERS || t.number % kernels[0].blocks != block)
                wrong("what is that", t.of, t.number);
            if (left[t.number] != t.times) wrong("a reminder comes at another time", t.times, left[t.number]);
            left[t.number] -= 1;
            finished += t.times == 0;
            open_chains[block] -= t.times == 0;
        }
}

// Who sees that a message was taken sees what it has set.
static void check_set(size_t block)
{
    u64 consumed = word(kernels[0], block, kernels[0].inbound + ANN_RING_CONSUMED);
    u64 timers = word(kernels[0], block, ANN_CONTROL_TIMERS);
    u64 set = (timers & WAITING) + (timers >> TAKEN_SHIFT);
    // The start is counted, too, and comes first.
    if (consumed != 0 && set < setting[block][consumed] + 1) wrong("a timer is not told", set, setting[block][consumed] + 1);
}

static void look_after(size_t block)
{
    kernel &k = kernels[0];
    check_set(block);
    if (is_running[block]) {
        if (__atomic_load_n(&record_of(block).ended, __ATOMIC_ACQUIRE) != epoch_of[block]) return;
        is_running[block] = false;
    }
    u32 now = __atomic_load_n((u32 *)(shard_of(k, block) + ANN_CONTROL_COMMAND), __ATOMIC_RELAXED);
    bool has_ended = half_word(k, block, ANN_CONTROL_STATE) == ANN_STATE_TERMINATED;
    u64 due = word(k, block, ANN_CONTROL_DUE);
    bool waits = word(k, block, k.inbound + ANN_RING_CONSUMED) != k.reserved[block];
    bool is_new = half_word(k, block, ANN_CONTROL_ACKNOWLEDGED) != now;
    if (has_ended) return;
    if (due == 0 && !waits && !is_new && open_chains[block] != 0) {
        hear();
        if (open_chains[block] != 0) wrong("nothing is due, and something is missing", block, open_chains[block]);
    }
    if (!waits && !is_new && (due == 0 || due > ann_host_clock())) return;
    epoch_of[block] += 1;
    record_of(block).epoch = epoch_of[block];
    is_running[block] = true;
    __atomic_store_n(&epochs[block], epoch_of[block], __ATOMIC_RELEASE);
}

int main(int argc, char **argv)
{
    load_scene(argc, argv);
    kernel &k = kernels[0];
    if (sizeof(reminder) != k.message || sizeof(told) != k.output) wrong("sizes", k.message, k.output);
    pthread_t threads[8];
    for (size_t i = 0; i < 2 * k.blocks; i += 1) pthread_create(&threads[i], 0, work, (void *)i);
    auto go_on = [&](const char *what) {
        for (size_t block = 0; block < k.blocks; block += 1) look_after(block);
        hear();
        wait_for(what);
    };
    for (u32 number = 0; number < REMINDERS; number += 1) {
        size_t block = number % k.blocks;
        u32 times = number < REMINDERS / 2 ? (number / 2 + seed) % 3 != 0 : (number + seed) % 5;
        reminder message = {0, number, times, 0, 10000ull * ((number * 7 + seed) % 11)};
        left[number] = times;
        // Room for four timers. Those that are done are not known at once.
        while (open_chains[block] == 4) go_on("a reminder does not come");
        open_chains[block] += 1;
        u64 sent = k.reserved[block];
        setting[block][sent + 1] = setting[block][sent] + (times != 0);
        while (!try_send(k, block, &message)) go_on("a reminder finds no room");
        // Sometimes several wait for an epoch.
        if ((number + seed) % 4 != 0) go_on("");
    }
    while (finished != REMINDERS) go_on("a reminder does not come");
    command(k, ANN_ACTIVE | ANN_TERMINATE);
    for (size_t block = 0; block < k.blocks; block += 1)
        while (half_word(k, block, ANN_CONTROL_STATE) != ANN_STATE_TERMINATED || is_running[block]) go_on("a block does not end");
    hear();
    for (size_t block = 0; block < k.blocks; block += 1) {
        if (stage[block] != 2) wrong("the last message does not come", block);
        __atomic_store_n(&epochs[block], over, __ATOMIC_RELEASE);
    }
    for (size_t i = 0; i < 2 * k.blocks; i += 1) pthread_join(threads[i], 0);
    return 0;
}
