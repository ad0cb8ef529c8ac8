
// A host that lets messages be sent along rows, and hears of each copy once, with its key and its edge's value; those of one
// sender for one key in order.
struct order {
    u32 sender, row, number, none;
};
struct hop {
    u32 to, row, number, weight;
};

#define NUMBERS 60

static const u32 begins[] = {0, 0, 3, 15};
// How often each entry's copy of each message has come.
static u32 come[NUMBERS][15];
static u32 copies, last[4][6];

static void hear()
{
    hop h;
    for (size_t block = 0; block < kernels[1].blocks; block += 1)
        while (receive(kernels[1], block, &h)) {
            u32 entry = h.weight - 100;
            if (h.number >= NUMBERS || h.row >= 3 || entry < begins[h.row] || entry >= begins[h.row + 1] || h.to != entry * 5 % 6 ||
                h.to % kernels[1].blocks != block)
                wrong("what is that", h.number, h.weight);
            if (come[h.number][entry]++ != 0) wrong("a copy comes twice", h.number, entry);
            u32 &before = last[h.number % 4][h.to];
            if (h.number + 1 < before) wrong("a copy overtakes another", h.number, before);
            before = h.number + 1;
            copies += 1;
        }
}

static void enter_spreads(u8 **a) { spreads::ann_main(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9]); }
static void enter_arrives(u8 **a) { arrives::ann_main(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8]); }

int main(int argc, char **argv)
{
    load_scene(argc, argv);
    kernels[0].entry = enter_spreads;
    kernels[1].entry = enter_arrives;
    launch(kernels[1]);
    launch(kernels[0]);
    u32 all = 0;
    for (u32 number = 0; number < NUMBERS; number += 1) {
        u32 row = (number + number / 7 + seed) % 3, sender = number % 4;
        order o = {sender, row, number, 0};
        while (!try_send(kernels[0], sender % kernels[0].blocks, &o)) {
            hear();
            wait_for("an order finds no room");
        }
        all += begins[row + 1] - begins[row];
    }
    for (; copies < all; wait_for("a copy does not come")) hear();
    terminate(kernels[0]);
    terminate(kernels[1]);
    hear();
    u64 forwarded = sum_of(kernels[0], ANN_CONTROL_FORWARDED), taken = sum_of(kernels[1], ANN_CONTROL_TAKEN);
    if (copies != all || forwarded != all || taken != all) wrong("copies were sent, and taken", forwarded, taken);
    return 0;
}
