//! Which names are variables where.

use annulus_tree::Pattern;

/// The variables in scope, innermost last, and which of them are known to be numbers.
pub(super) struct Scopes {
    names: Vec<(String, bool)>,
}

/// How many variables were in scope at a place.
pub(super) struct Mark(usize);

impl Scopes {
    pub(super) fn new() -> Self {
        Self { names: Vec::new() }
    }

    pub(super) fn mark(&self) -> Mark {
        Mark(self.names.len())
    }

    /// Forgets what was declared since.
    pub(super) fn back_to(&mut self, mark: &Mark) {
        self.names.truncate(mark.0);
    }

    pub(super) fn declare(&mut self, name: &str) {
        self.names.push((name.to_owned(), false));
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.names.iter().any(|(known, _)| known == name)
    }

    /// Notes that a variable is known to be a number.
    pub(super) fn note_number(&mut self, name: &str) {
        if let Some((_, number)) = self.names.iter_mut().rev().find(|(known, _)| known == name) {
            *number = true;
        }
    }

    /// Whether a variable is known to be a number.
    pub(super) fn is_number(&self, name: &str) -> bool {
        self.names.iter().rev().find(|(known, _)| known == name).is_some_and(|(_, number)| *number)
    }

    /// Declares all that a pattern binds.
    pub(super) fn declare_all(&mut self, pattern: &Pattern) {
        match pattern {
            Pattern::Bind { name, inner, .. } => {
                self.declare(name);
                if let Some(inner) = inner {
                    self.declare_all(inner);
                }
            }
            Pattern::Fields { fields, .. } => {
                fields.iter().for_each(|field| self.declare_all(&field.pattern));
            }
            Pattern::Reference { pattern } => self.declare_all(pattern),
            Pattern::Or { patterns } | Pattern::Tuple { patterns } => {
                patterns.iter().for_each(|pattern| self.declare_all(pattern))
            }
            Pattern::Wildcard
            | Pattern::Literal { .. }
            | Pattern::Constant { .. }
            | Pattern::Range { .. }
            | Pattern::Unit => {}
        }
    }
}
