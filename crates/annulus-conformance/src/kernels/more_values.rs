//! Kernels with patterns that bind in alternatives, equality of slices, operators of own types, conversions by `?`, and what moves values.
#![allow(
    clippy::assign_op_pattern,
    clippy::eq_op,
    clippy::manual_is_multiple_of,
    clippy::manual_swap,
    clippy::match_like_matches_macro,
    clippy::mem_replace_with_default,
    clippy::op_ref,
    clippy::question_mark,
    clippy::suspicious_arithmetic_impl,
    clippy::suspicious_op_assign_impl,
    clippy::unnecessary_lazy_evaluations
)] // They are what is tested.

use std::ops::{
    Add, AddAssign, BitAnd, BitOr, BitXor, Div, Mul, MulAssign, Neg, Not, Rem, Shl, Shr, ShrAssign, Sub,
    SubAssign,
};

use annulus_macros::{DeviceType, RingMessage, device_fn, device_impl, device_type, ring_kernel};
use annulus_runtime::prelude::{Failure, List, Outbox, Text};

/// What the kernels are given.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Asked {
    #[ring(key)]
    pub key: u32,
    pub a: u32,
    pub b: i32,
    pub on: bool,
    pub shape: Shape,
    pub bytes: [u8; 8],
    pub numbers: [i32; 8],
    pub list: List<u16, 6>,
    pub text: Text<12>,
}

/// What they answer.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Told {
    pub x: i64,
    pub y: i64,
}

#[derive(DeviceType, Clone, Copy, Debug)]
#[repr(u8)]
pub enum Shape {
    Round { size: u32 },
    Square { size: u32, tilted: bool },
    Line(u32, i32),
    Point,
}

/// Alternatives that bind, in each place where a pattern may stand.
#[ring_kernel]
pub fn alternatives(asked: &Asked, sum: &mut i64, told: &Outbox<Told>) {
    let mut shape = asked.shape;
    let size = match shape {
        Shape::Round { size } | Shape::Square { size, tilted: true } => size,
        Shape::Square { size, .. } | Shape::Line(size, _) if size > 100 => size / 2,
        Shape::Line(0 | 1, turn @ (3 | 4)) | Shape::Line(2..=9, turn) => turn as u32 & 0xFF,
        _ => 7,
    };
    // Through a reference that changes what it is to.
    match &mut shape {
        Shape::Round { size } | Shape::Line(size, _) | Shape::Square { size, .. } => {
            *size = size.wrapping_add(asked.a)
        }
        Shape::Point => {}
    }
    let mut x = i64::from(size);
    if let Shape::Round { size } | Shape::Line(size, _) = shape {
        x = x.wrapping_add(i64::from(size));
    } else {
        x = x.wrapping_sub(1);
    }
    let pair = (asked.on, asked.a);
    let ((true, a) | (false, a)) = pair;
    let b = asked.b;
    let (Shape::Line(y, _) | Shape::Round { size: y }) = asked.shape else {
        *sum = sum.wrapping_add(1);
        told.send(Told { x, y: i64::from(a) });
        return;
    };
    let mut left = asked.a % 5;
    while let (1 | 2, n) | (n, 1 | 2) = (left, left + 1) {
        x = x.wrapping_add(i64::from(n));
        if left == 0 {
            break;
        }
        left -= 1;
    }
    *sum = sum.wrapping_add(x);
    told.send(Told { x, y: i64::from(y) + i64::from(b) + i64::from(a) });
}

