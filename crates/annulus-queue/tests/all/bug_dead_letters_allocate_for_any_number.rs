//! A store of dead letters allocated memory for as many as it may ever keep: a kernel that was to keep
//! `u32::MAX` of them ended the program at its launch.

use annulus_queue::{DeadLetters, MessageQueue, QueueOptions, Reason};

#[test]
fn a_store_grows_as_dead_letters_come() {
    let dead_letters = DeadLetters::<u64>::with_capacity(usize::MAX);
    for message in 0..3000 {
        assert_eq!(dead_letters.bury(message, Reason::Expired), None);
    }
    assert_eq!((dead_letters.len(), dead_letters.capacity()), (3000, usize::MAX));
    let queue =
        MessageQueue::builder(QueueOptions::new().capacity(4096)).build().expect("the options are right");
    assert_eq!(dead_letters.redrive(&queue, 3).sent, 3000);
    assert_eq!(queue.take_all(), (0..3000).collect::<Vec<_>>());
}

#[test]
fn a_store_keeps_no_more_than_its_capacity() {
    let dead_letters = DeadLetters::<u64>::with_capacity(2000);
    let evicted: Vec<_> =
        (0..2500).filter_map(|message| dead_letters.bury(message, Reason::Expired)).collect();
    let evicted: Vec<_> = evicted.into_iter().map(|dead_letter| dead_letter.message).collect();
    assert_eq!((dead_letters.len(), evicted), (2000, (0..500).collect()));
}
