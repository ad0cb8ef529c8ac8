//! What lowering refuses about bridged messages: with the line, and what to write instead.

use annulus_kernel::{RingKernel, Target};
use annulus_macros::{device_fn, ring_kernel};
use annulus_message::Archived;
use annulus_runtime::prelude::Outbox;

use crate::kernels::{Answer, Item, Log};

/// The kernel, and what its refusal must say; the line is the one below its marker.
macro_rules! refused {
    ($test_name:ident: $kernel:ident says $($part:literal),+) => {
        #[test]
        fn $test_name() {
            let error = $kernel::DEFINITION.handler_source(Target::OpenCl).expect_err("a device cannot do this");
            let error = error.to_string();
            for part in [$($part),+] {
                assert!(error.contains(part), "`{part}` is not in: {error}");
            }
            let marker = concat!("// HERE ", stringify!($kernel), "\n");
            let (before, _) = include_str!("refusals.rs").split_once(marker).expect("the line is marked");
            let line = before.matches('\n').count() + 2;
            assert!(error.contains(&format!("refusals.rs:{line}: ")), "{error} is not of line {line}");
        }
    };
}

#[ring_kernel(untested)]
fn calculates(log: &Archived<Log>, answers: &Outbox<Answer>) {
    // HERE calculates
    let whole = i64::from(log.small + 1);
    answers.send(Answer { whole, ..Answer::default() });
}
refused!(arithmetic_without_to_native: calculates says "`.to_native()`");

#[ring_kernel(untested)]
fn chooses(log: &Archived<Log>, answers: &Outbox<Answer>) {
    // HERE chooses
    let item = if log.on { &log.best } else { &log.items[0] };
    answers.send(Answer { whole: item.id.to_native(), ..Answer::default() });
}
refused!(references_that_branches_choose: chooses says "choose an index");

#[ring_kernel(untested)]
fn falls_back(log: &Archived<Log>, answers: &Outbox<Answer>) {
    // HERE falls_back
    let item = log.first.as_ref().unwrap_or(&log.best);
    answers.send(Answer { whole: item.id.to_native(), ..Answer::default() });
}
refused!(one_of_two_records: falls_back says "stays in it", "in each branch");

#[ring_kernel(untested)]
fn compares(log: &Archived<Log>, answers: &Outbox<Answer>) {
    // HERE compares
    let is = log.text == log.best.name;
    answers.send(Answer { is, ..Answer::default() });
}
refused!(texts_as_a_whole: compares says "does not compare `ArchivedString`", "`.as_bytes()`");

#[ring_kernel(untested)]
fn unwraps(log: &Archived<Log>, answers: &Outbox<Answer>) {
    // HERE unwraps
    let real = if log.limit.is_some() { log.limit.unwrap_or(log.precise).to_native() } else { 0.0 };
    answers.send(Answer { real, ..Answer::default() });
}
refused!(options_without_as_ref: unwraps says "`.as_ref()`");

#[device_fn]
fn longest(items: &[Archived<Item>]) -> u32 {
    // HERE keeps
    items.iter().max_by_key(|item| item.name.len()).map_or(0, |item| item.parts.len() as u32)
}

#[ring_kernel(untested)]
fn keeps(log: &Archived<Log>, answers: &Outbox<Answer>) {
    answers.send(Answer { whole: i64::from(longest(log.items.as_slice())), ..Answer::default() });
}
refused!(records_that_a_search_keeps: keeps says "stays in it");
