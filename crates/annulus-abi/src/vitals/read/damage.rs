//! What is wrong with a vitals file.

use core::mem::offset_of;

use super::{
    super::{CHANGING, KernelEntry, RequestPage, ShardVitals, VERSION, VitalsHeader},
    Entry, Vitals, part, word32, word64,
};

/// Why bytes are no vitals that this crate reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damage {
    /// They are too few for a header.
    Short,
    /// They begin with something else.
    Foreign,
    /// They are of another version of the format.
    Version(u32),
    /// The header does not match its check.
    Header,
}

impl core::fmt::Display for Damage {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Short => f.write_str("it is cut off within its header"),
            Self::Foreign => f.write_str("it is no vitals file"),
            Self::Version(version) => {
                write!(f, "it has version {version} of the format, and this program reads version {VERSION}")
            }
            Self::Header => f.write_str("its header was changed"),
        }
    }
}

impl core::error::Error for Damage {}

impl Vitals<'_> {
    /// How many entries of the directory say that they are used, and are not what a runtime wrote: their check does not
    /// match, their state is none of [`kernel_state`](super::super::kernel_state), or their shards are none of the file's. They
    /// are not among [`kernels`](Self::kernels), but for those of which the shards alone are wrong.
    ///
    /// An owner that is dead rewrites nothing: `again` is `None`. One that lives may rewrite an entry while its bytes are
    /// copied, and then the copy is a mixture. So `again` is another copy of the file's beginning, made later: an entry counts
    /// if both have the same of it, and it has the number of a launch. Compare with two later copies at least, each begun
    /// behind an acquiring fence, and take the least number. (SYNC: entry-cleared.) The owner sets an entry free before it
    /// changes anything that the check covers. So if the first copy has a change beside the state of before, the second
    /// one has not that state any more; if it has that of the next kernel, the third one has all of the next kernel's words.
    /// That is proved for an entry that goes to one other kernel meanwhile. Where it goes on from kernel to kernel, all copies
    /// would have to be torn at the same word: leave some time between them.
    pub fn damaged(&self, again: Option<&[u8]>) -> usize {
        let is_damaged = |index: usize| match self.entry(index) {
            Entry::Damaged => true,
            Entry::Whole(kernel) => self.place(&kernel).is_none(),
            Entry::Free | Entry::Missing => false,
        };
        let same = |index: usize| {
            let of = |bytes| part(bytes, self.kernels_offset, index, size_of::<KernelEntry>());
            let state = |entry| word32(entry, offset_of!(KernelEntry, state));
            let Some(again) = again else { return true };
            of(self.bytes).zip(of(again)).is_some_and(|(first, second)| {
                state(first) == state(second)
                    && first[CHANGING..] == second[CHANGING..]
                    && word64(first, offset_of!(KernelEntry, id)) != Some(0)
            })
        };
        (0..self.kernels as usize).filter(|&index| is_damaged(index) && same(index)).count()
    }

    /// How long the file is, by its header. A runtime gives its file this length before anybody sees it, so one that is
    /// shorter was cut off. What a header says may be anything.
    pub fn promised(&self) -> u64 {
        let word32 = |offset| u64::from(word32(self.bytes, offset).unwrap_or(0));
        let word64 = |offset| word64(self.bytes, offset).unwrap_or(0);
        let shards = u64::from(self.shards);
        // Where a part ends that begins there; those that begin at 0 are not there.
        let end = |begin: u64, count: u64, stride: u64| match begin {
            0 => 0,
            _ => begin.saturating_add(count.saturating_mul(stride)),
        };
        [
            self.directory_end(),
            end(self.shards_offset, shards, size_of::<ShardVitals>() as u64),
            end(
                word64(offset_of!(VitalsHeader, records_offset)),
                word32(offset_of!(VitalsHeader, records)),
                word32(offset_of!(VitalsHeader, record_stride)),
            ),
            end(
                word64(offset_of!(VitalsHeader, ports_offset)),
                shards,
                word64(offset_of!(VitalsHeader, port_stride)),
            ),
            end(
                word64(offset_of!(VitalsHeader, histograms_offset)),
                shards,
                word64(offset_of!(VitalsHeader, histogram_stride)),
            ),
            self.bridges().map_or(0, |(begin, bytes)| end(begin, bytes as u64, 1)),
            end(word64(offset_of!(VitalsHeader, requests_offset)), 1, size_of::<RequestPage>() as u64),
        ]
        .into_iter()
        .max()
        .unwrap_or(0)
    }
}
