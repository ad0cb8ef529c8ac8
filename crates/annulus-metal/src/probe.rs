//! Finds out what a device does by trying it.
//!
//! *How far memory is coherent.* A kernel reads words that its host, or another block, writes meanwhile. Since version 3.2 the
//! language has words for memory that passes by the caches of one core: `coherent(system)`, which Apple's own programs
//! use, and `coherent(device)`. The first of them that the compiler takes is used by all programs of the device.
//!
//! *Whether host and kernels see each other's writes between launches.* A kernel answers the host's word with the same
//! number, twice. If it does not, the device cannot be used.
//!
//! *Whether the host sees in order what a running kernel publishes.* It reads a block's answers while the block goes on. A kernel writes
//! items in the ways in which a block writes, publishes a word behind them, and waits for a while. The host, which has looked for the
//! word meanwhile, must find every item. If it does not, the device cannot be used.
//!
//! *How many blocks run at the same time.* Each block waits, for a bounded number of looks, until all have arrived. The
//! largest power of two that passes counts. Blocks of several threads are tried when such a kernel is launched
//! ([`runs_together`]).
//!
//! *How long a look takes.* Durations are converted to numbers of looks by this.
//!
//! Whether kernels can stay is not tried: a GPU that also draws its computer's screen was seen to stand still under such kernels.
//! They run in epochs.

use std::{
    ptr::NonNull,
    thread,
    time::{Duration, Instant},
};

use annulus_device::Shape;
use annulus_kernel::device::{INTERFACE, METAL_PRELUDE};
use annulus_runtime::{BackendError, SharedMemory};
use annulus_sync::{AtomicU32, Ordering};

use crate::{
    memory::MetalMemory,
    mtl::{Argument, Buffer, Device, Error, Pipeline, Queue, Run},
};

const SOURCE: &str = include_str!("probe.c");

/// What the prelude's numbers for coherent memory mean.
pub(crate) const COHERENT: [&str; 3] = ["a block", "the device", "the device and its host"];
/// The most blocks that are tried at a time.
const BLOCKS: u32 = 256;
/// So often a block looks for the others before it gives up.
const LOOKS: u64 = 1 << 18;
/// Looks of the run that measures one.
const MEASURED: u64 = 4096;
/// An empty turn of the dispatch loop takes this many of the probe's looks.
const LOOKS_OF_A_TURN: u32 = 5;
/// How long the host waits for a run. A run that takes longer is abandoned, with its memory.
const PATIENCE: Duration = Duration::from_secs(30);
/// Items that a kernel publishes at a time: more than the caches nearest to a core hold.
const ITEMS: u32 = 1 << 15;
/// So often it looks for the host's answer.
const WAITS: u64 = 1 << 20;
/// Words before the blocks' own lines: the host's word and how many have arrived, each in a line; words of a line.
const HEAD: u32 = 64;
const LINE: u32 = 32;

/// What was found.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    /// How far memory is coherent, as the prelude numbers it.
    pub(crate) coherent: u32,
    /// Why it is not coherent further: the compiler's words.
    pub(crate) refused: Vec<String>,
    /// Blocks of one thread that run at the same time.
    pub(crate) together: u32,
    /// How long a look takes.
    pub(crate) look: Duration,
    /// The most threads of a block.
    pub(crate) max_threads: u32,
}

/// Tries the device.
///
/// # Errors
///
/// If it cannot run kernels: why.
pub(crate) fn probe(device: &Device) -> Result<Found, String> {
    let mut refused = Vec::new();
    for coherent in (0..3).rev() {
        let both = device.library(&source(coherent, 1)).and_then(|library| {
            Ok((device.pipeline(&library, "ann_probe")?, device.pipeline(&library, "ann_publish")?))
        });
        match both {
            Ok((pipeline, publisher)) => return found(device, coherent, &pipeline, &publisher, refused),
            Err(error) => {
                let words = error.to_string();
                let line = words.lines().find(|line| line.contains("error")).unwrap_or(&words);
                refused.push(format!("memory coherent for {}: {line}", COHERENT[coherent as usize]));
            }
        }
    }
    Err(format!("the probe does not compile: {}", refused.join("; ")))
}

