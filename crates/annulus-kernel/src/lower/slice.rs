//! Slices: arrays, bound memory, and parts of both.

use annulus_abi::error;
use annulus_tree::{BinaryOp, Expression, ExpressionKind};

use super::{
    Lowered, Lowerer,
    archive::archived,
    ascii,
    cases::Cases,
    equal::{self, is_compared},
    list::is_list_type,
    operand::{Operand, describe},
    operator::convert,
    program::{Expr, Place, Root, Step, Stmt},
    types::takes_no_place,
};
use crate::{
    ArchivedPart,
    typed::{Scalar, Type},
};

const USIZE: Type = Type::Scalar(Scalar::Usize);

/// Methods that change elements, or return references that can change them.
const CHANGING: &[&str] = &[
    "as_mut_slice",
    "copy_from_slice",
    "copy_within",
    "fill",
    "first_mut",
    "get_mut",
    "last_mut",
    "make_ascii_lowercase",
    "make_ascii_uppercase",
    "reverse",
    "rotate_left",
    "rotate_right",
    "sort",
    "sort_by",
    "sort_by_key",
    "sort_by_key_reversed",
    "sort_unstable",
    "split_at_mut",
    "split_first_mut",
    "split_last_mut",
    "swap",
];

/// Elements that lie one after the other.
#[derive(Clone, Debug)]
pub(super) struct View {
    /// An array, or the root of a bound slice.
    base: Place,
    element: Type,
    /// The first of them.
    start: Expr,
    /// How many there are; it does not change.
    pub(super) len: Expr,
    /// Whether the base is a bound slice, and not an array.
    bound: bool,
    /// Whether they are atomics.
    atomic: bool,
}

impl View {
    pub(super) fn element(&self) -> &Type {
        &self.element
    }

    pub(super) fn start(&self) -> &Expr {
        &self.start
    }

    pub(super) fn base(&self) -> &Place {
        &self.base
    }

    /// Whether one may be where the other one is: they have elements of one type. A bound slice is a memory of its own.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let same = (self.bound, self.atomic) == (other.bound, other.atomic) && self.element == other.element;
        same && (!self.bound || self.base == other.base)
    }

    /// The same part of another memory.
    pub(super) fn of(self, base: Place) -> Self {
        Self { base, ..self }
    }

    /// Whether the memory that it is a part of depends on any of these roots.
    pub(super) fn reads(&self, roots: &[Root]) -> bool {
        self.base.reads(roots)
    }

    /// Another part of the same memory.
    pub(super) fn with(self, start: Expr, len: Expr) -> Self {
        Self { start, len, ..self }
    }

    /// The most elements that there can be, if known.
    pub(super) fn room(&self) -> Option<usize> {
        match (&self.len, &self.base.ty) {
            (Expr::Bits(_, len), _) => usize::try_from(*len).ok(),
            (_, Type::Array { len, .. }) if !self.bound => Some(*len),
            _ => None,
        }
    }
}

/// Whether an operand is a `List` or a `Text`.
pub(super) fn is_bounded(operand: &Operand) -> bool {
    let ty = match operand {
        Operand::Place(place) | Operand::Ref(place) => &place.ty,
        Operand::Value(_, ty) => ty,
        _ => return false,
    };
    matches!(ty, Type::Struct(descriptor) if descriptor.bounded().is_some())
}

pub(super) fn usize_bits(bits: u64) -> Expr {
    Expr::Bits(Scalar::Usize, bits)
}

/// `a + b` and similar for sizes; computed now if both are known.
pub(super) fn size(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    match (op, &a, &b) {
        (BinaryOp::Add, Expr::Bits(_, 0), _) => b,
        (BinaryOp::Add | BinaryOp::Sub, _, Expr::Bits(_, 0)) | (BinaryOp::Mul, _, Expr::Bits(_, 1)) => a,
        (BinaryOp::Add, Expr::Bits(_, x), Expr::Bits(_, y)) => usize_bits(x.wrapping_add(*y)),
        (BinaryOp::Sub, Expr::Bits(_, x), Expr::Bits(_, y)) => usize_bits(x.wrapping_sub(*y)),
        (BinaryOp::Mul, Expr::Bits(_, x), Expr::Bits(_, y)) => usize_bits(x.wrapping_mul(*y)),
        (BinaryOp::Div, Expr::Bits(_, x), Expr::Bits(_, y @ 1..)) => usize_bits(x / y),
        _ => Expr::binary(op, Scalar::Usize, a, b),
    }
}

