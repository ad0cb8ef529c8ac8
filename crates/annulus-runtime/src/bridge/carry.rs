//! From a kernel into others, of this runtime or of others: from device to device.
//!
//! # A message's way
//!
//! ```text
//!  a block of the source ─▶ outbound ring ─▶ [ the bridge: one batch ] ─▶ inbound ring ─▶ a block of the target
//!      on its device          host memory       whoever polls its task      host memory      on its device
//! ```
//!
//! The bridge takes outputs as a receiver does, and sends them as the host does. So a message of a bridge meets what
//! a message of the host meets: queues in front of the rings, their policies, a closed kernel. It needs nothing of
//! the two kernels: neither is launched in a special way, and both may be active.
//!
//! Outputs become messages of a target when they are taken: they are copied, or put into the variant that takes
//! them. So what waits lies as the target's queues take it, one message behind the other.
//!
//! # Several targets
//!
//! To *each* of them: each has its own copy of the batch, and its own count of what it has taken. All are tried before
//! the bridge waits for those that are full. A batch is delivered when each target has taken it; so the slowest one
//! sets the pace, and holds one batch of all. A target that has ended is left out, and what it had not taken is counted
//! as discarded. When all have ended, the bridge ends, and what the last one had not taken is held.
//!
//! To *any* of them: there is one batch. It goes to the target with the fewest messages waiting, and what that one has
//! no room for to the next. The bridge waits when all are full, for the first that has room. What it holds when all
//! have ended, nobody has taken.
//!
//! To the one that has its *key*: each target has a batch of its own part. A batch ends when the parts together have as
//! many messages; one that waits holds up the others when its part and theirs make a batch.

use std::{
    marker::PhantomData,
    mem::MaybeUninit,
    sync::{Arc, Mutex, PoisonError, Weak},
    time::Duration,
};

use annulus_abi::{ring::kind, vitals::bridges::BridgeCounts};
use annulus_kernel::{Accepts, Inside, RingKernel, RingMessage, TypeDescriptor};
use annulus_queue::{Backpressure, TryRecvError, front::Fate};
use annulus_ring::ring::{Consumer, Refused};
use annulus_sync::{AtomicUsize, Ordering, event::Event, transit::Transit, wait::block_on_deadline};

use crate::{
    bridge::{
        BridgeOptions, Cause, Facts, Hold, KernelBridge, KernelBridgeStatus, MOST_MESSAGES, Route, Shared,
        Target, Work, any,
        look::{BridgeKind, BridgeLook},
        publish::fill,
        task::Task,
        upstream::Feeder,
    },
    error::ConnectError,
    group::{KernelGroup, member_of_key},
    handle::KernelHandle,
    kernel::{
        bytes::{Aligned, Bytes},
        outbound::{Destination, TakeRun},
        shared::KernelShared,
    },
    links::connect::check_backpressure,
    stamps::note_stamp,
    time::deadline,
    traces::TraceContext,
};

/// # Bridges to other kernels
///
/// A link ([`connect`](Self::connect)) leads to a kernel of the same runtime, and stays on the device. A bridge leads to
/// any kernel of the process.
impl<K: RingKernel> KernelHandle<K> {
    /// From now on, the outputs of this kernel are messages of `target`, which may run on another runtime, and so on
    /// another device. [`bridge_to_with`](Self::bridge_to_with) with the default options, under Block.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let (here, there) = (Runtime::builder().build()?, Runtime::builder().build()?);
    /// let first = double::launch(&here, LaunchOptions::production())?;
    /// let second = double::launch(&there, LaunchOptions::production())?;
    /// first.bridge_to(&second)?;
    /// let _ = first.send_blocking(Number { value: 10 })?;
    /// assert_eq!(second.recv_blocking()?, Number { value: 40 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`bridge_to_with`](Self::bridge_to_with).
    pub fn bridge_to<T: RingKernel<Message: Accepts<K::Output>>>(
        &self,
        target: &KernelHandle<T>,
    ) -> Result<KernelBridge<K::Output>, ConnectError> {
        self.bridge_to_with(target, BridgeOptions::default(), Backpressure::Block)
    }

