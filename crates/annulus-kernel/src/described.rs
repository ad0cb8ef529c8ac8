//! Values of any device type, by its descriptor alone: read from and written to whatever serde knows, JSON above all.
//!
//! | type | in JSON |
//! |---|---|
//! | number, `bool` | number, `true` or `false`; a float that is no number, or infinite, is written as `null`, and read as NaN |
//! | array, [`List`](crate::List) | array |
//! | [`Text`](crate::Text) | string |
//! | struct | object; a tuple struct is an array |
//! | enum | `"Name"` of a variant without fields, else `{"Name": {…}}`, `{"Name": […]}`, or `{"Name": value}` with one unnamed field |

use std::{fmt, mem::MaybeUninit};

use serde::{
    Serialize, Serializer,
    de::{
        self, DeserializeSeed, Deserializer, EnumAccess, Error as _, IgnoredAny, MapAccess, SeqAccess,
        VariantAccess, Visitor,
    },
    ser::{Error as _, SerializeMap, SerializeSeq},
};

use crate::{DeviceType, FieldDescriptor, Primitive, TypeDescriptor, TypeKind, VariantDescriptor};

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
    /// A valid value of the type, or of a part of it: initialised wherever the descriptor has a number, and maybe nowhere else.
    bytes: &'a [MaybeUninit<u8>],
}

/// Reads a value of any device type by its descriptor; padding is zero.
///
/// ```
/// use serde_json::Deserializer;
/// let pair: [u16; 2] = annulus_kernel::read_described(&mut Deserializer::from_str("[258, 3]"))?;
/// assert_eq!(pair, [258, 3]);
/// let error = annulus_kernel::read_described::<[u16; 2], _>(&mut Deserializer::from_str("[258, 65536]")).unwrap_err();
/// assert!(error.to_string().starts_with("[1]: 65536 is no u16, which is from 0 to 65535"), "{error}");
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// # Errors
///
/// What does not fit, and where in the value; or the deserializer's own.
pub fn read_described<'de, T: DeviceType, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let mut value = MaybeUninit::<T>::zeroed();
    // SAFETY: the place is as long as the type, lives, and all of it is initialised.
    let to = unsafe { std::slice::from_raw_parts_mut(value.as_mut_ptr().cast::<u8>(), size_of::<T>()) };
    Place { ty: T::DESCRIPTOR, to }.deserialize(deserializer)?;
    // SAFETY: every part that the descriptor names was written with a value that is valid for it, and the rest is padding, of which
    // any byte will do, or belongs to variants that the tag does not name.
    Ok(unsafe { value.assume_init() })
}

impl<'a> Described<'a> {
    /// A view of a value.
    pub fn new<T: DeviceType>(value: &'a T) -> Self {
        // SAFETY: the value is as long as its type, and any byte is a `MaybeUninit`.
        let bytes = unsafe { std::slice::from_raw_parts(std::ptr::from_ref(value).cast(), size_of::<T>()) };
        Self { ty: T::DESCRIPTOR, bytes }
    }

    fn part(&self, offset: usize, ty: &'static TypeDescriptor) -> Self {
        Self { ty, bytes: &self.bytes[offset..offset + ty.size] }
    }

    fn field(&self, field: &FieldDescriptor) -> Self {
        self.part(field.offset, field.ty)
    }

    /// The bits of a number, zero-extended. Only for a place where the descriptor has a number of this size.
    fn bits(&self, size: usize) -> u64 {
        let mut bits = [0; 8];
        for (bit, byte) in bits.iter_mut().zip(&self.bytes[..size]) {
            // SAFETY: a valid value is initialised where its descriptor has a number, which this is by the caller's word.
            *bit = unsafe { byte.assume_init() };
        }
        u64::from_ne_bytes(bits) >> if cfg!(target_endian = "big") { 64 - 8 * size } else { 0 }
    }
}

/// The fields of a bounded sequence, if the type is one: its length and its items.
fn bounded(
    ty: &TypeDescriptor,
) -> Option<(&FieldDescriptor, &FieldDescriptor, &'static TypeDescriptor, usize)> {
    let TypeKind::Struct([len, items]) = &ty.kind else { return None };
    match items.ty.kind {
        TypeKind::Array { element, len: room } => {
            let named = ty.name == "List" || ty.name == "Text" && *element == *u8::DESCRIPTOR;
            let fits = named && len.name == "len" && *len.ty == *u32::DESCRIPTOR;
            fits.then_some((len, items, element, room))
        }
        _ => None,
    }
}