/// A comparison of sizes: `Ok` with its result if that is known now, otherwise `Err` with the expression.
pub(super) fn compared(op: BinaryOp, a: &Expr, b: &Expr) -> Result<bool, Expr> {
    match (a, b) {
        (Expr::Bits(_, x), Expr::Bits(_, y)) => Ok(match op {
            BinaryOp::Lt => x < y,
            BinaryOp::Le => x <= y,
            BinaryOp::Gt => x > y,
            BinaryOp::Ge => x >= y,
            BinaryOp::Ne => x != y,
            _ => x == y,
        }),
        // As in `&values[at..]`, which ends at the end of the values.
        _ if a == b => Ok(matches!(op, BinaryOp::Le | BinaryOp::Ge | BinaryOp::Eq)),
        _ => Err(Expr::binary(op, Scalar::Usize, a.clone(), b.clone())),
    }
}

/// Whether an operand is an array or a slice.
pub(super) fn is_slice(operand: &Operand) -> bool {
    match operand {
        Operand::Slice(_) | Operand::Atomics(_) | Operand::View(_) => true,
        Operand::Place(place) | Operand::Ref(place) => has_elements(&place.ty),
        Operand::Value(_, ty) => has_elements(ty),
        _ => false,
    }
}

/// Whether an operand is an array, and no slice.
pub(super) fn is_array(operand: &Operand) -> bool {
    match operand {
        Operand::Place(place) | Operand::Ref(place) => matches!(place.ty, Type::Array { .. }),
        Operand::Value(_, ty) => matches!(ty, Type::Array { .. }),
        _ => false,
    }
}

fn has_elements(ty: &Type) -> bool {
    let archived_list = matches!(archived(ty), Some(ArchivedPart::List(_)));
    matches!(ty, Type::Array { .. }) || archived_list || is_list_type(ty)
}