    /// Moves the outputs of this kernel into `target`, each shard's in order, until the kernel has terminated and all
    /// its outputs are moved, or until `target` is closed. Replies to calls are not outputs, and go to their callers.
    /// Outputs that were connected to another kernel go there.
    ///
    /// `target` takes them as messages of the host: in its queues, with their priorities, deduplication and expiry. It
    /// may take them in a variant of its messages that is marked `#[ring(from)]`. Neither kernel need be connectable
    /// or inactive.
    ///
    /// Under Block the bridge waits while `target` has no room. Outputs then stay in the outbound rings of this
    /// kernel, except those of one batch, and its shards stall when the rings are full: their
    /// [status](crate::KernelStatus::stall) says whom they wait for. Under Reject, an output that finds no room is
    /// lost, and counted by the bridge as discarded and by `target` as rejected.
    ///
    /// Several bridges may lead into one kernel. If several lead from one kernel, each output goes over one of them,
    /// whichever comes first; one whose target has no room takes no more. [`bridge_to_any`](Self::bridge_to_any)
    /// spreads the outputs, and [`bridge_to_all`](Self::bridge_to_all) sends each output to all.
    ///
    /// The bridge has no thread: whoever reports that this kernel has outputs, or that `target` has room, moves what
    /// is there. On the CPU it costs nothing while nothing flows. On devices the runtime's pump watches the kernel
    /// while somebody waits for outputs, as a receiver does. The bridge keeps neither kernel running.
    /// [`drained`](crate::KernelControl::drained) of `target` looks over it, to this kernel. [Stamps](crate::LaunchOptions::causal)
    /// do not cross from runtime to runtime: each has a clock of its own. Traces do.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::{Backpressure, BridgeOptions};
    /// use std::time::Duration;
    /// # let (here, there) = (Runtime::builder().build()?, Runtime::builder().build()?);
    /// let first = double::launch(&here, LaunchOptions::production())?;
    /// let second = double::launch(&there, LaunchOptions::production())?;
    /// let bridge = first.bridge_to_with(&second, BridgeOptions::new().messages(8), Backpressure::Block)?;
    /// first.send_batch_blocking(&numbers(0..100))?;
    /// // The source first, then the bridge, then the target: nothing is lost.
    /// first.shutdown_blocking(Duration::from_secs(60));
    /// bridge.ended_blocking();
    /// second.shutdown_blocking(Duration::from_secs(60));
    /// assert_eq!((bridge.status().moved, second.status().processed), (100, 100));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ConnectError::SeveralOutboxes`] if the handler has several: [`Port::bridge_to`](crate::Port::bridge_to) is for
    /// each of them. [`ConnectError::Backpressure`] for another one than Block and Reject. [`ConnectError::BatchSize`] if batches
    /// would have no messages, or too many. [`ConnectError::AsksOverBridge`] if the outbox asks. [`ConnectError::Terminated`] if `target` has.
    pub fn bridge_to_with<T: RingKernel<Message: Accepts<K::Output>>>(
        &self,
        target: &KernelHandle<T>,
        options: BridgeOptions,
        backpressure: Backpressure,
    ) -> Result<KernelBridge<K::Output>, ConnectError> {
        bridge((self, None), &[target], Spread::All, options, backpressure)
    }

    /// Moves each output of this kernel to one of these kernels, without keys: to the one with the fewest messages
    /// waiting, or if that has no room to another. So work spreads over several devices. See
    /// [`bridge_to_with`](Self::bridge_to_with). Under Reject, an output for which none has room is lost.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::{Backpressure, BridgeOptions};
    /// # use std::time::Duration;
    /// let runtimes = [Runtime::builder().build()?, Runtime::builder().build()?];
    /// let source = double::launch(&runtimes[0], LaunchOptions::production())?;
    /// let targets = [
    ///     double::launch(&runtimes[0], LaunchOptions::production().name("first"))?,
    ///     double::launch(&runtimes[1], LaunchOptions::production().name("second"))?,
    /// ];
    /// let options = BridgeOptions::new().messages(8);
    /// let bridge = source.bridge_to_any(&targets, options, Backpressure::Block)?;
    /// source.send_batch_blocking(&numbers(0..100))?;
    /// source.shutdown_blocking(Duration::from_secs(60));
    /// bridge.ended_blocking();
    /// let sent: u64 = targets.iter().map(|target| target.status().sent).sum();
    /// assert_eq!(sent, 100);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`bridge_to_all`](Self::bridge_to_all); [`ConnectError::KeyedTargets`] if they take messages with a key:
    /// a [`KernelGroup`](crate::KernelGroup) shares actors out.
    pub fn bridge_to_any<'t, T: RingKernel<Message: Accepts<K::Output>>>(
        &self,
        targets: impl IntoIterator<Item = &'t KernelHandle<T>>,
        options: BridgeOptions,
        backpressure: Backpressure,
    ) -> Result<KernelBridge<K::Output>, ConnectError> {
        bridge((self, None), &Vec::from_iter(targets), Spread::Any, options, backpressure)
    }

    /// Moves the outputs of this kernel to all of these kernels, each of which gets each output: a broadcast. See
    /// [`bridge_to_with`](Self::bridge_to_with). The slowest of them sets the pace. One that has ended is left out.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::{Backpressure, BridgeOptions};
    /// let runtimes = [Runtime::builder().build()?, Runtime::builder().build()?];
    /// let source = double::launch(&runtimes[0], LaunchOptions::production())?;
    /// let targets = [
    ///     double::launch(&runtimes[0], LaunchOptions::production().name("first"))?,
    ///     double::launch(&runtimes[1], LaunchOptions::production().name("second"))?,
    /// ];
    /// source.bridge_to_all(&targets, BridgeOptions::new(), Backpressure::Block)?;
    /// let _ = source.send_blocking(Number { value: 10 })?;
    /// for target in &targets {
    ///     assert_eq!(target.recv_blocking()?, Number { value: 40 });
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`bridge_to_with`](Self::bridge_to_with); [`ConnectError::NoTarget`] without kernels.
    pub fn bridge_to_all<'t, T: RingKernel<Message: Accepts<K::Output>>>(
        &self,
        targets: impl IntoIterator<Item = &'t KernelHandle<T>>,
        options: BridgeOptions,
        backpressure: Backpressure,
    ) -> Result<KernelBridge<K::Output>, ConnectError> {
        bridge((self, None), &Vec::from_iter(targets), Spread::All, options, backpressure)
    }
}

