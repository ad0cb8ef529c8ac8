//! Dropping many messages, each of which may panic.

use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    thread,
};

use annulus_sync::contain::discard;

/// Drops the values that `next` gives until it gives `None`, even if some of them panic. Then the first panic
/// continues, unless this thread unwinds already. The panic hook has reported the other panics.
pub(crate) fn drop_all<T>(mut next: impl FnMut() -> Option<T>) {
    let mut first = None;
    while let Some(message) = next() {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| drop(message))) {
            match first {
                None => first = Some(panic),
                Some(_) => discard(panic),
            }
        }
    }
    if let Some(panic) = first {
        if thread::panicking() {
            discard(panic);
        } else {
            resume_unwind(panic);
        }
    }
}
