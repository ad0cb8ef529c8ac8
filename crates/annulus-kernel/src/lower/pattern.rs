//! Patterns: the condition under which a pattern matches, and the variables that it then binds.

use annulus_tree::{BinaryOp, Block, Bound, Expression, Literal, Pattern, names::OPEN_SLICE};

use super::{
    Lowered, Lowerer,
    cases::{Cases, case_part, is_case},
    expression::{literal_of, variant_of},
    names::identifier,
    operand::{Operand, Variable, describe, is_fixed},
    program::{Expr, Place, Root, Step, Stmt},
    slice_pattern::{is_moved, is_of_slice},
};
use crate::{
    TypeKind,
    typed::{Scalar, Type, Value},
};

/// The value that is matched.
#[derive(Clone, Debug)]
pub(super) enum Subject {
    /// A place. If it is reached through a reference, its parts are bound by reference.
    Place { place: Place, by_reference: bool },
    /// The parts of a tuple.
    Tuple(Vec<Self>),
    /// An `Option` or a `Result`: whether it is `Some` or `Ok`, the value of that case, and the error of a
    /// `Result`.
    Cases { good: Expr, then: Box<Self>, error: Option<Box<Self>>, mutable: bool },
    /// An operand that cannot be taken apart.
    Whole(Operand),
}

