//! Host queues: ours beside those of other crates, and beside bare cache lines.

mod batches;
mod drive;
mod kind;
mod locked;
mod memory;
mod ours;
mod overflow;
mod payload;
mod peers;
mod policies;
mod wake;

use crate::{
    harness::{Better, Candidate, Case, Goal, Mark, Run},
    limit,
    suite::{Config, Length, Suite},
};

use kind::Kind;
use payload::{Bytes8, Bytes56, Bytes248, Payload};

pub(crate) const SUITE: Suite = Suite {
    name: "queue",
    about: "host queues, beside those of other crates and bare cache lines",
    method: "Capacity 1024. Ends that can wait use their own call for it; the others are polled, once with single pauses and once \
             with the back-off that our calls use (\"+backoff\"). One lock: a VecDeque of the same capacity behind a std Mutex. Memory is what the queues say that a \
             place or a key more takes.",
    cases,
};

/// A candidate that times one kind of queue with one loop.
fn candidate<K: Kind>(run: fn(u64) -> Run, messages: u64) -> Candidate {
    Candidate::new(K::NAME, move || run(messages))
}

/// `candidates!(pair, T, messages; A, B)`: each kind with the loop, for messages of type `T`.
macro_rules! candidates {
    ($run:ident, $payload:ty, $messages:expr; $($kind:ty),+ $(,)?) => {
        vec![$(candidate::<$kind>(drive::$run::<$kind, $payload>, $messages)),+]
    };
}

fn cases(config: Config) -> Vec<Case> {
    let scale = if config.length == Length::Full { 8 } else { 1 };
    let mut cases = Vec::new();
    cases.extend([pairs::<Bytes8>(scale), pairs::<Bytes56>(scale), pairs::<Bytes248>(scale)]);
    cases.extend([streams::<Bytes8>(scale), streams::<Bytes56>(scale), streams::<Bytes248>(scale)]);
    cases.extend(batches::cases(scale));
    cases.extend([ping_pongs::<Bytes8>(scale), ping_pongs::<Bytes56>(scale), ping_pongs::<Bytes248>(scale)]);
    cases.extend([two_to_two::<Bytes8>(scale), two_to_two::<Bytes56>(scale), two_to_two::<Bytes248>(scale)]);
    cases.push(refused::<Bytes56>(scale));
    cases.extend(overflow::cases(scale));
    cases.extend(policies::cases(scale));
    cases.extend(locked::cases(scale));
    cases.extend(wake::cases(scale));
    cases.extend(memory::cases());
    cases
}

const SPSC_PEERS: &[&str] = &[
    "rtrb",
    "rtrb+backoff",
    "ringbuf",
    "ringbuf+backoff",
    "heapless spsc",
    "heapless spsc+backoff",
    "nexus-queue spsc",
    "nexus-queue spsc+backoff",
    "ringbuffer-spsc",
    "ringbuffer-spsc+backoff",
    "gil spsc",
    "gil spsc+backoff",
    "crossfire spsc",
];
const ARRAY_QUEUE: &[&str] = &["crossbeam ArrayQueue", "crossbeam ArrayQueue+backoff"];

