//! Kernels that loop over arrays, slices and what iterators make of them, and that leave blocks by their labels.
#![allow(
    clippy::explicit_counter_loop,
    clippy::explicit_into_iter_loop,
    clippy::explicit_iter_loop,
    clippy::into_iter_on_ref,
    clippy::iter_skip_zero,
    clippy::manual_memcpy,
    clippy::manual_slice_fill,
    clippy::manual_swap,
    clippy::map_clone,
    clippy::needless_borrow,
    clippy::needless_range_loop,
    clippy::never_loop,
    clippy::redundant_slicing,
    clippy::reversed_empty_ranges,
    clippy::same_item_push,
    clippy::single_element_loop,
    clippy::while_let_loop
)] // They are what is tested.

use std::sync::atomic::{AtomicU32, Ordering};

use annulus_macros::{DeviceType, device_fn, ring_kernel};
use annulus_runtime::prelude::{Failure, Outbox};

use super::constructs::{Answer, Small};

#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Grid {
    pub rows: [[u16; 3]; 4],
    pub weights: [i32; 6],
    pub flags: [bool; 5],
    pub turns: u32,
}

const PRIMES: [u32; 6] = [2, 3, 5, 7, 11, 13];
const LATE: Failure = Failure::of(31);

/// Arrays and slices by reference, by value, and in place.
#[ring_kernel]
pub fn elements(small: &Small, grid: &mut Grid, answers: &Outbox<Answer>) {
    let mut words = [0u32; 8];
    for row in grid.rows.iter_mut() {
        for cell in row.iter_mut() {
            *cell = cell.wrapping_add(u16::from(small.a));
        }
        for cell in &mut *row {
            *cell ^= 1;
        }
    }
    for row in &grid.rows {
        for &cell in row {
            words[0] += u32::from(cell);
        }
    }
    for (i, row) in grid.rows.iter().enumerate() {
        for (j, cell) in row.iter().enumerate().rev() {
            words[1] = words[1].wrapping_mul(3) + u32::from(*cell) * (i * 3 + j) as u32;
        }
    }
    for value in grid.weights {
        grid.weights[0] = grid.weights[0].wrapping_add(value);
    }
    let copy = grid.weights;
    for mut value in copy {
        value /= 3;
        words[2] = words[2].wrapping_add(value as u32);
    }
    for weight in &mut grid.weights[1..4] {
        *weight = weight.wrapping_sub(1);
        if *weight > 100 {
            continue;
        }
        words[3] += 1;
    }
    for (flag, &prime) in grid.flags.iter_mut().zip(&PRIMES) {
        *flag = !*flag && prime != 5;
        if *flag {
            words[4] += prime;
        }
    }
    for prime in PRIMES.into_iter() {
        words[5] = words[5] * 2 + prime;
    }
    for pair in PRIMES.iter().zip(grid.weights.iter()).skip(1).step_by(2) {
        words[6] = words[6].wrapping_add(pair.0.wrapping_mul(*pair.1 as u32));
    }
    for value in [small.b, 7, small.b.wrapping_mul(2)].iter() {
        words[7] = words[7].wrapping_add(*value as u32);
    }
    for _ in grid.flags {
        grid.turns += 1;
    }
    answers.send(Answer { words, sum: i64::from(grid.turns), x: 0.0, on: grid.flags[4] });
}

/// What the methods of iterators make of one another.
#[ring_kernel]
pub fn adapters(small: &Small, answers: &Outbox<Answer>) {
    let n = usize::from(small.a % 16);
    let k = small.key as usize % 9;
    let list = [small.b, 1, -2, 3, -4, 5, -6, 7, -8, 9, i32::MIN];
    let mut words = [0u32; 8];
    for x in list.iter().skip(k).take(n).rev() {
        words[0] = words[0].wrapping_mul(31).wrapping_add(*x as u32);
    }
    for x in list.iter().rev().take(k).step_by(2) {
        words[1] = words[1].wrapping_mul(31).wrapping_add(*x as u32);
    }
    for (i, x) in list.iter().enumerate().skip(1).step_by(k + 1).rev() {
        words[2] = words[2].wrapping_mul(31).wrapping_add(*x as u32 + i as u32);
    }
    for (x, (i, y)) in list.iter().copied().zip(list.iter().rev().enumerate()).take(n) {
        words[3] = words[3].wrapping_mul(31).wrapping_add(x as u32 ^ (*y as u32) << i);
    }
    for i in (0..n).step_by(3).rev() {
        words[4] = words[4] * 7 + i as u32;
    }
    for (i, j) in (3..=small.a).zip((0..u32::from(small.key)).rev()).take(5) {
        words[5] = words[5].wrapping_mul(31).wrapping_add(u32::from(i) * j);
    }
    for (i, x) in (1i8..).zip(list.iter().skip(20 - n)) {
        words[6] = words[6].wrapping_add(*x as u32 * i as u32);
    }
    for i in (0..=u8::MAX).rev().skip(n).step_by(50).take(k) {
        words[6] = words[6].wrapping_mul(3) + u32::from(i);
    }
    for i in (i64::from(small.b)..i64::MAX).skip(n).take(k) {
        words[7] = words[7].wrapping_mul(3).wrapping_add(i as u32);
    }
    let mut sum = 0;
    for (w, window) in list.windows(k % 4 + 1).enumerate() {
        sum += i64::from(window[0]) * w as i64 + window.len() as i64;
    }
    for chunk in list.chunks(n % 5 + 1).rev() {
        sum *= 3;
        for (i, x) in chunk.iter().enumerate() {
            sum ^= i64::from(*x) << i;
        }
    }
    for chunk in list.chunks_exact(n + 1) {
        sum += i64::from(chunk[n]);
    }
    answers.send(Answer { words, sum, x: 0.0, on: small.on });
}

