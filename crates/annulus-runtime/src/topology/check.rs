//! What must hold of a topology before anything of it is launched.

use std::fmt;

use annulus_kernel::{KernelDefinition, KeyDescriptor, MOST_PEERS, PortDefinition, TypeDescriptor, TypeKind};
use annulus_queue::Backpressure;

use super::{
    Edge, Topology, TopologyError,
    cycles::{Cycles, deepest_first},
};
use crate::{
    bridge::{BridgeOptions, MOST_MESSAGES},
    error::LaunchError,
    links::{
        peers::has_address,
        topics::{check_name, check_pattern, publishes},
    },
    options::LaunchOptions,
};

/// What a check of a topology has found out: how it will be launched, and what to know of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TopologyPlan {
    /// The kernels in the order of their launch: targets before their sources. In a cycle, in any order.
    pub order: Vec<String>,
    /// Kernels that no kernel sends to: the host does.
    pub entries: Vec<String>,
    /// Kernels that send to the host, by at least one of their outboxes.
    pub exits: Vec<String>,
    /// Kernels that send to each other in a cycle under Block. If all rings of a cycle are full, it stands still:
    /// [`Stall`](crate::Stall). Each way round is one, up to 64 of them.
    pub cycles: Vec<Vec<String>>,
    /// The links that lead from one [device](Topology::on) to another, and so are bridges: the kernel that sends, with its
    /// outbox if the link names it, and the one that receives.
    pub bridges: Vec<(String, String)>,
    /// The bytes of the kernels' shards: rings, control words and histograms, at most, and of what blocks may
    /// [hold](crate::LaunchOptions::hold). States, bound tables, and on a device second inbound rings, come on top.
    pub memory: u64,
}

/// Something that keeps a topology from being launched.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TopologyProblem {
    /// It has no kernel.
    Empty,
    /// Two kernels have this name.
    SameName(String),
    /// A kernel cannot be launched so.
    Kernel {
        /// Its name.
        kernel: String,
        /// Why.
        error: LaunchError,
    },
    /// A link cannot be.
    Link {
        /// The kernel that sends, and its outbox.
        from: String,
        /// The kernel that receives.
        to: String,
        /// Why, and the remedy.
        problem: String,
    },
    /// A device was given to a kernel that is not there.
    Place {
        /// The name of the kernel.
        kernel: String,
        /// That of the device.
        device: String,
        /// Why, and the remedy.
        problem: String,
    },
    /// The name of a topic cannot be.
    Topic {
        /// The kernel that publishes.
        kernel: String,
        /// Why, and the remedy.
        problem: String,
    },
    /// The kernels' shards need more memory than they may.
    Memory {
        /// The bytes that they need.
        needed: u64,
        /// The bytes that they may have.
        limit: u64,
    },
}

impl fmt::Display for TopologyProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("it has no kernel: add one"),
            Self::SameName(name) => write!(f, "two kernels are called `{name}`: give each its own name"),
            Self::Kernel { kernel, error } => write!(f, "`{kernel}`: {error}"),
            Self::Link { from, to, problem } => write!(f, "link from `{from}` to `{to}`: {problem}"),
            Self::Place { kernel, device, problem } => write!(f, "`{kernel}` on `{device}`: {problem}"),
            Self::Topic { kernel, problem } => write!(f, "topics of `{kernel}`: {problem}"),
            Self::Memory { needed, limit } => write!(
                f,
                "its kernels need {needed} bytes, and max_memory is {limit}: lower capacities or grids, or raise \
                 max_memory"
            ),
        }
    }
}

/// What a cycle may do, in the words of the guide. `names` are joined.
pub(super) fn warning(names: &str) -> String {
    format!(
        "`{names}` is a cycle: if all its rings are full it stands still; keep fewer messages under way than the \
         rings hold, or use Reject for one link"
    )
}

/// A link between two kernels that are there, by numbers.
pub(super) struct Resolved {
    pub(super) from: usize,
    /// The outbox, if the kernel has several.
    pub(super) port: Option<usize>,
    pub(super) to: usize,
    /// The variant of the target's message that takes what is sent, if the message itself does not.
    pub(super) variant: Option<usize>,
    /// Whether it leads to another device.
    pub(super) bridged: bool,
}

