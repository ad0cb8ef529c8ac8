//! Any bytes as the payload of a bridged message, and of a direct one: they are a message, which has the same
//! bytes or others that mean it, or an error.
//!
//! `cargo +nightly fuzz run message_archive` in the directory above.
#![no_main]

use annulus::message::{Message, Payload};

#[path = "../../crates/annulus-message/tests/all/samples.rs"]
mod samples;

fn decode<M: Message + Payload>(bytes: &[u8]) {
    let Ok(message) = M::decode(bytes) else { return };
    let mut again = Vec::new();
    // A message whose values are shared in the archive may be too large when each has its own.
    if message.encode(&mut again).is_ok() {
        let message = M::decode(&again).expect("what was encoded is a message");
        let mut same = Vec::new();
        message.encode(&mut same).unwrap();
        assert_eq!(again, same);
    }
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    decode::<samples::Order>(bytes);
    decode::<samples::Tick>(bytes);
    let _ = (samples::order, samples::tick);
});
