//! Kernels that call functions of their own: every kind of parameter, from every kind of memory, with every kind of failure inside.
#![allow(clippy::should_implement_trait, clippy::wrong_self_convention)] // Names that types of the language have too are what is tested.
#![allow(clippy::manual_swap, clippy::manual_is_multiple_of)] // A device has neither.
#![allow(clippy::precedence)] // What binds tighter is tested.

use std::sync::atomic::{AtomicU32, Ordering};

use annulus_macros::{DeviceType, RingMessage, device_fn, device_impl, device_trait, ring_kernel};
use annulus_runtime::prelude::{Cx, Failure, Outbox};

use super::constructs::{Answer, Small};

/// A message with memory of its own.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Batch {
    #[ring(key)]
    pub key: u16,
    pub on: bool,
    pub at: u8,
    pub values: [u32; 6],
    pub point: Point,
}

#[derive(DeviceType, Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Point {
    pub x: i32,
    pub y: i32,
}

#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Ledger {
    pub sums: [u32; 6],
    pub point: Point,
    pub seen: bool,
    pub calls: u32,
}

/// The functions of another module.
pub mod math {
    use annulus_macros::device_fn;

    #[device_fn]
    pub const fn mix(value: u64) -> u64 {
        let value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        value ^ (value >> 31)
    }

    /// Calls another function of this module, and a constant of its own.
    #[device_fn]
    pub fn mix_twice(value: u64) -> u64 {
        const SALT: u64 = 0x9E37_79B9_7F4A_7C15;
        mix(mix(value) ^ SALT)
    }

    /// Of the same name as one of the outer module's.
    #[device_fn]
    pub fn sum(values: &[u32]) -> u32 {
        super::sum(values).wrapping_mul(2)
    }

    /// Wraps, as this crate is built, whoever calls it.
    #[device_fn]
    pub fn wrapped(a: u32, b: u32) -> u32 {
        debug_assert!(a < 7 && b < 7);
        (a + b) * 3 - a.pow(2) << (b % 40)
    }

    /// Fails at zero.
    #[device_fn]
    pub fn quotient(a: u32, b: u32) -> u32 {
        a / b
    }
}

use math::{quotient, wrapped};

#[device_fn]
fn sum(values: &[u32]) -> u32 {
    let mut sum = 0u32;
    for i in 0..values.len() {
        sum = sum.wrapping_add(values[i]);
    }
    sum
}

#[device_fn]
fn sum_of_six(values: &[u32; 6]) -> u32 {
    sum(values).wrapping_add(values.len() as u32)
}

/// A table that functions get by reference.
const PRIMES: [u32; 6] = [2, 3, 5, 7, 11, 13];

/// The same function on the message, the state, a table, a variable and a constant.
#[ring_kernel]
pub fn spaces(batch: &Batch, ledger: &mut Ledger, table: &[u32], answers: &Outbox<Answer>) {
    let mine = [batch.values[0], 1, ledger.calls, 7, 8, 9];
    let words = [
        sum(&batch.values),
        sum(&ledger.sums),
        sum(table),
        sum(&mine),
        sum(&PRIMES),
        math::sum(&mine),
        sum_of_six(&PRIMES).wrapping_add(sum_of_six(&batch.values)),
        sum_of_six(&ledger.sums),
    ];
    ledger.sums = batch.values;
    ledger.calls += 1;
    answers.send(Answer { words, sum: math::mix_twice(words[0].into()) as i64, x: 0.0, on: batch.on });
}

#[device_fn]
fn bump(count: &mut u32, by: u32) -> u32 {
    let before = *count;
    *count = before.wrapping_add(by);
    before
}

#[device_fn]
fn flip(flag: &mut bool) -> bool {
    *flag = !*flag;
    !*flag
}

#[device_fn]
fn exchange(a: &mut u32, b: &mut u32) {
    let kept = *a;
    *a = *b;
    *b = kept;
}

#[device_fn]
fn fill(values: &mut [u32], value: u32) {
    for i in 0..values.len() {
        values[i] = value.wrapping_add(i as u32);
    }
}

#[device_fn]
fn reverse(values: &mut [u32; 6]) {
    for i in 0..3 {
        let kept = values[i];
        values[i] = values[5 - i];
        values[5 - i] = kept;
    }
}

