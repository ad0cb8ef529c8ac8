//! The user's functions. Each is lowered once for every set of address spaces that its references point into,
//! and before its callers.

use std::{
    any::TypeId,
    collections::{HashMap, HashSet},
    rc::Rc,
};

use annulus_tree::{BinaryOp, Expression, ExpressionKind, FunctionId, ParameterRole, Pattern};

use super::{
    LowerError, Lowered, Lowerer,
    operand::{Operand, Variable, describe},
    program::{
        Argument, Constant, Expr, Function, Parameter, Place, Root, Space, Stmt, calls_who_asks_queue,
        calls_who_asks_round, calls_who_asks_stamp, calls_who_asks_time, fails, follows, prints, ticks,
    },
};
use crate::{
    FunctionTree, KernelDefinition, KernelTree,
    tree::{ON_HOST, UNKNOWN, reachable},
    typed::Type,
};

/// What the functions of a kernel share.
pub(super) struct Module {
    pub(super) definition: &'static KernelDefinition,
    /// Names of the types; no variable hides them.
    pub(super) type_names: Vec<String>,
    pub(super) constants: Vec<Constant>,
    /// The lowered functions; each comes after those that it calls.
    pub(super) functions: Vec<Function>,
    /// The index of each function and set of address spaces.
    instances: HashMap<(TypeId, Vec<Space>), usize>,
    /// All functions that can be reached.
    known: HashMap<TypeId, Rc<Known>>,
    /// The functions that are being lowered; the outermost comes first.
    stack: Vec<TypeId>,
    names: HashSet<String>,
    /// Where an error inside a function is.
    pub(super) place: Option<(&'static str, u32)>,
}

/// A function, decoded.
pub(super) struct Known {
    function: FunctionTree,
    syntax: annulus_tree::FunctionTree,
    /// The number of its first print.
    first_print: usize,
}

impl Known {
    fn type_of(&self, witness: annulus_tree::WitnessId) -> Lowered<Type> {
        let witnessed = self.function.tree.witnesses.get(witness as usize);
        Ok(witnessed.ok_or("a parameter has no type: rebuild the program")?.ty.clone())
    }

    /// Its name, with the values of its generic parameters.
    fn shown(&self) -> String {
        match self.function.generics.as_slice() {
            [] => self.function.name.to_owned(),
            generics => format!("{}::<{}>", self.function.name, generics.join(", ")),
        }
    }
}

impl Module {
    /// The functions that can be reached from a handler, and their types.
    pub(super) fn new(
        definition: &'static KernelDefinition,
        handler: &KernelTree,
    ) -> Result<(Self, Vec<Type>), LowerError> {
        let mut known: HashMap<TypeId, Rc<Known>> = HashMap::new();
        let mut types = Vec::new();
        let mut first_print = handler.prints.len();
        for (id, function) in reachable(&handler.functions) {
            if function.tree.syntax == ON_HOST {
                let (file, line) = (function.file, function.line);
                let reason = format!(
                    "`{}` is called for a device, and is the host's: it has `#[cpu_only]`; take the word away, or do not call it",
                    function.name
                );
                return Err(LowerError { kernel: definition.name, file, line, reason });
            }
            if function.tree.syntax == UNKNOWN {
                let KernelDefinition { name: kernel, file, line, .. } = *definition;
                return Err(LowerError { kernel, file, line, reason: function.name.to_owned() });
            }
            let syntax =
                annulus_tree::FunctionTree::decode(function.tree.syntax).map_err(|error| LowerError {
                    kernel: definition.name,
                    file: function.file,
                    line: function.line,
                    reason: error.to_string(),
                })?;
            types.extend(function.tree.witnesses.iter().map(|witness| witness.ty.clone()));
            let prints = function.tree.prints.len();
            known.insert(id, Rc::new(Known { function, syntax, first_print }));
            first_print += prints;
        }
        let module = Self {
            definition,
            type_names: Vec::new(),
            constants: Vec::new(),
            functions: Vec::new(),
            instances: HashMap::new(),
            known,
            stack: Vec::new(),
            names: HashSet::new(),
            place: None,
        };
        Ok((module, types))
    }

