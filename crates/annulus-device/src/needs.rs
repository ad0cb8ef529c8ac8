//! Whether a device has what a handler needs: asked before anything is compiled, since a compiler says it in
//! its own words, about text that the user did not write.

use annulus_kernel::{KernelDefinition, Target};
use annulus_runtime::{BackendError, Capabilities};

use crate::driver::Driver;

/// How many bytes the handler's shared arrays have, or an error that names the device, what it lacks, and where the
/// handler needs it. A handler that no device can run is refused elsewhere.
pub(crate) fn check(
    driver: &dyn Driver,
    definition: &'static KernelDefinition,
    threads: u32,
    connectable: bool,
) -> Result<u32, BackendError> {
    let Ok(needs) = definition.needs() else { return Ok(0) };
    let abilities = driver.abilities();
    let Capabilities { f64, wide_atomics, shared_memory, .. } = abilities.capabilities;
    let (kernel, device) = (definition.name, driver.name());
    let extension = |name: &str| match abilities.target {
        Target::OpenCl => format!(" (OpenCL's {name})"),
        _ => String::new(),
    };
    if let (false, Some(place)) = (f64, needs.f64) {
        return Err(BackendError::new(format!(
            "`{kernel}` computes with `f64` ({place}), and `{device}` has no `f64`{}: compute with `f32`, or launch on \
             another device",
            extension("cl_khr_fp64")
        )));
    }
    if let (false, Some(place)) = (wide_atomics, needs.wide_atomics) {
        return Err(BackendError::new(format!(
            "`{kernel}` has atomics of 64 bits ({place}), and `{device}` has none{}: use `AtomicU32` or `AtomicI32`, or \
             launch on another device",
            extension("cl_khr_int64_base_atomics and cl_khr_int64_extended_atomics")
        )));
    }
    // What a block keeps of each outbox that may be connected: `ANN_PORT_MEMORY`.
    let each = if definition.peers.is_some() { 136 } else { 128 };
    let outboxes = if connectable { definition.counted_places() as u64 * each } else { 0 };
    let has_room = |wanted: usize, most: Option<u64>, remedy: &str| {
        let wanted = wanted as u64;
        match most.map(|most| most.saturating_sub(outboxes)) {
            Some(most) if wanted > most => Err(BackendError::new(format!(
                "a block of {threads} threads of `{kernel}` shares {wanted} bytes ({}:{}), and a block of `{device}` can \
                 share {most}{remedy}, launch with a smaller block, or launch on another device",
                definition.file, definition.line
            ))),
            _ => Ok(()),
        }
    };
    has_room(
        needs.other_shared_bytes(threads),
        abilities.shared_beside_arrays,
        " beside arrays: keep a smaller state, reduce fewer or smaller numbers",
    )?;
    has_room(needs.shared_bytes(threads), shared_memory, ": share smaller arrays")?;
    Ok(needs.array_bytes() as u32)
}
