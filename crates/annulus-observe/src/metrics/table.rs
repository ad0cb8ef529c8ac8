//! The metrics: names, kinds, units, and what they mean.
//!
//! OpenTelemetry's names are those of its conventions for messaging where these fit: what is put into a
//! kernel is *sent* to a destination, what its blocks take is *consumed*. `messaging.process.duration` does
//! not fit: it is the time of processing alone, and no block reads a clock for that. Latencies here begin when
//! the message was sent. The conventions are still in development: this table is the one place to change.

/// How the values of a metric behave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricKind {
    /// It only grows, also when a kernel is launched again under its name.
    Counter,
    /// It goes up and down.
    Gauge,
    /// Counts by size. OpenTelemetry has no histogram that is observed: there it is gauges of quantiles.
    Histogram,
}

/// A metric.
#[derive(Debug, PartialEq, Eq)]
pub struct Metric {
    /// What OpenTelemetry calls it.
    pub otel: &'static str,
    /// What Prometheus calls it: with its unit, and `_total` for counters.
    pub prometheus: &'static str,
    /// How its values behave.
    pub kind: MetricKind,
    /// Its unit, as OpenTelemetry writes it (UCUM).
    pub unit: &'static str,
    /// What it counts or measures.
    pub help: &'static str,
    /// Whether it is known for each shard.
    pub per_shard: bool,
    /// Its place in the [table](METRICS).
    pub(crate) place: usize,
}

/// A dimension of a metric.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label {
    /// What OpenTelemetry calls it.
    pub otel: &'static str,
    /// What Prometheus calls it.
    pub prometheus: &'static str,
}

/// The name that the kernel runs under.
pub(crate) static KERNEL: Label = Label { otel: "messaging.destination.name", prometheus: "kernel" };
/// The number of the shard, if shards were asked for.
pub(crate) static SHARD: Label = Label { otel: "messaging.destination.partition.id", prometheus: "shard" };
/// The backend.
pub(crate) static BACKEND: Label = Label { otel: "annulus.backend", prometheus: "backend" };
/// The file name of the executable, of other processes.
pub static PROCESS: Label = Label { otel: "process.executable.name", prometheus: "process" };
/// The number of the process, of other processes.
pub static PID: Label = Label { otel: "process.pid", prometheus: "pid" };
/// Which of a process's runtimes, from the second on: `2`, `3`.
pub(crate) static RUNTIME: Label = Label { otel: "annulus.runtime", prometheus: "runtime" };
/// The device, in [`KERNEL_INFO`].
pub(crate) static DEVICE: Label = Label { otel: "annulus.device", prometheus: "device" };
/// The kernel's own name, in [`KERNEL_INFO`].
pub(crate) static DEFINITION: Label = Label { otel: "annulus.kernel.definition", prometheus: "definition" };
/// The name of its message type, in [`KERNEL_INFO`].
pub(crate) static MESSAGE: Label = Label { otel: "annulus.message.type", prometheus: "message" };
/// The layout of its messages, in [`KERNEL_INFO`].
pub(crate) static MESSAGE_LAYOUT: Label =
    Label { otel: "annulus.message.layout", prometheus: "message_layout" };
/// The name of its output type, in [`KERNEL_INFO`].
pub(crate) static OUTPUT: Label = Label { otel: "annulus.output.type", prometheus: "output" };
/// The layout of its outputs, in [`KERNEL_INFO`].
pub(crate) static OUTPUT_LAYOUT: Label = Label { otel: "annulus.output.layout", prometheus: "output_layout" };
/// Of processes that have the same number as one that came before and lives: in hexadecimal, when the runtime was built,
/// as in its file's name.
pub static PROCESS_INSTANCE: Label =
    Label { otel: "annulus.process.instance", prometheus: "process_instance" };