/// A topology that can be launched.
pub(super) struct Checked {
    /// In the order of the edges.
    pub(super) links: Vec<Resolved>,
    /// Numbers of the kernels, targets first.
    pub(super) order: Vec<usize>,
    pub(super) plan: TopologyPlan,
}

impl Checked {
    /// Whether links of its own device lead from or to this kernel.
    pub(super) fn is_linked(&self, kernel: usize) -> bool {
        is_linked(&self.links, kernel)
    }
}

pub(super) fn is_linked(links: &[Resolved], kernel: usize) -> bool {
    links.iter().any(|link| !link.bridged && (link.from == kernel || link.to == kernel))
}

/// The options of a kernel that is linked so.
pub(super) fn linked_options(links: &[Resolved], kernel: usize, options: LaunchOptions) -> LaunchOptions {
    let wraps = |link: &Resolved| link.from == kernel && link.variant.is_some() && !link.bridged;
    let into_variants = options.shape.into_variants || links.iter().any(wraps);
    options.connectable(true).into_variants(into_variants)
}

impl Topology {
    /// Checks it without a runtime: names, outboxes, types and keys of links, options, what is bound, what
    /// devices can run, memory; and of [asks](crate::prelude::Ask), whether a kernel answers what it is asked, sends nothing
    /// on, and has room for those who ask it. What a runtime alone knows, such as a backend's devices, a launch checks kernel
    /// by kernel.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::Topology;
    /// let topology = Topology::new().kernel("keep", keep::bind(), keep::options()).link("keep", "twice");
    /// let error = topology.check().unwrap_err().to_string();
    /// assert!(error.contains("say how many keys there are with .actors(n)")); // both problems at once
    /// assert!(error.contains("no kernel is called `twice`; there are keep"));
    /// ```
    ///
    /// # Errors
    ///
    /// [`TopologyError::Invalid`] lists every problem.
    pub fn check(&self) -> Result<TopologyPlan, TopologyError> {
        self.checked().map(|checked| checked.plan)
    }

    pub(super) fn checked(&self) -> Result<Checked, TopologyError> {
        let mut problems = Vec::new();
        if self.nodes.is_empty() && self.absent.is_empty() {
            problems.push(TopologyProblem::Empty);
        }
        for (index, node) in self.nodes.iter().enumerate() {
            let named_so = |other: &super::Node| other.name == node.name;
            let is_new = |problems: &[_]| !problems.contains(&TopologyProblem::SameName(node.name.clone()));
            if self.nodes[..index].iter().any(named_so) && is_new(&problems) {
                problems.push(TopologyProblem::SameName(node.name.clone()));
            }
            let kernel = || node.name.clone();
            let wrong = node.bound.problems(&node.options);
            problems.extend(wrong.map(|error| TopologyProblem::Kernel { kernel: kernel(), error }));
        }
        let links = self.links(&mut problems);
        let is_there = |kernel: &str| self.nodes.iter().any(|node| node.name == kernel);
        let nowhere = self
            .places
            .iter()
            .filter(|(kernel, _)| !is_there(kernel) && !self.absent_names().any(|absent| absent == kernel));
        problems.extend(nowhere.map(|(kernel, device)| TopologyProblem::Place {
            kernel: kernel.clone(),
            device: device.clone(),
            problem: self.unknown(kernel),
        }));
        for (kernel, name) in &self.names {
            let problem = match self.nodes.iter().find(|node| node.name == *kernel) {
                None => Some(self.unknown(kernel)),
                Some(node) if !publishes(node.bound.definition()) => Some(format!(
                    "`{kernel}` publishes nothing: it has no topics; take the name away, or publish by an \
                         `&Outbox<Published<T>>`"
                )),
                Some(_) => check_name(name).err().map(|error| error.to_string()),
            };
            problems
                .extend(problem.map(|problem| TopologyProblem::Topic { kernel: kernel.clone(), problem }));
        }
        // Layouts are known of good options alone.
        let memory = if problems.is_empty() { self.memory(&links) } else { 0 };
        if let Some(limit) = self.max_memory.filter(|&limit| limit < memory) {
            problems.push(TopologyProblem::Memory { needed: memory, limit });
        }
        if !problems.is_empty() {
            return Err(TopologyError::Invalid(problems));
        }
        let (order, cycles) = self.order(&links);
        let name = |&index: &usize| self.nodes[index].name.clone();
        let all = 0..self.nodes.len();
        let plan = TopologyPlan {
            order: order.iter().map(name).collect(),
            entries: all
                .clone()
                .filter(|index| links.iter().all(|l| l.to != *index))
                .map(|i| name(&i))
                .collect(),
            exits: all.filter(|&index| self.sends_to_the_host(index, &links)).map(|i| name(&i)).collect(),
            cycles: cycles.iter().map(|cycle| cycle.iter().map(name).collect()).collect(),
            bridges: links
                .iter()
                .zip(&self.edges)
                .filter(|(link, _)| link.bridged)
                .map(|(_, edge)| (edge.from.clone(), edge.to.clone()))
                .collect(),
            memory,
        };
        Ok(Checked { links, order, plan })
    }

