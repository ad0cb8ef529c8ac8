//! NVIDIA's compiler, NVRTC, and what it makes of a kernel's whole program. It needs no GPU.

use std::{
    ffi::{CStr, CString, c_char, c_int, c_void},
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    ptr,
    sync::OnceLock,
    thread,
};

use annulus_block::RUNTIME;
use annulus_conformance::library::Library;
use annulus_cuda::Shape;
use annulus_kernel::{
    KernelDefinition, LANGUAGE_SOURCE, Target,
    device::{CUDA_PRELUDE, INTERFACE},
};

type Program = *mut c_void;

/// The functions of NVRTC that are used, each of which returns 0 if it succeeds.
pub(crate) struct Nvrtc {
    create: unsafe extern "C" fn(
        *mut Program,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    ) -> c_int,
    compile: unsafe extern "C" fn(Program, c_int, *const *const c_char) -> c_int,
    log_size: unsafe extern "C" fn(Program, *mut usize) -> c_int,
    log: unsafe extern "C" fn(Program, *mut c_char) -> c_int,
    cubin_size: unsafe extern "C" fn(Program, *mut usize) -> c_int,
    cubin: unsafe extern "C" fn(Program, *mut c_char) -> c_int,
    ptx_size: unsafe extern "C" fn(Program, *mut usize) -> c_int,
    ptx: unsafe extern "C" fn(Program, *mut c_char) -> c_int,
    destroy: unsafe extern "C" fn(*mut Program) -> c_int,
}

/// What a compilation gave.
pub(crate) struct Compiled {
    /// Machine code; empty where none was asked for.
    pub(crate) cubin: Vec<u8>,
    pub(crate) ptx: String,
}

/// Where the library is: `./test` installs it and sets this.
const FOLDER: &str = "ANNULUS_NVRTC";
/// Where what was compiled is kept beyond one build of the tests: `./test` sets this.
const CACHE: &str = "ANNULUS_TEST_CACHE";

fn open(path: &Path) -> Option<Library> {
    // SAFETY: the library is NVIDIA's, whose constructors ask nothing of us.
    unsafe { Library::open(path, true) }
}

/// The library, if it is installed.
pub(crate) fn nvrtc() -> Option<&'static Nvrtc> {
    static NVRTC: OnceLock<Option<Nvrtc>> = OnceLock::new();
    let found = NVRTC.get_or_init(|| {
        let folder = PathBuf::from(std::env::var_os(FOLDER)?);
        // It looks for this one by its name, and finds it if it is there already.
        open(&folder.join("libnvrtc-builtins.so.13.0")).expect("the builtins can be loaded");
        let library = open(&folder.join("libnvrtc.so.13")).expect("the library can be loaded");
        macro_rules! function {
            ($name:literal) => {{
                let function = library.symbol($name).unwrap_or_else(|| panic!("NVRTC has no {}", $name));
                // SAFETY: the field's type is that of NVRTC's documentation for this name.
                #[allow(clippy::missing_transmute_annotations)]
                unsafe {
                    std::mem::transmute(function)
                }
            }};
        }
        Some(Nvrtc {
            create: function!("nvrtcCreateProgram"),
            compile: function!("nvrtcCompileProgram"),
            log_size: function!("nvrtcGetProgramLogSize"),
            log: function!("nvrtcGetProgramLog"),
            cubin_size: function!("nvrtcGetCUBINSize"),
            cubin: function!("nvrtcGetCUBIN"),
            ptx_size: function!("nvrtcGetPTXSize"),
            ptx: function!("nvrtcGetPTX"),
            destroy: function!("nvrtcDestroyProgram"),
        })
    });
    if found.is_none() {
        println!("skipped: {FOLDER} names no folder with NVRTC");
    }
    found.as_ref()
}

/// How much the compiler does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// What users get.
    Whole,
    /// Machine code that is not optimised: a third of the time.
    Quick,
    /// The PTX of what users get, without its machine code: half of the time.
    Ptx,
    /// PTX that is not optimised: a tenth of the time. The compiler warns and refuses as ever.
    Text,
}

impl Nvrtc {
    /// Machine code for one architecture, if it is asked for, and the PTX that it was made of. Warnings are errors. What this
    /// very compiler has made of the same text before is taken as it is.
    pub(crate) fn compile(
        &self,
        source: &str,
        architecture: u32,
        effort: Effort,
    ) -> Result<Compiled, String> {
        // Of a real architecture the compiler makes machine code, of a virtual one PTX alone.
        let machine = matches!(effort, Effort::Whole | Effort::Quick);
        let mut options = vec![
            format!("--gpu-architecture={}_{architecture}", if machine { "sm" } else { "compute" }),
            "--std=c++20".into(),
            // Rust rounds after each operation, and keeps subnormals.
            "--fmad=false".into(),
            "--ftz=false".into(),
            "--prec-div=true".into(),
            "--prec-sqrt=true".into(),
            // Functions of the language, and variables, that a handler does not use; what is known to compare
            // equal, or to fail before it divides.
            "--diag-suppress=39,177,179,186,549,550".into(),
        ];
        if matches!(effort, Effort::Quick | Effort::Text) {
            options.push("--Ofast-compile=max".into());
        }
        let known = Known::new(source, &options);
        known.read().map_or_else(
            || self.compile_now(source, &options, machine).inspect(|compiled| known.keep(compiled)),
            Ok,
        )
    }

