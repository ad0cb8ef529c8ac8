//! Finds out what a device does by trying it, not by assumption.
//!
//! *Whether kernels can stay.* A small kernel is started, in as many groups as would stay. It waits for a
//! word of the host, answers, waits for the next word and answers again. If the answers come while it runs,
//! host and device see each other's writes, and kernels stay (*persistent*). Otherwise the same kernel is run
//! in two bounded launches. If the words arrive between launches, kernels run in *epochs*. If not even that
//! works, the device cannot be used.
//!
//! *How many.* A device may report that it runs two groups at a time, and in fact run one after the other on
//! one thread. The second group would then wait for ever for the end of the first, which stays. So all groups
//! must have answered before any of them is told to end. If some have not, groups of one kernel count as not
//! running together. Then kernels of one group are started beside each other until one does not answer: that
//! gives the number of slots. A trial holds only for the group size that it was made with. Groups of several
//! threads are tried when such a kernel is launched ([`runs_together`]).
//!
//! *How long a poll takes.* Durations are converted to numbers of polls by this.
//!
//! *Memory that was adopted* is tried in place, each time ([`is_seen`]): a driver may keep a copy of it elsewhere.
//!
//! *How long loops may be.* llvmpipe of Mesa 22.3 ends all loops of a run after 65,535 turns together,
//! without reporting it.

use std::{
    mem::MaybeUninit,
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

/// The result of a probe.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) verdict: Verdict,
    /// Blocks can nap, tell the time and wake the host.
    pub(crate) system: bool,
    /// Groups that run at the same time, of all kernels together.
    pub(crate) groups: u32,
    /// Groups of one kernel run at the same time, up to that number.
    pub(crate) together: bool,
    /// Several kernels run at the same time.
    pub(crate) beside: bool,
    /// How long one poll for work takes a block.
    pub(crate) look: Duration,
    /// Loops end when they should, not earlier.
    pub(crate) loops: bool,
}

/// How long the host waits for a first answer. If a device once needs longer, its kernels run in epochs:
/// slower, but never wrong.
const PATIENCE: Duration = Duration::from_secs(3);
/// How long the host waits for one more answer when some have come.
const GATHERING: Duration = Duration::from_millis(300);
/// How long the host waits for a run that ends by itself. A run that takes longer is abandoned.
const LONG_PATIENCE: Duration = Duration::from_secs(30);
/// After this many polls the kernel gives up by itself. That is longer than the host waits, on any device
/// that is fast enough to be useful.
const LOOKS: u64 = 1 << 26;
/// Polls of the run that measures a poll, and of the run in which groups wait for each other.
const MEASURED: u64 = 4096;
/// Turns of a loop: more than a device allows that ends loops by itself.
const TURNS: u64 = 70_000;
/// An empty turn of the dispatch loop takes this many of the probe's polls: on PoCL a turn takes 30 ns, and
/// such a poll 3 to 8.
const LOOKS_OF_A_TURN: u32 = 5;
/// The most groups that are tried.
const GROUPS: u32 = 1024;

const SOURCE: &str = include_str!("probe.c");

/// What is tried, and how.
#[derive(Clone)]
pub(crate) struct Probe<'a> {
    pub(crate) context: &'a Arc<Context>,
    pub(crate) kind: MemoryKind,
    /// Build options.
    pub(crate) options: String,
    /// Groups that the device says it runs at the same time.
    pub(crate) groups: u32,
    /// Whether to try kernels beside each other.
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

/// Whether this many groups of this many threads run at the same time. For a device on which kernels stay;
/// takes as many slots.
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

/// Whether host and kernels see each other's writes in this memory: while a kernel runs if kernels stay, else between
/// two runs. The memory is zero, and so it is afterwards, unless a run does not end: that keeps the memory for ever. Takes a
/// slot if kernels stay. The program is for one thread.
pub(crate) fn is_seen(
    context: &Arc<Context>,
    program: &Program,
    words: &Arc<Memory>,
    stays: bool,
) -> Result<bool, String> {
    let trial = |looks| {
        Trial::on(Arc::clone(words), context, program, Size { groups: 1, threads: 1, looks, turns: 0 })
    };
    let is_seen = || {
        if !trial(1)?.run_once()? {
            return Ok(false);
        }
        match stays {
            true => Ok(trial(LOOKS)?.gather()? == (1, true)),
            false => trial(1)?.talk_between_runs(),
        }
    };
    let is_seen = is_seen().map_err(failed)?;
    if is_seen {
        let zeros = [MaybeUninit::zeroed(); (LINES as usize + 1) * 128];
        // SAFETY: no run uses the memory: all of them have ended.
        unsafe { words.write(0, &zeros) }.map_err(failed)?;
    }
    Ok(is_seen)
}

fn failed(error: ClError) -> String {
    format!("the probe cannot run: {error}")
}

impl Probe<'_> {
    pub(crate) fn program(&self, threads: u32) -> Result<Program, String> {
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
        // The device may build the program at the first launch; the time limits must not include that.
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
        // A group that has seen all others arrive ran at the same time as they did.
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

    /// How long a turn takes that finds nothing: the difference between a long run and a short one.
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
    /// A run was started, and was not seen to end: it may still use the words.
    running: bool,
}

/// The host's word, the groups' count, and two more lines come before the groups' own lines.
const LINES: u32 = 3;

impl Trial {
    fn new(context: &Arc<Context>, kind: MemoryKind, program: &Program, size: Size) -> Result<Self, ClError> {
        let words = Memory::shared(context, kind, (size.groups + LINES) as usize * 128)?;
        Self::on(Arc::new(words), context, program, size)
    }

    /// In this memory, which has room for the lines.
    fn on(
        words: Arc<Memory>,
        context: &Arc<Context>,
        program: &Program,
        size: Size,
    ) -> Result<Self, ClError> {
        let mut kernel = program.kernel("ann_probe")?;
        kernel.memory(&words)?;
        kernel.number(size.looks)?;
        kernel.number(size.turns)?;
        Ok(Self { words, size, kernel, queue: Queue::new(context)?, running: false })
    }

    /// Word 0 belongs to the host.
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

    /// Waits for the run's end; returns whether it came in time.
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

    /// The number of groups that have answered while all groups that had begun were running, and whether the
    /// run then ended when it was told to.
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
        // A run that is over was not waiting. It saw nothing that the host wrote while it ran, at most what
        // was written before.
        let over = most == 0 || run.is_over()?;
        // In case that it sees the word after all.
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