fn found(
    device: &Device,
    coherent: u32,
    pipeline: &Pipeline,
    publisher: &Pipeline,
    refused: Vec<String>,
) -> Result<Found, String> {
    let alone = Trial::new(device, pipeline, 1, 1).map_err(failed)?;
    for number in [7, 8] {
        alone.word(0).store(number, Ordering::Release);
        let (is_over, took) = alone.run(1, 1).map_err(failed)?;
        if !is_over {
            return Err(format!("a run did not end within {took:?}"));
        }
        if alone.answer(0, 0) != number {
            return Err("host and kernels do not see each other's writes, not even between launches".into());
        }
    }
    publishes(device, coherent, publisher)?;
    let time = |looks| -> Result<Duration, Error> {
        let mut best = Duration::MAX;
        for _ in 0..3 {
            best = best.min(alone.run(looks, u64::from(u32::MAX))?.1);
        }
        Ok(best)
    };
    let (short, long) = (time(1).map_err(failed)?, time(MEASURED).map_err(failed)?);
    let look = (long.saturating_sub(short) / MEASURED as u32 * LOOKS_OF_A_TURN).max(Duration::from_nanos(1));
    let mut together = BLOCKS;
    while together > 1 && !gathers(device, pipeline, together, 1).map_err(failed)? {
        together /= 2;
    }
    let large = [1024, 512, 256].into_iter().find_map(|threads| program(device, coherent, threads).ok());
    let max_threads = large.as_ref().unwrap_or(pipeline).max_threads() as u32;
    Ok(Found { coherent, refused, together, look, max_threads })
}

/// Whether the host sees in order what a kernel publishes while it runs: if not, why the device is of no use.
fn publishes(device: &Device, coherent: u32, publisher: &Pipeline) -> Result<(), String> {
    let words = device.buffer(HEAD as usize * 4 + ITEMS as usize * size_of::<Item>()).map_err(failed)?;
    let trial = Trial::on(device, publisher, words, 1, 1).map_err(failed)?;
    for number in [1_000_000, 3_000_000] {
        trial.word(0).store(number, Ordering::Relaxed);
        let begun = Instant::now();
        let run = trial.start(WAITS, u64::from(ITEMS)).map_err(failed)?;
        while trial.word(LINE).load(Ordering::Acquire) != number {
            if begun.elapsed() >= PATIENCE
                || run.is_over().map_err(failed)? && trial.word(LINE).load(Ordering::Acquire) != number
            {
                // The run may still use the buffer, which Metal keeps.
                return Err("the host does not see what a kernel publishes".into());
            }
            thread::yield_now();
        }
        let wrong = (0..ITEMS).filter(|&item| !trial.has_item(item, number)).count();
        // A kernel that sees this ends; another one ends by itself.
        trial.word(1).store(number, Ordering::Release);
        trial.wait(&run, begun).map_err(failed)?;
        if wrong != 0 {
            return Err(format!(
                "of {ITEMS} items that a running kernel had published, the host did not see {wrong}, with memory that is coherent for {}",
                COHERENT[coherent as usize]
            ));
        }
    }
    Ok(())
}

/// Whether all blocks of this shape run at the same time.
pub(crate) fn runs_together(device: &Device, coherent: u32, shape: Shape) -> Result<bool, String> {
    let pipeline = program(device, coherent, shape.threads).map_err(failed)?;
    gathers(device, &pipeline, shape.blocks, shape.threads).map_err(failed)
}

/// Memory of the process as a device sees it, if host and kernels see each other's writes there.
///
/// # Errors
///
/// If they do not, or Metal does not take it: why, and what to do.
pub(crate) fn adopt(
    device: &Device,
    coherent: u32,
    memory: SharedMemory,
) -> Result<MetalMemory, BackendError> {
    let refused = |why: String| BackendError::new(format!("{why}; launch it on the CPU backend"));
    let adopted = MetalMemory::adopted(device, memory).map_err(refused)?;
    let pipeline = program(device, coherent, 1).map_err(|error| refused(failed(error)))?;
    let trial =
        Trial::on(device, &pipeline, adopted.buffer.clone(), 1, 1).map_err(|error| refused(failed(error)))?;
    for number in [7, 8] {
        trial.word(0).store(number, Ordering::Release);
        let (is_over, took) = trial.run(1, 1).map_err(|error| refused(failed(error)))?;
        if !is_over {
            // The run may still use the memory.
            std::mem::forget(adopted);
            return Err(refused(format!("a run of its trial did not end within {took:?}")));
        }
        if trial.answer(0, 0) != number {
            return Err(refused("kernels and the host do not see each other's writes in it".into()));
        }
    }
    for word in 0..HEAD + LINE {
        trial.word(word).store(0, Ordering::Relaxed);
    }
    drop(trial);
    Ok(adopted)
}

