//! What kernels print, as users of their programs' commands meet it.

use std::{
    io::Write,
    path::PathBuf,
    process::{Command, Stdio},
};

/// The example that is built beside this test.
fn example() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent().and_then(|deps| deps.parent()).unwrap().join("examples").join("thermometer")
}

#[test]
fn prints_go_to_standard_error() {
    let mut child = Command::new(example())
        .args(["send", "celsius"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"{\"fahrenheit\": 50}\n{\"fahrenheit\": 482}\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let [answers, prints] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert_eq!(
        answers.lines().collect::<Vec<_>>(),
        ["{\"degrees\":10.0}", "{\"degrees\":250.0}"],
        "{prints}"
    );
    let lines: Vec<_> = prints.lines().filter(|line| line.contains("annulus::device")).collect();
    assert_eq!(lines.len(), 1, "{prints}");
    for part in ["250.0 degrees: paper burns", "kernel=\"celsius\"", "thermometer.rs"] {
        assert!(lines[0].contains(part), "{part:?} in {lines:?}");
    }
}
