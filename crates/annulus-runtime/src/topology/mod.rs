//! Several kernels and the links between them as one value, which is checked whole before anything is launched.

mod around;
mod asks;
mod check;
mod cycles;
mod draw;
#[cfg(feature = "toml")]
mod file;
mod replace;
#[cfg(feature = "toml")]
mod words;

use std::{fmt, sync::Arc, time::Duration};

use annulus_kernel::RingKernel;
use annulus_queue::Backpressure;

use crate::{
    bridge::{BridgeOptions, KernelBridgeStatus, carry::Crossing, task::Task, upstream::shut_down},
    elsewhere::elsewhere,
    error::{ConnectError, LaunchError, debug_in_words},
    handle::AnyHandle,
    handle::control::KernelControl,
    kernel::lifecycle::ShutdownOutcome,
    launch::{bound::Bound, runtime::Runtime, start::AnyBound},
    links::{
        peers::{Reached, address_of},
        topics::{TopicError, Topics},
    },
    options::LaunchOptions,
};

pub use check::{TopologyPlan, TopologyProblem};
pub use replace::{ReplaceError, Replaced, Replacement};
#[cfg(feature = "toml")]
pub use words::in_toml;

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
    /// Kernels, and the devices that they are for.
    places: Vec<(String, String)>,
    max_memory: Option<u64>,
    /// Names of kernels that a text has and the program has not: nothing else is known of them. It is never launched then.
    absent: Vec<String>,
}

struct Node {
    name: String,
    bound: AnyBound,
    options: LaunchOptions,
}

