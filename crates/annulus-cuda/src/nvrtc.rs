//! NVIDIA's run-time compiler, which compiles text to machine code. It needs no device.
//!
//! It is loaded when it is first needed. Its functions are looked up here for two reasons: it may lie in a
//! folder that no loader searches, and a missing function must be reported, not cause a panic.

use std::{
    env,
    ffi::{CString, OsString, c_char, c_int, c_void},
    fs,
    path::{Path, PathBuf},
    ptr,
    sync::OnceLock,
};

use annulus_runtime::BackendError;
use libloading::Library;

use crate::architecture::Architecture;

/// The variable that names the folder with the library.
const FOLDER: &str = "ANNULUS_NVRTC";

/// What to install where there is no compiler.
const INSTALL: &str = "install it with the CUDA toolkit (on Debian and Ubuntu, NVIDIA's package cuda-nvrtc-13-0) or as the Python package \
                                  nvidia-cuda-nvrtc, and name its folder in ANNULUS_NVRTC if the system's loader does not find it";

/// Names of the library, as the system's loader looks for them.
#[cfg(windows)]
const NAMES: &[&str] = &["nvrtc64_130_0.dll", "nvrtc64_120_0.dll"];
#[cfg(not(windows))]
const NAMES: &[&str] = &[
    "libnvrtc.so",
    "libnvrtc.so.13",
    "libnvrtc.so.12",
    "/usr/local/cuda/lib64/libnvrtc.so",
    "/usr/local/cuda/lib64/libnvrtc.so.13",
];

/// How the names of the library's files begin: first the files that it loads by itself, then the library.
#[cfg(windows)]
const FILES: [&str; 2] = ["nvrtc-builtins64_", "nvrtc64_"];
#[cfg(not(windows))]
const FILES: [&str; 2] = ["libnvrtc-builtins.so", "libnvrtc.so"];

/// Everything besides text and architecture that decides the machine code. Rust rounds after each operation,
/// and keeps subnormals. Some warnings are turned off: functions of the language, and variables, that a
/// handler does not use; values of types without fields, which nothing sets; comparisons that are known to be
/// equal, or known to fail before a division.
pub(crate) const OPTIONS: [&str; 6] = [
    "--std=c++20",
    "--fmad=false",
    "--ftz=false",
    "--prec-div=true",
    "--prec-sqrt=true",
    "--diag-suppress=39,177,179,186,549,550",
];

type Handle = *mut c_void;
type Create = unsafe extern "C" fn(
    *mut Handle,
    *const c_char,
    *const c_char,
    c_int,
    *const *const c_char,
    *const *const c_char,
) -> c_int;
type Compile = unsafe extern "C" fn(Handle, c_int, *const *const c_char) -> c_int;
type Size = unsafe extern "C" fn(Handle, *mut usize) -> c_int;
type Get = unsafe extern "C" fn(Handle, *mut c_char) -> c_int;
type Destroy = unsafe extern "C" fn(*mut Handle) -> c_int;
type Version = unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int;
type Count = unsafe extern "C" fn(*mut c_int) -> c_int;

/// The compiler. Each function returns 0 if it succeeds.
#[derive(Debug)]
pub(crate) struct Nvrtc {
    create: Create,
    compile: Compile,
    log_size: Size,
    log: Get,
    cubin_size: Size,
    cubin: Get,
    destroy: Destroy,
    version: (u32, u32),
    /// The architectures that it compiles for, ascending.
    architectures: Vec<Architecture>,
}

/// Why a text was not compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    /// The compiler's log.
    pub(crate) log: String,
}

