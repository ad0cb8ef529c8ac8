//! Values that are compared as a whole, and conversions that may fail.
// They are what is tested.
#![allow(clippy::too_many_lines, clippy::unnecessary_fallible_conversions, clippy::eq_op)]

use annulus_macros::{DeviceType, RingMessage, device_fn, device_type, ring_kernel};
use annulus_runtime::prelude::{Failure, Outbox};

use super::constructs::Answer;

#[device_type]
#[derive(DeviceType, Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Level {
    pub price: u16,
    pub open: bool,
    pub sizes: [i8; 3],
}

/// Variants without fields, with some, and with an array among them.
#[device_type]
#[derive(DeviceType, Clone, Copy, Debug, Default, PartialEq)]
#[repr(u8)]
pub enum Command {
    #[default]
    Idle,
    Move(i16, f32),
    Set {
        level: Level,
        on: bool,
    } = 9,
    Stop,
}

#[device_type]
#[derive(DeviceType, Clone, Copy, Debug, Default, PartialEq)]
#[repr(u16)]
pub enum Light {
    #[default]
    Red = 3,
    Green,
    Blinking(Nothing),
}

#[device_type]
#[derive(DeviceType, Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Nothing;

#[device_type]
#[derive(DeviceType, Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Twice<T>(pub T, pub [T; 2]);

#[device_type]
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Pair {
    #[ring(key)]
    pub key: u32,
    pub command: Command,
    pub other: Command,
    pub lights: [Light; 2],
    pub levels: [Level; 2],
    pub twice: Twice<i16>,
    pub wide: i64,
    pub small: i8,
    pub words: [u32; 4],
}

#[device_fn]
fn same<T: Copy + PartialEq>(a: T, b: T) -> bool {
    a == b
}

/// `==` of structs and enums that ask for it, alone and inside of others.
#[ring_kernel]
pub fn equal_values(pair: &Pair, last: &mut Command, answers: &Outbox<Answer>) -> Result<(), Failure> {
    let mut words = [0u32; 8];
    let chosen = if pair.small % 2 == 0 { pair.command } else { pair.other };
    words[0] = u32::from(chosen == pair.command) | u32::from(chosen != *last) << 1;
    let mut level = pair.levels[0];
    words[1] = u32::from(level == pair.levels[0]) | u32::from(pair.levels[0] == pair.levels[1]) << 1;
    level.sizes[pair.words[0] as usize % 3] = pair.small;
    words[2] = u32::from(pair.levels[0] == level) | u32::from([level; 2] == pair.levels) << 1;
    words[3] = u32::from(pair.lights[0] == Light::Red)
        | u32::from(pair.lights[0] == pair.lights[1]) << 1
        | u32::from(pair.lights[1] == Light::Blinking(Nothing)) << 2;
    let mut twice = pair.twice;
    twice.1[1] = twice.0;
    words[4] = u32::from(twice == pair.twice) | u32::from(twice != Twice(1, [1, 1])) << 1;
    words[5] = u32::from(Some(chosen) == (pair.small > 3).then_some(pair.command))
        | u32::from((level, pair.small) == (pair.levels[1], 3)) << 1;
    words[6] = u32::from(same(chosen, Command::Set { level, on: true }))
        | u32::from(same(pair.lights[0], Light::Green)) << 1
        | u32::from(same(*pair, Pair { words: [1; 4], ..*pair })) << 2;
    words[7] = u32::from(chosen == Command::Move(1, 0.5)) | u32::from(chosen == Command::Idle) << 1;
    if let Command::Set { on, .. } = chosen {
        assert!(Command::Set { level, on } != Command::Stop);
        assert_eq!(chosen, chosen);
    }
    *last = chosen;
    answers.send(Answer { words, sum: 0, x: 0.0, on: chosen == *last });
    Ok(())
}

/// Options of references are compared by what they refer to.
#[ring_kernel]
pub fn equal_references(pair: &Pair, answers: &Outbox<Answer>) {
    let mut words = pair.words;
    let at = pair.small as usize % 6;
    let mut bits = u32::from(words.get(at) == Some(&3)) | u32::from(words.first() == words.last()) << 1;
    bits |= u32::from(words.get(1) != Some(&words[0])) << 2;
    bits |= u32::from(Some(&pair.levels[0]) == pair.levels.get(at)) << 3;
    bits |= u32::from(words.get(at) == pair.words[1..].get(at)) << 4;
    // What is on the right changes what was read on the left.
    bits |= u32::from(
        words.get(2).copied()
            == Some({
                words[2] += 1;
                words[2]
            }),
    ) << 5;
    if at < 4 {
        assert_eq!(pair.words.get(at), Some(&pair.words[at]));
    }
    answers.send(Answer { words: [bits; 8], sum: 0, x: 0.0, on: pair.words.get(at) == Some(&words[at % 4]) });
}

#[device_fn]
fn narrowed(wide: i64) -> Option<i16> {
    let narrow = i16::try_from(wide).ok()?;
    narrow.checked_add(1)
}

/// `T::try_from(x)` from and to integers of every kind.
#[ring_kernel]
pub fn tried(pair: &Pair, answers: &Outbox<Answer>) -> Result<(), Failure> {
    const TOO_FAR: Failure = Failure::of(7);
    let mut words = [0u32; 8];
    let wide = pair.wide;
    words[0] = u8::try_from(wide).unwrap_or(3).into();
    words[1] = u32::try_from(wide).unwrap_or(7);
    words[2] = u32::from(i8::try_from(pair.words[0]).is_ok())
        | u32::from(i16::try_from(wide.cast_unsigned()).is_err()) << 1
        | u32::from(u64::try_from(pair.small).is_ok()) << 2
        | u32::from(i64::try_from(wide.cast_unsigned()).is_ok()) << 3
        | u32::from(u16::try_from(pair.small).is_ok()) << 4
        | u32::from(i32::try_from(wide).is_ok()) << 5
        | u32::from(i64::try_from(pair.small).is_ok()) << 6
        | u32::from(u8::try_from(pair.twice.0).is_ok()) << 7
        | u32::from(i8::try_from(pair.levels[0].price).is_ok()) << 8;
    if let Ok(narrow) = i8::try_from(pair.twice.0) {
        words[3] = u32::from(narrow.unsigned_abs());
    }
    let Ok(index) = usize::try_from(pair.small) else { return Err(TOO_FAR) };
    words[4] = pair.words[index % 4];
    words[5] = match i32::try_from(pair.words[1]) {
        Ok(0) => 1,
        Ok(positive) => positive.cast_unsigned() ^ 5,
        Err(_) => 9,
    };
    let kept = u16::try_from(pair.words[2]);
    words[6] = u32::from(kept.is_ok()) + u32::from(kept.unwrap_or(2));
    words[7] = narrowed(wide).unwrap_or(-1).cast_unsigned().into();
    let sum = i64::from(u8::try_from(pair.words[3]).ok().ok_or(TOO_FAR)?);
    answers.send(Answer { words, sum, x: 0.0, on: u16::try_from(wide % 1000).unwrap() > 3 });
    Ok(())
}
