//! `#[device_type]`: tells the derive of `DeviceType` or `RingMessage` what else is derived, which no derive
//! sees.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, DeriveInput, Path, parse_quote, punctuated::Punctuated, token::Comma};

/// The first word of the `#[device(..)]` by which the derives are told.
pub(crate) const SEEN: &str = "__annulus_derived";

/// Traits whose derives compare the fields in order of declaration.
const COMPARISONS: &[&str] = &["PartialEq", "Eq", "PartialOrd", "Ord"];

/// The type as it was, its derived comparisons named by their full paths and told to the derive.
pub(crate) fn expand(attribute: &TokenStream, item: TokenStream) -> TokenStream {
    let mut input = match syn::parse2::<DeriveInput>(item.clone()) {
        Ok(input) => input,
        Err(_) => {
            let message = "`#[device_type]` stands above the `derive` of a struct or an enum: on a function write `#[device_fn]`, on an \
                           `impl` block `#[device_impl]`";
            let error = syn::Error::new_spanned(&item, message).into_compile_error();
            return quote!(#item #error);
        }
    };
    let mut wrong = TokenStream::new();
    let mut refuse = |tokens: &dyn ToTokens, message: &str| {
        wrong.extend(syn::Error::new_spanned(tokens, message).into_compile_error());
    };
    if !attribute.is_empty() {
        refuse(attribute, "`#[device_type]` has no words: leave them out");
    }
    let mut names: Vec<String> = Vec::new();
    for attribute in input.attrs.iter_mut().filter(|attribute| attribute.path().is_ident("derive")) {
        let Ok(mut paths) = attribute.parse_args_with(Punctuated::<Path, Comma>::parse_terminated) else {
            continue;
        };
        for path in &mut paths {
            let name = path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
            if let Some(standard) = standard(path) {
                *path = standard;
                names.push(name);
            } else if matches!(name.as_str(), "DeviceType" | "RingMessage") {
                names.push(name);
            }
        }
        rewrite(attribute, &paths);
    }
    if !names.iter().any(|name| name == "DeviceType" || name == "RingMessage") {
        let message = "`#[device_type]` says which comparisons of a device's type are derived: write it above \
                       `#[derive(DeviceType, …)]` or `#[derive(RingMessage, …)]`";
        refuse(&input.ident, message);
        return quote!(#input #wrong);
    }
    let seen = quote::format_ident!("{SEEN}");
    let names = names
        .iter()
        .filter(|name| COMPARISONS.contains(&name.as_str()))
        .map(|name| quote::format_ident!("{name}"));
    input.attrs.push(parse_quote!(#[device(#seen #(, #names)*)]));
    quote!(#input #wrong)
}

/// The full path of a comparison's trait, if this is its name or a path of the standard library's: a name may
/// also mean another derive, which then is not used.
fn standard(path: &Path) -> Option<Path> {
    let last = path.segments.last()?;
    let known = COMPARISONS.iter().any(|name| last.ident == name);
    let rooted =
        path.segments.len() == 1 || ["std", "core"].iter().any(|root| path.segments[0].ident == root);
    let name = &last.ident;
    (known && rooted).then(|| parse_quote!(::core::cmp::#name))
}

fn rewrite(attribute: &mut Attribute, paths: &Punctuated<Path, Comma>) {
    if let syn::Meta::List(list) = &mut attribute.meta {
        list.tokens = paths.to_token_stream();
    }
}
