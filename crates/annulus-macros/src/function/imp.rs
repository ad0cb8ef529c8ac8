//! `#[device_impl]`: the functions of an `impl` block.

use annulus_tree::names;
use proc_macro2::{Group, Literal, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::{ImplItem, ImplItemFn, ItemImpl, ext::IdentExt};

use super::{
    CPU_ONLY, allowed, device_trait,
    emit::{cfgs, instances, tree, word_of},
    no_words, own_generics, signature,
};
use crate::{body, types::bare};

/// The word for the `impl` of a trait whose definition is not the program's.
const FOREIGN: &str = "foreign";

/// The block as it was, and an implementation for each of its functions that carries it as data.
pub(crate) fn expand(attribute: &TokenStream, item: TokenStream) -> TokenStream {
    let mut block = match syn::parse2::<ItemImpl>(item.clone()) {
        Ok(block) => block,
        Err(error) => {
            let error = not_an_impl(&item).unwrap_or(error).into_compile_error();
            return quote!(#item #error);
        }
    };
    let foreign = attribute.to_string() == FOREIGN;
    let words = if foreign { Ok(()) } else { no_words("device_impl", attribute) };
    let words = words.err().map(|_| {
        let message = "the one word of `#[device_impl(..)]` is `foreign`: for a trait of another crate, which has no `#[device_trait]`";
        syn::Error::new_spanned(attribute, message).into_compile_error()
    });
    if let Some((path, _)) = &block.trait_
        && !foreign
        && !device_trait::is_standard(path)
    {
        let block = device_trait::expand_impl(block);
        return quote!(#block #words);
    }
    // What a diagnostic is to say of the implementations, and not of the block: an inherent one has none.
    let told = block
        .attrs
        .extract_if(.., |attribute| {
            attribute.path().segments.first().is_some_and(|word| word.ident == "diagnostic")
        })
        .collect::<Vec<_>>();
    let mut companions = Vec::new();
    let mut wrong = TokenStream::new();
    for item in &mut block.items {
        let ImplItem::Fn(function) = item else { continue };
        if let Some(error) = overridden(&block.trait_, function) {
            wrong.extend(error.into_compile_error());
        }
        let before = function.attrs.len();
        function.attrs.retain(|attribute| !attribute.path().is_ident(CPU_ONLY));
        if function.attrs.len() == before {
            companions.push((function.clone(), cfgs(&function.attrs).cloned().collect::<Vec<_>>()));
        }
    }
    let outside = associated(&block);
    let companions = companions
        .into_iter()
        .map(|(function, cfgs)| (without_lifetimes(&block, outside(function)), cfgs))
        .collect::<Vec<_>>();
    let companions = companions.iter().map(|(function, cfgs)| companion(&block, function, cfgs, &told));
    let allowed = allowed();
    quote! {
        #allowed
        #block
        #words
        #wrong
        #(#companions)*
    }
}

/// Writes `Self::Output`, and other types of the block's trait, as they are named outside of the block, where
/// its functions stand again.
fn associated(block: &ItemImpl) -> impl Fn(ImplItemFn) -> ImplItemFn {
    let types: Vec<syn::Ident> = block
        .items
        .iter()
        .filter_map(|item| match item {
            ImplItem::Type(ty) => Some(ty.ident.clone()),
            _ => None,
        })
        .collect();
    let path = block.trait_.as_ref().map(|(path, _)| path.to_token_stream());
    move |function| match &path {
        Some(path) if !types.is_empty() => {
            let tokens = qualified(function.to_token_stream(), &types, path);
            syn::parse2(tokens).unwrap_or(function)
        }
        _ => function,
    }
}

/// The tokens with `<Self as Trait>::` before each of the types' names that has `Self::` before it.
fn qualified(tokens: TokenStream, types: &[syn::Ident], path: &TokenStream) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut out = TokenStream::new();
    for (index, token) in tokens.iter().enumerate() {
        let is_colon =
            |at: usize| matches!(tokens.get(at), Some(TokenTree::Punct(colon)) if colon.as_char() == ':');
        match token {
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), qualified(group.stream(), types, path));
                inner.set_span(group.span());
                out.extend([TokenTree::Group(inner)]);
            }
            TokenTree::Ident(word)
                if word == "Self"
                    && is_colon(index + 1)
                    && is_colon(index + 2)
                    && matches!(tokens.get(index + 3), Some(TokenTree::Ident(name)) if types.contains(name)) =>
            {
                out.extend(quote::quote_spanned!(word.span()=> <#word as #path>));
            }
            token => out.extend([token.clone()]),
        }
    }
    out
}

/// The trait's name, if it is one of operators and this is its function, and the type on the right side.
fn operator(block: &ItemImpl, function: &ImplItemFn) -> Option<(&'static str, TokenStream)> {
    let (path, _) = block.trait_.as_ref()?;
    let last = path.segments.last()?;
    let (name, _) =
        names::OPERATORS.iter().find(|(name, of)| last.ident == name && function.sig.ident == of)?;
    let right = match types_of(last).first() {
        Some(right) => side(right),
        None if matches!(*name, "Neg" | "Not") => quote!(()),
        None => side(&block.self_ty),
    };
    Some((name, right))
}

/// A type at the side of an operator: a reference has no lifetime there.
fn side(ty: &syn::Type) -> TokenStream {
    match bare(ty) {
        syn::Type::Reference(reference) => {
            let inner = side(&reference.elem);
            quote!(::annulus::__private::Behind<#inner>)
        }
        // Whose parameter no witness of a side tells.
        ty if crate::types::last_segment(ty).is_some_and(|last| last.ident == "Option") => {
            quote!(<#ty as ::annulus::__private::Receiver>::Side)
        }
        ty => ty.to_token_stream(),
    }
}

/// The function of an operator as its companion has it, in an `impl` of the type itself: without the
/// lifetimes of the block, and where the block is of a reference, with `&Self` for what the block calls
/// `Self`.
fn without_lifetimes(block: &ItemImpl, function: ImplItemFn) -> ImplItemFn {
    let lifetimes: Vec<String> =
        block.generics.lifetimes().map(|lifetime| lifetime.lifetime.ident.to_string()).collect();
    let of_reference = matches!(bare(&block.self_ty), syn::Type::Reference(_));
    if lifetimes.is_empty() && !of_reference {
        return function;
    }
    let tokens = plain(function.to_token_stream(), &lifetimes, of_reference);
    let mut plain = syn::parse2(tokens).unwrap_or(function);
    if of_reference
        && let Some(syn::FnArg::Receiver(receiver)) = plain.sig.inputs.first_mut()
        && matches!(receiver.kind, syn::ReceiverKind::Value)
    {
        let token = receiver.self_token;
        *receiver = syn::parse_quote!(&#token);
    }
    plain
}

fn plain(tokens: TokenStream, lifetimes: &[String], of_reference: bool) -> TokenStream {
    let mut out = TokenStream::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match &token {
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), plain(group.stream(), lifetimes, of_reference));
                inner.set_span(group.span());
                out.extend([TokenTree::Group(inner)]);
            }
            TokenTree::Punct(quote) if quote.as_char() == '\'' => {
                let named = |name: &TokenTree| lifetimes.contains(&name.to_string());
                if tokens.next_if(named).is_none() {
                    out.extend([token]);
                }
            }
            TokenTree::Ident(word) if of_reference && word == "Self" => {
                out.extend(quote::quote_spanned!(word.span()=> &#word));
            }
            _ => out.extend([token]),
        }
    }
    out
}

/// The refusal of another comparison than the one by which a device has all of the trait.
fn overridden(trait_: &Option<(syn::Path, syn::token::For)>, function: &ImplItemFn) -> Option<syn::Error> {
    let last = trait_.as_ref()?.0.segments.last()?;
    let only = match last.ident.to_string().as_str() {
        "PartialEq" => "eq",
        "PartialOrd" => "partial_cmp",
        _ => return None,
    };
    let name = &function.sig.ident;
    (name != only).then(|| {
        let message = format!("a device compares by `{only}` alone: leave `{name}` out");
        syn::Error::new_spanned(name, message)
    })
}

fn types_of(segment: &syn::PathSegment) -> Vec<&syn::Type> {
    crate::types::type_arguments(segment)
}

/// Whether the block's trait has type parameters.
fn has_arguments(block: &ItemImpl) -> bool {
    let last = block.trait_.as_ref().and_then(|(path, _)| path.segments.last());
    last.is_some_and(|last| !types_of(last).is_empty())
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

fn companion(
    block: &ItemImpl,
    function: &ImplItemFn,
    cfgs: &[syn::Attribute],
    told: &[syn::Attribute],
) -> TokenStream {
    let name = &function.sig.ident;
    let (ty, of_reference) = match bare(&block.self_ty) {
        syn::Type::Reference(reference) => (&reference.elem, true),
        _ => (&block.self_ty, false),
    };
    let shown = format!("{}::{}", word_of(ty), name.unraw());
    let block_cfgs: Vec<_> = self::cfgs(&block.attrs).collect();
    let number = Literal::u128_suffixed(names::number(&name.unraw().to_string()));
    let read = match own_generics(&function.sig) {
        Some(error) => Err(error),
        None => {
            signature::check(&function.sig).and_then(|()| {
                // In an `impl` of a trait, a call by the name may mean another function of the type's.
                let this = block.trait_.is_none().then(|| body::This::Method(name.unraw().to_string()));
                signature::read(&function.sig, &function.block, this)
            })
        }
    };
    let tree = tree(&shown, &block.generics, name, read);
    let generics = instances(&block.generics);
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let allowed = body::allowed();
    let operator = operator(block, function).map(|(name, right)| {
        let number = Literal::u128_suffixed(names::number(name));
        let of = format_ident!("{}", if of_reference { "DeviceReferenceOperator" } else { "DeviceOperator" });
        quote!(::annulus::__private::#of<#number, #right>)
    });
    if of_reference && operator.is_none() {
        let message = "a device has functions of types, and of references operators alone: write the `impl` of the type";
        return syn::Error::new_spanned(&block.self_ty, message).into_compile_error();
    }
    // Several of one trait may stand on one type then.
    let of_name = match &operator {
        Some(_) if has_arguments(block) || of_reference => None,
        _ => Some(quote!(::annulus::__private::DeviceMethod<#number>)),
    };
    let (first, second) = match (operator, of_name) {
        (Some(operator), Some(of_name)) => {
            let same = quote! {
                fn tree() -> ::annulus::__private::FunctionTree {
                    <Self as #operator>::tree()
                }
            };
            let second = quote! {
                #(#block_cfgs)*
                #(#cfgs)*
                #(#told)*
                #[automatically_derived]
                impl #impl_generics #of_name for #ty #where_clause { #same }
            };
            (operator, Some(second))
        }
        (Some(only), None) | (None, Some(only)) => (only, None),
        (None, None) => unreachable!("a function has a name"),
    };
    quote! {
        #second
        #(#block_cfgs)*
        #(#cfgs)*
        #(#told)*
        #[automatically_derived]
        impl #impl_generics #first for #ty #where_clause {
            #allowed
            fn tree() -> ::annulus::__private::FunctionTree {
                #tree
            }
        }
    }
}
