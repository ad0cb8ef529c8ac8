// The handler of kernel `k_means`, written from crates/annulus-conformance/src/kernels/real/learning.rs:+0 (module annulus_conformance::kernels::real::learning).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Point {
    f32 x;
    f32 y;
} Point;
typedef char ann_size_of_Point[sizeof(Point) == 8 ? 1 : -1];

typedef struct Checksum {
    u32 value;
} Checksum;
typedef char ann_size_of_Checksum[sizeof(Checksum) == 4 ? 1 : -1];

typedef struct Centre {
    f32 x;
    f32 y;
    u32 count;
} Centre;
typedef char ann_size_of_Centre[sizeof(Centre) == 12 ? 1 : -1];

typedef struct Centre_x4 { Centre at[4]; } Centre_x4;

static u32 handle_k_means(GLOBAL const Point *point, PRIVATE Centre_x4 *centres, PRIVATE ann_outbox *nearest) {
    u32 ann_budget = 16777216u;
    // learning.rs:+1
    u64 best = 0ul;
    // learning.rs:+2
    f32 least = rs_from_bits_f32(0x7f800000u);
    // learning.rs:+3
    for (u64 i = 0ul; i < 4ul; i += 1) {
        if (ann_budget-- == 0u) return 0xFF07u; // loop budget exhausted
        // learning.rs:+5
        f32 distance_ = rs_powi_f32(centres->at[i].x - point->x, 2) + rs_powi_f32(centres->at[i].y - point->y, 2);
        // learning.rs:+6
        if (distance_ < least) {
            // learning.rs:+7
            least = distance_;
            // learning.rs:+8
            best = i;
        }
    }
    // learning.rs:+11
    if (best >= 4ul) return 0xFF04u; // index out of bounds
    u64 at = best;
    // learning.rs:+12
    centres->at[at].count = centres->at[at].count + 1u;
    // learning.rs:+13
    f32 weight = 1.0f / ((f32)centres->at[at].count);
    // learning.rs:+14
    centres->at[at].x = centres->at[at].x + ((point->x - centres->at[at].x) * weight);
    // learning.rs:+15
    centres->at[at].y = centres->at[at].y + ((point->y - centres->at[at].y) * weight);
    // learning.rs:+16
    Checksum checksum;
    checksum.value = (u32)best;
    {
        GLOBAL Checksum *ann_slot = (GLOBAL Checksum *)ann_outbox_next(nearest);
        if (ann_slot) *ann_slot = checksum;
    }
    return 0u;
}

#define ANN_MESSAGE Point
#define ANN_MESSAGE_BYTES 8
#define ANN_OUTPUT Checksum
#define ANN_OUTPUT_BYTES 4
#define ANN_STATE Centre_x4
#define ANN_SHAPE ANN_WHOLE
#define ANN_KEYED 0
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_k_means(message, state, outbox)
