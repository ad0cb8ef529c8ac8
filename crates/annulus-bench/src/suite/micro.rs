//! What single instructions of an NVIDIA device cost, and what it promises of them.

use std::time::Duration;

use super::{Config, Length, Suite};
use crate::{
    clock::PERCENTILES,
    cuda::{
        micro::{self, Where},
        units::{self, Enough},
    },
    harness::{Better, Candidate, Case, Goal, Mark},
};

pub(super) const SUITE: Suite = Suite {
    name: "micro",
    about: "with --backend cuda: what single instructions of the device cost, in nanoseconds (lower is better)",
    method: "One thread does the same again and again, each time behind the one before, and reads the device's clock at both \
             ends. A word's way to the device and back is timed by the host. The units of 16 bytes, 32 next to each other, are \
             stored by the host, each in one access and with equal halves, while many threads look at them, each lane of a warp at \
             a unit of its own, and by a warp of the device while the host looks: a look that sees two halves that differ is a torn one, and sealed slots rest on there being none. That is done once, \
             until enough looks were made or the time is up. Managed memory is told to stay with the host, and to be \
             reached from there by the device: the same bytes behind the same bus, by the driver's other way.",
    cases,
};

fn cases(config: Config) -> Vec<Case> {
    if !config.backend.is_cuda() {
        return Vec::new();
    }
    let rounds = config.size(200_000, 20_000) as u32;
    // Where a processor stands in for the device, a look is a switch of threads.
    let (blocks, threads, stores) =
        if config.length == Length::Trial { (2, 32, 2_000) } else { (64, 256, 1_000_000) };
    // What a device that polls the host's memory reaches is some 30 million loads a second, by others' figures,
    // each of them a line with eight units.
    let enough = match config.length {
        Length::Trial => Enough { looks: 100_000, time: Duration::from_secs(1) },
        Length::Quick => Enough { looks: 1_000_000_000, time: Duration::from_secs(8) },
        Length::Full => Enough { looks: 2_000_000_000, time: Duration::from_secs(70) },
    };
    let case = |name: &str, unit, metrics, candidates, marks| Case {
        name: name.into(),
        unit,
        better: Better::Lower,
        metrics,
        limit: None,
        candidates,
        marks,
    };
    let fence = |name, stores| Candidate::new(name, move || micro::fence(Where::Host, stores, rounds));
    let warp_barrier = |name, threads| Candidate::new(name, move || micro::warp_barrier(threads, rounds));
    let barrier = |name, threads| Candidate::new(name, move || micro::barrier(threads, rounds));
    vec![
        case(
            "one access, behind the one before",
            "ns",
            &[""],
            vec![
                Candidate::new("limit load, host", move || micro::load(Where::Host, rounds)),
                Candidate::new("limit load, device", move || micro::load(Where::Device, rounds)),
                Candidate::new("limit atomic, device", move || micro::atomic(rounds)),
            ],
            vec![],
        ),
        case(
            "a fence of the system",
            "ns",
            &[""],
            vec![
                fence("limit, nothing outstanding", 0),
                fence("limit, 1 store to the host", 1),
                fence("limit, 8 stores to the host", 8),
            ],
            vec![],
        ),
        case(
            "a barrier of the block",
            "ns",
            &[""],
            vec![
                barrier("limit, 32 threads", 32),
                barrier("limit, 64 threads", 64),
                barrier("limit, 256 threads", 256),
                barrier("limit, 1024 threads", 1024),
            ],
            vec![],
        ),
        case(
            "a barrier of each warp",
            "ns",
            &[""],
            vec![warp_barrier("limit, 32 threads", 32), warp_barrier("limit, 1024 threads", 1024)],
            vec![],
        ),
        case(
            "a word to the device and back",
            "ns",
            PERCENTILES,
            vec![Candidate::new("limit, one thread", move || micro::word_round_trips(Where::Host, rounds))],
            vec![],
        ),
        case(
            "the clock's step",
            "ns",
            &[""],
            vec![Candidate::new("limit", move || micro::clock_step(rounds))],
            vec![],
        ),
        case(
            "the host's memory, pinned and managed: a load",
            "ns",
            &[""],
            vec![
                Candidate::new("limit, pinned", move || micro::load(Where::Host, rounds)),
                Candidate::new("limit, managed", move || micro::load(Where::Managed, rounds)),
            ],
            vec![],
        ),
        case(
            "the host's memory, pinned and managed: a fence behind 8 stores",
            "ns",
            &[""],
            vec![
                Candidate::new("limit, pinned", move || micro::fence(Where::Host, 8, rounds)),
                Candidate::new("limit, managed", move || micro::fence(Where::Managed, 8, rounds)),
            ],
            vec![],
        ),
        case(
            "the host's memory, pinned and managed: a word to the device and back",
            "ns",
            PERCENTILES,
            vec![
                Candidate::new("limit, pinned", move || micro::word_round_trips(Where::Host, rounds)),
                Candidate::new("limit, managed", move || micro::word_round_trips(Where::Managed, rounds)),
            ],
            vec![],
        ),
        // The last, since they take as long as they are given: whoever ends them loses nothing else.
        case(
            "units of 16 bytes, from the host",
            "looks",
            units::METRICS,
            vec![Candidate::once(TO_DEVICE, move || units::seen_by_device(blocks, threads, enough))],
            vec![never_torn(TO_DEVICE)],
        ),
        case(
            "units of 16 bytes, from the device",
            "looks",
            units::METRICS,
            vec![Candidate::once(TO_HOST, move || units::seen_by_host(enough, stores))],
            vec![never_torn(TO_HOST)],
        ),
    ]
}

const TO_DEVICE: &str = "limit, many threads look";
const TO_HOST: &str = "limit, the host looks";

/// Sealed slots rest on it.
fn never_torn(candidate: &'static str) -> Mark {
    Mark { candidate, metric: "torn", goal: Goal::NeverMoreThan(0.0) }
}
