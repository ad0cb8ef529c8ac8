//! Kernels of real kinds.