    /// The links of all edges, and what is wrong with them.
    pub(super) fn links(&self, problems: &mut Vec<TopologyProblem>) -> Vec<Resolved> {
        let mut links: Vec<Resolved> = Vec::new();
        for edge in &self.edges {
            if let Some(unknown) = self.with_absent(edge) {
                let (from, to) = (&edge.from, &edge.to);
                let link = |problem| TopologyProblem::Link { from: from.clone(), to: to.clone(), problem };
                problems.extend(unknown.map(link));
                continue;
            }
            let link = self.resolve(edge).and_then(|link| {
                let same = || links.iter().filter(|other| (other.from, other.port) == (link.from, link.port));
                if self.nodes[link.from].bound.definition().peers.is_none() {
                    return match same().next() {
                        None => Ok(link),
                        Some(_) => {
                            Err("an outbox has one target, and this one has another already: remove one".into())
                        }
                    };
                }
                match same().any(|other| other.to == link.to) {
                    true => Err("they are linked twice: remove one".into()),
                    false if same().count() == MOST_PEERS => Err(format!(
                        "`{}` has links to {MOST_PEERS} others, and these are all that it can have: share them among \
                         several kernels",
                        edge.from
                    )),
                    false => Ok(link),
                }
            });
            match link {
                Ok(link) => links.push(link),
                Err(problem) => {
                    let (from, to) = (edge.from.clone(), edge.to.clone());
                    problems.push(TopologyProblem::Link { from, to, problem });
                }
            }
        }
        problems.extend(self.asks(&links));
        links
    }

    /// The bytes of all shards. All options are good.
    pub(super) fn memory(&self, links: &[Resolved]) -> u64 {
        let bytes = |(index, node): (usize, &super::Node)| {
            let linked = is_linked(links, index) || self.has_names(&node.name);
            node.bound
                .shard_bytes(&node.options.clone().connectable(linked || node.options.shape.connectable))
        };
        self.nodes.iter().enumerate().map(bytes).sum()
    }

    /// Whether it names topics of this kernel: then the kernel is connected, if to nobody.
    pub(super) fn has_names(&self, kernel: &str) -> bool {
        self.names.iter().any(|(named, _)| named == kernel)
    }

    pub(super) fn sends_to_the_host(&self, kernel: usize, links: &[Resolved]) -> bool {
        if self.has_names(&self.nodes[kernel].name) {
            return false;
        }
        let definition = self.nodes[kernel].bound.definition();
        let linked = links.iter().filter(|link| link.from == kernel).count();
        definition.output.is_some() && linked < definition.ports.len().max(1)
    }

    fn unknown(&self, name: &str) -> String {
        let names: Vec<_> = self.nodes.iter().map(|node| &*node.name).chain(self.absent_names()).collect();
        format!("no kernel is called `{name}`; there are {}", names.join(", "))
    }

    fn absent_names(&self) -> impl Iterator<Item = &str> {
        self.absent.iter().map(String::as_str)
    }

    /// Of a link from or to a kernel that the program has not, what is wrong with it all the same: its other end.
    fn with_absent(&self, edge: &Edge) -> Option<Option<String>> {
        let is_absent = |name: &str| self.absent_names().any(|absent| absent == name);
        let is_there = |name: &str| is_absent(name) || self.nodes.iter().any(|node| node.name == name);
        let kernel = edge.from.rsplit_once('.').map_or(&*edge.from, |(kernel, _)| kernel);
        // A name may have a point in it.
        let from = if is_there(&edge.from) { &*edge.from } else { kernel };
        let ends = [from, &*edge.to];
        let unknown = || ends.into_iter().find(|name| !is_there(name)).map(|name| self.unknown(name));
        ends.into_iter().any(is_absent).then(unknown)
    }

