//! From a queue into a kernel.

use std::{pin::pin, sync::Arc};

use annulus_kernel::{Message as _, RingKernel};
use annulus_queue::{MessageQueue, RecvError, SendError, SendOutcome};
use annulus_sync::Ordering;

use crate::{
    bridge::{
        BridgeOptions, Cause, First, Held, KernelBridge, Route, Shared, Target, UNNAMED, first,
        look::BridgeKind,
    },
    handle::{KernelHandle, queue::KernelQueue, send::Inlet},
    kernel::shared::KernelShared,
    within::Until,
};

impl<K: RingKernel> KernelHandle<K>
where
    K::Message: Send,
{
    /// Moves messages of a queue into the kernel's own queue, from now on.
    /// [`consume_with`](Self::consume_with) with the default options.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let runtime = Runtime::builder().build()?;
    /// let kernel = double::launch(&runtime, LaunchOptions::production())?;
    /// let queue = runtime.queues().create::<Number>(annulus::queue::QueueOptions::new().name("numbers"))?;
    /// kernel.consume(&queue);
    /// let _ = queue.send_blocking(Number { value: 21 })?;
    /// assert_eq!(kernel.recv_blocking()?, Number { value: 42 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn consume(&self, queue: &MessageQueue<K::Message>) -> KernelBridge<K::Message> {
        self.own_queue().consume(queue)
    }

    /// Moves messages of a queue into the kernel's own queue, in order, until the queue is closed and empty
    /// or the kernel is closed. Several kernels may consume one queue; each message goes to one of them.
    ///
    /// The bridge has no thread and costs nothing while nothing flows: whoever sends to the queue, or reports
    /// that the kernel has room, moves what is there. While the kernel has no room, messages stay in the
    /// queue, except those of one batch. This is so under [`Reject`](crate::Backpressure::Reject) as well: a
    /// bridge waits. What the kernel's other strategies and policies drop is counted by the bridge and by the
    /// kernel.
    ///
    /// The bridge does not keep the kernel running.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::BridgeOptions;
    /// use std::time::Duration;
    /// # let queue = annulus::queue::MessageQueue::<Number>::with_defaults();
    /// let kernel = launched();
    /// let bridge = kernel.consume_with(&queue, BridgeOptions::new().delay(Duration::from_millis(1)));
    /// let _ = queue.send_blocking(Number { value: 21 })?;
    /// assert_eq!(kernel.recv_blocking()?, Number { value: 42 });
    /// // A batch is counted when all of its messages have been moved.
    /// while bridge.status().by_timer == 0 {
    ///     std::thread::yield_now();
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn consume_with(
        &self,
        queue: &MessageQueue<K::Message>,
        options: BridgeOptions,
    ) -> KernelBridge<K::Message> {
        self.own_queue().consume_with(queue, options)
    }
}

impl<K: RingKernel> KernelQueue<K>
where
    K::Message: Send,
{
    /// [`KernelHandle::consume`] into this queue of the kernel.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::NamedQueue;
    /// # let queue = annulus::queue::MessageQueue::<Number>::with_defaults();
    /// let kernel = launched_with(LaunchOptions::production().queue(NamedQueue::new("urgent")));
    /// kernel.queue("urgent")?.consume(&queue);
    /// let _ = queue.send_blocking(Number { value: 21 })?;
    /// assert_eq!(kernel.recv_blocking()?, Number { value: 42 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn consume(&self, queue: &MessageQueue<K::Message>) -> KernelBridge<K::Message> {
        self.consume_with(queue, BridgeOptions::default())
    }

    /// [`KernelHandle::consume_with`] into this queue of the kernel.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::BridgeOptions;
    /// # let queue = annulus::queue::MessageQueue::<Number>::with_defaults();
    /// let bridge = launched().own_queue().consume_with(&queue, BridgeOptions::new().messages(8));
    /// assert!(bridge.status().to_string().contains("to double"));
    /// ```
    pub fn consume_with(
        &self,
        queue: &MessageQueue<K::Message>,
        options: BridgeOptions,
    ) -> KernelBridge<K::Message> {
        let (kernel, lane, queue) = (Arc::clone(self.kernel_arc()), self.lane(), queue.clone());
        let from = queue.name().unwrap_or(UNNAMED).to_owned();
        let to = match lane {
            0 => self.name().to_owned(),
            _ => format!("{}/{}", kernel.core.name, self.name()),
        };
        let targets = vec![Target::of(&kernel)];
        let route = Route { from, to, kind: BridgeKind::FromQueue, outbox: None, targets };
        let its = Arc::clone(&kernel);
        KernelBridge::of(&its, route, options, |shared| async move {
            consume::<K>(&kernel, lane, &queue, &shared).await;
        })
    }
}

