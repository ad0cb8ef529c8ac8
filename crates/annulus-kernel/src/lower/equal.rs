//! `==` of the language's own composite types: tuples, options, results and arrays.

use annulus_tree::{BinaryOp, Expression};

use super::{
    Lowered, Lowerer, archive,
    cases::{case_part, is_case},
    operand::{Operand, describe},
    program::{Expr, Local, Place, Step, Stmt},
    slice::{View, usize_bits},
};
use crate::{
    ArchivedPart, Derived, FieldDescriptor, Meaning, TypeDescriptor, TypeKind, VariantDescriptor,
    typed::{Scalar, Type},
};

/// The sides of a comparison.
pub(super) enum Compared {
    Values(Vec<(Expr, Type)>),
    /// One of them is a slice.
    Slices([Operand; 2]),
}

fn is_view(operand: &Operand) -> bool {
    matches!(operand, Operand::Slice(_) | Operand::View(_))
}

/// Whether the language compares values of a type, and not a user's function.
pub(super) fn is_compared(ty: &Type) -> bool {
    match ty {
        Type::Unit | Type::Scalar(_) | Type::Failure | Type::Verdict => true,
        Type::Tuple(parts) => parts.iter().all(is_compared),
        Type::Array { element, .. } => is_compared(element),
        Type::Option(value) => is_compared(value),
        Type::Result(value, error) => is_compared(value) && is_compared(error),
        Type::Struct(descriptor) | Type::Enum(descriptor) => {
            matches!(
                descriptor.meaning,
                Meaning::Derived(Derived { eq: true, .. })
                    | Meaning::List
                    | Meaning::Text
                    | Meaning::Wrapping
                    | Meaning::Archived(ArchivedPart::Number)
            ) && fields(descriptor).all(|field| is_compared(&field.ty.into()))
        }
        Type::Ordering => false,
    }
}

/// The fields of a struct, or of all variants of an enum.
pub(super) fn fields(
    descriptor: &'static TypeDescriptor,
) -> Box<dyn Iterator<Item = &'static FieldDescriptor>> {
    match descriptor.kind {
        TypeKind::Struct(fields) => Box::new(fields.iter()),
        TypeKind::Enum { variants, .. } => Box::new(variants.iter().flat_map(|variant| variant.fields)),
        _ => Box::new(std::iter::empty()),
    }
}

/// The fields of two structs.
pub(super) fn parts_of(descriptor: &'static TypeDescriptor, a: &Place, b: &Place) -> Vec<(Place, Place)> {
    let part = |place: &Place, field: &FieldDescriptor| {
        place.clone().then(Step::Field(field.name.into()), field.ty.into())
    };
    fields(descriptor).map(|field| (part(a, field), part(b, field))).collect()
}

/// The fields of two enums that both are this variant.
pub(super) fn parts_of_variant(
    variant: &'static VariantDescriptor,
    a: &Place,
    b: &Place,
) -> Vec<(Place, Place)> {
    let part = |place: &Place, field: &FieldDescriptor| {
        let step = Step::Variant { variant: variant.name.into(), field: field.name.into() };
        place.clone().then(step, field.ty.into())
    };
    variant.fields.iter().map(|field| (part(a, field), part(b, field))).collect()
}

/// Why values of a type cannot be compared, and what to write.
pub(super) fn refusal(ty: &Type) -> String {
    let name = describe(ty);
    match ty {
        Type::Struct(descriptor) | Type::Enum(descriptor)
            if matches!(descriptor.meaning, Meaning::Derived(Derived { eq: true, .. })) =>
        {
            let field = fields(descriptor).find(|field| !is_compared(&field.ty.into()));
            let field = field.map_or("one of them", |field| field.name);
            format!(
                "`==` of {name} asks its field `{field}`, which a device cannot compare: compare the others, or `match`"
            )
        }
        _ if archive::archived(ty).is_some() => {
            format!(
                "a device does not compare {name} as a whole: write `.as_bytes()`, `.as_slice()` or `.as_ref()`"
            )
        }
        Type::Struct(_) | Type::Enum(_) => format!(
            "`==` of {name} may be any function of yours: write `#[device_type]` above its `derive` if that has `PartialEq`, or \
             `#[device_impl]` before its `impl PartialEq`; or compare its fields"
        ),
        _ => format!(
            "a device cannot compare {name}, since what is in it has a `==` of its own: compare the parts, or `match`"
        ),
    }
}

