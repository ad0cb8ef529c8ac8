//! Functions in every place where a call could be taken for something simpler, and parameters in every form.
#![allow(clippy::trivially_copy_pass_by_ref, clippy::ptr_arg, clippy::let_unit_value, clippy::unit_arg)] // They are what is tested.
#![allow(clippy::needless_return, clippy::diverging_sub_expression, clippy::unused_unit, clippy::manual_swap)]
#![allow(clippy::should_implement_trait, clippy::wrong_self_convention, clippy::if_same_then_else)]
#![allow(
    unused_variables,
    unreachable_code,
    unused_assignments,
    clippy::match_single_binding,
    clippy::too_many_arguments
)]
#![allow(
    clippy::redundant_pattern_matching,
    clippy::single_match,
    clippy::nonminimal_bool,
    clippy::never_loop,
    clippy::manual_is_multiple_of,
    clippy::no_effect,
    path_statements
)]

use annulus_macros::{DeviceType, RingMessage, device_fn, device_impl, ring_kernel};
use annulus_runtime::prelude::{Failure, Outbox};

use super::{
    constructs::{Answer, Small},
    own::{Batch, Ledger, Point, Shape},
};

pub use super::own::math::mix as blend;

#[device_fn]
fn take_apart(
    &Point { x, y: mut second }: &Point,
    Point { x: other, .. }: Point,
    &at: &u8,
    mut on: bool,
) -> i32 {
    second = second.wrapping_add(other);
    invert(&mut on);
    if on { x } else { second.wrapping_mul(i32::from(at)) }
}

#[device_fn]
fn invert(on: &mut bool) {
    *on ^= true;
}

#[device_fn]
fn next(n: &mut u32) -> u32 {
    *n = n.wrapping_add(1);
    *n % 6
}

/// Fails at 13, and is a `bool` otherwise.
#[device_fn]
fn lucky(n: u32) -> bool {
    assert!(n != 13);
    n % 7 == 0
}

#[device_fn]
fn under(int: u32, float: f32, kernel: u32, fn_under: u32, ann_result: u32, rs_code: u32) -> u32 {
    let private = int ^ kernel;
    let sum = private.wrapping_add(float as u32);
    sum ^ fn_under ^ ann_result ^ rs_code
}

#[device_fn]
fn verdict(n: u32) -> Result<(), Failure> {
    match n % 5 {
        0 => Err(Failure::of(7)),
        1 if lucky(n) => Err(failure(n)),
        _ => Ok(()),
    }
}

#[device_fn]
fn failure(n: u32) -> Failure {
    Failure::of(n as u16 % 100 + 1)
}

/// Conditions, guards, ends of loops, indices, fields, both sides of assignments.
#[ring_kernel]
pub fn everywhere(batch: &Batch, ledger: &mut Ledger, answers: &Outbox<Answer>) -> Result<(), Failure> {
    let mut n = batch.values[0] % 50;
    let mut list = [0u32; 6];
    list[next(&mut n) as usize] += next(&mut n) + 1;
    list[next(&mut n) as usize] = {
        list[0] += 5;
        next(&mut n)
    };
    for i in next(&mut n)..next(&mut n) + 2 {
        list[i as usize % 6] += i;
        if lucky(i + n) {
            continue;
        }
    }
    while !lucky(n) && next(&mut n) != 3 {
        list[1] += 1;
    }
    let by_match = match next(&mut n) {
        0 => return verdict(batch.values[1]),
        k if lucky(k + batch.values[2] % 16) => k,
        k if k > 3 => next(&mut list[k as usize]),
        k => {
            let nothing = invert(&mut ledger.seen);
            let () = nothing;
            k + 100
        }
    };
    let mut flag = if batch.on { lucky(batch.values[3] % 20) } else { lucky(n) || n > 3 };
    invert(&mut flag);
    let many = 'outer: loop {
        loop {
            if lucky(next(&mut n)) {
                break 'outer next(&mut n);
            }
            list[2] = list[2].wrapping_add(n);
            if list[2] > 1000 {
                break;
            }
        }
        list[2] = 0;
        if next(&mut n) == 2 {
            break under(1, 2.5, 3, 4, 5, n);
        }
    };
    match verdict(batch.values[4]) {
        Ok(()) => list[3] = 1,
        Err(failure) if failure.code() < 20 => list[3] = failure.code().into(),
        Err(failure) => return Err(failure),
    }
    let _ = next(&mut n);
    next(&mut n);
    let point = Point { y: next(&mut n) as i32, x: next(&mut n) as i32 };
    let apart = take_apart(&batch.point, point, &batch.at, flag);
    let answer = Answer {
        words: [n, by_match, list[0], list[1], list[2], list[3], many, next(&mut n)],
        sum: apart.into(),
        x: if lucky(n) { 1.0 } else { -1.0 },
        on: flag == lucky(n + 1),
    };
    answers.send(answer);
    Ok(())
}

