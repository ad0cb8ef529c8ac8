//! A launch: checks, the layout of a kernel's memory, and the connection of host and device.

use std::{
    iter,
    sync::{Arc, Mutex, OnceLock, Weak},
    time::Instant,
};

use annulus_abi::{
    bridged::Head,
    control::command,
    error::ErrorName,
    kernel::{KernelLayout, KernelShape},
    memory::KernelMemory,
    ring::{Envelope, MIN_CAPACITY},
    vitals::{KernelEntry, field, kernel_flags, recorder::CAUSES},
};
use annulus_kernel::{Binding, BindingKind, KernelDefinition, PrintSite, ProcessingMode, StateShape};
use annulus_queue::Backpressure;
use annulus_ring::{
    memory::{ShardMemory, SharedMemory},
    ring::{Consumer, Landings, Producers},
    sealed,
};
use annulus_sync::{
    AtomicBool, AtomicU32, AtomicU64, enlist::Enlisted, event::Event, gate::Gate, last::Last, wait::block_on,
    watched::Watched,
};

use crate::{
    Consistency,
    backend::{BackendError, DeviceBackend, HostSignals, LaunchSpec},
    error::{ConnectError, LaunchError},
    handle::{AnyHandle, look::outbox_name},
    kernel::{
        calls::CallTable,
        core::{HostShard, KernelCore},
        dead_letters::{self, DeadLetterBacklog},
        drops::HostDrops,
        front::Fronts,
        launches::Launch,
        outbound::Outbound,
        passage::Through,
        print::{self, Prints},
        shared::{HostEnds, KernelShared, Kind},
        slow::{Handlers, SlowWatch},
        told::Told,
        traced::Traced,
    },
    launch::{
        memory::{memory, size},
        registry::KernelRegistry,
        runtime::{Runtime, RuntimeInner, allocate},
    },
    links::{asks::Asked, connect::Way, topics},
    options::LaunchOptions,
    vitals::{BoxName, Boxed, NO_VITALS},
};

/// A kernel with its bound parameters and with the kernels that it is to send to, without its types.
pub(crate) struct AnyBound {
    kind: Kind,
    bindings: Vec<Binding>,
    routes: Vec<Route>,
    /// The launch options that the kernel's attribute asks for.
    attribute: fn() -> LaunchOptions,
    /// Another one has its name until it is replaced by this one.
    is_unnamed: bool,
}

/// Where a kernel's outputs, or those of one of its outboxes, go from its first message on.
pub(crate) struct Route {
    port: Option<usize>,
    /// Of the target's message, if one takes what is sent.
    variant: Option<usize>,
    /// Keeps the target until the two are connected.
    target: AnyHandle,
    backpressure: Backpressure,
}

impl Route {
    /// # Safety
    ///
    /// The kernel that has this route has as its outputs the messages of the target, or sends them by its
    /// outbox of this number; or a variant of them, the one of this number, holds that.
    pub(crate) unsafe fn new(
        port: Option<usize>,
        target: AnyHandle,
        variant: Option<usize>,
        backpressure: Backpressure,
    ) -> Self {
        Self { port, variant, target, backpressure }
    }
}

impl AnyBound {
    pub(crate) fn new(kind: Kind, bindings: Vec<Binding>, attribute: fn() -> LaunchOptions) -> Self {
        Self { kind, bindings, routes: Vec::new(), attribute, is_unnamed: false }
    }

    /// What a launch with these options has: what they do not name is what the kernel's attribute says.
    pub(crate) fn options(&self, options: LaunchOptions) -> LaunchOptions {
        options.or_of(&(self.attribute)())
    }

    /// The kernel alone, for checks of what it is linked to.
    pub(crate) fn bare(&self) -> Self {
        Self::new(self.kind, Vec::new(), self.attribute)
    }

    /// Launched without its name, which [`KernelRegistry::hand_over`] gives it.
    pub(crate) fn unnamed(self) -> Self {
        Self { is_unnamed: true, ..self }
    }

