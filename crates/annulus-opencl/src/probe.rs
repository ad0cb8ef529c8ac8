//! Whether a kernel can stay on a device: tried, not assumed.
//!
//! A small kernel is started that waits for a word of the host's, answers, waits for the next and answers again. If both answers come
//! while it runs, host and device see each other's writes, and kernels stay (*persistent*). Else the same kernel is run in two
//! bounded launches; if the words arrive between launches, kernels run in *epochs*. If not even that works, the device is no use.

use std::{
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use annulus_kernel::device::{INTERFACE, OPENCL_PRELUDE};
use annulus_queue::sync::{AtomicU32, Ordering};

use crate::cl::{ClError, Context, Event, Kernel, Memory, MemoryKind, Program, Queue};

/// How a device runs kernels, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Kernels stay until they are terminated.
    Persistent(String),
    /// Kernels return after a bounded time, and are launched again.
    Epochs(String),
    /// Kernels cannot be run.
    Unusable(String),
}

/// What a probe finds.
pub(crate) struct Found {
    pub(crate) verdict: Verdict,
    /// Blocks can nap, tell the time and wake the host.
    pub(crate) system: bool,
}

/// How long the host waits for an answer. A device that needs longer, once, runs in epochs: slower, and never wrong.
const PATIENCE: Duration = Duration::from_secs(3);
/// How long the host waits for a run that ends by itself. One that does not is left behind.
const LONG_PATIENCE: Duration = Duration::from_secs(30);
/// After this many looks the kernel gives up by itself: longer than the host waits, on any device that is fast enough to be of use.
const LOOKS: u64 = 1 << 26;

const SOURCE: &str = include_str!("probe.c");

/// Finds out what the device does.
pub(crate) fn probe(context: &Arc<Context>, kind: MemoryKind, options: &str) -> Found {
    let source = format!(
        "#define ANN_LAUNCH_THREADS 1\n#define ANN_LAUNCH_PORTABLE 0\n{OPENCL_PRELUDE}\n{INTERFACE}\n{SOURCE}"
    );
    match try_both(context, kind, &source, options) {
        Ok(found) => found,
        Err(why) => Found { verdict: Verdict::Unusable(why), system: false },
    }
}

fn try_both(context: &Arc<Context>, kind: MemoryKind, source: &str, options: &str) -> Result<Found, String> {
    let failed = |error: ClError| format!("the probe cannot run: {error}");
    let program = Program::from_source(context, source, options)
        .map_err(|refused| format!("the probe does not compile: {}\n{}", refused.error, refused.log))?;
    let how = match kind {
        MemoryKind::FineGrain => "fine-grain shared virtual memory with atomics",
        MemoryKind::Mapped => "a mapped buffer",
    };
    // Building for the device may happen at the first launch: that is not what the time limit is about.
    let mut first = Trial::new(context, kind, &program, 1).map_err(failed)?;
    first.run_once().map_err(failed)?;
    let mut trial = Trial::new(context, kind, &program, LOOKS).map_err(failed)?;
    if trial.talk_while_it_runs().map_err(failed)? {
        let why = format!("host and running kernel saw each other's writes through {how}");
        return Ok(Found { verdict: Verdict::Persistent(why), system: trial.has_system() });
    }
    let mut trial = Trial::new(context, kind, &program, 1).map_err(failed)?;
    if trial.talk_between_runs().map_err(failed)? {
        let why = format!(
            "a running kernel and the host did not see each other's writes through {how} within {PATIENCE:?}"
        );
        return Ok(Found { verdict: Verdict::Epochs(why), system: trial.has_system() });
    }
    let why =
        format!("host and kernels do not see each other's writes through {how}, not even between launches");
    Ok(Found { verdict: Verdict::Unusable(why), system: false })
}

struct Trial {
    words: Arc<Memory>,
    kernel: Kernel,
    queue: Queue,
    /// A run was started, and has not been seen to end: it may still use the words.
    running: bool,
}

impl Trial {
    fn new(context: &Arc<Context>, kind: MemoryKind, program: &Program, looks: u64) -> Result<Self, ClError> {
        let words = Arc::new(Memory::shared(context, kind, 512)?);
        let mut kernel = program.kernel("ann_probe")?;
        kernel.memory(&words)?;
        kernel.number(looks)?;
        Ok(Self { words, kernel, queue: Queue::new(context)?, running: false })
    }

    /// Word 0 is the host's, word 64 (two lines on) the kernel's.
    fn word(&self, index: usize) -> &AtomicU32 {
        let base = self.words.host().expect("shared memory is seen by the host").cast::<u32>();
        // SAFETY: the memory is 512 bytes long, aligned to 128, and all words that are asked for lie in it.
        let word = unsafe { base.add(index) };
        // SAFETY: the memory lives as long as `self`, and both sides access the word atomically.
        unsafe { AtomicU32::from_ptr(word.as_ptr()) }
    }

    fn start(&mut self) -> Result<Event, ClError> {
        self.running = true;
        // SAFETY: the arguments are what `probe.c` takes; the words live until the kernel has been seen to end, or are leaked (`drop`).
        unsafe { self.queue.start(&self.kernel, 1, 1) }
    }

    /// Waits for the run's end; whether it came in time.
    fn end(&mut self, run: &Event) -> Result<bool, ClError> {
        let deadline = Instant::now() + LONG_PATIENCE;
        while !run.is_over()? {
            if Instant::now() >= deadline {
                return Ok(false);
            }
            thread::yield_now();
        }
        self.running = false;
        Ok(true)
    }

    fn run_once(&mut self) -> Result<bool, ClError> {
        let run = self.start()?;
        self.end(&run)
    }

    /// The kernel answers each number with itself, the last of which ends it.
    fn talk_while_it_runs(&mut self) -> Result<bool, ClError> {
        let run = self.start()?;
        for number in 1..=2 {
            self.word(0).store(number, Ordering::Release);
            if !until(|| self.word(64).load(Ordering::Acquire) == number) {
                // In case that it sees this after all.
                self.word(0).store(2, Ordering::Release);
                return Ok(false);
            }
            if number == 1 && run.is_over()? {
                self.running = false;
                return Ok(false);
            }
        }
        self.end(&run)
    }

    fn talk_between_runs(&mut self) -> Result<bool, ClError> {
        for number in 1..=2 {
            self.word(0).store(number, Ordering::Release);
            if !self.run_once()? || self.word(64).load(Ordering::Acquire) != number {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether blocks can nap, tell the time and wake the host.
    fn has_system(&self) -> bool {
        self.word(65).load(Ordering::Acquire) != 0
    }
}

impl Drop for Trial {
    fn drop(&mut self) {
        if self.running {
            std::mem::forget(Arc::clone(&self.words));
        }
    }
}

fn until(condition: impl Fn() -> bool) -> bool {
    let deadline = Instant::now() + PATIENCE;
    while !condition() {
        if Instant::now() >= deadline {
            return false;
        }
        thread::yield_now();
    }
    true
}
