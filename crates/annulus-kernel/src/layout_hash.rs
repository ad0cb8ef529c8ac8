//! A number that stands for the memory layout of a type.

use crate::{
    Primitive,
    descriptor::{FieldDescriptor, Meaning, TypeDescriptor, TypeKind},
    fnv::{START, extend},
};

impl TypeDescriptor {
    /// A hash of everything that decides the memory layout of the type's values, and of their names: the same for the
    /// same definition in every program. Snapshots compare it, and observers show it.
    ///
    /// ```
    /// use annulus_kernel::DeviceType;
    /// let hash = |ty: &annulus_kernel::TypeDescriptor| ty.layout_hash();
    /// assert_eq!(hash(<[u64; 3]>::DESCRIPTOR), hash(<[u64; 3]>::DESCRIPTOR));
    /// assert_ne!(hash(<[u64; 3]>::DESCRIPTOR), hash(<[i64; 3]>::DESCRIPTOR));
    /// ```
    pub fn layout_hash(&self) -> u64 {
        of(self, START)
    }
}

fn number(hash: u64, number: u64) -> u64 {
    extend(hash, &number.to_le_bytes())
}

fn text(hash: u64, text: &str) -> u64 {
    extend(number(hash, text.len() as u64), text.as_bytes())
}

fn primitive(hash: u64, kind: Primitive) -> u64 {
    text(hash, &format!("{kind:?}"))
}

fn fields(hash: u64, fields: &[FieldDescriptor]) -> u64 {
    fields.iter().fold(number(hash, fields.len() as u64), |hash, field| {
        of(field.ty, number(text(hash, field.name), field.offset as u64))
    })
}

fn of(ty: &TypeDescriptor, hash: u64) -> u64 {
    let meaning = match ty.meaning {
        Meaning::List => 1,
        Meaning::Text => 2,
        // Whether equality is derived does not affect the bytes.
        _ => 0,
    };
    let hash = number(number(text(hash, ty.name), ty.size as u64), meaning);
    match ty.kind {
        TypeKind::Primitive(kind) => primitive(number(hash, 0), kind),
        TypeKind::Struct(parts) => fields(number(hash, 1), parts),
        TypeKind::Array { element, len } => of(element, number(number(hash, 2), len as u64)),
        TypeKind::Enum { tag, variants } => {
            let hash = number(primitive(number(hash, 3), tag), variants.len() as u64);
            variants.iter().fold(hash, |hash, variant| {
                fields(number(text(hash, variant.name), variant.tag), variant.fields)
            })
        }
    }
}
