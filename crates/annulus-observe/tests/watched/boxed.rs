//! A kernel's black box says what waited, what was being handled, and what came before: after the death of the process, while
//! it lives, of files that were tampered with, and where there is no room.

use std::{
    collections::BTreeMap,
    fs,
    io::Write,
    num::Wrapping,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use annulus::{
    NamedQueue, Vitals,
    kernel::{Described, List, Text},
    prelude::*,
    queue::sync::{AtomicBool, AtomicU64, Ordering},
};
use annulus_observe::{
    BlackBox, Kernel, Liveness, Process, Recorded, RecordedMessage, Unreadable, autopsy, look, read_black_box,
};

use crate::{Watched, ended_by, folder, kernel, ready, robust::Small};

#[derive(DeviceType, Clone, Copy, Default)]
#[repr(u8)]
#[allow(dead_code)] // Its fields are read as bytes.
enum Mood {
    #[default]
    Calm,
    Loud {
        by: i16,
        since: u64,
    },
    Odd(f32),
}

#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Pair(i8, f64);

/// A message of everything that a message may hold.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
pub(crate) struct Note {
    #[ring(key)]
    key: u32,
    /// 1: wait until the gate opens. 2: never return.
    pub(crate) what: u8,
    is_loud: bool,
    mood: Mood,
    pair: Pair,
    few: List<i16, 3>,
    text: Text<9>,
    values: [f32; 2],
    wraps: Wrapping<i64>,
    pub(crate) most: u64,
}

impl Note {
    pub(crate) fn new(key: u32, number: u64, what: u8) -> Self {
        let values = [1.1, f32::NAN, -0.0, 1e20, f32::MAX, 0.3];
        Self {
            key,
            what,
            is_loud: number % 2 == 1,
            mood: match number % 3 {
                0 => Mood::Calm,
                1 => Mood::Loud { by: -(number as i16), since: number << 40 },
                _ => Mood::Odd(0.1 * number as f32),
            },
            pair: Pair(number as i8, 1.0 / (number as f64 + 1.0)),
            few: List::new(&[1, -2, 3][..number as usize % 4]).unwrap(),
            text: Text::new(["", "plain", "\"\\\n\u{1b}", "größe"][number as usize % 4]).unwrap(),
            values: [values[number as usize % 6], number as f32],
            wraps: Wrapping(-(number as i64)),
            most: u64::MAX - number,
        }
    }

    pub(crate) fn json(&self) -> String {
        as_read(&serde_json::to_string(&Described::new(self)).unwrap())
    }
}

/// JSON as a reader of it finds it: 1e20 is 1e+20.
fn as_read(json: &str) -> String {
    serde_json::from_str::<serde_json::Value>(json).unwrap().to_string()
}

static GATE: AtomicBool = AtomicBool::new(false);

/// Opens the gate at the end of a test, also if it fails: a kernel whose handler waits does not end.
struct Opens;

impl Drop for Opens {
    fn drop(&mut self) {
        GATE.store(true, Ordering::Relaxed);
    }
}

#[ring_kernel(cpu_only)]
fn keep(note: &Note, seen: &mut u64) {
    *seen += 1;
    while note.what == 2 || note.what == 1 && !GATE.load(Ordering::Relaxed) {
        thread::sleep(Duration::from_millis(1));
    }
}

/// The vitals files of a folder: black boxes lie beside them.
pub(crate) fn vitals(folder: &Path) -> Vec<PathBuf> {
    ended_by(folder, ".vitals")
}

pub(crate) fn boxes(folder: &Path) -> Vec<PathBuf> {
    ended_by(folder, ".box")
}

#[track_caller]
fn look_for(folder: &Path, what: impl Fn(&Process) -> bool) -> Process {
    let start = Instant::now();
    loop {
        let process = look(&vitals(folder)[0]).unwrap();
        if what(&process) {
            return process;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "{process:#?}");
        thread::sleep(Duration::from_millis(2));
    }
}

pub(crate) fn messages(process: &Process, kernel: &Kernel, state: Recorded) -> Vec<RecordedMessage> {
    let mut black_box = BlackBox::open(process, kernel).unwrap();
    black_box.messages(state).map(Result::unwrap).collect()
}

pub(crate) fn jsons(messages: &[RecordedMessage]) -> Vec<String> {
    messages.iter().map(|message| as_read(message.json.as_ref().unwrap())).collect()
}

/// with whatever a kernel is launched, the box holds its messages by what became of them, as JSON that is that of the
/// messages themselves. The process lives, and asks after itself.
#[test]
fn r_06_a_black_box_holds_what_became_of_messages() {
    let home = folder("boxed-inside");
    let cpu = annulus::Cpu::new().workers(2);
    let runtime = Runtime::builder().backend(cpu).vitals(Vitals::In(home.clone())).build().unwrap();
    let plain = || LaunchOptions::default().actors(8).capacity(16).black_box(true);
    for (name, options, sent) in [
        ("plain", plain(), 5),
        ("laps", plain(), 100),
        ("bare", plain().timestamps(false).calls(false), 30),
        ("shards", plain().grid(3), 100),
        ("batch", plain().mode(ProcessingMode::Batch).max_messages_per_iteration(8), 33),
        ("steps", plain().grid(2).supersteps(true), 20),
        ("tracked", plain().track_latency(true).dead_letters(7), 20),
        ("large", plain().capacity(4096), 5000),
        ("priority", plain().priority(true), 20),
        ("oldest", plain().backpressure(Backpressure::DropOldest), 8),
        ("queues", plain().queue(NamedQueue::new("urgent").capacity(16)), 20),
    ] {
        GATE.store(false, Ordering::Relaxed);
        let kernel = keep::launch(&runtime, options.name(name)).unwrap();
        let _opens = Opens;
        let status = kernel.status();
        let path = status.black_box.clone().expect("it was asked for");
        assert!(status.to_string().ends_with(&format!("; black box {}", path.display())), "{status}");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(boxes(&home), [&*path]);
        // All of one key, so of one shard.
        let notes: Vec<Note> = (0..sent).map(|number| Note::new(4, number, 0)).collect();
        for note in &notes {
            let _ = kernel.send_blocking(*note).unwrap();
        }
        kernel.drained_blocking();
        let behind: Vec<Note> = (0..6).map(|number| Note::new(4, number, u8::from(number == 0))).collect();
        for note in &behind {
            let _ = kernel.send_blocking(*note).unwrap();
        }
        let is_there = |process: &Process| {
            let kernel = crate::kernel(process, name);
            kernel.sum(|shard| shard.processed) >= sent
                && kernel.shards.iter().any(|shard| shard.at.phase == 3)
                && kernel.sum(|shard| shard.waiting()) >= 6
        };
        let process = look_for(&home, is_there);
        let seen = crate::kernel(&process, name);
        assert_eq!(seen.black_box.as_ref(), Some(&path), "{name}");
        let in_handler = messages(&process, seen, Recorded::InHandler);
        assert_eq!(jsons(&in_handler), [behind[0].json()], "{name}");
        let waiting = messages(&process, seen, Recorded::Waiting);
        let expected: Vec<String> = behind[1..].iter().map(Note::json).collect();
        let in_front = seen.sum(|shard| shard.staged) as usize;
        assert_eq!(jsons(&waiting), expected[..5 - in_front], "{name}: the others are in front");
        assert!(in_front == 0 || ["priority", "oldest", "queues"].contains(&name), "{name}");
        let last = messages(&process, seen, Recorded::Last);
        let all: Vec<String> = notes.iter().map(Note::json).collect();
        let capacity = if name == "large" { 4096 } else { 16 };
        let room = capacity - 1 - waiting.len();
        assert_eq!(jsons(&last), all[all.len() - room.min(all.len())..], "{name}");
        let numbers: Vec<u64> = last.iter().chain(&in_handler).chain(&waiting).map(|m| m.number).collect();
        assert!(numbers.windows(2).all(|pair| pair[0] + 1 == pair[1]), "{name}: {numbers:?}");
        let shard = in_handler[0].shard;
        assert!(last.iter().chain(&waiting).all(|message| message.shard == shard), "{name}");
        GATE.store(true, Ordering::Relaxed);
        kernel.drained_blocking();
        kernel.terminate_blocking();
        drop(kernel);
        // The last handle may be a worker's for an instant.
        let start = Instant::now();
        while path.exists() {
            assert!(start.elapsed() < Duration::from_secs(60), "{name}: it is removed with the kernel");
            thread::yield_now();
        }
    }
    drop(runtime);
    fs::remove_dir(&home).expect("nothing is left");
}

struct Stops<'a>(&'a AtomicBool);

