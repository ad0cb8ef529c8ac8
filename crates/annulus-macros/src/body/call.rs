//! Calls: methods, functions of types, and what only looks like one: variants and tuple structs.

use annulus_tree::{ExpressionKind, FieldValue, names};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{
    Expr, ExprCall, ExprMethodCall, ExprPath, Path, ext::IdentExt, punctuated::Punctuated, token::Comma,
};

use super::{OR_CPU_ONLY, Read, Reader, Source, around, expression::bare, items, node, own, pattern, span};
use crate::types::text;

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
        if let Some(read) = self.closing_method(expression, call) {
            return read;
        }
        if let Some(read) = self.method_of_iterator(expression, call, &method) {
            return read;
        }
        let known = names::METHODS.contains(&method.as_str());
        if let (false, Some(message)) = (known, unknown_method(call, &method)) {
            // What is wrong with the receiver comes first: the rest often follows from it.
            let before = self.errors.count();
            let receiver = self.expression(&call.receiver);
            if self.errors.count() > before {
                return receiver;
            }
            return self.refuse(&call.method, message);
        }
        if let ("contains", Expr::Range(range), [argument]) =
            (method.as_str(), bare(&call.receiver), &call.args.iter().collect::<Vec<_>>()[..])
        {
            return self.range_contains(expression, range, argument);
        }
        if method == "try_into" && call.args.is_empty() {
            return self.tried(expression, call);
        }
        if method == "unwrap_or_default" && call.args.is_empty() {
            return self.or_default(expression, call);
        }
        if method == "shared" {
            return self.shared_array(expression, call);
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
        let (arguments, argument_tokens) = match method.as_str() {
            // What it says is for the host.
            "expect" | "expect_err" => self.text(&call.args),
            "get" | "get_mut" | "copy_within" => call
                .args
                .iter()
                .map(|argument| {
                    let (tree, tokens) = self.subscript(argument);
                    (*tree, tokens)
                })
                .unzip(),
            _ => self.arguments(&call.args),
        };
        let name = &call.method;
        let tokens = quote_spanned!(span(expression)=> #receiver_tokens.#name(#(#argument_tokens),*));
        if method == "into" {
            let id = self.witness(Source::Inferred(span(expression)));
            let kind = ExpressionKind::Method { receiver, method, arguments, witness: Some(id) };
            let read = node(expression, kind, TokenStream::new());
            let (callee, tree) = self.converted(None, &call.receiver, read.tree);
            let tokens = quote_spanned! {span(expression)=>
                ::annulus::__private::witness::left(
                    &#callee,
                    ::annulus::__private::witness::right(&#callee, #receiver_tokens).#name()
                )
            };
            return Read { tree, tokens: around(id, expression, &tokens) };
        }
        let witness = None;
        let read = node(expression, ExpressionKind::Method { receiver, method, arguments, witness }, tokens);
        let Some((function, _)) = own else { return read };
        node(expression, ExpressionKind::Own { function, otherwise: Box::new(read.tree) }, read.tokens)
    }

    /// Refuses a method that is called on an iterator and uses it up in no way that devices know; `None` if it is called
    /// on something else.
    fn method_of_iterator(&mut self, expression: &Expr, call: &ExprMethodCall, method: &str) -> Option<Read> {
        let is_method = matches!(bare(&call.receiver), Expr::MethodCall(_));
        if !is_method || !items::is_iterator(&call.receiver) || items::is_iterator(expression) {
            return None;
        }
        // What is wrong with the iterator comes first.
        let before = self.errors.count();
        let (tree, tokens) = self.items(&call.receiver);
        if self.errors.count() > before {
            return Some(Read { tree: *tree, tokens });
        }
        let instead = items::instead(method).unwrap_or(match method {
            "collect" => "a device has no heap: write into an array, with a `for`",
            "next" => "write `for item in …`, or `values.first()`",
            "nth" => "write `values.get(n)`",
            "len" => "write `values.len()`, or `count()`",
            _ => "write it as a `for`",
        });
        let message = format!("the iterators of a device have no method `{method}`: {instead}");
        Some(self.refuse(&call.method, message))
    }

    pub(super) fn call(&mut self, expression: &Expr, call: &ExprCall) -> Read {
        let Expr::Path(function) = &*call.func else {
            return self.refuse(&call.func, format!("a device calls nothing by value: {OR_CPU_ONLY}"));
        };
        let name = pattern::last_name(&function.path);
        if name.starts_with(char::is_uppercase) {
            let (items, tokens) = self.arguments(&call.args);
            let fields = items
                .into_iter()
                .enumerate()
                .map(|(index, value)| FieldValue { name: index.to_string(), value })
                .collect();
            let made = quote!(#function(#(#tokens),*));
            let (witness, tokens) = if matches!(name.as_str(), "Some" | "Ok" | "Err") {
                self.witnessed(expression, &made)
            } else {
                self.constructed(expression, function, &made)
            };
            return node(expression, ExpressionKind::Construct { name, fields, base: None, witness }, tokens);
        }
        let standard = ["std", "core"].iter().any(|root| function.path.segments[0].ident == root);
        let compares = standard && before_last(&function.path).as_deref() == Some("cmp");
        if compares && matches!(name.as_str(), "min" | "max") {
            let (arguments, tokens) = self.arguments(&call.args);
            // A module of the user's may be called `core`, too.
            let real = &function.path.segments.last().expect("it has two segments or more").ident;
            let tokens = quote_spanned! {span(expression)=>
                ::annulus::__private::witness::same(#function, ::core::cmp::#real)(#(#tokens),*)
            };
            return node(expression, ExpressionKind::Compare { function: name, arguments }, tokens);
        }
        let of_memory = before_last(&function.path).as_deref() == Some("mem");
        if of_memory && matches!(name.as_str(), "replace" | "swap" | "take") {
            return self.memory(expression, call, &name);
        }
        if before_last(&function.path).as_deref() == Some("array")
            && name == "from_fn"
            && call.args.len() == 1
        {
            return self.array_of(expression, call, name);
        }
        if let Some(instead) = host_function(&function.path, &name) {
            return self.refuse(&call.func, format!("`{}` is the host's: {instead}", text(&function.path)));
        }
        match type_of(function) {
            Some(ty) if name == "try_from" && (is_primitive(&ty) || is_array(&ty)) => {
                // The type of its error is none of a device's, so no witness sees the result.
                let witness = self.witness(Source::Written(ty));
                let (arguments, tokens) = self.arguments(&call.args);
                let tokens = quote_spanned!(span(expression)=> #function(#(#tokens),*));
                let kind = ExpressionKind::Function { ty: witness, function: name, arguments, witness };
                node(expression, kind, tokens)
            }
            // Its parameter is not written, and a witness of the type would need it.
            Some(_) if name == "from" && call.args.len() == 1 && is_bare_maybe(function) => {
                let value = &call.args[0];
                let (receiver, tokens) = self.boxed(value);
                let id = self.witness(Source::Inferred(span(expression)));
                let kind = ExpressionKind::Method {
                    receiver,
                    method: "into".to_owned(),
                    arguments: Vec::new(),
                    witness: Some(id),
                };
                let read = node(expression, kind, TokenStream::new());
                let (callee, tree) = self.converted(None, value, read.tree);
                let tokens = quote_spanned! {span(expression)=>
                    ::annulus::__private::witness::left(
                        &#callee,
                        #function(::annulus::__private::witness::right(&#callee, #tokens))
                    )
                };
                Read { tree, tokens: around(id, expression, &tokens) }
            }
            Some(ty) if name == "default" && call.args.is_empty() => {
                let shown = ty.to_string();
                self.constant_expression(expression, shown, expression.to_token_stream())
            }
            Some(ty)
                if names::METHODS.contains(&name.as_str()) || names::FUNCTIONS.contains(&name.as_str()) =>
            {
                let written = ty.clone();
                let ty = self.witness(Source::Written(ty));
                let (arguments, mut tokens) = self.arguments(&call.args);
                let witness = self.witness(Source::Inferred(span(expression)));
                let kind = ExpressionKind::Function { ty, function: name.clone(), arguments, witness };
                let mut read = node(expression, kind, TokenStream::new());
                if let ("from", Some(value), false) =
                    (name.as_str(), call.args.first(), is_primitive(&written))
                {
                    let (callee, tree) = self.converted(Some(written.clone()), value, read.tree);
                    tokens = vec![quote_spanned! {span(expression)=>
                        ::annulus::__private::witness::right(&#callee, #(#tokens),*)
                    }];
                    read.tree = tree;
                }
                read.tokens =
                    around(witness, expression, &quote_spanned!(span(expression)=> #function(#(#tokens),*)));
                self.perhaps_associated(&name, &written, read)
            }
            Some(ty) => self.own_associated(expression, call, function, ty),
            None => self.own_function(expression, call, function),
        }
    }

    /// `std::mem::replace(&mut a, b)`, `swap(&mut a, &mut b)`, `take(&mut a)`.
    fn memory(&mut self, expression: &Expr, call: &ExprCall, name: &str) -> Read {
        let function = &call.func;
        let (mut arguments, tokens) = self.arguments(&call.args);
        // A module of the user's may be called `mem`, too.
        let real = format_ident!("{name}");
        let called = quote_spanned! {span(expression)=>
            ::annulus::__private::witness::same(#function, ::core::mem::#real)(#(#tokens),*)
        };
        if name != "take" {
            let kind = ExpressionKind::Compare { function: name.to_owned(), arguments };
            return node(expression, kind, called);
        }
        let (witness, name) = self.default_witness(expression);
        let tokens = quote_spanned!(span(expression)=> ::annulus::__private::witness::see(&#name, #called));
        let Read { tree: default, .. } = node(
            expression,
            ExpressionKind::Constant { name: "default".to_owned(), witness },
            TokenStream::new(),
        );
        arguments.push(default);
        let kind = ExpressionKind::Compare { function: "replace".to_owned(), arguments };
        node(expression, kind, tokens)
    }

    /// `std::array::from_fn(f)`: what the array is, only its type tells.
    fn array_of(&mut self, expression: &Expr, call: &ExprCall, name: String) -> Read {
        let function = &call.func;
        let Read { tree, tokens } = self.perhaps_closure(&call.args[0], "map", Some(1));
        // A module of the user's may be called `array`, too.
        let called = quote_spanned! {span(expression)=>
            ::annulus::__private::witness::same(#function, ::core::array::from_fn)(#tokens)
        };
        let (ty, tokens) = self.witnessed(expression, &called);
        let kind = ExpressionKind::Function { ty, function: name, arguments: vec![tree], witness: ty };
        node(expression, kind, tokens)
    }

    /// `receiver.unwrap_or_default()`.
    fn or_default(&mut self, expression: &Expr, call: &ExprMethodCall) -> Read {
        let (receiver, receiver_tokens) = self.boxed(&call.receiver);
        let (witness, name) = self.default_witness(expression);
        let method = &call.method;
        let tokens = quote_spanned! {span(expression)=>
            ::annulus::__private::witness::see(&#name, #receiver_tokens.#method())
        };
        let Read { tree: default, .. } = node(
            expression,
            ExpressionKind::Constant { name: "default".to_owned(), witness },
            TokenStream::new(),
        );
        let method = "unwrap_or".to_owned();
        let kind = ExpressionKind::Method { receiver, method, arguments: vec![default], witness: None };
        node(expression, kind, tokens)
    }

    /// `(a..b).contains(&value)`.
    fn range_contains(&mut self, expression: &Expr, range: &syn::ExprRange, argument: &Expr) -> Read {
        let Read { tree: receiver, tokens: receiver_tokens } = self.range(range);
        let Read { tree, tokens } = self.expression(argument);
        let kind = ExpressionKind::Method {
            receiver: Box::new(receiver),
            method: "contains".to_owned(),
            arguments: vec![tree],
            witness: None,
        };
        node(expression, kind, quote_spanned!(span(expression)=> #receiver_tokens.contains(#tokens)))
    }

    /// `value.try_into()`: `T::try_from(value)`, of the type that rustc infers.
    fn tried(&mut self, expression: &Expr, call: &ExprMethodCall) -> Read {
        let Read { tree, tokens } = self.expression(&call.receiver);
        // The type of its error is none of a device's, so no witness sees it.
        let witness = self.witness(Source::Inferred(span(expression)));
        let mut name = super::witness(witness);
        name.set_span(span(expression));
        let method = &call.method;
        let tokens = quote_spanned! {span(expression)=>
            ::annulus::__private::witness::tried(&#name, #tokens.#method())
        };
        let function = "try_from".to_owned();
        let kind = ExpressionKind::Function { ty: witness, function, arguments: vec![tree], witness };
        node(expression, kind, tokens)
    }

    /// A witness of a type that rustc infers, whose value is the type's `Default`.
    fn default_witness(&mut self, place: &Expr) -> (annulus_tree::WitnessId, proc_macro2::Ident) {
        let id = self.witness(Source::Default(span(place)));
        let mut name = super::witness(id);
        name.set_span(span(place));
        (id, name)
    }

    /// A witness around a call that makes a value of a tuple struct or a variant, and is no function of the
    /// user's: only the former are patterns.
    fn constructed(
        &mut self,
        expression: &Expr,
        function: &ExprPath,
        made: &TokenStream,
    ) -> (annulus_tree::WitnessId, TokenStream) {
        let first = self.first_named(&function.path, span(expression));
        let id = self.witness(Source::Inferred(first.unwrap_or_else(|| span(expression))));
        let mut name = super::witness(id);
        name.set_span(first.unwrap_or_else(|| span(expression)));
        let made_by = format_ident!("{}", if first.is_some() { "made_before" } else { "made" });
        let tokens = quote_spanned! {span(expression)=>
            ::annulus::__private::witness::#made_by(&#name, #made, |__annulus_made| match *__annulus_made { #function(..) => true, _ => false })
        };
        (id, tokens)
    }

    /// The argument of `expect`, which the tree has not.
    fn text(
        &mut self,
        arguments: &Punctuated<Expr, Comma>,
    ) -> (Vec<annulus_tree::Expression>, Vec<TokenStream>) {
        for argument in arguments {
            if !matches!(bare(argument), Expr::Lit(literal) if matches!(literal.lit, syn::Lit::Str(_))) {
                self.errors.at(argument, "a device has no text: write the words here, `expect(\"…\")`");
            }
        }
        (Vec::new(), arguments.iter().map(ToTokens::to_token_stream).collect())
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
    type_of_path(&function.path)
}

/// Whether this is `Maybe::from`, the type without its parameter.
fn is_bare_maybe(function: &ExprPath) -> bool {
    let ty = function.path.segments.iter().nth_back(1);
    ty.is_some_and(|ty| ty.ident == "Maybe" && ty.arguments.is_none())
}

const PRIMITIVES: [&str; 15] = [
    "bool", "i8", "i16", "i32", "i64", "isize", "u8", "u16", "u32", "u64", "u128", "i128", "usize", "f32",
    "f64",
];

pub(super) fn is_primitive(ty: &TokenStream) -> bool {
    PRIMITIVES.contains(&ty.to_string().as_str())
}

/// Whether it is an array's type, `[T; N]`.
fn is_array(ty: &TokenStream) -> bool {
    let first = ty.clone().into_iter().next();
    matches!(first, Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Bracket)
}

fn type_of_path(path: &Path) -> Option<TokenStream> {
    let holder = before_last(path)?;
    if !holder.starts_with(char::is_uppercase) && !PRIMITIVES.contains(&holder.as_str()) {
        return None;
    }
    let segments = path.segments.iter().take(path.segments.len() - 1);
    let leading = &path.leading_colon;
    Some(quote!(#leading #(#segments)::*))
}

/// What to write instead of a function that only the host has, if its path tells.
fn host_function(path: &Path, name: &str) -> Option<&'static str> {
    let holder = before_last(path).unwrap_or_default();
    let rooted = ["std", "core", "alloc"].iter().any(|root| path.segments[0].ident == root);
    Some(match (holder.as_str(), name) {
        ("Vec" | "VecDeque", _) => "a device has no heap: write an array, `[value; N]`, and a length",
        ("Box" | "Rc" | "Arc", _) => "a device has no heap: hold the value itself",
        ("HashMap" | "BTreeMap" | "HashSet" | "BTreeSet", _) => {
            "a device has no heap: search an array, or bind a table and index it"
        }
        ("Topic", "of") => {
            "a device has no text: write `const NAME: Topic = Topic::of(\"…\");` outside of the handler, or take the topic \
             from the message"
        }
        ("String", _) => "a device has no text: send a number and let the host find the words",
        ("RefCell" | "Mutex" | "RwLock", _) => {
            "a handler changes its state through `&mut S`; what kernels share is `&[AtomicU32]`"
        }
        ("thread", "sleep" | "spawn" | "yield_now" | "scope") => {
            "a handler never waits: send what should happen later as a message"
        }
        ("process", "exit" | "abort") => "fail the message: `panic!()`, or return an `Err`",
        ("mem", "transmute") => "write `to_bits`, `from_bits`, `to_le_bytes` or `from_le_bytes`",
        ("mem", "size_of" | "align_of" | "size_of_val") | ("", "size_of" | "align_of" | "size_of_val") => {
            "write a constant beside the handler: `const SIZE: usize = size_of::<T>();`"
        }
        ("mem", "drop" | "forget") | ("", "drop") => "values of a device need no end: leave it out",
        ("ptr", _) if rooted => "a device runs safe Rust only: write an index (`u32`) instead of an address",
        ("Instant" | "SystemTime", "now") => {
            "write `cx.now()`, with `cx: &Cx` as the first parameter; or let the host send the time in the message"
        }
        _ if rooted && type_of_path(path).is_none() && !["min", "max"].contains(&name) => {
            "what a handler calls is its own: write a function with `#[device_fn]`, or keep the handler on the host with \
             `#[ring_kernel(cpu_only)]`"
        }
        _ => return None,
    })
}

/// What to write instead of a method of the standard library that devices have not; `None` if the method may
/// be the user's.
fn unknown_method(call: &ExprMethodCall, method: &str) -> Option<String> {
    let takes_closure = call.args.iter().any(|argument| matches!(bare(argument), Expr::Closure(_)));
    let instead = match method {
        "iter" | "iter_mut" | "into_iter" | "windows" | "chunks" | "chunks_exact" => {
            return Some(
                "an iterator is no value of a device: a `for` runs over it, or `sum`, `any` and their kin use it up: write \
                 `for item in …`"
                    .to_owned(),
            );
        }
        "sort_unstable_by" | "sort_unstable_by_key" => {
            "it may put equal elements in any order, so backends could differ: write `sort_by` or `sort_by_key`, which keep it"
        }
        "sort_by_cached_key" => "a device has no heap: write `sort_by_key`",
        "try_fold" | "try_for_each" | "reduce" | "partition" if takes_closure => "write it as a `for`",
        _ if takes_closure => "write a `match`, `if let … { … } else { … }`, or a `for`",
        "to_string" | "as_str" => "a device has no text: send a number",
        "to_vec" => "a device has no heap: write an array, `[value; N]`",
        "borrow" | "borrow_mut" => "write `&value` or `&mut value`",
        "parse" => "a device has no text: send a number",
        "as_ptr" | "as_mut_ptr" => "write an index (`u32`) instead of an address",
        "swap_with_slice" => "write it as a loop over the indices",
        "collect" => "a device has no heap: write into an array, with a `for`",
        _ => return None,
    };
    Some(format!("a device has no method `{method}`: {instead}"))
}
