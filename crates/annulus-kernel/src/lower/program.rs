//! A lowered handler: statements whose order is the order of evaluation, and expressions that have no effect
//! and cannot fail.

use annulus_tree::BinaryOp;

use crate::{
    FenceScope, KernelDefinition,
    typed::{Scalar, Type, Value},
};

/// A handler and the functions that it calls, ready to be written in any dialect.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) definition: &'static KernelDefinition,
    pub(crate) constants: Vec<Constant>,
    /// Each function comes after those that it calls.
    pub(crate) functions: Vec<Function>,
    pub(crate) handler: Function,
}

/// A handler, or a function.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    /// Its name in the text, and in Rust.
    pub(crate) name: String,
    pub(crate) shown: String,
    pub(crate) file: &'static str,
    pub(crate) line: u32,
    /// A handler's parameters, by their names in the text; empty if there is none.
    pub(crate) cx: String,
    pub(crate) message: String,
    pub(crate) state: String,
    pub(crate) outbox: String,
    /// The name of its timers; empty if it has none.
    pub(crate) later: String,
    /// The name of what ends its actor; empty if nothing does.
    pub(crate) actor: String,
    /// The names of the pointers; in a handler, in the order of the definition.
    pub(crate) bindings: Vec<String>,
    /// The lengths of those that are slices.
    pub(crate) lens: Vec<String>,
    /// The memory that the pointers lead to.
    pub(crate) memory: Vec<(Type, Space)>,
    /// A function's parameters.
    pub(crate) parameters: Vec<Parameter>,
    /// The type of a function's result.
    pub(crate) output: Type,
    /// Whether it may fail. Then it returns the code, and a last parameter says where the result goes.
    pub(crate) fails: bool,
    /// Whether it counts turns of loops.
    pub(crate) ticks: bool,
    /// Whether it prints.
    pub(crate) prints: bool,
    /// Whether it needs the number of the message's queue.
    pub(crate) asks_queue: bool,
    /// Whether it needs the time.
    pub(crate) asks_time: bool,
    /// Whether it needs the message's stamp.
    pub(crate) asks_stamp: bool,
    /// Whether it needs the number of the round.
    pub(crate) asks_round: bool,
    /// Whether it follows offsets of the message, and so needs to know where the message's bytes end.
    pub(crate) follows: bool,
    /// What its block's threads share, if they work on a message together.
    pub(crate) together: Vec<Member>,
    pub(crate) locals: Vec<Local>,
    pub(crate) body: Vec<Stmt>,
}

/// A part of what the threads of a block share while they work on a message.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Member {
    /// An array that the handler asks for.
    Array(Type),
    /// A value of each thread.
    OfThreads(Type),
    /// A value of each warp.
    OfWarps(Type),
    /// A value that one thread gives to all, and that is read only after the barrier that follows.
    Given(Type),
}

/// The kind of memory that a pointer leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Space {
    Private,
    Global,
    Constant,
    /// Global, and changed by others.
    Shared,
    /// No memory: an outbox, of this number among several.
    Port(u8),
}

/// A parameter of a function; pointers are given by their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parameter {
    Value(LocalId),
    Pointer { memory: usize, mutable: bool },
    Slice { memory: usize, mutable: bool },
    Cx,
    Outbox,
}

/// A variable of the text.
#[derive(Clone, Debug)]
pub(crate) struct Local {
    pub(crate) name: String,
    pub(crate) ty: Type,
    /// Whether a later statement may assign to it.
    pub(crate) mutable: bool,
    /// Whether it was made for an expression's value, and is not a user's variable.
    pub(crate) made: bool,
    /// It counts a loop: it is at least 0 and always below this.
    pub(crate) below: Option<Expr>,
    /// The variable that it was merged into, and whose name it has.
    pub(crate) became: Option<LocalId>,
    /// Whether a pointer leads to it, so that it has the layout of memory.
    pub(crate) stored: bool,
}

impl Local {
    pub(crate) fn new(name: String, ty: Type, mutable: bool, made: bool) -> Self {
        Self { name, ty, mutable, made, below: None, became: None, stored: false }
    }
}

/// A table or struct at the program's scope.
#[derive(Clone, Debug)]
pub(crate) struct Constant {
    pub(crate) name: String,
    pub(crate) ty: Type,
    pub(crate) value: Value,
}