impl Drop for Stops<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Words that belong together.
#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
pub(crate) struct Same {
    pub(crate) words: [u64; 12],
}

#[ring_kernel(cpu_only)]
fn swallow(_same: &Same) {}

/// Looks once at the messages of the only kernel of a folder: each has twelve times its number.
pub(crate) fn look_at_same(home: &Path, found: &mut BTreeMap<u64, ()>) {
    let process = look(&vitals(home)[0]).unwrap();
    for state in [Recorded::Last, Recorded::InHandler, Recorded::Waiting] {
        for message in messages(&process, &process.kernels[0], state) {
            let text = message.json.unwrap();
            let words = vec![message.number.to_string(); 12].join(",");
            assert_eq!(text, format!("{{\"words\":[{words}]}}"), "what was sent under this number");
            found.insert(message.number, ());
        }
    }
}

/// N-04: of a kernel at work nothing torn is shown, and nothing under another's number.
#[test]
fn n_04_a_black_box_of_a_kernel_at_work_shows_whole_messages() {
    let home = folder("boxed-live");
    let cpu = annulus::Cpu::new().workers(1);
    let runtime = Runtime::builder().backend(cpu).vitals(Vitals::In(home.clone())).build().unwrap();
    let kernel = swallow::launch(&runtime, LaunchOptions::default().capacity(16).black_box(true)).unwrap();
    let (stop, sent) = (AtomicBool::new(false), AtomicU64::new(0));
    let mut found = BTreeMap::new();
    thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0.. {
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                let _ = kernel.send_blocking(Same { words: [number; 12] }).unwrap();
                sent.store(number, Ordering::Relaxed);
            }
        });
        // Also if an assertion fails, or the sender would go on for ever.
        let _stops = Stops(&stop);
        let start = Instant::now();
        while found.len() < 2000 && start.elapsed() < Duration::from_secs(20) {
            look_at_same(&home, &mut found);
        }
    });
    println!("{} messages seen of {}", found.len(), sent.load(Ordering::Relaxed));
    assert!(found.len() > 100, "{}", found.len());
    drop((kernel, runtime));
    fs::remove_dir(&home).unwrap();
}

