//! The descriptors of archives against the archives that rkyv writes: each number, text and list that a
//! descriptor says to be somewhere is there.

use annulus_kernel::{ArchivedPart, ArchivedType, Meaning, Primitive, TypeDescriptor, TypeKind};
use annulus_message::{Archived, bridged::access};

use crate::{
    kernels::{Item, Kind, Level, Log, Part},
    samples::{Random, archive},
};

type Type = &'static TypeDescriptor;

const LOG: Type = <Archived<Log> as ArchivedType>::DESCRIPTOR;

pub(crate) fn root_size() -> usize {
    LOG.size
}

fn field(ty: &TypeDescriptor, name: &str) -> (usize, Type) {
    let TypeKind::Struct(fields) = ty.kind else { panic!("{} has fields", ty.name) };
    let field = fields.iter().find(|field| field.name == name).expect("a field of this name");
    (field.offset, field.ty)
}

pub(crate) fn offset_of_text() -> usize {
    field(LOG, "text").0
}

/// What a reader that knows nothing but descriptors reads from an archive.
#[derive(Debug, PartialEq)]
enum Read {
    Number(u64),
    Text(String),
    List(Vec<Read>),
    Parts(Vec<Read>),
    Variant(&'static str, Vec<Read>),
    Opaque,
}

fn bits(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte))
}

fn size_of_number(number: Primitive) -> usize {
    match number {
        Primitive::Bool | Primitive::U8 | Primitive::I8 => 1,
        Primitive::U16 | Primitive::I16 => 2,
        Primitive::U32 | Primitive::I32 | Primitive::F32 => 4,
        _ => 8,
    }
}

fn read(ty: Type, bytes: &[u8], at: usize) -> Read {
    let fields = |fields: &'static [annulus_kernel::FieldDescriptor]| -> Vec<Read> {
        fields.iter().map(|field| read(field.ty, bytes, at + field.offset)).collect()
    };
    let word = |at: usize| bits(&bytes[at..at + 4]);
    let behind = |offset: u64| at.wrapping_add_signed(offset as u32 as i32 as isize);
    assert!(at.is_multiple_of(ty.align), "{} at {at}", ty.name);
    match ty.meaning {
        Meaning::Archived(ArchivedPart::Text) => {
            let here = &bytes[at..at + 8];
            let text = if here[0] & 0xC0 == 0x80 {
                let len = (word(at) & 0x3F | (word(at) & 0xFFFF_FF00) >> 2) as usize;
                &bytes[behind(word(at + 4))..][..len]
            } else {
                &here[..here.iter().position(|byte| *byte == 0xFF).unwrap_or(8)]
            };
            return Read::Text(String::from_utf8(text.to_vec()).expect("UTF-8"));
        }
        Meaning::Archived(ArchivedPart::SharedText) => {
            let text = &bytes[behind(word(at))..][..word(at + 4) as usize];
            return Read::Text(String::from_utf8(text.to_vec()).expect("UTF-8"));
        }
        Meaning::Archived(ArchivedPart::List(element)) => {
            let first = behind(word(at));
            let items =
                (0..word(at + 4) as usize).map(|index| read(element, bytes, first + index * element.size));
            return Read::List(items.collect());
        }
        Meaning::Archived(ArchivedPart::Opaque) => return Read::Opaque,
        _ => {}
    }
    match ty.kind {
        TypeKind::Primitive(number) => Read::Number(bits(&bytes[at..at + size_of_number(number)])),
        TypeKind::Struct(parts) => Read::Parts(fields(parts)),
        TypeKind::Array { element, len } => {
            Read::Parts((0..len).map(|index| read(element, bytes, at + index * element.size)).collect())
        }
        TypeKind::Enum { variants, .. } => {
            let variant = variants.iter().find(|variant| variant.tag == u64::from(bytes[at])).expect("a tag");
            Read::Variant(variant.name, fields(variant.fields))
        }
    }
}

/// The same from the value.
trait Told {
    fn told(&self) -> Read;
}

macro_rules! numbers {
    ($($ty:ty),+; $($wrapped:ty),+) => {
        $(impl Told for $ty {
            fn told(&self) -> Read {
                Read::Number(bits(&self.to_le_bytes()))
            }
        })+
        $(impl Told for $wrapped {
            fn told(&self) -> Read {
                Read::Parts(vec![Read::Number(bits(&self.to_le_bytes()))])
            }
        })+
    };
}

