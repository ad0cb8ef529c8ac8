//! Runtimes and launches.

pub(crate) mod arena;
pub(crate) mod bound;
pub(crate) mod by_name;
#[cfg(feature = "registry")]
pub(crate) mod dynamic;
#[cfg(feature = "registry")]
pub(crate) mod dynamic_kernel;
pub(crate) mod launching;
pub(crate) mod memory;
#[cfg(feature = "registry")]
pub(crate) mod registered;
pub(crate) mod registry;
pub(crate) mod runtime;
pub(crate) mod start;
