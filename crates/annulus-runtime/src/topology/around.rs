//! What leads to a kernel of a topology that runs, and from it: whether that can be led to another kernel, and doing so.

use std::{sync::Arc, time::Duration};

use annulus_kernel::KernelDefinition;
use annulus_sync::Ordering;

use super::{
    Edge, Node, ReplaceError, RunningTopology, TopologyProblem,
    check::{Resolved, is_linked, linked_options},
};
use crate::{
    bridge::{
        carry::{Crossing, Spread},
        task::Task,
        upstream::Feeding,
    },
    error::{ConnectError, LaunchError},
    handle::AnyHandle,
    kernel::{
        links::{Feed, Target},
        shared::KernelShared,
    },
    launch::{launching, runtime::Runtime, start::AnyBound},
    links::connect::Way,
    options::LaunchOptions,
    within::within,
};

/// The links of a kernel of a topology, by the numbers of their edges.
pub(super) struct Around {
    /// As they are to be.
    links: Vec<Resolved>,
    /// As they are: the old kernel's outboxes may have other numbers, and its messages other variants.
    before: Vec<Resolved>,
    member: usize,
}

impl Around {
    /// To it, from others and from itself.
    pub(super) fn coming(&self) -> impl Iterator<Item = (usize, &Resolved)> {
        self.links.iter().enumerate().filter(|(_, link)| link.to == self.member)
    }

    /// The links to it and from it as they are.
    fn before(&self) -> impl Iterator<Item = &Resolved> {
        self.before.iter().filter(|link| link.to == self.member || link.from == self.member)
    }

    /// From it, to others and to itself.
    pub(super) fn going(&self) -> impl Iterator<Item = (usize, &Resolved)> {
        self.links.iter().enumerate().filter(|(_, link)| link.from == self.member)
    }
}

impl Edge {
    /// Connects the two kernels of a link on one device.
    ///
    /// # Safety
    ///
    /// What the source's outbox sends the target takes, or the variant of the link: a check of the topology has compared them.
    pub(super) unsafe fn connect(
        &self,
        link: &Resolved,
        source: &AnyHandle,
        target: &AnyHandle,
    ) -> Result<(), ConnectError> {
        let way = Way { port: link.port, variant: link.variant, backpressure: self.backpressure };
        // SAFETY: as the caller promises.
        unsafe { source.shared_arc().connect(source.runtime(), target.shared_arc(), target.runtime(), way) }
    }

    /// Begins the bridge of a link between two devices.
    ///
    /// # Safety
    ///
    /// As for [`connect`](Self::connect).
    pub(super) unsafe fn start_bridge(
        &self,
        link: &Resolved,
        source: &AnyHandle,
        target: &AnyHandle,
    ) -> Result<(Arc<Crossing>, Arc<Task>), ConnectError> {
        let from = (source.shared_arc(), link.port);
        let targets = vec![(target.shared_arc().clone(), link.variant)];
        let options = self.bridge.unwrap_or_default();
        // SAFETY: as the caller promises.
        unsafe { Crossing::start(from, targets, Spread::All, true, options, self.backpressure) }
    }
}

impl RunningTopology {
    pub(super) fn handle_of(&self, member: usize) -> &AnyHandle {
        let name = &self.plan.nodes[member].name;
        let found = self.kernels.iter().find(|(handle, _)| handle.control().name() == name);
        &found.expect("each was launched").0
    }

