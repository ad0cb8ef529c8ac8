//! What a device does: tried, not assumed.
//!
//! *Whether kernels can stay.* A small kernel is started, in as many groups as would stay, that waits for a
//! word of the host's, answers, waits for the next and answers again. If answers come while it runs, host and
//! device see each other's writes, and kernels stay (*persistent*). Else the same kernel is run in two
//! bounded launches; if the words arrive between launches, kernels run in *epochs*. If not even that works,
//! the device is no use.
//!
//! *How many.* A device may say that it runs two groups at a time, and run one after the other on one thread:
//! the second would wait for ever for the end of the first, which stays. So all groups must have answered
//! before any of them is told to end. If some have not, groups of one kernel count as not running together,
//! and kernels of one group are started beside each other, until one does not answer: so many places there
//! are. What is tried is believed for the groups' size that it was tried with; groups of several threads are
//! tried when such a kernel is launched ([`runs_together`]).
//!
//! *How long a look takes*, by which times become numbers of looks.
//!
//! *How long loops may be.* llvmpipe of Mesa 22.3 ends all loops of a run after 65,535 turns together,
//! without a word.

use std::{
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use annulus_kernel::device::{INTERFACE, OPENCL_PRELUDE};
use annulus_sync::{AtomicU32, Ordering};

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
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) verdict: Verdict,
    /// Blocks can nap, tell the time and wake the host.
    pub(crate) system: bool,
    /// Groups that run at the same time, of all kernels together.
    pub(crate) groups: u32,
    /// Groups of one kernel run at the same time, as many as that.
    pub(crate) together: bool,
    /// Kernels do.
    pub(crate) beside: bool,
    /// How long a look for something to do takes a block.
    pub(crate) look: Duration,
    /// Loops end when they should.
    pub(crate) loops: bool,
}

/// How long the host waits for a first answer. A device that needs longer, once, runs in epochs: slower, and
/// never wrong.
const PATIENCE: Duration = Duration::from_secs(3);
/// How long the host waits for one more answer when some have come.
const GATHERING: Duration = Duration::from_millis(300);
/// How long the host waits for a run that ends by itself. One that does not is left behind.
const LONG_PATIENCE: Duration = Duration::from_secs(30);
/// After this many looks the kernel gives up by itself: longer than the host waits, on any device that is
/// fast enough to be of use.
const LOOKS: u64 = 1 << 26;
/// Looks of a run by which a look is measured, and of one in which groups wait for each other.
const MEASURED: u64 = 4096;
/// Turns of a loop, more than a device that ends loops by itself lets pass.
const TURNS: u64 = 70_000;
/// A turn of the dispatch loop that finds nothing takes so many of the probe's looks: on PoCL 30 ns, where
/// this look takes 3 to 8.
const LOOKS_OF_A_TURN: u32 = 5;
/// The most groups that are tried.
const GROUPS: u32 = 1024;

const SOURCE: &str = include_str!("probe.c");

/// How a device is tried.
#[derive(Clone)]
pub(crate) struct Probe<'a> {
    pub(crate) context: &'a Arc<Context>,
    pub(crate) kind: MemoryKind,
    /// Of the build.
    pub(crate) options: String,
    /// Groups that the device says it runs at the same time.
    pub(crate) groups: u32,
    /// Whether kernels are tried beside each other.
    pub(crate) beside: bool,
}

/// Finds out what the device does.
pub(crate) fn probe(probe: Probe) -> Found {
    match probe.try_all() {
        Ok(found) => found,
        Err(why) => Found {
            verdict: Verdict::Unusable(why),
            system: false,
            groups: 0,
            together: false,
            beside: false,
            look: Duration::from_nanos(1),
            loops: true,
        },
    }
}

/// Whether so many groups of so many threads run at the same time. For a device on which kernels stay; takes
/// as many places.
pub(crate) fn runs_together(probe: Probe, threads: u32) -> Result<bool, String> {
    let program = probe.program(threads)?;
    let trial = |looks| {
        Trial::new(
            probe.context,
            probe.kind,
            &program,
            Size { groups: probe.groups, threads, looks, turns: 0 },
        )
    };
    let gathers = || {
        trial(1)?.run_once()?;
        Ok(trial(LOOKS)?.gather()?.0 == probe.groups)
    };
    gathers().map_err(failed)
}

