//! A message's type as a black box has it, and its values as JSON, in the form that `annulus send` reads.

use std::fmt::Write;

use annulus_abi::vitals::black_box::{DEEPEST, MOST_VALUES, form, number};

/// Most bytes of text that a message makes: so many, and so many more for each of its bytes. Source: this project's choice;
/// names of 200 letters for each byte are fewer. A file that lies has a name of 64 KiB for each of its values.
const MOST_TEXT: (usize, usize) = (4096, 256);

/// A type.
#[derive(Debug)]
pub(super) struct MessageType {
    size: usize,
    form: Form,
}

#[derive(Debug)]
enum Form {
    Number(Number),
    Struct(Vec<Field>),
    Array { element: Box<MessageType>, len: usize },
    Enum { tag: Number, variants: Vec<Variant> },
    List { bound: Bound, element: Box<MessageType> },
    Text(Bound),
}

#[derive(Debug)]
struct Field {
    name: String,
    offset: usize,
    ty: MessageType,
}

#[derive(Debug)]
struct Variant {
    name: String,
    tag: u64,
    fields: Vec<Field>,
}

/// Where a list's length and items are.
#[derive(Debug)]
struct Bound {
    len: usize,
    items: usize,
    room: usize,
}

#[derive(Clone, Copy, Debug)]
struct Number {
    code: u8,
    size: usize,
}

impl MessageType {
    /// The type that these bytes describe, if all of them do; what it says of places lies within a value.
    pub(super) fn new(mut bytes: &[u8]) -> Option<Self> {
        let (ty, _) = Self::take(&mut bytes, DEEPEST)?;
        bytes.is_empty().then_some(ty)
    }

    /// Bytes of a value.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Takes a type from the front. Returns it, and how many values one of it consists of at most.
    fn take(bytes: &mut &[u8], depth: u32) -> Option<(Self, u64)> {
        let depth = depth.checked_sub(1)?;
        let size = size(bytes)?;
        let [form] = take(bytes)?;
        let (form, values) = match form {
            form::NUMBER => {
                let number = Number::take(bytes)?;
                (Form::Number(number), u64::from(number.size == size))
            }
            form::STRUCT => {
                let (fields, values) = fields(bytes, size, depth)?;
                (Form::Struct(fields), values + 1)
            }
            form::ARRAY => {
                let len = self::size(bytes)?;
                let (element, each) = Self::take(bytes, depth)?;
                let fits = len.checked_mul(element.size)? <= size;
                let values = fits.then_some((len as u64).checked_mul(each)?)?;
                (Form::Array { element: Box::new(element), len }, values + 1)
            }
            form::ENUM => {
                let tag = Number::take(bytes)?;
                let count = self::size(bytes)?;
                let (mut variants, mut most) = (Vec::new(), 0);
                for _ in 0..count {
                    let name = name(bytes)?;
                    let tag = u64::from_le_bytes(take(bytes)?);
                    let (fields, values) = fields(bytes, size, depth)?;
                    most = values.max(most);
                    variants.push(Variant { name, tag, fields });
                }
                (Form::Enum { tag, variants }, u64::from(tag.size <= size).checked_mul(most + 1)?)
            }
            form::LIST => {
                let bound = Bound::take(bytes, size)?;
                let (element, each) = Self::take(bytes, depth)?;
                let fits = bound.room.checked_mul(element.size)?.checked_add(bound.items)? <= size;
                let values = fits.then_some((bound.room as u64).checked_mul(each)?)?;
                (Form::List { bound, element: Box::new(element) }, values + 1)
            }
            form::TEXT => {
                let bound = Bound::take(bytes, size)?;
                let fits = bound.room.checked_add(bound.items)? <= size;
                (Form::Text(bound), u64::from(fits))
            }
            _ => return None,
        };
        // Values are 0 where something does not fit.
        (values != 0 && values <= MOST_VALUES).then_some((Self { size, form }, values))
    }

    /// Writes a value as JSON into an empty text; an error says why the bytes are none, or that the names of its type are no program's.
    pub(super) fn write(&self, bytes: &[u8], to: &mut String) -> Result<(), String> {
        let (least, each) = MOST_TEXT;
        let most = least + each * self.size;
        self.write_within(bytes, to, most)?;
        if to.len() > most { Err(too_long(most)) } else { Ok(()) }
    }

