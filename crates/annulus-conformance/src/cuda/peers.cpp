
// A host that sends tokens which are sent on by addresses, and makes the blocks inactive meanwhile, says anew which place has
// which address, and makes them active.
struct token {
    u32 key, left;
    u64 to, then;
    u32 takes, none;
};

#define PLACES 16
static const u64 one = 0x1111000011110000ull, other = 0x2222000022220000ull;

static void make(u32 is)
{
    command(kernels[0], is);
    for (size_t block = 0; block < kernels[0].blocks; block += 1)
        while (half_word(kernels[0], block, ANN_CONTROL_ACKNOWLEDGED) != is) wait_for("a command is not obeyed");
}

static void enter(u8 **a) { directs::ann_main(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8]); }

int main(int argc, char **argv)
{
    load_scene(argc, argv);
    kernel &k = kernels[0];
    k.entry = enter;
    if (sizeof(token) != k.message) wrong("sizes", k.message);
    u64 *addresses = (u64 *)(k.arguments[8] + PLACES * 64);
    addresses[0] = one;
    addresses[1] = other;
    launch(k);
    make(ANN_ACTIVE);
    u64 handled = 0, sent = 0;
    for (u64 round = 0; round < 8; round += 1) {
        // One of them keeps its blocks, so that the others' outputs wait.
        for (u32 i = 0; i < 6; i += 1) {
            u32 key = (i * 3 + (u32)round) % 4, left = (i + (u32)round + seed) % 7 + 2;
            token t = {key, left, i % 2 ? one : other, i % 3 ? one : other, i == 0 ? 300u : 0u, 0};
            while (!try_send(k, key % k.blocks, &t)) wait_for("a token finds no room");
            sent += 1;
            handled += left + 1;
        }
        for (u32 change = 0; change < 4; change += 1) {
            for (u32 looks = (seed + change) % 5 * 20; looks != 0; looks -= 1) wait_for("");
            make(0);
            u64 before = sum_of(k, ANN_CONTROL_FORWARDED);
            u64 address = addresses[0];
            addresses[0] = addresses[1];
            for (u32 looks = 20; looks != 0; looks -= 1) wait_for("");
            addresses[1] = address;
            u64 now = sum_of(k, ANN_CONTROL_FORWARDED);
            if (now != before) wrong("an inactive block sends", before, now);
            make(ANN_ACTIVE);
        }
        while (!is_at_rest(k, PLACES)) wait_for("it does not come to rest");
        if (sum_of(k, ANN_CONTROL_PROCESSED) != handled)
            wrong("drained, and handled are not all", sum_of(k, ANN_CONTROL_PROCESSED), handled);
    }
    // Nobody has the other one any more.
    make(0);
    addresses[0] = one;
    addresses[1] = 0;
    make(ANN_ACTIVE);
    token t = {0, 3, other, one, 0, 0};
    while (!try_send(k, 0, &t)) wait_for("a token finds no room");
    while (sum_of(k, ANN_CONTROL_UNFORWARDED) == 0) wait_for("what is for nobody is not lost");
    terminate(k);
    if (sum_of(k, ANN_CONTROL_UNFORWARDED) != 1) wrong("more is lost", sum_of(k, ANN_CONTROL_UNFORWARDED));
    u64 taken = sum_of(k, ANN_CONTROL_TAKEN), forwarded = sum_of(k, ANN_CONTROL_FORWARDED);
    if (taken + sent != handled || forwarded != taken) wrong("outputs were taken, and sent", taken, forwarded);
    return 0;
}