    /// With these routes, each of which was made for this kernel.
    pub(crate) fn with_routes(self, routes: Vec<Route>) -> Self {
        Self { routes, ..self }
    }

    pub(crate) fn definition(&self) -> &'static KernelDefinition {
        self.kind.definition
    }

    /// Whether it could be launched with these options, as far as this is known without a backend.
    pub(crate) fn check(&self, options: &LaunchOptions) -> Result<(), LaunchError> {
        self.problems(options).try_for_each(Err)
    }

    /// All that keeps it from being launched with these options, as far as this is known without a backend.
    pub(crate) fn problems(&self, options: &LaunchOptions) -> impl Iterator<Item = LaunchError> {
        let definition = self.kind.definition;
        let options = options.validate_for(definition, self.kind.asked.identified);
        let bindings = check_bindings(definition, &self.bindings);
        // It takes the longest, so it comes when it is asked for.
        let handler = iter::once_with(|| definition.check().map_err(LaunchError::Handler));
        [options.map_err(LaunchError::Invalid), bindings].into_iter().chain(handler).filter_map(Result::err)
    }

    /// The bytes of its shards, if a device prints what it prints and slots are not sealed: at most as many; and of what its
    /// blocks may hold.
    pub(crate) fn shard_bytes(&self, options: &LaunchOptions) -> u64 {
        let layout = layout(self.kind.definition, options, &self.kind.definition.prints());
        let held = options.outbound.hold as usize * layout.outbound.slot_stride;
        (layout.shard_bytes() + held) as u64 * u64::from(options.shape.grid)
    }

    /// All memory that a launch with these options takes.
    pub(crate) fn memory(
        self,
        runtime: &Runtime,
        options: LaunchOptions,
    ) -> Result<KernelMemory, LaunchError> {
        let definition = self.definition();
        let backend = &*runtime.inner.backend;
        check_backend(definition, backend.name())?;
        let options = self.options(options);
        self.check(&options)?;
        let options = self.routed(options);
        let memory = layout_on(backend, definition, &options).and_then(|(layout, _)| {
            memory(backend, &options, &size(definition, &options, &layout, &self.bindings))
        });
        memory.map_err(|error| LaunchError::Backend { backend: backend.name(), error })
    }

    /// The options of a launch: with routes, the kernel is connectable without being asked, and inactive until they are
    /// connected.
    fn routed(&self, options: LaunchOptions) -> LaunchOptions {
        if self.routes.is_empty() {
            return options;
        }
        let into_variants =
            options.shape.into_variants || self.routes.iter().any(|route| route.variant.is_some());
        options.connectable(true).active(false).into_variants(into_variants)
    }

    /// Launches the kernel. If it has routes, it is connectable without being asked, and inactive until they
    /// are connected: so all its outputs go where they say.
    pub(crate) fn launch(self, runtime: &Runtime, options: LaunchOptions) -> Result<AnyHandle, LaunchError> {
        // Check this first: in a forked child, a lock that was held at the fork stays held for ever.
        runtime.inner.check_process()?;
        check_backend(self.definition(), runtime.inner.backend.name())?;
        let options = self.options(options);
        self.check(&options)?;
        let active = options.shape.active;
        let options = self.routed(options);
        let Self { kind, bindings, routes, is_unnamed, .. } = self;
        let definition = kind.definition;
        let name = options.name.clone().unwrap_or_else(|| definition.name.into());
        // Before anything is compiled.
        for Route { target, .. } in &routes {
            let inner = Arc::clone(&runtime.inner) as _;
            target.shared().check_target(target.runtime(), &name, &inner).map_err(LaunchError::Connect)?;
        }
        let reserved = match is_unnamed {
            true => None,
            false => Some(runtime.inner.registry.reserve(&name)?),
        };
        let kernel = start(&runtime.inner, name.clone(), &kind, options, bindings, is_unnamed)?;
        if let Some(reserved) = reserved {
            reserved.keep();
        }
        if !routes.is_empty() {
            // If a route cannot be connected, the kernel ends with its only handle.
            routes.into_iter().try_for_each(|route| route.connect(&kernel)).map_err(LaunchError::Connect)?;
            if active {
                // It may have been lost meanwhile; its handle says so, as after any launch.
                let _ = block_on(kernel.control().activate());
            }
        }
        Ok(kernel)
    }
}

