//! The loops that are timed. Each checks that what came out is what went in.

use std::{
    thread,
    time::{Duration, Instant},
};

use crate::{
    harness::Run,
    machine::{OnCore, spawn_apart},
};

use super::{
    kind::{CAPACITY, Kind, Rx, Tx},
    payload::Payload,
};

fn nanoseconds_each(start: Instant, messages: u64) -> f64 {
    start.elapsed().as_nanos() as f64 / messages as f64
}

const PANICKED: &str = "the other thread panicked";

/// One thread sends a message and receives it, again and again: nanoseconds per pair.
pub(crate) fn pair<K: Kind, T: Payload>(pairs: u64) -> Run {
    let (mut tx, mut rx) = K::make::<T>();
    let mut sum = 0u64;
    let start = Instant::now();
    for number in 0..pairs {
        if tx.push(T::new(number)).is_err() {
            return Err("an empty queue was full".into());
        }
        let Some(message) = rx.pop() else { return Err("a message got lost".into()) };
        sum = sum.wrapping_add(message.number());
    }
    let time = nanoseconds_each(start, pairs);
    if sum != numbers(pairs) {
        return Err("other messages came out than went in".into());
    }
    Ok(vec![time])
}

fn numbers(messages: u64) -> u64 {
    (0..messages).fold(0, u64::wrapping_add)
}

/// One thread sends, another receives: nanoseconds per message, and the longest time in which none came, in
/// microseconds.
pub(crate) fn stream<K: Kind, T: Payload>(messages: u64) -> Run {
    let _here = OnCore::new(0);
    let (mut tx, mut rx) = K::make::<T>();
    let sender = spawn_apart(move || {
        for number in 0..messages {
            tx.put(T::new(number), K::POLLING);
        }
        tx
    });
    let start = Instant::now();
    for number in 0..messages {
        if rx.get(K::POLLING).number() != number {
            return Err("messages came in another order".into());
        }
    }
    let time = nanoseconds_each(start, messages);
    sender.join().map_err(|_| PANICKED)?;
    Ok(vec![time])
}

/// So many threads send, one receives: nanoseconds per message. What one thread has sent comes in its order.
pub(crate) fn many_to_one<K: Kind, T: Payload>(senders: u64, messages: u64) -> Run
where
    K::Tx<T>: Clone,
{
    let (tx, mut rx) = K::make::<T>();
    let each = messages / senders;
    let start = Instant::now();
    let threads: Vec<_> = (0..senders)
        .map(|sender| {
            let mut tx = tx.clone();
            thread::spawn(move || {
                for number in sender * each..(sender + 1) * each {
                    tx.put(T::new(number), K::POLLING);
                }
                tx
            })
        })
        .collect();
    let mut next: Vec<u64> = (0..senders).map(|sender| sender * each).collect();
    for _ in 0..senders * each {
        let number = rx.get(K::POLLING).number();
        match next.get_mut((number / each) as usize) {
            Some(next) if *next == number => *next += 1,
            _ => return Err("messages of one sender came in another order".into()),
        }
    }
    let time = nanoseconds_each(start, senders * each);
    for thread in threads {
        thread.join().map_err(|_| PANICKED)?;
    }
    Ok(vec![time])
}

/// [`stream`], for queues that change the order.
pub(crate) fn unordered<K: Kind, T: Payload>(messages: u64) -> Run {
    let _here = OnCore::new(0);
    let (mut tx, mut rx) = K::make::<T>();
    let sender = spawn_apart(move || {
        for number in 0..messages {
            tx.put(T::new(number), K::POLLING);
        }
        tx
    });
    let start = Instant::now();
    let sum = (0..messages).fold(0u64, |sum, _| sum.wrapping_add(rx.get(K::POLLING).number()));
    let time = nanoseconds_each(start, messages);
    sender.join().map_err(|_| PANICKED)?;
    if sum != numbers(messages) {
        return Err("other messages came out than went in".into());
    }
    Ok(vec![time])
}

