//! A CUDA device, as a driver for the host's side of every backend.

use std::{
    mem::MaybeUninit,
    num::NonZeroU32,
    ptr::NonNull,
    slice,
    sync::Arc,
    time::{Duration, Instant},
};

use annulus_block::ENTRY;
use annulus_device::{
    Abilities, Argument, ClockSync, DeviceClock, DeviceLocalMemory, Driver, Entry, HostOptions, Memory,
    Program, Remedies, Residency, Run, Shape, used_first,
};
use annulus_kernel::Target;
use annulus_runtime::{BackendError, DeviceInfo, ProgramOrigin, RuntimeClock, SharedMemory};

use crate::{
    cu::{self, Arena, Copies, CopyError, CuError, Kind, NoRoom, PATIENCE, Stream},
    device::{Device, Opened},
    probe::Verdict,
    program::{Sources, compiles_sealed},
    text::Text,
};

/// How long one poll for work takes a block: two loads of the host's memory. Others have measured about a
/// microsecond for each on an H100.
const LOOK: Duration = Duration::from_micros(2);
/// Messages after which a block leaves an epoch.
const EPOCH_MESSAGES: u32 = 4096;

/// How much memory a backend reserves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reserve {
    /// Pinned memory of the host, in bytes.
    pub(crate) pinned: usize,
    /// The device's own memory, in bytes; `None` for [`DEVICE_BYTES`], or an eighth of the device's memory if
    /// that is less.
    pub(crate) device: Option<usize>,
}

/// The default number of bytes of device memory that are reserved.
const DEVICE_BYTES: usize = 256 << 20;

/// A backend's access to its device.
pub(crate) struct CudaDriver {
    device: &'static Device,
    /// The devices of this machine.
    devices: &'static [Device],
    opened: &'static Opened,
    /// Whether kernels stay.
    stays: bool,
    sources: Sources,
    shared: Arc<Arena>,
    own: Arc<Arena>,
    copies: Arc<Copies>,
}

impl CudaDriver {
    /// Reserves memory on an opened device.
    pub(crate) fn new(
        device: &'static Device,
        devices: &'static [Device],
        opened: &'static Opened,
        epochs: bool,
        sources: Sources,
        reserve: Reserve,
    ) -> Result<Self, BackendError> {
        let context = &opened.context;
        let bytes = reserve.device.unwrap_or_else(|| DEVICE_BYTES.min(device.id.memory() / 8));
        let shared = Arena::reserve(context, Kind::Shared, reserve.pinned)
            .map_err(|why| no_room(Kind::Shared, reserve.pinned, why))?;
        let own =
            Arena::reserve(context, Kind::Device, bytes).map_err(|why| no_room(Kind::Device, bytes, why))?;
        let copies =
            Copies::new(context, &shared).map_err(|why| no_room(Kind::Shared, reserve.pinned, why))?;
        let stays = !epochs && matches!(opened.verdict, Verdict::Persistent(_));
        Ok(Self { device, devices, opened, stays, sources, shared, own, copies: Arc::new(copies) })
    }

    fn take(&self, kind: Kind, bytes: usize) -> Result<CudaMemory, BackendError> {
        let arena = match kind {
            Kind::Shared => &self.shared,
            Kind::Device => &self.own,
        };
        let memory = arena.take(bytes).map_err(|why| no_room(kind, bytes, why))?;
        Ok(CudaMemory { memory, copies: Arc::clone(&self.copies) })
    }
}

fn no_room(kind: Kind, wanted: usize, why: NoRoom) -> BackendError {
    let (what, option) = match kind {
        Kind::Shared => ("pinned memory", "Cuda::pinned_bytes"),
        Kind::Device => ("the device's memory", "Cuda::device_bytes"),
    };
    BackendError::new(match why {
        NoRoom::Refused(error) => format!(
            "the driver does not give {wanted} bytes of {what} ({error}): use less, or lower {option}"
        ),
        NoRoom::Resident { bytes, free } => format!(
            "{wanted} bytes of {what} are wanted, and {free} of the {bytes} that are reserved are free, in parts; for more, the kernels that stay \
             on the device leave it, which one did not within {PATIENCE:?}: a handler of it runs that long; terminate it, or raise {option}"
        ),
    })
}

