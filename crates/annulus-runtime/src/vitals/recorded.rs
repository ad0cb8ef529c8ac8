//! What a black box says of its kernel's messages: [`annulus_abi::vitals::black_box`] has the format.

use std::path::PathBuf;

use annulus_abi::{
    kernel::KernelLayout,
    ring::RingHeader,
    vitals::black_box::{BoxHeader, MAGIC, VERSION, flags, form, number},
};
use annulus_kernel::{FieldDescriptor, KernelDefinition, Meaning, Primitive, TypeDescriptor, TypeKind};
use annulus_ring::memory::SharedMemory;

use super::arena::Home;

impl Home {
    /// Memory for a kernel of this layout, in a black box, and the path of that.
    ///
    /// # Errors
    ///
    /// Why there is none, in words.
    pub(crate) fn black_box(
        &self,
        definition: &KernelDefinition,
        layout: &KernelLayout,
        grid: u32,
        bytes: usize,
    ) -> Result<(SharedMemory, PathBuf), String> {
        let Some(vitals) = self.file() else {
            return Err("it would lie beside the kernel's part of a vitals file, and there is none: build the runtime \
                        with vitals, in a folder with room, on Linux"
                .into());
        };
        let inbound = layout.inbound;
        let header = BoxHeader {
            magic: MAGIC,
            version: VERSION,
            flags: if definition.timers.is_some() { flags::TIMERS } else { 0 },
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
            reserved: [0; 18],
            check: 0,
        };
        vitals.black_box(header, &type_bytes(definition.message), bytes)
    }
}

/// A type as it stands in a black box.
fn type_bytes(ty: &TypeDescriptor) -> Vec<u8> {
    let mut bytes = Vec::new();
    put_type(ty, &mut bytes);
    bytes
}

fn put_type(ty: &TypeDescriptor, to: &mut Vec<u8>) {
    if let (Meaning::Wrapping, TypeKind::Struct([number])) = (ty.meaning, ty.kind) {
        return put_type(number.ty, to);
    }
    put(to, ty.size);
    if let (Meaning::List | Meaning::Text, TypeKind::Struct([len, items])) = (ty.meaning, ty.kind)
        && let TypeKind::Array { element, len: room } = items.ty.kind
    {
        let is_text = ty.meaning == Meaning::Text;
        to.push(if is_text { form::TEXT } else { form::LIST });
        [len.offset, items.offset, room].into_iter().for_each(|value| put(to, value));
        if !is_text {
            put_type(element, to);
        }
        return;
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
