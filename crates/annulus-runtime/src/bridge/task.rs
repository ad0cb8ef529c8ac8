//! A future that runs without a thread of its own: whoever wakes it polls it.
//!
//! A task is *idle* while its future waits for something: then it is only a waker in some list, and costs
//! nothing. Whoever calls that waker polls the future: a sender that has put a message into a queue, a
//! block's worker or a device's pump that reports progress, the timer's thread. If two wake it at the same
//! time, one of them polls, and polls again for the other ([`CombiningLock`]). A wake-up that comes from
//! within the poll does the same.
//!
//! So the future must not block, and what it does is done in the time of others. It is none of their business,
//! either: what they send next does not continue the trace of what it has received, and what it sends is not within
//! a span of theirs ([`Apart`]). The runtime calls wakers without any lock (see the crate's front page), and so do
//! queues.

use std::{
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
};

use annulus_sync::{combining::CombiningLock, contain::contained};

use crate::traces::Apart;

type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

/// See the module.
pub(crate) struct Task {
    /// The future, until it has ended.
    work: CombiningLock<Option<Work>>,
}

impl Task {
    /// Starts the future on this thread, which takes it as far as it goes without waiting.
    pub(crate) fn start(work: impl Future<Output = ()> + Send + 'static) -> Arc<Self> {
        let task = Arc::new(Self { work: CombiningLock::new(Some(Box::pin(work))) });
        task.run();
        task
    }

    /// Polls the future, or leaves that to the thread that is doing so.
    pub(crate) fn run(self: &Arc<Self>) {
        self.work.run(|work| {
            let Some(future) = work else { return };
            let _apart = Apart::new();
            let waker = Waker::from(Arc::clone(self));
            // A waker's caller need not know of a panic in here; the future is over.
            let polled = contained(|| future.as_mut().poll(&mut Context::from_waker(&waker)));
            if polled != Some(Poll::Pending) {
                *work = None;
            }
        });
    }
}

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        self.run();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.run();
    }
}
