//! `outputs_not_received`: a kernel with an outbox that nobody reads.

use super::Context;
use crate::{
    body::{Call, LAUNCH_INTO, connects},
    finding::Finding,
    lint::OUTPUTS_NOT_RECEIVED,
};

/// Calls that send to the kernel.
fn sends(name: &str) -> bool {
    name.starts_with("send") || name.starts_with("try_send") || name.starts_with("consume") || name == "sink"
}

/// Calls that neither send nor receive, nor give the kernel away.
fn looks(name: &str) -> bool {
    const LOOKS: &[&str] = &[
        "backend",
        "close",
        "compilation",
        "dead_letters",
        "disconnect",
        "enable_telemetry",
        "grid",
        "latencies",
        "metrics",
        "name",
        "redrive",
        "restore",
        "snapshot",
        "status",
        "take_undelivered",
    ];
    let lifecycle =
        ["activate", "deactivate", "drained", "ready", "restore", "shutdown", "snapshot", "terminate"];
    LOOKS.contains(&name)
        || lifecycle.iter().any(|verb| {
            name.strip_prefix(verb)
                .is_some_and(|rest| rest.is_empty() || rest == "_blocking" || rest == "_timeout")
        })
}

/// Whether this connects an outbox by which a kernel asks: `connect_port(risk::PRICE, &catalogue)`.
fn asks(context: &Context<'_>, call: &Call) -> bool {
    let port = call.arguments.first().and_then(|port| context.source.text.get(port.span.clone()));
    let mut path = port.into_iter().flat_map(|port| port.rsplit("::").map(str::trim));
    let (Some(port), Some(kernel)) = (path.next(), path.next()) else { return false };
    context.facts.kernel(kernel, &context.source.shown).is_some_and(|kernel| kernel.asks_by(port))
}

pub(super) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let body = context.body;
    for (handle, binding) in body.bindings.iter().enumerate() {
        let Some(launched) = binding.launch.and_then(|event| body.events[event].call()) else { continue };
        let Some(launch) = &launched.launch else { continue };
        let kernel = context.facts.kernel(&launch.kernel, &context.source.shown);
        let Some(outbox) = kernel.and_then(|kernel| kernel.outbox.as_ref()) else { continue };
        // Elsewhere somebody may ask for it by name.
        let asked = &context.facts.asked_by_name;
        let is_asked = [Some(launch.kernel.as_str()), launch.name(), Some("*")];
        let is_asked = is_asked.into_iter().flatten().any(|name| asked.contains(name));
        // Launched into another kernel: that one is sent its outputs.
        if is_asked || body.is_lost(handle) || launched.name == LAUNCH_INTO {
            continue;
        }
        let mut sent: Option<&Call> = None;
        let mut is_read = false;
        for call in body.calls() {
            if body.is_on(call, handle) {
                match call.name.as_str() {
                    name if sends(name) => sent = sent.or(Some(call)),
                    name if looks(name) => {}
                    // Also a clone: one that is followed is no call here.
                    _ => is_read = true,
                }
            }
            // Connected to: messages come from the other kernel.
            let is_target = |argument: &crate::body::Argument| {
                argument.binding.is_some_and(|binding| body.root(binding) == handle)
            };
            if connects(&call.name) && call.arguments.iter().any(is_target) {
                if asks(context, call) {
                    // What it sends are answers.
                    is_read = true;
                } else {
                    sent = sent.or(Some(call));
                }
            }
        }
        let (false, Some(sent)) = (is_read, sent) else { continue };
        let (name, kernel) = (&binding.name, &launch.kernel);
        findings.push(
            Finding::new(
                &OUTPUTS_NOT_RECEIVED,
                launched.span.clone(),
                format!("nobody receives what `{kernel}` sends to `{outbox}`: once its outbound rings are full, it takes no more messages"),
                format!("`{name}` is sent messages, and never read"),
                format!(
                    "receive (`{name}.recv()`, `{name}.outputs()`), connect it (`{name}.connect(&next)`), publish it \
                     (`{name}.publish_to(&queue)`), or launch a kernel without an outbox"
                ),
            )
            .note(sent.span.clone(), "messages begin here"),
        );
    }
}
