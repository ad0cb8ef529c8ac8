//! A topology as TOML.

use std::{collections::BTreeMap, time::Duration};

use annulus_kernel::{Binding, BindingDefinition, ProcessingMode};
use annulus_queue::{Backpressure, Deduplication};
use serde::Deserialize;

use super::{Topology, TopologyError, TopologyProblem, words::in_toml};
use crate::{
    bridge::BridgeOptions,
    error::LaunchError,
    launch::registered::RegisteredKernel,
    options::{LaunchOptions, RunMode},
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    max_memory: Option<u64>,
    #[serde(default)]
    kernels: BTreeMap<String, KernelTable>,
    #[serde(default)]
    links: Vec<LinkTable>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KernelTable {
    kernel: Option<String>,
    device: Option<String>,
    grid: Option<u32>,
    block: Option<u32>,
    actors: Option<u64>,
    sparse_keys: Option<bool>,
    evict_actors: Option<bool>,
    capacity: Option<u32>,
    output_capacity: Option<u32>,
    hold: Option<u32>,
    backpressure: Option<BackpressureWord>,
    dead_letters: Option<u32>,
    active: Option<bool>,
    causal: Option<bool>,
    tracing: Option<bool>,
    trace_sample: Option<f64>,
    through: Option<u32>,
    calls: Option<bool>,
    mode: Option<ModeWord>,
    max_messages_per_iteration: Option<u32>,
    priority: Option<bool>,
    deduplication: Option<DeduplicationWord>,
    deduplication_window: Option<u32>,
    expiry_us: Option<u64>,
    max_payload: Option<u32>,
    rounds: Option<bool>,
    supersteps: Option<bool>,
    timestamps: Option<bool>,
    track_latency: Option<bool>,
    spin_us: Option<u64>,
    run_mode: Option<RunModeWord>,
    leave_after: Option<u32>,
    slow_after_us: Option<u64>,
    count_turns: Option<bool>,
    black_box: Option<bool>,
    #[serde(default)]
    topics: Vec<String>,
    #[serde(default)]
    bind: BTreeMap<String, toml::Value>,
}

/// The launch options that a table of a kernel may have, where both are called alike.
pub(super) const OPTIONS: [&str; 29] = [
    "grid",
    "block",
    "actors",
    "sparse_keys",
    "evict_actors",
    "capacity",
    "output_capacity",
    "hold",
    "backpressure",
    "dead_letters",
    "active",
    "causal",
    "tracing",
    "trace_sample",
    "through",
    "calls",
    "mode",
    "max_messages_per_iteration",
    "priority",
    "deduplication",
    "deduplication_window",
    "max_payload",
    "rounds",
    "supersteps",
    "timestamps",
    "track_latency",
    "run_mode",
    "leave_after",
    "black_box",
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LinkTable {
    from: String,
    to: String,
    backpressure: Option<BackpressureWord>,
    #[serde(default)]
    topics: Vec<String>,
    messages: Option<usize>,
    delay_us: Option<u64>,
}

/// As the enum writes them.
#[derive(Clone, Copy, Deserialize)]
enum BackpressureWord {
    Block,
    Reject,
    DropOldest,
    DropNew,
}

impl From<BackpressureWord> for Backpressure {
    fn from(word: BackpressureWord) -> Self {
        match word {
            BackpressureWord::Block => Self::Block,
            BackpressureWord::Reject => Self::Reject,
            BackpressureWord::DropOldest => Self::DropOldest,
            BackpressureWord::DropNew => Self::DropNew,
        }
    }
}

/// As the enum writes them; likewise below.
#[derive(Clone, Copy, Deserialize)]
enum ModeWord {
    Continuous,
    Batch,
    Adaptive,
}

impl From<ModeWord> for ProcessingMode {
    fn from(word: ModeWord) -> Self {
        match word {
            ModeWord::Continuous => Self::Continuous,
            ModeWord::Batch => Self::Batch,
            ModeWord::Adaptive => Self::Adaptive,
        }
    }
}

#[derive(Clone, Copy, Deserialize)]
enum DeduplicationWord {
    Off,
    ById,
    ByPayload,
}

impl From<DeduplicationWord> for Deduplication {
    fn from(word: DeduplicationWord) -> Self {
        match word {
            DeduplicationWord::Off => Self::Off,
            DeduplicationWord::ById => Self::ById,
            DeduplicationWord::ByPayload => Self::ByPayload,
        }
    }
}

#[derive(Clone, Copy, Deserialize)]
enum RunModeWord {
    Persistent,
    EventDriven,
}

impl From<RunModeWord> for RunMode {
    fn from(word: RunModeWord) -> Self {
        match word {
            RunModeWord::Persistent => Self::Persistent,
            RunModeWord::EventDriven => Self::EventDriven,
        }
    }
}

impl Topology {
    /// A topology from TOML. Kernels are those of this program, by [name or path](RegisteredKernel::find).
    ///
    /// A table `kernels.NAME` has the kernel's name in the program, if it is another one, the [device](Self::on) that it runs
    /// on, if it is not the launch's own, the launch options where they differ from the kernel's attribute, in `bind` what the launch binds, and of a kernel that publishes in `topics`
    /// names that [patterns take](Self::topic). Each `links` has `from`, `to` and perhaps `backpressure`, Block or Reject, and
    /// from a kernel that publishes the patterns that are [taken](Self::subscribe), `topics`. A link between kernels of two
    /// devices may have [options of its bridge](Self::bridge_with): `messages`, and `delay_us`, in microseconds. `max_memory`
    /// is in bytes.
    ///
    /// The launch options are called as their [methods](LaunchOptions): `grid`, `block`, `actors`, `sparse_keys`,
    /// `evict_actors`, `capacity`, `output_capacity`, `hold`, `through`, `calls`, `backpressure`, `priority`, `deduplication`,
    /// `deduplication_window`, `max_payload`, `mode`, `max_messages_per_iteration`, `rounds`, `supersteps`, `run_mode`,
    /// `leave_after`, `dead_letters`, `active`, `timestamps`, `track_latency`, `count_turns`, `causal`, `tracing`, `trace_sample`
    /// and `black_box`. Times are in microseconds: `expiry_us`, `spin_us` and `slow_after_us`. Words are those of the
    /// enums, such as `mode = "Batch"`. Named queues, rows of a graph and the room for topics a program alone can give.
    ///
    /// ```
    /// # mod registered { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/registered.rs")); }
    /// # use registered::*;
    /// # use annulus_runtime::Topology;
    /// # let path = registered().path();
    /// let text = r#"
    ///     max_memory = 67108864
    ///
    ///     [kernels.first]
    ///     kernel = "double"   # or its path, my_crate::double
    ///     capacity = 256
    ///
    ///     [kernels.second]
    ///     kernel = "double"
    ///
    ///     [[links]]
    ///     from = "first"      # of several outboxes "first.even"
    ///     to = "second"
    /// "#;
    /// # let text = &text.replace("\"double\"", &format!("{path:?}"));
    /// let topology = Topology::from_toml(text)?;
    /// assert_eq!(topology.check()?.order, ["second", "first"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`TopologyError::Text`] says what is wrong with the text, and where. If the text is of this form, it says
    /// everything that is wrong with kernels' names and with what is bound, one line each, and then what the
    /// [`check`](Self::check) finds in the rest. If nothing is wrong with those, the check alone says what is wrong.
    pub fn from_toml(text: &str) -> Result<Self, TopologyError> {
        let file: File =
            toml::from_str(text).map_err(|error| TopologyError::Text(error.to_string().trim_end().into()))?;
        let mut topology = Self { max_memory: file.max_memory, ..Self::default() };
        let mut problems = Vec::new();
        // Kernels without what they bind: it has been told what is wrong with that.
        let mut unbound = Vec::new();
        for (name, table) in file.kernels {
            let asked = table.kernel.as_deref().unwrap_or(&name);
            let mut wrong = |problem: String| problems.push(format!("kernel `{name}`: {problem}"));
            let kernel = match RegisteredKernel::find(asked) {
                Ok(kernel) => kernel,
                Err(error) => {
                    wrong(error.to_string());
                    topology.absent.push(name);
                    continue;
                }
            };
            let bindings = bindings(kernel.definition().bindings, &table.bind).unwrap_or_else(|all| {
                all.into_iter().for_each(wrong);
                unbound.push(name.clone());
                Vec::new()
            });
            topology = topology.add(&name, kernel.bound(bindings), table.options(kernel.options()));
            if let Some(device) = &table.device {
                topology = topology.on(&name, device);
            }
            topology = table.topics.iter().fold(topology, |topology, topic| topology.topic(&name, topic));
        }
        for table in file.links {
            let bridge = table.bridge();
            let LinkTable { from, to, backpressure, topics, .. } = table;
            let backpressure = backpressure.map_or(Backpressure::Block, Backpressure::from);
            topology = topology.link_with(&from, &to, backpressure);
            // Of this very link, which may be a second one between the two: the check says so.
            let edge = topology.edges.last_mut().expect("it was added");
            (edge.patterns, edge.bridge) = (topics, bridge);
        }
        if problems.is_empty() {
            return Ok(topology);
        }
        // Nobody can ask for the check of what is no topology.
        if let Err(TopologyError::Invalid(others)) = topology.check() {
            let is_told = |problem: &TopologyProblem| match problem {
                TopologyProblem::Kernel { kernel, error: LaunchError::Binding { .. } } => {
                    unbound.contains(kernel)
                }
                _ => false,
            };
            problems.extend(
                others
                    .iter()
                    .filter(|problem| !is_told(problem))
                    .map(|problem| in_toml(&problem.to_string())),
            );
        }
        Err(TopologyError::Text(problems.join("\n")))
    }
}

impl LinkTable {
    /// The options of its bridge, if it has some.
    fn bridge(&self) -> Option<BridgeOptions> {
        if self.messages.is_none() && self.delay_us.is_none() {
            return None;
        }
        let mut options = BridgeOptions::default();
        if let Some(messages) = self.messages {
            options = options.messages(messages);
        }
        if let Some(micros) = self.delay_us {
            options = options.delay(Duration::from_micros(micros));
        }
        Some(options)
    }
}

impl KernelTable {
    /// The options of the kernel's attribute, changed as the table says.
    fn options(&self, mut options: LaunchOptions) -> LaunchOptions {
        let Self {
            grid,
            block,
            actors,
            sparse_keys,
            evict_actors,
            capacity,
            output_capacity,
            hold,
            backpressure,
            dead_letters,
            active,
            causal,
            tracing,
            trace_sample,
            through,
            calls,
            mode,
            max_messages_per_iteration,
            priority,
            deduplication,
            deduplication_window,
            expiry_us,
            max_payload,
            rounds,
            supersteps,
            timestamps,
            track_latency,
            spin_us,
            run_mode,
            leave_after,
            slow_after_us,
            count_turns,
            black_box,
            ..
        } = self;
        fn set<T: Copy>(to: &mut T, said: Option<T>) {
            if let Some(said) = said {
                *to = said;
            }
        }
        set(&mut options.shape.grid, *grid);
        set(&mut options.shape.block, *block);
        set(&mut options.shape.actors, *actors);
        if let Some(on) = *evict_actors {
            options = options.evict_actors(on);
        }
        set(&mut options.shape.sparse_keys, *sparse_keys);
        set(&mut options.shape.active, *active);
        set(&mut options.inbound.capacity, *capacity);
        set(&mut options.inbound.backpressure, backpressure.map(Backpressure::from));
        set(&mut options.observe.dead_letters, *dead_letters);
        options.outbound.capacity = output_capacity.or(options.outbound.capacity);
        if let Some(outputs) = *hold {
            options = options.hold(outputs);
        }
        if let Some(calls) = *through {
            options = options.through(calls);
        }
        set(&mut options.outbound.calls, *calls);
        options.shape.mode = mode.map(ProcessingMode::from).or(options.shape.mode);
        options.shape.max_messages_per_iteration =
            max_messages_per_iteration.or(options.shape.max_messages_per_iteration);
        set(&mut options.inbound.priority, *priority);
        set(&mut options.inbound.deduplication, deduplication.map(Deduplication::from));
        set(&mut options.inbound.deduplication_window, *deduplication_window);
        options.inbound.expiry = expiry_us.map(Duration::from_micros).or(options.inbound.expiry);
        set(&mut options.inbound.max_payload, *max_payload);
        if let Some(on) = *rounds {
            options = options.rounds(on);
        }
        set(&mut options.shape.supersteps, *supersteps);
        set(&mut options.observe.timestamps, *timestamps);
        set(&mut options.observe.track_latency, *track_latency);
        set(&mut options.shape.spin, spin_us.map(Duration::from_micros));
        set(&mut options.shape.run_mode, run_mode.map(RunMode::from));
        set(&mut options.shape.leave_after, *leave_after);
        options.observe.slow_after = slow_after_us.map(Duration::from_micros).or(options.observe.slow_after);
        set(&mut options.observe.count_turns, *count_turns);
        set(&mut options.observe.black_box, *black_box);
        set(&mut options.observe.causal, *causal);
        if let Some(on) = *tracing {
            options = options.tracing(on);
        }
        if let Some(part) = *trace_sample {
            options = options.trace_sample(part);
        }
        options
    }
}

/// What is bound, in the definition's order; or everything that is wrong with it.
fn bindings(
    definitions: &[BindingDefinition],
    given: &BTreeMap<String, toml::Value>,
) -> Result<Vec<Binding>, Vec<String>> {
    let names = definitions.iter().map(|definition| definition.name).collect::<Vec<_>>().join(", ");
    let binds = if definitions.is_empty() { "nothing" } else { &names };
    let unknown = given.keys().filter(|name| definitions.iter().all(|known| known.name != **name));
    let mut problems: Vec<_> = unknown.map(|name| format!("bind.{name}: the kernel binds {binds}")).collect();
    let mut bindings = Vec::with_capacity(definitions.len());
    let mut missing = Vec::new();
    for definition in definitions {
        let name = definition.name;
        match given.get(name).map(|value| Binding::read(definition, value.clone())) {
            Some(Ok(binding)) => bindings.push(binding),
            Some(Err(error)) => {
                // It may name the place within the value on a line of its own.
                let error = error.to_string();
                problems.push(format!("bind.{name}: {}", error.trim_end().replace('\n', " ")));
            }
            None => missing.push(format!("bind.{name} = …")),
        }
    }
    if !missing.is_empty() {
        problems.push(format!("it binds {names}: write {}", missing.join(" and ")));
    }
    if problems.is_empty() { Ok(bindings) } else { Err(problems) }
}
