//! `#[derive(RingMessage)]`: a message's key, id and priority, beside its layout.

use proc_macro2::TokenStream;
use quote::quote;
use syn::DeriveInput;

use crate::{
    derive_bridged::{self, TypeWords},
    derive_device::{self, bounded},
    errors::Errors,
    events::{self, Events},
    layout::Layout,
    message_facts::{Facts, facts, key_field},
    taken::Taken,
};

pub(crate) fn derive(input: &DeriveInput) -> syn::Result<TokenStream> {
    let mut errors = Errors::default();
    let words = errors.take(TypeWords::of(input)).unwrap_or_default();
    if words.is_bridged(input) {
        errors.finish(())?;
        return derive_bridged::derive(input, &words);
    }
    let Some(layout) = errors.take(Layout::of(input)) else {
        return errors.finish(TokenStream::new());
    };
    let taken = errors.take(Taken::of_layout(&layout));
    let events = errors.take(Events::of_layout(&layout));
    // Marked variants with keys beside them would be refused twice.
    let sound = taken.as_ref().filter(|_| events.is_some());
    let facts = sound.and_then(|taken| errors.take(facts(&layout, taken)));
    let derived = errors.take(derive_device::derived(input)).unwrap_or_default();
    errors.finish(())?;
    let taken = taken.expect("without it there was an error");
    let facts = facts.expect("without facts there was an error");

    let device_type = derive_device::expand(input, &layout, &derived);
    let (key_field, from) = match (taken.is_empty(), facts.keyed) {
        (false, _) => {
            let numbers = taken.numbers();
            let from = quote!(const FROM: &'static [::core::primitive::usize] = #numbers;);
            (taken.key_field(&layout), from)
        }
        (true, true) => (key_field(&layout), TokenStream::new()),
        (true, false) => (quote!(::core::option::Option::None), TokenStream::new()),
    };
    let events = events.map(|events| events.consts());
    let accepts = taken.implementations(&input.ident, &layout);
    let Facts { consts, accessors, edge, .. } = facts;
    let edge = edge.map(|edge| {
        quote! {
            const EDGE_FIELD: ::core::option::Option<::core::primitive::usize> = ::core::option::Option::Some(#edge);
        }
    });
    let version = words.version;
    let quiet = crate::types::quiet();
    let name = &input.ident;
    let generics = bounded(input, &quote!(::annulus::__private::DeviceType));
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    Ok(quote! {
        #device_type
        #quiet
        #[automatically_derived]
        #[allow(deprecated)]
        impl #impl_generics ::annulus::__private::Message for #name #ty_generics #where_clause {
            #consts
            const PAYLOAD_HASH: ::core::option::Option<fn(&Self) -> ::core::primitive::u64> =
                ::core::option::Option::Some(::annulus::__private::payload_hash::<Self>);
            #accessors
        }
        #quiet
        #[automatically_derived]
        #[allow(deprecated)]
        impl #impl_generics ::annulus::__private::Payload for #name #ty_generics #where_clause {
            const ENCODING: ::annulus::__private::annulus_message::Encoding =
                ::annulus::__private::annulus_message::Encoding::Direct;
            const VERSION: ::core::primitive::u32 = #version;
            const ROOT_SIZE: ::core::primitive::usize = ::core::mem::size_of::<Self>();
            fn schema() -> ::annulus::__private::annulus_message::Schema {
                ::annulus::__private::schema_of(<Self as ::annulus::__private::DeviceType>::DESCRIPTOR, #version)
            }
            fn write(
                &self,
                to: &mut ::annulus::__private::Bytes,
            ) -> ::core::result::Result<(), ::annulus::__private::EncodeError> {
                ::annulus::__private::write_message(self, to)
            }
            fn read(
                bytes: &[::core::primitive::u8],
            ) -> ::core::result::Result<Self, ::annulus::__private::DecodeError> {
                ::annulus::__private::decode(bytes)
            }
        }
        #quiet
        #[automatically_derived]
        #[allow(deprecated)]
        impl #impl_generics ::annulus::__private::RingMessage for #name #ty_generics #where_clause {
            const KEY_FIELD: ::core::option::Option<::annulus::__private::KeyDescriptor> = #key_field;
            #from
            #events
            #edge
        }
        #accepts
    })
}

/// What stands for the implementations of a message that is refused.
pub(crate) fn stand_in(input: &DeriveInput) -> TokenStream {
    let device_type = derive_device::stand_in(input);
    if device_type.is_empty() {
        return device_type;
    }
    let name = &input.ident;
    let generics = bounded(input, &quote!(::annulus::__private::DeviceType));
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    let events = events::of_refused(input);
    quote! {
        #device_type
        #[automatically_derived]
        #[allow(deprecated)]
        impl #impl_generics ::annulus::__private::Message for #name #ty_generics #where_clause {}
        #[automatically_derived]
        #[allow(deprecated)]
        impl #impl_generics ::annulus::__private::Payload for #name #ty_generics #where_clause {
            const ENCODING: ::annulus::__private::annulus_message::Encoding =
                ::annulus::__private::annulus_message::Encoding::Direct;
            const ROOT_SIZE: ::core::primitive::usize = 0;
            fn schema() -> ::annulus::__private::annulus_message::Schema {
                ::core::unreachable!()
            }
            fn write(
                &self,
                _: &mut ::annulus::__private::Bytes,
            ) -> ::core::result::Result<(), ::annulus::__private::EncodeError> {
                ::core::unreachable!()
            }
            fn read(
                _: &[::core::primitive::u8],
            ) -> ::core::result::Result<Self, ::annulus::__private::DecodeError> {
                ::core::unreachable!()
            }
        }
        #[automatically_derived]
        #[allow(deprecated)]
        impl #impl_generics ::annulus::__private::RingMessage for #name #ty_generics #where_clause {
            #events
        }
    }
}
