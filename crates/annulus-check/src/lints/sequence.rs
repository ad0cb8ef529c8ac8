//! `telemetry_before_launch`, `telemetry_after_end` and the part of `telemetry_not_enabled` that is about
//! latencies: what the types cannot order, since a kernel is asked for by its name, or has ended.

use super::Context;
use crate::{
    body::{Call, Launch},
    finding::Finding,
    known::Known,
    lint::{TELEMETRY_AFTER_END, TELEMETRY_BEFORE_LAUNCH, TELEMETRY_NOT_ENABLED},
};

pub(super) fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for (number, call) in context.body.numbered() {
        match call.name.as_str() {
            "kernel" | "handle" if call.usage.is_tried => by_name(context, number, call, findings),
            "enable_telemetry" if call.usage.is_tried => after_end(context, number, call, findings),
            "latencies" if call.usage.is_tried => latencies(context, call, findings),
            _ => {}
        }
    }
}

/// The launch of the kernel that a handle is of.
fn launch_of<'a>(context: &'a Context<'_>, root: usize) -> Option<(&'a Call, &'a Launch)> {
    let event = context.body.bindings[root].launch?;
    let call = context.body.events[event].call()?;
    Some((call, call.launch.as_ref()?))
}

/// The runtime that is asked, and the name that it is asked for.
fn asked<'a>(context: &Context<'_>, call: &'a Call) -> Option<(usize, &'a str)> {
    let receiver = call.receiver.as_ref().filter(|receiver| receiver.known == Known::Runtime)?;
    let name = call.arguments.first()?.text.as_deref()?;
    Some((context.body.root(receiver.binding?), name))
}

fn by_name(context: &Context<'_>, number: usize, call: &Call, findings: &mut Vec<Finding>) {
    let Some((runtime, name)) = asked(context, call) else { return };
    let launches: Vec<(usize, &Call)> = context
        .body
        .numbered()
        .filter(|(_, other)| {
            let launch = other.launch.as_ref();
            launch.is_some_and(|launch| launch.runtime == Some(runtime) && launch.name() == Some(name))
        })
        .collect();
    let before = launches.iter().rfind(|(other, _)| *other < number);
    match (before, launches.iter().find(|(other, _)| *other > number)) {
        // A closure may run later than it stands.
        (None, Some((_, launch))) if launch.at.closure == call.at.closure => findings.push(
            Finding::new(
                &TELEMETRY_BEFORE_LAUNCH,
                call.span.clone(),
                format!("the kernel `{name}` is asked for before it is launched: this is `UnknownKernel`"),
                "no such kernel runs yet",
                "launch it first; the handle that the launch returns needs no name",
            )
            .note(launch.span.clone(), "it is launched here"),
        ),
        (Some((launched, launch)), _) => {
            // The name is free again.
            let handle = (0..context.body.bindings.len())
                .find(|&binding| context.body.bindings[binding].launch == Some(*launched));
            let Some(handle) = handle.filter(|&handle| !context.body.is_lost(handle)) else { return };
            let end = ends(context, handle).rfind(|(end, _)| (launched + 1..number).contains(end));
            if let Some((_, end)) = end.filter(|(_, end)| is_certain(end, call)) {
                let what =
                    format!("the kernel `{name}` is asked for after it has ended: this is `UnknownKernel`");
                findings.push(
                    Finding::new(
                        &TELEMETRY_AFTER_END,
                        call.span.clone(),
                        what,
                        "no such kernel runs any more",
                        "ask for it before it ends; `Telemetry` keeps the last snapshot",
                    )
                    .note(launch.span.clone(), "it is launched here")
                    .note(end.span.clone(), "it has ended when this returns"),
                );
            }
        }
        _ => {}
    }
}

/// The calls that end the kernel of this handle.
fn ends<'a>(context: &'a Context<'_>, root: usize) -> impl DoubleEndedIterator<Item = (usize, &'a Call)> {
    let runtime = launch_of(context, root).and_then(|(_, launch)| launch.runtime);
    let ends = move |call: &Call| {
        let blocks = matches!(call.name.as_str(), "terminate_blocking" | "shutdown_blocking");
        let awaited = matches!(call.name.as_str(), "terminate" | "shutdown") && call.usage.is_awaited;
        let of = call.receiver.as_ref().and_then(|receiver| receiver.binding);
        let is_its =
            of.is_some_and(|of| context.body.root(of) == root || Some(context.body.root(of)) == runtime);
        (blocks || awaited) && is_its
    };
    let events = context.body.events.iter().enumerate();
    events.filter_map(|(number, event)| Some((number, event.call()?))).filter(move |(_, call)| ends(call))
}

/// Whether `end` has happened whenever `later`, which comes later in the text, happens.
fn is_certain(end: &Call, later: &Call) -> bool {
    end.at.closure == later.at.closure && end.at.is_before_all_of(&later.at)
}

fn after_end(context: &Context<'_>, number: usize, call: &Call, findings: &mut Vec<Finding>) {
    let Some(handle) = call.receiver.as_ref().and_then(|receiver| receiver.binding) else { return };
    let root = context.body.root(handle);
    let is_handle = matches!(context.body.bindings[root].known, Known::Handle(_) | Known::Control);
    let is_other = context.body.bindings[root].is_field && context.body.is_lost(root);
    if !is_handle || is_other || context.body.bindings[root].is_reassigned {
        return;
    }
    let end = ends(context, root).take_while(|(end, _)| *end < number).find(|(_, end)| is_certain(end, call));
    if let Some((_, end)) = end {
        let name = &context.body.bindings[handle].name;
        findings.push(
            Finding::new(
                &TELEMETRY_AFTER_END,
                call.span.clone(),
                format!("telemetry of `{name}` is enabled after it has ended: this is `TelemetryError::Terminated`"),
                "nothing is measured any more",
                "enable it after the launch and keep the `Telemetry`: it can be polled after the end",
            )
            .note(end.span.clone(), format!("`{name}` has ended when this returns")),
        );
    }
}

fn latencies(context: &Context<'_>, call: &Call, findings: &mut Vec<Finding>) {
    let Some(handle) = call.receiver.as_ref().and_then(|receiver| receiver.binding) else { return };
    let root = context.body.root(handle);
    let Some((launched, launch)) = launch_of(context, root) else { return };
    let options = &launch.options;
    let by_attribute = context
        .facts
        .kernel(&launch.kernel, &context.source.shown)
        .is_none_or(|kernel| kernel.attribute.contains("track_latency"));
    if !options.is_whole
        || options.tracks_latency
        || by_attribute
        || context.body.bindings[root].is_reassigned
    {
        return;
    }
    let name = &context.body.bindings[handle].name;
    findings.push(
        Finding::new(
            &TELEMETRY_NOT_ENABLED,
            call.span.clone(),
            format!(
                "`{name}` was launched without `track_latency(true)`, so `latencies` is always `None` here"
            ),
            "nothing was measured",
            "launch it with `.track_latency(true)`; it costs a clock read for each message",
        )
        .note(launched.span.clone(), "it is launched here"),
    );
    if let Some(argument) = launched.launch.as_ref().and(launched.arguments.last()) {
        let at = argument.span.end;
        let is_chain = context.text(&argument.span).ends_with(')');
        if let Some(finding) = findings.last_mut().filter(|_| is_chain) {
            *finding = finding.clone().fix("measure latencies", at..at, ".track_latency(true)", false);
        }
    }
}
