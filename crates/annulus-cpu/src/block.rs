//! A block on the CPU, and whether it sleeps. [`BlockCore`] does the work of a turn; [`run`](crate::run)
//! describes who runs a block, and when.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use annulus_block::{BlockCore, BlockParameters, Keys, NextLinks, StateMemory};
use annulus_kernel::Binding;
use annulus_runtime::{BackendError, LaunchSpec, PrintOrigin, RunMode};
use annulus_sync::{AtomicBool, AtomicU64, Ordering, wake_flag::WakeFlag};

use crate::{
    alarm::Alarm,
    step::{InStep, Party},
};

/// A block and whether it sleeps.
pub(crate) struct Block {
    /// The number of its kernel among those of the process that run on the CPU.
    kernel: u64,
    pub(crate) flag: WakeFlag,
    /// Set if the kernel's blocks take their turns together.
    pub(crate) step: Option<Arc<InStep<Self>>>,
    /// It has terminated, and takes part in nothing any more. Written before the block leaves the barrier,
    /// and read after.
    gone: AtomicBool,
    /// Only the worker that runs the block locks this, for as long as it runs the block. Code of the program
    /// must not lock it, on whatever thread, since wakers, alerts and handlers run meanwhile. A worker waits
    /// for it at most as long as another worker takes to park the block.
    pub(crate) core: Mutex<BlockCore<OnWorker>>,
    /// The memory of the shard's states, outside of the lock: [`StateMemory`] describes who owns it when.
    states: StateMemory,
    /// How long the block polls for work before it sleeps.
    pub(crate) spin: Duration,
    /// After how many messages it gives its worker back, even if nobody waits for it, if it is event-driven;
    /// else `u64::MAX`.
    pub(crate) leave_after: u64,
    /// How often it got a worker, if it is event-driven.
    epochs: AtomicU64,
    /// By which it is woken when a timer is due, if it has timers.
    alarm: Option<Arc<Alarm>>,
    /// The origin that the handlers' prints are shown with.
    pub(crate) origin: Arc<PrintOrigin>,
}

impl Block {
    pub(crate) fn new(
        spec: &LaunchSpec,
        (kernel, index): (u64, u32),
        bindings: &Arc<Vec<Binding>>,
        links: &Arc<NextLinks>,
        step: Option<Arc<InStep<Self>>>,
        alarm: Option<Arc<Alarm>>,
    ) -> Result<Self, BackendError> {
        let grid = spec.shards.len() as u32;
        let keys = if spec.sparse { Keys::Sparse { evicts: spec.evicts } } else { Keys::Dense };
        let states = StateMemory::new(spec.definition.state, spec.actors, keys, index.into(), grid.into())
            .map_err(|error| BackendError::new(error.to_string()))?;
        let parameters = BlockParameters {
            memory: spec.shards[index as usize].clone(),
            index,
            grid,
            definition: spec.definition,
            bindings: Arc::clone(bindings),
            links: Arc::clone(links),
            hold: spec.hold,
            state: states.states(),
            mode: spec.mode,
            max_messages_per_iteration: spec.max_messages_per_iteration,
            block_dim: spec.block,
            timestamps: spec.timestamps,
            rounds: spec.rounds,
            counts_turns: spec.counts_turns,
            sequential: spec.sequential,
            trace_seed: spec.trace_seed.unwrap_or(0),
            clock: spec.clock.clone(),
            signals: Arc::clone(&spec.signals) as _,
        };
        // SAFETY: each shard of a launch has one block, which is not run again after it has terminated
        // (`run`). The runtime has laid out memory and bindings by the definition. The states lie in this
        // block, and are declared after the core.
        let core = Mutex::new(unsafe { BlockCore::new(parameters) });
        Ok(Self {
            kernel,
            flag: WakeFlag::new(),
            step,
            gone: AtomicBool::new(false),
            core,
            states,
            spin: spec.spin,
            leave_after: match spec.run_mode {
                RunMode::EventDriven => spec.leave_after.into(),
                _ => u64::MAX,
            },
            epochs: AtomicU64::new(0),
            alarm,
            origin: spec.print_origin(index),
        })
    }

    /// It got a worker; called by that worker.
    pub(crate) fn begin_epoch(&self) {
        if self.leave_after != u64::MAX {
            self.epochs.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// How often it got a worker, if it is event-driven; else 0.
    pub(crate) fn epochs(&self) -> u64 {
        self.epochs.load(Ordering::Relaxed)
    }

    /// The number of its kernel.
    pub(crate) fn kernel(&self) -> u64 {
        self.kernel
    }

    /// By which it is woken when a timer is due.
    pub(crate) fn alarm(&self) -> Option<&Arc<Alarm>> {
        self.alarm.as_ref()
    }

    /// The memory of the shard's states.
    pub(crate) fn states(&self) -> &StateMemory {
        &self.states
    }

    /// Whether it sleeps, for a caller that has made work for it and fenced.
    #[inline]
    pub(crate) fn is_asleep(&self) -> bool {
        self.flag.is_asleep()
    }
}

impl Party for Block {
    #[inline]
    fn wake(&self) -> bool {
        self.flag.wake()
    }

    fn set_gone(&self) {
        self.gone.store(true, Ordering::Relaxed);
    }

    fn is_gone(&self) -> bool {
        self.gone.load(Ordering::Relaxed)
    }
}

/// The worker, as the blocks that it runs see it.
pub(crate) struct OnWorker;
