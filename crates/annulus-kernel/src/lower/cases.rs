//! `Option` and `Result`: which of the two cases a value is, and what that case holds.

use annulus_abi::error;
use annulus_tree::{BinaryOp, Expression, ExpressionKind, FieldValue, FunctionId};

use super::{
    Lowered, Lowerer, archive,
    closure::is_given_closure,
    operand::{Operand, describe},
    operator::convert,
    program::{Expr, Place, Step, Stmt},
};
use crate::typed::{Scalar, Type};

/// An `Option`, or (with an error) a `Result`, that is not stored in a variable yet.
#[derive(Clone, Debug)]
pub(super) struct Cases {
    /// Whether it is `Some` or `Ok`.
    pub(super) good: Expr,
    /// The value of the good case. If it is a reference, its target exists only in that case.
    pub(super) then: Box<Operand>,
    /// The error of a `Result`.
    pub(super) error: Option<(Expr, Type)>,
    /// Whether the value is a `&mut`.
    pub(super) mutable: bool,
}

/// A case of an `Option` or a `Result`: its tag, the member of C that holds its value, and the value's type.
pub(super) fn case_of(ty: &Type, name: &str) -> Option<(usize, &'static str, Type)> {
    match (ty, name) {
        (Type::Option(_), "None") => Some((0, "", Type::Unit)),
        (Type::Option(value), "Some") => Some((1, "some", (**value).clone())),
        (Type::Result(value, _), "Ok") => Some((0, "ok", (**value).clone())),
        (Type::Result(_, error), "Err") => Some((1, "err", (**error).clone())),
        _ => None,
    }
}

/// Whether `place` is the case of this name.
pub(super) fn is_case(place: &Place, name: &str) -> Lowered<Expr> {
    let (tag, ..) = case_of(&place.ty, name).ok_or_else(|| no_case(&place.ty, name))?;
    let (tag, place) = (Expr::Bits(Scalar::U8, tag as u64), Expr::Tag(place.clone()));
    Ok(Expr::binary(BinaryOp::Eq, Scalar::U8, place, tag))
}

/// The value of the case of this name.
pub(super) fn case_part(place: &Place, name: &str) -> Lowered<Place> {
    let (_, member, ty) = case_of(&place.ty, name).ok_or_else(|| no_case(&place.ty, name))?;
    Ok(place.clone().then(Step::Field(member.into()), ty))
}

fn no_case(ty: &Type, name: &str) -> String {
    format!("{} has no case `{name}`", describe(ty))
}

/// Whether a type is an `Option` or a `Result`.
pub(super) fn has_cases(ty: &Type) -> bool {
    matches!(ty, Type::Option(_) | Type::Result(..) | Type::Verdict)
}

/// Whether an operand is an `Option` or a `Result`.
pub(super) fn is_either(operand: &Operand) -> bool {
    match operand {
        Operand::Cases(_) | Operand::Exchanged { .. } => true,
        Operand::Place(place) | Operand::Ref(place) => has_cases(&place.ty),
        Operand::Value(_, ty) => has_cases(ty),
        _ => false,
    }
}

