//! A body, of a handler or of a function that devices call: read into a tree, and written again with
//! witnesses around what only rustc can type.
//!
//! Both come out of one walk, so that a witness's number means the same in both. What the language has not is
//! refused on the way, at its place.

mod block;
mod call;
mod chain;
mod closure;
mod control;
mod expression;
mod items;
mod mac;
mod operator;
mod own;
mod pattern;
mod print;
mod scope;
mod shared_array;
mod tuple;

use annulus_tree::{
    Block, Expression, ExpressionKind, FunctionId, HandlerTree, Parameter as TreeParameter, ParameterRole,
    Pattern, WitnessId, names,
};
use std::{any::Any, collections::HashMap};

use proc_macro2::{Delimiter, Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{Expr, FnArg, ItemFn, Pat, ReturnType, ext::IdentExt, spanned::Spanned};

use crate::{errors::Errors, types};
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
    /// rustc infers it, and its `Default` is wanted too.
    Default(Span),
}

/// A function that the body calls, and how rustc tells which it is.
enum Callee {
    /// The path that it is called by also names its companion.
    Function(Span),
    /// It is a type's function of this name. `ty` is the type where it was written; else rustc infers it from
    /// the receiver.
    Method { name: String, ty: Option<TokenStream>, place: Span, maybe: bool },
    /// It is the operator of this name, if the types that rustc infers for its operands have one.
    Operator { name: &'static str, ty: Option<TokenStream>, place: Span },
}

/// The walk.
pub(crate) struct Reader {
    errors: Errors,
    scopes: Scopes,
    witnesses: Vec<Source>,
    callees: Vec<Callee>,
    prints: Vec<print::Print>,
    /// `const` and `use` items of the body, which constants may be named by.
    items: Vec<TokenStream>,
    /// How many blocks are around what is being read.
    depth: usize,
    /// How many expressions are around what is being read.
    nesting: usize,
    /// Whether something was refused because too many were.
    too_deep: bool,
    /// Whether what is being read is a pattern that matches everything.
    irrefutable: bool,
    /// The macros, or none, that the variables of each name come from.
    origins: HashMap<String, Vec<String>>,
    /// What is being read, if its calls of itself can be seen by its name.
    this: Option<This>,
    /// Whether a closure is around what is being read.
    in_closure: bool,
    /// What a body returns, as tokens of a type; `None` for nothing.
    returns: Option<TokenStream>,
    /// Where each type of which the body makes values is named first: what it lacks is told there, and not at
    /// each value.
    made: HashMap<String, Span>,
}

/// The function whose body is being read.
pub(crate) enum This {
    /// A free function of this name.
    Free(String),
    /// A function of this name in a type's own `impl` block.
    Method(String),
}

impl Reader {
    /// Says what is being read.
    pub(crate) fn reads(&mut self, this: This) {
        self.this = Some(this);
    }

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