fn failed(error: ClError) -> String {
    format!("the probe cannot run: {error}")
}

impl Probe<'_> {
    fn program(&self, threads: u32) -> Result<Program, String> {
        let source = format!(
            "#define ANN_LAUNCH_THREADS {threads}\n#define ANN_LAUNCH_PORTABLE 0\n{OPENCL_PRELUDE}\n{INTERFACE}\n{SOURCE}"
        );
        Program::from_source(self.context, &source, &self.options)
            .map_err(|refused| format!("the probe does not compile: {}\n{}", refused.error, refused.log))
    }

    fn try_all(&self) -> Result<Found, String> {
        let program = self.program(1)?;
        let groups = self.groups.clamp(1, GROUPS);
        let size = |groups, looks, turns| Size { groups, threads: 1, looks, turns };
        let trial = |size| Trial::new(self.context, self.kind, &program, size).map_err(failed);
        let how = match self.kind {
            MemoryKind::FineGrain => "fine-grain shared virtual memory with atomics",
            MemoryKind::Mapped => "a mapped buffer",
        };
        // Building for the device may happen at the first launch: that is not what the time limits are about.
        let mut first = trial(size(groups, 1, TURNS))?;
        first.run_once().map_err(failed)?;
        let loops = u64::from(first.answer(0, 3)) >= TURNS;
        let look = self.measure(&program)?;
        let mut found = Found {
            verdict: Verdict::Unusable(String::new()),
            system: first.answer(0, 1) != 0,
            groups,
            together: true,
            beside: true,
            look,
            loops,
        };
        let (answered, ended) = trial(size(groups, LOOKS, 0))?.gather().map_err(failed)?;
        if answered != 0 && ended {
            let why = format!("host and running kernel saw each other's writes through {how}");
            found.verdict = Verdict::Persistent(why);
            found.together = answered == groups;
            if !found.together || self.beside {
                let side_by_side = self.side_by_side(&program).map_err(failed)?;
                found.beside = side_by_side > 1;
                if !found.together {
                    found.groups = side_by_side.max(1);
                }
            }
            return Ok(found);
        }
        // Whoever has seen all others come ran beside them.
        let mut crowd = trial(size(groups, MEASURED, 0))?;
        crowd.run_once().map_err(failed)?;
        found.together = (0..groups).all(|group| crowd.answer(group, 2) >= groups);
        found.groups = if found.together { groups } else { 1 };
        let mut between = trial(size(1, 1, 0))?;
        found.verdict = if between.talk_between_runs().map_err(failed)? {
            Verdict::Epochs(format!(
                "a running kernel and the host did not see each other's writes through {how} within {PATIENCE:?}"
            ))
        } else {
            Verdict::Unusable(format!(
                "host and kernels do not see each other's writes through {how}, not even between launches"
            ))
        };
        Ok(found)
    }

    /// What a turn takes that finds nothing, by the difference of a long run to a short one.
    fn measure(&self, program: &Program) -> Result<Duration, String> {
        let run = |looks| {
            let size = Size { groups: 1, threads: 1, looks, turns: 0 };
            let mut trial = Trial::new(self.context, self.kind, program, size)?;
            trial.run_once()?;
            let mut best = Duration::MAX;
            for _ in 0..3 {
                let begun = Instant::now();
                trial.run_once()?;
                best = best.min(begun.elapsed());
            }
            Ok(best)
        };
        let short = run(1).map_err(failed)?;
        let long = run(MEASURED).map_err(failed)?;
        let look = long.saturating_sub(short) / MEASURED as u32;
        Ok((look * LOOKS_OF_A_TURN).max(Duration::from_nanos(1)))
    }

    /// How many kernels of one group run at the same time.
    fn side_by_side(&self, program: &Program) -> Result<u32, ClError> {
        let mut trials: Vec<(Trial, Event)> = Vec::new();
        let mut running = 0;
        for _ in 0..self.groups.clamp(1, GROUPS) {
            let size = Size { groups: 1, threads: 1, looks: LOOKS, turns: 0 };
            let mut trial = Trial::new(self.context, self.kind, program, size)?;
            let run = trial.start()?;
            trial.word(0).store(1, Ordering::Release);
            let answers = until(GATHERING, || trial.answer(0, 0) == 1);
            trials.push((trial, run));
            if !answers {
                break;
            }
            running += 1;
        }
        for (trial, _) in &trials {
            trial.word(0).store(2, Ordering::Release);
        }
        for (trial, run) in &mut trials {
            trial.end(run)?;
        }
        Ok(running)
    }
}