#[device_fn]
fn three(a: u32, b: u32, c: u32) -> u32 {
    a.wrapping_mul(100).wrapping_add(b.wrapping_mul(10)).wrapping_add(c)
}

/// Arguments are evaluated from left to right, and what is changed later is copied before.
#[ring_kernel]
pub fn orders_of_arguments(small: &Small, ledger: &mut Ledger, answers: &Outbox<Answer>) {
    let mut n = u32::from(small.a);
    let mut list = [n, 2, 3, 4, 5, 6];
    let words = [
        three(n, bump(&mut n, 3), n),
        three(bump(&mut n, 1), bump(&mut n, 1), {
            bump(&mut n, 2);
            n
        }),
        n.wrapping_add(bump(&mut n, 5)).wrapping_mul(bump(&mut n, 1)),
        three(
            list[0],
            {
                fill(&mut list, n);
                list[1]
            },
            list[0],
        ),
        bump(&mut list[n as usize % 6], n),
        list[n as usize % 6],
        {
            reverse(&mut list);
            list[0]
        },
        bump(&mut ledger.sums[(small.a % 8) as usize], {
            n = n.wrapping_add(9);
            n
        }),
    ];
    let mut flag = small.on;
    let was = flip(&mut flag);
    let both = flip(&mut ledger.seen) && flip(&mut flag) || flip(&mut flag);
    let mut low = 1;
    let mut high = 2;
    exchange(&mut low, &mut high);
    exchange(&mut ledger.calls, &mut low);
    let point = &mut ledger.point;
    point.x = 3;
    shift(point, Point { x: high as i32, y: 1 });
    answers.send(Answer {
        words,
        sum: i64::from(n) + i64::from(low) * 7 + i64::from(high) * 31,
        x: if flag { 1.0 } else { 0.0 },
        on: was != both,
    });
}

#[device_fn]
fn shift(point: &mut Point, by: Point) {
    point.x = point.x.wrapping_add(by.x);
    point.y = point.y.wrapping_add(by.y);
}

/// Returns early, from inside loops and branches.
#[device_fn]
fn find(values: &[u32], wanted: u32) -> usize {
    for i in 0..values.len() {
        if values[i] == wanted {
            return i;
        }
        if values[i] > 1_000_000 {
            continue;
        }
        let mut k = 0;
        while k < 3 {
            k += 1;
            if values[i].wrapping_add(k) == wanted {
                return i + 100;
            }
        }
    }
    values.len()
}

#[device_fn]
fn checked(values: &[u32; 6], at: usize, by: u32) -> u32 {
    assert!(by != 13, "unlucky");
    quotient(values[at], by)
}

#[device_fn]
fn nothing() {}

#[device_fn]
fn only_if(on: bool, values: &mut [u32]) {
    if !on {
        return;
    }
    values[0] = values[5];
}

#[device_fn]
fn never_even(n: u32) -> u32 {
    match n % 4 {
        0 | 2 => panic!("even: {n}"),
        1 => n,
        _ => unreachable!(),
    }
}

/// Failures inside of calls inside of calls fail the message, after the state has been changed.
#[ring_kernel]
pub fn fails_inside(batch: &Batch, ledger: &mut Ledger, answers: &Outbox<Answer>) -> Result<(), Failure> {
    ledger.calls += 1;
    only_if(batch.on, &mut ledger.sums);
    nothing();
    let found = find(&batch.values, 7);
    let mut words = [found as u32; 8];
    debug_assert_eq!(words[0], 0, "not in this build");
    words[7] = wrapped(batch.values[0], batch.values[1]);
    words[1] = checked(&batch.values, usize::from(batch.at % 8), batch.values[1]);
    if batch.values[2] == 9 {
        return Err(Failure::of(9));
    }
    words[2] = if batch.at > 3 && checked(&ledger.sums, 5, words[1] | 1) > 2 {
        quotient(9, batch.values[3])
    } else {
        4
    };
    if batch.values[4] % 8 < 2 {
        words[3] = never_even(batch.values[4]);
    }
    answers.send(Answer { words, sum: 0, x: 0.0, on: false });
    Ok(())
}

