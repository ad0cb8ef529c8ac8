//! A send that had to evict a reservation waited for it, for ever if the reservation was the same thread's.
//! So there are none where senders evict.

use annulus_queue::{Backpressure, QueueOptions, SendOutcome, TrySendError, queue, spmc::spmc};

#[test]
fn a_queue_that_evicts_has_no_reservations() {
    let options = QueueOptions::new().capacity(16).backpressure(Backpressure::DropOldest);
    let (tx, rx) = queue(options.clone()).unwrap();
    let refused = tx.try_reserve().unwrap_err();
    assert_eq!(refused, TrySendError::NotOffered(()));
    for part in ["DropOldest", "try_send", "Reject"] {
        assert!(refused.to_string().contains(part), "{refused}");
    }
    for n in 0..16 {
        assert_eq!(tx.try_send(n), Ok(SendOutcome::Accepted), "it has left no trace");
    }
    assert_eq!(tx.try_send(16), Ok(SendOutcome::Evicted(0)));
    assert_eq!(rx.counters().enqueued, 17);

    let (mut tx, _rx) = spmc::<u32>(options).unwrap();
    assert!(matches!(tx.try_reserve(), Err(TrySendError::NotOffered(()))));
}

#[test]
fn the_others_say_what_is_the_matter() {
    for backpressure in [Backpressure::Block, Backpressure::Reject, Backpressure::DropNew] {
        let (tx, rx) = queue(QueueOptions::new().capacity(16).backpressure(backpressure)).unwrap();
        tx.try_send_batch(0..16, |_| panic!("there is space"));
        assert!(matches!(tx.try_reserve(), Err(TrySendError::Full(()))));
        rx.close();
        assert!(matches!(tx.try_reserve(), Err(TrySendError::Closed(()))));
        assert_eq!(tx.counters().attempts(), 16, "not counted");
    }
}