/// The size of a run.
#[derive(Clone, Copy)]
struct Size {
    groups: u32,
    threads: u32,
    looks: u64,
    turns: u64,
}

struct Trial {
    words: Arc<Memory>,
    size: Size,
    kernel: Kernel,
    queue: Queue,
    /// A run was started, and has not been seen to end: it may still use the words.
    running: bool,
}

/// The host's word, the groups' count, and two lines besides stand before the groups' own.
const LINES: u32 = 3;

impl Trial {
    fn new(context: &Arc<Context>, kind: MemoryKind, program: &Program, size: Size) -> Result<Self, ClError> {
        let words = Arc::new(Memory::shared(context, kind, (size.groups + LINES) as usize * 128)?);
        let mut kernel = program.kernel("ann_probe")?;
        kernel.memory(&words)?;
        kernel.number(size.looks)?;
        kernel.number(size.turns)?;
        Ok(Self { words, size, kernel, queue: Queue::new(context)?, running: false })
    }

    /// Word 0 is the host's.
    fn word(&self, index: usize) -> &AtomicU32 {
        let base = self.words.host().expect("shared memory is seen by the host").cast::<u32>();
        assert!(index * size_of::<u32>() < self.words.bytes(), "the word is one of the trial's");
        // SAFETY: the memory is that long, by the assertion, and aligned to 128.
        let word = unsafe { base.add(index) };
        // SAFETY: the memory lives as long as `self`, and both sides access the word atomically.
        unsafe { AtomicU32::from_ptr(word.as_ptr()) }
    }

    /// A word of a group's answer.
    fn answer(&self, group: u32, word: u32) -> u32 {
        self.word(((LINES + group) * 32 + word) as usize).load(Ordering::Acquire)
    }

    fn start(&mut self) -> Result<Event, ClError> {
        self.running = true;
        // SAFETY: the arguments are what `probe.c` takes; the words live until the kernel has been seen to
        // end, or are leaked (`drop`).
        unsafe { self.queue.start(&self.kernel, self.size.groups, self.size.threads) }
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

    /// How many groups have answered while all that had begun were running, and whether the run then ended as
    /// it was told to.
    fn gather(&mut self) -> Result<(u32, bool), ClError> {
        let run = self.start()?;
        self.word(0).store(1, Ordering::Release);
        let answered =
            |trial: &Self| (0..trial.size.groups).filter(|&group| trial.answer(group, 0) == 1).count() as u32;
        let mut most = 0;
        while until(if most == 0 { PATIENCE } else { GATHERING }, || answered(self) > most) {
            most = answered(self);
            if most == self.size.groups {
                break;
            }
        }
        // A run that is over was not waiting: it has seen nothing of the host's while it ran, but at most
        // before it.
        let over = most == 0 || run.is_over()?;
        // In case that it sees this after all.
        self.word(0).store(2, Ordering::Release);
        if over {
            if most != 0 {
                self.running = false;
            }
            return Ok((0, false));
        }
        let ended = self.end(&run)?;
        let told = (0..self.size.groups).all(|group| self.answer(group, 0) == 2);
        Ok((most, ended && told))
    }

    fn talk_between_runs(&mut self) -> Result<bool, ClError> {
        for number in 1..=2 {
            self.word(0).store(number, Ordering::Release);
            if !self.run_once()? || (0..self.size.groups).any(|group| self.answer(group, 0) != number) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl Drop for Trial {
    fn drop(&mut self) {
        if self.running {
            std::mem::forget(Arc::clone(&self.words));
        }
    }
}

fn until(patience: Duration, condition: impl Fn() -> bool) -> bool {
    let deadline = Instant::now() + patience;
    while !condition() {
        if Instant::now() >= deadline {
            return false;
        }
        thread::yield_now();
    }
    true
}
