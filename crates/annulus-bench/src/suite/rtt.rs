//! Round trips: a message to a launched kernel, and its answer.

use std::time::{Duration, Instant};

use annulus::prelude::*;

use super::{Config, Suite};
use crate::{
    BackendName,
    clock::{PERCENTILES, between, percentiles, read_cost},
    harness::{Better, Candidate, Case, Failure, Goal, Mark, Run},
    kernels::{self, Numbered},
    launched::{Launch, finish, launch},
    limit,
};

pub(super) const SUITE: Suite = Suite {
    name: "rtt",
    about: "round trip of one message through a launched kernel, in nanoseconds (lower is better)",
    method: "One message is in flight. The kernel echoes it; its block spins and never sleeps. The host sends and then looks \
             for the answer without a pause (try_recv), or as the candidate's name says. The limit is a counter that goes to \
             another thread in one cache line and comes back in another, both threads spinning.",
    cases,
};

/// Round trips before the first that counts.
const WARM_UP: u64 = 1000;

const TRY_RECV: &str = "annulus try_recv";
const CALL: &str = "annulus call_blocking";

/// How the host waits for the answer.
#[derive(Clone, Copy)]
enum Wait {
    TryRecv,
    RecvBlocking,
    CallBlocking,
}

fn cases(config: Config) -> Vec<Case> {
    let full = || spinning(LaunchOptions::low_latency());
    let bare = || full().timestamps(false).calls(false);
    vec![
        case(config, "8-byte message", kernels::echo_small::launch, full(), true),
        case(config, "16-byte message", kernels::echo_medium::launch, full(), false),
        case(config, "56-byte message", kernels::echo_large::launch, full(), false),
        case(config, "56-byte message, no time stamps, no calls", kernels::echo_large::launch, bare(), false),
        by_mode(config),
    ]
}

/// In each mode: one message waits at a time, so the queue is as shallow as can be.
fn by_mode(config: Config) -> Case {
    let samples = config.size(50_000, 10_000);
    let candidate = |name, mode| {
        let options = spinning(LaunchOptions::low_latency()).mode(mode);
        Candidate::new(name, move || {
            round_trips(config, kernels::echo_small::launch, options.clone(), Wait::TryRecv, samples)
        })
    };
    let mark = |metric| Mark { candidate: "Adaptive", metric, goal: Goal::TimesBest(1.2, &["Continuous"]) };
    Case {
        name: "8-byte message, by mode".into(),
        unit: "ns",
        better: Better::Lower,
        metrics: PERCENTILES,
        limit: Some("limit ping-pong"),
        candidates: vec![
            Candidate::new("limit ping-pong", move || limit::ping_pong(WARM_UP, samples)),
            candidate("Continuous", ProcessingMode::Continuous),
            candidate("Batch", ProcessingMode::Batch),
            candidate("Adaptive", ProcessingMode::Adaptive),
        ],
        marks: vec![mark("p50")],
    }
}

/// Blocks that do not sleep as long as a run lasts.
fn spinning(options: LaunchOptions) -> LaunchOptions {
    options.spin(Duration::from_secs(10))
}

fn case<K>(config: Config, name: &str, launch: Launch<K>, options: LaunchOptions, every_wait: bool) -> Case
where
    K: RingKernel<Message: Numbered, Output = <K as RingKernel>::Message>,
{
    let samples = config.size(50_000, 10_000);
    let candidate = |name, wait, sealed| {
        let options = options.clone().sealed(sealed);
        Candidate::new(name, move || round_trips(config, launch, options.clone(), wait, samples))
    };
    let mut candidates = vec![
        Candidate::new("limit ping-pong", move || limit::ping_pong(WARM_UP, samples)),
        candidate(TRY_RECV, Wait::TryRecv, true),
    ];
    let mut marks = marks(config.backend);
    if config.backend.may_seal() {
        candidates.push(candidate("annulus try_recv, open slots", Wait::TryRecv, false));
    }
    if every_wait {
        candidates.push(candidate("annulus recv_blocking", Wait::RecvBlocking, true));
        candidates.push(candidate(CALL, Wait::CallBlocking, true));
        let goal = Goal::TimesBest(1.3, &[TRY_RECV]);
        marks.push(Mark { candidate: CALL, metric: "p50", goal });
    }
    Case {
        name: name.into(),
        unit: "ns",
        better: Better::Lower,
        metrics: PERCENTILES,
        limit: Some("limit ping-pong"),
        candidates,
        marks,
    }
}

fn marks(backend: BackendName) -> Vec<Mark> {
    let mark = |metric, goal| Mark { candidate: TRY_RECV, metric, goal };
    match backend {
        BackendName::Cuda | BackendName::CudaOpen => {
            vec![mark("p50", Goal::AtMost(2200.0)), mark("p99", Goal::AtMost(3500.0))]
        }
        BackendName::Cpu | BackendName::Opencl => vec![mark("p50", Goal::TimesLimit(6.0))],
    }
}

fn round_trips<K>(config: Config, start: Launch<K>, options: LaunchOptions, wait: Wait, samples: u64) -> Run
where
    K: RingKernel<Message: Numbered, Output = <K as RingKernel>::Message>,
{
    let kernel = launch(config.backend, start, options)?;
    // A call that sleeps takes microseconds.
    let samples = if matches!(wait, Wait::CallBlocking) { samples / 5 } else { samples };
    for number in 0..WARM_UP {
        round_trip(&kernel, wait, number)?;
    }
    let cost = read_cost();
    let mut times = Vec::with_capacity(samples as usize);
    let mut start = Instant::now();
    for number in WARM_UP..WARM_UP + samples {
        round_trip(&kernel, wait, number)?;
        let end = Instant::now();
        times.push(between(start, end, cost));
        start = end;
    }
    finish(&kernel, WARM_UP + samples, WARM_UP + samples)?;
    Ok(percentiles(times))
}

#[inline]
fn round_trip<K>(kernel: &KernelHandle<K>, wait: Wait, number: u64) -> Result<(), Failure>
where
    K: RingKernel<Message: Numbered, Output = <K as RingKernel>::Message>,
{
    let message = K::Message::numbered(number);
    let answer = match wait {
        Wait::CallBlocking => kernel.call_blocking(message)?,
        Wait::RecvBlocking => {
            let _ = kernel.try_send(message)?;
            kernel.recv_blocking()?
        }
        Wait::TryRecv => {
            let _ = kernel.try_send(message)?;
            loop {
                match kernel.try_recv() {
                    Ok(answer) => break answer,
                    Err(TryRecvError::Empty) => annulus_sync::spin_loop(),
                    Err(closed) => return Err(closed.into()),
                }
            }
        }
    };
    if answer == message { Ok(()) } else { Err(format!("{message:?} came back as {answer:?}").into()) }
}
