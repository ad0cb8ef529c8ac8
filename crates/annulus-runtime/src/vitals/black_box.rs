//! Black boxes: the memory of a kernel as a file beside the vitals file.
//!
//! [`annulus_abi::vitals::black_box`] says what the file holds. It is claimed whole and mapped before the kernel is laid out
//! in it, and gets its name when its header is whole. It loses its name with the kernel, unless the process dies before;
//! its memory may stay longer, until a device lets go of it. Like the vitals file it is locked for as long as its process
//! has it.

use std::{
    fs::{self, File, OpenOptions},
    io,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    ptr::NonNull,
    sync::Arc,
    time::SystemTime,
};

use annulus_abi::vitals::{
    PAGE, SUFFIX,
    black_box::{self, BoxHeader},
};
use annulus_ring::memory::SharedMemory;

use super::{
    file::{VitalsFile, claim, lock, map, owner_lives},
    fork::{self, Registered},
};

/// Of how many dead processes the black boxes are kept. Source: this project's choice: the memory of a crash, and of the
/// one before.
const KEPT_BOXES: usize = 2;

/// The name of a black box. The file loses it when this is dropped, but not in a forked child.
pub(crate) struct BoxName {
    path: PathBuf,
    process: u32,
}

impl BoxName {
    /// Where the file is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for BoxName {
    fn drop(&mut self) {
        if std::process::id() == self.process {
            // It may have been removed already.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// A kernel's memory in a new black box.
pub(crate) struct Boxed {
    /// That of its shards: zero, from a page on, and whole pages.
    pub(crate) shards: SharedMemory,
    /// That of what the blocks of a device are at, likewise.
    pub(crate) records: Option<SharedMemory>,
    /// Goes with the kernel.
    pub(crate) name: BoxName,
}

/// The file of a kernel's memory.
struct BlackBox {
    /// Keeps the lock.
    _file: File,
    base: NonNull<u8>,
    bytes: usize,
    /// Taken back before the memory is unmapped.
    registered: Option<Registered>,
    /// Removed after this one, which has lost its name by then: whoever finds a box without its vitals file may remove it.
    _vitals: Arc<VitalsFile>,
}

// SAFETY: the memory is reached by way of `SharedMemory` only, whose rules make this sound, and unmapped once, when its
// last user has dropped it.
unsafe impl Send for BlackBox {}
// SAFETY: as for `Send`.
unsafe impl Sync for BlackBox {}

impl VitalsFile {
    /// Memory for so many bytes of shards, and of blocks' records, if there are any, in a new file: its header says what
    /// `header` says, and where the parts are. Its `at_offset` is that of the first word in the records.
    ///
    /// # Errors
    ///
    /// Why there is none, in words.
    pub(super) fn black_box(
        self: &Arc<Self>,
        header: BoxHeader,
        ty: &[u8],
        shards: usize,
        records: usize,
    ) -> Result<Boxed, String> {
        let vitals = self.path();
        let path = box_of(vitals, header.kernel);
        let told = |error: io::Error| format!("{}: {error}", path.display());
        let folder = vitals.parent().unwrap_or(Path::new("/"));
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let unnamed = folder.join(format!(".{name}.new"));

        let type_offset = size_of::<BoxHeader>();
        let shards_offset = (type_offset + ty.len()).next_multiple_of(PAGE);
        let too_large = "it would be larger than memory can be";
        let shards = shards.checked_next_multiple_of(PAGE).ok_or(too_large)?;
        let records_offset = shards_offset.checked_add(shards).ok_or(too_large)?;
        let records = records.next_multiple_of(PAGE);
        let bytes = records_offset.checked_add(records).ok_or(too_large)?;
        let header = BoxHeader {
            shards_offset: shards_offset as u64,
            at_offset: if records == 0 { 0 } else { header.at_offset + records_offset as u64 },
            type_offset: type_offset as u64,
            type_bytes: ty.len() as u64,
            type_check: black_box::type_check(ty),
            started: self.started(),
            ..header
        };
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .mode(0o600)
            .custom_flags(libc::O_NOFOLLOW)
            .open(&unnamed)
            .map_err(told)?;
        let made = Self::make_box(Arc::clone(self), file, &path, bytes, &header, ty).and_then(|made| {
            // The file is whole, so it gets its name.
            fs::rename(&unnamed, &path).map_err(told).map(|()| made)
        });
        let made = Arc::new(made.inspect_err(|_| _ = fs::remove_file(&unnamed))?);
        let name = BoxName { path, process: std::process::id() };
        let part = |offset: usize, bytes: usize| {
            // SAFETY: the offset lies within the mapping: it is that of the shards, or of the records, which follow.
            let first = unsafe { made.base.add(offset) };
            // SAFETY: the place is aligned to a page, and so many bytes of the mapping follow, all of which were claimed,
            // are zero, and nobody else's: the parts do not overlap. They stay until all owners are dropped.
            unsafe { SharedMemory::from_raw(first, bytes, Box::new(Arc::clone(&made))) }
        };
        let records = (records != 0).then(|| part(records_offset, records));
        Ok(Boxed { shards: part(shards_offset, shards), records, name })
    }

    /// Locks the file, claims it whole, maps it, and writes its header and its type.
    fn make_box(
        vitals: Arc<Self>,
        file: File,
        path: &Path,
        bytes: usize,
        header: &BoxHeader,
        ty: &[u8],
    ) -> Result<BlackBox, String> {
        let told = |error: io::Error| format!("{}: {error}", path.display());
        lock(&file).map_err(told)?;
        while let Err(error) = claim(&file, 0, bytes) {
            // What others have left takes no room from those who live.
            if error.raw_os_error() != Some(libc::ENOSPC) || !remove_oldest(path.parent()) {
                return Err(format!(
                    "{} finds no {bytes} bytes ({error}): launch it with a smaller capacity or grid, or set ANNULUS_DIR \
                     to a folder with more room",
                    path.display()
                ));
            }
        }
        let base = map(&file, bytes, libc::MAP_POPULATE).map_err(told)?;
        let registered = fork::register(base, bytes, &file);
        // From here on, `Drop` unmaps.
        let made = BlackBox { _file: file, base, bytes, registered, _vitals: vitals };
        if made.registered.is_none() {
            return Err("this process has as many runtimes and black boxes with files as it can have".into());
        }
        let words = header.to_words();
        let (from, to) = (words.as_ptr().cast::<u8>(), base.as_ptr());
        // SAFETY: the header is shorter than the first page, which was claimed, and is mapped for writing. Nobody else
        // has it yet.
        unsafe { to.copy_from_nonoverlapping(from, size_of_val(&words)) };
        // SAFETY: the header lies within the mapping.
        let behind = unsafe { to.add(size_of_val(&words)) };
        // SAFETY: as for the header: the shards, which follow, begin behind the type.
        unsafe { behind.copy_from_nonoverlapping(ty.as_ptr(), ty.len()) };
        Ok(made)
    }
}

impl Drop for BlackBox {
    fn drop(&mut self) {
        self.registered = None;
        // SAFETY: it was mapped with this length, and is unmapped once. Whoever has a view of it holds this.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.bytes) };
    }
}

/// The black box of a launch of the runtime with this vitals file.
fn box_of(vitals: &Path, launch: u64) -> PathBuf {
    let name = vitals.file_name().unwrap_or_default().to_string_lossy();
    let name = name.strip_suffix(SUFFIX).unwrap_or(&name);
    vitals.with_file_name(format!("{name}-{launch}{}", black_box::SUFFIX))
}

/// The vitals file that a black box belongs to, if it is called like one.
pub(super) fn vitals_of(black_box: &Path) -> Option<PathBuf> {
    let name = black_box.file_name()?.to_str()?.strip_suffix(black_box::SUFFIX)?;
    let (runtime, launch) = name.rsplit_once('-')?;
    launch.parse::<u64>().ok()?;
    Some(black_box.with_file_name(runtime.to_owned() + SUFFIX))
}

/// The black boxes of dead processes in a folder, and when they were changed last.
fn dead_boxes(folder: &Path) -> Vec<(SystemTime, PathBuf)> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    paths
        .filter(|path| vitals_of(path).is_some())
        .filter_map(|path| {
            let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
            let file = OpenOptions::new().read(true).custom_flags(flags).open(&path).ok()?;
            let metadata = file.metadata().ok()?;
            let is_dead = metadata.is_file() && matches!(owner_lives(&file), Ok(false));
            is_dead.then_some((metadata.modified().ok()?, path))
        })
        .collect()
}

/// Black boxes that dead processes were about to make: they show nothing, and may be as large as memory. A process that lives has a
/// vitals file and holds its lock, also between making a black box and locking that.
fn unfinished(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let lives = |vitals: &Path| {
        let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
        match OpenOptions::new().read(true).custom_flags(flags).open(vitals) {
            // What cannot be told may live.
            Ok(file) => !matches!(owner_lives(&file), Ok(false)),
            Err(error) => error.kind() != io::ErrorKind::NotFound,
        }
    };
    let is_unfinished = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        let name = name.and_then(|name| name.strip_prefix('.')?.strip_suffix(".new"));
        let vitals = name.and_then(|name| vitals_of(&path.with_file_name(name)));
        vitals.is_some_and(|vitals| !lives(&vitals))
    };
    paths.filter(is_unfinished).collect()
}

/// Removes the black boxes of dead processes, except those of the last ones that had some. Given are the vitals files of dead
/// processes, the newest first.
pub(super) fn clean(folder: &Path, newest: &[PathBuf]) {
    for path in unfinished(folder) {
        let _ = fs::remove_file(path);
    }
    let boxes = dead_boxes(folder);
    let has_box = |vitals: &&PathBuf| boxes.iter().any(|(_, path)| vitals_of(path).as_ref() == Some(*vitals));
    let kept: Vec<_> = newest.iter().filter(has_box).take(KEPT_BOXES).collect();
    for (_, path) in &boxes {
        if !vitals_of(path).is_some_and(|vitals| kept.contains(&&vitals)) {
            let _ = fs::remove_file(path);
        }
    }
}

/// Removes the oldest black box of a dead process. Returns whether there was one.
fn remove_oldest(folder: Option<&Path>) -> bool {
    let oldest = folder.and_then(|folder| dead_boxes(folder).into_iter().min());
    oldest.is_some_and(|(_, path)| fs::remove_file(path).is_ok())
}
