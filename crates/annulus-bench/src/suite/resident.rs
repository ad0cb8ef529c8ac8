//! A kernel that stays, beside a launch for each message.

use std::{
    ffi::OsStr,
    fs,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use annulus::prelude::*;
use annulus_opencl::OpenCl;

use super::{Config, Suite};
use crate::{
    clock::{PERCENTILES, between, percentiles, read_cost},
    harness::{Better, Candidate, Case, Failure, Goal, Mark, Run},
    kernels::{self, Huge, Numbered},
    launched::finish,
    opencl,
};

pub(super) const SUITE: Suite = Suite {
    name: "launch-vs-resident",
    about: "OpenCL: a resident kernel beside a launch for each message (needs an OpenCL device)",
    method: "Messages of 256 bytes in memory that both sides see; every answer is checked. `limit launch` writes a message, enqueues a \
             kernel that answers it, waits with clFinish and reads. `limit loop` is a hand-written kernel that stays and looks at one \
             flag, with no ring, state, command, telemetry or second message. `annulus` is a ring kernel whose handler is Rust, with time \
             stamps and calls allowed. In round trips one message is in flight, and the host looks for the answer without a pause; \
             for rates one host thread sends batches and takes what has come back. Ready is the time from a process's start to the \
             first answer: the device opened and tried, the kernel built (cold) or loaded (warm), launched and called.",
    cases,
};

fn cases(config: Config) -> Vec<Case> {
    if !opencl::is_there() {
        eprintln!("skipped: launch-vs-resident: there is no OpenCL device; Debian's is in pocl-opencl-icd");
        return Vec::new();
    }
    let samples = if config.quick { 5_000 } else { 20_000 };
    vec![round_trips(1, samples, 0.06), round_trips(64, samples, 0.09), rates(samples as usize), ready()]
}

fn round_trips(items: usize, samples: u32, times: f64) -> Case {
    Case {
        name: format!("round trip, {items} work-items"),
        unit: "ns",
        better: Better::Lower,
        metrics: PERCENTILES,
        limit: Some("limit launch"),
        candidates: vec![
            Candidate::new("limit launch", move || opencl::launch_round_trips(items, samples)),
            Candidate::new("limit loop", move || opencl::resident_round_trips(items, samples)),
            Candidate::new("annulus", move || annulus_round_trips(items, samples)),
        ],
        marks: vec![Mark { candidate: "annulus", metric: "p50", goal: Goal::TimesLimit(times) }],
    }
}

fn rates(messages: usize) -> Case {
    let launches = |name: &'static str, batch: usize| {
        Candidate::new(name, move || opencl::launch_rate(1, batch, messages * batch.min(16)))
    };
    let resident = |name: &'static str, items: u32, batch: usize| {
        Candidate::new(name, move || annulus_rate(items, batch, (messages * 40) as u64))
    };
    Case {
        name: "messages, there and back".into(),
        unit: "M messages/s",
        better: Better::Higher,
        metrics: &[""],
        limit: Some("limit launch"),
        candidates: vec![
            launches("limit launch", 1),
            launches("limit launch of 64", 64),
            launches("limit launch of 1024", 1024),
            resident("annulus, batches of 1", 1, 1),
            resident("annulus, batches of 64", 1, 64),
            resident("annulus, batches of 256", 1, 256),
            resident("annulus, 64 threads, of 256", 64, 256),
        ],
        marks: vec![Mark {
            candidate: "annulus, batches of 256",
            metric: "",
            goal: Goal::TimesLimitAtLeast(40.0),
        }],
    }
}

fn ready() -> Case {
    Case {
        name: "ready".into(),
        unit: "s",
        better: Better::Lower,
        metrics: &[""],
        limit: None,
        candidates: vec![
            Candidate::new("annulus, cold", || ready_after(true)),
            Candidate::new("annulus, warm", || ready_after(false)),
        ],
        marks: vec![
            Mark { candidate: "annulus, cold", metric: "", goal: Goal::AtMost(2.0) },
            Mark { candidate: "annulus, warm", metric: "", goal: Goal::AtMost(0.2) },
        ],
    }
}

