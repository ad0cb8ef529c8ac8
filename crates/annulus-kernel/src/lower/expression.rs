//! Expressions: names, literals, fields, structs and arrays.

use annulus_tree::{
    Block, Expression, ExpressionKind, FieldValue, Literal, StatementKind, UnaryOp, WitnessId,
};

use super::{
    Lowered, Lowerer,
    cases::{case_part, has_cases},
    list::is_list_type,
    operand::{Operand, Variable, describe},
    program::{Constant, Expr, Place, Root, Step, Stmt},
};
use crate::{
    TypeKind,
    typed::{Scalar, Type, Value},
};

impl Lowerer<'_> {
    /// The operand of an expression. A variable that has to be made for it is named after `hint`.
    pub(super) fn operand(&mut self, expression: &Expression, hint: Option<&str>) -> Lowered<Operand> {
        if expression.line != 0 {
            self.line = expression.line;
        }
        match &expression.kind {
            ExpressionKind::Literal { literal, witness } => {
                let scalar = match witness {
                    Some(witness) => {
                        let ty = self.type_of(*witness)?;
                        self.as_scalar(&ty)?
                    }
                    None => return Err("a literal has no type: write its suffix, `1u32`".into()),
                };
                Ok(Operand::Value(literal_of(literal, scalar)?, Type::Scalar(scalar)))
            }
            ExpressionKind::Variable { name } => self.variable(name),
            ExpressionKind::Constant { name, witness } => self.constant(name, *witness, hint),
            ExpressionKind::Unary { op: UnaryOp::Deref, operand } => match self.operand(operand, None)? {
                Operand::Ref(place) => Ok(Operand::Place(place)),
                slice @ (Operand::Slice(_) | Operand::Atomics(_) | Operand::View(_)) => Ok(slice),
                // A reference to a reference, or to a value that was copied: the user has no `Deref` for
                // these.
                value @ (Operand::Place(_) | Operand::Value(..) | Operand::Tuple(_) | Operand::Cases(_))
                    if !is_own(&value) =>
                {
                    Ok(value)
                }
                Operand::Place(place) if is_list_type(&place.ty) => {
                    Err("a device takes a list's values as a slice: write `list.as_slice()` instead of `*list`".into())
                }
                Operand::Place(place) => Err(format!(
                    "a second `*` before a {} may be a `Deref` of its own: take the outer reference away in the pattern, `|&x| *x`",
                    describe(&place.ty)
                )),
                other => Err(format!("{} cannot be dereferenced", other.describe())),
            },
            ExpressionKind::Unary { op, operand } => self.unary(op, operand),
            ExpressionKind::Binary { op, left, right } => self.binary(*op, left, right),
            ExpressionKind::Assign { place, value } => self.assign(place, value),
            ExpressionKind::AssignOp { op, place, value } => self.assign_op(*op, place, value),
            ExpressionKind::Cast { operand, witness } => self.cast(operand, *witness),
            ExpressionKind::Field { base, name } => self.field(base, name),
            ExpressionKind::Index { base, index } => self.index(base, index),
            ExpressionKind::Reference { mutable, place } => self.reference(*mutable, place, hint),
            ExpressionKind::Method { receiver, method, arguments, witness } => {
                self.method(receiver, method, arguments, *witness)
            }
            ExpressionKind::Function { ty, function, arguments, witness } => {
                self.function(*ty, function, arguments, *witness)
            }
            ExpressionKind::Call { function, arguments } => {
                self.call(*function, &arguments.iter().collect::<Vec<_>>(), hint)
            }
            ExpressionKind::Own { function, otherwise } => self.perhaps_own(*function, otherwise, hint),
            ExpressionKind::Compare { function, arguments } => self.compare(function, arguments),
            ExpressionKind::Tuple { items } => self.tuple(items),
            ExpressionKind::Try { operand, function } => self.attempt(operand, *function),
            ExpressionKind::Closure { .. } => {
                Err("a closure stands where a method calls it, and is no value: write a function with `#[device_fn]`".into())
            }
            ExpressionKind::Construct { name, fields, base, witness } => {
                self.construct(name, fields, base.as_deref(), *witness, hint)
            }
            ExpressionKind::Array { items, witness } => self.array(items, *witness, hint),
            ExpressionKind::Repeat { item, witness } => self.repeat(item, *witness, hint),
            ExpressionKind::Range { .. } => Err("a range is what a `for` runs over, and no value".into()),
            ExpressionKind::Block { label: Some(label), block } => self.labelled(label, block, hint),
            ExpressionKind::Block { label: None, block } => self.block_value(block, hint),
            ExpressionKind::If { condition, then, otherwise } => {
                self.conditional(condition, then, otherwise.as_deref(), hint)
            }
            ExpressionKind::Let { pattern, value } => self.matches(pattern, value),
            ExpressionKind::Match { value, arms } => self.choice(value, arms, hint),
            ExpressionKind::While { label, condition, body } => {
                self.repeat_while(label.as_ref(), condition, body)
            }
            ExpressionKind::Loop { label, body } => self.repeat_forever(label.as_ref(), body, hint),
            ExpressionKind::For { label, pattern, items, body } => {
                self.repeat_for(label.as_ref(), pattern, items, body)
            }
            ExpressionKind::Break { label, value } => self.leave(label.as_deref(), value.as_deref()),
            ExpressionKind::Continue { label } => self.go_on(label.as_deref()),
            ExpressionKind::Return { value } if self.output.is_some() => {
                let operand = match value {
                    Some(value) => self.operand(value, None)?,
                    None => Operand::Unit,
                };
                self.give(operand)?;
                Ok(Operand::Never)
            }
            ExpressionKind::Return { value } => {
                let verdict = match value {
                    Some(value) => {
                        let operand = self.operand(value, None)?;
                        self.verdict(operand)?
                    }
                    None => Expr::Code(0),
                };
                self.out.push(Stmt::Return(verdict));
                Ok(Operand::Never)
            }
            ExpressionKind::Unit => Ok(Operand::Unit),
            ExpressionKind::Panic => {
                self.out.push(Stmt::Abort(annulus_abi::error::PANICKED));
                Ok(Operand::Never)
            }
            ExpressionKind::Print { number, arguments } => self.print(*number, arguments),
            ExpressionKind::DebugAssert { .. } if !self.checks => Ok(Operand::Unit),
            ExpressionKind::Assert { condition } | ExpressionKind::DebugAssert { condition } => {
                let condition = self.condition(condition)?;
                self.out.push(Stmt::Fail(condition.not(), annulus_abi::error::PANICKED));
                Ok(Operand::Unit)
            }
        }
    }

    /// `&place`, `&mut place`. A value gets a variable, and so does a constant that may be changed.
    fn reference(&mut self, mutable: bool, place: &Expression, hint: Option<&str>) -> Lowered<Operand> {
        let (expr, ty) = match self.operand(place, None)? {
            Operand::Place(place) if mutable && matches!(place.root, Root::Constant(_)) => {
                let ty = place.ty.clone();
                (Expr::Read(place), ty)
            }
            Operand::Place(place) => return Ok(Operand::Ref(self.steady(place))),
            Operand::Value(expr, ty) => (expr, ty),
            Operand::View(view) if mutable => return Ok(Operand::view(self.changeable(*view))),
            same @ (Operand::Slice(_) | Operand::Atomics(_) | Operand::Atomic(_) | Operand::View(_)) => {
                return Ok(same);
            }
            whole @ (Operand::Tuple(_) | Operand::Cases(_)) if !Self::holds_reference(&whole) => {
                self.value_of(whole)?
            }
            other => return Err(format!("a device has no reference to {}", other.describe())),
        };
        let local = self.temporary(hint.unwrap_or("value"), ty, Some(expr));
        self.locals[local].made = false;
        self.locals[local].mutable |= mutable;
        Ok(Operand::Ref(self.place_of_local(local)))
    }

    /// The value of a block: if it ends with a place, the place is read there.
    fn block_value(&mut self, block: &Block, hint: Option<&str>) -> Lowered<Operand> {
        let operand = self.block(block, hint)?;
        if let Operand::Value(..) = operand { Ok(operand) } else { self.taken(operand, hint) }
    }

    /// An operand whose value is taken: a place is read now, and the parts are no longer those of the place.
    pub(super) fn taken(&mut self, operand: Operand, hint: Option<&str>) -> Lowered<Operand> {
        let (expr, ty) = match operand {
            Operand::Place(place) => {
                let ty = place.ty.clone();
                (Expr::Read(place), ty)
            }
            Operand::Value(expr, ty) => (expr, ty),
            other => return Ok(other),
        };
        Ok(match ty {
            Type::Unit => Operand::Unit,
            Type::Scalar(_) | Type::Failure | Type::Verdict | Type::Ordering => Operand::Value(expr, ty),
            _ if self.made_local(&expr).is_some() => Operand::Value(expr, ty),
            ty => {
                let local = self.temporary(hint.unwrap_or("copy"), ty, Some(expr));
                fresh(self.place_of_local(local))
            }
        })
    }

    /// What a handler returns, as an error code.
    pub(super) fn verdict(&mut self, operand: Operand) -> Lowered<Expr> {
        match operand {
            Operand::Unit | Operand::Never => Ok(Expr::Code(0)),
            operand => match self.value_of(operand)? {
                (verdict, Type::Verdict) => Ok(verdict),
                (_, Type::Unit) => Ok(Expr::Code(0)),
                (_, other) => Err(format!(
                    "on a device a handler gives `Result<(), Failure>`, and this is {}",
                    describe(&other)
                )),
            },
        }
    }

    fn variable(&mut self, name: &str) -> Lowered<Operand> {
        match self.variables.iter().rev().find(|(known, _)| known == name) {
            Some((_, Variable::Local(local))) => Ok(Operand::Place(self.place_of_local(*local))),
            // What is read is where the slice is now.
            Some((_, Variable::Operand(Operand::View(view)))) => {
                let (view, ty) = ((**view).clone(), Type::Scalar(Scalar::Usize));
                let start = self.fixed(view.start().clone(), &ty, "start");
                let len = self.fixed(view.len.clone(), &ty, "len");
                Ok(Operand::view(view.with(start, len)))
            }
            Some((_, Variable::Operand(operand))) => Ok(operand.clone()),
            None => Err(format!("`{name}` is not in scope: a macro of yours hides where it comes from")),
        }
    }

    /// A constant: a scalar is written where it is used, a struct or array once for the program.
    fn constant(&mut self, name: &str, witness: WitnessId, hint: Option<&str>) -> Lowered<Operand> {
        let (ty, value) = self.constant_of(witness)?;
        Ok(match value {
            Value::Unit => Operand::Unit,
            Value::Scalar(bits) => Operand::Value(Expr::Bits(self.as_scalar(&ty)?, *bits), ty),
            Value::Failure(code) | Value::Verdict(code) => Operand::Value(Expr::Code(*code), ty),
            Value::Ordering(_) => {
                return Err("an ordering is written where an atomic is used: `Ordering::Relaxed`".into());
            }
            Value::Struct(_) | Value::Array(_) if !has_nan(&ty, value) => {
                let index = self.constant_of_program(name, &ty, value);
                Operand::Place(Place::new(Root::Constant(index), ty))
            }
            // C has no initialiser that keeps a NaN's bits.
            Value::Enum { .. } | Value::Struct(_) | Value::Array(_) => {
                let local = self.temporary(&hint.map_or_else(|| snake_case(&ty), str::to_owned), ty, None);
                let place = self.place_of_local(local);
                self.fill(place.clone(), value)?;
                fresh(place)
            }
        })
    }

    /// The number of a constant in the program; its name is none of the variables' names here.
    fn constant_of_program(&mut self, name: &str, ty: &Type, value: &Value) -> usize {
        for (index, known) in self.module.constants.iter().enumerate() {
            let same = known.ty == *ty && known.value == *value;
            if same && (self.constants.contains(&index) || self.names.take_free(&known.name)) {
                self.constants.insert(index);
                return index;
            }
        }
        let name = loop {
            let name = self.names.take_at(1, name);
            if !self.module.constants.iter().any(|known| known.name == name) {
                break name;
            }
        };
        self.module.constants.push(Constant { name, ty: ty.clone(), value: value.clone() });
        let index = self.module.constants.len() - 1;
        self.constants.insert(index);
        index
    }

    /// Writes a constant into a place, part by part.
    fn fill(&mut self, place: Place, value: &Value) -> Lowered<()> {
        match (&place.ty, value) {
            (Type::Scalar(scalar), Value::Scalar(bits)) => {
                let expr = Expr::Bits(*scalar, *bits);
                self.out.push(Stmt::Assign(place, expr));
            }
            (Type::Struct(descriptor), Value::Struct(values)) => {
                let TypeKind::Struct(fields) = descriptor.kind else { return Err(no_fields(&place.ty)) };
                for (field, value) in fields.iter().zip(values) {
                    let part = place.clone().then(Step::Field(field.name.into()), field.ty.into());
                    self.fill(part, value)?;
                }
            }
            (Type::Enum(descriptor), Value::Enum { variant, fields }) => {
                let TypeKind::Enum { variants, .. } = descriptor.kind else {
                    return Err(no_fields(&place.ty));
                };
                self.out.push(Stmt::SetTag(place.clone(), *variant));
                let variant = &variants[*variant];
                for (field, value) in variant.fields.iter().zip(fields) {
                    let step = Step::Variant { variant: variant.name.into(), field: field.name.into() };
                    self.fill(place.clone().then(step, field.ty.into()), value)?;
                }
            }
            (Type::Failure, Value::Failure(code)) | (Type::Verdict, Value::Verdict(code)) => {
                let expr = Expr::Code(*code);
                self.out.push(Stmt::Assign(place, expr));
            }
            (Type::Unit, _) => {}
            (Type::Tuple(parts), Value::Struct(values)) => {
                for (index, (ty, value)) in parts.clone().into_iter().zip(values).enumerate() {
                    self.fill(place.clone().then(Step::Field(index.to_string()), ty), value)?;
                }
            }
            (Type::Option(_) | Type::Result(..), Value::Enum { variant, fields }) => {
                let name = match (&place.ty, variant) {
                    (Type::Option(_), 0) => "None",
                    (Type::Option(_), _) => "Some",
                    (_, 0) => "Ok",
                    _ => "Err",
                };
                self.out.push(Stmt::SetTag(place.clone(), *variant));
                if let [value] = &fields[..] {
                    self.fill(case_part(&place, name)?, value)?;
                }
            }
            (Type::Array { element, .. }, Value::Array(values)) => {
                for (index, value) in values.iter().enumerate() {
                    let step = Step::Index(Expr::Bits(Scalar::Usize, index as u64));
                    self.fill(place.clone().then(step, (**element).clone()), value)?;
                }
            }
            _ => return Err("a constant's value is not of its type: rebuild the program".into()),
        }
        Ok(())
    }

    /// `Name { field: value, ..base }`, in a variable of its own.
    fn construct(
        &mut self,
        name: &str,
        fields: &[FieldValue],
        base: Option<&Expression>,
        witness: WitnessId,
        hint: Option<&str>,
    ) -> Lowered<Operand> {
        let ty = self.type_of(witness)?;
        if has_cases(&ty) {
            return self.case(name, fields, ty, hint);
        }
        let mut values = self.values(fields.iter().map(|field| &field.value))?;
        let mark = self.out.len();
        let base = match base {
            Some(base) => {
                let base = self.value(base)?.0;
                self.keep(&mut values, mark);
                Some(base)
            }
            None => None,
        };
        let local = self.temporary(&hint.map_or_else(|| snake_case(&ty), str::to_owned), ty.clone(), base);
        let place = self.place_of_local(local);
        let (variant, members) = match &ty {
            Type::Struct(descriptor) => match descriptor.kind {
                TypeKind::Struct(members) => (None, members),
                _ => return Err(no_fields(&ty)),
            },
            Type::Enum(descriptor) => {
                let (index, variant) = variant_of(descriptor, name)?;
                self.out.push(Stmt::SetTag(place.clone(), index));
                (Some(variant.name), variant.fields)
            }
            other => return Err(format!("`{name}` makes {}, which a device does not know", describe(other))),
        };
        for (field, (value, _)) in fields.iter().zip(values) {
            let member = members.iter().find(|member| member.name == field.name);
            let member = member.ok_or_else(|| format!("`{name}` has no field `{}`", field.name))?;
            let step = match variant {
                Some(variant) => Step::Variant { variant: variant.into(), field: member.name.into() },
                None => Step::Field(member.name.into()),
            };
            self.out.push(Stmt::Assign(place.clone().then(step, member.ty.into()), value));
        }
        Ok(fresh(place))
    }

    fn array(&mut self, items: &[Expression], witness: WitnessId, hint: Option<&str>) -> Lowered<Operand> {
        let ty = self.type_of(witness)?;
        let values = self.values(items)?;
        let local = self.temporary(hint.unwrap_or("items"), ty.clone(), None);
        let Type::Array { element, .. } = ty else { return Err(no_fields(&ty)) };
        let place = self.place_of_local(local);
        for (index, (value, _)) in values.into_iter().enumerate() {
            let step = Step::Index(Expr::Bits(Scalar::Usize, index as u64));
            self.out.push(Stmt::Assign(place.clone().then(step, (*element).clone()), value));
        }
        Ok(fresh(place))
    }

    fn repeat(&mut self, item: &Expression, witness: WitnessId, hint: Option<&str>) -> Lowered<Operand> {
        let ty = self.type_of(witness)?;
        let (value, value_ty) = self.value(item)?;
        let value = self.simple(value, &value_ty, "item");
        let local = self.temporary(hint.unwrap_or("items"), ty.clone(), None);
        let Type::Array { element, len } = ty else { return Err(no_fields(&ty)) };
        let place = self.place_of_local(local);
        let (at, body) = self.nested(|inner| {
            let at = inner.local("i", Type::Scalar(Scalar::Usize));
            let step = Step::Index(inner.read(at));
            inner.out.push(Stmt::Assign(place.clone().then(step, *element), value));
            Ok(at)
        })?;
        let bits = |bits| Expr::Bits(Scalar::Usize, bits);
        self.out.push(Stmt::For { local: at, start: bits(0), end: bits(len as u64), body });
        Ok(fresh(place))
    }

    /// A block: its statements, and the operand of its last expression.
    pub(super) fn block(&mut self, block: &Block, hint: Option<&str>) -> Lowered<Operand> {
        let known = self.variables.len();
        let mut ends = false;
        for statement in &block.statements {
            self.at(statement.line);
            ends |= match &statement.kind {
                StatementKind::Let { pattern, value, otherwise } => {
                    self.binding(pattern, value, otherwise.as_ref())?
                }
                StatementKind::Declare { name, ty } => {
                    let variable = match self.type_of(*ty)? {
                        Type::Unit => Variable::Operand(Operand::Unit),
                        ty => {
                            let local = self.temporary(name, ty, None);
                            self.locals[local].mutable = true;
                            self.locals[local].made = false;
                            Variable::Local(local)
                        }
                    };
                    self.variables.push((name.clone(), variable));
                    false
                }
                StatementKind::Expression { expression } => {
                    matches!(self.operand(expression, None)?, Operand::Never)
                }
            };
        }
        let value = match &block.value {
            Some(value) => {
                self.at(value.line);
                self.operand(value, hint)?
            }
            None => Operand::Unit,
        };
        self.variables.truncate(known);
        Ok(if ends { Operand::Never } else { value })
    }
}

