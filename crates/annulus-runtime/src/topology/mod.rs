//! Several kernels and the links between them as one value, which is checked whole before anything is launched.

mod check;
mod draw;
#[cfg(feature = "toml")]
mod file;

use std::{fmt, time::Duration};

use annulus_kernel::RingKernel;
use annulus_queue::Backpressure;

use crate::{
    elsewhere::elsewhere,
    error::{ConnectError, LaunchError, debug_in_words},
    handle::AnyHandle,
    handle::control::KernelControl,
    kernel::lifecycle::ShutdownOutcome,
    launch::{
        bound::Bound,
        runtime::{Runtime, shut_down},
        start::AnyBound,
    },
    links::{
        connect::Way,
        peers::{Reached, address_of},
        topics::{TopicError, Topics},
    },
    options::LaunchOptions,
};

pub use check::{TopologyPlan, TopologyProblem};

/// Kernels, and the links between them.
///
/// ```
/// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
/// # use kernels::*;
/// # use annulus::Topology;
/// # use std::time::Duration;
/// let topology = Topology::new()
///     .kernel("sort", sort::bind(), sort::options())
///     .kernel("twice", double::bind(), double::options())
///     .link("sort.even", "twice");
/// let plan = topology.check()?; // names, types, outboxes, options, memory: every problem at once
/// assert_eq!(plan.order, ["twice", "sort"]); // targets first
///
/// let running = topology.launch(&Runtime::builder().build()?)?;
/// let runtime = running.runtime();
/// runtime.handle::<sort>("sort")?.send_batch_blocking(&numbers(3..5))?;
/// assert_eq!(runtime.receiver::<Number>("twice")?.recv_blocking()?, Number { value: 8 });
/// assert_eq!(runtime.receiver::<Number>("sort.odd")?.recv_blocking()?, Number { value: 3 });
///
/// let outcomes = running.shutdown_blocking(Duration::from_secs(60)); // sources first
/// assert_eq!(outcomes.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["sort", "twice"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct Topology {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    /// Kernels that publish, and names of their topics that patterns take from the beginning.
    names: Vec<(String, String)>,
    max_memory: Option<u64>,
    /// Names of kernels that a text has and the program has not: nothing else is known of them. It is never launched then.
    absent: Vec<String>,
}

struct Node {
    name: String,
    bound: AnyBound,
    options: LaunchOptions,
}

struct Edge {
    /// The kernel, and with a point in between its outbox, if it has several.
    from: String,
    to: String,
    backpressure: Backpressure,
    /// What the target takes from the beginning, of a kernel that publishes.
    patterns: Vec<String>,
}

/// Why a topology was not launched. What had been launched of it has ended.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TopologyError {
    /// It cannot be launched anywhere; every problem is listed. Nothing was launched.
    #[error("the topology cannot be: {}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Invalid(Vec<TopologyProblem>),
    /// A kernel could not be launched on this runtime.
    #[error("`{kernel}`: {error}")]
    Launch {
        /// The kernel.
        kernel: String,
        /// Why.
        #[source]
        error: LaunchError,
    },
    /// Two kernels could not be connected.
    #[error("link from `{from}` to `{to}`: {error}")]
    Connect {
        /// The kernel that sends, and its outbox.
        from: String,
        /// The kernel that receives.
        to: String,
        /// Why.
        #[source]
        error: ConnectError,
    },
    /// The topics of a kernel cannot be.
    #[error("topics of `{kernel}`: {error}")]
    Topics {
        /// The kernel that publishes.
        kernel: String,
        /// Why.
        #[source]
        error: TopicError,
    },
    /// The text is not a topology.
    #[error("{0}")]
    Text(String),
}

debug_in_words!(TopologyError);