/// A table and a constant of one name in several functions.
#[device_fn]
fn first_table(at: usize) -> u32 {
    const TABLE: [u32; 3] = [1, 2, 3];
    TABLE[at] + LIMITS.x as u32
}

#[device_fn]
fn second_table(at: usize) -> u32 {
    const TABLE: [u32; 3] = [10, 20, 30];
    let same = first_table(at);
    TABLE[at] + same
}

#[device_fn]
fn third_table(table: u32) -> u32 {
    const TABLE: [u32; 3] = [1, 2, 3];
    let limits = LIMITS;
    read(&TABLE, &LIMITS) + limits.y as u32 + table
}

#[device_fn]
pub(super) fn read(table: &[u32], point: &Point) -> u32 {
    let mut sum = 0;
    for i in 0..table.len() {
        sum += table[i] * point.x as u32;
    }
    sum
}

pub(super) const LIMITS: Point = Point { x: 5, y: 7 };

#[device_fn]
fn constants(table_: u32, at: usize) -> u32 {
    let limits_ = table_ + 1;
    let changed = &mut { LIMITS };
    changed.x += 1;
    first_table(at) * 100 + second_table(at) * 10 + third_table(limits_) + changed.x as u32
}

/// Enums, memory inside memory, flags in memory.
#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Deep {
    pub rows: [[u16; 3]; 2],
    pub flags: [bool; 4],
    pub points: [Point; 2],
    pub nothing: [u32; 0],
    pub small: u8,
}

#[device_fn]
fn sum_of_rows(rows: &[[u16; 3]]) -> u16 {
    let mut sum = 0u16;
    for i in 0..rows.len() {
        sum = sum.wrapping_add(sum_of_row(&rows[i]));
    }
    sum
}

#[device_fn]
fn sum_of_row(row: &[u16]) -> u16 {
    row[0].wrapping_add(row[row.len() - 1])
}

#[device_fn]
fn set(row: &mut [u16; 3], at: usize, value: u16) -> Option2 {
    let before = row[at];
    row[at] = value;
    if before == 0 { Option2::None } else { Option2::Some { value: before, seen: true } }
}

/// What there may be.
#[derive(DeviceType, Clone, Copy, Debug)]
#[repr(u8)]
pub enum Option2 {
    None,
    Some { value: u16, seen: bool },
}

#[device_impl]
impl Option2 {
    fn or(self, other: u16) -> u16 {
        match self {
            Self::None => other,
            Self::Some { value, seen } => {
                if !seen {
                    return 0;
                }
                value
            }
        }
    }

    fn len(&self) -> usize {
        if let Self::Some { .. } = self { 1 } else { 0 }
    }

    fn swap(&mut self, other: &mut Self) {
        let kept = *self;
        *self = *other;
        *other = kept;
    }

    fn grow(&mut self) -> bool {
        if let Self::Some { value, seen } = self {
            bump_16(value);
            invert(seen);
            return *seen;
        }
        *self = Self::Some { value: 1, seen: true };
        false
    }
}

#[device_fn]
fn bump_16(value: &mut u16) {
    *value = value.wrapping_add(1);
}

#[device_fn]
fn bump_8(value: &mut u8, by: u8) -> u8 {
    *value = value.wrapping_add(by);
    *value
}

#[device_fn]
fn count_of(flags: &[bool]) -> u32 {
    let mut count = 0;
    for i in 0..flags.len() {
        if flags[i] {
            count += 1;
        }
    }
    count
}

#[device_fn]
fn of_nothing(nothing: &[u32; 0], unit: (), empty: &[u32]) -> u32 {
    unit;
    (nothing.len() + empty.len()) as u32
}

