//! Methods and functions, by their receivers.

use annulus_abi::error;
use annulus_tree::{BinaryOp, Expression, ExpressionKind, WitnessId};

use super::{
    Lowered, Lowerer,
    archive::{self, archived_operand},
    cases::{Cases, is_either},
    closure::is_given_closure,
    items::is_iterator,
    list::{self, is_list},
    operand::{Operand, describe},
    operator::convert,
    order::{self, is_comparing, is_ordered, is_ordering},
    program::{Expr, Place, Stmt},
    slice::{is_array, is_bounded, is_slice},
};
use crate::{
    KernelShape,
    typed::{Scalar, Type},
};

impl Lowerer<'_> {
    pub(super) fn method(
        &mut self,
        receiver: &Expression,
        method: &str,
        arguments: &[Expression],
        witness: Option<WitnessId>,
    ) -> Lowered<Operand> {
        if let (ExpressionKind::Range { start, end, inclusive }, "contains", [value]) =
            (&receiver.kind, method, arguments)
        {
            return self.range_contains(start.as_deref(), end.as_deref(), *inclusive, value);
        }
        if is_iterator(receiver) {
            return self.use_up(receiver, method, arguments, witness);
        }
        let operand = self.operand(receiver, None)?;
        let line = self.line;
        let result = match operand {
            Operand::Cx => self.cx_method(method, arguments, witness),
            Operand::BlockState => self.block_state_method(method, arguments),
            Operand::BlockMemory(binding) => self.block_memory_method(binding, method, arguments),
            Operand::BlockArray(member, scalar, len) => {
                self.block_array_method(member, scalar, len, method, arguments)
            }
            Operand::Outbox(port) => self.outbox_method(port, method, arguments),
            Operand::Later => self.later_method(method, arguments),
            Operand::Actor => self.actor_method(method, arguments),
            Operand::Inbox => self.inbox_method(method, arguments),
            Operand::Atomic(place) => self.atomic_method(place, method, arguments),
            Operand::Never => Ok(Operand::Never),
            operand if matches!((method, arguments), ("clone", [])) => self.cloned(operand),
            operand
                if matches!((method, arguments), ("as_slice" | "as_bytes", [])) && is_bounded(&operand) =>
            {
                let place = self.as_place(operand)?;
                let place = self.steady(place);
                self.view_of_bounded(&place).map(Operand::view)
            }
            operand if archived_operand(&operand).is_some() && !is_comparing(&operand, method, arguments) => {
                let part = archived_operand(&operand).expect("just asked");
                self.archived_method(part, operand, method, arguments)
            }
            operand if is_comparing(&operand, method, arguments) => {
                self.comparing_method(operand, method, arguments)
            }
            operand if is_ordering(&operand) => self.ordering_method(operand, method, arguments),
            operand if is_list(&operand) && list::has_method(method) => {
                self.list_method(operand, method, arguments)
            }
            operand if matches!((method, arguments), ("map", [_])) && is_array(&operand) => {
                self.array_map(operand, &arguments[0])
            }
            operand if is_slice(&operand) => self.slice_method(operand, method, arguments),
            operand if is_either(&operand) => self.case_method(operand, method, arguments),
            operand => {
                let receiver = self.value_of(operand)?;
                self.value_method(receiver, method, arguments, witness)
            }
        };
        if result.is_err() {
            self.line = line;
        }
        result
    }

    /// `outbox.send(value)`.
    fn outbox_method(
        &mut self,
        port: Option<u8>,
        method: &str,
        arguments: &[Expression],
    ) -> Lowered<Operand> {
        if let Some(by) = port.filter(|port| self.definition.ports[usize::from(*port)].ask.is_some()) {
            return self.ask_method(by, method, arguments);
        }
        let ("send", [message]) = (method, arguments) else {
            return Err(format!("an outbox has `send`, and no `{method}`"));
        };
        let (message, _) = self.value(message)?;
        self.out.push(Stmt::Send(port, message));
        Ok(Operand::Unit)
    }

    /// `ask.send(query, awaited, nanos)`.
    fn ask_method(&mut self, port: u8, method: &str, arguments: &[Expression]) -> Lowered<Operand> {
        let ("send", [_, _, _]) = (method, arguments) else {
            return Err(format!("an ask has `send`, and no `{method}`"));
        };
        let mut values = self.values(arguments)?.into_iter().map(|(value, _)| value);
        let (Some(query), Some(awaited), Some(nanos)) = (values.next(), values.next(), values.next()) else {
            return Err("`send` takes a query, a message and a time: rebuild the program".into());
        };
        self.out.push(Stmt::Send(Some(port), query));
        self.out.push(Stmt::Await(port, awaited, nanos));
        Ok(Operand::Unit)
    }

    /// `later.send_after(message, nanos)`.
    fn later_method(&mut self, method: &str, arguments: &[Expression]) -> Lowered<Operand> {
        let ("send_after", [_, _]) = (method, arguments) else {
            return Err(format!("timers have `send_after`, and no `{method}`"));
        };
        let mut values = self.values(arguments)?.into_iter().map(|(value, _)| value);
        let (Some(message), Some(nanos)) = (values.next(), values.next()) else {
            return Err("`send_after` takes a message and a time: rebuild the program".into());
        };
        self.out.push(Stmt::Later(message, nanos));
        Ok(Operand::Unit)
    }

    /// `actor.end()`.
    fn actor_method(&mut self, method: &str, arguments: &[Expression]) -> Lowered<Operand> {
        let ("end", []) = (method, arguments) else {
            return Err(format!("a handler's actor has `end`, and no `{method}`"));
        };
        self.out.push(Stmt::EndActor);
        Ok(Operand::Unit)
    }

    /// A method of a number or a failure.
    fn value_method(
        &mut self,
        receiver: (Expr, Type),
        method: &str,
        arguments: &[Expression],
        witness: Option<WitnessId>,
    ) -> Lowered<Operand> {
        let scalar = match receiver.1 {
            Type::Scalar(scalar) => scalar,
            // What turns an error code into a failure.
            Type::Failure if method == "into" && self.is_failure(witness)? => {
                return Ok(Operand::Value(receiver.0, Type::Failure));
            }
            Type::Failure if method == "code" => {
                return Ok(Operand::Value(
                    convert(Scalar::U32, Scalar::U16, receiver.0),
                    Type::Scalar(Scalar::U16),
                ));
            }
            other if is_given_closure(arguments) => {
                return Err(format!(
                    "`{method}` of {} is a function of yours that takes a closure, which no function of a device does: write its loop here, \
                     or hand it a value",
                    describe(&other)
                ));
            }
            other
                if matches!(other, Type::Struct(_) | Type::Enum(_))
                    && !annulus_tree::names::may_be_own(method) =>
            {
                return Err(format!(
                    "`{method}` is a method of `Option` and `Result` on a device, and {} is neither: give its method another \
                     name",
                    describe(&other)
                ));
            }
            other => {
                return Err(format!(
                    "`{method}` of {} is no function that devices know: write `#[device_impl]` before its `impl` block",
                    describe(&other)
                ));
            }
        };
        if let ("into", Some(witness)) = (method, witness) {
            return self.lossless(receiver.0, scalar, witness);
        }
        if let ("then", [closure], Scalar::Bool) = (method, arguments, scalar) {
            return self.then(receiver.0, closure);
        }
        let mut values = vec![receiver];
        let mark = self.out.len();
        let arguments = self.values(arguments)?;
        self.keep(&mut values, mark);
        values.extend(arguments);
        self.scalar_method(scalar, method, values)
    }

    fn is_failure(&self, witness: Option<WitnessId>) -> Lowered<bool> {
        Ok(matches!(witness.map(|witness| self.type_of(witness)).transpose()?, Some(Type::Failure)))
    }

    /// A method of a number, its receiver the first of `values`.
    fn scalar_method(&mut self, scalar: Scalar, method: &str, values: Vec<(Expr, Type)>) -> Lowered<Operand> {
        if scalar.is_integer() {
            self.integer_method(scalar, method, values)
        } else if scalar.is_float() {
            self.float_method(scalar, method, values)
        } else {
            self.bool_method(method, values)
        }
    }

    /// `T::function(arguments)`.
    pub(super) fn function(
        &mut self,
        ty: WitnessId,
        function: &str,
        arguments: &[Expression],
        witness: WitnessId,
    ) -> Lowered<Operand> {
        let ty = self.type_of(ty)?;
        match (&ty, function, arguments) {
            (Type::Failure, "from", [value]) => match self.value(value)? {
                (code, Type::Failure) => Ok(Operand::Value(code, Type::Failure)),
                (_, other) => Err(format!(
                    "`from` makes a `Failure` of {}: write `#[device_impl]` before the `impl From<…> for Failure`",
                    describe(&other)
                )),
            },
            (Type::Scalar(_), "from", [value]) => {
                let (value, from) = self.scalar(value)?;
                self.lossless(value, from, witness)
            }
            (Type::Scalar(to), "try_from", [value]) => self.fallible(value, *to),
            (Type::Array { .. }, "try_from", [value]) => self.array_of_slice(value, ty),
            (Type::Array { len, .. }, "from_fn", [f]) => {
                self.array_from(*len, f, |_, index| Ok(Operand::Value(index, Type::Scalar(Scalar::Usize))))
            }
            (Type::Scalar(to), "from_bits", [value]) if to.is_float() => {
                let (value, _) = self.scalar(value)?;
                Ok(Operand::Value(Expr::Call("from_bits", *to, vec![value]), ty))
            }
            (Type::Scalar(to), "from_le_bytes" | "from_be_bytes" | "from_ne_bytes", [bytes]) => {
                self.number_of_bytes(*to, function, bytes)
            }
            (Type::Failure, "of", [code]) => {
                let (code, _) = self.scalar(code)?;
                let code = match code {
                    Expr::Bits(_, bits @ 1..) if bits < error::FIRST_OWN.into() => {
                        return Ok(Operand::Value(Expr::Code(bits as u16), ty));
                    }
                    Expr::Bits(..) => {
                        let always = Expr::Bits(Scalar::Bool, 1);
                        self.out.push(Stmt::Fail(always, error::PANICKED));
                        return Ok(Operand::Value(Expr::Code(error::PANICKED), ty));
                    }
                    code => self.simple(code, &Type::Scalar(Scalar::U16), "code"),
                };
                let bits = |bits: u16| Expr::Bits(Scalar::U16, bits.into());
                let zero = Expr::binary(BinaryOp::Eq, Scalar::U16, code.clone(), bits(0));
                let own = Expr::binary(BinaryOp::Ge, Scalar::U16, code.clone(), bits(error::FIRST_OWN));
                let refused = Expr::binary(BinaryOp::Or, Scalar::Bool, zero, own);
                self.out.push(Stmt::Fail(refused, error::PANICKED));
                Ok(Operand::Value(convert(Scalar::U16, Scalar::U32, code), ty))
            }
            (Type::Scalar(scalar), function, [_, ..]) => {
                let values = self.values(arguments)?;
                self.scalar_method(*scalar, function, values)
            }
            _ => Err(format!(
                "`{function}` of {} is no function that devices know: write `#[device_impl]` before its `impl` block",
                describe(&ty)
            )),
        }
    }

    /// `std::cmp::min(a, b)`.
    pub(super) fn compare(&mut self, function: &str, arguments: &[Expression]) -> Lowered<Operand> {
        match (function, arguments) {
            ("replace", [place, value]) => return self.replaced(place, value),
            ("swap", [a, b]) => {
                let (a, b) = (self.lent_place(a)?, self.lent_place(b)?);
                self.swap_places(a, b);
                return Ok(Operand::Unit);
            }
            _ => {}
        }
        let values = self.values(arguments)?;
        match values.first() {
            Some((_, Type::Scalar(scalar))) if scalar.is_integer() => {
                let scalar = *scalar;
                self.scalar_method(scalar, function, values)
            }
            Some((_, Type::Scalar(_))) | None => {
                Err(format!("`cmp::{function}` compares integers, and no floats"))
            }
            Some(_) => self.compared(function, values),
        }
    }

    /// The place that a `&mut` refers to.
    fn lent_place(&mut self, expression: &Expression) -> Lowered<Place> {
        match self.operand(expression, None)? {
            Operand::Ref(place) => Ok(self.steady(place)),
            other => Err(format!("{} is no single value that is swapped or replaced", other.describe())),
        }
    }

    /// `std::mem::replace(place, value)`.
    fn replaced(&mut self, place: &Expression, value: &Expression) -> Lowered<Operand> {
        let place = self.lent_place(place)?;
        let (value, ty) = self.value(value)?;
        if ty == Type::Unit {
            return Ok(Operand::Unit);
        }
        let before = self.temporary("before", ty.clone(), Some(Expr::Read(place.clone())));
        self.out.push(Stmt::Assign(place, value));
        Ok(Operand::Value(self.read(before), ty))
    }

    /// `T::from(value)` and `value.into()`.
    fn lossless(&mut self, value: Expr, from: Scalar, witness: WitnessId) -> Lowered<Operand> {
        let ty = self.type_of(witness)?;
        let Type::Scalar(to) = ty else {
            return Err(format!(
                "a conversion into {} is a function: call it by its type, `T::from(value)`, with `#[device_impl]` before its `impl` block",
                describe(&ty)
            ));
        };
        Ok(Operand::Value(convert(from, to, value), ty))
    }

    /// `T::try_from(value)` between integers. The error has no content: it is `()` here.
    fn fallible(&mut self, value: &Expression, to: Scalar) -> Lowered<Operand> {
        let (value, from) = self.scalar(value)?;
        if !from.is_integer() || !to.is_integer() {
            let (from, to) = (from.name(), to.name());
            return Err(format!(
                "a device has no `{to}::try_from` of a `{from}`: write `as`, or `{to}::from`"
            ));
        }
        let value = self.simple(value, &Type::Scalar(from), "value");
        let compared = |op, bits| Expr::binary(op, from, value.clone(), Expr::Bits(from, bits));
        let most = |scalar: Scalar| u64::MAX >> (64 - scalar.bits() + u32::from(scalar.is_signed()));
        let mut good = None;
        if from.is_signed() && (!to.is_signed() || to.bits() < from.bits()) {
            // The least value, sign-extended to the bits of `from`.
            let least = if to.is_signed() { !most(to) & (u64::MAX >> (64 - from.bits())) } else { 0 };
            good = Some(compared(BinaryOp::Ge, least));
        }
        if most(to) < most(from) {
            let below = compared(BinaryOp::Le, most(to));
            good = Some(match good {
                Some(good) => Expr::binary(BinaryOp::And, Scalar::Bool, good, below),
                None => below,
            });
        }
        let good = good.unwrap_or(Expr::Bits(Scalar::Bool, 1));
        let then = Box::new(Operand::Value(convert(from, to, value), Type::Scalar(to)));
        Ok(Operand::cases(Cases { good, then, error: Some((Expr::Code(0), Type::Unit)), mutable: false }))
    }
}