/// A process with messages that wait and one in its handler. Then, if it is told to, it faults or aborts.
pub(crate) fn child() {
    let runtime = Runtime::builder().backend(annulus::Cpu::new().workers(2)).build().unwrap();
    let options = |name: &str| LaunchOptions::default().actors(8).grid(2).capacity(16).name(name);
    let unrecorded = keep::launch(&runtime, options("unrecorded")).unwrap();
    let kernel = keep::launch(&runtime, options("recorded").black_box(true)).unwrap();
    for number in 0..20 {
        let _ = kernel.send_blocking(Note::new(4, number, 0)).unwrap();
        let _ = unrecorded.send_blocking(Note::new(4, number, 0)).unwrap();
    }
    kernel.drained_blocking();
    for number in 20..27 {
        let _ = kernel.send_blocking(Note::new(4, number, if number == 20 { 2 } else { 0 })).unwrap();
    }
    ready();
    if fs::exists(std::env::var("ANNULUS_DIR").unwrap() + "/abort").unwrap() {
        std::process::abort();
    }
    let nowhere = std::ptr::without_provenance_mut::<u8>(8);
    // SAFETY: none: nothing is mapped there, and the process is meant to end by it.
    unsafe { nowhere.write_volatile(1) };
}

/// A process that died so, in this folder.
fn died_in(folder: PathBuf, how: &str) -> Watched {
    if how == "abort" {
        fs::write(folder.join("abort"), "").unwrap();
    }
    let mut watched = Watched::start_in("boxed", folder);
    let file = vitals(&watched.folder).pop().unwrap();
    let start = Instant::now();
    while !look(&file).unwrap().kernels.iter().any(|kernel| kernel.shards.iter().any(|s| s.at.phase == 3)) {
        assert!(start.elapsed() < Duration::from_secs(60));
        thread::sleep(Duration::from_millis(2));
    }
    match how {
        "kill" => watched.child.kill().unwrap(),
        _ => drop(watched.child.stdin.take()),
    }
    assert!(!watched.child.wait().unwrap().success());
    watched
}

