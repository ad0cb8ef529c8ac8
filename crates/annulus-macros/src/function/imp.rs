//! `#[device_impl]`: the functions of an `impl` block.

use annulus_tree::names;
use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, quote};
use syn::{GenericParam, ImplItem, ImplItemFn, ItemImpl, ext::IdentExt};

use super::{
    allowed,
    emit::{cfgs, instances, tree, word_of},
    no_words, signature,
};
use crate::body;

/// The word before a function of the block that stays on the host.
const CPU_ONLY: &str = "cpu_only";

/// The block as it was, and an implementation for each of its functions that carries it as data.
pub(crate) fn expand(attribute: &TokenStream, item: TokenStream) -> TokenStream {
    let mut block = match syn::parse2::<ItemImpl>(item.clone()) {
        Ok(block) => block,
        Err(error) => {
            let error = not_an_impl(&item).unwrap_or(error).into_compile_error();
            return quote!(#item #error);
        }
    };
    let words = no_words("device_impl", attribute).err().map(syn::Error::into_compile_error);
    let mut companions = Vec::new();
    for item in &mut block.items {
        let ImplItem::Fn(function) = item else { continue };
        let before = function.attrs.len();
        function.attrs.retain(|attribute| !attribute.path().is_ident(CPU_ONLY));
        if function.attrs.len() == before {
            companions.push((function.clone(), cfgs(&function.attrs).cloned().collect::<Vec<_>>()));
        }
    }
    let companions = companions.iter().map(|(function, cfgs)| companion(&block, function, cfgs));
    let allowed = allowed();
    quote! {
        #allowed
        #block
        #words
        #(#companions)*
    }
}

fn not_an_impl(item: &TokenStream) -> Option<syn::Error> {
    let item = syn::parse2::<syn::Item>(item.clone()).ok()?;
    let message = match item {
        syn::Item::Fn(_) => {
            "`#[device_impl]` stands on an `impl` block: on a free function write `#[device_fn]`"
        }
        _ => "`#[device_impl]` stands on an `impl` block",
    };
    Some(syn::Error::new_spanned(item, message))
}

fn companion(block: &ItemImpl, function: &ImplItemFn, cfgs: &[syn::Attribute]) -> TokenStream {
    let name = &function.sig.ident;
    let ty = &block.self_ty;
    let shown = format!("{}::{}", word_of(ty), name.unraw());
    let block_cfgs = self::cfgs(&block.attrs);
    let number = Literal::u128_suffixed(names::number(&name.unraw().to_string()));
    let read = match own_generics(function) {
        Some(error) => Err(error),
        None => {
            signature::check(&function.sig).and_then(|()| signature::read(&function.sig, &function.block))
        }
    };
    let tree = tree(&shown, &block.generics, name, read);
    let generics = instances(&block.generics);
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let allowed = body::allowed();
    quote! {
        #(#block_cfgs)*
        #(#cfgs)*
        #[automatically_derived]
        impl #impl_generics ::annulus::__private::DeviceMethod<#number> for #ty #where_clause {
            #allowed
            fn tree() -> ::annulus::__private::FunctionTree {
                #tree
            }
        }
    }
}

/// The refusal of a function's own generic parameters, of which its name alone does not tell.
fn own_generics(function: &ImplItemFn) -> Option<syn::Error> {
    let generic = function
        .sig
        .generics
        .params
        .iter()
        .find(|parameter| !matches!(parameter, GenericParam::Lifetime(_)))?;
    let message = "a device knows the parameters of the type, and none of its functions' own: write a free function with \
                   `#[device_fn]`, or write `#[cpu_only]` before this one";
    Some(syn::Error::new_spanned(generic.to_token_stream(), message))
}
