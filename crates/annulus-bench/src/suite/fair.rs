//! How long messages of quiet kernels take beside a kernel that is flooded.

use std::{thread, time::Instant};

use annulus::{RunMode, prelude::*};
use annulus_sync::{AtomicBool, Ordering};

use super::{Config, Suite};
use crate::{
    clock::{PERCENTILES, percentiles},
    harness::{Better, Candidate, Case, Goal, Mark, Run},
    kernels::{self, Numbered},
    launched::{finish, runtime},
};

pub(super) const SUITE: Suite = Suite {
    name: "fair",
    about: "round trips of 31 quiet kernels, alone and beside one that is flooded, in nanoseconds (lower is better)",
    method: "One thread calls 31 kernels in turn, one message at a time. Beside them a kernel may be flooded: another thread \
             sends batches of 256 messages to it, and waits while its queue of 4096 is full. All share the CPU's workers; on a \
             device all are event-driven.",
    cases,
};

const QUIET: u64 = 31;
const ALONE: &str = "annulus, alone";

fn cases(config: Config) -> Vec<Case> {
    let candidate = |name, cap: Option<u32>| Candidate::new(name, move || round_trips(config, cap));
    let flooded = "annulus, flooded, 16 messages a turn";
    vec![Case {
        name: "31 quiet kernels".into(),
        unit: "ns",
        better: Better::Lower,
        metrics: PERCENTILES,
        limit: None,
        candidates: vec![
            candidate(ALONE, None),
            candidate("annulus, flooded, 1 message a turn", Some(1)),
            candidate(flooded, Some(16)),
            candidate("annulus, flooded, 256 messages a turn", Some(256)),
        ],
        marks: vec![Mark { candidate: flooded, metric: "p99", goal: Goal::TimesBest(4.0, &[ALONE]) }],
    }]
}

/// Round trips of the quiet kernels, beside a flooded one whose turns take up to `cap` messages.
fn round_trips(config: Config, cap: Option<u32>) -> Run {
    let runtime = runtime(config.backend)?;
    let run_mode = if config.backend.shares_workers() { RunMode::Persistent } else { RunMode::EventDriven };
    let options = || LaunchOptions::production().run_mode(run_mode);
    let quiet: Vec<_> = (0..QUIET)
        .map(|i| kernels::echo_small::launch(&runtime, options().capacity(64).name(format!("quiet {i}"))))
        .collect::<Result<_, _>>()?;
    let flooded = cap
        .map(|cap| {
            let options = options().mode(ProcessingMode::Batch).max_messages_per_iteration(cap);
            kernels::sink::launch(&runtime, options)
        })
        .transpose()?;
    let rounds = config.size(400, 100);
    let ends = AtomicBool::new(false);
    let samples = thread::scope(|scope| {
        if let Some(flooded) = &flooded {
            scope.spawn(|| {
                let batch: Vec<_> = (0..256).map(kernels::Medium::numbered).collect();
                while !ends.load(Ordering::Relaxed) {
                    if flooded.send_batch_blocking(&batch).is_err() {
                        break;
                    }
                }
            });
        }
        let called = (0..rounds + 10).try_fold(Vec::new(), |mut samples, round| {
            for kernel in &quiet {
                let begun = Instant::now();
                let _ = kernel.call_blocking(kernels::Small::numbered(round))?;
                // The first rounds launch what is launched late.
                if round >= 10 {
                    samples.push(begun.elapsed().as_nanos() as f64);
                }
            }
            Ok::<_, CallError>(samples)
        });
        ends.store(true, Ordering::Relaxed);
        called
    })?;
    for kernel in &quiet {
        finish(kernel, rounds + 10, rounds + 10)?;
    }
    Ok(percentiles(samples))
}