/// Why messages were dropped.
pub(crate) static CAUSE: Label = Label { otel: "annulus.drop.cause", prometheus: "cause" };
/// One of several outboxes.
pub(crate) static OUTBOX: Label = Label { otel: "annulus.outbox", prometheus: "outbox" };
/// The name of a bridge's source.
pub(crate) static FROM: Label = Label { otel: "annulus.bridge.from", prometheus: "from" };
/// The name of a bridge's target, or those of several.
pub(crate) static TO: Label = Label { otel: "annulus.bridge.to", prometheus: "to" };
/// Why a batch of a bridge was delivered.
pub(crate) static BATCH: Label = Label { otel: "annulus.bridge.batch.cause", prometheus: "cause" };
/// What shards are at.
pub(crate) static STATE: Label = Label { otel: "annulus.shard.state", prometheus: "state" };
/// What memory is for.
pub(crate) static PART: Label = Label { otel: "annulus.memory.part", prometheus: "part" };
/// Where it lies.
pub(crate) static PLACE: Label = Label { otel: "annulus.memory.place", prometheus: "place" };

macro_rules! metrics {
    ($($(#[doc = $doc:literal])+ $name:ident: $kind:ident $otel:literal $prometheus:literal $unit:literal $shards:literal $help:literal;)+) => {
        /// The metrics by number.
        #[expect(non_camel_case_types, reason = "they bear the names of the metrics")]
        #[expect(clippy::upper_case_acronyms, reason = "as above")]
        enum Place { $($name),+ }

        $($(#[doc = $doc])+
        pub(crate) static $name: Metric = Metric {
            otel: $otel,
            prometheus: $prometheus,
            kind: MetricKind::$kind,
            unit: $unit,
            help: $help,
            per_shard: $shards,
            place: Place::$name as usize,
        };)+

        /// All metrics, in the order in which they are shown.
        pub static METRICS: &[&Metric] = &[$(&$name),+];
    };
}

metrics! {
    /// Messages that were put into the inbound rings.
    SENT: Counter "messaging.client.sent.messages" "annulus_messages_sent_total" "{message}" true
        "Messages that were put into the kernel's inbound rings, and by other kernels into its rings in a device's memory.";
    /// Messages that the blocks have taken.
    CONSUMED: Counter "messaging.client.consumed.messages" "annulus_messages_consumed_total" "{message}" true
        "Messages that the kernel's blocks have taken.";
    /// Messages whose handler succeeded.
    PROCESSED: Counter "annulus.kernel.messages.processed" "annulus_messages_processed_total" "{message}" true
        "Messages whose handler succeeded.";
    /// Messages that were not processed, by cause.
    DROPPED: Counter "annulus.kernel.messages.dropped" "annulus_messages_dropped_total" "{message}" true
        "Messages that were not processed, by cause: failed and unknown_actor by the blocks, the others by the queues in front of them.";
    /// Messages that handlers sent.
    OUTPUTS: Counter "annulus.kernel.outputs.sent" "annulus_outputs_sent_total" "{message}" true
        "Messages that the kernel's handlers sent.";
    /// Outputs for a connected kernel that were lost.
    OUTPUTS_LOST: Counter "annulus.kernel.outputs.lost" "annulus_outputs_lost_total" "{message}" true
        "Outputs for a connected kernel that were lost.";
    /// What outboxes sent to connected kernels.
    OUTBOX_SENT: Counter "annulus.kernel.outbox.sent" "annulus_outbox_sent_total" "{message}" true
        "Messages that went to a connected kernel, by outbox, of kernels with several outboxes.";
    /// What was lost of it.
    OUTBOX_LOST: Counter "annulus.kernel.outbox.lost" "annulus_outbox_lost_total" "{message}" true
        "Messages for a connected kernel that were lost, by outbox, of kernels with several outboxes.";
    /// Messages to itself that were taken.
    TIMERS_TAKEN: Counter "annulus.kernel.timers.taken" "annulus_timers_taken_total" "{message}" true
        "Messages of the kernel to itself that were taken when their time had come.";
    /// Actors that gave way to others.
    ACTORS_EVICTED: Counter "annulus.kernel.actors.evicted" "annulus_actors_evicted_total" "{actor}" true
        "Actors that gave way to others, of kernels whose keys are sparse.";
    /// Actors that have ended.
    ACTORS_ENDED: Counter "annulus.kernel.actors.ended" "annulus_actors_ended_total" "{actor}" true
        "Actors that their handlers have ended, of kernels whose keys are sparse.";
    /// Records of messages that were followed.
    TRACES_RECORDED: Counter "annulus.kernel.traces.recorded" "annulus_traces_recorded_total" "{record}" true
        "Records of messages that were followed, one for each kernel that has handled it.";
    /// Those that were lost.
    TRACES_LOST: Counter "annulus.kernel.traces.lost" "annulus_traces_lost_total" "{record}" true
        "Records of messages that were followed which were lost, since the host had not collected the earlier ones.";
    /// Dead letters that were lost.
    DEAD_LETTERS_LOST: Counter "annulus.kernel.dead_letters.lost" "annulus_dead_letters_lost_total" "{message}" true
        "Dead letters that were lost, since the host had not collected the earlier ones.";
    /// Handlers that took too long.
    SLOW: Counter "annulus.kernel.messages.slow" "annulus_messages_slow_total" "{message}" false
        "Messages whose handler took longer than the launch's slow_after.";
    /// Launches under this name.
    LAUNCHES: Counter "annulus.kernel.launches" "annulus_kernel_launches_total" "{launch}" false
        "Launches under the kernel's name that were seen. More than one: it was launched again.";
    /// Messages that wait.
    DEPTH: Gauge "annulus.kernel.queue.depth" "annulus_queue_depth" "{message}" true
        "Messages that wait to be handled: in the inbound rings, in the queues in front; a kernel's also in a device's memory.";
    /// How many could wait.
    CAPACITY: Gauge "annulus.kernel.queue.capacity" "annulus_queue_capacity" "{message}" true
        "How many messages can wait.";
    /// The share of the capacity that is taken: of the queues for what the host sends, or of the rings in a device's memory.
    UTILIZATION: Gauge "annulus.kernel.queue.utilization" "annulus_queue_utilization_ratio" "1" true
        "The share that is taken, 0 to 1: of the capacity, or of a kernel's rings in a device's memory if those are fuller.";
    /// Outputs that nobody has received.
    OUTPUTS_WAITING: Gauge "annulus.kernel.outputs.waiting" "annulus_outputs_waiting" "{message}" true
        "Outputs that wait until somebody receives them.";
    /// Outputs that wait for room in a kernel.
    OUTBOX_HELD: Gauge "annulus.kernel.outbox.held" "annulus_outbox_held" "{message}" true
        "Messages that wait for room in a connected kernel, by outbox, of kernels with several outboxes.";
    /// Messages to itself that wait.
    TIMERS_WAITING: Gauge "annulus.kernel.timers.waiting" "annulus_timers_waiting" "{message}" true
        "Messages of the kernel to itself that wait until their time comes.";
    /// Actors that there are.
    ACTORS: Gauge "annulus.kernel.actors" "annulus_actors" "{actor}" true
        "Actors that the kernel has, if its keys are sparse.";
    /// Actors that there is room for.
    ACTORS_CAPACITY: Gauge "annulus.kernel.actors.capacity" "annulus_actors_capacity" "{actor}" true
        "How many actors there is room for, of kernels whose keys are sparse: each shard has room for as many.";
    /// Asks whose answers have not come.
    ASKS_OPEN: Gauge "annulus.kernel.asks.open" "annulus_asks_open" "{ask}" true
        "Asks of the kernel whose answers have not come, of kernels that set timers or ask.";
    /// Shards by state.
    SHARDS: Gauge "annulus.kernel.shards" "annulus_shards" "{shard}" false
        "The kernel's shards, by state.";
    /// Shards that are stuck.
    STUCK: Gauge "annulus.kernel.shards.stuck" "annulus_shards_stuck" "{shard}" false
        "Shards that take no message although some wait, for longer than the limit.";
    /// The health of the kernel.
    HEALTH: Gauge "annulus.kernel.health" "annulus_kernel_health" "1" false
        "How well the kernel is: 0 healthy, 1 degraded, 2 unhealthy.";
    /// The last error code.
    LAST_ERROR: Gauge "annulus.kernel.last_error" "annulus_kernel_last_error" "1" true
        "The code of the last failure; 0 for none.";
    /// What it is.
    KERNEL_INFO: Gauge "annulus.kernel.info" "annulus_kernel_info" "1" false
        "1, with what the kernel is as labels: its device, its own name, its types with size, alignment and hash of their layouts.";
    /// Its memory, of each part that has any.
    MEMORY: Gauge "annulus.kernel.memory" "annulus_kernel_memory_bytes" "By" false
        "The bytes of the kernel's memory, by what they are for and where they lie: the sum is all of it.";
    /// Shards that work.
    IN_HANDLER: Gauge "annulus.kernel.shards.in_handler" "annulus_shards_in_handler" "{shard}" true
        "Shards that this look found in a handler: its mean over many looks, for each shard, is the share of time in handlers.";
    /// How long it has run.
    UPTIME: Gauge "annulus.kernel.uptime" "annulus_kernel_uptime_seconds" "s" false
        "Time since the kernel was launched.";
    /// Latencies that telemetry has measured.
    LATENCIES: Counter "annulus.kernel.latency.measured" "annulus_latency_measured_total" "{message}" true
        "Messages whose latency was measured, while telemetry is enabled.";
    /// The sum of these latencies.
    LATENCY_SUM: Counter "annulus.kernel.latency.sum" "annulus_latency_measured_seconds_total" "s" true
        "The sum of these latencies, each from the sending to the end of the handlers of its turn.";
    /// The shortest.
    LATENCY_MIN: Gauge "annulus.kernel.latency.min" "annulus_latency_min_seconds" "s" true
        "The shortest latency since telemetry was enabled or reset.";
    /// The longest.
    LATENCY_MAX: Gauge "annulus.kernel.latency.max" "annulus_latency_max_seconds" "s" true
        "The longest latency since telemetry was enabled or reset.";
    /// All latencies, of kernels that track them.
    LATENCY: Histogram "annulus.kernel.latency" "annulus_latency_seconds" "s" false
        "The latencies of all messages, of kernels that track them; seen from inside. The sum is at most 1/32 too high.";
    /// Messages that bridges have moved.
    BRIDGE_MOVED: Counter "annulus.bridge.messages.moved" "annulus_bridge_moved_total" "{message}" false
        "Messages that bridges have moved: that their target has accepted. If each goes to all of several targets, each copy counts.";
    /// Their bytes.
    BRIDGE_BYTES: Counter "annulus.bridge.payload.moved" "annulus_bridge_moved_bytes_total" "By" false
        "The bytes of the messages that bridges have moved.";
    /// Messages of bridges that were dropped, by cause.
    BRIDGE_DROPPED: Counter "annulus.bridge.messages.dropped" "annulus_bridge_dropped_total" "{message}" false
        "Messages of bridges that their target did not take, by cause.";
    /// Messages that bridges have driven out of their targets.
    BRIDGE_EVICTED: Counter "annulus.bridge.messages.evicted" "annulus_bridge_evicted_total" "{message}" false
        "Messages in a bridge's target that were evicted for those of the bridge: the target counts them among its drops.";
    /// Batches of bridges, by why they were delivered.
    BRIDGE_BATCHES: Counter "annulus.bridge.batches" "annulus_bridge_batches_total" "{batch}" false
        "Batches that bridges have delivered, by cause: full, its time had come, or the source had ended.";
    /// Bridges that have begun.
    BRIDGES_BEGUN: Counter "annulus.bridge.begun" "annulus_bridges_begun_total" "{bridge}" false
        "Bridges of this source and target that were seen. What is more than those that work has ended.";
    /// Bridges that work.
    BRIDGES: Gauge "annulus.bridge.working" "annulus_bridges_working" "{bridge}" false
        "Bridges of this source and target that work.";
    /// Those of them that wait.
    BRIDGES_WAITING: Gauge "annulus.bridge.waiting" "annulus_bridges_waiting" "{bridge}" false
        "Those of them that wait, since their target has no room.";
    /// Messages that bridges hold.
    BRIDGE_HELD: Gauge "annulus.bridge.held" "annulus_bridge_held" "{message}" false
        "Messages that bridges which work have taken from their sources, and that are not delivered: at most a batch for each.";
    /// Kernels whose entries in the file are damaged.
    DAMAGED_ENTRIES: Gauge "annulus.process.vitals.damaged_entries" "annulus_vitals_damaged_entries" "{entry}" false
        "Entries of a vitals file's directory that do not match their checks: so many kernels may be missing here.";
    /// What the file lacks.
    MISSING_BYTES: Gauge "annulus.process.vitals.missing" "annulus_vitals_missing_bytes" "By" false
        "How many bytes a vitals file lacks, since it was cut off.";
    /// Whether a process lives.
    UP: Gauge "annulus.process.up" "annulus_process_up" "1" false
        "Whether a process that keeps a vitals file lives: 0 after it has died, until its file is removed.";
}
