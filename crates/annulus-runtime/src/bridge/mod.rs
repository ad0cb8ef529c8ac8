//! Bridges: from a kernel to another one, and between kernels and queues that live without a kernel.
//!
//! A bridge moves messages from a queue into a kernel
//! ([`KernelHandle::consume`](crate::KernelHandle::consume)), a kernel's outputs into a queue
//! ([`KernelHandle::publish_to`](crate::KernelHandle::publish_to)), or into other kernels, which may run on other
//! devices ([`KernelHandle::bridge_to`](crate::KernelHandle::bridge_to)). It has no thread: [`task`] says who
//! runs it.
//!
//! # States of a batch
//!
//! *Waiting*: nothing is held, and the bridge waits for its source. → *Filling*: it holds messages, and waits
//! for more until the batch is full or the delay has passed. → *Delivering*: it waits until the target has
//! taken all. → *waiting*. Held messages are in [`Held`], outside the future. So a bridge that ends in any
//! state loses none: they can be taken out ([`KernelBridge::take_undelivered`]). A bridge to several kernels holds a
//! batch until each of them has taken it, and knows of each how far it is.
//!
//! Order is kept: one batch after the other, and each in order. Back-pressure is kept: a bridge holds one
//! batch, and takes no more while its target has no room.
//!
//! # Words and writers
//!
//! | word | written by | read by |
//! |---|---|---|
//! | the counts | whoever polls the bridge's task: one thread at a time | anybody |
//! | the held messages | the same; after the end whoever takes them out, under their lock | the same |
//! | `waits_for` | whoever polls: the kernel that has no room, while the bridge waits for that | anybody, for people |
//! | `polled` | whoever polls | the same |
//! | `stop` | anybody, once | whoever polls |
//! | `holds`, how many messages are held | whoever polls; after the end whoever takes them out | anybody |
//! | `ended` | whoever polls, once (`SYNC: bridge-ended`) | anybody |
//!
//!
//! The counts order nothing: they are exact for whoever has seen the end, or knows that nothing flows.

use std::{
    fmt,
    future::{Future, poll_fn},
    ops::{Deref, DerefMut},
    pin::{Pin, pin},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::Poll,
    time::{Duration, Instant},
};

use annulus_queue::SendOutcome;
use annulus_sync::{
    AtomicBool, AtomicU64, Ordering,
    event::{Event, Listener},
    wait::{block_on, block_on_deadline},
};

pub(crate) mod carry;
mod consume;
mod port;
pub(crate) mod publish;
mod status;
pub(crate) mod task;

pub use status::{BridgeOptions, KernelBridgeRates, KernelBridgeStatus};
use task::Task;

use crate::{time::deadline, within::Until};

/// The most messages of a batch. Source: this project's choice; a batch has its room from the beginning.
pub(crate) const MOST_MESSAGES: usize = 65_536;
/// How many batches one poll moves, at most, and how long a bridge then lets its thread alone. Source: this project's
/// choice: with batches of 64 messages some 100 µs of work.
const BATCHES: u64 = 32;
const PAUSE: Duration = Duration::from_micros(5);

/// A bridge between kernels, or between a kernel and a queue. It works until it is stopped or one of its ends has ended, whether
/// or not this value is kept. Clones are the same bridge.
///
/// ```
/// # use annulus::prelude::*;
/// # use annulus::queue::QueueOptions;
/// # use std::time::Duration;
/// #[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
/// #[repr(C)]
/// struct Number {
///     value: u64,
/// }
///
/// #[ring_kernel]
/// fn double(number: &Number, out: &Outbox<Number>) {
///     out.send(Number { value: number.value * 2 });
/// }
///
/// let runtime = Runtime::builder().build()?;
/// let numbers = runtime.queues().create::<Number>(QueueOptions::new().name("numbers"))?;
/// let doubled = runtime.queues().create::<Number>(QueueOptions::new().name("doubled"))?;
/// let kernel = double::launch(&runtime, LaunchOptions::production())?;
/// let consumes = kernel.consume(&numbers);
/// let publishes = kernel.publish_to(&doubled);
///
/// let _ = numbers.send_blocking(Number { value: 21 })?;
/// assert_eq!(doubled.recv_blocking()?, Number { value: 42 });
///
/// numbers.close();
/// assert!(consumes.ended_timeout(Duration::from_secs(60)));
/// assert_eq!((consumes.status().moved, consumes.status().dropped()), (1, 0));
/// assert!(!publishes.status().ended);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct KernelBridge<M> {
    shared: Arc<dyn Work<M>>,
    task: Arc<Task>,
}

