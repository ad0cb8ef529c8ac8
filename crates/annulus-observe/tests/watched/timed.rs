//! Messages of a kernel to itself are seen from outside, and asks whose answers have not come.

use annulus::prelude::*;
use annulus_observe::Observer;

use crate::{Job, Watched, autopsies, kernel, ready};

/// An hour, in nanoseconds.
const LONG: u64 = 3_600_000_000_000;

/// Sends to itself: for now if `what` is 1, and for much later if it is 2.
#[ring_kernel(untested, timers = 8)]
fn postpone(job: &Job, later: &Later<Job>) {
    if job.what == 1 {
        later.send_after(Job { key: job.key, what: 0 }, 0);
    }
    if job.what == 2 {
        later.send_after(Job { key: job.key, what: 0 }, LONG);
    }
}

/// What comes of an ask.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Priced {
    #[ring(key)]
    key: u64,
    price: Answer<Job>,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(u32)]
enum Event {
    #[ring(from)]
    Job(Job),
    #[ring(from)]
    Priced(Priced),
}

/// Asks for each job.
#[ring_kernel(untested, timers = 8, actors = 4)]
fn asks(event: &Event, out: &Outbox<Job>, price: &Ask<Job, Priced>) {
    match event {
        Event::Job(job) => {
            let awaited = Priced { key: job.key, price: Answer { ended: 0, code: 0, value: *job } };
            price.send(*job, awaited, LONG);
        }
        Event::Priced(priced) => out.send(priced.price.value),
    }
}

/// Answers with the question.
#[ring_kernel(untested, actors = 4)]
fn answers(job: &Job, out: &Outbox<Job>) {
    out.send(*job);
}

/// A process whose kernel has taken three timers, and waits for two.
pub(crate) fn child() {
    let runtime = Runtime::builder().backend(annulus::Cpu::new().workers(2)).build().unwrap();
    let kernel = postpone::launch(&runtime, LaunchOptions::default().name("postpone")).unwrap();
    for what in [1, 1, 2, 0, 2, 1] {
        let _ = kernel.send_blocking(Job { key: 3, what }).unwrap();
    }
    while kernel.status().timers.unwrap().taken != 3 {
        std::thread::yield_now();
    }
    kernel.drained_blocking();
    // Three asks, and nobody answers: the kernel that is asked is inactive.
    let options = LaunchOptions::production().actors(4).through(8);
    let answers = answers::launch(&runtime, options.clone().active(false)).unwrap();
    let asks = asks::bind().connect_port(asks::PRICE, &answers).launch(&runtime, options).unwrap();
    asks.send_batch_blocking(&[1, 2, 3].map(|key| Event::Job(Job { key, what: 0 }))).unwrap();
    while asks.status().timers.unwrap().asks != 3 {
        std::thread::yield_now();
    }
    for observer in [Observer::of(&runtime), Observer::of_machine(Some(std::process::id())).build()] {
        let text = observer.prometheus();
        let value = |name: &str, kernel: &str| {
            let of_it = format!("kernel=\"{kernel}\"");
            let line =
                text.lines().find(|line| line.starts_with(&format!("{name}{{")) && line.contains(&of_it));
            line.and_then(|line| line.split(' ').next_back()).map(str::to_owned)
        };
        assert_eq!(value("annulus_timers_taken_total", "postpone").as_deref(), Some("3"), "{text}");
        assert_eq!(value("annulus_timers_waiting", "postpone").as_deref(), Some("2"), "{text}");
        assert_eq!(value("annulus_asks_open", "asks").as_deref(), Some("3"), "{text}");
    }
    ready();
}

/// P-07 from outside: how many were taken, how many wait, and how many were lost with their process.
#[test]
fn p_07_timers_are_seen() {
    let mut watched = Watched::start("timed");
    let process = watched.look();
    let timers = kernel(&process, "postpone").shards[0].timers;
    assert_eq!((timers.taken, timers.waiting), (3, 2));
    // What waits for an answer is among the timers.
    let timers = kernel(&process, "asks").shards[0].timers;
    assert_eq!((timers.asks, timers.waiting), (3, 3));
    watched.child.kill().unwrap();
    watched.child.wait().unwrap();
    let text = autopsies(&watched.folder);
    assert!(text.contains("`postpone`: 9 handled, 2 timers set\n"), "{text}");
    assert!(text.contains(", 3 timers set, 3 asks open\n"), "{text}");
}
