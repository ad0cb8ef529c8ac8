//! What SIGINT and SIGTERM do: the first ends the input, and what was sent is handled and summed up; a second
//! ends the program.
#![cfg(unix)]

use std::{
    io::{BufRead, BufReader, Read, Write},
    process::{Child, ChildStdout, Command, Stdio},
    thread,
    time::Duration,
};

use serde_json::Value;

fn annulus(arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_annulus"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Sends a signal, by its name.
fn signal(child: &Child, name: &str) {
    let kill = format!("kill -{name} {}", child.id());
    assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
}

/// The signals that the program catches, as a set of bits; `None` where there is no `/proc`.
fn caught(child: &Child) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"))?;
    u64::from_str_radix(caught.trim(), 16).ok()
}

/// Waits until the program takes signals, however long it takes to start beside others.
fn until_it_listens(child: &Child) {
    const BOTH: u64 = 1 << 1 | 1 << 14; // SIGINT, SIGTERM
    thread::sleep(Duration::from_millis(300));
    while caught(child).is_some_and(|caught| caught & BOTH != BOTH) {
        thread::sleep(Duration::from_millis(10));
    }
}

/// A CSV file in which the last reading is far out.
fn one_outlier() -> String {
    let mut text = String::from("time,series,value\n");
    for time in 0..40 {
        text += &format!("{time},lab,{}\n", if time % 2 == 0 { 1 } else { -1 });
    }
    text + "40,lab,100\n"
}

fn line(stdout: &mut BufReader<ChildStdout>) -> String {
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    line
}

#[test]
fn the_first_signal_ends_a_run_with_its_summary() {
    for name in ["INT", "TERM"] {
        let mut child = annulus(&["run", "anomalies", "--input", "-"]);
        // Open until the end: nothing but the signal ends this input.
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(one_outlier().as_bytes()).unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        assert!(line(&mut stdout).starts_with("40  lab"));
        signal(&child, name);
        let mut rest = String::new();
        stdout.read_to_string(&mut rest).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0), "{rest}");
        for part in ["41 sent, 41 processed", "alerts     1\n", "\ninterrupted by a signal"] {
            assert!(rest.contains(part), "{part:?} is not in:\n{rest}");
        }
        drop(stdin);
    }
}

/// All that is sent is handled, whenever the signal comes.
#[test]
fn a_signal_at_full_speed_loses_nothing() {
    for pause in [1, 20, 150] {
        let mut child = annulus(&["run", "anomalies", "--json", "--messages", "100000000000"]);
        let mut stdout = child.stdout.take().unwrap();
        until_it_listens(&child);
        thread::sleep(Duration::from_millis(pause));
        signal(&child, "INT");
        let mut text = String::new();
        stdout.read_to_string(&mut text).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0));
        let summary: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(summary["interrupted"], true);
        assert_eq!(summary["sent"], summary["processed"], "{summary}");
        assert_eq!(summary["dropped"], serde_json::json!({}));
    }
}

#[test]
fn a_paced_run_is_ended_between_messages() {
    let mut child = annulus(&["run", "anomalies", "--json", "--rate", "1"]);
    until_it_listens(&child);
    thread::sleep(Duration::from_millis(200));
    signal(&child, "TERM");
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let summary: Value = serde_json::from_str(&text).unwrap();
    assert!(summary["sent"] == summary["processed"] && summary["interrupted"] == true, "{summary}");
}

/// Nobody reads the alerts, so the program waits to write them: the first signal cannot end that, the second
/// does.
#[test]
fn a_second_signal_ends_it_at_once() {
    for (name, code) in [("INT", 130), ("TERM", 143)] {
        let flags = ["run", "anomalies", "--threshold", "0.001", "--messages", "100000000000"];
        let mut child = annulus(&flags);
        until_it_listens(&child);
        // Until the pipe is full, and nothing goes on.
        thread::sleep(Duration::from_millis(1000));
        signal(&child, name);
        thread::sleep(Duration::from_millis(500));
        assert_eq!(child.try_wait().unwrap(), None, "it still has alerts to write");
        signal(&child, name);
        assert_eq!(child.wait().unwrap().code(), Some(code));
    }
}

#[test]
fn a_signal_ends_messages_from_standard_input() {
    for calls in [false, true] {
        let bind = r#"limits={"threshold": 0.1}"#;
        let mut arguments = vec!["send", "anomalies", "--actors", "1", "--bind", bind];
        arguments.extend(calls.then_some("--calls"));
        let mut child = annulus(&arguments);
        let mut stdin = child.stdin.take().unwrap();
        for sequence in 0..100 {
            let value = if sequence % 2 == 0 { 1.0 } else { -1.0 };
            writeln!(stdin, r#"{{"sequence": {sequence}, "series": 0, "value": {value}}}"#).unwrap();
        }
        // A line that has no end yet is no message.
        write!(stdin, r#"{{"sequence": 100, "#).unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        while !line(&mut stdout).contains(r#""sequence":99,"#) {}
        signal(&child, "INT");
        let mut told = String::new();
        child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0), "{told}");
        assert!(told.contains("100 processed") && told.contains("\ninterrupted by a signal"), "{told}");
        drop(stdin);
    }
}
