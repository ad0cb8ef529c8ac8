//! SIGINT and SIGTERM: the first asks for an orderly end, a second one forces it.

use std::{io, sync::Arc};

use annulus::queue::sync::{AtomicBool, Ordering};
use signal_hook::{
    consts::{SIGINT, SIGTERM},
    flag,
};

use crate::failure::Failure;

/// Whether somebody has asked for the end.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupt {
    asked: Arc<AtomicBool>,
    /// Whether an input has ended since, before its own end.
    ended_input: Arc<AtomicBool>,
}

impl Interrupt {
    /// From now on the first of these signals asks for the end. Another one ends the process on the spot,
    /// with the code that shells give to a process that the signal killed.
    pub(crate) fn on_signals() -> Result<Self, Failure> {
        let stop = Self::default();
        let register = |signal, code| -> io::Result<()> {
            // In this order: the first signal finds that nobody has asked.
            flag::register_conditional_shutdown(signal, code, Arc::clone(&stop.asked))?;
            flag::register(signal, Arc::clone(&stop.asked))?;
            Ok(())
        };
        for signal in [SIGINT, SIGTERM] {
            register(signal, 128 + signal)
                .map_err(|error| Failure::Fault(format!("signals cannot be handled: {error}")))?;
        }
        Ok(stop)
    }

    pub(crate) fn is_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// Says that an input has been ended before its own end.
    pub(crate) fn end_input(&self) {
        self.ended_input.store(true, Ordering::Relaxed);
    }

    /// Whether an input has been ended so: what was read last may be cut off.
    pub(crate) fn has_ended_input(&self) -> bool {
        self.ended_input.load(Ordering::Relaxed)
    }

    /// Asks for the end, as a signal does: the next signal forces it.
    pub(crate) fn ask(&self) {
        self.asked.store(true, Ordering::Relaxed);
    }
}
