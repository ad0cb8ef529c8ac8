//! The devices of this process: each is opened once, however many backends use it.
//!
//! A device is shared because its limits are: kernels of all backends of a process take their resident slots
//! from one stock, and a program that was built once serves all backends. An opened device stays open until
//! the process ends.

use std::{
    collections::HashSet,
    num::NonZeroU32,
    sync::{Arc, Mutex, OnceLock, PoisonError},
    thread,
};

use annulus_device::{Listed, Programs, Residency, Shape, tell_driver};
use annulus_runtime::{BackendError, Capabilities, DeviceInfo, SharedMemory};

use crate::{
    cl::{self, ClError, Context, DeviceId, MemoryKind, Program, Unadopted},
    loader,
    probe::{self, Found, Probe, Verdict},
};

/// What is wrong with devices that end loops by themselves.
pub(crate) const ENDS_LOOPS: &str = "it ends all loops of a run after some 65,000 turns together, without a word: handlers with loops, and blocks of several threads, are refused";

/// A device, and what is known of it without opening it.
pub(crate) struct Device {
    pub(crate) id: DeviceId,
    pub(crate) name: String,
    pub(crate) platform: String,
    pub(crate) version: String,
    pub(crate) driver: String,
    opened: OnceLock<Result<Opened, BackendError>>,
}

/// What an open device has.
pub(crate) struct Opened {
    pub(crate) context: Arc<Context>,
    /// How memory is shared.
    pub(crate) kind: MemoryKind,
    pub(crate) found: Found,
    /// Resident slots for groups of kernels that stay: each group takes one unit.
    pub(crate) residency: Arc<Residency>,
    /// Pairs (groups, threads of a group) that were tried and ran at the same time.
    tried: Mutex<HashSet<(u32, u32)>>,
    /// The probe's program for one thread, once it was needed again.
    probe: OnceLock<Result<Program, String>>,
    pub(crate) programs: Programs<Program>,
}

/// The most bytes of a group's local memory that the block itself takes; `records.c` holds it to this.
const BLOCK_MEMORY: u64 = 2048;

/// The name of PoCL's platform.
const POCL: &str = "Portable Computing Language";

/// PoCL's variable for the number of its threads.
const POCL_THREADS: &str = "POCL_MAX_PTHREAD_COUNT";

/// PoCL's variable for its own program cache; 0 turns the cache off.
const POCL_CACHE: &str = "POCL_KERNEL_CACHE";

/// What to install where there is no OpenCL.
const INSTALL: &str = "install the loader and a device's driver; for this machine's processor, on Debian: \
                       apt install ocl-icd-libopencl1 pocl-opencl-icd";

/// For tests of a device that runs groups one after the other: this many slots are assumed without a trial.
const BELIEVED: &str = "ANNULUS_OPENCL_BELIEVED_PLACES";

/// For tests of a device that reaches any memory: that is assumed of every device, and tried.
const BELIEVED_SYSTEM: &str = "ANNULUS_OPENCL_BELIEVED_SYSTEM";

fn believed_places() -> Option<u32> {
    std::env::var(BELIEVED).ok()?.parse().ok()
}

/// Every device of this machine. The first call in the process decides how many groups PoCL can keep
/// resident.
pub(crate) fn devices(resident_groups: u32) -> Result<&'static [Device], BackendError> {
    static DEVICES: OnceLock<Result<Vec<Device>, BackendError>> = OnceLock::new();
    let devices = DEVICES.get_or_init(|| {
        // PoCL runs each resident group on a thread of its own. By default it has as many threads as cores,
        // and it needs one more for everything else.
        tell_driver(POCL_THREADS, &resident_groups.saturating_add(1).to_string());
        let found = cl::devices().map_err(explain)?;
        Ok(found.into_iter().map(|(id, platform)| Device::new(id, platform)).collect())
    });
    match devices {
        Ok(devices) if devices.is_empty() => Err(explain_none()),
        Ok(devices) => Ok(devices),
        Err(error) => Err(error.clone()),
    }
}

fn explain(error: ClError) -> BackendError {
    if error.is_no_library() {
        BackendError::new(match loader::unloadable() {
            found if found.is_empty() => format!("this machine has no OpenCL library that loads: {INSTALL}"),
            found => {
                format!("this machine has an OpenCL library, and {}: install what it lacks", found.join("; "))
            }
        })
    } else if error.is_no_platform() {
        explain_none()
    } else {
        BackendError::new(format!(
            "OpenCL cannot list its devices: {error}; `clinfo` shows what the library sees"
        ))
    }
}

