//! The documents' consumer gives each receive five seconds, and ends for good when none came: a quiet queue stops it. Here a
//! timeout and a shutdown are different values, so the obvious loop is right.
#![cfg(not(loom))]

use std::{thread, time::Duration};

use annulus_queue::{MessageQueue, QueueOptions, RecvError};

/// Consumes until the shutdown; how many messages, and how often it was quiet.
fn consume(queue: &MessageQueue<u64>) -> (u64, u64) {
    let (mut received, mut quiet) = (0, 0);
    loop {
        match queue.recv_timeout(Duration::from_millis(1)) {
            Ok(_) => received += 1,
            Err(RecvError::Timeout) => quiet += 1,
            Err(RecvError::Closed) => return (received, quiet),
        }
    }
}

#[test]
fn a_consumer_survives_quiet_times_and_ends_on_close() {
    for priority in [false, true] {
        let queue = MessageQueue::new(QueueOptions::new().priority(priority)).unwrap();
        thread::scope(|scope| {
            let consumer = scope.spawn(|| consume(&queue));
            for message in 0..3 {
                // Many timeouts long, since each is an event of its own.
                thread::sleep(Duration::from_millis(20));
                assert!(queue.send_blocking(message).is_ok());
            }
            queue.close();
            let (received, quiet) = consumer.join().unwrap();
            assert_eq!(received, 3);
            assert!(quiet > 0);
        });
    }
}
