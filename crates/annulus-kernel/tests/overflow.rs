//! Overflow is an error on a device where the build of the handler's crate makes it one in Rust: this crate's
//! tests are built so.
#![cfg(debug_assertions)]
#![allow(clippy::disallowed_names, clippy::arithmetic_side_effects)]

extern crate annulus_runtime as annulus;

use std::{collections::BTreeSet, path::Path};

use annulus::prelude::*;
use annulus_abi::error;
use annulus_conformance::{
    kernels::own::math::wrapped,
    language::{Inputs, call, differences},
};
use annulus_kernel::{KernelDefinition, Target};

fn agree(name: &str, definitions: &[&'static KernelDefinition]) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    for target in [Target::OpenCl, Target::Cuda] {
        let differences = differences(definitions, target, &folder.join(target.name()), 10_000, 0);
        assert!(differences.is_empty(), "{target}: {}", differences.join("\n"));
    }
}

/// The codes that the Rust gives.
fn codes(definition: &'static KernelDefinition) -> BTreeSet<u16> {
    let mut inputs = Inputs::new(3, 4);
    std::panic::set_hook(Box::new(|_| {}));
    let codes = (0..4000).map(|_| call(definition, &inputs.call(definition)).code).collect();
    drop(std::panic::take_hook());
    codes
}

/// What all integers can do, one thing in each call.
macro_rules! integers {
    ($($kernel:ident, $message:ident: $ty:ident;)+) => {$(
        #[derive(RingMessage, Clone, Copy, Debug)]
        #[repr(C)]
        struct $message {
            a: $ty,
            b: $ty,
            distance: u8,
            signed: i32,
            wide: i64,
            which: u8,
        }

        #[ring_kernel]
        fn $kernel(m: &$message, state: &mut [$ty; 4], results: &Outbox<$message>) {
            let mut a = m.a;
            let low = m.distance % 24;
            let result = match m.which % 16 {
                0 => a + m.b,
                1 => a - m.b,
                2 => a * m.b,
                3 => a << low,
                4 => a >> low,
                5 => a << (m.signed % 80),
                6 => a >> m.wide,
                7 => a.pow(u32::from(m.distance % 9)),
                8 => {
                    a += 1;
                    state[low as usize % 4] -= m.b;
                    a
                }
                9 => {
                    state[1] *= a;
                    state[2] <<= low;
                    state[1]
                }
                10 => (a / 2 + m.b / 2) * 2 - 1,
                11 => m.distance as $ty * 2 + (m.which as $ty - 1),
                12 => {
                    let mut sum = 0;
                    for i in 0..low {
                        sum = sum * 2 + i as $ty;
                    }
                    sum
                }
                13 => if m.b > 3 && a + 1 > m.b { a - m.b + 1 } else { 7 },
                14 => state[(low as usize + 1) % 4] + state[usize::from(m.distance) % 4],
                _ => a.wrapping_mul(m.b).wrapping_add(3),
            };
            results.send($message { a: result, ..*m });
        }
    )+};
}

integers! {
    unsigned_8, U8: u8;
    unsigned_16, U16: u16;
    unsigned_32, U32: u32;
    unsigned_64, U64: u64;
    signed_8, I8: i8;
    signed_16, I16: i16;
    signed_32, I32: i32;
    signed_64, I64: i64;
}

#[test]
fn every_integer() {
    let definitions: &[&KernelDefinition] = &[
        unsigned_8::DEFINITION,
        unsigned_16::DEFINITION,
        unsigned_32::DEFINITION,
        unsigned_64::DEFINITION,
        signed_8::DEFINITION,
        signed_16::DEFINITION,
        signed_32::DEFINITION,
        signed_64::DEFINITION,
    ];
    agree("overflow", definitions);
    for definition in definitions {
        let codes = codes(definition);
        assert_eq!(codes, BTreeSet::from([0, error::OVERFLOW]), "{}", definition.name);
    }
}

/// What only numbers with a sign can do.
macro_rules! signs {
    ($($kernel:ident, $message:ident: $ty:ident;)+) => {$(
        #[ring_kernel]
        fn $kernel(m: &$message, results: &Outbox<$message>) {
            let result = match m.which % 8 {
                0 => -m.a,
                1 => m.a.abs(),
                2 => -(m.a / 3) - m.b,
                3 => m.a / m.b.max(-1),
                4 => (m.a % 100) * -3 + 1,
                5 => -(i16::from(m.distance) as $ty),
                6 => m.a.rem_euclid(m.b | 1),
                _ => m.a.wrapping_neg().wrapping_abs().signum() - m.b,
            };
            results.send($message { a: result, ..*m });
        }
    )+};
}

signs! {
    negates_8, I8: i8;
    negates_16, I16: i16;
    negates_32, I32: i32;
    negates_64, I64: i64;
}

#[test]
fn signs() {
    let definitions: &[&KernelDefinition] =
        &[negates_8::DEFINITION, negates_16::DEFINITION, negates_32::DEFINITION, negates_64::DEFINITION];
    agree("signs", definitions);
    assert!(definitions.iter().all(|definition| codes(definition).contains(&error::OVERFLOW)));
}

/// Methods whose overflow is that of an addition inside them.
macro_rules! next {
    ($($kernel:ident, $message:ident: $ty:ident;)+) => {$(
        #[ring_kernel]
        fn $kernel(m: &$message, results: &Outbox<$message>) {
            let result = match m.which % 4 {
                0 => m.a.next_power_of_two(),
                1 => m.a.next_multiple_of(m.b),
                2 => m.a.next_multiple_of((m.b / 5) | 1) / 2,
                _ => (m.a / 2).next_power_of_two().div_ceil(m.b),
            };
            results.send($message { a: result, ..*m });
        }
    )+};
}

next! {
    next_8, U8: u8;
    next_16, U16: u16;
    next_32, U32: u32;
    next_64, U64: u64;
}

#[test]
fn what_comes_next() {
    let definitions: &[&KernelDefinition] =
        &[next_8::DEFINITION, next_16::DEFINITION, next_32::DEFINITION, next_64::DEFINITION];
    agree("next", definitions);
    for definition in definitions {
        let all = BTreeSet::from([0, error::OVERFLOW, error::DIVISION_BY_ZERO]);
        assert_eq!(codes(definition), all, "{}", definition.name);
    }
}

#[device_fn]
fn checked(a: u32, b: u32) -> u32 {
    debug_assert!(b != 3, "asserted in this build");
    debug_assert_ne!(a, 4);
    wrapped(a, b) / 2 + a
}

/// A function wraps or checks as its own crate is built.
#[ring_kernel]
fn both_ways(m: &U32, sum: &mut u32) {
    *sum += checked(m.a, m.b);
    if m.which > 100 {
        *sum -= wrapped(m.a, m.b);
    }
}

#[test]
fn functions_are_as_their_crates_are_built() {
    agree("both_ways", &[both_ways::DEFINITION]);
    let text = both_ways::DEFINITION.handler_source(Target::Cuda).expect("a device can do this");
    let (wrapped, rest) = text.split_once("fn_checked(").expect("the function is there");
    assert!(!wrapped.contains("// overflow\n") && rest.contains("// overflow\n"), "{text}");
    assert_eq!(codes(both_ways::DEFINITION), BTreeSet::from([0, error::OVERFLOW, error::PANICKED]));
}
