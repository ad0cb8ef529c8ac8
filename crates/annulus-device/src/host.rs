//! The host that every backend uses: it lists devices, allocates and launches.

use std::{borrow::Cow, mem::MaybeUninit, slice, sync::Arc, time::Instant};

use annulus_abi::launch::{BlockRecord, DoorbellRecord, LaunchRecord, StepRecord};
use annulus_kernel::{KernelDefinition, ProcessingMode, Rows, handler_source};
use annulus_runtime::{
    BackendError, BackendMemory, Compilation, DeviceBackend, DeviceInfo, DeviceKernel, LaunchSize,
    LaunchSpec, SharedMemory,
};

use crate::{
    doorbell::doorbell,
    driver::{Abilities, Argument, Driver, Program, Remedies, Shape},
    kernel::{DeviceLocal, LaunchedKernel, Parts, Running},
    launch_plan::{self, LaunchPlan},
    needs,
    numa::describe_poller,
    options::HostOptions,
    pump::{Pump, Rhythm, Watched},
    residency::ResidentSlots,
    runtime_memory,
    state::{self, States},
};

/// The index of the launch's record among a kernel's arguments.
const RECORD: usize = 3;

/// A backend over a driver, with the pump that looks after its kernels.
///
/// Dropping it waits, for a bounded time, until its kernels have left the device.
pub struct DeviceHost {
    /// Dropped first: kernels leave the device while the driver still exists.
    pump: Pump,
    driver: Box<dyn Driver>,
    options: HostOptions,
}

impl DeviceHost {
    /// A host over an opened device; starts its pump.
    ///
    /// # Errors
    ///
    /// If the device has no memory to share, or the system no thread.
    pub fn new(driver: impl Driver, options: HostOptions) -> Result<Self, BackendError> {
        let memory = driver
            .shared(size_of::<DoorbellRecord>())
            .map_err(|error| BackendError::new(format!("`{}` shares no memory: {error}", driver.name())))?;
        let abilities = driver.abilities();
        let rhythm = Rhythm {
            rings: abilities.rings,
            clock: abilities.clock,
            no_heartbeat: options.faults.no_heartbeat,
        };
        let pump = Pump::start(Arc::new(doorbell(memory)), rhythm, driver.residency())?;
        Ok(Self { pump, driver: Box::new(driver), options })
    }

    /// Whether some kernels' slots are sealed.
    fn may_seal(&self) -> bool {
        self.options.sealed && self.driver.abilities().far && self.driver.compiles_sealed()
    }

