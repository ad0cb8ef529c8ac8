//! Kernels in which a value could be taken for a place, one variable for another, or one operator's operand for another's.
#![allow(clippy::if_same_then_else, clippy::never_loop, clippy::redundant_guards)] // The shapes are what is tested.
#![allow(
    clippy::needless_late_init,
    clippy::unnecessary_cast,
    clippy::useless_conversion,
    clippy::single_match,
    clippy::let_unit_value,
    clippy::match_single_binding,
    clippy::redundant_pattern_matching,
    clippy::op_ref,
    clippy::blocks_in_conditions,
    clippy::precedence,
    clippy::diverging_sub_expression,
    clippy::toplevel_ref_arg,
    clippy::needless_return,
    unused_braces,
    unused_parens,
    unused_variables,
    unused_assignments,
    const_item_mutation,
    unconditional_panic,
    clippy::modulo_one,
    clippy::erasing_op,
    clippy::nonminimal_bool,
    clippy::let_and_return,
    clippy::manual_is_multiple_of
)] // They are what is tested.

use std::sync::atomic::{AtomicU32, Ordering};

use annulus_macros::{DeviceType, ring_kernel};
use annulus_runtime::prelude::{Failure, Outbox};

use super::{
    constructs::{Answer, Small},
    numbers::Results,
};

#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Pair {
    pub n: u32,
    pub k: u32,
}

#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Room {
    pub p: Pair,
    pub q: Pair,
    pub list: [u32; 4],
    pub n: u32,
}

#[derive(DeviceType, Clone, Copy, Debug)]
#[repr(u32)]
pub enum Choice {
    One(u32),
    Two { a: u32, b: Pair },
}

impl Default for Choice {
    fn default() -> Self {
        Self::One(0)
    }
}

const NO: Failure = Failure::of(5);

/// Calls as the left operands of every operator, and operators as operands of every prefix.
#[ring_kernel]
pub fn calls_on_the_left(small: &Small, answers: &Outbox<Answer>) {
    let x = small.x;
    let u = u32::from(small.a);
    let i = small.b;
    let on = small.on;
    let wide = u64::from(u);
    let words = [
        (u.min(7) + u) * 3,
        u - (u.min(9) + 1),
        (u.max(3) & 0xF0) * 2 | (u.min(9) ^ u) & 3,
        (u.rotate_left(3) - u) / (u.min(5) + 1) % (u.max(2) | 8),
        !(u.min(3) + u) << (u.min(3) + 2) >> 1,
        ((u.min(9) << 2) + u) * 5,
        (u.leading_zeros() * u) as u8 as u32 + ((i.wrapping_add(3) / 2) as u32),
        ((x as u32 / 3 + 1) / (u | 1)) % 1000,
    ];
    let logic = !(u.min(3) == 3 || on) && u > 2 || (x.is_nan() || on) && u > 100;
    let compared = (u.count_ones() < 5) == on && (u.min(4) != 4) ^ (i.min(0) < 0);
    let sum = -(i64::from(i).min(7) + i64::from(u)) * 3 - (i64::from(i).max(2) - 9)
        + ((wide.min(5) + wide) as i64) * 2
        + i64::from(-(i.min(100) - 3) >> 1 & 0xFF);
    answers.send(Answer {
        words,
        sum,
        x: 2.0 * (x.sqrt() + 1.5) - -(x.abs() - 2.0) / (x.abs() + 1.0),
        on: logic != compared,
    });
}

/// References that come out of the only branch that goes on.
#[ring_kernel]
pub fn references_out_of_branches(small: &Small, room: &mut Room) {
    let p = match room {
        Room { p, .. } => p,
    };
    p.n += 1;
    let q = match &mut *room {
        Room { q, .. } => {
            q.k += 1;
            q
        }
    };
    q.n += u32::from(small.a);
    let same = if small.on { &mut room.p } else { &mut room.p };
    same.k += 2;
    let at = usize::from(small.a) % 4;
    let element = if small.a > 3 {
        &mut room.list[at]
    } else {
        room.n += 1;
        return;
    };
    *element += 7;
}

