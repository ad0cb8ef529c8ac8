//! Reads a function into a [`Body`].

mod parts;

use std::collections::HashMap;

use syn::{
    Expr, Pat, Token,
    parse::Parser,
    punctuated::Punctuated,
    visit::{self, Visit},
};

use super::{
    Argument, At, Binding, Body, Discarded, Event, LAUNCH_INTO, Launch, Loop, Usage,
    peel::{alias, is_name, peel},
};
use crate::{
    facts::Facts,
    known::{self, Known, Options},
    source::Source,
};

/// What is known of an expression outside of all functions.
pub(crate) fn known_outside(expr: &Expr, source: &Source, facts: &Facts) -> Known {
    Walk::new(source, facts, None, String::new()).known(expr)
}

/// Reads one function.
pub(super) struct Walk<'a> {
    pub(super) source: &'a Source,
    pub(super) facts: &'a Facts,
    pub(super) self_type: Option<String>,
    pub(super) body: Body,
    names: Vec<HashMap<String, usize>>,
    at: At,
    scopes: u32,
    /// What becomes of calls, by where they lie in memory.
    usages: HashMap<usize, Usage>,
    /// Fields that stand for variables: of which variable, or of `self`, and on which way.
    fields: HashMap<Place, usize>,
    /// What goes where it is not followed, with all that is in it: variables, `self`, and fields of these.
    loose: Vec<Place>,
    /// How many calls around drive an endless iterator.
    driven: u32,
}

/// A variable, or `self`, and the fields that lead to a part of it.
type Place = (Option<usize>, Vec<String>);

/// Calls that say the same of other calls, by where these lie.
fn key<T>(part: &T) -> usize {
    std::ptr::from_ref(part).addr()
}

fn key_of(expr: &Expr) -> Option<usize> {
    match expr {
        Expr::MethodCall(call) => Some(key(call)),
        Expr::Call(call) => Some(key(call)),
        _ => None,
    }
}

impl<'a> Walk<'a> {
    pub(super) fn new(source: &'a Source, facts: &'a Facts, self_type: Option<String>, name: String) -> Self {
        let (bindings, events, loops) = (Vec::new(), Vec::new(), Vec::new());
        let body = Body { name, bindings, events, loops, returns_nothing: false };
        let (at, usages, fields, loose) = (At::default(), HashMap::new(), HashMap::new(), Vec::new());
        let names = vec![HashMap::new()];
        Self { source, facts, self_type, body, names, at, scopes: 0, usages, fields, loose, driven: 0 }
    }

    /// All of the function.
    pub(super) fn read(mut self, signature: &syn::Signature, block: &syn::Block) -> Body {
        self.at.is_async = signature.asyncness.is_some();
        self.body.returns_nothing = match &signature.output {
            syn::ReturnType::Default => true,
            syn::ReturnType::Type(_, ty) => {
                matches!(&**ty, syn::Type::Tuple(tuple) if tuple.elems.is_empty())
            }
        };
        self.visit_block(block);
        for ((root, way), field) in &self.fields {
            let is_in = |(of, first): &Place| of == root && way.starts_with(first);
            let is_other = |root: &usize| self.body.bindings[*root].is_reassigned;
            if self.loose.iter().any(is_in) || root.as_ref().is_some_and(is_other) {
                self.body.events.push(Event::Escape(*field));
            }
        }
        self.body
    }

    /// Where a value lies that is a field, or a field of one, of a variable or of `self`.
    fn place(&self, expr: &Expr) -> Option<Place> {
        match expr {
            Expr::Paren(inner) => self.place(&inner.expr),
            Expr::Reference(inner) => self.place(&inner.expr),
            Expr::Unary(inner) if matches!(inner.op, syn::UnOp::Deref(_)) => self.place(&inner.expr),
            Expr::Path(path) if path.path.is_ident("self") => Some((None, Vec::new())),
            Expr::Path(path) => {
                let binding = self.binding(&path.path.get_ident()?.to_string())?;
                Some((Some(self.body.root(binding)), Vec::new()))
            }
            Expr::Field(field) => {
                let syn::Member::Named(name) = &field.member else { return None };
                let (root, mut way) = self.place(&field.base)?;
                way.push(name.to_string());
                Some((root, way))
            }
            _ => None,
        }
    }