impl Route {
    fn connect(self, source: &AnyHandle) -> Result<(), ConnectError> {
        let Self { port, variant, target, backpressure } = self;
        let (kernel, runtime) = (source.shared_arc(), source.runtime());
        let way = Way { port, variant, backpressure };
        // SAFETY: by the word of who made the route, for this kernel.
        unsafe { kernel.connect(runtime, target.shared_arc(), target.runtime(), way) }
    }
}

fn check_backend(definition: &KernelDefinition, backend: &'static str) -> Result<(), LaunchError> {
    let KernelDefinition { name: kernel, backends, .. } = *definition;
    match backends.is_empty() || backends.contains(&backend) {
        true => Ok(()),
        false => Err(LaunchError::NotAllowed { kernel, backends, backend }),
    }
}

fn check_bindings(definition: &KernelDefinition, bindings: &[Binding]) -> Result<(), LaunchError> {
    let expected = definition.bindings;
    let fits = expected.len() == bindings.len()
        && expected.iter().zip(bindings).all(|(expected, found)| {
            let one = expected.kind != BindingKind::Parameter || found.len() == 1;
            one && *expected.ty == *found.ty()
        });
    if fits {
        return Ok(());
    }
    Err(LaunchError::Binding {
        kernel: definition.name,
        expected: expected.to_vec(),
        found: bindings.iter().map(|binding| binding.ty().name).collect(),
    })
}

