//! tight_poll: A-02.

use std::{
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use annulus::{Telemetry, prelude::*};

use super::common::*;

const OFTEN: Duration = Duration::from_micros(20);
const SELDOM: Duration = Duration::from_millis(10);

fn forever(telemetry: &Telemetry) {
    loop {
        println!("{}", telemetry.poll()); //~ tight_poll
    }
}

fn until(kernel: &KernelHandle<total>) {
    let telemetry = kernel.enable_telemetry().unwrap();
    while telemetry.poll().messages_processed < 100 {} //~ tight_poll
    while telemetry.poll().messages_processed < 200 {
        //~^ tight_poll
        std::hint::spin_loop();
    }
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(1) {
        let snapshot = telemetry.poll(); //~ tight_poll
        if snapshot.messages_processed == 300 {
            break;
        }
        thread::yield_now();
    }
}

/// The body comes before the condition, as in a do-while.
fn body_first(telemetry: Arc<Telemetry>) {
    let watched = Arc::clone(&telemetry);
    loop {
        let snapshot = watched.poll(); //~ tight_poll
        if snapshot.messages_processed > 7 {
            break;
        }
    }
}

fn too_often(telemetry: &Telemetry) {
    loop {
        telemetry.poll(); //~ tight_poll
        thread::sleep(Duration::from_micros(50));
    }
}

fn too_often_by_a_constant(telemetry: &Telemetry) {
    loop {
        telemetry.poll(); //~ tight_poll
        thread::sleep(OFTEN * 2);
    }
}

fn too_often_by_a_variable(telemetry: &Telemetry) {
    let pause = Duration::from_nanos(99_999);
    loop {
        telemetry.poll(); //~ tight_poll
        thread::park_timeout(pause);
    }
}

async fn in_a_future(telemetry: Telemetry) {
    loop {
        println!("{}", telemetry.poll()); //~ tight_poll
    }
}

fn of_many(all: &[Telemetry]) {
    loop {
        for telemetry in all {
            println!("{}", telemetry.poll()); //~ tight_poll
        }
    }
}

fn endless_for(telemetry: &Telemetry) {
    for round in 0.. {
        println!("{round}: {}", telemetry.poll()); //~ tight_poll
    }
}

struct Watch {
    telemetry: Telemetry,
    every: Duration,
}

impl Watch {
    fn of_a_field(&self) {
        loop {
            println!("{}", self.telemetry.poll()); //~ tight_poll
        }
    }

    /// How long is not known here.
    fn paced(&self) {
        loop {
            println!("{}", self.telemetry.poll());
            thread::sleep(self.every);
        }
    }
}

fn in_a_thread(kernel: KernelHandle<total>) {
    let telemetry = kernel.enable_telemetry().unwrap();
    thread::spawn(move || {
        loop {
            println!("{}", telemetry.poll()); //~ tight_poll
        }
    });
}

// Near misses.

fn at_the_limit(telemetry: &Telemetry) {
    loop {
        telemetry.poll();
        thread::sleep(Duration::from_micros(100));
    }
}

fn at_a_constant(telemetry: &Telemetry) {
    while telemetry.poll().messages_processed < 7 {
        thread::sleep(SELDOM);
    }
}

fn in_two_parts(telemetry: &Telemetry) {
    loop {
        thread::sleep(Duration::from_micros(60));
        telemetry.poll();
        thread::sleep(Duration::from_micros(60));
    }
}

/// The wait is in the condition.
fn while_messages_come(kernel: &KernelHandle<double>, telemetry: &Telemetry) {
    while let Ok(number) = kernel.recv_timeout(Duration::from_secs(1)) {
        println!("{} {}", number.value, telemetry.poll());
    }
}

/// The wait is in another function.
fn waits_elsewhere(telemetry: &Telemetry) {
    loop {
        println!("{}", telemetry.poll());
        rest();
    }
}

fn rest() {
    rest_more();
}

fn rest_more() {
    thread::sleep(SELDOM);
}

async fn paced_by_others(kernel: &KernelHandle<double>, telemetry: &Telemetry) {
    while let Ok(number) = kernel.recv().await {
        println!("{} {}", number.value, telemetry.poll());
    }
}

fn a_few_times(telemetry: &Telemetry) {
    for _ in 0..10 {
        println!("{}", telemetry.poll());
    }
}

fn paced_outside(all: &[Telemetry]) {
    loop {
        for telemetry in all {
            println!("{}", telemetry.poll());
        }
        thread::sleep(SELDOM);
    }
}

/// Called by somebody who decides how often.
fn handed_out(telemetry: &Telemetry) -> Vec<Box<dyn Fn() -> u64 + '_>> {
    let mut all: Vec<Box<dyn Fn() -> u64 + '_>> = Vec::new();
    loop {
        all.push(Box::new(|| telemetry.poll().messages_processed));
        if all.len() == 3 {
            return all;
        }
    }
}

/// Another type with such a method.
struct Poll;

impl Poll {
    fn poll(&self) -> u32 {
        7
    }
}

fn of_others(poll: &Poll) {
    loop {
        if poll.poll() == 7 {
            break;
        }
    }
}

struct Outer {
    watch: Watch,
}

fn in_a_field(w: &Watch, outer: &Outer) {
    loop {
        println!("{}", w.telemetry.poll()); //~ tight_poll
    }
    #[allow(unreachable_code)]
    while outer.watch.telemetry.poll().messages_processed < 5 {} //~ tight_poll
}

fn sampled(telemetry: &Telemetry) {
    loop {
        let _ = telemetry.sample(); //~ tight_poll
    }
}

fn repeated(telemetry: &Telemetry) {
    let last = std::iter::repeat_with(|| telemetry.poll()).find(|now| now.messages_processed > 7); //~ tight_poll
    println!("{last:?}");
}

fn repeated_with_a_pause(telemetry: &Telemetry) {
    let pause = |_: &annulus::TelemetrySnapshot| thread::sleep(SELDOM);
    let _ = std::iter::repeat_with(|| telemetry.poll())
        .inspect(|_| thread::sleep(SELDOM))
        .any(|now| now.messages_processed > 7);
    let _ = std::iter::repeat_with(|| telemetry.poll()).take(5).inspect(pause).last();
}

fn show(telemetry: &Telemetry) {
    println!("{}", telemetry.poll());
}

fn show_twice(telemetry: &Telemetry) {
    show(telemetry);
    show(telemetry);
}

fn show_slowly(telemetry: &Telemetry) {
    show(telemetry);
    thread::sleep(SELDOM);
}

/// A closure may never be called.
fn show_later(telemetry: &Telemetry) -> impl Fn() {
    move || println!("{}", telemetry.poll())
}

/// What polls is in a function of the file, or in one that such a function calls.
fn by_a_function(telemetry: &Telemetry, done: impl Fn() -> bool) {
    while !done() {
        show(telemetry); //~ tight_poll
    }
    while !done() {
        show_twice(telemetry); //~ tight_poll
    }
    while !done() {
        show(telemetry); //~ tight_poll
        thread::sleep(OFTEN);
    }
    while !done() {
        show(telemetry);
        thread::sleep(SELDOM);
    }
    while !done() {
        show_slowly(telemetry);
    }
    while !done() {
        let _ = show_later(telemetry);
    }
    for _ in 0..3 {
        show(telemetry);
    }
}
