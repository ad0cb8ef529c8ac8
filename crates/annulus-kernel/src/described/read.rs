//! From serde's input to memory.

use std::{cell::Cell, fmt, mem::MaybeUninit};

use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, Error as _, IgnoredAny, MapAccess, SeqAccess,
    Unexpected, VariantAccess, Visitor,
};

use super::is_tuple;
use crate::{
    DeviceType, FieldDescriptor, Meaning, Primitive, Topic, TypeDescriptor, TypeKind, VariantDescriptor,
    descriptor::put_bits, wire::NO_VALUES,
};

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
/// If something does not fit; the error says where in the value. Also the deserializer's own errors.
pub fn read_described<'de, T: DeviceType, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let mut value = MaybeUninit::<T>::zeroed();
    // SAFETY: the place is as long as the type, lives, and all of it is initialised.
    let to = unsafe { std::slice::from_raw_parts_mut(value.as_mut_ptr().cast::<u8>(), size_of::<T>()) };
    Place { ty: T::DESCRIPTOR, to }.deserialize(deserializer)?;
    // SAFETY: every part that the descriptor names was written with a value that is valid for it, including a
    // list's items after its end. The rest is padding, where any byte is valid, or belongs to variants that
    // the tag does not name.
    Ok(unsafe { value.assume_init() })
}

/// [`read_described`] for a value whose type is not known here. Returns its bytes, which may have any
/// alignment.
///
/// The bytes are those of a valid value of the type that the descriptor describes.
///
/// # Errors
///
/// As for [`read_described`].
#[doc(hidden)]
pub fn read_described_bytes<'de, D: Deserializer<'de>>(
    ty: &'static TypeDescriptor,
    deserializer: D,
) -> Result<Box<[u8]>, D::Error> {
    let mut value = vec![0; ty.size].into_boxed_slice();
    Place { ty, to: &mut value }.deserialize(deserializer)?;
    Ok(value)
}

/// The memory that a value of a type is written to.
pub(super) struct Place<'a> {
    pub(super) ty: &'static TypeDescriptor,
    pub(super) to: &'a mut [u8],
}

impl Place<'_> {
    fn part(&mut self, offset: usize, ty: &'static TypeDescriptor) -> Place<'_> {
        Place { ty, to: &mut self.to[offset..offset + ty.size] }
    }

    fn put(self, bits: u64) {
        put_bits(self.to, bits);
    }
}

/// Adds to an error where in the value it is.
pub(super) fn within<E: de::Error>(place: impl fmt::Display) -> impl FnOnce(E) -> E {
    move |error| {
        let error = error.to_string();
        let separator = if error.starts_with(['[', '.']) { "" } else { ": " };
        E::custom(format!("{place}{separator}{error}"))
    }
}

impl<'de> DeserializeSeed<'de> for Place<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if let Some((_, _, _, room)) = self.ty.bounded() {
            return match self.ty.meaning {
                Meaning::Text => deserializer.deserialize_str(TextVisitor { place: self, room }),
                _ => deserializer.deserialize_seq(self),
            };
        }
        match self.ty.kind {
            TypeKind::Struct([number]) if self.ty.meaning == Meaning::Wrapping => {
                Place { ty: number.ty, to: self.to }.deserialize(deserializer)
            }
            TypeKind::Struct(_) if *self.ty == *Topic::DESCRIPTOR => {
                deserializer.deserialize_any(TopicVisitor(self))
            }
            TypeKind::Primitive(Primitive::Bool) => deserializer.deserialize_bool(self),
            TypeKind::Primitive(Primitive::F32 | Primitive::F64) => deserializer.deserialize_any(self),
            TypeKind::Primitive(_) => deserializer.deserialize_any(self),
            TypeKind::Struct(fields) if is_tuple(fields) => deserializer.deserialize_seq(self),
            TypeKind::Struct(_) => deserializer.deserialize_map(self),
            TypeKind::Array { .. } => deserializer.deserialize_seq(self),
            TypeKind::Enum { variants, .. } => {
                let (ty, read) = (self.ty, Cell::new(Read::Nothing));
                let visitor = EnumVisitor { place: self, read: &read };
                deserializer.deserialize_enum(ty.name, &[], visitor).map_err(|error| match read.get() {
                    // What stands there begins no enum, and the format's own error does not say how one is written.
                    Read::Nothing => D::Error::custom(format!("{} is {}: {error}", ty.name, Forms(variants))),
                    Read::Name => error,
                    Read::All => {
                        let one = OneOf(ty.name);
                        D::Error::custom(format!(
                            "something follows the variant, and {one} is one of them: {error}"
                        ))
                    }
                })
            }
        }
    }
}

