//! Values of fixed layout as bytes, for files, sockets and other processes: the payload of direct messages.
//!
//! The bytes are those of the value in memory, at the offsets of its descriptor, with numbers in
//! little-endian order. All bytes without meaning are zero: padding, the room after the items of a
//! [`List`](crate::List), and the fields of other variants. (A decoded list has valid items there, all the
//! same.) So equal values have equal bytes on every machine, and a decoded value is as long as its type.
//!
//! Bytes from outside are checked against the descriptor. These are errors, which say where: a wrong length,
//! a `bool` that is neither 0 nor 1, a tag of no variant, and a list longer than its room. Every value that
//! is valid for the type's layout is accepted; the program itself must check its own rules (such as a price
//! above zero).

use std::mem::MaybeUninit;

use annulus_message::{DecodeError, EncodeError, MAX_PAYLOAD};

use crate::{DeviceType, FieldDescriptor, Primitive, TypeDescriptor, TypeKind, plan::Plan};

/// The error for a list of a type without values.
pub(crate) const NO_VALUES: &str = "a list of what has no values has none either";

/// Appends a value's bytes: as many as its type has. Equal values have equal bytes.
///
/// ```
/// use annulus_kernel::encode;
/// let mut bytes = Vec::new();
/// encode(&[258u16, 3], &mut bytes);
/// assert_eq!(bytes, [2, 1, 3, 0]);
/// ```
#[inline]
pub fn encode<T: DeviceType>(value: &T, to: &mut Vec<u8>) {
    let Some(plan) = (const { &Plan::of(T::DESCRIPTOR) }) else { return encode_by_parts(value, to) };
    let from = bytes_of(value);
    to.reserve(from.len());
    let place = &mut to.spare_capacity_mut()[..from.len()];
    place.copy_from_slice(from);
    // SAFETY: a copy of a valid value of the plan's type.
    unsafe { plan.clean(place) };
    let len = to.len() + from.len();
    // SAFETY: there is room for them, and the plan has initialised those that the value had not.
    unsafe { to.set_len(len) };
}

/// [`encode`], number by number as the descriptor says: for types without a plan, and for tests.
#[doc(hidden)]
pub fn encode_by_parts<T: DeviceType>(value: &T, to: &mut Vec<u8>) {
    let begin = to.len();
    to.resize(begin + size_of::<T>(), 0);
    // SAFETY: these are the bytes of a valid value of this type.
    unsafe { write(T::DESCRIPTOR, bytes_of(value), &mut to[begin..]) };
}

/// A value's bytes. Its padding may be uninitialised.
fn bytes_of<T: DeviceType>(value: &T) -> &[MaybeUninit<u8>] {
    // SAFETY: the value is as long as its type, and any byte is a `MaybeUninit`.
    unsafe { std::slice::from_raw_parts(std::ptr::from_ref(value).cast(), size_of::<T>()) }
}

/// Like [`encode`], for a message.
///
/// # Errors
///
/// If the type is larger than a payload may be.
#[doc(hidden)]
pub fn write_message<T: DeviceType>(message: &T, to: &mut Vec<u8>) -> Result<(), EncodeError> {
    let TypeDescriptor { name, size, .. } = T::DESCRIPTOR;
    if *size > MAX_PAYLOAD {
        let problem =
            format!("{name} has {size} bytes, and a message at most {MAX_PAYLOAD}: send it in parts");
        return Err(EncodeError::new(problem));
    }
    encode(message, to);
    Ok(())
}

/// The value that was encoded as `bytes`, which may come from anywhere.
///
/// # Errors
///
/// If the bytes are no value of the type; the error says where.
///
/// ```
/// use annulus_kernel::decode;
/// assert_eq!(decode::<[u16; 2]>(&[2, 1, 3, 0]), Ok([258, 3]));
/// let error = decode::<[u16; 2]>(&[2, 1, 3]).unwrap_err();
/// assert_eq!(error.to_string(), "3 bytes are no array, which has 4");
/// ```
#[inline]
pub fn decode<T: DeviceType>(bytes: &[u8]) -> Result<T, DecodeError> {
    if let (Some(plan), true) = (const { &Plan::of(T::DESCRIPTOR) }, bytes.len() == size_of::<T>()) {
        let mut value = MaybeUninit::<T>::uninit();
        // SAFETY: the place is as long as the type, and lives.
        let to = unsafe { std::slice::from_raw_parts_mut(value.as_mut_ptr().cast(), size_of::<T>()) };
        if plan.check(<[MaybeUninit<u8>]>::write_copy_of_slice(to, bytes)) {
            // SAFETY: every part that the descriptor names is valid, as the plan has checked; it has made
            // zero what is after a list's items, which is valid for types that have a plan.
            return Ok(unsafe { value.assume_init() });
        }
    }
    decode_by_parts(bytes)
}

