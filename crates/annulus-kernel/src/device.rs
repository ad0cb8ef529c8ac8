//! Text that a device program needs besides its handler: the dialect's prelude, and what handlers see of the
//! block.
//!
//! A program is put together of five texts: the launch's macros, the prelude, the [interface](INTERFACE),
//! what Rust's operators mean ([`LANGUAGE_SOURCE`](crate::LANGUAGE_SOURCE)), the handler
//! ([`handler_source`](crate::handler_source)), and the block around it, which is `annulus-block`'s.

/// What the block and the handler need of OpenCL C.
pub const OPENCL_PRELUDE: &str = include_str!("../c/prelude/opencl.c");

/// What the block and the handler need of CUDA C++.
pub const CUDA_PRELUDE: &str = include_str!("../c/prelude/cuda.c");

/// What handlers see of the block: `ann_cx` and `ann_outbox`.
pub const INTERFACE: &str = include_str!("../c/interface.c");
