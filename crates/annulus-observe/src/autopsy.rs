//! What a process left of itself: what each shard was at, what failed, what was dropped, and the last events.

use std::{
    fmt,
    io::{self, Read, Seek, SeekFrom},
    path::Path,
    time::Duration,
};

use annulus_abi::{
    error,
    vitals::{
        VitalsHeader,
        read::{Shard, Vitals},
        recorder::{self, CAUSES, NO_SHARD, Record, event},
    },
};
use annulus_runtime::for_people;

use crate::{
    BlackBox, BridgeKind, Kernel, Liveness, Phase, Process, Recorded, Unreadable,
    attach::{look, open},
    says::key_in_record,
};

/// A vitals file, read whole: what its process was at, and what its flight recorder says.
#[derive(Clone, Debug)]
pub struct Autopsy {
    /// What the process was at last, or is at if it lives.
    pub process: Process,
    /// What the flight recorder has, in the order of the records' numbers. Times are nanoseconds since the
    /// runtime was built.
    pub records: Vec<Record>,
    /// What the black boxes of its kernels hold.
    pub black_boxes: Vec<BoxSummary>,
}

/// How many messages a kernel's black box holds.
#[derive(Clone, Debug)]
pub struct BoxSummary {
    /// The number of the kernel's launch.
    pub kernel: u64,
    /// How many messages there are of [`Recorded::Last`], [`InHandler`](Recorded::InHandler) and
    /// [`Waiting`](Recorded::Waiting); or why the box cannot be read.
    pub messages: Result<[u64; 3], String>,
}

/// Reads a vitals file for what its process was at, and what happened before. The process may live.
///
/// ```no_run
/// for file in annulus_observe::files() {
///     match annulus_observe::autopsy(&file) {
///         Ok(autopsy) => println!("{autopsy}"),
///         Err(error) => eprintln!("{}: {error}", file.display()),
///     }
/// }
/// ```
///
/// # Errors
///
/// As for [`look`]. Records that are torn or missing are left out.
pub fn autopsy(path: &Path) -> Result<Autopsy, Unreadable> {
    let process = look(path)?;
    let mut file = open(path)?;
    let mut header = [0; size_of::<VitalsHeader>()];
    file.read_exact(&mut header)?;
    let vitals = Vitals::new(&header).map_err(Unreadable::Damaged)?;
    let mut records = Vec::new();
    if let Some((offset, bytes)) = vitals.records()
        && file.seek(SeekFrom::Start(offset)).is_ok()
    {
        let mut read = Vec::new();
        // A file that was cut off has fewer.
        file.take(bytes as u64).read_to_end(&mut read)?;
        records = recorder::records(&read).collect();
        records.sort_by_key(|record| record.number);
    }
    let has_box = |kernel: &&Kernel| {
        // That of a kernel that has ended is gone with the last handle.
        kernel.black_box.as_ref().is_some_and(|path| !kernel.has_ended || path.exists())
    };
    let boxes = process.kernels.iter().filter(has_box);
    let summary = |kernel: &Kernel| BoxSummary {
        kernel: kernel.id,
        messages: count(&process, kernel).map_err(in_words),
    };
    let black_boxes = boxes.map(summary).collect();
    Ok(Autopsy { process, records, black_boxes })
}

/// Why a black box cannot be read.
fn in_words(error: Unreadable) -> String {
    match error {
        Unreadable::System(error) if error.kind() == io::ErrorKind::NotFound => "its file is gone".into(),
        error => error.to_string(),
    }
}

/// Counts the messages of a black box.
fn count(process: &Process, kernel: &Kernel) -> Result<[u64; 3], Unreadable> {
    let mut black_box = BlackBox::open(process, kernel)?;
    let mut counts = [0; 3];
    for (state, count) in
        [Recorded::Last, Recorded::InHandler, Recorded::Waiting].into_iter().zip(&mut counts)
    {
        for message in black_box.messages(state) {
            message?;
            *count += 1;
        }
    }
    Ok(counts)
}

