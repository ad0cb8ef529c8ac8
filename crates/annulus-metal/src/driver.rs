//! A Metal device, as a driver for the host's side of every backend.

use std::{
    mem::MaybeUninit,
    num::NonZeroU32,
    sync::{Arc, Mutex, PoisonError},
};

use annulus_device::{
    Abilities, Argument, DeviceClock, DeviceHeap, DeviceLocalMemory, Driver, Entry, HostOptions, Memory,
    Program, Remedies, Residency, Run, Shape, used_first,
};
use annulus_kernel::Target;
use annulus_runtime::{BackendError, DeviceInfo, ProgramOrigin, RuntimeClock, SharedMemory};

use crate::{
    device::{Device, Opened},
    memory::MetalMemory,
    mtl::{self, Pipeline, Queue},
    probe, program,
};

/// Messages after which a block leaves an epoch. The pump lowers this where messages take long.
const EPOCH_MESSAGES: u32 = 1 << 16;

/// A backend's access to its device.
pub(crate) struct MetalDriver {
    pub(crate) device: &'static Device,
    /// The devices of this machine.
    pub(crate) devices: &'static [Device],
    pub(crate) opened: &'static Opened,
    /// The size of the memory in which kernels send to each other, and that memory once some kernel is connectable.
    pub(crate) device_heap_bytes: usize,
    pub(crate) device_heap: Mutex<Option<Arc<DeviceHeap>>>,
}

// SAFETY: memory and runs are Metal's objects. Shared memory is a buffer that is zeroed and whose alignment is checked; the host
// sees it at one place as long as it lives. Adopted memory stays where it is (checked), is zero after its trial, and lives as long
// as its buffer. A command buffer that has completed, or failed, touches no memory any more. Command buffers of one queue run in
// their order, and each runs the text of `program::assemble` with the arguments of its entry. The threads of a block are
// checked against the pipeline's limit; blocks that are resident together were tried.
unsafe impl Driver for MetalDriver {
    fn backend(&self) -> &'static str {
        "metal"
    }

    fn devices(&self, _: &HostOptions) -> Vec<DeviceInfo> {
        used_first(self.device, self.devices).map(Device::describe).collect()
    }

    fn name(&self) -> &str {
        &self.device.name
    }

    fn abilities(&self) -> Abilities {
        let found = &self.opened.found;
        Abilities {
            target: Target::Metal,
            stays: false,
            capabilities: self.device.capabilities(Some(found)),
            shared_beside_arrays: None,
            rings: false,
            clock: false,
            naps_in_futex: false,
            copies_meanwhile: true,
            far: false,
            look: found.look,
            epoch_messages: EPOCH_MESSAGES,
            loop_iterations: None,
            hears: false,
            yields: true,
            remedies: Remedies { epochs: "Metal::force_epochs", places: "or choose another device" },
        }
    }

    fn residency(&self) -> &Arc<Residency> {
        &self.opened.residency
    }

    /// Never called: blocks have no clock.
    fn clock(&self, _: RuntimeClock) -> DeviceClock {
        DeviceClock::default()
    }

    fn shared(&self, bytes: usize) -> Result<Arc<dyn Memory>, BackendError> {
        Ok(Arc::new(MetalMemory::new(&self.device.id, bytes)?))
    }

    fn adopt(&self, memory: SharedMemory) -> Result<Arc<dyn Memory>, BackendError> {
        Ok(Arc::new(probe::adopt(&self.device.id, self.opened.found.coherent, memory)?))
    }

    fn own(&self, contents: &[MaybeUninit<u8>]) -> Result<Arc<dyn Memory>, BackendError> {
        let memory = MetalMemory::new(&self.device.id, contents.len())?;
        // SAFETY: no kernel has the memory yet.
        unsafe { memory.write(0, contents) }?;
        Ok(Arc::new(memory))
    }

    fn scratch(&self, bytes: usize) -> Result<Arc<dyn Memory>, BackendError> {
        self.shared(bytes)
    }

    /// In one buffer, since a kernel reaches only memory that it got as an argument.
    fn device_local(&self, contents: &[u8]) -> Result<DeviceLocalMemory, BackendError> {
        let mut device_heap = self.device_heap.lock().unwrap_or_else(PoisonError::into_inner);
        let device_heap = match &*device_heap {
            Some(device_heap) => Arc::clone(device_heap),
            None => Arc::clone(device_heap.insert(DeviceHeap::new(self.shared(self.device_heap_bytes)?))),
        };
        device_heap.take(contents, "Metal::device_heap_bytes")
    }

    fn program(&self, kernel: &str, handler: &str, shape: Shape) -> Result<Box<dyn Program>, BackendError> {
        let source = program::assemble(handler, shape, self.opened.found.coherent);
        let (pipeline, origin) = program::load(self.device, self.opened, kernel, source, shape.threads)?;
        Ok(Box::new(MetalProgram { device: self.device, pipeline, origin, shape }))
    }

    fn runs_together(&self, shape: Shape) -> bool {
        self.device.runs_together(self.opened, shape)
    }
}

struct MetalProgram {
    device: &'static Device,
    pipeline: Arc<Pipeline>,
    origin: ProgramOrigin,
    shape: Shape,
}

impl Program for MetalProgram {
    fn origin(&self) -> ProgramOrigin {
        self.origin
    }

    fn blocks_per_unit(&self) -> NonZeroU32 {
        NonZeroU32::MIN
    }

    fn entry(&self, arguments: &[Argument]) -> Result<Box<dyn Entry>, BackendError> {
        let owned = arguments.iter().map(|argument| match *argument {
            Argument::Number(number) => Ok(mtl::Argument::Number(number)),
            Argument::Memory(memory) => {
                Ok(mtl::Argument::Buffer(memory.as_own::<MetalMemory>()?.buffer.clone()))
            }
        });
        let arguments = owned.collect::<Result<_, BackendError>>()?;
        let queue = self.device.id.queue().map_err(refused)?;
        Ok(Box::new(MetalEntry { queue, pipeline: Arc::clone(&self.pipeline), arguments, shape: self.shape }))
    }
}

struct MetalEntry {
    queue: Queue,
    pipeline: Arc<Pipeline>,
    arguments: Vec<mtl::Argument>,
    shape: Shape,
}

impl Entry for MetalEntry {
    unsafe fn start(&self, _: bool) -> Result<Box<dyn Run>, BackendError> {
        // SAFETY: the arguments are the program's; the rest is the caller's promise.
        let run = unsafe {
            self.queue.start(&self.pipeline, &self.arguments, self.shape.blocks, self.shape.threads)
        };
        Ok(Box::new(run.map_err(refused)?))
    }
}

impl Run for mtl::Run {
    fn is_over(&self) -> Result<bool, BackendError> {
        self.is_over().map_err(refused)
    }
}

fn refused(error: mtl::Error) -> BackendError {
    BackendError::new(error.to_string())
}
