//! What a backend's driver is: an opened device, its memory, its programs.

use std::{any::Any, mem::MaybeUninit, num::NonZeroU32, sync::Arc, time::Duration};

use annulus_kernel::Target;
use annulus_runtime::{BackendError, DeviceInfo, ProgramOrigin, RuntimeClock};

pub use crate::memory::Memory;

use crate::{clock_sync::ClockSync, options::HostOptions, residency::Residency};

/// An opened device. Its methods, and those of what it hands out, are called from any thread, also while
/// kernels stay on the device, for whose end none of them waits.
///
/// # Safety
///
/// Memory safety rests on what a driver hands out:
///
/// * [`Memory::host`] is always the same, aligned to 128, and valid for reads and writes of [`Memory::bytes`]
///   bytes as long as the memory lives. Memory is no shorter than was asked for; shared memory is zeroed, and
///   has a place on the host.
/// * An [`Entry`] runs the device program around the handler's text, in as many blocks and threads as its
///   shape says, with its arguments, and nothing else; a start after another one runs after it.
/// * After [`Run::is_over`] has said so, the run touches no memory.
/// * The limits that it tells are not more than the device's: threads of a block, and blocks that are
///   resident together.
pub unsafe trait Driver: Send + Sync + 'static {
    /// The backend's name, as the command line and telemetry show it.
    fn backend(&self) -> &'static str;

    /// The backend's devices, the one that this drives first: [`used_first`](crate::used_first).
    fn devices(&self, options: &HostOptions) -> Vec<DeviceInfo>;

    /// The device's name, for messages.
    fn name(&self) -> &str;

    /// What the device can do. Always the same.
    fn abilities(&self) -> Abilities;

    /// The device's places for blocks that stay, which all backends of the process that use it share.
    fn residency(&self) -> &Arc<Residency>;

    /// What a block needs to read its clock, for a launch that is about to start. Asked only of devices whose
    /// blocks have one.
    fn clock(&self, runtime: RuntimeClock) -> DeviceClock;

    /// Whether its compiler makes programs that take messages from sealed slots. Asked only of devices that
    /// are [far](Abilities::far).
    fn compiles_sealed(&self) -> bool {
        true
    }

    /// How its clock relates to the host's, where it drifts from that: then blocks are asked for the time,
    /// and told what came of it.
    fn clock_sync(&self) -> Option<&Arc<ClockSync>> {
        None
    }

    /// Zeroed memory that the host sees, and kernels while they run.
    ///
    /// # Errors
    ///
    /// If there is not that much, or it would not be aligned to 128 bytes.
    fn shared(&self, bytes: usize) -> Result<Arc<dyn Memory>, BackendError>;

    /// Memory for kernels alone, with these contents: wherever they reach it best.
    ///
    /// # Errors
    ///
    /// If there is not that much.
    fn own(&self, contents: &[MaybeUninit<u8>]) -> Result<Arc<dyn Memory>, BackendError>;

    /// The device's own memory, whatever it holds. No bytes are an argument as well.
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

    /// The program around a handler's text ([`assemble`](crate::assemble)), compiled or found among those
    /// compiled before ([`Programs`](crate::Programs)). The kernel's name is for messages.
    ///
    /// # Errors
    ///
    /// If it does not compile, or cannot be loaded.
    fn program(&self, kernel: &str, handler: &str, shape: Shape) -> Result<Box<dyn Program>, BackendError>;

    /// Whether all blocks of a kernel of this shape run at the same time on a device with room for them, as
    /// far as that is known or can be tried. What is believed here and not so is found out when a kernel has
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
    /// Kernels stay until they are terminated; else they run in epochs.
    pub stays: bool,
    /// The most threads of a block.
    pub threads: u32,
    /// Blocks wake the host's pump, by the futex of the doorbell's `rung`. Else it looks, at short intervals
    /// while somebody waits.
    pub rings: bool,
    /// Blocks have a clock ([`Driver::clock`]). Else the host's heartbeat is theirs, and is renewed more
    /// often.
    pub clock: bool,
    /// A block naps in the futex of its `wake` word, and must be woken from it. Else it looks at the word by
    /// itself.
    pub naps_in_futex: bool,
    /// Memory of the device's own can be copied while a kernel stays.
    pub copies_meanwhile: bool,
    /// The host's memory is far from the blocks, as behind a bus. Then a kernel whose messages are handled by
    /// one thread has blocks of several all the same: the others carry.
    pub far: bool,
    /// How long a look for something to do takes a block, by which times become numbers of looks. Not 0.
    pub look: Duration,
    /// Messages after which a block leaves an epoch.
    pub epoch_messages: u32,
    /// All loops of a run end after so many turns together, whatever their conditions say; `None` where they
    /// end when they should. Epochs are shorter than that.
    pub loop_iterations: Option<u32>,
    /// A running kernel sees what its host writes meanwhile. Else a look that finds nothing in an epoch finds
    /// nothing after it, either.
    pub hears: bool,
    /// A kernel that does not find places to stay goes into epochs, and says so: there is nothing that a
    /// program could do for more. Else its launch is refused, and told what to do.
    pub yields: bool,
    /// What a program can do where the device cannot do more.
    pub remedies: Remedies,
}

