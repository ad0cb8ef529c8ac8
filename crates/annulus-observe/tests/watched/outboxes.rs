//! A stall behind the second of two outboxes is named from outside: on the CPU, whose blocks count in the file, and on
//! a device, whose counts the host copies there.

use std::{
    collections::BTreeSet,
    thread,
    time::{Duration, Instant},
};

use annulus::prelude::*;
use annulus_observe::{CAUSES, Liveness, Observer, Phase, ShardState};

use crate::{Device, Job, Watched, kernel, ponder, ready, work};

#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Seen {
    n: u64,
}

/// Sends jobs of which `what` is 0 by one outbox, and the others by the other.
#[ring_kernel(untested, mode = Batch, max_messages_per_iteration = 16)]
fn sift(job: &Job, seen: &mut Seen, good: &Outbox<Job>, bad: &Outbox<Job>) {
    seen.n += 1;
    if job.what == 0 {
        good.send(*job);
    } else {
        bad.send(Job { key: job.key, what: 0 });
    }
}

fn options(name: &str) -> LaunchOptions {
    LaunchOptions::default().actors(8).capacity(16).connectable(true).name(name)
}

/// Counts by outbox in Prometheus' text, without the labels of processes.
fn by_outbox(text: &str) -> BTreeSet<String> {
    let lines = text.lines().filter(|line| line.starts_with("annulus_outbox_"));
    let of = |line: &str| Some(format!("{} {}", line.split('{').next()?, &line[line.find("kernel=")?..]));
    lines.filter_map(of).collect()
}

/// What is good goes to a kernel that goes on, and what is bad to one that hangs: so all of it stalls.
fn stall(
    runtime: &Runtime,
    connect: impl FnOnce(&KernelHandle<sift>),
    hang: impl Fn(Job),
    good_is_handled: impl Fn(),
) {
    let source = sift::launch(runtime, options("sift").active(false)).unwrap();
    connect(&source);
    source.activate_blocking().unwrap();
    // Whatever a device takes for one of them, it does not get through all.
    for _ in 0..8 {
        hang(Job { key: 3, what: 2 });
    }
    // What comes from a kernel may be taken in front of what the host has sent: so it must hang first.
    let (inside, start) = (Observer::of(runtime), Instant::now());
    while Phase::of(&kernel(&inside.look().processes[0], "report").shards[0]) != Phase::InHandler {
        assert!(start.elapsed() < Duration::from_secs(60), "`report` takes no message");
        thread::sleep(Duration::from_millis(5));
    }
    for key in 0..5 {
        let _ = source.send_blocking(Job { key, what: 0 }).unwrap();
    }
    source.drained_blocking();
    good_is_handled();
    while source.status().stalled_shards == 0 || source.status().ports[1].held == 0 {
        let _ = source.try_send(Job { key: 3, what: 1 });
        assert!(start.elapsed() < Duration::from_secs(60), "{:?}", source.status());
        thread::yield_now();
    }
    // What `annulus export` says of it is what is known inside; of a device, when the host has copied it.
    let outside = Observer::of_machine(Some(std::process::id())).build();
    loop {
        // A target that begins late may make room once more.
        if source.status().ports[1].held == 0 {
            let _ = source.try_send(Job { key: 3, what: 1 });
        }
        let [known, told] = [&inside, &outside].map(|observer| by_outbox(&observer.prometheus()));
        if told == known
            && told.contains("annulus_outbox_sent_total kernel=\"sift\",outbox=\"good\"} 5")
            && !told.contains("annulus_outbox_held kernel=\"sift\",outbox=\"bad\"} 0")
        {
            assert_eq!(told.len(), 6, "{told:?}");
            assert!(told.contains("annulus_outbox_held kernel=\"sift\",outbox=\"good\"} 0"), "{told:?}");
            break;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "{told:?} {known:?}");
        thread::yield_now();
    }
    ready();
}

/// Launches both targets of a kernel, and stalls.
macro_rules! stall {
    ($runtime:expr, $kernel:ident) => {{
        let merge = $kernel::launch(&$runtime, options("merge")).unwrap();
        let report = $kernel::launch(&$runtime, options("report")).unwrap();
        let connect = |source: &KernelHandle<sift>| {
            source.port(sift::GOOD).connect(&merge).unwrap();
            source.port(sift::BAD).connect(&report).unwrap();
        };
        let hang = |job| {
            let _ = report.send_blocking(job).unwrap();
        };
        stall(&$runtime, connect, hang, || merge.drained_blocking());
    }};
}

pub(crate) fn on_the_cpu() {
    let runtime = Runtime::builder().backend(annulus::Cpu::new().workers(3)).build().unwrap();
    stall!(runtime, work);
}

