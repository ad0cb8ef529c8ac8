//! Kernels that compute with every type of number: what an operator or a method means on a device.

#![allow(clippy::neg_cmp_op_on_partial_ord)] // It is what is tested: NaN is not greater, and not less or equal.

use annulus_macros::{RingMessage, ring_kernel};
use annulus_runtime::prelude::{DeviceType, Outbox};

/// Two numbers of one type, and one that shifts and counts.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Pair<T: DeviceType> {
    pub a: T,
    pub b: T,
    pub n: u32,
}

/// Numbers of one type, and answers of other types.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Results<T: DeviceType> {
    pub same: [T; 32],
    pub counts: [u32; 4],
    pub answers: [bool; 8],
}

macro_rules! integers {
    ($($name:ident $divide:ident $convert:ident: $t:ident;)+) => {$(
        /// What does not fail.
        #[ring_kernel]
        pub fn $name(pair: &Pair<$t>, results: &Outbox<Results<$t>>) {
            let Pair { a, b, n } = *pair;
            let mut same = [0; 32];
            same[0] = a + b;
            same[1] = a - b;
            same[2] = a * b;
            same[3] = a & b;
            same[4] = a | b;
            same[5] = a ^ b;
            same[6] = !a;
            same[7] = a << (n & 7);
            same[8] = a >> (n & 7);
            same[9] = a.wrapping_shl(n);
            same[10] = a.wrapping_shr(n);
            same[11] = a.wrapping_add(b).wrapping_sub(3).wrapping_mul(5);
            same[12] = a.wrapping_neg();
            same[13] = a.min(b);
            same[14] = a.max(b);
            same[15] = a.rotate_left(n);
            same[16] = b.rotate_right(n);
            same[17] = a.swap_bytes();
            same[18] = a.pow(n & 15);
            same[19] = a.wrapping_pow(n & 63);
            same[20] = a.saturating_add(b);
            same[21] = a.saturating_sub(b);
            same[22] = a.saturating_mul(b);
            same[23] = std::cmp::min(a, $t::MAX / 2);
            same[24] = $t::max(a, 7);
            same[25] = a.clamp(3, 100);
            same[26] = a / 7 + a % 10;
            same[27] += a;
            same[27] -= 2;
            same[27] *= b;
            same[27] ^= a;
            same[27] |= 1;
            same[27] &= 0x7F;
            same[27] <<= 2;
            same[27] >>= n & 3;
            same[28] = if a < b { a } else { b / 3 };
            same[29] = $t::MIN;
            same[30] = $t::MAX;
            same[31] = -1i8 as $t;
            let counts = [a.count_ones() + a.count_zeros(), a.leading_zeros(), a.trailing_zeros(), a.leading_ones() + b.trailing_ones()];
            let answers = [a == b, a != b, a < b, a <= b, a > b, a >= b, a > 3 && b > 3, a > 3 || !(b > 3)];
            results.send(Results { same, counts, answers });
        }

        /// What fails where the divisor is 0, or the quotient is not there.
        #[ring_kernel]
        pub fn $divide(pair: &Pair<$t>, results: &Outbox<Results<$t>>) {
            let &Pair { a, b, n } = pair;
            let mut same = [0; 32];
            match n % 8 {
                0 => same[0] = a / b,
                1 => same[1] = a % b,
                2 => same[2] = a.div_euclid(b),
                3 => same[3] = a.rem_euclid(b),
                4 => same[4] = a.wrapping_div(b),
                5 => same[5] = a.wrapping_rem(b),
                6 => {
                    same[6] = a;
                    same[6] /= b;
                    same[6] %= a;
                }
                _ => same[7] = a.clamp(b, 50),
            }
            results.send(Results { same, counts: [0; 4], answers: [false; 8] });
        }

        /// From this type to all others and back.
        #[ring_kernel]
        pub fn $convert(pair: &Pair<$t>, results: &Outbox<Results<$t>>) {
            let a = pair.a;
            let mut same = [0; 32];
            same[0] = a as u8 as $t;
            same[1] = a as u16 as $t;
            same[2] = a as u32 as $t;
            same[3] = a as u64 as $t;
            same[4] = a as usize as $t;
            same[5] = a as i8 as $t;
            same[6] = a as i16 as $t;
            same[7] = a as i32 as $t;
            same[8] = a as i64 as $t;
            same[9] = a as isize as $t;
            same[10] = a as f32 as $t;
            same[11] = a as f64 as $t;
            same[12] = (a as f32 * 1.5e3) as $t;
            same[13] = (a as f64 * -1.5e3) as $t;
            same[14] = f32::from_bits(pair.n) as $t;
            same[15] = f64::from_bits(u64::from(pair.n) << 32) as $t;
            same[16] = (a > pair.b) as $t;
            same[17] = 200u8 as $t;
            same[18] = -1.5f32 as $t;
            let counts = [(a as f32).to_bits(), (a as f64 as f32).to_bits(), a as u32, 0];
            results.send(Results { same, counts, answers: [false; 8] });
        }
    )+};
}