// SAFETY: memory is a part of an arena. Until it is dropped nobody else has that part. It is aligned to 128,
// and zeroed where the host sees it. Adopted memory stays where it is, is not written to, and is dropped when it is not
// registered any more, for which calls of the driver wait until nothing runs. Entries run on one stream, one after the other, with the text around the
// handler that `Text::new` assembles. A run is over when its stream is idle, and nothing of it touches memory
// then. Units are multiprocessors, and the driver says how many blocks of a program one of them keeps.
unsafe impl Driver for CudaDriver {
    fn backend(&self) -> &'static str {
        "cuda"
    }

    fn devices(&self, options: &HostOptions) -> Vec<DeviceInfo> {
        used_first(self.device, self.devices).map(|device| device.describe(options.epochs)).collect()
    }

    fn compiles_sealed(&self) -> bool {
        compiles_sealed()
    }

    fn name(&self) -> &str {
        &self.device.name
    }

    fn abilities(&self) -> Abilities {
        Abilities {
            target: Target::Cuda,
            stays: self.stays,
            capabilities: self.device.capabilities(),
            shared_beside_arrays: Some(self.device.shared_beside_arrays()),
            rings: false,
            clock: true,
            naps_in_futex: false,
            copies_meanwhile: true,
            far: true,
            look: LOOK,
            epoch_messages: EPOCH_MESSAGES,
            loop_iterations: None,
            hears: true,
            yields: false,
            remedies: Remedies { epochs: "Cuda::force_epochs", places: "or with fewer threads in a block" },
        }
    }

    fn residency(&self) -> &Arc<Residency> {
        &self.device.residency
    }

    fn clock(&self, runtime: RuntimeClock) -> DeviceClock {
        let before = Instant::now();
        let now = runtime.now();
        let between = before + before.elapsed() / 2;
        DeviceClock { needs: 0, origin: self.opened.clock_sync.origin(between, now) }
    }

    fn node(&self) -> Option<u32> {
        self.device.id.node()
    }

    fn clock_sync(&self) -> Option<&Arc<ClockSync>> {
        Some(&self.opened.clock_sync)
    }

    fn shared(&self, bytes: usize) -> Result<Arc<dyn Memory>, BackendError> {
        Ok(Arc::new(self.take(Kind::Shared, bytes)?))
    }

    fn adopt(&self, memory: SharedMemory) -> Result<Arc<dyn Memory>, BackendError> {
        let refused = |why: &str| BackendError::new(format!("{why}; launch it on the CPU backend"));
        if !self.device.id.registers_host_memory() {
            return Err(refused(
                "its driver registers no memory of the process (CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED)",
            ));
        }
        let memory = cu::Memory::register(&self.opened.context, memory).map_err(|why| match why {
            NoRoom::Refused(error) => refused(&format!("its driver does not register it: {error}")),
            NoRoom::Resident { .. } => BackendError::new(format!(
                "registering it waits for the kernels that stay, and one did not leave within {PATIENCE:?}: a handler of it runs that long; \
                 terminate it"
            )),
        })?;
        Ok(Arc::new(CudaMemory { memory, copies: Arc::clone(&self.copies) }))
    }

    fn own(&self, contents: &[MaybeUninit<u8>]) -> Result<Arc<dyn Memory>, BackendError> {
        let memory = self.take(Kind::Device, contents.len())?;
        // SAFETY: the memory is new: no kernel has it.
        unsafe { memory.write(0, contents) }?;
        Ok(Arc::new(memory))
    }

    fn scratch(&self, bytes: usize) -> Result<Arc<dyn Memory>, BackendError> {
        Ok(Arc::new(self.take(Kind::Device, bytes)?))
    }

    fn device_local(&self, contents: &[u8]) -> Result<DeviceLocalMemory, BackendError> {
        let memory = self.take(Kind::Device, contents.len())?;
        // SAFETY: these are as many bytes, borrowed for as long; `MaybeUninit` accepts any of them.
        let contents = unsafe { slice::from_raw_parts(contents.as_ptr().cast(), contents.len()) };
        // SAFETY: the memory is new: no kernel has it.
        unsafe { memory.write(0, contents) }?;
        // A place is an absolute address, so the base is empty.
        Ok(DeviceLocalMemory {
            place: memory.memory.device(),
            base: self.scratch(0)?,
            owner: Box::new(memory),
        })
    }

    fn program(&self, kernel: &str, handler: &str, shape: Shape) -> Result<Box<dyn Program>, BackendError> {
        if shape.supersteps && !self.device.id.launches_together() {
            return Err(BackendError::new(format!(
                "`{}` cannot launch blocks together (cooperative launch), which `{kernel}` needs for its supersteps: launch it without \
                 supersteps, or choose another device",
                self.device.name
            )));
        }
        let text = Text::new(kernel, handler, shape);
        let (program, origin) = self.device.program(self.opened, &text, ENTRY, &self.sources)?;
        let (wanted, most) = (program.shared(shape.arrays), self.device.id.most_shared_memory());
        if wanted > most {
            return Err(BackendError::new(format!(
                "a block of {} threads of `{kernel}` takes {wanted} bytes of shared memory, {} of them for its arrays, and a block of `{}` has \
                 {most}: share smaller arrays, launch with a smaller block, or launch on another device",
                shape.threads, shape.arrays, self.device.name
            )));
        }
        let per_unit = program.blocks_per_multiprocessor(shape.threads, shape.arrays)?;
        let per_unit = NonZeroU32::new(per_unit).ok_or_else(|| {
            BackendError::new(format!(
                "a block of {} threads of `{kernel}` needs more registers or shared memory than a multiprocessor of `{}` has: launch with a \
                 smaller block",
                shape.threads, self.device.name
            ))
        })?;
        Ok(Box::new(CudaProgram { program, origin, opened: self.opened, shape, per_unit }))
    }
}

