//! What the specification's tests on hardware ask of one kernel at least: N-10.

use std::{
    thread,
    time::{Duration, Instant},
};

use annulus::{KernelState, prelude::*};

use super::{Config, Suite};
use crate::{
    clock::{PERCENTILES, between, percentiles, read_cost},
    harness::{Better, Candidate, Case, Failure, Goal, Mark, Run},
    kernels::{self, Numbered, Small},
    launched::{finish, runtime, stayed},
};

pub(super) const SUITE: Suite = Suite {
    name: "thresholds",
    about: "what tests on hardware ask of a kernel at least: a thousand messages a second, answers within 10 ms, an end within 500 ms (N-10)",
    method: "The kernel has the options that it has unless a program says otherwise. A thousand messages: from the first send_blocking until all \
             answers are received, one thread sends and then receives. One message: send_blocking, and recv_blocking for its answer, one in flight. \
             An end: terminate_blocking, of a kernel that has answered a message and is at rest, and of one to which another thread sends \
             batches of 64 meanwhile; the middle one of several kernels. The fourth threshold, 2 µs for writing and for reading a message's \
             bytes, is in the suite serialize.",
    cases,
};

/// The messages of which the threshold speaks.
const MESSAGES: u64 = 1000;

fn cases(config: Config) -> Vec<Case> {
    let samples = config.size(20_000, 2_000);
    let ends = config.size(100, 20);
    let mark = |candidate, metric, goal| Mark { candidate, metric, goal };
    vec![
        Case {
            name: "a thousand messages".into(),
            unit: "messages/s",
            better: Better::Higher,
            metrics: &[""],
            limit: None,
            candidates: vec![Candidate::new("annulus", move || a_thousand(config))],
            marks: vec![mark("annulus", "", Goal::AtLeast(1000.0))],
        },
        Case {
            name: "one message".into(),
            unit: "ns",
            better: Better::Lower,
            metrics: PERCENTILES,
            limit: None,
            candidates: vec![Candidate::new("annulus", move || one_message(config, samples))],
            marks: vec![mark("annulus", "p99", Goal::AtMost(1e7))],
        },
        Case {
            name: "an end".into(),
            unit: "ms",
            better: Better::Lower,
            metrics: &[""],
            limit: None,
            candidates: vec![
                Candidate::new("annulus, at rest", move || ended(config, ends, at_rest)),
                Candidate::new("annulus, at work", move || ended(config, ends, at_work)),
            ],
            marks: ["annulus, at rest", "annulus, at work"]
                .map(|candidate| mark(candidate, "", Goal::AtMost(500.0)))
                .into(),
        },
    ]
}

fn answered(kernel: &KernelHandle<kernels::echo_small>, message: Small) -> Result<(), Failure> {
    let answer = kernel.recv_blocking()?;
    if answer == message {
        return Ok(());
    }
    Err(format!("{message:?} came back as {answer:?}").into())
}

fn a_thousand(config: Config) -> Run {
    let runtime = runtime(config.backend)?;
    let options = LaunchOptions::default().capacity(1024).output_capacity(1024);
    let kernel = kernels::echo_small::launch(&runtime, options)?;
    let mut took = Duration::ZERO;
    // The first thousand do not count.
    for first in [0, MESSAGES] {
        let begun = Instant::now();
        for number in first..first + MESSAGES {
            let _ = kernel.send_blocking(Small::numbered(number))?;
        }
        for number in first..first + MESSAGES {
            answered(&kernel, Small::numbered(number))?;
        }
        took = begun.elapsed();
    }
    finish(&kernel, 2 * MESSAGES, 2 * MESSAGES)?;
    Ok(vec![MESSAGES as f64 / took.as_secs_f64()])
}

fn one_message(config: Config, samples: u64) -> Run {
    let runtime = runtime(config.backend)?;
    let kernel = kernels::echo_small::launch(&runtime, LaunchOptions::default())?;
    let cost = read_cost();
    let mut times = Vec::with_capacity(samples as usize);
    for number in 0..samples {
        let begun = Instant::now();
        let _ = kernel.send_blocking(Small::numbered(number))?;
        answered(&kernel, Small::numbered(number))?;
        times.push(between(begun, Instant::now(), cost));
    }
    finish(&kernel, samples, samples)?;
    Ok(percentiles(times))
}

/// The middle one of the milliseconds in which so many kernels end.
fn ended(config: Config, ends: u64, end: fn(&Runtime) -> Result<Duration, Failure>) -> Run {
    let runtime = runtime(config.backend)?;
    let mut times = Vec::with_capacity(ends as usize);
    for _ in 0..ends {
        times.push(end(&runtime)?.as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    Ok(vec![times[times.len() / 2]])
}

/// How long the end of a kernel takes that has nothing to do.
fn at_rest(runtime: &Runtime) -> Result<Duration, Failure> {
    let kernel = kernels::echo_small::launch(runtime, LaunchOptions::default())?;
    let _ = kernel.call_blocking(Small::numbered(1))?;
    terminated(&kernel)
}

/// How long the end of a kernel takes to which messages are sent all the time.
fn at_work(runtime: &Runtime) -> Result<Duration, Failure> {
    let kernel =
        kernels::swallow::launch(runtime, LaunchOptions::default().backpressure(Backpressure::Block))?;
    thread::scope(|scope| {
        scope.spawn(|| {
            let batch = [kernels::Large::numbered(0); 64];
            // Until the kernel has ended.
            while kernel.send_batch_blocking(&batch).is_ok() {}
        });
        while kernel.status().processed < 1000 {
            thread::yield_now();
        }
        terminated(&kernel)
    })
}

/// How long the end takes. Afterwards all that was sent has been processed, or is undelivered.
fn terminated<K: RingKernel>(kernel: &KernelHandle<K>) -> Result<Duration, Failure> {
    let begun = Instant::now();
    let _ = kernel.terminate_blocking();
    let took = begun.elapsed();
    stayed(kernel)?;
    let status = kernel.status();
    let is_whole = status.sent == status.processed + status.drops.total();
    if status.state == KernelState::Terminated && is_whole && status.drops.total() == status.drops.undelivered
    {
        return Ok(took);
    }
    Err(format!("a kernel that ended should have lost nothing: {status:?}").into())
}
