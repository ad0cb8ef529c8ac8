//! A vitals file as memory, for reading.
//!
//! The file may be cut off at any time, and then the system ends whoever touches what is gone: [`guard`](super::guard)
//! puts zeros there instead. Words are loaded atomically, relaxed: nothing that they say is trusted, and what must
//! belong together has a check.

use std::{
    fs::File,
    io,
    ops::Deref,
    os::fd::AsRawFd,
    ptr::{self, NonNull},
    slice,
    sync::Arc,
};

use annulus_sync::AtomicU64;

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

    /// Whether the file was cut off, and somebody has found zeros instead of it. Ask after loading words, behind a fence.
    #[inline]
    pub(super) fn is_cut(&self) -> bool {
        self.guarded.as_ref().is_none_or(Guarded::is_cut)
    }
}

/// Elements of `N` words each that follow each other in a mapping, which they keep. Where they are is compared with the
/// mapping's length once, when they are made; a mapping never becomes shorter, and where its file does, the guard puts
/// zeros.
pub(super) struct Words<const N: usize> {
    mapping: Arc<Mapping>,
    first: NonNull<[AtomicU64; N]>,
    count: usize,
}

// SAFETY: a shared reference to atomics, and the mapping that they lie in, which may be sent.
unsafe impl<const N: usize> Send for Words<N> {}
// SAFETY: as for `Send`.
unsafe impl<const N: usize> Sync for Words<N> {}

impl<const N: usize> Words<N> {
    /// The elements from an offset on; `None` if there are none, the mapping does not have them all, or they are not
    /// aligned.
    pub(super) fn new(mapping: &Arc<Mapping>, offset: usize, count: usize) -> Option<Self> {
        let end = offset.checked_add(count.checked_mul(8 * N)?)?;
        if count == 0 || end > mapping.bytes || !offset.is_multiple_of(align_of::<AtomicU64>()) {
            return None;
        }
        // SAFETY: the mapping has the offset, as was just seen.
        let first = unsafe { mapping.base.add(offset) };
        Some(Self { mapping: Arc::clone(mapping), first: first.cast(), count })
    }

    /// The first element.
    #[inline]
    pub(super) fn first(&self) -> &[AtomicU64; N] {
        // SAFETY: there is one, as `new` has seen; for the rest see `deref`.
        unsafe { self.first.as_ref() }
    }

    /// The mapping.
    #[inline]
    pub(super) fn mapping(&self) -> &Mapping {
        &self.mapping
    }
}

impl<const N: usize> Deref for Words<N> {
    type Target = [[AtomicU64; N]];

    #[inline]
    fn deref(&self) -> &Self::Target {
        // SAFETY: `new` has seen that these words lie in the mapping, aligned: its base is a page's. It is unmapped only
        // when nobody keeps it any more, and we do. A page that the file has no longer is replaced by zeros when somebody
        // loads it, so each load finds a word. Nobody in this process writes them by this mapping, and others' stores are
        // seen as atomic ones. They are only loaded, atomically and relaxed, as memory that is mapped for reading may be.
        unsafe { slice::from_raw_parts(self.first.as_ptr(), self.count) }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        self.guarded = None;
        // SAFETY: it was mapped with this length, and nobody else has it.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.bytes) };
    }
}
