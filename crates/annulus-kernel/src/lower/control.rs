//! Branches: `if` and `match`, as statements and as values.

use annulus_abi::error;
use annulus_tree::{Arm, BinaryOp, Block, Expression, ExpressionKind};

use super::{
    Lowered, Lowerer,
    alternatives::{arms_of, arms_of_condition, has_alternatives},
    archive::stays,
    operand::Operand,
    pattern::Subject,
    program::{Expr, Local, LocalId, Place, Root, Step, Stmt, declared},
    slice::View,
};
use crate::typed::{Scalar, Type};

/// The error message for references that depend on which branch runs.
pub(super) const CHOSEN_REFERENCE: &str =
    "a device cannot choose between references: choose an index, or assign in each branch";

/// The statements of one branch, and its value.
pub(super) struct Branch {
    pub(super) statements: Vec<Stmt>,
    pub(super) value: Outcome,
}

pub(super) enum Outcome {
    Value(Expr, Type),
    Ref(Place),
    View(Box<View>),
    /// The parts of a tuple in which there are references.
    Parts(Vec<Outcome>),
    Unit,
    Never,
}

/// One arm of a `match`.
struct ArmCode {
    test: Option<Expr>,
    /// The statements that the guard needs, and the guard.
    guard: Option<(Vec<Stmt>, Expr)>,
    branch: Branch,
}

