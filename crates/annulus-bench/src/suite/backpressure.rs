//! What a send costs under each backpressure, with room and without, and what a receive costs.

use std::time::{Duration, Instant};

use annulus::{
    prelude::*,
    queue::{QueueOptions, single_consumer::mpsc},
};
use annulus_sync::spin_loop;

use super::{
    Config, Suite,
    room::Busy,
    stream::{await_processed, produce},
};
use crate::{
    harness::{Better, Candidate, Case, Failure, Goal, Mark, Run},
    kernels::{self, Held, Numbered, Small, held_sink},
    launched::{finish, launch, stayed},
};

pub(super) const SUITE: Suite = Suite {
    name: "backpressure",
    about: "what a send to a launched kernel costs under each backpressure, and what a receive costs, in nanoseconds (lower is better)",
    method: "16-byte messages with time stamps, one at a time by try_send, from one thread; a ring or a queue of 16,384. With room: half of it \
             gets full while the kernel works on one message that was sent before; or while the kernel is inactive, and asleep if it can. \
             Full: the kernel is inactive and full, and each send is refused, evicts or is discarded. At work: one thread sends without a pause to a kernel that \
             takes what it can, by send_blocking under Block; kept is the part of the messages that was processed. A receive: 4096 answers lie \
             in the outbound ring. The limit is a queue of one receiver that has the same capacity and the same messages, on one thread, with no \
             kernel and no stamps.",
    cases,
};

const CAPACITY: u32 = 16_384;
const QUEUE: &str = "limit a plain queue";
const STRATEGIES: [(&str, Backpressure); 4] = [
    ("annulus Block", Backpressure::Block),
    ("annulus Reject", Backpressure::Reject),
    ("annulus DropOldest", Backpressure::DropOldest),
    ("annulus DropNew", Backpressure::DropNew),
];

fn cases(config: Config) -> Vec<Case> {
    // A trial has one.
    let lap = u64::from(CAPACITY);
    let laps = config.size(60 * lap, 10 * lap).div_ceil(lap);
    let messages = config.size(1_000_000, 200_000);
    let all = |run: fn(Config, Backpressure, u64) -> Run, size| {
        STRATEGIES
            .map(move |(name, strategy)| Candidate::new(name, move || run(config, strategy, size)))
            .into_iter()
    };
    let limit = |run: fn(u64) -> Run, size| Candidate::new(QUEUE, move || run(size));
    let case = |name: &str, candidates, marks| Case {
        name: name.into(),
        unit: "ns",
        better: Better::Lower,
        metrics: &[""],
        limit: Some(QUEUE),
        candidates,
        marks,
    };
    // What the specification says of a send that waits is for one that has room, and an eviction may cost a microsecond more.
    let marks = |evicting| {
        STRATEGIES
            .map(|(candidate, strategy)| {
                let most = match strategy {
                    Backpressure::Block => 5000.0,
                    Backpressure::DropOldest => 3000.0 + evicting,
                    Backpressure::Reject | Backpressure::DropNew => 3000.0,
                };
                Mark { candidate, metric: "", goal: Goal::AtMost(most) }
            })
            .into()
    };
    const RECEIVES: [&str; 2] = ["annulus try_recv", "annulus try_recv_batch, 64"];
    vec![
        case(
            "a send with room",
            all(with_room, laps).chain([limit(queue_with_room, laps)]).collect(),
            marks(0.0),
        ),
        case(
            "a send with room, inactive",
            all(inactive, laps).chain([limit(queue_with_room, laps)]).collect(),
            vec![],
        ),
        case(
            "a send to a full kernel",
            all(when_full, messages).chain([limit(full_queue, messages)]).collect(),
            marks(1000.0),
        ),
        Case {
            unit: "ns or %",
            metrics: &["a send", "kept"],
            limit: None,
            ..case("sends to a kernel at work", all(at_work, messages).collect(), vec![])
        },
        case(
            "a receive",
            vec![
                Candidate::new(RECEIVES[0], move || received(config, laps, 1)),
                Candidate::new(RECEIVES[1], move || received(config, laps, 64)),
                limit(queue_received, laps),
            ],
            RECEIVES.map(|candidate| Mark { candidate, metric: "", goal: Goal::AtMost(3000.0) }).into(),
        ),
    ]
}

