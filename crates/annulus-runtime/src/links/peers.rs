//! Sending to kernels by their addresses.
//!
//! A kernel whose outputs are [`Addressed`](annulus_kernel::Addressed) is connected to several others at a time, each by a *place*: places are to
//! it what outboxes are to a kernel with several. A block finds the place of an output by comparing its address with
//! those of all places. So three things hold at once, whatever is in the address: it is that of a kernel that this one was
//! connected to, of the launch that was there then, and for this type. The last place stands for nobody: what has any
//! other address goes there, and is lost, and counted.
//!
//! An address is the number of a launch, in 40 bits; the number of a variant, from 1 on, in 8; and 16 bits that say what
//! type it is for.

use std::{
    any::Any,
    sync::{Arc, Weak},
};

use annulus_kernel::{
    Accepts, ByAddress, Inside, MOST_PEERS, Peer, RingKernel, RingMessage, TypeDescriptor, peer_tag,
};
use annulus_queue::Backpressure;
use annulus_sync::Ordering;

use crate::{
    backend::{Link, LinkTarget},
    error::{ConnectError, HandleError},
    handle::KernelHandle,
    kernel::{launches::Launch, shared::KernelShared},
    launch::{
        by_name::not_taken,
        runtime::{Runtime, RuntimeInner},
    },
    links::connect::{Change, check_backpressure},
};

/// What a kernel has sent to others by their addresses, or by topics that they take: then each copy counts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PeersStatus {
    /// The kernels that it is connected to, in the order in which they were given.
    pub peers: Vec<PeerStatus>,
    /// Copies that went to the host, which [listens](crate::Topics::listen) to their topics, since launch.
    pub host: u64,
    /// Outputs for [any](Peer::ANY) of these that wait until one has room.
    pub waiting: u64,
    /// Outputs with an address of none of these, or a topic that nobody takes, since launch; and those for any of
    /// these that none has taken. They are lost: a part of [`outputs_lost`](crate::KernelStatus::outputs_lost).
    pub gone: u64,
}

/// What a kernel has sent to one other by its address, since it was connected so.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PeerStatus {
    /// The other kernel's name; `None` if it is gone.
    pub kernel: Option<String>,
    /// Outputs that went there, those for any of several included.
    pub sent: u64,
    /// Outputs that wait for room there. While there are any, their shards take no message.
    pub held: u64,
    /// Outputs that were lost: there was no room under Reject, or the kernel had terminated.
    pub lost: u64,
}

fn address<M: RingMessage>(kernel: &KernelShared, variant: Option<usize>) -> Peer<M> {
    Peer::from_bits(address_of(kernel, M::DESCRIPTOR, variant))
}

/// The bits of the address by which a kernel takes messages of this type, which are its own, or what this variant
/// takes.
pub(crate) fn address_of(kernel: &KernelShared, message: &TypeDescriptor, variant: Option<usize>) -> u64 {
    let variant = variant.map_or(0, |variant| variant as u64 + 1);
    kernel.core().launch.number() << 24 | variant << 16 | u64::from(peer_tag(message))
}

/// Whether an address can name this variant, for which it has eight bits.
pub(crate) const fn has_address(variant: Option<usize>) -> bool {
    matches!(variant, None | Some(..255))
}

/// A kernel among those that another one sends to by their addresses, or by topics.
pub(crate) struct Reached {
    /// [`address_of`] it.
    pub(crate) address: u64,
    pub(crate) kernel: Arc<KernelShared>,
    /// The variant of its message that takes what is sent, if the message itself does not.
    pub(crate) variant: Option<usize>,
    /// Block or Reject.
    pub(crate) backpressure: Backpressure,
}

impl<K: RingKernel> KernelHandle<K> {
    /// The kernel's address, as data: for kernels whose outputs say [whom they are for](annulus_kernel::Addressed).
    ///
    /// It stands for this launch alone: it never reaches a kernel that is launched under the same name later.
    pub fn peer(&self) -> Peer<K::Message>
    where
        K::Message: RingMessage,
    {
        address(self.shared_arc(), None)
    }

    /// The same for those that send what a variant of the kernel's message takes (`#[ring(from)]`).
    pub fn peer_of<M: RingMessage>(&self) -> Peer<M>
    where
        K::Message: Accepts<M>,
    {
        const {
            assert!(
                has_address(<K::Message as Accepts<M>>::VARIANT),
                "only the first 255 variants have addresses"
            )
        };
        address(self.shared_arc(), <K::Message as Accepts<M>>::VARIANT)
    }