/// The part of a bridge that its future and its handles have. `H` is what it holds.
struct Shared<H> {
    facts: Facts,
    held: Mutex<H>,
}

/// What is the same of all bridges.
struct Facts {
    from: String,
    to: String,
    options: BridgeOptions,
    counts: Counts,
    /// How many messages are held. They are under a lock under which a target's alerts, and wakers, may run; these may
    /// ask for the status, which therefore takes no lock.
    holds: AtomicU64,
    /// Batches that the poll under way has moved.
    polled: AtomicU64,
    stop: AtomicBool,
    ended: AtomicBool,
    /// Notified at the end.
    end: Event,
}

/// The messages that a bridge holds.
trait Hold: Send {
    /// How many.
    fn len(&self) -> usize;
}

/// A bridge as its handles see it: of messages of type `M`.
trait Work<M>: Send + Sync {
    fn facts(&self) -> &Facts;
    /// Takes out the messages that it holds, when it has ended.
    fn take(&self) -> Vec<M>;
}

/// What was taken from the source and not delivered yet, oldest first.
struct Held<M> {
    batch: Vec<M>,
    /// What came back from the target, to be counted.
    back: Vec<SendOutcome<M>>,
}

#[derive(Default)]
struct Counts {
    moved: AtomicU64,
    bytes: AtomicU64,
    by_count: AtomicU64,
    by_timer: AtomicU64,
    by_close: AtomicU64,
    evicted: AtomicU64,
    discarded: AtomicU64,
    lost: AtomicU64,
    duplicate: AtomicU64,
    too_large: AtomicU64,
}

/// Why a batch is delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    Count,
    Timer,
    Close,
}

impl<H: Hold> Shared<H> {
    /// One that holds what `held` makes for batches of so many messages.
    fn new((from, to): (String, String), options: BridgeOptions, held: impl FnOnce(usize) -> H) -> Arc<Self> {
        let messages = options.messages.clamp(1, MOST_MESSAGES);
        let held = held(messages);
        let facts = Facts {
            from,
            to,
            options: BridgeOptions { messages, ..options },
            counts: Counts::default(),
            holds: AtomicU64::new(0),
            polled: AtomicU64::new(0),
            stop: AtomicBool::new(false),
            ended: AtomicBool::new(false),
            end: Event::new(),
        };
        Arc::new(Self { facts, held: Mutex::new(held) })
    }

    /// Works from now on, until it is stopped.
    fn start(self: Arc<Self>, work: impl Future<Output = ()> + Send + 'static) -> Arc<Task>
    where
        H: 'static,
    {
        Task::start(async move {
            // Also if the work panics: keys and ids of messages are code of the program.
            let _end = End(&self.facts);
            let mut work = pin!(work);
            poll_fn(|context| {
                self.facts.polled.store(0, Ordering::Relaxed);
                if self.facts.stop.load(Ordering::Relaxed) {
                    Poll::Ready(())
                } else {
                    work.as_mut().poll(context)
                }
            })
            .await;
        })
    }

    /// What it holds, which is whole between any two statements. Whoever polls takes this, and after the end whoever takes
    /// the messages out: nobody waits for it.
    fn held(&self) -> Holding<'_, H> {
        Holding { held: self.held.lock().unwrap_or_else(PoisonError::into_inner), holds: &self.facts.holds }
    }
}

/// What a bridge holds, under its lock. Afterwards it is counted.
struct Holding<'a, H: Hold> {
    held: MutexGuard<'a, H>,
    holds: &'a AtomicU64,
}

