//! Options survive being written and read.

use std::time::Duration;

use annulus_queue::{Backpressure, Deduplication, MessageQueue, QueueOptions};
use annulus_sync::wait::WaitStrategy;

fn round_trip(options: &QueueOptions) -> QueueOptions {
    serde_json::from_str(&serde_json::to_string(options).unwrap()).unwrap()
}

/// Q-18
#[test]
fn q_18_every_option_comes_back() {
    let every = QueueOptions::new()
        .capacity(256)
        .backpressure(Backpressure::DropOldest)
        .priority(true)
        .deduplication(Deduplication::ByPayload)
        .deduplication_window(4096)
        .expiry(Duration::from_millis(1500))
        .block_timeout(Duration::from_secs(5))
        .wait(WaitStrategy::SpinThenPark { spin: Duration::from_micros(3) })
        .max_message_bytes(1024)
        .name("readings");
    for options in [every, QueueOptions::new(), QueueOptions::ml()] {
        assert_eq!(round_trip(&options), options);
    }
}

/// Q-18: what is left out has its default, and what is misspelt is an error.
#[test]
fn q_18_options_may_be_left_out_and_not_misspelt() {
    let options: QueueOptions = serde_json::from_str(r#"{"capacity": 256}"#).unwrap();
    assert_eq!(options, QueueOptions::new().capacity(256));
    let misspelt = serde_json::from_str::<QueueOptions>(r#"{"capacty": 256}"#).unwrap_err();
    assert!(misspelt.to_string().contains("capacty"), "{misspelt}");
}

/// Q-18: reading does not validate; making a queue does.
#[test]
fn q_18_what_was_read_is_validated_when_it_is_used() {
    let options: QueueOptions = serde_json::from_str(r#"{"capacity": 5000}"#).unwrap();
    assert!(MessageQueue::<u32>::new(options).is_err());
}
