//! Connecting a kernel to another one, so that its handlers' outputs go there instead of to the host.

use std::{
    any::Any,
    ptr,
    sync::{Arc, Weak},
};

use annulus_kernel::{Accepts, Inside, MOST_PEERS, RingKernel};
use annulus_queue::Backpressure;
use annulus_sync::{Ordering, wait::block_on};

use crate::{
    backend::{Link, LinkTarget},
    error::ConnectError,
    handle::{KernelHandle, look::shows_place},
    kernel::{links::Target, passage::Through, shared::KernelShared},
    links,
    links::{asks::Asking, topics::publishes},
    vitals::Home,
};

/// How a kernel sends to another one.
pub(crate) struct Way {
    /// By the outbox of this number, if it has several.
    pub(crate) port: Option<usize>,
    /// Into the variant of this number, if one of the target's message takes what is sent.
    pub(crate) variant: Option<usize>,
    /// Block or Reject.
    pub(crate) backpressure: Backpressure,
}

/// Where what a kernel sends by one of its places goes from now on: to the host, if there is no link.
pub(crate) struct Change {
    pub(crate) place: usize,
    pub(crate) link: Option<Link>,
    pub(crate) target: Option<Arc<KernelShared>>,
}

impl<K: RingKernel> KernelHandle<K> {
    /// From now on, the outputs of this kernel's handlers go to `target` instead of to the host; the
    /// backpressure is Block. See [`connect_with`](Self::connect_with). A kernel that is launched after its
    /// target is [launched into](crate::Bound::launch_into) it instead.
    ///
    /// ```
    /// use annulus::prelude::*;
    /// use annulus_runtime::{ConnectError, Noop};
    /// # extern crate annulus_runtime as annulus;
    ///
    /// #[derive(RingMessage, Clone, Copy)]
    /// #[repr(C)]
    /// struct Celsius(f32);
    ///
    /// #[derive(RingMessage, Clone, Copy)]
    /// #[repr(C)]
    /// struct Kelvin(f32);
    ///
    /// #[ring_kernel]
    /// fn convert(reading: &Celsius, out: &Outbox<Kelvin>) {
    ///     out.send(Kelvin(reading.0 + 273.15));
    /// }
    ///
    /// #[ring_kernel]
    /// fn alert(reading: &Kelvin, out: &Outbox<Kelvin>) {
    ///     if reading.0 > 373.0 {
    ///         out.send(*reading);
    ///     }
    /// }
    ///
    /// let runtime = Runtime::builder().backend(Noop).build()?;
    /// let connectable = LaunchOptions::default().connectable(true);
    /// let convert = convert::launch(&runtime, connectable.clone().active(false))?;
    /// let alert = alert::launch(&runtime, connectable)?;
    /// convert.connect(&alert)?;
    /// convert.activate_blocking()?;
    ///
    /// let error = convert.connect(&alert).unwrap_err();
    /// assert_eq!(error, ConnectError::Active { kernel: "convert".into() });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`connect_with`](Self::connect_with).
    pub fn connect<T: RingKernel<Message: Accepts<K::Output>>>(
        &self,
        target: &KernelHandle<T>,
    ) -> Result<(), ConnectError> {
        self.connect_with(target, Backpressure::Block)
    }

