//! Calls of functions of the user's: `#[device_fn]`s by their paths, functions of a `#[device_impl]` by their
//! types.

use annulus_tree::{Expression, ExpressionKind, names};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote_spanned};
use syn::{Expr, ExprCall, ExprMethodCall, ExprPath, ext::IdentExt, spanned::Spanned};

use super::{Callee, Read, Reader, This, expression::bare, node, pattern, span};

impl Reader {
    /// Refuses a call of the function that is being read, as far as its name tells.
    fn check_recursion(&mut self, place: &(impl ToTokens + 'static), called: Called<'_>) {
        let recursive = match (&self.this, called) {
            (Some(This::Free(this)), Called::Path(path)) => {
                path.get_ident().is_some_and(|name| name.unraw() == this.as_str())
            }
            (Some(This::Method(this)), Called::Path(path)) => {
                let words: Vec<_> = path.segments.iter().collect();
                matches!(&words[..], [ty, name] if ty.ident == "Self" && name.ident.unraw() == this.as_str())
            }
            (Some(This::Method(this)), Called::Method(call)) => {
                let of_self = matches!(bare(&call.receiver), Expr::Path(path) if path.path.is_ident("self"));
                of_self && call.method.unraw() == this.as_str()
            }
            _ => false,
        };
        if recursive {
            self.errors.at(place, "a device function does not call itself, since a device has no stack that could grow: write a loop");
        }
    }

    /// `path(arguments)`. The companion of the path's name, which rustc infers, is asked for a pointer to the
    /// function.
    pub(super) fn own_function(&mut self, expression: &Expr, call: &ExprCall, function: &ExprPath) -> Read {
        if let Some(variable) = function.path.get_ident()
            && {
                let name = self.variable(variable);
                self.scopes.has(&name)
            }
        {
            let message = "a device calls functions, and no variables: write a function with `#[device_fn]`";
            return self.refuse(function, message);
        }
        self.check_recursion(function, Called::Path(&function.path));
        let (id, callee) = self.callee(Callee::Function(span(function)));
        let (arguments, tokens) = self.arguments(&call.args);
        // The function is called where it is named, as in the body itself: what is wrong with its name is
        // then said once.
        let inputs: Vec<_> = (0..tokens.len())
            .map(|index| format_ident!("input_{index}", span = Span::mixed_site()))
            .collect();
        let called = quote_spanned!(function.span()=> |#(#inputs),*| #function(#(#inputs),*));
        let companion = match imported(&function.path) {
            Some(path) => {
                let arguments = function.path.segments.last().map(|last| &last.arguments);
                // Then an import of the name finds something, whether there is a function or not.
                let word = function
                    .path
                    .get_ident()
                    .map(|name| quote_spanned!(name.span()=> macro_rules! #name { () => {} }));
                quote_spanned! {function.span()=>
                    ::annulus::__private::witness::handed(
                        {
                            // A function without a companion is imported all the same, and then the name
                            // means what the other import brings.
                            use ::annulus::__private::witness::without_companion::*;
                            #word
                            use #path as __AnnulusCompanion;
                            __AnnulusCompanion #arguments::__annulus_function(&#callee)
                        },
                        #called
                    )
                }
            }
            None => quote_spanned! {function.span()=>
                ::annulus::__private::witness::handed(#function::__annulus_function(&#callee), #called)
            },
        };
        let tokens = quote_spanned!(span(expression)=> (#companion)(#(#tokens),*));
        node(expression, ExpressionKind::Call { function: id, arguments }, tokens)
    }

    /// `T::name(arguments)`, of a name that no type of the language has.
    pub(super) fn own_associated(
        &mut self,
        expression: &Expr,
        call: &ExprCall,
        function: &ExprPath,
        ty: TokenStream,
    ) -> Read {
        self.check_recursion(function, Called::Path(&function.path));
        let name = pattern::last_name(&function.path);
        let place = function.path.segments.last().map_or_else(|| span(function), span);
        let (id, _) = self.callee(Callee::Method { name, ty: Some(ty), place, maybe: false });
        let (arguments, tokens) = self.arguments(&call.args);
        let tokens = quote_spanned!(span(expression)=> #function(#(#tokens),*));
        node(expression, ExpressionKind::Call { function: id, arguments }, tokens)
    }

    /// Of a name that types of the language have too: whose it is, rustc tells.
    pub(super) fn perhaps_associated(&mut self, name: &str, ty: &TokenStream, read: Read) -> Read {
        let callee =
            Callee::Method { name: name.to_owned(), ty: Some(ty.clone()), place: span(ty), maybe: true };
        let (function, _) = self.callee(callee);
        let Read { tree, tokens } = read;
        let line = tree.line;
        Read {
            tree: Expression { line, kind: ExpressionKind::Own { function, otherwise: Box::new(tree) } },
            tokens,
        }
    }

    /// `receiver.name(arguments)`, of a name that no type of the language has.
    pub(super) fn own_method(&mut self, expression: &Expr, call: &ExprMethodCall) -> Read {
        self.check_recursion(&call.method, Called::Method(call));
        let (id, callee) = self.callee(Callee::Method {
            name: call.method.unraw().to_string(),
            ty: None,
            place: span(&call.method),
            maybe: false,
        });
        let Read { tree, tokens: receiver } = self.expression(&call.receiver);
        let (rest, tokens) = self.arguments(&call.args);
        let mut arguments = vec![tree];
        arguments.extend(rest);
        let receiver = seen(&call.receiver, &callee, &receiver);
        let name = &call.method;
        let tokens = quote_spanned!(span(expression)=> #receiver.#name(#(#tokens),*));
        node(expression, ExpressionKind::Call { function: id, arguments }, tokens)
    }

    /// The witness of a receiver whose method may be the user's, or that of a type of the language.
    pub(super) fn perhaps_own(
        &mut self,
        call: &ExprMethodCall,
    ) -> Option<(annulus_tree::FunctionId, proc_macro2::Ident)> {
        let name = call.method.unraw().to_string();
        let standard = match bare(&call.receiver) {
            Expr::MethodCall(receiver) => {
                let before = receiver.method.unraw().to_string();
                names::METHODS.contains(&before.as_str()) && !names::may_be_own(&before)
            }
            Expr::Lit(_) | Expr::Binary(_) | Expr::Cast(_) | Expr::Range(_) => true,
            Expr::Unary(unary) => !matches!(unary.op, syn::UnOp::Deref(_)),
            _ => false,
        };
        (names::may_be_own(&name) && (!standard || names::may_be_own_anywhere(&name)))
            .then(|| self.callee(Callee::Method { name, ty: None, place: span(&call.method), maybe: true }))
    }
}

/// The path as an import has it, so that a function without `#[device_fn]` is found, too. Not of a path whose
/// first word is a type, and not of one whose first word is a crate's of the standard library: there an
/// import could mean another one.
fn imported(path: &syn::Path) -> Option<TokenStream> {
    let rooted = path.segments.first().is_some_and(|first| {
        let name = first.ident.unraw().to_string();
        path.leading_colon.is_none()
            && (path.segments.len() == 1
                || name.starts_with(|c: char| c.is_lowercase() || c == '_')
                    && !["std", "core", "alloc", "annulus"].contains(&name.as_str()))
    });
    let words = path.segments.iter().map(|segment| &segment.ident);
    rooted.then(|| quote_spanned!(path.span()=> #(#words)::*))
}

/// How a function is called.
#[derive(Clone, Copy)]
enum Called<'e> {
    Path(&'e syn::Path),
    Method(&'e ExprMethodCall),
}

/// A receiver whose type a witness sees, through references.
pub(super) fn seen(
    place: &(impl ToTokens + 'static),
    callee: &proc_macro2::Ident,
    receiver: &TokenStream,
) -> TokenStream {
    let mut callee = callee.clone();
    callee.set_span(span(place));
    quote_spanned!(span(place)=> (*::annulus::__private::witness::receiver(&#callee, &#receiver)))
}
