//! The backend and its launches.

use std::{
    borrow::Cow,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
};

use annulus_kernel::{
    KernelDefinition, Target,
    device::{
        ENTRY,
        layout::{BellRecord, BlockRecord, LaunchRecord},
    },
    handler_source,
};
use annulus_runtime::{
    BackendError, BackendSource, DeviceBackend, DeviceInfo, DeviceKernel, LaunchSpec, SharedMemory,
};

use crate::{
    bell::Bell,
    cache,
    cl::{ClError, Memory, MemoryKind, Queue},
    device::{self, Device, Opened},
    kernel::{OpenClKernel, Parts, Running},
    memory,
    plan::Plan,
    probe::Verdict,
    program::{self, Shape},
    pump::{Pump, Rhythm, Watched},
    state::{self, Home, States},
};

/// What gives the text of a kernel's handler, for tests.
type HandlerText = fn(&'static KernelDefinition) -> Option<Cow<'static, str>>;

/// The OpenCL backend, as `Runtime::builder().backend(…)` takes it.
///
/// ```no_run
/// use annulus_opencl::OpenCl;
/// use annulus_runtime::Runtime;
/// let runtime = Runtime::builder().backend(OpenCl::new().device_named("pocl")).build()?;
/// println!("{:?}", runtime.devices());
/// # Ok::<(), annulus_runtime::BackendError>(())
/// ```
#[derive(Clone, Debug)]
pub struct OpenCl {
    choice: Choice,
    pub(crate) threads: u32,
    pub(crate) epochs: bool,
    portable: bool,
    mapped: bool,
    resident_groups: u32,
    cache: Option<PathBuf>,
    handler: Option<HandlerText>,
    pub(crate) faults: Faults,
}

/// Faults that tests put in.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Faults {
    /// A kernel that should stay leaves the device after so many messages, without a word; 0 for never.
    pub ends_after: u32,
    /// The host renews no heartbeat.
    pub no_heartbeat: bool,
    /// Whole naps without a heartbeat after which a block ends itself, if not as many as usual.
    pub patience: Option<u32>,
}

#[derive(Clone, Debug)]
enum Choice {
    Index(usize),
    Named(String),
}

/// Groups that PoCL can keep resident, unless told otherwise: each is a thread that sleeps while it has nothing to do.
pub const RESIDENT_GROUPS: u32 = 64;

impl OpenCl {
    /// The first device of this machine, one thread per block unless a launch says more.
    pub fn new() -> Self {
        Self {
            choice: Choice::Index(0),
            threads: 1,
            epochs: false,
            portable: false,
            mapped: false,
            resident_groups: RESIDENT_GROUPS,
            cache: cache::default_directory(),
            handler: None,
            faults: Faults::default(),
        }
    }

    /// The device at this place of `annulus devices`' list.
    pub fn device_index(mut self, index: usize) -> Self {
        self.choice = Choice::Index(index);
        self
    }

    /// The first device whose name or platform contains this, upper or lower case.
    pub fn device_named(mut self, part: impl Into<String>) -> Self {
        self.choice = Choice::Named(part.into());
        self
    }

    /// Threads of a block, for launches that leave `LaunchOptions::block` at 1. On a processor one is fastest; on a GPU a block
    /// needs many.
    pub fn threads_per_block(mut self, threads: u32) -> Self {
        self.threads = threads.max(1);
        self
    }

    /// Runs kernels in bounded epochs even where they could stay.
    pub fn force_epochs(mut self) -> Self {
        self.epochs = true;
        self
    }

    /// Does without what only some systems have: naps, a clock and the bell. For tests of what other devices do.
    pub fn force_portable(mut self) -> Self {
        self.portable = true;
        self
    }

    /// Shares memory through mapped buffers even where there is shared virtual memory.
    pub fn force_mapped_buffers(mut self) -> Self {
        self.mapped = true;
        self
    }

    /// How many groups PoCL can keep resident, by starting so many threads and one more: for the process's first use of OpenCL, and
    /// unless the environment's `POCL_MAX_PTHREAD_COUNT` says otherwise. Other drivers have limits of their own.
    pub fn resident_groups(mut self, groups: u32) -> Self {
        self.resident_groups = groups.max(1);
        self
    }

    /// Where built programs are kept. By default `annulus/opencl` in the user's cache directory.
    pub fn cache_directory(mut self, directory: impl AsRef<Path>) -> Self {
        self.cache = Some(directory.as_ref().into());
        self
    }

    /// Builds every program anew, and keeps none on disk.
    pub fn without_cache(mut self) -> Self {
        self.cache = None;
        self
    }

