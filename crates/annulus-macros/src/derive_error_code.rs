//! `#[derive(ErrorCode)]`: names for the codes of a handler's failures.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{
    Attribute, Data, DeriveInput, Expr, ExprLit, Fields, Lit, Meta, Variant, ext::IdentExt,
    punctuated::Punctuated, token::Comma,
};

use crate::errors::Errors;

pub(crate) fn derive(input: &DeriveInput) -> syn::Result<TokenStream> {
    let variants = variants(input)?;
    let name = &input.ident;
    let idents = variants.iter().map(|variant| &variant.ident);
    let entries = variants.iter().map(|variant| {
        let (ident, shown) = (&variant.ident, variant.ident.unraw().to_string());
        let meaning = meaning(&variant.attrs);
        quote! {
            ::annulus::__private::ErrorName {
                code: ::annulus::__private::error_code(Self::#ident as ::core::primitive::i128),
                name: #shown,
                meaning: #meaning,
            }
        }
    });
    let quiet = crate::types::quiet();
    // Of `From` there is no way to be quiet.
    let failure = match &quiet {
        Some(_) => quote! {
            #[automatically_derived]
            #[allow(clippy::from_over_into)]
            impl ::core::convert::Into<::annulus::__private::Failure> for #name {
                #[inline]
                fn into(self) -> ::annulus::__private::Failure {
                    ::annulus::__private::Failure::of(::annulus::__private::error_code(self as ::core::primitive::i128))
                }
            }
        },
        None => quote! {
            #[automatically_derived]
            impl ::core::convert::From<#name> for ::annulus::__private::Failure {
                #[inline]
                fn from(error: #name) -> Self {
                    Self::of(::annulus::__private::error_code(error as ::core::primitive::i128))
                }
            }
        },
    };
    Ok(quote! {
        #quiet
        #[automatically_derived]
        #[allow(deprecated)]
        impl ::annulus::__private::ErrorCode for #name {
            const NAMES: &'static [::annulus::__private::ErrorName] = &[#(#entries),*];
            const VARIANTS: &'static [Self] = &[#(Self::#idents),*];
        }
        // Checks the codes, whether anybody asks for the names or not.
        const _: &[::annulus::__private::ErrorName] = <#name as ::annulus::__private::ErrorCode>::NAMES;
        #failure
        // A handler on a device knows it as the failure that it becomes.
        #quiet
        #[automatically_derived]
        impl ::annulus::__private::Typed for #name {
            fn ty() -> ::annulus::__private::Type {
                ::annulus::__private::Type::Failure
            }

            fn value(&self) -> ::annulus::__private::Value {
                ::annulus::__private::Typed::value(&::core::convert::Into::<::annulus::__private::Failure>::into(*self))
            }
        }
        #quiet
        #[automatically_derived]
        impl ::annulus::__private::Receiver for #name {
            type Target = Self;
            type Side = Self;
        }
        #quiet
        #[automatically_derived]
        impl ::annulus::__private::OwnType for #name {}
    })
}

/// The variants of an enum without fields whose codes are said.
fn variants(input: &DeriveInput) -> syn::Result<&Punctuated<Variant, Comma>> {
    let Data::Enum(data) = &input.data else {
        let message = "error codes are the variants of an enum: `enum Refusal { Overdrawn = 1 }`";
        return Err(syn::Error::new_spanned(&input.ident, message));
    };
    let mut errors = Errors::default();
    if !input.generics.params.is_empty() {
        errors.at(&input.generics, "an error code has no parameters: leave them out");
    }
    for variant in data.variants.iter().filter(|variant| !matches!(variant.fields, Fields::Unit)) {
        errors.at(
            &variant.fields,
            "an error code has no fields, since nothing but the code leaves a handler: leave them out",
        );
    }
    match data.variants.first() {
        None => errors.at(&input.ident, "an enum of error codes has variants: `Overdrawn = 1`"),
        // Rust would begin with 0, which means success.
        Some(first) if first.discriminant.is_none() && matches!(first.fields, Fields::Unit) => {
            errors.at(&first.ident, format!("say the first code: `{} = 1`", first.ident));
        }
        Some(_) => {}
    }
    errors.finish(&data.variants)
}

/// The first paragraph of the documentation, in one line, without its full stop.
fn meaning(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value().trim().to_owned()),
            _ => None,
        },
        _ => None,
    });
    let paragraph: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
    let text = paragraph.join(" ");
    text.strip_suffix('.').unwrap_or(&text).to_owned()
}