impl Lowerer<'_> {
    /// `value.clone()`. Values of a device are copied. What is shared or a reference to a slice stays what it is.
    fn cloned(&mut self, operand: Operand) -> Lowered<Operand> {
        match operand {
            Operand::Place(place) | Operand::Ref(place) => {
                if archive::stays(&place.ty) {
                    return Err(archive::STAYS.into());
                }
                self.taken(Operand::Place(place), None)
            }
            operand @ (Operand::Value(..)
            | Operand::Tuple(_)
            | Operand::Cases(_)
            | Operand::View(_)
            | Operand::Slice(_)
            | Operand::Unit) => Ok(operand),
            other => Err(format!("{} is not copied on a device", other.describe())),
        }
    }

    /// `(start..end).contains(&value)`.
    fn range_contains(
        &mut self,
        start: Option<&Expression>,
        end: Option<&Expression>,
        inclusive: bool,
        value: &Expression,
    ) -> Lowered<Operand> {
        let expressions = start.into_iter().chain(end).chain([value]);
        let mut values = self.values(expressions)?.into_iter();
        let start = start.and_then(|_| values.next());
        let end = end.and_then(|_| values.next());
        let (value, ty) = values.next().ok_or("`contains` has an argument: rebuild the program")?;
        if !is_ordered(&ty, false) {
            return Err(order::refusal(&ty, "contains", false));
        }
        let value = self.simple(value, &ty, "value");
        let mut inside = None;
        let last = if inclusive { BinaryOp::Le } else { BinaryOp::Lt };
        for (limit, op) in [(start, BinaryOp::Ge), (end, last)] {
            let Some((limit, _)) = limit else { continue };
            let holds = match &ty {
                Type::Scalar(scalar) => Expr::binary(op, *scalar, value.clone(), limit),
                _ => {
                    let place = self.as_place(Operand::Value(value.clone(), ty.clone()))?;
                    self.before_value(&place, limit, op)?
                }
            };
            inside = Some(match inside {
                Some(before) => Expr::binary(BinaryOp::And, Scalar::Bool, before, holds),
                None => holds,
            });
        }
        Ok(Operand::Value(inside.unwrap_or(Expr::Bits(Scalar::Bool, 1)), Type::Scalar(Scalar::Bool)))
    }

    fn cx_method(
        &mut self,
        method: &str,
        arguments: &[Expression],
        witness: Option<WitnessId>,
    ) -> Lowered<Operand> {
        let value = match method {
            "block_index" => Expr::Cx("block_index"),
            "grid_size" => Expr::Cx("grid_size"),
            "thread_index" => Expr::Cx("thread_index"),
            "queue" if self.definition.shape == KernelShape::Body => {
                return Err("a body's messages may be of several queues: let a field of the message say what it is, or \
                            write a handler for one message"
                    .into());
            }
            "queue" => {
                self.asks_queue = true;
                Expr::Queue
            }
            "stamp" if self.definition.shape == KernelShape::Body => {
                return Err("a body's messages have stamps of their own, which it does not get yet: write a handler for one \
                            message"
                    .into());
            }
            "stamp" => {
                self.asks_stamp = true;
                return Ok(Operand::Value(Expr::Stamp, Type::Scalar(Scalar::U64)));
            }
            "round" if self.definition.shape == KernelShape::Body => {
                return Err("a body's kernel goes in no rounds: write a handler for one message".into());
            }
            "round" => {
                self.asks_round = true;
                return Ok(Operand::Value(Expr::Round, Type::Scalar(Scalar::U64)));
            }
            "now" => {
                self.asks_time = true;
                return Ok(Operand::Value(Expr::Now, Type::Scalar(Scalar::U64)));
            }
            "fence" => return self.fence(arguments),
            _ if self.definition.shape.is_block_wide() => {
                return self.block_cx_method(method, arguments, witness);
            }
            _ => return Err(format!("the context has no `{method}` on a device")),
        };
        Ok(Operand::Value(value, Type::Scalar(Scalar::U32)))
    }
}
