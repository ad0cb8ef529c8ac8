//! A kernel is watched from outside by its own words: what a poll says is what its process would say, until the kernel
//! or its file is gone.

use std::{
    fs::OpenOptions,
    os::{fd::AsRawFd, unix::process::ExitStatusExt},
    process::Command,
    ptr, thread,
    time::{Duration, Instant},
};

use annulus::{TelemetrySnapshot, prelude::*};
use annulus_observe::{Attached, KernelWatch, LatencyHistogram, Liveness, Lost, Phase, Process, look};

use crate::{Count, Job, ROLE, Watched, folder, kernel, ready, work};

#[ring_kernel(cpu_only)]
fn tally(job: &Job, count: &mut Count) -> Result<(), Failure> {
    if job.what == 1 {
        return Err(Failure::new(77).expect("it is not 0"));
    }
    count.n += 1;
    Ok(())
}

/// The kernel of a process, watched.
fn watch(watched: &Watched, name: &str) -> (Attached, KernelWatch) {
    let mut attached = Attached::open(&watched.file()).unwrap();
    let id = kernel(&attached.look().unwrap(), name).id;
    let watch = attached.kernel(id).unwrap();
    (attached, watch)
}

/// A process that compares what it knows of its kernels with what its file says: counts, latencies, failures, drops of
/// queues, before and after a reset.
pub(crate) fn compares() {
    let runtime = Runtime::builder().backend(annulus::Cpu::new().workers(3)).build().unwrap();
    let options = LaunchOptions::default().actors(16).grid(2).capacity(16).track_latency(true).name("sort");
    let kernel = tally::launch(&runtime, options).unwrap();
    let telemetry = kernel.enable_telemetry().unwrap();
    let file = annulus_observe::files().remove(0);
    let mut attached = Attached::open(&file).unwrap();
    let watch = attached.kernel(look(&file).unwrap().kernels[0].id).unwrap();
    let same = |what: &str, of_interest: fn(&TelemetrySnapshot) -> bool| {
        kernel.drained_blocking();
        let (inside, outside) = (telemetry.poll(), watch.poll().unwrap());
        assert!(of_interest(&inside), "{what}: {inside:?}");
        assert_eq!(outside, inside, "{what}");
        let buckets = |latencies: &LatencyHistogram| latencies.buckets().collect::<Vec<_>>();
        let seen = look(&file).unwrap().kernels.remove(0).latencies.expect("it tracks them");
        assert_eq!(buckets(&seen), buckets(&kernel.latencies().unwrap()), "{what}");
        assert!(seen.count() != 0 || inside.messages_processed == 0, "{what}");
    };
    let work = |jobs: &[(u64, u64)]| {
        for &(key, what) in jobs {
            let _ = kernel.send_blocking(Job { key, what }).unwrap();
        }
    };
    same("nothing so far", |told| told.messages_processed == 0 && told.min_latency().is_none());
    work(&[(0, 0), (1, 0), (2, 0)]);
    same("three", |told| told.messages_processed == 3 && told.max_latency().is_some());
    work(&[(3, 1), (99, 0)]);
    same("a failure, and an unknown actor", |told| told.messages_dropped == 2 && told.error_code != 0);
    let refuse = |count: usize| {
        let _ = kernel.deactivate_blocking().unwrap();
        let refused = (0..16 + count).filter(|_| kernel.try_send(Job { key: 2, what: 0 }).is_err()).count();
        assert_eq!(refused, count);
        let _ = kernel.activate_blocking().unwrap();
    };
    refuse(3);
    same("refused", |told| told.queue_drops.rejected == 3);
    telemetry.reset();
    work(&[(1, 0)]);
    same("after a reset", |told| told.messages_processed == 1 && told.queue_drops.rejected == 0);
    refuse(2);
    same("refused after it", |told| told.queue_drops.rejected == 2);
    let later = telemetry.now();
    assert!((later..later + 60_000_000_000).contains(&watch.now()), "one clock");
    println!("compared");
    ready();
}

/// T-03 to T-09, T-15 from outside, O-08's p99: a poll says what the process itself would say.
#[test]
fn t_03_a_poll_from_outside_says_what_one_from_inside_says() {
    let mut watched = Watched::start("compares");
    let (attached, watch) = watch(&watched, "sort");
    let seen = watch.poll().unwrap();
    assert_eq!((seen.messages_processed, seen.queue_drops.rejected), (17, 2), "{seen:?}");
    assert_eq!(attached.liveness().unwrap(), Liveness::Running);
    watched.child.kill().unwrap();
    watched.child.wait().unwrap();
    assert_eq!(attached.liveness().unwrap(), Liveness::Dead);
    assert_eq!(watch.poll(), Ok(seen), "what it has written last");
    let told = crate::autopsies(&watched.folder);
    assert!(told.contains(" latencies: half were within "), "{told}");
}

/// A process that launches kernel after kernel.
pub(crate) fn launches() {
    let builder = Runtime::builder().backend(annulus::Cpu::new().workers(2));
    let runtime = builder.telemetry_lines(4).build().unwrap();
    let launch = |name: &str| work::launch(&runtime, LaunchOptions::default().actors(4).name(name)).unwrap();
    let first = launch("first");
    ready();
    first.terminate_blocking();
    drop(first);
    println!("it has ended");
    ready();
    for number in 0..8 {
        let next = launch(&format!("number {number}"));
        let _ = next.send_blocking(Job { key: 1, what: 0 }).unwrap();
        next.drained_blocking();
    }
    println!("others have its place");
    ready();
}