impl Nvrtc {
    /// The compiler of this machine. The first call's result is kept.
    pub(crate) fn get() -> Result<&'static Self, BackendError> {
        static NVRTC: OnceLock<Result<Nvrtc, BackendError>> = OnceLock::new();
        NVRTC.get_or_init(|| Self::load(env::var_os(FOLDER))).as_ref().map_err(Clone::clone)
    }

    fn load(folder: Option<OsString>) -> Result<Self, BackendError> {
        let library = match folder {
            Some(folder) => open_in(Path::new(&folder)).map_err(|why| {
                BackendError::new(format!(
                    "{FOLDER} names {}, which {why}: name the folder in which NVRTC's libraries lie, or unset it",
                    Path::new(&folder).display()
                ))
            })?,
            None => NAMES.iter().find_map(|name| open(Path::new(name), false).ok()).ok_or_else(|| {
                BackendError::new(format!(
                    "this machine has no NVRTC that loads, NVIDIA's compiler for kernels ({}): {INSTALL}",
                    NAMES.join(", ")
                ))
            })?,
        };
        Self::from_library(library)
            .map_err(|lacks| BackendError::new(format!("the NVRTC of this machine {lacks}: {INSTALL}")))
    }

    fn from_library(library: Library) -> Result<Self, String> {
        // It stays loaded until the process ends.
        let library: &'static Library = Box::leak(Box::new(library));
        /// The function of this name.
        ///
        /// # Safety
        ///
        /// The function has the type `F`.
        unsafe fn find<F: Copy>(library: &Library, name: &str) -> Result<F, String> {
            // SAFETY: the caller's promise.
            let found = unsafe { library.get::<F>(name) };
            found.map(|function| *function).map_err(|_| format!("is too old, it has no {name}"))
        }
        // SAFETY: the type is the one in NVRTC's documentation, as for all that follow.
        let version: Version = unsafe { find(library, "nvrtcVersion") }?;
        // SAFETY: as above.
        let count: Count = unsafe { find(library, "nvrtcGetNumSupportedArchs") }?;
        // SAFETY: as above.
        let list: Count = unsafe { find(library, "nvrtcGetSupportedArchs") }?;
        let (mut major, mut minor, mut length) = (0, 0, 0);
        // SAFETY: the places are live.
        let asked = unsafe { version(&raw mut major, &raw mut minor) };
        // SAFETY: the place is live.
        let counted = unsafe { count(&raw mut length) };
        let mut numbers: Vec<c_int> = vec![0; usize::try_from(length).unwrap_or(0)];
        // SAFETY: there is room for as many as it has just said.
        let listed = unsafe { list(numbers.as_mut_ptr()) };
        if (asked, counted, listed) != (0, 0, 0) {
            return Err("does not say what it compiles for".into());
        }
        let architecture =
            |number: &c_int| Architecture::new(number.unsigned_abs() / 10, number.unsigned_abs() % 10);
        let mut architectures: Vec<_> =
            numbers.iter().map(architecture).filter(|known| *known >= Architecture::OLDEST).collect();
        architectures.sort_unstable();
        Ok(Self {
            // SAFETY: as above.
            create: unsafe { find(library, "nvrtcCreateProgram") }?,
            // SAFETY: as above.
            compile: unsafe { find(library, "nvrtcCompileProgram") }?,
            // SAFETY: as above.
            log_size: unsafe { find(library, "nvrtcGetProgramLogSize") }?,
            // SAFETY: as above.
            log: unsafe { find(library, "nvrtcGetProgramLog") }?,
            // SAFETY: as above.
            cubin_size: unsafe { find(library, "nvrtcGetCUBINSize") }?,
            // SAFETY: as above.
            cubin: unsafe { find(library, "nvrtcGetCUBIN") }?,
            // SAFETY: as above.
            destroy: unsafe { find(library, "nvrtcDestroyProgram") }?,
            version: (major.unsigned_abs(), minor.unsigned_abs()),
            architectures,
        })
    }

    /// Its version, as (13, 0).
    pub(crate) fn version(&self) -> (u32, u32) {
        self.version
    }

    /// The architectures that it compiles for, ascending.
    pub(crate) fn architectures(&self) -> &[Architecture] {
        &self.architectures
    }

    /// The machine code of a text.
    pub(crate) fn compile(&self, source: &str, architecture: Architecture) -> Result<Vec<u8>, Refused> {
        let refused = |what: &str| Refused { log: what.into() };
        let source = CString::new(source).map_err(|_| refused("the text has a zero in it"))?;
        let options: Vec<_> = std::iter::once(format!("--gpu-architecture={architecture}"))
            .chain(OPTIONS.map(String::from))
            .map(|option| CString::new(option).expect("options have no zeros"))
            .collect();
        let pointers: Vec<_> = options.iter().map(|option| option.as_ptr()).collect();
        let mut program = ptr::null_mut();
        // SAFETY: strings end with zeros, and the place is live; no headers are passed.
        let created = unsafe {
            (self.create)(
                &raw mut program,
                source.as_ptr(),
                c"kernel.cu".as_ptr(),
                0,
                ptr::null(),
                ptr::null(),
            )
        };
        if created != 0 {
            return Err(refused(&format!("nvrtcCreateProgram failed with code {created}")));
        }
        // SAFETY: the program was just made, and the count is that of the array.
        let status = unsafe { (self.compile)(program, pointers.len() as c_int, pointers.as_ptr()) };
        let compiled = if status == 0 {
            read(program, self.cubin_size, self.cubin)
                .map_err(|code| refused(&format!("nvrtcGetCUBIN failed with code {code}")))
        } else {
            let log = read(program, self.log_size, self.log).unwrap_or_default();
            let log = String::from_utf8_lossy(&log).trim_end_matches(['\0', '\n']).to_string();
            Err(refused(&if log.is_empty() {
                format!("nvrtcCompileProgram failed with code {status}")
            } else {
                log
            }))
        };
        // SAFETY: the program is ours, and destroyed once.
        unsafe { (self.destroy)(&raw mut program) };
        compiled
    }
}