    #[allow(clippy::multiple_unsafe_ops_per_block)] // One argument holds for all.
    fn compile_now(&self, source: &str, options: &[String], machine: bool) -> Result<Compiled, String> {
        let source = CString::new(source).map_err(|error| error.to_string())?;
        let words: Vec<CString> = options
            .iter()
            .map(|option| CString::new(option.as_str()).expect("options have no zeros"))
            .collect();
        let pointers: Vec<_> = words.iter().map(|word| word.as_ptr()).collect();
        let mut program = ptr::null_mut();
        // SAFETY: strings end with zeros, counts are those of the arrays, and out-parameters are live. The
        // buffers have the sizes that NVRTC says just before.
        unsafe {
            let name = c"kernel.cu".as_ptr();
            let created = (self.create)(&raw mut program, source.as_ptr(), name, 0, ptr::null(), ptr::null());
            assert_eq!(created, 0, "nvrtcCreateProgram");
            let status = (self.compile)(program, pointers.len() as c_int, pointers.as_ptr());
            let log = read(program, self.log_size, self.log);
            let log = CStr::from_bytes_until_nul(&log).unwrap_or_default().to_string_lossy().into_owned();
            let result = if status != 0 || log.contains("warning") {
                Err(format!("{}: status {status}\n{log}", options[0]))
            } else {
                let ptx = String::from_utf8_lossy(&read(program, self.ptx_size, self.ptx)).into_owned();
                let cubin = if machine { read(program, self.cubin_size, self.cubin) } else { Vec::new() };
                Ok(Compiled { cubin, ptx })
            };
            (self.destroy)(&raw mut program);
            result
        }
    }
}

/// What NVRTC has of one kind.
///
/// # Safety
///
/// The program must be NVRTC's, and the second function must write as many bytes as the first one says.
unsafe fn read(
    program: Program,
    size: unsafe extern "C" fn(Program, *mut usize) -> c_int,
    get: unsafe extern "C" fn(Program, *mut c_char) -> c_int,
) -> Vec<u8> {
    let mut bytes = 0;
    // SAFETY: by the caller's word, and the place is live.
    assert_eq!(unsafe { size(program, &raw mut bytes) }, 0);
    let mut to = vec![0; bytes];
    // SAFETY: by the caller's word there is room.
    assert_eq!(unsafe { get(program, to.as_mut_ptr().cast()) }, 0);
    to
}

/// A kernel's whole program, for launches of a shape.
pub(crate) fn program(definition: &'static KernelDefinition, shape: Shape) -> String {
    let handler = definition.handler_source(Target::Cuda).unwrap_or_else(|error| panic!("{error}"));
    let macros = shape.macros();
    format!(
        "{macros}#define ANN_LAUNCH_PORTABLE 0\n\
         {CUDA_PRELUDE}\n{INTERFACE}\n{LANGUAGE_SOURCE}\n{handler}\n{RUNTIME}"
    )
}

/// What this very compiler has made of a program: kept as files, since compiling hundreds takes minutes.
struct Known {
    path: PathBuf,
    /// All that decides what comes of it.
    text: String,
}

impl Known {
    fn new(program: &str, options: &[String]) -> Self {
        let cache = std::env::var_os(CACHE).filter(|cache| !cache.is_empty());
        let folder = cache.map_or_else(|| PathBuf::from(env!("CARGO_TARGET_TMPDIR")), PathBuf::from);
        let library = PathBuf::from(std::env::var_os(FOLDER).unwrap_or_default()).join("libnvrtc.so.13");
        // Another compiler has another time or length.
        let file = std::fs::metadata(&library).ok().map(|file| (file.len(), file.modified().ok()));
        let text = format!("// {file:?} {options:?}\n{program}");
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        Self { path: folder.join("nvrtc").join(format!("{:016x}", hasher.finish())), text }
    }

    /// The text is compared: its hash only names the file.
    fn read(&self) -> Option<Compiled> {
        let kept = std::fs::read(&self.path).ok()?;
        let (text, kept) = part(&kept)?;
        let (ptx, kept) = part(kept)?;
        let (cubin, rest) = part(kept)?;
        let compiled = Compiled { cubin: cubin.to_vec(), ptx: String::from_utf8(ptx.to_vec()).ok()? };
        (text == self.text.as_bytes() && rest.is_empty()).then_some(compiled)
    }

    /// As good as it can be: what is not kept is compiled again. Others see the whole file, or none.
    fn keep(&self, compiled: &Compiled) {
        let mut file = Vec::new();
        for part in [self.text.as_bytes(), compiled.ptx.as_bytes(), &compiled.cubin] {
            file.extend((part.len() as u64).to_le_bytes());
            file.extend(part);
        }
        // A name that no other thread of any process has.
        let own = format!("{}-{:?}", std::process::id(), thread::current().id());
        let own = self.path.with_extension(own);
        let _ = self.path.parent().map(std::fs::create_dir_all);
        let _ = std::fs::write(&own, file).and_then(|()| std::fs::rename(&own, &self.path));
    }
}

/// The first part of a kept file, and the others: each stands behind its length.
fn part(kept: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = kept.split_first_chunk()?;
    rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)
}
