//! What a package says outside of the function at hand: its kernels, what its functions return, which of them
//! wait, the types of fields, constants.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use syn::{
    Attribute, FnArg, Item, ReturnType, Signature, Type,
    visit::{self, Visit},
};

use crate::{
    body::{self, Body, pause},
    known::Known,
    source::Source,
};

/// A kernel of the package.
#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    /// The file that has it.
    pub(crate) file: String,
    /// The name of its outbox, if it has one.
    pub(crate) outbox: Option<String>,
    /// The names of the parameters by which it asks other kernels.
    asks: Vec<String>,
    /// What its attribute says.
    pub(crate) attribute: String,
}

impl Kernel {
    /// Whether it asks by this port: `PRICE` for the parameter `price`.
    pub(crate) fn asks_by(&self, port: &str) -> bool {
        self.asks.iter().any(|name| name.to_uppercase() == port)
    }
}

/// See the module.
#[derive(Default)]
pub(crate) struct Facts {
    kernels: HashMap<String, Vec<Kernel>>,
    /// Types of the package's own. One that is called like one of ours is none of ours.
    types: HashSet<String>,
    /// The methods of types, which the package has written itself, by the type and the name.
    methods: HashMap<String, HashSet<String>>,
    fields: HashMap<(String, String), Known>,
    /// Types with fields that have names.
    with_fields: HashSet<String>,
    /// What free functions return. Those whose name two have with different results are left out.
    returns: HashMap<String, Known>,
    constants: HashMap<String, Known>,
    /// Functions that may wait, also by what they call.
    waiting: BTreeSet<String>,
    /// Kernels that are asked for by name somewhere: their types, the names that they run under, or `*` for any.
    pub(crate) asked_by_name: HashSet<String>,
}

impl Facts {
    /// Those of these files, with the files' functions. `tests`: also of modules that only tests have.
    pub(crate) fn of(sources: &[&Source], tests: bool) -> (Self, Vec<Vec<Body>>) {
        let mut facts = Self::default();
        for source in sources {
            let mut types = Types { facts: &mut facts };
            types.visit_file(&source.file);
        }
        for source in sources {
            let mut gather = Gather { source, facts: &mut facts, ambiguous: HashSet::new() };
            gather.visit_file(&source.file);
        }
        let mut calls: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let bodies: Vec<Vec<Body>> = sources.iter().map(|source| body::of(source, &facts, tests)).collect();
        for file in &bodies {
            for body in file {
                let called = calls.entry(body.name.clone()).or_default();
                called.extend(body.calls().map(|call| call.name.clone()));
                if body.calls().any(pause::is_by_name) || body.has_opaque_macros() {
                    facts.waiting.insert(body.name.clone());
                }
                facts.asked_by_name.extend(body.asked_by_name());
            }
        }
        // Until nothing more is found.
        loop {
            let more: Vec<String> = calls
                .iter()
                .filter(|(name, called)| {
                    !facts.waiting.contains(*name) && !called.is_disjoint(&facts.waiting)
                })
                .map(|(name, _)| name.clone())
                .collect();
            if more.is_empty() {
                return (facts, bodies);
            }
            facts.waiting.extend(more);
        }
    }

    /// The kernel of this name: of the same file, or the only one.
    pub(crate) fn kernel(&self, name: &str, file: &str) -> Option<&Kernel> {
        let all = self.kernels.get(name)?;
        match &all[..] {
            [one] => Some(one),
            many => many.iter().find(|kernel| kernel.file == file),
        }
    }

    pub(crate) fn has_own_type(&self, name: &str) -> bool {
        self.types.contains(name)
    }

    /// Whether the package has written methods of the type.
    pub(crate) fn has_methods(&self, of: &str) -> bool {
        self.methods.contains_key(of)
    }

    /// Whether the package has written this method of the type.
    pub(crate) fn has_method(&self, of: &str, name: &str) -> bool {
        self.methods.get(of).is_some_and(|methods| methods.contains(name))
    }

    /// Whether it is a type of the package with fields that have names.
    pub(crate) fn has_fields(&self, of: &str) -> bool {
        self.with_fields.contains(of)
    }

    pub(crate) fn field(&self, of: &str, name: &str) -> Known {
        self.fields.get(&(of.into(), name.into())).cloned().unwrap_or_default()
    }

    pub(crate) fn returned_by(&self, function: &str) -> Known {
        self.returns.get(function).cloned().unwrap_or_default()
    }

    pub(crate) fn constant(&self, name: &str) -> Known {
        self.constants.get(name).cloned().unwrap_or_default()
    }

    pub(crate) fn may_wait(&self, function: &str) -> bool {
        self.waiting.contains(function)
    }
}

/// Whether one of the attributes is called so.
pub(crate) fn has_attribute(attributes: &[Attribute], name: &str) -> bool {
    attributes.iter().any(|attribute| attribute.path().segments.last().is_some_and(|last| last.ident == name))
}

