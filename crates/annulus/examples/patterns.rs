//! Six patterns of message systems, one function each: a paced producer, requests that come back in any order, scatter and
//! gather, checkpoints, a cache that forgets what was not used for longest, a coordinator of workers.
//!
//! `cargo run -p annulus --example patterns -- [cpu|opencl]`

mod common;

use std::{
    thread,
    time::{Duration, Instant},
};

use annulus::{block_on, prelude::*};

use common::Outcome;

fn main() -> std::process::ExitCode {
    common::run(|runtime| {
        paced(runtime)?;
        replies(runtime)?;
        scattered(runtime)?;
        checkpoints(runtime)?;
        cached(runtime)?;
        coordinated(runtime)
    })
}

// A producer that sends a reading each 10 ms, and how long each was under way.

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Taken {
    at: u64,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Age {
    nanos: u64,
}

#[ring_kernel]
fn age(cx: &Cx, taken: &Taken, ages: &Outbox<Age>) {
    ages.send(Age { nanos: cx.now().saturating_sub(taken.at) });
}

fn paced(runtime: &Runtime) -> Outcome {
    const PACE: Duration = Duration::from_millis(10);
    let kernel = age::launch(runtime, LaunchOptions::low_latency())?;
    let begun = Instant::now();
    for number in 0..10 {
        // Until its time has come, and not for a pause after each: so lateness does not add up.
        thread::sleep((begun + PACE * number).saturating_duration_since(Instant::now()));
        let _ = kernel.send_blocking(Taken { at: runtime.now() })?;
    }
    let took = begun.elapsed();
    let ages = (0..10).map(|_| kernel.recv_blocking()).collect::<Result<Vec<_>, _>>()?;
    // By the clocks of host and device, none is older than the whole; a second is more than these differ by.
    let within = ages.iter().all(|age| age.nanos < begun.elapsed().as_nanos() as u64 + 1_000_000_000);
    println!("paced: {} readings, none sooner than its time: {}", ages.len(), took >= PACE * 9 && within);
    Ok(())
}

// Requests that wait together. Each future has the reply to its own request.

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Ask {
    #[ring(key)]
    account: u32,
    number: u32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Answer {
    square: u32,
}

#[ring_kernel]
fn squares(ask: &Ask, asked: &mut u32, answers: &Outbox<Answer>) {
    *asked += 1;
    answers.send(Answer { square: ask.number * ask.number });
}

fn replies(runtime: &Runtime) -> Outcome {
    let kernel = squares::launch(runtime, LaunchOptions::production().actors(4).grid(2))?;
    let mut calls: Vec<_> =
        (0..8).map(|number| (number, Box::pin(kernel.call(Ask { account: number % 4, number })))).collect();
    let mut own = 0;
    // The last one first: the order in which a program looks at replies is its own.
    while let Some((number, call)) = calls.pop() {
        own += u32::from(block_on(call)?.square == number * number);
    }
    println!("replies: {own} of 8 requests got their own");
    Ok(())
}

// A job is split, its parts are worked on, and what comes of them is gathered.

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Job {
    number: u32,
    parts: u32,
}

/// A part to work on. It has no key: whichever block has time takes it.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Piece {
    job: u32,
    of: u32,
    value: u32,
}

/// What came of a part. The key brings those of a job together.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Part {
    #[ring(key)]
    job: u32,
    /// How many the job has; 0 if it is given up.
    of: u32,
    value: u32,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Total {
    job: u32,
    sum: u32,
}

#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Gathered {
    parts: u32,
    sum: u32,
}

#[ring_kernel(mode = Batch, max_outputs = 16)]
fn split(job: &Job, pieces: &Outbox<Piece>) {
    for value in 1..=job.parts {
        pieces.send(Piece { job: job.number, of: job.parts, value });
    }
}

/// What a part fails with.
const UNLUCKY: Failure = Failure::of(1);

#[ring_kernel(mode = Batch)]
fn work(piece: &Piece, done: &Outbox<Part>) -> Result<(), Failure> {
    if piece.value == 13 {
        return Err(UNLUCKY);
    }
    done.send(Part { job: piece.job, of: piece.of, value: piece.value * 10 });
    Ok(())
}

#[ring_kernel(mode = Batch)]
fn gather(part: &Part, gathered: &mut Gathered, totals: &Outbox<Total>) {
    if part.of == 0 {
        *gathered = Gathered::default();
        return;
    }
    gathered.parts += 1;
    gathered.sum += part.value;
    if gathered.parts == part.of {
        totals.send(Total { job: part.job, sum: gathered.sum });
        *gathered = Gathered::default();
    }
}