/// Whether an operand has a user's type, which may have a `Deref`.
fn is_own(operand: &Operand) -> bool {
    match operand {
        Operand::Place(place) => matches!(place.ty, Type::Struct(_) | Type::Enum(_)),
        Operand::Value(_, ty) => matches!(ty, Type::Struct(_) | Type::Enum(_)),
        _ => false,
    }
}

/// Whether a constant contains a NaN; its bits must be kept.
fn has_nan(ty: &Type, value: &Value) -> bool {
    match (ty, value) {
        (Type::Scalar(Scalar::F32), Value::Scalar(bits)) => f32::from_bits(*bits as u32).is_nan(),
        (Type::Scalar(Scalar::F64), Value::Scalar(bits)) => f64::from_bits(*bits).is_nan(),
        (Type::Array { element, .. }, Value::Array(values)) => {
            values.iter().any(|value| has_nan(element, value))
        }
        (Type::Tuple(parts), Value::Struct(values)) => {
            parts.iter().zip(values).any(|(part, value)| has_nan(part, value))
        }
        (Type::Option(value_ty), Value::Enum { fields, .. }) => {
            fields.iter().any(|value| has_nan(value_ty, value))
        }
        (Type::Result(ok, error), Value::Enum { variant, fields }) => {
            fields.iter().any(|value| has_nan(if *variant == 0 { ok } else { error }, value))
        }
        (Type::Struct(descriptor), Value::Struct(values)) => match descriptor.kind {
            TypeKind::Struct(fields) => {
                fields.iter().zip(values).any(|(field, value)| has_nan(&field.ty.into(), value))
            }
            _ => false,
        },
        (Type::Enum(descriptor), Value::Enum { variant, fields }) => match descriptor.kind {
            TypeKind::Enum { variants, .. } => variants[*variant]
                .fields
                .iter()
                .zip(fields)
                .any(|(field, value)| has_nan(&field.ty.into(), value)),
            _ => false,
        },
        _ => false,
    }
}