fn is_tuple(fields: &[FieldDescriptor]) -> bool {
    fields.first().is_some_and(|field| field.name.starts_with(|c: char| c.is_ascii_digit()))
}

impl Serialize for Described<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some((len, items, element, room)) = bounded(self.ty) {
            let count = (self.field(len).bits(4) as usize).min(room);
            let items = self.field(items);
            if self.ty.name == "Text" {
                let bytes: Vec<u8> = (0..count).map(|i| items.part(i, element).bits(1) as u8).collect();
                return serializer.serialize_str(&String::from_utf8_lossy(&bytes));
            }
            return serializer.collect_seq((0..count).map(|i| items.part(i * element.size, element)));
        }
        match self.ty.kind {
            TypeKind::Primitive(primitive) => self.primitive(primitive, serializer),
            TypeKind::Struct(fields) => self.fields(fields, serializer),
            TypeKind::Array { element, len } => {
                serializer.collect_seq((0..len).map(|i| self.part(i * element.size, element)))
            }
            TypeKind::Enum { tag, variants } => {
                let tag = self.bits(size_of_primitive(tag));
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
        let bits = self.bits(size_of_primitive(primitive));
        match primitive {
            Primitive::Bool => serializer.serialize_bool(bits != 0),
            Primitive::I8 => serializer.serialize_i8(bits as i8),
            Primitive::I16 => serializer.serialize_i16(bits as i16),
            Primitive::I32 => serializer.serialize_i32(bits as i32),
            Primitive::I64 => serializer.serialize_i64(bits as i64),
            Primitive::U8 => serializer.serialize_u8(bits as u8),
            Primitive::U16 => serializer.serialize_u16(bits as u16),
            Primitive::U32 => serializer.serialize_u32(bits as u32),
            Primitive::U64 => serializer.serialize_u64(bits),
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

fn size_of_primitive(primitive: Primitive) -> usize {
    match primitive {
        Primitive::Bool | Primitive::I8 | Primitive::U8 => 1,
        Primitive::I16 | Primitive::U16 => 2,
        Primitive::I32 | Primitive::U32 | Primitive::F32 => 4,
        Primitive::I64 | Primitive::U64 | Primitive::F64 => 8,
    }
}

/// Where a value of a type goes.
struct Place<'a> {
    ty: &'static TypeDescriptor,
    to: &'a mut [u8],
}

impl Place<'_> {
    fn part(&mut self, offset: usize, ty: &'static TypeDescriptor) -> Place<'_> {
        Place { ty, to: &mut self.to[offset..offset + ty.size] }
    }

    fn put(self, bits: u64) {
        let size = self.to.len();
        let bytes = bits.to_ne_bytes();
        let from = if cfg!(target_endian = "big") { 8 - size } else { 0 };
        self.to.copy_from_slice(&bytes[from..from + size]);
    }
}

/// Says where in the value an error is.
fn within<E: de::Error>(place: impl fmt::Display) -> impl FnOnce(E) -> E {
    move |error| {
        let error = error.to_string();
        let separator = if error.starts_with(['[', '.']) { "" } else { ": " };
        E::custom(format!("{place}{separator}{error}"))
    }
}

impl<'de> DeserializeSeed<'de> for Place<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if let Some((_, _, _, room)) = bounded(self.ty) {
            return match self.ty.name {
                "Text" => deserializer.deserialize_str(TextVisitor { place: self, room }),
                _ => deserializer.deserialize_seq(self),
            };
        }
        match self.ty.kind {
            TypeKind::Primitive(Primitive::Bool) => deserializer.deserialize_bool(self),
            TypeKind::Primitive(Primitive::F32 | Primitive::F64) => deserializer.deserialize_any(self),
            TypeKind::Primitive(_) => deserializer.deserialize_any(self),
            TypeKind::Struct(fields) if is_tuple(fields) => deserializer.deserialize_seq(self),
            TypeKind::Struct(_) => deserializer.deserialize_map(self),
            TypeKind::Array { .. } => deserializer.deserialize_seq(self),
            TypeKind::Enum { .. } => deserializer.deserialize_enum(self.ty.name, &[], self),
        }
    }
}

