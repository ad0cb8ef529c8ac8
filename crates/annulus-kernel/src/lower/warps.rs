//! What the threads of a warp give each other, and scans: twin of `cooperate/warps.rs`.
//!
//! What a thread gives is a variable of its own, so that a thread that has failed, and takes part without
//! doing anything, evaluates nothing.

use annulus_tree::{BinaryOp, Expression};

use super::{
    Lowered, Lowerer,
    cooperate::{U32, of_u32, thread, u32_of},
    operand::Operand,
    operator::convert,
    program::{Expr, LocalId, Member, Place, Root, Step, Stmt, Warp, acts, fails},
};
use crate::{
    WARP,
    typed::{Scalar, Type},
};

/// How often a distance doubles from 1, or is halved to 1, within a warp.
const STEPS: u32 = WARP.ilog2();

fn lane() -> Expr {
    of_u32(BinaryOp::Rem, thread(), u32_of(WARP))
}

fn warp() -> Expr {
    of_u32(BinaryOp::Div, thread(), u32_of(WARP))
}

fn select(condition: Expr, then: Expr, otherwise: Expr) -> Expr {
    Expr::Select(Box::new(condition), Box::new(then), Box::new(otherwise))
}

/// The lane that many places before, or a number that no lane has.
fn lane_before(by: Expr) -> Expr {
    let there = of_u32(BinaryOp::Le, by.clone(), lane());
    select(there, of_u32(BinaryOp::Sub, lane(), by), u32_of(WARP))
}

/// The lane that many places behind, or a number that no lane has.
fn lane_behind(by: Expr) -> Expr {
    let there = of_u32(BinaryOp::Lt, by.clone(), u32_of(WARP));
    select(there, of_u32(BinaryOp::Add, lane(), by), u32_of(WARP))
}

/// The word in which a value travels: how it is put there.
fn to_word(scalar: Scalar, value: Expr) -> (Expr, Scalar) {
    let word = if scalar.bits() == 64 { Scalar::U64 } else { Scalar::U32 };
    let value = match scalar {
        Scalar::F32 | Scalar::F64 => Expr::Call("to_bits", scalar, vec![value]),
        _ => convert(scalar, word, value),
    };
    (value, word)
}

fn of_word(word: Scalar, scalar: Scalar, value: Expr) -> Expr {
    match scalar {
        Scalar::F32 | Scalar::F64 => Expr::Call("from_bits", scalar, vec![value]),
        _ => convert(word, scalar, value),
    }
}

