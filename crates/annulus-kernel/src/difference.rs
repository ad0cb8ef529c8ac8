//! The first difference of two types that somebody took for one.

use crate::{FieldDescriptor, TypeDescriptor, TypeKind, VariantDescriptor};

impl TypeDescriptor {
    /// The first difference between this type, which is *there*, and the one that somebody has *here*: the field
    /// with its path, and what it is on both sides. `None` if they are equal.
    ///
    /// ```
    /// use annulus_kernel::DeviceType;
    ///
    /// let difference = <[u16; 2]>::DESCRIPTOR.difference(<[u32; 2]>::DESCRIPTOR);
    /// assert_eq!(difference.as_deref(), Some("it is [u16; 2] there, [u32; 2] here"));
    /// assert_eq!(u8::DESCRIPTOR.difference(u8::DESCRIPTOR), None);
    /// ```
    pub fn difference(&self, here: &Self) -> Option<String> {
        if self == here {
            return None;
        }
        let inside = match (self.kind, here.kind) {
            (TypeKind::Struct(there), TypeKind::Struct(here)) => fields(there, here),
            (TypeKind::Enum { tag, variants: there }, TypeKind::Enum { tag: other, variants: here })
                if tag == other =>
            {
                variants(there, here)
            }
            _ => return Some(format!("it is {} there, {} here", written(self), written(here))),
        };
        // What is left: names, alignments and meanings.
        let outside = || match self.name == here.name {
            true => format!("{} lies or means something else there", self.name),
            false => "the fields are the same, and the names differ".into(),
        };
        Some(inside.unwrap_or_else(outside))
    }
}

fn fields(there: &[FieldDescriptor], here: &[FieldDescriptor]) -> Option<String> {
    for (theirs, ours) in there.iter().zip(here) {
        let name = theirs.name;
        if name != ours.name {
            return Some(format!("field `{name}` stands there where `{}` stands here", ours.name));
        }
        if theirs.ty != ours.ty {
            let (theirs, ours) = (theirs.ty, ours.ty);
            let deeper = match (theirs.kind, ours.kind) {
                (TypeKind::Struct(there), TypeKind::Struct(here)) if theirs.name == ours.name => {
                    fields(there, here).map(|deeper| format!("in `{name}`: {deeper}"))
                }
                _ => None,
            };
            let both = || format!("field `{name}` is {} there, {} here", written(theirs), written(ours));
            return Some(deeper.unwrap_or_else(both));
        }
        if theirs.offset != ours.offset {
            let (theirs, ours) = (theirs.offset, ours.offset);
            return Some(format!("field `{name}` lies at byte {theirs} there, at byte {ours} here"));
        }
    }
    let surplus = |there: &[FieldDescriptor], here: &[FieldDescriptor]| {
        there.get(here.len()).map(|field| format!("`{}: {}`", field.name, written(field.ty)))
    };
    let only_there = surplus(there, here).map(|field| format!("field {field} is there and not here"));
    only_there.or_else(|| surplus(here, there).map(|field| format!("field {field} is here and not there")))
}

fn variants(there: &[VariantDescriptor], here: &[VariantDescriptor]) -> Option<String> {
    for (theirs, ours) in there.iter().zip(here) {
        let name = theirs.name;
        if name != ours.name {
            return Some(format!("variant `{name}` stands there where `{}` stands here", ours.name));
        }
        if theirs.tag != ours.tag {
            return Some(format!("variant `{name}` is {} there, {} here", theirs.tag, ours.tag));
        }
        if let Some(inside) = fields(theirs.fields, ours.fields) {
            return Some(format!("in variant `{name}`: {inside}"));
        }
    }
    let surplus = |there: &[VariantDescriptor], here: &[VariantDescriptor]| {
        there.get(here.len()).map(|variant| variant.name)
    };
    let only_there = surplus(there, here).map(|name| format!("variant `{name}` is there and not here"));
    only_there.or_else(|| surplus(here, there).map(|name| format!("variant `{name}` is here and not there")))
}

/// A type as the program wrote it.
fn written(ty: &TypeDescriptor) -> String {
    match ty.kind {
        TypeKind::Array { element, len } => format!("[{}; {len}]", written(element)),
        _ => ty.name.into(),
    }
}
