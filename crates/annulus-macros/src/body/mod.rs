//! A handler's body: read into a tree, and written again with witnesses around what only rustc can type.
//!
//! Both come out of one walk, so that a witness's number means the same in both. What the language has not is refused on
//! the way, at its place.

mod block;
mod call;
mod chain;
mod control;
mod expression;
mod items;
mod mac;
mod pattern;
mod scope;
mod tuple;

use annulus_tree::{
    Expression, ExpressionKind, HandlerTree, Parameter as TreeParameter, ParameterRole, WitnessId,
};
use std::collections::HashMap;

use proc_macro2::{Delimiter, Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{FnArg, ItemFn, ReturnType, spanned::Spanned};

use crate::errors::Errors;
use scope::Scopes;

/// What stands at the end of a refusal that has no direct replacement.
pub(crate) const OR_CPU_ONLY: &str = "or keep the handler on the host with `#[ring_kernel(cpu_only)]`";

/// A part of the body, read and written again.
struct Read {
    tree: Expression,
    tokens: TokenStream,
}

/// Where a witness's type comes from.
enum Source {
    /// rustc infers it from the expression that it stands around.
    Inferred(Span),
    /// It was written.
    Written(TokenStream),
    /// It is this expression's, whose value is wanted too.
    Constant(TokenStream),
}

/// The walk.
struct Reader {
    errors: Errors,
    scopes: Scopes,
    witnesses: Vec<Source>,
    /// `const` and `use` items of the body, which constants may be named by.
    items: Vec<TokenStream>,
    /// How many blocks are around what is being read.
    depth: usize,
    /// How many expressions are around what is being read.
    nesting: usize,
    /// Whether what is being read is a pattern that matches everything.
    irrefutable: bool,
    /// The macro, if any, that the variables of each name come from.
    origins: HashMap<String, String>,
}

impl Reader {
    /// Attributes in a body may be about lints; others would change it behind our back.
    fn attributes(&mut self, tokens: TokenStream) {
        let mut after_hash = false;
        for token in tokens {
            let TokenTree::Group(group) = &token else {
                after_hash = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '#');
                continue;
            };
            if after_hash && group.delimiter() == Delimiter::Bracket {
                let about_lints = ["allow", "expect", "warn", "deny", "forbid", "doc"];
                let first = group.stream().into_iter().next().map(|word| word.to_string());
                if !first.is_some_and(|first| about_lints.contains(&first.as_str())) {
                    let message = "a handler's body is the same in every build: write `if cfg!(..)`, which is a \
                                   constant, or put the attribute on the function";
                    self.errors.at(group, message);
                }
            } else {
                self.attributes(group.stream());
            }
            after_hash = false;
        }
    }

    /// Variables are told apart by their names, and two of one name that come from different macros are two to rustc.
    fn note_origin(&mut self, name: &Ident) {
        // The debug text of a span begins with the expansion that it belongs to.
        let span = format!("{:?}", name.span().unwrap());
        let origin = span.split(' ').next().unwrap_or_default().to_owned();
        let known = self.origins.entry(name.to_string()).or_insert_with(|| origin.clone());
        if *known != origin {
            let message = format!(
                "this `{name}` and another one come from different macros, and so are two variables: give one of them \
                 another name"
            );
            self.errors.at(name, message);
        }
    }
}