impl Lowerer<'_> {
    /// An operand, as the subject of a pattern.
    pub(super) fn subject(&mut self, operand: Operand) -> Subject {
        match operand {
            Operand::Tuple(parts) => {
                Subject::Tuple(parts.into_iter().map(|part| self.part_subject(part)).collect())
            }
            Operand::Cases(cases) => {
                let Cases { good, then, error, mutable } = *cases;
                Subject::Cases {
                    good: self.fixed(good, &Type::Scalar(Scalar::Bool), "there"),
                    then: Box::new(self.part_subject(*then)),
                    error: error.map(|(error, ty)| Box::new(self.part_subject(Operand::Value(error, ty)))),
                    mutable,
                }
            }
            Operand::Place(Place { ty: Type::Unit, .. }) | Operand::Value(_, Type::Unit) => {
                Subject::Whole(Operand::Unit)
            }
            Operand::Place(place) => Subject::Place { place: self.steady(place), by_reference: false },
            Operand::Ref(place) => Subject::Place { place: self.steady(place), by_reference: true },
            Operand::Value(expr, ty) => {
                let local = match self.made_local(&expr) {
                    Some(local) => local,
                    None => self.temporary("subject", ty, Some(expr)),
                };
                // The variables of the pattern refer to it.
                self.locals[local].made = false;
                Subject::Place { place: self.place_of_local(local), by_reference: false }
            }
            other => Subject::Whole(other),
        }
    }

    /// The subject for a part of a value that is in no variable. A variable that does not change is its own
    /// subject.
    fn part_subject(&mut self, part: Operand) -> Subject {
        let part = match part {
            Operand::Place(place) => {
                let ty = place.ty.clone();
                Operand::Value(Expr::Read(place), ty)
            }
            part => part,
        };
        match part {
            Operand::Value(Expr::Read(place), ty)
                if ty != Type::Unit && is_fixed(&self.locals, &Expr::Read(place.clone())) =>
            {
                Subject::Place { place, by_reference: false }
            }
            part => self.subject(part),
        }
    }

    /// The variable that was made for a value and holds only that value.
    pub(super) fn made_local(&self, expr: &Expr) -> Option<usize> {
        match expr {
            Expr::Read(Place { root: Root::Local(local), steps, .. })
                if steps.is_empty() && self.locals[*local].made =>
            {
                Some(*local)
            }
            _ => None,
        }
    }

    /// `let pattern = value else { otherwise };`. Returns whether the code after it is unreachable.
    pub(super) fn binding(
        &mut self,
        pattern: &Pattern,
        value: &Expression,
        otherwise: Option<&Block>,
    ) -> Lowered<bool> {
        let hint = match pattern {
            Pattern::Bind { name, inner: None, .. } => Some(name.as_str()),
            _ => None,
        };
        let operand = self.operand(value, hint)?;
        if matches!(operand, Operand::Never) {
            return Ok(true);
        }
        if let Some(otherwise) = otherwise {
            let subject = self.subject(operand);
            if let Some(test) = self.test(pattern, &subject)? {
                let ((), statements) = self.nested(|inner| inner.block(otherwise, None).map(drop))?;
                self.out.push(Stmt::If(test.not(), statements, Vec::new()));
            }
            self.bind(pattern, &subject, false)?;
            return Ok(false);
        }
        self.bind_all(pattern, operand)?;
        Ok(false)
    }

    /// Binds a pattern that always matches.
    pub(super) fn bind_all(&mut self, pattern: &Pattern, operand: Operand) -> Lowered<()> {
        let operand = match operand {
            Operand::Place(Place { ty: Type::Unit, .. }) | Operand::Value(_, Type::Unit) => Operand::Unit,
            operand => operand,
        };
        match (pattern, operand) {
            (Pattern::Wildcard | Pattern::Unit, _) => Ok(()),
            (Pattern::Bind { name, mutable: true, by_reference: false, inner: None }, operand)
                if is_moved(&operand) =>
            {
                self.slice_variable(name, operand)
            }
            (Pattern::Tuple { patterns }, Operand::Tuple(parts)) if patterns.iter().all(takes_value) => {
                patterns.iter().zip(parts).try_for_each(|(pattern, part)| self.bind_all(pattern, part))
            }
            (Pattern::Bind { name, mutable, by_reference: false, inner: None }, operand) => {
                let operand = self.whole(operand, name)?;
                let variable = match operand {
                    Operand::Value(expr, ty) => match self.made_local(&expr) {
                        Some(local) => {
                            self.rename(local, name);
                            Variable::Local(local)
                        }
                        None => Variable::Local(self.temporary(name, ty, Some(expr))),
                    },
                    Operand::Place(place) => {
                        let ty = place.ty.clone();
                        Variable::Local(self.temporary(name, ty, Some(Expr::Read(place))))
                    }
                    Operand::Ref(place) => Variable::Operand(Operand::Ref(self.steady(place))),
                    other => Variable::Operand(other),
                };
                if let Variable::Local(local) = variable {
                    self.locals[local].mutable |= mutable;
                    self.locals[local].made = false;
                }
                self.variables.push((name.clone(), variable));
                Ok(())
            }
            (pattern, operand) => {
                let subject = self.subject(operand);
                self.bind(pattern, &subject, false)
            }
        }
    }

    /// The contents of a variable of this name: a value, if nothing in it refers to another value.
    fn whole(&mut self, operand: Operand, name: &str) -> Lowered<Operand> {
        if Self::holds_reference(&operand) && matches!(operand, Operand::Tuple(_) | Operand::Cases(_)) {
            return self.fixed_operand(operand);
        }
        let (expr, ty) = match operand {
            Operand::Tuple(parts) => self.stored_tuple(parts, name)?,
            Operand::Cases(cases) => self.stored_cases(*cases, name)?,
            other => return Ok(other),
        };
        Ok(Operand::Value(expr, ty))
    }

    /// Gives a variable that has just been made the user's name for it.
    fn rename(&mut self, local: usize, name: &str) {
        let last = &self.out[self.out.len().saturating_sub(2)..];
        let is_simple =
            |statement: &Stmt| matches!(statement, Stmt::Declare(..) | Stmt::Atomic(_) | Stmt::Call { .. });
        let declared = last.iter().any(|statement| matches!(statement, Stmt::Declare(id, _) if *id == local));
        if declared && last.iter().all(is_simple) && self.locals[local].name != identifier(name) {
            self.locals[local].name = self.names.take(name);
        }
    }

    /// The condition under which `pattern` matches; `None` if it always does.
    pub(super) fn test(&mut self, pattern: &Pattern, subject: &Subject) -> Lowered<Option<Expr>> {
        match pattern {
            Pattern::Wildcard | Pattern::Unit | Pattern::Bind { inner: None, .. } => return Ok(None),
            Pattern::Bind { inner: Some(inner), .. } => return self.test(inner, subject),
            Pattern::Or { patterns } => return self.any_of(patterns, subject),
            Pattern::Reference { pattern } => return self.test(pattern, subject),
            Pattern::Fields { name, fields } if is_of_slice(name) => {
                return self.test_slice(fields, name == OPEN_SLICE, subject);
            }
            _ => {}
        }
        let place = match subject {
            Subject::Place { place, .. } => place,
            Subject::Tuple(parts) => {
                let Pattern::Tuple { patterns } = pattern else { return Err(no_tuple_pattern()) };
                return self.test_parts(patterns, parts);
            }
            Subject::Cases { good, then, error, .. } => {
                let Pattern::Fields { name, fields } = pattern else {
                    return Err("an `Option` or a `Result` is matched with its cases".into());
                };
                let is_good = matches!(name.as_str(), "Some" | "Ok");
                let mut test = Some(if is_good { good.clone() } else { good.clone().not() });
                let part = if is_good { Some(then) } else { error.as_ref() };
                if let (Some(part), [field]) = (part, &fields[..]) {
                    test = both(test, self.test(&field.pattern, part)?);
                }
                return Ok(test);
            }
            Subject::Whole(Operand::Exchanged { succeeded, before }) => {
                let mut test = match pattern {
                    Pattern::Fields { name, .. } if name == "Ok" => Some(self.read(*succeeded)),
                    Pattern::Fields { name, .. } if name == "Err" => Some(self.read(*succeeded).not()),
                    _ => {
                        return Err(
                            "the result of `compare_exchange` is `Ok(before)` or `Err(before)`".into()
                        );
                    }
                };
                if let Pattern::Fields { fields, .. } = pattern {
                    let part = Subject::Place { place: self.place_of_local(*before), by_reference: false };
                    for field in fields {
                        test = both(test, self.test(&field.pattern, &part)?);
                    }
                }
                return Ok(test);
            }
            Subject::Whole(Operand::Slice(_) | Operand::View(_)) => {
                return Err("a slice is matched with a pattern of a slice, `[first, .., last]`".into());
            }
            Subject::Whole(operand) => {
                return Err(format!("{} cannot be matched with a pattern", operand.describe()));
            }
        };
        match pattern {
            Pattern::Tuple { patterns } => {
                let parts = self.parts_of_place(subject, patterns.len())?;
                self.test_parts(patterns, &parts)
            }
            Pattern::Literal { literal } => {
                let scalar = self.as_scalar(&place.ty)?;
                let value = Expr::Read(place.clone());
                Ok(Some(match literal {
                    Literal::Bool { value: true } => value,
                    Literal::Bool { value: false } => value.not(),
                    literal => Expr::binary(BinaryOp::Eq, scalar, value, literal_of(literal, scalar)?),
                }))
            }
            Pattern::Constant { witness } => {
                let (_, value) = self.constant_of(*witness)?;
                equals(place, value)
            }
            Pattern::Range { start, end, inclusive } => {
                let below = if *inclusive { BinaryOp::Le } else { BinaryOp::Lt };
                let start = self.bound(start.as_ref(), BinaryOp::Ge, place)?;
                let end = self.bound(end.as_ref(), below, place)?;
                Ok(both(start, end))
            }
            Pattern::Fields { name, fields } => {
                let mut test = match place.ty {
                    Type::Enum(descriptor) => Some(is_variant(place, descriptor, name)?),
                    Type::Option(_) | Type::Result(..) => Some(is_case(place, name)?),
                    // Its value is the error code, or 0.
                    Type::Verdict => {
                        let op = if name == "Ok" { BinaryOp::Eq } else { BinaryOp::Ne };
                        let code = Expr::Read(place.clone());
                        Some(Expr::binary(op, Scalar::U32, code, Expr::Bits(Scalar::U32, 0)))
                    }
                    _ => None,
                };
                for field in fields {
                    let part = self.part(subject, name, &field.name)?;
                    test = both(test, self.test(&field.pattern, &part)?);
                }
                Ok(test)
            }
            _ => Err(format!("{} is not matched with this pattern", describe(&place.ty))),
        }
    }

    fn test_parts(&mut self, patterns: &[Pattern], parts: &[Subject]) -> Lowered<Option<Expr>> {
        let mut test = None;
        for (pattern, part) in patterns.iter().zip(parts) {
            test = both(test, self.test(pattern, part)?);
        }
        Ok(test)
    }

    /// The first parts of a tuple or an array at a place.
    fn parts_of_place(&self, subject: &Subject, count: usize) -> Lowered<Vec<Subject>> {
        (0..count).map(|index| self.part(subject, "", &index.to_string())).collect()
    }

    /// The condition under which one of the alternatives matches.
    fn any_of(&mut self, patterns: &[Pattern], subject: &Subject) -> Lowered<Option<Expr>> {
        let mut any = None;
        for pattern in patterns {
            let Some(test) = self.test(pattern, subject)? else { return Ok(None) };
            any = Some(match any {
                Some(any) => Expr::binary(BinaryOp::Or, Scalar::Bool, any, test),
                None => test,
            });
        }
        Ok(any)
    }

    fn bound(&self, bound: Option<&Bound>, op: BinaryOp, place: &Place) -> Lowered<Option<Expr>> {
        let scalar = self.as_scalar(&place.ty)?;
        let limit = match bound {
            None => return Ok(None),
            Some(Bound::Literal { literal }) => literal_of(literal, scalar)?,
            Some(Bound::Constant { witness }) => match self.constant_of(*witness)?.1 {
                Value::Scalar(bits) => Expr::Bits(scalar, *bits),
                _ => return Err("a range ends at numbers".into()),
            },
        };
        if op == BinaryOp::Ge
            && !scalar.is_signed()
            && matches!(limit, Expr::Bits(_, 0))
            && !scalar.is_float()
        {
            return Ok(None);
        }
        Ok(Some(Expr::binary(op, scalar, Expr::Read(place.clone()), limit)))
    }

    /// A part of a struct, or of the variant that the subject is.
    fn part(&self, subject: &Subject, name: &str, field: &str) -> Lowered<Subject> {
        let Subject::Place { place, by_reference } = subject else {
            return Err("only structs and enums have parts".into());
        };
        let missing = || format!("{} has no field `{field}`", describe(&place.ty));
        let part = match place.ty {
            Type::Tuple(ref parts) => {
                let part = field.parse::<usize>().ok().and_then(|index| parts.get(index)).cloned();
                place.clone().then(Step::Field(field.into()), part.ok_or_else(missing)?)
            }
            // An array's pattern has as many parts as the array, or ends with `..`.
            Type::Array { ref element, .. } => {
                let index = field.parse().map_err(|_| missing())?;
                let element = (**element).clone();
                place.clone().then(Step::Index(Expr::Bits(Scalar::Usize, index)), element)
            }
            Type::Option(_) | Type::Result(..) => case_part(place, name)?,
            Type::Verdict if name == "Ok" => Place { ty: Type::Unit, ..place.clone() },
            Type::Verdict => Place { ty: Type::Failure, ..place.clone() },
            Type::Struct(descriptor) => {
                let TypeKind::Struct(fields) = descriptor.kind else { return Err(missing()) };
                let field = fields.iter().find(|known| known.name == field).ok_or_else(missing)?;
                place.clone().then(Step::Field(field.name.into()), field.ty.into())
            }
            Type::Enum(descriptor) => {
                let (_, variant) = variant_of(descriptor, name)?;
                let field = variant.fields.iter().find(|known| known.name == field).ok_or_else(missing)?;
                let step = Step::Variant { variant: variant.name.into(), field: field.name.into() };
                place.clone().then(step, field.ty.into())
            }
            _ => return Err(missing()),
        };
        if part.ty == Type::Unit {
            return Ok(Subject::Whole(Operand::Unit));
        }
        Ok(Subject::Place { place: part, by_reference: *by_reference })
    }

    /// Makes the variables of a pattern that has matched. With `aliases` they become names of the places
    /// themselves; a guard sees them like this.
    pub(super) fn bind(&mut self, pattern: &Pattern, subject: &Subject, aliases: bool) -> Lowered<()> {
        match pattern {
            Pattern::Bind { name, mutable, by_reference, inner } => {
                let variable = match subject {
                    Subject::Place { place, by_reference: through } if *by_reference || *through => {
                        if let (true, true, Root::Local(local)) = (*by_reference, *mutable, place.root) {
                            self.locals[local].mutable = true;
                        }
                        Variable::Operand(Operand::Ref(place.clone()))
                    }
                    Subject::Place { place, .. } if aliases => {
                        Variable::Operand(Operand::Place(place.clone()))
                    }
                    Subject::Place { place, .. } => {
                        let value = Expr::Read(place.clone());
                        let local = self.temporary(name, place.ty.clone(), Some(value));
                        self.locals[local].mutable = *mutable;
                        self.locals[local].made = false;
                        Variable::Local(local)
                    }
                    Subject::Tuple(_) | Subject::Cases { .. } => {
                        let operand = as_operand(subject);
                        let operand = self.whole(operand, name)?;
                        match operand {
                            Operand::Value(expr, _) if *mutable || self.made_local(&expr).is_some() => {
                                let local = self.made_local(&expr).expect("it was just stored");
                                self.locals[local].mutable = *mutable;
                                self.locals[local].made = false;
                                Variable::Local(local)
                            }
                            operand => Variable::Operand(operand),
                        }
                    }
                    Subject::Whole(operand)
                        if *mutable && !*by_reference && inner.is_none() && is_moved(operand) =>
                    {
                        return self.slice_variable(name, operand.clone());
                    }
                    Subject::Whole(operand) => Variable::Operand(operand.clone()),
                };
                self.variables.push((name.clone(), variable));
                inner.as_ref().map_or(Ok(()), |inner| self.bind(inner, subject, aliases))
            }
            Pattern::Reference { pattern }
                if matches!(subject, Subject::Whole(_))
                    && matches!(&**pattern, Pattern::Fields { name, .. } if is_of_slice(name)) =>
            {
                let Pattern::Fields { fields, .. } = &**pattern else { unreachable!("just asked") };
                self.bind_slice(fields, subject, true, aliases)
            }
            Pattern::Reference { pattern } => {
                let subject = match subject {
                    Subject::Place { place, .. } => {
                        Subject::Place { place: place.clone(), by_reference: false }
                    }
                    whole => whole.clone(),
                };
                self.bind(pattern, &subject, aliases)
            }
            Pattern::Tuple { patterns } => {
                let of_place;
                let parts = match subject {
                    Subject::Tuple(parts) => parts,
                    subject => {
                        of_place = self.parts_of_place(subject, patterns.len())?;
                        &of_place
                    }
                };
                for (pattern, part) in patterns.iter().zip(parts) {
                    if binds(pattern) {
                        let own = self.own(pattern, part, aliases);
                        self.bind(pattern, own.as_ref().unwrap_or(part), aliases)?;
                    }
                }
                Ok(())
            }
            Pattern::Fields { name, fields } if is_of_slice(name) => {
                self.bind_slice(fields, subject, false, aliases)
            }
            Pattern::Fields { name, fields } if matches!(subject, Subject::Cases { .. }) => {
                let Subject::Cases { then, error, .. } = subject else { unreachable!("just asked") };
                let is_good = matches!(name.as_str(), "Some" | "Ok");
                let part = if is_good { Some(then) } else { error.as_ref() };
                match (part, &fields[..]) {
                    (Some(part), [field]) if binds(&field.pattern) => {
                        let own = self.own(&field.pattern, part, aliases);
                        self.bind(&field.pattern, own.as_ref().unwrap_or(part), aliases)
                    }
                    _ => Ok(()),
                }
            }
            Pattern::Fields { name, fields } => {
                if let Subject::Whole(Operand::Exchanged { before, .. }) = subject {
                    let part = Subject::Place { place: self.place_of_local(*before), by_reference: false };
                    return fields.iter().try_for_each(|field| self.bind(&field.pattern, &part, aliases));
                }
                for field in fields {
                    if binds(&field.pattern) {
                        let part = self.part(subject, name, &field.name)?;
                        self.bind(&field.pattern, &part, aliases)?;
                    }
                }
                Ok(())
            }
            Pattern::Or { patterns } if patterns.iter().any(binds) => {
                self.bind_alternatives(patterns, subject)
            }
            _ => Ok(()),
        }
    }

    /// A copy of a part that is a user's variable, if a pattern takes a `ref mut` of it: the tuple or the
    /// `Option` around it would have held a copy.
    fn own(&mut self, pattern: &Pattern, part: &Subject, aliases: bool) -> Option<Subject> {
        let Subject::Place { place, by_reference: false } = part else { return None };
        if aliases || !is_fixed(&self.locals, &Expr::Read(place.clone())) || takes_value(pattern) {
            return None;
        }
        let local = self.temporary("copy", place.ty.clone(), Some(Expr::Read(place.clone())));
        self.locals[local].made = false;
        Some(Subject::Place { place: self.place_of_local(local), by_reference: false })
    }

    /// `matches!(value, pattern)`.
    pub(super) fn matches(&mut self, pattern: &Pattern, value: &Expression) -> Lowered<Operand> {
        let operand = self.operand(value, None)?;
        let subject = self.subject(operand);
        let test = self.test(pattern, &subject)?.unwrap_or(Expr::Bits(Scalar::Bool, 1));
        Ok(Operand::Value(test, Type::Scalar(Scalar::Bool)))
    }
}

