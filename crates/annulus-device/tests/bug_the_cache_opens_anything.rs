//! A launch waited for ever for a pipe in the cache, read a device into memory without end, followed links,
//! and ran what lay in a directory in which anybody may write.
#![cfg(unix)]

use std::{
    fs::{self, File, Permissions},
    io::ErrorKind,
    os::unix::fs::{PermissionsExt, chown, symlink},
    path::{Path, PathBuf},
    process::Command,
    sync::{Arc, Mutex, PoisonError},
};

use annulus_device::{Programs, read_regular};
use tracing::{Event, Metadata, Subscriber, field::Visit, span};

/// A folder of a test's own, with a place for programs in it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("annulus-cache-{}-{name}", std::process::id()));
        fs::create_dir(&folder).unwrap();
        Self(folder)
    }

    fn programs(&self) -> PathBuf {
        self.0.join("programs")
    }

    /// The one entry.
    fn entry(&self) -> PathBuf {
        let mut entries = fs::read_dir(self.programs()).unwrap();
        let entry = entries.next().expect("an entry").unwrap().path();
        assert!(entries.next().is_none());
        entry
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Whether a program is taken from the directory by a process that has none; if not, it is built, and kept if
/// it may be.
fn is_kept(directory: &Path) -> bool {
    let mut built = false;
    let program = Programs::default().get(
        "key".into(),
        Some(directory),
        |binary| Some(binary.to_vec()),
        || {
            built = true;
            Ok::<_, ()>(b"program".to_vec())
        },
        |program| Some(program.clone()),
    );
    assert_eq!(*program.unwrap().0, b"program");
    !built
}

/// Tests that have something to say about directories hold this: `tracing` may miss an event whose place in the text another
/// thread, without a subscriber, comes to for the first time meanwhile.
static SAYS: Mutex<()> = Mutex::new(());

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_private_directory_is_used() {
    let folder = Folder::new("private");
    assert!(!is_kept(&folder.programs()));
    assert!(is_kept(&folder.programs()));
    assert_eq!(fs::metadata(folder.programs()).unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!(fs::metadata(folder.entry()).unwrap().permissions().mode() & 0o777, 0o600);
    // Whoever may only read there is welcome, and a link to a directory of one's own is one's own.
    set_mode(&folder.programs(), 0o755);
    set_mode(&folder.entry(), 0o644);
    symlink(folder.programs(), folder.0.join("link")).unwrap();
    assert!(is_kept(&folder.0.join("link")));
}

#[test]
fn an_entry_is_a_file_of_ones_own() {
    let folder = Folder::new("entry");
    assert!(!is_kept(&folder.programs()));
    let (entry, elsewhere) = (folder.entry(), folder.0.join("elsewhere"));
    fs::rename(&entry, &elsewhere).unwrap();

    // The same bytes, but by a link.
    symlink(&elsewhere, &entry).unwrap();
    assert!(!is_kept(&folder.programs()));
    // What is built takes the link's place, and not that of the file behind it.
    assert!(!fs::symlink_metadata(&entry).unwrap().is_symlink());
    assert!(is_kept(&folder.programs()));

    for strange in ["/dev/zero", "/dev/stdin", "/nowhere"] {
        fs::remove_file(&entry).unwrap();
        symlink(strange, &entry).unwrap();
        assert!(!is_kept(&folder.programs()), "{strange}");
    }

    fs::remove_file(&entry).unwrap();
    assert!(Command::new("mkfifo").arg("-m").arg("600").arg(&entry).status().unwrap().success());
    assert!(!is_kept(&folder.programs()));
    assert!(is_kept(&folder.programs()), "the pipe gave way");

    set_mode(&entry, 0o666);
    assert!(!is_kept(&folder.programs()));
}

#[test]
fn a_directory_of_others_is_not_used_and_this_is_said_once() {
    let _says = SAYS.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = Folder::new("public");
    assert!(!is_kept(&folder.programs()));
    for mode in [0o777, 0o1777, 0o770, 0o702] {
        set_mode(&folder.programs(), mode);
        assert!(!is_kept(&folder.programs()), "{mode:o}");
    }
    set_mode(&folder.programs(), 0o700);
    assert!(is_kept(&folder.programs()));

    let public = folder.0.join("said");
    fs::create_dir(&public).unwrap();
    set_mode(&public, 0o777);
    let heard = Heard::default();
    tracing::subscriber::with_default(heard.clone(), || {
        assert!(!is_kept(&public));
        assert!(!is_kept(&public));
    });
    assert_eq!(fs::read_dir(&public).unwrap().count(), 0, "nothing is written there");
    let heard = heard.0.lock().unwrap();
    let [said] = &heard[..] else { panic!("{heard:?}") };
    assert!(said.contains("said") && said.contains("mode 777") && said.contains("chmod go-w"), "{said}");
}

#[test]
fn a_directory_that_belongs_to_another_is_not_used() {
    let _says = SAYS.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = Folder::new("owner");
    assert!(!is_kept(&folder.programs()));
    if chown(folder.programs(), Some(12_345), None).is_err() {
        return println!("skipped: who is not the superuser gives nothing away");
    }
    assert!(!is_kept(&folder.programs()));
    chown(folder.programs(), Some(0), None).unwrap();
    assert!(is_kept(&folder.programs()));
    chown(folder.entry(), Some(12_345), None).unwrap();
    assert!(!is_kept(&folder.programs()));
}

#[test]
fn what_is_read_is_bounded() {
    let folder = Folder::new("bounded");
    let path = folder.0.join("file");
    let file = File::create(&path).unwrap();
    file.set_len(1 << 20).unwrap();
    assert_eq!(read_regular(&path).unwrap().len(), 1 << 20);
    file.set_len((256 << 20) + 1).unwrap();
    for path in [&path, Path::new("/dev/zero"), Path::new("/")] {
        assert_eq!(read_regular(path).unwrap_err().kind(), ErrorKind::InvalidData, "{}", path.display());
    }
}

/// What was said, as text.
#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<String>>>);

impl Subscriber for Heard {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }
    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn event(&self, event: &Event<'_>) {
        let mut text = Text::default();
        event.record(&mut text);
        self.0.lock().unwrap().push(text.0);
    }
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

#[derive(Default)]
struct Text(String);

impl Visit for Text {
    fn record_debug(&mut self, _: &tracing::field::Field, value: &dyn std::fmt::Debug) {
        self.0 += &format!("{value:?}");
    }
}
