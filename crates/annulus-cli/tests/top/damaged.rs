//! Files that something else has written to, or cut off: each command that reads them says so.

use std::{
    fs,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

use super::{Folder, Sender, sender};

/// Both outputs of a command.
fn said(folder: &Path, arguments: &[&str]) -> [String; 2] {
    let mut command = Command::new(env!("CARGO_BIN_EXE_annulus"));
    let output = command.args(arguments).env("ANNULUS_DIR", folder).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap())
}

fn only_file(folder: &Path) -> PathBuf {
    let mut files = fs::read_dir(folder).unwrap();
    let file = files.next().unwrap().unwrap().path();
    assert!(files.next().is_none());
    file
}

/// A number of a file's header.
fn number(file: &Path, offset: u64) -> u64 {
    let mut bytes = [0; 8];
    fs::File::open(file).unwrap().read_exact_at(&mut bytes, offset).unwrap();
    u64::from_ne_bytes(bytes)
}

/// Asserts that all commands tell this damage of the one process in a folder.
#[track_caller]
fn assert_told(folder: &Path, pid: u32, entries: u64, missing: u64, remedy: &str) {
    let file = only_file(folder);
    let begin = format!("{} is damaged: ", file.display());
    let pid_argument = pid.to_string();
    for arguments in [
        &["top", "--once", "--interval", "0.05"][..],
        &["why", "--interval", "0.05"],
        &["autopsy", &pid_argument],
        &["export"],
    ] {
        let [out, err] = said(folder, arguments);
        let text = if arguments == ["export"] { &err } else { &out };
        let told: Vec<&str> = text.lines().filter(|line| line.contains(&begin)).collect();
        assert_eq!(told.len(), 1, "{arguments:?}: {text}");
        assert!(told[0].ends_with(remedy), "{text}");
        assert_eq!(told[0].contains("does not match its check"), entries == 1, "{text}");
        assert_eq!(
            told[0].contains(&format!("its last {missing} bytes are missing")),
            missing != 0,
            "{text}"
        );
        if arguments == ["export"] {
            for (metric, value) in
                [("annulus_vitals_damaged_entries", entries), ("annulus_vitals_missing_bytes", missing)]
            {
                let labels = format!("process=\"annulus\",pid=\"{pid}\",backend=\"cpu\"");
                let line = format!("{metric}{{{labels}}} {value}\n");
                assert!(out.contains(&line), "{line} in {out}");
            }
        } else {
            assert!(out.contains("no kernels that can be read"), "{arguments:?}: {out}");
            assert!(!out.contains("nothing waits"), "{out}");
        }
    }
    for arguments in
        [&["top", "--once", "--interval", "0.05", "--json"][..], &["autopsy", &pid_argument, "--json"]]
    {
        let [out, _] = said(folder, arguments);
        let process: Value = serde_json::from_str(&out).unwrap();
        let damage = &process["damage"];
        assert_eq!(
            (&damage["entries"], &damage["missing_bytes"]),
            (&entries.into(), &missing.into()),
            "{out}"
        );
        assert!(damage["told"].as_str().unwrap().starts_with(&begin), "{out}");
    }
}

fn dead(folder: &Path) -> Sender {
    let mut sender = sender(folder, 3);
    sender.0.kill().unwrap();
    sender.0.wait().unwrap();
    sender
}

const OF_THE_DEAD: &str = " Remove the file when you have read it.";

/// what is whole is called that.
#[test]
fn r_06_a_whole_file_is_not_called_damaged() {
    let folder = Folder::new("whole");
    let sender = sender(&folder.0, 3);
    let [out, err] = said(&folder.0, &["export"]);
    let labels = format!("process=\"annulus\",pid=\"{}\",backend=\"cpu\"", sender.0.id());
    for metric in ["annulus_vitals_damaged_entries", "annulus_vitals_missing_bytes"] {
        assert!(out.contains(&format!("{metric}{{{labels}}} 0\n")), "{out}");
    }
    assert_eq!(err, "");
    let [out, _] = said(&folder.0, &["top", "--once", "--interval", "0.05", "--json"]);
    assert!(serde_json::from_str::<Value>(&out).unwrap()["damage"].is_null(), "{out}");
}

/// a file of a dead process that was cut off.
#[test]
fn r_06_a_file_that_was_cut_off_is_told() {
    let folder = Folder::new("cut");
    let sender = dead(&folder.0);
    let file = only_file(&folder.0);
    let promised = number(&file, 384) + 64;
    let begin = number(&file, 16);
    fs::File::options().write(true).open(&file).unwrap().set_len(begin + 100).unwrap();
    assert_told(&folder.0, sender.0.id(), 0, promised - begin - 100, OF_THE_DEAD);
}

/// a file of a dead process of which the directory was overwritten, or has another bit.
#[test]
fn r_06_a_file_that_was_overwritten_is_told() {
    for what in ["overwritten", "flipped"] {
        let folder = Folder::new(what);
        let sender = dead(&folder.0);
        let path = only_file(&folder.0);
        let begin = number(&path, 16);
        let file = fs::File::options().write(true).open(&path).unwrap();
        match what {
            "overwritten" => file.write_all_at(&[0x55; 1024], begin).unwrap(),
            _ => {
                file.write_all_at(&(number(&path, begin + 200) ^ 1 << 5).to_ne_bytes(), begin + 200).unwrap()
            }
        }
        assert_told(&folder.0, sender.0.id(), 1, 0, OF_THE_DEAD);
    }
}

/// the same of a process that lives, which works on.
#[test]
fn r_06_damage_to_the_file_of_a_living_process_is_told() {
    let folder = Folder::new("living");
    let mut sender = sender(&folder.0, 3);
    let path = only_file(&folder.0);
    let begin = number(&path, 16);
    let file = fs::File::options().write(true).open(&path).unwrap();
    file.write_all_at(&(number(&path, begin + 200) ^ 1 << 5).to_ne_bytes(), begin + 200).unwrap();
    let remedy = " The process works on: start it anew to see it whole.";
    assert_told(&folder.0, sender.0.id(), 1, 0, remedy);
    drop(sender.0.stdin.take());
    assert!(sender.0.wait().unwrap().success());
}
