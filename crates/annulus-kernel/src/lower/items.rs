//! What a `for` iterates over: a known number of items, each found by its number. Each iterator method
//! changes the length and how the number is used.

use annulus_abi::error;
use annulus_tree::{BinaryOp, Block, Expression, ExpressionKind, Pattern};

use super::{
    Lowered, Lowerer,
    cases::STORED_REFERENCE,
    iterator::may_change,
    list::is_list,
    operand::{Operand, Variable, describe, is_fixed},
    program::{Expr, Place, Root, Step, Stmt},
    slice::{View, compared, is_slice, size, usize_bits},
};
use crate::typed::{Scalar, Type};

const USIZE: Type = Type::Scalar(Scalar::Usize);

/// Items and how many there are.
pub(super) struct Items {
    /// It does not change.
    pub(super) len: Expr,
    pub(super) kind: Kind,
}

pub(super) enum Kind {
    /// Integers from this one on.
    Integers { start: Expr, scalar: Scalar },
    /// Elements, by reference or by value.
    Elements { view: View, by_value: bool },
    /// Parts with this many elements. The beginnings of two parts are `apart` elements apart; the last part
    /// may be shorter.
    Parts { view: View, len: Expr, apart: Expr },
    /// `copied()`.
    Copied(Box<Items>),
    /// `rev()`.
    Reversed(Box<Items>),
    /// `enumerate()`.
    Numbered(Box<Items>),
    /// `zip(others)`.
    Zipped(Box<Items>, Box<Items>),
    /// `chain(others)`, and whether nobody can change what the items refer to.
    Chained(Box<Items>, Box<Items>, bool),
    /// `flatten()` of arrays, with how many elements each of them has.
    Flattened(Box<Items>, usize),
    /// `step_by(step)`.
    Stepped(Box<Items>, Expr),
    /// `skip(count)`.
    Skipped(Box<Items>, Expr),
}

