//! The devices of this process: each is opened once, however many backends use it.
//!
//! A device is shared because its limits are: kernels of all backends of a process take their resident slots
//! from one stock, and a program that was loaded once serves all backends. An opened device stays open until
//! the process ends.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use annulus_device::{ClockSync, Listed, Programs, Residency, tell_driver};
use annulus_runtime::{BackendError, Capabilities, DeviceInfo, ProgramOrigin};
use cudarc::driver::sys::CUresult;

use crate::{
    architecture::Architecture,
    cu::{self, ComputeMode, Context, CuError, DeviceId, PATIENCE, Platform, Program, Reach, Stream},
    probe::{self, Found, Verdict},
    program::{self, Sources},
    text::Text,
};

/// A device, and what is known of it without opening it.
#[derive(Debug)]
pub(crate) struct Device {
    pub(crate) id: DeviceId,
    pub(crate) name: String,
    pub(crate) architecture: Architecture,
    /// Resident slots for blocks of kernels that stay; a unit is a multiprocessor.
    pub(crate) residency: Arc<Residency>,
    opened: OnceLock<Opened>,
    /// Held while the device is being opened.
    opening: Mutex<()>,
}

/// What an open device has.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) context: Arc<Context>,
    pub(crate) verdict: Verdict,
    /// How its clock relates to the host's.
    pub(crate) clock_sync: Arc<ClockSync>,
    programs: Programs<Program>,
    /// Streams for later kernels. Making a stream may wait for kernels that stay. So some are made in
    /// advance, and none is destroyed.
    streams: Mutex<Vec<Stream>>,
}

/// The most bytes of a block's shared memory that the block itself takes; `records.c` holds it to this.
const BLOCK_MEMORY: u64 = 17_536;

/// How many streams are made at a time.
const STREAMS: usize = 16;

/// How many kernels stay at a time: devices keep at most 128 grids, and the rest is left to epochs. Source:
/// the table of technical specifications in the CUDA C++ Programming Guide, for compute capability 7.0 and
/// newer.
const KERNELS: usize = 120;

/// What kernels that stay need of the driver, as environment variables and their values. Opening a backend
/// sets those that are not set. A program that uses CUDA before it opens a backend sets them first. The first
/// makes programs load at once: by default a part of a program is loaded when it is first launched, which
/// waits for the kernels that stay. The second gives streams as many queues to the device as possible: by
/// default there are eight, and work that shares a queue with a kernel that stays may wait for the kernel's
/// end.
pub const DRIVER_VARIABLES: [(&str, &str); 2] = [("CUDA_MODULE_LOADING", "EAGER"), (QUEUES, "32")];

/// The variable that says how many queues there are to each device.
const QUEUES: &str = "CUDA_DEVICE_MAX_CONNECTIONS";

/// As many as the driver made if it read the variable as it is now. Source: CUDA C++ Programming Guide, "CUDA
/// Environment Variables": 1 to 32, 8 unless it is set.
fn queues() -> usize {
    let said = std::env::var(QUEUES).ok().and_then(|number| number.parse().ok());
    said.filter(|number| (1..=32).contains(number)).unwrap_or(8)
}

/// What to install where there is no driver.
const INSTALL: &str = "install NVIDIA's driver for its GPU, and see that `nvidia-smi` shows it";

/// Every device of this machine.
pub(crate) fn devices() -> Result<&'static [Device], BackendError> {
    static DEVICES: OnceLock<Result<Vec<Device>, BackendError>> = OnceLock::new();
    let devices = DEVICES.get_or_init(|| {
        if !cu::is_present() {
            return Err(BackendError::new(format!("this machine has no CUDA driver that loads: {INSTALL}")));
        }
        DRIVER_VARIABLES.into_iter().for_each(|(variable, value)| tell_driver(variable, value));
        Ok(cu::devices().map_err(explain)?.into_iter().map(Device::new).collect())
    });
    match devices {
        Ok(devices) if devices.is_empty() => {
            Err(BackendError::new(format!("the CUDA driver of this machine knows no device: {INSTALL}")))
        }
        Ok(devices) => Ok(devices),
        Err(error) => Err(error.clone()),
    }
}

fn explain(error: CuError) -> BackendError {
    if error.is(CUresult::CUDA_ERROR_NO_DEVICE) {
        return BackendError::new(format!("the CUDA driver of this machine knows no device: {INSTALL}"));
    }
    let remedy = if error.is(CUresult::CUDA_ERROR_STUB_LIBRARY) {
        "the library that was found is the toolkit's stub, which is for linking: take its folder out of the loader's path"
    } else if error.is(CUresult::CUDA_ERROR_SYSTEM_DRIVER_MISMATCH) {
        "the driver was updated under the running system: restart the machine"
    } else {
        "`nvidia-smi` shows what the driver sees"
    };
    BackendError::new(format!("the CUDA driver cannot list its devices: {error}; {remedy}"))
}