/// # Bridges to groups
impl<K: RingKernel> KernelHandle<K> {
    /// Moves the outputs of this kernel into the members of a group, shared out as messages that are
    /// [sent](crate::KernelGroup::send) to it: each to the member that has its actor, or without a key to
    /// [any](Self::bridge_to_any) of them. What is for a member that has ended is discarded, and counted. Members that
    /// recognise duplicates of messages without a key know each its own alone. See
    /// [`bridge_to_with`](Self::bridge_to_with).
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::{Backpressure, BridgeOptions, KernelGroup};
    /// # use std::time::Duration;
    /// let runtimes = [Runtime::builder().build()?, Runtime::builder().build()?];
    /// let source = double::launch(&runtimes[0], double::options())?;
    /// let members = runtimes.iter().map(|runtime| double::launch(runtime, double::options().name("member")));
    /// let group = KernelGroup::new(members.collect::<Result<Vec<_>, _>>()?)?;
    /// let bridge = source.bridge_to_group(&group, BridgeOptions::new(), Backpressure::Block)?;
    /// source.send_batch_blocking(&numbers(0..10))?;
    /// source.shutdown_blocking(Duration::from_secs(60));
    /// bridge.ended_blocking();
    /// group.drained_blocking();
    /// assert_eq!((0..10).filter(|_| group.try_recv().is_ok()).count(), 10);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`bridge_to_with`](Self::bridge_to_with).
    pub fn bridge_to_group<T: RingKernel<Message: Accepts<K::Output>>>(
        &self,
        group: &KernelGroup<T>,
        options: BridgeOptions,
        backpressure: Backpressure,
    ) -> Result<KernelBridge<K::Output>, ConnectError> {
        let members: Vec<_> = group.members().iter().collect();
        bridge((self, None), &members, group.spread(), options, backpressure)
    }
}

/// To which of several targets each output goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spread {
    All,
    Any,
    /// To the one that has its key, of so many.
    Keyed {
        actors: u64,
    },
}

/// A bridge of what an outbox of a kernel sends, or the kernel if it has no number.
pub(crate) fn bridge<K: RingKernel, T: RingKernel<Message: Accepts<O>>, O: RingMessage>(
    (source, port): (&KernelHandle<K>, Option<usize>),
    targets: &[&KernelHandle<T>],
    spread: Spread,
    options: BridgeOptions,
    backpressure: Backpressure,
) -> Result<KernelBridge<O>, ConnectError> {
    let targets =
        targets.iter().map(|target| (Arc::clone(target.shared_arc()), T::Message::VARIANT)).collect();
    // SAFETY: the outbox sends outputs of this type, which are messages of each target or a variant of them, by the
    // handles' types.
    let (crossing, task) = unsafe {
        Crossing::start((source.shared_arc(), port), targets, spread, false, options, backpressure)
    }?;
    Ok(KernelBridge { shared: Arc::new(Carried(crossing, PhantomData)), task })
}

/// A bridge from a kernel to others.
pub(crate) struct Crossing {
    shared: Arc<Shared<Freight>>,
    /// The outbox's number, if the source has several.
    port: Option<usize>,
    targets: Box<[Arc<KernelShared>]>,
    spread: Spread,
    /// Whether it goes on taking outputs when all targets have ended, and loses them, as a link does.
    goes_on: bool,
    /// Whether outputs without room are lost.
    rejects: bool,
    /// To which target it turns first, of several that are equal.
    next: AtomicUsize,
}

/// A crossing whose source sends outputs of type `O`.
struct Carried<O>(Arc<Crossing>, PhantomData<fn() -> O>);

/// How many bridges of a kernel that have ended are remembered. Source: this project's choice: an observer that looks from
/// time to time finds their last counts.
const REMEMBERED: usize = 16;

/// The bridges of a kernel.
#[derive(Default)]
pub(crate) struct Bridges {
    /// Those that lead from it to other kernels.
    crossings: Mutex<Vec<Weak<Crossing>>>,
    /// Those that lead from other kernels to it.
    pub(super) feeders: Mutex<Vec<Feeder>>,
    /// What is known of these, and of those from it to queues and from queues to it; in the order in which they began.
    known: Mutex<Vec<Arc<Facts>>>,
}

