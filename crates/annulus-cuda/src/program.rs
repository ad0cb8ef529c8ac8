//! From a handler's text to a program on a device.
//!
//! # Machine code that is shipped along
//!
//! If a program is to run without NVRTC, `annulus emit KERNEL --cubin` makes its machine code in advance, and
//! `Cuda::cubins` names the folder. A file is found by its name, `KERNEL-THREADS-ARCHITECTURE-HASH.cubin`:
//! the kernel's name, the block's threads, the architecture it was compiled for, and the first 16 hexadecimal
//! digits of the SHA-256 of compiler options and text. So machine code of another version of the handler, or
//! of Annulus, is not found, and cannot be used by mistake. The compiler's version is not part of the name.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, LazyLock},
};

use annulus_abi::ring::{Envelope, MIN_CAPACITY, RingLayout};
use annulus_device::{Programs, Shape, explain, read_regular};
use annulus_kernel::{KernelDefinition, Target, handler_source};
use annulus_runtime::{BackendError, ProgramOrigin};

use crate::{
    architecture::Architecture,
    nvrtc::{Nvrtc, Refused},
    probe,
    text::Text,
};

/// Where to look for machine code before it is compiled.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    /// Machine code that was shipped with the program.
    pub(crate) shipped: Option<PathBuf>,
    /// Machine code that was compiled before.
    pub(crate) cache: Option<PathBuf>,
}

/// Machine code of this text that a device of this architecture runs: shipped, from the cache, or compiled;
/// also says which.
pub(crate) fn machine_code(
    text: &Text,
    device: Architecture,
    sources: &Sources,
) -> Result<(Arc<Vec<u8>>, ProgramOrigin), BackendError> {
    if let Some(cubin) = sources.shipped.as_deref().and_then(|folder| shipped(text, device, folder)) {
        return Ok((Arc::new(cubin), ProgramOrigin::Shipped));
    }
    let (nvrtc, architecture) = compiler(text, device, sources)?;
    MADE.get(
        text.key(architecture, nvrtc.version()),
        sources.cache.as_deref(),
        |kept| Some(kept.to_vec()),
        || compile_text(nvrtc, text, architecture),
        |cubin| Some(cubin.clone()),
    )
}

/// Likewise, but compiled now: used when a driver refuses the cached or shipped code.
pub(crate) fn machine_code_anew(
    text: &Text,
    device: Architecture,
    sources: &Sources,
) -> Result<Arc<Vec<u8>>, BackendError> {
    let (nvrtc, architecture) = compiler(text, device, sources)?;
    let cubin = compile_text(nvrtc, text, architecture)?;
    let key = text.key(architecture, nvrtc.version());
    Ok(MADE.replace(key, sources.cache.as_deref(), cubin, |cubin| Some(cubin.clone())))
}

/// This process's machine code for all devices: devices of one architecture share it.
static MADE: LazyLock<Programs<Vec<u8>>> = LazyLock::new(Programs::default);

/// NVRTC, and the architecture to compile for so that the device runs the result.
fn compiler(
    text: &Text,
    device: Architecture,
    sources: &Sources,
) -> Result<(&'static Nvrtc, Architecture), BackendError> {
    let nvrtc = Nvrtc::get().map_err(|missing| {
        let lacks = match &sources.shipped {
            Some(folder) => format!("; {} has no {}", folder.display(), text.file(device)),
            None => String::new(),
        };
        BackendError::new(format!(
            "`{}` cannot be compiled: {missing}; or ship its machine code along, made by `annulus emit {0} --cubin` where NVRTC is, \
             and name the folder in Cuda::cubins{lacks}",
            text.name
        ))
    })?;
    Ok((nvrtc, nearest(nvrtc, device)?))
}

/// The architecture nearest to the device's that the compiler knows, and whose machine code the device runs.
fn nearest(nvrtc: &Nvrtc, device: Architecture) -> Result<Architecture, BackendError> {
    device.candidates(nvrtc.architectures()).first().copied().ok_or_else(|| {
        not_among(
            nvrtc,
            &format!("none of which runs on a device of {device}: install another version of NVRTC"),
        )
    })
}

