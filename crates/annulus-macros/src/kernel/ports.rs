//! Several outboxes of one handler: an enum that is what any of them sends, and a constant for each.

use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{Attribute, Ident, ItemFn, Type, ext::IdentExt, parse_quote, spanned::Spanned};

use super::{
    attribute::Options,
    signature::{Handler, constant},
};

/// The name of the enum.
fn enum_name(function: &ItemFn) -> Ident {
    format_ident!("outputs_of_{}", function.sig.ident.unraw())
}

/// The kernel's output type.
pub(super) fn output_type(function: &ItemFn, handler: &Handler) -> TokenStream {
    if handler.has_ports() {
        let name = enum_name(function);
        return quote!(#name);
    }
    handler.output().map_or_else(|| quote!(::annulus::__private::NoOutput), |ty| quote!(#ty))
}

/// The enum, for a handler of several outboxes. Each variant has the name of its outbox.
pub(super) fn output(function: &ItemFn, handler: &Handler, cfgs: &[&Attribute]) -> TokenStream {
    if !handler.has_ports() {
        return TokenStream::new();
    }
    let (name, visibility) = (enum_name(function), &function.vis);
    let (names, types): (Vec<_>, Vec<_>) = handler.ports().into_iter().unzip();
    let title = format!("What the outboxes of `{}` send.", function.sig.ident.unraw());
    let item: syn::DeriveInput = parse_quote! {
        #[doc(hidden)]
        #[doc = #title]
        #[derive(::core::clone::Clone, ::core::marker::Copy)]
        #[allow(non_camel_case_types, dead_code, deprecated, unreachable_pub)]
        #[repr(u64)]
        #visibility enum #name { #(#names(#types)),* }
    };
    let derived = crate::derive_message::derive(&item).unwrap_or_else(|error| error.into_compile_error());
    // A message need not be `Debug`; whether it is, only the compiler knows.
    let texts = names.iter().map(|name| name.unraw().to_string());
    let shown = quote! {
        #[automatically_derived]
        impl ::core::fmt::Debug for #name {
            fn fmt(&self, __annulus_f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                #[allow(unused_imports)]
                use ::annulus::__private::NotShown as _;
                let (__annulus_name, __annulus_output) = match self {
                    #(Self::#names(__annulus_output) => {
                        (#texts, ::annulus::__private::Shown(__annulus_output).shown())
                    })*
                };
                __annulus_f.debug_tuple(__annulus_name).field(__annulus_output).finish()
            }
        }
    };
    quote! {
        #(#cfgs)*
        #item
        #(#cfgs)*
        const _: () = { #derived #shown };
    }
}

/// The definitions, of a handler with several.
pub(super) fn definitions(options: &Options, handler: &Handler) -> Vec<TokenStream> {
    let definition = |(number, (name, ty)): (usize, &(&Ident, &Type))| {
        let (number, outputs) = (Literal::usize_unsuffixed(number), options.max_outputs_of(name));
        if let Some((_, query, awaited)) = handler.ask().filter(|(ask, ..)| ask == name) {
            let name = name.unraw().to_string();
            return quote_spanned! {awaited.span()=>
                ::annulus::__private::KernelDefinition::ask_of::<Self, #query, #awaited>(#number, #name, #outputs)
            };
        }
        let is_reply = handler.reply().is_some_and(|(reply, _)| reply == *name);
        let make = Ident::new(if is_reply { "reply_of" } else { "port_of" }, ty.span());
        let name = name.unraw().to_string();
        quote_spanned! {ty.span()=>
            ::annulus::__private::KernelDefinition::#make::<Self, #ty>(#number, #name, #outputs)
        }
    };
    handler.ports().iter().enumerate().map(definition).collect()
}

/// The constants by which a program names the outboxes of a launched kernel.
pub(super) fn constants(function: &ItemFn, handler: &Handler) -> TokenStream {
    let visibility = &function.vis;
    let constants = handler.ports().into_iter().enumerate().map(|(number, (name, ty))| {
        let number = Literal::usize_unsuffixed(number);
        let title = format!("The outbox `{}`.", name.unraw());
        let constant = Ident::new(&constant(name), name.span());
        // SAFETY of the emitted code: the definition beside it has the outbox at this number, with this type.
        quote! {
            #[doc = #title]
            #visibility const #constant: ::annulus::__private::PortName<Self, #ty> =
                unsafe { ::annulus::__private::PortName::new(#number) };
        }
    });
    quote!(#(#constants)*)
}

/// What the handler gets for its outbox of this number.
pub(super) fn argument(kernel: &Ident, number: usize, ty: &Type) -> TokenStream {
    let number = Literal::usize_unsuffixed(number);
    quote! {
        &*unsafe {
            __annulus_call.port::<#ty>(
                &<#kernel as ::annulus::__private::RingKernel>::DEFINITION.ports[#number],
            )
        }
    }
}

/// What it gets for its ask of this number.
pub(super) fn ask_argument(kernel: &Ident, number: usize, query: &Type, awaited: &Type) -> TokenStream {
    let number = Literal::usize_unsuffixed(number);
    quote! {
        &unsafe {
            __annulus_call.ask::<#query, #awaited>(
                &<#kernel as ::annulus::__private::RingKernel>::DEFINITION.ports[#number],
            )
        }
    }
}

/// An outbox whose outputs say themselves where they go has no others beside it: it is connected in a way that several
/// outboxes are not. Only the compiler knows of the type.
pub(super) fn stand_alone(handler: &Handler, cfgs: &[&Attribute]) -> TokenStream {
    let reason = "outputs that say themselves where they go, by an address, a topic or a row, are sent by the handler's only \
                  outbox: send the rest as another variant of the same message, or let a second kernel send it";
    let assertion = |(_, ty): (&Ident, &Type)| {
        // From the first token to the last: the compiler then underlines the whole type.
        let tokens = ty.to_token_stream().into_iter();
        let (first, last) = (ty.span(), tokens.last().map_or(ty.span(), |token| token.span()));
        let assertion = quote_spanned!(first=> ::core::assert!);
        let condition = quote_spanned! {last=>
            ({
                #[allow(unused_imports)]
                use ::annulus::__private::OneWay as _;
                !::annulus::__private::WayOf::<#ty>::IS_SAID
            }, #reason)
        };
        quote! {
            #(#cfgs)*
            const _: () = #assertion #condition;
        }
    };
    handler.ports().into_iter().map(assertion).collect()
}