/// The number of a [`Local`].
pub(crate) type LocalId = usize;

/// Where a place begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Root {
    Local(LocalId),
    Message,
    State,
    /// A bound parameter: `*p`, or `p[index]` where it is a slice.
    Binding(usize),
    Constant(usize),
    /// A part of what the block's threads share, by its number.
    Together(usize),
}

/// How a place continues.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Step {
    Field(String),
    /// A field of an enum's variant; the enum is known to be that variant.
    Variant {
        variant: String,
        field: String,
    },
    /// An index that is known to be in bounds.
    Index(Expr),
    /// Likewise, for a slice that is the root.
    Element(Expr),
    /// By one of these ways, to values of one type: by the one of this number.
    Chosen(Expr, Vec<Vec<Step>>),
}

impl Step {
    /// The indices and numbers in it, if `change` changes them.
    pub(crate) fn each_index(&mut self, change: &mut impl FnMut(&mut Expr)) {
        match self {
            Self::Index(index) | Self::Element(index) => change(index),
            Self::Field(_) | Self::Variant { .. } => {}
            Self::Chosen(way, ways) => {
                change(way);
                ways.iter_mut().flatten().for_each(|step| step.each_index(change));
            }
        }
    }

    fn indices(&self) -> Vec<&Expr> {
        match self {
            Self::Index(index) | Self::Element(index) => vec![index],
            Self::Field(_) | Self::Variant { .. } => Vec::new(),
            Self::Chosen(way, ways) => {
                std::iter::once(way).chain(ways.iter().flatten().flat_map(Self::indices)).collect()
            }
        }
    }
}

/// Something that can be read, and perhaps written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Place {
    pub(crate) root: Root,
    pub(crate) steps: Vec<Step>,
    pub(crate) ty: Type,
}

impl Place {
    pub(crate) fn new(root: Root, ty: Type) -> Self {
        Self { root, steps: Vec::new(), ty }
    }

    pub(crate) fn then(mut self, step: Step, ty: Type) -> Self {
        self.steps.push(step);
        self.ty = ty;
        self
    }

    /// Whether it reads any of `roots`.
    pub(crate) fn reads(&self, roots: &[Root]) -> bool {
        roots.contains(&self.root) || self.indices().any(|index| index.reads(roots))
    }

    pub(crate) fn indices(&self) -> impl Iterator<Item = &Expr> {
        self.steps.iter().flat_map(Step::indices)
    }
}

/// A value, without effect and without failure.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expr {
    /// A scalar's bits.
    Bits(Scalar, u64),
    /// A failure's code, or 0.
    Code(u16),
    Read(Place),
    /// The tag of an enum.
    Tag(Place),
    /// The length of a bound slice.
    Len(usize),
    /// How many bytes a text in an archive has.
    TextLen(Place),
    /// A field of `cx`: the C field.
    Cx(&'static str),
    /// The number of the message's queue.
    Queue,
    /// The stamp of the message.
    Stamp,
    /// The number of the round.
    Round,
    /// The time at which the turn began.
    Now,
    /// How many messages the turn has found.
    Found,
    /// How many threads the block has.
    BlockDim,
    /// Whether no thread of the block had failed or returned when they met last.
    GoesOn,
    /// Whether the device exchanges values within a warp without the block's memory: a constant of the text.
    HasWarps,
    /// Operands of type `Scalar`.
    Binary(BinaryOp, Scalar, Box<Self>, Box<Self>),
    Not(Scalar, Box<Self>),
    /// `condition ? a : b`.
    Select(Box<Self>, Box<Self>, Box<Self>),
    Convert(Scalar, Scalar, Box<Self>),
    /// A function of the language's C part: `rs_name_scalar(arguments)`.
    Call(&'static str, Scalar, Vec<Self>),
}

/// What lies behind an offset of an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Behind {
    /// A text's bytes.
    Text,
    /// Elements of this size and alignment.
    List { size: u64, align: u64 },
}

impl Expr {
    pub(crate) fn binary(op: BinaryOp, scalar: Scalar, left: Self, right: Self) -> Self {
        Self::Binary(op, scalar, Box::new(left), Box::new(right))
    }

