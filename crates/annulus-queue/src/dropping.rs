//! Dropping many messages, of which each may panic.

use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    thread,
};

use annulus_sync::contain::discard;

/// Drops what `next` gives until that is nothing, whatever panics on the way. The first panic is passed on
/// then, unless this thread unwinds already; of the others the panic hook has told.
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
