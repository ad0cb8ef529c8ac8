//! Memory for the messages that wait: a cell for each, with its header in front of its bytes.

use std::{mem::MaybeUninit, slice};

use super::Bytes;
use annulus_ring::ring::Header;

/// Cells of one size. A cell is written by [`put`](Self::put), and has a message from then on.
pub(super) struct Cells {
    /// Words of a cell: [`HEAD`], and the largest message.
    stride: usize,
    words: Box<[MaybeUninit<u64>]>,
}

/// Words in front of a message: its time, its correlation, its length with the number of the next cell, its trace,
/// and its stamp.
const HEAD: usize = 5;

/// A message of more bytes is copied by a call.
const NEAR: usize = 64;

impl Cells {
    /// So many cells, for messages of at most `size` bytes. No cell has a message.
    pub(super) fn new(size: usize, cells: usize) -> Self {
        let stride = Self::stride(size);
        Self { stride, words: Box::new_uninit_slice(stride * cells) }
    }

    const fn stride(size: usize) -> usize {
        HEAD + size.div_ceil(size_of::<u64>())
    }

    /// The bytes that `new` allocates.
    pub(super) const fn bytes(size: usize, cells: usize) -> usize {
        Self::stride(size).saturating_mul(size_of::<u64>()).saturating_mul(cells)
    }

    /// Stores a message, and the number of the next cell of its list.
    ///
    /// # Panics
    ///
    /// If there is no such cell, or if the message is larger than a cell.
    #[inline(always)]
    pub(super) fn put(&mut self, cell: u32, message: &Bytes, header: Header, next: u32) {
        let words = &mut self.words[cell as usize * self.stride..][..self.stride];
        words[0].write(header.enqueue_time);
        words[1].write(header.correlation);
        words[2].write(message.len() as u64 | u64::from(next) << 32);
        words[3].write(header.trace);
        words[4].write(header.stamp);
        let room = &mut words[HEAD..];
        // SAFETY: as many bytes as these words have, borrowed like them; any of them may be uninitialised.
        let room = unsafe { slice::from_raw_parts_mut(room.as_mut_ptr().cast(), size_of_val(room)) };
        copy(message, &mut room[..message.len()]);
    }

    /// The message of a cell.
    ///
    /// # Safety
    ///
    /// The cell has one.
    #[inline(always)]
    pub(super) unsafe fn message(&self, cell: u32) -> &Bytes {
        // SAFETY: by the caller's word.
        let length = unsafe { self.word(cell, 2) } as u32 as usize;
        let room = &self.words[cell as usize * self.stride..][HEAD..self.stride];
        // SAFETY: as many bytes as these words have, borrowed like them; any of them may be uninitialised.
        let room: &Bytes = unsafe { slice::from_raw_parts(room.as_ptr().cast(), size_of_val(room)) };
        &room[..length]
    }

    /// The header that a cell's message was stored with, without the command.
    ///
    /// # Safety
    ///
    /// The cell has a message.
    #[inline(always)]
    pub(super) unsafe fn header(&self, cell: u32) -> Header {
        // SAFETY: by the caller's word.
        let enqueue_time = unsafe { self.word(cell, 0) };
        // SAFETY: as above.
        let correlation = unsafe { self.word(cell, 1) };
        // SAFETY: as above.
        let trace = unsafe { self.word(cell, 3) };
        // SAFETY: as above.
        let stamp = unsafe { self.word(cell, 4) };
        Header { enqueue_time, correlation, trace, stamp, command: 0 }
    }

    /// The number of the next cell that a cell's message was stored with.
    ///
    /// # Safety
    ///
    /// The cell has a message.
    #[inline(always)]
    pub(super) unsafe fn next(&self, cell: u32) -> u32 {
        // SAFETY: by the caller's word.
        (unsafe { self.word(cell, 2) } >> 32) as u32
    }

    /// Sets the number of the next cell.
    ///
    /// # Safety
    ///
    /// The cell has a message.
    #[inline(always)]
    pub(super) unsafe fn set_next(&mut self, cell: u32, next: u32) {
        // SAFETY: by the caller's word.
        let word = unsafe { self.word(cell, 2) };
        self.words[cell as usize * self.stride + 2].write(u64::from(word as u32) | u64::from(next) << 32);
    }

    /// # Safety
    ///
    /// The cell has a message, and the word is one in front of it.
    #[inline(always)]
    unsafe fn word(&self, cell: u32, word: usize) -> u64 {
        // SAFETY: `put` has written the words in front of a message.
        unsafe { self.words[cell as usize * self.stride + word].assume_init() }
    }
}

/// Copies a message. Small ones are copied without a call.
#[inline(always)]
fn copy(from: &Bytes, to: &mut Bytes) {
    match from.len() {
        16 => to[..16].copy_from_slice(&from[..16]),
        length if length <= NEAR && length.is_multiple_of(8) => {
            for (from, to) in from.chunks_exact(8).zip(to.chunks_exact_mut(8)) {
                to.copy_from_slice(from);
            }
        }
        _ => to.copy_from_slice(from),
    }
}
