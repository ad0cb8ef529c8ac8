//! Patterns of arrays and slices, and variables that are slices.

use annulus_tree::{
    BinaryOp, FieldPattern, Pattern,
    names::{OPEN_SLICE, REST, SLICE},
};

use super::{
    Lowered, Lowerer,
    operand::{Operand, Variable},
    pattern::{Subject, binds, both},
    program::{Expr, Root, Stmt},
    slice::{View, compared, size, usize_bits},
    types::takes_no_place,
};
use crate::typed::{Scalar, Type};

impl Lowerer<'_> {
    /// Whether a slice is as long as a pattern says, and its elements match. An array is as long: rustc has seen to that.
    pub(super) fn test_slice(
        &mut self,
        fields: &[FieldPattern],
        open: bool,
        subject: &Subject,
    ) -> Lowered<Option<Expr>> {
        let elements = || fields.iter().filter(|field| field.name != REST);
        let mut test = None;
        if let Subject::Whole(slice @ (Operand::Slice(_) | Operand::View(_))) = subject {
            let len = self.view(slice.clone())?.len;
            let (op, count) = (if open { BinaryOp::Ge } else { BinaryOp::Eq }, elements().count());
            test = match compared(op, &len, &usize_bits(count as u64)) {
                Ok(true) => None,
                Ok(false) => Some(Expr::Bits(Scalar::Bool, 0)),
                Err(_) if open && count == 0 => None,
                Err(unknown) => Some(unknown),
            };
        }
        for field in elements() {
            let part = self.element_of(subject, fields, &field.name, false)?;
            test = both(test, self.test(&field.pattern, &part)?);
        }
        Ok(test)
    }

    pub(super) fn bind_slice(
        &mut self,
        fields: &[FieldPattern],
        subject: &Subject,
        by_value: bool,
        aliases: bool,
    ) -> Lowered<()> {
        for field in fields.iter().filter(|field| binds(&field.pattern)) {
            let part = match (&field.pattern, subject) {
                // A reference to a part of the array itself, which it may change.
                (Pattern::Bind { by_reference: true, mutable, .. }, Subject::Place { place, .. })
                    if field.name == REST =>
                {
                    if let (true, Root::Local(local)) = (*mutable, place.root) {
                        self.locals[local].mutable = true;
                    }
                    let referred = Subject::Place { place: place.clone(), by_reference: true };
                    self.element_of(&referred, fields, &field.name, by_value)?
                }
                _ => self.element_of(subject, fields, &field.name, by_value)?,
            };
            self.bind(&field.pattern, &part, aliases)?;
        }
        Ok(())
    }

    /// An element of an array or a slice, or the part that is called [`REST`].
    fn element_of(
        &mut self,
        subject: &Subject,
        fields: &[FieldPattern],
        name: &str,
        by_value: bool,
    ) -> Lowered<Subject> {
        let missing = || format!("a pattern of a slice has no part `{name}`: rebuild the program");
        let (view, by_reference, array) = match subject {
            Subject::Place { place, by_reference } => {
                (self.view(Operand::Place(place.clone()))?, *by_reference, Some(place))
            }
            Subject::Whole(slice @ (Operand::Slice(_) | Operand::View(_))) => {
                (self.view(slice.clone())?, !by_value, None)
            }
            _ => return Err("only arrays and slices have elements".into()),
        };
        if name == REST {
            let behind = fields.iter().filter(|field| field.name.starts_with('-')).count();
            let before = fields.iter().filter(|field| field.name.parse::<usize>().is_ok()).count();
            let apart = usize_bits((before + behind) as u64);
            let len = size(BinaryOp::Sub, view.len.clone(), apart);
            let part = self.part_of_view(&view, usize_bits(before as u64), len);
            return match (array, by_reference) {
                (Some(_), false) => self.copied_part(&part),
                _ => Ok(Subject::Whole(Operand::view(part))),
            };
        }
        let at = match name.strip_prefix('-') {
            Some(behind) => {
                let behind: u64 = behind.parse().map_err(|_| missing())?;
                size(BinaryOp::Sub, view.len.clone(), usize_bits(behind))
            }
            None => usize_bits(name.parse().map_err(|_| missing())?),
        };
        let place = self.element_place(&view, at)?;
        if place.ty == Type::Unit {
            return Ok(Subject::Whole(Operand::Unit));
        }
        Ok(Subject::Place { place, by_reference })
    }

    /// A part of an array, as an array.
    fn copied_part(&mut self, part: &View) -> Lowered<Subject> {
        let Expr::Bits(_, len @ 1..) = part.len else {
            return Err("a part without elements needs no name: write `..` alone".into());
        };
        let ty = Type::Array { element: Box::new(part.element().clone()), len: len as usize };
        let local = self.temporary("rest", ty, None);
        self.locals[local].made = false;
        let place = self.place_of_local(local);
        let copy = self.view(Operand::Place(place.clone()))?;
        let (counter, body) = self.nested(|inner| {
            let counter = inner.local("i", Type::Scalar(Scalar::Usize));
            let source = inner.element_place(part, inner.read(counter))?;
            let target = inner.element_place(&copy, inner.read(counter))?;
            inner.out.push(Stmt::Assign(target, Expr::Read(source)));
            Ok(counter)
        })?;
        self.out.push(Stmt::For { local: counter, start: usize_bits(0), end: part.len.clone(), body });
        Ok(Subject::Place { place, by_reference: false })
    }

    /// `let mut name = slice;`: where the slice begins and how long it is may change.
    pub(super) fn slice_variable(&mut self, name: &str, slice: Operand) -> Lowered<()> {
        let view = self.view(slice)?;
        let mut part = |part: &str, value: &Expr| {
            let local =
                self.temporary(&format!("{name}_{part}"), Type::Scalar(Scalar::Usize), Some(value.clone()));
            self.locals[local].mutable = true;
            self.locals[local].made = false;
            self.read(local)
        };
        let (start, len) = (part("start", view.start()), part("len", &view.len));
        self.variables.push((name.to_owned(), Variable::Operand(Operand::view(view.with(start, len)))));
        Ok(())
    }
}

/// Whether a pattern of this name is one of an array or a slice.
pub(super) fn is_of_slice(name: &str) -> bool {
    matches!(name, SLICE | OPEN_SLICE)
}

/// Whether a variable that may change is a slice, which then is moved, and not changed.
pub(super) fn is_moved(operand: &Operand) -> bool {
    match operand {
        Operand::Slice(_) | Operand::View(_) => true,
        Operand::Ref(place) => matches!(place.ty, Type::Array { .. }) && !takes_no_place(&place.ty),
        _ => false,
    }
}
