//! Machines without CUDA: the program starts all the same, and is told what to install when it asks for a
//! device.
//!
//! What a process loads, it loads once: each case runs in a process of its own, which is told to look for
//! CUDA where there is none.

use std::process::Command;

use annulus_cuda::Cuda;
use annulus_runtime::Runtime;

#[test]
#[ignore = "the other test runs it, with an environment of its own"]
fn asked_for_a_device() {
    match Runtime::builder().backend(Cuda::new()).build() {
        Ok(runtime) => println!("found {}", runtime.devices()[0].name),
        Err(error) => println!("{error}"),
    }
}

/// As far as a process with this directory in front of its path can see, the driver is an empty file.
#[test]
fn without_a_driver() {
    if !cfg!(target_os = "linux") {
        return println!("skipped: how a library is hidden is Linux's way");
    }
    let directory = std::env::temp_dir().join(format!("annulus-no-cuda-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    for name in ["libcuda.so", "libcuda.so.1"] {
        std::fs::write(directory.join(name), "").unwrap();
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "asked_for_a_device", "--ignored", "--nocapture"])
        .env("LD_LIBRARY_PATH", &directory)
        .output()
        .unwrap();
    std::fs::remove_dir_all(&directory).unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("no CUDA driver that loads: install NVIDIA's driver"), "{said}");
}
