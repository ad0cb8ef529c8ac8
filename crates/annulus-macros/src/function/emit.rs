//! What stands beside a function: a type of its name that carries it as data.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::{Attribute, FnArg, GenericParam, Generics, ItemFn, Type, TypeParam, ext::IdentExt, parse_quote};

use super::signature;
use crate::body;

/// The companion of a free function.
pub(super) fn companion(function: &ItemFn) -> TokenStream {
    let name = &function.sig.ident;
    let visibility = &function.vis;
    let cfgs: Vec<_> = cfgs(&function.attrs).collect();
    let shown = name.unraw().to_string();
    let read = signature::read(&function.sig, &function.block, Some(body::This::Free(shown.clone())));
    let tree = tree(&shown, &function.sig.generics, &name, read);
    let declared = without_bounds(&function.sig.generics);
    let marks = function.sig.generics.params.iter().filter_map(|parameter| match parameter {
        GenericParam::Type(TypeParam { ident, .. }) => Some(ident),
        _ => None,
    });
    let generics = instances(&function.sig.generics);
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    // Held to no more than the user says: what devices do not know is told once, by the implementation below.
    let (own_generics, _, own_where_clause) = function.sig.generics.split_for_impl();
    let inputs = function.sig.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(input) => Some(&input.ty),
        FnArg::Receiver(_) => None,
    });
    let output = &function.sig.output;
    let allowed = body::allowed();
    quote! {
        #(#cfgs)*
        #[doc(hidden)]
        #[allow(non_camel_case_types, dead_code, unreachable_pub)]
        #visibility struct #name #declared {
            __annulus_instance: ::core::marker::PhantomData<fn() -> (#(#marks,)*)>,
        }

        #(#cfgs)*
        #[allow(dead_code, deprecated, unreachable_pub, private_interfaces, private_bounds, clippy::type_complexity)]
        impl #own_generics #name #ty_generics #own_where_clause {
            /// The function; the witness sees which it is.
            #[doc(hidden)]
            pub fn __annulus_function(
                _: &::annulus::__private::witness::Witness<Self>,
            ) -> ::annulus::__private::witness::Handed<fn(#(#inputs),*) #output> {
                ::annulus::__private::witness::Handed::new()
            }
        }

        #(#cfgs)*
        impl #impl_generics ::annulus::__private::DeviceFunction for #name #ty_generics #where_clause {
            #allowed
            fn tree() -> ::annulus::__private::FunctionTree {
                #tree
            }
        }
    }
}

pub(super) fn cfgs(attributes: &[Attribute]) -> impl Iterator<Item = &Attribute> {
    attributes.iter().filter(|attribute| attribute.path().is_ident("cfg"))
}

/// The body of a `tree()`: the function as data, or the errors.
pub(super) fn tree(
    shown: &str,
    generics: &Generics,
    place: &impl ToTokens,
    function: syn::Result<signature::Function>,
) -> TokenStream {
    let function = match function {
        Ok(function) => function,
        Err(errors) => {
            let errors = errors.into_compile_error();
            return quote!(#errors ::core::unreachable!());
        }
    };
    let signature::Function { statements, tree } = function;
    let span = place
        .to_token_stream()
        .into_iter()
        .next()
        .map_or_else(proc_macro2::Span::call_site, |token| token.span());
    let line = quote_spanned!(span=> ::core::line!());
    let arguments = generics.params.iter().filter_map(|parameter| match parameter {
        GenericParam::Type(parameter) => {
            let ident = &parameter.ident;
            Some(quote!(::std::string::String::from(::core::any::type_name::<#ident>())))
        }
        GenericParam::Const(parameter) => {
            let ident = &parameter.ident;
            Some(quote!(::std::string::ToString::to_string(&#ident)))
        }
        GenericParam::Lifetime(_) => None,
    });
    quote! {
        #statements
        ::annulus::__private::FunctionTree {
            name: #shown,
            generics: ::std::vec![#(#arguments),*],
            file: ::core::file!(),
            line: #line,
            tree: #tree,
        }
    }
}

/// The generics with each type parameter held to what devices know.
pub(super) fn instances(generics: &Generics) -> Generics {
    let mut generics = generics.clone();
    for parameter in &mut generics.params {
        if let GenericParam::Type(parameter) = parameter {
            parameter.bounds.push(parse_quote!(::annulus::__private::Instance));
        }
    }
    generics
}

/// The generics of a type that holds nothing of them.
fn without_bounds(generics: &Generics) -> Generics {
    let mut generics = generics.clone();
    generics.where_clause = None;
    for parameter in &mut generics.params {
        match parameter {
            GenericParam::Type(parameter) => {
                parameter.colon_token = None;
                parameter.bounds.clear();
                parameter.default = None;
            }
            GenericParam::Const(parameter) => parameter.default = None,
            GenericParam::Lifetime(_) => {}
        }
    }
    generics
}

/// The last word of a type, for a function's name: the `Stats` of `crate::Stats<f32>`.
pub(super) fn word_of(ty: &Type) -> String {
    crate::types::last_segment(ty)
        .map_or_else(|| "own".to_owned(), |segment| segment.ident.unraw().to_string())
}