impl Topology {
    /// Without kernels.
    ///
    /// ```
    /// # use annulus_runtime::Topology;
    /// assert!(Topology::new().check().unwrap_err().to_string().contains("it has no kernel"));
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// With one kernel more, under this name. It is connectable if a link needs it, and active once its links are
    /// connected, unless the options say `active(false)`.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::Topology;
    /// let topology = Topology::new().kernel("keep", keep::bind(), keep::options().actors(3));
    /// assert_eq!(topology.check()?.order, ["keep"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn kernel<K: RingKernel>(self, name: &str, kernel: Bound<K>, options: LaunchOptions) -> Self {
        self.add(name, kernel.any(), options)
    }

    /// The same, each kernel with the options that the function makes of its name and its options. The name stays.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::Topology;
    /// let topology = Topology::new().kernel("twice", double::bind(), double::options());
    /// // All of it is followed.
    /// let topology = topology.map_options(|_, options| options.tracing(true));
    /// # topology.check()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn map_options(mut self, mut options: impl FnMut(&str, LaunchOptions) -> LaunchOptions) -> Self {
        for node in &mut self.nodes {
            node.options = options(&node.name, node.options.clone()).name(&node.name);
        }
        self
    }

    pub(crate) fn add(mut self, name: &str, bound: AnyBound, options: LaunchOptions) -> Self {
        self.nodes.push(Node { name: name.into(), bound, options: options.name(name) });
        self
    }

    /// With a link more: what the kernel `from` sends, or its outbox (`"validate.good"`), are messages of `to`; the
    /// backpressure is Block. The kernel's name suffices if one of its outboxes alone sends what `to` takes.
    ///
    /// An outbox has one target. But a kernel whose outputs say whom they are for ([`Addressed`](annulus_kernel::Addressed),
    /// [`Published`](annulus_kernel::Published)) has a link to each kernel that they may go to, 15 at most. The program asks for their
    /// addresses: [`Runtime::peer`].
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::Topology;
    /// let topology = Topology::new()
    ///     .kernel("twice", double::bind(), double::options())
    ///     .kernel("keep", keep::bind(), keep::options().actors(3))
    ///     .link("twice", "keep");
    /// assert_eq!(
    ///     topology.check().unwrap_err().to_string(),
    ///     "the topology cannot be: link from `twice` to `keep`: `twice` sends `Number`, and `keep` takes `Deposit`: \
    ///      field `account` stands there where `value` stands here"
    /// );
    /// ```
    #[must_use]
    pub fn link(self, from: &str, to: &str) -> Self {
        self.link_with(from, to, Backpressure::Block)
    }

    /// [`link`](Self::link) with Block or Reject; see
    /// [`KernelHandle::connect_with`](crate::KernelHandle::connect_with).
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::Topology;
    /// let cycle = Topology::new().kernel("a", double::bind(), double::options()).link("a", "a");
    /// assert_eq!(cycle.check()?.cycles, [["a"]]);
    /// let topology = Topology::new().kernel("a", double::bind(), double::options());
    /// let topology = topology.link_with("a", "a", Backpressure::Reject);
    /// assert!(topology.check()?.cycles.is_empty()); // it cannot stand still
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn link_with(mut self, from: &str, to: &str, backpressure: Backpressure) -> Self {
        self.edges.push(Edge { from: from.into(), to: to.into(), backpressure, patterns: Vec::new() });
        self
    }

    /// With a subscription more: from the beginning, the kernel `to` takes what the kernel `from` publishes on the topics of
    /// this [pattern](Topics::subscribe). If there is no link between them, there is one now, under Block.
    ///
    /// ```
    /// # extern crate annulus_runtime as annulus;
    /// # use annulus::{Noop, Topology, TopicStatus, prelude::*};
    /// # #[derive(RingMessage, Clone, Copy)]
    /// # #[repr(C)]
    /// # struct Line {
    /// #     room: Topic,
    /// #     number: u32,
    /// # }
    /// # #[ring_kernel]
    /// # fn show(line: &Line, shown: &Outbox<Line>) {
    /// #     shown.send(*line);
    /// # }
    /// #[ring_kernel]
    /// fn chat(line: &Line, rooms: &Outbox<Published<Line>>) {
    ///     rooms.send(Published { topic: line.room, message: *line });
    /// }
    ///
    /// let topology = Topology::new()
    ///     .kernel("anna", show::bind(), show::options())
    ///     .kernel("bert", show::bind(), show::options())
    ///     .kernel("chat", chat::bind(), chat::options())
    ///     .subscribe("chat", "room.garden", "anna")
    ///     .subscribe("chat", "room.*", "bert")
    ///     .topic("chat", "room.kitchen");
    /// # let runtime = Runtime::builder().backend(Noop).build()?;
    /// let running = topology.launch(&runtime)?;
    /// let topics = running.topics("chat").ok_or("it publishes")?;
    /// let takers = topics.known()?.into_iter().map(|topic| topic.takers.len());
    /// assert_eq!(takers.collect::<Vec<_>>(), [2, 1]); // of the garden, and of the kitchen
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn subscribe(self, from: &str, pattern: &str, to: &str) -> Self {
        let is_meant = |edge: &Edge| edge.from == from && edge.to == to;
        let mut topology = match self.edges.iter().any(is_meant) {
            true => self,
            false => self.link(from, to),
        };
        let edge = topology.edges.iter_mut().find(|edge| is_meant(edge)).expect("it was added");
        edge.patterns.push(pattern.into());
        topology
    }

    /// With the name of a topic more, which patterns of subscriptions take from the beginning, as with
    /// [`Topics::name`]. A name that is itself the pattern of a subscription need not be given.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::Topology;
    /// let topology = Topology::new().kernel("twice", double::bind(), double::options()).topic("twice", "room.garden");
    /// let error = topology.check().unwrap_err().to_string();
    /// assert!(error.contains("`twice` publishes nothing: it has no topics"), "{error}");
    /// ```
    #[must_use]
    pub fn topic(mut self, kernel: &str, name: &str) -> Self {
        self.names.push((kernel.into(), name.into()));
        self
    }

    /// Refused if its shards need more bytes than this.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::Topology;
    /// let topology = Topology::new().kernel("a", double::bind(), double::options()).max_memory(1 << 10);
    /// assert!(topology.check().unwrap_err().to_string().contains("lower capacities or grids, or raise max_memory"));
    /// ```
    #[must_use]
    pub fn max_memory(mut self, bytes: u64) -> Self {
        self.max_memory = Some(bytes);
        self
    }

    /// Launches all of it: checks it whole, launches the kernels inactive, connects them, and activates targets
    /// before their sources. Warns of cycles that can stand still, with the target
    /// [`STALL_TARGET`](crate::STALL_TARGET).
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::Topology;
    /// let topology = Topology::new().kernel("twice", double::bind(), double::options());
    /// let running = topology.launch(&Runtime::builder().build()?)?;
    /// assert_eq!(running.kernels()[0].name(), "twice");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`TopologyError`]. Nothing of the topology runs then.
    pub fn launch(self, runtime: &Runtime) -> Result<RunningTopology, TopologyError> {
        let checked = self.checked()?;
        for cycle in &checked.plan.cycles {
            let cycle = cycle.join("` to `");
            tracing::warn!(target: crate::STALL_TARGET, "{}", check::warning(&cycle));
        }
        let Self { nodes, edges, names, .. } = self;
        let active: Vec<_> = nodes.iter().map(|node| node.options.shape.active).collect();
        let mut nodes: Vec<_> = nodes.into_iter().map(Some).collect();
        let mut handles: Vec<Option<AnyHandle>> = nodes.iter().map(|_| None).collect();
        for &index in &checked.order {
            let Node { name, bound, options } = nodes[index].take().expect("each is in the order once");
            let linked = checked.links.iter().any(|link| link.from == index || link.to == index)
                || names.iter().any(|(kernel, _)| *kernel == name);
            let wrapped = |link: &check::Resolved| link.from == index && link.variant.is_some();
            let into_variants = options.shape.into_variants || checked.links.iter().any(wrapped);
            let options = match linked {
                true => options.connectable(true).active(false).into_variants(into_variants),
                false => options,
            };
            let launched = bound.launch(runtime, options);
            handles[index] = Some(launched.map_err(|error| TopologyError::Launch { kernel: name, error })?);
        }
        let handle = |index: usize| handles[index].as_ref().expect("all were launched");
        // Those that one kernel sends to by what its outputs say are connected together.
        let says = |link: &check::Resolved| handle(link.from).shared_arc().core().definition.peers.is_some();
        let mut topics = Vec::new();
        for &index in &checked.order {
            let kernel = handle(index);
            let name = || kernel.control().name().to_owned();
            let Some(peers) = kernel.shared_arc().core().definition.peers else { continue };
            let links = || checked.links.iter().zip(&edges).filter(|(link, _)| link.from == index);
            let its_names = || names.iter().filter(|(kernel, _)| *kernel == name()).map(|(_, name)| name);
            if links().next().is_none() && its_names().next().is_none() {
                continue;
            }
            let reached = links().map(|(link, edge)| {
                let (kernel, variant) = (handle(link.to).shared_arc().clone(), link.variant);
                let address = address_of(&kernel, peers.message, variant);
                (Reached { address, kernel, variant, backpressure: edge.backpressure }, edge)
            });
            let (reached, edges): (Vec<_>, Vec<_>) = reached.unzip();
            let addresses: Vec<_> = reached.iter().map(|reached| reached.address).collect();
            let (shared, its) = (kernel.shared_arc(), kernel.runtime());
            let changes = shared.changes_to(its, reached);
            // SAFETY: the check has compared what goes to peers with the messages of each, and with what their variants
            // take.
            let connected = changes.and_then(|changes| unsafe { shared.change_links(changes, None) });
            let version = connected.map_err(|error| {
                let to = edges.iter().map(|edge| edge.to.as_str()).collect::<Vec<_>>().join(", ");
                TopologyError::Connect { from: name(), to, error }
            })?;
            if peers.by_topic {
                let its = Topics::of(shared, version);
                let mut patterns = edges
                    .iter()
                    .zip(addresses)
                    .flat_map(|(edge, address)| edge.patterns.iter().map(move |pattern| (pattern, address)));
                let subscribed = its_names().try_for_each(|name| its.name(name).map(drop)).and_then(|()| {
                    patterns.try_for_each(|(pattern, address)| its.subscribe_address(pattern, address))
                });
                subscribed.map_err(|error| TopologyError::Topics { kernel: name(), error })?;
                topics.push((name(), its));
            }
        }
        for (link, edge) in checked.links.iter().zip(&edges).filter(|(link, _)| !says(link)) {
            let (source, target) = (handle(link.from), handle(link.to));
            let way = Way { port: link.port, variant: link.variant, backpressure: edge.backpressure };
            let (kernel, its, theirs) = (source.shared_arc(), source.runtime(), target.runtime());
            // SAFETY: the check has compared what the outbox sends with the target's messages, and with what its
            // variants take.
            let connected = unsafe { kernel.connect(its, target.shared_arc(), theirs, way) };
            connected.map_err(|error| {
                let (from, to) = (edge.from.clone(), edge.to.clone());
                TopologyError::Connect { from, to, error }
            })?;
        }
        for &index in checked.order.iter().filter(|&&index| active[index]) {
            // It may have been lost meanwhile; its handle says so, as after any launch.
            let _ = annulus_sync::wait::block_on(handle(index).control().activate());
        }
        let handles = checked.order.iter().filter_map(|&index| handles[index].take()).collect();
        Ok(RunningTopology { handles, topics, runtime: runtime.clone() })
    }
}

