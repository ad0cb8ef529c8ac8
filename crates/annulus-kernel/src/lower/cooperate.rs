//! What the threads of a block do together: barriers, shared arrays, reductions.
//!
//! Memory that other threads write is read by statements of their own, so that no read moves over a barrier.

use annulus_abi::error;
use annulus_tree::{BinaryOp, Expression, WitnessId};

use super::{
    Lowered, Lowerer,
    operand::Operand,
    operator::convert,
    program::{Expr, Member, Place, Root, Step, Stmt, Warp},
};
use crate::{
    WARP,
    typed::{Scalar, Type},
};

pub(super) const U32: Type = Type::Scalar(Scalar::U32);

pub(super) fn thread() -> Expr {
    Expr::Cx("thread_index")
}

pub(super) fn u32_of(value: u32) -> Expr {
    Expr::Bits(Scalar::U32, value.into())
}

pub(super) fn of_u32(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr::binary(op, Scalar::U32, left, right)
}

impl Lowerer<'_> {
    /// A method that only the context of a block's thread has.
    pub(super) fn block_cx_method(
        &mut self,
        method: &str,
        arguments: &[Expression],
        witness: Option<WitnessId>,
    ) -> Lowered<Operand> {
        let value = |value| Ok(Operand::Value(value, U32));
        match (method, arguments) {
            ("block_dim", []) => value(Expr::BlockDim),
            ("warp", []) => value(of_u32(BinaryOp::Div, thread(), u32_of(WARP))),
            ("lane", []) => value(of_u32(BinaryOp::Rem, thread(), u32_of(WARP))),
            ("is_leader", []) => {
                let leads = of_u32(BinaryOp::Eq, thread(), u32_of(0));
                Ok(Operand::Value(leads, Type::Scalar(Scalar::Bool)))
            }
            ("barrier", []) => {
                self.out.push(Stmt::Meet);
                Ok(Operand::Unit)
            }
            ("shared", []) => self.shared_array(witness),
            ("block_reduce", [value, combine]) => self.block_reduce(value, combine),
            ("warp_barrier", []) => {
                self.out.push(Stmt::Warp(Warp::Barrier));
                Ok(Operand::Unit)
            }
            ("shuffle" | "shuffle_up" | "shuffle_down" | "shuffle_xor", [value, lane]) => {
                self.shuffle(method, value, lane)
            }
            ("ballot" | "any" | "all", [answer]) => self.vote(method, answer),
            ("warp_reduce", [value, combine]) => self.warp_reduce(value, combine),
            ("block_scan", [value, combine]) => self.block_scan(value, None, combine),
            ("block_scan_exclusive", [value, first, combine]) => self.block_scan(value, Some(first), combine),
            _ => Err(format!("the context of a block's thread has no `{method}` with these arguments")),
        }
    }

    fn shared_array(&mut self, witness: Option<WitnessId>) -> Lowered<Operand> {
        let ty = self.type_of(witness.ok_or("a shared array has no type: rebuild the program")?)?;
        let Type::Array { element, len } = &ty else {
            return Err("a shared array has no elements: rebuild the program".into());
        };
        let scalar = self.as_scalar(element)?;
        let len = *len;
        if self.depth != 0 || !self.loops.is_empty() {
            return Err(
                "all threads ask for a shared array together, once: write this before the handler's loops \
                        and conditions"
                    .into(),
            );
        }
        let bytes = |member: &Member| match member {
            Member::Array(Type::Array { element, len }) => match **element {
                Type::Scalar(scalar) => len * scalar.bits() as usize / 8,
                _ => 0,
            },
            _ => 0,
        };
        let member = self.member(Member::Array(ty));
        let all: usize = self.together.iter().map(bytes).sum();
        let most = self.definition.shared_memory;
        if all > most as usize {
            // What the attribute takes.
            let remedy = if all <= 232_448 {
                format!(
                    ", or, if the devices have that much for a block, write `shared_memory = {all}` in the attribute"
                )
            } else {
                String::new()
            };
            return Err(format!(
                "the arrays that this block's threads share have {all} bytes, and the kernel may have {most}: work on \
                 a part at a time{remedy}"
            ));
        }
        Ok(Operand::BlockArray(member, scalar, len))
    }

    pub(super) fn member(&mut self, member: Member) -> usize {
        self.together.push(member);
        self.together.len() - 1
    }

    pub(super) fn block_array_method(
        &mut self,
        member: usize,
        scalar: Scalar,
        len: usize,
        method: &str,
        arguments: &[Expression],
    ) -> Lowered<Operand> {
        let ty = Type::Scalar(scalar);
        let len = Expr::Bits(Scalar::Usize, len as u64);
        let element = |at| {
            let array = Place::new(Root::Together(member), ty.clone());
            array.then(Step::Index(at), ty.clone())
        };
        match self.element_method(&element, ty.clone(), len, method, arguments)? {
            Some(operand) => Ok(operand),
            None => Err(format!("an array of the block has `get`, `set` and `len`, and no `{method}`")),
        }
    }

    /// A method of `&Block<[T]>`. Each access compares its index with the length. So a segment that writes is one
    /// that may fail, and threads that have seen a failure skip it.
    pub(super) fn block_memory_method(
        &mut self,
        binding: usize,
        method: &str,
        arguments: &[Expression],
    ) -> Lowered<Operand> {
        let ty = self.memory[binding].0.clone();
        let element = |at| Place::new(Root::Binding(binding), ty.clone()).then(Step::Element(at), ty.clone());
        if let Some(operand) =
            self.element_method(&element, ty.clone(), Expr::Len(binding), method, arguments)?
        {
            return Ok(operand);
        }
        if let ("is_empty", []) = (method, arguments) {
            let empty =
                Expr::binary(BinaryOp::Eq, Scalar::Usize, Expr::Len(binding), Expr::Bits(Scalar::Usize, 0));
            return Ok(Operand::Value(empty, Type::Scalar(Scalar::Bool)));
        }
        Err(format!("the block's memory has `get`, `set`, `len` and `is_empty`, and no `{method}`"))
    }

    /// What all memory that threads share has, of `len` elements of this type.
    fn element_method(
        &mut self,
        element: &dyn Fn(Expr) -> Place,
        ty: Type,
        len: Expr,
        method: &str,
        arguments: &[Expression],
    ) -> Lowered<Option<Operand>> {
        let size = Type::Scalar(Scalar::Usize);
        match (method, arguments) {
            ("len", []) => Ok(Some(Operand::Value(len, size))),
            ("get", [index]) => {
                let (index, _) = self.scalar(index)?;
                let index = self.simple(index, &size, "at");
                self.check_index(&index, len);
                let read = self.temporary("element", ty.clone(), Some(Expr::Read(element(index))));
                self.locals[read].made = false;
                Ok(Some(Operand::Value(self.read(read), ty)))
            }
            ("set", [index, value]) => {
                let mut values = self.values([index, value])?;
                let value = values.pop().expect("two values").0;
                let index = self.simple(values.pop().expect("two values").0, &size, "at");
                self.check_index(&index, len);
                self.out.push(Stmt::Assign(element(index), value));
                Ok(Some(Operand::Unit))
            }
            _ => Ok(None),
        }
    }

    pub(super) fn block_state_method(&mut self, method: &str, arguments: &[Expression]) -> Lowered<Operand> {
        let state =
            self.definition.state.definition().ok_or("a kernel without state has a parameter for it")?;
        let place = Place::new(Root::State, state.ty.into());
        match (method, arguments) {
            ("get", []) => {
                let ty = place.ty.clone();
                let read = self.temporary("state_now", ty.clone(), Some(Expr::Read(place)));
                self.locals[read].made = false;
                Ok(Operand::Value(self.read(read), ty))
            }
            ("set", [value]) => {
                let (value, _) = self.value(value)?;
                let other = of_u32(BinaryOp::Ne, thread(), u32_of(0));
                self.out.push(Stmt::Fail(other, error::NOT_THE_LEADER));
                self.out.push(Stmt::Assign(place, value));
                Ok(Operand::Unit)
            }
            _ => Err(format!("the block's state has `get` and `set`, and no `{method}`")),
        }
    }

    /// `cx.block_reduce(value, |a, b| …)`, in the order that its documentation gives: twin of `combine_all`.
    fn block_reduce(&mut self, value: &Expression, combine: &Expression) -> Lowered<Operand> {
        let (value, scalar) = self.scalar(value)?;
        let ty = Type::Scalar(scalar);
        let cells = self.member(Member::OfThreads(ty.clone()));
        let given = Place::new(Root::Together(self.member(Member::Given(ty.clone()))), ty.clone());
        let cell = |at: Expr| {
            let all = Place::new(Root::Together(cells), ty.clone());
            all.then(Step::Element(at), ty.clone())
        };
        self.out.push(Stmt::Assign(cell(thread()), value));
        self.out.push(Stmt::Meet);
        // The first thread of each warp, for its warp.
        let (_, of_warp) = self.nested(|inner| {
            let rest = of_u32(BinaryOp::Sub, Expr::BlockDim, thread());
            let whole = of_u32(BinaryOp::Ge, rest.clone(), u32_of(WARP));
            let count = Expr::Select(Box::new(whole), Box::new(u32_of(WARP)), Box::new(rest));
            inner.combine_all(&cell, &ty, combine, &thread(), 1, count)
        })?;
        let lane = of_u32(BinaryOp::Rem, thread(), u32_of(WARP));
        self.out.push(Stmt::If(of_u32(BinaryOp::Eq, lane, u32_of(0)), of_warp, Vec::new()));
        self.out.push(Stmt::Meet);
        // The first thread, for the results of the warps.
        let (_, of_block) = self.nested(|inner| {
            let more = of_u32(BinaryOp::Add, Expr::BlockDim, u32_of(WARP - 1));
            let count = of_u32(BinaryOp::Div, more, u32_of(WARP));
            inner.combine_all(&cell, &ty, combine, &u32_of(0), WARP, count)?;
            inner.out.push(Stmt::Assign(given.clone(), Expr::Read(cell(u32_of(0)))));
            Ok(())
        })?;
        self.out.push(Stmt::If(of_u32(BinaryOp::Eq, thread(), u32_of(0)), of_block, Vec::new()));
        self.out.push(Stmt::Meet);
        let result = self.temporary("reduced", ty.clone(), Some(Expr::Read(given)));
        self.locals[result].made = false;
        Ok(Operand::Value(self.read(result), ty))
    }

    /// Combines `count` cells, `stride` apart from `first` on, into the first.
    pub(super) fn combine_all(
        &mut self,
        cell: &dyn Fn(Expr) -> Place,
        ty: &Type,
        combine: &Expression,
        first: &Expr,
        stride: u32,
        count: Expr,
    ) -> Lowered<()> {
        let at = |index: Expr| {
            let offset = if stride == 1 { index } else { of_u32(BinaryOp::Mul, index, u32_of(stride)) };
            let at = of_u32(BinaryOp::Add, first.clone(), offset);
            cell(convert(Scalar::U32, Scalar::Usize, at))
        };
        let count = self.temporary("count", U32, Some(count));
        let distance = self.temporary("distance", U32, Some(u32_of(WARP / 2)));
        for local in [count, distance] {
            self.locals[local].made = false;
        }
        self.locals[distance].mutable = true;
        let (count, far) = (self.read(count), self.read(distance));
        let (_, round) = self.nested(|inner| {
            let done = of_u32(BinaryOp::Eq, far.clone(), u32_of(0));
            inner.out.push(Stmt::If(done, vec![Stmt::Break], Vec::new()));
            let (index, each) = inner.nested(|inner| {
                let index = inner.local("index", U32);
                let partner = of_u32(BinaryOp::Add, inner.read(index), far.clone());
                let (_, pair) = inner.nested(|inner| {
                    let near = at(inner.read(index));
                    let mut both = Vec::new();
                    for (name, place) in [("a", near.clone()), ("b", at(partner.clone()))] {
                        let local = inner.temporary(name, ty.clone(), Some(Expr::Read(place)));
                        inner.locals[local].made = false;
                        both.push(Operand::Value(inner.read(local), ty.clone()));
                    }
                    if let combined @ (Operand::Value(..) | Operand::Place(_) | Operand::Ref(_)) =
                        inner.apply(combine, both)?
                    {
                        let (combined, _) = inner.value_of(combined)?;
                        inner.out.push(Stmt::Assign(near, combined));
                    }
                    Ok(())
                })?;
                inner.out.push(Stmt::If(of_u32(BinaryOp::Lt, partner, count.clone()), pair, Vec::new()));
                Ok(index)
            })?;
            inner.out.push(Stmt::For { local: index, start: u32_of(0), end: far.clone(), body: each });
            let half = of_u32(BinaryOp::Div, far.clone(), u32_of(2));
            inner.out.push(Stmt::Assign(inner.place_of_local(distance), half));
            Ok(())
        })?;
        self.out.push(Stmt::Loop(round));
        Ok(())
    }
}