fn scattered(runtime: &Runtime) -> Outcome {
    let target = LaunchOptions::production().connectable(true);
    let gather = gather::launch(runtime, target.clone().actors(4))?;
    let work = work::launch_into(&gather, target.grid(2))?;
    let split = split::launch_into(&work, LaunchOptions::production())?;
    // The last job has a part 13, which fails.
    for (number, parts) in [(0, 4), (1, 1), (2, 12), (3, 16)] {
        let _ = split.send_blocking(Job { number, parts })?;
    }
    gather.drained_blocking();
    let mut totals: Vec<Total> = std::iter::from_fn(|| gather.try_recv().ok()).collect();
    totals.sort_by_key(|total| total.job);
    for Total { job, sum } in totals {
        println!("scattered: job {job} comes to {sum}");
    }
    // Nobody waits longer than this for a job that cannot be finished.
    let late = gather.recv_timeout(Duration::from_millis(50)).is_err();
    if late {
        // What has come of it is forgotten, so that its number can be used again.
        let _ = gather.send_blocking(Part { job: 3, of: 0, value: 0 })?;
    }
    println!(
        "scattered: job 3 has a total in time: {}; its failed parts: {}",
        !late,
        work.status().drops.failed
    );
    Ok(())
}

// A kernel that tells its state at each 10,000th message goes on from there after a crash.

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Event {
    value: u64,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Checkpoint {
    sum: Sum,
}

#[derive(DeviceType, Clone, Copy, Default, Debug, PartialEq)]
#[repr(C)]
struct Sum {
    messages: u64,
    sum: u64,
}

#[ring_kernel(mode = Batch)]
fn add(event: &Event, sum: &mut Sum, checkpoints: &Outbox<Checkpoint>) {
    sum.messages += 1;
    sum.sum += event.value;
    if sum.messages.is_multiple_of(10_000) {
        checkpoints.send(Checkpoint { sum: *sum });
    }
}

fn checkpoints(runtime: &Runtime) -> Outcome {
    let events: Vec<Event> = (0..25_000).map(|value| Event { value }).collect();
    let kernel = add::launch(runtime, LaunchOptions::production())?;
    kernel.send_batch_blocking(&events)?;
    kernel.drained_blocking();
    let last = std::iter::from_fn(|| kernel.try_recv().ok()).last().expect("there are two").sum;
    // As if the process had ended here: what came after the checkpoint is lost, and sent again.
    kernel.terminate_blocking();
    let kernel = add::launch(runtime, LaunchOptions::production().active(false))?;
    let mut snapshot = kernel.snapshot_blocking()?;
    snapshot.set_states(&[last])?;
    kernel.restore_blocking(&snapshot)?;
    kernel.activate_blocking()?;
    kernel.send_batch_blocking(&events[last.messages as usize..])?;
    kernel.drained_blocking();
    while kernel.try_recv().is_ok() {} // The checkpoints of the second run: this program needs none of them.
    kernel.deactivate_blocking()?;
    let sum = kernel.snapshot_blocking()?.states::<Sum>()?[0];
    println!(
        "checkpoints: went on after {}, and has {} messages, {} in sum",
        last.messages, sum.messages, sum.sum
    );
    Ok(())
}

// A cache of 1000 entries. What is read or written is used; a new key takes the place of what was not used for longest.

const ENTRIES: usize = 1000;

#[derive(RingMessage, Clone, Copy)]
#[repr(u32)]
enum Request {
    Put { key: u32, value: u32 },
    Get { key: u32 },
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Found {
    is_there: bool,
    value: u32,
}

#[derive(DeviceType, Clone, Copy)]
#[repr(C)]
struct Cache {
    /// Counts uses; an entry that was never used has 0.
    now: u32,
    keys: [u32; ENTRIES],
    values: [u32; ENTRIES],
    used: [u32; ENTRIES],
}

impl Default for Cache {
    fn default() -> Self {
        Self { now: 0, keys: [0; ENTRIES], values: [0; ENTRIES], used: [0; ENTRIES] }
    }
}

#[device_impl]
impl Cache {
    fn place_of(&self, key: u32) -> Option<usize> {
        (0..ENTRIES).find(|&place| self.used[place] != 0 && self.keys[place] == key)
    }

    fn oldest(&self) -> usize {
        let mut oldest = 0;
        for place in 1..ENTRIES {
            if self.used[place] < self.used[oldest] {
                oldest = place;
            }
        }
        oldest
    }
}

#[ring_kernel(mode = Batch)]
fn cache(request: &Request, cache: &mut Cache, found: &Outbox<Found>) {
    cache.now += 1;
    match *request {
        Request::Put { key, value } => {
            let place = match cache.place_of(key) {
                Some(place) => place,
                None => cache.oldest(),
            };
            cache.keys[place] = key;
            cache.values[place] = value;
            cache.used[place] = cache.now;
        }
        Request::Get { key } => match cache.place_of(key) {
            Some(place) => {
                cache.used[place] = cache.now;
                found.send(Found { is_there: true, value: cache.values[place] });
            }
            None => found.send(Found { is_there: false, value: 0 }),
        },
    }
}

fn cached(runtime: &Runtime) -> Outcome {
    let kernel = cache::launch(runtime, LaunchOptions::production())?;
    let put = |key| kernel.send_blocking(Request::Put { key, value: key * 2 });
    for key in 0..ENTRIES as u32 {
        let _ = put(key)?;
    }
    let get = |key| kernel.call_blocking(Request::Get { key });
    // 0 is used, 1 is written again: both stay, and 2 goes when a new key comes.
    let _ = get(0)?;
    let _ = put(1)?;
    let _ = put(5000)?;
    let there =
        [0, 1, 2, 3, 5000].map(|key| get(key).is_ok_and(|found| found.is_there && found.value == key * 2));
    println!("cached: 0, 1, 2, 3 and 5000 are there: {there:?}");
    Ok(())
}

// A coordinator registers workers, gives them tasks, and counts what they complete. Workers tell it that they live. The task of
// one that falls silent goes to another.

#[derive(RingMessage, Clone, Copy)]
#[repr(u32)]
enum Says {
    Register {
        worker: u32,
    },
    Ready {
        worker: u32,
    },
    Complete {
        worker: u32,
    },
    Heartbeat {
        worker: u32,
    },
    /// Nobody sends it: it comes by itself.
    #[ring(tick)]
    Look,
}

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(u32)]
enum Told {
    Known { workers: u32 },
    Task { number: u32 },
    Idle { left: u32 },
    Completed,
    Alive,
    Silent { worker: u32 },
}

#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Office {
    workers: u32,
    next: u32,
    completed: u32,
    /// Tasks whose workers have fallen silent, a bit for each.
    open: u32,
    /// What each worker does: the task's number and one, or 0.
    does: [u32; 8],
    /// When it was heard last.
    heard: [u64; 8],
}

