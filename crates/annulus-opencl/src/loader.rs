//! Why a library that is there does not load: the loader's own words.
//!
//! An OpenCL program loads the library `libOpenCL`, which loads the drivers that `.icd` files name. Either
//! may be there and lack something that it needs; the one then looks like a machine without OpenCL, the other
//! like a machine without the device.

#[cfg(target_os = "linux")]
pub(crate) use self::linux::unloadable;

/// What was found and does not load, and why: not known on this system.
#[cfg(not(target_os = "linux"))]
pub(crate) fn unloadable() -> Vec<String> {
    Vec::new()
}

#[cfg(target_os = "linux")]
mod linux {
    use std::{
        env,
        ffi::{CStr, CString},
        fs,
        path::{Path, PathBuf},
    };

    /// The library's name, unless `OPENCL_DYLIB_PATH` says otherwise.
    const LIBRARY: &str = "libOpenCL.so.1";
    /// Where drivers are named, unless one of [`FOLDERS`] says otherwise.
    const VENDORS: &str = "/etc/OpenCL/vendors";
    /// The variables by which loaders find a folder of `.icd` files, or one such file.
    const FOLDERS: [&str; 2] = ["OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH"];

    /// What of OpenCL was found on this machine and does not load, a sentence each, in the loader's own
    /// words.
    pub(crate) fn unloadable() -> Vec<String> {
        let said = env::var("OPENCL_DYLIB_PATH").unwrap_or_default();
        let libraries = said.split(';').filter(|path| !path.is_empty());
        let mut all: Vec<String> = match libraries.clone().next() {
            Some(_) => libraries.map(String::from).collect(),
            None => vec![LIBRARY.into()],
        };
        all.extend(drivers());
        all.iter().filter_map(|library| why_not(library)).collect()
    }

    /// The libraries that `.icd` files name.
    fn drivers() -> Vec<String> {
        let said = FOLDERS.iter().find_map(env::var_os).map(PathBuf::from);
        let folder = said.unwrap_or_else(|| VENDORS.into());
        let files: Vec<PathBuf> = match fs::read_dir(&folder) {
            Ok(entries) => entries.filter_map(|entry| Some(entry.ok()?.path())).collect(),
            // One file; a name of which a loader makes a library has none behind it.
            Err(_) => vec![folder],
        };
        let mut names: Vec<_> =
            files.iter().filter(|path| is_icd(path)).filter_map(|path| named(path)).collect();
        names.sort();
        names
    }

    fn is_icd(path: &Path) -> bool {
        path.extension().is_some_and(|extension| extension == "icd")
    }

    fn named(file: &Path) -> Option<String> {
        const MOST: u64 = 4096;
        let is_small = fs::metadata(file).is_ok_and(|data| data.is_file() && data.len() <= MOST);
        let text = is_small.then(|| fs::read_to_string(file).ok()).flatten()?;
        let name = text.lines().next()?.trim();
        (!name.is_empty()).then(|| name.into())
    }

    /// Why a library does not load; `None` if it does, or is not there at all.
    fn why_not(library: &str) -> Option<String> {
        let name = CString::new(library).ok()?;
        // SAFETY: the name is a C string. A library that loads here is one that OpenCL's loader has loaded,
        // or was to load, in this process.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if !handle.is_null() {
            // SAFETY: the handle is that of the library, and closed once.
            unsafe { libc::dlclose(handle) };
            return None;
        }
        // SAFETY: the thread's last error, after a call that failed.
        let error = unsafe { libc::dlerror() };
        if error.is_null() {
            return None;
        }
        // SAFETY: it is a C string until this thread's next call of the loader.
        let error = unsafe { CStr::from_ptr(error) }.to_string_lossy().into_owned();
        // The loader begins with the name of what it lacks: the library itself, if that is not there.
        let is_missing = error.starts_with(&format!("{library}: cannot open shared object file"));
        (!is_missing || Path::new(library).is_absolute() || library != LIBRARY)
            .then(|| format!("`{library}` does not load: {error}"))
    }
}
