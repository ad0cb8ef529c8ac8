//! The runtime: one backend, the kernels launched on it, and the arena of their telemetry.

use std::{
    fmt,
    marker::PhantomData,
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::{Duration, Instant},
};

use annulus_abi::{
    LINE,
    control::command,
    kernel::{KernelLayout, KernelShape},
    ring::Envelope,
};
use annulus_block::Clock;
use annulus_kernel::{Binding, BindingKind, KernelDefinition, PrintSite, RingKernel, StateShape};
use annulus_ring::{
    ring::{Consumer, Producers},
    sealed,
};
use annulus_sync::{AtomicBool, AtomicU64, event::Event, intake::Intake};

use crate::{
    backend::{BackendError, BackendSource, DeviceBackend, DeviceInfo, HostSignals, LaunchSpec},
    core::{HostDrops, KernelCore, Shard, ShutdownOutcome},
    error::{HandleError, LaunchError, UnknownKernel},
    front::Fronts,
    handle::{AnyHandle, KernelControl, KernelHandle},
    kernel::{KernelShared, Kind},
    launching::Launching,
    letters::{self, Letters},
    lifecycle::Told,
    links::{self, Links},
    options::LaunchOptions,
    outbound::Outbound,
    print::{self, Prints},
    registry::Registry,
    waits::Waits,
};
use annulus_ring::memory::{ShardMemory, SharedMemory, TelemetryLine};

/// A runtime on one backend. Clones stand for the same runtime; it ends with the last clone and the last kernel handle.
#[derive(Clone)]
pub struct Runtime {
    inner: Arc<RuntimeInner>,
}

pub(crate) struct RuntimeInner {
    /// Before the backend, which ends with this: kernels need neither any more by then.
    registry: Arc<Registry>,
    /// Notified for those who wait until connected kernels are at rest.
    flow: Arc<Event>,
    backend: Arc<dyn DeviceBackend>,
    clock: Clock,
    arena: Arc<Arena>,
    /// The process whose threads drive the kernels.
    process: u32,
}

/// The telemetry lines of a runtime, in memory that its backend's devices see.
struct Arena {
    memory: Arc<SharedMemory>,
    /// Which lines are taken.
    taken: Mutex<Vec<bool>>,
}

/// Builds a [`Runtime`].
#[derive(Debug)]
pub struct RuntimeBuilder<B> {
    backend: B,
    telemetry_lines: usize,
}

/// Marks a builder that has no backend yet.
#[derive(Clone, Copy, Debug)]
pub struct NoBackend;

/// How many telemetry lines a runtime reserves unless told otherwise: 256 KB that cost nothing until they are used.
pub const DEFAULT_TELEMETRY_LINES: usize = 4096;

impl Runtime {
    /// Begins a runtime. It needs a [`backend`](RuntimeBuilder::backend); the prelude of the `annulus` crate builds it without, on the best that this
    /// machine has.
    pub fn builder() -> RuntimeBuilder<NoBackend> {
        RuntimeBuilder { backend: NoBackend, telemetry_lines: DEFAULT_TELEMETRY_LINES }
    }

