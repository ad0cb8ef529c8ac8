//! A send that did not fail may still have cost a message, which comes back.
#![deny(unused_must_use)]
use annulus::{SendError, queue::Admission};

fn sent(outcome: Result<Admission<u32>, SendError<u32>>) {
    outcome.unwrap();
}

fn main() {}