fn options(backpressure: Backpressure) -> LaunchOptions {
    LaunchOptions::high_throughput()
        .capacity(CAPACITY)
        .mode(ProcessingMode::Batch)
        .max_messages_per_iteration(64)
        .backpressure(backpressure)
}

type Sink = KernelHandle<held_sink>;

/// What became of a message that was sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fate {
    Accepted,
    Evicted,
    Refused,
}

fn sent(kernel: &Sink, number: u64) -> Result<Fate, Failure> {
    let message = Held::numbered(number);
    Ok(match kernel.try_send(message) {
        Ok(SendOutcome::Accepted) => Fate::Accepted,
        Ok(SendOutcome::Evicted(_)) => Fate::Evicted,
        // It comes back.
        Ok(SendOutcome::Discarded(back)) | Err(TrySendError::Full(back)) if back == message => Fate::Refused,
        other => return Err(format!("message {number}: {other:?}").into()),
    })
}

/// Ends a kernel, and makes sure that it processed so many messages, and that the others are counted.
fn ended(kernel: &Sink, sent: u64, kept: u64) -> Result<(), Failure> {
    let end = kernel.shutdown_blocking(Duration::from_secs(10));
    stayed(kernel)?;
    let status = kernel.status();
    if status.processed == kept && status.sent == kept + status.drops.total() && status.sent == sent {
        return Ok(());
    }
    Err(format!("{kept} of {sent} messages should have been processed, but: {:?}, {status:?}", end.outcome)
        .into())
}

fn with_room(config: Config, backpressure: Backpressure, laps: u64) -> Run {
    let mut busy = Busy::new(launch(config.backend, held_sink::launch, options(backpressure))?);
    let half = u64::from(CAPACITY) / 2;
    let mut elapsed = Duration::ZERO;
    // The first lap maps memory.
    for lap in 0..=laps {
        let took = busy.time(half, |kernel, message| accepted(kernel, message.number))?;
        if lap > 0 {
            elapsed += took;
        }
    }
    let (kernel, processed) = busy.into_kernel();
    finish(&kernel, processed, 0)?;
    Ok(vec![elapsed.as_nanos() as f64 / (laps * half) as f64])
}

fn accepted(kernel: &Sink, number: u64) -> Result<(), Failure> {
    match sent(kernel, number)? {
        Fate::Accepted => Ok(()),
        fate => Err(format!("message {number} was {fate:?}, though there was room").into()),
    }
}

/// As [`with_room`], to a kernel that is not active.
fn inactive(config: Config, backpressure: Backpressure, laps: u64) -> Run {
    let kernel: Sink = launch(config.backend, held_sink::launch, options(backpressure))?;
    let half = u64::from(CAPACITY) / 2;
    let mut elapsed = Duration::ZERO;
    for lap in 0..=laps {
        kernel.deactivate_blocking()?;
        let start = Instant::now();
        for number in 0..half {
            accepted(&kernel, number)?;
        }
        if lap > 0 {
            elapsed += start.elapsed();
        }
        kernel.activate_blocking()?;
        await_processed(&kernel, (lap + 1) * half);
    }
    finish(&kernel, (laps + 1) * half, 0)?;
    Ok(vec![elapsed.as_nanos() as f64 / (laps * half) as f64])
}

fn when_full(config: Config, backpressure: Backpressure, attempts: u64) -> Run {
    let kernel: Sink = launch(config.backend, held_sink::launch, options(backpressure))?;
    kernel.deactivate_blocking()?;
    let mut accepted = 0;
    let full = loop {
        match sent(&kernel, accepted)? {
            Fate::Accepted => accepted += 1,
            other => break other,
        }
    };
    let expected = if backpressure == Backpressure::DropOldest { Fate::Evicted } else { Fate::Refused };
    let start = Instant::now();
    let mut as_expected = full == expected;
    for number in 0..attempts {
        as_expected &= sent(&kernel, number)? == expected;
    }
    let nanos = start.elapsed().as_nanos() as f64 / attempts as f64;
    if !as_expected {
        return Err(format!("not every message was {expected:?}").into());
    }
    kernel.activate_blocking()?;
    ended(&kernel, accepted + 1 + attempts, accepted)?;
    Ok(vec![nanos])
}