    /// The name of its backend.
    pub fn backend(&self) -> &'static str {
        self.inner.backend.name()
    }

    /// The devices of its backend.
    pub fn devices(&self) -> Vec<DeviceInfo> {
        self.inner.backend.devices()
    }

    /// The kernel that runs under this name.
    ///
    /// # Errors
    ///
    /// [`UnknownKernel`], which lists those that run.
    pub fn kernel(&self, name: &str) -> Result<KernelControl, UnknownKernel> {
        Ok(KernelControl::new(self.inner.registry.find(name)?, self.inner.arena_lines()))
    }

    /// A handle of the kernel that runs under this name, with its types: like a clone of the one that launched it.
    ///
    /// # Errors
    ///
    /// [`HandleError`] lists the kernels that run, or names the kernel that runs under this name.
    pub fn handle<K: RingKernel>(&self, name: &str) -> Result<KernelHandle<K>, HandleError> {
        let kernel = self.inner.registry.find(name).map_err(HandleError::Unknown)?;
        if !kernel.is::<K>() {
            let runs = kernel.core.definition;
            return Err(HandleError::OtherKernel { name: name.into(), runs, wanted: K::DEFINITION });
        }
        let control = KernelControl::new(kernel, self.inner.arena_lines());
        AnyHandle::again(control).and_then(AnyHandle::typed).ok_or_else(|| {
            HandleError::Unknown(UnknownKernel { name: name.into(), running: self.inner.registry.names() })
        })
    }

    /// The kernels that run, by name.
    pub fn kernels(&self) -> Vec<KernelControl> {
        let control = |kernel| KernelControl::new(kernel, self.inner.arena_lines());
        self.inner.registry.all().into_iter().map(control).collect()
    }

    /// Shuts every kernel down, all within `limit`: closes all of them first, then drains and terminates one after the other, in the order
    /// of the result: by name, but kernels that are [connected](KernelHandle::connect) to others before these, so that nothing is lost between them. Kernels that form
    /// a cycle drain together. Messages that were not delivered can be taken from the kernels' handles. Blocks.
    pub fn shutdown_blocking(&self, limit: Duration) -> Vec<(String, ShutdownOutcome)> {
        let start = Instant::now();
        let kernels = self.inner.registry.all();
        for kernel in &kernels {
            kernel.close();
        }
        let shut_down = |kernel: Arc<KernelShared>| {
            let outcome = kernel.shut_down(limit.saturating_sub(start.elapsed()));
            (kernel.core().name.clone(), outcome)
        };
        links::sources_first(kernels).into_iter().map(shut_down).collect()
    }
}

impl fmt::Debug for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runtime").field("backend", &self.backend()).finish_non_exhaustive()
    }
}

impl<B> RuntimeBuilder<B> {
    /// The backend to run on.
    pub fn backend<S: BackendSource>(self, backend: S) -> RuntimeBuilder<S> {
        RuntimeBuilder { backend, telemetry_lines: self.telemetry_lines }
    }

    /// How many telemetry lines to reserve: one for each block of each kernel that runs at the same time.
    pub fn telemetry_lines(mut self, lines: usize) -> Self {
        self.telemetry_lines = lines;
        self
    }
}

impl<B: BackendSource> RuntimeBuilder<B> {
    /// Opens the backend and reserves the arena.
    ///
    /// # Errors
    ///
    /// If the backend needs something that this machine lacks; the error says what.
    pub fn build(self) -> Result<Runtime, BackendError> {
        let backend = self.backend.open()?;
        let bytes = self.telemetry_lines.checked_mul(LINE).ok_or_else(|| {
            BackendError::new(format!(
                "telemetry_lines is {}, and memory ends at {} lines: reserve one for each block that runs at a time",
                self.telemetry_lines,
                usize::MAX / LINE
            ))
        })?;
        let memory = allocate(&*backend, bytes)?;
        let arena = Arc::new(Arena { memory, taken: Mutex::new(vec![false; self.telemetry_lines]) });
        let registry = Arc::new(Registry::default());
        let (flow, clock) = (Arc::new(Event::new()), Clock::start());
        let process = std::process::id();
        Ok(Runtime { inner: Arc::new(RuntimeInner { registry, flow, backend, clock, arena, process }) })
    }
}

impl RuntimeInner {
    pub(crate) fn arena_lines(&self) -> usize {
        self.arena.memory.bytes() / LINE
    }

    /// Whether this is the process whose threads drive the kernels, and no child of it.
    fn check_process(&self) -> Result<(), LaunchError> {
        let here = std::process::id();
        if here == self.process {
            return Ok(());
        }
        let error = BackendError::new(format!(
            "the runtime was built in process {}, of which this one, {here}, was forked, and its threads are there: \
             build a runtime here",
            self.process
        ));
        Err(LaunchError::Backend { backend: self.backend.name(), error })
    }
}

