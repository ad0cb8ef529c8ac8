//! The rows of a graph, and messages that go along one of them.

use std::{fmt, mem::offset_of};

use annulus_message::{DecodeError, EncodeError, Encoding, Message, Payload, Schema};

use crate::{
    Bytes, DeviceType, FieldDescriptor, KeyDescriptor, Meaning, OwnType, Primitive, Receiver, RingMessage,
    Type, TypeDescriptor, TypeKind, Typed, Value, device_value, payload_hash, schema_of,
};

/// A message that goes along a row of a graph ([`Rows`]): a copy of it goes to each actor that the row names. A handler
/// sends it once, whatever the length of the row. Not connected, a kernel sends it to the host as it is.
///
/// In each copy, the key of the actor stands in the field that is marked `#[ring(key)]`, and the value of the entry, if
/// the graph has values, in the one that is marked `#[ring(edge)]`. What the handler wrote there does not matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Along<M> {
    /// The number of the row, from 0 on. Along a row that does not exist nothing goes: the output is lost, and counted.
    pub row: u32,
    /// How many entries of the row are passed over, from the first on: 0 for the whole row. If a kernel is disconnected
    /// while copies wait for room, the host gets the output, and this says how many copies had gone. More than the row has
    /// is as if the row did not exist.
    pub from: u32,
    /// What goes there.
    pub message: M,
}

/// A field of what goes along rows that is written into each copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowField {
    /// Where it begins in the message.
    pub offset: usize,
    /// Its type: a number.
    pub ty: Primitive,
}

/// What lies where in an [`Along`].
#[derive(Clone, Copy, Debug)]
pub struct RowsDefinition {
    /// What goes to the actors of a row.
    pub message: &'static TypeDescriptor,
    /// Where that lies in the kernel's output.
    pub offset: usize,
    /// The key of a message. It is an unsigned number.
    pub key: RowField,
    /// Where the value of an entry goes, if it goes anywhere: a number of 32 bits.
    pub edge: Option<RowField>,
}

impl RowsDefinition {
    /// That of an `Along<M>`.
    ///
    /// # Panics
    ///
    /// If an `M` is no struct with a key.
    const fn of<M: RingMessage>() -> Self {
        let Some(KeyDescriptor::Field(key)) = M::KEY_FIELD else {
            panic!("what goes along rows is a struct with a `#[ring(key)]`: each copy names its actor there")
        };
        let edge = match M::EDGE_FIELD {
            Some(edge) => Some(field::<M>(edge)),
            None => None,
        };
        Self { message: M::DESCRIPTOR, offset: offset_of!(Along<M>, message), key: field::<M>(key), edge }
    }

    /// The greatest key that the field of the key holds.
    pub fn most_key(&self) -> u64 {
        match self.key.ty.size() {
            1 => u8::MAX.into(),
            2 => u16::MAX.into(),
            4 => u32::MAX.into(),
            _ => u64::MAX,
        }
    }

    /// Writes the key of an actor, and the value of an entry, into a copy of a message.
    ///
    /// # Safety
    ///
    /// `copy` is valid for writes of a message.
    pub unsafe fn write(&self, copy: *mut u8, key: u32, value: Option<u32>) {
        // SAFETY: the field lies inside of the message.
        let place = unsafe { copy.add(self.key.offset) };
        // SAFETY: the key is a number of so many bytes, with the low byte in front on the machines that there are.
        unsafe { place.copy_from_nonoverlapping(u64::from(key).to_le_bytes().as_ptr(), self.key.ty.size()) };
        let (Some(edge), Some(value)) = (self.edge, value) else { return };
        // SAFETY: as above.
        let place = unsafe { copy.add(edge.offset) };
        // SAFETY: the field is a number of four bytes.
        unsafe { place.copy_from_nonoverlapping(value.to_ne_bytes().as_ptr(), size_of::<u32>()) };
    }
}

/// The field of a struct, by its number in order of declaration.
const fn field<M: DeviceType>(number: usize) -> RowField {
    let TypeKind::Struct(fields) = M::DESCRIPTOR.kind else { panic!("what goes along rows is a struct") };
    let TypeKind::Primitive(ty) = fields[number].ty.kind else {
        panic!("keys and the values of edges are numbers")
    };
    RowField { offset: fields[number].offset, ty }
}

// SAFETY: `repr(C)` fixes the layout; the compiler gives size, alignment and offsets; all fields are device types.
#[diagnostic::do_not_recommend]
unsafe impl<M: DeviceType> DeviceType for Along<M> {
    const DESCRIPTOR: &'static TypeDescriptor = &TypeDescriptor {
        name: "Along",
        size: size_of::<Self>(),
        align: align_of::<Self>(),
        kind: TypeKind::Struct(&[
            FieldDescriptor { name: "row", offset: offset_of!(Self, row), ty: u32::DESCRIPTOR },
            FieldDescriptor { name: "from", offset: offset_of!(Self, from), ty: u32::DESCRIPTOR },
            FieldDescriptor { name: "message", offset: offset_of!(Self, message), ty: M::DESCRIPTOR },
        ]),
        meaning: Meaning::Parts,
    };
}