fn at_work(config: Config, backpressure: Backpressure, messages: u64) -> Run {
    let kernel: Sink = launch(config.backend, held_sink::launch, options(backpressure))?;
    // A lap before the clock runs: memory is mapped, the kernel awake.
    let lap = u64::from(CAPACITY);
    produce(&kernel, 0..lap / 2, 64)?;
    await_processed(&kernel, lap / 2);
    let mut kept = lap / 2;
    let start = Instant::now();
    for number in 0..messages {
        let fate = if backpressure == Backpressure::Block {
            let _ = kernel.send_blocking(Held::numbered(number))?;
            Fate::Accepted
        } else {
            sent(&kernel, number)?
        };
        // An eviction loses one and keeps one.
        kept += u64::from(fate == Fate::Accepted);
    }
    let nanos = start.elapsed().as_nanos() as f64 / messages as f64;
    ended(&kernel, lap / 2 + messages, kept)?;
    Ok(vec![nanos, (kept - lap / 2) as f64 * 100.0 / messages as f64])
}

/// Answers that lie in the outbound ring.
const ANSWERS: u64 = 4096;

fn received(config: Config, laps: u64, batch: usize) -> Run {
    let options = LaunchOptions::high_throughput().capacity(4096).output_capacity(ANSWERS as u32);
    let kernel = launch(config.backend, kernels::echo_small::launch, options)?;
    let mut elapsed = Duration::ZERO;
    let mut answers = Vec::with_capacity(batch);
    for lap in 0..=laps {
        produce(&kernel, 0..ANSWERS, 64)?;
        await_processed(&kernel, (lap + 1) * ANSWERS);
        let start = Instant::now();
        let mut next = 0;
        while next < ANSWERS {
            answers.clear();
            let found = match batch {
                1 => kernel.try_recv().map(|answer| answers.push(answer)),
                _ => kernel.try_recv_batch(&mut answers, batch).map(|_| ()),
            };
            match found {
                Ok(()) => {}
                // The count came before the last answers.
                Err(TryRecvError::Empty) => spin_loop(),
                Err(closed) => return Err(closed.into()),
            }
            for answer in &answers {
                if *answer != Small::numbered(next) {
                    return Err(format!("answer {next} is {answer:?}").into());
                }
                next += 1;
            }
        }
        if lap > 0 {
            elapsed += start.elapsed();
        }
    }
    finish(&kernel, (laps + 1) * ANSWERS, (laps + 1) * ANSWERS)?;
    Ok(vec![elapsed.as_nanos() as f64 / (laps * ANSWERS) as f64])
}

/// Fills and empties a queue again and again: nanoseconds for each message that is sent, and that is received.
fn queue_laps<M: Numbered + Copy + Send>(capacity: u64, laps: u64) -> Result<[f64; 2], Failure> {
    let (mut tx, mut rx) = mpsc::<M>(QueueOptions::new().capacity(capacity as usize))?;
    let (mut filling, mut emptying) = (Duration::ZERO, Duration::ZERO);
    for lap in 0..=laps {
        let start = Instant::now();
        for number in 0..capacity {
            if !matches!(tx.try_send(M::numbered(number)), Ok(SendOutcome::Accepted)) {
                return Err("a queue with room refused a message".into());
            }
        }
        let filled = Instant::now();
        for number in 0..capacity {
            if rx.try_recv().ok() != Some(M::numbered(number)) {
                return Err("another message came out than went in".into());
            }
        }
        if lap > 0 {
            filling += filled - start;
            emptying += filled.elapsed();
        }
    }
    Ok([filling, emptying].map(|time| time.as_nanos() as f64 / (laps * capacity) as f64))
}

fn queue_with_room(laps: u64) -> Run {
    Ok(vec![queue_laps::<Held>(CAPACITY.into(), laps)?[0]])
}

fn queue_received(laps: u64) -> Run {
    Ok(vec![queue_laps::<Small>(ANSWERS, laps)?[1]])
}

fn full_queue(attempts: u64) -> Run {
    let (mut tx, _rx) = mpsc::<Held>(QueueOptions::new().capacity(CAPACITY as usize))?;
    let mut number = 0;
    while tx.try_send(Held::numbered(number)).is_ok() {
        number += 1;
    }
    let start = Instant::now();
    for number in 0..attempts {
        match tx.try_send(Held::numbered(number)) {
            Err(back) if back.into_inner() == Held::numbered(number) => {}
            _ => return Err("a full queue took a message".into()),
        }
    }
    Ok(vec![start.elapsed().as_nanos() as f64 / attempts as f64])
}