/// A watch outlives its kernel, and never takes the words of another one for its own.
#[test]
fn a_watch_whose_kernel_has_ended_says_so() {
    use std::io::Write;
    let mut watched = Watched::start("launches");
    let go_on = |watched: &mut Watched, until: &str| {
        watched.child.stdin.as_ref().unwrap().write_all(b"\n").unwrap();
        assert!(watched.lines.by_ref().any(|line| line.unwrap().ends_with(until)));
    };
    let (mut attached, watch) = watch(&watched, "first");
    let mut process: Process = attached.look().unwrap();
    assert!(watch.poll().is_ok());
    go_on(&mut watched, "it has ended");
    assert!(watch.poll().is_ok(), "its words are still there");
    attached.look_again(&mut process).unwrap();
    assert!(process.kernels[0].has_ended, "{process:?}");
    go_on(&mut watched, "others have its place");
    assert_eq!(watch.poll(), Err(Lost::Reused));
    attached.look_again(&mut process).unwrap();
    assert!(process.kernels.is_empty(), "{process:?}");
    assert!(attached.kernel(watch.id()).is_err());
    assert!(attached.look().unwrap().kernels.iter().all(|kernel| kernel.name.starts_with("number ")));
}

/// Looking again finds what looking anew finds.
#[test]
fn looking_again_is_as_looking_anew() {
    let watched = Watched::start("hangs");
    let mut attached = Attached::open(&watched.file()).unwrap();
    let mut process = attached.look().unwrap();
    let start = Instant::now();
    let shard = loop {
        attached.look_again(&mut process).unwrap();
        let shard = process.kernels[0].shards[1];
        if Phase::of(&shard) == Phase::InHandler && shard.pending == 2 {
            break shard;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "{process:?}");
        thread::sleep(Duration::from_millis(1));
    };
    let anew = attached.look().unwrap();
    assert_eq!(anew.kernels[0].shards[1], shard);
    let told = |process: &Process| {
        let kernel = &process.kernels[0];
        format!(
            "{:?}",
            (&kernel.name, kernel.target, kernel.drops, kernel.has_ended, kernel.copied, &kernel.shards)
        )
    };
    assert_eq!(told(&process), told(&anew));
    assert!(process.now.abs_diff(anew.now) < 60_000_000_000);
}

/// the file is cut off under the hands of whoever watches it. Its owner ends by that; the watch says so.
#[test]
fn a_file_that_is_cut_off_ends_no_observer() {
    let watched = Watched::start("works");
    let (mut attached, watch) = watch(&watched, "sort");
    let mut process = attached.look().unwrap();
    assert!(watch.poll().is_ok());
    OpenOptions::new().write(true).open(watched.file()).unwrap().set_len(4096).unwrap();
    assert_eq!(watch.poll(), Err(Lost::Cut));
    assert_eq!(watch.poll(), Err(Lost::Cut));
    if attached.look_again(&mut process).is_ok() {
        assert!(process.kernels.is_empty(), "{process:?}");
    }
    let length = attached.kernel(watch.id()).map(|_| ()).unwrap_err().to_string();
    assert!(length.contains("no kernel"), "{length}");
}

/// A process that watches a file, and then makes a fault of its own.
pub(crate) fn faults() {
    let runtime = Runtime::builder().backend(annulus::Cpu::new().workers(2)).build().unwrap();
    let kernel = work::launch(&runtime, LaunchOptions::default().actors(4).name("sort")).unwrap();
    let mut attached = Attached::open(&annulus_observe::files()[0]).unwrap();
    let process = attached.look().unwrap();
    assert!(attached.kernel(process.kernels[0].id).unwrap().poll().is_ok());
    let path = std::env::temp_dir().join(format!("annulus-fault-{}", std::process::id()));
    let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    // SAFETY: a new mapping changes no memory of ours.
    let page =
        unsafe { libc::mmap(ptr::null_mut(), 4096, libc::PROT_READ, libc::MAP_SHARED, file.as_raw_fd(), 0) };
    assert_ne!(page, libc::MAP_FAILED);
    println!("faults");
    // SAFETY: none: the file has no such page, and the process is meant to end by it.
    let _ = unsafe { page.cast::<u64>().read_volatile() };
    drop(kernel);
    println!("it goes on");
}

/// A fault elsewhere ends a process that watches as it ends any other.
#[test]
fn a_fault_elsewhere_is_none_of_its_business() {
    const SIGBUS: i32 = 7;
    let folder = folder("faults");
    let command = std::env::current_exe().unwrap();
    let output = Command::new(command)
        .args(["child", "--exact", "--nocapture"])
        .env(ROLE, "faults")
        .env("ANNULUS_DIR", &folder)
        .output()
        .unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("faults\n") && !text.contains("it goes on"), "{output:?}");
    assert_eq!(output.status.signal(), Some(SIGBUS), "{output:?}");
}