impl Bridges {
    /// With one more, which is about to work.
    pub(super) fn list(&self, bridge: &Arc<Facts>) {
        // The list is whole between any two statements.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let ended = known.iter().filter(|bridge| bridge.has_ended()).count();
        let mut forgotten = ended.saturating_sub(REMEMBERED - 1);
        known.retain(|bridge| {
            let is_forgotten = forgotten != 0 && bridge.has_ended();
            forgotten -= usize::from(is_forgotten);
            !is_forgotten
        });
        known.push(Arc::clone(bridge));
    }

    /// What observers find of them: of those that work, and of the last ones that have ended.
    pub(crate) fn looks(&self) -> Vec<BridgeLook> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).iter().map(|bridge| bridge.look()).collect()
    }

    /// The kernels that they lead to.
    pub(crate) fn targets(&self) -> Vec<Arc<KernelShared>> {
        self.all().iter().flat_map(|bridge| bridge.targets.iter().cloned()).collect()
    }

    /// Those to other kernels that have not ended.
    fn all(&self) -> Vec<Arc<Crossing>> {
        let mut all: Vec<_> = {
            // The list is whole between any two statements.
            let mut bridges = self.crossings.lock().unwrap_or_else(PoisonError::into_inner);
            bridges.retain(|bridge| bridge.strong_count() != 0);
            bridges.iter().filter_map(Weak::upgrade).collect()
        };
        // One may go, and its targets with it: not under the lock.
        all.retain(|bridge| !bridge.shared.facts.has_ended());
        all
    }

    fn add(&self, bridge: &Arc<Crossing>) {
        self.crossings.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(bridge));
    }

    /// What they have done so far.
    pub(crate) fn statuses(&self) -> Vec<KernelBridgeStatus> {
        self.all().iter().map(|bridge| bridge.status()).collect()
    }

    /// The kernels that they wait for, if nobody else receives what the kernel sends: of several outboxes, each of those
    /// in `to_host` needs a bridge.
    pub(crate) fn waited_for(&self, mut to_host: impl Iterator<Item = usize>) -> Vec<Arc<KernelShared>> {
        let bridges = self.all();
        let is_bridged = |port| bridges.iter().any(|bridge| bridge.port.unwrap_or(0) == port);
        if bridges.is_empty() || !to_host.all(is_bridged) {
            return Vec::new();
        }
        bridges.iter().filter_map(|bridge| bridge.waited_for()).collect()
    }
}

impl Crossing {
    /// # Safety
    ///
    /// What the source sends by this outbox, or the source if there is no number, is the message of each target, or
    /// what the variant with its number holds. If each output goes to any of them, these numbers are the same.
    pub(crate) unsafe fn start(
        (source, port): (&Arc<KernelShared>, Option<usize>),
        targets: Vec<(Arc<KernelShared>, Option<usize>)>,
        spread: Spread,
        goes_on: bool,
        options: BridgeOptions,
        backpressure: Backpressure,
    ) -> Result<(Arc<Self>, Arc<Task>), ConnectError> {
        let definition = source.core.definition;
        let kernel = || source.core.name.clone();
        if port.is_none() && !definition.ports.is_empty() {
            return Err(ConnectError::SeveralOutboxes { kernel: kernel() });
        }
        if let Some(asks) = definition.ports.get(port.unwrap_or(0)).filter(|port| port.ask.is_some()) {
            return Err(ConnectError::AsksOverBridge { kernel: kernel(), outbox: asks.name });
        }
        check_backpressure(backpressure)?;
        if !(1..=MOST_MESSAGES).contains(&options.messages) {
            let (messages, most) = (options.messages, MOST_MESSAGES);
            return Err(ConnectError::BatchSize { kernel: kernel(), messages, most });
        }
        if targets.is_empty() {
            return Err(ConnectError::NoTarget { kernel: kernel() });
        }
        if let Some((ended, _)) = targets.iter().find(|(target, _)| target.is_ending()) {
            return Err(ConnectError::Terminated { kernel: ended.core.name.clone() });
        }
        let keyed = targets.iter().find(|(target, _)| target.core.definition.key.is_some());
        if let (Spread::Any, Some((target, _)), true) = (spread, keyed, targets.len() > 1) {
            return Err(ConnectError::KeyedTargets { source: kernel(), target: target.core.name.clone() });
        }
        let output = port.map_or(definition.output, |port| Some(definition.ports[port].output));
        let output = output.expect("a kernel that sends has an output's type");
        let freight = |most| {
            let lanes = targets.iter().map(|(target, variant)| {
                let message = target.core.definition.message;
                let inside = variant.map(|variant| Inside::of(message, variant).expect("`Accepts` says so"));
                Lane::new(message, inside, most)
            });
            let lanes = match spread {
                Spread::All | Spread::Keyed { .. } => lanes.collect(),
                Spread::Any => lanes.take(1).collect(),
            };
            let ended = targets.iter().map(|_| false).collect();
            let keys = match (spread, targets[0].0.core.definition.key) {
                (Spread::Keyed { actors }, Some(key)) => Some((key, actors)),
                _ => None,
            };
            Freight { output: output.size, lanes, ended, keys }
        };
        let names: Vec<_> = targets.iter().map(|(target, _)| target.core.name.as_str()).collect();
        let route = Route {
            from: kernel(),
            to: names.join(", "),
            kind: BridgeKind::ToKernels,
            outbox: port,
            targets: targets.iter().map(|(target, _)| Target::of(target)).collect(),
        };
        let shared = Shared::new(source, route, options, freight);
        let crossing = Arc::new(Self {
            shared,
            port,
            targets: targets.into_iter().map(|(target, _)| target).collect(),
            spread,
            goes_on,
            rejects: backpressure == Backpressure::Reject,
            next: AtomicUsize::new(0),
        });
        source.bridges.add(&crossing);
        let (its, carried) = (Arc::clone(&crossing), Arc::clone(source));
        let task = Arc::clone(&crossing.shared).start(source, async move { its.carry(&carried).await });
        for target in &crossing.targets {
            target.bridges.add_feeder(source, &crossing, &task);
        }
        Ok((crossing, task))
    }

