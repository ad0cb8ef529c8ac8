
// A host that sends tokens, which are handed on from block to block, and waits after each round until everything is
// drained. There are fewer than the rings hold, so blocks wait for each other, and never in a circle.
struct token {
    u32 key, left, copies, takes;
    u64 cause;
};

static void enter(u8 **a) { relays::ann_main(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8]); }

int main(int argc, char **argv)
{
    load_scene(argc, argv);
    kernel &k = kernels[0];
    k.entry = enter;
    if (sizeof(token) != k.message) wrong("sizes", k.message);
    launch(k);
    u64 handled = 0, sent = 0;
    for (u64 round = 0; round < 12; round += 1) {
        // One of which copies branch off, and others; or one that keeps a block, and more for it than its ring holds.
        u32 copies = round % 2 == 0;
        token tokens[4] = {{1, 0, 0, 3000, 0}, {0, 1, 0, 0, 0}, {0, 1, 0, 0, 0}, {0, 1, 0, 0, 0}};
        if (copies) tokens[0] = {0, 2, 1, 0, 0}, tokens[1] = {1, (u32)(round + seed) % 6, 0, 0, 0}, tokens[2] = {1, 1, 0, 500, 0};
        for (token &t : tokens) {
            t.key = (t.key + (u32)round) % 3;
            while (!try_send(k, t.key % k.blocks, &t)) wait_for("a token finds no room");
            sent += 1;
            handled += 1 + t.left * (t.copies + 1);
        }
        while (!is_at_rest(k, 2)) wait_for("it does not come to rest");
        u64 told = sum_of(k, ANN_CONTROL_PROCESSED) + sum_of(k, ANN_CONTROL_FAILED);
        if (told != handled) wrong("drained, and handled are not all", told, handled);
    }
    terminate(k);
    if (sum_of(k, ANN_CONTROL_FAILED) != 0) wrong("a message has no greater stamp than its cause", sum_of(k, ANN_CONTROL_FAILED));
    u64 taken = sum_of(k, ANN_CONTROL_TAKEN), forwarded = sum_of(k, ANN_CONTROL_FORWARDED);
    if (taken + sent != handled || forwarded != taken) wrong("outputs were taken, and sent", taken, forwarded);
    return 0;
}
