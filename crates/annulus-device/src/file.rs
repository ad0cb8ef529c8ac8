//! Files that other users may have changed: reads are bounded, and owners are checked.

use std::{
    fs::{self, File, Metadata, OpenOptions},
    io::{self, Read},
    path::Path,
};

/// The most bytes that are read of a file: more than any program's binary has.
pub(crate) const MOST: u64 = 256 << 20;

/// The contents of a regular file of up to 256 MiB.
///
/// # Errors
///
/// What the system says, and [`io::ErrorKind::InvalidData`] for a pipe, a device, or more bytes.
pub fn read_regular(path: &Path) -> io::Result<Vec<u8>> {
    contents(open(path, true)?, |_| true)
}

/// The contents of a file that [`read_regular`] accepts, that is not a link, and that nobody else may write.
pub(crate) fn read_own(path: &Path) -> io::Result<Vec<u8>> {
    contents(open(path, false)?, |metadata| written_by_others(metadata).is_none())
}

/// Opens a file for reading. Opening a pipe does not wait for a writer; [`contents`] refuses the pipe
/// instead.
fn open(path: &Path, follow: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        let link = if follow { 0 } else { libc::O_NOFOLLOW };
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK | link);
    }
    #[cfg(not(unix))]
    if !follow && fs::symlink_metadata(path)?.is_symlink() {
        return Err(io::ErrorKind::InvalidData.into());
    }
    options.open(path)
}

/// The contents of an open file, if it is a regular one and `suits` accepts it.
fn contents(file: File, suits: impl FnOnce(&Metadata) -> bool) -> io::Result<Vec<u8>> {
    let metadata = file.metadata()?;
    if !metadata.is_file() || metadata.len() > MOST || !suits(&metadata) {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(metadata.len() as usize).map_err(|_| io::ErrorKind::OutOfMemory)?;
    // It may grow meanwhile.
    file.take(MOST).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Why a directory is not safe for files that will be run.
pub(crate) enum Public {
    /// There is no such directory, or it cannot be read.
    Absent,
    /// The reason, in words.
    Said(String),
}

/// Whether this is a directory in which nobody else may write.
pub(crate) fn is_private(directory: &Path) -> Result<(), Public> {
    let metadata = fs::metadata(directory).map_err(|_| Public::Absent)?;
    if !metadata.is_dir() {
        return Err(Public::Said("it is no directory".into()));
    }
    match written_by_others(&metadata) {
        None => Ok(()),
        Some(why) => Err(Public::Said(why)),
    }
}

/// Makes the directory and its parents, for this user alone. An existing directory is left as it is.
pub(crate) fn make_private(directory: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}

/// Makes a file, for this user alone. Nothing may have this name yet, not even a link.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Who else may write there, and what to do about it. On systems without owners the answer is: nobody.
#[cfg(unix)]
fn written_by_others(metadata: &Metadata) -> Option<String> {
    use std::os::unix::fs::MetadataExt;

    /// Write permission of the group and of everybody.
    const OTHERS: u32 = 0o022;
    // SAFETY: the call has no conditions, and always succeeds.
    let user = unsafe { libc::geteuid() };
    let owner = metadata.uid();
    // The superuser may write anywhere.
    if owner != user && owner != 0 {
        return Some(format!(
            "it belongs to user {owner}, and not to user {user}: name a directory of your own"
        ));
    }
    let mode = metadata.mode() & 0o7777;
    (mode & OTHERS != 0).then(|| format!("others may write there, by its mode {mode:03o}: chmod go-w"))
}

#[cfg(not(unix))]
fn written_by_others(_: &Metadata) -> Option<String> {
    None
}
