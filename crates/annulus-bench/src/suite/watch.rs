//! What it costs a kernel to be seen from outside, and what it costs to look.

use std::{
    path::PathBuf,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use annulus::{Vitals, prelude::*};
use annulus_observe::{Attached, KernelWatch, Observer, ask_for_telemetry, look};
use annulus_sync::{AtomicBool, Ordering};

use super::{
    Config, Suite,
    stream::{await_processed, produce},
};
use crate::{
    BackendName,
    harness::{Better, Candidate, Case, Failure, Goal, Mark, Run},
    kernels,
    launched::finish,
};

pub(super) const SUITE: Suite = Suite {
    name: "watch",
    about: "what it costs to be seen from outside, and what a look costs",
    method: "streamed: 16-byte messages in batches of 64 from one thread to a kernel of one block, rings of 16,384 slots, \
             Adaptive, in millions of messages a second; the runtime has a vitals file unless said otherwise. Who watches is a \
             thread of this process that does what another process does: `top` looks at all there is once a second and \
             asks for telemetry; the sampler polls the kernel's words each millisecond. looks: 100 kernels of 1 block, at rest; \
             a poll of all is a hundred polls by a mapping. scrape: the text of Prometheus' metrics of 100 kernels of 8 \
             blocks, at rest, read from the file.",
    cases,
};

const CAPACITY: u32 = 16_384;
const KERNELS: usize = 100;
const PLAIN: &str = "annulus";
const POLLS: &str = "one poll of all";

/// How a stream is watched.
#[derive(Clone, Copy, PartialEq)]
enum Watched {
    No,
    NoFile,
    Box,
    Telemetry,
    Top,
    Sampled,
}

fn cases(config: Config) -> Vec<Case> {
    // Devices keep their words themselves: what watching costs there is a copy by the host.
    if config.backend != BackendName::Cpu {
        return Vec::new();
    }
    let messages = config.size(8_000_000, 1_600_000);
    let candidate = |name, watched| Candidate::new(name, move || streamed(watched, messages));
    let at_least = |candidate, ratio| Mark { candidate, metric: "", goal: Goal::TimesLimitAtLeast(ratio) };
    let streamed = Case {
        name: "streamed".into(),
        unit: "M messages/s",
        better: Better::Higher,
        metrics: &[""],
        limit: Some(PLAIN),
        candidates: vec![
            candidate(PLAIN, Watched::No),
            candidate("no vitals file", Watched::NoFile),
            candidate("black box", Watched::Box),
            candidate("telemetry", Watched::Telemetry),
            candidate("watched by top", Watched::Top),
            candidate("telemetry, sampled at 1 kHz", Watched::Sampled),
        ],
        marks: vec![
            at_least("black box", 0.98),
            at_least("telemetry", 0.97),
            at_least("watched by top", 0.97),
            at_least("telemetry, sampled at 1 kHz", 0.97),
        ],
    };
    let rounds = config.size(2000, 200);
    let looks = Case {
        name: "looks".into(),
        unit: "µs",
        better: Better::Lower,
        metrics: &[""],
        limit: Some(POLLS),
        candidates: vec![
            Candidate::new(POLLS, move || polls_of_all(rounds)),
            Candidate::new("one look at all", move || looks_at_all(rounds / 20)),
        ],
        marks: vec![Mark { candidate: "one look at all", metric: "", goal: Goal::TimesLimit(50.0) }],
    };
    let scrape = Case {
        name: "scrape".into(),
        unit: "ms",
        better: Better::Lower,
        metrics: &[""],
        limit: None,
        candidates: vec![Candidate::new("100 kernels × 8 blocks", move || scrapes(rounds / 20))],
        marks: vec![Mark { candidate: "100 kernels × 8 blocks", metric: "", goal: Goal::AtMost(5.0) }],
    };
    vec![streamed, looks, scrape]
}

/// The vitals file of the runtime that was built last in this process.
fn own_file() -> Result<PathBuf, Failure> {
    let is_own = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with(&format!("{}-", std::process::id())))
    };
    // Those of earlier rounds have ended, and removed theirs.
    Ok(annulus_observe::files().into_iter().rfind(is_own).ok_or("this process has no vitals file")?)
}