/// The error when the library knows no device.
fn explain_none() -> BackendError {
    BackendError::new(match loader::unloadable() {
        found if found.is_empty() => format!("the OpenCL library of this machine knows no device: {INSTALL}"),
        found => format!(
            "the OpenCL library of this machine knows no device, since {}: install what it lacks",
            found.join("; ")
        ),
    })
}

impl Device {
    fn new(id: DeviceId, platform: String) -> Self {
        Self {
            name: id.name(),
            version: id.version(),
            driver: id.driver(),
            opened: OnceLock::new(),
            id,
            platform,
        }
    }

    /// The build options: the newest C that the runtime is written for, Rust's rounding if the device supports it, and no
    /// warnings: PoCL prints on the program's standard error how many there were.
    pub(crate) fn build_options(&self) -> String {
        let language = match self.version.strip_prefix("OpenCL ").and_then(|rest| rest.chars().next()) {
            Some('3') => "-cl-std=CL3.0",
            Some('2') => "-cl-std=CL2.0",
            _ => "-cl-std=CL1.2",
        };
        let rounding = if self.id.rounds_division() { " -cl-fp32-correctly-rounded-divide-sqrt" } else { "" };
        format!("{language}{rounding} -w")
    }

    /// Whether the driver itself keeps built programs on disk. PoCL does, unless it is told not to. When PoCL
    /// is asked for a binary it builds one more kernel, for groups of any size, which takes as long as the
    /// first one.
    pub(crate) fn keeps_programs(&self) -> bool {
        self.is_pocl() && std::env::var_os(POCL_CACHE).is_none_or(|value| value != "0")
    }

    /// Whether a kernel needs a separate program for each size of its grid. PoCL loads one version of a
    /// program for each width of the grid, and counts the runs of all versions. It takes the end of a run for
    /// the end of a run of any version. So when instances with different grids run at the same time, it
    /// closes code that still runs, or aborts the process.
    pub(crate) fn programs_by_grid(&self) -> bool {
        self.is_pocl()
    }

    /// Opens the device if it is not open yet: makes its context and finds out what it can do.
    pub(crate) fn open(&self) -> Result<&Opened, BackendError> {
        self.opened.get_or_init(|| self.open_first()).as_ref().map_err(Clone::clone)
    }

    fn open_first(&self) -> Result<Opened, BackendError> {
        if !self.id.is_like_the_host() {
            return Err(BackendError::new(format!(
                "`{}` has other numbers or addresses than this host (64-bit, little-endian): choose another device",
                self.name
            )));
        }
        let context = Context::new(self.id).map_err(|error| {
            BackendError::new(format!("`{}` cannot be opened: {error}; choose another device", self.name))
        })?;
        let context = Arc::new(context);
        let kind = if self.id.has_fine_grain_atomics() { MemoryKind::FineGrain } else { MemoryKind::Mapped };
        let found = probe::probe(self.probe(&context, kind, self.id.compute_units()));
        let residency = match believed_places() {
            Some(places) => Residency::new(places).shared_with_epochs(),
            // PoCL shows its threads as compute units; one must stay free.
            None if self.is_pocl() => {
                Residency::new(found.groups.min(self.id.compute_units().saturating_sub(1)))
            }
            None if found.beside => Residency::new(found.groups).shared_with_epochs(),
            None => Residency::new(found.groups).for_kernels(1).shared_with_epochs(),
        };
        Ok(Opened {
            context,
            kind,
            found,
            residency: Arc::new(residency),
            tried: Mutex::default(),
            probe: OnceLock::new(),
            programs: Programs::default(),
        })
    }

    fn probe<'a>(&'a self, context: &'a Arc<Context>, kind: MemoryKind, groups: u32) -> Probe<'a> {
        let options = self.build_options();
        // On PoCL nothing needs to be tried: it has one more thread than slots, and grids of several sizes
        // beside each other are handled by `programs_by_grid`.
        let (groups, beside) =
            if self.is_pocl() { (groups.saturating_sub(1), false) } else { (groups, true) };
        Probe { context, kind, options, groups, beside }
    }

    /// Whether all blocks of a kernel of this shape run at the same time.
    pub(crate) fn runs_together(&self, opened: &Opened, shape: Shape) -> bool {
        if shape.blocks == 1 || believed_places().is_some() {
            return true;
        }
        // On PoCL a group is one thread, whatever its size.
        if !opened.found.together || shape.threads == 1 || self.is_pocl() {
            return opened.found.together;
        }
        let size = (shape.blocks, shape.threads);
        let tried = || opened.tried.lock().unwrap_or_else(PoisonError::into_inner);
        if !matches!(opened.found.verdict, Verdict::Persistent(_)) || tried().contains(&size) {
            return true;
        }
        let probe = self.probe(&opened.context, opened.kind, shape.blocks);
        let together =
            probe::runs_together(Probe { groups: shape.blocks, ..probe }, shape.threads).unwrap_or(false);
        // A trial that failed may have failed for lack of room that another kernel takes.
        if together {
            tried().insert(size);
        }
        together
    }

