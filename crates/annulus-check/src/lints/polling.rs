//! `tight_poll`: telemetry that is polled without a pause, or too often.

use std::collections::BTreeSet;

use super::Context;
use crate::{
    body::{
        Body, Call,
        pause::{self, Pause},
    },
    finding::Finding,
    known::Known,
    lint::TIGHT_POLL,
};

/// The shortest pause between polls, in nanoseconds: 10 kHz. Source: the specification's row A-02.
const SHORTEST: u128 = 100_000;

/// Whether the call polls telemetry.
fn polls(call: &Call) -> bool {
    let is_telemetry = call.receiver.as_ref().is_some_and(|of| of.known == Known::Telemetry);
    matches!(call.name.as_str(), "poll" | "sample") && call.arguments.is_empty() && is_telemetry
}

/// Whether the call is one of a function of the same file that polls telemetry.
fn polls_within(call: &Call, functions: &BTreeSet<&str>) -> bool {
    call.receiver.is_none() && call.path.len() == 1 && functions.contains(call.name.as_str())
}

/// The innermost loop around a call that does not end by itself.
fn endless(body: &Body, call: &Call) -> Option<usize> {
    call.at.loops.iter().rev().copied().find(|number| !body.loops[*number].is_bounded)
}

/// The functions of a file that poll telemetry each time they are called, themselves or by others of the file. A closure
/// may never be called; and what polls in an endless loop is looked at there.
pub(super) fn functions(bodies: &[Body]) -> BTreeSet<&str> {
    let mut all = BTreeSet::new();
    loop {
        let is_new = |body: &&Body| {
            !all.contains(body.name.as_str())
                && body.calls().any(|call| {
                    let is_run = call.at.closure == 0 && endless(body, call).is_none();
                    is_run && (polls(call) || polls_within(call, &all))
                })
        };
        let more: Vec<&str> = bodies.iter().filter(is_new).map(|body| body.name.as_str()).collect();
        if more.is_empty() {
            break;
        }
        all.extend(more);
    }
    // Of two with one name nobody knows which is called.
    all.retain(|name| bodies.iter().filter(|body| body.name == **name).count() == 1);
    all
}

pub(super) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let mut told = Vec::new();
    for call in context.body.calls() {
        if !polls(call) && !polls_within(call, context.polling) {
            continue;
        }
        let Some(number) = endless(context.body, call) else { continue };
        // Once for each loop.
        if told.contains(&number) {
            continue;
        }
        match pause::of_round(context.body, number, context.facts) {
            (Pause::Unknown, _) => {}
            (Pause::Time(nanos), Some(sleep)) if nanos < SHORTEST => {
                findings.push(too_short(context, call, sleep, nanos));
                told.push(number);
            }
            (Pause::Time(_), _) => {}
            (Pause::None, _) => {
                findings.push(no_pause(context, call, number));
                told.push(number);
            }
        }
    }
}

fn no_pause(context: &Context<'_>, call: &Call, number: usize) -> Finding {
    let around = &context.body.loops[number];
    let label = match polls(call) {
        true => "polled again at once".to_owned(),
        false => format!("`{}` polls it, and is called again at once", call.name),
    };
    let finding = Finding::new(
        &TIGHT_POLL,
        call.span.clone(),
        "telemetry is polled without a pause: as often as this thread can, and the limit is 10,000 times a second",
        label,
        "pause between polls, 10 ms in production, or use `poll_every`; to wait until the kernel has handled everything, use `drained`; \
         to see each output, receive it",
    )
    .note(around.head.clone(), "this loop has no pause");
    if !around.is_block {
        return finding;
    }
    let (line, _) = context.source.place(around.end);
    let start = context.source.line(line).start;
    let indent = context.text(&(start..around.end)).to_owned();
    let is_alone = indent.trim().is_empty();
    let wait = match around.is_async {
        // Which timer a future has, only the program knows.
        true => return finding,
        false => "std::thread::sleep(std::time::Duration::from_millis(10));",
    };
    match is_alone && !around.is_empty {
        true => finding.fix(
            "sleep at the end of each round",
            start..start,
            format!("{indent}    {wait}\n"),
            false,
        ),
        false => finding.fix("sleep in each round", around.end..around.end, format!(" {wait} "), false),
    }
}

fn too_short(context: &Context<'_>, call: &Call, sleep: &Call, nanos: u128) -> Finding {
    let rate = match nanos {
        0 => "as often as this thread can".into(),
        _ => format!("up to {} times a second", grouped(1_000_000_000u128.div_ceil(nanos))),
    };
    let finding = Finding::new(
        &TIGHT_POLL,
        call.span.clone(),
        format!("telemetry is polled with a pause of {}: {rate}, and the limit is 10,000", time(nanos)),
        "polled too often",
        "pause for 100 µs or longer: 10 ms in production, 1 ms while debugging",
    )
    .note(sleep.span.clone(), format!("this is {}", time(nanos)));
    match sleep.arguments.first() {
        Some(argument) if context.text(&argument.span).contains("from_") => finding.fix(
            "pause for 10 ms",
            argument.span.clone(),
            "std::time::Duration::from_millis(10)",
            false,
        ),
        _ => finding,
    }
}

/// A short time for people.
fn time(nanos: u128) -> String {
    match nanos {
        0..1_000 => format!("{nanos} ns"),
        _ if nanos.is_multiple_of(1_000) => format!("{} µs", nanos / 1_000),
        _ => format!("{} µs", nanos as f64 / 1e3),
    }
}

/// With commas between thousands.
fn grouped(number: u128) -> String {
    let digits = number.to_string();
    let first = digits.len() % 3;
    let mut grouped = digits[..first].to_owned();
    for at in (first..digits.len()).step_by(3) {
        if !grouped.is_empty() {
            grouped.push(',');
        }
        grouped.push_str(&digits[at..at + 3]);
    }
    grouped
}