    /// Whether the topology could have been launched with this kernel in that place.
    pub(super) fn check_replacement(
        &mut self,
        member: usize,
        bound: &AnyBound,
        options: &LaunchOptions,
    ) -> Result<Around, ReplaceError> {
        let kernel = self.plan.nodes[member].name.clone();
        let of_kernel = |error| TopologyProblem::Kernel { kernel: kernel.clone(), error };
        let mut problems: Vec<_> = bound.problems(options).map(of_kernel).collect();
        let before = self.plan.links(&mut Vec::new());
        let node = Node { name: kernel.clone(), bound: bound.bare(), options: options.clone() };
        let old = std::mem::replace(&mut self.plan.nodes[member], node);
        let links = self.plan.links(&mut problems);
        let needed = if problems.is_empty() { self.plan.memory(&links) } else { 0 };
        if let Some(limit) = self.plan.max_memory.filter(|&limit| limit < needed) {
            problems.push(TopologyProblem::Memory { needed, limit });
        }
        self.plan.nodes[member] = old;
        for (number, link) in
            links.iter().enumerate().filter(|(_, link)| link.variant.is_some() && !link.bridged)
        {
            let source = self.handle_of(link.from).shared();
            if link.to == member && link.from != member && !source.core.options.shape.into_variants {
                let (from, to) = (&self.plan.edges[number].from, &self.plan.edges[number].to);
                let source = source.core.name.clone();
                let problem = ConnectError::NotIntoVariants { source, target: kernel.clone() }.to_string();
                problems.push(TopologyProblem::Link { from: from.clone(), to: to.clone(), problem });
            }
        }
        match problems.is_empty() {
            true => Ok(Around { links, before, member }),
            false => Err(ReplaceError::Invalid { kernel, problems }),
        }
    }

    /// Whether something leads to or from the old kernel that cannot be led elsewhere.
    pub(super) fn check_held(
        &self,
        around: &Around,
        old: &Arc<KernelShared>,
        new: &'static KernelDefinition,
    ) -> Result<(), ReplaceError> {
        match self.held_by_its_kind(around, new).or_else(|| self.held_now(around, old)) {
            Some(why) => Err(ReplaceError::Held { kernel: old.core.name.clone(), why }),
            None => Ok(()),
        }
    }

    /// What the kernels are by which one of them cannot be replaced.
    fn held_by_its_kind(&self, around: &Around, new: &'static KernelDefinition) -> Option<String> {
        let of = |member: usize| self.plan.nodes[member].bound.definition();
        let as_they_are = around.before().map(|link| (link, of(link.from)));
        let next = |link: &Resolved| if link.from == around.member { new } else { of(link.from) };
        let as_they_will_be = around.coming().chain(around.going()).map(|(_, link)| (link, next(link)));
        for (link, definition) in as_they_are.chain(as_they_will_be) {
            let source = &self.plan.nodes[link.from].name;
            if definition.peers.is_some() {
                return Some(format!(
                    "`{source}` sends by addresses or topics, and an address is that of one launch: terminate and launch it by hand, \
                     connect `{source}` again, tell the new address to those who use it, and let the topology adopt it"
                ));
            }
            if link.port.is_some_and(|port| definition.ports[port].ask.is_some()) {
                return Some(format!(
                    "`{source}` asks, and answers may be on their way: deactivate it, replace the kernel by hand, and let the topology \
                     adopt it"
                ));
            }
        }
        if self.plan.has_names(&self.plan.nodes[around.member].name) {
            return Some("it has topics, which are those of one launch: replace it by hand, and let the topology adopt it".into());
        }
        None
    }