    /// From now on, the outputs of this kernel's handlers go to `target` instead of to the host. This holds
    /// until the kernel is connected to another one or [disconnected](Self::disconnect).
    ///
    /// The handlers' outputs become messages of `target`. Each goes to the shard that its key names, in the
    /// order in which this kernel's shard sent them. The outputs of a [call](Self::call) still go to the
    /// host: the first is the reply, and the others are received from this kernel. What this kernel sent to
    /// the host before can still be received; until then, it takes room in the outbound ring that handlers
    /// need.
    ///
    /// If `target` has no room for an output, the backpressure decides. Under Block the output waits, and its
    /// shard takes no message meanwhile; the shard shows as [stalled](crate::KernelStatus::stalled_shards).
    /// Under Reject the output is lost, and [counted](crate::KernelStatus::outputs_lost). If `target` has
    /// terminated, outputs for it are also lost and counted; if it is inactive, they wait in its queue.
    /// `target` may be [closed](crate::KernelControl::close): that keeps out only the host's messages.
    ///
    /// `target` may also take the outputs in a variant of its messages that is marked `#[ring(from)]`. So several
    /// kernels with outputs of several types may be connected to it. Whether a kernel sends so is a part of its
    /// program: it is launched into its target, or with
    /// [`LaunchOptions::into_variants`](crate::LaunchOptions::into_variants).
    ///
    /// A kernel whose handler has several outboxes is connected by each of them:
    /// [`Port::connect`](crate::Port::connect).
    ///
    /// Several kernels may be connected to one `target`. A kernel may be connected to itself, and several
    /// kernels may form a cycle. A cycle in which every queue is full stands still. That happens sooner or
    /// later if handlers send more than one output for a message: a kernel that sends itself two outputs for
    /// each message stands still after as many messages as its queue holds. The status of the kernels [names
    /// the cycle](crate::Stall), and so does one event of `tracing`. The cycle goes on when one of its
    /// kernels is terminated, or deactivated and disconnected.
    ///
    /// This kernel must be inactive, so that it is certain which output goes where; if a deactivation is
    /// under way, this waits for it. `target` may be active or inactive. The link does not keep `target`
    /// running. The backpressure that `target` was launched with is for the host's messages, and does not
    /// matter here.
    ///
    /// # Errors
    ///
    /// [`ConnectError`] says which condition does not hold, and the remedy; nothing was changed then.
    ///
    /// ```
    /// use annulus::prelude::*;
    /// use annulus_runtime::Noop;
    /// # extern crate annulus_runtime as annulus;
    /// # #[derive(RingMessage, Clone, Copy)]
    /// # #[repr(C)]
    /// # struct Number(u64);
    /// # #[ring_kernel]
    /// # fn step(number: &Number, out: &Outbox<Number>) {
    /// #     out.send(*number);
    /// # }
    /// # let runtime = Runtime::builder().backend(Noop).build()?;
    /// let step = step::launch(&runtime, LaunchOptions::default().connectable(true).active(false))?;
    /// step.connect_with(&step, Backpressure::Reject)?;
    ///
    /// let error = step.connect_with(&step, Backpressure::DropOldest).unwrap_err();
    /// assert!(error.to_string().contains("Block or Reject"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn connect_with<T: RingKernel<Message: Accepts<K::Output>>>(
        &self,
        target: &KernelHandle<T>,
        backpressure: Backpressure,
    ) -> Result<(), ConnectError> {
        let way = Way { port: None, variant: T::Message::VARIANT, backpressure };
        // SAFETY: by the handles' types, which are those of their kernels.
        unsafe { self.shared_arc().connect(self.runtime(), target.shared_arc(), target.runtime(), way) }
    }

    /// From now on, the outputs of this kernel's handlers go to the host again. Outputs that waited for room
    /// in the other kernel go to the host, too. Of several outboxes, this is so for all;
    /// [`Port::disconnect`](crate::Port::disconnect) is for one. Harmless if the kernel was not connected.
    ///
    /// # Errors
    ///
    /// [`ConnectError`], as for [`connect`](Self::connect).
    ///
    /// ```
    /// use annulus::prelude::*;
    /// use annulus_runtime::Noop;
    /// # extern crate annulus_runtime as annulus;
    /// # #[derive(RingMessage, Clone, Copy)]
    /// # #[repr(C)]
    /// # struct Number(u64);
    /// # #[ring_kernel]
    /// # fn step(number: &Number, out: &Outbox<Number>) {
    /// #     out.send(*number);
    /// # }
    /// # let runtime = Runtime::builder().backend(Noop).build()?;
    /// let options = LaunchOptions::default().connectable(true);
    /// let first = step::launch(&runtime, options.clone().name("first").active(false))?;
    /// let second = step::launch(&runtime, options.name("second"))?;
    /// first.connect(&second)?;
    /// first.activate_blocking()?;
    /// // …
    /// first.deactivate_blocking()?;
    /// first.disconnect()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn disconnect(&self) -> Result<(), ConnectError> {
        self.shared_arc().disconnect(None)
    }
}

