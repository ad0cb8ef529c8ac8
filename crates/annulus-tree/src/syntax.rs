//! The nodes.

/// The number of a witness: an expression whose type, and for a constant its value, rustc tells.
pub type WitnessId = u32;

/// The number of a function that a body calls: rustc tells which it is.
pub type FunctionId = u32;

tree_struct! {
    /// A handler.
    HandlerTree {
        /// In the order of the signature.
        parameters: Vec<Parameter>,
        /// Its body.
        body: Block,
    }
}

tree_struct! {
    /// A function that handlers and other functions call.
    FunctionTree {
        /// In the order of the signature, the receiver first.
        parameters: Vec<Parameter>,
        /// The witness that has the type of what it returns; `None` for `()`.
        output: Option<WitnessId>,
        /// Its body.
        body: Block,
    }
}

tree_struct! {
    /// A handler's or a function's parameter.
    Parameter {
        /// The line of its pattern.
        line: u32,
        /// How it is taken apart.
        pattern: Pattern,
        /// What it is to the handler.
        role: ParameterRole,
    }
}

tree_enum! {
    /// What a parameter is to its handler, or to its function. Where there is a witness it has the type
    /// behind the reference.
    ParameterRole {
        /// `&Cx`.
        Cx,
        /// `&M`.
        Message,
        /// `&mut S`.
        State,
        /// `&Outbox<T>`.
        Outbox,
        /// Bound at launch; they come in the order of the definition's bindings.
        Bound,
        /// A function's `T`.
        Value { ty: WitnessId },
        /// A function's `&T` or `&mut T`.
        Reference { mutable: bool, ty: WitnessId },
        /// A function's `&[T]` or `&mut [T]`.
        Slice { mutable: bool, ty: WitnessId },
        /// A function's `&[AtomicU32]` and its kin; the witness has the plain type.
        Atomics { ty: WitnessId },
        /// A function's `&AtomicU32` and its kin.
        Atomic { ty: WitnessId },
        /// `&Later<M>`.
        Later,
        /// `&ThisActor`.
        Actor,
    }
}

tree_struct! {
    /// `{ statements; value }`.
    Block {
        /// In order.
        statements: Vec<Statement>,
        /// The expression without a semicolon at its end.
        value: Option<Box<Expression>>,
    }
}

tree_struct! {
    /// One statement.
    Statement {
        /// Its first line.
        line: u32,
        /// What it is.
        kind: StatementKind,
    }
}

tree_enum! {
    /// What a statement is.
    StatementKind {
        /// `let pattern = value else { otherwise };`
        Let { pattern: Pattern, value: Expression, otherwise: Option<Block> },
        /// `let name: T;`, where the witness has the type.
        Declare { name: String, ty: WitnessId },
        /// An expression whose value is dropped.
        Expression { expression: Expression },
    }
}

tree_struct! {
    /// One expression.
    Expression {
        /// Its first line.
        line: u32,
        /// What it is.
        kind: ExpressionKind,
    }
}

tree_enum! {
    /// What an expression is.
    ExpressionKind {
        /// A literal. Without a witness it is the operand of a cast, and takes its type from there.
        Literal { literal: Literal, witness: Option<WitnessId> },
        /// A variable that is in scope.
        Variable { name: String },
        /// A constant, or a value that depends on nothing, such as `T::default()`: the witness has its value.
        Constant { name: String, witness: WitnessId },
        /// `-x`, `!x`, `*x`.
        Unary { op: UnaryOp, operand: Box<Expression> },
        /// `a + b`, `a && b`, `a < b` …
        Binary { op: BinaryOp, left: Box<Expression>, right: Box<Expression> },
        /// `place = value`.
        Assign { place: Box<Expression>, value: Box<Expression> },
        /// `place += value`.
        AssignOp { op: BinaryOp, place: Box<Expression>, value: Box<Expression> },
        /// `operand as T`; the witness has `T`.
        Cast { operand: Box<Expression>, witness: WitnessId },
        /// `base.name`; tuple fields are named by their numbers.
        Field { base: Box<Expression>, name: String },
        /// `base[index]`.
        Index { base: Box<Expression>, index: Box<Expression> },
        /// `&place`, `&mut place`.
        Reference { mutable: bool, place: Box<Expression> },
        /// `receiver.method(arguments)`; `into` has a witness.
        Method { receiver: Box<Expression>, method: String, arguments: Vec<Expression>, witness: Option<WitnessId> },
        /// `T::function(arguments)`; the first witness has `T`, the second the result.
        Function { ty: WitnessId, function: String, arguments: Vec<Expression>, witness: WitnessId },
        /// `function(arguments)`, `T::function(arguments)`, `receiver.function(arguments)` with the receiver
        /// as first argument: a function of the user's.
        Call { function: FunctionId, arguments: Vec<Expression> },
        /// A `Method` or `Function` whose name may be that of a function of the user's, which is then meant;
        /// or an operator that may be one.
        Own { function: FunctionId, otherwise: Box<Expression> },
        /// `std::cmp::min(a, b)` and `max`; `std::mem::replace(a, b)` and `swap`.
        Compare { function: String, arguments: Vec<Expression> },
        /// `Name { field: value, ..base }` or `Name(value)`: a struct, or a variant of that name, of the
        /// witness's type.
        Construct { name: String, fields: Vec<FieldValue>, base: Option<Box<Expression>>, witness: WitnessId },
        /// `(a, b)`.
        Tuple { items: Vec<Expression> },
        /// `[a, b, c]`.
        Array { items: Vec<Expression>, witness: WitnessId },
        /// `[item; N]`.
        Repeat { item: Box<Expression>, witness: WitnessId },
        /// `start..end`, `start..=end` and its kin: what a `for` runs over, or which part of a slice is
        /// meant.
        Range { start: Option<Box<Expression>>, end: Option<Box<Expression>>, inclusive: bool },
        /// `{ … }`, `'label: { … }`.
        Block { label: Option<String>, block: Block },
        /// `if condition { … } else { … }`.
        If { condition: Box<Expression>, then: Block, otherwise: Option<Box<Expression>> },
        /// `let pattern = value`, as the whole condition of an `if` or `while`, or as a `matches!`.
        Let { pattern: Pattern, value: Box<Expression> },
        /// `match value { … }`.
        Match { value: Box<Expression>, arms: Vec<Arm> },
        /// `while condition { … }`.
        While { label: Option<String>, condition: Box<Expression>, body: Block },
        /// `loop { … }`.
        Loop { label: Option<String>, body: Block },
        /// `for pattern in items { … }`: a range, an array, a slice, or one of these after methods of
        /// iterators.
        For { label: Option<String>, pattern: Pattern, items: Box<Expression>, body: Block },
        /// `break 'label value`.
        Break { label: Option<String>, value: Option<Box<Expression>> },
        /// `continue 'label`.
        Continue { label: Option<String> },
        /// `return value`.
        Return { value: Option<Box<Expression>> },
        /// `()`.
        Unit,
        /// `operand?`; the function, if there is one, makes the error that is given of the one that is there.
        Try { operand: Box<Expression>, function: FunctionId },
        /// `|parameters| body`: what a method calls at once.
        Closure { parameters: Vec<Pattern>, body: Box<Expression> },
        /// `panic!()`, `unreachable!()`.
        Panic,
        /// `assert!(condition)`.
        Assert { condition: Box<Expression> },
        /// `debug_assert!(condition)`: only where the build has debug assertions.
        DebugAssert { condition: Box<Expression> },
        /// `device_print!("…", arguments)`: the print's number in the body, and all values that its text
        /// names.
        Print { number: u32, arguments: Vec<Expression> },
    }
}

