//! Idle kernels cost next to nothing.

use std::{thread, time::Duration};

use annulus_runtime::LaunchOptions;

use crate::{
    Bench,
    bench::eventually,
    kernels::{
        echo, number,
        timers::{Remind, remind},
    },
};

/// a hundred idle kernels leave the processor alone, and all still answer; so do one that waits for room though
/// its timers are due, and one whose timer is far away. Measures the whole process, so nothing may run beside it:
/// [`idle_suite!`](crate::idle_suite).
pub fn r14_a_hundred_idle_kernels(bench: &Bench) {
    let launch = |i: u64| {
        let options = LaunchOptions::default().capacity(16).name(format!("kernel-{i}"));
        echo::launch(bench.runtime(), options).unwrap()
    };
    let kernels: Vec<_> = (0..100).map(launch).collect();
    for (i, kernel) in kernels.iter().enumerate() {
        assert_eq!(kernel.call_blocking(number(i as u64)), Ok(number(i as u64)));
    }
    // One output of its own, and 24 of its timers: more than there is room for.
    let options = LaunchOptions::default().capacity(16).output_capacity(16).actors(4);
    let stalled = remind::launch(bench.runtime(), options.clone().name("stalled")).unwrap();
    let message = Remind { sets: 8, repeats: 2, after: 1000, ..Remind::default() };
    let _ = stalled.send_blocking(message).unwrap();
    let far = remind::launch(bench.runtime(), options.name("far")).unwrap();
    let _ = far.send_blocking(Remind { sets: 1, after: u64::MAX / 2, ..Remind::default() }).unwrap();
    eventually(|| stalled.status().outputs_waiting == 16 && stalled.status().timers.unwrap().waiting != 0);
    eventually(|| far.status().timers.unwrap().waiting == 1);
    let window = Duration::from_millis(300);
    // What a window shows beyond the kernels' own use is somebody else's: the least of three is closest to
    // theirs.
    let least = (0..3).filter_map(|_| {
        let before = processor_time()?;
        thread::sleep(window);
        Some(processor_time()? - before)
    });
    match least.min() {
        None => println!("skipped: this system does not tell how much processor time a process used"),
        Some(used) => assert!(used < window.mul_f64(0.3), "{used:?} of a core in {window:?}"),
    }
    for (i, kernel) in kernels.iter().enumerate() {
        assert_eq!(kernel.call_blocking(number(i as u64)), Ok(number(i as u64)));
    }
    for _ in 0..25 {
        stalled.recv_blocking().unwrap();
    }
    eventually(|| stalled.status().timers.unwrap().waiting == 0);
}

/// User and system time of this process, in the kernel's ticks of 10 ms.
fn processor_time() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name before the last parenthesis may hold spaces; utime and stime are the 14th and 15th fields of
    // all.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |index: usize| fields.get(index)?.parse::<u64>().ok();
    Some(Duration::from_millis((ticks(11)? + ticks(12)?) * 10))
}