impl Lowerer<'_> {
    /// A branch in a scope of its own.
    pub(super) fn branch(&mut self, body: impl FnOnce(&mut Self) -> Lowered<Operand>) -> Lowered<Branch> {
        let (value, statements) = self.nested(|inner| {
            let operand = body(inner)?;
            inner.outcome(operand)
        })?;
        Ok(Branch { statements, value })
    }

    fn outcome(&mut self, operand: Operand) -> Lowered<Outcome> {
        Ok(match operand {
            Operand::Never => Outcome::Never,
            Operand::Unit => Outcome::Unit,
            Operand::Ref(place) => Outcome::Ref(self.steady(place)),
            Operand::View(view) => Outcome::View(view),
            Operand::Slice(_) => Outcome::View(Box::new(self.view(operand)?)),
            // Nobody changes the target of a shared reference, so a copy is equivalent.
            Operand::Cases(cases)
                if !cases.mutable && matches!(&*cases.then, Operand::Ref(place) if !stays(&place.ty)) =>
            {
                let copied = self.copied(*cases)?;
                let (expr, ty) = self.value_of(copied)?;
                Outcome::Value(expr, ty)
            }
            Operand::Tuple(parts) if parts.iter().any(Self::holds_reference) => {
                let parts: Lowered<Vec<Outcome>> = parts.into_iter().map(|part| self.outcome(part)).collect();
                Outcome::Parts(parts?)
            }
            operand if Self::holds_reference(&operand) => return Err(CHOSEN_REFERENCE.into()),
            operand => match self.value_of(operand)? {
                (_, Type::Unit) => Outcome::Unit,
                (expr, ty) => Outcome::Value(expr, ty),
            },
        })
    }

    pub(super) fn conditional(
        &mut self,
        condition: &Expression,
        then: &Block,
        otherwise: Option<&Expression>,
        hint: Option<&str>,
    ) -> Lowered<Operand> {
        if let ExpressionKind::Let { pattern, value } = &condition.kind
            && has_alternatives(pattern)
        {
            return self.choice(value, &arms_of_condition(pattern, then, otherwise, condition.line), hint);
        }
        // Taken before the branches, so that their own names cannot hide it.
        let name = self.names.take(hint.unwrap_or("chosen"));
        let shared = is_shared_block(then) && otherwise.is_some_and(is_shared);
        let (condition, mut then) = match &condition.kind {
            ExpressionKind::Let { pattern, value } => {
                let operand = self.operand(value, None)?;
                let subject = self.subject(operand);
                let test = self.test(pattern, &subject)?.unwrap_or(Expr::Bits(Scalar::Bool, 1));
                let then = self.branch(|inner| {
                    inner.bind(pattern, &subject, false)?;
                    inner.block(then, None)
                })?;
                (test, then)
            }
            _ => (self.condition(condition)?, self.branch(|inner| inner.block(then, None))?),
        };
        let mut otherwise = match otherwise {
            Some(otherwise) => self.branch(|inner| inner.operand(otherwise, None))?,
            None => Branch { statements: Vec::new(), value: Outcome::Unit },
        };
        if let (Outcome::Value(a, ty @ Type::Scalar(_)), Outcome::Value(b, _)) =
            (&then.value, &otherwise.value)
            && does_nothing(&then.statements)
            && does_nothing(&otherwise.statements)
        {
            self.names.give_back(&name);
            let value = Expr::Select(Box::new(condition), Box::new(a.clone()), Box::new(b.clone()));
            return Ok(Operand::Value(value, ty.clone()));
        }
        let result = self.join([&mut then, &mut otherwise], name, shared)?;
        self.out.push(Stmt::If(condition, then.statements, otherwise.statements));
        Ok(result)
    }

    /// Makes all branches store their values in one variable of this name, and returns it.
    pub(super) fn join<'b>(
        &mut self,
        branches: impl IntoIterator<Item = &'b mut Branch>,
        name: String,
        shared: bool,
    ) -> Lowered<Operand> {
        self.join_all(&mut branches.into_iter().collect::<Vec<_>>(), name, shared)
    }

    fn join_all(&mut self, branches: &mut [&mut Branch], name: String, shared: bool) -> Lowered<Operand> {
        if let Some(view) = self.join_views(branches)? {
            self.names.give_back(&name);
            return Ok(view);
        }
        if let Some(parts) = self.join_parts(branches, shared)? {
            self.names.give_back(&name);
            return Ok(parts);
        }
        let mut result: Option<LocalId> = None;
        let mut returns = false;
        let mut shared = shared;
        let by_syntax = shared;
        let same = self.is_one_place(branches);
        let mut chosen: Vec<(usize, Place)> = Vec::new();
        for (index, branch) in branches.iter_mut().enumerate() {
            let value = match std::mem::replace(&mut branch.value, Outcome::Unit) {
                // Nobody changes the target of a shared reference, so a copy is equivalent.
                Outcome::Ref(place)
                    if !stays(&place.ty)
                        && (by_syntax && !matches!(place.ty, Type::Array { .. })
                            || !same && (shared || self.stays(&place))) =>
                {
                    shared = true;
                    let ty = place.ty.clone();
                    Outcome::Value(Expr::Read(place), ty)
                }
                value => value,
            };
            match value {
                Outcome::Ref(place) => chosen.push((index, place)),
                Outcome::Value(expr, ty) => {
                    let local = match result {
                        Some(local) => local,
                        None => {
                            self.locals.push(Local::new(name.clone(), ty, false, true));
                            self.out.push(Stmt::Declare(self.locals.len() - 1, None));
                            self.locals.len() - 1
                        }
                    };
                    result = Some(local);
                    self.store(local, expr, &mut branch.statements);
                }
                Outcome::Unit => returns = true,
                Outcome::View(_) | Outcome::Parts(_) => return Err(CHOSEN_REFERENCE.into()),
                Outcome::Never => {}
            }
        }
        let chosen = self.join_places(chosen, branches)?;
        if result.is_none() {
            self.names.give_back(&name);
        }
        Ok(match (result, chosen) {
            (None, Some(place)) => Operand::Ref(place),
            (Some(_), Some(_)) => return Err(CHOSEN_REFERENCE.into()),
            (Some(local), None) if shared => {
                self.locals[local].made = false;
                Operand::Ref(self.place_of_local(local))
            }
            (Some(local), None) => Operand::Value(self.read(local), self.locals[local].ty.clone()),
            (None, None) if returns => Operand::Unit,
            (None, None) => Operand::Never,
        })
    }

    /// One tuple for the tuples with references that branches return, part by part; `None` if they return none.
    fn join_parts(&mut self, branches: &mut [&mut Branch], shared: bool) -> Lowered<Option<Operand>> {
        let count = branches.iter().find_map(|branch| match &branch.value {
            Outcome::Parts(parts) => Some(parts.len()),
            _ => None,
        });
        let Some(count) = count else { return Ok(None) };
        let mut all = Vec::new();
        for branch in branches.iter_mut() {
            all.push(match std::mem::replace(&mut branch.value, Outcome::Never) {
                Outcome::Parts(parts) => Some(parts.into_iter()),
                Outcome::Never => None,
                _ => return Err(CHOSEN_REFERENCE.into()),
            });
        }
        let mut joined = Vec::new();
        for _ in 0..count {
            for (branch, parts) in branches.iter_mut().zip(&mut all) {
                branch.value = parts.as_mut().and_then(Iterator::next).unwrap_or(Outcome::Never);
            }
            // No name in the branches hides it, since no other name begins like this one.
            let name = format!("ann_part_{}", self.locals.len());
            joined.push(self.join_all(branches, name, shared)?);
        }
        Ok(Some(Operand::Tuple(joined)))
    }

    /// Whether all branches with a value return a reference to the same place. Then no copy is needed.
    fn is_one_place(&self, branches: &[&mut Branch]) -> bool {
        let mut first: Option<&Place> = None;
        branches.iter().all(|branch| match &branch.value {
            Outcome::Ref(place) => {
                let same = *first.get_or_insert(place) == place;
                same && !place.reads(&declared(&branch.statements))
            }
            Outcome::Never => true,
            _ => false,
        })
    }

    /// Whether nobody can change the value at a place, so that references to it are shared.
    fn stays(&self, place: &Place) -> bool {
        match place.root {
            Root::Message | Root::Constant(_) => true,
            Root::Local(local) => !self.locals[local].mutable,
            Root::Binding(memory) => self.unchanged.get(memory).copied().unwrap_or(false),
            Root::State | Root::Together(_) => false,
        }
    }

    /// One place for the places that branches return. They differ at most in their indices, which are put
    /// into variables.
    fn join_places(
        &mut self,
        places: Vec<(usize, Place)>,
        branches: &mut [&mut Branch],
    ) -> Lowered<Option<Place>> {
        let Some((_, first)) = places.first() else { return Ok(None) };
        let same = places
            .iter()
            .all(|(branch, place)| place == first && !place.reads(&declared(&branches[*branch].statements)));
        if same {
            return Ok(Some(first.clone()));
        }
        let mut place = first.clone();
        let alike = |other: &Place| {
            let alike = |(a, b): (&Step, &Step)| match (a, b) {
                (Step::Index(_), Step::Index(_)) | (Step::Element(_), Step::Element(_)) => true,
                (a, b) => a == b,
            };
            let own = |branch: &Branch| declared(&branch.statements).contains(&other.root);
            other.root == first.root
                && other.steps.len() == first.steps.len()
                && other.steps.iter().zip(&first.steps).all(alike)
                && !branches.iter().any(|branch| own(branch))
        };
        if !places.iter().all(|(_, place)| alike(place)) {
            return self.chosen_place(places, branches).map(Some);
        }
        for (step, part) in place.steps.iter_mut().enumerate() {
            let (Step::Index(index) | Step::Element(index)) = part else { continue };
            let local = self.size_for_branches("at");
            for (branch, other) in &places {
                if let Step::Index(index) | Step::Element(index) = &other.steps[step] {
                    let at = self.place_of_local(local);
                    branches[*branch].statements.push(Stmt::Assign(at, index.clone()));
                }
            }
            *index = self.read(local);
        }
        Ok(Some(place))
    }

    /// The place that one of these branches has chosen, by a variable that says which. All are parts of the same message, state,
    /// or variable, so they lie in the same memory.
    fn chosen_place(&mut self, places: Vec<(usize, Place)>, branches: &mut [&mut Branch]) -> Lowered<Place> {
        let (_, first) = &places[0];
        let own = |root: &Root| branches.iter().any(|branch| declared(&branch.statements).contains(root));
        let is_one = |place: &Place| place.root == first.root && place.ty == first.ty && !own(&place.root);
        if !places.iter().all(|(_, place)| is_one(place)) {
            return Err(CHOSEN_REFERENCE.into());
        }
        // Up to where they part. An index may be a variable of a branch.
        let is_common = |step: usize| {
            matches!(first.steps[step], Step::Field(_))
                && places.iter().all(|(_, place)| place.steps.get(step) == Some(&first.steps[step]))
        };
        let common = (0..first.steps.len()).take_while(|&step| is_common(step)).count();
        let mut place = first.clone();
        place.steps.truncate(common);
        let chosen = self.size_for_branches("way");
        let mut ways = Vec::new();
        for (number, (branch, other)) in places.into_iter().enumerate() {
            let mut way = other.steps[common..].to_vec();
            for step in &mut way {
                step.each_index(&mut |index| {
                    if !matches!(index, Expr::Bits(..)) {
                        let local = self.size_for_branches("at");
                        let at = self.place_of_local(local);
                        branches[branch]
                            .statements
                            .push(Stmt::Assign(at, std::mem::replace(index, self.read(local))));
                    }
                });
            }
            let (which, number) = (self.place_of_local(chosen), Expr::Bits(Scalar::Usize, number as u64));
            branches[branch].statements.push(Stmt::Assign(which, number));
            ways.push(way);
        }
        place.steps.push(Step::Chosen(self.read(chosen), ways));
        Ok(place)
    }

    /// A variable that is assigned in branches which are lowered already. No name in them hides it, since no
    /// other name begins like this one.
    fn size_for_branches(&mut self, what: &str) -> LocalId {
        let local = self.locals.len();
        let name = format!("ann_{what}_{local}");
        self.locals.push(Local::new(name, Type::Scalar(Scalar::Usize), false, false));
        self.out.push(Stmt::Declare(local, None));
        local
    }

    /// One slice for the slices that branches return. They are parts of the same memory; `None` if the
    /// branches return no slices.
    fn join_views(&mut self, branches: &mut [&mut Branch]) -> Lowered<Option<Operand>> {
        let mut first: Option<View> = None;
        let mut bases = Vec::new();
        for (index, branch) in branches.iter().enumerate() {
            match &branch.value {
                Outcome::View(view) => {
                    if first.as_ref().is_some_and(|first| !first.is_like(view)) {
                        return Err(CHOSEN_REFERENCE.into());
                    }
                    bases.push((index, view.base().clone()));
                    first.get_or_insert((**view).clone());
                }
                Outcome::Never => {}
                _ if first.is_some() => return Err(CHOSEN_REFERENCE.into()),
                _ => {}
            }
        }
        let Some(mut view) = first else { return Ok(None) };
        if bases.iter().any(|(_, base)| base != view.base()) {
            view = view.of(self.chosen_place(bases, branches)?);
        } else if branches.iter().any(|branch| view.reads(&declared(&branch.statements))) {
            return Err(CHOSEN_REFERENCE.into());
        }
        let (start, len) = (self.size_for_branches("start"), self.size_for_branches("len"));
        for branch in branches.iter_mut() {
            if let Outcome::View(view) = std::mem::replace(&mut branch.value, Outcome::Unit) {
                let begin = Stmt::Assign(self.place_of_local(start), view.start().clone());
                let end = Stmt::Assign(self.place_of_local(len), view.len.clone());
                branch.statements.extend([begin, end]);
            }
        }
        Ok(Some(Operand::view(view.with(self.read(start), self.read(len)))))
    }

    /// Puts a value into `local` at the end of `statements`. A variable that was made there for the value
    /// becomes `local`.
    pub(super) fn store(&mut self, local: LocalId, value: Expr, statements: &mut Vec<Stmt>) {
        if let Some(made) = self.made_local(&value) {
            let declared = statements
                .iter()
                .position(|statement| matches!(statement, Stmt::Declare(id, _) if *id == made));
            if let Some(at) = declared {
                self.locals[made].became = Some(local);
                self.locals[made].made = false;
                // Both become one variable of the text.
                let stored = self.locals[made].stored || self.locals[local].stored;
                self.locals[made].stored = stored;
                self.locals[local].stored = stored;
                if let Stmt::Declare(_, Some(initial)) = statements.remove(at) {
                    statements.insert(at, Stmt::Assign(self.place_of_local(local), initial));
                }
                return;
            }
        }
        statements.push(Stmt::Assign(self.place_of_local(local), value));
    }

    pub(super) fn choice(
        &mut self,
        value: &Expression,
        arms: &[Arm],
        hint: Option<&str>,
    ) -> Lowered<Operand> {
        let operand = self.operand(value, None)?;
        if matches!(operand, Operand::Never) {
            return Ok(Operand::Never);
        }
        let subject = self.subject(operand);
        let each = arms_of(arms)?;
        let arms = each.as_deref().unwrap_or(arms);
        if let Some(arm) = arms.first()
            && arm.guard.is_none()
            && self.test(&arm.pattern, &subject)?.is_none()
        {
            return self.only_arm(arm, &subject, hint);
        }
        let name = self.names.take(hint.unwrap_or("chosen"));
        let mut codes = Vec::new();
        for arm in arms {
            self.line = arm.line;
            let test = self.test(&arm.pattern, &subject)?;
            let guard = match &arm.guard {
                Some(guard) => {
                    let (guard, statements) = self.nested(|inner| {
                        inner.bind(&arm.pattern, &subject, true)?;
                        inner.condition(guard)
                    })?;
                    Some((statements, guard))
                }
                None => None,
            };
            let branch = self.branch(|inner| {
                inner.at(arm.line);
                inner.bind(&arm.pattern, &subject, false)?;
                inner.operand(&arm.body, None)
            })?;
            let always = test.is_none() && guard.is_none();
            codes.push(ArmCode { test, guard, branch });
            if always {
                break;
            }
        }
        let shared = arms.iter().all(|arm| is_shared(&arm.body));
        let result = self.join(codes.iter_mut().map(|code| &mut code.branch), name, shared)?;
        let guards_do_something = codes
            .iter()
            .any(|code| code.guard.as_ref().is_some_and(|(statements, _)| !does_nothing(statements)));
        if guards_do_something {
            self.in_turn(codes);
            if matches!(result, Operand::Never) {
                // One of the arms was taken, but the C compiler does not know it.
                self.out.push(Stmt::Abort(error::PANICKED));
            }
        } else {
            self.chain(codes);
        }
        Ok(result)
    }

    /// An arm that is always taken becomes a part of the surrounding code.
    fn only_arm(&mut self, arm: &Arm, subject: &Subject, hint: Option<&str>) -> Lowered<Operand> {
        let known = self.variables.len();
        self.at(arm.line);
        self.bind(&arm.pattern, subject, false)?;
        let operand = self.operand(&arm.body, hint)?;
        let operand = if let Operand::Value(..) = operand { operand } else { self.taken(operand, hint)? };
        self.variables.truncate(known);
        Ok(operand)
    }

    /// `if (…) { … } else if (…) { … } else { … }`. rustc has checked that the last arm matches everything
    /// that the others do not.
    fn chain(&mut self, codes: Vec<ArmCode>) {
        let mut rest: Option<Vec<Stmt>> = None;
        for ArmCode { test, guard, branch } in codes.into_iter().rev() {
            let condition = match (test, guard) {
                (Some(test), Some((_, guard))) => {
                    Some(Expr::binary(BinaryOp::And, Scalar::Bool, test, guard))
                }
                (None, Some((_, guard))) => Some(guard),
                (test, None) => test,
            };
            rest = Some(match (condition, rest) {
                (Some(condition), Some(rest)) => vec![Stmt::If(condition, branch.statements, rest)],
                (_, _) => branch.statements,
            });
        }
        self.out.extend(rest.unwrap_or_default());
    }

    /// A sequence of `if`s, for guards that need statements: each guard is evaluated only if no arm before it
    /// was taken.
    fn in_turn(&mut self, codes: Vec<ArmCode>) {
        let bool_ = Type::Scalar(Scalar::Bool);
        let taken = self.temporary("taken", bool_, Some(Expr::Bits(Scalar::Bool, 0)));
        let take = Stmt::Assign(self.place_of_local(taken), Expr::Bits(Scalar::Bool, 1));
        for ArmCode { test, guard, mut branch } in codes {
            branch.statements.insert(0, take.clone());
            let body = match guard {
                Some((mut statements, guard)) => {
                    statements.push(Stmt::If(guard, branch.statements, Vec::new()));
                    statements
                }
                None => branch.statements,
            };
            let free = self.read(taken).not();
            let condition = match test {
                Some(test) => Expr::binary(BinaryOp::And, Scalar::Bool, free, test),
                None => free,
            };
            self.out.push(Stmt::If(condition, body, Vec::new()));
        }
    }
}

/// Whether an expression gives a shared reference, if it gives anything.
fn is_shared(expression: &Expression) -> bool {
    match &expression.kind {
        ExpressionKind::Reference { mutable, .. } => !mutable,
        ExpressionKind::Block { label: None, block } => is_shared_block(block),
        ExpressionKind::If { then, otherwise, .. } => {
            is_shared_block(then) && otherwise.as_deref().is_some_and(is_shared)
        }
        ExpressionKind::Match { arms, .. } => arms.iter().all(|arm| is_shared(&arm.body)),
        _ => false,
    }
}

fn is_shared_block(block: &Block) -> bool {
    block.value.as_deref().is_some_and(is_shared)
}

pub(super) fn does_nothing(statements: &[Stmt]) -> bool {
    statements.iter().all(|statement| matches!(statement, Stmt::Line(_)))
}
