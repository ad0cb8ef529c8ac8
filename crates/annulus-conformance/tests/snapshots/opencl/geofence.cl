// The handler of kernel `geofence`, written from crates/annulus-conformance/src/kernels/real/places.rs:+0 (module annulus_conformance::kernels::real::places).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Fix {
    u32 vehicle;
    f32 x;
    f32 y;
} Fix;
typedef char ann_size_of_Fix[sizeof(Fix) == 12 ? 1 : -1];

typedef struct Crossing {
    u32 vehicle;
    u8 inside;
    u8 ann_pad0[3];
} Crossing;
typedef char ann_size_of_Crossing[sizeof(Crossing) == 8 ? 1 : -1];

typedef struct Corner {
    f32 x;
    f32 y;
} Corner;
typedef char ann_size_of_Corner[sizeof(Corner) == 8 ? 1 : -1];

// places.rs:-16: surrounds
static u32 fn_surrounds(GLOBAL const Corner *fence, u64 fence_len, f32 x, f32 y, PRIVATE u8 *ann_result, PRIVATE u32 *ann_budget) {
    // places.rs:-15
    u64 at = fence_len - 1ul;
    bool there = fence_len != 0ul;
    if (!there) {
        *ann_result = false;
        return 0u;
    }
    Corner last = fence[at];
    // places.rs:-14
    bool inside = false;
    // places.rs:-13
    Corner from = last;
    // places.rs:-12
    for (u64 i = 0ul; i < fence_len; i += 1) {
        if ((*ann_budget)-- == 0u) return 0xFF07u; // loop budget exhausted
        Corner to = fence[i];
        // places.rs:-11
        bool across = (from.y > y) != (to.y > y);
        // places.rs:-10
        if (across && (x < (from.x + (((y - from.y) / (to.y - from.y)) * (to.x - from.x))))) {
            // places.rs:-9
            inside = !inside;
        }
        // places.rs:-7
        from = to;
    }
    // places.rs:-5
    *ann_result = inside;
    return 0u;
}

static u32 handle_geofence(GLOBAL const Fix *fix, PRIVATE u8 *inside, PRIVATE ann_outbox *crossings, GLOBAL const Corner *fence, u64 fence_len) {
    u32 ann_budget = 16777216u;
    // places.rs:+1
    u8 now;
    RS_TRY(fn_surrounds(fence, fence_len, fix->x, fix->y, &now, &ann_budget));
    // places.rs:+2
    if (now != (*inside)) {
        // places.rs:+3
        (*inside) = now;
        // places.rs:+4
        Crossing crossing;
        crossing.vehicle = fix->vehicle;
        crossing.inside = now;
        {
            GLOBAL Crossing *ann_slot = (GLOBAL Crossing *)ann_outbox_next(crossings);
            if (ann_slot) *ann_slot = crossing;
        }
    }
    return 0u;
}

#define ANN_MESSAGE Fix
#define ANN_MESSAGE_BYTES 12
#define ANN_OUTPUT Crossing
#define ANN_OUTPUT_BYTES 8
#define ANN_STATE u8
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->vehicle)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS , GLOBAL Corner *bind_fence, u64 len_of_bind_fence
#define ANN_BINDING_ENTRY , GLOBAL Corner *bind_fence ANN_BUFFER, ANN_NUMBER len_of_bind_fence ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_fence, len_of_bind_fence
#define ANN_CALL(cx, message, state, outbox) handle_geofence(message, state, outbox, bind_fence, len_of_bind_fence)
