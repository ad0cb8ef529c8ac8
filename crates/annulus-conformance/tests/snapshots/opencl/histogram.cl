// The handler of kernel `histogram`, written from crates/annulus-conformance/src/kernels/real/series.rs:+0 (module annulus_conformance::kernels::real::series).
#pragma OPENCL FP_CONTRACT OFF

typedef struct Sample {
    u32 series;
    f32 value;
} Sample;
typedef char ann_size_of_Sample[sizeof(Sample) == 8 ? 1 : -1];

typedef struct Buckets {
    f32 low;
    f32 width;
} Buckets;
typedef char ann_size_of_Buckets[sizeof(Buckets) == 8 ? 1 : -1];

static u32 handle_histogram(GLOBAL const Sample *sample, GLOBAL const Buckets *buckets, volatile GLOBAL u32 *counts, u64 counts_len) {
    // series.rs:+1
    u64 last = counts_len - 1ul;
    // series.rs:+2
    u64 bucket = rs_u64_from_f32((sample->value - buckets->low) / buckets->width);
    // series.rs:+3
    u64 at = rs_min_u64(bucket, last);
    if (at >= counts_len) return 0xFF04u; // index out of bounds
    u32 seen;
    seen = rs_atomic_fetch_add_u32(&counts[at], 1u, RS_RELAXED);
    return 0u;
}

#define ANN_MESSAGE Sample
#define ANN_MESSAGE_BYTES 8
#define ANN_SHAPE ANN_STATELESS
#define ANN_KEYED 1
#define ANN_KEY(message) ((u64)(message)->series)
#define ANN_MAX_OUTPUTS 0
#define ANN_BINDING_PARAMETERS , GLOBAL Buckets *bind_buckets, u64 len_of_bind_buckets, volatile GLOBAL u32 *bind_counts, u64 len_of_bind_counts
#define ANN_BINDING_ENTRY , GLOBAL Buckets *bind_buckets ANN_BUFFER, ANN_NUMBER len_of_bind_buckets ANN_BUFFER, volatile GLOBAL u32 *bind_counts ANN_BUFFER, ANN_NUMBER len_of_bind_counts ANN_BUFFER
#define ANN_BINDING_ARGUMENTS , bind_buckets, len_of_bind_buckets, bind_counts, len_of_bind_counts
#define ANN_CALL(cx, message, state, outbox) handle_histogram(message, bind_buckets, bind_counts, len_of_bind_counts)
