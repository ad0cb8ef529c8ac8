//! After each build we asked PoCL for the program's binary, to keep it. For that PoCL built the kernel once
//! more, for groups of any size: a third of a cold start, of which nothing ran; and PoCL keeps what it builds
//! by itself.
#![cfg(target_os = "linux")]

extern crate annulus_runtime as annulus;

mod common;

use std::{env, fs, path::Path};

use annulus_opencl::OpenCl;
use annulus_runtime::LaunchOptions;
use common::{Number, echo};

/// How many folders of this name there are below another one.
fn count(folder: &Path, name: &str) -> usize {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    let paths = entries.map(|entry| entry.expect("a folder can be read").path());
    paths.map(|path| usize::from(path.ends_with(name)) + count(&path, name)).sum()
}

#[test]
fn it_builds_what_runs() {
    let cache = env::temp_dir().join(format!("annulus-pocl-builds-{}", std::process::id()));
    // SAFETY: nobody else of this process reads or writes its environment by now.
    unsafe { env::set_var("POCL_CACHE_DIR", cache.join("pocl")) };
    let backend = OpenCl::new().cache_directory(cache.join("annulus"));
    let Some(runtime) = common::runtime(backend) else { return };
    let kernel = echo::launch(&runtime, LaunchOptions::default()).unwrap();
    assert_eq!(kernel.call_blocking(Number { value: 7 }), Ok(Number { value: 7 }));
    drop((kernel, runtime));
    if !cache.join("pocl").exists() {
        return println!("skipped: the first OpenCL device is not PoCL's");
    }
    let built = (count(&cache, "1-1-1-goffs0-smallgrid"), count(&cache, "0-0-0"));
    fs::remove_dir_all(&cache).expect("PoCL has written something there");
    assert_eq!(built, (2, 0), "the probe and the kernel; nothing for groups of any size");
}
