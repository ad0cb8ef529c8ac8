//! `<`, `cmp`, `max` and similar operations on the language's own composite types, and on types that derive
//! their order.

use std::cmp::Ordering;

use annulus_abi::error;
use annulus_tree::{BinaryOp, Expression};

use super::{
    Lowered, Lowerer,
    cases::{Cases, case_part, is_case},
    equal::{fields, parts_of, parts_of_variant},
    operand::{Operand, describe},
    program::{Expr, LocalId, Place, Step, Stmt},
    slice::{View, usize_bits},
    types::takes_no_place,
};
use crate::{
    ArchivedPart, Derived, DeviceType, Meaning, PlainMethods, TypeDescriptor, TypeKind,
    typed::{Scalar, Type},
};

/// The result of a comparison is -1, 0 or 1, as in `Ordering`; it is this number if the values are not
/// ordered.
const UNORDERED: u64 = 2;
const LESS: u64 = 0xFF;
const EQUAL: u64 = 0;
const GREATER: u64 = 1;

const ORDER: Scalar = Scalar::I8;
const ORDERING: &TypeDescriptor = <Ordering as DeviceType>::DESCRIPTOR;

/// Methods of `Ord` and `PartialOrd`, with how many arguments they have.
const METHODS: &[(&str, usize)] = &[("clamp", 2), ("cmp", 1), ("max", 1), ("min", 1), ("partial_cmp", 1)];

fn derived(descriptor: &TypeDescriptor) -> Option<Derived> {
    match descriptor.meaning {
        Meaning::Derived(derived) => Some(derived),
        // These are ordered like their parts; a list by its items, without the room after them.
        Meaning::List | Meaning::Text | Meaning::Wrapping | Meaning::Archived(ArchivedPart::Number) => {
            let methods = PlainMethods(|| true);
            Some(Derived { eq: true, partial_ord: true, ord: true, methods })
        }
        Meaning::Parts | Meaning::Archived(_) => None,
    }
}

/// Whether the language orders values of a type, and not a user's function: by `Ord` if `total`, otherwise by
/// `PartialOrd`.
pub(super) fn is_ordered(ty: &Type, total: bool) -> bool {
    match ty {
        Type::Unit => true,
        Type::Scalar(scalar) => !(total && scalar.is_float()),
        Type::Tuple(parts) => parts.iter().all(|part| is_ordered(part, total)),
        Type::Array { element, .. } => is_ordered(element, total),
        Type::Option(value) => is_ordered(value, total),
        Type::Result(value, error) => is_ordered(value, total) && is_ordered(error, total),
        Type::Struct(descriptor) | Type::Enum(descriptor) => {
            derived(descriptor).is_some_and(|derived| if total { derived.ord } else { derived.partial_ord })
                && fields(descriptor).all(|field| is_ordered(&field.ty.into(), total))
        }
        Type::Failure | Type::Verdict | Type::Ordering => false,
    }
}

/// Why values of a type have no order, and what to write.
pub(super) fn refusal(ty: &Type, what: &str, total: bool) -> String {
    let name = describe(ty);
    let of = if total { "Ord" } else { "PartialOrd" };
    match ty {
        Type::Struct(descriptor) | Type::Enum(descriptor) => {
            let derives = derived(descriptor)
                .is_some_and(|derived| if total { derived.ord } else { derived.partial_ord });
            let field = fields(descriptor).find(|field| !is_ordered(&field.ty.into(), total));
            match field {
                Some(field) if derives => format!(
                    "`{what}` of {name} asks its field `{}`, which a device cannot order: compare the others",
                    field.name
                ),
                _ => format!(
                    "`{what}` of {name} may be any function of yours: write `#[device_type]` above its `derive` if that has `{of}`, or \
                     `#[device_impl]` before its `impl {of}`; or compare its fields"
                ),
            }
        }
        _ => format!("a device has no order of {name}: compare what is in it"),
    }
}

/// Why a method that compares by `Ord` cannot compare these values, and what to write.
pub(super) fn not_derived(ty: &Type, method: &str) -> String {
    let name = describe(ty);
    let by = match method {
        "min" | "min_by_key" => "`min_by(|a, b| a.cmp(b))`",
        "max" | "max_by_key" => "`max_by(|a, b| a.cmp(b))`",
        "sort" | "sort_by_key" => "`sort_by(|a, b| a.cmp(b))`",
        _ => "a loop",
    };
    format!(
        "`{method}` of {name} asks for an order that is derived: write `#[device_type]` above its `derive`, or {by}"
    )
}

