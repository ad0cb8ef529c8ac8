//! Sending along the rows of a graph.
//!
//! A kernel whose outputs are [`Along`](annulus_kernel::Along) is launched with a graph, and connected to one kernel, whose actors the graph's rows
//! name. So the link is like any other; but a block makes many messages of an output on the way. The counts of the link's
//! place are of copies. A second place counts outputs for which there is no row.

use std::sync::{Arc, Weak};

use annulus_kernel::{Accepts, AlongRows, Inside, KernelDefinition, RingKernel, StateShape};
use annulus_queue::Backpressure;
use annulus_ring::memory::PortWords;
use annulus_sync::{AtomicU64, Ordering};

use crate::{
    backend::{Link, LinkTarget},
    error::ConnectError,
    handle::KernelHandle,
    kernel::shared::KernelShared,
    links::connect::{Change, check_backpressure},
};

/// What a kernel has sent along the rows of its graph. All but [`outputs`](Self::outputs) are of copies: as many were to be made as
/// `sent + held + lost`, if the kernel takes no message meanwhile.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RowsStatus {
    /// The kernel that it is connected to; `None` if it is connected to none, or that one is gone.
    pub kernel: Option<String>,
    /// What its handlers have sent, since launch.
    pub outputs: u64,
    /// Copies that went to actors, since launch.
    pub sent: u64,
    /// Copies that wait for room there. While there are any, their shards take no message, unless they have a longer
    /// [hold](crate::LaunchOptions::hold).
    /// After a disconnect it is what waits for the host, and not 0 while an output does.
    pub held: u64,
    /// Copies that were lost, since launch: there was no room under Reject, or the kernel had terminated.
    pub lost: u64,
    /// Outputs for which there is no row, since launch. They are lost, too: a part of
    /// [`outputs_lost`](crate::KernelStatus::outputs_lost), beside `lost`.
    pub astray: u64,
}

impl<K: RingKernel> KernelHandle<K> {
    /// From now on, a copy of each output goes to every actor of `target` that its row names; the backpressure is Block. See
    /// [`connect_along_with`](Self::connect_along_with).
    ///
    /// ```
    /// # extern crate annulus_runtime as annulus;
    /// use annulus::prelude::*;
    /// # use annulus_runtime::Noop;
    ///
    /// #[derive(RingMessage, Clone, Copy)]
    /// #[repr(C)]
    /// struct Rumour {
    ///     #[ring(key)]
    ///     person: u32,
    ///     hops: u32,
    /// }
    ///
    /// #[derive(DeviceType, Clone, Copy, Default)]
    /// #[repr(C)]
    /// struct Heard {
    ///     yes: u32,
    /// }
    ///
    /// /// Tells all friends, once.
    /// #[ring_kernel]
    /// fn gossip(rumour: &Rumour, heard: &mut Heard, friends: &Outbox<Along<Rumour>>) {
    ///     if heard.yes == 0 {
    ///         heard.yes = 1;
    ///         friends.send(Along { row: rumour.person, from: 0, message: Rumour { hops: rumour.hops + 1, ..*rumour } });
    ///     }
    /// }
    ///
    /// # let runtime = Runtime::builder().backend(Noop).build()?;
    /// let friends = Rows::of_lists([vec![1, 2], vec![0, 2], vec![]])?;
    /// let gossip = gossip::launch(&runtime, LaunchOptions::production().actors(3).rows(friends).active(false))?;
    /// gossip.connect_along(&gossip)?;
    /// gossip.activate_blocking()?;
    /// # let _ = gossip.send_blocking(Rumour { person: 0, hops: 0 })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for that method.
    pub fn connect_along<T: RingKernel<Message: Accepts<<K::Output as AlongRows>::Message>>>(
        &self,
        target: &KernelHandle<T>,
    ) -> Result<(), ConnectError>
    where
        K: RingKernel<Output: AlongRows>,
    {
        self.connect_along_with(target, Backpressure::Block)
    }