/// A worker that is not registered, or not the next one, or has no task.
const STRANGER: Failure = Failure::of(2);
const TASKS: u32 = 5;
/// So long may a worker be silent, in nanoseconds.
const SILENCE: u64 = 250_000_000;

#[ring_kernel(on_tick = "20 ms")]
fn coordinate(cx: &Cx, says: &Says, office: &mut Office, told: &Outbox<Told>) -> Result<(), Failure> {
    match *says {
        Says::Register { worker } => {
            if worker != office.workers {
                return Err(STRANGER);
            }
            office.workers += 1;
            told.send(Told::Known { workers: office.workers });
        }
        Says::Ready { worker } => {
            if worker >= office.workers {
                return Err(STRANGER);
            }
            let mut number = office.next;
            if office.open != 0 {
                number = office.open.trailing_zeros();
                office.open &= office.open - 1;
            } else if office.next == TASKS {
                told.send(Told::Idle { left: TASKS - office.completed });
                return Ok(());
            } else {
                office.next += 1;
            }
            office.does[worker as usize] = number + 1;
            office.heard[worker as usize] = cx.now();
            told.send(Told::Task { number });
        }
        Says::Complete { worker } => {
            if office.does[worker as usize] == 0 {
                return Err(STRANGER);
            }
            office.does[worker as usize] = 0;
            office.completed += 1;
            told.send(Told::Completed);
        }
        Says::Heartbeat { worker } => {
            office.heard[worker as usize] = cx.now();
            told.send(Told::Alive);
        }
        Says::Look => {
            for worker in 0..office.workers {
                let does = office.does[worker as usize];
                if does != 0 && cx.now() - office.heard[worker as usize] > SILENCE {
                    office.open |= 1 << (does - 1);
                    office.does[worker as usize] = 0;
                    told.send(Told::Silent { worker });
                    return Ok(());
                }
            }
        }
    }
    Ok(())
}

fn coordinated(runtime: &Runtime) -> Outcome {
    let office = coordinate::launch(runtime, LaunchOptions::low_latency().backpressure(Backpressure::Block))?;
    let ask = |says| office.call_blocking(says);
    for worker in 0..3 {
        assert_eq!(ask(Says::Register { worker })?, Told::Known { workers: worker + 1 });
    }
    assert!(ask(Says::Ready { worker: 3 }).is_err(), "nobody knows it");
    // The third takes a task, and nothing is heard of it any more.
    let taken = ask(Says::Ready { worker: 2 })?;
    // The others are threads that ask until nothing is left to do.
    let done = thread::scope(|scope| {
        let workers: Vec<_> = (0..2)
            .map(|worker| {
                scope.spawn(move || {
                    let mut done = 0;
                    loop {
                        match ask(Says::Ready { worker }) {
                            Ok(Told::Task { .. }) => {
                                let _ = ask(Says::Heartbeat { worker });
                                done += u32::from(ask(Says::Complete { worker }).is_ok());
                            }
                            Ok(Told::Idle { left: 1.. }) => thread::sleep(Duration::from_millis(10)),
                            _ => return done,
                        }
                    }
                })
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().unwrap_or(0)).sum::<u32>()
    });
    assert_eq!(taken, Told::Task { number: 0 });
    let mut silent = std::iter::from_fn(|| office.try_recv().ok());
    let is_told = silent.any(|told| told == Told::Silent { worker: 2 });
    println!("coordinated: two workers did {done} of {TASKS} tasks; one of a silent worker: {is_told}");
    println!("{}", office.status());
    Ok(())
}
