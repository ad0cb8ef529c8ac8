//! CUDA without a GPU: libraries that stand in for NVIDIA's driver and for its run-time compiler, so that the
//! host's side of a CUDA backend and the programs that it compiles run end to end on the processor.
//!
//! [`stand_in`] builds both with the host's C++ compiler and loads them; whoever then loads `libcuda.so` or
//! `libnvrtc.so` by its name gets them. To a program of its own [`build`]'s folder is given as
//! `LD_LIBRARY_PATH`.
//!
//! # How it works
//!
//! *The compiler* takes a program's text as NVIDIA's does. Inline PTX becomes calls of functions that do what
//! the instruction says (`program.hpp`, `device.hpp`); all else is C++. The "cubin" is a shared object. Equal
//! programs are compiled once.
//!
//! *The driver* runs each resident block on a thread of its own, and the block's GPU threads as fibers of it,
//! switched at barriers, looks at shared words, after stores to them, and when they sleep, by a seed.
//! Streams, events, allocations, launches and errors mean what CUDA's manual says. Blocks for which there is
//! no room wait until others end.
//!
//! # What it finds
//!
//! It ends the process, with a message, where a GPU would hang, or be silently wrong:
//!
//! - a call that waits for everything on the device while a kernel stays there: allocation and release of
//!   memory (but in a stream's order), loading and unloading of modules, synchronous copies, the legacy
//!   stream, the synchronisation of a context;
//! - a barrier to which not all threads of the block come;
//! - accesses to memory that was freed, or beside an allocation; memory that is freed twice;
//! - misaligned accesses to ordered words, and accesses behind the shared memory that a launch gives a block;
//! - with `ANNULUS_STAND_IN_RACES=1`, races between the threads of a block in its own memory: both accesses, with
//!   their lines in the program's text.
//!
//! Fresh memory, the block's own included, holds bytes that are nothing. The environment sets what the
//! devices are, plants failures, and says whether waiting calls are reported: see
//! `src/cuda/stand_in/settings.cpp`.
//!
//! # What it cannot show
//!
//! Orders that only PTX's memory model allows, stale caches, and how fast anything is: the processor's own
//! memory is stronger than a GPU's. Device memory is memory of the host, which a host that reads it by
//! mistake does not notice. Occupancy is counted by threads, memory and a limit, not by registers. Only
//! ordered accesses are schedule points. Data races in other memory than the block's own are for the thread
//! sanitizer, under which one block runs as threads ([`on_threads`]).

use std::{
    ffi::{CString, c_char, c_void},
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    process::Command,
    ptr::NonNull,
    sync::OnceLock,
};

use crate::library::Library;

/// CUDA's language, for the host's C++ compiler.
const LANGUAGE: &str = include_str!("cuda/language.hpp");
pub(crate) const INTERFACE: &str = include_str!("cuda/interface.hpp");
const DEVICE: &str = include_str!("cuda/device.hpp");
const THREADS: &str = include_str!("cuda/threads.hpp");
pub(crate) const FIBERS: &str = include_str!("cuda/fibers.hpp");
const RACES: &str = include_str!("cuda/races.hpp");

macro_rules! sources {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!("cuda/", $path)))),*]
    };
}

/// What both libraries are made of.
pub(crate) const SOURCES: &[(&str, &str)] = sources![
    "interface.hpp",
    "program.hpp",
    "races.hpp",
    "stand_in/block.cpp",
    "stand_in/device.cpp",
    "stand_in/driver.cpp",
    "stand_in/driver.hpp",
    "stand_in/memory.cpp",
    "stand_in/module.cpp",
    "stand_in/nvrtc.cpp",
    "stand_in/races.cpp",
    "stand_in/settings.cpp",
    "stand_in/stream.cpp",
];

/// The libraries' names, as they are looked for, and their main source.
const LIBRARIES: [(&str, &str); 2] = [("libcuda.so", "driver.cpp"), ("libnvrtc.so", "nvrtc.cpp")];

/// Whether NVIDIA's own libraries are to be used, on a GPU, as `./test-gpu` asks.
pub fn on_a_gpu() -> bool {
    std::env::var_os("ANNULUS_GPU").is_some()
}

/// Builds both libraries, unless they are there already; gives the folder where they lie.
///
/// # Errors
///
/// If there is no C++ compiler, or files cannot be written: says which.
///
/// # Panics
///
/// If the compiler refuses the sources.
pub fn build() -> Result<&'static Path, String> {
    static FOLDER: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    FOLDER.get_or_init(build_now).as_deref().map_err(Clone::clone)
}

/// Loads both libraries, so that whoever loads them by their names in this process gets these: call it before
/// anything else of CUDA.
///
/// # Errors
///
/// As [`build`], or if a library cannot be loaded.
pub fn stand_in() -> Result<(), String> {
    static LOADED: OnceLock<Result<(), String>> = OnceLock::new();
    LOADED.get_or_init(|| LIBRARIES.iter().try_for_each(|(name, _)| load(name).map(|_| ()))).clone()
}

