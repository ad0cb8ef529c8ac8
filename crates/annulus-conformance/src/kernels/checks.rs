//! Kernels that ask integers where they overflow, for their bits and for their bytes.
#![allow(clippy::unnecessary_cast, clippy::manual_div_ceil, clippy::unnecessary_min_or_max)] // The macro has all types.

use annulus_macros::ring_kernel;
use annulus_runtime::prelude::{Failure, Outbox};

use super::numbers::{Pair, Results};

const NONE: Failure = Failure::of(77);

macro_rules! integers {
    ($($checks:ident $wraps:ident $bits:ident: $t:ident;)+) => {$(
        /// `checked_…`, `overflowing_…` and `saturating_…`.
        #[ring_kernel]
        pub fn $checks(pair: &Pair<$t>, results: &Outbox<Results<$t>>) -> Result<(), Failure> {
            let Pair { a, b, n } = *pair;
            let mut same = [0; 32];
            let mut answers = [false; 8];
            same[0] = a.checked_add(b).unwrap_or(1);
            same[1] = a.checked_sub(b).unwrap_or(2);
            same[2] = a.checked_mul(b).unwrap_or(3);
            same[3] = a.checked_div(b).unwrap_or(4);
            same[4] = a.checked_rem(b).unwrap_or(5);
            same[5] = a.checked_div_euclid(b).unwrap_or(6);
            same[6] = a.checked_rem_euclid(b).unwrap_or(7);
            same[7] = a.checked_neg().unwrap_or(8);
            same[8] = a.checked_shl(n).unwrap_or(9);
            same[9] = a.checked_shr(n & 127).unwrap_or(10);
            same[10] = a.checked_pow(n & 15).unwrap_or(11);
            same[11] = b.checked_pow(n).unwrap_or(12);
            (same[12], answers[0]) = a.overflowing_add(b);
            (same[13], answers[1]) = a.overflowing_sub(b);
            (same[14], answers[2]) = a.overflowing_mul(b);
            (same[15], answers[3]) = a.overflowing_neg();
            (same[16], answers[4]) = a.overflowing_shl(n);
            (same[17], answers[5]) = a.overflowing_shr(n);
            (same[18], answers[6]) = b.overflowing_pow(n & 31);
            let (quotient, overflows) = a.overflowing_div(b | 1);
            same[19] = quotient;
            answers[7] = overflows ^ a.overflowing_rem(b | 1).1 ^ (b | 1).overflowing_div_euclid(a | 1).1;
            same[20] = a.overflowing_rem_euclid(b | 1).0;
            same[21] = a.saturating_pow(n & 15);
            same[22] = b.saturating_pow(n);
            same[23] = a.saturating_div(b | 1);
            same[24] = $t::MIN.saturating_add(a).saturating_sub(b).saturating_mul(3);
            same[25] = a.wrapping_div_euclid(b | 1);
            same[26] = a.wrapping_rem_euclid(b | 1);
            let sum = match a.checked_add(b) {
                Some(0) => 5,
                Some(sum) if sum > 100 => sum / 2,
                Some(sum) => sum,
                None => a ^ b,
            };
            same[27] = sum;
            let Some(product) = sum.checked_mul(3) else { return Err(NONE) };
            same[28] = product;
            let total = a.checked_sub(b).ok_or(NONE)?.checked_add(7).ok_or(NONE)?;
            same[29] = total;
            results.send(Results { same, counts: [0; 4], answers });
            Ok(())
        }

        /// What fails where the divisor is 0.
        #[ring_kernel]
        pub fn $wraps(pair: &Pair<$t>, results: &Outbox<Results<$t>>) {
            let &Pair { a, b, n } = pair;
            let mut same = [0; 32];
            let mut counts = [0; 4];
            match n % 8 {
                0 => same[0] = a.overflowing_div(b).0,
                1 => same[1] = a.overflowing_rem(b).0,
                2 => same[2] = a.saturating_div(b),
                3 => same[3] = a.wrapping_div_euclid(b),
                4 => same[4] = a.wrapping_rem_euclid(b),
                5 => counts[0] = a.ilog2() + 1,
                6 => same[5] = a.checked_div(b).expect("divided"),
                _ => same[6] = a.checked_add(b).unwrap(),
            }
            results.send(Results { same, counts, answers: [false; 8] });
        }

        /// Bits and bytes.
        #[ring_kernel]
        pub fn $bits(pair: &Pair<$t>, results: &Outbox<Results<$t>>) {
            let Pair { a, b, n } = *pair;
            let mut same = [0; 32];
            same[0] = a.reverse_bits();
            same[1] = a.to_be();
            same[2] = a.to_le();
            same[3] = $t::from_be(b);
            same[4] = $t::from_le(b);
            let bytes = a.to_le_bytes();
            same[5] = $t::from_le_bytes(bytes);
            same[6] = $t::from_be_bytes(bytes);
            same[7] = $t::from_ne_bytes(b.to_be_bytes());
            let mut sum = 0u32;
            for (i, byte) in bytes.into_iter().enumerate() {
                sum = sum.wrapping_mul(31) + u32::from(byte) * (i as u32 + 1);
            }
            let mut turned = b.to_ne_bytes();
            turned[0] ^= 0xFF;
            turned.reverse();
            same[8] = $t::from_le_bytes(turned);
            same[9] = a.rotate_left(n).rotate_right(n & 7).swap_bytes().reverse_bits();
            same[10] = (a > b).then_some(a).unwrap_or(b);
            let counts = [sum, a.count_ones() * 3 + a.count_zeros(), a.leading_ones(), b.trailing_ones()];
            results.send(Results { same, counts, answers: [false; 8] });
        }
    )+};
}

