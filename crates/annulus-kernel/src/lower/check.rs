//! Whether a handler can run on devices, found out once in a process.

use std::{
    collections::HashMap,
    sync::{Mutex, OnceLock, PoisonError},
};

use super::{LowerError, lower};
use crate::KernelDefinition;

/// What was found so far, by the definitions' addresses. One definition may have several, which then costs a
/// second look.
static FOUND: OnceLock<Mutex<HashMap<usize, Result<(), LowerError>>>> = OnceLock::new();

impl KernelDefinition {
    /// Whether devices can run the handler, so that development on the CPU hides nothing: every launch asks
    /// this, on any backend, and so does the test that `#[ring_kernel]` writes beside each kernel. What one
    /// kind of device alone lacks (`f64`, wide atomics) is not asked here.
    ///
    /// The handler is lowered for that, once in a process: tens of microseconds for a small one, a
    /// millisecond for the longest.
    ///
    /// # Errors
    ///
    /// If the handler uses what devices have not: the error names the line, and what to write instead. A
    /// kernel that says `cpu_only` is not asked for more.
    pub fn check(&'static self) -> Result<(), LowerError> {
        if self.tree.is_none() {
            return Ok(());
        }
        let address = std::ptr::from_ref(self).addr();
        let found = FOUND.get_or_init(Mutex::default);
        if let Some(found) = found.lock().unwrap_or_else(PoisonError::into_inner).get(&address) {
            return found.clone();
        }
        // Not under the lock: it runs code of the user's, the values of constants.
        let result = lower(self).map(drop);
        found.lock().unwrap_or_else(PoisonError::into_inner).insert(address, result.clone());
        result
    }
}