/// A point's functions, among them some that numbers and arrays have too.
#[device_impl]
impl Point {
    const ORIGIN: Self = Self { x: 0, y: 0 };
    const UNIT: i32 = 1;

    fn new(x: i32, y: i32) -> Self {
        Self { x, y }
    }

    fn from(diagonal: i32) -> Self {
        Self::new(diagonal, diagonal)
    }

    fn abs(self) -> Self {
        Self { x: self.x.wrapping_abs(), y: self.y.wrapping_abs() }
    }

    fn min(self, other: Self) -> Self {
        Self { x: self.x.min(other.x), y: self.y.min(other.y) }
    }

    fn len(&self) -> i32 {
        self.x.wrapping_abs().wrapping_add(self.y.wrapping_abs())
    }

    fn add(mut self, other: Self) -> Self {
        self.shift(other);
        self
    }

    fn shift(&mut self, by: Self) {
        shift(self, by);
    }

    /// Calls methods of the same object, some of which change it.
    fn walk(&mut self, steps: u32) -> i32 {
        let before = self.len();
        for step in 0..steps {
            self.shift(Self { x: step as i32, ..Self::ORIGIN });
            if self.is_far() {
                self.clear();
                break;
            }
        }
        self.len().wrapping_sub(before)
    }

    fn is_far(&self) -> bool {
        self.len() > 40 * Self::UNIT || self.len() < 0
    }

    fn clear(&mut self) {
        *self = Self::ORIGIN;
    }

    #[cpu_only]
    pub fn show(&self) -> String {
        format!("({}, {})", self.x, self.y)
    }
}

/// A shape's area, as a trait's function.
#[device_trait]
trait Area {
    fn area(&self) -> u32;

    fn of(width: u8, round: bool) -> Self;
}

#[derive(DeviceType, Clone, Copy, Debug)]
#[repr(u32)]
pub enum Shape {
    Empty,
    Round { radius: u8 },
    Square(u8),
}

#[device_impl]
impl Area for Shape {
    fn area(&self) -> u32 {
        match self {
            Self::Empty => 0,
            Self::Round { radius } => u32::from(*radius) * u32::from(*radius) * 3,
            Self::Square(0) => panic!(),
            Self::Square(side) => u32::from(*side) * u32::from(*side),
        }
    }

    fn of(width: u8, round: bool) -> Self {
        if width == 77 {
            return Self::Empty;
        }
        if round { Self::Round { radius: width } } else { Self::Square(width) }
    }
}

/// Methods and associated functions, on places, values and references.
#[ring_kernel]
pub fn methods(
    batch: &Batch,
    ledger: &mut Ledger,
    origin: &Point,
    points: &[Point],
    answers: &Outbox<Answer>,
) {
    ledger.point.shift(batch.point);
    let far = ledger.point.walk(u32::from(batch.at) % 12);
    let mut here = Point::from(batch.point.x).add(*origin).abs();
    let least = here.min(points[usize::from(batch.at) % 16]).min(Point::new(3, 4));
    here.shift(least);
    let reference = &mut here;
    reference.shift(Point::UNIT_POINT);
    let shape = Shape::of(batch.at, batch.on);
    let words = [
        least.x as u32,
        least.y as u32,
        batch.point.len() as u32,
        origin.abs().len() as u32,
        shape.area(),
        Shape::area(&Shape::of(3, batch.on)),
        <Shape as Area>::of(5, false).area(),
        (batch.values[0].min(5) as usize + batch.values.len()) as u32,
    ];
    // Nothing says of which type these numbers are.
    let mut steps = 1;
    steps = steps.max(4).clamp(2, 6);
    let sum = i64::from(far) + i64::from(here.x) * (steps as i64 - 1) + i64::from(here.y);
    answers.send(Answer { words, sum, x: 0.0, on: ledger.point.is_far() });
}

impl Point {
    const UNIT_POINT: Self = Self { x: Self::UNIT, y: -1 };
}

#[device_fn]
fn largest<T: PartialOrd + Copy, const N: usize>(values: &[T; N], least: T) -> T {
    let mut largest = least;
    for i in 0..N {
        if values[i] > largest {
            largest = values[i];
        }
    }
    largest
}