fn launch(items: u32, capacity: u32) -> Result<KernelHandle<kernels::echo_huge>, Failure> {
    let runtime = Runtime::builder().backend(OpenCl::new().threads_per_block(items)).build()?;
    let options = LaunchOptions::low_latency()
        .backpressure(annulus::Backpressure::Block)
        .capacity(capacity)
        .block(items)
        .spin(Duration::from_secs(10));
    Ok(kernels::echo_huge::launch(&runtime, options)?)
}

fn annulus_round_trips(items: usize, samples: u32) -> Run {
    let kernel = launch(items as u32, 256)?;
    let (warm_up, samples) = (u64::from(samples / 10 + 1), u64::from(samples));
    let round_trip = |number: u64| -> Result<(), Failure> {
        let message = Huge::numbered(number);
        let _ = kernel.try_send(message)?;
        loop {
            match kernel.try_recv() {
                Ok(answer) if answer == message => return Ok(()),
                Ok(answer) => return Err(format!("{message:?} came back as {answer:?}").into()),
                Err(TryRecvError::Empty) => annulus_queue::sync::spin_loop(),
                Err(closed) => return Err(closed.into()),
            }
        }
    };
    (0..warm_up).try_for_each(round_trip)?;
    let cost = read_cost();
    let mut times = Vec::with_capacity(samples as usize);
    let mut start = Instant::now();
    for number in warm_up..warm_up + samples {
        round_trip(number)?;
        let end = Instant::now();
        times.push(between(start, end, cost));
        start = end;
    }
    finish(&kernel, warm_up + samples, warm_up + samples)?;
    Ok(percentiles(times))
}

/// One host thread, which sends a batch and takes what has come back: with two cores a second would take the kernel's.
fn annulus_rate(items: u32, batch: usize, messages: u64) -> Run {
    let kernel = launch(items, 2048)?;
    let mut outputs = Vec::with_capacity(2048);
    let (mut sent, mut received) = (0u64, 0u64);
    let begun = Instant::now();
    while received < messages {
        if sent < messages && sent - received <= 1024 {
            let count = (batch as u64).min(messages - sent);
            let batch: Vec<Huge> = (sent..sent + count).map(Huge::numbered).collect();
            kernel.send_batch_blocking(&batch)?;
            sent += count;
        }
        outputs.clear();
        match kernel.try_recv_batch(&mut outputs, 2048) {
            Ok(_) => {}
            Err(TryRecvError::Empty) => continue,
            Err(closed) => return Err(closed.into()),
        }
        for output in &outputs {
            if *output != Huge::numbered(received) {
                return Err(format!("message {received} came back as {output:?}").into());
            }
            received += 1;
        }
    }
    let elapsed = begun.elapsed();
    finish(&kernel, messages, messages)?;
    Ok(vec![messages as f64 / elapsed.as_secs_f64() / 1e6])
}

/// Tells a process of this program to be what is measured: with the directory where built programs are kept.
pub(super) const READY: &str = "ANNULUS_BENCH_READY";

/// In a process of its own: prints the seconds from its start to the first answer.
pub(super) fn be_ready(begun: Instant, cache: &OsStr) -> Result<(), Failure> {
    let runtime = Runtime::builder().backend(OpenCl::new().cache_directory(cache)).build()?;
    let kernel = kernels::echo_huge::launch(&runtime, LaunchOptions::production())?;
    let answer = kernel.call_blocking(Huge::numbered(7))?;
    let elapsed = begun.elapsed().as_secs_f64();
    if answer != Huge::numbered(7) {
        return Err("the first answer is wrong".into());
    }
    finish(&kernel, 1, 1)?;
    println!("{elapsed}");
    Ok(())
}

/// Seconds from a process's start to its first answer; cold, neither we nor the driver
/// have built anything before; warm, both have.
fn ready_after(cold: bool) -> Run {
    let cache = std::env::temp_dir().join(format!("annulus-bench-{}", std::process::id()));
    let once = || -> Result<f64, Failure> {
        let child = Command::new(std::env::current_exe()?)
            .env(READY, cache.join("annulus"))
            .env("POCL_CACHE_DIR", cache.join("pocl"))
            .stderr(Stdio::inherit())
            .output()?;
        let text = String::from_utf8(child.stdout)?;
        text.trim().parse().map_err(|_| format!("a process to measure ended with {}", child.status).into())
    };
    let seconds = if cold { once() } else { once().and_then(|_| once()) };
    // What is not there need not be removed.
    let _ = fs::remove_dir_all(&cache);
    Ok(vec![seconds?])
}
