// The handler of kernel `levels`, written from crates/annulus-conformance/src/kernels/rounds.rs:+0 (module annulus_conformance::kernels::rounds).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Reach {
    u32 vertex_;
} Reach;
typedef char ann_size_of_Reach[sizeof(Reach) == 4 ? 1 : -1];

typedef struct Along {
    u32 row;
    u32 from;
    Reach message_;
} Along;
typedef char ann_size_of_Along[sizeof(Along) == 12 ? 1 : -1];

typedef struct Level {
    u32 level;
    u32 ways;
} Level;
typedef char ann_size_of_Level[sizeof(Level) == 8 ? 1 : -1];

// rounds.rs:+13: this_round
static u32 fn_this_round(ann_cx cx, u64 ann_round_number) {
    // rounds.rs:+14
    return ((u32)ann_round_number) + 1u;
}

static u32 handle_levels(ann_cx cx, GLOBAL const Reach *reach, PRIVATE Level *found, PRIVATE ann_outbox *edges, u64 ann_round_number) {
    // rounds.rs:+1
    u32 round_ = fn_this_round(cx, ann_round_number);
    // rounds.rs:+2
    if (found->level == 0u) {
        // rounds.rs:+3
        found->level = round_;
        // rounds.rs:+4
        Along along;
        along.row = reach->vertex_;
        along.from = 0u;
        along.message_ = (*reach);
        {
            GLOBAL Along *ann_slot = (GLOBAL Along *)ann_outbox_next(edges);
            if (ann_slot) *ann_slot = along;
        }
    }
    // rounds.rs:+6
    if (found->level == round_) {
        // rounds.rs:+7
        found->ways = found->ways + 1u;
    }
    return 0u;
}

#define ANN_MESSAGE Reach
#define ANN_MESSAGE_BYTES 4
#define ANN_OUTPUT Along
#define ANN_OUTPUT_BYTES 12
#define ANN_ROWS
#define ANN_ROW_OFFSET 8u
#define ANN_ROW_BYTES 4u
#define ANN_ROW_STORE_KEY(copy, key) (*(GLOBAL u32 *)((copy) + 0u) = (u32)(key))
#define ANN_STATE Level
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->vertex_)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ARGUMENTS
#define ANN_ASKS_ROUND 1
#define ANN_CALL(cx, message, state, outbox) handle_levels(cx, message, state, outbox, round)
