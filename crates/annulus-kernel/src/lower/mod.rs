//! Lowering: turns a handler's syntax, and the types that rustc inferred for it, into a program of
//! statements.
//!
//! Lowering spells out Rust's order of evaluation, and turns each of Rust's checks into a statement. After
//! lowering, an expression has no effect, cannot fail, and means the same wherever it is read before the next
//! statement.

mod alternatives;
pub(crate) mod archive;
mod ascii;
mod bytes;
mod call;
mod cases;
mod check;
mod checked;
mod closure;
mod control;
mod cooperate;
mod equal;
mod expression;
mod fence;
mod float;
mod function;
mod inbox;
mod integer;
mod items;
mod iterator;
mod list;
mod loops;
pub(crate) mod names;
mod needs;
mod operand;
mod operator;
mod order;
mod overflow;
mod pattern;
mod place;
mod print;
pub(crate) mod program;
mod segments;
mod shared;
mod slice;
mod slice_pattern;
mod sorted;
mod tuple;
pub(crate) mod types;
mod warps;
mod wrapping;

use std::{collections::HashSet, fmt};

use annulus_tree::{HandlerTree, ParameterRole, Pattern, WitnessId};

use crate::{
    BindingKind, KernelDefinition, KernelShape, KernelTree,
    tree::{Callee, Witnessed},
    typed::{Type, Value},
};
pub(crate) use needs::array_bytes;
pub use needs::{NeededAt, Needs};

use function::Module;
use names::Names;
use operand::{Operand, Variable};
use program::{
    Expr, Function, Local, LocalId, Member, Place, Program, Root, Space, Stmt, calls_who_asks_queue,
    calls_who_asks_round, calls_who_asks_stamp, calls_who_asks_time, follows, prints, ticks,
};
use types::TypeNames;

/// Why a handler cannot run on a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LowerError {
    /// The kernel's name.
    pub kernel: &'static str,
    /// The source file of the handler.
    pub file: &'static str,
    /// The line of what a device cannot do.
    pub line: u32,
    /// The reason, and what to write instead.
    pub reason: String,
}

impl fmt::Display for LowerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kernel, file, line, reason } = self;
        write!(f, "kernel `{kernel}` cannot run on a device: {file}:{line}: {reason}")
    }
}

impl std::error::Error for LowerError {}

/// Why a part of a handler cannot be lowered; the caller knows the line.
type Lowered<T> = Result<T, String>;

/// The program of a kernel.
pub(crate) fn lower(definition: &'static KernelDefinition) -> Result<(Program, TypeNames), LowerError> {
    let error = |line, reason| LowerError { kernel: definition.name, file: definition.file, line, reason };
    let Some(tree) = definition.tree else {
        let reason = "it is marked `cpu_only`: launch it on the CPU backend, or take the word away";
        return Err(error(definition.line, reason.into()));
    };
    if definition.key.is_some() && definition.key_field.is_none() {
        let reason = format!(
            "the key of `{}` is computed by code, which a device cannot run: derive `RingMessage` and mark the field \
             with `#[ring(key)]`",
            definition.message.name
        );
        return Err(error(definition.line, reason));
    }
    let tree = tree();
    let syntax = HandlerTree::decode(tree.syntax).map_err(|e| error(definition.line, e.to_string()))?;
    let (mut module, of_functions) = Module::new(definition, &tree)?;
    let mut types = TypeNames::new();
    for ty in types::reachable(definition, &tree.witnesses).iter().chain(&of_functions) {
        types.add(ty);
    }
    module.type_names = types.names().map(str::to_owned).collect();
    let mut lowerer = Lowerer::new(&mut module, &tree, definition.line, 0);
    let body = lowerer.handler(&syntax);
    let line = lowerer.line;
    let mut handler = lowerer.finish();
    body.map_err(|reason| {
        let (file, line) = module.place.unwrap_or((definition.file, line));
        LowerError { kernel: definition.name, file, line, reason }
    })?;
    handler.ticks = ticks(&handler.body, &module.functions);
    handler.prints = prints(&handler.body, &module.functions);
    handler.asks_queue |= calls_who_asks_queue(&handler.body, &module.functions);
    handler.asks_time |= calls_who_asks_time(&handler.body, &module.functions);
    handler.asks_stamp |= calls_who_asks_stamp(&handler.body, &module.functions);
    handler.asks_round |= calls_who_asks_round(&handler.body, &module.functions);
    handler.follows = follows(&handler.body, &module.functions);
    if definition.shape.is_block_wide() {
        if definition.bridged.is_some() {
            let reason =
                "a handler of a whole block reads no bridged message on a device: take a message of numbers";
            return Err(error(definition.line, reason.into()));
        }
        segments::cut(&mut handler, &module.functions).map_err(|(line, reason)| error(line, reason))?;
    }
    let Module { constants, functions, .. } = module;
    types.late();
    for function in functions.iter().chain([&handler]) {
        if function.locals.iter().any(|local| archive::stays(&local.ty)) {
            let LowerError { kernel, .. } = error(0, String::new());
            let (file, line) = (function.file, function.line);
            return Err(LowerError { kernel, file, line, reason: archive::STAYS.into() });
        }
        function.locals.iter().for_each(|local| types.add(&local.ty));
    }
    Ok((Program { definition, constants, functions, handler }, types))
}

