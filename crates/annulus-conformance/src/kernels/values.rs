//! Kernels whose values are options, results and tuples.
#![allow(
    clippy::collapsible_match,
    clippy::manual_map,
    clippy::manual_unwrap_or,
    clippy::manual_unwrap_or_default,
    clippy::match_like_matches_macro,
    clippy::needless_late_init,
    clippy::question_mark,
    clippy::redundant_pattern_matching,
    clippy::single_match,
    clippy::toplevel_ref_arg,
    clippy::unnecessary_lazy_evaluations,
    clippy::unnecessary_literal_unwrap,
    clippy::let_unit_value,
    clippy::unit_arg,
    clippy::type_complexity,
    clippy::manual_let_else,
    clippy::match_single_binding,
    clippy::or_then_unwrap,
    clippy::partialeq_to_none,
    clippy::let_and_return,
    unused_assignments
)] // They are what is tested.

use std::sync::atomic::{AtomicU32, Ordering};

use annulus_macros::{DeviceType, ring_kernel};
use annulus_runtime::prelude::{Failure, Outbox};

use super::constructs::{Answer, Small};

#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Spot {
    pub x: i16,
    pub y: u64,
}

#[derive(DeviceType, Clone, Copy, Debug)]
#[repr(u8)]
pub enum Shade {
    Dark,
    Grey(u8),
    Spotted { at: Spot },
}

const EMPTY: Failure = Failure::of(3);
const NEGATIVE: Failure = Failure::of(4);
const LIMITS: [Option<(u8, bool)>; 4] = [None, Some((7, true)), Some((200, false)), None];
const START: (u32, Option<f32>, (i8, ())) = (9, Some(f32::NEG_INFINITY), (-3, ()));

/// Options that are made, kept, changed and taken apart.
#[ring_kernel]
pub fn options(small: &Small, answers: &Outbox<Answer>) {
    let Small { a, b, on, x, .. } = *small;
    let mut words = [0u32; 8];
    let mut best: Option<u32> = None;
    let mut turns = 0;
    while turns < 4 {
        let found = if (u32::from(a) >> turns) & 1 == 1 { Some(turns * 10 + 1) } else { None };
        if let Some(found) = found {
            best = match best {
                Some(best) if best > found => Some(best + 1),
                Some(best) => Some(best + found),
                None => Some(found),
            };
        }
        if let Some(best) = &mut best {
            *best += 100;
        }
        turns += 1;
    }
    words[0] = best.unwrap_or(7);
    words[1] = match best {
        None => 0,
        Some(0..=100) => 1,
        Some(n @ (101 | 201 | 301)) => n,
        Some(n) => n + 5,
    };
    let before = best.take();
    words[2] = u32::from(best.is_none()) + u32::from(before.is_some()) * 2;
    let replaced = best.replace(u32::from(a) + 1);
    words[2] += u32::from(replaced.is_none()) * 4 + best.unwrap();
    let nested: Option<Option<i32>> = if on { Some(if b < 0 { None } else { Some(b) }) } else { None };
    let sum = match nested {
        Some(Some(n)) if n > 10 => i64::from(n) * 3,
        Some(Some(n)) => i64::from(n),
        Some(None) => -1,
        None => -2,
    };
    let spot = Some(Spot { x: b as i16, y: u64::from(a) });
    let Some(Spot { x: across, y }) = spot else { panic!("there is one") };
    words[3] = (across as u32) ^ (y as u32);
    let mut copies = [spot; 3];
    copies[1] = None;
    if let Some(Spot { y, .. }) = &mut copies[usize::from(a) % 3] {
        *y += 77;
    }
    words[4] =
        copies[0].unwrap_or(Spot { x: 0, y: 1 }).y as u32 + copies[2].expect("it was put there").y as u32;
    words[4] += u32::from(matches!(copies[1], None)) + u32::from(matches!(spot, Some(Spot { x: 0.., .. })));
    let shade = if a < 50 {
        Some(Shade::Grey(a))
    } else if a < 100 {
        Some(Shade::Spotted { at: Spot { x: 1, y: 2 } })
    } else if a < 150 {
        Some(Shade::Dark)
    } else {
        None
    };
    words[5] = match shade {
        Some(Shade::Grey(grey @ 10..=20)) => u32::from(grey),
        Some(Shade::Grey(_)) => 1,
        Some(Shade::Spotted { at: Spot { y, .. } }) => y as u32 + 2,
        Some(Shade::Dark) => 3,
        None => 4,
    };
    let limit = LIMITS[usize::from(a) & 3];
    words[6] = match (limit, on) {
        (Some((n, true)), _) if n > 3 => u32::from(n),
        (Some((n, _)), true) => u32::from(n) * 2,
        (Some(_), false) => 500,
        (None, on) => 600 + u32::from(on),
    };
    let or = limit.or(Some((9, on))).unwrap();
    words[7] = u32::from(or.0) * 2 + u32::from(or.1);
    // The errors of the two are of two types.
    let second: Result<u8, bool> = if on { Ok(a) } else { Err(a > 9) };
    words[7] += match limit.map(|(n, _)| n).ok_or(small.key).or(second) {
        Ok(n) => u32::from(n) * 100,
        Err(large) => 70_000 + u32::from(large),
    };
    let checked: Result<(), u8> = if a > 80 { Err(a) } else { Ok(()) };
    words[7] += u32::from(checked.or(Err(Failure::of(2))).is_ok()) * 100_000;
    let late: Option<f32>;
    late = if x > 0.0 { Some(x) } else { None };
    answers.send(Answer { words, sum, x: late.unwrap_or(-1.0), on: late.is_some() && nested.is_some() });
}