    /// What a variable is called in the tree. Two of one name that come from different macros are two to
    /// rustc: the second gets a name that no Rust has.
    fn variable(&mut self, name: &Ident) -> String {
        // The debug text of a span begins with the expansion that it belongs to.
        let span = format!("{:?}", name.span().unwrap());
        let origin = span.split(' ').next().unwrap_or_default();
        let name = name.unraw().to_string();
        let known = self.origins.entry(name.clone()).or_default();
        let index = known.iter().position(|known| known == origin).unwrap_or_else(|| {
            known.push(origin.to_owned());
            known.len() - 1
        });
        if index == 0 { name } else { format!("{name} {index}") }
    }
}

/// The function that gives a handler's `KernelTree`, as an expression.
pub(crate) fn tree(function: &ItemFn, roles: &[ParameterRole]) -> syn::Result<TokenStream> {
    let mut reader = Reader::new();
    reader.reads(This::Free(function.sig.ident.unraw().to_string()));
    let mut parameters = Vec::new();
    for (argument, role) in function.sig.inputs.iter().zip(roles) {
        let FnArg::Typed(argument) = argument else { continue };
        parameters.push(reader.parameter(
            line(argument.span()),
            &argument.pat,
            role.clone(),
            types::is_number(&argument.ty),
        ));
    }
    reader.returning(&function.sig.output);
    let (body, tokens) = reader.body(&function.block);
    let inputs = &function.sig.inputs;
    let verdict = match &function.sig.output {
        ReturnType::Default => None,
        ReturnType::Type(_, ty) => {
            Some(quote_spanned!(span(ty)=> ::annulus::__private::witness::verdict::<#ty>();))
        }
    };
    let output = output(&function.sig.output);
    let syntax = HandlerTree { parameters, body }.encode();
    let (statements, tree) = reader.finish(&quote!(|#inputs| #output #tokens), &syntax)?;
    let allowed = allowed();
    Ok(quote! {{
        #allowed
        fn __annulus_tree() -> ::annulus::__private::KernelTree {
            #statements
            #verdict
            #tree
        }
        __annulus_tree
    }})
}

/// What a closure says that it returns.
pub(crate) fn output(output: &ReturnType) -> TokenStream {
    match output {
        ReturnType::Default => quote!(-> ()),
        output => output.to_token_stream(),
    }
}

/// What the copy of a body would be warned of, the user's own is warned of.
pub(crate) fn allowed() -> TokenStream {
    quote! {
        #[allow(
            warnings, unused, nonstandard_style, future_incompatible, let_underscore, rust_2018_idioms, single_use_lifetimes,
            arithmetic_overflow, overflowing_literals, unconditional_panic, unused_qualifications, unreachable_pub,
            missing_docs, clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction, clippy::cargo
        )]
    }
}

/// The variable that holds a witness.
fn witness(id: WitnessId) -> Ident {
    format_ident!("__annulus_witness_{id}", span = Span::mixed_site())
}

/// The variable that holds the witness of a function that is called.
fn callee(id: FunctionId) -> Ident {
    format_ident!("__annulus_callee_{id}", span = Span::mixed_site())
}

/// What `self` is called in the copy of a body, which is a closure's.
pub(crate) fn receiver(place: &(impl ToTokens + 'static)) -> Ident {
    format_ident!("__annulus_self", span = span(place))
}

/// Where tokens stand, under hygiene of our own.
fn span(tokens: &(impl ToTokens + 'static)) -> Span {
    Span::mixed_site().located_at(start(tokens))
}

/// Where tokens begin. syn writes out all of an expression to find that, for each of the expressions around
/// it again; here the way to the first token is walked.
fn start<T: ToTokens + 'static>(tokens: &T) -> Span {
    let Some(mut expression) = (tokens as &dyn Any).downcast_ref::<Expr>() else { return tokens.span() };
    loop {
        expression = match expression {
            Expr::Binary(binary) if binary.attrs.is_empty() => &binary.left,
            Expr::Assign(assign) if assign.attrs.is_empty() => &assign.left,
            Expr::Call(call) if call.attrs.is_empty() => &call.func,
            Expr::MethodCall(call) if call.attrs.is_empty() => &call.receiver,
            Expr::Field(field) if field.attrs.is_empty() => &field.base,
            Expr::Index(index) if index.attrs.is_empty() => &index.expr,
            Expr::Cast(cast) if cast.attrs.is_empty() => &cast.expr,
            Expr::Try(attempt) if attempt.attrs.is_empty() => &attempt.expr,
            Expr::If(conditional) if conditional.attrs.is_empty() => return conditional.if_token.span,
            Expr::Match(choice) if choice.attrs.is_empty() => return choice.match_token.span,
            Expr::While(repeat) if repeat.attrs.is_empty() && repeat.label.is_none() => {
                return repeat.while_token.span;
            }
            Expr::Loop(repeat) if repeat.attrs.is_empty() && repeat.label.is_none() => {
                return repeat.loop_token.span;
            }
            Expr::ForLoop(repeat) if repeat.attrs.is_empty() && repeat.label.is_none() => {
                return repeat.for_token.span;
            }
            Expr::Lit(literal) if literal.attrs.is_empty() => return literal.lit.span(),
            Expr::Path(path)
                if path.attrs.is_empty() && path.qself.is_none() && path.path.leading_colon.is_none() =>
            {
                return path.path.segments[0].ident.span();
            }
            other => return other.span(),
        };
    }
}

/// The source line of `span`, from 1 on.
pub(crate) fn line(span: Span) -> u32 {
    u32::try_from(span.start().line).unwrap_or(0)
}

impl Reader {
    pub(crate) fn new() -> Self {
        Self {
            errors: Errors::default(),
            scopes: Scopes::new(),
            witnesses: Vec::new(),
            callees: Vec::new(),
            prints: Vec::new(),
            items: Vec::new(),
            depth: 0,
            nesting: 0,
            too_deep: false,
            irrefutable: false,
            origins: HashMap::new(),
            this: None,
            in_closure: false,
            returns: None,
            made: HashMap::new(),
        }
    }

    /// Says what the body returns.
    pub(crate) fn returning(&mut self, output: &ReturnType) {
        if let ReturnType::Type(_, ty) = output {
            self.returns = Some(ty.to_token_stream());
        }
    }

    /// A parameter, whose names are in scope from now on; a number, if its type says so.
    pub(crate) fn parameter(
        &mut self,
        line: u32,
        pat: &Pat,
        role: ParameterRole,
        number: bool,
    ) -> TreeParameter {
        let (pattern, _) = self.irrefutable(pat);
        if number {
            self.note_number(&pattern);
        }
        TreeParameter { line, pattern, role }
    }

    /// The parameter `self`.
    pub(crate) fn receiver(&mut self, line: u32, mutable: bool, role: ParameterRole) -> TreeParameter {
        let name = "self".to_owned();
        self.scopes.declare(&name);
        TreeParameter {
            line,
            pattern: Pattern::Bind { name, mutable, by_reference: false, inner: None },
            role,
        }
    }

    /// The witness of a type that was written.
    pub(crate) fn written(&mut self, ty: &(impl ToTokens + 'static)) -> WitnessId {
        self.witness(Source::Written(ty.to_token_stream()))
    }

    /// A whole body: its tree, and its copy with witnesses.
    pub(crate) fn body(&mut self, block: &syn::Block) -> (Block, TokenStream) {
        self.attributes(block.to_token_stream());
        self.block(block)
    }

    /// Statements around the copy of the body, a closure that is never called: it is there to be
    /// type-checked, which gives the witnesses their types. Then a `KernelTree`, as an expression.
    pub(crate) fn finish(
        self,
        closure: &TokenStream,
        syntax: &[u8],
    ) -> syn::Result<(TokenStream, TokenStream)> {
        let Self { errors, witnesses, callees, prints, items, .. } = self;
        errors.finish(())?;
        let syntax = Literal::byte_string(syntax);
        let declared = witnesses.iter().enumerate().map(|(id, source)| {
            let name = witness(id as WitnessId);
            match source {
                Source::Written(ty) => declare(&name, Some(ty)),
                _ => declare(&name, None),
            }
        });
        let declared_callees = callees.iter().enumerate().map(|(id, source)| {
            let name = callee(id as FunctionId);
            match source {
                Callee::Method { ty: Some(ty), .. } | Callee::Operator { ty: Some(ty), .. } => {
                    declare(&name, Some(ty))
                }
                _ => declare(&name, None),
            }
        });
        let asked = witnesses.iter().enumerate().map(|(id, source)| {
            let mut name = witness(id as WitnessId);
            // All of it stands at the expression, so that what is wrong with its type is reported there once.
            let place = match source {
                Source::Constant(tokens) | Source::Written(tokens) => span(tokens),
                Source::Inferred(place) | Source::Default(place) => *place,
            };
            name.set_span(place);
            match source {
                Source::Constant(value) => {
                    quote_spanned!(place=> ::annulus::__private::witness::value(&#name, &#value))
                }
                Source::Default(_) => quote_spanned!(place=> ::annulus::__private::witness::default(&#name)),
                _ => quote_spanned!(place=> ::annulus::__private::witness::ty(&#name)),
            }
        });
        let asked_callees = callees.iter().enumerate().map(|(id, source)| {
            let mut name = callee(id as FunctionId);
            let (Callee::Function(place) | Callee::Method { place, .. } | Callee::Operator { place, .. }) = source;
            let place = *place;
            name.set_span(place);
            match source {
                Callee::Operator { name: operator @ ("PartialEq" | "PartialOrd"), .. } => {
                    let number = Literal::u128_suffixed(names::number(operator));
                    quote_spanned! {place=> {
                        use ::annulus::__private::witness::{
                            HasErrorComparison as _, HasMixedComparison as _, HasNoOperator as _, HasOperator as _,
                        };
                        (&&::annulus::__private::witness::Compares::<_, _, #number>::of(&#name)).callee()
                    }}
                }
                Callee::Operator { name: operator @ "From", .. } => {
                    let number = Literal::u128_suffixed(names::number(operator));
                    quote_spanned! {place=> {
                        use ::annulus::__private::witness::{HasErrorConversion as _, HasNoOperator as _, HasOperator as _};
                        (&&::annulus::__private::witness::Converts::<_, _, #number>::of(&#name)).callee()
                    }}
                }
                Callee::Operator { name: operator, .. } => {
                    let number = Literal::u128_suffixed(names::number(operator));
                    quote_spanned! {place=> {
                        use ::annulus::__private::witness::{HasNoOperator as _, HasOperator as _};
                        (&::annulus::__private::witness::Operates::<_, _, #number>::of(&#name)).callee()
                    }}
                }
                Callee::Function(_) => quote_spanned! {place=>
                    ::core::option::Option::Some(::annulus::__private::witness::function(&#name))
                },
                Callee::Method { name: function, maybe, .. } => {
                    let number = Literal::u128_suffixed(names::number(function));
                    if *maybe {
                        quote_spanned! {place=> {
                            use ::annulus::__private::witness::{HasNone as _, HasOwn as _};
                            (&::annulus::__private::witness::Own::<_, #number>::of(&#name)).callee()
                        }}
                    } else {
                        quote_spanned! {place=>
                            ::core::option::Option::Some(::annulus::__private::witness::method::<#number, _, _>(&#name))
                        }
                    }
                }
            }
        });
        let declared_prints = (0..prints.len()).map(|number| declare(&print::arguments(number as u32), None));
        let sites = prints.iter().enumerate().map(|(number, print)| print.site(number as u32));
        let statements = quote! {
            #(#items)*
            #(#declared)*
            #(#declared_callees)*
            #(#declared_prints)*
            let _ = #closure;
        };
        let tree = quote! {
            ::annulus::__private::KernelTree {
                syntax: #syntax,
                witnesses: ::std::vec![#(#asked),*],
                functions: ::std::vec![#(#asked_callees),*],
                prints: ::std::vec![#(#sites),*],
                checks: ::core::cfg!(debug_assertions),
            }
        };
        Ok((statements, tree))
    }

    /// The number of a function that is called, and the variable of its witness.
    fn callee(&mut self, source: Callee) -> (FunctionId, Ident) {
        let (Callee::Function(place) | Callee::Method { place, .. } | Callee::Operator { place, .. }) =
            &source;
        let place = *place;
        self.callees.push(source);
        let id = (self.callees.len() - 1) as FunctionId;
        let mut name = callee(id);
        name.set_span(place);
        (id, name)
    }

    /// The number of a new witness.
    fn witness(&mut self, source: Source) -> WitnessId {
        self.witnesses.push(source);
        (self.witnesses.len() - 1) as WitnessId
    }

    /// A new witness around `tokens`, which make a value of the type that `path` names.
    fn witnessed_value(
        &mut self,
        place: &(impl ToTokens + 'static),
        path: &syn::Path,
        tokens: &TokenStream,
    ) -> (WitnessId, TokenStream) {
        let Some(first) = self.first_named(path, span(place)) else { return self.witnessed(place, tokens) };
        let id = self.witness(Source::Inferred(first));
        let mut name = witness(id);
        name.set_span(first);
        (id, quote_spanned!(span(place)=> ::annulus::__private::witness::seen_before(&#name, #tokens)))
    }

    /// Where a type was named before; `None` if this is the first time.
    fn first_named(&mut self, path: &syn::Path, place: Span) -> Option<Span> {
        match self.made.entry(path.to_token_stream().to_string()) {
            std::collections::hash_map::Entry::Occupied(first) => Some(*first.get()),
            std::collections::hash_map::Entry::Vacant(first) => {
                first.insert(place);
                None
            }
        }
    }

    /// A new witness around `tokens`, which stand for `place`.
    fn witnessed(
        &mut self,
        place: &(impl ToTokens + 'static),
        tokens: &TokenStream,
    ) -> (WitnessId, TokenStream) {
        let id = self.witness(Source::Inferred(span(place)));
        (id, around(id, place, tokens))
    }

    /// Notes an error of the signature.
    pub(crate) fn wrong(&mut self, error: syn::Error) {
        self.errors.push(error);
    }

    /// Refuses a written type that can be seen to be the host's.
    pub(crate) fn known_type(&mut self, ty: &syn::Type) {
        let known = types::check_value(ty);
        self.errors.take(known);
    }

    /// Refuses `place`; the value stands in for what was there, and is used no more once there is an error.
    fn refuse(&mut self, place: &(impl ToTokens + 'static), message: impl std::fmt::Display) -> Read {
        self.errors.at(place, message);
        node(place, ExpressionKind::Unit, TokenStream::new())
    }
}

/// A variable for a witness, of this type if it was written.
fn declare(name: &Ident, ty: Option<&TokenStream>) -> TokenStream {
    match ty {
        Some(ty) => quote_spanned! {span(ty)=>
            let #name = ::annulus::__private::witness::Witness::<#ty>::new();
        },
        None => quote!(let #name = ::annulus::__private::witness::Witness::new();),
    }
}

/// A witness around `tokens`, which stand for `place`.
fn around(id: WitnessId, place: &(impl ToTokens + 'static), tokens: &TokenStream) -> TokenStream {
    let mut name = witness(id);
    name.set_span(span(place));
    quote_spanned!(span(place)=> ::annulus::__private::witness::see(&#name, #tokens))
}

fn node(place: &(impl ToTokens + 'static), kind: ExpressionKind, tokens: TokenStream) -> Read {
    Read { tree: Expression { line: line(start(place)), kind }, tokens }
}