/// A loop around the code that is being lowered.
struct LoopFrame {
    label: Option<String>,
    /// The variable for the loop's value, once a `break` has a value.
    result: Option<LocalId>,
    /// The variable in which an inner loop says that it leaves this loop (1) or continues with it (2).
    leave: Option<LocalId>,
    /// Outer loops, by their depth, that are left from inside this one.
    crossed: Vec<usize>,
    /// Scopes that were open when the loop began.
    scopes: usize,
    /// The name of its value.
    hint: String,
    /// Whether it is a labelled block, which only its label leaves.
    is_block: bool,
}

struct Lowerer<'a> {
    definition: &'static KernelDefinition,
    module: &'a mut Module,
    witnesses: &'a [Witnessed],
    /// The functions that it calls.
    functions: &'a [Option<Callee>],
    /// The number of its first print.
    first_print: usize,
    /// Whether overflow is an error.
    checks: bool,
    variables: Vec<(String, Variable)>,
    names: Names,
    locals: Vec<Local>,
    /// The constants that it has used.
    constants: HashSet<usize>,
    /// The statements of the block that is being lowered.
    out: Vec<Stmt>,
    loops: Vec<LoopFrame>,
    /// The line that is being lowered.
    line: u32,
    cx: String,
    /// Whether it has asked for the message's queue.
    asks_queue: bool,
    /// Whether it has asked for the time.
    asks_time: bool,
    /// Whether it has asked for the message's stamp.
    asks_stamp: bool,
    /// Whether it has asked for the number of the round.
    asks_round: bool,
    message: String,
    state: String,
    outbox: String,
    later: String,
    actor: String,
    /// How many outboxes of several a handler's parameters have named so far.
    ports: u8,
    bindings: Vec<String>,
    /// The names of the slices' lengths.
    lens: Vec<String>,
    /// The types of the bindings, and their memory.
    memory: Vec<(Type, Space)>,
    /// Which of them nobody changes.
    unchanged: Vec<bool>,
    /// The type of a function's result; `None` in a handler.
    output: Option<Type>,
    /// What its block's threads share.
    together: Vec<Member>,
    /// How many blocks of code are around what is being lowered.
    depth: usize,
}