/// [`decode`], number by number as the descriptor says: for types without a plan, for bytes that are no
/// value, and for tests.
///
/// # Errors
///
/// As for [`decode`].
#[doc(hidden)]
#[cold]
pub fn decode_by_parts<T: DeviceType>(bytes: &[u8]) -> Result<T, DecodeError> {
    let ty = T::DESCRIPTOR;
    if bytes.len() != ty.size {
        let (given, TypeDescriptor { name, size, .. }) = (bytes.len(), ty);
        return Err(DecodeError::new(format!("{given} bytes are no {name}, which has {size}")));
    }
    let mut value = MaybeUninit::<T>::zeroed();
    // SAFETY: the place is as long as the type, lives, and all of it is initialised.
    let to = unsafe { std::slice::from_raw_parts_mut(value.as_mut_ptr().cast::<u8>(), size_of::<T>()) };
    read(ty, bytes, to)?;
    // SAFETY: every part that the descriptor names was written with a value that is valid for it, including a
    // list's items after its end. The rest is padding, where any byte is valid, or belongs to variants that
    // the tag does not name.
    Ok(unsafe { value.assume_init() })
}

/// Appends the bytes of several values that lie one after the other, by their type's descriptor, as
/// [`encode`] does for each.
///
/// # Safety
///
/// `from` holds valid values of the type, and nothing else.
#[doc(hidden)]
pub unsafe fn encode_values(ty: &TypeDescriptor, from: &[MaybeUninit<u8>], to: &mut Vec<u8>) {
    let begin = to.len();
    if let Some(plan) = Plan::of(ty) {
        to.reserve(from.len());
        let place = &mut to.spare_capacity_mut()[..from.len()];
        place.copy_from_slice(from);
        if ty.size != 0 {
            for value in place.chunks_exact_mut(ty.size) {
                // SAFETY: a copy of a valid value, by the caller's promise.
                unsafe { plan.clean(value) };
            }
        }
        // SAFETY: there is room for them. They are whole values, of which the plan has initialised what was
        // not.
        unsafe { to.set_len(begin + from.len()) };
        return;
    }
    to.resize(begin + from.len(), 0);
    if ty.size != 0 {
        for (from, to) in from.chunks_exact(ty.size).zip(to[begin..].chunks_exact_mut(ty.size)) {
            // SAFETY: the caller's promise.
            unsafe { write(ty, from, to) };
        }
    }
}

/// The values that were encoded as `bytes`, one after the other. The bytes may come from anywhere. The result
/// has as many valid values of the type as the length of the bytes gives.
///
/// # Errors
///
/// If the bytes are no values of the type; the error says where.
#[doc(hidden)]
pub fn decode_values(ty: &TypeDescriptor, bytes: &[u8]) -> Result<Vec<u8>, DecodeError> {
    if ty.size != 0 {
        if !bytes.len().is_multiple_of(ty.size) {
            let problem =
                format!("{} bytes are no values of {}, which has {}", bytes.len(), ty.name, ty.size);
            return Err(DecodeError::new(problem));
        }
        if let Some(plan) = Plan::of(ty) {
            let mut values = bytes.to_vec();
            if values.chunks_exact_mut(ty.size).all(|value| plan.check(value)) {
                return Ok(values);
            }
        }
    }
    let mut values = vec![0; bytes.len()];
    if ty.size != 0 {
        for (index, (from, to)) in
            bytes.chunks_exact(ty.size).zip(values.chunks_exact_mut(ty.size)).enumerate()
        {
            read(ty, from, to).map_err(|error| error.within(format_args!("[{index}]")))?;
        }
    }
    Ok(values)
}

