//! Kernels that use every construct of the language, in ways that an order of evaluation or a scope could get wrong.

#![allow(clippy::needless_late_init, clippy::let_unit_value, clippy::reversed_empty_ranges)] // They are what is tested.

use std::{
    f32::consts::PI,
    sync::atomic::{AtomicI32, AtomicI64, AtomicU32, AtomicU64, Ordering},
};

use annulus_macros::{DeviceType, RingMessage, ring_kernel};
use annulus_runtime::prelude::{Cx, Failure, Outbox};

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Small {
    #[ring(key)]
    pub key: u16,
    pub a: u8,
    pub b: i32,
    pub on: bool,
    pub x: f32,
}

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Answer {
    pub words: [u32; 8],
    pub sum: i64,
    pub x: f32,
    pub on: bool,
}

#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Inner {
    pub low: i8,
    pub wide: u64,
    pub grid: [[i16; 3]; 2],
}

#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Outer {
    pub flag: bool,
    pub inner: Inner,
    pub list: [u32; 5],
    pub parts: [Inner; 2],
    pub kind: Kind,
    pub ratio: f64,
}

#[derive(DeviceType, Clone, Copy, Debug, Default, PartialEq)]
#[repr(i8)]
pub enum Kind {
    #[default]
    Idle = -3,
    Busy,
    Done = 7,
}

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(u16)]
pub enum Command {
    Add {
        #[ring(key)]
        account: u32,
        amount: i64,
    },
    Scale(#[ring(key)] u8, f32),
    Move {
        point: Point,
        #[ring(key)]
        account: u16,
        kind: Kind,
    },
    Close(#[ring(key)] u64),
}

#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Point {
    pub x: f32,
    pub y: f32,
    pub z: u8,
}

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(u8)]
pub enum Event {
    Moved { to: Point, kind: Kind },
    Balance(i64),
    Closed,
}

/// What a handler may fail with.
pub const TOO_MUCH: Failure = Failure::of(77);
const ORIGIN: Point = Point { x: -0.0, y: f32::NEG_INFINITY, z: 9 };
const TABLE: [[u16; 4]; 3] = [[1, 2, 3, 4], [50, 60, 70, 80], [u16::MAX, 0, 9, 1000]];
static STEPS: [i8; 4] = [1, -1, 2, -2];

/// `let`, shadowing, blocks as values, short circuits, and the order in which operands are read.
#[ring_kernel]
pub fn orders(small: &Small, answers: &Outbox<Answer>) {
    let mut x = u32::from(small.a);
    let first =
        x + {
            x += 1;
            x * 2
        } + x;
    let x_before = x;
    let x = if small.on { x } else { x_before + 100 };
    let mut n = 0u32;
    let both = small.b > 3 && {
        n += 1;
        n > 0
    };
    let either = small.b > 3 || {
        n += 10;
        small.on
    };
    let chosen = if both {
        n + 5
    } else if either {
        let t = n * 3;
        t + 1
    } else {
        n += 2;
        n
    };
    let mut list = [x, 2, 3, chosen];
    let mut i = 1usize;
    list[i] = {
        i += 1;
        first
    };
    list[i] += {
        i = 0;
        list[1]
    };
    list[{
        i += 1;
        i
    }] ^= 0xFF;
    let late: i64;
    if small.on {
        late = -1;
    } else {
        late = i64::from(small.b);
    }
    let unit = ();
    let _ = unit;
    let words = [first, x, n, chosen, list[0], list[1], list[2], list[3]];
    answers.send(Answer { sum: late + i64::from(n), words, on: both != either, x: small.x });
}

/// `while`, `loop`, `for` in all its forms, labels, `break` with a value.
#[ring_kernel]
pub fn loops(small: &Small, answers: &Outbox<Answer>) {
    let n = small.a % 40;
    let mut words = [0u32; 8];
    for i in 0..n {
        words[0] = words[0] * 3 + u32::from(i);
        if i == 20 {
            break;
        }
        if i % 3 == 0 {
            continue;
        }
        words[0] ^= 1;
    }
    for i in 250..=u8::MAX {
        words[1] = words[1] * 31 + i as u32;
    }
    for i in (i8::MIN..=i8::MAX).rev().step_by(50) {
        words[2] = words[2] * 31 + i as u8 as u32;
    }
    for i in (0..small.b % 100).step_by(7) {
        words[3] += i as u32;
    }
    for i in (0..usize::from(n)).rev() {
        words[4] = words[4] * 5 + i as u32;
    }
    let mut left = small.b;
    let found = loop {
        left /= 3;
        if left == 0 {
            break 1000;
        }
        if left % 5 == 0 {
            break left;
        }
    };
    let mut turns = 0;
    while turns < n && words[0] % 7 != 3 {
        turns += 1;
        words[0] += 1;
    }
    'outer: for y in 0..8u32 {
        let mut x = 0;
        loop {
            x += 1;
            if x + y == u32::from(n) {
                break 'outer;
            }
            if x > y {
                continue 'outer;
            }
            for z in 0..4 {
                if z == 2 && x == 5 {
                    continue 'outer;
                }
                if z * y == 21 {
                    break;
                }
                words[5] += z + x;
            }
            words[6] += 1;
        }
    }
    for mut i in 0..u32::from(n) {
        i *= 2;
        words[7] += i;
    }
    for _ in 5..3 {
        words[7] = 0;
    }
    answers.send(Answer { words, sum: found.into(), x: turns.into(), on: small.on });
}