/// The least and the greatest value of an integer type.
fn range(primitive: Primitive) -> (i128, i128) {
    match primitive {
        Primitive::I8 => (i8::MIN.into(), i8::MAX.into()),
        Primitive::I16 => (i16::MIN.into(), i16::MAX.into()),
        Primitive::I32 => (i32::MIN.into(), i32::MAX.into()),
        Primitive::I64 => (i64::MIN.into(), i64::MAX.into()),
        Primitive::U8 => (0, u8::MAX.into()),
        Primitive::U16 => (0, u16::MAX.into()),
        Primitive::U32 => (0, u32::MAX.into()),
        _ => (0, u64::MAX.into()),
    }
}

impl Place<'_> {
    fn put_integer<E: de::Error>(self, value: i128) -> Result<(), E> {
        match self.ty.kind {
            TypeKind::Primitive(Primitive::F32 | Primitive::F64) => self.put_float(value as f64),
            TypeKind::Primitive(primitive) if primitive != Primitive::Bool => {
                let (least, most) = range(primitive);
                if !(least..=most).contains(&value) {
                    let name = self.ty.name;
                    return Err(E::custom(format!("{value} is no {name}, which is from {least} to {most}")));
                }
                self.put(value as u64);
                Ok(())
            }
            _ => Err(E::custom(format!("{value} is no {}", self.ty.name))),
        }
    }

    fn put_float<E: de::Error>(self, value: f64) -> Result<(), E> {
        match self.ty.kind {
            TypeKind::Primitive(Primitive::F32) => self.put((value as f32).to_bits().into()),
            TypeKind::Primitive(Primitive::F64) => self.put(value.to_bits()),
            _ => return Err(E::custom(format!("{value} is no {}: write an integer", self.ty.name))),
        }
        Ok(())
    }
}

