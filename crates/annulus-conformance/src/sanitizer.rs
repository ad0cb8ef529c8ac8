//! The host's thread sanitizer: programs that it watches.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

use crate::made::made;

/// The program that a C++ text becomes with it; the text is written into a folder.
///
/// # Errors
///
/// What the compiler said.
///
/// # Panics
///
/// If the folder or its files cannot be written.
pub fn compile(folder: &Path, text: &str) -> Result<PathBuf, String> {
    // Optimised, it reads what it may not need, where the sanitizer sees it.
    const OPTIONS: [&str; 6] = ["-std=c++20", "-O0", "-g", "-fsanitize=thread", "-Wno-tsan", "-pthread"];
    std::fs::create_dir_all(folder).expect("the folder can be made");
    let source = folder.join("program.cpp");
    std::fs::write(&source, text).expect("the file can be written");
    let made_of = format!("{OPTIONS:?}\n{text}");
    let arguments = || Ok(OPTIONS.iter().map(OsString::from).chain([source.into_os_string()]).collect());
    made("c++", &made_of, &folder.with_file_name("sanitized"), arguments, |_| false)
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
