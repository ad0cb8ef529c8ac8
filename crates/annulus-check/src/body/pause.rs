//! Which calls wait.

use super::{Body, Call, Event};
use crate::{facts::Facts, known::Known};

/// How long a call waits.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Pause {
    /// It does not.
    None,
    /// This long, in nanoseconds.
    Time(u128),
    /// Nobody knows.
    Unknown,
}

/// Words of names that say that the call may wait. A loop with such a call is not known to be tight.
const WORDS: &[&str] = &[
    "accept", "acquire", "await", "blocking", "call", "delay", "drained", "interval", "join", "next", "park",
    "pause", "poll", "read", "receive", "recv", "select", "settle", "sleep", "throttle", "tick", "timeout",
    "wait",
];

/// Whether the name of a call says that it may wait.
pub(crate) fn is_by_name(call: &Call) -> bool {
    // Telemetry does not wait, other things that are polled do.
    let polls = call.name == "poll" && call.arguments.is_empty();
    !polls && call.name.split('_').any(|word| WORDS.contains(&word))
}

/// How long one call waits.
fn of(call: &Call, facts: &Facts) -> Pause {
    let first = call.arguments.first().map(|argument| &argument.known);
    match (call.name.as_str(), first, call.receiver.as_ref().map(|receiver| &receiver.known)) {
        ("sleep" | "park_timeout", Some(Known::Time(nanos)), _) => Pause::Time(*nanos),
        ("tick", _, Some(Known::Ticker(nanos))) => Pause::Time(*nanos),
        ("yield_now" | "spin_loop", ..) => Pause::None,
        _ if call.usage.is_awaited || is_by_name(call) => Pause::Unknown,
        _ if call.path.len() == 1 && facts.may_wait(&call.name) => Pause::Unknown,
        _ if call.receiver.is_some() && facts.may_wait(&call.name) => Pause::Unknown,
        _ => Pause::None,
    }
}

/// What the pauses of one round of a loop come to, and the longest call that says how long it takes.
pub(crate) fn of_round<'a>(body: &'a Body, number: usize, facts: &Facts) -> (Pause, Option<&'a Call>) {
    let mut sum = 0;
    let mut longest: Option<(u128, &Call)> = None;
    for event in &body.events {
        match event {
            Event::Opaque(at) if at.loops.contains(&number) => return (Pause::Unknown, None),
            Event::Call(call) if call.at.loops.contains(&number) => match of(call, facts) {
                Pause::Unknown => return (Pause::Unknown, None),
                Pause::Time(nanos) => {
                    sum += nanos;
                    if longest.is_none_or(|(before, _)| before < nanos) {
                        longest = Some((nanos, call));
                    }
                }
                Pause::None => {}
            },
            _ => {}
        }
    }
    match longest {
        Some((_, call)) => (Pause::Time(sum), Some(call)),
        None => (Pause::None, None),
    }
}