/// Writes a value's bytes to memory that is all zero.
///
/// # Safety
///
/// `from` must be a valid value of the type, or of a part of one: initialised wherever the descriptor has a
/// number.
unsafe fn write(ty: &TypeDescriptor, from: &[MaybeUninit<u8>], to: &mut [u8]) {
    // SAFETY: the caller's promise.
    let bits = |offset: usize, number: Primitive| unsafe { number.bits(&from[offset..]) };
    let mut part = |offset: usize, ty: &TypeDescriptor| {
        let range = offset..offset + ty.size;
        // SAFETY: the range is a part of a valid value, where the descriptor has one.
        unsafe { write(ty, &from[range.clone()], &mut to[range]) };
    };
    if let Some((len, items, element, room)) = ty.bounded() {
        let count = (bits(len.offset, Primitive::U32) as usize).min(room);
        (0..count).for_each(|i| part(items.offset + i * element.size, element));
        to[len.offset..][..4].copy_from_slice(&(count as u32).to_le_bytes());
        return;
    }
    match ty.kind {
        TypeKind::Primitive(number) => {
            to[..number.size()].copy_from_slice(&bits(0, number).to_le_bytes()[..number.size()]);
        }
        TypeKind::Struct(fields) => fields.iter().for_each(|field| part(field.offset, field.ty)),
        TypeKind::Array { element, len } => (0..len).for_each(|i| part(i * element.size, element)),
        TypeKind::Enum { tag, variants } => {
            let found = bits(0, tag);
            if let Some(variant) = variants.iter().find(|variant| variant.tag == found) {
                variant.fields.iter().for_each(|field| part(field.offset, field.ty));
            }
            to[..tag.size()].copy_from_slice(&found.to_le_bytes()[..tag.size()]);
        }
    }
}

/// A number's bits in a message, zero-extended.
fn number(from: &[u8], number: Primitive) -> u64 {
    let mut bits = [0; 8];
    bits[..number.size()].copy_from_slice(&from[..number.size()]);
    u64::from_le_bytes(bits)
}

/// Reads a value from the bytes of `from` into `to`, which is zero. Both have the size of the type.
fn read(ty: &TypeDescriptor, from: &[u8], to: &mut [u8]) -> Result<(), DecodeError> {
    let mut part = |offset: usize, ty: &TypeDescriptor| {
        let range = offset..offset + ty.size;
        read(ty, &from[range.clone()], &mut to[range])
    };
    if let Some((len, items, element, room)) = ty.bounded() {
        let count = number(&from[len.offset..], Primitive::U32) as usize;
        if count > room {
            let problem = format!("there are {count} values, and there is room for {room}");
            return Err(DecodeError::new(problem));
        }
        part(len.offset, len.ty)?;
        (0..count).try_for_each(|i| {
            part(items.offset + i * element.size, element)
                .map_err(|error| error.within(format_args!("[{i}]")))
        })?;
        return if ty.fill_behind(count, to) { Ok(()) } else { Err(DecodeError::new(NO_VALUES)) };
    }
    let mut fields = |fields: &[FieldDescriptor]| {
        fields.iter().try_for_each(|field| {
            part(field.offset, field.ty).map_err(|error| error.within(format_args!(".{}", field.name)))
        })
    };
    match ty.kind {
        TypeKind::Primitive(Primitive::Bool) if from[0] > 1 => {
            return Err(DecodeError::new(format!("{} is no bool, which is 0 or 1", from[0])));
        }
        TypeKind::Primitive(kind) => kind.put(to, number(from, kind)),
        TypeKind::Struct(parts) => fields(parts)?,
        TypeKind::Array { element, len } => (0..len).try_for_each(|i| {
            part(i * element.size, element).map_err(|error| error.within(format_args!("[{i}]")))
        })?,
        TypeKind::Enum { tag, variants } => {
            let found = if variants.is_empty() { 0 } else { number(from, tag) };
            let Some(variant) = variants.iter().find(|variant| variant.tag == found) else {
                return Err(DecodeError::new(format!("{found} is the tag of no variant of {}", ty.name)));
            };
            fields(variant.fields).map_err(|error| error.within(format_args!(".{}", variant.name)))?;
            tag.put(to, found);
        }
    }
    Ok(())
}