impl Lowerer<'_> {
    /// `left == right` or `left != right` of slices, or of a slice and an array.
    pub(super) fn slice_equality(&mut self, op: BinaryOp, sides: [Operand; 2]) -> Lowered<Operand> {
        let [a, b] = sides;
        let (a, b) = (self.view(a)?, self.view(b)?);
        let same = match super::slice::compared(BinaryOp::Eq, &a.len, &b.len) {
            Ok(known) => Expr::Bits(Scalar::Bool, u64::from(known)),
            Err(unknown) => unknown,
        };
        match self.equal_views(same, &a, &b, false)? {
            Operand::Value(equal, ty) if op == BinaryOp::Ne => Ok(Operand::Value(equal.not(), ty)),
            equal => Ok(equal),
        }
    }

    /// Whether the elements of two slices are equal, provided that `same` says that their lengths are equal.
    pub(super) fn equal_views(
        &mut self,
        same: Expr,
        a: &View,
        b: &View,
        ignore_case: bool,
    ) -> Lowered<Operand> {
        let bool_ = Type::Scalar(Scalar::Bool);
        if !is_compared(a.element()) {
            return Err(refusal(a.element()));
        }
        let known = self.temporary("same", bool_.clone(), Some(same));
        self.locals[known].mutable = true;
        self.locals[known].made = false;
        let place_of_same = self.place_of_local(known);
        let ((), inside) = self.nested(|inner| {
            let (local, body) = inner.nested(|inner| {
                let local = inner.local("i", Type::Scalar(Scalar::Usize));
                let (a, b) =
                    (inner.element_place(a, inner.read(local))?, inner.element_place(b, inner.read(local))?);
                let equal = if ignore_case {
                    let lower = |place| super::ascii::in_case(true, &Expr::Read(place));
                    Expr::binary(BinaryOp::Eq, Scalar::U8, lower(a), lower(b))
                } else {
                    inner.equal(&a, &b)?
                };
                let stop = vec![Stmt::Assign(place_of_same, Expr::Bits(Scalar::Bool, 0)), Stmt::Break];
                inner.out.push(Stmt::If(equal.not(), stop, Vec::new()));
                Ok(local)
            })?;
            inner.out.push(Stmt::For { local, start: usize_bits(0), end: b.len.clone(), body });
            Ok(())
        })?;
        self.out.push(Stmt::If(self.read(known), inside, Vec::new()));
        Ok(Operand::Value(self.read(known), bool_))
    }

    /// The values of what is compared, from left to right: of an `Option` of a reference, with what it refers
    /// to.
    pub(super) fn compared_values(&mut self, sides: [&Expression; 2]) -> Lowered<Compared> {
        let [left, right] = sides;
        let left = self.operand(left, None)?;
        let left = match left {
            Operand::Cases(cases) if matches!(*cases.then, Operand::Ref(_)) => self.copied(*cases)?,
            slice if is_view(&slice) => {
                let right = self.operand(right, None)?;
                return Ok(Compared::Slices([slice, right]));
            }
            operand => operand,
        };
        let mut values = vec![self.value_of(left)?];
        let mark = self.out.len();
        let right = match self.operand(right, None)? {
            Operand::Cases(cases) if matches!(*cases.then, Operand::Ref(_)) => self.copied(*cases)?,
            slice if is_view(&slice) => {
                self.keep(&mut values, mark);
                let (value, ty) = values.swap_remove(0);
                return Ok(Compared::Slices([Operand::Value(value, ty), slice]));
            }
            operand => operand,
        };
        let right = self.value_of(right)?;
        self.keep(&mut values, mark);
        values.push(right);
        Ok(Compared::Values(values))
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

    /// Whether a place holds this value.
    pub(super) fn equal_to(&mut self, place: &Place, value: Expr) -> Lowered<Expr> {
        if let Type::Scalar(scalar) = place.ty {
            return Ok(Expr::binary(BinaryOp::Eq, scalar, Expr::Read(place.clone()), value));
        }
        let value = self.as_place(Operand::Value(value, place.ty.clone()))?;
        self.equal(place, &value)
    }

    pub(super) fn equal(&mut self, a: &Place, b: &Place) -> Lowered<Expr> {
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
            Type::Struct(descriptor) if descriptor.bounded().is_some() => {
                let (a, b) = (self.steady(a.clone()), self.steady(b.clone()));
                let (a, b) = (self.view_of_bounded(&a)?, self.view_of_bounded(&b)?);
                let same = Expr::binary(BinaryOp::Eq, Scalar::Usize, a.len.clone(), b.len.clone());
                match self.equal_views(same, &a, &b, false)? {
                    Operand::Value(equal, _) => Ok(equal),
                    _ => Err("a comparison gives a `bool`: rebuild the program".into()),
                }
            }
            Type::Struct(descriptor) => self.equal_parts(&parts_of(descriptor, a, b)),
            Type::Enum(descriptor) => {
                let TypeKind::Enum { tag, variants } = descriptor.kind else {
                    return Err(format!("{} is no enum", describe(&a.ty)));
                };
                let tag: Scalar = tag.into();
                let mut all = Expr::binary(BinaryOp::Eq, tag, Expr::Tag(a.clone()), Expr::Tag(b.clone()));
                for variant in variants.iter().filter(|variant| !variant.fields.is_empty()) {
                    let parts = parts_of_variant(variant, a, b);
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

    /// Whether everything so far is equal and, in the case that `is` states, these parts are equal, too. They
    /// are read only in that case.
    fn equal_case(&mut self, all: Expr, is: Expr, parts: &[(Place, Place)]) -> Lowered<Expr> {
        let and = |a, b| Expr::binary(BinaryOp::And, Scalar::Bool, a, b);
        // Taken first, so that nested code does not hide it.
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
