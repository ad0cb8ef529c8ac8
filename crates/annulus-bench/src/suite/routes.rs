//! What it costs to choose where a message goes, beside a link.

use std::time::{Duration, Instant};

use annulus::{LaunchError, prelude::*};

use super::{
    Config, Suite,
    links::{end, options, until},
};
use crate::{
    harness::{Better, Candidate, Case, Failure, Goal, Mark, Run},
    kernels::{self, BURST, Burst, DEGREE, swallow, swallow_edges},
    launched::runtime_of,
};

pub(super) const SUITE: Suite = Suite {
    name: "routes",
    about: "a message by a link, by two outboxes, to an address, on a topic, to a group, along a row (lower is better)",
    method: "A kernel that is sent one message for sixteen of its own sends these to kernels that keep nothing. The time for each message that these \
             process; both sides' handlers are in it. By two outboxes: to two kernels in turn. To an address: to two kernels in turn, whose addresses \
             lie in a table. On a topic: one kernel takes it. To eight: the time for each copy, by one output on a topic that eight kernels take, beside \
             eight outputs to eight addresses; the eight have rings of a quarter of the others' length. Along a row: the time for each \
             copy, by one output along a row of 100 keys with values, beside sixteen outputs with keys by a link. What is held has a hold of 1024 outputs: what a turn sends goes together. The end is seen by the host in the kernels' counts, at which it looks every 50 µs, asleep in between.",
    cases,
};

fn cases(config: Config) -> Vec<Case> {
    let bursts: u64 = config.size(50_000, 5_000);
    let case = |name: &str, candidates, marks| Case {
        name: name.into(),
        unit: "ns",
        better: Better::Lower,
        metrics: &[""],
        limit: None,
        candidates,
        marks,
    };
    let ours = |name, run: Box<dyn FnMut() -> Run>| Candidate { name, run, once: false };
    let mark = |candidate, times, than: &'static [&'static str]| Mark {
        candidate,
        metric: "",
        goal: Goal::TimesBest(times, than),
    };
    let one = vec![
        ours("a link", Box::new(move || by_a_link(config, bursts))),
        ours("by two outboxes", Box::new(move || by_two(config, bursts, 0))),
        ours("by two outboxes, held", Box::new(move || by_two(config, bursts, HOLD))),
        ours("to an address", Box::new(move || to_addresses(config, bursts, 2, 0))),
        ours("to an address, held", Box::new(move || to_addresses(config, bursts, 2, HOLD))),
        ours("on a topic", Box::new(move || on_a_topic(config, bursts))),
    ];
    let many = vec![
        ours("eight outputs", Box::new(move || to_addresses(config, bursts, 8, 0))),
        ours("one to a group", Box::new(move || to_a_group(config, bursts, 0))),
        ours("one to a group, held", Box::new(move || to_a_group(config, bursts, HOLD))),
    ];
    let along = vec![
        ours("an output for each", Box::new(move || with_keys(config, bursts))),
        ours("along a row", Box::new(move || along_a_row(config, bursts, 0))),
        ours("along a row, held", Box::new(move || along_a_row(config, bursts, HOLD))),
    ];
    vec![
        case(
            "one receiver",
            one,
            vec![
                mark("by two outboxes", 1.15, &["a link"]),
                mark("by two outboxes, held", 1.15, &["a link"]),
                mark("to an address", 1.3, &["a link"]),
                mark("to an address, held", 1.3, &["a link"]),
                mark("on a topic", 1.6, &["a link"]),
            ],
        ),
        case(
            "eight receivers",
            many,
            vec![
                mark("one to a group", 0.7, &["eight outputs"]),
                mark("one to a group, held", 0.7, &["eight outputs"]),
            ],
        ),
        case(
            "many actors",
            along,
            vec![
                mark("along a row", 0.6, &["an output for each"]),
                mark("along a row, held", 0.6, &["an output for each"]),
            ],
        ),
    ]
}

/// With rings that are shorter the more there are: together as long as those of two, which fit into any device's heap.
fn targets(runtime: &Runtime, count: usize) -> Result<Vec<KernelHandle<swallow>>, LaunchError> {
    let launch = |number| {
        let options = options(&format!("target-{number}"));
        let capacity = options.inbound.capacity * 2 / count.max(2) as u32;
        swallow::launch(runtime, options.capacity(capacity))
    };
    (0..count).map(launch).collect()
}

/// Sends bursts, of which each makes 16 messages, for all targets together.
fn timed<S: RingKernel<Message = Burst>>(
    source: &KernelHandle<S>,
    targets: &[KernelHandle<swallow>],
    bursts: u64,
) -> Run {
    timed_of(source, targets, bursts, BURST)
}