impl<'a> Lowerer<'a> {
    fn new(module: &'a mut Module, tree: &'a KernelTree, line: u32, first_print: usize) -> Self {
        let mut names = Names::new();
        for name in &module.type_names {
            names.take(name);
        }
        Self {
            definition: module.definition,
            module,
            witnesses: &tree.witnesses,
            functions: &tree.functions,
            first_print,
            checks: tree.checks,
            variables: Vec::new(),
            names,
            locals: Vec::new(),
            constants: HashSet::new(),
            out: Vec::new(),
            loops: Vec::new(),
            line,
            cx: String::new(),
            asks_queue: false,
            asks_time: false,
            asks_stamp: false,
            asks_round: false,
            message: String::new(),
            state: String::new(),
            outbox: String::new(),
            later: String::new(),
            actor: String::new(),
            ports: 0,
            bindings: Vec::new(),
            lens: Vec::new(),
            memory: Vec::new(),
            unchanged: Vec::new(),
            output: None,
            together: Vec::new(),
            depth: 0,
        }
    }

    /// The lowered code as a handler; a function gets its other parts later.
    fn finish(self) -> Function {
        let Self {
            definition,
            cx,
            asks_queue,
            asks_time,
            asks_stamp,
            asks_round,
            message,
            state,
            outbox,
            later,
            actor,
            bindings,
            lens,
            memory,
            mut locals,
            out,
            output,
            together,
            ..
        } = self;
        for local in 0..locals.len() {
            let mut named = local;
            while let Some(other) = locals[named].became {
                named = other;
            }
            locals[local].name = locals[named].name.clone();
        }
        Function {
            name: format!("handle_{}", names::identifier(definition.name)),
            shown: definition.name.to_owned(),
            file: definition.file,
            line: definition.line,
            cx,
            message,
            state,
            outbox,
            later,
            actor,
            bindings,
            lens,
            memory,
            parameters: Vec::new(),
            output: output.unwrap_or(Type::Verdict),
            fails: true,
            ticks: false,
            prints: false,
            asks_queue,
            asks_time,
            asks_stamp,
            asks_round,
            follows: false,
            together,
            locals,
            body: out,
        }
    }

    fn handler(&mut self, tree: &HandlerTree) -> Lowered<()> {
        let mut patterns = Vec::new();
        for parameter in &tree.parameters {
            self.line = parameter.line;
            let wanted = match &parameter.pattern {
                Pattern::Bind { name, inner: None, .. } => Some(name.as_str()),
                _ => None,
            };
            let operand = self.parameter(&parameter.role, wanted)?;
            patterns.push((&parameter.pattern, operand));
        }
        for (pattern, operand) in patterns {
            self.bind_all(pattern, operand)?;
        }
        let value = self.block(&tree.body, None)?;
        match value {
            Operand::Never => {}
            value => {
                let verdict = self.verdict(value)?;
                self.out.push(Stmt::Return(verdict));
            }
        }
        Ok(())
    }

