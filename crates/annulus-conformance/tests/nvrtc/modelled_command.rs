//! Prints what the path of a message would take by a **model** with a clock; nothing of it is measured. See
//! `docs/performance/cuda.md`.
//!
//! ```sh
//! cargo bench -p annulus-conformance --bench modelled               # tables
//! cargo bench -p annulus-conformance --bench modelled -- --json     # a line of JSON for each figure
//! ```
//!
//! Needs NVRTC and `nvdisasm`, which `./test` installs: `ANNULUS_NVRTC` and `ANNULUS_NVDISASM` name them.
#![cfg_attr(not(target_os = "linux"), allow(unused))]

extern crate annulus_runtime as annulus;

#[cfg(target_os = "linux")]
#[allow(dead_code)] // Each is written for the tests, too.
mod code;
#[cfg(target_os = "linux")]
#[allow(dead_code)]
mod compiler;
#[cfg(target_os = "linux")]
#[allow(dead_code, unused_imports)]
mod counts;
#[cfg(target_os = "linux")]
#[allow(dead_code)]
mod machine;
#[cfg(target_os = "linux")]
mod modelled;

#[cfg(target_os = "linux")]
fn main() {
    let Some(all) = modelled::Modelled::all(&modelled::World::H200) else { std::process::exit(1) };
    if std::env::args().any(|argument| argument == "--json") {
        print!("{}", modelled::report::json(&all));
    } else {
        print!("{}", modelled::report::tables(&all));
    }
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("skipped: the model runs on Linux");
}
