//! Why an installed library does not load, in the loader's own words.
//!
//! An OpenCL program loads the library `libOpenCL`, which loads the drivers that `.icd` files name. Either
//! may be installed and lack something that it needs. Without the library the machine looks like one without
//! OpenCL; without the driver it looks like one without the device.

#[cfg(target_os = "linux")]
pub(crate) use self::linux::unloadable;

/// The libraries that were found and do not load, and why: not known on this system.
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
    /// Where drivers are listed, unless one of [`FOLDERS`] says otherwise.
    const VENDORS: &str = "/etc/OpenCL/vendors";
    /// The variables that name a folder of `.icd` files, or one such file, to loaders.
    const FOLDERS: [&str; 2] = ["OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH"];

    /// The OpenCL libraries on this machine that were found and do not load: one sentence each, in the
    /// loader's own words.
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
            // It is one file. (A value that the loader takes for a library's name is not a file.)
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
        // or would load, in this process.
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
        // If the library itself is missing, the message begins with its name; otherwise with the name of what
        // it lacks.
        let is_missing = error.starts_with(&format!("{library}: cannot open shared object file"));
        (!is_missing || Path::new(library).is_absolute() || library != LIBRARY)
            .then(|| format!("`{library}` does not load: {error}"))
    }
}
