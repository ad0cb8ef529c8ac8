//! A message's type as data that travels, so that a reader of another program's messages knows whether both
//! mean the same type.

use std::fmt;

use crate::Encoding;

/// A message's type: its name, version, encoding and fields.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "wire", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Schema {
    /// The name as the program wrote it, without its path.
    pub name: String,
    /// What `#[ring(version = …)]` says, or 0.
    pub version: u32,
    /// How its payload is laid out.
    pub encoding: Encoding,
    /// A struct or an enum.
    pub shape: Shape,
}

/// What a type is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "wire", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Shape {
    /// A number, a boolean or a character.
    Number(Number),
    /// UTF-8 text.
    Text {
        /// The most bytes, in a type of fixed layout.
        room: Option<u64>,
    },
    /// A list of any length.
    List {
        /// The type of each.
        of: Box<Self>,
        /// The most of them, in a type of fixed layout.
        room: Option<u64>,
    },
    /// A fixed number of values.
    Array {
        /// The type of each.
        of: Box<Self>,
        /// How many.
        len: u64,
    },
    /// Ordered values without duplicates.
    Set {
        /// The type of each.
        of: Box<Self>,
    },
    /// Values, each with a key.
    Map {
        /// The keys' type.
        key: Box<Self>,
        /// The values' type.
        value: Box<Self>,
    },
    /// A value or none.
    Optional {
        /// The value's type.
        of: Box<Self>,
    },
    /// Values without names.
    Tuple {
        /// Their types.
        of: Vec<Self>,
    },
    /// Named values.
    Struct {
        /// The type's name.
        name: String,
        /// In order of declaration.
        fields: Vec<Field>,
    },
    /// One of several.
    Enum {
        /// The type's name.
        name: String,
        /// The type of the tag.
        tag: Number,
        /// In order of declaration.
        variants: Vec<Variant>,
    },
}

/// A named value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "wire", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Field {
    /// Its name, or its number in a tuple.
    pub name: String,
    /// Its type.
    pub shape: Shape,
}

/// A variant of an enum.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "wire", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Variant {
    /// Its name.
    pub name: String,
    /// The tag's bits.
    pub tag: u64,
    /// In order of declaration.
    pub fields: Vec<Field>,
}

/// A type of fixed size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "wire", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
#[allow(missing_docs)] // Each is the Rust type of the same name.
pub enum Number {
    Bool,
    Char,
    U8,
    U16,
    U32,
    U64,
    U128,
    I8,
    I16,
    I32,
    I64,
    I128,
    F32,
    F64,
}

impl Number {
    /// Its name in Rust.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Char => "char",
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::U128 => "u128",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::I128 => "i128",
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    /// Its bytes.
    pub fn size(self) -> usize {
        match self {
            Self::Bool | Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 => 2,
            Self::Char | Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
            Self::U128 | Self::I128 => 16,
        }
    }
}

/// Written as a person would write the type.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => f.write_str(number.name()),
            Self::Text { room: None } => f.write_str("text"),
            Self::Text { room: Some(room) } => write!(f, "text of up to {room} bytes"),
            Self::List { of, room: None } => write!(f, "[{of}]"),
            Self::List { of, room: Some(room) } => write!(f, "[{of}; up to {room}]"),
            Self::Array { of, len } => write!(f, "[{of}; {len}]"),
            Self::Set { of } => write!(f, "set of {of}"),
            Self::Map { key, value } => write!(f, "map from {key} to {value}"),
            Self::Optional { of } => write!(f, "optional {of}"),
            Self::Tuple { of } => {
                f.write_str("(")?;
                for (index, shape) in of.iter().enumerate() {
                    write!(f, "{}{shape}", if index == 0 { "" } else { ", " })?;
                }
                f.write_str(")")
            }
            Self::Struct { name, .. } | Self::Enum { name, .. } => f.write_str(name),
        }
    }
}

/// Name, version and fields on one line: `Order (version 2) { account: u32, text: text }`.
impl fmt::Display for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, version, encoding, shape } = self;
        write!(f, "{name} (version {version}, {})", encoding.name())?;
        match shape {
            Shape::Struct { fields, .. } => {
                list(f, fields.iter().map(|field| (&field.name, Some(&field.shape))))
            }
            Shape::Enum { variants, .. } => list(f, variants.iter().map(|variant| (&variant.name, None))),
            other => write!(f, " {other}"),
        }
    }
}

fn list<'a>(
    f: &mut fmt::Formatter<'_>,
    parts: impl Iterator<Item = (&'a String, Option<&'a Shape>)>,
) -> fmt::Result {
    f.write_str(" {")?;
    for (index, (name, shape)) in parts.enumerate() {
        write!(f, "{} {name}", if index == 0 { "" } else { "," })?;
        if let Some(shape) = shape {
            write!(f, ": {shape}")?;
        }
    }
    f.write_str(" }")
}

/// Why messages of one schema cannot be read as another: both sides, and their first difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaMismatch {
    sender: String,
    reader: String,
    place: String,
    problem: String,
}

