//! A vitals file as memory, for reading.
//!
//! The file may be cut off at any time, and then the system ends whoever touches what is gone: [`guard`](super::guard)
//! puts zeros there instead. Words are loaded atomically, relaxed: nothing that they say is trusted, and what must
//! belong together has a check.

use std::{
    fs::File,
    io,
    os::fd::AsRawFd,
    ptr::{self, NonNull},
};

use annulus_sync::{AtomicU32, AtomicU64, Ordering};

use super::guard::{self, Guarded};

/// The mapping of a file.
#[derive(Debug)]
pub(super) struct Mapping {
    base: NonNull<u8>,
    bytes: usize,
    guarded: Option<Guarded>,
}

// SAFETY: the memory is only loaded, atomically, and unmapped once, when nobody has it any more.
unsafe impl Send for Mapping {}
// SAFETY: as for `Send`.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Maps the first bytes of a file. Pages are there only when they are touched: a file's holes must not be, since
    /// the system would fill them.
    pub(super) fn new(file: &File, bytes: usize) -> io::Result<Self> {
        let (protection, flags) = (libc::PROT_READ, libc::MAP_SHARED);
        // SAFETY: a new mapping of an open file changes no memory of ours.
        let base = unsafe { libc::mmap(ptr::null_mut(), bytes, protection, flags, file.as_raw_fd(), 0) };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let base = NonNull::new(base.cast()).ok_or(io::ErrorKind::AddrNotAvailable)?;
        // From here on, `Drop` unmaps.
        let mut mapping = Self { base, bytes, guarded: None };
        mapping.guarded = Some(guard::register(base, bytes)?);
        Ok(mapping)
    }

    /// Its length.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether the file was cut off, and somebody has found zeros instead of it. Ask after loading words, behind a fence.
    #[inline]
    pub(super) fn is_cut(&self) -> bool {
        self.guarded.as_ref().is_none_or(Guarded::is_cut)
    }

    /// Where bytes are.
    ///
    /// # Panics
    ///
    /// If the mapping does not have them, or they are not aligned.
    #[inline]
    fn at(&self, offset: usize, bytes: usize) -> *mut u8 {
        let is_there =
            offset.is_multiple_of(bytes) && offset.checked_add(bytes).is_some_and(|end| end <= self.bytes);
        assert!(is_there, "the place of a kernel was compared with the file's length");
        // SAFETY: the mapping has the offset, as was just asserted.
        unsafe { self.base.as_ptr().add(offset) }
    }

    /// The long word at an offset, a multiple of 8.
    #[inline]
    pub(super) fn word64(&self, offset: usize) -> u64 {
        let word = self.at(offset, 8).cast();
        // SAFETY: the word lies in the mapping, aligned, as `at` asserts, and lives as long as `self`. It is loaded
        // only, atomically, and relaxed, as memory that is mapped for reading may be.
        unsafe { AtomicU64::from_ptr(word) }.load(Ordering::Relaxed)
    }

    /// The short word at an offset, a multiple of 4.
    #[inline]
    pub(super) fn word32(&self, offset: usize) -> u32 {
        let word = self.at(offset, 4).cast();
        // SAFETY: as for `word64`.
        unsafe { AtomicU32::from_ptr(word) }.load(Ordering::Relaxed)
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        self.guarded = None;
        // SAFETY: it was mapped with this length, and nobody else has it.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.bytes) };
    }
}
