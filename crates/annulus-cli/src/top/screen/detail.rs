//! The detail of a kernel: what it is, its shards, and why it does not go on.

use std::time::Duration;

use annulus::for_people;
use annulus_observe::{
    CAUSES, Cause, Kernel, KernelMemory, Liveness, Phase, PortLook, PortShard, Process, Why,
};
use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::{Modifier, Style},
};

use super::{
    super::{
        latency::range,
        table::{bridge_rate, bridge_text, name_of, printable},
    },
    Screen,
    draw::{put, several, style},
    rows::State,
    text::{bars, count, rate, size, wrap},
};

const PLAIN: Style = Style::new();
const HEAD: Style = Style::new().add_modifier(Modifier::BOLD);

impl Screen {
    pub(super) fn draw_detail(&mut self, buffer: &mut Buffer, area: Rect) {
        // Below the title, above the status and the keys.
        let body = Rect { y: area.y + 1, height: area.height.saturating_sub(3), ..area };
        let lines = self.detail(area.width.into());
        self.detail_offset = self.detail_offset.min(lines.len().saturating_sub(body.height.into()));
        for ((text, style), y) in lines[self.detail_offset..].iter().zip(body.top()..body.bottom()) {
            put(buffer, Rect { y, height: 1, ..area }, text, *style);
        }
    }

    fn detail(&self, width: usize) -> Vec<(String, Style)> {
        let Some((process, earlier, kernel)) = self.selection() else {
            return vec![(" It has gone.".into(), PLAIN)];
        };
        let mut lines = Vec::new();
        let up = match process.liveness {
            Liveness::Running => {
                format!("up {}", for_people(Duration::from_nanos(process.now)))
            }
            Liveness::Dead => process.told_death().into(),
        };
        let executable = printable(&process.executable);
        let all = self.now.as_ref().map_or(&[][..], |now| &now.processes);
        let file = printable(&process.told_apart(all));
        let heading = format!("process {}{file}, {}, {executable}, {up}", process.pid, process.backend);
        put_wrapped(&mut lines, &heading, width);
        if let Some(damage) = process.told_damage() {
            put_wrapped(&mut lines, &printable(&damage), width);
        }
        let Some(kernel) = kernel else {
            lines.push((format!(" It shows {}.", process.no_kernels()), PLAIN));
            return lines;
        };
        for text in about(process, kernel) {
            put_wrapped(&mut lines, &text, width);
        }
        let earlier_kernel = earlier.and_then(|earlier| earlier.kernels.iter().find(|it| it.id == kernel.id));
        for bridge in &kernel.bridges {
            let per_second = bridge_rate(bridge, earlier_kernel, self.elapsed());
            let text = format!("bridge {}", bridge_text(bridge, per_second.map(|it| rate(Some(it)))));
            put_wrapped(&mut lines, &text, width);
        }
        let past = self.history.of(process, kernel);
        if let Some(past) = past.filter(|past| !past.rates.is_empty()) {
            let rates: Vec<f64> = past.rates.iter().copied().collect();
            let bars = bars(&rates, width.saturating_sub(20).min(rates.len()));
            lines.push((format!(" {:>5} per s  {bars}", rate(past.rate)), PLAIN));
        }
        if let Some([least, most]) = range(&kernel.shards) {
            let now = past.and_then(|past| past.latency);
            let now = now.map_or("-".into(), |mean| for_people(mean).to_string());
            let (least, most) = (for_people(least), for_people(most));
            let text =
                format!("latency {now} between the last two looks, {least} to {most} since it is measured");
            put_wrapped(&mut lines, &text, width);
        }
        if let Some(latencies) = kernel.latencies.as_ref().filter(|latencies| latencies.count() != 0) {
            let [half, most] = [0.5, 0.99].map(|share| for_people(latencies.quantile_time(share)));
            let text = format!("half of the latencies were within {half}, 99 % within {most}");
            put_wrapped(&mut lines, &text, width);
        }
        lines.push((String::new(), PLAIN));
        for text in crate::why::said_of(process, all, &self.why_of(process, kernel)).lines() {
            put_wrapped(&mut lines, &printable(text), width);
        }
        lines.push((String::new(), PLAIN));
        self.shards(&mut lines, kernel);
        lines
    }