    /// A name in the text for a function; no variable can have it.
    fn name_of(&mut self, known: &Known) -> String {
        let mut wanted = format!("fn_{}", known.function.name);
        for generic in &known.function.generics {
            wanted = format!("{wanted}_{}", generic.rsplit("::").next().unwrap_or(generic));
        }
        let mut name = String::new();
        for c in wanted.chars() {
            let c = if c.is_ascii_alphanumeric() { c } else { '_' };
            // Two underscores in a row are reserved in C++.
            if c != '_' || !name.ends_with('_') {
                name.push(c);
            }
        }
        let name = name.trim_end_matches('_');
        let numbered = (2..).map(|number| format!("{name}_{number}"));
        let free = std::iter::once(name.to_owned()).chain(numbered).find(|name| !self.names.contains(name));
        let name = free.expect("there are more numbers than names");
        self.names.insert(name.clone());
        name
    }

    /// Refuses a function that is already being lowered.
    fn check_cycle(&self, id: TypeId) -> Lowered<()> {
        let Some(first) = self.stack.iter().position(|entered| *entered == id) else { return Ok(()) };
        let mut cycle: Vec<String> =
            self.stack[first..].iter().map(|id| format!("`{}`", self.known[id].shown())).collect();
        cycle.push(cycle[0].clone());
        Err(format!(
            "functions of a device do not call themselves, since it has no stack that could grow: {}; write a loop",
            cycle.join(" calls ")
        ))
    }
}

impl Lowerer<'_> {
    /// A call of a function of the user's.
    pub(super) fn call(
        &mut self,
        function: FunctionId,
        arguments: &[&Expression],
        hint: Option<&str>,
    ) -> Lowered<Operand> {
        self.call_by(function, arguments, |lowerer, argument| lowerer.operand(argument, None), hint)
    }

    /// A call with operands that are already evaluated.
    pub(super) fn call_with(
        &mut self,
        function: FunctionId,
        arguments: Vec<Operand>,
        hint: Option<&str>,
    ) -> Lowered<Operand> {
        self.call_by(function, arguments, |_, argument| Ok(argument), hint)
    }

    fn call_by<A>(
        &mut self,
        function: FunctionId,
        arguments: impl IntoIterator<Item = A>,
        evaluate: impl Fn(&mut Self, A) -> Lowered<Operand>,
        hint: Option<&str>,
    ) -> Lowered<Operand> {
        let callee = self.functions.get(function as usize).copied().flatten();
        let callee = callee.ok_or("a function that is called is missing: rebuild the program")?;
        self.module.check_cycle(callee.id)?;
        let known = Rc::clone(&self.module.known[&callee.id]);
        let line = self.line;
        // The arguments, and the current values of those that are passed by value.
        let mut handed = Vec::new();
        let mut values = Vec::new();
        let mut spaces = Vec::new();
        for (argument, parameter) in arguments.into_iter().zip(&known.syntax.parameters) {
            let mark = self.out.len();
            let operand = evaluate(self, argument)?;
            if matches!(operand, Operand::Never) {
                return Ok(Operand::Never);
            }
            if let ParameterRole::Value { .. } = parameter.role {
                let (value, ty) = self.value_of(operand)?;
                let value = self.placed(value, &ty);
                self.keep(&mut values, mark);
                if ty != Type::Unit {
                    handed.push(Argument::Value(Expr::Code(0)));
                    values.push((value, ty));
                }
            } else {
                let argument = self.pointer(&parameter.role, operand)?;
                self.keep(&mut values, mark);
                spaces.extend(self.space_of_argument(&argument));
                let is_outbox = |argument: &Argument| matches!(argument, Argument::Outbox(_));
                if !is_outbox(&argument) || !handed.iter().any(is_outbox) {
                    handed.push(argument);
                }
            }
        }
        self.line = line;
        let mut values = values.into_iter();
        for argument in &mut handed {
            if let Argument::Value(value) = argument {
                *value = values.next().expect("each has left its value").0;
            }
        }
        let function = self.instance(callee.id, spaces)?;
        let (output, fails) =
            (self.module.functions[function].output.clone(), self.module.functions[function].fails);
        if output == Type::Unit {
            self.out.push(Stmt::Call { function, arguments: handed, result: None });
            return Ok(Operand::Unit);
        }
        let name = known.function.name.rsplit("::").next().unwrap_or("value");
        let result = self.temporary(hint.unwrap_or(name), output.clone(), None);
        // Then it is written through a pointer.
        self.locals[result].stored = fails;
        self.out.push(Stmt::Call { function, arguments: handed, result: Some(result) });
        Ok(Operand::Value(self.read(result), output))
    }