/// Lays out the kernel's memory, connects host and device, and launches the kernel.
fn start(
    runtime: &Arc<RuntimeInner>,
    name: String,
    kind: &Kind,
    options: LaunchOptions,
    bindings: Vec<Binding>,
    is_unnamed: bool,
) -> Result<AnyHandle, LaunchError> {
    let definition = kind.definition;
    let backend = &runtime.backend;
    let backend_error = |error| LaunchError::Backend { backend: backend.name(), error };

    let (layout, sites) = layout_on(&**backend, definition, &options).map_err(backend_error)?;
    let bytes = layout.shard_bytes() * options.shape.grid as usize;
    let memory_use = memory(&**backend, &options, &size(definition, &options, &layout, &bindings));
    // What cannot be is told as what the backend refuses: when there is a kernel to tell of.
    let (memory_use, too_much) = match memory_use {
        Ok(memory) => (memory, None),
        Err(error) => (KernelMemory::default(), Some(error)),
    };
    let grid = options.shape.grid;
    let lines = runtime.arena.as_ref().and_then(|arena| arena.take(grid as usize)).map(Arc::new);
    let mirrored = runtime.arena.is_some();
    // Copies that nobody sees are not made.
    let home = || runtime.vitals.home(grid as usize, layout.ports != 0, layout.histogram);
    let home = (!mirrored || runtime.vitals.is_seen()).then(home).flatten();
    let home = home.filter(|home| !mirrored || home.is_seen());
    let (memory, block_records, black_box) = match options.observe.black_box {
        true => {
            let home = home.as_ref().ok_or(match runtime.vitals.is_seen() {
                true => "the vitals of the runtime have no place for so many blocks: launch it with a smaller grid",
                false => NO_VITALS,
            });
            let recorded = home
                .map_err(String::from)
                .and_then(|home| home.black_box(definition, &options, &layout, bytes, mirrored))
                .and_then(|boxed| adopt(&**backend, boxed));
            let (memory, records, name) =
                recorded.map_err(|why| LaunchError::BlackBox { kernel: definition.name, why })?;
            (memory, records, Some(name))
        }
        false => (allocate(&**backend, bytes).map_err(backend_error)?, None, None),
    };
    let shard = |i| {
        let shard = ShardMemory::new(&memory, &layout, i, lines.as_ref().map(|lines| lines.line(i as usize)));
        let shard = shard.with_landings(grid);
        match &home {
            Some(home) if !mirrored => shard.watched(home.place(i as usize)),
            _ => shard,
        }
    };
    let shards: Vec<ShardMemory> = (0..grid).map(shard).collect();

    let stamps = options.observe.causal.then(|| Arc::clone(&runtime.stamps));
    let output_size = definition.output.map_or(0, |output| output.size);
    let outbound = shards.iter().map(outbound).collect();
    // SAFETY: the blocks make the other ends; this is the host's one, and it lies beside the shards' memory.
    let replies = shards.iter().filter_map(|shard| unsafe { shard.replies() });
    // SAFETY: as above; blocks write the kernel's outputs, which have this size.
    let calls = unsafe { CallTable::new(output_size, replies, stamps.clone(), definition.errors) };
    let dead_letters = (options.observe.dead_letters != 0).then(|| {
        let rings = shards.iter().filter_map(dead_letters);
        // SAFETY: blocks put messages of this kernel's into these rings, and the id is of its `Kind`.
        unsafe { DeadLetterBacklog::new(options.observe.dead_letters, kind.id, definition, rings) }
    });
    let prints = (!sites.is_empty())
        .then(|| Prints::new(sites, definition.name, &name, shards.iter().filter_map(prints)));
    let room = options.outbound.through;
    let through = (room != 0).then(|| {
        // SAFETY: the blocks make the other ends; this lies beside the shards' memory.
        let landings = unsafe { shards[0].landings() };
        Through {
            passage: Arc::clone(&runtime.passage),
            // SAFETY: these are the kernel's, and open.
            landings: unsafe { Landings::new(landings) },
            // SAFETY: the landings are open, and the blocks make the other ends.
            asked: unsafe { Asked::new(&shards[0], definition) },
            answers_at: definition.answer().map(|(_, offset)| offset),
            replies: definition.reply().is_some(),
            errors: definition.errors,
            room,
            pins: AtomicU32::new(0),
            lost: AtomicBool::new(false),
        }
    });
    let ends = HostEnds { outbound, calls, through, dead_letters, prints };
    let traced = options.observe.tracing.then(|| {
        let of = (&*name, backend.name(), definition.errors);
        let ends = shards.iter().filter_map(records).collect();
        // SAFETY: used as gauges only.
        let rings = shards.iter().filter_map(|shard| unsafe { shard.records() }).collect();
        Traced::new(&runtime.traces, options.observe.trace_sample, of, ends, rings)
    });
    let command = if options.shape.active { command::ACTIVE } else { 0 };
    let core = KernelCore {
        launch: Launch::new(runtime.place(), &name),
        name,
        backend_name: backend.name(),
        definition,
        clock: runtime.clock.clone(),
        launched: Instant::now(),
        launched_at: runtime.clock.now(),
        ended_at: AtomicU64::new(0),
        shards: shards.iter().map(host_shard).collect(),
        wants: Mutex::default(),
        memory: memory_use,
        binding_lengths: bindings.iter().map(Binding::len).collect(),
        device: OnceLock::new(),
        space: Event::new(),
        ready: Event::new(),
        changed: Event::new(),
        closed: Event::new(),
        flow: Arc::clone(&runtime.flow),
        gate: Gate::new(),
        drops: HostDrops::default(),
        dropped_before: HostDrops::default(),
        counting_since: AtomicU64::new(0),
        watched: Watched::new(),
        closing: AtomicBool::new(false),
        finishing: Last::new(),
        finished: AtomicBool::new(false),
        compilation: OnceLock::new(),
        told: Told::default(),
        nameless: AtomicBool::new(false),
        lost_by: OnceLock::new(),
        printed: AtomicU64::new(0),
        waits: Enlisted::new(),
        stamps,
        traced,
        slow: options.observe.slow_after.map(|limit| SlowWatch::new(limit, shards.len())),
        notes: Mutex::default(),
        command: Mutex::new(0),
        home,
        black_box,
        mirrored,
        _telemetry_lines: lines.map(|lines| lines as _),
        options,
    };
    let fronts = Fronts::new(&core, &core.shards, kind.asked, backend.prints_where_it_runs());
    let names: Weak<KernelRegistry> = Arc::downgrade(&runtime.registry);
    let shared = Arc::new(KernelShared::new(kind, core, fronts, ends, names));
    let core = &shared.core;
    if let Some(slow) = &core.slow {
        slow.set_kernel(Arc::downgrade(&shared) as Weak<dyn Handlers>);
    }
    core.change_command(|_| command);
    if let Some(home) = &core.home {
        let outboxes: Vec<String> =
            (0..definition.counted_places()).map(|number| outbox_name(definition, number)).collect();
        home.describe(entry(core), &outboxes, definition.nobody().is_some());
    }

    let spec = LaunchSpec {
        definition,
        name: core.name.clone(),
        bindings,
        shards,
        block_records,
        block: core.options.shape.block,
        actors: match definition.state {
            StateShape::PerActor(_) => core.options.shape.actors,
            _ => 0,
        },
        sparse: core.options.shape.sparse_keys,
        evicts: core.options.shape.evict_actors,
        mode: core.mode(),
        max_messages_per_iteration: core.max_batch(),
        connectable: core.options.shape.connectable,
        into_variants: core.options.shape.into_variants,
        supersteps: core.options.shape.supersteps,
        rounds: core.options.shape.rounds,
        spin: core.options.shape.spin,
        run_mode: core.options.shape.run_mode,
        leave_after: core.options.shape.leave_after,
        sequential: core.options.shape.consistency == Consistency::Sequential,
        through: core.options.outbound.through != 0,
        hold: core.options.outbound.hold,
        topics: topics::entries(definition, &core.options),
        rows: definition.rows.and_then(|_| core.options.outbound.rows.clone()),
        trace_seed: core.traced.is_some().then(|| (core.launch.number() as u32).wrapping_mul(0x85EB_CA77)),
        timestamps: core.options.observe.timestamps,
        counts_turns: core.options.observe.count_turns,
        clock: core.clock.clone(),
        signals: Arc::clone(&shared) as Arc<dyn HostSignals>,
    };
    let device = too_much.map_or_else(|| backend.launch(spec), Err).map_err(|error| {
        core.tell_not_launched(&error);
        backend_error(error)
    })?;
    if core.device.set(device).is_err() {
        unreachable!("a kernel is launched once");
    }
    // A kernel is launched once.
    let _ = shared.this.set(Arc::downgrade(&shared));
    if !is_unnamed {
        runtime.registry.insert(&shared);
    }
    if let Some(requests) = &runtime.requests {
        requests.tell(|on| shared.lease_telemetry(on));
    }
    core.wake_all();
    core.tell_launched();
    Ok(AnyHandle::new(shared, Arc::clone(runtime) as _, runtime.arena_lines()))
}

