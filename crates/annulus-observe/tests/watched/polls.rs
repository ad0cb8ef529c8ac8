//! A hundred kernels that work are polled ten thousand times, by their own process and by another one.

use std::{thread, time::Instant};

use annulus::{
    prelude::*,
    queue::sync::{AtomicBool, Ordering},
};
use annulus_observe::{Attached, Kernel, KernelWatch, look};

use crate::{Count, Job, Watched, ready};

const KERNELS: usize = 100;
const POLLS: usize = 10_000;

#[ring_kernel(cpu_only)]
fn tally(_job: &Job, count: &mut Count) {
    count.n += 1;
}

/// Says how long polls took, which is not judged.
fn tell(who: &str, start: Instant) {
    tell_of(who, start, POLLS);
}

/// The watched process: polls its own kernels while they work, and leaves them at work.
pub(crate) fn child() {
    let runtime = Runtime::builder().backend(annulus::Cpu::new().workers(2)).build().unwrap();
    let options = |number| LaunchOptions::default().actors(4).capacity(16).name(format!("tally-{number}"));
    let kernels: Vec<_> =
        (0..KERNELS).map(|number| tally::launch(&runtime, options(number)).unwrap()).collect();
    let telemetry: Vec<_> = kernels.iter().map(|kernel| kernel.enable_telemetry().unwrap()).collect();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                for kernel in &kernels {
                    let _ = kernel.try_send(Job { key: 1, what: 0 });
                }
                thread::yield_now();
            }
        });
        let start = Instant::now();
        let mut done = [0; KERNELS];
        for _ in 0..POLLS / KERNELS {
            for (telemetry, done) in telemetry.iter().zip(&mut done) {
                let snapshot = telemetry.poll();
                let is_whole = snapshot.min_latency_nanos <= snapshot.max_latency_nanos;
                let measured = snapshot.messages_processed.saturating_sub(snapshot.unmeasured.into());
                assert!(is_whole || measured == 0, "{snapshot:?}");
                assert!(snapshot.messages_processed >= *done, "a count went back: {snapshot:?}");
                *done = snapshot.messages_processed;
            }
        }
        println!("ready");
        tell("inside", start);
        ready();
        stop.store(true, Ordering::Relaxed);
    });
}

/// Polls watched kernels in turn. What is found is whole, and nothing goes back.
fn poll(watches: &[KernelWatch], polls: usize, who: &str) {
    let mut done = vec![0; watches.len()];
    let start = Instant::now();
    for _ in 0..polls / watches.len() {
        for (watch, done) in watches.iter().zip(&mut done) {
            let snapshot = watch.poll().unwrap();
            let measured = snapshot.messages_processed.saturating_sub(snapshot.unmeasured.into());
            assert!(
                measured == 0 || snapshot.min_latency_nanos <= snapshot.max_latency_nanos,
                "{snapshot:?}"
            );
            assert!(snapshot.messages_processed >= *done, "a count went back: {snapshot:?}");
            *done = snapshot.messages_processed;
        }
    }
    tell_of(who, start, polls);
}

/// Says how long polls took, which is not judged.
fn tell_of(who: &str, start: Instant, polls: usize) {
    let of_each = start.elapsed().as_secs_f64() / polls as f64;
    println!(
        "{who}: {polls} of {KERNELS} kernels, {:.0} ns each; at 100 Hz of one kernel {:.4} % of a core",
        of_each * 1e9,
        of_each * 1e4
    );
}

/// N-04, T-04 from outside: of two million polls by another process, of kernels that work meanwhile, none is torn; of a
/// thousand million with `ANNULUS_LONG`.
#[test]
fn t_04_no_poll_from_outside_is_torn() {
    let watched = Watched::start("polled");
    let mut attached = Attached::open(&watched.file()).unwrap();
    let ids: Vec<u64> = attached.look().unwrap().kernels.iter().map(|kernel| kernel.id).collect();
    let watches: Vec<KernelWatch> = ids.iter().map(|id| attached.kernel(*id).unwrap()).collect();
    let is_long = std::env::var("ANNULUS_LONG").is_ok_and(|value| value != "0");
    let polls = if is_long { 1_000_000_000 } else { 2_000_000 };
    poll(&watches, polls, "polls from outside");
}

/// N-04, R-14: ten thousand polls over a hundred kernels at work; from outside each look is a hundred polls. What is
/// found is a state that the kernel was in, and nothing goes back.
#[test]
fn n_04_ten_thousand_polls_over_a_hundred_kernels() {
    let mut watched = Watched::start("polled");
    println!("{}", watched.lines.next().unwrap().unwrap());
    let file = watched.file();
    let start = Instant::now();
    let mut before: Vec<Kernel> = Vec::new();
    for _ in 0..POLLS / KERNELS {
        let kernels = look(&file).unwrap().kernels;
        assert_eq!(kernels.len(), KERNELS);
        for (kernel, before) in kernels.iter().zip(&before) {
            let [shard, earlier] = [kernel, before].map(|kernel| &kernel.shards[0]);
            assert_eq!(kernel.id, before.id);
            assert!(shard.processed >= earlier.processed, "{kernel:?} after {before:?}");
            // A line that was being written is left out of this look.
            let (Some(line), Some(earlier)) = (shard.telemetry, earlier.telemetry) else { continue };
            assert!(line.messages_processed >= earlier.messages_processed, "{kernel:?} after {before:?}");
            let measured = line.messages_processed.saturating_sub(line.unmeasured.into());
            assert!(measured == 0 || line.min_latency_nanos <= line.max_latency_nanos, "{line:?}");
        }
        before = kernels;
    }
    tell("looks from outside", start);
    let mut attached = Attached::open(&file).unwrap();
    let watches: Vec<KernelWatch> = before.iter().map(|kernel| attached.kernel(kernel.id).unwrap()).collect();
    poll(&watches, POLLS, "polls from outside");
    // They have worked all the time.
    watched.look_for(|process| {
        let done = |kernel: &Kernel| kernel.shards[0].processed;
        process.kernels.iter().zip(&before).all(|(now, before)| done(now) > done(before))
    });
}
