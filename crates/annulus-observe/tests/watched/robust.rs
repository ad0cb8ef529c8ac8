//! What is told of a process that was killed, faulted, ran out of room, or whose file was tampered with: the truth,
//! and never a crash.

use std::{
    fs,
    io::{BufRead, Write},
    os::unix::{fs::PermissionsExt, process::ExitStatusExt},
    path::{Path, PathBuf},
    process::Command,
};

use annulus::prelude::*;
use annulus_abi::vitals::{VitalsHeader, check, read::Vitals};
use annulus_observe::{Autopsy, Liveness, Phase, autopsy, look, why};

use crate::{Job, ROLE, Watched, folder, kernel, read_used, ready, work, write_used};

const SIGKILL: i32 = 9;
const SIGSEGV: i32 = 11;

/// A process with failures and drops, which hangs in a handler; then, if it is told to, it faults.
pub(crate) fn dies() {
    let runtime = Runtime::builder().backend(annulus::Cpu::new().workers(3)).build().unwrap();
    let options = |name: &str| LaunchOptions::default().actors(16).grid(2).name(name);
    let job = |key, what| Job { key, what };
    let brief = work::launch(&runtime, options("brief")).unwrap();
    brief.terminate_blocking();
    let full = work::launch(&runtime, options("full").capacity(16).active(false)).unwrap();
    let rejected = (0..19).filter(|_| full.try_send(job(2, 0)).is_err()).count();
    assert_eq!(rejected, 3);
    let sort = work::launch(&runtime, options("sort").capacity(64)).unwrap();
    for (key, what) in [(4, 0), (3, 1), (4, 0)] {
        let _ = sort.send_blocking(job(key, what)).unwrap();
    }
    sort.drained_blocking();
    for what in [2, 0, 0] {
        let _ = sort.send_blocking(job(5, what)).unwrap();
    }
    ready();
    let nowhere = std::ptr::without_provenance_mut::<u8>(8);
    // SAFETY: none: nothing is mapped there, and the process is meant to end by it.
    unsafe { nowhere.write_volatile(1) };
}

/// A process whose vitals find no room after its first kernel. It runs on.
pub(crate) fn fills() {
    let runtime = Runtime::builder().backend(annulus::Cpu::new().workers(3)).build().unwrap();
    let options = |name: &str| LaunchOptions::default().actors(64).grid(64).name(name);
    let seen = work::launch(&runtime, options("seen").grid(2)).unwrap();
    println!("fill it");
    std::io::stdout().flush().unwrap();
    let _ = std::io::stdin().lock().read_line(&mut String::new());
    for name in ["unseen", "unseen, too"] {
        let kernel = work::launch(&runtime, options(name)).unwrap();
        for key in 0..64 {
            let _ = kernel.send_blocking(Job { key, what: key % 2 }).unwrap();
        }
        kernel.drained_blocking();
        let status = kernel.status();
        assert_eq!((status.processed, status.drops.failed), (32, 32));
    }
    // More records than the pages that were claimed have room for.
    for key in 0..200 {
        let _ = seen.send_blocking(Job { key: key % 16, what: 1 }).unwrap();
        seen.drained_blocking();
        let _ = seen.deactivate_blocking();
        let _ = seen.activate_blocking();
    }
    ready();
}

/// A process that died by this signal: it hung in a handler, with failures and drops before.
fn killed_by(signal: i32) -> Watched {
    let mut watched = Watched::start("dies");
    watched.look_for(|process| {
        let shard = &kernel(process, "sort").shards[1];
        Phase::of(shard) == Phase::InHandler && shard.pending == 3
    });
    match signal {
        SIGKILL => watched.child.kill().unwrap(),
        _ => drop(watched.child.stdin.take()),
    }
    assert_eq!(watched.child.wait().unwrap().signal(), Some(signal));
    watched
}

