//! Functions of traits: by the type that has them, by bounds, and by default.

use annulus_macros::{DeviceType, RingMessage, device_fn, device_impl, device_trait, ring_kernel};
use annulus_runtime::prelude::Outbox;

use super::constructs::Answer;

#[device_trait]
pub trait Shape {
    const CORNERS: u32;

    /// Has no default.
    fn area(&self) -> u32;

    fn grow(&mut self, by: u8);

    fn of(side: u8) -> Self;

    /// A default that calls the others.
    fn scaled(&self, by: u32) -> u32 {
        self.area().wrapping_mul(by).wrapping_add(Self::CORNERS)
    }

    /// A default by value, with another of the same type.
    fn joined(self, other: Self) -> u32
    where
        Self: Sized,
    {
        self.scaled(2).wrapping_add(other.scaled(3)) % 1000
    }

    /// The standard library has a method of this name, too.
    fn abs(&self) -> u32 {
        self.area() / 7
    }

    #[cpu_only]
    fn show(&self) -> String {
        format!("{} of {}", self.area(), Self::CORNERS)
    }
}

/// A trait upon another.
#[device_trait]
pub trait Solid: Shape {
    fn height(&self) -> u32;

    fn volume(&self) -> u32 {
        self.area().wrapping_mul(self.height()) ^ self.scaled(1)
    }
}

#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Square {
    pub side: u8,
    pub tall: u16,
}

#[derive(DeviceType, Clone, Copy, Debug)]
#[repr(u8)]
pub enum Round {
    Point,
    Disc { radius: u16 },
}

/// A shape around another.
#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Framed<T> {
    pub inner: T,
    pub width: u32,
}

#[device_impl]
impl Shape for Square {
    const CORNERS: u32 = 4;

    fn area(&self) -> u32 {
        u32::from(self.side) * u32::from(self.side)
    }

    fn grow(&mut self, by: u8) {
        self.side = self.side.wrapping_add(by);
    }

    fn of(side: u8) -> Self {
        Self { side, tall: 3 }
    }
}

#[device_impl]
impl Solid for Square {
    fn height(&self) -> u32 {
        u32::from(self.tall)
    }
}

#[device_impl]
impl Shape for Round {
    const CORNERS: u32 = 0;

    fn area(&self) -> u32 {
        match self {
            Self::Point => 0,
            Self::Disc { radius } => 3 * u32::from(*radius) * u32::from(*radius) / 4,
        }
    }

    fn grow(&mut self, by: u8) {
        *self = match *self {
            Self::Point => Self::of(by),
            Self::Disc { radius } => Self::Disc { radius: radius.wrapping_add(u16::from(by)) },
        };
    }

    fn of(side: u8) -> Self {
        if side == 9 {
            panic!();
        }
        if side == 0 { Self::Point } else { Self::Disc { radius: side.into() } }
    }

    /// Its own, in the place of the default.
    fn scaled(&self, by: u32) -> u32 {
        self.area() ^ by
    }
}

#[device_impl]
impl<T: Shape> Shape for Framed<T> {
    const CORNERS: u32 = T::CORNERS + 1;

    fn area(&self) -> u32 {
        self.inner.area().wrapping_add(self.width)
    }

    fn grow(&mut self, by: u8) {
        self.inner.grow(by);
    }

    fn of(side: u8) -> Self {
        Self { inner: T::of(side), width: side.into() }
    }
}

/// As a trait of another crate, which has no attribute.
trait Doubled {
    fn doubled(&self) -> u32;
}

#[device_impl(foreign)]
impl Doubled for Square {
    fn doubled(&self) -> u32 {
        self.area() * 2
    }
}

#[device_fn]
fn total<T: Shape>(shapes: &[T], by: u32) -> u32 {
    let mut sum = 0u32;
    for shape in shapes {
        sum = sum.wrapping_add(shape.scaled(by)).wrapping_add(shape.abs());
    }
    sum
}

#[device_fn]
fn grown<T: Shape + Copy>(shape: T, by: u8) -> T {
    let mut shape = shape;
    shape.grow(by);
    if shape.area() > 1000 { T::of(by) } else { shape }
}

#[device_fn]
fn of_solids<T>(solid: &T) -> u32
where
    T: Solid,
{
    solid.volume() / 2 + T::CORNERS
}

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Shapes {
    #[ring(key)]
    pub key: u32,
    pub squares: [Square; 3],
    pub rounds: [Round; 2],
    pub framed: Framed<Framed<Round>>,
    pub by: u8,
}

/// Defaults and types' own functions, called on types and by bounds.
#[ring_kernel]
pub fn traits(shapes: &Shapes, largest: &mut Square, answers: &Outbox<Answer>) {
    let by = u32::from(shapes.by);
    let [square, other, _] = shapes.squares;
    let round = shapes.rounds[0];
    let words = [
        square.area() ^ square.scaled(by) << 8,
        round.area() ^ round.scaled(by),
        total(&shapes.squares, by) ^ total(&shapes.rounds, by),
        shapes.framed.scaled(by) ^ total(&[shapes.framed, Framed::<Framed<Round>>::of(shapes.by)], 3),
        grown(square, shapes.by).scaled(1) ^ grown(round, shapes.by).scaled(1),
        square.joined(other) ^ shapes.framed.joined(shapes.framed) << 16,
        of_solids(&other) ^ other.volume() ^ square.doubled() << 16,
        square.abs()
            + grown(shapes.framed, 3).abs()
            + Square::of(shapes.by).abs()
            + <Round as Shape>::of(2).abs(),
    ];
    largest.grow(1);
    if square.area() > largest.area() {
        *largest = square;
    }
    answers.send(Answer { words, sum: i64::from(largest.area()), x: 0.0, on: false });
}
