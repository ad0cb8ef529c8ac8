//! Whether a handler can run on devices; found out once per process.

use std::{
    collections::HashMap,
    sync::{Mutex, OnceLock, PoisonError},
};

use super::{LowerError, Needs, lower};
use crate::KernelDefinition;

/// The results so far, by the addresses of the definitions. If a definition has several addresses, it is
/// checked several times.
static FOUND: OnceLock<Mutex<HashMap<usize, Result<Needs, LowerError>>>> = OnceLock::new();

impl KernelDefinition {
    /// Whether devices can run the handler. Every launch calls this, on any backend, so that development on
    /// the CPU hides nothing; the test that `#[ring_kernel]` generates for each kernel calls it, too.
    /// Features that some devices lack (`f64`, wide atomics) are not checked here, but by a launch on one of
    /// them: [`needs`](Self::needs).
    ///
    /// The check lowers the handler, once per process: this takes tens of microseconds for a small handler,
    /// and a millisecond for the longest.
    ///
    /// # Errors
    ///
    /// If the handler uses something that devices cannot do: the error names the line, and what to write
    /// instead. A `cpu_only` kernel passes without a check.
    pub fn check(&'static self) -> Result<(), LowerError> {
        if self.tree.is_none() {
            return Ok(());
        }
        self.needs().map(drop)
    }

    /// What the handler needs of a device that not every device has. A launch on a device compares it with
    /// what the device has, before anything is compiled.
    ///
    /// # Errors
    ///
    /// As [`check`](Self::check), and if the kernel is `cpu_only`.
    pub fn needs(&'static self) -> Result<Needs, LowerError> {
        let address = std::ptr::from_ref(self).addr();
        let found = FOUND.get_or_init(Mutex::default);
        if let Some(found) = found.lock().unwrap_or_else(PoisonError::into_inner).get(&address) {
            return found.clone();
        }
        // Not under the lock: this runs the user's code, for the values of constants.
        let result = lower(self).map(|(program, types)| Needs::of(&program, &types));
        found.lock().unwrap_or_else(PoisonError::into_inner).insert(address, result.clone());
        result
    }
}
