//! Finds out by a trial, when a device is opened, whether a kernel can stay, and what the device's clock
//! shows.
//!
//! A small kernel answers the host's numbers while it runs. Each answer carries the time on the device's
//! clock (`%globaltimer`). If the answers come, host and running kernel see each other's writes, and kernels
//! stay (*persistent*), unless the platform is known to end kernels that take long. Otherwise the same kernel
//! is run once more with its number already there; if that is answered, kernels run in *epochs*. If not even
//! that works, the device cannot be used.
//!
//! Each answer was given between the host's store of the number and the poll that finds the answer. So the
//! device's time belongs to some moment of that interval. The narrowest interval is kept: half its width is
//! the uncertainty of the relation between the two clocks when it was measured. Later moments correct it
//! ([`annulus_device::ClockSync`]).

use std::{
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use annulus_device::{Moment, Shape};
use annulus_kernel::device::CUDA_PRELUDE;
use annulus_sync::{AtomicU32, AtomicU64, Ordering, spin_loop};

use crate::{
    cu::{Arena, Context, CuError, Kind, Memory, NoRoom, Platform, Program, Run, Stream, loads_eagerly},
    text::Text,
};

/// The small kernel's name.
pub(crate) const ENTRY: &str = "ann_probe";
/// The most and the fewest numbers that the host sends. The first ones find cold caches; on a busy host most
/// find a thread that waits for its turn.
const ROUNDS: u32 = 1000;
const ROUNDS_LEAST: u32 = 32;
/// How long it goes on after the fewest numbers.
const TRYING: Duration = Duration::from_millis(20);
/// Uncertainty at which the clocks' relation is good enough: an answer over PCIe takes about two
/// microseconds.
const SHARP: Duration = Duration::from_nanos(1500);
/// How long the kernel waits for a number.
const KERNEL_PATIENCE: Duration = Duration::from_secs(3);
/// How long the host waits for an answer, and for a run to end: longer than the kernel waits for all numbers.
const PATIENCE: Duration = Duration::from_secs(10);
/// Words of the kernel's answer, after the host's own line.
const ANSWER: usize = 32;
const SEEN: usize = 33;
const TIME: usize = 34;
const STEP: usize = 36;

/// How a device runs kernels, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Kernels stay until they are terminated.
    Persistent(String),
    /// Kernels return after a bounded time, and are launched again.
    Epochs(String),
}

/// The result of a probe.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) verdict: Verdict,
    /// A moment on its clock and the host's.
    pub(crate) moment: Moment,
    /// The step in which its clock advances.
    pub(crate) step: Duration,
}

/// The small kernel's program.
pub(crate) fn text() -> Text {
    let source = format!("#define ANN_LAUNCH_THREADS 1\n{CUDA_PRELUDE}\n{}", include_str!("probe.c"));
    Text { name: "annulus-probe".into(), threads: 1, arrays: 0, source }
}

/// Finds out what the device does; an error says why it cannot be used.
pub(crate) fn probe(context: &Arc<Context>, program: &Program) -> Result<Found, String> {
    let failed = |error: CuError| format!("the probe cannot run: {error}");
    let arena = Arena::reserve(context, Kind::Shared, 4096).map_err(|why| match why {
        NoRoom::Refused(error) => failed(error),
        NoRoom::Resident { .. } => "the probe has no memory while a kernel stays on the device".into(),
    })?;
    let why_not = match context.device().platform() {
        Platform::Plain if !loads_eagerly() => Some(
            "the driver loads programs lazily, which waits for kernels that stay: set CUDA_MODULE_LOADING=EAGER before the program starts",
        ),
        Platform::Plain => None,
        Platform::Wddm => Some("Windows ends kernels that take seconds on devices in display mode (WDDM)"),
        Platform::Wsl => Some("in WSL2 a running kernel does not see the host's writes"),
        Platform::Watchdog => Some("a display's watchdog ends kernels that take seconds on this device"),
    };
    if why_not.is_none() {
        let trial = Trial::new(context, &arena).map_err(failed)?;
        if let Some((moment, step)) = trial.talk_while_it_runs(program).map_err(failed)? {
            let why = "host and running kernel saw each other's writes".into();
            return Ok(Found { verdict: Verdict::Persistent(why), moment, step });
        }
    }
    let trial = Trial::new(context, &arena).map_err(failed)?;
    let why = match why_not {
        Some(why) => why.into(),
        None => format!(
            "a running kernel and the host did not see each other's writes within {KERNEL_PATIENCE:?}"
        ),
    };
    match trial.talk_once(program).map_err(failed)? {
        Some((moment, step)) => Ok(Found { verdict: Verdict::Epochs(why), moment, step }),
        None => Err("host and kernels do not see each other's writes, not even between launches".into()),
    }
}

