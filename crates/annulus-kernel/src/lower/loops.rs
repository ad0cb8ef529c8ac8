//! Loops, and how they are left.

use annulus_abi::error;
use annulus_tree::{BinaryOp, Block, Expression, ExpressionKind, Pattern};

use super::{
    LoopFrame, Lowered, Lowerer,
    alternatives::{arms_of_condition, has_alternatives},
    control::CHOSEN_REFERENCE,
    operand::{Operand, Variable, is_fixed},
    program::{Expr, LocalId, Stmt},
};
use crate::typed::{Scalar, Type};

/// The range of a `for`.
struct Range<'e> {
    start: &'e Expression,
    end: &'e Expression,
    inclusive: bool,
    reversed: bool,
    step: Option<&'e Expression>,
}

/// Leaves an outer loop.
const BREAK: u64 = 1;
/// Continues an outer loop.
const CONTINUE: u64 = 2;

impl Lowerer<'_> {
    /// The body of a loop, in its frame; then what was lowered around it.
    pub(super) fn framed(
        &mut self,
        label: Option<&String>,
        hint: Option<&str>,
        body: impl FnOnce(&mut Self) -> Lowered<()>,
    ) -> Lowered<(LoopFrame, Vec<Stmt>)> {
        self.loops.push(LoopFrame {
            label: label.cloned(),
            result: None,
            leave: None,
            crossed: Vec::new(),
            scopes: self.names.depth(),
            hint: hint.unwrap_or("found").to_owned(),
            is_block: false,
        });
        let statements = self.nested(body);
        let frame = self.loops.pop().expect("pushed above");
        let ((), statements) = statements?;
        for local in [frame.result, frame.leave].into_iter().flatten() {
            let initial = (Some(local) == frame.leave).then_some(Expr::Bits(Scalar::U32, 0));
            self.out.push(Stmt::Declare(local, initial));
        }
        Ok((frame, statements))
    }

    /// Used after an inner loop: continues outwards if an outer loop was left.
    pub(super) fn pass_on(&mut self, frame: LoopFrame) {
        let Some(here) = self.loops.len().checked_sub(1) else { return };
        for target in frame.crossed {
            let Some(leave) = self.loops[target].leave else { continue };
            let is = |lowerer: &Self, what| {
                Expr::binary(BinaryOp::Eq, Scalar::U32, lowerer.read(leave), Expr::Bits(Scalar::U32, what))
            };
            if target == here {
                let breaks = is(self, BREAK);
                let continues = is(self, CONTINUE);
                let forget = Stmt::Assign(self.place_of_local(leave), Expr::Bits(Scalar::U32, 0));
                self.out.push(Stmt::If(breaks, vec![Stmt::Break], Vec::new()));
                self.out.push(Stmt::If(continues, vec![forget, Stmt::Continue], Vec::new()));
            } else {
                let left = is(self, 0).not();
                self.out.push(Stmt::If(left, vec![Stmt::Break], Vec::new()));
                if !self.loops[here].crossed.contains(&target) {
                    self.loops[here].crossed.push(target);
                }
            }
        }
    }

    pub(super) fn repeat_forever(
        &mut self,
        label: Option<&String>,
        body: &Block,
        hint: Option<&str>,
    ) -> Lowered<Operand> {
        let mut breaks = false;
        let (frame, statements) = self.framed(label, hint, |inner| {
            inner.out.push(Stmt::Tick);
            inner.block(body, None)?;
            Ok(())
        })?;
        breaks |= has_break(&statements) || frame.leave.is_some();
        let result = frame.result;
        self.out.push(Stmt::Loop(statements));
        self.pass_on(frame);
        Ok(match result {
            Some(local) => Operand::Value(self.read(local), self.locals[local].ty.clone()),
            None if breaks => Operand::Unit,
            None => Operand::Never,
        })
    }

    /// `'label: { … }`: a loop that runs once.
    pub(super) fn labelled(&mut self, label: &String, block: &Block, hint: Option<&str>) -> Lowered<Operand> {
        let (frame, statements) = self.framed(Some(label), hint, |inner| {
            let target = inner.loops.len() - 1;
            inner.loops[target].is_block = true;
            match inner.block(block, None)? {
                Operand::Never => Ok(()),
                value => inner.leave_with(target, value),
            }
        })?;
        let comes_out = has_break(&statements) || frame.leave.is_some();
        let result = frame.result;
        self.out.push(Stmt::Loop(statements));
        self.pass_on(frame);
        Ok(match result {
            Some(local) => Operand::Value(self.read(local), self.locals[local].ty.clone()),
            None if comes_out => Operand::Unit,
            None => Operand::Never,
        })
    }

    pub(super) fn repeat_while(
        &mut self,
        label: Option<&String>,
        condition: &Expression,
        body: &Block,
    ) -> Lowered<Operand> {
        if let ExpressionKind::Let { pattern, value } = &condition.kind
            && has_alternatives(pattern)
        {
            let line = condition.line;
            let leave = Expression { line, kind: ExpressionKind::Break { label: None, value: None } };
            let arms = arms_of_condition(pattern, body, Some(&leave), line);
            let turn = Expression { line, kind: ExpressionKind::Match { value: value.clone(), arms } };
            let body = Block { statements: Vec::new(), value: Some(Box::new(turn)) };
            return self.repeat_forever(label, &body, None).map(|_| Operand::Unit);
        }
        let (frame, statements) = self.framed(label, None, |inner| {
            match &condition.kind {
                ExpressionKind::Let { pattern, value } => {
                    let operand = inner.operand(value, None)?;
                    let subject = inner.subject(operand);
                    if let Some(test) = inner.test(pattern, &subject)? {
                        inner.out.push(Stmt::If(test.not(), vec![Stmt::Break], Vec::new()));
                    }
                    inner.bind(pattern, &subject, false)?;
                }
                _ => {
                    let condition = inner.condition(condition)?;
                    inner.out.push(Stmt::If(condition.not(), vec![Stmt::Break], Vec::new()));
                }
            }
            inner.out.push(Stmt::Tick);
            inner.block(body, None)?;
            Ok(())
        })?;
        self.out.push(Stmt::Loop(statements));
        self.pass_on(frame);
        Ok(Operand::Unit)
    }

    pub(super) fn repeat_for(
        &mut self,
        label: Option<&String>,
        pattern: &Pattern,
        items: &Expression,
        body: &Block,
    ) -> Lowered<Operand> {
        let Some(range) = range_of(items) else { return self.repeat_items(label, pattern, items, body) };
        let mut values = self.values([range.start, range.end])?.into_iter();
        let (Some((start, ty)), Some((end, _))) = (values.next(), values.next()) else {
            unreachable!("two expressions have two values")
        };
        let scalar = self.as_scalar(&ty)?;
        if !scalar.is_integer() {
            return Err(format!("a loop counts in integers, not in `{}`: multiply inside", scalar.name()));
        }
        let (name, mutable) = match pattern {
            Pattern::Bind { name, mutable, inner: None, .. } => (name.as_str(), *mutable),
            Pattern::Wildcard => ("i", false),
            _ => return Err("a loop over a range has one variable".into()),
        };
        if !range.inclusive && !range.reversed && range.step.is_none() && !mutable {
            let end = self.held(end, &ty, "end");
            let below = Some(end.clone());
            let mut local = 0;
            let (frame, statements) = self.framed(label, None, |inner| {
                local = inner.local(name, ty.clone());
                inner.locals[local].below = below;
                inner.variables.push((name.to_owned(), Variable::Local(local)));
                inner.out.push(Stmt::Tick);
                inner.block(body, None)?;
                Ok(())
            })?;
            self.out.push(Stmt::For { local, start, end, body: statements });
            self.pass_on(frame);
            return Ok(Operand::Unit);
        }
        self.general_for(label, (name, mutable), scalar, &range, start, end, body)
    }

    /// A value that is read in each turn and must not change.
    fn held(&mut self, value: Expr, ty: &Type, wanted: &str) -> Expr {
        if is_fixed(&self.locals, &value) {
            return value;
        }
        let local = self.temporary(wanted, ty.clone(), Some(value));
        self.locals[local].made = false;
        self.read(local)
    }

    /// A loop that computes the next value before each turn, so that nothing overflows after the last one.
    #[allow(clippy::too_many_arguments)] // They are the parts of one loop.
    fn general_for(
        &mut self,
        label: Option<&String>,
        (name, mutable): (&str, bool),
        scalar: Scalar,
        range: &Range<'_>,
        start: Expr,
        end: Expr,
        body: &Block,
    ) -> Lowered<Operand> {
        let ty = Type::Scalar(scalar);
        let (start, end) = (self.held(start, &ty, "first"), self.held(end, &ty, "end"));
        let step = match range.step {
            Some(step) => {
                let (step, step_scalar) = self.scalar(step)?;
                let step = self.held(step, &Type::Scalar(step_scalar), "step");
                let zero = Expr::Bits(step_scalar, 0);
                if !matches!(step, Expr::Bits(_, 1..)) {
                    let is_zero = Expr::binary(BinaryOp::Eq, step_scalar, step.clone(), zero);
                    self.out.push(Stmt::Fail(is_zero, error::PANICKED));
                }
                step
            }
            None => Expr::Bits(Scalar::Usize, 1),
        };
        // The number of values left, minus one. It is unsigned, so that it can hold the range of the whole
        // type.
        let filled = if range.inclusive { BinaryOp::Le } else { BinaryOp::Lt };
        let more = Expr::binary(filled, scalar, start.clone(), end.clone());
        let more = self.temporary("more", Type::Scalar(Scalar::Bool), Some(more));
        self.locals[more].mutable = true;
        let last =
            if range.inclusive { end.clone() } else { Expr::Call("before", scalar, vec![end.clone()]) };
        let (first, last) = if range.reversed { (last, start) } else { (start, last) };
        let last = self.held(last, &ty, "last");
        let next = self.temporary("next", ty.clone(), Some(first));
        self.locals[next].mutable = true;
        let (frame, statements) = self.framed(label, None, |inner| {
            let more_read = inner.read(more);
            inner.out.push(Stmt::If(more_read.not(), vec![Stmt::Break], Vec::new()));
            inner.out.push(Stmt::Tick);
            let current = inner.read(next);
            let local: LocalId = inner.temporary(name, ty.clone(), Some(current));
            inner.locals[local].mutable = mutable;
            inner.locals[local].made = false;
            inner.variables.push((name.to_owned(), Variable::Local(local)));
            // There is a next value if the distance to the last value is at least one step.
            let current = inner.read(next);
            let (from, to) = if range.reversed {
                (last.clone(), current.clone())
            } else {
                (current.clone(), last.clone())
            };
            let distance = Expr::Call("distance", scalar, vec![from, to]);
            let goes_on = Expr::binary(BinaryOp::Ge, Scalar::U64, distance, step.clone());
            let more_place = inner.place_of_local(more);
            inner.out.push(Stmt::Assign(more_place, goes_on));
            let advance = if range.reversed { "retreat" } else { "advance" };
            let advanced = Expr::Call(advance, scalar, vec![current, step.clone()]);
            let next_place = inner.place_of_local(next);
            inner.out.push(Stmt::Assign(next_place, advanced));
            inner.block(body, None)?;
            Ok(())
        })?;
        self.out.push(Stmt::Loop(statements));
        self.pass_on(frame);
        Ok(Operand::Unit)
    }

    /// The loop that a label names, or the innermost.
    fn target_loop(&self, label: Option<&str>) -> Lowered<usize> {
        let found = match label {
            Some(label) => self.loops.iter().rposition(|frame| frame.label.as_deref() == Some(label)),
            None => self.loops.iter().rposition(|frame| !frame.is_block),
        };
        found.ok_or_else(|| "there is no such loop around this".to_owned())
    }

    /// Leaves loops from the innermost on, up to `target`.
    fn jump(&mut self, target: usize, what: u64) {
        let innermost = self.loops.len() - 1;
        if target == innermost {
            self.out.push(if what == BREAK { Stmt::Break } else { Stmt::Continue });
            return;
        }
        let leave = match self.loops[target].leave {
            Some(leave) => leave,
            None => {
                let name = self.names.take_at(self.loops[target].scopes, "leave");
                self.locals.push(super::Local::new(name, Type::Scalar(Scalar::U32), true, false));
                let leave = self.locals.len() - 1;
                self.loops[target].leave = Some(leave);
                leave
            }
        };
        if !self.loops[innermost].crossed.contains(&target) {
            self.loops[innermost].crossed.push(target);
        }
        self.out.push(Stmt::Assign(self.place_of_local(leave), Expr::Bits(Scalar::U32, what)));
        self.out.push(Stmt::Break);
    }

    pub(super) fn leave(&mut self, label: Option<&str>, value: Option<&Expression>) -> Lowered<Operand> {
        let target = self.target_loop(label)?;
        let operand = match value {
            Some(value) => self.operand(value, None)?,
            None => Operand::Unit,
        };
        if !matches!(operand, Operand::Never) {
            self.leave_with(target, operand)?;
        }
        Ok(Operand::Never)
    }

    /// Leaves a loop or a block with this value.
    fn leave_with(&mut self, target: usize, operand: Operand) -> Lowered<()> {
        if Self::holds_reference(&operand) {
            return Err(CHOSEN_REFERENCE.into());
        }
        let (expr, ty) = self.value_of(operand)?;
        if ty != Type::Unit {
            let result = match self.loops[target].result {
                Some(result) => result,
                None => {
                    let hint = self.loops[target].hint.clone();
                    let name = self.names.take_at(self.loops[target].scopes, &hint);
                    self.locals.push(super::Local::new(name, ty, false, true));
                    self.locals.len() - 1
                }
            };
            self.loops[target].result = Some(result);
            self.out.push(Stmt::Assign(self.place_of_local(result), expr));
        }
        self.jump(target, BREAK);
        Ok(())
    }

    pub(super) fn go_on(&mut self, label: Option<&str>) -> Lowered<Operand> {
        let target = self.target_loop(label)?;
        self.jump(target, CONTINUE);
        Ok(Operand::Never)
    }
}

/// The modifiers of a range, from the outside in; `None` if there are others than those that say how a range
/// counts.
fn range_of(expression: &Expression) -> Option<Range<'_>> {
    match &expression.kind {
        ExpressionKind::Range { start: Some(start), end: Some(end), inclusive } => {
            Some(Range { start, end, inclusive: *inclusive, reversed: false, step: None })
        }
        ExpressionKind::Method { receiver, method, arguments, .. } => {
            let mut range = range_of(receiver)?;
            match (method.as_str(), &arguments[..]) {
                ("rev", []) if range.step.is_none() => range.reversed = !range.reversed,
                ("step_by", [step]) if range.step.is_none() => range.step = Some(step),
                _ => return None,
            }
            Some(range)
        }
        _ => None,
    }
}

/// Whether a loop's own body leaves it.
fn has_break(statements: &[Stmt]) -> bool {
    statements.iter().any(|statement| match statement {
        Stmt::Break => true,
        Stmt::If(_, then, otherwise) => has_break(then) || has_break(otherwise),
        _ => false,
    })
}
