//! The telemetry lines of a runtime.

use std::sync::{Arc, Mutex, PoisonError};

use annulus_ring::memory::{SharedMemory, TelemetryLine};

/// The telemetry lines of a runtime, in memory that its backend's devices see.
pub(crate) struct Arena {
    memory: Arc<SharedMemory>,
    /// Which lines are taken.
    taken: Mutex<Vec<bool>>,
}

impl Arena {
    /// An arena of `lines` lines, of which none is taken.
    pub(crate) fn new(memory: Arc<SharedMemory>, lines: usize) -> Self {
        Self { memory, taken: Mutex::new(vec![false; lines]) }
    }

    /// Takes adjacent lines; `None` if there are not that many in a row.
    pub(crate) fn take(self: &Arc<Self>, lines: usize) -> Option<TakenLines> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let first = taken.windows(lines).position(|window| window.iter().all(|taken| !taken))?;
        taken[first..first + lines].fill(true);
        Some(TakenLines { arena: Arc::clone(self), first, lines })
    }
}

/// Taken lines. They are zeroed and given back when the kernel's memory is freed.
pub(crate) struct TakenLines {
    arena: Arc<Arena>,
    first: usize,
    lines: usize,
}

impl TakenLines {
    pub(crate) fn line(&self, index: usize) -> TelemetryLine {
        TelemetryLine::new(&self.arena.memory, self.first + index)
    }
}

impl Drop for TakenLines {
    fn drop(&mut self) {
        for line in (0..self.lines).map(|index| self.line(index)) {
            (0..8).for_each(|word| line.word(word).store(0, annulus_sync::Ordering::Relaxed));
        }
        let mut taken = self.arena.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken[self.first..self.first + self.lines].fill(false);
    }
}
