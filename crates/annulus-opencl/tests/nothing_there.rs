//! Machines without OpenCL: the program starts all the same, and is told what to install when it asks for a
//! device.
//!
//! What a process loads, it loads once: each case runs in a process of its own, which is told to look for
//! OpenCL where there is none.

use std::process::Command;

use annulus_opencl::OpenCl;
use annulus_runtime::Runtime;

/// What a process says whose environment has this variable.
fn said(variable: &str, value: &str) -> String {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "asked_for_a_device", "--ignored", "--nocapture"])
        .env(variable, value)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}");
    text
}

#[test]
#[ignore = "the other tests run it, each with an environment of its own"]
fn asked_for_a_device() {
    match Runtime::builder().backend(OpenCl::new()).build() {
        Ok(runtime) => println!("found {}", runtime.devices()[0].name),
        Err(error) => println!("{error}"),
    }
}

/// As far as a process with this directory in front of its path can see, the library is an empty file.
#[test]
fn without_a_library() {
    if !cfg!(target_os = "linux") {
        return println!("skipped: how a library is hidden is Linux's way");
    }
    let directory = std::env::temp_dir().join(format!("annulus-no-library-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::write(directory.join("libOpenCL.so.1"), "").unwrap();
    let said = said("LD_LIBRARY_PATH", directory.to_str().unwrap());
    std::fs::remove_dir_all(&directory).unwrap();
    assert!(said.contains("does not load: ") && said.contains("file too short"), "{said}");
    assert!(said.contains("install"), "{said}");
}

#[test]
fn without_a_driver() {
    let said = said("OCL_ICD_VENDORS", "/nowhere");
    assert!(said.contains("install"), "{said}");
    assert!(!said.contains("found"), "{said}");
}
