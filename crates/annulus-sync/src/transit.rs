//! When nothing is on the way between two queues.
//!
//! A *carrier* takes messages from one queue, the source, and puts them into another one, the target. Between the two it has them
//! itself. Whoever waits until nothing is left of what was sent looks at the source, at the carrier, and at the target.
//!
//! # States
//!
//! ```text
//!  clear ──(a poll begins)──▶ carrying ──(the poll ends, and all that was taken is delivered)──▶ clear, told
//!                                ▲  └──(it ends, and something is held)──▶ carrying
//! ```
//!
//! # Words and writers
//!
//! | word | written by | read by |
//! |---|---|---|
//! | `carrying` | the carrier, which one thread at a time polls | those who wait |
//!
//! # Why nothing is missed
//!
//! Whoever waits looks at the source first, with acquire, and at `carrying` then. A source that is empty has given its last
//! message back with release, and the carrier had stored `carrying` before that, if it has taken one. (What others take is given
//! back under the source's lock for consumers, one after the other; so all that was given back is seen with the last.) So the look at
//! `carrying` finds this store, or a later one. If it finds *clear*, that was stored with release after what had been taken was delivered (`SYNC: clear`), and
//! the look at the target, after this, finds it there.
//!
//! The carrier stores *clear*, and then notifies. Whoever waits registers, and looks once more. Both fence in between
//! ([`event`](crate::event)), so one of the two sees the other.
//!
//! Somebody else may take the last message out of the source, and does not tell. So whoever waits for a source that has several
//! receivers also looks from time to time.

use crate::{
    AtomicBool, Ordering,
    event::{Event, Listener},
};

/// Whether a carrier has something; see the module.
#[derive(Debug)]
pub struct Transit {
    carrying: AtomicBool,
    clear: Event,
}

impl Transit {
    /// Of a carrier that has nothing.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Self { carrying: AtomicBool::new(false), clear: Event::new() }
    }

    /// Called by the carrier before it takes anything.
    pub fn begin(&self) {
        self.carrying.store(true, Ordering::Relaxed);
    }

    /// Called by the carrier when it waits: does it hold something?
    pub fn pause(&self, holds: bool) {
        if !holds {
            // SYNC: clear (release)
            self.carrying.store(false, Ordering::Release);
            self.clear.notify_all();
        }
    }

    /// Called by the carrier at its end. What it holds is not on the way any more.
    pub fn end(&self) {
        self.pause(false);
    }

    /// Whether nothing is on the way; asked after the source was found empty.
    pub fn is_clear(&self) -> bool {
        // SYNC: clear (acquire)
        !self.carrying.load(Ordering::Acquire)
    }

    /// Registers who waits. It must look again, at the source and at this, before it waits.
    pub fn listen(&self) -> Listener<'_> {
        self.clear.listen()
    }
}