/// Which operand is evaluated when, and what a receiver was then.
#[ring_kernel]
pub fn orders_of_options(small: &Small, answers: &Outbox<Answer>) {
    let mut n = u32::from(small.a);
    let mut slot = if small.on { Some(n) } else { None };
    let mut words = [0u32; 8];
    words[0] = slot.unwrap_or({
        slot = Some(1);
        n += 1;
        n
    }) + n;
    words[1] = slot.unwrap() + {
        slot = None;
        n += 3;
        n
    };
    words[2] = slot.is_some() as u32
        + {
            slot = Some(n);
            5
        }
        + slot.is_some() as u32;
    let pair = (n, {
        n += 10;
        n
    });
    words[3] = pair.0 * 3 + pair.1;
    let (first, second) = ({ n }, {
        n *= 2;
        n
    });
    words[4] = first + second * 7;
    let (mut low, mut high) = (1, 2);
    let mut turn = 0;
    while turn < n % 7 {
        (low, high) = (high, low + high);
        turn += 1;
    }
    words[5] = low * 1000 + high;
    let mut list = [1u32, 2, 3, 4];
    let mut at = 0;
    (list[at], at) = (list[3] + 10, 2);
    (_, list[at], (list[at + 1], ..)) = (8, list[0], (n, 3, 4));
    words[6] = list[0] + list[2] * 3 + list[3] * 5 + at as u32;
    let kept = match (slot, n) {
        (Some(s), m) => {
            n = 0;
            slot = None;
            s + m
        }
        (None, m) => m,
    };
    words[7] = kept + n + u32::from(slot.is_none());
    answers.send(Answer { words, sum: 0, x: 0.0, on: false });
}

/// Results that are values, and `?`.
#[ring_kernel]
pub fn results(small: &Small, answers: &Outbox<Answer>, total: &mut u32) -> Result<(), Failure> {
    let Small { a, b, on, .. } = *small;
    *total += 1;
    let checked: Result<u32, Failure> = if b < -1000 { Err(NEGATIVE) } else { Ok(b.unsigned_abs()) };
    let verdict = if a == 200 { Err(EMPTY) } else { Ok(()) };
    let kept = verdict;
    let n = checked?;
    verdict?;
    *total += n;
    let spot: Result<Spot, i64> =
        if on { Ok(Spot { x: a.into(), y: n.into() }) } else { Err(i64::from(b) - 1) };
    let mut words = [0u32; 8];
    words[0] = n;
    words[1] = match spot {
        Ok(Spot { x: 0..=9, y }) => y as u32,
        Ok(spot) if spot.y > 100 => 1,
        Ok(Spot { x, .. }) => x as u32 + 2,
        Err(error @ ..=0) => error as u32,
        Err(_) => 9,
    };
    words[2] = u32::from(spot.is_ok()) + u32::from(kept.is_err()) * 2 + u32::from(checked.is_ok()) * 4;
    words[3] = spot.ok().unwrap_or(Spot { x: 5, y: 6 }).y as u32;
    words[4] = spot.err().unwrap_or(-5) as u32;
    let Ok(inside) = spot else {
        answers.send(Answer { words, sum: spot.unwrap_err(), x: 0.0, on });
        return kept;
    };
    let mut inside = Some(inside);
    words[5] = {
        let value = inside.ok_or(EMPTY)?;
        value.x as u32
    };
    if a > 250 {
        inside = None;
    }
    let y = inside.ok_or(Failure::of(u16::from(a) + 10))?.y;
    words[6] = y as u32 + *total;
    let fails: Result<(), i8> = if a < 20 { Err(a as i8) } else { Ok(()) };
    words[7] = match fails {
        Ok(()) => 1,
        Err(code) => code as u32 + 2,
    };
    if a % 16 == 3 {
        fails.expect("it is no less");
    }
    answers.send(Answer { words, sum: 0, x: 1.0, on });
    if a % 16 == 5 { Err(EMPTY) } else { Ok(()) }
}