impl Lowerer<'_> {
    pub(super) fn repeat_items(
        &mut self,
        label: Option<&String>,
        pattern: &Pattern,
        items: &Expression,
        body: &Block,
    ) -> Lowered<Operand> {
        if has_closures(items) {
            return self.repeat_chain(label, pattern, items, body);
        }
        let items = self.items(items)?;
        let len = self.fixed(items.len.clone(), &USIZE, "count");
        let name = number_of(pattern, &items).unwrap_or("i");
        let mut local = 0;
        let (frame, statements) = self.framed(label, None, |inner| {
            local = inner.local(name, USIZE);
            inner.locals[local].below = Some(len.clone());
            let number = inner.read(local);
            inner.out.push(Stmt::Tick);
            let item = inner.item(&items, number)?;
            inner.bind_item(pattern, item)?;
            inner.block(body, None)?;
            Ok(())
        })?;
        self.out.push(Stmt::For { local, start: usize_bits(0), end: len, body: statements });
        self.pass_on(frame);
        Ok(Operand::Unit)
    }

    /// Binds an item. The number of a turn is the loop's own variable, and the user may get it.
    fn bind_item(&mut self, pattern: &Pattern, item: Operand) -> Lowered<()> {
        match (pattern, item) {
            (Pattern::Tuple { patterns }, Operand::Tuple(parts)) => {
                patterns.iter().zip(parts).try_for_each(|(pattern, part)| self.bind_item(pattern, part))
            }
            (
                Pattern::Bind { name, mutable: false, by_reference: false, inner: None },
                Operand::Value(Expr::Read(Place { root: Root::Local(local), steps, .. }), ty),
            ) if steps.is_empty() && ty == USIZE && self.locals[local].below.is_some() => {
                self.variables.push((name.clone(), Variable::Local(local)));
                Ok(())
            }
            (pattern, item) => self.bind_all(pattern, item),
        }
    }

    /// The items that an expression iterates over.
    pub(super) fn items(&mut self, expression: &Expression) -> Lowered<Items> {
        match &expression.kind {
            ExpressionKind::Range { start: Some(start), end, inclusive } => {
                self.integers(start, end.as_deref(), *inclusive)
            }
            ExpressionKind::Method { receiver, method, arguments, .. } => {
                match (method.as_str(), &arguments[..]) {
                    ("iter" | "iter_mut", []) => {
                        let operand = self.operand(receiver, None)?;
                        self.elements(operand, false)
                    }
                    ("into_iter", []) => {
                        let operand = self.operand(receiver, None)?;
                        self.plain(operand)
                    }
                    ("chunks" | "chunks_mut" | "chunks_exact" | "chunks_exact_mut" | "windows", [len]) => {
                        let operand = self.operand(receiver, None)?;
                        self.parts(operand, method, len)
                    }
                    ("copied" | "cloned" | "rev" | "enumerate", []) => {
                        let inner = Box::new(self.items(receiver)?);
                        let len = inner.len.clone();
                        let kind = match method.as_str() {
                            "rev" => Kind::Reversed(inner),
                            "enumerate" => Kind::Numbered(inner),
                            _ => Kind::Copied(inner),
                        };
                        Ok(Items { len, kind })
                    }
                    ("zip", [other]) => {
                        let (first, second) = (self.items(receiver)?, self.items(other)?);
                        let len = self.smaller(&first.len, &second.len);
                        Ok(Items { len, kind: Kind::Zipped(Box::new(first), Box::new(second)) })
                    }
                    ("chain", [other]) => {
                        let shared = !may_change(receiver) && !may_change(other);
                        let (first, second) = (self.items(receiver)?, self.items(other)?);
                        let len = match (&first.len, &second.len) {
                            (Expr::Bits(_, a), Expr::Bits(_, b)) => usize_bits(a.saturating_add(*b)),
                            (a, b) => {
                                let both = vec![a.clone(), b.clone()];
                                let len = Expr::Call("saturating_add", Scalar::Usize, both);
                                self.fixed(len, &USIZE, "count")
                            }
                        };
                        Ok(Items { len, kind: Kind::Chained(Box::new(first), Box::new(second), shared) })
                    }
                    ("step_by" | "skip" | "take", [count]) => self.counted(receiver, method, count),
                    _ => {
                        let operand = self.operand(expression, None)?;
                        self.plain(operand)
                    }
                }
            }
            _ => {
                let operand = self.operand(expression, None)?;
                self.plain(operand)
            }
        }
    }

    pub(super) fn size_argument(&mut self, count: &Expression, wanted: &str) -> Lowered<Expr> {
        let (expr, scalar) = self.scalar(count)?;
        if scalar != Scalar::Usize {
            return Err(format!("a count is a `usize`, not a `{}`", scalar.name()));
        }
        Ok(self.fixed(expr, &USIZE, wanted))
    }

    /// Fails where a size is 0, as the standard library does.
    fn refuse_zero(&mut self, count: &Expr) {
        match compared(BinaryOp::Eq, count, &usize_bits(0)) {
            Ok(false) => {}
            Ok(true) => self.out.push(Stmt::Fail(Expr::Bits(Scalar::Bool, 1), error::PANICKED)),
            Err(zero) => self.out.push(Stmt::Fail(zero, error::PANICKED)),
        }
    }

    fn smaller(&mut self, a: &Expr, b: &Expr) -> Expr {
        match compared(BinaryOp::Le, a, b) {
            Ok(true) => a.clone(),
            Ok(false) => b.clone(),
            Err(_) if a == b => a.clone(),
            Err(_) => {
                let smaller = Expr::Call("min", Scalar::Usize, vec![a.clone(), b.clone()]);
                self.fixed(smaller, &USIZE, "count")
            }
        }
    }

    /// `step_by`, `skip` and `take`.
    fn counted(&mut self, receiver: &Expression, method: &str, count: &Expression) -> Lowered<Items> {
        let inner = self.items(receiver)?;
        let all = inner.len.clone();
        if method == "step_by" {
            let step = self.size_argument(count, "step")?;
            self.refuse_zero(&step);
            let len = self.rounded_up(all, step.clone());
            return Ok(Items { len, kind: Kind::Stepped(Box::new(inner), step) });
        }
        let count = self.size_argument(count, method)?;
        let count = self.smaller(&all, &count);
        if method == "take" {
            return Ok(Items { len: count, kind: inner.kind });
        }
        let len = self.fixed(size(BinaryOp::Sub, all, count.clone()), &USIZE, "count");
        Ok(Items { len, kind: Kind::Skipped(Box::new(inner), count) })
    }

    /// `all / step`, rounded up.
    fn rounded_up(&mut self, all: Expr, step: Expr) -> Expr {
        let one = usize_bits(1);
        let turns = |all| {
            let before = size(BinaryOp::Div, size(BinaryOp::Sub, all, usize_bits(1)), step);
            size(BinaryOp::Add, before, one)
        };
        match compared(BinaryOp::Eq, &all, &usize_bits(0)) {
            Ok(true) => usize_bits(0),
            Ok(false) => {
                let turns = turns(all);
                self.fixed(turns, &USIZE, "count")
            }
            Err(none) => {
                let turns = turns(all);
                let count = Expr::Select(Box::new(none), Box::new(usize_bits(0)), Box::new(turns));
                self.fixed(count, &USIZE, "count")
            }
        }
    }

    /// `start..end`, `start..=end`, `start..`. Above the loop budget, the exact count does not matter.
    fn integers(&mut self, start: &Expression, end: Option<&Expression>, inclusive: bool) -> Lowered<Items> {
        let mut values = self.values(std::iter::once(start).chain(end))?.into_iter();
        let (start, ty) = values.next().expect("the start's value");
        let scalar = self.as_scalar(&ty)?;
        if !scalar.is_integer() {
            return Err(format!("a loop counts in integers, not in `{}`: multiply inside", scalar.name()));
        }
        let start = self.fixed(start, &ty, "first");
        let kind = Kind::Integers { start: start.clone(), scalar };
        let Some((end, _)) = values.next() else { return Ok(Items { len: usize_bits(u64::MAX), kind }) };
        let end = self.fixed(end, &ty, "end");
        if let (Expr::Bits(_, 0), Scalar::Usize, false) = (&start, scalar, inclusive) {
            return Ok(Items { len: end, kind });
        }
        let op = if inclusive { BinaryOp::Le } else { BinaryOp::Lt };
        let filled = Expr::binary(op, scalar, start.clone(), end.clone());
        let mut distance = Expr::Call("distance", scalar, vec![start, end]);
        if inclusive {
            distance = Expr::Call("saturating_add", Scalar::Usize, vec![distance, usize_bits(1)]);
        }
        let count = Expr::Select(Box::new(filled), Box::new(distance), Box::new(usize_bits(0)));
        Ok(Items { len: self.fixed(count, &USIZE, "count"), kind })
    }

    /// The items of `for item in operand`: elements of an array by value, and elements behind a reference by
    /// reference.
    fn plain(&mut self, operand: Operand) -> Lowered<Items> {
        if is_list(&operand) && matches!(operand, Operand::Place(_) | Operand::Value(..)) {
            return self.elements(operand, true);
        }
        let operand = self.followed_list(operand)?;
        if !is_slice(&operand) {
            return Err(format!(
                "a loop on a device runs over ranges, arrays and slices, not over {}: count in a `while`",
                operand.describe()
            ));
        }
        let by_value = matches!(operand, Operand::Place(_) | Operand::Value(..));
        self.elements(operand, by_value)
    }

    /// `array.map(f)`: another array.
    pub(super) fn array_map(&mut self, operand: Operand, f: &Expression) -> Lowered<Operand> {
        let operand = if let Operand::Ref(place) = operand { Operand::Place(place) } else { operand };
        let items = self.elements(operand, true)?;
        let Expr::Bits(_, len) = items.len else {
            return Err("an array has a length: rebuild the program".into());
        };
        self.array_from(len as usize, f, |inner, index| inner.item(&items, index))
    }

    /// An array of what a closure gives for each index, or for the item of this index.
    pub(super) fn array_from(
        &mut self,
        len: usize,
        f: &Expression,
        item: impl FnOnce(&mut Self, Expr) -> Lowered<Operand>,
    ) -> Lowered<Operand> {
        if len == 0 {
            return Err("an array without elements is not made by a closure on a device: write `[]`".into());
        }
        let (depth, bits) = (self.names.depth(), usize_bits(len as u64));
        let ((made, i), body) = self.nested(|inner| {
            let i = inner.local("i", USIZE);
            inner.locals[i].below = Some(bits.clone());
            let item = item(inner, inner.read(i))?;
            let value = inner.apply(f, vec![item])?;
            if matches!(value, Operand::Never) {
                return Ok((None, i));
            }
            if Self::holds_reference(&value) {
                return Err(STORED_REFERENCE.into());
            }
            let (value, ty) = inner.value_of(value)?;
            if ty == Type::Unit {
                return Err("a closure that gives nothing makes no array: write a `for`".into());
            }
            let array = Type::Array { element: Box::new(ty.clone()), len };
            let made = inner.outer_local(depth, "mapped", array);
            let place = inner.place_of_local(made).then(Step::Index(inner.read(i)), ty);
            inner.out.push(Stmt::Assign(place, value));
            Ok((Some(made), i))
        })?;
        if let Some(made) = made {
            self.out.push(Stmt::Declare(made, None));
        }
        self.out.push(Stmt::For { local: i, start: usize_bits(0), end: bits, body });
        Ok(match made {
            Some(made) => {
                self.locals[made].mutable = false;
                self.locals[made].made = true;
                Operand::Value(self.read(made), self.locals[made].ty.clone())
            }
            None => Operand::Never,
        })
    }

    fn elements(&mut self, operand: Operand, by_value: bool) -> Lowered<Items> {
        let operand = if by_value { operand } else { self.followed_list(operand)? };
        let operand = match operand {
            Operand::Place(place) if by_value && !self.is_constant(&place) => {
                let ty = place.ty.clone();
                Operand::Value(Expr::Read(place), ty)
            }
            other => other,
        };
        let operand = match operand {
            Operand::Value(expr, ty) => {
                let local = match self.made_local(&expr) {
                    Some(local) => local,
                    None => self.temporary("items", ty, Some(expr)),
                };
                self.locals[local].made = false;
                Operand::Place(self.place_of_local(local))
            }
            other => other,
        };
        if !is_slice(&operand) {
            return Err(format!("{} has no elements", operand.describe()));
        }
        let view = self.view(operand)?;
        Ok(Items { len: view.len.clone(), kind: Kind::Elements { view, by_value } })
    }

    /// Whether no statement changes the value at a place.
    fn is_constant(&self, place: &Place) -> bool {
        match place.root {
            Root::Local(_) => {
                let whole = Place::new(place.root, place.ty.clone());
                is_fixed(&self.locals, &Expr::Read(whole)) && place.steps.is_empty()
            }
            Root::Constant(_) | Root::Message => true,
            Root::State | Root::Binding(_) | Root::Together(_) => false,
        }
    }

    /// `chunks(len)`, `chunks_exact(len)`, `windows(len)`.
    fn parts(&mut self, operand: Operand, method: &str, len: &Expression) -> Lowered<Items> {
        if !is_slice(&operand) {
            return Err(format!("{} has no elements", describe_operand(&operand)));
        }
        let view = self.view(operand)?;
        let len = self.size_argument(len, "len")?;
        self.refuse_zero(&len);
        let all = view.len.clone();
        let (count, apart) = match method {
            "windows" => {
                let windows =
                    size(BinaryOp::Add, size(BinaryOp::Sub, all.clone(), len.clone()), usize_bits(1));
                let count = match compared(BinaryOp::Lt, &all, &len) {
                    Ok(true) => usize_bits(0),
                    Ok(false) => windows,
                    Err(short) => Expr::Select(Box::new(short), Box::new(usize_bits(0)), Box::new(windows)),
                };
                (self.fixed(count, &USIZE, "count"), usize_bits(1))
            }
            "chunks" | "chunks_mut" => (self.rounded_up(all, len.clone()), len.clone()),
            _ => {
                let count = size(BinaryOp::Div, all, len.clone());
                (self.fixed(count, &USIZE, "count"), len.clone())
            }
        };
        Ok(Items { len: count, kind: Kind::Parts { view, len, apart } })
    }

    /// The item of this number.
    pub(super) fn item(&mut self, items: &Items, number: Expr) -> Lowered<Operand> {
        Ok(match &items.kind {
            Kind::Integers { start: Expr::Bits(_, 0), scalar: scalar @ (Scalar::Usize | Scalar::U64) } => {
                Operand::Value(number, Type::Scalar(*scalar))
            }
            Kind::Integers { start, scalar } => {
                let integer = Expr::Call("advance", *scalar, vec![start.clone(), number]);
                Operand::Value(integer, Type::Scalar(*scalar))
            }
            Kind::Elements { view, by_value } => match self.element(view, number) {
                Operand::Place(place) if !by_value => Operand::Ref(self.steady(place)),
                other => other,
            },
            Kind::Parts { view, len, apart } => {
                let start = self.fixed(size(BinaryOp::Mul, number, apart.clone()), &USIZE, "first");
                let rest = size(BinaryOp::Sub, view.len.clone(), start.clone());
                let len = self.smaller(len, &rest);
                Operand::view(self.part_of_view(view, start, len))
            }
            Kind::Copied(inner) => match self.item(inner, number)? {
                Operand::Ref(place) => Operand::Place(place),
                other => other,
            },
            Kind::Reversed(inner) => {
                let last = size(BinaryOp::Sub, inner.len.clone(), usize_bits(1));
                let number = self.fixed(size(BinaryOp::Sub, last, number), &USIZE, "at");
                self.item(inner, number)?
            }
            Kind::Numbered(inner) => {
                let item = self.item(inner, number.clone())?;
                Operand::Tuple(vec![Operand::Value(number, USIZE), item])
            }
            Kind::Zipped(first, second) => {
                let first = self.item(first, number.clone())?;
                Operand::Tuple(vec![first, self.item(second, number)?])
            }
            Kind::Chained(first, second, shared) => self.item_of_either(first, second, *shared, number)?,
            Kind::Flattened(inner, len) => {
                let len = usize_bits(*len as u64);
                let outer = self.fixed(size(BinaryOp::Div, number.clone(), len.clone()), &USIZE, "outer");
                let at = self.fixed(size(BinaryOp::Rem, number, len), &USIZE, "at");
                let array = self.item(inner, outer)?;
                let by_value = !matches!(array, Operand::Ref(_));
                let view = self.view(array)?;
                match self.element(&view, at) {
                    Operand::Place(place) if !by_value => Operand::Ref(self.steady(place)),
                    other => other,
                }
            }
            Kind::Stepped(inner, step) => {
                let number = self.fixed(size(BinaryOp::Mul, number, step.clone()), &USIZE, "at");
                self.item(inner, number)?
            }
            Kind::Skipped(inner, count) => {
                let number = self.fixed(size(BinaryOp::Add, count.clone(), number), &USIZE, "at");
                self.item(inner, number)?
            }
        })
    }
}