#[track_caller]
fn assert_tells_the_truth(found: &Autopsy, pid: u32) {
    let text = found.to_string();
    assert_eq!(found.process.liveness, Liveness::Dead);
    let first = text.lines().next().unwrap();
    assert!(first.starts_with(&format!("process {pid}, cpu, ")), "{text}");
    assert!(first.ends_with(": it died without ending its runtime"), "{text}");
    assert!(text.contains("  `full`: 0 handled, 16 in its rings, 3 rejected\n"), "{text}");
    assert!(text.contains("  `brief`: 0 handled\n    it had ended\n"), "{text}");
    assert!(text.contains("    shard 0: inactive, 16 messages in its ring\n"), "{text}");
    let hung = "    shard 1: in handler, message 1, key 5, 3 messages in its ring; last failure: code 77, message 0, key 3\n";
    assert!(text.contains(hung), "{text}");
    // The events, in their order.
    let mut rest = &*text;
    for event in [
        "`brief`: launched, 2 shards",
        "`brief`: terminated, 0 handled, 0 left",
        "`full`: launched, 2 shards",
        "`full`: dropped: 1 rejected so far",
        "`full`: dropped: 3 rejected so far",
        "`sort`: ready",
        "`sort`: failed in shard 1: code 77, message 0, key 3",
    ] {
        let Some((_, behind)) = rest.split_once(event) else {
            panic!("{event} is missing, or elsewhere: {text}")
        };
        rest = behind;
    }
    let times: Vec<_> = found.records.iter().map(|record| record.time).collect();
    assert!(times.iter().all(|time| *time != 0), "{times:?}");
}

/// after a SIGKILL the file says what each shard was at, what failed, what was dropped, what happened.
#[test]
fn r_06_autopsy_of_a_killed_process() {
    let watched = killed_by(SIGKILL);
    assert_tells_the_truth(&autopsy(&watched.file()).unwrap(), watched.child.id());
}

/// the same after a fault, whose number is then used by a process that lives; and of any damage to the file.
#[test]
fn r_06_autopsy_of_a_fault_of_a_reused_number_and_of_damage() {
    let watched = killed_by(SIGSEGV);
    let (whole, length) = read_used(&watched.file());
    assert_tells_the_truth(&autopsy(&watched.file()).unwrap(), watched.child.id());

    // Only the lock tells who lives, so a number that is used again misleads nobody.
    let mut reused = whole.clone();
    reused[44..48].copy_from_slice(&std::process::id().to_ne_bytes());
    let words: Vec<u64> = reused[..size_of::<VitalsHeader>()]
        .chunks_exact(8)
        .map(|word| u64::from_ne_bytes(word.try_into().unwrap()))
        .collect();
    let (_, checked) = words.split_last().unwrap();
    reused[size_of::<VitalsHeader>() - 8..size_of::<VitalsHeader>()]
        .copy_from_slice(&check(checked).to_ne_bytes());
    write_used(&watched.file(), &reused, length);
    assert_tells_the_truth(&autopsy(&watched.file()).unwrap(), std::process::id());

    // Cut off anywhere: fewer kernels, fewer records, or an error.
    let path = watched.folder.join("damaged");
    let told = |bytes: &[u8], length: usize| {
        write_used(&path, bytes, length);
        autopsy(&path).map(|found| {
            let process = look(&path).unwrap();
            (
                found.process.kernels.len(),
                found.records.len(),
                found.to_string(),
                why(&process, &process, LONG),
            )
        })
    };
    let all = told(&whole, length).unwrap();
    assert_eq!(all.0, 3);
    let records_at = Vitals::new(&whole).unwrap().records().expect("it has a recorder").0 as usize;
    let around = records_at - 64..records_at + 64 * (all.1 + 2);
    for cut in (0..12_000).step_by(61).chain(around.step_by(17)) {
        if let Ok((kernels, records, ..)) = told(&whole, cut) {
            assert!(kernels <= all.0 && records <= all.1, "{cut}");
            assert!(cut < records_at || kernels == 3, "{cut}: records are behind all kernels");
        }
    }
    // Flipped and overwritten bytes, anywhere that is used.
    let mut seed = 7u64;
    for round in 0..300 {
        let mut changed = whole.clone();
        for _ in 0..40 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let within = if round % 2 == 0 { 512..12_000 } else { records_at..records_at + 64 * all.1 };
            let at = within.start + (seed >> 33) as usize % within.len();
            changed[at] = (seed >> 20) as u8;
        }
        if let Ok((_, records, ..)) = told(&changed, length) {
            assert!(records <= all.1, "no record comes out of damage");
        }
    }
    // Half written: a record of which only the first words were stored.
    let mut half = whole.clone();
    let first = records_at + 64;
    half[first + 32..first + 64].fill(0);
    assert_eq!(told(&half, length).unwrap().1, all.1 - 1);
}