/// The memory of a kernel with a black box, as its backend has it: that of its shards, and of its blocks' records.
fn adopt(
    backend: &dyn DeviceBackend,
    boxed: Boxed,
) -> Result<(Arc<SharedMemory>, Option<SharedMemory>, BoxName), String> {
    let adopt = |memory| backend.adopt(memory).map_err(|error| error.to_string());
    let Boxed { shards, records, name } = boxed;
    Ok((Arc::new(adopt(shards)?), records.map(adopt).transpose()?, name))
}

/// What is shown of a kernel; where it is, its home knows.
fn entry(core: &KernelCore) -> KernelEntry {
    let (definition, options) = (core.definition, &core.options);
    let flag = |on: bool, flag: u32| if on { flag } else { 0 };
    KernelEntry {
        state: 0,
        left_behind: 0,
        ended_at: 0,
        mirrored_at: 0,
        target: 0,
        waits: 0,
        queue_capacity: core.queue_capacity(),
        drops: [0; CAUSES.len()],
        slow: 0,
        counting_since: 0,
        linked: 0,
        id: 0,
        launched_at: 0,
        first_shard: 0,
        grid: options.shape.grid,
        block: options.shape.block,
        mode: match core.mode() {
            ProcessingMode::Continuous => 0,
            ProcessingMode::Batch => 1,
            ProcessingMode::Adaptive => 2,
        },
        max_batch: core.max_batch(),
        flags: flag(options.shape.connectable, kernel_flags::CONNECTABLE)
            | flag(options.shape.supersteps, kernel_flags::SUPERSTEPS)
            | flag(options.outbound.calls, kernel_flags::CALLS)
            | flag(options.observe.timestamps, kernel_flags::TIMESTAMPS)
            | flag(core.mirrored, kernel_flags::MIRRORED)
            | flag(core.traced.is_some(), kernel_flags::TRACING)
            | flag(definition.key.is_some(), kernel_flags::KEYS)
            | flag(options.shape.rounds, kernel_flags::ROUNDS)
            | flag(options.shape.sparse_keys, kernel_flags::SPARSE_KEYS)
            | flag(core.black_box.is_some(), kernel_flags::BLACK_BOX)
            // No kernel has as many outboxes as these bits count.
            | definition.asks_by().map_or(0, |number| (number as u32 + 1) << kernel_flags::ASKS_BY_SHIFT),
        inbound_capacity: core.shards[0].inbound.ring().layout().capacity,
        outbound_capacity: core.shards[0].outbound.layout().capacity,
        actors: match definition.state {
            StateShape::PerActor(_) => options.shape.actors,
            _ => 0,
        },
        message_size: definition.message.size as u32,
        output_size: definition.output.map_or(0, |output| output.size as u32),
        name: field(&core.name),
        kernel: field(definition.name),
        message: field(definition.message.name),
        output: field(definition.output.map_or("", |output| output.name)),
        errors: field(&error_names(definition.errors)),
        ports: 0,
        message_align: definition.message.align as u32,
        output_align: definition.output.map_or(0, |output| output.align as u32),
        message_layout: definition.message.layout_hash(),
        output_layout: definition.output.map_or(0, |output| output.layout_hash()),
        memory: core.memory,
        constant: [0; 4],
        check: 0,
    }
}

