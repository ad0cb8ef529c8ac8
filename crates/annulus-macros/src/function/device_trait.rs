//! `#[device_trait]`: a trait whose functions devices call, of a type that has it and by a type parameter's
//! bound; those with a default, too.
//!
//! Each function has a hidden one beside it, which gives it as data. In an `impl`, `#[device_impl]` writes
//! that too, so that the trait's default and a type's own function are told apart as Rust tells them.

use annulus_tree::names;
use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{
    Attribute, GenericParam, Generics, Ident, ImplItem, ItemImpl, ItemTrait, Signature, TraitItem, TypeParam,
    ext::IdentExt,
};

use super::{
    CPU_ONLY, allowed,
    emit::{cfgs, instances, tree, word_of},
    no_words, own_generics, signature,
};
use crate::body;

/// Traits of the standard library that types of devices have: their functions are known by the type and the
/// name.
const STANDARD: &[&str] = &["AsRef", "Clone", "Default", "Eq", "From", "Into", "Ord", "TryFrom"];

/// Whether a trait's functions are asked of the types that have it, and not of the trait: it is the standard
/// library's, by its name.
pub(super) fn is_standard(path: &syn::Path) -> bool {
    path.segments.last().is_some_and(|last| {
        let is = |name: &str| last.ident == name;
        STANDARD.iter().any(|name| is(name)) || names::OPERATORS.iter().any(|(name, _)| is(name))
    })
}

/// The function that gives another as data. Its name tells what is missing, where rustc misses it.
fn hidden(function: &Ident) -> Ident {
    format_ident!("{}_in_device_trait_and_device_impl", function.unraw(), span = function.span())
}

/// Takes the word for functions of the host away, and says whether it was there.
fn take_cpu_only(attributes: &mut Vec<Attribute>) -> bool {
    let before = attributes.len();
    attributes.retain(|attribute| !attribute.path().is_ident(CPU_ONLY));
    attributes.len() < before
}

/// What gives a function as data, in a trait or an `impl`.
fn companion(
    (holder, generics): (&str, &Generics),
    signature: &Signature,
    block: Option<&syn::Block>,
    attributes: &[Attribute],
    on_host: bool,
) -> TokenStream {
    let name = &signature.ident;
    let hidden = hidden(name);
    let cfgs = cfgs(attributes);
    let shown = format!("{holder}::{}", name.unraw());
    let line = quote_spanned!(name.span()=> ::core::line!());
    let body = if on_host {
        let host = quote!(::annulus::__private::FunctionTree::on_host(#shown, ::core::file!(), #line));
        Some(quote_spanned!(name.span()=> { #host }))
    } else {
        block.map(|block| {
            let read = match own_generics(signature) {
                Some(error) => Err(error),
                None => signature::check(signature).and_then(|()| {
                    let this = body::This::Method(name.unraw().to_string());
                    signature::read(signature, block, Some(this))
                }),
            };
            let tree = tree(&shown, generics, name, read);
            quote_spanned!(name.span()=> { #tree })
        })
    };
    let body = body.unwrap_or_else(|| quote!(;));
    let allowed = body::allowed();
    // All of it stands at the name, where rustc then misses it.
    quote_spanned! {name.span()=>
        #(#cfgs)*
        #[doc(hidden)]
        #allowed
        fn #hidden() -> ::annulus::__private::FunctionTree
        where
            Self: ::core::marker::Sized + ::annulus::__private::Instance
        #body
    }
}

/// `Self`, of which each instance of a function is one.
fn of_self() -> Generics {
    let parameter = TypeParam::from(Ident::new("Self", proc_macro2::Span::call_site()));
    Generics { params: std::iter::once(GenericParam::Type(parameter)).collect(), ..Generics::default() }
}

/// The trait with a hidden function beside each of its own.
pub(crate) fn expand(attribute: &TokenStream, item: TokenStream) -> TokenStream {
    let Ok(mut definition) = syn::parse2::<ItemTrait>(item.clone()) else {
        let message =
            "`#[device_trait]` stands before a trait: before an `impl` block write `#[device_impl]`";
        let error = syn::Error::new_spanned(&item, message).into_compile_error();
        return quote!(#item #error);
    };
    let mut wrong = TokenStream::new();
    if let Err(error) = no_words("device_trait", attribute) {
        wrong.extend(error.into_compile_error());
    }
    if let Some(parameter) = definition.generics.params.first() {
        let message = "a trait of devices has no parameters: write an associated type, or a trait for each";
        let error = syn::Error::new_spanned(parameter, message).into_compile_error();
        return quote!(#item #error #wrong);
    }
    let name = &definition.ident;
    let marker = format_ident!("__AnnulusTrait{}", name.unraw(), span = proc_macro2::Span::mixed_site());
    let mut companions = Vec::new();
    let mut asked = Vec::new();
    let trait_cfgs: Vec<_> = cfgs(&definition.attrs).collect();
    for item in &mut definition.items {
        let TraitItem::Fn(function) = item else { continue };
        let on_host = take_cpu_only(&mut function.attrs);
        let signature = &function.sig;
        // Without a default the function is checked in each `impl`.
        if function.default.is_none()
            && !on_host
            && let Some(error) = own_generics(signature)
        {
            wrong.extend(error.into_compile_error());
        }
        let shown = name.unraw().to_string();
        companions.push(companion(
            (&shown, &of_self()),
            signature,
            function.default.as_ref(),
            &function.attrs,
            on_host,
        ));
        let number = Literal::u128_suffixed(names::number(&signature.ident.unraw().to_string()));
        let (hidden, cfgs) = (hidden(&signature.ident), cfgs(&function.attrs));
        asked.push(quote! {
            #(#trait_cfgs)*
            #(#cfgs)*
            #[automatically_derived]
            #[allow(private_bounds, private_interfaces)]
            impl<__AnnulusSelf: #name + ::annulus::__private::Instance>
                ::annulus::__private::SubjectFunction<#number, #marker>
                for ::annulus::__private::Subject<__AnnulusSelf>
            {
                fn tree() -> ::annulus::__private::FunctionTree {
                    <__AnnulusSelf as #name>::#hidden()
                }
            }
        });
    }
    let (visibility, cfgs, allowed) = (&definition.vis, &trait_cfgs, allowed());
    let stands = quote! {
        #(#cfgs)*
        #[doc(hidden)]
        #[allow(dead_code, unreachable_pub)]
        #visibility struct #marker;
    };
    for companion in companions {
        definition.items.push(TraitItem::Verbatim(companion));
    }
    quote! {
        #allowed
        #definition
        #stands
        #wrong
        #(#asked)*
    }
}

/// An `impl` of such a trait, with what gives each of its functions as data.
pub(super) fn expand_impl(mut block: ItemImpl) -> TokenStream {
    let holder = word_of(&block.self_ty);
    let mut companions = Vec::new();
    for item in &mut block.items {
        let ImplItem::Fn(function) = item else { continue };
        let on_host = take_cpu_only(&mut function.attrs);
        companions.push(companion(
            (&holder, &block.generics),
            &function.sig,
            Some(&function.block),
            &function.attrs,
            on_host,
        ));
    }
    // What the functions compute with, devices know: so must the type's parameters be.
    block.generics = instances(&block.generics);
    block.items.extend(companions.into_iter().map(ImplItem::Verbatim));
    let allowed = allowed();
    quote! {
        #allowed
        #block
    }
}