    /// What leads to the old kernel now, or from it, and how it is. The program may change that at any time.
    pub(super) fn held_now(&self, around: &Around, old: &Arc<KernelShared>) -> Option<String> {
        let is_pinned = |kernel: &KernelShared| {
            // SYNC: pins (acquire)
            kernel.through.as_ref().is_some_and(|through| through.pins.load(Ordering::Acquire) != 0)
        };
        let senders = around.coming().map(|(_, link)| self.handle_of(link.from).shared());
        if let Some(pinned) = senders.chain([&**old]).find(|kernel| is_pinned(kernel)) {
            let name = &pinned.core.name;
            return Some(format!(
                "a `Pipeline` leads over the links of `{name}`: drop it, and make it anew afterwards"
            ));
        }
        if old.core.is_finished() {
            return None;
        }
        if !old.is_active() {
            return Some("it is inactive, and would not handle what it has: activate it first".into());
        }
        let known = old.links.known();
        let is_ours = |feed: &Feed<KernelShared>| {
            let is_it = |link: &Resolved| {
                !link.bridged
                    && link.port.unwrap_or(0) == feed.outbox
                    && std::ptr::eq(feed.source.as_ptr(), self.handle_of(link.from).shared())
            };
            around.before().filter(|link| link.to == around.member).any(is_it)
        };
        let foreign = known.feeds.iter().filter(|feed| !is_ours(feed)).find_map(|feed| feed.source.upgrade());
        if let Some(foreign) = foreign {
            let name = &foreign.core.name;
            return Some(format!(
                "the program has connected `{name}` to it: disconnect that first, and connect it anew afterwards"
            ));
        }
        let goes = |target: &Target<KernelShared>| {
            let is_it = |link: &Resolved| {
                !link.bridged
                    && link.port.unwrap_or(0) == target.outbox
                    && std::ptr::eq(target.kernel.as_ptr(), self.handle_of(link.to).shared())
            };
            around.before().filter(|link| link.from == around.member).any(is_it)
        };
        let foreign =
            known.targets.iter().filter(|target| !goes(target)).find_map(|target| target.kernel.upgrade());
        if let Some(foreign) = foreign {
            let name = &foreign.core.name;
            return Some(format!(
                "the program has connected it to `{name}`: disconnect it first, and connect it anew afterwards"
            ));
        }
        let is_own = |number: u64| self.bridges.iter().any(|bridge| bridge.crossing.number() == number);
        let coming = old.feeders().iter().map(Feeding::number).find(|&number| !is_own(number));
        let other = old.bridges.looks().into_iter().find(|look| !look.has_ended && !is_own(look.number));
        if coming.is_some() || other.is_some() {
            return Some("bridges of the program lead to it or from it: stop them first, and begin them anew afterwards".into());
        }
        None
    }

    /// Launches the new kernel, inactive, as a launch of the topology would.
    pub(super) async fn launch_beside(
        &self,
        around: &Around,
        bound: AnyBound,
        options: LaunchOptions,
        runtime: &Runtime,
    ) -> Result<AnyHandle, LaunchError> {
        let options = match is_linked(&around.links, around.member) {
            true => linked_options(&around.links, around.member, options),
            false => options,
        };
        launching::launch(bound.unnamed(), runtime.clone(), options.active(false)).await
    }

    /// Connects the new kernel as the old one was. All that send to it are inactive, and so is it.
    pub(super) fn connect_in_place(&self, around: &Around, new: &AnyHandle) -> Result<(), ConnectError> {
        let of = |member: usize| if member == around.member { new } else { self.handle_of(member) };
        let coming = around.coming().filter(|(_, link)| link.from != around.member);
        for (number, link) in coming.chain(around.going()).filter(|(_, link)| !link.bridged) {
            let (source, target) = (of(link.from), of(link.to));
            // What has ended is connected to nobody.
            if source.shared().core.is_finished() || target.shared().core.is_finished() {
                continue;
            }
            // SAFETY: the check has compared them.
            let connected = unsafe { self.plan.edges[number].connect(link, source, target) };
            // Nor is what ends meanwhile.
            let ends = |member: usize| member != around.member && of(member).shared().is_ending();
            match connected {
                Err(_) if ends(link.from) || ends(link.to) => {}
                connected => connected?,
            }
        }
        Ok(())
    }

    /// Begins the bridges to and from the new kernel. Those of the old one have carried all, or end now.
    pub(super) async fn begin_bridges(&mut self, around: &Around, limit: Duration) {
        let coming = around.coming().filter(|(_, link)| link.from != around.member);
        for (number, link) in coming.chain(around.going()).filter(|(_, link)| link.bridged) {
            let (source, target) = (self.handle_of(link.from).clone(), self.handle_of(link.to).clone());
            let Some(bridge) = self.bridges.iter_mut().find(|bridge| bridge.edge == number) else { continue };
            // The old kernel has ended: one that led to it brings nothing, and one from it has its last outputs.
            let clock = &source.shared().core.clock;
            if link.to == around.member || within(clock, limit, bridge.crossing.until_ended()).await.is_none()
            {
                bridge.crossing.stop(&bridge.task);
            }
            // SAFETY: the check has compared them.
            let started = unsafe { self.plan.edges[number].start_bridge(link, &source, &target) };
            // To a kernel that has ended meanwhile nothing leads: the check has found out all else.
            if let Ok((crossing, task)) = started {
                (bridge.crossing, bridge.task) = (crossing, task);
            }
        }
    }
}
