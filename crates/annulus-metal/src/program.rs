//! From a handler's text to a program on a device.

use std::sync::Arc;

pub(crate) use annulus_block::ENTRY;
use annulus_device::{Shape, explain};
use annulus_kernel::device::METAL_PRELUDE;
use annulus_runtime::{BackendError, ProgramOrigin};

use crate::{
    device::{Device, Opened},
    mtl::Pipeline,
};

/// The whole text of a program; `coherent` is how far memory is coherent while a kernel runs, as the prelude numbers it.
pub(crate) fn assemble(handler: &str, shape: Shape, coherent: u32) -> String {
    let macros = format!("{}#define ANN_LAUNCH_COHERENT {coherent}\n", shape.macros());
    annulus_device::assemble(&macros, METAL_PRELUDE, handler)
}

/// The program of this text, from this process's memory or built; also says which. Metal itself keeps programs on disk.
pub(crate) fn load(
    device: &Device,
    opened: &Opened,
    kernel: &str,
    source: String,
    threads: u32,
) -> Result<(Arc<Pipeline>, ProgramOrigin), BackendError> {
    let build = || {
        let library = device.id.library(&source);
        let pipeline = library.and_then(|library| device.id.pipeline(&library, ENTRY));
        pipeline.map_err(|refused| {
            let log = explain(&refused.to_string(), &source);
            BackendError::new(format!("`{kernel}` does not compile for `{}`: {log}", device.name))
        })
    };
    let (pipeline, origin) = opened.programs.get(source.clone(), None, |_| None, build, |_| None)?;
    if (threads as usize) > pipeline.max_threads() {
        return Err(BackendError::new(format!(
            "`{kernel}` has {threads} threads in a block, and `{}` runs it with {} at most: launch with a smaller block",
            device.name,
            pipeline.max_threads()
        )));
    }
    Ok((pipeline, origin))
}
