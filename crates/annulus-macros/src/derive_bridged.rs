//! `#[derive(RingMessage)]` of a bridged message: text, collections and nesting, as an archive that is read
//! in place.
//!
//! The archive's code is rkyv's own derive, of a mirror with the same fields (its *remote* derive). So the
//! program's type has one derive, and no attribute of another crate.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{
    Attribute, Data, DeriveInput, Expr, Field, Fields, Lit, Meta, Token, Type, ext::IdentExt,
    punctuated::Punctuated, spanned::Spanned,
};

use crate::{
    derive_archived,
    derive_device::members,
    errors::Errors,
    events::is_event,
    layout::Layout,
    message_facts::{facts, is_ring},
    taken::{Taken, is_from},
    types,
};

/// The words of `#[ring(..)]` above a type.
#[derive(Default)]
pub(crate) struct TypeWords {
    direct: bool,
    bridged: bool,
    pub(crate) version: u32,
}

impl TypeWords {
    pub(crate) fn of(input: &DeriveInput) -> syn::Result<Self> {
        let mut errors = Errors::default();
        let mut words = Self::default();
        for attribute in input.attrs.iter().filter(|attribute| is_ring(attribute)) {
            let listed = match &attribute.meta {
                Meta::List(list) => list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)?,
                _ => Punctuated::new(),
            };
            if listed.is_empty() || listed.iter().any(is_field_word) {
                errors.at(attribute, "`#[ring(..)]` marks a field, not a type");
                continue;
            }
            for meta in &listed {
                match meta {
                    Meta::Path(path) if path.is_ident("direct") => words.direct = true,
                    Meta::Path(path) if path.is_ident("bridged") => words.bridged = true,
                    Meta::NameValue(pair) if pair.path.is_ident("version") => match version(&pair.value) {
                        Some(version) => words.version = version,
                        None => errors.at(&pair.value, "a version is a number of 32 bits: `version = 2`"),
                    },
                    _ => errors.at(
                        meta,
                        format!(
                            "`{}` is no word of `#[ring(..)]` above a type: they are `direct`, `bridged` and \
                             `version = …`",
                            types::text(meta)
                        ),
                    ),
                }
            }
            if words.direct && words.bridged {
                errors.at(attribute, "a message is `direct` or `bridged`: say one of them");
            }
        }
        errors.finish(words)
    }

    /// Whether the message is bridged: its attribute says so, or it has no representation and holds what only
    /// the host has.
    pub(crate) fn is_bridged(&self, input: &DeriveInput) -> bool {
        if self.direct || self.bridged {
            return self.bridged;
        }
        let is_repr = |attribute: &Attribute| attribute.path().is_ident("repr");
        !input.attrs.iter().any(is_repr) && fields(&input.data).any(|field| is_hosts(&field.ty))
    }
}

/// A mark of a variant.
fn mark(input: &DeriveInput, is: fn(&Attribute) -> bool) -> Option<&Attribute> {
    let Data::Enum(data) = &input.data else { return None };
    data.variants.iter().flat_map(|variant| &variant.attrs).find(|attribute| is(attribute))
}

fn is_field_word(meta: &Meta) -> bool {
    ["key", "id", "priority", "timestamp", "edge"].iter().any(|word| meta.path().is_ident(word))
}

fn version(value: &Expr) -> Option<u32> {
    match value {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(number) => number.base10_parse().ok(),
            _ => None,
        },
        _ => None,
    }
}

fn fields(data: &Data) -> impl Iterator<Item = &Field> {
    let (of_struct, of_enum) = match data {
        Data::Struct(data) => (Some(&data.fields), None),
        Data::Enum(data) => (None, Some(&data.variants)),
        Data::Union(_) => (None, None),
    };
    let of_enum = of_enum.into_iter().flatten().map(|variant| &variant.fields);
    of_struct.into_iter().chain(of_enum).flatten()
}

