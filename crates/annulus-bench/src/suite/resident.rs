//! A kernel that stays, beside a launch for each message.

use std::{
    ffi::OsStr,
    fs,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use annulus::prelude::*;
use annulus_cuda::Cuda;

use super::{Config, Suite};
use crate::{
    BackendName,
    clock::{PERCENTILES, between, percentiles, read_cost},
    cuda::{self, How},
    harness::{Better, Candidate, Case, Failure, Goal, Mark, Run},
    kernels::{self, Huge, Numbered},
    launched::{self, finish, runtime_of},
    opencl,
};

pub(super) const SUITE: Suite = Suite {
    name: "launch-vs-resident",
    about: "a resident kernel beside a launch for each message (needs an OpenCL device, or with --backend cuda an NVIDIA GPU)",
    method: "Messages of 256 bytes in memory that both sides see; every answer is checked. `limit launch` writes a message, launches a \
             kernel that answers it, waits for it and reads; `limit graph` replays that launch from a CUDA graph. `limit loop` is a \
             hand-written kernel that stays and looks at one flag, with no ring, state, command, telemetry or second message. `annulus` is a \
             ring kernel whose handler is Rust, with time stamps and calls allowed. In round trips one message is in flight, and the host \
             looks for the answer without a pause; for rates one host thread sends batches and takes what has come back. Ready is the time \
             from a process's start to the first answer: the device opened and tried, the kernel built (cold) or loaded (warm), launched and \
             called.",
    cases,
};

fn cases(config: Config) -> Vec<Case> {
    let samples = config.size(20_000, 5_000) as u32;
    if config.backend.is_cuda() {
        let round_trips = [1, 32, 256].map(|threads| cuda_round_trips(threads, samples));
        return round_trips
            .into_iter()
            .chain([cuda_rates(samples as usize), ready(BackendName::Cuda)])
            .collect();
    }
    if !opencl::is_there() {
        eprintln!("skipped: launch-vs-resident: there is no OpenCL device; Debian's is in pocl-opencl-icd");
        return Vec::new();
    }
    vec![
        opencl_round_trips(1, samples, 0.06),
        opencl_round_trips(64, samples, 0.09),
        opencl_rates(samples as usize),
        ready(BackendName::Opencl),
    ]
}

fn round_trips(threads: u32, limits: Vec<Candidate>, backend: BackendName, samples: u32, times: f64) -> Case {
    let mut candidates = limits;
    candidates.push(Candidate::new("annulus", move || annulus_round_trips(backend, threads, samples)));
    Case {
        name: format!("round trip, {threads} threads"),
        unit: "ns",
        better: Better::Lower,
        metrics: PERCENTILES,
        limit: Some("limit launch"),
        candidates,
        marks: vec![Mark { candidate: "annulus", metric: "p50", goal: Goal::TimesLimit(times) }],
    }
}

fn opencl_round_trips(threads: u32, samples: u32, times: f64) -> Case {
    let items = threads as usize;
    let limits = vec![
        Candidate::new("limit launch", move || opencl::launch_round_trips(items, samples)),
        Candidate::new("limit loop", move || opencl::resident_round_trips(items, samples)),
    ];
    round_trips(threads, limits, BackendName::Opencl, samples, times)
}

fn cuda_round_trips(threads: u32, samples: u32) -> Case {
    let limits = vec![
        Candidate::new("limit launch", move || cuda::launch_round_trips(How::Launch, threads, samples)),
        Candidate::new("limit graph", move || cuda::launch_round_trips(How::Graph, threads, samples)),
        Candidate::new("limit loop", move || cuda::resident_round_trips(threads, samples)),
    ];
    round_trips(threads, limits, BackendName::Cuda, samples, 1.0 / 3.0)
}

fn rates(candidates: Vec<Candidate>, marks: Vec<Mark>) -> Case {
    Case {
        name: "messages, there and back".into(),
        unit: "M messages/s",
        better: Better::Higher,
        metrics: &[""],
        limit: Some("limit launch"),
        candidates,
        marks,
    }
}

fn opencl_rates(messages: usize) -> Case {
    let launches = |name: &'static str, batch: usize| {
        Candidate::new(name, move || opencl::launch_rate(1, batch, messages * batch.min(16)))
    };
    let resident = |name: &'static str, threads: u32, batch: usize| {
        Candidate::new(name, move || {
            annulus_rate(BackendName::Opencl, threads, batch, (messages * 40) as u64)
        })
    };
    let candidates = vec![
        launches("limit launch", 1),
        launches("limit launch of 64", 64),
        launches("limit launch of 1024", 1024),
        resident("annulus, batches of 1", 1, 1),
        resident("annulus, batches of 64", 1, 64),
        resident("annulus, batches of 256", 1, 256),
        resident("annulus, 64 threads, of 256", 64, 256),
    ];
    let goal = Goal::TimesLimitAtLeast(40.0);
    rates(candidates, vec![Mark { candidate: "annulus, batches of 256", metric: "", goal }])
}

