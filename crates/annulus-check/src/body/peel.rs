//! A call under what is done with its result.

use syn::{Expr, Pat};

use super::Usage;

/// The expression under `.await`, `?`, `unwrap`, `expect`, `ok` and brackets, and which of these there are.
pub(super) fn peel(mut expr: &Expr) -> (&Expr, Usage) {
    let mut usage = Usage::default();
    loop {
        expr = match expr {
            Expr::Paren(paren) => &paren.expr,
            Expr::Group(group) => &group.expr,
            Expr::Await(awaited) => {
                usage.is_awaited = true;
                &awaited.base
            }
            Expr::Try(tried) => {
                usage.is_tried = true;
                &tried.expr
            }
            Expr::MethodCall(call) if call.method == "unwrap" || call.method == "expect" => {
                usage.is_tried = true;
                &call.receiver
            }
            Expr::MethodCall(call) if call.method == "ok" && call.args.is_empty() => {
                usage.is_ok = true;
                &call.receiver
            }
            // The error is turned into another one, and still an error.
            Expr::MethodCall(call)
                if ["map_err", "context", "with_context"].iter().any(|name| call.method == name) =>
            {
                &call.receiver
            }
            _ => return (expr, usage),
        };
    }
}

/// The variable under references, clones and `Arc::clone`.
pub(super) fn alias(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Paren(paren) => alias(&paren.expr),
        Expr::Reference(reference) => alias(&reference.expr),
        Expr::MethodCall(call) if call.method == "clone" && call.args.is_empty() => alias(&call.receiver),
        Expr::Call(call) => match (&*call.func, call.args.first()) {
            (Expr::Path(path), Some(first)) if call.args.len() == 1 => {
                let names: Vec<_> =
                    path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                matches!(names[..], [.., "Arc" | "Rc", "clone" | "new"]).then(|| alias(first)).flatten()
            }
            _ => None,
        },
        Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
        _ => None,
    }
}

/// Whether a pattern has one name, or none.
pub(super) fn is_name(pat: &Pat) -> bool {
    match pat {
        Pat::Ident(ident) => ident.subpat.is_none(),
        Pat::Type(typed) => is_name(&typed.pat),
        _ => false,
    }
}
