//! The program's code, called from threads that must outlive it.
//!
//! Wakers, alerts, sinks, subscribers of `tracing` and the `Drop` of messages are the program's code. They
//! run on our threads too (workers, pumps, the timer), and under no lock of ours, since they may call us. A
//! panic of theirs ends nothing there; the panic hook has told of it.
//!
//! What a panic carries is the program's as well, and its `Drop` may panic in turn, with something whose
//! `Drop` panics, and so on. So what it carries is dropped within a guard, too, and what the second panic
//! carries is forgotten: memory is lost then, and no thread.
//!
//! A thread that keeps something back that the program's code may wait for puts it where others find it
//! before each such call ([`call_before`]).

use std::{
    any::Any,
    cell::Cell,
    mem,
    panic::{AssertUnwindSafe, catch_unwind},
};

/// A number that tells this thread from every other one that lives. Never 0.
///
/// By it we notice that the program's code, called by this very thread, calls us back where it would wait for
/// itself.
pub fn this_thread() -> usize {
    thread_local! {
        static PLACE: u8 = const { 0 };
    }
    PLACE.with(|place| std::ptr::from_ref(place).addr())
}

thread_local! {
    static BEFORE: Cell<Option<fn()>> = const { Cell::new(None) };
}

/// Lets [`contained`] call `prepare` on this thread before it calls the program's code. It must not panic.
pub fn call_before(prepare: fn()) {
    BEFORE.with(|before| before.set(Some(prepare)));
}

/// Calls the program's code; `None` if it panics.
///
/// What it returns is not contained any more: a call whose result has a `Drop` of the program's drops it
/// inside.
///
/// ```
/// use annulus_sync::contain::contained;
/// assert_eq!(contained(|| 7), Some(7));
/// assert_eq!(contained(|| panic!("a waker of the program")), None::<()>);
/// ```
pub fn contained<R>(call: impl FnOnce() -> R) -> Option<R> {
    // A thread whose locals are being destroyed keeps nothing any more.
    if let Some(prepare) = BEFORE.try_with(Cell::get).ok().flatten() {
        prepare();
    }
    // Whoever calls this goes on as if the call had ended where it panicked; what it left half done is the
    // program's own.
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(result) => Some(result),
        Err(carried) => {
            discard(carried);
            None
        }
    }
}

/// Drops what a panic carried. If that panics, forgets what the second panic carries.
///
/// ```
/// use annulus_sync::contain::discard;
///
/// struct Again;
///
/// impl Drop for Again {
///     fn drop(&mut self) {
///         std::panic::panic_any(Again);
///     }
/// }
///
/// let carried = std::panic::catch_unwind(|| std::panic::panic_any(Again)).unwrap_err();
/// discard(carried);
/// ```
pub fn discard(carried: Box<dyn Any + Send>) {
    if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(carried))) {
        mem::forget(again);
    }
}