/// `match` on numbers and booleans: literals, ranges, alternatives, guards, bindings.
#[ring_kernel]
pub fn numbers_matched(small: &Small, answers: &Outbox<Answer>) {
    const LIMIT: i32 = 12;
    let kind = match small.b {
        i32::MIN..=-1 => 1,
        0 => 2,
        1 | 3 | 5 => 3,
        n @ 6..=LIMIT if n % 2 == 0 => n as u32,
        LIMIT => 99,
        n if n > 1000 && small.on => (n / 100) as u32,
        _ => 4,
    };
    let on = match small.on {
        _ if small.a == 3 => false,
        on => on,
    };
    let checked = match small.a {
        0 => 0,
        n if 100 / (n - 1) > 20 => 1,
        n if [5, 6, 7][usize::from(n) % 4] == 6 => 2,
        _ => 3,
    };
    let shape = match small.x {
        0.0 => 1,
        x if x < 0.0 => 2,
        1.0..2.0 => 3,
        _ => 4,
    };
    let word = match small.on {
        true => 7,
        false => {
            if small.b == 0 {
                return;
            }
            8
        }
    };
    let words = [kind, checked, shape, word, 0, 0, 0, 0];
    answers.send(Answer { words, sum: 0, x: 0.0, on });
}

/// Messages, states and outputs that are enums with data.
#[ring_kernel(max_outputs = 2)]
pub fn commands(command: &Command, state: &mut Outer, events: &Outbox<Event>) -> Result<(), Failure> {
    match command {
        Command::Add { amount, .. } if *amount < 0 => return Err(TOO_MUCH),
        Command::Add { account, amount } => {
            state.inner.wide = state.inner.wide.wrapping_add(amount.unsigned_abs());
            state.list[*account as usize % 5] += 1;
            events.send(Event::Balance(*amount));
        }
        Command::Scale(by, factor) => {
            state.ratio = f64::from(*factor) * f64::from(*by);
            state.kind = Kind::Busy;
        }
        &Command::Move { point: Point { x, y, .. }, kind, account } => {
            let kind = match kind {
                Kind::Idle => Kind::Done,
                Kind::Busy if account > 3 => state.kind,
                other => other,
            };
            state.kind = kind;
            events.send(Event::Moved { to: Point { x: y, y: x, ..ORIGIN }, kind });
            if let Kind::Done = kind {
                events.send(Event::Closed);
            }
        }
        Command::Close(_) => events.send(Event::Closed),
    }
    state.flag = matches!(command, Command::Close(0..=9) | Command::Scale(..));
    Ok(())
}

/// Nested places: fields, elements of elements, references to parts, and copies of whole structs.
#[ring_kernel]
pub fn places(small: &Small, state: &mut Outer, answers: &Outbox<Answer>) {
    let at = small.a as usize % 2;
    let part = &mut state.parts[at];
    part.low = small.b as i8;
    part.grid[at][small.key as usize % 3] -= 5;
    let copy = *part;
    state.parts[1 - at] = Inner { low: copy.low.wrapping_add(1), ..copy };
    state.inner = copy;
    let Outer { inner: Inner { wide, ref grid, .. }, ratio, .. } = *state;
    let mut sum = i64::from(grid[0][1]) + wide as i64;
    for row in 0..state.inner.grid.len() {
        for column in 0..3 {
            sum += i64::from(state.inner.grid[row][column]) * (column as i64 + 1);
        }
    }
    state.ratio = ratio + 0.5;
    let list = &state.list;
    let words = [
        list[0],
        list.len() as u32,
        state.kind as i8 as u32,
        TABLE[1][at] as u32,
        u32::from(TABLE[small.key as usize % 3][small.a as usize % 4]),
        STEPS[at] as u32,
        (ORIGIN.z as u32) << 2,
        u32::from(list.is_empty()),
    ];
    let Some_ { value } = Some_ { value: PI };
    answers.send(Answer { words, sum, x: value * ORIGIN.x, on: state.flag });
}

#[derive(DeviceType, Clone, Copy)]
#[repr(C)]
struct Some_ {
    value: f32,
}

