//! What kernels cost while nothing happens.

use std::{
    thread,
    time::{Duration, Instant},
};

use annulus::prelude::*;

use super::{Config, Suite};
use crate::{
    clock::process_time,
    cuda::power,
    harness::{Better, Candidate, Case, Failure, Goal, Mark, Run},
    kernels,
    launched::{finish, runtime},
};

pub(super) const SUITE: Suite = Suite {
    name: "idle",
    about: "processor time of the whole process while its kernels are idle, in percent of one core (lower is better)",
    method: "Kernels are launched, answer one message each, and are then left alone for half a second; then the processor time that the \
             process takes in the next second is counted, workers, pump and device threads included. The GPU meanwhile: the same kernels, and \
             `nvidia-smi` is asked once after half a second, where it is there.",
    cases,
};

fn cases(config: Config) -> Vec<Case> {
    let candidate = |name, kernels, telemetry, waiting| {
        Candidate::new(name, move || idle(config, kernels, telemetry, waiting))
    };
    let mut candidates = vec![
        candidate("limit no kernel", 0, false, false),
        candidate("annulus, a kernel", 1, false, false),
        candidate("annulus, with telemetry", 1, true, false),
        candidate("annulus, a caller waits", 1, false, true),
    ];
    if config.backend.shares_workers() {
        candidates.push(candidate("annulus, 100 kernels", 100, false, false));
    }
    let mut cases = vec![Case {
        name: "idle".into(),
        unit: "% of a core",
        better: Better::Lower,
        metrics: &[""],
        limit: None,
        candidates,
        marks: vec![Mark { candidate: "annulus, a kernel", metric: "", goal: Goal::AtMost(5.0) }],
    }];
    if config.backend.is_cuda() && power::is_told() {
        let candidate = |name, kernels| {
            Candidate::new(name, move || meanwhile(config, kernels, &mut power::power_and_clock))
        };
        cases.push(Case {
            name: "the GPU meanwhile".into(),
            unit: "W or MHz",
            better: Better::Lower,
            metrics: power::METRICS,
            limit: None,
            candidates: vec![
                candidate("limit no kernel", 0),
                candidate("annulus, a kernel", 1),
                candidate("annulus, 16 kernels", 16),
            ],
            marks: vec![],
        });
    }
    cases
}

/// What is found half a second after so many kernels have become idle.
fn meanwhile(config: Config, kernels: usize, find: &mut dyn FnMut() -> Run) -> Run {
    let runtime = runtime(config.backend)?;
    let running = launch(&runtime, kernels)?;
    thread::sleep(Duration::from_millis(500));
    let found = find()?;
    running.iter().try_for_each(|kernel| finish(kernel, 1, 1))?;
    Ok(found)
}

/// Kernels that have answered a message each.
fn launch(runtime: &Runtime, kernels: usize) -> Result<Vec<KernelHandle<kernels::echo_small>>, Failure> {
    let launch = |i: usize| -> Result<_, Failure> {
        let options = LaunchOptions::production().capacity(64).name(format!("idle {i}"));
        let kernel = kernels::echo_small::launch(runtime, options)?;
        let _ = kernel.call_blocking(kernels::Numbered::numbered(1))?;
        Ok(kernel)
    };
    (0..kernels).map(launch).collect()
}

fn idle(config: Config, kernels: usize, telemetry: bool, waiting: bool) -> Run {
    let runtime = runtime(config.backend)?;
    let running = launch(&runtime, kernels)?;
    let telemetry = match running.first() {
        Some(kernel) if telemetry => Some(kernel.enable_telemetry()?),
        _ => None,
    };
    let used = thread::scope(|scope| {
        if waiting && let Some(kernel) = running.first() {
            // Ends with the kernel.
            scope.spawn(|| kernel.recv_blocking().is_ok());
        }
        thread::sleep(Duration::from_millis(500));
        let (begun, before) = (Instant::now(), process_time());
        thread::sleep(Duration::from_secs(1));
        let used = (process_time() - before).as_secs_f64() / begun.elapsed().as_secs_f64();
        running.iter().try_for_each(|kernel| finish(kernel, 1, 1)).map(|()| used)
    })?;
    drop(telemetry);
    Ok(vec![used * 100.0])
}