    /// From now on, each output goes to the kernel that it names, if it is one of these; the backpressure is Block.
    /// See [`connect_peers_with`](Self::connect_peers_with).
    ///
    /// ```
    /// # extern crate annulus_runtime as annulus;
    /// use annulus::prelude::*;
    /// # use annulus_runtime::Noop;
    ///
    /// #[derive(RingMessage, Clone, Copy)]
    /// #[repr(C)]
    /// struct Job {
    ///     number: u32,
    /// }
    ///
    /// #[derive(RingMessage, Clone, Copy)]
    /// #[repr(C)]
    /// struct Order {
    ///     worker: Peer<Job>,
    ///     number: u32,
    /// }
    ///
    /// #[ring_kernel]
    /// fn work(job: &Job, done: &Outbox<Job>) {
    ///     done.send(*job);
    /// }
    ///
    /// #[ring_kernel]
    /// fn hand_out(order: &Order, jobs: &Outbox<Addressed<Job>>) {
    ///     jobs.send(Addressed { to: order.worker, message: Job { number: order.number } });
    /// }
    ///
    /// # let runtime = Runtime::builder().backend(Noop).build()?;
    /// let options = LaunchOptions::production().connectable(true);
    /// let one = work::launch(&runtime, options.clone().name("one"))?;
    /// let two = work::launch(&runtime, options.clone().name("two"))?;
    /// let hand_out = hand_out::launch(&runtime, options.active(false))?;
    /// hand_out.connect_peers(&[one.peer(), runtime.peer("two")?])?;
    /// hand_out.activate_blocking()?;
    /// # let _ = hand_out.send_blocking(Order { worker: two.peer(), number: 7 })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for that method.
    pub fn connect_peers(&self, peers: &[Peer<<K::Output as ByAddress>::Message>]) -> Result<(), ConnectError>
    where
        K: RingKernel<Output: ByAddress>,
    {
        self.connect_peers_with(peers, Backpressure::Block)
    }

    /// From now on, each output goes to the kernel that it names, if it is one of these, of which there are 15 at
    /// most; one with the address [`Peer::ANY`] goes to whichever of them has room. An output with any other address is
    /// lost, and [counted](Self::peers). Those that this kernel was connected
    /// to before are forgotten. It holds until [`disconnect`](Self::disconnect).
    ///
    /// What [`connect_with`](Self::connect_with) says of a link holds for each of these: this kernel must be inactive, and
    /// all are connectable. An output that waits for room in its kernel holds back none for another; but its shard takes
    /// no message meanwhile. Outputs that wait, and whose kernel is none of the new ones, are lost.
    ///
    /// # Errors
    ///
    /// [`ConnectError`]; nothing was changed then. The address of a kernel of another runtime of this process is
    /// refused as that: [`ConnectError::OtherRuntime`].
    pub fn connect_peers_with(
        &self,
        peers: &[Peer<<K::Output as ByAddress>::Message>],
        backpressure: Backpressure,
    ) -> Result<(), ConnectError>
    where
        K: RingKernel<Output: ByAddress>,
    {
        check_backpressure(backpressure)?;
        let peers: Vec<_> = peers.iter().map(|&peer| (peer, backpressure)).collect();
        let changes = self.changes_to(&peers)?;
        // SAFETY: each of these takes the message of an output, or has a variant that does, and so says the link.
        unsafe { self.shared_arc().change_links(changes, None) }.map(drop)
    }

    /// What connects this kernel to these, each by a place of its own, and by the last place to nobody.
    pub(crate) fn changes_to<M: RingMessage>(
        &self,
        peers: &[(Peer<M>, Backpressure)],
    ) -> Result<Vec<Change>, ConnectError> {
        // Before any address is looked up.
        self.shared_arc().check_places(peers.len())?;
        let runtime = Arc::clone(self.runtime()).downcast::<RuntimeInner>();
        let runtime = runtime.unwrap_or_else(|_| unreachable!("a handle keeps the runtime that made it"));
        let kernels = runtime.registry.all();
        let reached = |&(peer, backpressure): &(Peer<M>, Backpressure)| {
            let bits = peer.bits();
            let unknown = || ConnectError::NoSuchPeer { address: bits, message: M::DESCRIPTOR.name };
            let number = bits >> 24;
            let absent = || match Launch::elsewhere(number, runtime.place()) {
                Some(target) => {
                    ConnectError::OtherRuntime { source: self.shared_arc().core().name.clone(), target }
                }
                None => unknown(),
            };
            let known = kernels.iter().find(|kernel| kernel.core().launch.number() == number);
            let kernel = known.ok_or_else(absent)?;
            let variant = (bits >> 16 & 0xff).checked_sub(1).map(|variant| variant as usize);
            let definition = kernel.core().definition;
            if bits as u16 != peer_tag(M::DESCRIPTOR)
                || !definition.takes(M::DESCRIPTOR, M::KEY_FIELD, variant)
            {
                return Err(unknown());
            }
            Ok(Reached { address: bits, kernel: Arc::clone(kernel), variant, backpressure })
        };
        let reached = peers.iter().map(reached).collect::<Result<Vec<_>, _>>()?;
        self.shared_arc().changes_to(self.runtime(), reached)
    }