    /// A method or function with a name that types of the language have, too.
    pub(super) fn perhaps_own(
        &mut self,
        function: FunctionId,
        otherwise: &Expression,
        hint: Option<&str>,
    ) -> Lowered<Operand> {
        if self.functions.get(function as usize).is_none_or(Option::is_none) {
            return self.operand(otherwise, hint);
        }
        // `T::from(value)` may be the type's own function, or a conversion.
        let mut otherwise = otherwise;
        while let ExpressionKind::Own { otherwise: inner, .. } = &otherwise.kind {
            otherwise = inner;
        }
        let arguments: Vec<&Expression> = match &otherwise.kind {
            ExpressionKind::Method { receiver, arguments, .. } => {
                std::iter::once(&**receiver).chain(arguments).collect()
            }
            ExpressionKind::Function { arguments, .. } => arguments.iter().collect(),
            ExpressionKind::Binary { left, right, .. } => vec![&**left, &**right],
            ExpressionKind::AssignOp { place, value, .. } => vec![&**place, &**value],
            ExpressionKind::Unary { operand, .. } => vec![&**operand],
            _ => return Err("a call has another form than it was written in: rebuild the program".into()),
        };
        let given = self.call(function, &arguments, hint)?;
        if let (ExpressionKind::Binary { op: BinaryOp::Ne, .. }, Operand::Value(equal, ty)) =
            (&otherwise.kind, &given)
        {
            return Ok(Operand::Value(equal.clone().not(), ty.clone()));
        }
        if let ExpressionKind::Binary {
            op: op @ (BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge),
            ..
        } = &otherwise.kind
        {
            return self.by_partial_cmp(*op, given);
        }
        Ok(given)
    }

    /// The argument for a parameter that is not a value.
    fn pointer(&mut self, role: &ParameterRole, operand: Operand) -> Lowered<Argument> {
        let described = operand.describe();
        let operand =
            if matches!(role, ParameterRole::Slice { .. }) { self.slice_of_list(operand)? } else { operand };
        let refused = |what: &str| Err(format!("{described} is handed to a function that takes {what}"));
        Ok(match (role, operand) {
            (ParameterRole::Cx, Operand::Cx) => Argument::Cx,
            (ParameterRole::Outbox, Operand::Outbox(port)) => Argument::Outbox(port),
            (ParameterRole::Atomics { .. }, Operand::Atomics(memory)) => Argument::Slice(memory),
            (ParameterRole::Atomic { .. }, Operand::Atomic(place)) => Argument::Pointer(place),
            (ParameterRole::Slice { .. }, Operand::Slice(memory)) => Argument::Slice(memory),
            (ParameterRole::Slice { .. } | ParameterRole::Atomics { .. }, Operand::View(view)) => {
                let (first, len) = self.span_of(&view);
                // It does not exist in C.
                let nowhere = super::types::takes_no_place(&first.ty);
                let first = if nowhere { self.stored_copy(None, first.ty) } else { first };
                Argument::Part(first, len)
            }
            (
                ParameterRole::Slice { mutable, .. },
                operand @ (Operand::Ref(_) | Operand::Place(_) | Operand::Value(..)),
            ) => {
                let place = self.addressed(operand, *mutable)?;
                let Type::Array { len, .. } = place.ty else { return refused("a slice") };
                Argument::Array(place, len as u64)
            }
            (
                ParameterRole::Reference { mutable, .. },
                operand @ (Operand::Ref(_) | Operand::Place(_) | Operand::Value(..)),
            ) => Argument::Pointer(self.addressed(operand, *mutable)?),
            (ParameterRole::Slice { .. }, _) => return refused("a slice"),
            (ParameterRole::Reference { .. }, _) => return refused("a reference"),
            _ => return refused("something else"),
        })
    }

