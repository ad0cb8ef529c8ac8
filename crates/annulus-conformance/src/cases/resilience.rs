//! Attempts and breakers within handlers: E-01 and E-02. The same types serve the host.

use std::{
    thread,
    time::{Duration, Instant},
};

use annulus_runtime::{
    Ending, KernelHandle, LaunchOptions,
    resilience::{Retry, Start, Supervisor},
};

use super::timers::{MILLISECOND, NEVER};
use crate::{
    Bench,
    bench::eventually,
    kernels::{
        asks::{Query, act, teller},
        resilience::{Event, Limits, Verdict, Wanted, client, verdict},
    },
};

const ACTORS: u32 = 4;

fn options(name: &str) -> LaunchOptions {
    LaunchOptions::default().name(name).actors(ACTORS.into()).connectable(true).through(128)
}

fn two(bench: &Bench) -> (KernelHandle<client>, KernelHandle<teller>) {
    let told = teller::launch(bench.runtime(), options("told")).unwrap();
    let asks = client::launch(bench.runtime(), options("asks").active(false)).unwrap();
    asks.port(client::PRICE).connect(&told).unwrap();
    asks.activate_blocking().unwrap();
    (asks, told)
}

fn wanted(number: u32, act: u32, limit: u64, retry: Retry) -> Wanted {
    Wanted { actor: number % ACTORS, number, act, pad: 0, limit, retry }
}

fn send(kernel: &KernelHandle<client>, event: Event) {
    let _ = kernel.send_blocking(event).unwrap();
}

fn limits(kernel: &KernelHandle<client>, failures: u32, cool_down: u64) {
    (0..ACTORS).for_each(|actor| send(kernel, Event::Limits(Limits { actor, failures, cool_down })));
}

fn receive(kernel: &KernelHandle<client>) -> Verdict {
    kernel.port(client::VERDICTS).recv_blocking().unwrap()
}

/// What comes of one message.
fn told(kernel: &KernelHandle<client>, wanted: Wanted) -> (u32, u32, u32) {
    send(kernel, Event::Wanted(wanted));
    let verdict = receive(kernel);
    assert_eq!(verdict.number, wanted.number);
    (verdict.verdict, verdict.failed, verdict.cents)
}

/// E-01: three attempts, with growing pauses, if nothing comes in time; then the host hears that there were too many. A
/// refusal is not tried again, and an answer to the second attempt ends it.
pub fn e01_attempts_within_a_handler(bench: &Bench) {
    let (asks, teller) = two(bench);
    limits(&asks, u32::MAX, 0);
    teller.deactivate_blocking().unwrap();
    let begun = bench.runtime().now();
    let retry = Retry::new(3, 2 * MILLISECOND, NEVER);
    send(&asks, Event::Wanted(wanted(7, act::ANSWER, MILLISECOND, retry)));
    let verdict = receive(&asks);
    assert_eq!((verdict.number, verdict.verdict, verdict.failed), (7, verdict::MAX_RETRIES, 3));
    // Three limits and two pauses, by clocks that may differ. A coarse clock is behind when the first limit begins.
    let took = verdict.at.saturating_sub(begun);
    assert!(!bench.has_fine_clock() || took + bench.clock_error() >= 9 * MILLISECOND, "{took}");
    eventually(|| asks.status().timers.is_some_and(|timers| timers.waiting == 0));

    // The kernel answers again while the second attempt waits for its time.
    send(&asks, Event::Wanted(wanted(9, act::ANSWER, MILLISECOND, Retry::new(2, 50 * MILLISECOND, NEVER))));
    eventually(|| teller.status().pending >= 4);
    teller.activate_blocking().unwrap();
    let verdict = receive(&asks);
    // On a machine that was busy for 50 ms, the first answer came in time, or the second attempt did not.
    assert_eq!(verdict.number, 9);
    let ways = [(verdict::ANSWERED, 0), (verdict::ANSWERED, 1), (verdict::MAX_RETRIES, 2)];
    assert!(ways.contains(&(verdict.verdict, verdict.failed)), "{verdict:?}");

    let retry = Retry::new(3, 0, 0);
    assert_eq!(told(&asks, wanted(10, act::FAIL, NEVER, retry)), (verdict::FAILED, 1, 0));
    assert_eq!(told(&asks, wanted(11, act::DROP, NEVER, retry)), (verdict::FAILED, 1, 0));
    assert_eq!(told(&asks, wanted(12, act::ANSWER, NEVER, retry)), (verdict::ANSWERED, 0, 37));
}

/// E-02: failures one after the other open an actor's breaker, and only its own. A success in between counts from 0 again.
/// The open breaker asks nobody; half-open it asks once, and that decides.
pub fn e02_a_breaker_within_a_handler(bench: &Bench) {
    let (asks, teller) = two(bench);
    limits(&asks, 3, NEVER);
    let once = Retry::new(1, 0, 0);
    // Of one actor.
    let one = |number: u32, act| told(&asks, wanted(number * ACTORS, act, NEVER, once));
    let failed = (verdict::FAILED, 1, 0);
    let answered = |number: u32| (verdict::ANSWERED, 0, number * ACTORS * 3 + 1);
    for number in 0..5 {
        assert_eq!([one(number, act::FAIL), one(number, act::DROP)], [failed, failed]);
        assert_eq!(one(number, act::ANSWER), answered(number));
    }
    assert_eq!([one(6, act::FAIL), one(7, act::FAIL), one(8, act::FAIL)], [failed; 3]);
    for number in 9..20 {
        send(&asks, Event::Wanted(wanted(number * ACTORS, act::ANSWER, NEVER, once)));
        let verdict = receive(&asks);
        assert_eq!((verdict.number, verdict.verdict), (number * ACTORS, verdict::OPEN));
        assert!((1..=NEVER).contains(&verdict.allows_in));
    }
    let asked = 15 + 3;
    // Another actor's is closed.
    assert_eq!(told(&asks, wanted(1, act::ANSWER, NEVER, once)), (verdict::ANSWERED, 0, 4));
    eventually(|| teller.status().processed + teller.status().drops.failed == asked + 1);

    // Without a time to wait, the next one is the attempt of a half-open breaker.
    limits(&asks, 1, 0);
    assert_eq!([one(20, act::FAIL), one(21, act::FAIL)], [failed; 2]);
    assert_eq!([one(22, act::ANSWER), one(23, act::ANSWER)], [answered(22), answered(23)]);
}

/// E-05: a kernel that the program ends is not launched again, and one that works for long is left alone.
pub fn e05_a_supervised_kernel_that_works(bench: &Bench) {
    let runtime = bench.runtime().clone();
    let launch = move |_: Start<'_, teller>| Ok(teller::launch(&runtime, options("supervised"))?);
    let limit = Duration::from_secs(1);
    let supervised = Supervisor::new().stalled_after(limit).start(launch).unwrap();
    let kernel = supervised.kernel().unwrap();
    let begun = Instant::now();
    let mut number = 0;
    while begun.elapsed() < limit * 5 / 4 {
        let query = Query { desk: number % ACTORS, item: number, act: act::ANSWER };
        assert_eq!(kernel.call_blocking(query).unwrap().cents, number * 3 + 1);
        number += 1;
        thread::sleep(Duration::from_millis(5));
    }
    let status = supervised.status();
    assert_eq!((status.restarts, status.cause), (0, None));
    kernel.terminate_blocking();
    assert_eq!(kernel.status().ending, Some(Ending::Asked));
    eventually(|| supervised.kernel().is_err());
    assert!(supervised.shutdown_blocking(limit).undelivered.is_empty());
}
