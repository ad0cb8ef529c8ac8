//! A vitals file that stays open, and its kernels, each watched by its own words.
//!
//! A [`look`](crate::look) opens the file, and copies all that is used of it with system calls. That is cheap enough for
//! people. Who looks a thousand times a second, or at one kernel of many, keeps the file open and mapped: then a look at a
//! kernel loads that kernel's words alone, as its own process does.
//!
//! # When the kernel's part becomes that of another
//!
//! The runtime uses the parts of kernels that have ended again. It frees the entry first, and the shards change after
//! that. A watch loads the words, and behind a fence the entry's state and number: is it in use, and the number still the
//! kernel's own, then so were the words. (SYNC: entry-freed.) Numbers are never used again. The shards may go to a kernel
//! with another entry, which leaves the old number where it was: then the state says so; or that entry is in use again,
//! and whoever sees that sees the new number. (SYNC: entry-described.)
//!
//! # When the file is cut off
//!
//! Zeros are found where it was, and the watch says [`Lost::Cut`]; see `guard`.

#[cfg(target_os = "linux")]
mod guard;
mod kernel;
mod machine;
#[cfg(target_os = "linux")]
mod mapping;
#[cfg(not(target_os = "linux"))]
#[path = "unmapped.rs"]
mod mapping;

use std::{
    fmt,
    fs::File,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use annulus_abi::vitals::read::Vitals;

use self::mapping::Mapping;
use crate::{
    Liveness, Process, Unreadable,
    attach::{Copies, monotonic_nanos, open, read_all, read_directory},
    boot,
};
pub use kernel::{KernelWatch, Lost};
pub use machine::Machine;

/// A vitals file that stays open.
///
/// The first one that is mapped ([`kernel`](Self::kernel), [`look_again`](Self::look_again)) installs a handler for the
/// signal `SIGBUS` in this process, which stays: without it, a file that somebody cuts off would end the process. It
/// passes on what is none of its business.
///
/// ```no_run
/// use annulus_observe::{Attached, files};
/// let mut attached = Attached::open(&files()[0])?;
/// let process = attached.look()?;
/// let kernel = attached.kernel(process.kernels[0].id)?;
/// for _ in 0..1000 {
///     println!("{}", kernel.poll()?);
///     std::thread::sleep(std::time::Duration::from_millis(1));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Attached {
    path: PathBuf,
    file: File,
    copies: Copies,
    mapping: Option<Arc<Mapping>>,
    /// Whether the file is of another boot, if somebody has asked.
    other_boot: OnceLock<bool>,
    /// The watches of the kernels that were looked at again.
    watches: Vec<KernelWatch>,
}

impl Attached {
    /// Opens a file.
    ///
    /// # Errors
    ///
    /// If it cannot be opened, or is no regular file.
    pub fn open(path: &Path) -> Result<Self, Unreadable> {
        let file = open(path)?;
        if !file.metadata()?.is_file() {
            return Err(Unreadable::NoFile);
        }
        Ok(Self {
            path: path.to_owned(),
            file,
            copies: Copies::default(),
            mapping: None,
            other_boot: OnceLock::new(),
            watches: Vec::new(),
        })
    }

    /// The file's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the process that keeps the file lives.
    ///
    /// # Errors
    ///
    /// What the system says.
    pub fn liveness(&self) -> Result<Liveness, Unreadable> {
        // It never changes: the header is written before the file gets its name.
        let other_boot = *self.other_boot.get_or_init(|| boot::is_of_another(&self.file));
        Ok(boot::liveness(&self.file, other_boot)?)
    }

    /// Whether the path still leads to this file: a process that ends in order removes its own.
    pub fn is_named(&self) -> bool {
        named(&self.path, &self.file)
    }

    /// Looks at the process: see [`look`](crate::look).
    ///
    /// # Errors
    ///
    /// If the file's header is damaged. Kernels whose description is damaged, or changes during the look, are left
    /// out; [`Process::damage`] counts those that are damaged.
    pub fn look(&mut self) -> Result<Process, Unreadable> {
        read_all(&self.path, &mut self.file, &mut self.copies)
    }

    /// Brings an earlier look up to date, of the kernels that it found: what [`KernelWatch::look`] says, the time, and
    /// whether the process lives. Kernels that are gone are removed. Kernels that were launched since are not found,
    /// so look anew from time to time.
    ///
    /// # Errors
    ///
    /// If the file cannot be mapped, or its header is damaged.
    pub fn look_again(&mut self, process: &mut Process) -> Result<(), Unreadable> {
        process.liveness = self.liveness()?;
        let unknown = |id: u64, watches: &[KernelWatch]| watches.iter().all(|watch| watch.id() != id);
        if process.kernels.iter().any(|kernel| unknown(kernel.id, &self.watches)) {
            self.watches = self.kernels()?;
        }
        let watches = &self.watches;
        process.kernels.retain_mut(|kernel| {
            let watch = watches.iter().find(|watch| watch.id() == kernel.id);
            watch.is_some_and(|watch| watch.look(kernel, process.liveness).is_ok())
        });
        if let Some(watch) = watches.first() {
            process.now = watch.now();
        }
        Ok(())
    }

    /// Watches a kernel, by its number.
    ///
    /// # Errors
    ///
    /// [`Unreadable::NoKernel`] if the file shows no kernel of this number, or not all of it is there; else as for
    /// [`look`](Self::look), and if the file cannot be mapped.
    pub fn kernel(&mut self, id: u64) -> Result<KernelWatch, Unreadable> {
        let all = self.kernels()?;
        all.into_iter().find(|watch| watch.id() == id).ok_or(Unreadable::NoKernel(id))
    }

    /// Watches all kernels that the file shows whole.
    fn kernels(&mut self) -> Result<Vec<KernelWatch>, Unreadable> {
        let length = usize::try_from(self.file.metadata()?.len()).unwrap_or(usize::MAX);
        read_directory(&mut self.file, &mut self.copies.directory)?;
        let vitals = Vitals::new(&self.copies.directory).map_err(Unreadable::Damaged)?;
        let mapping = match &self.mapping {
            Some(mapping) => mapping,
            None => self.mapping.insert(Arc::new(Mapping::new(&self.file, length)?)),
        };
        Ok(vitals.kernels().filter_map(|kernel| KernelWatch::new(mapping, &vitals, &kernel)).collect())
    }
}

/// Whether a path leads to an open file.
#[cfg(unix)]
fn named(path: &Path, file: &File) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |metadata: std::fs::Metadata| (metadata.dev(), metadata.ino());
    match (path.symlink_metadata(), file.metadata()) {
        (Ok(path), Ok(file)) => id(path) == id(file),
        _ => false,
    }
}

#[cfg(not(unix))]
fn named(path: &Path, _: &File) -> bool {
    path.exists()
}

/// The runtime's clock now, given what the monotonic clock showed at its beginning.
fn now(clock_origin: u64) -> u64 {
    monotonic_nanos().saturating_sub(clock_origin)
}

impl fmt::Debug for KernelWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KernelWatch").field("id", &self.id()).finish_non_exhaustive()
    }
}
