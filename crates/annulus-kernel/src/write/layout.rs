//! Types in C, laid out as Rust lays them out, and constants.

use super::Writer;
use crate::{
    FieldDescriptor, TypeDescriptor, TypeKind, VariantDescriptor,
    lower::{
        names::{field_name, variant_name},
        types::c_scalar,
    },
    typed::{Scalar, Type, Value},
};

/// The type of the tag of an `Option` or a `Result`.
const TAG: Type = Type::Scalar(Scalar::U8);

/// A case of an `Option` or a `Result` by its number: the tag, the member and its type.
fn case_number(ty: &Type, variant: usize) -> (usize, &'static str, &Type) {
    match (ty, variant) {
        (Type::Option(value), 1) => (1, "some", value),
        (Type::Result(value, _), 0) => (0, "ok", value),
        (Type::Result(_, error), _) => (1, "err", error),
        _ => (0, "", &Type::Unit),
    }
}

/// The C type of a value in memory: a `bool` is a byte there.
pub(super) fn storage(spelled: String) -> String {
    if spelled == "bool" { "u8".to_owned() } else { spelled }
}

impl Writer<'_> {
    /// The C type of a variable.
    pub(super) fn spell(&self, ty: &Type) -> String {
        self.types.spell(ty)
    }

    /// The C type of a value in memory.
    pub(super) fn stored(&self, ty: &Type) -> String {
        storage(self.spell(ty))
    }

    /// Every type, each after its parts, with a check of its size. Padding is written out, so equal sizes
    /// mean equal offsets.
    pub(super) fn types(&mut self) {
        for (ty, name) in self.types.iter() {
            match ty {
                Type::Array { element, len } => {
                    let element = self.stored(element);
                    self.put("");
                    // C has no empty arrays; nobody reads this element.
                    let len = (*len).max(1);
                    self.put(&format!("typedef struct {name} {{ {element} at[{len}]; }} {name};"));
                }
                Type::Struct(descriptor) => self.structure(descriptor, name),
                Type::Enum(descriptor) => self.union(descriptor, name),
                Type::Tuple(parts) => {
                    let fields: Vec<String> = (0..parts.len()).map(|part| part.to_string()).collect();
                    let members: Vec<(&str, &Type)> = fields.iter().map(String::as_str).zip(parts).collect();
                    self.made(name, &members);
                }
                Type::Option(value) => self.made(name, &[("tag", &TAG), ("some", value)]),
                Type::Result(value, error) => {
                    self.made(name, &[("tag", &TAG), ("ok", value), ("err", error)]);
                }
                Type::Unit | Type::Scalar(_) | Type::Failure | Type::Verdict | Type::Ordering => {}
            }
        }
    }

    /// A struct that is not laid out as in Rust: it never lies in memory shared with the host.
    fn made(&mut self, name: &str, members: &[(&str, &Type)]) {
        let members: Vec<String> = members
            .iter()
            .filter(|(_, ty)| **ty != Type::Unit)
            .map(|(member, ty)| format!("{} {};", self.stored(ty), field_name(member)))
            .collect();
        let members = if members.is_empty() { "u8 ann_nothing;".to_owned() } else { members.join(" ") };
        self.put("");
        self.put(&format!("typedef struct {name} {{ {members} }} {name};"));
    }

    fn structure(&mut self, descriptor: &TypeDescriptor, name: &str) {
        let TypeKind::Struct(fields) = descriptor.kind else { return };
        self.put("");
        self.put(&format!("typedef struct {name} {{"));
        self.depth += 1;
        self.fields(fields, 0, descriptor.size);
        if descriptor.size == 0 {
            self.put("u8 ann_nothing;");
        }
        self.depth -= 1;
        self.put(&format!("}} {name};"));
        if descriptor.size != 0 {
            self.check_size(name, &format!("sizeof({name})"), descriptor.size);
        }
    }

    /// An enum with a primitive representation: a union of structs that begin with the tag (RFC 2195).
    fn union(&mut self, descriptor: &TypeDescriptor, name: &str) {
        let TypeKind::Enum { tag, variants } = descriptor.kind else { return };
        let tag: Scalar = tag.into();
        let tag_type = c_scalar(tag);
        let tag_size = tag.bits() as usize / 8;
        self.put("");
        self.put(&format!("typedef union {name} {{"));
        self.depth += 1;
        let named = self.tags(tag, variants);
        self.put(&format!("{tag_type} tag; // {named}"));
        let with_fields: Vec<&VariantDescriptor> =
            variants.iter().filter(|variant| !variant.fields.is_empty()).collect();
        for variant in &with_fields {
            self.put("struct {");
            self.depth += 1;
            self.put(&format!("{tag_type} ann_tag;"));
            self.fields(variant.fields, tag_size, descriptor.size);
            self.depth -= 1;
            self.put(&format!("}} {};", variant_name(variant.name)));
        }
        // An alignment may ask for more than the tag.
        if with_fields.is_empty() && tag_size < descriptor.size {
            self.put(&format!("u8 ann_pad[{}];", descriptor.size));
        }
        self.depth -= 1;
        self.put(&format!("}} {name};"));
        self.check_size(name, &format!("sizeof({name})"), descriptor.size);
        for variant in with_fields {
            let member = variant_name(variant.name);
            let size = format!("sizeof(((PRIVATE {name} *)0)->{member})");
            self.check_size(&format!("{name}_{member}"), &size, descriptor.size);
        }
    }

    /// Fields from `offset` to `end`, and the padding between them.
    fn fields(&mut self, fields: &[FieldDescriptor], mut offset: usize, end: usize) {
        let mut pads = 0;
        let mut pad = |writer: &mut Self, from: usize, to: usize| {
            if from < to {
                writer.put(&format!("u8 ann_pad{pads}[{}];", to - from));
                pads += 1;
            }
        };
        // A field without bytes takes no space, and C has none.
        let mut sorted: Vec<&FieldDescriptor> = fields.iter().filter(|field| field.ty.size != 0).collect();
        sorted.sort_by_key(|field| field.offset);
        for field in sorted {
            pad(self, offset, field.offset);
            let ty = self.stored(&field.ty.into());
            self.put(&format!("{ty} {};", field_name(field.name)));
            offset = field.offset + field.ty.size;
        }
        pad(self, offset, end);
    }

    /// These dialects of C have no static assertion. All of them refuse an array of negative size.
    pub(super) fn check_size(&mut self, name: &str, size: &str, expected: usize) {
        self.put(&format!("typedef char ann_size_of_{name}[{size} == {expected} ? 1 : -1];"));
    }

    /// Constants at the program's scope.
    pub(super) fn constants(&mut self) {
        for constant in &self.program.constants {
            let ty = self.spell(&constant.ty);
            let value = self.constant(&constant.ty, &constant.value);
            self.put("");
            self.put(&format!("CONSTANT const {ty} {} = {value};", constant.name));
        }
    }

    /// A constant as an initialiser.
    fn constant(&self, ty: &Type, value: &Value) -> String {
        match (ty, value) {
            (Type::Scalar(scalar), Value::Scalar(bits)) => self.literal(*scalar, *bits, true),
            (Type::Array { element, .. }, Value::Array(values)) => {
                let values: Vec<String> = values.iter().map(|value| self.constant(element, value)).collect();
                format!("{{ {{ {} }} }}", values.join(", "))
            }
            (Type::Struct(descriptor), Value::Struct(values)) => {
                let TypeKind::Struct(fields) = descriptor.kind else { return String::new() };
                let values: Vec<String> = fields
                    .iter()
                    .zip(values)
                    .filter(|(field, _)| field.ty.size != 0)
                    .map(|(field, value)| {
                        format!(".{} = {}", field_name(field.name), self.constant(&field.ty.into(), value))
                    })
                    .collect();
                format!("{{ {} }}", values.join(", "))
            }
            (Type::Tuple(parts), Value::Struct(values)) => {
                let values: Vec<String> = parts
                    .iter()
                    .zip(values)
                    .enumerate()
                    .filter(|(_, (ty, _))| **ty != Type::Unit)
                    .map(|(index, (ty, value))| {
                        format!(".{} = {}", field_name(&index.to_string()), self.constant(ty, value))
                    })
                    .collect();
                format!("{{ {} }}", values.join(", "))
            }
            (Type::Option(_) | Type::Result(..), Value::Enum { variant, fields }) => {
                let (tag, member, part) = case_number(ty, *variant);
                match fields.first() {
                    Some(value) if *part != Type::Unit => {
                        format!("{{ .tag = {tag}, .{member} = {} }}", self.constant(part, value))
                    }
                    _ => format!("{{ .tag = {tag} }}"),
                }
            }
            (Type::Failure, Value::Failure(code)) | (Type::Verdict, Value::Verdict(code)) => {
                format!("{code}u")
            }
            (Type::Enum(descriptor), Value::Enum { variant, fields }) => {
                let TypeKind::Enum { tag, variants } = descriptor.kind else { return String::new() };
                let variant = &variants[*variant];
                let tag = self.literal(tag.into(), variant.tag, true);
                if fields.is_empty() {
                    return format!("{{ .tag = {tag} }}");
                }
                let mut values = vec![format!(".ann_tag = {tag}")];
                let there = variant.fields.iter().zip(fields).filter(|(field, _)| field.ty.size != 0);
                values.extend(there.map(|(field, value)| {
                    format!(".{} = {}", field_name(field.name), self.constant(&field.ty.into(), value))
                }));
                format!("{{ .{} = {{ {} }} }}", variant_name(variant.name), values.join(", "))
            }
            _ => String::new(),
        }
    }

    /// The variants and their tags, for a comment.
    fn tags(&self, tag: Scalar, variants: &[VariantDescriptor]) -> String {
        let named: Vec<String> = variants
            .iter()
            .map(|variant| format!("{} {}", self.literal(tag, variant.tag, true), variant.name))
            .collect();
        named.join(", ")
    }
}