/// A message there and another back, over two queues: nanoseconds per round trip.
pub(crate) fn ping_pong<K: Kind, T: Payload>(trips: u64) -> Run {
    let _here = OnCore::new(0);
    let (mut ping, mut pinged) = K::make::<T>();
    let (mut pong, mut ponged) = K::make::<T>();
    let echo = spawn_apart(move || {
        for _ in 0..trips {
            let message = pinged.get(K::POLLING);
            pong.put(T::new(message.number()), K::POLLING);
        }
        (pong, pinged)
    });
    let start = Instant::now();
    for number in 0..trips {
        ping.put(T::new(number), K::POLLING);
        if ponged.get(K::POLLING).number() != number {
            return Err("another message came back".into());
        }
    }
    let time = nanoseconds_each(start, trips);
    echo.join().map_err(|_| PANICKED)?;
    Ok(vec![time])
}

/// Two threads send, two receive: nanoseconds per message, and the longest that any single call took, in
/// nanoseconds too.
pub(crate) fn two_to_two<K: Kind, T: Payload>(messages: u64) -> Run
where
    K::Tx<T>: Clone,
    K::Rx<T>: Clone,
{
    let (tx, rx) = K::make::<T>();
    let each = messages / 2;
    let start = Instant::now();
    let senders = [(tx.clone(), 0), (tx, each)].map(|(mut tx, first)| {
        thread::spawn(move || {
            let mut stall = Stall::new();
            for number in first..first + each {
                tx.put(T::new(number), K::POLLING);
                stall.look(number);
            }
            (stall, tx)
        })
    });
    let receivers = [rx.clone(), rx].map(|mut rx| {
        thread::spawn(move || {
            let mut stall = Stall::new();
            let mut sum = 0u64;
            for number in 0..each {
                sum = sum.wrapping_add(rx.get(K::POLLING).number());
                stall.look(number);
            }
            (stall, sum, rx)
        })
    });
    let mut longest = Duration::ZERO;
    let mut sum = 0u64;
    let mut ends = Vec::new();
    for receiver in receivers {
        let (stall, part, rx) = receiver.join().map_err(|_| PANICKED)?;
        longest = longest.max(stall.longest);
        sum = sum.wrapping_add(part);
        ends.push(rx);
    }
    let time = nanoseconds_each(start, 2 * each);
    for sender in senders {
        longest = longest.max(sender.join().map_err(|_| PANICKED)?.0.longest);
    }
    if sum != numbers(2 * each) {
        return Err("other messages came out than went in".into());
    }
    Ok(vec![time, longest.as_nanos() as f64])
}

/// The longest time between two looks at the clock, which are 64 messages apart so that the clock costs
/// little.
struct Stall {
    last: Instant,
    longest: Duration,
}

impl Stall {
    fn new() -> Self {
        Self { last: Instant::now(), longest: Duration::ZERO }
    }

    #[inline]
    fn look(&mut self, number: u64) {
        if number.is_multiple_of(64) {
            let now = Instant::now();
            self.longest = self.longest.max(now - self.last);
            self.last = now;
        }
    }
}

/// Sends to a full queue that refuses: nanoseconds per attempt.
pub(crate) fn refused<K: Kind, T: Payload>(attempts: u64) -> Run {
    let (mut tx, rx) = K::make::<T>();
    let mut sent = 0;
    while tx.push(T::new(sent)).is_ok() {
        sent += 1;
    }
    if sent < CAPACITY as u64 {
        return Err("full too early".into());
    }
    let start = Instant::now();
    for number in 0..attempts {
        match tx.push(T::new(number)) {
            Err(back) if back.number() == number => {}
            _ => return Err("a full queue took a message".into()),
        }
    }
    let time = nanoseconds_each(start, attempts);
    drop(rx);
    Ok(vec![time])
}
