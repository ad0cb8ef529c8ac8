//! Tuples: their parts are put together only where the whole value is needed.

use annulus_tree::Expression;

use super::{
    Lowered, Lowerer,
    cases::STORED_REFERENCE,
    operand::{Operand, is_fixed},
    program::{Expr, Step, Stmt, assigned},
};
use crate::typed::Type;

impl Lowerer<'_> {
    /// `(a, b)`, from left to right.
    pub(super) fn tuple(&mut self, items: &[Expression]) -> Lowered<Operand> {
        let mut parts = Vec::new();
        for item in items {
            let mark = self.out.len();
            let operand = self.operand(item, None)?;
            self.keep_parts(&mut parts, mark);
            if matches!(operand, Operand::Never) {
                return Ok(operand);
            }
            parts.push(self.part_of_tuple(operand)?);
        }
        Ok(Operand::Tuple(parts))
    }

    /// An operand as a part: places are read, and references are kept.
    fn part_of_tuple(&mut self, operand: Operand) -> Lowered<Operand> {
        Ok(match operand {
            Operand::Place(place) if place.ty == Type::Unit => Operand::Unit,
            Operand::Place(place) => {
                let ty = place.ty.clone();
                Operand::Value(Expr::Read(place), ty)
            }
            Operand::Ref(place) => Operand::Ref(self.steady(place)),
            Operand::Exchanged { .. } => {
                let (expr, ty) = self.value_of(operand)?;
                Operand::Value(expr, ty)
            }
            Operand::Cases(cases) => Operand::cases(self.fixed_cases(*cases)?),
            other => other,
        })
    }

    /// [`keep`](Self::keep) for parts.
    fn keep_parts(&mut self, parts: &mut [Operand], mark: usize) {
        let mut roots = Vec::new();
        assigned(&self.out[mark..], &mut roots);
        for part in parts {
            match part {
                Operand::Value(expr, ty) if expr.reads(&roots) => {
                    let mut value = [(expr.clone(), ty.clone())];
                    self.keep(&mut value, mark);
                    let [(kept, _)] = value;
                    *expr = kept;
                }
                Operand::Tuple(parts) => self.keep_parts(parts, mark),
                _ => {}
            }
        }
    }

    /// Stores a tuple in a variable of this name.
    pub(super) fn stored_tuple(&mut self, parts: Vec<Operand>, wanted: &str) -> Lowered<(Expr, Type)> {
        let mut values = Vec::new();
        for part in parts {
            if matches!(part, Operand::Ref(_) | Operand::View(_)) {
                return Err(STORED_REFERENCE.into());
            }
            let mark = self.out.len();
            let value = self.value_of(part)?;
            self.keep(&mut values, mark);
            values.push(value);
        }
        let ty = Type::Tuple(values.iter().map(|(_, ty)| ty.clone()).collect());
        let local = self.temporary(wanted, ty.clone(), None);
        let place = self.place_of_local(local);
        for (index, (value, ty)) in values.into_iter().enumerate() {
            let part = place.clone().then(Step::Field(index.to_string()), ty);
            self.out.push(Stmt::Assign(part, value));
        }
        Ok((Expr::Read(place), ty))
    }

    /// Whether an operand contains a reference, and so cannot be stored.
    pub(super) fn holds_reference(operand: &Operand) -> bool {
        match operand {
            Operand::Ref(_)
            | Operand::View(_)
            | Operand::Slice(_)
            | Operand::Atomics(_)
            | Operand::Atomic(_) => true,
            Operand::Tuple(parts) => parts.iter().any(Self::holds_reference),
            Operand::Cases(cases) => Self::holds_reference(&cases.then),
            _ => false,
        }
    }

    /// A value that no later statement changes.
    pub(super) fn fixed(&mut self, expr: Expr, ty: &Type, wanted: &str) -> Expr {
        if is_fixed(&self.locals, &expr) || matches!(expr, Expr::Code(_)) {
            return expr;
        }
        let local = self.temporary(wanted, ty.clone(), Some(expr));
        self.locals[local].made = false;
        self.read(local)
    }

    /// An operand whose values no later statement changes.
    pub(super) fn fixed_operand(&mut self, operand: Operand) -> Lowered<Operand> {
        Ok(match operand {
            Operand::Value(expr, ty) => Operand::Value(self.fixed(expr, &ty, "value"), ty),
            Operand::Place(place) => {
                let operand = self.part_of_tuple(Operand::Place(place))?;
                self.fixed_operand(operand)?
            }
            Operand::Ref(place) => Operand::Ref(self.steady(place)),
            Operand::Tuple(parts) => {
                let parts = parts.into_iter().map(|part| self.fixed_operand(part)).collect::<Lowered<_>>()?;
                Operand::Tuple(parts)
            }
            Operand::Cases(cases) => Operand::cases(self.fixed_cases(*cases)?),
            other => other,
        })
    }
}

/// The part of this name: `0`, `1` …
pub(super) fn part_named<'p>(parts: &'p [Operand], name: &str) -> Lowered<&'p Operand> {
    let part = name.parse::<usize>().ok().and_then(|index| parts.get(index));
    part.ok_or_else(|| format!("a tuple of {} parts has no part `{name}`", parts.len()))
}