impl Lowerer<'_> {
    /// A variable of its own that nothing is merged with.
    fn settled(&mut self, wanted: &str, ty: Type, value: Option<Expr>) -> LocalId {
        let local = self.temporary(wanted, ty, value);
        self.locals[local].made = false;
        local
    }

    /// Each thread gets the value of a lane of its warp, or its own if there is no such lane.
    fn of_lane(&mut self, value: Expr, scalar: Scalar, from: Expr) -> Expr {
        let (value, word) = to_word(scalar, value);
        let value = self.settled("given", Type::Scalar(word), Some(value));
        let from = self.settled("from", U32, Some(from));
        let result = self.local("got", Type::Scalar(word));
        self.out.push(Stmt::Warp(Warp::Shuffle { value: self.read(value), lane: self.read(from), result }));
        of_word(word, scalar, self.read(result))
    }

    pub(super) fn shuffle(&mut self, method: &str, value: &Expression, by: &Expression) -> Lowered<Operand> {
        let mut values = self.values([value, by])?;
        let by = values.pop().expect("two values").0;
        let by = self.simple(by, &U32, "by");
        let (value, ty) = values.pop().expect("two values");
        let scalar = self.as_scalar(&ty)?;
        let from = match method {
            "shuffle_up" => lane_before(by),
            "shuffle_down" => lane_behind(by),
            "shuffle_xor" => of_u32(BinaryOp::BitXor, lane(), by),
            _ => by,
        };
        let got = self.of_lane(value, scalar, from);
        Ok(Operand::Value(got, ty))
    }

    /// `cx.ballot(answer)`, `cx.any(answer)`, `cx.all(answer)`.
    pub(super) fn vote(&mut self, method: &str, answer: &Expression) -> Lowered<Operand> {
        let answer = self.condition(answer)?;
        let answer = if method == "all" { answer.not() } else { answer };
        let answer = self.settled("answer", Type::Scalar(Scalar::Bool), Some(answer));
        let result = self.local("votes", U32);
        self.out.push(Stmt::Warp(Warp::Ballot { answer: self.read(answer), result }));
        let votes = self.read(result);
        Ok(match method {
            "ballot" => Operand::Value(votes, U32),
            _ => {
                let op = if method == "any" { BinaryOp::Ne } else { BinaryOp::Eq };
                Operand::Value(of_u32(op, votes, u32_of(0)), Type::Scalar(Scalar::Bool))
            }
        })
    }

    /// `for step in 0..5`, with what is in it.
    fn steps(&mut self, body: impl FnOnce(&mut Self, Expr) -> Lowered<()>) -> Lowered<()> {
        let (local, body) = self.nested(|inner| {
            let local = inner.local("step", U32);
            let step = inner.read(local);
            body(inner, step)?;
            Ok(local)
        })?;
        self.out.push(Stmt::For { local, start: u32_of(0), end: u32_of(STEPS), body });
        Ok(())
    }

    /// A variable becomes what a closure makes of two values.
    fn combine(&mut self, combine: &Expression, values: [Expr; 2], to: LocalId) -> Lowered<()> {
        let ty = self.locals[to].ty.clone();
        let values = values.map(|value| {
            let local = self.settled("part", ty.clone(), Some(value));
            Operand::Value(self.read(local), ty.clone())
        });
        if let combined @ (Operand::Value(..) | Operand::Place(_) | Operand::Ref(_)) =
            self.apply(combine, values.into())?
        {
            let (combined, _) = self.value_of(combined)?;
            self.out.push(Stmt::Assign(self.place_of_local(to), combined));
        }
        Ok(())
    }

    fn combine_if(
        &mut self,
        condition: Expr,
        combine: &Expression,
        values: [Expr; 2],
        to: LocalId,
    ) -> Lowered<()> {
        let (_, then) = self.nested(|inner| inner.combine(combine, values, to))?;
        self.out.push(Stmt::If(condition, then, Vec::new()));
        Ok(())
    }

    /// A variable with a value that is combined with others.
    fn accumulator(&mut self, wanted: &str, ty: &Type, value: Expr) -> LocalId {
        let local = self.settled(wanted, ty.clone(), Some(value));
        self.locals[local].mutable = true;
        local
    }

    /// Does something with a warp's instructions where there are any, and else through the block's memory:
    /// the first thread of each warp does it for the others. It is the same, unless what it calls may fail,
    /// or does what others see; then it is always through memory.
    fn by_warps_or_memory(
        &mut self,
        by_warps: impl FnOnce(&mut Self) -> Lowered<()>,
        by_memory: impl FnOnce(&mut Self) -> Lowered<()>,
    ) -> Lowered<()> {
        let (_, warps) = self.nested(by_warps)?;
        let functions = &self.module.functions;
        if fails(&warps, functions) || acts(&warps, functions) {
            return by_memory(self);
        }
        let (_, memory) = self.nested(by_memory)?;
        self.out.push(Stmt::If(Expr::HasWarps, warps, memory));
        Ok(())
    }

    /// Only threads that are the first ones of their warps do this.
    fn of_first_lanes(&mut self, body: impl FnOnce(&mut Self) -> Lowered<()>) -> Lowered<()> {
        let (_, body) = self.nested(body)?;
        self.out.push(Stmt::If(of_u32(BinaryOp::Eq, lane(), u32_of(0)), body, Vec::new()));
        Ok(())
    }

    /// How many threads the warp has of which this one is the first.
    fn lanes() -> Expr {
        let rest = of_u32(BinaryOp::Sub, Expr::BlockDim, thread());
        let whole = of_u32(BinaryOp::Ge, rest.clone(), u32_of(WARP));
        select(whole, u32_of(WARP), rest)
    }

    /// A part of what the threads share, by an index.
    fn of_list(list: usize, ty: &Type, index: Expr) -> Place {
        let all = Place::new(Root::Together(list), ty.clone());
        all.then(Step::Element(convert(Scalar::U32, Scalar::Usize, index)), ty.clone())
    }

    /// `cx.warp_reduce(value, |a, b| …)`
    pub(super) fn warp_reduce(&mut self, value: &Expression, combine: &Expression) -> Lowered<Operand> {
        let (value, scalar) = self.scalar(value)?;
        let ty = Type::Scalar(scalar);
        let all = self.accumulator("reduced", &ty, value);
        let by_warps = |inner: &mut Self| {
            inner.steps(|inner, step| {
                let distance = Expr::Call("shr", Scalar::U32, vec![u32_of(WARP / 2), step]);
                let distance = inner.settled("distance", U32, Some(distance));
                let distance = inner.read(distance);
                let other = inner.of_lane(inner.read(all), scalar, lane_behind(distance.clone()));
                let partner = of_u32(BinaryOp::Add, thread(), distance.clone());
                let there = of_u32(BinaryOp::Lt, partner, Expr::BlockDim);
                let takes = of_u32(BinaryOp::Lt, lane(), distance);
                let takes = Expr::binary(BinaryOp::And, Scalar::Bool, takes, there);
                inner.combine_if(takes, combine, [inner.read(all), other], all)
            })?;
            let result = inner.of_lane(inner.read(all), scalar, u32_of(0));
            inner.out.push(Stmt::Assign(inner.place_of_local(all), result));
            Ok(())
        };
        let by_memory = |inner: &mut Self| {
            let cells = inner.member(Member::OfThreads(ty.clone()));
            let results = inner.member(Member::OfWarps(ty.clone()));
            let cell = |index| Self::of_list(cells, &ty, index);
            inner.out.push(Stmt::Assign(cell(thread()), inner.read(all)));
            inner.out.push(Stmt::Meet);
            inner.of_first_lanes(|inner| {
                inner.combine_all(&cell, &ty, combine, &thread(), 1, Self::lanes())?;
                let result = Self::of_list(results, &ty, warp());
                inner.out.push(Stmt::Assign(result, Expr::Read(cell(thread()))));
                Ok(())
            })?;
            inner.out.push(Stmt::Meet);
            let result = Expr::Read(Self::of_list(results, &ty, warp()));
            inner.out.push(Stmt::Assign(inner.place_of_local(all), result));
            Ok(())
        };
        self.by_warps_or_memory(by_warps, by_memory)?;
        Ok(Operand::Value(self.read(all), ty))
    }

    /// Scans the values of each warp's lanes, or of the first `count` lanes.
    fn scan_lanes(
        &mut self,
        all: LocalId,
        scalar: Scalar,
        count: Option<Expr>,
        combine: &Expression,
    ) -> Lowered<()> {
        self.steps(|inner, step| {
            let distance = Expr::Call("shl", Scalar::U32, vec![u32_of(1), step]);
            let distance = inner.settled("distance", U32, Some(distance));
            let distance = inner.read(distance);
            let other = inner.of_lane(inner.read(all), scalar, lane_before(distance.clone()));
            let mut takes = of_u32(BinaryOp::Ge, lane(), distance);
            if let Some(count) = count {
                let counts = of_u32(BinaryOp::Lt, thread(), count);
                takes = Expr::binary(BinaryOp::And, Scalar::Bool, takes, counts);
            }
            inner.combine_if(takes, combine, [other, inner.read(all)], all)
        })
    }

    /// Scans `count` cells from `first` on, by one thread: twin of `scan_all`.
    fn scan_cells(
        &mut self,
        cells: usize,
        ty: &Type,
        first: Expr,
        count: Expr,
        combine: &Expression,
    ) -> Lowered<()> {
        let count = self.settled("count", U32, Some(count));
        let count = self.read(count);
        let cell = |index| Self::of_list(cells, ty, of_u32(BinaryOp::Add, first.clone(), index));
        self.steps(|inner, step| {
            let distance = Expr::Call("shl", Scalar::U32, vec![u32_of(1), step]);
            let distance = inner.settled("distance", U32, Some(distance));
            let distance = inner.read(distance);
            // From the last one on, so that each still finds what the one before it was.
            let (index, each) = inner.nested(|inner| {
                let index = inner.local("index", U32);
                let from_end = of_u32(BinaryOp::Add, inner.read(index), u32_of(1));
                let at = inner.settled("at", U32, Some(of_u32(BinaryOp::Sub, count.clone(), from_end)));
                let at = inner.read(at);
                let values = [of_u32(BinaryOp::Sub, at.clone(), distance.clone()), at.clone()];
                let result = inner.accumulator("result", ty, Expr::Read(cell(at.clone())));
                let values = values.map(|index| Expr::Read(cell(index)));
                inner.combine(combine, values, result)?;
                inner.out.push(Stmt::Assign(cell(at), inner.read(result)));
                Ok(index)
            })?;
            let some = of_u32(BinaryOp::Gt, count.clone(), distance.clone());
            let end = select(some, of_u32(BinaryOp::Sub, count.clone(), distance.clone()), u32_of(0));
            let end = inner.settled("end", U32, Some(end));
            let end = inner.read(end);
            inner.out.push(Stmt::For { local: index, start: u32_of(0), end, body: each });
            Ok(())
        })
    }

    /// `cx.block_scan(value, |a, b| …)`, and with a first value, the exclusive one.
    pub(super) fn block_scan(
        &mut self,
        value: &Expression,
        first: Option<&Expression>,
        combine: &Expression,
    ) -> Lowered<Operand> {
        let mut values = self.values([value].into_iter().chain(first))?;
        let first = first.and_then(|_| values.pop());
        let (value, ty) = values.pop().expect("a value");
        let scalar = self.as_scalar(&ty)?;
        let first = first.map(|(first, _)| self.settled("first", ty.clone(), Some(first)));
        let all = self.accumulator("scanned", &ty, value);
        // What the warps before have.
        let before = self.member(Member::OfWarps(ty.clone()));
        let more = of_u32(BinaryOp::Add, Expr::BlockDim, u32_of(WARP - 1));
        let warps = of_u32(BinaryOp::Div, more, u32_of(WARP));
        let is_first = of_u32(BinaryOp::Eq, thread(), u32_of(0));

        let by_warps = |inner: &mut Self| {
            inner.scan_lanes(all, scalar, None, combine)?;
            // The first warp scans the last values of the warps. What it reads and what it tells are two
            // lists, so that the next scan overwrites nothing that is still read.
            let last = inner.member(Member::OfWarps(ty.clone()));
            let ends_warp = of_u32(BinaryOp::Eq, lane(), u32_of(WARP - 1));
            let next = of_u32(BinaryOp::Add, thread(), u32_of(1));
            let ends_block = of_u32(BinaryOp::Eq, next, Expr::BlockDim);
            let ends = Expr::binary(BinaryOp::Or, Scalar::Bool, ends_warp, ends_block);
            let tells = Stmt::Assign(Self::of_list(last, &ty, warp()), inner.read(all));
            inner.out.push(Stmt::If(ends, vec![tells], Vec::new()));
            inner.out.push(Stmt::Meet);
            let counts = of_u32(BinaryOp::Lt, thread(), warps.clone());
            let total = inner.accumulator("total", &ty, inner.read(all));
            let takes =
                Stmt::Assign(inner.place_of_local(total), Expr::Read(Self::of_list(last, &ty, thread())));
            inner.out.push(Stmt::If(counts.clone(), vec![takes], Vec::new()));
            inner.scan_lanes(total, scalar, Some(warps.clone()), combine)?;
            let tells = Stmt::Assign(Self::of_list(before, &ty, thread()), inner.read(total));
            inner.out.push(Stmt::If(counts, vec![tells], Vec::new()));
            inner.out.push(Stmt::Meet);
            Ok(())
        };
        let by_memory = |inner: &mut Self| {
            let cells = inner.member(Member::OfThreads(ty.clone()));
            let cell = |index| Self::of_list(cells, &ty, index);
            inner.out.push(Stmt::Assign(cell(thread()), inner.read(all)));
            inner.out.push(Stmt::Meet);
            inner.of_first_lanes(|inner| {
                inner.scan_cells(cells, &ty, thread(), Self::lanes(), combine)?;
                let end = of_u32(BinaryOp::Add, thread(), of_u32(BinaryOp::Sub, Self::lanes(), u32_of(1)));
                inner.out.push(Stmt::Assign(Self::of_list(before, &ty, warp()), Expr::Read(cell(end))));
                Ok(())
            })?;
            inner.out.push(Stmt::Meet);
            let (_, of_leader) =
                inner.nested(|inner| inner.scan_cells(before, &ty, u32_of(0), warps.clone(), combine))?;
            inner.out.push(Stmt::If(is_first, of_leader, Vec::new()));
            inner.out.push(Stmt::Meet);
            inner.out.push(Stmt::Assign(inner.place_of_local(all), Expr::Read(cell(thread()))));
            Ok(())
        };
        self.by_warps_or_memory(by_warps, by_memory)?;
        let previous = of_u32(BinaryOp::Sub, warp(), u32_of(1));
        let previous = Expr::Read(Self::of_list(before, &ty, previous));
        let later = of_u32(BinaryOp::Ge, thread(), u32_of(WARP));
        self.combine_if(later, combine, [previous, self.read(all)], all)?;

        let Some(first) = first else { return Ok(Operand::Value(self.read(all), ty)) };
        let cells = self.member(Member::OfThreads(ty.clone()));
        let cell = |index| Self::of_list(cells, &ty, index);
        self.out.push(Stmt::Assign(cell(thread()), self.read(all)));
        self.out.push(Stmt::Meet);
        let result = self.accumulator("exclusive", &ty, self.read(first));
        let neighbour = Expr::Read(cell(of_u32(BinaryOp::Sub, thread(), u32_of(1))));
        let takes = Stmt::Assign(self.place_of_local(result), neighbour);
        self.out.push(Stmt::If(of_u32(BinaryOp::Gt, thread(), u32_of(0)), vec![takes], Vec::new()));
        Ok(Operand::Value(self.read(result), ty))
    }
}
