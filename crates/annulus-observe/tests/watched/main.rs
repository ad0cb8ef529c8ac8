//! A process that knows nothing of it is watched: at work, stalled, hung, killed. The process is this program
//! again, in the role that its environment names.
#![cfg(target_os = "linux")]

mod actors;
mod alerted;
mod attached;
mod boxed;
mod boxed_on_devices;
mod damaged;
mod described;
mod device;
mod drops;
mod fed;
mod followed;
mod lease;
mod limits;
mod outboxes;
mod panels;
#[cfg(feature = "page")]
mod pictured;
mod planted;
mod polls;
mod printed;
mod profiled;
mod queued;
mod robust;
mod slow;
mod timed;

use std::{
    env, fs,
    io::{BufRead, BufReader, Lines, Write},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Command, Stdio},
    sync::Mutex,
    thread,
    time::{Duration, Instant},
};

use annulus::{Cuda, OpenCl, prelude::*};
use annulus_observe::{Kernel, Liveness, Phase, Process, ShardState, look, why};

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Job {
    #[ring(key)]
    key: u64,
    /// 1: fail. 2: never return.
    what: u64,
}

#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Count {
    n: u64,
}

#[ring_kernel(cpu_only)]
fn work(job: &Job, count: &mut Count, out: &Outbox<Job>) -> Result<(), Failure> {
    if job.what == 1 {
        return Err(Failure::new(77).expect("it is not 0"));
    }
    if job.what == 2 {
        loop {
            thread::sleep(Duration::from_secs(60));
        }
    }
    count.n += 1;
    out.send(*job);
    Ok(())
}

/// Sends two messages for each.
#[ring_kernel(max_outputs = 2)]
fn twice(job: &Job, count: &mut Count, out: &Outbox<Job>) {
    count.n += 1;
    out.send(*job);
    out.send(*job);
}

