//! The original sample looks at the clock only when a message comes, so the last messages before a pause wait
//! for the next one, however long that takes. Here a timer hands them on. These tests hang if it does not.

use std::{sync::mpsc, time::Duration};

use annulus_queue::{
    QueueOptions,
    batching::{BatchOptions, Batcher},
    queue,
};

#[test]
fn p_07_a_lone_message_is_delivered() {
    let (tx, rx) = mpsc::channel();
    let batcher =
        Batcher::new(BatchOptions::new(), move |batch: &mut Vec<u32>| tx.send(batch.clone())).unwrap();
    batcher.push(7).unwrap();
    assert_eq!(rx.recv(), Ok(vec![7]), "no second message");
    batcher.push(8).unwrap();
    assert_eq!(rx.recv(), Ok(vec![8]), "again, after the timer had nothing to do");
    // The counters follow the delivery.
    batcher.flush().unwrap();
    assert_eq!(batcher.counters().by_timer, 2);
}

#[test]
fn d_04_the_rest_after_a_full_batch_is_delivered() {
    let (tx, rx) = queue::<Vec<u32>>(QueueOptions::new()).unwrap();
    let batcher = Batcher::new(BatchOptions::new().messages(64), tx).unwrap();
    for number in 0..100 {
        batcher.push(number).unwrap();
    }
    let mut received = Vec::new();
    while received.len() < 100 {
        received.extend(rx.recv_blocking().unwrap());
    }
    assert!(received.into_iter().eq(0..100));
}

/// The delay counts from the first message: others do not put it off.
#[test]
fn p_07_messages_that_keep_coming_do_not_put_the_timer_off() {
    let (tx, rx) = mpsc::channel();
    let options = BatchOptions::new().messages(1 << 20).delay(Duration::from_millis(2));
    let batcher = Batcher::new(options, move |batch: &mut Vec<u32>| tx.send(batch.len())).unwrap();
    let mut delivered = None;
    while delivered.is_none() {
        batcher.push(0).unwrap();
        std::thread::sleep(Duration::from_micros(100));
        delivered = rx.try_recv().ok();
    }
    assert!(delivered.is_some_and(|messages| messages < 1 << 20));
}
