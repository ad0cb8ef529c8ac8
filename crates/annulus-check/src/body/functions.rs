//! The functions of a file.

use syn::{
    FnArg,
    visit::{self, Visit},
};

use super::{Body, walk::Walk};
use crate::{
    facts::{Facts, has_attribute, is_test},
    known::Known,
    source::Source,
};

/// All functions of a file, but for those that run on a device. `tests`: also those that only tests have.
pub(crate) fn of(source: &Source, facts: &Facts, tests: bool) -> Vec<Body> {
    let mut functions = Functions { source, facts, tests, self_type: None, bodies: Vec::new() };
    functions.visit_file(&source.file);
    functions.bodies
}

struct Functions<'a> {
    source: &'a Source,
    facts: &'a Facts,
    tests: bool,
    self_type: Option<String>,
    bodies: Vec<Body>,
}

impl Functions<'_> {
    fn function(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let mut walk =
            Walk::new(self.source, self.facts, self.self_type.clone(), signature.ident.to_string());
        for input in &signature.inputs {
            if let FnArg::Typed(typed) = input {
                let known = Known::of_type(&typed.ty, self.facts);
                walk.bind(&typed.pat, known);
            }
        }
        self.bodies.push(walk.read(signature, block));
        // Functions inside of it are functions by themselves.
        visit::visit_block(self, block);
    }
}

impl<'ast> Visit<'ast> for Functions<'_> {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if self.tests || !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        let on_device = has_attribute(&item.attrs, "ring_kernel") || has_attribute(&item.attrs, "device_fn");
        if !on_device && (self.tests || !is_test(&item.attrs)) {
            self.function(&item.sig, &item.block);
        }
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        let outer = self.self_type.take();
        self.self_type = match &*item.self_ty {
            syn::Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
            _ => None,
        };
        if !has_attribute(&item.attrs, "device_impl") {
            visit::visit_item_impl(self, item);
        }
        self.self_type = outer;
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function(&item.sig, &item.block);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.function(&item.sig, block);
        }
    }
}