/// Tuples in variables, arrays, branches, loops and each other.
#[ring_kernel]
pub fn tuples(small: &Small, answers: &Outbox<Answer>) {
    let Small { a, b, on, x, .. } = *small;
    let mut pair = (u32::from(a), on);
    pair.0 += 1;
    pair.1 = !pair.1;
    let copy = pair;
    pair.0 = 0;
    let (n, flag) = copy;
    let nested = ((a, b), (x, [n, n + 1]), ());
    let ((_, inner), (y, _), ()) = nested;
    let (low, high) = if n > 100 { (n - 100, 100) } else { (0, n) };
    let q: u32;
    let r: u32;
    (q, r) = (n / 7, n % 7);
    let mut table = [(0u8, 0i64); 3];
    table[usize::from(a) % 3] = (a, i64::from(b));
    table[1].1 += 5;
    let mut sum = 0;
    for i in 0..3 {
        let (small, large) = table[i];
        sum += i64::from(small) + large;
        let (ref mut slot, _) = table[i];
        *slot += 1;
        sum += i64::from(table[i].0);
    }
    let found = loop {
        pair.0 += 3;
        if pair.0 > n {
            break (pair.0, pair.0 - n);
        }
    };
    let swapped = {
        let (a, b) = found;
        (b, a)
    };
    let parts = &mut (n, 5);
    parts.0 += parts.1;
    let one = (n,);
    let matched = match (n % 3, flag, swapped) {
        (0, true, _) => 1,
        (0, false, (1, _)) => 2,
        (k @ 1..=2, _, (1 | 2, big)) if big > 50 => k + big,
        (k, ..) => k + 10,
    };
    let mut copied = n;
    match (copied, 1) {
        (ref mut inner, one) => {
            *inner += one;
            copied += *inner;
        }
    }
    let (first, second, (third, _)) = START;
    answers.send(Answer {
        words: [
            low + high * 2 + nested.1.1[1],
            q * 10 + r,
            found.0 + swapped.0 * 3,
            parts.0 + one.0,
            matched,
            copied,
            first + third as u32 + u32::from(second.is_some()),
            pair.0 + u32::from(pair.1) + nested.0.0 as u32 + inner as u32,
        ],
        sum,
        x: y + second.unwrap_or(0.0),
        on: flag,
    });
}

/// What `unwrap` and `expect` fail with, and what runs before they do.
#[ring_kernel]
pub fn unwraps(small: &Small, count: &mut u32, words: &[AtomicU32], answers: &Outbox<Answer>) {
    let n = u32::from(small.a);
    *count += 1;
    let some = if n % 5 == 1 { None } else { Some(n) };
    let fine: Result<u32, i8> = if n % 7 == 1 { Err(-1) } else { Ok(n) };
    let bad: Result<u8, u32> = if n % 11 == 1 { Ok(1) } else { Err(n) };
    let seen = words[0].compare_exchange(n % 3, 5, Ordering::Relaxed, Ordering::Relaxed);
    let now = seen.ok().unwrap_or(99);
    words[1].fetch_add(1, Ordering::Relaxed);
    let sum = some.unwrap() + {
        words[2].fetch_add(1, Ordering::Relaxed);
        fine.expect("an odd day")
    };
    words[3].fetch_add(bad.unwrap_err(), Ordering::Relaxed);
    answers.send(Answer { words: [sum, now, 0, 0, 0, 0, 0, *count], sum: 0, x: 0.0, on: seen.is_err() });
}

