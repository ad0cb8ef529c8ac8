//! What a message pays for its time stamp, for telemetry and for the time, and what memory a kernel takes.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use annulus::{Vitals, prelude::*};

use super::{
    Config, Suite,
    stream::{ONE_AT_A_TIME, await_processed, produce},
};
use crate::{
    harness::{Better, Candidate, Case, Goal, Mark, Run},
    kernels::{self, Medium},
    launched::{Launch, finish, launch, runtime_with},
};

pub(super) const SUITE: Suite = Suite {
    name: "costs",
    about: "what stamps, telemetry and the time cost a message, and what memory a kernel takes beside its rate",
    method: "16-byte messages. A ring of 16,384 slots is filled while the kernel is inactive, one message at a time, and then emptied, iterations \
             of up to 64: nanoseconds a message of the host that fills it, and of the kernel from its activation until it has processed the last. \
             `limit none of them` has no stamps, no telemetry, and no vitals file; nobody can call these kernels. The time of a turn: the \
             same, with turns of one message, whose handler asks for the time or does not; the clock is read once a turn, if a handler asks. \
             Memory is what the kernel's status says, beside the rate of a stream in batches of 64.",
    cases,
};

const CAPACITY: u32 = 16_384;
const LAP: u64 = CAPACITY as u64;

fn cases(config: Config) -> Vec<Case> {
    // A trial has one.
    let laps = config.size(60 * LAP, 20 * LAP).div_ceil(LAP);
    let messages = config.size(4_000_000, 800_000);
    vec![stamps_and_telemetry(config, laps), the_time(config, laps), memory(config, messages)]
}

fn options() -> LaunchOptions {
    LaunchOptions::high_throughput()
        .capacity(CAPACITY)
        .mode(ProcessingMode::Batch)
        .max_messages_per_iteration(64)
        .timestamps(false)
        .calls(false)
}

/// What a message's stamp costs its sender, and what it costs a kernel to tell what it has done.
fn stamps_and_telemetry(config: Config, laps: u64) -> Case {
    const NONE: &str = "limit none of them";
    const STAMPS: &str = "annulus, stamps";
    const TELEMETRY: &str = "annulus, stamps, telemetry";
    let candidate = |name, options: LaunchOptions, has_file, telemetry| {
        Candidate::new(name, move || {
            let counted = Counted { has_file, telemetry, laps };
            filled_and_emptied(config, kernels::sink::launch, &options, counted)
        })
    };
    let stamped = || options().timestamps(true);
    Case {
        name: "a ring is filled, and emptied".into(),
        unit: "ns/message",
        better: Better::Lower,
        metrics: &["sent", "processed"],
        limit: Some(NONE),
        candidates: vec![
            candidate(NONE, options(), false, false),
            candidate("annulus, vitals file", options(), true, false),
            candidate(STAMPS, stamped(), true, false),
            candidate(TELEMETRY, stamped(), true, true),
            candidate("annulus, track_latency", stamped().track_latency(true), true, false),
        ],
        marks: vec![
            Mark { candidate: STAMPS, metric: "sent", goal: Goal::LimitPlus(20.0) },
            Mark { candidate: TELEMETRY, metric: "processed", goal: Goal::LimitPlus(50.0) },
        ],
    }
}

/// What it costs a turn that its handler asks for the time.
fn the_time(config: Config, laps: u64) -> Case {
    const NOT_ASKED: &str = "annulus, not asked";
    const ASKED: &str = "annulus, asked";
    let candidate = |name, launch: fn(Config, LaunchOptions, Counted) -> Run| {
        let counted = Counted { has_file: true, telemetry: false, laps };
        Candidate::new(name, move || {
            let run = launch(config, options().mode(ProcessingMode::Continuous), counted)?;
            Ok(vec![run[1]])
        })
    };
    Case {
        name: "the time of a turn".into(),
        unit: "ns",
        better: Better::Lower,
        metrics: &[""],
        limit: Some(NOT_ASKED),
        candidates: vec![
            candidate(NOT_ASKED, |config, options, counted| {
                filled_and_emptied(config, kernels::sink::launch, &options, counted)
            }),
            candidate(ASKED, |config, options, counted| {
                filled_and_emptied(config, kernels::timed_sink::launch, &options, counted)
            }),
            Candidate::new("one clock read of the host", move || host_clock(laps * 1000)),
        ],
        marks: vec![Mark { candidate: ASKED, metric: "", goal: Goal::LimitPlus(20.0) }],
    }
}

