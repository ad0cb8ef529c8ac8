//! Messages whose handlers failed.

use annulus_abi::ring::kind;
use annulus_ring::ring::Header;

use crate::{
    publish::add,
    runner::Runner,
    turn::{BlockCore, TurnTotals},
};

impl<R: Runner> BlockCore<R> {
    /// Puts the message of a failed call into the ring of dead letters. If there is no room, counts it as
    /// lost.
    // TWIN: bury
    #[cold]
    pub(crate) fn bury(&mut self, message: *const u8, code: u16, batch: &mut TurnTotals) {
        let Some(dead_letters) = &mut self.dead_letters else { return };
        if !dead_letters.has_credit(1) {
            return add(self.memory.dead_letters_lost(), 1);
        }
        // SAFETY: there is credit for the slot, and the message is of the kernel's message type, which is the
        // ring's.
        unsafe { dead_letters.publish_copy(kind::DEAD_LETTER, code.into(), Header::default(), message) };
        batch.dead_letters += 1;
    }
}