#[device_fn]
fn limited<T>(value: T, low: T, high: T) -> T
where
    T: PartialOrd,
{
    if value < low {
        return low;
    }
    if value > high { high } else { value }
}

#[device_fn]
fn zeroed<T: Default + Copy, const N: usize>() -> [T; N] {
    [T::default(); N]
}

/// A generic type of a device.
#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Pair<T> {
    pub first: T,
    pub second: T,
}

#[device_impl]
impl<T: Copy + PartialOrd + annulus_kernel::DeviceType> Pair<T> {
    fn ordered(self) -> Self {
        if self.first > self.second { Self { first: self.second, second: self.first } } else { self }
    }

    fn put(&mut self, value: T) {
        self.first = self.second;
        self.second = limited(value, self.first, value);
    }
}

/// Functions and types with parameters: one function of the text for each instance.
#[ring_kernel]
pub fn generic(batch: &Batch, pair: &mut Pair<u32>, answers: &Outbox<Answer>) {
    pair.put(batch.values[0]);
    let mut point = Pair { first: batch.point.x, second: 5 };
    point.put(batch.point.y);
    let point = point.ordered();
    let floats = [0.5, batch.values[1] as f32, -3.0];
    let mut none: [u32; 8] = zeroed();
    none[7] = largest(&batch.values, 9);
    none[6] = zeroed::<u32, 3>()[2];
    none[5] = limited(batch.values[2], 10, 1000);
    none[4] = limited(batch.point.x, -10, point.second) as u32;
    none[3] = pair.ordered().first;
    answers.send(Answer {
        words: none,
        sum: largest(&[i64::from(point.first), i64::from(point.second)], i64::MIN),
        x: largest(&floats, 1.0),
        on: largest(&[batch.on, false], false),
    });
}

#[device_fn]
fn count(counts: &[AtomicU32], at: usize) -> u32 {
    counts[at].fetch_add(1, Ordering::Relaxed)
}

#[device_fn]
fn raise(count: &AtomicU32, to: u32) {
    count.fetch_max(to, Ordering::AcqRel);
}

#[device_fn]
fn report(cx: &Cx, answers: &Outbox<Answer>, word: u32) {
    answers.send(Answer { words: [word; 8], sum: cx.grid_size().into(), x: 1.5, on: true });
}

#[device_fn]
fn report_twice(cx: &Cx, answers: &Outbox<Answer>, word: u32) {
    report(cx, answers, word);
    if word % 5 != 0 {
        report(cx, answers, cx.block_index());
    }
}

/// Functions that use what is the handler's: its context, its outbox, shared memory, memory of the whole kernel.
#[ring_kernel(max_outputs = 3)]
pub fn effects(cx: &Cx, batch: &Batch, counts: &[AtomicU32], answers: &Outbox<Answer>) {
    let before = count(counts, usize::from(batch.at) % 17);
    raise(&counts[usize::from(batch.at) % 5], batch.values[0] % 100);
    report_twice(cx, answers, before);
    if before % 7 == 3 {
        report_twice(cx, answers, 1);
    }
}

/// A message without a key.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Slot {
    pub at: u8,
    pub value: u32,
}

#[device_fn]
fn store(memory: &mut [u32], at: usize, value: u32) {
    memory[at] = value;
    shuffle(memory);
}

#[device_fn]
fn shuffle(memory: &mut [u32]) {
    for i in 1..memory.len() {
        if memory[i - 1] > memory[i] {
            let kept = memory[i];
            memory[i] = memory[i - 1];
            memory[i - 1] = kept;
        }
    }
}

/// Memory of the whole kernel, changed in functions.
#[ring_kernel]
pub fn whole(slot: &Slot, memory: &mut [u32], points: &mut [Point]) {
    store(memory, usize::from(slot.at) % 16, slot.value);
    fill(&mut points_as(slot.value), 1);
    let last = points.len() - 1;
    points[last].shift(Point { x: sum(memory) as i32, y: 1 });
    shift(&mut points[usize::from(slot.at) % 16], Point::new(1, 2));
}

#[device_fn]
fn points_as(value: u32) -> [u32; 3] {
    [value; 3]
}
