//! `annulus send` ended at a line that is not UTF-8 though it was told to skip bad ones, took lines of any
//! length into memory, and refused a byte order mark.

mod common;

use std::{
    io::{ErrorKind, Write},
    process::{Command, Output, Stdio},
};

use common::KERNEL;

fn run(arguments: &[&str], input: &[u8]) -> Output {
    common::run(&[&KERNEL, arguments].concat(), input)
}

fn error(output: &Output) -> &str {
    str::from_utf8(&output.stderr).unwrap()
}

const GOOD: &[u8] = b"{\"sequence\": 1, \"series\": 0, \"value\": 1.5}\n";

#[test]
fn lines_that_are_no_text_are_bad_lines() {
    let input = [GOOD, b"{\"sequence\": \xff}\n", GOOD, b"\xfe"].concat();
    let output = run(&["--skip-bad"], &input);
    assert!(output.status.success(), "{}", error(&output));
    assert!(error(&output).contains("2 processed, 0 sent back, 2 skipped lines"), "{}", error(&output));

    let output = run(&[], &input);
    assert_eq!(output.status.code(), Some(1));
    assert!(error(&output).contains("line 2: not UTF-8 text: invalid utf-8"), "{}", error(&output));
}

#[test]
fn a_byte_order_mark_may_come_first() {
    let mark = "\u{feff}".as_bytes();
    let output = run(&[], &[mark, GOOD, GOOD].concat());
    assert!(output.status.success(), "{}", error(&output));
    assert!(error(&output).contains("2 processed"), "{}", error(&output));
    // Anywhere else it is none.
    let output = run(&[], &[GOOD, mark, GOOD].concat());
    assert!(error(&output).contains("line 2: not of type Observation"), "{}", error(&output));
}

#[test]
fn a_line_has_a_greatest_length() {
    // As long as a line may be: blanks, which a message may end with.
    let mut longest = GOOD.trim_ascii().to_vec();
    longest.resize(1 << 20, b' ');
    let output = run(&[], &[&longest[..], b"\n", GOOD].concat());
    assert!(output.status.success(), "{}", error(&output));
    assert!(error(&output).contains("2 processed"), "{}", error(&output));

    for arguments in [&[][..], &["--skip-bad"]] {
        let output = run(arguments, &[GOOD, &longest[..], b" \n", GOOD].concat());
        assert_eq!(output.status.code(), Some(1), "{}", error(&output));
        assert!(error(&output).contains("line 2: longer than 1 MiB: "), "{}", error(&output));
    }
}

/// The program ends while its input goes on.
#[test]
fn a_line_that_never_ends_is_refused() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_annulus"))
        .args(["send", "anomalies", "--actors", "8", "--bind", r#"limits={"threshold": 3}"#, "--skip-bad"])
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let blanks = [b' '; 1 << 16];
    let closed = (0..1024).find_map(|_| stdin.write_all(&blanks).err());
    assert_eq!(closed.expect("64 MiB are no line").kind(), ErrorKind::BrokenPipe);
    assert_eq!(child.wait().unwrap().code(), Some(1));
}
