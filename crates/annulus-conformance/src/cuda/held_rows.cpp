
// A host that sends tokens, of which each becomes two as often as it says, and waits after each round until everything is
// drained. There are fewer than what blocks may hold, so none waits for ever.
struct token {
    u32 key, left, takes, none;
};

static void enter(u8 **a) { branches::ann_main(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9]); }

int main(int argc, char **argv)
{
    load_scene(argc, argv);
    kernel &k = kernels[0];
    k.entry = enter;
    if (sizeof(token) != k.message) wrong("sizes", k.message);
    launch(k);
    u64 handled = 0, sent = 0;
    for (u64 round = 0; round < 12; round += 1) {
        // One keeps its block, and more comes for it than its ring holds. In every other round nothing but what is held
        // is left to be handled when that one ends.
        token tokens[5] = {{0, 0, 3000, 0}, {1, 2, 0, 0}, {2, 1 + (u32)(round + seed) % 2, 0, 0}, {}, {}};
        size_t number = 3;
        if (round % 2)
            for (number = 5; token & t : tokens)
                if (t.takes == 0) t = {1, 1, 0, 0};
        for (size_t i = 0; i < number; i += 1) {
            token &t = tokens[i];
            t.key = (t.key + (u32)round) % 3;
            while (!try_send(k, t.key % k.blocks, &t)) wait_for("a token finds no room");
            sent += 1;
            handled += (2u << t.left) - 1;
        }
        while (!is_at_rest(k, 1)) wait_for("it does not come to rest");
        if (sum_of(k, ANN_CONTROL_PROCESSED) != handled)
            wrong("drained, and handled are not all", sum_of(k, ANN_CONTROL_PROCESSED), handled);
    }
    terminate(k);
    u64 taken = sum_of(k, ANN_CONTROL_TAKEN), forwarded = sum_of(k, ANN_CONTROL_FORWARDED);
    if (taken + sent != handled || forwarded != taken) wrong("copies were taken, and sent", taken, forwarded);
    return 0;
}