/// Takes minutes if it is to: as many rounds as the budget of loops allows, each of some 50 ns.
#[device_fn]
fn take_minutes(first: u64, is_to: bool) -> u64 {
    let mut x = first;
    let mut round = 0u64;
    while is_to && round < 4_000_000_000 {
        x = (x ^ (x >> 31)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        x = (x ^ (x >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        x = (x ^ (x >> 33)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
        x = (x ^ (x >> 30)).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
        x = (x ^ (x >> 28)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        x = (x ^ (x >> 26)).wrapping_mul(0xA076_1D64_78BD_642F);
        x = (x ^ (x >> 25)).wrapping_mul(0xE703_7ED1_A0B4_28DB);
        x = (x ^ (x >> 24)).wrapping_mul(0x8EBC_6AF0_9C88_C6E3);
        x = (x ^ (x >> 23)).wrapping_mul(0x5899_65CC_7537_4CC3);
        x = (x ^ (x >> 32)).wrapping_add(round);
        round += 1;
    }
    x
}

/// Takes minutes over a message of which `what` is 2, and divides by zero if it is 1.
#[ring_kernel(untested, mode = Batch, max_messages_per_iteration = 16, loop_budget = 4294967295)]
fn ponder(job: &Job, count: &mut Count, out: &Outbox<Job>) {
    let x = take_minutes(job.key, job.what == 2);
    count.n = count.n.wrapping_add(x / (job.what ^ 1));
    out.send(*job);
}

const ROLE: &str = "ANNULUS_TEST_ROLE";

/// Says that the watched process' device is the stand-in for CUDA.
const ON_CUDA: &str = "ANNULUS_TEST_ON_CUDA";

/// The devices on which kernels are watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Device {
    /// The machine's OpenCL.
    OpenCl,
    /// Libraries that stand in for NVIDIA's.
    Cuda,
}

impl Device {
    const ALL: [Self; 2] = [Self::OpenCl, Self::Cuda];

    /// In the watched process: a runtime on the device that the process was given. `None`, and says so, if this machine
    /// has no OpenCL.
    fn runtime() -> Option<Runtime> {
        if env::var_os(ON_CUDA).is_some() {
            // A stand-in that was built must run. What it compiles must not lie beside what NVIDIA's compiler makes.
            let cuda = Cuda::new().without_cache().threads_per_block(1);
            return Some(Runtime::builder().backend(cuda).build().expect("the stand-in for CUDA runs"));
        }
        match Runtime::builder().backend(OpenCl::new().resident_groups(16)).build() {
            Ok(runtime) => Some(runtime),
            Err(error) => {
                println!("skipped: {error}");
                ready();
                None
            }
        }
    }
}

/// The watched process. It is an ordinary user of the library.
#[test]
fn child() {
    let Ok(role) = env::var(ROLE) else { return };
    match &*role {
        "compares" => return attached::compares(),
        "launches" => return attached::launches(),
        "serves" => return alerted::serves(),
        "boxed" => return boxed::child(),
        "boxed_on_a_device" => return boxed_on_devices::child(),
        "boxed_streams" => return boxed_on_devices::streams(),
        "boxed_refused" => return boxed_on_devices::refused(),
        "faults" => return attached::faults(),
        "device" => return device::child(),
        "drops" => return drops::child(),
        "queued" => return queued::child(),
        "follows" => return followed::on_the_cpu(),
        "follows_on_a_device" => return followed::on_a_device(),
        "timed" => return timed::child(),
        "actors" => return actors::child(),
        "measures" => return profiled::measures(),
        "looks_at_a_device" => return profiled::looks_at_a_device(),
        "dies" => return robust::dies(),
        "relaunches" => return damaged::relaunches(),
        "fills" => return robust::fills(),
        "observes" => return robust::observes(),
        "polled" => return polls::child(),
        "eight" => return planted::eight(),
        "starved" => return planted::starved(),
        "asks" => return planted::asks(),
        "left" => return planted::left(),
        "tells" => return panels::child(),
        "sifts" => return outboxes::on_the_cpu(),
        "shouts" => return printed::on_the_cpu(),
        "shouts_on_a_device" => return printed::on_a_device(),
        "sifts_on_a_device" => return outboxes::on_a_device(),
        "ends_fed_on_a_device" => return outboxes::ends_fed(),
        "fed" => return fed::on_the_cpu(),
        "fed_on_a_device" => return fed::on_a_device(),
        _ => {}
    }
    let runtime = Runtime::builder().backend(annulus::Cpu::new().workers(3)).build().unwrap();
    let options = || LaunchOptions::default().actors(16).grid(2).capacity(64);
    let kernel = work::launch(&runtime, options().name("sort")).unwrap();
    let job = |key, what| Job { key, what };
    match &*role {
        "works" => {
            for key in 0..10 {
                let _ = kernel.send_blocking(job(key, 0)).unwrap();
            }
            let _ = kernel.send_blocking(job(3, 1)).unwrap();
            kernel.drained_blocking();
        }
        "hangs" => {
            let _ = kernel.send_blocking(job(5, 0)).unwrap();
            let _ = kernel.send_blocking(job(5, 2)).unwrap();
            let _ = kernel.send_blocking(job(5, 0)).unwrap();
        }
        "stalls" => {
            // Nobody receives, so the outbound ring of one shard is full at last.
            for _ in 0..70 {
                let _ = kernel.send_blocking(job(4, 0)).unwrap();
            }
        }
        "ends" => {
            let _ = kernel.send_blocking(job(1, 0)).unwrap();
            kernel.drained_blocking();
            kernel.terminate_blocking();
            drop(kernel);
        }
        "feeds" => {
            let target = work::launch(&runtime, options().name("merge").connectable(true)).unwrap();
            let source =
                work::launch(&runtime, options().name("split").connectable(true).active(false)).unwrap();
            source.connect(&target).unwrap();
            source.activate_blocking().unwrap();
            ready();
        }
        "chain" => {
            // What `split` takes goes to `merge`, which hangs.
            let connectable = |name: &str| options().name(name).connectable(true);
            let merge = work::launch(&runtime, connectable("merge")).unwrap();
            let split = work::launch(&runtime, connectable("split").active(false)).unwrap();
            split.connect(&merge).unwrap();
            split.activate_blocking().unwrap();
            let _ = merge.send_blocking(job(3, 2)).unwrap();
            for _ in 0..100 {
                let _ = split.send_blocking(job(3, 0)).unwrap();
            }
            ready();
        }
        "cycle" => {
            // Each message becomes two.
            let connectable =
                |name: &str| options().grid(1).capacity(16).name(name).connectable(true).active(false);
            let ping = twice::launch(&runtime, connectable("ping")).unwrap();
            let pong = twice::launch(&runtime, connectable("pong")).unwrap();
            ping.connect(&pong).unwrap();
            pong.connect(&ping).unwrap();
            ping.activate_blocking().unwrap();
            pong.activate_blocking().unwrap();
            let _ = ping.try_send(job(3, 0));
            ready();
        }
        _ => panic!("no such role"),
    }
    ready();
}

/// Tells the parent, and waits until it has had enough.
fn ready() {
    println!("ready");
    std::io::stdout().flush().unwrap();
    let _ = std::io::stdin().lock().read_line(&mut String::new());
}

/// A watched process, and the folder that its file is in.
struct Watched {
    child: Child,
    folder: PathBuf,
    /// The child has no such device.
    is_skipped: bool,
    /// What the child says after it is ready. Somebody must be there to read.
    lines: Lines<BufReader<ChildStdout>>,
}

impl Watched {
    fn start(role: &str) -> Self {
        let folder = folder(role);
        Self::start_in(role, folder)
    }

    /// The child on a device; `None`, and says why, if this machine has no such device.
    fn start_on(device: Device, role: &str) -> Option<Self> {
        Self::start_with(device, role, &[])
    }

    /// Likewise, with these variables.
    fn start_with(device: Device, role: &str, variables: &[(&str, &str)]) -> Option<Self> {
        let folder = folder(role);
        let mut command = Self::command(role, &folder);
        command.envs(variables.iter().copied());
        if let Device::Cuda = device {
            match annulus_conformance::cuda::build() {
                // The loader finds the driver there, and the backend the compiler.
                Ok(libraries) => command
                    .env("LD_LIBRARY_PATH", libraries)
                    .env("ANNULUS_NVRTC", libraries)
                    .env(ON_CUDA, "1"),
                Err(error) => {
                    println!("skipped: no stand-in for CUDA: {error}");
                    return None;
                }
            };
        }
        let watched = Self::of(command.spawn().unwrap(), folder);
        if watched.is_skipped {
            println!("skipped: no OpenCL device");
        }
        (!watched.is_skipped).then_some(watched)
    }

    /// What starts the child.
    fn command(role: &str, folder: &Path) -> Command {
        let mut command = Command::new(env::current_exe().unwrap());
        command
            .args(["child", "--exact", "--nocapture"])
            .env(ROLE, role)
            .env("ANNULUS_DIR", folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        command
    }

    /// The child alone.
    fn spawn(role: &str, folder: &Path) -> Child {
        Self::command(role, folder).spawn().unwrap()
    }

    fn start_in(role: &str, folder: PathBuf) -> Self {
        Self::of(Self::spawn(role, &folder), folder)
    }

    /// A child, when it is ready.
    fn of(mut child: Child, folder: PathBuf) -> Self {
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut is_skipped = false;
        let is_ready = |line: String| {
            is_skipped |= line.contains("skipped: ");
            line.ends_with("ready")
        };
        assert!(lines.by_ref().map(Result::unwrap).any(is_ready), "the child says when it is ready");
        Self { child, folder, is_skipped, lines }
    }

    fn files(&self) -> Vec<PathBuf> {
        fs::read_dir(&self.folder).unwrap().map(|entry| entry.unwrap().path()).collect()
    }

    #[track_caller]
    fn file(&self) -> PathBuf {
        let files = self.files();
        assert_eq!(files.len(), 1, "{files:?}");
        files[0].clone()
    }

    #[track_caller]
    fn look(&self) -> Process {
        look(&self.file()).unwrap()
    }

    /// Looks until it sees something: the child's threads go their own way.
    #[track_caller]
    fn look_for(&self, what: impl Fn(&Process) -> bool) -> Process {
        let start = Instant::now();
        loop {
            let process = self.look();
            if what(&process) {
                return process;
            }
            assert!(start.elapsed() < Duration::from_secs(60), "{process:#?}");
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// A folder of this test's own.
fn folder(name: &str) -> PathBuf {
    static NUMBER: Mutex<u32> = Mutex::new(0);
    let number = {
        let mut last = NUMBER.lock().unwrap();
        *last += 1;
        *last
    };
    let folder = env::temp_dir().join(format!("annulus-observe-{}-{number}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
    folder
}

/// A file without the zeros at its end, and its length.
fn read_used(path: &Path) -> (Vec<u8>, usize) {
    let mut bytes = fs::read(path).unwrap();
    let length = bytes.len();
    bytes.truncate(bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1));
    (bytes, length)
}

/// Writes a file of this length: these bytes as far as they go, and a hole behind them, as in the files of runtimes.
fn write_used(path: &Path, bytes: &[u8], length: usize) {
    fs::write(path, &bytes[..bytes.len().min(length)]).unwrap();
    fs::File::options().write(true).open(path).unwrap().set_len(length as u64).unwrap();
}

/// What `annulus autopsy` would say of the files in a folder.
#[track_caller]
fn autopsies(folder: &Path) -> String {
    let of = |file: PathBuf| annulus_observe::autopsy(&file).unwrap().to_string();
    fs::read_dir(folder).unwrap().map(|entry| of(entry.unwrap().path())).collect()
}

#[track_caller]
/// The files of a folder with this end of their names.
fn ended_by(folder: &Path, end: &str) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<_> = paths.filter(|path| path.to_str().unwrap().ends_with(end)).collect();
    paths.sort();
    paths
}

fn kernel<'a>(process: &'a Process, name: &str) -> &'a Kernel {
    process.kernels.iter().find(|kernel| kernel.name == name).unwrap_or_else(|| panic!("{process:#?}"))
}

/// T-04, T-07 from outside: state and counts of a kernel, without the help of its process.
#[test]
fn t_04_t_07_a_process_at_work_is_seen_from_outside() {
    let watched = Watched::start("works");
    let asleep = |process: &Process| {
        kernel(process, "sort").shards.iter().all(|shard| Phase::of(shard) == Phase::Asleep)
    };
    let process = watched.look_for(asleep);
    assert_eq!((process.pid, process.liveness), (watched.child.id(), Liveness::Running));
    assert_eq!(process.backend, "cpu");
    assert!(process.executable.contains("watched"), "{}", process.executable);
    assert_eq!(process.kernels.len(), 1);
    let sort = kernel(&process, "sort");
    assert_eq!((&*sort.kernel, &*sort.message, &*sort.output), ("work", "Job", "Job"));
    assert_eq!((sort.actors, sort.inbound_capacity, sort.block), (16, 64, 1));
    assert_eq!((sort.state(), sort.has_ended, sort.copied), (ShardState::Active, false, None));
    assert_eq!(sort.sum(|shard| shard.processed), 10);
    assert_eq!(sort.sum(|shard| shard.failed), 1);
    assert_eq!(sort.sum(|shard| shard.outputs_waiting), 10);
    assert_eq!(sort.sum(|shard| shard.pending), 0);
    assert_eq!(sort.shards[1].last_error, 77);
    assert!(sort.age.unwrap() > Duration::ZERO && sort.age.unwrap() < Duration::from_secs(3600));
}

/// A handler that does not return is named with its message and its key, and what waits behind it.
#[test]
fn o_01_a_hung_handler_is_seen() {
    let watched = Watched::start("hangs");
    let is_in_it = |process: &Process| {
        let shard = &kernel(process, "sort").shards[1];
        Phase::of(shard) == Phase::InHandler && shard.processed == 1
    };
    let first = watched.look_for(is_in_it);
    thread::sleep(Duration::from_millis(50));
    let second = watched.look();
    let at = |process: &Process| kernel(process, "sort").shards[1].at;
    assert_eq!(at(&first), at(&second), "it is where it was");
    let shard = &kernel(&second, "sort").shards[1];
    assert_eq!((Phase::of(shard).message(shard), shard.at.key), (1, 5));
    assert_eq!(shard.pending, 2, "the message that it hangs on, and the one behind");
}

/// A shard that waits until somebody receives says so.
#[test]
fn o_01_a_stall_is_seen() {
    let watched = Watched::start("stalls");
    let is_stalled =
        |process: &Process| Phase::of(&kernel(process, "sort").shards[0]) == Phase::StalledOnHost;
    let process = watched.look_for(is_stalled);
    let sort = kernel(&process, "sort");
    assert_eq!(sort.state(), ShardState::StalledOnHost);
    assert_eq!((sort.shards[0].outputs_waiting, sort.shards[0].pending), (64, 6));
    assert_eq!(ShardState::of(&sort.shards[1]), ShardState::Active);
}

#[test]
fn o_01_links_are_seen() {
    let watched = Watched::start("feeds");
    let process = watched.look();
    let merge = kernel(&process, "merge");
    assert_eq!(kernel(&process, "split").target, Some((merge.id, true)));
    assert_eq!((merge.target, process.kernels.len()), (None, 3));
}

impl Watched {
    /// What `why` says in the end, of looks that are 50 ms apart.
    #[track_caller]
    fn why(&self, wanted: impl Fn(&str) -> bool) -> String {
        let start = Instant::now();
        let mut before = self.look();
        loop {
            let at = Instant::now();
            thread::sleep(Duration::from_millis(50));
            let now = self.look();
            let text = why(&before, &now, at.elapsed()).to_string();
            if wanted(&text) {
                return text;
            }
            assert!(start.elapsed() < Duration::from_secs(60), "{text}");
            before = now;
        }
    }
}

/// Two kernels away from where it hurts, the message that is the cause is named.
#[test]
fn o_01_why_names_the_handler_that_others_wait_for() {
    let watched = Watched::start("chain");
    // It waits before the ring is full, and perhaps before `merge` has begun with its message.
    let whole = "64 messages are in its rings: that is the cause";
    let text = watched.why(|text| text.contains(" is in the handler of ") && text.ends_with(whole));
    assert!(text.starts_with("`split` shard 1 waits for room in `merge`;\n"), "{text}");
    assert!(text.contains("`merge` shard 1 is in the handler of message 0, key 3, for "), "{text}");
}

#[test]
fn o_01_why_names_a_cycle() {
    let watched = Watched::start("cycle");
    let text = watched.why(|text| text.contains("cycle"));
    assert!(text.contains("`ping`, `pong` wait for each other: a cycle"), "{text}");
}

#[test]
fn o_01_why_names_a_kernel_whose_outputs_nobody_receives() {
    let watched = Watched::start("stalls");
    let _ = watched.why(|text| {
        text.contains("nobody receives the outputs, of which 64 wait; 6 messages are in its rings")
    });
}

/// A process that was killed leaves what it was at.
#[test]
fn r_05_a_killed_process_leaves_its_vitals() {
    let mut watched = Watched::start("hangs");
    watched.look_for(|process| Phase::of(&kernel(process, "sort").shards[1]) == Phase::InHandler);
    watched.child.kill().unwrap();
    watched.child.wait().unwrap();
    let process = watched.look();
    assert_eq!(process.liveness, Liveness::Dead);
    let sort = kernel(&process, "sort");
    assert_eq!((sort.age, sort.has_ended), (None, false), "nobody knows when it died");
    assert_eq!(Phase::of(&sort.shards[1]), Phase::InHandler);
    assert_eq!((sort.shards[1].at.key, sort.shards[1].processed), (5, 1));
}

/// A kernel that has ended is shown with its last counts; a runtime that ends in order leaves nothing.
#[test]
fn r_05_what_has_ended_is_remembered_as_long_as_the_runtime() {
    let mut watched = Watched::start("ends");
    let process = watched.look();
    let sort = kernel(&process, "sort");
    assert_eq!((sort.has_ended, sort.state()), (true, ShardState::Ended));
    assert_eq!(sort.sum(|shard| shard.processed), 1);
    assert!(sort.shards.iter().all(|shard| Phase::of(shard) == Phase::Ended));
    drop(watched.child.stdin.take());
    assert!(watched.child.wait().unwrap().success());
    assert_eq!(watched.files(), Vec::<PathBuf>::new());
}

/// Every length that a file is cut off at, and bytes changed anywhere: of a real process's file.
#[test]
fn damaged_files_are_survived() {
    let watched = Watched::start("works");
    let (whole, all) = read_used(&watched.file());
    let folder = folder("damaged");
    let path = folder.join("damaged");
    let told = |bytes: &[u8], length: usize| {
        write_used(&path, bytes, length);
        look(&path).map(|process| process.kernels.len())
    };
    assert_eq!(told(&whole, all).unwrap(), 1);
    // Behind the first entry of the directory and the first two shards there are only zeros.
    for length in (0..6000).step_by(7).chain((6000..all).step_by(40_930)) {
        match told(&whole, length) {
            Err(error) => assert!(length < 512 && error.to_string().contains("cut off"), "{length}: {error}"),
            Ok(kernels) => assert_eq!(
                kernels,
                usize::from(length >= 4096 + size_of::<annulus_abi::vitals::KernelEntry>()),
                "{length}"
            ),
        }
    }
    let mut seed = 1u64;
    for _ in 0..300 {
        let mut changed = whole.clone();
        for _ in 0..20 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let at = (seed >> 33) as usize % 8192;
            changed[at] = (seed >> 20) as u8;
        }
        let _ = told(&changed, all);
    }
    let _ = look(Path::new("/dev/zero")).unwrap_err();
    let _ = look(&folder).unwrap_err();
    assert!(told(b"#!/bin/sh\n", 10).is_err());
    fs::remove_dir_all(&folder).unwrap();
}

/// Looking changes nothing in the file, and does not take its lock.
#[test]
fn watching_is_not_writing() {
    let watched = Watched::start("works");
    watched.look_for(|process| {
        kernel(process, "sort").shards.iter().all(|shard| Phase::of(shard) == Phase::Asleep)
    });
    let before = fs::read(watched.file()).unwrap();
    (0..100).for_each(|_| drop(watched.look()));
    assert_eq!(fs::read(watched.file()).unwrap(), before);
    assert_eq!(fs::metadata(watched.file()).unwrap().permissions().mode() & 0o7777, 0o600);
}

/// A folder that others can look into is refused; the process runs on without a file.
#[test]
fn an_unsafe_folder_is_refused() {
    let folder = folder("unsafe");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    let watched = Watched::start_in("works", folder);
    assert_eq!(watched.files(), Vec::<PathBuf>::new());
}
