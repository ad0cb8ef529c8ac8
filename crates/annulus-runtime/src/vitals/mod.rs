//! The vitals file: what runs in this process, for other processes to see.
//!
//! A runtime keeps a file in a folder of memory, whose format is [`annulus_abi::vitals`]. On backends whose
//! blocks can use any memory of the process, the control blocks, the tickets of the rings to and from the
//! host, and the telemetry lines *are* in this file: an observer that reads it sees the words that host and
//! blocks work with, and neither of them does anything for it. Devices keep these words in memory of their
//! own, and the host copies them whenever it renews their heartbeats. With a black box, that memory is the box.
//!
//! | what | where |
//! |---|---|
//! | which folder | `folder` |
//! | the file: its name, its lock, its mapping | `file` |
//! | what a forked child sees | `fork` |
//! | which kernel has which part | `arena`; where the parts are, `parts` |
//! | what a kernel with several outboxes shows of them | `ports` |
//! | which bridge has which entry | `bridges` |
//! | what happened | `recorder` |
//! | what observers ask for | `lease` |
//! | a kernel's memory as a file | `black_box`; what it says of messages, `recorded` |
//!
//! # The owner lives
//!
//! The owner holds a lock on the file (an open file description lock) until its memory is unmapped. The
//! system frees the lock when the process ends, however it ends. So a file whose lock is free is of a dead
//! process, and stays for whoever wants to know what the process was doing. A runtime that ends in order
//! removes its file.

mod arena;
#[cfg(target_os = "linux")]
mod black_box;
mod bridges;
#[cfg(target_os = "linux")]
mod file;
#[cfg(not(target_os = "linux"))]
#[path = "no_file.rs"]
mod file;
mod folder;
#[cfg(target_os = "linux")]
mod fork;
mod lease;
mod parts;
mod ports;
mod recorded;
mod recorder;

pub(crate) use recorded::{NO_VITALS, beyond_readers};

use std::path::PathBuf;

pub(crate) use arena::{Home, VitalsArena};
#[cfg(target_os = "linux")]
pub(crate) use black_box::{BoxName, Boxed};
pub(crate) use bridges::BridgePlace;
#[cfg(not(target_os = "linux"))]
pub(crate) use file::{BoxName, Boxed};
pub use file::{boot as vitals_boot, owner_lives as vitals_owner_lives};
pub use folder::{check_own as check_vitals_folder, folders as vitals_folders};
pub(crate) use lease::{Leased, Requests};
pub(crate) use recorder::is_recorded;

/// Whether a runtime shows itself to other processes, and where; see [`RuntimeBuilder::vitals`].
///
/// [`RuntimeBuilder::vitals`]: crate::RuntimeBuilder::vitals
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Vitals {
    /// In the usual folder: `$ANNULUS_DIR`, else `$XDG_RUNTIME_DIR/annulus`, else `/dev/shm/annulus-UID`. If
    /// no file can be kept there safely, the runtime goes without, and says so in one warning.
    #[default]
    Usual,
    /// In this folder.
    In(PathBuf),
    /// Not at all: the same memory, for this process alone.
    Off,
}
