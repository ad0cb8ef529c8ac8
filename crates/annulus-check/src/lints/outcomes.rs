//! `outcome_discarded`: what became of a message is thrown away, so that the compiler no longer says it.

use super::Context;
use crate::{
    body::{Call, Discarded, Receiver},
    finding::Finding,
    known::Known,
    lint::OUTCOME_DISCARDED,
};

/// Verbs that return a future, without which nothing is sent.
const FUTURES: &[&str] =
    &["call", "call_within", "send", "send_batch", "send_batch_returning", "send_within"];

pub(super) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for call in context.body.calls() {
        let is_send = call.name.starts_with("send") || call.name.starts_with("try_send");
        let is_future = FUTURES.contains(&call.name.as_str()) && !call.usage.is_awaited;
        let may_lose = |of: &&Receiver| (is_send || is_future) && of.known.takes_messages();
        let Some(receiver) = call.receiver.as_ref().filter(may_lose) else {
            continue;
        };
        let Some(discarded) = &call.usage.discarded else { continue };
        let is_silent = !matches!(discarded, Discarded::Statement) || call.usage.is_ok;
        if is_future {
            // The compiler itself says so of a statement.
            if is_silent {
                findings.push(not_awaited(context, call, discarded));
            }
        } else if !call.usage.is_tried {
            if is_silent {
                findings.push(error_lost(context, call, discarded));
            }
        } else if let Some(why) = receiver.binding.and_then(|of| hands_back(context, of))
            && !call.name.contains("batch")
            && is_silent
        {
            findings.push(message_lost(call, &why));
        }
    }
}

fn not_awaited(context: &Context<'_>, call: &Call, discarded: &Discarded) -> Finding {
    let at = call.end;
    let finding = Finding::new(
        &OUTCOME_DISCARDED,
        call.span.clone(),
        format!("the future of `{}` is dropped before it has done anything: nothing is sent", call.name),
        "nothing is sent",
        "await it, and look at what it returns",
    );
    let finding = of_discard(finding, discarded);
    if nothing_is_returned(context, call) {
        return finding;
    }
    match (call.at.is_async, discarded) {
        (true, Discarded::Underscore(_)) => finding.fix("await it", at..at, ".await?", false),
        _ => {
            let name = match call.name.strip_suffix("_within") {
                Some(verb) => format!("{verb}_timeout"),
                None => format!("{}_blocking", call.name),
            };
            let text = context.text(&(call.name_span.end..call.end));
            finding.fix("block", call.name_span.start..call.end, format!("{name}{text}?"), false)
        }
    }
}

fn error_lost(context: &Context<'_>, call: &Call, discarded: &Discarded) -> Finding {
    let what = match call.name.contains("batch") {
        true => "the rest of the batch is lost without a sign",
        false => "the message is lost without a sign",
    };
    let finding = Finding::new(
        &OUTCOME_DISCARDED,
        call.span.clone(),
        format!("what `{}` returns is thrown away: where the queue is full or closed, {what}", call.name),
        "the error is not looked at",
        "pass the error on (`?`), send it again later (the error holds the message), or count it; \
         where losing it is right, say so: `// annulus: allow(outcome_discarded)`",
    );
    match discarded {
        // Only the error; the outcome is still thrown away.
        Discarded::Underscore(_) if !call.usage.is_ok && !nothing_is_returned(context, call) => {
            let end =
                if call.usage.is_awaited { context.text(&(call.end..call.end + ".await".len())) } else { "" };
            let at = call.end + if end == ".await" { end.len() } else { 0 };
            finding.fix("pass the error on", at..at, "?", false)
        }
        _ => finding,
    }
}

/// Whether a call is in a function that returns nothing, where `?` does not compile. Of closures and blocks nobody says.
fn nothing_is_returned(context: &Context<'_>, call: &Call) -> bool {
    call.at.closure == 0 && context.body.returns_nothing
}

fn message_lost(call: &Call, why: &str) -> Finding {
    Finding::new(
        &OUTCOME_DISCARDED,
        call.span.clone(),
        format!("with {why} `{}` may hand a message back, and it is thrown away here", call.name),
        "a `SendOutcome` with a message may be in it",
        "match on the outcome: `Evicted`, `Discarded` and `Duplicate` hold the message; `is_queued` says whether this \
         one was taken",
    )
}

fn of_discard(finding: Finding, discarded: &Discarded) -> Finding {
    match discarded {
        Discarded::Underscore(place) => finding.note(place.clone(), "this keeps the compiler silent"),
        Discarded::Drop | Discarded::Statement => finding,
    }
}

/// Why a send to this handle may succeed and hand a message back, if the text says so.
fn hands_back(context: &Context<'_>, binding: usize) -> Option<String> {
    let root = context.body.root(binding);
    let binding = &context.body.bindings[root];
    if !matches!(binding.known, Known::Handle(_)) {
        return None;
    }
    let launch = context.body.events[binding.launch?].call()?.launch.as_ref()?;
    launch.options.hands_back.clone()
}
