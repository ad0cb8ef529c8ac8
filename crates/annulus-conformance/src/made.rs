//! Files that the host's C and C++ compilers make, each made once.

use std::{
    ffi::OsString,
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    process::Command,
    thread,
};

/// Where they are kept beyond one build of the tests: `./test` sets this.
const CACHE: &str = "ANNULUS_TEST_CACHE";

/// The file that a compiler makes of these texts. What the same compiler made of the same `made_of` before is taken as it is:
/// this is all that decides what comes of it, besides the compiler. Else `arguments` gives the compiler's arguments, to which
/// `-o FILE` is added. `folder` has the files if the variable `ANNULUS_TEST_CACHE` names no folder; its last part names
/// their kind.
///
/// # Errors
///
/// What the compiler said, if it failed or said something that `is_refused`; why it does not start; what `arguments` gave.
///
/// # Panics
///
/// If the folder or its files cannot be written.
pub fn made(
    compiler: &str,
    made_of: &str,
    folder: &Path,
    arguments: impl FnOnce() -> Result<Vec<OsString>, String>,
    is_refused: impl Fn(&str) -> bool,
) -> Result<PathBuf, String> {
    let failed = |error| format!("the compiler `{compiler}` does not start: {error}");
    let version = Command::new(compiler).arg("-v").output().map_err(failed)?;
    // Two numbers of 64 bits: one alone might be the same for two texts.
    let [first, second] = [0u8, 1].map(|seed| {
        let mut hasher = DefaultHasher::new();
        (seed, &version.stderr, made_of).hash(&mut hasher);
        hasher.finish()
    });
    let cache = std::env::var_os(CACHE).filter(|cache| !cache.is_empty());
    let folder = match (cache, folder.file_name()) {
        (Some(cache), Some(kind)) => PathBuf::from(cache).join(kind),
        _ => folder.to_owned(),
    };
    let path = folder.join(format!("{first:016x}{second:016x}"));
    if path.exists() {
        return Ok(path);
    }
    fs::create_dir_all(&folder).expect("the folder can be made");
    // Others see the whole file, or none: it is made under a name that no other thread of any process has.
    let own = path.with_extension(format!("{}-{:?}", std::process::id(), thread::current().id()));
    let output = Command::new(compiler).args(arguments()?).arg("-o").arg(&own).output().map_err(failed)?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() || is_refused(&said) {
        let _ = fs::remove_file(&own);
        return Err(said);
    }
    fs::rename(&own, &path).expect("the file can be moved");
    Ok(path)
}
