//! What is known about the machine, for the report's header.

use std::{fs, thread};

/// A line on the machine.
pub(crate) fn describe() -> String {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let model = processor().unwrap_or_else(|| format!("{} processor", std::env::consts::ARCH));
    format!("{model}, {cores} cores for this process, {}", std::env::consts::OS)
}

/// What speaks against this run's figures, each a sentence.
pub(crate) fn doubts() -> Vec<String> {
    let mut doubts = vec!["Threads are not pinned, and the processor's frequency is as it is.".to_owned()];
    if fs::read_to_string("/proc/cpuinfo").is_ok_and(|text| text.contains("hypervisor")) {
        doubts.push("This is a virtual machine: its host may take cores away, which shows in maxima.".into());
    }
    if let Some(load) = load().filter(|&load| load > 0.5) {
        doubts.push(format!(
            "The load was {load} when the run began: other programs compete for cores. Trust ratios before times."
        ));
    }
    if thread::available_parallelism().map_or(1, usize::from) < 6 {
        doubts.push("There are fewer cores than threads in the cases with four producers.".into());
    }
    doubts
}

fn processor() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// Threads that ran or wanted to, the average of the last minute.
fn load() -> Option<f64> {
    fs::read_to_string("/proc/loadavg").ok()?.split_whitespace().next()?.parse().ok()
}
