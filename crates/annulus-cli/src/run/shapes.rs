//! Kernels in words: what they take and send, with all parts of these types, and how a message is written as JSON.

use annulus::{
    RegisteredKernel, Topic,
    kernel::{
        BindingKind, DeviceType, FieldDescriptor, KernelDefinition, Meaning, Primitive, TypeDescriptor,
        TypeKind, VariantDescriptor,
    },
};

/// The longest example of a message. Source: this project's choice; longer ones are long arrays.
const LONGEST: usize = 400;

/// A kernel's name, what it takes and gives, and where it stands.
pub(super) fn described(kernel: &RegisteredKernel) -> String {
    let definition = kernel.definition();
    let message = match definition.bridged {
        None => shape(definition.message),
        Some(bridged) => format!(
            "{}, a bridged message: `annulus send` cannot make it; a program sends it, with the kernel's typed handle",
            (bridged.schema)()
        ),
    };
    let mut text = format!("  {:<12} takes {message}\n", definition.name);
    let mut line = |line: &str| text += &format!("  {:<12} {line}\n", "");
    if definition.bridged.is_none() {
        for (index, example) in examples(definition.message).iter().enumerate() {
            let what = if index == 0 { "as JSON:" } else { "or:     " };
            line(&format!("{what} {example}"));
        }
    }
    sent(definition).iter().for_each(|sent| line(sent));
    for binding in definition.bindings {
        let values = if binding.kind == BindingKind::Parameter { "" } else { "values of " };
        line(&format!("--bind {}=… {values}{}", binding.name, shape(binding.ty)));
    }
    let mut parts = Vec::new();
    if definition.bridged.is_none() {
        parts_of(definition.message, &mut parts);
    }
    let outputs = definition.ports.iter().map(|port| port.output);
    outputs
        .chain(definition.output.filter(|_| definition.ports.is_empty()))
        .for_each(|ty| parts_of(ty, &mut parts));
    definition.bindings.iter().for_each(|binding| parts_of(binding.ty, &mut parts));
    if !parts.is_empty() {
        line("where");
        parts.iter().for_each(|part| line(&format!("  {}", shape(part))));
    }
    line(&format!("{}, {}:{}", kernel.path(), definition.file, definition.line));
    text
}

/// What a kernel sends, by each outbox if it has several.
fn sent(definition: &KernelDefinition) -> Vec<String> {
    match (definition.ports, definition.output) {
        ([], None) => Vec::new(),
        ([], Some(output)) => vec![format!("sends {}", shape(output))],
        (ports, _) => ports
            .iter()
            .map(|port| {
                let how = match (port.is_reply, port.ask) {
                    (true, _) => "answers",
                    (false, Some(_)) => "asks",
                    (false, None) => "sends",
                };
                format!("{how} by {}: {}", port.name, shape(port.output))
            })
            .collect(),
    }
}

/// Adds the types that a value of this type consists of, each once, without the type itself: those that have names.
fn parts_of(ty: &'static TypeDescriptor, parts: &mut Vec<&'static TypeDescriptor>) {
    if let Some((_, _, item, _)) = ty.bounded() {
        return add_part(item, parts);
    }
    match ty.kind {
        TypeKind::Struct(fields) => fields.iter().for_each(|field| add_part(field.ty, parts)),
        TypeKind::Enum { variants, .. } => {
            let fields = variants.iter().flat_map(|variant| variant.fields);
            fields.for_each(|field| add_part(field.ty, parts));
        }
        TypeKind::Array { element, .. } => add_part(element, parts),
        TypeKind::Primitive(_) => {}
    }
}

fn add_part(ty: &'static TypeDescriptor, parts: &mut Vec<&'static TypeDescriptor>) {
    let has_name = matches!(ty.kind, TypeKind::Struct(_) | TypeKind::Enum { .. }) && ty.bounded().is_none();
    if has_name && just(ty).is_none() && ty.meaning != Meaning::Wrapping {
        if parts.contains(&ty) {
            return;
        }
        parts.push(ty);
    }
    parts_of(ty, parts);
}