struct CudaProgram {
    program: Arc<cu::Program>,
    origin: ProgramOrigin,
    opened: &'static Opened,
    shape: Shape,
    per_unit: NonZeroU32,
}

impl Program for CudaProgram {
    fn origin(&self) -> ProgramOrigin {
        self.origin
    }

    fn blocks_per_unit(&self) -> NonZeroU32 {
        self.per_unit
    }

    fn entry(&self, arguments: &[Argument]) -> Result<Box<dyn Entry>, BackendError> {
        let mut entry = self.program.entry();
        for argument in arguments {
            match *argument {
                Argument::Number(number) => entry.number(number),
                Argument::Memory(memory) => {
                    entry.memory(&memory.as_own::<CudaMemory>()?.memory);
                }
            }
        }
        let stream = Some(Arc::new(self.opened.stream()?));
        Ok(Box::new(CudaEntry { stream, entry, opened: self.opened, shape: self.shape }))
    }
}

struct CudaEntry {
    /// `Some` until the entry is dropped.
    stream: Option<Arc<Stream>>,
    entry: cu::Entry,
    opened: &'static Opened,
    shape: Shape,
}

impl Entry for CudaEntry {
    unsafe fn start(&self, stays: bool) -> Result<Box<dyn Run>, BackendError> {
        // An epoch ends by itself: a call that waits for it need not ask it to leave.
        let staying = stays.then(|| self.opened.context.stay());
        // SAFETY: each argument has eight bytes; the rest is the caller's promise.
        let run = unsafe { self.stream().start(&self.entry, self.shape, staying) };
        Ok(Box::new(run?))
    }
}

impl CudaEntry {
    fn stream(&self) -> &Arc<Stream> {
        self.stream.as_ref().expect("it goes when the entry is dropped")
    }
}

impl Drop for CudaEntry {
    fn drop(&mut self) {
        // A run that was given up keeps the stream.
        let stream = self.stream.take().and_then(Arc::into_inner);
        if let Some(stream) = stream.filter(|stream| stream.is_idle() == Ok(true)) {
            self.opened.take_back(stream);
        }
    }
}

impl Run for cu::Run {
    fn is_over(&self) -> Result<bool, BackendError> {
        Ok(self.is_over()?)
    }
}

/// Memory, and the means to copy it.
struct CudaMemory {
    memory: cu::Memory,
    copies: Arc<Copies>,
}

impl Memory for CudaMemory {
    fn host(&self) -> Option<NonNull<u8>> {
        self.memory.host()
    }

    fn bytes(&self) -> usize {
        self.memory.bytes()
    }

    unsafe fn read(&self, offset: usize, to: &mut [MaybeUninit<u8>]) -> Result<(), BackendError> {
        // SAFETY: the caller's promise.
        Ok(unsafe { self.copies.read(&self.memory, offset, to) }?)
    }

    unsafe fn write(&self, offset: usize, from: &[MaybeUninit<u8>]) -> Result<(), BackendError> {
        // SAFETY: the caller's promise.
        Ok(unsafe { self.copies.write(&self.memory, offset, from) }?)
    }
}

impl From<CuError> for BackendError {
    fn from(error: CuError) -> Self {
        Self::new(error.to_string())
    }
}

impl From<CopyError> for BackendError {
    fn from(error: CopyError) -> Self {
        Self::new(match error {
            CopyError::Failed(error) => error.to_string(),
            CopyError::Late => "a copy did not end in time: the device hangs".into(),
        })
    }
}
