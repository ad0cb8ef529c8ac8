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
//! | `waits_for` | whoever polls: the target that has no room, while the bridge waits for that | anybody, for people |
//! | its entry in the [vitals file](annulus_abi::vitals::bridges) | whoever polls, after each poll, and at the end | other processes |
//! | `polled` | whoever polls | the same |
//! | `stop` | anybody, once | whoever polls |
//! | `transit`, whether something is on the way ([`annulus_sync::transit`]) | whoever polls | whoever waits until a target is drained |
//! | `holds`, how many messages are held | whoever polls; after the end whoever takes them out | anybody |
//! | `ended` | whoever polls, once (`SYNC: bridge-ended`) | anybody |
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

use annulus_abi::vitals::{
    bridges::{BridgeCounts, BridgeEntry, name_field},
    text,
};
use annulus_queue::SendOutcome;
use annulus_sync::{
    AtomicBool, AtomicU64, AtomicUsize, Ordering,
    event::{Event, Listener},
    transit::Transit,
    wait::{block_on, block_on_deadline},
};

pub(crate) mod carry;
mod consume;
pub(crate) mod look;
mod port;
pub(crate) mod publish;
mod status;
pub(crate) mod task;
pub(crate) mod upstream;

pub use status::{BridgeOptions, KernelBridgeRates, KernelBridgeStatus};
use task::Task;

use crate::{
    bridge::look::{BridgeKind, BridgeLook, BridgeTarget},
    kernel::shared::KernelShared,
    time::deadline,
    vitals::BridgePlace,
    within::Until,
};

/// The most messages of a batch. Source: this project's choice; a batch has its room from the beginning.
pub(crate) const MOST_MESSAGES: usize = 65_536;
/// What stands for the name of a queue that has none.
const UNNAMED: &str = "(unnamed)";
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
    facts: Arc<Facts>,
    held: Mutex<H>,
}

/// From where a bridge leads, and to what.
struct Route {
    from: String,
    to: String,
    kind: BridgeKind,
    /// The number of the outbox that it leads from, of a source with several.
    outbox: Option<usize>,
    /// The kernels whose room it may wait for, or one that is none for a queue.
    targets: Vec<Target>,
}

/// A kernel that a bridge leads to, as observers know it.
#[derive(Clone, Copy, Default)]
struct Target {
    /// Inside the process: the number of its launch.
    launch: u64,
    /// Outside: [`Home::told`](crate::vitals::Home::told).
    told: [u64; 2],
}

/// What is the same of all bridges.
pub(crate) struct Facts {
    /// Which no other bridge of the process has.
    number: u64,
    /// When it began, on the clock of the runtime that it stands with.
    began: u64,
    route: Route,
    /// The number of the target, from 1, whose room it waits for; else 0.
    waits_for: AtomicUsize,
    options: BridgeOptions,
    counts: Counts,
    /// How many messages are held. They are under a lock under which a target's alerts, and wakers, may run; these may
    /// ask for the status, which therefore takes no lock.
    holds: AtomicU64,
    /// Batches that the poll under way has moved.
    polled: AtomicU64,
    /// Whether something is on the way over it.
    transit: Transit,
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
    /// One that holds what `held` makes for batches of so many messages, and is shown with this kernel.
    fn new(
        kernel: &KernelShared,
        route: Route,
        options: BridgeOptions,
        held: impl FnOnce(usize) -> H,
    ) -> Arc<Self> {
        static NUMBER: AtomicU64 = AtomicU64::new(1);
        let messages = options.messages.clamp(1, MOST_MESSAGES);
        let held = held(messages);
        let facts = Facts {
            number: NUMBER.fetch_add(1, Ordering::Relaxed),
            began: kernel.core.clock.now(),
            route,
            waits_for: AtomicUsize::new(0),
            options: BridgeOptions { messages, ..options },
            counts: Counts::default(),
            holds: AtomicU64::new(0),
            polled: AtomicU64::new(0),
            transit: Transit::new(),
            stop: AtomicBool::new(false),
            ended: AtomicBool::new(false),
            end: Event::new(),
        };
        let facts = Arc::new(facts);
        kernel.bridges.list(&facts);
        Arc::new(Self { facts, held: Mutex::new(held) })
    }

