//! The memory of queues with very large capacities wrapped around, or computing it ended the program; lossy
//! rings returned `usize::MAX`.

use annulus_queue::{
    Deduplication, MessageQueue, QueueOptions,
    single_consumer::{self, Many, One},
};

#[test]
fn what_no_memory_holds_takes_all_of_it() {
    for capacity in [usize::MAX, usize::MAX / 2 + 1, usize::MAX / 64] {
        let options = QueueOptions::new().capacity(capacity).name("a name");
        assert_eq!(single_consumer::memory_usage::<[u8; 1024], One>(&options), usize::MAX);
        assert_eq!(single_consumer::memory_usage::<[u8; 1024], Many>(&options), usize::MAX);
        assert_eq!(options.memory_usage::<[u8; 1024]>(), usize::MAX);
        assert_eq!(MessageQueue::<[u8; 1024]>::memory_usage_of(&options), usize::MAX);
        assert_eq!(MessageQueue::<[u8; 1024]>::memory_usage_of(&options.priority(true)), usize::MAX);
    }
    for window in [usize::MAX, usize::MAX / 8, usize::MAX / 32] {
        let options = QueueOptions::new().deduplication(Deduplication::ById).deduplication_window(window);
        assert!(MessageQueue::<[u8; 8]>::memory_usage_of(&options) > usize::MAX / 8, "{window}");
    }
}
