//! A program's text.

use annulus_device::{Shape, assemble};
use annulus_kernel::device::CUDA_PRELUDE;
use sha2::{Digest, Sha256};

use crate::{architecture::Architecture, nvrtc::OPTIONS};

/// A program's text, and its name.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    /// The kernel's name.
    pub(crate) name: String,
    /// Threads of a block, which are compiled in.
    pub(crate) threads: u32,
    /// How many bytes a launch gives each block for the handler's arrays.
    pub(crate) arrays: u32,
    pub(crate) source: String,
}

impl Text {
    /// A kernel's program.
    pub(crate) fn new(name: &str, handler: &str, shape: Shape) -> Self {
        let macros = format!("{}#define ANN_LAUNCH_PORTABLE 0\n", shape.macros());
        let source = assemble(&macros, CUDA_PRELUDE, handler);
        Self { name: name.into(), threads: shape.threads, arrays: shape.arrays, source }
    }

    /// The name of the file that holds its machine code.
    pub(crate) fn file(&self, architecture: Architecture) -> String {
        let hash = Sha256::digest(format!("{}\n{}", OPTIONS.join(" "), self.source));
        let hash: String = hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        format!("{}-{}-{architecture}-{hash}.cubin", self.name, self.threads)
    }

    /// The key of its machine code in the cache.
    pub(crate) fn key(&self, architecture: Architecture, version: (u32, u32)) -> String {
        let (major, minor) = version;
        format!("NVRTC {major}.{minor} {architecture} {}\n{}", OPTIONS.join(" "), self.source)
    }
}