/// What there is or is not, of a `Maybe`.
fn just(ty: &'static TypeDescriptor) -> Option<&'static TypeDescriptor> {
    match ty.kind {
        TypeKind::Enum { variants: [nothing, just], .. }
            if ty.name == "Maybe" && nothing.fields.is_empty() && just.fields.len() == 1 =>
        {
            Some(just.fields[0].ty)
        }
        _ => None,
    }
}

/// Messages as JSON, with values that stand for others: one for each variant of an enum. Without long ones.
fn examples(ty: &TypeDescriptor) -> Vec<String> {
    let all = match ty.kind {
        TypeKind::Enum { variants, .. } => variants.iter().map(example_of_variant).collect(),
        _ => vec![example(ty)],
    };
    all.into_iter().filter(|example| example.len() <= LONGEST).collect()
}

pub(crate) fn example(ty: &TypeDescriptor) -> String {
    if ty.bounded().is_some() {
        return if ty.meaning == Meaning::Text { "\"\"" } else { "[]" }.into();
    }
    match ty.kind {
        TypeKind::Primitive(Primitive::Bool) => "false".into(),
        TypeKind::Primitive(Primitive::F32 | Primitive::F64) => "0.0".into(),
        TypeKind::Primitive(_) => "0".into(),
        TypeKind::Struct([number]) if ty.meaning == Meaning::Wrapping => example(number.ty),
        TypeKind::Struct(_) if *ty == *Topic::DESCRIPTOR => "\"a.topic\"".into(),
        TypeKind::Struct(fields) => example_of_fields(fields),
        // As far as is needed to see that it is too long.
        TypeKind::Array { element, len } => {
            format!("[{}]", vec![example(element); len.min(LONGEST)].join(", "))
        }
        TypeKind::Enum { variants, .. } => variants.first().map(example_of_variant).unwrap_or_default(),
    }
}

fn example_of_variant(variant: &VariantDescriptor) -> String {
    let name = variant.name;
    match variant.fields {
        [] => format!("\"{name}\""),
        [only] if is_tuple(variant.fields) => format!("{{\"{name}\": {}}}", example(only.ty)),
        fields => format!("{{\"{name}\": {}}}", example_of_fields(fields)),
    }
}

fn example_of_fields(fields: &[FieldDescriptor]) -> String {
    if is_tuple(fields) {
        let values = fields.iter().map(|field| example(field.ty)).collect::<Vec<_>>();
        return format!("[{}]", values.join(", "));
    }
    let field = |field: &FieldDescriptor| format!("\"{}\": {}", field.name, example(field.ty));
    format!("{{{}}}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
}

fn is_tuple(fields: &[FieldDescriptor]) -> bool {
    fields.first().is_some_and(|field| field.name.starts_with(|c: char| c.is_ascii_digit()))
}

/// A type with its fields.
pub(crate) fn shape(ty: &'static TypeDescriptor) -> String {
    if let Some((_, _, item, room)) = ty.bounded() {
        return match ty.meaning {
            Meaning::Text => format!("text of up to {room} bytes"),
            _ => format!("up to {room} of {}", named(item)),
        };
    }
    match ty.kind {
        TypeKind::Struct(_) if *ty == *Topic::DESCRIPTOR => "Topic: its name, as text".into(),
        TypeKind::Struct([number]) if ty.meaning == Meaning::Wrapping => shape(number.ty),
        TypeKind::Struct(fields) => listed(ty.name, fields),
        TypeKind::Enum { variants, .. } => {
            let variant = |variant: &VariantDescriptor| match variant.fields {
                [] => variant.name.to_owned(),
                fields => listed(variant.name, fields),
            };
            format!("{}: {}", ty.name, variants.iter().map(variant).collect::<Vec<_>>().join(" | "))
        }
        TypeKind::Array { element, len } => format!("[{}; {len}]", named(element)),
        TypeKind::Primitive(_) => ty.name.to_owned(),
    }
}

/// A name with fields, as Rust writes them.
fn listed(name: &str, fields: &[FieldDescriptor]) -> String {
    let is_tuple = is_tuple(fields);
    let field = |field: &FieldDescriptor| match is_tuple {
        true => named(field.ty),
        false => format!("{}: {}", field.name, named(field.ty)),
    };
    let fields = fields.iter().map(field).collect::<Vec<_>>().join(", ");
    if is_tuple { format!("{name}({fields})") } else { format!("{name} {{ {fields} }}") }
}

/// A type of a field: a struct or an enum by its name, anything else with what it has room for.
fn named(ty: &'static TypeDescriptor) -> String {
    if let Some(just) = just(ty) {
        return format!("Maybe<{}>", named(just));
    }
    match ty.kind {
        TypeKind::Array { element, len } => format!("[{}; {len}]", named(element)),
        TypeKind::Struct(_) | TypeKind::Enum { .. }
            if ty.bounded().is_none() && ty.meaning != Meaning::Wrapping =>
        {
            ty.name.to_owned()
        }
        _ => shape(ty),
    }
}

#[cfg(test)]
mod tests {
    use annulus::prelude::*;

    #[derive(RingMessage, Clone, Copy)]
    #[repr(C)]
    struct Order {
        item: Text<12>,
        tags: List<u16, 4>,
        coupon: Maybe<u32>,
        parts: [Part; 2],
        names: List<Text<3>, 2>,
    }

    #[derive(DeviceType, Clone, Copy)]
    #[repr(u32)]
    #[allow(dead_code)] // Only its layout is looked at.
    enum Part {
        None,
        Some { count: u8 },
        Pair(u8, f32),
    }

    #[test]
    fn fields_are_listed_with_their_room() {
        let shown = "Order { item: text of up to 12 bytes, tags: up to 4 of u16, coupon: Maybe<u32>, parts: [Part; 2], \
                     names: up to 2 of text of up to 3 bytes }";
        assert_eq!(super::shape(Order::DESCRIPTOR), shown);
        assert_eq!(super::shape(Part::DESCRIPTOR), "Part: None | Some { count: u8 } | Pair(u8, f32)");
    }
}
