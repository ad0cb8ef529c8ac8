//! Kernels with closures where the standard library calls them, iterators that are used up, and methods of slices and numbers.
#![allow(
    clippy::double_ended_iterator_last,
    clippy::filter_next,
    clippy::iter_nth_zero,
    clippy::manual_filter,
    clippy::manual_is_multiple_of,
    clippy::manual_map,
    clippy::manual_range_contains,
    clippy::map_unwrap_or,
    clippy::needless_return,
    clippy::redundant_closure,
    clippy::search_is_some,
    clippy::unnecessary_fold,
    clippy::unnecessary_lazy_evaluations,
    clippy::unnecessary_map_or,
    clippy::suspicious_map
)] // They are what is tested.

use annulus_macros::{RingMessage, device_fn, ring_kernel};
use annulus_runtime::prelude::{Failure, Outbox};

use super::more_values::{Asked, Told};

#[device_fn]
fn half(value: i32) -> i32 {
    value / 2
}

#[device_fn]
fn some_half(value: u32) -> Option<u32> {
    if value % 2 == 0 { Some(value / 2) } else { None }
}

#[device_fn]
fn is_odd(value: &i32) -> bool {
    value % 2 != 0
}

/// Closures of `Option`, `Result` and `bool`.
#[ring_kernel]
pub fn option_closures(asked: &Asked, calls: &mut u32, told: &Outbox<Told>) -> Result<(), Failure> {
    let at = asked.a as usize % 11;
    let found = asked.numbers.get(at);
    let mut x = i64::from(found.map_or(-1, |number| number.wrapping_mul(3)));
    x += i64::from(found.copied().map(half).unwrap_or(0));
    x += found.map(|number| i64::from(*number) + i64::from(asked.b)).unwrap_or_else(|| i64::from(asked.key));
    x += i64::from(found.is_some_and(|number| *number > 3))
        + 2 * i64::from(found.is_none_or(|number| *number < 3));
    let halved =
        Some(asked.a).and_then(some_half).and_then(|half| if half > 9 { some_half(half) } else { None });
    x += i64::from(halved.or_else(|| Some(asked.key)).unwrap_or_default());
    // A closure that changes what is around it.
    let mut seen = 0;
    let y = asked.on.then(|| {
        seen += 1;
        asked.b.wrapping_abs()
    });
    *calls = calls.wrapping_add(seen);
    x = x.wrapping_add(i64::from(y.filter(|y| y % 2 == 0).map_or_else(|| 5, |y| y.wrapping_add(1))));
    let told_pair = Some((asked.a, asked.b)).map(|(a, b)| (b, a));
    let (b, a) = told_pair.unwrap_or((1, 2));
    let result = u8::try_from(asked.a % 300).map_err(|_| Failure::of(9));
    let checked = asked.b.checked_mul(3).ok_or_else(|| Failure::of(3 + (asked.a % 5) as u16));
    let sum = match result {
        Ok(small) => i64::from(small),
        Err(failure) if asked.on => i64::from(failure.code()),
        Err(failure) => return Err(failure),
    };
    let ok = checked.map(|value| i64::from(value) * 2).unwrap_or_else(|failure| i64::from(failure.code()));
    let fine = checked.is_ok_and(|value| value > 0) || checked.is_err_and(|failure| failure.code() == 4);
    let again: Result<i32, Failure> = checked.and_then(|value| value.checked_sub(7).ok_or(Failure::of(2)));
    let least = again.or_else(|failure| if failure.code() == 2 { Ok(0) } else { Err(failure) })?;
    told.send(Told { x, y: sum + ok + i64::from(fine) + i64::from(a) + i64::from(b) + i64::from(least) });
    Ok(())
}

