//! What systems of kernels do on a device, on threads of the host, compiled with its compiler's thread sanitizer: topics
//! whose table changes meanwhile, addresses that become those of other places, asks and their answers, calls through
//! pipelines, timers from epoch to epoch, a long hold, causal stamps, and rows of a graph. Beside the blocks a host sends to
//! them, and checks what comes of it. Faults that are planted must be found: by the sanitizer, by the host, or because
//! something never comes.
#![cfg(target_os = "linux")]

// What the kernel macros name.
extern crate annulus_runtime as annulus;

mod asks;
mod calls;
mod held_rows;
mod holds;
mod peers;
mod rows;
mod scene;
mod timers;
mod topics;