impl<H: Hold> Deref for Holding<'_, H> {
    type Target = H;

    fn deref(&self) -> &H {
        &self.held
    }
}

impl<H: Hold> DerefMut for Holding<'_, H> {
    fn deref_mut(&mut self) -> &mut H {
        &mut self.held
    }
}

impl<H: Hold> Drop for Holding<'_, H> {
    fn drop(&mut self) {
        self.holds.store(self.held.len() as u64, Ordering::Relaxed);
    }
}

/// At the end of this, the bridge has ended.
struct End<'a>(&'a Facts);

impl Drop for End<'_> {
    fn drop(&mut self) {
        // SYNC: bridge-ended (release)
        self.0.ended.store(true, Ordering::Release);
        self.0.end.notify_all();
    }
}

impl<M> Held<M> {
    fn new(messages: usize) -> Self {
        Self { batch: Vec::with_capacity(messages), back: Vec::new() }
    }
}

impl<M: Send> Hold for Held<M> {
    fn len(&self) -> usize {
        self.batch.len()
    }
}

impl<M: Send> Work<M> for Shared<Held<M>> {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn take(&self) -> Vec<M> {
        std::mem::take(&mut self.held().batch)
    }
}

impl<M: Send + 'static> KernelBridge<M> {
    /// One that holds messages of this type.
    fn of<F: Future<Output = ()> + Send + 'static>(
        ends: (String, String),
        options: BridgeOptions,
        work: impl FnOnce(Arc<Shared<Held<M>>>) -> F,
    ) -> Self {
        let shared = Shared::new(ends, options, Held::new);
        let task = Arc::clone(&shared).start(work(Arc::clone(&shared)));
        Self { shared, task }
    }

    /// Ends the bridge. Returns whether it worked until now. What it holds can be
    /// [taken out](Self::take_undelivered); all other messages stay in the source.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # let queue = annulus::queue::MessageQueue::<Number>::with_defaults();
    /// let kernel = launched();
    /// let bridge = kernel.consume(&queue);
    /// assert!(bridge.stop());
    /// assert!(bridge.ended_timeout(std::time::Duration::from_secs(60)));
    /// ```
    pub fn stop(&self) -> bool {
        let facts = self.shared.facts();
        let was_stopped = facts.stop.swap(true, Ordering::Relaxed);
        let worked = !was_stopped && !facts.has_ended();
        self.task.run();
        worked
    }

    /// What the bridge has done so far. A message may arrive before it is counted; after the end of the
    /// bridge, all are.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # let queue = annulus::queue::MessageQueue::<Number>::with_defaults();
    /// let status = launched().consume(&queue).status();
    /// assert_eq!((status.moved, status.batches(), status.ended), (0, 0, false));
    /// println!("{status}");
    /// ```
    pub fn status(&self) -> KernelBridgeStatus {
        self.shared.facts().status()
    }

    /// Waits until the bridge has ended: because it was stopped, or because its source has ended and all was
    /// moved, or because its target has ended.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # let queue = annulus::queue::MessageQueue::<Number>::with_defaults();
    /// let kernel = launched();
    /// let bridge = kernel.consume(&queue);
    /// queue.close();
    /// annulus::block_on(bridge.ended());
    /// ```
    pub async fn ended(&self) {
        self.shared.facts().until_ended().await;
    }

    /// [`ended`](Self::ended), blocking.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # let queue = annulus::queue::MessageQueue::<Number>::with_defaults();
    /// let kernel = launched();
    /// let bridge = kernel.consume(&queue);
    /// queue.close();
    /// bridge.ended_blocking();
    /// ```
    pub fn ended_blocking(&self) {
        block_on(self.ended());
    }

    /// [`ended_blocking`](Self::ended_blocking) for at most `limit`. Returns whether it has ended.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # let queue = annulus::queue::MessageQueue::<Number>::with_defaults();
    /// let kernel = launched();
    /// assert!(!kernel.consume(&queue).ended_timeout(std::time::Duration::ZERO));
    /// ```
    pub fn ended_timeout(&self, limit: Duration) -> bool {
        block_on_deadline(self.ended(), deadline(limit)).is_some()
    }

    /// Takes out the messages that the bridge held when it ended, in order: at most one batch. Before the
    /// end, the result is empty.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # let queue = annulus::queue::MessageQueue::<Number>::with_defaults();
    /// assert!(launched().consume(&queue).take_undelivered().is_empty());
    /// ```
    pub fn take_undelivered(&self) -> Vec<M> {
        if self.shared.facts().has_ended() { self.shared.take() } else { Vec::new() }
    }
}

