//! Kernels with what Rust's users write without thinking of devices: copies, conversions, ranges that are asked, slices that are
//! turned, options that are filled.
#![allow(
    clippy::assigning_clones,
    clippy::clone_on_copy,
    clippy::manual_range_patterns,
    clippy::manual_unwrap_or_default,
    clippy::map_flatten,
    clippy::needless_borrow,
    clippy::redundant_clone,
    clippy::todo,
    clippy::unimplemented,
    clippy::unnecessary_lazy_evaluations,
    clippy::useless_conversion
)] // They are what is tested.

use std::{array, cmp::Reverse};

use annulus_macros::{DeviceType, device_fn, device_impl, ring_kernel};
use annulus_runtime::prelude::{Failure, List, Maybe, Outbox};

use super::more_values::{Asked, Shape, Told};

/// A state that is copied.
#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Kept {
    pub numbers: [i32; 8],
    pub last: i32,
    pub calls: u32,
}

#[device_fn]
fn small(value: i32) -> Result<u8, Failure> {
    value.try_into().map_err(|_| Failure::of(7))
}

/// `clone`, `try_into`, `todo!`.
#[ring_kernel]
pub fn copies(asked: &Asked, kept: &mut Kept, told: &Outbox<Told>) -> Result<(), Failure> {
    let before = kept.clone();
    let numbers = asked.numbers.clone();
    kept.numbers = numbers.clone();
    kept.last = numbers[asked.a.clone() as usize % 8].clone();
    kept.calls = kept.calls.wrapping_add(1);
    let shape = asked.shape.clone();
    let size = match shape {
        Shape::Round { size } | Shape::Square { size, .. } | Shape::Line(size, _) => size,
        Shape::Point => 0,
    };
    let maybe = asked.numbers.first().clone().copied().filter(|number| number.clone() > 3);
    let again = maybe.clone();
    let byte: u8 = asked.a.try_into().unwrap_or(u8::MAX);
    let narrow: i16 = i64::from(asked.b).try_into().unwrap_or_else(|_| -3);
    let Ok::<u64, _>(wide) = asked.b.try_into() else {
        kept.last = -1;
        told.send(Told { x: i64::from(before.last), y: i64::from(again.unwrap_or(5)) });
        return Ok(());
    };
    let index: usize = asked.key.try_into().expect("it fits");
    let word: [u8; 4] = asked.bytes[index % 3..][..4].try_into().unwrap();
    let half = <[u8; 4]>::try_from(&asked.bytes[..index % 9]).map_or(0, u32::from_le_bytes);
    let list: Result<[u16; 3], _> = asked.list.as_slice().try_into();
    let three = list.map(|[a, b, c]| i64::from(a) + 2 * i64::from(b) + 3 * i64::from(c)).unwrap_or(-1);
    if asked.key == 77 {
        todo!("never mind {}", 3)
    }
    if asked.key == 78 {
        unimplemented!()
    }
    let few = small(asked.b)?;
    told.send(Told {
        x: i64::from(byte) + i64::from(narrow) + i64::from(few) + i64::from(size) + three,
        y: (wide as i64)
            .wrapping_add(i64::from(u32::from_be_bytes(word)) << 8)
            .wrapping_add(i64::from(half) + i64::from(maybe.map_or(1, |number| number.clone())))
            .wrapping_add(i64::from(before.calls) ^ i64::from(before.numbers[3])),
    });
    Ok(())
}