const LONG: std::time::Duration = std::time::Duration::from_secs(1);

/// A small tmpfs, gone after the test.
pub(crate) struct Small(pub(crate) PathBuf);

impl Small {
    pub(crate) fn mount(name: &str, size: &str) -> Option<Self> {
        let folder = folder(name);
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={size},mode=700"), "annulus-test"])
            .arg(&folder)
            .status();
        if mounted.is_ok_and(|status| status.success()) {
            return Some(Self(folder));
        }
        let _ = fs::remove_dir_all(&folder);
        None
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
        let _ = fs::remove_dir(&self.0);
    }
}

/// R-06, O-01: the file system of the vitals is full: kernels run on unseen, records are lost, and nobody crashes.
#[test]
fn r_06_a_full_tmpfs_ends_nobody() {
    let Some(small) = Small::mount("full", "64k") else {
        return println!("skipped: no tmpfs can be mounted here");
    };
    let mut child = Watched::spawn("fills", &small.0);
    let mut lines = std::io::BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.by_ref().any(|line| line.ends_with("fill it")));
    let mut filler = fs::File::create(small.0.join("filler")).unwrap();
    while filler.write(&[1; 4096]).is_ok_and(|written| written != 0) {}
    child.stdin.as_mut().unwrap().write_all(b"full\n").unwrap();
    assert!(lines.by_ref().any(|line| line.ends_with("ready")), "it lives, and its kernels work");
    let files: Vec<_> = vitals(&small.0);
    let found = autopsy(&files[0]).unwrap();
    let names: Vec<_> = found.process.kernels.iter().map(|kernel| &*kernel.name).collect();
    assert_eq!((files.len(), found.process.liveness, names), (1, Liveness::Running, vec!["seen"]));
    let seen = kernel(&found.process, "seen");
    assert_eq!(seen.sum(|shard| shard.failed), 200);
    assert!(!found.records.is_empty() && found.records.len() < 400, "one page of records, or a few");
    assert!(found.to_string().contains("it lives; this is what it is at"));
    // No file can be made at all: the runtime goes without.
    let mut without = Watched::spawn("works", &small.0);
    let mut lines = std::io::BufReader::new(without.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.by_ref().any(|line| line.ends_with("ready")), "it lives, too");
    assert_eq!(vitals(&small.0), files);
    for child in [&mut child, &mut without] {
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

fn vitals(folder: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "vitals")).collect()
}

/// What others may have made is not believed: files of other users, and folders that others may write to.
#[test]
fn o_01_files_of_others_are_refused_and_told() {
    if std::env::var_os(ROLE).is_some() {
        return;
    }
    let watched = Watched::start("works");
    let file = watched.file();
    let asked = || {
        // `files` asks the environment, which this process shares with other tests.
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["child", "--exact", "--nocapture"])
            .env(ROLE, "observes")
            .env("ANNULUS_DIR", &watched.folder)
            .output()
            .unwrap();
        String::from_utf8(child.stdout).unwrap()
    };
    assert!(asked().contains("1 files, []"), "{}", asked());
    let chowned = Command::new("chown").arg("65534").arg(&file).status();
    if chowned.is_ok_and(|status| status.success()) {
        let told = asked();
        assert!(told.contains("0 files, [\"") && told.contains("belongs to another user"), "{told}");
        assert_eq!(look(&file).unwrap().pid, watched.child.id(), "who names it sees it");
        assert!(Command::new("chown").arg("0").arg(&file).status().unwrap().success());
    } else {
        println!("skipped: a file cannot be given to another user here");
    }
    fs::set_permissions(&watched.folder, fs::Permissions::from_mode(0o755)).unwrap();
    let told = asked();
    assert!(told.contains("0 files, [\"") && told.contains("others may use"), "{told}");
}

/// Prints what an observer finds.
pub(crate) fn observes() {
    println!("{} files, {:?}", annulus_observe::files().len(), annulus_observe::refused());
}
