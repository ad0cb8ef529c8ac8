//! What only the types show to be beyond a device: lowering refuses it, with the line and what to write instead.

extern crate annulus_runtime as annulus;

use std::sync::atomic::AtomicI64;

use annulus_kernel::{DeviceType, RingKernel, RingMessage, Target, TypeDescriptor};
use annulus_macros::{DeviceType, RingMessage, device_fn, device_impl, ring_kernel};
use annulus_queue::sync::{AtomicU32, Ordering};
use annulus_runtime::prelude::{Failure, Text};

#[derive(RingMessage, Clone, Copy, PartialEq, PartialOrd)]
#[repr(C)]
struct Tick {
    a: u32,
    b: f64,
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Small {
    a: u32,
}

#[derive(DeviceType, Clone, Copy, PartialEq)]
#[repr(u32)]
#[allow(dead_code)] // Nobody sends one.
enum Shape {
    Round { size: u32 },
    Square { size: u32 },
}

impl Tick {
    fn abs(&self) -> u32 {
        self.a
    }
}

impl From<u32> for Tick {
    fn from(a: u32) -> Self {
        Self { a, b: 0.0 }
    }
}

fn refusal<K: RingKernel>(target: Target) -> String {
    K::DEFINITION.handler_source(target).expect_err("a device cannot do this").to_string()
}

/// The kernel, and what its refusal must say; the line is the one below its marker.
macro_rules! refused {
    ($(#[$test:meta])* $test_name:ident: $kernel:ident says $($part:literal),+) => {
        #[test]
        fn $test_name() {
            let error = refusal::<$kernel>(Target::OpenCl);
            for part in [$($part),+] {
                assert!(error.contains(part), "`{part}` is not in: {error}");
            }
            let marker = concat!("// HERE ", stringify!($kernel), "\n");
            let (before, _) = include_str!("refusals.rs").split_once(marker).expect("the line is marked");
            let line = before.matches('\n').count() + 2;
            assert!(error.contains(&format!("refusals.rs:{line}: ")), "{error} is not of line {line}");
        }
    };
}

#[ring_kernel]
fn compares_structs(tick: &Tick, other: &Tick) {
    // HERE compares_structs
    if *tick == *other {
        panic!();
    }
}
refused!(equality_of_structs: compares_structs says "`==` of `Tick` may be any function of yours", "write `#[device(eq)]`");

#[ring_kernel]
fn orders_structs(tick: &Tick, other: &Tick) {
    // HERE orders_structs
    if *tick < *other {
        panic!();
    }
}
refused!(operators_of_structs: orders_structs says "an operator of `Tick`", "write it for its fields");

#[derive(DeviceType, Clone, Copy)]
#[repr(C)]
#[device(eq)]
struct Named {
    number: u32,
    name: Text<8>,
}

#[ring_kernel]
fn compares_texts(_: &Small, a: &Named, b: &Named) {
    // HERE compares_texts
    if *a == *b {
        panic!();
    }
}
refused!(equality_of_fields: compares_texts says "`==` of `Named` asks its field `name`", "compare the others");

impl std::ops::Add for Tick {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { a: self.a + other.a, b: self.b + other.b }
    }
}

#[ring_kernel]
fn adds_structs(tick: &Tick, sum: &mut u32) {
    // HERE adds_structs
    let twice = *tick + *tick;
    *sum += twice.a;
}
refused!(operators_of_the_users: adds_structs says "an operator of `Tick`", "write it for its fields");

#[ring_kernel]
fn lends_by_branches(tick: &Tick, table: &[u32], rest: &[u32], sum: &mut u32) {
    // HERE lends_by_branches
    let values = if tick.a > 3 { table.first() } else { rest.first() };
    if let Some(value) = values {
        *sum += value;
    }
}
refused!(options_of_references_of_two_memories: lends_by_branches says "choose an index");

#[ring_kernel]
fn calls_a_method(tick: &Tick, sum: &mut u32) {
    *sum += 1;
    // HERE calls_a_method
    *sum += tick.abs();
}
refused!(methods_of_structs: calls_a_method says "`abs` of `Tick` is no function that devices know", "`#[device_impl]`");

#[device_impl]
impl Small {
    fn unwrap_or(&self, other: u32) -> u32 {
        if self.a == 0 { other } else { self.a }
    }
}

#[ring_kernel]
fn unwraps(small: &Small, sum: &mut u32) {
    // HERE unwraps
    *sum += small.unwrap_or(3);
}
refused!(names_of_options: unwraps says "`Small` is neither", "another name");

#[ring_kernel]
fn converts(tick: &Tick, sum: &mut u32) {
    // HERE converts
    let other: Tick = tick.a.into();
    *sum += other.a;
}
refused!(conversions_into_structs: converts says "a conversion into `Tick`");

#[ring_kernel]
fn binds_alternatives(_: &Tick, shape: &Shape, sum: &mut u32) {
    match shape {
        // HERE binds_alternatives
        Shape::Round { size } | Shape::Square { size } => *sum += size,
    }
}
refused!(alternatives_that_bind: binds_alternatives says "arms of their own", "write an arm for each");

#[ring_kernel]
fn reassigns(tick: &Tick, table: &[u32]) {
    let mut at = &table[0];
    if tick.a > 3 {
        // HERE reassigns
        at = &table[1];
    }
    assert!(*at > 3);
}
refused!(references_that_change: reassigns says "a reference to `u32` cannot be assigned to");

#[ring_kernel]
fn chooses_places(tick: &Tick, pair: &mut [u32; 2]) {
    let (low, high) = (0, 1);
    // HERE chooses_places
    let place = if tick.a > 3 { &mut pair[low] } else { &mut pair[high] };
    *place += 1;
}
refused!(references_by_branches: chooses_places says "cannot choose between references", "choose an index");

#[ring_kernel]
#[allow(for_loops_over_fallibles)] // It is what is refused.
fn loops_over_an_option(tick: &Tick, sum: &mut u32) {
    let some = Some(tick.a);
    // HERE loops_over_an_option
    for a in some {
        *sum += a;
    }
}
refused!(loops_over_what_is_no_slice: loops_over_an_option says "not over an `Option`");

#[ring_kernel]
fn chooses(tick: &Tick, table: &[u32], sum: &mut u32) {
    // HERE chooses
    let least = if tick.a > 3 { table.first() } else { table.last() };
    if let Some(least) = least {
        *sum += least;
    }
}
refused!(options_of_references_by_branches: chooses says "choose an index");

#[device_fn]
fn factorial(n: u32) -> u32 {
    // HERE calls_itself
    if n < 2 { 1 } else { n * factorial(n - 1) }
}

#[ring_kernel]
fn calls_itself(tick: &Tick, product: &mut u32) {
    *product = factorial(tick.a);
}
refused!(recursion: calls_itself says "`factorial` calls `factorial`", "write a loop");

#[device_fn]
fn is_even<const N: usize>(n: u32) -> bool {
    n == 0 || Parity::is_odd(n - 1)
}

struct Parity;

#[device_impl]
impl Parity {
    fn is_odd(n: u32) -> bool {
        // HERE calls_in_a_circle
        n != 0 && is_even::<3>(n - 1)
    }
}

#[ring_kernel]
fn calls_in_a_circle(tick: &Tick, even: &mut bool) {
    *even = is_even::<3>(tick.a);
}
refused!(mutual_recursion: calls_in_a_circle
    says "`is_even::<3>` calls `Parity::is_odd` calls `is_even::<3>`", "has no stack that could grow");

#[device_fn]
fn same(a: Tick, b: Tick) -> bool {
    // HERE compares_inside
    a == b
}

#[ring_kernel]
fn compares_inside(tick: &Tick, other: &Tick, equal: &mut bool) {
    *equal = same(*tick, *other);
}
refused!(errors_in_functions: compares_inside says "`==` of `Tick`", "`#[device(eq)]`");

#[ring_kernel(cpu_only)]
// HERE on_the_host
fn on_the_host(tick: &Tick) {
    println!("{}", tick.a);
}
refused!(cpu_only: on_the_host says "`cpu_only`", "launch it on the CPU backend");

#[derive(Clone, Copy)]
#[repr(transparent)]
struct Computed(u32);

// SAFETY: a transparent wrapper of a `u32`.
unsafe impl DeviceType for Computed {
    const DESCRIPTOR: &'static TypeDescriptor = u32::DESCRIPTOR;
}

impl RingMessage for Computed {
    const KEYED: bool = true;

