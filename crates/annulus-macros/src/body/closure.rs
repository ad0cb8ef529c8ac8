//! Closures, which stand only where a method of the standard library calls them at once: of `Option`,
//! `Result`, `bool`, `Ordering`, of iterators, and of slices that are sorted.

use annulus_tree::{
    Expression, ExpressionKind,
    names::{CALLING, ENDS},
};
use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Expr, ExprClosure, ExprMethodCall, ExprPath, ReturnType, ext::IdentExt, parse_quote};

use super::{Read, Reader, expression::bare, items, node, pattern, span};

impl Reader {
    /// A method that calls its argument, or uses an iterator up; `None` if it is another.
    pub(super) fn closing_method(&mut self, expression: &Expr, call: &ExprMethodCall) -> Option<Read> {
        let method = call.method.unraw().to_string();
        let name = &call.method;
        if items::is_iterator(&call.receiver) {
            if !ENDS.contains(&method.as_str()) {
                return None;
            }
            let (receiver, receiver_tokens) = self.items(&call.receiver);
            let (method, arguments, tokens) = self.called(call, method);
            let turbofish = &call.turbofish;
            let tokens = quote_spanned!(span(expression)=> #receiver_tokens.#name #turbofish(#(#tokens),*));
            // What a sum is, only its type tells.
            let (witness, tokens) = if matches!(method.as_str(), "sum" | "product") {
                let (witness, tokens) = self.witnessed(expression, &tokens);
                (Some(witness), tokens)
            } else {
                (None, tokens)
            };
            return Some(node(
                expression,
                ExpressionKind::Method { receiver, method, arguments, witness },
                tokens,
            ));
        }
        let calls = CALLING.contains(&method.as_str())
            && call.args.last().is_some_and(|last| self.is_called(last, &method));
        if !calls {
            return None;
        }
        let (receiver, receiver_tokens) = self.boxed(&call.receiver);
        let (method, arguments, tokens) = self.called(call, method);
        let tokens = quote_spanned!(span(expression)=> #receiver_tokens.#name(#(#tokens),*));
        Some(node(expression, ExpressionKind::Method { receiver, method, arguments, witness: None }, tokens))
    }

    /// The closure of `sort_by_key(|x| Reverse(key))` and its kin, which gives the key; `None` for another one.
    fn reversed_key(&mut self, call: &ExprMethodCall, method: &str) -> Option<Read> {
        if !matches!(method, "max_by_key" | "min_by_key" | "sort_by_key") || call.args.len() != 1 {
            return None;
        }
        let Expr::Closure(closure) = bare(&call.args[0]) else { return None };
        let mut body = bare(&closure.body);
        if let Expr::Block(block) = body
            && let [syn::Stmt::Expr(value, None)] = &block.block.stmts[..]
        {
            body = bare(value);
        }
        let Expr::Call(reversed) = body else { return None };
        let (Expr::Path(function), 1) = (&*reversed.func, reversed.args.len()) else { return None };
        if pattern::last_name(&function.path) != "Reverse" || !matches!(closure.output, ReturnType::Default) {
            return None;
        }
        Some(self.closure_of(&call.args[0], closure, &reversed.args[0], Some(function)))
    }

    /// A method that calls some of its arguments: its name in the tree, and the arguments.
    fn called(
        &mut self,
        call: &ExprMethodCall,
        method: String,
    ) -> (String, Vec<Expression>, Vec<TokenStream>) {
        if let Some(Read { tree, tokens }) = self.reversed_key(call, &method) {
            return (format!("{method}_reversed"), vec![tree], vec![tokens]);
        }
        let arguments = call.args.iter().enumerate().map(|(index, argument)| {
            // The first ones of `map_or`, `fold` and `block_reduce` are values.
            let is_called = index + 1 == call.args.len() || method == "map_or_else";
            let Read { tree, tokens } = if method == "eq" {
                let (tree, tokens) = self.items(argument);
                Read { tree: *tree, tokens }
            } else if is_called {
                self.perhaps_closure(argument, &method, parameters_of(&method, index))
            } else {
                self.expression(argument)
            };
            (tree, tokens)
        });
        let (arguments, tokens) = arguments.unzip();
        (method, arguments, tokens)
    }

    /// An argument that may be a closure, or the name of a function.
    pub(super) fn perhaps_closure(
        &mut self,
        argument: &Expr,
        method: &str,
        parameters: Option<usize>,
    ) -> Read {
        match bare(argument) {
            Expr::Closure(closure) => self.closure(argument, closure),
            Expr::Path(path) if self.is_called(argument, method) => {
                let Some(parameters) = parameters else {
                    let message = "a device must see how many parameters the function has here: write a closure, `|…| function(…)`";
                    return self.refuse(argument, message);
                };
                let items: Vec<_> = (0..parameters)
                    .map(|index| format_ident!("item_{index}", span = Span::mixed_site()))
                    .collect();
                let closure: ExprClosure = parse_quote!(|#(#items),*| #path(#(#items),*));
                self.closure(argument, &closure)
            }
            _ => self.expression(argument),
        }
    }

    /// Whether the argument of a method is a closure, or by its form the name of a function. Where the function gives a `bool` or
    /// an `Ordering`, or has no parameter, the name of a struct or a variant is none: it is the value that a method of the user's takes.
    fn is_called(&mut self, argument: &Expr, method: &str) -> bool {
        match bare(argument) {
            Expr::Closure(_) => true,
            Expr::Path(path) => {
                let name = pattern::last_name(&path.path);
                let is_variable = path.path.get_ident().is_some_and(|ident| {
                    let name = self.variable(ident);
                    self.scopes.has(&name)
                });
                let is_constant =
                    name.len() > 1 && name.chars().all(|c| c == '_' || c.is_uppercase() || c.is_numeric());
                let is_made = name.starts_with(char::is_uppercase);
                !is_variable && !is_constant && name != "None" && (!is_made || MAKING.contains(&method))
            }
            _ => false,
        }
    }

    fn closure(&mut self, place: &Expr, closure: &ExprClosure) -> Read {
        self.closure_of(place, closure, &closure.body, None)
    }

    /// A closure that gives `value`, in its copy inside `reverse`.
    fn closure_of(
        &mut self,
        place: &Expr,
        closure: &ExprClosure,
        value: &Expr,
        reverse: Option<&ExprPath>,
    ) -> Read {
        if let Some(word) = &closure.capture {
            let message = "a closure of a device sees the variables around it themselves: leave `move` out";
            self.errors.at(word, message);
        }
        if closure.asyncness.is_some() {
            return self.refuse(place, "a handler never waits: send what should happen later as a message");
        }
        let mark = self.scopes.mark();
        let mut parameters = Vec::new();
        let mut inputs = Vec::new();
        for input in &closure.inputs {
            let (pat, ty) = match input {
                syn::Pat::Type(typed) => (&*typed.pat, Some(&typed.ty)),
                pat => (pat, None),
            };
            if let Some(ty) = ty {
                self.known_type(ty);
            }
            let ty = ty.map(|ty| quote!(: #ty));
            let (pattern, tokens) = self.irrefutable(pat);
            parameters.push(pattern);
            inputs.push(quote!(#tokens #ty));
        }
        let outer = std::mem::replace(&mut self.in_closure, true);
        let (body, mut tokens) = self.boxed(value);
        if let Some(reverse) = reverse {
            // A `Reverse` of the user's is none.
            tokens = quote_spanned! {span(place)=>
                ::annulus::__private::witness::reversed(#reverse(#tokens))
            };
        }
        self.in_closure = outer;
        self.scopes.back_to(&mark);
        let output = &closure.output;
        let tokens = match output {
            ReturnType::Default => quote_spanned!(span(place)=> |#(#inputs),*| #tokens),
            ReturnType::Type(..) => quote_spanned!(span(place)=> |#(#inputs),*| #output { #tokens }),
        };
        node(place, ExpressionKind::Closure { parameters, body }, tokens)
    }

    /// Refuses what would leave a closure, and not the body around it.
    pub(super) fn check_leaves(&mut self, place: &Expr, what: &str) {
        if self.in_closure {
            let message = format!(
                "{what} in a closure leaves the closure, which a device writes out where it is called: write a `match` or a `for` instead \
                 of the closure"
            );
            self.errors.at(place, message);
        }
    }
}

/// Methods whose function may be the name of a struct or a variant, which makes one of what it is given.
const MAKING: &[&str] = &[
    "and_then",
    "filter_map",
    "find_map",
    "flat_map",
    "map",
    "map_err",
    "map_or",
    "map_or_else",
    "max_by_key",
    "min_by_key",
    "or_else",
    "sort_by_key",
    "unwrap_or_else",
];

/// How many parameters a function has that this method calls; `None` if the method's name alone does not
/// tell.
fn parameters_of(method: &str, index: usize) -> Option<usize> {
    match method {
        "block_reduce"
        | "block_scan"
        | "block_scan_exclusive"
        | "fold"
        | "max_by"
        | "min_by"
        | "sort_by"
        | "warp_reduce" => Some(2),
        "get_or_insert_with" | "ok_or_else" | "then" | "then_with" => Some(0),
        "map_or_else" if index == 0 => None,
        "or_else" | "unwrap_or_else" => None,
        _ => Some(1),
    }
}
