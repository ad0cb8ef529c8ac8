//! Messages and outputs as bytes, for code that is compiled once instead of once for each type.
//!
//! Bytes may be uninitialised, as padding is. Bytes that were stored as a value of one type are read only as
//! a value of that type. A [`KernelHandle`](crate::KernelHandle) knows the types, through an
//! [`Inlet`](crate::handle::send::Inlet) and an [`Outlet`](crate::handle::receive::Outlet).

use std::{collections::VecDeque, mem::MaybeUninit, slice};

use annulus_kernel::TypeDescriptor;

pub(crate) use annulus_queue::front::Bytes;

/// A message of the kernel that it is given to.
pub(crate) struct RawMessage<'a> {
    /// Aligned as the type is.
    bytes: &'a mut Bytes,
    /// The queue that it is for: 0 for the kernel's own.
    lane: usize,
}

impl<'a> RawMessage<'a> {
    /// The bytes of `message`.
    ///
    /// # Safety
    ///
    /// It is given only to kernels whose messages are of this type.
    #[inline]
    pub(crate) unsafe fn new<M: Copy>(message: &'a mut M) -> Self {
        let first = std::ptr::from_mut(message).cast();
        // SAFETY: a value has as many bytes, borrowed like it; any of them may be uninitialised. What is
        // written there is another message of the type, by `evicted`.
        Self { bytes: unsafe { slice::from_raw_parts_mut(first, size_of::<M>()) }, lane: 0 }
    }

    /// A message by its bytes.
    ///
    /// # Safety
    ///
    /// The bytes are a message of the kernels that it is given to, and aligned as its type needs.
    pub(crate) unsafe fn of_bytes(bytes: &'a mut Bytes) -> Self {
        Self { bytes, lane: 0 }
    }

    /// The same message, for this queue.
    #[inline]
    pub(crate) fn for_lane(self, lane: usize) -> Self {
        Self { lane, ..self }
    }

    /// The queue that it is for.
    #[inline]
    pub(crate) fn lane(&self) -> usize {
        self.lane
    }

    /// The bytes.
    #[inline]
    pub(crate) fn bytes(&self) -> &Bytes {
        self.bytes
    }

    /// The same message, borrowed for a shorter time.
    pub(crate) fn reborrow(&mut self) -> RawMessage<'_> {
        RawMessage { bytes: self.bytes, lane: self.lane }
    }

    /// The bytes, to be replaced by those of another message.
    ///
    /// # Safety
    ///
    /// Whatever is written there is a message of the same kernel.
    #[inline]
    pub(crate) unsafe fn bytes_mut(&mut self) -> &mut Bytes {
        self.bytes
    }
}

/// The bytes of a place, into which untyped code writes a value.
#[inline]
pub(crate) fn place<T: Copy>(value: &mut MaybeUninit<T>) -> &mut Bytes {
    // SAFETY: as many bytes as the place has, borrowed like it, and uninitialised ones may be written there.
    unsafe { slice::from_raw_parts_mut(value.as_mut_ptr().cast(), size_of::<T>()) }
}

/// Values, first in, first out. Bridged messages have different sizes.
#[derive(Default)]
pub(crate) struct ByteQueue {
    sizes: VecDeque<u32>,
    bytes: VecDeque<MaybeUninit<u8>>,
    /// The value that was popped last.
    popped: Vec<MaybeUninit<u8>>,
}

impl ByteQueue {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn len(&self) -> usize {
        self.sizes.len()
    }

    pub(crate) fn push(&mut self, value: &Bytes) {
        // A value has 64 KiB and a head at most.
        self.sizes.push_back(value.len() as u32);
        self.bytes.extend(value);
    }

    /// Takes the oldest value out.
    pub(crate) fn pop(&mut self) -> Option<&Bytes> {
        let size = self.sizes.pop_front()? as usize;
        self.popped.clear();
        self.popped.extend(self.bytes.drain(..size));
        Some(&self.popped)
    }
}

/// `size` uninitialised bytes.
pub(crate) fn blank(size: usize) -> Box<Bytes> {
    Box::new_uninit_slice(size)
}

/// A place for a value of a type that is known only by its descriptor, or for several in a row; aligned as the type
/// needs.
pub(crate) struct Aligned {
    room: Box<Bytes>,
    offset: usize,
    size: usize,
}

impl Aligned {
    pub(crate) fn new(ty: &TypeDescriptor) -> Self {
        Self::several(ty, 1)
    }

    /// For so many values, one behind the other.
    pub(crate) fn several(ty: &TypeDescriptor, count: usize) -> Self {
        let size = ty.size * count;
        let room = blank(size + ty.align);
        let offset = room.as_ptr().align_offset(ty.align);
        Self { room, offset, size }
    }

    pub(crate) fn bytes(&mut self) -> &mut Bytes {
        &mut self.room[self.offset..][..self.size]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_out_whole_and_in_order() {
        for size in [0, 1, 3, 8, 24] {
            let mut queue = ByteQueue::new();
            // Every third value is longer, as bridged messages may be.
            let size_of = |number: usize| if number.is_multiple_of(3) { 2 * size } else { size };
            let value = |number: usize| vec![MaybeUninit::new(number as u8); size_of(number)];
            let (mut pushed, mut popped) = (0, 0);
            // More in each round, so that values wrap around the end of the memory, and the memory grows.
            for round in 0..40 {
                (0..round % 7).for_each(|_| {
                    queue.push(&value(pushed));
                    pushed += 1;
                });
                for _ in 0..round % 5 {
                    let value = queue.pop();
                    assert_eq!(value.map(<[_]>::len), (popped < pushed).then(|| size_of(popped)));
                    for byte in value.into_iter().flatten() {
                        // SAFETY: all bytes of a value were written.
                        assert_eq!(unsafe { byte.assume_init() }, popped as u8);
                    }
                    popped += usize::from(popped < pushed);
                }
                assert_eq!(queue.len(), pushed - popped);
            }
            assert!(pushed > popped && popped > 30);
        }
    }
}