    fn start(&self, spec: LaunchSpec) -> Result<Box<dyn DeviceKernel>, BackendError> {
        let driver = &*self.driver;
        let mut plan = LaunchPlan::new(driver, &self.options, &spec.size())?;
        let arrays = needs::check(driver, spec.definition, plan.threads, spec.connectable)?;
        let name = spec.definition.name;
        let handler = self.handler(spec.definition)?;
        let blocks = spec.shards.len() as u32;
        let shape = Shape {
            blocks,
            threads: plan.threads,
            connectable: spec.connectable,
            into_variants: spec.into_variants && spec.definition.output.is_some(),
            sealed: plan.sealed,
            seals: spec.connectable && spec.definition.output.is_some() && self.may_seal(),
            supersteps: plan.supersteps,
            rounds: plan.rounds,
            sparse: plan.sparse,
            evicts: plan.evicts,
            adaptive: spec.mode == ProcessingMode::Adaptive,
            counts_turns: spec.counts_turns,
            sequential: spec.sequential,
            through: spec.through,
            traced: spec.trace_seed.is_some(),
            hold: spec.hold,
            causal: spec.shards[0].layout().outbound.stamp_offset.is_some(),
            arrays,
        };
        spec.signals.compiling(driver.name());
        let began = Instant::now();
        let program = driver.program(name, &handler, shape)?;
        spec.signals.compiled(Compilation::new(began.elapsed(), program.origin()));
        let resident = self.residence(&*program, &mut plan, &spec, shape)?;
        let visit = (!plan.stays).then(|| driver.residency().visit());
        let failed = |error: BackendError| {
            BackendError::new(format!("`{}` cannot launch `{name}`: {error}", driver.name()))
        };

        let records = match &spec.block_records {
            Some(memory) => Arc::clone(runtime_memory::whole(memory)?),
            None => driver.shared(blocks as usize * size_of::<BlockRecord>()).map_err(failed)?,
        };
        plan.fill_records(&*records, &spec)?;
        let states = States::new(
            driver,
            spec.definition.state,
            spec.actors,
            (spec.sparse, spec.evicts),
            blocks.into(),
        )?;
        let device_local = match spec.connectable {
            true => {
                let knows_peers = spec.definition.peers.is_some();
                let rings = plan.device_local_rings(spec.shards[0].layout(), blocks, knows_peers);
                let memory = driver.device_local(&rings).map_err(failed)?;
                let places = spec.definition.places();
                let asks = spec.definition.ask().map(|port| (places, port.tag as usize));
                let bytes = launch_plan::link_bytes(spec.definition, spec.topics);
                let link = driver.shared(bytes).map_err(failed)?;
                let addresses = knows_peers.then_some(places);
                Some(DeviceLocal::new(memory, link, addresses, asks, spec.topics))
            }
            false => None,
        };
        let launch = plan.record(
            driver,
            &spec,
            states.per_block,
            device_local.as_ref().map(|device_local| &*device_local.memory),
        );
        let first = spec.shards[0].place();
        let arena = match spec.shards[0].telemetry() {
            Some(line) => Arc::clone(runtime_memory::allocation(&line.place())?),
            None => driver.scratch(0).map_err(failed)?,
        };
        let doorbell = Arc::clone(self.pump.doorbell());
        let mut held = vec![
            Arc::clone(runtime_memory::allocation(&first)?),
            arena,
            Arc::clone(&records),
            driver.own(bytes_of(&launch)).map_err(failed)?,
            Arc::clone(&states.memory),
            driver.scratch((plan.scratch * u64::from(blocks)) as usize).map_err(failed)?,
            Arc::clone(doorbell.door().memory()),
        ];
        if let Some(device_local) = &device_local {
            held.extend([Arc::clone(&device_local.memory.base), Arc::clone(&device_local.link)]);
            if spec.definition.rows.is_some() {
                let words = spec.rows.as_deref().map_or_else(|| Rows::default().words(), Rows::words);
                held.push(driver.own(words_of(&words)).map_err(failed)?);
            }
        }
        if plan.supersteps {
            held.push(driver.own(&[MaybeUninit::zeroed(); size_of::<StepRecord>()]).map_err(failed)?);
        }
        let bindings: Vec<_> =
            spec.bindings.iter().map(|binding| state::bind(driver, binding)).collect::<Result<_, _>>()?;
        let mut arguments: Vec<_> = held.iter().map(|memory| Argument::Memory(&**memory)).collect();
        for (binding, memory) in spec.bindings.iter().zip(&bindings) {
            arguments.extend([Argument::Memory(&**memory), Argument::Number(binding.len() as u64)]);
        }
        let entry = program.entry(&arguments).map_err(failed)?;
        let record = Arc::clone(&held[RECORD]);
        let bounds = plan.bounds(driver, &spec);
        let state_bytes = spec.definition.state.definition().map_or(0, |state| state.ty.size);
        let running = Arc::new(Running::new(Parts {
            abilities: driver.abilities(),
            shards: spec.shards,
            doorbell,
            stays: plan.stays,
            bounds,
            clock_sync: driver.clock_sync().map(Arc::clone),
            launch: record,
            resident,
            visit,
            supersteps: plan.supersteps,
            rounds: plan.rounds,
            credit: plan.credit,
            entry,
            records,
            states: states.memory,
            state_bytes: state_bytes * states.per_block as usize,
            tables: states.tables,
            bindings,
            device_local,
            memory: held,
        }));
        let run = match plan.stays {
            // SAFETY: it is the first start; the pump holds the kernel until the run is over, or for ever.
            true => Some(unsafe { running.start(1) }.map_err(failed)?),
            false => None,
        };
        let clock_sync = driver.clock_sync().map(Arc::clone);
        self.pump.watch(Watched::new(Arc::clone(&running), spec.clock, clock_sync, spec.signals, run));
        Ok(Box::new(LaunchedKernel(running)))
    }

