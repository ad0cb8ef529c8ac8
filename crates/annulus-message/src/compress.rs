//! When compressing pays.

use lz4_flex::block::{CompressTable, compress_into_with_table, get_maximum_output_size};

/// Compresses payloads by LZ4 as long as that pays: what does not become smaller is tried ever more seldom.
///
/// A payload that becomes less than nine tenths of its size counts as a success. After each failure twice as
/// many payloads are passed over before the next is tried, up to 1024; a success ends that.
#[derive(Clone, Debug)]
pub struct Sampler {
    threshold: usize,
    /// How many are passed over before the next try.
    pause: u32,
    /// How many still are.
    left: u32,
}

/// The most payloads that are passed over. Source: this project's choice; a stream that becomes compressible
/// is noticed within so many.
const LONGEST_PAUSE: u32 = 1024;

impl Sampler {
    /// For payloads from `threshold` bytes on; shorter ones are never tried.
    pub fn new(threshold: usize) -> Self {
        Self { threshold, pause: 0, left: 0 }
    }

    /// Whether to try this payload.
    pub fn wants(&mut self, len: usize) -> bool {
        if len < self.threshold || len == 0 {
            return false;
        }
        let tries = self.left == 0;
        self.left = self.left.saturating_sub(1);
        tries
    }

    /// What came of a try: whether the payload became enough smaller to be sent so.
    pub fn learn(&mut self, plain: usize, compressed: usize) -> bool {
        let pays = compressed < plain - plain / 10;
        self.pause = if pays { 0 } else { (2 * self.pause).clamp(1, LONGEST_PAUSE) };
        self.left = self.pause;
        pays
    }
}

/// Makes LZ4 blocks, with the memory that this needs.
pub(crate) struct Lz4(CompressTable);

impl Lz4 {
    pub(crate) fn new() -> Self {
        // A small table would be replaced at the first larger payload.
        Self(CompressTable::large())
    }

    /// Puts a payload's block into `to`, in place of what is there.
    pub(crate) fn compress(&mut self, plain: &[u8], to: &mut Vec<u8>) {
        to.resize(get_maximum_output_size(plain.len()), 0);
        // A buffer of this size takes whatever comes; if not, the payload goes as it is.
        match compress_into_with_table(plain, to, &mut self.0) {
            Ok(len) => to.truncate(len),
            Err(_) => {
                to.clear();
                to.extend_from_slice(plain);
            }
        }
    }
}
