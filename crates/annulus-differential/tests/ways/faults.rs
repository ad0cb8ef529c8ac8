//! Faults in the texts of these handlers are found: one for each thing that has to be the same.

use std::path::Path;

use annulus_conformance::language::{HostText, call, difference};
use annulus_kernel::Target;

use super::{Way, are_others, by};
use crate::{calls, quietly};

/// A fault in the texts of handlers of one way, and what the difference then tells of.
struct Fault {
    name: &'static str,
    way: Way,
    plant: fn(&str) -> String,
    told: &'static str,
}

/// The text with something else in place of this part.
fn instead(text: &str, part: &str, other: &str) -> String {
    text.replace(part, other)
}

/// The text with one more line behind each by which an output gets its value.
fn behind_sends(text: &str, more: &str) -> String {
    let line = |line: &str| {
        let more = if line.trim_start().starts_with("if (ann_slot) *ann_slot = ") { more } else { "" };
        format!("{line}\n{more}\n")
    };
    text.lines().map(line).collect()
}

const fn fault(name: &'static str, way: Way, told: &'static str, plant: fn(&str) -> String) -> Fault {
    Fault { name, way, plant, told }
}

const FAULTS: [Fault; 10] = [
    fault("no_delay", Way::Later, "due", |text| {
        instead(text, "u64 due = later->now + nanos;", "u64 due = later->now;")
    }),
    fault("time_wraps", Way::Later, "due", |text| {
        instead(text, "due < nanos ? 0xFFFFFFFFFFFFFFFFul : due", "due")
    }),
    fault("another_place", Way::Later, "what comes later", |text| {
        instead(text, "timer->place * later->stride", "(later->set - 1) * later->stride")
    }),
    fault("a_timer_less", Way::Later, "the code is 0xFF0B", |text| {
        instead(text, "later->set >= later->limit", "later->set + 1 >= later->limit")
    }),
    fault("no_ask", Way::Asks, "is_ask", |text| instead(text, "number = ANN_IS_ASK;", "number = 0;")),
    fault("another_variant", Way::Asks, "what comes later[0]'s tag", |text| {
        instead(text, "ann_slot->tag = 900;", "ann_slot->tag = 3;")
    }),
    fault("another_way_out", Way::Asks, "output[0]'s tag", |text| {
        instead(text, "ann_slot->tag = 1ul;", "ann_slot->tag = 0ul;")
    }),
    fault("another_peer", Way::Peers, ".to.bits", |text| {
        behind_sends(text, "if (ann_slot) ann_slot->to.bits ^= 2;")
    }),
    fault("another_topic", Way::Topics, ".topic.bits", |text| {
        behind_sends(text, "if (ann_slot) ann_slot->topic.bits &= ~(u64)0xFFFFFFFFFFFF;")
    }),
    fault("whole_rows", Way::Rows, ".from", |text| behind_sends(text, "if (ann_slot) ann_slot->from = 0;")),
];

/// How many handlers of each way have the fault.
const HANDLERS: usize = 4;

#[test]
fn faults_of_ways_are_found() {
    if are_others() {
        return;
    }
    for Fault { name, way, plant, told } in FAULTS {
        let handlers = by(way);
        let handlers = &handlers[..handlers.len().min(HANDLERS)];
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ways").join(name);
        let text = HostText::compile_altered(handlers, Target::OpenCl, &folder, plant)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut found = Vec::new();
        quietly(|| {
            for (index, definition) in handlers.iter().enumerate() {
                for input in calls(definition) {
                    found.extend(difference(&call(definition, &input), &text.call(index, &input), 0));
                }
            }
        });
        println!("{name}: {} calls differ, as {}", found.len(), found.first().map_or("none", String::as_str));
        assert!(found.iter().any(|found| found.contains(told)), "{name}: {found:?}");
    }
}
