//! Built programs on disk.
//!
//! An entry's name is a hash of everything that decides the binary: device, driver, options and source, as
//! the backend states them. The entry contains a line that names this format, the binary's own hash, and the
//! binary. An entry that does not match its hash counts as absent. An entry is written under another name and
//! then renamed, so a reader finds all of it or nothing. A cache that cannot be used costs time, but never
//! makes a launch fail.
//!
//! The binaries in the cache are run. So a directory is used only if nobody else may write in it, and an
//! entry only if it is a regular file of bounded size that nobody else may write. Links are not followed, and
//! the checks are made on the open file, not on its name. A user who may write in a parent directory could
//! replace this directory, but not with one that belongs to this user.

use std::{
    collections::BTreeSet,
    env, fs,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use annulus_sync::{AtomicU64, Ordering};
use sha2::{Digest, Sha256};

use crate::file;

const MAGIC: &[u8] = b"annulus program 1\n";
const HASH: usize = 32;

/// The entry of one program.
#[derive(Debug)]
pub(crate) struct Cache {
    directory: PathBuf,
    entry: PathBuf,
}

/// Where a backend's programs are kept by default: `annulus` and the backend's name in the user's cache
/// directory. `None` if the user has no such directory.
pub fn default_directory(backend: &str) -> Option<PathBuf> {
    let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))?;
    Some(base.join("annulus").join(backend))
}

impl Cache {
    /// The entry for the program that this key describes.
    pub(crate) fn new(directory: &Path, key: &str) -> Self {
        let name: String = Sha256::digest(key).iter().map(|byte| format!("{byte:02x}")).collect();
        Self { directory: directory.into(), entry: directory.join(name) }
    }

    /// The binary, if a complete one is there.
    pub(crate) fn read(&self) -> Option<Vec<u8>> {
        if !self.is_private() {
            return None;
        }
        let bytes = file::read_own(&self.entry).ok()?;
        let rest = bytes.strip_prefix(MAGIC)?;
        let (hash, binary) = rest.split_at_checked(HASH)?;
        (hash == Sha256::digest(binary).as_slice()).then(|| binary.to_vec())
    }

    /// Stores a binary.
    pub(crate) fn write(&self, binary: &[u8]) {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        if (MAGIC.len() + HASH + binary.len()) as u64 > file::MOST
            || file::make_private(&self.directory).is_err()
            || !self.is_private()
        {
            return;
        }
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let draft = self.entry.with_extension(format!("{}-{count}", std::process::id()));
        if self.write_to(&draft, binary).is_err() {
            // A binary that cannot be written is not kept; an incomplete draft does no harm.
            let _ = fs::remove_file(&draft);
        }
    }

    fn write_to(&self, draft: &Path, binary: &[u8]) -> io::Result<()> {
        let mut file = file::create(draft)?;
        file.write_all(MAGIC)?;
        file.write_all(&Sha256::digest(binary))?;
        file.write_all(binary)?;
        drop(file);
        fs::rename(draft, &self.entry)
    }

    /// Whether nobody else may write in the directory. If somebody may, this is reported once.
    fn is_private(&self) -> bool {
        static SAID: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
        let why = match file::is_private(&self.directory) {
            Ok(()) => return true,
            Err(file::Public::Absent) => return false,
            Err(file::Public::Said(why)) => why,
        };
        // A subscriber of the warning is the program's code: it must not run under a lock.
        let is_new = SAID.lock().unwrap_or_else(PoisonError::into_inner).insert(self.directory.clone());
        if is_new {
            let directory = self.directory.display();
            tracing::warn!("programs are not kept in {directory}, and none is taken from there: {why}");
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Directory(PathBuf);

    impl Directory {
        fn new(name: &str) -> Self {
            Self(env::temp_dir().join(format!("annulus-cache-test-{}-{name}", std::process::id())))
        }
    }

    impl Drop for Directory {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_binary_is_found_under_its_own_key_only() {
        let directory = Directory::new("found");
        let cache = Cache::new(&directory.0, "one");
        assert_eq!(cache.read(), None);
        cache.write(b"binary");
        assert_eq!(Cache::new(&directory.0, "one").read().as_deref(), Some(&b"binary"[..]));
        assert_eq!(Cache::new(&directory.0, "two").read(), None);
        assert_eq!(fs::read_dir(&directory.0).unwrap().count(), 1, "no draft is left");
    }

    #[test]
    fn a_damaged_entry_counts_as_absent() {
        let directory = Directory::new("damaged");
        let cache = Cache::new(&directory.0, "key");
        cache.write(b"a longer binary");
        let whole = fs::read(&cache.entry).unwrap();
        for length in 0..whole.len() {
            fs::write(&cache.entry, &whole[..length]).unwrap();
            assert_eq!(cache.read(), None, "cut after {length} bytes");
        }
        for place in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[place] ^= 1;
            fs::write(&cache.entry, bytes).unwrap();
            assert_eq!(cache.read(), None, "byte {place} changed");
        }
    }

    #[test]
    fn a_cache_that_cannot_be_written_is_no_error() {
        let directory = Directory::new("a-file");
        fs::write(&directory.0, "not a directory").unwrap();
        let cache = Cache::new(&directory.0, "key");
        cache.write(b"binary");
        assert_eq!(cache.read(), None);
        fs::remove_file(&directory.0).unwrap();
    }
}