/// `matches!` with guards, ranges that are asked.
#[ring_kernel]
pub fn asked_ranges(asked: &Asked, order: &mut u32, told: &Outbox<Told>) {
    let Asked { a, b, .. } = *asked;
    let n = asked.a as usize % 8;
    let mut x = 0i64;
    for holds in [
        matches!(asked.shape, Shape::Round { size } if size > 9),
        matches!(asked.shape, Shape::Line(size, 3) | Shape::Square { size, .. } if size.is_power_of_two()),
        matches!(asked.numbers.get(n), Some(&number) if (0..100).contains(&number)),
        matches!(asked.shape, Shape::Point if asked.on),
        matches!(a, 3..=900 if asked.numbers[n] / 3 != 0 && b < 40),
        matches!(u8::try_from(a), Ok(small) if small % 2 == 0),
        (1..=10).contains(&a),
        (-5..5).contains(&b),
        (a..=asked.key).contains(&77),
        (..100).contains(&a) && (b..).contains(&3) || (..=7u32).contains(&asked.key),
        !(asked.numbers[0]..asked.numbers[1]).contains(&asked.numbers[2]),
        (0.25..0.75).contains(&(asked.b as f32 / 100.0)),
        (f32::NAN..=1.0).contains(&0.5f32),
        ((0, 5)..=(a % 4, b)).contains(&(2, asked.numbers[n])),
        asked.numbers.iter().all(|number| (-1000..1000).contains(number)),
    ] {
        x = x * 2 + i64::from(holds);
    }
    // The ends come first, then what is asked for.
    *order = order.wrapping_add(1);
    let inside = ({
        *order = order.wrapping_mul(3);
        *order % 50
    }..{
        *order ^= a;
        *order % 90
    })
        .contains(&{
            *order = order.wrapping_sub(5);
            *order % 70
        });
    told.send(Told { x, y: i64::from(*order) * 2 + i64::from(inside) });
}

/// `chain`, `flatten`, `eq`, `rposition`, `find` that may change, `Reverse`.
#[ring_kernel]
pub fn joined_items(asked: &Asked, grid: &mut [[i32; 4]; 3], told: &Outbox<Told>) {
    let n = asked.a as usize % 9;
    let numbers = &asked.numbers;
    let mut x = 0i64;
    for (at, number) in numbers[..n].iter().chain(&grid[1]).chain(&[7, 8]).enumerate() {
        x = x.wrapping_mul(3).wrapping_add(i64::from(*number) ^ at as i64);
    }
    for at in (0..n).chain(5..7).rev().step_by(2) {
        x = x.wrapping_mul(5).wrapping_add(at as i64);
    }
    x = x.wrapping_add(
        numbers.iter().copied().chain(grid[0]).map(i64::from).filter(|n| n % 2 == 0).sum::<i64>(),
    );
    let [first, second, _] = grid;
    for number in first.iter_mut().skip(1).chain(second) {
        *number = number.wrapping_add(1);
    }
    // All elements of arrays of arrays, and what is in options.
    for cell in grid.iter_mut().flatten() {
        *cell = cell.wrapping_mul(3).wrapping_add(asked.b);
    }
    let all: i64 = grid.iter().flatten().enumerate().map(|(at, cell)| i64::from(*cell) * at as i64).sum();
    let small: u32 = numbers.iter().map(|number| u8::try_from(*number).ok()).flatten().map(u32::from).sum();
    let row = grid.iter().flatten().copied().rev().find(|cell| cell % 3 == 0);
    let mut y = all.wrapping_add(i64::from(small)).wrapping_add(i64::from(row.unwrap_or(1)));
    y = y.wrapping_mul(2) + i64::from(grid[0].iter().eq(&grid[1]));
    y = y.wrapping_mul(2)
        + i64::from(asked.bytes[..n.min(8)].iter().rev().eq(asked.bytes[8 - n.min(8)..].iter()));
    y = y.wrapping_mul(2) + i64::from((0..n as u32).eq([0, 1, 2]));
    let behind = numbers.iter().rposition(|number| *number > asked.b);
    let even = numbers[..n].iter().map(|number| number / 2).rposition(|half| half % 2 == 0);
    y = y.wrapping_add(behind.map_or(-7, |at| at as i64) * 100 + even.map_or(-9, |at| at as i64));
    // What is found may be changed.
    if let Some(cell) = grid[1].iter_mut().find(|cell| **cell > asked.b) {
        *cell = cell.wrapping_sub(9);
    }
    if let Some((at, cell)) = grid[2].iter_mut().enumerate().filter(|(at, _)| at % 2 == 1).last() {
        *cell ^= at as i32;
    }
    if let Some(cell) = grid[0].iter_mut().min_by_key(|cell| cell.wrapping_abs() % 16) {
        *cell = 3;
    }
    if let Some(cell) = grid.iter_mut().flatten().max_by(|a, b| a.cmp(b)) {
        *cell /= 2;
    }
    let mut bytes = asked.bytes;
    bytes.sort_by_key(|byte| std::cmp::Reverse(byte % 16));
    let most = numbers.iter().min_by_key(|number| Reverse(number.wrapping_abs() % 8));
    let least = numbers.iter().enumerate().max_by_key(|(_, number)| Reverse(number.wrapping_abs() % 8));
    for byte in bytes {
        x = x.wrapping_mul(31).wrapping_add(i64::from(byte));
    }
    x = x.wrapping_add(i64::from(*most.unwrap_or(&0)));
    y = y.wrapping_add(least.map_or(0, |(at, _)| at as i64));
    told.send(Told { x, y });
}

