//! What only the types show to be beyond a device: lowering refuses it, with the line and what to write
//! instead.

extern crate annulus_runtime as annulus;

use std::sync::atomic::AtomicI64;

use annulus_conformance::kernels::order::fenced;
use annulus_kernel::{DeviceType, Message, RingKernel, RingMessage, Target, TypeDescriptor};
use annulus_macros::{
    DeviceType, ErrorCode, RingMessage, device_fn, device_impl, device_trait, device_type, ring_kernel,
};
use annulus_runtime::prelude::{Block, BlockCx, Cx, Failure, FenceScope, List};
use annulus_sync::{AtomicU32, Ordering};

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

#[ring_kernel(untested)]
fn compares_structs(tick: &Tick, other: &Tick) {
    // HERE compares_structs
    if *tick == *other {
        panic!();
    }
}
refused!(equality_of_structs: compares_structs says "`==` of `Tick` may be any function of yours", "write `#[device_type]` above its `derive`");

#[ring_kernel(untested)]
fn orders_structs(tick: &Tick, other: &Tick) {
    // HERE orders_structs
    if *tick < *other {
        panic!();
    }
}
refused!(operators_of_structs: orders_structs says "`<` of `Tick` may be any function of yours", "write `#[device_type]` above its `derive`");

#[device_type]
#[derive(DeviceType, Clone, Copy, PartialEq)]
#[repr(C)]
struct Named {
    number: u32,
    tick: Tick,
}

#[ring_kernel(untested)]
fn compares_fields(_: &Small, a: &Named, b: &Named) {
    // HERE compares_fields
    if *a == *b {
        panic!();
    }
}
refused!(equality_of_fields: compares_fields says "`==` of `Named` asks its field `tick`", "compare the others");

/// In an order of its own.
#[derive(DeviceType, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
struct Backwards(u32);

#[device_impl]
impl Ord for Backwards {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.0.cmp(&self.0)
    }
}

impl PartialOrd for Backwards {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

#[ring_kernel(untested)]
fn sorts_own(small: &Small) {
    let mut both = [Backwards(small.a), Backwards(3)];
    // HERE sorts_own
    both.sort();
    assert!(both[0].0 > 3);
}
refused!(orders_of_ones_own: sorts_own says "`sort` of `Backwards` asks for an order that is derived", "write `#[device_type]` above its `derive`, or `sort_by(|a, b| a.cmp(b))`");

#[ring_kernel(untested)]
fn least_own(small: &Small) {
    let both = [Backwards(small.a), Backwards(3)];
    // HERE least_own
    let least = both.iter().min();
    assert!(least.is_some());
}
refused!(least_by_an_order_of_ones_own: least_own says "`min` of `Backwards`", "`min_by(|a, b| a.cmp(b))`");

#[ring_kernel(untested)]
fn sorts_tables(small: &Small, table: &mut [u32]) {
    // HERE sorts_tables
    table.sort();
    assert!(table[0] > small.a);
}
refused!(bound_memory_is_not_sorted: sorts_tables says "arrays of 64 elements at most");

/// Its `PartialOrd` and `max` are its own, though its `PartialEq` and `Ord` are derived.
#[device_type]
#[derive(DeviceType, Clone, Copy, PartialEq, Eq, Ord)]
#[repr(C)]
#[allow(clippy::derive_ord_xor_partial_ord)] // That is what is tested.
struct Odd {
    number: u32,
}

#[allow(clippy::non_canonical_partial_ord_impl)] // That is what is tested.
impl PartialOrd for Odd {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(other.number.cmp(&self.number))
    }
}

impl PartialEq<Small> for Odd {
    fn eq(&self, other: &Small) -> bool {
        self.number != other.a
    }
}

/// A comparison of its own between a reference and a value, beside the derived one.
impl PartialEq<Odd> for &Odd {
    fn eq(&self, other: &Odd) -> bool {
        self.number > other.number
    }
}

#[ring_kernel(untested)]
fn compares_with_a_reference(_: &Small, a: &Odd, b: &Odd, both: &mut [u32]) {
    if a == b {
        both[0] += 1;
    }
    if a == *b {
        both[0] += 1;
    }
}