impl Lowerer<'_> {
    /// The item of this number, of the first items or of those that come after them.
    fn item_of_either(
        &mut self,
        first: &Items,
        second: &Items,
        shared: bool,
        number: Expr,
    ) -> Lowered<Operand> {
        let name = self.names.take("item");
        let number = self.fixed(number, &USIZE, "number");
        let in_first = Expr::binary(BinaryOp::Lt, Scalar::Usize, number.clone(), first.len.clone());
        let mut then = self.branch(|inner| inner.item(first, number.clone()))?;
        let mut otherwise = self.branch(|inner| {
            let at = inner.fixed(size(BinaryOp::Sub, number, first.len.clone()), &USIZE, "at");
            inner.item(second, at)
        })?;
        let item = self.join([&mut then, &mut otherwise], name, shared)?;
        self.out.push(Stmt::If(in_first, then.statements, otherwise.statements));
        Ok(item)
    }
}

/// The type of the elements that items are or refer to, if they are elements.
pub(super) fn element_of(items: &Items) -> Option<Type> {
    match &items.kind {
        Kind::Elements { view, .. } => Some(view.element().clone()),
        Kind::Copied(inner) | Kind::Reversed(inner) | Kind::Stepped(inner, _) | Kind::Skipped(inner, _) => {
            element_of(inner)
        }
        Kind::Chained(first, ..) => element_of(first),
        Kind::Flattened(inner, _) => match element_of(inner)? {
            Type::Array { element, .. } => Some(*element),
            _ => None,
        },
        Kind::Integers { .. } | Kind::Parts { .. } | Kind::Numbered(_) | Kind::Zipped(..) => None,
    }
}

