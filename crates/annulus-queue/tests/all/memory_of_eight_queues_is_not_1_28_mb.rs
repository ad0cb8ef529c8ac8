//! The documents print "1.28 MB for 8 queues" under a formula that yields 1,081,856 bytes, or 1.03 MB; and
//! neither is what their queues take. Ours say what they take, and `allocations.rs` holds them to it.

use annulus_queue::{Deduplication, MessageQueue, QueueOptions};

/// The documents' own formula: 64 bytes of queue, 32 per message, 4 per key of the window.
fn by_the_documents(capacity: usize, message: usize, window: usize) -> usize {
    64 + capacity * message + window * 4
}

///
#[test]
fn q_37_the_documents_formula_yields_what_it_yields() {
    assert_eq!(8 * by_the_documents(4096, 32, 1024), 1_081_856);
    // The other example: "256 × 1 KB = 262 KB".
    assert_eq!(by_the_documents(256, 1024, 0), 262_208);
}

/// Q-37, N-05: ours, for the same eight queues. A slot is the message and a stamp of 8 bytes, and as long as
/// that fits into a cache line, it is padded to a power of two, so that it lies in one: 16 bytes for a
/// message of 8 (N-05's figure), 64 for one of 32. A key of the window costs 40.
#[test]
fn q_37_our_figures_are_made_of_what_is_there() {
    let options = QueueOptions::production();
    let usage = MessageQueue::<[u8; 32]>::memory_usage_of;
    let slots = 4096 * 64;
    // A pair of 128-byte places for tickets and one for counts, two for those who wait, and what is written
    // once.
    let fixed = usage(&options) - slots;
    assert!(fixed <= 2048, "{fixed} bytes for the queue itself");
    assert_eq!(MessageQueue::<u64>::memory_usage_of(&options), fixed + 4096 * 16);
    assert_eq!(MessageQueue::<[u8; 56]>::memory_usage_of(&options), fixed + 4096 * 64);
    // Beyond a line, nothing is padded but to the stamp's alignment.
    assert_eq!(MessageQueue::<[u8; 248]>::memory_usage_of(&options), fixed + 4096 * 256);
    assert_eq!(MessageQueue::<[u8; 100]>::memory_usage_of(&options), fixed + 4096 * 112);
    let deduplicating = options.clone().deduplication(Deduplication::ById);
    let narrow = deduplicating.clone().deduplication_window(16);
    assert_eq!(usage(&deduplicating) - usage(&narrow), (1024 - 16) * 40);
}
