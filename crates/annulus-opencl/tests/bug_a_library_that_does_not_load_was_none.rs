//! A driver that is there and lacks a library of its own was told as "no device", and an OpenCL library as
//! "no library". The loader's own reason is told. Alone in its process, whose environment it changes.
#![cfg(target_os = "linux")]

use std::{fs, path::PathBuf};

use annulus_opencl::OpenCl;
use annulus_runtime::Runtime;

#[test]
fn the_loaders_reason_is_told() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("loader-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    // No library, but a file.
    let library = folder.join("libdriver.so");
    fs::write(&library, "not a library").unwrap();
    fs::write(folder.join("driver.icd"), format!("{}\n", library.display())).unwrap();
    // SAFETY: the process's only test, and nothing of C runs yet.
    unsafe { std::env::set_var("OCL_ICD_VENDORS", &folder) };
    let error =
        Runtime::builder().backend(OpenCl::new()).build().expect_err("there is no device").to_string();
    fs::remove_dir_all(&folder).unwrap();
    if error.contains("no OpenCL library that loads") {
        return println!("skipped: {error}");
    }
    let reason = format!("`{}` does not load: ", library.display());
    assert!(error.contains(&reason), "{error}");
    assert!(error.contains("file too short") || error.contains("invalid ELF header"), "{error}");
}
