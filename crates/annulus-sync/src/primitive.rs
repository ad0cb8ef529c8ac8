//! The atomics, cells and locks that every lock-free protocol of the workspace uses.
//!
//! With `--cfg loom` the same names are loom's types, so the models check the code that runs. Not a public
//! API: only other Annulus crates should use it.
#![allow(clippy::disallowed_types)]

#[cfg(loom)]
pub use loom::{
    cell::UnsafeCell,
    hint::spin_loop,
    sync::{
        Arc, Condvar, Mutex, MutexGuard,
        atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering},
    },
    thread::{self, yield_now},
};

#[cfg(loom)]
loom::thread_local! {
    static NO_FENCES: std::cell::Cell<bool> = std::cell::Cell::new(false);
}

/// loom's fence. A SeqCst fence within [`without_fences`] has no effect.
#[cfg(loom)]
pub fn fence(ordering: Ordering) {
    // SYNC: none: the ordering is the caller's, who names it.
    let left_out = ordering == Ordering::SeqCst && NO_FENCES.with(std::cell::Cell::get);
    if !left_out {
        loom::sync::atomic::fence(ordering);
    }
}

/// Calls `f` without this thread's SeqCst fences. With it a model shows that the code needs its fences.
#[cfg(loom)]
pub fn without_fences<R>(f: impl FnOnce() -> R) -> R {
    NO_FENCES.with(|no_fences| no_fences.set(true));
    let result = f();
    NO_FENCES.with(|no_fences| no_fences.set(false));
    result
}

#[cfg(not(loom))]
pub use std::{
    hint::spin_loop,
    sync::{
        Arc, Condvar, Mutex, MutexGuard,
        atomic::{Ordering, fence},
    },
    thread::{self, yield_now},
};

// Aliases, since clippy looks through re-exports and would reject the names everywhere.
#[cfg(not(loom))]
#[doc(hidden)]
mod atomics {
    pub type AtomicBool = std::sync::atomic::AtomicBool;
    pub type AtomicU32 = std::sync::atomic::AtomicU32;
    pub type AtomicU64 = std::sync::atomic::AtomicU64;
    pub type AtomicUsize = std::sync::atomic::AtomicUsize;
}
#[cfg(not(loom))]
pub use atomics::*;

/// `std::cell::UnsafeCell` with loom's closure interface.
#[cfg(not(loom))]
#[derive(Debug)]
#[repr(transparent)]
pub struct UnsafeCell<T: ?Sized>(std::cell::UnsafeCell<T>);

#[cfg(not(loom))]
impl<T> UnsafeCell<T> {
    /// Wraps `value`.
    pub const fn new(value: T) -> Self {
        Self(std::cell::UnsafeCell::new(value))
    }
}

#[cfg(not(loom))]
impl<T: ?Sized> UnsafeCell<T> {
    /// Calls `f` with a pointer that may be read while no one writes.
    #[inline(always)]
    pub fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
        f(self.0.get())
    }

    /// Calls `f` with a pointer that may be written while no one else looks.
    #[inline(always)]
    pub fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
        f(self.0.get())
    }
}
