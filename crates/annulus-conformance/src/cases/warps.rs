//! Handlers whose warps exchange values.
#![allow(clippy::manual_is_multiple_of)] // Remainders, as one writes them.

use annulus_abi::error;
use annulus_runtime::{CallError, LaunchOptions};

use crate::{
    Bench,
    bench::{balanced, drain},
    kernels::{
        number,
        together::TORN,
        warps::{also, of_warps, part_of, torn_warps, word_of},
    },
};

/// Sizes of blocks: parts of a warp, whole warps, and both.
const BLOCKS: [u32; 4] = [1, 20, 64, 250];

/// The values of a block's threads, each warp apart.
fn warps<T: Copy>(values: &[T]) -> impl Iterator<Item = &[T]> {
    values.chunks(32)
}

/// What each thread gets of the lane that `from` says, or its own.
fn from_lane<T: Copy>(values: &[T], from: impl Fn(i64) -> i64) -> Vec<T> {
    let get = |warp: &[T], lane: usize| {
        let from = usize::try_from(from(lane as i64)).unwrap_or(usize::MAX);
        *warp.get(from).unwrap_or(&warp[lane])
    };
    warps(values).flat_map(|warp| (0..warp.len()).map(move |lane| get(warp, lane))).collect()
}

/// The same value for all threads of a warp.
fn of_each_warp<T: Copy, R: Copy>(values: &[T], result: impl Fn(&[T]) -> R) -> Vec<R> {
    warps(values).flat_map(|warp| vec![result(warp); warp.len()]).collect()
}

fn scan<T: Copy>(values: &mut [T], combine: impl Fn(T, T) -> T + Copy) {
    let mut by_warp = |values: &mut [T]| {
        for distance in [1, 2, 4, 8, 16] {
            for index in (distance..values.len()).rev() {
                values[index] = combine(values[index - distance], values[index]);
            }
        }
    };
    values.chunks_mut(32).for_each(&mut by_warp);
    let mut last: Vec<T> = warps(values).map(|warp| warp[warp.len() - 1]).collect();
    by_warp(&mut last);
    for (warp, before) in values.chunks_mut(32).skip(1).zip(last) {
        warp.iter_mut().for_each(|value| *value = combine(before, *value));
    }
}

/// What [`of_warps`] answers.
fn answer(value: u64, threads: u32) -> u64 {
    let own: Vec<u64> = (0..threads).map(|thread| word_of(value, thread)).collect();
    let by = i64::from(value as u32);
    let mut hashes = from_lane(&own, |_| by);
    let mut add = |words: Vec<u64>| {
        for (hash, word) in hashes.iter_mut().zip(words) {
            *hash = also(*hash, word);
        }
        hashes.clone()
    };
    add(from_lane(&own, |lane| lane - by).into_iter().map(|word| u64::from(word as u32)).collect());
    add(from_lane(&own, |lane| lane + by).into_iter().map(|word| word as i16 as u64).collect());
    add(from_lane(&own, |lane| lane ^ by)
        .into_iter()
        .map(|word| u64::from((word as f32).to_bits()))
        .collect());
    let ballot = |warp: &[u64]| (0..).zip(warp).map(|(lane, word)| u64::from(word % 3 == 0) << lane).sum();
    add(of_each_warp(&own, ballot));
    add(of_each_warp(&own, |warp| warp.iter().any(|word| word % 64 == 0).into()));
    let told = add(of_each_warp(&own, |warp| warp.iter().all(|word| word % 16 != 0).into()));
    add(from_lane(&told, |lane| lane & !1));
    let mut sums = own.clone();
    for step in 0..5 {
        let others = from_lane(&sums, |lane| lane ^ (1 << step));
        sums.iter_mut().zip(others).for_each(|(sum, other)| *sum = sum.wrapping_add(other));
    }
    add(sums);
    let mut parts: Vec<f32> = (0..).zip(&own).map(|(thread, word)| part_of(*word, thread)).collect();
    add(of_each_warp(&parts, |warp| {
        let mut warp = warp.to_vec();
        for distance in [16, 8, 4, 2, 1] {
            for index in 0..distance.min(warp.len().saturating_sub(distance)) {
                warp[index] += warp[index + distance];
            }
        }
        warp[0].to_bits().into()
    }));
    scan(&mut parts, |a, b| a + b);
    add(parts.iter().map(|part| part.to_bits().into()).collect());
    let mut bytes: Vec<i8> = own.iter().map(|word| *word as i8).collect();
    scan(&mut bytes, |a, b| a.wrapping_add(b).rotate_left(1));
    bytes.insert(0, -7);
    add(bytes.iter().map(|byte| *byte as u64).collect());
    (0..).zip(hashes).fold(0, |all, (thread, hash): (u64, _)| all ^ hash.wrapping_mul(2 * thread + 1))
}

/// Shuffles, votes, warp reductions and scans, in blocks of whole warps and parts of them.
pub fn x02_b07_b08_threads_of_a_warp_exchange(bench: &Bench) {
    // Where others go through the cases at their usual size, one will do: the program takes long to compile.
    let sizes = if bench.size(200, 200) < 200 { &BLOCKS[3..] } else { &BLOCKS[..] };
    for &threads in sizes {
        let kernel = of_warps::launch(bench.runtime(), LaunchOptions::default().block(threads)).unwrap();
        for value in [0, 1, 7, 16, 31, 32, 0x0123_4567_0000_0002, u64::from(u32::MAX), u64::MAX << 31] {
            let expected = Ok(number(answer(value, threads)));
            assert_eq!(kernel.call_blocking(number(value)), expected, "{threads} threads, {value}");
        }
    }
}

/// What goes wrong in some threads of a warp fails the message, and leaves nobody waiting; nobody acts
/// behind a shuffle that not all have come to.
pub fn b06_a_torn_warp_fails_and_goes_on(bench: &Bench) {
    let kernel = torn_warps::bind(&[0]).launch(bench.runtime(), LaunchOptions::default().block(40)).unwrap();
    let mut acted = 0;
    for (value, code, acts) in [
        (1, error::BARRIER_NOT_REACHED, 0),
        (2, error::BARRIER_NOT_REACHED, 0),
        (3, error::BARRIER_NOT_REACHED, 0),
        (5, TORN, 0),
        (6, error::DIVISION_BY_ZERO, 40),
    ] {
        let failed = Err(CallError::Failed { code, name: None });
        assert_eq!(kernel.call_blocking(number(value)), failed, "message {value}: {}", error::describe(code));
        acted += acts + 40;
        assert_eq!(kernel.call_blocking(number(0)), Ok(number(acted)), "after message {value}");
    }
    // All return, which leaves nobody waiting, and nobody acts.
    let _ = kernel.send_blocking(number(4)).unwrap();
    assert_eq!(kernel.call_blocking(number(0)), Ok(number(acted + 40)));
    // A reply can be received before its message is counted.
    drain(&kernel);
    let status = balanced(&kernel);
    assert_eq!((status.processed, status.drops.failed), (7, 5));
}