impl fmt::Display for SchemaMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { sender, reader, place, problem } = self;
        write!(f, "the sender's {sender} is not the reader's {reader}: ")?;
        match place.as_str() {
            "" => f.write_str(problem),
            place => write!(f, "`{place}` {problem}"),
        }
    }
}

impl std::error::Error for SchemaMismatch {}

/// Where two shapes differ.
struct Difference {
    place: String,
    problem: String,
}

impl Schema {
    /// Whether this type can read what a sender with that schema has written.
    ///
    /// It can if both have the same fields in the same order, or if the sender's type has more fields at its
    /// end. A reader skips fields that a struct has gained. It reads an enum that has gained variants as long
    /// as it receives none of the new variants. Nested types must be equal. A field that only the reader
    /// knows would have no value, so such a type cannot be read.
    ///
    /// # Errors
    ///
    /// [`SchemaMismatch`] names both sides and the first field in which they differ.
    pub fn reads(&self, sender: &Self) -> Result<(), SchemaMismatch> {
        let found = if self.name != sender.name {
            Err(Difference::new(format!("is called {} there, {} here", sender.name, self.name)))
        } else if self.encoding != sender.encoding {
            Err(Difference::new(format!(
                "is {} there, {} here",
                sender.encoding.name(),
                self.encoding.name()
            )))
        } else {
            compare(&self.shape, &sender.shape, true)
        };
        found.map_err(|Difference { place, problem }| SchemaMismatch {
            sender: format!("{} (version {})", sender.name, sender.version),
            reader: format!("{} (version {})", self.name, self.version),
            place,
            problem,
        })
    }
}

impl Difference {
    fn new(problem: String) -> Self {
        Self { place: String::new(), problem }
    }

    fn within(mut self, place: &str) -> Self {
        if !self.place.is_empty() && !self.place.starts_with('[') {
            self.place.insert(0, '.');
        }
        self.place.insert_str(0, place);
        self
    }
}

/// Compares the reader's shape with the sender's. `grows`: the sender's may have more at its end.
fn compare(here: &Shape, there: &Shape, grows: bool) -> Result<(), Difference> {
    let differ = || Err(Difference::new(format!("is {there} there, {here} here")));
    let item = |here: &Shape, there: &Shape| {
        compare(here, there, false).map_err(|difference| difference.within("[]"))
    };
    match (here, there) {
        (Shape::List { of: a, room }, Shape::List { of: b, room: other }) if room == other => item(a, b),
        (Shape::Array { of: a, len }, Shape::Array { of: b, len: other }) if len == other => item(a, b),
        (Shape::Set { of: a }, Shape::Set { of: b }) => item(a, b),
        (Shape::Optional { of: a }, Shape::Optional { of: b }) => compare(a, b, false),
        (Shape::Map { key: a, value: x }, Shape::Map { key: b, value: y }) => {
            item(a, b).and_then(|()| item(x, y))
        }
        (Shape::Tuple { of: a }, Shape::Tuple { of: b }) if a.len() == b.len() => {
            a.iter().zip(b).try_for_each(|(a, b)| item(a, b))
        }
        (Shape::Struct { name, fields }, Shape::Struct { name: other, fields: sent }) if name == other => {
            compare_fields(fields, sent, grows)
        }
        (Shape::Enum { name, tag, variants }, Shape::Enum { name: other, tag: sent_tag, variants: sent })
            if name == other && tag == sent_tag =>
        {
            compare_variants(variants, sent, grows)
        }
        _ if here == there => Ok(()),
        _ => differ(),
    }
}

fn compare_fields(here: &[Field], there: &[Field], grows: bool) -> Result<(), Difference> {
    for (index, field) in here.iter().enumerate() {
        match there.get(index) {
            Some(sent) if sent.name == field.name => {
                compare(&field.shape, &sent.shape, false)
                    .map_err(|difference| difference.within(&field.name))?;
            }
            Some(sent) => {
                let problem = format!("stands here where the sender has `{}`", sent.name);
                return Err(Difference::new(problem).within(&field.name));
            }
            None => return Err(Difference::new("is not there".into()).within(&field.name)),
        }
    }
    match there.get(here.len()) {
        Some(more) if !grows => Err(Difference::new("is only there".into()).within(&more.name)),
        _ => Ok(()),
    }
}

fn compare_variants(here: &[Variant], there: &[Variant], grows: bool) -> Result<(), Difference> {
    for (index, variant) in here.iter().enumerate() {
        let difference = match there.get(index) {
            Some(sent) if sent.name != variant.name => {
                Difference::new(format!("stands here where the sender has `{}`", sent.name))
            }
            Some(sent) if sent.tag != variant.tag => {
                Difference::new(format!("has the tag {} there, {} here", sent.tag, variant.tag))
            }
            Some(sent) => match compare_fields(&variant.fields, &sent.fields, false) {
                Ok(()) => continue,
                Err(difference) => difference,
            },
            None => Difference::new("is not there".into()),
        };
        return Err(difference.within(&variant.name));
    }
    match there.get(here.len()) {
        Some(more) if !grows => Err(Difference::new("is only there".into()).within(&more.name)),
        _ => Ok(()),
    }
}
