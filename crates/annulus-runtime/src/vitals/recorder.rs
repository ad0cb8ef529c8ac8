//! The flight recorder's writer. Its protocol is described in [`annulus_abi::vitals::recorder`].

use std::sync::Arc;

use annulus_abi::vitals::recorder::{RECORDS, Record};
use annulus_block::RuntimeClock;
use annulus_ring::memory::SharedMemory;
use annulus_sync::{AtomicU64, Ordering};

use super::file::VitalsFile;

/// Bytes of the recorder in the file.
pub(super) const BYTES: usize = RECORDS * size_of::<Record>();

/// Records of one page: they are claimed together.
const TOGETHER: u64 = (annulus_abi::vitals::PAGE / size_of::<Record>()) as u64;

/// Makes records in a vitals file.
pub(crate) struct Recorder {
    file: Arc<VitalsFile>,
    memory: Arc<SharedMemory>,
    /// Where its first record is.
    offset: usize,
    clock: RuntimeClock,
    /// Records so far.
    made: AtomicU64,
    /// A bit for each page that was claimed.
    claimed: AtomicU64,
}

const _: () = assert!(RECORDS as u64 / TOGETHER == 64, "`claimed` has a bit for each page");

impl Recorder {
    pub(super) fn new(
        file: Arc<VitalsFile>,
        memory: Arc<SharedMemory>,
        offset: usize,
        clock: RuntimeClock,
    ) -> Self {
        Self { file, memory, offset, clock, made: AtomicU64::new(0), claimed: AtomicU64::new(0) }
    }

    /// Makes a record. If the system has no memory left for it, there is none.
    #[cold]
    pub(super) fn record(&self, kernel: u64, event: u32, shard: u32, values: [u64; 3]) {
        let number = self.made.fetch_add(1, Ordering::Relaxed) + 1;
        let place = number % RECORDS as u64;
        let page = 1 << (place / TOGETHER);
        let offset = self.offset + place as usize * size_of::<Record>();
        if self.claimed.load(Ordering::Relaxed) & page == 0 {
            if !self.file.claim(offset, size_of::<Record>()) {
                return;
            }
            self.claimed.fetch_or(page, Ordering::Relaxed);
        }
        let record = Record { number, time: self.clock.now(), kernel, event, shard, values, check: 0 };
        for (i, word) in record.to_words().into_iter().enumerate() {
            // SAFETY: all words of vitals are atomics.
            let to = unsafe { self.memory.word(offset + 8 * i) };
            // Readers rely on no order: the last word is a check of the others.
            to.store(word, Ordering::Relaxed);
        }
    }
}

/// Whether the n-th event of a kind is recorded. All of the first ones are; then fewer and fewer, so that a
/// flood leaves room for others.
pub(crate) fn is_recorded(n: u64) -> bool {
    n <= 16 || n.is_power_of_two()
}

/// Whether one of the events from the one behind `before` up to `now` is recorded.
pub(crate) fn passes_a_record(before: u64, now: u64) -> bool {
    now > before && (before < 16 || before.checked_ilog2() != now.checked_ilog2())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_recorded_less_and_less() {
        let recorded = (1..=1 << 20).filter(|&n| is_recorded(n)).count();
        assert_eq!(recorded, 16 + 16);
        // Counted in steps, no record is missed between them.
        for step in [1, 3, 1000] {
            let mut before = 0;
            while before < 1 << 20 {
                let now = before + step;
                assert_eq!(
                    passes_a_record(before, now),
                    (before + 1..=now).any(is_recorded),
                    "{before} to {now}"
                );
                before = now;
            }
        }
        assert!(!passes_a_record(5, 5));
    }
}