impl Device {
    fn new(id: DeviceId) -> Self {
        Self {
            name: id.name(),
            architecture: id.architecture(),
            residency: Arc::new(
                Residency::new(id.multiprocessors()).for_kernels(KERNELS).with_queues(queues(), QUEUES),
            ),
            opened: OnceLock::new(),
            opening: Mutex::new(()),
            id,
        }
    }

    /// Opens the device if it is not open yet: retains its context and finds out what it can do. After a
    /// failure it may be tried again, with another folder of machine code.
    pub(crate) fn open(&self, sources: &Sources) -> Result<&Opened, BackendError> {
        let _opening = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(opened) = self.opened.get() {
            return Ok(opened);
        }
        let opened = self.open_first(sources)?;
        Ok(self.opened.get_or_init(|| opened))
    }

    fn open_first(&self, sources: &Sources) -> Result<Opened, BackendError> {
        let no_use = |why: String| BackendError::new(format!("`{}` cannot run kernels: {why}", self.name));
        if self.architecture < Architecture::OLDEST {
            let oldest = Architecture::OLDEST;
            return Err(no_use(format!(
                "it is {}, and kernels are compiled for {oldest} and newer; choose another device",
                self.architecture
            )));
        }
        if !self.id.maps_host_memory() {
            return Err(no_use("it does not map the host's memory; choose another device".into()));
        }
        let mode = self.id.compute_mode();
        if mode == ComputeMode::Prohibited {
            return Err(no_use(
                "its compute mode lets no process use it; change that (`nvidia-smi -c DEFAULT`), or choose another device".into(),
            ));
        }
        let context = Context::new(self.id, &self.residency).map_err(|error| {
            let why = match mode {
                ComputeMode::Exclusive => {
                    "its compute mode lets one process use it at a time, and another one may have it; end that process, or change the mode \
                     (`nvidia-smi -c DEFAULT`)"
                }
                ComputeMode::Shared | ComputeMode::Prohibited => "`nvidia-smi` shows who else uses it and how",
            };
            BackendError::new(format!("`{}` cannot be opened: {error}; {why}", self.name))
        })?;
        let context = Arc::new(context);
        let text = probe::text();
        let (program, _) = self.load(&context, &text, probe::ENTRY, sources)?;
        let Found { verdict, moment, step } = probe::probe(&context, &program)
            .map_err(|why| no_use(format!("{why}; choose another device")))?;
        let clock_sync = Arc::new(ClockSync::new(moment, step));
        let (programs, streams) = (Programs::default(), Mutex::default());
        let opened = Opened { context, verdict, clock_sync, programs, streams };
        let first = opened.stream()?;
        opened.take_back(first);
        Ok(opened)
    }

    /// What it has that not every device has. All of the architectures that run kernels have the rest.
    pub(crate) fn capabilities(&self) -> Capabilities {
        Capabilities {
            max_block: self.id.max_block(),
            shared_memory: Some(u64::from(self.id.most_shared_memory()).saturating_sub(BLOCK_MEMORY)),
            ..Capabilities::ALL
        }
    }

    /// How many bytes a block can share beside the handler's arrays: a program may say 48 KiB itself.
    pub(crate) fn shared_beside_arrays(&self) -> u64 {
        u64::from(self.id.shared_memory()).saturating_sub(BLOCK_MEMORY)
    }

    /// The description of the device; `epochs` says that the program wants no kernel to stay.
    pub(crate) fn describe(&self, epochs: bool) -> DeviceInfo {
        let (major, minor) = cu::driver_version();
        let mut notes = vec![format!(
            "{}, {} multiprocessors, {} MiB, at {}, driver for CUDA {major}.{minor}",
            self.architecture,
            self.id.multiprocessors(),
            self.id.memory() >> 20,
            self.id.bus(),
        )];
        let slice = (self.id.is_slice(), "a MIG slice: nobody has tried one");
        let mps = (
            self.id.has_mps(),
            "MPS shares it: kernels that stay keep their multiprocessors from other programs, and nobody has tried that",
        );
        notes.extend([slice, mps].into_iter().filter(|(is_so, _)| *is_so).map(|(_, note)| note.to_owned()));
        // Opening a device takes memory of it; that is left to those who use the device.
        match self.opened.get() {
            None => notes.push(
                match self.id.platform() {
                    Platform::Plain => "not opened by this program",
                    Platform::Wddm => "not opened by this program; epochs: in display mode (WDDM)",
                    Platform::Wsl => "not opened by this program; epochs: in WSL2",
                    Platform::Watchdog => "not opened by this program; epochs: it has a display's watchdog",
                }
                .into(),
            ),
            Some(opened) => {
                notes.push(match &opened.verdict {
                    Verdict::Persistent(_) if epochs => "epochs: forced by the program".into(),
                    Verdict::Persistent(why) => format!("persistent: {why}"),
                    Verdict::Epochs(why) => format!("epochs: {why}"),
                });
                if let Some(node) = self.id.node() {
                    notes
                        .push(format!("pinned memory is asked of NUMA node {node}, which it is attached to"));
                }
                let (step, known) = (opened.clock_sync.step(), opened.clock_sync.uncertainty());
                notes.push(format!("its clock goes in steps of {step:?}, and is known to {known:?}"));
            }
        }
        DeviceInfo {
            name: self.name.clone(),
            parallel_blocks: self.residency.units(),
            capabilities: self.capabilities(),
            notes,
        }
    }