fn streamed(watched: Watched, messages: u64) -> Run {
    let vitals = if watched == Watched::NoFile { Vitals::Off } else { Vitals::Usual };
    let runtime = Runtime::builder().backend(annulus::Cpu::new()).vitals(vitals).build()?;
    let options = LaunchOptions::high_throughput()
        .capacity(CAPACITY)
        .mode(ProcessingMode::Adaptive)
        .max_messages_per_iteration(64)
        .black_box(watched == Watched::Box);
    let kernel = kernels::sink::launch(&runtime, options)?;
    let stop = Arc::new(AtomicBool::new(false));
    let _telemetry = match watched {
        Watched::Telemetry | Watched::Sampled => Some(kernel.enable_telemetry()?),
        _ => None,
    };
    let observer = match watched {
        Watched::Top => Some((own_file()?, Duration::from_secs(1))),
        Watched::Sampled => Some((own_file()?, Duration::from_millis(1))),
        _ => None,
    };
    let watcher = observer.map(|(file, pause)| {
        let stop = Arc::clone(&stop);
        thread::spawn(move || watch(&file, pause, &stop))
    });
    // A lap before the clock runs: memory is mapped, the kernel awake.
    let lap = u64::from(CAPACITY);
    produce(&kernel, 0..lap, 64)?;
    await_processed(&kernel, lap);
    let start = Instant::now();
    produce(&kernel, 0..messages, 64)?;
    await_processed(&kernel, lap + messages);
    let elapsed = start.elapsed();
    stop.store(true, Ordering::Relaxed);
    if let Some(watcher) = watcher {
        watcher.thread().unpark();
        watcher.join().map_err(|_| "the watcher panicked")??;
    }
    finish(&kernel, lap + messages, 0)?;
    Ok(vec![messages as f64 / elapsed.as_secs_f64() / 1e6])
}

/// Looks until it is told to stop: at everything, and with a lease, if it looks seldom.
fn watch(file: &std::path::Path, pause: Duration, stop: &AtomicBool) -> Result<(), String> {
    let told = |error: annulus_observe::Unreadable| error.to_string();
    let mut attached = Attached::open(file).map_err(told)?;
    let id = attached.look().map_err(told)?.kernels.first().ok_or("no kernel is shown")?.id;
    let kernel = attached.kernel(id).map_err(told)?;
    while !stop.load(Ordering::Relaxed) {
        if pause >= Duration::from_secs(1) {
            ask_for_telemetry(file, Duration::from_secs(10)).map_err(told)?;
            attached.look().map_err(told)?;
        } else {
            std::hint::black_box(kernel.poll().map_err(|error| error.to_string())?);
        }
        thread::park_timeout(pause);
    }
    Ok(())
}

/// A hundred kernels at rest.
fn many(grid: u32) -> Result<(Runtime, Vec<KernelHandle<kernels::swallow>>), Failure> {
    let runtime = Runtime::builder().backend(annulus::Cpu::new()).build()?;
    let options = |number| LaunchOptions::default().grid(grid).capacity(16).name(format!("swallow-{number}"));
    let kernels: Result<Vec<_>, _> =
        (0..KERNELS).map(|number| kernels::swallow::launch(&runtime, options(number))).collect();
    Ok((runtime, kernels?))
}

fn each(rounds: u64, unit: f64, mut what: impl FnMut() -> Result<(), Failure>) -> Run {
    what()?;
    let start = Instant::now();
    for _ in 0..rounds.max(1) {
        what()?;
    }
    Ok(vec![start.elapsed().as_secs_f64() * unit / rounds.max(1) as f64])
}

fn polls_of_all(rounds: u64) -> Run {
    let (_runtime, _kernels) = many(1)?;
    let mut attached = Attached::open(&own_file()?)?;
    let ids: Vec<u64> = attached.look()?.kernels.iter().map(|kernel| kernel.id).collect();
    let watches: Vec<KernelWatch> = ids.iter().map(|id| attached.kernel(*id)).collect::<Result<_, _>>()?;
    each(rounds, 1e6, || {
        for watch in &watches {
            std::hint::black_box(watch.poll()?);
        }
        Ok(())
    })
}

fn looks_at_all(rounds: u64) -> Run {
    let (_runtime, _kernels) = many(1)?;
    let file = own_file()?;
    each(rounds, 1e6, || {
        let process = look(&file)?;
        if process.kernels.len() == KERNELS { Ok(()) } else { Err("a look has not found all kernels".into()) }
    })
}

fn scrapes(rounds: u64) -> Run {
    let (_runtime, _kernels) = many(8)?;
    let observer = Observer::of_machine(Some(std::process::id())).build();
    each(rounds, 1e3, || {
        let text = observer.prometheus();
        let is_whole = text.matches("annulus_messages_processed_total{").count() >= KERNELS;
        if is_whole { Ok(()) } else { Err("a scrape has not found all kernels".into()) }
    })
}