    /// The kernels and the outbox that a link names, or what is wrong with it.
    pub(super) fn resolve(&self, edge: &Edge) -> Result<Resolved, String> {
        if !matches!(edge.backpressure, Backpressure::Block | Backpressure::Reject) {
            return Err(format!(
                "{:?} is not offered between kernels: use Block or Reject",
                edge.backpressure
            ));
        }
        let find = |name: &str| self.nodes.iter().position(|node| node.name == name);
        let unknown = |name: &str| self.unknown(name);
        let (from, outbox) = match (find(&edge.from), edge.from.rsplit_once('.')) {
            (Some(from), _) => (from, None),
            (None, Some((kernel, outbox))) => (find(kernel).ok_or_else(|| unknown(kernel))?, Some(outbox)),
            (None, None) => return Err(unknown(&edge.from)),
        };
        let to = find(&edge.to).ok_or_else(|| unknown(&edge.to))?;
        let (source, target) = (self.nodes[from].bound.definition(), self.nodes[to].bound.definition());
        let port = outbox_of(source, outbox, target)?;
        if source.rows.is_some() {
            return Err(format!(
                "`{}` sends along the rows of a graph, and links of a topology have none: leave this link out, and connect it \
                 with connect_along(..) when the topology runs",
                edge.from
            ));
        }
        if let (Some(pattern), false) = (edge.patterns.first(), publishes(source)) {
            return Err(format!(
                "`{}` publishes nothing: nobody takes topics such as `{pattern}` of it; take the pattern away, or publish \
                 by an `&Outbox<Published<T>>`",
                edge.from
            ));
        }
        edge.patterns
            .iter()
            .try_for_each(|pattern| check_pattern(pattern))
            .map_err(|error| error.to_string())?;
        let (sends, key) = match port {
            None if let Some(peers) = source.peers => (peers.message, peers.key_field),
            Some(port) => (source.ports[port].output, source.ports[port].output_key_field),
            None => (source.output.expect("`outbox_of` has found it"), source.output_key_field),
        };
        let variant = check_types(edge, sends, key, target)?;
        if source.peers.is_some() && !has_address(variant) {
            return Err(format!(
                "`{}` takes `{}` in a variant behind its first 255, and only these have addresses: put it in front",
                edge.to, sends.name
            ));
        }
        let bridged = self.device_of(&self.nodes[from]) != self.device_of(&self.nodes[to]);
        if bridged {
            self.check_bridge(edge, port, from, to)?;
        } else if edge.bridge.is_some() {
            return Err(format!(
                "both run on {}, so this link is no bridge, and has no batches: leave its messages and its delay out, or \
                 put one of the two kernels on another device",
                self.place(from)
            ));
        }
        Ok(Resolved { from, port, to, variant, bridged })
    }

    /// Refuses a link between two devices that no bridge can be.
    fn check_bridge(&self, edge: &Edge, port: Option<usize>, from: usize, to: usize) -> Result<(), String> {
        let source = self.nodes[from].bound.definition();
        if let Some(BridgeOptions { messages, .. }) = edge.bridge
            && !(1..=MOST_MESSAGES).contains(&messages)
        {
            return Err(format!(
                "a batch of this bridge has {messages} messages, and must have 1 to {MOST_MESSAGES}: change `messages`"
            ));
        }
        let why = match port.and_then(|port| source.ports[port].ask) {
            Some(_) => "asks, and an answer comes from a kernel of its own device",
            None if publishes(source) => "publishes, to kernels of its own device",
            None if source.peers.is_some() => {
                "says whom its outputs are for, and that are kernels of its own device"
            }
            None => return Ok(()),
        };
        Err(format!(
            "`{}` {why}; it runs on {}, and `{}` on {}: put both on one device, or a kernel in between",
            edge.from,
            self.place(from),
            edge.to,
            self.place(to)
        ))
    }

    /// The device that a kernel runs on, in words.
    fn place(&self, node: usize) -> String {
        match self.device_of(&self.nodes[node]) {
            None => "the launch's own device".into(),
            Some(device) => format!("`{device}`"),
        }
    }

