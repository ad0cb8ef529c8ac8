//! Calls the program's code from threads that must survive its panics.
//!
//! Wakers, alerts, sinks, subscribers of `tracing` and the `Drop` of messages are the program's code. They
//! also run on our threads (workers, pumps, the timer). They run under no lock of ours, since they may call
//! us. If they panic, our thread goes on; the panic hook has reported the panic.
//!
//! The payload of a panic is the program's, too. Its `Drop` may panic with another payload whose `Drop`
//! panics, and so on. So the payload is dropped under the same guard, and the payload of a second panic is
//! forgotten. That leaks memory, but no thread ends.
//!
//! A thread may keep something back that the program's code may wait for. Before each such call it puts that
//! where other threads find it ([`call_before`]).

use std::{
    any::Any,
    cell::Cell,
    mem,
    panic::{AssertUnwindSafe, catch_unwind},
};

/// A number that is unique among the threads that live now. Never 0.
///
/// With it we notice when the program's code, called by this thread, calls us back and would wait for itself.
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
/// The returned value is not contained any more. If its `Drop` is the program's code, `call` must drop it
/// inside.
///
/// ```
/// use annulus_sync::contain::contained;
/// assert_eq!(contained(|| 7), Some(7));
/// assert_eq!(contained(|| panic!("a waker of the program")), None::<()>);
/// ```
pub fn contained<R>(call: impl FnOnce() -> R) -> Option<R> {
    // A thread whose locals are being destroyed keeps nothing back.
    if let Some(prepare) = BEFORE.try_with(Cell::get).ok().flatten() {
        prepare();
    }
    // The caller goes on as if the call had ended where it panicked. Only the program's own data can be left
    // half changed.
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(result) => Some(result),
        Err(carried) => {
            discard(carried);
            None
        }
    }
}

/// Drops the payload of a panic. If the drop panics, forgets the second panic's payload.
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