/// Parts of slices, what they have, and what fails.
#[ring_kernel]
pub fn slices(small: &Small, table: &[u32], answers: &Outbox<Answer>) -> Result<(), Failure> {
    let n = usize::from(small.a % 18);
    let k = small.key as usize % 18;
    let mut words = [0u32; 8];
    let local = [small.b as u32, 5, 6, 7, 8, 9, 10, 11, 12, 13];
    words[0] = table.get(n).copied().unwrap_or(1);
    words[1] = *table.first().unwrap_or(&2) ^ table.last().copied().unwrap_or(3);
    if let Some(part) = table.get(k..n) {
        words[2] = part.len() as u32 + part.first().copied().unwrap_or(100);
        for (at, x) in part.iter().enumerate() {
            words[3] ^= x.rotate_left(at as u32);
        }
    }
    let Some(&element) = local.get(n) else { return Err(LATE) };
    words[4] = element;
    let part = &local[k % 11..];
    words[5] = part.len() as u32;
    let part = &part[..part.len() / 2];
    words[5] += u32::from(part.is_empty()) * 100;
    let whole = &local[..];
    let (left, right) = whole.split_at(n);
    words[6] = left.last().copied().unwrap_or(3) + right.first().copied().unwrap_or(4);
    words[7] = local[n..=k].len() as u32;
    if let (Some(a), Some(b)) = (part.get(1), table.get(1..=n)) {
        words[7] += *a + b.len() as u32;
    }
    answers.send(Answer { words, sum: 0, x: 0.0, on: local.contains(&7) != table.contains(&(n as u32)) });
    Ok(())
}

/// What changes slices.
#[ring_kernel]
pub fn slices_changed(small: &Small, grid: &mut Grid, answers: &Outbox<Answer>) {
    let n = usize::from(small.a % 8);
    let k = small.key as usize % 7;
    let mut words = [1u32, 2, 3, 4, 5, 6, 7, 8];
    words[..n].fill(small.b as u32);
    words.swap(k, n);
    let mut other = [0u32; 8];
    other[k..].copy_from_slice(&words[k..]);
    other[..k].reverse();
    grid.weights.swap(n, k % 6);
    grid.rows[k % 4].fill(n as u16);
    grid.flags[1..].reverse();
    if let Some(row) = grid.rows.get_mut(n) {
        row[k % 3] = 77;
        if let Some(last) = row.last_mut() {
            *last += 1;
        }
    }
    let (low, high) = words.split_at_mut(4);
    for (a, b) in low.iter_mut().zip(high.iter_mut().rev()) {
        if *a < *b {
            *a = *b;
            *b = 1;
        }
    }
    high[0] += low[n % 4];
    let middle = &mut other[1..5];
    middle.reverse();
    for window in [1, 2] {
        middle[window] ^= window as u32;
    }
    let lengths = (low.len(), middle.len());
    if small.a > 250 {
        low.copy_from_slice(&other[..n]);
    }
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at += 1;
        other[7] = other[7].wrapping_mul(5).wrapping_add(*word);
    }
    answers.send(Answer {
        words: other,
        sum: (lengths.0 * 10 + lengths.1) as i64,
        x: 0.0,
        on: grid.flags[1],
    });
}

/// Bound memory, by its parts.
#[ring_kernel]
pub fn bound_slices(_: &super::Number, memory: &mut [u64], counters: &[AtomicU32], grids: &[Grid]) {
    for (i, x) in memory.iter_mut().enumerate() {
        *x = x.wrapping_add(i as u64);
    }
    for counter in counters.iter().skip(1).step_by(4) {
        counter.fetch_add(3, Ordering::Relaxed);
    }
    let half = memory.len() / 2;
    let (low, high) = memory.split_at_mut(half);
    for (a, b) in low.iter_mut().zip(&mut *high) {
        *a ^= *b;
        *b = b.rotate_left(7);
    }
    high[1..3].fill(9);
    low.swap(0, 2);
    for (grid, cell) in grids.iter().zip(low.iter_mut()) {
        for row in &grid.rows[1..] {
            for x in row {
                *cell = cell.wrapping_mul(31).wrapping_add(u64::from(*x));
            }
        }
        if let Some(true) = grid.flags.get(*cell as usize % 8) {
            *cell += 1;
        }
    }
    for c in &counters[..2] {
        c.fetch_xor(5, Ordering::Relaxed);
    }
}

