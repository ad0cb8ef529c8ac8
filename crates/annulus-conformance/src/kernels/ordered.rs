//! Values of own types in order: `<`, `cmp`, `max` and their kin, by derives and by impls of the user's.
#![allow(clippy::too_many_lines, clippy::eq_op, clippy::non_canonical_partial_ord_impl)] // They are what is tested.

use std::cmp::Ordering;

use annulus_macros::{DeviceType, RingMessage, device_fn, device_impl, device_type, ring_kernel};
use annulus_runtime::prelude::{Failure, Outbox};

use super::constructs::Answer;

#[device_type]
#[derive(DeviceType, Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(C)]
pub struct Version {
    pub major: i8,
    pub pre: bool,
    pub parts: [u16; 3],
}

/// Its discriminants are in another order than its variants, and some are below zero.
#[device_type]
#[derive(DeviceType, Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(i16)]
pub enum Rank {
    #[default]
    Last = 7,
    Between(Version, u8) = -2,
    Other {
        wide: u64,
        small: i8,
    },
    First = -300,
}

/// Floats have a partial order only.
#[device_type]
#[derive(DeviceType, Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
#[repr(C)]
pub struct Point {
    pub x: f32,
    pub y: f32,
    pub rank: u8,
}

#[device_type]
#[derive(DeviceType, Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(C)]
pub struct Empty;

#[device_type]
#[derive(DeviceType, Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(C)]
pub struct Both<T>(pub T, pub Empty, pub [T; 2]);

/// In the order of what it leaves when divided by ten.
#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Digit(pub u32);

#[device_impl]
impl PartialEq for Digit {
    fn eq(&self, other: &Self) -> bool {
        self.0 % 10 == other.0 % 10
    }
}

impl Eq for Digit {}

#[device_impl]
impl PartialOrd for Digit {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        if self.0 == 77 || other.0 == 77 {
            return None;
        }
        Some((self.0 % 10).cmp(&(other.0 % 10)))
    }
}

#[device_impl]
impl Ord for Digit {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.0 % 10).cmp(&(other.0 % 10))
    }

    fn max(self, other: Self) -> Self {
        if self.0 > other.0 { self } else { other }
    }
}

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Ranked {
    #[ring(key)]
    pub key: u32,
    pub versions: [Version; 3],
    pub ranks: [Rank; 3],
    pub points: [Point; 2],
    pub both: [Both<i16>; 2],
    pub digits: [Digit; 2],
    pub order: Ordering,
    pub number: i32,
    pub float: f64,
}

#[device_fn]
fn word(order: Ordering) -> u32 {
    match order {
        Ordering::Less => 1,
        Ordering::Equal => 2,
        Ordering::Greater => 3,
    }
}

#[device_fn]
fn perhaps(order: Option<Ordering>) -> u32 {
    match order {
        Some(order) => word(order),
        None => 0,
    }
}

/// All comparisons of two values at once.
#[device_fn]
fn comparisons<T: Copy + PartialOrd>(a: T, b: T) -> u32 {
    u32::from(a < b)
        | u32::from(a <= b) << 1
        | u32::from(a > b) << 2
        | u32::from(a >= b) << 3
        | u32::from(a == b) << 4
}