/// The function that gives a handler's `KernelTree`, as an expression.
pub(crate) fn tree(function: &ItemFn, roles: &[ParameterRole]) -> syn::Result<TokenStream> {
    let mut reader = Reader {
        errors: Errors::default(),
        scopes: Scopes::new(),
        witnesses: Vec::new(),
        items: Vec::new(),
        depth: 0,
        nesting: 0,
        irrefutable: false,
        origins: HashMap::new(),
    };
    let mut parameters = Vec::new();
    for (argument, role) in function.sig.inputs.iter().zip(roles) {
        let FnArg::Typed(argument) = argument else { continue };
        let (pattern, _) = reader.irrefutable(&argument.pat);
        parameters.push(TreeParameter { line: line(argument.span()), pattern, role: role.clone() });
    }
    reader.attributes(function.block.to_token_stream());
    let (body, tokens) = reader.block(&function.block);
    let Reader { errors, witnesses, items, .. } = reader;
    errors.finish(())?;

    let inputs = &function.sig.inputs;
    let output = match &function.sig.output {
        ReturnType::Default => quote!(-> ()),
        output => output.to_token_stream(),
    };
    let verdict = match &function.sig.output {
        ReturnType::Default => None,
        ReturnType::Type(_, ty) => {
            Some(quote_spanned!(span(ty)=> ::annulus::__private::witness::verdict::<#ty>();))
        }
    };
    let syntax = Literal::byte_string(&HandlerTree { parameters, body }.encode());
    let declared = witnesses.iter().enumerate().map(|(id, source)| {
        let name = witness(id as WitnessId);
        match source {
            Source::Written(ty) => quote_spanned! {span(ty)=>
                let #name = ::annulus::__private::witness::Witness::<#ty>::new();
            },
            _ => quote!(let #name = ::annulus::__private::witness::Witness::new();),
        }
    });
    let asked = witnesses.iter().enumerate().map(|(id, source)| {
        let mut name = witness(id as WitnessId);
        // All of it stands at the expression, so that what is wrong with its type is reported there once.
        let place = match source {
            Source::Constant(tokens) | Source::Written(tokens) => span(tokens),
            Source::Inferred(place) => *place,
        };
        name.set_span(place);
        match source {
            Source::Constant(value) => {
                quote_spanned!(place=> ::annulus::__private::witness::value(&#name, &#value))
            }
            _ => quote_spanned!(place=> ::annulus::__private::witness::ty(&#name)),
        }
    });
    // The closure is never called: it is there to be type-checked, which gives the witnesses their types. What it would warn
    // of, the handler itself warns of.
    Ok(quote! {{
        #[allow(
            warnings, unused, nonstandard_style, future_incompatible, let_underscore, rust_2018_idioms, single_use_lifetimes,
            arithmetic_overflow, overflowing_literals, unconditional_panic, unused_qualifications, unreachable_pub,
            missing_docs, clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction, clippy::cargo
        )]
        fn __annulus_tree() -> ::annulus::__private::KernelTree {
            #(#items)*
            #(#declared)*
            let _ = |#inputs| #output #tokens;
            #verdict
            ::annulus::__private::KernelTree {
                syntax: #syntax,
                witnesses: ::std::vec![#(#asked),*],
            }
        }
        __annulus_tree
    }})
}

/// The variable that holds a witness.
fn witness(id: WitnessId) -> Ident {
    format_ident!("__annulus_witness_{id}", span = Span::mixed_site())
}

/// Where tokens stand, under hygiene of our own.
fn span(tokens: &impl ToTokens) -> Span {
    Span::mixed_site().located_at(tokens.span())
}

/// The source line of `span`, from 1 on.
fn line(span: Span) -> u32 {
    u32::try_from(span.start().line).unwrap_or(0)
}

impl Reader {
    /// The number of a new witness.
    fn witness(&mut self, source: Source) -> WitnessId {
        self.witnesses.push(source);
        (self.witnesses.len() - 1) as WitnessId
    }

    /// A new witness around `tokens`, which stand for `place`.
    fn witnessed(&mut self, place: &impl ToTokens, tokens: &TokenStream) -> (WitnessId, TokenStream) {
        let id = self.witness(Source::Inferred(span(place)));
        (id, around(id, place, tokens))
    }

    /// Refuses `place`; the value stands in for what was there, and is used no more once there is an error.
    fn refuse(&mut self, place: &impl ToTokens, message: impl std::fmt::Display) -> Read {
        self.errors.at(place, message);
        node(place, ExpressionKind::Unit, TokenStream::new())
    }
}

/// A witness around `tokens`, which stand for `place`.
fn around(id: WitnessId, place: &impl ToTokens, tokens: &TokenStream) -> TokenStream {
    let mut name = witness(id);
    name.set_span(span(place));
    quote_spanned!(span(place)=> ::annulus::__private::witness::see(&#name, #tokens))
}

fn node(place: &impl ToTokens, kind: ExpressionKind, tokens: TokenStream) -> Read {
    Read { tree: Expression { line: line(place.span()), kind }, tokens }
}
