//! Operators of `Wrapping`: those of the number in it, without overflow checks.

use annulus_tree::{BinaryOp, UnaryOp};

use super::{
    Lowered, Lowerer,
    operand::{Operand, describe},
    operator::convert,
    program::{Expr, Place, Step, Stmt},
};
use crate::{
    Meaning, TypeKind,
    typed::{Scalar, Type},
};

/// The number in a `Wrapping`; `None` of other types.
pub(super) fn wrapped(ty: &Type) -> Option<Scalar> {
    match ty {
        Type::Struct(descriptor) if descriptor.meaning == Meaning::Wrapping => match descriptor.kind {
            TypeKind::Struct([number]) => match number.ty.kind {
                TypeKind::Primitive(number) => Some(number.into()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// The place of the number in a `Wrapping`.
fn number_in(place: Place, scalar: Scalar) -> Place {
    place.then(Step::Field("0".into()), Type::Scalar(scalar))
}

impl Lowerer<'_> {
    /// A number, or the one in a `Wrapping`.
    fn unwrapped(&mut self, value: Expr, ty: Type) -> Lowered<(Expr, Scalar)> {
        let Some(scalar) = wrapped(&ty) else {
            let scalar = self.as_scalar(&ty)?;
            return Ok((value, scalar));
        };
        let place = self.as_place(Operand::Value(value, ty))?;
        Ok((Expr::Read(number_in(place, scalar)), scalar))
    }

    /// A number as a `Wrapping` of this type.
    fn wrapping(&mut self, number: Expr, scalar: Scalar, ty: Type) -> Operand {
        let local = self.temporary("wrapping", ty.clone(), None);
        let place = number_in(self.place_of_local(local), scalar);
        self.out.push(Stmt::Assign(place, number));
        Operand::Value(self.read(local), ty)
    }

    /// `left op right` of numbers of this type; for a shift the right one is a `usize`.
    fn wrapping_operator(&mut self, op: BinaryOp, scalar: Scalar, left: Expr, right: Expr) -> Lowered<Expr> {
        Ok(match op {
            BinaryOp::Shl | BinaryOp::Shr => {
                let name = if op == BinaryOp::Shl { "shl" } else { "shr" };
                let bits = Expr::Bits(Scalar::Usize, u64::from(scalar.bits()) - 1);
                let distance = Expr::binary(BinaryOp::BitAnd, Scalar::Usize, right, bits);
                Expr::Call(name, scalar, vec![left, convert(Scalar::Usize, Scalar::U32, distance)])
            }
            BinaryOp::Div | BinaryOp::Rem => {
                let (left, right) = self.check_division(scalar, left, right, false);
                match (op, scalar.is_signed()) {
                    (BinaryOp::Div, true) => Expr::Call("wrapping_div", scalar, vec![left, right]),
                    (_, true) => Expr::Call("wrapping_rem", scalar, vec![left, right]),
                    _ => Expr::binary(op, scalar, left, right),
                }
            }
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::BitAnd
            | BinaryOp::BitOr
            | BinaryOp::BitXor => Expr::binary(op, scalar, left, right),
            _ => return Err("a `Wrapping` has no such operator: rebuild the program".into()),
        })
    }

    /// `left op right`, where the left one is a `Wrapping`.
    pub(super) fn wrapping_binary(
        &mut self,
        op: BinaryOp,
        (left, ty): (Expr, Type),
        (right, right_ty): (Expr, Type),
    ) -> Lowered<Operand> {
        let (left, scalar) = self.unwrapped(left, ty.clone())?;
        let (right, right_scalar) = self.unwrapped(right, right_ty.clone())?;
        let shifts = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
        if right_scalar != if shifts { Scalar::Usize } else { scalar } {
            return Err(format!(
                "an operator between {} and {} is a function of yours: write `#[device_impl]` before its `impl`",
                describe(&ty),
                describe(&right_ty)
            ));
        }
        let number = self.wrapping_operator(op, scalar, left, right)?;
        Ok(self.wrapping(number, scalar, ty))
    }

    /// `-x` and `!x` of a `Wrapping`.
    pub(super) fn wrapping_unary(&mut self, op: &UnaryOp, value: Expr, ty: Type) -> Lowered<Operand> {
        let (value, scalar) = self.unwrapped(value, ty.clone())?;
        let number = match op {
            UnaryOp::Negate => Expr::Call("neg", scalar, vec![value]),
            _ => Expr::Not(scalar, Box::new(value)),
        };
        Ok(self.wrapping(number, scalar, ty))
    }

    /// `place op= value` of a `Wrapping`, where the value may be a number.
    pub(super) fn wrapping_assign(
        &mut self,
        op: BinaryOp,
        place: Place,
        value: Expr,
        value_ty: Type,
    ) -> Lowered<Operand> {
        let before = (Expr::Read(place.clone()), place.ty.clone());
        let Operand::Value(result, _) = self.wrapping_binary(op, before, (value, value_ty))? else {
            return Err("an operator gives a value: rebuild the program".into());
        };
        self.out.push(Stmt::Assign(place, result));
        Ok(Operand::Unit)
    }

    /// A `Wrapping` of this number, in a variable that changes.
    pub(super) fn wrapping_variable(&mut self, name: &str, ty: Type, number: u64) -> Lowered<Place> {
        let scalar = wrapped(&ty).ok_or("this is no `Wrapping`: rebuild the program")?;
        let local = self.temporary(name, ty, None);
        self.locals[local].mutable = true;
        self.locals[local].made = false;
        let place = self.place_of_local(local);
        self.out.push(Stmt::Assign(number_in(place.clone(), scalar), Expr::Bits(scalar, number)));
        Ok(place)
    }
}
