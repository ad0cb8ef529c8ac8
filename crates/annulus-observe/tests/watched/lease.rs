//! An observer asks for telemetry from outside, and it runs out.

use std::{
    fs::{self, OpenOptions},
    os::unix::fs::FileExt,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use annulus::prelude::*;
use annulus_abi::{
    control::command,
    vitals::{PAGE, RequestPage, VitalsHeader},
};
use annulus_observe::{Process, ask_for_telemetry, look};
use annulus_runtime::Vitals;

use crate::{Job, Watched, folder, kernel, work};

const LIMIT: Duration = Duration::from_secs(60);
const LONG: Duration = Duration::from_secs(3600);

fn is_on(process: &Process, name: &str) -> bool {
    kernel(process, name).shards.iter().all(|shard| shard.command & command::TELEMETRY != 0)
}

/// Asks for a short time again and again, until it is seen to be on.
#[track_caller]
fn ask_shortly(file: &Path, name: &str) {
    let start = Instant::now();
    loop {
        assert!(ask_for_telemetry(file, Duration::from_millis(300)).unwrap());
        let asked = Instant::now();
        while asked.elapsed() < Duration::from_millis(200) {
            if is_on(&look(file).unwrap(), name) {
                return;
            }
            thread::sleep(Duration::from_millis(1));
        }
        assert!(start.elapsed() < LIMIT, "it does not come on");
    }
}

#[track_caller]
fn until_off(file: &Path, name: &str) {
    let start = Instant::now();
    while is_on(&look(file).unwrap(), name) {
        assert!(start.elapsed() < LIMIT, "it stays on");
        thread::sleep(Duration::from_millis(5));
    }
}

/// T-11: a process that knows nothing of it measures latencies while somebody asks for them, and no longer.
#[test]
fn t_11_telemetry_is_leased_from_outside() {
    let watched = Watched::start("works");
    let file = watched.file();
    assert!(!is_on(&watched.look(), "sort"));
    ask_shortly(&file, "sort");
    until_off(&file, "sort");
    // And again, by other observers: one that asks for long, and one that asks for nothing.
    assert!(ask_for_telemetry(&file, LONG).unwrap());
    assert!(ask_for_telemetry(&file, Duration::ZERO).unwrap());
    watched.look_for(|process| is_on(process, "sort"));
}

/// What the program has enabled stays on; what it has not goes off; a kernel that is launched meanwhile joins.
#[test]
fn t_11_a_lease_takes_nothing_from_the_program() {
    let folder = folder("lease");
    let runtime = Runtime::builder()
        .backend(annulus::Cpu::new().workers(2))
        .vitals(Vitals::In(folder.clone()))
        .build()
        .unwrap();
    let launch = |name: &str| {
        let options = LaunchOptions::default().actors(16).name(name);
        work::launch(&runtime, options).unwrap()
    };
    let (own, other) = (launch("own"), launch("other"));
    let telemetry = own.enable_telemetry().unwrap();
    let file = fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    ask_shortly(&file, "other");
    let late = launch("late");
    until_off(&file, "other");
    until_off(&file, "late");
    assert!(is_on(&look(&file).unwrap(), "own"));

    // The other way round: the program switches off, and the observer still looks.
    let until_on = |names: &[&str]| {
        let start = Instant::now();
        loop {
            let process = look(&file).unwrap();
            if names.iter().all(|name| is_on(&process, name)) {
                return;
            }
            assert!(start.elapsed() < LIMIT, "{process:#?}");
            thread::sleep(Duration::from_millis(1));
        }
    };
    assert!(ask_for_telemetry(&file, LONG).unwrap());
    until_on(&["own", "other", "late"]);
    telemetry.set_enabled(false);
    let joined = launch("joined");
    until_on(&["own", "joined"]);
    // It is measured: latencies are there, without the program.
    let _ = other.send_blocking(Job { key: 1, what: 0 }).unwrap();
    other.drained_blocking();
    let start = Instant::now();
    let measured =
        |process: &Process| kernel(process, "other").shards[0].telemetry.map(|line| line.messages_processed);
    while measured(&look(&file).unwrap()) != Some(1) {
        assert!(start.elapsed() < LIMIT);
    }
    drop((own, other, late, joined, telemetry, runtime));
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0, "the file goes with its runtime");
    fs::remove_dir(&folder).unwrap();
}

/// Anything may stand in the page, and the file may be cut off: the process goes on, and asking is an error at most.
#[test]
fn t_11_what_stands_in_the_page_harms_nobody() {
    let watched = Watched::start("works");
    let file = watched.file();
    let header = fs::read(&file).unwrap();
    let at = std::mem::offset_of!(VitalsHeader, requests_offset);
    let page = u64::from_ne_bytes(header[at..at + 8].try_into().unwrap());
    let writer = OpenOptions::new().write(true).open(&file).unwrap();
    let until = page + std::mem::offset_of!(RequestPage, telemetry_until) as u64;
    let mut seed = 1u64;
    for _ in 0..100 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        writer.write_all_at(&seed.to_ne_bytes(), until).unwrap();
        writer.write_all_at(&(seed as u32).to_ne_bytes(), until + 8).unwrap();
        let _ = ask_for_telemetry(&file, Duration::from_millis(seed % 3)).unwrap();
    }
    // A number that nobody can mean does not keep others out.
    writer.write_all_at(&u64::MAX.to_ne_bytes(), until).unwrap();
    assert!(ask_for_telemetry(&file, LONG).unwrap());
    watched.look_for(|process| is_on(process, "sort"));
    // Files that are no vitals, are cut off, or of the dead.
    let folder = folder("page");
    let other = folder.join("1-1-1.vitals");
    fs::write(&other, &header).unwrap();
    assert!(!ask_for_telemetry(&other, LONG).unwrap(), "nobody holds its lock");
    for length in [0, 100, 512, 4096, page as usize, page as usize + PAGE - 1] {
        fs::write(&other, &header[..length]).unwrap();
        assert!(!ask_for_telemetry(&other, LONG).unwrap_or(false), "{length}");
        assert_eq!(fs::metadata(&other).unwrap().len(), length as u64, "nothing was written");
    }
    let _ = ask_for_telemetry(&folder, LONG).unwrap_err();
    fs::remove_dir_all(&folder).unwrap();
}
