//! `cx.shared::<T, N>()`: an array that the threads of a block share.

use annulus_tree::ExpressionKind;
use quote::{quote, quote_spanned};
use syn::{Expr, ExprMethodCall, GenericArgument};

use super::{Read, Reader, node, span};

impl Reader {
    /// The array's type is the witness `[T; N]`, from what is written.
    pub(super) fn shared_array(&mut self, expression: &Expr, call: &ExprMethodCall) -> Read {
        let parameters: Vec<_> =
            call.turbofish.as_ref().map(|turbofish| turbofish.args.iter().collect()).unwrap_or_default();
        let [GenericArgument::Type(element), len] = parameters.as_slice() else {
            let message = "say of what it is and how long: `cx.shared::<f32, 256>()`";
            return self.refuse(&call.method, message);
        };
        self.known_type(element);
        // An underscore is known only to rustc, and the witness comes first.
        let len = match len {
            GenericArgument::Const(len) => quote!(#len),
            // A constant's name looks like a type.
            GenericArgument::Type(len) => quote!({ #len }),
            other => return self.refuse(*other, "say how long it is: `cx.shared::<f32, 256>()`"),
        };
        let witness = self.written(&quote!([#element; #len]));
        let (receiver, receiver_tokens) = self.boxed(&call.receiver);
        let (name, turbofish) = (&call.method, &call.turbofish);
        let tokens = quote_spanned!(span(expression)=> #receiver_tokens.#name #turbofish());
        let kind = ExpressionKind::Method {
            receiver,
            method: "shared".to_owned(),
            arguments: Vec::new(),
            witness: Some(witness),
        };
        node(expression, kind, tokens)
    }
}
