//! `#[device_fn]` and `#[device_impl]`: functions that handlers call on devices.

mod device_trait;
mod emit;
mod imp;
mod signature;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{GenericParam, ItemFn};

pub(crate) use device_trait::expand as expand_trait;
pub(crate) use imp::expand as expand_impl;

/// The word before a function of the block that stays on the host.
const CPU_ONLY: &str = "cpu_only";

/// What a function is allowed because a device has only this.
fn allowed() -> TokenStream {
    quote! {
        #[allow(
            clippy::manual_memcpy,
            clippy::missing_const_for_fn,
            clippy::needless_range_loop,
            clippy::trivially_copy_pass_by_ref
        )]
    }
}

/// The attributes have no words.
fn no_words(name: &str, attribute: &TokenStream) -> syn::Result<()> {
    if attribute.is_empty() {
        return Ok(());
    }
    Err(syn::Error::new_spanned(attribute, format!("`#[{name}]` has no words: leave them out")))
}

/// The refusal of a function's own generic parameters, of which its name alone does not tell.
fn own_generics(signature: &syn::Signature) -> Option<syn::Error> {
    let generic =
        signature.generics.params.iter().find(|parameter| !matches!(parameter, GenericParam::Lifetime(_)))?;
    let message = "a device knows the parameters of the type, and none of its functions' own: write a free function with \
                   `#[device_fn]`, or write `#[cpu_only]` before this one";
    Some(syn::Error::new_spanned(generic.to_token_stream(), message))
}

/// The function as it was, and its companion beside it. If something is wrong the companion is there all the
/// same, so that callers are not blamed too.
pub(crate) fn expand(attribute: &TokenStream, item: TokenStream) -> TokenStream {
    let function = match syn::parse2::<ItemFn>(item.clone()) {
        Ok(function) => function,
        Err(error) => {
            let error = not_a_function(&item).unwrap_or(error).into_compile_error();
            return quote!(#item #error);
        }
    };
    let words = no_words("device_fn", attribute).err().map(syn::Error::into_compile_error);
    let allowed = allowed();
    let companion = match signature::check(&function.sig) {
        Ok(()) => emit::companion(&function),
        Err(errors) => errors.into_compile_error(),
    };
    quote! {
        #allowed
        #item
        #words
        #companion
    }
}

/// A plain word about an item that is no function.
fn not_a_function(item: &TokenStream) -> Option<syn::Error> {
    let item = syn::parse2::<syn::Item>(item.clone()).ok()?;
    let message = match item {
        syn::Item::Impl(_) => {
            "`#[device_fn]` stands on a free function: on an `impl` block write `#[device_impl]`"
        }
        _ => "`#[device_fn]` stands on a function",
    };
    Some(syn::Error::new_spanned(item, message))
}
