//! Whether a file is of this boot of this machine.
//!
//! A file may outlive its boot, if `$ANNULUS_DIR` is on a disk; and machines may share a folder. Then its monotonic clock is
//! another one, its process numbers are those of others, and whoever has its lock is not its owner. So a file with the id of
//! another boot is that of a dead process, and nothing else of this machine is asked about it. A header may have no id, since
//! its process could not read it: then the lock alone decides, as it does within a boot. Process numbers are never looked up:
//! they are used again, and containers have their own.
//!
//! Containers on one kernel have one boot id, locks are seen from one to the other, and so are vitals files in a folder that they
//! share. Virtual machines have a kernel each: what they share is told as dead.

use std::{fs::File, io, sync::OnceLock};

use annulus_abi::vitals::{VitalsHeader, read::Vitals};
use annulus_runtime::{vitals_boot, vitals_owner_lives};

use crate::Liveness;

/// Whether a file is of another boot, or another machine.
pub(crate) fn is_other(vitals: &Vitals<'_>) -> bool {
    static OWN: OnceLock<[u8; 16]> = OnceLock::new();
    const UNKNOWN: [u8; 16] = [0; 16];
    let (own, theirs) = (*OWN.get_or_init(vitals_boot), vitals.boot());
    own != UNKNOWN && theirs != UNKNOWN && own != theirs
}

/// Whether the process that keeps an open file lives, by its lock; `other_boot` says whether that can be its own.
pub(crate) fn liveness(file: &File, other_boot: bool) -> io::Result<Liveness> {
    Ok(if !other_boot && vitals_owner_lives(file)? { Liveness::Running } else { Liveness::Dead })
}

/// Whether an open file is of another boot. One whose header is damaged is not known to be.
#[cfg(unix)]
pub(crate) fn is_of_another(file: &File) -> bool {
    use std::os::unix::fs::FileExt;
    let mut header = [0; size_of::<VitalsHeader>()];
    file.read_exact_at(&mut header, 0).is_ok() && Vitals::new(&header).is_ok_and(|vitals| is_other(&vitals))
}

#[cfg(not(unix))]
pub(crate) fn is_of_another(_: &File) -> bool {
    const _: usize = size_of::<VitalsHeader>();
    false
}
