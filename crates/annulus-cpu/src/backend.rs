//! The backend and its kernels.

use std::{any::Any, mem::MaybeUninit, num::NonZeroUsize, sync::Arc, thread, time::Duration};

use annulus_block::{AskedIn, Keys, Link as BlockLink, NextLinks, StateMemory, scratch_bytes};
use annulus_kernel::Binding;
use annulus_runtime::{
    BackendError, BackendMemory, BackendSource, Capabilities, DeviceBackend, DeviceInfo, DeviceKernel,
    LaunchSize, LaunchSpec, Link, SharedMemory,
};
use annulus_sync::{AtomicU64, Ordering};

use crate::{
    alarm::Alarm,
    block::Block,
    pool::{NOTHING, WorkerPool, Workers},
    step::{InStep, Party},
};

/// The CPU backend, as `Runtime::builder().backend(…)` takes it.
///
/// ```
/// use annulus_cpu::Cpu;
/// use annulus_runtime::Runtime;
/// let runtime = Runtime::builder().backend(Cpu::new().workers(2)).build()?;
/// assert_eq!(runtime.backend(), "cpu");
/// # Ok::<(), annulus_runtime::BackendError>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Cpu {
    workers: Option<NonZeroUsize>,
}

impl Cpu {
    /// One worker per core that this process may use.
    pub fn new() -> Self {
        Self::default()
    }

    /// This many workers; 0 means one per core.
    pub fn workers(mut self, count: usize) -> Self {
        self.workers = NonZeroUsize::new(count);
        self
    }
}

impl BackendSource for Cpu {
    fn open(self) -> Result<Arc<dyn DeviceBackend>, BackendError> {
        let cores = || thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let count = self.workers.unwrap_or_else(cores).get();
        let workers = Workers::start(count).map_err(|error| {
            let message = format!("{count} worker threads cannot be started: {error}; ask for fewer");
            BackendError::new(message).caused_by(error)
        })?;
        Ok(Arc::new(CpuBackend { workers }))
    }
}

struct CpuBackend {
    workers: Workers,
}

// SAFETY: each shard has one block, which makes the two ends and calls the definition's entry with the
// shard's own state and slots (`Block::new`, `BlockCore::call`). A block that has stored *terminated* is not
// run again (`Block::run`).
unsafe impl DeviceBackend for CpuBackend {
    fn name(&self) -> &'static str {
        "cpu"
    }

    fn devices(&self) -> Vec<DeviceInfo> {
        let workers = self.workers.count();
        vec![DeviceInfo {
            name: format!("CPU, {workers} workers"),
            parallel_blocks: workers as u32,
            capabilities: Capabilities::ALL,
            notes: vec!["persistent: blocks share the workers and sleep when idle".into()],
        }]
    }

    fn allocate(&self, bytes: usize) -> Result<SharedMemory, BackendError> {
        SharedMemory::host(bytes).ok_or_else(|| {
            BackendError::new(format!(
                "no {bytes} bytes of memory are free: launch with a smaller capacity or grid"
            ))
        })
    }

    fn shares_any_memory(&self) -> bool {
        true
    }

    fn follows_any_clock(&self) -> bool {
        true
    }

    fn prints_where_it_runs(&self) -> bool {
        true
    }

    fn memory(&self, size: &LaunchSize<'_>) -> Result<BackendMemory, BackendError> {
        let grid = u64::from(size.grid);
        let keys = if size.sparse { Keys::Sparse { evicts: size.evicts } } else { Keys::Dense };
        let states = |block| StateMemory::bytes_of(size.definition.state, size.actors, keys, block, grid);
        Ok(BackendMemory {
            states: (0..grid).map(states).fold(0, u64::saturating_add),
            bindings: size.binding_bytes(),
            // The program has the graph.
            links: (size.topics * size_of::<u64>()) as u64,
            scratch: scratch_bytes(size.definition, size.layout, size.hold) as u64 * grid,
        })
    }

    fn launch(&self, mut spec: LaunchSpec) -> Result<Box<dyn DeviceKernel>, BackendError> {
        let bindings = Arc::new(std::mem::take(&mut spec.bindings));
        let links = Arc::new(NextLinks::new(spec.definition, spec.topics).with_rows(spec.rows.clone()));
        let grid = spec.shards.len() as u32;
        let step = spec.supersteps.then(|| Arc::new(InStep::new(grid, spec.rounds)));
        let number = LAUNCHED.fetch_add(1, Ordering::Relaxed) + 1;
        let block = |index| {
            let alarm = spec.definition.timers.map(|_| Alarm::new(spec.clock.clone(), self.workers.pool()));
            let alarm = alarm.transpose()?.map(Arc::new);
            Block::new(&spec, (number, index), &bindings, &links, step.clone(), alarm).map(Arc::new)
        };
        let blocks: Box<[_]> = (0..grid).map(block).collect::<Result<_, _>>()?;
        blocks
            .iter()
            .filter_map(|block| Some((block, block.alarm()?)))
            .for_each(|(block, alarm)| alarm.set_block(block));
        if let Some(step) = step {
            step.set_blocks(&blocks);
        }
        Ok(Box::new(CpuKernel { number, blocks, bindings, links, pool: Arc::clone(self.workers.pool()) }))
    }
}

