//! Statements in C.

use annulus_abi::error;

use super::Writer;
use crate::{
    TypeKind,
    lower::{
        program::{Atomic, Behind, Stmt},
        types::{c_scalar, takes_no_place},
    },
    typed::{Scalar, Type},
};

impl Writer<'_> {
    pub(super) fn block(&mut self, statements: &[Stmt]) {
        self.depth += 1;
        let mut left = statements;
        while let [statement, rest @ ..] = left {
            left = rest;
            // A variable that only holds the result of a call.
            if let (Stmt::Declare(local, None), [Stmt::Call { function, arguments, result }, rest @ ..]) =
                (statement, left)
                && *result == Some(*local)
                && !self.program.functions[*function].fails
            {
                self.call(*function, arguments, *result, true);
                left = rest;
                continue;
            }
            self.statement(statement);
        }
        self.depth -= 1;
    }

    /// Writes a line of code. If its source line changed, a comment with that line comes first.
    pub(super) fn code(&mut self, text: &str) {
        if self.line != self.commented && self.line != 0 {
            self.commented = self.line;
            let comment = format!("// {}:{}", self.file, self.line);
            self.put(&comment);
        }
        self.put(text);
    }

    fn statement(&mut self, statement: &Stmt) {
        match statement {
            Stmt::Line(line) => self.line = *line,
            Stmt::Declare(local, value) => {
                let local = &self.function.locals[*local];
                let ty = self.type_of_local(local);
                let text = match value {
                    // A value without bytes needs no copy.
                    Some(value) if !takes_no_place(&local.ty) => {
                        format!("{ty} {} = {};", local.name, self.expression(value))
                    }
                    _ => format!("{ty} {};", local.name),
                };
                self.code(&text);
            }
            // A value without bytes has no place in C.
            Stmt::Assign(place, _) if takes_no_place(&place.ty) => {}
            Stmt::Assign(place, value) => {
                let text = format!("{} = {};", self.place(place), self.expression(value));
                self.code(&text);
            }
            Stmt::SetTag(place, variant) => {
                if let Type::Option(_) | Type::Result(..) = place.ty {
                    let name = match (&place.ty, variant) {
                        (Type::Option(_), 0) => "None",
                        (Type::Option(_), _) => "Some",
                        (_, 0) => "Ok",
                        _ => "Err",
                    };
                    let text = format!("{}tag = {variant}; // {name}", self.with_dot(place));
                    self.code(&text);
                    return;
                }
                let Type::Enum(descriptor) = place.ty else { return };
                let TypeKind::Enum { tag, variants } = descriptor.kind else { return };
                let variant = &variants[*variant];
                let tag = self.literal(tag.into(), variant.tag, false);
                let text = format!("{}tag = {tag}; // {}", self.with_dot(place), variant.name);
                self.code(&text);
            }
            Stmt::If(condition, then, otherwise) => self.conditional("if", condition, then, otherwise),
            Stmt::Loop(body) => {
                self.code("for (;;) {");
                self.block(body);
                self.put("}");
                self.leave_loop(body);
            }
            Stmt::For { local, start, end, body } => {
                let local = &self.function.locals[*local];
                let (name, ty) = (&local.name, self.spell(&local.ty));
                let (start, end) = (self.expression(start), self.expression(end));
                let text = format!("for ({ty} {name} = {start}; {name} < {end}; {name} += 1) {{");
                self.code(&text);
                self.block(body);
                self.put("}");
                self.leave_loop(body);
            }
            Stmt::Tick => {
                let is_handler = std::ptr::eq(self.function, &self.program.handler);
                let budget = if is_handler { "ann_budget" } else { "(*ann_budget)" };
                self.code(&format!("if ({budget}-- == 0u) {}", self.fail(error::BUDGET_EXHAUSTED)));
            }
            Stmt::Break => self.code("break;"),
            Stmt::Continue => self.code("continue;"),
            Stmt::Return(value) if self.in_segment => self.return_from_segment(value),
            Stmt::Return(value) => {
                let text = format!("return {};", self.expression(value));
                self.code(&text);
            }
            Stmt::Give(value) => {
                let value = value.as_ref().map(|value| self.expression(value));
                match (value, self.function.fails) {
                    (Some(value), true) => {
                        self.code(&format!("*ann_result = {value};"));
                        self.code("return 0u;");
                    }
                    (Some(value), false) => self.code(&format!("return {value};")),
                    (None, true) => self.code("return 0u;"),
                    (None, false) => self.code("return;"),
                }
            }
            Stmt::Call { function, arguments, result } => self.call(*function, arguments, *result, false),
            Stmt::Fail(condition, code) => {
                let text = format!("if ({}) {}", self.expression(condition), self.fail(*code));
                self.code(&text);
            }
            Stmt::Abort(code) => self.code(&self.fail(*code)),
            Stmt::Meet => self.meet(None),
            Stmt::Barrier => self.code("ann_barrier();"),
            Stmt::Warp(warp) => self.warp(warp),
            Stmt::Agree(answer) => self.meet(Some(*answer)),
            Stmt::Segment(body) => self.segment(body),
            Stmt::Leave => self.code("ann_end = ann_code;"),
            Stmt::FrameLoop(body) => {
                self.code("while (ann_end == 0u) {");
                self.block(body);
                self.put("}");
            }
            Stmt::FrameFor { local, start, end, body } => {
                let local = &self.function.locals[*local];
                let (name, ty) = (&local.name, self.spell(&local.ty));
                let (start, end) = (self.expression(start), self.expression(end));
                let text =
                    format!("for ({ty} {name} = {start}; {name} < {end} && ann_end == 0u; {name} += 1) {{");
                self.code(&text);
                self.block(body);
                self.put("}");
            }
            Stmt::Send(Some(port), value) => self.send_to_port(*port, value),
            Stmt::Send(None, value) => {
                let value = self.expression(value);
                let outbox = &self.function.outbox;
                let Some(output) = self.program.definition.output else { return };
                let ty = self.stored(&output.into());
                let next = format!("ann_outbox_next({outbox})");
                if output.size == 0 {
                    self.code(&format!("{next};"));
                    return;
                }
                self.code("{");
                self.depth += 1;
                self.put(&format!("GLOBAL {ty} *ann_slot = (GLOBAL {ty} *){next};"));
                self.put(&format!("if (ann_slot) *ann_slot = {value};"));
                self.depth -= 1;
                self.put("}");
            }
            Stmt::Later(message, nanos) => {
                let (message, nanos) = (self.expression(message), self.expression(nanos));
                let definition = self.program.definition;
                let next = format!("ann_later_next({}, {nanos})", self.function.later);
                if definition.message.size == 0 {
                    self.code(&format!("{next};"));
                    return;
                }
                let ty = self.stored(&definition.message.into());
                self.code("{");
                self.depth += 1;
                self.put(&format!("GLOBAL {ty} *ann_slot = (GLOBAL {ty} *){next};"));
                self.put(&format!("if (ann_slot) *ann_slot = {message};"));
                self.depth -= 1;
                self.put("}");
            }
            Stmt::Await(port, awaited, nanos) => self.await_answer(*port, awaited, nanos),
            Stmt::Take { found, message } => self.take(*found, *message),
            Stmt::EndKernel => {
                let text = format!("ann_end_kernel({});", self.function.message);
                self.code(&text);
            }
            Stmt::EndActor => {
                let text = format!("*{} = 1u;", self.function.actor);
                self.code(&text);
            }
            Stmt::Follow { memory, at, behind, place, len } => {
                let ty = self.stored(&self.function.memory[*memory].0);
                let (name, len_name) = (&self.function.bindings[*memory], &self.function.lens[*memory]);
                let (at, here) = (&self.function.locals[*at].name, self.bytes_at(place));
                let begin = match behind {
                    Behind::Text => format!("rs_behind_text(ann_payload, ann_length, {here})"),
                    Behind::List { size, align } => {
                        let part = self.with_dot(place);
                        let (offset, len) = (format!("{part}offset"), format!("{part}len"));
                        format!(
                            "rs_behind(ann_payload, ann_length, {here}, {offset}, {len}, {size}u, {align}u)"
                        )
                    }
                };
                let pointer =
                    format!("GLOBAL const {ty} *{name} = (GLOBAL const {ty} *)(ann_payload + {at});");
                let lines = [
                    format!("u32 {at} = {begin};"),
                    format!("if ({at} == RS_NOWHERE) {}", fail(error::BAD_ARCHIVE)),
                    pointer,
                    format!("u64 {len_name} = {};", self.expression(len)),
                ];
                lines.iter().for_each(|line| self.code(line));
            }
            Stmt::Print(number, words) => {
                self.code("{");
                self.depth += 1;
                self.put("GLOBAL u64 *ann_words = ann_print_next(ann_print_to);");
                self.put("if (ann_words) {");
                self.depth += 1;
                for (index, word) in words.iter().enumerate() {
                    let word = self.expression(word);
                    self.put(&format!("ann_words[{index}] = {word};"));
                }
                self.put(&format!("ann_print(ann_print_to, {number}u);"));
                self.depth -= 1;
                self.put("}");
                self.depth -= 1;
                self.put("}");
            }
            Stmt::Atomic(atomic) => self.atomic(atomic),
            Stmt::Fence(scope) => self.code(&format!("rs_fence_{}();", scope.name())),
        }
    }

    /// `if … else if … else …`, flat.
    fn conditional(
        &mut self,
        word: &str,
        condition: &crate::lower::program::Expr,
        then: &[Stmt],
        otherwise: &[Stmt],
    ) {
        let text = format!("{word} ({}) {{", self.expression(condition));
        if word == "if" {
            self.code(&text);
        } else {
            self.put(&text);
        }
        self.block(then);
        match otherwise {
            [] => self.put("}"),
            [Stmt::If(condition, then, otherwise)] => {
                self.conditional("} else if", condition, then, otherwise)
            }
            otherwise => {
                self.put("} else {");
                self.block(otherwise);
                self.put("}");
            }
        }
    }

    fn atomic(&mut self, atomic: &Atomic) {
        use std::sync::atomic::Ordering;
        let Atomic { name, scalar, place, arguments, order, result } = atomic;
        let order = match order {
            Ordering::Relaxed => "RS_RELAXED",
            Ordering::Acquire => "RS_ACQUIRE",
            Ordering::Release => "RS_RELEASE",
            Ordering::AcqRel => "RS_ACQ_REL",
            _ => "RS_SEQ_CST",
        };
        let mut text = format!("rs_atomic_{name}_{}(&{}", c_scalar(*scalar), self.place(place));
        for argument in arguments {
            text = format!("{text}, {}", self.expression(argument));
        }
        text = format!("{text}, {order});");
        if let Some(result) = result {
            text = format!("{} = {text}", self.function.locals[*result].name);
        }
        self.code(&text);
    }

    pub(super) fn budget(&self) -> String {
        self.literal(Scalar::U32, self.program.definition.loop_budget.into(), false)
    }
}

pub(super) fn fail(code: u16) -> String {
    let what = match code {
        error::PANICKED => "panicked",
        error::INDEX_OUT_OF_BOUNDS => "index out of bounds",
        error::DIVISION_BY_ZERO => "division by zero",
        error::OVERFLOW => "overflow",
        error::BUDGET_EXHAUSTED => "loop budget exhausted",
        error::BAD_ARCHIVE => "no archive of its type",
        code => super::cooperate::what(code).unwrap_or("failed"),
    };
    format!("return {code:#06X}u; // {what}")
}