impl KernelShared {
    /// # Safety
    ///
    /// The target's messages are this kernel's outputs, or what the outbox of this number sends; or the variant of
    /// this number holds that. The runtimes are those of the two.
    pub(crate) unsafe fn connect(
        self: &Arc<Self>,
        runtime: &Arc<dyn Any + Send + Sync>,
        target: &Arc<Self>,
        its_runtime: &Arc<dyn Any + Send + Sync>,
        way: Way,
    ) -> Result<(), ConnectError> {
        let Way { port, variant, backpressure } = way;
        let ports = self.core.definition.ports;
        if port.is_none() && !ports.is_empty() {
            return Err(ConnectError::SeveralOutboxes { kernel: self.core.name.clone() });
        }
        if let Some(reply) = ports.get(port.unwrap_or(0)).filter(|port| port.is_reply) {
            return Err(ConnectError::Replies { kernel: self.core.name.clone(), reply: reply.name });
        }
        if self.core.definition.peers.is_some() {
            let kernel = self.core.name.clone();
            return Err(match publishes(self.core.definition) {
                true => ConnectError::Publishes { kernel },
                false => ConnectError::SendsToPeers { kernel },
            });
        }
        if self.core.definition.rows.is_some() {
            return Err(ConnectError::GoesAlongRows { kernel: self.core.name.clone() });
        }
        check_backpressure(backpressure)?;
        target.check_target(its_runtime, &self.core.name, runtime)?;
        if variant.is_some() && !self.core.options.shape.into_variants {
            let (source, target) = (self.core.name.clone(), target.core.name.clone());
            return Err(ConnectError::NotIntoVariants { source, target });
        }
        let message = target.core.definition.message;
        let inside = variant.map(|variant| Inside::of(message, variant).expect("`Accepts` says so"));
        let taker: Weak<dyn LinkTarget> = Arc::downgrade(target) as _;
        let waits = backpressure == Backpressure::Block;
        let outbox = port.unwrap_or(0);
        let asking = self.reserve_to_ask(outbox, target)?;
        let asks = asking.as_ref().and_then(|asking| asking.answers_of(target));
        let link = Link { target: taker, waits, inside, peer: None, asks };
        let change = Change { place: outbox, link: Some(link), target: Some(Arc::clone(target)) };
        // SAFETY: by the caller's word.
        unsafe { self.change_links(vec![change], asking) }?;
        Ok(())
    }

    /// Disconnects the outbox with this number, or all of them.
    pub(crate) fn disconnect(self: &Arc<Self>, port: Option<usize>) -> Result<(), ConnectError> {
        let all = 0..self.core.definition.places();
        let places = port.map_or(all, |port| port..port + 1);
        let changes = places.map(|place| Change { place, link: None, target: None }).collect();
        // SAFETY: there is no target.
        unsafe { self.change_links(changes, None) }?;
        Ok(())
    }

    /// Whether a kernel of this name can be connected to this one, as far as this one is concerned. The
    /// runtimes are this kernel's and that one's.
    pub(crate) fn check_target(
        &self,
        runtime: &Arc<dyn Any + Send + Sync>,
        source: &str,
        its_runtime: &Arc<dyn Any + Send + Sync>,
    ) -> Result<(), ConnectError> {
        let kernel = || self.core.name.clone();
        if !ptr::addr_eq(Arc::as_ptr(runtime), Arc::as_ptr(its_runtime)) {
            return Err(ConnectError::OtherRuntime { source: source.into(), target: kernel() });
        }
        if !self.core.options.shape.connectable {
            return Err(ConnectError::NotConnectable { kernel: kernel() });
        }
        if self.is_ending() {
            return Err(ConnectError::Terminated { kernel: kernel() });
        }
        Ok(())
    }

    /// How many outputs of it wait for room in kernels that it sends to.
    fn held_by_places(&self) -> u64 {
        let shards = self.core.shards.iter();
        let ports = shards.flat_map(|shard| {
            (0..self.core.definition.counted_places()).filter_map(|place| shard.memory.port(place))
        });
        ports.map(|port| port.held().load(Ordering::Relaxed)).sum()
    }

