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
    #[cfg(feature = "registry")]
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

/// Values of one size, first in, first out.
pub(crate) struct ByteQueue {
    size: usize,
    /// Number of values. It cannot be computed from the bytes if a value has size 0.
    count: usize,
    bytes: VecDeque<MaybeUninit<u8>>,
}

impl ByteQueue {
    pub(crate) fn new(size: usize) -> Self {
        Self { size, count: 0, bytes: VecDeque::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    pub(crate) fn push(&mut self, value: &Bytes) {
        assert_eq!(value.len(), self.size, "values of one size");
        self.bytes.extend(value);
        self.count += 1;
    }

    /// Takes the oldest value out; `false` if there is none.
    pub(crate) fn pop(&mut self, to: &mut Bytes) -> bool {
        if self.count == 0 {
            return false;
        }
        assert_eq!(to.len(), self.size, "values of one size");
        let (first, second) = self.bytes.as_slices();
        let cut = first.len().min(self.size);
        to[..cut].copy_from_slice(&first[..cut]);
        to[cut..].copy_from_slice(&second[..self.size - cut]);
        self.bytes.drain(..self.size);
        self.count -= 1;
        true
    }
}

/// `size` uninitialised bytes.
pub(crate) fn blank(size: usize) -> Box<Bytes> {
    Box::new_uninit_slice(size)
}

/// A place for a value of a type that is known only by its descriptor; aligned as the type needs.
pub(crate) struct Aligned {
    room: Box<Bytes>,
    offset: usize,
    size: usize,
}

impl Aligned {
    pub(crate) fn new(ty: &TypeDescriptor) -> Self {
        let room = blank(ty.size + ty.align);
        let offset = room.as_ptr().align_offset(ty.align);
        Self { room, offset, size: ty.size }
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
            let mut queue = ByteQueue::new(size);
            let value = |number: usize| vec![MaybeUninit::new(number as u8); size];
            let (mut pushed, mut popped) = (0, 0);
            // More in each round, so that values wrap around the end of the memory, and the memory grows.
            for round in 0..40 {
                (0..round % 7).for_each(|_| {
                    queue.push(&value(pushed));
                    pushed += 1;
                });
                for _ in 0..round % 5 {
                    let mut to = blank(size);
                    let expected = popped < pushed;
                    assert_eq!(queue.pop(&mut to), expected);
                    for byte in to.iter().take(if expected { size } else { 0 }) {
                        // SAFETY: a value was popped into it, whose bytes were all written.
                        assert_eq!(unsafe { byte.assume_init() }, popped as u8);
                    }
                    popped += usize::from(expected);
                }
                assert_eq!(queue.len(), pushed - popped);
            }
            assert!(pushed > popped && popped > 30);
        }
    }
}
