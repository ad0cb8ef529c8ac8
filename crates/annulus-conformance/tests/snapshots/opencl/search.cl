// The handler of kernel `search`, written from crates/annulus-conformance/src/kernels/rows.rs:+0 (module annulus_conformance::kernels::rows).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Visit {
    u32 vertex_;
    u32 length_;
    u64 so_far;
} Visit;
typedef char ann_size_of_Visit[sizeof(Visit) == 16 ? 1 : -1];

typedef struct Along {
    u32 row;
    u32 from;
    Visit message_;
} Along;
typedef char ann_size_of_Along[sizeof(Along) == 24 ? 1 : -1];

typedef struct Nearest {
    u64 distance_;
} Nearest;
typedef char ann_size_of_Nearest[sizeof(Nearest) == 8 ? 1 : -1];

static u32 handle_search(GLOBAL const Visit *visit, PRIVATE Nearest *nearest, PRIVATE ann_outbox *out) {
    // rows.rs:+1
    u64 distance_ = visit->so_far + ((u64)visit->length_);
    // rows.rs:+2
    if (distance_ < nearest->distance_) {
        // rows.rs:+3
        nearest->distance_ = distance_;
        // rows.rs:+4
        Visit message;
        message.vertex_ = visit->vertex_;
        message.length_ = 0u;
        message.so_far = distance_;
        // rows.rs:+5
        Along along;
        along.row = visit->vertex_;
        along.from = 0u;
        along.message_ = message;
        {
            GLOBAL Along *ann_slot = (GLOBAL Along *)ann_outbox_next(out);
            if (ann_slot) *ann_slot = along;
        }
    }
    return 0u;
}

#define ANN_MESSAGE Visit
#define ANN_MESSAGE_BYTES 16
#define ANN_OUTPUT Along
#define ANN_OUTPUT_BYTES 24
#define ANN_ROWS
#define ANN_ROW_OFFSET 8u
#define ANN_ROW_BYTES 16u
#define ANN_ROW_STORE_KEY(copy, key) (*(GLOBAL u32 *)((copy) + 0u) = (u32)(key))
#define ANN_ROW_STORE_EDGE(copy, value) (*(GLOBAL u32 *)((copy) + 4u) = (u32)(value))
#define ANN_STATE Nearest
#define ANN_SHAPE ANN_PER_ACTOR
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->vertex_)
#define ANN_MAX_OUTPUTS 1
#define ANN_BINDING_PARAMETERS
#define ANN_BINDING_ENTRY
#define ANN_BINDING_ARGUMENTS
#define ANN_CALL(cx, message, state, outbox) handle_search(message, state, outbox)
