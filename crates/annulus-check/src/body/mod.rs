//! A function as the lints see it: its variables, and what is called on them, in the order of the text.

mod functions;
mod infer;
pub(crate) mod pause;
mod peel;
mod walk;

use std::ops::Range;

pub(crate) use functions::of;
pub(crate) use walk::known_outside;

use crate::known::{Known, Options};

/// A function, with the closures in it.
pub(crate) struct Body {
    pub(crate) name: String,
    pub(crate) bindings: Vec<Binding>,
    pub(crate) events: Vec<Event>,
    pub(crate) loops: Vec<Loop>,
    /// Whether its function returns nothing, so that no error can be passed on.
    pub(crate) returns_nothing: bool,
}

/// A variable.
pub(crate) struct Binding {
    pub(crate) name: String,
    pub(crate) known: Known,
    /// The variable that this one is another name, a reference or a clone of.
    alias: Option<usize>,
    /// Whether it is assigned to after it has a value.
    pub(crate) is_reassigned: bool,
    /// The event that launches what it is.
    pub(crate) launch: Option<usize>,
    /// The event that enables the telemetry that it is.
    pub(crate) enable: Option<usize>,
    /// Whether it is a field of a variable, or of `self`: `self.telemetry`.
    pub(crate) is_field: bool,
}

/// Where an event is.
#[derive(Clone, Debug, Default)]
pub(crate) struct At {
    /// The branches, loops and closures around it, from outside.
    scope: Vec<u32>,
    /// The innermost closure or async block around it; 0 for the function.
    pub(crate) closure: u32,
    /// The loops around it in the same closure, from outside.
    pub(crate) loops: Vec<usize>,
    /// Whether it runs in a future.
    pub(crate) is_async: bool,
    pub(crate) is_in_macro: bool,
}

impl At {
    /// Whether it has happened whenever `other`, which comes later in the text, happens.
    pub(crate) fn is_before_all_of(&self, other: &Self) -> bool {
        other.scope.starts_with(&self.scope)
    }
}

/// Something that happens.
pub(crate) enum Event {
    Call(Box<Call>),
    /// A variable goes where it is not followed.
    Escape(usize),
    /// A macro whose arguments are no expressions.
    Opaque(At),
}

/// A call.
pub(crate) struct Call {
    /// The method, or the last part of the path.
    pub(crate) name: String,
    /// All parts of the path; empty for methods.
    pub(crate) path: Vec<String>,
    pub(crate) receiver: Option<Receiver>,
    pub(crate) arguments: Vec<Argument>,
    pub(crate) turbofish: Option<String>,
    pub(crate) launch: Option<Launch>,
    pub(crate) usage: Usage,
    pub(crate) at: At,
    pub(crate) span: Range<usize>,
    pub(crate) name_span: Range<usize>,
    /// Where the next of the chain would stand.
    pub(crate) end: usize,
}

/// What a method is called on.
pub(crate) struct Receiver {
    pub(crate) binding: Option<usize>,
    pub(crate) known: Known,
}

/// Launches a kernel that sends to another one, its first argument.
pub(crate) const LAUNCH_INTO: &str = "launch_into";

/// Calls that are given a kernel that is sent to from then on. It stays where it is.
pub(crate) fn connects(name: &str) -> bool {
    name.starts_with("connect") || name == LAUNCH_INTO
}

/// What a call is given.
pub(crate) struct Argument {
    pub(crate) known: Known,
    pub(crate) binding: Option<usize>,
    pub(crate) text: Option<String>,
    pub(crate) is_false: bool,
    pub(crate) span: Range<usize>,
}

/// A kernel that is launched.
#[derive(Clone)]
pub(crate) struct Launch {
    pub(crate) kernel: String,
    pub(crate) runtime: Option<usize>,
    pub(crate) options: Options,
}

impl Launch {
    /// The name that the kernel runs under, if the text says it.
    pub(crate) fn name(&self) -> Option<&str> {
        match (self.options.is_named, self.options.is_whole) {
            (true, _) => self.options.name.as_deref(),
            (false, true) => Some(&self.kernel),
            (false, false) => None,
        }
    }
}

/// What becomes of what a call returns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Usage {
    pub(crate) is_awaited: bool,
    /// `?`, `unwrap` or `expect`: the program does not expect that it fails.
    pub(crate) is_tried: bool,
    /// `.ok()`
    pub(crate) is_ok: bool,
    pub(crate) discarded: Option<Discarded>,
}

/// How a result is thrown away.
#[derive(Clone, Debug)]
pub(crate) enum Discarded {
    /// As a statement.
    Statement,
    /// `let _ = …` or `_ = …`, with what comes before the value.
    Underscore(Range<usize>),
    /// `drop(…)`
    Drop,
}

/// A loop.
pub(crate) struct Loop {
    /// Whether it ends by itself: a `for` over something that ends.
    pub(crate) is_bounded: bool,
    pub(crate) head: Range<usize>,
    /// Where its body ends: of the closing brace.
    pub(crate) end: usize,
    pub(crate) is_empty: bool,
    pub(crate) is_async: bool,
    /// Whether it has a block of its own: else a method takes from an iterator.
    pub(crate) is_block: bool,
}

impl Body {
    /// The variable that a variable stands for.
    pub(crate) fn root(&self, mut binding: usize) -> usize {
        while let Some(alias) = self.bindings[binding].alias {
            binding = alias;
        }
        binding
    }

    /// Whether a call is on this variable, or on another name of it.
    pub(crate) fn is_on(&self, call: &Call, root: usize) -> bool {
        call.receiver.as_ref().and_then(|receiver| receiver.binding).is_some_and(|of| self.root(of) == root)
    }

    pub(crate) fn calls(&self) -> impl Iterator<Item = &Call> {
        self.events.iter().filter_map(Event::call)
    }

    /// Calls with the numbers of their events.
    pub(crate) fn numbered(&self) -> impl Iterator<Item = (usize, &Call)> {
        self.events.iter().enumerate().filter_map(|(number, event)| Some((number, event.call()?)))
    }

    /// Whether a variable goes where it is not followed, or is assigned to.
    pub(crate) fn is_lost(&self, root: usize) -> bool {
        let escapes = |event: &Event| matches!(event, Event::Escape(binding) if self.root(*binding) == root);
        let same = self.bindings.iter().enumerate().filter(|(binding, _)| self.root(*binding) == root);
        self.events.iter().any(escapes) || same.into_iter().any(|(_, binding)| binding.is_reassigned)
    }

    pub(crate) fn has_opaque_macros(&self) -> bool {
        self.events.iter().any(|event| matches!(event, Event::Opaque(_)))
    }

    /// Kernels of which a handle, or a receiver, is asked for by name: their types, or the names that they run
    /// under; `*` where the name is worked out.
    pub(crate) fn asked_by_name(&self) -> impl Iterator<Item = String> {
        let is_runtime =
            |call: &Call| call.receiver.as_ref().is_some_and(|receiver| receiver.known == Known::Runtime);
        self.calls().filter_map(move |call| match call.name.as_str() {
            "handle" => call.turbofish.clone(),
            "receiver" | "dynamic" if is_runtime(call) => {
                let text = call.arguments.first().and_then(|first| first.text.as_deref());
                // Of several outboxes: `validate.bad`.
                Some(text.map_or("*", |text| text.split('.').next().unwrap_or(text)).into())
            }
            _ => None,
        })
    }
}

impl Event {
    pub(crate) fn call(&self) -> Option<&Call> {
        match self {
            Self::Call(call) => Some(call),
            _ => None,
        }
    }
}