/// How much of an enum was read.
#[derive(Clone, Copy)]
enum Read {
    Nothing,
    /// Of which variant it is to be.
    Name,
    All,
}

/// Reads an enum, and says how much of it there was to read.
struct EnumVisitor<'a> {
    place: Place<'a>,
    read: &'a Cell<Read>,
}

impl<'de> Visitor<'de> for EnumVisitor<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.place.expecting(f)
    }

    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<(), A::Error> {
        self.place.variant(data, self.read)?;
        self.read.set(Read::All);
        Ok(())
    }
}

/// How values of these variants are written: `"Nothing"` or `{"Just": …}`.
struct Forms(&'static [VariantDescriptor]);

impl fmt::Display for Forms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, variant) in self.0.iter().enumerate() {
            let or = if index == 0 { "" } else { " or " };
            write!(f, "{or}{}", Form(variant))?;
        }
        Ok(())
    }
}

/// How values of this variant are written.
struct Form(&'static VariantDescriptor);

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let VariantDescriptor { name, fields, .. } = self.0;
        match fields {
            [] => write!(f, "\"{name}\""),
            [_] if is_tuple(fields) => write!(f, "{{\"{name}\": …}}"),
            fields if is_tuple(fields) => write!(f, "{{\"{name}\": […]}}"),
            fields => {
                let fields: Vec<_> = fields.iter().map(|field| format!("\"{}\": …", field.name)).collect();
                write!(f, "{{\"{name}\": {{{}}}}}", fields.join(", "))
            }
        }
    }
}

/// A type's name with its article: `an i64`, `a u8`.
struct OneOf(&'static str);

impl fmt::Display for OneOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let vowel =
            self.0.starts_with(['a', 'e', 'i', 'o', 'A', 'E', 'I', 'O']) || matches!(self.0, "f32" | "f64");
        write!(f, "{} {}", if vowel { "an" } else { "a" }, self.0)
    }
}

