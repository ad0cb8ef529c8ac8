//! Closures: they are written out where a method calls them. In them, the variables from outside are those
//! variables themselves.

use annulus_tree::{BinaryOp, Expression, ExpressionKind};

use super::{
    Lowered, Lowerer,
    cases::{Cases, case_of, case_part},
    control::{Branch, CHOSEN_REFERENCE, Outcome, does_nothing},
    operand::Operand,
    pattern::{Subject, as_operand},
    program::{Expr, Local, Stmt, declared},
};
use crate::typed::{Scalar, Type};

const BOOL: Type = Type::Scalar(Scalar::Bool);

/// Whether a value may be read even if it is not needed: an element could be out of bounds, and a case could
/// be absent.
fn is_always_there(value: &Expr) -> bool {
    !value.any(&|part| matches!(part, Expr::Read(place) | Expr::Tag(place) if !place.steps.is_empty()))
}

/// Whether a method gets a closure as an argument.
pub(super) fn is_given_closure(arguments: &[Expression]) -> bool {
    arguments.iter().any(|argument| matches!(argument.kind, ExpressionKind::Closure { .. }))
}

impl Lowerer<'_> {
    /// The result of a closure for these arguments.
    pub(super) fn apply(&mut self, closure: &Expression, arguments: Vec<Operand>) -> Lowered<Operand> {
        let ExpressionKind::Closure { parameters, body } = &closure.kind else {
            return Err("a method that calls its argument has a closure there: write `|x| …`".into());
        };
        let known = self.variables.len();
        for (pattern, argument) in parameters.iter().zip(arguments) {
            self.bind_all(pattern, argument)?;
        }
        let value = self.operand(body, None)?;
        let value = self.taken(value, None)?;
        self.variables.truncate(known);
        Ok(value)
    }

    /// The result of a closure as a condition.
    pub(super) fn asked(&mut self, closure: &Expression, argument: Operand) -> Lowered<Expr> {
        match self.apply(closure, vec![argument])? {
            Operand::Never => Ok(Expr::Bits(Scalar::Bool, 0)),
            answer => Ok(self.value_of(answer)?.0),
        }
    }

    /// A method of `Option` or `Result` that calls its argument.
    pub(super) fn case_calling(
        &mut self,
        cases: Cases,
        method: &str,
        arguments: &[Expression],
    ) -> Lowered<Operand> {
        let (cases, default) = match (method, arguments) {
            ("map_or", [default, _]) => {
                let (cases, [default]) = self.with_arguments(cases, [default])?;
                let default = self.fixed_operand(default)?;
                (cases, Some(default))
            }
            _ => (cases, None),
        };
        let Subject::Cases { good, then, error, mutable } = self.subject(Operand::cases(cases)) else {
            return Err("an `Option` has cases: rebuild the program".into());
        };
        let then = as_operand(&then);
        let error = match error.map(|error| as_operand(&error)) {
            Some(error) => Some(self.value_or_unit(error)?),
            None => None,
        };
        let wrong = |error: &Option<(Expr, Type)>| match error {
            Some((error, ty)) => vec![if *ty == Type::Unit {
                Operand::Unit
            } else {
                Operand::Value(error.clone(), ty.clone())
            }],
            None => Vec::new(),
        };
        let name = self.names.take("mapped");
        match (method, arguments) {
            ("map", [f]) => {
                let branch = self.branch(|inner| inner.apply(f, vec![then]))?;
                self.mapped(name, good, branch, error, mutable)
            }
            ("map_err", [f]) if error.is_some() => {
                let argument = wrong(&error);
                let branch = self.branch(|inner| inner.apply(f, argument))?;
                let error = self.made_by(name, good.clone().not(), branch)?;
                Ok(Operand::cases(Cases { good, then: Box::new(then), error: Some(error), mutable }))
            }
            ("ok_or_else", [f]) if error.is_none() => {
                let branch = self.branch(|inner| inner.apply(f, Vec::new()))?;
                let error = self.made_by(name, good.clone().not(), branch)?;
                Ok(Operand::cases(Cases { good, then: Box::new(then), error: Some(error), mutable }))
            }
            ("map_or", [_, f]) => {
                let default = default.ok_or("`map_or` has a default: rebuild the program")?;
                let then = self.branch(|inner| inner.apply(f, vec![then]))?;
                let otherwise = self.branch(|_| Ok(default))?;
                self.either(name, good, then, otherwise)
            }
            ("map_or_else", [other, f]) => {
                let argument = wrong(&error);
                let then = self.branch(|inner| inner.apply(f, vec![then]))?;
                let otherwise = self.branch(|inner| inner.apply(other, argument))?;
                self.either(name, good, then, otherwise)
            }
            ("unwrap_or_else", [f]) => {
                let argument = wrong(&error);
                let then = self.branch(|_| Ok(then))?;
                let otherwise = self.branch(|inner| inner.apply(f, argument))?;
                self.either(name, good, then, otherwise)
            }
            ("is_some_and" | "is_ok_and", [f]) => {
                let branch = self.branch(|inner| inner.apply(f, vec![then]))?;
                self.answered(name, good, branch, false)
            }
            ("is_none_or", [f]) => {
                let branch = self.branch(|inner| inner.apply(f, vec![then]))?;
                self.answered(name, good, branch, true)
            }
            ("is_err_and", [f]) if error.is_some() => {
                let argument = wrong(&error);
                let branch = self.branch(|inner| inner.apply(f, argument))?;
                self.answered(name, good.not(), branch, false)
            }
            ("filter", [f]) => {
                let branch = self.branch(|inner| inner.apply(f, vec![then.clone()]))?;
                let Operand::Value(kept, _) = self.answered(name, good, branch, false)? else {
                    return Err("a filter gives a `bool`: rebuild the program".into());
                };
                let good = self.fixed(kept, &BOOL, "there");
                Ok(Operand::cases(Cases { good, then: Box::new(then), error, mutable }))
            }
            ("and_then", [f]) => {
                let branch = self.branch(|inner| inner.apply(f, vec![then]))?;
                let wrong = if error.is_none() { "None" } else { "Err" };
                self.in_case(name, good, branch, wrong, error)
            }
            ("or_else", [f]) => {
                let argument = wrong(&error);
                let right = if error.is_none() { "Some" } else { "Ok" };
                let value = self.value_or_unit(then)?;
                let branch = self.branch(|inner| inner.apply(f, argument))?;
                self.in_case(name, good.not(), branch, right, Some(value))
            }
            _ => Err(format!(
                "a device's `Option` and `Result` have no `{method}` with these arguments: write a `match`"
            )),
        }
    }

    /// `condition.then(|| value)`.
    pub(super) fn then(&mut self, condition: Expr, closure: &Expression) -> Lowered<Operand> {
        let good = self.fixed(condition, &BOOL, "there");
        let name = self.names.take("mapped");
        let branch = self.branch(|inner| inner.apply(closure, Vec::new()))?;
        self.mapped(name, good, branch, None, false)
    }

    fn value_or_unit(&mut self, operand: Operand) -> Lowered<(Expr, Type)> {
        match operand {
            Operand::Unit => Ok((Expr::Code(0), Type::Unit)),
            operand => self.value_of(operand),
        }
    }

    /// A variable of this name for the result of a branch, declared here.
    fn declared(&mut self, name: String, ty: Type) -> usize {
        self.locals.push(Local::new(name, ty, false, false));
        let local = self.locals.len() - 1;
        self.out.push(Stmt::Declare(local, None));
        local
    }

    /// Cases whose good one holds the result of a branch.
    fn mapped(
        &mut self,
        name: String,
        good: Expr,
        branch: Branch,
        error: Option<(Expr, Type)>,
        mutable: bool,
    ) -> Lowered<Operand> {
        let Branch { mut statements, value } = branch;
        let then = match value {
            Outcome::Value(value, ty) if does_nothing(&statements) && is_always_there(&value) => {
                self.names.give_back(&name);
                Operand::Value(value, ty)
            }
            Outcome::Value(value, ty) => {
                let local = self.declared(name, ty.clone());
                self.store(local, value, &mut statements);
                self.out.push(Stmt::If(good.clone(), statements, Vec::new()));
                Operand::Value(self.read(local), ty)
            }
            Outcome::Ref(place) => {
                if place.reads(&declared(&statements)) {
                    return Err(CHOSEN_REFERENCE.into());
                }
                self.out.push(Stmt::If(good.clone(), statements, Vec::new()));
                // It may be a reference that changes its target.
                let then = Box::new(Operand::Ref(place));
                return Ok(Operand::cases(Cases { good, then, error, mutable: true }));
            }
            Outcome::View(_) | Outcome::Parts(_) => return Err(CHOSEN_REFERENCE.into()),
            Outcome::Unit | Outcome::Never => {
                self.out.push(Stmt::If(good.clone(), statements, Vec::new()));
                Operand::Unit
            }
        };
        Ok(Operand::cases(Cases { good, then: Box::new(then), error, mutable }))
    }

    /// The value of a branch that is taken only where `condition` holds.
    fn made_by(&mut self, name: String, condition: Expr, branch: Branch) -> Lowered<(Expr, Type)> {
        let Branch { mut statements, value } = branch;
        match value {
            Outcome::Value(value, ty) if does_nothing(&statements) && is_always_there(&value) => {
                self.names.give_back(&name);
                Ok((value, ty))
            }
            Outcome::Value(value, ty) => {
                let local = self.declared(name, ty.clone());
                self.store(local, value, &mut statements);
                self.out.push(Stmt::If(condition, statements, Vec::new()));
                Ok((self.read(local), ty))
            }
            Outcome::Ref(_) | Outcome::View(_) | Outcome::Parts(_) => {
                Err(super::cases::STORED_REFERENCE.into())
            }
            Outcome::Unit | Outcome::Never => {
                self.out.push(Stmt::If(condition, statements, Vec::new()));
                Ok((Expr::Code(0), Type::Unit))
            }
        }
    }

    /// The result of a branch where `condition` holds, and otherwise `otherwise`.
    fn answered(
        &mut self,
        name: String,
        condition: Expr,
        branch: Branch,
        otherwise: bool,
    ) -> Lowered<Operand> {
        let Branch { mut statements, value } = branch;
        let constant = Expr::Bits(Scalar::Bool, u64::from(otherwise));
        let answer = match value {
            Outcome::Value(answer, _) => answer,
            Outcome::Never => constant.clone(),
            _ => return Err("a closure that is asked gives a `bool`".into()),
        };
        if does_nothing(&statements) {
            self.names.give_back(&name);
            let (op, condition) =
                if otherwise { (BinaryOp::Or, condition.not()) } else { (BinaryOp::And, condition) };
            return Ok(Operand::Value(Expr::binary(op, Scalar::Bool, condition, answer), BOOL));
        }
        self.locals.push(Local::new(name, BOOL, true, false));
        let local = self.locals.len() - 1;
        self.out.push(Stmt::Declare(local, Some(constant)));
        statements.push(Stmt::Assign(self.place_of_local(local), answer));
        self.out.push(Stmt::If(condition, statements, Vec::new()));
        Ok(Operand::Value(self.read(local), BOOL))
    }

    /// One of two branches.
    fn either(
        &mut self,
        name: String,
        good: Expr,
        mut then: Branch,
        mut otherwise: Branch,
    ) -> Lowered<Operand> {
        let result = self.join([&mut then, &mut otherwise], name, false)?;
        self.out.push(Stmt::If(good, then.statements, otherwise.statements));
        Ok(result)
    }

    /// The `Option` or `Result` that a branch returns where `condition` holds; otherwise this case with its
    /// value.
    fn in_case(
        &mut self,
        name: String,
        condition: Expr,
        branch: Branch,
        case: &str,
        value: Option<(Expr, Type)>,
    ) -> Lowered<Operand> {
        let Branch { mut statements, value: given } = branch;
        let Outcome::Value(given, ty) = given else {
            return Err("a closure that gives nothing is written as an `if` on a device".into());
        };
        let local = self.declared(name, ty.clone());
        self.store(local, given, &mut statements);
        let place = self.place_of_local(local);
        let otherwise = if ty == Type::Verdict {
            let code = match (case, value) {
                ("Err", Some((code, _))) => code,
                _ => Expr::Code(0),
            };
            vec![Stmt::Assign(place, code)]
        } else {
            let (tag, ..) = case_of(&ty, case).ok_or("a closure gives another type: rebuild the program")?;
            let mut otherwise = vec![Stmt::SetTag(place.clone(), tag)];
            if let Some((value, value_ty)) = value
                && value_ty != Type::Unit
            {
                otherwise.push(Stmt::Assign(case_part(&place, case)?, value));
            }
            otherwise
        };
        self.out.push(Stmt::If(condition, statements, otherwise));
        Ok(Operand::Value(self.read(local), ty))
    }
}
