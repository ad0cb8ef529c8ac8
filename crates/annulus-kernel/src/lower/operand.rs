//! The results of expressions, and the meanings of names.

use annulus_tree::Expression;

use super::{
    Lowered, Lowerer,
    cases::Cases,
    program::{Expr, Local, LocalId, Place, Root, Stmt, assigned},
    slice::View,
};
use crate::typed::{Scalar, Type};

/// The result of an expression.
#[derive(Clone, Debug)]
pub(super) enum Operand {
    /// A value.
    Value(Expr, Type),
    /// A place; it is read where its value is needed.
    Place(Place),
    /// A reference to a place.
    Ref(Place),
    /// `&[T]` or `&mut [T]`: the bound parameter of this number.
    Slice(usize),
    /// `&[AtomicU32]` and its kin.
    Atomics(usize),
    /// One of their elements.
    Atomic(Place),
    /// `&[T]` or `&mut [T]`: a part of an array or of a bound slice.
    View(Box<View>),
    /// `(a, b)`, not yet stored as one value.
    Tuple(Vec<Operand>),
    /// An `Option` or a `Result`, not yet stored as one value.
    Cases(Box<Cases>),
    /// The result of `compare_exchange`: whether it succeeded, and the value before.
    Exchanged {
        succeeded: LocalId,
        before: LocalId,
    },
    Cx,
    /// `&Block<S>`.
    BlockState,
    /// `&Block<[T]>`: the bound parameter of this number.
    BlockMemory(usize),
    /// A `BlockArray`: its number among what the threads share, and its element's type and length.
    BlockArray(usize, Scalar, usize),
    /// The outbox; of a handler that has several, the one of this number.
    Outbox(Option<u8>),
    /// `&Later<M>`.
    Later,
    /// `&ThisActor`.
    Actor,
    /// `&Inbox<M>`.
    Inbox,
    Unit,
    /// It does not return.
    Never,
}

/// The meaning of a name.
#[derive(Clone, Debug)]
pub(super) enum Variable {
    Local(LocalId),
    Operand(Operand),
}

impl Operand {
    pub(super) fn view(view: View) -> Self {
        Self::View(Box::new(view))
    }

    pub(super) fn cases(cases: Cases) -> Self {
        Self::Cases(Box::new(cases))
    }

    /// A description for errors.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Value(_, ty) => describe(ty),
            Self::Place(place) => describe(&place.ty),
            Self::Ref(place) => format!("a reference to {}", describe(&place.ty)),
            Self::Slice(_) => "a slice".into(),
            Self::Atomics(_) => "a slice of atomics".into(),
            Self::Atomic(_) => "an atomic".into(),
            Self::View(_) => "a slice".into(),
            Self::Tuple(_) => "a tuple".into(),
            Self::Cases(cases) if cases.error.is_none() => "an `Option`".into(),
            Self::Cases(_) => "a `Result`".into(),
            Self::Exchanged { .. } => "the result of `compare_exchange`".into(),
            Self::Cx => "the context".into(),
            Self::BlockState => "the block's state".into(),
            Self::BlockMemory(_) => "the block's memory".into(),
            Self::BlockArray(..) => "an array of the block".into(),
            Self::Outbox(_) => "the outbox".into(),
            Self::Later => "the handler's timers".into(),
            Self::Actor => "the actor".into(),
            Self::Inbox => "the inbox".into(),
            Self::Unit => "`()`".into(),
            Self::Never => "an expression that does not come back".into(),
        }
    }
}

/// A description of a type, for errors.
pub(super) fn describe(ty: &Type) -> String {
    match ty {
        Type::Unit => "`()`".into(),
        Type::Scalar(scalar) => format!("`{}`", scalar.name()),
        Type::Struct(descriptor) | Type::Enum(descriptor) => format!("`{}`", descriptor.name),
        Type::Array { .. } => "an array".into(),
        Type::Tuple(_) => "a tuple".into(),
        Type::Option(_) => "an `Option`".into(),
        Type::Result(..) => "a `Result`".into(),
        Type::Failure => "a `Failure`".into(),
        Type::Verdict => "a `Result`".into(),
        Type::Ordering => "an `Ordering`".into(),
    }
}

/// Whether no later statement changes the value.
pub(super) fn is_fixed(locals: &[Local], expr: &Expr) -> bool {
    match expr {
        Expr::Bits(..) | Expr::Len(_) => true,
        Expr::Read(Place { root: Root::Local(local), steps, .. }) => {
            steps.is_empty() && !locals[*local].mutable
        }
        _ => false,
    }
}