/// Machine code in a folder, for the nearest architecture that the device runs.
fn shipped(text: &Text, device: Architecture, folder: &Path) -> Option<Vec<u8>> {
    let minors = (0..=device.minor()).map(|minor| Architecture::new(device.major(), minor));
    let known: Vec<_> = minors.collect();
    device.candidates(&known).into_iter().find_map(|architecture| {
        read_regular(&folder.join(text.file(architecture))).ok().filter(|bytes| is_whole(bytes))
    })
}

/// Whether these bytes are a complete 64-bit ELF image: the driver reads its length from its header.
fn is_whole(image: &[u8]) -> bool {
    let number = |at: usize, bytes: usize| -> Option<u64> {
        let field = image.get(at..at + bytes)?;
        Some(field.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
    };
    let table = |offset: usize, size: usize, count: usize| -> Option<u64> {
        number(offset, 8)?.checked_add(number(size, 2)? * number(count, 2)?)
    };
    let section = |index: u64| -> Option<u64> {
        let header = usize::try_from(number(40, 8)? + index * number(58, 2)?).ok()?;
        // A section without contents (SHT_NOBITS) takes no space in the image.
        let bytes = if number(header + 4, 4)? == 8 { 0 } else { number(header + 32, 8)? };
        number(header + 24, 8)?.checked_add(bytes)
    };
    let ends = || -> Option<bool> {
        let length = image.len() as u64;
        let tables = table(32, 54, 56)? <= length && table(40, 58, 60)? <= length;
        let mut sections = (0..number(60, 2)?).map(section);
        Some(tables && sections.all(|end| end.is_some_and(|end| end <= length)))
    };
    image.starts_with(b"\x7fELF\x02\x01") && ends().unwrap_or(false)
}

fn compile_text(nvrtc: &Nvrtc, text: &Text, architecture: Architecture) -> Result<Vec<u8>, BackendError> {
    nvrtc.compile(&text.source, architecture).map_err(|Refused { log }| {
        let log = explain(&log, &text.source);
        BackendError::new(format!("`{}` does not compile for {architecture}:\n{log}", text.name))
    })
}

/// An error that lists the compiler's architectures, and says what is wrong.
fn not_among(nvrtc: &Nvrtc, wrong: &str) -> BackendError {
    let (major, minor) = nvrtc.version();
    let known: Vec<_> = nvrtc.architectures().iter().map(ToString::to_string).collect();
    BackendError::new(format!("NVRTC {major}.{minor} makes machine code for {}, {wrong}", known.join(", ")))
}

/// A kernel's machine code, for devices that need not be present: what `annulus emit --cubin` writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cubin {
    /// The name by which `Cuda::cubins` finds it.
    pub file: String,
    /// The file's contents.
    pub bytes: Vec<u8>,
}

/// Whether this machine's NVRTC can compile 16-byte loads in one access. They came with CUDA 12.4 (12.3 has
/// them without system scope, which a poll of the host's memory needs). Without NVRTC the machine code was
/// made elsewhere.
pub(crate) fn compiles_sealed() -> bool {
    Nvrtc::get().map_or(true, |nvrtc| nvrtc.version() >= (12, 4))
}

/// The version of this machine's NVRTC, as (13, 0).
///
/// # Errors
///
/// If there is no NVRTC.
pub fn nvrtc_version() -> Result<(u32, u32), BackendError> {
    Nvrtc::get().map(Nvrtc::version)
}

/// Machine code of a text in CUDA's C++ that is not a kernel of Annulus, for a device of this architecture,
/// by the same compiler: for the nearest architecture that it knows, as the backend does it. What is
/// measured beside Annulus is made with this. A process compiles a text once for each architecture.
///
/// # Errors
///
/// If there is no NVRTC, or it makes nothing that the device runs, or the text does not compile: with its
/// log.
pub fn compile(name: &str, source: &str, device: Architecture) -> Result<Vec<u8>, BackendError> {
    // Without one there is nothing to ship along, which is what the error of `machine_code` speaks of.
    Nvrtc::get()?;
    let text = Text { name: name.into(), threads: 0, arrays: 0, source: source.into() };
    machine_code(&text, device, &Sources::default()).map(|(code, _)| code.to_vec())
}

