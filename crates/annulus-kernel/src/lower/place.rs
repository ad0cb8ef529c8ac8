//! Places: fields, elements, and assignments to them.

use annulus_abi::error;
use annulus_tree::{BinaryOp, Expression, ExpressionKind};

use super::{
    Lowered, Lowerer,
    operand::{Operand, Variable, describe},
    program::{Expr, Place, Root, Step, Stmt},
    slice::{View, is_slice},
    tuple::part_named,
    types::takes_no_place,
    wrapping::wrapped,
};
use crate::{
    TypeKind,
    typed::{Scalar, Type},
};

impl Lowerer<'_> {
    /// An operand as a place; a reference is followed, and a value gets a variable.
    pub(super) fn as_place(&mut self, operand: Operand) -> Lowered<Place> {
        match operand {
            Operand::Place(place) | Operand::Ref(place) => Ok(place),
            Operand::Value(Expr::Read(place), _) => Ok(place),
            Operand::Value(expr, ty) => {
                let local = self.temporary("value", ty, Some(expr));
                Ok(self.place_of_local(local))
            }
            other => Err(format!("{} has no fields on a device", other.describe())),
        }
    }

    pub(super) fn field(&mut self, base: &Expression, name: &str) -> Lowered<Operand> {
        let base = match self.operand(base, None)? {
            Operand::Tuple(parts) => {
                let part = part_named(&parts, name)?.clone();
                return self.taken(part, None);
            }
            base => self.as_place(base)?,
        };
        if let Type::Tuple(parts) = &base.ty {
            let part = name.parse::<usize>().ok().and_then(|index| parts.get(index)).cloned();
            let part =
                part.ok_or_else(|| format!("a tuple of {} parts has no part `{name}`", parts.len()))?;
            return Ok(Operand::Place(base.then(Step::Field(name.into()), part)));
        }
        let Type::Struct(descriptor) = base.ty else {
            return Err(format!("{} has no field `{name}`", describe(&base.ty)));
        };
        let fields = match descriptor.kind {
            TypeKind::Struct(fields) => fields,
            _ => &[],
        };
        let field = fields.iter().find(|field| field.name == name);
        let field = field.ok_or_else(|| format!("`{}` has no field `{name}`", descriptor.name))?;
        Ok(Operand::Place(base.then(Step::Field(field.name.into()), field.ty.into())))
    }

    /// `base[index]`, checked.
    pub(super) fn index(&mut self, base: &Expression, index: &Expression) -> Lowered<Operand> {
        if matches!(index.kind, ExpressionKind::Range { .. }) {
            return self.subslice(base, index);
        }
        let base = self.operand(base, None)?;
        let base = match self.followed_list(base)? {
            slice @ (Operand::Slice(_) | Operand::Atomics(_) | Operand::View(_)) => slice,
            other => {
                let place = self.as_place(other)?;
                // In C it is nowhere, and no index is in bounds.
                let nowhere = matches!(place.ty, Type::Array { .. }) && takes_no_place(&place.ty);
                Operand::Place(if nowhere { self.stored_copy(None, place.ty) } else { self.steady(place) })
            }
        };
        let (at, scalar) = self.scalar(index)?;
        if scalar != Scalar::Usize {
            return Err(format!("an index is a `usize`, not a `{}`: write `index as usize`", scalar.name()));
        }
        let at = self.simple(at, &Type::Scalar(Scalar::Usize), "at");
        match base {
            Operand::View(view) => {
                self.check_index(&at, view.len.clone());
                Ok(match self.element(&view, at) {
                    Operand::Atomic(place) => Operand::Atomic(self.steady(place)),
                    element => element,
                })
            }
            Operand::Slice(binding) | Operand::Atomics(binding) => {
                self.check_index(&at, Expr::Len(binding));
                let ty = self.memory[binding].0.clone();
                let place = Place::new(Root::Binding(binding), ty.clone()).then(Step::Element(at), ty);
                let shared = matches!(base, Operand::Atomics(_));
                Ok(if shared { Operand::Atomic(self.steady(place)) } else { Operand::Place(place) })
            }
            Operand::Place(place) => {
                let Type::Array { element, len } = place.ty.clone() else {
                    return Err(format!("{} has no elements", describe(&place.ty)));
                };
                self.check_index(&at, Expr::Bits(Scalar::Usize, len as u64));
                Ok(Operand::Place(place.then(Step::Index(at), *element)))
            }
            other => Err(format!("{} has no elements", other.describe())),
        }
    }

    /// Whether an index is known to be in bounds.
    fn is_below(&self, at: &Expr, len: &Expr) -> bool {
        let limit = match (at, len) {
            (Expr::Bits(_, at), Expr::Bits(_, len)) => return at < len,
            (Expr::Read(Place { root: Root::Local(local), steps, .. }), _) if steps.is_empty() => {
                &self.locals[*local].below
            }
            _ => return false,
        };
        match (limit, len) {
            (Some(Expr::Bits(_, limit)), Expr::Bits(_, len)) => limit <= len,
            // Neither of them changes.
            (Some(limit), len) => limit == len,
            _ => false,
        }
    }

    /// Fails unless `at` is below `len`.
    pub(super) fn check_index(&mut self, at: &Expr, len: Expr) {
        if self.is_below(at, &len) {
            return;
        }
        let outside = Expr::binary(BinaryOp::Ge, Scalar::Usize, at.clone(), len);
        self.out.push(Stmt::Fail(outside, error::INDEX_OUT_OF_BOUNDS));
    }

    /// The place on the left of an assignment.
    fn target(&mut self, place: &Expression) -> Lowered<Place> {
        match self.operand(place, None)? {
            Operand::Place(Place { root: Root::Constant(_), .. }) => {
                Err("this changes a copy of a constant: write `let mut name = CONSTANT;` first".into())
            }
            Operand::Place(place) => Ok(place),
            other => Err(format!("{} cannot be assigned to: write `*` before a reference", other.describe())),
        }
    }

    pub(super) fn assign(&mut self, place: &Expression, value: &Expression) -> Lowered<Operand> {
        let operand = self.operand(value, None)?;
        if matches!(operand, Operand::Unit | Operand::Never) {
            return Ok(operand);
        }
        if let ExpressionKind::Variable { name } = &place.kind
            && let Some((_, Variable::Operand(Operand::View(view)))) =
                self.variables.iter().rev().find(|(known, _)| known == name)
            && is_slice(&operand)
        {
            let view = (**view).clone();
            return self.move_slice(&view, operand);
        }
        let mut value = [self.value_of(operand)?];
        let mark = self.out.len();
        let place = self.target(place)?;
        self.keep(&mut value, mark);
        let [(value, _)] = value;
        self.out.push(Stmt::Assign(place, value));
        Ok(Operand::Unit)
    }

    /// `slice = part;`, of a variable that may change. It stays in one memory.
    fn move_slice(&mut self, slice: &View, part: Operand) -> Lowered<Operand> {
        let part = self.view(part)?;
        if !slice.is_like(&part) || slice.base() != part.base() {
            return Err("a variable that is a slice stays in one array on a device, or in one slice that the handler was given: \
                        choose an index, or call a `#[device_fn]` with each"
                .into());
        }
        let (Expr::Read(start), Expr::Read(len)) = (slice.start().clone(), slice.len.clone()) else {
            return Err("a slice that changes is declared by `let mut`: rebuild the program".into());
        };
        self.out.push(Stmt::Assign(start, part.start().clone()));
        self.out.push(Stmt::Assign(len, part.len));
        Ok(Operand::Unit)
    }

    /// `place op= value`: for numbers the value is evaluated first.
    pub(super) fn assign_op(
        &mut self,
        op: BinaryOp,
        place: &Expression,
        value: &Expression,
    ) -> Lowered<Operand> {
        let start = self.out.len();
        let operand = self.operand(value, None)?;
        let by_reference = matches!(operand, Operand::Ref(_));
        let mut value = [self.value_of(operand)?];
        let mark = self.out.len();
        let place = self.target(place)?;
        if wrapped(&place.ty).is_some() {
            let place = self.steady(place);
            // The place is evaluated first, as for all types except numbers.
            self.out[start..].rotate_left(mark - start);
            let [(value, ty)] = value;
            return self.wrapping_assign(op, place, value, ty);
        }
        // In this case Rust evaluates the place first, and reads the value last.
        if by_reference && self.out[start..].iter().any(|statement| !matches!(statement, Stmt::Line(_))) {
            return Err(
                "the right side is a reference, which changes the order of evaluation: write `*` before it"
                    .into(),
            );
        }
        self.keep(&mut value, mark);
        let [(value, value_ty)] = value;
        let (left, right) = (self.as_scalar(&place.ty)?, self.as_scalar(&value_ty)?);
        let result = self.operate(op, left, Expr::Read(place.clone()), right, value)?;
        self.out.push(Stmt::Assign(place, result));
        Ok(Operand::Unit)
    }
}
