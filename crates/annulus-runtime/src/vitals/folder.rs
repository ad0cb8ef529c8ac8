//! Which folder vitals files are in.

use std::{
    env,
    path::{Path, PathBuf},
};

/// The folders in which this user's processes keep their vitals files, in the order in which they are tried:
/// `$ANNULUS_DIR` alone if it is set, else `$XDG_RUNTIME_DIR/annulus` and `/dev/shm/annulus-UID`. None of
/// them need exist.
///
/// ```
/// for folder in annulus_runtime::vitals_folders() {
///     println!("{}", folder.display());
/// }
/// ```
pub fn folders() -> Vec<PathBuf> {
    let set = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    match set("ANNULUS_DIR") {
        Some(folder) => vec![folder],
        None => {
            let runtime = set("XDG_RUNTIME_DIR").map(|folder| folder.join("annulus"));
            runtime.into_iter().chain(in_memory()).collect()
        }
    }
}

#[cfg(target_os = "linux")]
fn in_memory() -> Option<PathBuf> {
    // SAFETY: the call has no conditions, and always succeeds.
    let user = unsafe { libc::geteuid() };
    Some(format!("/dev/shm/annulus-{user}").into())
}

#[cfg(not(target_os = "linux"))]
fn in_memory() -> Option<PathBuf> {
    None
}

/// Makes the folder, for this user alone, unless it is there. Then checks that it is no link, that it is this
/// user's, and that nobody else may look into it.
#[cfg(target_os = "linux")]
pub(super) fn make_own(folder: &Path) -> Result<(), String> {
    use std::{fs::DirBuilder, io::ErrorKind, os::unix::fs::DirBuilderExt};

    let told = |error: std::io::Error| format!("{}: {error}", folder.display());
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(told(error)),
        _ => check_own(folder),
    }
}

/// Whether a folder for vitals files can be trusted: it is no link, it is this user's, and nobody else may look
/// into it.
///
/// # Errors
///
/// Why it cannot, in words.
#[cfg(target_os = "linux")]
pub fn check_own(folder: &Path) -> Result<(), String> {
    use std::{fs::symlink_metadata, os::unix::fs::MetadataExt};

    let told = |error: std::io::Error| format!("{}: {error}", folder.display());
    let metadata = symlink_metadata(folder).map_err(told)?;
    // SAFETY: the call has no conditions, and always succeeds.
    let user = unsafe { libc::geteuid() };
    let (owner, mode) = (metadata.uid(), metadata.mode() & 0o7777);
    match () {
        () if !metadata.is_dir() => Err(format!("{} is no folder", folder.display())),
        () if owner != user => {
            Err(format!("{} belongs to user {owner}, and not to user {user}", folder.display()))
        }
        () if mode & 0o077 != 0 => Err(format!(
            "others may use {}, by its mode {mode:03o}: chmod 700 {}",
            folder.display(),
            folder.display()
        )),
        () => Ok(()),
    }
}

/// On this system there are no such files.
///
/// # Errors
///
/// None.
#[cfg(not(target_os = "linux"))]
pub fn check_own(_: &Path) -> Result<(), String> {
    Ok(())
}