    pub(crate) fn not(self) -> Self {
        match self {
            Self::Binary(op, scalar, left, right) if !scalar.is_float() && negated(op).is_some() => {
                Self::Binary(negated(op).expect("just asked"), scalar, left, right)
            }
            Self::Not(Scalar::Bool, inner) => *inner,
            other => Self::Not(Scalar::Bool, Box::new(other)),
        }
    }

    /// Whether its value depends on the content of any of `roots`.
    pub(crate) fn reads(&self, roots: &[Root]) -> bool {
        self.any(&|value| {
            matches!(value, Self::Read(place) | Self::Tag(place) | Self::TextLen(place) if roots.contains(&place.root))
        })
    }

    /// Whether the test holds for it or a part of it.
    pub(crate) fn any(&self, test: &impl Fn(&Self) -> bool) -> bool {
        test(self)
            || match self {
                Self::Bits(..)
                | Self::Code(_)
                | Self::Len(_)
                | Self::Cx(_)
                | Self::Queue
                | Self::Stamp
                | Self::Round
                | Self::Now
                | Self::Found
                | Self::BlockDim
                | Self::HasWarps
                | Self::GoesOn => false,
                Self::Read(place) | Self::Tag(place) | Self::TextLen(place) => {
                    place.indices().any(|index| index.any(test))
                }
                Self::Binary(_, _, left, right) => left.any(test) || right.any(test),
                Self::Not(_, value) | Self::Convert(_, _, value) => value.any(test),
                Self::Select(condition, a, b) => condition.any(test) || a.any(test) || b.any(test),
                Self::Call(_, _, arguments) => arguments.iter().any(|argument| argument.any(test)),
            }
    }

    /// Whether it calculates with this type.
    fn uses(&self, scalar: Scalar) -> bool {
        match self {
            Self::Bits(other, _)
            | Self::Binary(_, other, ..)
            | Self::Not(other, _)
            | Self::Call(_, other, _) => *other == scalar,
            Self::Convert(from, to, _) => *from == scalar || *to == scalar,
            Self::Read(place) => place.ty == Type::Scalar(scalar),
            _ => false,
        }
    }

    /// Whether writing it twice costs nothing.
    pub(crate) fn is_simple(&self) -> bool {
        match self {
            Self::Bits(..)
            | Self::Code(_)
            | Self::Len(_)
            | Self::Cx(_)
            | Self::Queue
            | Self::Stamp
            | Self::Round
            | Self::Now
            | Self::Found
            | Self::BlockDim
            | Self::HasWarps
            | Self::GoesOn => true,
            Self::Read(place) => place.steps.is_empty() && matches!(place.root, Root::Local(_)),
            _ => false,
        }
    }
}

fn negated(op: BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        BinaryOp::Eq => BinaryOp::Ne,
        BinaryOp::Ne => BinaryOp::Eq,
        BinaryOp::Lt => BinaryOp::Ge,
        BinaryOp::Ge => BinaryOp::Lt,
        BinaryOp::Gt => BinaryOp::Le,
        BinaryOp::Le => BinaryOp::Gt,
        _ => return None,
    })
}