fn cuda_rates(messages: usize) -> Case {
    let launches = |name: &'static str, how: How, batch: usize| {
        Candidate::new(name, move || cuda::launch_rate(how, 64, batch, messages * batch.min(16)))
    };
    let resident = |name: &'static str, threads: u32, batch: usize| {
        Candidate::new(name, move || annulus_rate(BackendName::Cuda, threads, batch, (messages * 40) as u64))
    };
    let candidates = vec![
        launches("limit launch", How::Launch, 1),
        launches("limit launch of 64", How::Launch, 64),
        launches("limit launch of 1024", How::Launch, 1024),
        launches("limit graph of 1024", How::Graph, 1024),
        resident("annulus, 32 threads, of 64", 32, 64),
        resident("annulus, 256 threads, of 64", 256, 64),
        resident("annulus, 256 threads, of 256", 256, 256),
    ];
    rates(candidates, Vec::new())
}

fn ready(backend: BackendName) -> Case {
    Case {
        name: "ready".into(),
        unit: "s",
        better: Better::Lower,
        metrics: &[""],
        limit: None,
        candidates: vec![
            Candidate::new("annulus, cold", move || ready_after(backend, true)),
            Candidate::new("annulus, warm", move || ready_after(backend, false)),
        ],
        marks: vec![
            Mark { candidate: "annulus, cold", metric: "", goal: Goal::AtMost(2.0) },
            Mark { candidate: "annulus, warm", metric: "", goal: Goal::AtMost(0.2) },
        ],
    }
}

fn launch(
    backend: BackendName,
    threads: u32,
    capacity: u32,
) -> Result<KernelHandle<kernels::echo_huge>, Failure> {
    let runtime = runtime_of(backend, threads)?;
    let options = LaunchOptions::low_latency()
        .backpressure(annulus::Backpressure::Block)
        .capacity(capacity)
        .block(threads)
        .spin(Duration::from_secs(10));
    Ok(kernels::echo_huge::launch(&runtime, options)?)
}

fn annulus_round_trips(backend: BackendName, threads: u32, samples: u32) -> Run {
    let kernel = launch(backend, threads, 256)?;
    let (warm_up, samples) = (u64::from(samples / 10 + 1), u64::from(samples));
    let round_trip = |number: u64| -> Result<(), Failure> {
        let message = Huge::numbered(number);
        let _ = kernel.try_send(message)?;
        loop {
            match kernel.try_recv() {
                Ok(answer) if answer == message => return Ok(()),
                Ok(answer) => return Err(format!("{message:?} came back as {answer:?}").into()),
                Err(TryRecvError::Empty) => annulus_sync::spin_loop(),
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

/// One host thread, which sends a batch and takes what has come back: with two cores a second would take the
/// kernel's.
fn annulus_rate(backend: BackendName, threads: u32, batch: usize, messages: u64) -> Run {
    let kernel = launch(backend, threads, 2048)?;
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

/// Tells a process of this program to be what is measured: with the backend, and the directory where built
/// programs are kept.
pub(super) const READY: &str = "ANNULUS_BENCH_READY";
const READY_CACHE: &str = "ANNULUS_BENCH_READY_CACHE";

/// In a process of its own: prints the seconds from its start to the first answer.
pub(super) fn be_ready(begun: Instant, backend: &OsStr) -> Result<(), Failure> {
    let cache =
        std::env::var_os(READY_CACHE).ok_or("a process to measure is told where programs are kept")?;
    let builder = Runtime::builder();
    let runtime = match backend.to_str() {
        Some("cuda") => builder.backend(Cuda::new().cache_directory(cache)).build()?,
        _ => builder.backend(launched::opencl().cache_directory(cache)).build()?,
    };
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
fn ready_after(backend: BackendName, cold: bool) -> Run {
    let cache = std::env::temp_dir().join(format!("annulus-bench-{}", std::process::id()));
    let once = || -> Result<f64, Failure> {
        let child = Command::new(std::env::current_exe()?)
            .env(READY, backend.name())
            .env(READY_CACHE, cache.join("annulus"))
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