    /// Memory of the process that kernels see from now on. `buffers` says that shared virtual memory is not to be used.
    pub(crate) fn adopt(
        &self,
        opened: &Opened,
        memory: SharedMemory,
        buffers: bool,
    ) -> Result<cl::Memory, BackendError> {
        let refused = |why: &str| BackendError::new(format!("{why}; launch it on the CPU backend"));
        let stays = matches!(opened.found.verdict, Verdict::Persistent(_));
        // The trial has a slot. If there is none, kernels that stay leave for a moment, and the trial begins when they have.
        let slot = stays.then(|| opened.residency.take(1, NonZeroU32::MIN).ok()).flatten();
        let asked = (stays && slot.is_none()).then(|| opened.residency.ask_to_leave());
        let system = self.id.has_fine_grain_system() || std::env::var_os(BELIEVED_SYSTEM).is_some();
        let adopted = cl::Memory::adopted(&opened.context, memory, system && !buffers);
        let adopted = Arc::new(adopted.map_err(|why| match why {
            Unadopted::Failed(error) => {
                refused(&format!("its driver makes no buffer of it (CL_MEM_USE_HOST_PTR): {error}"))
            }
            Unadopted::Elsewhere => {
                refused("its driver shows a buffer of it (CL_MEM_USE_HOST_PTR) at another place")
            }
        })?);
        let program = opened.probe.get_or_init(|| self.probe(&opened.context, opened.kind, 1).program(1));
        let is_seen = program
            .as_ref()
            .map_err(String::clone)
            .and_then(|program| probe::is_seen(&opened.context, program, &adopted, stays));
        drop((slot, asked));
        match is_seen {
            Err(why) => Err(refused(&why)),
            Ok(false) if stays => {
                Err(refused("a running kernel and the host do not see each other's writes in it"))
            }
            Ok(false) => Err(refused("kernels and the host do not see each other's writes in it")),
            // The trials have given it back.
            Ok(true) => Arc::into_inner(adopted).ok_or_else(|| refused("a run of its trial has not ended")),
        }
    }

    /// Whether a kernel that finds no resident slot goes into epochs. On PoCL the program sets the number of
    /// slots.
    pub(crate) fn yields(&self) -> bool {
        !self.is_pocl() || believed_places().is_some()
    }

    /// Whether it belongs to PoCL.
    pub(crate) fn is_pocl(&self) -> bool {
        self.platform == POCL
    }

    /// What it has that not every device has.
    pub(crate) fn capabilities(&self, found: &Found) -> Capabilities {
        self.capabilities_of(found.loops)
    }

    fn capabilities_of(&self, loops: bool) -> Capabilities {
        let id = self.id;
        Capabilities {
            f64: id.has_f64(),
            wide_atomics: id.has_wide_atomics(),
            // A group of several needs loops that end when they should.
            max_block: if loops { id.max_group() } else { 1 },
            shared_memory: Some(id.local_memory().saturating_sub(BLOCK_MEMORY)),
            subgroups: id.has_subgroups(),
            shared_virtual_memory: id.has_fine_grain_atomics(),
        }
    }

    /// The description of the device, which is opened for it; `epochs` says that the program wants no kernel
    /// to stay.
    pub(crate) fn describe(&self, epochs: bool) -> DeviceInfo {
        let mut notes = vec![format!("{}, {}, driver {}", self.platform, self.version, self.driver)];
        let mut places = 0;
        match self.open() {
            Err(error) => notes.push(error.to_string()),
            Ok(Opened { found, residency, .. }) => {
                places = residency.units();
                notes.push(match &found.verdict {
                    Verdict::Persistent(_) if epochs => "epochs: forced by the program".into(),
                    Verdict::Persistent(why) => format!("persistent: {why}"),
                    Verdict::Epochs(why) => format!("epochs: {why}"),
                    Verdict::Unusable(why) => format!("cannot run kernels: {why}"),
                });
                notes.push(match found.verdict {
                    Verdict::Persistent(_) if found.together => format!("up to {places} blocks of kernels that stay, at a time"),
                    Verdict::Persistent(_) => format!(
                        "up to {places} kernels that stay, at a time, of one block each: it runs the blocks of a kernel one after the other, though it \
                         shows {} compute units; kernels of more blocks run in epochs, and so does one that has no place",
                        self.id.compute_units()
                    ),
                    _ if found.together => format!("up to {places} blocks take their turns in step"),
                    _ => "blocks of a kernel run one after the other: they cannot take their turns in step".into(),
                });
                if !found.loops {
                    notes.push(ENDS_LOOPS.into());
                }
            }
        }
        // A processor keeps more blocks than it runs: waiting blocks nap.
        let cores = || thread::available_parallelism().map_or(u32::MAX, |cores| cores.get() as u32);
        let most = if self.id.is_processor() { cores() } else { u32::MAX };
        let found = self.open().ok().map(|opened| &opened.found);
        DeviceInfo {
            name: self.name.clone(),
            parallel_blocks: places.min(most),
            capabilities: self.capabilities_of(found.is_none_or(|found| found.loops)),
            notes,
        }
    }
}