/// The same, out of an enum.
#[ring_kernel]
pub fn references_out_of_enums(small: &Small, choice: &mut Choice) {
    let pair = if let Choice::Two { b, .. } = choice {
        b
    } else {
        *choice = Choice::Two { a: 1, b: Pair { n: 3, k: small.a.into() } };
        return;
    };
    pair.n += 3;
    let first = match choice {
        Choice::One(n) => n,
        Choice::Two { a: 100.., .. } => return,
        Choice::Two { b: Pair { n: 7, .. }, .. } => panic!(),
        _ => {
            *choice = Choice::One(small.key.into());
            return;
        }
    };
    *first += 1;
}

/// Blocks, whose values are copies.
#[ring_kernel]
pub fn blocks_copy(small: &Small, room: &mut Room) {
    const TABLE: [u32; 4] = [1, 2, 3, 4];
    let r = &mut { room.p };
    r.n += 1;
    room.q = *r;
    match { *room } {
        ref mut copy => {
            copy.n += 1;
            room.n += copy.n;
        }
    }
    ({ room.p }).n = 7;
    ({ room.list })[1] = 7;
    room.n += { room.list }[{
        room.list[1] = 9;
        1
    }];
    let mut copy = { room.list };
    copy[2] += 5;
    let n = &mut { room.n };
    *n += 3;
    room.p.k = *n + copy[2] + { room.n };
    let table = &mut TABLE;
    table[1] += u32::from(small.a);
    room.list[3] += table[1] + TABLE[1];
    let element = &mut TABLE[2];
    *element += 4;
    room.list[0] = *element + TABLE[2];
}

/// Variables that begin as what another still refers to.
#[ring_kernel]
pub fn variables_stay_apart(small: &Small, words: &[AtomicU32], answers: &Outbox<Answer>) {
    let u = u32::from(small.a);
    let r = &mut (u + 1);
    let mut b = *r as u32;
    b += 1;
    *r += 10;
    let late: u32;
    late = u;
    let mut c = late as u32;
    c += 2;
    let mut d = { late };
    d += 3;
    let mut matched = 0;
    match u + 1 {
        ref v => {
            let mut e = u32::from(*v);
            e += 5;
            matched = *v * 1000 + e;
        }
    }
    let e = match u * 2 {
        v => {
            let mut e = v as u32;
            e += 1;
            e + v
        }
    };
    let seen = words[0].compare_exchange(u, 1, Ordering::Relaxed, Ordering::Acquire);
    let mut ok = seen.is_ok();
    ok |= small.on;
    let w = match seen {
        Ok(_) => 1,
        Err(_) => 2,
    };
    let of_loop = &mut loop {
        break u + 4;
    };
    let mut f = *of_loop as u32;
    f *= 2;
    answers.send(Answer {
        words: [*r, b, late, c * 1000 + d, matched, e, w + u32::from(ok) * 10, *of_loop + f],
        sum: 0,
        x: 0.0,
        on: ok,
    });
}

/// Shared references that branches choose, and references to constants that outlive the statement.
#[ring_kernel]
pub fn shared_references(small: &Small, room: &mut Room, answers: &Outbox<Answer>) {
    const STEPS: [u32; 3] = [10, 20, 30];
    const PLACE: Pair = Pair { n: 4, k: 5 };
    let u = u32::from(small.a);
    let at = usize::from(small.a) % 4;
    let element = if u > 100 { &room.list[at] } else { &room.n };
    let pair = match small.b {
        ..0 => &room.p,
        0..=50 => {
            let one = &room.q;
            if small.on { &room.p } else { &room.q }
        }
        _ => &PLACE,
    };
    let literal = match &7u32 {
        seven => seven,
    };
    let matched = match PLACE {
        ref place => place,
    };
    let steps = match &STEPS {
        steps => steps,
    };
    let negative = if small.on { &-3 } else { &small.b };
    let chosen = *element + pair.n * 3 + pair.k;
    let sum = i64::from(*negative);
    room.list[at] = 1;
    room.n += chosen;
    answers.send(Answer {
        words: [chosen, *literal, matched.k, steps[at % 3], 0, 0, 0, room.n],
        sum,
        x: 0.0,
        on: false,
    });
}