/// How a `Gate` filters.
#[derive(DeviceType, Clone, Copy, Debug, Default, PartialEq)]
#[repr(u8)]
pub enum Mode {
    #[default]
    Even,
    Above(i32),
}

/// Its methods have the names of those of lists, options and booleans that call a closure.
#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Gate {
    open: u32,
    least: i32,
}

#[device_impl]
impl Gate {
    fn retain(&mut self, mode: Mode) -> bool {
        self.open += 1;
        match mode {
            Mode::Even => self.least % 2 == 0,
            Mode::Above(limit) => self.least > limit,
        }
    }

    fn filter(&self, mode: Mode) -> i32 {
        if matches!(mode, Mode::Even) { self.least & !1 } else { self.least }
    }

    fn then(self, mode: Mode) -> Self {
        let least = if let Mode::Above(limit) = mode { limit } else { 0 };
        Self { least, ..self }
    }

    fn zip(&self, other: i32) -> i64 {
        i64::from(self.least) * i64::from(other)
    }

    fn flatten(self) -> i32 {
        self.least.wrapping_abs()
    }

    fn midpoint(&self) -> i32 {
        self.least / 2
    }
}

/// Own methods with the names of those that call closures.
#[ring_kernel]
pub fn own_gates(asked: &Asked, gate: &mut Gate, told: &Outbox<Told>) {
    gate.least = asked.numbers[0];
    let even = gate.retain(Mode::Even);
    let above = gate.retain(Mode::Above(asked.b));
    let x = i64::from(gate.filter(Mode::Even)) + i64::from(gate.filter(Mode::Above(3)));
    let then = gate.then(Mode::Even).then(Mode::Above(asked.b));
    let y = gate.zip(then.flatten() / 2) + i64::from(gate.midpoint());
    told.send(Told { x: x * 4 + i64::from(even) * 2 + i64::from(above), y: y + i64::from(gate.open) });
}

