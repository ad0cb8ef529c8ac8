//! The CUDA backend: ring kernels that stay on a device, or return in epochs.
//!
//! # What this crate promises
//!
//! * The handler that the CPU backend calls also runs on the device, as C++ with the same meaning and by the
//!   same rules: a transaction per message, order per producer and key, the same counts, replies and
//!   telemetry.
//! * When a device is opened, a trial checks whether host and running kernel see each other's writes. If they
//!   do, and nothing is known that would end the kernel (Windows's display mode, WSL2, a display's watchdog),
//!   a kernel stays on the device (*persistent*). Otherwise it runs in bounded *epochs*, launched again while
//!   there is work. The device's notes tell the choice and its reason.
//! * There are never more blocks than can be resident together. A kernel for which there is no slot is
//!   refused, and the error says what to do.
//! * While a kernel stays, nothing is called that waits for the device: memory comes from arenas that were
//!   reserved before. To load a program, or to get more memory, the kernels leave the device for a moment,
//!   between messages, and continue where they were.
//! * Every call leaves the thread's current context unchanged: a program may use CUDA by itself on the same
//!   threads.
//! * Nothing links to CUDA when a program is built. On a machine without a driver, opening the backend says
//!   what to install; on one without NVRTC, it says how to ship machine code ([`Cuda::cubins`]).
//!
//! # What it does not do
//!
//! It does not interrupt a handler, and it cannot remove a kernel that hangs from its device: it waits for
//! the end of a kernel for a bounded time, and then leaks the memory that the kernel may still touch. An
//! error of the device itself (an illegal address) breaks the process's context, and ends every kernel in it.
//! It uses one device per backend.
//!
//! It has not run on a GPU yet. `docs/decisions/0005-cuda-without-a-gpu.md` tells what is known without one,
//! and how.
//!
//! # The environment
//!
//! Opening the process's first CUDA device sets `CUDA_MODULE_LOADING` to `EAGER` and
//! `CUDA_DEVICE_MAX_CONNECTIONS` to 32, unless they are set. The reason for the first: a program that the
//! driver loads lazily is loaded when it is first launched, which waits for kernels that stay. The reason for
//! the second: work that shares one of the streams' queues to the device with such a kernel may wait for it,
//! too. The driver still loads lazily if the variable says so, or if other code of the process had
//! initialised it before; kernels then run in epochs. Changing the environment while C code of another thread
//! reads it is undefined behaviour: if this may happen in a program, the program sets the variables before it
//! starts. `ANNULUS_NVRTC` names the folder of NVRTC if the system's loader does not find it.

mod architecture;
mod backend;
mod cu;
mod device;
mod driver;
mod nvrtc;
mod probe;
mod program;
mod text;

pub use annulus_device::Shape;
pub use architecture::{Architecture, UnknownArchitecture};
pub use backend::{Cuda, PINNED_BYTES};
pub use device::DRIVER_VARIABLES;
pub use program::{Cubin, architectures, compile, cubins, nvrtc_version};

/// The default number of threads of a block: a warp.
pub const THREADS: u32 = 32;
