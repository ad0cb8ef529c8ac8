//! Work that blocks, for those who await it: a thread of its own does it.

use std::{
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use annulus_sync::event::Event;

struct Work<T, F> {
    work: F,
    /// From the end of the work until it is taken.
    result: Mutex<Option<T>>,
    ended: Event,
}

/// What `work` gives, done on a thread of this name; here, and blocking, if no thread is to be had. Dropping
/// the future does not stop it.
pub(crate) async fn elsewhere<T: Send + 'static>(
    name: &str,
    work: impl Fn() -> T + Send + Sync + 'static,
) -> T {
    let shared = Arc::new(Work { work, result: Mutex::new(None), ended: Event::new() });
    let its = Arc::clone(&shared);
    let run = move || {
        let result = (its.work)();
        *its.result.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        its.ended.notify_all();
    };
    if thread::Builder::new().name(name.into()).spawn(run).is_err() {
        return (shared.work)();
    }
    loop {
        let listener = shared.ended.listen();
        if let Some(result) = shared.result.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return result;
        }
        listener.await;
    }
}