impl fmt::Debug for Topology {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.nodes.iter().map(|node| &node.name).collect();
        f.debug_struct("Topology").field("kernels", &names).finish_non_exhaustive()
    }
}

/// A topology that runs. Dropping it ends its kernels, as dropping their handles does: those that others hold a
/// handle of go on.
pub struct RunningTopology {
    /// Targets before their sources.
    handles: Vec<AnyHandle>,
    /// Those of its kernels that publish.
    topics: Vec<(String, Topics)>,
    runtime: Runtime,
}

impl RunningTopology {
    /// The runtime, which finds the kernels by their names: [`handle`](Runtime::handle),
    /// [`sender`](Runtime::sender), [`receiver`](Runtime::receiver).
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::Topology;
    /// let topology = Topology::new().kernel("twice", double::bind(), double::options());
    /// let running = topology.launch(&Runtime::builder().build()?)?;
    /// let twice = running.runtime().handle::<double>("twice")?;
    /// assert_eq!(twice.call_blocking(Number { value: 21 })?, Number { value: 42 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// Who takes which topics of the kernel of this name: to be changed while it runs. `None` if there is no such kernel, if
    /// it publishes nothing, or if the topology has neither links from it nor topics. See
    /// [`Topology::subscribe`].
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::Topology;
    /// let topology = Topology::new().kernel("twice", double::bind(), double::options());
    /// let running = topology.launch(&Runtime::builder().build()?)?;
    /// assert!(running.topics("twice").is_none()); // it publishes nothing
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn topics(&self, kernel: &str) -> Option<&Topics> {
        self.topics.iter().find(|(name, _)| name == kernel).map(|(_, topics)| topics)
    }

