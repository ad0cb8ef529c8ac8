//! The methods of integers.

use annulus_abi::error;
use annulus_tree::BinaryOp;

use super::{
    Lowered, Lowerer, ascii,
    operand::{Operand, signed_of, unsigned},
    operator::convert,
    program::{Expr, Stmt},
};
use crate::typed::{Scalar, Type};

/// Methods that are one C function each, although their prefix names a kind of overflow.
const OWN: &[&str] = &[
    "saturating_add",
    "saturating_mul",
    "saturating_sub",
    "wrapping_abs",
    "wrapping_add",
    "wrapping_div",
    "wrapping_mul",
    "wrapping_neg",
    "wrapping_pow",
    "wrapping_rem",
    "wrapping_shl",
    "wrapping_shr",
    "wrapping_sub",
];

impl Lowerer<'_> {
    pub(super) fn integer_method(
        &mut self,
        scalar: Scalar,
        method: &str,
        values: Vec<(Expr, Type)>,
    ) -> Lowered<Operand> {
        let ty = Type::Scalar(scalar);
        let count = values.len();
        if !OWN.contains(&method)
            && let Some(operand) = self.checked_method(scalar, method, &values)?
        {
            return Ok(operand);
        }
        let mut values: Vec<Expr> = values.into_iter().map(|(value, _)| value).collect();
        let signed = scalar.is_signed();
        let zero = Expr::Bits(scalar, 0);
        // Methods that are a function of the C part with the same name. The arguments have the receiver's
        // type, unless stated otherwise.
        let same = |name: &'static str, values: Vec<Expr>| {
            Ok(Operand::Value(Expr::Call(name, scalar, values), ty.clone()))
        };
        let gives = |name: &'static str, result: Scalar, values: Vec<Expr>| {
            Ok(Operand::Value(Expr::Call(name, scalar, values), Type::Scalar(result)))
        };
        let operator = |op: BinaryOp, mut values: Vec<Expr>| {
            let (Some(right), Some(left)) = (values.pop(), values.pop()) else { return Err(missing(method)) };
            Ok(Operand::Value(Expr::binary(op, scalar, left, right), ty.clone()))
        };
        match (method, count) {
            ("wrapping_add", 2) => operator(BinaryOp::Add, values),
            ("wrapping_sub", 2) => operator(BinaryOp::Sub, values),
            ("wrapping_mul", 2) => operator(BinaryOp::Mul, values),
            ("wrapping_shl", 2) => same("shl", values),
            ("wrapping_shr", 2) => same("shr", values),
            ("wrapping_neg", 1) => same("neg", values),
            ("abs", 1) if signed => same("abs", self.check_overflow("neg_overflows", scalar, values)),
            ("wrapping_abs", 1) if signed => same("abs", values),
            ("unsigned_abs", 1) if signed => gives("unsigned_abs", unsigned(scalar), values),
            ("abs_diff", 2) => gives("abs_diff", unsigned(scalar), values),
            ("signum", 1) if signed => same("signum", values),
            ("is_negative", 1) if signed => {
                let value = values.remove(0);
                Ok(Operand::Value(
                    Expr::binary(BinaryOp::Lt, scalar, value, zero),
                    Type::Scalar(Scalar::Bool),
                ))
            }
            ("is_positive", 1) if signed => {
                let value = values.remove(0);
                Ok(Operand::Value(
                    Expr::binary(BinaryOp::Gt, scalar, value, zero),
                    Type::Scalar(Scalar::Bool),
                ))
            }
            (_, 1) if scalar == Scalar::U8 && method.starts_with("is_ascii") => {
                let byte = self.simple(values.remove(0), &ty, "byte");
                let answer = ascii::question(method, &byte)
                    .ok_or_else(|| format!("a device's `u8` has no method `{method}`"))?;
                Ok(Operand::Value(answer, Type::Scalar(Scalar::Bool)))
            }
            ("to_ascii_lowercase" | "to_ascii_uppercase", 1) if scalar == Scalar::U8 => {
                let byte = self.simple(values.remove(0), &ty, "byte");
                Ok(Operand::Value(ascii::in_case(method == "to_ascii_lowercase", &byte), ty))
            }
            ("eq_ignore_ascii_case", 2) if scalar == Scalar::U8 => {
                let other = self.simple(values.remove(1), &ty, "byte");
                let byte = self.simple(values.remove(0), &ty, "byte");
                let lower = |byte| ascii::in_case(true, byte);
                let same = Expr::binary(BinaryOp::Eq, scalar, lower(&byte), lower(&other));
                Ok(Operand::Value(same, Type::Scalar(Scalar::Bool)))
            }
            ("isqrt", 1) => {
                if signed {
                    let value = self.simple(values.remove(0), &ty, "number");
                    let below = Expr::binary(BinaryOp::Lt, scalar, value.clone(), zero);
                    self.out.push(Stmt::Fail(below, error::PANICKED));
                    values.push(value);
                }
                let bits = unsigned(scalar);
                let root = Expr::Call("isqrt", bits, vec![convert(scalar, bits, values.remove(0))]);
                Ok(Operand::Value(convert(bits, scalar, root), ty))
            }
            ("is_multiple_of", 2) if !signed => gives("is_multiple_of", Scalar::Bool, values),
            ("is_power_of_two", 1) if !signed => gives("is_power_of_two", Scalar::Bool, values),
            ("min", 2) => same("min", values),
            ("max", 2) => same("max", values),
            ("pow", 2) => same("pow", self.check_overflow("pow_overflows", scalar, values)),
            ("wrapping_pow", 2) => same("pow", values),
            ("rotate_left", 2) => same("rotate_left", values),
            ("rotate_right", 2) => same("rotate_right", values),
            ("swap_bytes", 1) => same("swap_bytes", values),
            ("saturating_add", 2) => same("saturating_add", values),
            ("saturating_sub", 2) => same("saturating_sub", values),
            ("saturating_mul", 2) => same("saturating_mul", values),
            ("count_ones", 1) => gives("count_ones", Scalar::U32, values),
            ("leading_zeros", 1) => gives("leading_zeros", Scalar::U32, values),
            ("trailing_zeros", 1) => gives("trailing_zeros", Scalar::U32, values),
            ("count_zeros", 1) => gives("count_ones", Scalar::U32, inverted(scalar, values)),
            ("leading_ones", 1) => gives("leading_zeros", Scalar::U32, inverted(scalar, values)),
            ("trailing_ones", 1) => gives("trailing_zeros", Scalar::U32, inverted(scalar, values)),
            ("reverse_bits", 1) => same("reverse_bits", values),
            ("to_be" | "from_be", 1) if scalar.bits() > 8 => same("swap_bytes", values),
            ("to_be" | "from_be" | "to_le" | "from_le", 1) => Ok(Operand::Value(values.remove(0), ty)),
            ("cast_signed", 1) if !signed => {
                let to = signed_of(scalar);
                Ok(Operand::Value(convert(scalar, to, values.remove(0)), Type::Scalar(to)))
            }
            ("cast_unsigned", 1) if signed => {
                let to = unsigned(scalar);
                Ok(Operand::Value(convert(scalar, to, values.remove(0)), Type::Scalar(to)))
            }
            ("to_le_bytes" | "to_be_bytes" | "to_ne_bytes", 1) => {
                Ok(self.bytes_of(scalar, method, values.remove(0)))
            }
            ("next_power_of_two", 1) if !signed => {
                same("next_power_of_two", self.check_overflow("next_power_of_two_overflows", scalar, values))
            }
            ("div_ceil" | "next_multiple_of", 2) if !signed => {
                let right = values.remove(1);
                let (left, right) = self.check_division(scalar, values.remove(0), right, false);
                let operands = vec![left, right];
                if method == "div_ceil" {
                    return same("div_ceil", operands);
                }
                same("next_multiple_of", self.check_overflow("next_multiple_of_overflows", scalar, operands))
            }
            ("ilog2", 1) => {
                let value = self.simple(values.remove(0), &ty, "number");
                let positive = Expr::binary(BinaryOp::Gt, scalar, value.clone(), zero);
                self.out.push(Stmt::Fail(positive.not(), error::PANICKED));
                let zeros = Expr::Call("leading_zeros", scalar, vec![value]);
                let most = Expr::Bits(Scalar::U32, u64::from(scalar.bits()) - 1);
                let log = Expr::binary(BinaryOp::Sub, Scalar::U32, most, zeros);
                Ok(Operand::Value(log, Type::Scalar(Scalar::U32)))
            }
            ("ilog10", 1) => {
                let value = self.simple(values.remove(0), &ty, "number");
                let positive = Expr::binary(BinaryOp::Gt, scalar, value.clone(), zero);
                self.out.push(Stmt::Fail(positive.not(), error::PANICKED));
                // How many of the powers of ten it has reached.
                let most = u64::MAX >> (64 - scalar.bits() + u32::from(signed));
                let u32_ = |bits| Expr::Bits(Scalar::U32, bits);
                let mut log = u32_(0);
                for power in (1..=19).map_while(|exponent| 10u64.checked_pow(exponent)) {
                    if power > most {
                        break;
                    }
                    let reached =
                        Expr::binary(BinaryOp::Ge, scalar, value.clone(), Expr::Bits(scalar, power));
                    let one = Expr::Select(Box::new(reached), Box::new(u32_(1)), Box::new(u32_(0)));
                    log = Expr::binary(BinaryOp::Add, Scalar::U32, log, one);
                }
                Ok(Operand::Value(log, Type::Scalar(Scalar::U32)))
            }
            ("midpoint", 2) => {
                let b = self.simple(values.remove(1), &ty, "b");
                let a = self.simple(values.remove(0), &ty, "a");
                let odd = Expr::binary(BinaryOp::BitXor, scalar, a.clone(), b.clone());
                let both = Expr::binary(BinaryOp::BitAnd, scalar, a, b);
                let half = Expr::Call("shr", scalar, vec![odd.clone(), Expr::Bits(Scalar::U32, 1)]);
                let floor = Expr::binary(BinaryOp::Add, scalar, half, both);
                if !signed {
                    return Ok(Operand::Value(floor, ty));
                }
                // Towards zero, as the standard library has it.
                let floor = self.simple(floor, &ty, "floor");
                let below = Expr::binary(BinaryOp::Lt, scalar, floor.clone(), zero.clone());
                let one = Expr::binary(BinaryOp::BitAnd, scalar, odd, Expr::Bits(scalar, 1));
                let more = Expr::Select(Box::new(below), Box::new(one), Box::new(zero));
                Ok(Operand::Value(Expr::binary(BinaryOp::Add, scalar, floor, more), ty))
            }
            ("clamp", 3) => {
                let high = self.simple(values.remove(2), &ty, "high");
                let low = self.simple(values.remove(1), &ty, "low");
                let crossed = Expr::binary(BinaryOp::Gt, scalar, low.clone(), high.clone());
                self.out.push(Stmt::Fail(crossed, error::PANICKED));
                let raised = Expr::Call("max", scalar, vec![values.remove(0), low]);
                Ok(Operand::Value(Expr::Call("min", scalar, vec![raised, high]), ty))
            }
            ("div_euclid" | "rem_euclid" | "wrapping_div" | "wrapping_rem", 2) => {
                let wraps = method.starts_with("wrapping");
                let right = values.remove(1);
                let left = values.remove(0);
                let (left, right) = self.check_division(scalar, left, right, !wraps);
                let name = match method {
                    "div_euclid" if signed => "div_euclid",
                    "rem_euclid" if signed => "rem_euclid",
                    "wrapping_div" if signed => "wrapping_div",
                    "wrapping_rem" if signed => "wrapping_rem",
                    "div_euclid" | "wrapping_div" => return operator(BinaryOp::Div, vec![left, right]),
                    _ => return operator(BinaryOp::Rem, vec![left, right]),
                };
                same(name, vec![left, right])
            }
            _ => Err(format!("a device's `{}` has no method `{method}` with these arguments", scalar.name())),
        }
    }
}

fn inverted(scalar: Scalar, values: Vec<Expr>) -> Vec<Expr> {
    values.into_iter().map(|value| Expr::Not(scalar, Box::new(value))).collect()
}

fn missing(method: &str) -> String {
    format!("`{method}` needs an argument")
}
