//! What is wrong with a file is told, whether its process is dead or lives; and what a process changes itself is not called
//! wrong.

use std::{
    fs,
    os::unix::fs::FileExt,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use annulus::prelude::*;
use annulus_abi::vitals::{CHANGING, KernelEntry, read::Vitals};
use annulus_observe::{FileDamage, Liveness, autopsy, look};
use annulus_sync::{AtomicBool, Ordering};

use crate::{Watched, read_used, ready, work, write_used};

const ENTRY: usize = size_of::<KernelEntry>();

/// Launches kernels and ends them, so that entries are used again and again.
pub(crate) fn relaunches() {
    let builder = Runtime::builder().backend(annulus::Cpu::new().workers(2));
    let runtime = builder.telemetry_lines(3).build().unwrap();
    let goes_on = AtomicBool::new(true);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut number = 0;
            while goes_on.load(Ordering::Relaxed) {
                number += 1;
                let options = LaunchOptions::default().actors(4).name(format!("number {number}"));
                work::launch(&runtime, options).unwrap().terminate_blocking();
            }
        });
        ready();
        goes_on.store(false, Ordering::Relaxed);
    });
}

/// The damage of a file with these bytes, with what `autopsy` and the metrics say of it.
fn told(path: &Path, bytes: &[u8], length: usize) -> (FileDamage, String) {
    write_used(path, bytes, length);
    let found = autopsy(path).unwrap();
    let text = found.to_string();
    assert_eq!(text.contains(" is damaged: "), !found.process.damage.is_none(), "{text}");
    assert_eq!(found.process.damage, look(path).unwrap().damage);
    (found.process.damage, text)
}

/// of a process that was killed: a file that was cut off, overwritten, flipped.
#[test]
fn r_06_damage_is_told_of_the_dead() {
    let mut watched = Watched::start("works");
    watched.child.kill().unwrap();
    watched.child.wait().unwrap();
    let (whole, length) = read_used(&watched.file());
    let vitals = Vitals::new(&whole).unwrap();
    let (entries, shards) = (vitals.directory_begin() as usize, vitals.shards_begin() as usize);
    let records = vitals.records().unwrap().0 as usize;
    assert_eq!(
        vitals.promised() as usize,
        length.next_multiple_of(4096) - 4096 + 64,
        "the page of requests is the last"
    );
    let path = watched.folder.join("copy");
    let told = |bytes: &[u8], length: usize| told(&path, bytes, length);
    assert!(told(&whole, length).0.is_none());

    // Cut off behind the header, within the directory, before the shards, within them, and behind them.
    let promised = vitals.promised();
    for (cut, kernels) in [
        (512, 0),
        (entries + ENTRY - 8, 0),
        (entries + ENTRY, 1),
        (shards, 1),
        (shards + 1500, 1),
        (records, 1),
        (length - 4096, 1),
    ] {
        let (damage, text) = told(&whole, cut);
        let lacks_shards = usize::from(kernels == 1 && cut < shards + 2048);
        let expected =
            FileDamage { entries: 0, missing: promised - cut as u64, without_shards: lacks_shards };
        assert_eq!(damage, expected, "{cut}: {text}");
        let end = if lacks_shards == 1 { ", with shards of 1 kernel" } else { "" };
        let missing = promised - cut as u64;
        let line = format!(
            "  {} is damaged: it was cut off: its last {missing} bytes are missing{end}. What is left is shown; the rest is \
             not to be trusted. Remove the file when you have read it.\n",
            path.display()
        );
        assert!(text.contains(&line), "{line} in {text}");
        assert_eq!(text.contains("no kernels that can be read"), kernels == 0, "{text}");
        assert_eq!(text.contains("`sort`: "), kernels == 1, "{text}");
    }
    // The directory overwritten.
    for with in [0xFF, 0x41] {
        let mut over = whole.clone();
        over[entries..entries + 3 * ENTRY].fill(with);
        let (damage, text) = told(&over, length);
        assert_eq!(damage, FileDamage { entries: 3, ..FileDamage::default() });
        assert!(
            text.contains("3 entries of its directory do not match their checks. What is left"),
            "{text}"
        );
        assert!(text.contains("no kernels that can be read"), "{text}");
        assert!(text.contains("  launch 1: launched, 2 shards\n"), "its events are still there: {text}");
    }
    // One bit of what the check covers.
    for bit in (8 * CHANGING..8 * ENTRY).step_by(37) {
        let mut flipped = whole.clone();
        flipped[entries + bit / 8] ^= 1 << (bit % 8);
        assert_eq!(told(&flipped, length).0, FileDamage { entries: 1, ..FileDamage::default() }, "bit {bit}");
    }
    // Both.
    let mut flipped = whole.clone();
    flipped[entries + 200] ^= 1;
    let text = told(&flipped, records).1;
    assert!(
        text.contains("1 entry of its directory does not match its check, and it was cut off: "),
        "{text}"
    );
}

/// of a process that lives: an entry that something else has overwritten. The process works on.
#[test]
fn r_06_damage_is_told_of_the_living() {
    let watched = Watched::start("works");
    let path = watched.file();
    assert!(watched.look().damage.is_none());
    let begin = Vitals::new(&read_used(&path).0).unwrap().directory_begin();
    let file = fs::File::options().write(true).open(&path).unwrap();
    file.write_all_at(b"other", begin + 192).unwrap();
    let process = watched.look();
    assert_eq!((process.liveness, process.kernels.len(), process.damage.entries), (Liveness::Running, 0, 1));
    let told = process.told_damage().unwrap();
    assert!(told.ends_with("The process works on: start it anew to see it whole."), "{told}");
    file.write_all_at(b"sort\0", begin + 192).unwrap();
    assert!(watched.look().damage.is_none(), "the damage was in the name alone");
    assert_eq!(watched.look().kernels.len(), 1);
}

/// entries that their process gives to other kernels all the time are never called damaged.
#[test]
fn r_06_what_a_process_changes_is_no_damage() {
    let watched = Watched::start("relaunches");
    let path = watched.file();
    let mut attached = annulus_observe::Attached::open(&path).unwrap();
    let start = Instant::now();
    let mut numbers = std::collections::BTreeSet::new();
    while numbers.len() < 200 || start.elapsed() < Duration::from_secs(1) {
        let process = attached.look().unwrap();
        assert!(process.damage.is_none(), "{:?}", process.damage);
        numbers.extend(process.kernels.iter().map(|kernel| kernel.id));
        assert!(start.elapsed() < Duration::from_secs(300), "{numbers:?}");
    }
}
