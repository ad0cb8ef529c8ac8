//! What a backend's driver provides: an opened device, its memory, its programs.

use std::{any::Any, mem::MaybeUninit, num::NonZeroU32, sync::Arc, time::Duration};

use annulus_kernel::Target;
use annulus_runtime::{BackendError, Capabilities, DeviceInfo, ProgramOrigin, RuntimeClock, SharedMemory};

pub use crate::memory::Memory;

use crate::{clock_sync::ClockSync, options::HostOptions, residency::Residency};

/// An opened device. Its methods, and those of the objects that it returns, are called from any thread, also
/// while kernels stay on the device. None of these methods waits for a kernel to end.
///
/// # Safety
///
/// Memory safety rests on these promises of a driver:
///
/// * [`Memory::host`] is always the same, aligned to 128, and valid for reads and writes of [`Memory::bytes`]
///   bytes as long as the memory lives. Memory is no shorter than was asked for; shared memory is zeroed, and
///   has a place on the host. Adopted memory has the place and the length that it had, and is zero.
/// * An [`Entry`] runs the device program around the handler's text, in as many blocks and threads as its
///   shape says, with its arguments, and nothing else; a start after another one runs after it.
/// * After [`Run::is_over`] has said that the run is over, the run touches no memory.
/// * The limits that it reports are not above the device's own: threads of a block, and blocks that are
///   resident together.
pub unsafe trait Driver: Send + Sync + 'static {
    /// The backend's name, as the command line and telemetry show it.
    fn backend(&self) -> &'static str;

    /// The backend's devices; the one that this drives comes first: [`used_first`](crate::used_first).
    fn devices(&self, options: &HostOptions) -> Vec<DeviceInfo>;

    /// The device's name, for messages.
    fn name(&self) -> &str;

    /// What the device can do. The answer is always the same.
    fn abilities(&self) -> Abilities;

    /// The device's resident slots, which all backends of the process that use the device share.
    fn residency(&self) -> &Arc<Residency>;

    /// What a block needs to read its clock, for a launch that is about to start. Called only for devices
    /// whose blocks have a clock.
    fn clock(&self, runtime: RuntimeClock) -> DeviceClock;

    /// Whether its compiler builds programs that take messages from sealed slots. Called only for devices
    /// that are [far](Abilities::far).
    fn compiles_sealed(&self) -> bool {
        true
    }

    /// How the device's clock relates to the host's, if it drifts from the host's. The pump then asks blocks
    /// for the time, and tells them the result.
    fn clock_sync(&self) -> Option<&Arc<ClockSync>> {
        None
    }

    /// The NUMA node of the host that the device is attached to, if it is known: for people, beside where the
    /// pump runs. Asked only of devices that are [far](Abilities::far).
    fn node(&self) -> Option<u32> {
        None
    }

    /// Zeroed memory that the host sees, and that kernels see while they run.
    ///
    /// # Errors
    ///
    /// If there is not that much memory, or it would not be aligned to 128 bytes.
    fn shared(&self, bytes: usize) -> Result<Arc<dyn Memory>, BackendError>;

    /// Memory of this process, which kernels are to see as [`shared`](Self::shared) memory: a part of a file that is mapped,
    /// shared. It is zero, and begins and ends at a page. It lives until no kernel and no call of the device's driver can
    /// touch it any more.
    ///
    /// # Errors
    ///
    /// If the device cannot use it: why, and what to do.
    fn adopt(&self, memory: SharedMemory) -> Result<Arc<dyn Memory>, BackendError>;

    /// Memory for kernels alone, with these contents, wherever kernels reach it fastest.
    ///
    /// # Errors
    ///
    /// If there is not that much.
    fn own(&self, contents: &[MaybeUninit<u8>]) -> Result<Arc<dyn Memory>, BackendError>;

    /// The device's own memory, not initialised. A length of 0 is valid: the result is an argument, too.
    ///
    /// # Errors
    ///
    /// If there is not that much.
    fn scratch(&self, bytes: usize) -> Result<Arc<dyn Memory>, BackendError>;

    /// Memory in which kernels of this device send to each other, with these contents.
    ///
    /// # Errors
    ///
    /// If there is not that much.
    fn device_local(&self, contents: &[u8]) -> Result<DeviceLocalMemory, BackendError>;

    /// The program around a handler's text ([`assemble`](crate::assemble)): compiled, or taken from those
    /// compiled before ([`Programs`](crate::Programs)). The kernel's name is for messages.
    ///
    /// # Errors
    ///
    /// If it does not compile, or cannot be loaded.
    fn program(&self, kernel: &str, handler: &str, shape: Shape) -> Result<Box<dyn Program>, BackendError>;

    /// Whether all blocks of a kernel of this shape run at the same time on a device with room for them, as
    /// far as this is known or can be tried. If the answer is wrong, the pump finds out when the kernel has
    /// begun.
    fn runs_together(&self, shape: Shape) -> bool {
        let _ = shape;
        true
    }
}

