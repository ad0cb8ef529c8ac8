//! Variants that come without being sent: `#[ring(tick)]`, `#[ring(start)]` and `#[ring(stop)]`.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{Attribute, Data, DeriveInput, Meta, Variant};

use crate::{
    errors::Errors,
    layout::Layout,
    message_facts::{has_key, is_ring},
};

/// The marks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Event {
    Tick,
    Start,
    Stop,
}

impl Event {
    const ALL: [Self; 3] = [Self::Tick, Self::Start, Self::Stop];

    fn word(self) -> &'static str {
        match self {
            Self::Tick => "tick",
            Self::Start => "start",
            Self::Stop => "stop",
        }
    }

    /// That of an attribute, if it is one.
    fn of(attribute: &Attribute) -> Option<Self> {
        let Meta::List(list) = &attribute.meta else { return None };
        let word: Ident = list.parse_args().ok().filter(|_| is_ring(attribute))?;
        Self::ALL.into_iter().find(|event| word == event.word())
    }
}

/// What stands for them in a message that is refused: which variants are marked, whatever else is wrong. A kernel that
/// takes the message would say that none is.
pub(crate) fn of_refused(input: &DeriveInput) -> TokenStream {
    let Data::Enum(data) = &input.data else { return TokenStream::new() };
    let marked = |variant: &Variant| variant.attrs.iter().any(|mark| Event::of(mark) == Some(Event::Tick));
    match data.variants.iter().position(marked) {
        Some(number) => quote! {
            const TICK: ::core::option::Option<::core::primitive::usize> = ::core::option::Option::Some(#number);
        },
        None => TokenStream::new(),
    }
}

/// Whether it is one of the marks.
pub(crate) fn is_event(attribute: &Attribute) -> bool {
    Event::of(attribute).is_some()
}

/// Whether it is the word of one of them.
pub(crate) fn is_word(meta: &Meta) -> bool {
    matches!(meta, Meta::Path(path) if Event::ALL.iter().any(|event| path.is_ident(event.word())))
}

/// The variants that are marked, by their numbers and names.
#[derive(Default)]
pub(crate) struct Events<'a>(Vec<(Event, usize, &'a Ident)>);

impl<'a> Events<'a> {
    /// Of a message of this layout, or every reason why a variant cannot be what it is marked as.
    pub(crate) fn of_layout(layout: &Layout<'a>) -> syn::Result<Self> {
        let Layout::Enum { variants, .. } = layout else { return Ok(Self::default()) };
        let mut errors = Errors::default();
        let mut found: Vec<(Event, usize, &Ident)> = Vec::new();
        let keyed = variants.iter().find(|variant| has_key(&variant.fields));
        for (index, variant) in variants.iter().enumerate() {
            for attribute in &variant.attrs {
                let Some(event) = Event::of(attribute) else { continue };
                errors.take(check(event, attribute, variant, keyed));
                let (word, name) = (event.word(), &variant.ident);
                if let Some((.., first)) = found.iter().find(|(other, ..)| *other == event) {
                    let text =
                        format!("`{first}` is the {word} already: take `#[ring({word})]` off one of the two");
                    errors.at(attribute, text);
                } else if let Some((other, ..)) = found.iter().find(|(_, number, _)| *number == index) {
                    let text = format!(
                        "`{name}` is the {} already: give the {word} a variant of its own",
                        other.word()
                    );
                    errors.at(attribute, text);
                }
                found.push((event, index, name));
            }
        }
        errors.finish(Self(found))
    }

    /// What `RingMessage` says of them; nothing if there are none.
    pub(crate) fn consts(&self) -> TokenStream {
        if self.0.is_empty() {
            return TokenStream::new();
        }
        let of = |event: Event| self.0.iter().find(|(other, ..)| *other == event);
        let [tick, start, stop] = Event::ALL.map(|event| match of(event) {
            Some((_, number, _)) => quote!(::core::option::Option::Some(#number)),
            None => quote!(::core::option::Option::None),
        });
        let made = Event::ALL.map(|event| match of(event) {
            Some((.., name)) => quote!(::core::option::Option::Some(Self::#name {})),
            None => quote!(::core::option::Option::None),
        });
        quote! {
            const TICK: ::core::option::Option<::core::primitive::usize> = #tick;
            const START: ::core::option::Option<::core::primitive::usize> = #start;
            const STOP: ::core::option::Option<::core::primitive::usize> = #stop;
            fn events() -> [::core::option::Option<Self>; 3] {
                [#(#made),*]
            }
        }
    }
}

fn check(event: Event, mark: &Attribute, variant: &Variant, keyed: Option<&Variant>) -> syn::Result<()> {
    let (word, name) = (event.word(), &variant.ident);
    if !variant.fields.is_empty() {
        let text = format!(
            "nobody sends a {word}, so nobody fills the fields of `{name}`: write `{name}` alone, and let the handler ask \
             `cx.now()` for the time"
        );
        return Err(syn::Error::new_spanned(mark, text));
    }
    if let Some(Variant { ident: other, .. }) = keyed {
        let text = format!(
            "a {word} is for a whole block, and `{other}` has a key, which names one actor: take messages without \
             `#[ring(key)]`, or let each actor send itself messages, by `&Later<M>`"
        );
        return Err(syn::Error::new_spanned(mark, text));
    }
    Ok(())
}
