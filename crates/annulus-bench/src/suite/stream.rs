//! Messages per second through a launched kernel.

use std::{
    thread,
    time::{Duration, Instant},
};

use annulus::{Consistency, KernelControl, prelude::*};
use annulus_sync::spin_loop;

use super::{Config, Suite};
use crate::{
    harness::{Better, Candidate, Case, Failure, Goal, Mark, Run},
    kernels::{self, Medium, Numbered},
    launched::{finish, launch},
    limit,
};

pub(super) const SUITE: Suite = Suite {
    name: "stream",
    about: "messages per second through a launched kernel, in millions (higher is better)",
    method: "16-byte messages with time stamps and calls allowed, unless said otherwise; rings of 16,384 slots, backpressure \
             Block, iterations of up to 64 messages where the mode has batches. The clock runs from the first send until \
             the kernel has processed the last message. The limit is one thread that writes cache lines of a ring of the \
             same length and another that reads them.",
    cases,
};

const CAPACITY: u32 = 16_384;
const UNIT: &str = "M messages/s";
/// Messages before the first that counts.
const WARM_UP: u64 = CAPACITY as u64;
const ONE_AT_A_TIME: usize = 0;

/// What may differ from run to run.
#[derive(Clone)]
struct Setup {
    options: LaunchOptions,
    producers: u64,
    /// Messages per `send_batch_blocking`; [`ONE_AT_A_TIME`] means `send_blocking`.
    batch: usize,
    telemetry: bool,
    messages: u64,
}

fn cases(config: Config) -> Vec<Case> {
    let messages = config.size(4_000_000, 800_000);
    let setup = |producers, batch: usize| Setup {
        options: LaunchOptions::high_throughput()
            .capacity(CAPACITY)
            .mode(ProcessingMode::Adaptive)
            .max_messages_per_iteration(64),
        producers,
        batch,
        telemetry: false,
        // Small sends are slower, and their runs need not be longer.
        messages: if batch <= 1 { messages / 4 } else { messages },
    };
    let mut cases = Vec::new();
    for batch in [ONE_AT_A_TIME, 1, 8, 64, 256] {
        let goal = (batch >= 64).then_some(10.0);
        cases.push(by_mode(config, setup(1, batch), goal));
    }
    for batch in [ONE_AT_A_TIME, 64, 256] {
        cases.push(by_mode(config, setup(4, batch), None));
    }
    if config.backend.is_cuda() {
        cases.push(lines(config, messages * 4, 1, &[1, 4, 8]));
        cases.push(lines(config, messages * 4, 4, &[4, 8, 16]));
        cases.push(lines(config, messages * 4, 8, &[8, 16, 32]));
        cases.extend(lines_apart(config));
        cases.push(lines_by_capacity(config, messages * 4));
        cases.push(lines_by_batch(config, messages * 4));
    }
    cases.push(by_consistency(config, &setup(1, 64)));
    cases.push(drained_by_consistency(config));
    cases.push(watched(config, &setup(1, 64)));
    cases.push(traced(config, &setup(1, 64)));
    cases.push(stamped(config, &setup(1, 64)));
    cases.push(echoed(config, &setup(1, 64)));
    cases
}

fn case(name: String, messages: u64, candidates: Vec<Candidate>, marks: Vec<Mark>) -> Case {
    let limit = move || limit::line_stream(CAPACITY.into(), messages);
    let mut all = vec![Candidate::new("limit cache lines", limit)];
    all.extend(candidates);
    Case {
        name,
        unit: UNIT,
        better: Better::Higher,
        metrics: &[""],
        limit: Some("limit cache lines"),
        candidates: all,
        marks,
    }
}

