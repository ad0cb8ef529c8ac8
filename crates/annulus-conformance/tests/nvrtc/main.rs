//! X-05, T-08: every kernel's whole CUDA program, through NVIDIA's compiler to machine code. It needs no GPU,
//! but the library NVRTC, which `./test` installs; where it is missing the tests say so and check nothing.
#![cfg(target_os = "linux")]

extern crate annulus_runtime as annulus;

mod code;
mod counts;
mod machine;

use std::{
    ffi::{CStr, CString, c_char, c_int, c_void},
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    ptr,
    sync::{Mutex, OnceLock},
};

use annulus_block::{ENTRY, RUNTIME};
use annulus_conformance::{kernels, library::Library};
use annulus_cuda::Shape;
use annulus_kernel::{
    KernelDefinition, LANGUAGE_SOURCE, RingKernel, Target,
    device::{CUDA_PRELUDE, INTERFACE},
};

/// The architectures that are supported: Turing to Blackwell.
const ARCHITECTURES: [u32; 7] = [75, 80, 86, 89, 90, 100, 120];

type Program = *mut c_void;

/// The functions of NVRTC that are used, each of which returns 0 if it succeeds.
struct Nvrtc {
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
struct Compiled {
    cubin: Vec<u8>,
    ptx: String,
}

/// Where the library is: `./test` installs it and sets this.
const FOLDER: &str = "ANNULUS_NVRTC";

fn open(path: &Path) -> Option<Library> {
    // SAFETY: the library is NVIDIA's, whose constructors ask nothing of us.
    unsafe { Library::open(path, true) }
}

/// The library, if it is installed.
fn nvrtc() -> Option<&'static Nvrtc> {
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
enum Effort {
    /// What users get.
    Whole,
    /// All but to optimise: a third of the time. It warns, refuses and makes machine code as ever.
    Least,
}

impl Nvrtc {
    /// Machine code for one architecture, and the PTX that it was made of. Warnings are errors. What this
    /// very compiler has made of the same text before is taken as it is.
    fn compile(&self, source: &str, architecture: u32, effort: Effort) -> Result<Compiled, String> {
        let mut options = vec![
            format!("--gpu-architecture=sm_{architecture}"),
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
        if effort == Effort::Least {
            options.push("--Ofast-compile=max".into());
        }
        let known = Known::new(source, &options);
        known
            .read()
            .map_or_else(|| self.compile_now(source, &options).inspect(|compiled| known.keep(compiled)), Ok)
    }

    #[allow(clippy::multiple_unsafe_ops_per_block)] // One argument holds for all.
    fn compile_now(&self, source: &str, options: &[String]) -> Result<Compiled, String> {
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
                Ok(Compiled { cubin: read(program, self.cubin_size, self.cubin), ptx })
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
fn program(definition: &'static KernelDefinition, shape: Shape) -> String {
    let handler = definition.handler_source(Target::Cuda).unwrap_or_else(|error| panic!("{error}"));
    let macros = shape.macros();
    format!(
        "{macros}#define ANN_LAUNCH_PORTABLE 0\n\
         {CUDA_PRELUDE}\n{INTERFACE}\n{LANGUAGE_SOURCE}\n{handler}\n{RUNTIME}"
    )
}

fn threads(threads: u32) -> Shape {
    Shape { threads, ..Shape::default() }
}

/// What this very compiler has made of a program: kept as files, since compiling hundreds takes minutes.
struct Known {
    /// Without its ending.
    path: PathBuf,
    /// All that decides what comes of it.
    text: String,
}

impl Known {
    fn new(program: &str, options: &[String]) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("nvrtc");
        let library = PathBuf::from(std::env::var_os(FOLDER).unwrap_or_default()).join("libnvrtc.so.13");
        // Another compiler has another time or length.
        let file = std::fs::metadata(&library).ok().map(|file| (file.len(), file.modified().ok()));
        let text = format!("// {file:?} {options:?}\n{program}");
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        Self { path: folder.join(format!("{:016x}", hasher.finish())), text }
    }

    /// The text is compared: its hash only names the files.
    fn read(&self) -> Option<Compiled> {
        let kept = std::fs::read_to_string(self.path.with_extension("cu")).ok()?;
        let cubin = std::fs::read(self.path.with_extension("cubin")).ok()?;
        let ptx = std::fs::read_to_string(self.path.with_extension("ptx")).ok()?;
        (kept == self.text).then_some(Compiled { cubin, ptx })
    }

    /// As good as it can be: what is not kept is compiled again. The text comes last, and says that the
    /// others are whole.
    fn keep(&self, compiled: &Compiled) {
        let _ = self.path.parent().map(std::fs::create_dir_all);
        let _ = std::fs::remove_file(self.path.with_extension("cu"));
        let written = std::fs::write(self.path.with_extension("cubin"), &compiled.cubin)
            .and_then(|()| std::fs::write(self.path.with_extension("ptx"), &compiled.ptx));
        if written.is_ok() {
            let _ = std::fs::write(self.path.with_extension("cu"), &self.text);
        }
    }
}

#[test]
fn every_kernel_compiles() {
    let Some(nvrtc) = nvrtc() else { return };
    let lists = [
        kernels::SUITE,
        kernels::CONSTRUCTS,
        kernels::CORNERS,
        kernels::EDGES,
        kernels::VALUES,
        kernels::ITEMS,
        kernels::OWN,
        kernels::OWN_EDGES,
        // Without its neighbour, `nothing`: a value that takes no place has none, of which the compiler
        // warns.
        &[kernels::no_place::temporaries::DEFINITION],
        kernels::NAMES,
        kernels::REAL,
        kernels::prints::PRINTS,
    ];
    let definitions: Vec<_> = lists.into_iter().flatten().collect();
    let left = Mutex::new(definitions.iter().enumerate());
    let wrong = Mutex::new(Vec::new());
    let work = || {
        loop {
            let next = left.lock().unwrap().next();
            let Some((index, definition)) = next else { return };
            // Each for one of the architectures, with one thread or many, with open slots or sealed ones,
            // some connected, some in step.
            let architecture = ARCHITECTURES[index % ARCHITECTURES.len()];
            let (threads, sealed) = [(1, false), (64, false), (64, true)][index % 3];
            let shape =
                Shape { threads, sealed, connectable: index % 2 == 0, supersteps: index % 5 == 0, blocks: 1 };
            let program = program(definition, shape);
            // Some as users get them: what the compiler optimises is much the same in all, the block. A long
            // run has all so.
            let is_whole = index % 8 == 0 || std::env::var_os("ANNULUS_LONG").is_some();
            let effort = if is_whole { Effort::Whole } else { Effort::Least };
            match nvrtc.compile(&program, architecture, effort) {
                Ok(compiled) => assert!(compiled.cubin.starts_with(b"\x7fELF"), "{}", definition.name),
                Err(error) => wrong.lock().unwrap().push(format!("{}: {error}", definition.name)),
            }
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        work();
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), definitions.len(), wrong.join("\n"));
}

/// Every number type's functions, and one kernel of the suite, for every architecture.
#[test]
fn every_architecture_has_machine_code() {
    let Some(nvrtc) = nvrtc() else { return };
    for (index, architecture) in ARCHITECTURES.into_iter().enumerate() {
        for sealed in [false, true] {
            let shape = Shape { sealed, ..threads(32) };
            let program = program(kernels::real::order_book::DEFINITION, shape);
            // By turns open and sealed slots as users get them.
            let effort = if sealed == (index % 2 == 0) { Effort::Whole } else { Effort::Least };
            let compiled =
                nvrtc.compile(&program, architecture, effort).unwrap_or_else(|error| panic!("{error}"));
            assert!(compiled.cubin.windows(ENTRY.len()).any(|bytes| bytes == ENTRY.as_bytes()));
        }
    }
}

/// B-02: the orderings that the protocols are argued by are in what is compiled, at system scope, and nothing
/// reads and writes a word in one step but in the block's own memory.
#[test]
fn orderings_are_in_the_ptx() {
    let Some(nvrtc) = nvrtc() else { return };
    let compiled = nvrtc.compile(&program(kernels::real::detect::DEFINITION, threads(32)), 90, Effort::Whole);
    let ptx = compiled.unwrap_or_else(|error| panic!("{error}")).ptx;
    for needed in [
        "ld.relaxed.sys.u32",
        "st.relaxed.sys.u32",
        "st.release.sys",
        "fence.acq_rel.sys",
        "fence.sc.sys",
        "%globaltimer",
        "nanosleep.u32",
        "bar.sync",
    ] {
        assert!(ptx.contains(needed), "`{needed}` is missing");
    }
    for forbidden in ["atom.", "red.", "fma."] {
        let found =
            ptx.lines().find(|line| line.trim_start().starts_with(forbidden) && !line.contains(".shared."));
        assert_eq!(found, None, "this kernel has none of its own");
    }
    // What threads count their prints by is the block's own.
    let compiled =
        nvrtc.compile(&program(kernels::prints::print_actors::DEFINITION, threads(32)), 90, Effort::Whole);
    let ptx = compiled.unwrap_or_else(|error| panic!("{error}")).ptx;
    let counts: Vec<&str> =
        ptx.lines().map(str::trim_start).filter(|line| line.starts_with("atom.")).collect();
    assert!(!counts.is_empty() && counts.iter().all(|line| line.starts_with("atom.shared.")), "{counts:?}");
}

/// What kernels send to each other is ordered at the device's scope, which waits for nothing across the bus,
/// and tickets are taken there in one step.
#[test]
fn words_between_kernels_have_the_devices_scope() {
    let Some(nvrtc) = nvrtc() else { return };
    for threads in [1, 32] {
        let shape = Shape { connectable: true, ..self::threads(threads) };
        let compiled = nvrtc.compile(&program(kernels::real::detect::DEFINITION, shape), 90, Effort::Whole);
        let ptx = compiled.unwrap_or_else(|error| panic!("{error}")).ptx;
        for needed in [
            "ld.relaxed.gpu.u32",
            "ld.acquire.gpu.u32",
            "st.relaxed.gpu.u32",
            "st.release.gpu.u32",
            "fence.acq_rel.gpu",
            "atom.relaxed.gpu.cas.b32",
        ] {
            assert!(ptx.contains(needed), "`{needed}` is missing");
        }
        let steps = ptx.lines().map(str::trim_start).filter(|line| line.starts_with("atom."));
        let others: Vec<&str> = steps
            .filter(|line| !line.contains(".shared.") && !line.starts_with("atom.relaxed.gpu.cas"))
            .collect();
        assert!(others.is_empty(), "{others:?}");
    }
}

/// What loads and fences of a program's PTX there are, in their order.
fn accesses(ptx: &str) -> Vec<&str> {
    let interesting =
        |line: &&str| line.contains("ld.relaxed.sys") || line.contains("ld.u64") || line.contains("fence.");
    ptx.lines().map(str::trim).filter(interesting).collect()
}

/// How many times the program copies eight bytes of a slot or an output (`ann_load_word`). The compiler's own
/// loads are not in inline assembly.
fn words_copied(ptx: &str) -> usize {
    let lines: Vec<&str> = ptx.lines().map(str::trim).collect();
    lines.windows(2).filter(|pair| pair[0] == "// begin inline asm" && pair[1].starts_with("ld.u64")).count()
}

/// With sealed slots a unit is loaded in one relaxed access of 16 bytes, eight of the next slot behind the
/// looks at the command and at the gauge, and sixteen of each thread's share; and stored in one. A leader that
/// finds no room loads one unit of the next slot, to see whether it is a call (`ann_next_is_call`, which stands
/// at four places). There is no other load of messages from the ring: with open slots it is weak loads of words.
#[test]
fn sealed_slots_are_loaded_once() {
    let Some(nvrtc) = nvrtc() else { return };
    let ptx = |definition, sealed| {
        let compiled =
            nvrtc.compile(&program(definition, Shape { sealed, ..threads(32) }), 90, Effort::Whole);
        compiled.unwrap_or_else(|error| panic!("{error}")).ptx
    };
    let count = |ptx: &str, what: &str| accesses(ptx).iter().filter(|line| line.contains(what)).count();
    let open = ptx(kernels::real::detect::DEFINITION, false);
    assert_eq!(open.matches(".b128").count(), 0);
    assert_ne!(words_copied(&open), 0);
    let sealed = ptx(kernels::real::detect::DEFINITION, true);
    assert_eq!(count(&sealed, ".b128"), 8 + 16 + 4, "{sealed}");
    assert_eq!(count(&sealed, "ld.relaxed.sys.b128"), 8 + 16 + 4);
    assert!(sealed.contains("st.relaxed.sys.b128"));
    // Nothing waits within the look: the command, the gauge, the units.
    let all = accesses(&sealed);
    let first = all.iter().position(|line| line.contains(".b128")).unwrap();
    assert!(all[first - 2].starts_with("ld.relaxed.sys.u32"), "{:?}", &all[first - 2..]);
    assert!(all[first - 1].starts_with("ld.relaxed.sys.u64"), "{:?}", &all[first - 2..]);
    assert!(all[first..first + 8].iter().all(|line| line.contains(".b128")));
    // Who sends no outputs copies no words at all: what is left to copy is answers, to a ring that may be
    // open.
    let silent = |sealed| words_copied(&ptx(kernels::swallow::DEFINITION, sealed));
    assert_eq!(silent(true), 0);
    assert_ne!(silent(false), 0);
}

/// B-06: the barrier of the grid is in the machine code of kernels in step alone, for every architecture, in
/// the device's scope: one word that blocks count in, and no other is read and written in one step.
#[test]
fn b06_the_grids_barrier_is_in_the_ptx() {
    let Some(nvrtc) = nvrtc() else { return };
    for architecture in ARCHITECTURES {
        for threads in [1, 32] {
            let shape = Shape { threads, supersteps: true, ..Shape::default() };
            let program = program(kernels::real::detect::DEFINITION, shape);
            let ptx = nvrtc
                .compile(&program, architecture, Effort::Whole)
                .unwrap_or_else(|error| panic!("{error}"))
                .ptx;
            for needed in
                ["ld.relaxed.gpu.u32", "ld.acquire.gpu.u32", "st.relaxed.gpu.u32", "st.release.gpu.u32"]
            {
                assert!(ptx.contains(needed), "sm_{architecture}: `{needed}` is missing");
            }
            let steps: Vec<&str> = ptx
                .lines()
                .map(str::trim_start)
                .filter(|line| line.starts_with("atom.") && !line.contains(".shared."))
                .collect();
            assert!(
                !steps.is_empty() && steps.iter().all(|line| line.starts_with("atom.add.acq_rel.gpu.u32")),
                "sm_{architecture}: {steps:?}"
            );
        }
    }
    let without = nvrtc.compile(&program(kernels::real::detect::DEFINITION, threads(32)), 90, Effort::Whole);
    let ptx = without.unwrap_or_else(|error| panic!("{error}")).ptx;
    assert!(!ptx.contains(".gpu."), "kernels out of step know no other blocks");
}