impl Listed for Device {
    fn name(&self) -> &str {
        &self.name
    }

    fn platform(&self) -> Option<&str> {
        Some(&self.platform)
    }
}

#[cfg(test)]
mod tests {
    use std::slice;

    use annulus_sync::{AtomicU32, Ordering};

    use super::*;

    /// Says when memory was dropped that was given away.
    struct Told(SharedMemory, Arc<AtomicU32>);

    impl Drop for Told {
        fn drop(&mut self) {
            self.1.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Memory, and how often it was dropped.
    fn memory() -> (SharedMemory, Arc<AtomicU32>) {
        let dropped = Arc::new(AtomicU32::new(0));
        let told = Told(SharedMemory::host(8192).expect("so much is there"), Arc::clone(&dropped));
        let (base, bytes) = (told.0.base(), told.0.bytes());
        // SAFETY: the memory is that of a `SharedMemory`, which lives as long as its owner.
        (unsafe { SharedMemory::from_raw(base, bytes, Box::new(told)) }, dropped)
    }

    fn opened() -> Option<(&'static Device, &'static Opened)> {
        let device = devices(8).inspect_err(|error| println!("skipped: {error}")).ok()?.first()?;
        Some((device, device.open().expect("the first device can be opened")))
    }

    #[test]
    fn r_06_adopted_memory_is_where_it_was_and_is_given_back() {
        let Some((device, opened)) = opened() else { return };
        let in_buffer = |memory| device.adopt(opened, memory, true).expect("a buffer can be made of it");
        let by_address = |memory| {
            let adopted =
                cl::Memory::adopted(&opened.context, memory, true).expect("nothing is asked of the driver");
            let (program, adopted) =
                (device.probe(&opened.context, opened.kind, 1).program(1), Arc::new(adopted));
            let program = program.expect("it compiles");
            assert_eq!(probe::is_seen(&opened.context, &program, &adopted, true), Ok(true));
            Arc::into_inner(adopted).expect("the trials have given it back")
        };
        // PoCL reaches any memory, though it does not say so.
        let ways: &[&dyn Fn(SharedMemory) -> cl::Memory] =
            if device.is_pocl() { &[&in_buffer, &by_address] } else { &[&in_buffer] };
        for adopt in ways {
            let (memory, dropped) = memory();
            let base = memory.base();
            let adopted = adopt(memory);
            assert_eq!((adopted.host(), adopted.bytes()), (Some(base), 8192));
            // SAFETY: no kernel uses the memory, and nobody writes to it.
            let bytes = unsafe { slice::from_raw_parts(base.as_ptr(), 8192) };
            assert!(bytes.iter().all(|&byte| byte == 0), "the trial leaves nothing behind");
            assert_eq!(dropped.load(Ordering::Relaxed), 0);
            drop(adopted);
            // Another test has some, too.
            while dropped.load(Ordering::Relaxed) == 0 {
                cl::drop_left();
                thread::yield_now();
            }
            assert_eq!(dropped.load(Ordering::Relaxed), 1);
        }
    }

    /// A driver that keeps a copy of the memory is found out, whether kernels stay or not.
    #[test]
    fn r_06_memory_that_is_copied_is_not_adopted() {
        let Some((device, opened)) = opened() else { return };
        let program = device.probe(&opened.context, opened.kind, 1).program(1).expect("it compiles");
        for stays in [false, true] {
            let copied = cl::Memory::copied(&opened.context, memory().0).expect("a buffer can be made");
            let is_seen = probe::is_seen(&opened.context, &program, &Arc::new(copied), stays);
            assert_eq!(is_seen, Ok(false), "{stays}");
        }
    }
}