/// A program's text as that of a C++ program of the host that runs one block, its GPU threads as threads of
/// the host; for the thread sanitizer. `end` stands behind it.
///
/// # Errors
///
/// As [`stand_in`].
pub fn on_threads(program: &str, end: &str) -> Result<String, String> {
    let text = on_host(program)?;
    // What a launch gives each block lies where the block's own memory does.
    let given = match text.contains("ANN_HOST_GIVEN(") {
        true => "#define ANN_HOST_GIVEN(T, NAME) __shared__ T NAME[1]\n",
        false => "",
    };
    Ok(format!("{LANGUAGE}\n{INTERFACE}\n{DEVICE}\n{THREADS}\n{given}{text}\n{end}"))
}

/// A program's text as C++, where inline PTX has become calls of functions that whoever compiles it must
/// have.
///
/// # Errors
///
/// As [`stand_in`].
pub fn on_host(program: &str) -> Result<String, String> {
    type OnHost = unsafe extern "C" fn(*const c_char, *mut c_char, usize) -> usize;
    let library = load("libnvrtc.so")?;
    let function = library.symbol("annulus_on_host").ok_or("libnvrtc.so has no annulus_on_host")?;
    // SAFETY: the function's type is that of its definition in `nvrtc.cpp`.
    let on_host = unsafe { std::mem::transmute::<NonNull<c_void>, OnHost>(function) };
    let source = CString::new(program).map_err(|error| error.to_string())?;
    // SAFETY: a C string; without room nothing is written.
    let length = unsafe { on_host(source.as_ptr(), std::ptr::null_mut(), 0) };
    let mut text = vec![0u8; length + 1];
    // SAFETY: a C string, and as much room as is said.
    unsafe { on_host(source.as_ptr(), text.as_mut_ptr().cast(), text.len()) };
    text.truncate(length);
    String::from_utf8(text).map_err(|error| error.to_string())
}

fn load(name: &str) -> Result<Library, String> {
    let path = build()?.join(name);
    // SAFETY: the library was made by `build`, and runs nothing when it is loaded.
    let library = unsafe { Library::open(&path, false) };
    library.ok_or_else(|| format!("{} cannot be loaded", path.display()))
}

fn build_now() -> Result<PathBuf, String> {
    let shim = format!("{LANGUAGE}\n{INTERFACE}\n{DEVICE}\n{FIBERS}");
    let libraries = LIBRARIES.map(|(name, source)| (name, format!("stand_in/{source}")));
    build_libraries("cuda", &libraries, SOURCES, &shim, &[])
}

/// Builds libraries, each of a main source, of these sources, unless they are there already; gives the folder where they lie. `shim` stands
/// before each program that they compile; `files` are more of what lies in the folder.
pub(crate) fn build_libraries(
    kind: &str,
    libraries: &[(&str, String)],
    sources: &[(&str, &str)],
    shim: &str,
    files: &[(&str, &str)],
) -> Result<PathBuf, String> {
    let shim = format!("R\"ANNULUS(#line 1 \"stand-in\"\n{shim})ANNULUS\"\n");
    let races = format!("R\"ANNULUS(#line 1 \"races\"\n{RACES})ANNULUS\"\n");
    let mut hasher = DefaultHasher::new();
    (sources, &shim).hash(&mut hasher);
    let folder = Path::new(env!("OUT_DIR")).join(format!("{kind}-{:016x}", hasher.finish()));
    if libraries.iter().all(|(name, _)| folder.join(name).exists()) {
        return Ok(folder);
    }
    // Another process may do the same: each works in a folder of its own, and moves the whole libraries.
    let own = folder.join(std::process::id().to_string());
    let failed = |path: &Path| {
        let path = path.display().to_string();
        move |error: std::io::Error| format!("{path}: {error}")
    };
    let write = |path: PathBuf, text: &str| {
        let parent = path.parent().expect("it lies in a folder");
        fs::create_dir_all(parent).map_err(failed(parent))?;
        fs::write(&path, text).map_err(failed(&path))
    };
    let shims = [("shim.inc", shim.as_str()), ("races.inc", &races)];
    sources.iter().chain(&shims).try_for_each(|(path, text)| write(own.join(path), text))?;
    files.iter().try_for_each(|(path, text)| write(folder.join(path), text))?;
    for (name, source) in libraries {
        let output = Command::new("c++")
            .args(["-std=c++17", "-O1", "-g1", "-fPIC", "-shared", "-pthread"])
            .arg(format!("-Wl,-soname,{name}"))
            .arg(format!("-DFOLDER=\"{}\"", folder.join("programs").display()))
            .arg(format!("-DFILES=\"{}\"", folder.display()))
            .arg(format!("-DSHIM=\"{}\"", own.join("shim.inc").display()))
            .arg(format!("-DRACES=\"{}\"", own.join("races.inc").display()))
            .arg(own.join(source))
            .arg("-o")
            .arg(own.join(name))
            .arg("-ldl")
            .output()
            .map_err(|error| format!("the C++ compiler `c++` does not start: {error}"))?;
        let refused = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "c++ {source}: {refused}");
        fs::rename(own.join(name), folder.join(name)).map_err(failed(&folder.join(name)))?;
    }
    fs::remove_dir_all(&own).map_err(failed(&own))?;
    Ok(folder)
}
