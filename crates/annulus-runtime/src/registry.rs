//! The names of the kernels that run.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

use crate::{
    core::AnyKernel,
    error::{LaunchError, UnknownKernel},
};

/// Kernels by name. A name is taken from just before the launch until the kernel has terminated.
#[derive(Default)]
pub(crate) struct Registry {
    kernels: Mutex<BTreeMap<String, Option<Weak<dyn AnyKernel>>>>,
}

impl Registry {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Option<Weak<dyn AnyKernel>>>> {
        // Map operations do not panic half way.
        self.kernels.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a name for a kernel that is about to be launched.
    pub(crate) fn reserve(&self, name: &str) -> Result<(), LaunchError> {
        let mut kernels = self.lock();
        if kernels.contains_key(name) {
            return Err(LaunchError::AlreadyLaunched { name: name.into() });
        }
        kernels.insert(name.into(), None);
        Ok(())
    }

    /// Gives the name to its kernel.
    pub(crate) fn insert(&self, kernel: &Arc<dyn AnyKernel>) {
        self.lock().insert(kernel.core().name.clone(), Some(Arc::downgrade(kernel)));
    }

    /// Frees a name.
    pub(crate) fn remove(&self, name: &str) {
        self.lock().remove(name);
    }

    pub(crate) fn find(&self, name: &str) -> Result<Arc<dyn AnyKernel>, UnknownKernel> {
        let kernels = self.lock();
        kernels
            .get(name)
            .and_then(Option::as_ref)
            .and_then(Weak::upgrade)
            .ok_or_else(|| UnknownKernel { name: name.into(), running: kernels.keys().cloned().collect() })
    }

    pub(crate) fn all(&self) -> Vec<Arc<dyn AnyKernel>> {
        self.lock().values().flatten().filter_map(Weak::upgrade).collect()
    }
}