fn by_mode(config: Config, setup: Setup, goal: Option<f64>) -> Case {
    let producers = if setup.producers == 1 { "1 producer" } else { "4 producers" };
    let how = match setup.batch {
        ONE_AT_A_TIME => "send_blocking".to_owned(),
        1 => "batches of 1 message".to_owned(),
        batch => format!("batches of {batch} messages"),
    };
    let candidate = |name, mode, sealed| {
        let setup = Setup { options: setup.options.clone().mode(mode).sealed(sealed), ..setup.clone() };
        Candidate::new(name, move || into_sink(config, &setup))
    };
    let mut candidates = vec![
        candidate("annulus continuous", ProcessingMode::Continuous, true),
        candidate("annulus batch", ProcessingMode::Batch, true),
        candidate("annulus adaptive", ProcessingMode::Adaptive, true),
    ];
    if config.backend.may_seal() {
        candidates.push(candidate("annulus adaptive, open slots", ProcessingMode::Adaptive, false));
    }
    let mark = |candidate| goal.map(|goal| Mark { candidate, metric: "", goal: Goal::AtLeast(goal) });
    let marks = [mark("annulus batch"), mark("annulus adaptive")].into_iter().flatten().collect();
    case(format!("{producers}, {how}"), setup.messages, candidates, marks)
}

/// Messages of a whole cache line, from so many threads of the host to so many blocks of 256 threads, by sealed slots and by
/// open ones.
fn lines(config: Config, messages: u64, producers: u64, blocks: &[u32]) -> Case {
    let candidate = |blocks: u32, is_sealed: bool| {
        let name: &'static str = match (blocks, is_sealed) {
            (1, true) => "annulus, 1 block",
            (4, true) => "annulus, 4 blocks",
            (8, true) => "annulus, 8 blocks",
            (16, true) => "annulus, 16 blocks",
            (_, true) => "annulus, 32 blocks",
            (1, false) => "annulus, 1 block, open slots",
            (4, false) => "annulus, 4 blocks, open slots",
            (8, false) => "annulus, 8 blocks, open slots",
            (16, false) => "annulus, 16 blocks, open slots",
            (_, false) => "annulus, 32 blocks, open slots",
        };
        let options = lines_options().grid(blocks).sealed(is_sealed);
        Candidate::new(name, move || swallowed(config, &options, producers, messages))
    };
    let goal = Goal::AtLeast(if producers == 1 { 50.0 } else { 150.0 });
    let mut candidates: Vec<_> = blocks.iter().map(|&blocks| candidate(blocks, true)).collect();
    if config.backend.may_seal() {
        candidates.extend(blocks.iter().map(|&blocks| candidate(blocks, false)));
    }
    let marks =
        candidates.iter().map(|candidate| Mark { candidate: candidate.name, metric: "", goal }).collect();
    case(format!("64-byte lines, {producers} producers, batches of 256"), messages, candidates, marks)
}

/// What each side can do by itself: the host fills the rings of a kernel that takes nothing, and the kernel empties full rings.
fn lines_apart(config: Config) -> [Case; 2] {
    let laps = config.size(60, 20);
    let of = |is_host: bool| {
        [
            ("annulus, 1 block", 1, 1),
            ("annulus, 4 blocks", 1, 4),
            ("annulus, 16 blocks", 1, 16),
            ("annulus, 4 producers, 16 blocks", 4, 16),
            ("annulus, 8 producers, 16 blocks", 8, 16),
            ("annulus, 4 blocks, open slots", 1, 4),
        ]
        .into_iter()
        .filter(move |(name, ..)| config.backend.may_seal() || !name.ends_with("open slots"))
        .map(move |(name, producers, blocks)| {
            let options = lines_options().grid(blocks).sealed(!name.ends_with("open slots"));
            Candidate::new(name, move || {
                let (filled, emptied) = apart(config, &options, producers, laps)?;
                Ok(if is_host { filled } else { emptied })
            })
        })
    };
    [("the host fills idle rings", true), ("the kernel empties full rings", false)].map(|(what, is_host)| {
        case(format!("64-byte lines, batches of 256: {what}"), 1_000_000, of(is_host).collect(), vec![])
    })
}

