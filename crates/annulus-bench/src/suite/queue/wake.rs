//! How long a receiver takes to notice a message, asleep or still looking.

use std::{
    hint::spin_loop,
    thread,
    time::{Duration, Instant},
};

use annulus_queue::{MessageQueue, QueueOptions};
use annulus_sync::wait::WaitStrategy;

use crate::{
    clock::{between, percentiles, read_cost},
    harness::{Better, Candidate, Case, Run},
};

use super::{
    kind::{CAPACITY, Kind, Rx, Tx},
    ours,
    payload::Words,
    peers,
};

/// The moment at which it was sent, in nanoseconds since the run began.
type Stamp = Words<1>;

pub(super) fn cases(scale: u64) -> Vec<Case> {
    vec![
        // Longer than any of them looks busily.
        wake("wake-up of a receiver that sleeps", Duration::from_micros(300), 40 * scale),
        // Shorter.
        wake("notice of a receiver that looks", Duration::from_micros(2), 2000 * scale),
    ]
}

fn wake(name: &str, gap: Duration, samples: u64) -> Case {
    fn of<K: Kind>(gap: Duration, samples: u64) -> Candidate {
        Candidate::new(K::NAME, move || {
            let (tx, rx) = K::make::<Stamp>();
            latencies(tx, rx, K::POLLING, gap, samples)
        })
    }
    fn with(name: &'static str, wait: WaitStrategy, gap: Duration, samples: u64) -> Candidate {
        Candidate::new(name, move || {
            let queue = MessageQueue::<Stamp>::new(QueueOptions::new().capacity(CAPACITY).wait(wait))?;
            latencies(queue.clone(), queue, super::kind::Polling::Spin, gap, samples)
        })
    }
    let candidates = vec![
        with("annulus, Spin", WaitStrategy::Spin, gap, samples),
        with("annulus, SpinThenPark", WaitStrategy::default(), gap, samples),
        with("annulus, Park", WaitStrategy::Park, gap, samples),
        of::<ours::Spsc>(gap, samples),
        of::<ours::Mpsc>(gap, samples),
        of::<peers::CrossbeamChannel>(gap, samples),
        of::<peers::Flume>(gap, samples),
        of::<peers::Kanal>(gap, samples),
        of::<peers::Tokio>(gap, samples),
    ];
    Case {
        name: name.to_owned(),
        unit: "ns",
        better: Better::Lower,
        metrics: &["p50", "p99"],
        limit: None,
        candidates,
        marks: Vec::new(),
    }
}

/// Sends a message, waits for that long, and again; from just before each send until the receiver has it.
fn latencies(
    mut tx: impl Tx<Stamp>,
    mut rx: impl Rx<Stamp>,
    polling: super::kind::Polling,
    gap: Duration,
    samples: u64,
) -> Run {
    use super::payload::Payload;
    let origin = Instant::now();
    let cost = read_cost();
    let receiver = thread::spawn(move || {
        (0..samples)
            .map(|_| {
                let sent = rx.get(polling).number();
                between(origin + Duration::from_nanos(sent), Instant::now(), cost)
            })
            .collect::<Vec<_>>()
    });
    for _ in 0..samples {
        // Busily, as sleeping would put this core to sleep.
        let start = Instant::now();
        while start.elapsed() < gap {
            spin_loop();
        }
        tx.put(Stamp::new(origin.elapsed().as_nanos() as u64), polling);
    }
    let times = percentiles(receiver.join().map_err(|_| "the receiving thread panicked")?);
    Ok(vec![times[0], times[2]])
}
