//! What devices know of a bridged message: where its parts lie in its archive.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{Field, Member, ext::IdentExt, spanned::Spanned};

use crate::{derive_device::members, layout::Layout};

/// The `ArchivedType` of a message's archive, and what the witnesses of a handler's body ask of it. It stands
/// beside the archive, where `__rkyv` is rkyv.
pub(crate) fn expand(archived: &Ident, layout: &Layout<'_>) -> TokenStream {
    let shown = archived.to_string();
    let (mirrors, kind) = match layout {
        Layout::Struct(fields) => {
            let fields = members(fields).map(|(member, field)| descriptor(field, &member, archived, &member));
            (Vec::new(), quote!(Struct(&[#(#fields),*])))
        }
        Layout::Enum { variants, .. } => {
            let mut mirrors = Vec::new();
            let mut variants_of = Vec::new();
            for (tag, variant) in variants.iter().enumerate() {
                let name = variant.ident.unraw().to_string();
                let mirror = format_ident!("__AnnulusArchived{}", name, span = Span::mixed_site());
                let mut slots = Vec::new();
                let mut fields = Vec::new();
                for (index, (member, field)) in members(&variant.fields).enumerate() {
                    let slot = format_ident!("field_{index}", span = Span::mixed_site());
                    let ty = &field.ty;
                    slots.push(quote!(#slot: <#ty as __rkyv::Archive>::Archived));
                    fields.push(descriptor(field, &member, &mirror, &slot));
                }
                if !slots.is_empty() {
                    mirrors.push(quote! {
                        #[repr(C)]
                        struct #mirror { tag: ::core::primitive::u8, #(#slots),* }
                    });
                }
                let tag = tag as u64;
                variants_of.push(quote! {
                    ::annulus::__private::VariantDescriptor { name: #name, tag: #tag, fields: &[#(#fields),*] }
                });
            }
            let kind = quote! {
                Enum { tag: ::annulus::__private::Primitive::U8, variants: &[#(#variants_of),*] }
            };
            (mirrors, kind)
        }
    };
    // SAFETY of the emitted impl: size, alignment and offsets are asked of the compiler. rkyv's derive makes
    // a `repr(C)` struct or a `repr(u8)` enum with the archives of the fields; for an enum's fields the
    // mirrors are the structs of RFC 2195, as for `DeviceType`.
    quote! {
        #(#mirrors)*
        #[automatically_derived]
        unsafe impl ::annulus::__private::ArchivedType for #archived {
            const DESCRIPTOR: &'static ::annulus::__private::TypeDescriptor =
                &::annulus::__private::TypeDescriptor {
                    name: #shown,
                    size: ::core::mem::size_of::<Self>(),
                    align: ::core::mem::align_of::<Self>(),
                    kind: ::annulus::__private::TypeKind::#kind,
                    meaning: ::annulus::__private::Meaning::Parts,
                };
        }
        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl ::annulus::__private::Typed for #archived {
            fn ty() -> ::annulus::__private::Type {
                ::core::convert::From::from(<Self as ::annulus::__private::ArchivedType>::DESCRIPTOR)
            }
            fn value(&self) -> ::annulus::__private::Value {
                ::annulus::__private::archived_value(self)
            }
        }
        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl ::annulus::__private::Receiver for #archived {
            type Target = Self;
            type Side = Self;
        }
    }
}

/// The descriptor of `field`, which is `slot` in `holder`. An error about the field's type stands at that
/// type.
fn descriptor(field: &Field, member: &Member, holder: &impl ToTokens, slot: &impl ToTokens) -> TokenStream {
    let name = match member {
        Member::Named(ident) => ident.unraw().to_string(),
        Member::Unnamed(index) => index.index.to_string(),
    };
    let ty = &field.ty;
    let ty: TokenStream = quote_spanned! {ty.span()=>
        <<#ty as __rkyv::Archive>::Archived as ::annulus::__private::ArchivedType>::DESCRIPTOR
    };
    quote! {
        ::annulus::__private::FieldDescriptor {
            name: #name,
            offset: ::core::mem::offset_of!(#holder, #slot),
            ty: #ty,
        }
    }
}
