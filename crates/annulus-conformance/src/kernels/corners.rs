//! Kernels in which one construct stands inside another.
#![allow(
    clippy::needless_late_init,
    clippy::collapsible_match,
    clippy::single_match,
    clippy::mut_range_bound,
    clippy::nonminimal_bool,
    unused_assignments
)] // They are what is tested.

use annulus_macros::{DeviceType, ring_kernel};
use annulus_runtime::prelude::{Failure, Outbox};

use super::constructs::{Answer, Event, Kind, Point, Small};

/// A state machine's state.
#[derive(DeviceType, Clone, Copy, Debug)]
#[repr(u8)]
pub enum Phase {
    Idle,
    Counting { left: u8, step: i16 },
    Holding(Point, [Kind; 3]),
}

#[derive(DeviceType, Clone, Copy, Debug)]
#[repr(C)]
pub struct Machine {
    pub phase: Phase,
    pub history: [Phase; 3],
    pub turns: u16,
}

impl Default for Machine {
    fn default() -> Self {
        Self { phase: Phase::Idle, history: [Phase::Idle; 3], turns: 0 }
    }
}

/// Values that come out of loops, matches and branches inside one another.
#[ring_kernel]
pub fn nested_values(small: &Small, answers: &Outbox<Answer>) {
    const STEP: u32 = 3;
    let n = u32::from(small.a % 12);
    let total = {
        let mut total = 0;
        let mut i = 0;
        loop {
            i += 1;
            total += match i % 4 {
                0 => continue,
                1 => STEP,
                2 if small.on => {
                    if total > 40 {
                        break total * 2;
                    }
                    i
                }
                rest => {
                    let inner = loop {
                        if rest > n {
                            break rest;
                        }
                        if i > 20 {
                            break 1;
                        }
                        i += rest;
                    };
                    inner + 1
                }
            };
            if i > n {
                break total;
            }
        }
    };
    let a = [total, n, STEP, 4];
    let mut b = a;
    b[0] = if a[1] > 5 {
        b[1] = 100;
        a[0]
    } else {
        b[2]
    };
    let words = if small.on {
        [a[0], b[0], a[1], b[1], a[2], b[2], 0, 1]
    } else {
        let mut words = [n; 8];
        words[3] = match n {
            _ if small.b < 0 => 1,
            _ => match n {
                0..=3 => {
                    words[4] = 77;
                    words[5]
                }
                _ => words[6] + 1,
            },
        };
        words
    };
    let mut at = 0;
    let mut list = [1u32, 2, 3];
    list[at] += {
        at = 2;
        list[0] += 10;
        list[1]
    };
    list[at] -= list[0];
    let sum = i64::from(list[0]) - i64::from(std::cmp::max(small.b, 3));
    answers.send(Answer { words, sum, x: -(-small.x), on: !(!small.on) });
}

/// A machine whose state is an enum in a struct, and an array of enums.
#[ring_kernel(max_outputs = 2)]
pub fn machine(
    Small { a, b, on, x, .. }: &Small,
    machine: &mut Machine,
    events: &Outbox<Event>,
) -> Result<(), Failure> {
    const LIMIT: Failure = Failure::of(9);
    let before = machine.phase;
    match &mut machine.phase {
        Phase::Idle => {
            machine.phase = Phase::Counting { left: *a % 20, step: *b as i16 };
        }
        Phase::Counting { left: 0, .. } => {
            let point = Point { x: *x, y: 1.0, z: *a };
            machine.phase = Phase::Holding(point, [Kind::Busy; 3]);
        }
        Phase::Counting { left, step } if *on => {
            *left -= 1;
            *step = step.wrapping_mul(3);
            if *step == 0 {
                return Err(LIMIT);
            }
        }
        Phase::Counting { .. } => events.send(Event::Closed),
        Phase::Holding(point, kinds) => {
            point.x += 1.0;
            for i in 0..3 {
                kinds[i] = match kinds[i] {
                    Kind::Idle => Kind::Busy,
                    Kind::Busy if i == 1 => Kind::Idle,
                    Kind::Busy => Kind::Done,
                    Kind::Done => continue,
                };
            }
            events.send(Event::Moved { to: *point, kind: kinds[usize::from(*a) % 3] });
        }
    }
    machine.history[2] = machine.history[1];
    machine.history[1] = machine.history[0];
    machine.history[0] = before;
    machine.turns += 1;
    let Phase::Counting { left, step } = machine.history[usize::from(*a) % 3] else {
        machine.turns += 100;
        return Ok(());
    };
    let mut phase = machine.phase;
    while let Phase::Counting { left: 2.., ref mut step } = phase {
        *step -= 1;
        if *step % 5 == 0 {
            phase = Phase::Idle;
        }
    }
    if let Phase::Idle = phase {
        events.send(Event::Balance(i64::from(left) * i64::from(step)));
    } else if let Phase::Holding(Point { z: z @ 1..=200, .. }, _) = machine.phase {
        events.send(Event::Balance(z.into()));
    }
    Ok(())
}

/// Counts, at the ends of their types.
#[ring_kernel]
pub fn ends_of_ranges(small: &Small, answers: &Outbox<Answer>) {
    let mut words = [0u32; 8];
    for i in 0..=u8::MAX {
        words[0] += u32::from(i);
    }
    for i in (i32::MAX - 2)..=i32::MAX {
        words[1] ^= i as u32;
    }
    for i in (i64::MIN..i64::MIN + 3).rev() {
        words[2] = words[2] * 7 + i as u32;
    }
    for i in (u64::MAX - 10..u64::MAX).step_by(usize::MAX) {
        words[3] += i as u32;
    }
    for i in (small.a..=250).rev().step_by(usize::from(small.key % 40) + 1) {
        words[4] = words[4] * 3 + u32::from(i);
    }
    for i in (small.a..small.a).rev() {
        words[5] += u32::from(i) + 1;
    }
    for i in (small.b..=small.b).step_by(9) {
        words[6] += i as u32;
    }
    let mut end = 5;
    for i in 0..end {
        end += i;
    }
    words[7] = end;
    answers.send(Answer { words, sum: 0, x: 0.0, on: small.on });
}

/// Steps of a length that comes with the message, which must not be 0.
#[ring_kernel]
pub fn steps(small: &Small, answers: &Outbox<Answer>) {
    let mut sum = 0;
    for i in (0..300u16).step_by(usize::from(small.a % 8)) {
        sum += i64::from(i);
    }
    answers.send(Answer { words: [0; 8], sum, x: 0.0, on: small.on });
}

/// Checks that always hold, as some compilers find out.
#[ring_kernel]
#[allow(clippy::eq_op, clippy::overly_complex_bool_expr)]
pub fn checks_that_hold(small: &Small, answers: &Outbox<Answer>) {
    let (on, seven) = (small.on, 7u32);
    assert!(((!(true & small.on)) || small.on) || (262_144 != seven));
    assert!((on || small.on) || (u32::from(small.on) != 7u32));
    answers.send(Answer { words: [0; 8], sum: 1, x: 0.0, on });
}
