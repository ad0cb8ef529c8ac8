//! Looks at the runtimes of other processes.
//!
//! # What this crate promises
//!
//! * A process that is looked at needs no preparation, does nothing for it, and does not notice. Its vitals
//!   files ([`annulus_runtime::Vitals`]) are only read: by a [`look`] with system calls, by a [`KernelWatch`]
//!   through a mapping. Only who asks for telemetry ([`ask_for_telemetry`]) writes two words, and the process then
//!   enables it for a while.
//! * Nothing in a file is trusted. A file that is cut off, changed, or of another kind is an
//!   [`error`](Unreadable), or has fewer kernels; it never makes this crate panic.
//! * The file of a process that has ended, however it ended, is read like that of one that runs.
//!
//! # What it does not do
//!
//! It does not stop what it looks at, so a look is not from one moment: each word is as it was at some moment
//! of the look. Only what [`Shard`] calls telemetry is from one moment for each shard. It looks only at the
//! processes of this user, and only on Linux.
//!
//! ```no_run
//! for file in annulus_observe::files() {
//!     match annulus_observe::look(&file) {
//!         Ok(process) => println!("{}: {} kernels", process.pid, process.kernels.len()),
//!         Err(error) => eprintln!("{}: {error}", file.display()),
//!     }
//! }
//! ```

mod ask;
mod attach;
mod autopsy;
mod black_box;
mod boot;
mod damage;
#[cfg(feature = "otel")]
mod follow;
pub mod health;
mod inside;
pub mod metrics;
mod observer;
#[cfg(feature = "otlp")]
pub mod otlp;
mod phase;
pub mod profile;
mod reason;
mod says;
#[cfg(feature = "page")]
pub mod serve;
pub mod spans;
mod watch;

pub use annulus_abi::memory::KernelMemory;
pub use annulus_abi::telemetry::Telemetry;
pub use annulus_abi::vitals::At;
pub use annulus_abi::vitals::ports::PortShard;
pub use annulus_abi::vitals::read::{Damage, Shard, TypeLayout};
pub use annulus_abi::vitals::recorder::{CAUSES, Record};
pub use annulus_runtime::why::{Cause, Finding, Waiting, Why};
pub use annulus_runtime::{BridgeCounts, BridgeKind, BridgeLook, BridgeTarget, LatencyHistogram, PortLook};
pub use ask::ask_for_telemetry;
pub use attach::{Inside, Kernel, Liveness, Process, ShardState, Unreadable, files, look, refused};
pub use autopsy::{Autopsy, BoxSummary, autopsy};
#[doc(hidden)]
pub use black_box::read_black_box;
pub use black_box::{BlackBox, Recorded, RecordedMessage};
pub use damage::FileDamage;
#[cfg(feature = "otel")]
pub use follow::follow_opentelemetry;
pub use health::{Health, HealthLimits, HealthState, HealthWatch, KernelHealth};
pub use inside::look_inside;
pub use observer::{Observer, ObserverBuilder, Sight};
pub use phase::Phase;
pub use reason::{why, why_together};
pub use says::{RecordValue, record_values};
pub use watch::{Attached, KernelWatch, Lost, Machine};