    /// Waits until it has ended, for at most `limit`. Returns whether it has.
    pub(crate) fn ended_within(&self, limit: Duration) -> bool {
        block_on_deadline(self.shared.facts.until_ended(), deadline(limit)).is_some()
    }

    /// Ends it. Its task is this one.
    pub(crate) fn stop(&self, task: &Arc<Task>) {
        self.shared.facts.stop.store(true, Ordering::Relaxed);
        task.run();
    }

    /// What it has done so far.
    pub(crate) fn status(&self) -> KernelBridgeStatus {
        self.shared.facts.status()
    }

    pub(crate) async fn until_ended(&self) {
        self.shared.facts.until_ended().await;
    }

    /// Its number among all bridges of the process.
    pub(crate) fn number(&self) -> u64 {
        self.shared.facts.number
    }

    pub(super) fn has_ended(&self) -> bool {
        self.shared.facts.has_ended()
    }

    pub(super) fn transit(&self) -> &Transit {
        &self.shared.facts.transit
    }

    /// Notified at its end.
    pub(super) fn end(&self) -> &Event {
        &self.shared.facts.end
    }

    /// The outbox that it leads from, of a source with several.
    pub(super) fn port(&self) -> Option<usize> {
        self.port
    }

    /// What it has done: something of it has changed if it has taken a message.
    pub(super) fn done(&self) -> BridgeCounts {
        self.shared.facts.counts()
    }

    async fn carry(&self, source: &KernelShared) {
        let mut pile = Pile::new(self.shared.held().output, source.core.traced.is_some());
        let is_closed = || self.targets.iter().all(|target| target.is_lane_closed(0));
        let facts = &self.shared.facts;
        let closed: Vec<_> = self.targets.iter().map(|target| &target.core.closed).collect();
        loop {
            let take = || self.take(source, &mut pile);
            let Some(cause) = fill(source, facts, is_closed, &closed, take).await else { break };
            if !self.deliver().await {
                break;
            }
            facts.count_batch(cause);
            if cause == Cause::Close && !is_closed() {
                break;
            }
            facts.breathe().await;
        }
        if self.goes_on && is_closed() {
            self.lose_all(source, &mut pile).await;
        }
        // It may have been woken for an output that it has not taken.
        source.core.ready.notify(1);
    }

    /// When all targets have ended: takes what comes until the source has terminated, so that this does not stall, and counts
    /// it as lost.
    async fn lose_all(&self, source: &KernelShared, pile: &mut Pile) {
        let facts = &self.shared.facts;
        let lose = |pile: &mut Pile| {
            // SAFETY: as in `take`.
            let taken = unsafe { pile.take(source, self.port, facts.options.messages) };
            facts.counts.lost.fetch_add(pile.count as u64, Ordering::Relaxed);
            let count = pile.count;
            pile.clear();
            (count, taken)
        };
        let held = self.shared.held().forget();
        facts.counts.lost.fetch_add(held, Ordering::Relaxed);
        let never = || false;
        while fill(source, facts, never, &[], || lose(pile)).await.is_some() {
            facts.breathe().await;
        }
    }

    /// Takes what is there now, up to a full batch. Returns how many are held, and what was found.
    fn take(&self, source: &KernelShared, pile: &mut Pile) -> (usize, Result<usize, TryRecvError>) {
        // Only this adds to what is held.
        let room = self.shared.facts.options.messages - self.shared.held().len();
        // It may wake receivers, whose wakers may ask for the bridge's status: not under its lock.
        // SAFETY: the pile takes outputs of this size, and what it holds is used as outputs of this outbox.
        let taken = unsafe { pile.take(source, self.port, room) };
        let mut held = self.shared.held();
        let lost = held.load(pile);
        self.shared.facts.counts.discarded.fetch_add(lost, Ordering::Relaxed);
        pile.clear();
        (held.len(), taken)
    }

