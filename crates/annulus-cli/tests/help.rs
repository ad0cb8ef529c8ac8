//! What the command tells of itself: help, values of flags, completions.

use std::process::{Command, Output};

fn annulus(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_annulus")).args(arguments).output().unwrap()
}

/// What a command that succeeds prints.
#[track_caller]
fn told(arguments: &[&str]) -> String {
    let output = annulus(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn help_is_a_command() {
    assert_eq!(told(&["help"]), told(&["--help"]));
    assert_eq!(told(&["help", "send"]), told(&["send", "--help"]));
    for command in [
        "run",
        "graph",
        "send",
        "dump",
        "emit",
        "devices",
        "top",
        "why",
        "profile",
        "export",
        "autopsy",
        "doctor",
        "check",
        "completions",
        "help",
    ] {
        assert!(told(&["help"]).contains(&format!("\n  {command} ")), "{command}");
    }
}

#[test]
fn values_are_listed() {
    let listed = [
        (
            &["send", "--help"][..],
            &["auto", "cpu", "cuda", "opencl", "noop", "anomalies", "msgpack", "wire"][..],
        ),
        (&["run", "anomalies", "--help"], &["auto", "cpu", "cuda", "opencl"]),
        (&["emit", "--help"], &["opencl", "cuda", "metal", "anomalies"]),
        (&["doctor", "--help"], &["cpu", "cuda", "opencl"]),
        (&["check", "--help"], &["tight_poll", "useless_allow", "short", "json"]),
        (&["completions", "--help"], &["bash", "zsh", "fish", "powershell"]),
    ];
    for (arguments, values) in listed {
        let text = told(arguments);
        let (_, after) =
            text.split_once("ossible values:").unwrap_or_else(|| panic!("{arguments:?}: {text}"));
        assert!(values.iter().all(|value| text.contains(value)), "{values:?} in {after}");
    }
    let output = annulus(&["emit", "nobody"]);
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("no kernel is called `nobody`; there are annulus_cli::"), "{error}");
}

#[test]
fn shells_complete_commands_and_values() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = told(&["completions", shell]);
        // Not every shell's script has the values of flags.
        let values = ["bash", "zsh", "fish"].contains(&shell).then_some("opencl");
        for word in ["anomalies", "doctor", "threshold"].into_iter().chain(values) {
            assert!(script.contains(word), "{word} for {shell}");
        }
    }
    assert_eq!(annulus(&["completions", "abacus"]).status.code(), Some(2));
}

/// bash itself takes the script, and completes by it.
#[test]
fn bash_completes_by_the_script() {
    let script = told(&["completions", "bash"])
        + "\nCOMP_WORDS=(annulus emit --target m); COMP_CWORD=3; _annulus annulus m --target; echo \"${COMPREPLY[*]}\"";
    let output = match Command::new("bash").args(["--norc", "-c", &script]).output() {
        Ok(output) => output,
        Err(error) => return println!("skipped: no bash: {error}"),
    };
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        "metal\n",
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
