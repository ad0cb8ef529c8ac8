//! The CUDA backend: ring kernels that stay on a device, or return in epochs.
//!
//! # What this crate promises
//!
//! * The handler that the CPU backend calls runs on the device as well, as C++ that means the same, by the
//!   same rules: a transaction per message, order per producer and key, the same counts, replies and
//!   telemetry.
//! * A kernel stays on the device (*persistent*) where the device shows, in a trial when it is opened, that
//!   host and running kernel see each other's writes, and nothing is known that would end it (Windows's
//!   display mode, WSL2, a display's watchdog); else it runs in bounded *epochs*, launched again while there
//!   is work. The choice and its reason stand in the device's notes.
//! * Never more blocks than can be resident together: a kernel for which there is no place is refused, and
//!   told what to do.
//! * While a kernel stays, nothing is called that waits for the device: memory comes from arenas that were
//!   reserved before. For loading a program, and for more memory, the kernels leave the device for a moment,
//!   between messages, and go on where they were.
//! * A thread's current context is what it was after every call: a program may use CUDA by itself on the same
//!   threads.
//! * Nothing links to CUDA when a program is built. On a machine without a driver, opening the backend says
//!   what to install; without NVRTC, how to ship machine code along ([`Cuda::cubins`]).
//!
//! # What it does not do
//!
//! It does not interrupt a handler, and cannot remove a kernel that hangs from its device: ending is waited
//! for, for a bounded time, and what a hanging device may still touch is then leaked. An error of the
//! device's own (an illegal address) takes the process's context along, and every kernel in it. It uses one
//! device per backend.
//!
//! It has not run on a GPU yet. What is known without one, and how, stands in
//! `docs/decisions/0005-cuda-without-a-gpu.md`.
//!
//! # The environment
//!
//! Opening the process's first CUDA device sets `CUDA_MODULE_LOADING` to `EAGER` and
//! `CUDA_DEVICE_MAX_CONNECTIONS` to 32, unless they are set: a program that the driver loads lazily is loaded
//! when it is first launched, which waits for kernels that stay, and what shares one of the streams' queues
//! to the device with such a kernel may wait for it, too. Where the driver loads lazily all the same, because
//! the variable says so or other code of the process had initialised it before, kernels run in epochs.
//! Changing the environment while C code of another thread reads it is undefined behaviour: a program for
//! which that may happen sets the variables before it starts. `ANNULUS_NVRTC` names the folder of NVRTC where
//! the system's loader does not find it.

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
pub use program::{Cubin, architectures, cubins};

/// Threads of a block unless a program says otherwise: a warp.
pub const THREADS: u32 = 32;