/// A variable's name for a value of this type.
fn snake_case(ty: &Type) -> String {
    let (Type::Struct(descriptor) | Type::Enum(descriptor)) = ty else { return "value".to_owned() };
    let mut name = String::new();
    for c in descriptor.name.chars() {
        if c.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.extend(c.to_lowercase());
    }
    name
}

/// The value of a variable that was made for it.
fn fresh(place: Place) -> Operand {
    let ty = place.ty.clone();
    Operand::Value(Expr::Read(place), ty)
}

fn no_fields(ty: &Type) -> String {
    format!("{} has no parts: rebuild the program", describe(ty))
}

/// The variant of this name.
pub(super) fn variant_of(
    descriptor: &'static crate::TypeDescriptor,
    name: &str,
) -> Lowered<(usize, &'static crate::VariantDescriptor)> {
    let TypeKind::Enum { variants, .. } = descriptor.kind else {
        return Err(format!("`{}` is no enum", descriptor.name));
    };
    let found = variants.iter().enumerate().find(|(_, variant)| variant.name == name);
    found.ok_or_else(|| {
        format!("`{}` has no variant `{name}`: write the variant's own name, not an alias", descriptor.name)
    })
}

/// A literal as a scalar of this type.
pub(super) fn literal_of(literal: &Literal, scalar: Scalar) -> Lowered<Expr> {
    let mask = if scalar.bits() == 64 { u64::MAX } else { (1 << scalar.bits()) - 1 };
    let bits = match literal {
        Literal::Bool { value } => u64::from(*value),
        Literal::Integer { negative, magnitude } if scalar.is_integer() => {
            let most = match (scalar.is_signed(), negative) {
                (false, false) => mask,
                (false, true) => 0,
                (true, false) => mask >> 1,
                (true, true) => (mask >> 1) + 1,
            };
            if *magnitude > most {
                let sign = if *negative { "-" } else { "" };
                return Err(format!(
                    "`{sign}{magnitude}` is no `{}`: write the type that it has",
                    scalar.name()
                ));
            }
            if *negative { magnitude.wrapping_neg() & mask } else { *magnitude }
        }
        Literal::Integer { negative, magnitude } => {
            let sign = if *negative { "-" } else { "" };
            float_bits(&format!("{sign}{magnitude}"), scalar)?
        }
        Literal::Float { text } => float_bits(text, scalar)?,
    };
    Ok(Expr::Bits(scalar, bits))
}

fn float_bits(text: &str, scalar: Scalar) -> Lowered<u64> {
    let malformed = |_| format!("`{text}` is no `{}`", scalar.name());
    match scalar {
        Scalar::F32 => text.parse::<f32>().map(|value| value.to_bits().into()).map_err(malformed),
        Scalar::F64 => text.parse::<f64>().map(f64::to_bits).map_err(malformed),
        _ => Err(format!("`{text}` is no `{}`", scalar.name())),
    }
}
