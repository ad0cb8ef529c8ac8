//! A kernel's outputs as a stream.

use std::{
    fmt,
    future::Future,
    marker::PhantomData,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use annulus_kernel::{RingKernel, RingMessage};
use annulus_queue::RecvError;
use futures_core::Stream;

use crate::kernel::{
    bytes::{Bytes, blank},
    shared::KernelShared,
};

type Next = (Result<(), RecvError>, Arc<KernelShared>, Box<Bytes>);
type NextOutput = Pin<Box<dyn Future<Output = Next> + Send>>;

fn next_output(shared: Arc<KernelShared>, port: Option<usize>, mut output: Box<Bytes>) -> NextOutput {
    Box::pin(async move { (shared.recv(port, &mut output).await, shared, output) })
}

/// A kernel's outputs as a [`Stream`], or those of one of its outboxes, which are of type `T`. A stream that has waited
/// and is [forgotten](crate#what-it-does-not-do) may keep a wake-up that other receivers need.
pub struct Outputs<K: RingKernel, T = <K as RingKernel>::Output> {
    /// The next one, of a kernel that is `K`, and of type `T`.
    next: Option<NextOutput>,
    /// The number of the outbox that sends `T`; if it is none, `K` sends it.
    port: Option<usize>,
    _types: PhantomData<fn() -> (K, T)>,
}

impl<K: RingKernel, T: RingMessage> Outputs<K, T> {
    /// Those of this kernel, or of one of its outboxes.
    ///
    /// # Safety
    ///
    /// `T` is what the kernel's outbox of this number sends, or the kernel's output type if there is no number.
    pub(crate) unsafe fn new(kernel: Arc<KernelShared>, port: Option<usize>) -> Self {
        let next = Some(next_output(kernel, port, blank(size_of::<T>())));
        Self { next, port, _types: PhantomData }
    }
}

impl<K: RingKernel, T: RingMessage> Stream for Outputs<K, T> {
    type Item = T;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<T>> {
        let Some(next) = self.next.as_mut() else { return Poll::Ready(None) };
        match next.as_mut().poll(context) {
            Poll::Pending => Poll::Pending,
            Poll::Ready((Err(_), ..)) => {
                self.next = None;
                Poll::Ready(None)
            }
            Poll::Ready((Ok(()), shared, bytes)) => {
                // SAFETY: an output of this type was received into the bytes, by `new`; they need not be aligned.
                let output = unsafe { bytes.as_ptr().cast::<T>().read_unaligned() };
                self.next = Some(next_output(shared, self.port, bytes));
                Poll::Ready(Some(output))
            }
        }
    }
}

impl<K: RingKernel, T> fmt::Debug for Outputs<K, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outputs").field("ended", &self.next.is_none()).finish_non_exhaustive()
    }
}