impl Lowerer<'_> {
    /// The value of an operand; places are read.
    pub(super) fn value_of(&mut self, operand: Operand) -> Lowered<(Expr, Type)> {
        match operand {
            Operand::Tuple(parts) => self.stored_tuple(parts, "tuple"),
            Operand::Cases(cases) => {
                let wanted = if cases.error.is_none() { "option" } else { "result" };
                self.stored_cases(*cases, wanted)
            }
            exchanged @ Operand::Exchanged { .. } => {
                let cases = self.cases(exchanged)?;
                self.stored_cases(cases, "result")
            }
            Operand::Value(expr, ty) => Ok((expr, ty)),
            Operand::Place(place) | Operand::Ref(place) => {
                let ty = place.ty.clone();
                Ok((Expr::Read(place), ty))
            }
            Operand::Never => Ok((Expr::Code(0), Type::Unit)),
            Operand::Unit => Ok((Expr::Code(0), Type::Unit)),
            other => Err(format!("{} is no value on a device: use what it has", other.describe())),
        }
    }

    pub(super) fn value(&mut self, expression: &Expression) -> Lowered<(Expr, Type)> {
        let operand = self.operand(expression, None)?;
        self.value_of(operand)
    }

    pub(super) fn scalar(&mut self, expression: &Expression) -> Lowered<(Expr, Scalar)> {
        let (expr, ty) = self.value(expression)?;
        Ok((expr, self.as_scalar(&ty)?))
    }

    pub(super) fn as_scalar(&self, ty: &Type) -> Lowered<Scalar> {
        match ty {
            Type::Scalar(scalar) => Ok(*scalar),
            other => {
                Err(format!("a device calculates with numbers and booleans, not with {}", describe(other)))
            }
        }
    }

    pub(super) fn condition(&mut self, expression: &Expression) -> Lowered<Expr> {
        match self.scalar(expression)? {
            (expr, Scalar::Bool) => Ok(expr),
            (_, other) => Err(format!("a condition is a `bool`, not a `{}`", other.name())),
        }
    }

    /// The values of expressions that are evaluated from left to right.
    pub(super) fn values<'e>(
        &mut self,
        expressions: impl IntoIterator<Item = &'e Expression>,
    ) -> Lowered<Vec<(Expr, Type)>> {
        self.values_by(expressions, Self::value)
    }

    /// Likewise, with another way to get the value.
    pub(super) fn values_by<'e>(
        &mut self,
        expressions: impl IntoIterator<Item = &'e Expression>,
        value_of: impl Fn(&mut Self, &Expression) -> Lowered<(Expr, Type)>,
    ) -> Lowered<Vec<(Expr, Type)>> {
        let mut values: Vec<(Expr, Type)> = Vec::new();
        for expression in expressions {
            let mark = self.out.len();
            let value = value_of(self, expression)?;
            self.keep(&mut values, mark);
            values.push(value);
        }
        Ok(values)
    }

    /// Stores some of `values` in variables, before statement `mark`: those that the statements since then
    /// would change.
    pub(super) fn keep(&mut self, values: &mut [(Expr, Type)], mark: usize) {
        let mut roots = Vec::new();
        assigned(&self.out[mark..], &mut roots);
        let mut at = mark;
        for (expr, ty) in values {
            if roots.is_empty() || !expr.reads(&roots) {
                continue;
            }
            let local = self.local("before", ty.clone());
            let value = std::mem::replace(expr, self.read(local));
            self.out.insert(at, Stmt::Declare(local, Some(value)));
            at += 1;
        }
    }

    /// The value in a form that can be written twice.
    pub(super) fn simple(&mut self, expr: Expr, ty: &Type, wanted: &str) -> Expr {
        if expr.is_simple() {
            return expr;
        }
        let local = self.temporary(wanted, ty.clone(), Some(expr));
        self.read(local)
    }

    /// The place with indices that no later statement changes.
    pub(super) fn steady(&mut self, mut place: Place) -> Place {
        for step in &mut place.steps {
            // Those of a choice are variables of its own.
            step.each_index(&mut |index| {
                if !is_fixed(&self.locals, index) {
                    let local = self.temporary("at", Type::Scalar(Scalar::Usize), Some(index.clone()));
                    *index = self.read(local);
                }
            });
        }
        place
    }

    pub(super) fn place_of_local(&self, local: LocalId) -> Place {
        Place::new(Root::Local(local), self.locals[local].ty.clone())
    }
}

/// The unsigned type of the same width.
pub(super) fn unsigned(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::I8 => Scalar::U8,
        Scalar::I16 => Scalar::U16,
        Scalar::I32 => Scalar::U32,
        Scalar::I64 => Scalar::U64,
        Scalar::Isize => Scalar::Usize,
        other => other,
    }
}

/// The signed type of the same width.
pub(super) fn signed_of(scalar: Scalar) -> Scalar {
    let signed = [Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64, Scalar::Isize];
    signed.into_iter().find(|signed| unsigned(*signed) == scalar).unwrap_or(scalar)
}
