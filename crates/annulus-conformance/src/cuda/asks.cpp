
// A host that makes the blocks of one kernel ask those of another one, and hears what became of each ask. In the end it
// ends the asked kernel while it is asked.
#define ASKS_SHIFT 17
#define ASKS_MASK 0x7Fu

struct order {
    u32 tag, none;
    u32 actor, number, act, takes;
    u64 limit;
    u8 rest[64];
};
struct done {
    // The outbox's number, and what it has sent.
    u64 outbox;
    u32 number, act, takes, ended, code, answered, cents;
    u8 rest[32];
};

static u32 open_asks[4], late[4], heard;
static bool ends;

static void check(const done &d)
{
    u32 all = d.ended == 1 ? d.answered == d.number && d.cents == d.number * 3 + 1 : d.cents == 0;
    u32 ended = d.act == 0 ? 1 : d.act == 1 ? 3 : 2;
    bool may = d.ended == ended && d.code == (d.ended == 2 ? 9u : 0u);
    // Its time was up, or not; the asked kernel has ended before it took it, or its ring was closed.
    may = may || (d.takes > 1000 && !ends && d.ended == 6) || (ends && (d.ended == 4 || d.ended == 5));
    if (!all || !may) wrong("an ask ends as it may not", d.number, d.ended);
}

static void hear()
{
    kernel &asks = kernels[0];
    done d;
    if (asks.output > sizeof d) wrong("an output is larger", asks.output);
    for (size_t block = 0; block < asks.blocks; block += 1)
        while (receive(asks, block, &d)) {
            if (d.outbox != 0 || d.number % asks.blocks != block) wrong("another block hears of an ask", d.number, block);
            check(d);
            open_asks[block] -= 1;
            late[block] += d.ended == 6;
            heard += 1;
        }
}

// How many of a block's places are in use, as it says.
static u32 in_use(size_t block) { return (u32)(word(kernels[0], block, ANN_CONTROL_TIMERS) >> ASKS_SHIFT) & ASKS_MASK; }

static void ask(u32 number, u32 act, u32 takes, u64 limit)
{
    kernel &asks = kernels[0];
    size_t block = number % asks.blocks;
    order o = {0, 0, (u32)block, number, act, takes, limit, {}};
    if (asks.message > sizeof o) wrong("an order is larger", asks.message);
    // There is room for four. What has ended late keeps its place until the answer has come.
    for (; open_asks[block] + late[block] >= 4; wait_for("a place is in use for too long")) {
        hear();
        if (late[block] != 0 && open_asks[block] == 0 && in_use(block) == 0) late[block] = 0;
    }
    for (; !try_send(asks, block, &o); wait_for("an order finds no room")) hear();
    open_asks[block] += 1;
}

static void hear_all(u32 all)
{
    for (; heard < all; wait_for("an ask does not end")) hear();
}

static void enter_asks(u8 **a) { asks::ann_main(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8]); }
static void enter_asked(u8 **a) { asked::ann_main(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8]); }

int main(int argc, char **argv)
{
    const u64 hour = 3600000000000ull;
    load_scene(argc, argv);
    kernels[0].entry = enter_asks;
    kernels[1].entry = enter_asked;
    launch(kernels[0]);
    launch(kernels[1]);
    u32 number = 0;
    for (; number < 120; number += 1) {
        u32 what = (number * 7 + number / 8 + seed) % 8;
        // Some are answered late.
        if (what == 7)
            ask(number, 0, 1500, 1000);
        else
            ask(number, what == 5 ? 1 : what == 6 ? 2 : 0, what == 4 ? 60 : 0, hour);
    }
    hear_all(number);
    // It is told to end between two of them.
    ends = true;
    for (u32 end = number + 40; number < end; number += 1) {
        if (number == end - 30) command(kernels[1], ANN_ACTIVE | ANN_TERMINATE);
        ask(number, 0, 300, hour);
    }
    terminate(kernels[1]);
    hear_all(number);
    terminate(kernels[0]);
    if (sum_of(kernels[0], ANN_CONTROL_PROCESSED) != 2 * number || sum_of(kernels[0], ANN_CONTROL_FAILED) != 0)
        wrong("a message is missing", number, sum_of(kernels[0], ANN_CONTROL_PROCESSED));
    return 0;
}
