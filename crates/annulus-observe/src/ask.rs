//! Asks a runtime of another process for telemetry. [`annulus_runtime`'s vitals](annulus_runtime::Vitals) say how
//! the other side serves it.
//!
//! The words of the request page are written with system calls, and the page is mapped for reading only, since the
//! system finds those who sleep on a word by its address. So a file that is cut off meanwhile is an error, and no
//! fault.

use std::{path::Path, time::Duration};

use crate::Unreadable;

/// Asks the runtime that keeps this vitals file to enable telemetry of all its kernels for `time`, a minute at most,
/// from now on. Ask again well before that time is over: it is a lease, and runs out by itself. What the
/// program has enabled stays on after it. Returns whether there is somebody to serve it: `false` for a process that
/// has died, and for a runtime of an older version.
///
/// Telemetry costs the kernels some nanoseconds a message: see the guide. Kernels of a device obey their command at
/// their next look, so it takes a moment.
///
/// ```no_run
/// use std::time::Duration;
/// for file in annulus_observe::files() {
///     let _ = annulus_observe::ask_for_telemetry(&file, Duration::from_secs(60));
/// }
/// ```
///
/// # Errors
///
/// As for [`look`](crate::look); and if the file cannot be written.
pub fn ask_for_telemetry(path: &Path, time: Duration) -> Result<bool, Unreadable> {
    system::ask(path, time)
}

#[cfg(not(target_os = "linux"))]
mod system {
    use super::*;

    pub(super) fn ask(_: &Path, _: Duration) -> Result<bool, Unreadable> {
        Ok(false)
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::{
        fs::{File, OpenOptions},
        io::Read,
        mem::offset_of,
        os::{
            fd::AsRawFd,
            unix::fs::{FileExt, OpenOptionsExt},
        },
        ptr,
    };

    use annulus_abi::vitals::{LONGEST_LEASE, PAGE, RequestPage, VitalsHeader, read::Vitals};

    use super::*;
    use crate::{Liveness, attach::monotonic_nanos, boot};

    pub(super) fn ask(path: &Path, time: Duration) -> Result<bool, Unreadable> {
        // A pipe does not make it wait, and a link is not followed.
        let flags = libc::O_NONBLOCK | libc::O_NOFOLLOW;
        let mut file = OpenOptions::new().read(true).write(true).custom_flags(flags).open(path)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(Unreadable::NoFile);
        }
        let mut header = [0; size_of::<VitalsHeader>()];
        file.read_exact(&mut header)?;
        let vitals = Vitals::new(&header).map_err(Unreadable::Damaged)?;
        let Some(page) = vitals.requests() else { return Ok(false) };
        // Whoever writes behind the end makes a file longer.
        let is_there = page.checked_add(PAGE as u64).is_some_and(|end| end <= metadata.len());
        if !is_there || boot::liveness(&file, boot::is_other(&vitals))? == Liveness::Dead {
            return Ok(false);
        }
        let now = monotonic_nanos().saturating_sub(vitals.clock_origin());
        let longest = now.saturating_add(LONGEST_LEASE);
        let wanted = now.saturating_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)).min(longest);
        let until = page + offset_of!(RequestPage, telemetry_until) as u64;
        let mut word = [0; 8];
        file.read_exact_at(&mut word, until)?;
        // Another observer may want it for longer. A number that nobody can mean is replaced.
        let others = u64::from_ne_bytes(word);
        if others < wanted || others > longest {
            file.write_all_at(&wanted.to_ne_bytes(), until)?;
        }
        // Another number than all before, so that whoever is about to sleep does not.
        let bell = (monotonic_nanos() as u32).rotate_left(8) ^ std::process::id();
        file.write_all_at(&bell.to_ne_bytes(), page + offset_of!(RequestPage, bell) as u64)?;
        wake(&file, page)?;
        Ok(true)
    }

    /// Wakes those who sleep on the bell.
    fn wake(file: &File, page: u64) -> std::io::Result<()> {
        let (protection, flags) = (libc::PROT_READ, libc::MAP_SHARED);
        let offset = libc::off_t::try_from(page).map_err(|_| std::io::ErrorKind::InvalidData)?;
        // SAFETY: a new mapping of an open file changes no memory of ours.
        let base = unsafe { libc::mmap(ptr::null_mut(), PAGE, protection, flags, file.as_raw_fd(), offset) };
        if base == libc::MAP_FAILED {
            return Err(std::io::Error::last_os_error());
        }
        let bell = base.wrapping_byte_add(offset_of!(RequestPage, bell));
        // SAFETY: only the system uses the address; where the file has been cut off, it says so.
        let woken = unsafe { libc::syscall(libc::SYS_futex, bell, libc::FUTEX_WAKE, i32::MAX) };
        let outcome = if woken < 0 { Err(std::io::Error::last_os_error()) } else { Ok(()) };
        // SAFETY: it was mapped with this length, and nobody else has it.
        unsafe { libc::munmap(base, PAGE) };
        outcome
    }
}