tree_struct! {
    /// One field of a struct literal.
    FieldValue {
        /// The field's name or number.
        name: String,
        /// Its value.
        value: Expression,
    }
}

tree_struct! {
    /// One arm of a `match`.
    Arm {
        /// Its first line.
        line: u32,
        /// What it matches.
        pattern: Pattern,
        /// `if guard`.
        guard: Option<Expression>,
        /// What it gives.
        body: Expression,
    }
}

tree_enum! {
    /// A pattern.
    Pattern {
        /// `_`.
        Wildcard,
        /// `name`, `mut name`, `ref name`, `name @ inner`.
        Bind { name: String, mutable: bool, by_reference: bool, inner: Option<Box<Pattern>> },
        /// A literal.
        Literal { literal: Literal },
        /// A constant or a variant without fields: the witness has its value.
        Constant { witness: WitnessId },
        /// `start..=end` and its kin.
        Range { start: Option<Bound>, end: Option<Bound>, inclusive: bool },
        /// `Name { field: pattern, .. }` or `Name(pattern)`; a field that is not there is not looked at. Of an array or a slice the
        /// name is [`SLICE`](crate::names::SLICE) or [`OPEN_SLICE`](crate::names::OPEN_SLICE), and the fields are called `0`, `1` and so
        /// on, from the end `-1`, `-2`, and the part between [`REST`](crate::names::REST).
        Fields { name: String, fields: Vec<FieldPattern> },
        /// `(a, b)`, `(a, ..)`, and `[a, b]` on the left of an assignment: a part that is not there is not looked at.
        Tuple { patterns: Vec<Pattern> },
        /// `&pattern`.
        Reference { pattern: Box<Pattern> },
        /// `a | b`.
        Or { patterns: Vec<Pattern> },
        /// `()`.
        Unit,
    }
}

tree_struct! {
    /// One field of a struct's pattern.
    FieldPattern {
        /// The field's name or number.
        name: String,
        /// What it must be.
        pattern: Pattern,
    }
}

tree_enum! {
    /// An end of a range pattern.
    Bound {
        /// A literal.
        Literal { literal: Literal },
        /// A constant.
        Constant { witness: WitnessId },
    }
}

tree_enum! {
    /// A literal.
    Literal {
        /// `true`, `false`.
        Bool { value: bool },
        /// An integer, perhaps after a minus sign.
        Integer { negative: bool, magnitude: u64 },
        /// A float as it was written, without `_` and suffix, perhaps after a minus sign.
        Float { text: String },
    }
}

tree_enum! {
    /// A prefix operator.
    UnaryOp {
        /// `-`
        Negate,
        /// `!`
        Not,
        /// `*`
        Deref,
    }
}

tree_enum! {
    /// An operator between two operands.
    #[derive(Copy, Hash)]
    BinaryOp {
        /// `+`
        Add,
        /// `-`
        Sub,
        /// `*`
        Mul,
        /// `/`
        Div,
        /// `%`
        Rem,
        /// `&`
        BitAnd,
        /// `|`
        BitOr,
        /// `^`
        BitXor,
        /// `<<`
        Shl,
        /// `>>`
        Shr,
        /// `&&`
        And,
        /// `||`
        Or,
        /// `==`
        Eq,
        /// `!=`
        Ne,
        /// `<`
        Lt,
        /// `<=`
        Le,
        /// `>`
        Gt,
        /// `>=`
        Ge,
    }
}