struct Trial {
    words: Memory,
    stream: Arc<Stream>,
}

impl Trial {
    fn new(context: &Arc<Context>, arena: &Arc<Arena>) -> Result<Self, CuError> {
        let words = arena.take(256).map_err(|why| match why {
            NoRoom::Refused(error) => error,
            NoRoom::Resident { .. } => unreachable!("the arena was made with room for all trials"),
        })?;
        Ok(Self { words, stream: Arc::new(Stream::new(context)?) })
    }

    fn word(&self, index: usize) -> &AtomicU32 {
        let base = self.words.host().expect("shared memory is seen by the host").cast::<u32>();
        // SAFETY: the memory is 256 bytes long, aligned to 128, and all words that are asked for lie in it.
        let word = unsafe { base.add(index) };
        // SAFETY: the memory lives as long as `self`, and both sides access the word atomically.
        unsafe { AtomicU32::from_ptr(word.as_ptr()) }
    }

    fn time(&self) -> u64 {
        let place = self.word(TIME).as_ptr().cast::<u64>();
        // SAFETY: word 34 begins at a multiple of eight bytes, two words inside the memory, and is accessed
        // as a whole by both sides.
        unsafe { AtomicU64::from_ptr(place) }.load(Ordering::Relaxed)
    }

    /// Known after a number was answered.
    fn step(&self) -> Duration {
        Duration::from_nanos(self.word(STEP).load(Ordering::Relaxed).into())
    }

    fn start(&self, program: &Program, rounds: u32) -> Result<Run, CuError> {
        let mut entry = program.entry();
        entry.memory(&self.words);
        entry.number(rounds.into());
        entry.number(KERNEL_PATIENCE.as_nanos() as u64);
        // SAFETY: the arguments are what `probe.c` takes; the words live until the kernel has been seen to
        // end, or are leaked (`end`).
        unsafe { self.stream.start(&entry, Shape { blocks: 1, threads: 1, ..Shape::default() }, None) }
    }

    /// Waits for the run's end, which comes by itself; returns whether it came in time.
    fn end(self, run: &Run) -> Result<bool, CuError> {
        let begun = Instant::now();
        while !run.is_over()? {
            if begun.elapsed() > PATIENCE {
                std::mem::forget(self);
                return Ok(false);
            }
            thread::yield_now();
        }
        Ok(true)
    }

    /// Sends each number as soon as the one before is answered, until a moment is known well enough; `None`
    /// if a number is not answered.
    fn talk_while_it_runs(self, program: &Program) -> Result<Option<(Moment, Duration)>, CuError> {
        let run = self.start(program, ROUNDS)?;
        let begun = Instant::now();
        let mut best: Option<Moment> = None;
        let mut all = true;
        for number in 1..=ROUNDS {
            let said = Instant::now();
            self.word(0).store(number, Ordering::Release);
            if !until(|| self.word(ANSWER).load(Ordering::Acquire) == number)
                || self.word(SEEN).load(Ordering::Relaxed) == 0
            {
                all = false;
                break;
            }
            let moment = self.between(said, Instant::now());
            if best.is_none_or(|best| moment.uncertainty < best.uncertainty) {
                best = Some(moment);
            }
            let sharp = best.is_some_and(|best| best.uncertainty <= SHARP);
            if number >= ROUNDS_LEAST && (sharp || begun.elapsed() > TRYING) {
                break;
            }
        }
        // All remaining numbers at once.
        self.word(0).store(ROUNDS, Ordering::Release);
        let step = self.step();
        let ended = self.end(&run)?;
        Ok(best.filter(|_| all && ended).map(|best| (best, step)))
    }

    /// Sends one number before the run.
    fn talk_once(self, program: &Program) -> Result<Option<(Moment, Duration)>, CuError> {
        self.word(0).store(1, Ordering::Release);
        let said = Instant::now();
        let run = self.start(program, 1)?;
        let begun = Instant::now();
        while !run.is_over()? {
            if begun.elapsed() > PATIENCE {
                std::mem::forget(self);
                return Ok(None);
            }
            spin_loop();
        }
        let answered =
            self.word(ANSWER).load(Ordering::Acquire) == 1 && self.word(SEEN).load(Ordering::Relaxed) == 1;
        Ok(answered.then(|| (self.between(said, Instant::now()), self.step())))
    }

    /// The time of the answer, which was given at some moment between these.
    fn between(&self, begun: Instant, ended: Instant) -> Moment {
        Moment::between(begun, ended, self.time())
    }
}

fn until(condition: impl Fn() -> bool) -> bool {
    let begun = Instant::now();
    while !condition() {
        if begun.elapsed() > PATIENCE {
            return false;
        }
        spin_loop();
    }
    true
}
