//! Handlers as the text that they are lowered to, run beside their Rust on random and edge values.

extern crate annulus_runtime as annulus;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use annulus_abi::error;
use annulus_conformance::{
    kernels,
    language::{Call, HostText, Inputs, Memory, Told, differences},
};
use annulus_kernel::{KernelDefinition, RingKernel, Target};
use annulus_macros::{device_fn, ring_kernel};
use annulus_runtime::prelude::Outbox;

/// How many calls each handler gets.
const CALLS: u64 = 2000;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn agree(name: &str, definitions: &[&'static KernelDefinition]) {
    agree_within(name, definitions, 0);
}

/// Metal lacks `f64` and wide atomics: of those kernels it runs none.
fn agree_within(name: &str, definitions: &[&'static KernelDefinition], ulps: u32) {
    for target in Target::ALL {
        let has_text = |kernel: &&'static KernelDefinition| {
            target != Target::Metal || kernel.handler_source(target).is_ok()
        };
        let definitions: Vec<_> = definitions.iter().copied().filter(has_text).collect();
        let folder = folder(&format!("{name}_{target}"));
        let differences = differences(&definitions, target, &folder, CALLS, ulps);
        assert!(differences.is_empty(), "{target}: {}", differences.join("\n"));
    }
}

#[test]
fn the_kernels_of_the_suite() {
    agree("suite", kernels::SUITE);
}

#[test]
fn integers() {
    agree("integers", kernels::INTEGERS);
}

#[test]
fn floats() {
    agree("floats", kernels::FLOATS);
    // The host's C library and Rust's standard library each have a cube root of their own.
    agree_within("functions", kernels::FUNCTIONS, 2);
}

#[test]
fn constructs() {
    agree("constructs", kernels::CONSTRUCTS);
}

#[test]
fn corners() {
    agree("corners", kernels::CORNERS);
}

#[test]
fn real_kernels() {
    agree("real", kernels::REAL);
}

#[test]
fn prints() {
    let endless = |definition: &&KernelDefinition| definition.name == "print_often";
    let definitions: Vec<_> = kernels::prints::PRINTS.iter().copied().filter(|d| !endless(d)).collect();
    agree("prints", &definitions);
}

/// A loop that does not end is a failure on a device; the CPU would run it for ever.
#[test]
fn budgets_end_loops() {
    use kernels::constructs::{Small, endless};
    let folder = folder("budget");
    let text = HostText::compile(&[endless::DEFINITION], Target::OpenCl, &folder)
        .unwrap_or_else(|error| panic!("{error}"));
    let run = |a, state: u32| {
        let message = Small { key: 0, a, b: 0, on: false, x: 0.0 };
        let input = Call {
            message: Memory::of(&[message]),
            state: Memory::of(&[state]),
            bindings: Vec::new(),
            told: Told::default(),
        };
        let outcome = text.call(0, &input);
        (outcome.code, outcome.state.values::<u32>()[0])
    };
    // The budget is the whole call's: it is spent by 100 turns in all.
    assert_eq!(run(99, 0), (0, 99));
    assert_eq!(
        run(100, u32::MAX - 98),
        (0, 1),
        "100 turns, and a condition that ends the second loop at once"
    );
    assert_eq!(run(101, 0), (error::BUDGET_EXHAUSTED, 0));
    assert_eq!(run(100, 0), (error::BUDGET_EXHAUSTED, 0));
}

/// Every way to fail is found the same by both, and all of them are met.
#[test]
fn failures_have_their_codes() {
    use kernels::constructs::failures;
    let folder = folder("failures");
    let text = HostText::compile(&[failures::DEFINITION], Target::OpenCl, &folder)
        .unwrap_or_else(|error| panic!("{error}"));
    let mut inputs = Inputs::new(1, 4);
    let codes: BTreeSet<u16> =
        (0..20_000).map(|_| text.call(0, &inputs.call(failures::DEFINITION)).code).collect();
    for code in [
        0,
        kernels::constructs::TOO_MUCH.code(),
        error::PANICKED,
        error::TOO_MANY_OUTPUTS,
        error::INDEX_OUT_OF_BOUNDS,
        error::DIVISION_BY_ZERO,
    ] {
        assert!(codes.contains(&code), "{code:#06X} is not among {codes:X?}");
    }
}

/// Where meaning is easily lost: operands that are calls, references that branches give, values of blocks,
/// names of inner blocks.
#[test]
fn edges() {
    agree("edges", kernels::EDGES);
}

#[test]
fn options_results_and_tuples() {
    agree("values", kernels::VALUES);
}

#[test]
fn loops_over_elements() {
    agree("items", kernels::ITEMS);
}

#[test]
fn integers_that_overflow() {
    agree("checks", kernels::CHECKS);
}

/// Functions of the user's, with every kind of parameter, from every kind of memory.
#[test]
fn own_functions() {
    agree("own", kernels::OWN);
    agree("own_edges", kernels::OWN_EDGES);
    agree("no_place", kernels::NO_PLACE);
}

/// Names of the standard library's and of macros, and enums with an alignment.
#[test]
fn names() {
    agree("names", kernels::NAMES);
}

#[device_fn]
fn mixed(a: u64, b: u64) -> u64 {
    kernels::own::math::mix(a) ^ kernels::own::math::mix_twice(b)
}

/// Calls functions of another crate, among them one that calls others there.
#[ring_kernel]
fn abroad(number: &kernels::Number, last: &mut u64, replies: &Outbox<kernels::Number>) {
    *last = mixed(number.value, *last);
    replies.send(kernels::Number {
        value: kernels::own::math::quotient(*last as u32, number.value as u32).into(),
    });
}

#[test]
fn functions_of_another_crate() {
    agree("abroad", &[abroad::DEFINITION]);
}

/// Loops in functions turn on the budget of the whole call.
#[test]
fn functions_spend_the_budget() {
    use kernels::{constructs::Small, own_edges::spends};
    let folder = folder("spends");
    let text = HostText::compile(&[spends::DEFINITION], Target::OpenCl, &folder)
        .unwrap_or_else(|error| panic!("{error}"));
    let run = |a| {
        let message = Small { key: 0, a, b: 0, on: false, x: 0.0 };
        let input = Call {
            message: Memory::of(&[message]),
            state: Memory::of(&[7u32]),
            bindings: Vec::new(),
            told: Told::default(),
        };
        let outcome = text.call(0, &input);
        (outcome.code, outcome.state.values::<u32>()[0])
    };
    assert_eq!(run(49), (0, 49));
    assert_eq!(run(50), (error::BUDGET_EXHAUSTED, 7));
}