/// Equality of slices and arrays in every mixture, lists and texts.
#[ring_kernel]
pub fn same_slices(asked: &Asked, before: &mut [u8; 8], told: &Outbox<Told>) {
    let n = asked.a as usize % 9;
    let m = asked.key as usize % 9;
    let mut x = 0;
    if asked.bytes[..n] == before[..m] {
        x += 1;
    }
    if &asked.bytes[..n] == &before[..n] {
        x += 2;
    }
    if asked.bytes == *before {
        x += 4;
    }
    if asked.bytes[n..] != asked.bytes {
        x += 8;
    }
    if asked.numbers[..4] == [1, 2, 3, 4] || asked.numbers[..2] == asked.numbers[2..4] {
        x += 16;
    }
    if asked.bytes.starts_with(&before[..m]) {
        x += 32;
    }
    if asked.bytes.ends_with(&before[n..]) {
        x += 64;
    }
    if asked.list.as_slice() == &[1, 2][..] || asked.text.as_bytes() == b"ab" {
        x += 128;
    }
    if asked.text.as_bytes().starts_with(b"a") || asked.bytes[..2] == *b"no" {
        x += 256;
    }
    if asked.text == Text::default() {
        x += 512;
    }
    let (a, b) = (asked.a % 4, asked.b % 3);
    if (a, b) < (2, 1) {
        x += 1024;
    }
    if (a, (b, asked.on)) >= (a, (0, true)) {
        x += 2048;
    }
    if (a, b) <= (a, b) && (a, asked.key) > (1, 1) {
        x += 4096;
    }
    *before = asked.bytes;
    if asked.on {
        before[n.min(7)] = 0;
    }
    told.send(Told { x, y: 0 });
}

/// The project's own types, and what is done with bytes.
#[ring_kernel]
pub fn lists_and_texts(asked: &Asked, longest: &mut Text<12>, told: &Outbox<Told>) {
    let mut x = asked.list.as_slice().len() as i64;
    for item in asked.list.as_slice() {
        x = x.wrapping_mul(31) + i64::from(*item);
    }
    let mut y = 0;
    for (i, byte) in asked.text.as_bytes().iter().enumerate() {
        y = y * 3 + i as i64;
        if byte.is_ascii_digit() {
            y += i64::from(byte - b'0');
        } else if byte.is_ascii_alphabetic() {
            y += i64::from(byte.to_ascii_lowercase());
        } else if byte.is_ascii_whitespace() || byte.is_ascii_control() {
            y -= 1;
        } else if byte.is_ascii_punctuation() {
            y += i64::from(byte.to_ascii_uppercase());
        }
    }
    let kinds = asked.bytes[0];
    y += i64::from(kinds.is_ascii())
        + 2 * i64::from(kinds.is_ascii_alphanumeric())
        + 4 * i64::from(kinds.is_ascii_hexdigit());
    y += 8 * i64::from(kinds.is_ascii_lowercase()) + 16 * i64::from(kinds.is_ascii_uppercase());
    y += 32 * i64::from(kinds.is_ascii_graphic()) + 64 * i64::from(asked.bytes.is_ascii());
    if asked.text.as_bytes().eq_ignore_ascii_case(b"Stop") || asked.bytes[1].eq_ignore_ascii_case(&b'q') {
        x = x.wrapping_add(1000);
    }
    let mut shouted = asked.bytes;
    shouted.make_ascii_uppercase();
    x = x.wrapping_add(i64::from(shouted[3]));
    if asked.text.as_bytes().len() > longest.as_bytes().len() {
        *longest = asked.text;
    }
    told.send(Told { x, y: y + longest.as_bytes().len() as i64 });
}

#[device_type]
#[derive(DeviceType, Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Vector {
    pub x: i32,
    pub y: i32,
}

#[device_impl]
impl Add for Vector {
    type Output = Self;

    fn add(self, other: Self) -> Self::Output {
        Self { x: self.x.wrapping_add(other.x), y: self.y.wrapping_add(other.y) }
    }
}

#[device_impl]
impl Sub for Vector {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self { x: self.x.wrapping_sub(other.x), y: self.y.wrapping_sub(other.y) }
    }
}

/// The inner product.
#[device_impl]
impl Mul for Vector {
    type Output = i32;

    fn mul(self, other: Self) -> i32 {
        self.x.wrapping_mul(other.x).wrapping_add(self.y.wrapping_mul(other.y))
    }
}

