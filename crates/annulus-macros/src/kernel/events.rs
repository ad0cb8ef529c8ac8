//! Messages that nobody sends: the kernel's side of `#[ring(tick)]`, `#[ring(start)]` and `#[ring(stop)]`. Only the compiler knows which
//! variants a message has.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Attribute, spanned::Spanned};

use super::{attribute::Options, parameter::Role, signature::Handler};

/// The kernel's timers, as the value of its definition.
pub(super) fn timers(options: &Options, handler: &Handler) -> TokenStream {
    let later = match handler.has_timers() {
        true => {
            let (room, each) = options.timers();
            quote!(::core::option::Option::Some((#room, #each)))
        }
        false => quote!(::core::option::Option::None),
    };
    let period = match options.on_tick() {
        Some((period, _)) => quote!(::core::option::Option::Some(#period)),
        None => quote!(::core::option::Option::None),
    };
    quote!(::annulus::__private::TimersDefinition::of::<Self>(#later, #period))
}

/// What is checked of a direct message: that word and variant are both there, and that one thread handles it.
pub(super) fn assertions(
    name: &Ident,
    options: &Options,
    handler: &Handler,
    cfgs: &[&Attribute],
) -> TokenStream {
    let Some(parameter) = handler
        .parameters
        .iter()
        .find(|parameter| matches!(parameter.role, Role::Message(_) | Role::Inbox(_)))
    else {
        return TokenStream::new();
    };
    let shown = crate::types::text(handler.message());
    // Of the kernel: a message that is none is told once, where the kernel takes it.
    let marks = quote!(::annulus::__private::TimersDefinition::marks::<#name>());
    let (tick, others) = (quote!(#marks.0), quote!(#marks.1));
    let check = |place: proc_macro2::Span, holds: TokenStream, text: String| {
        let assertion = quote_spanned!(place=> ::core::assert!(#holds, #text));
        quote! {
            #(#cfgs)*
            const _: () = #assertion;
        }
    };
    if handler.is_for_blocks() {
        let text = format!(
            "`{shown}` has a variant that nobody sends, and a whole block does not get it yet: make `cx: &Cx` the first \
             parameter, or take a message without `#[ring(tick)]`, `#[ring(start)]` and `#[ring(stop)]`"
        );
        return check(parameter.ty.span(), quote!(!#tick && !#others), text);
    }
    match options.on_tick() {
        Some((_, place)) => {
            let text = format!(
                "no variant of `{shown}` is marked `#[ring(tick)]`: mark the one that comes so often, or leave `on_tick` out"
            );
            check(place.span(), tick, text)
        }
        None => {
            let text = format!(
                "a variant of `{shown}` is marked `#[ring(tick)]`, and nothing says how often it comes: write \
                 `on_tick = \"10 ms\"` in `#[ring_kernel(..)]`, for one"
            );
            check(parameter.ty.span(), quote!(!#tick), text)
        }
    }
}