/// Variables that begin with capitals, and what branches make inside branches.
#[ring_kernel]
#[allow(non_snake_case)]
pub fn capitals(Small: &Small, Room: &mut Room, answers: &Outbox<Answer>) {
    let N = u32::from(Small.a);
    let (A, mut B) = (N + 1, N + 2);
    let Pair { n: First, k } = Room.p;
    for (I, mut X) in Room.list.iter().copied().enumerate() {
        X += I as u32;
        B ^= X;
    }
    Room.p = if N > 200 {
        Pair { n: A, k: B }
    } else if N > 100 {
        if Small.on { Pair { n: 1, k: N } } else { Pair { n: N, k: 1 } }
    } else {
        match N {
            0..=9 => Pair { n: 5, ..Room.q },
            tens if tens < 60 => {
                let Pair { n, k } = Room.q;
                Pair { n: k + tens, k: n }
            }
            _ => Room.p,
        }
    };
    answers.send(Answer { words: [N, A, B, First, k, Room.p.n, Room.p.k, 0], sum: 0, x: 0.0, on: Small.on });
}

/// What is inside `Ok` and `Err`.
#[ring_kernel]
pub fn inside_results(small: &Small, words: &[AtomicU32], answers: &Outbox<Answer>) -> Result<(), Failure> {
    let u = u32::from(small.a % 3);
    let mut taken = [0; 8];
    for i in 0..8usize {
        words[0].store(u32::from(small.key) % 5, Ordering::Relaxed);
        let now = (u + i as u32) % 3;
        taken[i] = match words[0].compare_exchange(now, 1, Ordering::AcqRel, Ordering::Relaxed) {
            Ok(0) => 1,
            Ok(_) => 2,
            Err(0) => 3,
            Err(1 | 2) => 4,
            Err(n @ 3..) if n == 3 => 5,
            Err(n) => 10 + n,
        };
        if let Ok(0 | 1) | Err(4) = words[0].compare_exchange(u, 0, Ordering::Relaxed, Ordering::SeqCst) {
            taken[i] += 100;
        }
    }
    let result: Result<(), Failure> = if small.on { Err(NO) } else { Ok(()) };
    let mut sum = 0;
    if let Err(..) = result {
        sum += 1;
    }
    if let Ok(()) = result {
        sum += 2;
    }
    match result {
        Ok(..) => sum += 4,
        Err(failure) => sum += i64::from(failure.code()),
    }
    let n = 5;
    if matches!(u, n @ 0..=1) {
        sum += n;
    }
    answers.send(Answer { words: taken, sum, x: 0.0, on: small.on });
    if small.a > 200 {
        return Err(Failure::of(0));
    }
    if small.a > 180 {
        return Err(Failure::of(0xFF01));
    }
    Ok(())
}

/// Guards that do something, in arms that all return.
#[ring_kernel]
pub fn guards_that_return(small: &Small, room: &mut Room) -> Result<(), Failure> {
    let late: ();
    let mut n = 0;
    let _ = small.a < 250 || panic!("too much");
    late = {
        room.n += 1;
    };
    let _same = late;
    match small.a {
        x if {
            n += 1;
            x > 200
        } =>
        {
            return Ok(());
        }
        x if {
            n += 1;
            room.n += n;
            x > 100
        } =>
        {
            return Err(NO);
        }
        _ => return Ok(()),
    }
}

/// A NaN's bits in a table, and references as right sides.
#[ring_kernel]
pub fn bits_and_references(small: &Small, answers: &Outbox<Answer>) {
    const NANS: [f32; 3] = [f32::from_bits(0xFFC0_1234), f32::NAN, 1.0];
    let table = [10, 20, 30, u32::from(small.a)];
    let third = &table[3];
    let mut words = [0; 8];
    words[0] = NANS[0].to_bits();
    words[1] = NANS[1].to_bits();
    words[2] = NANS[usize::from(small.a) % 3].to_bits();
    words[3] += third;
    words[usize::from(small.a) % 8] += *third;
    answers.send(Answer { words, sum: 0, x: 0.0, on: small.on });
}

/// Divisions of which the divisor is known, also where it is zero, and truths compared as numbers.
#[ring_kernel]
pub fn known_operands(small: &Small, answers: &Outbox<Answer>) {
    let n = u32::from(small.a);
    let mut words = [n; 8];
    if n % 4 == 1 {
        words[0] = (n << 1) & (n % 0);
    }
    if n % 4 == 2 {
        words[1] = (1 % 0) + n;
    }
    words[2] = u32::from((small.b > 3) as u64 >= 4);
    words[3] = u32::from(32768 < (small.b > 3) as u32) + u32::from((small.x <= 1.0) as u64 > u64::MAX / 3);
    words[4] = u32::from(((small.on as u8) < 1) == (n > 3)) + n % 1;
    answers.send(Answer { words, sum: 0, x: 0.0, on: small.on & (((n > 3) as u64) < u64::MAX) });
}

