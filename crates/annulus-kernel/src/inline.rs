//! Text and lists of bounded length that are stored inside a message or a state.
//!
//! A device has no heap, and a ring copies messages byte by byte. So a message with text or a collection
//! stores it inside itself, with room for its greatest length: [`Text`] and [`List`]. On a device both are
//! plain structs, `len` and `items`. A [`List`] is a slice, too, and takes and gives single values:
//! `order.legs[i]`, `order.legs.len()`, `for leg in &order.legs`, `order.legs.push(leg)`.
//!
//! Data that a device wrote comes from outside: [`List::as_slice`] reads no more than there is room for,
//! whatever `len` says, and [`Text::as_str`] checks that the bytes are UTF-8.

use std::{cmp::Ordering, fmt, mem::offset_of, str::Utf8Error};

use crate::{
    DeviceType, FieldDescriptor, Meaning, Receiver, Type, TypeDescriptor, TypeKind, Typed, Value,
    device_value,
};

/// Up to `N` values, stored inside the type that has this as a field.
///
/// It is a slice of its values, with all methods of slices, on devices, too.
///
/// ```
/// use annulus_kernel::List;
/// let mut legs = List::<u32, 4>::new(&[10, 20, 30])?;
/// assert_eq!(legs.push(40), Ok(()));
/// assert_eq!(legs.push(50), Err(50)); // There is no room for it.
/// assert_eq!((legs.pop(), legs.len(), legs[2]), (Some(40), 3, 30));
/// assert_eq!(legs.iter().sum::<u32>(), 60);
/// assert_eq!((legs.len, legs.items), (3, [10, 20, 30, 40])); // What it is in memory.
/// let error = List::<u32, 4>::new(&[0; 5]).unwrap_err();
/// assert_eq!(error.to_string(), "5 items do not fit into a List of 4: make its length 5, or send several messages");
/// # Ok::<(), annulus_kernel::TooLong>(())
/// ```
#[derive(Clone, Copy)]
#[repr(C)]
pub struct List<T, const N: usize> {
    /// How many there are. At most `N`, unless a handler wrote something else.
    pub len: u32,
    /// The values; those after the first `len` have no meaning.
    pub items: [T; N],
}

/// Text of up to `N` bytes of UTF-8, stored inside the type that has this as a field.
///
/// ```
/// use annulus_kernel::Text;
/// let symbol = Text::<8>::new("ÅNG")?;
/// assert_eq!((symbol.as_str(), symbol.len), (Ok("ÅNG"), 4));
/// let error = Text::<8>::new("too long a name").unwrap_err();
/// assert_eq!(error.to_string(), "15 bytes do not fit into a Text of 8: make its length 15, or send several messages");
/// # Ok::<(), annulus_kernel::TooLong>(())
/// ```
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Text<const N: usize> {
    /// How many bytes there are. At most `N`, unless a handler wrote something else.
    pub len: u32,
    /// The bytes; those after the first `len` have no meaning.
    pub items: [u8; N],
}

/// The error when something does not fit into a [`Text`] or [`List`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong {
    what: &'static str,
    of: &'static str,
    given: usize,
    most: usize,
}

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, of, given, most } = self;
        write!(
            f,
            "{given} {what} do not fit into a {of} of {most}: make its length {given}, or send several messages"
        )
    }
}

impl std::error::Error for TooLong {}

impl<T: Copy + Default, const N: usize> List<T, N> {
    /// A list of these values.
    ///
    /// # Errors
    ///
    /// [`TooLong`] if there are more than `N`.
    pub fn new(values: &[T]) -> Result<Self, TooLong> {
        let mut list = Self::default();
        let Some(room) = list.items.get_mut(..values.len()) else {
            return Err(TooLong { what: "items", of: "List", given: values.len(), most: N });
        };
        room.copy_from_slice(values);
        list.len = values.len() as u32;
        Ok(list)
    }
}

impl<const N: usize> Text<N> {
    /// This text.
    ///
    /// # Errors
    ///
    /// [`TooLong`] if it has more than `N` bytes.
    pub fn new(text: &str) -> Result<Self, TooLong> {
        let mut items = [0; N];
        let Some(room) = items.get_mut(..text.len()) else {
            return Err(TooLong { what: "bytes", of: "Text", given: text.len(), most: N });
        };
        room.copy_from_slice(text.as_bytes());
        Ok(Self { len: text.len() as u32, items })
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.items[..(self.len as usize).min(N)]
    }