fn mark(candidate: &'static str, times: f64, peers: &'static [&'static str]) -> Mark {
    Mark { candidate, metric: "", goal: Goal::TimesBest(times, peers) }
}

fn case(name: String, candidates: Vec<Candidate>, marks: Vec<Mark>) -> Case {
    Case { name, unit: "ns", better: Better::Lower, metrics: &[""], limit: None, candidates, marks }
}

fn pairs<T: Payload>(scale: u64) -> Case {
    let candidates = candidates!(pair, T, 200_000 * scale;
        ours::Mpmc, ours::Spsc, ours::Mpsc, ours::Spmc,
        peers::ArrayQueue, peers::CrossbeamChannel, peers::ConcurrentQueue, peers::GilMpmc, peers::CrossfireMpmc,
        peers::Kanal, peers::Flume, peers::Tokio,
        peers::Rtrb, peers::Ringbuf, peers::Heapless, peers::Nexus, peers::RingbufferSpsc, peers::GilSpsc,
        peers::CrossfireSpsc,
    );
    let name = format!("pair on one thread, {} B", size_of::<T>());
    case(
        name,
        candidates,
        vec![mark("annulus queue", 0.9, ARRAY_QUEUE), mark("annulus spsc", 1.1, SPSC_PEERS)],
    )
}

fn streams<T: Payload>(scale: u64) -> Case {
    // Shorter runs end before both threads have a core for themselves.
    let messages = 400_000 * scale.min(2);
    let mut candidates = candidates!(stream, T, messages;
        ours::Mpmc, ours::Spsc, ours::Mpsc, ours::Spmc,
        peers::ArrayQueue, peers::ArrayQueueBackOff, peers::CrossbeamChannel,
        peers::ConcurrentQueue, peers::GilMpmc, peers::GilMpmcBackOff, peers::CrossfireMpmc, peers::Kanal, peers::Flume, peers::Tokio,
        peers::Rtrb, peers::RtrbBackOff, peers::Ringbuf, peers::RingbufBackOff, peers::Heapless, peers::HeaplessBackOff,
        peers::Nexus, peers::NexusBackOff, peers::RingbufferSpsc, peers::RingbufferSpscBackOff, peers::GilSpsc, peers::GilSpscBackOff,
        peers::CrossfireSpsc,
    );
    candidates.push(Candidate::new("limit: 64-byte lines", move || {
        Ok(vec![1e3 / limit::line_stream(kind::CAPACITY as u64, messages)?[0]])
    }));
    let name = format!("stream, one to one, {} B", size_of::<T>());
    case(
        name,
        candidates,
        vec![mark("annulus queue", 0.6, ARRAY_QUEUE), mark("annulus spsc", 1.1, SPSC_PEERS)],
    )
}

fn ping_pongs<T: Payload>(scale: u64) -> Case {
    let mut candidates = candidates!(ping_pong, T, 20_000 * scale;
        ours::Mpmc, ours::Spsc, ours::Mpsc,
        peers::ArrayQueue, peers::CrossbeamChannel, peers::ConcurrentQueue, peers::GilMpmc, peers::CrossfireMpmc,
        peers::Kanal, peers::Flume, peers::Tokio,
        peers::Rtrb, peers::RtrbBackOff, peers::Ringbuf, peers::Heapless, peers::Nexus, peers::RingbufferSpsc,
        peers::GilSpsc, peers::CrossfireSpsc,
    );
    candidates.push(Candidate::new("limit: one line each way", move || {
        Ok(vec![limit::ping_pong(1000, 20_000 * scale)?[0]])
    }));
    case(format!("ping-pong, {} B", size_of::<T>()), candidates, vec![mark("annulus spsc", 0.7, &["rtrb"])])
}

fn two_to_two<T: Payload>(scale: u64) -> Case {
    let candidates = candidates!(two_to_two, T, 100_000 * scale;
        ours::Mpmc,
        peers::ArrayQueue, peers::ArrayQueueBackOff, peers::CrossbeamChannel, peers::ConcurrentQueue,
        peers::ConcurrentQueueBackOff, peers::GilMpmc, peers::GilMpmcBackOff, peers::CrossfireMpmc, peers::Kanal, peers::Flume,
    );
    Case {
        metrics: &["", "stall"],
        ..case(
            format!("two to two, {} B", size_of::<T>()),
            candidates,
            vec![mark("annulus queue", 0.6, ARRAY_QUEUE)],
        )
    }
}

fn refused<T: Payload>(scale: u64) -> Case {
    let candidates = candidates!(refused, T, 200_000 * scale;
        ours::Mpmc, ours::Spsc, ours::Mpsc,
        peers::ArrayQueue, peers::CrossbeamChannel, peers::ConcurrentQueue, peers::Rtrb, peers::Nexus,
    );
    case(format!("refused, {} B", size_of::<T>()), candidates, Vec::new())
}
