//! A kernel's outputs as a stream.

use std::{
    fmt,
    future::Future,
    marker::PhantomData,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use annulus_kernel::RingKernel;
use annulus_queue::RecvError;
use futures_core::Stream;

use crate::kernel::{bytes::Bytes, shared::KernelShared};

type Next = (Result<(), RecvError>, Arc<KernelShared>, Box<Bytes>);
type NextOutput = Pin<Box<dyn Future<Output = Next> + Send>>;
pub(crate) fn next_output(shared: Arc<KernelShared>, mut output: Box<Bytes>) -> NextOutput {
    Box::pin(async move { (shared.recv(&mut output).await, shared, output) })
}

/// A kernel's outputs as a [`Stream`]. A stream that has waited and is [forgotten](crate#what-it-does-not-do)
/// may keep a wake-up that other receivers need.
pub struct Outputs<K: RingKernel> {
    /// Of a kernel that is `K`.
    pub(crate) next: Option<NextOutput>,
    pub(crate) _kernel: PhantomData<fn() -> K>,
}

impl<K: RingKernel> Stream for Outputs<K> {
    type Item = K::Output;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<K::Output>> {
        let Some(next) = self.next.as_mut() else { return Poll::Ready(None) };
        match next.as_mut().poll(context) {
            Poll::Pending => Poll::Pending,
            Poll::Ready((Err(_), ..)) => {
                self.next = None;
                Poll::Ready(None)
            }
            Poll::Ready((Ok(()), shared, bytes)) => {
                // SAFETY: an output of the kernel was received into the bytes, which need not be aligned.
                let output = unsafe { bytes.as_ptr().cast::<K::Output>().read_unaligned() };
                self.next = Some(next_output(shared, bytes));
                Poll::Ready(Some(output))
            }
        }
    }
}

impl<K: RingKernel> fmt::Debug for Outputs<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outputs").field("ended", &self.next.is_none()).finish_non_exhaustive()
    }
}
