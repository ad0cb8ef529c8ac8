//! `telemetry_not_enabled` and `reset_not_enabled`: telemetry that the program itself has switched off.

use super::Context;
use crate::{
    body::Call,
    finding::Finding,
    known::Known,
    lint::{RESET_NOT_ENABLED, TELEMETRY_NOT_ENABLED},
};

pub(super) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let body = context.body;
    for (off, switch) in body.numbered() {
        if switch.name != "set_enabled" || !switch.arguments.first().is_some_and(|argument| argument.is_false)
        {
            continue;
        }
        let Some(binding) = switch.receiver.as_ref().and_then(|receiver| receiver.binding) else { continue };
        let telemetry = body.root(binding);
        if body.bindings[telemetry].known != Known::Telemetry || body.is_lost(telemetry) {
            continue;
        }
        // Only where nothing after it may switch it on again.
        let may_switch_on = |call: &Call| match call.name.as_str() {
            "set_enabled" => {
                body.is_on(call, telemetry)
                    && !call.arguments.first().is_some_and(|argument| argument.is_false)
            }
            "enable_telemetry" => true,
            _ => false,
        };
        // In a loop, what stands before comes after it as well.
        let begin = if switch.at.loops.is_empty() { off } else { 0 };
        if body.numbered().any(|(number, call)| number > begin && number != off && may_switch_on(call)) {
            continue;
        }
        for (number, call) in body.numbered() {
            if number < off || !body.is_on(call, telemetry) || !is_certain(switch, call) {
                continue;
            }
            let off = "it is switched off here, and nothing switches it on again";
            let name = &body.bindings[binding].name;
            let is_repeated = call.at.loops.iter().any(|number| !switch.at.loops.contains(number));
            match call.name.as_str() {
                "poll" if is_repeated => findings.push(
                    Finding::new(
                        &TELEMETRY_NOT_ENABLED,
                        call.span.clone(),
                        format!("`{name}` is switched off, so each of these polls sees the same last snapshot"),
                        "it never changes",
                        "switch it on before the loop, or poll once: the last snapshot stays readable",
                    )
                    .note(switch.span.clone(), off)
                    .fix("leave it on", switch.arguments[0].span.clone(), "true", false),
                ),
                "reset" => findings.push(
                    Finding::new(
                        &RESET_NOT_ENABLED,
                        call.span.clone(),
                        format!("`{name}` is reset while it is switched off: its last snapshot is lost, and nothing is counted anew"),
                        "reset while switched off",
                        "reset it while it is on, or switch it on afterwards",
                    )
                    .note(switch.span.clone(), off)
                    .fix("switch it on", call.end..call.end, format!("; {name}.set_enabled(true)"), false),
                ),
                _ => {}
            }
        }
    }
}

fn is_certain(first: &Call, later: &Call) -> bool {
    first.at.closure == later.at.closure && first.at.is_before_all_of(&later.at)
}
