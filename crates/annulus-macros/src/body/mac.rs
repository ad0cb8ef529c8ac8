//! The macros that a device understands.

use annulus_tree::{Arm, Expression, ExpressionKind, FieldPattern, Literal, Pattern};
use quote::{ToTokens, format_ident, quote_spanned};
use syn::{BinOp, Expr, ExprBinary, Macro, Pat, Token, parse::Parser, punctuated::Punctuated};

use super::{OR_CPU_ONLY, Read, Reader, node, pattern, span};

impl Reader {
    pub(super) fn macro_call(&mut self, call: &Macro) -> Read {
        let name = pattern::last_name(&call.path);
        match name.as_str() {
            // What it says is for the host.
            "panic" | "todo" | "unimplemented" | "unreachable" => {
                node(call, ExpressionKind::Panic, quote_spanned!(span(call)=> ::core::panic!()))
            }
            "assert" | "assert_eq" | "assert_ne" => self.assertion(call, &name),
            "debug_assert" | "debug_assert_eq" | "debug_assert_ne" => {
                let Read { tree, tokens } = self.assertion(call, &name["debug_".len()..]);
                let kind = match tree.kind {
                    ExpressionKind::Assert { condition } => ExpressionKind::DebugAssert { condition },
                    refused => refused,
                };
                node(call, kind, tokens)
            }
            "matches" => self.matches(call),
            "device_print" => self.print(call),
            "cfg" => self.constant_expression(call, name, call.to_token_stream()),
            _ => {
                let message = match name.as_str() {
                    "print" | "println" | "eprint" | "eprintln" | "dbg" => {
                        format!(
                            "a device has no terminal: write `device_print!(\"…\", values)`, which the host shows, {OR_CPU_ONLY}"
                        )
                    }
                    "format" | "write" | "writeln" => {
                        format!(
                            "a device has no text: send a number and let the host find the words, {OR_CPU_ONLY}"
                        )
                    }
                    "vec" => "a device has no heap: write an array, `[value; N]`".to_owned(),
                    _ => format!(
                        "a device does not expand `{name}!`: write here what it stands for, {OR_CPU_ONLY}"
                    ),
                };
                self.refuse(call, message)
            }
        }
    }

    /// `assert!(condition, …)`, `assert_eq!(a, b, …)`: the message is for the host.
    fn assertion(&mut self, call: &Macro, name: &str) -> Read {
        let arguments = match Punctuated::<Expr, Token![,]>::parse_terminated.parse2(call.tokens.clone()) {
            Ok(arguments) => arguments,
            Err(error) => return self.refuse(call, error),
        };
        let mut arguments = arguments.iter();
        let (Some(first), second) = (arguments.next(), arguments.next()) else {
            return self.refuse(call, format!("`{name}!` needs a condition"));
        };
        let place = span(call);
        if name == "assert" {
            let (condition, tokens) = self.boxed(first);
            let tokens = quote_spanned!(place=> ::core::assert!(#tokens));
            return node(call, ExpressionKind::Assert { condition }, tokens);
        }
        let Some(second) = second else {
            return self.refuse(call, format!("`{name}!` compares two values"));
        };
        let op = match name {
            "assert_eq" => BinOp::Eq(Token![==](place)),
            _ => BinOp::Ne(Token![!=](place)),
        };
        // Not parsed from the operands' text: `a || b` would lose its right half to the comparison, and `a < b` is
        // no operand there.
        let (left, right) = (Box::new(first.clone()), Box::new(second.clone()));
        let comparison = Expr::Binary(ExprBinary { attrs: Vec::new(), left, op, right });
        let (condition, tokens) = self.boxed(&comparison);
        let tokens = quote_spanned!(place=> ::core::assert!(#tokens));
        node(call, ExpressionKind::Assert { condition }, tokens)
    }

    /// `matches!(value, pattern)`, `matches!(value, pattern if guard)`.
    fn matches(&mut self, call: &Macro) -> Read {
        let parser = |input: syn::parse::ParseStream<'_>| {
            let value: Expr = input.parse()?;
            input.parse::<Token![,]>()?;
            let pattern = Pat::parse_multi_with_leading_vert(input)?;
            let guard = match input.parse::<Option<Token![if]>>()? {
                Some(_) => Some(input.parse::<Expr>()?),
                None => None,
            };
            input.parse::<Option<Token![,]>>()?;
            Ok((value, pattern, guard))
        };
        let (value, pat, guard) = match parser.parse2(call.tokens.clone()) {
            Ok(parsed) => parsed,
            Err(error) => return self.refuse(call, error),
        };
        let mark = self.scopes.mark();
        let (value, value_tokens) = self.boxed(&value);
        let (pattern, pattern_tokens) = self.pattern(&pat);
        if let Some(guard) = guard {
            let Read { tree: guard, tokens: guard_tokens } = self.expression(&guard);
            self.scopes.back_to(&mark);
            let tokens = quote_spanned! {span(call)=>
                ::core::matches!(#value_tokens, #pattern_tokens if #guard_tokens)
            };
            let line = super::line(span(call));
            let mut arm = |pattern, guard, value| {
                let witness = Some(self.written(&format_ident!("bool")));
                let kind = ExpressionKind::Literal { literal: Literal::Bool { value }, witness };
                Arm { line, pattern, guard, body: Expression { line, kind } }
            };
            let arms = vec![arm(pattern, Some(guard), true), arm(Pattern::Wildcard, None, false)];
            return node(call, ExpressionKind::Match { value, arms }, tokens);
        }
        self.scopes.back_to(&mark);
        let tokens = quote_spanned!(span(call)=> ::core::matches!(#value_tokens, #pattern_tokens));
        node(call, ExpressionKind::Let { pattern: without_names(pattern), value }, tokens)
    }
}

/// The pattern without what it binds: nobody sees it outside of `matches!`.
fn without_names(pattern: Pattern) -> Pattern {
    match pattern {
        Pattern::Bind { inner: Some(inner), .. } => without_names(*inner),
        Pattern::Bind { inner: None, .. } => Pattern::Wildcard,
        Pattern::Fields { name, fields } => {
            let without = |field: FieldPattern| FieldPattern {
                name: field.name,
                pattern: without_names(field.pattern),
            };
            Pattern::Fields { name, fields: fields.into_iter().map(without).collect() }
        }
        Pattern::Reference { pattern } => Pattern::Reference { pattern: Box::new(without_names(*pattern)) },
        Pattern::Or { patterns } => {
            Pattern::Or { patterns: patterns.into_iter().map(without_names).collect() }
        }
        Pattern::Tuple { patterns } => {
            Pattern::Tuple { patterns: patterns.into_iter().map(without_names).collect() }
        }
        other => other,
    }
}
