//! Profiles of another process: of one that hangs, and of one that measures itself.

use std::{
    io::{BufRead, Write},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use annulus::{
    prelude::*,
    queue::sync::{AtomicU64, Ordering},
};
use annulus_observe::{
    Phase,
    profile::{Profile, record},
};

use crate::{Count, Device, Job, Watched, kernel};

/// Nanoseconds that handlers took.
static SPENT: AtomicU64 = AtomicU64::new(0);

/// Takes as many microseconds as the message says, and says how long it took.
#[ring_kernel(cpu_only)]
fn spin(job: &Job, count: &mut Count) {
    let start = Instant::now();
    while start.elapsed() < Duration::from_micros(job.what) {
        std::hint::spin_loop();
    }
    count.n += 1;
    SPENT.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
}

/// A process that says, for each line that it reads, which share of the time since the last line its handlers took.
pub(crate) fn measures() {
    let runtime = Runtime::builder().backend(annulus::Cpu::new().workers(1)).build().unwrap();
    let kernel = spin::launch(&runtime, LaunchOptions::default().actors(16).grid(2)).unwrap();
    let sender = kernel.clone();
    thread::spawn(move || {
        loop {
            // One shard has both keys: key 3 takes about four fifths of the time.
            for (key, what) in [(3, 4000), (1, 1000)] {
                let _ = sender.send_blocking(Job { key, what }).unwrap();
            }
            sender.drained_blocking();
            thread::sleep(Duration::from_micros(2500));
        }
    });
    while SPENT.load(Ordering::Relaxed) == 0 {
        thread::yield_now();
    }
    println!("ready");
    let mut last = (Instant::now(), SPENT.load(Ordering::Relaxed));
    for _ in std::io::stdin().lock().lines() {
        let now = (Instant::now(), SPENT.load(Ordering::Relaxed));
        let spent = Duration::from_nanos(now.1 - last.1);
        println!("{}", spent.as_secs_f64() / now.0.duration_since(last.0).as_secs_f64());
        std::io::stdout().flush().unwrap();
        last = now;
    }
}

/// Takes some tenths of a millisecond over a message.
#[ring_kernel(untested, mode = Batch)]
fn grind(job: &Job, count: &mut Count, out: &Outbox<Job>) {
    let mut value = count.n;
    for step in 0..job.what {
        for _ in 0..1000 {
            value = value.wrapping_mul(6364136223846793005).wrapping_add(step);
        }
    }
    count.n = value;
    out.send(*job);
}

/// A process that says, for each line that it reads, which share of the looks at its device's own words found the shard with messages in a handler
/// since the last line.
pub(crate) fn looks_at_a_device() {
    let Some(runtime) = Device::runtime() else { return };
    let kernel = grind::launch(&runtime, LaunchOptions::default().actors(4).grid(2).name("grind")).unwrap();
    // One message at a time, a small part of the time: whoever waits for it wakes who copies.
    thread::spawn(move || {
        loop {
            let start = Instant::now();
            let _ = kernel.send_blocking(Job { key: 2, what: 300 }).unwrap();
            kernel.recv_blocking().unwrap();
            thread::sleep(5 * start.elapsed());
        }
    });
    let (looks, found) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let its = (Arc::clone(&looks), Arc::clone(&found));
    thread::spawn(move || {
        let mut seed = 0x9E37_79B9_7F4A_7C15u64;
        loop {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            thread::sleep(Duration::from_micros(500 + seed % 1000));
            let shard = kernel_of(&annulus_observe::look_inside(&runtime));
            its.1.fetch_add(u64::from(shard == Phase::InHandler), Ordering::Relaxed);
            its.0.fetch_add(1, Ordering::Relaxed);
        }
    });
    while found.load(Ordering::Relaxed) == 0 {
        thread::sleep(Duration::from_millis(1));
    }
    println!("ready");
    let read = || [&looks, &found].map(|count| count.load(Ordering::Relaxed));
    let mut last = read();
    for _ in std::io::stdin().lock().lines() {
        let now = read();
        println!("{}", (now[1] - last[1]) as f64 / (now[0] - last[0]) as f64);
        std::io::stdout().flush().unwrap();
        last = now;
    }
}

fn kernel_of(process: &annulus_observe::Process) -> Phase {
    Phase::of(&kernel(process, "grind").shards[0])
}

/// O-08: the copies of a device's words are made at moments that its blocks do not set: a profile of copies says what looks at the
/// device's own words say.
#[test]
fn o_08_copies_are_not_in_step_with_a_device() {
    let Some(mut watched) = Watched::start_on(Device::OpenCl, "looks_at_a_device") else { return };
    let seconds = std::env::var("ANNULUS_PROFILE_SECONDS").map_or(6.0, |text| text.parse().unwrap());
    let mut ask = || -> f64 {
        writeln!(watched.child.stdin.as_mut().unwrap()).unwrap();
        watched.lines.next().unwrap().unwrap().parse().unwrap()
    };
    let file = watched_file(&watched.folder);
    ask();
    let profile = record(&[file], Duration::from_secs_f64(seconds), 1000.0, || false).unwrap().remove(0);
    let measured = ask();
    let shard = &profile.kernels[0].shards[0];
    let (seen, looks) = (shard.share(Phase::InHandler), shard.all_looks());
    println!("inside {:.1} %, by copies {:.1} %\n{profile}", measured * 100.0, seen * 100.0);
    // Random looks are further off than four deviations once in some thousand times; and a busy machine wakes nobody in time.
    let deviation = (measured * (1.0 - measured) / looks as f64).sqrt();
    assert!((seen - measured).abs() < 4.0 * deviation + measured / 2.0, "{measured}, {profile}");
}

fn watched_file(folder: &std::path::Path) -> std::path::PathBuf {
    crate::ended_by(folder, ".vitals").remove(0)
}

fn profile(watched: &Watched, time: Duration) -> Profile {
    let mut profiles = record(&[watched.file()], time, 1000.0, || false).unwrap();
    assert_eq!(profiles.len(), 1);
    profiles.remove(0)
}

/// O-08: all of a hung shard's time is its handler's, and its message's key is the hottest; the other shard has none.
#[test]
fn o_08_a_handler_that_hangs_is_all_of_a_profile() {
    let watched = Watched::start("hangs");
    watched.look_for(|process| {
        let shards = &kernel(process, "sort").shards;
        Phase::of(&shards[1]) == Phase::InHandler
            && shards[1].processed == 1
            && Phase::of(&shards[0]) == Phase::Asleep
    });
    let profile = profile(&watched, Duration::from_millis(50));
    assert_eq!((profile.pid, &*profile.backend), (watched.child.id(), "cpu"));
    let sort = &profile.kernels[0];
    assert_eq!((sort.shards[1].share(Phase::InHandler), sort.shards[0].share(Phase::InHandler)), (1.0, 0.0));
    let hottest = &sort.hottest()[0];
    assert_eq!((hottest.key, hottest.shard, hottest.at_least), (5, 1, 1.0));
    assert_eq!((sort.messages(), sort.shards[1].time_of_a_message(sort.elapsed())), (0, None));
    assert!(profile.to_string().contains("\n    1             100.0 %  "), "{profile}");
    assert!(profile.folded().contains(";sort;shard 1;in handler;key 5 "), "{}", profile.folded());
}

/// O-08: what a handler says of itself is what a profile says of it, as far as a busy machine lets both see it.
/// `ANNULUS_PROFILE_SECONDS` looks for longer.
#[test]
fn o_08_a_profile_agrees_with_a_handler_that_measures_itself() {
    let mut watched = Watched::start("measures");
    let seconds = std::env::var("ANNULUS_PROFILE_SECONDS").map_or(0.2, |text| text.parse().unwrap());
    let ask = |watched: &mut Watched| -> f64 {
        writeln!(watched.child.stdin.as_mut().unwrap()).unwrap();
        watched.lines.next().unwrap().unwrap().parse().unwrap()
    };
    // On a busy machine a time has fewer looks.
    let mut time = Duration::from_secs_f64(seconds);
    let (profile, measured) = loop {
        ask(&mut watched);
        let profile = profile(&watched, time);
        let measured = ask(&mut watched);
        if profile.looks >= 100 {
            break (profile, measured);
        }
        time *= 2;
    };
    let spin = &profile.kernels[0];
    let seen = spin.shards[1].share(Phase::InHandler);
    println!(
        "measured by itself {:.2} %, by {} looks {:.2} %\n{profile}",
        measured * 100.0,
        profile.looks,
        seen * 100.0
    );
    // Where cores are scarce, looks come when a block has given up its own.
    assert!(seen > measured / 4.0 && 1.0 - seen > (1.0 - measured) / 4.0, "{measured}, {profile}");
    assert_eq!(spin.shards[0].share(Phase::InHandler), 0.0, "it gets no message");
    assert!(spin.messages() > 0);
    let hottest = &spin.hottest()[0];
    assert_eq!((hottest.key, hottest.shard), (3, 1), "{profile}");
}
