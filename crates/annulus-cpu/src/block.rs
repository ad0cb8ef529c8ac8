//! A block on the CPU, and whether it sleeps. What it does in a turn is [`BlockCore`]'s; who runs it, and
//! when, stands in [`run`](crate::run).

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use annulus_block::{BlockCore, BlockParameters, Link, StateMemory};
use annulus_kernel::Binding;
use annulus_runtime::{BackendError, LaunchSpec, PrintOrigin};
use annulus_sync::{AtomicBool, Ordering, wake_flag::WakeFlag};

use crate::step::{InStep, Party};

/// A block and whether it sleeps.
pub(crate) struct Block {
    pub(crate) flag: WakeFlag,
    /// If the kernel's blocks take their turns together.
    pub(crate) step: Option<Arc<InStep<Self>>>,
    /// It has terminated, and takes no part any more. Written before it leaves the barrier, and read after.
    gone: AtomicBool,
    /// Locked by the worker that runs the block, for as long as it does, and by nobody else: not by what the
    /// program calls, on whatever thread, since wakers, alerts and handlers run meanwhile. A worker never
    /// waits for it longer than it takes another one to park the block.
    pub(crate) core: Mutex<BlockCore<OnWorker>>,
    /// The memory of the shard's states, outside of the lock: see [`StateMemory`] for whose it is when.
    states: StateMemory,
    /// How long it looks for something to do before it sleeps.
    pub(crate) spin: Duration,
    /// Whose the handlers' prints are.
    pub(crate) origin: Arc<PrintOrigin>,
}

impl Block {
    pub(crate) fn new(
        spec: &LaunchSpec,
        index: u32,
        bindings: &Arc<Vec<Binding>>,
        link: &Arc<Mutex<Option<Link>>>,
        step: Option<Arc<InStep<Self>>>,
    ) -> Result<Self, BackendError> {
        let grid = spec.shards.len() as u32;
        let states = StateMemory::new(spec.definition.state, spec.actors, index.into(), grid.into())
            .map_err(|error| BackendError::new(error.to_string()))?;
        let parameters = BlockParameters {
            memory: spec.shards[index as usize].clone(),
            index,
            grid,
            definition: spec.definition,
            bindings: Arc::clone(bindings),
            link: Arc::clone(link),
            state: states.states(),
            mode: spec.mode,
            max_messages_per_iteration: spec.max_messages_per_iteration,
            timestamps: spec.timestamps,
            clock: spec.clock,
            signals: Arc::clone(&spec.signals) as _,
        };
        // SAFETY: each shard of a launch has one block, which is not run again after it has terminated
        // (`run`). The runtime has laid out memory and bindings by the definition, and the states lie in this
        // block, behind the core.
        let core = Mutex::new(unsafe { BlockCore::new(parameters) });
        Ok(Self {
            flag: WakeFlag::new(),
            step,
            gone: AtomicBool::new(false),
            core,
            states,
            spin: spec.spin,
            origin: spec.print_origin(index),
        })
    }

    /// The memory of the shard's states.
    pub(crate) fn states(&self) -> &StateMemory {
        &self.states
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

/// A worker, to the blocks that it runs.
pub(crate) struct OnWorker;