/// What an opened device can do.
#[derive(Clone, Copy, Debug)]
pub struct Abilities {
    /// The dialect of its programs.
    pub target: Target,
    /// Kernels stay until they are terminated; otherwise they run in epochs.
    pub stays: bool,
    /// What it has that not every device has. Launches are checked against this.
    pub capabilities: Capabilities,
    /// How many bytes a block's threads can share beside the handler's arrays, where arrays lie apart and the rest has
    /// a limit of its own.
    pub shared_beside_arrays: Option<u64>,
    /// Blocks wake the host's pump by the futex of the doorbell's `rung`. Otherwise the pump polls, at short
    /// intervals while somebody waits.
    pub rings: bool,
    /// Blocks have a clock ([`Driver::clock`]). Otherwise the host's heartbeat is their clock, and is renewed
    /// more often.
    pub clock: bool,
    /// A block naps in the futex of its `wake` word, and the host must wake it. Otherwise the block polls the
    /// word.
    pub naps_in_futex: bool,
    /// The device's own memory can be copied while a kernel stays.
    pub copies_meanwhile: bool,
    /// The host's memory is far from the blocks, as behind a bus. Then a kernel whose messages are handled by
    /// one thread still gets blocks of several threads: the other threads carry messages.
    pub far: bool,
    /// How long one poll takes a block; durations are converted to numbers of polls by it. Not 0.
    pub look: Duration,
    /// Messages after which a block leaves an epoch.
    pub epoch_messages: u32,
    /// All loops of a run end after this many turns together, whatever their conditions say; `None` where
    /// loops end when they should. Epochs are shorter than that.
    pub loop_iterations: Option<u32>,
    /// A running kernel sees what its host writes meanwhile. Otherwise a block that finds nothing in one poll
    /// of an epoch finds nothing in later polls of that epoch, either.
    pub hears: bool,
    /// A kernel that does not find resident slots goes into epochs, and reports this: a program cannot get
    /// more slots. Otherwise its launch is refused, and the error says what to do.
    pub yields: bool,
    /// What a program can do where the device's limits are reached.
    pub remedies: Remedies,
}

/// How a program changes what a backend does, for use in messages.
#[derive(Clone, Copy, Debug)]
pub struct Remedies {
    /// How to run kernels in epochs: a method's name.
    pub epochs: &'static str,
    /// How to let more blocks stay; follows "terminate another kernel, launch with a smaller grid, run it in
    /// epochs".
    pub places: &'static str,
}

/// How blocks read the time.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeviceClock {
    /// What the prelude's `ann_clock` needs.
    pub needs: u64,
    /// What the device's clock shows when the runtime's shows 0, in nanoseconds, wrapping.
    pub origin: u64,
}

