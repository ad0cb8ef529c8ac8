//! Handlers as the text that they are lowered to, run beside their Rust on random and edge values.

use annulus_conformance::{
    kernels,
    language::{HostText, Inputs, call, difference},
};
use annulus_kernel::{KernelDefinition, RingKernel};

/// How many calls each handler gets.
const CALLS: u64 = 2000;

fn agree(name: &str, definitions: &[&'static KernelDefinition]) {
    agree_within(name, definitions, 0);
}

fn agree_within(name: &str, definitions: &[&'static KernelDefinition], ulps: u32) {
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
            if let Some(difference) = difference(&rust, &text.call(index, &input), ulps) {
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

#[test]
fn integers() {
    use kernels::numbers::*;
    agree(
        "integers",
        &[
            u8_numbers::DEFINITION,
            u8_divides::DEFINITION,
            u8_converts::DEFINITION,
            u16_numbers::DEFINITION,
            u16_divides::DEFINITION,
            u16_converts::DEFINITION,
            u32_numbers::DEFINITION,
            u32_divides::DEFINITION,
            u32_converts::DEFINITION,
            u64_numbers::DEFINITION,
            u64_divides::DEFINITION,
            u64_converts::DEFINITION,
            i8_numbers::DEFINITION,
            i8_divides::DEFINITION,
            i8_converts::DEFINITION,
            i16_numbers::DEFINITION,
            i16_divides::DEFINITION,
            i16_converts::DEFINITION,
            i16_signs::DEFINITION,
            i32_numbers::DEFINITION,
            i32_divides::DEFINITION,
            i32_converts::DEFINITION,
            i32_signs::DEFINITION,
            i64_numbers::DEFINITION,
            i64_divides::DEFINITION,
            i64_converts::DEFINITION,
            i64_signs::DEFINITION,
        ],
    );
}

#[test]
fn floats() {
    use kernels::numbers::*;
    agree("floats", &[f32_numbers::DEFINITION, f64_numbers::DEFINITION]);
    // The host's C library and Rust's standard library each have a cube root of their own.
    agree_within("functions", &[f32_functions::DEFINITION, f64_functions::DEFINITION], 2);
}

#[test]
fn constructs() {
    use kernels::constructs::*;
    agree(
        "constructs",
        &[
            orders::DEFINITION,
            loops::DEFINITION,
            numbers_matched::DEFINITION,
            commands::DEFINITION,
            places::DEFINITION,
            failures::DEFINITION,
            bindings::DEFINITION,
            atomics::DEFINITION,
            names::DEFINITION,
        ],
    );
}