    /// From now on, a copy of each output goes to every actor of `target` that its row names, in the graph that this kernel was
    /// [launched with](crate::LaunchOptions::rows). `target` may be this kernel itself. It holds until
    /// [`disconnect`](Self::disconnect).
    ///
    /// What [`connect_with`](Self::connect_with) says of a link holds for this one. A copy that finds no room waits, and so do
    /// those behind it; under Reject it is lost, and no other with it. A row may be longer than any ring: what is left of it
    /// waits as one output, whatever `max_outputs` says, and its shard obeys commands meanwhile. Disconnected half-way,
    /// the output goes to the host, and its [`from`](annulus_kernel::Along::from) says how many copies had gone. Copies of several outputs to one
    /// actor come in the order in which the handler sent these; copies of one output are made in the order of
    /// its row.
    ///
    /// # Errors
    ///
    /// [`ConnectError`]; nothing was changed then.
    pub fn connect_along_with<T: RingKernel<Message: Accepts<<K::Output as AlongRows>::Message>>>(
        &self,
        target: &KernelHandle<T>,
        backpressure: Backpressure,
    ) -> Result<(), ConnectError>
    where
        K: RingKernel<Output: AlongRows>,
    {
        check_backpressure(backpressure)?;
        let (source, target, its_runtime) = (self.shared_arc(), target.shared_arc(), target.runtime());
        let name = || source.core().name.clone();
        target.check_target(its_runtime, &source.core().name, self.runtime())?;
        let variant = <T::Message as Accepts<<K::Output as AlongRows>::Message>>::VARIANT;
        if variant.is_some() && !source.core().options.shape.into_variants {
            let target = target.core().name.clone();
            return Err(ConnectError::NotIntoVariants { source: name(), target });
        }
        let Some(rows) = &source.core().options.outbound.rows else {
            return Err(ConnectError::NoRows { kernel: name() });
        };
        let core = target.core();
        let has_bound =
            matches!(core.definition.state, StateShape::PerActor(_)) && !core.options.shape.sparse_keys;
        let actors = has_bound.then_some(core.options.shape.actors);
        if let (Some(key), Some(actors)) = (rows.most_key(), actors)
            && u64::from(key) >= actors
        {
            let target = core.name.clone();
            return Err(ConnectError::NoSuchActor { kernel: name(), key, target, actors });
        }
        let inside =
            variant.map(|variant| Inside::of(core.definition.message, variant).expect("`Accepts` says so"));
        let taker: Weak<dyn LinkTarget> = Arc::downgrade(target) as _;
        let waits = backpressure == Backpressure::Block;
        let link = Link { target: taker, waits, inside, peer: None, asks: None };
        let change = Change { place: 0, link: Some(link), target: Some(Arc::clone(target)) };
        // SAFETY: the target takes what goes along rows, or has a variant that does, and so says the link.
        unsafe { source.change_links(vec![change], None) }.map(drop)
    }

    /// What this kernel has sent along the rows of its graph.
    pub fn rows(&self) -> RowsStatus
    where
        K: RingKernel<Output: AlongRows>,
    {
        self.shared_arc().rows()
    }
}

impl KernelShared {
    fn rows(&self) -> RowsStatus {
        let shards = || self.core().shards.iter();
        let count = |place: usize, of: fn(PortWords<'_>) -> &AtomicU64| -> u64 {
            let words = shards().filter_map(|shard| shard.memory.port(place).map(of));
            words.map(|word| word.load(Ordering::Relaxed)).sum()
        };
        let known = self.links.known();
        let target = known.targets.first();
        RowsStatus {
            kernel: target.and_then(|target| Some(target.kernel.upgrade()?.core().name.clone())),
            outputs: shards().map(|shard| shard.memory.produced().load(Ordering::Relaxed)).sum(),
            sent: count(0, |words| words.forwarded()),
            held: count(0, |words| words.held()),
            lost: count(0, |words| words.unforwarded()),
            astray: count(KernelDefinition::NO_ROW, |words| words.unforwarded()),
        }
    }
}
