//! How a case is run: on a runtime of its own, and watched.

use std::{
    fmt,
    panic::resume_unwind,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{RecvTimeoutError, channel},
    },
    thread,
    time::Duration,
};

use annulus_runtime::{KernelControl, KernelHandle, KernelStatus, LaunchError, Runtime};

use crate::Subject;

/// What a case finds: the runtime, and how large it should be.
pub struct Bench {
    subject: Arc<dyn Subject>,
    runtime: Runtime,
}

/// What a case needs of a backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// That it obeys commands.
    Nothing,
    /// That it runs handlers.
    Handlers,
    /// That it runs handlers, and contains their panics.
    Panics,
    /// That it runs as many blocks as a runtime has telemetry lines, twice.
    ManyBlocks,
}

impl Needs {
    fn lacking(self, subject: &dyn Subject) -> Option<&'static str> {
        match self {
            Self::Handlers | Self::Panics if !subject.runs_handlers() => Some("it runs no handlers"),
            Self::Panics if !subject.contains_panics() => Some("it does not contain panics"),
            Self::ManyBlocks if subject.most_blocks() < 2 * 4096 => Some("it runs too few blocks at a time"),
            _ => None,
        }
    }
}

/// Runs one case on a fresh runtime of the subject. What `conformance_suite!` calls. One at a time in a process: what one case keeps
/// resident on a device would be missing to another, and waits would be those of a crowd.
///
/// # Panics
///
/// If the case does, and if it has not ended after `ANNULUS_PATIENCE` seconds: then with the status of every kernel.
pub fn run(subject: impl Subject + 'static, name: &str, needs: Needs, case: fn(&Bench)) {
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(why) = needs.lacking(&subject).map(String::from).or_else(|| subject.unavailable()) {
        println!("skipped: {name} on {}: {why}", subject.name());
        return;
    }
    let subject: Arc<dyn Subject> = Arc::new(subject);
    let bench = Bench { runtime: subject.runtime(), subject: Arc::clone(&subject) };
    let watched = bench.runtime.clone();
    let (done, ended) = channel::<()>();
    let body = move || {
        // Dropped at the end, also by a panic.
        let _done = done;
        case(&bench);
    };
    let thread = thread::Builder::new().name(name.into()).spawn(body).expect("a test can have a thread");
    match ended.recv_timeout(patience()) {
        Ok(()) | Err(RecvTimeoutError::Disconnected) => {}
        Err(RecvTimeoutError::Timeout) => {
            let kernels: Vec<_> =
                watched.kernels().iter().map(|kernel| format!("{:?}", kernel.status())).collect();
            panic!("{name} hangs on {}; its kernels: {kernels:#?}", subject.name());
        }
    }
    if let Err(panic) = thread.join() {
        resume_unwind(panic);
    }
}

fn patience() -> Duration {
    let said = std::env::var("ANNULUS_PATIENCE").ok().and_then(|seconds| seconds.parse().ok());
    Duration::from_secs(said.unwrap_or(120))
}

impl Bench {
    /// The case's own runtime.
    pub fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// A fresh runtime, which nobody else holds. It is not shown when the case hangs.
    pub fn another_runtime(&self) -> Runtime {
        self.subject.runtime()
    }

    /// Whether the kernels' stamps are as fine as the host's.
    pub fn has_fine_clock(&self) -> bool {
        self.subject.has_fine_clock()
    }

    /// How far the kernels' stamps may be from the host's time, in nanoseconds.
    pub fn clock_error(&self) -> u64 {
        self.subject.clock_error()
    }

    /// `full` where long cases run at their full size, else `modest`.
    pub fn size(&self, modest: u64, full: u64) -> u64 {
        let long = std::env::var("ANNULUS_LONG").is_ok_and(|value| value != "0");
        if long || env!("ANNULUS_PROFILE") == "release" { full } else { modest }
    }

    /// Launches under a name whose last owner may still be on its way out: dropping a handle does not wait, launching does.
    ///
    /// # Panics
    ///
    /// If the launch fails.
    pub fn relaunch<K: annulus_kernel::RingKernel>(
        &self,
        launch: impl Fn() -> Result<KernelHandle<K>, LaunchError>,
    ) -> KernelHandle<K> {
        launch().expect("a launch waits for a kernel of the same name that is ending")
    }
}

impl fmt::Debug for Bench {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bench")
            .field("subject", &self.subject.name())
            .field("runtime", &self.runtime)
            .finish()
    }
}

/// Waits until the condition holds, for as long as it takes: the runner has the patience.
pub(crate) fn eventually(condition: impl Fn() -> bool) {
    while !condition() {
        pause();
    }
}

fn pause() {
    thread::sleep(Duration::from_micros(200));
}

/// Asserts that every message that was sent is accounted for; for a kernel at rest.
#[track_caller]
pub(crate) fn balanced(kernel: &KernelControl) -> KernelStatus {
    let status = kernel.status();
    assert_eq!(
        status.sent,
        status.processed + status.drops.total() + status.pending,
        "sent = processed + drops + pending: {status:?}"
    );
    status
}

/// Waits until everything that was sent has been handled.
pub(crate) fn drain(kernel: &KernelControl) {
    annulus_runtime::block_on(kernel.drained());
}

/// A generator of numbers without a pattern (SplitMix64), so that cases are the same each time.
#[derive(Debug)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        crate::kernels::mix(self.0) % limit
    }
}