fn failed(error: Error) -> String {
    format!("the probe cannot run: {error}")
}

fn source(coherent: u32, threads: u32) -> String {
    format!(
        "#define ANN_LAUNCH_THREADS {threads}\n#define ANN_LAUNCH_COHERENT {coherent}\n{METAL_PRELUDE}\n{INTERFACE}\n{SOURCE}"
    )
}

fn program(device: &Device, coherent: u32, threads: u32) -> Result<Pipeline, Error> {
    device.pipeline(&device.library(&source(coherent, threads))?, "ann_probe")
}

fn gathers(device: &Device, pipeline: &Pipeline, blocks: u32, threads: u32) -> Result<bool, Error> {
    let trial = Trial::new(device, pipeline, blocks, threads)?;
    let (is_over, _) = trial.run(LOOKS, u64::from(blocks))?;
    Ok(is_over && (0..blocks).all(|block| trial.answer(block, 1) >= blocks))
}

/// Twin of `ann_probe_item`.
#[repr(C)]
struct Item {
    number: u64,
    parts: [u32; 6],
}

struct Trial<'a> {
    words: Buffer,
    pipeline: &'a Pipeline,
    queue: Queue,
    blocks: u32,
    threads: u32,
}

impl<'a> Trial<'a> {
    fn new(device: &Device, pipeline: &'a Pipeline, blocks: u32, threads: u32) -> Result<Self, Error> {
        let words = device.buffer((HEAD + LINE * blocks) as usize * 4)?;
        Self::on(device, pipeline, words, blocks, threads)
    }

    fn on(
        device: &Device,
        pipeline: &'a Pipeline,
        words: Buffer,
        blocks: u32,
        threads: u32,
    ) -> Result<Self, Error> {
        Ok(Self { words, pipeline, queue: device.queue()?, blocks, threads })
    }

    fn word(&self, index: u32) -> &AtomicU32 {
        let base: NonNull<u32> = self.words.contents().cast();
        assert!((index as usize + 1) * 4 <= self.words.bytes(), "the word is one of the trial's");
        // SAFETY: the buffer is that long, by the assertion.
        let word = unsafe { base.add(index as usize) };
        // SAFETY: the buffer lives as long as `self`, and both sides access the word atomically.
        unsafe { AtomicU32::from_ptr(word.as_ptr()) }
    }

    /// A word of a block's line.
    fn answer(&self, block: u32, word: u32) -> u32 {
        self.word(HEAD + LINE * block + word).load(Ordering::Acquire)
    }

    /// Whether an item is as the kernel has written it.
    fn has_item(&self, item: u32, number: u32) -> bool {
        let first = HEAD + item * (size_of::<Item>() / 4) as u32;
        let word = |at: u32| self.word(first + at).load(Ordering::Relaxed);
        let expected = number + item;
        word(0) == expected && word(1) == 0 && (2..8).all(|part| word(part) == expected)
    }

    /// Starts a run.
    fn start(&self, looks: u64, all: u64) -> Result<Run, Error> {
        self.word(LINE).store(0, Ordering::Relaxed);
        let arguments =
            [Argument::Buffer(self.words.clone()), Argument::Number(looks), Argument::Number(all)];
        // SAFETY: the arguments are what `probe.c` takes. Metal keeps the buffer until the run has ended; memory that it is
        // made of outlives that, or is leaked (`adopt`).
        unsafe { self.queue.start(self.pipeline, &arguments, self.blocks, self.threads) }
    }

    /// Whether the run ended in time, and how long it took.
    fn run(&self, looks: u64, all: u64) -> Result<(bool, Duration), Error> {
        let begun = Instant::now();
        let run = self.start(looks, all)?;
        self.wait(&run, begun)
    }

    fn wait(&self, run: &Run, begun: Instant) -> Result<(bool, Duration), Error> {
        while !run.is_over()? {
            if begun.elapsed() >= PATIENCE {
                return Ok((false, begun.elapsed()));
            }
            thread::yield_now();
        }
        Ok((true, begun.elapsed()))
    }
}