#[diagnostic::do_not_recommend]
impl<M: DeviceType> Typed for Along<M> {
    fn ty() -> Type {
        Self::DESCRIPTOR.into()
    }

    fn value(&self) -> Value {
        device_value(self)
    }
}

#[diagnostic::do_not_recommend]
impl<M: DeviceType> Receiver for Along<M> {
    type Target = Self;
    type Side = Self;
}

#[diagnostic::do_not_recommend]
impl<M: DeviceType> OwnType for Along<M> {}

#[diagnostic::do_not_recommend]
impl<M: RingMessage> Message for Along<M> {
    const PAYLOAD_HASH: Option<fn(&Self) -> u64> = Some(payload_hash::<Self>);
}

#[diagnostic::do_not_recommend]
impl<M: RingMessage> Payload for Along<M> {
    const ENCODING: Encoding = Encoding::Direct;
    const VERSION: u32 = 0;
    const ROOT_SIZE: usize = size_of::<Self>();

    fn schema() -> Schema {
        schema_of(Self::DESCRIPTOR, 0)
    }

    fn write(&self, to: &mut Bytes) -> Result<(), EncodeError> {
        crate::write_message(self, to)
    }

    fn read(bytes: &[u8]) -> Result<Self, DecodeError> {
        crate::decode(bytes)
    }
}

#[diagnostic::do_not_recommend]
impl<M: RingMessage> RingMessage for Along<M> {
    const ROWS: Option<RowsDefinition> = Some(RowsDefinition::of::<M>());
}

/// A graph in compact form: for each row, which is a vertex, the keys of the actors that are its neighbours, and, if it has
/// values, one for each of these. A kernel that sends [`Along`] messages is launched with one, and has it in the memory of
/// its device. A row may name an actor several times, which then gets as many copies.
///
/// ```
/// # extern crate annulus_kernel as annulus;
/// use annulus::Rows;
///
/// // 0 → 1 (7 km), 0 → 2 (3 km), 2 → 0 (3 km)
/// let roads = Rows::new(&[0, 2, 2, 3], &[1, 2, 0])?.with_values(&[7_u32, 3, 3])?;
/// assert_eq!((roads.len(), roads.entries()), (3, 3));
/// assert_eq!(roads.row(0), Some(&[1, 2][..]));
/// assert_eq!(roads.row(1), Some(&[][..]));
/// assert_eq!(roads, Rows::of_lists([vec![1, 2], vec![], vec![0]])?.with_values(&[7_u32, 3, 3])?);
/// # Ok::<(), annulus::RowsError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Rows {
    /// Where each row begins among the keys, and then where the last one ends: at least one; the first is 0; they do not
    /// fall; the last is the number of keys.
    offsets: Box<[u32]>,
    keys: Box<[u32]>,
    /// As many as keys, if there are any.
    values: Option<(Box<[u32]>, Primitive)>,
}

impl fmt::Debug for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let has_values = if self.values.is_some() { ", with values" } else { "" };
        write!(f, "Rows({} rows, {} entries{has_values})", self.len(), self.entries())
    }
}

/// What is no [`Rows`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RowsError {
    /// There are no offsets, or the first is not 0.
    Begin,
    /// An offset is smaller than the one before it.
    Falls {
        /// The number of the row that ends before it begins.
        row: usize,
    },
    /// The last offset is not the number of keys.
    End {
        /// The last offset.
        offset: u32,
        /// How many keys there are.
        keys: usize,
    },
    /// There are more rows, or more entries, than numbers of 32 bits count.
    TooMany,
    /// There are not as many values as entries.
    Values {
        /// How many values there are.
        values: usize,
        /// How many entries.
        entries: usize,
    },
}

impl fmt::Display for RowsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Begin => f.write_str(
                "offsets begin with 0: they say where each row begins, and where the last one ends",
            ),
            Self::Falls { row } => write!(f, "row {row} ends before it begins: offsets do not fall"),
            Self::End { offset, keys } => write!(
                f,
                "the last offset is {offset}, and there are {keys} keys: it says where the last row ends"
            ),
            Self::TooMany => f.write_str("a graph has fewer than 2³² rows, and fewer than 2³² entries"),
            Self::Values { values, entries } => {
                write!(f, "there are {values} values for {entries} entries: give each entry one")
            }
        }
    }
}

impl std::error::Error for RowsError {}

/// A value of an entry of [`Rows`]: `u32`, `i32` or `f32`.
pub trait EdgeValue: Copy + edge_value::Bits {}

