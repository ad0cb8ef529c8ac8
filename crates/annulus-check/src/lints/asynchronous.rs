//! `blocking_in_async`: a call that blocks the thread inside a future.

use super::Context;
use crate::{body::Call, finding::Finding, known::Known, lint::BLOCKING_IN_ASYNC};

/// The futures that our blocking calls have beside them.
const FUTURES: &[&str] = &[
    "activate",
    "call",
    "deactivate",
    "drained",
    "ended",
    "ready",
    "recv",
    "recv_batch",
    "restore",
    "send",
    "send_batch",
    "send_batch_returning",
    "shutdown",
    "snapshot",
    "terminate",
];

pub(super) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for call in context.body.calls().filter(|call| call.at.is_async) {
        let finding = match &call.receiver {
            Some(receiver) => method(context, call, &receiver.known),
            None => function(call),
        };
        findings.extend(finding);
    }
}

fn method(context: &Context<'_>, call: &Call, of: &Known) -> Option<Finding> {
    let is_ours = of.is_ours();
    if let Some(verb) = call.name.strip_suffix("_timeout").filter(|_| is_ours) {
        let message = format!("`{}` blocks the thread inside a future, up to its limit", call.name);
        let help = match FUTURES.contains(&verb) {
            true => {
                format!("put a limit of your executor on the future: `timeout(limit, ….{verb}(…)).await`")
            }
            false => "do it on a thread where blocking is allowed, as with `spawn_blocking`".into(),
        };
        return Some(Finding::new(&BLOCKING_IN_ASYNC, call.name_span.clone(), message, "blocks here", help));
    }
    let verb = call.name.strip_suffix("_blocking")?;
    let has_future = FUTURES.contains(&verb) && *of != Known::Dynamic;
    // Others' blocking calls may be called otherwise than ours; these are ours, or none that belongs here.
    let may_be_ours = is_ours
        || has_future
            && match of {
                Known::Unknown | Known::Plain(_) => true,
                // It may lend those of a handle that is in it.
                Known::Own(of) => !context.facts.has_method(of, &call.name),
                _ => false,
            };
    if !may_be_ours {
        return None;
    }
    let message =
        format!("`{}` blocks the thread inside a future: nothing else runs on it meanwhile", call.name);
    if !has_future {
        let help = "do it on a thread where blocking is allowed, as with `spawn_blocking`";
        return Some(Finding::new(&BLOCKING_IN_ASYNC, call.name_span.clone(), message, "blocks here", help));
    }
    let finding = Finding::new(
        &BLOCKING_IN_ASYNC,
        call.name_span.clone(),
        message,
        "blocks here",
        format!("await the future instead: `{verb}(…).await`"),
    );
    let changed = call.name_span.start..call.end;
    let arguments = context.text(&(call.name_span.end..call.end));
    // Not every queue has all of them; inside the arguments of a macro an `await` may hold what is no `Send`.
    let has_it = *of != Known::Queue || matches!(verb, "send" | "recv");
    let is_safe = is_ours && has_it && !call.at.is_in_macro;
    Some(finding.fix("await it", changed, format!("{verb}{arguments}.await"), is_safe))
}

fn function(call: &Call) -> Option<Finding> {
    let path: Vec<&str> = call.path.iter().map(String::as_str).collect();
    let (what, help) = match path[..] {
        [.., "thread", "sleep"] => {
            ("`thread::sleep`", "await the timer of your executor, such as `tokio::time::sleep`")
        }
        [.., "block_on"] => ("`block_on`", "await the future: some executors panic here"),
        [.., "block_timeout"] => ("`block_timeout`", "await the future, under a limit of your executor"),
        _ => return None,
    };
    let message = format!("{what} blocks the thread inside a future: nothing else runs on it meanwhile");
    Some(Finding::new(&BLOCKING_IN_ASYNC, call.name_span.clone(), message, "blocks here", help))
}
