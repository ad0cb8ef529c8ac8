//! Messages whose handlers failed.

use annulus_abi::ring::kind;
use annulus_ring::ring::Header;

use crate::{
    publish::add,
    runner::Runner,
    turn::{Batch, BlockCore},
};

impl<R: Runner> BlockCore<R> {
    /// Puts the message of a failed call into the ring of letters; counts it if there is no room.
    #[cold]
    pub(crate) fn bury(&mut self, message: *const u8, code: u16, batch: &mut Batch) {
        let Some(letters) = &mut self.letters else { return };
        if !letters.has_credit(1) {
            return add(self.memory.letters_lost(), 1);
        }
        // SAFETY: there is credit for the slot, and the message is of the kernel's message type, which is the
        // ring's.
        unsafe { letters.publish_copy(kind::LETTER, code.into(), Header::default(), message) };
        batch.letters += 1;
    }
}