#[device_fn]
fn both_ends(points: &mut [Point; 2]) -> i32 {
    let last = &mut points[1];
    last.y = 3;
    grown(last).wrapping_add(points[0].x)
}

#[device_fn]
fn grown(point: &mut Point) -> i32 {
    grown_by(point, &mut 3)
}

#[device_fn]
fn grown_by(point: &mut Point, by: &mut i32) -> i32 {
    *by += 1;
    point.x = point.x.wrapping_add(*by);
    point.x
}

#[ring_kernel]
pub fn deep(small: &Small, deep: &mut Deep, defaults: &Deep, answers: &Outbox<Answer>) {
    let at = usize::from(small.a);
    let mut option = set(&mut deep.rows[at % 3], at % 4, small.key);
    let mut other = set(&mut deep.rows[0], 1, small.key);
    let lens = option.len() + other.len();
    option.swap(&mut other);
    let grown = option.grow();
    let again = option.grow() && other.grow();
    invert(&mut deep.flags[at % 4]);
    let words = [
        sum_of_rows(&deep.rows).into(),
        sum_of_rows(&defaults.rows).into(),
        count_of(&deep.flags) * 10 + count_of(&defaults.flags) + count_of(&[true, false, small.on]),
        u32::from(option.or(3)) + u32::from(set(&mut [1, 2, 3], 1, 5).or(8)),
        of_nothing(&deep.nothing, (), &[])
            + of_nothing(&defaults.nothing, invert(&mut deep.flags[0]), &[1, 2]),
        bump_8(&mut deep.small, small.a).into(),
        constants(2, at % 3),
        lens as u32,
    ];
    let sum = both_ends(&mut deep.points).wrapping_add(i32::from(other.or(2)));
    answers.send(Answer { words, sum: sum.into(), x: 0.0, on: grown != again });
}

/// The message itself has functions.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Order {
    #[ring(key)]
    pub account: u16,
    pub shape: u8,
    pub price: i32,
    pub amounts: [u16; 4],
}

#[device_impl]
impl Order {
    const FEES: [i32; 3] = [1, 10, 100];

    fn total(&self) -> i64 {
        let mut total = 0;
        for i in 0..self.amounts.len() {
            total += i64::from(self.amounts[i]) * i64::from(self.price);
        }
        total + i64::from(self.fee())
    }

    fn fee(&self) -> i32 {
        Self::FEES[usize::from(self.shape) % 4]
    }

    fn cheaper(mut self, by: i32) -> Self {
        self.price = self.price.wrapping_sub(by);
        self
    }

    fn min(&self, other: &Self) -> Self {
        if self.total() < other.total() { *self } else { *other }
    }

    fn load(&mut self, at: usize) -> u16 {
        self.amounts[at] = self.amounts[at].wrapping_add(1);
        self.amounts[at]
    }
}

/// Chains of methods, on messages, states, parameters and values.
#[ring_kernel]
pub fn chains(order: &Order, best: &mut Best, limit: &Order, answers: &Outbox<Answer>) {
    let cheap = order.cheaper(3).min(limit).cheaper(1);
    let mut kept = best.order();
    let loaded = kept.load(usize::from(order.shape) % 5);
    best.keep(&cheap.min(order)).keep_not();
    best.count = best.count.max(loaded.into());
    best.step(Best::ONE);
    let total =
        cheap.total() + (*limit).total() + kept.min(&order.cheaper(-5)).total() + best.order().total();
    let words = [loaded.into(), best.count, cheap.fee() as u32, blend(best.count.into()) as u32, 0, 0, 0, 0];
    answers.send(Answer { words, sum: total, x: 0.0, on: best.is_kept });
}

#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Best {
    pub price: i32,
    pub count: u32,
    pub is_kept: bool,
}

#[device_impl]
impl Best {
    const ONE: u32 = 1;

    fn keep(&mut self, order: &Order) -> Self {
        if order.price < self.price || !self.is_kept {
            self.price = order.price;
            self.is_kept = true;
        }
        *self
    }

    /// Changes a copy.
    fn keep_not(mut self) {
        self.is_kept = false;
    }

    fn order(&self) -> Order {
        Order { account: 0, shape: 1, price: self.price, amounts: [self.count as u16; 4] }
    }

