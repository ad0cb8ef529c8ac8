//! Arithmetic that detects overflow: `checked_…`, `overflowing_…` and `saturating_…`.

use annulus_abi::error;
use annulus_tree::BinaryOp;

use super::{
    Lowered, Lowerer,
    cases::Cases,
    operand::{Operand, signed_of},
    operator::convert,
    program::{Expr, Stmt},
};
use crate::typed::{Scalar, Type};

/// The wrapped result of an operation, and whether it wraps.
struct Fit {
    value: Expr,
    overflows: Expr,
    /// Whether it divides by zero, which no wrapping helps. The value is one then, too.
    by_zero: Option<Expr>,
}

fn bool_of(op: BinaryOp, scalar: Scalar, a: Expr, b: Expr) -> Expr {
    Expr::binary(op, scalar, a, b)
}

fn either(a: Expr, b: Expr) -> Expr {
    Expr::binary(BinaryOp::Or, Scalar::Bool, a, b)
}

/// The least and the greatest number of a type.
pub(super) fn limits(scalar: Scalar) -> (Expr, Expr) {
    let mask = u64::MAX >> (64 - scalar.bits());
    let (least, most) = if scalar.is_signed() { (mask / 2 + 1, mask / 2) } else { (0, mask) };
    (Expr::Bits(scalar, least), Expr::Bits(scalar, most))
}

impl Lowerer<'_> {
    /// A method with one of the prefixes; `None` if it is none of these.
    pub(super) fn checked_method(
        &mut self,
        scalar: Scalar,
        method: &str,
        values: &[(Expr, Type)],
    ) -> Lowered<Option<Operand>> {
        let Some((how, operation)) = method.split_once('_') else { return Ok(None) };
        if !matches!(how, "checked" | "overflowing" | "saturating" | "wrapping") {
            return Ok(None);
        }
        let values: Vec<Expr> =
            values.iter().map(|(value, ty)| self.simple(value.clone(), ty, "operand")).collect();
        let Some(Fit { value, overflows, by_zero }) = fit(operation, scalar, &values) else {
            return Ok(None);
        };
        let ty = Type::Scalar(scalar);
        if let (Some(by_zero), true) = (&by_zero, how != "checked") {
            self.out.push(Stmt::Fail(by_zero.clone(), error::DIVISION_BY_ZERO));
        }
        Ok(Some(match how {
            "checked" => {
                let fails = match by_zero {
                    Some(by_zero) => either(by_zero, overflows),
                    None => overflows,
                };
                let then = Box::new(Operand::Value(value, ty));
                Operand::cases(Cases { good: fails.not(), then, error: None, mutable: false })
            }
            "overflowing" => Operand::Tuple(vec![
                Operand::Value(value, ty),
                Operand::Value(overflows, Type::Scalar(Scalar::Bool)),
            ]),
            "wrapping" => Operand::Value(value, ty),
            _ => {
                let limit = saturated(operation, scalar, &values);
                Operand::Value(Expr::Select(Box::new(overflows), Box::new(limit), Box::new(value)), ty)
            }
        }))
    }
}