/// The names that fit whole, one a line.
fn error_names(names: &[ErrorName]) -> String {
    const MOST: usize = 256;
    let lines = names.iter().map(|name| format!("{} {}\n", name.code, name.name));
    lines.fold(String::new(), |text, line| if text.len() + line.len() > MOST { text } else { text + &line })
}

/// The layout of a shard on this backend, and where a device's handlers print.
fn layout_on(
    backend: &dyn DeviceBackend,
    definition: &'static KernelDefinition,
    options: &LaunchOptions,
) -> Result<(KernelLayout, Vec<PrintSite>), BackendError> {
    let sites = if backend.prints_where_it_runs() { Vec::new() } else { definition.prints() };
    let layout = layout(definition, options, &sites);
    // A sealed slot orders nothing but itself.
    let orders = options.orders_memory(definition);
    let through = options.outbound.through != 0;
    // Who sends a message after a subscription has both seen in this order.
    let publishes = topics::entries(definition, options) != 0;
    let holds = options.outbound.hold != 0;
    let carries = options.observe.tracing || options.observe.causal;
    let is_plain = !orders && !through && !holds && !publishes && !carries;
    let seals = options.shape.sealed
        && sealed::is_offered()
        && is_plain
        && backend.seals(definition, options.shape.block);
    let layout = if seals { layout.sealed() } else { layout };
    match layout.shard_bytes().checked_mul(options.shape.grid as usize) {
        Some(_) => Ok((layout, sites)),
        None => Err(BackendError::new(format!(
            "{} blocks of {} bytes each are more than memory can be: launch with a smaller grid or capacity",
            options.shape.grid,
            layout.shard_bytes()
        ))),
    }
}

