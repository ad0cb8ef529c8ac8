//! A forked child must not write into its parent's vitals.
//!
//! The child of a fork has a copy of its parent's handles. If it drops them, they tell kernels to end, in the
//! memory that they see. That was always memory of the child's own; but a shared mapping stays shared. So the
//! child maps each file again, privately, at the same address, before anything else of it runs. It then sees
//! a copy of its own, and the parent's kernels are safe from it.
//!
//! The child also inherits the descriptor that holds the lock, so a parent seems to live until its children
//! have ended or called `exec`.

use std::{fs::File, os::fd::AsRawFd, ptr::NonNull, sync::Once};

use annulus_sync::{AtomicU32, AtomicUsize, Ordering};

/// Files of this process at a time. Source: this project's choice; each costs three words.
const MOST: usize = 256;

/// A mapping, as the handler in the child needs it: the handler must not take a lock.
struct Mapping {
    /// 0 if there is none. Written last when there is one, and first when there is none any more.
    base: AtomicUsize,
    bytes: AtomicUsize,
    file: AtomicU32,
    /// Whether somebody has this place.
    taken: AtomicU32,
}

static MAPPINGS: [Mapping; MOST] = [const {
    Mapping {
        base: AtomicUsize::new(0),
        bytes: AtomicUsize::new(0),
        file: AtomicU32::new(0),
        taken: AtomicU32::new(0),
    }
}; MOST];

/// A mapping that children get a copy of.
pub(super) struct Registered(&'static Mapping);

/// From now on, forked children get a copy of this mapping; `None` if there are too many.
pub(super) fn register(base: NonNull<u8>, bytes: usize, file: &File) -> Option<Registered> {
    static HANDLER: Once = Once::new();
    // SAFETY: the handler does only what is allowed in the child of a process with threads: it loads atomics
    // and makes a system call.
    HANDLER.call_once(|| _ = unsafe { libc::pthread_atfork(None, None, Some(in_child)) });
    let free = |mapping: &&Mapping| {
        // SYNC: vitals-place (acquire)
        mapping.taken.compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed).is_ok()
    };
    let mapping = MAPPINGS.iter().find(free)?;
    mapping.bytes.store(bytes, Ordering::Relaxed);
    mapping.file.store(file.as_raw_fd() as u32, Ordering::Relaxed);
    // SYNC: vitals-mapped (release)
    mapping.base.store(base.as_ptr() as usize, Ordering::Release);
    Some(Registered(mapping))
}

impl Drop for Registered {
    fn drop(&mut self) {
        self.0.base.store(0, Ordering::Relaxed);
        // SYNC: vitals-place (release)
        self.0.taken.store(0, Ordering::Release);
    }
}

unsafe extern "C" fn in_child() {
    for mapping in &MAPPINGS {
        // SYNC: vitals-mapped (acquire)
        let base = mapping.base.load(Ordering::Acquire);
        if base == 0 {
            continue;
        }
        let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_FIXED);
        let (bytes, file) =
            (mapping.bytes.load(Ordering::Relaxed), mapping.file.load(Ordering::Relaxed) as i32);
        // SAFETY: this replaces a mapping of this file by a private one of the same contents and length. No
        // other thread is in the child.
        unsafe { libc::mmap(base as *mut libc::c_void, bytes, protection, flags, file, 0) };
    }
}
