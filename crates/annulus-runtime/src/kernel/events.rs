//! Lifecycle events of a kernel, for `tracing`. The runtime holds no lock while it makes one.

use std::{sync::PoisonError, time::Duration};

use annulus_abi::{
    control::command,
    vitals::{At, phase, recorder::event},
};
use annulus_sync::{Ordering, contain::contained};

use crate::{
    backend::{BackendError, Compilation},
    kernel::{
        core::KernelCore,
        shared::KernelShared,
        slow::{Handlers, SLOW_TARGET},
        told::{ANSWERED, ASKED_BEFORE, DRAINED, LAUNCHED, LOST, SHUTS_DOWN},
    },
    time::for_people,
    vitals::is_recorded,
};

/// The target of a kernel's lifecycle events.
///
/// Each has the fields `kernel` (the instance's name) and `backend`. Times are in seconds.
///
/// | message | level | other fields | told by, and when |
/// |---|---|---|---|
/// | `compiling` | DEBUG | `device` | the launch, where a device needs a program |
/// | `compiled` | INFO | `seconds`, `cached` | the launch: the program is there; see [`ProgramOrigin`](crate::ProgramOrigin) |
/// | `launched` | INFO | `definition`, `grid`, `block`, `seconds` | the launch, which took so long |
/// | `not launched` | WARN | `definition`, `error` | the launch: the backend could not |
/// | `ready` | INFO | `seconds` | whoever reports the last block's first answer, so long after the launch began |
/// | `activated`, `deactivated` | INFO | | the call that asked for it, once every block has obeyed |
/// | `closed` | INFO | | the first call that closes the kernel |
/// | `drained` | INFO | | the first call that finds a closed kernel drained |
/// | `lost` | ERROR | `why` | whoever finds that the kernel has ended and was not told to |
/// | `terminated` | INFO | `processed`, `undelivered`, `uptime` | whoever reports the last block's end |
/// | `restarting` | WARN | `restart`, `seconds`, `cause` | a [supervisor](crate::resilience::Supervisor), which launches the kernel again in so long |
/// | `given up` | ERROR | `cause` | a supervisor, after too many restarts |
///
/// The thread that reports is a worker of the CPU backend or the pump of a device. While the program's
/// subscriber runs there, other kernels wait. If the subscriber panics, the panic goes no further than the
/// event.
pub const LIFECYCLE_TARGET: &str = "annulus::lifecycle";

impl KernelCore {
    pub(crate) fn tell_compiling(&self, device: &str) {
        contained(|| {
            tracing::debug!(
                target: LIFECYCLE_TARGET,
                kernel = self.name,
                backend = self.backend_name,
                device,
                "compiling"
            );
        });
    }

    pub(crate) fn tell_compiled(&self, compilation: Compilation) {
        contained(|| {
            tracing::info!(
                target: LIFECYCLE_TARGET,
                kernel = self.name,
                backend = self.backend_name,
                seconds = compilation.took.as_secs_f64(),
                cached = %compilation.origin,
                "compiled"
            );
        });
    }

    pub(crate) fn tell_launched(&self) {
        self.record(event::LAUNCHED, [self.shards.len() as u64, 0, 0]);
        contained(|| {
            tracing::info!(
                target: LIFECYCLE_TARGET,
                kernel = self.name,
                backend = self.backend_name,
                definition = %format_args!("{}::{}", self.definition.module, self.definition.name),
                grid = self.shards.len(),
                block = self.options.shape.block,
                seconds = self.launched.elapsed().as_secs_f64(),
                "launched"
            );
        });
        self.tell_ready(LAUNCHED);
    }

    pub(crate) fn tell_not_launched(&self, error: &BackendError) {
        self.record(event::NOT_LAUNCHED, [0; 3]);
        contained(|| {
            tracing::warn!(
                target: LIFECYCLE_TARGET,
                kernel = self.name,
                backend = self.backend_name,
                definition = %format_args!("{}::{}", self.definition.module, self.definition.name),
                %error,
                "not launched"
            );
        });
    }

    /// Called when some shard's state has changed, after a fence that every such caller executes.
    pub(crate) fn tell_if_ready(&self) {
        if !self.told.has(ANSWERED) && self.is_ready() {
            self.tell_ready(ANSWERED);
        }
    }

