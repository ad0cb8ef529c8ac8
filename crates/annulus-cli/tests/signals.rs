//! What SIGINT and SIGTERM do: the first ends the input, and what was sent is handled and summed up; a second
//! ends the program.
#![cfg(unix)]

use std::{
    io::{BufRead, BufReader, Read, Write},
    process::{Child, ChildStdout, Command, Stdio},
    thread,
    time::Duration,
};

use annulus::{
    DynamicMessage, RegisteredKernel,
    kernel::schema_of,
    message::{Facts, FrameWriter, WireType},
};
// Its kernels are listed where it is linked.
use annulus_cli as _;
use serde_json::{Value, json};

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

/// A hundred readings in a format that has no lines, or in which a line may be a part of a message; and the
/// beginning of one more.
fn cut_off(format: &str) -> Vec<u8> {
    let value = |sequence: u64| if sequence.is_multiple_of(2) { 1.0 } else { -1.0 };
    let reading = |sequence: u64| json!({"sequence": sequence, "series": 0, "value": value(sequence)});
    let (mut whole, more) = match format {
        "csv" => {
            let rows: String = (0..100).map(|i| format!("{i},0,{}\n", value(i))).collect();
            (format!("sequence,series,value\n{rows}").into_bytes(), b"100,0,\"1\n".to_vec())
        }
        "msgpack" => {
            let message = |i| rmp_serde::to_vec(&reading(i)).unwrap();
            ((0..100).flat_map(message).collect(), message(100))
        }
        _ => {
            let ty = RegisteredKernel::find("anomalies").unwrap().definition().message;
            let wire = WireType::new(schema_of(ty, 0), ty.size);
            let mut frames = FrameWriter::new(Vec::new());
            let mut write = |i| {
                let payload = DynamicMessage::read(ty, reading(i)).unwrap().payload();
                frames.write_payload(&wire, Facts::default(), &payload).unwrap();
            };
            (0..=100).for_each(&mut write);
            let mut whole = frames.into_inner();
            let more = whole.split_off(whole.len() - 272);
            (whole, more)
        }
    };
    let part = if format == "csv" { more.len() } else { more.len() / 2 };
    whole.extend_from_slice(&more[..part]);
    whole
}

/// A signal that comes inside a message is no error of the input: the part is not sent, and this is told.
#[test]
fn a_signal_inside_a_message_ends_the_input() {
    for format in ["wire", "msgpack", "csv"] {
        let bind = r#"limits={"threshold": 0.1}"#;
        let mut child = annulus(&[
            "send",
            "anomalies",
            "--actors",
            "1",
            "--bind",
            bind,
            "--format",
            format,
            "--output-format",
            "json",
        ]);
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(&cut_off(format)).unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        while !line(&mut stdout).contains(r#""sequence":99,"#) {}
        // Until the part after it is read as well.
        thread::sleep(Duration::from_millis(300));
        signal(&child, "INT");
        let mut told = String::new();
        child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0), "{format}: {told}");
        assert!(told.contains("100 processed"), "{format}: {told}");
        let words = "interrupted by a signal: what was sent before was handled; a message that was not whole was not sent";
        assert!(told.contains(words), "{format}: {told}");
        drop(stdin);
    }
}