fn host_clock(reads: u64) -> Run {
    let start = Instant::now();
    for _ in 0..reads {
        black_box(Instant::now());
    }
    Ok(vec![start.elapsed().as_nanos() as f64 / reads as f64])
}

/// What is told about a kernel, and how often its ring is filled.
#[derive(Clone, Copy)]
struct Counted {
    /// The runtime has a vitals file.
    has_file: bool,
    telemetry: bool,
    laps: u64,
}

/// Nanoseconds a message: of the host that fills the ring of a kernel which is not active, one message at a time, and of the kernel
/// that empties it.
fn filled_and_emptied<K: RingKernel<Message = Medium>>(
    config: Config,
    launch: Launch<K>,
    options: &LaunchOptions,
    counted: Counted,
) -> Run {
    let vitals = if counted.has_file { Vitals::Usual } else { Vitals::Off };
    let kernel = launch(&runtime_with(config.backend, vitals)?, options.clone())?;
    let telemetry = if counted.telemetry { Some(kernel.enable_telemetry()?) } else { None };
    let (mut filling, mut emptying) = (Duration::ZERO, Duration::ZERO);
    // The first lap maps memory.
    for lap in 0..=counted.laps {
        kernel.deactivate_blocking()?;
        let start = Instant::now();
        produce(&kernel, 0..LAP, ONE_AT_A_TIME)?;
        let filled = Instant::now();
        kernel.activate_blocking()?;
        await_processed(&kernel, (lap + 1) * LAP);
        if lap > 0 {
            filling += filled - start;
            emptying += filled.elapsed();
        }
    }
    let all = (counted.laps + 1) * LAP;
    if let Some(telemetry) = telemetry {
        // The line is written after the count.
        let seen = (0..1_000_000).map(|_| telemetry.poll().messages_processed).find(|&seen| seen == all);
        seen.ok_or("the telemetry has not shown every message")?;
    }
    finish(&kernel, all, 0)?;
    let each = |time: Duration| time.as_nanos() as f64 / (counted.laps * LAP) as f64;
    Ok(vec![each(filling), each(emptying)])
}

/// The bytes of kernels of different sizes, beside what they process.
fn memory(config: Config, messages: u64) -> Case {
    let usual = || options().timestamps(true).calls(true).mode(ProcessingMode::Adaptive);
    let candidate =
        |name, options: LaunchOptions| Candidate::new(name, move || held(config, &options, messages));
    Case {
        name: "a kernel's memory, beside its rate".into(),
        unit: "M messages/s or KiB",
        better: Better::Higher,
        metrics: &["rate", "memory"],
        limit: None,
        candidates: vec![
            candidate("annulus, 256 slots", usual().capacity(256)),
            candidate("annulus, 4,096 slots", usual().capacity(4096)),
            candidate("annulus, 16,384 slots", usual()),
            candidate("annulus, 16,384, no stamps, no calls", options().mode(ProcessingMode::Adaptive)),
            candidate("annulus, 16,384, in front: priority", usual().priority(true)),
        ],
        marks: vec![],
    }
}

fn held(config: Config, options: &LaunchOptions, messages: u64) -> Run {
    let kernel = launch(config.backend, kernels::sink::launch, options.clone())?;
    produce(&kernel, 0..LAP, 64)?;
    await_processed(&kernel, LAP);
    let start = Instant::now();
    produce(&kernel, 0..messages, 64)?;
    await_processed(&kernel, LAP + messages);
    let elapsed = start.elapsed();
    let memory = kernel.status().memory.total();
    finish(&kernel, LAP + messages, 0)?;
    Ok(vec![messages as f64 / elapsed.as_secs_f64() / 1e6, memory as f64 / 1024.0])
}
