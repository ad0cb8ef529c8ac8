//! The host's side of every backend for a device: all that is the same whatever a device is driven by.
//!
//! A backend opens its device, finds out what it can do ([`Abilities`]), and implements [`Driver`]: memory,
//! programs, starting an entry, and a list of devices. It gives that to a [`DeviceHost`], which is the
//! `DeviceBackend`. What its user decides alike on every backend, [`DeviceOptions`] hold.
//!
//! # What this crate promises
//!
//! * A launch is laid out, its handler lowered, its states and bindings copied to the device, its blocks'
//!   words watched, and its end seen to, by the protocol that `annulus_block` describes.
//! * A kernel that stays starts only if all its blocks can be resident together ([`Residency`]); else it is
//!   refused, and told what to do. One that returns in epochs is launched again while there is work.
//! * The same holds for the blocks of a kernel that wait for each other (supersteps), in epochs, too.
//! * One thread per backend, the pump, looks on behalf of those who wait. Where blocks can ring, it sleeps
//!   until they do.
//! * Where somebody needs a device to itself, kernels that stay leave it and come again
//!   ([`Residency::ask_to_leave`]).
//! * Kernels that are connected send to each other over the device's own memory, without the host.
//! * Where a device's clock drifts from the host's, it is followed ([`ClockSync`]).
//! * What a device may still touch is never freed: if its end cannot be found out, it is leaked, and the
//!   kernel reported lost.
//!
//! # What it does not do
//!
//! It names no API of a device, decides nothing by a backend's name, and has no part in a message: senders
//! and receivers use the rings by themselves, and waking a block reads a word through a pointer that the
//! kernel keeps. So what lies behind [`Driver`] is objects.

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
pub use options::HostOptions;
#[doc(hidden)]
pub use options::{Faults, HandlerText};
pub use program::{Programs, assemble, explain};
pub use residency::{Asked, Residency, ResidentSlots};