/// `<` and its kin of structs, enums, arrays, options and what is put together of them.
#[ring_kernel]
pub fn order_values(ranked: &Ranked, largest: &mut Rank, answers: &Outbox<Answer>) {
    let mut words = [0u32; 8];
    let [a, b, c] = [ranked.versions[0], ranked.versions[1], ranked.versions[2]];
    let mut near = a;
    near.parts[2] = b.parts[2];
    words[0] =
        comparisons(a, b) | comparisons(a, near) << 5 | comparisons(near, a) << 10 | comparisons(a, a) << 15;
    words[1] = comparisons(ranked.ranks[0], ranked.ranks[1])
        | comparisons(ranked.ranks[1], Rank::Between(near, 3)) << 5
        | comparisons(Rank::Between(a, 3), Rank::Between(near, 3)) << 10
        | comparisons(Rank::Other { wide: 4, small: ranked.versions[2].major }, ranked.ranks[2]) << 15;
    let [p, q] = [ranked.points[0], ranked.points[1]];
    words[2] = comparisons(p, q)
        | comparisons(p, Point { x: p.x, ..q }) << 5
        | comparisons(Point { rank: 3, ..p }, p) << 10
        | comparisons(p, p) << 15;
    words[3] = comparisons(ranked.both[0], ranked.both[1])
        | comparisons(Both(1, Empty, ranked.both[0].2), Both(1, Empty, ranked.both[1].2)) << 5
        | comparisons(Empty, Empty) << 10;
    words[4] = u32::from([a, b] < [near, c])
        | u32::from(ranked.versions >= [a, b, near]) << 1
        | u32::from((p, a) < (q, b)) << 2
        | u32::from(Some(a) > Some(b)) << 3
        | u32::from(None < Some(near)) << 4
        | u32::from((ranked.number > 3).then_some(ranked.ranks[0]) <= Some(ranked.ranks[1])) << 5
        | u32::from([1.0, ranked.float] <= [1.0, 2.0]) << 6
        | u32::from((ranked.number, [a; 2]) > (3, [near; 2])) << 7;
    words[5] = comparisons(ranked.digits[0].0, ranked.digits[1].0)
        | u32::from(ranked.digits[0] < ranked.digits[1]) << 5
        | u32::from(ranked.digits[0] <= ranked.digits[1]) << 6
        | u32::from(ranked.digits[0] > ranked.digits[1]) << 7
        | u32::from(ranked.digits[0] >= ranked.digits[1]) << 8
        | u32::from(ranked.digits[0] == ranked.digits[1]) << 9
        | u32::from(Digit(ranked.digits[0].0 % 4 + 75) < Digit(9)) << 10;
    if ranked.ranks[0] > *largest || ranked.ranks[0] == Rank::Last {
        *largest = ranked.ranks[0];
        words[6] = 1;
    }
    answers.send(Answer { words, sum: 0, x: 0.0, on: a != near && ranked.ranks[1] < *largest });
}

/// `cmp`, `partial_cmp`, `max`, `min`, `clamp`, and the methods of an `Ordering`.
#[ring_kernel]
pub fn order_methods(
    ranked: &Ranked,
    largest: &mut Version,
    answers: &Outbox<Answer>,
) -> Result<(), Failure> {
    let mut words = [0u32; 8];
    let [a, b, c] = ranked.versions;
    let mut near = a;
    near.parts[1] = c.parts[1];
    words[0] = word(a.cmp(&b)) | word(a.cmp(&near)) << 2 | word(ranked.number.cmp(&3)) << 4;
    words[0] |= perhaps(ranked.points[0].partial_cmp(&ranked.points[1])) << 6;
    words[0] |= perhaps(ranked.float.partial_cmp(&1.5)) << 8 | perhaps(a.partial_cmp(&near)) << 10;
    words[0] |= word(ranked.ranks[0].cmp(&ranked.ranks[1])) << 12;
    words[0] |= word((a, ranked.number).cmp(&(near, 3))) << 14 | word([b, c].cmp(&[near, a])) << 16;
    words[0] |= word(Some(a).cmp(&None)) << 18;
    let order = a.cmp(&b);
    words[1] = u32::from(order.is_lt())
        | u32::from(order.is_le()) << 1
        | u32::from(order.is_gt()) << 2
        | u32::from(order.is_ge()) << 3
        | u32::from(order.is_eq()) << 4
        | u32::from(order.is_ne()) << 5
        | u32::from(order == Ordering::Less) << 6
        | word(order.reverse()) << 7
        | word(ranked.order) << 9
        | word(ranked.order.then(order)) << 11
        | u32::from(order < ranked.order) << 13;
    words[2] = match a.cmp(&near) {
        Ordering::Equal => 1,
        Ordering::Less if ranked.number > 0 => 2,
        _ => 3,
    };
    let [most, least] = [a.max(b), a.min(b)];
    words[3] = u32::from(most.parts[0]) | u32::from(least.parts[2]) << 16;
    let limited = c.clamp(least, most);
    words[4] = u32::from(limited.parts[1]) | u32::from(limited.pre) << 16;
    words[5] = u32::from(std::cmp::max(a, c).parts[0]) | u32::from(std::cmp::min(a, c).parts[0]) << 16;
    words[6] = u32::from(std::cmp::max(ranked.both[0], ranked.both[1]) == ranked.both[0])
        | word(ranked.digits[0].cmp(&ranked.digits[1])) << 1
        | perhaps(ranked.digits[0].partial_cmp(&ranked.digits[1])) << 3;
    words[7] = ranked.digits[0].max(ranked.digits[1]).0;
    let (first, second) = (&ranked.ranks[0], &ranked.ranks[2]);
    words[7] |= u32::from(*first.max(second) == *first) << 31;
    *largest = (*largest).max(a);
    if ranked.number == 5 {
        // It fails if they are crossed.
        *largest = a.clamp(b, c);
    }
    answers.send(Answer { words, sum: 0, x: 0.0, on: *largest == a });
    Ok(())
}
