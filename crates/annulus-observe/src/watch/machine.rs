//! All vitals files of this user, kept open.

use std::{collections::BTreeMap, io, path::PathBuf};

use super::Attached;
use crate::{Process, Unreadable, files};

/// The vitals files of this user's processes, kept open from look to look.
///
/// ```no_run
/// let mut machine = annulus_observe::Machine::default();
/// for _ in 0..10 {
///     let (processes, unreadable) = machine.look(None);
///     println!("{} processes, {} files that show nothing", processes.len(), unreadable.len());
///     std::thread::sleep(std::time::Duration::from_secs(1));
/// }
/// ```
#[derive(Debug, Default)]
pub struct Machine {
    attached: BTreeMap<PathBuf, Attached>,
}

impl Machine {
    /// Looks at all processes, or at the one with this number, in the order of their files' names. Files that show
    /// nothing are named, and why; those of processes that have ended meanwhile are not.
    pub fn look(&mut self, pid: Option<u32>) -> (Vec<Process>, Vec<(PathBuf, Unreadable)>) {
        let (mut processes, mut unreadable) = (Vec::new(), Vec::new());
        // Files that are gone, and those that others have taken the name of, are closed.
        let mut before = std::mem::take(&mut self.attached);
        for file in files() {
            let known = before.remove(&file).filter(Attached::is_named);
            let seen = known.map_or_else(|| Attached::open(&file), Ok).and_then(|mut attached| {
                let process = attached.look()?;
                Ok((attached, process))
            });
            match seen {
                Ok((attached, process)) => {
                    self.attached.insert(file, attached);
                    if pid.is_none_or(|pid| pid == process.pid) {
                        processes.push(process);
                    }
                }
                Err(Unreadable::System(error)) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => unreadable.push((file, error)),
            }
        }
        (processes, unreadable)
    }
}
