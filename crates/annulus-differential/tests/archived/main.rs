//! Bridged messages in handlers: Rust on the archives that rkyv wrote, and the text that follows their
//! offsets, do the same.

#[path = "../device/mod.rs"]
mod device;
mod kernels;
mod layout;
mod malformed;
mod notes;
mod refusals;
mod samples;

use std::{
    path::PathBuf,
    sync::{Mutex, Once, PoisonError},
};

use annulus_conformance::language::{Call, HostText, Outcome, call, difference};
use annulus_kernel::{KernelDefinition, Target};

use kernels::KERNELS;
use samples::{Random, archive, image};

extern crate annulus_runtime as annulus;

/// How many messages each handler gets.
const MESSAGES: u64 = 400;

fn calls(definition: &'static KernelDefinition, count: u64) -> Vec<Call> {
    let mut random = Random::new(7);
    (0..count).map(|seed| samples::call(definition, image(&archive(&random.log()), 0xEE), seed)).collect()
}

/// The words of handlers that panic are not shown: that is how the CPU tells that an index is out of bounds.
fn quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !panic.location().is_some_and(|location| location.file().ends_with("kernels.rs")) {
                usual(panic);
            }
        }));
    });
}

/// The first call of each handler that comes out otherwise than in Rust.
fn compare(count: u64, mut other: impl FnMut(usize, &'static KernelDefinition, &[Call]) -> Vec<Outcome>) {
    quiet();
    let mut differences = Vec::new();
    for (index, definition) in KERNELS.iter().copied().enumerate() {
        let calls = calls(definition, count);
        let others = other(index, definition, &calls);
        let mut succeeded = 0;
        for (number, (input, other)) in calls.iter().zip(&others).enumerate() {
            let rust = call(definition, input);
            succeeded += u64::from(rust.code == 0);
            if let Some(difference) = difference(&rust, other, 0) {
                differences.push(format!("{} differs in call {number}: {difference}", definition.name));
                break;
            }
        }
        if succeeded < count / 10 {
            differences.push(format!("{}: {succeeded} of {count} calls succeed", definition.name));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// The handlers' texts for a target, as a library of the host.
fn text(target: Target) -> HostText {
    text_of(KERNELS, target, "logs")
}

fn text_of(kernels: &[&'static KernelDefinition], target: Target, name: &str) -> HostText {
    // Tests run beside each other, and each compiles for itself.
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("archived").join(name).join(target.name());
    HostText::compile(kernels, target, &folder).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn as_c_on_the_host() {
    let text = text(Target::OpenCl);
    compare(MESSAGES, |index, _, calls| calls.iter().map(|call| text.call(index, call)).collect());
}

#[test]
fn as_cuda_on_the_host() {
    let text = text(Target::Cuda);
    compare(MESSAGES, |index, _, calls| calls.iter().map(|call| text.call(index, call)).collect());
}

#[test]
fn on_an_opencl_device() {
    let Some(device) = device::Device::first() else { return println!("skipped: there is no OpenCL device") };
    println!("on {}", device.name());
    let handlers = device.compile(KERNELS).unwrap_or_else(|error| panic!("{error}"));
    compare(MESSAGES / 4, |index, definition, calls| {
        handlers.calls(index, definition, calls).unwrap_or_else(|error| panic!("{error}"))
    });
}