impl Arena {
    /// Takes lines in a row; `None` if there are not that many.
    fn take(self: &Arc<Self>, lines: usize) -> Option<TakenLines> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let first = taken.windows(lines).position(|window| window.iter().all(|taken| !taken))?;
        taken[first..first + lines].fill(true);
        Some(TakenLines { arena: Arc::clone(self), first, lines })
    }
}

/// Lines that are given back, zeroed, when the kernel's memory goes.
pub(crate) struct TakenLines {
    arena: Arc<Arena>,
    first: usize,
    lines: usize,
}

impl TakenLines {
    fn line(&self, index: usize) -> TelemetryLine {
        TelemetryLine::new(&self.arena.memory, self.first + index)
    }
}

impl Drop for TakenLines {
    fn drop(&mut self) {
        for line in (0..self.lines).map(|index| self.line(index)) {
            (0..8).for_each(|word| line.word(word).store(0, annulus_sync::Ordering::Relaxed));
        }
        let mut taken = self.arena.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken[self.first..self.first + self.lines].fill(false);
    }
}

/// A kernel with its bound parameters, ready to launch.
#[derive(Debug)]
pub struct Bound<K> {
    bindings: Vec<Binding>,
    _kernel: PhantomData<K>,
}

impl<K: RingKernel> Bound<K> {
    /// What `bind` of a kernel calls.
    #[doc(hidden)]
    pub fn new(bindings: Vec<Binding>) -> Self {
        Self { bindings, _kernel: PhantomData }
    }

    /// Launches the kernel. Blocks until the device has its program: where that is compiled, for seconds. The kernel takes messages from then
    /// on; when it has [begun to handle](crate::KernelControl::ready) them is another matter.
    ///
    /// # Errors
    ///
    /// [`LaunchError`] names what is wrong, and the remedy. In a child that was forked from the process that
    /// built the runtime every launch is refused.
    pub fn launch(self, runtime: &Runtime, options: LaunchOptions) -> Result<KernelHandle<K>, LaunchError> {
        let launched = self.any().launch(runtime, options)?;
        Ok(launched.typed().expect("it was launched as that"))
    }

    /// [`launch`](Self::launch) for code that must not block: a thread of its own compiles and launches, while this is awaited. The future is
    /// `'static`, so it can be spawned.
    ///
    /// Dropping the future before it is done ends the kernel, when the thread comes to it: a compiler is not interrupted. Until then the name is
    /// taken. Where no thread is to be had, the launch blocks after all.
    ///
    /// ```
    /// # extern crate annulus_runtime as annulus;
    /// use annulus_runtime::{LaunchOptions, Noop, Runtime, block_on, prelude::*};
    ///
    /// #[derive(RingMessage, Clone, Copy)]
    /// #[repr(C)]
    /// struct Number {
    ///     value: u64,
    /// }
    ///
    /// #[ring_kernel]
    /// fn scale(number: &Number, factor: &u64, out: &Outbox<Number>) {
    ///     out.send(Number { value: number.value * factor });
    /// }
    ///
    /// let runtime = Runtime::builder().backend(Noop).build()?;
    /// block_on(async {
    ///     let kernel = scale::bind(3).launch_async(&runtime, LaunchOptions::production()).await?;
    ///     kernel.ready().await?;
    ///     let _ = kernel.send(Number { value: 14 }).await?;
    ///     Ok::<_, Box<dyn std::error::Error>>(())
    /// })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The future's, as of `launch`.
    pub fn launch_async(self, runtime: &Runtime, options: LaunchOptions) -> Launching<K> {
        Launching::new(self.any(), runtime.clone(), options)
    }

    fn any(self) -> AnyBound {
        AnyBound { kind: Kind::of::<K>(), bindings: self.bindings }
    }
}

/// The same, with its types forgotten.
pub(crate) struct AnyBound {
    kind: Kind,
    bindings: Vec<Binding>,
}

