//! The words that a block publishes, and where its twins may differ.

use std::{cell::RefCell, collections::BTreeSet, fmt, mem::offset_of};

use annulus_abi::{
    LINE,
    control::{ControlBlock, PortCounts, STALLED_BY_KERNEL, TIMERS_TAKEN_SHIFT},
    histogram::BUCKETS,
    kernel::KernelLayout,
    ring::{RingHeader, RingLayout},
    telemetry::Telemetry,
};

use crate::{calls::Calls, memory::Side};

/// The two values of one word.
#[derive(Clone)]
pub(crate) struct Word {
    pub(crate) name: String,
    pub(crate) rust: u64,
    pub(crate) c: u64,
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} in Rust, {} in C", self.name, self.rust, self.c)
    }
}

/// What decides which words may differ.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Facts {
    /// Messages of other kernels that were put into the ring between kernels, and taken out of it.
    pub(crate) sent_near: u64,
    pub(crate) taken_near: u64,
    /// Outputs that the block has put into another kernel's.
    pub(crate) forwarded: u64,
    /// Outputs of the message that waits until they all have gone. 0: there is no such message.
    pub(crate) pending: u64,
    /// It waits for them, whatever their number.
    pub(crate) holds: bool,
    /// That message is one that the kernel sent to itself.
    pub(crate) holds_timer: bool,
    /// The block's telemetry is on, and has been since before it holds anything.
    pub(crate) shows: bool,
    /// The kernel prints.
    pub(crate) prints: bool,
}

impl Facts {
    fn holds_and_shows(&self) -> bool {
        self.holds && self.shows
    }

    /// What is held came of a message of the ring.
    fn holds_slot(&self) -> bool {
        self.holds && !self.holds_timer
    }
}

/// A word of which the twins say different things.
pub(crate) struct Exception {
    /// As PROTOCOL.md calls it.
    pub(crate) word: &'static str,
    /// Whether it applies, which says how both values belong together.
    holds: fn(&Facts, rust: u64, c: u64) -> Option<bool>,
}

/// All words of which the twins may say different things. `PROTOCOL.md` says why.
pub(crate) const EXCEPTIONS: &[Exception] = &[
    Exception { word: "prints_lost", holds: |facts, rust, _| facts.prints.then_some(rust == 0) },
    Exception { word: "prints", holds: |facts, rust, _| facts.prints.then_some(rust == 0) },
    Exception { word: "forwarded", holds: |facts, rust, c| Some(rust == 0 && c == facts.forwarded) },
    Exception { word: "taken", holds: |facts, rust, c| Some(rust == 0 && c == facts.taken_near) },
    // Compared at rest.
    Exception { word: "rested", holds: |facts, rust, c| Some(rust == 0 && c == facts.taken_near) },
    Exception {
        word: "unread",
        holds: |facts, rust, c| Some(rust == 0 && (c == 0 || c == facts.sent_near - facts.taken_near)),
    },
    Exception { word: "inbound.reserved", holds: |facts, rust, c| Some(rust == c + facts.sent_near) },
    Exception {
        word: "inbound.consumed",
        holds: |facts, rust, c| Some(rust + u64::from(facts.holds_slot()) == c + facts.taken_near),
    },
    Exception {
        word: "timers",
        holds: |facts, rust, c| facts.holds_timer.then_some(rust + (1 << TIMERS_TAKEN_SHIFT) == c),
    },
    Exception { word: "processed", holds: |facts, rust, c| lags(facts, rust, c, 1) },
    // What was for the host alone, of outputs on topics, counts at once.
    Exception {
        word: "sent",
        holds: |facts, rust, c| facts.holds.then_some((rust..=rust + facts.pending).contains(&c)),
    },
    Exception {
        word: "telemetry.messages_processed",
        holds: |facts, rust, c| facts.holds_and_shows().then_some(rust + 1 == c),
    },
    Exception {
        word: "telemetry.unmeasured",
        holds: |facts, rust, c| facts.holds_and_shows().then_some(rust == c || rust + 1 == c),
    },
    Exception {
        word: "telemetry.queue_depth",
        holds: |facts, rust, c| (facts.holds_slot() && facts.shows).then_some(rust == c + 1),
    },
    Exception {
        word: "telemetry.last_processed_timestamp",
        holds: |facts, rust, c| facts.holds_and_shows().then_some(rust <= c),
    },
    Exception {
        word: "telemetry.total_latency_nanos",
        holds: |facts, rust, c| facts.holds_and_shows().then_some(rust <= c),
    },
    Exception {
        word: "telemetry.max_latency_nanos",
        holds: |facts, rust, c| facts.holds_and_shows().then_some(rust <= c),
    },
    Exception {
        word: "telemetry.min_latency_nanos",
        holds: |facts, rust, c| facts.holds_and_shows().then_some(rust >= c),
    },
    Exception {
        word: "at.number",
        holds: |facts, rust, c| facts.holds.then_some(rust == c || rust + 1 == c),
    },
    Exception {
        word: "histogram",
        holds: |facts, rust, c| facts.holds.then_some(rust == c || rust + 1 == c),
    },
];