    /// Where the C of a kernel's handler comes from: for tests of the device runtime.
    #[doc(hidden)]
    pub fn handlers(mut self, handler: HandlerText) -> Self {
        self.handler = Some(handler);
        self
    }

    /// For tests of what happens then.
    #[doc(hidden)]
    pub fn faults(mut self, faults: Faults) -> Self {
        self.faults = faults;
        self
    }

    fn choose(&self, devices: &'static [Arc<Device>]) -> Result<&'static Arc<Device>, BackendError> {
        let found = match &self.choice {
            Choice::Index(index) => devices.get(*index),
            Choice::Named(part) => {
                let part = part.to_lowercase();
                devices.iter().find(|device| {
                    device.name.to_lowercase().contains(&part)
                        || device.platform.to_lowercase().contains(&part)
                })
            }
        };
        found.ok_or_else(|| {
            let wanted = match &self.choice {
                Choice::Index(index) => format!("has the index {index}"),
                Choice::Named(part) => format!("has `{part}` in its name"),
            };
            let names: Vec<_> =
                devices.iter().map(|device| format!("`{}` of {}", device.name, device.platform)).collect();
            BackendError::new(format!("no OpenCL device {wanted}: there is {}", names.join(", ")))
        })
    }
}

impl Default for OpenCl {
    fn default() -> Self {
        Self::new()
    }
}

impl BackendSource for OpenCl {
    fn open(self) -> Result<Arc<dyn DeviceBackend>, BackendError> {
        let device = self.choose(device::devices(self.resident_groups)?)?;
        let opened = device.open()?;
        if let Verdict::Unusable(why) = &opened.verdict {
            return Err(BackendError::new(format!(
                "`{}` cannot run kernels: {why}; choose another device",
                device.name
            )));
        }
        let kind = if self.mapped { MemoryKind::Mapped } else { opened.kind };
        let memory = Memory::shared(&opened.context, kind, size_of::<BellRecord>())
            .map_err(|error| BackendError::new(format!("`{}` shares no memory: {error}", device.name)))?;
        let pump = Pump::start(
            Arc::new(Bell::new(Arc::new(memory))),
            Rhythm { portable: self.portable || !opened.system, no_heartbeat: self.faults.no_heartbeat },
        )?;
        Ok(Arc::new(OpenClBackend { device, opened, kind, pump, options: self }))
    }
}

struct OpenClBackend {
    device: &'static Arc<Device>,
    opened: &'static Opened,
    kind: MemoryKind,
    pump: Pump,
    options: OpenCl,
}

// SAFETY: each block of a kernel serves one shard by the device runtime's protocol: its leader is the inbound ring's one consumer
// and the outbound ring's one producer, handlers are the definition's own text over types of the definition's layout, and a block
// that has stored *terminated* touches neither rings nor states again (`annulus_kernel::device`).
unsafe impl DeviceBackend for OpenClBackend {
    fn name(&self) -> &'static str {
        "opencl"
    }

    fn devices(&self) -> Vec<DeviceInfo> {
        let all = device::devices(self.options.resident_groups).unwrap_or_default();
        let others = all.iter().filter(|device| !Arc::ptr_eq(device, self.device));
        std::iter::once(self.device).chain(others).map(|device| self.describe(device)).collect()
    }

    fn allocate(&self, bytes: usize) -> Result<SharedMemory, BackendError> {
        memory::allocate(self.device, self.opened, self.kind, bytes)
    }

