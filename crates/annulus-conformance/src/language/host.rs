//! The handler's text, compiled by a compiler of the host and loaded: the OpenCL C by the C compiler, with a
//! few names defined before it, CUDA's and Metal's C++ by the C++ compiler.

use std::{
    ffi::{OsString, c_void},
    fmt::Write as _,
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    process::Command,
    ptr::NonNull,
    sync::{Mutex, PoisonError},
};

use annulus_abi::error;
use annulus_kernel::{HOST_PRELUDE_SOURCE, KernelDefinition, LANGUAGE_SOURCE, PrintSite, Target, TimerEntry};

use super::{
    Call, MOST_PRINTS, Outcome, Places,
    rust::{CX, room},
};
use crate::{library::Library, made::made};

/// The prelude's `ann_outbox`.
#[repr(C)]
struct Outbox {
    payloads: *mut u8,
    stride: u64,
    limit: u32,
    sent: u32,
    refused: u32,
}

/// The prelude's `ann_printer`.
#[repr(C)]
struct Printer {
    slots: *mut u64,
    stride: u64,
    limit: u32,
    count: u32,
}

/// `ann_later` of a handler's text.
#[repr(C)]
struct Later {
    next: *mut TimerEntry,
    first: *mut u8,
    stride: u64,
    now: u64,
    limit: u32,
    set: u32,
    refused: u32,
}

/// What a call is told, which begins with the prelude's `ann_cx`: `ann_test_told` of a text whose handler asks for more.
#[repr(C)]
struct Context {
    cx: [u32; 3],
    queue: u32,
    now: u64,
    stamp: u64,
    later: *mut Later,
}

/// The same in the text. The types of what the handler does not take are not there.
const TOLD: &str = "
#ifndef ANN_TIMERS
typedef void ann_later;
#endif
typedef struct {
    ann_cx cx;
    u32 queue;
    u64 now, stamp;
    ann_later *later;
} ann_test_told;
";

/// The entry that stands behind each handler's text.
type Entry = unsafe extern "C" fn(
    message: *const u8,
    state: *mut u8,
    outbox: *mut Outbox,
    cx: *const Context,
    bindings: *const *mut u8,
    lens: *const u64,
    printer: *mut Printer,
) -> u32;

/// Handlers whose texts have been compiled in one go.
#[derive(Debug)]
pub struct HostText {
    entries: Vec<Compiled>,
}

/// One of them, and what it prints.
#[derive(Debug)]
struct Compiled {
    definition: &'static KernelDefinition,
    entry: Entry,
    prints: Vec<PrintSite>,
}

/// What a handler's text needs of CUDA, for a C++ compiler of the host.
const CUDA: &str = concat!(include_str!("../cuda/language.hpp"), "\n", include_str!("../cuda/handler.hpp"));

/// The same for Metal.
const METAL: &str = concat!(include_str!("../metal/language.hpp"), "\n", include_str!("../cuda/handler.hpp"));

/// Warnings are errors, but for those of what a program made of another language may well do.
const OPTIONS: [&str; 24] = [
    "-O1",
    "-g0",
    "-fPIC",
    "-shared",
    "-ffp-contract=off",
    "-Wall",
    "-Wextra",
    "-Wno-unused-function",
    "-Wno-unused-parameter",
    "-Wno-unused-variable",
    "-Wno-unused-but-set-variable",
    "-Wno-unused-but-set-parameter",
    "-Wno-type-limits",
    // A copy of a result brings along what the other variant would have.
    "-Wno-maybe-uninitialized",
    "-Wno-uninitialized",
    "-Wno-sign-compare",
    "-Wno-tautological-compare",
    "-Wno-bool-operation",
    "-Wno-missing-field-initializers",
    "-Wno-bool-compare",
    // The pragma of Metal that forbids contraction.
    "-Wno-unknown-pragmas",
    // A check that stands before it has returned.
    "-Wno-div-by-zero",
    "-fsanitize=undefined,float-cast-overflow",
    "-fsanitize-undefined-trap-on-error",
];