/// `==` and `!=` of what has no function of its own for it.
#[ring_kernel]
pub fn equal(small: &Small, answers: &Outbox<Answer>) {
    let Small { a, b, on, x, .. } = *small;
    let some = if on { Some(a) } else { None };
    let mut last = some;
    if a > 200 {
        last = Some(7);
    }
    let pair = (a, Some((b, x)), ());
    let other = (if a > 128 { 3 } else { a }, if b < 0 { None } else { Some((b, x)) }, ());
    let result: Result<u8, bool> = if a < 64 { Ok(a) } else { Err(on) };
    let verdict: Result<(), Failure> = if a < 64 { Ok(()) } else { Err(EMPTY) };
    let list = [(a, on), (7, true), (3, false)];
    let mut changed = list;
    changed[usize::from(a) % 3].1 = true;
    changed[2] = (3, a == 9);
    let answers_of = [
        some == None,
        some != last,
        some == Some(7),
        pair == other,
        (a, b) != (3, 4),
        result == Ok(5) || result == Err(true),
        verdict == Err(NEGATIVE) || verdict != Ok(()),
        list == changed,
    ];
    let mut words = [0; 8];
    for (word, answer) in words.iter_mut().zip(answers_of) {
        *word = u32::from(answer);
    }
    answers.send(Answer {
        words,
        sum: 0,
        x: 0.0,
        on: (some, b, list)
            == (
                last,
                {
                    last = None;
                    b
                },
                changed,
            )
            && last == None,
    });
}

/// A `let` beside other conditions.
#[ring_kernel]
pub fn chains(small: &Small, answers: &Outbox<Answer>) {
    let Small { a, b, on, .. } = *small;
    let mut words = [0u32; 8];
    let some = if on { Some((a, b)) } else { None };
    let list = [3u8, 7, a, 20, 31, 40, 50, 60];
    words[0] = if a > 10
        && let Some((n, m)) = some
        && m > 0
        && let Some(x) = list.get(usize::from(n % 11))
        && (*x > 5 || n < 30)
    {
        u32::from(*x) + u32::from(n)
    } else if let Some((n, _)) = some
        && n > 200
    {
        7
    } else {
        let n = 5;
        n
    };
    let mut at = 0;
    let mut steps = 0;
    while at < 8
        && let Some(&x) = list.get(at)
        && x < 45
    {
        at += 1;
        steps += 10;
        if x == 7 {
            continue;
        }
        if x == 9
            && let Some(_) = some
        {
            break;
        }
        steps += 1;
    }
    words[1] = steps;
    'rows: for (i, n) in list.into_iter().enumerate() {
        if n > 6
            && let Some((m, _)) = some
            && m > 100
        {
            if m > 180 {
                break;
            }
            words[2] += 1;
            continue 'rows;
        }
        words[3] += i as u32;
    }
    let shadow = some;
    if let Some(shadow) = shadow
        && let (m, 0..) = shadow
    {
        words[4] = u32::from(m);
    }
    answers.send(Answer { words, sum: 0, x: 0.0, on: shadow == some });
}

/// Options and results as values of blocks, and patterns that `while let` waits for.
#[ring_kernel]
pub fn popped(small: &Small, answers: &Outbox<Answer>) -> Result<(), Failure> {
    let mut stack = [(0u8, 0u32); 8];
    let mut depth = 0;
    let mut seed = u32::from(small.a) + 1;
    while depth < 8 {
        stack[depth] = (seed as u8, seed * 3);
        seed = seed.wrapping_mul(75).wrapping_add(74) % 251;
        depth += 1;
    }
    let mut words = [0u32; 8];
    let mut popped = None;
    while let Some((small, large)) = {
        popped = if depth == 0 {
            None
        } else {
            depth -= 1;
            Some(stack[depth])
        };
        popped
    } {
        if small == 7 {
            continue;
        }
        if large > 700 {
            break;
        }
        words[depth] = large + u32::from(small);
    }
    words[0] += u32::from(popped.is_some());
    let mut next = Some(seed);
    while let Some(n) = next {
        words[1] += n;
        next = if n > 100 {
            Some(n / 2)
        } else if n % 2 == 1 {
            Some(n - 1)
        } else {
            None
        };
    }
    answers.send(Answer { words, sum: 0, x: 0.0, on: small.on });
    Ok(())
}