    /// Its kernels, targets before their sources.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::Topology;
    /// let topology = Topology::new().kernel("twice", double::bind(), double::options());
    /// let running = topology.launch(&Runtime::builder().build()?)?;
    /// println!("{}", running.kernels()[0].status());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn kernels(&self) -> Vec<&KernelControl> {
        self.handles.iter().map(AnyHandle::control).collect()
    }

    /// Shuts its kernels down, sources before their targets, all within `limit`; see [`Runtime::shutdown`].
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::Topology;
    /// # use std::time::Duration;
    /// # annulus::block_on(async {
    /// let topology = Topology::new().kernel("twice", double::bind(), double::options());
    /// let running = topology.launch(&Runtime::builder().build()?)?;
    /// assert_eq!(running.shutdown(Duration::from_secs(60)).await.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn shutdown(self, limit: Duration) -> Vec<(String, ShutdownOutcome)> {
        elsewhere("annulus-shutdown", move || self.shutdown_blocking(limit)).await
    }

    /// [`shutdown`](Self::shutdown), blocking.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::{ShutdownOutcome, Topology};
    /// # use std::time::Duration;
    /// let topology = Topology::new().kernel("twice", double::bind(), double::options());
    /// let running = topology.launch(&Runtime::builder().build()?)?;
    /// let outcomes = running.shutdown_blocking(Duration::from_secs(60));
    /// assert_eq!(outcomes, [("twice".to_owned(), ShutdownOutcome::Drained)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn shutdown_blocking(&self, limit: Duration) -> Vec<(String, ShutdownOutcome)> {
        // Sources first where nothing else says so.
        shut_down(self.handles.iter().rev().map(|handle| handle.shared_arc().clone()).collect(), limit)
    }
}

impl fmt::Debug for RunningTopology {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.handles.iter().map(|handle| handle.control().name()).collect();
        f.debug_struct("RunningTopology").field("kernels", &names).finish_non_exhaustive()
    }
}