    /// If one of these places is that by which it asks, it asks by `asking` from then on. Returns the version of its topics, if it
    /// publishes.
    ///
    /// # Safety
    ///
    /// These are numbers of its places. The target of each link is the kernel given with it; without one it is
    /// nobody's. That kernel is of the same runtime, and its messages are what this outbox sends, or hold it as the
    /// link says.
    pub(crate) unsafe fn change_links(
        self: &Arc<Self>,
        changes: Vec<Change>,
        asking: Option<Asking>,
    ) -> Result<u64, ConnectError> {
        // Whatever is dropped together with it may want the command lock.
        let mut asked = None;
        let core = &self.core;
        let kernel = || core.name.clone();
        if !core.options.shape.connectable {
            return Err(ConnectError::NotConnectable { kernel: kernel() });
        }
        let changed = core.while_inactive(|device| {
            if core.is_finished() {
                return Err(ConnectError::Terminated { kernel: kernel() });
            }
            // Calls that were given up, and have ended since, pin nothing.
            self.through.iter().for_each(|through| through.passage.tidy());
            // SYNC: pins (acquire)
            let is_pinned = |through: &Through| through.pins.load(Ordering::Acquire) != 0;
            if changes.iter().any(|change| change.place == 0) && self.through.as_ref().is_some_and(is_pinned)
            {
                return Err(ConnectError::Pipeline { kernel: kernel() });
            }
            let asks = changes.iter().any(|change| self.asks_by(change.place));
            if asks {
                asked = self.asked();
                self.check_asks(asked.as_deref())?;
            }
            if self.topics.is_some() {
                let held = self.held_by_places();
                // Otherwise a copy could go to a kernel that has come to the place of another one.
                if held != 0 && changes.iter().any(|change| change.link.is_some()) {
                    return Err(ConnectError::Holds { kernel: kernel(), held });
                }
            }
            let peers: Vec<_> =
                changes.iter().take(MOST_PEERS).map_while(|change| change.link.as_ref()?.peer).collect();
            let mut before = Vec::new();
            for Change { place, link, target } in changes {
                let target = target.as_ref().zip(link.as_ref().map(|link| link.waits));
                // SAFETY: both were launched linked on this runtime, and so by its backend; every shard is
                // inactive and stays so while `while_inactive` calls this; the target's messages are what this
                // outbox sends, by the caller's word.
                let connected = unsafe { device.connect(place, link.clone()) };
                connected.map_err(|error| ConnectError::Backend { backend: core.backend_name, error })?;
                before.extend(links::link(self, target, place));
            }
            let version = self.topics.as_ref().map_or(0, |topics| topics.begin(device, peers));
            if let Some(home) = &core.home {
                // A kernel that nobody sees has no number there.
                let id = |target: &Target<Self>| {
                    let kernel = target.kernel.upgrade()?;
                    Some((kernel.core.home.as_ref().map(Home::id)?, target.waits))
                };
                let known = self.links.known();
                home.set_target(known.targets.iter().find_map(id));
                for number in 0..core.definition.counted_places() {
                    let target = known.targets.iter().find(|target| target.outbox == number);
                    if let Some(nobody) = core.definition.nobody() {
                        home.show_port(number, shows_place(&known.targets, number, nobody));
                    }
                    home.set_port_target(number, target.and_then(id));
                }
            }
            // Who connects it next finds what it asks by now.
            let asked_before = if asks { self.ask_by(asking) } else { None };
            Ok((before, asked_before, version))
        });
        let changed = block_on(changed).unwrap_or_else(|| Err(ConnectError::Active { kernel: kernel() }));
        // Only now, after the command lock was released: whoever is woken may want that lock. So may whatever
        // is dropped together with the kernel that this one was connected to.
        core.flow.notify_all();
        changed.map(|(_before, _asked_before, version)| version)
    }
}

/// Between kernels there are two.
pub(crate) fn check_backpressure(backpressure: Backpressure) -> Result<(), ConnectError> {
    match backpressure {
        Backpressure::Block | Backpressure::Reject => Ok(()),
        _ => Err(ConnectError::Backpressure { backpressure }),
    }
}
