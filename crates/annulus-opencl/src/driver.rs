//! An OpenCL device, as a driver for the host's side of every backend.

use std::{
    mem::MaybeUninit,
    num::NonZeroU32,
    path::PathBuf,
    ptr::NonNull,
    sync::{Arc, Mutex, PoisonError},
};

use annulus_device::{
    Abilities, Argument, DeviceClock, DeviceHeap, DeviceLocalMemory, Driver, Entry, HostOptions, Memory,
    Program, Remedies, Residency, Run, Shape, used_first,
};
use annulus_kernel::Target;
use annulus_runtime::{BackendError, DeviceInfo, ProgramOrigin, RuntimeClock, SharedMemory};

use crate::{
    cl::{self, ClError, Context, Event, Kernel, MemoryKind, Queue},
    clock,
    device::{Device, Opened},
    probe::Verdict,
    program,
};

/// Messages after which a block leaves an epoch. The pump lowers this where messages take long.
const EPOCH_MESSAGES: u32 = 1 << 16;
/// Loop turns allowed on a device that ends loops by itself: llvmpipe ends them after 65,535.
const LOOP_ITERATIONS: u32 = 65_000;

/// A backend's access to its device.
pub(crate) struct OpenClDriver {
    pub(crate) device: &'static Device,
    /// The devices of this machine.
    pub(crate) devices: &'static [Device],
    pub(crate) opened: &'static Opened,
    /// How memory is shared.
    pub(crate) kind: MemoryKind,
    /// Does not use what only some systems have.
    pub(crate) portable: bool,
    /// Where built programs are kept.
    pub(crate) cache: Option<PathBuf>,
    /// The size of the memory in which kernels send to each other, and that memory once some kernel is
    /// connectable.
    pub(crate) device_heap_bytes: usize,
    pub(crate) device_heap: Mutex<Option<Arc<DeviceHeap>>>,
}

// SAFETY: memory and runs are OpenCL's objects. Memory is mapped or shared as long as it lives. A run is over
// when its event is complete, and no command of it touches memory after that. Shared memory is zeroed, and
// its alignment is checked. Adopted memory stays where it is, is zero after its trial, and is dropped when the driver has
// said that it has let go of it. Entries of one queue run one after the other, with the text of
// `program::assemble`. Resident slots are, on PoCL, all its threads but one, and elsewhere compute units,
// each of which runs a group.
unsafe impl Driver for OpenClDriver {
    fn backend(&self) -> &'static str {
        "opencl"
    }

    fn devices(&self, options: &HostOptions) -> Vec<DeviceInfo> {
        used_first(self.device, self.devices).map(|device| device.describe(options.epochs)).collect()
    }

    fn name(&self) -> &str {
        &self.device.name
    }

    fn abilities(&self) -> Abilities {
        let found = &self.opened.found;
        let system = found.system && !self.portable;
        Abilities {
            target: Target::OpenCl,
            stays: matches!(found.verdict, Verdict::Persistent(_)),
            capabilities: self.device.capabilities(found),
            shared_beside_arrays: None,
            rings: system,
            clock: system,
            naps_in_futex: system,
            // A device may accept no other command while a kernel is resident.
            copies_meanwhile: false,
            far: false,
            look: found.look,
            epoch_messages: EPOCH_MESSAGES,
            loop_iterations: if found.loops { None } else { Some(LOOP_ITERATIONS) },
            hears: matches!(found.verdict, Verdict::Persistent(_)),
            yields: self.device.yields(),
            remedies: Remedies {
                epochs: "OpenCl::force_epochs",
                places: "or on PoCL raise OpenCl::resident_groups",
            },
        }
    }

    fn residency(&self) -> &Arc<Residency> {
        &self.opened.residency
    }

    fn clock(&self, runtime: RuntimeClock) -> DeviceClock {
        clock::clock(runtime)
    }

    fn shared(&self, bytes: usize) -> Result<Arc<dyn Memory>, BackendError> {
        let memory = cl::Memory::shared(&self.opened.context, self.kind, bytes)?;
        if memory.host().is_none_or(|host| host.align_offset(128) != 0) {
            return Err(BackendError::new("it is not aligned to 128 bytes; choose another device"));
        }
        Ok(Arc::new(memory))
    }

    fn adopt(&self, memory: SharedMemory) -> Result<Arc<dyn Memory>, BackendError> {
        let buffers = self.kind == MemoryKind::Mapped;
        Ok(Arc::new(self.device.adopt(self.opened, memory, buffers)?))
    }

    /// On a processor in memory that the host reads as well, otherwise on the device.
    fn own(&self, contents: &[MaybeUninit<u8>]) -> Result<Arc<dyn Memory>, BackendError> {
        let context = &self.opened.context;
        // With `portable`, done as on other devices: so tests cover both.
        Ok(Arc::new(match self.device.id.is_processor() && !self.portable {
            true => cl::Memory::shared_copy(context, self.kind, contents)?,
            false => cl::Memory::device(context, contents)?,
        }))
    }

    fn scratch(&self, bytes: usize) -> Result<Arc<dyn Memory>, BackendError> {
        Ok(Arc::new(cl::Memory::scratch(&self.opened.context, bytes)?))
    }

    /// In one buffer, since a kernel reaches only memory that it got as an argument.
    fn device_local(&self, contents: &[u8]) -> Result<DeviceLocalMemory, BackendError> {
        let mut device_heap = self.device_heap.lock().unwrap_or_else(PoisonError::into_inner);
        let device_heap = match &*device_heap {
            Some(device_heap) => Arc::clone(device_heap),
            None => Arc::clone(device_heap.insert(DeviceHeap::new(self.shared(self.device_heap_bytes)?))),
        };
        device_heap.take(contents, "OpenCl::device_heap_bytes")
    }

    fn program(&self, kernel: &str, handler: &str, shape: Shape) -> Result<Box<dyn Program>, BackendError> {
        if !self.opened.found.loops && program::has_loops(handler) {
            return Err(BackendError::new(format!(
                "`{kernel}` has a loop, and cannot run on `{}`, driver {}: {}; choose another device",
                self.device.name,
                self.device.driver,
                crate::device::ENDS_LOOPS
            )));
        }
        let source = program::assemble(handler, shape, self.portable, self.device.programs_by_grid());
        let (program, origin) =
            program::load(self.device, self.opened, self.cache.as_deref(), kernel, &source)?;
        Ok(Box::new(OpenClProgram { program, origin, context: Arc::clone(&self.opened.context), shape }))
    }

    fn runs_together(&self, shape: Shape) -> bool {
        self.device.runs_together(self.opened, shape)
    }
}