/// Of a block that holds a message: the other twin counts it already.
fn lags(facts: &Facts, rust: u64, c: u64, by: u64) -> Option<bool> {
    facts.holds.then_some(rust + by == c)
}

thread_local! {
    /// Exceptions without which something would have been wrong.
    static NEEDED: RefCell<BTreeSet<&'static str>> = const { RefCell::new(BTreeSet::new()) };
}

/// The exceptions that this thread has needed so far.
pub(crate) fn needed() -> BTreeSet<&'static str> {
    NEEDED.with_borrow(BTreeSet::clone)
}

/// The words that are not what they should be: different, or not as different as an exception says.
pub(crate) fn wrong(words: Vec<Word>, facts: &Facts) -> Vec<Word> {
    let is_right = |word: &Word| {
        let name = word.name.split('[').next().unwrap_or(&word.name);
        let exception = EXCEPTIONS.iter().find(|exception| exception.word == name);
        let holds = exception.and_then(|exception| (exception.holds)(facts, word.rust, word.c));
        if let Some(exception) = exception.filter(|_| holds == Some(true) && word.rust != word.c) {
            NEEDED.with_borrow_mut(|needed| needed.insert(exception.word));
        }
        holds.unwrap_or(word.rust == word.c)
    };
    words.into_iter().filter(|word| !is_right(word)).collect()
}

macro_rules! fields {
    ($block:ty, $($field:ident: $size:literal),* $(,)?) => {
        &[$((stringify!($field), offset_of!($block, $field), $size)),*]
    };
}

/// Words of the control block that its shard writes: name, offset, bytes.
const CONTROL: &[(&str, usize, usize)] = fields!(
    ControlBlock, state: 4, last_error: 4, processed: 8, failed: 8, unknown_actor: 8, sent: 8, leaving: 4, acknowledged: 4,
    dead_letters_lost: 8, prints_lost: 8, stalled: 4, unread: 4, forwarded: 8, taken: 8, rested: 8, unforwarded: 8,
    due: 8, timers: 8,
);

/// The rings of a shard, by their names and places; and whether the block fills them.
fn rings(layout: &KernelLayout) -> Vec<(&'static str, usize, RingLayout, bool)> {
    let mut rings = vec![
        ("inbound", layout.inbound_offset(), layout.inbound, false),
        ("outbound", layout.outbound_offset(), layout.outbound, true),
    ];
    rings.extend(layout.dead_letters.map(|ring| ("dead letters", layout.dead_letters_offset(), ring, true)));
    rings.extend(layout.records.map(|ring| ("records", layout.records_offset(), ring, true)));
    rings.extend(layout.prints.map(|ring| ("prints", layout.prints_offset(), ring, true)));
    rings
}

/// The words that blocks publish, as the two sides have them; of those that no exception names, the ones that differ. Kernels
/// that print have a ring more, of which only the gauge is compared.
pub(crate) fn words(rust: &Side, c: &Side, calls: &Calls) -> Vec<Word> {
    let layout = rust.memory.layout();
    let mut words = Vec::new();
    let mut add = |name: String, rust: u64, c: u64| words.push(Word { name, rust, c });
    let mut named = [false; size_of::<ControlBlock>()];
    for &(name, offset, bytes) in CONTROL {
        named[offset..offset + bytes].fill(true);
        let get = |side: &Side| match bytes {
            4 => side.word::<u32>(offset).into(),
            _ => side.word::<u64>(offset),
        };
        add(name.into(), get(rust), get(c));
    }
    let ports = layout.ports_offset();
    for port in 0..layout.ports as usize {
        let line = ports + port * size_of::<PortCounts>();
        for (name, offset) in [
            ("forwarded", offset_of!(PortCounts, forwarded)),
            ("unforwarded", offset_of!(PortCounts, unforwarded)),
            ("held", offset_of!(PortCounts, held)),
        ] {
            let get = |side: &Side| side.word::<u64>(line + offset);
            if get(rust) != get(c) {
                add(format!("port {port}.{name}"), get(rust), get(c));
            }
        }
    }
    // What has no name is the same, too, in the shard's half.
    for offset in (offset_of!(ControlBlock, state)..named.len()).step_by(4).filter(|&offset| !named[offset]) {
        let get = |side: &Side| u64::from(side.word::<u32>(offset));
        if get(rust) != get(c) {
            add(format!("control+{offset}"), get(rust), get(c));
        }
    }
    for (ring, offset, layout, is_output) in rings(layout) {
        let get = |side: &Side, word| side.word::<u64>(offset + word);
        let gauge = offset_of!(RingHeader, reserved);
        if ring == "prints" {
            add(ring.into(), get(rust, gauge), get(c, gauge));
            continue;
        }
        add(format!("{ring}.reserved"), get(rust, gauge), get(c, gauge));
        // What producers keep for themselves, at 8, is nobody else's.
        let consumed = offset_of!(RingHeader, consumed);
        add(format!("{ring}.consumed"), get(rust, consumed), get(c, consumed));
        let lost = offset_of!(RingHeader, lost);
        add(format!("{ring}.lost"), get(rust, lost), get(c, lost));
        if is_output {
            slots(ring, offset, &layout, rust, c, &mut add);
        }
    }
    if let Some(landings) = layout.landings {
        let offset = layout.landings_offset();
        for place in 0..u64::from(landings.capacity) {
            let slots = [offset + landings.slot_offset(place); 2];
            let name = format_args!("landing {place}");
            slot_words(name, slots, &landings, |lap| lap != 0, (rust, c), &mut add);
        }
    }
    calls.words(rust, c, &mut add);
    if layout.histogram {
        let offset = layout.histogram_offset();
        for bucket in 0..BUCKETS {
            let get = |side: &Side| side.word::<u64>(offset + 8 * bucket);
            if get(rust) != 0 || get(c) != 0 {
                add(format!("histogram[{bucket}]"), get(rust), get(c));
            }
        }
    }
    if rust.memory.telemetry().is_some() {
        telemetry(rust, c, &mut add);
    }
    words
}

