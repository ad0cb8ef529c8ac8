//! `domain = …`: what a kernel of this kind begins with. `LaunchOptions::for_domain` has the rest, and says
//! why.

use proc_macro2::{Ident, Span};
use syn::Expr;

use crate::types;

/// A domain, and the mode of its kernels.
pub(super) struct Domain {
    name: &'static str,
    pub(super) mode: &'static str,
}

/// The same as in `annulus_runtime::Domain`, which a test compares.
const DOMAINS: [Domain; 4] = [
    Domain { name: "General", mode: "Continuous" },
    Domain { name: "GraphAnalytics", mode: "Batch" },
    Domain { name: "SpatialSimulation", mode: "Batch" },
    Domain { name: "ActorModel", mode: "Adaptive" },
];

impl Domain {
    pub(super) fn of(value: &Expr) -> syn::Result<&'static Self> {
        let said = types::text(value);
        DOMAINS.iter().find(|domain| domain.name == said).ok_or_else(|| {
            let known: Vec<_> = DOMAINS.iter().map(|domain| format!("`{}`", domain.name)).collect();
            let message = format!("`{said}` is no domain: they are {}", known.join(", "));
            syn::Error::new_spanned(value, message)
        })
    }

    /// Whether it has defaults of its own.
    pub(super) fn has_mode(&self) -> bool {
        self.name != "General"
    }

    /// The variant of Annulus's own enum.
    pub(super) fn ident(&self) -> Ident {
        Ident::new(self.name, Span::mixed_site())
    }
}
