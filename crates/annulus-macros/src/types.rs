//! Types that cannot stand in device memory, by the way they are written: what is wrong, and what to write
//! instead.
//!
//! This is for the reader's sake. The compiler decides, by the trait `DeviceType`, which every type is held
//! to as well.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Error, GenericArgument, PathArguments, PathSegment, Type};

/// The type without the parentheses and invisible groups around it.
pub(crate) fn bare(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => bare(&group.elem),
        Type::Paren(paren) => bare(&paren.elem),
        other => other,
    }
}

/// The last segment of a path: the `Outbox<Alert>` of `annulus::Outbox<Alert>`.
pub(crate) fn last_segment(ty: &Type) -> Option<&PathSegment> {
    match bare(ty) {
        Type::Path(path) if path.qself.is_none() => path.path.segments.last(),
        _ => None,
    }
}

/// The type arguments of a path's segment.
pub(crate) fn type_arguments(segment: &PathSegment) -> Vec<&Type> {
    let PathArguments::AngleBracketed(arguments) = &segment.arguments else { return Vec::new() };
    arguments
        .args
        .iter()
        .filter_map(|argument| match argument {
            GenericArgument::Type(ty) => Some(ty),
            _ => None,
        })
        .collect()
}

/// The first type argument as text, for an error to name: the `f32` of `Vec<f32>`.
pub(crate) fn first_argument(segment: &PathSegment) -> String {
    type_arguments(segment).first().map_or_else(|| "T".into(), text)
}

/// Source text on one line, with the spaces that a person would write.
pub(crate) fn text(tokens: impl ToTokens) -> String {
    let mut text = tokens.to_token_stream().to_string();
    for (wide, narrow) in [
        (" :: ", "::"),
        (" < ", "<"),
        (" >", ">"),
        ("< ", "<"),
        ("& ", "&"),
        ("* const", "*const"),
        ("* mut", "*mut"),
        (" ,", ","),
        (" ;", ";"),
        ("[ ", "["),
        (" ]", "]"),
        ("( ", "("),
        (" )", ")"),
    ] {
        text = text.replace(wide, narrow);
    }
    text
}

/// Whether this is a number or a boolean, or a reference to one, by its name.
pub(crate) fn is_number(ty: &Type) -> bool {
    const NUMBERS: [&str; 13] =
        ["bool", "u8", "u16", "u32", "u64", "usize", "i8", "i16", "i32", "i64", "isize", "f32", "f64"];
    match bare(ty) {
        Type::Reference(reference) => is_number(&reference.elem),
        Type::Path(path) => {
            path.qself.is_none()
                && path.path.get_ident().is_some_and(|name| NUMBERS.iter().any(|number| name == number))
        }
        _ => false,
    }
}

/// Whether this is an atomic type by its name.
pub(crate) fn is_atomic(ty: &Type) -> bool {
    last_segment(ty).is_some_and(|segment| {
        segment.ident.to_string().strip_prefix("Atomic").is_some_and(|rest| {
            matches!(
                rest,
                "Bool"
                    | "U8"
                    | "U16"
                    | "U32"
                    | "U64"
                    | "I8"
                    | "I16"
                    | "I32"
                    | "I64"
                    | "Usize"
                    | "Isize"
                    | "Ptr"
            )
        })
    })
}

/// Refuses a type that can be seen not to be plain old data with a fixed layout.
pub(crate) fn check(ty: &Type) -> syn::Result<()> {
    let refuse = |reason: &str| Err(Error::new_spanned(ty, format!("`{}` {reason}", text(ty))));
    match bare(ty) {
        Type::Array(array) => check(&array.elem),
        Type::Path(_) => match last_segment(ty).and_then(named) {
            Some(reason) => refuse(&reason),
            None => Ok(()),
        },
        Type::Reference(_) | Type::Ptr(_) => refuse(NO_ADDRESS),
        Type::FnPtr(_) => refuse(NO_CODE),
        Type::Tuple(_) => {
            refuse("is a tuple, which has no fixed layout; write a `#[repr(C)]` struct instead")
        }
        Type::Slice(slice) => {
            let element = text(&slice.elem);
            refuse(&format!("has no fixed size; write `[{element}; N]` and a length"))
        }
        _ => refuse("has no fixed layout; write the name of a type that derives `DeviceType`"),
    }
}

/// Whether a value of this type, which may be one that is [refused](check), can be copied and sent to a thread, as far as can be
/// seen. Of what the macro does not know it is believed.
pub(crate) fn may_be_copied(ty: &Type) -> bool {
    match bare(ty) {
        Type::Array(array) => may_be_copied(&array.elem),
        Type::Tuple(tuple) => tuple.elems.iter().all(may_be_copied),
        Type::Reference(reference) => reference.mutability.is_none(),
        Type::FnPtr(_) => true,
        Type::Path(_) => match last_segment(ty) {
            Some(segment) => match segment.ident.to_string().as_str() {
                "Option" | "Result" => type_arguments(segment).into_iter().all(may_be_copied),
                "char" | "u128" | "i128" | "Saturating" | "PhantomData" => true,
                name if name.starts_with("NonZero") => true,
                _ => named(segment).is_none(),
            },
            None => true,
        },
        _ => false,
    }
}

