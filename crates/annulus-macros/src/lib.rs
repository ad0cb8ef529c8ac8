//! The macros of Annulus.
mod derive_device;
mod derive_message;
mod errors;
mod kernel;
mod layout;
mod types;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Derives `DeviceType`.
#[proc_macro_derive(DeviceType, attributes(ring))]
pub fn derive_device_type(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    derive_device::derive(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Derives `RingMessage`.
#[proc_macro_derive(RingMessage, attributes(ring))]
pub fn derive_ring_message(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    derive_message::derive(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Makes a kernel of a function.
#[proc_macro_attribute]
pub fn ring_kernel(attribute: TokenStream, item: TokenStream) -> TokenStream {
    kernel::expand(attribute.into(), item.into()).into()
}