impl Lowerer<'_> {
    /// An `Option` or `Result` by its cases.
    pub(super) fn cases(&mut self, operand: Operand) -> Lowered<Cases> {
        match operand {
            Operand::Cases(cases) => Ok(*cases),
            Operand::Exchanged { succeeded, before } => {
                let ty = self.locals[before].ty.clone();
                let value = self.read(before);
                Ok(Cases {
                    good: self.read(succeeded),
                    then: Box::new(Operand::Value(value.clone(), ty.clone())),
                    error: Some((value, ty)),
                    mutable: false,
                })
            }
            Operand::Value(code, Type::Verdict) => {
                let code = self.simple(code, &Type::Verdict, "verdict");
                Ok(verdict_cases(code))
            }
            operand => {
                let place = self.as_place(operand)?;
                match &place.ty {
                    Type::Option(_) => Ok(Cases {
                        good: is_case(&place, "Some")?,
                        then: Box::new(Operand::Place(case_part(&place, "Some")?)),
                        error: None,
                        mutable: false,
                    }),
                    Type::Result(_, error) => Ok(Cases {
                        good: is_case(&place, "Ok")?,
                        then: Box::new(Operand::Place(case_part(&place, "Ok")?)),
                        error: Some((Expr::Read(case_part(&place, "Err")?), (**error).clone())),
                        mutable: false,
                    }),
                    Type::Verdict => Ok(verdict_cases(Expr::Read(place))),
                    other => Err(format!("{} is no `Option` and no `Result`", describe(other))),
                }
            }
        }
    }

    /// `Some(value)`, `None`, `Ok(value)`, `Err(error)`, of this type.
    pub(super) fn case(
        &mut self,
        name: &str,
        fields: &[FieldValue],
        ty: Type,
        hint: Option<&str>,
    ) -> Lowered<Operand> {
        let mut value = match fields {
            [field] => Some(self.operand(&field.value, None)?),
            _ => None,
        };
        if matches!(value, Some(Operand::Never)) {
            return Ok(Operand::Never);
        }
        if ty == Type::Verdict {
            let code = match (name, value.take()) {
                ("Err", Some(failure)) => self.value_of(failure)?.0,
                _ => Expr::Code(0),
            };
            return Ok(Operand::Value(code, ty));
        }
        let (tag, member, part) = case_of(&ty, name).ok_or_else(|| no_case(&ty, name))?;
        let value = match value {
            Some(Operand::Ref(_)) | None => None,
            Some(value) => Some(self.value_of(value)?.0),
        };
        if value.is_none() && part != Type::Unit {
            return Err(STORED_REFERENCE.into());
        }
        let wanted = hint.unwrap_or(if matches!(ty, Type::Option(_)) { "option" } else { "result" });
        let local = self.temporary(wanted, ty.clone(), None);
        let place = self.place_of_local(local);
        self.out.push(Stmt::SetTag(place.clone(), tag));
        if let Some(value) = value {
            self.out.push(Stmt::Assign(place.clone().then(Step::Field(member.into()), part), value));
        }
        Ok(Operand::Value(Expr::Read(place), ty))
    }

    /// Stores cases in a variable of this name.
    pub(super) fn stored_cases(&mut self, cases: Cases, wanted: &str) -> Lowered<(Expr, Type)> {
        let Cases { good, then, error, .. } = cases;
        if matches!(*then, Operand::Ref(_) | Operand::View(_)) {
            return Err(STORED_REFERENCE.into());
        }
        let (value, value_ty) = self.value_of(*then)?;
        let ty = match &error {
            None => Type::Option(Box::new(value_ty.clone())),
            Some((code, Type::Failure)) if value_ty == Type::Unit => {
                let verdict = Expr::Select(Box::new(good), Box::new(Expr::Code(0)), Box::new(code.clone()));
                return Ok((verdict, Type::Verdict));
            }
            Some((_, error)) => Type::Result(Box::new(value_ty.clone()), Box::new(error.clone())),
        };
        let local = self.temporary(wanted, ty.clone(), None);
        let place = self.place_of_local(local);
        let (yes, no) = if error.is_none() { ("Some", "None") } else { ("Ok", "Err") };
        let tag = |name: &str| case_of(&ty, name).map_or(0, |(tag, ..)| tag);
        let mut then = vec![Stmt::SetTag(place.clone(), tag(yes))];
        if value_ty != Type::Unit {
            then.push(Stmt::Assign(case_part(&place, yes)?, value));
        }
        let mut otherwise = vec![Stmt::SetTag(place.clone(), tag(no))];
        if let Some((error, ty)) = error
            && ty != Type::Unit
        {
            otherwise.push(Stmt::Assign(case_part(&place, no)?, error));
        }
        self.out.push(Stmt::If(good, then, otherwise));
        Ok((Expr::Read(place), ty))
    }

    /// Makes sure that later statements do not change the value of cases.
    pub(super) fn fixed_cases(&mut self, cases: Cases) -> Lowered<Cases> {
        let Cases { good, then, error, mutable } = cases;
        let good = self.fixed(good, &Type::Scalar(Scalar::Bool), "there");
        let then = Box::new(self.fixed_operand(*then)?);
        let error = error.map(|(error, ty)| (self.fixed(error, &ty, "error"), ty));
        Ok(Cases { good, then, error, mutable })
    }

    /// `operand?`: `None` or an error ends the handler or the function.
    pub(super) fn attempt(&mut self, operand: &Expression, function: FunctionId) -> Lowered<Operand> {
        let operand = self.operand(operand, None)?;
        if matches!(operand, Operand::Never) {
            return Ok(operand);
        }
        let Cases { good, then, error, .. } = self.cases(operand)?;
        let before = std::mem::take(&mut self.out);
        let given = self.converted_error(error, function).and_then(|error| self.give_up(error));
        let instead = std::mem::replace(&mut self.out, before);
        given?;
        self.out.push(Stmt::If(good.not(), instead, Vec::new()));
        self.taken(*then, None)
    }

    /// The error that the surrounding function returns. It is converted by a user's `From` if there is one.
    fn converted_error(
        &mut self,
        error: Option<(Expr, Type)>,
        function: FunctionId,
    ) -> Lowered<Option<(Expr, Type)>> {
        let has = self.functions.get(function as usize).is_some_and(Option::is_some);
        match error {
            Some((error, ty)) if has => {
                let given = self.call_with(function, vec![Operand::Value(error, ty)], None)?;
                self.value_of(given).map(Some)
            }
            error => Ok(error),
        }
    }

    /// Ends the handler or the function with this error, or with `None`.
    fn give_up(&mut self, error: Option<(Expr, Type)>) -> Lowered<()> {
        let (ty, name) = match (self.output.clone(), &error) {
            (None, Some((failure, Type::Failure))) => {
                self.out.push(Stmt::Return(failure.clone()));
                return Ok(());
            }
            (None, Some((_, other))) => {
                return Err(format!(
                    "`?` ends a handler with a `Failure`, and this is {}: write `#[device_impl]` before its `impl From<…> for Failure`, or \
                     `map_err(|_| FAILURE)?`",
                    describe(other)
                ));
            }
            (None, None) => return Err("`?` ends a handler with a `Failure`: write `ok_or(FAILURE)?`".into()),
            (Some(Type::Verdict), Some((failure, Type::Failure))) => {
                self.out.push(Stmt::Give(Some(failure.clone())));
                return Ok(());
            }
            (Some(ty @ Type::Option(_)), None) => (ty, "None"),
            (Some(ty @ Type::Result(..)), Some(_)) => (ty, "Err"),
            (Some(other), _) => {
                return Err(format!("`?` cannot end a function that gives {}", describe(&other)));
            }
        };
        let (tag, _, wanted) = case_of(&ty, name).ok_or_else(|| no_case(&ty, name))?;
        let local = self.temporary("given", ty.clone(), None);
        let place = self.place_of_local(local);
        self.out.push(Stmt::SetTag(place.clone(), tag));
        if let Some((error, given)) = error {
            let error = match (&given, &wanted) {
                (Type::Scalar(from), Type::Scalar(to)) => convert(*from, *to, error),
                _ if given == wanted => error,
                _ => {
                    let (given, wanted) = (describe(&given), describe(&wanted));
                    return Err(format!(
                        "`?` has {given} where the function gives {wanted}: write `#[device_impl]` before the `impl From<…>` that makes the other, or \
                         `map_err(|error| …)?`"
                    ));
                }
            };
            self.out.push(Stmt::Assign(case_part(&place, name)?, error));
        }
        self.out.push(Stmt::Give(Some(self.read(local))));
        Ok(())
    }

    /// A method of an `Option` or a `Result`.
    pub(super) fn case_method(
        &mut self,
        operand: Operand,
        method: &str,
        arguments: &[Expression],
    ) -> Lowered<Operand> {
        let bool_ = Type::Scalar(Scalar::Bool);
        if let ("get_or_insert" | "get_or_insert_with", [new]) = (method, arguments) {
            return self.get_or_insert(operand, new);
        }
        if let ("take", []) | ("replace", [_]) | ("as_ref" | "as_mut", []) = (method, arguments) {
            return self.method_of_place(operand, method, arguments);
        }
        let cases = self.cases(operand)?;
        if is_given_closure(arguments) {
            return self.case_calling(cases, method, arguments);
        }
        match (method, arguments) {
            ("is_some" | "is_ok", []) => Ok(Operand::Value(cases.good, bool_)),
            ("is_none" | "is_err", []) => Ok(Operand::Value(cases.good.not(), bool_)),
            ("unwrap" | "expect", []) => {
                self.out.push(Stmt::Fail(cases.good.not(), error::PANICKED));
                self.taken(*cases.then, None)
            }
            ("unwrap_err" | "expect_err", []) if cases.error.is_some() => {
                self.out.push(Stmt::Fail(cases.good, error::PANICKED));
                let (error, ty) = cases.error.expect("just asked");
                self.taken(Operand::Value(error, ty), None)
            }
            ("ok", []) if cases.error.is_some() => Ok(Operand::cases(Cases { error: None, ..cases })),
            ("err", []) if cases.error.is_some() => {
                let (error, ty) = cases.error.expect("just asked");
                let then = Box::new(Operand::Value(error, ty));
                Ok(Operand::cases(Cases { good: cases.good.not(), then, error: None, mutable: false }))
            }
            ("copied" | "cloned", []) => self.copied(cases),
            ("ok_or", [error]) => {
                let (mut cases, [error]) = self.with_arguments(cases, [error])?;
                cases.error = Some(self.value_of(error)?);
                Ok(Operand::cases(cases))
            }
            ("unwrap_or", [other]) => {
                let (cases, [other]) = self.with_arguments(cases, [other])?;
                if matches!(other, Operand::Never) {
                    return Ok(other);
                }
                self.value_or(cases, other)
            }
            ("zip", [other]) if cases.error.is_none() => {
                let (first, [other]) = self.with_arguments(cases, [other])?;
                if matches!(other, Operand::Never) {
                    return Ok(other);
                }
                let second = self.cases(other)?;
                let good = Expr::binary(BinaryOp::And, Scalar::Bool, first.good, second.good);
                let good = self.fixed(good, &bool_, "there");
                let value = |then| match then {
                    Operand::Place(place) => {
                        let ty = place.ty.clone();
                        if ty == Type::Unit { Operand::Unit } else { Operand::Value(Expr::Read(place), ty) }
                    }
                    then => then,
                };
                let then = Operand::Tuple(vec![value(*first.then), value(*second.then)]);
                let mutable = first.mutable || second.mutable;
                Ok(Operand::cases(Cases { good, then: Box::new(then), error: None, mutable }))
            }
            ("flatten", []) if cases.error.is_none() => {
                let inner = self.cases(*cases.then)?;
                if inner.error.is_some() {
                    return Err("a device flattens an `Option` of an `Option`: write a `match`".into());
                }
                let good = Expr::binary(BinaryOp::And, Scalar::Bool, cases.good, inner.good);
                Ok(Operand::cases(Cases { good, ..inner }))
            }
            ("or", [other]) => {
                let (cases, [other]) = self.with_arguments(cases, [other])?;
                let (other, ty) = self.value_of(other)?;
                let (cases, own) = self.stored_cases(cases, "option")?;
                if own != ty {
                    return self.or_other_error((cases, own), (other, ty));
                }
                let cases = self.as_place(Operand::Value(cases, ty.clone()))?;
                let good = is_case(&cases, if matches!(ty, Type::Option(_)) { "Some" } else { "Ok" })?;
                self.choose(good, Expr::Read(cases), other, ty)
            }
            _ => Err(format!(
                "a device's `Option` and `Result` have no `{method}` with these arguments: write a `match`"
            )),
        }
    }

    /// `first.or(second)` of `Result`s whose errors have two types: only the second one's can remain.
    fn or_other_error(
        &mut self,
        (first, first_ty): (Expr, Type),
        (second, second_ty): (Expr, Type),
    ) -> Lowered<Operand> {
        let first = self.cases(Operand::Value(first, first_ty))?;
        let second = self.cases(Operand::Value(second, second_ty))?;
        let (value, ty) = self.value_of(*first.then)?;
        let (other, _) = self.value_of(*second.then)?;
        let then = Box::new(self.choose(first.good.clone(), value, other, ty)?);
        let good = Expr::binary(BinaryOp::Or, Scalar::Bool, first.good, second.good);
        Ok(Operand::cases(Cases { good, then, error: second.error, mutable: false }))
    }

    /// Evaluates arguments after a receiver, whose value is kept.
    pub(super) fn with_arguments<const N: usize>(
        &mut self,
        cases: Cases,
        arguments: [&Expression; N],
    ) -> Lowered<(Cases, [Operand; N])> {
        let Cases { good, then, error, mutable } = cases;
        let mut values = vec![(good, Type::Scalar(Scalar::Bool))];
        let reference = match *then {
            then @ (Operand::Ref(_) | Operand::View(_) | Operand::Tuple(_) | Operand::Unit) => {
                Some(self.fixed_operand(then)?)
            }
            then => {
                values.push(self.value_of(then)?);
                None
            }
        };
        let error_ty = error.map(|(error, ty)| {
            values.push((error, ty.clone()));
            ty
        });
        let mut given = Vec::new();
        for argument in arguments {
            let mark = self.out.len();
            let operand = self.operand(argument, None)?;
            self.keep(&mut values, mark);
            given.push(operand);
        }
        let error = error_ty.and_then(|_| values.pop());
        let then = match reference {
            Some(reference) => reference,
            None => {
                let (value, ty) = values.pop().expect("pushed above");
                Operand::Value(value, ty)
            }
        };
        let (good, _) = values.pop().expect("pushed above");
        let given = given.try_into().expect("one for each argument");
        Ok((Cases { good, then: Box::new(then), error, mutable }, given))
    }

    /// `condition.then_some(value)`.
    pub(super) fn bool_method(&mut self, method: &str, values: Vec<(Expr, Type)>) -> Lowered<Operand> {
        let mut values = values.into_iter();
        match (method, values.next(), values.next()) {
            ("then_some", Some((good, _)), Some((value, ty))) => {
                let then = Box::new(Operand::Value(value, ty));
                Ok(Operand::cases(Cases { good, then, error: None, mutable: false }))
            }
            _ => Err(format!("a device's `bool` has no method `{method}`: write an `if`")),
        }
    }

    /// The value of cases, or otherwise `other`.
    fn value_or(&mut self, cases: Cases, other: Operand) -> Lowered<Operand> {
        let by_reference = matches!(*cases.then, Operand::Ref(_));
        if cases.mutable && Self::holds_reference(&cases.then) || matches!(*cases.then, Operand::View(_)) {
            return Err(super::control::CHOSEN_REFERENCE.into());
        }
        let then = Self::without_references(*cases.then);
        let other = Self::without_references(other);
        let (value, ty) = self.value_of(then)?;
        if archive::stays(&ty) {
            return Err(archive::STAYS.into());
        }
        let (other, _) = self.value_of(other)?;
        let value = self.choose(cases.good, value, other, ty)?;
        if !by_reference {
            return Ok(value);
        }
        // Nobody changes the target of a shared reference, so a copy is equivalent.
        let (value, ty) = self.value_of(value)?;
        let local = self.temporary("value", ty, Some(value));
        self.locals[local].made = false;
        Ok(Operand::Ref(self.place_of_local(local)))
    }

    /// A tuple in which shared references are replaced by the values of their targets.
    fn without_references(operand: Operand) -> Operand {
        match operand {
            Operand::Tuple(parts) => {
                let value = |part| match part {
                    Operand::Ref(place) => {
                        let ty = place.ty.clone();
                        Operand::Value(Expr::Read(place), ty)
                    }
                    other => Self::without_references(other),
                };
                Operand::Tuple(parts.into_iter().map(value).collect())
            }
            other => other,
        }
    }

    /// `condition ? a : b`, where neither has an effect.
    pub(super) fn choose(&mut self, condition: Expr, a: Expr, b: Expr, ty: Type) -> Lowered<Operand> {
        if ty == Type::Unit {
            return Ok(Operand::Unit);
        }
        if matches!(ty, Type::Scalar(_) | Type::Failure | Type::Verdict) {
            return Ok(Operand::Value(Expr::Select(Box::new(condition), Box::new(a), Box::new(b)), ty));
        }
        let local = self.temporary("chosen", ty.clone(), None);
        let place = self.place_of_local(local);
        let (then, otherwise) = (Stmt::Assign(place.clone(), a), Stmt::Assign(place.clone(), b));
        self.out.push(Stmt::If(condition, vec![then], vec![otherwise]));
        Ok(Operand::Value(Expr::Read(place), ty))
    }

    /// `Option<&T>` as `Option<T>`.
    pub(super) fn copied(&mut self, cases: Cases) -> Lowered<Operand> {
        let Operand::Ref(place) = *cases.then else { return Ok(Operand::cases(cases)) };
        if archive::stays(&place.ty) {
            return Err(archive::STAYS.into());
        }
        let ty = place.ty.clone();
        // The value exists only in the good case.
        let good = self.fixed(cases.good, &Type::Scalar(Scalar::Bool), "there");
        let local = self.temporary("copy", ty.clone(), None);
        let copy = Stmt::Assign(self.place_of_local(local), Expr::Read(place));
        self.out.push(Stmt::If(good.clone(), vec![copy], Vec::new()));
        self.locals[local].made = false;
        let then = Box::new(Operand::Value(self.read(local), ty));
        Ok(Operand::cases(Cases { good, then, error: cases.error, mutable: false }))
    }

    /// `get_or_insert(value)`, `get_or_insert_with(closure)`: a reference to the value that is there then.
    fn get_or_insert(&mut self, operand: Operand, new: &Expression) -> Lowered<Operand> {
        let (Operand::Place(place) | Operand::Ref(place)) = operand else {
            return Err(
                "`get_or_insert` changes a variable: give the `Option` a name, `let mut option = …`".into()
            );
        };
        let place = self.steady(place);
        if !matches!(place.ty, Type::Option(_)) {
            return Err(format!("{} has no `get_or_insert` on a device", describe(&place.ty)));
        }
        let part = case_part(&place, "Some")?;
        let mut insert = vec![Stmt::SetTag(place.clone(), 1)];
        if let ExpressionKind::Closure { .. } = new.kind {
            let absent = self.fixed(is_case(&place, "Some")?.not(), &Type::Scalar(Scalar::Bool), "absent");
            let ((), mut statements) = self.nested(|inner| {
                match inner.apply(new, Vec::new())? {
                    Operand::Never | Operand::Unit => {}
                    value => {
                        let (value, _) = inner.value_of(value)?;
                        insert.push(Stmt::Assign(part.clone(), value));
                    }
                }
                Ok(())
            })?;
            statements.extend(insert);
            self.out.push(Stmt::If(absent, statements, Vec::new()));
        } else {
            let value = self.inserted(new)?;
            if part.ty != Type::Unit {
                insert.push(Stmt::Assign(part.clone(), value));
            }
            self.out.push(Stmt::If(is_case(&place, "Some")?.not(), insert, Vec::new()));
        }
        Ok(Operand::Ref(part))
    }

    /// What is put into an `Option`: it may have been made of what is there before.
    fn inserted(&mut self, new: &Expression) -> Lowered<Expr> {
        let (value, ty) = self.value(new)?;
        Ok(if ty == Type::Unit { value } else { self.fixed(value, &ty, "new") })
    }

    /// `take`, `replace`, `as_ref`, `as_mut`.
    fn method_of_place(
        &mut self,
        operand: Operand,
        method: &str,
        arguments: &[Expression],
    ) -> Lowered<Operand> {
        if let (Operand::Cases(cases), "as_ref") = (&operand, method)
            && matches!(*cases.then, Operand::Ref(_))
        {
            return Ok(operand);
        }
        let (expr, ty) = match operand {
            operand @ (Operand::Place(_) | Operand::Ref(_)) => (operand, None),
            other => {
                let (expr, ty) = self.value_of(other)?;
                (Operand::Value(expr, ty.clone()), Some(ty))
            }
        };
        let place = match (expr, ty) {
            (Operand::Value(expr, _), Some(ty)) => {
                let local = self.temporary("value", ty, Some(expr));
                self.locals[local].made = false;
                self.place_of_local(local)
            }
            (operand, _) => self.as_place(operand)?,
        };
        let place = self.steady(place);
        let good = match place.ty {
            Type::Option(_) => "Some",
            Type::Result(..) if method.starts_with("as_") => {
                return Err("a device takes a `Result` apart by `match`: write `match &result { … }`".into());
            }
            _ => return Err(format!("{} has no `{method}` on a device", describe(&place.ty))),
        };
        if method.starts_with("as_") {
            let then = Box::new(Operand::Ref(case_part(&place, good)?));
            let mutable = method == "as_mut";
            return Ok(Operand::cases(Cases { good: is_case(&place, good)?, then, error: None, mutable }));
        }
        let new = match arguments {
            [new] => Some(self.inserted(new)?),
            _ => None,
        };
        let ty = place.ty.clone();
        let before = self.temporary("before", ty.clone(), Some(Expr::Read(place.clone())));
        self.out.push(Stmt::SetTag(place.clone(), usize::from(new.is_some())));
        if let Some(new) = new {
            self.out.push(Stmt::Assign(case_part(&place, good)?, new));
        }
        Ok(Operand::Value(self.read(before), ty))
    }
}

fn verdict_cases(code: Expr) -> Cases {
    let good = Expr::binary(BinaryOp::Eq, Scalar::U32, code.clone(), Expr::Bits(Scalar::U32, 0));
    Cases { good, then: Box::new(Operand::Unit), error: Some((code, Type::Failure)), mutable: false }
}

/// The error message for references in values.
pub(super) const STORED_REFERENCE: &str =
    "a device stores no references: store the value, `*reference`, or an index";