    /// What this kernel has sent to others by their addresses, or by topics that they take.
    pub fn peers(&self) -> PeersStatus {
        let shared = self.shared_arc();
        let count =
            |place: usize, of: fn(annulus_ring::memory::PortWords<'_>) -> &annulus_sync::AtomicU64| {
                let shards = shared.core().shards.iter();
                shards
                    .filter_map(|shard| shard.memory.port(place).map(of))
                    .map(|word| word.load(Ordering::Relaxed))
                    .sum()
            };
        let known = shared.links.known();
        let peers = known.targets.iter().map(|target| PeerStatus {
            kernel: target.kernel.upgrade().map(|kernel| kernel.core().name.clone()),
            sent: count(target.outbox, |words| words.forwarded()) - target.before.0,
            held: count(target.outbox, |words| words.held()),
            lost: count(target.outbox, |words| words.unforwarded()) - target.before.1,
        });
        PeersStatus {
            peers: peers.collect(),
            host: count(MOST_PEERS, |words| words.forwarded()),
            waiting: count(MOST_PEERS, |words| words.held()),
            gone: count(MOST_PEERS, |words| words.unforwarded()),
        }
    }
}

/// # By name
impl Runtime {
    /// The address of the kernel that runs under this name, for those that send messages of type `M` by addresses.
    ///
    /// # Errors
    ///
    /// [`HandleError`]: no kernel of this name runs, or it takes another type; see [`sender`](Self::sender).
    pub fn peer<M: RingMessage>(&self, name: &str) -> Result<Peer<M>, HandleError> {
        let handle = self.any_handle(name)?;
        let definition = handle.shared().core().definition;
        let variants = definition.from.iter().map(|&variant| Some(variant));
        let takes = |variant: &Option<usize>| definition.takes(M::DESCRIPTOR, M::KEY_FIELD, *variant);
        match [None].into_iter().chain(variants).find(takes) {
            Some(variant) if !has_address(variant) => {
                Err(HandleError::NoAddress { name: name.into(), message: M::DESCRIPTOR.name })
            }
            Some(variant) => Ok(address(handle.shared(), variant)),
            None => Err(not_taken::<M>(name, definition)),
        }
    }
}

impl KernelShared {
    /// Whether there are places for so many kernels.
    fn check_places(&self, given: usize) -> Result<(), ConnectError> {
        if given > MOST_PEERS {
            let kernel = self.core().name.clone();
            return Err(ConnectError::TooManyPeers { kernel, given, most: MOST_PEERS });
        }
        Ok(())
    }

    /// What connects this kernel to these, of the same runtime, each by a place of its own, and by the last place to
    /// nobody.
    pub(crate) fn changes_to(
        self: &Arc<Self>,
        runtime: &Arc<dyn Any + Send + Sync>,
        reached: Vec<Reached>,
    ) -> Result<Vec<Change>, ConnectError> {
        let name = || self.core().name.clone();
        let given = reached.len();
        self.check_places(given)?;
        let mut changes = Vec::with_capacity(MOST_PEERS + 1);
        for (place, Reached { address, kernel, variant, backpressure }) in reached.into_iter().enumerate() {
            check_backpressure(backpressure)?;
            let waits = backpressure == Backpressure::Block;
            kernel.check_target(runtime, &self.core().name, runtime)?;
            if variant.is_some() && !self.core().options.shape.into_variants {
                let target = kernel.core().name.clone();
                return Err(ConnectError::NotIntoVariants { source: name(), target });
            }
            // Without a place inside, it would be taken for the whole message.
            let inside = match variant {
                None => None,
                Some(variant) => {
                    let message = kernel.core().definition.message;
                    Some(Inside::of(message, variant).expect("the variant takes what is sent"))
                }
            };
            let target: Weak<dyn LinkTarget> = Arc::downgrade(&kernel) as _;
            let link = Link { target, waits, inside, peer: Some(address), asks: None };
            changes.push(Change { place, link: Some(link), target: Some(kernel) });
        }
        changes.extend((given..MOST_PEERS).map(|place| Change { place, link: None, target: None }));
        let nobody: Weak<dyn LinkTarget> = Weak::<KernelShared>::new();
        let nobody = Link { target: nobody, waits: false, inside: None, peer: Some(0), asks: None };
        changes.push(Change { place: MOST_PEERS, link: Some(nobody), target: None });
        Ok(changes)
    }
}