    /// Kernels so that targets come before their sources, and the cycles that can stand still: those of links that
    /// wait.
    fn order(&self, links: &[Resolved]) -> (Vec<usize>, Vec<Vec<usize>>) {
        let targets_by = |is_meant: fn(&Edge) -> bool| {
            let mut targets = vec![Vec::new(); self.nodes.len()];
            for (link, _) in links.iter().zip(&self.edges).filter(|(_, edge)| is_meant(edge)) {
                if !targets[link.from].contains(&link.to) {
                    targets[link.from].push(link.to);
                }
            }
            targets
        };
        let all = targets_by(|_| true);
        let (mut seen, mut order) = (vec![false; self.nodes.len()], Vec::new());
        (0..self.nodes.len()).for_each(|kernel| deepest_first(&all, kernel, &mut seen, &mut order));
        (order, Cycles::of(&targets_by(|edge| edge.backpressure == Backpressure::Block)))
    }
}

/// The number of the outbox that a link begins at, if the kernel has several: by its name, or the only one that
/// sends what the target takes.
fn outbox_of(
    source: &KernelDefinition,
    outbox: Option<&str>,
    target: &KernelDefinition,
) -> Result<Option<usize>, String> {
    if source.output.is_none() {
        return Err(format!("`{}` sends nothing: its handler has no `&Outbox`", source.name));
    }
    let ports = source.ports;
    // A reply answers who asked: it is not connected.
    let outboxes = || ports.iter().enumerate().filter(|(_, port)| !port.is_reply);
    let names = || outboxes().map(|(_, port)| port.name).collect::<Vec<_>>().join(", ");
    match outbox {
        Some(outbox) if ports.is_empty() => {
            Err(format!("`{}` has one outbox, and none is called `{outbox}`: leave that out", source.name))
        }
        Some(outbox) => match ports.iter().position(|port| port.name == outbox) {
            None => Err(format!("`{}` has no outbox `{outbox}`; it has {}", source.name, names())),
            Some(reply) if ports[reply].is_reply => Err(format!(
                "`{outbox}` of `{}` answers who asked: connect an outbox ({}), and let this one be",
                source.name,
                names()
            )),
            found => Ok(found),
        },
        None if ports.is_empty() => Ok(None),
        None => {
            let fits = |port: &PortDefinition| {
                *port.output == *target.message || taken_by(target).any(|(_, ty)| *ty == *port.output)
            };
            // The type of an only one is compared where links are.
            let is_only = outboxes().count() == 1;
            let mut fitting = outboxes().filter(|(_, port)| is_only || fits(port));
            match (fitting.next(), fitting.next()) {
                (Some((one, _)), None) => Ok(Some(one)),
                _ => Err(format!("`{}` has several outboxes: say which of {}", source.name, names())),
            }
        }
    }
}

/// The types that variants of a kernel's message take (`#[ring(from)]`), with the variants' numbers.
fn taken_by(target: &KernelDefinition) -> impl Iterator<Item = (usize, &'static TypeDescriptor)> {
    let variants = match target.message.kind {
        TypeKind::Enum { variants, .. } => variants,
        _ => &[],
    };
    target.from.iter().map(|&number| (number, variants[number].fields[0].ty))
}

/// The number of the variant that takes what is sent, if the message itself does not.
fn check_types(
    edge: &Edge,
    sends: &TypeDescriptor,
    key: Option<KeyDescriptor>,
    target: &KernelDefinition,
) -> Result<Option<usize>, String> {
    let Edge { from, to, .. } = edge;
    if let Some(bridged) = target.bridged {
        let name = bridged.name;
        return Err(format!("`{to}` takes bridged messages, of type `{name}`, which only the host can send"));
    }
    let variant = taken_by(target).find(|(_, ty)| ty.difference(sends).is_none()).map(|(number, _)| number);
    if let (Some(difference), None) = (target.message.difference(sends), variant) {
        let also: String = taken_by(target).map(|(_, ty)| format!(" or `{}`", ty.name)).collect();
        let (sends, takes) = (sends.name, target.message.name);
        return Err(format!("`{from}` sends `{sends}`, and `{to}` takes `{takes}`{also}: {difference}"));
    }
    let taken = match (variant, target.key_field) {
        (Some(variant), Some(KeyDescriptor::Held(keys))) => keys[variant].of,
        (_, key) => key,
    };
    if key != taken {
        return Err(format!(
            "`{from}` and `{to}` have each a type `{}`, and these have not the same `#[ring(key)]`: use one type",
            sends.name
        ));
    }
    Ok(variant)
}