/// Messages a second, in millions, of so many threads that fill all rings of a kernel that is not active, and of the kernel
/// from its activation until it has processed all.
fn apart(
    config: Config,
    options: &LaunchOptions,
    producers: u64,
    laps: u64,
) -> Result<(Vec<f64>, Vec<f64>), Failure> {
    let kernel = launch(config.backend, kernels::swallow::launch, options.clone())?;
    let full = u64::from(CAPACITY) * u64::from(options.shape.grid);
    let (mut filling, mut emptying) = (Duration::ZERO, Duration::ZERO);
    // The first lap maps memory.
    for lap in 0..=laps {
        kernel.deactivate_blocking()?;
        let start = Instant::now();
        produce_by(&kernel, producers, full, 256)?;
        let filled = Instant::now();
        kernel.activate_blocking()?;
        await_processed(&kernel, (lap + 1) * full);
        if lap > 0 {
            filling += filled - start;
            emptying += filled.elapsed();
        }
    }
    finish(&kernel, (laps + 1) * full, 0)?;
    Ok((rate(laps * full, filling), rate(laps * full, emptying)))
}

/// Sends so many messages from so many threads, each its share.
fn produce_by<K: RingKernel<Message: Numbered>>(
    kernel: &KernelHandle<K>,
    producers: u64,
    messages: u64,
    batch: usize,
) -> Result<(), Failure> {
    let share = messages / producers;
    thread::scope(|scope| {
        let produce = |index| {
            scope.spawn(move || {
                produce(kernel, index * share..(index + 1) * share, batch).map_err(|error| error.to_string())
            })
        };
        let producers: Vec<_> = (0..producers).map(produce).collect();
        producers.into_iter().try_for_each(|producer| producer.join().map_err(|_| "a producer panicked")?)
    })
    .map_err(Failure::from)
}

/// The same lines from one thread into open slots of four blocks, by the length of their rings: those of 16,384 slots are 1 MiB each,
/// half of a core's L2 cache.
fn lines_by_capacity(config: Config, messages: u64) -> Case {
    let candidates = [
        ("annulus, rings of 256", 256),
        ("annulus, rings of 1,024", 1024),
        ("annulus, rings of 4,096", 4096),
        ("annulus, rings of 16,384", CAPACITY),
    ]
    .map(|(name, capacity)| {
        let options = lines_options().capacity(capacity).grid(4);
        Candidate::new(name, move || swallowed(config, &options, 1, messages))
    });
    case(
        "64-byte lines, 1 producer, 4 blocks, by the rings' length".into(),
        messages,
        candidates.into(),
        vec![],
    )
}

/// The same by the size of the batches that the host sends.
fn lines_by_batch(config: Config, messages: u64) -> Case {
    let candidates =
        [("annulus, 16", 16), ("annulus, 64", 64), ("annulus, 256", 256), ("annulus, 1,024", 1024)].map(
            |(name, batch)| {
                let options = lines_options().grid(4).sealed(false);
                Candidate::new(name, move || swallowed_by(config, &options, 1, messages, batch))
            },
        );
    case(
        "64-byte lines, 1 producer, 4 blocks, by the batches' size".into(),
        messages,
        candidates.into(),
        vec![],
    )
}

fn lines_options() -> LaunchOptions {
    LaunchOptions::high_throughput().capacity(CAPACITY).timestamps(false).calls(false).block(256)
}

fn swallowed(config: Config, options: &LaunchOptions, producers: u64, messages: u64) -> Run {
    swallowed_by(config, options, producers, messages, 256)
}

