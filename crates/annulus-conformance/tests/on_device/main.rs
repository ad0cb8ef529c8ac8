//! W-14: handlers on a device, message by message beside the same kernels on the CPU: what is sent, what
//! fails, and with which code.
//!
//! One program for all devices, since a kernel costs the code of a launch; `./test` runs it once for each
//! device.

mod devices;

use std::time::Duration;

use annulus_conformance::{
    kernels::{
        checks::*,
        constructs::*,
        corners::*,
        edges::{capitals, functions_of_f32_nan, functions_of_f64_nan, known_operands, shared_references},
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
use annulus_kernel::{RingKernel, RingMessage};
use annulus_runtime::{Backpressure, Bound, KernelHandle, LaunchOptions, Runtime, block_on};
use devices::Device;

/// How many messages each kernel gets.
const MESSAGES: usize = 300;

/// What a kernel did with one message.
type Reaction<K> = (Vec<<K as RingKernel>::Output>, u16);

/// One message after the other, each with what it led to.
fn reactions<K: RingKernel<Message: RingMessage>>(
    runtime: &Runtime,
    launch: &impl Fn(&Runtime, LaunchOptions) -> KernelHandle<K>,
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

/// Runs a kernel on both with random messages, and compares; floats may be `ulps` units in the last place
/// apart.
fn same<K: RingKernel<Message: RingMessage>>(
    device: Device,
    launch: impl Fn(&Runtime, LaunchOptions) -> KernelHandle<K>,
    ulps: u32,
) {
    let mut inputs = Inputs::new(7, 16);
    let messages: Vec<K::Message> = inputs.values(K::DEFINITION.message, MESSAGES).values();
    same_for(device, launch, &messages, ulps);
}

/// Runs a kernel on both, and compares; floats may be `ulps` units in the last place apart.
fn same_for<K: RingKernel<Message: RingMessage>>(
    device: Device,
    launch: impl Fn(&Runtime, LaunchOptions) -> KernelHandle<K>,
    messages: &[K::Message],
    ulps: u32,
) {
    let name = K::DEFINITION.name;
    let device = match device() {
        Ok(device) => device,
        Err(error) => return println!("skipped: {name}: {error}"),
    };
    let cpu = Runtime::builder().backend(Cpu::new().workers(1)).build().expect("the CPU is there");
    let expected = reactions(&cpu, &launch, messages);
    let found = reactions(&device, &launch, messages);
    for (number, ((outputs, code), (device_outputs, device_code))) in expected.iter().zip(&found).enumerate()
    {
        assert_eq!(device_code, code, "{name}: the code of message {number}");
        let difference = value_difference(&Memory::of(outputs), &Memory::of(device_outputs), ulps);
        assert_eq!(difference, None, "{name}: message {number}");
    }
    let succeeded = expected.iter().filter(|(_, code)| *code == 0).count();
    assert!(succeeded > messages.len() / 10, "{name}: {succeeded} messages succeed, too few to say much");
}

macro_rules! kernels {
    ($($test:ident within $ulps:literal: $($kernel:ident),+ $(,)?;)+) => {$(
        pub(crate) fn $test(device: crate::Device) {
            $(same::<$kernel>(device, |runtime, options| $kernel::launch(runtime, options).expect("it can be launched"), $ulps);)+
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
    items within 0: elements, adapters, slices_changed, labels, taken_apart;
    checks within 0: u8_checks, i64_checks, i8_wraps, u64_wraps, i16_bits, u64_bits, u32_powers, i8_magnitudes, sizes_checked;
    edges within 0: shared_references, capitals, known_operands, functions_of_f32_nan, functions_of_f64_nan;
    series within 0: detect, moving_average, median, fft;
    memory within 0: least_recent, reservoir, heavy_hitters, top_ten, replay_window;
    hashes_and_codes within 0: crc32, sha256, run_length, base64_encode, base64_decode, varints, lz4, huffman, reed_solomon;
    text within 0: utf8, json_number, levenshtein;
    trade within 0: order_book, bars, matching, inventory, connections, first_fit;
    simulations within 0: conway, sobel, monte_carlo, k_means;
    own_names within 0: standard_names, names_of_macros, aligned_enums, long_chain;
}

/// What the language has learnt since its first suites.
mod learnt {
    use annulus_conformance::kernels::{
        codes::named_errors,
        compared::equal_values,
        everyday::{
            asked_ranges, copies, filled_options, joined_items, made_arrays, own_gates, turned_slices,
        },
        lent::lent_operators,
        lists::{list_changes, list_reads},
        more_closures::{curves, integer_roots, option_closures, ordered, used_up},
        more_values::{alternatives, chosen, conversions, lists_and_texts, operators, same_slices},
        ordered::{order_methods, order_values},
        parsing::take_apart,
        sizes::{bound_sizes, sizes_in_memory},
        sorted::{in_order, sorts},
        traits::traits,
        wrapping::{notes, wraps},
    };

    use super::same;

    kernels! {
        patterns_and_slices within 0: take_apart, alternatives, same_slices, lists_and_texts, chosen;
        named_failures within 0: named_errors;
        own_operators within 0: operators, conversions, lent_operators;
        functions_of_traits within 0: traits;
        sizes within 0: sizes_in_memory;
        comparisons within 0: equal_values, order_values, order_methods;
        closures within 0: option_closures, used_up;
        numbers within 0: ordered, integer_roots;
        numbers_that_wrap within 0: wraps;
        options_in_memory within 0: notes;
        orders_and_sorting within 0: in_order, sorts;
        lists_of_bounded_length within 0: list_changes, list_reads;
        everyday_rust within 0: copies, asked_ranges, joined_items, own_gates, turned_slices, filled_options, made_arrays;
        functions_of_floats within 4: curves;
    }

    pub(crate) fn sizes_that_are_bound(device: crate::Device) {
        same::<bound_sizes>(
            device,
            |runtime, options| {
                bound_sizes::bind(&[7, 3, 0, usize::MAX], 5)
                    .launch(runtime, options)
                    .expect("it can be launched")
            },
            0,
        );
    }
}

/// Functions get pointers into bound memory too.
fn own_functions_on_bound_memory(device: Device) {
    same::<spaces>(
        device,
        |runtime, options| spaces::bind(&[3, 4, 5]).launch(runtime, options).expect("it can be launched"),
        0,
    );
    same::<methods>(
        device,
        |runtime, options| {
            let points = [OwnPoint { x: 3, y: -7 }; 16];
            let bound: Bound<methods> = methods::bind(OwnPoint { x: -2, y: 9 }, &points);
            bound.launch(runtime, options).expect("it can be launched")
        },
        0,
    );
    same::<effects>(
        device,
        |runtime, options| effects::bind(&[0; 16]).launch(runtime, options).expect("it can be launched"),
        0,
    );
}

/// Parameters and tables come to the device as they come to the CPU.
fn bound_parameters(device: Device) {
    same::<slices>(
        device,
        |runtime, options| {
            let table: Vec<u32> = (0..9).map(|x| x * x).collect();
            slices::bind(&table).launch(runtime, options).expect("it can be launched")
        },
        0,
    );
    same::<unwraps>(
        device,
        |runtime, options| unwraps::bind(&[2; 4]).launch(runtime, options).expect("it can be launched"),
        0,
    );
    same::<bound_slices>(
        device,
        |runtime, options| {
            let memory: Vec<u64> = (0..8).map(|x| x * 0x0101_0305).collect();
            let bound: Bound<bound_slices> = bound_slices::bind(&memory, &[1; 4], &[Grid::default(); 2]);
            bound.launch(runtime, options).expect("it can be launched")
        },
        0,
    );
    same::<spelled>(
        device,
        |runtime, options| {
            let bound: Bound<spelled> = spelled::bind(&[4, 5, 6], 7, &[3], 9);
            bound.launch(runtime, options).expect("it can be launched")
        },
        0,
    );
}

/// A launch of a kernel of which parameters are bound.
macro_rules! bound {
    ($device:ident: $kernel:ident($($value:expr),+), $ulps:literal) => {
        same::<$kernel>(
            $device,
            |runtime, options| {
                let bound: Bound<$kernel> = $kernel::bind($($value),+);
                bound.launch(runtime, options).expect("it can be launched")
            },
            $ulps,
        )
    };
}

fn real_kernels_of_series_with_parameters(device: Device) {
    bound!(device: fir([0.5, -0.25, 1.0, 0.0, 3.5, 1e-3, -7.0, 2.0]), 0);
    bound!(device: histogram(Buckets { low: -100.0, width: 10.0 }, &[0; 20]), 0);
    bound!(device: fading(0.25), 0);
    bound!(device: quantile(0.9), 0);
    bound!(device: sessions(8), 0);
    bound!(device: biquad(Biquad { b: [0.25, 0.5, 0.25], a: [-0.5, 0.125] }), 0);
    bound!(device: kalman(Noise { movement: 0.01, measurement: 2.0 }), 0);
}

fn real_kernels_of_memory_and_ciphers_with_parameters(device: Device) {
    bound!(device: bloom(&[0; 64]), 0);
    bound!(device: count_min(&[0; 32]), 0);
    // The logarithm is the device's own.
    bound!(device: distinct(&[0; 64]), 4);
    bound!(device: sip_hash([0x0706_0504_0302_0100, 0x0F0E_0D0C_0B0A_0908]), 0);
    bound!(device: cha_cha([1, 2, 3, 4, 5, 6, 7, 8]), 0);
    bound!(device: smith_waterman([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]), 0);
}

fn real_kernels_that_learn_with_parameters(device: Device) {
    let weights = |i: usize| i as f32 * 0.37 - 1.5;
    let net = Net {
        hidden: std::array::from_fn(|i| std::array::from_fn(|j| weights((i * 5 + j * 3) % 9))),
        hidden_bias: std::array::from_fn(weights),
        out: std::array::from_fn(|i| std::array::from_fn(|j| weights((i + j * 7) % 8))),
        out_bias: [0.5, -0.5, 0.0],
    };
    bound!(device: neural_net(net), 0);
    bound!(
        device: boosted_trees(
            &[0, 3],
            &[
                Split::At { feature: 0, limit: 0.5, right: 2 },
                Split::Leaf { value: 1.0 },
                Split::Leaf { value: -3.0 },
                Split::At { feature: 3, limit: 10.0, right: 0 },
                Split::Leaf { value: 0.25 },
            ]
        ),
        0
    );
    bound!(device: matrix_vector(std::array::from_fn(|i| std::array::from_fn(|j| (i * 8 + j) as f32 / 7.0))), 0);
}

fn real_kernels_of_the_world_with_parameters(device: Device) {
    bound!(device: convolution([[16, 32, 16], [32, 64, 32], [16, 32, 16]]), 0);
    bound!(device: transfer(&[1000; 16]), 0);
    bound!(device: token_bucket(Allowance { per_millisecond: 2, burst: 40 }), 0);
    bound!(device: union_find(&(0..40).collect::<Vec<u32>>()), 0);
    bound!(device: hash_join(&[Entry::default(); 64]), 0);
    bound!(device: frontier(&[[1, 2, 5, u32::MAX]; 16], &[u32::MAX; 16]), 0);
    bound!(device: page_rank(&[Page { first: 1, count: 3 }; 16], &[3, 1, 4, 1, 5], &[0; 16], &[0; 16]), 0);
    bound!(device: cell_lists(&[0; 32], &[0; 64]), 0);
    bound!(
        device: geofence(&[Corner { x: -50.0, y: -50.0 }, Corner { x: 60.0, y: -40.0 }, Corner { x: 0.0, y: 70.0 }]),
        0
    );
    bound!(
        device: longest_prefix(&[
            Node { children: [1, 2], route: 1 },
            Node { children: [2, 0], route: 0 },
            Node { children: [1, 1], route: 7 },
        ]),
        0
    );
    let centre = Vector { x: 1.0, y: 2.0, z: 30.0 };
    bound!(device: trace(&[Sphere { centre, radius: 20.0 }, Sphere { centre: Vector::default(), radius: 50.0 }]), 0);
    let body = |x: f32, y: f32| Body {
        position: Vector { x, y, z: 1.0 },
        velocity: Vector { x: y, y: -x, z: 0.0 },
        mass: 2.0,
    };
    bound!(device: n_body(&[body(1.0, 2.0), body(-3.0, 0.5), body(0.0, -7.0)]), 0);
}

/// Exponentials, logarithms and sines are each device's own. What is made of them may be eight units in the
/// last place off; an option's price, the difference of numbers that are a dozen times its size, 32.
fn real_kernels_with_functions_of_the_device(device: Device) {
    let mut random = 1u64;
    let mut part = || {
        random = annulus_conformance::kernels::mix(random.wrapping_add(0x9E37_79B9_7F4A_7C15));
        (random >> 40) as f32 / (1u64 << 24) as f32
    };
    let contracts: Vec<_> = (0..MESSAGES)
        .map(|_| Contract {
            spot: 90.0 + 20.0 * part(),
            strike: 100.0,
            rate: 0.05 * part(),
            volatility: 0.2 + 0.2 * part(),
            years: 1.0 + part(),
        })
        .collect();
    same_for::<black_scholes>(
        device,
        |runtime, options| black_scholes::launch(runtime, options).expect("it can be launched"),
        &contracts,
        32,
    );
    let mut place = || Coordinates { latitude: 170.0 * part() - 85.0, longitude: 360.0 * part() - 180.0 };
    let journeys: Vec<_> = (0..MESSAGES).map(|_| Journey { from: place(), to: place() }).collect();
    same_for::<haversine>(
        device,
        |runtime, options| haversine::launch(runtime, options).expect("it can be launched"),
        &journeys,
        8,
    );
    let examples: Vec<_> = (0..MESSAGES)
        .map(|_| {
            let values = std::array::from_fn(|_| part() - 0.5);
            Example { values, positive: values[0] + values[1] > 0.1 }
        })
        .collect();
    same_for::<logistic>(
        device,
        |runtime, options| {
            let bound: Bound<logistic> = logistic::bind(0.1);
            bound.launch(runtime, options).expect("it can be launched")
        },
        &examples,
        8,
    );
}

/// Each of these on every device.
macro_rules! tests {
    ([$($test:ident,)+] learnt [$($learnt:ident,)+]) => {
        tests! { @on opencl: [$($test,)+] learnt [$($learnt,)+] }
        #[cfg(target_os = "linux")]
        tests! { @on cuda: [$($test,)+] learnt [$($learnt,)+] }
    };
    (@on $device:ident: [$($test:ident,)+] learnt [$($learnt:ident,)+]) => {
        mod $device {
            use crate::devices::$device as device;

            $(
                #[test]
                fn $test() {
                    crate::$test(device);
                }
            )+

            mod learnt {
                use super::device;

                $(
                    #[test]
                    fn $learnt() {
                        crate::learnt::$learnt(device);
                    }
                )+
            }
        }
    };
}

tests! {
    [
        unsigned,
        signed,
        floats,
        structure,
        own,
        corners,
        values,
        items,
        checks,
        edges,
        series,
        memory,
        hashes_and_codes,
        text,
        trade,
        simulations,
        own_names,
        own_functions_on_bound_memory,
        bound_parameters,
        real_kernels_of_series_with_parameters,
        real_kernels_of_memory_and_ciphers_with_parameters,
        real_kernels_that_learn_with_parameters,
        real_kernels_of_the_world_with_parameters,
        real_kernels_with_functions_of_the_device,
    ]
    learnt [
        patterns_and_slices,
        named_failures,
        own_operators,
        functions_of_traits,
        sizes,
        numbers_that_wrap,
        options_in_memory,
        orders_and_sorting,
        lists_of_bounded_length,
        everyday_rust,
        sizes_that_are_bound,
        comparisons,
        closures,
        numbers,
        functions_of_floats,
    ]
}
