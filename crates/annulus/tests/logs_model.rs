//! What the example `logs` shows is what a plain Rust program finds in the same log. Cargo builds the example
//! for a test of the whole package; for this file alone, run `cargo build -p annulus --examples` before.

use std::{
    collections::{HashMap, HashSet},
    env,
    net::Ipv4Addr,
    path::Path,
    process::Command,
};

use annulus::{OpenCl, Runtime};

const LOG: &str = include_str!("../examples/data/conn.log");

/// What the example should show, without its last line.
fn expected() -> String {
    let log: Vec<&str> = LOG.lines().filter(|line| !line.starts_with('#')).collect();
    let mut sent = Vec::new();
    for begin in (0..log.len()).step_by(100) {
        let back = if begin == 0 { 0 } else { 5 };
        sent.extend(log.iter().skip(begin - back).take(back + 100));
        if let Some(line) = log.get(begin + 100) {
            sent.push(&line[..40]);
        }
    }
    let mut known = HashSet::new();
    let mut lines: Vec<&str> = sent.iter().copied().filter(|line| known.insert(*line)).collect();
    let mut shown =
        format!("{} lines were sent, of which {} were sent before\n", sent.len(), sent.len() - lines.len());

    // The first two are with the kernel already when the others come; these are taken by their urgency.
    let is_urgent = |line: &&str| line.contains("\tS0\t") || line.contains("\tRSTO\t");
    lines[2..].sort_by_key(|line| !is_urgent(line));
    let mut unanswered = HashMap::new();
    let mut broken = Vec::new();
    for line in lines {
        let fields: Vec<&str> = line.split('\t').collect();
        if fields.len() != 20 {
            broken.push(line);
            continue;
        }
        let (address, port): (Ipv4Addr, u32) = (fields[4].parse().unwrap(), fields[5].parse().unwrap());
        if fields[11] == "S0" {
            let calls = unanswered.entry(port).or_insert(0);
            *calls += 1;
            if *calls % 50 == 0 {
                shown += &format!("port {port}: {calls} calls without an answer, now to {address}\n");
            }
        } else if let Ok(bytes @ 400_001..) = fields[10].parse::<u64>() {
            shown += &format!("port {port}: {bytes} bytes from {address}\n");
        }
    }
    for line in broken {
        shown += &format!("not a connection: {line:?}\n");
    }
    shown
}

/// What the example shows on a backend, without its last line.
fn shown(backend: &str) -> String {
    let test = env::current_exe().unwrap();
    let folder = test.parent().and_then(Path::parent).unwrap();
    let path = folder.join("examples").join(format!("logs{}", env::consts::EXE_SUFFIX));
    let output = Command::new(&path).arg(backend).output().unwrap_or_else(|error| {
        panic!("{}: {error}: run `cargo build -p annulus --examples`", path.display())
    });
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let (before, status) = text.trim_end().rsplit_once('\n').unwrap();
    assert!(status.contains(&format!(" on {backend}: ")), "{status}");
    format!("{before}\n")
}

#[test]
fn the_kernel_finds_what_a_plain_program_finds() {
    let expected = expected();
    assert!(expected.lines().count() >= 8, "{expected}");
    assert_eq!(shown("cpu"), expected, "on the CPU");
    match Runtime::builder().backend(OpenCl::new()).build() {
        Ok(_) => assert_eq!(shown("opencl"), expected, "on OpenCL"),
        Err(error) => println!("skipped: OpenCL: {error}"),
    }
}