impl Facts {
    /// After a batch: if this poll has moved many, lets the thread that runs it go on with its own work. Another one comes
    /// back to it soon: that of the alarms. Whoever has work for a bridge all the time would otherwise stay in it for ever:
    /// a worker, or a device's pump.
    async fn breathe(&self) {
        let polled = self.polled.load(Ordering::Relaxed) + 1;
        self.polled.store(polled, Ordering::Relaxed);
        if polled >= BATCHES {
            Until::after(PAUSE).await;
            self.polled.store(0, Ordering::Relaxed);
        }
    }

    async fn until_ended(&self) {
        while !self.has_ended() {
            let listener = self.end.listen();
            if self.has_ended() {
                return;
            }
            listener.await;
        }
    }

    fn has_ended(&self) -> bool {
        // SYNC: bridge-ended (acquire)
        self.ended.load(Ordering::Acquire)
    }

    /// Counts a batch that was delivered whole.
    fn count_batch(&self, cause: Cause) {
        let count = match cause {
            Cause::Count => &self.counts.by_count,
            Cause::Timer => &self.counts.by_timer,
            Cause::Close => &self.counts.by_close,
        };
        count.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts what became of one message that the target did not simply accept.
    fn count_outcome<T>(&self, outcome: &SendOutcome<T>) {
        let counts = &self.counts;
        let count = match outcome {
            SendOutcome::Accepted => return,
            SendOutcome::Evicted(_) => &counts.evicted,
            SendOutcome::Duplicate(_) => &counts.duplicate,
            _ => &counts.discarded,
        };
        count.fetch_add(1, Ordering::Relaxed);
    }

    fn status(&self) -> KernelBridgeStatus {
        let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let counts = &self.counts;
        KernelBridgeStatus {
            from: self.from.clone(),
            to: self.to.clone(),
            moved: count(&counts.moved),
            bytes: count(&counts.bytes),
            by_count: count(&counts.by_count),
            by_timer: count(&counts.by_timer),
            by_close: count(&counts.by_close),
            evicted: count(&counts.evicted),
            discarded: count(&counts.discarded),
            lost: count(&counts.lost),
            duplicate: count(&counts.duplicate),
            too_large: count(&counts.too_large),
            held: count(&self.holds),
            ended: self.has_ended(),
            at: Instant::now(),
        }
    }
}

impl<M> Clone for KernelBridge<M> {
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared), task: Arc::clone(&self.task) }
    }
}

impl<M> fmt::Debug for KernelBridge<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KernelBridge")
            .field("from", &self.shared.facts().from)
            .field("to", &self.shared.facts().to)
            .finish_non_exhaustive()
    }
}

/// The first of two futures that is ready; the other one is left where it is.
enum First<A, B> {
    A(A),
    B(B),
}

/// Waits until one of these events is notified. The others' notifications go on to who waits behind.
pub(crate) async fn any(mut listeners: Vec<Listener<'_>>) {
    poll_fn(|context| {
        let mut told = |listener: &mut Listener<'_>| Pin::new(listener).poll(context).is_ready();
        if listeners.iter_mut().any(&mut told) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

/// Polls both until one is ready.
async fn first<A: Future, B: Future>(mut a: Pin<&mut A>, mut b: Pin<&mut B>) -> First<A::Output, B::Output> {
    poll_fn(|context| {
        if let Poll::Ready(ready) = a.as_mut().poll(context) {
            return Poll::Ready(First::A(ready));
        }
        b.as_mut().poll(context).map(First::B)
    })
    .await
}