    fn key(&self) -> u64 {
        u64::from(self.0 / 2)
    }
}

#[ring_kernel]
// HERE computes_its_key
fn computes_its_key(_: &Computed) -> Result<(), Failure> {
    Ok(())
}
refused!(computed_keys: computes_its_key says "is computed by code", "#[ring(key)]");

#[test]
fn metal_has_no_f64() {
    let error = refusal::<compares_structs>(Target::Metal);
    assert!(error.contains("`==` of `Tick`"), "{error}");
    #[ring_kernel]
    fn doubles(tick: &Tick, sum: &mut f64) {
        *sum += tick.b;
    }
    assert!(refusal::<doubles>(Target::Metal).contains("target `metal` has no `f64`: use `f32`"));
    assert!(doubles::DEFINITION.handler_source(Target::OpenCl).is_ok());
    // In no variable and no field.
    #[ring_kernel]
    fn doubles_inside(tick: &Small, sum: &mut u32) {
        *sum += (f64::from(tick.a) * 1.5) as u32;
    }
    assert!(refusal::<doubles_inside>(Target::Metal).contains("target `metal` has no `f64`: use `f32`"));
}

#[test]
fn metal_has_no_wide_atomics() {
    #[ring_kernel]
    fn sums_up(tick: &Small, counts: &[AtomicU32], sums: &[AtomicI64]) {
        counts[0].fetch_add(tick.a, Ordering::AcqRel);
        sums[0].fetch_add(1, Ordering::Relaxed);
    }
    let error = refusal::<sums_up>(Target::Metal);
    assert!(error.contains("`sums` has atomics of 64 bits, and target `metal` has none"), "{error}");
    assert!(sums_up::DEFINITION.handler_source(Target::Cuda).is_ok());
}

#[test]
fn metal_has_no_cubic_roots() {
    #[device_fn]
    fn root(x: f32) -> f32 {
        x.cbrt()
    }
    #[ring_kernel]
    fn takes_roots(tick: &Small, sum: &mut f32) {
        *sum += root(tick.a as f32);
    }
    assert!(refusal::<takes_roots>(Target::Metal).contains("has no `hypot` and no `cbrt`: write"));
    assert!(takes_roots::DEFINITION.handler_source(Target::Cuda).is_ok());
}

#[test]
fn targets_have_names() {
    for target in Target::ALL {
        assert_eq!(target.to_string().parse(), Ok(target));
    }
    let error = "vulkan".parse::<Target>().expect_err("there is none");
    assert_eq!(error.to_string(), "there is no target `vulkan`: write `opencl`, `cuda` or `metal`");
}