    /// The same, unless there is more text than so much.
    fn write_within(&self, bytes: &[u8], to: &mut String, most: usize) -> Result<(), String> {
        if to.len() > most {
            return Err(too_long(most));
        }
        let bytes = bytes.get(..self.size).ok_or("it is cut off")?;
        match &self.form {
            Form::Number(number) => number.write(bytes, to),
            Form::Struct(fields) => write_fields(fields, bytes, to, most)?,
            Form::Array { element, len } => element.write_all(bytes, *len, to, most)?,
            Form::List { bound, element } => {
                element.write_all(&bytes[bound.items..], bound.count(bytes), to, most)?
            }
            Form::Text(bound) => {
                let text = &bytes[bound.items..bound.items + bound.count(bytes)];
                write_text(&String::from_utf8_lossy(text), to);
            }
            Form::Enum { tag, variants } => {
                let tag = tag.bits(bytes);
                let variant = variants.iter().find(|variant| variant.tag == tag);
                let Some(Variant { name, fields, .. }) = variant else {
                    return Err(format!("{tag} is the tag of no variant"));
                };
                if fields.is_empty() {
                    write_text(name, to);
                    return Ok(());
                }
                to.push('{');
                write_text(name, to);
                to.push(':');
                match &**fields {
                    [only] if is_tuple(fields) => only.ty.write_within(&bytes[only.offset..], to, most)?,
                    fields => write_fields(fields, bytes, to, most)?,
                }
                to.push('}');
            }
        }
        Ok(())
    }

    /// Writes this many values, one behind the other.
    fn write_all(&self, bytes: &[u8], count: usize, to: &mut String, most: usize) -> Result<(), String> {
        to.push('[');
        for index in 0..count {
            if index != 0 {
                to.push(',');
            }
            self.write_within(&bytes[index * self.size..], to, most)?;
        }
        to.push(']');
        Ok(())
    }
}

impl Number {
    fn take(bytes: &mut &[u8]) -> Option<Self> {
        let [code] = take(bytes)?;
        let size = match code {
            number::BOOL | number::I8 | number::U8 => 1,
            number::I16 | number::U16 => 2,
            number::I32 | number::U32 | number::F32 => 4,
            number::I64 | number::U64 | number::F64 => 8,
            _ => return None,
        };
        Some(Self { code, size })
    }

    /// Its bits, zero-extended. The numbers of a file have the byte order of the machine.
    fn bits(self, bytes: &[u8]) -> u64 {
        let mut bits = [0; 8];
        bits[..self.size].copy_from_slice(&bytes[..self.size]);
        u64::from_ne_bytes(bits) >> if cfg!(target_endian = "big") { 64 - 8 * self.size } else { 0 }
    }

    fn write(self, bytes: &[u8], to: &mut String) {
        let bits = self.bits(bytes);
        // Writing to a string cannot fail. `Debug` of a float is JSON, and the shortest text that is read as the same.
        let _ = match self.code {
            number::BOOL => write!(to, "{}", bits != 0),
            number::I8 => write!(to, "{}", bits as i8),
            number::I16 => write!(to, "{}", bits as i16),
            number::I32 => write!(to, "{}", bits as i32),
            number::I64 => write!(to, "{}", bits as i64),
            number::F32 => match f32::from_bits(bits as u32) {
                value if value.is_finite() => write!(to, "{value:?}"),
                _ => write!(to, "null"),
            },
            number::F64 => match f64::from_bits(bits) {
                value if value.is_finite() => write!(to, "{value:?}"),
                _ => write!(to, "null"),
            },
            _ => write!(to, "{bits}"),
        };
    }
}

impl Bound {
    /// Where the length is lies within the value.
    fn take(bytes: &mut &[u8], whole: usize) -> Option<Self> {
        let bound = Self { len: size(bytes)?, items: size(bytes)?, room: size(bytes)? };
        (bound.len.checked_add(4)? <= whole).then_some(bound)
    }