#[test]
fn comparisons_with_references() {
    let error = refusal::<compares_with_a_reference>(Target::OpenCl);
    assert!(error.contains("a comparison of a value with a reference"), "{error}");
}

impl Odd {
    fn max(self, other: Self) -> Self {
        if self.number < other.number { self } else { other }
    }
}

#[ring_kernel(untested)]
fn orders_odd(_: &Small, a: &Odd, b: &Odd) {
    // HERE orders_odd
    if *a < *b {
        panic!();
    }
}
refused!(order_by_hand: orders_odd says "`<` of `Odd` may be any function of yours", "`#[device_impl]` before its `impl PartialOrd`");

#[ring_kernel(untested)]
fn chooses_odd(_: &Small, a: &Odd, b: &Odd) {
    // HERE chooses_odd
    if (*a).max(*b).number == 3 {
        panic!();
    }
}
refused!(methods_named_as_those_of_ord: chooses_odd says "`max` of `Odd` may be a function of its own", "`std::cmp::max(a, b)`");

#[ring_kernel(untested)]
fn compares_two_types(small: &Small, odd: &Odd) {
    // HERE compares_two_types
    if *odd == *small {
        panic!();
    }
}
refused!(equality_of_two_types: compares_two_types says "a comparison of `Odd` with `Small` is a function of yours");

impl std::ops::Add for Tick {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { a: self.a + other.a, b: self.b + other.b }
    }
}

/// Of its codes, two are equal.
#[derive(ErrorCode, Clone, Copy)]
enum Alike {
    Red = 1,
    Rosy = 2,
    Blue = 3,
}

impl PartialEq for Alike {
    fn eq(&self, other: &Self) -> bool {
        matches!(self, Self::Blue) == matches!(other, Self::Blue)
    }
}

#[derive(ErrorCode, Clone, Copy)]
enum Other {
    First = 1,
}

impl From<Alike> for Other {
    fn from(_: Alike) -> Self {
        Self::First
    }
}

impl From<Failure> for Other {
    fn from(_: Failure) -> Self {
        Self::First
    }
}

#[device_fn]
fn is_blue(tick: &Tick) -> Result<(), Alike> {
    match tick.a {
        0..9 => Err(Alike::Red),
        9 => Err(Alike::Rosy),
        _ => Ok(()),
    }
}

#[ring_kernel(untested)]
fn compares_codes(tick: &Tick, sum: &mut u32) {
    if let Err(refusal) = is_blue(tick) {
        *sum += u32::from(refusal == Alike::Red);
    }
}

#[ring_kernel(untested)]
fn converts_codes(tick: &Tick) -> Result<(), Other> {
    is_blue(tick)?;
    Ok(())
}

#[ring_kernel(untested)]
fn converts_failures(tick: &Tick) -> Result<(), Other> {
    if tick.a == 3 {
        return Err(Failure::of(3).into());
    }
    Ok(())
}

#[test]
fn error_codes_with_functions_of_their_own() {
    let error = refusal::<compares_codes>(Target::OpenCl);
    assert!(error.contains("their `==` says something else: derive `PartialEq`"), "{error}");
    for error in [refusal::<converts_codes>(Target::OpenCl), refusal::<converts_failures>(Target::OpenCl)] {
        assert!(error.contains("write `#[device_impl]` before its `impl From<…>`"), "{error}");
    }
}

#[ring_kernel(untested)]
fn adds_structs(tick: &Tick, sum: &mut u32) {
    // HERE adds_structs
    let twice = *tick + *tick;
    *sum += twice.a;
}
refused!(operators_of_the_users: adds_structs says "an operator of `Tick`", "write `#[device_impl]` before its `impl`");

#[ring_kernel(untested)]
fn lends_by_branches(tick: &Tick, table: &[u32], rest: &[u32], sum: &mut u32) {
    // HERE lends_by_branches
    let values = if tick.a > 3 { &table[..1] } else { rest };
    for value in values {
        *sum += value;
    }
}
refused!(slices_of_two_memories: lends_by_branches says "choose an index");