fn notes(numbers: std::ops::Range<u64>) -> Vec<String> {
    numbers.map(|number| Note::new(4, number, if number == 20 { 2 } else { 0 }).json()).collect()
}

#[track_caller]
fn assert_tells_the_truth(process: &Process) {
    assert_eq!(process.liveness, Liveness::Dead);
    let recorded = kernel(process, "recorded");
    assert_eq!(jsons(&messages(process, recorded, Recorded::Waiting)), notes(21..27));
    assert_eq!(jsons(&messages(process, recorded, Recorded::InHandler)), notes(20..21));
    assert_eq!(jsons(&messages(process, recorded, Recorded::Last)), notes(11..20));
}

/// after a SIGKILL, a fault and an abort, the box says what waited, what was in its handler, and what came before.
#[test]
fn r_06_a_black_box_outlives_its_process() {
    for how in ["kill", "fault", "abort"] {
        let watched = died_in(folder("boxed"), how);
        let file = vitals(&watched.folder).pop().unwrap();
        let process = look(&file).unwrap();
        assert_tells_the_truth(&process);
        let text = autopsy(&file).unwrap().to_string();
        let told = "    black box: 6 messages waiting, 1 in handlers, 9 before them\n";
        assert!(text.contains(told) && text.matches("black box").count() == 1, "{text}");
        let unrecorded = kernel(&process, "unrecorded");
        assert!(matches!(BlackBox::open(&process, unrecorded), Err(Unreadable::NoBlackBox)));
        // Another's box is not this kernel's.
        let path = &kernel(&process, "recorded").black_box.clone().unwrap();
        let mut other = process.clone();
        other.started += 1;
        let opened = BlackBox::open(&other, kernel(&process, "recorded"));
        assert_eq!(opened.unwrap_err().to_string(), "it is no black box");
        fs::remove_file(path).unwrap();
        let text = autopsy(&file).unwrap().to_string();
        assert!(text.contains("    black box: its file is gone\n"), "{text}");
    }
}

/// Numbers that are always the same.
pub(crate) fn random(mut seed: u64) -> impl FnMut() -> u64 {
    move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        seed >> 20
    }
}

/// cut off, flipped, half written, filled with anything: fewer messages or an error, and never a crash.
#[test]
fn r_06_a_damaged_black_box_ends_nobody() {
    let watched = died_in(folder("boxed-damaged"), "kill");
    let process = look(&vitals(&watched.folder)[0]).unwrap();
    let shards = &kernel(&process, "recorded").shards;
    let whole = fs::read(&boxes(&watched.folder)[0]).unwrap();
    let all = read_black_box(&whole, shards).unwrap();
    assert_eq!(all.len(), 16);
    let is_among = |found: &[RecordedMessage]| found.iter().all(|message| all.contains(message));
    for cut in (0..whole.len()).step_by(7) {
        if let Ok(found) = read_black_box(&whole[..cut], shards) {
            assert!(is_among(&found), "{cut}: nothing comes out of damage");
        }
    }
    // Every bit of the header and of the type: their checks find it.
    let first = whole.iter().rposition(|&byte| byte != 0).unwrap().min(4096);
    let described = whole[..first].iter().rposition(|&byte| byte != 0).unwrap() + 1;
    for bit in 0..8 * described {
        let mut flipped = whole.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(read_black_box(&flipped, shards).is_err(), "bit {bit} of the header or the type");
    }
    // A slot that was being written when the process died: its lap is the one before.
    let mut half = whole.clone();
    let slot = (4096..whole.len()).step_by(64).find(|at| half[*at..at + 4] == 2u32.to_ne_bytes()).unwrap();
    half[slot..slot + 4].copy_from_slice(&1u32.to_ne_bytes());
    let found = read_black_box(&half, shards).unwrap();
    assert!(found.len() == 15 && is_among(&found), "{}", found.len());
    // Anything, behind a header that is whole; and any tickets.
    let mut next = random(7);
    for _ in 0..200 {
        let mut changed = whole.clone();
        for _ in 0..400 {
            let at = 4096 + next() as usize % (whole.len() - 4096);
            changed[at] = next() as u8;
        }
        let mut anywhere = shards.clone();
        for shard in &mut anywhere {
            (shard.accepted, shard.pending) = (next() << (next() % 40), next() % 40);
            (shard.at.number, shard.at.count) = (next() << (next() % 40), next());
        }
        assert!(read_black_box(&changed, &anywhere).unwrap().len() <= 32);
        read_black_box(&changed, shards).unwrap();
    }
}

