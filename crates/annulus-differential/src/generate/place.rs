//! Places: variables, and parts of them.

use super::{Ty, Writer, types::fields};

impl Writer<'_> {
    /// A place of this type, if there is one.
    pub(super) fn place(&mut self, ty: &Ty, mutable: bool) -> Option<String> {
        Some(self.rooted(ty, mutable)?.0)
    }

    /// A place of this type, and the variable that it is a part of.
    pub(super) fn rooted(&mut self, ty: &Ty, mutable: bool) -> Option<(String, String)> {
        if mutable && self.frozen {
            return None;
        }
        let mut roots = Vec::new();
        for (index, var) in self.vars.iter().enumerate() {
            let hidden = self.vars[index + 1..].iter().any(|later| later.name == var.name);
            let lent = mutable && self.lent.contains(&var.name);
            let usable = !hidden && !lent && (var.mutable || !mutable) && !self.borrowed.contains(&var.name);
            if usable && var.ty.holds(ty) {
                roots.push((var.name.clone(), var.ty.clone()));
            }
        }
        if roots.is_empty() {
            return None;
        }
        // The newest first: it is the simplest choice.
        roots.reverse();
        let (name, root) = self.choices.one(&roots);
        Some((self.part(name.clone(), &root, ty), name))
    }

    /// A part of a place, of this type.
    fn part(&mut self, path: String, of: &Ty, wanted: &Ty) -> String {
        if of == wanted {
            return path;
        }
        match of {
            Ty::Array(element, len) => {
                let index = self.index(*len);
                self.part(format!("{path}[{index}]"), element, wanted)
            }
            Ty::Named(name) => {
                let fields: Vec<_> = fields(name).into_iter().filter(|(_, ty)| ty.holds(wanted)).collect();
                let (field, ty) = self.choices.one(&fields);
                self.part(format!("{path}.{field}"), &ty, wanted)
            }
            Ty::Tuple(parts) => {
                let parts: Vec<_> = parts.iter().enumerate().filter(|(_, ty)| ty.holds(wanted)).collect();
                let (index, ty) = self.choices.one(&parts);
                self.part(format!("{path}.{index}"), ty, wanted)
            }
            _ => unreachable!("a scalar holds nothing else"),
        }
    }

    /// An index into that many elements, which is rarely out of bounds.
    pub(super) fn index(&mut self, len: usize) -> String {
        match self.choices.below(12) {
            0..=5 => self.choices.below(len).to_string(),
            6..=10 => format!("{} % {len}", self.expression(&Ty::Int("usize"))),
            _ => self.expression(&Ty::Int("usize")),
        }
    }
}
