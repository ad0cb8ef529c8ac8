//! What is known of an expression.

use syn::Expr;

use super::{LAUNCH_INTO, walk::Walk};
use crate::known::{self, Known, Options};

/// The parts of a path.
pub(super) fn parts(expr: &Expr) -> Vec<String> {
    match expr {
        Expr::Path(path) => path.path.segments.iter().map(|segment| segment.ident.to_string()).collect(),
        _ => Vec::new(),
    }
}

impl Walk<'_> {
    /// What a value is.
    pub(super) fn known(&self, expr: &Expr) -> Known {
        match expr {
            Expr::Paren(inner) => self.known(&inner.expr),
            Expr::Group(inner) => self.known(&inner.expr),
            Expr::Reference(inner) => self.known(&inner.expr),
            Expr::Try(inner) => self.known(&inner.expr),
            Expr::Await(inner) => self.known(&inner.base),
            Expr::Unary(inner) if matches!(inner.op, syn::UnOp::Deref(_)) => self.known(&inner.expr),
            Expr::Index(index) => self.known(&index.expr).one(),
            Expr::Array(array) => {
                array.elems.first().map_or(Known::Unknown, |first| Known::many(self.known(first)))
            }
            Expr::Path(_) => self.of_path(&parts(expr)),
            Expr::Field(field) => match (&*field.base, &field.member, &self.self_type) {
                (Expr::Path(base), syn::Member::Named(name), Some(of)) if base.path.is_ident("self") => {
                    self.facts.field(of, &name.to_string())
                }
                (base, syn::Member::Named(name), _) => match self.known(base) {
                    Known::Own(of) | Known::Plain(of) => self.facts.field(&of, &name.to_string()),
                    _ => Known::Unknown,
                },
                _ => Known::Unknown,
            },
            Expr::Binary(binary) => match (self.known(&binary.left), known::number(&binary.right), binary.op)
            {
                (Known::Time(nanos), Some(by), syn::BinOp::Mul(_)) => {
                    Known::Time((nanos as f64 * by) as u128)
                }
                (Known::Time(nanos), Some(by), syn::BinOp::Div(_)) if by > 0.0 => {
                    Known::Time((nanos as f64 / by) as u128)
                }
                _ => Known::Unknown,
            },
            Expr::Struct(made) => self.own(made.path.segments.last().map(|last| last.ident.to_string())),
            Expr::MethodCall(call) => self.of_method(call),
            Expr::Call(call) => self.of_call(&parts(&call.func), &call.args.iter().collect::<Vec<_>>()),
            _ => Known::Unknown,
        }
    }

    fn of_path(&self, parts: &[String]) -> Known {
        match parts {
            [name] => match self.binding(name) {
                Some(binding) => self.body.bindings[binding].known.clone(),
                None if name == "self" => self.own(self.self_type.clone()),
                None => self.facts.constant(name),
            },
            [.., ty, name] if ty == "Duration" && name == "ZERO" => Known::Time(0),
            [.., name] => self.facts.constant(name),
            [] => Known::Unknown,
        }
    }

    fn of_method(&self, call: &syn::ExprMethodCall) -> Known {
        let name = call.method.to_string();
        let receiver = || self.known(&call.receiver);
        match name.as_str() {
            "enable_telemetry" => Known::Telemetry,
            "unwrap" | "expect" | "clone" | "as_ref" | "as_mut" | "to_owned" | "ok" | "map_err"
            | "context" | "with_context" | "borrow" | "unwrap_or_else" | "iter" | "iter_mut"
            | "into_iter" => receiver(),
            "kernel" if receiver() == Known::Runtime => Known::Control,
            "handle" if receiver() == Known::Runtime => Known::Handle(turbofish(call)),
            "control" => Known::Control,
            "queue" | "own_queue" if matches!(receiver(), Known::Handle(_)) => Known::Queue,
            "build" if begins_with_builder(&call.receiver) => Known::Runtime,
            "launch" | "launch_async" | LAUNCH_INTO => match receiver() {
                Known::Bound(kernel) => Known::Handle(kernel),
                _ => Known::Unknown,
            },
            _ => match receiver() {
                Known::Options(options) => Known::Options(options.with(&name, call.args.first())),
                _ => Known::Unknown,
            },
        }
    }

    fn of_call(&self, parts: &[String], arguments: &[&Expr]) -> Known {
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        match parts[..] {
            [.., "Arc" | "Rc" | "Box", "new" | "clone"] | ["Ok" | "Some"] => {
                arguments.first().map_or(Known::Unknown, |first| self.known(first))
            }
            [.., "LaunchOptions", "production" | "low_latency" | "high_throughput" | "default"] => {
                Known::Options(Options { is_whole: true, ..Options::default() })
            }
            [.., "Duration", constructor] => match known::time(constructor, arguments) {
                Some(nanos) => Known::Time(nanos),
                None => Known::Unknown,
            },
            [.., "interval" | "interval_at"] => match arguments.last().map(|last| self.known(last)) {
                Some(Known::Time(nanos)) => Known::Ticker(nanos),
                _ => Known::Unknown,
            },
            [.., kernel, "launch" | "launch_async" | LAUNCH_INTO] if self.is_kernel(kernel) => {
                Known::Handle(Some(kernel.into()))
            }
            [.., kernel, "bind"] if self.is_kernel(kernel) => Known::Bound(Some(kernel.into())),
            [.., ty, "new" | "default"] => self.own(Some(ty.into())),
            [function] => self.facts.returned_by(function),
            _ => Known::Unknown,
        }
    }

    /// A value of the package's own type of this name, if there is one.
    fn own(&self, name: Option<String>) -> Known {
        let is_own = |name: &String| self.facts.has_own_type(name) && self.facts.has_methods(name);
        name.filter(is_own).map_or(Known::Unknown, Known::Own)
    }

    pub(super) fn is_kernel(&self, name: &str) -> bool {
        self.facts.kernel(name, &self.source.shown).is_some()
    }
}

/// The type that a call names: `handle::<detect>`.
pub(super) fn turbofish(call: &syn::ExprMethodCall) -> Option<String> {
    call.turbofish.as_ref()?.args.iter().find_map(|argument| match argument {
        syn::GenericArgument::Type(syn::Type::Path(path)) => {
            path.path.segments.last().map(|last| last.ident.to_string())
        }
        _ => None,
    })
}

fn begins_with_builder(mut expr: &Expr) -> bool {
    loop {
        expr = match expr {
            Expr::MethodCall(call) => &call.receiver,
            Expr::Call(call) => {
                let parts = parts(&call.func);
                return matches!(&parts[..], [.., ty, function] if ty == "Runtime" && function == "builder");
            }
            _ => return false,
        };
    }
}
