//! One face for every queue that is measured.

use std::hint::spin_loop;

use annulus_sync::wait::Backoff;

use super::payload::Payload;

/// How many messages each queue holds, ours and the others'.
pub(crate) const CAPACITY: usize = 1024;

/// A sending end.
pub(crate) trait Tx<T>: Send + 'static {
    /// Sends if there is space; gives the message back if not.
    fn push(&mut self, message: T) -> Result<(), T>;

    /// Sends, waiting as the crate's own blocking call does, or by polling.
    #[inline(always)]
    fn put(&mut self, message: T, polling: Polling) {
        let mut message = message;
        let mut wait = polling.start();
        while let Err(back) = self.push(message) {
            message = back;
            wait.once();
        }
    }
}

/// A receiving end.
pub(crate) trait Rx<T>: Send + 'static {
    /// Receives if there is a message.
    fn pop(&mut self) -> Option<T>;

    /// Receives, waiting as the crate's own blocking call does, or by polling.
    #[inline(always)]
    fn get(&mut self, polling: Polling) -> T {
        let mut wait = polling.start();
        loop {
            match self.pop() {
                Some(message) => return message,
                None => wait.once(),
            }
        }
    }
}

/// A queue that is measured.
pub(crate) trait Kind: 'static {
    /// As the report names it.
    const NAME: &'static str;
    /// How its ends wait that have no call for it.
    const POLLING: Polling = Polling::Spin;
    type Tx<T: Payload>: Tx<T>;
    type Rx<T: Payload>: Rx<T>;
    fn make<T: Payload>() -> (Self::Tx<T>, Self::Rx<T>);
}

/// How an end waits by polling: the simplest way, and ours. Which of them suits a queue depends on the queue.
#[derive(Clone, Copy)]
pub(crate) enum Polling {
    /// One pause between looks, and a yield after a thousand of them.
    Spin,
    /// Exponentially longer pauses, then yields: what our own blocking calls do.
    BackOff,
}

impl Polling {
    #[inline(always)]
    fn start(self) -> Wait {
        match self {
            Self::Spin => Wait::Spin(0),
            Self::BackOff => Wait::BackOff(Backoff::new()),
        }
    }
}

enum Wait {
    Spin(u32),
    BackOff(Backoff),
}

impl Wait {
    #[inline(always)]
    fn once(&mut self) {
        match self {
            Self::Spin(spins) if *spins < 1000 => {
                *spins += 1;
                spin_loop();
            }
            Self::Spin(_) => std::thread::yield_now(),
            Self::BackOff(backoff) => backoff.snooze(),
        }
    }
}