    /// What is said of this kernel, and how long its handlers have been at their messages.
    fn why_of(&self, process: &Process, kernel: &Kernel) -> Why {
        let Some(now) = &self.now else { return Why::default() };
        // Of all runtimes: a bridge may lead to another one.
        let found = now.why(self.before.as_ref().unwrap_or(now), self.elapsed());
        let mut told = Why::default();
        for (of, why) in now.processes.iter().zip(found) {
            told.findings.extend(why.findings.into_iter().filter(|finding| {
                let is_own = of.file == process.file && finding.kernel == kernel.name;
                let mut waiting = finding.waiting.iter().flatten();
                // Of another runtime, it is over a bridge.
                is_own
                    || of.pid == process.pid
                        && waiting.any(|step| (&step.kernel, step.runtime) == (&kernel.name, process.started))
            }));
        }
        for finding in &mut told.findings {
            if let Cause::Handler { at_least, .. } = &mut finding.cause {
                let of =
                    now.processes.iter().find(|of| (of.pid, of.started) == (process.pid, finding.runtime));
                let process = of.unwrap_or(process);
                let named =
                    process.kernels.iter().find(|kernel| !kernel.has_ended && kernel.name == finding.kernel);
                let past = named.and_then(|kernel| self.history.of(process, kernel));
                let held = |shard: &usize| past.and_then(|past| past.held(*shard));
                *at_least = finding.shards.iter().filter_map(held).max().unwrap_or(*at_least);
            }
        }
        told
    }

    /// The time between the last two looks.
    fn elapsed(&self) -> Duration {
        match (&self.before, &self.now) {
            (Some(before), Some(now)) => now.at.saturating_duration_since(before.at),
            _ => Duration::ZERO,
        }
    }

    fn shards(&self, lines: &mut Vec<(String, Style)>, kernel: &Kernel) {
        lines.push((
            format!(
                " {:<5} {:<8} {:>5} {:>5} {:>7} {:>7} {:>5}  PHASE",
                "SHARD", "STATE", "DONE", "PER S", "PENDING", "DROPPED", "OUT"
            ),
            HEAD,
        ));
        let Some(row) = self.rows.iter().find(|row| Some(&row.id) == self.selected.as_ref()) else { return };
        for (index, (shard, words)) in row.lines.iter().zip(&kernel.shards).enumerate() {
            let mut phase = shard.phase.clone();
            let at = Phase::of(words);
            // With the time it says the message already.
            if at.is_work() && !(at == Phase::InHandler && shard.held.is_some()) {
                phase += &format!(", message {}", at.message(words));
            }
            lines.push((
                format!(
                    " {index:<5} {:<8} {:>5} {:>5} {:>7} {:>7} {:>5}  {phase}",
                    shard.state.word(),
                    count(shard.done),
                    rate(shard.rate),
                    count(shard.pending),
                    count(shard.dropped),
                    count(shard.out),
                ),
                if shard.held.is_some() { style(State::Stalled) } else { style(shard.state) },
            ));
        }
    }
}

