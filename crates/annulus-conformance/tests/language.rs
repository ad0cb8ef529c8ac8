//! Handlers as the text that they are lowered to, run beside their Rust on random and edge values.

use annulus_conformance::{
    kernels,
    language::{HostText, Inputs, call, difference},
};
use annulus_kernel::{KernelDefinition, RingKernel};

/// How many calls each handler gets.
const CALLS: u64 = 2000;

fn agree(name: &str, definitions: &[&'static KernelDefinition]) {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let text = HostText::compile(definitions, &folder).unwrap_or_else(|error| panic!("{error}"));
    // The panics of the handlers are what is tested.
    std::panic::set_hook(Box::new(|_| {}));
    let mut differences = Vec::new();
    for (index, definition) in definitions.iter().enumerate() {
        let mut inputs = Inputs::new(index as u64, 16);
        for number in 0..CALLS {
            let input = inputs.call(definition);
            let rust = call(definition, &input);
            if let Some(difference) = difference(&rust, &text.call(index, &input)) {
                differences.push(format!("{} in call {number}: {difference}", definition.name));
                break;
            }
        }
    }
    drop(std::panic::take_hook());
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn the_kernels_of_the_suite() {
    agree(
        "suite",
        &[
            kernels::echo::DEFINITION,
            kernels::swallow::DEFINITION,
            kernels::total::DEFINITION,
            kernels::track::DEFINITION,
            kernels::odd::DEFINITION,
            kernels::fragile::DEFINITION,
            kernels::scale::DEFINITION,
            kernels::exchange::DEFINITION,
            kernels::audit::DEFINITION,
        ],
    );
}