/// Prints for people what was left: names as they stand in the file, which may be anything. Of the records, the
/// last [`SHOWN`](Autopsy::SHOWN).
impl fmt::Display for Autopsy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let process = &self.process;
        let end = match process.liveness {
            Liveness::Running => "it lives; this is what it is at",
            Liveness::Dead if process.other_boot => {
                "it died with an earlier boot of this machine, or is another machine's"
            }
            Liveness::Dead => "it died without ending its runtime",
        };
        writeln!(f, "process {}, {}, {}: {end}", process.pid, process.backend, process.executable)?;
        if !process.device.is_empty() {
            writeln!(f, "  on {}", process.device)?;
        }
        if let Some(damage) = process.told_damage() {
            writeln!(f, "  {damage}")?;
        }
        if process.kernels.is_empty() {
            writeln!(f, "  {}", process.no_kernels())?;
        }
        for kernel in &process.kernels {
            self.kernel(f, kernel)?;
        }
        let first = self.records.len().saturating_sub(Self::SHOWN);
        if !self.records.is_empty() {
            writeln!(f, "  events, by seconds since the runtime was built:")?;
        }
        if first != 0 {
            writeln!(f, "    ({first} earlier ones)")?;
        }
        for record in &self.records[first..] {
            let kernel = self.process.kernels.iter().find(|kernel| kernel.id == record.kernel);
            write!(f, "    {:>12.6}  {}: ", record.time as f64 / 1e9, name(kernel, record.kernel))?;
            says(f, record, kernel)?;
            writeln!(f)?;
        }
        Ok(())
    }
}

impl Autopsy {
    /// How many records `Display` prints.
    pub const SHOWN: usize = 40;

    fn kernel(&self, f: &mut fmt::Formatter<'_>, kernel: &Kernel) -> fmt::Result {
        let processed = kernel.sum(|shard| shard.processed);
        write!(f, "  `{}`: {processed} handled", kernel.name)?;
        for (number, what) in [
            (kernel.sum(|shard| shard.failed), "failed"),
            (kernel.sum(|shard| shard.unknown_actor), "for unknown actors"),
            (kernel.slow, "handlers slow"),
            (kernel.sum(|shard| shard.pending).saturating_add(kernel.linked), "in its rings"),
            (kernel.sum(|shard| shard.staged), "in front of its rings"),
            (kernel.sum(|shard| shard.outputs_waiting), "outputs that nobody received"),
            (kernel.sum(|shard| shard.timers.waiting.into()), "timers set"),
            (kernel.sum(|shard| shard.timers.asks.into()), "asks open"),
        ] {
            if number != 0 {
                write!(f, ", {number} {what}")?;
            }
        }
        if let Some(actors) = kernel.told_actors() {
            write!(f, ", {actors}")?;
        }
        for (cause, number) in CAUSES.iter().zip(kernel.drops).filter(|(_, number)| *number != 0) {
            write!(f, ", {number} {cause}")?;
        }
        writeln!(f)?;
        if let Some(latencies) = kernel.latencies.as_ref().filter(|latencies| latencies.count() != 0) {
            let [half, most, longest] =
                [latencies.quantile_time(0.5), latencies.quantile_time(0.99), latencies.max_time()]
                    .map(for_people);
            let count = latencies.count();
            writeln!(
                f,
                "    {count} latencies: half were within {half}, 99 % within {most}, all within {longest}"
            )?;
        }
        self.outboxes(f, kernel)?;
        bridges(f, kernel)?;
        self.black_box(f, kernel)?;
        if kernel.has_ended {
            writeln!(f, "    it had ended")?;
            return types(f, kernel);
        }
        let mut index = 0;
        while let Some(shard) = kernel.shards.get(index) {
            // Many shards of a kernel are often at the same: those are told once.
            let alike = kernel.shards[index..].iter().take_while(|other| is_alike(shard, other)).count();
            match alike {
                0 | 1 => write!(f, "    shard {index}: ")?,
                _ => write!(f, "    shards {index} to {}: ", index + alike - 1)?,
            }
            was_at(f, kernel, shard)?;
            if let Some(failure) = shard.at.last_failure() {
                write!(f, "; last failure: {}", Code(failure.code, Some(kernel)))?;
                if let Some(number) = failure.number {
                    write!(f, ", message {number}")?;
                }
                told_key(f, kernel.key(failure.key))?;
            } else if shard.last_error != 0 {
                write!(f, "; last failure: {}", Code(shard.last_error as u16, Some(kernel)))?;
            }
            writeln!(f)?;
            index += alike.max(1);
        }
        types(f, kernel)
    }
}

