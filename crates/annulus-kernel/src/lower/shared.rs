//! Atomics: memory that all blocks share. Each operation is a statement of its own.

use std::sync::atomic::Ordering;

use annulus_tree::{BinaryOp, Expression, ExpressionKind};

use super::{
    Lowered, Lowerer,
    operand::Operand,
    program::{Atomic, Expr, Place, Stmt},
};
use crate::typed::{Scalar, Type, Value};

/// Operations that combine a value with the stored value, and return the old one.
const COMBINING: &[&str] =
    &["fetch_add", "fetch_sub", "fetch_and", "fetch_or", "fetch_xor", "fetch_min", "fetch_max", "swap"];

impl Lowerer<'_> {
    pub(super) fn atomic_method(
        &mut self,
        place: Place,
        method: &str,
        arguments: &[Expression],
    ) -> Lowered<Operand> {
        let scalar = self.as_scalar(&place.ty)?;
        let ty = Type::Scalar(scalar);
        let combining = COMBINING.iter().copied().find(|name| *name == method);
        match (method, arguments) {
            ("load", [order]) => {
                let order = self.ordering(order)?;
                self.atomic("load", scalar, place, Vec::new(), order)
            }
            ("store", [value, order]) => {
                let (value, _) = self.value(value)?;
                let order = self.ordering(order)?;
                let atomic =
                    Atomic { name: "store", scalar, place, arguments: vec![value], order, result: None };
                self.out.push(Stmt::Atomic(atomic));
                Ok(Operand::Unit)
            }
            (_, [value, order]) if combining.is_some() => {
                let name = combining.expect("just asked");
                let (value, _) = self.value(value)?;
                let order = self.ordering(order)?;
                self.atomic(name, scalar, place, vec![value], order)
            }
            ("compare_exchange" | "compare_exchange_weak", [current, new, success, failure]) => {
                let mut values = self.values([current, new])?;
                let success = self.ordering(success)?;
                let order = both_orders(success, self.ordering(failure)?);
                let new = values.pop().expect("two values").0;
                let current = self.simple(values.pop().expect("two values").0, &ty, "expected");
                let current = match current {
                    bits @ Expr::Bits(..) => bits,
                    other => {
                        let local = self.temporary("expected", ty.clone(), Some(other));
                        self.read(local)
                    }
                };
                let before = self.temporary("before", ty, None);
                let arguments = vec![current.clone(), new];
                let atomic = Atomic {
                    name: "compare_exchange",
                    scalar,
                    place,
                    arguments,
                    order,
                    result: Some(before),
                };
                self.out.push(Stmt::Atomic(atomic));
                let equal = Expr::binary(BinaryOp::Eq, scalar, self.read(before), current);
                let succeeded = self.temporary("succeeded", Type::Scalar(Scalar::Bool), Some(equal));
                self.locals[before].made = false;
                self.locals[succeeded].made = false;
                Ok(Operand::Exchanged { succeeded, before })
            }
            _ => Err(format!("a device's atomics have no `{method}` with these arguments")),
        }
    }

    fn atomic(
        &mut self,
        name: &'static str,
        scalar: Scalar,
        place: Place,
        arguments: Vec<Expr>,
        order: Ordering,
    ) -> Lowered<Operand> {
        let ty = Type::Scalar(scalar);
        let result = self.temporary("seen", ty.clone(), None);
        self.out.push(Stmt::Atomic(Atomic { name, scalar, place, arguments, order, result: Some(result) }));
        Ok(Operand::Value(self.read(result), ty))
    }

    /// An ordering, which is written where it is used.
    fn ordering(&mut self, expression: &Expression) -> Lowered<Ordering> {
        if let ExpressionKind::Constant { witness, .. } = &expression.kind
            && let (_, Value::Ordering(order)) = self.constant_of(*witness)?
        {
            return Ok(*order);
        }
        Err("write the ordering here, as `Ordering::Relaxed`".into())
    }
}

/// An order that is at least as strong as those of success and of failure.
fn both_orders(success: Ordering, failure: Ordering) -> Ordering {
    match (success, failure) {
        (Ordering::SeqCst, _) | (_, Ordering::SeqCst) => Ordering::SeqCst,
        (Ordering::Release | Ordering::AcqRel, Ordering::Acquire) => Ordering::AcqRel,
        (Ordering::Relaxed, Ordering::Acquire) => Ordering::Acquire,
        (success, _) => success,
    }
}
