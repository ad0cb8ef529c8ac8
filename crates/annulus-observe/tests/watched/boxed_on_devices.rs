//! The black box of a kernel on a device says after the death of its process, and before, what it says on the CPU.

use std::{
    collections::BTreeMap,
    env, fs,
    mem::offset_of,
    os::unix::fs::PermissionsExt,
    path::PathBuf,
    thread,
    time::{Duration, Instant},
};

use annulus::{Cuda, OpenCl, Vitals, prelude::*};
use annulus_abi::vitals::black_box::BoxHeader;
use annulus_observe::{Kernel, Liveness, Process, Recorded, autopsy, look, read_black_box};

use crate::{
    Device, ON_CUDA, Watched,
    boxed::{Note, Same, boxes, jsons, look_at_same, messages, random, vitals},
    kernel, ready, take_minutes,
};

/// Takes minutes over a note of which `what` is 2.
#[ring_kernel(untested, loop_budget = 4294967295)]
fn hold(note: &Note, seen: &mut u64) {
    let x = take_minutes(note.most, note.what == 2);
    *seen = seen.wrapping_add(1 + (x & 1));
}

#[ring_kernel(untested)]
fn absorb(_same: &Same) {}

/// How the watched process' device is opened.
const HOW: &str = "ANNULUS_TEST_HOW";

/// In the watched process, opened in the way that it was told. `None`, and says so, if this machine has no OpenCL.
fn runtime() -> Option<Runtime> {
    let how = env::var(HOW).unwrap_or_default();
    let vitals = if how == "off" { Vitals::Off } else { Vitals::Usual };
    if env::var_os(ON_CUDA).is_some() {
        let cuda = Cuda::new().without_cache().threads_per_block(1);
        let cuda = if how == "epochs" { cuda.force_epochs() } else { cuda };
        return Some(
            Runtime::builder().backend(cuda).vitals(vitals).build().expect("the stand-in for CUDA runs"),
        );
    }
    let opencl = OpenCl::new().resident_groups(32);
    let opencl = match &*how {
        "epochs" => opencl.force_epochs(),
        "buffers" => opencl.force_mapped_buffers(),
        "portable" => opencl.force_portable(),
        _ => opencl,
    };
    let runtime = Runtime::builder().backend(opencl).vitals(vitals).build();
    runtime
        .inspect_err(|error| {
            println!("skipped: {error}");
            ready();
        })
        .ok()
}

fn options(name: &str) -> LaunchOptions {
    LaunchOptions::default().actors(8).capacity(16).name(name).black_box(true)
}

/// Those launched by the child that rest: how many notes were handled before. On a device that is opened in another way
/// the first ones alone.
fn resting(how: &str) -> &'static [(&'static str, u64)] {
    let all = &[
        ("sealed", 40),
        ("laps", 100),
        ("steps", 20),
        ("few", 5),
        ("bare", 30),
        ("shards", 100),
        ("batch", 33),
        ("tracked", 20),
        ("connected", 20),
    ];
    if how.is_empty() { all } else { &all[..3] }
}

fn of_resting(name: &str) -> LaunchOptions {
    let plain = options(name);
    match name {
        "bare" => plain.timestamps(false).calls(false),
        "shards" => plain.grid(3),
        "batch" => plain.mode(ProcessingMode::Batch).max_messages_per_iteration(8),
        // On CUDA its slots are sealed.
        "sealed" => plain.block(4).timestamps(false).calls(false),
        "steps" => plain.grid(2).supersteps(true),
        "tracked" => plain.track_latency(true).dead_letters(7),
        "connected" => plain.connectable(true),
        _ => plain,
    }
}