/// The commit words of a ring's slots, and what lies in those that are published and not given back.
fn slots(
    ring: &str,
    offset: usize,
    layout: &RingLayout,
    rust: &Side,
    c: &Side,
    add: &mut impl FnMut(String, u64, u64),
) {
    let consumed = rust.word::<u64>(offset + offset_of!(RingHeader, consumed));
    for ticket in consumed..consumed + u64::from(layout.capacity) {
        let (slot, lap) = (offset + layout.slot_offset(ticket), layout.lap(ticket));
        let name = format_args!("{ring}[{ticket}]");
        slot_words(name, [slot; 2], layout, |commit| commit == lap, (rust, c), add);
    }
}

/// A slot's commit word, and what lies there if it is published, as far as they differ; `slots`: where it lies in Rust, and in C.
pub(crate) fn slot_words(
    name: fmt::Arguments<'_>,
    slots: [usize; 2],
    layout: &RingLayout,
    is_published: impl Fn(u32) -> bool,
    (rust, c): (&Side, &Side),
    add: &mut impl FnMut(String, u64, u64),
) {
    use annulus_abi::ring::kind::{ENDED, FAILED, LOST, NO_REPLY};

    let halves = |at: usize| (rust.word::<u32>(slots[0] + at), c.word::<u32>(slots[1] + at));
    let mut compare = |part: fmt::Arguments<'_>, (rust, c): (u32, u32)| {
        if rust != c {
            add(format!("{name}{part}"), rust.into(), c.into());
        }
    };
    let commit = halves(0);
    compare(format_args!(".commit"), commit);
    if !is_published(commit.0) || commit.0 != commit.1 {
        return;
    }
    let meta = halves(4);
    compare(format_args!(".meta"), meta);
    // A payload of what has none is what lay there.
    if [NO_REPLY, FAILED, LOST, ENDED].contains(&((meta.0 >> 24) as u8)) {
        return;
    }
    for at in layout.trace_offset.into_iter().chain(layout.stamp_offset).flat_map(|at| [at, at + 4]) {
        compare(format_args!("+{at}"), halves(at));
    }
    for at in (0..layout.payload_size).step_by(4) {
        let at = layout.payload_offset + at;
        compare(format_args!("+{at}"), halves(at));
    }
}

fn telemetry(rust: &Side, c: &Side, add: &mut impl FnMut(String, u64, u64)) {
    let line = |side: &Side| -> [u64; 8] { std::array::from_fn(|word| side.arena.get(LINE + 8 * word)) };
    let (rust, c) = (line(rust), line(c));
    // Nothing was written yet, or all of it, with its check.
    let read = |words| if words == [0; 8] { Some(Telemetry::new(0)) } else { Telemetry::from_words(&words) };
    let (Some(r), Some(c)) = (read(rust), read(c)) else {
        return add("telemetry.check".into(), read(rust).is_some().into(), read(c).is_some().into());
    };
    let mut field = |name: &str, rust: u64, c: u64| add(format!("telemetry.{name}"), rust, c);
    field("messages_processed", r.messages_processed, c.messages_processed);
    field("messages_dropped", r.messages_dropped, c.messages_dropped);
    field("last_processed_timestamp", r.last_processed_timestamp as u64, c.last_processed_timestamp as u64);
    field("queue_depth", r.queue_depth as u64, c.queue_depth as u64);
    field("unmeasured", r.unmeasured.into(), c.unmeasured.into());
    field("total_latency_nanos", r.total_latency_nanos, c.total_latency_nanos);
    field("max_latency_nanos", r.max_latency_nanos, c.max_latency_nanos);
    field("min_latency_nanos", r.min_latency_nanos, c.min_latency_nanos);
    field("error_code", r.error_code.into(), c.error_code.into());
    field("epoch", r.epoch.into(), c.epoch.into());
}

/// Whether a side's block says that it waits for another kernel.
pub(crate) fn waits_for_kernel(side: &Side) -> bool {
    side.word::<u32>(offset_of!(ControlBlock, stalled)) == STALLED_BY_KERNEL
}
