//! The host's thread sanitizer: programs that it watches.

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

/// Compiles a C++ program with it, in a folder of its own, where it is called `program`.
///
/// # Errors
///
/// What the compiler said.
///
/// # Panics
///
/// If the folder or its files cannot be written.
pub fn compile(folder: &Path, text: &str) -> Result<PathBuf, String> {
    std::fs::create_dir_all(folder).expect("the folder can be made");
    let (source, program) = (folder.join("program.cpp"), folder.join("program"));
    std::fs::write(&source, text).expect("the file can be written");
    // Optimised, it reads what it may not need, where the sanitizer sees it.
    let compiled = Command::new("c++")
        .args(["-std=c++20", "-O0", "-g", "-fsanitize=thread", "-Wno-tsan", "-pthread", "-o"])
        .args([&program, &source])
        .output()
        .map_err(|error| format!("c++: {error}"))?;
    let said = String::from_utf8_lossy(&compiled.stderr).into_owned();
    if compiled.status.success() { Ok(program) } else { Err(said) }
}

/// A command that runs a program of the sanitizer, which wants addresses without randomness. One that does
/// not end within so many seconds is ended.
pub fn runs(program: &Path, seconds: u32) -> Command {
    let mut command = Command::new("timeout");
    command
        .arg(seconds.to_string())
        .args(["setarch", "-R"])
        .arg(program)
        .env("TSAN_OPTIONS", "halt_on_error=1");
    command
}

/// Whether this machine has it; says why not. Tries in a folder within this one.
pub fn is_there(folder: &Path) -> bool {
    static WORKS: OnceLock<bool> = OnceLock::new();
    *WORKS.get_or_init(|| {
        let folder = folder.join(format!("sanitizer-{}", std::process::id()));
        let works = compile(&folder, "int main() {}\n").and_then(|program| {
            let output = runs(&program, 60).output().map_err(|error| format!("timeout, setarch: {error}"))?;
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            if output.status.success() { Ok(()) } else { Err(said) }
        });
        // What is left there harms nobody.
        let _ = std::fs::remove_dir_all(&folder);
        works
            .inspect_err(|error| println!("skipped: the thread sanitizer does not work here: {error}"))
            .is_ok()
    })
}