/// One step of the handler.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Stmt {
    /// What follows comes from this line.
    Line(u32),
    Declare(LocalId, Option<Expr>),
    Assign(Place, Expr),
    /// Makes an enum this variant.
    SetTag(Place, usize),
    If(Expr, Vec<Self>, Vec<Self>),
    /// An endless loop.
    Loop(Vec<Self>),
    /// `for (local = start; local < end; local += 1)`; `end` has no effect and does not change.
    For {
        local: LocalId,
        start: Expr,
        end: Expr,
        body: Vec<Self>,
    },
    /// One turn of a loop's budget.
    Tick,
    Break,
    Continue,
    /// Ends the handler with this code.
    Return(Expr),
    /// Ends a function with this value.
    Give(Option<Expr>),
    /// Ends the handler with an error code, if the condition holds.
    Fail(Expr, u16),
    /// Ends the handler with an error code.
    Abort(u16),
    /// Sends; of several outboxes, by the one of this number.
    Send(Option<u8>, Expr),
    /// Sets a timer: the message, and after how many nanoseconds it comes.
    Later(Expr, Expr),
    /// Sets the timer of an ask, by the way out of this number: what comes of it, and after how many nanoseconds at the latest.
    Await(u8, Expr, Expr),
    /// Takes a message from the inbox: whether there was one, and which. A thread that took one sends for it from then on.
    Take {
        found: LocalId,
        message: LocalId,
    },
    /// The kernel ends if the body succeeds.
    EndKernel,
    /// The actor ends if the handler succeeds.
    EndActor,
    /// Declares a pointer, by its number, to what lies behind the offset at a place of an archive, and how
    /// many there are. Ends the handler if it does not lie in the message's bytes; `at` says where it begins.
    Follow {
        memory: usize,
        at: LocalId,
        behind: Behind,
        place: Place,
        len: Expr,
    },
    /// Prints: the print's number, and its arguments as words.
    Print(usize, Vec<Expr>),
    Atomic(Atomic),
    /// Orders the thread's accesses before it and after it, for all in the scope.
    Fence(FenceScope),
    /// All threads of the block meet. After `segments` has run: if one of them has failed, all do.
    Meet,
    /// All threads of the block meet, and none can have failed since they met last.
    Barrier,
    /// The threads of each warp come to this together; all threads of the block come.
    Warp(Warp),
    /// All threads meet, and all fail unless this variable has one value in all of them.
    Agree(LocalId),
    /// Statements that a thread skips if it has failed since the threads met last. If one of these fails, or
    /// returns, the thread goes on behind them.
    Segment(Vec<Self>),
    /// All threads have failed or returned.
    Leave,
    /// A loop, and a loop over a range, until the message has ended.
    FrameLoop(Vec<Self>),
    FrameFor {
        local: LocalId,
        start: Expr,
        end: Expr,
        body: Vec<Self>,
    },
    /// Calls a function. If it fails, the caller fails, too.
    Call {
        function: usize,
        arguments: Vec<Argument>,
        result: Option<LocalId>,
    },
}

/// An argument of a function.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Argument {
    Value(Expr),
    /// The address of a place.
    Pointer(Place),
    /// The address of an array's first element, and how many there are.
    Array(Place, u64),
    /// A pointer to elements, and how many there are.
    Slice(usize),
    /// The address of the first of some elements, and how many there are.
    Part(Place, Expr),
    Cx,
    /// The outbox; of several, the one of this number.
    Outbox(Option<u8>),
}

/// An operation on shared memory.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Atomic {
    /// `load`, `store`, `fetch_add` …: the C function is `rs_atomic_<name>_<scalar>`.
    pub(crate) name: &'static str,
    pub(crate) scalar: Scalar,
    pub(crate) place: Place,
    pub(crate) arguments: Vec<Expr>,
    pub(crate) order: std::sync::atomic::Ordering,
    pub(crate) result: Option<LocalId>,
}

/// What the threads of a warp do together. A result is a variable that is declared here.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Warp {
    Barrier,
    /// Each thread gives a word and gets that of a lane, or its own if its warp has no such lane.
    Shuffle {
        value: Expr,
        lane: Expr,
        result: LocalId,
    },
    /// Each thread gives an answer and gets those of its warp.
    Ballot {
        answer: Expr,
        result: LocalId,
    },
}

impl Warp {
    pub(crate) fn result(&self) -> Option<LocalId> {
        match self {
            Self::Barrier => None,
            Self::Shuffle { result, .. } | Self::Ballot { result, .. } => Some(*result),
        }
    }

    fn values(&self) -> impl Iterator<Item = &Expr> {
        let values = match self {
            Self::Barrier => [None, None],
            Self::Shuffle { value, lane, .. } => [Some(value), Some(lane)],
            Self::Ballot { answer, .. } => [Some(answer), None],
        };
        values.into_iter().flatten()
    }
}

impl Program {
    /// The word in which the handler's warps exchange values; `None` if they do not.
    pub(crate) fn warp_word(&self) -> Option<Scalar> {
        let exchanges = |is: &dyn Fn(&Warp) -> bool| {
            any(&self.handler.body, &|statement| matches!(statement, Stmt::Warp(warp) if is(warp)))
        };
        let wide = Type::Scalar(Scalar::U64);
        let is_wide =
            |warp: &Warp| warp.result().is_some_and(|result| self.handler.locals[result].ty == wide);
        if exchanges(&is_wide) {
            return Some(Scalar::U64);
        }
        exchanges(&|warp| *warp != Warp::Barrier).then_some(Scalar::U32)
    }
}

