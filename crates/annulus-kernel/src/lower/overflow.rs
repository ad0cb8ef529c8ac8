//! Overflow, if the build of the body's crate makes it an error.

use annulus_abi::error;
use annulus_tree::BinaryOp;

use super::{
    Lowered, Lowerer,
    operand::unsigned,
    operator::convert,
    program::{Expr, Stmt},
};
use crate::typed::{Scalar, Type};

impl Lowerer<'_> {
    /// Fails if a calculation leaves its type's range; the function `name` of the C part detects it. Returns
    /// the operands for the calculation.
    pub(super) fn check_overflow(
        &mut self,
        name: &'static str,
        scalar: Scalar,
        operands: Vec<Expr>,
    ) -> Vec<Expr> {
        if !self.checks || !scalar.is_integer() || is_safe(name, scalar, &operands) {
            return operands;
        }
        let wanted = ["left", "right"];
        let operands: Vec<Expr> = operands
            .into_iter()
            .enumerate()
            .map(|(index, operand)| {
                let ty = if name == "pow_overflows" && index == 1 { Scalar::U32 } else { scalar };
                self.twice(operand, ty, wanted[index.min(1)])
            })
            .collect();
        self.out.push(Stmt::Fail(Expr::Call(name, scalar, operands.clone()), error::OVERFLOW));
        operands
    }

    /// `+`, `-` and `*`.
    pub(super) fn check_arithmetic(
        &mut self,
        op: BinaryOp,
        scalar: Scalar,
        left: Expr,
        right: Expr,
    ) -> (Expr, Expr) {
        let name = match op {
            BinaryOp::Add => "add_overflows",
            BinaryOp::Sub => "sub_overflows",
            BinaryOp::Mul => "mul_overflows",
            _ => return (left, right),
        };
        let mut operands = self.check_overflow(name, scalar, vec![left, right]);
        let right = operands.pop().expect("two operands");
        (operands.pop().expect("two operands"), right)
    }

    /// Fails on shifts by the type's width or more, and by negative distances. Returns the distance.
    pub(super) fn check_shift(&mut self, scalar: Scalar, distance: Expr, of: Scalar) -> Lowered<Expr> {
        let bits = u64::from(scalar.bits());
        let known = matches!(distance, Expr::Bits(_, distance) if distance < bits);
        if !self.checks || known {
            return Ok(distance);
        }
        let distance = self.twice(distance, of, "distance");
        let wide = unsigned(of);
        let far =
            Expr::binary(BinaryOp::Ge, wide, convert(of, wide, distance.clone()), Expr::Bits(wide, bits));
        self.out.push(Stmt::Fail(far, error::OVERFLOW));
        Ok(distance)
    }

    /// A value that may be written twice: nothing happens in between.
    fn twice(&mut self, value: Expr, scalar: Scalar, wanted: &str) -> Expr {
        let cheap = match &value {
            Expr::Read(place) => place.indices().all(Expr::is_simple),
            value => value.is_simple(),
        };
        if cheap { value } else { self.simple(value, &Type::Scalar(scalar), wanted) }
    }
}

/// Whether the operands prove that nothing overflows.
fn is_safe(name: &str, scalar: Scalar, operands: &[Expr]) -> bool {
    let half = scalar.bits() / 2;
    // Has half the width, and is in the range of the type it is converted to.
    let narrow = |expr: &Expr| match expr {
        Expr::Convert(Scalar::Bool, ..) => true,
        Expr::Convert(from, ..) => {
            from.is_integer() && from.bits() <= half && (!from.is_signed() || scalar.is_signed())
        }
        Expr::Bits(_, bits) => *bits < 1 << (half - 1),
        _ => false,
    };
    // Likewise with one spare bit if there is a sign: the product of two such values is in range.
    let factor = |expr: &Expr| match expr {
        Expr::Convert(from, ..) if scalar.is_signed() && !from.is_signed() => {
            narrow(expr) && from.bits() < half
        }
        expr => narrow(expr),
    };
    match name {
        "add_overflows" => operands.iter().all(narrow),
        "sub_overflows" => scalar.is_signed() && operands.iter().all(narrow),
        "mul_overflows" => operands.iter().all(factor),
        "neg_overflows" => operands.iter().all(narrow),
        _ => false,
    }
}
