//! Lists of bounded length: the methods that change how many values there are. Everything else that a list
//! has, it has as a slice of them.

use annulus_abi::error;
use annulus_tree::{BinaryOp, Expression};

use super::{
    Lowered, Lowerer,
    cases::Cases,
    operand::Operand,
    operator::convert,
    program::{Expr, Place, Root, Step, Stmt},
    slice::{View, size, usize_bits},
};
use crate::{
    Meaning,
    typed::{Scalar, Type},
};

const USIZE: Type = Type::Scalar(Scalar::Usize);
const BOOL: Type = Type::Scalar(Scalar::Bool);

/// The methods of lists that slices have not.
const METHODS: &[&str] =
    &["clear", "insert", "is_full", "pop", "push", "remove", "retain", "swap_remove", "truncate"];

/// Whether values of a type are lists.
pub(super) fn is_list_type(ty: &Type) -> bool {
    matches!(ty, Type::Struct(descriptor) if descriptor.meaning == Meaning::List)
}

/// Whether an operand is a list.
pub(super) fn is_list(operand: &Operand) -> bool {
    match operand {
        Operand::Place(place) | Operand::Ref(place) => is_list_type(&place.ty),
        Operand::Value(_, ty) => is_list_type(ty),
        _ => false,
    }
}

/// Whether it is a method that lists have and slices have not.
pub(super) fn has_method(method: &str) -> bool {
    METHODS.contains(&method)
}

/// A list that is changed.
struct Changed {
    place: Place,
    /// Its values before the change.
    values: View,
    /// The greatest number of them.
    room: Expr,
}