/// The architectures that this machine's NVRTC compiles for.
///
/// # Errors
///
/// If there is no NVRTC.
pub fn architectures() -> Result<Vec<Architecture>, BackendError> {
    Nvrtc::get().map(|nvrtc| nvrtc.architectures().to_vec())
}

/// Machine code of a kernel for one architecture, for launches of a shape (of any number of blocks). It comes
/// with open slots and, where launches may ask for them, with [sealed](crate::Cuda::sealed) ones, each for
/// adaptive turns and for the other modes: a launch decides the mode. A kernel that may be connected, and has open
/// slots itself, comes in one more form that sends to kernels with sealed ones. The machine code of the small program
/// that probes a device when it is opened is included. Needs NVRTC, but no device.
///
/// # Errors
///
/// If there is no NVRTC, or it does not compile for the architecture.
pub fn cubins(
    definition: &'static KernelDefinition,
    shape: Shape,
    architecture: Architecture,
) -> Result<Vec<Cubin>, BackendError> {
    let nvrtc = Nvrtc::get()?;
    if !nvrtc.architectures().contains(&architecture) {
        return Err(not_among(
            nvrtc,
            &format!("not for {architecture}: name one of those, or install another version"),
        ));
    }
    let handler = handler_source(definition, Target::Cuda)
        .map_err(|error| BackendError::new(error.to_string()).caused_by(error))?;
    let threads = shape.threads.max(1);
    // Whether slots can be sealed depends on the launch's envelope as well. Without an envelope a slot is
    // smallest.
    let message = definition.message;
    let smallest = RingLayout::new(MIN_CAPACITY, message.size, message.align, Envelope::default());
    let sealed = threads > 1 && smallest.sealed().is_some() && compiles_sealed();
    let seals = shape.connectable && definition.output.is_some() && compiles_sealed();
    let kernel = |(sealed, seals), adaptive| {
        Text::new(definition.name, &handler, Shape { threads, sealed, seals, adaptive, ..shape })
    };
    let cubin = |text: &Text| {
        compile_text(nvrtc, text, architecture).map(|bytes| Cubin { file: text.file(architecture), bytes })
    };
    // How its own slots are, and those that it sends to may be.
    let slots = [Some((false, false)), seals.then_some((false, true)), sealed.then_some((true, seals))];
    let kernels =
        slots.into_iter().flatten().flat_map(|slots| [false, true].map(|adaptive| kernel(slots, adaptive)));
    kernels.chain([probe::text()]).map(|text| cubin(&text)).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const HOPPER: Architecture = Architecture::new(9, 0);

    /// NVRTC, where it is installed.
    fn nvrtc() -> Option<&'static Nvrtc> {
        Nvrtc::get().inspect_err(|missing| println!("skipped: {missing}")).ok()
    }

    fn text(name: &str, source: &str) -> Text {
        Text { name: name.into(), threads: 32, arrays: 0, source: source.into() }
    }

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("annulus-cubins-{}-{name}", std::process::id()));
            fs::create_dir_all(&path).unwrap();
            Self(path)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_files_name_tells_all_that_decides_it_but_the_compilers_version() {
        let one = text("one", "void f();");
        let name = one.file(HOPPER);
        assert!(
            name.starts_with("one-32-sm_90-") && name.len() == "one-32-sm_90-".len() + 16 + ".cubin".len(),
            "{name}"
        );
        assert_ne!(one.file(Architecture::new(8, 0)), name);
        assert_ne!(text("one", "void g();").file(HOPPER), name);
        assert_ne!(text("two", "void f();").file(HOPPER), name);
        assert_ne!(one.key(HOPPER, (13, 0)), one.key(HOPPER, (12, 9)));
        assert_ne!(one.key(HOPPER, (13, 0)), one.key(Architecture::new(8, 0), (13, 0)));
    }

    #[test]
    fn machine_code_that_was_shipped_along_is_found_for_the_nearest_architecture() {
        let folder = Folder::new("shipped");
        let kernel = text("kernel", "no C at all");
        let sources = Sources { shipped: Some(folder.0.clone()), cache: None };
        let ship = |minor, bytes: &[u8]| {
            fs::write(folder.0.join(kernel.file(Architecture::new(8, minor))), bytes).unwrap()
        };
        let found =
            |minor| machine_code(&kernel, Architecture::new(8, minor), &sources).map(|(code, _)| code[15]);
        // Only headers; a letter in their padding tells them apart. In the last one, sections lie beyond the
        // end of the file.
        let image = |letter| {
            let mut image = [0; 64];
            image[..6].copy_from_slice(b"\x7fELF\x02\x01");
            image[15] = letter;
            image
        };
        let mut torn = image(b'9');
        (torn[40], torn[58], torn[60]) = (64, 64, 1);
        ship(0, &image(b'0'));
        ship(6, &image(b'6'));
        ship(8, b"not machine code");
        ship(9, &torn);
        assert_eq!([found(0), found(5), found(6), found(9)], [Ok(b'0'), Ok(b'0'), Ok(b'6'), Ok(b'6')]);
        let error = machine_code(&kernel, HOPPER, &sources).unwrap_err().to_string();
        match Nvrtc::get() {
            Ok(_) => assert!(
                error.contains("`kernel` does not compile for sm_90:\nkernel.cu(1): error"),
                "{error}"
            ),
            Err(_) => {
                let told = ["annulus emit kernel --cubin", "Cuda::cubins", &kernel.file(HOPPER)];
                assert!(told.iter().all(|part| error.contains(part)), "{error}");
            }
        }
    }

    #[test]
    fn what_was_made_is_kept_on_disk() {
        if nvrtc().is_none() {
            return;
        }
        let folder = Folder::new("cache");
        let sources = Sources { shipped: None, cache: Some(folder.0.clone()) };
        let source = "extern \"C\" __global__ void kept(int *p) { *p = 7; }";
        let (code, _) = machine_code(&text("kept", source), HOPPER, &sources).unwrap();
        assert!(code.starts_with(b"\x7fELF"));
        let kept: Vec<_> = fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(kept.len(), 1);
        assert!(fs::read(&kept[0]).unwrap().ends_with(&code));
    }

    #[test]
    fn the_probe_compiles_for_every_architecture() {
        let Some(nvrtc) = nvrtc() else { return };
        let known = nvrtc.architectures();
        assert!(known.contains(&HOPPER), "{known:?}");
        for &architecture in known {
            let code =
                compile_text(nvrtc, &probe::text(), architecture).unwrap_or_else(|error| panic!("{error}"));
            assert!(code.windows(probe::ENTRY.len()).any(|bytes| bytes == probe::ENTRY.as_bytes()));
        }
    }

    #[test]
    fn a_generation_that_the_compiler_does_not_know_is_told() {
        if nvrtc().is_none() {
            return;
        }
        let error = machine_code(&probe::text(), Architecture::new(99, 0), &Sources::default())
            .unwrap_err()
            .to_string();
        assert!(error.contains("none of which runs on a device of sm_990: install another"), "{error}");
    }

    #[test]
    fn a_text_that_is_wrong_is_shown_with_its_rust() {
        let Some(nvrtc) = nvrtc() else { return };
        let source = "static __device__ int f(int x)\n{\n    // src/lib.rs:7\n    return x + z;\n}\n";
        let error = compile_text(nvrtc, &text("wrong", source), HOPPER).unwrap_err().to_string();
        assert!(error.contains("`wrong` does not compile for sm_90"), "{error}");
        assert!(error.contains("    return x + z;\n    from src/lib.rs:7"), "{error}");
    }
}