fn swallowed_by(config: Config, options: &LaunchOptions, producers: u64, messages: u64, batch: usize) -> Run {
    let kernel = launch(config.backend, kernels::swallow::launch, options.clone())?;
    produce(&kernel, 0..WARM_UP, batch)?;
    await_processed(&kernel, WARM_UP);
    let share = messages / producers;
    let start = Instant::now();
    produce_by(&kernel, producers, share * producers, batch)?;
    let all = WARM_UP + share * producers;
    await_processed(&kernel, all);
    let elapsed = start.elapsed();
    finish(&kernel, all, 0)?;
    Ok(rate(share * producers, elapsed))
}

/// The model that others are compared with, by the names of its candidates.
const DEFAULT_ORDER: &str = "annulus, ReleaseAcquire";
const ORDERS: [(&str, Consistency); 3] = [
    (DEFAULT_ORDER, Consistency::ReleaseAcquire),
    ("annulus, Relaxed", Consistency::Relaxed),
    ("annulus, Sequential", Consistency::Sequential),
];

/// What the order of memory costs a stream: host and kernel at the same time.
fn by_consistency(config: Config, setup: &Setup) -> Case {
    let candidate = |(name, consistency)| {
        let options = setup.options.clone().mode(ProcessingMode::Batch).consistency(consistency);
        let setup = Setup { options, ..setup.clone() };
        Candidate::new(name, move || into_sink(config, &setup))
    };
    let messages = setup.messages;
    let limit = Candidate::new("limit cache lines", move || limit::line_stream(CAPACITY.into(), messages));
    let mut candidates: Vec<_> = ORDERS.map(candidate).into();
    candidates.push(limit);
    orders("1 producer, batches of 64 messages, by consistency", candidates)
}

/// What it costs the kernel alone: a full ring, and no producer that the kernel could wait for.
fn drained_by_consistency(config: Config) -> Case {
    let rounds = config.size(60, 20);
    let candidate = |(name, consistency)| Candidate::new(name, move || drained(config, consistency, rounds));
    orders("a full ring is emptied, by consistency", ORDERS.map(candidate).into())
}

fn orders(name: &str, candidates: Vec<Candidate>) -> Case {
    Case {
        name: name.into(),
        unit: UNIT,
        better: Better::Higher,
        metrics: &[""],
        limit: Some(DEFAULT_ORDER),
        candidates,
        marks: vec![],
    }
}

/// Fills the ring of a kernel that is not active, and takes the time from its activation until it has processed
/// all of it, again and again.
fn drained(config: Config, consistency: Consistency, rounds: u64) -> Run {
    let options = LaunchOptions::high_throughput()
        .capacity(CAPACITY)
        .mode(ProcessingMode::Batch)
        .max_messages_per_iteration(64)
        .consistency(consistency);
    let kernel = launch(config.backend, kernels::sink::launch, options)?;
    let mut elapsed = Duration::ZERO;
    let lap = u64::from(CAPACITY);
    // The first lap maps memory.
    for round in 0..=rounds {
        kernel.deactivate_blocking()?;
        produce(&kernel, 0..lap, 64)?;
        let start = Instant::now();
        kernel.activate_blocking()?;
        await_processed(&kernel, (round + 1) * lap);
        if round > 0 {
            elapsed += start.elapsed();
        }
    }
    finish(&kernel, (rounds + 1) * lap, 0)?;
    Ok(rate(rounds * lap, elapsed))
}

/// What watching costs.
fn watched(config: Config, setup: &Setup) -> Case {
    let candidate = |name, change: fn(Setup) -> Setup| {
        let setup = change(setup.clone());
        Candidate::new(name, move || into_sink(config, &setup))
    };
    let candidates = vec![
        candidate("annulus", |setup| setup),
        candidate("annulus, telemetry", |setup| Setup { telemetry: true, ..setup }),
        candidate("annulus, track_latency", |mut setup| {
            setup.options = setup.options.track_latency(true);
            setup
        }),
        candidate("annulus, no stamps, no calls", |mut setup| {
            setup.options = setup.options.timestamps(false).calls(false);
            setup
        }),
    ];
    case("1 producer, batches of 64 messages, adaptive".into(), setup.messages, candidates, vec![])
}

