//! What is known about the machine, for the report's header.

use std::{fs, sync::mpsc, thread};

use crate::processor::processor;

/// A line on the machine.
pub(crate) fn describe() -> String {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let model = processor().unwrap_or_else(|| format!("{} processor", std::env::consts::ARCH));
    format!("{model}, {cores} cores for this process, {}", std::env::consts::OS)
}

/// What speaks against this run's figures, each a sentence.
pub(crate) fn doubts() -> Vec<String> {
    let mut doubts = vec!["The processor's frequency is as it is.".to_owned()];
    if !cfg!(target_os = "linux") {
        doubts.push("Threads are not pinned, so two may share a core for a while.".into());
    }
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

/// Keeps the calling thread on one of this process's cores until it is dropped, so that two threads do not
/// share one while another is idle. Threads that are spawned meanwhile stay there too, unless they hold one
/// of their own. Does nothing but on Linux.
pub(crate) struct OnCore {
    #[cfg(target_os = "linux")]
    before: Option<libc::cpu_set_t>,
}

impl OnCore {
    /// On the core with this index among those that the process may use, counted round.
    #[cfg(target_os = "linux")]
    pub(crate) fn new(index: usize) -> Self {
        let mut allowed = no_cores();
        // SAFETY: the set is a valid place of the size that is said.
        let known = unsafe { libc::sched_getaffinity(0, size_of_val(&allowed), &mut allowed) } == 0;
        if !known {
            return Self { before: None };
        }
        let cores = EVERY.get_or_init(|| {
            // SAFETY: reads bits of a valid set.
            (0..libc::CPU_SETSIZE as usize)
                .filter(|&core| unsafe { libc::CPU_ISSET(core, &allowed) })
                .collect()
        });
        let mut one = no_cores();
        // SAFETY: sets a bit of a valid set; the core is below `CPU_SETSIZE`.
        unsafe { libc::CPU_SET(cores[index % cores.len()], &mut one) };
        // SAFETY: the set is valid and of the size that is said. A refusal leaves the thread where it is.
        unsafe { libc::sched_setaffinity(0, size_of_val(&one), &one) };
        Self { before: Some(allowed) }
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn new(_: usize) -> Self {
        Self {}
    }
}

/// The cores that the first caller could use: whoever inherits less knows them nevertheless.
#[cfg(target_os = "linux")]
static EVERY: std::sync::OnceLock<Vec<usize>> = std::sync::OnceLock::new();

#[cfg(target_os = "linux")]
fn no_cores() -> libc::cpu_set_t {
    // SAFETY: a set is bits, all of which may be zero.
    unsafe { std::mem::zeroed() }
}

impl Drop for OnCore {
    fn drop(&mut self) {
        #[cfg(target_os = "linux")]
        if let Some(before) = &self.before {
            // SAFETY: the set is valid and of the size that is said. A refusal leaves the thread where it is.
            unsafe { libc::sched_setaffinity(0, size_of_val(before), before) };
        }
    }
}

/// Runs this on a thread on the second core, while the caller holds the first ([`OnCore`]). Returns when it
/// is there: a thread begins on its parent's core, and if that one waits busily, it gets to its own only
/// after the parent's time slice, which would be in the figures.
pub(crate) fn spawn_apart<R: Send + 'static>(
    run: impl FnOnce() -> R + Send + 'static,
) -> thread::JoinHandle<R> {
    let (there, is_there) = mpsc::channel();
    let thread = thread::spawn(move || {
        let _there = OnCore::new(1);
        // Fails if nobody waits for it, and then nobody needs it.
        let _ = there.send(());
        run()
    });
    // Fails if the thread has ended, which whoever joins it sees.
    let _ = is_there.recv();
    thread
}

/// Threads that ran or wanted to, the average of the last minute.
fn load() -> Option<f64> {
    fs::read_to_string("/proc/loadavg").ok()?.split_whitespace().next()?.parse().ok()
}
