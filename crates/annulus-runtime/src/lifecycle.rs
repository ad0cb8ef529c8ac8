//! What a kernel lives through, as events of `tracing`. No lock of the runtime's is held while one is made.

use std::{fmt, time::Duration};

use annulus_sync::{AtomicU32, Ordering, contain::contained};

use crate::{backend::BackendError, core::KernelCore, kernel::KernelShared};

/// The target of the events that tell of a kernel's life.
///
/// Each has the fields `kernel` (the instance's name) and `backend`. Times are in seconds.
///
/// | message | level | other fields | told by, and when |
/// |---|---|---|---|
/// | `compiling` | DEBUG | `device` | the launch, where a device needs a program |
/// | `compiled` | INFO | `seconds`, `cached` | the launch: the program is there; see [`ProgramOrigin`] |
/// | `launched` | INFO | `definition`, `grid`, `block`, `seconds` | the launch, which took so long |
/// | `not launched` | WARN | `definition`, `error` | the launch: the backend could not |
/// | `ready` | INFO | `seconds` | whoever reports the last block's first answer, so long after the launch began |
/// | `activated`, `deactivated` | INFO | | the call that asked for it, once every block has obeyed |
/// | `closed` | INFO | | the first call that closes the kernel |
/// | `drained` | INFO | | the first call that finds a closed kernel drained |
/// | `lost` | ERROR | | whoever finds that the kernel has ended and was not told to |
/// | `terminated` | INFO | `processed`, `undelivered`, `uptime` | whoever reports the last block's end |
///
/// Whoever reports is a worker of the CPU backend or the pump of a device. What the program's subscriber does there holds up other kernels; a
/// panic of it goes no further than the event.
pub const LIFECYCLE_TARGET: &str = "annulus::lifecycle";

/// Where a device's program came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ProgramOrigin {
    /// It was compiled now. The device's driver may have a cache of its own, of which nothing is known here.
    Compiled,
    /// It was compiled before, and kept on disk.
    Disk,
    /// This process had compiled or loaded it before.
    Process,
    /// It was compiled elsewhere, and shipped along.
    Shipped,
}

impl ProgramOrigin {
    /// Whether the program was there before the launch asked for it.
    pub fn is_cached(self) -> bool {
        self != Self::Compiled
    }
}

impl fmt::Display for ProgramOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Compiled => "no",
            Self::Disk => "on disk",
            Self::Process => "in this process",
            Self::Shipped => "shipped along",
        })
    }
}

/// How a launch came by the program that its device runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Compilation {
    /// How long it took until the device had the program: reading a cache or compiling, and loading. A driver may compile more when the
    /// kernel starts, which [`ready`](crate::KernelControl::ready) waits for.
    pub took: Duration,
    /// Where the program came from.
    pub origin: ProgramOrigin,
}

impl Compilation {
    /// What a backend tells.
    pub fn new(took: Duration, origin: ProgramOrigin) -> Self {
        Self { took, origin }
    }
}

impl fmt::Display for Compilation {
    /// `compiled in 1.2 s (cached: no)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = if self.origin.is_cached() { "loaded" } else { "compiled" };
        write!(f, "{verb} in {} (cached: {})", crate::time::for_people(self.took), self.origin)
    }
}

/// What was told of a kernel, so that it is told once.
#[derive(Default)]
pub(crate) struct Told(AtomicU32);

/// The launch was told of.
pub(crate) const LAUNCHED: u32 = 1;
/// Every block has answered.
pub(crate) const ANSWERED: u32 = 2;
pub(crate) const DRAINED: u32 = 4;
pub(crate) const LOST: u32 = 8;

impl Told {
    /// What had been told before this.
    fn add(&self, what: u32) -> u32 {
        self.0.fetch_or(what, Ordering::AcqRel)
    }

    fn has(&self, what: u32) -> bool {
        self.0.load(Ordering::Acquire) & what != 0
    }
}

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
        contained(|| {
            tracing::info!(
                target: LIFECYCLE_TARGET,
                kernel = self.name,
                backend = self.backend_name,
                definition = %format_args!("{}::{}", self.definition.module, self.definition.name),
                grid = self.shards.len(),
                block = self.options.block,
                seconds = self.launched.elapsed().as_secs_f64(),
                "launched"
            );
        });
        self.tell_ready(LAUNCHED);
    }

    pub(crate) fn tell_not_launched(&self, error: &BackendError) {
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

    /// Some shard's state has changed, after a fence that every such caller makes.
    pub(crate) fn tell_if_ready(&self) {
        if !self.told.has(ANSWERED) && self.is_ready() {
            self.tell_ready(ANSWERED);
        }
    }

    /// A block may answer before its launch has returned: whoever comes second tells.
    fn tell_ready(&self, what: u32) {
        let before = self.told.add(what);
        if before & what != 0 || (before | what) & (LAUNCHED | ANSWERED) != LAUNCHED | ANSWERED {
            return;
        }
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

    /// Of what has no figures.
    pub(crate) fn tell_plainly(&self, what: &str) {
        contained(|| {
            tracing::info!(target: LIFECYCLE_TARGET, kernel = self.name, backend = self.backend_name, "{what}");
        });
    }

    /// Somebody has found the kernel drained.
    pub(crate) fn tell_drained(&self) {
        if self.closing.load(Ordering::Acquire)
            && !self.is_finished()
            && self.told.add(DRAINED) & DRAINED == 0
        {
            self.tell_plainly("drained");
        }
    }

    pub(crate) fn tell_lost(&self) {
        if self.told.add(LOST) & LOST != 0 {
            return;
        }
        contained(|| {
            tracing::error!(
                target: LIFECYCLE_TARGET,
                kernel = self.name,
                backend = self.backend_name,
                "lost"
            );
        });
    }
}

impl KernelShared {
    pub(crate) fn tell_terminated(&self) {
        let status = self.status();
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