impl Autopsy {
    /// What its black box holds, if it has one.
    fn black_box(&self, f: &mut fmt::Formatter<'_>, kernel: &Kernel) -> fmt::Result {
        let Some(found) = self.black_boxes.iter().find(|found| found.kernel == kernel.id) else {
            return Ok(());
        };
        match &found.messages {
            Ok([last, in_handler, waiting]) => writeln!(
                f,
                "    black box: {waiting} messages waiting, {in_handler} in handlers, {last} before them"
            ),
            Err(why) => writeln!(f, "    black box: {why}"),
        }
    }

    /// Where each of several outboxes led, and what it has sent there.
    fn outboxes(&self, f: &mut fmt::Formatter<'_>, kernel: &Kernel) -> fmt::Result {
        for port in &kernel.ports {
            write!(f, "    outbox `{}` to ", port.name)?;
            match port.target {
                Some((id, waits)) => {
                    let target = self.process.kernels.iter().find(|kernel| kernel.id == id);
                    write!(f, "{}{}", name(target, id), if waits { "" } else { ", or lost" })?;
                }
                None if port.is_nobody() => f.write_str("nobody")?,
                None => f.write_str("the host")?,
            }
            // It may have led elsewhere before.
            let sum = port.sum();
            for (number, what) in
                [(sum.sent, "sent to kernels"), (sum.held, "waiting for room"), (sum.lost, "lost")]
            {
                if number != 0 {
                    write!(f, ", {number} {what}")?;
                }
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// What each bridge had moved, and what it held.
fn bridges(f: &mut fmt::Formatter<'_>, kernel: &Kernel) -> fmt::Result {
    for bridge in kernel.bridges.iter().filter(|bridge| !bridge.has_ended) {
        match bridge.kind {
            BridgeKind::FromQueue => write!(f, "    bridge from queue `{}`", bridge.from)?,
            BridgeKind::ToQueue => write!(f, "    bridge to queue `{}`", bridge.to)?,
            _ => write!(f, "    bridge to `{}`", bridge.to)?,
        }
        write!(f, ", {} moved, {} held", bridge.counts.moved, bridge.counts.held)?;
        if bridge.dropped() != 0 {
            write!(f, ", {} dropped", bridge.dropped())?;
        }
        writeln!(f, "{}", if bridge.waits_for.is_some() { ", waiting for room" } else { "" })?;
    }
    Ok(())
}

/// The types of a kernel's messages and outputs, if their layouts are known.
fn types(f: &mut fmt::Formatter<'_>, kernel: &Kernel) -> fmt::Result {
    let message = kernel.message_layout.map(|layout| ("messages", &kernel.message, layout));
    let output = kernel.output_layout.map(|layout| ("outputs", &kernel.output, layout));
    for (what, name, layout) in [message, output].into_iter().flatten() {
        writeln!(f, "    {what} are `{name}`: {layout}")?;
    }
    Ok(())
}

/// The name of a kernel, if its entry was not used again.
fn name(found: Option<&Kernel>, id: u64) -> String {
    found.map_or_else(|| format!("launch {id}"), |kernel| format!("`{}`", kernel.name))
}

/// Whether two shards were at the same, with nothing to tell of one of them.
fn is_alike(a: &Shard, b: &Shard) -> bool {
    let plain = |shard: &Shard| {
        !Phase::of(shard).is_work() && shard.waiting() == 0 && shard.at.failed == 0 && shard.last_error == 0
    };
    std::ptr::eq(a, b) || plain(a) && plain(b) && a.at.phase == b.at.phase
}

/// What a shard was at.
fn was_at(f: &mut fmt::Formatter<'_>, kernel: &Kernel, shard: &Shard) -> fmt::Result {
    let phase = Phase::of(shard);
    write!(f, "{phase}")?;
    if phase == Phase::InHandler {
        match shard.at.count {
            0 | 1 => {
                write!(f, ", message {}", shard.at.number)?;
                told_key(f, kernel.key_at(shard))?;
            }
            count => {
                let last = shard.at.number.saturating_add(count - 1);
                write!(f, ", messages {} to {last}", shard.at.number)?;
            }
        }
    }
    match shard.pending {
        0 => {}
        1 => f.write_str(", 1 message in its ring")?,
        pending => write!(f, ", {pending} messages in its ring")?,
    }
    match shard.staged {
        0 => Ok(()),
        staged => write!(f, ", {staged} in front of it"),
    }
}

/// The key of a message, if it has one.
fn told_key(f: &mut fmt::Formatter<'_>, key: Option<u64>) -> fmt::Result {
    key.map_or(Ok(()), |key| write!(f, ", key {key}"))
}

/// What a record says.
fn says(f: &mut fmt::Formatter<'_>, record: &Record, kernel: Option<&Kernel>) -> fmt::Result {
    let [a, b, c] = record.values;
    f.write_str(record.name())?;
    match record.event {
        event::LAUNCHED => write!(f, ", {a} {}", if a == 1 { "shard" } else { "shards" }),
        event::TERMINATED => write!(f, ", {a} handled, {b} left"),
        event::FAILED => {
            if record.shard != NO_SHARD {
                write!(f, " in shard {}", record.shard)?;
            }
            match a {
                0 => write!(f, ": its code was not kept")?,
                _ => write!(f, ": {}", Code(a as u16, kernel))?,
            }
            match b.checked_sub(1) {
                Some(number) => {
                    write!(f, ", message {number}")?;
                    told_key(f, key_in_record(kernel, c))
                }
                None => Ok(()),
            }
        }
        event::DROPPED => {
            let cause = usize::try_from(a).ok().and_then(|cause| CAUSES.get(cause));
            write!(f, ": {b} {} so far", cause.unwrap_or(&"for an unknown cause"))
        }
        event::SLOW => {
            let time = for_people(Duration::from_nanos(a));
            write!(f, ": shard {} has been in the handler of message {b}", record.shard)?;
            told_key(f, key_in_record(kernel, c))?;
            write!(f, ", for {time} or more")
        }
        event::STALLED => {
            write!(
                f,
                ": a send has waited for {}, {b} messages were pending",
                for_people(Duration::from_nanos(a))
            )
        }
        event::PRINTED => {
            let file = recorder::print_file([b, c]);
            // A name that fills its place may be the end of a longer one.
            let cut = if file.ends_with(&[0]) { "" } else { "…" };
            let file = String::from_utf8_lossy(&file);
            write!(
                f,
                " in shard {}, at {cut}{}:{a}",
                record.shard,
                file.trim_end_matches('\0').escape_debug()
            )
        }
        _ => Ok(()),
    }
}

/// A failure's code, for people: with the name that the application has for it.
struct Code<'a>(u16, Option<&'a Kernel>);

impl fmt::Display for Code<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0, self.1.and_then(|kernel| kernel.error_name(self.0))) {
            (code @ error::FIRST_OWN.., _) => f.write_str(error::describe(code)),
            (code, Some(name)) => write!(f, "{name} ({code})"),
            (code, None) => write!(f, "code {code}"),
        }
    }
}
