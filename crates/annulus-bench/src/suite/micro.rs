//! What single instructions of an NVIDIA device cost, and what it promises of them.

use super::{Config, Length, Suite};
use crate::{
    clock::PERCENTILES,
    cuda::micro::{self, Where},
    harness::{Better, Candidate, Case, Goal, Mark},
};

pub(super) const SUITE: Suite = Suite {
    name: "micro",
    about: "with --backend cuda: what single instructions of the device cost, in nanoseconds (lower is better)",
    method: "One thread does the same again and again, each time behind the one before, and reads the device's clock at both \
             ends. A word's way to the device and back is timed by the host. The units of 16 bytes are stored by the host, in \
             one access and with equal halves, while many threads look at them: a look that sees two halves that differ is a \
             torn one, and sealed slots rest on there being none. Managed memory is told to stay with the host, and to be \
             reached from there by the device: the same bytes behind the same bus, by the driver's other way.",
    cases,
};

fn cases(config: Config) -> Vec<Case> {
    if !config.backend.is_cuda() {
        return Vec::new();
    }
    let rounds = config.size(200_000, 20_000) as u32;
    // Where a processor stands in for the device, a look is a switch of threads.
    let (blocks, threads) = if config.length == Length::Trial { (2, 32) } else { (64, 256) };
    let looks =
        if config.length == Length::Trial { 100_000 } else { config.size(10_000_000_000, 1_000_000_000) };
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
            "units of 16 bytes",
            "looks",
            &["millions", "torn", "millions new"],
            vec![Candidate::new("limit, many threads", move || micro::unit_looks(blocks, threads, looks))],
            vec![Mark { candidate: "limit, many threads", metric: "torn", goal: Goal::AtMost(0.0) }],
        ),
        // The last: a device that has no such memory fails here, and the others' figures are there.
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
    ]
}