/// The size of a launch, and what else is compiled into its program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Blocks.
    pub blocks: u32,
    /// Threads of each.
    pub threads: u32,
    /// The kernel may be connected to others.
    pub connectable: bool,
    /// What it sends may become a variant of what the connected kernel takes.
    pub into_variants: bool,
    /// Inbound slots are sealed.
    pub sealed: bool,
    /// What it sends to other kernels goes into sealed slots, if theirs are.
    pub seals: bool,
    /// The blocks wait for each other: a run begins only when all of them can run at once.
    pub supersteps: bool,
    /// They go in rounds, too.
    pub rounds: bool,
    /// Keys are sparse: blocks look actors up in a [table](annulus_abi::actors).
    pub sparse: bool,
    /// Actors without recent messages give way to new ones.
    pub evicts: bool,
    /// Turns are as large as the queue is deep: [`ProcessingMode::Adaptive`](annulus_kernel::ProcessingMode).
    pub adaptive: bool,
    /// Blocks count their turns.
    pub counts_turns: bool,
    /// A sequentially consistent fence stands before each handler.
    pub sequential: bool,
    /// Calls go through the kernel to others.
    pub through: bool,
    /// Messages carry traces.
    pub traced: bool,
    /// How many outputs may wait while blocks go on; 0: they go on with none.
    pub hold: u32,
    /// Messages carry causal stamps.
    pub causal: bool,
    /// How many bytes the handler's shared arrays have. Not compiled in, but part of the text: where they lie apart
    /// from what a program has itself, a launch gives them to each block.
    pub arrays: u32,
}

impl Shape {
    /// The macros that state the shape; they stand in front of a program's text.
    pub fn macros(&self) -> String {
        let mut macros = format!("#define ANN_LAUNCH_THREADS {}\n", self.threads);
        let all = [
            ("CONNECTABLE", self.connectable),
            ("VARIANTS", self.into_variants),
            ("SEALED", self.sealed),
            ("SEALS", self.seals),
            ("SUPERSTEPS", self.supersteps),
            ("ROUNDS", self.rounds),
            ("SPARSE", self.sparse),
            ("EVICTS", self.evicts),
            ("ADAPTIVE", self.adaptive),
            ("COUNTS_TURNS", self.counts_turns),
            ("SEQUENTIAL", self.sequential),
            ("THROUGH", self.through),
            ("TRACED", self.traced),
            ("CAUSAL", self.causal),
        ];
        for (name, _) in all.iter().filter(|(_, on)| *on) {
            macros += &format!("#define ANN_LAUNCH_{name} 1\n");
        }
        if self.hold != 0 {
            macros += &format!("#define ANN_LAUNCH_HOLD {}\n", self.hold);
        }
        macros
    }
}

/// Memory in which kernels send to each other.
pub struct DeviceLocalMemory {
    /// Where it begins, in the form that blocks take (`ann_device_local_at`).
    pub place: u64,
    /// The memory that `place` counts from: an argument of every kernel that may be connected. All of it
    /// lives as long as this value.
    pub base: Arc<dyn Memory>,
    /// Gives the memory back when it is dropped. That happens when no kernel can touch the memory any more.
    pub owner: Box<dyn Any + Send + Sync>,
}

/// A program on the device, for launches of one shape.
pub trait Program {
    /// Where it came from.
    fn origin(&self) -> ProgramOrigin;

    /// How many of its blocks fit together on an empty unit of the device ([`Residency`]).
    fn blocks_per_unit(&self) -> NonZeroU32;

    /// Its entry with these arguments. Their memory lives as long as the entry and its runs.
    ///
    /// # Errors
    ///
    /// If the device refuses them, or if memory belongs to another device.
    fn entry(&self, arguments: &[Argument]) -> Result<Box<dyn Entry>, BackendError>;
}

/// An argument of an entry.
#[derive(Clone, Copy)]
pub enum Argument<'a> {
    /// The address of memory.
    Memory(&'a dyn Memory),
    /// A number of 64 bits.
    Number(u64),
}

/// A program's entry with its arguments, ready to start.
pub trait Entry: Send + Sync {
    /// Starts a run and returns. It begins when earlier runs of this entry have ended. `stays`: the run ends
    /// only when the host asks for it; else it is an epoch, which ends by itself.
    ///
    /// # Errors
    ///
    /// If the device does not start it: then nothing of the run executes.
    ///
    /// # Safety
    ///
    /// The arguments are what the program takes, and their memory lives until the run is over. The program's
    /// use of that memory is sound beside all other use of it meanwhile.
    unsafe fn start(&self, stays: bool) -> Result<Box<dyn Run>, BackendError>;
}

/// A run of an entry. Dropping it does not end it.
pub trait Run: Send {
    /// Whether it has ended.
    ///
    /// # Errors
    ///
    /// If it, or its device, has failed. Nothing of the run executes any more.
    fn is_over(&self) -> Result<bool, BackendError>;
}
