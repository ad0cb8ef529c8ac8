//! A send that did not fail may still have cost a message, which comes back.
#![deny(unused_must_use)]
use annulus::{SendError, queue::SendOutcome};

fn sent(outcome: Result<SendOutcome<u32>, SendError<u32>>) {
    outcome.unwrap();
}

fn main() {}
