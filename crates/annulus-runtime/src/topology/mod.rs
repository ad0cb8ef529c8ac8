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
    links::connect::Way,
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
    max_memory: Option<u64>,
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
        self.edges.push(Edge { from: from.into(), to: to.into(), backpressure });
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
        let Self { nodes, edges, .. } = self;
        let active: Vec<_> = nodes.iter().map(|node| node.options.shape.active).collect();
        let mut nodes: Vec<_> = nodes.into_iter().map(Some).collect();
        let mut handles: Vec<Option<AnyHandle>> = nodes.iter().map(|_| None).collect();
        for &index in &checked.order {
            let Node { name, bound, options } = nodes[index].take().expect("each is in the order once");
            let linked = checked.links.iter().any(|link| link.from == index || link.to == index);
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
        for (link, edge) in checked.links.iter().zip(&edges) {
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
        Ok(RunningTopology { handles, runtime: runtime.clone() })
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