/// How a program changes what a backend does, in messages.
#[derive(Clone, Copy, Debug)]
pub struct Remedies {
    /// To run kernels in epochs: a method's name.
    pub epochs: &'static str,
    /// To let more blocks stay, after "terminate another kernel, launch with a smaller grid, run it in
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
    /// Inbound slots are sealed.
    pub sealed: bool,
    /// The blocks wait for each other: a run of the program begins only when all of them can run at once.
    pub supersteps: bool,
}

impl Shape {
    /// The macros that say so: what stands in front of a program's text.
    pub fn macros(&self) -> String {
        let mut macros = format!("#define ANN_LAUNCH_THREADS {}\n", self.threads);
        let all =
            [("CONNECTABLE", self.connectable), ("SEALED", self.sealed), ("SUPERSTEPS", self.supersteps)];
        for (name, _) in all.iter().filter(|(_, on)| *on) {
            macros += &format!("#define ANN_LAUNCH_{name} 1\n");
        }
        macros
    }
}

/// Memory in which kernels send to each other.
pub struct DeviceLocalMemory {
    /// Where it begins, as blocks take it (`ann_device_local_at`).
    pub place: u64,
    /// What that counts from: an argument of every kernel that may be connected. All of it lives as long as
    /// this.
    pub base: Arc<dyn Memory>,
    /// Gives the memory back when it is dropped, which is when no kernel can touch it any more.
    pub owner: Box<dyn Any + Send + Sync>,
}

/// A program on the device, for launches of one shape.
pub trait Program {
    /// Where it came from.
    fn origin(&self) -> ProgramOrigin;

    /// How many of its blocks fit together on a unit of the device that is empty ([`Residency`]).
    fn blocks_per_unit(&self) -> NonZeroU32;

    /// Its entry with these arguments, whose memory lives as long as the entry and its runs.
    ///
    /// # Errors
    ///
    /// If the device refuses them, or memory is another device's.
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
    /// Starts a run and returns. It begins when earlier runs of this entry have ended.
    ///
    /// # Errors
    ///
    /// If the device does not start it: then nothing of it runs.
    ///
    /// # Safety
    ///
    /// The arguments are what the program takes, and their memory lives until the run is over. What the
    /// program does with it is sound beside whatever else uses it meanwhile.
    unsafe fn start(&self) -> Result<Box<dyn Run>, BackendError>;
}

/// A run of an entry. Dropping it does not end it.
pub trait Run: Send {
    /// Whether it has ended.
    ///
    /// # Errors
    ///
    /// If it, or its device, has failed. Nothing of it runs any more.
    fn is_over(&self) -> Result<bool, BackendError>;
}
