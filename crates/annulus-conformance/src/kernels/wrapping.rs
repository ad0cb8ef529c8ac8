//! Numbers whose operators wrap, and options that lie in messages and states.
#![allow(clippy::too_many_lines, clippy::eq_op, clippy::op_ref)] // They are what is tested.

use std::num::Wrapping;

use annulus_macros::{DeviceType, RingMessage, device_fn, device_impl, device_type, ring_kernel};
use annulus_runtime::{
    Maybe,
    prelude::{Failure, Outbox},
};

use super::constructs::Answer;

/// A generator of random numbers, as users write it.
#[device_type]
#[derive(DeviceType, Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(C)]
pub struct Random {
    pub state: Wrapping<u64>,
    pub steps: Wrapping<u8>,
}

#[device_impl]
impl Random {
    fn next(&mut self) -> u32 {
        self.state = self.state * Wrapping(6_364_136_223_846_793_005) + Wrapping(1);
        self.steps += 1;
        (self.state >> 33).0 as u32
    }
}

#[device_fn]
fn mixed(a: Wrapping<u32>, b: &Wrapping<u32>) -> Wrapping<u32> {
    (a ^ *b) * Wrapping(0x9E37_79B9) + (a << 13) - (*b >> 7)
}

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Turns {
    #[ring(key)]
    pub key: u32,
    pub a: Wrapping<u32>,
    pub b: Wrapping<u32>,
    pub signed: [Wrapping<i32>; 3],
    pub wide: Wrapping<i64>,
    pub size: Wrapping<usize>,
    pub byte: Wrapping<u8>,
    pub tiny: Wrapping<i8>,
    pub small: [Wrapping<i16>; 2],
    pub middle: Wrapping<u16>,
    pub at: u8,
}

const STEP: Wrapping<i32> = Wrapping(0x4000_0001);

/// Every operator of `Wrapping`, of several numbers.
#[ring_kernel]
pub fn wraps(turns: &Turns, random: &mut Random, answers: &Outbox<Answer>) -> Result<(), Failure> {
    let mut words = [0u32; 8];
    let Turns { a, b, .. } = *turns;
    words[0] = (a + b - (a * b)).0 ^ (!a & b | (a ^ b)).0;
    words[1] = (-a).0 ^ mixed(a, &b).0;
    let distance = usize::from(turns.at);
    words[2] = (a << distance).0 ^ (b >> distance).0;
    let [x, mut y, z] = turns.signed;
    y += x;
    y -= &z;
    y *= Wrapping(3);
    y += 7;
    y <<= 2;
    y >>= distance;
    y ^= STEP;
    y |= 1;
    words[3] = (y.0 as u32) ^ ((x >> 3).0 as u32);
    words[4] = u32::from(a < b)
        | u32::from(a == b) << 1
        | u32::from(x.max(z) >= y) << 2
        | u32::from(x.cmp(&z).is_lt()) << 3
        | u32::from(turns.signed == [y, x, z]) << 4
        | u32::from(Random { state: Wrapping(3), ..*random } > *random) << 5;
    words[5] = turns.signed.iter().copied().sum::<Wrapping<i32>>().0 as u32;
    words[6] = u32::from(turns.small.iter().product::<Wrapping<i16>>().0 as u16)
        | u32::from((turns.byte + turns.byte * Wrapping(17)).0) << 16
        | u32::from((turns.tiny - Wrapping(100)).0 as u8) << 24;
    words[7] = random.next();
    let Wrapping(wide) = turns.wide * turns.wide + Wrapping(turns.size.0 as i64);
    let mut wides = [turns.wide; 2];
    if turns.at > 200 {
        // They divide: by zero they fail, and `MIN / -1` is `MIN`.
        wides[distance % 2] /= turns.wide + Wrapping(1);
        words[0] ^= (z / x).0 as u32;
        words[1] ^= (a % b).0;
        words[2] ^= u32::from((turns.middle / Wrapping(3)).0) ^ (Wrapping(i32::MIN) % x).0 as u32;
        words[3] ^= (Wrapping(i32::MIN) / (x | Wrapping(-1))).0 as u32;
    }
    // The place is looked at before the value.
    wides[distance % 3] += Wrapping(i64::from(100 / (turns.at % 2)));
    let before = std::mem::take(&mut random.steps);
    random.steps = before + Wrapping(turns.at);
    let sum = wide.wrapping_add(wides[0].0).wrapping_add(wides[1].0);
    answers.send(Answer { words, sum, x: 0.0, on: random.steps == Wrapping::default() });
    Ok(())
}

#[device_type]
#[derive(DeviceType, Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
#[repr(C)]
pub struct Place {
    pub x: f32,
    pub floor: Maybe<i8>,
}

/// What an actor knows of somebody.
#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Known {
    pub last: Maybe<u64>,
    pub place: Maybe<Place>,
    pub seen: [Maybe<u16>; 2],
}

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Sighting {
    #[ring(key)]
    pub key: u32,
    pub at: Maybe<u64>,
    pub place: Maybe<Place>,
    pub other: Maybe<Place>,
    pub code: Maybe<u16>,
    pub number: i32,
}

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Noted {
    pub after: Maybe<u64>,
    pub place: Maybe<Place>,
    pub bits: u32,
}

#[device_fn]
fn floor_of(place: &Maybe<Place>) -> Option<i8> {
    place.get()?.floor.get()
}

/// `Maybe` in messages, states, fields and arrays, and the `Option`s that it gives and takes.
#[ring_kernel]
pub fn notes(sighting: &Sighting, known: &mut Known, noted: &Outbox<Noted>) -> Result<(), Failure> {
    let at = sighting.at.get().ok_or(Failure::of(4))?;
    let after = known.last.get().and_then(|last| at.checked_sub(last));
    known.last = Maybe::Just(at);
    if let Maybe::Just(place) = sighting.place {
        known.place = Maybe::Just(place);
    }
    known.seen.swap(0, 1);
    known.seen[0].set(sighting.code.get().filter(|code| *code > 9));
    let bits = u32::from(sighting.place == sighting.other)
        | u32::from(sighting.place < known.place) << 1
        | u32::from(known.seen[0].is_just()) << 2
        | u32::from(known.seen[1].is_nothing()) << 3
        | u32::from(known.last > sighting.at) << 4
        | u32::from(known.seen[0].max(known.seen[1]) == sighting.code) << 5
        | u32::from(floor_of(&sighting.other).is_some_and(|floor| floor > 0)) << 6
        | u32::from(sighting.code.get().unwrap_or(3)) << 8;
    let place = match (sighting.other, sighting.number % 3) {
        (Maybe::Just(other), 0) => Maybe::Just(Place { x: 1.5, ..other }),
        (Maybe::Nothing, 1) => Some(Place { x: 2.5, floor: Maybe::from(floor_of(&known.place)) }).into(),
        _ => Maybe::Nothing,
    };
    noted.send(Noted { after: after.into(), place, bits });
    Ok(())
}