/// The kernel whose messages carry no trace, by the name of its candidate.
const UNTRACED: &str = "annulus";

/// What it costs that messages may be followed, and that some are.
fn traced(config: Config, setup: &Setup) -> Case {
    let candidate = |name, sample: Option<f64>| {
        let mut setup = setup.clone();
        if let Some(sample) = sample {
            setup.options = setup.options.tracing(true).trace_sample(sample);
        }
        Candidate::new(name, move || into_sink(config, &setup))
    };
    const ASKED: &str = "annulus, tracing, nothing sampled";
    const SAMPLED: &str = "annulus, tracing, 1 % sampled";
    let mark = |candidate, goal| Mark { candidate, metric: "", goal: Goal::TimesLimitAtLeast(goal) };
    Case {
        name: "1 producer, batches of 64 messages, traces".into(),
        unit: UNIT,
        better: Better::Higher,
        metrics: &[""],
        limit: Some(UNTRACED),
        candidates: vec![
            candidate(UNTRACED, None),
            candidate(ASKED, Some(0.0)),
            candidate(SAMPLED, Some(0.01)),
        ],
        marks: vec![mark(ASKED, 0.97), mark(SAMPLED, 0.9)],
    }
}

/// What it costs that messages carry causal stamps. Its mark is 5 ns a message, of a stream whose messages take about 35.
fn stamped(config: Config, setup: &Setup) -> Case {
    const STAMPED: &str = "annulus, causal";
    let with = {
        let mut setup = setup.clone();
        setup.options = setup.options.causal(true);
        Candidate::new(STAMPED, move || into_sink(config, &setup))
    };
    let setup = setup.clone();
    Case {
        name: "1 producer, batches of 64 messages, causal stamps".into(),
        unit: UNIT,
        better: Better::Higher,
        metrics: &[""],
        limit: Some(UNTRACED),
        candidates: vec![Candidate::new(UNTRACED, move || into_sink(config, &setup)), with],
        marks: vec![Mark { candidate: STAMPED, metric: "", goal: Goal::TimesLimitAtLeast(0.87) }],
    }
}

/// The kernel answers every message, and the host takes the answers.
fn echoed(config: Config, setup: &Setup) -> Case {
    let (one, two) = (setup.clone(), setup.clone());
    let candidates = vec![
        Candidate::new("annulus, one host thread", move || echo_one_thread(config, &one)),
        Candidate::new("annulus, two host threads", move || echo_two_threads(config, &two)),
    ];
    case("echo, batches of 64 messages, adaptive".into(), setup.messages, candidates, vec![])
}

fn rate(messages: u64, elapsed: Duration) -> Vec<f64> {
    vec![messages as f64 / elapsed.as_secs_f64() / 1e6]
}

/// Sends the numbers of a range.
pub(super) fn produce<K: RingKernel<Message: Numbered>>(
    kernel: &KernelHandle<K>,
    numbers: std::ops::Range<u64>,
    batch: usize,
) -> Result<(), Failure> {
    if batch == ONE_AT_A_TIME {
        for number in numbers {
            let _ = kernel.send_blocking(K::Message::numbered(number))?;
        }
        return Ok(());
    }
    let mut messages = Vec::with_capacity(batch);
    for first in numbers.clone().step_by(batch) {
        let last = numbers.end.min(first + batch as u64);
        messages.clear();
        messages.extend((first..last).map(K::Message::numbered));
        kernel.send_batch_blocking(&messages)?;
    }
    Ok(())
}