/// Whether this is a type that holds something on the heap, by its name.
fn is_hosts(ty: &Type) -> bool {
    const NAMES: [&str; 10] =
        ["String", "Vec", "VecDeque", "Option", "Box", "Arc", "BTreeMap", "BTreeSet", "HashMap", "HashSet"];
    match types::bare(ty) {
        Type::Array(array) => is_hosts(&array.elem),
        Type::Tuple(tuple) => tuple.elems.iter().any(is_hosts),
        _ => types::last_segment(ty).is_some_and(|segment| NAMES.iter().any(|name| segment.ident == name)),
    }
}

/// The implementations of a bridged message.
pub(crate) fn derive(input: &DeriveInput, words: &TypeWords) -> syn::Result<TokenStream> {
    let mut errors = Errors::default();
    if !input.generics.params.is_empty() {
        errors.at(
            &input.generics,
            "a bridged message has no parameters, so that one schema says what it is: write the types that it \
             holds",
        );
    }
    let layout = match &input.data {
        Data::Struct(data) => Some(Layout::Struct(&data.fields)),
        Data::Enum(data) if data.variants.is_empty() => {
            errors
                .at(&input.ident, format!("`{}` has no variants, so it has no values to send", input.ident));
            None
        }
        // The archive's tag has 8 bits, whatever the type's own has.
        Data::Enum(data) => {
            if let Some(variant) = data.variants.iter().nth(256) {
                errors.at(variant, "a bridged enum has up to 256 variants: split it into several");
            }
            Some(Layout::Enum { tag: Ident::new("u8", Span::mixed_site()), variants: &data.variants })
        }
        Data::Union(data) => {
            errors.at(data.union_token, "nothing tells what a union holds: write an enum");
            None
        }
    };
    for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("repr")) {
        errors.at(attribute, "a bridged message has the layout of its archive: leave `repr` out");
    }
    if let Some(mark) = mark(input, is_event) {
        let message = "a bridged message has no variants that nobody sends: leave this out, or the text and collections";
        errors.at(mark, message);
    }
    if let Some(mark) = mark(input, is_from) {
        let message = "what kernels send is direct, and this message is bridged, which only the host sends: leave \
                       `#[ring(from)]` out, or the text and collections";
        errors.at(mark, message);
    }
    let facts = layout.as_ref().and_then(|layout| errors.take(facts(layout, &Taken::default())));
    if facts.as_ref().is_some_and(|facts| facts.edge.is_some()) {
        let message = "what goes along rows is direct, and this message is bridged, which only the host sends: leave \
                       `#[ring(edge)]` out, or the text and collections";
        errors.at(&input.ident, message);
    }
    errors.finish(())?;
    let (layout, facts) = layout.zip(facts).expect("without a layout and facts there was an error");

    let name = &input.ident;
    let shown = name.unraw().to_string();
    let mirror = format_ident!("__Annulus{}", name.unraw());
    let archived = format_ident!("Archived{}", name.unraw());
    let version = words.version;
    let (definition, back, shape) = match &layout {
        Layout::Struct(fields) => (
            mirrored_struct(&mirror, fields),
            rebuilt(quote!(#name), quote!(#mirror), fields),
            struct_shape(&shown, fields),
        ),
        Layout::Enum { variants, .. } => {
            let mirrored = variants.iter().map(|variant| {
                let (name, fields) = (&variant.ident, mirrored_fields(&variant.fields, &quote!()));
                quote!(#name #fields)
            });
            let arms = variants.iter().map(|variant| {
                let own = &variant.ident;
                rebuilt(quote!(#name::#own), quote!(#mirror::#own), &variant.fields)
            });
            let shapes = variants.iter().enumerate().map(|(tag, variant)| {
                let (name, tag) = (variant.ident.unraw().to_string(), tag as u64);
                let fields = shapes(&variant.fields);
                quote!(__message::Variant { name: #name.into(), tag: #tag, fields: #fields })
            });
            let shape = quote! {
                __message::Shape::Enum {
                    name: #shown.into(),
                    tag: __message::Number::U8,
                    variants: ::std::vec![#(#shapes),*],
                }
            };
            (quote!(pub enum #mirror { #(#mirrored),* }), quote!(#(#arms)*), shape)
        }
    };
    let (consts, accessors) = (facts.consts, facts.accessors);
    let kernel_message = kernel_message(name, &archived, &shown, facts.keyed);
    let for_devices = derive_archived::expand(&archived, &layout);
    let implementations = quote! {
        #[allow(
            deprecated,
            unused,
            unreachable_pub,
            missing_docs,
            private_interfaces,
            private_bounds,
            clippy::all,
            clippy::pedantic
        )]
        const _: () = {
            use ::annulus::__private::annulus_message as __message;
            use __message::rkyv as __rkyv;

            #[derive(__rkyv::Archive, __rkyv::Serialize, __rkyv::Deserialize)]
            #[rkyv(crate = ::annulus::__private::annulus_message::rkyv, remote = #name, archived = #archived)]
            #definition

            impl ::core::convert::From<#mirror> for #name {
                fn from(__mirror: #mirror) -> Self {
                    match __mirror { #back }
                }
            }

            impl __rkyv::Archive for #name {
                type Archived = #archived;
                type Resolver = <#mirror as __rkyv::with::ArchiveWith<#name>>::Resolver;

                #[inline]
                fn resolve(&self, resolver: Self::Resolver, out: __rkyv::Place<Self::Archived>) {
                    <#mirror as __rkyv::with::ArchiveWith<#name>>::resolve_with(self, resolver, out);
                }
            }

            impl<S: __rkyv::rancor::Fallible + ?::core::marker::Sized> __rkyv::Serialize<S> for #name
            where
                #mirror: __rkyv::with::SerializeWith<#name, S>,
            {
                #[inline]
                fn serialize(&self, serializer: &mut S) -> ::core::result::Result<Self::Resolver, S::Error> {
                    <#mirror as __rkyv::with::SerializeWith<#name, S>>::serialize_with(self, serializer)
                }
            }

            impl<D: __rkyv::rancor::Fallible + ?::core::marker::Sized> __rkyv::Deserialize<#name, D>
                for #archived
            where
                #mirror: __rkyv::with::DeserializeWith<#archived, #name, D>,
            {
                #[inline]
                fn deserialize(&self, deserializer: &mut D) -> ::core::result::Result<#name, D::Error> {
                    <#mirror as __rkyv::with::DeserializeWith<#archived, #name, D>>::deserialize_with(
                        self,
                        deserializer,
                    )
                }
            }

            impl __message::Shaped for #name {
                fn shape() -> __message::Shape { #shape }
            }

            #for_devices

            #[automatically_derived]
            impl __message::Message for #name {
                #consts
                const PAYLOAD_HASH: ::core::option::Option<fn(&Self) -> ::core::primitive::u64> =
                    ::core::option::Option::Some(__message::bridged::payload_hash::<Self>);
                #accessors
                fn payload_size(&self) -> ::core::primitive::usize { __message::bridged::payload_size(self) }
            }

            #[automatically_derived]
            impl __message::Payload for #name {
                const ENCODING: __message::Encoding = __message::Encoding::Bridged;
                const VERSION: ::core::primitive::u32 = #version;
                const ROOT_SIZE: ::core::primitive::usize = ::core::mem::size_of::<#archived>();
                fn schema() -> __message::Schema {
                    __message::Schema {
                        name: #shown.into(),
                        version: #version,
                        encoding: Self::ENCODING,
                        shape: <Self as __message::Shaped>::shape(),
                    }
                }
                fn write(
                    &self,
                    to: &mut ::std::vec::Vec<::core::primitive::u8>,
                ) -> ::core::result::Result<(), __message::EncodeError> {
                    __message::bridged::write(self, to)
                }
                fn read(
                    bytes: &[::core::primitive::u8],
                ) -> ::core::result::Result<Self, __message::DecodeError> {
                    __message::bridged::read(bytes)
                }
            }

            #kernel_message
        };
    };
    Ok(quote!(::annulus::__private::annulus_message::__bridged! { #implementations }))
}

/// What makes it a message that kernels take.
fn kernel_message(name: &Ident, archived: &Ident, shown: &str, keyed: bool) -> TokenStream {
    let key_place = if keyed {
        quote!(::core::option::Option::Some(__kernel::BRIDGED_KEY))
    } else {
        quote!(::core::option::Option::None)
    };
    quote! {
        use ::annulus::__private as __kernel;

        #[automatically_derived]
        impl __kernel::BridgedMessage for #name {
            type Archived = #archived;
            const DEFINITION: __kernel::BridgedDefinition = __kernel::BridgedDefinition {
                name: #shown,
                root_size: ::core::mem::size_of::<#archived>(),
                archived: <#archived as __kernel::ArchivedType>::DESCRIPTOR,
                schema: <Self as __message::Payload>::schema,
                check: |__bytes| __message::bridged::read::<Self>(__bytes).map(::core::mem::drop),
            };

            #[inline]
            unsafe fn archived(payload: &[::core::primitive::u8]) -> &#archived {
                // SAFETY: by the caller's word.
                unsafe { __message::bridged::trusted::<Self>(payload) }
            }

            #[inline]
            fn write_to(
                &self,
                near: &mut [::core::mem::MaybeUninit<::core::primitive::u8>],
                far: &mut [::core::mem::MaybeUninit<::core::primitive::u8>],
            ) -> ::core::result::Result<
                (::core::primitive::usize, ::core::primitive::bool),
                __message::EncodeError,
            > {
                __message::bridged::write_to(self, near, far)
            }
        }

        #[automatically_derived]
        impl __kernel::KernelMessage for #name {
            const SLOT: &'static __kernel::TypeDescriptor = __kernel::BRIDGED_HEAD;
            const KEY_PLACE: ::core::option::Option<__kernel::KeyDescriptor> = #key_place;
            const BRIDGED: ::core::option::Option<__kernel::BridgedDefinition> =
                ::core::option::Option::Some(<Self as __kernel::BridgedMessage>::DEFINITION);

            #[inline]
            unsafe fn key_in(slot: *const ::core::primitive::u8) -> ::core::primitive::u64 {
                // SAFETY: by the caller's word.
                unsafe { __kernel::bridged_key(slot) }
            }

            #[inline(always)]
            fn visit<V: __kernel::Visitor<Self>>(visitor: V) -> V::Result {
                visitor.bridged()
            }
        }
    }
}

fn mirrored_struct(mirror: &Ident, fields: &Fields) -> TokenStream {
    let mirrored = mirrored_fields(fields, &quote!(pub));
    match fields {
        Fields::Named(_) => quote!(pub struct #mirror #mirrored),
        Fields::Unnamed(_) | Fields::Unit => quote!(pub struct #mirror #mirrored;),
    }
}

fn mirrored_fields(fields: &Fields, visibility: &TokenStream) -> TokenStream {
    let types = fields.iter().map(|field| &field.ty);
    match fields {
        Fields::Named(named) => {
            let names = named.named.iter().map(|field| &field.ident);
            quote!({ #(#visibility #names: #types),* })
        }
        Fields::Unnamed(_) => quote!((#(#visibility #types),*)),
        Fields::Unit => quote!(),
    }
}

/// The arm that makes the type's value of the mirror's.
fn rebuilt(own: TokenStream, mirror: TokenStream, fields: &Fields) -> TokenStream {
    let (places, names): (Vec<_>, Vec<_>) = members(fields)
        .enumerate()
        .map(|(index, (member, _))| (format_ident!("__field_{index}", span = Span::mixed_site()), member))
        .unzip();
    quote!(#mirror { #(#names: #places),* } => #own { #(#names: #places),* },)
}

fn struct_shape(shown: &str, fields: &Fields) -> TokenStream {
    let fields = shapes(fields);
    quote!(__message::Shape::Struct { name: #shown.into(), fields: #fields })
}

/// The fields' shapes. An error about a field's type stands at that type.
fn shapes(fields: &Fields) -> TokenStream {
    let fields = fields.iter().enumerate().map(|(index, field)| {
        let name = field.ident.as_ref().map_or_else(|| index.to_string(), |name| name.unraw().to_string());
        let ty = &field.ty;
        let shape: TokenStream = quote_spanned!(ty.span()=> <#ty as __message::Shaped>::shape());
        quote!(__message::Field { name: #name.into(), shape: #shape })
    });
    quote!(::std::vec![#(#fields),*])
}