/// The matched value, as an operand.
pub(super) fn as_operand(subject: &Subject) -> Operand {
    match subject {
        Subject::Place { place, by_reference: true } => Operand::Ref(place.clone()),
        Subject::Place { place, by_reference: false } => {
            Operand::Value(Expr::Read(place.clone()), place.ty.clone())
        }
        Subject::Tuple(parts) => Operand::Tuple(parts.iter().map(as_operand).collect()),
        Subject::Cases { good, then, error, mutable } => Operand::cases(Cases {
            good: good.clone(),
            then: Box::new(as_operand(then)),
            error: error.as_ref().and_then(|error| match as_operand(error) {
                Operand::Value(expr, ty) => Some((expr, ty)),
                _ => None,
            }),
            mutable: *mutable,
        }),
        Subject::Whole(operand) => operand.clone(),
    }
}

/// Whether a pattern binds no reference by `ref` or `ref mut`.
fn takes_value(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Bind { by_reference, inner, .. } => {
            !by_reference && inner.as_deref().is_none_or(takes_value)
        }
        Pattern::Fields { fields, .. } => fields.iter().all(|field| takes_value(&field.pattern)),
        Pattern::Reference { pattern } => takes_value(pattern),
        Pattern::Or { patterns } | Pattern::Tuple { patterns } => patterns.iter().all(takes_value),
        _ => true,
    }
}