impl HostText {
    /// Compiles the texts for this target with warnings as errors, and with every undefined behaviour of C
    /// that the compiler can detect made a trap. The library stays loaded until the process ends; texts go to
    /// `folder`, and what was made of the same texts with the same compiler and options is taken as it is.
    ///
    /// # Errors
    ///
    /// If a handler cannot be lowered, or the compiler does not take a text: then its words.
    pub fn compile(
        definitions: &[&'static KernelDefinition],
        target: Target,
        folder: &Path,
    ) -> Result<Self, String> {
        Self::compile_altered(definitions, target, folder, str::to_owned)
    }

    /// The same of texts that were altered before, so that a test can show that it finds a fault.
    ///
    /// # Errors
    ///
    /// As [`compile`](Self::compile).
    pub fn compile_altered(
        definitions: &[&'static KernelDefinition],
        target: Target,
        folder: &Path,
        alter: impl Fn(&str) -> String,
    ) -> Result<Self, String> {
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let (compiler, standard, extension) = match target {
            Target::Cuda => ("c++", "-std=c++20", "cpp"),
            Target::Metal => ("c++", "-std=c++14", "cpp"),
            _ => ("cc", "-std=c99", "c"),
        };
        let mut options = vec![standard];
        options.extend(OPTIONS);
        let prefix = prefix(target);
        let mut all = format!("{options:?}\n{prefix}");
        let mut files = Vec::new();
        for (index, definition) in definitions.iter().enumerate() {
            let text = alter(&text(definition, target, index)?);
            all += &text;
            let text = if compiler == "c++" { text } else { format!("{prefix}{text}") };
            let path = folder.join(format!("{index}_{}.{extension}", file_name(definition.name)));
            fs::write(&path, &text).map_err(|error| failed(&path, error))?;
            files.push(path);
        }
        let arguments = || {
            let mut arguments: Vec<OsString> = options.iter().map(OsString::from).collect();
            if compiler == "c++" {
                // To read the headers takes as long as to compile a handler: that is done once.
                let before = prefix_file(compiler, &options, &prefix, folder.parent().unwrap_or(folder))?;
                arguments.extend(["-include".into(), before.into_os_string()]);
            }
            arguments.extend(files.iter().map(OsString::from));
            arguments.push("-lm".into());
            Ok(arguments)
        };
        let is_refused = |words: &str| words.lines().any(is_warning);
        let library = made(compiler, &all, &folder.with_file_name("handlers"), arguments, is_refused)?;
        // SAFETY: the library was made as above and runs nothing when it is loaded.
        let loaded = unsafe { Library::open(&library, false) };
        let loaded = loaded.ok_or_else(|| format!("{} cannot be loaded", library.display()))?;
        let entries = definitions.iter().enumerate().map(|(index, definition)| {
            let name = format!("entry_{index}");
            let entry = loaded.symbol(&name).ok_or_else(|| format!("{name} is missing"))?;
            // SAFETY: `text` wrote a function of this type under this name.
            let entry = unsafe { std::mem::transmute::<NonNull<c_void>, Entry>(entry) };
            Ok(Compiled { definition, entry, prints: definition.prints() })
        });
        Ok(Self { entries: entries.collect::<Result<_, String>>()? })
    }

    /// One call of the handler of this number.
    pub fn call(&self, index: usize, call: &Call) -> Outcome {
        let Compiled { definition, entry, prints: sites } = &self.entries[index];
        let Call { mut message, state, mut bindings, told } = call.clone();
        let mut after = state.clone();
        let mut outputs = room(definition);
        let mut outbox = Outbox {
            payloads: outputs.as_mut_ptr(),
            stride: outputs.ty().size as u64,
            limit: definition.max_outputs,
            sent: 0,
            refused: 0,
        };
        let stride = 1 + sites.iter().map(|site| site.words).max().unwrap_or(0);
        let mut slots = vec![0u64; stride * MOST_PRINTS];
        let mut printer =
            Printer { slots: slots.as_mut_ptr(), stride: stride as u64, limit: MOST_PRINTS as u32, count: 0 };
        let mut places = Places::of(definition);
        let mut later = Later {
            next: places.first_entry().as_ptr(),
            first: places.messages().as_mut_ptr(),
            stride: definition.message.size as u64,
            now: told.now,
            limit: places.entries().len() as u32,
            set: 0,
            refused: 0,
        };
        let cx = Context {
            cx: [CX.block_index(), CX.grid_size(), CX.thread_index()],
            queue: told.queue,
            now: told.now,
            stamp: told.stamp,
            later: &raw mut later,
        };
        let lens: Vec<u64> = bindings.iter().map(|memory| memory.len() as u64).collect();
        let pointers: Vec<*mut u8> = bindings.iter_mut().map(|memory| memory.as_mut_ptr()).collect();
        // SAFETY: the memory has the types that the text was written for, and the outbox, the printer and the timers
        // have room for `limit` each.
        let code = unsafe {
            entry(
                message.as_mut_ptr(),
                after.as_mut_ptr(),
                &raw mut outbox,
                &raw const cx,
                pointers.as_ptr(),
                lens.as_ptr(),
                &raw mut printer,
            )
        };
        let prints = slots.chunks(stride).take(printer.count as usize).map(|slot| {
            let site = &sites[slot[0] as usize];
            site.message(&slot[1..]).to_string()
        });
        let prints = prints.collect();
        let code = u16::try_from(code).expect("an error code has 16 bits");
        let code = match code {
            0 if outbox.refused != 0 => error::TOO_MANY_OUTPUTS,
            0 if later.refused != 0 => error::TIMERS_FULL,
            code => code,
        };
        outputs.truncate(if code == 0 { outbox.sent as usize } else { 0 });
        let (timers, later) = places.sent(if code == 0 { later.set as usize } else { 0 });
        let state = if code == 0 { after } else { state };
        Outcome { code, state, outputs, timers, later, bindings, prints }
    }
}

fn failed(path: &Path, error: std::io::Error) -> String {
    format!("{}: {error}", path.display())
}

/// The file with what stands before each C++ file, compiled beforehand with these options, once for all tests of this target:
/// a compiler finds what was compiled beside a text. Warnings are errors.
fn prefix_file(compiler: &str, options: &[&str], prefix: &str, folder: &Path) -> Result<PathBuf, String> {
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut hasher = DefaultHasher::new();
    (options, prefix).hash(&mut hasher);
    let path = folder.join(format!("prefix-{:016x}.hpp", hasher.finish()));
    let compiled = path.with_extension("hpp.gch");
    if compiled.exists() {
        return Ok(path);
    }
    // Another process may do the same: it sees whole files, or none.
    let own = path.with_extension(std::process::id().to_string());
    let moved = |to: &Path| fs::rename(&own, to).map_err(|error| failed(to, error));
    if !path.exists() {
        fs::write(&own, prefix).map_err(|error| failed(&own, error))?;
        moved(&path)?;
    }
    let output = Command::new(compiler)
        .args(options)
        .args(["-x", "c++-header"])
        .arg(&path)
        .arg("-o")
        .arg(&own)
        .output()
        .map_err(|error| format!("the compiler `{compiler}` does not start: {error}"))?;
    let words = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() || words.lines().any(is_warning) {
        return Err(words.into_owned());
    }
    moved(&compiled)?;
    Ok(path)
}

/// What stands before each handler: the prelude and the language.
fn prefix(target: Target) -> String {
    const CPP: &str = "#define ANN_ANY(pointer) any_pointer{pointer}";
    let (prelude, any) = match target {
        Target::Cuda => (CUDA, CPP),
        Target::Metal => (METAL, CPP),
        _ => (HOST_PRELUDE_SOURCE, "#define ANN_ANY(pointer) (pointer)"),
    };
    format!(
        "{prelude}
{any}
#define ANN_STATELESS 0
#define ANN_PER_ACTOR 1
#define ANN_WHOLE 2
{LANGUAGE_SOURCE}
"
    )
}

/// A C or C++ file behind the [`prefix`]: the handler, and an entry of a type that all handlers share.
fn text(definition: &'static KernelDefinition, target: Target, index: usize) -> Result<String, String> {
    let handler = definition.handler_source(target).map_err(|error| error.to_string())?;
    // The one line of OpenCL's that a C compiler would warn of.
    let handler = handler.replace("#pragma OPENCL FP_CONTRACT OFF\n", "\n");
    let mut arguments = String::new();
    for binding in 0..definition.bindings.len() {
        write!(arguments, ", ANN_ANY(bindings[{binding}]), lens[{binding}]").expect("a String takes all");
    }
    // A handler that asks for nothing has the text that it had before there was anything to ask for.
    let asks = |word: &str| handler.contains(&format!("#define ANN_{word} "));
    let (mut told, mut parameters, mut handed_on) = (String::new(), String::new(), String::new());
    let words = [
        ("TIMERS", "PRIVATE ann_later *later", "later"),
        ("ASKS_QUEUE", "u32 queue", "queue"),
        ("ASKS_TIME", "u64 time", "now"),
        ("ASKS_STAMP", "u64 stamp", "stamp"),
    ];
    for (_, parameter, member) in words.into_iter().filter(|(word, ..)| asks(word)) {
        told = TOLD.into();
        write!(parameters, ", {parameter}").expect("a String takes all");
        write!(handed_on, ", ((const ann_test_told *)cx)->{member}").expect("a String takes all");
    }
    let linkage = if matches!(target, Target::Cuda | Target::Metal) { "extern \"C\" " } else { "" };
    Ok(format!(
        "{handler}
{told}#ifndef ANN_STATE
#define ANN_STATE u8
#endif
static u32 call(ann_cx cx, GLOBAL const ANN_MESSAGE *message, ANN_STATE *state, ann_outbox *outbox, ann_printer *printer{parameters} ANN_BINDING_PARAMETERS) {{
    return ANN_CALL(cx, message, state, outbox);
}}
{linkage}u32 entry_{index}(const void *message, void *state, ann_outbox *outbox, const ann_cx *cx, void **bindings, const u64 *lens, ann_printer *printer);
u32 entry_{index}(const void *message, void *state, ann_outbox *outbox, const ann_cx *cx, void **bindings, const u64 *lens, ann_printer *printer) {{
    return call(*cx, (const ANN_MESSAGE *)message, (ANN_STATE *)state, outbox, printer{handed_on}{arguments});
}}
{linkage}u64 key_{index}(const void *message);
u64 key_{index}(const void *message) {{
#if ANN_KEYED
    return ANN_KEY((const ANN_MESSAGE *)message);
#else
    return 0;
#endif
}}
"
    ))
}

/// Whether a compiler's line is a warning that an option could turn off. gcc has two others, of conditions
/// that it has found to be always or never true, as checks in handlers may be.
fn is_warning(line: &str) -> bool {
    line.contains("warning:") && line.ends_with(']')
}

/// A kernel's name as a file's.
fn file_name(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}