    /// How many items count.
    fn count(&self, bytes: &[u8]) -> usize {
        let len = Number { code: number::U32, size: 4 }.bits(&bytes[self.len..]);
        self.room.min(usize::try_from(len).unwrap_or(usize::MAX))
    }
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*taken)
}

fn size(bytes: &mut &[u8]) -> Option<usize> {
    usize::try_from(u32::from_le_bytes(take(bytes)?)).ok()
}

fn name(bytes: &mut &[u8]) -> Option<String> {
    let length = u16::from_le_bytes(take(bytes)?);
    let (name, rest) = bytes.split_at_checked(length.into())?;
    *bytes = rest;
    str::from_utf8(name).ok().map(str::to_owned)
}

/// The fields of a value of so many bytes, and how many values they consist of.
fn fields(bytes: &mut &[u8], whole: usize, depth: u32) -> Option<(Vec<Field>, u64)> {
    let count = size(bytes)?;
    let (mut fields, mut all) = (Vec::new(), 0u64);
    for _ in 0..count {
        let name = name(bytes)?;
        let offset = size(bytes)?;
        let (ty, values) = MessageType::take(bytes, depth)?;
        all = all.checked_add(values)?;
        let fits = offset.checked_add(ty.size)? <= whole;
        fields.push(fits.then_some(Field { name, offset, ty })?);
    }
    Some((fields, all))
}

/// Whether fields are numbered.
fn is_tuple(fields: &[Field]) -> bool {
    fields.first().is_some_and(|field| field.name.starts_with(|c: char| c.is_ascii_digit()))
}

fn write_fields(fields: &[Field], bytes: &[u8], to: &mut String, most: usize) -> Result<(), String> {
    let is_tuple = is_tuple(fields);
    to.push(if is_tuple { '[' } else { '{' });
    for (index, field) in fields.iter().enumerate() {
        if index != 0 {
            to.push(',');
        }
        if !is_tuple {
            write_text(&field.name, to);
            to.push(':');
        }
        let value = field.ty.write_within(&bytes[field.offset..], to, most);
        value.map_err(|why| format!(".{}: {why}", field.name))?;
    }
    to.push(if is_tuple { ']' } else { '}' });
    Ok(())
}

fn too_long(most: usize) -> String {
    format!("its type's names make more than {most} bytes of text, so the type is damaged")
}

fn write_text(text: &str, to: &mut String) {
    to.push('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => to.extend(['\\', letter]),
            // Also those that only some terminals obey.
            _ if letter.is_control() => _ = write!(to, "\\u{:04x}", letter as u32),
            _ => to.push(letter),
        }
    }
    to.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An array of so many structs of one byte, whose only field has this name.
    fn array(len: u32, name: &str) -> MessageType {
        let mut bytes = Vec::new();
        let size = |bytes: &mut Vec<u8>, size: u32| bytes.extend(size.to_le_bytes());
        size(&mut bytes, len);
        bytes.push(form::ARRAY);
        size(&mut bytes, len);
        size(&mut bytes, 1);
        bytes.push(form::STRUCT);
        size(&mut bytes, 1);
        bytes.extend((name.len() as u16).to_le_bytes());
        bytes.extend(name.as_bytes());
        size(&mut bytes, 0);
        size(&mut bytes, 1);
        bytes.extend([form::NUMBER, number::U8]);
        MessageType::new(&bytes).unwrap()
    }

    /// A file that lies once made a text of 4 GB of a message of 64 KiB.
    #[test]
    fn bug_long_names_make_no_text_of_any_length() {
        let payload = [7; 1 << 16];
        let mut text = String::new();
        let error = array(1 << 16, &"x".repeat(60_000)).write(&payload, &mut text).unwrap_err();
        assert!(error.contains("more than 16781312 bytes of text"), "{error}");
        assert!(text.len() < 17 << 20, "{}", text.len());
        // Long names as programs have them.
        let mut text = String::new();
        array(1 << 16, &"x".repeat(200)).write(&payload, &mut text).unwrap();
        assert_eq!(text.len(), (1 << 16) * (200 + "{\"\":7},".len()) + 1);
    }
}
