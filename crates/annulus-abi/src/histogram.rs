//! The buckets in which a shard counts latencies, for percentiles.
//!
//! Log-linear: 32 buckets for each doubling, so the width of a bucket is at most 1/32 (3.2 %) of its values.
//! One `u64` count per bucket; the shard's kernel is the only writer.

/// Buckets for each doubling, as a power of two.
const SUB_BITS: u32 = 5;

/// How many buckets cover every `u64`.
pub const BUCKETS: usize = ((64 - SUB_BITS as usize) << SUB_BITS) + (1 << SUB_BITS);

/// Bytes of a shard's histogram.
pub const BYTES: usize = BUCKETS * 8;

/// The bucket that counts `nanos`.
#[inline]
pub const fn bucket(nanos: u64) -> usize {
    if nanos < 1 << SUB_BITS {
        return nanos as usize;
    }
    let exponent = 63 - nanos.leading_zeros();
    let sub = (nanos >> (exponent - SUB_BITS)) as usize & ((1 << SUB_BITS) - 1);
    (((exponent - SUB_BITS + 1) as usize) << SUB_BITS) + sub
}

/// The largest value that `bucket` counts. Percentiles report it, so they never understate a latency.
#[inline]
pub const fn upper_bound(bucket: usize) -> u64 {
    if bucket < 1 << SUB_BITS {
        return bucket as u64;
    }
    let shift = (bucket >> SUB_BITS) as u32 - 1;
    let mantissa = (1 << SUB_BITS) + (bucket as u64 & ((1 << SUB_BITS) - 1));
    (mantissa << shift) + ((1 << shift) - 1)
}
