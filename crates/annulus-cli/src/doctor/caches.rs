//! The caches of programs that were compiled before.

use std::{fs, path::Path};

use annulus::{Backend, cache_directory};
use indicatif::HumanBytes;

use super::finding::{Finding, State};

/// The caches of these backends.
pub(super) fn all(backends: &[Backend]) -> Vec<Finding> {
    let cached = backends.iter().filter(|backend| matches!(backend, Backend::OpenCl | Backend::Cuda));
    cached
        .map(|backend| match cache_directory(&backend.to_string()) {
            Some(directory) => look(&directory),
            None => {
                let found = format!(
                    "{backend} keeps no programs: neither XDG_CACHE_HOME nor HOME is an absolute path"
                );
                Finding::new("cache", State::Lacks, found).remedy("export XDG_CACHE_HOME=$HOME/.cache")
            }
        })
        .collect()
}

fn look(directory: &Path) -> Finding {
    let shown = directory.display();
    let finding = |state, found: String| Finding::new("cache", state, found);
    let metadata = match fs::symlink_metadata(directory) {
        Ok(metadata) => metadata,
        Err(_) => {
            return finding(
                State::Note,
                format!(
                    "{shown} is not there yet: the first program makes it, unless the driver keeps programs itself, as PoCL does"
                ),
            );
        }
    };
    if !metadata.is_dir() {
        return finding(State::Lacks, format!("{shown} is no directory")).remedy(format!("rm '{shown}'"));
    }
    if let Some(why) = open_to_others(&metadata) {
        let remedy = format!("chmod 700 '{shown}', or rm -r '{shown}' if it is not yours");
        return finding(State::Lacks, format!("{shown} {why}")).remedy(remedy);
    }
    let trial = directory.join(format!("doctor-{}", std::process::id()));
    let written = fs::File::create_new(&trial).and_then(|_| fs::remove_file(&trial));
    if let Err(error) = written {
        return finding(State::Lacks, format!("{shown} cannot be written to: {error}"))
            .remedy(format!("make room for '{shown}', or chown it to this user"));
    }
    let files = fs::read_dir(directory).into_iter().flatten().flatten().flat_map(|entry| entry.metadata());
    let (count, bytes) = files.fold((0, 0), |(count, bytes), file| (count + 1, bytes + file.len()));
    finding(State::Well, format!("{shown}: {count} programs, {}", HumanBytes(bytes)))
}

/// Why the files there cannot be trusted, which matters because they are run.
#[cfg(unix)]
fn open_to_others(metadata: &fs::Metadata) -> Option<&'static str> {
    use std::os::unix::fs::MetadataExt;
    // This process's own entry belongs to its user.
    let user = fs::metadata("/proc/self").ok().map(|own| own.uid());
    match metadata {
        _ if user.is_some_and(|user| user != metadata.uid()) => Some("belongs to another user"),
        _ if metadata.mode() & 0o022 != 0 => Some("can be written to by other users"),
        _ => None,
    }
}

#[cfg(not(unix))]
fn open_to_others(_: &fs::Metadata) -> Option<&'static str> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cache_is_described() {
        let folder = std::env::temp_dir().join(format!("annulus-doctor-{}-cache", std::process::id()));
        assert_eq!(look(&folder).state, State::Note);
        fs::write(&folder, "").unwrap();
        assert_eq!(look(&folder).state, State::Lacks);
        fs::remove_file(&folder).unwrap();
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("one"), [0; 2048]).unwrap();
        let found = look(&folder);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
            let open = look(&folder);
            assert!(open.state == State::Lacks && open.remedy.unwrap().contains("chmod 700"));
        }
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(found.state, State::Well, "{found}");
        assert!(found.found[0].contains("1 programs, 2.00 KiB"), "{found}");
    }
}
