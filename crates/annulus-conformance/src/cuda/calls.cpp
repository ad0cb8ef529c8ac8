
// A host that calls through two kernels, with a few places that it uses again and again. In the end it ends the second one
// while it calls.
#define CALLS 4
#define KIND_NO_REPLY 3
#define KIND_FAILED 4
#define KIND_LOST 7
#define KIND_ENDED 8

struct item {
    u32 key, number, act, takes;
};
struct price {
    u32 number, cents;
};

static item calls[CALLS];
static u32 generations[CALLS];
static bool is_open[CALLS], ends;
static u32 ended;

// Where a kernel says how the call of a place has ended.
static u8 *slot_of(const kernel &k, u32 call)
{
    u64 replies = ANN_RING_SLOTS + ((u64)1 << k.in_shift) * k.out_stride;
    return shard_of(k, call % k.blocks) + k.replies + replies + ANN_RING_SLOTS + call / k.blocks * k.out_stride;
}

static void check(const item &i, size_t by, u32 meta, const price &p)
{
    u32 kind = meta >> 24;
    if (kind == ANN_KIND_MESSAGE) {
        if (by != 1 || (i.act != 0 && i.act != 3) || p.number != i.number || p.cents != i.number * 3 + 1)
            wrong("this is another answer", i.number, p.number);
        return;
    }
    bool may = (kind == KIND_NO_REPLY && i.act == (by == 0 ? 1u : 4u)) ||
               (kind == KIND_FAILED && i.act == (by == 0 ? 2u : 5u) && (meta & 0xFFFF) == (by == 0 ? 7u : 9u));
    may = may || (ends && ((kind == KIND_LOST && by == 0) || (kind == KIND_ENDED && by == 1)));
    if (!may) wrong("a call ends as it may not", i.number, kind);
}

static void look()
{
    price p;
    for (size_t block = 0; block < kernels[1].blocks; block += 1)
        while (receive(kernels[1], block, &p)) {}
    for (u32 call = 0; call < CALLS; call += 1) {
        if (!is_open[call]) continue;
        u32 ends_seen = 0;
        for (size_t by = 0; by < 2; by += 1) {
            const u8 *slot = slot_of(kernels[by], call);
            if (__atomic_load_n((const u32 *)slot, __ATOMIC_ACQUIRE) != generations[call]) continue;
            memcpy(&p, slot + kernels[by].out_payload, sizeof p);
            check(calls[call], by, *(const u32 *)(slot + 4), p);
            ends_seen += 1;
        }
        if (ends_seen > 1) wrong("a call ends twice", calls[call].number);
        is_open[call] = ends_seen == 0;
        ended += ends_seen;
    }
}

static void make(u32 number, u32 act, u32 takes)
{
    u32 call = 0;
    for (;; wait_for("a call does not end")) {
        look();
        for (call = 0; call < CALLS && is_open[call]; call += 1) {}
        if (call < CALLS) break;
    }
    calls[call] = {number % 2, number, act, takes};
    generations[call] += 1;
    is_open[call] = true;
    u64 address = (u64)generations[call] << 32 | 0x80000000u | call;
    while (!try_send(kernels[0], number % 2, &calls[call], address)) wait_for("a call finds no room");
}

static void end_all(u32 number)
{
    for (; ended < number; wait_for("a call does not end")) look();
}

static void enter_first(u8 **a) { first::ann_main(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8]); }
static void enter_last(u8 **a) { last::ann_main(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8]); }

int main(int argc, char **argv)
{
    load_scene(argc, argv);
    kernels[0].entry = enter_first;
    kernels[1].entry = enter_last;
    launch(kernels[0]);
    launch(kernels[1]);
    u32 number = 0;
    for (; number < 160; number += 1) {
        u32 act = (number * 5 + number / 8 + seed) % 8;
        make(number, act < 6 ? act : 0, act == 7 ? 100 : 0);
    }
    end_all(number);
    // It is told to end between two of them.
    ends = true;
    for (u32 end = number + 40; number < end; number += 1) {
        if (number == end - 30) command(kernels[1], ANN_ACTIVE | ANN_TERMINATE);
        make(number, 0, 300);
    }
    terminate(kernels[1]);
    end_all(number);
    terminate(kernels[0]);
    return 0;
}