/// Of dead processes the boxes of the newest two are kept, and less if somebody needs the room.
#[test]
fn r_06_boxes_of_the_dead_take_no_room_for_ever() {
    let home = folder("boxed-kept");
    let mut dead: Vec<Watched> = Vec::new();
    for _ in 0..4 {
        dead.push(died_in(home.clone(), "kill"));
    }
    // Each start cleans, so the last one has left two of those before it.
    assert_eq!((vitals(&home).len(), boxes(&home).len()), (4, 3));
    fs::remove_file(&vitals(&home)[0]).unwrap();
    let _another = Watched::start_in("works", home.clone());
    let left = boxes(&home);
    assert!(left.len() <= 2, "{left:?}");

    let Some(small) = Small::mount("boxed-full", "300k") else {
        return println!("skipped: no tmpfs can be mounted here");
    };
    let _dead = died_in(small.0.clone(), "kill");
    let before = boxes(&small.0);
    let runtime = || {
        let cpu = annulus::Cpu::new().workers(1);
        Runtime::builder().backend(cpu).vitals(Vitals::In(small.0.clone())).build().unwrap()
    };
    let runtime = runtime();
    let mut filler = fs::File::create(small.0.join("filler")).unwrap();
    while filler.write(&[1; 4096]).is_ok_and(|written| written != 0) {}
    filler.set_len(filler.metadata().unwrap().len().saturating_sub(20 << 10)).unwrap();
    let options = LaunchOptions::default().actors(8).capacity(16).black_box(true);
    let kernel = keep::launch(&runtime, options.clone()).unwrap();
    assert!(!before[0].exists() && boxes(&small.0).len() == 1, "the one who lives has the room of the dead");
    // Without any room the launch says so, and nothing is left behind.
    let full = keep::launch(&runtime, options.name("more").capacity(4096)).map(drop).unwrap_err();
    let text = full.to_string();
    for words in
        ["`keep` cannot have a black box: ", "No space left on device", "smaller capacity", "ANNULUS_DIR"]
    {
        assert!(text.contains(words), "{text}");
    }
    let entries = fs::read_dir(&small.0).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(entries.into_iter().all(|name| !name.to_str().unwrap().ends_with(".new")));
    let _ = kernel.send_blocking(Note::new(1, 0, 0)).unwrap();
    kernel.drained_blocking();
    assert_eq!(kernel.status().processed, 1);
}

/// A message that only the host can hold.
#[derive(RingMessage, Clone, Debug)]
struct Letter {
    text: String,
}

#[ring_kernel(cpu_only)]
fn file_away(_letter: &Letter) {}

#[ring_kernel]
fn anywhere(_same: &Same) {}

/// What cannot have a box is refused, with the remedy: without vitals, of bridged messages.
#[test]
fn r_06_what_has_no_black_box_is_refused() {
    let options = || LaunchOptions::default().black_box(true);
    let off = Runtime::builder().backend(annulus::Cpu::new()).vitals(Vitals::Off).build().unwrap();
    let text = anywhere::launch(&off, options()).map(drop).unwrap_err().to_string();
    assert!(text.contains("there is none: build the runtime with vitals"), "{text}");
    assert!(text.ends_with("; or leave black_box out"), "{text}");
    assert!(anywhere::launch(&off, options().black_box(false)).is_ok());
    let text = file_away::launch(&off, options()).map(drop).unwrap_err().to_string();
    assert!(
        text.contains("takes bridged messages, of type Letter") && text.contains("leave black_box out"),
        "{text}"
    );
}
