//! `==` of what the language itself puts together: tuples, options, results and arrays.

use annulus_tree::BinaryOp;

use super::{
    Lowered, Lowerer,
    cases::{case_part, is_case},
    operand::{Operand, describe},
    program::{Expr, Place, Step, Stmt},
    slice::usize_bits,
};
use crate::typed::{Scalar, Type};

/// Whether values of a type are compared by the language, and not by a function of the user's.
pub(super) fn is_compared(ty: &Type) -> bool {
    match ty {
        Type::Unit | Type::Scalar(_) | Type::Failure | Type::Verdict => true,
        Type::Tuple(parts) => parts.iter().all(is_compared),
        Type::Array { element, .. } => is_compared(element),
        Type::Option(value) => is_compared(value),
        Type::Result(value, error) => is_compared(value) && is_compared(error),
        Type::Struct(_) | Type::Enum(_) | Type::Ordering => false,
    }
}

impl Lowerer<'_> {
    /// `left == right`, or `!=`.
    pub(super) fn equality(
        &mut self,
        op: BinaryOp,
        left: (Expr, Type),
        right: (Expr, Type),
    ) -> Lowered<Operand> {
        let mut places = Vec::new();
        for (expr, ty) in [left, right] {
            places.push(self.as_place(Operand::Value(expr, ty))?);
        }
        let equal = self.equal(&places[0], &places[1])?;
        let result = if op == BinaryOp::Eq { equal } else { equal.not() };
        Ok(Operand::Value(result, Type::Scalar(Scalar::Bool)))
    }

    fn equal(&mut self, a: &Place, b: &Place) -> Lowered<Expr> {
        let part = |place: &Place, name: String, ty: &Type| place.clone().then(Step::Field(name), ty.clone());
        let and = |a, b| Expr::binary(BinaryOp::And, Scalar::Bool, a, b);
        match &a.ty {
            Type::Unit => Ok(Expr::Bits(Scalar::Bool, 1)),
            Type::Scalar(scalar) => {
                Ok(Expr::binary(BinaryOp::Eq, *scalar, Expr::Read(a.clone()), Expr::Read(b.clone())))
            }
            Type::Failure | Type::Verdict => {
                Ok(Expr::binary(BinaryOp::Eq, Scalar::U32, Expr::Read(a.clone()), Expr::Read(b.clone())))
            }
            Type::Tuple(parts) => {
                let mut all: Option<Expr> = None;
                for (index, ty) in parts.iter().enumerate() {
                    let name = index.to_string();
                    let equal = self.equal(&part(a, name.clone(), ty), &part(b, name, ty))?;
                    all = Some(all.map_or(equal.clone(), |all| and(all, equal)));
                }
                Ok(all.unwrap_or(Expr::Bits(Scalar::Bool, 1)))
            }
            Type::Array { element, len } => self.equal_arrays(a, b, element, *len),
            Type::Option(_) | Type::Result(..) => {
                let cases: &[&str] = if let Type::Option(_) = a.ty { &["Some"] } else { &["Ok", "Err"] };
                let tags = Expr::binary(BinaryOp::Eq, Scalar::U8, Expr::Tag(a.clone()), Expr::Tag(b.clone()));
                let mut all = tags;
                for case in cases {
                    let (a_part, b_part) = (case_part(a, case)?, case_part(b, case)?);
                    if a_part.ty == Type::Unit {
                        continue;
                    }
                    let mark = self.out.len();
                    let equal = self.equal(&a_part, &b_part)?;
                    if self.out.len() > mark {
                        return Err("arrays in an `Option` or a `Result` are compared element by element: write a `match`".into());
                    }
                    let other = is_case(a, case)?.not();
                    all = and(all, Expr::binary(BinaryOp::Or, Scalar::Bool, other, equal));
                }
                Ok(all)
            }
            other => Err(format!("`==` of {} is a function of yours", describe(other))),
        }
    }

    fn equal_arrays(&mut self, a: &Place, b: &Place, element: &Type, len: usize) -> Lowered<Expr> {
        let bool_ = Type::Scalar(Scalar::Bool);
        let (a, b) = (self.steady(a.clone()), self.steady(b.clone()));
        let same = self.temporary("same", bool_, Some(Expr::Bits(Scalar::Bool, 1)));
        self.locals[same].mutable = true;
        self.locals[same].made = false;
        let place_of_same = self.place_of_local(same);
        let (local, body) = self.nested(|inner| {
            let local = inner.local("i", Type::Scalar(Scalar::Usize));
            let at = |place: &Place| place.clone().then(Step::Index(inner.read(local)), element.clone());
            let (a, b) = (at(&a), at(&b));
            let differ = inner.equal(&a, &b)?.not();
            let stop = vec![Stmt::Assign(place_of_same, Expr::Bits(Scalar::Bool, 0)), Stmt::Break];
            inner.out.push(Stmt::If(differ, stop, Vec::new()));
            Ok(local)
        })?;
        self.out.push(Stmt::For { local, start: usize_bits(0), end: usize_bits(len as u64), body });
        Ok(self.read(same))
    }
}
