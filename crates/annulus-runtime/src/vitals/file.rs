//! A vitals file: made, locked, mapped, and removed.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read},
    mem::offset_of,
    os::{
        fd::AsRawFd,
        unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt},
    },
    path::{Path, PathBuf},
    ptr::{self, NonNull},
    sync::{Arc, Once},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use annulus_abi::{
    histogram,
    vitals::{
        KernelEntry, MAGIC, PAGE, RequestPage, SUFFIX, ShardVitals, VERSION, VitalsHeader,
        bridges::MOST_BRIDGES,
        field,
        ports::ShardPorts,
        recorder::{RECORDS, Record},
    },
};
use annulus_block::RuntimeClock;
use annulus_sync::{AtomicU32, AtomicU64, Ordering};

use crate::backend::DeviceBackend;

use super::{
    Vitals, black_box,
    folder::{folders, make_own},
    fork::{self, Registered},
    parts::Parts,
};

/// How many files of dead processes are kept, and for how long. Source: this project's choice.
const KEPT: usize = 8;
const KEPT_FOR: Duration = Duration::from_secs(24 * 3600);

/// A vitals file of this process.
pub(crate) struct VitalsFile {
    path: PathBuf,
    /// When the runtime was built, in nanoseconds since 1970 UTC.
    started: u64,
    /// Keeps the lock.
    file: File,
    base: NonNull<u8>,
    bytes: usize,
    /// The process that made it. In a forked child this value is a copy, which removes nothing.
    process: u32,
    /// Taken back before the memory is unmapped.
    registered: Option<Registered>,
}

// SAFETY: the memory is reached through atomics only, and unmapped once, when the last user has dropped it.
unsafe impl Send for VitalsFile {}
// SAFETY: as for `Send`.
unsafe impl Sync for VitalsFile {}

impl VitalsFile {
    /// A new file for a runtime with so many shards; `None` if there is to be none, or none can be kept. The
    /// first time in a process that none can be kept, a warning says why.
    pub(super) fn create(
        vitals: &Vitals,
        backend: &dyn DeviceBackend,
        clock: &RuntimeClock,
        shards: usize,
    ) -> Option<Arc<Self>> {
        static WARNED: Once = Once::new();
        let candidates = match vitals {
            Vitals::Off => return None,
            Vitals::In(folder) => vec![folder.clone()],
            Vitals::Usual => folders(),
        };
        let mut why = String::from("no folder is known: set ANNULUS_DIR");
        for folder in candidates {
            match Self::create_in(&folder, backend, clock, shards) {
                Ok(file) => return Some(Arc::new(file)),
                Err(error) => why = error,
            }
        }
        WARNED.call_once(|| tracing::warn!("other processes cannot see what runs here: {why}"));
        None
    }

    fn create_in(
        folder: &Path,
        backend: &dyn DeviceBackend,
        clock: &RuntimeClock,
        shards: usize,
    ) -> Result<Self, String> {
        static CLEANED: Once = Once::new();
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        make_own(folder)?;
        CLEANED.call_once(|| clean(folder));
        let process = std::process::id();
        let started = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64);
        let name = format!("{process}-{started:x}-{}", NUMBER.fetch_add(1, Ordering::Relaxed));
        let path = folder.join(name.clone() + SUFFIX);
        let unnamed = folder.join(format!(".{name}.new"));
        let told = |error: io::Error| format!("{}: {error}", path.display());

