//! Warns when sends wait for long and the kernel takes nothing, and says what they wait for.
//!
//! A future has no clock, and a thread that waits is asleep. So the process' [monitor](annulus_queue::monitor) looks
//! at kernels for which sends wait for space, and at no others. A kernel for which somebody waits is armed there, or
//! about to be ([`Enlisted`](annulus_sync::enlist::Enlisted)).
//!
//! It is a stall if the kernel takes nothing for [`PATIENCE`] while somebody waits. A send that only waits
//! its turn behind many others is not a stall.

use std::{
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::{Duration, Instant},
};

use annulus_abi::{control::STALLED_BY_KERNEL, vitals::recorder::event};
use annulus_queue::monitor::{Due, MONITOR};
use annulus_sync::{Ordering, contain::contained, enlist::Waiting};
use tracing::{Dispatch, dispatcher};

use crate::{
    kernel::{core::KernelCore, shared::KernelShared, status::KernelState},
    time::for_people,
};

/// The target of warnings about kernels and sends that stand still. Each warning comes once, until something
/// goes on again.
///
/// - A cycle of kernels that wait for room in each other. Field `cycle`: the instances' names.
/// - A send that has waited for a second, while the kernel took nothing. Fields: `kernel` (the instance's
///   name), `backend`, `pending` (messages that wait to be handled), `outputs_waiting` (outputs that nobody
///   has received).
pub const STALL_TARGET: &str = "annulus::stall";

/// How long the kernel must take nothing until a warning comes. Source: longer than any scheduler's pause,
/// shorter than a person's patience.
const PATIENCE: Duration = Duration::from_secs(1);
/// Time between two looks.
const LOOK: Duration = Duration::from_millis(100);

impl KernelShared {
    /// A send begins to wait.
    pub(crate) fn wait_for_space(&self) -> Waiting<'_> {
        self.core.waits.wait(|| self.enlist())
    }

    #[cold]
    fn enlist(&self) {
        // Set by the launch, before anyone else has the kernel.
        let Some(kernel) = self.this.get() else { return };
        let dispatch = dispatcher::get_default(Dispatch::clone);
        let watch = self.stalls.get_or_init(|| Arc::new(StallWatch::new(Weak::clone(kernel))));
        let before =
            watch.lock().replace((dispatch, Stall::new(self.core.taken_from_host(), Instant::now())));
        // A subscriber is code of the program.
        drop(before);
        // If no thread can be started, nothing is reported.
        if MONITOR.start().is_ok() {
            MONITOR.arm(Instant::now() + LOOK, Arc::downgrade(watch) as Weak<dyn Due>);
        }
    }
}

impl KernelCore {
    /// Messages that the shards have taken from the host.
    fn taken_from_host(&self) -> u64 {
        self.shards.iter().map(|shard| shard.inbound.ring().consumed()).fold(0, u64::wrapping_add)
    }
}

/// Looks at a kernel for as long as sends wait for it.
pub(crate) struct StallWatch {
    kernel: Weak<KernelShared>,
    /// The subscriber for the warning: that of whoever began to wait. Written by whoever arms the watch, and by the
    /// monitor while it is armed.
    state: Mutex<Option<(Dispatch, Stall)>>,
}

/// Since when nothing has been taken.
struct Stall {
    taken: u64,
    since: Instant,
    told: bool,
}

impl Stall {
    fn new(taken: u64, now: Instant) -> Self {
        Self { taken, since: now, told: false }
    }

    /// Looks at how much was taken so far. Returns whether a stall must be reported now.
    fn look(&mut self, taken: u64, now: Instant) -> bool {
        if taken != self.taken {
            (self.taken, self.since, self.told) = (taken, now, false);
        }
        let stalls = now.saturating_duration_since(self.since) >= PATIENCE;
        stalls && !mem::replace(&mut self.told, stalls)
    }
}

impl StallWatch {
    fn new(kernel: Weak<KernelShared>) -> Self {
        Self { kernel, state: Mutex::default() }
    }

    /// The state is replaced as a whole, so poison is ignored.
    fn lock(&self) -> MutexGuard<'_, Option<(Dispatch, Stall)>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Due for StallWatch {
    fn fire(&self, _: Instant, now: Instant) -> Option<Instant> {
        let kernel = self.kernel.upgrade()?;
        let waits = &kernel.core().waits;
        let taken = kernel.core().taken_from_host();
        let told = {
            let mut state = self.lock();
            let (dispatch, stall) = state.as_mut()?;
            if !waits.is_waited_at() {
                *stall = Stall::new(taken, now);
                None
            } else {
                stall.look(taken, now).then(|| (dispatch.clone(), now - stall.since))
            }
        };
        // Without the lock: a subscriber is code of the program, and may panic.
        if let Some((dispatch, time)) = told {
            contained(|| dispatcher::with_default(&dispatch, || kernel.tell_stall(time)));
        }
        (waits.is_waited_at() || waits.stays()).then(|| now + LOOK)
    }
}

impl KernelShared {
    fn tell_stall(&self, time: Duration) {
        let status = self.status();
        let core = self.core();
        core.record(event::STALLED, [time.as_nanos() as u64, status.pending, 0]);
        // SYNC: stalled-after-taken (acquire)
        let by_kernel = core
            .shards
            .iter()
            .any(|shard| shard.memory.stalled().load(Ordering::Acquire) == STALLED_BY_KERNEL);
        let why = match status.state {
            KernelState::Launched => "its blocks have not started yet: wait for `ready`".to_owned(),
            KernelState::Inactive => "it is inactive: activate it".to_owned(),
            _ if by_kernel => {
                "the kernel that it is connected to has no room: receive what that one sends, or raise capacity".to_owned()
            }
            _ if status.stalled_shards != 0 => format!(
                "its outbound ring is full too, with {} outputs that nobody has received: receive while you send, from another thread or task, \
                 or raise output_capacity",
                status.outputs_waiting
            ),
            _ => "its handler has not returned: it takes that long, or runs for ever".to_owned(),
        };
        tracing::warn!(
            target: STALL_TARGET,
            kernel = status.name,
            backend = status.backend,
            pending = status.pending,
            outputs_waiting = status.outputs_waiting,
            "a send to `{}` has waited for {}: its inbound ring of {} slots is full, and {why}",
            status.name,
            for_people(time),
            core.options.inbound.capacity
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stall_is_told_once_until_something_goes_on() {
        let start = Instant::now();
        let mut stall = Stall::new(7, start);
        let at = |millis| start + Duration::from_millis(millis);
        assert!(!stall.look(7, at(999)));
        assert!(stall.look(7, at(1000)));
        assert!(!stall.look(7, at(5000)), "it was told");
        assert!(!stall.look(8, at(5100)), "something goes on");
        assert!(!stall.look(8, at(6099)));
        assert!(stall.look(8, at(6100)), "another stall");
        // However many sends wait before this one.
        let mut slow = Stall::new(0, start);
        assert!((1..100).all(|i| !slow.look(i, start + Duration::from_millis(900 * i))));
    }
}
