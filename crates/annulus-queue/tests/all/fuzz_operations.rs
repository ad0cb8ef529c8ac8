//! Random programs on every kind of queue, with any options, against a slow and simple queue: same outcomes,
//! lengths and counts after each operation, and every message dropped once. `fuzz/` runs the same interpreter
//! under a fuzzer.
#![cfg(all(not(loom), feature = "futures"))]

#[path = "../operations/mod.rs"]
mod operations;

use proptest::prelude::*;

fn cases() -> u32 {
    if std::env::var_os("ANNULUS_LONG").is_some() { 200_000 } else { 2_000 }
}

/// The bytes of a program on one kind of queue: see [`operations::run`].
fn program(kind: u8) -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..300).prop_map(move |mut bytes| {
        bytes.insert(0, kind);
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    ///
    #[test]
    fn q_27_ends_that_all_share(program in program(0)) {
        operations::run(&program);
    }

    ///
    #[test]
    fn q_27_one_sender_many_receivers(program in program(1)) {
        operations::run(&program);
    }

    ///
    #[test]
    fn q_27_one_sender_one_receiver(program in program(2)) {
        operations::run(&program);
    }

    ///
    #[test]
    fn q_27_many_senders_one_receiver(program in program(3)) {
        operations::run(&program);
    }

    ///
    #[test]
    fn q_28_queues_with_policies(program in program(4)) {
        operations::run(&program);
    }

    #[test]
    fn lossy_rings(program in program(5)) {
        operations::run(&program);
    }
}
