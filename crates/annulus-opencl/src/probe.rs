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

use crate::cl::{ClError, Context, Kernel, Memory, MemoryKind, Program, Queue};

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

/// How long the host waits for an answer. A device that needs longer, once, runs in epochs: slower, and never wrong.
const PATIENCE: Duration = Duration::from_secs(3);
/// After this many looks the kernel gives up by itself: longer than the host waits, on any device that is fast enough to be of use.
const LOOKS: u64 = 1 << 26;

const SOURCE: &str = include_str!("probe.c");

/// Finds out what the device does.
pub(crate) fn probe(context: &Arc<Context>, kind: MemoryKind, options: &str) -> Verdict {
    let source = format!(
        "#define ANN_LAUNCH_THREADS 1\n#define ANN_LAUNCH_PORTABLE 0\n{OPENCL_PRELUDE}\n{INTERFACE}\n{SOURCE}"
    );
    match try_both(context, kind, &source, options) {
        Ok(verdict) => verdict,
        Err(why) => Verdict::Unusable(why),
    }
}

fn try_both(
    context: &Arc<Context>,
    kind: MemoryKind,
    source: &str,
    options: &str,
) -> Result<Verdict, String> {
    let failed = |error: ClError| format!("the probe cannot run: {error}");
    let program = Program::from_source(context, source, options)
        .map_err(|refused| format!("the probe does not compile: {}\n{}", refused.error, refused.log))?;
    let how = match kind {
        MemoryKind::FineGrain => "fine-grain shared virtual memory with atomics",
        MemoryKind::Mapped => "a mapped buffer",
    };
    let mut trial = Trial::new(context, kind, &program, LOOKS).map_err(failed)?;
    if trial.talk_while_it_runs().map_err(failed)? {
        return Ok(Verdict::Persistent(format!(
            "host and running kernel saw each other's writes through {how}"
        )));
    }
    // It has given up, or will: a run in flight keeps what it uses.
    trial.abandon();
    let mut trial = Trial::new(context, kind, &program, 1).map_err(failed)?;
    if trial.talk_between_runs().map_err(failed)? {
        let why = format!(
            "a running kernel and the host did not see each other's writes through {how} within {PATIENCE:?}"
        );
        return Ok(Verdict::Epochs(why));
    }
    Ok(Verdict::Unusable(format!(
        "host and kernels do not see each other's writes through {how}, not even between launches"
    )))
}

struct Trial {
    words: Arc<Memory>,
    kernel: Kernel,
    queue: Queue,
    abandoned: bool,
}

impl Trial {
    fn new(context: &Arc<Context>, kind: MemoryKind, program: &Program, looks: u64) -> Result<Self, ClError> {
        let words = Arc::new(Memory::shared(context, kind, 512)?);
        let mut kernel = program.kernel("ann_probe")?;
        kernel.memory(&words)?;
        kernel.number(looks)?;
        Ok(Self { words, kernel, queue: Queue::new(context)?, abandoned: false })
    }

    /// Word 0 is the host's, word 64 (two lines on) the kernel's.
    fn word(&self, index: usize) -> &AtomicU32 {
        let base = self.words.host().expect("shared memory is seen by the host").cast::<u32>();
        // SAFETY: the memory is 512 bytes long, aligned to 128, and both words lie in it.
        let word = unsafe { base.add(index) };
        // SAFETY: the memory lives as long as `self`, and both sides access the word atomically.
        unsafe { AtomicU32::from_ptr(word.as_ptr()) }
    }

    fn start(&self) -> Result<crate::cl::Event, ClError> {
        // SAFETY: the arguments are what `probe.c` takes; the words live until the kernel has ended, or are leaked (`abandon`).
        unsafe { self.queue.start(&self.kernel, 1, 1) }
    }

    /// The kernel answers each number with itself.
    fn talk_while_it_runs(&mut self) -> Result<bool, ClError> {
        let run = self.start()?;
        for number in 1..=2 {
            self.word(0).store(number, Ordering::Release);
            if !until(|| self.word(64).load(Ordering::Acquire) == number) {
                return Ok(false);
            }
            if number == 1 && run.is_over()? {
                return Ok(false);
            }
        }
        self.queue.finish()?;
        Ok(true)
    }

    fn talk_between_runs(&mut self) -> Result<bool, ClError> {
        for number in 1..=2 {
            self.word(0).store(number, Ordering::Release);
            let _run = self.start()?;
            self.queue.finish()?;
            if self.word(64).load(Ordering::Acquire) != number {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn abandon(&mut self) {
        self.abandoned = true;
    }
}

impl Drop for Trial {
    fn drop(&mut self) {
        if self.abandoned {
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