/// The roots that statements assign to.
pub(crate) fn assigned(statements: &[Stmt], roots: &mut Vec<Root>) {
    for statement in statements {
        match statement {
            Stmt::Assign(place, _) | Stmt::SetTag(place, _) => roots.push(place.root),
            Stmt::Take { found, message } => roots.extend([Root::Local(*found), Root::Local(*message)]),
            Stmt::If(_, then, otherwise) => {
                assigned(then, roots);
                assigned(otherwise, roots);
            }
            Stmt::Loop(body) | Stmt::For { body, .. } => assigned(body, roots),
            // A place that is passed by a shared reference counts as assigned to: one copy too many does no
            // harm.
            Stmt::Call { arguments, result, .. } => {
                roots.extend(result.map(Root::Local));
                roots.extend(arguments.iter().filter_map(|argument| match argument {
                    Argument::Pointer(place) | Argument::Array(place, _) | Argument::Part(place, _) => {
                        Some(place.root)
                    }
                    Argument::Slice(memory) => Some(Root::Binding(*memory)),
                    Argument::Value(_) | Argument::Cx | Argument::Outbox(_) => None,
                }));
            }
            _ => {}
        }
    }
}

/// Whether statements calculate with this type.
pub(crate) fn uses(statements: &[Stmt], scalar: Scalar) -> bool {
    calculates(statements, &|part| part.uses(scalar), &|place| place.ty == Type::Scalar(scalar))
}

/// Whether statements call one of these functions of the language.
pub(crate) fn calls(statements: &[Stmt], names: &[&str]) -> bool {
    let is_one = |part: &Expr| matches!(part, Expr::Call(name, ..) if names.contains(name));
    calculates(statements, &is_one, &|_| false)
}

/// Whether an expression passes `wanted`, or a place that is written passes `written`.
fn calculates(statements: &[Stmt], wanted: &dyn Fn(&Expr) -> bool, written: &dyn Fn(&Place) -> bool) -> bool {
    let used = |expr: &Expr| expr.any(&|part: &Expr| wanted(part));
    let used_in = |place: &Place| written(place) || place.indices().any(used);
    let uses = |statements: &[Stmt]| calculates(statements, wanted, written);
    statements.iter().any(|statement| match statement {
        Stmt::Declare(_, value) => value.as_ref().is_some_and(used),
        Stmt::Assign(place, value) => used_in(place) || used(value),
        Stmt::SetTag(place, _) => used_in(place),
        Stmt::If(condition, then, otherwise) => used(condition) || uses(then) || uses(otherwise),
        Stmt::Loop(body) | Stmt::Segment(body) | Stmt::FrameLoop(body) => uses(body),
        Stmt::For { start, end, body, .. } | Stmt::FrameFor { start, end, body, .. } => {
            used(start) || used(end) || uses(body)
        }
        Stmt::Return(value) | Stmt::Fail(value, _) | Stmt::Send(_, value) => used(value),
        Stmt::Later(message, nanos) | Stmt::Await(_, message, nanos) => used(message) || used(nanos),
        Stmt::Follow { place, len, .. } => used_in(place) || used(len),
        Stmt::Give(value) => value.as_ref().is_some_and(used),
        Stmt::Print(_, words) => words.iter().any(used),
        Stmt::Atomic(atomic) => used_in(&atomic.place) || atomic.arguments.iter().any(used),
        Stmt::Call { arguments, .. } => arguments.iter().any(|argument| match argument {
            Argument::Value(value) => used(value),
            Argument::Pointer(place) | Argument::Array(place, _) | Argument::Part(place, _) => used_in(place),
            Argument::Slice(_) | Argument::Cx | Argument::Outbox(_) => false,
        }),
        Stmt::Line(_) | Stmt::Tick | Stmt::Break | Stmt::Continue | Stmt::Abort(_) => false,
        Stmt::Take { .. } | Stmt::EndKernel | Stmt::EndActor => false,
        Stmt::Warp(warp) => warp.values().any(used),
        Stmt::Meet | Stmt::Barrier | Stmt::Agree(_) | Stmt::Leave | Stmt::Fence(_) => false,
    })
}

