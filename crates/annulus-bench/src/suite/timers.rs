//! What a message to oneself costs, and how late it comes.

use std::{
    thread,
    time::{Duration, Instant},
};

use annulus::prelude::*;

use super::{
    Config, Suite,
    links::{end, options, until},
};
use crate::{
    harness::{Better, Candidate, Case, Failure, Goal, Mark, Run},
    kernels::timers::{Again, Alarm, again_by_link, again_later, alarm},
    launched::runtime_of,
};

pub(super) const SUITE: Suite = Suite {
    name: "timers",
    about: "a timer that is set and fires, beside a message; and how late it is (lower is better)",
    method: "A kernel sends itself messages of 56 bytes, which come again so many times: by a timer of 0 ns, which is due at once; or by a link to \
             itself. The time for each, from one to the next. At a time: so many messages are under way. Among others: a thousand timers that are \
             due in an hour wait in the same block. Blocks look for messages as long as a run lasts. The end is seen by the host in the kernel's counts, at which it looks every 50 µs, asleep in \
             between. Late: the kernel sets a timer of 1 ms, and says by how much later than that it was taken, by its own clock; beside a thread of the host that sleeps as \
             long.",
    cases,
};

/// Timers of a block that are far away.
const FAR: u64 = 1000;
const HOUR: u64 = 3_600_000_000_000;

fn cases(config: Config) -> Vec<Case> {
    let messages: u64 = config.size(400_000, 100_000);
    let alarms: u64 = config.size(1000, 200);
    let ours = |name, run: Box<dyn FnMut() -> Run>| Candidate { name, run, once: false };
    let mark = |candidate| Mark { candidate, metric: "", goal: Goal::TimesLimit(2.5) };
    let case = |open: u64| {
        let each = messages / open;
        Case {
            name: format!("{open} at a time"),
            unit: "ns",
            better: Better::Lower,
            metrics: &[""],
            limit: Some("a message"),
            candidates: vec![
                ours("a message", Box::new(move || by_link(config, open, each))),
                ours("a timer", Box::new(move || by_timer(config, open, each, 0))),
                ours("a timer among others", Box::new(move || by_timer(config, open, each, FAR - open))),
            ],
            marks: vec![mark("a timer"), mark("a timer among others")],
        }
    };
    let late = Case {
        name: "late".into(),
        unit: "ns",
        better: Better::Lower,
        metrics: &["p50", "p99"],
        limit: None,
        candidates: vec![
            ours("a thread that sleeps", Box::new(move || asleep(alarms))),
            ours("a timer of 1 ms", Box::new(move || late(config, alarms))),
        ],
        marks: vec![],
    };
    vec![case(1), case(64), late]
}

/// So many messages come again so many times each; the time for each.
fn timed<K: RingKernel<Message = Again>>(
    kernel: &KernelHandle<K>,
    open: u64,
    times: u64,
    mut processed: u64,
) -> Run {
    let mut took = Duration::ZERO;
    for count in [times / 10, times] {
        let messages = vec![Again::new(count, 0); open as usize];
        let start = Instant::now();
        kernel.send_batch_blocking(&messages)?;
        processed += open * (count + 1);
        until(&[kernel], processed)?;
        took = start.elapsed();
    }
    end(kernel, processed)?;
    Ok(vec![took.as_nanos() as f64 / (open * times) as f64])
}

fn by_link(config: Config, open: u64, times: u64) -> Run {
    let runtime = runtime_of(config.backend, 1)?;
    let kernel = again_by_link::launch(&runtime, options("itself").active(false))?;
    kernel.connect(&kernel)?;
    kernel.activate_blocking()?;
    timed(&kernel, open, times, 0)
}

fn by_timer(config: Config, open: u64, times: u64, far: u64) -> Run {
    let runtime = runtime_of(config.backend, 1)?;
    let kernel = again_later::launch(&runtime, options("itself").connectable(false))?;
    kernel.send_batch_blocking(&vec![Again::new(1, HOUR); far as usize])?;
    until(&[&kernel], far)?;
    let timed = timed(&kernel, open, times, far)?;
    let waited = kernel.status().timers.map_or(0, |timers| timers.lost);
    if waited != far {
        return Err(format!("{far} timers should have waited, and {waited} did").into());
    }
    Ok(timed)
}

/// The median and the 99th percentile.
fn percentiles(mut nanos: Vec<u64>) -> Vec<f64> {
    nanos.sort_unstable();
    [50, 99].map(|percent| nanos[(nanos.len() - 1) * percent / 100] as f64).to_vec()
}

const MILLISECOND: Duration = Duration::from_millis(1);

fn late(config: Config, alarms: u64) -> Run {
    let runtime = runtime_of(config.backend, 1)?;
    let kernel = alarm::launch(&runtime, LaunchOptions::production())?;
    let one = |_| -> Result<u64, Failure> {
        let _ = kernel.send_blocking(Alarm::new(MILLISECOND.as_nanos() as u64))?;
        Ok(kernel.recv_blocking()?.nanos)
    };
    let nanos = (0..alarms).map(one).collect::<Result<Vec<_>, _>>()?;
    end(&kernel, 2 * alarms)?;
    Ok(percentiles(nanos))
}

fn asleep(times: u64) -> Run {
    let one = |_| {
        let begun = Instant::now();
        thread::sleep(MILLISECOND);
        (begun.elapsed() - MILLISECOND).as_nanos() as u64
    };
    Ok(percentiles((0..times).map(one).collect()))
}