/// What goes wrong: indices, divisors, failures, panics, too many sends.
#[ring_kernel(max_outputs = 2)]
pub fn failures(small: &Small, state: &mut [u32; 4], answers: &Outbox<Answer>) -> Result<(), Failure> {
    state[0] += 1;
    let answer = Answer { words: [state[0]; 8], sum: 1, x: 0.5, on: true };
    match small.a {
        0..=3 => state[small.b as usize] += 1,
        4 => state[1] = state[2] % state[3],
        5 => return Err(Failure::of(small.key)),
        6 => assert!(small.on, "it must be on"),
        7 if small.on => panic!("told to"),
        8 => {
            for _ in 0..small.b {
                answers.send(answer);
                if state[0] == 0 || state[1] > 3 {
                    break;
                }
                state[1] += 1;
            }
        }
        9 => assert_eq!(small.key, 3),
        10 => {
            let Kind::Busy = (if small.on { Kind::Busy } else { Kind::Done }) else { return Err(TOO_MUCH) };
            answers.send(answer);
        }
        _ => {
            answers.send(answer);
            return if small.x.is_nan() { Err(TOO_MUCH) } else { Ok(()) };
        }
    }
    Ok(())
}

#[derive(DeviceType, Clone, Copy, Debug)]
#[repr(C)]
pub struct Settings {
    pub factor: i32,
    pub weights: [f32; 3],
}

/// Parameters, tables, memory of the whole kernel, and the context.
#[ring_kernel]
pub fn bindings(
    cx: &Cx,
    call: &Number,
    settings: &Settings,
    weights: &[f32; 3],
    table: &[Point],
    memory: &mut [i32],
    flags: &[bool],
    answers: &Outbox<Answer>,
) {
    let at = call.value as usize % (table.len() + 1);
    memory[at % memory.len()] += settings.factor;
    memory[0] = memory[1].max(memory[2]) - memory[at % memory.len()];
    let point = table[at];
    let mut sum = 0;
    for i in 0..memory.len() {
        sum += i64::from(memory[i]);
    }
    let words = [cx.block_index(), cx.grid_size(), cx.thread_index(), table.len() as u32, 0, 0, 0, 0];
    let x = weights[at % 3] + settings.weights[0] + point.x;
    answers.send(Answer { words, sum, x, on: flags[at] });
}

#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Number {
    pub value: u32,
}

/// Memory that all blocks share.
#[ring_kernel]
pub fn atomics(
    call: &Number,
    a: &[AtomicU32],
    b: &[AtomicI32],
    c: &[AtomicU64],
    d: &[AtomicI64],
    answers: &Outbox<Answer>,
) {
    let v = call.value;
    let mut words = [0; 8];
    words[0] = a[0].fetch_add(v, Ordering::Relaxed) + a[0].load(Ordering::Acquire);
    words[1] = a[1].fetch_sub(v, Ordering::SeqCst);
    words[2] = a[2].fetch_and(v, Ordering::AcqRel) ^ a[3].fetch_or(v, Ordering::Release);
    words[3] = a[4].fetch_xor(v, Ordering::Relaxed);
    words[4] = b[0].fetch_min(v as i32, Ordering::Relaxed) as u32;
    words[5] = b[1].fetch_max(v as i32, Ordering::Relaxed) as u32;
    words[6] = a[5].swap(v, Ordering::Relaxed);
    b[2].store(-1, Ordering::Release);
    let mut sum = c[0].fetch_add(u64::from(v), Ordering::Relaxed) as i64;
    sum += d[0].fetch_max(sum, Ordering::Relaxed);
    let on = a[6].compare_exchange(v, 5, Ordering::AcqRel, Ordering::Relaxed).is_ok();
    match a[7].compare_exchange(0, v, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(_) => words[7] = 1,
        Err(now) => words[7] = now,
    }
    let mut expected = d[1].load(Ordering::Relaxed);
    while let Err(now) =
        d[1].compare_exchange_weak(expected, expected + 2, Ordering::Relaxed, Ordering::Relaxed)
    {
        expected = now;
    }
    answers.send(Answer { words, sum, x: 0.0, on });
}

/// A loop that ends on a device only, by its budget.
#[ring_kernel(loop_budget = 100)]
pub fn endless(small: &Small, state: &mut u32) {
    for _ in 0..small.a {
        *state += 1;
    }
    while *state != 1 && small.a >= 100 {
        *state ^= 2;
    }
}

/// Names that mean something in C or hide each other.
#[ring_kernel]
#[allow(non_snake_case)] // As a hostile user would write.
pub fn names(kernel: &Number, float: &mut u32, global: &[u32], sampler: &Outbox<Number>) {
    let int = kernel.value;
    let long = int + 1;
    let r#struct = long * 2;
    let float4 = *float;
    let min = r#struct.min(float4);
    let global_len = global.len() as u32;
    let global__len = 3 + global_len;
    let u32_ = min + global[int as usize % 4] + global_len + global__len;
    let int = u32_;
    {
        let int = int + 1;
        *float = int;
    }
    let größe = int;
    let ann_budget = 3;
    for index in 0..ann_budget {
        let int = index + größe;
        *float += int;
    }
    for index in 0..2 {
        *float ^= index;
    }
    sampler.send(Number { value: *float + int });
}