fn describe_operand(operand: &Operand) -> String {
    match operand {
        Operand::Value(_, ty) => describe(ty),
        other => other.describe(),
    }
}

/// The name that a pattern gives to the number of the turn.
fn number_of<'p>(pattern: &'p Pattern, items: &Items) -> Option<&'p str> {
    let Pattern::Tuple { patterns } = pattern else {
        return match (pattern, &items.kind) {
            (
                Pattern::Bind { name, mutable: false, by_reference: false, inner: None },
                Kind::Integers { start: Expr::Bits(_, 0), scalar: Scalar::Usize },
            ) => Some(name),
            _ => None,
        };
    };
    match (&items.kind, &patterns[..]) {
        (
            Kind::Numbered(_),
            [Pattern::Bind { name, mutable: false, by_reference: false, inner: None }, ..],
        ) => Some(name),
        (Kind::Zipped(first, second), [a, b]) => number_of(a, first).or_else(|| number_of(b, second)),
        _ => None,
    }
}

/// Whether a closure is called for each item, before the loop's body.
pub(super) fn has_closures(expression: &Expression) -> bool {
    let ExpressionKind::Method { receiver, method, arguments, .. } = &expression.kind else { return false };
    let is_closure = |argument: &Expression| matches!(argument.kind, ExpressionKind::Closure { .. });
    arguments.iter().any(is_closure)
        // What it runs through, only the items tell.
        || method == "flatten" && is_iterator(receiver)
        || matches!(method.as_str(), "chain" | "zip") && arguments.iter().any(has_closures)
        || is_iterator(receiver) && has_closures(receiver)
}

/// Whether an expression makes an iterator.
pub(super) fn is_iterator(expression: &Expression) -> bool {
    match &expression.kind {
        ExpressionKind::Range { .. } => true,
        ExpressionKind::Method { receiver, method, arguments, .. } => {
            match (method.as_str(), arguments.len()) {
                ("iter" | "iter_mut" | "into_iter", 0)
                | ("chunks" | "chunks_exact" | "chunks_exact_mut" | "chunks_mut" | "windows", 1) => true,
                ("cloned" | "copied" | "enumerate" | "flatten" | "rev", 0)
                | (
                    "chain" | "filter" | "filter_map" | "inspect" | "map" | "map_while" | "skip"
                    | "skip_while" | "step_by" | "take" | "take_while" | "zip",
                    1,
                ) => is_iterator(receiver),
                _ => false,
            }
        }
        _ => false,
    }
}
