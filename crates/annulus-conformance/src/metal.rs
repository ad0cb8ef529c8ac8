//! Metal without a Mac: a library that stands in for Objective-C's runtime, Foundation and Metal, so that the host's
//! side of the Metal backend and the programs that it compiles run end to end on the processor.
//!
//! [`build`] builds it with the host's C++ compiler; the environment variable `ANNULUS_METAL` names it to the backend.
//!
//! # How it works
//!
//! *Messages* are found by the receiver's class and their names, as by Objective-C's own runtime, and become calls of the driver that
//! also runs CUDA's programs here ([`cuda`]): each block on a thread of its own, the block's GPU threads as fibers of it.
//! *The compiler* is the host's, with the words of Metal's language defined before the program's text (`language.hpp`, `device.hpp`).
//!
//! # What it finds
//!
//! What the driver finds; and it ends the process where a program misuses an object: after its release, released too often, left to no
//! pool; an encoder after its end, a command buffer committed twice or with an encoder open; missing arguments; too many
//! threads of a block or bytes of its memory. See `src/metal/stand_in/metal.cpp`.
//!
//! # What it cannot show
//!
//! What the driver cannot; what Apple's compiler refuses, address spaces among it; caches that are not coherent; what else Apple's
//! libraries do than their documentation says. It runs on x86-64 alone.

use std::{
    path::{Path, PathBuf},
    sync::OnceLock,
};

use crate::cuda;

/// Metal's language, for the host's C++ compiler.
const LANGUAGE: &str = include_str!("metal/language.hpp");
const DEVICE: &str = include_str!("metal/device.hpp");

const NAME: &str = "libannulus_metal.so";

/// What the fibers take of CUDA's language and device. It comes before Metal's, in which the words `thread` and `device` mean something
/// else.
const DECLARED: &str = "
typedef unsigned int u32;
typedef unsigned long u64;
static const ann_place *ann_host_place();
static void ann_host_barrier(u32 line);
static void ann_host_look();
";

/// A thread's place, as the call of an entry needs it.
const PLACES: &str = "
static inline u32 ann_place_in_block() { return ann_host_place()->thread.x; }
static inline u32 ann_place_of_block() { return ann_host_place()->block.x; }
";

/// Builds the library, unless it is there already; gives its path.
///
/// # Errors
///
/// If there is no C++ compiler, or files cannot be written: says which.
///
/// # Panics
///
/// If the compiler refuses the sources.
pub fn build() -> Result<&'static Path, String> {
    static PATH: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    PATH.get_or_init(build_now).as_deref().map_err(Clone::clone)
}

fn build_now() -> Result<PathBuf, String> {
    let shim = format!(
        "#include <stddef.h>\n{}\n{DECLARED}\n{}\n{PLACES}\n{LANGUAGE}\n{DEVICE}",
        cuda::INTERFACE,
        cuda::FIBERS
    );
    let main = "stand_in/metal.cpp";
    // The driver's sources lie beside it, as `cuda`.
    let driver: Vec<_> = cuda::SOURCES.iter().map(|(path, text)| (format!("cuda/{path}"), *text)).collect();
    let mut sources: Vec<_> = driver.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    let path = format!("metal/{main}");
    sources.push((&path, include_str!("metal/stand_in/metal.cpp")));
    let folder =
        cuda::build_libraries("metal", &[(NAME, path.clone())], &sources, &shim, &[("metal_stdlib", "")])?;
    Ok(folder.join(NAME))
}