fn no_tuple_pattern() -> String {
    "a tuple is matched with a tuple of patterns".into()
}

/// Whether a pattern binds a variable.
pub(super) fn binds(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Bind { .. } => true,
        Pattern::Fields { fields, .. } => fields.iter().any(|field| binds(&field.pattern)),
        Pattern::Reference { pattern } => binds(pattern),
        Pattern::Or { patterns } | Pattern::Tuple { patterns } => patterns.iter().any(binds),
        _ => false,
    }
}

pub(super) fn both(a: Option<Expr>, b: Option<Expr>) -> Option<Expr> {
    match (a, b) {
        (Some(a), Some(b)) => Some(Expr::binary(BinaryOp::And, Scalar::Bool, a, b)),
        (a, b) => a.or(b),
    }
}

fn is_variant(place: &Place, descriptor: &'static crate::TypeDescriptor, name: &str) -> Lowered<Expr> {
    let (_, variant) = variant_of(descriptor, name)?;
    tag_is(place, descriptor, variant.tag)
}

fn tag_is(place: &Place, descriptor: &'static crate::TypeDescriptor, bits: u64) -> Lowered<Expr> {
    let TypeKind::Enum { tag, .. } = descriptor.kind else {
        return Err(format!("`{}` is no enum", descriptor.name));
    };
    let scalar = tag.into();
    Ok(Expr::binary(BinaryOp::Eq, scalar, Expr::Tag(place.clone()), Expr::Bits(scalar, bits)))
}

/// Whether the value at `place` is this constant.
fn equals(place: &Place, value: &Value) -> Lowered<Option<Expr>> {
    match (&place.ty, value) {
        (Type::Scalar(scalar), Value::Scalar(bits)) => {
            let value = Expr::Bits(*scalar, *bits);
            Ok(Some(Expr::binary(BinaryOp::Eq, *scalar, Expr::Read(place.clone()), value)))
        }
        (Type::Failure, Value::Failure(code)) => {
            Ok(Some(Expr::binary(BinaryOp::Eq, Scalar::U32, Expr::Read(place.clone()), Expr::Code(*code))))
        }
        (Type::Enum(descriptor), Value::Enum { variant, fields }) if fields.is_empty() => {
            let TypeKind::Enum { variants, .. } = descriptor.kind else { return Ok(None) };
            tag_is(place, descriptor, variants[*variant].tag).map(Some)
        }
        (Type::Struct(_), Value::Struct(fields)) if fields.is_empty() => Ok(None),
        (ty, _) => Err(format!(
            "a constant that is {} cannot be a pattern on a device: match its fields",
            describe(ty)
        )),
    }
}