/// Refuses a written type of a body or a device function that can be seen to be the host's. What only the
/// compiler sees, the trait `Typed` refuses.
pub(crate) fn check_value(ty: &Type) -> syn::Result<()> {
    let refuse = |reason: &str| Err(Error::new_spanned(ty, format!("`{}` {reason}", text(ty))));
    match bare(ty) {
        Type::Array(array) => check_value(&array.elem),
        Type::Slice(slice) => check_value(&slice.elem),
        Type::Reference(reference) => check_value(&reference.elem),
        Type::Tuple(tuple) if tuple.elems.len() > MOST_PARTS => {
            Err(Error::new_spanned(ty, too_many_parts(tuple.elems.len())))
        }
        Type::Tuple(tuple) => tuple.elems.iter().try_for_each(check_value),
        Type::Ptr(_) => refuse(NO_ADDRESS),
        Type::FnPtr(_) => refuse(NO_CODE),
        Type::TraitObject(object) => {
            let bounds = text(&object.bounds);
            refuse(if is_call(&bounds) {
                NO_CODE
            } else {
                "is known at run time only; write the type that it is"
            })
        }
        Type::Path(_) => {
            let Some(segment) = last_segment(ty) else { return Ok(()) };
            match segment.ident.to_string().as_str() {
                "usize" | "isize" | "PhantomData" => Ok(()),
                "Option" | "Result" => type_arguments(segment).into_iter().try_for_each(check_value),
                "String" | "str" => refuse("is text, which a device has not; write `[u8; N]` and a length"),
                "char" => refuse("is no number of a device; write `u32`, or `u8` for ASCII"),
                name if name.starts_with("Atomic") => Ok(()),
                _ => named(segment).map_or(Ok(()), |reason| refuse(&reason)),
            }
        }
        _ => Ok(()),
    }
}

/// How many parts a tuple has at most, which is as many as the standard library compares.
pub(crate) const MOST_PARTS: usize = 12;

/// The refusal of a tuple of `parts` parts.
pub(crate) fn too_many_parts(parts: usize) -> String {
    format!(
        "a tuple of a device has {MOST_PARTS} parts at most, not {parts}: write a struct that derives `DeviceType`, whose \
         fields have names"
    )
}

/// Whether these bounds are those of what can be called: `Fn(u32) -> u32`.
pub(crate) fn is_call(bounds: &str) -> bool {
    ["Fn", "FnMut", "FnOnce"]
        .iter()
        .any(|name| bounds.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with('(')))
}

const NO_ADDRESS: &str = "is an address, which means nothing on another device; store the value itself, or an index (`u32`) \
                          into a table that the kernel binds";

pub(crate) const NO_CODE: &str = "is an address of code; write an enum with `#[repr(u32)]` and match on it";

/// What is wrong with a path that ends so, if its name alone tells.
fn named(segment: &PathSegment) -> Option<String> {
    let name = segment.ident.to_string();
    if let PathArguments::AngleBracketed(arguments) = &segment.arguments {
        if arguments.args.iter().any(|argument| matches!(argument, GenericArgument::Lifetime(_))) {
            return Some("borrows; a device type owns all that it holds".into());
        }
        let first = first_argument(segment);
        let reason = match name.as_str() {
            "HashMap" | "BTreeMap" => {
                "lives on the host's heap; write an array of structs of key and value, and a length".into()
            }
            "Vec" | "VecDeque" | "HashSet" | "BTreeSet" => {
                format!("lives on the host's heap; write `List<{first}, N>`, which holds up to N of them")
            }
            "Box" | "Rc" | "Arc" => format!("lives on the host's heap; store the `{first}` itself"),
            "Option" => {
                format!("has no fixed layout; write `Maybe<{first}>`, whose `get()` gives the `Option`")
            }
            "Saturating" => {
                format!("is no number of a device; write `{first}`, and `saturating_add` and its kin")
            }
            "NonZero" => {
                format!("has values that a device cannot check; write `{first}`, and compare it with 0")
            }
            "Result" => "has no fixed layout; write an enum with `#[repr(u32)]`".into(),
            "Cell" | "RefCell" | "Mutex" | "RwLock" => {
                format!("is a host's cell; write `{first}`, and change it through the state, `&mut S`")
            }
            "PhantomData" => "holds nothing; leave the field out".into(),
            _ => return None,
        };
        return Some(reason);
    }
    let reason = match name.as_str() {
        "char" => "has values that a device cannot check; write `u32`",
        "NonZeroU8" | "NonZeroU16" | "NonZeroU32" | "NonZeroU64" | "NonZeroUsize" | "NonZeroI8"
        | "NonZeroI16" | "NonZeroI32" | "NonZeroI64" | "NonZeroIsize" => {
            let number = name.trim_start_matches("NonZero").to_lowercase();
            return Some(format!(
                "has values that a device cannot check; write `{number}`, and compare it with 0"
            ));
        }
        "u128" => "is not a number on any device; write `[u64; 2]`",
        "i128" => "is not a number on any device; write `[i64; 2]`",
        "String" | "str" => "has no fixed size; write `Text<N>`, which holds up to N bytes",
        "AtomicU32" | "AtomicU64" | "AtomicI32" | "AtomicI64" => {
            return Some(format!(
                "is shared memory, which is a handler's parameter: write `&[{name}]` there and a plain number here"
            ));
        }
        _ => return None,
    };
    Some(reason.into())
}

/// What keeps an implementation out of rustc's lists of types that implement a trait, if it is the library's own:
/// programs have no use for its messages there.
pub(crate) fn quiet() -> Option<TokenStream> {
    let of_the_library = std::env::var_os("CARGO_CRATE_NAME").is_some_and(|name| name == "annulus_runtime");
    of_the_library.then(|| quote!(#[diagnostic::do_not_recommend]))
}
