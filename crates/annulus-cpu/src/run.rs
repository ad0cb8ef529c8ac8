//! Who runs a block, and when.
//!
//! One worker at a time runs a block ([`WakeFlag`](annulus_sync::wake_flag::WakeFlag)), until the block
//! sleeps, gives its worker up or terminates. In step with other blocks ([`InStep`]), it then waits for them
//! without a worker.

use std::{
    sync::{Arc, PoisonError},
    time::Instant,
};

use annulus_block::{BlockCore, Runner, Turn};
use annulus_sync::{spin_loop, yield_now};

use crate::{
    block::{Block, OnWorker},
    pool::{self, Delivering, Looking, WorkerPool},
    step::InStep,
};

impl Block {
    /// Runs the block until it sleeps, gives its worker up or terminates.
    pub(crate) fn run(self: &Arc<Self>, pool: &WorkerPool) {
        // A panic outside a handler would be a bug of this crate. The block's words are valid at any time.
        let mut core = self.core.lock().unwrap_or_else(PoisonError::into_inner);
        let _prints = self.origin.enter();
        self.begin_epoch();
        let leave_at = core.taken().saturating_add(self.leave_after);
        let mut idle_since = None;
        let step = self.step.as_deref();
        let others_wait_for_it = || step.is_some_and(InStep::has_begun);
        let rounds = step.and_then(InStep::rounds);
        loop {
            if let Some(rounds) = rounds {
                core.follow_rounds(rounds.outcome());
            }
            // A waker of the program may have panicked after the block's turn.
            let turn = if step.is_some() && core.is_in_turn() { Turn::Progress } else { core.iterate() };
            match turn {
                Turn::Nothing if !others_wait_for_it() && !core.comes_for_round() => {
                    let others_wait = pool.others_wait() || pool::keeps_one();
                    if !others_wait && self.look_busily(&mut core, &mut idle_since, others_wait_for_it) {
                        continue;
                    }
                    core.publish_pending();
                    core.at_rest();
                    let due = core.next_due();
                    self.flag.park();
                    if (core.has_work() || others_wait_for_it()) && self.flag.claim() {
                        continue;
                    }
                    if let (Some(due), Some(alarm)) = (due, self.alarm())
                        && alarm.arm(due)
                        && self.flag.claim()
                    {
                        continue;
                    }
                    return;
                }
                Turn::Progress | Turn::Nothing => {
                    idle_since = None;
                    if step.is_some() {
                        core.publish_pending();
                        core.at_barrier();
                    }
                    // Behind what may panic: such a turn is still the block's, which comes to the barrier when it runs again.
                    core.end_turn();
                    if let Some(rounds) = rounds
                        && let Some(vote) = core.round_vote()
                    {
                        rounds.vote(vote);
                    }
                    if step.is_some_and(|step| !step.arrive(self, |block| pool.push(block))) {
                        return;
                    }
                    if pool.others_wait() || (core.taken() >= leave_at && core.has_work()) {
                        drop(core);
                        pool.push(Arc::clone(self));
                        return;
                    }
                }
                // It stays awake and is not queued: nobody wakes it again.
                Turn::Terminated => {
                    if let Some(step) = step {
                        step.leave(self, |block| pool.push(block));
                    }
                    return;
                }
            }
        }
    }

    /// Polls for work, or for blocks that wait for this one, until the launch's `spin` has passed since the
    /// block became idle; then returns false. An inactive block does not poll: it is woken when its command
    /// changes.
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
        // It has polled so long, or so many blocks poll, that another thread on this core may have the
        // answer.
        if idle > self.spin / 4 || Looking::is_crowd() {
            yield_now();
        }
        idle < self.spin
    }
}

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
