//! Kernels that take bytes apart: slices that are matched, and variables that are slices.
#![allow(clippy::needless_borrow, clippy::single_match, clippy::toplevel_ref_arg)] // They are what is tested.

use annulus_macros::{ErrorCode, device_fn, ring_kernel};
use annulus_runtime::prelude::{Failure, Outbox};

use super::more_values::{Asked, Told};

/// The sum of the numbers at the beginning of `bytes`, and how many bytes they take: each has as many bytes as its first one says.
#[device_fn]
fn sum_of(mut bytes: &[u8], most: usize) -> (u64, usize) {
    let all = bytes.len();
    let mut sum = 0u64;
    for _ in 0..most {
        let Some((&first, rest)) = bytes.split_first() else { break };
        let size = usize::from(first % 4);
        if rest.len() < size {
            break;
        }
        let (number, behind) = rest.split_at(size);
        sum = sum.wrapping_mul(3) + number.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
        bytes = behind;
    }
    (sum, all - bytes.len())
}

#[device_fn]
fn kind_of(bytes: &[u8]) -> u32 {
    match bytes {
        [] => 0,
        b"GET" | b"PUT" => 1,
        [0] => 2,
        &[one] => 3 + u32::from(one % 2),
        [b'0'..=b'9', .., b'0'..=b'9'] => 5,
        [first, middle @ .., last] if first == last => 6 + middle.len() as u32,
        [1, _, rest @ ..] | [_, 1, rest @ .., _] => {
            100 + rest.iter().map(|byte| u32::from(*byte)).sum::<u32>()
        }
        [.., 7] => 20,
        &[a, b, ..] => 30 + u32::from(a ^ b),
    }
}

/// How a text is no number.
#[derive(ErrorCode, Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoNumber {
    Empty = 1,
    Strange,
    Large,
}

#[device_fn]
fn number_of(text: &[u8]) -> Result<i32, NoNumber> {
    let (negative, mut digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    if digits.is_empty() {
        return Err(NoNumber::Empty);
    }
    let mut value = 0i32;
    while let [first, rest @ ..] = digits {
        let digit = match first {
            b'0'..=b'9' => i32::from(first - b'0'),
            _ => return Err(NoNumber::Strange),
        };
        value = value.checked_mul(10).and_then(|value| value.checked_add(digit)).ok_or(NoNumber::Large)?;
        digits = rest;
    }
    Ok(if negative { -value } else { value })
}

/// Patterns of slices and arrays; variables that are slices.
#[ring_kernel]
pub fn take_apart(asked: &Asked, grid: &mut [[i32; 4]; 3], told: &Outbox<Told>) -> Result<(), Failure> {
    let n = asked.a as usize % 9;
    let mut x = i64::from(kind_of(&asked.bytes[..n])) + i64::from(kind_of(asked.text.as_bytes()));
    let (sum, taken) = sum_of(&asked.bytes, n);
    x = x.wrapping_mul(31).wrapping_add(sum as i64 ^ taken as i64);
    // A list of texts.
    let mut rest = asked.text.as_bytes();
    let mut commas = 0i64;
    while !rest.is_empty() {
        let at = rest.iter().position(|byte| byte % 4 == 0).unwrap_or(rest.len());
        let part = &rest[..at];
        rest = if at < rest.len() { &rest[at + 1..] } else { &rest[..0] };
        commas = commas * 5 + part.len() as i64 + part.first().map_or(0, |byte| i64::from(*byte));
        if let [.., b'a'..=b'z'] = part {
            continue;
        }
        commas += rest.len() as i64;
    }
    let number = match asked.key % 5 {
        0 => number_of(b"-2147483647"),
        1 => number_of(b"99999999999"),
        2 => number_of(b"-"),
        3 => number_of(&[b'0' + asked.bytes[0] % 11, b'7']),
        _ => number_of(&asked.bytes[n..]),
    };
    let mut y = commas.wrapping_mul(7).wrapping_add(match number {
        Ok(number) => i64::from(number),
        Err(NoNumber::Strange) => -1,
        Err(other) => -(other as i64) * 1000,
    });
    // Arrays by value and by reference.
    let [first, .., last] = asked.numbers;
    let [_, second, middle @ .., _, before] = asked.numbers;
    let [head, ref tail @ ..] = asked.bytes;
    y = y.wrapping_mul(3).wrapping_add(i64::from(first) ^ i64::from(last) << 3);
    y = y.wrapping_add(
        i64::from(second.wrapping_sub(before)) + middle.iter().map(|n| i64::from(*n)).max().unwrap_or(0),
    );
    y = y.wrapping_add(i64::from(head) * tail.len() as i64 + middle.len() as i64);
    let [top, others @ ..] = grid;
    if let [a, .., b] = &mut top[..n.min(4)] {
        std::mem::swap(a, b);
        *a = a.wrapping_add(1);
    }
    // A part by reference is changed in its array: in a state, and in a variable.
    let [_, ref mut behind @ ..] = others[(n + 1) % 2];
    behind[n % 3] = behind[n % 3].wrapping_add(5);
    let mut pair = [asked.numbers[0], asked.numbers[1], 3];
    let [ref mut front @ .., _] = pair;
    front[0] = front[0].wrapping_add(front[1]);
    y = y.wrapping_mul(3).wrapping_add(i64::from(pair[0]) ^ i64::from(pair[2]));
    // It goes through the rows of a table, which it changes.
    let mut cells = &mut others[n % 2][..];
    let mut turns = 0;
    while let [cell, next @ ..] = cells {
        turns += 1;
        *cell = cell.wrapping_mul(2).wrapping_add(turns);
        cells = if turns == 2 { &mut next[1..] } else { next };
    }
    let mut window = &asked.numbers[..];
    // What was read stays where it was.
    let before = window;
    let one = &window[n % 8];
    window = &window[n.min(3)..];
    let (mut left, mut right) = window.split_at(window.len() / 2);
    (left, right) = (right, left);
    y = y.wrapping_mul(5) + i64::from(before[0]) + i64::from(*one) + i64::from(left[0]) * right.len() as i64;
    for pair in asked.numbers.chunks_exact(2) {
        let &[a, b] = pair else { continue };
        y = y.wrapping_add(i64::from(a) - i64::from(b));
    }
    for window in asked.bytes.windows(3) {
        if let [a, b, c] = window
            && a <= b
            && b <= c
        {
            y = y.wrapping_add(1);
        }
    }
    told.send(Told { x, y });
    Ok(())
}
