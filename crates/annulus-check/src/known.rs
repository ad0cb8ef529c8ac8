//! What is known of a value without the compiler: only what the text says.

use syn::{Expr, GenericArgument, Lit, PathArguments, Type};

use crate::facts::Facts;

/// What a value is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Known {
    #[default]
    Unknown,
    Runtime,
    /// A kernel's handle, with the kernel's name in the program.
    Handle(Option<String>),
    /// A kernel with its parameters, before its launch.
    Bound(Option<String>),
    /// A handle without the kernel's types.
    Control,
    /// A kernel that was launched by its name.
    Dynamic,
    Telemetry,
    /// A queue of a kernel, or of the host.
    Queue,
    Options(Options),
    /// A time, in nanoseconds.
    Time(u128),
    /// Something that waits for the next of equal times, in nanoseconds.
    Ticker(u128),
    /// A type of the package's own.
    Own(String),
    /// The same without methods: only its fields are known.
    Plain(String),
    /// Many of them.
    Many(Box<Known>),
}

/// What the text says of launch options.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// Whether all that was called on them is in the text.
    pub(crate) is_whole: bool,
    /// The name that they give, if it is a literal.
    pub(crate) name: Option<String>,
    /// Whether they give a name.
    pub(crate) is_named: bool,
    pub(crate) tracks_latency: bool,
    /// What may hand a message back although the send succeeds.
    pub(crate) hands_back: Option<String>,
}

impl Options {
    /// With one more call.
    pub(crate) fn with(mut self, call: &str, argument: Option<&Expr>) -> Self {
        let text = argument.and_then(string);
        let last = argument.and_then(last_segment);
        match call {
            "name" => (self.is_named, self.name) = (true, text),
            "track_latency" => {
                self.tracks_latency = !matches!(argument, Some(Expr::Lit(lit)) if is_false(&lit.lit))
            }
            "backpressure" => match last.as_deref() {
                Some(drops @ ("DropOldest" | "DropNew")) => {
                    self.hands_back = Some(format!("Backpressure::{drops}"))
                }
                Some("Block" | "Reject") => self.hands_back = None,
                _ => self.is_whole = false,
            },
            "deduplication" => match last.as_deref() {
                Some("None" | "Off") => {}
                _ => self.hands_back = Some("deduplication".into()),
            },
            _ => {}
        }
        self
    }
}

impl Known {
    /// Whether it is a value of Annulus that has blocking calls.
    pub(crate) fn is_ours(&self) -> bool {
        matches!(self, Self::Runtime | Self::Handle(_) | Self::Control | Self::Dynamic | Self::Queue)
    }

    /// Whether messages can be sent to it.
    pub(crate) fn takes_messages(&self) -> bool {
        matches!(self, Self::Handle(_) | Self::Queue)
    }

    /// What a type says.
    pub(crate) fn of_type(ty: &Type, facts: &Facts) -> Self {
        let path = match ty {
            Type::Reference(reference) => return Self::of_type(&reference.elem, facts),
            Type::Paren(paren) => return Self::of_type(&paren.elem, facts),
            Type::Slice(slice) => return Self::many(Self::of_type(&slice.elem, facts)),
            Type::Array(array) => return Self::many(Self::of_type(&array.elem, facts)),
            Type::Path(path) => &path.path,
            _ => return Self::Unknown,
        };
        let Some(last) = path.segments.last() else { return Self::Unknown };
        let first = match &last.arguments {
            PathArguments::AngleBracketed(arguments) => {
                arguments.args.iter().find_map(|argument| match argument {
                    GenericArgument::Type(ty) => Some(ty),
                    _ => None,
                })
            }
            _ => None,
        };
        let of_first = || first.map_or(Self::Unknown, |ty| Self::of_type(ty, facts));
        let name = last.ident.to_string();
        if facts.has_own_type(&name) {
            // What an alias stands for may be ours.
            return match (facts.has_methods(&name), facts.has_fields(&name)) {
                (true, _) => Self::Own(name),
                (false, true) => Self::Plain(name),
                (false, false) => Self::Unknown,
            };
        }
        match name.as_str() {
            "Arc" | "Rc" | "Box" | "Result" | "Option" | "Outcome" => of_first(),
            "Vec" | "VecDeque" => Self::many(of_first()),
            "Telemetry" => Self::Telemetry,
            "Runtime" => Self::Runtime,
            "KernelControl" => Self::Control,
            "DynamicKernel" => Self::Dynamic,
            "KernelQueue" | "MessageQueue" => Self::Queue,
            "LaunchOptions" => Self::Options(Options::default()),
            "KernelHandle" => Self::Handle(first.and_then(|ty| match ty {
                Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
                _ => None,
            })),
            _ => Self::Unknown,
        }
    }

    pub(crate) fn many(one: Self) -> Self {
        if one == Self::Unknown { one } else { Self::Many(Box::new(one)) }
    }

    /// One of them.
    pub(crate) fn one(self) -> Self {
        match self {
            Self::Many(one) => *one,
            _ => Self::Unknown,
        }
    }
}

/// The text of a literal.
pub(crate) fn string(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Lit(lit) => match &lit.lit {
            Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

pub(crate) fn is_false(lit: &Lit) -> bool {
    matches!(lit, Lit::Bool(value) if !value.value)
}

/// The last name of a path, also of one that is called.
pub(crate) fn last_segment(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
        Expr::Call(call) => last_segment(&call.func),
        _ => None,
    }
}

/// The number that an expression is, if the text says it.
pub(crate) fn number(expr: &Expr) -> Option<f64> {
    match expr {
        Expr::Lit(lit) => match &lit.lit {
            Lit::Int(int) => int.base10_parse::<u64>().ok().map(|value| value as f64),
            Lit::Float(float) => float.base10_parse().ok(),
            _ => None,
        },
        Expr::Paren(paren) => number(&paren.expr),
        Expr::Group(group) => number(&group.expr),
        Expr::Cast(cast) => number(&cast.expr),
        Expr::Binary(binary) => {
            let (left, right) = (number(&binary.left)?, number(&binary.right)?);
            match binary.op {
                syn::BinOp::Add(_) => Some(left + right),
                syn::BinOp::Sub(_) => Some(left - right),
                syn::BinOp::Mul(_) => Some(left * right),
                syn::BinOp::Div(_) => Some(left / right),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The time that a call of a constructor of `Duration` makes, in nanoseconds.
pub(crate) fn time(constructor: &str, arguments: &[&Expr]) -> Option<u128> {
    let first = arguments.first().and_then(|first| number(first));
    let nanos = match constructor {
        "from_nanos" => first?,
        "from_micros" => first? * 1e3,
        "from_millis" => first? * 1e6,
        "from_secs" | "from_secs_f64" | "from_secs_f32" => first? * 1e9,
        "from_mins" => first? * 60e9,
        "new" => first? * 1e9 + number(arguments.get(1)?)?,
        _ => return None,
    };
    (nanos >= 0.0).then_some(nanos as u128)
}