        let parts = Parts::new(shards);
        let header = VitalsHeader {
            magic: MAGIC,
            version: VERSION,
            kernel_stride: size_of::<KernelEntry>() as u32,
            kernels_offset: parts.kernels_offset as u64,
            shards_offset: parts.shards_offset as u64,
            kernels: parts.kernels as u32,
            shards: shards as u32,
            shard_stride: size_of::<ShardVitals>() as u32,
            pid: process,
            started,
            clock_origin: monotonic_nanos().saturating_sub(clock.now()),
            boot: boot(),
            backend: field(backend.name()),
            library: field(env!("CARGO_PKG_VERSION")),
            executable: executable(),
            records_offset: parts.records_offset as u64,
            records: RECORDS as u32,
            record_stride: size_of::<Record>() as u32,
            requests_offset: parts.requests_offset as u64,
            ports_offset: parts.ports_offset as u64,
            port_stride: size_of::<ShardPorts>() as u64,
            histograms_offset: parts.histograms_offset as u64,
            histogram_stride: histogram::BYTES as u64,
            device: field(&backend.device_name()),
            // The part ends long before its page's number could be too large.
            bridges_page: (parts.bridges_offset / PAGE) as u32,
            bridges: MOST_BRIDGES as u32,
            check: 0,
        };
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .mode(0o600)
            .custom_flags(libc::O_NOFOLLOW)
            .open(&unnamed)
            .map_err(told)?;
        let made = Self::make(file, &path, parts.bytes, &header).and_then(|made| {
            // The file is whole, so it gets its name.
            fs::rename(&unnamed, &path).map(|()| made)
        });
        made.map_err(|error| {
            let _ = fs::remove_file(&unnamed);
            told(error)
        })
    }

    /// Locks the file, gives it its length, maps it, and writes its header.
    fn make(file: File, path: &Path, bytes: usize, header: &VitalsHeader) -> io::Result<Self> {
        lock(&file)?;
        file.set_len(bytes as u64)?;
        claim(&file, 0, PAGE)?;
        claim(&file, bytes - PAGE, PAGE)?;
        let base = map(&file, bytes, 0)?;
        // From here on, `Drop` unmaps.
        let VitalsHeader { pid: process, started, .. } = *header;
        let mut made = Self { path: path.to_owned(), started, file, base, bytes, process, registered: None };
        made.registered = fork::register(base, bytes, &made.file);
        if made.registered.is_none() {
            return Err(io::Error::other("this process has as many runtimes with files as it can have"));
        }
        for (i, word) in header.to_words().iter().enumerate() {
            // SAFETY: the header is shorter than the first page, which is mapped.
            let to = unsafe { base.cast::<u64>().add(i) };
            // SAFETY: the page was claimed, and is mapped for writing. Nobody else has it yet.
            unsafe { to.write(*word) };
        }
        Ok(made)
    }

    /// Its path.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// When the runtime was built, as its header says.
    pub(super) fn started(&self) -> u64 {
        self.started
    }

    /// The page in which observers ask: the last one.
    pub(super) fn requests(self: &Arc<Self>) -> Page {
        Page { file: Arc::clone(self) }
    }

    /// The memory, and its length. All zero but for the header.
    pub(super) fn mapping(&self) -> (NonNull<u8>, usize) {
        (self.base, self.bytes)
    }

    /// Claims the pages of a range, so that they can be touched. Touching a page that was not claimed ends
    /// the process if the system has no memory left. Returns whether they were claimed.
    pub(super) fn claim(&self, offset: usize, bytes: usize) -> bool {
        claim(&self.file, offset, bytes).is_ok()
    }
}

impl Drop for VitalsFile {
    fn drop(&mut self) {
        self.registered = None;
        if std::process::id() == self.process {
            // It may have been removed already.
            let _ = fs::remove_file(&self.path);
        }
        // SAFETY: it was mapped with this length, and is unmapped once. Whoever has a view of it holds this.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.bytes) };
    }
}

/// The page in which observers ask. They may write anything there, at any time.
pub(crate) struct Page {
    file: Arc<VitalsFile>,
}

impl Page {
    /// Where a word of the page is.
    fn at(&self, offset: usize) -> *mut u8 {
        // SAFETY: the page is the last one of the mapping, and words of it lie within it.
        unsafe { self.file.base.as_ptr().add(self.file.bytes - PAGE + offset) }
    }

    /// Until when observers want telemetry.
    pub(super) fn until(&self) -> u64 {
        let word = self.at(offset_of!(RequestPage, telemetry_until)).cast();
        // SAFETY: the word is aligned and was claimed; it lives as long as the file, and this process only loads it,
        // atomically. Others write it through the system.
        unsafe { AtomicU64::from_ptr(word) }.load(Ordering::Relaxed)
    }

    fn bell(&self) -> &AtomicU32 {
        // SAFETY: as for `until`; it is accessed atomically by everybody here.
        unsafe { AtomicU32::from_ptr(self.at(offset_of!(RequestPage, bell)).cast()) }
    }

    /// Rings the bell.
    pub(super) fn ring(&self) {
        // SYNC: bell (release)
        self.bell().fetch_add(1, Ordering::Release);
        // Without `FUTEX_PRIVATE_FLAG`: other processes ring it, too.
        // SAFETY: the word is mapped; waking changes no memory.
        unsafe { libc::syscall(libc::SYS_futex, self.bell().as_ptr(), libc::FUTEX_WAKE, i32::MAX) };
    }