/// Whether an item is there only in tests.
pub(crate) fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let path = attribute.path();
        let cfg_test = || match &attribute.meta {
            syn::Meta::List(list) => list.tokens.to_string().contains("test"),
            _ => false,
        };
        path.segments.last().is_some_and(|last| last.ident == "test") || (path.is_ident("cfg") && cfg_test())
    })
}

struct Types<'a> {
    facts: &'a mut Facts,
}

impl<'ast> Visit<'ast> for Types<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        let name = match item {
            Item::Struct(item) => Some(&item.ident),
            Item::Enum(item) => Some(&item.ident),
            Item::Type(item) => Some(&item.ident),
            Item::Trait(item) => Some(&item.ident),
            _ => None,
        };
        // `type Outcome<T> = Result<T, …>` says what it is by its argument.
        let is_alias = matches!(item, Item::Type(alias) if !alias.generics.params.is_empty());
        if let Some(name) = name.filter(|_| !is_alias) {
            self.facts.types.insert(name.to_string());
            if matches!(item, Item::Struct(item) if matches!(item.fields, syn::Fields::Named(_))) {
                self.facts.with_fields.insert(name.to_string());
            }
        }
        if let Item::Impl(item) = item
            && let Type::Path(of) = &*item.self_ty
            && let Some(of) = of.path.segments.last()
        {
            let methods = self.facts.methods.entry(of.ident.to_string()).or_default();
            methods.extend(item.items.iter().filter_map(|item| match item {
                syn::ImplItem::Fn(method) if method.sig.receiver().is_some() => {
                    Some(method.sig.ident.to_string())
                }
                _ => None,
            }));
        }
        visit::visit_item(self, item);
    }
}

struct Gather<'a> {
    source: &'a Source,
    facts: &'a mut Facts,
    ambiguous: HashSet<String>,
}

impl Gather<'_> {
    fn signature(&mut self, signature: &Signature) {
        let name = signature.ident.to_string();
        let known = match &signature.output {
            ReturnType::Type(_, ty) => Known::of_type(ty, self.facts),
            ReturnType::Default => Known::Unknown,
        };
        if self.ambiguous.contains(&name) {
            return;
        }
        match self.facts.returns.get(&name) {
            Some(other) if *other != known => {
                self.facts.returns.remove(&name);
                self.ambiguous.insert(name);
            }
            _ => {
                self.facts.returns.insert(name, known);
            }
        }
    }
}

impl<'ast> Visit<'ast> for Gather<'_> {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if has_attribute(&item.attrs, "ring_kernel") {
            let of_type = |wanted: &'static str| {
                item.sig.inputs.iter().filter_map(move |input| match input {
                    FnArg::Typed(typed) => is_called(&typed.ty, wanted).then(|| match &*typed.pat {
                        syn::Pat::Ident(name) => name.ident.to_string(),
                        _ => "its outbox".into(),
                    }),
                    FnArg::Receiver(_) => None,
                })
            };
            let (outbox, asks) = (of_type("Outbox").next(), of_type("Ask").collect());
            let attribute = item.attrs.iter().find(|attribute| {
                attribute.path().segments.last().is_some_and(|last| last.ident == "ring_kernel")
            });
            let attribute = attribute.and_then(|attribute| match &attribute.meta {
                syn::Meta::List(list) => Some(list.tokens.to_string()),
                _ => None,
            });
            let (file, attribute) = (self.source.shown.clone(), attribute.unwrap_or_default());
            let kernel = Kernel { file, outbox, asks, attribute };
            self.facts.kernels.entry(item.sig.ident.to_string()).or_default().push(kernel);
            return;
        }
        self.signature(&item.sig);
        visit::visit_item_fn(self, item);
    }

    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        for field in &item.fields {
            if let Some(name) = &field.ident {
                let known = Known::of_type(&field.ty, self.facts);
                let key = (item.ident.to_string(), name.to_string());
                // Two structs of one name: neither is known.
                let known = match self.facts.fields.get(&key) {
                    Some(other) if *other != known => Known::Unknown,
                    _ => known,
                };
                self.facts.fields.insert(key, known);
            }
        }
    }

    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        let known = body::known_outside(&item.expr, self.source, self.facts);
        let name = item.ident.to_string();
        let known = match self.facts.constants.get(&name) {
            Some(other) if *other != known => Known::Unknown,
            _ => known,
        };
        self.facts.constants.insert(name, known);
    }
}

/// Whether it is a type of this name, or a reference to one.
fn is_called(ty: &Type, name: &str) -> bool {
    match ty {
        Type::Reference(reference) => is_called(&reference.elem, name),
        Type::Path(path) => path.path.segments.last().is_some_and(|last| last.ident == name),
        _ => false,
    }
}
