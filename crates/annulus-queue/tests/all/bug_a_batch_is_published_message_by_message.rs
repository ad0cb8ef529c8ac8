//! A batch of small messages was published message by message, four to a line: the receiver took each line
//! away from the sender up to four times, and batches were slower than single sends. Messages that share a
//! stamp are published by one store.

use annulus_queue::{QueueOptions, TryRecvError, single_consumer::spsc};

/// Seven messages of 8 bytes and their stamp are a line of 64.
#[test]
fn a_batch_is_published_by_lines() {
    let (mut tx, mut rx) = spsc(QueueOptions::new().capacity(64)).unwrap();
    let mut visible = Vec::new();
    let numbers = (0..16u64).inspect(|_| visible.push(rx.len()));
    assert_eq!(tx.try_send_batch(numbers, |_| ()), 16);
    let by_lines: Vec<_> = (0..16).map(|n| n / 7 * 7).collect();
    assert_eq!(visible, by_lines);
    let mut received = Vec::new();
    assert_eq!(rx.try_recv_batch(64, |n| received.push(n)), 16);
    assert_eq!(received, (0..16).collect::<Vec<_>>());
}

/// A message of 56 bytes is a line with its stamp, and waits for no other.
#[test]
fn a_large_message_is_published_at_once() {
    let (mut tx, rx) = spsc(QueueOptions::new().capacity(64)).unwrap();
    let mut visible = Vec::new();
    tx.try_send_batch((0..4u64).map(|n| [n; 7]).inspect(|_| visible.push(rx.len())), |_| ());
    assert_eq!(visible, [0, 1, 2, 3]);
}

/// What a batch has written before the queue is full, or its iterator ends or panics, is published, whatever
/// group it is in.
#[test]
fn nothing_stays_unpublished() {
    for first in 0..30usize {
        let (mut tx, mut rx) = spsc(QueueOptions::new().capacity(16)).unwrap();
        for n in 0..first {
            let _ = tx.try_send(n);
            assert_eq!(rx.try_recv(), Ok(n));
        }
        let mut back = Vec::new();
        assert_eq!(tx.try_send_batch(100..118, |n| back.push(n)), 16);
        assert_eq!((rx.len(), &back[..]), (16, &[116, 117][..]));
        assert_eq!(rx.try_recv_batch(3, |n| assert!((100..103).contains(&n))), 3);
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            tx.try_send_batch((0..4).map(|n| if n < 2 { n } else { panic!("no more") }), |_| ())
        }));
        assert!(panicked.is_err());
        assert_eq!(rx.try_iter().collect::<Vec<_>>(), (103..116).chain(0..2).collect::<Vec<_>>());
        assert_eq!(rx.try_recv(), Err(TryRecvError::Empty));
    }
}