fn into_sink(config: Config, setup: &Setup) -> Run {
    let kernel = launch(config.backend, kernels::sink::launch, setup.options.clone())?;
    let telemetry = if setup.telemetry { Some(kernel.enable_telemetry()?) } else { None };
    // A lap before the clock runs: memory is mapped, the kernel awake.
    produce(&kernel, 0..WARM_UP, 64)?;
    await_processed(&kernel, WARM_UP);
    let share = setup.messages / setup.producers;
    let messages = share * setup.producers;
    let start = Instant::now();
    if setup.producers == 1 {
        produce(&kernel, 0..messages, setup.batch)?;
    } else {
        produce_by(&kernel, setup.producers, messages, setup.batch)?;
    }
    await_processed(&kernel, WARM_UP + messages);
    let elapsed = start.elapsed();
    let all = WARM_UP + messages;
    if let Some(telemetry) = telemetry {
        // The line is written after the count.
        let seen = (0..1_000_000).map(|_| telemetry.poll().messages_processed).find(|&seen| seen == all);
        seen.ok_or("the telemetry has not shown every message")?;
    }
    finish(&kernel, all, 0)?;
    Ok(rate(messages, elapsed))
}

/// Waits until the kernel has processed so many messages; what is left when everything was sent is a ring at
/// most.
pub(super) fn await_processed(kernel: &KernelControl, messages: u64) {
    while kernel.status().processed < messages {
        spin_loop();
    }
}

/// Checks answers as they come: all of them, in order.
#[derive(Default)]
struct Answers {
    received: u64,
    taken: Vec<Medium>,
}

impl Answers {
    /// Takes what is there now; says how many.
    fn take<K: RingKernel<Output = Medium>>(&mut self, kernel: &KernelHandle<K>) -> Result<u64, Failure> {
        self.taken.clear();
        match kernel.try_recv_batch(&mut self.taken, 256) {
            Ok(_) => {}
            Err(TryRecvError::Empty) => return Ok(0),
            Err(closed) => return Err(closed.into()),
        }
        let before = self.received;
        for answer in &self.taken {
            if *answer != Medium::numbered(self.received) {
                return Err(format!("answer {} is {answer:?}", self.received).into());
            }
            self.received += 1;
        }
        Ok(self.received - before)
    }
}

/// The host sends and receives on one thread, with at most half a ring in flight, so that neither side ever
/// waits for good.
fn echo_one_thread(config: Config, setup: &Setup) -> Run {
    let kernel = launch(config.backend, kernels::echo_medium::launch, setup.options.clone())?;
    let mut answers = Answers::default();
    let batch = setup.batch as u64;
    let mut sent = 0;
    let all = WARM_UP + setup.messages;
    let mut start = Instant::now();
    while answers.received < all {
        if answers.received < WARM_UP {
            start = Instant::now();
        }
        if sent < all && sent - answers.received <= u64::from(CAPACITY / 2) {
            let end = all.min(sent + batch);
            produce(&kernel, sent..end, setup.batch)?;
            sent = end;
        }
        if answers.take(&kernel)? == 0 {
            spin_loop();
        }
    }
    let elapsed = start.elapsed();
    finish(&kernel, all, all)?;
    Ok(rate(setup.messages, elapsed))
}

/// The host sends on one thread and receives on another.
fn echo_two_threads(config: Config, setup: &Setup) -> Run {
    let kernel = launch(config.backend, kernels::echo_medium::launch, setup.options.clone())?;
    let mut answers = Answers::default();
    let all = WARM_UP + setup.messages;
    let mut start = Instant::now();
    thread::scope(|scope| -> Result<(), Failure> {
        let producer =
            scope.spawn(|| produce(&kernel, 0..all, setup.batch).map_err(|error| error.to_string()));
        while answers.received < all {
            if answers.received < WARM_UP {
                start = Instant::now();
            }
            if answers.take(&kernel)? == 0 {
                thread::yield_now();
            }
        }
        producer.join().map_err(|_| "the producer panicked")??;
        Ok(())
    })?;
    let elapsed = start.elapsed();
    finish(&kernel, all, all)?;
    Ok(rate(setup.messages, elapsed))
}
