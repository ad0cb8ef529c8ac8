//! The user's functions in C, and calls of them.

use super::{Writer, storage};
use crate::{
    lower::program::{Argument, Expr, Function, LocalId, Parameter, Space},
    typed::Type,
};

impl<'a> Writer<'a> {
    /// All functions, each after those that it calls.
    pub(super) fn functions(&mut self) {
        for function in &self.program.functions {
            self.own_function(function);
        }
        self.enter(&self.program.handler);
    }

    /// What is written next belongs to this function.
    fn enter(&mut self, function: &'a Function) {
        self.function = function;
        self.file = file_name(function.file);
        (self.line, self.commented) = (0, 0);
    }

    fn own_function(&mut self, function: &'a Function) {
        self.enter(function);
        let mut parameters: Vec<String> =
            function.parameters.iter().flat_map(|parameter| self.parameter(*parameter)).collect();
        let result = if function.fails {
            if function.output != Type::Unit {
                parameters.push(format!("PRIVATE {} *ann_result", self.stored(&function.output)));
            }
            "u32".to_owned()
        } else {
            self.spell(&function.output)
        };
        if function.ticks {
            parameters.push("PRIVATE u32 *ann_budget".to_owned());
        }
        if function.prints {
            parameters.push(PRINTER.to_owned());
        }
        if function.asks_queue {
            parameters.push(format!("u32 {QUEUE}"));
        }
        if function.asks_time {
            parameters.push(format!("u64 {TIME}"));
        }
        if function.asks_stamp {
            parameters.push(format!("u64 {STAMP}"));
        }
        if function.asks_round {
            parameters.push(format!("u64 {ROUND}"));
        }
        if function.follows {
            parameters.push(PAYLOAD.to_owned());
        }
        if parameters.is_empty() {
            parameters.push("void".to_owned());
        }
        let Function { name, shown, line, .. } = function;
        let (qualifier, file) = (self.target.function(), self.file);
        self.put("");
        self.put(&format!("// {file}:{line}: {shown}"));
        self.put(&format!("{qualifier} {result} {name}({}) {{", parameters.join(", ")));
        self.block(&function.body);
        self.put("}");
    }

    fn parameter(&self, parameter: Parameter) -> Vec<String> {
        match parameter {
            Parameter::Value(local) => {
                let local = &self.function.locals[local];
                vec![format!("{} {}", self.type_of_local(local), local.name)]
            }
            Parameter::Pointer { memory, mutable } => vec![self.pointer_to(memory, mutable)],
            Parameter::Slice { memory, mutable } => {
                vec![self.pointer_to(memory, mutable), format!("u64 {}", self.function.lens[memory])]
            }
            Parameter::Cx => vec![format!("ann_cx {}", self.function.cx)],
            Parameter::Outbox => {
                let outbox = format!("PRIVATE ann_outbox *{}", self.function.outbox);
                let counts = self.has_ports().then(|| format!("PRIVATE u32 *{PORT_COUNTS}"));
                std::iter::once(outbox).chain(counts).collect()
            }
        }
    }

    /// A pointer parameter.
    fn pointer_to(&self, memory: usize, mutable: bool) -> String {
        let (ty, space) = &self.function.memory[memory];
        let space = match space {
            Space::Private => "PRIVATE",
            Space::Global => "GLOBAL",
            Space::Constant => "RS_CONSTANT",
            Space::Shared => "volatile GLOBAL",
            Space::Port(_) => unreachable!("an outbox is no pointer to memory"),
        };
        let constant = if mutable { "" } else { "const " };
        format!("{space} {constant}{} *{}", self.stored(ty), self.function.bindings[memory])
    }

    /// The C type of a variable; a variable that a pointer leads to has the type of memory.
    pub(super) fn type_of_local(&self, local: &crate::lower::program::Local) -> String {
        let spelled = self.spell(&local.ty);
        if local.stored { storage(spelled) } else { spelled }
    }

    /// A call, as a statement.
    pub(super) fn call(
        &mut self,
        function: usize,
        arguments: &[Argument],
        result: Option<LocalId>,
        declares: bool,
    ) {
        let callee = &self.program.functions[function];
        let mut handed: Vec<String> = arguments.iter().flat_map(|argument| self.argument(argument)).collect();
        if let (true, Some(result)) = (callee.fails, result) {
            handed.push(format!("&{}", self.function.locals[result].name));
        }
        if callee.ticks {
            let is_handler = std::ptr::eq(self.function, &self.program.handler);
            handed.push(if is_handler { "&ann_budget" } else { "ann_budget" }.to_owned());
        }
        if callee.prints {
            handed.push("ann_print_to".to_owned());
        }
        if callee.asks_queue {
            handed.push(QUEUE.to_owned());
        }
        if callee.asks_time {
            handed.push(TIME.to_owned());
        }
        if callee.asks_stamp {
            handed.push(STAMP.to_owned());
        }
        if callee.asks_round {
            handed.push(ROUND.to_owned());
        }
        if callee.follows {
            handed.push("ann_payload, ann_length".to_owned());
        }
        let call = format!("{}({})", callee.name, handed.join(", "));
        let text = match result {
            _ if callee.fails && self.in_segment => {
                format!("if ((ann_code = {call}) != 0u) break;")
            }
            _ if callee.fails => format!("RS_TRY({call});"),
            Some(result) => {
                let local = &self.function.locals[result];
                let ty = if declares { format!("{} ", self.type_of_local(local)) } else { String::new() };
                format!("{ty}{} = {call};", local.name)
            }
            None => format!("{call};"),
        };
        self.code(&text);
    }

    fn argument(&self, argument: &Argument) -> Vec<String> {
        match argument {
            Argument::Value(value) => vec![self.expression(value)],
            Argument::Pointer(place) => match (self.pointer(place.root), place.steps.as_slice()) {
                (Some(pointer), []) => vec![pointer.to_owned()],
                _ => vec![format!("&{}", self.place(place))],
            },
            Argument::Array(place, len) => {
                vec![
                    format!("{}at", self.with_dot(place)),
                    self.expression(&Expr::Bits(crate::typed::Scalar::Usize, *len)),
                ]
            }
            Argument::Slice(memory) => {
                vec![self.function.bindings[*memory].clone(), self.function.lens[*memory].clone()]
            }
            Argument::Part(first, len) => vec![format!("&{}", self.place(first)), self.expression(len)],
            Argument::Cx => vec![self.function.cx.clone()],
            Argument::Outbox(_) => {
                let counts = self.has_ports().then(|| PORT_COUNTS.to_owned());
                std::iter::once(self.function.outbox.clone()).chain(counts).collect()
            }
        }
    }
}

/// How many outputs each of several outboxes has sent: a variable of the handler, and a parameter of functions
/// that take an outbox.
pub(super) const PORT_COUNTS: &str = "ann_sent";

/// The name of the parameter with the time.
pub(super) const TIME: &str = "ann_time";

/// The extra parameter of a function that prints.
pub(super) const PRINTER: &str = "PRIVATE ann_printer *ann_print_to";

/// The extra parameter of a function that asks for the message's queue.
pub(super) const QUEUE: &str = "ann_queue";

/// The argument with the stamp of the message.
pub(super) const STAMP: &str = "ann_message_stamp";

/// The argument with the number of the round.
pub(super) const ROUND: &str = "ann_round_number";

/// The extra parameters of a function that follows offsets of the message: its bytes, and how many.
pub(super) const PAYLOAD: &str = "GLOBAL const u8 *ann_payload, u32 ann_length";

/// A path's last word.
pub(super) fn file_name(path: &'static str) -> &'static str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}
