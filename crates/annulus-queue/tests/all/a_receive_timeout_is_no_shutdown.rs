//! The documents' consumer gives each receive five seconds, and ends for good when none came: a quiet queue
//! stops it. Here a timeout and a shutdown are different values, so the obvious loop is right.

use std::{
    sync::mpsc::{Sender, channel},
    thread,
    time::Duration,
};

use annulus_queue::{MessageQueue, QueueOptions, RecvError};

/// Consumes until the shutdown, and reports each quiet time. Returns how many messages there were.
fn consume(queue: &MessageQueue<u64>, quiet: &Sender<()>) -> u64 {
    let mut received = 0;
    loop {
        match queue.recv_timeout(Duration::from_millis(1)) {
            Ok(_) => received += 1,
            Err(RecvError::Timeout) => quiet.send(()).unwrap(),
            Err(RecvError::Closed) => return received,
        }
    }
}

#[test]
fn a_consumer_survives_quiet_times_and_ends_on_close() {
    for priority in [false, true] {
        let queue = MessageQueue::new(QueueOptions::new().priority(priority)).unwrap();
        let (quiet, told) = channel();
        thread::scope(|scope| {
            let consumer = scope.spawn(|| consume(&queue, &quiet));
            for message in 0..3 {
                // Several timeouts, since each is an event of its own; as long as they take.
                told.iter().take(5).for_each(drop);
                assert!(queue.send_blocking(message).is_ok());
            }
            queue.close();
            assert_eq!(consumer.join().unwrap(), 3);
        });
    }
}
