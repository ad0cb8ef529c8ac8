//! `device_print!`.

use annulus_tree::Expression;

use super::{
    Lowered, Lowerer,
    operand::Operand,
    operator::convert,
    program::{Expr, Stmt},
};
use crate::typed::Scalar;

impl Lowerer<'_> {
    /// The print of this number in the body, with these arguments.
    pub(super) fn print(&mut self, number: u32, arguments: &[Expression]) -> Lowered<Operand> {
        let values = self.values(arguments)?;
        let mut words = Vec::with_capacity(values.len());
        for (value, ty) in values {
            words.push(word(self.as_scalar(&ty)?, value));
        }
        self.out.push(Stmt::Print(self.first_print + number as usize, words));
        Ok(Operand::Unit)
    }
}

/// A value's bits in a word.
fn word(scalar: Scalar, value: Expr) -> Expr {
    let (bits, of) = match scalar {
        Scalar::F32 => (Expr::Call("to_bits", scalar, vec![value]), Scalar::U32),
        Scalar::F64 => (Expr::Call("to_bits", scalar, vec![value]), Scalar::U64),
        other => (value, other),
    };
    convert(of, Scalar::U64, bits)
}
