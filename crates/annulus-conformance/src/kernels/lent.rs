//! Operators whose sides are references.
#![allow(clippy::op_ref, clippy::needless_lifetimes, clippy::suspicious_arithmetic_impl)] // They are what is tested.

use std::ops::{Add, AddAssign, Mul, Neg, Sub};

use annulus_macros::{DeviceType, RingMessage, device_fn, device_impl, device_type, ring_kernel};
use annulus_runtime::prelude::Outbox;

use super::{constructs::Answer, more_values::Pair};

#[device_type]
#[derive(DeviceType, Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
#[repr(C)]
pub struct Vector {
    pub x: i32,
    pub y: i32,
}

#[device_impl]
impl Add for &Vector {
    type Output = Vector;

    fn add(self, other: Self) -> Self::Output {
        Vector { x: self.x.wrapping_add(other.x), y: self.y.wrapping_add(other.y) }
    }
}

/// Its lifetimes are named, and the loop's label is not one of them.
#[device_impl]
impl<'a, 'b> Sub<&'b Vector> for &'a Vector {
    type Output = Vector;

    fn sub(self, other: &'b Vector) -> Vector {
        let mut given = *self;
        'turns: for turn in 0..3 {
            if turn == 1 {
                break 'turns;
            }
            given.x = given.x.wrapping_sub(other.x);
            given.y ^= other.y;
        }
        given
    }
}

#[device_impl]
impl Add<&Vector> for Vector {
    type Output = Self;

    fn add(self, other: &Self) -> Self {
        Self { x: self.x.wrapping_sub(other.y), y: self.y }
    }
}

#[device_impl]
impl Add<Vector> for &Vector {
    type Output = Vector;

    fn add(self, other: Vector) -> Vector {
        Vector { x: self.x ^ other.x, y: other.y }
    }
}

#[device_impl]
impl Mul<i32> for &Vector {
    type Output = Vector;

    fn mul(self, factor: i32) -> Vector {
        Vector { x: self.x.wrapping_mul(factor), y: self.y.wrapping_add(factor) }
    }
}

#[device_impl]
impl Mul<&i32> for &Vector {
    type Output = Vector;

    fn mul(self, factor: &i32) -> Vector {
        Vector { x: self.x.wrapping_mul(*factor), y: self.y }
    }
}

#[device_impl]
impl Neg for &Vector {
    type Output = Vector;

    fn neg(self) -> Vector {
        Vector { x: self.y, y: self.x }
    }
}

#[device_impl]
impl<'a> AddAssign<&'a Self> for Vector {
    fn add_assign(&mut self, other: &'a Self) {
        self.x = self.x.wrapping_add(other.y);
    }
}

/// Equal if the lower bits are.
#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Low(pub u32);

#[device_impl]
impl PartialEq for Low {
    fn eq(&self, other: &Self) -> bool {
        self.0 & 3 == other.0 & 3
    }
}

#[device_impl]
impl<T: Add<Output = T> + annulus_kernel::DeviceType> Add for &Pair<T> {
    type Output = Pair<T>;

    fn add(self, other: Self) -> Pair<T> {
        Pair { left: self.left + other.right, right: other.left }
    }
}

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Moves {
    #[ring(key)]
    pub key: u32,
    pub vectors: [Vector; 4],
    pub lows: [Low; 2],
    pub factor: i32,
    pub shorts: [Pair<f32>; 2],
}

#[device_fn]
fn sum(vectors: &[Vector]) -> Vector {
    let mut sum = Vector { x: 0, y: 0 };
    for vector in vectors {
        sum = &sum + vector;
        sum += vector;
    }
    sum
}

/// Operators of references to own types, and to numbers.
#[ring_kernel]
pub fn lent_operators(moves: &Moves, place: &mut Vector, answers: &Outbox<Answer>) {
    let (a, b) = (&moves.vectors[0], &moves.vectors[1]);
    let mut all =
        [a + b, a - b, *a + b, a + *b, a * moves.factor, a * &moves.factor, -a, sum(&moves.vectors)];
    all[7] += &all[2].clone_of();
    let mut words = [0u32; 8];
    for (word, vector) in words.iter_mut().zip(&all) {
        *word = (vector.x as u32).wrapping_mul(31) ^ vector.y as u32;
    }
    let (low, other) = (&moves.lows[0], &moves.lows[1]);
    words[6] ^= u32::from(low == other) | u32::from(*low != *other) << 1 | u32::from(a == b) << 2;
    words[6] ^= u32::from(a < b) << 3 | u32::from(*a >= *b) << 4 | u32::from(&moves.factor == &3) << 5;
    let number = &moves.factor;
    words[5] ^= (number & &0xFF) as u32 ^ (!number) as u32;
    let joined = &moves.shorts[0] + &moves.shorts[1];
    *place = &*place + a;
    answers.send(Answer { words, sum: i64::from(place.x), x: joined.left, on: joined.right > 0.5 });
}

#[device_impl]
impl Vector {
    fn clone_of(&self) -> Self {
        *self
    }
}
