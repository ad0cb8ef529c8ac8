//! A block on the CPU: who runs it, and when.
//!
//! What it does in a turn is [`BlockCore`]'s. A block is run by one worker at a time ([`Doze`]). In step with the others
//! ([`InStep`]), it then waits for them, without a worker.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use annulus_block::{BlockCore, BlockParameters, Link, Runner, StateMemory, Turn};
use annulus_kernel::Binding;
use annulus_runtime::{BackendError, LaunchSpec, PrintOrigin};
use annulus_sync::{AtomicBool, Ordering, doze::Doze, spin_loop, yield_now};

use crate::{
    pool::{self, Delivering, Looking, Pool},
    step::InStep,
};

/// A block and whether it sleeps.
pub(crate) struct Block {
    doze: Doze,
    /// If the kernel's blocks take their turns together.
    step: Option<Arc<InStep>>,
    /// It has terminated, and takes no part any more. Written before it leaves the barrier, and read after.
    gone: AtomicBool,
    /// Locked by the worker that runs the block, for as long as it does, and by nobody else: not by what the
    /// program calls, on whatever thread, since wakers, alerts and handlers run meanwhile. A worker never
    /// waits for it longer than it takes another one to lie the block down.
    core: Mutex<BlockCore<OnWorker>>,
    /// The memory of the shard's states, outside of the lock: see [`StateMemory`] for whose it is when.
    states: StateMemory,
    /// How long it looks for something to do before it sleeps.
    spin: Duration,
    /// Whose the handlers' prints are.
    origin: Arc<PrintOrigin>,
}

impl Block {
    pub(crate) fn new(
        spec: &LaunchSpec,
        index: u32,
        bindings: &Arc<Vec<Binding>>,
        link: &Arc<Mutex<Option<Link>>>,
        step: Option<Arc<InStep>>,
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
        // SAFETY: each shard of a launch has one block, which is not run again after it has terminated (`run`). The runtime has laid out memory and
        // bindings by the definition, and the states lie in this block, behind the core.
        let core = Mutex::new(unsafe { BlockCore::new(parameters) });
        Ok(Self {
            doze: Doze::new(),
            step,
            gone: AtomicBool::new(false),
            core,
            states,
            spin: spec.spin,
            origin: spec.print_origin(index),
        })
    }

    /// Whether the caller must queue the block, after giving it something to do.
    #[inline]
    pub(crate) fn rouse(&self) -> bool {
        self.doze.rouse()
    }

    /// It has terminated.
    pub(crate) fn set_gone(&self) {
        self.gone.store(true, Ordering::Relaxed);
    }

    /// Whether it has terminated, by whoever opens the barrier.
    pub(crate) fn is_gone(&self) -> bool {
        self.gone.load(Ordering::Relaxed)
    }

    /// The memory of the shard's states.
    pub(crate) fn states(&self) -> &StateMemory {
        &self.states
    }

    /// Runs the block until it sleeps, gives way or terminates.
    pub(crate) fn run(self: &Arc<Self>, pool: &Pool) {
        // A panic outside a handler would be a bug of this crate; the block's words are each valid at any time.
        let mut core = self.core.lock().unwrap_or_else(PoisonError::into_inner);
        let _prints = self.origin.enter();
        let mut idle_since = None;
        let step = self.step.as_deref();
        let others_wait_for_it = || step.is_some_and(InStep::has_begun);
        loop {
            // A waker of the program may have panicked after its turn.
            let turn = if step.is_some() && core.is_in_turn() { Turn::Progress } else { core.iterate() };
            match turn {
                Turn::Nothing if !others_wait_for_it() => {
                    let others_wait = pool.others_wait() || pool::keeps_one();
                    if !others_wait && self.look_busily(&mut core, &mut idle_since, others_wait_for_it) {
                        continue;
                    }
                    core.tell_stall();
                    self.doze.lie_down();
                    if (core.has_work() || others_wait_for_it()) && self.doze.claim() {
                        continue;
                    }
                    return;
                }
                Turn::Progress | Turn::Nothing => {
                    idle_since = None;
                    core.end_turn();
                    if step.is_some() {
                        core.tell_stall();
                    }
                    if step.is_some_and(|step| !step.arrive(self, pool)) {
                        return;
                    }
                    if pool.others_wait() {
                        drop(core);
                        pool.push(Arc::clone(self));
                        return;
                    }
                }
                // It stays awake, on no schedule: nobody rouses it again.
                Turn::Terminated => {
                    if let Some(step) = step {
                        step.leave(self, pool);
                    }
                    return;
                }
            }
        }
    }

    /// Looks for something to do, or for others that wait for it, for as long as the launch says since the block became idle; false if
    /// that time is up. An inactive block does not look: it is called when its command changes.
    fn look_busily(
        &self,
        core: &mut BlockCore<OnWorker>,
        idle_since: &mut Option<(Instant, Looking)>,
        others_wait_for_it: impl Fn() -> bool,
    ) -> bool {
        const LOOKS: u32 = 64;
        if !core.is_active() || self.spin.is_zero() {
            return false;
        }
        for _ in 0..LOOKS {
            if core.has_work() || others_wait_for_it() {
                return true;
            }
            spin_loop();
        }
        let (since, _) = idle_since.get_or_insert_with(|| (Instant::now(), Looking::new()));
        let idle = since.elapsed();
        // So long, or so many, that another thread on this core may have the answer.
        if idle > self.spin / 4 || Looking::is_crowd() {
            yield_now();
        }
        idle < self.spin
    }
}

/// A worker, to the blocks that it runs.
struct OnWorker;

impl Runner for OnWorker {
    type Delivering = Delivering;

    #[inline]
    fn hand_over() {
        pool::hand_over();
    }

    #[inline]
    fn delivering() -> Delivering {
        Delivering::new()
    }
}