    /// A place whose address is taken.
    fn addressed(&mut self, operand: Operand, mutable: bool) -> Lowered<Place> {
        let place = match operand {
            Operand::Ref(place) | Operand::Place(place) if !super::types::takes_no_place(&place.ty) => {
                let copied = mutable && matches!(place.root, Root::Constant(_));
                let place = self.steady(place);
                if copied { self.stored_copy(Some(Expr::Read(place.clone())), place.ty) } else { place }
            }
            // It does not exist in C.
            Operand::Ref(place) | Operand::Place(place) => self.stored_copy(None, place.ty),
            operand => {
                let (value, ty) = self.value_of(operand)?;
                self.stored_copy(Some(value), ty)
            }
        };
        if let (Root::Local(local), []) = (place.root, place.steps.as_slice()) {
            self.locals[local].stored = true;
            // A value that was read before the call may differ from the value after it.
            self.locals[local].mutable |= mutable;
        }
        Ok(place)
    }

    /// A value that C can read: a value without bytes exists only in a variable.
    fn placed(&mut self, value: Expr, ty: &Type) -> Expr {
        if *ty != Type::Unit && super::types::takes_no_place(ty) {
            return Expr::Read(self.stored_copy(None, ty.clone()));
        }
        value
    }

    /// A variable with this value.
    pub(super) fn stored_copy(&mut self, value: Option<Expr>, ty: Type) -> Place {
        let local = self.temporary("value", ty, value);
        self.locals[local].made = false;
        self.place_of_local(local)
    }

    pub(super) fn space(&self, root: Root) -> Space {
        match root {
            // What the block's threads share is never passed by its address.
            Root::Local(_) | Root::State | Root::Together(_) => Space::Private,
            Root::Message => Space::Global,
            Root::Binding(memory) => self.memory[memory].1,
            Root::Constant(_) => Space::Constant,
        }
    }

    fn space_of_argument(&self, argument: &Argument) -> Option<Space> {
        match argument {
            Argument::Pointer(place) | Argument::Array(place, _) | Argument::Part(place, _) => {
                Some(self.space(place.root))
            }
            Argument::Slice(memory) => Some(self.memory[*memory].1),
            Argument::Outbox(port) => port.map(Space::Port),
            Argument::Value(_) | Argument::Cx => None,
        }
    }

    /// The function for pointers into these spaces.
    fn instance(&mut self, id: TypeId, spaces: Vec<Space>) -> Lowered<usize> {
        if let Some(index) = self.module.instances.get(&(id, spaces.clone())) {
            return Ok(*index);
        }
        let known = Rc::clone(&self.module.known[&id]);
        let name = self.module.name_of(&known);
        self.module.stack.push(id);
        let mut lowerer =
            Lowerer::new(self.module, &known.function.tree, known.function.line, known.first_print);
        let lowered = lowerer.function_body(&known, &spaces);
        let line = lowerer.line;
        let mut function = lowerer.finish();
        self.module.stack.pop();
        function.parameters = lowered.inspect_err(|_| {
            if self.module.place.is_none() {
                self.module.place = Some((known.function.file, line));
            }
        })?;
        function.name = name;
        function.shown = known.shown();
        function.file = known.function.file;
        function.line = known.function.line;
        function.fails = fails(&function.body, &self.module.functions);
        function.ticks = ticks(&function.body, &self.module.functions);
        function.prints = prints(&function.body, &self.module.functions);
        function.asks_queue |= calls_who_asks_queue(&function.body, &self.module.functions);
        function.asks_time |= calls_who_asks_time(&function.body, &self.module.functions);
        function.asks_stamp |= calls_who_asks_stamp(&function.body, &self.module.functions);
        function.asks_round |= calls_who_asks_round(&function.body, &self.module.functions);
        function.follows = follows(&function.body, &self.module.functions);
        if function.fails
            && function.output == Type::Unit
            && !matches!(function.body.last(), Some(Stmt::Give(_) | Stmt::Abort(_)))
        {
            function.body.push(Stmt::Give(None));
        }
        self.module.functions.push(function);
        let index = self.module.functions.len() - 1;
        self.module.instances.insert((id, spaces), index);
        Ok(index)
    }

