//! `tight_poll`: telemetry that is polled without a pause, or too often.

use super::Context;
use crate::{
    body::{
        Call,
        pause::{self, Pause},
    },
    finding::Finding,
    known::Known,
    lint::TIGHT_POLL,
};

/// The shortest pause between polls, in nanoseconds: 10 kHz. Source: the specification's row A-02.
const SHORTEST: u128 = 100_000;

pub(super) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let mut told = Vec::new();
    for call in context.body.calls() {
        let is_telemetry =
            |call: &Call| call.receiver.as_ref().is_some_and(|of| of.known == Known::Telemetry);
        let polls = matches!(call.name.as_str(), "poll" | "sample");
        if !polls || !call.arguments.is_empty() || !is_telemetry(call) {
            continue;
        }
        // The innermost loop that does not end by itself.
        let is_endless = |number: &&usize| !context.body.loops[**number].is_bounded;
        let Some(&number) = call.at.loops.iter().rev().find(is_endless) else { continue };
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
    let finding = Finding::new(
        &TIGHT_POLL,
        call.span.clone(),
        "telemetry is polled without a pause: as often as this thread can, and the limit is 10,000 times a second",
        "polled again at once",
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