/// The same of bursts that make so many each.
fn timed_of<S: RingKernel<Message = Burst>, T: RingKernel>(
    source: &KernelHandle<S>,
    targets: &[KernelHandle<T>],
    bursts: u64,
    each: u64,
) -> Run {
    source.activate_blocking()?;
    let all: Vec<_> = targets.iter().collect();
    let mut took = Duration::ZERO;
    let mut sent = 0;
    for count in [bursts / 10, bursts] {
        let messages: Vec<_> = (sent..sent + count).map(Burst::new).collect();
        let start = Instant::now();
        source.send_batch_blocking(&messages)?;
        sent += count;
        until(&all, sent * each)?;
        took = start.elapsed();
    }
    end(source, sent)?;
    for target in targets {
        end(target, sent * each / targets.len() as u64)?;
    }
    Ok(vec![took.as_nanos() as f64 / (bursts * each) as f64])
}

/// With a hold, what a turn sends goes together, where otherwise what a message sends does.
const HOLD: u32 = 1024;

fn source_options() -> LaunchOptions {
    options("source").active(false)
}

fn by_a_link(config: Config, bursts: u64) -> Run {
    let runtime = runtime_of(config.backend, 1)?;
    let targets = targets(&runtime, 1)?;
    let source = kernels::burst::launch(&runtime, source_options())?;
    source.connect(&targets[0])?;
    timed(&source, &targets, bursts)
}

fn by_two(config: Config, bursts: u64, hold: u32) -> Run {
    let runtime = runtime_of(config.backend, 1)?;
    let targets = targets(&runtime, 2)?;
    let source = kernels::burst_by_two::launch(&runtime, source_options().hold(hold))?;
    source.port(kernels::burst_by_two::EVEN).connect(&targets[0])?;
    source.port(kernels::burst_by_two::ODD).connect(&targets[1])?;
    timed(&source, &targets, bursts)
}

fn to_addresses(config: Config, bursts: u64, count: usize, hold: u32) -> Run {
    let runtime = runtime_of(config.backend, 1)?;
    let targets = targets(&runtime, count)?;
    let peers: Vec<_> = targets.iter().map(|target| target.peer()).collect();
    let source = kernels::burst_to::bind(&peers).launch(&runtime, source_options().hold(hold))?;
    source.connect_peers(&peers)?;
    timed(&source, &targets, bursts)
}

fn on_a_topic(config: Config, bursts: u64) -> Run {
    let runtime = runtime_of(config.backend, 1)?;
    let targets = targets(&runtime, 1)?;
    let source = kernels::burst_on::launch(&runtime, source_options())?;
    take_news(&source.connect_topics(&[targets[0].peer()])?, &targets)?;
    timed(&source, &targets, bursts)
}

fn to_a_group(config: Config, bursts: u64, hold: u32) -> Run {
    let runtime = runtime_of(config.backend, 1)?;
    let targets = targets(&runtime, 8)?;
    let peers: Vec<_> = targets.iter().map(|target| target.peer()).collect();
    let source = kernels::burst_few_on::launch(&runtime, source_options().hold(hold))?;
    take_news(&source.connect_topics(&peers)?, &targets)?;
    timed(&source, &targets, bursts)
}

fn take_news(topics: &annulus::Topics, targets: &[KernelHandle<swallow>]) -> Result<(), Failure> {
    targets.iter().try_for_each(|target| topics.subscribe("news", target.peer()).map_err(Into::into))
}

fn with_keys(config: Config, bursts: u64) -> Run {
    let runtime = runtime_of(config.backend, 1)?;
    let targets = [swallow_edges::launch(&runtime, options("target"))?];
    let source = kernels::burst_keyed::launch(&runtime, source_options())?;
    source.connect(&targets[0])?;
    timed_of(&source, &targets, bursts, BURST)
}

fn along_a_row(config: Config, bursts: u64, hold: u32) -> Run {
    let runtime = runtime_of(config.backend, 1)?;
    let targets = [swallow_edges::launch(&runtime, options("target"))?];
    let rows = Rows::of_lists((0..7).map(|row| (0..DEGREE).map(|i| i * 7 + row).collect::<Vec<_>>()))?;
    let values: Vec<u32> = (0..7 * DEGREE).collect();
    let options = source_options().rows(rows.with_values(&values)?).hold(hold);
    let source = kernels::burst_along::launch(&runtime, options)?;
    source.connect_along(&targets[0])?;
    timed_of(&source, &targets, bursts * BURST / u64::from(DEGREE), DEGREE.into())
}