    /// Sends what is held, waiting for space; false if no target takes any more.
    async fn deliver(&self) -> bool {
        loop {
            let full: Vec<_> =
                self.in_turn().filter_map(|number| Some((number, self.attempt(number).full()?.1))).collect();
            if self.shared.held().is_nobodys() {
                return false;
            }
            if self.shared.held().len() == 0 {
                return true;
            }
            // To each: these lack something. To any: all are full.
            let events =
                || full.iter().map(|&(number, shard)| (number, self.targets[number].space(0, shard)));
            let listeners: Vec<_> = events().map(|(_, event)| Event::listen(event)).collect();
            let mut has_moved = false;
            for &(number, _) in &full {
                has_moved |= self.attempt(number).full().is_none_or(|(sent, _)| sent != 0);
            }
            if has_moved {
                continue;
            }
            let Some(&(first, _)) = full.first() else { continue };
            if self.rejects {
                self.lose(first);
                continue;
            }
            let waiting: Vec<_> = events()
                .map(|(number, _)| {
                    self.targets[number].core.expect();
                    self.targets[number].wait_for_space()
                })
                .collect();
            self.shared.facts.wait_for(first, any(listeners)).await;
            drop(waiting);
        }
    }

    /// The numbers of the targets, in the order in which they are tried.
    fn in_turn(&self) -> impl Iterator<Item = usize> {
        let mut numbers: Vec<_> = (0..self.targets.len()).collect();
        if self.spread == Spread::Any && numbers.len() > 1 {
            let start = self.next.fetch_add(1, Ordering::Relaxed) % numbers.len();
            numbers.rotate_left(start);
            // Of equal ones, the order stays. Looked at once each, since they change.
            numbers.sort_by_cached_key(|&number| self.targets[number].pending());
        }
        numbers.into_iter()
    }

    /// Sends to one target as much of its batch as it takes now.
    fn attempt(&self, number: usize) -> Attempt {
        let (target, facts) = (&self.targets[number], &self.shared.facts);
        let lane = self.lane_of(number);
        let mut held = self.shared.held();
        let mut all = 0;
        loop {
            if held.ended[number] {
                return Attempt::Done;
            }
            let Some(run) = held.lanes[lane].run() else { return Attempt::Done };
            let mut fates = Fates::default();
            // SAFETY: the lane's rows are messages of this target, aligned and one behind the other.
            let (taken, refused) = unsafe { run.offer(target, &mut |fate| fates.count(fate)) };
            let size = target.core.message_size() as u64;
            held.lanes[lane].first += taken;
            all += taken;
            let moved = taken as u64 - fates.discarded - fates.duplicate;
            let counts = &facts.counts;
            for (count, more) in [
                (&counts.moved, moved),
                (&counts.bytes, moved * size),
                (&counts.evicted, fates.evicted),
                (&counts.discarded, fates.discarded),
                (&counts.duplicate, fates.duplicate),
            ] {
                count.fetch_add(more, Ordering::Relaxed);
            }
            match refused {
                None => {}
                Some((Refused::Full, shard)) => return Attempt::Full { sent: all, shard },
                Some((Refused::Closed, _)) => {
                    let lost = held.end(number, lane);
                    counts.discarded.fetch_add(lost, Ordering::Relaxed);
                    return Attempt::Done;
                }
            }
        }
    }

    /// The lane of a target's batch.
    fn lane_of(&self, number: usize) -> usize {
        match self.spread {
            Spread::All | Spread::Keyed { .. } => number,
            Spread::Any => 0,
        }
    }

    /// The next message for this target finds no room, and is lost.
    fn lose(&self, number: usize) {
        self.targets[number].refused(0);
        self.shared.held().lanes[self.lane_of(number)].first += 1;
        self.shared.facts.counts.discarded.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn waited_for(&self) -> Option<Arc<KernelShared>> {
        let number = self.shared.facts.waits_for.load(Ordering::Relaxed).checked_sub(1)?;
        Some(Arc::clone(&self.targets[number]))
    }
}

/// How far a delivery got.
enum Attempt {
    Done,
    /// This many were sent; the next one waits for space in a shard.
    Full {
        sent: usize,
        shard: usize,
    },
}

impl Attempt {
    /// If the target is full: how many were sent before, and the shard.
    fn full(self) -> Option<(usize, usize)> {
        match self {
            Self::Done => None,
            Self::Full { sent, shard } => Some((sent, shard)),
        }
    }
}

/// What became of messages that were not simply queued.
#[derive(Default)]
struct Fates {
    evicted: u64,
    discarded: u64,
    duplicate: u64,
}

impl Fates {
    fn count(&mut self, fate: Fate) {
        match fate {
            Fate::Evicted => self.evicted += 1,
            Fate::Duplicate => self.duplicate += 1,
            Fate::Discarded | Fate::Expired => self.discarded += 1,
        }
    }
}

impl<O: RingMessage> Work<O> for Carried<O> {
    fn facts(&self) -> &Facts {
        &self.0.shared.facts
    }

