//! What kernels live through, kept for tests to look at.

use std::{collections::BTreeMap, fmt};

use tracing::field::{Field, Visit};

/// One event of a kernel's life, or of a send to it that waits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lived {
    /// The event's target.
    pub target: &'static str,
    /// What happened.
    pub message: String,
    /// The other fields, as text.
    pub fields: BTreeMap<&'static str, String>,
}

impl Lived {
    /// A field's text; empty if there is none of this name.
    pub fn field(&self, name: &str) -> &str {
        self.fields.get(name).map_or("", String::as_str)
    }

    /// A field as a number of seconds.
    ///
    /// # Panics
    ///
    /// If it is none.
    pub fn seconds(&self, name: &str) -> f64 {
        self.field(name).parse().unwrap_or_else(|_| panic!("`{name}` is no number: {self:?}"))
    }
}

impl Visit for Lived {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.fields.insert(field.name(), value.into());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        match field.name() {
            "message" => self.message = format!("{value:?}"),
            name => drop(self.fields.insert(name, format!("{value:?}"))),
        }
    }
}