/// Whether this is a comparison method whose receiver is not a number.
pub(super) fn is_comparing(operand: &Operand, method: &str, arguments: &[Expression]) -> bool {
    if !METHODS.contains(&(method, arguments.len())) {
        return false;
    }
    match operand {
        Operand::Place(place) | Operand::Ref(place) => is_whole(&place.ty, method),
        Operand::Value(_, ty) => is_whole(ty, method),
        Operand::Tuple(_) | Operand::Cases(_) | Operand::Unit => true,
        _ => false,
    }
}

fn is_whole(ty: &Type, method: &str) -> bool {
    match ty {
        Type::Scalar(_) => matches!(method, "cmp" | "partial_cmp"),
        _ => true,
    }
}

/// The `Ordering` that a method is called on.
pub(super) fn is_ordering(operand: &Operand) -> bool {
    match operand {
        Operand::Place(place) | Operand::Ref(place) => place.ty == Type::Enum(ORDERING),
        Operand::Value(_, ty) => *ty == Type::Enum(ORDERING),
        _ => false,
    }
}

fn bits(order: u64) -> Expr {
    Expr::Bits(ORDER, order)
}

fn is(order: Expr, wanted: u64) -> Expr {
    Expr::binary(BinaryOp::Eq, ORDER, order, bits(wanted))
}

/// Whether an order is "less", "greater" and so on. Values that are not ordered are none of these.
fn holds_of(order: &Expr, op: BinaryOp) -> Expr {
    let compared = |op| Expr::binary(op, ORDER, order.clone(), bits(EQUAL));
    match op {
        BinaryOp::Lt => compared(BinaryOp::Lt),
        BinaryOp::Le => compared(BinaryOp::Le),
        BinaryOp::Gt => is(order.clone(), GREATER),
        _ => Expr::binary(BinaryOp::Or, Scalar::Bool, is(order.clone(), EQUAL), is(order.clone(), GREATER)),
    }
}

/// Whether an `Ordering` is "less", "greater" and so on.
pub(super) fn holds(ordering: &Place, op: BinaryOp) -> Expr {
    Expr::binary(op, ORDER, Expr::Tag(ordering.clone()), bits(EQUAL))
}

/// The order of two numbers.
fn order_of_numbers(scalar: Scalar, a: Expr, b: Expr) -> Expr {
    let select =
        |condition, then, otherwise| Expr::Select(Box::new(condition), Box::new(then), Box::new(otherwise));
    let compared = |op| Expr::binary(op, scalar, a.clone(), b.clone());
    let rest = if scalar.is_float() {
        let equal = select(compared(BinaryOp::Eq), bits(EQUAL), bits(UNORDERED));
        select(compared(BinaryOp::Gt), bits(GREATER), equal)
    } else {
        select(compared(BinaryOp::Gt), bits(GREATER), bits(EQUAL))
    };
    select(compared(BinaryOp::Lt), bits(LESS), rest)
}