    /// The program of a text, and where its machine code came from if the program was not loaded yet.
    pub(crate) fn program(
        &self,
        opened: &Opened,
        text: &Text,
        entry: &str,
        sources: &Sources,
    ) -> Result<(Arc<Program>, ProgramOrigin), BackendError> {
        let mut loaded_from = ProgramOrigin::Process;
        let build = || {
            let (program, origin) = self.load(&opened.context, text, entry, sources)?;
            loaded_from = origin;
            Ok::<_, BackendError>(program)
        };
        let (program, _) = opened.programs.get(text.source.clone(), None, |_| None, build, |_| None)?;
        Ok((program, loaded_from))
    }

    /// Loads a program. If the driver refuses machine code, the code is made anew, once: the file on disk may
    /// come from the time of another driver.
    fn load(
        &self,
        context: &Arc<Context>,
        text: &Text,
        entry: &str,
        sources: &Sources,
    ) -> Result<(Program, ProgramOrigin), BackendError> {
        let (code, mut origin) = program::machine_code(text, self.architecture, sources)?;
        let mut loaded = Program::load(context, &code, entry, text.arrays);
        if let Some(Err(_)) = loaded
            && let Ok(code) = program::machine_code_anew(text, self.architecture, sources)
        {
            loaded = Program::load(context, &code, entry, text.arrays);
            origin = ProgramOrigin::Compiled;
        }
        Ok((explain_load(&text.name, loaded)?, origin))
    }
}

impl Listed for Device {
    fn name(&self) -> &str {
        &self.name
    }
}

impl Opened {
    /// A stream on which nothing runs.
    pub(crate) fn stream(&self) -> Result<Stream, BackendError> {
        if let Some(stream) = self.streams().pop() {
            return Ok(stream);
        }
        let make = || (0..STREAMS).map(|_| Stream::new(&self.context)).collect::<Result<Vec<_>, _>>();
        let mut made = self.context.quietly(Reach::Device, make).ok_or_else(|| {
            BackendError::new(format!(
                "a stream cannot be made, since that waits for the kernels that stay on the device, and one did not leave within \
                 {PATIENCE:?} when it was asked: a handler of it runs that long; terminate it"
            ))
        })??;
        let stream = made.pop().expect("some were made");
        self.streams().append(&mut made);
        Ok(stream)
    }

    /// Keeps a stream for another kernel. The stream's last run is over.
    pub(crate) fn take_back(&self, stream: Stream) {
        self.streams().push(stream);
    }

    fn streams(&self) -> MutexGuard<'_, Vec<Stream>> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The result of loading a program, with an error in words.
fn explain_load(name: &str, loaded: Option<Result<Program, CuError>>) -> Result<Program, BackendError> {
    match loaded {
        Some(Ok(program)) => Ok(program),
        Some(Err(error)) => {
            let (major, minor) = cu::driver_version();
            Err(BackendError::new(format!(
                "`{name}` cannot be loaded: {error}; the driver knows CUDA {major}.{minor}, and takes no machine code of a newer NVRTC: if it \
                 is that, install a newer driver, or an NVRTC of that version"
            )))
        }
        None => Err(BackendError::new(format!(
            "`{name}` cannot be loaded, since loading waits for the kernels that stay on the device, and one did not leave within {PATIENCE:?} \
             when it was asked: a handler of it runs that long; terminate it, or launch this kernel first"
        ))),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_block_takes_no_more_of_its_memory_than_is_said() {
        let bound = format!("(ANN_INDEPENDENT ? {} :", super::BLOCK_MEMORY);
        assert_eq!(annulus_block::RUNTIME.matches(&bound).count(), 1, "`records.c` holds the block to it");
    }
}