#[device_impl]
impl Mul<i32> for Vector {
    type Output = Vector;

    fn mul(self, factor: i32) -> Vector {
        Vector { x: self.x.wrapping_mul(factor), y: self.y.wrapping_mul(factor) }
    }
}

#[device_impl]
impl Mul<Vector> for u16 {
    type Output = Vector;

    fn mul(self, vector: Vector) -> Vector {
        vector * i32::from(self)
    }
}

#[device_impl]
impl Div<i32> for Vector {
    type Output = Vector;

    fn div(self, by: i32) -> Vector {
        Vector { x: self.x / by, y: self.y.wrapping_div(by) }
    }
}

#[device_impl]
impl Rem<i32> for Vector {
    type Output = Vector;

    fn rem(self, by: i32) -> Vector {
        Vector { x: self.x.wrapping_rem(by), y: self.y.wrapping_rem(by) }
    }
}

#[device_impl]
impl Neg for Vector {
    type Output = Vector;

    fn neg(self) -> Vector {
        Vector { x: self.x.wrapping_neg(), y: self.y.wrapping_neg() }
    }
}

#[device_impl]
impl AddAssign for Vector {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

#[device_impl]
impl SubAssign<i32> for Vector {
    fn sub_assign(&mut self, other: i32) {
        self.x = self.x.wrapping_sub(other);
    }
}

#[device_impl]
impl MulAssign<i32> for Vector {
    fn mul_assign(&mut self, factor: i32) {
        *self = *self * factor;
    }
}

/// A set of flags.
#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Flags(pub u32);

#[device_impl]
impl BitAnd for Flags {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

#[device_impl]
impl BitOr for Flags {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

#[device_impl]
impl BitXor for Flags {
    type Output = Self;

    fn bitxor(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
}

#[device_impl]
impl Not for Flags {
    type Output = Self;

    fn not(self) -> Self {
        Self(!self.0)
    }
}

#[device_impl]
impl Shl<u32> for Flags {
    type Output = Self;

    fn shl(self, by: u32) -> Self {
        Self(self.0.wrapping_shl(by))
    }
}

#[device_impl]
impl Shr<u32> for Flags {
    type Output = Self;