/// One of the compiler's outputs: `size` says how many bytes `get` writes.
fn read(program: Handle, size: Size, get: Get) -> Result<Vec<u8>, c_int> {
    let mut bytes = 0;
    // SAFETY: the program is NVRTC's, and the place is live.
    let status = unsafe { size(program, &raw mut bytes) };
    if status != 0 {
        return Err(status);
    }
    let mut to = vec![0; bytes];
    // SAFETY: there is room for as many bytes as it has just said.
    match unsafe { get(program, to.as_mut_ptr().cast()) } {
        0 => Ok(to),
        status => Err(status),
    }
}

/// The library in a folder.
fn open_in(folder: &Path) -> Result<Library, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("cannot be read ({error})"))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    let of = |start: &str| {
        let name =
            |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(start));
        files.iter().filter(|path| name(path)).cloned().collect::<Vec<_>>()
    };
    let [builtins, libraries] = FILES.map(of);
    // The library looks for this one by its name, and finds it if it is loaded already.
    for file in builtins {
        if let Ok(library) = open(&file, true) {
            std::mem::forget(library);
        }
    }
    let mut why = "has no NVRTC in it".to_string();
    for file in libraries {
        match open(&file, false) {
            Ok(library) => return Ok(library),
            Err(error) => why = format!("has an NVRTC that does not load ({error})"),
        }
    }
    Err(why)
}

/// Loads a library. If `global`, libraries that are loaded later see its symbols.
fn open(path: &Path, global: bool) -> Result<Library, libloading::Error> {
    #[cfg(unix)]
    {
        use libloading::os::unix::{Library as Unix, RTLD_GLOBAL, RTLD_LOCAL, RTLD_NOW};
        let flags = RTLD_NOW | if global { RTLD_GLOBAL } else { RTLD_LOCAL };
        // SAFETY: the library is NVIDIA's, by its name. Its constructors have no conditions for us.
        unsafe { Unix::open(Some(path), flags) }.map(Into::into)
    }
    #[cfg(not(unix))]
    {
        let _ = global;
        // SAFETY: the library is NVIDIA's, by its name. Its constructors have no conditions for us.
        unsafe { Library::new(path) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_none_is_named() {
        let error = Nvrtc::load(Some("/nowhere/at/all".into())).unwrap_err().to_string();
        assert!(error.contains("/nowhere/at/all") && error.contains("cannot be read"), "{error}");
    }

    #[test]
    fn a_folder_without_the_library_is_named() {
        let folder = env::temp_dir().join(format!("annulus-no-nvrtc-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let named = |folder: &Path| Nvrtc::load(Some(folder.as_os_str().into())).unwrap_err().to_string();
        let empty = named(&folder);
        fs::write(folder.join(if cfg!(windows) { "nvrtc64_130_0.dll" } else { "libnvrtc.so.13" }), "")
            .unwrap();
        let broken = named(&folder);
        fs::remove_dir_all(&folder).unwrap();
        assert!(empty.contains("has no NVRTC in it"), "{empty}");
        assert!(broken.contains("does not load") && broken.contains("ANNULUS_NVRTC"), "{broken}");
    }
}
