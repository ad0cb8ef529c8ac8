//! From a handler's text to a program on a device.

use std::{path::Path, sync::Arc};

pub(crate) use annulus_block::ENTRY;
use annulus_device::{Shape, explain};
use annulus_kernel::device::OPENCL_PRELUDE;
use annulus_runtime::{BackendError, ProgramOrigin};

use crate::{
    cl::{BuildError, Program},
    device::{Device, Opened},
};

/// Whether a handler's text has a loop.
pub(crate) fn has_loops(handler: &str) -> bool {
    ["for (", "while (", "do {"].iter().any(|word| handler.contains(word))
}

/// The whole text of a program. `portable` leaves out what only some systems have; `by_grid` makes the
/// program of each grid size a separate one ([`Device::programs_by_grid`]).
pub(crate) fn assemble(handler: &str, shape: Shape, portable: bool, by_grid: bool) -> String {
    let blocks =
        if by_grid { format!("#define ANN_LAUNCH_BLOCKS {}\n", shape.blocks) } else { String::new() };
    let macros = format!("{blocks}{}#define ANN_LAUNCH_PORTABLE {}\n", shape.macros(), u32::from(portable));
    annulus_device::assemble(&macros, OPENCL_PRELUDE, handler)
}

/// The program of this text, from this process's memory, from the cache, or built; also says which. If the
/// driver keeps programs itself, they are not kept a second time.
pub(crate) fn load(
    device: &Device,
    opened: &Opened,
    cache: Option<&Path>,
    kernel: &str,
    source: &str,
) -> Result<(Arc<Program>, ProgramOrigin), BackendError> {
    let options = &device.build_options();
    let key = format!(
        "{}\n{}\n{}\n{}\n{options}\n{source}",
        device.platform, device.name, device.version, device.driver
    );
    let context = &opened.context;
    opened.programs.get(
        key,
        cache,
        // A binary may load although it lacks the entry.
        |binary| {
            Program::from_binary(context, binary, options)
                .ok()
                .filter(|program| program.kernel(ENTRY).is_ok())
        },
        || {
            Program::from_source(context, source, options)
                .map_err(|refused| not_built(kernel, device, source, &refused))
        },
        |program| if device.keeps_programs() { None } else { program.binary() },
    )
}

fn not_built(kernel: &str, device: &Device, source: &str, refused: &BuildError) -> BackendError {
    let mut message = format!(
        "`{kernel}` does not compile for `{}`, driver {}: {}",
        device.name, device.driver, refused.error
    );
    if !refused.log.is_empty() {
        message.push('\n');
        message.push_str(&explain(&refused.log, source));
    }
    BackendError::new(message)
}