/// What a kernel is, and what is not told by its shards.
fn about(process: &Process, kernel: &Kernel) -> Vec<String> {
    let name = printable(&kernel.name);
    let own = if kernel.kernel == kernel.name {
        String::new()
    } else {
        format!(" ({})", printable(&kernel.kernel))
    };
    let to = |(id, waits): (u64, bool)| {
        let name = name_of(process, id);
        format!(" to {name}{}", if waits { "" } else { ", or lost without room there" })
    };
    let by_name = kernel.ports.iter().any(PortLook::is_nobody);
    let outputs = match (&*kernel.output, &kernel.ports[..]) {
        (output, [peers @ .., _]) if by_name => {
            format!("{} for {}", printable(output), several(peers.len(), "kernel"))
        }
        (_, ports @ [_, ..]) => format!("by {} outboxes", ports.len()),
        ("", _) => "none".into(),
        (output, _) => format!("{}{}", printable(output), kernel.target.map_or(String::new(), to)),
    };
    let mut about = vec![
        format!(
            "kernel {name}{own}: {} of {}, {} mode, at most {} a turn, {}",
            several(kernel.shards.len(), "shard"),
            several(kernel.block as usize, "thread"),
            kernel.mode,
            kernel.max_batch,
            kernel.told_actors().unwrap_or_else(|| format!("{} actors", kernel.actors))
        ),
        format!(
            "messages {}, rings of {}; outputs {outputs}, rings of {}",
            printable(&kernel.message),
            kernel.inbound_capacity,
            kernel.outbound_capacity
        ),
    ];
    let layouts = [("a message", kernel.message_layout), ("an output", kernel.output_layout)];
    let layouts = layouts.into_iter().filter_map(|(what, layout)| Some(format!("{what} is {}", layout?)));
    about.extend(layouts.reduce(|first, second| format!("{first}; {second}")));
    let memory = (kernel.memory.total() != 0).then(|| memory(&kernel.memory));
    let device = (!process.device.is_empty()).then(|| format!("on {}", printable(&process.device)));
    about.extend([device, memory].into_iter().flatten().reduce(|first, second| format!("{first}; {second}")));
    about.extend(kernel.ports.iter().map(|port| {
        let sum = port.sum();
        let nowhere = if port.is_nobody() { "" } else { " to the host" };
        let (name, to) = (printable(&port.name), port.target.map_or(nowhere.into(), to));
        let name = if by_name { name } else { format!("outbox {name}") };
        // What it sent to the host is not counted here, and it may have led to a kernel before.
        match sum {
            PortShard { sent: 0, held: 0, lost: 0 } => format!("{name}{to}"),
            PortShard { sent, held, lost } => {
                format!("{name}{to}: {sent} sent to kernels, {held} wait for room, {lost} lost")
            }
        }
    }));
    let [waiting, taken] =
        [kernel.sum(|shard| shard.timers.waiting.into()), kernel.sum(|shard| shard.timers.taken)];
    if waiting != 0 || taken != 0 {
        about.push(format!("messages to itself: {waiting} wait for their time, {taken} were taken"));
    }
    let asks = kernel.open_asks();
    if asks != 0 {
        let of = kernel.asked().map_or(String::new(), |id| format!(" of {}", name_of(process, id)));
        about.push(format!("asks{of}: {asks} open, whose answers have not come"));
    }
    if kernel.tracing {
        let [recorded, lost] =
            [kernel.sum(|shard| shard.traces.recorded), kernel.sum(|shard| shard.traces.lost)];
        about.push(format!("traces: {recorded} records, {lost} lost"));
    }
    let lived = kernel.age.map(|age| for_people(age).to_string());
    match (kernel.has_ended, lived) {
        (true, Some(lived)) => about.push(format!("it has ended, after {lived}")),
        (true, None) => about.push("it has ended".into()),
        (false, Some(lived)) => about.push(format!("launched {lived} ago")),
        (false, None) => {}
    }
    if let Some(copied) = kernel.copied {
        about.push(format!("its words are a copy, {} old", for_people(copied)));
    }
    let drops: Vec<String> = CAUSES
        .iter()
        .zip(kernel.drops)
        .filter(|(_, number)| *number != 0)
        .map(|(cause, number)| format!("{number} {cause}"))
        .collect();
    if !drops.is_empty() {
        about.push(format!("dropped in front of its rings: {}", drops.join(", ")));
    }
    let failures = kernel.shards.iter().enumerate();
    if let Some((shard, failure)) =
        failures.filter_map(|(index, shard)| Some((index, shard.at.last_failure()?))).next()
    {
        let name = match kernel.error_name(failure.code) {
            Some(name) => printable(name),
            None => annulus::describe_error(failure.code).to_owned(),
        };
        let message = failure.number.map_or(String::new(), |number| format!(", message {number}"));
        let key = kernel.key(failure.key).map_or(String::new(), |key| format!(", key {key}"));
        about.push(format!("last failure of shard {shard}: code {} ({name}){message}{key}", failure.code));
    }
    about
}

/// Adds a text, in as many lines as it takes.
fn put_wrapped(lines: &mut Vec<(String, Style)>, text: &str, width: usize) {
    lines.extend(wrap(text, width).into_iter().map(|line| (line, PLAIN)));
}

/// How much memory a kernel takes, and of what the parts are that have some.
fn memory(memory: &KernelMemory) -> String {
    let parts = [
        ("rings", memory.shards()),
        ("queues in front", memory.queues),
        ("states", memory.states),
        ("what is bound", memory.bindings),
        ("links", memory.links),
        ("scratch", memory.scratch),
    ];
    let parts = parts.iter().filter(|(_, bytes)| *bytes != 0);
    let parts: Vec<_> = parts.map(|(part, bytes)| format!("{} {part}", size(*bytes))).collect();
    let on_device = match memory.device {
        0 => String::new(),
        bytes => format!("; {} on the device", size(bytes)),
    };
    format!("{} of memory: {}{on_device}", size(memory.total()), parts.join(", "))
}
