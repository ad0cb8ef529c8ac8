//! `#[derive(DeviceType)]`: a type's layout as data.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{
    Attribute, DeriveInput, Field, GenericParam, Index, Member, Variant, ext::IdentExt, parse_quote,
    punctuated::Punctuated, spanned::Spanned, token::Comma,
};

use crate::{device_type::SEEN, errors::Errors, layout::Layout};

pub(crate) fn derive(input: &DeriveInput) -> syn::Result<TokenStream> {
    let mut errors = Errors::default();
    for attribute in attributes(input).filter(|attribute| attribute.path().is_ident("ring")) {
        let message = "`#[ring(..)]` belongs to messages: derive `RingMessage` instead of `DeviceType`; \
                       it implements both";
        errors.at(attribute, message);
    }
    let layout = errors.take(Layout::of(input));
    let derived = errors.take(derived(input)).unwrap_or_default();
    errors
        .finish(layout)
        .map(|layout| expand(input, &layout.expect("without a layout there was an error"), &derived))
}

/// The comparisons that `#[device_type]` saw among the derives.
#[derive(Default)]
pub(crate) struct Derived {
    eq: bool,
    partial_ord: bool,
    ord: bool,
}

/// What `#[device_type]` left behind.
pub(crate) fn derived(input: &DeriveInput) -> syn::Result<Derived> {
    let mut derived = Derived::default();
    for attribute in attributes(input).filter(|attribute| attribute.path().is_ident("device")) {
        let words: Option<Punctuated<Ident, Comma>> =
            attribute.parse_args_with(Punctuated::parse_terminated).ok();
        let mut words = words.into_iter().flatten();
        if words.next().is_none_or(|first| first != SEEN) {
            let message = "`#[device(..)]` says nothing: write `#[device_type]` above the type's `derive`, and its comparisons are \
                           those of devices";
            return Err(syn::Error::new_spanned(attribute, message));
        }
        for word in words {
            match word.to_string().as_str() {
                "PartialEq" => derived.eq = true,
                "PartialOrd" => derived.partial_ord = true,
                "Ord" => derived.ord = true,
                _ => {}
            }
        }
    }
    Ok(derived)
}

/// Every attribute of the type, its variants and its fields.
fn attributes(input: &DeriveInput) -> impl Iterator<Item = &Attribute> {
    let variants: Vec<&Variant> = match &input.data {
        syn::Data::Enum(data) => data.variants.iter().collect(),
        _ => Vec::new(),
    };
    let fields: Vec<&Field> = match &input.data {
        syn::Data::Struct(data) => data.fields.iter().collect(),
        _ => variants.iter().flat_map(|variant| &variant.fields).collect(),
    };
    let in_variants = variants.into_iter().flat_map(|variant| &variant.attrs);
    let in_fields = fields.into_iter().flat_map(|field| &field.attrs);
    input.attrs.iter().chain(in_variants).chain(in_fields)
}

/// The `DeviceType` of a type that has this layout.
pub(crate) fn expand(input: &DeriveInput, layout: &Layout<'_>, derived: &Derived) -> TokenStream {
    let (mirrors, kind) = match layout {
        Layout::Struct(fields) => (Vec::new(), struct_kind(fields)),
        Layout::Enum { tag, variants } => enum_kind(tag, variants),
    };
    implementations(input, &mirrors, &kind, &meaning(input, derived))
}

