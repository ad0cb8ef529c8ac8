//! Bridged payloads: archives that are read in place.
//!
//! The archive is rkyv's. A message is written once, into the buffer that it travels in. [`access`] checks
//! the bytes and returns a reference into them; there, text is `str` and lists are slices. Bytes from
//! elsewhere are checked as a whole before any of them are used: offsets stay inside and do not overlap, tags
//! are known, text is UTF-8.

use std::{
    alloc::Layout,
    cell::{Cell, RefCell},
    mem::MaybeUninit,
    ptr::NonNull,
};

use rkyv::{
    Archive, Deserialize, Serialize,
    api::high::{HighDeserializer, HighValidator},
    bytecheck::CheckBytes,
    rancor::{self, Source, Strategy},
    ser::{
        Allocator, Positional, Serializer, Writer,
        allocator::{Arena, ArenaHandle},
        sharing::Share,
    },
    util::AlignedVec,
};

use crate::{DecodeError, EncodeError, MAX_PAYLOAD, hash_bytes};

/// A value as it lies in a payload.
pub type Archived<T> = rkyv::Archived<T>;

/// The alignment at which a payload can be read in place. Source: the alignment of rkyv's `AlignedVec`, no
/// less than that of any number.
pub const ALIGNMENT: usize = 16;

/// What rkyv requires of a type that is written and read. `#[derive(RingMessage)]` with `#[ring(bridged)]`
/// fulfils it.
pub trait Bridged:
    Sized
    + Archive<Archived: for<'a> CheckBytes<HighValidator<'a, rancor::Error>> + Deserialize<Self, Reviver>>
    + for<'a> Serialize<Strategy<Serializer<Tail, Scratch<'a>, Share>, rancor::Error>>
{
}

impl<T> Bridged for T where
    T: Archive<Archived: for<'a> CheckBytes<HighValidator<'a, rancor::Error>> + Deserialize<T, Reviver>>
        + for<'a> Serialize<Strategy<Serializer<Tail, Scratch<'a>, Share>, rancor::Error>>
{
}

/// Turns archives into values.
#[doc(hidden)]
pub type Reviver = HighDeserializer<rancor::Error>;

/// Where an archive is written: memory of a limited size, and what to do when it is full. It takes at most as
/// many bytes as a payload may have.
#[doc(hidden)]
pub struct Tail {
    /// The first byte of the archive.
    first: *mut u8,
    /// How many bytes of it are written.
    written: usize,
    /// How many bytes there is room for.
    room: usize,
    more: More,
}

/// What to do when the room of a [`Tail`] is full.
enum More {
    /// Nothing.
    No,
    /// Move to this memory, which has so many bytes.
    Move(*mut u8, usize),
    /// Let this buffer grow. It holds other bytes, so many, before the archive.
    Grow(Vec<u8>, usize),
}

impl Tail {
    /// Behind the bytes of a buffer.
    fn of(bytes: Vec<u8>) -> Self {
        let begin = bytes.len();
        let mut tail =
            Self { first: std::ptr::null_mut(), written: 0, room: 0, more: More::Grow(bytes, begin) };
        tail.borrow();
        tail
    }

    /// Takes the room that the buffer has.
    fn borrow(&mut self) {
        if let More::Grow(bytes, begin) = &mut self.more {
            self.first = bytes.as_mut_ptr().wrapping_add(*begin);
            self.room = (bytes.capacity() - *begin).min(MAX_PAYLOAD);
        }
    }

    /// The buffer, with the archive.
    fn into_buffer(self) -> Vec<u8> {
        match self.more {
            More::Grow(mut bytes, begin) => {
                // SAFETY: the archive was written behind `begin` bytes, and the capacity is at least that.
                unsafe { bytes.set_len(begin + self.written) };
                bytes
            }
            _ => unreachable!("it was made of a buffer"),
        }
    }

    /// Makes room for more bytes; `false` if there is none.
    #[cold]
    fn grow(&mut self, more: usize) -> bool {
        let needed = self.written + more;
        if needed > MAX_PAYLOAD {
            return false;
        }
        match &mut self.more {
            More::No => false,
            More::Move(_, room) if *room < needed => false,
            More::Move(to, room) => {
                // SAFETY: `write_to` was given two places that are apart; the bytes were written to the
                // first, and the second has room for them.
                unsafe { self.first.copy_to_nonoverlapping(*to, self.written) };
                (self.first, self.room, self.more) = (*to, *room, More::No);
                true
            }
            More::Grow(bytes, begin) => {
                // SAFETY: so many bytes were written.
                unsafe { bytes.set_len(*begin + self.written) };
                bytes.reserve(more);
                self.borrow();
                true
            }
        }
    }
}

