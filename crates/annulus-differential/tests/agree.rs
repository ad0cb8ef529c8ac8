//! Random handlers: Rust and what it is lowered to do the same.

mod blocks;
mod device;
mod ways;

use annulus_conformance::language::{Call, HostText, Inputs, Outcome, call, difference};
use annulus_kernel::{KernelDefinition, Target};

use device::Device;

/// The handlers that the build script wrote.
#[allow(warnings, arithmetic_overflow, unconditional_panic, clippy::all, reason = "nobody wrote them")]
mod handlers {
    // The types that `annulus-macros` emits code for stand under `::annulus`.
    use annulus_kernel::{KernelDefinition, RingKernel};
    use annulus_macros::{DeviceType, RingMessage, device_fn, device_impl, ring_kernel};
    use annulus_runtime::prelude::{
        Addressed, Along, Answer, Ask, Block, BlockCx, Cx, Failure, Later, List, Outbox, Peer, Published,
        Reply, Topic,
    };
    use std::sync::atomic::{AtomicI32, AtomicI64, AtomicU32, AtomicU64, Ordering};

    #[cfg(not(clippy))]
    include!(concat!(env!("OUT_DIR"), "/handlers.rs"));
    // It is told to allow all that it may find in them, and would look for half a minute.
    #[cfg(clippy)]
    include!(concat!(env!("OUT_DIR"), "/no_handlers.rs"));
}
use handlers::{BLOCKS, HANDLERS};

use annulus_differential::generate::ELEMENTS;

extern crate annulus_runtime as annulus;

/// How many handlers go into one program for a device: compilers take long for the first, and little for each
/// more.
const PROGRAM: usize = 60;

/// How many calls each handler gets.
const CALLS: u64 = 300;

/// The same calls for the same handler.
fn calls(definition: &'static KernelDefinition) -> Vec<Call> {
    let seed = definition.name.bytes().fold(0, |seed: u64, byte| seed.wrapping_mul(31) + u64::from(byte));
    let mut inputs = Inputs::new(seed, ELEMENTS);
    (0..CALLS).map(|_| inputs.call(definition)).collect()
}

/// The first call of each handler that comes out otherwise than in Rust.
fn compare(
    definitions: &[&'static KernelDefinition],
    mut other: impl FnMut(usize, &'static KernelDefinition, &[Call]) -> Vec<Outcome>,
) {
    let mut differences = Vec::new();
    let mut succeeded = 0;
    for (index, definition) in definitions.iter().enumerate() {
        let calls = calls(definition);
        let others = other(index, definition, &calls);
        for (number, (input, other)) in calls.iter().zip(&others).enumerate() {
            let rust = call(definition, input);
            succeeded += u64::from(rust.code == 0);
            if let Some(difference) = difference(&rust, other, 0) {
                differences.push(format!("{} differs in call {number}: {difference}", definition.name));
                break;
            }
        }
    }
    println!("{succeeded} of {} calls succeed", definitions.len() as u64 * CALLS);
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// Handlers panic where the language says that they fail, which is what is tested: their words are not shown.
fn quietly(test: impl FnOnce()) {
    let usual = std::sync::Arc::new(std::panic::take_hook());
    let hook = std::sync::Arc::clone(&usual);
    std::panic::set_hook(Box::new(move |panic| {
        let of_handlers = |file: &str| {
            file.ends_with("handlers.rs") || file.ends_with("blocks/kernels.rs") || file.contains("cooperate")
        };
        if !panic.location().is_some_and(|location| of_handlers(location.file())) {
            hook(panic);
        }
    }));
    test();
}

fn on_the_host(handlers: &[&'static KernelDefinition], target: Target, folder: &str) {
    if handlers.is_empty() {
        return println!("none of these was asked for");
    }
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder).join(target.name());
    let text = HostText::compile(handlers, target, &folder).unwrap_or_else(|error| panic!("{error}"));
    quietly(|| {
        compare(handlers, |index, _, calls| calls.iter().map(|call| text.call(index, call)).collect());
    });
}

#[test]
fn as_c_on_the_host() {
    on_the_host(HANDLERS, Target::OpenCl, "random");
}

/// Fewer, since they differ in little from what is C: the first, and those with several outboxes, which are the last.
#[test]
fn as_cuda_on_the_host() {
    let mut handlers = HANDLERS[..HANDLERS.len().min(60)].to_vec();
    let rest = HANDLERS[handlers.len()..].iter();
    handlers.extend(rest.filter(|definition| !definition.ports.is_empty()).take(10));
    on_the_host(&handlers, Target::Cuda, "random");
}

/// Handlers with several outboxes send by each of them, and more than they may.
#[test]
fn outboxes_are_used() {
    let several: Vec<_> = HANDLERS.iter().filter(|definition| !definition.ports.is_empty()).collect();
    if several.is_empty() {
        return println!("none of these was asked for");
    }
    let (mut sent, mut refused) = ([0_u64; 3], 0_u64);
    quietly(|| {
        for definition in several {
            for input in calls(definition) {
                let outcome = call(definition, &input);
                refused += u64::from(outcome.code == annulus_abi::error::TOO_MANY_OUTPUTS);
                for output in outcome.outputs.bytes().chunks(outcome.outputs.ty().size) {
                    // The number of the outbox, as the tag of an enum with `repr(u64)` or a smaller one.
                    sent[usize::from(output[0])] += 1;
                }
            }
        }
    });
    println!("sent by each: {sent:?}; {refused} calls sent more than they may");
    assert!(sent.iter().all(|count| *count > 100) && refused > 0, "{sent:?} {refused}");
}

#[test]
fn on_an_opencl_device() {
    let Some(device) = Device::first() else { return println!("skipped: there is no OpenCL device") };
    println!("on {}", device.name());
    if !device.has_wide_atomics() {
        return println!("skipped: it has no atomics of 64 bits, which every handler uses");
    }
    quietly(|| HANDLERS.chunks(PROGRAM).for_each(|program| device_agrees(&device, program)));
}

/// Compares what these handlers do on a device, compiled in one go.
fn device_agrees(device: &Device, program: &[&'static KernelDefinition]) {
    let handlers = device.compile(program).unwrap_or_else(|error| panic!("{error}"));
    compare(program, |index, definition, calls| {
        handlers.calls(index, definition, calls).unwrap_or_else(|error| panic!("{error}"))
    });
}
