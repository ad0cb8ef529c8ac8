// The handler of kernel `top_ten`, written from crates/annulus-conformance/src/kernels/real/memory.rs:+0 (module annulus_conformance::kernels::real::memory).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Score {
    u32 game;
    u32 player;
    u32 points;
} Score;
typedef char ann_size_of_Score[sizeof(Score) == 12 ? 1 : -1];

typedef struct Score_x10 { Score at[10]; } Score_x10;

typedef struct Best {
    Score_x10 scores;
    u32 len;
} Best;
typedef char ann_size_of_Best[sizeof(Best) == 124 ? 1 : -1];

typedef struct u64_x2 { u64 at[2]; } u64_x2;

// memory.rs:-28: Best::rise
static u32 fn_Best_rise(PRIVATE Best *self, u64 at, PRIVATE u32 *ann_budget) {
    // memory.rs:-27
    for (;;) {
        bool both = at > 0ul;
        if (both) {
            if (at >= 10ul) return 0xFF04u; // index out of bounds
            u64 at_2 = (at - 1ul) / 2ul;
            if (at_2 >= 10ul) return 0xFF04u; // index out of bounds
            both = self->scores.at[at].points < self->scores.at[at_2].points;
        }
        if (!both) {
            break;
        }
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        // memory.rs:-26
        u64 a = at;
        u64 b = (at - 1ul) / 2ul;
        if (a >= 10ul) return 0xFF04u; // index out of bounds
        if (b >= 10ul) return 0xFF04u; // index out of bounds
        Score before = self->scores.at[a];
        self->scores.at[a] = self->scores.at[b];
        self->scores.at[b] = before;
        // memory.rs:-25
        at = (at - 1ul) / 2ul;
    }
    return 0u;
}

// memory.rs:-20: Best::sink
static u32 fn_Best_sink(PRIVATE Best *self, PRIVATE u32 *ann_budget) {
    // memory.rs:-19
    u64 at = 0ul;
    // memory.rs:-18
    for (;;) {
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        // memory.rs:-17
        u64 least = at;
        // memory.rs:-16
        u64_x2 items;
        items.at[0] = (2ul * at) + 1ul;
        items.at[1] = (2ul * at) + 2ul;
        for (u64 i = 0ul; i < 2ul; i += 1) {
            if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
            u64 child = items.at[i];
            // memory.rs:-15
            bool both = child < 10ul;
            if (both) {
                if (child >= 10ul) return 0xFF04u; // index out of bounds
                if (least >= 10ul) return 0xFF04u; // index out of bounds
                both = self->scores.at[child].points < self->scores.at[least].points;
            }
            if (both) {
                // memory.rs:-14
                least = child;
            }
        }
        // memory.rs:-11
        if (least == at) {
            // memory.rs:-10
            break;
        }
        // memory.rs:-8
        u64 a = at;
        u64 b = least;
        if (a >= 10ul) return 0xFF04u; // index out of bounds
        if (b >= 10ul) return 0xFF04u; // index out of bounds
        Score before = self->scores.at[a];
        self->scores.at[a] = self->scores.at[b];
        self->scores.at[b] = before;
        // memory.rs:-7
        at = least;
    }
    return 0u;
}

static u32 handle_top_ten(GLOBAL const Score *score, PRIVATE Best *best, PRIVATE ann_outbox *dropped) {
    u32 ann_budget = 16777216u;
    // memory.rs:+1
    u64 len = (u64)best->len;
    // memory.rs:+2
    if (len < 10ul) {
        // memory.rs:+3
        if (len >= 10ul) return 0xFF04u; // index out of bounds
        best->scores.at[len] = (*score);
        // memory.rs:+4
        best->len = best->len + 1u;
        // memory.rs:+5
        RS_TRY(fn_Best_rise(best, len, &ann_budget));
    } else if (score->points > best->scores.at[0].points) {
        // memory.rs:+7
        {
            GLOBAL Score *ann_slot = (GLOBAL Score *)ann_outbox_next(dropped);
            if (ann_slot) *ann_slot = best->scores.at[0];
        }
        // memory.rs:+8
        best->scores.at[0] = (*score);
        // memory.rs:+9
        RS_TRY(fn_Best_sink(best, &ann_budget));
    } else {
        // memory.rs:+11
        {
            GLOBAL Score *ann_slot = (GLOBAL Score *)ann_outbox_next(dropped);
            if (ann_slot) *ann_slot = (*score);
        }
    }
    return 0u;
}

#define ANN_MESSAGE Score
#define ANN_MESSAGE_BYTES 12
#define ANN_OUTPUT Score
#define ANN_OUTPUT_BYTES 12
#define ANN_OUTPUT_KEY(message) ((u64)(message)->game)
#define ANN_STATE Best
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->game)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_top_ten(message, state, outbox)