/// The memory that some types need while they are written, such as a list of lists: an arena of the thread,
/// which is fetched only if it is needed.
#[doc(hidden)]
pub struct Scratch<'a> {
    /// Where the arena will be, until it is there.
    place: Option<&'a mut Option<Arena>>,
    handle: Option<ArenaHandle<'a>>,
}

thread_local! {
    /// The arena of this thread while no message is written. A message that is written while another is
    /// (by a type that serializes itself so) has an arena of its own.
    static ARENA: Cell<Option<Arena>> = const { Cell::new(None) };
}

impl<'a> Scratch<'a> {
    #[cold]
    fn fetch(&mut self) -> Option<&mut ArenaHandle<'a>> {
        let arena = self.place.take()?.get_or_insert_with(|| ARENA.take().unwrap_or_default());
        Some(self.handle.insert(arena.acquire()))
    }
}

/// There is no memory for a part of the message.
#[derive(Debug)]
struct NoScratch;

impl std::fmt::Display for NoScratch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("memory was given back that was never taken")
    }
}

impl std::error::Error for NoScratch {}

// SAFETY: all memory is the handle's, which stays where it is until the scratch is dropped.
unsafe impl<E: Source> Allocator<E> for Scratch<'_> {
    #[inline]
    unsafe fn push_alloc(&mut self, layout: Layout) -> Result<NonNull<[u8]>, E> {
        let handle = match &mut self.handle {
            Some(handle) => handle,
            // There is a place as long as there is no handle.
            None => self.fetch().ok_or_else(|| E::new(NoScratch))?,
        };
        // SAFETY: by the caller's word.
        unsafe { handle.push_alloc(layout) }
    }

    #[inline]
    unsafe fn pop_alloc(&mut self, place: NonNull<u8>, layout: Layout) -> Result<(), E> {
        let handle = self.handle.as_mut().ok_or_else(|| E::new(NoScratch))?;
        // SAFETY: by the caller's word, it is this scratch's memory, so it is the handle's.
        unsafe { handle.pop_alloc(place, layout) }
    }
}

impl Positional for Tail {
    #[inline]
    fn pos(&self) -> usize {
        self.written
    }
}

/// There is no room for a payload.
#[derive(Debug)]
struct TooLarge;

impl std::fmt::Display for TooLarge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "the payload has more than {MAX_PAYLOAD} bytes, the most that a message has: send it in parts"
        )
    }
}

impl std::error::Error for TooLarge {}

impl<E: Source> Writer<E> for Tail {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> Result<(), E> {
        // Often there is nothing to fill up to an alignment.
        if bytes.is_empty() {
            return Ok(());
        }
        if bytes.len() > self.room - self.written && !self.grow(bytes.len()) {
            return Err(E::new(TooLarge));
        }
        let to = self.first.wrapping_add(self.written);
        // SAFETY: there is room for them behind those that are written, in memory that is this value's own.
        unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        self.written += bytes.len();
        Ok(())
    }
}

/// Appends a value's archive.
///
/// # Errors
///
/// If it has more than [`MAX_PAYLOAD`] bytes. Then nothing was appended.
pub fn write<T: Bridged>(value: &T, to: &mut Vec<u8>) -> Result<(), EncodeError> {
    let begin = to.len();
    let (tail, outcome) = serialize(value, Tail::of(std::mem::take(to)));
    *to = tail.into_buffer();
    outcome.map_err(|error| {
        to.truncate(begin);
        EncodeError::new(first_line(&error))
    })
}

fn serialize<T: Bridged>(value: &T, to: Tail) -> (Tail, Result<(), rancor::Error>) {
    let mut arena = None;
    let scratch = Scratch { place: Some(&mut arena), handle: None };
    let mut serializer = Serializer::new(to, scratch, Share::new());
    let outcome = rkyv::api::serialize_using::<_, rancor::Error>(value, &mut serializer);
    let tail = serializer.into_writer();
    if let Some(mut arena) = arena {
        arena.shrink();
        ARENA.set(Some(arena));
    }
    (tail, outcome.map(drop))
}