    fn take(&self) -> Vec<O> {
        // SAFETY: the crossing's outputs are of this type: `bridge` alone makes this.
        self.0.shared.held().take_out(|output| unsafe { output.cast::<O>().read_unaligned() })
    }
}

/// What a bridge to kernels holds: a batch for each of them, or one for all.
struct Freight {
    /// The size of an output.
    output: usize,
    lanes: Box<[Lane]>,
    /// The targets that take no more.
    ended: Box<[bool]>,
    /// If each message is for the target that has its key: how the key is read, and how many there are.
    keys: Option<(Key, u64)>,
}

/// Reads the key of a message.
type Key = unsafe fn(*const u8) -> u64;

/// A batch for one target.
struct Lane {
    /// Room for a batch of its messages.
    rows: Aligned,
    /// The size of its messages.
    size: usize,
    /// Where in them an output lies, if it is not the message itself.
    inside: Option<Inside>,
    /// How many were taken by the target, and how many were loaded.
    first: usize,
    loaded: usize,
    /// The spans that sent the messages, of a source with tracing; else none.
    spans: Vec<Option<TraceContext>>,
}

/// Messages of a lane that go together.
struct Run<'a> {
    rows: &'a Bytes,
    count: usize,
    span: Option<TraceContext>,
}

impl Hold for Freight {
    fn len(&self) -> usize {
        let left = self.lanes.iter().map(|lane| lane.loaded - lane.first);
        if self.keys.is_some() { left.sum() } else { left.max().unwrap_or(0) }
    }
}

impl Freight {
    /// Whether no target takes any more.
    fn is_nobodys(&self) -> bool {
        self.ended.iter().all(|ended| *ended)
    }

    /// Adds what is in the pile, for which there is room. Returns how much was for a target that takes no more.
    fn load(&mut self, pile: &Pile) -> u64 {
        let mut lost = 0;
        let one_for_all = self.lanes.len() != self.ended.len();
        let count = self.lanes.len();
        self.lanes.iter_mut().for_each(Lane::make_room);
        for (number, output) in pile.outputs().enumerate() {
            let span = pile.spans.get(number);
            if let Some((key, actors)) = self.keys {
                // SAFETY: the row is a message of these targets, aligned as their type is.
                let key = unsafe { key(self.lanes[0].put(output).cast()) };
                let lane = member_of_key(key, actors, count);
                if self.ended[lane] {
                    lost += 1;
                    continue;
                }
                if lane != 0 {
                    self.lanes[lane].put(output);
                }
                self.lanes[lane].keep(span);
                continue;
            }
            for (number, lane) in self.lanes.iter_mut().enumerate() {
                if one_for_all || !self.ended[number] {
                    lane.put(output);
                    lane.keep(span);
                }
            }
        }
        lost
    }

    /// A target takes no more. Returns how many messages were for it alone, and are lost: of the last one, what it has
    /// not taken is held.
    fn end(&mut self, number: usize, lane: usize) -> u64 {
        self.ended[number] = true;
        if self.is_nobodys() || self.lanes.len() != self.ended.len() {
            return 0;
        }
        let lane = &mut self.lanes[lane];
        let lost = lane.loaded - lane.first;
        lane.first = lane.loaded;
        lost as u64
    }

    /// Drops what is held, and says how much it was.
    fn forget(&mut self) -> u64 {
        let held = self.len() as u64;
        self.lanes.iter_mut().for_each(|lane| lane.first = lane.loaded);
        held
    }

    /// The outputs that no target, or not the slowest one, has taken.
    fn take_out<O>(&mut self, read: impl Fn(*const u8) -> O) -> Vec<O> {
        let mut outputs = Vec::new();
        let slowest = self.lanes.iter().map(|lane| lane.loaded - lane.first).max().unwrap_or(0);
        for lane in &mut self.lanes {
            // Of several copies the slowest one's.
            if self.keys.is_some() || outputs.is_empty() && lane.loaded - lane.first == slowest {
                let (size, offset) = (lane.size, lane.inside.map_or(0, |inside| inside.offset));
                let rows = lane.rows.bytes().as_ptr().cast::<u8>();
                let row = |row: usize| read(rows.wrapping_add(row * size + offset));
                outputs.extend((lane.first..lane.loaded).map(row));
            }
            lane.first = lane.loaded;
        }
        outputs
    }
}

impl Lane {
    fn new(message: &'static TypeDescriptor, inside: Option<Inside>, most: usize) -> Self {
        let rows = Aligned::several(message, most);
        Self { rows, size: message.size, inside, first: 0, loaded: 0, spans: Vec::new() }
    }

