//! From memory to serde's output.

use std::mem::MaybeUninit;

use serde::{
    Serialize, Serializer,
    ser::{Error as _, SerializeMap, SerializeSeq},
};

use super::is_tuple;
use crate::{DeviceType, FieldDescriptor, Meaning, Primitive, TypeDescriptor, TypeKind};

/// A value of any device type, to be serialized by its descriptor.
///
/// ```
/// use annulus_kernel::Described;
/// assert_eq!(serde_json::to_string(&Described::new(&[1.5f32, -2.0]))?, "[1.5,-2.0]");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Described<'a> {
    ty: &'static TypeDescriptor,
    /// A valid value of the type, or of a part of it: initialised wherever the descriptor has a number, but
    /// perhaps nowhere else.
    bytes: &'a [MaybeUninit<u8>],
}

impl<'a> Described<'a> {
    /// A view of a value.
    pub fn new<T: DeviceType>(value: &'a T) -> Self {
        // SAFETY: the value is as long as its type, and any byte is a `MaybeUninit`.
        let bytes = unsafe { std::slice::from_raw_parts(std::ptr::from_ref(value).cast(), size_of::<T>()) };
        Self { ty: T::DESCRIPTOR, bytes }
    }

    /// A view of a value's bytes.
    ///
    /// # Safety
    ///
    /// `bytes` are those of a valid value of the type that the descriptor describes.
    #[doc(hidden)]
    pub unsafe fn of(ty: &'static TypeDescriptor, bytes: &'a [MaybeUninit<u8>]) -> Self {
        Self { ty, bytes }
    }

    fn part(&self, offset: usize, ty: &'static TypeDescriptor) -> Self {
        Self { ty, bytes: &self.bytes[offset..offset + ty.size] }
    }

    fn field(&self, field: &FieldDescriptor) -> Self {
        self.part(field.offset, field.ty)
    }

    /// The bits of a number, zero-extended. Only for a place where the descriptor has such a number.
    fn bits(&self, number: Primitive) -> u64 {
        // SAFETY: a valid value is initialised where its descriptor has a number, and by the caller's promise
        // this is such a place.
        unsafe { number.bits(self.bytes) }
    }
}

impl Serialize for Described<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some((len, items, element, room)) = self.ty.bounded() {
            let count = (self.field(len).bits(Primitive::U32) as usize).min(room);
            let items = self.field(items);
            if self.ty.meaning == Meaning::Text {
                let bytes: Vec<u8> =
                    (0..count).map(|i| items.part(i, element).bits(Primitive::U8) as u8).collect();
                return serializer.serialize_str(&String::from_utf8_lossy(&bytes));
            }
            return serializer.collect_seq((0..count).map(|i| items.part(i * element.size, element)));
        }
        match self.ty.kind {
            TypeKind::Primitive(primitive) => self.primitive(primitive, serializer),
            TypeKind::Struct([number]) if self.ty.meaning == Meaning::Wrapping => {
                self.field(number).serialize(serializer)
            }
            TypeKind::Struct(fields) => self.fields(fields, serializer),
            TypeKind::Array { element, len } => {
                serializer.collect_seq((0..len).map(|i| self.part(i * element.size, element)))
            }
            TypeKind::Enum { tag, variants } => {
                let tag = self.bits(tag);
                let Some(variant) = variants.iter().find(|variant| variant.tag == tag) else {
                    return Err(S::Error::custom(format!(
                        "{tag} is the tag of no variant of {}",
                        self.ty.name
                    )));
                };
                if variant.fields.is_empty() {
                    return serializer.serialize_str(variant.name);
                }
                let mut map = serializer.serialize_map(Some(1))?;
                map.serialize_entry(variant.name, &Variant { of: *self, fields: variant.fields })?;
                map.end()
            }
        }
    }
}

impl Described<'_> {
    fn primitive<S: Serializer>(&self, primitive: Primitive, serializer: S) -> Result<S::Ok, S::Error> {
        let bits = self.bits(primitive);
        match primitive {
            Primitive::Bool => serializer.serialize_bool(bits != 0),
            Primitive::I8 => serializer.serialize_i8(bits as i8),
            Primitive::I16 => serializer.serialize_i16(bits as i16),
            Primitive::I32 => serializer.serialize_i32(bits as i32),
            Primitive::I64 | Primitive::Isize => serializer.serialize_i64(bits as i64),
            Primitive::U8 => serializer.serialize_u8(bits as u8),
            Primitive::U16 => serializer.serialize_u16(bits as u16),
            Primitive::U32 => serializer.serialize_u32(bits as u32),
            Primitive::U64 | Primitive::Usize => serializer.serialize_u64(bits),
            Primitive::F32 => serializer.serialize_f32(f32::from_bits(bits as u32)),
            Primitive::F64 => serializer.serialize_f64(f64::from_bits(bits)),
        }
    }

    fn fields<S: Serializer>(&self, fields: &[FieldDescriptor], serializer: S) -> Result<S::Ok, S::Error> {
        if is_tuple(fields) {
            let mut seq = serializer.serialize_seq(Some(fields.len()))?;
            fields.iter().try_for_each(|field| seq.serialize_element(&self.field(field)))?;
            return seq.end();
        }
        let mut map = serializer.serialize_map(Some(fields.len()))?;
        fields.iter().try_for_each(|field| map.serialize_entry(field.name, &self.field(field)))?;
        map.end()
    }
}

/// The fields of one variant of an enum.
struct Variant<'a> {
    of: Described<'a>,
    fields: &'static [FieldDescriptor],
}

impl Serialize for Variant<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.fields {
            [only] if is_tuple(self.fields) => self.of.field(only).serialize(serializer),
            fields => self.of.fields(fields, serializer),
        }
    }
}
