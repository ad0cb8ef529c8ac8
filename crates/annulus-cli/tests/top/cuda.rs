//! A process is attached to whose kernel stays on a device of CUDA's, for which libraries stand in.

use std::process::Command;

use super::{Folder, Sender, autopsy, command, feed, kernel_when, table};

/// What a command prints about the processes of a folder.
#[track_caller]
fn told(folder: &Folder, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_annulus"));
    let output = command.args(arguments).env("ANNULUS_DIR", &folder.0).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// O-01, O-03, O-05, R-06: all commands see what it has done, what it is at, why it does not go on, and how it died.
#[test]
fn o_01_o_03_o_05_r_06_a_process_on_cuda_is_attached_to() {
    let libraries = match annulus_conformance::cuda::build() {
        Ok(libraries) => libraries,
        Err(error) => return println!("skipped: no stand-in for CUDA: {error}"),
    };
    let folder = Folder::new("cuda");
    let mut command = command("cuda", &folder.0);
    // The loader finds the driver there, and the backend the compiler. What it makes lies beside nothing of NVIDIA's.
    command.env("LD_LIBRARY_PATH", libraries).env("ANNULUS_NVRTC", libraries);
    let mut child = Sender(command.env("XDG_CACHE_HOME", folder.0.join("cache")).spawn().unwrap());
    let pid = child.0.id().to_string();
    let first = kernel_when(&folder.0, |now, _| now["state"] == "active");
    assert_eq!((&first["name"], &first["processed"]), (&"anomalies".into(), &0.into()), "{first}");

    let feeds = feed(&mut child);
    let kernel = kernel_when(&folder.0, |now, before| {
        now["shards"][0]["phase"] == "stalled on host" && now["processed"] == before["processed"]
    });
    let processed = kernel["processed"].as_u64().unwrap();
    assert!(processed > 64 && kernel["state"] == "stalled on host", "{kernel}");
    assert_eq!(kernel["shards"][0]["processed"], processed, "{kernel}");
    assert_eq!(kernel["outputs_waiting"], 64, "{kernel}");

    let text = table(&folder.0, &[]);
    assert!(text.contains(&format!("process {pid}, cuda, ")), "{text}");
    let row = text.lines().find(|line| line.trim_start().starts_with("anomalies ")).unwrap();
    assert!(
        row.contains(" stalled on host ") && row.ends_with(" ago)"),
        "the host copies what it says: {text}"
    );

    let text = told(&folder, &["why"]);
    let cause = "`anomalies` shard 0 is stalled: nobody receives the outputs, of which 64 wait";
    assert!(text.starts_with(&format!("process {pid}, ")) && text.contains(cause), "{text}");

    let text = told(&folder, &["export"]);
    let count = format!("backend=\"cuda\",kernel=\"anomalies\"}} {processed}\n");
    let line = text.lines().find(|line| line.starts_with("annulus_messages_processed_total{")).unwrap();
    assert!(format!("{line}\n").ends_with(&count), "{count}: {line}");

    child.0.kill().unwrap();
    child.0.wait().unwrap();
    feeds.join().unwrap();
    assert!(table(&folder.0, &[]).contains(": DEAD, this is how it was last"));
    let text = String::from_utf8(autopsy(&folder.0, &[]).stdout).unwrap();
    assert!(text.starts_with(&format!("process {pid}, cuda, ")), "{text}");
    let died = format!(
        ": it died without ending its runtime\n  on Annulus stand-in\n  `anomalies`: {processed} handled"
    );
    assert!(text.contains(&died) && text.contains("stalled on host"), "{text}");
}
