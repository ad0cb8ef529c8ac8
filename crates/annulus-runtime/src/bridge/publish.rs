//! From a kernel into a queue.

use std::{pin::pin, sync::Arc};

use annulus_kernel::{RingKernel, RingMessage};
use annulus_queue::{MessageQueue, SendError, SendOutcome, TryRecvError};
use annulus_sync::{Ordering, event::Event};

use crate::{
    bridge::{
        BridgeOptions, Cause, Facts, First, Held, KernelBridge, Route, Shared, Target, UNNAMED, any, first,
        look::BridgeKind,
    },
    handle::{KernelHandle, receive::Outlet},
    kernel::shared::KernelShared,
    within::Until,
};

impl<K: RingKernel> KernelHandle<K>
where
    K::Output: Send,
{
    /// Moves the kernel's outputs into a queue, from now on. [`publish_to_with`](Self::publish_to_with) with
    /// the default options.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # let queue = annulus::queue::MessageQueue::<Number>::with_defaults();
    /// let kernel = launched();
    /// kernel.publish_to(&queue);
    /// let _ = kernel.send_blocking(Number { value: 21 })?;
    /// assert_eq!(queue.recv_blocking()?, Number { value: 42 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn publish_to(&self, queue: &MessageQueue<K::Output>) -> KernelBridge<K::Output> {
        self.publish_to_with(queue, BridgeOptions::default())
    }

    /// Moves the kernel's outputs into a queue, each shard's in order, until the kernel has terminated and
    /// all its outputs are moved, or until the queue is closed: the bridge finds that out with the next
    /// output, which it leaves in the kernel. Replies to calls are not outputs. Several kernels may fill one
    /// queue. Programs that receive from the kernel get outputs that the bridge does not get.
    ///
    /// The bridge has no thread: whoever reports that the kernel has outputs, or receives from the full
    /// queue, moves what is there. On the CPU it costs nothing while nothing flows. On devices the runtime's
    /// pump watches the kernel while somebody waits for outputs, as a receiver does.
    ///
    /// While the queue has no room, outputs stay in the kernel's outbound rings, except those of one batch,
    /// and the kernel stalls when they are full. This is so under [`Reject`](crate::Backpressure::Reject) as
    /// well; each attempt then counts as rejected there. What the queue's other policies drop is counted by
    /// the bridge and by the queue.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::BridgeOptions;
    /// # let queue = annulus::queue::MessageQueue::<Number>::with_defaults();
    /// let kernel = launched();
    /// let bridge = kernel.publish_to_with(&queue, BridgeOptions::new().messages(8));
    /// kernel.send_batch_blocking(&numbers(0..100))?;
    /// kernel.shutdown_blocking(std::time::Duration::from_secs(60));
    /// bridge.ended_blocking();
    /// assert_eq!((bridge.status().moved, queue.len()), (100, 100));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn publish_to_with(
        &self,
        queue: &MessageQueue<K::Output>,
        options: BridgeOptions,
    ) -> KernelBridge<K::Output> {
        // SAFETY: the kernel is `K`, which sends this type.
        unsafe { publish_outputs(self.shared_arc(), None, queue, options) }
    }
}

/// # Safety
///
/// What the kernel sends by the outbox of this number, or the kernel if there is none, is of type `O`.
pub(crate) unsafe fn publish_outputs<O: RingMessage>(
    kernel: &Arc<KernelShared>,
    port: Option<usize>,
    queue: &MessageQueue<O>,
    options: BridgeOptions,
) -> KernelBridge<O> {
    let (kernel, queue) = (Arc::clone(kernel), queue.clone());
    let route = Route {
        from: kernel.core.name.clone(),
        to: queue.name().unwrap_or(UNNAMED).to_owned(),
        kind: BridgeKind::ToQueue,
        outbox: port,
        targets: vec![Target::default()],
    };
    let its = Arc::clone(&kernel);
    KernelBridge::of(&its, route, options, |shared| async move {
        let mut batch = Vec::new();
        let mut take = || {
            // SAFETY: by the caller's word.
            let outlet = unsafe { Outlet::<O>::by(&kernel, port) };
            // Only this adds to what is held.
            let room = shared.facts.options.messages - shared.held().batch.len();
            // It may wake receivers, whose wakers may ask for the bridge's status: not under its lock.
            let taken = outlet.try_recv_batch(&mut batch, room);
            let mut held = shared.held();
            held.batch.append(&mut batch);
            (held.batch.len(), taken)
        };
        while let Some(cause) = fill(&kernel, &shared.facts, || queue.is_closed(), &[], &mut take).await {
            if !deliver(&queue, &shared).await {
                break;
            }
            shared.facts.count_batch(cause);
            if cause == Cause::Close {
                break;
            }
            shared.facts.breathe().await;
        }
        // It may have been woken for an output that it has not taken.
        kernel.core.ready.notify(1);
    })
}

/// Collects a batch of what a kernel sends. `take` takes what is there now, and says how many are held then, and what
/// it found. `None` if no outputs come any more, or if the target is closed and nothing is held; that is looked at
/// whenever one of the events is notified. What is held when it is found closed is a batch.
pub(super) async fn fill(
    kernel: &KernelShared,
    facts: &Facts,
    is_closed: impl Fn() -> bool,
    closed: &[&Event],
    mut take: impl FnMut() -> (usize, Result<usize, TryRecvError>),
) -> Option<Cause> {
    let mut listening = None;
    let mut late = None;
    let mut held = 0;
    loop {
        if is_closed() {
            return (held != 0).then_some(Cause::Close);
        }
        let taken;
        (held, taken) = take();
        match taken {
            _ if held == facts.options.messages => return Some(Cause::Count),
            Err(TryRecvError::Closed) => return (held != 0).then_some(Cause::Close),
            // There may be more.
            Ok(_) => {
                if late.is_none() && !facts.options.delay.is_zero() {
                    late = Some(Box::pin(Until::after(facts.options.delay)));
                }
                continue;
            }
            Err(_) if held != 0 && late.is_none() => return Some(Cause::Timer),
            Err(_) => {}
        }
        // Looks once more after it began to listen.
        let Some(listeners) = listening.take() else {
            let events = closed.iter().copied().chain([&kernel.core.ready]);
            listening = Some(events.map(Event::listen).collect::<Vec<_>>());
            continue;
        };
        kernel.core.expect();
        match &mut late {
            None => any(listeners).await,
            Some(late) => {
                if let First::B(()) = first(pin!(any(listeners)), late.as_mut()).await {
                    return Some(Cause::Timer);
                }
            }
        }
    }
}

/// Sends what is held, waiting for space; false if the queue takes no more.
async fn deliver<M: annulus_queue::Message + Send + Copy>(
    queue: &MessageQueue<M>,
    shared: &Shared<Held<M>>,
) -> bool {
    loop {
        // The message stays held until it was sent.
        let Some(&message) = shared.held().batch.first() else { return true };
        let count = |count: &annulus_sync::AtomicU64| {
            count.fetch_add(1, Ordering::Relaxed);
        };
        match shared.facts.wait_for(0, queue.send_waiting(message)).await {
            Ok(outcome) => {
                shared.facts.count_outcome(&outcome);
                if matches!(outcome, SendOutcome::Accepted | SendOutcome::Evicted(_)) {
                    count(&shared.facts.counts.moved);
                    shared.facts.counts.bytes.fetch_add(size_of::<M>() as u64, Ordering::Relaxed);
                }
            }
            Err(SendError::Closed(_)) => return false,
            Err(_) => count(&shared.facts.counts.too_large),
        }
        shared.held().batch.remove(0);
    }
}
