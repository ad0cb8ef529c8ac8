//! Iterators with closures, as one loop. Each item goes through all closures before the next item is taken,
//! as in Rust.

use annulus_tree::{BinaryOp, Block, Expression, ExpressionKind, Pattern, WitnessId};

use super::{
    Lowered, Lowerer,
    cases::{Cases, case_part, has_cases, is_case, is_either},
    equal::{self, is_compared},
    items::{Items, Kind, element_of, has_closures},
    operand::Operand,
    order::{self, is_ordered},
    program::{Expr, LocalId, Stmt},
    slice::{compared, size, usize_bits},
    wrapping::wrapped,
};
use crate::typed::{Scalar, Type};

const USIZE: Type = Type::Scalar(Scalar::Usize);
const BOOL: Type = Type::Scalar(Scalar::Bool);

/// Items, and what is done with each of them.
struct Chain<'e> {
    items: Items,
    stages: Vec<Stage<'e>>,
}

enum Stage<'e> {
    Map(&'e Expression),
    Filter(&'e Expression),
    FilterMap(&'e Expression),
    Inspect(&'e Expression),
    MapWhile(&'e Expression),
    TakeWhile(&'e Expression),
    /// The variable says whether it has begun.
    SkipWhile(&'e Expression, LocalId),
    Copied,
    /// What is in an item that is an `Option` or a `Result`.
    Flatten,
    /// The variable counts.
    Numbered(LocalId),
    Take(LocalId, Expr),
    Skip(LocalId, Expr),
}

/// Whether the items may be references that change their targets.
pub(super) fn may_change(expression: &Expression) -> bool {
    match &expression.kind {
        ExpressionKind::Method { receiver, method, arguments, .. } => match method.as_str() {
            // Items by value.
            "copied" | "cloned" => false,
            // Those of an array that is written there are, too.
            "into_iter" => !matches!(
                receiver.kind,
                ExpressionKind::Array { .. } | ExpressionKind::Repeat { .. } | ExpressionKind::Range { .. }
            ),
            "iter_mut" | "chunks_mut" | "chunks_exact_mut" => true,
            "chain" | "zip" => may_change(receiver) || arguments.iter().any(may_change),
            _ => may_change(receiver),
        },
        _ => false,
    }
}

impl Lowerer<'_> {
    fn chain_of<'e>(&mut self, expression: &'e Expression) -> Lowered<Chain<'e>> {
        let ExpressionKind::Method { receiver, method, arguments, .. } = &expression.kind else {
            return Ok(Chain { items: self.items(expression)?, stages: Vec::new() });
        };
        if !has_closures(expression) {
            return Ok(Chain { items: self.items(expression)?, stages: Vec::new() });
        }
        let mut chain = self.chain_of(receiver)?;
        let stage = match (method.as_str(), &arguments[..]) {
            ("map", [f]) => Stage::Map(f),
            ("filter", [f]) => Stage::Filter(f),
            ("filter_map", [f]) => Stage::FilterMap(f),
            ("inspect", [f]) => Stage::Inspect(f),
            ("map_while", [f]) => Stage::MapWhile(f),
            ("take_while", [f]) => Stage::TakeWhile(f),
            ("skip_while", [f]) => Stage::SkipWhile(f, self.flag("begun")),
            ("copied" | "cloned", []) => Stage::Copied,
            ("enumerate", []) => Stage::Numbered(self.counter("number")),
            ("flatten", []) => {
                let element = element_of(&chain.items).filter(|_| chain.stages.is_empty());
                let Some(Type::Array { len, .. }) = element else {
                    chain.stages.push(Stage::Flatten);
                    return Ok(chain);
                };
                let all = size(BinaryOp::Mul, chain.items.len.clone(), usize_bits(len as u64));
                let all = self.fixed(all, &USIZE, "count");
                chain.items = Items { len: all, kind: Kind::Flattened(Box::new(chain.items), len) };
                return Ok(chain);
            }
            ("take" | "skip", [count]) => {
                let count = self.size_argument(count, method)?;
                let counter = self.counter("counted");
                if method == "take" { Stage::Take(counter, count) } else { Stage::Skip(counter, count) }
            }
            // The items come in reverse order, and so do the calls of the closures.
            ("rev", []) if chain.stages.iter().all(|stage| !stage.counts()) => {
                let len = chain.items.len.clone();
                chain.items = Items { len, kind: Kind::Reversed(Box::new(chain.items)) };
                return Ok(chain);
            }
            _ => {
                return Err(format!(
                    "a device has no `{method}` behind or with closures: write it before `map` and `filter`, or write a `for`"
                ));
            }
        };
        chain.stages.push(stage);
        Ok(chain)
    }

    fn counter(&mut self, wanted: &str) -> LocalId {
        let local = self.temporary(wanted, USIZE, Some(usize_bits(0)));
        self.locals[local].mutable = true;
        self.locals[local].made = false;
        local
    }

    fn flag(&mut self, wanted: &str) -> LocalId {
        let local = self.temporary(wanted, BOOL, Some(Expr::Bits(Scalar::Bool, 0)));
        self.locals[local].mutable = true;
        self.locals[local].made = false;
        local
    }

    fn count_up(&mut self, local: LocalId) -> Stmt {
        Stmt::Assign(self.place_of_local(local), size(BinaryOp::Add, self.read(local), usize_bits(1)))
    }

    fn set(&self, local: LocalId) -> Stmt {
        Stmt::Assign(self.place_of_local(local), Expr::Bits(Scalar::Bool, 1))
    }

    /// The item of this turn after all stages. A stage may leave the turn or the loop.
    fn item_of_turn(&mut self, chain: &Chain<'_>, number: Expr) -> Lowered<Operand> {
        for stage in &chain.stages {
            // Nothing is evaluated after the last item.
            if let Stage::Take(counter, count) = stage {
                let enough = Expr::binary(BinaryOp::Ge, Scalar::Usize, self.read(*counter), count.clone());
                self.out.push(Stmt::If(enough, vec![Stmt::Break], Vec::new()));
            }
        }
        let mut item = self.item(&chain.items, number)?;
        for stage in &chain.stages {
            if matches!(item, Operand::Never) {
                break;
            }
            item = match stage {
                Stage::Map(f) => self.apply(f, vec![item])?,
                Stage::Filter(f) | Stage::TakeWhile(f) => {
                    let item = self.fixed_operand(item)?;
                    let kept = self.asked(f, item.clone())?;
                    let leave = if matches!(stage, Stage::Filter(_)) { Stmt::Continue } else { Stmt::Break };
                    self.out.push(Stmt::If(kept.not(), vec![leave], Vec::new()));
                    item
                }
                Stage::SkipWhile(f, begun) => {
                    let item = self.fixed_operand(item)?;
                    let ((), statements) = self.nested(|inner| {
                        let skipped = inner.asked(f, item.clone())?;
                        inner.out.push(Stmt::If(skipped, vec![Stmt::Continue], Vec::new()));
                        let set = inner.set(*begun);
                        inner.out.push(set);
                        Ok(())
                    })?;
                    self.out.push(Stmt::If(self.read(*begun).not(), statements, Vec::new()));
                    item
                }
                Stage::Inspect(f) => {
                    let item = self.fixed_operand(item)?;
                    self.apply(f, vec![item.clone()])?;
                    item
                }
                Stage::FilterMap(f) | Stage::MapWhile(f) => {
                    let given = self.apply(f, vec![item])?;
                    if matches!(given, Operand::Never) {
                        return Ok(given);
                    }
                    let Cases { good, then, .. } = self.cases(given)?;
                    let leave =
                        if matches!(stage, Stage::FilterMap(_)) { Stmt::Continue } else { Stmt::Break };
                    self.out.push(Stmt::If(good.not(), vec![leave], Vec::new()));
                    self.taken(*then, None)?
                }
                Stage::Flatten => {
                    let (good, then) = match item {
                        // `&Option<T>` has a `&T` in it.
                        Operand::Ref(place) if has_cases(&place.ty) && place.ty != Type::Verdict => {
                            let case = if matches!(place.ty, Type::Option(_)) { "Some" } else { "Ok" };
                            (is_case(&place, case)?, Operand::Ref(case_part(&place, case)?))
                        }
                        item if is_either(&item) => {
                            let Cases { good, then, .. } = self.cases(item)?;
                            (good, *then)
                        }
                        _ => {
                            return Err("a device flattens `Option`s, `Result`s and arrays that lie in memory: write a loop in the loop".into());
                        }
                    };
                    self.out.push(Stmt::If(good.not(), vec![Stmt::Continue], Vec::new()));
                    self.taken(then, None)?
                }
                Stage::Copied => match item {
                    Operand::Ref(place) => self.taken(Operand::Place(place), None)?,
                    other => other,
                },
                Stage::Numbered(counter) => {
                    let item = self.fixed_operand(item)?;
                    let number = self.temporary("number", USIZE, Some(self.read(*counter)));
                    self.locals[number].made = false;
                    let up = self.count_up(*counter);
                    self.out.push(up);
                    Operand::Tuple(vec![Operand::Value(self.read(number), USIZE), item])
                }
                Stage::Take(counter, _) => {
                    let item = self.fixed_operand(item)?;
                    let up = self.count_up(*counter);
                    self.out.push(up);
                    item
                }
                Stage::Skip(counter, count) => {
                    let item = self.fixed_operand(item)?;
                    let more = Expr::binary(BinaryOp::Lt, Scalar::Usize, self.read(*counter), count.clone());
                    let up = self.count_up(*counter);
                    self.out.push(Stmt::If(more, vec![up, Stmt::Continue], Vec::new()));
                    item
                }
            };
        }
        Ok(item)
    }

    /// A loop over a chain's items. Variables of `outer` are declared before it.
    fn over(
        &mut self,
        chain: &Chain<'_>,
        label: Option<&String>,
        outer: &mut Vec<LocalId>,
        body: impl FnOnce(&mut Self, Operand, &mut Vec<LocalId>) -> Lowered<()>,
    ) -> Lowered<()> {
        self.over_numbered(chain, label, outer, |inner, item, _, outer| body(inner, item, outer))
    }

    /// The same, with the number of the item before all stages.
    fn over_numbered(
        &mut self,
        chain: &Chain<'_>,
        label: Option<&String>,
        outer: &mut Vec<LocalId>,
        body: impl FnOnce(&mut Self, Operand, Expr, &mut Vec<LocalId>) -> Lowered<()>,
    ) -> Lowered<()> {
        let len = self.fixed(chain.items.len.clone(), &USIZE, "count");
        let mut local = 0;
        let (frame, statements) = self.framed(label, None, |inner| {
            local = inner.local("i", USIZE);
            inner.locals[local].below = Some(len.clone());
            let number = inner.read(local);
            inner.out.push(Stmt::Tick);
            let item = inner.item_of_turn(chain, number.clone())?;
            if matches!(item, Operand::Never) { Ok(()) } else { body(inner, item, number, outer) }
        })?;
        for local in outer.drain(..) {
            self.out.push(Stmt::Declare(local, None));
        }
        self.out.push(Stmt::For { local, start: usize_bits(0), end: len, body: statements });
        self.pass_on(frame);
        Ok(())
    }

    /// `for pattern in items` where closures are called for each item.
    pub(super) fn repeat_chain(
        &mut self,
        label: Option<&String>,
        pattern: &Pattern,
        items: &Expression,
        body: &Block,
    ) -> Lowered<Operand> {
        let chain = self.chain_of(items)?;
        self.over(&chain, label, &mut Vec::new(), |inner, item, _| {
            inner.bind_all(pattern, item)?;
            inner.block(body, None).map(drop)
        })?;
        Ok(Operand::Unit)
    }

    /// A method that consumes an iterator.
    pub(super) fn use_up(
        &mut self,
        receiver: &Expression,
        method: &str,
        arguments: &[Expression],
        witness: Option<WitnessId>,
    ) -> Lowered<Operand> {
        let chain = self.chain_of(receiver)?;
        match (method, arguments) {
            ("sum" | "product", []) => self.sum(&chain, method, witness),
            ("count", []) => {
                let counter = self.counter("counted");
                self.over(&chain, None, &mut Vec::new(), |inner, _, _| {
                    let up = inner.count_up(counter);
                    inner.out.push(up);
                    Ok(())
                })?;
                Ok(Operand::Value(self.read(counter), USIZE))
            }
            ("any" | "all", [f]) => {
                let any = method == "any";
                let answer = self.temporary(method, BOOL, Some(Expr::Bits(Scalar::Bool, u64::from(!any))));
                self.locals[answer].mutable = true;
                self.locals[answer].made = false;
                let settled =
                    Stmt::Assign(self.place_of_local(answer), Expr::Bits(Scalar::Bool, u64::from(any)));
                self.over(&chain, None, &mut Vec::new(), |inner, item, _| {
                    let holds = inner.asked(f, item)?;
                    let ends = if any { holds } else { holds.not() };
                    inner.out.push(Stmt::If(ends, vec![settled, Stmt::Break], Vec::new()));
                    Ok(())
                })?;
                Ok(Operand::Value(self.read(answer), BOOL))
            }
            ("position", [f]) => {
                let (counter, found) = (self.counter("position"), self.flag("found"));
                self.over(&chain, None, &mut Vec::new(), |inner, item, _| {
                    let holds = inner.asked(f, item)?;
                    inner.out.push(Stmt::If(holds, vec![inner.set(found), Stmt::Break], Vec::new()));
                    let up = inner.count_up(counter);
                    inner.out.push(up);
                    Ok(())
                })?;
                let then = Box::new(Operand::Value(self.read(counter), USIZE));
                Ok(Operand::cases(Cases { good: self.read(found), then, error: None, mutable: false }))
            }
            ("rposition", [f]) => {
                if chain.stages.iter().any(Stage::counts) {
                    return Err(
                        "a device's `rposition` stands behind `map` and what counts no items: write a `for` over `.rev()`"
                            .into(),
                    );
                }
                let len = self.fixed(chain.items.len.clone(), &USIZE, "count");
                let Chain { items, stages } = chain;
                let items = Items { len: len.clone(), kind: Kind::Reversed(Box::new(items)) };
                let chain = Chain { items, stages };
                let (position, found) = (self.temporary("position", USIZE, Some(len)), self.flag("found"));
                self.locals[position].mutable = true;
                self.locals[position].made = false;
                self.over(&chain, None, &mut Vec::new(), |inner, item, _| {
                    let down = size(BinaryOp::Sub, inner.read(position), usize_bits(1));
                    let down = Stmt::Assign(inner.place_of_local(position), down);
                    inner.out.push(down);
                    let holds = inner.asked(f, item)?;
                    inner.out.push(Stmt::If(holds, vec![inner.set(found), Stmt::Break], Vec::new()));
                    Ok(())
                })?;
                let then = Box::new(Operand::Value(self.read(position), USIZE));
                Ok(Operand::cases(Cases { good: self.read(found), then, error: None, mutable: false }))
            }
            ("eq", [other]) => self.equal_items(&chain, other),
            ("for_each", [f]) => {
                self.over(&chain, None, &mut Vec::new(), |inner, item, _| {
                    inner.apply(f, vec![item]).map(drop)
                })?;
                Ok(Operand::Unit)
            }
            ("fold", [first, f]) => {
                let (first, ty) = self.value(first)?;
                let folded = self.temporary("folded", ty.clone(), Some(first));
                self.locals[folded].mutable = true;
                self.locals[folded].made = false;
                let place = self.place_of_local(folded);
                self.over(&chain, None, &mut Vec::new(), |inner, item, _| {
                    let so_far = Operand::Value(inner.read(folded), ty.clone());
                    match inner.apply(f, vec![so_far, item])? {
                        Operand::Never => {}
                        next => {
                            let (next, _) = inner.value_of(next)?;
                            inner.out.push(Stmt::Assign(place, next));
                        }
                    }
                    Ok(())
                })?;
                Ok(Operand::Value(self.read(folded), ty))
            }
            (
                "find"
                | "find_map"
                | "last"
                | "min"
                | "max"
                | "min_by"
                | "min_by_key"
                | "min_by_key_reversed"
                | "max_by"
                | "max_by_key"
                | "max_by_key_reversed",
                _,
            ) => {
                let by_number = may_change(receiver) && method != "find_map";
                if by_number && !chain.stages.iter().all(Stage::keeps_items) {
                    return Err(format!(
                        "`{method}` of a device gives no `&mut` behind `map` and its kin: write `position`, and index with what it gives"
                    ));
                }
                self.one_of(&chain, method, arguments, by_number)
            }
            _ => Err(format!("a device's iterators have no `{method}` with these arguments: write a `for`")),
        }
    }

    /// `items.eq(others)`.
    fn equal_items(&mut self, chain: &Chain<'_>, other: &Expression) -> Lowered<Operand> {
        if !chain.stages.is_empty() || has_closures(other) {
            return Err(
                "a device's `eq` has no closures before it: write `zip` and `all`, and compare the lengths"
                    .into(),
            );
        }
        let others = self.items(other)?;
        let len = self.fixed(chain.items.len.clone(), &USIZE, "count");
        let same = match compared(BinaryOp::Eq, &len, &others.len) {
            Ok(known) => Expr::Bits(Scalar::Bool, u64::from(known)),
            Err(unknown) => unknown,
        };
        let equal = self.temporary("same", BOOL, Some(same));
        self.locals[equal].mutable = true;
        self.locals[equal].made = false;
        let differ = Stmt::Assign(self.place_of_local(equal), Expr::Bits(Scalar::Bool, 0));
        let ((), statements) = self.nested(|inner| {
            inner.over_numbered(chain, None, &mut Vec::new(), |inner, item, number, _| {
                let (item, ty) = inner.value_of(item)?;
                let item = inner.as_place(Operand::Value(item, ty))?;
                let other = inner.item(&others, number)?;
                let (other, ty) = inner.value_of(other)?;
                if !is_compared(&ty) || ty != item.ty {
                    return Err(equal::refusal(&ty));
                }
                let same = inner.equal_to(&item, other)?;
                inner.out.push(Stmt::If(same.not(), vec![differ, Stmt::Break], Vec::new()));
                Ok(())
            })
        })?;
        self.out.push(Stmt::If(self.read(equal), statements, Vec::new()));
        Ok(Operand::Value(self.read(equal), BOOL))
    }

    fn sum(&mut self, chain: &Chain<'_>, method: &str, witness: Option<WitnessId>) -> Lowered<Operand> {
        let ty = self.type_of(witness.ok_or("a sum has a type: rebuild the program")?)?;
        if wrapped(&ty).is_some() {
            let (op, first) = if method == "sum" { (BinaryOp::Add, 0) } else { (BinaryOp::Mul, 1) };
            let so_far = self.wrapping_variable(method, ty.clone(), first)?;
            self.over(chain, None, &mut Vec::new(), |inner, item, _| {
                let item = inner.value_of(item)?;
                inner.wrapping_assign(op, so_far.clone(), item.0, item.1).map(drop)
            })?;
            return Ok(Operand::Value(Expr::Read(so_far), ty));
        }
        let scalar = self.as_scalar(&ty)?;
        let (op, first) = if method == "sum" { (BinaryOp::Add, 0.0) } else { (BinaryOp::Mul, 1.0) };
        let first = match scalar {
            // The standard library starts sums with negative zero, so that a sum of negative zeros is one.
            Scalar::F32 if op == BinaryOp::Add => u64::from((-0.0f32).to_bits()),
            Scalar::F64 if op == BinaryOp::Add => (-0.0f64).to_bits(),
            Scalar::F32 => u64::from(f32::to_bits(first as f32)),
            Scalar::F64 => f64::to_bits(first),
            _ => first as u64,
        };
        let local = self.temporary(method, ty.clone(), Some(Expr::Bits(scalar, first)));
        self.locals[local].mutable = true;
        self.locals[local].made = false;
        let place = self.place_of_local(local);
        self.over(chain, None, &mut Vec::new(), |inner, item, _| {
            let (value, value_ty) = inner.value_of(item)?;
            let of = inner.as_scalar(&value_ty)?;
            let so_far = inner.read(local);
            let next = inner.operate(op, scalar, so_far, of, value)?;
            inner.out.push(Stmt::Assign(place, next));
            Ok(())
        })?;
        Ok(Operand::Value(self.read(local), ty))
    }

    /// A copy of an item, in variables that are declared before the loop, and the statements that copy it.
    fn kept(
        &mut self,
        item: Operand,
        depth: usize,
        outer: &mut Vec<LocalId>,
    ) -> Lowered<(Operand, Vec<Stmt>)> {
        let mut copy = |lowerer: &mut Self, value: Expr, ty: Type| {
            let local = lowerer.outer_local(depth, "kept", ty);
            outer.push(local);
            let place = lowerer.place_of_local(local);
            (place.clone(), Stmt::Assign(place, value))
        };
        Ok(match item {
            Operand::Unit | Operand::Never => (Operand::Unit, Vec::new()),
            Operand::Ref(place) => {
                let ty = place.ty.clone();
                let own = matches!(ty, Type::Struct(_) | Type::Enum(_));
                let (place, statement) = copy(self, Expr::Read(place), ty.clone());
                (
                    if own { Operand::Ref(place) } else { Operand::Value(Expr::Read(place), ty) },
                    vec![statement],
                )
            }
            Operand::Tuple(parts) => {
                let (mut kept, mut statements) = (Vec::new(), Vec::new());
                for part in parts {
                    let (part, more) = self.kept(part, depth, outer)?;
                    kept.push(part);
                    statements.extend(more);
                }
                (Operand::Tuple(kept), statements)
            }
            Operand::View(_) | Operand::Slice(_) => {
                return Err(
                    "a device keeps no slice beyond a loop: write `position`, and index with what it gives"
                        .into(),
                );
            }
            item => {
                let (value, ty) = self.value_of(item)?;
                let (place, statement) = copy(self, value, ty.clone());
                (Operand::Value(Expr::Read(place), ty), vec![statement])
            }
        })
    }

    /// True if there was no item before. Otherwise the answer of `ask`: there is then an item to compare
    /// with.
    fn unless_first(
        &mut self,
        found: LocalId,
        ask: impl FnOnce(&mut Self) -> Lowered<Expr>,
    ) -> Lowered<Expr> {
        let better = self.temporary("better", BOOL, Some(Expr::Bits(Scalar::Bool, 1)));
        self.locals[better].mutable = true;
        self.locals[better].made = false;
        let place = self.place_of_local(better);
        let ((), statements) = self.nested(|inner| {
            let answer = ask(inner)?;
            inner.out.push(Stmt::Assign(place, answer));
            Ok(())
        })?;
        self.out.push(Stmt::If(self.read(found), statements, Vec::new()));
        Ok(self.read(better))
    }

    /// `find`, `last`, `min`, `max` and their kin: an item, if there is one. If it may be changed, its number is
    /// kept instead of a copy.
    fn one_of(
        &mut self,
        chain: &Chain<'_>,
        method: &str,
        arguments: &[Expression],
        by_number: bool,
    ) -> Lowered<Operand> {
        let found = self.flag("found");
        let kept_number = by_number.then(|| self.counter("kept"));
        let depth = self.names.depth();
        let mut outer = Vec::new();
        let mut result = None;
        self.over_numbered(chain, None, &mut outer, |inner, item, number, outer| {
            let keep = |inner: &mut Self, item: Operand, outer: &mut Vec<LocalId>| match kept_number {
                Some(kept) => Ok((item, vec![Stmt::Assign(inner.place_of_local(kept), number)])),
                None => inner.kept(item, depth, outer),
            };
            let (condition, statements) = match (method, arguments) {
                ("find", [f]) => {
                    let item = inner.fixed_operand(item)?;
                    let holds = inner.asked(f, item.clone())?;
                    let (kept, mut statements) = keep(inner, item, outer)?;
                    result = Some(kept);
                    statements.extend([inner.set(found), Stmt::Break]);
                    (Some(holds), statements)
                }
                ("find_map", [f]) => {
                    let given = inner.apply(f, vec![item])?;
                    let Cases { good, then, mutable, .. } = inner.cases(given)?;
                    if mutable {
                        return Err(super::control::CHOSEN_REFERENCE.into());
                    }
                    // An absent item is not read.
                    let (kept, statements) = inner.nested(|inner| {
                        let (kept, statements) = inner.kept(*then, depth, outer)?;
                        inner.out.extend(statements);
                        inner.out.extend([inner.set(found), Stmt::Break]);
                        Ok(kept)
                    })?;
                    result = Some(kept);
                    (Some(good), statements)
                }
                ("last", []) => {
                    let (kept, mut statements) = keep(inner, item, outer)?;
                    result = Some(kept);
                    statements.push(inner.set(found));
                    (None, statements)
                }
                ("min" | "max", [])
                | ("min_by_key" | "max_by_key" | "min_by_key_reversed" | "max_by_key_reversed", [_]) => {
                    let item = inner.fixed_operand(item)?;
                    let key = match arguments {
                        [f] => inner.apply(f, vec![item.clone()])?,
                        _ => item.clone(),
                    };
                    let (key, ty) = inner.value_of(key)?;
                    if !is_ordered(&ty, true) {
                        return Err(order::not_derived(&ty, method));
                    }
                    let key = inner.fixed(key, &ty, "key");
                    let best = inner.outer_local(depth, "best", ty.clone());
                    outer.push(best);
                    let best = inner.place_of_local(best);
                    // Of equal items `min` returns the first, and `max` the last.
                    let op = match (method.starts_with("min"), method.ends_with("reversed")) {
                        (true, false) => BinaryOp::Lt,
                        (true, true) => BinaryOp::Gt,
                        (false, false) => BinaryOp::Ge,
                        (false, true) => BinaryOp::Le,
                    };
                    let better = if let Type::Scalar(scalar) = ty {
                        let better = Expr::binary(op, scalar, key.clone(), Expr::Read(best.clone()));
                        Expr::binary(BinaryOp::Or, Scalar::Bool, inner.read(found).not(), better)
                    } else {
                        let new = inner.as_place(Operand::Value(key.clone(), ty))?;
                        inner.unless_first(found, |inner| inner.before(&new, &best, op))?
                    };
                    let (kept, mut statements) = keep(inner, item, outer)?;
                    result = Some(kept);
                    statements.extend([Stmt::Assign(best, key), inner.set(found)]);
                    (Some(better), statements)
                }
                ("min_by" | "max_by", [f]) => {
                    let item = inner.fixed_operand(item)?;
                    let (kept, mut statements) = keep(inner, item.clone(), outer)?;
                    let better = inner.unless_first(found, |inner| {
                        let before = match kept_number {
                            Some(number) => inner.item(&chain.items, inner.read(number))?,
                            None => kept.clone(),
                        };
                        let given = inner.apply(f, vec![before, item])?;
                        let (given, ty) = inner.value_of(given)?;
                        let given = inner.as_place(Operand::Value(given, ty))?;
                        // Of equal items `min_by` returns the first, and `max_by` the last.
                        let op = if method == "min_by" { BinaryOp::Gt } else { BinaryOp::Le };
                        Ok(order::holds(&given, op))
                    })?;
                    result = Some(kept);
                    statements.push(inner.set(found));
                    (Some(better), statements)
                }
                _ => return Err(format!("a device's iterators have no `{method}` with these arguments")),
            };
            match condition {
                Some(condition) => inner.out.push(Stmt::If(condition, statements, Vec::new())),
                None => inner.out.extend(statements),
            }
            Ok(())
        })?;
        if let (Some(_), Some(number)) = (&result, kept_number) {
            result = Some(self.item(&chain.items, self.read(number))?);
        }
        let then = Box::new(result.unwrap_or(Operand::Unit));
        Ok(Operand::cases(Cases { good: self.read(found), then, error: None, mutable: by_number }))
    }
}

impl Stage<'_> {
    /// Whether its effect depends on the items before.
    fn counts(&self) -> bool {
        !matches!(
            self,
            Self::Map(_)
                | Self::Filter(_)
                | Self::FilterMap(_)
                | Self::Inspect(_)
                | Self::Copied
                | Self::Flatten
        )
    }

    /// Whether the items behind it are those before it.
    fn keeps_items(&self) -> bool {
        matches!(
            self,
            Self::Filter(_)
                | Self::Inspect(_)
                | Self::TakeWhile(_)
                | Self::SkipWhile(..)
                | Self::Take(..)
                | Self::Skip(..)
        )
    }
}
