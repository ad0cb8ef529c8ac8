//! Options: presets, limits, and that nothing asked for is ignored.
#![cfg(not(loom))]

use std::time::Duration;

use annulus_queue::{
    Backpressure, Clock, DeadLetters, Deduplication, Message, MessageQueue, OptionProblem, QueueOptions,
    queue, wait::WaitStrategy,
};

/// A message without a payload hash.
struct Bare;
impl Message for Bare {}

fn preset(capacity: usize, window: usize, backpressure: Backpressure, priority: bool) -> QueueOptions {
    QueueOptions::new()
        .capacity(capacity)
        .deduplication_window(window)
        .backpressure(backpressure)
        .priority(priority)
}

///
#[test]
fn q_11_presets_are_as_documented() {
    assert_eq!(QueueOptions::production(), preset(4096, 1024, Backpressure::Block, false));
    assert_eq!(QueueOptions::low_latency(), preset(256, 256, Backpressure::Reject, false));
    assert_eq!(QueueOptions::high_throughput(), preset(16_384, 1024, Backpressure::Block, false));
}

///
#[test]
fn q_12_presets_of_workloads_are_as_documented() {
    assert_eq!(QueueOptions::orleans(), preset(4096, 1024, Backpressure::Block, true));
    assert_eq!(QueueOptions::graph(), preset(16_384, 1024, Backpressure::DropOldest, false));
    assert_eq!(QueueOptions::realtime(), preset(512, 256, Backpressure::DropOldest, false));
    assert_eq!(QueueOptions::ml(), preset(8192, 1024, Backpressure::Reject, true));
}

/// everything that is wrong is said at once, with the limit and the remedy.
#[test]
fn q_18_validation_reports_every_option() {
    let options = QueueOptions::new()
        .capacity(5000)
        .deduplication(Deduplication::ByPayload)
        .deduplication_window(15)
        .expiry(Duration::ZERO)
        .max_message_bytes(0)
        .name("");
    let invalid = MessageQueue::<Bare>::new(options).unwrap_err();
    assert_eq!(
        invalid.problems(),
        [
            OptionProblem::Capacity { given: 5000, valid: 8192 },
            OptionProblem::Window { given: 15 },
            OptionProblem::Expiry,
            OptionProblem::MessageBytes,
            OptionProblem::Name { bytes: 0 },
            OptionProblem::NoPayloadHash { message: std::any::type_name::<Bare>() },
        ]
    );
    let text = invalid.to_string();
    for part in ["power of 2", "8192", "16 to 65536", "nearest is 16", "expiry is zero", "Bare", "ById"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

///
#[test]
fn q_24_windows_reach_from_16_to_65_536() {
    for (window, valid) in
        [(15, false), (16, true), (1000, true), (2048, true), (1 << 16, true), (65_537, false)]
    {
        let options = QueueOptions::new().deduplication_window(window);
        assert_eq!(options.validate().is_ok(), valid, "{window}");
    }
}

/// two ends have no policies, and say so rather than to ignore what was asked for.
#[test]
fn q_18_what_cannot_be_offered_is_an_error() {
    let options = QueueOptions::new()
        .priority(true)
        .deduplication(Deduplication::ById)
        .expiry(Duration::from_secs(1))
        .block_timeout(Duration::from_secs(1))
        .wait(WaitStrategy::Spin)
        .max_message_bytes(1);
    let refused = queue::<u32>(options.clone()).unwrap_err();
    let options_named: Vec<_> = refused
        .problems()
        .iter()
        .map(|problem| match problem {
            OptionProblem::NotOffered { option } => *option,
            other => panic!("{other}"),
        })
        .collect();
    assert_eq!(
        options_named,
        ["priority", "deduplication", "expiry", "block_timeout", "wait", "max_message_bytes"]
    );
    assert!(MessageQueue::<u32>::new(options).is_ok());
    // A window alone asks for nothing.
    assert!(queue::<u32>(QueueOptions::low_latency()).is_ok());
    // Dead letters that no message could reach.
    let idle = MessageQueue::<u32>::builder(QueueOptions::new()).dead_letters(&DeadLetters::new()).build();
    assert_eq!(idle.unwrap_err().problems(), [OptionProblem::NoExpiry]);
}

///
#[test]
fn q_29_four_ways_to_make_a_queue() {
    let made = [
        MessageQueue::<u32>::new(QueueOptions::low_latency()).unwrap(),
        MessageQueue::with_defaults(),
        MessageQueue::with_priority(QueueOptions::low_latency()).unwrap(),
        MessageQueue::for_throughput(),
    ];
    assert_eq!(made.map(|queue| queue.capacity()), [256, 4096, 256, 16_384]);
    let with_more = MessageQueue::<u32>::builder(QueueOptions::new()).clock(&Clock::manual()).build();
    assert!(with_more.is_ok());
}

/// the size that counts is the one that the message says, with every kind of queue, and the refusal is counted.
#[test]
fn q_18_large_messages_come_back() {
    for priority in [false, true] {
        let queue = MessageQueue::new(QueueOptions::new().priority(priority).max_message_bytes(4)).unwrap();
        assert!(queue.try_send("four".to_string()).is_ok());
        let refused = queue.send_blocking("larger".to_string()).unwrap_err();
        assert_eq!(refused.to_string(), "the message is larger than the queue's `max_message_bytes`");
        assert_eq!(refused.into_inner(), "larger");
        let counters = queue.counters();
        assert_eq!((counters.too_large, counters.enqueued, counters.attempts()), (1, 1, 2));
    }
}