    /// Works from now on, until it is stopped.
    fn start(
        self: Arc<Self>,
        kernel: &KernelShared,
        work: impl Future<Output = ()> + Send + 'static,
    ) -> Arc<Task>
    where
        H: 'static,
    {
        let mut place = kernel.core.home.as_ref().and_then(|home| home.bridge_place());
        self.facts.show(&mut place);
        Task::start(async move {
            // Also if the work panics: keys and ids of messages are code of the program.
            let mut end = End { facts: &self.facts, place };
            let mut work = pin!(work);
            poll_fn(|context| {
                self.facts.polled.store(0, Ordering::Relaxed);
                if self.facts.stop.load(Ordering::Relaxed) {
                    return Poll::Ready(());
                }
                self.facts.transit.begin();
                let polled = work.as_mut().poll(context);
                end.facts.show(&mut end.place);
                self.facts.transit.pause(self.facts.holds.load(Ordering::Relaxed) != 0);
                polled
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

/// At the end of this, the bridge has ended. Until then it is shown to other processes.
struct End<'a> {
    facts: &'a Facts,
    place: Option<BridgePlace>,
}

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.facts.waits_for.store(0, Ordering::Relaxed);
        self.facts.show(&mut self.place);
        // Who is told that it has ended finds its last counts in the file.
        self.place = None;
        // SYNC: bridge-ended (release)
        self.facts.ended.store(true, Ordering::Release);
        self.facts.end.notify_all();
        self.facts.transit.end();
    }
}

impl Target {
    fn of(kernel: &KernelShared) -> Self {
        let told = kernel.core.home.as_ref().map_or([0; 2], crate::vitals::Home::told);
        Self { launch: kernel.number(), told }
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
    /// One that holds messages of this type, and is shown with this kernel.
    fn of<F: Future<Output = ()> + Send + 'static>(
        kernel: &KernelShared,
        route: Route,
        options: BridgeOptions,
        work: impl FnOnce(Arc<Shared<Held<M>>>) -> F,
    ) -> Self {
        let shared = Shared::new(kernel, route, options, Held::new);
        let task = Arc::clone(&shared).start(kernel, work(Arc::clone(&shared)));
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

    /// Waits for this, which tells of room in a target. That one is shown meanwhile, by its number from 0.
    async fn wait_for<T>(&self, target: usize, room: impl Future<Output = T>) -> T {
        let mut room = pin!(room);
        poll_fn(|context| {
            let polled = room.as_mut().poll(context);
            // Not before the first poll: a queue that has room takes the message at once.
            let waits_for = if polled.is_pending() { target + 1 } else { 0 };
            if self.waits_for.load(Ordering::Relaxed) != waits_for {
                self.waits_for.store(waits_for, Ordering::Relaxed);
            }
            polled
        })
        .await
    }

    /// The target whose room it waits for.
    fn waits_for(&self) -> Option<Target> {
        let number = self.waits_for.load(Ordering::Relaxed).checked_sub(1)?;
        self.route.targets.get(number).copied()
    }

    /// What it has done so far.
    fn counts(&self) -> BridgeCounts {
        let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let counts = &self.counts;
        BridgeCounts {
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
        }
    }

    fn status(&self) -> KernelBridgeStatus {
        // Asked first: after the end nothing changes, but for what is taken out.
        let ended = self.has_ended();
        let counts = self.counts();
        KernelBridgeStatus {
            from: self.route.from.clone(),
            to: self.route.to.clone(),
            moved: counts.moved,
            bytes: counts.bytes,
            by_count: counts.by_count,
            by_timer: counts.by_timer,
            by_close: counts.by_close,
            evicted: counts.evicted,
            discarded: counts.discarded,
            lost: counts.lost,
            duplicate: counts.duplicate,
            too_large: counts.too_large,
            held: counts.held,
            ended,
            at: Instant::now(),
        }
    }

    /// Shows to other processes what it has done.
    fn show(&self, place: &mut Option<BridgePlace>) {
        if let Some(place) = place {
            let waits_for = self.waits_for().map(|target| target.told);
            place.show(|| self.described(), self.counts(), waits_for);
        }
    }

    /// What an observer inside the process finds of it: the same as one outside.
    fn look(&self) -> BridgeLook {
        let has_ended = self.has_ended();
        let waits_for = self.waits_for().filter(|_| !has_ended);
        let Route { from, to, kind, outbox, .. } = &self.route;
        let shown = |name: &str| text(&name_field(name)).to_owned();
        BridgeLook {
            number: self.number,
            from: shown(from),
            to: shown(to),
            kind: *kind,
            outbox: outbox.map(|outbox| outbox as u32),
            began: self.began,
            counts: self.counts(),
            has_ended,
            waits_for: waits_for.map(|target| BridgeTarget { runtime: 0, kernel: target.launch }),
        }
    }

    /// How it stands in a vitals file, before it has done anything.
    fn described(&self) -> BridgeEntry {
        let Route { from, to, kind, outbox, .. } = &self.route;
        BridgeEntry {
            state: 0,
            reserved: 0,
            counts: BridgeCounts::default(),
            waits: 0,
            waits_runtime: 0,
            waits_kernel: 0,
            changing: 0,
            number: self.number,
            kernel: 0,
            began: self.began,
            kind: kind.word(),
            outbox: outbox.map_or(0, |outbox| outbox as u32 + 1),
            from: name_field(from),
            to: name_field(to),
            constant: [0; 11],
            check: 0,
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
            .field("from", &self.shared.facts().route.from)
            .field("to", &self.shared.facts().route.to)
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