/// Writes a value's archive to `near`; if it has not enough room, to `far` instead. Returns how many bytes it
/// has, and whether it is in `far`. Both places must be aligned to [`ALIGNMENT`] for the archive to be read
/// there.
///
/// # Errors
///
/// If neither place has room for it, or if the value has no archive. What was written to the places then is
/// of no use.
#[inline]
pub fn write_to<T: Bridged>(
    value: &T,
    near: &mut [MaybeUninit<u8>],
    far: &mut [MaybeUninit<u8>],
) -> Result<(usize, bool), EncodeError> {
    let more = if far.len() > near.len() { More::Move(far.as_mut_ptr().cast(), far.len()) } else { More::No };
    let tail = Tail { first: near.as_mut_ptr().cast(), written: 0, room: near.len().min(MAX_PAYLOAD), more };
    let near = tail.first;
    match serialize(value, tail) {
        (tail, Ok(())) => Ok((tail.written, tail.first != near)),
        (_, Err(error)) => Err(EncodeError::new(first_line(&error))),
    }
}

/// A value in its payload, which [`write()`] or [`write_to`] has written in this process. The bytes are not
/// checked, and not copied.
///
/// # Safety
///
/// The bytes are the archive of a `T`, and begin at an address that is a multiple of [`ALIGNMENT`].
#[inline]
pub unsafe fn trusted<T: Bridged>(payload: &[u8]) -> &Archived<T> {
    // SAFETY: by the caller's word.
    unsafe { rkyv::access_unchecked::<Archived<T>>(payload) }
}

/// A value in its payload, which may come from anywhere. The bytes are checked, and not copied.
///
/// The bytes must begin at an address that is a multiple of [`ALIGNMENT`]; otherwise use [`read`].
///
/// # Errors
///
/// If the bytes are no archive of the type.
pub fn access<T: Bridged>(payload: &[u8]) -> Result<&Archived<T>, DecodeError> {
    rkyv::access::<Archived<T>, rancor::Error>(payload).map_err(|error| refused(&error))
}

/// The value of a payload. The bytes may come from anywhere, and may lie at any address.
///
/// # Errors
///
/// If the bytes are no archive of the type.
pub fn read<T: Bridged>(payload: &[u8]) -> Result<T, DecodeError> {
    if payload.as_ptr().addr().is_multiple_of(ALIGNMENT) {
        return revive::<T>(access::<T>(payload)?);
    }
    if payload.len() > MAX_PAYLOAD {
        let problem = format!("{} bytes are no payload, which has at most {MAX_PAYLOAD}", payload.len());
        return Err(DecodeError::new(problem));
    }
    let mut aligned = AlignedVec::<ALIGNMENT>::with_capacity(payload.len());
    aligned.extend_from_slice(payload);
    revive::<T>(access::<T>(&aligned)?)
}

/// The value of an archive in a payload.
///
/// # Errors
///
/// If a part of it is no valid value, such as a 0 for a number that must not be zero.
pub fn revive<T: Bridged>(archived: &Archived<T>) -> Result<T, DecodeError> {
    rkyv::deserialize::<T, rancor::Error>(archived).map_err(|error| refused(&error))
}

/// The payload's size in bytes. To find it, the payload is written to a buffer of the thread. [`usize::MAX`]
/// if it is too large for a payload.
pub fn payload_size<T: Bridged>(value: &T) -> usize {
    in_scratch(value, <[u8]>::len).unwrap_or(usize::MAX)
}

/// A hash of the payload, by [`hash_bytes`]. All messages that are too large have the same hash.
pub fn payload_hash<T: Bridged>(value: &T) -> u64 {
    in_scratch(value, hash_bytes).unwrap_or(0)
}

fn in_scratch<T: Bridged, R>(value: &T, look: impl FnOnce(&[u8]) -> R) -> Result<R, EncodeError> {
    thread_local! {
        static BYTES: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    }
    BYTES.with(|place| {
        let mut bytes = place.take();
        bytes.clear();
        let seen = write(value, &mut bytes).map(|()| look(&bytes));
        place.replace(bytes);
        seen
    })
}

/// What is wrong, without the place in the checking code.
fn first_line(error: &rancor::Error) -> String {
    let text = error.to_string();
    text.lines().next().unwrap_or("no archive").trim_end_matches(':').to_owned()
}

fn refused(error: &rancor::Error) -> DecodeError {
    // Addresses differ from run to run, and the sender of the bytes must not learn them.
    let words = first_line(error);
    let shown = words.split(' ').map(|word| if word.contains("0x") { "…" } else { word });
    DecodeError::new(format!("no archive of the type: {}", shown.collect::<Vec<_>>().join(" ")))
}
