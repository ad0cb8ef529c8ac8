//! A job on shared data that some thread must do soon, without waiting for a lock.
//!
//! A thread that wants the job done sets `wanted`, fences, and tries the lock.
//! If it gets the lock, it clears `wanted`, does the job and unlocks; if not,
//! it leaves. A thread that unlocks fences and looks at `wanted` again
//! (`SYNC: combining`). One of the two fences comes first: either the try finds the lock free, or the holder
//! finds the job wanted. Setting releases and clearing acquires (`SYNC: combining-wanted`), so who clears a
//! wish sees all that was made before it. After [`CombiningLock::run`] returns, then, the job has been done
//! on what the caller had made, or the thread that holds the lock will do it before it leaves.

use std::sync::PoisonError;

use crate::{AtomicBool, Mutex, Ordering, fence};

/// Data under a lock, and whether a job on it is wanted; see the module.
#[derive(Debug)]
pub struct CombiningLock<T> {
    wanted: AtomicBool,
    data: Mutex<T>,
}

impl<T> CombiningLock<T> {
    /// Guards `data`.
    pub fn new(data: T) -> Self {
        Self { wanted: AtomicBool::new(false), data: Mutex::new(data) }
    }

    /// Has `job` done: by this thread, or by the thread that holds the lock. That thread must be in a call of
    /// `run` or [`with`](Self::with) with the same job.
    pub fn run(&self, job: impl FnMut(&mut T)) {
        // SYNC: combining-wanted
        self.wanted.swap(true, Ordering::AcqRel);
        self.serve(job);
    }

    /// Calls `f` on the data, waiting for the lock if necessary. Then does `job` if it was wanted meanwhile.
    ///
    /// A SeqCst fence follows: what `f` stored comes before what the caller loads afterwards.
    #[inline]
    pub fn with<R>(&self, f: impl FnOnce(&mut T) -> R, job: impl FnMut(&mut T)) -> R {
        let result = f(&mut self.data.lock().unwrap_or_else(PoisonError::into_inner));
        self.serve(job);
        result
    }

    /// As [`with`](Self::with), for an `f` and a `job` that both write to `on`.
    #[inline]
    pub fn with_on<C, R>(
        &self,
        on: &mut C,
        f: impl FnOnce(&mut C, &mut T) -> R,
        mut job: impl FnMut(&mut C, &mut T),
    ) -> R {
        let result = f(on, &mut self.data.lock().unwrap_or_else(PoisonError::into_inner));
        self.serve(|data| job(on, data));
        result
    }

    #[inline]
    fn serve(&self, mut job: impl FnMut(&mut T)) {
        loop {
            // SYNC: combining (both ends: the first time round, and behind the job)
            fence(Ordering::SeqCst);
            if !self.wanted.load(Ordering::Relaxed) {
                return;
            }
            let mut data = match self.data.try_lock() {
                Ok(data) => data,
                Err(std::sync::TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                Err(std::sync::TryLockError::WouldBlock) => return,
            };
            // SYNC: combining-wanted
            self.wanted.swap(false, Ordering::AcqRel);
            job(&mut data);
        }
    }
}
