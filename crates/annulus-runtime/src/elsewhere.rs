//! Blocking work that can be awaited: a separate thread does it.

use std::{
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use annulus_sync::event::Event;

struct Work<T, F> {
    work: F,
    /// The result, from the end of the work until it is taken.
    result: Mutex<Option<T>>,
    ended: Event,
}

/// Does `work` on a thread of this name, and returns its result. If no thread can be started, does the work
/// here, and blocks. Dropping the future does not stop the work.
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