#[ring_kernel(untested)]
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

#[derive(DeviceType, Clone, Copy)]
#[repr(C)]
struct Kept {
    numbers: [u32; 4],
}

impl Kept {
    fn retain(&mut self, keep: impl Fn(&u32) -> bool) {
        for number in &mut self.numbers {
            *number *= u32::from(keep(number));
        }
    }
}

#[ring_kernel(untested)]
fn retains(small: &Small, kept: &mut [u32; 4]) {
    let mut all = Kept { numbers: *kept };
    // HERE retains
    all.retain(|number| *number > small.a);
    *kept = all.numbers;
}
refused!(closures_of_own_methods: retains says "`retain` of `Kept` is a function of yours that takes a closure", "write its loop here");

trait Later {
    fn then(self, f: impl Fn() -> u32) -> Option<u32>;
}

impl Later for u32 {
    fn then(self, f: impl Fn() -> u32) -> Option<u32> {
        Some(self + f())
    }
}

#[ring_kernel(untested)]
fn goes_on(small: &Small, sum: &mut u32) {
    // HERE goes_on
    *sum += small.a.then(|| 3).unwrap_or(1);
}
refused!(methods_of_numbers_with_closures: goes_on says "a closure stands where a method calls it");

#[ring_kernel(untested)]
fn lends_a_list(small: &Small, list: &mut List<u32, 4>, sum: &mut [u32]) {
    let _ = list.push(small.a);
    // HERE lends_a_list
    let values = &**list;
    sum[0] += values[0];
}
refused!(lists_behind_a_star: lends_a_list says "write `list.as_slice()` instead of `*list`");

#[ring_kernel(untested)]
fn unwraps(small: &Small, sum: &mut u32) {
    // HERE unwraps
    *sum += small.unwrap_or(3);
}
refused!(names_of_options: unwraps says "`Small` is neither", "another name");

#[ring_kernel(untested)]
fn converts(tick: &Tick, sum: &mut u32) {
    // HERE converts
    let other: Tick = tick.a.into();
    *sum += other.a;
}
refused!(conversions_into_structs: converts says "a conversion into `Tick`");

#[ring_kernel(untested)]
fn reassigns(tick: &Tick, table: &[u32]) {
    let mut at = &table[0];
    if tick.a > 3 {
        // HERE reassigns
        at = &table[1];
    }
    assert!(*at > 3);
}
refused!(references_that_change: reassigns says "a reference to `u32` cannot be assigned to");

#[ring_kernel(untested)]
fn chooses_places(tick: &Tick, pair: &mut [u32; 2]) {
    let mut other = 0;
    // HERE chooses_places
    let place = if tick.a > 3 { &mut pair[0] } else { &mut other };
    *place += 1;
}
refused!(references_by_branches: chooses_places says "cannot choose between references", "choose an index");

#[ring_kernel(untested)]
#[allow(for_loops_over_fallibles)] // It is what is refused.
fn loops_over_an_option(tick: &Tick, sum: &mut u32) {
    let some = Some(tick.a);
    // HERE loops_over_an_option
    for a in some {
        *sum += a;
    }
}
refused!(loops_over_what_is_no_slice: loops_over_an_option says "not over an `Option`");

#[device_fn]
fn factorial(n: u32) -> u32 {
    // HERE calls_itself
    if n < 2 { 1 } else { n * self::factorial(n - 1) }
}

#[ring_kernel(untested)]
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

#[ring_kernel(untested)]
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

#[ring_kernel(untested)]
fn compares_inside(tick: &Tick, other: &Tick, equal: &mut bool) {
    *equal = same(*tick, *other);
}
refused!(errors_in_functions: compares_inside says "`==` of `Tick`", "`#[device_type]`");

#[derive(DeviceType, Clone, Copy)]
#[repr(u32)]
#[allow(dead_code)] // Nobody makes one.
enum Wrong {
    Late,
}

impl From<Wrong> for Failure {
    fn from(_: Wrong) -> Self {
        Self::of(1)
    }
}

