//! What is wrong with a file that still shows something.

use std::fmt;

use annulus_abi::vitals::read::{Kernel, Vitals};

use crate::{Liveness, Process};

/// What is wrong with a vitals file whose header is whole. A runtime writes no such file: something else has written to
/// it, or has cut it off, or the system has lost a part of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileDamage {
    /// Entries of the directory that say they are used, and are not what a runtime wrote: so many kernels may be missing.
    /// An entry that its process changes during the look is not among them.
    pub entries: usize,
    /// How many bytes the file lacks, by its header: it was cut off.
    pub missing: u64,
    /// How many of the kernels that it shows lack shards, since the file ends before them.
    pub without_shards: usize,
}

impl FileDamage {
    /// What is wrong. `again` is as for [`Vitals::damaged`].
    pub(crate) fn of(vitals: &Vitals<'_>, kernels: &[Kernel<'_>], again: Option<&[u8]>, length: u64) -> Self {
        Self {
            entries: vitals.damaged(again),
            missing: vitals.promised().saturating_sub(length),
            without_shards: kernels.iter().filter(|kernel| kernel.shards_end() > length).count(),
        }
    }

    /// Whether nothing is.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// In words: `2 entries of its directory do not match their checks, and it was cut off: its last 4096 bytes are missing`.
impl fmt::Display for FileDamage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.entries {
            0 => {}
            1 => f.write_str("1 entry of its directory does not match its check")?,
            entries => write!(f, "{entries} entries of its directory do not match their checks")?,
        }
        if self.missing != 0 {
            let and = if self.entries == 0 { "" } else { ", and " };
            write!(f, "{and}it was cut off: its last {} bytes are missing", self.missing)?;
        }
        match (self.missing, self.without_shards) {
            (0, _) | (_, 0) => Ok(()),
            (_, 1) => f.write_str(", with shards of 1 kernel"),
            (_, kernels) => write!(f, ", with shards of {kernels} kernels"),
        }
    }
}

impl Process {
    /// What is said of it if it shows no kernels: that it has none, or that none can be read.
    pub fn no_kernels(&self) -> &'static str {
        if self.damage.is_none() { "no kernels" } else { "no kernels that can be read" }
    }

    /// What is wrong with its file, and what to do, in words; `None` if nothing is.
    pub fn told_damage(&self) -> Option<String> {
        if self.damage.is_none() {
            return None;
        }
        let remedy = match self.liveness {
            Liveness::Running => "The process works on: start it anew to see it whole.",
            Liveness::Dead => "Remove the file when you have read it.",
        };
        let (path, damage) = (self.file.display(), self.damage);
        Some(format!(
            "{path} is damaged: {damage}. What is left is shown; the rest is not to be trusted. {remedy}"
        ))
    }
}
