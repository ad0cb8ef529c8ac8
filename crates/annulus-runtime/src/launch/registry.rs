//! The names of the running kernels.

use std::{
    collections::BTreeMap,
    ptr,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

use annulus_sync::{Ordering, wait::block_on};

use crate::{
    error::{LaunchError, UnknownKernel},
    kernel::{
        core::KernelCore,
        shared::{KernelShared, Names},
    },
    resilience::MissingKernel,
    vitals::Leased,
};

/// Kernels by name. A name is taken from just before the launch until the kernel has terminated.
#[derive(Default)]
pub(crate) struct KernelRegistry {
    kernels: Mutex<BTreeMap<String, Option<Weak<KernelShared>>>>,
    /// Kernels that are to run and do not, each with the number of its supervisor.
    missing: Mutex<Vec<(usize, MissingKernel)>>,
}

/// A name that is freed again unless its kernel is launched.
pub(crate) struct ReservedName<'a> {
    registry: &'a KernelRegistry,
    name: &'a str,
}

impl ReservedName<'_> {
    /// The kernel was launched. It frees the name when it ends.
    pub(crate) fn keep(self) {
        std::mem::forget(self);
    }
}

impl Drop for ReservedName<'_> {
    fn drop(&mut self) {
        self.registry.lock().remove(self.name);
    }
}

impl KernelRegistry {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Option<Weak<KernelShared>>>> {
        // Map operations do not panic half-way.
        self.kernels.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a name for a kernel that is about to be launched. If a kernel of that name is about to end,
    /// waits for that, so that a program can drop a kernel and launch it again.
    pub(crate) fn reserve<'a>(&'a self, name: &'a str) -> Result<ReservedName<'a>, LaunchError> {
        loop {
            let ending = {
                let mut kernels = self.lock();
                match kernels.get(name) {
                    None => {
                        kernels.insert(name.into(), None);
                        return Ok(ReservedName { registry: self, name });
                    }
                    Some(kernel) => kernel.as_ref().and_then(Weak::upgrade),
                }
            };
            match ending {
                Some(kernel) if kernel.is_ending() => block_on(kernel.finished()),
                _ => return Err(LaunchError::AlreadyLaunched { name: name.into() }),
            }
        }
    }

    /// Gives the name that was reserved to its kernel; or to nobody, if that has terminated already: a device may fail while
    /// it is launched.
    pub(crate) fn insert(&self, kernel: &Arc<KernelShared>) {
        let mut kernels = self.lock();
        let name = &kernel.core().name;
        match kernel.core().nameless.load(Ordering::Relaxed) {
            true => kernels.remove(name),
            false => kernels.insert(name.clone(), Some(Arc::downgrade(kernel))),
        };
    }

    /// Gives the name of a kernel to one that was launched without it, to replace it. It has the same name. Nobody has it
    /// afterwards if that one has ended meanwhile.
    pub(crate) fn hand_over(&self, from: &KernelShared, to: &Arc<KernelShared>) {
        let mut kernels = self.lock();
        let name = &to.core().name;
        let found = match kernels.get(name) {
            None => None,
            Some(Some(found)) => found.upgrade(),
            // Somebody launches one of this name: the old one has ended by itself.
            Some(None) => return,
        };
        if found.as_ref().is_none_or(|found| ptr::eq(&**found, from)) {
            from.core().nameless.store(true, Ordering::Relaxed);
            match to.core().nameless.load(Ordering::Relaxed) {
                true => kernels.remove(name),
                false => kernels.insert(name.clone(), Some(Arc::downgrade(to))),
            };
        }
        drop(kernels);
        drop(found);
    }

    pub(crate) fn find(&self, name: &str) -> Result<Arc<KernelShared>, UnknownKernel> {
        let kernels = self.lock();
        kernels
            .get(name)
            .and_then(Option::as_ref)
            .and_then(Weak::upgrade)
            .ok_or_else(|| UnknownKernel { name: name.into(), running: kernels.keys().cloned().collect() })
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.lock().keys().cloned().collect()
    }

    pub(crate) fn all(&self) -> Vec<Arc<KernelShared>> {
        self.lock().values().flatten().filter_map(Weak::upgrade).collect()
    }

    fn lock_missing(&self) -> MutexGuard<'_, Vec<(usize, MissingKernel)>> {
        // As above.
        self.missing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn missing(&self) -> Vec<MissingKernel> {
        let mut missing: Vec<_> = self.lock_missing().iter().map(|(_, kernel)| kernel.clone()).collect();
        missing.sort_by(|a, b| a.name.cmp(&b.name));
        missing
    }
}

impl Names for KernelRegistry {
    fn free(&self, kernel: &KernelCore) {
        let mut kernels = self.lock();
        let is_first = !kernel.nameless.swap(true, Ordering::Relaxed);
        // While it is launched the name is only reserved, and its launch frees it.
        let known = kernels.get(&kernel.name).and_then(Option::as_ref);
        let (is_known, found) = (known.is_some(), known.and_then(Weak::upgrade));
        // One that is to replace another has no name yet.
        let is_its_own = found.as_ref().is_none_or(|found| ptr::eq(found.core(), kernel));
        if is_first && is_known && is_its_own {
            kernels.remove(&kernel.name);
        }
        // It may be the last reference, and its end wants the lock.
        drop(kernels);
        drop(found);
    }

    fn set_missing(&self, supervisor: usize, kernel: Option<MissingKernel>) {
        let mut missing = self.lock_missing();
        missing.retain(|(other, _)| *other != supervisor);
        missing.extend(kernel.map(|kernel| (supervisor, kernel)));
    }
}

impl Leased for KernelRegistry {
    fn want_telemetry(&self, on: bool) {
        self.all().iter().for_each(|kernel| kernel.lease_telemetry(on));
    }
}
