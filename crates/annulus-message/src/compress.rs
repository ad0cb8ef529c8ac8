//! When compression is worth its cost.

use lz4_flex::block::{CompressTable, compress_into_with_table, get_maximum_output_size};

/// Compresses payloads by LZ4 as long as that makes them smaller; after failures it tries less and less
/// often.
///
/// A try succeeds if the payload shrinks below nine tenths of its size. After each failure it skips twice as
/// many payloads before the next try, up to 1024; a success ends the skipping.
#[derive(Clone, Debug)]
pub struct Sampler {
    threshold: usize,
    /// How many payloads are skipped before the next try.
    pause: u32,
    /// How many of them are left to skip.
    left: u32,
}

/// The most payloads that are skipped. Source: this project's choice; a stream that becomes compressible is
/// noticed within this number.
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

    /// Learns from a try: returns whether the payload shrank enough to be sent compressed.
    pub fn learn(&mut self, plain: usize, compressed: usize) -> bool {
        let pays = compressed < plain - plain / 10;
        self.pause = if pays { 0 } else { (2 * self.pause).clamp(1, LONGEST_PAUSE) };
        self.left = self.pause;
        pays
    }
}

/// Makes LZ4 blocks; owns the memory that this needs.
#[doc(hidden)]
pub struct Lz4 {
    /// For payloads up to [`SHORT`]: half the memory, which is cleared for each payload.
    short: CompressTable,
    /// For longer ones. Made when the first one comes.
    long: Option<CompressTable>,
}

/// The longest payload that the small table is for. Source: `lz4_flex`.
const SHORT: usize = u16::MAX as usize - 1;

impl Lz4 {
    /// A compressor.
    #[expect(clippy::new_without_default, reason = "it allocates")]
    pub fn new() -> Self {
        Self { short: CompressTable::small(), long: None }
    }

    /// Writes a payload's block to `to`, replacing its contents.
    pub fn compress(&mut self, plain: &[u8], to: &mut Vec<u8>) {
        let most = get_maximum_output_size(plain.len());
        if to.len() < most {
            to.resize(most, 0);
        }
        let table = match plain.len() {
            0..=SHORT => &mut self.short,
            _ => self.long.get_or_insert_with(CompressTable::large),
        };
        // A buffer of this size takes any result; if not, the payload is sent uncompressed.
        match compress_into_with_table(plain, to, table) {
            Ok(len) => to.truncate(len),
            Err(_) => {
                to.clear();
                to.extend_from_slice(plain);
            }
        }
    }
}
