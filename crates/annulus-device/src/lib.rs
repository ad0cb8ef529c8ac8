//! The host's side of every backend for a device: everything that does not depend on how a device is driven.
//!
//! A backend opens its device, finds out what it can do ([`Abilities`]), and implements [`Driver`]: memory,
//! programs, starting an entry, and a list of devices. It gives that to a [`DeviceHost`], which is the
//! `DeviceBackend`. [`DeviceOptions`] hold the options that all backends have in common.
//!
//! # What this crate promises
//!
//! * It lays out a launch, lowers the handler, copies states and bindings to the device, watches the words of
//!   the blocks, and handles the end of the kernel, by the protocol that `annulus_block` describes.
//! * A kernel that stays starts only if all its blocks can be resident together ([`Residency`]); otherwise
//!   the launch is refused, and the error says what to do. A kernel that returns in epochs is launched again
//!   while there is work.
//! * The same holds, also in epochs, for a kernel whose blocks wait for each other (supersteps).
//! * One thread per backend, the pump, polls on behalf of those who wait. Where blocks can ring, it sleeps
//!   until they do.
//! * Where somebody needs a device alone, kernels that stay leave it and come back later
//!   ([`Residency::ask_to_leave`]).
//! * Kernels that are connected send to each other over the device's own memory, without the host.
//! * Where a device's clock drifts from the host's, the drift is measured and corrected ([`ClockSync`]).
//! * Memory that the device may still touch is never freed. If it cannot be found out whether a kernel has
//!   ended, its memory is leaked and the kernel is reported lost.
//!
//! # What it does not do
//!
//! It names no device API, decides nothing by a backend's name, and does not take part in sending a message:
//! senders and receivers use the rings directly, and waking a block reads a word through a pointer that the
//! kernel keeps. So everything behind [`Driver`] is a trait object.

mod cache;
mod choice;
mod clock_sync;
mod device_heap;
mod doorbell;
mod driver;
mod environment;
mod file;
mod free_list;
#[cfg(target_os = "linux")]
mod futex;
mod host;
mod kernel;
mod launch_plan;
mod memory;
mod needs;
mod numa;
mod options;
mod pace;
mod program;
mod pump;
mod residency;
mod runtime_memory;
mod shard;
mod state;
mod wake;

pub use cache::default_directory;
pub use choice::{Choice, DeviceOptions, Listed, used_first};
pub use clock_sync::{ClockSync, Moment};
pub use device_heap::DeviceHeap;
pub use driver::{
    Abilities, Argument, DeviceClock, DeviceLocalMemory, Driver, Entry, Memory, Program, Remedies, Run, Shape,
};
pub use environment::tell_driver;
pub use file::read_regular;
pub use free_list::{FreeList, PART_ALIGN};
pub use host::DeviceHost;
pub use numa::{Place, Preference, node_of_pci};
pub use options::HostOptions;
#[doc(hidden)]
pub use options::{Faults, HandlerText};
pub use program::{Programs, assemble, explain};
pub use residency::{Asked, Residency, ResidentSlots};
