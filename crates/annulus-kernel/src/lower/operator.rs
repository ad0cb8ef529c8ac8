//! Operators, with the checks that Rust makes.

use annulus_abi::error;
use annulus_tree::{BinaryOp, Expression, ExpressionKind, UnaryOp, WitnessId};

use super::{
    Lowered, Lowerer,
    archive::archived,
    equal::{self, Compared, is_compared},
    expression::literal_of,
    operand::{Operand, describe},
    order::{self, is_ordered},
    program::{Expr, Local, Stmt},
    wrapping::wrapped,
};
use crate::{
    TypeKind,
    typed::{Scalar, Type},
};

impl Lowerer<'_> {
    pub(super) fn unary(&mut self, op: &UnaryOp, operand: &Expression) -> Lowered<Operand> {
        let (expr, ty) = self.value(operand)?;
        if wrapped(&ty).is_some() {
            return self.wrapping_unary(op, expr, ty);
        }
        let scalar = self.as_scalar(&ty)?;
        let result = match op {
            UnaryOp::Not if scalar == Scalar::Bool => expr.not(),
            UnaryOp::Not if scalar.is_integer() => Expr::Not(scalar, Box::new(expr)),
            UnaryOp::Negate if scalar.is_float() || scalar.is_signed() => {
                Expr::Call("neg", scalar, self.check_overflow("neg_overflows", scalar, vec![expr]))
            }
            _ => return Err(format!("`{}` has no such operator", scalar.name())),
        };
        Ok(Operand::Value(result, Type::Scalar(scalar)))
    }

    pub(super) fn binary(&mut self, op: BinaryOp, left: &Expression, right: &Expression) -> Lowered<Operand> {
        let bool_ = Type::Scalar(Scalar::Bool);
        if matches!(op, BinaryOp::And | BinaryOp::Or) {
            return Ok(Operand::Value(self.short_circuit(op, left, right)?, bool_));
        }
        let mut values = if is_comparison(op) {
            match self.compared_values([left, right])? {
                Compared::Values(values) => values,
                Compared::Slices(sides) if matches!(op, BinaryOp::Eq | BinaryOp::Ne) => {
                    return self.slice_equality(op, sides);
                }
                Compared::Slices(sides) => return self.slice_before(op, sides),
            }
        } else {
            self.values([left, right])?
        }
        .into_iter();

        let (Some((mut left, mut left_ty)), Some((mut right, mut right_ty))) = (values.next(), values.next())
        else {
            unreachable!("two expressions have two values")
        };
        if let (Type::Failure, Type::Failure, BinaryOp::Eq | BinaryOp::Ne) = (&left_ty, &right_ty, op) {
            return Ok(Operand::Value(Expr::binary(op, Scalar::U32, left, right), bool_));
        }
        if is_comparison(op) {
            // A number of an archive is compared with another, or with one that is in none.
            (left, left_ty) = self.native((left, left_ty))?;
            (right, right_ty) = self.native((right, right_ty))?;
        }
        if is_comparison(op) {
            same_side(&left_ty, &right_ty)?;
        }
        if matches!(op, BinaryOp::Eq | BinaryOp::Ne)
            && !matches!(left_ty, Type::Scalar(_))
            && is_compared(&left_ty)
        {
            return self.equality(op, (left, left_ty), (right, right_ty));
        }
        if is_comparison(op)
            && !matches!(op, BinaryOp::Eq | BinaryOp::Ne)
            && !matches!(left_ty, Type::Scalar(_))
        {
            if !is_ordered(&left_ty, false) {
                return Err(order::refusal(&left_ty, "<", false));
            }
            let a = self.as_place(Operand::Value(left, left_ty))?;
            let b = self.as_place(Operand::Value(right, right_ty))?;
            return Ok(Operand::Value(self.before(&a, &b, op)?, bool_));
        }
        if wrapped(&left_ty).is_some() {
            return self.wrapping_binary(op, (left, left_ty), (right, right_ty));
        }
        let (Type::Scalar(a), Type::Scalar(b)) = (&left_ty, &right_ty) else {
            let other = if matches!(left_ty, Type::Scalar(_)) { &right_ty } else { &left_ty };
            if matches!(op, BinaryOp::Eq | BinaryOp::Ne) {
                return Err(equal::refusal(other));
            }
            if archived(other).is_some() {
                return Err(format!(
                    "a device calculates with numbers, and {} is one of an archive: write `.to_native()` behind it",
                    describe(other)
                ));
            }
            return Err(format!(
                "an operator of {} is a function: write `#[device_impl]` before its `impl` (`Add` and kin, of values and not of \
                 references)",
                describe(other)
            ));
        };
        let result = self.operate(op, *a, left, *b, right)?;
        let ty = if is_comparison(op) { bool_ } else { left_ty };
        Ok(Operand::Value(result, ty))
    }

    /// `a && b`: the statements for `b` run only if `b` is needed.
    fn short_circuit(&mut self, op: BinaryOp, left: &Expression, right: &Expression) -> Lowered<Expr> {
        let left = self.condition(left)?;
        // Taken first, so that nested code does not hide it.
        let name = self.names.take("both");
        let (right, mut statements) = self.nested(|inner| match inner.operand(right, None)? {
            Operand::Never => Ok(None),
            operand => {
                let (expr, ty) = inner.value_of(operand)?;
                inner.as_scalar(&ty)?;
                Ok(Some(expr))
            }
        })?;
        let Some(right) = right else {
            self.names.give_back(&name);
            let condition = if op == BinaryOp::And { left } else { left.not() };
            self.out.push(Stmt::If(condition, statements, Vec::new()));
            return Ok(Expr::Bits(Scalar::Bool, u64::from(op == BinaryOp::Or)));
        };
        if statements.is_empty() {
            self.names.give_back(&name);
            return Ok(Expr::binary(op, Scalar::Bool, left, right));
        }
        self.locals.push(Local::new(name, Type::Scalar(Scalar::Bool), false, true));
        let local = self.locals.len() - 1;
        self.out.push(Stmt::Declare(local, Some(left)));
        let condition = if op == BinaryOp::And { self.read(local) } else { self.read(local).not() };
        self.store(local, right, &mut statements);
        self.out.push(Stmt::If(condition, statements, Vec::new()));
        Ok(self.read(local))
    }

    /// An operator between numbers, after the checks that it needs.
    pub(super) fn operate(
        &mut self,
        op: BinaryOp,
        scalar: Scalar,
        left: Expr,
        right_scalar: Scalar,
        right: Expr,
    ) -> Lowered<Expr> {
        if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            if !scalar.is_integer() || !right_scalar.is_integer() {
                return Err(format!("`{}` cannot be shifted by `{}`", scalar.name(), right_scalar.name()));
            }
            let name = if op == BinaryOp::Shl { "shl" } else { "shr" };
            let right = self.check_shift(scalar, right, right_scalar)?;
            let right = convert(right_scalar, Scalar::U32, right);
            return Ok(Expr::Call(name, scalar, vec![left, right]));
        }
        if scalar != right_scalar {
            let (a, b) = (scalar.name(), right_scalar.name());
            return Err(format!(
                "an operator between `{a}` and `{b}` is a function of yours, which a device does not call"
            ));
        }
        if matches!(op, BinaryOp::Div | BinaryOp::Rem) && scalar.is_integer() {
            let (left, right) = self.check_division(scalar, left, right, true);
            return Ok(Expr::binary(op, scalar, left, right));
        }
        if op == BinaryOp::Rem && scalar.is_float() {
            return Ok(Expr::Call("rem", scalar, vec![left, right]));
        }
        let (left, right) = self.check_arithmetic(op, scalar, left, right);
        Ok(Expr::binary(op, scalar, left, right))
    }

    /// Fails if the divisor is zero and, if `overflow` asks for it, on `MIN / -1`. Returns operands that can
    /// be divided.
    pub(super) fn check_division(
        &mut self,
        scalar: Scalar,
        left: Expr,
        right: Expr,
        overflow: bool,
    ) -> (Expr, Expr) {
        let ty = Type::Scalar(scalar);
        let mask = u64::MAX >> (64 - scalar.bits());
        let known = match right {
            Expr::Bits(_, bits) => Some(bits),
            _ => None,
        };
        if known.is_some_and(|bits| bits != 0 && !(scalar.is_signed() && bits == mask)) {
            return (left, right);
        }
        let bits = |bits| Expr::Bits(scalar, bits);
        let mut left = left;
        let may_overflow = overflow && scalar.is_signed();
        if may_overflow {
            left = self.simple(left, &ty, "dividend");
        }
        let right = self.simple(right, &ty, "divisor");
        if known.is_none_or(|bits| bits == 0) {
            let zero = Expr::binary(BinaryOp::Eq, scalar, right.clone(), bits(0));
            self.out.push(Stmt::Fail(zero, error::DIVISION_BY_ZERO));
        }
        if may_overflow {
            let least = Expr::binary(BinaryOp::Eq, scalar, left.clone(), bits(mask / 2 + 1));
            let minus_one = Expr::binary(BinaryOp::Eq, scalar, right.clone(), bits(mask));
            let overflows = Expr::binary(BinaryOp::And, Scalar::Bool, least, minus_one);
            self.out.push(Stmt::Fail(overflows, error::OVERFLOW));
        }
        (left, right)
    }

    /// `operand as T`.
    pub(super) fn cast(&mut self, operand: &Expression, witness: WitnessId) -> Lowered<Operand> {
        let ty = self.type_of(witness)?;
        let to = self.as_scalar(&ty)?;
        if let ExpressionKind::Literal { literal, witness: None } = &operand.kind {
            // If possible, rustc gives a literal the type of the cast around it; otherwise the type it has
            // without the cast.
            let from = match literal {
                annulus_tree::Literal::Bool { .. } => Scalar::Bool,
                annulus_tree::Literal::Integer { .. } if to.is_integer() => to,
                annulus_tree::Literal::Integer { .. } => Scalar::I32,
                annulus_tree::Literal::Float { .. } if to.is_float() => to,
                annulus_tree::Literal::Float { .. } => Scalar::F64,
            };
            return Ok(Operand::Value(convert(from, to, literal_of(literal, from)?), ty));
        }
        let operand = self.operand(operand, None)?;
        if let Operand::Place(place) | Operand::Value(Expr::Read(place), _) = &operand
            && let Type::Enum(descriptor) = place.ty
            && let TypeKind::Enum { tag, .. } = descriptor.kind
        {
            return Ok(Operand::Value(convert(tag.into(), to, Expr::Tag(place.clone())), ty));
        }
        let (expr, from) = match self.value_of(operand)? {
            // An error code is its number.
            (Expr::Code(code), Type::Failure) => (Expr::Bits(Scalar::U32, code.into()), Scalar::U32),
            (code, Type::Failure) => (code, Scalar::U32),
            (expr, from) => (expr, self.as_scalar(&from)?),
        };
        Ok(Operand::Value(convert(from, to, expr), ty))
    }
}

