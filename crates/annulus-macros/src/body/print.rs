//! `device_print!`: its text, and the values that the text names.

use std::collections::HashSet;

use annulus_tree::ExpressionKind;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Expr, LitStr, Macro, Token, ext::IdentExt, parse::Parser};

use super::{OR_CPU_ONLY, Read, Reader, node, span, start};

/// The most values that a print has.
const MOST: usize = 64;

/// What a print is given: `value`, or `name = value`.
struct Argument {
    name: Option<Ident>,
    value: Expr,
}

/// A print as the user wrote it.
struct Written {
    text: LitStr,
    arguments: Vec<Argument>,
}

/// A print of the body, by its number.
pub(super) struct Print {
    /// The macro's name, where it stands.
    place: Span,
    text: LitStr,
    /// The names that the arguments were given, and where the arguments stand.
    names: Vec<(Option<Ident>, Span)>,
}

impl Reader {
    pub(super) fn print(&mut self, call: &Macro) -> Read {
        let Written { text, mut arguments } = match read.parse2(call.tokens.clone()) {
            Ok(written) => written,
            Err(error) => {
                // Without words an error stands at the attribute.
                return if call.tokens.is_empty() {
                    self.refuse(call, error)
                } else {
                    self.errors.push(error);
                    node(call, ExpressionKind::Unit, TokenStream::new())
                };
            }
        };
        // What the text names and nobody gave is a variable, or a constant.
        let mut given: HashSet<String> = arguments
            .iter()
            .filter_map(|argument| argument.name.as_ref())
            .map(|name| name.unraw().to_string())
            .collect();
        for name in named(&text.value()) {
            if given.insert(name.clone()) {
                let Some(ident) = identifier(&name, text.span()) else { continue };
                let value = syn::parse_quote!(#ident);
                arguments.push(Argument { name: Some(ident), value });
            }
        }
        if arguments.len() > MOST {
            let message = format!(
                "a print has {MOST} values at most, not {}: write several, {OR_CPU_ONLY}",
                arguments.len()
            );
            return self.refuse(call, message);
        }
        let mut trees = Vec::new();
        let mut names = Vec::new();
        let mut shown = quote!(());
        let mut seen = Vec::new();
        for Argument { name, value } in &arguments {
            let Read { tree, tokens } = self.expression(value);
            trees.push(tree);
            names.push((name.clone(), span(value)));
            seen.push(quote_spanned!(span(value)=> ::annulus::__private::witness::shown(&#tokens)));
        }
        for value in seen.iter().rev() {
            shown = quote!((#value, #shown));
        }
        let number = self.prints.len() as u32;
        let seen = self::arguments(number);
        self.prints.push(Print { place: start(&call.path), text, names });
        let tokens = quote_spanned!(span(call)=> ::annulus::__private::witness::print(&#seen, #shown));
        node(call, ExpressionKind::Print { number, arguments: trees }, tokens)
    }
}

impl Print {
    /// The print as data, as an expression.
    pub(super) fn site(&self, number: u32) -> TokenStream {
        let Self { place, text, names } = self;
        let place = *place;
        let seen = arguments(number);
        // Each stands where its argument does, so that what is wrong with the text is said of the user's
        // places.
        let value = |(index, (_, place)): (usize, &(Option<Ident>, Span))| {
            format_ident!("__annulus_value_{index}", span = *place)
        };
        let values: Vec<Ident> = names.iter().enumerate().map(value).collect();
        let mut pattern = quote!(());
        for value in values.iter().rev() {
            pattern = quote!((#value, #pattern));
        }
        let arguments = values.iter().zip(names).map(|(value, (name, _))| match name {
            Some(name) => quote!(#name = #value),
            None => quote!(#value),
        });
        // What is asked here stands at the macro's name, so that its line is the one that the CPU tells.
        let file = quote_spanned!(place=> ::core::file!());
        let line = quote_spanned!(place=> ::core::line!());
        let place = Span::mixed_site().located_at(place);
        quote_spanned! {place=>
            ::annulus::__private::witness::site(&#seen, #file, #line, |#pattern, __annulus_formatter| {
                ::core::write!(__annulus_formatter, #text #(, #arguments)*)
            })
        }
    }
}

/// The variable that holds the witness of a print's arguments.
pub(super) fn arguments(number: u32) -> Ident {
    format_ident!("__annulus_print_{number}", span = Span::mixed_site())
}

fn read(input: syn::parse::ParseStream<'_>) -> syn::Result<Written> {
    if !input.peek(LitStr) {
        return Err(input.error("the text stands here: `device_print!(\"{} of {}\", a, b)`"));
    }
    let text: LitStr = input.parse()?;
    let mut arguments = Vec::new();
    while !input.is_empty() {
        input.parse::<Token![,]>()?;
        if input.is_empty() {
            break;
        }
        let name = if input.peek(syn::Ident::peek_any) && input.peek2(Token![=]) && !input.peek2(Token![==]) {
            let name = input.call(Ident::parse_any)?;
            input.parse::<Token![=]>()?;
            Some(name)
        } else {
            None
        };
        arguments.push(Argument { name, value: input.parse()? });
    }
    Ok(Written { text, arguments })
}

/// The names in a text's braces, each as often as it stands there: in `{name:width$.precision$}` there are
/// three. Whether the text is well formed, rustc says.
fn named(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        rest = &rest[open + 1..];
        if let Some(after) = rest.strip_prefix('{') {
            rest = after;
            continue;
        }
        let close = rest.find('}').unwrap_or(rest.len());
        let (argument, format) = rest[..close].split_once(':').unwrap_or((&rest[..close], ""));
        names.extend(name(argument.trim()));
        // A fill may be any character, and stands before the alignment.
        let mut format = format;
        let mut characters = format.chars();
        if let (Some(fill), Some('<' | '^' | '>')) = (characters.next(), characters.next()) {
            format = &format[fill.len_utf8()..];
        }
        let mut parts: Vec<&str> = format.split('$').collect();
        // What stands behind the last one is no name.
        parts.pop();
        for part in parts {
            let start = part.rfind(|c: char| !is_word(c)).map_or(0, |at| at + 1);
            // In `{:0width$}` the zero is a flag.
            let word = &part[start..];
            names.extend(name(word.strip_prefix('0').unwrap_or(word)));
        }
        rest = &rest[close..];
    }
    names
}

/// The word, if it is a name and no number.
fn name(word: &str) -> Option<String> {
    let first = word.chars().next()?;
    (!first.is_ascii_digit() && word.chars().all(is_word)).then(|| word.to_owned())
}

fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// A name of the text as one of the program.
fn identifier(name: &str, place: Span) -> Option<Ident> {
    if name == "_" {
        return None;
    }
    let mut ident = match syn::parse_str::<Ident>(name) {
        Ok(ident) => ident,
        Err(_) if matches!(name, "self" | "Self" | "super" | "crate") => Ident::new(name, place),
        Err(_) => syn::parse_str::<Ident>(&format!("r#{name}")).ok()?,
    };
    ident.set_span(place);
    Some(ident)
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn names_stand_in_braces() {
        let none: [&str; 0] = [];
        assert_eq!(named("z of {} is {z:.2}, {{not}} {0} {1:>8} {a_b:?}"), ["z", "a_b"]);
        assert_eq!(named("{:width$.precision$} {x:*>w$} {:.*} {:$^5}"), ["width", "precision", "x", "w"]);
        assert_eq!(named("{:0w$} {:1$} {:#010x} {unclosed"), ["w", "unclosed"]);
        assert_eq!(named("}} {{ {"), none);
        assert_eq!(named("{größe}"), ["größe"]);
    }
}
