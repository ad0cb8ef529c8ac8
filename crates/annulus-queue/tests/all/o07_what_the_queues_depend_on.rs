//! O-07 asks for a queue core without external dependencies. That is not quite so, and this says what is: which crates of
//! others the queues need, and that these need none.

use std::{collections::BTreeSet, process::Command};

/// The crates of others that a program gets which has the queues with these features, each with what needs it.
fn of_others(features: &[&str]) -> BTreeSet<String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["tree", "--offline", "--package", "annulus-queue", "--edges", "normal"])
        .args(["--prefix", "depth", "--no-dedupe", "--format", " {p}"])
        .args(features)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    // The crates from the queues down to that of each line.
    let mut above: Vec<&str> = Vec::new();
    let mut found = BTreeSet::new();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let depth: usize = words.next().unwrap().parse().unwrap();
        let name = words.next().unwrap();
        above.truncate(depth);
        if !name.starts_with("annulus-") {
            found.insert(format!("{name} of {}", above.last().unwrap()));
        }
        above.push(name);
    }
    assert!(text.starts_with("0 annulus-queue "), "{text}");
    found
}

/// The core needs a hash function for messages' bytes, and the system's calls to wait and wake.
#[test]
#[cfg(target_os = "linux")]
fn o07_the_core_needs_two_small_crates() {
    let core = of_others(&["--no-default-features"]);
    assert_eq!(Vec::from_iter(&core), ["foldhash of annulus-message", "libc of annulus-sync"]);
}

/// With the default features come the interfaces of streams and sinks, and no more.
#[test]
fn o07_streams_and_sinks_are_two_interfaces() {
    let (core, usual) = (of_others(&["--no-default-features"]), of_others(&[]));
    let more: Vec<&String> = usual.difference(&core).collect();
    assert_eq!(more, ["futures-core of annulus-queue", "futures-sink of annulus-queue"]);
}
