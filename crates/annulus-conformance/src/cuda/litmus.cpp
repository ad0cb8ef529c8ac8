// Litmus tests by the text of a handler and of the prelude. Prints for each the outcomes that were seen.
#include <set>
#include <string>
#include <stdio.h>

// Messages of the handler: each side's first access, fence and second access.
static u32 words[10];

static void handle(const Litmus &run) { handle_litmus(ann_cx{run.side, 4, 0}, &run, words, 10); }
// What a side's two loads have seen, after 1 was added; 0 for no load.
static std::string seen(u32 side)
{
    std::string text;
    for (int which = 0; which < 2; which += 1) {
        u64 value = weak_last(&words[2 + 2 * side + which]);
        if (value != 0) text += char('0' + value - 1);
    }
    return text;
}

// The one test to run; all if there is none.
static const char *wanted;

static void test(const char *name, u32 count, const std::vector<std::function<void()>> &bodies)
{
    if (wanted && std::string(wanted) != name) return;
    std::set<std::string> outcomes;
    u32 happened = 0;
    for (unsigned seed = 0; seed < RUNS; seed += 1) {
        if (!weak_run(seed, bodies)) continue;
        happened += 1;
        std::string outcome;
        for (u32 side = 0; side < count; side += 1) outcome += seen(side) + (side + 1 < count ? "," : "");
        outcomes.insert(outcome);
    }
    printf("%s:", name);
    for (const auto &outcome : outcomes) printf(" %s", outcome.c_str());
    printf("\n");
    if (happened * 10 < RUNS) printf("too few runs happened: %u\n", happened);
}

static Litmus side(u32 number, u32 first, u32 fence, u32 second) { return {number, first, fence, second, 0, 1}; }
static std::function<void()> handles(Litmus run)
{
    return [run] { handle(run); };
}

int main(int count, char **arguments)
{
    wanted = count > 1 ? arguments[1] : nullptr;
    const u32 NONE = 0, STORE_X = 1, STORE_Y = 2, LOAD_X = 3, LOAD_Y = 4;
    const char *scopes[] = {"none", "block", "device", "system"};
    for (u32 fence = 0; fence < 4; fence += 1) {
        auto name = [&](const char *test) { return std::string(test) + " " + scopes[fence]; };
        test(name("store buffering").c_str(), 2,
             {handles(side(0, STORE_X, fence, LOAD_Y)), handles(side(1, STORE_Y, fence, LOAD_X))});
        test(name("message passing").c_str(), 2,
             {handles(side(0, STORE_X, fence, STORE_Y)), handles(side(1, LOAD_Y, fence, LOAD_X))});
        test(name("load buffering").c_str(), 2,
             {handles(side(0, LOAD_X, fence, STORE_Y)), handles(side(1, LOAD_Y, fence, STORE_X))});
        test(name("IRIW").c_str(), 4,
             {handles(side(0, STORE_X, 0, NONE)), handles(side(1, STORE_Y, 0, NONE)),
              handles(side(2, LOAD_X, fence, LOAD_Y)), handles(side(3, LOAD_Y, fence, LOAD_X))});
        test(name("coherence").c_str(), 2, {handles(side(0, STORE_X, 0, NONE)), handles(side(1, LOAD_X, fence, LOAD_X))});
    }
    // A handler stores, its block sends; another block takes, its handler loads. The commit word of an open slot, and
    // the lap of a sealed one, by the prelude's words.
    static u32 commit;
    auto sends = [](bool sealed, u32 fence) {
        return [=] {
            handle(side(0, 1, fence, 0));
            if (!sealed) ann_fence_release();
            ann_store_fenced_u32(&commit, 1);
        };
    };
    auto takes = [](bool sealed, u32 fence) {
        return [=] {
            u32 lap = sealed ? ann_load_relaxed_u32(&commit) : ann_load_acquire_u32(&commit);
            if (lap == 1) handle(side(1, 0, fence, 3));
        };
    };
    for (u32 fence : {0u, 1u, 3u}) {
        test((std::string("open slot ") + scopes[fence]).c_str(), 2, {sends(false, fence), takes(false, fence)});
        test((std::string("sealed slot ") + scopes[fence]).c_str(), 2, {sends(true, fence), takes(true, fence)});
    }
    // Two handlers of a block one after the other, with the fence of `Sequential` before each, and without.
    for (bool sequential : {false, true}) {
        auto both = [=](u32 number, u32 first, u32 second) {
            return [=] {
                if (sequential) ann_fence_all();
                handle(side(number, first, 0, 0));
                if (sequential) ann_fence_all();
                handle(side(number, 0, 0, second));
            };
        };
        const char *name = sequential ? "store buffering between handlers Sequential" : "store buffering between handlers";
        test(name, 2, {both(0, STORE_X, LOAD_Y), both(1, STORE_Y, LOAD_X)});
        name = sequential ? "IRIW between handlers Sequential" : "IRIW between handlers";
        test(name, 4,
             {handles(side(0, STORE_X, 0, NONE)), handles(side(1, STORE_Y, 0, NONE)), both(2, LOAD_X, LOAD_Y),
              both(3, LOAD_Y, LOAD_X)});
    }
}
