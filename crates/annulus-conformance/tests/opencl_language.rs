//! Handlers on an OpenCL device, message by message beside the same kernels on the CPU: what is sent, what fails, and with which
//! code.

use std::time::Duration;

use annulus_conformance::{
    kernels::{
        checks::*,
        constructs::*,
        corners::*,
        edges::{capitals, shared_references},
        items::*,
        names::{aligned_enums, long_chain, names_of_macros, standard_names},
        numbers::*,
        own::{Point as OwnPoint, effects, fails_inside, generic, methods, orders_of_arguments, spaces},
        real::*,
        spelling::spelled,
        values::*,
    },
    language::{Inputs, Memory, value_difference},
};
use annulus_cpu::Cpu;
use annulus_kernel::RingKernel;
use annulus_opencl::OpenCl;
use annulus_runtime::{Backpressure, Bound, KernelHandle, LaunchOptions, Runtime, block_on};

/// How many messages each kernel gets.
const MESSAGES: usize = 300;

/// A launch of this kernel.
type Launch<K> = fn(&Runtime, LaunchOptions) -> KernelHandle<K>;

/// What a kernel did with one message.
type Reaction<K> = (Vec<<K as RingKernel>::Output>, u16);

/// One message after the other, each with what it led to.
fn reactions<K: RingKernel>(
    runtime: &Runtime,
    launch: Launch<K>,
    messages: &[K::Message],
) -> Vec<Reaction<K>> {
    let options = LaunchOptions::production().backpressure(Backpressure::Block).actors(1 << 16).capacity(64);
    let kernel = launch(runtime, options);
    let mut failed = 0;
    let reactions = messages.iter().map(|message| {
        let _ = kernel.send_blocking(*message).expect("the kernel is open");
        block_on(kernel.drained());
        let mut outputs = Vec::new();
        while let Ok(output) = kernel.try_recv() {
            outputs.push(output);
        }
        let status = kernel.status();
        let drops = status.drops.failed + status.drops.unknown_actor;
        let code = if drops > failed { status.last_error } else { 0 };
        failed = drops;
        (outputs, code)
    });
    let reactions = reactions.collect();
    kernel.shutdown_blocking(Duration::from_secs(5));
    reactions
}

/// Runs a kernel on both, and compares; floats may be `ulps` units in the last place apart.
fn same<K: RingKernel>(launch: Launch<K>, ulps: u32) {
    let name = K::DEFINITION.name;
    let device = match Runtime::builder().backend(OpenCl::new()).build() {
        Ok(device) => device,
        Err(error) => return println!("skipped: {name}: {error}"),
    };
    let cpu = Runtime::builder().backend(Cpu::new().workers(1)).build().expect("the CPU is there");
    let mut inputs = Inputs::new(7, 16);
    let messages: Vec<K::Message> = inputs.values(K::DEFINITION.message, MESSAGES).values();
    let expected = reactions(&cpu, launch, &messages);
    let found = reactions(&device, launch, &messages);
    for (number, ((outputs, code), (device_outputs, device_code))) in expected.iter().zip(&found).enumerate()
    {
        assert_eq!(device_code, code, "{name}: the code of message {number}");
        let difference = value_difference(&Memory::of(outputs), &Memory::of(device_outputs), ulps);
        assert_eq!(difference, None, "{name}: message {number}");
    }
    let succeeded = expected.iter().filter(|(_, code)| *code == 0).count();
    assert!(succeeded > MESSAGES / 10, "{name}: {succeeded} messages succeed, too few to say much");
}

macro_rules! kernels {
    ($($test:ident within $ulps:literal: $($kernel:ident),+ $(,)?;)+) => {$(
        #[test]
        fn $test() {
            $(same::<$kernel>(|runtime, options| $kernel::launch(runtime, options).expect("it can be launched"), $ulps);)+
        }
    )+};
}

kernels! {
    unsigned within 0: u8_numbers, u8_divides, u8_converts, u64_numbers, u64_divides, u64_converts;
    signed within 0: i16_numbers, i16_divides, i16_converts, i32_numbers, i32_signs, i64_numbers, i64_divides, i64_converts;
    floats within 0: f32_numbers, f64_numbers;
    structure within 0: orders, loops, numbers_matched, commands, places;
    own within 0: orders_of_arguments, fails_inside, generic;
    corners within 0: nested_values, machine, ends_of_ranges, steps;
    values within 0: options, orders_of_options, results, tuples, popped, equal, chains;
    items within 0: elements, adapters, slices_changed, labels;
    checks within 0: u8_checks, i64_checks, i8_wraps, u64_wraps, i16_bits, u64_bits, u32_powers, i8_magnitudes, sizes_checked;
    edges within 0: shared_references, capitals;
    own_names within 0: standard_names, names_of_macros, aligned_enums, long_chain;
    real within 0: moving_average, crc32, sha256, order_book, conway, run_length, least_recent;
}

/// Functions get pointers into bound memory too.
#[test]
fn own_functions_on_bound_memory() {
    same::<spaces>(
        |runtime, options| spaces::bind(&[3, 4, 5]).launch(runtime, options).expect("it can be launched"),
        0,
    );
    same::<methods>(
        |runtime, options| {
            let points = [OwnPoint { x: 3, y: -7 }; 16];
            let bound: Bound<methods> = methods::bind(OwnPoint { x: -2, y: 9 }, &points);
            bound.launch(runtime, options).expect("it can be launched")
        },
        0,
    );
    same::<effects>(
        |runtime, options| effects::bind(&[0; 16]).launch(runtime, options).expect("it can be launched"),
        0,
    );
}

/// Parameters and tables come to the device as they come to the CPU.
#[test]
fn bound_parameters() {
    same::<fir>(
        |runtime, options| {
            let bound: Bound<fir> = fir::bind([0.5, -0.25, 1.0, 0.0, 3.5, 1e-3, -7.0, 2.0]);
            bound.launch(runtime, options).expect("it can be launched")
        },
        0,
    );
    same::<bloom>(
        |runtime, options| bloom::bind(&[0; 64]).launch(runtime, options).expect("it can be launched"),
        0,
    );
    same::<union_find>(
        |runtime, options| {
            let parents: Vec<u32> = (0..40).collect();
            union_find::bind(&parents).launch(runtime, options).expect("it can be launched")
        },
        0,
    );
    same::<slices>(
        |runtime, options| {
            let table: Vec<u32> = (0..9).map(|x| x * x).collect();
            slices::bind(&table).launch(runtime, options).expect("it can be launched")
        },
        0,
    );
    same::<unwraps>(
        |runtime, options| unwraps::bind(&[2; 4]).launch(runtime, options).expect("it can be launched"),
        0,
    );
    same::<bound_slices>(
        |runtime, options| {
            let memory: Vec<u64> = (0..8).map(|x| x * 0x0101_0305).collect();
            let bound: Bound<bound_slices> = bound_slices::bind(&memory, &[1; 4], &[Grid::default(); 2]);
            bound.launch(runtime, options).expect("it can be launched")
        },
        0,
    );
    same::<spelled>(
        |runtime, options| {
            let bound: Bound<spelled> = spelled::bind(&[4, 5, 6], 7, &[3], 9);
            bound.launch(runtime, options).expect("it can be launched")
        },
        0,
    );
}