/// The watched process: kernels that have handled notes and rest, with six more waiting, and one that is in its handler.
pub(crate) fn child() {
    let Some(runtime) = runtime() else { return };
    let mut kernels = Vec::new();
    let how = env::var(HOW).unwrap_or_default();
    for &(name, sent) in resting(&how) {
        let kernel = hold::launch(&runtime, of_resting(name)).unwrap();
        for number in 0..sent {
            let _ = kernel.send_blocking(Note::new(4, number, 0)).unwrap();
        }
        kernel.drained_blocking();
        kernel.deactivate_blocking().unwrap();
        for number in sent..sent + 6 {
            let _ = kernel.send_blocking(Note::new(4, number, 0)).unwrap();
        }
        let status = kernel.status();
        let path = status.black_box.clone().expect("it was asked for");
        assert!(status.to_string().ends_with(&format!("; black box {}", path.display())), "{status}");
        kernels.push(kernel);
    }
    // That of a kernel that has ended is gone, whatever stays on the device.
    let ends = hold::launch(&runtime, options("ended")).unwrap();
    let path = ends.status().black_box.expect("it was asked for");
    let _ = ends.send_blocking(Note::new(4, 0, 0)).unwrap();
    ends.drained_blocking();
    ends.terminate_blocking();
    assert!(path.exists());
    drop(ends);
    let start = Instant::now();
    while path.exists() {
        assert!(start.elapsed() < Duration::from_secs(60), "it is removed with the kernel");
        thread::yield_now();
    }
    let unrecorded = hold::launch(&runtime, options("unrecorded").black_box(false)).unwrap();
    let recorded = hold::launch(&runtime, options("recorded").grid(2)).unwrap();
    for number in 0..20 {
        let _ = recorded.send_blocking(Note::new(4, number, 0)).unwrap();
        let _ = unrecorded.send_blocking(Note::new(4, number, 0)).unwrap();
    }
    recorded.drained_blocking();
    for number in 20..27 {
        let _ = recorded.send_blocking(Note::new(4, number, if number == 20 { 2 } else { 0 })).unwrap();
    }
    ready();
    if fs::exists(env::var("ANNULUS_DIR").unwrap() + "/abort").unwrap() {
        std::process::abort();
    }
}

/// The watched process: a kernel that takes messages of sealed slots all the time.
pub(crate) fn streams() {
    let Some(runtime) = runtime() else { return };
    let options = LaunchOptions::default().capacity(16).black_box(true).timestamps(false).calls(false);
    let kernel = absorb::launch(&runtime, options.block(4)).unwrap();
    let mut number = 0;
    thread::scope(|scope| {
        scope.spawn(|| {
            ready();
            std::process::exit(0);
        });
        loop {
            let _ = kernel.send_blocking(Same { words: [number; 12] }).unwrap();
            number += 1;
        }
    });
}

/// The watched process: says why there is no black box.
pub(crate) fn refused() {
    let Some(runtime) = runtime() else { return };
    let error = hold::launch(&runtime, options("refused")).map(drop).unwrap_err();
    fs::write(PathBuf::from(env::var("ANNULUS_DIR").unwrap()).join("said"), error.to_string()).unwrap();
    assert!(hold::launch(&runtime, options("without").black_box(false)).is_ok());
    ready();
}

fn notes(numbers: std::ops::Range<u64>) -> Vec<String> {
    numbers.map(|number| Note::new(4, number, if number == 20 { 2 } else { 0 }).json()).collect()
}

/// The three lists of a kernel's messages.
fn lists(process: &Process, kernel: &Kernel) -> [Vec<String>; 3] {
    [Recorded::Waiting, Recorded::InHandler, Recorded::Last]
        .map(|state| jsons(&messages(process, kernel, state)))
}

fn plain(numbers: std::ops::Range<u64>) -> Vec<String> {
    numbers.map(|number| Note::new(4, number, 0).json()).collect()
}

#[track_caller]
fn assert_tells_the_truth(process: &Process, how: &str) {
    let recorded = kernel(process, "recorded");
    assert_eq!(lists(process, recorded), [notes(21..27), notes(20..21), notes(11..20)]);
    for &(name, sent) in resting(how) {
        let resting = kernel(process, name);
        let expected = [plain(sent..sent + 6), Vec::new(), plain(sent.saturating_sub(10)..sent)];
        assert_eq!(lists(process, resting), expected, "{name}");
    }
}