impl Lowerer<'_> {
    /// An array or a slice by its elements.
    pub(super) fn view(&mut self, operand: Operand) -> Lowered<View> {
        match self.followed_list(operand)? {
            Operand::View(view) => Ok(*view),
            operand @ (Operand::Slice(binding) | Operand::Atomics(binding)) => {
                let element = self.memory[binding].0.clone();
                let base = Place::new(Root::Binding(binding), element.clone());
                let atomic = matches!(operand, Operand::Atomics(_));
                Ok(View { base, element, start: usize_bits(0), len: Expr::Len(binding), bound: true, atomic })
            }
            operand => {
                let place = self.as_place(operand)?;
                let mut base = self.steady(place);
                // It does not exist in C.
                if takes_no_place(&base.ty) {
                    base = self.stored_copy(None, base.ty);
                }
                let Type::Array { element, len } = base.ty.clone() else {
                    return Err(format!("{} has no elements", describe(&base.ty)));
                };
                let len = usize_bits(len as u64);
                Ok(View { base, element: *element, start: usize_bits(0), len, bound: false, atomic: false })
            }
        }
    }

    /// The same elements, where they can be changed. For a constant a copy is changed, as in Rust.
    pub(super) fn changeable(&mut self, mut view: View) -> View {
        if matches!(view.base.root, Root::Constant(_)) {
            view.base = self.stored_copy(Some(Expr::Read(view.base.clone())), view.base.ty);
        }
        view
    }

    /// An element whose index is known to be in bounds.
    pub(super) fn element(&self, view: &View, at: Expr) -> Operand {
        let at = size(BinaryOp::Add, view.start.clone(), at);
        let step = if view.bound { Step::Element(at) } else { Step::Index(at) };
        let place = view.base.clone().then(step, view.element.clone());
        if view.atomic { Operand::Atomic(place) } else { Operand::Place(place) }
    }

    /// The arguments for a function: where the view begins, and how long it is.
    pub(super) fn span_of(&self, view: &View) -> (Place, Expr) {
        let (Operand::Place(first) | Operand::Atomic(first)) = self.element(view, usize_bits(0)) else {
            unreachable!("an element is a place")
        };
        (first, view.len.clone())
    }

    /// The part from `start` on of this length, known to be in bounds.
    pub(super) fn part_of_view(&mut self, view: &View, start: Expr, len: Expr) -> View {
        let start = size(BinaryOp::Add, view.start.clone(), start);
        let start = self.fixed(start, &USIZE, "start");
        let len = self.fixed(len, &USIZE, "len");
        View { start, len, ..view.clone() }
    }

    /// Fails where the comparison holds.
    fn refuse_size(&mut self, op: BinaryOp, a: &Expr, b: &Expr, code: u16) {
        match compared(op, a, b) {
            Ok(false) => {}
            Ok(true) => self.out.push(Stmt::Fail(Expr::Bits(Scalar::Bool, 1), code)),
            Err(fails) => self.out.push(Stmt::Fail(fails, code)),
        }
    }

    fn size_of(&mut self, expression: &Expression, wanted: &str) -> Lowered<Expr> {
        let (expr, scalar) = self.scalar(expression)?;
        if scalar != Scalar::Usize {
            return Err(format!("an index is a `usize`, not a `{}`: write `index as usize`", scalar.name()));
        }
        Ok(self.fixed(expr, &USIZE, wanted))
    }

    /// The ends of a range in a view: the first index, and the index after the last.
    fn ends(
        &mut self,
        start: Option<&Expression>,
        end: Option<&Expression>,
        inclusive: bool,
        view: &View,
    ) -> Lowered<(Expr, Expr, Option<Expr>)> {
        let start = match start {
            Some(start) => self.size_of(start, "start")?,
            None => usize_bits(0),
        };
        let mut last = None;
        let end = match end {
            Some(end) => {
                let end = self.size_of(end, if inclusive { "last" } else { "end" })?;
                if inclusive {
                    last = Some(end.clone());
                    let behind = size(BinaryOp::Add, end, usize_bits(1));
                    self.fixed(behind, &USIZE, "end")
                } else {
                    end
                }
            }
            None => view.len.clone(),
        };
        Ok((start, end, last))
    }

    /// `base[start..end]`.
    pub(super) fn subslice(&mut self, base: &Expression, range: &Expression) -> Lowered<Operand> {
        let operand = self.operand(base, None)?;
        let view = self.view(operand)?;
        self.part_of(&view, range).map(Operand::view)
    }

    /// The part of a view that a range names.
    pub(super) fn part_of(&mut self, view: &View, range: &Expression) -> Lowered<View> {
        let ExpressionKind::Range { start, end, inclusive } = &range.kind else {
            return Err("a slice is a part from one index to another".into());
        };
        let code = error::INDEX_OUT_OF_BOUNDS;
        let (start, end, last) = self.ends(start.as_deref(), end.as_deref(), *inclusive, view)?;
        // The last index first: there is no index after the greatest one.
        if let Some(last) = last {
            self.refuse_size(BinaryOp::Ge, &last, &view.len, code);
        }
        self.refuse_size(BinaryOp::Gt, &start, &end, code);
        self.refuse_size(BinaryOp::Gt, &end, &view.len.clone(), code);
        let len = size(BinaryOp::Sub, end, start.clone());
        Ok(self.part_of_view(view, start, len))
    }

    /// The items of a `List`, the bytes of a `Text`: at most as many as there is room for, whatever the
    /// length says.
    pub(super) fn view_of_bounded(&mut self, place: &Place) -> Lowered<View> {
        let Type::Struct(descriptor) = place.ty else {
            return Err("a list is a struct: rebuild the program".into());
        };
        let (len, items, _, room) = descriptor.bounded().ok_or("this is no list: rebuild the program")?;
        let len = Expr::Read(place.clone().then(Step::Field(len.name.into()), Type::Scalar(Scalar::U32)));
        let len = Expr::Call(
            "min",
            Scalar::Usize,
            vec![convert(Scalar::U32, Scalar::Usize, len), usize_bits(room as u64)],
        );
        let len = self.fixed(len, &USIZE, "len");
        let items = place.clone().then(Step::Field(items.name.into()), items.ty.into());
        let view = self.view(Operand::Place(items))?;
        Ok(View { len, ..view })
    }

    /// A method of an array or a slice.
    pub(super) fn slice_method(
        &mut self,
        operand: Operand,
        method: &str,
        arguments: &[Expression],
    ) -> Lowered<Operand> {
        let mut view = self.view(operand)?;
        if CHANGING.contains(&method) {
            view = self.changeable(view);
        }
        let len = view.len.clone();
        match (method, arguments) {
            ("len", []) => Ok(Operand::Value(len, USIZE)),
            ("is_empty", []) => {
                let empty = Expr::binary(BinaryOp::Eq, Scalar::Usize, len, usize_bits(0));
                Ok(Operand::Value(empty, Type::Scalar(Scalar::Bool)))
            }
            ("get" | "get_mut", [index]) => self.get(&view, index, method == "get_mut"),
            ("first" | "first_mut", []) => Ok(self.element_if(
                compared(BinaryOp::Ne, &len, &usize_bits(0)),
                &view,
                usize_bits(0),
                method,
            )),
            ("last" | "last_mut", []) => {
                let at = size(BinaryOp::Sub, len.clone(), usize_bits(1));
                Ok(self.element_if(compared(BinaryOp::Ne, &len, &usize_bits(0)), &view, at, method))
            }
            ("fill", [value]) => {
                let (value, ty) = self.value(value)?;
                let value = self.fixed(value, &ty, "item");
                self.for_each(&view, len, |lowerer, place, _| {
                    lowerer.out.push(Stmt::Assign(place, value.clone()));
                    Ok(())
                })
            }
            ("swap", [a, b]) => {
                let (a, b) = (self.size_of(a, "a")?, self.size_of(b, "b")?);
                for at in [&a, &b] {
                    self.refuse_size(BinaryOp::Ge, at, &len, error::INDEX_OUT_OF_BOUNDS);
                }
                let (Operand::Place(a), Operand::Place(b)) = (self.element(&view, a), self.element(&view, b))
                else {
                    return Err("atomics are not swapped with each other".into());
                };
                self.swap_places(a, b);
                Ok(Operand::Unit)
            }
            ("reverse", []) => self.reverse(&view),
            ("copy_from_slice", [from]) => {
                let from = self.operand(from, None)?;
                let from = self.view(from)?;
                self.refuse_size(BinaryOp::Ne, &len, &from.len.clone(), error::PANICKED);
                self.for_each(&view, len, |lowerer, place, at| {
                    let Operand::Place(source) = lowerer.element(&from, at) else {
                        return Err("atomics are loaded one by one".into());
                    };
                    lowerer.out.push(Stmt::Assign(place, Expr::Read(source)));
                    Ok(())
                })
            }
            ("split_at" | "split_at_mut", [middle]) => {
                let middle = self.size_of(middle, "middle")?;
                self.refuse_size(BinaryOp::Gt, &middle, &len, error::PANICKED);
                let rest = size(BinaryOp::Sub, len, middle.clone());
                let left = self.part_of_view(&view, usize_bits(0), middle.clone());
                let right = self.part_of_view(&view, middle, rest);
                Ok(Operand::Tuple(vec![Operand::view(left), Operand::view(right)]))
            }
            ("split_first" | "split_first_mut" | "split_last" | "split_last_mut", []) => {
                let some = compared(BinaryOp::Ne, &len, &usize_bits(0));
                let rest = self.fixed(size(BinaryOp::Sub, len, usize_bits(1)), &USIZE, "rest");
                let (at, start) = match method {
                    "split_first" | "split_first_mut" => (usize_bits(0), usize_bits(1)),
                    _ => (rest.clone(), usize_bits(0)),
                };
                let Operand::Cases(cases) = self.element_if(some, &view, at, method) else {
                    return Err("an element is there or not: rebuild the program".into());
                };
                let rest = Operand::view(self.part_of_view(&view, start, rest));
                let then = Box::new(Operand::Tuple(vec![*cases.then, rest]));
                Ok(Operand::cases(Cases { then, ..*cases }))
            }
            ("rotate_left" | "rotate_right", [count]) => {
                let count = self.size_of(count, "rotated")?;
                self.refuse_size(BinaryOp::Gt, &count, &len, error::PANICKED);
                let rest = self.fixed(size(BinaryOp::Sub, len.clone(), count.clone()), &USIZE, "rest");
                let (first, second) = if method == "rotate_left" { (count, rest) } else { (rest, count) };
                // Each part in reverse, then the whole.
                let parts = [(usize_bits(0), first.clone()), (first, second), (usize_bits(0), len)];
                for (start, len) in parts {
                    let part = self.part_of_view(&view, start, len);
                    self.reverse(&part)?;
                }
                Ok(Operand::Unit)
            }
            ("partition_point", [f]) => self.partition_point(&view, f),
            ("contains", [value]) => self.contains(&view, value),
            ("as_slice" | "as_mut_slice", []) => Ok(Operand::view(view)),
            ("sort_unstable" | "sort", []) => self.sort(&view, None, false, false),
            ("sort_by_key", [f]) => self.sort(&view, Some(f), true, false),
            ("sort_by_key_reversed", [f]) => self.sort(&view, Some(f), true, true),
            ("sort_by", [f]) => self.sort(&view, Some(f), false, false),
            ("cmp" | "partial_cmp", [other]) => self.slice_compared(view, method, other),
            ("binary_search", [value]) => self.search(&view, value),
            ("copy_within", [from, to]) => self.copy_within(&view, from, to),
            ("starts_with" | "ends_with", [part]) => {
                let part = self.operand(part, None)?;
                let part = self.view(part)?;
                let fits = Expr::binary(BinaryOp::Ge, Scalar::Usize, len.clone(), part.len.clone());
                let start = if method == "starts_with" {
                    usize_bits(0)
                } else {
                    size(BinaryOp::Sub, len, part.len.clone())
                };
                let end = self.part_of_view(&view, start, part.len.clone());
                self.equal_views(fits, &end, &part, false)
            }
            ("eq_ignore_ascii_case", [other]) => {
                let other = self.operand(other, None)?;
                let other = self.view(other)?;
                let same = Expr::binary(BinaryOp::Eq, Scalar::Usize, len, other.len.clone());
                self.equal_views(same, &view, &other, true)
            }
            ("make_ascii_lowercase" | "make_ascii_uppercase", []) => {
                let lower = method == "make_ascii_lowercase";
                self.for_each(&view, len, |lowerer, place, _| {
                    let byte = ascii::in_case(lower, &Expr::Read(place.clone()));
                    lowerer.out.push(Stmt::Assign(place, byte));
                    Ok(())
                })
            }
            ("is_ascii", []) => {
                let ascii =
                    self.temporary("ascii", Type::Scalar(Scalar::Bool), Some(Expr::Bits(Scalar::Bool, 1)));
                self.locals[ascii].mutable = true;
                self.locals[ascii].made = false;
                let forget = Stmt::Assign(self.place_of_local(ascii), Expr::Bits(Scalar::Bool, 0));
                self.for_each(&view, len, |lowerer, place, _| {
                    let other = Expr::binary(
                        BinaryOp::Gt,
                        Scalar::U8,
                        Expr::Read(place),
                        Expr::Bits(Scalar::U8, 0x7F),
                    );
                    lowerer.out.push(Stmt::If(other, vec![forget, Stmt::Break], Vec::new()));
                    Ok(())
                })?;
                Ok(Operand::Value(self.read(ascii), Type::Scalar(Scalar::Bool)))
            }
            _ => Err(format!("a device's slices and arrays have no `{method}`: write a loop")),
        }
    }

    /// `reverse()`.
    fn reverse(&mut self, view: &View) -> Lowered<Operand> {
        let len = view.len.clone();
        let half = size(BinaryOp::Div, len.clone(), usize_bits(2));
        self.for_each(view, half, |lowerer, place, at| {
            let other = size(BinaryOp::Sub, size(BinaryOp::Sub, len, usize_bits(1)), at);
            if let Operand::Place(other) = lowerer.element(view, other) {
                lowerer.swap_places(place, other);
            }
            Ok(())
        })
    }

    /// `<[T; N]>::try_from(slice)`, `slice.try_into()`: a copy, if there are as many elements.
    pub(super) fn array_of_slice(&mut self, value: &Expression, ty: Type) -> Lowered<Operand> {
        let operand = self.operand(value, None)?;
        let (Type::Array { element, len }, true) = (&ty, is_slice(&operand)) else {
            return Err(format!("a device has no array of {}: write its elements", operand.describe()));
        };
        let view = self.view(operand)?;
        if view.element != **element {
            return Err("an array has the elements of the slice: rebuild the program".into());
        }
        let good = match compared(BinaryOp::Eq, &view.len, &usize_bits(*len as u64)) {
            Ok(known) => Expr::Bits(Scalar::Bool, u64::from(known)),
            Err(good) => self.fixed(good, &Type::Scalar(Scalar::Bool), "there"),
        };
        let local = self.temporary("array", ty.clone(), None);
        self.locals[local].made = false;
        let array = self.view(Operand::Place(self.place_of_local(local)))?;
        let ((), statements) = self.nested(|inner| {
            inner.for_each(&array, usize_bits(*len as u64), |lowerer, place, at| {
                let source = lowerer.element_place(&view, at)?;
                lowerer.out.push(Stmt::Assign(place, Expr::Read(source)));
                Ok(())
            })?;
            Ok(())
        })?;
        self.out.push(Stmt::If(good.clone(), statements, Vec::new()));
        let then = Box::new(Operand::Value(self.read(local), ty));
        Ok(Operand::cases(Cases { good, then, error: Some((Expr::Code(0), Type::Unit)), mutable: false }))
    }

    /// `get(index)`, `get(start..end)`.
    fn get(&mut self, view: &View, index: &Expression, mutable: bool) -> Lowered<Operand> {
        let method = if mutable { "get_mut" } else { "get" };
        let ExpressionKind::Range { start, end, inclusive } = &index.kind else {
            let at = self.size_of(index, "at")?;
            return Ok(self.element_if(compared(BinaryOp::Lt, &at, &view.len), view, at, method));
        };
        let (start, end, last) = self.ends(start.as_deref(), end.as_deref(), *inclusive, view)?;
        let known = |comparison: Result<bool, Expr>| {
            comparison.map_or_else(|unknown| unknown, |known| Expr::Bits(Scalar::Bool, u64::from(known)))
        };
        let ordered = known(compared(BinaryOp::Le, &start, &end));
        let inside = known(compared(BinaryOp::Le, &end, &view.len));
        let mut good = Expr::binary(BinaryOp::And, Scalar::Bool, ordered, inside);
        if let Some(last) = last {
            let below = known(compared(BinaryOp::Lt, &last, &view.len));
            good = Expr::binary(BinaryOp::And, Scalar::Bool, below, good);
        }
        let len = size(BinaryOp::Sub, end, start.clone());
        let part = self.part_of_view(view, start, len);
        let then = Box::new(Operand::view(part));
        Ok(Operand::cases(Cases { good, then, error: None, mutable }))
    }

    /// A reference to an element that may not exist.
    fn element_if(&mut self, there: Result<bool, Expr>, view: &View, at: Expr, method: &str) -> Operand {
        let good = there.map_or_else(|unknown| unknown, |known| Expr::Bits(Scalar::Bool, u64::from(known)));
        let then = match self.element(view, at) {
            Operand::Place(place) => Operand::Ref(self.steady(place)),
            other => other,
        };
        Operand::cases(Cases { good, then: Box::new(then), error: None, mutable: method.ends_with("_mut") })
    }

    /// Whether an element equals a value.
    fn contains(&mut self, view: &View, value: &Expression) -> Lowered<Operand> {
        let (value, ty) = self.value(value)?;
        if !is_compared(&ty) {
            return Err(equal::refusal(&ty));
        }
        let value = self.fixed(value, &ty, "wanted");
        let bool_ = Type::Scalar(Scalar::Bool);
        let found = self.temporary("contains", bool_.clone(), Some(Expr::Bits(Scalar::Bool, 0)));
        self.locals[found].mutable = true;
        let place_of_found = self.place_of_local(found);
        self.for_each(view, view.len.clone(), |lowerer, place, _| {
            let equal = lowerer.equal_to(&place, value)?;
            let remember = Stmt::Assign(place_of_found, Expr::Bits(Scalar::Bool, 1));
            lowerer.out.push(Stmt::If(equal, vec![remember, Stmt::Break], Vec::new()));
            Ok(())
        })?;
        Ok(Operand::Value(self.read(found), bool_))
    }

    /// A loop over the first `count` elements. The language makes it, and it does not count against the
    /// budget.
    fn for_each(
        &mut self,
        view: &View,
        count: Expr,
        body: impl FnOnce(&mut Self, Place, Expr) -> Lowered<()>,
    ) -> Lowered<Operand> {
        let (local, statements) = self.nested(|inner| {
            let local = inner.local("i", USIZE);
            let at = inner.read(local);
            let Operand::Place(place) = inner.element(view, at.clone()) else {
                return Err("atomics are stored and loaded one by one".into());
            };
            body(inner, place, at)?;
            Ok(local)
        })?;
        let count = self.fixed(count, &USIZE, "count");
        self.out.push(Stmt::For { local, start: usize_bits(0), end: count, body: statements });
        Ok(Operand::Unit)
    }

    pub(super) fn swap_places(&mut self, a: Place, b: Place) {
        let ty = a.ty.clone();
        let before = self.local("before", ty);
        self.out.push(Stmt::Declare(before, Some(Expr::Read(a.clone()))));
        self.out.push(Stmt::Assign(a, Expr::Read(b.clone())));
        self.out.push(Stmt::Assign(b, self.read(before)));
    }
}
