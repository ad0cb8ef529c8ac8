//! What a message pays for its time stamp, for telemetry and for the time, and what memory a kernel takes.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use annulus::{Vitals, prelude::*};

use super::{
    Config, Suite,
    room::Busy,
    stream::{await_processed, produce},
};
use crate::{
    harness::{Better, Candidate, Case, Failure, Goal, Mark, Run},
    kernels::{self, Medium},
    launched::{Launch, finish, launch, runtime_with},
};

pub(super) const SUITE: Suite = Suite {
    name: "costs",
    about: "what stamps, telemetry and the time cost a message, and what memory a kernel takes beside its rate",
    method: "16-byte messages, rings of 16,384 slots, iterations of up to 64. Sent: half a ring, one message at a time by try_send, while \
             the kernel works on one message that was sent before; nanoseconds a message of the host. Processed: a full ring of an inactive kernel, \
             from its activation until it has processed the last; nanoseconds a message. `limit none of them` has no stamps, no telemetry, \
             and no vitals file; nobody can call these kernels. The time of a turn: a full ring, turns of one message, whose handler asks \
             for the time or does not; the clock is read once a turn, if a handler asks. Memory is what the kernel's status says, beside the \
             rate of a stream in batches of 64.",
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
            let sent = sent(config, &options, counted)?;
            Ok(vec![sent, emptied(config, kernels::sink::launch, &options, counted)?])
        })
    };
    let stamped = || options().timestamps(true);
    Case {
        name: "a message is sent, and processed".into(),
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
    let candidate = |name, launch: fn(Config, LaunchOptions, Counted) -> Result<f64, Failure>| {
        let counted = Counted { has_file: true, telemetry: false, laps };
        Candidate::new(name, move || {
            Ok(vec![launch(config, options().mode(ProcessingMode::Continuous), counted)?])
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
                emptied(config, kernels::sink::launch, &options, counted)
            }),
            candidate(ASKED, |config, options, counted| {
                emptied(config, kernels::timed_sink::launch, &options, counted)
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

impl Counted {
    fn runtime(self, config: Config) -> Result<Runtime, Failure> {
        let vitals = if self.has_file { Vitals::Usual } else { Vitals::Off };
        runtime_with(config.backend, vitals)
    }
}

/// Nanoseconds a message of a host that sends one at a time to a kernel with room.
fn sent(config: Config, options: &LaunchOptions, counted: Counted) -> Result<f64, Failure> {
    let kernel = kernels::held_sink::launch(&counted.runtime(config)?, options.clone())?;
    let telemetry = if counted.telemetry { Some(kernel.enable_telemetry()?) } else { None };
    let mut busy = Busy::new(kernel);
    let mut elapsed = Duration::ZERO;
    // The first lap maps memory.
    for lap in 0..=counted.laps {
        let took = busy.time(LAP / 2, |kernel, message| {
            let _ = kernel.try_send(message)?;
            Ok(())
        })?;
        if lap > 0 {
            elapsed += took;
        }
    }
    let (kernel, processed) = busy.into_kernel();
    finish(&kernel, processed, 0)?;
    drop(telemetry);
    Ok(elapsed.as_nanos() as f64 / (counted.laps * LAP / 2) as f64)
}

/// Nanoseconds a message of a kernel that empties a full ring.
fn emptied<K: RingKernel<Message = Medium>>(
    config: Config,
    launch: Launch<K>,
    options: &LaunchOptions,
    counted: Counted,
) -> Result<f64, Failure> {
    let kernel = launch(&counted.runtime(config)?, options.clone())?;
    let telemetry = if counted.telemetry { Some(kernel.enable_telemetry()?) } else { None };
    let mut elapsed = Duration::ZERO;
    for lap in 0..=counted.laps {
        kernel.deactivate_blocking()?;
        produce(&kernel, 0..LAP, 64)?;
        let start = Instant::now();
        kernel.activate_blocking()?;
        await_processed(&kernel, (lap + 1) * LAP);
        if lap > 0 {
            elapsed += start.elapsed();
        }
    }
    let all = (counted.laps + 1) * LAP;
    if let Some(telemetry) = telemetry {
        // The line is written after the count.
        let seen = (0..1_000_000).map(|_| telemetry.poll().messages_processed).find(|&seen| seen == all);
        seen.ok_or("the telemetry has not shown every message")?;
    }
    finish(&kernel, all, 0)?;
    Ok(elapsed.as_nanos() as f64 / (counted.laps * LAP) as f64)
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
