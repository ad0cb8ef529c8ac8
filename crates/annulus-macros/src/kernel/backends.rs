//! `backends = [Cpu, Cuda]`: where a kernel may be launched.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Expr, ExprLit, Lit};

use crate::{errors::Errors, types};

/// The backends that this project has, by their variants in `annulus::Backend`: their names, and whether they
/// are devices.
const KNOWN: [(&str, &str, bool); 5] = [
    ("Cpu", "cpu", false),
    ("Cuda", "cuda", true),
    ("Metal", "metal", true),
    ("Noop", "noop", false),
    ("OpenCl", "opencl", true),
];

/// A backend that the attribute names.
pub(super) struct Backend {
    name: String,
    place: TokenStream,
    is_device: bool,
}

impl Backend {
    /// As the backend itself says.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn place(&self) -> &TokenStream {
        &self.place
    }

    pub(super) fn is_device(&self) -> bool {
        self.is_device
    }
}

/// The backends of a list such as `[Cpu, Cuda]`. A string is the name of somebody else's backend.
pub(super) fn list(value: &Expr) -> syn::Result<Vec<Backend>> {
    let Expr::Array(array) = value else {
        let said = types::text(value);
        let message = format!("`backends` is a list: write `backends = [{said}]`");
        return Err(syn::Error::new_spanned(value, message));
    };
    let mut errors = Errors::default();
    let mut backends: Vec<Backend> = Vec::new();
    for value in &array.elems {
        let Some(backend) = errors.take(backend(value)) else { continue };
        if backends.iter().any(|other| other.name == backend.name) {
            errors.at(value, format!("`{}` is named twice", types::text(value)));
        }
        backends.push(backend);
    }
    if array.elems.is_empty() {
        let message = "a kernel that may be launched nowhere is none: name a backend, or leave `backends` out to allow all";
        errors.at(value, message);
    }
    errors.finish(backends)
}

fn backend(value: &Expr) -> syn::Result<Backend> {
    let place = value.to_token_stream();
    if let Expr::Lit(ExprLit { lit: Lit::Str(name), .. }) = value {
        return Ok(Backend { name: name.value(), place, is_device: false });
    }
    let said = types::text(value);
    match KNOWN.iter().find(|(variant, ..)| *variant == said) {
        Some(&(_, name, is_device)) => Ok(Backend { name: name.to_owned(), place, is_device }),
        None => {
            let known: Vec<_> = KNOWN.iter().map(|(variant, ..)| format!("`{variant}`")).collect();
            let message = format!(
                "`{said}` is no backend: they are {}; another's name is a string, `\"{}\"`",
                known.join(", "),
                said.to_lowercase()
            );
            Err(syn::Error::new_spanned(value, message))
        }
    }
}