    /// The text.
    ///
    /// # Errors
    ///
    /// If the bytes are not UTF-8. [`new`](Self::new) never makes such a text, but a handler may.
    pub fn as_str(&self) -> Result<&str, Utf8Error> {
        str::from_utf8(self.as_bytes())
    }
}

impl<T: Copy + Default, const N: usize> Default for List<T, N> {
    fn default() -> Self {
        Self { len: 0, items: [T::default(); N] }
    }
}

impl<const N: usize> Default for Text<N> {
    fn default() -> Self {
        Self { len: 0, items: [0; N] }
    }
}

impl<T: PartialEq, const N: usize> PartialEq for List<T, N> {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl<T: Eq, const N: usize> Eq for List<T, N> {}

impl<const N: usize> PartialEq for Text<N> {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl<const N: usize> Eq for Text<N> {}

/// Ordered like slices: by the first values that differ, otherwise by length.
impl<T: PartialOrd, const N: usize> PartialOrd for List<T, N> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.as_slice().partial_cmp(other.as_slice())
    }
}

impl<T: Ord, const N: usize> Ord for List<T, N> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_slice().cmp(other.as_slice())
    }
}

/// Ordered like `str`: by its bytes.
impl<const N: usize> PartialOrd for Text<N> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<const N: usize> Ord for Text<N> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_bytes().cmp(other.as_bytes())
    }
}

impl<T: fmt::Debug, const N: usize> fmt::Debug for List<T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_slice().fmt(f)
    }
}

impl<const N: usize> fmt::Debug for Text<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        String::from_utf8_lossy(self.as_bytes()).fmt(f)
    }
}

impl<const N: usize> fmt::Display for Text<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        String::from_utf8_lossy(self.as_bytes()).fmt(f)
    }
}

// SAFETY: size, alignment and offsets come from the compiler, `repr(C)` fixes them, and both fields are
// device types.
unsafe impl<T: DeviceType, const N: usize> DeviceType for List<T, N> {
    const DESCRIPTOR: &'static TypeDescriptor = &TypeDescriptor {
        name: "List",
        size: size_of::<Self>(),
        align: align_of::<Self>(),
        kind: TypeKind::Struct(&[
            FieldDescriptor { name: "len", offset: offset_of!(Self, len), ty: u32::DESCRIPTOR },
            FieldDescriptor { name: "items", offset: offset_of!(Self, items), ty: <[T; N]>::DESCRIPTOR },
        ]),
        meaning: Meaning::List,
    };
}

// SAFETY: as for `List`.
unsafe impl<const N: usize> DeviceType for Text<N> {
    const DESCRIPTOR: &'static TypeDescriptor = &TypeDescriptor {
        name: "Text",
        size: size_of::<Self>(),
        align: align_of::<Self>(),
        kind: TypeKind::Struct(&[
            FieldDescriptor { name: "len", offset: offset_of!(Self, len), ty: u32::DESCRIPTOR },
            FieldDescriptor { name: "items", offset: offset_of!(Self, items), ty: <[u8; N]>::DESCRIPTOR },
        ]),
        meaning: Meaning::Text,
    };
}

#[diagnostic::do_not_recommend]
impl<T: DeviceType, const N: usize> Receiver for List<T, N> {
    type Target = Self;
    type Side = Self;
}

#[diagnostic::do_not_recommend]
impl<const N: usize> Receiver for Text<N> {
    type Target = Self;
    type Side = Self;
}

#[diagnostic::do_not_recommend]
impl<T: DeviceType, const N: usize> Typed for List<T, N> {
    fn ty() -> Type {
        Self::DESCRIPTOR.into()
    }

    fn value(&self) -> Value {
        device_value(self)
    }
}

#[diagnostic::do_not_recommend]
impl<const N: usize> Typed for Text<N> {
    fn ty() -> Type {
        Self::DESCRIPTOR.into()
    }

    fn value(&self) -> Value {
        device_value(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A device may write any length.
    #[test]
    fn a_length_beyond_the_room_is_no_length() {
        let mut list = List::<u16, 3>::new(&[1, 2]).unwrap();
        list.len = u32::MAX;
        assert_eq!(list.as_slice(), [1, 2, 0]);
        let mut text = Text::<2>::new("ab").unwrap();
        text.len = 3;
        assert_eq!(text.as_str(), Ok("ab"));
        text.items = [0xFF, 0xC0];
        assert!(text.as_str().is_err());
        assert_eq!(text.to_string(), "\u{FFFD}\u{FFFD}");
    }
}