/// A conversion like `as`; no conversion if the types are the same in C.
pub(super) fn convert(from: Scalar, to: Scalar, expr: Expr) -> Expr {
    if from == to {
        return expr;
    }
    if let Expr::Bits(_, bits) = expr
        && from.is_integer()
        && to.is_integer()
    {
        let mask = |scalar: Scalar| u64::MAX >> (64 - scalar.bits());
        let negative = from.is_signed() && bits >> (from.bits() - 1) & 1 == 1;
        let extended = if negative { bits | !mask(from) } else { bits };
        return Expr::Bits(to, extended & mask(to));
    }
    Expr::Convert(from, to, Box::new(expr))
}

/// Refuses a comparison of two types, of which one is the user's.
fn same_side(left: &Type, right: &Type) -> Lowered<()> {
    let is_own = |ty: &Type| match ty {
        Type::Struct(descriptor) | Type::Enum(descriptor) => descriptor.bounded().is_none(),
        _ => false,
    };
    if left == right || !is_own(left) && !is_own(right) {
        return Ok(());
    }
    let (left, right) = (describe(left), describe(right));
    Err(format!(
        "a comparison of {left} with {right} is a function of yours: write `#[device_impl]` before its `impl`, or compare the fields"
    ))
}

pub(super) fn is_comparison(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge)
}
