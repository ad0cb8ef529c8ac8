//! Queues that are full and go on: what leaves is handed back, or overwritten.

use std::{sync::Arc, thread, time::Instant};

use annulus_queue::{
    Backpressure, QueueOptions, SendOutcome, Sender, lossy, queue,
    spmc::{self, spmc},
};
use annulus_sync::{AtomicBool, Ordering};

use crate::harness::{Candidate, Case, Run};

use super::{
    case,
    kind::CAPACITY,
    mark,
    payload::{Bytes8, Bytes56, Bytes248, Payload},
};

pub(super) fn cases(scale: u64) -> Vec<Case> {
    vec![
        alone::<Bytes8>(scale),
        alone::<Bytes56>(scale),
        alone::<Bytes248>(scale),
        beside_a_receiver::<Bytes56>(scale),
    ]
}

const OURS: &str = "annulus queue, DropOldest";
const FORCE_PUSH: &str = "ArrayQueue::force_push";
const LOSSY: &str = "annulus lossy ring";

/// Sends a message to a full queue and hands back what left.
trait Evicts<T> {
    fn evict(&mut self, message: T) -> Option<T>;
}

impl<T: Payload> Evicts<T> for Sender<T> {
    #[inline]
    fn evict(&mut self, message: T) -> Option<T> {
        match self.try_send(message) {
            Ok(SendOutcome::Evicted(oldest)) => Some(oldest),
            _ => None,
        }
    }
}

impl<T: Payload> Evicts<T> for spmc::Sender<T> {
    #[inline]
    fn evict(&mut self, message: T) -> Option<T> {
        match self.try_send(message) {
            Ok(SendOutcome::Evicted(oldest)) => Some(oldest),
            _ => None,
        }
    }
}

impl<T: Payload> Evicts<T> for &crossbeam_queue::ArrayQueue<T> {
    #[inline]
    fn evict(&mut self, message: T) -> Option<T> {
        self.force_push(message)
    }
}

fn options() -> QueueOptions {
    QueueOptions::new().capacity(CAPACITY).backpressure(Backpressure::DropOldest)
}

/// Nanoseconds per message that evicts another; each must hand back the one that was sent a lap before.
fn evicting<T: Payload>(mut queue: impl Evicts<T>, messages: u64) -> Run {
    for number in 0..CAPACITY as u64 {
        if queue.evict(T::new(number)).is_some() {
            return Err("full too early".into());
        }
    }
    let start = Instant::now();
    for number in 0..messages {
        if queue.evict(T::new(number + CAPACITY as u64)).is_none_or(|oldest| oldest.number() != number) {
            return Err("another message than the oldest left".into());
        }
    }
    Ok(vec![start.elapsed().as_nanos() as f64 / messages as f64])
}

/// Nanoseconds per message that is written over another.
fn overwriting<T: Payload>(messages: u64) -> Run {
    let (mut tx, mut rx) = lossy::ring::<T>(CAPACITY)?;
    (0..CAPACITY as u64).for_each(|number| tx.send(T::new(number)));
    let start = Instant::now();
    for number in 0..messages {
        tx.send(T::new(number + CAPACITY as u64));
    }
    let time = start.elapsed().as_nanos() as f64 / messages as f64;
    match rx.try_recv() {
        Ok(oldest) if oldest.number() == messages && rx.lost() == messages => Ok(vec![time]),
        _ => Err("the ring does not hold the newest messages".into()),
    }
}

fn alone<T: Payload>(scale: u64) -> Case {
    let messages = 200_000 * scale;
    let candidates = vec![
        Candidate::new(OURS, move || {
            let (tx, _rx) = queue::<T>(options())?;
            evicting(tx, messages)
        }),
        Candidate::new("annulus spmc, DropOldest", move || {
            let (tx, _rx) = spmc::<T>(options())?;
            evicting(tx, messages)
        }),
        Candidate::new(LOSSY, move || overwriting::<T>(messages)),
        Candidate::new(FORCE_PUSH, move || {
            evicting::<T>(&crossbeam_queue::ArrayQueue::new(CAPACITY), messages)
        }),
    ];
    let marks = vec![mark(OURS, 0.8, &[FORCE_PUSH]), mark(LOSSY, 0.3, &[FORCE_PUSH])];
    case(format!("overflow, {} B", size_of::<T>()), candidates, marks)
}

/// Nanoseconds per message that is sent while another thread receives what it can; each must come out once,
/// or go missing in the lossy ring, which counts that.
fn contended<T: Payload>(
    messages: u64,
    mut send: impl FnMut(T) -> u64,
    mut receive: impl FnMut() -> Option<T> + Send,
    lost: impl FnOnce() -> Option<u64>,
) -> Run {
    let done = Arc::new(AtomicBool::new(false));
    let (time, evicted, received) = thread::scope(|scope| {
        let receiver = scope.spawn({
            let done = Arc::clone(&done);
            move || {
                let mut received = 0;
                loop {
                    let over = done.load(Ordering::Acquire);
                    match receive() {
                        Some(message) if message.number() == u64::MAX => return Err("torn"),
                        Some(_) => received += 1,
                        None if over => return Ok(received),
                        None => std::hint::spin_loop(),
                    }
                }
            }
        });
        let start = Instant::now();
        let evicted: u64 = (0..messages).map(|number| send(T::new(number))).sum();
        let time = start.elapsed().as_nanos() as f64 / messages as f64;
        done.store(true, Ordering::Release);
        (time, evicted, receiver.join())
    });
    let received = received.map_err(|_| "the receiving thread panicked")??;
    if evicted + received > messages || lost().is_none_or(|lost| evicted + received + lost != messages) {
        return Err("messages went missing".into());
    }
    Ok(vec![time])
}

fn beside_a_receiver<T: Payload>(scale: u64) -> Case {
    let messages = 200_000 * scale;
    let candidates = vec![
        Candidate::new(OURS, move || {
            let (mut tx, rx) = queue::<T>(options())?;
            contended(messages, |m| u64::from(tx.evict(m).is_some()), || rx.try_recv().ok(), || Some(0))
        }),
        Candidate::new("annulus spmc, DropOldest", move || {
            let (mut tx, rx) = spmc::<T>(options())?;
            contended(messages, |m| u64::from(tx.evict(m).is_some()), || rx.try_recv().ok(), || Some(0))
        }),
        Candidate::new(LOSSY, move || {
            let (mut tx, mut rx) = lossy::ring::<T>(CAPACITY)?;
            let lost = std::sync::Mutex::new(0);
            let receive = || {
                let message = rx.try_recv().ok();
                *lost.lock().expect("nobody panics with it") = rx.lost();
                message
            };
            contended(
                messages,
                |message| {
                    tx.send(message);
                    0
                },
                receive,
                || lost.lock().ok().map(|lost| *lost),
            )
        }),
        Candidate::new(FORCE_PUSH, move || {
            let queue = crossbeam_queue::ArrayQueue::<T>::new(CAPACITY);
            let mut tx = &queue;
            contended(messages, |m| u64::from(tx.evict(m).is_some()), || queue.pop(), || Some(0))
        }),
    ];
    case(format!("overflow beside a receiver, {} B", size_of::<T>()), candidates, Vec::new())
}
