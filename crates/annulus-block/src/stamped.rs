//! Messages that carry a causal stamp.
//!
//! A launch may ask for one more word in the envelope: [`stamp`]. The block keeps a hybrid clock, the stamp of its last
//! event. A call of the handler is one event: the clock is raised to the stamp of the message and to the time of the turn, and
//! then by one; what the handler sends carries that stamp, all of it, since it becomes visible together. So does what it
//! sends to itself, and what it asks: the message that comes of an ask carries the stamp of the answer, if that is greater.
//! What nobody sends, a tick, say, is an event of the block's own.
//!
//! A message without a stamp, of a kernel that gives none, raises nothing.

use annulus_abi::{ring::kind, stamp};
use annulus_ring::ring::Header;

use crate::{runner::Runner, turn::BlockCore};

impl<R: Runner> BlockCore<R> {
    /// An event that comes of a message with this stamp. Returns the event's; 0 if messages carry none.
    // TWIN: begin_event
    #[inline]
    pub(crate) fn begin_event(&mut self, stamp: u64) -> u64 {
        if self.is_causal {
            self.stamp = stamp::next(self.stamp.max(stamp), self.cx.now());
        }
        self.stamp
    }

    /// The envelope of what the handler that was called last has sent.
    #[inline]
    pub(crate) fn sent_header(&self) -> Header {
        Header { trace: self.trace, stamp: self.stamp, ..Header::default() }
    }

    /// The envelope of a reply. Its caller knows of the call, so it carries no trace.
    #[inline]
    pub(crate) fn reply_header(&self, kind: u8) -> Header {
        let stamp = if kind == kind::MESSAGE { self.stamp } else { 0 };
        Header { stamp, ..Header::default() }
    }
}