/// The result of an operation; `None` if the type has no operation of this name and number of operands.
fn fit(operation: &str, scalar: Scalar, values: &[Expr]) -> Option<Fit> {
    let signed = scalar.is_signed();
    let (least, _) = limits(scalar);
    let call = |name: &'static str| Expr::Call(name, scalar, values.to_vec());
    let never = Expr::Bits(Scalar::Bool, 0);
    let known = |value, overflows| Some(Fit { value, overflows, by_zero: None });
    match (operation, values) {
        ("add", [a, b]) => known(bool_of(BinaryOp::Add, scalar, a.clone(), b.clone()), call("overflows_add")),
        ("sub", [a, b]) => known(bool_of(BinaryOp::Sub, scalar, a.clone(), b.clone()), call("overflows_sub")),
        ("mul", [a, b]) => known(bool_of(BinaryOp::Mul, scalar, a.clone(), b.clone()), call("overflows_mul")),
        ("pow", [_, _]) => known(call("pow"), call("overflows_pow")),
        ("neg", [a]) => {
            let overflows = if signed {
                bool_of(BinaryOp::Eq, scalar, a.clone(), least)
            } else {
                bool_of(BinaryOp::Ne, scalar, a.clone(), Expr::Bits(scalar, 0))
            };
            known(call("neg"), overflows)
        }
        ("abs", [a]) if signed => known(call("abs"), bool_of(BinaryOp::Eq, scalar, a.clone(), least)),
        ("shl" | "shr", [_, n]) => {
            let bits = Expr::Bits(Scalar::U32, scalar.bits().into());
            let overflows = bool_of(BinaryOp::Ge, Scalar::U32, n.clone(), bits);
            known(call(if operation == "shl" { "shl" } else { "shr" }), overflows)
        }
        ("next_power_of_two", [_]) if !signed => {
            let value = call("next_power_of_two");
            known(value.clone(), bool_of(BinaryOp::Eq, scalar, value, Expr::Bits(scalar, 0)))
        }
        ("add_signed", [a, b]) if !signed => {
            let from = signed_of(scalar);
            let magnitude = Expr::Call("unsigned_abs", from, vec![b.clone()]);
            let b_is_negative = bool_of(BinaryOp::Lt, from, b.clone(), Expr::Bits(from, 0));
            let below = bool_of(BinaryOp::Lt, scalar, a.clone(), magnitude.clone());
            let above = Expr::Call("overflows_add", scalar, vec![a.clone(), magnitude]);
            let overflows = Expr::Select(Box::new(b_is_negative), Box::new(below), Box::new(above));
            known(bool_of(BinaryOp::Add, scalar, a.clone(), convert(from, scalar, b.clone())), overflows)
        }
        ("div" | "rem" | "div_euclid" | "rem_euclid", [a, b]) => {
            let zero = Expr::Bits(scalar, 0);
            let by_zero = bool_of(BinaryOp::Eq, scalar, b.clone(), zero);
            let one = Box::new(Expr::Bits(scalar, 1));
            let divisor = Expr::Select(Box::new(by_zero.clone()), one, Box::new(b.clone()));
            let (value, overflows) = if signed {
                let name = match operation {
                    "div" => "wrapping_div",
                    "rem" => "wrapping_rem",
                    "div_euclid" => "div_euclid",
                    _ => "rem_euclid",
                };
                let minus_one = Expr::Bits(scalar, u64::MAX >> (64 - scalar.bits()));
                let overflows = Expr::binary(
                    BinaryOp::And,
                    Scalar::Bool,
                    bool_of(BinaryOp::Eq, scalar, a.clone(), least),
                    bool_of(BinaryOp::Eq, scalar, b.clone(), minus_one),
                );
                (Expr::Call(name, scalar, vec![a.clone(), divisor]), overflows)
            } else {
                let op = if operation.starts_with("div") { BinaryOp::Div } else { BinaryOp::Rem };
                (Expr::binary(op, scalar, a.clone(), divisor), never)
            };
            Some(Fit { value, overflows, by_zero: Some(by_zero) })
        }
        _ => None,
    }
}

/// The limit at which a saturating operation stops when it overflows.
fn saturated(operation: &str, scalar: Scalar, values: &[Expr]) -> Expr {
    let (least, most) = limits(scalar);
    let is_negative =
        |value: &Expr, scalar| bool_of(BinaryOp::Lt, scalar, value.clone(), Expr::Bits(scalar, 0));
    let down = match (operation, values) {
        ("add_signed", [_, b]) => is_negative(b, signed_of(scalar)),
        ("pow", [a, n]) if scalar.is_signed() => {
            let odd = Expr::binary(BinaryOp::BitAnd, Scalar::U32, n.clone(), Expr::Bits(Scalar::U32, 1));
            let odd = bool_of(BinaryOp::Ne, Scalar::U32, odd, Expr::Bits(Scalar::U32, 0));
            Expr::binary(BinaryOp::And, Scalar::Bool, is_negative(a, scalar), odd)
        }
        _ => return most,
    };
    Expr::Select(Box::new(down), Box::new(least), Box::new(most))
}