    /// Sleeps as long as the bell says `seen`, and perhaps shorter. Returns what it says then.
    pub(super) fn wait(&self, seen: u32) -> u32 {
        let no_limit = ptr::null::<libc::timespec>();
        // SAFETY: the word is mapped; the system only loads it, and compares.
        unsafe { libc::syscall(libc::SYS_futex, self.bell().as_ptr(), libc::FUTEX_WAIT, seen, no_limit) };
        // SYNC: bell (acquire)
        self.bell().load(Ordering::Acquire)
    }
}

pub(super) fn claim(file: &File, offset: usize, bytes: usize) -> io::Result<()> {
    // SAFETY: the call takes numbers.
    match unsafe { libc::posix_fallocate(file.as_raw_fd(), offset as libc::off_t, bytes as libc::off_t) } {
        0 => Ok(()),
        code => Err(io::Error::from_raw_os_error(code)),
    }
}

/// Maps a file, for reading and writing, with these flags more.
pub(super) fn map(file: &File, bytes: usize, flags: libc::c_int) -> io::Result<NonNull<u8>> {
    let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | flags);
    // SAFETY: a new mapping of an open file changes no memory of ours.
    let base = unsafe { libc::mmap(ptr::null_mut(), bytes, protection, flags, file.as_raw_fd(), 0) };
    if base == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    NonNull::new(base.cast()).ok_or_else(|| io::ErrorKind::AddrNotAvailable.into())
}

/// A lock of the whole file, for writing.
fn whole_file() -> libc::flock {
    // SAFETY: zeros are a valid value of this structure of numbers; length 0 means up to the end, wherever it
    // is, and the lock's `l_pid` must be 0.
    let mut lock: libc::flock = unsafe { std::mem::zeroed() };
    lock.l_type = libc::F_WRLCK as libc::c_short;
    lock.l_whence = libc::SEEK_SET as libc::c_short;
    lock
}

pub(super) fn lock(file: &File) -> io::Result<()> {
    let lock = whole_file();
    // SAFETY: the structure is valid for the duration of the call.
    let outcome = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_SETLK, &raw const lock) };
    if outcome == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Whether the process that keeps this vitals file lives: whether it holds the file's lock. The file may be
/// open for reading only, and its owner does not notice.
///
/// # Errors
///
/// What the system says.
pub fn owner_lives(file: &File) -> io::Result<bool> {
    let mut lock = whole_file();
    // SAFETY: the structure is valid for the duration of the call.
    let outcome = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_GETLK, &raw mut lock) };
    if outcome == 0 {
        Ok(lock.l_type != libc::F_UNLCK as libc::c_short)
    } else {
        Err(io::Error::last_os_error())
    }
}

/// Removes what dead processes have left: all but the newest files, and what was found a day ago.
fn clean(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut dead: Vec<(SystemTime, PathBuf)> = Vec::new();
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
        let is_unnamed = name.starts_with('.') && name.ends_with(".new");
        if !is_unnamed && !name.ends_with(SUFFIX) {
            continue;
        }
        let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
        let Ok(file) = OpenOptions::new().read(true).custom_flags(flags).open(&path) else { continue };
        let Ok(metadata) = file.metadata() else { continue };
        if metadata.is_file()
            && metadata.nlink() != 0
            && matches!(owner_lives(&file), Ok(false))
            && let Ok(changed) = if is_unnamed { metadata.modified() } else { found_dead(&file, &metadata) }
        {
            dead.push((changed, path));
        }
    }
    dead.sort_by_key(|(changed, _)| std::cmp::Reverse(*changed));
    for (index, (changed, path)) in dead.iter().enumerate() {
        let is_young = changed.elapsed().is_ok_and(|age| age < KEPT_FOR) || changed.elapsed().is_err();
        // A file that is being made is locked an instant after it appears, so one that is young is left.
        let is_unnamed = path.extension().is_some_and(|extension| extension == "new");
        if !is_young || index >= KEPT && !is_unnamed {
            let _ = fs::remove_file(path);
        }
    }
    let newest: Vec<_> = dead.into_iter().map(|(_, path)| path).filter(|path| path.exists()).collect();
    black_box::clean(folder, &newest);
}

/// When a file was first found without an owner. Nobody knows when its process died: what that writes through its mapping
/// does not change the file's times. So whoever finds it first takes the owner's right to write away from it, as a mark,
/// and sets its time.
fn found_dead(file: &File, metadata: &fs::Metadata) -> io::Result<SystemTime> {
    const MARKED: u32 = 0o400;
    if metadata.mode() & 0o777 == MARKED {
        return metadata.modified();
    }
    let now = SystemTime::now();
    file.set_modified(now)?;
    file.set_permissions(fs::Permissions::from_mode(MARKED))?;
    Ok(now)
}