/// The variables that these statements declare, in blocks inside them too.
pub(crate) fn declared(statements: &[Stmt]) -> Vec<Root> {
    let mut roots = Vec::new();
    for statement in statements {
        match statement {
            Stmt::Declare(local, _) => roots.push(Root::Local(*local)),
            Stmt::Follow { memory, .. } => roots.push(Root::Binding(*memory)),
            Stmt::Warp(warp) => roots.extend(warp.result().map(Root::Local)),
            Stmt::If(_, then, otherwise) => {
                roots.extend(declared(then));
                roots.extend(declared(otherwise));
            }
            Stmt::Loop(body) => roots.extend(declared(body)),
            Stmt::For { local, body, .. } => {
                roots.push(Root::Local(*local));
                roots.extend(declared(body));
            }
            _ => {}
        }
    }
    roots
}

/// The blocks of statements inside a statement, in their order.
pub(crate) fn bodies(statement: &Stmt) -> Vec<&[Stmt]> {
    match statement {
        Stmt::If(_, then, otherwise) => vec![then, otherwise],
        Stmt::Loop(body)
        | Stmt::For { body, .. }
        | Stmt::Segment(body)
        | Stmt::FrameLoop(body)
        | Stmt::FrameFor { body, .. } => vec![body],
        _ => Vec::new(),
    }
}

/// Whether the test holds for any statement, including those in blocks inside others.
pub(crate) fn any(statements: &[Stmt], is: &impl Fn(&Stmt) -> bool) -> bool {
    let inside = |statement| bodies(statement).into_iter().any(|body| any(body, is));
    statements.iter().any(|statement| is(statement) || inside(statement))
}

/// Whether statements may fail.
pub(crate) fn fails(statements: &[Stmt], functions: &[Function]) -> bool {
    any(statements, &|statement| match statement {
        Stmt::Tick | Stmt::Fail(..) | Stmt::Abort(_) | Stmt::Follow { .. } => true,
        Stmt::Call { function, .. } => functions[*function].fails,
        _ => false,
    })
}

/// Whether statements count turns of loops.
pub(crate) fn ticks(statements: &[Stmt], functions: &[Function]) -> bool {
    any(statements, &|statement| match statement {
        Stmt::Tick => true,
        Stmt::Call { function, .. } => functions[*function].ticks,
        _ => false,
    })
}

/// Whether statements print.
pub(crate) fn prints(statements: &[Stmt], functions: &[Function]) -> bool {
    any(statements, &|statement| match statement {
        Stmt::Print(..) => true,
        Stmt::Call { function, .. } => functions[*function].prints,
        _ => false,
    })
}

/// Whether statements call functions that need the number of the message's queue.
pub(crate) fn calls_who_asks_queue(statements: &[Stmt], functions: &[Function]) -> bool {
    any(
        statements,
        &|statement| matches!(statement, Stmt::Call { function, .. } if functions[*function].asks_queue),
    )
}

/// Whether statements call functions that need the message's stamp.
pub(crate) fn calls_who_asks_stamp(statements: &[Stmt], functions: &[Function]) -> bool {
    any(
        statements,
        &|statement| matches!(statement, Stmt::Call { function, .. } if functions[*function].asks_stamp),
    )
}

/// Whether statements call functions that need the number of the round.
pub(crate) fn calls_who_asks_round(statements: &[Stmt], functions: &[Function]) -> bool {
    any(
        statements,
        &|statement| matches!(statement, Stmt::Call { function, .. } if functions[*function].asks_round),
    )
}

/// Whether statements call functions that need the time.
pub(crate) fn calls_who_asks_time(statements: &[Stmt], functions: &[Function]) -> bool {
    any(
        statements,
        &|statement| matches!(statement, Stmt::Call { function, .. } if functions[*function].asks_time),
    )
}

/// Whether statements do what others see, beyond memory of the block.
pub(crate) fn acts(statements: &[Stmt], functions: &[Function]) -> bool {
    any(statements, &|statement| match statement {
        Stmt::Atomic(_) | Stmt::Print(..) | Stmt::Take { .. } | Stmt::EndKernel | Stmt::EndActor => true,
        Stmt::Call { function, .. } => acts(&functions[*function].body, functions),
        _ => false,
    })
}

/// Whether statements follow offsets of the message.
pub(crate) fn follows(statements: &[Stmt], functions: &[Function]) -> bool {
    any(statements, &|statement| match statement {
        Stmt::Follow { .. } => true,
        Stmt::Call { function, .. } => functions[*function].follows,
        _ => false,
    })
}
