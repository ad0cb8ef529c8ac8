//! Bodies as data: what the macros know of a handler or a function, and what rustc tells them. Not for use in
//! programs.

use std::{any::TypeId, collections::HashSet, marker::PhantomData};

use crate::{
    PrintSite,
    typed::{Type, Value},
};

/// A body with what rustc knows about it.
#[derive(Clone, Debug)]
pub struct KernelTree {
    /// The syntax: for a handler, an encoded `annulus_tree::HandlerTree`.
    pub syntax: &'static [u8],
    /// What its witnesses saw, indexed by their numbers.
    pub witnesses: Vec<Witnessed>,
    /// The functions that it calls, indexed by their numbers; `None` for a function of the standard library.
    pub functions: Vec<Option<Callee>>,
    /// Its prints, indexed by their numbers.
    pub prints: Vec<PrintSite>,
    /// Whether its crate is built with debug assertions: then overflow is an error, and `debug_assert!` is
    /// checked.
    pub checks: bool,
}

/// What a witness saw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witnessed {
    /// The expression's type.
    pub ty: Type,
    /// Its value, if it is a constant.
    pub value: Option<Value>,
}

/// Wraps one expression of a body that is type-checked and never run: rustc infers `T`.
#[derive(Debug)]
pub struct Witness<T: ?Sized>(PhantomData<*mut T>);

impl<T: ?Sized> Witness<T> {
    /// A witness of a type that will be inferred.
    #[allow(clippy::new_without_default)] // Nobody but the macro's output makes one.
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

/// A function with what rustc knows about it; for a generic function, one instance.
#[derive(Clone, Debug)]
pub struct FunctionTree {
    /// Its name: `mix`, `Stats::push`.
    pub name: &'static str,
    /// The values of its generic parameters.
    pub generics: Vec<String>,
    /// The source file.
    pub file: &'static str,
    /// Its line.
    pub line: u32,
    /// Its body; the syntax is an encoded `annulus_tree::FunctionTree`.
    pub tree: KernelTree,
}

/// A function that a body calls.
#[derive(Clone, Copy, Debug)]
pub struct Callee {
    /// Distinguishes functions, and instances of generic functions.
    pub id: TypeId,
    /// The function as data.
    pub tree: fn() -> FunctionTree,
}

/// Replaces the syntax of a function that exists only on the host.
pub(crate) const ON_HOST: &[u8] = b"host";

/// Replaces the syntax of a function that no device knows; its name says what it is, and what to write instead.
pub(crate) const UNKNOWN: &[u8] = b"unknown";

impl FunctionTree {
    /// A function that no device knows, and what to write instead.
    pub(crate) fn unknown(reason: &'static str) -> Self {
        let unknown = Self::on_host(reason, "", 0);
        Self { tree: KernelTree { syntax: UNKNOWN, ..unknown.tree }, ..unknown }
    }

    /// A function with `#[cpu_only]`, which devices do not know.
    pub fn on_host(name: &'static str, file: &'static str, line: u32) -> Self {
        let tree = KernelTree {
            syntax: ON_HOST,
            witnesses: Vec::new(),
            functions: Vec::new(),
            prints: Vec::new(),
            checks: false,
        };
        Self { name, generics: Vec::new(), file, line, tree }
    }
}

/// The functions that can be reached from these, each once, and always in the same order.
pub(crate) fn reachable(callees: &[Option<Callee>]) -> Vec<(TypeId, FunctionTree)> {
    let mut found: Vec<(TypeId, FunctionTree)> = Vec::new();
    let mut known = HashSet::new();
    let mut left: Vec<Callee> = callees.iter().flatten().copied().collect();
    while let Some(callee) = left.pop() {
        if known.insert(callee.id) {
            let function = (callee.tree)();
            left.extend(function.tree.functions.iter().flatten());
            found.push((callee.id, function));
        }
    }
    found
}