/// What the system's monotonic clock shows.
fn monotonic_nanos() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure is valid for the duration of the call.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// The id of this boot of the system's kernel, as the headers of vitals files have it; zeros if the system does not tell.
/// Containers on one kernel have the same one.
pub fn boot() -> [u8; 16] {
    let mut text = String::new();
    let read = File::open("/proc/sys/kernel/random/boot_id")
        .and_then(|file| file.take(64).read_to_string(&mut text));
    let digits: String = text.chars().filter(char::is_ascii_hexdigit).collect();
    match (read, u128::from_str_radix(&digits, 16)) {
        (Ok(_), Ok(id)) => id.to_be_bytes(),
        _ => [0; 16],
    }
}

/// The end of the executable's path.
fn executable() -> [u8; 256] {
    let path = std::env::current_exe().unwrap_or_default();
    let path = path.to_string_lossy();
    let mut first = path.len().saturating_sub(256);
    while !path.is_char_boundary(first) {
        first += 1;
    }
    field(&path[first..])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program that ran for days and has died is not forgotten by the next one that starts.
    #[test]
    fn bug_what_ran_for_long_is_kept_for_a_day_too() {
        let folder = std::env::temp_dir().join(format!("annulus-dead-{}", std::process::id()));
        fs::create_dir(&folder).unwrap();
        let path = folder.join(format!("1-1{SUFFIX}"));
        let black_box = folder.join(format!("1-1-1{}", annulus_abi::vitals::black_box::SUFFIX));
        let days_ago = SystemTime::now() - 2 * KEPT_FOR;
        for path in [&path, &black_box] {
            let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).unwrap();
            file.set_modified(days_ago).unwrap();
        }
        clean(&folder);
        clean(&folder);
        assert!(path.exists() && black_box.exists());
        // Two days after it was found.
        File::open(&path).unwrap().set_modified(days_ago).unwrap();
        clean(&folder);
        assert!(!path.exists() && !black_box.exists());
        fs::remove_dir(&folder).unwrap();
    }

    /// A process that was killed while it made a black box leaves as much memory taken as that would have had: it is given back
    /// when its process is found dead, and not before.
    #[test]
    fn bug_an_unfinished_black_box_ends_with_its_owner() {
        let folder = std::env::temp_dir().join(format!("annulus-unfinished-{}", std::process::id()));
        fs::create_dir(&folder).unwrap();
        let suffix = annulus_abi::vitals::black_box::SUFFIX;
        let file = |name: String| {
            let path = folder.join(name);
            let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path).unwrap();
            (path, file)
        };
        let (_, lives) = file(format!("1-1{SUFFIX}"));
        let mut lock = whole_file();
        // SAFETY: the structure is valid for the duration of the call.
        assert_eq!(unsafe { libc::fcntl(lives.as_raw_fd(), libc::F_OFD_SETLK, &raw mut lock) }, 0);
        file(format!("2-1{SUFFIX}"));
        let of = |process: u32| file(format!(".{process}-1-1{suffix}.new")).0;
        let unfinished = [of(1), of(2), of(3)];
        clean(&folder);
        // The third one's vitals file is gone already.
        assert_eq!(unfinished.each_ref().map(|path| path.exists()), [true, false, false]);
        drop(lives);
        clean(&folder);
        assert!(!unfinished[0].exists());
        fs::remove_dir_all(&folder).unwrap();
    }

    /// Black boxes of the last processes that had some are kept, whatever others have ended since.
    #[test]
    fn bug_processes_without_a_black_box_take_none_away() {
        let folder = std::env::temp_dir().join(format!("annulus-boxes-{}", std::process::id()));
        fs::create_dir(&folder).unwrap();
        let file = |name: String| {
            let path = folder.join(name);
            OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path).unwrap();
            path
        };
        let black_box =
            |process: u32| file(format!("{process}-1-1{}", annulus_abi::vitals::black_box::SUFFIX));
        let mut boxes = Vec::new();
        for process in 1..6 {
            file(format!("{process}-1{SUFFIX}"));
            boxes.extend((process < 4).then(|| black_box(process)));
            clean(&folder);
        }
        assert!(boxes.iter().map(|path| path.exists()).eq([false, true, true]));
        fs::remove_dir_all(&folder).unwrap();
    }
}
