//! The types that a handler uses, each after its parts, with their names in C.

use std::collections::HashSet;

use super::{
    archive::{archived, elements_behind},
    names::identifier,
};
use crate::{
    FieldDescriptor, KernelDefinition, TypeDescriptor, TypeKind, VariantDescriptor, typed::Type,
    witness::Witnessed,
};

/// Types and their names.
#[derive(Debug, Default)]
pub(crate) struct TypeNames {
    types: Vec<(Type, String)>,
    taken: HashSet<String>,
    /// Whether variables have got their names. From then on no type may take such a name.
    late: bool,
}

/// Every type that a kernel's definition or body mentions.
pub(crate) fn reachable(definition: &KernelDefinition, witnesses: &[Witnessed]) -> Vec<Type> {
    let mut types: Vec<Type> = vec![definition.message.into(), definition.read_by_handlers().into()];
    types.extend(definition.output.map(Type::from));
    types.extend(definition.state.definition().map(|state| state.ty.into()));
    types.extend(definition.bindings.iter().map(|binding| binding.ty.into()));
    types.extend(witnesses.iter().map(|witness| witness.ty.clone()));
    types
}

impl TypeNames {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds a type and all its parts; scalars need no definition.
    pub(crate) fn add(&mut self, ty: &Type) {
        if self.name_of(ty).is_some() {
            return;
        }
        let wanted = match ty {
            Type::Unit | Type::Scalar(_) | Type::Failure | Type::Verdict | Type::Ordering => return,
            Type::Array { element, len } => {
                self.add(element);
                format!("{}{}_x{len}", if self.late { "Array_" } else { "" }, self.spell(element))
            }
            Type::Tuple(parts) => {
                parts.iter().for_each(|part| self.add(part));
                let parts: Vec<String> = parts.iter().map(|part| self.spell(part)).collect();
                format!("Tuple_{}", parts.join("_"))
            }
            Type::Option(value) => {
                self.add(value);
                format!("Option_{}", self.spell(value))
            }
            Type::Result(value, error) => {
                self.add(value);
                self.add(error);
                format!("Result_{}_{}", self.spell(value), self.spell(error))
            }
            Type::Struct(descriptor) | Type::Enum(descriptor) => {
                fields_of(descriptor).for_each(|field| self.add(&field.ty.into()));
                if let Some(element) = archived(ty).and_then(elements_behind) {
                    self.add(&element.into());
                }
                identifier(descriptor.name)
            }
        };
        let numbered = (2..).map(|number| format!("{wanted}_{number}"));
        let mut names = std::iter::once(wanted.clone()).chain(numbered);
        let name = names.find(|name| !self.taken.contains(name)).expect("there are more numbers than names");
        self.taken.insert(name.clone());
        self.types.push((ty.clone(), name));
    }

    /// From now on types get names that no variable can have.
    pub(crate) fn late(&mut self) {
        self.late = true;
    }

    fn name_of(&self, ty: &Type) -> Option<&str> {
        self.types.iter().find(|(known, _)| known == ty).map(|(_, name)| name.as_str())
    }

    /// A type's name in C.
    pub(crate) fn spell(&self, ty: &Type) -> String {
        match ty {
            Type::Scalar(scalar) => c_scalar(*scalar).to_owned(),
            Type::Failure | Type::Verdict => "u32".to_owned(),
            Type::Unit | Type::Ordering => "void".to_owned(),
            ty => self.name_of(ty).expect("every type of a handler was added").to_owned(),
        }
    }

    /// Whether any of them has a part that is an `f64`.
    pub(crate) fn uses_f64(&self) -> bool {
        let is_f64 = |ty: &Type| *ty == Type::Scalar(crate::typed::Scalar::F64);
        self.types.iter().any(|(ty, _)| match ty {
            Type::Array { element, .. } => is_f64(element),
            Type::Tuple(parts) => parts.iter().any(is_f64),
            Type::Option(value) => is_f64(value),
            Type::Result(value, error) => is_f64(value) || is_f64(error),
            Type::Struct(descriptor) | Type::Enum(descriptor) => {
                fields_of(descriptor).any(|field| is_f64(&field.ty.into()))
            }
            _ => false,
        })
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.types.iter().map(|(_, name)| name.as_str())
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Type, &str)> {
        self.types.iter().map(|(ty, name)| (ty, name.as_str()))
    }
}

/// The fields of a struct, or of all variants of an enum.
pub(super) fn fields_of(
    descriptor: &'static TypeDescriptor,
) -> impl Iterator<Item = &'static FieldDescriptor> {
    let (fields, variants): (&[FieldDescriptor], &[VariantDescriptor]) = match descriptor.kind {
        TypeKind::Struct(fields) => (fields, &[]),
        TypeKind::Enum { variants, .. } => (&[], variants),
        TypeKind::Primitive(_) | TypeKind::Array { .. } => (&[], &[]),
    };
    fields.iter().chain(variants.iter().flat_map(|variant| variant.fields))
}

/// The C type of a scalar in a variable or an operand.
pub(crate) fn c_scalar(scalar: crate::typed::Scalar) -> &'static str {
    use crate::typed::Scalar;
    match scalar {
        Scalar::Usize => "u64",
        Scalar::Isize => "i64",
        other => other.name(),
    }
}

/// Whether a type has no bytes.
pub(crate) fn takes_no_place(ty: &Type) -> bool {
    match ty {
        Type::Unit => true,
        Type::Struct(descriptor) => descriptor.size == 0,
        Type::Array { element, len } => *len == 0 || takes_no_place(element),
        _ => false,
    }
}