impl<'de> Visitor<'de> for Place<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ty.kind {
            TypeKind::Struct(fields) if !is_tuple(fields) => {
                let names: Vec<_> = fields.iter().map(|field| field.name).collect();
                write!(f, "a {} with {}", self.ty.name, names.join(", "))
            }
            TypeKind::Array { element, len } => write!(f, "{len} values of {}", element.name),
            TypeKind::Enum { variants, .. } => {
                let names: Vec<_> = variants.iter().map(|variant| variant.name).collect();
                write!(f, "a {}: {}", self.ty.name, names.join(", "))
            }
            _ => write!(f, "a {}", self.ty.name),
        }
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<(), E> {
        if self.ty.kind != TypeKind::Primitive(Primitive::Bool) {
            return Err(E::custom(format!("{value} is no {}", self.ty.name)));
        }
        self.put(value.into());
        Ok(())
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<(), E> {
        self.put_integer(value.into())
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<(), E> {
        self.put_integer(value.into())
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<(), E> {
        self.put_float(value)
    }

    fn visit_unit<E: de::Error>(self) -> Result<(), E> {
        self.put_float(f64::NAN)
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut seq: A) -> Result<(), A::Error> {
        if let Some((len, items, element, room)) = bounded(self.ty) {
            let mut count = 0;
            while count < room {
                let place = self.part(items.offset + count * element.size, element);
                match seq.next_element_seed(place).map_err(within(format_args!("[{count}]")))? {
                    Some(()) => count += 1,
                    None => break,
                }
            }
            if count == room && seq.next_element::<IgnoredAny>()?.is_some() {
                return Err(A::Error::custom(format!(
                    "there are more than the {room} values that it has room for"
                )));
            }
            self.part(len.offset, len.ty).put(count as u64);
            return Ok(());
        }
        match self.ty.kind {
            TypeKind::Array { element, len } => {
                for i in 0..len {
                    let place = self.part(i * element.size, element);
                    let found = seq.next_element_seed(place).map_err(within(format_args!("[{i}]")))?;
                    found.ok_or_else(|| A::Error::custom(format!("there are {i} values, not {len}")))?;
                }
                match seq.next_element::<IgnoredAny>()? {
                    None => Ok(()),
                    Some(_) => Err(A::Error::custom(format!("there are more than {len} values"))),
                }
            }
            TypeKind::Struct(fields) => self.tuple(fields, seq),
            _ => Err(A::Error::custom(format!("an array is no {}", self.ty.name))),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        match self.ty.kind {
            TypeKind::Struct(fields) => self.named(fields, map),
            _ => Err(A::Error::custom(format!("an object is no {}", self.ty.name))),
        }
    }

    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<(), A::Error> {
        let TypeKind::Enum { tag, variants } = self.ty.kind else {
            return Err(A::Error::custom(format!("a variant is no {}", self.ty.name)));
        };
        let (variant, access) = data.variant_seed(VariantName { of: self.ty, variants })?;
        let mut place = self;
        Place { ty: place.ty, to: &mut place.to[..size_of_primitive(tag)] }.put(variant.tag);
        let name = variant.name;
        match variant.fields {
            [] => access.unit_variant(),
            [only] if is_tuple(variant.fields) => {
                access.newtype_variant_seed(place.part(only.offset, only.ty))
            }
            fields if is_tuple(fields) => access.tuple_variant(fields.len(), Fields { place, fields }),
            fields => access.struct_variant(&[], Fields { place, fields }),
        }
        .map_err(within(format_args!(".{name}")))
    }
}

impl Place<'_> {
    fn tuple<'de, A: SeqAccess<'de>>(
        mut self,
        fields: &'static [FieldDescriptor],
        mut seq: A,
    ) -> Result<(), A::Error> {
        for field in fields {
            let found = seq.next_element_seed(self.part(field.offset, field.ty));
            let missing = || A::Error::custom(format!("it has {} values", fields.len()));
            found.map_err(within(format_args!("[{}]", field.name)))?.ok_or_else(missing)?;
        }
        match seq.next_element::<IgnoredAny>()? {
            None => Ok(()),
            Some(_) => Err(A::Error::custom(format!("there are more than {} values", fields.len()))),
        }
    }

    fn named<'de, A: MapAccess<'de>>(
        mut self,
        fields: &'static [FieldDescriptor],
        mut map: A,
    ) -> Result<(), A::Error> {
        let mut seen = vec![false; fields.len()];
        while let Some(name) = map.next_key::<String>()? {
            let Some(index) = fields.iter().position(|field| field.name == name) else {
                let names: Vec<_> = fields.iter().map(|field| field.name).collect();
                let (ty, names) = (self.ty.name, names.join(", "));
                return Err(A::Error::custom(format!("{ty} has no `{name}`: it has {names}")));
            };
            if std::mem::replace(&mut seen[index], true) {
                return Err(A::Error::custom(format!("`{name}` is said twice")));
            }
            let field = &fields[index];
            map.next_value_seed(self.part(field.offset, field.ty))
                .map_err(within(format_args!(".{name}")))?;
        }
        match seen.iter().position(|seen| !seen) {
            None => Ok(()),
            Some(index) => {
                Err(A::Error::custom(format!("`{}` of {} is missing", fields[index].name, self.ty.name)))
            }
        }
    }
}

/// The fields of a variant, which lie in the whole enum.
struct Fields<'a> {
    place: Place<'a>,
    fields: &'static [FieldDescriptor],
}

impl<'de> Visitor<'de> for Fields<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.fields.iter().map(|field| field.name).collect();
        write!(f, "the fields {}", names.join(", "))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<(), A::Error> {
        self.place.tuple(self.fields, seq)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        self.place.named(self.fields, map)
    }
}

/// Finds a variant by its name.
struct VariantName {
    of: &'static TypeDescriptor,
    variants: &'static [VariantDescriptor],
}

impl<'de> DeserializeSeed<'de> for VariantName {
    type Value = &'static VariantDescriptor;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl<'de> Visitor<'de> for VariantName {
    type Value = &'static VariantDescriptor;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a variant of {}", self.of.name)
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Self::Value, E> {
        self.variants.iter().find(|variant| variant.name == name).ok_or_else(|| {
            let names: Vec<_> = self.variants.iter().map(|variant| variant.name).collect();
            E::custom(format!("{} has no variant `{name}`: it has {}", self.of.name, names.join(", ")))
        })
    }
}

/// Text in its room.
struct TextVisitor<'a> {
    place: Place<'a>,
    room: usize,
}

impl<'de> Visitor<'de> for TextVisitor<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "text of up to {} bytes", self.room)
    }

    fn visit_str<E: de::Error>(mut self, text: &str) -> Result<(), E> {
        let Some((len, items, _, room)) = bounded(self.place.ty) else {
            return Err(E::custom("text is asked for where there is room for it"));
        };
        if text.len() > room {
            let given = text.len();
            return Err(E::custom(format!("the text has {given} bytes, and there is room for {room}")));
        }
        self.place.to[items.offset..items.offset + text.len()].copy_from_slice(text.as_bytes());
        self.place.part(len.offset, len.ty).put(text.len() as u64);
        Ok(())
    }
}
