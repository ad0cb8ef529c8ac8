//! Libraries that are loaded while the program runs. On systems that are not Unix none is: what needs one says that it
//! cannot be loaded.

use std::{
    ffi::{CString, c_char, c_int, c_void},
    path::Path,
    ptr::NonNull,
};

#[cfg(unix)]
unsafe extern "C" {
    fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// Resolve everything at once.
const NOW: c_int = 2;
/// For all libraries to come, too.
const GLOBAL: c_int = 0x100;

#[cfg(not(unix))]
use elsewhere::{dlopen, dlsym};

/// The calls' names on systems that have others.
#[cfg(not(unix))]
mod elsewhere {
    use super::*;

    pub(super) unsafe fn dlopen(_: *const c_char, _: c_int) -> *mut c_void {
        std::ptr::null_mut()
    }

    pub(super) unsafe fn dlsym(_: *mut c_void, _: *const c_char) -> *mut c_void {
        std::ptr::null_mut()
    }
}

/// A library, loaded until the process ends.
#[derive(Clone, Copy, Debug)]
pub struct Library(NonNull<c_void>);

impl Library {
    /// Loads the library of this file, if it is one. What it has is seen by those that are loaded later if
    /// `global`.
    ///
    /// # Safety
    ///
    /// What the library does when it is loaded must be sound.
    pub unsafe fn open(path: &Path, global: bool) -> Option<Self> {
        let path = CString::new(path.to_str()?).ok()?;
        // SAFETY: the path is a C string; for what is run there is the caller's word.
        let library = unsafe { dlopen(path.as_ptr(), if global { NOW | GLOBAL } else { NOW }) };
        NonNull::new(library).map(Self)
    }

    /// The address of what has this name.
    pub fn symbol(self, name: &str) -> Option<NonNull<c_void>> {
        let name = CString::new(name).ok()?;
        // SAFETY: the library stays loaded, and the name is a C string.
        NonNull::new(unsafe { dlsym(self.0.as_ptr(), name.as_ptr()) })
    }
}