/// The number of the last kernel that was launched on the CPU.
static LAUNCHED: AtomicU64 = AtomicU64::new(NOTHING);

struct CpuKernel {
    number: u64,
    blocks: Box<[Arc<Block>]>,
    /// The same bindings that the blocks have.
    bindings: Arc<Vec<Binding>>,
    /// Where the blocks' outputs go. Blocks read it when they obey a command.
    links: Arc<NextLinks>,
    pool: Arc<WorkerPool>,
}

impl DeviceKernel for CpuKernel {
    fn as_any(&self) -> &dyn Any {
        self
    }

    /// Blocks read the host's clock.
    fn clock_uncertainty(&self) -> Option<Duration> {
        Some(Duration::ZERO)
    }

    fn epochs(&self) -> u64 {
        self.blocks.iter().map(|block| block.epochs()).sum()
    }

    fn rounds(&self) -> Option<u64> {
        let step = self.blocks.first()?.step.as_ref()?;
        step.rounds().map(|rounds| rounds.outcome().begun)
    }

    #[inline]
    fn wake(&self, shard: u32) {
        let block = &self.blocks[shard as usize];
        if block.wake() {
            self.pool.push_or_keep(Arc::clone(block));
        }
    }

    fn leave_behind(&self) {
        self.pool.leave_behind(self.number);
    }

    #[inline]
    fn is_asleep(&self, shard: u32) -> bool {
        self.blocks[shard as usize].is_asleep()
    }

    #[inline]
    fn wake_next(&self, shard: u32) {
        let block = &self.blocks[shard as usize];
        if block.wake() {
            self.pool.keep_or_push(Arc::clone(block));
        }
    }

    unsafe fn read_states(&self, shard: u32, states: &mut [MaybeUninit<u8>]) -> Result<(), BackendError> {
        // SAFETY: by the caller's promise the block is inactive or has terminated, and stays so. Nobody else
        // touches its states.
        unsafe { self.blocks[shard as usize].states().read(states) };
        Ok(())
    }

    unsafe fn write_states(&self, shard: u32, states: &[MaybeUninit<u8>]) -> Result<(), BackendError> {
        // SAFETY: as for reading; also, the values are valid.
        unsafe { self.blocks[shard as usize].states().write(states) };
        Ok(())
    }

    unsafe fn read_actors(&self, shard: u32, words: &mut [u64]) -> Result<(), BackendError> {
        // SAFETY: as for reading states.
        unsafe { self.blocks[shard as usize].states().read_actors(words) };
        Ok(())
    }

    unsafe fn write_actors(&self, shard: u32, words: &[u64]) -> Result<(), BackendError> {
        // SAFETY: as for reading states; also, the words are a table.
        unsafe { self.blocks[shard as usize].states().write_actors(words) };
        Ok(())
    }

    unsafe fn read_binding(&self, index: usize, memory: &mut [MaybeUninit<u8>]) -> Result<(), BackendError> {
        let from = self.bindings[index].as_ptr().cast::<MaybeUninit<u8>>();
        // SAFETY: the binding has as many bytes as are asked for. No block runs while every shard is
        // inactive, and no block has a pointer into memory of the caller.
        unsafe { from.copy_to_nonoverlapping(memory.as_mut_ptr(), memory.len()) };
        Ok(())
    }

    unsafe fn write_binding(&self, index: usize, memory: &[MaybeUninit<u8>]) -> Result<(), BackendError> {
        let to = self.bindings[index].as_ptr().cast::<MaybeUninit<u8>>();
        // SAFETY: as for reading.
        unsafe { memory.as_ptr().copy_to_nonoverlapping(to, memory.len()) };
        Ok(())
    }

    unsafe fn connect(&self, outbox: usize, link: Option<Link>) -> Result<(), BackendError> {
        let link = link.map(|link| BlockLink {
            target: link.target,
            waits: link.waits,
            inside: link.inside,
            peer: link.peer.unwrap_or(0),
            asks: link.asks.map(|asks| AskedIn { first: asks.first, answers: asks.answers }),
        });
        // Every block obeys another command before it takes a message.
        self.links.set(outbox, link);
        Ok(())
    }

    fn set_topic(&self, place: usize, entry: u64) {
        self.links.set_topic(place, entry);
    }
}
