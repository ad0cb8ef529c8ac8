//! What a `for` runs over, and which part of a slice is meant: ranges, and iterators by the methods that make
//! them.

use annulus_tree::{
    Expression, ExpressionKind,
    names::{ADAPTERS, CLOSING, COUNTING, PAIRING, PARTS, STARTS},
};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{Expr, ExprMethodCall, ExprRange, Lit, RangeLimits, Type, ext::IdentExt};

use super::{Read, Reader, expression::bare, node, span};

/// Whether an expression makes an iterator, by its form.
pub(super) fn is_iterator(expression: &Expr) -> bool {
    match bare(expression) {
        Expr::Range(range) => range.start.is_some(),
        Expr::MethodCall(call) => {
            let method = call.method.unraw().to_string();
            let known = |names: &[&str]| names.contains(&method.as_str());
            match call.args.len() {
                0 if known(STARTS) => true,
                0 => known(ADAPTERS) && is_iterator(&call.receiver),
                1 if known(PARTS) => true,
                1 => (known(COUNTING) || known(CLOSING) || known(PAIRING)) && is_iterator(&call.receiver),
                _ => false,
            }
        }
        _ => false,
    }
}

impl Reader {
    /// What a `for` runs over.
    pub(super) fn items(&mut self, expression: &Expr) -> (Box<Expression>, TokenStream) {
        let Read { tree, tokens } = match bare(expression) {
            Expr::Range(range)
                if [&range.start, &range.end].into_iter().flatten().any(|end| is_float(end)) =>
            {
                let message = "a loop counts with integers: write `for i in 0..n`, and in it `let x = start + i as f32 * step;`";
                self.refuse(expression, message)
            }
            Expr::Range(range) if range.start.is_some() => self.range(range),
            Expr::Range(_) => {
                self.refuse(expression, "a loop on a device has a beginning: write `for i in a..b`")
            }
            Expr::MethodCall(call) => self.iterator(expression, call),
            _ => self.expression(expression),
        };
        (Box::new(tree), tokens)
    }

    fn iterator(&mut self, expression: &Expr, call: &ExprMethodCall) -> Read {
        let method = call.method.unraw().to_string();
        let name = &call.method;
        let known = |names: &[&str]| names.contains(&method.as_str());
        let starts = known(STARTS) && call.args.is_empty() || known(PARTS) && call.args.len() == 1;
        let adapts = known(ADAPTERS) && call.args.is_empty() || known(COUNTING) && call.args.len() == 1;
        let zips = known(PAIRING) && call.args.len() == 1;
        let closes = known(CLOSING) && call.args.len() == 1;
        if !starts && !adapts && !zips && !closes {
            return match instead(&method) {
                Some(instead) => {
                    self.refuse(name, format!("a loop on a device has no `{method}`: {instead}"))
                }
                None => self.expression(expression),
            };
        }
        let (receiver, receiver_tokens) =
            if starts { self.boxed(&call.receiver) } else { self.items(&call.receiver) };
        let mut arguments = Vec::new();
        let mut argument_tokens = Vec::new();
        for argument in &call.args {
            let (tree, tokens) = if zips {
                self.items(argument)
            } else {
                let Read { tree, tokens } = self.perhaps_closure(argument, &method, Some(1));
                (Box::new(tree), tokens)
            };
            arguments.push(*tree);
            argument_tokens.push(tokens);
        }
        let tokens = quote_spanned!(span(expression)=> #receiver_tokens.#name(#(#argument_tokens),*));
        let kind = ExpressionKind::Method { receiver, method, arguments, witness: None };
        node(expression, kind, tokens)
    }

    /// `a..b` and its kin.
    pub(super) fn range(&mut self, range: &ExprRange) -> Read {
        let (start, start_tokens) = self.optional(range.start.as_deref());
        let (end, end_tokens) = self.optional(range.end.as_deref());
        let limits = &range.limits;
        let inclusive = matches!(limits, RangeLimits::Closed(_));
        let kind = ExpressionKind::Range { start, end, inclusive };
        node(range, kind, quote!((#start_tokens #limits #end_tokens)))
    }

    /// An index, or a range of them.
    pub(super) fn subscript(&mut self, index: &Expr) -> (Box<Expression>, TokenStream) {
        match bare(index) {
            Expr::Range(range) => {
                let Read { tree, tokens } = self.range(range);
                (Box::new(tree), tokens)
            }
            _ => self.boxed(index),
        }
    }

    fn optional(&mut self, expression: Option<&Expr>) -> (Option<Box<Expression>>, Option<TokenStream>) {
        let Some(expression) = expression else { return (None, None) };
        let (tree, tokens) = self.boxed(expression);
        (Some(tree), Some(tokens))
    }
}

/// Whether it can be seen to be a float.
fn is_float(expression: &Expr) -> bool {
    match bare(expression) {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Float(_) => true,
            Lit::Int(int) => matches!(int.suffix(), "f32" | "f64"),
            _ => false,
        },
        Expr::Unary(unary) => is_float(&unary.expr),
        Expr::Cast(cast) => {
            matches!(&*cast.ty, Type::Path(ty) if ty.path.is_ident("f32") || ty.path.is_ident("f64"))
        }
        _ => false,
    }
}

/// What to write instead of an iterator's method.
pub(super) fn instead(method: &str) -> Option<&'static str> {
    Some(match method {
        "flat_map" => "write a loop in the loop",
        "cycle" => "index with `i % values.len()`",
        "by_ref" | "fuse" | "peekable" => "write a `while` over an index",
        "scan" => "keep a variable outside of the loop",
        "drain" | "keys" | "values" | "values_mut" | "chars" | "bytes" | "lines" | "split" => {
            "it runs over ranges, arrays and slices"
        }
        _ => return None,
    })
}