#[device_fn]
fn in_time(time: u32) -> Result<u32, Wrong> {
    if time > 9 { Err(Wrong::Late) } else { Ok(time) }
}

#[ring_kernel(untested)]
fn converts_errors(tick: &Tick, sum: &mut u32) -> Result<(), Failure> {
    // HERE converts_errors
    *sum += in_time(tick.a)?;
    Ok(())
}
refused!(errors_of_own_types: converts_errors says "this is `Wrong`", "write `#[device_impl]` before its `impl From<…> for Failure`");

#[device_trait]
trait Weighed {
    #[cpu_only]
    // HERE asks_the_host
    fn weight(&self) -> u32 {
        1
    }

    fn twice(&self) -> u32 {
        self.weight() * 2
    }
}

#[device_impl]
impl Weighed for Small {}

#[ring_kernel(untested)]
fn asks_the_host(small: &Small, sum: &mut u32) {
    *sum += small.twice();
}
refused!(functions_of_traits_for_the_host: asks_the_host says "`Weighed::weight` is called for a device, and is the host's");

#[ring_kernel(untested)]
#[allow(clippy::map_identity)]
fn finds_to_change(tick: &Tick, values: &mut [u32; 4]) {
    // HERE finds_to_change
    if let Some(value) = values.iter_mut().map(|value| value).find(|value| **value > tick.a) {
        *value = 0;
    }
}
refused!(references_that_change_out_of_iterators: finds_to_change says "gives no `&mut`", "write `position`");

#[ring_kernel(untested)]
fn skips_behind(tick: &Tick, sum: &mut u32) {
    // HERE skips_behind
    *sum += [tick.a, 2, 3].iter().map(|a| a / 2).step_by(2).sum::<u32>();
}
refused!(adapters_behind_closures: skips_behind says "no `step_by` behind or with closures", "write it before `map`");

#[ring_kernel(untested)]
fn sorts_much(tick: &Tick, sum: &mut u32) {
    let mut values = [tick.a; 65];
    // HERE sorts_much
    values.sort_unstable();
    *sum += values[1];
}
refused!(sorting_of_long_arrays: sorts_much says "sorts arrays of 64 elements at most");

/// On the CPU a launch says the same as on a device, and every time.
#[test]
fn launches_say_so_on_every_backend() {
    use annulus_runtime::{LaunchError, LaunchOptions, Noop, Runtime};
    let expected =
        adds_structs::DEFINITION.handler_source(Target::OpenCl).expect_err("a device cannot do this");
    for runtime in [
        Runtime::builder().backend(Noop).build().expect("it needs nothing"),
        Runtime::builder().backend(annulus_cpu::Cpu::new()).build().expect("it needs nothing"),
    ] {
        for _ in 0..2 {
            let error =
                adds_structs::launch(&runtime, LaunchOptions::production()).expect_err("it is refused");
            assert_eq!(error, LaunchError::Handler(expected.clone()));
            assert!(error.to_string().contains("an operator of `Tick`"), "{error}");
            assert!(error.to_string().contains("`#[ring_kernel(cpu_only)]`"), "{error}");
        }
        on_the_host::launch(&runtime, LaunchOptions::production()).expect("it stays on the host");
    }
}

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

impl Message for Computed {
    const KEYED: bool = true;

    fn key(&self) -> u64 {
        u64::from(self.0 / 2)
    }
}

impl RingMessage for Computed {}

#[ring_kernel(untested)]
// HERE computes_its_key
fn computes_its_key(_: &Computed) -> Result<(), Failure> {
    Ok(())
}
refused!(computed_keys: computes_its_key says "is computed by code", "#[ring(key)]");

#[test]
fn metal_has_no_f64() {
    let error = refusal::<compares_structs>(Target::Metal);
    assert!(error.contains("`==` of `Tick`"), "{error}");
    #[ring_kernel(untested)]
    fn doubles(tick: &Tick, sum: &mut f64) {
        *sum += tick.b;
    }
    assert!(refusal::<doubles>(Target::Metal).contains("target `metal` has no `f64`: use `f32`"));
    assert!(doubles::DEFINITION.handler_source(Target::OpenCl).is_ok());
    // In no variable and no field.
    #[ring_kernel(untested)]
    fn doubles_inside(tick: &Small, sum: &mut u32) {
        *sum += (f64::from(tick.a) * 1.5) as u32;
    }
    assert!(refusal::<doubles_inside>(Target::Metal).contains("target `metal` has no `f64`: use `f32`"));
}