    /// A block may answer before its launch has returned: whichever of the two comes second reports.
    fn tell_ready(&self, what: u32) {
        let before = self.told.add(what);
        if before & what != 0 || (before | what) & (LAUNCHED | ANSWERED) != LAUNCHED | ANSWERED {
            return;
        }
        self.record(event::READY, [0; 3]);
        contained(|| {
            tracing::info!(
                target: LIFECYCLE_TARGET,
                kernel = self.name,
                backend = self.backend_name,
                seconds = self.launched.elapsed().as_secs_f64(),
                "ready"
            );
        });
    }

    /// Reports an event that has no figures.
    pub(crate) fn tell_plainly(&self, what: &str) {
        contained(|| {
            tracing::info!(target: LIFECYCLE_TARGET, kernel = self.name, backend = self.backend_name, "{what}");
        });
    }

    /// Called when somebody has found the kernel drained.
    pub(crate) fn tell_drained(&self) {
        // SYNC: closing (acquire)
        if self.closing.load(Ordering::Acquire)
            && !self.is_finished()
            && self.told.add(DRAINED) & DRAINED == 0
        {
            self.record(event::DRAINED, [0; 3]);
            self.tell_plainly("drained");
        }
    }

    pub(crate) fn tell_lost(&self, why: &str) {
        let was_asked = self.current_command() & command::TERMINATE != 0 || self.told.has(SHUTS_DOWN);
        // Before `told`: whoever finds that it is lost finds why. The first to be told stays.
        let _ = self.lost_by.set(why.to_owned());
        // In front of `LOST`, which is what others look for first. Another report of the loss asks for the end itself.
        if was_asked && !self.told.has(LOST) {
            self.told.add(ASKED_BEFORE);
        }
        if self.told.add(LOST) & LOST != 0 {
            return;
        }
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).push(why.to_owned());
        self.record(event::LOST, [0; 3]);
        contained(|| {
            tracing::error!(
                target: LIFECYCLE_TARGET,
                kernel = self.name,
                backend = self.backend_name,
                why,
                "lost"
            );
        });
    }
}

impl KernelShared {
    pub(crate) fn tell_terminated(&self) {
        let status = self.status();
        self.core.record(event::TERMINATED, [status.processed, status.drops.undelivered, 0]);
        contained(|| {
            tracing::info!(
                target: LIFECYCLE_TARGET,
                kernel = status.name,
                backend = status.backend,
                processed = status.processed,
                undelivered = status.drops.undelivered,
                uptime = status.uptime.as_secs_f64(),
                "terminated"
            );
        });
    }
}

impl Handlers for KernelShared {
    fn at(&self, shard: usize) -> At {
        self.at(shard)
    }

    fn may_handle(&self) -> bool {
        let core = &self.core;
        let is_in_handler = || (0..core.shards.len()).any(|shard| self.at(shard).phase == phase::IN_HANDLER);
        // An inactive kernel begins no handler until its command changes, and then its blocks are woken.
        let command = core.shards[0].memory.command().load(Ordering::Relaxed);
        let is_active = command & command::ACTIVE != 0;
        !core.is_finished() && (is_active && core.handed_over() != 0 || is_in_handler())
    }

    fn tell_slow(&self, shard: usize, at: &At, time: Duration, count: u64) {
        let core = &self.core;
        if let Some(home) = &core.home {
            home.set_slow(core.slow.as_ref().map_or(0, |slow| slow.count()));
        }
        if is_recorded(count) {
            core.record_of(shard as u32, event::SLOW, [time.as_nanos() as u64, at.number, at.key]);
        }
        tracing::warn!(
            target: SLOW_TARGET,
            kernel = core.name,
            backend = core.backend_name,
            shard,
            number = at.number,
            count = at.count.max(1),
            key = (core.definition.key.is_some() && at.count <= 1).then_some(at.key),
            seconds = time.as_secs_f64(),
            "`{}` shard {shard} has been in the handler of message {} for {} or more",
            core.name,
            at.number,
            for_people(time)
        );
    }
}
