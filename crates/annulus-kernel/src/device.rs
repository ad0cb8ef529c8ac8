//! Text that a device program needs besides its handler: the dialect's prelude, and the parts of the block
//! that handlers see.
//!
//! A program consists of these texts: the launch's macros, the prelude, the [interface](INTERFACE), the
//! meaning of Rust's operators ([`LANGUAGE_SOURCE`](crate::LANGUAGE_SOURCE)), the handler
//! ([`handler_source`](crate::handler_source)), and the block around it, which is in `annulus-block`.

/// What the block and the handler need of OpenCL C.
pub const OPENCL_PRELUDE: &str = include_str!("../c/prelude/opencl.c");

/// What the block and the handler need of CUDA C++.
pub const CUDA_PRELUDE: &str = include_str!("../c/prelude/cuda.c");

/// What the block and the handler need of the Metal shading language.
pub const METAL_PRELUDE: &str = include_str!("../c/prelude/metal.c");

/// The parts of the block that handlers see: `ann_cx` and `ann_outbox`.
pub const INTERFACE: &str = include_str!("../c/interface.c");
