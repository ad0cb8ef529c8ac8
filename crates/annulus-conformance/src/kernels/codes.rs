//! Errors with names, as values: what a handler on a device does with an enum that derives `ErrorCode`.

use annulus_macros::{ErrorCode, device_fn, device_impl, ring_kernel};
use annulus_runtime::prelude::{Failure, Outbox};

use super::more_values::{Asked, Told};

/// Why a number is refused.
#[derive(ErrorCode, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It is below zero.
    Negative = 3,
    /// It is more than a byte holds.
    Large,
    Unlucky = 0x1234,
    Last = 0xFEFF,
}

const HARDEST: Refusal = Refusal::Last;
const ALL: [Refusal; 4] = [Refusal::Negative, Refusal::Large, Refusal::Unlucky, Refusal::Last];

#[device_impl]
impl Refusal {
    fn severity(self) -> u32 {
        match self {
            Self::Negative => 1,
            Self::Large | Self::Unlucky => 2,
            HARDEST => 9,
        }
    }

    const fn is_unlucky(&self) -> bool {
        matches!(self, Self::Unlucky)
    }
}

/// Another reason, made of the first one.
#[derive(ErrorCode, Clone, Copy, Debug, PartialEq)]
pub enum Stopped {
    Soft = 1,
    Hard = 2,
}

#[device_impl]
impl From<Refusal> for Stopped {
    fn from(refusal: Refusal) -> Self {
        if refusal.severity() > 1 { Self::Hard } else { Self::Soft }
    }
}

#[device_fn]
fn byte(value: i32) -> Result<u8, Refusal> {
    match value {
        13 => Err(Refusal::Unlucky),
        ..0 => Err(Refusal::Negative),
        0..=255 => Ok(value as u8),
        _ if value % 7 == 0 => Err(HARDEST),
        _ => Err(Refusal::Large),
    }
}

#[device_fn]
fn checked(value: i32) -> Result<(), Refusal> {
    byte(value)?;
    Ok(())
}

#[device_fn]
fn first_of(numbers: &[i32]) -> Result<u8, Stopped> {
    let first = byte(numbers[0])?;
    Ok(first ^ byte(numbers[1])?)
}

#[device_fn]
fn halved(value: i32) -> Result<u8, Failure> {
    Ok(byte(value)? / 2)
}

/// `match`, `==`, `as` and conversions of errors with names.
#[ring_kernel]
pub fn named_errors(asked: &Asked, last: &mut u32, told: &Outbox<Told>) -> Result<(), Stopped> {
    let [first, second, ..] = asked.numbers;
    let x = match byte(first) {
        Ok(byte) => i64::from(byte),
        Err(Refusal::Negative) => -1,
        Err(Refusal::Large) => -2,
        Err(refusal @ (Refusal::Unlucky | Refusal::Last)) => -(refusal as i64),
    };
    let mut y = 0i64;
    if let Err(refusal) = checked(second) {
        *last = refusal as u32;
        y += i64::from(refusal as u8) + i64::from(refusal as u16) * 3 + i64::from(refusal as i32 == 4);
        y = y * 2 + i64::from(refusal == Refusal::Large);
        y = y * 2 + i64::from(Refusal::Unlucky != refusal);
        y = y * 2 + i64::from(refusal.is_unlucky());
        y = y * 16 + i64::from(refusal.severity());
        y = y * 5 + i64::from(Failure::from(refusal).code());
        let failure: Failure = refusal.into();
        y += i64::from(failure == Failure::of(4)) + i64::from(checked(first) == Err(refusal));
        y += i64::from(ALL.contains(&refusal)) + i64::from(ALL[asked.a as usize % 4] == refusal);
        let worst = ALL.iter().max_by_key(|one| one.severity() ^ (asked.a % 4)).copied();
        y = y * 3 + worst.map_or(0, |worst| worst as i64);
        if worst == Some(refusal) {
            y += 1;
        }
    }
    match (halved(first), asked.on) {
        (Ok(half), _) => y += i64::from(half),
        (Err(failure), true) => y -= i64::from(failure.code()),
        (Err(_), false) => {}
    }
    let reason = first_of(&asked.numbers[2..]).err();
    told.send(Told { x, y: y * 4 + reason.map_or(3, |stopped| stopped as i64) });
    if reason == Some(Stopped::Hard) && asked.a.is_multiple_of(3) {
        return Err(Stopped::Hard);
    }
    let kept = byte(asked.b)?;
    *last ^= u32::from(kept);
    Ok(())
}
