//! Many calls of many handlers, as Rust and as text.

use std::path::Path;

use annulus_kernel::{KernelDefinition, Target};

use super::{HostText, Inputs, call, difference};

/// Calls each handler so many times, as Rust and as text for this target, and says in what the first call
/// that differs does. A handler whose calls nearly all fail says too little to count as the same. The text
/// and the library that is made of it go to `folder`.
///
/// # Panics
///
/// If a handler has no text, or the C compiler does not take it.
pub fn differences(
    definitions: &[&'static KernelDefinition],
    target: Target,
    folder: &Path,
    calls: u64,
    ulps: u32,
) -> Vec<String> {
    let text = HostText::compile(definitions, target, folder).unwrap_or_else(|error| panic!("{error}"));
    // The panics of the handlers are what is tested.
    std::panic::set_hook(Box::new(|_| {}));
    let mut differences = Vec::new();
    for (index, definition) in definitions.iter().enumerate() {
        let mut inputs = Inputs::new(index as u64, 16);
        let mut succeeded = 0;
        for number in 0..calls {
            let input = inputs.call(definition);
            let rust = call(definition, &input);
            succeeded += u64::from(rust.code == 0);
            if let Some(difference) = difference(&rust, &text.call(index, &input), ulps) {
                differences.push(format!("{} in call {number}: {difference}", definition.name));
                break;
            }
        }
        if succeeded < calls / 10 {
            let name = definition.name;
            differences.push(format!("{name}: {succeeded} of {calls} calls succeed, too few to say much"));
        }
    }
    drop(std::panic::take_hook());
    differences
}