    /// The C of a kernel's handler.
    fn handler(&self, definition: &'static KernelDefinition) -> Result<Cow<'static, str>, BackendError> {
        if let Some(text) = self.options.handler.and_then(|handler| handler(definition)) {
            return Ok(text);
        }
        handler_source(definition, self.driver.abilities().target)
            .map(Cow::Owned)
            .map_err(|error| BackendError::new(error.to_string()).caused_by(error))
    }

    /// Takes the resident slots that a kernel needs, or lets the kernel run in epochs if the device yields.
    fn residence(
        &self,
        program: &dyn Program,
        plan: &mut LaunchPlan,
        spec: &LaunchSpec,
        shape: Shape,
    ) -> Result<Option<ResidentSlots>, BackendError> {
        let driver = &*self.driver;
        let Abilities { yields, .. } = driver.abilities();
        // A single block waits for no other.
        if !plan.stays && (!plan.supersteps || yields && shape.blocks == 1) {
            return Ok(None);
        }
        let (name, blocks, device) = (spec.definition.name, shape.blocks, driver.name());
        let per_unit = program.blocks_per_unit();
        let residency = driver.residency();
        let together = driver.runs_together(shape);
        if !together && plan.supersteps && blocks > 1 {
            return Err(BackendError::new(format!(
                "`{name}` takes its {blocks} blocks' turns in step, and `{device}` does not run {blocks} blocks of a kernel at once, though it says \
                 that it could: launch with a grid of 1, or without supersteps"
            )));
        }
        let taken = match together {
            true => residency.take(blocks, per_unit),
            false => Err(0),
        };
        match taken {
            Ok(slots) => Ok(Some(slots)),
            Err(_) if yields && (!plan.supersteps || blocks == 1) => {
                plan.stays = false;
                let why = match together {
                    true => "other kernels stay there, or need the room for their epochs",
                    false => {
                        "it does not run that many blocks of a kernel at once, though it says that it could"
                    }
                };
                spec.signals.noted(format!(
                    "runs in epochs: its {blocks} blocks cannot stay on `{device}`, since {why}"
                ));
                Ok(None)
            }
            Err(free) => {
                let Remedies { epochs, places } = driver.abilities().remedies;
                let most = u64::from(residency.units()) * u64::from(per_unit.get());
                Err(BackendError::new(match plan.supersteps {
                    false => format!(
                        "`{name}` has {blocks} blocks, and {free} of the {most} that can stay on `{device}` at a time are free: terminate another \
                         kernel, launch with a smaller grid, run it in epochs (run_mode = EventDriven, or {epochs} for all), {places}",
                    ),
                    true => format!(
                        "`{name}` takes its {blocks} blocks' turns in step, and {free} of the {most} blocks that can run on `{device}` at once \
                         are free: terminate another kernel, launch with a smaller grid or without supersteps, {places}",
                    ),
                }))
            }
        }
    }
}

// SAFETY: each block of a launched kernel serves one shard, by the device runtime's protocol. A block's
// leader is the only consumer of the inbound ring and the only producer of the outbound ring. Handlers are
// the definition's own text over types of the definition's layout. A block that has stored *terminated*
// touches neither rings nor states again (`annulus_block`). The driver promises that the device runs this
// text and nothing else.
unsafe impl DeviceBackend for DeviceHost {
    fn name(&self) -> &'static str {
        self.driver.backend()
    }

    fn devices(&self) -> Vec<DeviceInfo> {
        let mut devices = self.driver.devices(&self.options);
        // The first is the one that is used.
        if let (Some(used), Some(place), true) =
            (devices.first_mut(), self.pump.place(), self.driver.abilities().far)
        {
            used.notes.push(describe_poller(place, self.driver.node()));
        }
        devices
    }

    fn device_name(&self) -> String {
        self.driver.name().to_owned()
    }

    fn allocate(&self, bytes: usize) -> Result<SharedMemory, BackendError> {
        runtime_memory::allocate(&*self.driver, bytes)
    }

    fn adopt(&self, memory: SharedMemory) -> Result<SharedMemory, BackendError> {
        runtime_memory::adopt(&*self.driver, memory)
    }

    fn seals(&self, definition: &KernelDefinition, block: u32) -> bool {
        launch_plan::threads(&self.driver.abilities(), &self.options, definition, block) > 1
            && self.may_seal()
    }

    fn memory(&self, size: &LaunchSize<'_>) -> Result<BackendMemory, BackendError> {
        LaunchPlan::new(&*self.driver, &self.options, size)?.memory(size)
    }

    fn launch(&self, spec: LaunchSpec) -> Result<Box<dyn DeviceKernel>, BackendError> {
        self.start(spec)
    }
}

/// The bytes of words.
fn words_of(words: &[u32]) -> &[MaybeUninit<u8>] {
    // SAFETY: words are as many bytes, borrowed for as long; `MaybeUninit` may be any of them.
    unsafe { slice::from_raw_parts(words.as_ptr().cast(), size_of_val(words)) }
}

/// A record's bytes.
fn bytes_of(record: &LaunchRecord) -> &[MaybeUninit<u8>] {
    // SAFETY: the record is as many bytes, borrowed for as long; `MaybeUninit` may be any of them.
    unsafe { slice::from_raw_parts(std::ptr::from_ref(record).cast(), size_of::<LaunchRecord>()) }
}