/// The least and the greatest value of an integer type.
fn range(primitive: Primitive) -> (i128, i128) {
    match primitive {
        Primitive::I8 => (i8::MIN.into(), i8::MAX.into()),
        Primitive::I16 => (i16::MIN.into(), i16::MAX.into()),
        Primitive::I32 => (i32::MIN.into(), i32::MAX.into()),
        Primitive::I64 | Primitive::Isize => (i64::MIN.into(), i64::MAX.into()),
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
            TypeKind::Primitive(Primitive::F32) => {
                let narrow = value as f32;
                // A number that was written is not meant to be infinite.
                if narrow.is_infinite() && value.is_finite() {
                    let most = f32::MAX;
                    return Err(E::custom(format!(
                        "{value:e} is no f32, which is from -{most:e} to {most:e}"
                    )));
                }
                self.put(narrow.to_bits().into());
            }
            TypeKind::Primitive(Primitive::F64) => self.put(value.to_bits()),
            // With its point or exponent: that is what is wrong with 3.0. One of more than 64 bits comes as a float.
            TypeKind::Primitive(primitive) if primitive != Primitive::Bool => {
                let (least, most) = range(primitive);
                let name = self.ty.name;
                // As a float, the largest number of 64 bits is one more than it is.
                let is_within = value >= least as f64 && value <= most as f64 && value as i128 <= most;
                return Err(E::custom(match is_within {
                    true => format!("{value:?} is no {name}: write an integer"),
                    false => format!("{value:?} is no {name}, which is from {least} to {most}"),
                }));
            }
            _ => return Err(E::invalid_type(Unexpected::Float(value), &self)),
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
                write!(f, "{} with {}", OneOf(self.ty.name), names.join(", "))
            }
            TypeKind::Array { element, len } => write!(f, "{len} values of {}", element.name),
            TypeKind::Enum { variants, .. } => {
                let names: Vec<_> = variants.iter().map(|variant| variant.name).collect();
                write!(f, "{}: {}", OneOf(self.ty.name), names.join(", "))
            }
            _ => write!(f, "{}", OneOf(self.ty.name)),
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

    // Not every format has all numbers of 64 bits: TOML ends at 2^63, and readers of JSON may end at 2^53.
    fn visit_str<E: de::Error>(self, text: &str) -> Result<(), E> {
        let of_64_bits = matches!(
            self.ty.kind,
            TypeKind::Primitive(Primitive::U64 | Primitive::Usize | Primitive::I64 | Primitive::Isize)
        );
        let number = match text.strip_prefix("0x") {
            Some(digits) => i128::from_str_radix(digits, 16),
            None => text.parse(),
        };
        match number {
            Ok(number) if of_64_bits => self.put_integer(number),
            _ => Err(E::invalid_type(Unexpected::Str(text), &self)),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut seq: A) -> Result<(), A::Error> {
        if let Some((len, items, element, room)) = self.ty.bounded() {
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
            let filled = self.ty.fill_behind(count, self.to);
            return if filled { Ok(()) } else { Err(A::Error::custom(NO_VALUES)) };
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
}

impl Place<'_> {
    fn variant<'de, A: EnumAccess<'de>>(self, data: A, read: &Cell<Read>) -> Result<(), A::Error> {
        let TypeKind::Enum { tag, variants } = self.ty.kind else {
            return Err(A::Error::custom(format!("a variant is no {}", self.ty.name)));
        };
        let (variant, access) = data.variant_seed(VariantName { of: self.ty, variants, read })?;
        let mut place = self;
        Place { ty: place.ty, to: &mut place.to[..tag.size()] }.put(variant.tag);
        let name = variant.name;
        let found = &Cell::new(false);
        match variant.fields {
            [] => access.unit_variant(),
            [only] if is_tuple(variant.fields) => {
                access.newtype_variant_seed(Only { place: place.part(only.offset, only.ty), found })
            }
            fields if is_tuple(fields) => access.tuple_variant(fields.len(), Fields { place, fields, found }),
            fields => access.struct_variant(&[], Fields { place, fields, found }),
        }
        .map_err(|error| match found.get() {
            true => error,
            // The format's own error does not say how this one is written. Where there is a name alone, it speaks of kinds of variants.
            false => {
                let error = error.to_string();
                let why = if error.starts_with(NAME_ALONE) { "its name stands alone".into() } else { error };
                A::Error::custom(format!("write {}: {why}", Form(variant)))
            }
        })
        .map_err(within(format_args!(".{name}")))
    }

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

/// The only field of a variant, which has no name.
struct Only<'a> {
    place: Place<'a>,
    /// Whether there is something to read it from.
    found: &'a Cell<bool>,
}

impl<'de> DeserializeSeed<'de> for Only<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.found.set(true);
        self.place.deserialize(deserializer)
    }
}

/// The fields of a variant; their offsets count from the start of the enum.
struct Fields<'a> {
    place: Place<'a>,
    fields: &'static [FieldDescriptor],
    /// Whether there is something to read them from.
    found: &'a Cell<bool>,
}

impl<'de> Visitor<'de> for Fields<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.fields.iter().map(|field| field.name).collect();
        write!(f, "the fields {}", names.join(", "))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<(), A::Error> {
        self.found.set(true);
        self.place.tuple(self.fields, seq)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        self.found.set(true);
        self.place.named(self.fields, map)
    }
}

/// How serde's error begins where a variant is its name alone, and should have fields.
const NAME_ALONE: &str = "invalid type: unit variant";

/// Finds a variant by its name.
struct VariantName<'a> {
    of: &'static TypeDescriptor,
    variants: &'static [VariantDescriptor],
    read: &'a Cell<Read>,
}

impl<'de> DeserializeSeed<'de> for VariantName<'_> {
    type Value = &'static VariantDescriptor;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl<'de> Visitor<'de> for VariantName<'_> {
    type Value = &'static VariantDescriptor;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a variant of {}", self.of.name)
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Self::Value, E> {
        self.read.set(Read::Name);
        self.variants.iter().find(|variant| variant.name == name).ok_or_else(|| {
            let names: Vec<_> = self.variants.iter().map(|variant| variant.name).collect();
            E::custom(format!("{} has no variant `{name}`: it has {}", self.of.name, names.join(", ")))
        })
    }
}

/// A topic by its name, or by its bits.
struct TopicVisitor<'a>(Place<'a>);

impl<'de> Visitor<'de> for TopicVisitor<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a topic, or a Topic with bits")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<(), E> {
        if name.is_empty() {
            return Err(E::custom("a topic has a name that is not empty"));
        }
        self.0.put(Topic::of(name).bits());
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        self.0.visit_map(map)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<(), A::Error> {
        self.0.visit_seq(seq)
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
        let Some((len, items, _, room)) = self.place.ty.bounded() else {
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