impl AnyBound {
    #[cfg(feature = "registry")]
    pub(crate) fn new(kind: Kind, bindings: Vec<Binding>) -> Self {
        Self { kind, bindings }
    }

    pub(crate) fn launch(self, runtime: &Runtime, options: LaunchOptions) -> Result<AnyHandle, LaunchError> {
        let Self { kind, bindings } = self;
        // First: a lock that was held at the fork is held for ever here.
        runtime.inner.check_process()?;
        let definition = kind.definition;
        options.validate_for(definition, kind.asked.identified).map_err(LaunchError::Invalid)?;
        check_bindings(definition, &bindings)?;
        definition.check().map_err(LaunchError::Handler)?;
        let name = options.name.clone().unwrap_or_else(|| definition.name.into());
        let reserved = runtime.inner.registry.reserve(&name)?;
        let kernel = start(&runtime.inner, name.clone(), &kind, options, bindings)?;
        reserved.keep();
        Ok(kernel)
    }
}

/// Memory of the backend's, as much as was asked for.
fn allocate(backend: &dyn DeviceBackend, bytes: usize) -> Result<Arc<SharedMemory>, BackendError> {
    let memory = backend.allocate(bytes)?;
    if memory.bytes() < bytes {
        return Err(BackendError::new(format!(
            "the backend gave {} bytes of memory where {bytes} were asked for",
            memory.bytes()
        )));
    }
    Ok(Arc::new(memory))
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

/// Lays the kernel out, wires both sides and launches it.
fn start(
    runtime: &Arc<RuntimeInner>,
    name: String,
    kind: &Kind,
    options: LaunchOptions,
    bindings: Vec<Binding>,
) -> Result<AnyHandle, LaunchError> {
    let definition = kind.definition;
    let backend = &runtime.backend;
    let backend_error = |error| LaunchError::Backend { backend: backend.name(), error };

    let sites = if backend.prints_where_it_runs() { Vec::new() } else { definition.prints() };
    let layout = layout(definition, &options, &sites);
    let seals = sealed::is_offered() && backend.seals(definition, options.block);
    let layout = if seals { layout.sealed() } else { layout };
    let bytes = layout.shard_bytes().checked_mul(options.grid as usize).ok_or_else(|| {
        backend_error(BackendError::new(format!(
            "{} blocks of {} bytes each are more than memory can be: launch with a smaller grid or capacity",
            options.grid,
            layout.shard_bytes()
        )))
    })?;
    let memory = allocate(&**backend, bytes).map_err(backend_error)?;
    let lines = runtime.arena.take(options.grid as usize).map(Arc::new);
    let shards: Vec<ShardMemory> = (0..options.grid)
        .map(|i| ShardMemory::new(&memory, &layout, i, lines.as_ref().map(|lines| lines.line(i as usize))))
        .collect();

    let output_size = definition.output.map_or(0, |output| output.size);
    let outbound = shards.iter().map(|shard| outbound(shard, output_size)).collect();
    let letters = (options.dead_letters != 0).then(|| {
        let rings = shards.iter().filter_map(letters);
        // SAFETY: blocks put messages of this kernel's into these rings, and the id is of its `Kind`.
        unsafe { Letters::new(options.dead_letters, definition.message.size, kind.id, rings) }
    });
    let prints = (!sites.is_empty())
        .then(|| Prints::new(sites, definition.name, &name, shards.iter().filter_map(prints)));
    let command = if options.active { command::ACTIVE } else { 0 };
    let core = KernelCore {
        name,
        backend_name: backend.name(),
        definition,
        clock: runtime.clock,
        launched: Instant::now(),
        shards: shards.iter().map(host_shard).collect(),
        binding_lengths: bindings.iter().map(Binding::len).collect(),
        device: OnceLock::new(),
        space: Event::new(),
        ready: Event::new(),
        changed: Event::new(),
        flow: Arc::clone(&runtime.flow),
        links: Links::default(),
        intake: Intake::new(),
        drops: HostDrops::default(),
        dropped_before: HostDrops::default(),
        counting_since: AtomicU64::new(0),
        watched: AtomicBool::new(false),
        closing: AtomicBool::new(false),
        finishing: AtomicBool::new(false),
        finished: AtomicBool::new(false),
        compilation: OnceLock::new(),
        told: Told::default(),
        waits: Waits::default(),
        this: OnceLock::new(),
        registry: Arc::downgrade(&runtime.registry),
        notes: Mutex::default(),
        command: Mutex::new(0),
        _telemetry_lines: lines,
        options,
    };
    let fronts = Fronts::new(&core, &core.shards, kind.asked);
    let shared = Arc::new(KernelShared::new(kind, core, fronts, outbound, letters, prints));
    let core = &shared.core;
    core.change_command(|_| command);

    let spec = LaunchSpec {
        definition,
        name: core.name.clone(),
        bindings,
        shards,
        block: core.options.block,
        actors: match definition.state {
            StateShape::PerActor(_) => core.options.actors,
            _ => 0,
        },
        mode: core.mode(),
        max_messages_per_iteration: core.max_batch(),
        linked: core.options.linked,
        supersteps: core.options.supersteps,
        spin: core.options.spin,
        timestamps: core.options.timestamps,
        clock: core.clock,
        signals: Arc::clone(&shared) as Arc<dyn HostSignals>,
    };
    let device = backend.launch(spec).map_err(|error| {
        core.tell_not_launched(&error);
        backend_error(error)
    })?;
    if core.device.set(device).is_err() {
        unreachable!("a kernel is launched once");
    }
    // A kernel is launched once.
    let _ = core.this.set(Arc::downgrade(&shared));
    runtime.registry.insert(&shared);
    core.wake_all();
    core.tell_launched();
    Ok(AnyHandle::new(shared, Arc::clone(runtime)))
}

fn layout(definition: &KernelDefinition, options: &LaunchOptions, prints: &[PrintSite]) -> KernelLayout {
    KernelLayout::new(&KernelShape {
        inbound_capacity: options.capacity,
        outbound_capacity: options.output_capacity.unwrap_or(options.capacity),
        message: (definition.message.size, definition.message.align),
        output: definition.output.map_or((0, 1), |output| (output.size, output.align)),
        envelope: Envelope { enqueue_time: options.timestamps, correlation: options.calls },
        letters_capacity: if options.dead_letters == 0 { 0 } else { letters::RING_CAPACITY },
        prints_capacity: if prints.is_empty() { 0 } else { print::RING_CAPACITY },
        print_words: prints.iter().map(|site| site.words).max().unwrap_or(0),
        histogram: options.track_latency,
    })
}

fn outbound(shard: &ShardMemory, size: usize) -> Outbound {
    // SAFETY: the block makes the producer; this is the host's one consumer, and it lies beside the shard's memory.
    let ring = unsafe { shard.outbound() };
    // SAFETY: as above.
    Outbound::new(unsafe { Consumer::new(ring) }, size)
}

fn letters(shard: &ShardMemory) -> Option<Consumer> {
    // SAFETY: the block makes the producer; this is the host's one consumer, and it lies beside the shard's memory.
    let ring = unsafe { shard.letters() }?;
    // SAFETY: as above.
    Some(unsafe { Consumer::new(ring) })
}

fn prints(shard: &ShardMemory) -> Option<Consumer> {
    // SAFETY: as for `letters`.
    let ring = unsafe { shard.prints() }?;
    // SAFETY: as above.
    Some(unsafe { Consumer::new(ring) })
}

fn host_shard(shard: &ShardMemory) -> Shard {
    // SAFETY: the host makes producers of this ring; they lie beside the shard's memory.
    let inbound = unsafe { shard.inbound() };
    // SAFETY: nobody makes a sole producer of an inbound ring.
    let inbound = unsafe { Producers::new(inbound) };
    // SAFETY: used as a gauge of depth only.
    let outbound = unsafe { shard.outbound() };
    Shard { memory: shard.clone(), inbound, outbound, space: Event::new() }
}