/// What the values mean beside their parts: how they are compared.
fn meaning(input: &DeriveInput, derived: &Derived) -> TokenStream {
    let Derived { eq, partial_ord, ord } = *derived;
    if !(eq || partial_ord || ord) {
        return quote!(Parts);
    }
    // Of a type with parameters nothing says that these have an order, which its methods need to be named.
    let known = input.generics.params.is_empty();
    let same = |of: TokenStream, names: &[&str]| {
        let names: Vec<Ident> = names.iter().map(|name| Ident::new(name, Span::call_site())).collect();
        quote!(#(&& ::annulus::__private::same_function(<Self>::#names, <Self as ::core::cmp::#of>::#names))*)
    };
    let total = ord.then(|| same(quote!(Ord), &["cmp", "max", "min", "clamp"]));
    let partial = partial_ord.then(|| same(quote!(PartialOrd), &["partial_cmp"]));
    let methods = if known {
        quote!({
            #[allow(unused_imports)]
            use ::core::cmp::{Ord as _, PartialOrd as _};
            true #total #partial
        })
    } else {
        quote!(false)
    };
    quote!(Derived(::annulus::__private::Derived {
        eq: #eq,
        partial_ord: #partial_ord,
        ord: #ord,
        methods: ::annulus::__private::PlainMethods(|| #methods),
    }))
}

/// What stands for the implementations of a type that is refused, beside the errors: the kernels that use it
/// are not blamed, too.
pub(crate) fn stand_in(input: &DeriveInput) -> TokenStream {
    let fields: Vec<&Field> = match &input.data {
        syn::Data::Struct(data) => data.fields.iter().collect(),
        syn::Data::Enum(data) => data.variants.iter().flat_map(|variant| &variant.fields).collect(),
        syn::Data::Union(_) => return TokenStream::new(),
    };
    // What holds something that is no copy, rustc refuses, too, and would refuse what stands in for it.
    let fits = fields.iter().all(|field| crate::types::may_be_copied(&field.ty));
    if !fits || input.generics.lifetimes().next().is_some() {
        return TokenStream::new();
    }
    let kind = quote!(::annulus::__private::TypeKind::Struct(&[]));
    implementations(input, &[], &kind, &quote!(Parts))
}

fn implementations(
    input: &DeriveInput,
    mirrors: &[TokenStream],
    kind: &TokenStream,
    meaning: &TokenStream,
) -> TokenStream {
    let name = &input.ident;
    let shown = name.unraw().to_string();
    let generics = bounded(input, &quote!(::annulus::__private::DeviceType));
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    let quiet = crate::types::quiet();
    // SAFETY of the emitted impl: size, alignment and offsets are asked of the compiler (for an enum's fields
    // through mirrors, see `enum_kind`); `Layout::of` has seen the representation that fixes the layout; each
    // field's type is a `DeviceType`, or its descriptor could not be named, so there is no pointer in it.
    quote! {
        const _: () = {
            #(#mirrors)*
            #quiet
            #[automatically_derived]
            #[allow(deprecated)]
            unsafe impl #impl_generics ::annulus::__private::DeviceType for #name #ty_generics #where_clause {
                const DESCRIPTOR: &'static ::annulus::__private::TypeDescriptor =
                    &::annulus::__private::TypeDescriptor {
                        name: #shown,
                        size: ::core::mem::size_of::<Self>(),
                        align: ::core::mem::align_of::<Self>(),
                        kind: #kind,
                        meaning: ::annulus::__private::Meaning::#meaning,
                    };
            }
            #quiet
            #[automatically_derived]
            #[allow(deprecated)]
            impl #impl_generics ::annulus::__private::Typed for #name #ty_generics #where_clause {
                fn ty() -> ::annulus::__private::Type {
                    ::annulus::__private::type_of::<Self>()
                }
                fn value(&self) -> ::annulus::__private::Value {
                    ::annulus::__private::device_value(self)
                }
            }
            #quiet
            #[automatically_derived]
            #[allow(deprecated)]
            impl #impl_generics ::annulus::__private::Receiver for #name #ty_generics #where_clause {
                type Target = Self;
                type Side = Self;
            }
            #quiet
            #[automatically_derived]
            #[allow(deprecated)]
            impl #impl_generics ::annulus::__private::OwnType for #name #ty_generics #where_clause {}
        };
    }
}

