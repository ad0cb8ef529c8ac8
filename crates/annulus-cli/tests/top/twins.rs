//! Two processes with one number that live at the same time, as containers that share a folder have.

use std::{fs, os::fd::AsRawFd, path::Path};

use annulus_abi::vitals::{VitalsHeader, check};
use serde_json::Value;

use super::{Folder, sender, table, top, why};

/// A copy of a vitals file under the name that a runtime with the same number would have given it, which was built a moment
/// later. It counts as alive as long as what is returned is there.
fn twin(file: &Path) -> fs::File {
    let mut bytes = fs::read(file).unwrap();
    let length = bytes.len();
    let used = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    bytes.truncate(used);
    let word = |bytes: &[u8]| u64::from_ne_bytes(bytes.try_into().unwrap());
    let started = word(&bytes[48..56]) + 1;
    bytes[48..56].copy_from_slice(&started.to_ne_bytes());
    let last = size_of::<VitalsHeader>() - 8;
    let words: Vec<u64> = bytes[..last].chunks_exact(8).map(word).collect();
    bytes[last..last + 8].copy_from_slice(&check(&words).to_ne_bytes());
    let pid = u32::from_ne_bytes(bytes[44..48].try_into().unwrap());
    let path = file.with_file_name(format!("{pid}-{started:x}-0.vitals"));
    fs::write(&path, &bytes).unwrap();
    let file = fs::File::options().read(true).write(true).open(&path).unwrap();
    file.set_len(length as u64).unwrap();
    // SAFETY: zeros are a valid value of this structure of numbers.
    let mut lock: libc::flock = unsafe { std::mem::zeroed() };
    lock.l_type = libc::F_WRLCK as libc::c_short;
    // SAFETY: the structure is valid for the duration of the call.
    assert_eq!(unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_SETLK, &raw const lock) }, 0);
    file
}

/// O-03, O-05: each command tells them apart, and each is shown.
#[test]
fn o_05_two_living_processes_of_one_number_are_told_apart() {
    let folder = Folder::new("twins");
    let sender = sender(&folder.0, 7);
    let pid = sender.0.id();
    let first = fs::read_dir(&folder.0).unwrap().next().unwrap().unwrap().path();
    assert!(table(&folder.0, &[]).starts_with(&format!("process {pid}, cpu, ")), "alone it needs no more");
    let kept = twin(&first);
    let mut files: Vec<_> = fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    let second = files.iter().find(|path| **path != first).unwrap();

    let (text, why) = (table(&folder.0, &[]), why(&folder.0));
    for file in [&first, second] {
        let begin = format!("process {pid}, file {}, ", name(file));
        for text in [&text, &why] {
            assert_eq!(text.lines().filter(|line| line.starts_with(&begin)).count(), 1, "{begin} in {text}");
        }
    }
    assert!(!text.contains("DEAD"), "{text}");
    let json = String::from_utf8(top(&folder.0, &["--json"]).stdout).unwrap();
    let told: Vec<Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(told.len(), 2);
    assert_ne!(told[0]["file"], told[1]["file"]);

    let run = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_annulus"));
        let output = command.args(arguments).env("ANNULUS_DIR", &folder.0).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let metrics = run(&["export"]);
    let series: Vec<&str> = metrics.lines().filter(|line| !line.starts_with('#')).collect();
    let mut names: Vec<&str> = series.iter().map(|line| line.rsplit_once(' ').unwrap().0).collect();
    names.sort_unstable();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count, "no series stands twice");
    let own = |line: &&&str| line.starts_with("annulus_process_up{");
    let up: Vec<_> = series.iter().filter(own).collect();
    let instance = name(second).split('-').nth(1).unwrap().to_owned();
    assert_eq!(up.len(), 2, "{metrics}");
    assert_eq!(up.iter().filter(|line| line.contains("process_instance=")).count(), 1, "{metrics}");
    assert!(up.iter().any(|line| line.contains(&format!("process_instance=\"{instance}\""))), "{metrics}");

    let told = run(&["autopsy", &pid.to_string()]);
    for file in [&first, second] {
        assert!(told.contains(&format!("\n  in {}\n", file.display())), "{told}");
    }
    // Without its lock the copy is that of a dead process, whose number is used again.
    drop(kept);
    let text = super::why(&folder.0);
    assert!(text.contains(&format!("`annulus autopsy {}` says what", second.display())), "{text}");
}