    /// Moves what is left to the front, so that there is room for a batch behind it.
    fn make_room(&mut self) {
        let rows = self.rows.bytes();
        if self.first != 0 {
            rows.copy_within(self.first * self.size..self.loaded * self.size, 0);
            self.spans.drain(..self.first.min(self.spans.len()));
            self.loaded -= std::mem::take(&mut self.first);
        }
    }

    /// Writes an output as a message behind those that are loaded, for which there is room.
    fn put(&mut self, output: &Bytes) -> *const MaybeUninit<u8> {
        let row = &mut self.rows.bytes()[self.loaded * self.size..][..self.size];
        match &self.inside {
            None => row.copy_from_slice(output),
            // SAFETY: the pile's outputs have the size of what the variant holds, and the row has that of the whole.
            Some(inside) => unsafe { inside.write(output.as_ptr().cast(), row.as_mut_ptr().cast()) },
        }
        row.as_ptr()
    }

    /// What was written last is loaded, with the span that has sent it, if the source has tracing.
    fn keep(&mut self, span: Option<&Option<TraceContext>>) {
        self.loaded += 1;
        self.spans.extend(span);
    }

    /// The next messages that go together: one that a span has sent, or all before the next such.
    fn run(&mut self) -> Option<Run<'_>> {
        let left = self.loaded - self.first;
        if left == 0 {
            return None;
        }
        let spans = self.spans.get(self.first..).unwrap_or_default();
        let span = spans.first().copied().flatten();
        let count = match span {
            Some(_) => 1,
            None => spans.iter().position(Option::is_some).unwrap_or(left),
        };
        let rows = &self.rows.bytes()[self.first * self.size..][..count * self.size];
        Some(Run { rows, count, span })
    }
}

impl Run<'_> {
    /// Offers them to a kernel. Returns how many it took, and why, and in which shard, it refused the next.
    ///
    /// # Safety
    ///
    /// They are messages of this kernel.
    unsafe fn offer(
        &self,
        target: &KernelShared,
        back: &mut dyn FnMut(Fate),
    ) -> (usize, Option<(Refused, usize)>) {
        let _within = self.span.map(TraceContext::enter);
        // SAFETY: by the caller's word; and a lane's rows lie one behind the other, aligned.
        unsafe { target.offer_rows(self.rows, self.count, back) }
    }
}

/// Outputs that were just taken, one behind the other.
struct Pile {
    /// The size of an output.
    size: usize,
    bytes: Vec<MaybeUninit<u8>>,
    count: usize,
    /// Whether outputs may carry a trace; then the spans that sent them.
    traced: bool,
    spans: Vec<Option<TraceContext>>,
}

impl Pile {
    fn new(size: usize, traced: bool) -> Self {
        Self { size, bytes: Vec::new(), count: 0, traced, spans: Vec::new() }
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.spans.clear();
        self.count = 0;
    }

    fn outputs(&self) -> impl Iterator<Item = &Bytes> {
        (0..self.count).map(|number| &self.bytes[number * self.size..][..self.size])
    }

    /// Takes up to `most` outputs that are there now.
    ///
    /// # Safety
    ///
    /// The outputs of this kernel's outbox, or of the kernel, have this size.
    unsafe fn take(
        &mut self,
        source: &KernelShared,
        port: Option<usize>,
        most: usize,
    ) -> Result<usize, TryRecvError> {
        if !self.traced {
            // SAFETY: by the caller's word.
            return unsafe { source.try_recv_batch(port, self, most) };
        }
        // One by one: what this thread received last tells the span.
        for taken in 0..most {
            let place = self.grow();
            if let Err(error) = source.try_recv(port, place) {
                self.shrink();
                return if taken == 0 { Err(error) } else { Ok(taken) };
            }
            self.spans.push(TraceContext::received());
        }
        Ok(most)
    }

    /// Room for one output more.
    fn grow(&mut self) -> &mut Bytes {
        let before = self.bytes.len();
        self.bytes.resize(before + self.size, MaybeUninit::uninit());
        self.count += 1;
        &mut self.bytes[before..]
    }

    /// Takes the last room back, into which nothing came.
    fn shrink(&mut self) {
        self.count -= 1;
        self.bytes.truncate(self.count * self.size);
    }
}

impl Destination for Pile {
    unsafe fn append(&mut self, output: &Bytes) {
        self.grow().copy_from_slice(output);
    }
}

impl TakeRun for Pile {
    unsafe fn take_run(&mut self, ring: &mut Consumer, most: usize) -> usize {
        let mut taken = 0;
        while taken < most {
            let Some(slot) = ring.peek() else { break };
            if slot.kind == kind::MESSAGE {
                // SAFETY: the slot was just peeked, and is a message.
                unsafe { ring.read_bytes(&slot, self.grow()) };
                note_stamp(slot.header.stamp);
                taken += 1;
            }
            ring.advance(&slot);
            ring.give_back();
        }
        taken
    }
}