/// `split_first` and its kin, `rotate_left`, `partition_point`, `map` of arrays.
#[ring_kernel]
pub fn turned_slices(asked: &Asked, grid: &mut [[i32; 4]; 3], told: &Outbox<Told>) {
    let n = asked.a as usize % 9;
    let Asked { numbers, mut bytes, list, .. } = *asked;
    let mut x = 0i64;
    if let Some((first, rest)) = numbers[..n].split_first() {
        x += i64::from(*first) * rest.len() as i64;
        if let Some((&last, middle)) = rest.split_last() {
            x = x * 3 + i64::from(last) - middle.iter().map(|number| i64::from(*number)).sum::<i64>();
        }
    }
    let Some((&head, tail)) = list.as_slice().split_first() else {
        told.send(Told { x, y: -1 });
        return;
    };
    x = x.wrapping_mul(5).wrapping_add(i64::from(head) << tail.len());
    if let Some((first, rest)) = grid[n % 3].split_first_mut() {
        *first = first.wrapping_add(rest[2]);
        if let Some((last, before)) = rest.split_last_mut() {
            *last ^= before[1];
        }
    }
    bytes.rotate_left(n.min(8));
    let mut turned = numbers;
    turned[n.min(3)..].rotate_right(n % 5);
    turned.rotate_left(asked.key as usize % 10);
    grid[1].rotate_right(1);
    let mut sorted = numbers;
    sorted.sort();
    let at = sorted.partition_point(|number| *number < asked.b);
    // Whose elements are in no order, it asks for the same ones.
    let mut asks = 0u32;
    let some = numbers[..n].partition_point(|&number| {
        asks += 1;
        number % 3 != 0
    });
    let lower = bytes.map(|byte| byte.to_ascii_lowercase());
    let pairs = numbers.map(|number| (number.wrapping_mul(2), number % 2 == 0));
    let mut grown = grid.map(|row| row.map(i64::from));
    let largest = grown.map(|row| row.iter().copied().max());
    grown[0][1] += 1;
    let mut y = 0i64;
    for (byte, (double, even)) in lower.into_iter().zip(pairs) {
        y = y.wrapping_mul(31).wrapping_add(i64::from(byte) ^ (i64::from(double) + i64::from(even)));
    }
    for number in turned {
        y = y.wrapping_mul(7).wrapping_add(i64::from(number));
    }
    for (row, largest) in grown.iter().zip(largest) {
        y = y.wrapping_mul(3).wrapping_add(row[1] ^ largest.unwrap_or(0));
    }
    told.send(Told { x: x.wrapping_mul(1000) + (at * 100 + some * 10) as i64 + i64::from(asks), y });
}

/// `ilog10`, `midpoint`; `zip`, `flatten` and `get_or_insert` of options.
#[ring_kernel]
pub fn filled_options(asked: &Asked, kept: &mut Maybe<i32>, told: &Outbox<Told>) {
    let Asked { a, b, key, .. } = *asked;
    let [first, second, third, ..] = asked.numbers;
    let mut x = i64::from(a.midpoint(key)) + i64::from(b.midpoint(first));
    x = x.wrapping_mul(3) + i64::from((b as i8).midpoint(first as i8));
    x = x.wrapping_mul(3)
        + i64::from((a as u8).midpoint(key as u8))
        + u64::midpoint(u64::MAX, a.into()) as i64;
    x = x.wrapping_mul(3).wrapping_add(i64::midpoint(i64::MIN + i64::from(a), b.into()));
    x = x.wrapping_mul(3).wrapping_add((a as usize).midpoint(n_of(key)) as i64);
    let logs = (a.max(1).ilog10(), (u64::from(a) << 32 | 1).ilog10(), (a as u8 | 1).ilog10());
    x = x.wrapping_mul(9) + i64::from(logs.0 * 400 + logs.1 * 20 + logs.2);
    if b > 0 {
        x = x.wrapping_mul(9) + i64::from(b.ilog10()) + i64::from((b as i8 & 0x7f).max(1).ilog10());
    } else if key % 16 == 3 {
        // What is not positive has none.
        x += i64::from(b.ilog10());
    }
    let even = (first % 2 == 0).then_some(first);
    let byte = u8::try_from(second).ok();
    let mut y = match even.zip(byte) {
        Some((even, byte)) => i64::from(even) * i64::from(byte),
        None => -1,
    };
    if let Some((a, b)) = asked.numbers[..n_of(a)].first().zip(asked.list.as_slice().last()) {
        y += i64::from(*a) - i64::from(*b);
    }
    let nested = even.map(|even| u8::try_from(even / 2).ok());
    y = y * 3 + nested.flatten().map_or(7, i64::from);
    y = y * 3 + i64::from(Some(byte).flatten().is_some());
    let mut option = (third > 0).then_some(third);
    *option.get_or_insert(b) ^= 5;
    y = y.wrapping_mul(3) + i64::from(option.unwrap_or(0));
    // What is put in is made before.
    let mut count = byte.map(u32::from);
    let was = count.replace(count.unwrap_or(9) + 1);
    y = y.wrapping_mul(3) + i64::from(count.unwrap_or(0)) - i64::from(was.is_some());
    let mut own = byte;
    let kept_own = *own.get_or_insert(own.map_or(77, |byte| byte / 2));
    y = y.wrapping_mul(3) + i64::from(kept_own);
    let mut calls = 0u32;
    let mut other = byte;
    let got = other.get_or_insert_with(|| {
        calls += 1;
        key as u8
    });
    *got = got.wrapping_add(1);
    y = y.wrapping_mul(3)
        + i64::from(other == Some(key as u8 ^ 1))
        + i64::from(other.unwrap())
        + i64::from(calls);
    let mut before = kept.get();
    let last = *before.get_or_insert_with(|| first);
    kept.set(if a % 3 == 0 { None } else { Some(last.wrapping_add(b)) });
    told.send(Told { x, y: y.wrapping_mul(3).wrapping_add(last.into()) });
}