impl Lowerer<'_> {
    /// How a place compares with this value.
    pub(super) fn before_value(&mut self, place: &Place, value: Expr, op: BinaryOp) -> Lowered<Expr> {
        if let Type::Scalar(scalar) = place.ty {
            return Ok(Expr::binary(op, scalar, Expr::Read(place.clone()), value));
        }
        let value = self.as_place(Operand::Value(value, place.ty.clone()))?;
        self.before(place, &value, op)
    }

    /// `a < b` and its kin.
    pub(super) fn before(&mut self, a: &Place, b: &Place, op: BinaryOp) -> Lowered<Expr> {
        if is_tuple_of_numbers(&a.ty) {
            return self.tuple_before(a, b, op);
        }
        let order = self.order(a, b)?;
        Ok(holds_of(&order, op))
    }

    /// Whether a tuple comes before another (or is equal, if `or_equal` says so), part by part.
    fn tuple_before(&mut self, a: &Place, b: &Place, op: BinaryOp) -> Lowered<Expr> {
        let Type::Tuple(parts) = &a.ty else {
            let scalar = self.as_scalar(&a.ty)?;
            return Ok(Expr::binary(op, scalar, Expr::Read(a.clone()), Expr::Read(b.clone())));
        };
        let strict = match op {
            BinaryOp::Le => BinaryOp::Lt,
            BinaryOp::Ge => BinaryOp::Gt,
            other => other,
        };
        let part = |place: &Place, index: usize, ty: &Type| {
            place.clone().then(Step::Field(index.to_string()), ty.clone())
        };
        let mut result: Option<Expr> = None;
        for (index, ty) in parts.iter().enumerate().rev() {
            let (a, b) = (part(a, index, ty), part(b, index, ty));
            result = Some(match result {
                None => self.tuple_before(&a, &b, op)?,
                Some(rest) => {
                    let first = self.tuple_before(&a, &b, strict)?;
                    let equal = self.equal(&a, &b)?;
                    let rest = Expr::binary(BinaryOp::And, Scalar::Bool, equal, rest);
                    Expr::binary(BinaryOp::Or, Scalar::Bool, first, rest)
                }
            });
        }
        result.ok_or_else(|| "a tuple has parts".to_owned())
    }

    /// The order of two values, in a variable.
    fn order(&mut self, a: &Place, b: &Place) -> Lowered<Expr> {
        let order = self.temporary("order", Type::Scalar(ORDER), Some(bits(EQUAL)));
        self.locals[order].mutable = true;
        self.locals[order].made = false;
        self.order_into(order, a, b)?;
        Ok(self.read(order))
    }

    /// Sets a variable, which says "equal", to the order of two values.
    fn order_into(&mut self, order: LocalId, a: &Place, b: &Place) -> Lowered<()> {
        if takes_no_place(&a.ty) {
            return Ok(());
        }
        match &a.ty {
            Type::Scalar(scalar) => {
                let (a, b) = (Expr::Read(a.clone()), Expr::Read(b.clone()));
                self.out.push(Stmt::Assign(self.place_of_local(order), order_of_numbers(*scalar, a, b)));
                Ok(())
            }
            Type::Tuple(parts) => {
                let part = |place: &Place, index: usize, ty: &Type| {
                    place.clone().then(Step::Field(index.to_string()), ty.clone())
                };
                let parts: Vec<_> = parts
                    .iter()
                    .enumerate()
                    .map(|(index, ty)| (part(a, index, ty), part(b, index, ty)))
                    .collect();
                self.order_parts(order, &parts)
            }
            Type::Array { element, len } => self.order_arrays(order, a, b, element, *len),
            Type::Option(_) | Type::Result(..) => {
                let cases: &[&str] = if let Type::Option(_) = a.ty { &["Some"] } else { &["Ok", "Err"] };
                self.order_tags(order, Scalar::U8, a, b);
                for case in cases {
                    let parts = [(case_part(a, case)?, case_part(b, case)?)];
                    self.order_case(order, is_case(a, case)?, &parts)?;
                }
                Ok(())
            }
            Type::Struct(descriptor) if descriptor.bounded().is_some() => {
                let (a, b) = (self.steady(a.clone()), self.steady(b.clone()));
                let (a, b) = (self.view_of_bounded(&a)?, self.view_of_bounded(&b)?);
                self.order_views(order, &a, &b)
            }
            Type::Struct(descriptor) => self.order_parts(order, &parts_of(descriptor, a, b)),
            Type::Enum(descriptor) => {
                let TypeKind::Enum { tag, variants } = descriptor.kind else {
                    return Err(format!("{} is no enum", describe(&a.ty)));
                };
                let tag: Scalar = tag.into();
                self.order_tags(order, tag, a, b);
                for variant in variants.iter().filter(|variant| !variant.fields.is_empty()) {
                    let is =
                        Expr::binary(BinaryOp::Eq, tag, Expr::Tag(a.clone()), Expr::Bits(tag, variant.tag));
                    self.order_case(order, is, &parts_of_variant(variant, a, b))?;
                }
                Ok(())
            }
            other => Err(refusal(other, "<", false)),
        }
    }

    fn order_tags(&mut self, order: LocalId, tag: Scalar, a: &Place, b: &Place) {
        let tags = order_of_numbers(tag, Expr::Tag(a.clone()), Expr::Tag(b.clone()));
        self.out.push(Stmt::Assign(self.place_of_local(order), tags));
    }

    /// The order of the values of a case. It is used if everything before was equal and `case` says that it
    /// is this case.
    fn order_case(&mut self, order: LocalId, case: Expr, parts: &[(Place, Place)]) -> Lowered<()> {
        let ((), statements) = self.nested(|inner| inner.order_parts(order, parts))?;
        if !statements.is_empty() {
            let asked = Expr::binary(BinaryOp::And, Scalar::Bool, is(self.read(order), EQUAL), case);
            self.out.push(Stmt::If(asked, statements, Vec::new()));
        }
        Ok(())
    }

    /// The order of the first parts that differ.
    fn order_parts(&mut self, order: LocalId, parts: &[(Place, Place)]) -> Lowered<()> {
        let Some(((a, b), rest)) = parts.split_first() else { return Ok(()) };
        self.order_into(order, a, b)?;
        let ((), statements) = self.nested(|inner| inner.order_parts(order, rest))?;
        if !statements.is_empty() {
            self.out.push(Stmt::If(is(self.read(order), EQUAL), statements, Vec::new()));
        }
        Ok(())
    }

    fn order_arrays(
        &mut self,
        order: LocalId,
        a: &Place,
        b: &Place,
        element: &Type,
        len: usize,
    ) -> Lowered<()> {
        let (a, b) = (self.steady(a.clone()), self.steady(b.clone()));
        let (local, body) = self.nested(|inner| {
            let local = inner.local("i", Type::Scalar(Scalar::Usize));
            let at = |place: &Place| place.clone().then(Step::Index(inner.read(local)), element.clone());
            let (a, b) = (at(&a), at(&b));
            inner.order_into(order, &a, &b)?;
            inner.out.push(Stmt::If(is(inner.read(order), EQUAL).not(), vec![Stmt::Break], Vec::new()));
            Ok(local)
        })?;
        self.out.push(Stmt::For { local, start: usize_bits(0), end: usize_bits(len as u64), body });
        Ok(())
    }

    /// The order of two slices: that of the first elements that differ, or else of their lengths.
    fn order_views(&mut self, order: LocalId, a: &View, b: &View) -> Lowered<()> {
        let least = Expr::Call("min", Scalar::Usize, vec![a.len.clone(), b.len.clone()]);
        let least = self.fixed(least, &Type::Scalar(Scalar::Usize), "count");
        let (local, body) = self.nested(|inner| {
            let local = inner.local("i", Type::Scalar(Scalar::Usize));
            let (a, b) =
                (inner.element_place(a, inner.read(local))?, inner.element_place(b, inner.read(local))?);
            inner.order_into(order, &a, &b)?;
            inner.out.push(Stmt::If(is(inner.read(order), EQUAL).not(), vec![Stmt::Break], Vec::new()));
            Ok(local)
        })?;
        self.out.push(Stmt::For { local, start: usize_bits(0), end: least, body });
        let lengths = order_of_numbers(Scalar::Usize, a.len.clone(), b.len.clone());
        let lengths = Stmt::Assign(self.place_of_local(order), lengths);
        self.out.push(Stmt::If(is(self.read(order), EQUAL), vec![lengths], Vec::new()));
        Ok(())
    }

    /// The order of two slices, or of a slice and an operand that can become one, in a variable.
    fn order_of_slices(&mut self, sides: [Operand; 2], what: &str, total: bool) -> Lowered<Expr> {
        let [a, b] = sides;
        let (a, b) = (self.view(a)?, self.view(b)?);
        if !is_ordered(a.element(), total) {
            return Err(refusal(a.element(), what, total));
        }
        let order = self.temporary("order", Type::Scalar(ORDER), Some(bits(EQUAL)));
        self.locals[order].mutable = true;
        self.locals[order].made = false;
        self.order_views(order, &a, &b)?;
        Ok(self.read(order))
    }

    /// `a < b` of slices.
    pub(super) fn slice_before(&mut self, op: BinaryOp, sides: [Operand; 2]) -> Lowered<Operand> {
        let order = self.order_of_slices(sides, "<", false)?;
        Ok(Operand::Value(holds_of(&order, op), Type::Scalar(Scalar::Bool)))
    }

    /// `a.cmp(b)` and `a.partial_cmp(b)` of slices.
    pub(super) fn slice_compared(
        &mut self,
        view: View,
        method: &str,
        other: &Expression,
    ) -> Lowered<Operand> {
        let other = self.operand(other, None)?;
        let total = method == "cmp";
        let order = self.order_of_slices([Operand::view(view), other], method, total)?;
        Ok(if total { self.as_ordering(&order) } else { self.as_perhaps_ordering(order) })
    }

    /// `a.total_cmp(&b)` of floats: by their bits; for negative numbers in reverse.
    pub(super) fn total_order(&mut self, scalar: Scalar, values: Vec<Expr>) -> Operand {
        let bits_of = if scalar == Scalar::F32 { Scalar::U32 } else { Scalar::U64 };
        let sign = Expr::Bits(bits_of, 1 << (bits_of.bits() - 1));
        let mut rank = |value: Expr| {
            let value =
                self.fixed(Expr::Call("to_bits", scalar, vec![value]), &Type::Scalar(bits_of), "bits");
            let negative = Expr::binary(BinaryOp::Ge, bits_of, value.clone(), sign.clone());
            let positive = Expr::binary(BinaryOp::BitOr, bits_of, value.clone(), sign.clone());
            let inverted = Expr::Not(bits_of, Box::new(value));
            let rank = Expr::Select(Box::new(negative), Box::new(inverted), Box::new(positive));
            self.fixed(rank, &Type::Scalar(bits_of), "rank")
        };
        let ranks: Vec<Expr> = values.into_iter().map(&mut rank).collect();
        let order = order_of_numbers(bits_of, ranks[0].clone(), ranks[1].clone());
        self.as_ordering(&order)
    }

    fn as_perhaps_ordering(&mut self, order: Expr) -> Operand {
        let then = Box::new(self.as_ordering(&order));
        let good = is(order, UNORDERED).not();
        Operand::cases(Cases { good, then, error: None, mutable: false })
    }

    /// An order as an `Ordering`.
    fn as_ordering(&mut self, order: &Expr) -> Operand {
        let ty = Type::Enum(ORDERING);
        let local = self.temporary("ordering", ty.clone(), None);
        self.locals[local].mutable = true;
        self.locals[local].made = false;
        let tag = |variant| Stmt::SetTag(Place::new(super::program::Root::Local(local), ty.clone()), variant);
        let rest = Stmt::If(is(order.clone(), GREATER), vec![tag(2)], vec![tag(1)]);
        self.out.push(Stmt::If(is(order.clone(), LESS), vec![tag(0)], vec![rest]));
        Operand::Value(self.read(local), ty)
    }

    /// `a.cmp(&b)`, `a.max(b)` … where the receiver is not a number, or the result is an `Ordering`.
    pub(super) fn comparing_method(
        &mut self,
        receiver: Operand,
        method: &str,
        arguments: &[Expression],
    ) -> Lowered<Operand> {
        // Then all operands are references, and so is the result.
        let by_reference = matches!(receiver, Operand::Ref(_)) && matches!(method, "max" | "min" | "clamp");
        let mut values = vec![self.value_of(receiver)?];
        let mark = self.out.len();
        let arguments = self.values(arguments)?;
        self.keep(&mut values, mark);
        values.extend(arguments);
        if let Type::Struct(descriptor) | Type::Enum(descriptor) = &values[0].1
            && let Some(derived) = derived(descriptor)
            && (derived.ord || derived.partial_ord)
            && !(derived.methods.0)()
        {
            return Err(format!(
                "`{method}` of {} may be a function of its own or of its parameters' types: write `<`, or `std::cmp::max(a, b)` and \
                 `min`; or `#[device_impl]` before the `impl` with the function",
                describe(&values[0].1)
            ));
        }
        let given = self.compared(method, values)?;
        if !by_reference {
            return Ok(given);
        }
        // Nobody changes the target of a shared reference, so a copy is equivalent.
        let (value, ty) = self.value_of(given)?;
        Ok(Operand::Ref(self.stored_copy(Some(value), ty)))
    }

    /// A method of `Ord` and `PartialOrd`, of its receiver and its arguments.
    pub(super) fn compared(&mut self, method: &str, values: Vec<(Expr, Type)>) -> Lowered<Operand> {
        let ty = values[0].1.clone();
        let total = method != "partial_cmp";
        if !is_ordered(&ty, total) || values.iter().any(|(_, other)| *other != ty) {
            return Err(refusal(&ty, method, total));
        }
        let mut places = Vec::new();
        for (expr, ty) in values {
            let place = self.as_place(Operand::Value(expr, ty))?;
            places.push(self.steady(place));
        }
        let read = |place: &Place| Expr::Read(place.clone());
        match (method, &places[..]) {
            ("cmp", [a, b]) => {
                let order = self.order(a, b)?;
                Ok(self.as_ordering(&order))
            }
            ("partial_cmp", [a, b]) => {
                let order = self.order(a, b)?;
                Ok(self.as_perhaps_ordering(order))
            }
            ("max", [a, b]) => {
                let after = self.before(b, a, BinaryOp::Lt)?;
                self.choose(after, read(a), read(b), ty)
            }
            ("min", [a, b]) => {
                let after = self.before(b, a, BinaryOp::Lt)?;
                self.choose(after, read(b), read(a), ty)
            }
            ("clamp", [value, least, most]) => {
                let crossed = self.before(most, least, BinaryOp::Lt)?;
                self.out.push(Stmt::Fail(crossed, error::PANICKED));
                let below = self.before(value, least, BinaryOp::Lt)?;
                let raised = self.choose(below, read(least), read(value), ty.clone())?;
                let above = self.before(most, value, BinaryOp::Lt)?;
                let (raised, _) = self.value_of(raised)?;
                self.choose(above, read(most), raised, ty)
            }
            _ => Err(format!("a device has no `{method}` with these arguments")),
        }
    }

    /// A method of an `Ordering`.
    pub(super) fn ordering_method(
        &mut self,
        receiver: Operand,
        method: &str,
        arguments: &[Expression],
    ) -> Lowered<Operand> {
        if let ("then_with", [closure]) = (method, arguments) {
            return self.then_with(receiver, closure);
        }
        let mut values = vec![self.value_of(receiver)?];
        let mark = self.out.len();
        let arguments = self.values(arguments)?;
        self.keep(&mut values, mark);
        values.extend(arguments);
        let mut places = Vec::new();
        for (expr, ty) in values {
            places.push(self.as_place(Operand::Value(expr, ty))?);
        }
        let order = Expr::Tag(places[0].clone());
        let op = match method {
            "is_eq" => BinaryOp::Eq,
            "is_ne" => BinaryOp::Ne,
            "is_lt" => BinaryOp::Lt,
            "is_le" => BinaryOp::Le,
            "is_gt" => BinaryOp::Gt,
            "is_ge" => BinaryOp::Ge,
            "reverse" => {
                let reversed = order_of_numbers(ORDER, bits(EQUAL), order);
                return Ok(self.as_ordering(&reversed));
            }
            _ => {
                let [first, second] = &places[..] else {
                    return Err(format!("an `Ordering` has no `{method}` on a device: write a `match`"));
                };
                let (first, second) = (Expr::Read(first.clone()), Expr::Read(second.clone()));
                return self.choose(is(order, EQUAL), second, first, Type::Enum(ORDERING));
            }
        };
        let compared = Expr::binary(op, ORDER, order, bits(EQUAL));
        Ok(Operand::Value(compared, Type::Scalar(Scalar::Bool)))
    }

    /// `ordering.then_with(|| …)`: the closure is called if the first order is "equal".
    fn then_with(&mut self, first: Operand, closure: &Expression) -> Lowered<Operand> {
        let (first, ty) = self.value_of(first)?;
        let local = self.temporary("ordering", ty.clone(), Some(first));
        self.locals[local].mutable = true;
        self.locals[local].made = false;
        let place = self.place_of_local(local);
        let ((), statements) = self.nested(|inner| {
            match inner.apply(closure, Vec::new())? {
                Operand::Never => {}
                given => {
                    let (given, _) = inner.value_of(given)?;
                    inner.out.push(Stmt::Assign(place.clone(), given));
                }
            }
            Ok(())
        })?;
        self.out.push(Stmt::If(is(Expr::Tag(place), EQUAL), statements, Vec::new()));
        Ok(Operand::Value(self.read(local), ty))
    }

    /// `a < b` by a user's `PartialOrd`, which returned this.
    pub(super) fn by_partial_cmp(&mut self, op: BinaryOp, given: Operand) -> Lowered<Operand> {
        let given = self.as_place(given)?;
        let there = is_case(&given, "Some")?;
        let order = Expr::Tag(case_part(&given, "Some")?);
        let holds = Expr::binary(op, ORDER, order, bits(EQUAL));
        let holds = Expr::binary(BinaryOp::And, Scalar::Bool, there, holds);
        Ok(Operand::Value(holds, Type::Scalar(Scalar::Bool)))
    }
}

fn is_tuple_of_numbers(ty: &Type) -> bool {
    match ty {
        Type::Scalar(_) => true,
        Type::Tuple(parts) => parts.iter().all(is_tuple_of_numbers),
        _ => false,
    }
}
