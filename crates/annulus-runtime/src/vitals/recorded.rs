//! What a black box says of its kernel's messages: [`annulus_abi::vitals::black_box`] has the format.

use std::mem::offset_of;

use annulus_abi::{
    kernel::KernelLayout,
    launch::BlockRecord,
    ring::RingHeader,
    vitals::black_box::{
        BoxHeader, DEEPEST, MAGIC, MOST_TYPE_BYTES, MOST_VALUES, VERSION, flags, form, number,
    },
};
use annulus_kernel::{FieldDescriptor, KernelDefinition, Meaning, Primitive, TypeDescriptor, TypeKind};

use super::{Boxed, arena::Home};
use crate::options::{LaunchOptions, TypeLimit};

/// Why there is no black box where there is no vitals file.
pub(crate) const NO_VITALS: &str = "it would lie beside the kernel's part of a vitals file, and there is none: build the \
                                    runtime with vitals, in a folder with room, on Linux";

impl Home {
    /// Memory for a kernel of this layout, in a black box.
    ///
    /// # Errors
    ///
    /// Why there is none, in words.
    pub(crate) fn black_box(
        &self,
        definition: &KernelDefinition,
        options: &LaunchOptions,
        layout: &KernelLayout,
        bytes: usize,
        on_device: bool,
    ) -> Result<Boxed, String> {
        let vitals = self.file().ok_or(NO_VITALS)?;
        let grid = options.shape.grid;
        // What other kernels send lies in memory of the device.
        let others = definition.timers.is_some() || on_device && options.shape.connectable;
        let flag = |on: bool, flag: u32| if on { flag } else { 0 };
        let records = if on_device { grid as usize * size_of::<BlockRecord>() } else { 0 };
        let inbound = layout.inbound;
        let header = BoxHeader {
            magic: MAGIC,
            version: VERSION,
            flags: flag(others, flags::OTHERS) | flag(on_device, flags::DEVICE),
            started: 0,
            kernel: self.id(),
            grid,
            capacity: inbound.capacity,
            shards_offset: 0,
            shard_stride: layout.shard_bytes() as u64,
            slots_offset: (layout.inbound_offset() + size_of::<RingHeader>()) as u64,
            slot_stride: inbound.slot_stride as u64,
            payload_offset: inbound.payload_offset as u32,
            payload_size: inbound.payload_size as u32,
            type_offset: 0,
            type_bytes: 0,
            type_check: 0,
            units: inbound.units as u64,
            at_offset: offset_of!(BlockRecord, at) as u64,
            at_stride: if on_device { size_of::<BlockRecord>() as u64 } else { 0 },
            reserved: [0; 15],
            check: 0,
        };
        vitals.black_box(header, &type_bytes(definition.message), bytes, records)
    }
}

/// What of a message's type is more than a reader of black boxes takes: how much of it, and how much is taken.
pub(crate) fn beyond_readers(ty: &TypeDescriptor) -> Vec<(TypeLimit, u64, u64)> {
    let (values, depth) = measured(ty);
    let of_type = [
        (TypeLimit::Values, values, MOST_VALUES),
        (TypeLimit::Depth, depth.into(), DEEPEST.into()),
        (TypeLimit::Bytes, type_bytes(ty).len() as u64, MOST_TYPE_BYTES),
    ];
    of_type.into_iter().filter(|(_, given, most)| given > most).collect()
}

/// How many values a value of the type has at most, itself included, and how deep they lie: as a reader counts them in what
/// [`put_type`] has written.
fn measured(ty: &TypeDescriptor) -> (u64, u32) {
    let within = |(values, depth): (u64, u32)| (values.saturating_add(1), depth + 1);
    let repeated = |element, times: usize| {
        let (values, depth) = measured(element);
        (values.saturating_mul(times as u64), depth)
    };
    let fields = |fields: &[FieldDescriptor]| {
        let each = fields.iter().map(|field| measured(field.ty));
        each.fold((0, 0), |(values, deepest): (u64, u32), (more, depth)| {
            (values.saturating_add(more), deepest.max(depth))
        })
    };
    if let Some(number) = wrapped(ty) {
        return measured(number);
    }
    if let Some(Bounded { items, room, .. }) = bounded(ty) {
        return items.map_or((1, 1), |items| within(repeated(items, room)));
    }
    match ty.kind {
        TypeKind::Primitive(_) => (1, 1),
        TypeKind::Struct(of) => within(fields(of)),
        TypeKind::Array { element, len } => within(repeated(element, len)),
        TypeKind::Enum { variants, .. } => {
            let each = variants.iter().map(|variant| fields(variant.fields));
            within(
                each.fold((0, 0), |(values, deepest), (more, depth)| (values.max(more), deepest.max(depth))),
            )
        }
    }
}