#[test]
fn metal_has_no_wide_atomics() {
    #[ring_kernel(untested)]
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
    #[ring_kernel(untested)]
    fn takes_roots(tick: &Small, sum: &mut f32) {
        *sum += root(tick.a as f32);
    }
    assert!(
        refusal::<takes_roots>(Target::Metal).contains("has no `hypot`, `cbrt`, `exp_m1` and `ln_1p`: write")
    );
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

#[ring_kernel(untested)]
fn fences_by_a_variable(cx: &Cx, small: &Small) {
    let scope = if small.a == 0 { FenceScope::Block } else { FenceScope::Device };
    // HERE fences_by_a_variable
    cx.fence(scope);
}
refused!(b03_scopes_that_are_not_written: fences_by_a_variable says "write the fence's scope here, as `FenceScope::Device`");

#[ring_kernel]
fn fences_the_system(cx: &Cx, _: &Small) {
    cx.fence(FenceScope::System);
}

/// B-03: Metal orders memory for one device; where a wider fence is asked for, nothing narrower is written.
#[test]
fn b03_metal_has_no_fence_for_the_system() {
    let error = refusal::<fences_the_system>(Target::Metal);
    assert!(error.contains("for one device and no further: write `FenceScope::Device`"), "{error}");
    for target in [Target::OpenCl, Target::Cuda] {
        let text = fences_the_system::DEFINITION.handler_source(target).unwrap();
        assert!(text.contains("    rs_fence_system();"), "{text}");
    }
    let text = fenced::DEFINITION.handler_source(Target::Metal).unwrap();
    assert!(text.contains("    rs_fence_block();") && text.contains("    rs_fence_device();"), "{text}");
}

#[derive(DeviceType, Clone, Copy, Default)]
#[repr(C)]
struct Rounds {
    left: u32,
}

#[ring_kernel(untested)]
fn loops_by_the_state(cx: &BlockCx, _: &Small, rounds: &Block<Rounds>) {
    let left = rounds.get().left;
    let most = left + 1;
    for _ in 0..most {
        cx.barrier();
    }
}

#[ring_kernel(untested)]
fn loops_by_the_thread(cx: &BlockCx, small: &Small) {
    let most = small.a + cx.thread_index();
    for _ in 0..most {
        cx.barrier();
    }
}

#[ring_kernel(untested)]
fn loops_by_a_quotient(cx: &BlockCx, small: &Small) {
    for _ in 0..small.a / small.a.count_ones() {
        cx.barrier();
    }
}

/// B-06: what is not the same in all threads is named.
#[test]
fn b06_bounds_that_differ_between_threads() {
    for (error, part) in [
        (refusal::<loops_by_the_state>(Target::OpenCl), "the state is not seen to be"),
        (refusal::<loops_by_the_thread>(Target::OpenCl), "`cx.thread_index()` is not seen to be"),
        (refusal::<loops_by_a_quotient>(Target::OpenCl), "a division, by what may be 0, is not seen to be"),
    ] {
        assert!(
            error.contains("the bounds of a loop around a barrier are the same in all threads"),
            "{error}"
        );
        assert!(error.contains(part), "`{part}` is not in: {error}");
    }
}

#[derive(RingMessage, Clone, Copy)]
#[repr(C)]
struct Several {
    values: [i32; 4],
}

#[ring_kernel(untested)]
fn moves_a_slice(several: &Several, values: &[i32], sum: &mut i32) {
    let mut rest = &several.values[1..];
    if values.len() > rest.len() {
        // HERE moves_a_slice
        rest = values;
    }
    *sum += rest[0];
}
refused!(slices_that_move_to_another_memory: moves_a_slice says "a variable that is a slice stays in one array", "choose an index");