fn layout(definition: &KernelDefinition, options: &LaunchOptions, prints: &[PrintSite]) -> KernelLayout {
    let max_payload = options.inbound.max_payload as usize;
    let message = match definition.bridged {
        None => (definition.message.size, definition.message.align),
        Some(_) => Head::payload(max_payload),
    };
    let layout = KernelLayout::new(&KernelShape {
        inbound_capacity: options.inbound.capacity,
        outbound_capacity: options.outbound.capacity.unwrap_or(options.inbound.capacity),
        message,
        output: definition.output.map_or((0, 1), |output| (output.size, output.align)),
        envelope: Envelope {
            enqueue_time: options.observe.timestamps,
            correlation: options.outbound.calls,
            trace: options.observe.tracing,
            stamp: options.observe.causal,
        },
        // The bytes of its slots decide how many there are.
        dead_letters_capacity: if options.observe.dead_letters == 0 { 0 } else { MIN_CAPACITY },
        prints_capacity: if prints.is_empty() { 0 } else { print::RING_CAPACITY },
        print_words: prints.iter().map(|site| site.words).max().unwrap_or(0),
        histogram: options.observe.track_latency,
        ports: if options.shape.connectable { definition.counted_places() as u32 } else { 0 },
    });
    let layout = layout.through(options.outbound.through, options.shape.grid);
    let layout = if options.shape.sparse_keys { layout.counting_actors() } else { layout };
    let mut layout = if definition.bridged.is_some() { layout.bridged(max_payload) } else { layout };
    if let Some(dead_letters) = &mut layout.dead_letters {
        let iteration =
            options.shape.max_messages_per_iteration.unwrap_or(definition.max_messages_per_iteration);
        dead_letters.capacity = dead_letters::ring_capacity(
            options.observe.dead_letters,
            iteration.min(options.inbound.capacity),
            dead_letters.slot_stride + dead_letters.spill_bytes(),
        );
    }
    layout
}

fn outbound(shard: &ShardMemory) -> Outbound {
    // SAFETY: the block makes the producer; this is the host's one consumer, and it lies beside the shard's
    // memory.
    let ring = unsafe { shard.outbound() };
    // SAFETY: as above.
    Outbound::new(unsafe { Consumer::new(ring) })
}

fn dead_letters(shard: &ShardMemory) -> Option<Consumer> {
    // SAFETY: the block makes the producer; this is the host's one consumer, and it lies beside the shard's
    // memory.
    let ring = unsafe { shard.dead_letters() }?;
    // SAFETY: as above.
    Some(unsafe { Consumer::new(ring) })
}

fn records(shard: &ShardMemory) -> Option<Consumer> {
    // SAFETY: as for `dead_letters`.
    let ring = unsafe { shard.records() }?;
    // SAFETY: as above.
    Some(unsafe { Consumer::new(ring) })
}

fn prints(shard: &ShardMemory) -> Option<Consumer> {
    // SAFETY: as for `dead_letters`.
    let ring = unsafe { shard.prints() }?;
    // SAFETY: as above.
    Some(unsafe { Consumer::new(ring) })
}

fn host_shard(shard: &ShardMemory) -> HostShard {
    // SAFETY: the host makes producers of this ring; they lie beside the shard's memory.
    let inbound = unsafe { shard.inbound() };
    // SAFETY: nobody makes a sole producer of an inbound ring.
    let inbound = unsafe { Producers::new(inbound) };
    // SAFETY: used as a gauge of depth only.
    let outbound = unsafe { shard.outbound() };
    HostShard { memory: shard.clone(), inbound, outbound, space: Event::new() }
}
