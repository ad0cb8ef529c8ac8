//! The methods of floats.

use annulus_abi::error;
use annulus_tree::BinaryOp;

use super::{
    Lowered, Lowerer,
    operand::Operand,
    program::{Expr, Stmt},
};
use crate::typed::{Scalar, Type};

/// Methods of one float that give one: functions of the C part of the same name.
const ONE: &[&str] = &[
    "abs",
    "acos",
    "asin",
    "atan",
    "cbrt",
    "ceil",
    "cos",
    "cosh",
    "exp",
    "exp2",
    "exp_m1",
    "floor",
    "fract",
    "ln",
    "ln_1p",
    "log10",
    "log2",
    "recip",
    "round",
    "signum",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "to_degrees",
    "to_radians",
    "trunc",
];
/// Methods of two floats that give one.
const TWO: &[&str] = &["atan2", "copysign", "div_euclid", "hypot", "max", "min", "powf", "rem_euclid"];
/// Questions about a float.
const QUESTIONS: &[&str] = &["is_finite", "is_infinite", "is_nan", "is_sign_negative", "is_sign_positive"];

fn known(names: &'static [&'static str], name: &str) -> Option<&'static str> {
    names.iter().copied().find(|known| *known == name)
}

impl Lowerer<'_> {
    pub(super) fn float_method(
        &mut self,
        scalar: Scalar,
        method: &str,
        values: Vec<(Expr, Type)>,
    ) -> Lowered<Operand> {
        let ty = Type::Scalar(scalar);
        let mut values: Vec<Expr> = values.into_iter().map(|(value, _)| value).collect();
        let call = |name, values, ty| Ok(Operand::Value(Expr::Call(name, scalar, values), ty));
        let found = match values.len() {
            1 => known(ONE, method),
            2 => known(TWO, method),
            _ => None,
        };
        if let Some(name) = found {
            return call(name, values, ty);
        }
        if let (Some(name), 1) = (known(QUESTIONS, method), values.len()) {
            return call(name, values, Type::Scalar(Scalar::Bool));
        }
        match (method, values.len()) {
            ("sin_cos", 1) => {
                let value = self.simple(values.remove(0), &ty, "angle");
                let of = |name| Operand::Value(Expr::Call(name, scalar, vec![value.clone()]), ty.clone());
                Ok(Operand::Tuple(vec![of("sin"), of("cos")]))
            }
            ("mul_add", 3) => call("mul_add", values, ty),
            ("powi", 2) => call("powi", values, ty),
            ("total_cmp", 2) => Ok(self.total_order(scalar, values)),
            ("to_bits", 1) => {
                let bits = if scalar == Scalar::F32 { Scalar::U32 } else { Scalar::U64 };
                call("to_bits", values, Type::Scalar(bits))
            }
            ("clamp", 3) => {
                let high = self.simple(values.remove(2), &ty, "high");
                let low = self.simple(values.remove(1), &ty, "low");
                let ordered = Expr::binary(BinaryOp::Le, scalar, low.clone(), high.clone());
                self.out.push(Stmt::Fail(ordered.not(), error::PANICKED));
                call("clamp", vec![values.remove(0), low, high], ty)
            }
            _ => Err(format!("a device's `{}` has no method `{method}` with these arguments", scalar.name())),
        }
    }
}