mod edge_value {
    use crate::Primitive;

    /// What goes into a field as it is.
    pub trait Bits {
        const PRIMITIVE: Primitive;
        fn bits(self) -> u32;
    }

    impl Bits for u32 {
        const PRIMITIVE: Primitive = Primitive::U32;
        fn bits(self) -> u32 {
            self
        }
    }

    impl Bits for i32 {
        const PRIMITIVE: Primitive = Primitive::I32;
        fn bits(self) -> u32 {
            self.cast_unsigned()
        }
    }

    impl Bits for f32 {
        const PRIMITIVE: Primitive = Primitive::F32;
        fn bits(self) -> u32 {
            self.to_bits()
        }
    }
}

impl EdgeValue for u32 {}
impl EdgeValue for i32 {}
impl EdgeValue for f32 {}

impl Rows {
    /// The graph whose row `i` is `keys[offsets[i]..offsets[i + 1]]`.
    ///
    /// # Errors
    ///
    /// [`RowsError`] says what is wrong with the offsets.
    pub fn new(offsets: &[u32], keys: &[u32]) -> Result<Self, RowsError> {
        if offsets.first() != Some(&0) {
            return Err(RowsError::Begin);
        }
        if let Some(row) = offsets.windows(2).position(|pair| pair[1] < pair[0]) {
            return Err(RowsError::Falls { row });
        }
        let offset = offsets[offsets.len() - 1];
        if offset as usize != keys.len() {
            return Err(RowsError::End { offset, keys: keys.len() });
        }
        // A row's number and a place in it have 32 bits.
        if u32::try_from(offsets.len()).is_err() || u32::try_from(keys.len()).is_err() {
            return Err(RowsError::TooMany);
        }
        Ok(Self { offsets: offsets.into(), keys: keys.into(), values: None })
    }

    /// The graph with these rows.
    ///
    /// # Errors
    ///
    /// There are more rows, or more entries, than numbers of 32 bits count.
    pub fn of_lists<L: AsRef<[u32]>>(lists: impl IntoIterator<Item = L>) -> Result<Self, RowsError> {
        let (mut offsets, mut keys) = (vec![0], Vec::new());
        for list in lists {
            keys.extend_from_slice(list.as_ref());
            offsets.push(u32::try_from(keys.len()).map_err(|_| RowsError::TooMany)?);
        }
        Self::new(&offsets, &keys)
    }

    /// The same with a value for each entry, in the order of the keys.
    ///
    /// # Errors
    ///
    /// There are not as many values as entries.
    pub fn with_values<V: EdgeValue>(mut self, values: &[V]) -> Result<Self, RowsError> {
        if values.len() != self.entries() {
            return Err(RowsError::Values { values: values.len(), entries: self.entries() });
        }
        self.values = Some((values.iter().map(|value| value.bits()).collect(), V::PRIMITIVE));
        Ok(self)
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many entries all rows have together.
    pub fn entries(&self) -> usize {
        self.keys.len()
    }

    /// The keys of a row; `None` if there is no such row.
    pub fn row(&self, row: usize) -> Option<&[u32]> {
        let [begin, end] = *self.offsets.get(row..)?.first_chunk()?;
        Some(&self.keys[begin as usize..end as usize])
    }

    /// The greatest key.
    pub fn most_key(&self) -> Option<u32> {
        self.keys.iter().copied().max()
    }

    /// The type of the values, if there are any.
    pub fn value_type(&self) -> Option<Primitive> {
        self.values.as_ref().map(|(_, ty)| *ty)
    }

    /// The entries of a row behind the first `from`, by their numbers; `None` if there is no such row, or if it has not so
    /// many.
    pub fn entries_of(&self, row: u32, from: u32) -> Option<std::ops::Range<usize>> {
        let [begin, end] = *self.offsets.get(row as usize..)?.first_chunk()?;
        (from <= end - begin).then(|| (begin + from) as usize..end as usize)
    }

    /// The key of an entry, and the bits of its value.
    ///
    /// # Panics
    ///
    /// If there is no such entry.
    pub fn entry(&self, number: usize) -> (u32, Option<u32>) {
        (self.keys[number], self.values.as_ref().map(|(values, _)| values[number]))
    }

    /// The graph as devices have it: the number of rows, the number of entries, whether there are values, and a word that
    /// means nothing; then the offsets, the keys, and the values if there are any.
    pub fn words(&self) -> Vec<u32> {
        let values = self.values.as_ref().map_or(&[][..], |(values, _)| values);
        let head = [self.len() as u32, self.entries() as u32, self.values.is_some().into(), 0];
        [&head, &*self.offsets, &*self.keys, values].concat()
    }
}

impl Default for Rows {
    /// No row.
    fn default() -> Self {
        Self { offsets: [0].into(), keys: Box::default(), values: None }
    }
}
