//! Programs of bytes on every kind of queue, with any options, against a slow and simple queue.
//!
//! `cargo +nightly fuzz run queue_operations` in the directory above. The interpreter is that of the tests.
#![no_main]

#[path = "../../crates/annulus-queue/tests/operations/mod.rs"]
mod operations;

libfuzzer_sys::fuzz_target!(|program: &[u8]| operations::run(program));
