//! Patterns.

use annulus_tree::{Bound, FieldPattern, Literal, Pattern, names};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::{
    Expr, ExprLit, Lit, Member, Pat, Path, RangeLimits, UnOp, ext::IdentExt, punctuated::Punctuated,
    token::Comma,
};

use super::{Reader, Source, span};
use crate::types::text;

impl Reader {
    /// Reads a pattern, and declares what it binds.
    pub(super) fn pattern(&mut self, pat: &Pat) -> (Pattern, TokenStream) {
        let (pattern, tokens) = self.undeclared(pat);
        self.scopes.declare_all(&pattern);
        (pattern, tokens)
    }

    /// The same for one that matches everything, and so names no constant: a word in it is a variable,
    /// whatever its case.
    pub(super) fn irrefutable(&mut self, pat: &Pat) -> (Pattern, TokenStream) {
        self.irrefutable = true;
        let read = self.pattern(pat);
        self.irrefutable = false;
        read
    }

    fn undeclared(&mut self, pat: &Pat) -> (Pattern, TokenStream) {
        let same = pat.to_token_stream();
        let pattern = match pat {
            Pat::Wild(_) => Pattern::Wildcard,
            Pat::Paren(paren) => {
                let (inner, tokens) = self.undeclared(&paren.pat);
                return (inner, quote!((#tokens)));
            }
            Pat::Ident(ident)
                if !self.irrefutable
                    && ident.subpat.is_none()
                    && ident.by_ref.is_none()
                    && is_path(&ident.ident) =>
            {
                return (self.constant(&ident.ident.unraw().to_string(), &ident.ident), same);
            }
            Pat::Ident(ident) => {
                let name = self.variable(&ident.ident);
                let (by_ref, mutable, word) = (&ident.by_ref, &ident.mutability, &ident.ident);
                let (inner, inner_tokens) = match &ident.subpat {
                    Some((_, inner)) => {
                        let (inner, tokens) = self.undeclared(inner);
                        (Some(Box::new(inner)), tokens)
                    }
                    None => (None, quote!(_)),
                };
                let bind =
                    Pattern::Bind { name, mutable: mutable.is_some(), by_reference: by_ref.is_some(), inner };
                // With `@ _` this can be nothing but a binding: were it the name of a constant, which is
                // matched, rustc would say so.
                return (bind, quote_spanned!(span(pat)=> #by_ref #mutable #word @ #inner_tokens));
            }
            Pat::Lit(ExprLit { lit: Lit::ByteStr(bytes), .. }) => {
                let element = |(index, byte): (usize, u8)| FieldPattern {
                    name: index.to_string(),
                    pattern: Pattern::Literal {
                        literal: Literal::Integer { negative: false, magnitude: byte.into() },
                    },
                };
                let fields = bytes.value().into_iter().enumerate().map(element).collect();
                Pattern::Fields { name: names::SLICE.to_owned(), fields }
            }
            Pat::Lit(literal) => self.literal_pattern(&Expr::Lit(literal.clone()), pat),
            // As `None`, without its parameter it does not tell its type.
            Pat::Path(path) if is_bare_nothing(&path.path) => {
                Pattern::Fields { name: "Nothing".to_owned(), fields: Vec::new() }
            }
            Pat::Path(path) => self.constant(&last_name(&path.path), path),
            Pat::Range(range) => {
                let inclusive = matches!(range.limits, RangeLimits::Closed(_));
                let start = range.start.as_ref().and_then(|start| self.bound(start));
                let end = range.end.as_ref().and_then(|end| self.bound(end));
                Pattern::Range { start, end, inclusive }
            }
            Pat::Or(or) => {
                let (patterns, tokens): (Vec<_>, Vec<_>) =
                    or.cases.iter().map(|case| self.undeclared(case)).unzip();
                return (Pattern::Or { patterns }, quote!((#(#tokens)|*)));
            }
            Pat::Reference(reference) => {
                let (inner, tokens) = self.undeclared(&reference.pat);
                let mutability = &reference.mutability;
                return (Pattern::Reference { pattern: Box::new(inner) }, quote!(&#mutability #tokens));
            }
            Pat::Struct(pattern) => {
                let mut fields = Vec::new();
                let mut tokens = Vec::new();
                for field in &pattern.fields {
                    let (inner, inner_tokens) = self.undeclared(&field.pat);
                    let member = &field.member;
                    tokens.push(quote!(#member: #inner_tokens));
                    fields.push(FieldPattern { name: member_name(member), pattern: inner });
                }
                let (path, rest) = (&pattern.path, &pattern.rest);
                let pattern = Pattern::Fields { name: last_name(path), fields };
                return (pattern, quote!(#path { #(#tokens,)* #rest }));
            }
            Pat::TupleStruct(pattern) => {
                let (patterns, tokens) = self.parts(&pattern.elems, "field");
                let fields = patterns
                    .into_iter()
                    .enumerate()
                    .map(|(index, pattern)| FieldPattern { name: index.to_string(), pattern })
                    .collect();
                let path = &pattern.path;
                return (Pattern::Fields { name: last_name(path), fields }, quote!(#path(#(#tokens),*)));
            }
            Pat::Tuple(tuple) if tuple.elems.is_empty() => Pattern::Unit,
            Pat::Tuple(tuple) => {
                let (patterns, tokens) = self.parts(&tuple.elems, "part");
                return (Pattern::Tuple { patterns }, quote!((#(#tokens,)*)));
            }
            Pat::Slice(slice) => {
                let (pattern, tokens) = self.slice(&slice.elems);
                return (pattern, quote!([#(#tokens,)*]));
            }
            Pat::Rest(rest) => {
                let message = "`..` stands for a part of an array or a slice: write `_`, or a name";
                self.refuse(rest, message);
                Pattern::Wildcard
            }
            Pat::Guard(guard) => {
                self.refuse(guard, "a guard stands at the end of an arm's pattern");
                Pattern::Wildcard
            }
            _ => {
                let message = format!(
                    "a device has no pattern `{}`: match numbers, enums and structs, field by field",
                    text(pat)
                );
                self.refuse(pat, message);
                Pattern::Wildcard
            }
        };
        (pattern, same)
    }

    /// The elements of an array or a slice, before and behind `..`, which may have a name.
    fn slice(&mut self, elements: &Punctuated<Pat, Comma>) -> (Pattern, Vec<TokenStream>) {
        let is_rest = |element: &Pat| match element {
            Pat::Rest(_) => true,
            Pat::Ident(ident) => matches!(&ident.subpat, Some((_, inner)) if matches!(**inner, Pat::Rest(_))),
            _ => false,
        };
        let rest = elements.iter().position(is_rest);
        let mut fields = Vec::new();
        let mut tokens = Vec::new();
        for (index, element) in elements.iter().enumerate() {
            let is_rest = rest == Some(index);
            let name = match rest {
                Some(_) if is_rest => names::REST.to_owned(),
                Some(rest) if index > rest => format!("-{}", elements.len() - index),
                _ => index.to_string(),
            };
            let pattern = match element {
                Pat::Rest(_) if is_rest => {
                    tokens.push(quote!(..));
                    continue;
                }
                Pat::Ident(ident) if is_rest => {
                    let (by_ref, mutable, word) = (&ident.by_ref, &ident.mutability, &ident.ident);
                    tokens.push(quote_spanned!(span(element)=> #by_ref #mutable #word @ ..));
                    let (mutable, by_reference) = (mutable.is_some(), by_ref.is_some());
                    Pattern::Bind { name: self.variable(word), mutable, by_reference, inner: None }
                }
                element => {
                    let (pattern, inner) = self.undeclared(element);
                    tokens.push(inner);
                    pattern
                }
            };
            fields.push(FieldPattern { name, pattern });
        }
        let name = if rest.is_some() { names::OPEN_SLICE } else { names::SLICE };
        (Pattern::Fields { name: name.to_owned(), fields }, tokens)
    }

    /// The parts of a tuple or a tuple struct, up to `..`.
    fn parts(&mut self, elements: &Punctuated<Pat, Comma>, part: &str) -> (Vec<Pattern>, Vec<TokenStream>) {
        let mut patterns = Vec::new();
        let mut tokens = Vec::new();
        for (index, inner) in elements.iter().enumerate() {
            if let Pat::Rest(rest) = inner {
                if index + 1 != elements.len() {
                    let message =
                        format!("`..` stands at the end: write `_` for each {part} that it stands for");
                    self.errors.at(rest, message);
                }
                tokens.push(quote!(..));
                continue;
            }
            let (inner, inner_tokens) = self.undeclared(inner);
            tokens.push(inner_tokens);
            patterns.push(inner);
        }
        (patterns, tokens)
    }

    fn constant(&mut self, name: &str, path: &(impl ToTokens + 'static)) -> Pattern {
        // By itself it does not tell its type.
        if name == "None" {
            return Pattern::Fields { name: name.to_owned(), fields: Vec::new() };
        }
        Pattern::Constant { witness: self.witness(Source::Constant(path.to_token_stream())) }
    }

    fn literal_pattern(&mut self, expression: &Expr, place: &(impl ToTokens + 'static)) -> Pattern {
        let literal = self.literal_of(expression);
        if literal.is_none() {
            let message = match expression {
                Expr::Lit(literal) if matches!(literal.lit, Lit::Char(_)) => NO_CHAR,
                _ => "a pattern is a number, `true`, `false`, a constant, an enum's variant or a struct",
            };
            self.refuse(place, message);
        }
        literal.map_or(Pattern::Wildcard, |literal| Pattern::Literal { literal })
    }

    fn bound(&mut self, expression: &Expr) -> Option<Bound> {
        if let Expr::Path(path) = expression {
            let witness = self.witness(Source::Constant(path.to_token_stream()));
            return Some(Bound::Constant { witness });
        }
        let literal = self.literal_of(expression);
        if literal.is_none()
            && matches!(expression, Expr::Lit(literal) if matches!(literal.lit, Lit::Char(_)))
        {
            self.refuse(expression, NO_CHAR);
        } else if literal.is_none() {
            self.refuse(expression, "a range of a pattern ends at numbers and constants");
        }
        literal.map(|literal| Bound::Literal { literal })
    }

    /// The literal that `expression` is, perhaps after a minus sign.
    pub(super) fn literal_of(&mut self, expression: &Expr) -> Option<Literal> {
        match expression {
            Expr::Lit(literal) => self.literal(&literal.lit, false),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => match &*unary.expr {
                Expr::Lit(literal) => self.literal(&literal.lit, true),
                _ => None,
            },
            Expr::Group(group) => self.literal_of(&group.expr),
            Expr::Paren(paren) => self.literal_of(&paren.expr),
            _ => None,
        }
    }

    /// A number or a boolean; `None` for other literals.
    pub(super) fn literal(&mut self, literal: &Lit, negative: bool) -> Option<Literal> {
        Some(match literal {
            Lit::Bool(value) => Literal::Bool { value: value.value },
            Lit::Byte(byte) => Literal::Integer { negative, magnitude: byte.value().into() },
            // `1f32` is an integer to syn.
            Lit::Int(int) if matches!(int.suffix(), "u128" | "i128") => {
                let message = format!(
                    "`{int}` is of 128 bits, which no device has: write `u64`, or `[u64; 2]` and its carry"
                );
                self.errors.at(int, message);
                Literal::Integer { negative, magnitude: 0 }
            }
            Lit::Int(int) if !matches!(int.suffix(), "f32" | "f64") => {
                let (negative, digits) = sign(negative, int.base10_digits());
                match digits.parse::<u64>() {
                    Ok(magnitude) => Literal::Integer { negative, magnitude },
                    Err(_) => {
                        self.errors.at(int, format!("`{int}` is beyond 64 bits, which is what devices have"));
                        Literal::Integer { negative, magnitude: 0 }
                    }
                }
            }
            Lit::Int(int) => Literal::Float { text: signed(negative, int.base10_digits()) },
            Lit::Float(float) => Literal::Float { text: signed(negative, float.base10_digits()) },
            _ => return None,
        })
    }
}

pub(super) const NO_CHAR: &str = "a device has no `char`: write its number, or `b'…'` for ASCII";

/// The digits without the sign that syn may have left there, as it does in patterns.
fn sign(negative: bool, digits: &str) -> (bool, &str) {
    digits.strip_prefix('-').map_or((negative, digits), |digits| (!negative, digits))
}

fn signed(negative: bool, digits: &str) -> String {
    let (negative, digits) = sign(negative, digits);
    format!("{}{digits}", if negative { "-" } else { "" })
}

/// Whether this is `Maybe::Nothing`, the type without its parameter.
pub(super) fn is_bare_nothing(path: &Path) -> bool {
    let ty = path.segments.iter().nth_back(1);
    last_name(path) == "Nothing" && ty.is_some_and(|ty| ty.ident == "Maybe" && ty.arguments.is_none())
}

/// Whether a single word in a pattern names a constant or a variant: by convention, if it begins with a
/// capital letter.
fn is_path(ident: &syn::Ident) -> bool {
    ident.unraw().to_string().trim_start_matches('_').starts_with(char::is_uppercase)
}

pub(super) fn last_name(path: &Path) -> String {
    path.segments.last().map(|segment| segment.ident.unraw().to_string()).unwrap_or_default()
}

pub(super) fn member_name(member: &Member) -> String {
    match member {
        Member::Named(ident) => ident.unraw().to_string(),
        Member::Unnamed(index) => index.index.to_string(),
    }
}
