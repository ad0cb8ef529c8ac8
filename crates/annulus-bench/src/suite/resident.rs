//! A kernel that stays, beside a launch for each message.

use super::{Config, Suite};
use crate::{
    clock::PERCENTILES,
    harness::{Better, Candidate, Case},
    opencl,
};

pub(super) const SUITE: Suite = Suite {
    name: "launch-vs-resident",
    about: "OpenCL: a resident kernel beside a launch for each message (needs an OpenCL device)",
    method: "Messages of 256 bytes in memory that both sides see; every answer is checked. `limit launch` writes a message, enqueues a \
             kernel that answers it, waits with clFinish and reads. `limit loop` is a hand-written kernel that stays and looks at one \
             flag, with no ring, state, command, telemetry or second message. One message is in flight.",
    cases,
};

fn cases(config: Config) -> Vec<Case> {
    if !opencl::is_there() {
        eprintln!("skipped: launch-vs-resident: there is no OpenCL device; Debian's is in pocl-opencl-icd");
        return Vec::new();
    }
    let samples = if config.quick { 5_000 } else { 20_000 };
    let round_trip = |items: usize| Case {
        name: format!("round trip, {items} work-items"),
        unit: "ns",
        better: Better::Lower,
        metrics: PERCENTILES,
        limit: Some("limit launch"),
        candidates: vec![
            Candidate::new("limit launch", move || opencl::launch_round_trips(items, samples)),
            Candidate::new("limit loop", move || opencl::resident_round_trips(items, samples)),
        ],
        marks: Vec::new(),
    };
    let messages = samples as usize;
    let rate = |name: &'static str, batch: usize| {
        Candidate::new(name, move || opencl::launch_rate(1, batch, messages * batch.min(16)))
    };
    let rates = Case {
        name: "messages, there and back".into(),
        unit: "M messages/s",
        better: Better::Higher,
        metrics: &[""],
        limit: Some("limit launch"),
        candidates: vec![
            rate("limit launch", 1),
            rate("limit launch of 64", 64),
            rate("limit launch of 1024", 1024),
        ],
        marks: Vec::new(),
    };
    vec![round_trip(1), round_trip(64), rates]
}
