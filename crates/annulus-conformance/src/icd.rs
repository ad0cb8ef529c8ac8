//! OpenCL implementations that stand beside the machine's own, each chosen for a whole process.
//!
//! A loader reads `OCL_ICD_VENDORS` once, when the process first asks for OpenCL: so a test binary that uses
//! one of these uses no other.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

/// An implementation, and what it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Implementation {
    /// Mesa's rusticl on the processor (llvmpipe).
    Rusticl,
    /// Intel's runtime for processors: in the folder that `ANNULUS_INTEL_OPENCL` names, else in
    /// `annulus/intel-opencl` of the user's cache, where `lib` holds the files of the Python packages
    /// `intel-opencl-rt`, `intel-cmplr-lib-rt` and `tbb`.
    Intel,
}

/// Makes this the process's only implementation. Before the process's first use of OpenCL, by one thread.
///
/// # Errors
///
/// If it is not on this machine: says what to install.
pub fn choose(which: Implementation) -> Result<(), String> {
    let driver = match which {
        Implementation::Rusticl => rusticl()?,
        Implementation::Intel => intel()?,
    };
    let folder = Path::new(env!("OUT_DIR")).join(format!("icd-{which:?}-{}", std::process::id()));
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    fs::create_dir_all(&folder).map_err(failed)?;
    fs::write(folder.join("only.icd"), driver + "\n").map_err(failed)?;
    // SAFETY: Rust's own accesses to the environment are ordered by a lock; no C code of this process reads
    // it before OpenCL's loader does, which comes after this.
    unsafe { env::set_var("OCL_ICD_VENDORS", &folder) };
    if which == Implementation::Rusticl {
        // SAFETY: as above.
        unsafe { env::set_var("RUSTICL_ENABLE", "llvmpipe") };
    }
    Ok(())
}

fn rusticl() -> Result<String, String> {
    let file = "/etc/OpenCL/vendors/rusticl.icd";
    let text =
        fs::read_to_string(file).map_err(|_| format!("there is no {file}: install mesa-opencl-icd"))?;
    Ok(text.trim().into())
}

fn intel() -> Result<String, String> {
    let cache = || {
        let cache = env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
        Some(
            cache
                .or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cache")))?
                .join("annulus/intel-opencl"),
        )
    };
    let folder = env::var_os("ANNULUS_INTEL_OPENCL").map(PathBuf::from).or_else(cache);
    let library = folder.unwrap_or_default().join("lib/libintelocl.so");
    match library.exists() {
        true => Ok(library.display().to_string()),
        false => Err(format!(
            "{} is not there: unpack the Python packages intel-opencl-rt, intel-cmplr-lib-rt and tbb, or run `./test --long`",
            library.display()
        )),
    }
}
