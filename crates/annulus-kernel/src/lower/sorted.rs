//! Sorted arrays: sorting small ones, and searching.

use annulus_abi::error;
use annulus_tree::{BinaryOp, Expression};

use super::{
    Lowered, Lowerer,
    cases::Cases,
    operand::Operand,
    order::{self, is_ordered},
    program::{Expr, LocalId, Place, Stmt},
    slice::{View, size, usize_bits},
};
use crate::typed::{Scalar, Type};

const USIZE: Type = Type::Scalar(Scalar::Usize);

/// The longest array that is sorted: by insertion, which takes a quarter of the square of the length in
/// steps.
const LONGEST: usize = 64;

impl Lowerer<'_> {
    /// `sort()`, `sort_unstable()`, `sort_by_key(f)` and `sort_by(f)`, by insertion: equal elements keep
    /// their order.
    pub(super) fn sort(
        &mut self,
        view: &View,
        closure: Option<&Expression>,
        by_key: bool,
        reversed: bool,
    ) -> Lowered<Operand> {
        // What may stand before another: of keys in reverse, the greater one.
        let in_order = if reversed { BinaryOp::Ge } else { BinaryOp::Le };
        let ty = view.element().clone();
        if closure.is_none() && !is_ordered(&ty, true) {
            return Err(match &ty {
                Type::Scalar(scalar) if scalar.is_float() => {
                    "floats are in no total order: write `sort_by(|a, b| a.total_cmp(b))`".into()
                }
                ty => order::not_derived(ty, "sort"),
            });
        }
        if view.room().is_none_or(|room| room > LONGEST) {
            return Err(format!(
                "a device sorts arrays of {LONGEST} elements at most, and parts of such arrays: write the loops that suit these values"
            ));
        }
        let len = view.len.clone();
        let (outer, body) = self.nested(|inner| {
            let outer = inner.local("i", USIZE);
            let value = inner.element_place(view, inner.read(outer))?;
            let value = inner.temporary("inserted", ty.clone(), Some(Expr::Read(value)));
            inner.locals[value].made = false;
            let inserted = inner.place_of_local(value);
            let key = match closure {
                Some(f) if by_key => {
                    let key = inner.apply(f, vec![Operand::Ref(inserted.clone())])?;
                    let (key, ty) = inner.value_of(key)?;
                    if !is_ordered(&ty, true) {
                        return Err(order::not_derived(&ty, "sort_by_key"));
                    }
                    inner.fixed(key, &ty, "key")
                }
                _ => inner.read(value),
            };
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
                let placed = match closure {
                    None => inner.before_value(&lower, key, BinaryOp::Le)?,
                    Some(f) if by_key => {
                        let of_lower = inner.apply(f, vec![Operand::Ref(lower.clone())])?;
                        let (of_lower, ty) = inner.value_of(of_lower)?;
                        let of_lower = inner.as_place(Operand::Value(of_lower, ty))?;
                        inner.before_value(&of_lower, key, in_order)?
                    }
                    Some(f) => {
                        let given =
                            inner.apply(f, vec![Operand::Ref(lower.clone()), Operand::Ref(inserted)])?;
                        let (given, ty) = inner.value_of(given)?;
                        let given = inner.as_place(Operand::Value(given, ty))?;
                        order::holds(&given, BinaryOp::Le)
                    }
                };
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

    /// Halves a slice until one element is left, with the same steps as the standard library: `goes_on` says of an element
    /// whether the search goes on from there. Gives the variable with the index of the one that is left.
    fn bisected(
        &mut self,
        view: &View,
        goes_on: impl FnOnce(&mut Self, Place) -> Lowered<Expr>,
    ) -> Lowered<LocalId> {
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
            let goes_on = goes_on(inner, element)?;
            let go = Stmt::Assign(inner.place_of_local(base), inner.read(middle));
            inner.out.push(Stmt::If(goes_on, vec![go], Vec::new()));
            let rest = size(BinaryOp::Sub, inner.read(left), inner.read(half));
            let place = inner.place_of_local(left);
            inner.out.push(Stmt::Assign(place, rest));
            Ok(())
        })?;
        self.out.push(Stmt::Loop(body));
        Ok(base)
    }

    /// `binary_search(&value)`, with the same steps as the standard library, so that it finds the same one of
    /// several equal elements.
    pub(super) fn search(&mut self, view: &View, value: &Expression) -> Lowered<Operand> {
        let (value, ty) = self.value(value)?;
        if !is_ordered(&ty, true) {
            return Err(order::not_derived(&ty, "binary_search"));
        }
        let value = self.fixed(value, &ty, "wanted");
        let base =
            self.bisected(view, |inner, element| inner.before_value(&element, value.clone(), BinaryOp::Le))?;
        let found = self.temporary("found", Type::Scalar(Scalar::Bool), Some(Expr::Bits(Scalar::Bool, 0)));
        self.locals[found].mutable = true;
        self.locals[found].made = false;
        let ((), compare) = self.nested(|inner| {
            let element = inner.element_place(view, inner.read(base))?;
            let equal = inner.equal_to(&element, value.clone())?;
            let place = inner.place_of_local(found);
            inner.out.push(Stmt::Assign(place, equal));
            let less = inner.before_value(&element, value.clone(), BinaryOp::Lt)?;
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

    /// `partition_point(f)`, with the same steps as the standard library, so that `f` is asked for the same
    /// elements.
    pub(super) fn partition_point(&mut self, view: &View, f: &Expression) -> Lowered<Operand> {
        let base = self.bisected(view, |inner, element| inner.asked(f, Operand::Ref(element)))?;
        let ((), last) = self.nested(|inner| {
            let element = inner.element_place(view, inner.read(base))?;
            let before = inner.asked(f, Operand::Ref(element))?;
            let place = inner.place_of_local(base);
            let up = Stmt::Assign(place, size(BinaryOp::Add, inner.read(base), usize_bits(1)));
            inner.out.push(Stmt::If(before, vec![up], Vec::new()));
            Ok(())
        })?;
        let some = Expr::binary(BinaryOp::Ne, Scalar::Usize, view.len.clone(), usize_bits(0));
        self.out.push(Stmt::If(some, last, Vec::new()));
        Ok(Operand::Value(self.read(base), USIZE))
    }

    /// `copy_within(start..end, to)`: forwards or backwards, so that nothing is overwritten before it is
    /// read.
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
