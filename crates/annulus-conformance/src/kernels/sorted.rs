//! What is in order: slices, lists and texts beside each other, values of own types sorted and found, least
//! and greatest ones.
#![allow(
    clippy::too_many_lines,
    clippy::stable_sort_primitive,
    clippy::unnecessary_sort_by,
    clippy::unnecessary_min_or_max
)] // They are what is tested.

use std::cmp::Ordering;

use annulus_macros::{DeviceType, RingMessage, device_fn, device_type, ring_kernel};
use annulus_runtime::prelude::{Failure, List, Outbox, Text};

use super::constructs::Answer;

/// A runner, the fastest first, and of those the younger.
#[device_type]
#[derive(DeviceType, Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(C)]
pub struct Runner {
    pub seconds: i8,
    pub age: u8,
    pub name: Text<3>,
}

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Race {
    #[ring(key)]
    pub key: u32,
    pub runners: [Runner; 6],
    pub names: [Text<4>; 3],
    pub lists: [List<i8, 3>; 2],
    pub points: List<f32, 3>,
    pub others: List<f32, 3>,
    pub floats: [f32; 5],
    pub n: u8,
}

#[device_fn]
fn word(order: Ordering) -> u32 {
    order as i8 as u8 as u32
}

#[device_fn]
fn by_age(a: &Runner, b: &Runner) -> Ordering {
    a.age.cmp(&b.age).then_with(|| b.seconds.cmp(&a.seconds)).then(a.name.cmp(&b.name))
}

#[device_fn]
fn hash(runners: &[Runner]) -> u32 {
    let mut hash = 7u32;
    for runner in runners {
        hash = hash.wrapping_mul(31) ^ runner.seconds as u8 as u32 ^ u32::from(runner.age) << 8;
        for byte in runner.name.as_bytes() {
            hash = hash.wrapping_mul(257) ^ u32::from(*byte);
        }
    }
    hash
}

/// `<`, `cmp` and their kin of slices, lists and texts.
#[ring_kernel]
pub fn in_order(race: &Race, last: &mut Text<4>, answers: &Outbox<Answer>) {
    let mut words = [0u32; 8];
    let [a, b, c] = race.names;
    let [x, y] = race.lists;
    words[0] = u32::from(a < b)
        | u32::from(a <= b) << 1
        | u32::from(b > c) << 2
        | u32::from(b >= c) << 3
        | u32::from(x < y) << 4
        | u32::from(x >= y) << 5
        | u32::from(race.points < race.others) << 6
        | u32::from(race.points >= race.others) << 7
        | u32::from(a.max(b) == a) << 8;
    words[1] = word(a.cmp(&b)) | word(x.cmp(&y)) << 8 | word(race.runners[0].cmp(&race.runners[1])) << 16;
    words[2] = match race.points.partial_cmp(&race.others) {
        Some(order) => word(order),
        None => 77,
    };
    let n = usize::from(race.n) % 6;
    words[3] = u32::from(x.as_slice() < y.as_slice())
        | u32::from(race.floats[..n] <= race.floats[1..]) << 1
        | u32::from(race.runners[..n] > race.runners[3..]) << 2
        | u32::from(a.as_bytes() >= b"m".as_slice()) << 3;
    words[4] = word(a.as_bytes().cmp(c.as_bytes()));
    words[5] = race.floats[..n].partial_cmp(&race.floats[1..]).map_or(9, word);
    words[6] =
        u32::from((a, race.n) < (b, 3)) | u32::from([a, b] < [b, c]) << 1 | u32::from(Some(a) > Some(c)) << 2;
    if a > *last {
        *last = a;
        words[7] = 1;
    }
    answers.send(Answer { words, sum: 0, x: 0.0, on: *last == a });
}

/// Values of own types that are sorted, searched, and chosen.
#[ring_kernel]
pub fn sorts(race: &Race, best: &mut Runner, answers: &Outbox<Answer>) -> Result<(), Failure> {
    let mut words = [0u32; 8];
    let n = usize::from(race.n) % 7;
    let mut runners = race.runners;
    runners.sort_unstable();
    words[0] = hash(&runners);
    let found = runners.binary_search(&race.runners[n.min(5)]);
    words[1] = match found {
        Ok(at) => at as u32,
        Err(at) => 100 + at as u32,
    };
    runners = race.runners;
    runners[..n].sort_by_key(|runner| runner.age / 64);
    words[2] = hash(&runners);
    runners.sort_by(by_age);
    words[3] = hash(&runners[n.min(3)..]);
    runners.sort_by_key(|runner| (runner.name, -i16::from(runner.seconds)));
    runners[1..].sort();
    words[4] = hash(&runners);
    let mut floats = race.floats;
    floats.sort_by(|a, b| b.total_cmp(a));
    for float in floats {
        words[5] = words[5].wrapping_mul(31) ^ float.to_bits();
    }
    let least = race.runners[..n].iter().min();
    let most = race.runners.iter().copied().max().unwrap_or_default();
    let oldest = race.runners[..n].iter().max_by(|a, b| by_age(a, b));
    let nearest = race.runners.iter().min_by_key(|runner| (runner.seconds.unsigned_abs(), runner.name));
    let last = race.runners.iter().enumerate().max_by_key(|&(_, runner)| *runner).map_or(9, |(at, _)| at);
    let low = race.floats.iter().copied().min_by(|a, b| a.total_cmp(b)).unwrap_or(1.0);
    let high = race.floats[..n.min(5)].iter().max_by(|a, b| a.total_cmp(b));
    words[6] = u32::from(race.runners[1..].contains(&race.runners[0]))
        | u32::from(race.names[1..].contains(&race.names[0])) << 1
        | (last as u32) << 2
        | word(race.floats[0].total_cmp(&race.floats[1])) << 8
        | u32::from(*high.unwrap_or(&0.5) == low) << 16;
    words[7] =
        hash(&[most, *least.unwrap_or(&most), *oldest.unwrap_or(&most), *nearest.ok_or(Failure::of(3))?]);
    if *least.unwrap_or(&most) < *best {
        *best = most;
    }
    answers.send(Answer { words, sum: 0, x: low, on: *best == most });
    Ok(())
}