/// The child is in the handler, as its black box says: the vitals file has copies, which come later.
fn look_for_handler(watched: &Watched) -> Process {
    let start = Instant::now();
    loop {
        let process = look(&vitals(&watched.folder)[0]).unwrap();
        if !messages(&process, kernel(&process, "recorded"), Recorded::InHandler).is_empty() {
            return process;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "{process:#?}");
        thread::sleep(Duration::from_millis(2));
    }
}

/// R-06 on a device: before and after a SIGKILL or an abort, the box says what waited, what was in its handler, and what came
/// before.
fn outlives(device: Device, how: &str, end: &str) {
    let mut variables = vec![(HOW, how)];
    // Of a processor it is true, though the driver does not say it.
    variables.extend((how == "system").then_some(("ANNULUS_OPENCL_BELIEVED_SYSTEM", "1")));
    let Some(mut watched) = Watched::start_with(device, "boxed_on_a_device", &variables) else { return };
    let process = look_for_handler(&watched);
    assert_eq!(process.liveness, Liveness::Running);
    assert_tells_the_truth(&process, how);
    let is_sealed = |name: &str| {
        let bytes = fs::read(kernel(&process, name).black_box.as_ref().unwrap()).unwrap();
        bytes[offset_of!(BoxHeader, units)..][..8] != [0; 8]
    };
    // As far as this processor can seal slots.
    #[cfg(target_arch = "x86_64")]
    let offered = std::arch::is_x86_feature_detected!("avx");
    #[cfg(not(target_arch = "x86_64"))]
    let offered = false;
    assert_eq!((is_sealed("sealed"), is_sealed("laps")), (device == Device::Cuda && offered, false));
    for path in boxes(&watched.folder) {
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    match end {
        "kill" => watched.child.kill().unwrap(),
        _ => {
            fs::write(watched.folder.join("abort"), "").unwrap();
            drop(watched.child.stdin.take());
        }
    }
    assert!(!watched.child.wait().unwrap().success());
    let file = vitals(&watched.folder).pop().unwrap();
    let process = look(&file).unwrap();
    assert_eq!(process.liveness, Liveness::Dead);
    assert_tells_the_truth(&process, how);
    let text = autopsy(&file).unwrap().to_string();
    let counts = |told: &str| {
        text.matches(&format!("    black box: 6 messages waiting, {told} before them\n")).count()
    };
    let few = resting(how).iter().filter(|(_, sent)| *sent < 10).count();
    let rest = resting(how).len() - few;
    assert_eq!(
        [counts("1 in handlers, 9"), counts("0 in handlers, 5"), counts("0 in handlers, 10")],
        [1, few, rest]
    );
    assert_eq!(text.matches("    black box: ").count(), 1 + few + rest, "{text}");
    assert_eq!(boxes(&watched.folder).len(), 1 + few + rest);
    if how.is_empty() {
        damaged(&process);
    }
}

/// cut off, flipped, filled with anything: fewer messages or an error, and never a crash. Tickets and what the blocks are
/// at lie in the file, too.
fn damaged(process: &Process) {
    for name in ["recorded", "sealed"] {
        let kernel = kernel(process, name);
        let whole = fs::read(kernel.black_box.as_ref().unwrap()).unwrap();
        let all = read_black_box(&whole, &kernel.shards).unwrap();
        assert_eq!(all.len(), 16, "{name}");
        for cut in (0..whole.len()).step_by(197) {
            if let Ok(found) = read_black_box(&whole[..cut], &kernel.shards) {
                // Without what the blocks are at, nothing is in a handler.
                let is_known = |number: u64, json: &Result<String, String>| {
                    all.iter().any(|known| (known.number, &known.json) == (number, json))
                };
                assert!(found.iter().all(|message| is_known(message.number, &message.json)), "{name}: {cut}");
            }
        }
        for bit in 0..8 * 256 {
            let mut flipped = whole.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(read_black_box(&flipped, &kernel.shards).is_err(), "{name}: bit {bit} of the header");
        }
        let mut next = random(11);
        for _ in 0..100 {
            let mut changed = whole.clone();
            for _ in 0..400 {
                let at = 4096 + next() as usize % (whole.len() - 4096);
                changed[at] = next() as u8;
            }
            assert!(read_black_box(&changed, &kernel.shards).unwrap().len() <= 32);
        }
    }
}

#[test]
fn r_06_a_black_box_on_opencl_outlives_its_process() {
    outlives(Device::OpenCl, "", "kill");
    outlives(Device::OpenCl, "buffers", "abort");
}

/// A box holds what it held at the end of an epoch; where host and kernels see each other's writes, it holds what came since.
#[test]
fn r_06_a_black_box_in_epochs_outlives_its_process() {
    outlives(Device::OpenCl, "epochs", "kill");
    outlives(Device::Cuda, "epochs", "kill");
}

#[test]
fn r_06_a_black_box_on_other_devices_of_opencl_outlives_its_process() {
    outlives(Device::OpenCl, "portable", "kill");
    outlives(Device::OpenCl, "system", "kill");
}

#[test]
fn r_06_a_black_box_on_cuda_outlives_its_process() {
    outlives(Device::Cuda, "", "kill");
}

/// N-04, R-06: of a kernel at work nothing torn is shown, and nothing under another's number; also of sealed slots. When its
/// process is killed, all slots are shown, though the copies of its tickets are older than many laps.
#[test]
fn n_04_a_black_box_of_a_device_at_work_shows_whole_messages() {
    for device in Device::ALL {
        let Some(mut watched) = Watched::start_with(device, "boxed_streams", &[]) else { continue };
        let start = Instant::now();
        let mut found = BTreeMap::new();
        while found.len() < 1000 && start.elapsed() < Duration::from_secs(10) {
            look_at_same(&watched.folder, &mut found);
        }
        println!("{device:?}: {} messages seen", found.len());
        assert!(found.len() > 50, "{device:?}: {}", found.len());
        watched.child.kill().unwrap();
        watched.child.wait().unwrap();
        let before = *found.last_key_value().unwrap().0;
        found.clear();
        look_at_same(&watched.folder, &mut found);
        let numbers: Vec<u64> = found.into_keys().collect();
        // The last one may have been half written.
        assert!(numbers.len() == 15 || numbers.len() == 16, "{device:?}: {numbers:?}");
        assert!(numbers.windows(2).all(|pair| pair[0] + 1 == pair[1]), "{device:?}: {numbers:?}");
        assert!(numbers[0] + 16 > before, "{device:?}: {numbers:?} and {before}");
    }
}

/// What cannot have a box is refused, with device, reason and remedy; without it the same kernel is launched.
#[test]
fn r_06_a_device_without_a_black_box_says_why() {
    let no_attribute = "which `Annulus stand-in` cannot use: its driver registers no memory of the process (CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED); launch \
         it on the CPU backend; or leave black_box out";
    let no_vitals = "there is none: build the runtime with vitals, in a folder with room, on Linux; or leave black_box out";
    for (device, variables, told) in [
        (Device::Cuda, &[("ANNULUS_STAND_IN_ATTRIBUTES", "99=0")][..], no_attribute),
        (Device::OpenCl, &[(HOW, "off")], no_vitals),
        (Device::Cuda, &[(HOW, "off")], no_vitals),
    ] {
        let Some(mut watched) = Watched::start_with(device, "boxed_refused", variables) else { continue };
        drop(watched.child.stdin.take());
        assert!(watched.child.wait().unwrap().success());
        let said = fs::read_to_string(watched.folder.join("said")).unwrap();
        assert!(said.starts_with("`hold` cannot have a black box: ") && said.contains(told), "{said}");
        assert!(boxes(&watched.folder).is_empty());
    }
}
