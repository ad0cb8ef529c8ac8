//! The documents print "1.28 MB for 8 queues" under a formula that yields 1,081,856 bytes, or 1.03 MB; and neither is what their
//! queues take. Ours say what they take, and `allocations.rs` holds them to it.

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

/// Q-37, N-05: ours, for the same eight queues. A message of 32 bytes costs 8 more in a lock-free queue, for its slot's stamp;
/// a key of the window 40.
#[test]
fn q_37_our_figures_are_made_of_what_is_there() {
    let options = QueueOptions::production();
    let plain = MessageQueue::<[u8; 32]>::memory_usage_of(&options);
    let fixed = plain - 4096 * (32 + 8);
    assert!(fixed < 2048, "{fixed} bytes for the queue itself");
    let deduplicating = options.clone().deduplication(Deduplication::ById);
    let narrow = deduplicating.clone().deduplication_window(16);
    let usage = MessageQueue::<[u8; 32]>::memory_usage_of;
    assert_eq!(usage(&deduplicating) - usage(&narrow), (1024 - 16) * 40);
}
