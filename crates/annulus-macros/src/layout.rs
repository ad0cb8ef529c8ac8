//! The part that both derives share: is this a type whose layout the language fixes?

use proc_macro2::Ident;
use syn::{
    Attribute, Data, DataEnum, DeriveInput, Fields, GenericParam, Variant, ext::IdentExt,
    punctuated::Punctuated, token::Comma,
};

use crate::{errors::Errors, types};

/// A type whose layout the language fixes.
pub(crate) enum Layout<'a> {
    /// `repr(C)` or `repr(transparent)`.
    Struct(&'a Fields),
    /// A primitive representation: a union of `repr(C)` structs that begin with a tag of this type (RFC
    /// 2195).
    Enum { tag: Ident, variants: &'a Punctuated<Variant, Comma> },
}

impl<'a> Layout<'a> {
    /// The layout of the type that is derived for, or every reason why it has none.
    pub(crate) fn of(input: &'a DeriveInput) -> syn::Result<Self> {
        let mut errors = Errors::default();
        for parameter in &input.generics.params {
            if let GenericParam::Lifetime(lifetime) = parameter {
                errors.at(lifetime, "a device type borrows nothing: leave the lifetime out and store values");
            }
        }
        let repr = Repr::of(&input.attrs)?;
        if let Some(packed) = &repr.packed {
            errors.at(packed, "a device reads aligned fields only: leave `packed` out");
        }
        let layout = match &input.data {
            Data::Struct(data) => {
                if !repr.fixes_struct {
                    let message =
                        format!("`{}` has no fixed layout: write `#[repr(C)]` above it", input.ident);
                    errors.at(&input.ident, message);
                }
                check_fields(&data.fields, &mut errors);
                Some(Layout::Struct(&data.fields))
            }
            Data::Enum(data) => enum_layout(input, data, &repr, &mut errors),
            Data::Union(data) => {
                let message = "a device cannot tell what a union holds: write an enum with `#[repr(u32)]`, \
                               whose tag says so";
                errors.at(data.union_token, message);
                None
            }
        };
        errors.finish(layout).map(|layout| layout.expect("without a layout there was an error"))
    }
}

fn enum_layout<'a>(
    input: &DeriveInput,
    data: &'a DataEnum,
    repr: &Repr,
    errors: &mut Errors,
) -> Option<Layout<'a>> {
    let name = &input.ident;
    if let Some(parameter) =
        input.generics.params.iter().find(|parameter| !matches!(parameter, GenericParam::Lifetime(_)))
    {
        let message = format!(
            "a generic enum has no single layout: write the types that `{name}` holds, or make it a struct"
        );
        errors.at(parameter, message);
    }
    if data.variants.is_empty() {
        errors.at(name, format!("`{name}` has no variants, so it has no values to store or send"));
    }
    for variant in &data.variants {
        check_fields(&variant.fields, errors);
    }
    let Some(tag) = repr.tag.clone() else {
        errors.at(
            name,
            format!(
                "the tag of `{name}` has no fixed size: write `#[repr(u32)]` (or another integer) above it"
            ),
        );
        return None;
    };
    if repr.fixes_struct {
        errors.at(
            name,
            format!("`{name}` mixes `repr(C)` and `repr({tag})`: write `#[repr({tag})]` alone, the tag then comes first"),
        );
    }
    if matches!(tag.to_string().as_str(), "usize" | "isize" | "u128" | "i128") {
        errors
            .at(&tag, format!("a tag of type `{tag}` is not the same on every device: write `#[repr(u32)]`"));
    }
    Some(Layout::Enum { tag, variants: &data.variants })
}

fn check_fields(fields: &Fields, errors: &mut Errors) {
    for field in fields {
        errors.take(types::check(&field.ty));
    }
}

/// What the `#[repr(..)]` attributes of a type say.
#[derive(Default)]
struct Repr {
    /// `C` or `transparent`.
    fixes_struct: bool,
    /// An integer.
    tag: Option<Ident>,
    /// `packed`, which is refused.
    packed: Option<Ident>,
}

impl Repr {
    fn of(attributes: &[Attribute]) -> syn::Result<Self> {
        let mut repr = Self::default();
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("repr")) {
            attribute.parse_nested_meta(|meta| {
                // The numbers of `align(16)` and `packed(2)` are the compiler's to check.
                if meta.input.peek(syn::token::Paren) {
                    let number;
                    syn::parenthesized!(number in meta.input);
                    number.parse::<proc_macro2::TokenStream>()?;
                }
                let word = meta.path.require_ident()?;
                match word.unraw().to_string().as_str() {
                    "C" | "transparent" => repr.fixes_struct = true,
                    "packed" => repr.packed = Some(word.clone()),
                    "align" | "Rust" => {}
                    _ => repr.tag = Some(word.unraw()),
                }
                Ok(())
            })?;
        }
        Ok(repr)
    }
}