/// The number in a `Wrapping`, which stands for it.
fn wrapped(ty: &TypeDescriptor) -> Option<&'static TypeDescriptor> {
    match (ty.meaning, ty.kind) {
        (Meaning::Wrapping, TypeKind::Struct([number])) => Some(number.ty),
        _ => None,
    }
}

/// A list, or a text, whose items have no type.
struct Bounded {
    items: Option<&'static TypeDescriptor>,
    room: usize,
    /// Where its length is, and its first item.
    offsets: [usize; 2],
}

fn bounded(ty: &TypeDescriptor) -> Option<Bounded> {
    let (Meaning::List | Meaning::Text, TypeKind::Struct([len, items])) = (ty.meaning, ty.kind) else {
        return None;
    };
    let TypeKind::Array { element, len: room } = items.ty.kind else { return None };
    let of_list = (ty.meaning == Meaning::List).then_some(element);
    Some(Bounded { items: of_list, room, offsets: [len.offset, items.offset] })
}

/// A type as it stands in a black box.
fn type_bytes(ty: &TypeDescriptor) -> Vec<u8> {
    let mut bytes = Vec::new();
    put_type(ty, &mut bytes);
    bytes
}

fn put_type(ty: &TypeDescriptor, to: &mut Vec<u8>) {
    if let Some(number) = wrapped(ty) {
        return put_type(number, to);
    }
    put(to, ty.size);
    if let Some(Bounded { items, room, offsets: [len, first] }) = bounded(ty) {
        to.push(if items.is_some() { form::LIST } else { form::TEXT });
        [len, first, room].into_iter().for_each(|value| put(to, value));
        return items.into_iter().for_each(|items| put_type(items, to));
    }
    match ty.kind {
        TypeKind::Primitive(primitive) => to.extend([form::NUMBER, number_of(primitive)]),
        TypeKind::Struct(fields) => {
            to.push(form::STRUCT);
            put_fields(fields, to);
        }
        TypeKind::Array { element, len } => {
            to.push(form::ARRAY);
            put(to, len);
            put_type(element, to);
        }
        TypeKind::Enum { tag, variants } => {
            to.extend([form::ENUM, number_of(tag)]);
            put(to, variants.len());
            for variant in variants {
                put_name(variant.name, to);
                to.extend(variant.tag.to_le_bytes());
                put_fields(variant.fields, to);
            }
        }
    }
}

fn put_fields(fields: &[FieldDescriptor], to: &mut Vec<u8>) {
    put(to, fields.len());
    for field in fields {
        put_name(field.name, to);
        put(to, field.offset);
        put_type(field.ty, to);
    }
}

/// Sizes and counts of a message are below 64 KiB.
fn put(to: &mut Vec<u8>, value: usize) {
    to.extend((value as u32).to_le_bytes());
}

fn put_name(name: &str, to: &mut Vec<u8>) {
    let name = &name[..name.floor_char_boundary(u16::MAX.into())];
    to.extend((name.len() as u16).to_le_bytes());
    to.extend(name.as_bytes());
}

fn number_of(primitive: Primitive) -> u8 {
    match primitive {
        Primitive::Bool => number::BOOL,
        Primitive::I8 => number::I8,
        Primitive::I16 => number::I16,
        Primitive::I32 => number::I32,
        Primitive::I64 | Primitive::Isize => number::I64,
        Primitive::U8 => number::U8,
        Primitive::U16 => number::U16,
        Primitive::U32 => number::U32,
        Primitive::U64 | Primitive::Usize => number::U64,
        Primitive::F32 => number::F32,
        Primitive::F64 => number::F64,
    }
}

#[cfg(test)]
mod tests {
    use annulus_kernel::{DeviceType, VariantDescriptor};

    use super::*;

    /// names of a type that needs more bytes than a reader takes are too long, and no others.
    #[test]
    fn r_06_a_type_of_long_names_is_beyond_readers() {
        let letters = |count: usize| -> &'static str { "x".repeat(count).leak() };
        let of = |name: &'static str| {
            let variants: Vec<_> = (0..17).map(|tag| VariantDescriptor { name, tag, fields: &[] }).collect();
            let kind = TypeKind::Enum { tag: Primitive::U8, variants: variants.leak() };
            TypeDescriptor { name: "Long", kind, ..*u8::DESCRIPTOR }
        };
        // Size, form, tag, how many; of each variant the name with its length, the tag, and how many fields.
        let most = (MOST_TYPE_BYTES - 10) / 17 - 14;
        assert_eq!(beyond_readers(&of(letters(most as usize))), []);
        let bytes = 10 + 17 * (most + 1 + 14);
        assert_eq!(
            beyond_readers(&of(letters(most as usize + 1))),
            [(TypeLimit::Bytes, bytes, MOST_TYPE_BYTES)]
        );
        assert_eq!(beyond_readers(u8::DESCRIPTOR), []);
    }
}