async fn consume<K: RingKernel>(
    kernel: &KernelShared,
    lane: usize,
    queue: &MessageQueue<K::Message>,
    shared: &Shared<Held<K::Message>>,
) where
    K::Message: Send,
{
    loop {
        let next = match next(kernel, lane, queue).await {
            Some(Ok(message)) => message,
            // The source has ended, or the target.
            Some(Err(_)) | None => return,
        };
        shared.held().batch.push(next);
        let cause = fill(queue, shared).await;
        if !deliver::<K>(kernel, lane, shared).await {
            return;
        }
        shared.facts.count_batch(cause);
        if cause == Cause::Close {
            return;
        }
        shared.facts.breathe().await;
    }
}

/// The next message; `None` if the kernel takes no more.
async fn next<M: annulus_queue::Message + Send>(
    kernel: &KernelShared,
    lane: usize,
    queue: &MessageQueue<M>,
) -> Option<Result<M, RecvError>> {
    let mut message = pin!(queue.recv());
    loop {
        let closed = kernel.core.closed.listen();
        if kernel.is_lane_closed(lane) {
            return None;
        }
        if let First::A(received) = first(message.as_mut(), pin!(closed)).await {
            return Some(received);
        }
    }
}

/// Takes what belongs to the batch whose first message is there.
async fn fill<M: annulus_queue::Message + Send>(queue: &MessageQueue<M>, shared: &Shared<Held<M>>) -> Cause {
    let most = shared.facts.options.messages;
    let mut late =
        (!shared.facts.options.delay.is_zero()).then(|| Box::pin(Until::after(shared.facts.options.delay)));
    loop {
        {
            let mut held = shared.held();
            let room = most - held.batch.len();
            queue.try_recv_batch(room, |message| held.batch.push(message));
            if held.batch.len() == most {
                return Cause::Count;
            }
        }
        let Some(late) = &mut late else { return Cause::Timer };
        match first(pin!(queue.recv()), late.as_mut()).await {
            First::A(Ok(message)) => shared.held().batch.push(message),
            First::A(Err(_)) => return Cause::Close,
            First::B(()) => return Cause::Timer,
        }
    }
}

/// Sends what is held, waiting for space; false if the kernel takes no more.
async fn deliver<K: RingKernel>(
    kernel: &KernelShared,
    lane: usize,
    shared: &Shared<Held<K::Message>>,
) -> bool {
    loop {
        let shard = match attempt::<K>(kernel, lane, shared) {
            Attempt::Done => return true,
            Attempt::Closed => return false,
            Attempt::Full { shard, .. } => shard,
        };
        let listener = kernel.space(lane, shard).listen();
        match attempt::<K>(kernel, lane, shared) {
            Attempt::Done => return true,
            Attempt::Closed => return false,
            Attempt::Full { sent: 0, .. } => shared.facts.wait_for(0, kernel.wait_for(listener)).await,
            Attempt::Full { .. } => {}
        }
    }
}

/// How far a delivery got.
enum Attempt {
    Done,
    Closed,
    /// This many were sent; the next one waits for space in a shard.
    Full {
        sent: usize,
        shard: usize,
    },
}

fn attempt<K: RingKernel>(kernel: &KernelShared, lane: usize, shared: &Shared<Held<K::Message>>) -> Attempt {
    // SAFETY: the kernel is `K`: it came from a handle of that type.
    let inlet = unsafe { Inlet::<K::Message>::new(kernel) }.for_lane(lane).patient();
    // Under this lock code of the program may run: see `Facts::holds`.
    let mut held = shared.held();
    let Held { batch, back } = &mut *held;
    let mut all = 0;
    loop {
        let (sent, error) = inlet.attempt_batch(batch, Some(back));
        let mut bytes: u64 = batch.drain(..sent).map(|message| message.payload_size() as u64).sum();
        all += sent;
        let mut moved = sent as u64;
        for outcome in back.drain(..) {
            shared.facts.count_outcome(&outcome);
            if let SendOutcome::Discarded(message) | SendOutcome::Duplicate(message) = outcome {
                moved -= 1;
                bytes -= message.payload_size() as u64;
            }
        }
        shared.facts.counts.bytes.fetch_add(bytes, Ordering::Relaxed);
        shared.facts.counts.moved.fetch_add(moved, Ordering::Relaxed);
        let Some(next) = batch.first() else { return Attempt::Done };
        match error {
            None => return Attempt::Full { sent: all, shard: inlet.shard_of(next) },
            Some(SendError::Closed(())) => return Attempt::Closed,
            // It is too large for the kernel: the next one may fit.
            Some(_) => {
                shared.facts.counts.too_large.fetch_add(1, Ordering::Relaxed);
                batch.remove(0);
            }
        }
    }
}
