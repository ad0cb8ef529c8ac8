//! Options: presets, limits, and that no option that is set is ignored.

use std::time::Duration;

use annulus_queue::{
    Backpressure, Clock, DeadLetters, Deduplication, Message, MessageQueue, OptionProblem, QueueOptions,
    SendOutcome, queue,
};
use annulus_sync::wait::WaitStrategy;

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
    for part in
        ["power of 2", "8192", "16 to 65536", "nearest is 16", "expiry is zero", ", and Bare has", "ById"]
    {
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

/// two ends have no policies, and return an error instead of ignoring such options.
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

/// the size that counts is the one that the message says, with every kind of queue, and the
/// refusal is counted.
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

/// twice what comes between two looks, and a window of twice that.
#[test]
fn q_38_sizes_for_a_rate() {
    let sized = |rate, millis| QueueOptions::sized_for(rate, Duration::from_millis(millis));
    let capacity = |rate, millis| queue::<u32>(sized(rate, millis)).map(|(sender, _)| sender.capacity());
    assert_eq!(capacity(100_000.0, 10).ok(), Some(2048));
    assert_eq!(capacity(1024.0, 1000).ok(), Some(2048));
    assert_eq!(capacity(1025.0, 1000).ok(), Some(4096));
    for idle in [0.0, -5.0, f64::NAN] {
        assert_eq!(capacity(idle, 10).ok(), Some(16), "{idle}");
    }
    for much in [1e9, f64::INFINITY] {
        assert!(capacity(much, 60_000).unwrap_err().to_string().contains("1048576"), "{much}");
    }
    // 1000 between two looks: of 4000 keys all are remembered; of 5000 the first are not.
    let options = sized(100_000.0, 10).deduplication(Deduplication::ById);
    let queue = MessageQueue::<Keyed>::new(options).unwrap();
    let send = |id: u64| matches!(queue.try_send(Keyed(id)).unwrap(), SendOutcome::Duplicate(_));
    for id in 0..4000 {
        assert!(!send(id));
        queue.try_recv().unwrap();
    }
    assert!((0..4000).all(&send));
    assert!(!send(4000));
    queue.try_recv().unwrap();
    assert!(!send(0), "the oldest key made room for the newest");
}

/// A message that is its id.
struct Keyed(u64);

impl Message for Keyed {
    fn id(&self) -> Option<u64> {
        Some(self.0)
    }
}

/// ids are compared, not hashed: of a hundred thousand different ones, none is taken for a duplicate,
/// not even where they differ in one bit.
#[test]
fn q_22_no_two_ids_collide() {
    let queue = MessageQueue::<Keyed>::new(QueueOptions::new().deduplication(Deduplication::ById)).unwrap();
    let mut sent = 0_u64;
    for low in 0..16_384_u64 {
        for shift in [0, 7, 13, 22, 31, 43, 49] {
            let fresh = matches!(queue.try_send(Keyed((low | 1 << 14) << shift)), Ok(SendOutcome::Accepted));
            assert!(fresh, "{low} << {shift}");
            queue.try_recv().unwrap();
            sent += 1;
        }
    }
    assert_eq!(queue.counters().enqueued, sent);
    // One bit apart, one after the other.
    for bit in 0..64 {
        assert!(matches!(queue.try_send(Keyed(u64::MAX ^ 1 << bit)), Ok(SendOutcome::Accepted)), "{bit}");
    }
}

/// a key of the window takes 40 bytes: itself, and eight places of the table, which make looking it up
/// a matter of one probe.
#[test]
fn q_23_memory_of_a_window() {
    let bytes = |window| {
        let options = QueueOptions::new().deduplication(Deduplication::ById).deduplication_window(window);
        MessageQueue::<Keyed>::memory_usage_of(&options)
    };
    for window in [1024, 4096, 65_536] {
        assert_eq!(bytes(window) - bytes(16), 40 * (window - 16), "{window} keys");
    }
}

/// one queue, and all that is asked of it by its name.
#[test]
fn q_34_what_every_queue_offers() {
    let options = QueueOptions::new().capacity(16).backpressure(Backpressure::Reject).name("orders");
    // A look needs a lock, which a queue with a policy has.
    let queue = MessageQueue::<u32>::new(options.priority(true)).unwrap();
    assert_eq!(
        (queue.name(), queue.capacity(), queue.backpressure()),
        (Some("orders"), 16, Backpressure::Reject)
    );
    for n in 0..3 {
        let _ = queue.try_send(n).unwrap();
    }
    assert_eq!(queue.peek(|n| *n).unwrap(), 0);
    assert_eq!((queue.try_recv().unwrap(), queue.len()), (0, 2));
    assert!(!queue.flush_timeout(Duration::ZERO), "two are left");
    assert_eq!((queue.clear(), queue.len()), (2, 0));
    assert!(queue.flush_timeout(Duration::ZERO));
}