/// Iterators that are used up.
#[ring_kernel]
pub fn used_up(asked: &Asked, state: &mut i64, told: &Outbox<Told>) {
    let numbers = &asked.numbers;
    let factor = asked.b % 7;
    let n = asked.a as usize % 9;
    let wide: i64 = numbers.iter().map(|number| i64::from(*number)).sum();
    let bytes = asked.bytes[..n].iter().map(|byte| u32::from(*byte)).sum::<u32>();
    let few: i32 =
        numbers.iter().filter(|number| **number > -100 && **number < 100).map(|n| n * factor).sum();
    let product: i64 = (1..=i64::from(asked.a % 6)).product();
    let odd = numbers.iter().filter(|number| is_odd(number)).count();
    let any = numbers.iter().any(|&number| number == asked.b || number == factor);
    let all = asked.bytes.iter().all(|byte| byte.is_ascii());
    let at = asked.bytes.iter().position(|byte| *byte == asked.bytes[n.min(7)]);
    let last_small = numbers.iter().enumerate().filter(|(_, number)| **number < 10).map(|(at, _)| at).last();
    let least = numbers.iter().min();
    let most = numbers.iter().copied().max().unwrap_or(i32::MIN);
    let nearest = numbers.iter().min_by_key(|number| number.wrapping_sub(factor).unsigned_abs());
    let (farthest, _) =
        numbers.iter().enumerate().max_by_key(|(_, number)| number.unsigned_abs()).unwrap_or((0, &0));
    let folded = asked.bytes.iter().rev().fold(7u32, |hash, byte| hash.wrapping_mul(31) ^ u32::from(*byte));
    let (low, high) = numbers.iter().fold((i32::MAX, i32::MIN), |(low, high), &n| (low.min(n), high.max(n)));
    let found = numbers.iter().find(|number| **number > factor);
    let first_pair = numbers.chunks_exact(2).map(|pair| (pair[0], pair[1])).find(|(a, b)| a < b);
    let mapped = numbers.iter().find_map(|number| u8::try_from(*number).ok());
    let mut counted = 0u32;
    numbers.iter().take(n).for_each(|number| {
        if *number > 0 {
            counted += 1;
        }
    });
    let some = (0..n).zip(numbers).map(|(i, number)| i64::from(*number) * i as i64).sum::<i64>();
    let lazily = numbers
        .iter()
        .inspect(|_| counted += 100)
        .take_while(|number| **number > -1_000_000)
        .skip_while(|number| **number < 0)
        .filter_map(|number| number.checked_add(1))
        .enumerate()
        .skip(1)
        .take(2)
        .map(|(i, number)| i as i64 + i64::from(number))
        .sum::<i64>();
    for (i, number) in numbers.iter().map(|number| number / 3).filter(|third| *third != 0).enumerate() {
        if i > 4 {
            break;
        }
        *state = state.wrapping_mul(5).wrapping_add(i64::from(number));
    }
    let empty: f32 = asked.bytes[..0].iter().map(|byte| f32::from(*byte)).sum();
    let x = wide
        .wrapping_add(i64::from(bytes))
        .wrapping_add(i64::from(few))
        .wrapping_add(product)
        .wrapping_add(odd as i64)
        .wrapping_add(i64::from(any) * 3 + i64::from(all))
        .wrapping_add(at.map_or(-9, |at| at as i64))
        .wrapping_add(last_small.unwrap_or(50) as i64)
        .wrapping_add(i64::from(*least.unwrap_or(&0)) ^ i64::from(most));
    let y = i64::from(*nearest.unwrap_or(&1))
        .wrapping_add(farthest as i64)
        .wrapping_add(i64::from(folded))
        .wrapping_add(i64::from(low) - i64::from(high))
        .wrapping_add(found.map_or(3, |found| i64::from(*found)))
        .wrapping_add(first_pair.map_or(0, |(a, b)| i64::from(a) * 2 + i64::from(b)))
        .wrapping_add(i64::from(mapped.unwrap_or(200)))
        .wrapping_add(i64::from(counted))
        .wrapping_add(some)
        .wrapping_add(lazily)
        .wrapping_add(i64::from(empty.to_bits()));
    told.send(Told { x, y });
}

/// A message of numbers.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Numbers {
    pub signed: i32,
    pub tiny: i8,
    pub wide: u64,
    pub byte: u8,
    pub x: f32,
    pub y: f64,
}

/// What they come to.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Roots {
    pub signed: i32,
    pub wide: u64,
    pub byte: u8,
    pub tiny: i8,
}

/// Roots of integers.
#[ring_kernel]
pub fn integer_roots(numbers: &Numbers, roots: &Outbox<Roots>) {
    let signed = if numbers.byte > 250 { numbers.signed } else { numbers.signed.wrapping_abs().max(0) };
    roots.send(Roots {
        signed: signed.isqrt(),
        wide: numbers.wide.isqrt(),
        byte: numbers.byte.isqrt(),
        tiny: numbers.tiny.max(0).isqrt(),
    });
}

/// What they come to.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Curves {
    pub sine: f32,
    pub cosine: f32,
    pub less: f32,
    pub more: f64,
}

/// Functions of floats, which targets have of their own.
#[ring_kernel]
pub fn curves(numbers: &Numbers, curves: &Outbox<Curves>) {
    let (sine, cosine) = (numbers.x % 100.0).sin_cos();
    curves.send(Curves { sine, cosine, less: (numbers.x % 80.0).exp_m1(), more: numbers.y.abs().ln_1p() });
}

/// Slices that are moved, sorted and searched.
#[ring_kernel]
pub fn ordered(asked: &Asked, memory: &mut [i32; 8], told: &Outbox<Told>) {
    let n = asked.a as usize % 9;
    let mut bytes = asked.bytes;
    bytes.sort_unstable();
    let mut numbers = asked.numbers;
    numbers[..n].sort_unstable();
    let mut flags = [asked.on, true, asked.a > 7, false];
    flags.sort_unstable();
    let found = bytes.binary_search(&asked.bytes[0]);
    let missing = bytes[..n].binary_search(&b'm');
    let mut moved = asked.bytes;
    let to = asked.key as usize % 7;
    moved.copy_within(n.min(6)..7, to % 2);
    moved.copy_within(..n.min(3), to.min(5));
    if asked.on && asked.b > 1000 {
        // Fails where it does not fit.
        moved.copy_within(to.., n);
        moved.copy_within(n..to, 0);
    }
    let x = match found {
        Ok(at) => at as i64,
        Err(at) => -1 - at as i64,
    };
    let y = match missing {
        Ok(at) | Err(at) => at as i64,
    };
    let hash = moved.iter().fold(0i64, |hash, byte| hash.wrapping_mul(257) + i64::from(*byte));
    for (kept, number) in memory.iter_mut().zip(&numbers) {
        *kept = kept.wrapping_mul(3) ^ number;
    }
    memory[n.min(7)..].fill(asked.b);
    let first = i64::from(flags[0]) + 2 * i64::from(flags[2]);
    told.send(Told { x: x * 1000 + first, y: y + hash });
}