pub(crate) fn on_a_device() {
    let Some(runtime) = Device::runtime() else { return };
    stall!(runtime, ponder);
}

/// The stall, by `why`, by the state of each shard, by what each outbox has sent; and by the file of the dead.
#[track_caller]
fn is_named(mut watched: Watched) {
    // A device may be at the end of one such message, and at the beginning of the next.
    let text = watched.why(|text| text.contains("(outbox `bad`)") && text.contains(" in the handler of "));
    assert!(text.starts_with("`sift` shard 0 waits for room in `report` (outbox `bad`);\n"), "{text}");
    assert!(text.contains("\n`report` shard 0 is in the handler of message "), "{text}");
    assert!(text.contains(", key 3, for ") && text.ends_with(": that is the cause"), "{text}");
    assert!(!text.contains("merge"), "{text}");

    // What waits is known of a device's memory, too.
    let process = watched.look_for(|process| {
        let report = kernel(process, "report");
        let handled = report.sum(|shard| shard.processed);
        handled + report.waiting() == 8 + kernel(process, "sift").ports[1].sum().sent
    });
    let (sift, report) = (kernel(&process, "sift"), kernel(&process, "report"));
    assert!(report.waiting() >= 16, "{report:?}");
    assert_eq!(sift.state(), ShardState::StalledOnKernel);
    let [good, bad] = &sift.ports[..] else { panic!("{sift:#?}") };
    assert_eq!((&*good.name, good.target), ("good", Some((kernel(&process, "merge").id, true))));
    assert_eq!((&*bad.name, bad.target), ("bad", Some((report.id, true))));
    assert_eq!((good.sum().sent, good.sum().held, good.sum().lost), (5, 0, 0));
    assert!(bad.sum().sent >= 8 && bad.sum().held != 0, "{bad:?}");
    assert_eq!(sift.held_by(0).map(|port| &*port.name).collect::<Vec<_>>(), ["bad"]);
    assert!(report.ports.is_empty() && report.target.is_none(), "{report:#?}");

    watched.child.kill().unwrap();
    watched.child.wait().unwrap();
    let process = watched.look();
    assert_eq!(process.liveness, Liveness::Dead);
    assert_eq!(Phase::of(&kernel(&process, "sift").shards[0]), Phase::StalledOnKernel);
    let held = kernel(&process, "sift").ports[1].sum().held;
    let told = crate::autopsies(&watched.folder);
    assert!(told.contains("    outbox `good` to `merge`, 5 sent to kernels\n"), "{told}");
    assert!(told.contains("    outbox `bad` to `report`, "), "{told}");
    assert!(told.contains(&format!(", {held} waiting for room\n")), "{told}");
}

#[test]
fn o_01_why_names_the_handler_behind_a_second_outbox() {
    is_named(Watched::start("sifts"));
}

#[test]
fn o_01_why_names_the_handler_behind_a_second_outbox_of_a_device() {
    for device in Device::ALL {
        if let Some(watched) = Watched::start_on(device, "sifts_on_a_device") {
            is_named(watched);
        }
    }
}

/// A kernel that is inactive, and terminated with what another one has sent to it.
pub(crate) fn ends_fed() {
    let Some(runtime) = Device::runtime() else { return };
    let source = ponder::launch(&runtime, options("source").active(false)).unwrap();
    let target = ponder::launch(&runtime, options("target").active(false)).unwrap();
    source.connect(&target).unwrap();
    source.activate_blocking().unwrap();
    for key in 0..8 {
        let _ = source.send_blocking(Job { key, what: 0 }).unwrap();
    }
    let (outside, start) = (Observer::of_machine(Some(std::process::id())).build(), Instant::now());
    while kernel(&outside.look().processes[0], "target").waiting() != 8 {
        assert!(start.elapsed() < Duration::from_secs(60), "{}", target.status());
        thread::sleep(Duration::from_millis(5));
    }
    target.terminate_blocking();
    ready();
}

/// what waited in a device's memory at the end of its kernel is counted as undelivered, and waits no more.
#[test]
fn r_05_nothing_waits_for_what_has_ended_on_a_device() {
    let undelivered = CAUSES.iter().position(|cause| *cause == "undelivered").unwrap();
    for device in Device::ALL {
        if let Some(watched) = Watched::start_on(device, "ends_fed_on_a_device") {
            let process = watched.look();
            let target = kernel(&process, "target");
            assert!(target.has_ended);
            assert_eq!((target.waiting(), target.linked, target.drops[undelivered]), (0, 0, 8), "{device:?}");
        }
    }
}
