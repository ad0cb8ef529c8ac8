//! A kernel as a sink for messages.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use annulus_kernel::RingKernel;
use annulus_queue::SendError;
use futures_sink::Sink;

use crate::{
    handle::send::{Inlet, hand_back},
    kernel::{send::Sent, shared::KernelShared},
};

/// A kernel as a [`Sink`] for its messages; see [`KernelHandle::sink`](crate::KernelHandle::sink).
///
/// It keeps one message until there is space. Messages that are evicted, discarded or duplicates are dropped,
/// and counted. `poll_close` closes the kernel to new messages of every sender. A sink that has waited and is
/// [forgotten](crate#what-it-does-not-do) may keep a wake-up that others need.
#[must_use = "a sink does nothing unless it is polled"]
pub struct KernelSink<K: RingKernel> {
    /// A kernel that is `K`.
    kernel: Arc<KernelShared>,
    /// A message that was given, and that the sink has not tried to send yet.
    message: Option<K::Message>,
    /// The send of a message for which there was no space.
    sending: Option<Sending<K::Message>>,
}

type Sending<M> = Pin<Box<dyn Future<Output = Sent<M>> + Send>>;

// No field is pinned in place: the future that waits is boxed.
impl<K: RingKernel> Unpin for KernelSink<K> {}

impl<K: RingKernel> KernelSink<K> {
    /// Of a kernel.
    ///
    /// # Safety
    ///
    /// The kernel is `K`.
    pub(crate) unsafe fn new(kernel: Arc<KernelShared>) -> Self {
        Self { kernel, message: None, sending: None }
    }

    /// Sends a message. Makes a future only if there is no space now.
    fn begin(&mut self, mut message: K::Message) -> Option<Sent<K::Message>> {
        // SAFETY: the kernel is `K`, by the field's invariant.
        let inlet = unsafe { Inlet::<K::Message>::new(&self.kernel) };
        if let Some(sent) = inlet.attempt(&mut message) {
            return Some(hand_back(sent, message));
        }
        let kernel = Arc::clone(&self.kernel);
        self.sending = Some(Box::pin(async move {
            // SAFETY: the kernel is `K`, by the field's invariant.
            let inlet = unsafe { Inlet::<K::Message>::new(&kernel) };
            inlet.send(message).await
        }));
        None
    }
}

impl<K: RingKernel> Sink<K::Message> for KernelSink<K> {
    type Error = SendError<K::Message>;

    fn poll_ready(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.poll_flush(context)
    }

    /// # Panics
    ///
    /// If `poll_ready` did not say that it was ready.
    fn start_send(mut self: Pin<&mut Self>, message: K::Message) -> Result<(), Self::Error> {
        assert!(
            self.message.is_none() && self.sending.is_none(),
            "a sink is given a message after it was ready"
        );
        self.message = Some(message);
        Ok(())
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        if let Some(message) = self.message.take()
            && let Some(sent) = self.begin(message)
        {
            return Poll::Ready(sent.map(drop));
        }
        let Some(sending) = &mut self.sending else { return Poll::Ready(Ok(())) };
        let sent = ready!(sending.as_mut().poll(context));
        self.sending = None;
        Poll::Ready(sent.map(drop))
    }

    fn poll_close(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        let flushed = ready!(self.as_mut().poll_flush(context));
        self.kernel.close();
        Poll::Ready(flushed)
    }
}

impl<K: RingKernel> fmt::Debug for KernelSink<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keeps = self.message.is_some() || self.sending.is_some();
        f.debug_struct("KernelSink").field("keeps", &keeps).finish_non_exhaustive()
    }
}