numbers!(u8, i8; u16, i16, u32, i32, u64, i64, f32, f64);

impl Told for bool {
    fn told(&self) -> Read {
        Read::Number((*self).into())
    }
}

impl Told for str {
    fn told(&self) -> Read {
        Read::Text(self.into())
    }
}

impl<T: Told> Told for [T] {
    fn told(&self) -> Read {
        Read::List(self.iter().map(Told::told).collect())
    }
}

impl<T: Told> Told for Option<T> {
    fn told(&self) -> Read {
        match self {
            None => Read::Variant("None", Vec::new()),
            Some(value) => Read::Variant("Some", vec![value.told()]),
        }
    }
}

impl Told for String {
    fn told(&self) -> Read {
        self.as_str().told()
    }
}

impl Told for Part {
    fn told(&self) -> Read {
        Read::Parts(vec![self.0.told(), self.1.told()])
    }
}

impl Told for Item {
    fn told(&self) -> Read {
        Read::Parts(vec![
            self.id.told(),
            self.name.told(),
            self.weights.as_slice().told(),
            self.flag.told(),
            self.parts.as_slice().told(),
        ])
    }
}

impl Told for Kind {
    fn told(&self) -> Read {
        match self {
            Self::Idle => Read::Variant("Idle", Vec::new()),
            Self::Busy { load, why } => Read::Variant("Busy", vec![load.told(), why.told()]),
            Self::Moved(by, parts) => Read::Variant("Moved", vec![by.told(), parts.as_slice().told()]),
            Self::Failed(Level::Low) => Read::Variant("Failed", vec![Read::Variant("Low", Vec::new())]),
            Self::Failed(Level::High) => Read::Variant("Failed", vec![Read::Variant("High", Vec::new())]),
        }
    }
}

impl Told for Log {
    fn told(&self) -> Read {
        let row = |row: &[u16; 3]| Read::Parts(row.iter().map(Told::told).collect());
        let queue: Vec<u16> = self.queue.iter().copied().collect();
        Read::Parts(vec![
            self.source.told(),
            self.at.told(),
            self.level.told(),
            self.on.told(),
            self.small.told(),
            self.ratio.told(),
            self.precise.told(),
            self.text.told(),
            self.shared.told(),
            self.boxed.told(),
            self.values.as_slice().told(),
            self.samples.as_slice().told(),
            self.raw.as_slice().told(),
            self.bits.told(),
            queue.as_slice().told(),
            self.counts.told(),
            Read::Parts(self.grid.iter().map(row).collect()),
            self.limit.told(),
            self.note.told(),
            self.first.told(),
            self.kind.told(),
            self.items.as_slice().told(),
            self.best.told(),
            Read::Parts(vec![self.pair.0.told(), self.pair.1.told()]),
            Read::Opaque,
            Read::Opaque,
            Read::Opaque,
        ])
    }
}

#[test]
fn descriptors_find_what_rkyv_wrote() {
    let mut random = Random::new(1);
    for number in 0..400 {
        let log = random.log();
        let bytes = archive(&log);
        let root = bytes.len() - LOG.size;
        assert_eq!(read(LOG, &bytes, root), log.told(), "message {number}");
    }
}

/// The descriptor's offsets are the fields' addresses in an archive that rkyv reads.
#[test]
fn offsets_are_those_of_the_archive() {
    let bytes = crate::samples::image(&archive(&Random::new(5).log()), 0);
    let length = u32::from_ne_bytes(bytes.bytes()[..4].try_into().unwrap()) as usize;
    let archived = access::<Log>(&bytes.bytes()[crate::samples::HEAD..][..length]).unwrap();
    assert_eq!((LOG.size, LOG.align), (size_of::<Archived<Log>>(), align_of::<Archived<Log>>()));
    let root = std::ptr::from_ref(archived).addr();
    macro_rules! check {
        ($($name:ident),+) => {$(
            let at = std::ptr::from_ref(&archived.$name).addr() - root;
            assert_eq!(field(LOG, stringify!($name)).0, at, stringify!($name));
        )+};
    }
    check!(source, at, level, on, small, ratio, precise, text, shared, boxed, values, samples, raw, bits);
    check!(queue, counts, grid, limit, note, first, kind, items, best, pair, unused, wide, letter);
}
