//! `annulus check`, as a command. What the lints find is tested where they are: annulus-check.

use std::{
    fs,
    path::PathBuf,
    process::{Command, Output},
};

/// A project that is gone at the end.
struct Project(PathBuf);

impl Project {
    fn new(name: &str, text: &str) -> Self {
        let at = std::env::temp_dir().join(format!("annulus-cli-check-{}-{name}", std::process::id()));
        fs::create_dir_all(at.join("src")).unwrap();
        let manifest = "[package]\nname = \"probe\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\nannulus = \"0.1\"\n\n[workspace]\n";
        fs::write(at.join("Cargo.toml"), manifest).unwrap();
        fs::write(at.join("src/lib.rs"), text).unwrap();
        Self(at)
    }

    fn check(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        told(Command::new(env!("CARGO_BIN_EXE_annulus")).arg("check").args(arguments).current_dir(&self.0))
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn told(command: &mut Command) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = command.output().unwrap();
    (status.code(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

const BLOCKS: &str = "async fn wait(kernel: &KernelHandle<detect>) {\n    kernel.drained_blocking();\n}\n";

#[test]
fn the_exit_status_is_that_of_a_compiler() {
    let project = Project::new("status", BLOCKS);
    let (code, text, said) = project.check(&[]);
    assert_eq!((code, said.as_str()), (Some(0), ""));
    assert!(text.ends_with("\n\n1 file checked: 0 errors, 1 warning\n"), "{text}");
    let first = "warning[AN07]: `drained_blocking` blocks the thread inside a future: nothing else runs on it meanwhile";
    assert!(
        text.starts_with(first) && text.contains("--> src/lib.rs:2:12") && !text.contains('\u{1b}'),
        "{text}"
    );
    for strict in [["--deny", "warnings"], ["--deny", "AN07"]] {
        let (code, text, said) = project.check(&strict);
        assert_eq!((code, said.as_str()), (Some(1), "annulus: 1 file checked: 1 error, 0 warnings\n"));
        assert!(text.starts_with("error[AN07]"), "{text}");
    }
    let (code, text, _) = project.check(&["--deny", "warnings", "--allow", "blocking_in_async"]);
    assert_eq!((code, text.as_str()), (Some(0), "1 file checked: 0 errors, 0 warnings\n"));
    let (code, _, said) = project.check(&["-p", "nobody"]);
    assert_eq!((code, said.as_str()), (Some(2), "annulus: the workspace has no package `nobody`\n"));
    let (code, ..) = project.check(&["--deny", "nothing"]);
    assert_eq!(code, Some(2));
}

#[test]
fn findings_are_lines_or_messages_for_editors() {
    let project = Project::new("formats", BLOCKS);
    let (_, text, said) = project.check(&["--message-format", "short"]);
    assert!(text.starts_with("src/lib.rs:2:12: warning[AN07]: ") && text.lines().count() == 1, "{text}");
    assert_eq!(said, "");
    let (code, text, _) = project.check(&["--message-format=json"]);
    let message: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((code, &message["message"]["code"]["code"]), (Some(0), &"annulus::blocking_in_async".into()));
}

#[test]
fn fixes_are_made_and_told() {
    let project = Project::new("fix", BLOCKS);
    let (code, text, _) = project.check(&["--fix"]);
    let expected = "src/lib.rs: 1 fixed\n1 file checked: 0 errors, 0 warnings\n";
    assert_eq!((code, text.as_str()), (Some(0), expected));
    let fixed = fs::read_to_string(project.0.join("src/lib.rs")).unwrap();
    assert_eq!(fixed, BLOCKS.replace("drained_blocking()", "drained().await"));
}

/// what there is can be asked for.
#[test]
fn a01_lints_are_listed_and_explained() {
    let project = Project::new("explain", "");
    let (code, text, _) = project.check(&["--list"]);
    assert_eq!((code, text.lines().count()), (Some(0), annulus_check::LINTS.len()));
    for name in ["AN01", "tight_poll"] {
        let (code, text, _) = project.check(&["--explain", name]);
        assert_eq!(code, Some(0));
        assert!(text.starts_with("AN01 tight_poll: telemetry is polled without a pause"), "{text}");
        assert!(text.contains("Instead:") && !text.contains("include!"), "{text}");
    }
    let (code, _, said) = project.check(&["--explain", "AN99"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("tight_poll"), "{said}");
}