    fn shr(self, by: u32) -> Self {
        Self(self.0.wrapping_shr(by))
    }
}

#[device_impl]
impl ShrAssign<u32> for Flags {
    fn shr_assign(&mut self, by: u32) {
        *self = *self >> by;
    }
}

/// Equal if the lower bits are.
#[device_impl]
impl PartialEq for Flags {
    fn eq(&self, other: &Self) -> bool {
        self.0 & 0xFF == other.0 & 0xFF
    }
}

#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Pair<T> {
    pub left: T,
    pub right: T,
}

#[device_impl]
impl<T: Add<Output = T> + annulus_kernel::DeviceType> Add for Pair<T> {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { left: self.left + other.left, right: self.right + other.right }
    }
}

#[device_fn]
fn grown(from: Vector, by: i32) -> Vector {
    let mut vector = from;
    vector *= by;
    vector += from;
    vector
}

/// Operators of own types.
#[ring_kernel]
pub fn operators(asked: &Asked, place: &mut Vector, told: &Outbox<Told>) {
    let a = Vector { x: asked.b, y: asked.numbers[0] };
    let b = Vector { x: asked.numbers[1], y: asked.a.cast_signed() };
    let mut c = a + b * 3 - -a;
    c += 2u16 * b;
    c -= asked.numbers[2];
    let product = a * b;
    if asked.on && product != 0 {
        c = c / product + c % product;
    }
    *place += grown(c, 5);
    let mut flags = (Flags(asked.a) | Flags(asked.key)) & !Flags(0x0F00) ^ Flags(3) << 4;
    flags >>= asked.a % 7;
    let same = flags == Flags(asked.key) || flags != Flags(1);
    assert_ne!(flags, Flags(0x77));
    let pair = Pair { left: asked.a % 100, right: 7 } + Pair { left: 1, right: asked.key % 9 };
    let equal = a == b || *place == c;
    told.send(Told {
        x: i64::from(c.x) ^ i64::from(place.y) << 8,
        y: i64::from(flags.0) + i64::from(same) + i64::from(pair.left * pair.right) + 3 * i64::from(equal),
    });
}

#[derive(DeviceType, Clone, Copy, Debug)]
#[repr(u32)]
pub enum Wrong {
    Empty,
    Large(u32),
}

#[device_impl]
impl From<Wrong> for Failure {
    fn from(wrong: Wrong) -> Self {
        match wrong {
            Wrong::Empty => Failure::of(7),
            Wrong::Large(by) => Failure::of((by % 100) as u16 + 1),
        }
    }
}

#[device_impl]
impl From<u8> for Wrong {
    fn from(code: u8) -> Self {
        if code == 0 { Self::Empty } else { Self::Large(code.into()) }
    }
}

#[device_impl]
impl From<Vector> for Pair<i32> {
    fn from(vector: Vector) -> Self {
        Self { left: vector.x, right: vector.y }
    }
}

#[device_fn]
fn small(value: u32) -> Result<u32, u8> {
    if value % 16 == 0 { Err((value / 16 % 3) as u8) } else { Ok(value) }
}

#[device_fn]
fn checked(value: u32) -> Result<u32, Wrong> {
    let value = small(value)?;
    if value > 4_000_000_000 { Err(Wrong::Large(value)) } else { Ok(value / 2) }
}

/// `?` through `From`, and conversions into own types.
#[ring_kernel]
pub fn conversions(asked: &Asked, sum: &mut u64, told: &Outbox<Told>) -> Result<(), Failure> {
    let half = checked(asked.a)?;
    let pair = Pair::<i32>::from(Vector { x: asked.b, y: 3 });
    let other: Pair<i32> = Vector { x: 1, y: asked.b }.into();
    let small = small(asked.key).map_err(Wrong::from)?;
    *sum = sum.wrapping_add(u64::from(half));
    told.send(Told { x: i64::from(pair.left) + i64::from(other.right), y: i64::from(small) });
    Ok(())
}

/// References that branches choose, and what moves values about.
#[ring_kernel]
pub fn chosen(asked: &Asked, memory: &mut [i32; 8], told: &Outbox<Told>) {
    let (low, high) = (asked.a as usize % 8, asked.key as usize % 8);
    let here = if asked.on { &asked.numbers } else { &[1, 2, 3, 4, 5, 6, 7, 8] };
    let first = if asked.b > 0 { here.first() } else { asked.numbers.last() };
    let mut x = i64::from(first.copied().unwrap_or(0)) + i64::from(here[low]);
    let one = match asked.a % 3 {
        0 => &asked.numbers[low],
        1 => &asked.b,
        _ => &here[high],
    };
    x += i64::from(*one);
    let other = if *one > 0 { one } else { &asked.numbers[0] };
    x += i64::from(*other);
    let place = if asked.on { &mut memory[low] } else { &mut memory[high] };
    *place = place.wrapping_add(1);
    let part = if asked.on { &asked.numbers[..low] } else { &asked.numbers[high..] };
    for number in part {
        x = x.wrapping_add(i64::from(*number));
    }
    let before = std::mem::replace(&mut memory[low], asked.b);
    let mut pair = (asked.b, before);
    {
        let (a, b) = (&mut pair.0, &mut memory[high]);
        std::mem::swap(a, b);
    }
    let taken = std::mem::take(&mut pair.1);
    [memory[0], memory[1]] = [memory[1], memory[0]];
    let mut spot = Some(asked.a);
    let had = std::mem::take(&mut spot).unwrap_or_default();
    told.send(Told {
        x,
        y: i64::from(taken) + i64::from(pair.0) + i64::from(had) + i64::from(spot.is_none()),
    });
}