integers! {
    u8_numbers u8_divides u8_converts: u8;
    u16_numbers u16_divides u16_converts: u16;
    u32_numbers u32_divides u32_converts: u32;
    u64_numbers u64_divides u64_converts: u64;
    i8_numbers i8_divides i8_converts: i8;
    i16_numbers i16_divides i16_converts: i16;
    i32_numbers i32_divides i32_converts: i32;
    i64_numbers i64_divides i64_converts: i64;
}

macro_rules! signed {
    ($($name:ident: $t:ident;)+) => {$(
        /// What only signed integers have.
        #[ring_kernel]
        pub fn $name(pair: &Pair<$t>, results: &Outbox<Results<$t>>) {
            let Pair { a, b, .. } = *pair;
            let mut same = [0; 32];
            same[0] = -a;
            same[1] = a.abs();
            same[2] = a.wrapping_abs();
            same[3] = a.signum();
            same[4] = a.unsigned_abs() as $t;
            same[5] = a.abs_diff(b) as $t;
            same[6] = -(-128) + -b;
            let answers = [a.is_negative(), a.is_positive(), a < 0, -a < b, false, false, false, false];
            results.send(Results { same, counts: [0; 4], answers });
        }
    )+};
}

signed! {
    i16_signs: i16;
    i32_signs: i32;
    i64_signs: i64;
}

macro_rules! floats {
    ($($name:ident $math:ident: $t:ident, $bits:ident;)+) => {$(
        /// Arithmetic, and what is exact.
        #[ring_kernel]
        pub fn $name(pair: &Pair<$t>, results: &Outbox<Results<$t>>) {
            let Pair { a, b, n } = *pair;
            let mut same = [0.0; 32];
            same[0] = a + b;
            same[1] = a - b;
            same[2] = a * b;
            same[3] = a / b;
            same[4] = a % b;
            same[5] = -a;
            same[6] = a.abs();
            same[7] = a.sqrt();
            same[8] = a.mul_add(b, 1.25);
            same[9] = a.floor() + b.ceil();
            same[10] = a.trunc();
            same[11] = a.round();
            same[12] = a.fract();
            same[13] = a.signum();
            same[14] = a.copysign(b);
            same[15] = a.recip();
            same[16] = if a != b { a.min(b) } else { 0.0 };
            same[17] = if a != b { $t::max(a, b) } else { 0.0 };
            same[18] = a.clamp(-1.5, 2.5);
            same[19] = a * b + a - b * 3.0;
            same[20] = n as $t;
            same[21] = (a as i32) as $t;
            same[22] = $t::EPSILON + std::f64::consts::PI as $t;
            same[23] = $t::from_bits(a.to_bits() ^ 1);
            same[24] = a.rem_euclid(b);
            same[25] = if b.abs() > 1e-3 { a.div_euclid(b) } else { 0.0 };
            same[26] += a;
            same[26] *= 2.0;
            same[26] /= 3.0;
            same[26] -= b;
            same[27] = -0.0;
            same[28] = $t::INFINITY;
            same[29] = $t::NAN;
            same[30] = 1e-39;
            same[31] = a.to_radians();
            let counts = [a as u32, a as u8 as u32, b as i16 as u32, (a.to_bits() >> 3) as u32];
            let answers = [a == b, a < b, a <= b, a.is_nan(), a.is_finite(), a.is_infinite(), a.is_sign_negative(), !(a > b)];
            results.send(Results { same, counts, answers });
        }

        /// Functions that are only as exact as the target's.
        #[ring_kernel]
        pub fn $math(pair: &Pair<$t>, results: &Outbox<Results<$t>>) {
            let Pair { a, b, n } = *pair;
            let mut same = [0.0; 32];
            same[0] = a.sin();
            same[1] = a.cos();
            same[2] = a.tan();
            same[3] = a.exp();
            same[4] = a.exp2();
            same[5] = a.ln();
            same[6] = a.log2();
            same[7] = a.log10();
            same[8] = a.powf(b);
            same[9] = a.atan2(b);
            same[10] = a.hypot(b);
            same[11] = a.asin() + b.acos();
            same[12] = a.atan();
            same[13] = a.sinh() + b.cosh();
            same[14] = a.tanh();
            same[15] = a.cbrt();
            same[16] = a.powi((n % 5) as i32 - 2);
            same[17] = a.to_degrees();
            results.send(Results { same, counts: [0; 4], answers: [false; 8] });
        }
    )+};
}

floats! {
    f32_numbers f32_functions: f32, u32;
    f64_numbers f64_functions: f64, u64;
}