    /// A function's parameters and body.
    fn function_body(&mut self, known: &Known, spaces: &[Space]) -> Lowered<Vec<Parameter>> {
        let output = match known.syntax.output {
            Some(witness) => known.type_of(witness)?,
            None => Type::Unit,
        };
        self.output = Some(output.clone());
        let mut spaces = spaces.iter().copied();
        let mut parameters = Vec::new();
        let mut patterns = Vec::new();
        for parameter in &known.syntax.parameters {
            self.line = parameter.line;
            let wanted = match &parameter.pattern {
                Pattern::Bind { name, inner: None, .. } if !name.trim_start_matches('_').is_empty() => name,
                Pattern::Wildcard | Pattern::Bind { .. } => "unused",
                _ => "argument",
            };
            let mut space = || spaces.next().ok_or("a parameter has no memory: rebuild the program");
            let operand = match &parameter.role {
                ParameterRole::Value { ty } => match known.type_of(*ty)? {
                    Type::Unit => Operand::Unit,
                    Type::Ordering => {
                        return Err(
                            "an ordering is written where an atomic is used: `Ordering::Relaxed`".into()
                        );
                    }
                    ty => {
                        let local = self.local(wanted, ty);
                        parameters.push(Parameter::Value(local));
                        if let Pattern::Bind { name, mutable, by_reference: false, inner: None } =
                            &parameter.pattern
                        {
                            self.locals[local].mutable = *mutable;
                            self.variables.push((name.clone(), Variable::Local(local)));
                            continue;
                        }
                        Operand::Place(self.place_of_local(local))
                    }
                },
                ParameterRole::Reference { mutable, ty } => {
                    let ty = known.type_of(*ty)?;
                    let memory = self.memory(wanted, &ty, space()?, !mutable);
                    parameters.push(Parameter::Pointer { memory, mutable: *mutable });
                    Operand::Ref(Place::new(Root::Binding(memory), ty))
                }
                ParameterRole::Slice { mutable, ty } => {
                    let memory = self.memory(wanted, &known.type_of(*ty)?, space()?, !mutable);
                    parameters.push(Parameter::Slice { memory, mutable: *mutable });
                    Operand::Slice(memory)
                }
                ParameterRole::Atomics { ty } => {
                    let memory = self.memory(wanted, &known.type_of(*ty)?, space()?, false);
                    parameters.push(Parameter::Slice { memory, mutable: true });
                    Operand::Atomics(memory)
                }
                ParameterRole::Atomic { ty } => {
                    let ty = known.type_of(*ty)?;
                    let memory = self.memory(wanted, &ty, space()?, false);
                    parameters.push(Parameter::Pointer { memory, mutable: true });
                    Operand::Atomic(Place::new(Root::Binding(memory), ty))
                }
                ParameterRole::Cx => {
                    self.cx = self.names.take(wanted);
                    parameters.push(Parameter::Cx);
                    Operand::Cx
                }
                ParameterRole::Outbox => {
                    let port = match self.definition.ports {
                        [] => None,
                        _ => match space()? {
                            Space::Port(port) => Some(port),
                            _ => return Err("an outbox has no number: rebuild the program".into()),
                        },
                    };
                    // In C all outboxes of a handler are one.
                    if self.outbox.is_empty() {
                        self.outbox = self.names.take(wanted);
                        parameters.push(Parameter::Outbox);
                    }
                    Operand::Outbox(port)
                }
                _ => return Err("a function has a handler's parameter: rebuild the program".into()),
            };
            patterns.push((&parameter.pattern, operand));
        }
        for (pattern, operand) in patterns {
            self.bind_all(pattern, operand)?;
        }
        let value = self.block(&known.syntax.body, None)?;
        if output != Type::Unit {
            self.give(value)?;
        }
        Ok(parameters)
    }

    /// Memory that a pointer leads to.
    pub(super) fn memory(&mut self, wanted: &str, ty: &Type, space: Space, unchanged: bool) -> usize {
        self.unchanged.push(unchanged);
        let name = self.names.take(wanted);
        self.lens.push(self.names.take(&format!("{name}_len")));
        self.bindings.push(name);
        self.memory.push((ty.clone(), space));
        self.memory.len() - 1
    }

    /// Ends the function, with this result.
    pub(super) fn give(&mut self, operand: Operand) -> Lowered<()> {
        match operand {
            Operand::Never => {}
            Operand::Unit => self.out.push(Stmt::Give(None)),
            operand => {
                let (value, ty) = self.value_of(operand)?;
                let wanted = self.output.as_ref();
                if wanted.is_some_and(|wanted| std::mem::discriminant(wanted) != std::mem::discriminant(&ty))
                {
                    return Err(format!("a device function cannot return {}", describe(&ty)));
                }
                let value = self.placed(value, &ty);
                self.out.push(Stmt::Give(Some(value)));
            }
        }
        Ok(())
    }
}