    fn step(&mut self, by: u32) {
        self.count = self.count.wrapping_add(by);
        if self.is_kept {
            return;
        }
        self.count = 0;
    }
}

/// Loops in functions spend the handler's budget.
#[device_fn]
fn spend(turns: u32) -> u32 {
    let mut left = turns;
    while left != 0 {
        left -= 1;
    }
    turns
}

#[ring_kernel(loop_budget = 100)]
pub fn spends(small: &Small, spent: &mut u32) {
    let mut i = 0;
    while i < 2 {
        i += 1;
        *spent = spend(u32::from(small.a)) + spent.wrapping_mul(0);
    }
}

/// Shapes by value and by reference, out of functions that return early in the middle of values.
#[device_fn]
fn shape_of(batch: &Batch, at: usize) -> Shape {
    let side = match batch.values[at] % 4 {
        0 => return Shape::Empty,
        1 => {
            if batch.on {
                return Shape::Square(7);
            }
            3
        }
        n => n as u8,
    };
    Shape::Round { radius: side }
}

#[device_fn]
fn number(shape: &Shape) -> u32 {
    match *shape {
        Shape::Empty => 1,
        Shape::Round { radius } => radius.into(),
        Shape::Square(side) => u32::from(side) + 100,
    }
}

#[device_fn]
fn bigger(a: Shape, b: Shape) -> Shape {
    if number(&a) > number(&b) { a } else { b }
}

#[ring_kernel]
pub fn shapes(batch: &Batch, ledger: &mut Ledger, answers: &Outbox<Answer>) {
    let shape =
        bigger(shape_of(batch, 0), bigger(shape_of(batch, 1), shape_of(batch, usize::from(batch.at) % 7)));
    let words = [number(&shape), number(&shape_of(batch, 2)), 0, 0, 0, 0, 0, 0];
    ledger.calls = ledger.calls.wrapping_add(words[0]);
    answers.send(Answer { words, sum: 0, x: 0.0, on: false });
}

/// Parts of slices are handed over, and `?` ends functions.
#[device_fn]
fn sum_of(values: &[u32]) -> u32 {
    let mut sum = 0u32;
    for value in values {
        sum = sum.wrapping_add(*value);
    }
    sum
}

#[device_fn]
pub(super) fn doubled(values: &mut [u32]) {
    for value in values.iter_mut() {
        *value = value.wrapping_mul(2);
    }
}

#[device_fn]
fn spread(values: &[u32]) -> Option<u32> {
    let (first, last) = (values.first()?, values.last()?);
    last.checked_sub(*first)
}

#[device_fn]
fn narrow(value: u32) -> Result<u8, u16> {
    if value < 256 { Ok(value as u8) } else { Err((value >> 8) as u16) }
}

/// The error gets wider on its way.
#[device_fn]
fn both(a: u32, b: u32) -> Result<(u8, u8), u32> {
    let low = narrow(a)?;
    Ok((low, narrow(b)?))
}

#[device_fn]
fn checked(a: u32) -> Result<u32, Failure> {
    verdict(a)?;
    Ok(a / 2)
}

#[ring_kernel]
pub fn parts(batch: &Batch, ledger: &mut Ledger, answers: &Outbox<Answer>) -> Result<(), Failure> {
    let mut values = [0u32; 8];
    for (i, value) in values.iter_mut().enumerate() {
        *value = batch.values[i % batch.values.len()] >> i;
    }
    let at = usize::from(batch.at) % 9;
    doubled(&mut values[at / 2..]);
    let (low, high) = values.split_at_mut(at);
    doubled(high);
    let words = [
        sum_of(low),
        sum_of(&values[..at]),
        spread(&values[at..]).unwrap_or(77),
        spread(&batch.values[1..4]).unwrap_or(1),
        match both(batch.values[0] % 300, batch.values[1] % 300) {
            Ok((a, b)) => u32::from(a) * 256 + u32::from(b),
            Err(error) => error + 100_000,
        },
        sum_of(&values),
        sum_of(&[]),
        checked(batch.values[2] % 64)?,
    ];
    ledger.calls = ledger.calls.wrapping_add(words[4]);
    answers.send(Answer { words, sum: 0, x: 0.0, on: spread(&[]).is_none() });
    Ok(())
}