#[derive(Clone)]
struct Edge {
    /// The kernel, and with a point in between its outbox, if it has several.
    from: String,
    to: String,
    backpressure: Backpressure,
    /// What the target takes from the beginning, of a kernel that publishes.
    patterns: Vec<String>,
    /// How the bridge works; only of a link that is one.
    bridge: Option<BridgeOptions>,
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
    /// A kernel is for a device that the launch does not name.
    #[error(
        "`{kernel}` is for the device `{device}`, and the launch names {}: give it a runtime with launch_on",
        if .named.is_empty() { "none".to_owned() } else { .named.join(", ") }
    )]
    Device {
        /// The kernel.
        kernel: String,
        /// The device's name.
        device: String,
        /// Those that the launch names.
        named: Vec<String>,
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
        let options = bound.options(options).name(name);
        self.nodes.push(Node { name: name.into(), bound, options });
        self
    }

    /// The kernel runs on the device of this name, which [`launch_on`](Self::launch_on) gives a runtime. Without this it
    /// runs on the launch's own. A link between kernels of two devices is a [bridge](crate::KernelHandle::bridge_to):
    /// the host carries the messages. Kernels that say whom their outputs are for, that publish or that ask, reach
    /// kernels of their own device.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::Topology;
    /// let topology = Topology::new()
    ///     .kernel("sort", sort::bind(), sort::options())
    ///     .kernel("twice", double::bind(), double::options())
    ///     .on("twice", "accelerator")
    ///     .link("sort.even", "twice");
    /// assert_eq!(topology.devices(), ["accelerator"]);
    /// assert_eq!(topology.check()?.bridges, [("sort.even".to_owned(), "twice".to_owned())]);
    ///
    /// let (here, there) = (Runtime::builder().build()?, Runtime::builder().build()?);
    /// let running = topology.launch_on(&here, &[("accelerator", &there)])?;
    /// here.handle::<sort>("sort")?.send_batch_blocking(&numbers(3..5))?;
    /// assert_eq!(there.receiver::<Number>("twice")?.recv_blocking()?, Number { value: 8 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    #[must_use]
    pub fn on(mut self, kernel: &str, device: &str) -> Self {
        self.places.retain(|(other, _)| other != kernel);
        self.places.push((kernel.into(), device.into()));
        self
    }

    /// The names of the devices that its kernels are for, each once, in the order of the kernels.
    ///
    /// ```
    /// # use annulus_runtime::Topology;
    /// assert!(Topology::new().devices().is_empty());
    /// ```
    pub fn devices(&self) -> Vec<&str> {
        let mut devices: Vec<&str> = Vec::new();
        for device in self.nodes.iter().filter_map(|node| self.device_of(node)) {
            if !devices.contains(&device) {
                devices.push(device);
            }
        }
        devices
    }

    /// The device that a kernel is for; `None` for that of the launch's own runtime.
    fn device_of(&self, node: &Node) -> Option<&str> {
        self.places.iter().find(|(kernel, _)| *kernel == node.name).map(|(_, device)| device.as_str())
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
        let (from, to) = (from.into(), to.into());
        self.edges.push(Edge { from, to, backpressure, patterns: Vec::new(), bridge: None });
        self
    }

    /// [`link_with`](Self::link_with) for a link that leads from one [device](Self::on) to another, with options of its
    /// [bridge](crate::KernelHandle::bridge_to_with).
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::{Backpressure, BridgeOptions, Topology};
    /// let topology = Topology::new()
    ///     .kernel("first", double::bind(), double::options())
    ///     .kernel("second", double::bind(), double::options())
    ///     .bridge_with("first", "second", BridgeOptions::new().messages(256), Backpressure::Block);
    /// let error = topology.check().unwrap_err().to_string();
    /// assert!(error.contains("both run on the launch's own device, so this link is no bridge"), "{error}");
    /// topology.on("second", "accelerator").check()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn bridge_with(
        self,
        from: &str,
        to: &str,
        options: BridgeOptions,
        backpressure: Backpressure,
    ) -> Self {
        let mut topology = self.link_with(from, to, backpressure);
        topology.edges.last_mut().expect("it was added").bridge = Some(options);
        topology
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

    /// Launches all of it: checks it whole, launches the kernels that are linked inactive, connects them, and activates
    /// targets before their sources. Warns of cycles that can stand still, with the target
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
        self.launch_on(runtime, &[])
    }

    /// [`launch`](Self::launch) on several runtimes: kernels that are for [a device](Self::on) run on the runtime that has
    /// its name here, the others on the first. Devices that no kernel is for may be named.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::Topology;
    /// let topology = || Topology::new().kernel("twice", double::bind(), double::options()).on("twice", "gpu");
    /// let (here, there) = (Runtime::builder().build()?, Runtime::builder().build()?);
    /// let error = topology().launch(&here).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "`twice` is for the device `gpu`, and the launch names none: give it a runtime with launch_on"
    /// );
    /// let running = topology().launch_on(&here, &[("gpu", &there)])?;
    /// assert!(there.handle::<double>("twice").is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`launch`](Self::launch), and [`TopologyError::Device`].
    pub fn launch_on(
        self,
        runtime: &Runtime,
        devices: &[(&str, &Runtime)],
    ) -> Result<RunningTopology, TopologyError> {
        let checked = self.checked()?;
        let named =
            |device: &str| devices.iter().find(|(name, _)| *name == device).map(|(_, runtime)| *runtime);
        let runtime_of = |node: &Node| match self.device_of(node) {
            None => Ok(runtime.clone()),
            Some(device) => named(device).cloned().ok_or_else(|| TopologyError::Device {
                kernel: node.name.clone(),
                device: device.into(),
                named: devices.iter().map(|(name, _)| (*name).to_owned()).collect(),
            }),
        };
        let runtimes = self.nodes.iter().map(runtime_of).collect::<Result<Vec<_>, _>>()?;
        for cycle in &checked.plan.cycles {
            let cycle = cycle.join("` to `");
            tracing::warn!(target: crate::STALL_TARGET, "{}", check::warning(&cycle));
        }
        let plan = self.bare();
        let Self { nodes, edges, names, .. } = self;
        let active: Vec<_> = nodes.iter().map(|node| node.options.shape.active).collect();
        let mut nodes: Vec<_> = nodes.into_iter().map(Some).collect();
        let mut handles: Vec<Option<AnyHandle>> = nodes.iter().map(|_| None).collect();
        for &index in &checked.order {
            let Node { name, bound, options, .. } = nodes[index].take().expect("each is in the order once");
            let linked = checked.is_linked(index) || names.iter().any(|(kernel, _)| *kernel == name);
            let bridged = checked.links.iter().any(|link| link.from == index || link.to == index);
            let options = match linked {
                true => check::linked_options(&checked.links, index, options).active(false),
                false if bridged => options.active(false),
                false => options,
            };
            let launched = bound.launch(&runtimes[index], options);
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
        let mut bridges = Vec::new();
        for (number, (link, edge)) in checked.links.iter().zip(&edges).enumerate() {
            if says(link) {
                continue;
            }
            let (source, target) = (handle(link.from), handle(link.to));
            if link.bridged {
                // SAFETY: the check has compared them.
                let started = unsafe { edge.start_bridge(link, source, target) };
                let (crossing, task) = started.map_err(|error| {
                    let (from, to) = (edge.from.clone(), edge.to.clone());
                    TopologyError::Connect { from, to, error }
                })?;
                bridges.push(RunningBridge { edge: number, crossing, task });
                continue;
            }
            // SAFETY: the check has compared them.
            let connected = unsafe { edge.connect(link, source, target) };
            connected.map_err(|error| {
                let (from, to) = (edge.from.clone(), edge.to.clone());
                TopologyError::Connect { from, to, error }
            })?;
        }
        for &index in checked.order.iter().filter(|&&index| active[index]) {
            // It may have been lost meanwhile; its handle says so, as after any launch.
            let _ = annulus_sync::wait::block_on(handle(index).control().activate());
        }
        let of = |&index: &usize| Some((handles[index].take()?, runtimes[index].clone()));
        let kernels = checked.order.iter().filter_map(of).collect();
        Ok(RunningTopology { kernels, bridges, topics, plan, runtime: runtime.clone() })
    }

    /// The same, without what is bound to its kernels.
    fn bare(&self) -> Self {
        let bare = |node: &Node| Node {
            name: node.name.clone(),
            bound: node.bound.bare(),
            options: node.options.clone(),
        };
        Self {
            nodes: self.nodes.iter().map(bare).collect(),
            edges: self.edges.clone(),
            names: self.names.clone(),
            places: self.places.clone(),
            max_memory: self.max_memory,
            absent: Vec::new(),
        }
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
    /// Targets before their sources, each with its runtime.
    kernels: Vec<(AnyHandle, Runtime)>,
    /// The links that lead from device to device.
    bridges: Vec<RunningBridge>,
    /// Those of its kernels that publish.
    topics: Vec<(String, Topics)>,
    /// What runs, for whoever replaces a part of it.
    plan: Topology,
    runtime: Runtime,
}

/// A link from device to device.
struct RunningBridge {
    /// Its number among the links.
    edge: usize,
    crossing: Arc<Crossing>,
    task: Arc<Task>,
}

impl RunningTopology {
    /// The launch's own runtime, which finds its kernels by their names: [`handle`](Runtime::handle),
    /// [`sender`](Runtime::sender), [`receiver`](Runtime::receiver). [`runtime_of`](Self::runtime_of) is that of one
    /// kernel.
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

    /// The runtime that the kernel of this name runs on; `None` if there is no such kernel.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::Topology;
    /// let topology = Topology::new().kernel("twice", double::bind(), double::options());
    /// let running = topology.launch(&Runtime::builder().build()?)?;
    /// assert_eq!(running.runtime_of("twice").ok_or("it runs")?.backend(), "cpu");
    /// assert!(running.runtime_of("thrice").is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn runtime_of(&self, kernel: &str) -> Option<&Runtime> {
        let is_it = |(handle, _): &&(AnyHandle, Runtime)| handle.control().name() == kernel;
        self.kernels.iter().find(is_it).map(|(_, runtime)| runtime)
    }

    /// What the bridges between its devices have done so far, in the order of the links. Those of a kernel that was
    /// [replaced](Self::replace) began anew then.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::Topology;
    /// # use std::time::Duration;
    /// let topology = Topology::new()
    ///     .kernel("first", double::bind(), double::options())
    ///     .kernel("second", double::bind(), double::options())
    ///     .on("second", "there")
    ///     .link("first", "second");
    /// let (here, there) = (Runtime::builder().build()?, Runtime::builder().build()?);
    /// let running = topology.launch_on(&here, &[("there", &there)])?;
    /// here.handle::<double>("first")?.send_batch_blocking(&numbers(0..10))?;
    /// running.shutdown_blocking(Duration::from_secs(60));
    /// assert_eq!(running.bridges()[0].moved, 10);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn bridges(&self) -> Vec<KernelBridgeStatus> {
        self.bridges.iter().map(|bridge| bridge.crossing.status()).collect()
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
        self.kernels.iter().map(|(handle, _)| handle.control()).collect()
    }

    /// Shuts its kernels down, sources before their targets, all within `limit`; see [`Runtime::shutdown`]. A kernel that
    /// bridges lead to waits for what they carry: until their sources have ended, and all outputs of these have come. If
    /// the limit passes first, the bridges are stopped, and their [status](Self::bridges) says how much each holds; what
    /// else they had not taken waits in their [sources](KernelControl::status). Of a cycle over bridges, the first kernel
    /// that ends takes nothing more: what comes for it after that is [lost](KernelBridgeStatus::lost).
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
        let kernels = self.kernels.iter().rev().map(|(handle, _)| handle.shared_arc().clone());
        shut_down(kernels.collect(), limit)
    }
}

impl fmt::Debug for RunningTopology {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.kernels.iter().map(|(handle, _)| handle.control().name()).collect();
        f.debug_struct("RunningTopology").field("kernels", &names).finish_non_exhaustive()
    }
}
