//! Calls: methods, functions of types, and what only looks like one: variants and tuple structs.

use annulus_tree::{ExpressionKind, FieldValue, names};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::{
    Expr, ExprCall, ExprMethodCall, ExprPath, Path, ext::IdentExt, punctuated::Punctuated, token::Comma,
};

use super::{OR_CPU_ONLY, Read, Reader, Source, around, expression::OPTION, node, own, pattern, span};

impl Reader {
    pub(super) fn arguments(
        &mut self,
        arguments: &Punctuated<Expr, Comma>,
    ) -> (Vec<annulus_tree::Expression>, Vec<TokenStream>) {
        arguments
            .iter()
            .map(|argument| {
                let Read { tree, tokens } = self.expression(argument);
                (tree, tokens)
            })
            .unzip()
    }

    pub(super) fn method(&mut self, expression: &Expr, call: &ExprMethodCall) -> Read {
        let method = call.method.unraw().to_string();
        let known = names::METHODS.contains(&method.as_str());
        if let (false, Some(message)) = (known, unknown_method(&method)) {
            // What is wrong with the receiver comes first: the rest often follows from it.
            let before = self.errors.count();
            let receiver = self.expression(&call.receiver);
            if self.errors.count() > before {
                return receiver;
            }
            return self.refuse(&call.method, message);
        }
        if let Some(turbofish) = &call.turbofish {
            return self.refuse(turbofish, "the methods that devices have are not generic: leave this out");
        }
        if !known {
            return self.own_method(expression, call);
        }
        let own = self.perhaps_own(call);
        let (receiver, mut receiver_tokens) = self.boxed(&call.receiver);
        if let Some((_, callee)) = &own {
            receiver_tokens = own::seen(&call.receiver, callee, &receiver_tokens);
        }
        let (arguments, argument_tokens) = self.arguments(&call.args);
        let name = &call.method;
        let mut tokens = quote_spanned!(span(expression)=> #receiver_tokens.#name(#(#argument_tokens),*));
        let mut witness = None;
        if method == "into" {
            let (id, wrapped) = self.witnessed(expression, &tokens);
            witness = Some(id);
            tokens = wrapped;
        }
        let read = node(expression, ExpressionKind::Method { receiver, method, arguments, witness }, tokens);
        let Some((function, _)) = own else { return read };
        node(expression, ExpressionKind::Own { function, otherwise: Box::new(read.tree) }, read.tokens)
    }

    pub(super) fn call(&mut self, expression: &Expr, call: &ExprCall) -> Read {
        let Expr::Path(function) = &*call.func else {
            return self.refuse(&call.func, format!("a device calls nothing by value: {OR_CPU_ONLY}"));
        };
        let name = pattern::last_name(&function.path);
        match name.as_str() {
            "Ok" => return self.success(expression, call),
            "Err" => return self.failure(expression, call),
            "Some" => return self.refuse(expression, OPTION),
            _ => {}
        }
        if name.starts_with(char::is_uppercase) {
            let (items, tokens) = self.arguments(&call.args);
            let fields = items
                .into_iter()
                .enumerate()
                .map(|(index, value)| FieldValue { name: index.to_string(), value })
                .collect();
            let (witness, tokens) = self.witnessed(expression, &quote!(#function(#(#tokens),*)));
            return node(expression, ExpressionKind::Construct { name, fields, base: None, witness }, tokens);
        }
        let standard = ["std", "core"].iter().any(|root| function.path.segments[0].ident == root);
        let compares = standard && before_last(&function.path).as_deref() == Some("cmp");
        if compares && matches!(name.as_str(), "min" | "max") {
            let (arguments, tokens) = self.arguments(&call.args);
            let tokens = quote_spanned!(span(expression)=> #function(#(#tokens),*));
            return node(expression, ExpressionKind::Compare { function: name, arguments }, tokens);
        }
        match type_of(function) {
            Some(ty) if name == "default" && call.args.is_empty() => {
                let shown = ty.to_string();
                self.constant_expression(expression, shown, expression.to_token_stream())
            }
            Some(ty)
                if names::METHODS.contains(&name.as_str()) || names::FUNCTIONS.contains(&name.as_str()) =>
            {
                let written = ty.clone();
                let ty = self.witness(Source::Written(ty));
                let (arguments, tokens) = self.arguments(&call.args);
                let witness = self.witness(Source::Inferred(span(expression)));
                let tokens =
                    around(witness, expression, &quote_spanned!(span(expression)=> #function(#(#tokens),*)));
                let kind = ExpressionKind::Function { ty, function: name.clone(), arguments, witness };
                self.perhaps_associated(&name, &written, node(expression, kind, tokens))
            }
            Some(ty) => self.own_associated(expression, call, function, ty),
            None => self.own_function(expression, call, function),
        }
    }

    /// `Ok(())`.
    fn success(&mut self, expression: &Expr, call: &ExprCall) -> Read {
        match call.args.first() {
            Some(Expr::Tuple(tuple)) if tuple.elems.is_empty() => {
                node(expression, ExpressionKind::Success, expression.to_token_stream())
            }
            _ => self.refuse(&call.args, "what a handler returns is `Ok(())`: send what it has to say"),
        }
    }

    /// `Err(failure)`.
    fn failure(&mut self, expression: &Expr, call: &ExprCall) -> Read {
        let Some(argument) = call.args.first() else {
            return self.refuse(expression, "write `Err(failure)`");
        };
        let (failure, tokens) = self.boxed(argument);
        let function = &call.func;
        let tokens = quote_spanned! {span(argument)=>
            #function(::annulus::__private::witness::failure(#tokens))
        };
        node(expression, ExpressionKind::Failure { failure }, tokens)
    }
}

/// The word before the last: the `cmp` of `std::cmp::min`.
fn before_last(path: &Path) -> Option<String> {
    path.segments.iter().nth_back(1).map(|segment| segment.ident.to_string())
}

/// What stands before a function's name, if it looks like a type: the `f32` of `f32::max`.
fn type_of(function: &ExprPath) -> Option<TokenStream> {
    if let Some(qself) = &function.qself {
        let ty = &qself.ty;
        return Some(quote!(#ty));
    }
    let path = &function.path;
    let holder = before_last(path)?;
    let primitive = [
        "bool", "i8", "i16", "i32", "i64", "isize", "u8", "u16", "u32", "u64", "u128", "i128", "usize",
        "f32", "f64",
    ];
    if !holder.starts_with(char::is_uppercase) && !primitive.contains(&holder.as_str()) {
        return None;
    }
    let segments = path.segments.iter().take(path.segments.len() - 1);
    let leading = &path.leading_colon;
    Some(quote!(#leading #(#segments)::*))
}

/// What to write instead of a method of the standard library that devices have not; `None` if the method may be the user's.
fn unknown_method(method: &str) -> Option<String> {
    let instead = match method {
        "iter" | "iter_mut" | "into_iter" => "loop over the indices: `for i in 0..values.len()`",
        "clone" => "a device's values are copied: write `*value`, or just the value",
        "unwrap" | "expect" => {
            "a device has no `Option` and `Result` values yet: test for the case, and return `Err(..)`"
        }
        "checked_add" | "checked_sub" | "checked_mul" | "overflowing_add" | "overflowing_sub"
        | "overflowing_mul" => "compare before you calculate, or calculate with `wrapping_…`",
        "checked_div" | "checked_rem" => "compare the divisor with 0 first",
        "println" | "to_string" | "as_str" => "a device has no text: send a number",
        "as_ref" | "as_mut" | "borrow" | "borrow_mut" => "write `&value` or `&mut value`",
        "copy_from_slice" | "swap_with_slice" | "sort" | "sort_unstable" => {
            "write it as a loop over the indices"
        }
        _ => return None,
    };
    Some(format!("a device has no method `{method}`: {instead}"))
}
