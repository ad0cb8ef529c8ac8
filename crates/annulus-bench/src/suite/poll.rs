//! What a look at a running kernel's telemetry costs.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use annulus::{Telemetry, TelemetrySnapshot, prelude::*};
use annulus_observe::{Attached, KernelWatch};
use annulus_sync::spin_loop;

use super::{Config, Suite};
use crate::{
    BackendName,
    clock::{PERCENTILES, percentiles, read_cost, time_of},
    harness::{Better, Candidate, Case, Failure, Goal, Mark, Run},
    kernels::{self, Numbered},
    launched::{finish, runtime},
    limit,
};

pub(super) const SUITE: Suite = Suite {
    name: "poll",
    about: "one poll of a kernel's telemetry while it works, in nanoseconds (lower is better)",
    method: "fresh: between two polls the host sends a message and waits 2 µs, or as long as the device needs, in which the \
             kernel writes its line; only polls that saw the new count are counted. The limit asks a thread for a write in the same way, waits as long, and \
             loads a word of its line. cached: the kernel has nothing to do, and spins, or sleeps where a block can; so the line is in the reader's cache, and \
             the limit loads eight words that nobody writes. busy: the kernel works through a stream and writes its line \
             after each iteration, so that polls meet it in the middle of writing. From outside: the same polls by a mapping of the \
             runtime's file for reading, as another process has it.",
    cases,
};

const INSIDE: &str = "annulus poll";
/// Of a kernel that looks for messages as briefly as it does unless a program says otherwise.
const ASLEEP: &str = "annulus poll, the kernel rests";
const OUTSIDE: &str = "watched from outside";

/// Between the request for a write and the look at it: several times what a message takes on the host's own
/// cores.
const PACE: Duration = Duration::from_micros(2);
/// The same where a device is slower.
const SLOWEST: Duration = Duration::from_millis(2);

fn pace() {
    wait(PACE);
}

fn wait(time: Duration) {
    let start = Instant::now();
    while start.elapsed() < time {
        spin_loop();
    }
}

fn cases(config: Config) -> Vec<Case> {
    let samples = config.size(25_000, 5_000);
    let loops = 100 * samples;
    let case = |name: &str, metrics, limit, candidates, marks| Case {
        name: name.into(),
        unit: "ns",
        better: Better::Lower,
        metrics,
        limit,
        candidates,
        marks,
    };
    let mut cases = vec![
        case(
            "fresh",
            PERCENTILES,
            Some("limit transfer"),
            vec![
                Candidate::new("limit transfer", move || limit::transfer(samples, pace)),
                Candidate::new(INSIDE, move || fresh::<Telemetry>(config, samples)),
                Candidate::new(OUTSIDE, move || fresh::<KernelWatch>(config, samples)),
            ],
            vec![
                Mark { candidate: INSIDE, metric: "middle", goal: Goal::LimitPlus(20.0) },
                Mark { candidate: OUTSIDE, metric: "middle", goal: Goal::TimesBest(1.1, &[INSIDE]) },
            ],
        ),
        case(
            "cached",
            &[""],
            Some("limit load"),
            vec![
                Candidate::new("limit load", move || limit::cached_load(loops)),
                Candidate::new(INSIDE, move || cached::<Telemetry>(config, loops, options())),
                Candidate::new(ASLEEP, move || {
                    cached::<Telemetry>(config, loops, LaunchOptions::high_throughput())
                }),
                Candidate::new(OUTSIDE, move || cached::<KernelWatch>(config, loops, options())),
            ],
            vec![
                Mark { candidate: INSIDE, metric: "", goal: Goal::AtMost(15.0) },
                Mark { candidate: OUTSIDE, metric: "", goal: Goal::TimesBest(1.1, &[INSIDE]) },
            ],
        ),
        case(
            "busy",
            PERCENTILES,
            None,
            vec![
                Candidate::new(INSIDE, move || busy::<Telemetry>(config, samples)),
                Candidate::new(OUTSIDE, move || busy::<KernelWatch>(config, samples)),
            ],
            vec![],
        ),
    ];
    // The specification's for the CPU and for OpenCL, and our own for CUDA.
    let most = if config.backend == BackendName::Opencl { 1000.0 } else { 100.0 };
    for case in cases.iter_mut().filter(|case| case.metrics.contains(&"p50")) {
        if case.name == "busy" || config.backend != BackendName::Cpu {
            case.marks.push(Mark { candidate: INSIDE, metric: "p50", goal: Goal::AtMost(most) });
        }
    }
    // The host copies a device's words into the file now and then: what is seen there from outside is a copy.
    if config.backend != BackendName::Cpu {
        for case in &mut cases {
            case.candidates.retain(|candidate| candidate.name != OUTSIDE);
            case.marks.retain(|mark| mark.candidate != OUTSIDE);
        }
    }
    cases
}