/// Structs, tuples and arrays that branches inside branches give.
#[ring_kernel(loop_budget = 100)]
pub fn nested_branch_values(small: &Small, room: &mut Room) {
    let n = u32::from(small.a);
    room.p = if small.on {
        match n % 3 {
            0 => Pair { n, k: 1 },
            1 => {
                let p = Pair { n: room.q.k, k: n };
                if n > 9 { p } else { Pair { k: p.n, n: p.k } }
            }
            _ => {
                let old = room.p;
                room.p.n = 77;
                if room.p.n > n { old } else { room.p }
            }
        }
    } else {
        let p = if n > 100 { room.q } else { Pair { n: 5, ..room.q } };
        {
            let p = Pair { n: p.n ^ 1, k: p.k };
            p
        }
    };
    room.list = match small.b {
        ..0 => {
            let list = room.list;
            if small.on { [list[1], list[0], n, 4] } else { list }
        }
        _ if n == 3 => loop {
            room.n = room.n.wrapping_add(1);
            if room.n % 4 == 0 {
                break if small.on { room.list } else { [room.n; 4] };
            }
        },
        _ => [n; 4],
    };
    let (a, b) = if n > 2 {
        let pair = (room.q, n);
        if small.on { pair } else { (room.p, pair.0.k) }
    } else {
        (Pair { n: 1, k: 2 }, 3)
    };
    (room.q, room.n) = (a, b);
}

/// Loops and blocks that are left with a block of a label of its own.
#[ring_kernel(loop_budget = 1000)]
pub fn labels_as_values(small: &Small, answers: &Outbox<Answer>) {
    let n = u32::from(small.a);
    let mut turns = 0;
    let found = loop {
        turns += 1;
        if turns > n % 7 {
            break ('found: {
                if small.on {
                    break 'found n;
                }
                n + 1
            });
        }
    };
    let outer = 'outer: {
        if n > 9 {
            break 'outer ('inner: {
                if n > 99 {
                    break 'inner 3;
                }
                4
            });
        }
        5
    };
    answers.send(Answer { words: [found, outer, turns, 0, 0, 0, 0, 0], sum: 0, x: 0.0, on: small.on });
}

macro_rules! functions_of_nan {
    ($($name:ident: $t:ident;)+) => {$(
        /// What is made of a NaN that the compiler sees.
        #[ring_kernel]
        pub fn $name(small: &Small, results: &Outbox<Results<$t>>) {
            let x = $t::NAN;
            let nothing = $t::INFINITY - $t::INFINITY;
            let mut same = [0.0; 32];
            same[0] = x.floor();
            same[1] = x.ceil();
            same[2] = x.trunc();
            same[3] = x.round();
            same[4] = x.fract();
            same[5] = x.sqrt();
            same[6] = x.exp();
            same[7] = x.exp2();
            same[8] = x.ln();
            same[9] = x.sin();
            same[10] = x.cos();
            same[11] = x.tan();
            same[12] = x.sinh();
            same[13] = x.cosh();
            same[14] = x.tanh();
            same[15] = nothing.floor();
            same[16] = nothing.round();
            same[17] = (x * $t::from(small.a)).trunc();
            same[18] = x.div_euclid(2.0);
            same[19] = x.rem_euclid(2.0);
            same[20] = x.abs();
            same[21] = x.clamp(0.0, 1.0);
            same[22] = x.mul_add(1.0, 2.0);
            same[23] = x.log2();
            same[24] = x.log10();
            same[25] = x.asin();
            same[26] = x.atan();
            same[27] = x.cbrt();
            same[28] = x.min(2.0);
            same[29] = x.max(2.0);
            same[30] = x.signum();
            same[31] = x.powf(2.0);
            let counts = [x.ceil() as u32, x as u32, (-x).round() as u32, 0];
            let answers = [
                x.floor().is_nan(),
                x.ceil() == x,
                x.trunc() < 1.0,
                x.round() > 1.0,
                x.exp().is_finite(),
                x.tanh() != x,
                false,
                false,
            ];
            results.send(Results { same, counts, answers });
        }
    )+};
}

functions_of_nan! {
    functions_of_f32_nan: f32;
    functions_of_f64_nan: f64;
}