    fn launch(&self, spec: LaunchSpec) -> Result<Box<dyn DeviceKernel>, BackendError> {
        let plan = Plan::new(self.device, self.opened, &self.options, &spec)?;
        let name = spec.definition.name;
        let handler = self.handler(spec.definition)?;
        let grid = spec.shards.len() as u32;
        let shape = Shape {
            threads: plan.threads,
            portable: self.options.portable,
            blocks: self.device.programs_by_grid().then_some(grid),
        };
        let source = program::assemble(&handler, shape);
        let program = program::load(self.device, self.opened, self.options.cache.as_ref(), name, &source)?;
        let places = match plan.resident {
            true => Some(
                self.device.residency.take(grid).map_err(|free| no_places(name, grid, free, self.device))?,
            ),
            false => None,
        };
        let context = &self.opened.context;
        let failed = |error: ClError| {
            BackendError::new(format!("`{}` cannot launch `{name}`: {error}", self.device.name))
        };

        let records =
            Memory::shared(context, self.kind, grid as usize * size_of::<BlockRecord>()).map_err(failed)?;
        plan.fill_records(&records, &spec)?;
        // Without the host's system, as other devices do it: tests then see both.
        let shared = (self.device.id.is_processor() && !self.options.portable).then_some(self.kind);
        let home = Home { context: Arc::clone(context), shared };
        let states = States::new(&home, spec.definition.state, spec.actors, grid.into())?;
        let launch = plan.record(&spec, states.per_block);
        let length = size_of::<LaunchRecord>();
        // SAFETY: the record is `length` initialised bytes.
        let launch =
            unsafe { Memory::device(context, (&raw const launch).cast(), length) }.map_err(failed)?;
        let scratch = Memory::scratch(context, (plan.scratch * u64::from(grid)) as usize).map_err(failed)?;
        let bell = Arc::clone(self.pump.bell());
        let first = spec.shards[0].place();
        let arena = match spec.shards[0].telemetry() {
            Some(line) => Arc::clone(memory::allocation(&line.place())?),
            None => Arc::new(Memory::scratch(context, 0).map_err(failed)?),
        };
        let states_memory = Arc::new(states.memory);
        let held = vec![
            Arc::clone(memory::allocation(&first)?),
            arena,
            Arc::new(records),
            Arc::new(launch),
            Arc::clone(&states_memory),
            Arc::new(scratch),
            Arc::clone(bell.memory()),
        ];
        let records = Arc::clone(&held[2]);
        let mut kernel = program.kernel(ENTRY).map_err(failed)?;
        for memory in &held {
            kernel.memory(memory).map_err(failed)?;
        }
        let mut bindings = Vec::new();
        for binding in &spec.bindings {
            let (memory, len) = state::bind(&home, binding)?;
            kernel.memory(&memory).map_err(failed)?;
            kernel.number(len).map_err(failed)?;
            bindings.push(Arc::new(memory));
        }
        let state_bytes = spec.definition.state.definition().map_or(0, |state| state.ty.size);
        let running = Arc::new(Running::new(Parts {
            shards: spec.shards,
            bell,
            places,
            credit: plan.credit,
            threads: plan.threads,
            queue: Queue::new(context).map_err(failed)?,
            kernel,
            records,
            states: states_memory,
            state_bytes: state_bytes * states.per_block as usize,
            bindings,
            memory: held,
        }));
        let run = match plan.resident {
            // SAFETY: it is the first start; the pump holds the kernel until the run is over, or for ever.
            true => Some(unsafe { running.start(1) }.map_err(failed)?),
            false => None,
        };
        self.pump.watch(Watched::new(Arc::clone(&running), spec.clock, spec.signals, run));
        Ok(Box::new(OpenClKernel(running)))
    }
}

impl OpenClBackend {
    /// The C of a kernel's handler.
    fn handler(&self, definition: &'static KernelDefinition) -> Result<Cow<'static, str>, BackendError> {
        if let Some(text) = self.options.handler.and_then(|handler| handler(definition)) {
            return Ok(text);
        }
        handler_source(definition, Target::OpenCl)
            .map(Cow::Owned)
            .map_err(|error| BackendError::new(error.to_string()))
    }

    fn describe(&self, device: &Device) -> DeviceInfo {
        let mut notes = vec![format!("{}, {}, driver {}", device.platform, device.version, device.driver)];
        match device.open() {
            Err(error) => notes.push(error.to_string()),
            Ok(opened) => notes.push(match &opened.verdict {
                Verdict::Persistent(_) if self.options.epochs => "epochs: forced by the program".into(),
                Verdict::Persistent(why) => format!("persistent: {why}"),
                Verdict::Epochs(why) => format!("epochs: {why}"),
                Verdict::Unusable(why) => format!("cannot run kernels: {why}"),
            }),
        }
        notes.push(format!("up to {} blocks of kernels that stay, at a time", device.residency.limit()));
        // A processor keeps more blocks than it runs: those that wait nap.
        let cores = || thread::available_parallelism().map_or(u32::MAX, |cores| cores.get() as u32);
        let most = if device.id.is_processor() { cores() } else { u32::MAX };
        DeviceInfo { name: device.name.clone(), parallel_blocks: device.residency.limit().min(most), notes }
    }
}

fn no_places(name: &str, grid: u32, free: u32, device: &Device) -> BackendError {
    BackendError::new(format!(
        "`{name}` has {grid} blocks, and {free} of the {} that can stay on `{}` at a time are free: terminate another kernel, launch \
         with a smaller grid, run it in epochs (OpenCl::force_epochs), or on PoCL raise OpenCl::resident_groups",
        device.residency.limit(),
        device.name
    ))
}