/// Who polls.
trait Poll: Sized {
    /// Of the only kernel of this process.
    fn of(telemetry: Telemetry) -> Result<Self, Failure>;

    fn poll(&self) -> TelemetrySnapshot;
}

impl Poll for Telemetry {
    fn of(telemetry: Telemetry) -> Result<Self, Failure> {
        Ok(telemetry)
    }

    fn poll(&self) -> TelemetrySnapshot {
        Self::poll(self)
    }
}

/// The runtime's file is mapped a second time, for reading, as another process maps it.
impl Poll for KernelWatch {
    fn of(telemetry: Telemetry) -> Result<Self, Failure> {
        let is_own = |path: &std::path::PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str());
            name.is_some_and(|name| name.starts_with(&format!("{}-", std::process::id())))
        };
        // The runtimes of earlier rounds have ended, and removed theirs.
        let file =
            annulus_observe::files().into_iter().rfind(is_own).ok_or("this process has no vitals file")?;
        let mut attached = Attached::open(&file)?;
        let kernel = attached.look()?.kernels.first().map(|kernel| kernel.id).ok_or("no kernel is shown")?;
        drop(telemetry);
        Ok(attached.kernel(kernel)?)
    }

    fn poll(&self) -> TelemetrySnapshot {
        Self::poll(self).expect("the kernel runs, and its file is whole")
    }
}

fn options() -> LaunchOptions {
    LaunchOptions::high_throughput().spin(Duration::from_secs(10))
}

fn fresh<P: Poll>(config: Config, samples: u64) -> Run {
    let runtime = runtime(config.backend)?;
    let kernel = kernels::sink::launch(&runtime, options())?;
    let telemetry = P::of(kernel.enable_telemetry()?)?;
    let cost = read_cost();
    let mut times = Vec::with_capacity(samples as usize);
    let (mut sent, mut stale, mut pace) = (0, 0, PACE);
    while (times.len() as u64) < samples {
        let _ = kernel.try_send(Numbered::numbered(sent))?;
        sent += 1;
        wait(pace);
        let (time, snapshot) = time_of([&telemetry; 2], cost, P::poll);
        if snapshot.messages_processed == sent {
            times.push(time);
        } else {
            // The kernel had lost its core, or the device is slower: there was nothing new to see yet.
            stale += 1;
            if stale > 100 * samples {
                return Err("the kernel does not keep up".into());
            }
            let begun = Instant::now();
            // How soon a poll sees it is what is measured.
            while telemetry.poll().messages_processed != sent {
                if begun.elapsed() > Duration::from_secs(10) {
                    return Err("the kernel does not write its line".into());
                }
                spin_loop();
            }
            if stale > times.len() as u64 && pace < SLOWEST {
                pace *= 2;
            }
        }
    }
    finish(&kernel, sent, 0)?;
    Ok(percentiles(times))
}

fn cached<P: Poll>(config: Config, polls: u64, options: LaunchOptions) -> Run {
    const SENT: u64 = 100;
    let runtime = runtime(config.backend)?;
    let kernel = kernels::sink::launch(&runtime, options)?;
    let telemetry = P::of(kernel.enable_telemetry()?)?;
    for number in 0..SENT {
        let _ = kernel.send_blocking(Numbered::numbered(number))?;
    }
    // The line is to be in this core's cache.
    while telemetry.poll().messages_processed != SENT {
        spin_loop();
    }
    let start = Instant::now();
    for _ in 0..polls {
        // By reference, as in `time_of`.
        black_box(&black_box(&telemetry).poll());
    }
    let nanos = start.elapsed().as_nanos() as f64 / polls as f64;
    finish(&kernel, SENT, 0)?;
    Ok(vec![nanos])
}

fn busy<P: Poll>(config: Config, samples: u64) -> Run {
    const BATCH: u64 = 256;
    let runtime = runtime(config.backend)?;
    let kernel = kernels::sink::launch(&runtime, options().mode(ProcessingMode::Continuous))?;
    let telemetry = P::of(kernel.enable_telemetry()?)?;
    let cost = read_cost();
    let mut times = Vec::with_capacity(samples as usize);
    let mut sent = 0;
    while (times.len() as u64) < samples {
        let batch: Vec<_> = (sent..sent + BATCH).map(Numbered::numbered).collect();
        kernel.send_batch_blocking(&batch)?;
        sent += BATCH;
        loop {
            let (time, snapshot) = time_of([&telemetry; 2], cost, P::poll);
            if snapshot.messages_processed == sent {
                break;
            }
            times.push(time);
        }
    }
    finish(&kernel, sent, 0)?;
    Ok(percentiles(times))
}