struct OpenClProgram {
    program: Arc<cl::Program>,
    origin: ProgramOrigin,
    context: Arc<Context>,
    shape: Shape,
}

impl Program for OpenClProgram {
    fn origin(&self) -> ProgramOrigin {
        self.origin
    }

    fn blocks_per_unit(&self) -> NonZeroU32 {
        NonZeroU32::MIN
    }

    fn entry(&self, arguments: &[Argument]) -> Result<Box<dyn Entry>, BackendError> {
        let mut kernel = self.program.kernel(program::ENTRY)?;
        for argument in arguments {
            match *argument {
                Argument::Number(number) => kernel.number(number)?,
                Argument::Memory(memory) => kernel.memory(memory.as_own()?)?,
            }
        }
        Ok(Box::new(OpenClEntry { queue: Queue::new(&self.context)?, kernel, shape: self.shape }))
    }
}

struct OpenClEntry {
    queue: Queue,
    kernel: Kernel,
    shape: Shape,
}

impl Entry for OpenClEntry {
    unsafe fn start(&self, _: bool) -> Result<Box<dyn Run>, BackendError> {
        // SAFETY: the arguments are set; the rest is the caller's promise.
        let run = unsafe { self.queue.start(&self.kernel, self.shape.blocks, self.shape.threads) };
        Ok(Box::new(run?))
    }
}

impl Run for Event {
    fn is_over(&self) -> Result<bool, BackendError> {
        Ok(self.is_over()?)
    }
}

impl Memory for cl::Memory {
    fn host(&self) -> Option<NonNull<u8>> {
        self.host()
    }

    fn bytes(&self) -> usize {
        self.bytes()
    }

    unsafe fn read(&self, offset: usize, to: &mut [MaybeUninit<u8>]) -> Result<(), BackendError> {
        // SAFETY: the caller's promise.
        Ok(unsafe { self.read(offset, to) }?)
    }

    unsafe fn write(&self, offset: usize, from: &[MaybeUninit<u8>]) -> Result<(), BackendError> {
        // SAFETY: the caller's promise.
        Ok(unsafe { self.write(offset, from) }?)
    }
}

impl From<ClError> for BackendError {
    fn from(error: ClError) -> Self {
        Self::new(error.to_string())
    }
}