/// `array::from_fn`, `flatten` of results, lists without room.
#[ring_kernel]
pub fn made_arrays(asked: &Asked, nothing: &mut List<u32, 0>, told: &Outbox<Told>) {
    let numbers = asked.numbers;
    let squares: [i64; 8] =
        std::array::from_fn(|i| i64::from(numbers[i]).wrapping_mul(i64::from(numbers[i])));
    let mut asks = 0u32;
    let table = array::from_fn::<_, 3, _>(|row| {
        array::from_fn(|column: usize| {
            asks += 1;
            (numbers[row * 2 + column] as u16).rotate_left(row as u32) ^ asks as u16
        })
    });
    let table: [[u16; 2]; 3] = table;
    let powers: [u32; 5] = core::array::from_fn(power);
    let bytes: i64 = numbers.iter().map(|number| u8::try_from(*number)).flatten().map(i64::from).sum();
    let small = [asked.a, asked.key, 7]
        .into_iter()
        .map(|number| if number % 3 == 0 { Err(Failure::of(3)) } else { Ok(number) })
        .flatten()
        .fold(1u32, |all, number| all.wrapping_mul(31).wrapping_add(number));
    let mut x = squares.iter().fold(0i64, |all, square| all.wrapping_mul(3).wrapping_add(*square));
    for [a, b] in table {
        x = x.wrapping_mul(5) + i64::from(a) - i64::from(b);
    }
    x = x.wrapping_add(powers.iter().map(|power| i64::from(*power)).sum());
    let refused = nothing.push(asked.a).is_err();
    let gone = nothing.pop().is_none() && nothing.is_empty() && nothing.is_full();
    nothing.retain(|number| *number > 3);
    nothing.clear();
    let sum: u32 = nothing.iter().sum();
    let same =
        *nothing == List::<u32, 0>::default() && nothing.as_slice().is_empty() && !nothing.contains(&asked.a);
    let y = bytes.wrapping_mul(64) + i64::from(small) * 16 + i64::from(asks);
    told.send(Told {
        x,
        y: y + i64::from(refused) * 4
            + i64::from(gone) * 2
            + i64::from(same)
            + i64::from(sum)
            + nothing.len() as i64,
    });
}

#[device_fn]
fn power(exponent: usize) -> u32 {
    7u32.pow(exponent as u32)
}

#[device_fn]
fn n_of(value: u32) -> usize {
    value as usize % 9
}
