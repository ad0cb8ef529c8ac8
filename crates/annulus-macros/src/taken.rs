//! Variants that take what other kernels send: `#[ring(from)]`.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Attribute, Field, Member, Meta, Variant, spanned::Spanned};

use crate::{
    derive_device::members,
    errors::Errors,
    layout::Layout,
    message_facts::{has_id, is_ring, key_place},
    types,
};

/// The variants of a message that take other messages, by their numbers.
#[derive(Default)]
pub(crate) struct Taken<'a>(Vec<(usize, Member, &'a Field)>);

/// Whether it is `#[ring(from)]`.
pub(crate) fn is_from(attribute: &Attribute) -> bool {
    let is = |list: &syn::MetaList| list.parse_args::<Ident>().is_ok_and(|word| word == "from");
    is_ring(attribute) && matches!(&attribute.meta, Meta::List(list) if is(list))
}

impl<'a> Taken<'a> {
    /// Of a message of this layout, or every reason why a variant cannot take what it says.
    pub(crate) fn of_layout(layout: &Layout<'a>) -> syn::Result<Self> {
        let Layout::Enum { tag, variants } = layout else { return Ok(Self::default()) };
        let mut errors = Errors::default();
        let mut taken: Vec<(usize, Member, &Field)> = Vec::new();
        for (index, variant) in variants.iter().enumerate() {
            let Some(mark) = variant.attrs.iter().find(|attribute| is_from(attribute)) else { continue };
            let Some((member, field)) = errors.take(only_field(variant, mark)) else { continue };
            if let Some((first, ..)) =
                taken.iter().find(|(.., other)| types::text(&other.ty) == types::text(&field.ty))
            {
                let (ty, first) = (types::text(&field.ty), &variants[*first].ident);
                errors.at(mark, format!("`{first}` takes `{ty}` already, so nothing says which one it becomes: take `#[ring(from)]` off one"));
            }
            taken.push((index, member, field));
        }
        if !taken.is_empty() && tag.to_string().ends_with("64") {
            errors.at(tag, "with `#[ring(from)]` a tag has at most 32 bits: write `#[repr(u32)]`");
        }
        errors.finish(Self(taken))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What the variant of this number takes.
    pub(crate) fn of(&self, index: usize) -> Option<(&Member, &'a Field)> {
        self.0.iter().find(|(number, ..)| *number == index).map(|(_, member, field)| (member, *field))
    }

    /// Whether the type has what the constant says: by a mark of its own, or by what a variant takes.
    pub(crate) fn any(&self, constant: &str, is_marked: bool) -> TokenStream {
        let constant = format_ident!("{constant}");
        let types = self.0.iter().map(|(.., field)| &field.ty);
        quote!(#is_marked #(|| <#types as ::annulus::__private::Message>::#constant)*)
    }

    /// Where the key lies.
    pub(crate) fn key_field(&self, layout: &Layout<'_>) -> TokenStream {
        let Layout::Enum { variants, .. } = layout else { return quote!(::core::option::Option::None) };
        let keys = variants.iter().enumerate().map(|(index, variant)| match self.of(index) {
            Some((_, Field { ty, .. })) => quote!(::annulus::__private::HeldKey::of::<#ty>()),
            // That each variant has one is checked apart.
            None => {
                let field = key_place(&variant.fields).unwrap_or(0);
                quote!(::annulus::__private::HeldKey::field(#field))
            }
        });
        quote! {
            if <Self as ::annulus::__private::Message>::KEYED {
                const KEYS: &[::annulus::__private::HeldKey] = &[#(#keys),*];
                ::annulus::__private::KeyDescriptor::held(KEYS)
            } else {
                ::core::option::Option::None
            }
        }
    }

    /// The numbers of the variants.
    pub(crate) fn numbers(&self) -> TokenStream {
        let numbers = self.0.iter().map(|(number, ..)| number);
        quote!(&[#(#numbers),*])
    }

    /// What says that the message takes these, and the checks that only the compiler can do: that all variants
    /// have a key, or none, and so for ids.
    pub(crate) fn implementations(&self, name: &Ident, layout: &Layout<'_>) -> TokenStream {
        let Layout::Enum { variants, .. } = layout else { return TokenStream::new() };
        if self.is_empty() {
            return TokenStream::new();
        }
        let accepts = self.0.iter().map(|(number, member, field)| {
            let (ty, variant) = (&field.ty, &variants[*number].ident);
            let made = match member {
                Member::Named(name) => quote!(Self::#variant { #name: message }),
                Member::Unnamed(_) => quote!(Self::#variant(message)),
            };
            // SAFETY of the emitted impl: the variant of this number has this one field. The message's `key`
            // asks that field, as does its `KEY_FIELD`.
            quote_spanned! {ty.span()=>
                #[automatically_derived]
                #[allow(deprecated)]
                unsafe impl ::annulus::__private::Accepts<#ty> for #name {
                    const VARIANT: ::core::option::Option<::core::primitive::usize> =
                        ::core::option::Option::Some(#number);

                    // So rustc sees, too, that there are such values: programs need not make any themselves.
                    fn accept(message: #ty) -> Self {
                        #made
                    }
                }
            }
        });
        let checks = variants.iter().enumerate().flat_map(|(index, variant)| {
            let fields = &variant.fields;
            [
                self.check(name, index, variant, ("KEYED", "key"), key_place(fields).is_some()),
                self.check(name, index, variant, ("IDENTIFIED", "id"), has_id(fields)),
            ]
        });
        quote!(#(#accepts)* #(#checks)*)
    }

    fn check(
        &self,
        name: &Ident,
        index: usize,
        variant: &Variant,
        (constant, word): (&str, &str),
        has: bool,
    ) -> TokenStream {
        let constant = format_ident!("{constant}");
        let shown = &variant.ident;
        let (has, holder) = match self.of(index) {
            Some((_, Field { ty, .. })) => {
                let holder = format!("`{}`, which `{shown}` takes,", types::text(ty));
                (quote!(<#ty as ::annulus::__private::Message>::#constant), holder)
            }
            None => (quote!(#has), format!("`{shown}`")),
        };
        let message = format!(
            "other variants of `{name}` have a `#[ring({word})]`, and {holder} has none: mark a field of every one, or of none"
        );
        quote_spanned! {variant.ident.span()=>
            #[allow(deprecated)]
            const _: () = ::core::assert!(
                #has || !<#name as ::annulus::__private::Message>::#constant,
                #message
            );
        }
    }
}

/// The field of a variant that takes a message.
fn only_field<'a>(variant: &'a Variant, mark: &Attribute) -> syn::Result<(Member, &'a Field)> {
    let mut fields = members(&variant.fields);
    let (Some((member, field)), None) = (fields.next(), fields.next()) else {
        let message = format!(
            "`{0}` takes what another kernel sends, which is its one field: write `{0}(Type)`",
            variant.ident
        );
        return Err(syn::Error::new_spanned(mark, message));
    };
    if let Some(own) = field.attrs.iter().find(|attribute| is_ring(attribute)) {
        let message = "the message that a variant takes says itself what its key is: take this off the field";
        return Err(syn::Error::new_spanned(own, message));
    }
    Ok((member, field))
}
