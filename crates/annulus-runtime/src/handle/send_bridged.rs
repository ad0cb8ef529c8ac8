//! Sending bridged messages through the queues in front of the rings, where they wait as images.

use annulus_kernel::{BridgedMessage, KernelMessage};
use annulus_queue::{Oversize, SendError, SendOutcome, TrySendError, front::Facts};

use crate::{
    handle::send::Inlet,
    kernel::{bytes::Bytes, carried::Carried, front::facts_of, image::Image},
};

impl<M: KernelMessage + BridgedMessage> Inlet<'_, M> {
    /// The image of a message, unless it is too large for the kernel.
    pub(super) fn image_of(self, message: &M) -> Result<Image, Oversize> {
        Image::of(message, self.kernel.core.max_payload()).map_err(|_| self.oversize(message))
    }

    /// Offers a message to the queue in front of its shard. If an older message is evicted, the outcome has
    /// it; what else comes back is this message.
    pub(super) fn offer_image(
        self,
        message: &M,
        again: bool,
    ) -> Result<SendOutcome<Option<M>>, TrySendError<()>> {
        let image = self.image_of(message)?;
        let facts = facts_of(self.kernel.core.inbound(self.lane), message);
        let facts = Facts { key: facts.key.filter(|_| !again), ..facts };
        let mut evicted = None;
        let mut note = |bytes: &Bytes| evicted = Some(Box::from(bytes));
        let (shard, header) = (self.shard_of(message), self.header());
        let offered =
            self.kernel.front_end().offer_image((shard, self.lane), image.bytes(), facts, header, &mut note);
        let outcome = self.kernel.core.unless_refused(header, offered)?;
        let evicted: Option<Box<Bytes>> = evicted;
        // SAFETY: it was offered to this kernel, whose messages are of this type.
        Ok(outcome.map(|()| evicted.map(|image| unsafe { M::of_bytes(&image) })))
    }

    /// Sends a batch through the queues in front.
    pub(super) fn attempt_images(
        self,
        messages: &[M],
        mut back: Option<&mut Vec<SendOutcome<M>>>,
    ) -> (usize, Option<SendError<()>>) {
        for (sent, message) in messages.iter().enumerate() {
            match self.offer_image(message, false) {
                Ok(SendOutcome::Accepted) => {}
                Ok(other) => {
                    if let Some(back) = &mut back {
                        back.push(other.map(|evicted| evicted.unwrap_or_else(|| message.again())));
                    }
                }
                Err(refused) => {
                    return match self.kernel.attempted(self.lane, Err(refused)) {
                        Some(Err(error)) => (sent, Some(error)),
                        _ => (sent, None),
                    };
                }
            }
        }
        (messages.len(), None)
    }
}
