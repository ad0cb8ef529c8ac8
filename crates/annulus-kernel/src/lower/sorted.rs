//! Arrays in order: sorting small ones, and finding in ordered ones.

use annulus_abi::error;
use annulus_tree::{BinaryOp, Expression};

use super::{
    Lowered, Lowerer,
    cases::Cases,
    operand::Operand,
    program::{Expr, Place, Stmt},
    slice::{View, size, usize_bits},
};
use crate::typed::{Scalar, Type};

const USIZE: Type = Type::Scalar(Scalar::Usize);

/// The longest array that is sorted: by insertion, which takes a quarter of its square in steps.
const LONGEST: usize = 64;

impl Lowerer<'_> {
    /// `sort_unstable()`, by insertion.
    pub(super) fn sort(&mut self, view: &View) -> Lowered<Operand> {
        let scalar = self.as_scalar(view.element())?;
        if !scalar.is_integer() && scalar != Scalar::Bool {
            return Err("a device sorts integers".into());
        }
        let room = view.room().filter(|room| *room <= LONGEST).ok_or_else(|| {
            format!("a device sorts arrays of {LONGEST} elements at most, and parts of such arrays: write the loops that suit these values")
        })?;
        let len = view.len.clone();
        let _ = room;
        let ty = Type::Scalar(scalar);
        let (outer, body) = self.nested(|inner| {
            let outer = inner.local("i", USIZE);
            let value = inner.element_place(view, inner.read(outer))?;
            let value = inner.temporary("inserted", ty.clone(), Some(Expr::Read(value)));
            inner.locals[value].made = false;
            let at = inner.temporary("at", USIZE, Some(inner.read(outer)));
            inner.locals[at].mutable = true;
            inner.locals[at].made = false;
            let ((), shift) = inner.nested(|inner| {
                let first = Expr::binary(BinaryOp::Eq, Scalar::Usize, inner.read(at), usize_bits(0));
                inner.out.push(Stmt::If(first, vec![Stmt::Break], Vec::new()));
                let before = size(BinaryOp::Sub, inner.read(at), usize_bits(1));
                let before = inner.temporary("before", USIZE, Some(before));
                inner.locals[before].made = false;
                let lower = inner.element_place(view, inner.read(before))?;
                let placed = Expr::binary(BinaryOp::Le, scalar, Expr::Read(lower.clone()), inner.read(value));
                inner.out.push(Stmt::If(placed, vec![Stmt::Break], Vec::new()));
                let here = inner.element_place(view, inner.read(at))?;
                inner.out.push(Stmt::Assign(here, Expr::Read(lower)));
                let (place, before) = (inner.place_of_local(at), inner.read(before));
                inner.out.push(Stmt::Assign(place, before));
                Ok(())
            })?;
            inner.out.push(Stmt::Loop(shift));
            let here = inner.element_place(view, inner.read(at))?;
            let value = inner.read(value);
            inner.out.push(Stmt::Assign(here, value));
            Ok(outer)
        })?;
        let len = self.fixed(len, &USIZE, "len");
        self.out.push(Stmt::For { local: outer, start: usize_bits(0), end: len, body });
        Ok(Operand::Unit)
    }

    /// `binary_search(&value)`, by the steps that the standard library takes, so that of equal elements the same one is found.
    pub(super) fn search(&mut self, view: &View, value: &Expression) -> Lowered<Operand> {
        let (value, scalar) = self.scalar(value)?;
        let value = self.fixed(value, &Type::Scalar(scalar), "wanted");
        let left = self.temporary("left", USIZE, Some(view.len.clone()));
        let base = self.temporary("base", USIZE, Some(usize_bits(0)));
        for local in [left, base] {
            self.locals[local].mutable = true;
            self.locals[local].made = false;
        }
        let ((), body) = self.nested(|inner| {
            let done = Expr::binary(BinaryOp::Le, Scalar::Usize, inner.read(left), usize_bits(1));
            inner.out.push(Stmt::If(done, vec![Stmt::Break], Vec::new()));
            let half = size(BinaryOp::Div, inner.read(left), usize_bits(2));
            let half = inner.temporary("half", USIZE, Some(half));
            inner.locals[half].made = false;
            let middle = size(BinaryOp::Add, inner.read(base), inner.read(half));
            let middle = inner.temporary("middle", USIZE, Some(middle));
            inner.locals[middle].made = false;
            let element = inner.element_place(view, inner.read(middle))?;
            let not_above = Expr::binary(BinaryOp::Le, scalar, Expr::Read(element), value.clone());
            let go = Stmt::Assign(inner.place_of_local(base), inner.read(middle));
            inner.out.push(Stmt::If(not_above, vec![go], Vec::new()));
            let rest = size(BinaryOp::Sub, inner.read(left), inner.read(half));
            let place = inner.place_of_local(left);
            inner.out.push(Stmt::Assign(place, rest));
            Ok(())
        })?;
        self.out.push(Stmt::Loop(body));
        let found = self.temporary("found", Type::Scalar(Scalar::Bool), Some(Expr::Bits(Scalar::Bool, 0)));
        self.locals[found].mutable = true;
        self.locals[found].made = false;
        let ((), compare) = self.nested(|inner| {
            let element = inner.element_place(view, inner.read(base))?;
            let equal = Expr::binary(BinaryOp::Eq, scalar, Expr::Read(element.clone()), value.clone());
            let place = inner.place_of_local(found);
            inner.out.push(Stmt::Assign(place, equal));
            let less = Expr::binary(BinaryOp::Lt, scalar, Expr::Read(element), value.clone());
            let up = Stmt::Assign(
                inner.place_of_local(base),
                size(BinaryOp::Add, inner.read(base), usize_bits(1)),
            );
            inner.out.push(Stmt::If(less, vec![up], Vec::new()));
            Ok(())
        })?;
        let some = Expr::binary(BinaryOp::Ne, Scalar::Usize, view.len.clone(), usize_bits(0));
        self.out.push(Stmt::If(some, compare, Vec::new()));
        let then = Box::new(Operand::Value(self.read(base), USIZE));
        let error = Some((self.read(base), USIZE));
        Ok(Operand::cases(Cases { good: self.read(found), then, error, mutable: false }))
    }

    /// `copy_within(start..end, to)`: forwards or backwards, so that nothing is overwritten before it is read.
    pub(super) fn copy_within(
        &mut self,
        view: &View,
        from: &Expression,
        to: &Expression,
    ) -> Lowered<Operand> {
        let part = self.part_of(view, from)?;
        let to = self.size_argument(to, "to")?;
        let room = size(BinaryOp::Sub, view.len.clone(), part.len.clone());
        let room = self.fixed(room, &USIZE, "room");
        let outside = Expr::binary(BinaryOp::Gt, Scalar::Usize, to.clone(), room);
        self.out.push(Stmt::Fail(outside, error::PANICKED));
        let count = part.len.clone();
        let target = self.part_of_view(view, to.clone(), count.clone());
        let forwards =
            Expr::binary(BinaryOp::Le, Scalar::Usize, target.start().clone(), part.start().clone());
        let mut copy = |backwards: bool| {
            self.nested(|inner| {
                let (local, body) = inner.nested(|inner| {
                    let local = inner.local("i", USIZE);
                    let mut at = inner.read(local);
                    if backwards {
                        let last = size(BinaryOp::Sub, count.clone(), usize_bits(1));
                        at = inner.fixed(size(BinaryOp::Sub, last, at), &USIZE, "at");
                    }
                    let (source, target) =
                        (inner.element_place(&part, at.clone())?, inner.element_place(&target, at)?);
                    inner.out.push(Stmt::Assign(target, Expr::Read(source)));
                    Ok(local)
                })?;
                inner.out.push(Stmt::For { local, start: usize_bits(0), end: count.clone(), body });
                Ok(())
            })
        };
        let (((), then), ((), otherwise)) = (copy(false)?, copy(true)?);
        self.out.push(Stmt::If(forwards, then, otherwise));
        Ok(Operand::Unit)
    }

    /// An element whose index is known to be in bounds, as a place.
    pub(super) fn element_place(&self, view: &View, at: Expr) -> Lowered<Place> {
        match self.element(view, at) {
            Operand::Place(place) => Ok(place),
            _ => Err("atomics are stored and loaded one by one".into()),
        }
    }
}
