//! What somebody sees who sits at a terminal, which `script` makes.
#![cfg(target_os = "linux")]

use std::process::{Command, Stdio};

/// What a command shows on a terminal of so many columns, with nothing typed; `None` where there is no
/// `script`.
fn shown(columns: u32, arguments: &str) -> Option<String> {
    let command = format!("stty cols {columns} rows 24; '{}' {arguments}", env!("CARGO_BIN_EXE_annulus"));
    let output = Command::new("script")
        .args(["--quiet", "--return", "--command", &command, "/dev/null"])
        .stdin(Stdio::null())
        .output();
    match output {
        Ok(output) => Some(String::from_utf8(output.stdout).unwrap()),
        Err(error) => {
            println!("skipped: `script` cannot be run: {error}");
            None
        }
    }
}

/// A line that is overwritten must fit, or each change of it would leave one behind.
#[test]
fn progress_fits_a_terminal_of_any_width() {
    for columns in [20, 40, 80, 200] {
        let flags = "run anomalies --threshold 1000 --messages 200000 --rate 400000";
        let Some(text) = shown(columns, flags) else { return };
        let (progress, summary) = text.split_once("messages   ").unwrap_or_else(|| panic!("{text:?}"));
        assert!(summary.contains("200,000 sent"), "{text:?}");
        // Each change begins at the line's start; escapes take no room.
        let lines: Vec<_> = progress.split('\r').map(without_escapes).collect();
        let shown = lines.iter().filter(|line| line.contains(" sent") || line.contains("sen")).count();
        assert!(shown >= 2, "{columns}: {progress:?}");
        for line in &lines {
            assert!(line.trim_end().chars().count() <= columns as usize, "{columns}: {line:?}");
        }
        assert!(!progress.contains("\n1"), "it stays in its line: {progress:?}");
        if columns == 200 {
            assert!(lines.iter().any(|line| line.contains(" messages/s · queue ")), "{progress:?}");
        }
    }
}

#[test]
fn quiet_is_quiet_on_a_terminal_too() {
    let Some(text) = shown(80, "run anomalies --quiet --messages 100000 --rate 400000") else { return };
    assert!(text.starts_with("messages   100,000 sent"), "{text:?}");
}

/// Somebody who gives `send` no input sees what it waits for.
#[test]
fn send_says_what_it_waits_for() {
    let Some(text) = shown(80, "send anomalies --actors 1 --bind 'limits={\"threshold\": 3}'") else {
        return;
    };
    let hint = "reading messages from the terminal: a JSON object a line, of the type Observation { series: u32, value: f32, sequence: u64 }";
    assert!(text.contains(hint) && text.contains("Ctrl-D ends them"), "{text:?}");
}

/// Without what a terminal obeys.
fn without_escapes(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match c {
            '\u{1b}' => while rest.next().is_some_and(|c| !c.is_ascii_alphabetic()) {},
            '\n' => {}
            c => plain.push(c),
        }
    }
    plain
}