integers! {
    u8_checks u8_wraps u8_bits: u8;
    u16_checks u16_wraps u16_bits: u16;
    u32_checks u32_wraps u32_bits: u32;
    u64_checks u64_wraps u64_bits: u64;
    i8_checks i8_wraps i8_bits: i8;
    i16_checks i16_wraps i16_bits: i16;
    i32_checks i32_wraps i32_bits: i32;
    i64_checks i64_wraps i64_bits: i64;
}

macro_rules! unsigned {
    ($($name:ident: $t:ident, $s:ident;)+) => {$(
        /// What only unsigned integers have.
        #[ring_kernel]
        pub fn $name(pair: &Pair<$t>, results: &Outbox<Results<$t>>) {
            let Pair { a, b, n } = *pair;
            let mut same = [0; 32];
            same[0] = a.checked_next_power_of_two().unwrap_or(3);
            same[1] = (a / 2).next_power_of_two();
            same[2] = b.next_power_of_two();
            same[3] = a.div_ceil(b | 1);
            same[4] = (a / 3).next_multiple_of(b / 5 | 1);
            same[5] = a.checked_add_signed(b as $s).unwrap_or(7);
            same[6] = a.saturating_add_signed(b as $s);
            same[7] = a.wrapping_add_signed(b as $s);
            let (sum, overflows) = a.overflowing_add_signed(b as $s);
            same[8] = sum;
            same[9] = a.cast_signed().wrapping_div(3) as $t;
            same[10] = a.abs_diff(b);
            let answers = [a.is_power_of_two(), overflows, a.is_multiple_of(b % 7), false, false, false, false, false];
            results.send(Results { same, counts: [(n | 1).ilog2(), 0, 0, 0], answers });
        }
    )+};
}

unsigned! {
    u8_powers: u8, i8;
    u16_powers: u16, i16;
    u32_powers: u32, i32;
    u64_powers: u64, i64;
}

macro_rules! signed {
    ($($name:ident: $t:ident;)+) => {$(
        /// What only signed integers have.
        #[ring_kernel]
        pub fn $name(pair: &Pair<$t>, results: &Outbox<Results<$t>>) {
            let Pair { a, b, .. } = *pair;
            let mut same = [0; 32];
            same[0] = a.checked_abs().unwrap_or(3);
            same[1] = a.saturating_abs();
            same[2] = a.saturating_neg();
            same[3] = a.wrapping_abs();
            let (magnitude, overflows) = b.overflowing_abs();
            same[4] = magnitude;
            same[5] = a.cast_unsigned().wrapping_shr(3) as $t;
            same[6] = a.unsigned_abs().abs_diff(b.unsigned_abs()) as $t;
            same[7] = a.signum() * 3 - b.signum();
            same[8] = a.min(b).max(-3).clamp(-50, 90);
            results.send(Results { same, counts: [0; 4], answers: [overflows; 8] });
        }
    )+};
}

signed! {
    i8_magnitudes: i8;
    i16_magnitudes: i16;
    i32_magnitudes: i32;
    i64_magnitudes: i64;
}

/// Sizes, which have 64 bits.
#[ring_kernel]
pub fn sizes_checked(pair: &Pair<u64>, results: &Outbox<Results<u64>>) {
    let (a, b) = (pair.a as usize, pair.b as usize);
    let (x, y) = (pair.a as isize, pair.b as isize);
    let mut same = [0; 32];
    same[0] = a.checked_add(b).unwrap_or(1) as u64;
    same[1] = a.checked_mul(b).unwrap_or(2) as u64;
    same[2] = a.saturating_sub(b) as u64;
    same[3] = a.checked_add_signed(y).unwrap_or(3) as u64;
    same[4] = x.checked_mul(y).unwrap_or(4) as u64;
    same[5] = x.checked_div(y).unwrap_or(5) as u64;
    same[6] = x.saturating_pow(pair.n & 7) as u64;
    same[7] = x.overflowing_sub(y).0 as u64 + u64::from(a.overflowing_sub(b).1);
    same[8] = u64::from(a.to_le_bytes()[3]) + a.reverse_bits() as u64;
    same[9] = a.next_power_of_two() as u64;
    results.send(Results { same, counts: [0; 4], answers: [false; 8] });
}