    /// The names of a parameter, and its operand.
    fn parameter(&mut self, role: &ParameterRole, wanted: Option<&str>) -> Lowered<Operand> {
        let wanted = wanted.map(|name| if name.trim_start_matches('_').is_empty() { "unused" } else { name });
        Ok(match role {
            ParameterRole::Cx => {
                self.cx = self.names.take(wanted.unwrap_or("cx"));
                Operand::Cx
            }
            ParameterRole::Message => {
                self.message = self.names.take(wanted.unwrap_or("message"));
                if self.definition.shape == KernelShape::Body {
                    return Ok(Operand::Inbox);
                }
                Operand::Ref(Place::new(Root::Message, self.definition.read_by_handlers().into()))
            }
            ParameterRole::State => {
                self.state = self.names.take(wanted.unwrap_or("state"));
                let state = self
                    .definition
                    .state
                    .definition()
                    .ok_or("a kernel without state has a parameter for it")?;
                if self.definition.shape.is_block_wide() {
                    return Ok(Operand::BlockState);
                }
                Operand::Ref(Place::new(Root::State, state.ty.into()))
            }
            ParameterRole::Outbox => {
                if self.definition.ports.is_empty() {
                    self.outbox = self.names.take(wanted.unwrap_or("outbox"));
                    return Ok(Operand::Outbox(None));
                }
                // In C they are one, which has a name of its own.
                if self.outbox.is_empty() {
                    self.outbox = self.names.take("outbox");
                }
                let port = self.ports;
                self.ports += 1;
                let asks = self.definition.ports[usize::from(port)].ask.is_some();
                if asks && self.later.is_empty() {
                    self.later = self.names.take("later");
                }
                Operand::Outbox(Some(port))
            }
            ParameterRole::Bound => {
                let index = self.bindings.len();
                let binding = self
                    .definition
                    .bindings
                    .get(index)
                    .ok_or("the handler has more parameters than the kernel binds")?;
                let shared = binding.kind == BindingKind::Shared;
                let space = if shared { Space::Shared } else { Space::Global };
                let unchanged = matches!(binding.kind, BindingKind::Parameter | BindingKind::Table);
                self.memory(binding.name, &binding.ty.into(), space, unchanged);
                match binding.kind {
                    BindingKind::Parameter => {
                        Operand::Ref(Place::new(Root::Binding(index), binding.ty.into()))
                    }
                    BindingKind::Whole if self.definition.shape.is_block_wide() => {
                        Operand::BlockMemory(index)
                    }
                    BindingKind::Table | BindingKind::Whole => Operand::Slice(index),
                    BindingKind::Shared => Operand::Atomics(index),
                }
            }
            ParameterRole::Later => {
                if self.later.is_empty() {
                    self.later = self.names.take(wanted.unwrap_or("later"));
                }
                Operand::Later
            }
            ParameterRole::Actor => {
                self.actor = self.names.take(wanted.unwrap_or("actor"));
                Operand::Actor
            }
            _ => return Err("a handler has a function's parameter: rebuild the program".into()),
        })
    }

    /// What a witness saw.
    fn witnessed(&self, id: WitnessId) -> Lowered<&'a Witnessed> {
        self.witnesses.get(id as usize).ok_or_else(|| format!("witness {id} is missing: rebuild the program"))
    }

    fn type_of(&self, id: WitnessId) -> Lowered<Type> {
        Ok(self.witnessed(id)?.ty.clone())
    }

    /// The type and value of a constant.
    fn constant_of(&self, id: WitnessId) -> Lowered<(Type, &'a Value)> {
        let Witnessed { ty, value } = self.witnessed(id)?;
        let value = value.as_ref().ok_or("a constant has no value: rebuild the program")?;
        Ok((ty.clone(), value))
    }

    /// A new variable of the text, in the innermost scope.
    fn local(&mut self, wanted: &str, ty: Type) -> LocalId {
        let name = self.names.take(wanted);
        self.locals.push(Local::new(name, ty, false, false));
        self.locals.len() - 1
    }

    /// A new variable with this value.
    fn temporary(&mut self, wanted: &str, ty: Type, value: Option<Expr>) -> LocalId {
        let local = self.local(wanted, ty);
        self.locals[local].made = true;
        self.out.push(Stmt::Declare(local, value));
        local
    }

    fn read(&self, local: LocalId) -> Expr {
        Expr::Read(Place::new(Root::Local(local), self.locals[local].ty.clone()))
    }

    /// Lowers into a separate list of statements, in a scope of their own.
    fn nested<T>(&mut self, body: impl FnOnce(&mut Self) -> Lowered<T>) -> Lowered<(T, Vec<Stmt>)> {
        let outer = std::mem::take(&mut self.out);
        self.names.open();
        let known = self.variables.len();
        self.depth += 1;
        let value = body(self);
        self.depth -= 1;
        self.variables.truncate(known);
        self.names.close();
        let inner = std::mem::replace(&mut self.out, outer);
        Ok((value?, inner))
    }

    /// Notes the line of what follows.
    fn at(&mut self, line: u32) {
        if line == 0 {
            return;
        }
        self.line = line;
        if self.out.last().is_some_and(|last| matches!(last, Stmt::Line(_))) {
            self.out.pop();
        }
        self.out.push(Stmt::Line(line));
    }
}
