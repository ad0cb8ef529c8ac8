//! Integers as bytes, and bytes as integers.

use annulus_tree::{BinaryOp, Expression};

use super::{
    Lowered, Lowerer,
    operand::{Operand, unsigned},
    operator::convert,
    program::{Expr, Step, Stmt},
};
use crate::typed::{Scalar, Type};

impl Lowerer<'_> {
    /// `to_le_bytes` and its kin; the devices' own order is little-endian.
    pub(super) fn bytes_of(&mut self, scalar: Scalar, method: &str, value: Expr) -> Operand {
        let value = self.simple(value, &Type::Scalar(scalar), "number");
        let count = (scalar.bits() / 8) as usize;
        let bits = unsigned(scalar);
        let ty = Type::Array { element: Box::new(Type::Scalar(Scalar::U8)), len: count };
        let local = self.temporary("bytes", ty.clone(), None);
        let place = self.place_of_local(local);
        for index in 0..count {
            let from = if method == "to_be_bytes" { count - 1 - index } else { index };
            let shifted = shifted("shr", bits, convert(scalar, bits, value.clone()), from);
            let at = Step::Index(Expr::Bits(Scalar::Usize, index as u64));
            let place = place.clone().then(at, Type::Scalar(Scalar::U8));
            self.out.push(Stmt::Assign(place, convert(bits, Scalar::U8, shifted)));
        }
        Operand::Value(Expr::Read(place), ty)
    }

    /// `T::from_le_bytes` and its kin.
    pub(super) fn number_of_bytes(
        &mut self,
        scalar: Scalar,
        function: &str,
        bytes: &Expression,
    ) -> Lowered<Operand> {
        let operand = self.operand(bytes, None)?;
        let place = self.as_place(operand)?;
        let place = self.steady(place);
        let count = (scalar.bits() / 8) as usize;
        let bits = unsigned(scalar);
        let mut all: Option<Expr> = None;
        for index in 0..count {
            let to = if function == "from_be_bytes" { count - 1 - index } else { index };
            let at = Step::Index(Expr::Bits(Scalar::Usize, index as u64));
            let byte = Expr::Read(place.clone().then(at, Type::Scalar(Scalar::U8)));
            let part = shifted("shl", bits, convert(Scalar::U8, bits, byte), to);
            all = Some(match all {
                Some(all) => Expr::binary(BinaryOp::BitOr, bits, all, part),
                None => part,
            });
        }
        let all = all.ok_or("a number has a byte at least")?;
        Ok(Operand::Value(convert(bits, scalar, all), Type::Scalar(scalar)))
    }
}

/// A value, shifted by this many bytes.
fn shifted(name: &'static str, scalar: Scalar, value: Expr, bytes: usize) -> Expr {
    if bytes == 0 {
        return value;
    }
    Expr::Call(name, scalar, vec![value, Expr::Bits(Scalar::U32, 8 * bytes as u64)])
}
