//! `==` of what the language itself puts together: tuples, options, results and arrays.

use annulus_tree::{BinaryOp, Expression};

use super::{
    Lowered, Lowerer,
    cases::{case_part, is_case},
    operand::{Operand, describe},
    program::{Expr, Local, Place, Step, Stmt},
    slice::usize_bits,
};
use crate::{
    FieldDescriptor, Meaning, TypeDescriptor, TypeKind,
    typed::{Scalar, Type},
};

/// Whether values of a type are compared by the language, and not by a function of the user's.
pub(super) fn is_compared(ty: &Type) -> bool {
    match ty {
        Type::Unit | Type::Scalar(_) | Type::Failure | Type::Verdict => true,
        Type::Tuple(parts) => parts.iter().all(is_compared),
        Type::Array { element, .. } => is_compared(element),
        Type::Option(value) => is_compared(value),
        Type::Result(value, error) => is_compared(value) && is_compared(error),
        Type::Struct(descriptor) | Type::Enum(descriptor) => {
            descriptor.meaning == Meaning::EqualParts
                && fields(descriptor).all(|field| is_compared(&field.ty.into()))
        }
        Type::Ordering => false,
    }
}

/// The fields of a struct, or of all variants of an enum.
fn fields(descriptor: &'static TypeDescriptor) -> Box<dyn Iterator<Item = &'static FieldDescriptor>> {
    match descriptor.kind {
        TypeKind::Struct(fields) => Box::new(fields.iter()),
        TypeKind::Enum { variants, .. } => Box::new(variants.iter().flat_map(|variant| variant.fields)),
        _ => Box::new(std::iter::empty()),
    }
}

/// Why values of a type cannot be compared, and what to write.
pub(super) fn refusal(ty: &Type) -> String {
    let name = describe(ty);
    match ty {
        Type::Struct(descriptor) | Type::Enum(descriptor) if descriptor.meaning == Meaning::EqualParts => {
            let field = fields(descriptor).find(|field| !is_compared(&field.ty.into()));
            let field = field.map_or("one of them", |field| field.name);
            format!(
                "`==` of {name} asks its field `{field}`, which a device cannot compare: compare the others, or `match`"
            )
        }
        Type::Struct(descriptor) | Type::Enum(descriptor)
            if matches!(descriptor.meaning, Meaning::List | Meaning::Text) =>
        {
            format!("`==` of {name} is the host's: compare the lengths, and the items in a loop")
        }
        Type::Struct(_) | Type::Enum(_) => format!(
            "`==` of {name} may be any function of yours: write `#[device(eq)]` before its definition and take `PartialEq` out of its \
             `derive`, compare its fields, or `match`"
        ),
        _ => format!(
            "a device cannot compare {name}, since what is in it has a `==` of its own: compare the parts, or `match`"
        ),
    }
}

impl Lowerer<'_> {
    /// The values of what is compared, from left to right: of an `Option` of a reference, with what it refers to.
    pub(super) fn compared_values<'e>(
        &mut self,
        expressions: impl IntoIterator<Item = &'e Expression>,
    ) -> Lowered<Vec<(Expr, Type)>> {
        self.values_by(expressions, |lowerer, expression| {
            let operand = match lowerer.operand(expression, None)? {
                Operand::Cases(cases) if matches!(*cases.then, Operand::Ref(_)) => lowerer.copied(*cases)?,
                operand => operand,
            };
            lowerer.value_of(operand)
        })
    }

    /// `left == right`, or `!=`.
    pub(super) fn equality(
        &mut self,
        op: BinaryOp,
        left: (Expr, Type),
        right: (Expr, Type),
    ) -> Lowered<Operand> {
        let mut places = Vec::new();
        for (expr, ty) in [left, right] {
            places.push(self.as_place(Operand::Value(expr, ty))?);
        }
        let equal = self.equal(&places[0], &places[1])?;
        let result = if op == BinaryOp::Eq { equal } else { equal.not() };
        Ok(Operand::Value(result, Type::Scalar(Scalar::Bool)))
    }

    fn equal(&mut self, a: &Place, b: &Place) -> Lowered<Expr> {
        let part = |place: &Place, name: String, ty: &Type| place.clone().then(Step::Field(name), ty.clone());
        let and = |a, b| Expr::binary(BinaryOp::And, Scalar::Bool, a, b);
        match &a.ty {
            Type::Unit => Ok(Expr::Bits(Scalar::Bool, 1)),
            Type::Scalar(scalar) => {
                Ok(Expr::binary(BinaryOp::Eq, *scalar, Expr::Read(a.clone()), Expr::Read(b.clone())))
            }
            Type::Failure | Type::Verdict => {
                Ok(Expr::binary(BinaryOp::Eq, Scalar::U32, Expr::Read(a.clone()), Expr::Read(b.clone())))
            }
            Type::Tuple(parts) => {
                let mut all: Option<Expr> = None;
                for (index, ty) in parts.iter().enumerate() {
                    let name = index.to_string();
                    let equal = self.equal(&part(a, name.clone(), ty), &part(b, name, ty))?;
                    all = Some(all.map_or(equal.clone(), |all| and(all, equal)));
                }
                Ok(all.unwrap_or(Expr::Bits(Scalar::Bool, 1)))
            }
            Type::Array { element, len } => self.equal_arrays(a, b, element, *len),
            Type::Option(_) | Type::Result(..) => {
                let cases: &[&str] = if let Type::Option(_) = a.ty { &["Some"] } else { &["Ok", "Err"] };
                let tags = Expr::binary(BinaryOp::Eq, Scalar::U8, Expr::Tag(a.clone()), Expr::Tag(b.clone()));
                let mut all = tags;
                for case in cases {
                    let (a_part, b_part) = (case_part(a, case)?, case_part(b, case)?);
                    if a_part.ty != Type::Unit {
                        all = self.equal_case(all, is_case(a, case)?, &[(a_part, b_part)])?;
                    }
                }
                Ok(all)
            }
            Type::Struct(descriptor) => {
                let parts: Vec<_> = fields(descriptor)
                    .map(|field| {
                        let part = |place| part(place, field.name.into(), &field.ty.into());
                        (part(a), part(b))
                    })
                    .collect();
                self.equal_parts(&parts)
            }
            Type::Enum(descriptor) => {
                let TypeKind::Enum { tag, variants } = descriptor.kind else {
                    return Err(format!("{} is no enum", describe(&a.ty)));
                };
                let tag: Scalar = tag.into();
                let mut all = Expr::binary(BinaryOp::Eq, tag, Expr::Tag(a.clone()), Expr::Tag(b.clone()));
                for variant in variants.iter().filter(|variant| !variant.fields.is_empty()) {
                    let parts: Vec<_> = variant
                        .fields
                        .iter()
                        .map(|field| {
                            let part = |place: &Place| {
                                let (variant, field_name) = (variant.name.into(), field.name.into());
                                let step = Step::Variant { variant, field: field_name };
                                place.clone().then(step, field.ty.into())
                            };
                            (part(a), part(b))
                        })
                        .collect();
                    let is =
                        Expr::binary(BinaryOp::Eq, tag, Expr::Tag(a.clone()), Expr::Bits(tag, variant.tag));
                    all = self.equal_case(all, is, &parts)?;
                }
                Ok(all)
            }
            other => Err(format!("`==` of {} is a function of yours", describe(other))),
        }
    }

    fn equal_parts(&mut self, parts: &[(Place, Place)]) -> Lowered<Expr> {
        let mut all: Option<Expr> = None;
        for (a, b) in parts {
            let equal = self.equal(a, b)?;
            all = Some(match all {
                Some(all) => Expr::binary(BinaryOp::And, Scalar::Bool, all, equal),
                None => equal,
            });
        }
        Ok(all.unwrap_or(Expr::Bits(Scalar::Bool, 1)))
    }

    /// Whether all is equal, and in the case that `is` says these parts too. They are read only in that case.
    fn equal_case(&mut self, all: Expr, is: Expr, parts: &[(Place, Place)]) -> Lowered<Expr> {
        let and = |a, b| Expr::binary(BinaryOp::And, Scalar::Bool, a, b);
        // Taken first, so that what is nested does not hide it.
        let name = self.names.take("same");
        let (equal, mut statements) = self.nested(|inner| inner.equal_parts(parts))?;
        if statements.is_empty() {
            self.names.give_back(&name);
            return Ok(and(all, Expr::binary(BinaryOp::Or, Scalar::Bool, is.not(), equal)));
        }
        self.locals.push(Local::new(name, Type::Scalar(Scalar::Bool), true, false));
        let same = self.locals.len() - 1;
        self.out.push(Stmt::Declare(same, Some(all)));
        statements.push(Stmt::Assign(self.place_of_local(same), equal));
        let asked = and(self.read(same), is);
        self.out.push(Stmt::If(asked, statements, Vec::new()));
        Ok(self.read(same))
    }

    fn equal_arrays(&mut self, a: &Place, b: &Place, element: &Type, len: usize) -> Lowered<Expr> {
        let bool_ = Type::Scalar(Scalar::Bool);
        let (a, b) = (self.steady(a.clone()), self.steady(b.clone()));
        let same = self.temporary("same", bool_, Some(Expr::Bits(Scalar::Bool, 1)));
        self.locals[same].mutable = true;
        self.locals[same].made = false;
        let place_of_same = self.place_of_local(same);
        let (local, body) = self.nested(|inner| {
            let local = inner.local("i", Type::Scalar(Scalar::Usize));
            let at = |place: &Place| place.clone().then(Step::Index(inner.read(local)), element.clone());
            let (a, b) = (at(&a), at(&b));
            let differ = inner.equal(&a, &b)?.not();
            let stop = vec![Stmt::Assign(place_of_same, Expr::Bits(Scalar::Bool, 0)), Stmt::Break];
            inner.out.push(Stmt::If(differ, stop, Vec::new()));
            Ok(local)
        })?;
        self.out.push(Stmt::For { local, start: usize_bits(0), end: usize_bits(len as u64), body });
        Ok(self.read(same))
    }
}