/// Blocks and loops that are left by their labels, with values.
#[ring_kernel]
pub fn labels(small: &Small, answers: &Outbox<Answer>) -> Result<(), Failure> {
    let n = u32::from(small.a);
    let mut words = [0u32; 8];
    words[0] = 'found: {
        if n < 10 {
            break 'found n;
        }
        for (i, prime) in PRIMES.iter().enumerate() {
            if n % prime == 0 {
                break 'found i as u32 + 1000;
            }
        }
        77
    };
    let mut i = 0;
    let pair = 'outer: loop {
        i += 1;
        let step = 'step: {
            if i % 7 == 0 {
                continue 'outer;
            }
            if i > 40 + n {
                break 'outer None;
            }
            if i % 3 == 0 {
                break 'step 2;
            }
            'inner: for j in 0..i {
                words[1] += 1;
                'deep: {
                    if j == 4 {
                        break 'deep;
                    }
                    if j == 9 {
                        break 'inner;
                    }
                    if j * i > 200 + n {
                        break 'outer Some((i, j));
                    }
                    if j > 11 {
                        break 'step 5;
                    }
                    words[2] += 1;
                    continue 'inner;
                }
                words[3] += 1;
            }
            1
        };
        words[4] += step;
        if words[4] > 150 {
            break None;
        }
    };
    words[5] = match pair {
        Some((i, j)) => i * 100 + j,
        None => 1,
    };
    'unit: {
        if small.on {
            break 'unit;
        }
        words[6] = 5;
    }
    let kept: Option<u32> = 'search: {
        for row in [[1, 2], [n, 4]] {
            for (at, cell) in row.into_iter().enumerate() {
                if cell == 4 && at == 1 {
                    break 'search None;
                }
                if cell > 100 {
                    break 'search Some(cell);
                }
            }
        }
        Some(0)
    };
    words[7] = kept.ok_or(LATE)?;
    'never: {
        if n > 200 {
            break 'never;
        }
        answers.send(Answer { words, sum: 0, x: 0.0, on: small.on });
        return Ok(());
    }
    words[7] += 1;
    answers.send(Answer { words, sum: 1, x: 0.0, on: small.on });
    Ok(())
}

#[device_fn]
fn volume([a, b, c]: [i32; 3], &[d, mut e, ..]: &[i32; 6]) -> i32 {
    e = e.wrapping_mul(a);
    b.wrapping_mul(c).wrapping_add(d) ^ e
}

/// Arrays that patterns take apart: values, places, references, arrays in tuples and tuples in arrays.
#[ring_kernel]
pub fn taken_apart(small: &Small, grid: &mut Grid, answers: &Outbox<Answer>) {
    let mut words = [0u32; 8];
    let [first, mut second, ..] = grid.weights;
    second = second.wrapping_add(first);
    words[0] = second as u32;
    let [top, [left, _, right], ..] = &mut grid.rows;
    *left = left.wrapping_add(*right);
    top[1] ^= *left;
    for (i, [a, b, c]) in grid.rows.iter().enumerate() {
        words[1] = words[1]
            .wrapping_mul(31)
            .wrapping_add(u32::from(a ^ b.rotate_left(3)) * i as u32 + u32::from(*c));
    }
    words[2] = match [small.a % 3, small.key as u8 % 3] {
        [0, 0] => 1,
        [1, n @ (1..)] => u32::from(n) + 10,
        [n, 2] if n > 0 => 20,
        [..] => 3,
    };
    let [x, y] = [small.b, i32::from(small.a)];
    let pairs = [(x, small.on), (y, grid.flags[0])];
    let [(a, on), (b, off)] = pairs;
    words[3] = volume([a, b, 5], &grid.weights) as u32;
    if let Some([p, q]) = on.then_some([x, y]) {
        words[4] = p.wrapping_sub(q) as u32;
    }
    let ([low, high], shift) = ([second, y], 3);
    words[5] = (low.wrapping_mul(high) as u32) << shift;
    if let [true, ..] | [false, true, ..] = grid.flags {
        words[6] = 1;
    }
    let [ref mut kept, ..] = grid.weights;
    *kept = kept.wrapping_add(1);
    let mut swapped = [x, y];
    if matches!(swapped, [(1..), 0..=50]) {
        let [a, b] = swapped;
        swapped = [b, a];
    }
    let [a, b] = &swapped;
    answers.send(Answer { words, sum: i64::from(*a) * 3 - i64::from(*b), x: 0.0, on: off });
}