impl Lowerer<'_> {
    /// A list as a slice of its values; any other operand as it is.
    pub(super) fn slice_of_list(&mut self, operand: Operand) -> Lowered<Operand> {
        if !is_list(&operand) {
            return Ok(operand);
        }
        let place = self.as_place(operand)?;
        let place = self.steady(place);
        self.view_of_bounded(&place).map(Operand::view)
    }

    /// The list at a place, as it is now.
    fn changed(&mut self, place: &Place) -> Lowered<Changed> {
        let Type::Struct(descriptor) = place.ty else {
            return Err("a list is a struct: rebuild the program".into());
        };
        let (.., room) = descriptor.bounded().ok_or("this is no list: rebuild the program")?;
        let values = self.view_of_bounded(place)?;
        Ok(Changed { place: place.clone(), values, room: usize_bits(room as u64) })
    }

    /// The place of one of its values, which is there or has room.
    fn value_at(&self, list: &Changed, at: Expr) -> Lowered<Place> {
        match self.element(&list.values, at) {
            Operand::Place(place) => Ok(place),
            _ => Err("a list holds no atomics: rebuild the program".into()),
        }
    }

    /// Sets how many there are.
    fn set_len(list: &Changed, len: Expr) -> Stmt {
        let place = list.place.clone().then(Step::Field("len".into()), Type::Scalar(Scalar::U32));
        Stmt::Assign(place, convert(Scalar::Usize, Scalar::U32, len))
    }

    /// One more, or one less.
    fn changed_len(list: &Changed, op: BinaryOp) -> Stmt {
        Self::set_len(list, size(op, list.values.len.clone(), usize_bits(1)))
    }

    /// Fails unless there is a value of this index, or `or_end` says that it may be the index after the last.
    fn check_value(&mut self, list: &Changed, at: &Expr, or_end: bool) {
        let op = if or_end { BinaryOp::Gt } else { BinaryOp::Ge };
        let outside = Expr::binary(op, Scalar::Usize, at.clone(), list.values.len.clone());
        self.out.push(Stmt::Fail(outside, error::INDEX_OUT_OF_BOUNDS));
    }

    /// Moves `count` values by one place, each to the index that `to` says from the one that `from` says.
    fn moved(
        &mut self,
        list: &Changed,
        count: Expr,
        indices: impl FnOnce(Expr) -> (Expr, Expr),
    ) -> Lowered<()> {
        let (local, body) = self.nested(|inner| {
            let local = inner.local("i", USIZE);
            let (to, from) = indices(inner.read(local));
            let (to, from) = (inner.value_at(list, to)?, inner.value_at(list, from)?);
            inner.out.push(Stmt::Assign(to, Expr::Read(from)));
            Ok(local)
        })?;
        let count = self.fixed(count, &USIZE, "count");
        self.out.push(Stmt::For { local, start: usize_bits(0), end: count, body });
        Ok(())
    }

    /// A method that lists have and slices have not.
    pub(super) fn list_method(
        &mut self,
        operand: Operand,
        method: &str,
        arguments: &[Expression],
    ) -> Lowered<Operand> {
        let place = self.as_place(operand)?;
        let mut place = self.steady(place);
        // Of a constant a copy is changed, as in Rust.
        if matches!(place.root, Root::Constant(_)) {
            place = self.stored_copy(Some(Expr::Read(place.clone())), place.ty);
        }
        match (method, arguments) {
            ("is_full", []) => {
                let Changed { values, room, .. } = self.changed(&place)?;
                Ok(Operand::Value(Expr::binary(BinaryOp::Eq, Scalar::Usize, values.len, room), BOOL))
            }
            ("clear", []) => {
                let list = self.changed(&place)?;
                self.out.push(Self::set_len(&list, usize_bits(0)));
                Ok(Operand::Unit)
            }
            ("truncate", [len]) => {
                let len = self.size_argument(len, "len")?;
                let list = self.changed(&place)?;
                let fewer = Expr::binary(BinaryOp::Lt, Scalar::Usize, len.clone(), list.values.len.clone());
                self.out.push(Stmt::If(fewer, vec![Self::set_len(&list, len)], Vec::new()));
                Ok(Operand::Unit)
            }
            ("push", [value]) => match self.operand(value, None)? {
                Operand::Never => Ok(Operand::Never),
                value => {
                    let (value, ty) = self.value_of(value)?;
                    let value = self.fixed(value, &ty, "pushed");
                    let list = self.changed(&place)?;
                    self.put(&list, list.values.len.clone(), value, ty)
                }
            },
            ("insert", [at, value]) => {
                let at = self.size_argument(at, "at")?;
                let (value, ty) = self.value(value)?;
                let value = self.fixed(value, &ty, "inserted");
                let list = self.changed(&place)?;
                self.check_value(&list, &at, true);
                self.put(&list, at, value, ty)
            }
            ("pop", []) => {
                let list = self.changed(&place)?;
                let len = list.values.len.clone();
                let good = Expr::binary(BinaryOp::Ne, Scalar::Usize, len.clone(), usize_bits(0));
                let ty = list.values.element().clone();
                let popped = self.temporary("popped", ty.clone(), None);
                self.locals[popped].made = false;
                let last = self.value_at(&list, size(BinaryOp::Sub, len, usize_bits(1)))?;
                let taken = vec![
                    Stmt::Assign(self.place_of_local(popped), Expr::Read(last)),
                    Self::changed_len(&list, BinaryOp::Sub),
                ];
                self.out.push(Stmt::If(good.clone(), taken, Vec::new()));
                let then = Box::new(Operand::Value(self.read(popped), ty));
                Ok(Operand::cases(Cases { good, then, error: None, mutable: false }))
            }
            ("remove" | "swap_remove", [at]) => {
                let at = self.size_argument(at, "at")?;
                let list = self.changed(&place)?;
                self.check_value(&list, &at, false);
                let ty = list.values.element().clone();
                let there = self.value_at(&list, at.clone())?;
                let removed = self.temporary("removed", ty.clone(), Some(Expr::Read(there.clone())));
                self.locals[removed].made = false;
                let last = size(BinaryOp::Sub, list.values.len.clone(), usize_bits(1));
                if method == "remove" {
                    let behind = size(BinaryOp::Sub, last, at.clone());
                    self.moved(&list, behind, |i| {
                        let to = size(BinaryOp::Add, at, i);
                        (to.clone(), size(BinaryOp::Add, to, usize_bits(1)))
                    })?;
                } else {
                    let last = self.value_at(&list, last)?;
                    self.out.push(Stmt::Assign(there, Expr::Read(last)));
                }
                self.out.push(Self::changed_len(&list, BinaryOp::Sub));
                Ok(Operand::Value(self.read(removed), ty))
            }
            ("retain", [keep]) => {
                let list = self.changed(&place)?;
                let kept = self.temporary("kept", USIZE, Some(usize_bits(0)));
                self.locals[kept].mutable = true;
                self.locals[kept].made = false;
                let (local, body) = self.nested(|inner| {
                    let local = inner.local("i", USIZE);
                    let this = inner.value_at(&list, inner.read(local))?;
                    let keeps = inner.asked(keep, Operand::Ref(this.clone()))?;
                    let to = inner.value_at(&list, inner.read(kept))?;
                    let next = size(BinaryOp::Add, inner.read(kept), usize_bits(1));
                    let moved = vec![
                        Stmt::Assign(to, Expr::Read(this)),
                        Stmt::Assign(inner.place_of_local(kept), next),
                    ];
                    inner.out.push(Stmt::If(keeps, moved, Vec::new()));
                    Ok(local)
                })?;
                let end = list.values.len.clone();
                self.out.push(Stmt::For { local, start: usize_bits(0), end, body });
                self.out.push(Self::set_len(&list, self.read(kept)));
                Ok(Operand::Unit)
            }
            _ => Err(format!("a device's lists have no `{method}` with these arguments: write a loop")),
        }
    }

    /// Puts a value before the one of this index, if there is room; otherwise gives it back.
    fn put(&mut self, list: &Changed, at: Expr, value: Expr, ty: Type) -> Lowered<Operand> {
        let len = list.values.len.clone();
        let good = Expr::binary(BinaryOp::Lt, Scalar::Usize, len.clone(), list.room.clone());
        let ((), statements) = self.nested(|inner| {
            let behind = size(BinaryOp::Sub, len.clone(), at.clone());
            if at != len {
                inner.moved(list, behind, |i| {
                    let to = size(BinaryOp::Sub, len, i);
                    (to.clone(), size(BinaryOp::Sub, to, usize_bits(1)))
                })?;
            }
            let place = inner.value_at(list, at)?;
            inner.out.push(Stmt::Assign(place, value.clone()));
            inner.out.push(Self::changed_len(list, BinaryOp::Add));
            Ok(())
        })?;
        self.out.push(Stmt::If(good.clone(), statements, Vec::new()));
        let then = Box::new(Operand::Unit);
        Ok(Operand::cases(Cases { good, then, error: Some((value, ty)), mutable: false }))
    }
}
