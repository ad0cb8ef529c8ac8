//! Where NVRTC lies, NVIDIA's compiler for kernels: found here, so that every program that is started finds
//! it.

use std::{
    env,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

/// The variable by which Annulus is told.
const FOLDER: &str = "ANNULUS_NVRTC";
/// The variable by which the system's loader is told: the compiler loads a library of its folder by its name.
const LOADER: &str = "LD_LIBRARY_PATH";

/// Folders in which it lies where CUDA's toolkit or the Python package nvidia-cuda-nvrtc was installed. A `*`
/// stands for any name, or a part of one.
const PLACES: [&str; 12] = [
    "/usr/local/cuda/lib64",
    "/usr/local/cuda*/lib64",
    "/usr/local/cuda*/targets/*/lib",
    "/opt/cuda/lib64",
    "/opt/nvidia/hpc_sdk/*/*/cuda/lib64",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "~/.cache/annulus/nvrtc-*/nvidia/*/lib",
    "~/.local/lib/python3*/site-packages/nvidia/*/lib",
    "/usr/local/lib/python3*/*-packages/nvidia/*/lib",
    "/usr/lib/python3*/*-packages/nvidia/*/lib",
];

/// The variables to be set for every program; none if the compiler is nowhere, or needs none.
pub(crate) fn variables(beside: &Path) -> Vec<(&'static str, OsString)> {
    let said = env::var_os(FOLDER).map(PathBuf::from);
    let before = env::var_os(LOADER);
    // What the loader finds by itself comes first: whoever set its path meant it.
    let of_loader = before.iter().flat_map(env::split_paths);
    let beside = [beside.join("nvrtc"), beside.join("../nvrtc")];
    let environments = ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(env::var_os);
    let environments = environments.map(|folder| {
        Path::new(&folder).join("lib/python3*/site-packages/nvidia/*/lib").display().to_string()
    });
    let usual = PLACES.map(String::from).into_iter().chain(environments).flat_map(|pattern| expand(&pattern));
    let mut candidates = of_loader.chain(beside).chain(usual);
    let Some(folder) = said.or_else(|| candidates.find(|folder| has_compiler(folder))) else {
        return Vec::new();
    };
    let mut path = vec![folder.clone()];
    path.extend(before.iter().flat_map(env::split_paths));
    let joined = env::join_paths(path).unwrap_or_else(|_| folder.clone().into());
    vec![(FOLDER, folder.into()), (LOADER, joined)]
}

/// Whether a folder has the library, under any version.
fn has_compiler(folder: &Path) -> bool {
    let Ok(entries) = fs::read_dir(folder) else { return false };
    entries.flatten().any(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        name == "libnvrtc.so" || name.starts_with("libnvrtc.so.")
    })
}

/// The folders that a pattern stands for, those that sort last first: newer versions before older ones.
fn expand(pattern: &str) -> Vec<PathBuf> {
    let home = env::var("HOME").unwrap_or_default();
    let pattern = pattern.replacen('~', &home, 1);
    let mut found = vec![PathBuf::from("/")];
    for part in pattern.split('/').filter(|part| !part.is_empty()) {
        found = found.into_iter().flat_map(|folder| children(&folder, part)).collect();
    }
    found
}

fn children(folder: &Path, part: &str) -> Vec<PathBuf> {
    let Some((start, end)) = part.split_once('*') else {
        let child = folder.join(part);
        return if child.is_dir() { vec![child] } else { Vec::new() };
    };
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let fits =
        |name: &str| name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end);
    let mut names: Vec<String> =
        entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.retain(|name| fits(name));
    names.sort_unstable_by(|a, b| b.cmp(a));
    names.into_iter().map(|name| folder.join(name)).filter(|path| path.is_dir()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_stand_for_folders_newest_first() {
        let folder = env::temp_dir().join(format!("annulus-gpu-places-{}", std::process::id()));
        for name in ["cuda-12.6/lib64", "cuda-13.0/lib64", "cuda-13.0/bin", "other/lib64"] {
            fs::create_dir_all(folder.join(name)).unwrap();
        }
        let found = expand(&format!("{}/cuda-*/lib64", folder.display()));
        assert_eq!(found, [folder.join("cuda-13.0/lib64"), folder.join("cuda-12.6/lib64")]);
        assert!(!has_compiler(&found[0]));
        fs::write(found[0].join("libnvrtc.so.13"), "").unwrap();
        assert!(has_compiler(&found[0]));
        fs::remove_dir_all(&folder).unwrap();
    }
}