/// The type's generics, each type parameter held to `bound` as the standard derives do.
pub(crate) fn bounded(input: &DeriveInput, bound: &TokenStream) -> syn::Generics {
    let mut generics = input.generics.clone();
    for parameter in &mut generics.params {
        if let GenericParam::Type(parameter) = parameter {
            parameter.bounds.push(parse_quote!(#bound));
        }
    }
    generics
}

fn struct_kind(fields: &syn::Fields) -> TokenStream {
    let fields = members(fields).map(|(member, field)| descriptor(field, &member, &quote!(Self), &member));
    quote!(::annulus::__private::TypeKind::Struct(&[#(#fields),*]))
}

/// The mirrors of the variants, and the kind that asks them for offsets.
///
/// RFC 2195 fixes the layout of an enum with a primitive representation: a union of `repr(C)` structs, one
/// for each variant, whose first field is the tag. The mirrors are those structs, so their offsets are the
/// enum's.
fn enum_kind(tag: &Ident, variants: &Punctuated<Variant, Comma>) -> (Vec<TokenStream>, TokenStream) {
    // `repr` means the primitive type, whatever else has its name where the enum stands.
    let (tag_type, bits) = (primitive(tag), primitive(&unsigned(tag)));
    let mut mirrors = Vec::new();
    let mut descriptors = Vec::new();
    // A discriminant that is not given is one more than the last one; the first is 0.
    let mut base: syn::Expr = parse_quote!(0);
    let mut above_base = 0u64;
    for variant in variants {
        if let Some((_, discriminant)) = &variant.discriminant {
            base = discriminant.clone();
            above_base = 0;
        }
        let mirror = format_ident!("__AnnulusVariant{}", variant.ident.unraw(), span = Span::mixed_site());
        let mut mirrored = Vec::new();
        let mut fields = Vec::new();
        for (index, (member, field)) in members(&variant.fields).enumerate() {
            let slot = format_ident!("field_{index}", span = Span::mixed_site());
            let ty = &field.ty;
            mirrored.push(quote!(#slot: #ty));
            fields.push(descriptor(field, &member, &mirror, &slot));
        }
        if !mirrored.is_empty() {
            mirrors.push(quote! {
                #[repr(C)]
                #[allow(dead_code, deprecated)]
                struct #mirror { tag: #tag_type, #(#mirrored),* }
            });
        }
        let name = variant.ident.unraw().to_string();
        let above = proc_macro2::Literal::u64_unsuffixed(above_base);
        descriptors.push(quote! {
            ::annulus::__private::VariantDescriptor {
                name: #name,
                tag: {
                    let __annulus_base: #tag_type = #base;
                    (__annulus_base + #above) as #bits as ::core::primitive::u64
                },
                fields: &[#(#fields),*],
            }
        });
        above_base += 1;
    }
    let tag_kind = format_ident!("{}", tag.to_string().to_uppercase());
    let kind = quote! {
        ::annulus::__private::TypeKind::Enum {
            tag: ::annulus::__private::Primitive::#tag_kind,
            variants: &[#(#descriptors),*],
        }
    };
    (mirrors, kind)
}

/// The unsigned type of the same width, through which a tag's bits are zero-extended.
fn unsigned(tag: &Ident) -> Ident {
    Ident::new(&tag.to_string().replace('i', "u"), Span::mixed_site())
}

/// The primitive type of this name.
fn primitive(name: &Ident) -> TokenStream {
    let name = Ident::new(&name.to_string(), Span::mixed_site());
    quote!(::core::primitive::#name)
}

/// Each field with the name or number by which it is accessed.
pub(crate) fn members(fields: &syn::Fields) -> impl Iterator<Item = (Member, &Field)> {
    fields.iter().enumerate().map(|(index, field)| {
        let member = match &field.ident {
            Some(ident) => Member::Named(ident.clone()),
            None => Member::Unnamed(Index::from(index)),
        };
        (member, field)
    })
}

/// The descriptor of `field`, which is `slot` in `holder`. An error about the field's type stands at that
/// type.
fn descriptor(field: &Field, member: &Member, holder: &impl ToTokens, slot: &impl ToTokens) -> TokenStream {
    let name = match member {
        Member::Named(ident) => ident.unraw().to_string(),
        Member::Unnamed(index) => index.index.to_string(),
    };
    let ty = &field.ty;
    let ty: TokenStream = quote_spanned!(ty.span()=> <#ty as ::annulus::__private::DeviceType>::DESCRIPTOR);
    quote! {
        ::annulus::__private::FieldDescriptor {
            name: #name,
            offset: ::core::mem::offset_of!(#holder, #slot),
            ty: #ty,
        }
    }
}