    /// Lets a field stand for a variable, if it is something that is followed.
    fn follow_field(&mut self, expr: &Expr) {
        let expr = peel(expr).0;
        let is_followed = matches!(self.known(expr), Known::Telemetry | Known::Handle(_) | Known::Control);
        let Some(place) = self.place(expr).filter(|place| is_followed && !place.1.is_empty()) else { return };
        if self.fields.contains_key(&place) {
            return;
        }
        let known = self.known(expr);
        let first = place.0.map_or("self", |root| &self.body.bindings[root].name);
        let name = format!("{first}.{}", place.1.join("."));
        self.fields.insert(place, self.body.bindings.len());
        let (alias, launch, enable) = (None, None, None);
        let binding = Binding { name, known, alias, is_reassigned: false, launch, enable, is_field: true };
        self.body.bindings.push(binding);
    }

    /// The variable of this name.
    pub(super) fn binding(&self, name: &str) -> Option<usize> {
        self.names.iter().rev().find_map(|names| names.get(name)).copied()
    }

    fn binding_of(&self, expr: &Expr) -> Option<usize> {
        match peel(expr).0 {
            Expr::Reference(reference) => self.binding_of(&reference.expr),
            Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Deref(_)) => self.binding_of(&unary.expr),
            Expr::Path(path) => path.path.get_ident().and_then(|name| self.binding(&name.to_string())),
            field @ Expr::Field(_) => self.fields.get(&self.place(field)?).copied(),
            _ => None,
        }
    }

    fn declare(&mut self, name: String, known: Known) -> usize {
        let number = self.body.bindings.len();
        self.names.last_mut().expect("there is always one").insert(name.clone(), number);
        self.body.bindings.push(Binding {
            name,
            known,
            alias: None,
            is_reassigned: false,
            launch: None,
            enable: None,
            is_field: false,
        });
        number
    }

    /// Declares what a pattern binds.
    pub(super) fn bind(&mut self, pat: &Pat, known: Known) {
        match pat {
            Pat::Ident(ident) => {
                self.declare(ident.ident.to_string(), known);
            }
            Pat::Type(typed) => {
                let said = Known::of_type(&typed.ty, self.facts);
                self.bind(
                    &typed.pat,
                    if matches!(said, Known::Unknown | Known::Plain(_)) && known != Known::Unknown {
                        known
                    } else {
                        said
                    },
                );
            }
            Pat::Reference(reference) => self.bind(&reference.pat, known),
            Pat::Paren(paren) => self.bind(&paren.pat, known),
            Pat::TupleStruct(wrapped) => {
                let is_through = wrapped.path.is_ident("Ok") || wrapped.path.is_ident("Some");
                for pat in &wrapped.elems {
                    self.bind(pat, if is_through { known.clone() } else { Known::Unknown });
                }
            }
            other => {
                let mut names = Names(Vec::new());
                names.visit_pat(other);
                for name in names.0 {
                    self.declare(name, Known::Unknown);
                }
            }
        }
    }

    /// Notes what becomes of the call under an expression.
    fn note(&mut self, expr: &Expr, discarded: Option<Discarded>) {
        let (core, usage) = peel(expr);
        let Some(key) = key_of(core) else { return };
        let noted = self.usages.entry(key).or_default();
        noted.is_awaited |= usage.is_awaited;
        noted.is_tried |= usage.is_tried;
        noted.is_ok |= usage.is_ok;
        if noted.discarded.is_none() {
            noted.discarded = discarded;
        }
    }

    /// What becomes of the call under an expression, if there is one.
    fn noted(&mut self, expr: &Expr) -> Option<&mut Usage> {
        let key = key_of(peel(expr).0)?;
        Some(self.usages.entry(key).or_default())
    }

    /// In a scope of its own: a branch, a loop, a closure.
    fn inside(&mut self, work: impl FnOnce(&mut Self)) {
        self.scopes += 1;
        self.at.scope.push(self.scopes);
        self.names.push(HashMap::new());
        work(self);
        self.names.pop();
        self.at.scope.pop();
    }

    /// In a closure or a future of its own, whose loops and waits are its own.
    fn closure(&mut self, is_async: bool, work: impl FnOnce(&mut Self)) {
        let outer = self.at.clone();
        self.inside(|walk| {
            // What drives an iterator calls the closures that it was made of.
            if walk.driven == 0 {
                walk.at.loops.clear();
            }
            walk.at.closure = walk.scopes;
            walk.at.is_async = is_async;
            work(walk);
        });
        self.at = outer;
    }

    fn in_loop(
        &mut self,
        is_bounded: bool,
        head: std::ops::Range<usize>,
        block: &syn::Block,
        work: impl FnOnce(&mut Self),
    ) {
        let end = self.source.bytes(block.brace_token.span.close()).start;
        let is_async = self.at.is_async;
        self.at.loops.push(self.body.loops.len());
        self.body.loops.push(Loop {
            is_bounded,
            head,
            end,
            is_empty: block.stmts.is_empty(),
            is_async,
            is_block: true,
        });
        self.inside(work);
        self.at.loops.pop();
    }

    fn arguments<'e>(&self, arguments: impl Iterator<Item = &'e Expr>) -> Vec<Argument> {
        let argument = |expr: &Expr| Argument {
            known: self.known(expr),
            binding: self.binding_of(expr),
            text: known::string(expr),
            is_false: matches!(expr, Expr::Lit(lit) if known::is_false(&lit.lit)),
            span: self.source.range(expr),
        };
        arguments.map(argument).collect()
    }

    fn launch(&self, kernel: String, function: &str, arguments: &[Argument]) -> Launch {
        let options = match arguments.get(1).map(|argument| &argument.known) {
            Some(Known::Options(options)) => options.clone(),
            _ => Options::default(),
        };
        let first = arguments.first().filter(|_| function != LAUNCH_INTO);
        let runtime = first.and_then(|first| first.binding).map(|binding| self.body.root(binding));
        Launch { kernel, runtime, options }
    }

    /// The last call, if it is the one under this expression.
    fn event_of(&self, expr: &Expr) -> Option<usize> {
        let span = self.source.range(peel(expr).0);
        let is_it = |event: &Event| event.call().is_some_and(|call| call.span == span);
        self.body.events.iter().rposition(is_it)
    }

    fn local(&mut self, pat: &Pat, init: &Expr) {
        if let (Pat::Tuple(pats), Expr::Tuple(values)) = (pat, init)
            && pats.elems.len() == values.elems.len()
        {
            for (pat, value) in pats.elems.iter().zip(&values.elems) {
                self.local(pat, value);
            }
            return;
        }
        let alias = if is_name(pat) { alias(init).and_then(|name| self.binding(&name)) } else { None };
        if alias.is_none() {
            self.visit_expr(init);
        }
        let known = self.known(init);
        let first = self.body.bindings.len();
        self.bind(pat, known);
        let event = self.event_of(init);
        if let (true, Some(binding)) = (is_name(pat), self.body.bindings.get_mut(first)) {
            binding.alias = alias;
            let call = event.and_then(|event| self.body.events[event].call());
            binding.launch = event.filter(|_| call.is_some_and(|call| call.launch.is_some()));
            binding.enable = event.filter(|_| call.is_some_and(|call| call.name == "enable_telemetry"));
        }
    }

    /// The arguments of a macro: expressions, or nobody knows.
    fn tokens(&mut self, mac: &syn::Macro) {
        let parser = Punctuated::<Expr, Token![,]>::parse_terminated;
        let was_in_macro = std::mem::replace(&mut self.at.is_in_macro, true);
        match parser.parse2(mac.tokens.clone()) {
            Ok(arguments) => {
                for argument in &arguments {
                    // `name = value` of a format is no assignment.
                    match argument {
                        Expr::Assign(named) => self.visit_expr(&named.right),
                        other => self.visit_expr(other),
                    }
                }
            }
            Err(_) => {
                self.body.events.push(Event::Opaque(self.at.clone()));
                self.lose(mac.tokens.clone());
            }
        }
        self.at.is_in_macro = was_in_macro;
    }

    /// Every variable that is named goes where it is not followed.
    fn lose(&mut self, tokens: proc_macro2::TokenStream) {
        for tree in tokens {
            match tree {
                proc_macro2::TokenTree::Group(group) => self.lose(group.stream()),
                proc_macro2::TokenTree::Ident(name) => {
                    let binding = self.binding(&name.to_string());
                    if binding.is_some() || name == "self" {
                        self.loose.push((binding.map(|binding| self.body.root(binding)), Vec::new()));
                    }
                    self.body.events.extend(binding.map(Event::Escape));
                }
                _ => {}
            }
        }
    }
}

struct Names(Vec<String>);

impl<'ast> Visit<'ast> for Names {
    fn visit_pat_ident(&mut self, ident: &'ast syn::PatIdent) {
        self.0.push(ident.ident.to_string());
        visit::visit_pat_ident(self, ident);
    }
}
