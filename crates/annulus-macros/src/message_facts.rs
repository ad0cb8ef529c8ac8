//! What a message says about itself: the fields that `#[ring(..)]` marks.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Attribute, Field, Member, Meta, Token, punctuated::Punctuated, spanned::Spanned};

use crate::{
    derive_device::members,
    errors::Errors,
    events,
    layout::Layout,
    taken::{self, Taken},
    types,
};

/// What `Message` says by the marked fields.
pub(crate) struct Facts {
    /// Whether a field is marked as the key.
    pub(crate) keyed: bool,
    /// The constants of `Message`.
    pub(crate) consts: TokenStream,
    /// Its functions.
    pub(crate) accessors: TokenStream,
    /// The number of the field that gets the value of an edge.
    pub(crate) edge: Option<usize>,
}

/// What the marked fields say, and the messages that variants take, or every error of how they are marked.
pub(crate) fn facts(layout: &Layout<'_>, taken: &Taken<'_>) -> syn::Result<Facts> {
    let mut errors = Errors::default();
    let mut key = errors.take(accessor(layout, taken, Word::Key)).flatten();
    let id = errors.take(accessor(layout, taken, Word::Id)).flatten();
    let priority = errors.take(accessor(layout, taken, Word::Priority)).flatten();
    let timestamp = errors.take(accessor(layout, taken, Word::Timestamp)).flatten();
    errors.take(check_words(layout));
    let edge = errors.take(edge_place(layout)).flatten();
    errors.finish(())?;
    let keyed = is_marked(layout, Word::Key);
    let identified = is_marked(layout, Word::Id);
    let [any_key, any_id] = [taken.any("KEYED", keyed), taken.any("IDENTIFIED", identified)];
    key = key.map(|key| {
        quote! {
            #[inline]
            fn key(&self) -> ::core::primitive::u64 { #key }
        }
    });
    let id = id.map(|id| {
        quote! {
            #[inline]
            fn id(&self) -> ::core::option::Option<::core::primitive::u64> { #id }
        }
    });
    let priority = priority.map(|priority| {
        quote! {
            #[inline]
            fn priority(&self) -> ::core::primitive::u8 { #priority }
        }
    });
    let timestamp = timestamp.map(|timestamp| {
        quote! {
            #[inline]
            fn timestamp(&self) -> ::core::option::Option<::core::primitive::u64> { #timestamp }
        }
    });
    let consts = quote! {
        const KEYED: ::core::primitive::bool = #any_key;
        const IDENTIFIED: ::core::primitive::bool = #any_id;
    };
    Ok(Facts { keyed, consts, accessors: quote!(#key #id #priority #timestamp), edge })
}

/// The words of `#[ring(..)]`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Word {
    Key,
    Id,
    Priority,
    Timestamp,
    Edge,
}

impl Word {
    const ALL: [Self; 5] = [Self::Key, Self::Id, Self::Priority, Self::Timestamp, Self::Edge];

    fn name(self) -> &'static str {
        match self {
            Self::Key => "key",
            Self::Id => "id",
            Self::Priority => "priority",
            Self::Timestamp => "timestamp",
            Self::Edge => "edge",
        }
    }

    /// What the function of the message returns for a marked field. An error about the field's type stands at
    /// that type.
    fn value(self, field: &Field, place: &TokenStream) -> TokenStream {
        let ty = &field.ty;
        let value = match self {
            Self::Key | Self::Id => {
                quote_spanned!(ty.span()=> <#ty as ::annulus::__private::ActorKey>::to_u64(#place))
            }
            Self::Priority | Self::Timestamp | Self::Edge => {
                quote_spanned!(ty.span()=> ::core::convert::identity::<#ty>(#place))
            }
        };
        match self {
            Self::Key | Self::Priority | Self::Edge => value,
            Self::Id | Self::Timestamp => quote!(::core::option::Option::Some(#value)),
        }
    }

    /// What it returns where nothing is marked.
    fn nothing(self) -> TokenStream {
        match self {
            Self::Key | Self::Edge => quote!(0),
            Self::Priority => quote!(128),
            Self::Id | Self::Timestamp => quote!(::core::option::Option::None),
        }
    }

    /// Refuses the primitive types that this word cannot mark; of others the compiler knows more.
    fn check(self, field: &Field) -> syn::Result<()> {
        let Some(segment) = types::last_segment(&field.ty) else {
            let message = format!("{} is one number: mark a field of type {}", self.article(), self.wants());
            return Err(syn::Error::new_spanned(&field.ty, message));
        };
        let ty = segment.ident.to_string();
        let fits = match ty.as_str() {
            "u8" => !matches!(self, Self::Timestamp | Self::Edge),
            "u16" => !matches!(self, Self::Priority | Self::Timestamp | Self::Edge),
            "u32" => !matches!(self, Self::Priority | Self::Timestamp),
            "u64" => !matches!(self, Self::Priority | Self::Edge),
            "i32" | "f32" => self == Self::Edge,
            "i8" | "i16" | "i64" | "f64" | "bool" => false,
            // The value of an edge is written as it is, so the type is one of these by name.
            _ if self == Self::Edge => false,
            _ => true,
        };
        if fits {
            return Ok(());
        }
        let message = format!("{} is {}, not `{ty}`", self.article(), self.wants());
        Err(syn::Error::new_spanned(&field.ty, message))
    }

    fn article(self) -> &'static str {
        match self {
            Self::Key => "a key",
            Self::Id => "an id",
            Self::Priority => "a priority",
            Self::Timestamp => "a timestamp",
            Self::Edge => "the value of an edge",
        }
    }

    fn wants(self) -> &'static str {
        match self {
            Self::Key | Self::Id => "`u8`, `u16`, `u32` or `u64`",
            Self::Priority => "`u8` (255 leaves first)",
            Self::Timestamp => "`u64` (nanoseconds since 1970 UTC)",
            Self::Edge => "`u32`, `i32` or `f32`",
        }
    }
}

/// Whether a field has this mark.
fn is_marked(layout: &Layout<'_>, word: Word) -> bool {
    let has = |field: &Field| words(&field.attrs).unwrap_or_default().contains(&word);
    match layout {
        Layout::Struct(fields) => fields.iter().any(has),
        Layout::Enum { variants, .. } => variants.iter().flat_map(|variant| &variant.fields).any(has),
    }
}

/// The expression that reads what `word` marks, or `None` where nothing is marked, and nothing is taken that may
/// be.
fn accessor(layout: &Layout<'_>, taken: &Taken<'_>, word: Word) -> syn::Result<Option<TokenStream>> {
    match layout {
        Layout::Struct(fields) => {
            let Some((member, field)) = marked(fields, word)? else { return Ok(None) };
            Ok(Some(word.value(field, &quote!(self.#member))))
        }
        Layout::Enum { variants, .. } => {
            let mut errors = Errors::default();
            let mut arms = Vec::new();
            let mut unmarked = Vec::new();
            for (index, variant) in variants.iter().enumerate() {
                let name = &variant.ident;
                if let Some((member, field)) = taken.of(index) {
                    let (ty, function) = (&field.ty, format_ident!("{}", word.name()));
                    let place = format_ident!("__annulus_taken", span = proc_macro2::Span::mixed_site());
                    let value = quote_spanned! {ty.span()=>
                        <#ty as ::annulus::__private::Message>::#function(#place)
                    };
                    arms.push(quote!(Self::#name { #member: ref #place } => #value,));
                    continue;
                }
                match errors.take(marked(&variant.fields, word)) {
                    Some(Some((member, field))) => {
                        let place = format_ident!("__annulus_marked", span = proc_macro2::Span::mixed_site());
                        let value = word.value(field, &quote!(#place));
                        arms.push(quote!(Self::#name { #member: #place, .. } => #value,));
                    }
                    Some(None) => unmarked.push(name),
                    None => {}
                }
            }
            let nothing = word.nothing();
            for variant in unmarked {
                if taken.is_empty() && !arms.is_empty() {
                    errors.at(variant, missing(variant, word));
                } else if !taken.is_empty() {
                    // Whether the messages of other variants have it, the compiler alone knows: `Taken::checks`.
                    arms.push(quote!(Self::#variant { .. } => #nothing,));
                }
            }
            errors.finish((!arms.is_empty()).then(|| quote!(match *self { #(#arms)* })))
        }
    }
}

/// The number of the field that is marked as the key.
pub(crate) fn key_place(fields: &syn::Fields) -> Option<usize> {
    fields.iter().position(|field| words(&field.attrs).unwrap_or_default().contains(&Word::Key))
}

/// The number of the field that gets the value of an edge, if one is marked. It stands beside a key, in a struct.
fn edge_place(layout: &Layout<'_>) -> syn::Result<Option<usize>> {
    let mark = |field: &Field| {
        let is_edge = words(&field.attrs).unwrap_or_default().contains(&Word::Edge);
        is_edge.then(|| field.attrs.iter().find(|attribute| is_ring(attribute)).cloned()).flatten()
    };
    let fields = match layout {
        Layout::Struct(fields) => fields,
        Layout::Enum { variants, .. } => {
            let mut errors = Errors::default();
            for attribute in variants.iter().flat_map(|variant| &variant.fields).filter_map(mark) {
                errors.at(
                    attribute,
                    "the value of an edge goes into a struct: make a struct of what goes along rows",
                );
            }
            return errors.finish(None);
        }
    };
    marked(fields, Word::Edge)?;
    let place = fields.iter().position(|field| mark(field).is_some());
    match fields.iter().find_map(mark) {
        Some(attribute) if !has_key(fields) => Err(syn::Error::new_spanned(
            attribute,
            "what goes along rows names its actor: mark the field of its key, too, `#[ring(key)]`",
        )),
        _ => Ok(place),
    }
}

/// Whether a field is marked as the key.
pub(crate) fn has_key(fields: &syn::Fields) -> bool {
    key_place(fields).is_some()
}

/// Whether a field is marked as the id.
pub(crate) fn has_id(fields: &syn::Fields) -> bool {
    fields.iter().any(|field| words(&field.attrs).unwrap_or_default().contains(&Word::Id))
}

/// Where the key stands, as a `KeyDescriptor`, if no variant takes a message.
pub(crate) fn key_field(layout: &Layout<'_>) -> TokenStream {
    let place = key_place;
    let descriptor = match layout {
        Layout::Struct(fields) => {
            let field = place(fields);
            quote!(Field(#field))
        }
        Layout::Enum { variants, .. } => {
            let fields = variants.iter().filter_map(|variant| place(&variant.fields));
            quote!(Variants(&[#(#fields),*]))
        }
    };
    quote!(::core::option::Option::Some(::annulus::__private::KeyDescriptor::#descriptor))
}

fn missing(variant: &Ident, word: Word) -> String {
    let word = word.name();
    format!(
        "other variants have a `#[ring({word})]`, `{variant}` has none: mark a field of every variant, or of none"
    )
}

/// The field that `word` marks.
fn marked(fields: &syn::Fields, word: Word) -> syn::Result<Option<(Member, &Field)>> {
    let mut errors = Errors::default();
    let mut found = None;
    for (member, field) in members(fields) {
        // Badly written words are reported once, by `check_words`.
        if !words(&field.attrs).unwrap_or_default().contains(&word) {
            continue;
        }
        errors.take(word.check(field));
        match &found {
            None => found = Some((member, field)),
            Some((first, _)) => {
                let (word, first, second) = (word.name(), shown(first), shown(&member));
                let message = format!(
                    "`{first}` is already the {word}: take `#[ring({word})]` off it or off `{second}`"
                );
                errors.at(field.attrs.iter().find(|attribute| is_ring(attribute)), message);
            }
        }
    }
    errors.finish(found)
}

fn shown(member: &Member) -> String {
    match member {
        Member::Named(ident) => ident.to_string(),
        Member::Unnamed(index) => index.index.to_string(),
    }
}

pub(crate) fn is_ring(attribute: &Attribute) -> bool {
    attribute.path().is_ident("ring")
}

/// Every error of how `#[ring(..)]` is written, and where.
fn check_words(layout: &Layout<'_>) -> syn::Result<()> {
    let mut errors = Errors::default();
    let fields: Vec<&Field> = match layout {
        Layout::Struct(fields) => fields.iter().collect(),
        Layout::Enum { variants, .. } => {
            for variant in *variants {
                refuse_elsewhere(&variant.attrs, &mut errors);
            }
            variants.iter().flat_map(|variant| &variant.fields).collect()
        }
    };
    for field in fields {
        errors.take(words(&field.attrs));
    }
    errors.finish(())
}

/// Of a variant there is one word, which `Taken::of_layout` reads.
fn refuse_elsewhere(attributes: &[Attribute], errors: &mut Errors) {
    let is_for_variants = |attribute: &Attribute| taken::is_from(attribute) || events::is_event(attribute);
    for attribute in attributes.iter().filter(|attribute| is_ring(attribute) && !is_for_variants(attribute)) {
        errors.at(
            attribute,
            "above a variant stands `#[ring(from)]`, which takes what other kernels send, or `#[ring(tick)]`, \
             `#[ring(start)]` or `#[ring(stop)]`, which nobody sends; other words mark fields",
        );
    }
}

/// The words that a field is marked with.
fn words(attributes: &[Attribute]) -> syn::Result<Vec<Word>> {
    let mut errors = Errors::default();
    let mut words = Vec::new();
    for attribute in attributes.iter().filter(|attribute| is_ring(attribute)) {
        let known = "`key`, `id`, `priority`, `timestamp` and `edge`";
        let listed = match &attribute.meta {
            Meta::List(list) => list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)?,
            _ => Punctuated::new(),
        };
        if listed.is_empty() {
            errors.at(
                attribute,
                format!("say what the field is: `#[ring(key)]`, for one. The words are {known}"),
            );
        }
        for meta in listed {
            let word = Word::ALL
                .into_iter()
                .find(|word| matches!(&meta, Meta::Path(path) if path.is_ident(word.name())));
            match word {
                None if matches!(&meta, Meta::Path(path) if path.is_ident("from")) => errors.at(
                    &meta,
                    "`#[ring(from)]` stands above a variant, whose one field is what other kernels send",
                ),
                None if events::is_word(&meta) => {
                    let word = types::text(&meta);
                    errors.at(&meta, format!("`#[ring({word})]` stands above a variant without fields"));
                }
                None => errors.at(
                    &meta,
                    format!("`{}` is no word of `#[ring(..)]`: they are {known}", types::text(&meta)),
                ),
                Some(word) if words.contains(&word) => {
                    errors.at(&meta, format!("`{}` is said twice", word.name()));
                }
                Some(word) => words.push(word),
            }
        }
    }
    errors.finish(words)
}
